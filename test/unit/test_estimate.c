/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates of starts: the example and the rules of estimate.c. */
#define CS_TEST_ALLOC
#include "cs_test.h"
#include "rig.h"

#include <errno.h>
#include <string.h>

#include "common/estimate/estimate.h"
#include "common/log/write_line.h"

/* A cluster, and what estimates its starts. */
struct world {
	struct rig rig;
	struct cs_estimator *estimates;
};

static void estimate_with(struct world *w, struct cs_estimator *s)
{
	assert_non_null(s);
	w->estimates = w->rig.estimates = s;
}

static void open_world(struct world *w, const char *params, uint16_t cores)
{
	rig_open(&w->rig, params, NULL, 1, 1, cores, 0);
	estimate_with(w, cs_estimator_create(1));
}

static void close_world(struct world *w)
{
	cs_estimator_free(w->estimates);
	rig_close(&w->rig);
}

static void decide(struct world *w)
{
	rig_decide(&w->rig);
	if (w->rig.n_log > 200)
		w->rig.n_log = 0;
}

static void submit(struct world *w, const struct cs_job *j)
{
	rig_submit(&w->rig, j);
	decide(w);
}

static void finish(struct world *w, uint32_t id)
{
	rig_finish(&w->rig, id);
	decide(w);
}

static void at(struct world *w, int64_t s)
{
	w->rig.now_us = s * RIG_S;
}

/* A set, in pieces of @steps; how many estimates. */
static uint32_t make(struct world *w, int64_t steps,
		     const struct cs_estimate **ret)
{
	struct cs_err err = { "" };
	uint32_t n = 0;
	bool more;

	if (cs_estimator_begin(w->estimates, w->rig.engine, CS_ESTIMATE_NEW,
			       &more, &err))
		fail_msg("%s", err.text);
	if (!more)
		return 0;
	while (more)
		assert_int_equal(cs_estimator_step(w->estimates, steps, &more),
				 0);
	*ret = cs_estimator_made(w->estimates, &n);
	return n;
}

/* A job of four cores that needs @limit_s at most on a full node. */
static struct cs_job full(struct world *w, uint32_t id, int64_t limit_s)
{
	struct cs_job j = rig_job(&w->rig, id, 4, limit_s, NULL);

	j.base_procs = 4;
	return j;
}

/* @runs jobs of 100 s, limit 1,000 s, on one node of four cores; then one that runs and
 * one that waits since 10 s. */
static void repeated_jobs(struct world *w, uint32_t runs)
{
	struct cs_job j;
	uint32_t id = 1;

	open_world(w, "policy=easy", 4);
	w->rig.limit_us = 1000 * RIG_S;
	for (; id <= runs + 1; id++) {
		at(w, 200 * id);
		j = full(w, id, 1000);
		submit(w, &j);
		if (id > runs)
			break;
		at(w, 200 * id + 100);
		finish(w, id);
	}
	at(w, 200 * id + 10);
	j = full(w, id + 1, 1000);
	submit(w, &j);
}

static void two_runs_of_the_user_beat_the_limit(void **state)
{
	const struct cs_estimate *x;
	struct world w;

	(void)state;
	repeated_jobs(&w, 2);
	assert_int_equal(make(&w, INT64_MAX, &x), 1);
	assert_int_equal(x->job_id, 4);
	assert_int_equal(x->at_us, 610 * RIG_S);
	assert_int_equal(x->start_us, 700 * RIG_S);
	assert_int_equal(x->limits_us, 1600 * RIG_S);
	assert_int_equal(x->low_us, 700 * RIG_S);
	/* sqrt((90 + 300)(990 + 300)) - 300 = 409.3 s, upward */
	assert_int_equal(x->high_us, (610 + 410) * RIG_S);
	/* each job once */
	assert_int_equal(make(&w, INT64_MAX, &x), 0);
	close_world(&w);
	repeated_jobs(&w, 0);
	assert_int_equal(make(&w, INT64_MAX, &x), 1);
	assert_int_equal(x->start_us, 1200 * RIG_S);
	assert_int_equal(x->low_us, x->start_us);
	assert_int_equal(x->high_us, x->start_us);
	close_world(&w);
}

