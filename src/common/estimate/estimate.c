/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates of starts.
 *
 * Problem.  A job that waits probably starts long before the limits of the jobs ahead of it
 * have passed, or, where later jobs may overtake it, long after.  Users want to know
 * when, and how far to believe that.
 *
 * Symbols		C name		unit
 *   l			wait[0]		us; wait if runtimes were limits, without arrivals
 *   a_0 ... a_14	wait[1..15]	us, sorted; waits with drawn runtimes, and arrivals
 *
 * Rules.
 *  1. RUNS forward runs (forward.c) serve all jobs of a set: one by limits, and DRAWN with
 *     runtimes from the history (runtimes.c) and the submits of some earlier weeks as
 *     arrivals (arrivals.c).  Of n whole weeks that are kept, run d uses 1 + d mod n.
 *  2. The first estimate is the median a_7, with the interval
 *
 *		a_1   to   sqrt((a_13 + 300 s)(l + 300 s)) - 300 s		(1)
 *
 *  3. The second one is l.
 *  4. Which of the two is said, and how wide its interval is, starts so far tell
 *     (awaited.c).
 *  5. A run ends after RUN_STEPS steps at the latest.  A job that has not started by then
 *     counts as starting then.  A job that starts in fewer than half of the drawn runs has
 *     no estimate; the set says so, and each set can be seen in the log.
 *  6. A set of new jobs estimates each once, when it may first start by all but room: at
 *     its submit, as a rule.  A requeued job is new again.  A job that only the host's own
 *     test places has no estimate, nor has one that no set of nodes could hold.
 *  7. What happens while a set is made is learned after it, so that the draws do not
 *     depend on how fast that is.  They depend on the number of sets that began before it.
 *     One that could not begin leaves its jobs to the next one.  One that is not finished
 *     when CS_ESTIMATE_EVENTS events wait to be learned is dropped at the next of them, by
 *     a replay, too.
 *  8. A set of all waiting jobs estimates them anew.  Only the first estimate of a job, or
 *     of the next task of an array, is compared with its start (rule 4).
 *  9. A job that had been submitted before the first event, or line of history, is no
 *     arrival: after a restart a host submits all jobs that it has at once.  The line
 *     counts since a reader of a log that was opened late has all these jobs behind it.
 *     If the history has arrivals, those submitted after the last of them are arrivals.
 *
 *	     l.......................................*
 *	     a_0  a_1       a_7              a_13 a_14
 *	-----+----[----------+----------------------]-------> wait
 *
 * Source: rules 1 to 4 are ours.  Draws instead of one prediction, since where later jobs
 * overtake, a start depends on ends of jobs that are not here yet; compare Smith, Taylor
 * and Foster, "Using run-time predictions to estimate queue wait times", JSSPP 1999, who
 * simulate the scheduler forward once.
 *
 * Example: test_estimate.c, two_runs_of_the_user_beat_the_limit.
 *
 * Cost: RUNS copies of the engine and as many runs.
 */
#include "estimate/estimate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/idmap.h"
#include "base/rng.h"
#include "base/textbuf.h"
#include "estimate/arrivals.h"
#include "estimate/awaited.h"
#include "estimate/forward.h"
#include "estimate/numbers.h"
#include "estimate/runtimes.h"
#include "job/eligible.h"
#include "learn/real.h"
#include "state/jobtable.h"

#define DRAWN 15
#define RUNS (1 + DRAWN)
#define LOW 1
#define MIDDLE 7
#define HIGH 13
#define SHIFT_S 300.
#define RUN_STEPS INT64_C(4000000)
#define NODES_A_STEP 100 /* when a run begins */
#define GROUPS_MOST 65536
#define ARRIVALS_MOST 65536

/* What an event says (rule 7). */
struct note {
	enum cs_event_type type; /* SUBMIT, STARTED, FINISH, CANCEL */
	int64_t t_us;
	uint32_t id;	   /* an array's for its tasks */
	struct cs_job job; /* SUBMIT */
	void *own;
	struct cs_runtime_of of; /* FINISH */
	int64_t ran_us;
};

