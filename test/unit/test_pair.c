/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs: who starts beside whom, where, and for how long.  With EASY and every
 * case; what a plan adds to them is in test_group.c.
 */
#include "rig.h"

#include "common/profile/table4.h"

#define EASY ",backfill=easy,cases=12345"
#define CST "policy=cst" EASY
#define CSTWS "policy=cstws" EASY

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

static void small_jobs_without_profile_are_packed_by_core(void **state)
{
	struct cs_engine_stats st;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 4);
	for (uint32_t id = 1; id <= 40; id++)
		rig_add(&r, id, 1, 600, NULL);
	assert_int_equal(rig_decide(&r), 16);
	cs_engine_stats(r.engine, &st);
	assert_int_equal(st.cores_used, 16);
	rig_close(&r);
}

/* share=no, without a profile: first and last, at once and by a promise. */
static void nobody_is_packed_beside_share_no(void **state)
{
	static const char *const policy[] = { CST, "policy=cst",
					      "policy=pack" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct cs_job j;
		struct rig r;

		open_cst(&r, policy[i], 2);
		j = rig_job(&r, 1, 1, 600, NULL);
		j.flags = CS_JOB_NO_SHARE;
		rig_submit(&r, &j);
		j.id = 2;
		j.procs = 3;
		j.base_procs = 3;
		rig_submit(&r, &j);
		rig_add(&r, 3, 1, 600, NULL);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 1), "0:0");
		assert_false(rig_running(&r, 1).packed);
		assert_int_equal(rig_running(&r, 2).alloc->node[0].node, 1);
		assert_int_equal(rig_running(&r, 2).alloc->n_node, 1);
		assert_int_equal(rig_start(&r, 2)->limit_us, 0);
		assert_false(rig_runs(&r, 3));
		rig_finish(&r, 1);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 3), "0:0");
		j.id = 4;
		rig_submit(&r, &j);
		rig_add(&r, 5, 1, 60, NULL);
		rig_decide(&r);
		assert_false(rig_runs(&r, 4));
		assert_true(rig_runs(&r, 5));
		rig_finish(&r, 2);
		rig_decide(&r);
		assert_int_equal(rig_running(&r, 4).alloc->node[0].node, 1);
		rig_close(&r);
	}
}

static void add_of(struct rig *r, uint32_t id, const char *user,
		   int64_t limit_s)
{
	struct cs_job j = rig_job(r, id, 1, limit_s, NULL);

	j.user = user;
	j.account = "lab";
	j.base_procs = 1;
	rig_submit(r, &j);
}

static uint32_t node_of(struct rig *r, uint32_t id)
{
	return rig_running(r, id).alloc->node[0].node;
}

/* Neither at once nor later, whoever was first; of one user as many as there are
 * cores. */
static void share_scope_holds_for_packed_jobs(void **state)
{
	static const char *const policy[] = { CST ",share_scope=user",
					      "policy=cst,share_scope=user",
					      "policy=pack,share_scope=user",
					      "policy=fcfs,share_scope=user",
					      "policy=glts,share_scope=user" };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct rig r;

		open_cst(&r, policy[i], 3);
		add_of(&r, 1, "bob", 600);
		add_of(&r, 2, "carol", 600);
		rig_decide(&r);
		for (uint32_t id = 3; id <= 9; id++)
			add_of(&r, id, "bob", 600);
		add_of(&r, 10, "dave", 600);
		rig_decide(&r);
		assert_int_not_equal(node_of(&r, 1), node_of(&r, 2));
		for (uint32_t id = 3; id <= 9; id++) {
			assert_int_not_equal(node_of(&r, id), node_of(&r, 2));
			assert_int_equal(node_of(&r, id) == node_of(&r, 1),
					 id <= 5);
		}
		assert_false(rig_runs(&r, 10));
		rig_finish(&r, 2);
		rig_decide(&r);
		assert_true(rig_runs(&r, 10));
		rig_close(&r);
	}
}

