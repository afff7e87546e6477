/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulator: schedules that are known by hand, and, on random traces, those
 * of a scheduler so simple that it must be right.
 */
#define CS_TEST_ALLOC
#include "simrig.h"

#include <errno.h>

#include "cosched/check/check_log.h"
#include "sim/ends.h"
#include "sim/jobids.h"

/* ---- known schedules ----------------------------------------------------- */

/* Three jobs on four processors: the second does not fit, the third would. */
static void three_jobs(struct simrig *r, const char *params)
{
	simrig_open(r, "4x1x1", params, NULL);
	simrig_add(r, 1, 0, 3, 100, 100, 1);
	simrig_add(r, 2, 0, 2, 50, 60, 1);
	simrig_add(r, 3, 10, 1, 20, 30, 1);
	simrig_run(r);
}

static void fcfs_keeps_the_order(void **state)
{
	struct simrig r;

	(void)state;
	three_jobs(&r, "policy=fcfs");
	assert_close(simrig_start(&r, 0), 0, 0);
	assert_close(simrig_start(&r, 1), 100, 0);
	assert_close(simrig_start(&r, 2), 100, 0);
	assert_close(simrig_end(&r, 1), 150, 0);
	assert_close(simrig_end(&r, 2), 120, 0);
	simrig_close(&r);
}

static void easy_lets_a_short_job_pass(void **state)
{
	struct simrig r;

	(void)state;
	three_jobs(&r, "policy=easy");
	assert_close(simrig_start(&r, 0), 0, 0);
	assert_close(simrig_start(&r, 1), 100, 0);
	assert_close(simrig_start(&r, 2), 10, 0);
	assert_int_equal(r.result.job[0].nodes, 3);
	assert_int_equal(r.result.job[0].ppn, 1);
	assert_int_equal(r.result.instants, 5);
	simrig_close(&r);
}

/* The head needs 4 of 6, of which 3 are free; at 100 the other 3 come free
 * together, by two jobs: 2 are extra. */
static void easy_counts_all_jobs_that_end_at_the_shadow(void **state)
{
	struct simrig r;

	(void)state;
	simrig_open(&r, "6x1x1", "policy=easy", NULL);
	simrig_add(&r, 1, 0, 2, 100, 100, 1);
	simrig_add(&r, 2, 0, 1, 100, 100, 1);
	simrig_add(&r, 3, 1, 4, 10, 10, 1);   /* head: shadow 100, extra 2 */
	simrig_add(&r, 4, 2, 1, 500, 500, 1); /* takes one of them */
	simrig_add(&r, 5, 3, 2, 500, 500, 1); /* one too many */
	simrig_add(&r, 6, 3, 1, 500, 500, 1); /* takes the other */
	simrig_add(&r, 7, 3, 1, 97, 97, 1);   /* ends at the shadow */
	simrig_run(&r);
	assert_close(simrig_start(&r, 2), 100, 0);
	assert_close(simrig_start(&r, 3), 2, 0);
	assert_close(simrig_start(&r, 4), 110, 0);
	assert_close(simrig_start(&r, 5), 3, 0);
	assert_close(simrig_start(&r, 6), 3, 0);
	simrig_close(&r);
}

static void at_one_instant_ends_come_before_submits(void **state)
{
	struct simrig r;

	(void)state;
	simrig_open(&r, "2x1x1", "policy=fcfs", NULL);
	simrig_add(&r, 7, 0, 2, 10, 10, 1);
	simrig_add(&r, 4, 10, 2, 10, 10, 1);
	simrig_add(&r, 5, 10, 1, 10, 10, 1);
	simrig_run(&r);
	assert_close(simrig_start(&r, 1), 10, 0);
	assert_close(simrig_start(&r, 2), 20, 0);
	assert_int_equal(r.result.instants, 4);
	simrig_close(&r);
}

/* On all four cores a job without profile takes what the record says; as policies believe,
 * T is the runtime with one process a node, and it takes 1.37 times as long (Zeng09, table
 * 4). */
static void a_dense_job_runs_longer_only_as_believed(void **state)
{
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=easy", NULL);
	simrig_add(&r, 1, 0, 4, 100, 200, 1);
	simrig_run(&r);
	assert_close(simrig_end(&r, 0), 100, 0);
	simrig_close(&r);
	simrig_open(&r, "1x2x2", "policy=easy,physics=believed", NULL);
	simrig_add(&r, 1, 0, 4, 100, 200, 1);
	simrig_run(&r);
	assert_close(simrig_end(&r, 0), 137, 0);
	assert_int_equal(r.result.job[0].ppn, 4);
	simrig_close(&r);
}

