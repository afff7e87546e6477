/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `cosched profile run` computes, without a Slurm: intervals, which runs of a job
 * count, what is tried next, and the file that it continues from.
 */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "common/profile/profile.h"
#include "measure/jobs.h"
#include "measure/options.h"
#include "measure/plan.h"
#include "measure/record.h"
#include "measure/result.h"
#include "measure/site.h"
#include "measure/state.h"
#include "measure/statistics.h"

/* ---- intervals ------------------------------------------------------------- */

/* Of a table of Student's t, .975. */
static void quantiles_are_those_of_the_table(void **state)
{
	static const struct {
		double df, t;
	} row[] = { { 1, 12.7062 },  { 2, 4.30265 },   { 3, 3.18245 },
		    { 4, 2.77645 },  { 5, 2.57058 },   { 10, 2.22814 },
		    { 30, 2.04227 }, { 120, 1.97993 }, { 1e6, 1.95997 },
		    { 2.5, 3.558 } };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_close(cs_measure_t(row[i].df), row[i].t,
			     i == 9 ? 1e-2 : 1e-5);
}

/* The example of statistics.c. */
static void quotient_of_the_example(void **state)
{
	const double a[] = { 11, 12, 13 }, b[] = { 10, 10, 10 };
	struct cs_measure_interval i = cs_measure_quotient(
		cs_measure_mean(a, 3), cs_measure_mean(b, 3));

	(void)state;
	assert_close(i.value, 1.2, 1e-12);
	assert_close(i.half, .24840, 1e-4);
	assert_close(cs_measure_part(i), .20700, 1e-4);
	i = cs_measure_mean_interval(cs_measure_mean(a, 3));
	assert_close(i.value, 12, 1e-12);
	assert_close(i.half, 2.48414, 1e-5);
}

static void two_runs_have_no_interval(void **state)
{
	const double a[] = { 11, 12, 13 };
	struct cs_measure_mean two = cs_measure_mean(a, 2),
			       three = cs_measure_mean(a, 3),
			       none = cs_measure_mean(a, 0);

	(void)state;
	assert_true(isinf(cs_measure_mean_interval(two).half));
	assert_true(isinf(cs_measure_quotient(two, three).half));
	assert_true(isinf(cs_measure_quotient(three, two).half));
	assert_true(isinf(cs_measure_part(cs_measure_quotient(none, three))));
	assert_close(cs_measure_quotient(two, three).value, 11.5 / 12, 1e-12);
}

/* Times that do not vary have an interval of no width. */
static void equal_times_have_a_narrow_interval(void **state)
{
	const double a[] = { 2, 2, 2 }, b[] = { 1, 1, 1, 1 };
	struct cs_measure_interval i = cs_measure_quotient(
		cs_measure_mean(a, 3), cs_measure_mean(b, 4));

	(void)state;
	assert_close(i.value, 2, 1e-12);
	assert_true(i.half < 1e-9);
}

/* ---- how many intervals hold the truth ----------------------------------------- */

