/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time slices by class of runtime: who runs, stops and goes on. */
#include "slicerig.h"

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
		cmocka_unit_test(a_stopped_job_keeps_its_memory),
		cmocka_unit_test(stops_come_first_and_not_too_often),
		cmocka_unit_test(
			the_pause_after_a_stop_is_part_of_the_overhead),
		cmocka_unit_test(no_job_starts_to_be_stopped_at_once),
		cmocka_unit_test(
			what_waits_has_nodes_that_settle_before_guests),
		cmocka_unit_test(guests_do_not_wait_for_ever),
		cmocka_unit_test(guests_of_one_class_share_a_node_at_once),
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
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
