/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine's own files share: its state.  Nobody else includes this.
 *
 *	engine.c	life, node sets
 *	event*.c	what happened
 *	lifecycle.c	jobs come and go; booking.c, proposal.c, keepers.c
 *	jobtable.c	the jobs: by id, waiting or started
 *	actions.c	what the decide at work returns
 *	query.c		questions: lists, figures, predictions
 *	wakeup.c	when the next decide may differ
 *	check.c		invariants
 *	group.c		who belongs together
 *	progress.c	how far running jobs are, when they end, their limits
 *	speeds.c	whose speed has changed
 *	order.c		who is next; compare.c, campaign_rank.c; queue.c: the queue
 *	refused.c	what the host has refused
 *	forecast.c	promises to those whom its own test places
 *	campaign*.c	jobs as campaigns of their users (OStrich)
 *	match.c		who may share with whom (Zeng09, 4.5 step 1)
 *	alone.c		the shape of a job by itself; crossing.c: what sites cost it
 *	site_room.c	room of the sites; site_ahead.c: when it would be split
 *	eligible.c	whose turn may come; limit.c: limits that follow a slowdown
 *	cycle.c		one decide: the queue against the machine
 *	easy.c		what a head is promised, who may pass it (EASY); endings.c, stays.c
 *	pect.c		time slices, one virtual machine a class; class_nodes.c
 *	slice_shares.c	how long each lasts
 *	plan.c		what everybody is promised (conservative)
 *	plan_*.c	... its parts (plan_parts.h)
 *	place.c		where one job of the queue starts, and with whom; all of place/
 *	explain*.c	why (explain.h)
 */
#ifndef CS_STATE_STATE_H
#define CS_STATE_STATE_H

#include "base/err.h"
#include "base/idmap.h"
#include "base/u128.h"
#include "model/action.h"
#include "model/event.h"
#include "model/layout.h"
#include "model/occupancy.h"
#include "params/params.h"
#include "profile/profile.h"
#include "profile/slowdown.h"
#include "state/actions.h"
#include "state/figures.h"
#include "state/stage.h"

#define CS_REFUSED_LIFE 30 /* of a refusal until changed, in retry_s */

enum cs_state {
	CS_WAITING,
	CS_PROPOSED,
	CS_RUNNING,
	CS_STOPPED,   /* by a time slice: it keeps its nodes for itself */
	CS_SUSPENDED, /* by the host: others may have its nodes */
};

/* Why a waiting job did not start in the last pass. */
enum cs_why {
	CS_WHY_NEW,	/* no pass has seen it */
	CS_WHY_BLOCKED, /* not for want of resources */
	CS_WHY_BEGIN,	/* its time has not come */
	CS_WHY_AFTER,	/* licences are in use; it may be planned */
	CS_WHY_REFUSED, /* the host refused its last start */
	CS_WHY_NEVER,	/* no machine of ours could hold it */
	CS_WHY_HEAD,	/* first that does not fit: it holds a reservation */
	CS_WHY_PLANNED, /* its promised start is still to come */
	CS_WHY_BEHIND,	/* behind a head: one of the two next (explain.c) */
	CS_WHY_NO_ROOM, /* behind a head, and no room anyway */
	CS_WHY_DELAYS,	/* there is room, but a head would start later */
	CS_WHY_DEPTH,	/* the pass did not come so far */
	CS_WHY_VIRTUAL, /* its campaign has not begun in the virtual schedule */
	CS_WHY_TURN,	/* enough were left to the host's test this second */
	CS_WHY_ROUND,	/* the pass ended before it; another follows at once */
};

struct cs_verdict {
	uint64_t walk; /* engine->walks when it was made */
	enum cs_why why;
	uint32_t option;  /* BEHIND, HEAD: the partition looked at */
	uint32_t head;	  /* job that it must not delay; 0: none */
	int64_t start_us; /* HEAD: start of its reservation, else NONE */
};

/* No site had room for a job, and its rule has it wait (backfill/site_ahead.c). */
struct cs_site_wait {
	uint64_t walk;	   /* engine->walks when that was found */
	int64_t single_us; /* the first start on one site; CS_TIME_NONE: never */
	int64_t single_end_us;
	uint32_t split; /* by a start then it would be over so many; 0: there was no
			   room for one */
	int64_t split_end_us;
};

