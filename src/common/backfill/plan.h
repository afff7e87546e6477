/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of conservative backfilling: when each waiting job would start alone.
 * The theory is in plan.c.  One plan for each slice machine (pect.c); all its
 * times are on that machine's clock, cs_sm_time().
 */
#ifndef CS_BACKFILL_PLAN_H
#define CS_BACKFILL_PLAN_H

#include "model/layout.h"

struct cs_engine;
struct cs_ejob;
struct cs_pass;

/* Bring the promises of the jobs in @p's queue up to date.  0, -ENOMEM. */
int cs_plan_update(struct cs_pass *p);

/* Is the job of the entry that is being placed promised to start now, there? */
bool cs_plan_due(const struct cs_pass *p);

/* Leave in @mask nodes for shape @s of the classes that it is promised there: so
 * many of each, where the shape takes whole ones. */
void cs_plan_as_promised(const struct cs_pass *p, const struct cs_occ *o,
			 const struct cs_shape *s, uint64_t *mask);

/* A node that would be left at another time than the plan has it. */
struct cs_leave {
	uint32_t node;
	int64_t at_us; /* clock of the slice machine */
};

/*
 * Zeng09's step 6: if the nodes @l [n] were left then, and the jobs whose plan.out is
 * set no more waited, would every other one keep its promise (@strict), or else
 * not pass its R_max, nor be later where it is past that already?
 * 1, 0, -ENOMEM.
 */
int cs_plan_fair(struct cs_engine *e, const struct cs_leave *l, uint32_t n,
		 bool strict);

/* The same for one started job: may it end at @end_us (the clock of its virtual
 * machine), later than now planned? */
bool cs_plan_may_end(const struct cs_engine *e, const struct cs_ejob *j,
		     int64_t end_us);

/* Are @cores cores of the classes of node set @nodeset free beside all promises
 * but that of @own, for @run_us from now on?  A quick look before a search. */
bool cs_plan_room(struct cs_engine *e, const struct cs_ejob *own,
		  uint32_t nodeset, uint32_t cores, int64_t run_us);

/* Leave in @mask, of nodes without room in @o for shape @s, those where a job of @cores
 * cores (UINT32_MAX: all of a node) could stand on cores of others for @run_us from now
 * on and every promise but that of the pass's job would be kept (plan_behind.c). */
void cs_plan_behind(const struct cs_pass *p, const struct cs_occ *o,
		    const struct cs_shape *s, int64_t run_us, uint32_t cores,
		    uint64_t *mask);

/* Leave in @mask, of nodes with room in @o for shape @s, those on which somebody could take
 * all free cores for @run_us from now on and every promise but that of the pass's job
 * would be kept; empty ones first. */
void cs_plan_spare(const struct cs_pass *p, const struct cs_occ *o,
		   const struct cs_shape *s, int64_t run_us, uint64_t *mask);

#endif
