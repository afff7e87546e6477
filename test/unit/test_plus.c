/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preset glts+ (early_start.c, alone.c): layout by gain, early starts.  Its random
 * worlds are in test_group_random.c.
 */
#include "cs_test.h"
#include "rig.h"

/* On nodes of 2 x 2 cores.  Nobody shares: pairs are unknown. */
static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	" \"slow4\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}},"
	" \"bad4\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":2.2}},"
	" \"bad2\":{\"self\":{\"1\":1.0,\"2\":2.1,\"4\":4.5}},"
	" \"even\":{\"self\":{\"1\":1.0,\"2\":2.0,\"4\":4.0}},"
	" \"flat\":{\"self\":{\"1\":1.0,\"2\":1.0,\"4\":1.0}},"
	" \"free\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":2.2}}},"
	"\"pairs\":[{\"of\":\"free\",\"beside\":\"free\",\"slowdown\":1.0}]}";

static void open_plus(struct rig *r, const char *params, uint32_t nodes)
{
	rig_open(r, params, profiles, nodes, 2, 2, 0);
}

/* Rule 1. */

/* Processes a node of job @procs, started alone by @params. */
static uint32_t ppn(const char *params, uint32_t procs, const char *profile)
{
	struct rig r;
	uint32_t n;

	open_plus(&r, params, 16);
	rig_add(&r, 1, procs, 600, profile);
	rig_decide(&r);
	n = rig_start(&r, 1)->procs_per_node;
	rig_close(&r);
	return n;
}

static void a_job_alone_gets_the_layout_that_gains_most(void **state)
{
	static const struct {
		uint32_t procs, plus, eq8;
		const char *profile;
	} row[] = {
		{ 8, 4, 2, "slow4" }, /* 8 / 1.6 / 2 > 8 / 1.05 / 4 */
		{ 8, 2, 2, "bad4" },  /* 8 / 2.2 / 2 < 8 / 1.05 / 4 */
		{ 8, 1, 1, "bad2" },
		{ 8, 1, 1, "even" }, /* all alike: the fewest */
		{ 8, 4, 4, "flat" },
		{ 3, 3, 2, "slow4" }, /* on one node, 3 / 1.325 */
		{ 1, 1, 1, "slow4" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(
			ppn("policy=glts+", row[i].procs, row[i].profile),
			row[i].plus);
		assert_int_equal(
			ppn("policy=glts", row[i].procs, row[i].profile),
			row[i].eq8);
	}
	assert_int_equal(ppn("policy=ssp,layout=gain", 8, "slow4"), 4);
}

/* What no machine could hold keeps nobody from starting. */
static void the_largest_number_of_processes_is_laid_out(void **state)
{
	static const char *const policy[] = {
		"policy=glts+", "policy=ssp,layout=gain",
		"policy=glts",	"policy=glts,unprofiled=pack",
		"policy=ssp",	"policy=pack",
	};
	const size_t n = sizeof(policy) / sizeof(policy[0]);

	(void)state;
	for (size_t i = 0; i < 60 * n; i++) {
		uint32_t cpus = 1 + (uint32_t)(i / n) % 3;
		struct cs_job j;
		struct rig r;

		open_plus(&r, policy[i % n], 65);
		/* with two CPUs each, 0 if counted in 32 bits */
		j = rig_job(&r, 1,
			    cpus == 2 ? UINT32_C(1) << 31
				      : UINT32_MAX - (uint32_t)(i / n),
			    600, i % 2 ? NULL : "slow4");
		j.cpus_per_proc = cpus;
		rig_submit(&r, &j);
		rig_add(&r, 2, 8, 600, "slow4");
		rig_decide(&r);
		assert_true(cs_explain_never(r.engine, 1));
		assert_int_equal(
			cs_engine_predicted_start_us(r.engine, 1, NULL),
			CS_TIME_NONE);
		assert_true(rig_runs(&r, 2));
		rig_close(&r);
	}
}

static void a_layout_that_the_limit_forbids_is_left_out(void **state)
{
	static const struct {
		int64_t limit_max_s;
		uint32_t ppn;
	} row[] = { { 960, 4 }, { 959, 2 }, { 630, 2 }, { 629, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_job_partition o;
		struct cs_job j;
		struct rig r;

		open_plus(&r, "policy=glts+", 16);
		j = rig_job(&r, 1, 8, 600, "slow4");
		j.base_procs = 1;
		o = *j.option;
		o.limit_max_us = row[i].limit_max_s * RIG_S;
		j.option = &o;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_int_equal(rig_start(&r, 1)->procs_per_node, row[i].ppn);
		rig_close(&r);
	}
}

static void a_layout_of_the_user_is_kept(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_plus(&r, "policy=glts+", 16);
	j = rig_job(&r, 1, 8, 600, "slow4");
	j.procs_per_node = 1;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->procs_per_node, 1);
	rig_close(&r);
}

/* Free ones gain 8 / 1.05 * 2 / 4 - 1 = 2.81 beside each other, .90 alone; flat
 * ones gain 3 alone, more than beside anybody. */
static void a_group_must_gain_more_than_all_cores(void **state)
{
	struct rig r;

	(void)state;
	open_plus(&r, "policy=glts+", 4);
	rig_add(&r, 1, 8, 600, "free");
	rig_add(&r, 2, 8, 600, "free");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->rule, 1);
	assert_int_equal(rig_start(&r, 2)->partner_id, 1);
	rig_close(&r);
	open_plus(&r, "policy=glts+,unknown_pair=1.2", 4);
	rig_add(&r, 1, 8, 600, "slow4");
	rig_add(&r, 2, 8, 600, "slow4");
	rig_decide(&r);
	/* 8 / 1.26 * 2 / 4 - 1 = 2.17 against 1.5 */
	assert_int_equal(rig_start(&r, 1)->rule, 1);
	rig_close(&r);
	open_plus(&r, "policy=glts+,unknown_pair=1.2", 4);
	rig_add(&r, 1, 8, 600, "flat");
	rig_add(&r, 2, 8, 600, "flat");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->rule, 5);
	assert_int_equal(rig_start(&r, 2)->rule, 5);
	rig_close(&r);
}