struct cs_estimator {
	uint64_t seed;
	struct cs_runtimes *runtimes;
	struct cs_arrivals *arrivals;
	struct cs_awaiting awaiting; /* of jobs without a start so far */

	bool began;	 /* there was an event: */
	int64_t from_us; /* the first one's time (rule 9) */
	bool lost;	 /* no memory for an event */
	uint32_t *fresh; /* [n_fresh] jobs without an estimate, by submit */
	uint32_t n_fresh, cap_fresh;
	uint32_t n_left_out; /* the first of them: the last set did without */
	struct cs_idmap fresh_ids; /* the same jobs */
	struct cs_idmap
		fits; /* jobs known to fit on some nodes, all up and empty */

	/* The set that is made. */
	uint64_t sets;			/* begun so far */
	bool all;			/* rule 8 */
	struct cs_engine *base;		/* as it began; NULL: none */
	struct cs_forward_start *start; /* [n_job] */
	int64_t *wait;			/* [n_job][RUNS] us */
	uint8_t *started;		/* [n_job] in so many drawn runs */
	uint32_t n_job, run;
	struct cs_forward *forward;
	bool run_ended;	   /* its copy is being freed */
	int64_t left;	   /* steps of this run */
	struct note *note; /* [n_note] for after it */
	uint32_t n_note, cap_note;

	struct cs_estimate *made; /* [n_made] of the last one */
	uint32_t n_made;
	struct cs_awaited
		*coming; /* [n_coming] those of the set that are first ones */
	uint32_t n_coming;
};

static double seconds(int64_t us)
{
	return (double)us / 1e6;
}

/* ---- what outlives a restart ------------------------------------------------ */

#define LINE "estimate "

bool cs_estimator_is_line(const char *line)
{
	return !strncmp(line, LINE, strlen(LINE));
}

_Static_assert(CS_RUNTIMES_BYTES + CS_ARRIVALS_BYTES + CS_AWAITING_BYTES +
			       1024 <
		       CS_ESTIMATES_BYTES,
	       "what is saved");

size_t cs_estimator_save(const struct cs_estimator *s,
			 const struct cs_engine *e, char *buf, size_t size)
{
	struct cs_textbuf t = { .buf = buf, .size = size };

	cs_textbuf_print(&t, LINE "sets %" PRIu64 "\n", s->sets);
	cs_runtimes_save(s->runtimes, LINE, &t);
	cs_arrivals_save(s->arrivals, e, LINE, &t);
	cs_awaiting_save(&s->awaiting, LINE, &t);
	return cs_textbuf_end(&t);
}

static int restore(struct cs_estimator *s, const struct cs_engine *e,
		   int64_t t_us, const char *line, struct cs_err *err)
{
	const char *text = line + strlen(LINE), *rest;
	int64_t sets;
	int rc;

	if (strlen(line) >= CS_EVENT_KEPT) {
		rc = -EINVAL;
	} else if ((rest = cs_numbers_behind(text, "sets"))) {
		rc = cs_numbers_read(rest, &sets, 1) == 1 && sets >= 0
			     ? 0
			     : -EINVAL;
		s->sets = rc ? s->sets : (uint64_t)sets;
	} else if (cs_arrivals_is_line(text)) {
		rc = cs_arrivals_restore(s->arrivals, e, t_us, text);
	} else {
		rc = cs_awaiting_restore(&s->awaiting, text);
		if (rc == -ENOENT)
			rc = cs_runtimes_restore(s->runtimes, text);
	}
	if (rc == -EINVAL)
		return cs_err_set(err, rc,
				  "estimates: a damaged line of their history");
	return rc;
}

/* ---- what happens ---------------------------------------------------------- */

/* Job @id is the last fresh one from now on, whether or not a set has dropped it since its
 * last submit: a replay begins fewer sets. */