static const char pair[] =
	"{\"version\":1,\"profiles\":{"
	" \"cg\":{\"self\":{\"1\":1.0,\"2\":1.0,\"4\":1.6}},"
	" \"io\":{\"self\":{\"1\":1.0,\"2\":1.0,\"4\":1.6}}},"
	"\"pairs\":[{\"of\":\"cg\",\"beside\":\"io\",\"slowdown\":1.2},"
	"           {\"of\":\"io\",\"beside\":\"cg\",\"slowdown\":1.25}],"
	"\"rules\":[{\"name\":\"e1\",\"profile\":\"cg\"},"
	"           {\"name\":\"e2\",\"profile\":\"io\"}]}";

/* The first ends at 1000 * 1.2; by then the other has done 1200 / 1.25 = 960 of
 * its 2000 s, and does the rest alone. */
static void neighbours_slow_each_other_until_one_ends(void **state)
{
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=cst", pair);
	simrig_add(&r, 1, 0, 2, 1000, 1000, 1);
	simrig_add(&r, 2, 0, 2, 2000, 2500, 2);
	simrig_run(&r);
	assert_close(simrig_start(&r, 1), 0, 0);
	assert_close(simrig_end(&r, 0), 1200, 0);
	assert_close(simrig_end(&r, 1), 1200 + 1040, 0);
	assert_int_equal(r.result.grouped.groups, 1);
	assert_int_equal(r.result.grouped.members, 2);
	assert_int_equal(r.result.grouped.jobs, 2);
	simrig_close(&r);
}

/* Packed by core they slow each other as any neighbours do. */
static void packed_jobs_slow_each_other(void **state)
{
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=pack", pair);
	simrig_add(&r, 1, 0, 2, 1000, 1000, 1);
	simrig_add(&r, 2, 0, 2, 2000, 2500, 2);
	simrig_run_checked(&r);
	assert_close(simrig_start(&r, 1), 0, 0);
	assert_close(simrig_end(&r, 0), 1200, 0);
	assert_close(simrig_end(&r, 1), 1200 + 1040, 0);
	simrig_close(&r);
}

/* With three processes on four cores both run 1.23 times as long (rule 5 of
 * progress.c): the first has done 500 of its 1000 s when the other ends. */
static void packed_strangers_are_as_many_processes_of_ones_own(void **state)
{
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=pack,physics=believed", NULL);
	simrig_add(&r, 1, 0, 1, 1000, 1000, 1);
	simrig_add(&r, 2, 0, 2, 500, 500, 2);
	simrig_run_checked(&r);
	assert_close(simrig_end(&r, 1), 615, 1e-9);
	assert_close(simrig_end(&r, 0), 615 + 500, 1e-9);
	simrig_close(&r);

	/* known and unknown: 1.2, and 1.6 / 1.0 for the two strange cores */
	simrig_open(&r, "1x2x3", "policy=pack,physics=believed", pair);
	simrig_add(&r, 1, 0, 2, 1000, 1000, 1);
	simrig_add(&r, 2, 0, 2, 8000, 8000, 2);
	simrig_add(&r, 3, 0, 2, 8000, 8000, 3);
	simrig_run_checked(&r);
	assert_close(simrig_end(&r, 0), 1000 * 1.2 * 1.6, 1e-9);
	simrig_close(&r);
}

/* Of the profile file's jobs the pair counts, and the stranger costs nothing: it has no
 * entry, and the record has what such a one cost. */
static void the_record_has_what_no_profile_says(void **state)
{
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x3", "policy=pack", pair);
	simrig_add(&r, 1, 0, 2, 1000, 1000, 1);
	simrig_add(&r, 2, 0, 2, 8000, 8000, 2);
	simrig_add(&r, 3, 0, 2, 8000, 8000, 3);
	simrig_run_checked(&r);
	assert_close(simrig_end(&r, 0), 1200, 1e-9);
	assert_close(simrig_end(&r, 2), 8000, 1e-9);
	simrig_close(&r);
}

