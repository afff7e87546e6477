/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time slices by class of runtime. */
#include "simrig.h"

#include <errno.h>

#include "rig.h"

#include "common/slice/slice.h"
#include "common/slice/slices.h"
#include "common/state/state.h"

/*
 * Short jobs last up to 10 s, medium ones up to 100 s.  In 100 s: perhaps 20 s
 * for short jobs, 40 % of the rest for medium ones, the rest for long ones; each
 * slice begins with 5 s in which no job runs.
 */
#define SLICES                                                   \
	"class_short_s=10,class_medium_s=100,slice_cycle_s=100," \
	"slice_overhead_s=5,slice_short_s=20,slice_medium=0.4"
#define PECT "policy=pect,unprofiled=model,low_load=layout," SLICES

enum { MEDIUM = 60, LONG = 1000 }; /* estimates, s */

static void open_pect(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 4, 1, 1, 0);
}

/* Is it there, and not stopped? */
static bool goes(struct rig *r, uint32_t id)
{
	struct cs_running run;

	return !cs_engine_running(r->engine, id, &run) && !run.suspended;
}

/* At @s a slice of @class begins, that lasts until @until_s. */
static void begins(struct rig *r, int64_t s, enum cs_class class,
		   int64_t until_s)
{
	const struct cs_action *a;

	rig_at(r, s);
	a = rig_last(r, CS_ACT_SLICE, 0);
	if (!a)
		fail_msg("no slice begins at %lld", (long long)s);
	assert_int_equal(a->slice, class);
	assert_int_equal(a->until_us, until_s * RIG_S);
}

static void the_class_is_that_of_the_estimate(void **state)
{
	static const struct {
		int64_t estimate_s;
		enum cs_class class;
	} row[] = {
		{ 1, CS_CLASS_SHORT },	 { 10, CS_CLASS_SHORT },
		{ 11, CS_CLASS_MEDIUM }, { 100, CS_CLASS_MEDIUM },
		{ 101, CS_CLASS_LONG },	 { 100000, CS_CLASS_LONG },
	};
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(
			cs_slice_class(r.engine, row[i].estimate_s * RIG_S),
			row[i].class);
	rig_close(&r);
}

static void slices_come_in_order_and_last_as_shared(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	begins(&r, 0, CS_CLASS_MEDIUM, 40);
	begins(&r, 40, CS_CLASS_LONG, 100);
	begins(&r, 100, CS_CLASS_MEDIUM, 140);
	begins(&r, 140, CS_CLASS_LONG, 200);
	rig_close(&r);
}

static void a_short_slice_comes_only_where_a_short_job_waits(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	begins(&r, 0, CS_CLASS_MEDIUM, 40);
	rig_at(&r, 5);
	rig_add(&r, 2, 4, LONG, NULL);
	rig_add(&r, 3, 4, 10, NULL);
	/* in the middle of an interval it waits */
	begins(&r, 40, CS_CLASS_LONG, 100);
	rig_at(&r, 45);
	assert_false(rig_runs(&r, 3));
	begins(&r, 100, CS_CLASS_SHORT, 120);
	rig_at(&r, 105);
	assert_true(goes(&r, 3));
	rig_finish(&r, 3);
	rig_decide(&r);
	begins(&r, 120, CS_CLASS_MEDIUM, 152);
	begins(&r, 152, CS_CLASS_LONG, 200);
	begins(&r, 200, CS_CLASS_MEDIUM, 240);
	rig_close(&r);
}

static void submit_short(struct rig *r, uint32_t id, uint32_t flags,
			 int64_t eligible_s)
{
	struct cs_job j = rig_job(r, id, 4, 10, NULL);

	j.flags = flags;
	j.eligible_us = eligible_s * RIG_S;
	rig_submit(r, &j);
}

static void a_job_that_may_not_start_gets_no_short_slice(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	submit_short(&r, 3, CS_JOB_BLOCKED, 0);
	submit_short(&r, 4, 0, 225);
	begins(&r, 0, CS_CLASS_MEDIUM, 40);
	begins(&r, 40, CS_CLASS_LONG, 100);
	begins(&r, 100, CS_CLASS_MEDIUM, 140);
	begins(&r, 140, CS_CLASS_LONG, 200);
	begins(&r, 200, CS_CLASS_MEDIUM, 240);
	begins(&r, 240, CS_CLASS_LONG, 300);
	begins(&r, 300, CS_CLASS_SHORT, 320);
	rig_close(&r);
}

static void a_job_that_comes_within_it_gets_a_short_slice(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	submit_short(&r, 2, 0, 110);
	begins(&r, 0, CS_CLASS_MEDIUM, 40);
	begins(&r, 40, CS_CLASS_LONG, 100);
	begins(&r, 100, CS_CLASS_SHORT, 120);
	rig_at(&r, 111);
	assert_true(goes(&r, 2));
	rig_close(&r);
}

static void no_job_runs_in_the_overhead(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 2, MEDIUM, NULL);
	rig_add(&r, 2, 2, LONG, NULL);
	rig_at(&r, 0);
	assert_false(rig_runs(&r, 1) || rig_runs(&r, 2));
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 5 * RIG_S);
	rig_at(&r, 5);
	assert_true(goes(&r, 1) && goes(&r, 2));
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 40 * RIG_S);
	rig_at(&r, 40);
	assert_false(goes(&r, 1) || goes(&r, 2));
	rig_at(&r, 44);
	assert_false(goes(&r, 1) || goes(&r, 2));
	rig_at(&r, 45);
	assert_true(goes(&r, 1) && goes(&r, 2));
	rig_close(&r);
}

static void a_stopped_job_comes_back_on_its_cores(void **state)
{
	struct cs_running run;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 3, MEDIUM, NULL);
	rig_add(&r, 2, 3, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	assert_string_equal(rig_where(&r, 1), "0:0 1:0 2:0");
	rig_at(&r, 40);
	assert_non_null(rig_last(&r, CS_ACT_SUSPEND, 1));
	rig_at(&r, 45);
	assert_true(goes(&r, 2) && !goes(&r, 1));
	rig_at(&r, 100);
	rig_at(&r, 105);
	assert_non_null(rig_last(&r, CS_ACT_RESUME, 1));
	assert_string_equal(rig_where(&r, 1), "0:0 1:0 2:0");
	assert_true(goes(&r, 1) && !goes(&r, 2));
	cs_engine_running(r.engine, 1, &run);
	assert_int_equal(run.ran_us, 35 * RIG_S);
	assert_int_equal(run.end_us, 130 * RIG_S);
	rig_close(&r);
}