static int add_fresh(struct cs_estimator *s, uint32_t id)
{
	if (cs_idmap_find(&s->fresh_ids, id)) {
		uint32_t kept = 0;

		for (uint32_t i = 0; i < s->n_fresh; i++)
			if (s->fresh[i] != id)
				s->fresh[kept++] = s->fresh[i];
			else
				s->n_left_out -= i < s->n_left_out;
		s->fresh[kept] = id;
		return 0;
	}
	if (cs_array_room(&s->fresh, &s->cap_fresh, s->n_fresh + 1) ||
	    cs_idmap_reserve(&s->fresh_ids, s->n_fresh + 1))
		return -ENOMEM;
	s->fresh[s->n_fresh++] = id;
	cs_idmap_add(&s->fresh_ids, id, s);
	return 0;
}

static int learn(struct cs_estimator *s, const struct note *x)
{
	int rc = 0;

	cs_awaiting_pass(&s->awaiting, x->t_us);
	switch (x->type) {
	case CS_EV_SUBMIT:
		return x->job.submit_us < s->from_us
			       ? 0
			       : cs_arrivals_add(s->arrivals, &x->job, x->t_us);
	case CS_EV_STARTED:
		cs_awaiting_started(&s->awaiting, x->id, x->t_us);
		return 0;
	case CS_EV_FINISH:
		rc = cs_runtimes_add(s->runtimes, &x->of, x->ran_us);
		cs_arrivals_ended(s->arrivals, x->id, x->ran_us);
		return rc;
	case CS_EV_CANCEL:
		cs_awaiting_remove(&s->awaiting, x->id);
		return 0;
	default:
		return 0;
	}
}

static void learn_notes(struct cs_estimator *s)
{
	for (uint32_t i = 0; i < s->n_note; i++) {
		learn(s, &s->note[i]);
		free(s->note[i].own);
	}
	s->n_note = 0;
}

/* The set has ended, or is given up. */
static void close_set(struct cs_estimator *s)
{
	cs_forward_free(s->forward);
	s->forward = NULL;
	s->run_ended = false;
	cs_engine_free(s->base);
	s->base = NULL;
	free(s->coming);
	s->coming = NULL;
	s->n_coming = 0;
	learn_notes(s);
}

/* Nothing of it is said, nor compared with a start. */
static void drop_set(struct cs_estimator *s)
{
	s->n_made = 0;
	close_set(s);
}

/* Learn @x now, or after the set.  What it borrows is copied if need be. */
static int take_note(struct cs_estimator *s, struct note *x)
{
	int rc;

	if (s->n_note == CS_ESTIMATE_EVENTS)
		drop_set(s);
	if (!s->base)
		return learn(s, x);
	rc = cs_array_room(&s->note, &s->cap_note, s->n_note + 1);
	if (!rc && x->type == CS_EV_SUBMIT)
		rc = cs_jobtable_describe(&x->job, &x->own, &x->job);
	if (!rc)
		s->note[s->n_note++] = *x;
	return rc;
}

/* What @ev, which @e has not received yet, says; false: nothing. */
static bool note_of(const struct cs_engine *e, const struct cs_event *ev,
		    struct note *x)
{
	const struct cs_ejob *j;
	int64_t from_us;

	*x = (struct note){ .type = ev->type, .t_us = ev->t_us };
	switch (ev->type) {
	case CS_EV_SUBMIT:
		x->id = ev->job->id;
		x->job = *ev->job;
		return true;
	case CS_EV_STARTED:
		x->id = ev->start->array_id ? ev->start->array_id
					    : ev->start->job_id;
		return true;
	case CS_EV_CANCEL:
		x->id = ev->job_id;
		return true;
	case CS_EV_FINISH:
		j = cs_engine_job(e, ev->job_id);
		if (!j || j->resized || j->state == CS_WAITING)
			return false;
		from_us = j->from_us ? j->from_us : j->start_us;
		x->id = j->job.array_id ? j->job.array_id : ev->job_id;
		x->of = cs_runtime_of(&j->job);
		x->ran_us = ev->t_us - from_us;
		return true;
	default:
		return false;
	}
}

