/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flags of the host's reservations, jobs in them, their events (job/resv.c). */
#include "resvrig.h"

#include <errno.h>

/* Of a job in reservation 1, while 2 holds the same nodes. */
static void whom_other_reservations_keep_off(void **state)
{
	static const struct {
		uint32_t own, other;
		bool starts;
	} row[] = {
		{ 0, 0, false },
		{ CS_RESV_OVERLAP, 0, true },
		{ CS_RESV_OVERLAP, CS_RESV_MAINT, false },
		{ CS_RESV_MAINT, 0, true },
		{ CS_RESV_MAINT, CS_RESV_MAINT, true },
		{ CS_RESV_MAINT, CS_RESV_ALL, false },
		{ 0, CS_RESV_OVERLAP, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		rig_open(&r, PACK, NULL, 2, 1, 4, 0);
		reserve(&r, 1, 0, 0, 0, 0, 1000, row[i].own);
		reserve(&r, 2, 0, 0, 0, 50, 400, row[i].other);
		add_in(&r, 5, 4, 100, NULL, 1);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 5), row[i].starts);
		if (!row[i].starts)
			assert_int_equal(promised_s(&r, 5), 400);
		gone(&r, 2);
		rig_decide(&r);
		assert_true(rig_runs(&r, 5));
		rig_close(&r);
	}
}

/* As reserve(), lent to who goes within @delay_s. */
static void lend(struct rig *r, uint32_t id, uint32_t first, uint32_t last,
		 uint64_t cores, int64_t start_s, int64_t end_s, uint32_t flags,
		 uint32_t delay_s)
{
	reserve_for(r, id, first, last, cores, start_s, end_s,
		    flags | CS_RESV_LENDS, delay_s);
}

static void add_borrower(struct rig *r, uint32_t id, uint32_t procs, int64_t s,
			 uint32_t reservation, uint32_t warn_s)
{
	struct cs_job j = rig_job(r, id, procs, s, NULL);

	j.base_procs = 1;
	j.flags |= CS_JOB_BORROWS;
	j.warn_s = warn_s;
	j.reservation = reservation;
	rig_submit(r, &j);
}

/* Node 0 is reserved, whole or of cores, with 300 s of patience or none. */
static void what_is_lent_is_kept_from_none_who_goes_in_time(void **state)
{
	static const struct {
		uint32_t in, warn_s;
		bool lent, starts;
	} row[] = {
		{ 0, 120, true, true },	 { 0, 300, true, true },
		{ 0, 301, true, false }, { 0, 120, false, false },
		{ 0, 0, false, false },	 { 3, 120, true, false },
	};

	(void)state;
	for (int easy = 0; easy < 2; easy++)
		for (uint64_t cores = 0; cores <= 3; cores += 3)
			for (size_t i = 0; i < sizeof(row) / sizeof(*row);
			     i++) {
				bool inside = row[i].in && !cores;
				struct rig r;

				rig_open(&r,
					 easy ? "policy=pack,backfill=easy"
					      : PACK,
					 NULL, 1, 1, 4, 0);
				reserve_for(&r, 7, 0, 0, cores, 0, 400,
					    row[i].lent ? CS_RESV_LENDS : 0,
					    row[i].lent ? 300 : 0);
				if (row[i].in)
					reserve(&r, row[i].in, 0, 0, 0, 0, 900,
						0);
				add_borrower(&r, 1, 4, 1000, row[i].in,
					     row[i].warn_s);
				rig_decide(&r);
				/* cores keep nothing from another's job */
				assert_int_equal(rig_runs(&r, 1),
						 row[i].starts ||
							 (row[i].in && cores));
				if (!row[i].starts && (!row[i].in || inside))
					assert_int_equal(promised_s(&r, 1),
							 400);
				rig_close(&r);
			}
}

