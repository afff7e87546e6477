/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine: fed events, asked for decisions.
 *
 * It owns the queue, the model of the machine and every policy's state; the host (a
 * simulator, a plugin in slurmctld) owns the clock and the jobs.
 *
 *	cs_engine_create(...)
 *	loop:	cs_engine_event(...)		what happened
 *		cs_engine_decide(...)		actions, which the host applies one
 *						by one in their order
 *		cs_engine_event(CS_EV_STARTED or CS_EV_REFUSED) for each start
 *
 * Propose, then confirm: a proposed start holds its cores until the host answers, and
 * every start must be answered before the next decide.  An action whose `needs` was
 * refused must not be applied: answer CS_REFUSED_GROUP.
 *
 * Deterministic: same events, parameters and seed give the same actions.  Time
 * is an argument, int64 microseconds of any origin, and never goes back: an earlier one
 * counts as the latest seen.  A decide without actions need not be recorded for a
 * replay, unless it sets `changed`.
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
#include "state/effort.h"
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
 * A second engine that is as @from: from now on the same events give the same actions
 * in both.  What learn=propose has learned stays behind.  It borrows the profiles of
 * @from.  NULL with @err set: no memory, or a start of @from is still unanswered (a decide
 * of @from that has paused does not continue in the copy); -ENOTSUP where
 * cs_engine_copies() is false.
 * O(nodes + jobs + steps of the plan).
 */
struct cs_engine *cs_engine_copy(const struct cs_engine *from,
				 struct cs_err *err);

/*
 * Copy @from in pieces, of which none takes long: begin, then up to @most jobs at a time until
 * *ret_more is false.  Until then @from stays as it is, and the copy is good for
 * cs_engine_free() only; after an error, too.  Errors as above.
 */
struct cs_engine *cs_engine_copy_begin(const struct cs_engine *from,
				       struct cs_err *err);
int cs_engine_copy_jobs(struct cs_engine *copy, const struct cs_engine *from,
			uint32_t most, bool *ret_more);
/* Free up to @most jobs of @e, after which it is good for cs_engine_free() only, and for
 * more of this.  True: it has more jobs. */
bool cs_engine_free_jobs(struct cs_engine *e, uint32_t most);

/* Can it be copied?  Not with learn=use, nor with a stage that has a state and no
 * `copy`. */
bool cs_engine_copies(const struct cs_engine *e);

/* As it is now. */
const struct cs_machine *cs_engine_machine(const struct cs_engine *e);

/*
 * Number of the node set @set (cs_node_words() words): equal sets have equal numbers.
 * Sets live as long as the engine.  Returns a negative errno on error. O(nodes / 64)
 * and a hash.
 */
int64_t cs_engine_nodeset(struct cs_engine *e, const uint64_t *set);
/* That of partition choice @option of job @id, as of now; -1: there is no such. */
int64_t cs_engine_job_nodeset(const struct cs_engine *e, uint32_t id,
			      uint32_t option);
/* The nodes of a set by the engine's number; NULL: no such set. */
const uint64_t *cs_engine_nodeset_words(const struct cs_engine *e,
					uint32_t nodeset, uint32_t *ret_words);

/*
 * Tell the engine what happened.  0; -ENOENT: an unknown job, node or seq; -EEXIST: a
 * known job; -EINVAL: an event out of place or range, a core that another job holds;
 * -ENOMEM.  On any error the engine is unchanged: host and engine disagree, and the
 * host should rebuild the engine.
 * Cost: O(1) and what the job holds.
 */
int cs_engine_event(struct cs_engine *e, const struct cs_event *ev,
		    struct cs_err *err);

/* Is @a on the machine, with all its cores unheld?  Then STARTED would accept a job
 * that the host runs there.  O(nodes of @a). */
bool cs_engine_has_room(const struct cs_engine *e, const struct cs_alloc *a);
/* Add to @ret_nodes the nodes where @a has a core that no job holds.  O(nodes of
 * @a). */
void cs_engine_unheld(const struct cs_engine *e, const struct cs_alloc *a,
		      uint64_t *ret_nodes);
/* Add to @cores [words] the cores of node @n that no job holds, nor one that is to
 * start. */
void cs_engine_free_cores(const struct cs_engine *e, uint32_t n,
			  uint64_t *cores);

/*
 * Decide what to do at @now_us.  0; -EBUSY: a start is still unanswered;
 * -ENOMEM (nothing was decided).  *ret is the engine's.  A pass may stop early (after a
 * HOST_START): call again until it returns no action.
 */
