/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine: fed events, asked for decisions.
 *
 * It owns the queue, the picture of the machine and every policy's state; the
 * host (a simulator, a plugin in slurmctld) owns the clock and the jobs.
 *
 *	cs_engine_create(...)
 *	loop:	cs_engine_event(...)		what happened
 *		cs_engine_decide(...)		actions, which the host applies one
 *						by one in their order
 *		cs_engine_event(CS_EV_STARTED or CS_EV_REFUSED) for each start
 *
 * Propose, then confirm: a start that was decided holds its cores until the host
 * answers, and every start must be answered before the next decide.  An action
 * whose `needs` was refused must not be applied: answer CS_REFUSED_GROUP.
 *
 * Deterministic: same events, parameters and seed give the same actions.  Time
 * is an argument, int64 microseconds of any origin, and never goes back: an
 * earlier one counts as the latest seen.  A decide that returns no action need
 * not be recorded for a replay, unless it says `changed`.
 *
 * Not thread safe; one engine, one caller at a time.
 */
#ifndef CS_ENGINE_ENGINE_H
#define CS_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/job.h"
#include "model/machine.h"
#include "params/params.h"
#include "profile/profile.h"

struct cs_engine;

enum cs_event_type {
	CS_EV_SUBMIT,	   /* job: a waiting job, or one to be STARTED at once */
	CS_EV_CHANGE,	   /* job: a waiting job's new description */
	CS_EV_CANCEL,	   /* job_id: a waiting job is gone */
	CS_EV_STARTED,	   /* start: confirms seq, or (seq 0) tells of a job that
			      the host started or that ran before we came */
	CS_EV_REFUSED,	   /* refused: the host could not do what was proposed */
	CS_EV_FINISH,	   /* job_id: a running or suspended job has ended */
	CS_EV_REQUEUE,	   /* job_id: a running job waits again, as described */
	CS_EV_SUSPEND,	   /* job_id: the host stopped it: cores free, memory held;
			      `keeps`: cores free for those alone whom the host
			      puts there */
	CS_EV_RESUME,	   /* job_id: it goes on, on its cores */
	CS_EV_LIMIT,	   /* limit: the host changed a running job's limit */
	CS_EV_NODE,	   /* node: may it be used for a start? */
	CS_EV_RESERVATION, /* reservation: made, changed or (n = 0) gone */
	CS_EV_KEPT,	   /* kept: a line of cs_engine_keep() */
	CS_EV_TICK,	   /* nothing but time, or what the engine does not have
			      has freed something */
};

enum cs_refused {
	CS_REFUSED_CHANGED, /* not again before something of the job or of the
			       nodes changed, or 30 times retry_s passed: the
			       host may know of changes that we do not see */
	CS_REFUSED_TIMED,   /* again after a pause (refused.c), from retry_s on */
	CS_REFUSED_PLACE,   /* the host does not take those nodes or cores, or finds
			       none: again after such a pause, or when something
			       has changed; see refused.c */
	CS_REFUSED_LIMIT,   /* what the host counts is used up (limits, licences):
			       as TIMED, or when something has changed */
	CS_REFUSED_GROUP,   /* the action it needs was refused; again at once */
};

enum cs_role { CS_ROLE_NONE, CS_ROLE_PRIMARY, CS_ROLE_MATCHED };

struct cs_started {
	uint32_t seq;	   /* of the action, or 0 */
	uint32_t job_id;   /* the job; of an array, the new id of the task */
	uint32_t array_id; /* the id it was proposed under, if another; else 0 */
	uint32_t option;   /* index of the partition it runs in */
	int64_t start_us;
	int64_t limit_us;	      /* as the host has it now */
	const struct cs_alloc *alloc; /* what it really got; copied */
	bool packed; /* by core beside others of its kind; seq 0 only */
	/* Known again after a restart of the host, else 0: */
	uint32_t group;
	enum cs_role role;
	int64_t done_us; /* progress, in time of the estimate, ... */
	int64_t at_us;	 /* ... at that instant */
	int64_t ran_us;	 /* running time until then; 0: all since start_us */
	double factor;	 /* what a second of it took from then on; 0: one */
};