/* Rule 3. */

/*
 * Four nodes.  Job 1 has two of them until 600; job 2 wants all, is promised 600
 * to 1200, and may respond by 1.125 * 1200 = 1350: it may start at 750.
 */
static void open_queue(struct rig *r, const char *params)
{
	open_plus(r, params, 4);
	rig_add(r, 1, 8, 600, "flat");
	rig_decide(r);
	rig_add(r, 2, 16, 600, "flat");
	rig_decide(r);
	assert_false(rig_runs(r, 2));
}

static void a_job_may_start_early_where_nobody_passes_r_max(void **state)
{
	static const struct {
		const char *params;
		int64_t estimate_s;
		bool starts;
	} row[] = {
		{ "policy=glts+", 600, true }, /* delays nobody */
		{ "policy=glts+", 750, true },
		{ "policy=glts+", 751, false },
		{ "policy=glts+,early_start=0", 600, true },
		{ "policy=glts+,early_start=0", 601, false },
		{ "policy=glts+,slack=2", 1200, true }, /* 1.5 * 1200 */
		{ "policy=glts+,slack=2", 1201, false },
		{ "policy=ssp,early_start=1", 750, true },
		{ "policy=ssp,early_start=1", 751, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;
		int64_t start;

		open_queue(&r, row[i].params);
		rig_add(&r, 3, 8, row[i].estimate_s, "flat");
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 3), row[i].starts);
		start = cs_engine_predicted_start_us(r.engine, 2, NULL);
		assert_int_equal(start / RIG_S,
				 row[i].starts && row[i].estimate_s > 600
					 ? row[i].estimate_s
					 : 600);
		if (row[i].starts)
			assert_int_equal(rig_start(&r, 3)->rule, 5);
		rig_close(&r);
	}
}

/* Both have room, one at a time; each alone would be fair. */
static void the_shortest_is_tried_first(void **state)
{
	struct rig r;

	(void)state;
	open_queue(&r, "policy=glts+");
	rig_add(&r, 3, 8, 740, "flat");
	rig_add(&r, 4, 8, 700, "flat");
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	assert_true(rig_runs(&r, 4));
	rig_close(&r);
}

/* A job on the two nodes of @set. */
static void add_on(struct rig *r, uint32_t id, uint32_t procs,
		   int64_t estimate_s, uint64_t set)
{
	struct cs_job j = rig_job(r, id, procs, estimate_s, "flat");
	struct cs_job_partition o = *j.option;

	o.nodeset = (uint32_t)cs_engine_nodeset(r->engine, &set);
	j.option = &o;
	rig_submit(r, &j);
}

/* Two partitions, each with a job until 600 and one behind it, that may start by
 * 750 and by 825.  Job 5 is the shorter and unfair, job 6 is not. */
static void early_start_bounds_the_tries(void **state)
{
	(void)state;
	for (int tries = 1; tries <= 2; tries++) {
		char params[64];
		struct rig r;

		snprintf(params, sizeof(params), "policy=glts+,early_start=%d",
			 tries);
		open_plus(&r, params, 4);
		add_on(&r, 1, 4, 600, 0x3);
		add_on(&r, 2, 4, 600, 0xc);
		rig_decide(&r);
		add_on(&r, 3, 8, 600, 0x3);
		add_on(&r, 4, 8, 1200, 0xc);
		rig_decide(&r);
		add_on(&r, 5, 4, 760, 0x3);
		add_on(&r, 6, 4, 800, 0xc);
		rig_decide(&r);
		assert_false(rig_runs(&r, 5));
		assert_int_equal(rig_runs(&r, 6), tries == 2);
		rig_close(&r);
	}
}

static void who_has_passed_r_max_is_not_delayed(void **state)
{
	struct rig r;

	(void)state;
	open_queue(&r, "policy=glts+");
	/* job 1 outlasts its estimate: job 2 can no more start by 750 */
	rig_at(&r, 760);
	rig_add(&r, 3, 8, 60, "flat");
	rig_at(&r, 761);
	assert_false(rig_runs(&r, 3));
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

static void a_refused_early_start_leaves_the_plan_as_it_was(void **state)
{
	struct rig r;

	(void)state;
	open_queue(&r, "policy=glts+");
	rig_add(&r, 3, 8, 700, "flat");
	r.refuse = 3;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	assert_int_equal(
		cs_engine_predicted_start_us(r.engine, 2, NULL) / RIG_S, 600);
	rig_at(&r, 11);
	assert_true(rig_runs(&r, 3));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_alone_gets_the_layout_that_gains_most),
		cmocka_unit_test(the_largest_number_of_processes_is_laid_out),
		cmocka_unit_test(a_layout_that_the_limit_forbids_is_left_out),
		cmocka_unit_test(a_layout_of_the_user_is_kept),
		cmocka_unit_test(a_group_must_gain_more_than_all_cores),
		cmocka_unit_test(
			a_job_may_start_early_where_nobody_passes_r_max),
		cmocka_unit_test(the_shortest_is_tried_first),
		cmocka_unit_test(early_start_bounds_the_tries),
		cmocka_unit_test(who_has_passed_r_max_is_not_delayed),
		cmocka_unit_test(
			a_refused_early_start_leaves_the_plan_as_it_was),
	};

	return cmocka_run_group_tests_name("plus", tests, NULL, NULL);
}