static double normal(uint64_t *seed)
{
	double u = 1 - cs_test_unit(seed), v = cs_test_unit(seed);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

#define TIMES 512

/* One measurement as `profile run` makes it: times until the interval is narrow. */
struct sample {
	double x[TIMES];
	size_t n;
};

static void measure(struct sample *s, double mean, double scatter,
		    uint64_t *seed)
{
	assert_true(s->n < TIMES);
	s->x[s->n++] = mean * exp(scatter * normal(seed));
}

static struct cs_measure_interval measured(double slowdown, double scatter,
					   uint64_t *seed)
{
	struct cs_measure_plan p = { .n = 1, .part = .05 };
	struct sample cell[3] = { { .n = 0 } };
	const double mean[] = { 20, 18, 18 * slowdown };

	for (size_t i = 0; i < 3; i++)
		for (; !cs_measure_enough(&p, i);
		     p.cell[i] = cs_measure_mean(cell[i].x, cell[i].n))
			measure(&cell[i], mean[i], scatter, seed);
	return cs_measure_slowdown(&p, 0, 0, CS_MEASURE_SPREAD);
}

/* Of the intervals 90 to 99 % hold the truth, whatever the scatter, and next to none
 * is off by more than twice its width. */
static void intervals_hold_the_truth(void **state)
{
	static const double scatter[] = { .005, .01, .02, .03, .05, .1 };
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(1000);

	(void)state;
	for (size_t s = 0; s < sizeof(scatter) / sizeof(scatter[0]); s++) {
		uint64_t hold = 0, far = 0;

		for (uint64_t w = 0; w < worlds; w++) {
			double truth = 1 + cs_test_unit(&seed);
			struct cs_measure_interval i =
				measured(truth, scatter[s], &seed);
			double off = fabs(i.value - truth);

			assert_true(i.half <= .05 * i.value * (1 + 1e-9));
			far += off > 2 * 2 * i.half;
			hold += off <= i.half;
		}
		print_message("scatter %g: %.1f %% hold\n", scatter[s],
			      100. * (double)hold / (double)worlds);
		assert_true((double)hold >= .90 * (double)worlds);
		assert_true(far * 1000 <= worlds);
		assert_true((double)hold <= .99 * (double)worlds);
	}
}

/* ---- records --------------------------------------------------------------------- */

static struct cs_measure_record record_of(const char *text)
{
	struct cs_measure_record r;

	assert_int_equal(cs_measure_record_read(&r, strdup(text)), 0);
	return r;
}

static const struct cs_measure_shape two_by_two = {
	.sockets = 2, .cores = 2, .threads = 1, .per_task = 1, .nodes = 1
};

static void record_is_read(void **state)
{
	struct cs_measure_record r =
		record_of("job 17 4 b 16 2 600\n"
			  "cores Nodes=n[1-2] CPU_IDs=0,2\n"
			  "allowed 0,2\n"
			  "start 100.5\n"
			  "look 100.6 16:RUNNING 17:RUNNING\n"
			  "run 100.5 110.25 0\n"
			  "look 110.3 16:RUNNING\n"
			  "run 110.25 111 3\n"
			  "end 111 failed 3\n"
			  "run 111 112 0");

	(void)state;
	assert_int_equal(r.job, 17);
	assert_int_equal(r.experiment, 4);
	assert_int_equal(r.role, 'b');
	assert_int_equal(r.with, 16);
	assert_int_equal(r.nodes, 2);
	assert_int_equal(r.limit_s, 600);
	assert_string_equal(r.cores, "Nodes=n[1-2] CPU_IDs=0,2");
	assert_string_equal(r.allowed, "0,2");
	assert_int_equal(r.n_look, 2);
	assert_string_equal(r.look[0].jobs, "16:RUNNING 17:RUNNING");
	/* the last line is not whole */
	assert_int_equal(r.n_run, 2);
	assert_close(r.run[0].end_s, 110.25, 1e-12);
	assert_int_equal(r.run[0].look, 1);
	assert_int_equal(r.run[1].status, 3);
	assert_close(r.start_s, 100.5, 1e-12);
	assert_close(r.end_s, 111, 1e-12);
	assert_string_equal(r.why, "failed 3");
	cs_measure_record_done(&r);
}

static void record_of_nonsense_is_empty(void **state)
{
	struct cs_measure_record r =
		record_of("job x\nrun 5 4 0\nrun\nlook\n\nend\nlooks 1\n"
			  "job 1 2 c 3 4 5\n");

	(void)state;
	assert_int_equal(r.role, 0);
	assert_int_equal(r.n_run, 0);
	assert_int_equal(r.n_look, 0);
	assert_null(r.why);
	cs_measure_record_done(&r);
}

static void record_without_memory(void **state)
{
	struct cs_measure_record r;
	int rc;

	(void)state;
	CS_TEST_EACH_ALLOC(
		{
			char *text = __real_malloc(16);

			strcpy(text, "start 1\n");
			cs_test_live++;
			rc = cs_measure_record_read(&r, text);
			if (!rc)
				cs_measure_record_done(&r);
		},
		rc == -ENOMEM);
}

static void cores_are_half_of_each_socket(void **state)
{
	static const struct {
		const char *lines;
		uint32_t per_socket;
		const char *bad; /* part of the answer; NULL: good */
	} row[] = {
		{ "cores Nodes=n[1-2] CPU_IDs=0,2\nallowed 0,2\n", 1, NULL },
		{ "cores Nodes=n1 CPU_IDs=1-2\nallowed 1-2\n", 1, NULL },
		{ "cores Nodes=n1 CPU_IDs=0-3\nallowed 0-3\n", 2, NULL },
		{ "cores Nodes=n1 CPU_IDs=0-1\nallowed 0-1\n", 1,
		  "processors 0-1 of n1, expected 1 of each socket" },
		{ "cores Nodes=n1 CPU_IDs=0,2 Nodes=n2 CPU_IDs=2-3\n"
		  "allowed 0,2\n",
		  1, "processors 2-3 of n2, expected 1 of each socket" },
		{ "cores Nodes=n1 CPU_IDs=0,2,4\nallowed 0,2,4\n", 1,
		  "processors 0,2,4 of n1" },
		{ "cores Nodes=n1 CPU_IDs=0,2\nallowed 0-3\n", 1,
		  "may use 4 processors" },
		{ "cores Nodes=n1 CPU_IDs=0,2\n", 1, "may use 0 processors" },
		{ "cores \n", 1, "no processors" },
		{ "", 1, "no processors" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_measure_record r = record_of(row[i].lines);
		char buf[256];
		const char *bad = cs_measure_record_cores(
			&r, &two_by_two, row[i].per_socket, buf, sizeof(buf));

		if (row[i].bad) {
			assert_non_null(bad);
			assert_contains(bad, row[i].bad);
		} else {
			assert_null(bad);
		}
		cs_measure_record_done(&r);
	}
}

static void cores_of_one_socket_and_of_two_threads(void **state)
{
	struct cs_measure_shape one = { .sockets = 1,
					.cores = 4,
					.threads = 2,
					.per_task = 1,
					.nodes = 1 };
	struct cs_measure_record r =
		record_of("cores Nodes=n1 CPU_IDs=0-3\nallowed 0-3\n");
	char buf[256];

	(void)state;
	assert_null(cs_measure_record_cores(&r, &one, 2, buf, sizeof(buf)));
	assert_non_null(cs_measure_record_cores(&r, &one, 4, buf, sizeof(buf)));
	cs_measure_record_done(&r);
	r = record_of("cores Nodes=n1 CPU_IDs=0-3\nallowed 0-7\n");
	assert_non_null(cs_measure_record_cores(&r, &one, 2, buf, sizeof(buf)));
	one.unconstrained = true;
	assert_null(cs_measure_record_cores(&r, &one, 2, buf, sizeof(buf)));
	cs_measure_record_done(&r);
}

/* Which runs of an alone job count. */
static void runs_that_others_spoiled_do_not_count(void **state)
{
	static const struct {
		const char *looks[4]; /* of three runs, and the last */
		size_t n;
		uint32_t third;
	} row[] = {
		{ { "7:RUNNING", "7:RUNNING", "7:RUNNING", "7:RUNNING" }, 3, 0 },
		/* ended before */
		{ { "5:COMPLETED 7:RUNNING", "5:COMPLETED 7:RUNNING",
		    "7:RUNNING", "7:RUNNING" },
		  3,
		  0 },
		{ { "5:COMPLETING 7:RUNNING", "5:COMPLETED 7:RUNNING",
		    "7:RUNNING", "7:RUNNING" },
		  2,
		  5 },
		/* is there at the second look */
		{ { "7:RUNNING", "7:RUNNING 8:RUNNING", "7:RUNNING",
		    "7:RUNNING" },
		  1,
		  8 },
		/* came and went between two looks */
		{ { "7:RUNNING", "7:RUNNING", "7:RUNNING 8:COMPLETED",
		    "7:RUNNING 8:COMPLETED" },
		  2,
		  8 },
		{ { "7:RUNNING", "?", "7:RUNNING", "7:RUNNING" }, 1, 0 },
		{ { "7:RUNNING", "7:RUNNING", "7:RUNNING", NULL }, 2, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_measure_record r;
		char text[1024];
		double x[8];
		uint32_t third;
		size_t at = (size_t)snprintf(text, sizeof(text),
					     "job 7 0 a 0 1 60\nstart 10\n");

		for (int k = 0; k < 4 && row[i].looks[k]; k++) {
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "look %d %s\n", 10 * k + 11,
					       row[i].looks[k]);
			if (k < 3)
				at += (size_t)snprintf(
					text + at, sizeof(text) - at,
					"run %d %d.5 0\n", 10 * k + 10,
					10 * k + 19);
		}
		if (!row[i].looks[3])
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "run 30 39.5 0\n");
		r = record_of(text);
		assert_int_equal(
			cs_measure_record_times(&r, NULL, 0, x, 8, &third),
			row[i].n);
		assert_int_equal(third, row[i].third);
		if (row[i].n)
			assert_close(x[0], 9.5, 1e-9);
		assert_int_equal(
			cs_measure_record_times(&r, NULL, 0, x, 1, NULL),
			row[i].n ? 1 : 0);
		cs_measure_record_done(&r);
	}
}

/* a runs every 10 s from 0 on; b begins at 5, ends at 38. */
static const char beside_a[] = "job 7 4 a 0 2 600\nstart .1\n"
			       "look 1 7:RUNNING\nrun 0.1 10 0\n"
			       "look 11 7:RUNNING 8:RUNNING\nrun 10 20 0\n"
			       "look 21 7:RUNNING 8:RUNNING\nrun 20 30 0\n"
			       "look 31 7:RUNNING 8:RUNNING\nrun 30 40 0\n"
			       "look 41 7:RUNNING\n";

static size_t counted(const char *b_text, double alive_s)
{
	struct cs_measure_record a = record_of(beside_a), b = record_of(b_text);
	double x[8];
	size_t n = cs_measure_record_times(
		&a, &b, cs_measure_record_until(&b, alive_s), x, 8, NULL);

	cs_measure_record_done(&a);
	cs_measure_record_done(&b);
	return n;
}

static void runs_wholly_beside_the_partner_count(void **state)
{
	(void)state;
	/* its own run at the end of which it failed does not count */
	assert_int_equal(counted("job 8 4 b 7 2 60\nstart 5\nlook 6 7:RUNNING\n"
				 "run 5 22 0\nlook 22 7:RUNNING\n"
				 "run 22 38 1\nend 38 failed 1\n",
				 0),
			 1);
	assert_int_equal(counted("job 8 4 b 7 2 60\nstart 5\nrun 5 32 0\n", 0),
			 2);
	/* it was stopped, or Slurm had it running at that time */
	assert_int_equal(
		counted("job 8 4 b 7 2 60\nstart 5\nend 38 stopped\n", 0), 2);
	assert_int_equal(counted("job 8 4 b 7 2 60\nstart 5\n", 41), 3);
	assert_int_equal(counted("job 8 4 b 7 2 60\nstart 10\n", 41), 3);
	assert_int_equal(counted("job 8 4 b 7 2 60\nstart 10.5\n", 41), 2);
	/* it has not begun, or nothing is known of it */
	assert_int_equal(counted("job 8 4 b 7 2 60\n", 41), 0);
	assert_int_equal(counted("job 8 4 b 7 2 60\nstart 5\n", 0), 0);
}

/* ---- the plan ---------------------------------------------------------------------- */

/* Time in which a job was suspended is in none of the times, neither in its own nor in
 * those of the partner, which had the nodes to itself. */
static void suspended_runs_do_not_count(void **state)
{
	static const char *const own[] = {
		"run 0.1 10 0\nlook 11 7:RUNNING\n",
		"run 0.1 10 0 suspended\nlook 11 7:RUNNING\n",
		"run 0.1 10 0\nlook 11 7:SUSPENDED\n",
	};
	static const size_t n[] = { 1, 0, 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char text[200];
		struct cs_measure_record r;
		double x[8];

		snprintf(text, sizeof(text),
			 "job 7 0 a 0 1 60\nstart .1\nlook 1 7:RUNNING\n%s",
			 own[i]);
		r = record_of(text);
		assert_int_equal(
			cs_measure_record_times(&r, NULL, 0, x, 8, NULL), n[i]);
		cs_measure_record_done(&r);
	}
	/* of the three from 10 to 40, that from 10 to 20 ends before it */
	assert_int_equal(counted("job 8 4 b 7 2 60\nstart 5\nrun 5 20 0\n"
				 "run 20 41 0 suspended\n",
				 0),
			 1);
}

/* A requeued job has two first lines. */
static void runs_before_a_requeue_do_not_count(void **state)
{
	struct cs_measure_record r = record_of(
		"job 7 0 a 0 1 60\ncores Nodes=n1 CPU_IDs=0-3\nstart 1\n"
		"look 2 7:RUNNING\nrun 1 10 0\nlook 11 7:RUNNING\n"
		"job 7 0 a 0 1 60\ncores Nodes=n2 CPU_IDs=0-3\nstart 50\n"
		"look 51 7:RUNNING\nrun 50 57 0\nlook 58 7:RUNNING\n");
	double x[8];

	(void)state;
	assert_int_equal(cs_measure_record_times(&r, NULL, 0, x, 8, NULL), 1);
	assert_close(x[0], 7, 1e-12);
	cs_measure_record_done(&r);
}

static void experiments_are_counted(void **state)
{
	(void)state;
	assert_int_equal(cs_measure_experiments(1), 3);
	assert_int_equal(cs_measure_experiments(3), 12);
	for (size_t n = 1; n <= CS_MEASURE_PROGRAMS; n++) {
		bool seen[CS_MEASURE_PROGRAMS][CS_MEASURE_PROGRAMS] = { { 0 } };
		size_t pairs = 0;

		assert_true(cs_measure_experiments(n) <=
			    CS_MEASURE_EXPERIMENTS);
		for (size_t i = 0; i < cs_measure_experiments(n); i++) {
			struct cs_measure_experiment e =
				cs_measure_experiment(n, i);

			assert_true(e.a <= e.b && e.b < n);
			if (e.kind != CS_MEASURE_PAIR) {
				assert_int_equal(e.a, i % n);
				assert_int_equal(e.kind, i / n);
				continue;
			}
			assert_false(seen[e.a][e.b]);
			seen[e.a][e.b] = true;
			pairs++;
		}
		assert_int_equal(pairs, n * (n + 1) / 2);
	}
}

static void alone_comes_first_and_the_least_measured(void **state)
{
	struct cs_measure_plan p = { .n = 2, .part = .05 };
	const struct cs_measure_mean wide = { 4, 10, 2 },
				     narrow = { 8, 10, .1 };

	(void)state;
	assert_int_equal(cs_measure_next(&p), 0);
	p.busy[0] = true;
	assert_int_equal(cs_measure_next(&p), 1);
	p.busy[1] = p.busy[2] = true;
	assert_int_equal(cs_measure_next(&p), 3);
	p.busy[3] = true;
	assert_int_equal(cs_measure_next(&p), CS_MEASURE_NONE); /* pairs wait */
	memset(p.busy, 0, sizeof(p.busy));
	for (size_t i = 0; i < 4; i++)
		p.cell[i] = wide;
	assert_int_equal(cs_measure_next(&p), 4); /* pairs have no times */
	for (size_t i = 4; i < 8; i++)
		p.cell[i] = narrow;
	assert_int_equal(cs_measure_next(&p), 0);
	for (size_t i = 0; i < 4; i++)
		p.cell[i] = narrow;
	assert_int_equal(cs_measure_next(&p), CS_MEASURE_NONE); /* done */
	p.cell[cs_measure_cell_beside(2, 1, 0)] = wide;
	assert_int_equal(cs_measure_next(&p), 5); /* one direction of a pair */
	p.given_up[5] = true;
	assert_int_equal(cs_measure_next(&p), CS_MEASURE_NONE);
	p.given_up[5] = false;
	p.given_up[2] = true; /* the program alone on spread nodes */
	assert_int_equal(cs_measure_next(&p), CS_MEASURE_NONE);
}

static void ratio_is_over_the_time_alone(void **state)
{
	struct cs_measure_plan p = { .n = 2, .part = .05 };

	(void)state;
	p.cell[cs_measure_cell_alone(2, CS_MEASURE_FULL, 1)].mean = 20;
	p.cell[cs_measure_cell_alone(2, CS_MEASURE_SPREAD, 1)].mean = 16;
	p.cell[cs_measure_cell_beside(2, 1, 0)].mean = 24;
	for (size_t i = 0; i < 8; i++)
		p.cell[i].n = 3;
	assert_close(cs_measure_slowdown(&p, 1, 0, CS_MEASURE_FULL).value, 1.2,
		     1e-12);
	assert_close(cs_measure_slowdown(&p, 1, 0, CS_MEASURE_SPREAD).value,
		     1.5, 1e-12);
	assert_close(cs_measure_dense(&p, 1).value, 1.25, 1e-12);
	assert_true(cs_measure_slowdown(&p, 0, 1, CS_MEASURE_FULL).value == 0);
}

static void goals_double(void **state)
{
	struct cs_measure_plan p = { .n = 1, .part = .05 };

	(void)state;
	assert_int_equal(cs_measure_goal(&p, 0), 8);
	p.cell[0].n = 3;
	assert_int_equal(cs_measure_goal(&p, 0), 8);
	p.cell[0].n = 8;
	assert_int_equal(cs_measure_goal(&p, 0), 16);
}

static void limits_are_paid_for(void **state)
{
	struct cs_measure_plan p = { .n = 1, .part = .05 };

	(void)state;
	assert_int_equal(cs_measure_limit(&p, 0, 3600, 1e9, 4), 3600);
	assert_int_equal(cs_measure_limit(&p, 0, 3600, 4 * 130, 4), 120);
	assert_int_equal(cs_measure_limit(&p, 0, 3600, 4 * 59, 4), 0);
	assert_int_equal(cs_measure_limit(&p, 0, 3600, 4 * 60, 4), 60);
	assert_int_equal(cs_measure_limit(&p, 2, 3600, 4 * 119, 4), 0);
	p.cell[0] = (struct cs_measure_mean){ .n = 3, .mean = 100 };
	/* 120 s and three times six runs of 100 s */
	assert_int_equal(cs_measure_limit(&p, 0, 3600, 1e9, 4), 1920);
	assert_int_equal(cs_measure_limit(&p, 0, 600, 1e9, 4), 600);
	assert_int_equal(cs_measure_limit(&p, 0, 3600, 99 * 4, 4), 0);
	assert_int_equal(cs_measure_limit(&p, 2, 3600, 1e9, 4), 2820);
}

static void half_of_each_socket(void **state)
{
	struct cs_measure_shape s = { .sockets = 1,
				      .cores = 8,
				      .threads = 2,
				      .per_task = 2,
				      .nodes = 3 };

	(void)state;
	assert_int_equal(cs_measure_nodes(&s, CS_MEASURE_FULL), 3);
	assert_int_equal(cs_measure_nodes(&s, CS_MEASURE_SPREAD), 6);
	assert_int_equal(cs_measure_nodes(&s, CS_MEASURE_PAIR), 6);
	assert_int_equal(cs_measure_per_socket(&s, CS_MEASURE_FULL), 4);
	assert_int_equal(cs_measure_per_socket(&s, CS_MEASURE_PAIR), 2);
}

/* ---- the state ------------------------------------------------------------------------ */

static struct cs_measure_state example(void)
{
	struct cs_measure_state s = {
		.program = { { "cfd", 0x123456789abcdef0 }, { "io.x", 7 } },
		.n = 2,
		.shape = two_by_two,
		.options = strdup("-A \"phys\" --qos=x"),
	};
	const struct cs_measure_job a = { .job = 16,
					  .experiment = 4,
					  .nodes = 2,
					  .limit_s = 600,
					  .role = 'a',
					  .elapsed_s = 33.5,
					  .alive_s = 1890000000.125,
					  .ended = true },
				    b = { .job = 17,
					  .experiment = 4,
					  .with = 16,
					  .nodes = 2,
					  .limit_s = 540,
					  .role = 'b',
					  .elapsed_s = 20 };

	assert_int_equal(cs_measure_state_add(&s, &a), 0);
	assert_int_equal(cs_measure_state_add(&s, &b), 0);
	return s;
}

static void state_is_what_was_written(void **state)
{
	struct cs_measure_state s = example(), r = { .n = 0 };
	struct cs_err err = { "" };
	char *text = cs_measure_state_text(&s), *again;

	(void)state;
	assert_int_equal(cs_measure_state_read(&r, text, "state", &err), 0);
	again = cs_measure_state_text(&r);
	assert_string_equal(text, again);
	assert_int_equal(cs_measure_state_same(&r, &s, "f", &err), 0);
	assert_int_equal(r.n_job, 2);
	assert_close(r.job[0].alive_s, 1890000000.125, 1e-15);
	assert_int_equal(cs_measure_state_find(&r, 17)->with, 16);
	assert_null(cs_measure_state_find(&r, 18));
	/* b is on the nodes of a */
	assert_close(cs_measure_state_spent(&r), 67, 1e-12);
	free(text);
	free(again);
	cs_measure_state_done(&r);
	cs_measure_state_done(&s);
}

static void state_of_another_measurement_is_refused(void **state)
{
	struct cs_err err = { "" };

	(void)state;
	for (int i = 0; i < 6; i++) {
		static const char *const what[] = {
			"have changed", "other programs", "other programs",
			"other nodes",	"other options",  "--sbatch"
		};
		struct cs_measure_state a = example(), b = example();

		b.program[1].sum += i == 0;
		strcpy(b.program[0].name, i == 1 ? "CFD" : "cfd");
		b.n -= i == 2;
		b.shape.sockets += i == 3;
		b.shape.nodes += i == 4;
		b.options[0] = i == 5 ? '+' : '-';
		assert_int_equal(cs_measure_state_same(&a, &b, "f", &err),
				 -EINVAL);
		assert_contains(err.text, what[i]);
		cs_measure_state_done(&a);
		cs_measure_state_done(&b);
	}
}

/* A file cut anywhere, or with a member renamed, is refused in a line. */
static void damaged_state_is_refused(void **state)
{
	static const char *const key[] = { "version",  "options", "sockets",
					   "per_task", "sum",	  "jobs",
					   "role",     "alive_s", "ended" };
	struct cs_measure_state s = example(), r = { .n = 0 };
	char *text = cs_measure_state_text(&s);
	struct cs_err err = { "" };

	(void)state;
	for (size_t n = 0; n < strlen(text); n += 7) {
		char *part = strndup(text, n);

		assert_int_equal(cs_measure_state_read(&r, part, "state", &err),
				 -EINVAL);
		assert_contains(err.text, "expected");
		free(part);
	}
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
		char *part = strdup(text);
		char *at = strstr(part, key[i]);

		assert_non_null(at);
		*at = 'X';
		assert_int_equal(cs_measure_state_read(&r, part, "state", &err),
				 -EINVAL);
		assert_contains(err.text, "expected");
		free(part);
	}
	free(text);
	/* an experiment that two programs do not have; a job twice */
	for (size_t i = 0; i < 2; i++) {
		const uint32_t was = s.job[1].experiment;

		s.job[1].experiment = i ? was : 7;
		s.job[1].job = i ? s.job[0].job : 17;
		text = cs_measure_state_text(&s);
		assert_int_equal(cs_measure_state_read(&r, text, "state", &err),
				 -EINVAL);
		assert_contains(err.text, i ? "\"job\"" : "\"experiment\"");
		s.job[1].experiment = was;
		free(text);
	}
	cs_measure_state_done(&s);
}

