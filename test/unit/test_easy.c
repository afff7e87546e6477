/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EASY and FCFS: heads, reservations, who may pass. */
#include "cs_test.h"
#include "rig.h"

static void open_easy(struct rig *r, const char *params, uint32_t nodes)
{
	rig_open(r, params, NULL, nodes, 1, 1, 0);
}

#define EASY "policy=easy,unprofiled=model"

static void fcfs_lets_nobody_pass(void **state)
{
	struct rig r;

	(void)state;
	open_easy(&r, "policy=fcfs,unprofiled=model", 4);
	rig_add(&r, 1, 3, 100, NULL);
	rig_add(&r, 2, 4, 100, NULL);
	rig_add(&r, 3, 1, 10, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
}

/*
 * Ten nodes.  Job 1 holds 4 until 100, job 2 3 until 200.  Job 3 needs 8: both
 * must end; shadow 200, extra 2.  Three nodes are free.
 */
static void open_head(struct rig *r)
{
	open_easy(r, EASY, 10);
	rig_add(r, 1, 4, 100, NULL);
	rig_add(r, 2, 3, 200, NULL);
	rig_decide(r);
	rig_add(r, 3, 8, 100, NULL);
}

/* What a job that starts at once or never must leave: the head's start, nothing of who
 * waits behind it, and now of one that no pass has seen. */
static void only_a_promise_is_waited_for(void **state)
{
	struct rig r;

	(void)state;
	open_head(&r);
	rig_add(&r, 4, 8, 200, NULL);
	rig_decide(&r);
	assert_int_equal(cs_engine_wants_from_us(r.engine, 3),
			 cs_engine_predicted_start_us(r.engine, 3, NULL));
	assert_int_not_equal(cs_engine_wants_from_us(r.engine, 3),
			     CS_TIME_NONE);
	assert_int_equal(cs_engine_wants_from_us(r.engine, 4), CS_TIME_NONE);
	assert_int_equal(cs_engine_wants_from_us(r.engine, 1), CS_TIME_NONE);
	rig_add(&r, 5, 8, 200, NULL);
	assert_int_equal(cs_engine_wants_from_us(r.engine, 5), 0);
	rig_close(&r);
}

/* Whom a pass has come to and found no start for: who runs, and who has come since or
 * stands behind a pause, is not among them. */
static void a_pass_comes_to_waiting_jobs(void **state)
{
	const struct cs_decide_part part = { .steps = 1 };
	struct cs_actions a;
	struct rig r;

	(void)state;
	open_head(&r);
	rig_add(&r, 4, 8, 200, NULL);
	rig_decide(&r);
	assert_false(cs_engine_came_to(r.engine, 1));
	assert_true(cs_engine_came_to(r.engine, 3));
	assert_true(cs_engine_came_to(r.engine, 4));
	assert_false(cs_engine_came_to(r.engine, 9));
	rig_add(&r, 5, 2, 300, NULL);
	rig_add(&r, 6, 3, 300, NULL);
	assert_false(cs_engine_came_to(r.engine, 6));
	assert_int_equal(cs_engine_decide_part(r.engine, r.now_us, &part, &a),
			 0);
	assert_true(a.more);
	assert_int_equal(a.n, 1);
	assert_false(
		cs_engine_came_to(r.engine, 5)); /* its start is proposed */
	assert_false(cs_engine_came_to(r.engine, 6));
	while (a.more)
		assert_int_equal(
			cs_engine_decide_part(r.engine, r.now_us, &part, &a),
			0);
	assert_true(cs_engine_came_to(r.engine, 6));
	rig_close(&r);
}

/* A host records a decide in parts, and leaves out what has no action and changes nothing.
 * Without the end of a paused one a replay would continue it where a new one began. */
static void the_end_of_a_paused_decide_is_recorded(void **state)
{
	const struct cs_decide_part part = { .steps = 1 };
	struct cs_actions a, b;
	struct cs_started s;
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 10);
	rig_second(&r);
	rig_add(&r, 1, 4, 100, NULL);
	rig_add(&r, 2, 3, 200, NULL);
	rig_add(&r, 3, 8, 100, NULL);
	for (uint32_t id = 1; id <= 2; id++) {
		cs_engine_decide_part(r.twin, r.now_us, &part, &b);
		cs_engine_decide_part(r.engine, r.now_us, &part, &a);
		assert_true(a.more);
		assert_int_equal(a.n, 1);
		assert_int_equal(a.action[0].job_id, id);
		s = (struct cs_started){ .seq = a.action[0].seq,
					 .job_id = id,
					 .start_us = r.now_us,
					 .limit_us = 200 * RIG_S,
					 .alloc = a.action[0].alloc };
		rig_tell(
			&r,
			id == 1 ? (struct cs_event){ .type = CS_EV_REFUSED,
						     .refused = { s.seq,
								  CS_REFUSED_TIMED,
								  "test" } }
				: (struct cs_event){ .type = CS_EV_STARTED,
						     .start = &s });
	}
	cs_engine_decide_part(r.engine, r.now_us, &part, &a);
	assert_false(a.more);
	assert_int_equal(a.n, 0);
	assert_true(a.changed);
	r.now_us += 60 * RIG_S;
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.action[0].job_id, 1);
	assert_int_equal(cs_engine_decide(r.twin, r.now_us, &b), 0);
	assert_int_equal(b.n, 0);
	rig_close(&r);
}

