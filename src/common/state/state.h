/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's state, shared by its own files.  No other file includes this.
 *
 *	engine.c	life, node sets
 *	event*.c	what happened
 *	lifecycle.c	jobs come and go; booking.c, proposal.c, keepers.c
 *	jobtable.c	the jobs: by id, waiting or started
 *	actions.c	what the current decide returns
 *	query.c		queries: lists, figures, predictions
 *	wakeup.c	when the next decide may differ
 *	check.c		invariants
 *	group.c		which jobs belong together
 *	progress.c	how far running jobs are, when they end, their limits
 *	speeds.c	jobs whose speed has changed
 *	order.c		which job is next; campaign_rank.c, expansion.c, work.c,
 *			shifted.c; queue.c; passing.c: who is tried next behind a head
 *	refused.c	what the host refused
 *	forecast.c	promises to jobs that the host's own test places
 *	campaign*.c	jobs as campaigns of their users (OStrich)
 *	match.c		which jobs may share (Zeng09, 4.5 step 1)
 *	alone.c		the shape of a job by itself; crossing.c: what sites cost it
 *	site_room.c	room of the sites; site_ahead.c: when it would be split
 *	eligible.c	which job may be considered; limit.c: limits that follow a slowdown
 *	cycle.c		one decide: the queue against the machine; pass.c, effort.c
 *	easy.c		a head's promise, and who may pass it (EASY); endings.c
 *	pect.c		time slices, one slice machine a class; class_nodes.c
 *	slice_shares.c	how long each slice lasts
 *	gang_slice.c	time slots, one row of the matrix each; gang_seats.c
 *	plan.c		every job's promise (conservative)
 *	plan_*.c	... its parts (plan_parts.h)
 *	place.c		where one job of the queue starts, and beside which; all of place/
 *	explain*.c	why (explain.h)
 */
#ifndef CS_STATE_STATE_H
#define CS_STATE_STATE_H

#include "base/err.h"
#include "base/idmap.h"
#include "base/u128.h"
#include "model/action.h"
#include "model/event.h"
#include "model/gpu_mix.h"
#include "model/layout.h"
#include "model/occupancy.h"
#include "params/params.h"
#include "profile/profile.h"
#include "profile/slowdown.h"
#include "state/actions.h"
#include "state/effort.h"
#include "state/ejob.h"
#include "state/figures.h"
#include "state/stage.h"

struct cs_campaign;
struct cs_campaigns;
struct cs_candidate;
struct cs_lessons;
struct cs_pass;
struct cs_crossed;
struct cs_plan;
struct cs_promise;
struct cs_refusals;
struct cs_shifted;
struct cs_site_work;
struct cs_slices;
struct cs_sought;
struct cs_turns;

struct cs_set_full { /* a node set, as of cs_engine.changes */
	uint64_t changes;
	bool full; /* no core is free on its nodes */
};

struct cs_promises { /* [n] to heads by the last decide; cap: allocated */
	size_t n, cap;
	struct cs_promise *promise;
	size_t n_sought, cap_sought;
	struct cs_sought *sought; /* in this decide (sought.c) */
};

struct cs_held_nodes { /* the host's reservation (resv.h) or forecast for a job
			   that its test places (forecast.c) */
	uint32_t id;   /* of the reservation; 0 */
	uint32_t job;  /* id of the job; 0 */
	uint32_t option;  /* the partition of the forecast */
	uint32_t flags;	  /* enum cs_reservation_flag */
	uint32_t delay_s; /* CS_RESV_LENDS */
	int64_t start_us, end_us;
	uint64_t *nodes;
	struct cs_alloc *cores;	    /* owned; NULL: whole nodes */
	uint64_t kinds[CS_CLASSES]; /* by slice machine: its node classes
				       (plan_class.c) */
};

/* Starts left to the host's own test (refused.c). */
struct cs_asks {
	int64_t since_us; /* start of the second */
	/* asked in it; of these, before their pause was over */
	int64_t n, early;
	bool over; /* a job was held back */
};

/*
 * The machine as one class of jobs sees it: all of it, in their time slices.  Without
 * slices there is one, for all jobs.
 */
struct cs_slice_machine {
	struct cs_occ now;   /* running, slice-suspended and proposed jobs */
	struct cs_slots *on; /* [n_node] those jobs */
	struct cs_endings endings; /* of those jobs */
	struct cs_queue queue;
	struct cs_promises heads;
	bool closed; /* the last pass ended at a head that no job may pass */
	struct cs_plan *plan;	/* backfill=conservative; else NULL */
	struct cs_stock *stock; /* backfill=stock; else NULL */
	bool stale;		/* promises must be remade */
	bool regroup;		/* ... and their classes of nodes */
	bool moved; /* since the plan was last brought up to date the end of a
		       proposed job has moved, or how a waiting one is placed
		       has changed (plan_tasks.c) */
	int64_t ahead_us;	/* less the host's: <= 0, it stops in others'
			     slices */
	int64_t serves_us;	/* it has the real machine from then (host's
			      clock) */
	bool guest;		/* the slice is not its own, ... */
	const uint64_t *usable; /* ... and so it may use these nodes; NULL: all */
};