static void ids_may_be_large_and_scattered(void **state)
{
	struct simrig r;

	(void)state;
	three_jobs(&r, "policy=easy");
	r.trace.job[0].id = 5;
	r.trace.job[1].id = 4000000000u;
	r.trace.job[2].id = 17;
	simrig_run(&r);
	assert_close(simrig_start(&r, 1), 100, 0);
	assert_close(simrig_start(&r, 2), 10, 0);
	simrig_close(&r);
}

/* ---- traces that cannot be run ------------------------------------------- */

static void refuses(struct simrig *r, int want_rc, const char *want)
{
	struct cs_sim_result result = { .n = 77 };
	struct cs_err err = { "" };

	assert_int_equal(cs_sim_run(&r->options, &r->trace, &result, &err),
			 want_rc);
	assert_contains(err.text, want);
	assert_int_equal(result.n, 77);
	assert_int_equal(cs_sim_run(&r->options, &r->trace, &result, NULL),
			 want_rc);
}

static void a_job_that_can_never_run_is_an_error(void **state)
{
	struct simrig r;

	(void)state;
	simrig_open(&r, "4x1x1", "policy=easy", NULL);
	simrig_add(&r, 1, 0, 3, 100, 100, 1);
	simrig_add(&r, 8, 0, 5, 100, 100, 1);
	simrig_add(&r, 9, 5, 4, 100, 100, 1);
	refuses(&r, -EINVAL,
		"1 of 3 jobs wait for ever, the first is job 8, which can "
		"never run");
	simrig_close(&r);
}

static void a_trace_out_of_order_is_refused(void **state)
{
	struct simrig r;

	(void)state;
	three_jobs(&r, "policy=easy");
	r.trace.job[1].submit_us = 11 * S;
	refuses(&r, -EINVAL, "job 3: out of order");
	r.trace.job[1].submit_us = 0;
	r.trace.job[2].id = 1;
	refuses(&r, -EEXIST, "job 1 is there twice");
	r.trace.job[2].id = 3;
	r.trace.job[2].estimate_us = 0;
	refuses(&r, -EINVAL, "job 3: out of order or range");
	simrig_close(&r);
}

static void machines_are_read(void **state)
{
	static const char *const bad[] = {
		"",	 "4",	   "4x1",    "4x1x1x1", "0x1x1",  "4x0x1",
		"4x1x0", "4x1x1 ", "-4x1x1", "x1x1",	"4 x1x1", "9999999999x1"
	};
	static const char *const large[] = { "1x65536x1", "1x1000x100",
					     "1000001x1x1", "9999999999x1x1",
					     "1x99999999999999999999x1" };
	struct cs_machine *m = NULL;
	struct cs_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(cs_sim_machine(bad[i], &m, &err), -EINVAL);
		assert_contains(err.text, "expected");
		assert_null(m);
	}
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		assert_int_equal(cs_sim_machine(large[i], &m, &err), -EINVAL);
		assert_contains(err.text, "is too large, expected at most");
	}
	assert_int_equal(cs_sim_machine("128x2x3", &m, &err), 0);
	assert_int_equal(m->n_node, 128);
	assert_int_equal(m->node[127].sockets, 2);
	assert_int_equal(m->node[127].cores_per_socket, 3);
	assert_int_equal(m->node[127].threads, 1);
	cs_machine_free(m);
}

/* ---- no memory ----------------------------------------------------------- */

/* -ENOMEM, or the schedule that there is with memory: what the engine could not
 * do at once it may do at the next decide. */
static void every_allocation_may_fail(void **state)
{
	struct simrig r;
	bool more = true;

	(void)state;
	three_jobs(&r, "policy=easy");
	for (long n = 0; more; n++) {
		struct cs_sim_result result = { 0 };
		struct cs_err err = { "" };
		int rc;

		cs_test_fail_after(n);
		rc = cs_sim_run(&r.options, &r.trace, &result, &err);
		more = cs_test_failed();
		if (rc) {
			assert_true(more);
			assert_true(rc == -ENOMEM || rc == -EINVAL);
			assert_contains(err.text, "out of memory");
			continue;
		}
		assert_memory_equal(result.job, r.result.job,
				    3 * sizeof(*result.job));
		cs_sim_result_done(&result);
	}
	simrig_close(&r);
}

/* ---- the event log ------------------------------------------------------- */

