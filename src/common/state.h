/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine's own files share: its state.  Nobody else includes this.
 *
 *	engine.c	life cycle, events
 *	jobtable.c	the jobs: by id, waiting or started
 *	ask.c		questions: lists, figures, invariants
 *	group.c		who belongs together
 *	progress.c	how far running jobs are, when they end, their limits
 *	order.c		the queue
 *	match.c		who may share with whom (000, 4.5 step 1)
 *	pass.c		one decide: the queue against the machine
 *	backfill.c	what a head is promised, who may pass it
 *	place_*.c	where one job of the queue starts, and with whom
 *	explain.c	why
 */
#ifndef CS_STATE_H
#define CS_STATE_H

#include "engine.h"
#include "layout.h"
#include "occupancy.h"
#include "slowdown.h"

#define CS_BESIDE_MAX 64 /* neighbours that count in a slowdown */

enum cs_state { CS_WAITING, CS_PROPOSED, CS_RUNNING, CS_SUSPENDED };

/* Why a waiting job did not start in the last pass. */
enum cs_why {
	CS_WHY_NEW,	/* no pass has seen it */
	CS_WHY_BLOCKED, /* not for want of resources */
	CS_WHY_BEGIN,	/* its time has not come */
	CS_WHY_REFUSED, /* the host refused its last start */
	CS_WHY_NEVER,	/* no machine of ours could hold it */
	CS_WHY_HEAD,	/* first that does not fit: it holds a reservation */
	CS_WHY_NO_ROOM, /* behind a head, and no room anyway */
	CS_WHY_DELAYS,	/* there is room, but a head would start later */
	CS_WHY_DEPTH,	/* the pass did not come so far */
	CS_WHY_ROUND,	/* the pass ended before it; another follows at once */
};

struct cs_verdict {
	enum cs_why why;
	uint32_t head;	/* job that it must not delay; 0: none */
	uint32_t nodes; /* HEAD, NO_ROOM: nodes that it needs ... */
	uint32_t room;	/* ... and those it could use now */
	int64_t start_us; /* HEAD: start of its reservation, else NONE */
};

struct cs_ejob {
	struct cs_job job; /* strings and options are owned, in `own` */
	void *own;
	uint32_t slot; /* in engine->slot */
	uint32_t pos;  /* in engine->list[state == WAITING ? 0 : 1] */
	int profile;   /* index or CS_PROFILE_NONE */
	enum cs_state state;

	/* Waiting. */
	struct cs_verdict verdict;
	uint64_t *reserved;	/* node set of its reservation, or NULL */
	int64_t retry_us;	/* after a timed refusal; 0: none */
	uint64_t refused_epoch; /* engine->epoch at a refusal until changed; 0 */
	char refused[96];	/* what the host said */

	/* Proposed, running, suspended. */
	uint32_t seq;	 /* while proposed */
	uint32_t master; /* proposed task of an array: id of the array's record */
	uint32_t needs;	 /* seq of the primary job's start */
	struct cs_alloc *alloc;
	uint32_t option;
	enum cs_hold hold;
	bool placed_by_host;
	uint32_t group; /* 0: none */
	enum cs_role role;
	uint32_t with;	    /* a partner's job id */
	uint32_t disbanded; /* group that ended and was not reported yet; 0 */
	int64_t start_us;
	int64_t at_us;	   /* instant of the three below */
	int64_t ran_us;	   /* running time so far */
	int64_t done_us;   /* progress, in time of the estimate */
	double factor;	   /* time an estimate's second takes now */
	double cos;	   /* coscheduling part of it */
	int64_t limit_us;  /* the host's, as last told or set */
	int64_t told_us;   /* limit that the host chose itself: none below; 0 */
	bool limit_dirty;  /* the factor changed since it was set */
};

struct cs_slots { /* jobs on a node */
	uint32_t n, cap;
	uint32_t *slot;
};

