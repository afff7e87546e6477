/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A forward run.
 *
 * Problem.  When does a waiting job start, if running jobs and those that start before it
 * run for so long, and more jobs arrive meanwhile?  Later jobs may overtake it, so no formula
 * says: the scheduler itself must run.
 *
 * Rules.
 *  1. A copy of the engine is the scheduler.  This file is its host: it makes time,
 *     submits what arrives, confirms what the copy decides and ends jobs.  A decide comes
 *     in parts of PART_STEPS; it is answered at its end, so that it decides what a whole
 *     one does (engine.h), and the run may pause in between.
 *  2. An instant is the first of: the next end, the next arrival, the copy's next
 *     wake-up.  At an instant jobs end, in the order of their ids; then jobs arrive; then
 *     the copy decides until nothing is left to do.
 *  3. A running job ends after the runtime that is drawn for it, given how long it has run
 *     by now, or, with limits as runtimes, at its limit.  If that has passed, it ends
 *     OVERRUN_US later.
 *  4. A job that starts in the run ends after a drawn runtime, not after its limit.  A
 *     draw depends on the run's seed and on the job's id only, not on the order of starts.
 *  5. An arrival has the description of an earlier job, but is neither blocked nor
 *     requeued.  It runs as long as that job did, or, if that job has not ended yet, for the
 *     history's median; tasks of an array run as drawn.  In the copy its id is counted down
 *     from UINT32_MAX, where no host has ids. One from before a restart brings its own node
 *     sets into the copy; the engine itself never sees them.
 *  6. A start that the copy leaves to the host's own test is refused: such a job does not
 *     start in the run, nor does a job that waits for it.  A job that the host has
 *     suspended does not end.
 *  7. The run ends when all wanted jobs have started, or nothing happens any more.
 *  8. The copy is made in the first steps of the run, and its jobs are freed in steps, too.
 *     A step is JOBS_A_STEP jobs.
 *
 * Invariant: with the true runtimes, and what arrives later submitted to neither, the
 * starts of the run are those of the engine itself (test_forward.c,
 * with_true_runtimes_all_starts_come_true).
 *
 * Cost: a copy; at each instant a decide, and O(log jobs) an event.
 *
 * Known weakness.  Slowdowns by co-located jobs do not lengthen runs, but for what is in
 * their earlier runtimes; limits that the copy raises do not either.
 */
#include "estimate/forward.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/heap.h"
#include "base/idmap.h"
#include "base/rng.h"
#include "state/state.h"

#define OVERRUN_US INT64_C(1000000)
#define DECIDES_MAX 1000 /* of one instant */
#define PART_STEPS 1000	 /* a few milliseconds */
#define IDLE_MAX 1000	 /* wake-ups in a row at which nothing starts */
#define JOBS_A_STEP 10
#define NEVER_US (CS_TIME_NONE / 2) /* from then on sums may overflow */
#define JOBS_A_PIECE 1000	    /* a millisecond */

struct ending {
	int64_t end_us;
	uint32_t id;
};

struct cs_forward {
	struct cs_engine *e;
	const struct cs_engine *from; /* rule 8: it is being copied; else NULL */
	struct cs_forward_as as;
	struct cs_forward_start *start; /* [n_start] the caller's */
	uint32_t n_start;
	uint32_t wanted;       /* of them that have not started */
	struct cs_idmap by_id; /* those */
	struct ending *ending; /* [n_ending] a heap */
	size_t n_ending, cap_ending;
	struct cs_arrivals_walk walk;
	int64_t *ran_us; /* [n_new] of the id UINT32_MAX - index; 0: as drawn */
	size_t n_new, cap_new;
	int64_t now_us;
	bool decides;	  /* the copy is not done with this instant */
	uint32_t decided; /* ... after so many decides */
	/* Of a decide that has paused, with allocations of our own: */
	struct cs_action *held; /* [n_held] */
	size_t n_held, cap_held;
	uint32_t idle;
};

#define ENDING_AT(f, i) ((f)->ending[i])
#define ENDING_PUT(f, i, x) ((f)->ending[i] = (x))
#define ENDS_BEFORE(f, a, b)        \
	((a).end_us < (b).end_us || \
	 ((a).end_us == (b).end_us && (a).id < (b).id))
CS_HEAP(endings, struct cs_forward, struct ending, 4, ENDING_AT, ENDING_PUT,
	ENDS_BEFORE);

