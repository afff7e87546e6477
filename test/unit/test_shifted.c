/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By arrival, wide and long jobs put off (shifted.c), and the usual limit (usual.c). */
#include "cs_test.h"
#include "rig.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "common/explain/explain.h"

#define HOUR 3600
#define HOUR_US (HOUR * RIG_S)
#define JOBS 40

/* The usual limit is an hour, and stays it: so much weight has it. */
#define AN_HOUR "usual 3600000000 9000000000000 0 0 0 0"

static int keep(struct rig *r, const char *line)
{
	struct cs_event ev = { .type = CS_EV_KEPT, .kept = line };

	return cs_engine_event(r->engine, &ev, NULL);
}

/* One node of four cores, taken by job 1 for so long. */
static void open_taken(struct rig *r, const char *params, int64_t hours)
{
	rig_open(r, params, NULL, 1, 2, 2, 0);
	assert_int_equal(keep(r, AN_HOUR), 0);
	rig_add(r, 1, 4, hours * HOUR, NULL);
	rig_decide(r);
	assert_true(rig_runs(r, 1));
}

static uint32_t place(struct rig *r, uint32_t id)
{
	uint32_t before, all;

	assert_int_equal(cs_explain_place(r->engine, id, &before, &all), 0);
	return before + 1;
}

static void add_with(struct rig *r, uint32_t id, uint32_t procs, int64_t s,
		     uint64_t priority, uint32_t flags)
{
	struct cs_job_partition o = { .nodeset = r->all,
				      .limit_max_us = CS_TIME_NONE,
				      .priority = priority };
	struct cs_job j = rig_job(r, id, procs, s, NULL);

	j.option = &o;
	j.flags = flags;
	rig_submit(r, &j);
}

/* The example of shifted.c: shifts of 1, 2 and .13 h. */
static void narrow_and_long_jobs_count_as_later(void **state)
{
	struct rig r;

	(void)state;
	open_taken(&r, "policy=balanced", 100);
	rig_add(&r, 2, 4, HOUR, NULL);
	rig_add(&r, 3, 1, HOUR, NULL);
	rig_add(&r, 4, 4, 60, NULL);
	rig_decide(&r);
	assert_int_equal(place(&r, 4), 1);
	assert_int_equal(place(&r, 2), 2);
	assert_int_equal(place(&r, 3), 3);
	rig_close(&r);
}

struct turn {
	uint32_t id;
	double usual, at, limit, cores; /* seconds */
	double rule;
};

