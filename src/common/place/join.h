/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Putting a waiting job beside running ones; the theory is in join.c. */
#ifndef CS_PLACE_JOIN_H
#define CS_PLACE_JOIN_H

#include "state/state.h"
#include "job/match.h"

/* A way to start a job on the nodes of a running one. */
struct cs_join {
	struct cs_ejob *running;
	struct cs_alloc *alloc; /* owned; NULL: none */
	double slowdown;	/* of the job that joins, self times cos */
	double gain;		/* equation 6 for the two */
	int64_t end_us;		/* predicted, of the job that joins */
	uint32_t rule;		/* case 2: it is the larger one, also for serial
				   jobs; case 3 */
};

/*
 * Could the two share at all, whatever is on which node: profiles, users,
 * sizes, nodes that the job may use?  With @serial, as below.  O(nodes of the
 * running job), mostly O(1).
 */
enum cs_match cs_join_suits(const struct cs_engine *e,
			    const struct cs_entry *entry,
			    const struct cs_ejob *running, bool serial);

/*
 * Try to put the job of @entry beside @running.  CS_MATCH_OK: *ret holds the
 * way (the caller frees its alloc); else why not.  With @serial only on nodes
 * where every job is serial.  Sets *ret_nomem if memory ran out.  Also for
 * explanations: in the engine it changes only scratch (mask).
 */
enum cs_match cs_join_try(const struct cs_engine *e,
			  const struct cs_entry *entry, struct cs_ejob *running,
			  bool serial, struct cs_join *ret, bool *ret_nomem);

/* Could running job @x's limit follow a coscheduling slowdown of @cos? */
bool cs_join_limit_allows(const struct cs_engine *e, const struct cs_ejob *x,
			  double cos);

/* Could its limit follow if a second of its estimate took @slowdown? */
bool cs_join_slower_allows(const struct cs_engine *e, const struct cs_ejob *x,
			   double slowdown);

/*
 * The way with the highest gain, of at least MIN_UTILGAIN, that keeps every
 * reservation, the earlier candidate at a tie; with place=pair-first the first
 * such.  Over running_prim_num of the suitable jobs, with @serial over all.  0:
 * in *ret, whose alloc is the caller's, NULL if there is none; -ENOMEM.
 */
int cs_join_best(struct cs_pass *p, const struct cs_entry *entry, bool serial,
		 struct cs_join *ret);

/* Propose it: the job becomes a member of the running job's group.  Takes
 * way->alloc. */
int cs_join_start(struct cs_engine *e, const struct cs_entry *entry,
		  const struct cs_join *way);

#endif
