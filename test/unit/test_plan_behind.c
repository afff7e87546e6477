/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cores that others hold, offered to jobs that may share them (backfill/plan_behind.c). */
#include "refuserig.h"

/* A job that the host places, and may place on cores of others. */
static void add_sharing(struct rig *r, uint32_t id, uint32_t procs,
			int64_t estimate_s)
{
	struct cs_job j = rig_job(r, id, procs, estimate_s, NULL);

	j.flags = CS_JOB_HOST | CS_JOB_SHARES_CORES;
	rig_submit(r, &j);
}

/* Refuse for good what is wanted next, which is job @id on the nodes @set. */
static void is_offered(struct rig *r, uint32_t id, uint64_t set)
{
	struct cs_action a = wants(r);
	uint64_t nodes = 0;

	assert_int_equal(a.type, CS_ACT_HOST_START);
	assert_int_equal(a.job_id, id);
	for (uint32_t i = 0; i < a.alloc->n_node; i++)
		cs_bit_set(&nodes, a.alloc->node[i].node);
	assert_int_equal(nodes, set);
	refuse(r, a.seq, CS_REFUSED_PLACE);
}

/*
 * Two nodes of four cores.  The first is held until 100, then promised to job 3, the
 * other one until 1000: who is done by 100 is offered both, who is not the second. Of
 * those whose cores are their own there is no room.
 */
static void who_shares_cores_is_offered_those_of_others(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_promises=0", NULL, 2, 1, 4, 0);
	rig_add_in(&r, 1, 4, 100, NULL, 1);
	rig_add_in(&r, 2, 4, 1000, NULL, 2);
	assert_int_equal(rig_decide(&r), 2);
	rig_add_in(&r, 3, 4, 1000, NULL, 1);
	wants_nothing(&r);
	j = rig_job(&r, 4, 1, 50, NULL);
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	wants_nothing(&r);
	add_sharing(&r, 5, 4, 500);
	is_offered(&r, 5, 2);
	add_sharing(&r, 6, 4, 100);
	is_offered(&r, 6, 3);
	rig_close(&r);
}

/*
 * A node of four cores.  Two are left at 137, one at 274, one at 411 (beside each other
 * jobs take 1.37 of their time); three are promised from 274 on, and all from 411.  Who
 * is done by 274 may stand there.
 */
static void of_cores_of_others_no_more_than_nobody_was_promised(void **state)
{
	static const struct {
		uint32_t procs;
		int64_t estimate_s;
		bool offered;
	} row[] = {
		{ 4, 137, true },  { 2, 274, true },  { 4, 274, true },
		{ 1, 275, false }, { 1, 500, false },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		rig_open(&r, "policy=pack", NULL, 1, 1, 4, 0);
		rig_add(&r, 1, 2, 100, NULL);
		rig_add(&r, 2, 1, 200, NULL);
		rig_add(&r, 3, 1, 300, NULL);
		assert_int_equal(rig_decide(&r), 3);
		rig_add(&r, 5, 3, 100, NULL);
		rig_add(&r, 6, 4, 100, NULL);
		wants_nothing(&r);
		add_sharing(&r, 7, row[i].procs, row[i].estimate_s);
		if (row[i].offered)
			is_offered(&r, 7, 1);
		else
			wants_nothing(&r);
		rig_close(&r);
	}
}

/* With steps for the holders of one node, one job a pass is offered cores of others. */
static void a_pass_has_so_many_steps_for_it(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,search_steps=1", NULL, 1, 1, 4, 0);
	rig_add(&r, 1, 4, 100, NULL);
	rig_decide(&r);
	add_sharing(&r, 2, 4, 100);
	add_sharing(&r, 3, 4, 100);
	is_offered(&r, 2, 1);
	is_offered(&r, 3, 1);
	rig_close(&r);
}

/* Somebody whom the engine does not have has ended: who was refused is tried again. */
static void the_end_of_a_job_unseen_ends_the_pause(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 1, 4, 0);
	rig_add(&r, 1, 4, 100, NULL);
	rig_decide(&r);
	add_sharing(&r, 2, 4, 100);
	is_offered(&r, 2, 1);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_TICK });
	wants_nothing(&r);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_TICK, .freed = true });
	is_offered(&r, 2, 1);
	rig_close(&r);
}

/* Nodes that jobs hold whom the engine does not have: for who shares cores only; nodes
 * that are away for nobody. */
static void taken_nodes_are_for_who_shares_cores(void **state)
{
	const uint32_t node = 0;
	struct cs_reservation resv = { .id = 9,
				       .n = 1,
				       .node = &node,
				       .start_us = -RIG_S,
				       .end_us = 1000 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int taken = 0; taken < 2; taken++) {
		resv.flags = CS_RESV_ALL | (taken ? CS_RESV_TAKEN : 0);
		rig_open(&r, "policy=pack", NULL, 1, 1, 4, 0);
		rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
						.reservation = &resv });
		j = rig_job(&r, 1, 1, 50, NULL);
		j.flags = CS_JOB_HOST;
		rig_submit(&r, &j);
		wants_nothing(&r);
		add_sharing(&r, 2, 1, 50);
		if (taken)
			is_offered(&r, 2, 1);
		else
			wants_nothing(&r);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_shares_cores_is_offered_those_of_others),
		cmocka_unit_test(
			of_cores_of_others_no_more_than_nobody_was_promised),
		cmocka_unit_test(a_pass_has_so_many_steps_for_it),
		cmocka_unit_test(the_end_of_a_job_unseen_ends_the_pause),
		cmocka_unit_test(taken_nodes_are_for_who_shares_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
