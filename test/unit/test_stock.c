/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backfill=stock: when Slurm's own schedulers would start a job (stock.c).  Nodes have one
 * core.
 */
#include "cs_test.h"
#include "rig.h"

#define STOCK "policy=stock,unprofiled=model"

static int64_t planned_s(struct rig *r, uint32_t id)
{
	int64_t us = cs_engine_predicted_start_us(r->engine, id, NULL);

	return us == CS_TIME_NONE ? -1 : us / RIG_S;
}

/* Jobs of one node each, ids from 1 on, that end at @end_s [n]; the rest of @nodes is
 * free. */
static void open_ends(struct rig *r, const char *params, uint32_t nodes,
		      const int64_t *end_s, uint32_t n)
{
	rig_open(r, params, NULL, nodes, 1, 1, 0);
	for (uint32_t i = 0; i < n; i++)
		rig_add(r, i + 1, 1, end_s[i], NULL);
	assert_int_equal(rig_decide(r), n);
}

/* Between two passes of backfill none passes the first job that waits; a pass comes only
 * if something has happened. */
static void only_backfill_lets_jobs_pass(void **state)
{
	static const int64_t end_s[] = { 100, 100, 100 };
	struct rig r;

	(void)state;
	open_ends(&r, STOCK, 4, end_s, 3);
	rig_at(&r, 1);
	rig_add(&r, 4, 4, 100, NULL);
	rig_add(&r, 5, 1, 10, NULL);
	rig_decide(&r);
	assert_false(rig_runs(&r, 5));
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 30 * RIG_S);
	rig_at(&r, 29);
	assert_false(rig_runs(&r, 5));
	rig_at(&r, 30);
	assert_true(rig_runs(&r, 5));
	assert_int_equal(planned_s(&r, 4), 100);
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), CS_TIME_NONE);
	rig_close(&r);

	open_ends(&r, STOCK ",stock_every_s=7", 4, end_s, 3);
	rig_at(&r, 1);
	rig_add(&r, 4, 4, 100, NULL);
	rig_decide(&r);
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 7 * RIG_S);
	rig_close(&r);
}

/*
 * Ends at 40, 55, 100, 115 and 500: with b = 60 the groups end at 90, 120, 180, 300 and
 * 540 (or, each 5 s longer, at 90, 100, 115 and 500).
 */
