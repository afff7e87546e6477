/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which planned starts keep nodes (horizon.c), and jobs beyond their limits (progress.c,
 * rule 3): known answers, with one promise and with all.
 */
#include "cs_test.h"
#include "rig.h"

#define DAY_S (24 * 3600)
#define YEAR_S (365 * DAY_S)
#define HORIZON ",unprofiled=model,horizon_s=86400"

static const char *const policies[] = { "policy=easy" HORIZON,
					"policy=conservative" HORIZON,
					"policy=pack" HORIZON };

#define POLICIES (sizeof(policies) / sizeof(*policies))

static void open_two(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 2, 1, 1, 0);
}

/* Job 1 runs on a node for @first_s, job 2 wants both. */
static void a_head_waits(struct rig *r, int64_t first_s)
{
	rig_add(r, 1, 1, first_s, NULL);
	rig_decide(r);
	assert_true(rig_runs(r, 1));
	rig_add(r, 2, 2, 1000, NULL);
	rig_decide(r);
	assert_false(rig_runs(r, 2));
}

static void beyond_the_horizon_a_start_keeps_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < POLICIES; i++) {
		uint64_t nodes = 0;
		uint32_t id;
		struct rig r;

		open_two(&r, policies[i]);
		a_head_waits(&r, YEAR_S);
		/* it has an estimate, and wants nothing yet */
		assert_int_equal(
			cs_engine_predicted_start_us(r.engine, 2, NULL),
			YEAR_S * RIG_S);
		assert_int_equal(cs_engine_wants_from_us(r.engine, 2),
				 CS_TIME_NONE);
		assert_int_equal(cs_explain_nodes(r.engine, YEAR_S * RIG_S, 1,
						  &id, &nodes),
				 0);
		rig_add(&r, 3, 1, YEAR_S, NULL);
		rig_decide(&r);
		assert_true(rig_runs(&r, 3));
		/* it starts as soon as it fits */
		rig_finish(&r, 1);
		rig_decide(&r);
		rig_finish(&r, 3);
		rig_decide(&r);
		assert_true(rig_runs(&r, 2));
		rig_close(&r);
	}
}

/* Job 2 could start in two days, and its nodes are kept a day before. */
static void a_start_beyond_the_horizon_is_explained(void **state)
{
	(void)state;
	for (size_t i = 0; i < POLICIES; i++) {
		char text[1024];
		struct rig r;

		open_two(&r, policies[i]);
		a_head_waits(&r, 2 * DAY_S);
		cs_explain(r.engine, 2, NULL, text, sizeof(text));
		assert_contains(
			text,
			"waits: no nodes are kept for it yet, others may use "
			"them; by the limits of the jobs before it, it starts "
			"in 2-00:00:00; nodes are kept for it in 1-00:00:00\n");
		rig_close(&r);
	}
}

static void within_the_horizon_a_start_keeps_nodes(void **state)
{
	(void)state;
	for (size_t i = 0; i < POLICIES; i++) {
		struct rig r;

		open_two(&r, policies[i]);
		a_head_waits(&r, DAY_S);
		rig_add(&r, 3, 1, DAY_S + 1, NULL);
		rig_add(&r, 4, 1, DAY_S, NULL);
		rig_decide(&r);
		assert_false(rig_runs(&r, 3));
		assert_true(rig_runs(&r, 4));
		rig_close(&r);
	}
}

static void a_start_keeps_nodes_once_it_comes_within_the_horizon(void **state)
{
	(void)state;
	for (size_t i = 0; i < POLICIES; i++) {
		struct rig r;

		open_two(&r, policies[i]);
		rig_twin(&r);
		a_head_waits(&r, 2 * DAY_S);
		rig_add(&r, 3, 1, 100, NULL);
		rig_decide(&r);
		assert_true(rig_runs(&r, 3));
		rig_at(&r, 100);
		rig_finish(&r, 3);
		rig_decide(&r);
		rig_at(&r, DAY_S);
		rig_add(&r, 4, 1, 2 * DAY_S, NULL);
		rig_decide(&r);
		assert_false(rig_runs(&r, 4));
		rig_close(&r);
	}
}

static void without_the_key_all_starts_keep_nodes(void **state)
{
	static const char *const old[] = { "policy=easy,unprofiled=model",
					   "policy=conservative",
					   "policy=fcfs" HORIZON };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct rig r;

		open_two(&r, old[i]);
		a_head_waits(&r, YEAR_S);
		rig_add(&r, 3, 1, YEAR_S + 1, NULL);
		rig_decide(&r);
		assert_false(rig_runs(&r, 3));
		rig_close(&r);
	}
}