static int larger(const void *va, const void *vb)
{
	const struct turn *a = va, *b = vb;

	if (a->rule != b->rule)
		return a->rule > b->rule ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Equations (1) to (3), @m hardware threads, as of @now. */
static double shift_of(const struct turn *x, double m)
{
	return x->usual * fmin(3.6, sqrt(x->limit * m / (x->usual * x->cores)));
}

static double grown_of(const struct turn *x, double now)
{
	double f = 0.6 * x->limit / (x->limit + 1.2 * x->usual);

	return fmin(f * (now - x->at), 10.8 * x->usual);
}

/* Whatever comes, and when: the usual limit is the weighted mean, the queue as the
 * equations sort it, and B1 and B3 hold.  No job is ever pinned. */
static void the_queue_is_as_the_equations_say(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(200);

	(void)state;
	for (uint64_t k = 0; k < worlds; k++) {
		struct turn turn[JOBS];
		double sum = 9e6 * HOUR, weight = 9e6, last = 0, now = 1;
		uint64_t rng = seed + k;
		struct rig r;

		rig_open(&r,
			 "policy=balanced,pin_after=1000,usual_jobs=3,"
			 "usual_s=86400,depth=0",
			 NULL, 1, 2, 2, 0);
		assert_int_equal(keep(&r, AN_HOUR), 0);
		add_with(&r, 1, 4, 8760 * HOUR, 0, 0);
		rig_decide(&r);
		for (uint32_t i = 0; i < JOBS + 1; i++) {
			struct turn x = { .id = i + 1, .at = 0 };
			double was;

			if (i) {
				now += (double)cs_test_draw(&rng, 12 * HOUR);
				x.limit =
					1 + (double)cs_test_draw(
						    &rng, cs_test_draw(&rng, 2)
								  ? 600
								  : 24 * HOUR);
				x.cores = 1 + (double)cs_test_draw(&rng, 4);
				x.at = now;
				x.usual = fmax(60,
					       floor(sum / weight * 1e6) / 1e6);
				rig_at(&r, (int64_t)now);
				rig_add(&r, x.id, (uint32_t)x.cores,
					(int64_t)x.limit, NULL);
				turn[i - 1] = x;
			} else {
				x.limit = 8760 * HOUR;
			}
			if (!i)
				continue; /* not after the line kept */
			was = exp2(-fmax((now - last) / 86400, 1 / 3.));
			sum = was * sum + fmin(fmax(60, x.limit), 7 * 86400);
			weight = was * weight + 1;
			last = now;
		}
		now += (double)cs_test_draw(&rng, 24 * HOUR);
		rig_at(&r, (int64_t)now);
		for (uint32_t i = 0; i < JOBS; i++)
			turn[i].rule = now - turn[i].at -
				       grown_of(&turn[i], now) -
				       shift_of(&turn[i], 4);
		qsort(turn, JOBS, sizeof(*turn), larger);
		for (uint32_t i = 0; i < JOBS; i++)
			if (place(&r, turn[i].id) != i + 1)
				fail_msg("seed %llu: job %u is at %u, not %u",
					 (unsigned long long)(seed + k),
					 turn[i].id, place(&r, turn[i].id),
					 i + 1);
		for (uint32_t i = 0; i < JOBS; i++)
			for (uint32_t j = 0; j < i; j++) {
				double later = turn[j].at - turn[i].at;

				assert_true(later <=
					    shift_of(&turn[i], 4) +
						    grown_of(&turn[i], now));
				assert_true(later <= 14.4 * turn[i].usual);
			}
		rig_close(&r);
	}
}

/* A head of 5 h, older than 2.4 usual limits, against a job that would go before it. */
static void an_old_head_stays_the_head(void **state)
{
	static const char *const params[] = {
		"policy=balanced", "policy=balanced,pin_after=1000"
	};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;

		open_taken(&r, params[i], 100);
		rig_add(&r, 2, 4, 8 * HOUR, NULL);
		rig_at(&r, 5 * HOUR);
		rig_add(&r, 3, 4, 60, NULL);
		rig_at(&r, 5 * HOUR + 1);
		assert_int_equal(place(&r, 3), i ? 1 : 2);
		assert_int_equal(place(&r, 2), i ? 2 : 1);
		rig_close(&r);
	}
}