/* A waiting job's part of a group: it stays while the job is not changed. */
struct cs_part {
	bool made;	 /* the rest holds, for ... */
	uint32_t option; /* ... that partition */
	bool any;	 /* it has one */
	struct cs_shape shape;
	double pace, self, bearable; /* as in struct cs_candidate */
};

#define CS_TURN_QUEUE INT64_MIN /* a turn by the place in the queue */

/* What a waiting job is promised; in struct cs_ejob. */
struct cs_planned {
	int64_t start_us, end_us; /* CS_TIME_NONE: nothing */
	int64_t turn_us; /* the promised start that it goes by when promises are
			    made anew, its own or another's; NONE: the last */
	uint32_t option; /* the partition it is promised in */
	uint32_t made;	 /* layouts this was made for; 0: none */
	bool late;    /* where it was refused: nothing (forecast.c, rule 6) */
	bool by_core; /* packed by rule 7 of alone.c, of its free will */
	struct cs_shape shape; /* alone */
	int64_t run_us;	       /* in that shape */
	uint32_t fragments; /* where sites count: it is promised over several (2, or the
			       fewest that ever hold it), or on one */
	int32_t *cores;	  /* [n_class] taken; NULL: none yet */
	uint32_t n_class; /* length of cores */
	uint64_t rank;	  /* scratch: place in the queue */
	bool out;	  /* scratch: it would no more wait */
};

struct cs_ejob {
	struct cs_job job; /* strings and options are owned, in `own` */
	void *own;
	uint32_t slot;	     /* in engine->slot */
	uint32_t pos;	     /* in engine->list[state == WAITING ? 0 : 1] */
	uint32_t speed;	     /* its place in engine->speeds + 1; 0: not there */
	bool queued;	     /* it stands in its virtual machine's queue */
	enum cs_class class; /* by its estimate when it came */
	int profile;	     /* index or CS_PROFILE_NONE */
	enum cs_state state;

	/* order=ostrich; campaign.c */
	struct cs_campaign *campaign; /* NULL: it was not free to start yet */
	cs_u128 work;		      /* that is counted for it there */
	uint32_t due; /* its place in campaigns.due + 1; 0: not there */
	int64_t mlpt_us; /* campaign_order=mlpt: start, from now, as mlpt.c deals it */

	/* What it was promised when it came (Zeng09, eq. 4); 0: nothing. */
	int64_t est_us, max_us;

	/* Waiting. */
	struct cs_verdict verdict;
	struct cs_site_wait site;
	uint64_t *reserved;	/* node set of its reservation, or NULL */
	struct cs_planned plan; /* its layout alone, and what conservative
				   backfilling promises it */
	struct cs_part part;
	struct cs_refusals *refusals; /* [n_option]; NULL: none */
	bool forecast;		      /* it holds nodes by forecast.c */
	bool asked;		      /* ... and the host is asked for one */
	uint32_t broken; /* times in a row that none came or came true */

	/* Proposed, running, suspended. */
	uint32_t seq;	 /* while a start, stop or resume is proposed */
	uint32_t master; /* proposed task of an array: id of the array's record */
	uint32_t needs; /* seq of a primary job's start, or of a stop */
	struct cs_alloc *alloc;
	bool keeps; /* suspended: it keeps those of its cores that nobody else
		       has; they are alloc then, packed, and what it comes
		       back to are these: */
	struct cs_alloc *whole; /* NULL: it holds none */
	enum cs_node_use whole_hold;
	uint32_t option;
	enum cs_node_use hold;
	bool placed_by_host;
	int64_t asked_us; /* its start was left to the host in the second of ... */
	bool asked_early;     /* ... asks.since_us, before its pause was over */
	uint32_t group;	      /* 0: none */
	struct cs_ejob *mate; /* the next of its group, in a ring; NULL: none */
	enum cs_role role;
	uint32_t partner_id; /* a partner's job id */
	int64_t retry_us; /* a stop or resume was refused: not again before; 0 */
	uint32_t disbanded; /* group that ended and was not reported yet; 0 */
	int64_t start_us;
	int64_t at_us;	    /* instant of the three below */
	int64_t ran_us;	    /* running time so far */
	int64_t done_us;    /* progress, in time of the estimate */
	double slowdown;    /* time an estimate's second takes now */
	double co_slowdown; /* coscheduling part of it */
	uint64_t refreshed; /* engine->refreshes when they were looked at */
	int64_t limit_us;   /* the host's, as last told or set */
	int64_t told_us;  /* limit that the host chose itself: none below; 0 */
	bool limit_dirty; /* the factor changed since it was set */
};