struct cs_list { /* of jobs, in no order; ejob->pos is the way back */
	size_t n, cap;
	struct cs_ejob **job;
};

struct cs_held_nodes { /* an advance reservation of the host */
	uint32_t id;
	int64_t start_us, end_us;
	uint64_t *nodes;
};

struct cs_engine {
	struct cs_params params;
	struct cs_machine *machine;
	const struct cs_profiles *profiles;
	struct cs_profiles *no_profiles; /* owned, when none were given */
	struct cs_slowdown model;

	struct cs_occ now;	    /* running, suspended and proposed jobs */
	struct cs_slots *on;	    /* [n_node] unsuspended jobs */
	uint64_t *mask;		    /* scratch: node set */
	uint64_t *mask2;	    /* scratch: node set */

	struct cs_ejob **slot; /* [n_slot], holes are NULL */
	uint32_t n_slot, cap_slot;
	uint32_t *hole; /* [n_hole] slots to use again */
	uint32_t n_hole, cap_hole;
	uint32_t *hash; /* [cap_hash] slot + 1 by job id; 0: free */
	uint32_t cap_hash, n_hash;
	struct cs_list waiting, started;

	uint64_t **nodeset; /* [n_nodeset] */
	const struct cs_node **nodeset_node; /* [n_nodeset] layout's node */
	uint32_t n_nodeset, cap_nodeset;

	struct cs_held_nodes *held; /* [n_held] */
	uint32_t n_held;

	struct cs_action *action; /* [n_action] of the last decide */
	size_t n_action, cap_action;
	uint32_t open; /* starts that the host has not answered */

	int64_t now_us;	    /* the latest time seen */
	uint64_t epoch;	    /* counts changes that may free resources; from 1 */
	uint32_t next_seq;  /* from 1 */
	uint32_t next_group;
	bool told_groups; /* the host told of some since the last decide */
	uint64_t decides, starts, pairs, refusals;
	uint32_t reservations; /* held by heads after the last decide */
};

/* jobtable.c; the rest of it is in jobtable.h */
struct cs_ejob *cs_engine_job(const struct cs_engine *e, uint32_t id);

/* engine.c */
struct cs_action *cs_engine_action(struct cs_engine *e,
				   enum cs_action_type type);
