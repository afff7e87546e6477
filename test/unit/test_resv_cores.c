/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reservations of cores, whose nodes have others (job/resv.c). */
#include "resvrig.h"

static void reserved_cores_are_not_their_nodes(void **state)
{
	(void)state;
	for (int easy = 0; easy < 2; easy++) {
		struct rig r;

		rig_open(&r, easy ? "policy=pack,backfill=easy" : PACK, NULL, 2,
			 1, 4, 0);
		reserve(&r, 7, 0, 0, 3, 0, 1000, 0);
		add(&r, 1, 6, 100, NULL);
		add(&r, 2, 1, 100, NULL);
		add_in(&r, 3, 2, 100, NULL, 7);
		add_in(&r, 4, 1, 100, NULL, 7);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 1), "0:2,3 1:0,1,2,3");
		assert_false(rig_runs(&r, 2));
		assert_string_equal(rig_where(&r, 3), "0:0,1");
		assert_false(rig_runs(&r, 4));
		assert_int_equal(promised_s(&r, 2), 100);
		if (!easy)
			assert_int_equal(promised_s(&r, 4), 100);
		rig_finish(&r, 3);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 4), "0:0");
		assert_false(rig_runs(&r, 2));
		rig_close(&r);
	}
}

/* Job 1 is done before the reservation begins, job 2 is not. */
static void add_on(struct rig *r, uint32_t id, uint32_t procs, int64_t s,
		   const char *profile, uint64_t set)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j = rig_job(r, id, procs, s, profile);

	o.nodeset = (uint32_t)cs_engine_nodeset(r->engine, &set);
	j.base_procs = 1;
	j.option = &o;
	rig_submit(r, &j);
}

/* A core of node 0 is reserved, the others are taken until 100; then the head needs
 * node 1, of which one core is taken now.  A job of three cores would delay it there,
 * and those of node 0 are free only at the head's start. */
static void what_is_free_for_a_head_is_not_free_now(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,backfill=easy,layout=auto",
		 "{\"version\":1,\"profiles\":{\"d\":{}}}", 2, 1, 4, 0);
	reserve(&r, 7, 0, 0, 8, 0, 1000, 0);
	add_on(&r, 1, 3, 100, NULL, 1);
	add_on(&r, 2, 1, 100, NULL, 2);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1,2");
	add_on(&r, 3, 4, 1000, NULL, 2);
	add_on(&r, 4, 3, 200, "d", 3);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 3), 100);
	assert_false(rig_runs(&r, 4));
	rig_close(&r);
}

static void cores_are_free_until_they_are_reserved(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 1, 1, 4, 0);
	reserve(&r, 7, 0, 0, 3, 200, 1000, 0);
	add(&r, 1, 2, 200, NULL);
	add(&r, 2, 1, 300, NULL);
	add(&r, 3, 2, 300, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:2");
	assert_true(rig_runs(&r, 1));
	assert_int_equal(promised_s(&r, 3), 300);
	rig_close(&r);
}

static void jobs_of_a_later_reservation_are_promised_its_begin(void **state)
{
	(void)state;
	for (uint64_t cores = 0; cores <= 3; cores += 3) {
		struct rig r;

		rig_open(&r, PACK, NULL, 2, 1, 4, 0);
		reserve(&r, 7, 0, 0, cores, 200, 1000, 0);
		add_in(&r, 1, 2, 100, NULL, 7);
		add_in(&r, 2, 2, 100, NULL, 7);
		add_in(&r, 3, 4, 100, NULL, 7);
		rig_decide(&r);
		assert_int_equal(promised_s(&r, 1), 200);
		assert_int_equal(promised_s(&r, 2), cores ? 300 : 200);
		assert_int_equal(promised_s(&r, 3), cores ? -1 : 300);
		assert_true(cs_engine_next_wakeup_us(r.engine) <= 200 * RIG_S);
		rig_at(&r, 200);
		assert_string_equal(rig_where(&r, 1), "0:0,1");
		assert_int_equal(rig_runs(&r, 2), !cores);
		rig_close(&r);
	}
}

/* One that runs beside the reserved cores, for which its node was empty. */
static void who_is_on_the_rest_of_a_node_delays_no_reserved_core(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", rig_abc, 1, 2, 4, 0);
	add(&r, 1, 4, 1000, "a");
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	reserve(&r, 7, 0, 0, 0x88, 0, 5000, 0); /* IGNORE_JOBS or not */
	add_in(&r, 2, 2, 100, "b", 7);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:3,7");
	rig_close(&r);
}

/* Jobs that have nodes for themselves use others, else they are packed. */
static void where_cores_of_all_nodes_are_reserved_jobs_are_packed(void **state)
{
	(void)state;
	for (uint32_t last = 0; last < 2; last++) {
		struct cs_running run;
		struct rig r;

		rig_open(&r, "policy=cst", rig_abc, 2, 1, 4, 0);
		reserve(&r, 7, 0, last, 1, 0, 5000, 0);
		add(&r, 1, 1, 100, "a");
		rig_decide(&r);
		run = rig_running(&r, 1);
		assert_int_equal(run.packed, last == 1);
		if (!last)
			assert_int_equal(run.alloc->node[0].node, 1);
		rig_close(&r);
	}
}

/* Its empty node is reserved as a whole, or taken, and the other one has cores left:
 * it is packed there rather than kept waiting. */
static void who_would_wait_for_an_empty_node_is_packed(void **state)
{
	static const char *const policies[] = { "policy=cst",
						"policy=cst,backfill=easy" };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		for (int taken = 0; taken < 2; taken++) {
			struct rig r;

			rig_open(&r, policies[i], rig_abc, 2, 1, 4, 0);
			reserve(&r, 7, 0, 0, 1, 0, 5000, 0);
			if (taken)
				add(&r, 2, 4, 4000, NULL);
			else
				reserve(&r, 8, 1, 1, 0, 50, 5000, 0);
			rig_decide(&r);
			add(&r, 1, 1, 100, "c");
			rig_decide(&r);
			assert_string_equal(rig_where(&r, 1), "0:1");
			assert_true(rig_running(&r, 1).packed);
			rig_close(&r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reserved_cores_are_not_their_nodes),
		cmocka_unit_test(what_is_free_for_a_head_is_not_free_now),
		cmocka_unit_test(cores_are_free_until_they_are_reserved),
		cmocka_unit_test(
			jobs_of_a_later_reservation_are_promised_its_begin),
		cmocka_unit_test(
			who_is_on_the_rest_of_a_node_delays_no_reserved_core),
		cmocka_unit_test(
			where_cores_of_all_nodes_are_reserved_jobs_are_packed),
		cmocka_unit_test(who_would_wait_for_an_empty_node_is_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
