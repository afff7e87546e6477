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
 * earlier one counts as the latest seen.  A decide that returns no action has
 * changed nothing, so it need not be recorded for a replay.
 *
 * Not thread safe; one engine, one caller at a time.
 */
#ifndef CS_ENGINE_H
#define CS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "job.h"
#include "machine.h"
#include "params.h"
#include "profile.h"

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
	CS_EV_SUSPEND,	   /* job_id: the host stopped it: cores free, memory held */
	CS_EV_RESUME,	   /* job_id: it goes on, on its cores */
	CS_EV_LIMIT,	   /* limit: the host changed a running job's limit */
	CS_EV_NODE,	   /* node: may it be used for a start? */
	CS_EV_RESERVATION, /* reservation: made, changed or (n = 0) gone */
	CS_EV_TICK,	   /* nothing but time */
};

enum cs_refused {
	CS_REFUSED_CHANGED, /* not again before something of the job or of the
			       nodes changed */
	CS_REFUSED_TIMED,   /* again after retry_s */
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
	double factor;	 /* what a second of it took from then on; 0: one */
};

struct cs_reservation {
	uint32_t id;	/* > 0 */
	uint32_t n;	/* nodes; 0: the reservation is gone */
	const uint32_t *node; /* [n] indexes */
	int64_t start_us, end_us;
};

struct cs_event {
	enum cs_event_type type;
	int64_t t_us;
	union {
		const struct cs_job *job; /* SUBMIT, CHANGE, REQUEUE */
		uint32_t job_id;	  /* CANCEL, FINISH, SUSPEND, RESUME */
		const struct cs_started *start;
		struct {
			uint32_t seq;
			enum cs_refused class;
			const char *why; /* for explain and the log */
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
	};
};

enum cs_action_type {
	CS_ACT_START,	   /* start on exactly these nodes and cores */
	CS_ACT_HOST_START, /* let the host's own test place it, on no other than
			      the nodes of alloc (whose cores say nothing) */
	CS_ACT_LIMIT,	   /* give a running job this limit */
	CS_ACT_DISBAND,	   /* a group is no more; nothing to apply */
};

/*
 * Pointers are the engine's and hold until the next event or decide.
 */
struct cs_action {
	enum cs_action_type type;
	uint32_t seq;	/* > 0, of this action; 0 where no answer is wanted */
	uint32_t needs; /* seq of a start that must have been confirmed; 0: none */
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
	uint32_t rule; /* 000's case 1 to 5 of section 4.4; 0: another rule */
	double slowdown; /* of the job there: self times coscheduling, over the
			    one its estimate holds for */
	double gain;	 /* utilisation gain of the decision (000, eq. 6) */
	int64_t credit_us; /* DISBAND: what sharing cost this job so far */
};

struct cs_actions {
	size_t n;
	const struct cs_action *action; /* [n] */
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

/*
 * Why @job_id waits, or with whom it shares and what that costs, and why its
 * partners were refused, as lines of text with '\n'.  Returns the length that
 * the text has, as snprintf; -ENOENT.
 */
int cs_engine_explain(const struct cs_engine *e, uint32_t job_id, char *buf,
		      size_t size);

/* One short line of the same: why it waits ("" for a job that does not), without
 * anything that changes by time alone. */
int cs_engine_reason(const struct cs_engine *e, uint32_t job_id, char *buf,
		     size_t size);

/* Did the last pass find that no set of nodes that are up can hold @job_id,
 * even empty? */
bool cs_engine_never(const struct cs_engine *e, uint32_t job_id);

/* What the engine holds of a running job; for state files and listings. */
struct cs_running {
	uint32_t job_id, array_id;
	uint32_t group;
	enum cs_role role;
	uint32_t with;
	double slowdown;   /* at this moment */
	int64_t start_us;
	int64_t limit_us;  /* as last set or told */
	int64_t done_us;   /* progress in time of the estimate, at at_us */
	int64_t at_us;
	int64_t estimate_us;
	int64_t end_us;	   /* predicted */
	bool suspended, packed;
	const struct cs_alloc *alloc;
};

/* 0, or -ENOENT where the job does not run. */
int cs_engine_running(const struct cs_engine *e, uint32_t job_id,
		      struct cs_running *ret);

/*
 * Predicted start of a waiting job, as of the last decide: known for jobs that
 * hold a reservation, else CS_TIME_NONE.  @ret_nodes (may be NULL): words of the
 * nodes reserved, the engine's, NULL if none.
 */
int64_t cs_engine_predicted_start_us(const struct cs_engine *e, uint32_t job_id,
				     const uint64_t **ret_nodes);

struct cs_engine_stats {
	uint32_t waiting, running, suspended, groups;
	uint64_t decides, starts, pairs, refusals;
	uint32_t cores, cores_used; /* of nodes that are up; by running jobs */
	uint32_t reservations;	    /* heads that hold one */
};
void cs_engine_stats(const struct cs_engine *e, struct cs_engine_stats *ret);

/* Ids of the running (suspended too) or waiting jobs, in increasing order:
 * writes at most @n, returns how many there are. */
size_t cs_engine_list(const struct cs_engine *e, bool running, uint32_t *id,
		      size_t n);

/* Check every invariant (cores booked once, counts, states).  0, or -EINVAL
 * with the first breach in @err.  O(all); for tests and the watchdog. */
int cs_engine_check(const struct cs_engine *e, struct cs_err *err);

#endif