static void a_job_that_ends_by_the_shadow_time_passes(void **state)
{
	struct rig r;

	(void)state;
	open_head(&r);
	rig_add(&r, 4, 3, 200, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 3, NULL),
			 200 * RIG_S);
	rig_close(&r);
}

static void a_job_within_the_extra_nodes_passes_and_uses_them_up(void **state)
{
	struct rig r;

	(void)state;
	open_head(&r);
	rig_add(&r, 4, 2, 201, NULL);
	rig_add(&r, 5, 1, 201, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	assert_false(rig_runs(&r, 5));
	rig_close(&r);
}

static void a_larger_and_longer_job_does_not_pass(void **state)
{
	struct rig r;

	(void)state;
	open_head(&r);
	rig_add(&r, 4, 3, 201, NULL);
	rig_decide(&r);
	assert_false(rig_runs(&r, 4));
	rig_close(&r);
}

static void all_jobs_that_end_at_the_shadow_time_count_as_free(void **state)
{
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_add(&r, 2, 1, 100, NULL);
	rig_decide(&r);
	/* at 100 four are free, two of them extra */
	rig_add(&r, 3, 2, 50, NULL);
	rig_add(&r, 4, 1, 500, NULL);
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	assert_true(rig_runs(&r, 4));
	rig_close(&r);
}

static void a_blocked_head_holds_nothing(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 4);
	j = rig_job(&r, 1, 4, 100, NULL);
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	rig_add(&r, 2, 3, 1000, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

static void a_job_that_can_never_run_holds_nothing(void **state)
{
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 4);
	rig_add(&r, 1, 5, 100, NULL);
	rig_add(&r, 2, 4, 1000, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_true(cs_explain_never(r.engine, 1));
	assert_false(cs_engine_could_run(r.engine, 1));
	rig_close(&r);
}

static void a_job_that_only_nodes_down_keep_could_run(void **state)
{
	struct cs_event down = {
		.type = CS_EV_NODE,
		.node = { .index = 2, .why = "test" },
	};
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 4);
	assert_int_equal(cs_engine_event(r.engine, &down, NULL), 0);
	rig_add(&r, 1, 4, 100, NULL);
	rig_decide(&r);
	assert_true(cs_explain_never(r.engine, 1));
	assert_true(cs_engine_could_run(r.engine, 1));
	/* too large, and blocked: never looked at; and one of the host's */
	j = rig_job(&r, 2, 5, 100, NULL);
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	j = rig_job(&r, 3, 5, 100, NULL);
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_false(cs_explain_never(r.engine, 2));
	assert_false(cs_engine_could_run(r.engine, 2));
	assert_true(cs_engine_could_run(r.engine, 3));
	rig_close(&r);
}

static void
heads_of_disjoint_partitions_do_not_wait_for_each_other(void **state)
{
	uint64_t left = 0x3, right = 0xc;
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, "policy=fcfs,unprofiled=model", 4);
	for (uint32_t id = 1; id <= 4; id++) {
		j = rig_job(&r, id, 2, 100, NULL);
		o.nodeset = (uint32_t)cs_engine_nodeset(
			r.engine, id == 4 ? &right : &left);
		j.option = &o;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	assert_true(rig_runs(&r, 4));
	rig_close(&r);
}

static void a_reservation_of_the_host_keeps_jobs_off_its_nodes(void **state)
{
	uint32_t node[] = { 0, 1 };
	struct cs_reservation v = { .id = 1,
				    .n = 2,
				    .node = node,
				    .start_us = 100 * RIG_S,
				    .end_us = 200 * RIG_S };
	struct cs_event ev = { .type = CS_EV_RESERVATION, .reservation = &v };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 4);
	assert_int_equal(cs_engine_event(r.engine, &ev, NULL), 0);
	rig_add(&r, 1, 2, 101, NULL);
	rig_add(&r, 2, 2, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "2:0 3:0");
	assert_string_equal(rig_where(&r, 2), "0:0 1:0");
	rig_finish(&r, 2);
	j = rig_job(&r, 3, 2, 5000, NULL);
	j.reservation = 1;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_false(rig_runs(&r, 3)); /* not before it begins */
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 3, NULL),
			 100 * RIG_S);
	rig_at(&r, 100);
	assert_string_equal(rig_where(&r, 3), "0:0 1:0");
	rig_close(&r);
}