static void a_job_that_waits_for_more_than_room_has_none(void **state)
{
	const struct cs_estimate *x;
	struct cs_event ev = { .type = CS_EV_CHANGE };
	struct cs_job j;
	struct world w;

	(void)state;
	repeated_jobs(&w, 2);
	assert_int_equal(make(&w, INT64_MAX, &x), 1);
	j = full(&w, 10, 1000);
	j.flags = CS_JOB_BLOCKED;
	submit(&w, &j);
	j = rig_job(&w.rig, 11, 5, 1000, NULL); /* no node is so large */
	submit(&w, &j);
	j = full(&w, 12, 1000);
	j.flags = CS_JOB_HOST;
	submit(&w, &j);
	j = full(&w, 13, 1000);
	submit(&w, &j);
	assert_int_equal(make(&w, INT64_MAX, &x), 1);
	assert_int_equal(x->job_id, 13);
	/* what starts, is requeued and waits again has one more */
	finish(&w, 3);
	assert_true(rig_runs(&w.rig, 4));
	at(&w, 5000); /* job 13 goes first */
	j = full(&w, 4, 1000);
	ev = (struct cs_event){ .type = CS_EV_REQUEUE,
				.t_us = w.rig.now_us,
				.job = &j };
	rig_tell(&w.rig, ev);
	decide(&w);
	assert_int_equal(make(&w, INT64_MAX, &x), 1);
	assert_int_equal(x->job_id, 4);
	ev = (struct cs_event){ .type = CS_EV_CHANGE };
	/* released, it is estimated */
	j = full(&w, 10, 1000);
	ev.job = &j;
	rig_tell(&w.rig, ev);
	decide(&w);
	assert_int_equal(make(&w, INT64_MAX, &x), 1);
	assert_int_equal(x->job_id, 10);
	assert_true(x->start_us > w.rig.now_us);
	close_world(&w);
}

/* A job needs the node that is down: it is of a set, and has no estimate. */
static void a_job_that_never_starts_has_no_times(void **state)
{
	const struct cs_estimate *x;
	struct cs_job j;
	struct world w;

	(void)state;
	rig_open(&w.rig, "policy=easy", NULL, 2, 1, 4, 0);
	estimate_with(&w, cs_estimator_create(1));
	w.rig.limit_us = 1000 * RIG_S;
	rig_tell(&w.rig, (struct cs_event){ .type = CS_EV_NODE,
					    .node = { .index = 1 } });
	j = rig_job(&w.rig, 1, 8, 1000, NULL);
	j.base_procs = 4;
	submit(&w, &j);
	j = full(&w, 2, 1000);
	submit(&w, &j);
	j = full(&w, 3, 1000);
	submit(&w, &j);
	assert_int_equal(make(&w, INT64_MAX, &x), 2);
	assert_int_equal(x[0].job_id, 1);
	assert_int_equal(x[0].at_us, w.rig.now_us);
	assert_true(x[0].start_us == CS_TIME_NONE);
	assert_true(x[0].low_us == CS_TIME_NONE);
	assert_true(x[0].high_us == CS_TIME_NONE);
	assert_true(x[0].limits_us == CS_TIME_NONE);
	assert_int_equal(x[1].job_id, 3);
	assert_int_equal(x[1].start_us, 1000 * RIG_S);
	assert_int_equal(make(&w, INT64_MAX, &x), 0);
	close_world(&w);
}

/* A job that was requeued has its new place, whether or not a set came between. */
static void a_requeued_job_is_the_last_of_its_set(void **state)
{
	(void)state;
	for (int between = 0; between < 2; between++) {
		const struct cs_estimate *x;
		struct cs_event ev;
		struct cs_job j;
		struct world w;

		open_world(&w, "policy=easy", 4);
		w.rig.limit_us = 1000 * RIG_S;
		j = full(&w, 1, 1000);
		submit(&w, &j);
		if (between)
			assert_int_equal(make(&w, INT64_MAX, &x), 0);
		at(&w, 10);
		j = full(&w, 2, 1000);
		j.flags = CS_JOB_BLOCKED; /* it stays fresh */
		submit(&w, &j);
		j = full(&w, 1, 1000);
		j.eligible_us = 20 * RIG_S;
		ev = (struct cs_event){ .type = CS_EV_REQUEUE,
					.t_us = w.rig.now_us,
					.job = &j };
		rig_tell(&w.rig, ev);
		at(&w, 20);
		j = full(&w, 2, 1000);
		ev = (struct cs_event){ .type = CS_EV_CHANGE, .job = &j };
		rig_tell(&w.rig, ev);
		assert_int_equal(make(&w, INT64_MAX, &x), 2);
		assert_int_equal(x[0].job_id, 2);
		assert_int_equal(x[1].job_id, 1);
		close_world(&w);
	}
}

