/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the plan's own files only; the theory is in plan.c.
 *
 *	plan.c		all promises: kept, moved up, remade
 *	plan_class.c	which nodes need not be distinguished
 *	plan_base.c	what started jobs and reservations leave
 *	plan_gpus.c	GPUs beside the cores
 *	plan_promise.c	where one job is put, and its user's promise
 *	plan_times.c	what reservations keep, and when that changes
 *	plan_start.c	a start against the plan
 *	plan_tasks.c	the next task of an array
 *	plan_fair.c	what if
 */
#ifndef CS_BACKFILL_PLAN_PARTS_H
#define CS_BACKFILL_PLAN_PARTS_H

#include "backfill/plan.h"
#include "backfill/timeline.h"
#include "job/match.h"
#include "job/resv.h"
#include "state/pass.h"

#define CS_PLAN_CLASSES 128				/* in all */
#define CS_PLAN_KINDS 64				/* of nodes */
#define CS_PLAN_LINES (CS_PLAN_CLASSES + CS_PLAN_KINDS) /* with those of GPUs */

/* Classes with nodes in a node set, increasing. */
struct cs_classes {
	uint32_t n;
	uint32_t *class;
};

struct cs_plan {
	struct cs_timeline *base;  /* free cores beside started jobs */
	struct cs_timeline *line;  /* ... and beside promised ones */
	struct cs_timeline *trial; /* scratch: what if (cs_plan_fair()) */
	uint32_t n_class; /* of nodes; then of reserved cores: plan_class.c */
	uint32_t n_kind;  /* of nodes */
	uint32_t n_line;  /* counts of a time line: the classes', then GPUs' */
	uint32_t *gpu_line; /* [n_kind] which one has the class's GPUs, in
			       thousandths; 0: none (plan_gpus.c) */
	uint32_t *class_of; /* [n_node] */
	uint32_t *like;	    /* [n_class] a node of each */
	uint32_t *of;	    /* [n_class] the class of those nodes, ... */
	uint32_t *held;	    /* [n_class] ... and whose cores: engine->held */
	int32_t *cores;	    /* [n_line] scratch */
	int32_t *unit;	    /* [n_class] scratch */
	int32_t *up;	    /* [n_class] nodes that are up */
	int32_t *what_if;   /* [n_line] scratch: cores in p->trial */
	int64_t *release;   /* [n_node] when counted jobs leave; or earlier */
	struct cs_classes *set;	     /* [n_set] by node set */
	struct cs_plan_times *times; /* plan_times.c; NULL: none */
	uint32_t n_set;
	struct cs_ejob **order;	   /* [cap_order] scratch */
	size_t n_order, cap_order; /* jobs promised, in the order of rule 3 */
	int64_t next_end_us;	   /* no started job is planned to end
				      earlier */
	bool left; /* a job took other nodes than promised: from the next decide
		      on all may move up */
	bool returns; /* scratch: a turn was CS_TURN_QUEUE */
	/* plan_tasks.c: */
	const struct cs_ejob *array; /* its tasks start; NULL: none.  Compared
					only */
	uint32_t array_seq;	     /* engine->next_seq after its last start */
	size_t at;		     /* its place in order */
	bool ahead; /* line lacks the promises of the jobs behind it in order,
		       which are out of date */
	bool exact; /* promises are what remaking them would give */
	uint32_t exact_seq; /* engine->next_seq at that time */
	int64_t due_end_us; /* scratch: the job that starts gets the cores it
			       is promised now, until then; INT64_MIN: no */
};

/* plan_start.c, plan_fair.c, plan_promise.c: of struct cs_backfill_ops. */
bool cs_plan_leaves(struct cs_pass *pass, const struct cs_alloc *a,
		    enum cs_node_use hold, int64_t end_us);
bool cs_plan_leaves_moved(struct cs_pass *p, const struct cs_alloc *a,
			  enum cs_node_use hold, int64_t end_us,
			  struct cs_ejob *const *moved, const int64_t *ends_us,
			  size_t n);
int64_t cs_plan_stays_us(struct cs_engine *e, const struct cs_alloc *a,
			 enum cs_node_use hold, int64_t from_us,
			 int64_t until_us);
void cs_plan_booked(struct cs_engine *e, struct cs_ejob *j);
void cs_plan_leaving(struct cs_engine *e, struct cs_ejob *j);
void cs_plan_longer(struct cs_engine *e, struct cs_ejob *j, int64_t from_us);
void cs_plan_takes(struct cs_engine *e, const struct cs_ejob *j,
		   const struct cs_alloc *a, enum cs_node_use hold);