static void breach(void *arg, uint64_t line, const char *text)
{
	(void)arg;
	print_error("line %llu: %s\n", (unsigned long long)line, text);
}

/* The log of a simulation keeps the rules that are checked; *ret_text is to be
 * freed. */
static struct cs_checklog checked_log(struct simrig *r, char **ret_text)
{
	struct cs_checkstate *c = cs_checkstate_create();
	struct cs_checklog k = { .breach = breach };
	size_t len = 0;
	FILE *f;

	r->options.events = open_memstream(ret_text, &len);
	simrig_run(r);
	fclose(r->options.events);
	r->options.events = NULL;
	f = fmemopen(*ret_text, len, "r");
	assert_int_equal(cs_checklog(&k, c, f), 0);
	fclose(f);
	cs_checkstate_free(c);
	assert_int_equal(k.breaches, 0);
	return k;
}

static void the_log_tells_all(void **state)
{
	struct cs_checklog k;
	struct simrig r;
	char *text;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=cst,backfill=easy", pair);
	simrig_add(&r, 1, 0, 2, 1000, 1000, 1);
	simrig_add(&r, 2, .5, 2, 2000, 2500, 2);
	k = checked_log(&r, &text);
	assert_int_equal(k.counts.jobs, 2);
	assert_int_equal(k.counts.starts, 2);
	assert_int_equal(k.counts.groups, 1);
	assert_contains(text, "{\"ev\":\"header\",\"version\":1,\"release\":"
			      "\"test\",\"machine\":{\"nodes\":1,\"sockets\":2,"
			      "\"cores\":2}");
	assert_contains(text, "{\"t\":0.500000,\"ev\":\"submit\",\"job\":2,"
			      "\"user\":\"u2\",\"account\":\"g-1\",\"name\":"
			      "\"e2\",\"procs\":2,\"estimate\":2500,"
			      "\"profile\":\"io\"}\n");
	assert_contains(text, "{\"t\":0.500000,\"ev\":\"decide\",\"actions\":2}"
			      "\n{\"t\":0.500000,\"ev\":\"joined\",\"job\":1,");
	assert_contains(text, "{\"t\":0.500000,\"ev\":\"start\",\"job\":2,");
	assert_contains(text, "\"ev\":\"disband\"");
	free(text);
	simrig_close(&r);
}

static void a_log_that_cannot_be_written_is_an_error(void **state)
{
	struct cs_sim_result result = { 0 };
	struct cs_err err;
	struct simrig r;
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	if (!f)
		skip();
	setvbuf(f, NULL, _IONBF, 0);
	three_jobs(&r, "policy=easy");
	r.options.events = f;
	assert_int_equal(cs_sim_run(&r.options, &r.trace, &result, &err),
			 -ENOSPC);
	assert_contains(err.text, "event log: No space left");
	fclose(f);
	simrig_close(&r);
}

/* ---- against the simplest scheduler -------------------------------------- */

#define JOBS 120

/* Counts of processors; every step looks at every job. */
struct naive {
	const struct cs_trace *t;
	uint32_t procs;
	bool easy;
	int64_t start[JOBS], end[JOBS]; /* -1: not yet */
};

static bool naive_runs(const struct naive *n, size_t i, int64_t now)
{
	return n->start[i] >= 0 && n->end[i] > now;
}

static bool naive_waits(const struct naive *n, size_t i, int64_t now)
{
	return n->t->job[i].submit_us <= now && n->start[i] < 0;
}

/* Processors that are free at @at >= @now, as the estimates have it. */
static uint32_t naive_free(const struct naive *n, int64_t now, int64_t at)
{
	uint32_t used = 0;

	for (size_t i = 0; i < n->t->n; i++)
		if (naive_runs(n, i, now) &&
		    (at == now || n->start[i] + n->t->job[i].estimate_us > at))
			used += n->t->job[i].procs;
	return n->procs - used;
}

static void naive_start(struct naive *n, size_t i, int64_t now)
{
	n->start[i] = now;
	n->end[i] = now + n->t->job[i].runtime_us;
}

/* First estimated end at which @procs are free. */
static int64_t naive_shadow(const struct naive *n, int64_t now, uint32_t procs)
{
	int64_t best = INT64_MAX;

	for (size_t i = 0; i < n->t->n; i++) {
		int64_t end = n->start[i] + n->t->job[i].estimate_us;

		if (naive_runs(n, i, now) && end < best &&
		    naive_free(n, now, end) >= procs)
			best = end;
	}
	return best;
}