/* Limits are the runtimes, each longer than the last: other runs only mislead. */
static void where_limits_are_runtimes_limits_are_said(void **state)
{
	const struct cs_estimate *x;
	int64_t limit_s[2] = { 0 }, begun_s = 0, s = 0;
	unsigned int exact = 0, all = 0;
	struct world w;

	(void)state;
	open_world(&w, "policy=fcfs", 4);
	for (uint32_t id = 1; id <= 200; id++) {
		struct cs_job j;

		limit_s[id % 2] = 1000 + 500 * (int64_t)id;
		j = full(&w, id, limit_s[id % 2]);
		w.rig.limit_us =
			j.estimate_us; /* of the one that starts next */
		submit(&w, &j);
		if (id > 1) {
			assert_int_equal(make(&w, INT64_MAX, &x), 1);
			if (id > 100) {
				all++;
				exact += x->start_us == x->limits_us &&
					 x->low_us == x->start_us &&
					 x->high_us == x->start_us;
			}
			s = begun_s + limit_s[(id + 1) % 2];
			at(&w, s);
			finish(&w, id - 1);
			begun_s = s;
		}
	}
	assert_int_equal(exact, all);
	close_world(&w);
}

static void assert_same(const struct cs_estimate *a,
			const struct cs_estimate *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(b[i].job_id, a[i].job_id);
		assert_int_equal(b[i].at_us, a[i].at_us);
		assert_int_equal(b[i].start_us, a[i].start_us);
		assert_int_equal(b[i].low_us, a[i].low_us);
		assert_int_equal(b[i].high_us, a[i].high_us);
		assert_int_equal(b[i].limits_us, a[i].limits_us);
	}
}

/* Two that are told the same estimate alike, one at once and one in small steps between
 * the events. */
static void steps_and_events_between_change_nothing(void **state)
{
	uint64_t seed = cs_test_seed();
	uint32_t sets = 0, paused = 0, several = 0;

	(void)state;
	for (int k = 0; k < 4; k++) {
		struct world w, slow;
		struct cs_estimate *want = NULL;
		uint32_t n_want = 0, n;
		bool open = false, any;

		open_world(&w, "policy=balanced", 8);
		open_world(&slow, "policy=balanced", 8);
		for (uint32_t id = 1; id <= 120; id++) {
			struct cs_job j = rig_job(
				&w.rig, id,
				1 + (uint32_t)cs_test_draw(&seed, 6),
				100 * (1 + (int64_t)cs_test_draw(&seed, 9)),
				NULL);
			const struct cs_estimate *x = NULL;
			uint32_t some;

			w.rig.now_us +=
				(int64_t)cs_test_draw(&seed, 100) * RIG_S;
			slow.rig.now_us = w.rig.now_us;
			j.submit_us = j.eligible_us = w.rig.now_us;
			some = rig_some_running(&w.rig, &seed);
			submit(&w, &j);
			submit(&slow, &j);
			if (some && cs_test_draw(&seed, 3)) {
				finish(&w, some);
				finish(&slow, some);
			}
			assert_int_equal(cs_estimator_begin(slow.estimates,
							    slow.rig.engine,
							    CS_ESTIMATE_NEW,
							    &any, NULL),
					 open ? -EBUSY : 0);
			if (!open) {
				n_want = make(&w, INT64_MAX, &x);
				assert_true(any || !n_want);
				open = any;
				free(want);
				want = calloc(n_want + 1, sizeof(*want));
				assert_non_null(want);
				if (n_want)
					memcpy(want, x, n_want * sizeof(*want));
			}
			if (!open)
				continue;
			assert_int_equal(
				cs_estimator_step(slow.estimates, 200, &open),
				0);
			paused += open;
			if (open)
				continue;
			sets++;
			x = cs_estimator_made(slow.estimates, &n);
			assert_int_equal(n, n_want);
			assert_same(want, x, n);
			several += n > 1;
		}
		free(want);
		close_world(&slow);
		close_world(&w);
	}
	/* it was about something */
	assert_true(sets > 20);
	assert_true(paused > 20);
	assert_true(several > 5);
}

