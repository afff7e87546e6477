/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of conservative backfill: when each waiting job would start alone.  The
 * theory is in plan.c.  One plan for each slice machine (pect.c); all its times are on
 * that machine's clock, cs_sm_time().
 */
#ifndef CS_BACKFILL_PLAN_H
#define CS_BACKFILL_PLAN_H

#include "model/layout.h"

struct cs_engine;
struct cs_ejob;
struct cs_pass;

/* Update the promises of the jobs in @p's queue.  0, -ENOMEM. */
int cs_plan_update(struct cs_pass *p);

/* Add to @nodes all nodes of the classes that it meets.  0, -ENOMEM.  O(nodes). */
int cs_plan_join_classes(struct cs_engine *e, uint64_t *nodes);

/* A task of array @j has started, and others still wait: promise the next one a start
 * (plan_tasks.c).  0, -ENOMEM. */
int cs_plan_next_task(struct cs_pass *p, struct cs_ejob *j);
/* Bring up to date the promises that cs_plan_next_task() put off.  O(1) if it did not. */
void cs_plan_settle(struct cs_engine *e);

/* Is the job of the entry being placed promised to start now, there? */
bool cs_plan_due(const struct cs_pass *p);
/* Is it, on its own slice machine, the first of those whose promised start has come, in
 * the order of the promises?  O(waiting). */
bool cs_plan_first_due(const struct cs_pass *p);

/* Leave in @mask nodes for shape @s of its promised classes; the promised number of
 * each if it takes whole nodes. */
void cs_plan_as_promised(const struct cs_pass *p, const struct cs_occ *o,
			 const struct cs_shape *s, uint64_t *mask);

/* A node that would be left at another time than planned. */
struct cs_leave {
	uint32_t node;
	int64_t at_us; /* clock of the slice machine */
};

/*
 * Zeng09's step 6: if the nodes @l [n] were left then, and jobs with plan.out set no
 * longer waited, would every other job keep its promise (@strict), or else not pass its
 * R_max, nor be later if already past it?
 * 1, 0, -ENOMEM.
 */
int cs_plan_fair(struct cs_engine *e, const struct cs_leave *l, uint32_t n,
		 bool strict);

/* The same for one started job: may it end at @end_us (the clock of its slice machine),
 * later than now planned? */
bool cs_plan_may_end(const struct cs_engine *e, const struct cs_ejob *j,
		     int64_t end_us);

/* Are @cores cores of the classes of node set @nodeset free beside all promises but
 * that of @own, for @run_us from now on?  A quick test before a search. */
bool cs_plan_room(struct cs_engine *e, const struct cs_ejob *own,
		  uint32_t nodeset, uint32_t cores, int64_t run_us);

/* Leave in @mask, of nodes without room in @o for shape @s, those where a job of @cores
 * cores (UINT32_MAX: all of a node) could share others' cores for @run_us from now on
 * with every promise but the pass's job's kept (plan_behind.c). */
void cs_plan_behind(const struct cs_pass *p, const struct cs_occ *o,
		    const struct cs_shape *s, int64_t run_us, uint32_t cores,
		    uint64_t *mask);

/* Leave in @mask, of nodes with room in @o for shape @s, those whose free cores could
 * all be taken for @run_us from now on with every promise but the pass's job's kept;
 * empty ones first. */
void cs_plan_spare(const struct cs_pass *p, const struct cs_occ *o,
		   const struct cs_shape *s, int64_t run_us, uint64_t *mask);

#endif
