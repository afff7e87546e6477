/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reservations leave of nodes and cores for jobs that the host places (job/resv.c). */
#include "resvrig.h"

static void add_host(struct rig *r, uint32_t id, uint32_t reservation,
		     uint32_t flags)
{
	struct cs_job j = rig_job(r, id, 1, 100, NULL);

	j.flags = CS_JOB_HOST | flags;
	j.reservation = reservation;
	rig_submit(r, &j);
}

/* The start that is wanted of it; none: of 0 nodes. */
static uint64_t offered(struct rig *r, uint32_t *ret_seq)
{
	struct cs_actions a;
	uint64_t set = 0;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	for (uint32_t i = 0; a.n && i < a.action[0].alloc->n_node; i++)
		set |= UINT64_C(1) << a.action[0].alloc->node[i].node;
	if (a.n)
		*ret_seq = a.action[0].seq;
	return set;
}

/* Node 0 has a reserved core, node 1 is reserved, node 2 is not. */
static void the_host_is_offered_what_reservations_leave(void **state)
{
	static const struct {
		uint32_t reservation, flags;
		uint64_t nodes;
	} row[] = {
		{ 0, 0, 5 },
		{ 0, CS_JOB_EXCLUSIVE, 4 },
		{ 7, 0, 1 },
		{ 8, 0, 2 },
	};

	(void)state;
	for (int easy = 0; easy < 2; easy++)
		for (size_t i = 0; i < 4; i++) {
			struct rig r;
			uint32_t seq;

			rig_open(&r, easy ? "policy=pack,backfill=easy" : PACK,
				 NULL, 3, 1, 4, 0);
			reserve(&r, 7, 0, 0, 1, 0, 5000, 0);
			reserve(&r, 8, 1, 1, 0, 0, 5000, 0);
			add_host(&r, 1, row[i].reservation, row[i].flags);
			assert_int_equal(offered(&r, &seq), row[i].nodes);
			rig_close(&r);
		}
}

/* Of one of cores they are taken; all others of the node are free. */
static void nor_are_other_cores_of_the_node_for_it(void **state)
{
	struct rig r;
	uint32_t seq;

	(void)state;
	rig_open(&r, PACK, NULL, 1, 1, 4, 0);
	reserve(&r, 7, 0, 0, 1, 0, 5000, 0);
	add_in(&r, 2, 1, 100, NULL, 7);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:0");
	add_host(&r, 1, 7, 0);
	assert_int_equal(offered(&r, &seq), 0);
	assert_int_equal(promised_s(&r, 1), 100);
	rig_finish(&r, 2);
	assert_int_equal(offered(&r, &seq), 1);
	rig_close(&r);
}

/* Under a plan that has the cores of the node apart, and so no time for it. */
static void the_host_is_offered_all_cores_that_it_may_have(void **state)
{
	struct rig r;
	struct cs_job j;
	uint32_t seq;

	(void)state;
	rig_open(&r, PACK, NULL, 1, 1, 4, 0);
	reserve(&r, 7, 0, 0, 1, 0, 5000, 0);
	reserve(&r, 1, 0, 0, 0, 0, 9000, CS_RESV_FLEX);
	j = rig_job(&r, 1, 4, 100, NULL);
	j.flags = CS_JOB_HOST;
	j.procs_per_node = 4;
	j.reservation = 1;
	rig_submit(&r, &j);
	assert_int_equal(offered(&r, &seq), 1);
	rig_close(&r);
}

/* What is kept for it is a promise in the midst of reservations that come and go. */
static void a_forecast_is_no_reservation(void **state)
{
	const struct cs_forecast f = { .start_us = 50 * RIG_S,
				       .n = 1,
				       .node = &(uint32_t){ 1 } };
	struct rig r;
	uint32_t seq;

	(void)state;
	rig_open(&r, PACK, NULL, 2, 1, 4, 0);
	reserve(&r, 6, 0, 0, 1, 0, 5000, 0);
	add_host(&r, 1, 0, 0);
	offered(&r, &seq);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_REFUSED,
					.refused = { seq, CS_REFUSED_TIMED,
						     "test", &f } });
	reserve(&r, 7, 0, 0, 2, 0, 5000, 0);
	reserve(&r, 8, 0, 0, 4, 0, 5000, 0);
	gone(&r, 6);
	add_in(&r, 2, 1, 100, NULL, 7);
	add(&r, 3, 4, 100, NULL); /* would meet it */
	add(&r, 4, 4, 50, NULL);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 1), 50);
	assert_string_equal(rig_where(&r, 2), "0:1");
	assert_false(rig_runs(&r, 3));
	assert_int_equal(promised_s(&r, 3), 150);
	/* it is dropped, its neighbours in the list stay what they are */
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 1 });
	add_in(&r, 5, 1, 100, NULL, 8);
	add_in(&r, 6, 1, 100, NULL, 7);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 5), "0:2");
	assert_false(rig_runs(&r, 6));
	assert_int_equal(promised_s(&r, 6), 100);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_host_is_offered_what_reservations_leave),
		cmocka_unit_test(nor_are_other_cores_of_the_node_for_it),
		cmocka_unit_test(
			the_host_is_offered_all_cores_that_it_may_have),
		cmocka_unit_test(a_forecast_is_no_reservation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