struct cs_slots { /* jobs on a node */
	uint32_t n, cap;
	uint32_t *slot;
};

struct cs_list { /* of jobs, in no order; ejob->pos is the way back */
	size_t n, cap;
	struct cs_ejob **job;
};

struct cs_entry { /* of the queue: a waiting job in one of its partitions */
	struct cs_ejob *job;
	uint32_t option;
};

struct cs_queue { /* entry [begin] to [end - 1]; the theory is in queue.c */
	struct cs_entry *entry; /* [cap] */
	size_t cap, begin, end;
	size_t sorted; /* those before it are in order */
};

struct cs_ending { /* when a job leaves its nodes */
	int64_t end_us;
	const struct cs_ejob *job;
};

struct cs_endings { /* [n] of a virtual machine's jobs; easy.c */
	/* the first are in order, as of the last time */
	uint32_t n, cap, sorted;
	uint32_t seen; /* the first are in all promises; the others just started */
	struct cs_ending *ending;
};

struct cs_campaign;
struct cs_campaigns;
struct cs_candidate;
struct cs_plan;
struct cs_promise;
struct cs_refusals;
struct cs_site_work;
struct cs_slices;

struct cs_promises { /* [n] to heads by the last decide; cap have their memory */
	size_t n, cap;
	struct cs_promise *promise;
};

struct cs_held_nodes { /* an advance reservation of the host (resv.h), or what it
			   forecast for a job of its own (forecast.c) */
	uint32_t id;   /* of the reservation; 0 */
	uint32_t job;  /* id of the job; 0 */
	uint32_t option;  /* the partition that it was forecast for */
	uint32_t flags;	  /* enum cs_reservation_flag */
	uint32_t delay_s; /* CS_RESV_LENDS */
	int64_t start_us, end_us;
	uint64_t *nodes;
	struct cs_alloc *cores;	    /* owned; NULL: whole nodes */
	uint64_t kinds[CS_CLASSES]; /* by virtual machine: classes of its plan
				       (plan_class.c) that it has nodes of */
};

/* Starts that the host's own test was asked for (refused.c). */
struct cs_asks {
	int64_t since_us; /* a second's */
	/* so many, so many of them before their pause was over */
	int64_t n, early;
	bool over; /* somebody was kept from it */
};

/*
 * The machine as the jobs of one class have it for themselves: the whole of it, in
 * their time slices.  Without slices there is one, for all jobs.
 */
struct cs_vm {
	struct cs_occ now;   /* running, slice-suspended and proposed jobs */
	struct cs_slots *on; /* [n_node] those jobs */
	struct cs_endings endings; /* of those jobs */
	struct cs_queue queue;
	struct cs_promises heads;
	bool closed; /* the last pass ended at a head that nobody may pass */
	struct cs_plan *plan; /* backfill=conservative; else NULL */
	bool stale;	      /* promises are to be made anew */
	bool regroup;	      /* ... and their classes of nodes */
	int64_t ahead_us; /* its clock less the host's: <= 0, it stands still
			     while others have their slices */
	int64_t serves_us; /* it has the real one from then on, on the host's clock */
	bool guest;	   /* the slice is not its own, ... */
	const uint64_t *usable; /* ... and so it may use these nodes; NULL: all */
};

struct cs_engine {
	struct cs_params params;
	struct cs_machine *machine;
	uint16_t most_threads; /* a core of any node */
	const struct cs_profiles *profiles;
	struct cs_profiles *no_profiles; /* owned, when none were given */
	struct cs_slowdown model;

	struct cs_vm *vm;	      /* the one at work: an element of ... */
	struct cs_vm vms[CS_CLASSES]; /* [n_vm] */
	uint32_t n_vm;
	const struct cs_backfill_ops *backfill;
	const struct cs_slice_ops *slice;
	struct cs_slices *slices; /* slice=pect; else NULL */
	/* job/site_room.h; NULL: no rule of sites */
	struct cs_site_work *site_work;
	bool guests; /* the walk is for jobs of a machine that is not served */
	uint64_t *stuck; /* node set: jobs of another slice run there, and cannot be
			    stopped before the host may be asked again; NULL */
	const struct cs_place_ops *place;
	const struct cs_order_ops *order;
	cs_cmp_fn *order_cmp; /* who is first: < 0 the first of the two */
	struct cs_campaigns *campaigns; /* order=ostrich; else NULL */
	struct cs_list scratch;		/* cap is that of started */
	uint32_t layouts; /* counts changes that layouts depend on; from 1 */
	struct cs_candidate *candidate; /* scratch of group_search.c */
	size_t cap_candidate;
	uint64_t *mask;	  /* scratch: node set */
	uint64_t *mask2;  /* scratch: node set */
	uint64_t *waited; /* scratch: nodes that some waiting head may use */