/* What the host itself predicts for a job that it could not start. */
struct cs_forecast {
	int64_t start_us;
	uint32_t n; /* > 0 */
	const uint32_t *node; /* [n] indexes, increasing */
};

/* What a reservation of the host is; resv.h tells what follows from it. */
enum cs_reservation_flag {
	CS_RESV_MAINT = 1 << 0,	  /* its jobs run whatever else is reserved */
	CS_RESV_OVERLAP = 1 << 1, /* ... but for what is for maintenance */
	CS_RESV_FLEX = 1 << 2,	  /* its jobs may be elsewhere, at other times */
	CS_RESV_FLOAT = 1 << 3,	  /* start_us and end_us count from now, always */
	CS_RESV_ALL = 1 << 4,	  /* for nobody at all: such nodes are away */
	CS_RESV_TAKEN = 1 << 5,	  /* ... but for CS_JOB_SHARES_CORES: jobs hold
				     them that the engine does not have */
	CS_RESV_LENDS = 1 << 6,	  /* its jobs may wait delay_s seconds: until then
				     CS_JOB_BORROWS may go */
};

struct cs_reservation {
	uint32_t id;	/* > 0 */
	uint32_t n;	/* nodes; 0: the reservation is gone */
	const uint32_t *node; /* [n] indexes, increasing */
	int64_t start_us, end_us;
	uint32_t flags; /* enum cs_reservation_flag */
	uint32_t delay_s; /* CS_RESV_LENDS */
	const struct cs_alloc *cores; /* of those nodes (of which the rest says
					 nothing); NULL: whole nodes */
};

struct cs_event {
	enum cs_event_type type;
	bool keeps; /* SUSPEND */
	bool freed; /* TICK: a job has ended that the engine does not have */
	int64_t t_us;
	union {
		const struct cs_job *job; /* SUBMIT, CHANGE, REQUEUE */
		uint32_t job_id;	  /* CANCEL, FINISH, SUSPEND, RESUME */
		const struct cs_started *start;
		struct {
			uint32_t seq;
			enum cs_refused class;
			const char *why; /* for explain and the log */
			const struct cs_forecast *forecast; /* where a
					     HOST_START asked for it, or NULL */
		} refused;
		struct {
			uint32_t job_id;
			int64_t limit_us;
		} limit;
		struct {
			uint32_t index;
			bool up;
			const char *why;
		} node;
		const struct cs_reservation *reservation;
		const char *kept; /* before the first job; the jobs that it
				     tells of are submitted at the same t_us,
				     later they are gone */
	};
};

enum cs_action_type {
	CS_ACT_START,	   /* start on exactly these nodes and cores */
	CS_ACT_HOST_START, /* let the host's own test place it, on no other than
			      the nodes of alloc (whose cores say nothing).  Of
			      several in a row one starts: answer those behind it
			      CS_REFUSED_GROUP */
	CS_ACT_LIMIT,	   /* give a running job this limit */
	CS_ACT_JOINED,	   /* a running job is in a group now; nothing to apply */
	CS_ACT_DISBAND,	   /* a group is no more; nothing to apply */
	CS_ACT_SUSPEND,	   /* stop a running job until its RESUME; answered by
			      CS_EV_SUSPEND or CS_EV_REFUSED */
	CS_ACT_RESUME,	   /* let it go on, on its cores; answered by
			      CS_EV_RESUME or CS_EV_REFUSED */
	CS_ACT_SLICE,	   /* a time slice begins; nothing to apply */
};

/*
 * Pointers are the engine's and hold until the next event or decide.
 */
