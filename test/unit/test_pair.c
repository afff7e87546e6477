/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs: who starts beside whom, where, and for how long.  With EASY and every
 * case; what a plan adds to them is in test_group.c.
 */
#include "pairrig.h"

#define CSTWS "policy=cstws" EASY

static void two_complementary_jobs_share_core_by_core(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, CST, 4);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2");
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3");
	assert_int_equal(rig_start(&r, 1)->role, CS_ROLE_PRIMARY);
	assert_int_equal(rig_start(&r, 2)->role, CS_ROLE_MATCHED);
	assert_int_equal(rig_start(&r, 1)->rule, 1);
	assert_int_equal(rig_start(&r, 1)->group, rig_start(&r, 2)->group);
	rig_close(&r);
}

/* Groups under a plan look for their best in a block of block_size, 16 jobs. */
static void the_best_of_all_who_wait_is_taken(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
	rig_add(&r, 1, 4, 600, "cg");
	for (uint32_t id = 2; id <= 20; id++)
		rig_add(&r, id, 4, 600, id == 20 ? "io" : "net");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->partner_id, 20);
	rig_close(&r);
}

static void a_later_job_joins_a_running_one(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2");
	r.now_us = 10 * RIG_S;
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3");
	assert_int_equal(rig_start(&r, 2)->rule, 3);
	rig_close(&r);
}

static void incompatible_jobs_never_share(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "mem");
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:0,2 1:0,2");
	rig_close(&r);
}

/* Behind cg wait net (1.20 each way, first) and io (1.05 and 1.10). */
static uint32_t partner_of_cg(const char *policy)
{
	uint32_t with;
	struct rig r;

	open_cst(&r, policy, 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "net");
	rig_add(&r, 3, 4, 600, "io");
	rig_decide(&r);
	with = rig_start(&r, 1)->partner_id;
	rig_close(&r);
	return with;
}

static void pair_first_takes_the_first_pair_best_the_best(void **state)
{
	(void)state;
	assert_int_equal(partner_of_cg(CSTWS), 2);
	assert_int_equal(partner_of_cg(CST), 3);
}

static void three_share_with_jobs_per_node_3_and_a_fourth_waits(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, CST ",jobs_per_node=3,max_slowdown=1.5", profiles, 2, 2, 4,
		 0);
	for (uint32_t id = 1; id <= 4; id++)
		rig_add(&r, id, 4, 600,
			id == 1	  ? "cg"
			: id == 2 ? "io"
				  : "net");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,4 1:0,4");
	assert_string_equal(rig_where(&r, 2), "0:1,5 1:1,5");
	assert_string_equal(rig_where(&r, 3), "0:2,6 1:2,6");
	assert_false(rig_runs(&r, 4));
	rig_close(&r);
}

