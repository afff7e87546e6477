/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of conservative backfilling: when each waiting job would start alone.
 * The theory is in plan.c.  One plan for each virtual machine (pect.c); all its
 * times are on that machine's clock, cs_vm_time().
 */
#ifndef CS_BACKFILL_PLAN_H
#define CS_BACKFILL_PLAN_H

#include "model/layout.h"
#include "backfill/timeline.h"

struct cs_engine;
struct cs_ejob;
struct cs_pass;
struct cs_vm;

#define CS_TURN_QUEUE INT64_MIN /* a turn by the place in the queue */

/* What a waiting job is promised; in struct cs_ejob. */
struct cs_planned {
	int64_t start_us, end_us; /* CS_TIME_NONE: nothing */
	int64_t turn_us; /* the promised start that it goes by when promises are
			    made anew, its own or another's; NONE: the last */
	uint32_t option;	  /* the partition it is promised in */
	uint32_t made;		  /* layouts this was made for; 0: none */
	bool late; /* where it was refused: nothing (forecast.c, rule 6) */
	bool by_core; /* packed by rule 7 of alone.c, of its free will */
	struct cs_shape shape;	  /* alone */
	int64_t run_us;		  /* in that shape */
	int32_t *cores;		  /* [n_class] taken; NULL: none yet */
	uint32_t n_class;	  /* length of cores */
	uint64_t rank;		  /* scratch: place in the queue */
	bool out;		  /* scratch: it would no more wait */
};

/* Classes that a node set meets, in increasing order. */
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
	uint32_t *class_of;	/* [n_node] */
	uint32_t *like;		/* [n_class] a node of each */
	uint32_t *of;		/* [n_class] the class of those nodes, ... */
	uint32_t *held;		/* [n_class] ... and whose cores: engine->held */
	int32_t *cores;		/* [n_class] scratch */
	int32_t *unit;		/* [n_class] scratch */
	int32_t *up;		/* [n_class] nodes that are up */
	int32_t *what_if;	/* [n_class] scratch: cores in p->trial */
	int64_t *release;	/* [n_node] when counted jobs leave; or earlier */
	struct cs_classes *set; /* [n_set] by node set */
	uint32_t n_set;
	struct cs_ejob **order; /* [cap_order] scratch */
	size_t n_order, cap_order; /* jobs promised, in the order of rule 3 */
	int64_t next_end_us; /* no started job is planned to end before */
	bool stale;	     /* line and base are to be made anew */
	bool regroup;	     /* ... and the classes */
	bool left; /* a job took other nodes than it was promised: from the next
		      decide on all may move up */
	bool returns;	     /* scratch: some turn was CS_TURN_QUEUE */
};

void cs_plan_done(struct cs_plan *p);

/* Bring the promises of the jobs in @p's queue up to date.  0, -ENOMEM. */
int cs_plan_update(struct cs_pass *p);

/* Is the job of the entry that is being placed promised to start now, there? */
bool cs_plan_due(const struct cs_pass *p);

/* Leave in @mask nodes for shape @s of the classes that it is promised there: so
 * many of each, where the shape takes whole ones. */
void cs_plan_as_promised(const struct cs_pass *p, const struct cs_occ *o,
			 const struct cs_shape *s, uint64_t *mask);

/* Would a start on @a until @end_us (the host's clock) leave every promise as it
 * is, but for that of @own? */
bool cs_plan_leaves(struct cs_engine *e, const struct cs_ejob *own,
		    const struct cs_alloc *a, enum cs_hold hold,
		    int64_t end_us);

/* A node that would be left at another time than the plan has it. */
struct cs_leave {
	uint32_t node;
	int64_t at_us; /* clock of the virtual machine */
};

/*
 * 000's step 6: if the nodes @l [n] were left then, and the jobs whose plan.out is
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

/* The same, whether a start of the pass's job on @a until @end_us (the host's clock
 * as all here) may make the started jobs @moved [n] end at @ends_us [n]: as fair
 * for a head, for others so that no promise is moved. */
bool cs_plan_leaves_moved(struct cs_pass *p, const struct cs_alloc *a,
			  int64_t end_us, struct cs_ejob *const *moved,
			  const int64_t *ends_us, size_t n);

/* @j leaves the queue: its promise is taken back. */
void cs_plan_drop(struct cs_engine *e, struct cs_ejob *j);

/*
 * How long could somebody keep @a, @hold as he does, from @from_us on, until
 * @until_us at most, with every promise as it is?  Whoever has it before @from_us is
 * not asked about.  All on the clock of the virtual machine.  O(nodes of @a *
 * log(until - from)).
 */
int64_t cs_plan_stays_us(struct cs_engine *e, const struct cs_alloc *a,
			 enum cs_hold hold, int64_t from_us, int64_t until_us);

/* Started job @j is now predicted to leave at another time than @from_us (the host's
 * clock): where it is later and in nobody's way all promises stay. */
void cs_plan_longer(struct cs_engine *e, struct cs_ejob *j, int64_t from_us);

/* @j, before its promise is taken back, will take @a: what it was promised now of some
 * class of nodes, and leaves, is for those behind it. */
void cs_plan_takes(struct cs_engine *e, const struct cs_ejob *j,
		   const struct cs_alloc *a, enum cs_hold hold);

/* @j was booked, or is about to be unbooked, on its virtual machine. */
void cs_plan_booked(struct cs_engine *e, struct cs_ejob *j);
void cs_plan_leaving(struct cs_engine *e, struct cs_ejob *j);

#endif