/* Of one priority who came first is first, though he was not eligible then. */
static void with_order_slurm_who_came_first_keeps_his_place(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, EASY ",order=slurm", 4);
	rig_add(&r, 1, 4, 100, NULL);
	assert_int_equal(rig_decide(&r), 1);
	j = rig_job(&r, 2, 4, 100, NULL);
	j.eligible_us = 50 * RIG_S;
	rig_submit(&r, &j);
	r.now_us = 10 * RIG_S;
	rig_add(&r, 3, 4, 100, NULL);
	rig_decide(&r);
	r.now_us = 60 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
}

/* Two tasks of array 5, split off as jobs 7 and 9, and job 6 were submitted at one time: the
 * tasks go where their array stands, before job 6. */
static void with_order_slurm_tasks_keep_the_place_of_their_array(void **state)
{
	static const uint32_t turn[] = { 7, 9, 6 };
	struct cs_actions a;
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, EASY ",order=slurm", 4);
	for (uint32_t id = 6; id <= 9; id++) {
		if (id == 8)
			continue;
		j = rig_job(&r, id, 1, 100, NULL);
		j.array_id = id == 6 ? 0 : 5;
		rig_submit(&r, &j);
	}
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(a.action[i].job_id, turn[i]);
	rig_close(&r);
}

static void priority_and_tier_decide_where_the_order_is_slurms(void **state)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, EASY ",order=slurm", 4);
	for (uint32_t id = 1; id <= 3; id++) {
		j = rig_job(&r, id, 4, 100, NULL);
		o.nodeset = r.all;
		o.priority = 10 * id;
		o.tier = id == 2;
		j.option = &o;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	rig_close(&r);
}

static void a_job_before_its_begin_time_waits_and_wakes(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 4);
	j = rig_job(&r, 1, 4, 100, NULL);
	j.eligible_us = 50 * RIG_S;
	rig_submit(&r, &j);
	rig_add(&r, 2, 2, 1000, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 50 * RIG_S);
	rig_close(&r);
}

/*
 * Six nodes, job 1 holds 0 and 1 until 100, the head needs three of 0 to 3: one of
 * 2 and 3 is left.  Job 3 would get both.  Once job 4 has the one until 50, job 3
 * gets nodes 3 and 4, on which it delays nobody.
 */
static void who_was_turned_away_for_his_nodes_may_get_others(void **state)
{
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 6);
	rig_add_in(&r, 1, 2, 100, NULL, 0xf);
	rig_add_in(&r, 2, 3, 100, NULL, 0xf);
	rig_add(&r, 3, 2, 1000, NULL);
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	rig_add_in(&r, 4, 1, 50, NULL, 0xf);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 4), "2:0");
	assert_string_equal(rig_where(&r, 3), "3:0 4:0");
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 2, NULL),
			 100 * RIG_S);
	rig_close(&r);
}