int cs_engine_decide(struct cs_engine *e, int64_t now_us,
		     struct cs_actions *ret);

/*
 * One part of a decide: it pauses after about part->steps steps (state/effort.h), at
 * least one.  While ret->more: call again.  The next part returns what was decided since,
 * as if the decide had not paused, also where starts are unanswered.  The host may instead
 * answer every start first; then the decide continues as of @now_us.  Any other event ends
 * it: the next call begins another (state/pass.c).  A part may exceed its steps by those
 * of one attempt to place a job, and of the plan's first update.
 *
 * What answers between parts may change.  If all starts are confirmed as proposed, as of
 * @now_us, and no job is beside another (on its nodes, or in a group), nothing: what starts
 * is what a whole decide starts that is answered at its end, both called again until a
 * decide returned no action in any of its parts.  Else the jobs behind the pause may start
 * otherwise: they may join a start that is confirmed, or get the cores of one that is
 * refused, where a whole decide has told the host of them already; and a start beside
 * others, or confirmed late, moves the ends by which they are planned.  So a simulator,
 * which has one part, may differ from a live engine there; a replay does not, by these
 * records:
 *
 * A host that answers between parts records ret->steps of those since the last record,
 * added up: one part of so many steps pauses there again.  The end of a decide that was
 * answered in a pause sets `changed`, and so is recorded.  Errors as above; -ECANCELED:
 * part->goes_on() said no before anything was decided.  After that the engine may be
 * asked, saved and freed; it is not what a replay would have, so it decides nothing more.
 */
int cs_engine_decide_part(struct cs_engine *e, int64_t now_us,
			  const struct cs_decide_part *part,
			  struct cs_actions *ret);

/*
 * For a host that decides no more: the next limit that a decide would give to a running
 * job, since its neighbours are others by now (job/limit.c).  False: no further one.
 * *@at, at first 0, is where to continue, as long as there is no event.  Nothing changes.
 */
bool cs_engine_limit_due(const struct cs_engine *e, size_t *at,
			 struct cs_action *ret);

/* Next instant at which a decide may differ without an event; CS_TIME_NONE: none.
 * O(waiting). */
int64_t cs_engine_next_wakeup_us(const struct cs_engine *e);
/* Events and parts of decides so far.  Queries answer the same until the count changes. */
uint64_t cs_engine_changes(const struct cs_engine *e);

struct cs_sooner_list;

/*
 * From here to cs_engine_asked() questions are answered as of @now_us, or of the
 * engine's time if that is later; no event, no decide between.  Without it what is said
 * of a quiet machine is as old as its last event.  No tick does that: decisions would
 * depend on who asks, since some sums (job/lesson.c) round at each step.  Returns the
 * engine's time.
 */
int64_t cs_engine_as_of(struct cs_engine *e, int64_t now_us);
/* @before_us: what cs_engine_as_of() returned. */
void cs_engine_asked(struct cs_engine *e, int64_t before_us);

/* Who asks: how jobs are called to him, and what he wants to read. */
struct cs_audience {
	/* Write the name of job @id (@buf holds "job 12"; size > 0).  False: the reader
	 * may know only that.  NULL: by number. */
	bool (*name)(void *arg, uint32_t id, char *buf, size_t size);
	void *arg;
	/* The time of day at @at_us, "14:30", or with @seconds "14:30:05"; NULL, or
	 * false: it is not said. */
	bool (*clock)(int64_t at_us, bool seconds, char *buf, size_t size);
	/* Why the host holds the job back, beside a begin time to come; NULL: not
	 * known. */
	const char *kept;
	/* Until then it is blocked for no other reason than the host's own restart: an
	 * earlier run of it may still have to end.  0: it is not. */
	int64_t settles_us;
	bool would;    /* mode shadow: the last pass would have started it */
	bool no_nodes; /* its partitions have none yet, so that it may run later */
	bool more_nodes; /* they may have more later */
	bool few;	 /* CS_PARTNERS_FEW partners will do */
	/* What would start the job sooner (explain/sooner.h), or why that was not
	 * looked up: one line.  NULL: nothing is said of it. */
	const struct cs_sooner_list *sooner;
	const char *no_sooner;
};

#define CS_PARTNERS_FEW 5
#define CS_PARTNERS_MAX 20 /* of the running, and of the waiting */

/*
 * Why @job_id waits, when it will start and what would start it sooner, in one line;
 * then its place, its campaign and why its partners were refused; or with whom it
 * shares and what that costs: lines of text with '\n'.  @to (NULL: jobs by number, all
 * partners).  Returns the length that the text has, as snprintf; -ENOENT.
 */