static void a_delay_of_0_is_for_who_wants_no_notice(void **state)
{
	(void)state;
	for (uint32_t warn_s = 0; warn_s < 2; warn_s++) {
		struct rig r;

		rig_open(&r, PACK, NULL, 1, 1, 4, 0);
		lend(&r, 7, 0, 0, 0, 0, 400, CS_RESV_MAINT, 0);
		add_borrower(&r, 1, 4, 1000, 0, warn_s);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 1), !warn_s);
		rig_close(&r);
	}
}

static void who_borrows_nothing_waits_for_what_is_lent(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 1, 1, 4, 0);
	lend(&r, 7, 0, 0, 0, 0, 400, 0, 300);
	add(&r, 1, 4, 1000, NULL);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 1), 400);
	/* for less patience it is lent to nobody */
	add_borrower(&r, 2, 2, 10, 0, 120);
	lend(&r, 7, 0, 0, 0, 0, 400, 0, 119);
	rig_decide(&r);
	assert_false(rig_runs(&r, 2));
	lend(&r, 7, 0, 0, 0, 0, 400, 0, 120);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

static void a_flexible_reservation_keeps_its_jobs_to_nothing(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 2, 1, 4, 0);
	reserve(&r, 1, 0, 0, 0, 500, 1000, CS_RESV_FLEX);
	add_in(&r, 1, 8, 5000, NULL, 1);
	add(&r, 2, 8, 600, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1)); /* on all nodes, before it and after */
	assert_int_equal(promised_s(&r, 2), 5000);
	rig_close(&r);
}

/* Reserved cores and the others of their node, for one that may have either. */
static void all_cores_of_a_node_are_together_for_who_may_have_them(void **state)
{
	static const uint32_t flag[] = { CS_RESV_FLEX, CS_RESV_OVERLAP,
					 CS_RESV_MAINT, CS_RESV_LENDS };

	(void)state;
	for (int whole = 0; whole < 2; whole++)
		for (size_t i = 0; i < 4; i++) {
			bool lent = flag[i] == CS_RESV_LENDS;
			struct rig r;
			struct cs_job j;

			rig_open(&r, PACK, NULL, 1, 1, 4, 0);
			reserve(&r, 7, 0, 0, 1, 0, 5000, lent ? flag[i] : 0);
			if (!lent)
				reserve(&r, 1, 0, 0, 0, 0, 9000, flag[i]);
			j = rig_job(&r, 1, 4, 100, NULL);
			j.reservation = !lent;
			j.flags |= lent ? CS_JOB_BORROWS : 0;
			j.procs_per_node = 4;
			j.flags |= whole ? CS_JOB_EXCLUSIVE : 0;
			rig_submit(&r, &j);
			rig_decide(&r);
			assert_true(rig_runs(&r, 1));
			rig_close(&r);
		}
}

/* A maintenance that is an hour away, always: an hour's job may start, no longer
 * one ever. */
static void a_floating_reservation_stays_ahead(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 2, 1, 4, 0);
	reserve(&r, 1, 0, 0, 0, 3600, 7200, CS_RESV_FLOAT | CS_RESV_MAINT);
	add(&r, 1, 4, 3601, NULL);
	add(&r, 2, 4, 3600, NULL);
	add(&r, 3, 8, 3601, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "1:0,1,2,3");
	assert_string_equal(rig_where(&r, 2), "0:0,1,2,3");
	assert_int_equal(promised_s(&r, 3), -1);
	rig_close(&r);
}

/* Who would meet it waits until it is over, who would not does not wait. */
static void a_maintenance_ahead_keeps_off_who_would_meet_it(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 2, 1, 4, 0);
	reserve(&r, 1, 0, 1, 0, 1000, 2000, CS_RESV_MAINT);
	add(&r, 1, 4, 1001, NULL);
	add(&r, 2, 4, 1000, NULL);
	add(&r, 3, 8, 500, NULL);
	rig_decide(&r);
	assert_false(rig_runs(&r, 1));
	assert_true(rig_runs(&r, 2));
	assert_int_equal(promised_s(&r, 1), 2000);
	assert_int_equal(promised_s(&r, 3), 2000 + 1001);
	rig_close(&r);
}