/* Job 1 on three nodes of four, then 2 on two, of which one is 1's. */
static void only_who_runs_uses_cores(void **state)
{
	struct cs_engine_stats st;
	struct cs_node_now node;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 3, MEDIUM, NULL);
	rig_add(&r, 2, 2, LONG, NULL);
	for (int64_t s = 0; s <= 45; s += 5) {
		uint32_t runs = s < 5 ? 0 : s < 40 ? 3 : s < 45 ? 0 : 2;
		uint32_t sum = 0;

		rig_at(&r, s);
		cs_engine_stats(r.engine, &st);
		assert_int_equal(st.cores, 4);
		assert_int_equal(st.cores_used, runs);
		assert_int_equal(cs_engine_use(r.engine).cores, runs);
		for (uint32_t n = 0; n < 4; n++) {
			node = cs_engine_node(r.engine, n);
			assert_int_equal(node.jobs, node.used);
			sum += node.used;
		}
		assert_int_equal(sum, runs);
	}
	rig_close(&r);
}

/* Job 2 (long) has the nodes that medium jobs leave, until job 3 wants them. */
static void what_backfills_a_slice_is_displaced_at_once(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 2, MEDIUM, NULL);
	rig_add(&r, 2, 2, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	assert_true(goes(&r, 1) && goes(&r, 2));
	rig_add(&r, 3, 2, MEDIUM, NULL);
	rig_at(&r, 10);
	assert_non_null(rig_last(&r, CS_ACT_SUSPEND, 2));
	assert_true(goes(&r, 3) && !goes(&r, 2));
	assert_string_equal(rig_where(&r, 3), rig_where(&r, 2));
	/* it goes on where it was as soon as they are idle again */
	r.now_us = 20 * RIG_S;
	rig_finish(&r, 3);
	rig_decide(&r);
	assert_true(goes(&r, 2));
	rig_close(&r);
}

/* Nodes of 2 x 2 cores; cg and io are good for each other, mem for none. */
static const char profiles[] =
	"{\"version\":1,\"profiles\":{\"cg\":{},\"io\":{},\"mem\":{}},"
	"\"pairs\":[" RIG_PAIR("cg", "io", "1.05", "1.05") "]}";

#define GLTS                                                                 \
	"policy=glts,slice=pect,share_min_s=0,low_load=layout,layout=model," \
	"unprofiled=model,"

static void expect_going(struct rig *r, uint32_t n, bool want)
{
	for (uint32_t id = 1; id <= n; id++)
		if (goes(r, id) != want)
			fail_msg("job %u %s", id, want ? "stands" : "goes");
}

/* Job 1 shares nodes 0 and 1 with job 2, nodes 2 and 3 with job 3; a medium job
 * wants node 0. */
static void a_group_stops_and_goes_on_as_a_whole(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, GLTS SLICES, profiles, 4, 2, 2, 0);
	rig_add(&r, 1, 8, LONG, "cg");
	rig_add(&r, 2, 4, LONG, "io");
	rig_add(&r, 3, 4, LONG, "io");
	rig_at(&r, 0);
	rig_at(&r, 5);
	expect_going(&r, 3, true);
	assert_string_equal(rig_where(&r, 3), "2:1,3 3:1,3");
	assert_int_equal(rig_start(&r, 2)->partner_id, 1);
	assert_int_equal(rig_start(&r, 3)->partner_id, 1);
	rig_add(&r, 4, 2, MEDIUM, NULL);
	rig_at(&r, 10);
	assert_string_equal(rig_where(&r, 4), "0:0,2");
	expect_going(&r, 3, false);
	/* nor does one of them come back alone to nodes that are idle */
	rig_at(&r, 12);
	assert_true(goes(&r, 4));
	expect_going(&r, 3, false);
	r.now_us = 20 * RIG_S;
	rig_finish(&r, 4);
	rig_decide(&r);
	expect_going(&r, 3, true);
	rig_close(&r);
}

/* What is promised goes by the slices: job 2 (long) needs 2000 s of service, from
 * 40 on 55 s in each 100. */
static void a_long_job_is_promised_in_slice_time(void **state)
{
	int64_t est, max;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, LONG, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	assert_true(rig_runs(&r, 1) && !rig_runs(&r, 2));
	assert_int_equal(cs_engine_promised(r.engine, 2, &est, &max), 0);
	/* 36 slices, then the overhead and 20 s of the next */
	assert_int_equal(est, (40 + 3600 + 5 + 20) * RIG_S * 3 / 4);
	assert_int_equal(max, est * 3 / 2);
	rig_close(&r);
}

/* Does job 3 come beside job 1, though job 2 is later then, at @s? */
static bool group_delays(int64_t s)
{
	struct rig r;
	bool together;

	rig_open(&r,
		 GLTS "slack=10,class_short_s=10,class_medium_s=50,"
		      "slice_cycle_s=100,slice_overhead_s=5,"
		      "slice_short_s=0,slice_medium=0.07",
		 profiles, 4, 2, 2, 0);
	rig_add(&r, 1, 8, 600, "cg");
	rig_add(&r, 2, 8, 60, "mem");
	rig_add(&r, 3, 8, 1000, "io");
	rig_at(&r, 0);
	if (s > 7)
		rig_at(&r, 7);
	rig_at(&r, s);
	assert_true(rig_runs(&r, 1) && !rig_runs(&r, 2));
	together = rig_runs(&r, 3);
	rig_close(&r);
	return together;
}

/* The medium jobs' slice serves from 5 to 7, that of the long ones from 12 on. */
static void a_group_that_backfills_a_slice_delays_nobody(void **state)
{
	(void)state;
	assert_false(group_delays(5));
	assert_true(group_delays(12));
}

/* Job 1 (medium) cannot be stopped at 40: job 2 (long) does not get its nodes
 * before the host has been asked again. */
static void a_refused_stop_is_taken_back(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_add(&r, 2, 2, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	assert_true(goes(&r, 1));
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_at(&r, 40);
	assert_true(goes(&r, 1));
	rig_at(&r, 45);
	assert_true(goes(&r, 1) && !goes(&r, 2));
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 50 * RIG_S);
	rig_at(&r, 50);
	assert_true(goes(&r, 2) && !goes(&r, 1));
	rig_close(&r);
}

static void a_refused_resume_is_taken_back(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	rig_at(&r, 40);
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_at(&r, 45);
	assert_false(goes(&r, 1));
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 55 * RIG_S);
	rig_at(&r, 55);
	assert_true(goes(&r, 1));
	rig_close(&r);
}

/* Job 1 (long) has all nodes, two medium jobs come to two each: if it cannot be
 * stopped, neither may start, though only the first start asked for the stop. */
static void whatever_comes_to_the_nodes_needs_the_stop(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	assert_true(goes(&r, 1));
	rig_add(&r, 2, 2, MEDIUM, NULL);
	rig_add(&r, 3, 2, MEDIUM, NULL);
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_at(&r, 10);
	assert_true(goes(&r, 1) && !rig_runs(&r, 2) && !rig_runs(&r, 3));
	rig_at(&r, 20);
	assert_true(goes(&r, 2) && goes(&r, 3) && !goes(&r, 1));
	rig_close(&r);
}

/* In a short slice job 2 (long) has all nodes, until a short job wants one of those
 * that are not job 1's (medium): that could go on then. */
