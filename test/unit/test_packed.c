/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs packed by core, and users who may not be mixed. */
#include "pairrig.h"

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
		assert_true(rig_running(&r, 1).beside == 1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_jobs_without_profile_are_packed_by_core),
		cmocka_unit_test(nobody_is_packed_beside_share_no),
		cmocka_unit_test(share_scope_holds_for_packed_jobs),
		cmocka_unit_test(
			accounts_and_anybody_share_as_share_scope_says),
		cmocka_unit_test(nobody_comes_to_users_who_were_mixed),
		cmocka_unit_test(the_nodes_of_a_user_are_his_until_he_goes),
		cmocka_unit_test(a_partition_that_does_not_share_packs_by_core),
	};

	return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