/* ---- runtimes (rules 3 to 5) ----------------------------------------------- */

/* How long @j runs in all; it has run for @elapsed_us, and has @limit_us. */
static int64_t runtime_us(const struct cs_forward *f, const struct cs_ejob *j,
			  int64_t elapsed_us, int64_t limit_us)
{
	uint32_t id = j->job.id;
	struct cs_runtime_of of;

	if (id > UINT32_MAX - f->n_new && f->ran_us[UINT32_MAX - id])
		return f->ran_us[UINT32_MAX - id];
	if (f->as.ran_us)
		return f->as.ran_us(f->as.arg, id, elapsed_us);
	if (!f->as.runtimes)
		return limit_us;
	of = cs_runtime_of(&j->job);
	return cs_runtimes_draw(f->as.runtimes, &of, elapsed_us,
				cs_unit(cs_rng_hash(f->as.seed, id)));
}

static int add_ending(struct cs_forward *f, uint32_t id, int64_t end_us)
{
	if (cs_array_room(&f->ending, &f->cap_ending, f->n_ending + 1))
		return -ENOMEM;
	f->ending[f->n_ending++] = (struct ending){ end_us, id };
	endings_sift(f, f->n_ending, f->n_ending - 1);
	return 0;
}

/* Rule 3, for all that run. */
static int end_running(struct cs_forward *f)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < f->e->started.n; i++) {
		const struct cs_ejob *j = f->e->started.job[i];
		int64_t from_us = j->from_us ? j->from_us : j->start_us;
		int64_t elapsed_us =
			f->now_us > from_us ? f->now_us - from_us : 0;
		int64_t limit_us = j->limit_us < CS_TIME_NONE / 2
					   ? j->limit_us
					   : j->job.estimate_us;
		int64_t end_us =
			from_us + runtime_us(f, j, elapsed_us, limit_us);

		if (j->state == CS_RUNNING)
			rc = add_ending(f, j->job.id,
					end_us > f->now_us
						? end_us
						: f->now_us + OVERRUN_US);
	}
	return rc;
}

/* ---- what the copy decides (rules 4 and 6) --------------------------------- */

/* The id of a job that is new in the copy, and runs for @ran_us (0: as drawn); 0: no
 * memory. */
static uint32_t new_id(struct cs_forward *f, int64_t ran_us)
{
	if (cs_array_room(&f->ran_us, &f->cap_new, f->n_new + 1))
		return 0;
	f->ran_us[f->n_new] = ran_us;
	return UINT32_MAX - (uint32_t)f->n_new++;
}

static int start(struct cs_forward *f, const struct cs_action *a)
{
	const struct cs_ejob *j = cs_engine_job(f->e, a->job_id);
	struct cs_forward_start *wanted = cs_idmap_remove(&f->by_id, a->job_id);
	struct cs_started s = {
		.seq = a->seq,
		.job_id = a->job_id,
		.option = a->option,
		.start_us = f->now_us,
		.limit_us = a->limit_us,
		.alloc = a->alloc,
	};
	struct cs_event ev = { .type = CS_EV_STARTED,
			       .t_us = f->now_us,
			       .start = &s };
	int rc;

	if (wanted) {
		wanted->at_us = f->now_us;
		f->wanted--;
	}
	if (j && j->job.array_id) {
		s.array_id = a->job_id;
		s.job_id = new_id(f, 0);
		if (!s.job_id)
			return -ENOMEM;
	}
	if (!s.limit_us)
		s.limit_us = j ? j->job.estimate_us : OVERRUN_US;
	rc = cs_engine_event(f->e, &ev, NULL);
	j = cs_engine_job(f->e, s.job_id);
	return rc || !j ? rc
			: add_ending(f, s.job_id,
				     f->now_us +
					     runtime_us(f, j, 0, s.limit_us));
}

/* Rule 6: a start that needs the host's own test. */
static int refuse(struct cs_forward *f, const struct cs_action *a)
{
	const struct cs_event ev = {
		.type = CS_EV_REFUSED,
		.t_us = f->now_us,
		.refused = { .seq = a->seq, .class = CS_REFUSED_CHANGED },
	};

	return cs_engine_event(f->e, &ev, NULL);
}

static int answer(struct cs_forward *f, const struct cs_action *a)
{
	f->idle = a->type == CS_ACT_START ? 0 : f->idle;
	if (a->type == CS_ACT_START)
		return start(f, a);
	return a->seq ? refuse(f, a) : 0;
}

