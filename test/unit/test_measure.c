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

#include "measure/plan.h"
#include "measure/record.h"
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
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(4000);

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
	cs_measure_state_done(&s);
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
		cmocka_unit_test(experiments_are_counted),
		cmocka_unit_test(alone_comes_first_and_the_least_measured),
		cmocka_unit_test(ratio_is_over_the_time_alone),
		cmocka_unit_test(goals_double),
		cmocka_unit_test(limits_are_paid_for),
		cmocka_unit_test(half_of_each_socket),
		cmocka_unit_test(state_is_what_was_written),
		cmocka_unit_test(state_of_another_measurement_is_refused),
		cmocka_unit_test(damaged_state_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