static void a_job_whose_memory_does_not_fit_beside_goes_elsewhere(void **state)
{
	struct rig r;
	struct cs_job j;

	(void)state;
	rig_open(&r, CST, profiles, 4, 2, 2, 2000);
	for (uint32_t id = 1; id <= 2; id++) {
		j = rig_job(&r, id, 4, 600, id == 1 ? "cg" : "io");
		j.mem_node_mb = 1200;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2");
	assert_string_equal(rig_where(&r, 2), "2:0,2 3:0,2");
	rig_close(&r);
}

/* Job 1 leaves no memory; beside job 2 there is room. */
static bool starts_beside_the_second(const char *params, char *why, size_t size)
{
	struct rig r;
	struct cs_job j;
	bool ran;

	rig_open(&r, params, profiles, 4, 2, 2, 2000);
	for (uint32_t id = 1; id <= 3; id++) {
		j = rig_job(&r, id, 4, 600, id == 3 ? "io" : "cg");
		j.mem_node_mb = id == 1 ? 1500 : 800;
		rig_submit(&r, &j);
		rig_decide(&r);
	}
	ran = rig_runs(&r, 3);
	assert_true(cs_explain(r.engine, 3, NULL, why, size) > 0);
	rig_close(&r);
	return ran;
}

static void explain_knows_how_many_running_jobs_are_tried(void **state)
{
	char why[2048];

	(void)state;
	assert_true(starts_beside_the_second(CST, why, sizeof(why)));
	assert_false(starts_beside_the_second(CST ",running_prim_num=1", why,
					      sizeof(why)));
	assert_non_null(strstr(why, "beside job 2 (cg, running): "));
	assert_non_null(strstr(why, "behind the first 1 (running_prim_num)"));
}

/* Does an io job of @user start beside alice's cg job? */
static bool shares_with_alice(const char *params, const char *user,
			      const char *account)
{
	struct cs_job j;
	struct rig r;
	bool shares;

	open_cst(&r, params, 2);
	rig_add(&r, 1, 4, 600, "cg");
	j = rig_job(&r, 2, 4, 600, "io");
	j.user = user;
	j.account = account;
	rig_submit(&r, &j);
	rig_decide(&r);
	shares = rig_runs(&r, 2);
	rig_close(&r);
	return shares;
}

/* Job 1 (net) runs undelayed, job 2 (io) has been delayed by a partner that is
 * gone: does job 4 (cg) go to the first of the two, or to the one with the
 * higher gain? */
static void running_prim_num_of_the_least_delayed_are_tried(void **state)
{
	static const struct {
		const char *params;
		uint32_t with;
	} row[] = {
		{ CST ",running_prim_num=1", 1 },
		{ CST ",running_prim_num=2", 2 },
		{ CST ",running_prim_num=0", 2 },
		{ CST, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		open_cst(&r, row[i].params, 6);
		rig_add(&r, 2, 4, 6000, "io");
		rig_add(&r, 3, 4, 6000, "cg");
		rig_decide(&r);
		assert_int_equal(rig_start(&r, 3)->partner_id, 2);
		/* a stranger, less delayed still, does not count */
		rig_add(&r, 5, 4, 6000, "mem");
		rig_add(&r, 1, 4, 6000, "net");
		rig_at(&r, 600);
		rig_finish(&r, 3);
		rig_decide(&r);
		rig_add(&r, 4, 4, 600, "cg");
		rig_decide(&r);
		assert_int_equal(rig_start(&r, 4)->partner_id, row[i].with);
		rig_close(&r);
	}
}

/* Serial jobs stand on every node; the first to be tried leaves no memory. */
static void serial_jobs_fill_nodes_whatever_running_prim_num(void **state)
{
	struct cs_engine_stats st;
	struct rig r;

	(void)state;
	rig_open(&r, CST ",running_prim_num=1", profiles, 21, 2, 2, 1000);
	for (uint32_t id = 1; id <= 41; id++) {
		struct cs_job j =
			rig_job(&r, id, 1, 6000, id <= 21 ? "cg" : "io");

		j.mem_node_mb = id == 1 ? 1000 : 100;
		rig_submit(&r, &j);
		rig_decide(&r);
	}
	cs_engine_stats(r.engine, &st);
	assert_int_equal(st.running, 41);
	rig_close(&r);
}

static void share_scope_keeps_users_and_accounts_apart(void **state)
{
	static const char user[] = CST ",share_scope=user";
	static const char account[] = CST ",share_scope=account";

	(void)state;
	assert_true(shares_with_alice(CST, "bob", "biology"));
	assert_false(shares_with_alice(user, "bob", "physics"));
	assert_true(shares_with_alice(user, "alice", "biology"));
	assert_false(shares_with_alice(account, "alice", "biology"));
	assert_true(shares_with_alice(account, "bob", "physics"));
	assert_false(shares_with_alice(user, NULL, NULL));
}

static void backfilling_beside_a_running_job_delays_no_head(void **state)
{
	struct rig r;

	(void)state;
	/* job 2 (mem) waits for job 1's nodes; job 3 would slow job 1 down */
	open_cst(&r, CST, 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "mem");
	rig_decide(&r);
	rig_add(&r, 3, 4, 60, "io");
	rig_decide(&r);
	assert_false(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
	/* job 1's nodes 0 and 1 are not those that job 4 waits for */
	open_cst(&r, CST, 3);
	rig_add(&r, 1, 4, 6000, "cg");
	rig_add(&r, 2, 2, 600, "mem");
	rig_add(&r, 4, 2, 600, "mem");
	rig_decide(&r);
	rig_add(&r, 3, 4, 60, "io");
	rig_decide(&r);
	assert_false(rig_runs(&r, 4));
	assert_string_equal(rig_where(&r, 3), "0:1,3 1:1,3");
	rig_close(&r);
}

/* cg at two a node runs faster than its limit, made for four, allows for: what a
 * partner costs it moves neither its end nor its limit.  Under a plan so too,
 * though the host confirms its start a moment later. */
static void a_kinder_layout_makes_up_for_a_partner(void **state)
{
	static const char *const params[] = { CST, "policy=cst" };
	struct cs_job_partition o = { .limit_max_us = 600 * RIG_S };
	struct cs_running run;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		open_cst(&r, params[i], 2);
		r.late_us = 28;
		j = rig_job(&r, 1, 4, 600, "cg");
		j.base_procs = 4;
		o.nodeset = r.all;
		j.option = &o;
		rig_submit(&r, &j);
		rig_decide(&r);
		rig_add(&r, 2, 4, 600, "mem");
		rig_decide(&r);
		assert_false(rig_runs(&r, 2));
		r.now_us += RIG_S;
		rig_add(&r, 3, 4, 60, "io");
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 3), "0:1,3 1:1,3");
		assert_int_equal(cs_engine_running(r.engine, 1, &run), 0);
		assert_int_equal(run.end_us, 600 * RIG_S + 28);
		rig_close(&r);
	}
}