static void accounts_and_anybody_share_as_share_scope_says(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cst(&r, CST ",share_scope=account", 2);
	add_of(&r, 1, "bob", 600);
	add_of(&r, 2, "carol", 600);
	for (uint32_t id = 3; id <= 4; id++) {
		j = rig_job(&r, id, 1, 600, NULL);
		j.account = NULL;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_int_equal(node_of(&r, 1), node_of(&r, 2));
	assert_int_not_equal(node_of(&r, 1), node_of(&r, 3));
	assert_false(rig_runs(&r, 4));
	rig_close(&r);
	open_cst(&r, CST, 2);
	add_of(&r, 1, "bob", 600);
	add_of(&r, 2, "carol", 600);
	rig_decide(&r);
	assert_int_equal(node_of(&r, 1), node_of(&r, 2));
	rig_close(&r);
}

static void found_on_node_0(struct rig *r, uint32_t id)
{
	struct cs_alloc *a = cs_alloc_create(1, r->machine->words);
	struct cs_started s = { .job_id = id,
				.limit_us = 600 * RIG_S,
				.packed = true,
				.alloc = a };

	a->node[0].procs = 1;
	cs_alloc_cores(a, 0)[0] = UINT64_C(1) << id;
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(a);
}

/* As another scheduler left them, or an earlier setting. */
static void nobody_comes_to_users_who_were_mixed(void **state)
{
	struct rig r;

	(void)state;
	open_cst(&r, CST ",share_scope=user", 2);
	add_of(&r, 1, "bob", 600);
	add_of(&r, 2, "carol", 600);
	found_on_node_0(&r, 1);
	found_on_node_0(&r, 2);
	add_of(&r, 3, "bob", 600);
	add_of(&r, 4, "carol", 600);
	rig_decide(&r);
	assert_int_equal(node_of(&r, 3), 1);
	assert_false(rig_runs(&r, 4));
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_int_equal(node_of(&r, 4), 0);
	rig_close(&r);
}

static void add_owner(struct rig *r, uint32_t id, const char *user)
{
	struct cs_job j = rig_job(r, id, 1, 600, NULL);

	j.user = user;
	j.flags = CS_JOB_HOST | CS_JOB_USER_NODES;
	rig_submit(r, &j);
}

/* --exclusive=user: its user's alike come to it, others are promised its end. */
static void the_nodes_of_a_user_are_his_until_he_goes(void **state)
{
	struct cs_actions a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", profiles, 2, 2, 2, 0);
	add_owner(&r, 1, "bob");
	found_on_node_0(&r, 1);
	add_of(&r, 2, "carol", 600);
	rig_decide(&r);
	assert_int_equal(node_of(&r, 2), 1);
	j = rig_job(&r, 3, 8, 600, NULL);
	j.user = "carol";
	rig_submit(&r, &j);
	add_owner(&r, 4, "carol");
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	assert_false(cs_explain_never(r.engine, 3));
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 3, NULL),
			 600 * RIG_S);
	assert_false(rig_runs(&r, 4));
	add_owner(&r, 5, "bob");
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.action[0].type, CS_ACT_HOST_START);
	assert_int_equal(a.action[0].job_id, 5);
	assert_int_equal(a.action[0].alloc->n_node, 1);
	assert_int_equal(a.action[0].alloc->node[0].node, 0);
	rig_close(&r);
}

/* A partition out of share_partitions keeps its jobs out of groups alone. */
static void a_partition_that_does_not_share_packs_by_core(void **state)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE,
				      .flags = CS_JOB_NO_SHARE };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 1);
	o.nodeset = r.all;
	j = rig_job(&r, 1, 1, 600, NULL);
	j.option = &o;
	rig_submit(&r, &j);
	rig_add(&r, 2, 1, 600, NULL);
	assert_int_equal(rig_decide(&r), 2);
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
	open_cst(&r, CST, 2);
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
	assert_true(rig_start(&r, 2)->beside == 1.2);
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
	open_cst(&r, CST, 2);
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j =
			rig_job(&r, id, 4, 6000, id == 1 ? "net" : "cg");

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
				.slowdown = 1.2,
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
	open_cst(&r, CST, 2);
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

/* Mode act begins at 1000 s, when two jobs share two nodes since 0: from then on
 * each of them goes at a speed of 1 / 1.2.  Of one that Slurm gave more than its
 * TimeMin the estimate is that, and its limit stays. */