/* Rule 9. */
static void begin_at(struct cs_estimator *s, int64_t t_us)
{
	if (!s->began)
		s->from_us = t_us;
	s->began = true;
}

/* Rule 9: arrivals are counted from the last one of the history, whose line @text was read. */
static void from_last_arrival(struct cs_estimator *s, const char *text)
{
	int64_t last_us = cs_arrivals_is_line(text)
				  ? cs_arrivals_last_us(s->arrivals)
				  : CS_TIME_NONE;

	if (last_us != CS_TIME_NONE)
		s->from_us = last_us;
}

/* What fits may not fit after @ev. */
static void forget_fits(struct cs_estimator *s, const struct cs_event *ev)
{
	switch (ev->type) {
	case CS_EV_SUBMIT:
	case CS_EV_CHANGE:
	case CS_EV_REQUEUE:
		cs_idmap_remove(&s->fits, ev->job->id);
		break;
	case CS_EV_CANCEL:
		cs_idmap_remove(&s->fits, ev->job_id);
		break;
	case CS_EV_STARTED:
		cs_idmap_remove(&s->fits, ev->start->job_id);
		cs_idmap_remove(&s->fits, ev->start->array_id);
		break;
	case CS_EV_NODE:
		if (ev->node.now)
			cs_idmap_clear(&s->fits);
		break;
	case CS_EV_NODESET:
	case CS_EV_RESERVATION:
	case CS_EV_KEPT:
		cs_idmap_clear(&s->fits);
		break;
	default:
		break;
	}
}

/* @ev has happened; @x is what it says, or NULL.  0, -ENOMEM. */
static int take(struct cs_estimator *s, const struct cs_event *ev,
		struct note *x)
{
	bool fresh = ev->type == CS_EV_SUBMIT || ev->type == CS_EV_REQUEUE;

	if (!fresh && !x)
		return 0;
	begin_at(s, ev->t_us);
	if (fresh && add_fresh(s, ev->job->id))
		return -ENOMEM;
	return x ? take_note(s, x) : 0;
}

int cs_estimator_tell(struct cs_estimator *s, struct cs_engine *e,
		      const struct cs_event *ev, struct cs_err *err)
{
	bool says;
	struct note x;
	int rc;

	if (ev->type == CS_EV_KEPT && cs_estimator_is_line(ev->kept)) {
		rc = s ? restore(s, e, ev->t_us, ev->kept, err) : 0;
		if (s && !rc) {
			begin_at(s, ev->t_us);
			from_last_arrival(s, ev->kept + strlen(LINE));
		}
		return rc;
	}
	says = s && note_of(e, ev, &x);
	rc = cs_engine_event(e, ev, err);
	if (rc || !s)
		return rc;
	forget_fits(s, ev);
	if (take(s, ev, says ? &x : NULL))
		s->lost = true;
	return 0;
}

/* ---- a set ----------------------------------------------------------------- */

/* Rule 6: may @j start by all but room, and by the engine's own test? */
static bool is_free(const struct cs_engine *e, struct cs_ejob *j)
{
	for (uint32_t i = 0; i < j->job.n_option; i++) {
		const struct cs_entry x = { j, i };

		if (!(cs_job_flags(j, i) & CS_JOB_HOST) &&
		    cs_eligible_why_not(e, &x) == CS_WHY_NEW)
			return true;
	}
	return false;
}

/* Could some nodes hold @j, all up and empty?  That it fits is asked once, until
 * forget_fits() is told; not of what the host may place, which depends on refusals. */
static bool fits(struct cs_estimator *s, const struct cs_engine *e,
		 const struct cs_ejob *j)
{
	if (cs_idmap_find(&s->fits, j->job.id))
		return true;
	if (!cs_engine_could_run(e, j->job.id))
		return false;
	for (uint32_t i = 0; i < j->job.n_option; i++)
		if (cs_job_flags(j, i) & CS_JOB_HOST)
			return true;
	if (!cs_idmap_reserve(&s->fits, s->fits.n + 1))
		cs_idmap_add(&s->fits, j->job.id, s);
	return true;
}

