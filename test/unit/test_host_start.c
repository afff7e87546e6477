/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that the host places: which nodes it is offered for them (place/host_start.c). */
#include "refuserig.h"

/* What the model cannot place at all the host's test is asked for at once; it is
 * offered what it might use. */
static void what_the_model_cannot_place_is_left_to_the_host(void **state)
{
	static const char *const policy[] = { "policy=cst", "policy=easy" };
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 2; p++) {
		rig_open(&r, policy[p], NULL, 3, 1, 2, 0);
		rig_add_in(&r, 9, 2, 1000, NULL, 1);
		rig_decide(&r);
		j = rig_job(&r, 1, 8, 100, NULL);
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_HOST_START);
		assert_int_equal(a.alloc->n_node, 2);
		assert_int_equal(a.alloc->node[0].node, 1);
		rig_close(&r);
	}
}

/* By its memory a node holds three of its processes, so that two nodes do not hold
 * all, but the plan, which counts cores, promises it a start; and one that keeps its
 * nodes to its user. */
static void so_is_what_a_plan_by_cores_promises_in_vain(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	for (uint32_t flags = 0; flags <= CS_JOB_USER_NODES;
	     flags += CS_JOB_USER_NODES) {
		rig_open(&r, "policy=pack", NULL, 2, 1, 4, 2000);
		j = rig_job(&r, 1, 8, 100, NULL);
		j.mem_cpu_mb = 600;
		j.flags = flags;
		rig_submit(&r, &j);
		assert_false(cs_engine_could_run(r.engine, 1));
		assert_int_equal(wants(&r).type, CS_ACT_HOST_START);
		rig_close(&r);
	}
}

/* So too where the plan has the cores: five processes of three on four nodes of four. */
static void cores_on_no_node_are_left_to_the_host(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 4, 1, 4, 0);
	j = rig_job(&r, 1, 5, 100, NULL);
	j.cpus_per_proc = 3;
	rig_submit(&r, &j);
	assert_int_equal(wants(&r).type, CS_ACT_HOST_START);
	rig_close(&r);
}

/*
 * Three nodes.  Job 9 holds the first until 1000, the head needs all three then;
 * the host's job, of 2,000 s, is offered nothing, one of 500 s the two free ones.
 */
static void the_host_is_offered_what_the_plan_leaves(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 3, 1, 2, 0);
	rig_add_in(&r, 9, 2, 1000, NULL, 1);
	rig_decide(&r);
	rig_add(&r, 2, 6, 1000, NULL);
	wants_nothing(&r);
	j = rig_job(&r, 3, 1, 2000, NULL);
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	wants_nothing(&r);
	j = rig_job(&r, 4, 1, 500, NULL);
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	a = wants(&r);
	assert_int_equal(a.job_id, 4);
	assert_int_equal(a.alloc->n_node, 2);
	rig_close(&r);
}

/* It is offered @nodes, node 0 among them or not. */
static struct cs_action offered(struct rig *r, uint32_t nodes, bool first)
{
	struct cs_actions a;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	for (size_t i = 1; i < a.n; i++)
		refuse(r, a.action[i].seq, CS_REFUSED_GROUP);
	assert_int_not_equal(a.n, 0);
	assert_int_equal(a.action[0].type, CS_ACT_HOST_START);
	assert_int_equal(a.action[0].alloc->n_node, nodes);
	assert_int_equal(a.action[0].alloc->node[0].node == 0, first);
	return a.action[0];
}

/* Node 0 of three has a job beside it.  Refused there, an array's tasks are offered the
 * idle nodes at once, and first, until the host refuses these, too; not where they are
 * too few. */
static void of_nodes_that_are_refused_the_idle_are_tried(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 3, 1, 4, 0);
	rig_add_in(&r, 9, 1, 1000, NULL, 1);
	rig_decide(&r);
	j = host_job(&r, 1, 100);
	j.array_id = 1;
	j.tasks = 3;
	rig_submit(&r, &j);
	a = offered(&r, 3, true);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	a = offered(&r, 2, false);
	starts_on(&r, a.seq, 101, 1);
	a = offered(&r, 1, false);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	wants_nothing(&r);
	r.now_us = 10 * RIG_S;
	a = offered(&r, 3, true);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	a = offered(&r, 1, false);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	wants_nothing(&r);
	rig_close(&r);
}