static void jobs_found_sharing_have_their_limits_raised(void **state)
{
	const int64_t limit_us[] = { 0, 9000 * RIG_S, 6000 * RIG_S };
	struct cs_alloc *alloc = cs_alloc_create(2, 1);
	struct cs_actions a;
	struct rig r;
	uint32_t raised[3] = { 0 };

	(void)state;
	open_cst(&r, CST, 2);
	r.now_us = 1000 * RIG_S;
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j =
			rig_job(&r, id, 4, 6000, id == 1 ? "net" : "cg");
		struct cs_started s = { .job_id = id,
					.limit_us = limit_us[id],
					.alloc = alloc };

		j.base_procs = 2;
		rig_submit(&r, &j);
		for (uint32_t i = 0; i < 2; i++) {
			alloc->node[i].node = i;
			alloc->node[i].procs = 2;
			cs_alloc_cores(alloc, i)[0] = id == 1 ? 5 : 10;
		}
		rig_tell(&r, (struct cs_event){ .type = CS_EV_STARTED,
						.start = &s });
	}
	cs_alloc_free(alloc);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++)
		if (a.action[i].type == CS_ACT_LIMIT) {
			assert_int_equal(a.action[i].limit_us, 7000 * RIG_S);
			raised[a.action[i].job_id]++;
		}
	assert_int_equal(raised[1], 0);
	assert_int_equal(raised[2], 1);
	rig_close(&r);
}

/* Job @id, found on cores @cores of node 0, alone in their nodes by core. */
static void found(struct rig *r, uint32_t id, uint64_t cores)
{
	struct cs_alloc *a = cs_alloc_create(1, r->machine->words);
	struct cs_started s = { .job_id = id,
				.limit_us = 600 * RIG_S,
				.packed = true,
				.alloc = a };

	a->node[0].procs = 1;
	a->node[0].mem_mb = 100;
	cs_alloc_cores(a, 0)[0] = cores;
	rig_add(r, id, 1, 600, NULL);
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(a);
}

static uint32_t cores_used(struct rig *r)
{
	struct cs_engine_stats st;

	cs_engine_stats(r->engine, &st);
	return st.cores_used;
}

/* PreemptMode=SUSPEND,GANG on node 0 of two: job 1 stands on all four cores, 2 takes
 * core 0 and 3 core 1 from it, Slurm gives the rest to nobody; then they end. */
static void a_job_that_a_gang_holds_keeps_its_cores(void **state)
{
	struct cs_running run;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 2, 2, 2, 1000);
	found(&r, 1, 15);
	r.now_us = 100 * RIG_S;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	assert_int_equal(cores_used(&r), 4);
	found(&r, 2, 1);
	found(&r, 3, 2);
	assert_int_equal(cores_used(&r), 4);
	run = rig_running(&r, 1);
	assert_true(run.suspended && run.keeps);
	assert_int_equal(cs_alloc_cores(run.alloc, 0)[0], 15);
	/* four start elsewhere, the next waits until job 1 has had its rest */
	for (uint32_t id = 4; id <= 8; id++) {
		struct cs_job j = rig_job(&r, id, 1, 6000, NULL);

		j.mem_node_mb = 100;
		rig_submit(&r, &j);
	}
	assert_int_equal(rig_decide(&r), 4);
	assert_int_equal(node_of(&r, 7), 1);
	assert_false(rig_runs(&r, 8));
	r.now_us = 200 * RIG_S;
	rig_finish(&r, 2);
	assert_int_equal(rig_decide(&r), 0);
	assert_int_equal(cores_used(&r), 8);
	rig_finish(&r, 3);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 1 });
	assert_int_equal(cores_used(&r), 8);
	run = rig_running(&r, 1);
	assert_false(run.suspended || run.keeps);
	assert_int_equal(run.ran_us, 100 * RIG_S);
	assert_int_equal(run.end_us, 700 * RIG_S);
	assert_int_equal(rig_decide(&r), 0);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	rig_finish(&r, 1);
	assert_int_equal(rig_decide(&r), 1);
	assert_int_equal(node_of(&r, 8), 0);
	rig_close(&r);
}

/* Time slices, OverSubscribe=FORCE:2: they take turns, and an administrator's suspend
 * frees the cores. */
static void jobs_that_a_gang_lets_take_turns_keep_each_core_once(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 2, 2, 0);
	found(&r, 1, 7);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	found(&r, 2, 14);
	for (uint32_t turn = 0; turn < 4; turn++) {
		assert_int_equal(cores_used(&r), 4);
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.keeps = true,
						.job_id = 2 - turn % 2 });
		assert_int_equal(cores_used(&r), 4);
		rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME,
						.job_id = 1 + turn % 2 });
	}
	rig_finish(&r, 1);
	assert_int_equal(cores_used(&r), 3);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 2 });
	assert_int_equal(cores_used(&r), 0);
	rig_close(&r);
}

static void tell(struct rig *r, enum cs_event_type type, uint32_t id)
{
	struct cs_event ev = { .type = type, .t_us = r->now_us, .job_id = id };
	struct cs_err err;

	assert_int_equal(cs_engine_event(r->engine, &ev, &err), 0);
}