static void so_does_who_goes_on_there(void **state)
{
	struct rig r;

	(void)state;
	for (int refused = 0; refused < 2; refused++) {
		open_pect(&r, PECT);
		rig_add(&r, 1, 2, MEDIUM, NULL);
		rig_add(&r, 2, 4, LONG, NULL);
		rig_at(&r, 0);
		rig_at(&r, 5);
		rig_at(&r, 40);
		rig_at(&r, 45);
		r.now_us = 90 * RIG_S;
		rig_add(&r, 3, 3, 10, NULL);
		rig_at(&r, 100);
		rig_at(&r, 105);
		assert_true(goes(&r, 3));
		r.now_us = 109 * RIG_S;
		rig_finish(&r, 3);
		rig_decide(&r);
		assert_true(goes(&r, 2) && !goes(&r, 1));
		rig_add(&r, 4, 1, 10, NULL);
		r.refuse = refused ? 2 : 0;
		r.refuse_class = CS_REFUSED_TIMED;
		rig_at(&r, 112);
		assert_int_equal(goes(&r, 2), refused);
		assert_int_equal(goes(&r, 4), !refused);
		assert_int_equal(goes(&r, 1), !refused);
		rig_close(&r);
	}
}

/* Job 4 is matched with job 3 and has node 8 besides, where job 2 runs, of another
 * class. */
static void nor_does_a_group_start_where_one_cannot_be_stopped(void **state)
{
	struct rig r;

	(void)state;
	for (uint32_t refused = 0; refused < 3; refused++) {
		rig_open(&r, GLTS SLICES, profiles, 9, 2, 2, 0);
		rig_add(&r, 1, 16, LONG, "mem");
		rig_add(&r, 2, 2, LONG, "mem");
		rig_at(&r, 0);
		rig_at(&r, 5);
		assert_string_equal(rig_where(&r, 2), "8:0,2");
		rig_add(&r, 3, 16, MEDIUM, "cg");
		rig_add(&r, 4, 18, MEDIUM, "io");
		r.refuse = refused;
		r.refuse_class = CS_REFUSED_TIMED;
		rig_at(&r, 10);
		/* asked again at once, job 3 starts where it can */
		assert_int_equal(goes(&r, 3), refused != 1);
		assert_int_equal(goes(&r, 4), !refused);
		if (!refused)
			assert_int_equal(rig_start(&r, 4)->partner_id, 3);
		rig_close(&r);
	}
}

/* A job that ran before us, on @node; @stopped: by a slice. */
static void found(struct rig *r, uint32_t id, int64_t estimate_s, uint32_t node,
		  bool stopped)
{
	struct cs_alloc *a = cs_alloc_create(1, r->machine->words);
	struct cs_started s = { .job_id = id,
				.start_us = r->now_us - 10 * RIG_S,
				.limit_us = estimate_s * RIG_S,
				.alloc = a };

	assert_non_null(a);
	a->n_node = 1;
	a->node[0].node = node;
	cs_bit_set(cs_alloc_cores(a, 0), 0);
	rig_add(r, id, 1, estimate_s, NULL);
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	if (stopped)
		rig_tell(r, (struct cs_event){ .type = CS_EV_SUSPEND,
					       .keeps = true,
					       .job_id = id });
	cs_alloc_free(a);
}

/* Rule 8: within a medium slice (from 20 to 52 s) the host was started anew. */
static void a_new_engine_goes_on_with_the_slice(void **state)
{
	struct cs_running run;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	r.now_us = 25 * RIG_S;
	found(&r, 1, MEDIUM, 0, false);
	found(&r, 2, LONG, 0, true);
	found(&r, 3, MEDIUM, 1, true);
	rig_at(&r, 25);
	assert_int_equal(rig_last(&r, CS_ACT_SLICE, 0)->slice, CS_CLASS_MEDIUM);
	assert_null(rig_last(&r, CS_ACT_SUSPEND, 1));
	assert_true(goes(&r, 1) && !goes(&r, 2) && goes(&r, 3));
	cs_engine_running(r.engine, 2, &run);
	assert_true(run.stopped && run.keeps);
	rig_at(&r, 52);
	assert_false(goes(&r, 1));
	rig_at(&r, 57);
	assert_true(!goes(&r, 1) && goes(&r, 2));
	rig_close(&r);
}

/* Where none is stopped there were no slices. */
static void a_new_engine_on_a_new_host_has_no_short_slice_late(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	r.now_us = 110 * RIG_S;
	found(&r, 1, MEDIUM, 0, false);
	rig_add(&r, 2, 1, 10, NULL);
	begins(&r, 110, CS_CLASS_MEDIUM, 140);
	rig_close(&r);
}

/* Nor is a slice for short jobs kept where there are none: none would run in it. */
static void a_new_engine_keeps_no_slice_for_nobody(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	r.now_us = 110 * RIG_S;
	found(&r, 1, MEDIUM, 0, true);
	begins(&r, 110, CS_CLASS_MEDIUM, 140);
	assert_true(goes(&r, 1));
	rig_close(&r);
}

/* Rule 8: started anew at any second of an interval with a short slice, it is in the
 * slice that the old engine was in, and whatever ran goes on or comes back. */
static void a_new_engine_is_in_the_slice_of_the_old_one(void **state)
{
	static const int64_t estimate_s[] = { 10, MEDIUM, LONG };
	struct cs_slice_now was, is;
	struct rig old, again;

	(void)state;
	open_pect(&old, PECT);
	for (uint32_t c = 0; c < CS_CLASSES; c++)
		rig_add(&old, c + 1, 4, estimate_s[c], NULL);
	for (int64_t s = 0; s < 300; s++) {
		rig_at(&old, s);
		if (s < 200)
			continue;
		open_pect(&again, PECT);
		again.now_us = s * RIG_S;
		for (uint32_t c = 0; c < CS_CLASSES; c++)
			found(&again, c + 1, estimate_s[c], 0,
			      !goes(&old, c + 1));
		rig_at(&again, s);
		assert_int_equal(cs_slice_now(old.engine, &was), 0);
		assert_int_equal(cs_slice_now(again.engine, &is), 0);
		assert_int_equal(is.class, was.class);
		assert_int_equal(is.serve_us, was.serve_us);
		assert_int_equal(is.end_us, was.end_us);
		for (uint32_t c = 0; c < CS_CLASSES; c++)
			assert_int_equal(goes(&again, c + 1),
					 goes(&old, c + 1));
		rig_close(&again);
	}
	rig_close(&old);
}

/* Two classes run on node 0 before us: what is broken is told again once one has gone. */
static void that_the_host_mixes_classes_is_forgotten(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	r.now_us = 25 * RIG_S;
	found(&r, 1, LONG, 0, false);
	assert_false(r.engine->slices->mixed);
	found(&r, 2, MEDIUM, 0, false);
	assert_true(r.engine->slices->mixed);
	found(&r, 3, LONG, 1, false);
	assert_true(r.engine->slices->mixed);
	rig_finish(&r, 1);
	assert_false(r.engine->slices->mixed);
	rig_close(&r);
}

