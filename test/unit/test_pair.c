/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pairs: who starts beside whom, where, and for how long. */
#include "rig.h"

/* cg and io do each other little harm, mem harms everybody, net is between. */
static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	" \"cg\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}},"
	" \"io\":{\"self\":{\"1\":1.0,\"2\":1.02,\"4\":1.5}},"
	" \"net\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}},"
	" \"mem\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}}},"
	"\"pairs\":["
	" {\"of\":\"cg\",\"beside\":\"io\",\"slowdown\":1.05},"
	" {\"of\":\"io\",\"beside\":\"cg\",\"slowdown\":1.10},"
	" {\"of\":\"cg\",\"beside\":\"net\",\"slowdown\":1.20},"
	" {\"of\":\"net\",\"beside\":\"cg\",\"slowdown\":1.20},"
	" {\"of\":\"io\",\"beside\":\"net\",\"slowdown\":1.02},"
	" {\"of\":\"net\",\"beside\":\"io\",\"slowdown\":1.02},"
	" {\"of\":\"mem\",\"beside\":\"cg\",\"slowdown\":1.5},"
	" {\"of\":\"cg\",\"beside\":\"mem\",\"slowdown\":1.5}]}";

static void open_cst(struct rig *r, const char *params, uint32_t nodes)
{
	rig_open(r, params, profiles, nodes, 2, 2, 0);
}

static void two_complementary_jobs_share_core_by_core(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, "policy=cst", 4);
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

static void a_later_job_joins_a_running_one(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, "policy=cst", 2);
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
	open_cst(&r, "policy=cst", 2);
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
	with = rig_start(&r, 1)->with;
	rig_close(&r);
	return with;
}

static void pair_first_takes_the_first_pair_best_the_best(void **state)
{
	(void)state;
	assert_int_equal(partner_of_cg("policy=cstws"), 2);
	assert_int_equal(partner_of_cg("policy=cst"), 3);
}

static void three_share_with_jobs_per_node_3_and_a_fourth_waits(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst,jobs_per_node=3,max_slowdown=1.5", profiles, 2,
		 2, 4, 0);
	for (uint32_t id = 1; id <= 4; id++)
		rig_add(&r, id, 4, 600, id == 1 ? "cg" : id == 2 ? "io" : "net");
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
	rig_open(&r, "policy=cst", profiles, 4, 2, 2, 2000);
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

static void share_scope_keeps_users_and_accounts_apart(void **state)
{
	static const char user[] = "policy=cst,share_scope=user";
	static const char account[] = "policy=cst,share_scope=account";

	(void)state;
	assert_true(shares_with_alice("policy=cst", "bob", "biology"));
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
	open_cst(&r, "policy=cst", 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "mem");
	rig_decide(&r);
	rig_add(&r, 3, 4, 60, "io");
	rig_decide(&r);
	assert_false(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
	/* job 1's nodes 0 and 1 are not those that job 4 waits for */
	open_cst(&r, "policy=cst", 3);
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
 * partner costs it moves neither its end nor its limit. */
static void a_kinder_layout_makes_up_for_a_partner(void **state)
{
	struct cs_job_option o = { .limit_max_us = 600 * RIG_S };
	struct cs_running run;
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cst(&r, "policy=cst", 2);
	j = rig_job(&r, 1, 4, 600, "cg");
	j.base_procs = 4;
	o.nodeset = r.all;
	j.option = &o;
	rig_submit(&r, &j);
	rig_add(&r, 2, 4, 600, "mem");
	rig_decide(&r);
	assert_false(rig_runs(&r, 2));
	rig_add(&r, 3, 4, 60, "io");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:1,3 1:1,3");
	assert_int_equal(cs_engine_running(r.engine, 1, &run), 0);
	assert_int_equal(run.end_us, 600 * RIG_S);
	rig_close(&r);
}

static void share_no_and_exclusive_are_honoured(void **state)
{
	static const uint32_t flag[] = { CS_JOB_NO_SHARE, CS_JOB_EXCLUSIVE };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig r;
		struct cs_job j;

		open_cst(&r, "policy=cst", 2);
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

static void small_jobs_without_profile_are_packed_by_core(void **state)
{
	struct cs_engine_stats st;
	struct rig r;

	(void)state;
	open_cst(&r, "policy=cst", 4);
	for (uint32_t id = 1; id <= 40; id++)
		rig_add(&r, id, 1, 600, NULL);
	assert_int_equal(rig_decide(&r), 16);
	cs_engine_stats(r.engine, &st);
	assert_int_equal(st.cores_used, 16);
	rig_close(&r);
}

static void a_limit_is_raised_by_the_slowdown_and_taken_back(void **state)
{
	struct cs_actions a;
	struct cs_running run;
	struct cs_job j;
	struct rig r;
	size_t raised = 0, back = 0;

	(void)state;
	open_cst(&r, "policy=cst", 2);
	j = rig_job(&r, 1, 4, 6000, "cg");
	j.base_procs = 4;
	rig_submit(&r, &j);
	rig_decide(&r);
	/* at two a node cg's self slowdown is below that of its base: factor 1 */
	assert_int_equal(rig_start(&r, 1)->limit_us, 0);
	rig_finish(&r, 1);
	j = rig_job(&r, 2, 4, 6000, "net");
	j.base_procs = 2;
	rig_submit(&r, &j);
	j = rig_job(&r, 3, 4, 6000, "cg");
	j.base_procs = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 2)->limit_us, 7200 * RIG_S);
	assert_int_equal(rig_start(&r, 3)->limit_us, 7200 * RIG_S);
	/* after 1200 s job 3 has done 1000 of its 6000 s; it ends */
	r.now_us = 1200 * RIG_S;
	rig_finish(&r, 3);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++) {
		raised += a.action[i].type == CS_ACT_DISBAND &&
			  a.action[i].credit_us == 200 * RIG_S;
		back += a.action[i].type == CS_ACT_LIMIT &&
			a.action[i].limit_us == 6200 * RIG_S;
	}
	assert_int_equal(raised, 1);
	assert_int_equal(back, 1);
	assert_int_equal(cs_engine_running(r.engine, 2, &run), 0);
	assert_int_equal(run.group, 0);
	assert_int_equal(run.end_us, 6200 * RIG_S);
	rig_close(&r);
}