/* The machine is free at 10 h; the head of 8 h would end at 18, a fifth of that is 3.6. */
static void the_slack_is_capped(void **state)
{
	static const struct {
		const char *params;
		double hours;
	} cases[] = { { "policy=balanced", 10.4 },
		      { "policy=balanced,head_slack_max=1", 11 },
		      { "policy=balanced,head_slack_max=0", 13.6 },
		      { "policy=balanced,order=fcfs,head_slack_max=1800",
			10.5 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rig r;

		rig_open(&r, cases[i].params, NULL, 4, 1, 1, 0);
		assert_int_equal(keep(&r, AN_HOUR), 0);
		rig_add(&r, 1, 4, 10 * HOUR, NULL);
		rig_decide(&r);
		rig_add(&r, 2, 4, 8 * HOUR, NULL);
		rig_decide(&r);
		assert_close((double)cs_engine_predicted_start_us(r.engine, 2,
								  NULL) /
				     HOUR_US,
			     cases[i].hours, 1e-3);
		rig_close(&r);
	}
}

/* Who is no longer the head has no planned start, and a new one when it is it again. */
static void only_the_head_has_a_planned_start(void **state)
{
	struct rig r;

	(void)state;
	open_taken(&r, "policy=balanced", 10);
	rig_add(&r, 2, 1, 8 * HOUR, NULL);
	rig_decide(&r);
	assert_true(cs_engine_predicted_start_us(r.engine, 2, NULL) !=
		    CS_TIME_NONE);
	rig_at(&r, 60);
	rig_add(&r, 3, 4, 60, NULL);
	rig_decide(&r);
	assert_int_equal(place(&r, 3), 1);
	assert_true(cs_engine_predicted_start_us(r.engine, 2, NULL) ==
		    CS_TIME_NONE);
	rig_close(&r);
}

static void priorities_set_by_hand_hold(void **state)
{
	struct rig r;

	(void)state;
	open_taken(&r, "policy=balanced", 100);
	add_with(&r, 2, 4, 60, 100, 0);
	add_with(&r, 3, 4, HOUR, 90, 0);
	add_with(&r, 4, 1, HOUR, 80, 0);
	add_with(&r, 5, 4, 60, 85, CS_JOB_PRIORITY_SET);
	add_with(&r, 6, 1, 8 * HOUR, 1000, CS_JOB_PRIORITY_SET);
	add_with(&r, 7, 4, 60, 84, CS_JOB_PRIORITY_SET);
	rig_decide(&r);
	assert_int_equal(place(&r, 6), 1);
	assert_int_equal(place(&r, 2), 2);
	assert_int_equal(place(&r, 3), 3);
	assert_int_equal(place(&r, 5), 4);
	assert_int_equal(place(&r, 7), 5);
	assert_int_equal(place(&r, 4), 6);
	rig_close(&r);
}

/* A shift of 2.83 h takes off 10,182 of a point a second, one of .13 h 465. */
static void a_shift_takes_points_off_the_sites_priority(void **state)
{
	static const struct {
		const char *params;
		uint64_t priority; /* of job 3 */
		uint32_t place;
	} cases[] = { { "policy=balanced,age_points=1", 500, 1 },
		      { "policy=balanced,age_points=1", 100, 2 },
		      { "policy=balanced,age_points=0", 9999, 2 },
		      { "policy=balanced,age_points=0", 10000, 1 },
		      { "policy=balanced,age_points=-1", 1, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rig r;

		open_taken(&r, cases[i].params, 100);
		add_with(&r, 2, 4, 8 * HOUR, 10000, 0);
		add_with(&r, 3, 4, 60, cases[i].priority, 0);
		rig_decide(&r);
		assert_int_equal(place(&r, 3), cases[i].place);
		rig_close(&r);
	}
}

/* The example of usual.c. */
static void the_usual_limit_is_a_weighted_mean(void **state)
{
	struct rig r;
	char text[512];

	(void)state;
	rig_open(&r, "policy=balanced,usual_jobs=1", NULL, 1, 2, 2, 0);
	rig_add(&r, 1, 1, HOUR, NULL);
	rig_add(&r, 2, 1, 4 * HOUR, NULL);
	cs_engine_save(r.engine, text, sizeof(text));
	assert_contains(text, "usual 10800000000 1500000 0 0 0 0\n");
	rig_close(&r);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *at = strstr(text, what); at; n++)
		at = strstr(at + 1, what);
	return n;
}

static void add_on(struct rig *r, uint32_t id, uint64_t nodes, int64_t s)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j = rig_job(r, id, 1, s, NULL);

	o.nodeset = (uint32_t)cs_engine_nodeset(r->engine, &nodes);
	j.option = &o;
	rig_submit(r, &j);
}