void cs_plan_drop(struct cs_engine *e, struct cs_ejob *j);

/* promise_copy.c (struct cs_backfill_ops, copy). */
int cs_plan_copy(struct cs_engine *to, const struct cs_engine *from,
		 uint32_t sm);

/* plan.c */
/* Does @t nowhere promise more than there is? */
bool cs_plan_holds_all(const struct cs_engine *e, const struct cs_plan *p,
		       const struct cs_timeline *t);
/* Has the line become so long that it is made anew? */
bool cs_plan_long(const struct cs_engine *e, const struct cs_plan *p);
/* Of two struct cs_ejob *, for qsort(): rule 3's order. */
int cs_plan_by_promise(const void *x, const void *y);

/* plan_class.c */
/* Sort the nodes into classes: a class's nodes are of one kind, and of the same
 * node sets and reservations.  0, -ENOMEM. */
int cs_plan_regroup(struct cs_engine *e, struct cs_plan *p);
/* Must they be sorted anew? */
bool cs_plan_regroups(const struct cs_engine *e, const struct cs_plan *p);
/* The class of reservation @h's (index) cores on nodes of class @c; @c: it has none. */
uint32_t cs_plan_class_within(const struct cs_plan *p, uint32_t h, uint32_t c);

/* plan_times.c */
struct cs_plan_times;
/* Make p->times, where the reservations allow it.  0, -ENOMEM. */
int cs_plan_times_make(const struct cs_engine *e, struct cs_plan *p);
size_t cs_plan_times_bytes(const struct cs_plan_times *t);
/* Do the two below answer for a job in @of? */
bool cs_plan_times_answer(const struct cs_engine *e, const struct cs_plan *p,
			  const struct cs_resv_job *of);
/* The classes that reservations keep from a job that takes @whole nodes, or not, from
 * @from_us to @until_us, later, by the host's clock: one bit each. */
uint64_t cs_plan_times_kept(const struct cs_engine *e, const struct cs_plan *p,
			    bool whole, int64_t from_us, int64_t until_us);
/* The first instant after @from_us at which a start of a job of @run_us may meet
 * different reservations; CS_TIME_NONE: none. */
int64_t cs_plan_times_next(const struct cs_plan *p, int64_t from_us,
			   int64_t run_us);

/* plan_base.c */
/* Nodes of one class that are left at one time; runs of them are taken at once. */
struct cs_release {
	int64_t at_us;
	uint32_t class;
	int32_t cores;
};

/* For qsort(). */
int cs_release_cmp(const void *x, const void *y);
void cs_plan_releases_sort(struct cs_release *r, uint32_t n);

static inline int32_t cs_plan_node_cores(const struct cs_engine *e, uint32_t n)
{
	return (int32_t)cs_node_cores(&e->machine->node[n]);
}
/* Thousandths of the GPUs of node @n. */
static inline int32_t cs_plan_node_gpus(const struct cs_engine *e, uint32_t n)
{
	const struct cs_gpus *g = e->machine->node[n].gpus;

	return g ? (int32_t)g->n * CS_GPU_WHOLE : 0;
}
/* When @j is predicted to leave its nodes, on its slice machine's clock. */
int64_t cs_plan_left_us(const struct cs_engine *e, const struct cs_ejob *j);
/* Does a job that holds @a this way take whole nodes? */
static inline bool cs_plan_whole(const struct cs_engine *e,
				 enum cs_node_use hold,
				 const struct cs_alloc *a)
{
	return hold != CS_NODE_PACKED || cs_scoped(e) || a->owner;
}
/* Does such a job take node @n whole?  Never if cores are reserved there. */
static inline bool cs_plan_whole_on(const struct cs_engine *e,
				    enum cs_node_use hold,
				    const struct cs_alloc *a, uint32_t n)
{
	return cs_plan_whole(e, hold, a) && !cs_resv_cut(e, n);
}
/* @cores more in @t from @from to @to.  0, -ENOMEM. */
int cs_plan_add(struct cs_plan *p, struct cs_timeline *t, uint32_t class,
		int64_t from, int64_t to, int32_t cores);
/* The same for all classes: @cores [n_line] times @sign.  What is added to reserved
 * cores is also added to the nodes' outside the reservation's time.  0, -ENOMEM. */