static void a_planned_start_is_the_last_end_of_its_group(void **state)
{
	static const int64_t end_s[] = { 40, 55, 100, 115, 500 };
	static const struct {
		const char *params;
		uint32_t nodes; /* two are free, and as many more as end by: */
		int64_t start_s;
	} is[] = {
		{ STOCK, 3, 55 },
		{ STOCK, 4, 55 },
		{ STOCK, 5, 115 }, /* it fits at 100 */
		{ STOCK, 6, 115 },
		{ STOCK, 7, 500 },
		{ STOCK ",stock_linear_s=5", 3, 55 },
		{ STOCK ",stock_linear_s=5", 5, 100 },
		{ STOCK ",stock_linear_s=5", 6, 115 },
		{ "policy=conservative,unprofiled=model", 3, 40 },
		{ "policy=conservative,unprofiled=model", 5, 100 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		struct rig r;

		open_ends(&r, is[i].params, 7, end_s, 5);
		rig_add(&r, 6, is[i].nodes, 100, NULL);
		rig_at(&r, 30);
		assert_int_equal(planned_s(&r, 6), is[i].start_s);
		rig_close(&r);
	}
}

/* When job 100 of @nodes nodes is planned behind @n jobs of one node each, which end at
 * @end_s. */
static int64_t planned_behind_s(const char *params, uint32_t nodes,
				const int64_t *end_s, uint32_t n)
{
	struct rig r;
	int64_t s;

	open_ends(&r, params, n + 1, end_s, n);
	rig_add(&r, 100, nodes, 100, NULL);
	rig_at(&r, 30);
	s = planned_s(&r, 100);
	rig_close(&r);
	return s;
}

/* With x the exact start: it is an end from x on, and not beyond b + 30 s, or b and twice
 * the distance from b to x. */
static void a_start_is_late_by_its_distance_at_most(void **state)
{
	uint64_t rng = cs_test_seed();

	(void)state;
	for (int i = 0; i < 200; i++) {
		uint32_t n = 1 + (uint32_t)cs_test_draw(&rng, 40);
		uint32_t nodes = 2 + (uint32_t)cs_test_draw(&rng, n);
		int64_t end_s[40], first = INT64_MAX, exact, stock, b;
		bool any = false;

		for (uint32_t k = 0; k < n; k++) {
			end_s[k] = 31 + (int64_t)cs_test_draw(&rng, 2000);
			first = end_s[k] < first ? end_s[k] : first;
		}
		exact = planned_behind_s("policy=conservative,unprofiled=model",
					 nodes, end_s, n);
		stock = planned_behind_s(STOCK, nodes, end_s, n);
		b = (first / 30 + 1) * 30;
		for (uint32_t k = 0; k < n; k++)
			any |= end_s[k] == stock;
		assert_true(any);
		assert_true(stock >= exact);
		assert_true(stock <= b + 30 || stock < b + 2 * (exact - b));
	}
}

/* After 202 ends no start is looked for if another follows in the group, but the group
 * goes on. */
static void a_group_has_two_hundred_and_two_ends(void **state)
{
	static const struct {
		uint32_t at_40, at_50, nodes;
		int64_t start_s;
	} is[] = {
		{ 202, 0, 2, 40 },   { 202, 10, 2, 50 }, { 203, 10, 2, 50 },
		{ 203, 0, 2, 40 },   { 404, 0, 2, 40 },	 { 404, 0, 405, 40 },
		{ 201, 0, 202, 40 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		uint32_t n = is[i].at_40 + is[i].at_50, started = 0;
		struct rig r;

		rig_open(&r, STOCK, NULL, n + 1, 1, 1, 0);
		for (uint32_t id = 1; id <= n; id++) {
			rig_add(&r, id, 1, id <= is[i].at_40 ? 40 : 50, NULL);
			if (id % 200 && id < n)
				continue;
			r.n_log = 0; /* it holds 256 starts */
			started += (uint32_t)rig_decide(&r);
		}
		assert_int_equal(started, n);
		rig_add(&r, 500, is[i].nodes, 10, NULL);
		rig_at(&r, 30);
		assert_int_equal(planned_s(&r, 500), is[i].start_s);
		rig_close(&r);
	}
}

/* A job whose estimate is for full nodes of two cores. */
static void add_full(struct rig *r, uint32_t id, uint32_t procs,
		     int64_t limit_s)
{
	struct cs_job j = rig_job(r, id, procs, limit_s, NULL);

	j.base_procs = 2;
	rig_submit(r, &j);
}

/* Job 3 is planned on all nodes from 130 until 230, by minutes 120 until 180, with the core
 * that it leaves free: at 30 a job may start if it ends before 120. */
static void plans_are_whole_nodes_and_minutes(void **state)
{
	static const int64_t limit_s[] = { 89, 90 };
	struct rig r;

	(void)state;
	for (int late = 0; late < 2; late++) {
		rig_open(&r, "policy=stock", NULL, 4, 1, 2, 0);
		add_full(&r, 1, 6, 130);
		assert_int_equal(rig_decide(&r), 1);
		add_full(&r, 3, 7, 100);
		add_full(&r, 4, 1, limit_s[late]);
		rig_at(&r, 30);
		assert_int_equal(planned_s(&r, 3), 130);
		assert_int_equal(rig_runs(&r, 4), !late);
		if (late)
			assert_int_equal(planned_s(&r, 4), 180);
		rig_close(&r);
	}
	rig_open(&r, "policy=stock,stock_resolution_s=1", NULL, 4, 1, 2, 0);
	add_full(&r, 1, 6, 130);
	rig_decide(&r);
	add_full(&r, 3, 7, 100);
	add_full(&r, 4, 1, 99);
	rig_at(&r, 30);
	assert_true(rig_runs(&r, 4));
	rig_close(&r);
}

/* What would start beyond the window keeps nothing. */
static void beyond_the_window_nothing_is_planned(void **state)
{
	static const int64_t end_s[] = { 1000 };
	struct rig r;

	(void)state;
	for (int far = 0; far < 2; far++) {
		open_ends(&r,
			  far ? STOCK ",horizon_s=60" : STOCK ",horizon_s=970",
			  2, end_s, 1);
		rig_add(&r, 2, 2, 100, NULL);
		rig_add(&r, 3, 1, 5000, NULL);
		rig_at(&r, 30);
		assert_int_equal(rig_runs(&r, 3), far);
		assert_int_equal(planned_s(&r, 2), far ? 5030 : 1000);
		rig_close(&r);
	}
}

static void a_job_that_can_never_start_blocks_no_other(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, STOCK, NULL, 2, 1, 1, 0);
	rig_add(&r, 1, 1, 100, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 3, 100, NULL);
	rig_add(&r, 3, 1, 100, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	rig_close(&r);
}

/* The main loop, which plans nothing, leaves what backfill has planned. */
static void a_plan_is_told_until_the_next_pass(void **state)
{
	static const int64_t end_s[] = { 100, 200, 200 };
	char text[1024];
	struct rig r;

	(void)state;
	open_ends(&r, STOCK, 4, end_s, 3);
	rig_add(&r, 4, 4, 100, NULL);
	rig_add(&r, 5, 3, 100, NULL);
	rig_at(&r, 30);
	assert_int_equal(planned_s(&r, 4), 200);
	assert_int_equal(planned_s(&r, 5), 300);
	rig_at(&r, 31);
	rig_add(&r, 6, 2, 1000, NULL); /* no pass has seen it */
	rig_decide(&r);
	assert_int_equal(planned_s(&r, 4), 200);
	assert_int_equal(planned_s(&r, 5), 300);
	assert_int_equal(planned_s(&r, 6), -1);
	assert_true(cs_explain(r.engine, 5, NULL, text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "waits: planned on 3 cores"));
	assert_non_null(strstr(text, "starts in 0:04:29"));
	assert_true(cs_explain(r.engine, 6, NULL, text, sizeof(text)) > 0);
	assert_null(strstr(text, "planned"));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_backfill_lets_jobs_pass),
		cmocka_unit_test(a_planned_start_is_the_last_end_of_its_group),
		cmocka_unit_test(a_start_is_late_by_its_distance_at_most),
		cmocka_unit_test(a_group_has_two_hundred_and_two_ends),
		cmocka_unit_test(plans_are_whole_nodes_and_minutes),
		cmocka_unit_test(beyond_the_window_nothing_is_planned),
		cmocka_unit_test(a_job_that_can_never_start_blocks_no_other),
		cmocka_unit_test(a_plan_is_told_until_the_next_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