/* Two nodes, one with a job: it is refused on both, and on the idle one. */
static void refused_beside_the_idle(struct rig *r)
{
	struct cs_action a = offered(r, 2, true);

	assert_true(a.ask);
	refuse(r, a.seq, CS_REFUSED_PLACE);
	a = offered(r, 1, false);
	assert_true(a.ask);
	refuse(r, a.seq, CS_REFUSED_PLACE);
	wants_nothing(r);
}

/* For a job that is tried twice each time the host has no time: these are three times, not
 * six, until it is asked for none. */
static void tried_on_idle_nodes_it_is_asked_for_one_time(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 2, 1, 4, 0);
	rig_add_in(&r, 9, 1, 1000, NULL, 1);
	rig_decide(&r);
	j = host_job(&r, 1, 100);
	rig_submit(&r, &j);
	for (int64_t s = 0; s < 70; s = s ? 3 * s : 10) {
		r.now_us = s * RIG_S;
		refused_beside_the_idle(&r);
	}
	r.now_us = 70 * RIG_S;
	a = offered(&r, 2, true);
	assert_false(a.ask);
	rig_close(&r);
}

/* Of four questions a second two are for jobs that a change lets ask again, and both for
 * the first of these, which is tried on the idle nodes, too; the other two are for jobs
 * that are new. */
static void on_idle_nodes_it_is_tried_out_of_turn_as_well(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_tries=4", NULL, 3, 1, 4, 0);
	for (uint32_t id = 8; id <= 9; id++)
		rig_add_in(&r, id, 1, 1000, NULL, 1);
	rig_decide(&r);
	for (uint32_t id = 1; id <= 2; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
		refuse(&r, offered(&r, 3, true).seq, CS_REFUSED_PLACE);
		refuse(&r, offered(&r, 2, false).seq, CS_REFUSED_PLACE);
		wants_nothing(&r);
	}
	r.now_us = 2 * RIG_S;
	rig_finish(&r, 8);
	for (uint32_t id = 3; id <= 4; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
	}
	a = offered(&r, 3, true);
	assert_int_equal(a.job_id, 1);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	a = offered(&r, 2, false);
	assert_int_equal(a.job_id, 1);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	a = offered(&r, 3, true);
	assert_int_equal(a.job_id, 3);
	rig_close(&r);
}

/* Job 1, an array of two tasks for the nodes of @first or those of @second, which the host
 * places. */
static void add_array_of_two_partitions(struct rig *r, uint64_t first,
					uint64_t second)
{
	struct cs_job_partition o[2] = {
		{ .flags = CS_JOB_HOST, .limit_max_us = CS_TIME_NONE },
		{ .flags = CS_JOB_HOST, .limit_max_us = CS_TIME_NONE }
	};
	struct cs_job j = rig_job(r, 1, 1, 100, NULL);

	o[0].nodeset = (uint32_t)cs_engine_nodeset(r->engine, &first);
	o[1].nodeset = (uint32_t)cs_engine_nodeset(r->engine, &second);
	j.option = o;
	j.n_option = 2;
	j.array_id = 1;
	j.tasks = 2;
	rig_submit(r, &j);
}

/* Both tasks are proposed, one in each partition, and refused; @again is what is then
 * proposed once more: the first partition, and the second, on an idle node. */
static void two_are_refused(struct rig *r, bool first, bool second)
{
	const bool again[2] = { first, second };
	struct cs_actions a;
	uint32_t seq[2];
	size_t k = 0;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	assert_int_equal(a.n, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(a.action[i].option, i);
		assert_int_equal(a.action[i].alloc->n_node, 2);
		seq[i] = a.action[i].seq;
	}
	for (uint32_t i = 0; i < 2; i++)
		refuse(r, seq[i], CS_REFUSED_PLACE);
	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	assert_int_equal(a.n, first + second);
	for (uint32_t i = 0; i < 2; i++) {
		if (!again[i])
			continue;
		assert_int_equal(a.action[k].option, i);
		assert_int_equal(a.action[k++].alloc->n_node, 1);
	}
}

/* Node 0 of four has a job.  Of the tasks of one array, each in another partition, that is
 * tried again which was refused there. */
static void of_each_task_the_nodes_are_known(void **state)
{
	struct rig r;

	(void)state;
	for (int p = 0; p < 2; p++) {
		rig_open(&r, "policy=pack", NULL, 4, 1, 4, 0);
		rig_add_in(&r, 9, 1, 1000, NULL, 1);
		rig_decide(&r);
		add_array_of_two_partitions(&r, p ? 12 : 3, p ? 3 : 12);
		two_are_refused(&r, !p, p);
		rig_close(&r);
	}
}