int cs_plan_add_all(const struct cs_engine *e, struct cs_plan *p,
		    struct cs_timeline *t, int64_t from, int64_t to,
		    const int32_t *cores, int32_t sign);
/* When reservation @h (index) begins and ends on the clock of e->sm; a floating one
 * always lasts: jobs done before it may use its class of cores, too. */
int64_t cs_plan_held_start(const struct cs_engine *e, uint32_t h);
int64_t cs_plan_held_end(const struct cs_engine *e, uint32_t h);
/* How many of the cores [words] on node @n are reservation @h's (index). */
uint32_t cs_plan_within(const struct cs_engine *e, uint32_t h, uint32_t n,
			const uint64_t *cores);
/* Rule 1 for node @n: jobs that take it whole.  Others are added singly. */
void cs_plan_release(struct cs_engine *e, struct cs_plan *p, uint32_t n);
/* Rule 1: rebuild p->base.  0, -ENOMEM. */
int cs_plan_make_base(struct cs_engine *e, struct cs_plan *p);
/* Has a started job outlasted its prediction? */
bool cs_plan_outlasted(struct cs_engine *e, struct cs_plan *p);

/* plan_gpus.c */
/* The count of a time line with the GPUs of class @c; 0: they are not counted. */
static inline uint32_t cs_plan_gpu_line(const struct cs_plan *p, uint32_t c)
{
	return p->n_line > p->n_class ? p->gpu_line[p->of[c]] : 0;
}
/* Number the counts behind the n_class of the classes. */
void cs_plan_gpu_lines(struct cs_plan *p, const struct cs_machine *m);
/* Thousandths of node @n's GPUs that @a, which has its @i-th node there, takes; all of
 * them if it takes the node whole. */
int32_t cs_plan_gpus_of(const struct cs_engine *e, const struct cs_alloc *a,
			uint32_t i, bool whole);
/* Those that one unit of the shape takes in class @c (cs_plan_unit()). */
int32_t cs_plan_gpu_unit(const struct cs_engine *e, const struct cs_plan *p,
			 const struct cs_shape *s, uint32_t c);

/* plan_tasks.c */
/* All promises were remade. */
void cs_plan_remade(const struct cs_engine *e, struct cs_plan *p);
/* A start was booked that takes @r [n] beyond what was taken until @end. */
void cs_plan_took(const struct cs_engine *e, struct cs_plan *p,
		  const struct cs_release *r, uint32_t n, int64_t end);
/* Does a start until @end that takes @r [n] beyond what is taken keep within what @q
 * has now? */
bool cs_plan_within_own(const struct cs_engine *e, const struct cs_plan *p,
			const struct cs_planned *q, const struct cs_release *r,
			uint32_t n, int64_t end);

/* plan_promise.c */
void cs_plan_promise_nothing(struct cs_ejob *j);
/* Does a job of shape @s take whole nodes? */
bool cs_plan_takes_nodes(const struct cs_engine *e, const struct cs_shape *s);
/* How much of one node the shape takes in class @c; 0: unsuitable nodes. */
int32_t cs_plan_unit(const struct cs_engine *e, const struct cs_plan *p,
		     const struct cs_shape *s, uint32_t c);
/* Are the cores of class @v, which are reserved in its time and so missing in the
 * nodes' class, open to a packed job in @of that runs that long from @from_us (the
 * host's clock) on? */
bool cs_plan_crosses(const struct cs_engine *e, const struct cs_plan *p,
		     const struct cs_resv_job *of, uint32_t v, int64_t from_us,
		     int64_t run_us);
/* Rule 2: the start of @j in @t with the earliest end; lays it out for that; its cores
 * into @ret_cores. */
int64_t cs_plan_seek(const struct cs_engine *e, struct cs_plan *p,
		     const struct cs_timeline *t, struct cs_ejob *j,
		     int32_t *ret_cores);
/* Promise it to @j.  0, -ENOMEM. */
int cs_plan_promise(struct cs_engine *e, struct cs_plan *p,
		    struct cs_timeline *t, struct cs_ejob *j);
/* Return the job's promise in @t.  0, -ENOMEM. */
int cs_plan_lift(const struct cs_engine *e, struct cs_plan *p,
		 struct cs_timeline *t, const struct cs_planned *q);
/* Predicted response time if the job ends at @end_us on its slice machine's clock. */
int64_t cs_plan_response_us(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t end_us);

#endif