static void naive_pass(struct naive *n, int64_t now)
{
	const struct cs_trace_job *job = n->t->job;
	int64_t shadow;
	uint32_t extra;
	size_t i = 0;

	for (; i < n->t->n; i++) {
		if (!naive_waits(n, i, now))
			continue;
		if (job[i].procs > naive_free(n, now, now))
			break;
		naive_start(n, i, now);
	}
	if (!n->easy || i == n->t->n)
		return;
	shadow = naive_shadow(n, now, job[i].procs);
	extra = naive_free(n, now, shadow) - job[i].procs;
	for (i++; i < n->t->n; i++) {
		bool in_time = now + job[i].estimate_us <= shadow;

		if (!naive_waits(n, i, now) ||
		    job[i].procs > naive_free(n, now, now) ||
		    !(in_time || job[i].procs <= extra))
			continue;
		if (!in_time)
			extra -= job[i].procs;
		naive_start(n, i, now);
	}
}

static void naive_run(struct naive *n)
{
	int64_t now = -1, next = 0;

	for (size_t i = 0; i < n->t->n; i++)
		n->start[i] = n->end[i] = -1;
	while (next < INT64_MAX) {
		now = next;
		naive_pass(n, now);
		next = INT64_MAX;
		for (size_t i = 0; i < n->t->n; i++) {
			int64_t at = n->start[i] < 0 ? n->t->job[i].submit_us
						     : n->end[i];

			if (at > now && at < next)
				next = at;
		}
	}
}

/* Small numbers, so that many things happen at once. */
static void random_trace(struct simrig *r, uint64_t *seed, uint32_t procs)
{
	int64_t submit = 0;

	for (uint32_t i = 0; i < JOBS; i++) {
		double run = 1 + (double)cs_test_draw(seed, 20);

		submit += (int64_t)cs_test_draw(seed, 8);
		simrig_add(r, i + 1, (double)submit,
			   1 + (uint32_t)cs_test_draw(seed, procs), run,
			   run + (double)cs_test_draw(seed, 3) * 5, 1);
	}
}

static void compare(const struct simrig *r, const struct naive *n, int round)
{
	for (size_t i = 0; i < r->trace.n; i++)
		if (r->result.job[i].start_us != n->start[i] ||
		    r->result.job[i].end_us != n->end[i])
			fail_msg("round %d: job %u starts at %g, expected %g",
				 round, r->trace.job[i].id, simrig_start(r, i),
				 (double)n->start[i] / 1e6);
}

/* Jobs that nothing slows down. */
static const char unmoved[] = "{\"version\":1,\"default\":\"a\","
			      "\"profiles\":{\"a\":{\"self\":{\"1\":1}}}}";

/* One core; a long job of 300 s and, from @medium_s, a medium one of @run_s. */
static void stops_for(struct simrig *r, double medium_s, double run_s,
		      const char *more)
{
	char params[256];

	snprintf(params, sizeof(params),
		 "policy=pect,slice=pect,class_short_s=10,class_medium_s=100,"
		 "slice_cycle_s=200,slice_medium=0.4,slice_overhead_s=10,"
		 "slice_short_s=0,slice_stop=needed,%s",
		 more);
	simrig_open(r, "1x1x1", params, unmoved);
	simrig_add(r, 1, 0, 1, 300, 1000, 1);
	simrig_add(r, 2, medium_s, 1, run_s, 98, 1);
	simrig_run(r);
}

static void who_comes_after_a_stop_waits_for_the_guard(void **state)
{
	struct simrig r;

	(void)state;
	/* In the second medium slice, the long job is stopped at 230 s for the other,
	 * and back when that has ended. */
	stops_for(&r, 230, 20, "slice_guard_s=0");
	assert_close(simrig_start(&r, 1), 230, 1e-9);
	assert_close(simrig_end(&r, 1), 250, 1e-9);
	assert_close(simrig_end(&r, 0), 330, 1e-9);
	simrig_close(&r);
	stops_for(&r, 230, 20, "slice_guard_s=4");
	assert_close(simrig_start(&r, 1), 234, 1e-9);
	assert_close(simrig_end(&r, 1), 254, 1e-9);
	assert_close(simrig_end(&r, 0), 334, 1e-9);
	simrig_close(&r);
	/* 10 to 90 s and from 210 s on; or to 86 s, and it is asked for at 206 s: it has
	 * not run until 210 s. */
	stops_for(&r, 0, 94, "slice_guard_s=0");
	assert_close(simrig_start(&r, 0), 90, 1e-9);
	assert_close(simrig_end(&r, 1), 224, 1e-9);
	simrig_close(&r);
	stops_for(&r, 0, 94, "slice_guard_s=4");
	assert_close(simrig_start(&r, 0), 90, 1e-9);
	assert_close(simrig_end(&r, 1), 228, 1e-9);
	simrig_close(&r);
}