/* Two jobs as in the test above, at factor 1.2; at 600 s the host gives the first
 * a limit of its own, at 1200 s the second ends. */
static void a_limit_that_the_host_set_is_not_cut(void **state)
{
	struct cs_event ev = { .type = CS_EV_LIMIT,
			       .limit = { .job_id = 1,
					  .limit_us = 9000 * RIG_S } };
	struct cs_actions a;
	struct cs_err err;
	struct rig r;

	(void)state;
	open_cst(&r, "policy=cst", 2);
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j = rig_job(&r, id, 4, 6000,
					  id == 1 ? "net" : "cg");

		j.base_procs = 2;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->limit_us, 7200 * RIG_S);
	ev.t_us = r.now_us = 600 * RIG_S;
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), 0);
	r.now_us = 1200 * RIG_S;
	rig_finish(&r, 2);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++)
		assert_int_not_equal(a.action[i].type, CS_ACT_LIMIT);
	rig_close(&r);
}

/* A restart at 3600 s: job 1 has run beside another since 0, at factor 1.2, so it
 * has done 3000 of its 6000 s; the state was saved at the start. */
static void what_sharing_cost_outlives_a_restart(void **state)
{
	struct cs_alloc *alloc = cs_alloc_create(2, 1);
	struct cs_started s = { .job_id = 1,
				.start_us = 1,
				.at_us = 1,
				.factor = 1.2,
				.limit_us = 7200 * RIG_S,
				.alloc = alloc,
				.group = 7,
				.role = CS_ROLE_PRIMARY };
	struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct cs_actions a;
	struct cs_err err;
	struct cs_job j;
	struct rig r;
	size_t back = 0;

	(void)state;
	open_cst(&r, "policy=cst", 2);
	for (uint32_t i = 0; i < 2; i++) {
		alloc->node[i].node = i;
		alloc->node[i].procs = 2;
		cs_alloc_cores(alloc, i)[0] = 5;
	}
	ev.t_us = r.now_us = 3600 * RIG_S;
	j = rig_job(&r, 1, 4, 6000, "net");
	j.base_procs = 2;
	rig_submit(&r, &j);
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), 0);
	cs_alloc_free(alloc);
	/* the other has ended meanwhile: 3600 s and the 3000 s that are left */
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++)
		back += a.action[i].type == CS_ACT_LIMIT &&
			a.action[i].limit_us / RIG_S == 6600;
	assert_int_equal(back, 1);
	rig_close(&r);
}

