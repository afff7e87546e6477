/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's reservations (resv.c): whole nodes and cores, flags, jobs in them, and
 * random worlds against the rules written down plainly.
 */
#include <errno.h>

#include "cs_test.h"
#include "rig.h"

#define PACK "policy=pack,backfill=conservative"

/* Reservation @id of nodes @first to @last from @start_s to @end_s; of the @cores of
 * each, or (0) whole. */
static void reserve_for(struct rig *r, uint32_t id, uint32_t first,
			uint32_t last, uint64_t cores, int64_t start_s,
			int64_t end_s, uint32_t flags, uint32_t delay_s)
{
	uint32_t node[64], n = 0;
	struct cs_alloc *a = NULL;
	struct cs_reservation v = { .id = id,
				    .node = node,
				    .flags = flags,
				    .delay_s = delay_s,
				    .start_us = start_s * RIG_S,
				    .end_us = end_s * RIG_S };

	for (uint32_t i = first; i <= last; i++)
		node[n++] = i;
	v.n = n;
	if (cores)
		a = cs_alloc_create(n, r->machine->words);
	for (uint32_t i = 0; a && i < n; i++) {
		a->node[i].node = node[i];
		cs_alloc_cores(a, i)[0] = cores;
	}
	v.cores = a;
	rig_tell(r, (struct cs_event){ .type = CS_EV_RESERVATION,
				       .reservation = &v });
	cs_alloc_free(a);
}

static void reserve(struct rig *r, uint32_t id, uint32_t first, uint32_t last,
		    uint64_t cores, int64_t start_s, int64_t end_s,
		    uint32_t flags)
{
	reserve_for(r, id, first, last, cores, start_s, end_s, flags, 0);
}

static void gone(struct rig *r, uint32_t id)
{
	struct cs_reservation v = { .id = id };

	rig_tell(r, (struct cs_event){ .type = CS_EV_RESERVATION,
				       .reservation = &v });
}

static void add_in(struct rig *r, uint32_t id, uint32_t procs, int64_t s,
		   const char *profile, uint32_t reservation)
{
	struct cs_job j = rig_job(r, id, procs, s, profile);

	j.base_procs = 1; /* a limit, which no layout stretches by itself */
	j.reservation = reservation;
	rig_submit(r, &j);
}

static void add(struct rig *r, uint32_t id, uint32_t procs, int64_t s,
		const char *profile)
{
	add_in(r, id, procs, s, profile, 0);
}

static int64_t promised_s(struct rig *r, uint32_t id)
{
	int64_t t = cs_engine_predicted_start_us(r->engine, id, NULL);

	return t == CS_TIME_NONE ? -1 : t / RIG_S;
}

/* ---- cores ---------------------------------------------------------------- */

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

/* ---- flags ---------------------------------------------------------------- */

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

/* ---- jobs that the host places -------------------------------------------- */

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

/* ---- sharing -------------------------------------------------------------- */

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

/* ---- events --------------------------------------------------------------- */

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

/* ---- random worlds -------------------------------------------------------- */

#define RESVS 5
#define JOBS 60

struct held { /* what the engine was told */
	bool is;
	uint32_t first, last, flags, delay_s;
	uint64_t cores;
	int64_t start_us, end_us;
};

struct world {
	struct rig rig;
	uint64_t rng;
	struct held held[RESVS + 1]; /* by id */
	uint32_t in[JOBS + 1];	     /* reservation of a job */
	uint32_t procs[JOBS + 1];
	int64_t run_us[JOBS + 1];
	bool borrows[JOBS + 1];
	uint32_t warn_s[JOBS + 1];
	bool seen[JOBS + 1]; /* it was looked at when it started */
	bool sliced;
};

/* Two classes: jobs of up to 100 s have 35 of every 100 s, others 55 of them. */
#define SLICED                                                             \
	"slice=pect,class_short_s=0,class_medium_s=100,slice_cycle_s=100," \
	"slice_overhead_s=5,slice_short_s=0,slice_medium=0.4"

/* How long a job of @run_us is there that starts now, if only its slices serve it; or a
 * second less. */
static int64_t stay_us(const struct world *w, int64_t run_us)
{
	bool longs = run_us > 100 * RIG_S;
	int64_t from = longs ? 45 : 5, to = longs ? 100 : 40;
	int64_t t = w->rig.now_us - w->rig.now_us % RIG_S;

	if (!w->sliced)
		return run_us;
	for (; run_us > 0; t += RIG_S) {
		int64_t at = t / RIG_S % 100;

		if (at >= from && at < to)
			run_us -= RIG_S;
	}
	return t - w->rig.now_us;
}