/* Jobs that wait for their turn behind a head, in their order (order/passing.c). */
struct cs_passers {
	struct cs_passer *passer; /* [n] a heap, once it is sorted */
	size_t n, cap;
	int64_t tries;			/* in this walk */
	bool stopped;			/* a head stopped the present one */
	uint32_t last_job, last_option; /* where the last walk had to end; 0 */
};

/* How many entries of each partition a pass has counted (order/depth.c). */
struct cs_depth {
	struct cs_idmap partitions;   /* by number: index in count, plus 1 */
	struct cs_depth_count *count; /* [partitions.n] */
	size_t cap_count;
	uint64_t *beyond; /* [cap_beyond] words: set of the queue's entries */
	size_t cap_beyond;
};

/* The part of the machine that the current decide is about (engine/region.c). */
struct cs_region {
	bool on;	 /* it is not about the whole machine */
	uint64_t *nodes; /* node set; NULL: none yet */
	bool *meets; /* [cap_meets] by number of node set: has it nodes there? */
	size_t cap_meets;
	struct cs_entry *entry; /* [cap_entry] its part of the queue */
	size_t cap_entry;
	struct cs_promises heads; /* its own; in the decide, all others' */
	/* kept in the decide: of the slice machine, and of the engine */
	bool closed;
	uint32_t reservations;
	uint32_t last_job, last_option; /* of its passing */
};

struct cs_engine {
	struct cs_params params;
	struct cs_machine *machine;
	const struct cs_profiles *profiles;
	struct cs_profiles *no_profiles; /* owned, when none were given */
	struct cs_slowdown model;
	struct cs_lessons *lessons; /* job/lesson.h; learn=off: NULL */
	struct cs_crossed *crossed; /* job/crossing.h; no rule of sites: NULL */

	struct cs_slice_machine *sm; /* the current one: an element of ... */
	struct cs_slice_machine sms[CS_CLASSES]; /* [n_sm] */
	uint32_t n_sm;
	const struct cs_backfill_ops *backfill;
	const struct cs_slice_ops *slice;
	struct cs_slices *slices; /* slice=pect; else NULL */
	struct cs_turns *turns;	  /* slice=gang; else NULL */
	/* job/site_room.h; NULL: no rule of sites */
	struct cs_site_work *site_work;
	bool guests;	 /* the walk is for a slice machine not served now */
	uint64_t *stuck; /* node set: others' jobs cannot be stopped yet */
	const struct cs_place_ops *place;
	const struct cs_order_ops *order;
	cs_cmp_fn *order_cmp;		/* < 0: the first goes first */
	struct cs_campaigns *campaigns; /* order=ostrich; else NULL */
	struct cs_shifted *shifted;	/* order=shifted; else NULL */
	struct cs_list scratch;		/* cap is that of started */
	uint32_t layouts; /* counts changes that affect layouts; from 1 */
	struct cs_candidate *candidate; /* scratch of group_search.c */
	size_t cap_candidate;
	uint64_t *mask;	  /* scratch: node set */
	uint64_t *mask2;  /* scratch: node set */
	uint64_t *lines;  /* scratch: two sets of lines (struct cs_node) */
	uint64_t *waited; /* scratch: nodes that a waiting head may use */

	struct cs_ejob **slot; /* [n_slot], holes are NULL */
	uint32_t n_slot, cap_slot;
	uint32_t *hole; /* [n_hole] free slots */
	uint32_t n_hole, cap_hole;
	struct cs_idmap ids; /* jobs by id */
	struct cs_list waiting, started;
	uint32_t n_option; /* options of all jobs with an id */
	bool timers;	   /* a job may wait for an instant: see wakeup.c */
	bool limits;	   /* a started job's limit_dirty may be set */
	bool disbands;	   /* a started job's disbanded may be set */
	struct cs_slots speeds; /* jobs whose speed changed; cap is cap_slot */
	struct cs_speed *speed; /* [cap_slot] what the host was told */

	uint64_t **nodeset;		     /* [n_nodeset] */
	struct cs_node_sizes *nodeset_sizes; /* [n_nodeset] of their nodes */
	uint32_t n_nodeset, cap_nodeset;
	struct cs_set_full *full; /* [cap_full] by node set: cycle.c */
	size_t cap_full;