	struct cs_ejob **slot; /* [n_slot], holes are NULL */
	uint32_t n_slot, cap_slot;
	uint32_t *hole; /* [n_hole] slots to use again */
	uint32_t n_hole, cap_hole;
	struct cs_idmap ids; /* jobs by id */
	struct cs_list waiting, started;
	uint32_t n_option; /* of all jobs that have an id */
	bool timers;	   /* a waiting job may wait for a time: see wakeup.c */
	bool limits;	   /* a started job's limit_dirty may be set */
	bool disbands;	   /* a started job's disbanded may be set */
	struct cs_slots speeds; /* jobs whose speed changed; cap is cap_slot */
	struct cs_speed *speed; /* [cap_slot] what the host was told */

	uint64_t **nodeset;		     /* [n_nodeset] */
	const struct cs_node **nodeset_node; /* [n_nodeset] layout's node */
	uint32_t n_nodeset, cap_nodeset;

	struct cs_held_nodes *held; /* [n_held] */
	uint32_t n_held;
	uint32_t n_forecast; /* of them: the last ones */
	struct cs_asks asks;
	uint64_t *cut; /* node set: cores of them are reserved; NULL: never were */
	bool cuts;     /* it has nodes */
	struct cs_occ cut_now, cut_then; /* scratch of cs_pass_room() */

	struct cs_action *action; /* [n_action] of the last decide */
	size_t n_action, cap_action;
	uint32_t open;	  /* starts that the host has not answered */
	uint32_t keepers; /* suspended jobs that keep cores */

	int64_t now_us;	    /* the latest time seen */
	uint64_t refreshes; /* counts changes of neighbours; from 1 */
	uint64_t epoch;	    /* counts changes that may free resources; from 1 */
	uint32_t next_seq;  /* from 1 */
	uint32_t next_group;
	bool changed;	  /* the decide has, beside its actions */
	bool told_groups; /* the host told of some since the last decide */
	uint64_t decides, starts, pairs, refusals;
	struct cs_searches searches;
	int64_t steps;	  /* of searches for partners in this decide */
	uint64_t walks;	  /* decides that began at the head of the queue */
	size_t resume_at; /* where in the queue this one begins */
	bool rescan;	  /* the last walk might find something else now */
	bool turned_away; /* somebody was, since the walk began at the head, for
			     the nodes that he would have got */
	uint32_t reservations; /* held by heads after the last decide */
};

/* jobtable.c; the rest of it is in jobtable.h */
struct cs_ejob *cs_engine_job(const struct cs_engine *e, uint32_t id);

/* The virtual machine that @j runs on. */
static inline struct cs_vm *cs_vm_of(const struct cs_engine *e,
				     const struct cs_ejob *j)
{
	return (struct cs_vm *)&e->vms[e->n_vm > 1 ? j->class : 0];
}
/* What its clock shows. */
static inline int64_t cs_vm_time(const struct cs_engine *e,
				 const struct cs_vm *vm)
{
	return e->now_us + vm->ahead_us;
}
/* When its clock shows @at_us, on the host's: as its slices are predicted to serve it. */
static inline int64_t cs_vm_host_us(const struct cs_engine *e,
				    const struct cs_vm *vm, int64_t at_us)
{
	int64_t service_us = at_us - cs_vm_time(e, vm), wall;

	if (at_us == CS_TIME_NONE || !e->slice->wall_us)
		return at_us == CS_TIME_NONE ? at_us : at_us - vm->ahead_us;
	wall = e->slice->wall_us(e, vm, service_us > 0 ? service_us : 1);
	return wall == CS_TIME_NONE || service_us > 0 ? wall : wall - 1;
}
/* Has it the real machine now? */
static inline bool cs_vm_serves(const struct cs_engine *e,
				const struct cs_vm *vm)
{
	return e->now_us >= vm->serves_us;
}
/* Does the started job hold cores of its virtual machine? */
static inline bool cs_vm_holds(const struct cs_ejob *j)
{
	return j->state != CS_SUSPENDED || j->whole;
}