/* ---- options of sbatch ---------------------------------------------------------------- */

static void options_of_a_script_but_our_own(void **state)
{
	static const char script[] =
		"#!/bin/bash\n"
		"# a comment\n"
		"#SBATCH -N 3 --exclusive -A physics\n"
		"#SBATCH --mem-per-cpu 10 --time=5 --comment='a#b' # none\n"
		"#SBATCHED -X\n"
		"\n"
		"#SBATCH --ntasks-per-node=7 -n4 -o out --partition=short\n"
		"#SBATCH --qos low\n"
		"echo\n"
		"#SBATCH -p late\n";
	static const char *const want[] = {
		"-A",	 "physics", "--comment=a#b", "--partition=short",
		"--qos", "low"
	};
	struct cs_measure_options o;
	struct cs_err err = { "" };

	(void)state;
	assert_int_equal(cs_measure_options_script(&o, script, "s", &err), 0);
	assert_int_equal(o.n, 6);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(o.word[i], want[i]);
	assert_string_equal(cs_measure_options_value(&o, 'p', "--partition"),
			    "short");
	assert_string_equal(cs_measure_options_value(&o, 'A', "--account"),
			    "physics");
	assert_null(cs_measure_options_value(&o, 'x', "--exclude"));
	cs_measure_options_done(&o);
	assert_int_equal(cs_measure_options_script(
				 &o, "#!/bin/sh\n#SBATCH hetjob \n", "s", &err),
			 -EINVAL);
	assert_contains(err.text, "heterogeneous");
	assert_int_equal(
		cs_measure_options_script(
			&o, "#!/bin/sh\n#SBATCH --array=1-2\n", "s", &err),
		-EINVAL);
	assert_contains(err.text, "'s': #SBATCH has '--array=1-2', expected");
}