/* A set of all waiting jobs: @n of them, from @x on. */
static uint32_t make_all(struct world *w, const struct cs_estimate **ret)
{
	uint32_t n;
	bool more;

	assert_int_equal(cs_estimator_begin(w->estimates, w->rig.engine,
					    CS_ESTIMATE_ALL, &more, NULL),
			 0);
	assert_int_equal(cs_estimator_works(w->estimates), more);
	while (more)
		assert_int_equal(cs_estimator_step(w->estimates, 100, &more),
				 0);
	assert_false(cs_estimator_works(w->estimates));
	*ret = cs_estimator_made(w->estimates, &n);
	return n;
}

static void only_the_first_estimate_of_a_job_is_the_first(void **state)
{
	const struct cs_estimate *x;
	struct cs_job j;
	struct world w;

	(void)state;
	repeated_jobs(&w, 2);
	assert_true(cs_estimator_has_new(w.estimates));
	assert_int_equal(make_all(&w, &x), 1);
	assert_false(cs_estimator_has_new(w.estimates));
	assert_true(x->first);
	assert_int_equal(x->start_us, 700 * RIG_S);
	/* job 3 has run for 80 s: job 4 is estimated anew, beside job 5 */
	at(&w, 680);
	j = full(&w, 5, 1000);
	submit(&w, &j);
	assert_int_equal(make_all(&w, &x), 2);
	assert_int_equal(x[0].job_id, 4);
	assert_false(x[0].first);
	assert_int_equal(x[0].at_us, 680 * RIG_S);
	assert_int_equal(x[0].start_us, 700 * RIG_S);
	assert_int_equal(x[1].job_id, 5);
	assert_true(x[1].first);
	/* a set that is dropped leaves no estimate, and another may begin */
	finish(&w, 3);
	j = full(&w, 6, 1000);
	submit(&w, &j);
	for (int i = 0; i < 2; i++) {
		bool more;

		assert_int_equal(cs_estimator_begin(w.estimates, w.rig.engine,
						    CS_ESTIMATE_ALL, &more,
						    NULL),
				 0);
		assert_true(more);
		cs_estimator_drop(w.estimates);
		assert_false(cs_estimator_works(w.estimates));
	}
	assert_int_equal(make_all(&w, &x), 2);
	assert_int_equal(x[1].job_id, 6);
	assert_true(x[1].first);
	close_world(&w);
}

static void what_the_engine_refuses_is_not_learned(void **state)
{
	struct cs_job j;
	struct cs_event ev = { .type = CS_EV_SUBMIT, .job = &j };
	struct world w;

	(void)state;
	open_world(&w, "policy=easy", 4);
	j = full(&w, 1, 1000);
	j.procs = 0;
	ev.t_us = w.rig.now_us;
	assert_true(cs_estimator_tell(w.estimates, w.rig.engine, &ev, NULL) <
		    0);
	assert_false(cs_estimator_has_new(w.estimates));
	j = full(&w, 1, 1000);
	assert_int_equal(
		cs_estimator_tell(w.estimates, w.rig.engine, &ev, NULL), 0);
	assert_true(cs_estimator_has_new(w.estimates));
	assert_int_equal(cs_engine_use(w.rig.engine).waiting, 1);
	/* without an estimator the engine alone has it */
	j = full(&w, 2, 1000);
	assert_int_equal(cs_estimator_tell(NULL, w.rig.engine, &ev, NULL), 0);
	assert_int_equal(cs_engine_use(w.rig.engine).waiting, 2);
	close_world(&w);
}

static char *saved(const struct world *w)
{
	const struct cs_estimator *s = w->estimates;
	size_t n = cs_estimator_save(s, w->rig.engine, NULL, 0);
	char *text = malloc(n + 1);

	assert_non_null(text);
	assert_int_equal(cs_estimator_save(s, w->rig.engine, text, n + 1), n);
	assert_int_equal(strlen(text), n);
	return text;
}