/* Those of @id [@n] that may be estimated into s->start, which has room. */
static void choose_jobs(struct cs_estimator *s, const struct cs_engine *e,
			const uint32_t *id, uint32_t n)
{
	s->n_job = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct cs_ejob *j = cs_engine_job(e, id[i]);

		if (j && cs_waits(j) && is_free(e, j) && fits(s, e, j))
			s->start[s->n_job++].job_id = id[i];
	}
}

static int by_job(const void *a, const void *b)
{
	const struct cs_forward_start *x = a, *y = b;

	return x->job_id < y->job_id ? -1 : x->job_id > y->job_id;
}

/* Is @id of the set?  In a set of new jobs *@k of them came before it. */
static bool is_chosen(const struct cs_estimator *s, uint32_t id, uint32_t *k)
{
	const struct cs_forward_start key = { .job_id = id };

	if (s->all)
		return s->n_job &&
		       bsearch(&key, s->start, s->n_job, sizeof(key), by_job);
	if (*k == s->n_job || s->start[*k].job_id != id)
		return false;
	++*k;
	return true;
}

/* Those of the set, and jobs that no longer wait, are not fresh any more. */
static void drop_chosen(struct cs_estimator *s, const struct cs_engine *e)
{
	uint32_t kept = 0, k = 0;

	for (uint32_t i = 0; i < s->n_fresh; i++) {
		uint32_t id = s->fresh[i];
		const struct cs_ejob *j = cs_engine_job(e, id);

		if (!is_chosen(s, id, &k) && j && cs_waits(j))
			s->fresh[kept++] = id;
		else
			cs_idmap_remove(&s->fresh_ids, id);
	}
	s->n_fresh = s->n_left_out = kept;
}

/* Room for @n jobs.  0, -ENOMEM. */
static int set_room(struct cs_estimator *s, uint32_t n)
{
	free(s->start);
	free(s->wait);
	free(s->started);
	free(s->made);
	free(s->coming);
	s->n_made = s->n_coming = 0;
	s->start = calloc(n, sizeof(*s->start));
	s->wait = calloc((size_t)n * RUNS, sizeof(*s->wait));
	s->started = calloc(n, sizeof(*s->started));
	s->made = calloc(n, sizeof(*s->made));
	s->coming = calloc(n, sizeof(*s->coming));
	return s->start && s->wait && s->started && s->made && s->coming
		       ? 0
		       : -ENOMEM;
}

/* Room for the jobs of a set, and the jobs.  0, -ENOMEM. */
static int find_jobs(struct cs_estimator *s, const struct cs_engine *e)
{
	size_t n = s->all ? cs_engine_list(e, false, NULL, 0) : s->n_fresh;
	uint32_t *id;

	s->n_job = 0;
	if (!n)
		return 0;
	if (s->all && n > CS_ESTIMATE_MOST)
		n = CS_ESTIMATE_MOST;
	if (set_room(s, (uint32_t)n))
		return -ENOMEM;
	if (!s->all) {
		choose_jobs(s, e, s->fresh, s->n_fresh);
		return 0;
	}
	id = calloc(n, sizeof(*id));
	if (!id)
		return -ENOMEM;
	if (cs_engine_list(e, false, id, n) >= n)
		choose_jobs(s, e, id, (uint32_t)n);
	free(id);
	return 0;
}

int cs_estimator_begin(struct cs_estimator *s, const struct cs_engine *e,
		       enum cs_estimate_of of, bool *ret_any,
		       struct cs_err *err)
{
	*ret_any = false;
	if (s->base)
		return cs_err_set(err, -EBUSY,
				  "estimates: a set is not finished");
	s->n_made = 0;
	if (s->lost)
		return cs_err_set(err, -ENOMEM, "estimates: out of memory");
	if (of == CS_ESTIMATE_NEW && !s->n_fresh)
		return 0;
	if (e->slice->stops)
		return cs_err_set(err, -ENOTSUP,
				  "estimates: time slices, expected none");
	s->all = of == CS_ESTIMATE_ALL;
	if (find_jobs(s, e))
		return cs_err_set(err, -ENOMEM, "estimates: out of memory");
	if (s->n_job) {
		s->base = cs_engine_copy(e, err);
		if (!s->base)
			return !cs_engine_copies(e) ? -ENOTSUP
			       : e->open	    ? -EBUSY
						    : -ENOMEM;
	}
	drop_chosen(s, e);
	if (!s->base)
		return 0;
	cs_awaiting_pass(&s->awaiting, e->now_us);
	s->sets++;
	s->run = 0;
	*ret_any = true;
	return 0;
}