/*
 * Nodes 0 to 3 have 4 cores and are taken, 4 and 5 have 8.  Job 2, of 16 processes,
 * keeps its nodes to its user.  The plan lays it out on four nodes of 4, and promises it
 * those of job 1; the two larger ones hold it, too, and are offered at once, as without
 * the wish.
 */
static void another_layout_than_the_promised_is_offered(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (uint32_t flags = 0; flags <= CS_JOB_USER_NODES;
	     flags += CS_JOB_USER_NODES) {
		rig_large = 2;
		rig_open(&r, "policy=pack", NULL, 6, 2, 2, 0);
		j = rig_job(&r, 1, 16, 1000, NULL);
		j.min_nodes = j.max_nodes = 4;
		j.flags = CS_JOB_EXCLUSIVE;
		rig_submit(&r, &j);
		assert_int_equal(rig_decide(&r), 1);
		j = host_job(&r, 2, 1000);
		j.procs = 16;
		j.max_nodes = 4;
		j.user = "keeper";
		j.flags |= flags;
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_HOST_START);
		assert_int_equal(a.job_id, 2);
		assert_int_equal(a.alloc->node[a.alloc->n_node - 1].node, 5);
		rig_close(&r);
	}
}

/*
 * Node 0 has a job of a user who keeps it, node 1 is taken.  The plan leaves no room on
 * either, but another job that keeps its nodes to the same user is offered node 0; that of
 * another user is offered nothing (rule 4).
 */
static void without_other_room_the_users_own_nodes_are_offered(void **state)
{
	static const char *const user[] = { "keeper", "other" };
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int other = 0; other < 2; other++) {
		rig_open(&r, "policy=pack", NULL, 2, 1, 4, 0);
		j = rig_job(&r, 1, 1, 1000, NULL);
		j.user = "keeper";
		j.flags = CS_JOB_USER_NODES;
		rig_submit(&r, &j);
		rig_add_in(&r, 9, 4, 1000, NULL, 2);
		assert_int_equal(rig_decide(&r), 2);
		assert_string_equal(rig_where(&r, 1), "0:0");
		j = host_job(&r, 2, 100);
		j.user = user[other];
		j.flags |= CS_JOB_USER_NODES;
		rig_submit(&r, &j);
		if (other) {
			wants_nothing(&r);
		} else {
			a = wants(&r);
			assert_int_equal(a.type, CS_ACT_HOST_START);
			assert_int_equal(a.job_id, 2);
			assert_int_equal(a.alloc->n_node, 1);
			assert_int_equal(a.alloc->node[0].node, 0);
		}
		rig_close(&r);
	}
}

/* The head has both nodes at 100, when job 9 ends: behind it the host is asked for a job that
 * is done by then, not for one of a second more (rule 5). */
static void behind_an_easy_head_it_must_end_in_time(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int64_t s = 99; s <= 101; s++) {
		rig_open(&r, "policy=easy,unprofiled=model", NULL, 2, 1, 2, 0);
		rig_add_in(&r, 9, 1, 100, NULL, 1);
		assert_int_equal(rig_decide(&r), 1);
		rig_add(&r, 1, 4, 1000, NULL);
		wants_nothing(&r);
		assert_int_equal(
			cs_engine_predicted_start_us(r.engine, 1, NULL),
			100 * RIG_S);
		j = host_job(&r, 2, s);
		rig_submit(&r, &j);
		if (s <= 100) {
			a = wants(&r);
			assert_int_equal(a.type, CS_ACT_HOST_START);
			assert_int_equal(a.job_id, 2);
		} else {
			wants_nothing(&r);
		}
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_the_model_cannot_place_is_left_to_the_host),
		cmocka_unit_test(so_is_what_a_plan_by_cores_promises_in_vain),
		cmocka_unit_test(cores_on_no_node_are_left_to_the_host),
		cmocka_unit_test(the_host_is_offered_what_the_plan_leaves),
		cmocka_unit_test(of_nodes_that_are_refused_the_idle_are_tried),
		cmocka_unit_test(of_each_task_the_nodes_are_known),
		cmocka_unit_test(tried_on_idle_nodes_it_is_asked_for_one_time),
		cmocka_unit_test(on_idle_nodes_it_is_tried_out_of_turn_as_well),
		cmocka_unit_test(another_layout_than_the_promised_is_offered),
		cmocka_unit_test(
			without_other_room_the_users_own_nodes_are_offered),
		cmocka_unit_test(behind_an_easy_head_it_must_end_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