/* Its first partition has node 0, which is taken, and 1; its second 1 and 2. */
static void a_head_does_not_wait_for_itself(void **state)
{
	uint64_t one = 3, two = 6;
	struct cs_job_partition o[2] = { { .limit_max_us = CS_TIME_NONE },
					 { .limit_max_us = CS_TIME_NONE } };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_easy(&r, EASY, 3);
	rig_add(&r, 1, 1, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0");
	o[0].nodeset = (uint32_t)cs_engine_nodeset(r.engine, &one);
	o[1].nodeset = (uint32_t)cs_engine_nodeset(r.engine, &two);
	j = rig_job(&r, 2, 2, 1000, NULL);
	j.option = o;
	j.n_option = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

/* Sites of one node: a job of three must be split, and its partition's limit leaves no
 * time for the crossing.  It starts all the same, with the limit that it may have; one
 * that a site holds is not split for lack of it. */
static void who_must_be_split_starts_at_its_highest_limit(void **state)
{
	static const char *const backfills[] = { "none", "easy",
						 "conservative" };

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct cs_job_partition o;
		struct cs_job j;
		struct rig r;
		char params[128];

		snprintf(params, sizeof(params),
			 "policy=multisite-adaptive,sites=a,backfill=%s",
			 backfills[i % 3]);
		rig_open(&r, params, NULL, 3, 1, 1, 0);
		j = rig_job(&r, 1, 3, 100, NULL);
		j.base_procs = i / 3;
		o = *j.option;
		o.limit_max_us = 100 * RIG_S;
		j.option = &o;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_true(rig_runs(&r, 1));
		assert_true(rig_start(&r, 1)->limit_us <= o.limit_max_us);
		rig_close(&r);
	}
}

/* Three sites of two nodes: -n4 -N3 finds the cores on one of them, the nodes on two. */
static void
a_job_of_many_nodes_is_not_put_on_one_site_for_its_cores(void **state)
{
	static const char *const backfills[] = { "none", "easy",
						 "conservative" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct cs_job j;
		struct rig r;
		char params[128];

		snprintf(params, sizeof(params),
			 "policy=pack,site_rule=adaptive,sites=a,backfill=%s",
			 backfills[i]);
		rig_open(&r, params, NULL, 6, 2, 2, 0);
		j = rig_job(&r, 1, 4, 100, NULL);
		j.min_nodes = 3;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_true(rig_runs(&r, 1));
		assert_true(rig_running(&r, 1).alloc->n_node >= 3);
		rig_close(&r);
	}
}

/* A head of two partitions starts in the second; the job behind it in the first starts in
 * the next decide, though only a submit has come since. */
static void a_head_that_starts_elsewhere_holds_back_no_job(void **state)
{
	static const char *const policies[] = { "policy=fcfs", "policy=easy" };
	const uint64_t first = 0x3, second = 0xc;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cs_job_partition o[2] = {
			{ .limit_max_us = CS_TIME_NONE },
			{ .limit_max_us = CS_TIME_NONE },
		};
		struct cs_job j;
		struct rig r;

		open_easy(&r, policies[i], 4);
		rig_add_in(&r, 1, 1, 100, NULL, first);
		rig_decide(&r);
		o[0].nodeset = (uint32_t)cs_engine_nodeset(r.engine, &first);
		o[1].nodeset = (uint32_t)cs_engine_nodeset(r.engine, &second);
		j = rig_job(&r, 2, 2, 100, NULL);
		j.option = o;
		j.n_option = 2;
		rig_submit(&r, &j);
		rig_add_in(&r, 3, 1, 200, NULL, first);
		rig_decide(&r);
		assert_true(rig_runs(&r, 2));
		rig_add_in(&r, 4, 2, 100, NULL, second);
		rig_decide(&r);
		assert_true(rig_runs(&r, 3));
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_does_not_wait_for_itself),
		cmocka_unit_test(fcfs_lets_nobody_pass),
		cmocka_unit_test(only_a_promise_is_waited_for),
		cmocka_unit_test(a_pass_comes_to_waiting_jobs),
		cmocka_unit_test(the_end_of_a_paused_decide_is_recorded),
		cmocka_unit_test(a_job_that_ends_by_the_shadow_time_passes),
		cmocka_unit_test(
			a_job_within_the_extra_nodes_passes_and_uses_them_up),
		cmocka_unit_test(a_larger_and_longer_job_does_not_pass),
		cmocka_unit_test(
			all_jobs_that_end_at_the_shadow_time_count_as_free),
		cmocka_unit_test(a_blocked_head_holds_nothing),
		cmocka_unit_test(a_job_that_can_never_run_holds_nothing),
		cmocka_unit_test(a_job_that_only_nodes_down_keep_could_run),
		cmocka_unit_test(
			heads_of_disjoint_partitions_do_not_wait_for_each_other),
		cmocka_unit_test(
			a_reservation_of_the_host_keeps_jobs_off_its_nodes),
		cmocka_unit_test(
			with_order_slurm_who_came_first_keeps_his_place),
		cmocka_unit_test(
			with_order_slurm_tasks_keep_the_place_of_their_array),
		cmocka_unit_test(
			priority_and_tier_decide_where_the_order_is_slurms),
		cmocka_unit_test(a_job_before_its_begin_time_waits_and_wakes),
		cmocka_unit_test(
			who_was_turned_away_for_his_nodes_may_get_others),
		cmocka_unit_test(who_must_be_split_starts_at_its_highest_limit),
		cmocka_unit_test(
			a_job_of_many_nodes_is_not_put_on_one_site_for_its_cores),
		cmocka_unit_test(
			a_head_that_starts_elsewhere_holds_back_no_job),
	};

	return cmocka_run_group_tests_name("easy", tests, NULL, NULL);
}