static uint32_t draw(struct world *w, uint32_t n)
{
	return (uint32_t)cs_test_draw(&w->rng, n);
}

/* Are the cores those of another one, too?  Slurm lets them only with OVERLAP, and
 * a plan counts them twice. */
static bool crosses(const struct world *w, const struct held *h)
{
	for (uint32_t k = 1; k <= RESVS; k++) {
		const struct held *x = &w->held[k];

		if (x != h && x->is && x->cores & h->cores &&
		    x->first <= h->last && h->first <= x->last)
			return true;
	}
	return false;
}

static void random_reservation(struct world *w)
{
	uint32_t id = 1 + draw(w, RESVS), n = w->rig.machine->n_node;
	uint32_t cores = cs_node_cores(&w->rig.machine->node[0]);
	struct held *h = &w->held[id];

	if (h->is && draw(w, 2)) {
		gone(&w->rig, id);
		h->is = false;
		return;
	}
	h->is = true;
	h->first = draw(w, n);
	h->last = h->first + draw(w, n - h->first);
	h->flags = draw(w, 3) ? 0 : draw(w, 16);
	h->cores = draw(w, 2) ? 1 + cs_test_draw(&w->rng,
						 (UINT64_C(1) << cores) - 1)
			      : 0;
	if (crosses(w, h))
		h->cores = 0;
	h->start_us = (int64_t)draw(w, 400) * RIG_S;
	if (!(h->flags & CS_RESV_FLOAT))
		h->start_us += w->rig.now_us - 200 * RIG_S;
	if (h->start_us < 0)
		h->start_us = 0;
	h->start_us -= h->start_us % RIG_S;
	h->end_us = h->start_us + (1 + (int64_t)draw(w, 500)) * RIG_S;
	h->flags |= draw(w, 3) ? 0 : CS_RESV_LENDS;
	h->delay_s = draw(w, 4);
	reserve_for(&w->rig, id, h->first, h->last, h->cores,
		    h->start_us / RIG_S, h->end_us / RIG_S, h->flags,
		    h->delay_s);
}

static bool meets(const struct held *h, int64_t now, int64_t run)
{
	int64_t from = h->flags & CS_RESV_FLOAT ? now : 0;

	return from + h->start_us < now + run && from + h->end_us > now;
}

/* The cores of node @n that job @id may have from now on: the rules of resv.c, by
 * themselves. */
static uint64_t may_have(const struct world *w, uint32_t id, uint32_t n)
{
	int64_t now = w->rig.now_us, run = stay_us(w, w->run_us[id]);
	const struct held *own = w->in[id] ? &w->held[w->in[id]] : NULL;
	uint64_t all =
		(UINT64_C(1) << cs_node_cores(&w->rig.machine->node[n])) - 1;
	bool in = own != NULL;

	if (own && !own->is)
		own = NULL;
	if (own && !(own->flags & CS_RESV_FLEX)) {
		if (!(own->flags & CS_RESV_FLOAT) &&
		    (now < own->start_us || now > own->end_us))
			return 0;
		if (n < own->first || n > own->last)
			return 0;
		all &= own->cores ? own->cores : all;
	}
	for (uint32_t k = 1; k <= RESVS; k++) {
		const struct held *h = &w->held[k];

		if (!h->is || h == own || n < h->first || n > h->last ||
		    !meets(h, now, run))
			continue;
		if (!in && w->borrows[id] && h->flags & CS_RESV_LENDS &&
		    w->warn_s[id] <= h->delay_s)
			continue;
		if (!in)
			all &= h->cores ? ~h->cores : 0;
		else if (!h->cores && !(own && own->flags & CS_RESV_MAINT) &&
			 !(own && own->flags & CS_RESV_OVERLAP &&
			   !(h->flags & CS_RESV_MAINT)))
			all = 0;
	}
	return all;
}

