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
#include "model/action.h"
#include "model/event.h"
#include "model/job.h"
#include "model/machine.h"
#include "order/campaign_query.h"
#include "params/params.h"
#include "profile/profile.h"
#include "state/figures.h"

struct cs_engine;

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
/* The nodes of a set, as the engine numbers it; NULL: no such set. */
const uint64_t *cs_engine_nodeset_words(const struct cs_engine *e,
					uint32_t nodeset, uint32_t *ret_words);

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
int cs_explain(const struct cs_engine *e, uint32_t job_id,
	       const struct cs_audience *to, char *buf, size_t size);

/* One short line of the same: why it waits ("" for a job that does not), without
 * anything that changes by time alone. */
int cs_explain_reason(const struct cs_engine *e, uint32_t job_id,
		      const struct cs_audience *to, char *buf, size_t size);

/* Did the last pass find that no set of nodes that are up can hold @job_id,
 * even empty? */
bool cs_explain_never(const struct cs_engine *e, uint32_t job_id);
/* Could @job_id run with all of its nodes up and empty, blocked or not?  True
 * where the model cannot tell (CS_JOB_HOST).  O(nodes), a few times. */
bool cs_engine_could_run(const struct cs_engine *e, uint32_t job_id);

/* What the engine holds of a running job; for state files and listings. */
struct cs_running {
	uint32_t job_id, array_id;
	uint32_t group;
	enum cs_role role;
	uint32_t partner_id;
	double slowdown; /* at this moment; time its estimate's second takes */
	double beside;	 /* coscheduling part of it */
	int64_t start_us;
	int64_t limit_us; /* as last set or told */
	int64_t done_us;  /* progress in time of the estimate, at at_us */
	int64_t ran_us;	  /* running time until at_us */
	int64_t at_us;
	int64_t estimate_us;
	int64_t end_us; /* predicted */
	bool suspended, packed;
	bool stopped;	/* suspended, by a time slice of ours */
	uint32_t class; /* enum cs_class, of its estimate */
	bool keeps; /* suspended, its cores are for the host alone to give */
	const struct cs_alloc *alloc;
};

/* What @job_id was promised when it came: R_est, its response time by the plan of
 * that moment, and R_max = F_slack * R_est (Zeng09, eq. 4).  0; -ENOENT: no such job,
 * or the policy promises nothing. */
int cs_engine_promised(const struct cs_engine *e, uint32_t job_id,
		       int64_t *ret_est_us, int64_t *ret_max_us);

/* Time slices at this moment.  0; -ENOENT: there are none, or none has begun. */
int cs_engine_slice(const struct cs_engine *e, struct cs_slice_now *ret);
/* Slot @slot, from 1, of slice=gang.  0; -ENOENT: there is none. */
int cs_engine_slot(const struct cs_engine *e, uint32_t slot,
		   struct cs_slot_now *ret);
/* When a job that a slice has stopped goes on, as things are; CS_TIME_NONE: never, or
 * nobody knows. */
int64_t cs_engine_again_us(const struct cs_engine *e, uint32_t job_id);
/* Of the estimate of a waiting or running job; CS_CLASSES: there is no such job. */
uint32_t cs_engine_class(const struct cs_engine *e, uint32_t job_id);

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

/*
 * From when on does waiting @job_id want nodes, by the last pass: from the start that it
 * is promised; CS_TIME_NONE: it is promised none and could not start, so that nothing
 * is put off for it; 0: the pass did not say.
 */
int64_t cs_engine_wants_from_us(const struct cs_engine *e, uint32_t job_id);

struct cs_engine_stats {
	struct cs_searches searches;
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
