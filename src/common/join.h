/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Putting a waiting job beside running ones; the theory is in join.c. */
#ifndef CS_JOIN_H
#define CS_JOIN_H

#include "state.h"

/* A way to start a job on the nodes of a running one. */
struct cs_join {
	struct cs_ejob *running;
	struct cs_alloc *alloc; /* owned; NULL: none */
	double slowdown;	/* of the job that joins, self times cos */
	double gain;		/* equation 6 for the two */
	int64_t end_us;		/* predicted, of the job that joins */
};

/*
 * Try to put the job of @entry beside @running.  CS_MATCH_OK: *ret holds the
 * way (the caller frees its alloc); else why not.  With @serial only on nodes
 * where every job is serial.  *ret_nomem is set where memory ran out.  May be
 * asked of a const engine's jobs for explanations: it changes nothing.
 */
enum cs_match cs_join_try(struct cs_engine *e, const struct cs_entry *entry,
			  struct cs_ejob *running, bool serial,
			  struct cs_join *ret, bool *ret_nomem);

/* Whether no reservation of the pass suffers, by the new job or by those that it
 * slows down. */
bool cs_join_leaves(struct cs_pass *p, const struct cs_entry *entry,
		    const struct cs_join *way);

/* Propose it: the job becomes a member of the running job's group. */
int cs_join_start(struct cs_engine *e, const struct cs_entry *entry,
		  const struct cs_join *way, uint32_t rule);

/*
 * Running jobs with room beside them, the least delayed first (time lost to
 * sharing so far, then id).  The caller frees the array; NULL: no memory.
 */
struct cs_ejob **cs_join_candidates(const struct cs_engine *e, size_t *ret_n);

#endif