bool cs_estimator_works(const struct cs_estimator *s)
{
	return s->base;
}

void cs_estimator_drop(struct cs_estimator *s)
{
	if (s->base)
		drop_set(s);
}

bool cs_estimator_has_new(const struct cs_estimator *s)
{
	return s->n_fresh > s->n_left_out;
}

/* Rule 1: the next run of the set, by limits or by draws. */
static int begin_run(struct cs_estimator *s, int64_t *steps)
{
	struct cs_forward_as as = { 0 };
	uint32_t weeks = cs_arrivals_weeks(s->arrivals, s->base->now_us);
	struct cs_err err;

	if (s->run) {
		uint32_t d = s->run - 1;

		as.runtimes = s->runtimes;
		as.seed = cs_rng_hash(cs_rng_hash(s->seed, s->sets), d);
		as.arrivals = s->arrivals;
		as.weeks = weeks ? 1 + d % weeks : 0;
	}
	s->left = RUN_STEPS;
	*steps -= 1 + s->base->machine->n_node / NODES_A_STEP;
	s->forward = cs_forward_create(s->base, &as, s->start, s->n_job, &err);
	if (s->forward)
		return 0;
	return s->base->slice->stops ? -ENOTSUP : -ENOMEM;
}

/* What the run has found (rule 5). */
static void end_run(struct cs_estimator *s)
{
	int64_t until_us = cs_forward_now_us(s->forward);

	for (uint32_t i = 0; i < s->n_job; i++) {
		bool starts = s->start[i].at_us != CS_TIME_NONE;
		int64_t at_us = starts ? s->start[i].at_us : until_us;

		s->wait[i * RUNS + s->run] = at_us - s->base->now_us;
		if (s->run && (starts || s->left <= 0))
			s->started[i]++;
	}
	s->run_ended = true;
}