static void share_no_and_exclusive_are_honoured(void **state)
{
	static const uint32_t flag[] = { CS_JOB_NO_SHARE, CS_JOB_EXCLUSIVE };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig r;
		struct cs_job j;

		open_cst(&r, CST, 2);
		j = rig_job(&r, 1, 4, 600, "cg");
		j.flags = flag[i];
		rig_submit(&r, &j);
		rig_add(&r, 2, 4, 600, "io");
		rig_decide(&r);
		assert_true(rig_runs(&r, 1));
		if (flag[i] == CS_JOB_EXCLUSIVE)
			assert_string_equal(rig_where(&r, 1),
					    "0:0,1,2,3 1:0,1,2,3");
		assert_false(rig_runs(&r, 2));
		rig_close(&r);
	}
}

/* A restart: the state file has job 1 in group 7, whose other member ended while
 * nobody looked. */
static void a_group_of_one_that_is_told_of_disbands(void **state)
{
	struct cs_alloc *alloc = cs_alloc_create(2, 1);
	struct cs_started s = { .job_id = 1,
				.limit_us = 600 * RIG_S,
				.alloc = alloc,
				.group = 7,
				.role = CS_ROLE_PRIMARY };
	struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct cs_actions a;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
	for (uint32_t i = 0; i < 2; i++) {
		alloc->node[i].node = i;
		alloc->node[i].procs = 2;
		*cs_alloc_cores(alloc, i) = 0x5;
	}
	rig_add(&r, 1, 4, 600, "cg");
	assert_int_equal(cs_engine_event(r.engine, &ev, NULL), 0);
	assert_int_equal(cs_engine_decide(r.engine, 0, &a), 0);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.action[0].type, CS_ACT_DISBAND);
	assert_int_equal(a.action[0].group, 7);
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3");
	assert_int_equal(rig_start(&r, 2)->group, 8);
	cs_alloc_free(alloc);
	rig_close(&r);
}

static void a_refused_member_leaves_the_primary_an_ordinary_job(void **state)
{
	struct cs_running run;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	r.refuse = 2;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_decide(&r);
	assert_int_equal(cs_engine_running(r.engine, 1, &run), 0);
	assert_int_equal(run.group, 0);
	assert_false(rig_runs(&r, 2));
	rig_at(&r, 11);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

static void a_refused_primary_takes_its_member_back(void **state)
{
	struct cs_running run;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_CHANGED;
	rig_decide(&r);
	assert_false(rig_runs(&r, 1));
	assert_int_equal(cs_engine_running(r.engine, 2, &run), 0);
	assert_int_equal(run.group, 0);
	rig_at(&r, 200);
	assert_false(rig_runs(&r, 1));
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	rig_close(&r);
}

static void a_refusal_until_changed_does_not_last_for_ever(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, CST ",retry_s=20", 2);
	rig_add(&r, 1, 4, 6000, "cg");
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_CHANGED;
	rig_at(&r, 100);
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 700 * RIG_S);
	rig_at(&r, 699);
	assert_false(rig_runs(&r, 1));
	rig_at(&r, 700);
	assert_true(rig_runs(&r, 1));
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), CS_TIME_NONE);
	rig_close(&r);
}

static void
tasks_of_an_array_start_one_by_one_with_ids_of_their_own(void **state)
{
	struct cs_engine_stats st;
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 4);
	j = rig_job(&r, 7, 1, 600, NULL);
	j.array_id = 7;
	j.tasks = 20;
	rig_submit(&r, &j);
	assert_int_equal(rig_decide(&r), 16);
	cs_engine_stats(r.engine, &st);
	assert_int_equal(st.waiting, 4);
	assert_int_equal(st.running, 16);
	rig_finish(&r, 1000000);
	assert_int_equal(rig_decide(&r), 1);
	rig_close(&r);
}

static void nobody_shares_with_jobs_per_node_1(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, CST ",jobs_per_node=1", 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

static void
a_job_too_large_for_its_layout_is_laid_out_more_densely(void **state)
{
	struct cs_event down = { .type = CS_EV_NODE,
				 .node = { 0, false, NULL, "" } };
	struct rig r;

	(void)state;
	open_cst(&r, CST, 4);
	rig_add(&r, 1, 16, 600, "cg");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1),
			    "0:0,1,2,3 1:0,1,2,3 2:0,1,2,3 3:0,1,2,3");
	rig_finish(&r, 1);
	assert_int_equal(cs_engine_event(r.engine, &down, NULL), 0);
	rig_add(&r, 2, 8, 600, "cg");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "1:0,1,2 2:0,1,2 3:0,2");
	rig_close(&r);
}