/* Whom a guard keeps back has not run meanwhile. */
static void every_job_runs_its_time_whatever_the_guard(void **state)
{
	uint64_t seed = cs_test_seed();
	uint64_t stopped = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct simrig r;

		simrig_open(
			&r, "3x1x1",
			"policy=pect,slice=pect,class_short_s=10,"
			"class_medium_s=20,slice_cycle_s=60,slice_medium=0.4,"
			"slice_overhead_s=4,slice_short_s=10,"
			"slice_stop=needed,slice_guard_s=3,slice_rest_s=5",
			unmoved);
		random_trace(&r, &seed, 3);
		simrig_run(&r);
		for (size_t i = 0; i < r.trace.n; i++) {
			const struct cs_sim_job *j = &r.result.job[i];

			if (j->ran_us != r.trace.job[i].runtime_us)
				fail_msg("round %d: job %u ran %g s", round,
					 r.trace.job[i].id,
					 (double)j->ran_us / 1e6);
			stopped += j->end_us - j->start_us > j->ran_us;
		}
		simrig_close(&r);
	}
	assert_true(stopped > 200);
}

/* Nodes of one core, or by core on one node: the same counts. */
static void open_machine(struct simrig *r, uint32_t procs, bool easy, bool pack)
{
	char machine[32], params[64];

	snprintf(machine, sizeof(machine), pack ? "1x1x%u" : "%ux1x1", procs);
	snprintf(params, sizeof(params), "policy=%s,backfill=%s",
		 pack ? "pack" : "fcfs", easy ? "easy" : "none");
	simrig_open(r, machine, params, unmoved);
}

static void random_traces(bool easy)
{
	uint64_t seed = cs_test_seed(), rounds = cs_test_worlds(60);

	for (uint64_t round = 0; round < rounds; round++) {
		uint32_t procs = 2 + (uint32_t)cs_test_draw(&seed, 15);
		struct naive n = { .procs = procs, .easy = easy };
		struct simrig r;

		open_machine(&r, procs, easy, round % 3 == 2);
		random_trace(&r, &seed, procs);
		n.t = &r.trace;
		naive_run(&n);
		simrig_run(&r);
		compare(&r, &n, (int)round);
		r.options.thorough = true;
		simrig_run(&r);
		compare(&r, &n, (int)round);
		simrig_close(&r);
	}
}

static void fcfs_is_what_the_simplest_does(void **state)
{
	(void)state;
	random_traces(false);
}

static void easy_is_what_the_simplest_does(void **state)
{
	(void)state;
	random_traces(true);
}

/* Rule 7 leaves no start out and brings none, also slowed down. */
static void a_quiet_pass_is_enough(void **state)
{
	static const char *const policy[] = { "policy=easy,layout=model",
					      "policy=ostrich-paper",
					      "policy=easy,order=ostrich,"
					      "campaign_hold=strict" };
	uint64_t seed = cs_test_seed(), rounds = cs_test_worlds(50);

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		struct cs_sim_result quiet;
		struct simrig r;
		char *text;

		simrig_open(&r, "4x2x2", policy[round % 3], pair);
		random_trace(&r, &seed, 16);
		for (size_t i = 0; i < JOBS; i++)
			r.trace.job[i].exe = (int32_t)(i % 3);
		checked_log(&r, &text);
		free(text);
		quiet = r.result;
		r.result = (struct cs_sim_result){ 0 };
		r.options.thorough = true;
		simrig_run(&r);
		assert_memory_equal(quiet.job, r.result.job,
				    JOBS * sizeof(*quiet.job));
		assert_true(quiet.decides < r.result.decides);
		cs_sim_result_done(&quiet);
		simrig_close(&r);
	}
}