struct cs_action {
	enum cs_action_type type;
	uint32_t seq;	/* > 0, of this action; 0 where no answer is wanted */
	uint32_t needs; /* seq of a start or stop that must have been confirmed;
			   0: none */
	uint32_t job_id;
	uint32_t option;	      /* index into the job's options */
	const struct cs_alloc *alloc; /* START, HOST_START */
	uint32_t procs_per_node;      /* most on any of its nodes */
	int64_t limit_us;	      /* START, LIMIT: the limit to set; START: 0
					 where it stays as it is */
	uint32_t group;		      /* 0: none */
	enum cs_role role;
	uint32_t with; /* job id of the primary job (for a primary, of the first
			  matched one); 0: none */
	bool packed;   /* by core, outside the jobs_per_node count (small=pack) */
	bool ask;      /* HOST_START: refused, it should have a forecast */
	uint32_t rule; /* 000's case 1 to 5 of section 4.4; 0: another rule */
	double slowdown; /* of the job there: self times coscheduling, over the
			    one its estimate holds for */
	double beside;	 /* START, LIMIT: the coscheduling part of it */
	double gain;	 /* utilisation gain of the decision (000, eq. 6) */
	int64_t credit_us; /* DISBAND: what sharing cost this job so far */
	uint64_t campaign; /* START with order=ostrich: its number among all; 0 */
	int64_t virtual_us; /* ... when it ends virtually, as projected */
	double service, finish; /* ... V, and F of it: its rank; in core
				   seconds to a user of weight 1e6 */
	uint32_t slice;	   /* SLICE: enum cs_class */
	int64_t until_us;  /* SLICE: when it ends at the latest */
};

struct cs_actions {
	size_t n;
	const struct cs_action *action; /* [n] */
	bool changed; /* what later decides say may depend on this one, even
			 with n = 0: promises were made or moved */
};

/*
 * Everything is copied; @profiles may be NULL.  Returns NULL with @err set:
 * no memory, or a parameter that does not fit the machine.
 */
struct cs_engine *cs_engine_create(const struct cs_params *params,
				   const struct cs_machine *machine,
				   const struct cs_profiles *profiles,
				   struct cs_err *err);
void cs_engine_free(struct cs_engine *e);

/*
 * Number of the node set @set (cs_node_words() words): the same set has the same
 * number.  Sets live as long as the engine.  Returns a negative errno on error.
 * O(nodes / 64) and a hash.
 */
int64_t cs_engine_nodeset(struct cs_engine *e, const uint64_t *set);

/*
 * Tell the engine what happened.  0; -ENOENT: a job, node or seq that it does
 * not know; -EEXIST: a job that it knows; -EINVAL: an event out of place or
 * range, a core that somebody else holds; -ENOMEM.  On any of these the engine is
 * as before: a host that sees one has another picture than the engine and should
 * build it anew.
 * Cost: O(1) and what the job holds.
 */
int cs_engine_event(struct cs_engine *e, const struct cs_event *ev,
		    struct cs_err *err);

/* Is @a on the machine, and no core of it somebody's?  A job that the host runs there
 * would be taken, then, as STARTED.  O(nodes of @a). */
bool cs_engine_has_room(const struct cs_engine *e, const struct cs_alloc *a);
/* Add to the node set @ret_nodes those of @a on which it has a core that no job
 * holds.  O(nodes of @a). */
void cs_engine_unheld(const struct cs_engine *e, const struct cs_alloc *a,
		      uint64_t *ret_nodes);

/*
 * Decide what to do at @now_us.  0; -EBUSY: a start is still unanswered;
 * -ENOMEM (nothing was decided).  *ret is the engine's.  A pass may stop early
 * (behind a HOST_START): call it again until it returns no action.
 */
int cs_engine_decide(struct cs_engine *e, int64_t now_us,
		     struct cs_actions *ret);

/* Next instant at which a decide may differ though nothing happened;
 * CS_TIME_NONE: none. */
int64_t cs_engine_next_wakeup_us(const struct cs_engine *e);

/* How jobs are called to who asks. */
struct cs_audience {
	/* Write the name of job @id ("job 12" stands in @buf; size > 0).  False:
	 * he may know no more of it. */
	bool (*name)(void *arg, uint32_t id, char *buf, size_t size);
	void *arg;
};