static void a_young_job_keeps_nothing(void **state)
{
	static const char *const young[] = {
		"policy=easy,unprofiled=model,reserve_age_s=60",
		"policy=conservative,unprofiled=model,reserve_age_s=60"
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig r;

		open_two(&r, young[i]);
		a_head_waits(&r, 1000);
		assert_int_equal(cs_engine_next_wakeup_us(r.engine),
				 i ? 60 * RIG_S : CS_TIME_NONE);
		rig_add(&r, 3, 1, 50, NULL);
		rig_decide(&r);
		r.now_us = 50 * RIG_S;
		rig_finish(&r, 3);
		rig_add(&r, 4, 1, 2000, NULL);
		rig_decide(&r);
		assert_true(rig_runs(&r, 4));
		rig_finish(&r, 4);
		rig_at(&r, 60);
		rig_add(&r, 5, 1, 2000, NULL);
		rig_decide(&r);
		assert_false(rig_runs(&r, 5));
		rig_close(&r);
	}
}

static void a_job_below_the_hosts_threshold_keeps_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < POLICIES; i++) {
		struct cs_job j;
		struct rig r;

		open_two(&r, policies[i]);
		rig_add(&r, 1, 1, 1000, NULL);
		rig_decide(&r);
		j = rig_job(&r, 2, 2, 1000, NULL);
		j.flags |= CS_JOB_KEEPS_NOTHING;
		rig_submit(&r, &j);
		rig_add(&r, 3, 1, 5000, NULL);
		rig_decide(&r);
		assert_false(rig_runs(&r, 2));
		assert_true(rig_runs(&r, 3));
		rig_close(&r);
	}
}

/* Job 1, beyond its end at 100, may run for @over_s more; job 2 waits for both nodes,
 * and at 101 a job of @next_s comes.  Does it start? */
static bool starts_beside_overrun(const char *params, uint32_t over_s,
				  int64_t next_s)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE,
				      .over_s = over_s };
	struct cs_job j;
	struct rig r;
	bool runs;

	open_two(&r, params);
	j = rig_job(&r, 1, 1, 100, NULL);
	o.nodeset = r.all;
	j.option = &o;
	rig_submit(&r, &j);
	rig_decide(&r);
	rig_add(&r, 2, 2, 1000, NULL);
	rig_decide(&r);
	rig_at(&r, 101);
	rig_add(&r, 3, 1, next_s, NULL);
	rig_decide(&r);
	runs = rig_runs(&r, 3);
	rig_close(&r);
	return runs;
}

static void a_job_beyond_its_limit_ends_as_the_host_lets_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < POLICIES; i++) {
		/* the head was promised 1 s from now, at every look */
		assert_false(starts_beside_overrun(policies[i], 0, 5));
		assert_true(starts_beside_overrun(policies[i], 0, 1));
		/* it has 1830 s: until 1930 */
		assert_true(starts_beside_overrun(policies[i], 1830, 1829));
		assert_false(starts_beside_overrun(policies[i], 1830, 1830));
		/* no one knows: as long as its limit, from now on */
		assert_true(
			starts_beside_overrun(policies[i], CS_OVER_ANY, 100));
		assert_false(
			starts_beside_overrun(policies[i], CS_OVER_ANY, 101));
	}
}

/* Of many heads beyond the horizon only the first sixteen are given their start (easy.c, rule
 * 8); one behind them that comes within it has its planned start and its nodes. */
static void many_heads_beyond_the_horizon(void **state)
{
	char text[1024];
	struct rig r;

	(void)state;
	open_two(&r, policies[0]);
	rig_add(&r, 1, 1, YEAR_S, NULL);
	rig_add(&r, 2, 1, 100, NULL);
	rig_decide(&r);
	for (uint32_t id = 3; id < 23; id++)
		rig_add(&r, id, 2, 1000, NULL);
	rig_add(&r, 23, 1, 1000, NULL);
	rig_decide(&r);
	for (uint32_t id = 3; id < 23; id++)
		assert_true(cs_engine_predicted_start_us(r.engine, id, NULL) ==
			    (id < 19 ? YEAR_S * RIG_S : CS_TIME_NONE));
	assert_true(cs_engine_predicted_start_us(r.engine, 23, NULL) ==
		    100 * RIG_S);
	cs_explain(r.engine, 18, NULL, text, sizeof(text));
	assert_contains(text, "by the limits of the jobs before it, it starts");
	cs_explain(r.engine, 19, NULL, text, sizeof(text));
	assert_contains(text, "it starts no earlier than in");
	/* it may take its node when that is free, and the first of the others both */
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_true(rig_runs(&r, 23));
	rig_finish(&r, 1);
	rig_finish(&r, 23);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beyond_the_horizon_a_start_keeps_nothing),
		cmocka_unit_test(a_start_beyond_the_horizon_is_explained),
		cmocka_unit_test(many_heads_beyond_the_horizon),
		cmocka_unit_test(within_the_horizon_a_start_keeps_nodes),
		cmocka_unit_test(
			a_start_keeps_nodes_once_it_comes_within_the_horizon),
		cmocka_unit_test(without_the_key_all_starts_keep_nodes),
		cmocka_unit_test(a_young_job_keeps_nothing),
		cmocka_unit_test(a_job_below_the_hosts_threshold_keeps_nothing),
		cmocka_unit_test(
			a_job_beyond_its_limit_ends_as_the_host_lets_it),
	};

	return cmocka_run_group_tests_name("horizon", tests, NULL, NULL);
}