static void given_options_are_not_our_own(void **state)
{
	static const char *const own[] = { "--exclusive", "--exclusive=user",
					   "-N2",	  "-t 5",
					   "--ntasks=4",  "--mem=5",
					   "-w n1",	  "--hint=x" };
	struct cs_measure_options o;
	struct cs_err err = { "" };

	(void)state;
	assert_int_equal(cs_measure_options_given(&o, "-pa -A x -pb", &err), 0);
	assert_string_equal(cs_measure_options_value(&o, 'p', "--partition"),
			    "b");
	cs_measure_options_done(&o);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		assert_int_equal(cs_measure_options_given(&o, own[i], &err),
				 -EINVAL);
		assert_contains(err.text, "sets itself");
	}
}

/* ---- the site ----------------------------------------------------------------------------- */

#define PARTITION                                                   \
	"PartitionName=p AllocNodes=ALL OverSubscribe=NO State=UP " \
	"SelectTypeParameters=NONE Nodes=n[1-2]\n"
#define NODE(name, state)                                               \
	"NodeName=" name " CoresPerSocket=4 RealMemory=1000 Sockets=2 " \
	"State=" state " ThreadsPerCore=2 MemSpecLimit=100\n"

static void site_is_fit_or_says_why_not(void **state)
{
	static const char two[] = NODE("n1", "IDLE") NODE("n2", "MIXED+CLOUD");
	static const struct {
		const char *partition, *nodes, *select, *parameters, *task,
			*constrain;
		bool unconstrained;
		const char *bad; /* NULL: it is fit */
	} row[] = {
		{ PARTITION, two, "select/cons_tres", "CR_CORE_MEMORY",
		  "task/affinity", "", false, NULL },
		{ PARTITION, two, "select/cons_tres", "CR_CORE", "task/cgroup",
		  "yes", false, NULL },
		{ PARTITION, two, "select/cons_tres", "CR_CORE", "task/cgroup",
		  "no", false, "not bound" },
		{ PARTITION, two, "select/cons_tres", "CR_CORE", "", "", false,
		  "not bound" },
		{ PARTITION, two, "select/cons_tres", "CR_CORE", "", "", true,
		  NULL },
		{ PARTITION, two, "select/linear", "CR_CORE", "task/affinity",
		  "", false, "whole nodes" },
		{ PARTITION, two, "select/cons_tres", "CR_SOCKET",
		  "task/affinity", "", false, "whole sockets" },
		{ "PartitionName=p State=UP OverSubscribe=EXCLUSIVE\n", two,
		  "select/cons_tres", "CR_CORE", "task/affinity", "", false,
		  "OverSubscribe=EXCLUSIVE" },
		{ "PartitionName=p State=UP MaxTime=00:30:00 MaxNodes=2\n", two,
		  "select/cons_tres", "CR_CORE", "task/affinity", "", false,
		  NULL },
		{ "PartitionName=p State=UP MaxTime=2-00:00:00 "
		  "MaxNodes=UNLIMITED\n",
		  two, "select/cons_tres", "CR_CORE", "task/affinity", "",
		  false, NULL },
		{ "PartitionName=p State=UP MaxTime=00:01:00\n", two,
		  "select/cons_tres", "CR_CORE", "task/affinity", "", false,
		  "(MaxTime), expected two minutes" },
		{ "PartitionName=p State=UP MaxTime=UNLIMITED MaxNodes=1\n",
		  two, "select/cons_tres", "CR_CORE", "task/affinity", "",
		  false, "1 nodes (MaxNodes), expected 2" },
		{ "PartitionName=p State=DOWN OverSubscribe=NO\n", two,
		  "select/cons_tres", "CR_CORE", "task/affinity", "", false,
		  "is DOWN, expected UP" },
		{ PARTITION, NODE("n1", "IDLE") NODE("n2", "IDLE+DRAIN"),
		  "select/cons_tres", "CR_CORE", "task/affinity", "", false,
		  "1 usable nodes of 2x4 cores, expected 2" },
		{ PARTITION,
		  NODE("n1", "IDLE") "NodeName=n2 CoresPerSocket=8 Sockets=1 "
				     "State=IDLE ThreadsPerCore=2\n",
		  "select/cons_tres", "CR_CORE", "task/affinity", "", false,
		  "of 2x4 and of 1x8 cores, expected --node" },
		{ PARTITION,
		  "NodeName=n1 CoresPerSocket=3 Sockets=1 State=IDLE "
		  "ThreadsPerCore=1\nNodeName=n2 CoresPerSocket=3 Sockets=1 "
		  "State=IDLE ThreadsPerCore=1\n",
		  "select/cons_tres", "CR_CORE", "task/affinity", "", false,
		  "half a socket of 3 cores" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_measure_site site = {
			row[i].partition,  row[i].nodes, row[i].select,
			row[i].parameters, row[i].task,	 row[i].constrain
		};
		struct cs_measure_shape s = { .per_task = 1,
					      .nodes = 1,
					      .unconstrained =
						      row[i].unconstrained };
		struct cs_err err = { "" };
		uint32_t limit_s = 3600;
		int rc = cs_measure_site_shape(&site, &s, &limit_s, &err);

		if (row[i].bad) {
			assert_int_equal(rc, -EINVAL);
			assert_contains(err.text, row[i].bad);
			continue;
		}
		assert_int_equal(rc, 0);
		assert_int_equal(s.sockets, 2);
		assert_int_equal(s.cores, 4);
		assert_int_equal(s.threads, 2);
		assert_int_equal(s.memory_mb, 900);
		assert_int_equal(limit_s,
				 strstr(row[i].partition, "MaxTime=00:30:00")
					 ? 1800
					 : 3600);
	}
}

static void line_of_squeue_is_read(void **state)
{
	struct cs_measure_seen s;

	(void)state;
	assert_true(
		cs_measure_jobs_line("17|RUNNING|1-02:03:04|n[1-2]|None", &s));
	assert_int_equal(s.job, 17);
	assert_int_equal(s.state, CS_MEASURE_RUNS);
	assert_close(s.elapsed_s, 93784, 1e-12);
	assert_string_equal(s.nodes, "n[1-2]");
	assert_true(cs_measure_jobs_line("18|PENDING|0:00||Priority", &s));
	assert_int_equal(s.state, CS_MEASURE_WAITS);
	assert_string_equal(s.nodes, "");
	assert_string_equal(s.reason, "Priority");
	assert_true(cs_measure_jobs_line("19|COMPLETING|2:01|n1|None", &s));
	assert_int_equal(s.state, CS_MEASURE_ENDS);
	assert_close(s.elapsed_s, 121, 1e-12);
	assert_true(cs_measure_jobs_line("20|TIMEOUT|1:00:00|n1|None", &s));
	assert_int_equal(s.state, CS_MEASURE_ENDED);
	assert_false(cs_measure_jobs_line("slurm_load_jobs error", &s));
	assert_false(cs_measure_jobs_line("", &s));
}

/* ---- results ------------------------------------------------------------------------ */

/* Two programs; the pair (b, b) has two runs only. */
static struct cs_measure_done measured_example(void)
{
	struct cs_measure_done d = { .state = example(),
				     .plan = { .n = 2, .part = .05 },
				     .measured = 6,
				     .experiments = 7,
				     .why = { [6] = "<too few>" } };
	static const double mean[] = { 20, 30, 16, 20, 17.6, 24, 24, 40 };

	for (size_t i = 0; i < 8; i++)
		d.plan.cell[i] = (struct cs_measure_mean){ .n = i == 7 ? 2 : 8,
							   .mean = mean[i],
							   .sd = .1 };
	return d;
}

static char *text_of(void (*put)(FILE *f, const struct cs_measure_done *d),
		     const struct cs_measure_done *d)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	put(f, d);
	fclose(f);
	return text;
}

