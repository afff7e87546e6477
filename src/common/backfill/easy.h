/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What heads are promised, and which jobs may pass them; the theory is in easy.c. */
#ifndef CS_BACKFILL_EASY_H
#define CS_BACKFILL_EASY_H

#include "state/pass.h"

/* A head and its promise. */
struct cs_promise {
	struct cs_ejob *job; /* only in the pass */
	uint32_t option;
	uint32_t nodeset;
	uint32_t job_id;
	struct cs_shape shape;
	int64_t start_us;
	int64_t run_us;
	uint64_t *nodes;    /* those it may use then */
	bool counted;	    /* rule 4 */
	uint64_t *room;	    /* counted: those that suit it then */
	uint32_t n_room;    /* ... and their number */
	uint64_t *rest;	    /* scratch */
	uint32_t fragments; /* with sites: over so many at most */
	struct cs_occ at;   /* not counted: the machine then */
};

/* Is the promise that of the job being placed?  It need not wait for itself in another
 * partition. */
static inline bool cs_promise_own(const struct cs_pass *p,
				  const struct cs_promise *r)
{
	return r->job == p->queue[p->i].job;
}

/*
 * The job of @entry does not fit: it becomes a head and is promised the earliest
 * start that the predicted ends allow (easy.c).  0, also if it can never run and so
 * holds nothing; -ENOMEM.
 */
int cs_backfill_promise(struct cs_pass *p, const struct cs_entry *entry);

/* The first start of @entry in shape @s that the predicted ends allow (rule 1), without
 * a rule of sites; CS_TIME_NONE. */
int64_t cs_backfill_first_us(struct cs_pass *p, const struct cs_entry *entry,
			     const struct cs_shape *s);
/* Is the end at @end_us within head_slack of what the head was predicted first (rule 6)?
 * If it had no prediction: a start at @first_us, for @run_us, which it has then. */
bool cs_backfill_within_slack(struct cs_pass *p, const struct cs_entry *entry,
			      int64_t first_us, int64_t run_us, int64_t end_us);

/* With planned_starts > 1: may a job behind a head that can use the nodes of @set have a
 * planned start, too (planned.c)? */
bool cs_backfill_may_plan(const struct cs_pass *p, const uint64_t *set);

/* Bring the promises up to date after a start. */
void cs_backfill_refresh(struct cs_pass *p);

/* One behind the last of @h, not counted yet; its memory is that of an earlier pass, if
 * there was one.  NULL: no memory. */
struct cs_promise *cs_promise_new(const struct cs_engine *e,
				  struct cs_promises *h);

/* Forget the promises of the last decide. */
void cs_backfill_clear(struct cs_slice_machine *sm);
void cs_backfill_done(struct cs_slice_machine *sm);

/* The nodes reserved for head @j, as of the last decide, until the next call; NULL:
 * none. */
const uint64_t *cs_backfill_nodes(const struct cs_engine *e,
				  const struct cs_ejob *j);
/* Could node @n be one of its nodes then? */
bool cs_promise_does_for(const struct cs_promise *r, uint32_t n);

#endif