/* Keep the actions of a part until the decide has ended. */
static int hold(struct cs_forward *f, const struct cs_actions *acts)
{
	if (cs_array_room(&f->held, &f->cap_held, f->n_held + acts->n))
		return -ENOMEM;
	for (size_t i = 0; i < acts->n; i++) {
		struct cs_action a = acts->action[i];

		if (a.alloc) {
			a.alloc = cs_alloc_copy(a.alloc);
			if (!a.alloc)
				return -ENOMEM;
		}
		f->held[f->n_held++] = a;
	}
	return 0;
}

static void drop_held(struct cs_forward *f)
{
	for (size_t i = 0; i < f->n_held; i++)
		cs_alloc_free((struct cs_alloc *)f->held[i].alloc);
	f->n_held = 0;
}

/* A decide has ended with @acts.  Until one decides nothing there is another. */
static int decided(struct cs_forward *f, const struct cs_actions *acts)
{
	int rc = 0;

	f->decides = f->n_held + acts->n && ++f->decided < DECIDES_MAX;
	for (size_t i = 0; !rc && i < f->n_held; i++)
		rc = answer(f, &f->held[i]);
	for (size_t i = 0; !rc && i < acts->n; i++)
		rc = answer(f, &acts->action[i]);
	drop_held(f);
	return rc;
}

/* Parts of decides, until *@steps are done. */
static int decide(struct cs_forward *f, int64_t *steps)
{
	const struct cs_decide_part part = { .steps = f->as.part_steps
							      ? f->as.part_steps
							      : PART_STEPS };
	struct cs_actions acts;
	int rc = 0;

	while (!rc && f->decides && *steps > 0) {
		rc = cs_engine_decide_part(f->e, f->now_us, &part, &acts);
		if (rc)
			break;
		*steps -= acts.steps + (int64_t)acts.n;
		rc = acts.more ? hold(f, &acts) : decided(f, &acts);
	}
	return rc;
}

/* ---- an instant (rule 2) --------------------------------------------------- */

static int end_due(struct cs_forward *f, int64_t *steps)
{
	int rc = 0;

	while (!rc && f->n_ending && f->ending[0].end_us <= f->now_us) {
		struct cs_event ev = { .type = CS_EV_FINISH,
				       .t_us = f->now_us,
				       .job_id = f->ending[0].id };

		f->n_ending = endings_drop(f, f->n_ending, 0);
		f->idle = 0;
		--*steps;
		rc = cs_engine_event(f->e, &ev, NULL);
	}
	return rc;
}

/* Rule 5.  A description that the copy no longer accepts does not arrive. */
static int arrive(struct cs_forward *f, const struct cs_arrival *x)
{
	struct cs_job_partition option[CS_ARRIVALS_OPTIONS];
	struct cs_job job = x->job;
	struct cs_event ev = { .type = CS_EV_SUBMIT,
			       .t_us = f->now_us,
			       .job = &job };
	int64_t ran_us = x->ran_us;
	int rc;

	if (x->restored) {
		if (cs_arrivals_options(f->as.arrivals, x, f->e, option))
			return -ENOMEM;
		job.option = option;
	}
	if (!ran_us && f->as.runtimes) {
		struct cs_runtime_of of = cs_runtime_of(&job);

		ran_us = cs_runtimes_median(f->as.runtimes, &of);
	}
	job.id = new_id(f, ran_us);
	if (!job.id)
		return -ENOMEM;
	job.array_id = job.array_id ? job.id : 0;
	job.flags &= ~(uint32_t)(CS_JOB_BLOCKED | CS_JOB_REQUEUED);
	job.submit_us = job.eligible_us = f->now_us;
	job.after_us = 0;
	rc = cs_engine_event(f->e, &ev, NULL);
	return rc == -ENOMEM ? rc : 0;
}

static int arrive_due(struct cs_forward *f, int64_t *steps)
{
	const struct cs_arrival *x;
	int64_t at_us;
	int rc = 0;

	while (!rc && (x = cs_arrivals_next(&f->walk, &at_us)) &&
	       at_us <= f->now_us) {
		f->idle = 0;
		--*steps;
		rc = arrive(f, x);
		cs_arrivals_pass(&f->walk);
	}
	return rc;
}