static void results_are_what_was_measured(void **state)
{
	struct cs_measure_done d = measured_example();
	char *table = text_of(cs_measure_result_table, &d);
	char *alone = text_of(cs_measure_result_alone, &d);
	char *csv = text_of(cs_measure_result_intervals, &d);

	(void)state;
	assert_contains(table, "\ncfd cfd 0.88 8\ncfd io.x 1.2 8\n"
			       "io.x cfd 0.8 8\n");
	assert_null(strstr(table, "io.x io.x"));
	assert_contains(alone, "\ncfd 20 4 8\nio.x 30 4 8\n");
	assert_contains(csv, "\ndense,cfd,,1.25,");
	assert_contains(csv, "\nslowdown,cfd,cfd,1.1,");
	assert_contains(csv, "\nratio,cfd,cfd,0.88,");
	assert_null(strstr(csv, "io.x,io.x"));
	/* memory of open_memstream(), which is not counted */
	__real_free(table);
	__real_free(alone);
	__real_free(csv);
	cs_measure_state_done(&d.state);
}

static void profile_file_is_read_and_matches_nobody(void **state)
{
	struct cs_measure_done d = measured_example();
	char *text = text_of(cs_measure_result_profiles, &d);
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };
	bool bad = false;

	(void)state;
	assert_int_equal(cs_profiles_read(&p, text, strlen(text), "f", &err),
			 0);
	assert_int_equal(p->n_profile, 2);
	assert_close(p->pair[0 * 2 + 1], 1.5, 1e-4);
	assert_close(p->pair[1 * 2 + 0], 1.2, 1e-4);
	assert_true(p->pair[1 * 2 + 1] <= 0);
	assert_int_equal(p->profile[0].n_self, 3);
	assert_int_equal(p->profile[0].self[2].procs, 4);
	assert_close(p->profile[0].self[2].slowdown, 1.25, 1e-4);
	assert_int_equal(cs_profiles_match(p, NULL, "root", "x", "cfd", &bad),
			 CS_PROFILE_NONE);
	assert_int_equal(cs_profiles_match(p, NULL, CS_MEASURE_FILL_IN, "x",
					   "cfd", &bad),
			 0);
	cs_profiles_free(p);
	__real_free(text);
	cs_measure_state_done(&d.state);
}