static void a_job_with_much_memory_is_laid_out_less_densely(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,unprofiled=model", profiles, 4, 2, 2, 2000);
	j = rig_job(&r, 1, 8, 600, "cg");
	j.mem_cpu_mb = 900;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2 2:0,2 3:0,2");
	rig_close(&r);
}

static void low_load_spreads_where_asked(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, CST ",low_load=spread", 4);
	rig_add(&r, 1, 4, 600, "cg");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0 1:0 2:0 3:0");
	rig_close(&r);
}

/* Is the load low beside job 2, which fits with job 1 at no time? */
static bool low_beside(uint32_t flags, int64_t begin_s)
{
	struct cs_job j;
	struct rig r;
	bool low;

	open_cst(&r, CST ",low_load=spread", 4);
	rig_add(&r, 1, 4, 600, "cg");
	j = rig_job(&r, 2, 4, 600, "mem");
	j.flags |= flags;
	j.eligible_us = begin_s * RIG_S;
	rig_submit(&r, &j);
	rig_decide(&r);
	low = !strcmp(rig_where(&r, 1), "0:0 1:0 2:0 3:0");
	rig_close(&r);
	return low;
}

static void who_may_not_start_yet_is_no_load(void **state)
{
	(void)state;
	assert_false(low_beside(0, 0));
	assert_true(low_beside(CS_JOB_BLOCKED, 0));
	assert_true(low_beside(0, 100));
}

/* Of pairs without any profile, those share whose two draws allow it. */
static void slowdowns_table4_decides_who_shares(void **state)
{
	int shared = 0;

	(void)state;
	for (uint32_t id = 1; id <= 100; id += 2) {
		double of = cs_table4_cos(3, id, id + 1);
		double by = cs_table4_cos(3, id + 1, id);
		struct rig r;

		rig_open(&r,
			 CSTWS ",slowdowns=table4,seed=3,unprofiled=model,"
			       "min_util_gain=-1",
			 NULL, 2, 2, 2, 0);
		rig_add(&r, id, 4, 600, NULL);
		rig_add(&r, id + 1, 4, 600, NULL);
		rig_decide(&r);
		assert_true(rig_runs(&r, id));
		assert_int_equal(rig_runs(&r, id + 1) &&
					 rig_start(&r, id)->partner_id ==
						 id + 1,
				 of <= 1.25 && by <= 1.25);
		if (rig_start(&r, id)->partner_id) {
			assert_true(rig_start(&r, id)->slowdown ==
				    cs_table4_sno(3, id) * of);
			shared++;
		}
		rig_close(&r);
	}
	assert_in_range(shared, 25, 49);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_complementary_jobs_share_core_by_core),
		cmocka_unit_test(the_best_of_all_who_wait_is_taken),
		cmocka_unit_test(a_later_job_joins_a_running_one),
		cmocka_unit_test(incompatible_jobs_never_share),
		cmocka_unit_test(pair_first_takes_the_first_pair_best_the_best),
		cmocka_unit_test(
			three_share_with_jobs_per_node_3_and_a_fourth_waits),
		cmocka_unit_test(
			a_job_whose_memory_does_not_fit_beside_goes_elsewhere),
		cmocka_unit_test(explain_knows_how_many_running_jobs_are_tried),
		cmocka_unit_test(
			running_prim_num_of_the_least_delayed_are_tried),
		cmocka_unit_test(
			serial_jobs_fill_nodes_whatever_running_prim_num),
		cmocka_unit_test(share_scope_keeps_users_and_accounts_apart),
		cmocka_unit_test(
			backfilling_beside_a_running_job_delays_no_head),
		cmocka_unit_test(a_kinder_layout_makes_up_for_a_partner),
		cmocka_unit_test(share_no_and_exclusive_are_honoured),
		cmocka_unit_test(
			a_refused_member_leaves_the_primary_an_ordinary_job),
		cmocka_unit_test(a_refused_primary_takes_its_member_back),
		cmocka_unit_test(
			a_refusal_until_changed_does_not_last_for_ever),
		cmocka_unit_test(a_group_of_one_that_is_told_of_disbands),
		cmocka_unit_test(
			tasks_of_an_array_start_one_by_one_with_ids_of_their_own),
		cmocka_unit_test(nobody_shares_with_jobs_per_node_1),
		cmocka_unit_test(
			a_job_too_large_for_its_layout_is_laid_out_more_densely),
		cmocka_unit_test(
			a_job_with_much_memory_is_laid_out_less_densely),
		cmocka_unit_test(low_load_spreads_where_asked),
		cmocka_unit_test(who_may_not_start_yet_is_no_load),
		cmocka_unit_test(slowdowns_table4_decides_who_shares),
	};

	return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