static void a_limit_that_may_not_rise_keeps_a_job_alone(void **state)
{
	struct cs_job_option o = { .limit_max_us = 6000 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cst(&r, "policy=cst", 2);
	rig_add(&r, 1, 4, 6000, "net");
	j = rig_job(&r, 2, 4, 6000, "cg");
	j.base_procs = 2;
	o.nodeset = r.all;
	j.option = &o;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

/* Job 1 runs alone until 6000 s; beside another at factor 1.2 from 4000 s on it
 * would need until 6400 s, which it may have where no reservation begins before. */
static void a_running_job_is_joined_where_its_limit_may_follow(void **state)
{
	(void)state;
	for (int reserved = 0; reserved < 2; reserved++) {
		uint32_t node = 1;
		struct cs_reservation resv = {
			.id = 1,
			.n = 1,
			.node = &node,
			.start_us = 6200 * RIG_S,
			.end_us = 9000 * RIG_S,
		};
		struct cs_event ev = { .type = CS_EV_RESERVATION,
				       .reservation = &resv };
		struct cs_job_option o = { .limit_max_us = 6500 * RIG_S };
		struct cs_err err;
		struct cs_job j;
		struct rig r;

		open_cst(&r, "policy=cst", 2);
		j = rig_job(&r, 1, 4, 6000, "net");
		j.base_procs = 2;
		j.min_nodes = j.max_nodes = 2;
		o.nodeset = r.all;
		j.option = &o;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_true(rig_runs(&r, 1));
		ev.t_us = r.now_us = 4000 * RIG_S;
		if (reserved)
			assert_int_equal(cs_engine_event(r.engine, &ev, &err),
					 0);
		j = rig_job(&r, 2, 4, 100, "cg");
		j.base_procs = 2;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 2), !reserved);
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
	open_cst(&r, "policy=cst", 2);
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
	open_cst(&r, "policy=cst", 2);
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
	open_cst(&r, "policy=cst", 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_CHANGED;
	rig_decide(&r);
	assert_false(rig_runs(&r, 1));
	assert_int_equal(cs_engine_running(r.engine, 2, &run), 0);
	assert_int_equal(run.group, 0);
	rig_at(&r, 1000);
	assert_false(rig_runs(&r, 1));
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	rig_close(&r);
}

static void tasks_of_an_array_start_one_by_one_with_ids_of_their_own(void **state)
{
	struct cs_engine_stats st;
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cst(&r, "policy=cst", 4);
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
	open_cst(&r, "policy=cst,jobs_per_node=1", 2);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

static void a_job_too_large_for_its_layout_is_laid_out_more_densely(void **state)
{
	struct cs_event down = { .type = CS_EV_NODE, .node = { 0, false, "" } };
	struct rig r;

	(void)state;
	open_cst(&r, "policy=cst", 4);
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
	rig_open(&r, "policy=easy,small=model", profiles, 4, 2, 2, 2000);
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
	open_cst(&r, "policy=cst,low_load=spread", 4);
	rig_add(&r, 1, 4, 600, "cg");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0 1:0 2:0 3:0");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_complementary_jobs_share_core_by_core),
		cmocka_unit_test(a_later_job_joins_a_running_one),
		cmocka_unit_test(incompatible_jobs_never_share),
		cmocka_unit_test(pair_first_takes_the_first_pair_best_the_best),
		cmocka_unit_test(
			three_share_with_jobs_per_node_3_and_a_fourth_waits),
		cmocka_unit_test(
			a_job_whose_memory_does_not_fit_beside_goes_elsewhere),
		cmocka_unit_test(share_scope_keeps_users_and_accounts_apart),
		cmocka_unit_test(
			backfilling_beside_a_running_job_delays_no_head),
		cmocka_unit_test(a_kinder_layout_makes_up_for_a_partner),
		cmocka_unit_test(share_no_and_exclusive_are_honoured),
		cmocka_unit_test(small_jobs_without_profile_are_packed_by_core),
		cmocka_unit_test(
			a_limit_is_raised_by_the_slowdown_and_taken_back),
		cmocka_unit_test(
			a_running_job_is_joined_where_its_limit_may_follow),
		cmocka_unit_test(a_limit_that_the_host_set_is_not_cut),
		cmocka_unit_test(what_sharing_cost_outlives_a_restart),
		cmocka_unit_test(a_limit_that_may_not_rise_keeps_a_job_alone),
		cmocka_unit_test(
			a_refused_member_leaves_the_primary_an_ordinary_job),
		cmocka_unit_test(a_refused_primary_takes_its_member_back),
		cmocka_unit_test(a_group_of_one_that_is_told_of_disbands),
		cmocka_unit_test(
			tasks_of_an_array_start_one_by_one_with_ids_of_their_own),
		cmocka_unit_test(nobody_shares_with_jobs_per_node_1),
		cmocka_unit_test(
			a_job_too_large_for_its_layout_is_laid_out_more_densely),
		cmocka_unit_test(
			a_job_with_much_memory_is_laid_out_less_densely),
		cmocka_unit_test(low_load_spreads_where_asked),
	};

	return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