/* Some of the run, or of what remains of one that has ended. */
static int continue_run(struct cs_estimator *s, int64_t *steps)
{
	int64_t before = *steps < s->left ? *steps : s->left, left = before;
	bool more;
	int rc;

	if (s->run_ended) {
		if (cs_forward_free_some(s->forward, steps))
			return 0;
		s->forward = NULL;
		s->run_ended = false;
		s->run++;
		return 0;
	}
	rc = cs_forward_run(s->forward, &left, &more);
	*steps -= before - left;
	s->left -= before - left;
	if (!rc && (!more || s->left <= 0))
		end_run(s);
	return rc;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int by_length(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int64_t later(int64_t at_us, double wait_s)
{
	double at = (double)at_us + wait_s * 1e6;

	return at < 9e18 ? (int64_t)at : CS_TIME_NONE - 1;
}

/* Rules 2 to 4 and 8. */
static void estimate(struct cs_estimator *s, uint32_t job_id, int64_t *wait)
{
	int64_t now_us = s->base->now_us;
	bool first = !s->all || !cs_awaiting_has(&s->awaiting, job_id);
	struct cs_wait_two_ways two;
	struct cs_awaited o;
	int64_t start_us;

	qsort(wait + 1, DRAWN, sizeof(*wait), by_length);
	two.limits_s = seconds(wait[0]);
	two.drawn_s = seconds(wait[1 + MIDDLE]);
	two.drawn.low_s = seconds(wait[1 + LOW]);
	two.drawn.high_s = cs_real_root((seconds(wait[1 + HIGH]) + SHIFT_S) *
					(two.limits_s + SHIFT_S)) -
			   SHIFT_S;
	o = cs_awaiting_say(&s->awaiting, job_id, now_us, &two);
	start_us = now_us + wait[o.by_limits ? 0 : 1 + MIDDLE];
	s->made[s->n_made++] = (struct cs_estimate){
		.job_id = job_id,
		.at_us = now_us,
		.start_us = start_us,
		.low_us = least(later(now_us, o.said.low_s), start_us),
		.high_us = most(later(now_us, o.said.high_s), start_us),
		.limits_us = now_us + wait[0],
		.first = first,
	};
	if (first)
		s->coming[s->n_coming++] = o;
}

/* Rule 5: the member of a job that does not start in most runs. */
static void no_estimate(struct cs_estimator *s, uint32_t job_id)
{
	s->made[s->n_made++] = (struct cs_estimate){
		.job_id = job_id,
		.at_us = s->base->now_us,
		.start_us = CS_TIME_NONE,
		.low_us = CS_TIME_NONE,
		.high_us = CS_TIME_NONE,
		.limits_us = CS_TIME_NONE,
		.first = !s->all,
	};
}

/* All runs are there: some estimates, then what remains of the set.  *ret_more: that is
 * not all. */
static int end_set(struct cs_estimator *s, int64_t steps, bool *ret_more)
{
	int rc;

	for (; s->n_made < s->n_job && steps > 0; steps--) {
		uint32_t i = s->n_made;

		if (s->started[i] > DRAWN / 2)
			estimate(s, s->start[i].job_id,
				 s->wait + (size_t)i * RUNS);
		else
			no_estimate(s, s->start[i].job_id);
	}
	*ret_more =
		s->n_made < s->n_job || cs_forward_free_jobs(s->base, &steps);
	if (*ret_more)
		return 0;
	rc = cs_awaiting_add(&s->awaiting, s->coming, s->n_coming);
	if (rc)
		drop_set(s);
	else
		close_set(s);
	return rc;
}

int cs_estimator_step(struct cs_estimator *s, int64_t steps, bool *ret_more)
{
	int rc = 0;

	*ret_more = false;
	while (!rc && s->base && s->run < RUNS && steps > 0)
		rc = s->forward ? continue_run(s, &steps)
				: begin_run(s, &steps);
	if (rc) {
		drop_set(s);
		return rc;
	}
	if (!s->base)
		return 0;
	*ret_more = steps <= 0;
	return *ret_more ? 0 : end_set(s, steps, ret_more);
}

const struct cs_outcomes *cs_estimator_outcomes(const struct cs_estimator *s)
{
	return &s->awaiting.outcomes;
}

const struct cs_estimate *cs_estimator_made(const struct cs_estimator *s,
					    uint32_t *ret_n)
{
	*ret_n = s->base ? 0 : s->n_made;
	return s->made;
}

/* ---- life ------------------------------------------------------------------ */

struct cs_estimator *cs_estimator_create(uint64_t seed)
{
	struct cs_estimator *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->seed = seed;
	s->runtimes = cs_runtimes_create(GROUPS_MOST);
	s->arrivals = cs_arrivals_create(ARRIVALS_MOST);
	if (!cs_awaiting_init(&s->awaiting) && s->runtimes && s->arrivals)
		return s;
	cs_estimator_free(s);
	return NULL;
}

void cs_estimator_free(struct cs_estimator *s)
{
	if (!s)
		return;
	cs_forward_free(s->forward);
	cs_engine_free(s->base);
	for (uint32_t i = 0; i < s->n_note; i++)
		free(s->note[i].own);
	free(s->note);
	cs_runtimes_free(s->runtimes);
	cs_arrivals_free(s->arrivals);
	cs_awaiting_done(&s->awaiting);
	free(s->fresh);
	cs_idmap_done(&s->fresh_ids);
	cs_idmap_done(&s->fits);
	free(s->start);
	free(s->wait);
	free(s->started);
	free(s->made);
	free(s->coming);
	free(s);
}