/* Partitions that share no node have their own; one that meets both joins them. */
static void partitions_that_share_nodes_share_a_usual_limit(void **state)
{
	struct rig r;
	char text[1024];

	(void)state;
	rig_open(&r, "policy=balanced", NULL, 4, 1, 1, 0);
	add_on(&r, 1, 1, HOUR);
	add_on(&r, 2, 4, 3 * HOUR);
	cs_engine_save(r.engine, text, sizeof(text));
	assert_int_equal(count(text, "usual "), 2);
	assert_contains(text, "usual 3600000000 1000000 0 0 0 0\n");
	assert_contains(text, "usual 10800000000 1000000 0 0 2 2\n");
	add_on(&r, 3, 6, 2 * HOUR);
	add_on(&r, 4, 3, 2 * HOUR);
	cs_engine_save(r.engine, text, sizeof(text));
	assert_int_equal(count(text, "usual "), 1);
	assert_contains(text, " 0 0 0 2\n");
	rig_close(&r);
}

/* A second engine that gets the lines, and the same jobs again, writes the same lines. */
static void what_is_known_outlives_a_restart(void **state)
{
	char before[2048], after[2048], *line, *save = NULL, copy[2048];
	struct rig r, again;

	(void)state;
	open_taken(&r, "policy=balanced,learn=off", 100);
	rig_add(&r, 2, 4, 8 * HOUR, NULL);
	rig_at(&r, 5 * HOUR);
	rig_add(&r, 3, 4, 60, NULL);
	rig_decide(&r);
	cs_engine_save(r.engine, before, sizeof(before));
	assert_contains(before, "shift 2 3600000000 1 ");
	rig_open(&again, "policy=balanced,learn=off", NULL, 1, 2, 2, 0);
	memcpy(copy, before, sizeof(copy));
	for (line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct cs_event ev = { .type = CS_EV_KEPT,
				       .kept = line,
				       .t_us = 5 * HOUR_US };

		assert_int_equal(cs_engine_event(again.engine, &ev, NULL), 0);
	}
	again.now_us = 5 * HOUR_US;
	for (uint32_t id = 2; id <= 3; id++) {
		struct cs_job j =
			id == 2 ? rig_job(&again, 2, 4, 8 * HOUR, NULL)
				: rig_job(&again, 3, 4, 60, NULL);

		j.submit_us = j.eligible_us = id == 2 ? 0 : 5 * HOUR_US;
		rig_submit(&again, &j);
	}
	cs_engine_save(again.engine, after, sizeof(after));
	assert_string_equal(after, before);
	rig_close(&again);
	rig_close(&r);
}

/* Another order passes over what this one kept: a site has changed its policy. */
static void another_order_passes_its_lines_over(void **state)
{
	static const char *const params[] = { "policy=ostrich", "policy=pack",
					      "policy=cover+" };

	(void)state;
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		struct rig r;

		rig_open(&r, params[i], NULL, 1, 2, 2, 0);
		assert_int_equal(keep(&r, AN_HOUR), 0);
		assert_int_equal(keep(&r, "shift 2 3600000000 1 0 0"), 0);
		rig_close(&r);
	}
}

static void submit_later(struct rig *r, uint32_t id, struct cs_job j,
			 int64_t at_s)
{
	j.id = id;
	j.submit_us = j.eligible_us = at_s * RIG_S;
	rig_at(r, at_s);
	rig_submit(r, &j);
}

/* What may preempt others, or has a reservation, is before the rule, and before tiers. */
static void precedence_is_before_tiers_and_the_rule(void **state)
{
	struct cs_job_partition tier, first;
	struct cs_job j;
	struct rig r;

	(void)state;
	open_taken(&r, "policy=balanced", 100);
	j = rig_job(&r, 2, 1, 60, NULL);
	tier = first = j.option[0];
	tier.tier = 7;
	first.precedence = 1;
	submit_later(&r, 2, j, 1);
	j.option = &tier;
	submit_later(&r, 3, j, 2);
	j = rig_job(&r, 4, 4, 8 * HOUR, NULL);
	j.option = &first;
	submit_later(&r, 4, j, 3);
	rig_decide(&r);
	assert_int_equal(place(&r, 4), 1);
	assert_int_equal(place(&r, 3), 2);
	assert_int_equal(place(&r, 2), 3);
	rig_close(&r);
}