/* The administrator lets a stopped job go on, and stops one that a slice has. */
static void what_the_host_does_unasked_holds(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 1, MEDIUM, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	rig_at(&r, 40);
	rig_at(&r, 45);
	assert_true(!goes(&r, 1) && goes(&r, 2));
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	rig_at(&r, 100);
	rig_at(&r, 105);
	assert_false(goes(&r, 1));
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 1 });
	rig_at(&r, 106);
	assert_true(goes(&r, 1));
	rig_at(&r, 140);
	rig_at(&r, 145);
	assert_true(!goes(&r, 1) && goes(&r, 2));
	rig_close(&r);
}

/* An administrator suspended it while it ran, or while a slice had it stopped. */
static void what_is_given_back_has_its_turn(void **state)
{
	(void)state;
	for (int stopped = 0; stopped < 2; stopped++) {
		struct rig r;

		open_pect(&r, PECT);
		rig_add(&r, 1, 4, MEDIUM, NULL);
		rig_add(&r, 2, 4, LONG, NULL);
		for (int64_t s = 0; s <= (stopped ? 45 : 10); s += 5)
			rig_at(&r, s);
		assert_int_equal(goes(&r, 1), !stopped);
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.job_id = 1 });
		for (int64_t s = 50; s <= 110; s += 5)
			rig_at(&r, s);
		assert_true(!goes(&r, 1) && goes(&r, 2));
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.keeps = true,
						.job_id = 1 });
		assert_true(rig_running(&r, 1).stopped);
		for (int64_t s = 115; s <= 205; s += 5)
			rig_at(&r, s);
		assert_true(goes(&r, 1) && !goes(&r, 2));
		for (int64_t s = 210; s <= 245; s += 5)
			rig_at(&r, s);
		assert_true(!goes(&r, 1) && goes(&r, 2));
		rig_close(&r);
	}
}

/* ... once no other job of its class has its cores. */
static void what_is_given_back_may_find_its_cores_taken(void **state)
{
	char text[1024];
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	rig_add(&r, 2, 1, MEDIUM, NULL);
	rig_at(&r, 10);
	assert_true(goes(&r, 2));
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	assert_true(rig_running(&r, 1).keeps && !rig_running(&r, 1).stopped);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "is suspended on 4 nodes\n"
			      "  goes on in its time slices as soon as its "
			      "cores are free: jobs of its class have them\n");
	assert_true(goes(&r, 2));
	rig_finish(&r, 2);
	assert_true(rig_running(&r, 1).stopped);
	rig_close(&r);
}

/* Memory of 600 MB a node: without swap a job that is stopped keeps its 400. */
static void a_stopped_job_keeps_its_memory(void **state)
{
	static const char *const params[] = { PECT ",swap=no",
					      PECT ",swap=yes" };

	(void)state;
	for (int row = 0; row < 4; row++) {
		bool swap = row % 2, fits = row < 2;
		struct cs_job j;
		struct rig r;

		rig_open(&r, params[swap], NULL, 1, 1, 1, 600);
		j = rig_job(&r, 1, 1, LONG, NULL);
		j.mem_cpu_mb = 400;
		rig_submit(&r, &j);
		rig_at(&r, 40);
		rig_at(&r, 45);
		assert_true(goes(&r, 1));
		j = rig_job(&r, 2, 1, MEDIUM, NULL);
		j.mem_cpu_mb = fits ? 200 : 400;
		rig_submit(&r, &j);
		rig_at(&r, 100);
		rig_at(&r, 105);
		assert_int_equal(rig_runs(&r, 2), swap || fits);
		assert_int_equal(goes(&r, 1), !swap && !fits);
		rig_close(&r);
	}
}

/* A stop takes its time: all come before any job that needs one; and none is asked
 * twice within slice_rest_s. */
static void stops_come_first_and_not_too_often(void **state)
{
	struct cs_actions a;
	struct rig r;
	bool others = false;

	(void)state;
	open_pect(&r, PECT ",slice_guard_s=3,slice_rest_s=8");
	rig_add(&r, 1, 2, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5); /* a guest of the medium slice */
	assert_true(goes(&r, 1));
	rig_add(&r, 2, 3, MEDIUM, NULL);
	rig_add(&r, 3, 1, MEDIUM, NULL);
	rig_at(&r, 7);
	assert_false(goes(&r, 2)); /* it has just started */
	r.now_us = 14 * RIG_S;
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_true(a.n >= 2);
	for (size_t i = 0; i < a.n; i++) {
		assert_false(others && a.action[i].type == CS_ACT_SUSPEND);
		others |= a.action[i].type != CS_ACT_SUSPEND;
	}
	assert_true(others && a.action[0].type == CS_ACT_SUSPEND);
	rig_close(&r);
}

/* A long job runs on into the medium slice that begins at 100 s and has 5 s of overhead.
 * It is stopped @guard_s before that ends, for the medium job that waits. */
static void stopped_before_the_overhead_ends(int64_t guard_s,
					     const char *params)
{
	struct rig r;

	open_pect(&r, params);
	rig_add(&r, 1, 2, LONG, NULL);
	begins(&r, 0, CS_CLASS_MEDIUM, 40);
	begins(&r, 40, CS_CLASS_LONG, 100);
	rig_at(&r, 45);
	rig_add(&r, 2, 3, MEDIUM, NULL);
	begins(&r, 100, CS_CLASS_MEDIUM, 140);
	assert_int_equal(cs_engine_next_wakeup_us(r.engine),
			 (105 - guard_s) * RIG_S);
	rig_add(&r, 3, 1, 10, NULL); /* short */
	rig_at(&r, 105 - guard_s - 1);
	assert_true(goes(&r, 1) && !goes(&r, 2));
	rig_at(&r, 105 - guard_s);
	assert_non_null(rig_last(&r, CS_ACT_SUSPEND, 1));
	assert_true(goes(&r, 2));
	/* none of another class comes before it has ended */
	assert_int_equal(goes(&r, 3), !guard_s);
	rig_at(&r, 105);
	assert_true(goes(&r, 2) && goes(&r, 3) && !goes(&r, 1));
	rig_close(&r);
}

static void the_pause_after_a_stop_is_part_of_the_overhead(void **state)
{
	(void)state;
	stopped_before_the_overhead_ends(0, PECT ",slice_stop=needed");
	stopped_before_the_overhead_ends(3, PECT
					 ",slice_stop=needed,slice_guard_s=3");
}

enum comes { NOBODY, WAITS, GUEST };

/* Does job 2, of @estimate_s, start at @s in the medium slice, which has until 40 s?  Job 1
 * has three nodes; of the long ones, which have the next slice, job 3 is there too. */