static inline const uint64_t *cs_engine_set(const struct cs_engine *e,
					    const struct cs_job_option *o)
{
	return e->nodeset[o->nodeset];
}
/* Waiting, and not an array whose last task has been proposed. */
static inline bool cs_waits(const struct cs_ejob *j)
{
	return j->state == CS_WAITING && j->job.tasks;
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
/* Book or unbook a job's allocation on the machine (proposed, running). */
int cs_engine_book(struct cs_engine *e, struct cs_ejob *j);
void cs_engine_unbook(struct cs_engine *e, struct cs_ejob *j);
/* A proposed start: @j, or a task split off where it is an array, moves from
 * waiting to proposed.  Takes ownership of @a, also on error.  NULL: no memory. */
struct cs_ejob *cs_engine_propose(struct cs_engine *e, struct cs_ejob *j,
				  uint32_t option, struct cs_alloc *a,
				  enum cs_hold hold);

/* group.c */
/* A member of @group has gone: disband it where rule 2 says so; @note: say so in
 * the next decide. */
void cs_group_left(struct cs_engine *e, uint32_t group, bool note);
/* Actions about groups that have ended since the last decide.  0, -ENOMEM */
int cs_group_notes(struct cs_engine *e);

/* progress.c */
void cs_progress_bring(struct cs_ejob *j, int64_t now_us);
/* Time that a second of @j's estimate takes at @procs processes a node on nodes
 * like @node, beside neighbours that slow it down by @cos. */
double cs_progress_factor(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t procs, const struct cs_node *node,
			  double cos);
/* Self slowdown of the same layout (000's SL_self). */
double cs_progress_self(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t procs, const struct cs_node *node);
/* The factor that running job @j would have at a coscheduling slowdown of @cos. */
double cs_progress_beside(const struct cs_engine *e, const struct cs_ejob *j,
			  double cos);
/* Predicted end of a running job; for a suspended one, as if it went on now. */
int64_t cs_progress_end_us(const struct cs_engine *e, const struct cs_ejob *j);
/* Recompute factors of the jobs on the nodes of @a after a change there. */
void cs_progress_neighbours(struct cs_engine *e, const struct cs_alloc *a);
/* The limit that lets @j end as predicted; never below its estimate's rest. */
int64_t cs_progress_limit_us(const struct cs_engine *e,
			     const struct cs_ejob *j);
/* @us stretched by @factor, rounded up. */
int64_t cs_stretch_us(int64_t us, double factor);

/* order.c */
struct cs_entry {
	struct cs_ejob *job;
	uint32_t option;
};
/* The queue: an entry for each waiting job and partition, in order.  NULL with
 * *ret_n 0 where it is empty; *ret_nomem.  The caller frees it. */
struct cs_entry *cs_order_queue(const struct cs_engine *e, size_t *ret_n,
				bool *ret_nomem);

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
/* May the two share, and do they slow each other little enough?  (step 1) */
enum cs_match cs_match_pair(const struct cs_engine *e, const struct cs_ejob *a,
			    uint32_t a_option, const struct cs_ejob *b,
			    uint32_t b_option);
const char *cs_match_text(enum cs_match m);

/* pass.c */
struct cs_pass;
/* The queue behind the entry that is being placed. */
struct cs_engine *cs_pass_engine(const struct cs_pass *p);
const struct cs_entry *cs_pass_behind(const struct cs_pass *p, size_t *ret_n);
/* Running jobs with room beside them, least delayed first (join.h); the pass
 * keeps them until the next start.  NULL: no memory. */
struct cs_ejob **cs_pass_joinable(struct cs_pass *p, size_t *ret_n);
/* Does a start on @a until @end_us leave every reservation as it is?  In
 * backfilling; true for a head. */
bool cs_pass_leaves(struct cs_pass *p, const struct cs_alloc *a,
		    enum cs_hold hold, int64_t end_us);
/* The same for a start on @a beside running jobs, whose ends move: @moved [n]
 * are those jobs, @end_us [n] when they would end. */
bool cs_pass_leaves_moved(struct cs_pass *p, const struct cs_alloc *a,
			  int64_t a_end_us, struct cs_ejob *const *moved,
			  const int64_t *end_us, size_t n);
/* Whether the entry being placed is a head (else it backfills). */
bool cs_pass_head(const struct cs_pass *p);
/* Nodes the job may use if it starts at @from_us and runs @run_us: of its
 * partition, not reserved by the host in that time.  Into @mask. */
void cs_pass_nodes(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, int64_t from_us, int64_t run_us,
		   uint64_t *mask);

/* place_*.c.  A placing function starts the job of an entry, perhaps with
 * others: 1 it did, 0 it cannot now, -ENOMEM. */
typedef int cs_place_fn(struct cs_pass *p, const struct cs_entry *entry);
cs_place_fn cs_place_alone, cs_place_pair;

/* The shape that the job has when nobody is beside it, and the rule it comes
 * from; false: it cannot run on such nodes. */
bool cs_alone_shape(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s);
/* Propose a start alone with shape @s; @rule as in cs_action. */
int cs_start_alone(struct cs_pass *p, const struct cs_entry *entry,
		   const struct cs_shape *s, uint32_t rule, double gain);
/* Fill the START action of a job that was just proposed. */
int cs_start_action(struct cs_engine *e, struct cs_ejob *j, uint32_t rule,
		    double gain);
bool cs_is_packed(const struct cs_engine *e, const struct cs_ejob *j);

#endif