/*
 * Why @job_id waits, or with whom it shares and what that costs, and why its
 * partners were refused, as lines of text with '\n'.  @to (NULL: jobs by
 * number).  Returns the length that the text has, as snprintf; -ENOENT.
 */
int cs_engine_explain(const struct cs_engine *e, uint32_t job_id,
		      const struct cs_audience *to, char *buf, size_t size);

/* One short line of the same: why it waits ("" for a job that does not), without
 * anything that changes by time alone. */
int cs_engine_reason(const struct cs_engine *e, uint32_t job_id,
		     const struct cs_audience *to, char *buf, size_t size);

/* Did the last pass find that no set of nodes that are up can hold @job_id,
 * even empty? */
bool cs_engine_never(const struct cs_engine *e, uint32_t job_id);
/* Could @job_id run with all of its nodes up and empty, blocked or not?  True
 * where the model cannot tell (CS_JOB_HOST).  O(nodes), a few times. */
bool cs_engine_could_run(const struct cs_engine *e, uint32_t job_id);

/* What the engine holds of a running job; for state files and listings. */
struct cs_running {
	uint32_t job_id, array_id;
	uint32_t group;
	enum cs_role role;
	uint32_t with;
	double slowdown;   /* at this moment; time its estimate's second takes */
	double beside;	   /* coscheduling part of it */
	int64_t start_us;
	int64_t limit_us;  /* as last set or told */
	int64_t done_us;   /* progress in time of the estimate, at at_us */
	int64_t ran_us;	   /* running time until at_us */
	int64_t at_us;
	int64_t estimate_us;
	int64_t end_us;	   /* predicted */
	bool suspended, packed;
	bool keeps; /* suspended, its cores are for the host alone to give */
	const struct cs_alloc *alloc;
};

/*
 * Jobs whose speed has changed since this was last asked: started, stopped,
 * resumed, or with other neighbours.  For a host that makes time itself (the
 * simulator): a job with T of pure runtime ends at at_us + (T - done_us) *
 * slowdown unless it stands in a later list.  *ret [n] is the engine's and holds
 * until the next event or decide; each job is there once, in no order that
 * matters.  O(jobs listed).
 */
struct cs_speed {
	uint32_t job_id;
	int64_t at_us, done_us; /* progress, in time of the estimate */
	double slowdown;	/* 0: it stands still */
};
size_t cs_engine_speeds(struct cs_engine *e, const struct cs_speed **ret);

/* What @job_id was promised when it came: R_est, its response time by the plan of
 * that moment, and R_max = F_slack * R_est (000, eq. 4).  0; -ENOENT: no such job,
 * or the policy promises nothing. */
int cs_engine_promised(const struct cs_engine *e, uint32_t job_id,
		       int64_t *ret_est_us, int64_t *ret_max_us);

/* 0, or -ENOENT where the job does not run. */
int cs_engine_running(const struct cs_engine *e, uint32_t job_id,
		      struct cs_running *ret);

/*
 * What has to outlive a restart besides the jobs: campaigns and the virtual
 * schedule (order=ostrich; else nothing), a line each, each ended by '\n', as
 * snprintf: returns the length that it has.  A new engine is given the lines, in
 * their order and without '\n', as CS_EV_KEPT, and then the jobs.  One that is
 * refused is left out.
 */
size_t cs_engine_keep(const struct cs_engine *e, char *buf, size_t size);

/* A campaign, for listings. */
struct cs_campaign_view {
	const char *user, *name; /* name "": none; the engine's */
	uint32_t number;	 /* of the user's, since he last had none */
	uint64_t id;		 /* among all, in the order they came */
	uint32_t array;		 /* job array that it is; 0 */
	uint32_t rank;		 /* from 1, in the order of starts */
	uint32_t weight;	 /* of the user */
	double share;		 /* of the machine that he has now, virtually; 0
				    where all of his have ended virtually */
	uint32_t waiting, running; /* jobs; tasks one by one */
	bool began, ended;	 /* virtually */
	int64_t submit_us;
	int64_t began_us, ended_us; /* virtual start; virtual end as it was, or
				       will be if nobody submits or ends early */
	int64_t projected_us;	    /* the same with the active users of now */
	double work_s, virtual_left_s; /* core seconds */
	double real_left_s;	    /* of jobs that wait or run, by estimates */
	int64_t bound_us;	    /* its last job ends by then if no further
				       user and no longer job comes, serial
				       jobs (004, lemma 2) */
	int64_t real_end_us; /* ... and by then if nobody submits, as the real
				schedule stands (campaign_query.c); CS_TIME_NONE:
				not known; cs_engine_campaigns() alone */
};