/* Those that have just started have nothing that they may not. */
static void check_started(struct world *w)
{
	for (uint32_t id = 1; id <= JOBS; id++) {
		struct cs_running r;

		if (w->seen[id] || !w->run_us[id] || !rig_runs(&w->rig, id))
			continue;
		w->seen[id] = true;
		r = rig_running(&w->rig, id);
		for (uint32_t i = 0; i < r.alloc->n_node; i++)
			if (cs_alloc_cores(r.alloc, i)[0] &
			    ~may_have(w, id, r.alloc->node[i].node))
				fail_msg("job %u has cores on node %u that are "
					 "reserved",
					 id, r.alloc->node[i].node);
	}
}

/* Is there room for job @id by core, now? */
static bool fits(struct world *w, uint32_t id)
{
	uint64_t used[64] = { 0 };
	uint32_t all[512], k = 0;
	size_t n = cs_engine_list(w->rig.engine, true, all, 512);

	for (size_t i = 0; i < n; i++) {
		struct cs_running r = rig_running(&w->rig, all[i]);

		for (uint32_t x = 0; x < r.alloc->n_node; x++)
			used[r.alloc->node[x].node] |=
				cs_alloc_cores(r.alloc, x)[0];
	}
	for (uint32_t i = 0; i < w->rig.machine->n_node; i++)
		k += cs_popcount(may_have(w, id, i) & ~used[i]);
	return k >= w->procs[id];
}

static void submit(struct world *w, uint32_t id, const char *profile)
{
	struct cs_job j;

	w->procs[id] = 1 + draw(w, 8);
	w->run_us[id] = (1 + (int64_t)draw(w, 300)) * RIG_S;
	w->in[id] = draw(w, 2) ? 1 + draw(w, RESVS) : 0;
	w->borrows[id] = !draw(w, 3);
	w->warn_s[id] = draw(w, 4);
	j = rig_job(&w->rig, id, w->procs[id], w->run_us[id] / RIG_S, profile);
	j.base_procs = 1; /* as of add_in() */
	j.reservation = w->in[id];
	j.flags |= w->borrows[id] ? CS_JOB_BORROWS : 0;
	j.warn_s = w->warn_s[id];
	rig_submit(&w->rig, &j);
}

static void open_world(struct world *w, const char *policy)
{
	w->sliced = strstr(policy, "slice=pect");
	rig_open(&w->rig, policy, rig_abc, 1 + draw(w, 6),
		 (uint16_t)(1 + draw(w, 2)), (uint16_t)(1 + draw(w, 4)), 0);
}

static void next_end(struct world *w)
{
	int64_t end = rig_next_end_us(&w->rig);
	int64_t wake = cs_engine_next_wakeup_us(w->rig.engine);

	if (end == CS_TIME_NONE && wake == CS_TIME_NONE)
		w->rig.now_us += 20 * RIG_S;
	else if (end <= wake)
		rig_finish_due(&w->rig, end);
	else if (wake > w->rig.now_us)
		w->rig.now_us = wake;
}

/* Nobody gets what is reserved, and with all reservations gone all jobs run. */
static void nobody_gets_what_is_reserved(void **state)
{
	static const char *const policies[] = {
		PACK,
		"policy=pack,backfill=easy",
		"policy=cst",
		"policy=ssp,unprofiled=model",
		"policy=easy,unprofiled=model",
		"policy=glts",
		"policy=cst,share_scope=user",
		"policy=fcfs",
		"policy=conservative,order=slurm",
		"policy=glts+",
		PACK "," SLICED,
		"policy=cst,backfill=conservative," SLICED,
		"policy=conservative,unprofiled=model," SLICED,
	};
	const char *names[] = { "a", "b", "c", NULL };
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(300);

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .rng = cs_test_draw(&rng, UINT64_MAX) };
		struct cs_engine_stats st;
		uint32_t id = 0;

		open_world(
			&w,
			policies[i % (sizeof(policies) / sizeof(policies[0]))]);
		for (int k = 0; k < 4 * JOBS; k++) {
			w.rig.n_log = 0;
			if (!draw(&w, 6))
				random_reservation(&w);
			if (id < JOBS && !draw(&w, 2))
				submit(&w, ++id, names[draw(&w, 4)]);
			else
				next_end(&w);
			rig_decide(&w.rig);
			check_started(&w);
		}
		for (uint32_t h = 1; h <= RESVS; h++)
			if (w.held[h].is) {
				gone(&w.rig, h);
				w.held[h].is = false;
			}
		cs_engine_stats(w.rig.engine, &st);
		for (int k = 0; k < 9 * JOBS && (st.waiting || st.running);
		     k++) {
			w.rig.n_log = 0;
			rig_decide(&w.rig);
			check_started(&w);
			next_end(&w);
			cs_engine_stats(w.rig.engine, &st);
		}
		for (uint32_t n = 1; n <= id; n++)
			if (w.procs[n] <= cs_machine_cores(w.rig.machine) &&
			    !w.seen[n] && cs_engine_could_run(w.rig.engine, n))
				fail_msg("job %u never ran", n);
		rig_close(&w.rig);
	}
}