	struct cs_held_nodes *held; /* [n_held] */
	uint32_t n_held;
	uint32_t n_forecast; /* of them: the last ones */
	struct cs_asks asks;
	uint64_t *cut; /* node set: some cores are reserved; NULL: none yet */
	bool cuts;     /* it has nodes */
	struct cs_occ cut_now, cut_then; /* scratch of cs_resv_room() */
	struct cs_occ shared_room;	 /* scratch of cs_oversub_start() */

	struct cs_action *action; /* [n_action] of the last decide */
	size_t n_action, cap_action;
	uint32_t open;	  /* starts without an answer yet */
	uint32_t keepers; /* suspended jobs that keep cores */

	int64_t now_us;	    /* the latest time seen */
	uint64_t refreshes; /* counts changes of neighbours; from 1 */
	uint64_t epoch;	    /* counts changes that may free resources; from 1 */
	uint32_t next_seq;  /* from 1 */
	uint32_t next_group;
	bool changed;	  /* more has changed than the actions say */
	bool told_groups; /* the host named groups since the last decide */
	uint64_t changes; /* events and parts of decides */
	uint64_t decides, starts, pairs, refusals;
	struct cs_searches searches;
	struct cs_pledges pledges;
	int64_t steps; /* spent searching for partners in this decide */
	struct cs_gpu_mix gpu_mix; /* what jobs with GPUs asked for */
	struct cs_effort effort;   /* of the part of a decide that runs */
	struct cs_pass *pass;	   /* the walk that runs or has paused */
	uint64_t walks;	       /* decides that began at the head of the queue */
	size_t resume_at;      /* where in the queue this walk begins */
	struct cs_depth depth; /* scratch of order/depth.c */
	struct cs_passers passing;
	struct cs_region region;
	bool rescan;	  /* a new walk might find something else */
	bool turned_away; /* a job was, for its choice of nodes, since the walk
			     began at the head */
	uint32_t reservations; /* held by heads after the last decide */
};

/* jobtable.c; the rest of it is in jobtable.h */
struct cs_ejob *cs_engine_job(const struct cs_engine *e, uint32_t id);

/* @j's slice machine. */
static inline struct cs_slice_machine *cs_sm_of(const struct cs_engine *e,
						const struct cs_ejob *j)
{
	return (struct cs_slice_machine *)&e->sms[e->n_sm > 1 ? j->class : 0];
}
/* Its clock. */
static inline int64_t cs_sm_time(const struct cs_engine *e,
				 const struct cs_slice_machine *sm)
{
	return e->now_us + sm->ahead_us;
}
/* The host's clock when this one shows @at_us, by the predicted slices. */
static inline int64_t cs_sm_host_us(const struct cs_engine *e,
				    const struct cs_slice_machine *sm,
				    int64_t at_us)
{
	int64_t service_us = at_us - cs_sm_time(e, sm), wall;

	if (at_us == CS_TIME_NONE || !e->slice->wall_us)
		return at_us == CS_TIME_NONE ? at_us : at_us - sm->ahead_us;
	wall = e->slice->wall_us(e, sm, service_us > 0 ? service_us : 1);
	return wall == CS_TIME_NONE || service_us > 0 ? wall : wall - 1;
}
/* Does it have the real machine now? */
static inline bool cs_sm_serves(const struct cs_engine *e,
				const struct cs_slice_machine *sm)
{
	return e->now_us >= sm->serves_us;
}
/* Does the started job hold cores on its slice machine? */
static inline bool cs_sm_holds(const struct cs_ejob *j)
{
	return j->state != CS_SUSPENDED || j->whole;
}
/* Was it stopped by a slice, and gave its cores back? */
static inline bool cs_rests(const struct cs_engine *e, const struct cs_ejob *j)
{
	return j->state == CS_STOPPED && e->slice->rests;
}

static inline const uint64_t *cs_engine_set(const struct cs_engine *e,
					    const struct cs_job_partition *o)
{
	return e->nodeset[o->nodeset];
}

/* The node type that layouts in @o are made for (shape.h): its smallest; NULL: it has
 * none. */
static inline const struct cs_node *
cs_engine_like(const struct cs_engine *e, const struct cs_job_partition *o)
{
	const struct cs_node_sizes *s = &e->nodeset_sizes[o->nodeset];

	return s->n ? s->node[0] : NULL;
}

/* speeds.c */
void cs_speed_note(struct cs_engine *e, struct cs_ejob *j);
void cs_speed_forget(struct cs_engine *e, struct cs_ejob *j);

#endif