static bool starts_late(const char *params, enum comes who, int64_t estimate_s,
			int64_t s)
{
	struct rig r;
	bool does;

	open_pect(&r, params);
	rig_add(&r, 1, 3, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	if (who != NOBODY)
		rig_add(&r, 3, who == WAITS ? 4 : 1, LONG, NULL);
	rig_at(&r, 10);
	assert_int_equal(rig_runs(&r, 3), who == GUEST);
	rig_at(&r, s);
	rig_add(&r, 2, 1, estimate_s, NULL);
	rig_at(&r, s);
	does = rig_runs(&r, 2);
	rig_close(&r);
	return does;
}

/* Rule 9. */
static void no_job_starts_to_be_stopped_at_once(void **state)
{
	static const char all[] = PECT ",slice_guard_s=3,slice_rest_s=5",
			  needed[] = PECT ",slice_stop=needed,slice_guard_s=3,"
					  "slice_rest_s=5";
	static const struct {
		const char *params;
		enum comes who;
		int64_t estimate_s, last_s; /* at which it starts */
	} row[] = {
		{ PECT, WAITS, MEDIUM, 39 },
		{ all, NOBODY, MEDIUM, 32 },
		{ all, NOBODY, 10, 39 },
		{ needed, NOBODY, MEDIUM, 39 },
		/* who waits has others stopped 3 s before 45 s */
		{ needed, WAITS, MEDIUM, 34 },
		{ needed, WAITS, 10, 39 },
		/* a guest comes back at 40 s */
		{ needed, GUEST, MEDIUM, 32 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (int64_t s = row[i].last_s - 3; s < 40; s++)
			if (starts_late(row[i].params, row[i].who,
					row[i].estimate_s,
					s) != (s <= row[i].last_s))
				fail_msg("row %zu, %lld s", i, (long long)s);
}

/* The host keeps all jobs off @nodes nodes, the first ones, from 0 s until @end_s. */
static void keeps_off(struct rig *r, uint32_t nodes, int64_t end_s)
{
	static const uint32_t node[] = { 0, 1, 2, 3 };
	struct cs_event ev = { .type = CS_EV_RESERVATION, .t_us = r->now_us };
	struct cs_reservation resv = { .id = 7,
				       .n = nodes,
				       .node = node,
				       .end_us = end_s * RIG_S,
				       .flags = CS_RESV_ALL };

	ev.reservation = &resv;
	assert_int_equal(cs_engine_event(r->engine, &ev, NULL), 0);
}

/* A medium job of all nodes has ended in its slice, a long one is stopped beside it. */
static void open_settling(struct rig *r)
{
	open_pect(r, PECT ",slice_guard_s=3,slice_rest_s=5,slice_stop=needed");
	rig_add(r, 1, 4, LONG, NULL);
	rig_at(r, 0);
	rig_at(r, 5); /* a guest */
	assert_true(goes(r, 1));
	rig_add(r, 2, 4, MEDIUM, NULL);
	rig_at(r, 12);
	assert_true(goes(r, 2) && !goes(r, 1));
	r->now_us = 20 * RIG_S;
	rig_finish(r, 2);
	keeps_off(r, 4, 23);
}

static void what_waits_has_nodes_that_settle_before_guests(void **state)
{
	struct rig r;

	(void)state;
	open_settling(&r);
	rig_add(&r, 3, 4, MEDIUM, NULL);
	rig_decide(&r);
	assert_false(goes(&r, 1) || rig_runs(&r, 3));
	r.now_us = 21 * RIG_S;
	keeps_off(&r, 0, 0);
	rig_decide(&r);
	assert_true(goes(&r, 3));
	assert_false(goes(&r, 1));
	rig_close(&r);
	/* none waits: a guest */
	open_settling(&r);
	rig_decide(&r);
	assert_true(goes(&r, 1));
	rig_close(&r);
}

static void guests_do_not_wait_for_ever(void **state)
{
	int64_t s;
	struct rig r;

	(void)state;
	open_settling(&r);
	rig_add(&r, 3, 4, MEDIUM, NULL);
	for (s = 20; s < 40 && !goes(&r, 1); s++) {
		r.now_us = s * RIG_S;
		keeps_off(&r, 4, s + 4);
		rig_decide(&r);
		assert_true(goes(&r, 1) ||
			    cs_engine_next_wakeup_us(r.engine) <= 25 * RIG_S);
	}
	assert_int_equal(s, 26); /* slice_rest_s */
	rig_close(&r);
}

/* In a medium slice: two short jobs on one node of two cores, at once, although the first
 * may not be stopped yet. */
static void guests_of_one_class_share_a_node_at_once(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pect,place=pack," SLICES ",slice_rest_s=5", NULL,
		 1, 1, 2, 0);
	rig_add(&r, 1, 2, MEDIUM, NULL);
	rig_at(&r, 20);
	rig_at(&r, 25);
	assert_true(goes(&r, 1));
	rig_finish(&r, 1);
	rig_add(&r, 2, 1, 5, NULL);
	rig_decide(&r);
	assert_true(goes(&r, 2));
	r.now_us += RIG_S;
	rig_add(&r, 3, 1, 5, NULL);
	rig_decide(&r);
	assert_true(goes(&r, 3));
	rig_close(&r);
}

static void the_next_slices_are_known(void **state)
{
	struct cs_slice_now now;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	assert_int_equal(cs_engine_slice(r.engine, &now), -ENOENT);
	rig_add(&r, 1, 1, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 10);
	assert_int_equal(cs_engine_slice(r.engine, &now), 0);
	assert_int_equal(now.class, CS_CLASS_MEDIUM);
	assert_int_equal(now.serve_us, 5 * RIG_S);
	assert_int_equal(now.end_us, 40 * RIG_S);
	assert_int_equal(now.next_us[CS_CLASS_SHORT], 105 * RIG_S);
	assert_int_equal(now.next_us[CS_CLASS_MEDIUM], 105 * RIG_S);
	assert_int_equal(now.next_us[CS_CLASS_LONG], 45 * RIG_S);
	rig_add(&r, 3, 4, LONG, NULL);
	rig_at(&r, 11);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 3, NULL),
			 45 * RIG_S);
	assert_int_equal(cs_engine_class(r.engine, 1), CS_CLASS_MEDIUM);
	assert_int_equal(cs_engine_class(r.engine, 2), CS_CLASSES);
	rig_close(&r);
}

static bool at_clock(int64_t at_us, bool seconds, char *buf, size_t size)
{
	snprintf(buf, size, seconds ? "00:%02d:%02d" : "00:%02d",
		 (int)(at_us / RIG_S / 60), (int)(at_us / RIG_S % 60));
	return true;
}

/* Medium job 1 has all nodes until 40; short 2, 3 and 4 of ten seconds wait for their
 * slices of fifteen, long 5 for its own. */