static void random_pairs_keep_the_rules(void **state)
{
	uint64_t seed = cs_test_seed(), rounds = cs_test_worlds(20);

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		struct simrig r;
		char *text;

		simrig_open(&r, "4x2x2",
			    round % 2 ? "policy=cst,share_min_s=0"
				      : "policy=cstws,share_min_s=0",
			    pair);
		random_trace(&r, &seed, 16);
		for (size_t i = 0; i < JOBS; i++)
			r.trace.job[i].exe = (int32_t)(i % 3);
		checked_log(&r, &text);
		free(text);
		simrig_close(&r);
	}
}

/* ---- the heap of ends, the jobs by id ------------------------------------ */

static void the_first_end_is_first(void **state)
{
	enum { N = 50 };
	int64_t end[N];
	uint64_t seed = cs_test_seed();
	struct cs_ends h;

	(void)state;
	assert_int_equal(cs_ends_init(&h, N), 0);
	for (int i = 0; i < N; i++)
		end[i] = INT64_MAX;
	for (int step = 0; step < 20000; step++) {
		uint32_t job = (uint32_t)cs_test_draw(&seed, N), best = N;

		end[job] = cs_test_draw(&seed, 3)
				   ? (int64_t)cs_test_draw(&seed, 40)
				   : INT64_MAX;
		if (end[job] == INT64_MAX)
			cs_ends_remove(&h, job);
		else
			cs_ends_set(&h, job, N - job, end[job]);
		for (uint32_t i = N; i-- > 0;)
			if (end[i] < INT64_MAX &&
			    (best == N || end[i] < end[best]))
				best = i;
		if (best == N) {
			assert_null(cs_ends_first(&h));
			continue;
		}
		assert_int_equal(cs_ends_first(&h)->job, best);
		assert_int_equal(cs_ends_first(&h)->end_us, end[best]);
	}
	cs_ends_done(&h);
}

static void jobs_are_found_by_id(void **state)
{
	static const uint32_t last[] = { 60, 4000000000u };
	struct cs_trace_job job[] = { { .id = 9 }, { .id = 3 }, { .id = 0 } };
	struct cs_trace t = { .job = job, .n = 3 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct cs_jobids ids;

		job[2].id = last[i];
		assert_int_equal(cs_jobids_init(&ids, &t, NULL), 0);
		assert_int_equal(cs_jobids_find(&ids, 9), 0);
		assert_int_equal(cs_jobids_find(&ids, 3), 1);
		assert_int_equal(cs_jobids_find(&ids, last[i]), 2);
		assert_int_equal(cs_jobids_find(&ids, 4), UINT32_MAX);
		assert_int_equal(cs_jobids_find(&ids, 4000000001u), UINT32_MAX);
		assert_int_equal(ids.sorted[0].id, 3);
		cs_jobids_done(&ids);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fcfs_keeps_the_order),
		cmocka_unit_test(easy_lets_a_short_job_pass),
		cmocka_unit_test(easy_counts_all_jobs_that_end_at_the_shadow),
		cmocka_unit_test(at_one_instant_ends_come_before_submits),
		cmocka_unit_test(a_dense_job_runs_longer_only_as_believed),
		cmocka_unit_test(neighbours_slow_each_other_until_one_ends),
		cmocka_unit_test(packed_jobs_slow_each_other),
		cmocka_unit_test(
			packed_strangers_are_as_many_processes_of_ones_own),
		cmocka_unit_test(the_record_has_what_no_profile_says),
		cmocka_unit_test(ids_may_be_large_and_scattered),
		cmocka_unit_test(a_job_that_can_never_run_is_an_error),
		cmocka_unit_test(a_trace_out_of_order_is_refused),
		cmocka_unit_test(machines_are_read),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(the_log_tells_all),
		cmocka_unit_test(a_log_that_cannot_be_written_is_an_error),
		cmocka_unit_test(fcfs_is_what_the_simplest_does),
		cmocka_unit_test(easy_is_what_the_simplest_does),
		cmocka_unit_test(a_quiet_pass_is_enough),
		cmocka_unit_test(who_comes_after_a_stop_waits_for_the_guard),
		cmocka_unit_test(every_job_runs_its_time_whatever_the_guard),
		cmocka_unit_test(random_pairs_keep_the_rules),
		cmocka_unit_test(the_first_end_is_first),
		cmocka_unit_test(jobs_are_found_by_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