static int64_t next_us(const struct cs_forward *f)
{
	int64_t t = f->n_ending ? f->ending[0].end_us : CS_TIME_NONE, at_us;
	int64_t wake_us = cs_engine_next_wakeup_us(f->e);

	if (cs_arrivals_next(&f->walk, &at_us) && at_us < t)
		t = at_us;
	if (wake_us > f->now_us && wake_us < t && f->idle < IDLE_MAX)
		t = wake_us;
	return t;
}

/* The instant @t begins. */
static int begin(struct cs_forward *f, int64_t t, int64_t *steps)
{
	f->now_us = t > f->now_us ? t : f->now_us;
	f->idle++;
	f->decides = true;
	f->decided = 0;
	--*steps;
	return end_due(f, steps) ?: arrive_due(f, steps);
}

/* ---- the run (rules 7 and 8) ------------------------------------------------ */

/* The copy is there. */
static int prepare(struct cs_forward *f)
{
	if (cs_idmap_reserve(&f->by_id, f->n_start))
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_start; i++) {
		const struct cs_ejob *j =
			cs_engine_job(f->e, f->start[i].job_id);

		if (!j || !cs_waits(j))
			continue;
		cs_idmap_add(&f->by_id, j->job.id, &f->start[i]);
		f->wanted++;
	}
	if (f->as.arrivals)
		f->walk = cs_arrivals_begin(f->as.arrivals, f->now_us,
					    f->as.weeks);
	return end_running(f);
}

/* Rule 8: pieces of the copy, until *@steps are done. */
static int copy(struct cs_forward *f, int64_t *steps)
{
	bool more = true;
	int rc = 0;

	while (!rc && more && *steps > 0) {
		uint32_t before = f->e->n_slot;

		rc = cs_engine_copy_jobs(f->e, f->from, JOBS_A_PIECE, &more);
		*steps -= 1 + (f->e->n_slot - before) / JOBS_A_STEP;
	}
	if (rc || more)
		return rc;
	f->from = NULL;
	/* its lists, and those that the first decide makes */
	*steps -= (int64_t)f->e->waiting.n / JOBS_A_STEP;
	return prepare(f);
}

int cs_forward_run(struct cs_forward *f, int64_t *steps, bool *ret_more)
{
	int rc = 0;

	*ret_more = f->from;
	if (f->from)
		rc = copy(f, steps);
	if (rc || f->from)
		return rc;
	*ret_more = false;
	while (!rc && f->wanted) {
		int64_t t = f->decides ? f->now_us : next_us(f);

		if (t >= NEVER_US)
			break;
		if (*steps <= 0) {
			*ret_more = true;
			break;
		}
		rc = f->decides ? decide(f, steps) : begin(f, t, steps);
	}
	return rc;
}

int64_t cs_forward_now_us(const struct cs_forward *f)
{
	return f->now_us;
}

/* ---- life ------------------------------------------------------------------ */

struct cs_forward *cs_forward_create(const struct cs_engine *e,
				     const struct cs_forward_as *as,
				     struct cs_forward_start *start, uint32_t n,
				     struct cs_err *err)
{
	struct cs_forward *f;

	if (e->slice->stops) {
		cs_err_set(err, -ENOTSUP,
			   "estimates: time slices, expected none");
		return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (!f) {
		cs_err_set(err, -ENOMEM, "estimates: out of memory");
		return NULL;
	}
	f->as = *as;
	f->start = start;
	f->n_start = n;
	f->from = e;
	f->now_us = e->now_us;
	for (uint32_t i = 0; i < n; i++)
		start[i].at_us = CS_TIME_NONE;
	f->e = cs_engine_copy_begin(e, err);
	if (f->e)
		return f;
	cs_forward_free(f);
	return NULL;
}

bool cs_forward_free_some(struct cs_forward *f, int64_t *steps)
{
	if (cs_forward_free_jobs(f->e, steps))
		return true;
	cs_forward_free(f);
	return false;
}

bool cs_forward_free_jobs(struct cs_engine *e, int64_t *steps)
{
	bool more = true;

	while (more && *steps > 0) {
		uint32_t before = e->n_slot;

		more = cs_engine_free_jobs(e, JOBS_A_PIECE);
		*steps -= 1 + (before - e->n_slot) / JOBS_A_STEP;
	}
	return more;
}

void cs_forward_free(struct cs_forward *f)
{
	if (!f)
		return;
	drop_held(f);
	free(f->held);
	cs_engine_free(f->e);
	cs_idmap_done(&f->by_id);
	free(f->ending);
	free(f->ran_us);
	free(f);
}