static void jobs_in_a_reservation_share_and_wait_for_each_other(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", rig_abc, 4, 2, 2, 0);
	reserve(&r, 1, 0, 1, 0, 0, 100000, 0);
	add_in(&r, 1, 4, 1000, "a", 1);
	add_in(&r, 2, 4, 1000, "b", 1);
	add_in(&r, 3, 4, 1000, "a", 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1) && rig_runs(&r, 2));
	assert_int_equal(rig_running(&r, 1).group, rig_running(&r, 2).group);
	assert_true(rig_running(&r, 1).group);
	assert_false(rig_runs(&r, 3));
	assert_true(promised_s(&r, 3) >= 1000);
	rig_close(&r);
}

/* By option: a magnetic reservation is one way to start, no reservation another. */
static void an_option_may_be_in_a_reservation_of_its_own(void **state)
{
	(void)state;
	for (int busy = 0; busy < 2; busy++) {
		struct cs_job_partition o[2] = {
			{ .limit_max_us = CS_TIME_NONE, .reservation = 1 },
			{ .limit_max_us = CS_TIME_NONE },
		};
		struct cs_job j;
		struct rig r;

		rig_open(&r, PACK, NULL, 2, 1, 4, 0);
		reserve(&r, 1, 0, 0, 0, 0, 1000, 0);
		if (busy)
			add_in(&r, 1, 4, 500, NULL, 1);
		o[0].nodeset = o[1].nodeset = r.all;
		j = rig_job(&r, 2, 4, 100, NULL);
		j.base_procs = 1;
		j.option = o;
		j.n_option = 2;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 2),
				    busy ? "1:0,1,2,3" : "0:0,1,2,3");
		rig_close(&r);
	}
}

static void cores_that_are_not_there_are_refused(void **state)
{
	uint32_t node[2] = { 0, 1 };
	struct cs_alloc *a = cs_alloc_create(2, 1);
	struct cs_reservation v = {
		.id = 1, .n = 2, .node = node, .cores = a, .end_us = 100
	};
	struct cs_event ev = { .type = CS_EV_RESERVATION, .reservation = &v };
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 2, 1, 4, 0);
	a->node[1].node = 1;
	cs_alloc_cores(a, 0)[0] = 1 << 4;
	assert_int_equal(cs_engine_event(r.engine, &ev, NULL), -EINVAL);
	cs_alloc_cores(a, 0)[0] = 1;
	a->node[1].node = 0;
	assert_int_equal(cs_engine_event(r.engine, &ev, NULL), -EINVAL);
	a->node[1].node = node[1] = 2;
	assert_int_equal(cs_engine_event(r.engine, &ev, NULL), -ENOENT);
	add(&r, 1, 8, 100, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	rig_close(&r);
	cs_alloc_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whom_other_reservations_keep_off),
		cmocka_unit_test(
			what_is_lent_is_kept_from_none_who_goes_in_time),
		cmocka_unit_test(a_delay_of_0_is_for_who_wants_no_notice),
		cmocka_unit_test(who_borrows_nothing_waits_for_what_is_lent),
		cmocka_unit_test(
			a_flexible_reservation_keeps_its_jobs_to_nothing),
		cmocka_unit_test(
			all_cores_of_a_node_are_together_for_who_may_have_them),
		cmocka_unit_test(a_floating_reservation_stays_ahead),
		cmocka_unit_test(
			a_maintenance_ahead_keeps_off_who_would_meet_it),
		cmocka_unit_test(
			jobs_in_a_reservation_share_and_wait_for_each_other),
		cmocka_unit_test(an_option_may_be_in_a_reservation_of_its_own),
		cmocka_unit_test(cores_that_are_not_there_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