static inline const uint64_t *cs_engine_set(const struct cs_engine *e,
					    const struct cs_job_partition *o)
{
	return e->nodeset[o->nodeset];
}
/* Waiting, and not an array whose last task has been proposed. */
static inline bool cs_waits(const struct cs_ejob *j)
{
	return j->state == CS_WAITING && j->job.tasks;
}
/* A task of an array that has no id of its own yet goes by the array's. */
static inline struct cs_who cs_who_is(const struct cs_ejob *j)
{
	return (struct cs_who){ j->profile, j->job.id ? j->job.id : j->master };
}
static inline uint32_t cs_job_flags(const struct cs_ejob *j, uint32_t option)
{
	return j->job.flags | j->job.option[option].flags;
}
/* By id; tasks of an array that have no id of their own yet, by seq. */
static inline int cs_ejob_cmp(const struct cs_ejob *a, const struct cs_ejob *b)
{
	if (a->job.id != b->job.id)
		return a->job.id < b->job.id ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* group.c */
/* The next of @j's group behind @x, until it has been round: NULL.  The first is
 * @j itself, also where it is in none. */
static inline struct cs_ejob *cs_group_next(const struct cs_ejob *j,
					    const struct cs_ejob *x)
{
	return x->mate == j ? NULL : x->mate;
}
/* Started job @j comes to the group of @member as @role, beside job @with; NULL:
 * to a new one.  O(members). */
void cs_group_enter(struct cs_engine *e, struct cs_ejob *j, enum cs_role role,
		    struct cs_ejob *member, uint32_t with);
/* The same for a job that runs already: say so.  0, -ENOMEM. */
int cs_group_join(struct cs_engine *e, struct cs_ejob *j, enum cs_role role,
		  struct cs_ejob *member, uint32_t with);
/* The host told that @j is in @group.  O(started jobs). */
void cs_group_told(struct cs_engine *e, struct cs_ejob *j, uint32_t group,
		   enum cs_role role);
/* @j leaves its group, if it is in one, and disbands it where rule 2 says so;
 * @note: say so in the next decide.  O(members). */
void cs_group_leave(struct cs_engine *e, struct cs_ejob *j, bool note);
/* Disband the group of @j, if it is in one, where rule 2 says so. */
void cs_group_settle(struct cs_engine *e, struct cs_ejob *j, bool note);
/* Actions about groups that have ended since the last decide.  0, -ENOMEM */
int cs_group_notes(struct cs_engine *e);

/* progress.c */
void cs_progress_bring(struct cs_ejob *j, int64_t now_us);
/* Time that a second of @j's estimate takes at @procs processes a node on nodes
 * like @node, beside neighbours that slow it down by @cos. */
double cs_progress_factor(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t procs, const struct cs_node *node,
			  double cos);
/* Self slowdown of the same layout (Zeng09's SL_self). */
double cs_progress_self(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t procs, const struct cs_node *node);
/* The factor that running job @j would have at a coscheduling slowdown of @cos. */
double cs_progress_beside(const struct cs_engine *e, const struct cs_ejob *j,
			  double cos);
/* Predicted end of a running job, perhaps past. */
int64_t cs_progress_rest_end_us(const struct cs_engine *e,
				const struct cs_ejob *j);
/* The same, not before now; for a suspended one, as if it went on now. */
int64_t cs_progress_end_us(const struct cs_engine *e, const struct cs_ejob *j);
/* Recompute the factor of a job whose neighbours may have changed. */
void cs_progress_refresh(struct cs_engine *e, struct cs_ejob *j);
/* The same for the jobs on the nodes of @a after a change there. */
void cs_progress_neighbours(struct cs_engine *e, const struct cs_alloc *a);
/* The limit that lets @j end as predicted; never below its estimate's rest. */
int64_t cs_progress_limit_us(const struct cs_engine *e,
			     const struct cs_ejob *j);

/* speeds.c */
void cs_speed_note(struct cs_engine *e, struct cs_ejob *j);
void cs_speed_forget(struct cs_engine *e, struct cs_ejob *j);

/* queue.c, order.c */
/* Room in the queues for @options more than those of all jobs: adding never
 * fails.  0, -ENOMEM. */
int cs_order_reserve(struct cs_engine *e, uint32_t options);
/* @j begins to wait, if it is not there already and no task of an array that is
 * there; has ceased to, or is about to change. */
void cs_order_add(struct cs_engine *e, struct cs_ejob *j);
void cs_order_drop(struct cs_engine *e, struct cs_ejob *j);

/* endings.c */
/* Room for the ends of @jobs jobs.  0, -ENOMEM. */
int cs_endings_reserve(struct cs_engine *e, size_t jobs);
/* @j got, or gives back, its nodes on the virtual machine at work. */
void cs_endings_add(struct cs_engine *e, const struct cs_ejob *j);
void cs_endings_remove(struct cs_engine *e, const struct cs_ejob *j);

/* Does share_scope say who may stand beside whom? */
static inline bool cs_scoped(const struct cs_engine *e)
{
	return e->params.share_scope != CS_SCOPE_ANY;
}

/* match.c */
enum cs_match {
	CS_MATCH_OK,
	CS_MATCH_UNWILLING, /* share=no, exclusive, packed, placed by the host */
	CS_MATCH_SCOPE,	    /* another user or account */
	CS_MATCH_SHORT,	    /* below share_min_s */
	CS_MATCH_UNKNOWN,   /* no profile */
	CS_MATCH_SLOWDOWN,  /* more than max_slowdown, either way */
	CS_MATCH_LIMIT,	    /* its limit cannot be raised so far */
	CS_MATCH_GROUP,	    /* it is in a group already */
	CS_MATCH_LAYOUT,    /* a layout that leaves no cores to a partner */
	CS_MATCH_SIZE,	    /* too large for its partner's nodes */
	CS_MATCH_ROOM,	    /* no room beside it: cores, memory, jobs a node */
	CS_MATCH_GAIN,	    /* below min_util_gain */
};
/* May @j share at all, in that partition? */
enum cs_match cs_match_willing(const struct cs_engine *e,
			       const struct cs_ejob *j, uint32_t option);
/* Is it packed by core: place=pack, layout=auto, or unprofiled=pack without a profile? */
bool cs_is_packed(const struct cs_engine *e, const struct cs_ejob *j);
/* Does it share by core, as packed jobs do, also in a group? */
static inline bool cs_shares_packed(const struct cs_engine *e)
{
	return e->params.layout == CS_LAYOUT_AUTO;
}
/* What a job in a group holds its nodes as. */
static inline enum cs_node_use cs_group_hold(const struct cs_engine *e)
{
	return cs_shares_packed(e) ? CS_NODE_PACKED : CS_NODE_COUNTED;
}
/* Whom packed job @j may stand beside by share_scope or as the owner of its nodes:
 * those of the same number; 0: anybody without one. */
uint64_t cs_match_owner(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option);
/* A job's part of a node in a group, of nodes like @node (cs_shape_shared()). */
bool cs_match_part(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, const struct cs_node *node,
		   struct cs_shape *s);
/* Would waiting job @j, packed, suit those on @node and they it (match.c, rule 5)?
 * O(jobs on it, squared). */
bool cs_match_suits_node(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t node);
/* May the two share, and do they slow each other little enough?  (step 1) */
enum cs_match cs_match_pair(const struct cs_engine *e, const struct cs_ejob *a,
			    uint32_t a_option, const struct cs_ejob *b,
			    uint32_t b_option);

/* cycle.c: what a walk leaves behind */
/* Are there steps left for searches (search_steps)? */
static inline bool cs_may_search(const struct cs_engine *e)
{
	return !e->params.search_steps || e->steps < e->params.search_steps;
}
/* What the last walk found about @j; CS_WHY_NEW where it did not see it. */
static inline enum cs_why cs_pass_why(const struct cs_engine *e,
				      const struct cs_ejob *j)
{
	return j->verdict.walk == e->walks ? j->verdict.why : CS_WHY_NEW;
}
/* Is it promised a start? */
static inline bool cs_pass_promised(const struct cs_engine *e,
				    const struct cs_ejob *j)
{
	enum cs_why why = cs_pass_why(e, j);

	return why == CS_WHY_HEAD || why == CS_WHY_PLANNED ||
	       why == CS_WHY_AFTER;
}
/* Propose a start alone on @a, laid out as @s.  Takes ownership of @a, also on
 * error.  1, -ENOMEM. */
int cs_start_on(struct cs_engine *e, const struct cs_entry *entry,
		const struct cs_shape *s, struct cs_alloc *a, uint32_t rule,
		double gain);
/* Fill the START action of a job that was just proposed. */
int cs_start_action(struct cs_engine *e, struct cs_ejob *j, uint32_t rule,
		    double gain);

#endif