/* One at a time, by core: who fits starts at once. */
static void who_fits_beside_reservations_starts(void **state)
{
	static const char *const policies[] = {
		PACK,
		"policy=pack,backfill=easy",
		"policy=cst",
		"policy=glts",
	};
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(400);
	uint32_t started = 0, waits = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .rng = cs_test_draw(&rng, UINT64_MAX) };

		open_world(&w, policies[i % 4]);
		for (uint32_t id = 1; id <= JOBS; id++) {
			bool starts;

			w.rig.n_log = 0;
			for (uint32_t k = draw(&w, 3); k; k--)
				random_reservation(&w);
			if (draw(&w, 2))
				next_end(&w);
			submit(&w, id, NULL);
			starts = fits(&w, id);
			rig_decide(&w.rig);
			if (starts != rig_runs(&w.rig, id))
				fail_msg("job %u %s", id,
					 starts ? "fits, and waits"
						: "runs where it does not fit");
			check_started(&w);
			started += starts;
			waits += !starts;
			if (!starts)
				rig_tell(&w.rig, (struct cs_event){
							 .type = CS_EV_CANCEL,
							 .job_id = id });
		}
		rig_close(&w.rig);
	}
	print_message("%u started, %u did not fit\n", started, waits);
	assert_true(started > 1000 && waits > 1000);
}

/*
 * Of 100 s medium jobs have 40 (35 without the overhead): 60 s of one take until 125.
 * What is reserved from 110 on is not for it, though 60 s would have been over by then;
 * what is reserved from 130 on is.
 */
static void slices_do_not_carry_a_job_into_what_is_reserved(void **state)
{
	static const struct {
		int64_t from_s;
		bool starts;
	} row[] = { { 50, false }, { 110, false }, { 130, true } };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		rig_open(
			&r,
			"policy=pect,unprofiled=model,low_load=layout,"
			"class_short_s=10,class_medium_s=100,slice_cycle_s=100,"
			"slice_overhead_s=5,slice_short_s=20,slice_medium=0.4",
			NULL, 4, 1, 1, 0);
		reserve(&r, 7, 0, 3, 0, row[i].from_s, 2000, CS_RESV_MAINT);
		rig_add(&r, 1, 4, 60, NULL);
		rig_at(&r, 0);
		rig_at(&r, 5);
		assert_int_equal(rig_runs(&r, 1), row[i].starts);
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
		cmocka_unit_test(whom_other_reservations_keep_off),
		cmocka_unit_test(
			what_is_lent_is_kept_from_none_who_goes_in_time),
		cmocka_unit_test(a_delay_of_0_is_for_who_wants_no_notice),
		cmocka_unit_test(who_borrows_nothing_waits_for_what_is_lent),
		cmocka_unit_test(
			a_flexible_reservation_keeps_its_jobs_to_nothing),
		cmocka_unit_test(
			all_cores_of_a_node_are_together_for_who_may_have_them),
		cmocka_unit_test(the_host_is_offered_what_reservations_leave),
		cmocka_unit_test(nor_are_other_cores_of_the_node_for_it),
		cmocka_unit_test(
			the_host_is_offered_all_cores_that_it_may_have),
		cmocka_unit_test(a_forecast_is_no_reservation),
		cmocka_unit_test(a_floating_reservation_stays_ahead),
		cmocka_unit_test(
			a_maintenance_ahead_keeps_off_who_would_meet_it),
		cmocka_unit_test(
			jobs_in_a_reservation_share_and_wait_for_each_other),
		cmocka_unit_test(an_option_may_be_in_a_reservation_of_its_own),
		cmocka_unit_test(cores_that_are_not_there_are_refused),
		cmocka_unit_test(nobody_gets_what_is_reserved),
		cmocka_unit_test(who_fits_beside_reservations_starts),
		cmocka_unit_test(
			slices_do_not_carry_a_job_into_what_is_reserved),
	};

	return cmocka_run_group_tests_name("resv", tests, NULL, NULL);
}
