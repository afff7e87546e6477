/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plan's own files share; the theory is in plan.c.  Nobody else includes
 * this.
 *
 *	plan.c		all promises: kept, moved up, made anew
 *	plan_class.c	which nodes need not be told apart
 *	plan_base.c	what started jobs and reservations leave
 *	plan_promise.c	where one job is put, and what that promises its user
 *	plan_start.c	a start against the plan
 *	plan_fair.c	what would be
 */
#ifndef CS_PLAN_PARTS_H
#define CS_PLAN_PARTS_H

#include "plan.h"
#include "state.h"

#define CS_PLAN_CLASSES 64

/* plan.c */
/* Is nowhere in @t more promised than there is? */
bool cs_plan_holds_all(const struct cs_engine *e, const struct cs_plan *p,
		       const struct cs_timeline *t);

/* plan_class.c */
/* Sort the nodes into classes: a class's nodes are of one kind, and of the same
 * node sets and reservations.  0, -ENOMEM. */
int cs_plan_regroup(struct cs_engine *e, struct cs_plan *p);

/* plan_base.c */
/* Nodes of one class that are left at one time; runs of them are taken at once. */
struct cs_release {
	int64_t at_us;
	uint32_t class;
	int32_t cores;
};

/* For qsort(). */
int cs_release_cmp(const void *x, const void *y);
void cs_releases_sort(struct cs_release *r, uint32_t n);

static inline int32_t cs_plan_node_cores(const struct cs_engine *e, uint32_t n)
{
	return (int32_t)cs_node_cores(&e->machine->node[n]);
}
/* When @j is predicted to leave its nodes, on the clock of its machine. */
int64_t cs_plan_left_us(const struct cs_engine *e, const struct cs_ejob *j);
/* Does a job that holds @a so take whole nodes? */
static inline bool cs_plan_whole(const struct cs_engine *e, enum cs_hold hold,
				 const struct cs_alloc *a)
{
	return hold != CS_HOLD_PACKED || cs_scoped(e) || a->owner;
}
/* @cores more in @t from @from to @to.  0, -ENOMEM. */
int cs_plan_add(struct cs_plan *p, struct cs_timeline *t, uint32_t class,
		int64_t from, int64_t to, int32_t cores);
/* Rule 1 for node @n: jobs that take it whole.  Others are added one by one. */
void cs_plan_release(struct cs_engine *e, struct cs_plan *p, uint32_t n);
/* Rule 1: make p->base anew.  0, -ENOMEM. */
int cs_plan_make_base(struct cs_engine *e, struct cs_plan *p);
/* Has a started job outlasted its prediction? */
bool cs_plan_outlasted(struct cs_engine *e, struct cs_plan *p);

/* plan_promise.c */
static inline int64_t cs_plan_end_after(int64_t start, int64_t run)
{
	return run < CS_TIME_NONE - start ? start + run : CS_TIME_NONE;
}
void cs_plan_promise_nothing(struct cs_ejob *j);
/* How much of one node the shape takes in class @c; 0: such nodes do not do. */
int32_t cs_plan_unit(const struct cs_engine *e, const struct cs_plan *p,
		     const struct cs_shape *s, uint32_t c);
/* Rule 2: the start of @j in @t from which it ends first, for which it is laid out
 * then; its cores into @ret_cores. */
int64_t cs_plan_seek(const struct cs_engine *e, struct cs_plan *p,
		     const struct cs_timeline *t, struct cs_ejob *j,
		     int32_t *ret_cores);
/* Promise it to @j.  0, -ENOMEM. */
int cs_plan_promise(struct cs_engine *e, struct cs_plan *p,
		    struct cs_timeline *t, struct cs_ejob *j);
/* Give back in @t what the job is promised.  0, -ENOMEM. */
int cs_plan_lift(struct cs_plan *p, struct cs_timeline *t,
		 const struct cs_planned *q);
/* Predicted response time if the job ends at @end_us of its machine's clock. */
int64_t cs_plan_response_us(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t end_us);

#endif