int cs_explain(const struct cs_engine *e, uint32_t job_id,
	       const struct cs_audience *to, char *buf, size_t size);

/* One short line of the same: why it waits ("" if it does not), without anything that
 * changes by time alone. */
int cs_explain_reason(const struct cs_engine *e, uint32_t job_id,
		      const struct cs_audience *to, char *buf, size_t size);

/* One with whom a job shares, or might. */
struct cs_partner {
	uint32_t job_id;     /* 0: who asks may know no more than its name */
	char name[64];	     /* as the audience has it */
	const char *profile; /* the engine's; "" with job_id 0 */
	bool running, suits;
	char why[448]; /* that it suits or why not, or what it shares and pays */
};

/*
 * Into @ret the partners of @job_id that explain names, running ones first, of each kind
 * at most CS_PARTNERS_MAX, by id.  Returns how many; *ret_more are not among them.
 * -ENOENT.  @ret has room for 2 * CS_PARTNERS_MAX.
 */
int cs_explain_partners(const struct cs_engine *e, uint32_t job_id,
			const struct cs_audience *to, struct cs_partner *ret,
			size_t *ret_more);

/* Waiting @job_id is the *@ret_before + 1st of *@ret_all who may start.  -ENOENT: it is
 * not among them. */
int cs_explain_place(const struct cs_engine *e, uint32_t job_id,
		     uint32_t *ret_before, uint32_t *ret_all);

/* When waiting @job_id, whose promised start has come, has the room that it needs: when
 * those who run must have ended, if nobody else comes.  CS_TIME_NONE: never.  O(log
 * running) times O(nodes + running). */
int64_t cs_explain_room_us(const struct cs_engine *e, uint32_t job_id);

/*
 * Likely nodes of waiting jobs that the plan starts until @until_us and that
 * cs_engine_predicted_start_us() has no nodes for: the first @most of them by start.  Into
 * @ret_id their numbers, into @ret_nodes, which is zeroed, a node set each.  Returns how
 * many have nodes; -ENOMEM.  O(@most * nodes + jobs).
 */
int cs_explain_nodes(const struct cs_engine *e, int64_t until_us, uint32_t most,
		     uint32_t *ret_id, uint64_t *ret_nodes);

/* Did the last pass find that no set of nodes that are up can hold @job_id,
 * even empty? */
bool cs_explain_never(const struct cs_engine *e, uint32_t job_id);
/* Could @job_id run with all its nodes up and empty, blocked or not?  True if the model
 * cannot tell (CS_JOB_HOST).  O(nodes), a few times. */
bool cs_engine_could_run(const struct cs_engine *e, uint32_t job_id);

/* What the engine knows of a running job; for state files and listings. */
struct cs_running {
	uint32_t job_id, array_id;
	uint32_t group;
	enum cs_role role;
	uint32_t partner_id;
	double slowdown; /* now: seconds that one of the estimate takes */
	double beside;	 /* its coscheduling part */
	double waits;	 /* part of its core time, if it shares cores; 0 */
	int64_t eligible_us;
	int64_t start_us;
	int64_t from_us;  /* its time counts from then; 0: from start_us */
	int64_t limit_us; /* as last set or told */
	int64_t floor_us; /* what it got for running over several sites, or 0 */
	int64_t done_us;  /* progress in time of the estimate, at at_us */
	int64_t ran_us;	  /* running time until at_us */
	int64_t at_us;
	int64_t estimate_us;
	int64_t end_us; /* predicted, as if no time slice interrupted it */
	bool suspended, packed;
	bool resized;	/* since its start */
	bool stopped;	/* suspended, by our time slice */
	int profile;	/* in the profile file, or CS_PROFILE_NONE */
	uint32_t class; /* enum cs_class, by its estimate */
	bool keeps;	/* suspended, only the host may assign its cores */
	const struct cs_alloc *alloc;
};

/* @job_id's promise at submission: R_est, its response time by the plan then, and
 * R_max = F_slack * R_est (Zeng09, eq. 4).  0; -ENOENT: no such job, or the policy
 * promises nothing. */
int cs_engine_promised(const struct cs_engine *e, uint32_t job_id,
		       int64_t *ret_est_us, int64_t *ret_max_us);

/* Time slices now.  0; -ENOENT: there are none, or none has begun. */
int cs_engine_slice(const struct cs_engine *e, struct cs_slice_now *ret);
/* Slot @slot, from 1, of slice=gang.  0; -ENOENT: there is none. */
int cs_engine_slot(const struct cs_engine *e, uint32_t slot,
		   struct cs_slot_now *ret);