static void explain_and_top_tell_the_same_slice(void **state)
{
	static const int64_t starts_s[] = { 105, 115, 210, 45 };
	const struct cs_audience to = { .clock = at_clock };
	char text[1024], says[80];
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	for (uint32_t id = 2; id <= 4; id++)
		rig_add(&r, id, 4, 10, NULL);
	rig_add(&r, 5, 4, LONG, NULL);
	for (int64_t s = 10; s <= 30; s += 10) {
		rig_at(&r, s);
		for (uint32_t id = 2; id <= 5; id++) {
			const char *name = id < 5 ? "short" : "long";
			int64_t turn_s = id < 5 ? 105 : 45;

			assert_int_equal(
				cs_engine_host_start_us(r.engine, id, NULL),
				starts_s[id - 2] * RIG_S);
			cs_explain(r.engine, id, &to, text, sizeof(text));
			snprintf(
				says, sizeof(says),
				"waits: %s slice at 00:0%d:%02d, in 0:0%d:%02d; ",
				name, (int)turn_s / 60, (int)turn_s % 60,
				(int)(turn_s - s) / 60, (int)(turn_s - s) % 60);
			assert_contains(text, says);
			snprintf(says, sizeof(says),
				 "; starts in 0:0%d:%02d at the latest",
				 (int)(starts_s[id - 2] - s) / 60,
				 (int)(starts_s[id - 2] - s) % 60);
			assert_contains(text, says);
			snprintf(says, sizeof(says),
				 "\n  %d of %d in the queue of its class, ",
				 id < 5 ? (int)id - 1 : 1, id < 5 ? 3 : 1);
			assert_contains(text, says);
			cs_explain_reason(r.engine, id, &to, text,
					  sizeof(text));
			snprintf(says, sizeof(says),
				 "%s slice at 00:0%d:%02d; ", name,
				 (int)turn_s / 60, (int)turn_s % 60);
			assert_memory_equal(text, says, strlen(says));
		}
	}
	rig_close(&r);
}

/* Of one that a reservation keeps off, in its slices and in others'. */
static void explain_names_a_reservation_to_come(void **state)
{
	static const uint32_t node[] = { 0, 1, 2, 3 };
	static const char why[] =
		"a reservation that is not its own keeps nodes that it could use";
	struct cs_reservation v = { .id = 1,
				    .n = 4,
				    .node = node,
				    .start_us = 900 * RIG_S,
				    .end_us = 950 * RIG_S };
	char text[1024];
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, LONG, NULL);
	rig_add(&r, 2, 4, MEDIUM, NULL);
	for (int64_t s = 0; s <= 50; s += 5) {
		rig_at(&r, s);
		cs_explain(r.engine, 1, NULL, text, sizeof(text));
		assert_null(strstr(text, why));
	}
	rig_close(&r);

	open_pect(&r, PECT);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
					.reservation = &v });
	rig_add(&r, 1, 4, LONG, NULL);
	rig_add(&r, 2, 4, MEDIUM, NULL);
	for (int64_t s = 5; s <= 100; s += 5) {
		rig_at(&r, s);
		cs_explain(r.engine, 1, NULL, text, sizeof(text));
		assert_contains(text, why);
		assert_contains(text, " (scontrol show reservation)");
		cs_explain_reason(r.engine, 1, NULL, text, sizeof(text));
		assert_contains(text, why);
		assert_null(strstr(text, "scontrol"));
	}
	rig_close(&r);
}

/* Not its slice, which it would not have. */
static void explain_says_first_that_a_job_is_held(void **state)
{
	char text[1024];
	struct cs_job j;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	j = rig_job(&r, 2, 4, LONG, NULL);
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	for (int64_t s = 6; s <= 45; s += 3) {
		rig_at(&r, s);
		cs_explain(r.engine, 2, NULL, text, sizeof(text));
		assert_contains(text,
				"job 2 (no profile) waits: held back by "
				"Slurm (hold, dependency, limit, license)");
		assert_null(strstr(text, "slice"));
	}
	rig_close(&r);
}

/* Of 1, medium, 60 s are to do, 35 in each slice of its own. */
static void explain_says_when_a_stopped_job_goes_on(void **state)
{
	char text[1024];
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "  ends in 0:02:05 if it uses all the time that "
			      "its user requested, in its own time slices "
			      "alone\n");
	rig_at(&r, 40);
	rig_at(&r, 45);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "is stopped between its time slices on 4 nodes\n"
			      "  goes on in 0:01:00: the next medium slice\n"
			      "  ends in 0:01:25 if it uses");
	assert_int_equal(cs_engine_again_us(r.engine, 1), 105 * RIG_S);
	rig_at(&r, 100);
	/* in the overhead of its own slice, too */
	assert_int_equal(cs_engine_again_us(r.engine, 1), 105 * RIG_S);
	rig_at(&r, 105);
	assert_int_equal(cs_engine_latest_us(r.engine, 1), 130 * RIG_S);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "  ends in 0:00:25 if it uses all the time that "
			      "its user requested\n");
	rig_close(&r);
}

/* One look at @id, of two jobs: as long as both are there, the first look at its end is
 * right; one that has done its estimate ends. */
static void look_at_end(struct rig *r, uint32_t id, int64_t *end_us)
{
	bool both = cs_engine_list(r->engine, true, NULL, 0) == 2;
	struct cs_running run;
	int64_t ran;

	if (cs_engine_running(r->engine, id, &run))
		return;
	ran = run.ran_us + (run.suspended ? 0 : r->now_us - run.at_us);
	if (both && !*end_us)
		*end_us = cs_engine_latest_us(r->engine, id);
	if (ran >= run.estimate_us) {
		if (both)
			assert_int_equal(*end_us, r->now_us);
		rig_finish(r, id);
		rig_decide(r);
	} else if (both) {
		assert_int_equal(*end_us, cs_engine_latest_us(r->engine, id));
	}
}

/* Two jobs take turns on all nodes. */
static void the_end_on_the_hosts_clock_is_the_one_that_comes(void **state)
{
	static const char *const params[] = {
		PECT,
		PECT ",slice_shares=00:00/0.4",
		"policy=brmms,slice=gang,slot_s=20,unprofiled=model",
	};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		int64_t end_us[2] = { 0, 0 };
		struct rig r;

		open_pect(&r, params[k]);
		rig_add(&r, 1, 4, 93, NULL);
		rig_add(&r, 2, 4, 237, NULL);
		for (int64_t s = 0; s < 1000; s++) {
			rig_at(&r, s);
			look_at_end(&r, 1, &end_us[0]);
			look_at_end(&r, 2, &end_us[1]);
		}
		assert_true(end_us[0] && end_us[1]);
		assert_int_equal(cs_engine_list(r.engine, true, NULL, 0), 0);
		rig_close(&r);
	}
}

/* Without overhead a job of the next slice too is stopped, then goes on. */
static void a_slice_without_overhead_stops_and_resumes_in_turn(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, "policy=pect,unprofiled=model,class_short_s=10,"
		      "class_medium_s=100,slice_cycle_s=100,slice_short_s=0,"
		      "slice_overhead_s=0");
	rig_add(&r, 1, 4, LONG, NULL);
	rig_at(&r, 0);
	assert_true(goes(&r, 1));
	rig_at(&r, 30);
	assert_non_null(rig_last(&r, CS_ACT_SUSPEND, 1));
	assert_non_null(rig_last(&r, CS_ACT_RESUME, 1));
	assert_true(goes(&r, 1));
	rig_close(&r);
}

/* Shares by time of day. */

/* Intervals of 6 h, without overhead. */
#define DAY                                                              \
	"policy=pect,unprofiled=model,low_load=layout,class_short_s=10," \
	"class_medium_s=100,slice_cycle_s=21600,slice_overhead_s=0"