/* Replace the estimator by a new one that has the lines of @text. */
static void restore(struct world *w, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	struct cs_event ev = { .type = CS_EV_KEPT, .t_us = w->rig.now_us };

	assert_non_null(copy);
	cs_estimator_free(w->estimates);
	estimate_with(w, cs_estimator_create(1));
	for (char *l = strtok_r(copy, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		assert_true(cs_estimator_is_line(l));
		ev.kept = l;
		assert_int_equal(cs_estimator_tell(w->estimates, w->rig.engine,
						   &ev, NULL),
				 0);
	}
	free(copy);
}

/* Two that are restored from the same lines save these lines, and estimate alike. */
static void a_history_outlives_its_estimator(void **state)
{
	const struct cs_estimate *x;
	struct cs_estimate want;
	char *text, *again;
	struct cs_job j;
	struct world w;

	(void)state;
	repeated_jobs(&w, 30);
	for (uint32_t id = 32; id < 60; id++) {
		assert_int_equal(make(&w, INT64_MAX, &x), 1);
		w.rig.now_us += (90 + 3 * id) * RIG_S;
		finish(&w, id - 1);
		w.rig.now_us += 10 * RIG_S;
		j = full(&w, id + 1, 1000);
		submit(&w, &j);
	}
	text = saved(&w);
	assert_non_null(strstr(text, "estimate draws low 0 "));
	assert_non_null(strstr(text, "estimate limits error "));
	assert_non_null(strstr(text, "estimate arrival "));
	for (int i = 0; i < 2; i++) {
		restore(&w, text);
		again = saved(&w);
		assert_string_equal(again, text);
		free(again);
		assert_int_equal(make_all(&w, &x), 1);
		if (i)
			assert_same(&want, x, 1);
		want = *x;
	}
	/* not by its limit, and calibrated */
	assert_true(x->start_us < x->limits_us - 500 * RIG_S);
	assert_true(x->low_us < x->start_us && x->start_us < x->high_us);
	free(text);
	close_world(&w);
}

static void damaged_lines_are_refused(void **state)
{
	static const char *const lines[] = {
		"estimate ",
		"estimate sets",
		"estimate sets -1",
		"estimate sets 1 2",
		"estimate group",
		"estimate group 17",
		"estimate group 17 5x",
		"estimate group 99999999999999999999 5",
		"estimate group 17 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
		"estimate group 17 0",
		"estimate group 17 5 -5",
		"estimate ratios  5",
		"estimate ratios 5 -1",
		"estimate ratios 1000000000001",
		"estimate ratios 5 9223372036854775807",
		"estimate draws",
		"estimate draws\0error 5", /* its end counts, not what follows */
		"estimate limits\0width 5",
		"estimate draws levels 6 1 1",
		"estimate draws levels 0 1",
		"estimate draws levels 0 1 500001",
		"estimate draws low 7 1",
		"estimate limits high 0x 1",
		"estimate limits width 1 nan",
		"estimate whatever 1",
		"estimate arrivals",
		"estimate arrival 1",
		"estimate nodes 0 0 0", /* no "arrivals" before it */
	};
	char *text, *again;
	struct world w;

	(void)state;
	repeated_jobs(&w, 2);
	text = saved(&w);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct cs_event ev = { .type = CS_EV_KEPT, .kept = lines[i] };
		struct cs_err err = { "" };

		if (cs_estimator_tell(w.estimates, w.rig.engine, &ev, &err) !=
		    -EINVAL)
			fail_msg("\"%s\" is accepted", lines[i]);
		assert_non_null(strstr(err.text, "damaged"));
		/* without an estimator it is not the engine's, either */
		assert_int_equal(
			cs_estimator_tell(NULL, w.rig.engine, &ev, NULL), 0);
	}
	again = saved(&w);
	assert_string_equal(again, text);
	free(again);
	free(text);
	close_world(&w);
}

static char *put_times(char *to, int n, const char *text)
{
	while (n--)
		to = stpcpy(to, text);
	return to;
}