/* When the turn of a job that a slice has stopped, or that waits, comes, as things are;
 * now or before: it has it; CS_TIME_NONE: never, or nobody knows. */
int64_t cs_engine_again_us(const struct cs_engine *e, uint32_t job_id);
/* Class of a waiting or running job's estimate; CS_CLASSES: no such job. */
uint32_t cs_engine_class(const struct cs_engine *e, uint32_t job_id);

/* 0, or -ENOENT if the job does not run. */
int cs_engine_running(const struct cs_engine *e, uint32_t job_id,
		      struct cs_running *ret);
/* When it ends if only its own time slices serve it: as predicted, or where its time
 * limit ends it before; CS_TIME_NONE: it does not run.  Under slice=gang
 * O(slots^2 * nodes). */
int64_t cs_engine_latest_us(const struct cs_engine *e, uint32_t job_id);

/*
 * Predicted start of a waiting job that holds a reservation, or whose start keeps
 * nothing yet (horizon.h), as of the last decide, else CS_TIME_NONE.  @ret_nodes (may be NULL): words of the nodes reserved, the
 * engine's until its next call, NULL if none.
 */
int64_t cs_engine_predicted_start_us(const struct cs_engine *e, uint32_t job_id,
				     const uint64_t **ret_nodes);

/* The same on the host's clock, for people: a job of another class than the one served,
 * or of another time slot, starts when its turn comes (or before, on nodes left idle). */
int64_t cs_engine_host_start_us(const struct cs_engine *e, uint32_t job_id,
				const uint64_t **ret_nodes);

/*
 * From when on waiting @job_id wants nodes, by the last pass: its promised start;
 * CS_TIME_NONE: it has none and could not start, so nothing is put off for it; 0: the
 * pass did not say.
 */
int64_t cs_engine_wants_from_us(const struct cs_engine *e, uint32_t job_id);

/* Has the last pass, or its part so far, come to waiting @job_id?  Then it found no start
 * for it. */
bool cs_engine_came_to(const struct cs_engine *e, uint32_t job_id);

struct cs_engine_stats {
	struct cs_searches searches;
	struct cs_pledges pledges;
	struct cs_lessons_now learned;
	uint32_t waiting, running, suspended, groups;
	uint64_t decides, starts, pairs, refusals;
	uint32_t cores, cores_used; /* of nodes that are up; by running jobs */
	uint32_t reservations;	    /* heads with one */
};
void cs_engine_stats(const struct cs_engine *e, struct cs_engine_stats *ret);

/* Jobs of one group that ran on one site and over several: the p that this says
 * (job/crossing.h). */
struct cs_crossed_now {
	const struct cs_crossed_kind *kind; /* learn/crossed.h; until an event */
	double across;
};
/* The next from *@at, 0 at first; false: no more. */
bool cs_engine_crossed(const struct cs_engine *e, uint32_t *at,
		       struct cs_crossed_now *ret);

/* A node at this moment. */
struct cs_node_now {
	uint32_t cores, used; /* by running jobs */
	uint32_t jobs;
	uint32_t gpus, gpus_used; /* by stopped and suspended jobs, too */
	bool up;
};
/* Node @n of the machine, < its n_node. */
struct cs_node_now cs_engine_node(const struct cs_engine *e, uint32_t n);

/* Ids of the running (suspended too) or waiting jobs, in increasing order:
 * writes at most @n, returns their number. */
size_t cs_engine_list(const struct cs_engine *e, bool running, uint32_t *id,
		      size_t n);

/*
 * What has to outlive a restart besides the jobs: campaigns and the virtual
 * schedule (order=ostrich), what was learned (learn), what crossing cost (site_rule), a
 * line each, each ended by '\n', as snprintf: returns the length that it has.  A new
 * engine is given the lines, in their order and without '\n', as CS_EV_KEPT, and then
 * the jobs.  One that is refused is left out.
 */
size_t cs_engine_save(const struct cs_engine *e, char *buf, size_t size);

/* Which pair broke its promise last (learn), in words, as snprintf; -ENOENT: none. */
int cs_engine_broken(const struct cs_engine *e, char *buf, size_t size);

/* Check every invariant (cores booked once, counts, states).  0, or -EINVAL
 * with the first breach in @err.  O(all); for tests and the watchdog. */
int cs_engine_check(const struct cs_engine *e, struct cs_err *err);

#endif