#define HOUR INT64_C(3600)

/* The medium slices of intervals from the clock's 0 on last so long, in s. */
static void mediums_last(const char *params, const int64_t *want, size_t n)
{
	struct rig r;

	open_pect(&r, params);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	for (size_t i = 0; i < n; i++) {
		int64_t from = (int64_t)i * 6 * HOUR;

		begins(&r, from, CS_CLASS_MEDIUM, from + want[i]);
		begins(&r, from + want[i], CS_CLASS_LONG, from + 6 * HOUR);
	}
	rig_close(&r);
}

static void shares_go_by_the_time_of_day(void **state)
{
	static const int64_t row[] = { 5400, 10800, 10800, 5400, 5400, 10800 };

	(void)state;
	/* the last of the list goes on over midnight */
	mediums_last(DAY ",slice_shares=06:00/0.5+18:00/0.25", row, 6);
	/* an edge within an interval counts from the next one on */
	mediums_last(DAY ",slice_shares=00:01/0.5+17:59/0.25", row, 6);
}

static void shares_may_change_at_midnight(void **state)
{
	static const int64_t row[] = { 8640, 8640, 4320, 4320, 8640 };
	static const int64_t one[] = { 2160, 2160, 2160, 2160, 2160 };

	(void)state;
	mediums_last(DAY ",slice_shares=00:00/0.4+12:00/0.2", row, 5);
	mediums_last(DAY ",slice_shares=23:59/0.1", one, 5);
}

static void the_time_of_day_is_that_of_the_zone_and_the_clock(void **state)
{
	static const int64_t east[] = { 10800, 10800, 5400, 5400, 10800 };
	static const int64_t west[] = { 5400, 5400, 10800, 10800, 5400 };

	(void)state;
	mediums_last(DAY ",slice_shares=06:00/0.5+18:00/0.25,"
			 "slice_zone_s=21600",
		     east, 5);
	mediums_last(DAY ",slice_shares=06:00/0.5+18:00/0.25,"
			 "slice_zone_s=-21600",
		     west, 5);
	/* 1997-01-01, 06:00 and 12:00 */
	mediums_last(DAY ",slice_shares=06:00/0.5+18:00/0.25,"
			 "unix_start_s=852098400",
		     east, 5);
	mediums_last(DAY ",slice_shares=06:00/0.5+18:00/0.25,"
			 "unix_start_s=852120000,slice_zone_s=-21600",
		     east, 5);
}

/* W 1 to 9 and V 9 to 1: half each; twice as many long jobs have W and V twice: a third
 * for the medium one.  To a microsecond. */
static void shares_go_by_the_root_of_the_load(void **state)
{
	const struct cs_action *a;
	struct rig r;

	(void)state;
	for (uint32_t longs = 1; longs <= 2; longs++) {
		int64_t want = 100 * RIG_S / (1 + longs);

		open_pect(&r, PECT ",slice_shares=load");
		rig_add(&r, 1, 4, MEDIUM, NULL);
		for (uint32_t i = 0; i < longs; i++)
			rig_add(&r, 2 + i, 4, 9 * MEDIUM, NULL);
		rig_at(&r, 0);
		a = rig_last(&r, CS_ACT_SLICE, 0);
		assert_non_null(a);
		assert_int_equal(a->slice, CS_CLASS_MEDIUM);
		assert_in_range(a->until_us, want - 1, want + 1);
		rig_close(&r);
	}
	/* within slice_least */
	open_pect(&r, PECT ",slice_shares=load,slice_least=0.4");
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_add(&r, 2, 4, 9 * MEDIUM, NULL);
	rig_add(&r, 3, 4, 9 * MEDIUM, NULL);
	begins(&r, 0, CS_CLASS_MEDIUM, 40);
	rig_close(&r);
}

/* Jobs of two nodes: at the end of the medium job 1's slice long job 2 goes on where it
 * is, and so does job 1; where job 1 came to nodes of a long one, that has them back. */
static void what_is_not_in_the_way_is_not_stopped(void **state)
{
	struct rig r;

	(void)state;
	for (int in_the_way = 0; in_the_way < 2; in_the_way++) {
		open_pect(&r, PECT ",slice_stop=needed");
		rig_add(&r, 2, 2, LONG, NULL);
		if (in_the_way)
			rig_add(&r, 3, 2, LONG, NULL);
		rig_at(&r, 0);
		rig_at(&r, 5);
		rig_at(&r, 40);
		rig_at(&r, 45);
		assert_true(goes(&r, 2));
		rig_add(&r, 1, 2, MEDIUM, NULL);
		rig_at(&r, 100);
		rig_at(&r, 105);
		assert_true(goes(&r, 1));
		assert_int_equal(goes(&r, 2) + (in_the_way && goes(&r, 3)), 1);
		rig_at(&r, 140);
		assert_int_equal(goes(&r, 1), !in_the_way);
		rig_at(&r, 145);
		assert_int_equal(goes(&r, 1), !in_the_way);
		assert_int_equal(goes(&r, 2) + (in_the_way && goes(&r, 3)),
				 1 + in_the_way);
		rig_close(&r);
	}
}

/* Second by second, for a class that has no slice now. */
static int64_t naive_wall_s(const struct cs_engine *e, enum cs_class class,
			    int64_t t, int64_t service_s)
{
	const struct cs_params *p = &e->params;
	int64_t I = p->slice_cycle_s, o = p->slice_overhead_s;
	int64_t first = p->slice_expect_short ? p->slice_short_s : 0;

	for (bool own = false;; t++) {
		int64_t at = t % I, edge, i = e->slices->n_day;
		int64_t from;
		int64_t day_s = (t - at + p->slice_zone_s + 86400) % 86400;

		while (i && e->slices->day[i - 1].from_s > day_s)
			i--;
		i = i ? i : e->slices->n_day; /* 0: the same all day */
		edge = (int64_t)((i ? e->slices->day[i - 1].medium
				    : p->slice_medium) *
				 (double)(I - first) * 1e6);
		assert_int_equal(edge % RIG_S, 0);
		edge = first + edge / RIG_S;
		/* a slice that has begun is not counted */
		from = class == CS_CLASS_MEDIUM ? first : edge;
		own |= at == from;
		if (!own || at < first ||
		    (class == CS_CLASS_MEDIUM) != (at < edge))
			continue;
		if (at - from < o)
			continue;
		if (!--service_s)
			return t + 1;
	}
}