static void a_job_that_the_site_excepts_is_not_shifted(void **state)
{
	for (uint32_t excepted = 0; excepted < 2; excepted++) {
		struct cs_job j;
		struct rig r;

		(void)state;
		open_taken(&r, "policy=balanced", 100);
		j = rig_job(&r, 2, 4, 8 * HOUR, NULL);
		j.flags |= excepted ? CS_JOB_UNSHIFTED : 0;
		submit_later(&r, 2, j, 1);
		submit_later(&r, 3, rig_job(&r, 3, 4, 8 * HOUR, NULL), 600);
		submit_later(&r, 4, rig_job(&r, 4, 4, 60, NULL), 900);
		rig_decide(&r);
		assert_int_equal(place(&r, 2), excepted ? 1 : 2);
		assert_int_equal(place(&r, 4), excepted ? 2 : 1);
		assert_int_equal(place(&r, 3), 3);
		rig_close(&r);
	}
}

/* A task that the host runs again has its array's shift, and is pinned no more. */
static void a_task_that_waits_again_has_its_arrays_shift(void **state)
{
	char text[1024];
	struct cs_job j;
	struct rig r;

	(void)state;
	open_taken(&r, "policy=balanced", 100);
	j = rig_job(&r, 2, 4, 8 * HOUR, NULL);
	j.array_id = 2;
	j.tasks = 2;
	rig_submit(&r, &j);
	rig_at(&r, 5 * HOUR);
	cs_engine_save(r.engine, text, sizeof(text));
	assert_contains(text, "shift 2 3600000000 1 ");
	r.next_task = 10;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 10));
	j = rig_job(&r, 10, 4, 8 * HOUR, NULL);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_REQUEUE, .job = &j });
	cs_engine_save(r.engine, text, sizeof(text));
	assert_contains(text, "shift 10 3600000000 0 0 0\n");
	rig_close(&r);
}

static void bad_lines_are_refused_and_others_passed_over(void **state)
{
	static const char *const bad[] = {
		"usual 3600000000 1 0 0 1 1", "usual 1 1 0 0 0 0",
		"usual 3600000000 0 0 0 0 0", "usual 3600000000 1 0 0 0 0 x",
		"usual 3600000000 1 0 0",     "usual 3600000000 1 0 0 0",
		"usual 0 3600000000 1",	      "shift 2 3600000000 2 0 0",
		"shift 2 3600000000 0 5 4",   "shift 2 1 0 0 0",
		"shift 2 3600000000 0 -1 0",  "shift x",
	};
	struct rig r;

	(void)state;
	rig_open(&r, "policy=balanced", NULL, 1, 2, 2, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(keep(&r, bad[i]), -EINVAL);
	assert_int_equal(keep(&r, "clock 0 0 0 0"), 0);
	assert_int_equal(keep(&r, "shift 2 3600000000 0 0 0"), 0);
	assert_int_equal(keep(&r, "shift 2 3600000000 0 0 0"), -EINVAL);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrow_and_long_jobs_count_as_later),
		cmocka_unit_test(the_queue_is_as_the_equations_say),
		cmocka_unit_test(an_old_head_stays_the_head),
		cmocka_unit_test(the_slack_is_capped),
		cmocka_unit_test(only_the_head_has_a_planned_start),
		cmocka_unit_test(priorities_set_by_hand_hold),
		cmocka_unit_test(a_shift_takes_points_off_the_sites_priority),
		cmocka_unit_test(the_usual_limit_is_a_weighted_mean),
		cmocka_unit_test(
			partitions_that_share_nodes_share_a_usual_limit),
		cmocka_unit_test(what_is_known_outlives_a_restart),
		cmocka_unit_test(another_order_passes_its_lines_over),
		cmocka_unit_test(precedence_is_before_tiers_and_the_rule),
		cmocka_unit_test(a_job_that_the_site_excepts_is_not_shifted),
		cmocka_unit_test(a_task_that_waits_again_has_its_arrays_shift),
		cmocka_unit_test(bad_lines_are_refused_and_others_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