static void page_says_which_pairs_may_share(void **state)
{
	struct cs_measure_done d = measured_example();
	char *text = text_of(cs_measure_result_page, &d);

	(void)state;
	/* cfd beside itself is 1.1; cfd beside io.x 1.5 */
	assert_contains(text, "1 of 2 measured pairs slow each other by at "
			      "most 1.25");
	assert_contains(text, "intervals: cfd and cfd.");
	assert_contains(text, "io.x beside io.x: 2 runs; &#60;too few&#62;");
	assert_contains(text, "class=\"best\">1.1<small>");
	assert_contains(text, "</html>");
	__real_free(text);
	cs_measure_state_done(&d.state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_those_of_the_table),
		cmocka_unit_test(quotient_of_the_example),
		cmocka_unit_test(two_runs_have_no_interval),
		cmocka_unit_test(equal_times_have_a_narrow_interval),
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(record_is_read),
		cmocka_unit_test(record_of_nonsense_is_empty),
		cmocka_unit_test(record_without_memory),
		cmocka_unit_test(cores_are_half_of_each_socket),
		cmocka_unit_test(cores_of_one_socket_and_of_two_threads),
		cmocka_unit_test(runs_that_others_spoiled_do_not_count),
		cmocka_unit_test(runs_wholly_beside_the_partner_count),
		cmocka_unit_test(suspended_runs_do_not_count),
		cmocka_unit_test(runs_before_a_requeue_do_not_count),
		cmocka_unit_test(experiments_are_counted),
		cmocka_unit_test(alone_comes_first_and_the_least_measured),
		cmocka_unit_test(ratio_is_over_the_time_alone),
		cmocka_unit_test(goals_double),
		cmocka_unit_test(limits_are_paid_for),
		cmocka_unit_test(half_of_each_socket),
		cmocka_unit_test(state_is_what_was_written),
		cmocka_unit_test(state_of_another_measurement_is_refused),
		cmocka_unit_test(damaged_state_is_refused),
		cmocka_unit_test(options_of_a_script_but_our_own),
		cmocka_unit_test(given_options_are_not_our_own),
		cmocka_unit_test(site_is_fit_or_says_why_not),
		cmocka_unit_test(line_of_squeue_is_read),
		cmocka_unit_test(results_are_what_was_measured),
		cmocka_unit_test(profile_file_is_read_and_matches_nobody),
		cmocka_unit_test(page_says_which_pairs_may_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