/* When a job will have been served, days ahead. */
static void predictions_go_by_the_shares_to_come(void **state)
{
	uint64_t rng = cs_test_seed(), rounds = cs_test_worlds(200);

	(void)state;
	for (uint64_t i = 0; i < rounds; i++) {
		enum cs_class class =
			cs_test_draw(&rng, 2) ? CS_CLASS_MEDIUM : CS_CLASS_LONG;
		int64_t t = (int64_t)cs_test_draw(&rng, 200000);
		int64_t service = 1 + (int64_t)cs_test_draw(&rng, 60000);
		int64_t wall, naive;
		char params[512];
		struct rig r;

		snprintf(params, sizeof(params),
			 "policy=pect,slice_cycle_s=%d,slice_overhead_s=60,"
			 "slice_expect_short=%s,"
			 "slice_shares=0%d:30/0.%d+1%d:00/0.%d,"
			 "slice_zone_s=%d",
			 i % 2 ? 3600 : 7200, i % 3 ? "yes" : "no",
			 (int)cs_test_draw(&rng, 10),
			 1 + (int)cs_test_draw(&rng, 9),
			 (int)cs_test_draw(&rng, 10),
			 1 + (int)cs_test_draw(&rng, 9),
			 1800 * ((int)cs_test_draw(&rng, 97) - 48));
		if (i % 5 == 4) /* the same every day */
			strcpy(strstr(params, ",slice_shares"),
			       ",slice_medium=0.25");
		open_pect(&r, params);
		r.engine->now_us = t * RIG_S;
		wall = r.engine->slice->wall_us(r.engine, &r.engine->sms[class],
						service * RIG_S);
		naive = naive_wall_s(r.engine, class, t, service) * RIG_S;
		/* a share of an interval is cut off to a microsecond */
		assert_in_range(wall, naive - 500, naive + 500);
		rig_close(&r);
	}
}

/* Random traces through the simulator, its event log through the checker; the
 * classes on each node are checked by test_random. */

static void simulated_logs_hold(void **state)
{
	static const char *const params[] = {
		PECT,
		PECT
		",slice_shares=load,slice_stop=needed,slice_expect_short=yes",
		PECT ",slice_shares=00:10/0.7+00:30/0.2,slice_zone_s=-3600",
		"policy=glts,slice=pect,slowdowns=table4,share_min_s=10,"
		"min_util_gain=0," SLICES,
		"policy=glts,slice=pect,slowdowns=table4,share_min_s=10,"
		"class_short_s=10,class_medium_s=100,slice_cycle_s=60,"
		"slice_overhead_s=0,slice_short_s=0",
	};
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(40);

	(void)state;
	for (uint64_t round = 0; round < worlds; round++) {
		struct simrig r;
		double at = 0;

		simrig_open(&r, "6x2x2", params[round % 5], NULL);
		for (uint32_t id = 1; id <= 60; id++) {
			double run = 1 + (double)cs_test_draw(&rng, 300);

			at += (double)cs_test_draw(&rng, 40);
			simrig_add(&r, id, at,
				   1 + (uint32_t)cs_test_draw(&rng, 16), run,
				   run + (double)cs_test_draw(&rng, 100), -1);
		}
		simrig_run_checked(&r);
		simrig_close(&r);
	}
}

/* Slices that are all overhead (a list of parameters with them is refused): the
 * job waits for ever, and so do those behind it. */
static void slices_that_serve_nobody_are_an_error(void **state)
{
	struct cs_sim_result result;
	struct cs_err err = { "" };
	struct simrig r;

	(void)state;
	simrig_open(&r, "4x1x1", PECT, NULL);
	simrig_add(&r, 1, 0, 4, 60, 60, 1);
	simrig_add(&r, 2, 7, 4, 60, 60, 1);
	r.params.slice_overhead_s = 100;
	assert_int_equal(cs_sim_run(&r.options, &r.trace, &result, &err),
			 -EINVAL);
	assert_contains(err.text, "2 of 2 jobs wait for ever, the first is "
				  "job 1");
	simrig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_class_is_that_of_the_estimate),
		cmocka_unit_test(slices_come_in_order_and_last_as_shared),
		cmocka_unit_test(
			a_short_slice_comes_only_where_a_short_job_waits),
		cmocka_unit_test(a_job_that_may_not_start_gets_no_short_slice),
		cmocka_unit_test(a_job_that_comes_within_it_gets_a_short_slice),
		cmocka_unit_test(only_who_runs_uses_cores),
		cmocka_unit_test(explain_and_top_tell_the_same_slice),
		cmocka_unit_test(explain_names_a_reservation_to_come),
		cmocka_unit_test(explain_says_first_that_a_job_is_held),
		cmocka_unit_test(explain_says_when_a_stopped_job_goes_on),
		cmocka_unit_test(
			the_end_on_the_hosts_clock_is_the_one_that_comes),
		cmocka_unit_test(a_new_engine_goes_on_with_the_slice),
		cmocka_unit_test(
			a_new_engine_on_a_new_host_has_no_short_slice_late),
		cmocka_unit_test(a_new_engine_keeps_no_slice_for_nobody),
		cmocka_unit_test(a_new_engine_is_in_the_slice_of_the_old_one),
		cmocka_unit_test(that_the_host_mixes_classes_is_forgotten),
		cmocka_unit_test(what_the_host_does_unasked_holds),
		cmocka_unit_test(what_is_given_back_has_its_turn),
		cmocka_unit_test(what_is_given_back_may_find_its_cores_taken),
		cmocka_unit_test(a_stopped_job_keeps_its_memory),
		cmocka_unit_test(stops_come_first_and_not_too_often),
		cmocka_unit_test(
			the_pause_after_a_stop_is_part_of_the_overhead),
		cmocka_unit_test(no_job_starts_to_be_stopped_at_once),
		cmocka_unit_test(
			what_waits_has_nodes_that_settle_before_guests),
		cmocka_unit_test(guests_do_not_wait_for_ever),
		cmocka_unit_test(guests_of_one_class_share_a_node_at_once),
		cmocka_unit_test(the_next_slices_are_known),
		cmocka_unit_test(no_job_runs_in_the_overhead),
		cmocka_unit_test(a_stopped_job_comes_back_on_its_cores),
		cmocka_unit_test(what_backfills_a_slice_is_displaced_at_once),
		cmocka_unit_test(a_group_stops_and_goes_on_as_a_whole),
		cmocka_unit_test(a_long_job_is_promised_in_slice_time),
		cmocka_unit_test(a_group_that_backfills_a_slice_delays_nobody),
		cmocka_unit_test(a_refused_stop_is_taken_back),
		cmocka_unit_test(a_refused_resume_is_taken_back),
		cmocka_unit_test(whatever_comes_to_the_nodes_needs_the_stop),
		cmocka_unit_test(so_does_who_goes_on_there),
		cmocka_unit_test(
			nor_does_a_group_start_where_one_cannot_be_stopped),
		cmocka_unit_test(
			a_slice_without_overhead_stops_and_resumes_in_turn),
		cmocka_unit_test(shares_go_by_the_time_of_day),
		cmocka_unit_test(shares_go_by_the_root_of_the_load),
		cmocka_unit_test(what_is_not_in_the_way_is_not_stopped),
		cmocka_unit_test(shares_may_change_at_midnight),
		cmocka_unit_test(
			the_time_of_day_is_that_of_the_zone_and_the_clock),
		cmocka_unit_test(predictions_go_by_the_shares_to_come),
		cmocka_unit_test(simulated_logs_hold),
		cmocka_unit_test(slices_that_serve_nobody_are_an_error),
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