/* All campaigns by rank (order=ostrich; else none): writes at most @n, returns how
 * many there are; -1: no memory.  O(jobs + campaigns log campaigns). */
int64_t cs_engine_campaigns(const struct cs_engine *e,
			    struct cs_campaign_view *ret, size_t n);
/* The campaign of @job_id.  0; -ENOENT: it is in none; -ENOMEM.  Cost as above. */
int cs_engine_campaign(const struct cs_engine *e, uint32_t job_id,
		       struct cs_campaign_view *ret);
/*
 * Waiting jobs in the order of their starts (order=ostrich), as of now: writes at
 * most @n ids, returns how many there are; -1: no memory.  Partition tiers are
 * left out: in each partition it is the order.  O(n log n); with @n 0 O(n).
 */
int64_t cs_engine_ranked(struct cs_engine *e, uint32_t *id, size_t n);
/* Active users: with a campaign that has not ended virtually. */
uint32_t cs_engine_active_users(const struct cs_engine *e);

/*
 * Predicted start of a waiting job, as of the last decide: known for jobs that
 * hold a reservation, else CS_TIME_NONE.  @ret_nodes (may be NULL): words of the
 * nodes reserved, the engine's, NULL if none.
 */
int64_t cs_engine_predicted_start_us(const struct cs_engine *e, uint32_t job_id,
				     const uint64_t **ret_nodes);

/*
 * From when on does waiting @job_id want nodes, by the last pass: from the start that it
 * is promised; CS_TIME_NONE: it is promised none and could not start, so that nothing
 * is put off for it; 0: the pass did not say.
 */
int64_t cs_engine_wants_from_us(const struct cs_engine *e, uint32_t job_id);

/*
 * How long may who leaves @a at @from_us stay there, until @until_us at most, with
 * nobody promised a start later for that?  With backfill=easy: before the first start
 * promised on the nodes; conservative: while all that is promised fits beside him,
 * where he holds the nodes of @a, or (@packed) its cores alone.  Without slices.
 * O(promises of heads * nodes of @a and where they come first), or O(nodes of @a).
 */
int64_t cs_engine_stays_us(struct cs_engine *e, const struct cs_alloc *a,
			   bool packed, int64_t from_us, int64_t until_us);

/* Searches for partners under a plan (group_search.c), of one primary job in one
 * case: with no candidate, with fewer than 4, all. */
struct cs_searches {
	uint64_t none, few, all;
};

struct cs_engine_stats {
	struct cs_searches searches;
	uint32_t waiting, running, suspended, groups;
	uint64_t decides, starts, pairs, refusals;
	uint32_t cores, cores_used; /* of nodes that are up; by running jobs */
	uint32_t reservations;	    /* heads that hold one */
};
void cs_engine_stats(const struct cs_engine *e, struct cs_engine_stats *ret);

/* Cores and nodes that running jobs hold, waiting jobs (tasks of an array count
 * as one).  O(1). */
struct cs_engine_use {
	uint32_t cores, nodes, waiting;
};
struct cs_engine_use cs_engine_use(const struct cs_engine *e);

/* Ids of the running (suspended too) or waiting jobs, in increasing order:
 * writes at most @n, returns how many there are. */
size_t cs_engine_list(const struct cs_engine *e, bool running, uint32_t *id,
		      size_t n);

/* Check every invariant (cores booked once, counts, states).  0, or -EINVAL
 * with the first breach in @err.  O(all); for tests and the watchdog. */
int cs_engine_check(const struct cs_engine *e, struct cs_err *err);

#endif