/* As the event log tells it behind a header (log_state.c). */
static void copy_running(struct rig *to, struct rig *from, uint32_t id,
			 const char *profile)
{
	struct cs_running run;
	struct cs_started s = { .job_id = id };
	struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct cs_job j = rig_job(to, id, 4, 6000, profile);
	struct cs_err err;

	assert_int_equal(cs_engine_running(from->engine, id, &run), 0);
	j.base_procs = 2;
	rig_submit(to, &j);
	ev.t_us = to->now_us;
	s.start_us = run.start_us;
	s.limit_us = run.limit_us;
	s.alloc = run.alloc;
	s.packed = run.packed;
	s.group = run.group;
	s.role = run.role;
	s.done_us = run.done_us;
	s.at_us = run.at_us;
	s.ran_us = run.ran_us;
	s.slowdown = run.slowdown;
	assert_int_equal(cs_engine_event(to->engine, &ev, &err), 0);
}

/* The log is opened at 1000 s and read again: the same progress, factors, ends;
 * also of a job that was suspended for a while. */
static void what_runs_is_rebuilt_from_its_state(void **state)
{
	struct cs_running a, c;
	struct rig r, copy;

	(void)state;
	open_cst(&r, CST, 2);
	open_cst(&copy, CST, 2);
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j =
			rig_job(&r, id, 4, 6000, id == 1 ? "net" : "cg");

		j.base_procs = 2;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->partner_id, 2);
	r.now_us = 100 * RIG_S;
	tell(&r, CS_EV_SUSPEND, 1);
	r.now_us = 500 * RIG_S;
	tell(&r, CS_EV_RESUME, 1);
	copy.now_us = r.now_us = 1000 * RIG_S;
	tell(&r, CS_EV_TICK, 0);
	copy_running(&copy, &r, 1, "net");
	copy_running(&copy, &r, 2, "cg");
	r.now_us = copy.now_us = 3000 * RIG_S + 7;
	rig_finish(&r, 2);
	rig_finish(&copy, 2);
	cs_engine_running(r.engine, 1, &a);
	cs_engine_running(copy.engine, 1, &c);
	assert_true(a.slowdown == c.slowdown);
	assert_int_equal(a.ran_us, c.ran_us);
	assert_int_equal(a.group, c.group);
	/* each step rounds to a microsecond */
	assert_in_range(a.done_us - c.done_us + 3, 0, 6);
	assert_in_range(a.end_us - c.end_us + 3, 0, 6);
	rig_close(&r);
	rig_close(&copy);
}

static void a_limit_that_may_not_rise_keeps_a_job_alone(void **state)
{
	struct cs_job_partition o = { .limit_max_us = 6000 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
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
		struct cs_job_partition o = { .limit_max_us = 6500 * RIG_S };
		struct cs_err err;
		struct cs_job j;
		struct rig r;

		open_cst(&r, CST, 2);
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
	struct cs_event down = { .type = CS_EV_NODE, .node = { 0, false, "" } };
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
		cmocka_unit_test(small_jobs_without_profile_are_packed_by_core),
		cmocka_unit_test(nobody_is_packed_beside_share_no),
		cmocka_unit_test(share_scope_holds_for_packed_jobs),
		cmocka_unit_test(
			accounts_and_anybody_share_as_share_scope_says),
		cmocka_unit_test(nobody_comes_to_users_who_were_mixed),
		cmocka_unit_test(the_nodes_of_a_user_are_his_until_he_goes),
		cmocka_unit_test(a_partition_that_does_not_share_packs_by_core),
		cmocka_unit_test(
			a_limit_is_raised_by_the_slowdown_and_taken_back),
		cmocka_unit_test(
			a_running_job_is_joined_where_its_limit_may_follow),
		cmocka_unit_test(a_limit_that_the_host_set_is_not_cut),
		cmocka_unit_test(what_sharing_cost_outlives_a_restart),
		cmocka_unit_test(jobs_found_sharing_have_their_limits_raised),
		cmocka_unit_test(a_job_that_a_gang_holds_keeps_its_cores),
		cmocka_unit_test(
			jobs_that_a_gang_lets_take_turns_keep_each_core_once),
		cmocka_unit_test(what_runs_is_rebuilt_from_its_state),
		cmocka_unit_test(a_limit_that_may_not_rise_keeps_a_job_alone),
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