/* The longest line of each kind that is restored is saved, and stands whole in a log. */
static void long_lines_are_logged_whole(void **state)
{
	static char text[20000], logged[20000];
	char *to = text, *copy, *save = NULL;
	uint32_t arrivals = 0, windows = 0;
	struct world w;

	(void)state;
	rig_open(&w.rig, "policy=easy", NULL, 256, 1, 4, 0);
	estimate_with(&w, cs_estimator_create(1));
	to = stpcpy(to, "estimate arrivals 256\nestimate nodes 0");
	for (int i = 0; i < 256; i += 2)
		to += sprintf(to, " %d %d", i, i);
	to = stpcpy(to, "\nestimate arrival 0 1000000000000000000 8");
	to = put_times(to, 10, " 4294967295");
	to = put_times(to, 2, " -9223372036854775807");
	to = put_times(to, 8, " 4294967295");
	to = stpcpy(to, " 1 4294967295 -2147483648 1000000000000000000");
	to = stpcpy(to, " 9000000000000000000");
	for (int i = 0; i < 8; i++)
		to = stpcpy(to, " 4294967295 4294967295 4294967295"
				" -9223372036854775807 0"
				" 1000000000000000000 4294967295 4294967295");
	to = put_times(stpcpy(to, " ="), 200, "u");
	to = put_times(stpcpy(to, " = ="), 200, "n");
	to = stpcpy(to, " = = = =\nestimate draws error");
	to = put_times(to, 100, " -9000000000000000000");
	to = stpcpy(to, "\n");
	restore(&w, text);
	copy = saved(&w);
	for (char *l = strtok_r(copy, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		struct cs_event ev = { .type = CS_EV_KEPT, .kept = l };
		int n = cs_log_event(logged, sizeof(logged), NULL, &ev, NULL);

		assert_in_range(n, 1, sizeof(logged) - 1);
		assert_true(strlen(l) < CS_EVENT_KEPT);
		if (!strstr(logged, l))
			fail_msg("\"%s\" is cut: %s", l, logged);
		if (strlen(l) < 1024)
			continue;
		arrivals += !!strstr(l, "estimate arrival ");
		windows += !!strstr(l, "estimate draws error ");
	}
	assert_int_equal(arrivals, 1);
	assert_int_equal(windows, 1);
	free(copy);
	close_world(&w);
}

/* What is learned after a set has a bound: the set goes, what happened does not. */
static void too_many_events_drop_their_set(void **state)
{
	const struct cs_estimate *x;
	struct cs_event ev = { .type = CS_EV_SUBMIT };
	struct world w, calm;
	char *text, *want;
	struct cs_job j;
	uint32_t n;
	bool more;

	(void)state;
	repeated_jobs(&w, 2);
	repeated_jobs(&calm, 2);
	assert_int_equal(cs_estimator_begin(w.estimates, w.rig.engine,
					    CS_ESTIMATE_ALL, &more, NULL),
			 0);
	assert_true(more);
	for (uint32_t i = 0; i <= CS_ESTIMATE_EVENTS; i++) {
		assert_true(cs_estimator_works(w.estimates));
		if (i == 1) {
			finish(&w, 3); /* and job 4 starts */
			finish(&calm, 3);
			i++;
			continue;
		}
		j = full(&w, 10, 1000);
		ev.job = &j;
		ev.t_us = w.rig.now_us;
		if (i % 2)
			ev = (struct cs_event){ .type = CS_EV_CANCEL,
						.t_us = w.rig.now_us,
						.job_id = 10 };
		else
			ev = (struct cs_event){ .type = CS_EV_SUBMIT,
						.t_us = w.rig.now_us,
						.job = &j };
		assert_int_equal(
			cs_estimator_tell(w.estimates, w.rig.engine, &ev, NULL),
			0);
	}
	assert_false(cs_estimator_works(w.estimates));
	cs_estimator_made(w.estimates, &n);
	assert_int_equal(n, 0);
	assert_int_equal(cs_estimator_step(w.estimates, 1000, &more), 0);
	assert_false(more);
	/* the runtime of job 3 has been learned, as where no set was made, and the submits */
	text = saved(&w);
	want = saved(&calm);
	assert_non_null(strstr(text, " =\nestimate arrival 610000000 0 1 10 "));
	*strstr(text, "estimate arrivals") = '\0';
	*strstr(want, "estimate arrivals") = '\0';
	assert_non_null(strstr(text, "estimate group"));
	assert_string_equal(strstr(text, "estimate group"),
			    strstr(want, "estimate group"));
	free(text);
	free(want);
	/* and the next set is made */
	assert_int_equal(make_all(&w, &x), 1);
	close_world(&calm);
	close_world(&w);
}

/* Begin a set of ten waiting jobs and take at most @most small steps; how many it took. */
static uint32_t steps_of_ten(struct world *w, uint32_t most)
{
	uint32_t taken = 0;
	bool more;

	repeated_jobs(w, 2);
	for (uint32_t id = 5; id < 14; id++) {
		struct cs_job j = full(w, id, 1000);

		submit(w, &j);
	}
	assert_int_equal(cs_estimator_begin(w->estimates, w->rig.engine,
					    CS_ESTIMATE_ALL, &more, NULL),
			 0);
	for (; more && taken < most; taken++)
		assert_int_equal(cs_estimator_step(w->estimates, 1, &more), 0);
	return taken;
}

/* A set that is dropped near its end, with some estimates made: none was the first one. */
static void a_dropped_set_leaves_no_estimate(void **state)
{
	const struct cs_estimate *x;
	uint32_t all, n;
	struct world w;

	(void)state;
	all = steps_of_ten(&w, UINT32_MAX);
	assert_int_equal(make_all(&w, &x), 10);
	assert_false(x[0].first);
	close_world(&w);
	for (uint32_t before = 1; before < 10; before++) {
		assert_int_equal(steps_of_ten(&w, all - before), all - before);
		assert_true(cs_estimator_works(w.estimates));
		cs_estimator_drop(w.estimates);
		cs_estimator_made(w.estimates, &n);
		assert_int_equal(n, 0);
		assert_int_equal(make_all(&w, &x), 10);
		for (uint32_t i = 0; i < 10; i++)
			assert_true(x[i].first);
		close_world(&w);
	}
}

static void jobs_that_were_left_out_are_not_new_again(void **state)
{
	const struct cs_estimate *x;
	struct cs_event ev = { .type = CS_EV_REQUEUE };
	struct cs_job j;
	struct world w;

	(void)state;
	repeated_jobs(&w, 2);
	assert_int_equal(make_all(&w, &x), 1);
	assert_false(cs_estimator_has_new(w.estimates));
	j = full(&w, 10, 1000);
	j.flags = CS_JOB_BLOCKED;
	submit(&w, &j);
	assert_true(cs_estimator_has_new(w.estimates));
	assert_int_equal(make_all(&w, &x), 1);
	assert_int_equal(x->job_id, 4);
	assert_false(cs_estimator_has_new(w.estimates));
	/* another one is */
	j = full(&w, 11, 1000);
	submit(&w, &j);
	assert_true(cs_estimator_has_new(w.estimates));
	assert_int_equal(make_all(&w, &x), 2);
	assert_false(cs_estimator_has_new(w.estimates));
	/* and one that begins again */
	finish(&w, 3);
	assert_true(rig_runs(&w.rig, 4));
	j = full(&w, 4, 1000);
	j.flags = CS_JOB_BLOCKED;
	ev.job = &j;
	rig_tell(&w.rig, ev);
	assert_true(cs_estimator_has_new(w.estimates));
	close_world(&w);
}

static uint32_t chosen(struct world *w)
{
	const struct cs_estimate *x;

	return make_all(w, &x);
}

/* That a job fits is asked once, until the job or the machine is another. */
static void what_fits_is_asked_anew_after_a_change(void **state)
{
	struct cs_node large, small;
	struct cs_event node = { .type = CS_EV_NODE, .node = { .index = 1 } };
	struct cs_job j;
	struct world w;

	(void)state;
	rig_open(&w.rig, "policy=easy", NULL, 2, 1, 4, 0);
	estimate_with(&w, cs_estimator_create(1));
	large = small = w.rig.machine->node[1];
	small.cores_per_socket = 2;
	for (uint32_t id = 1; id <= 2; id++) { /* they hold both nodes */
		j = full(&w, id, 1000);
		submit(&w, &j);
	}
	j = rig_job(&w.rig, 3, 8, 1000, NULL);
	submit(&w, &j);
	assert_int_equal(chosen(&w), 1);
	assert_int_equal(chosen(&w), 1);
	/* the job is larger, and as it was */
	j.procs = 9;
	rig_tell(&w.rig, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(chosen(&w), 0);
	j.procs = 8;
	rig_tell(&w.rig, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(chosen(&w), 1);
	/* the node is smaller, and as it was; job 4 needs only the other one */
	rig_finish(&w.rig, 1);
	rig_finish(&w.rig, 2);
	rig_tell(&w.rig, node);
	j = full(&w, 4, 1000);
	submit(&w, &j);
	j = full(&w, 5, 1000);
	submit(&w, &j);
	assert_int_equal(chosen(&w), 2); /* 3 and 4 or 5 */
	node.node.now = &small;
	rig_tell(&w.rig, node);
	assert_int_equal(chosen(&w), 1);
	node.node.now = &large;
	rig_tell(&w.rig, node);
	assert_int_equal(chosen(&w), 2);
	close_world(&w);
}

static void without_memory_there_is_none(void **state)
{
	long kept = 0, lost = 0;

	(void)state;
	for (long n = 0, more = 1; more; n++) {
		struct cs_estimator *s;
		bool any, begun;
		struct world w;
		struct cs_event ev = { .type = CS_EV_SUBMIT };
		struct cs_job j;
		int rc;

		/* it is made and told */
		repeated_jobs(&w, 2);
		j = full(&w, 20, 1000);
		ev.job = &j;
		ev.t_us = w.rig.now_us;
		cs_test_fail_after(n);
		s = cs_estimator_create(1);
		rc = s ? cs_estimator_tell(s, w.rig.engine, &ev, NULL)
		       : -ENOMEM;
		more = cs_test_failed();
		cs_test_fail_after(-1);
		assert_true(!rc || rc == -ENOMEM);
		if (more && !rc) { /* an event that it has lost: no sets */
			rc = cs_estimator_begin(s, w.rig.engine,
						CS_ESTIMATE_ALL, &any, NULL);
			assert_true(!rc || rc == -ENOMEM);
			lost += rc != 0;
		}
		cs_estimator_free(s);
		close_world(&w);

		/* it makes a set */
		repeated_jobs(&w, 2);
		s = w.estimates;
		cs_test_fail_after(n);
		rc = cs_estimator_begin(s, w.rig.engine, CS_ESTIMATE_NEW, &any,
					NULL);
		begun = !rc;
		while (!rc && any)
			rc = cs_estimator_step(s, 100, &any);
		more |= cs_test_failed();
		cs_test_fail_after(-1);
		assert_true(!rc || rc == -ENOMEM);
		/* what did not begin, the next set has */
		if (rc && !begun) {
			rc = cs_estimator_begin(s, w.rig.engine,
						CS_ESTIMATE_NEW, &any, NULL);
			assert_int_equal(rc, 0);
			assert_true(any);
			kept++;
		}
		close_world(&w);
		assert_true(n < 5000);
	}
	assert_true(kept > 10);
	assert_true(lost > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_runs_of_the_user_beat_the_limit),
		cmocka_unit_test(a_job_that_waits_for_more_than_room_has_none),
		cmocka_unit_test(a_job_that_never_starts_has_no_times),
		cmocka_unit_test(a_requeued_job_is_the_last_of_its_set),
		cmocka_unit_test(where_limits_are_runtimes_limits_are_said),
		cmocka_unit_test(steps_and_events_between_change_nothing),
		cmocka_unit_test(only_the_first_estimate_of_a_job_is_the_first),
		cmocka_unit_test(what_the_engine_refuses_is_not_learned),
		cmocka_unit_test(a_history_outlives_its_estimator),
		cmocka_unit_test(damaged_lines_are_refused),
		cmocka_unit_test(long_lines_are_logged_whole),
		cmocka_unit_test(too_many_events_drop_their_set),
		cmocka_unit_test(a_dropped_set_leaves_no_estimate),
		cmocka_unit_test(jobs_that_were_left_out_are_not_new_again),
		cmocka_unit_test(what_fits_is_asked_anew_after_a_change),
		cmocka_unit_test(without_memory_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
