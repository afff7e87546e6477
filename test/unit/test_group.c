/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of a primary job and its matched ones: the five cases, who may
 * be matched, the life of a group, the fairness check (Zeng09, sections 4.4 to 4.6).
 */
#include "cs_test.h"
#include "rig.h"

/*
 * Nodes of 2 x 2 cores.  cg and io are good for each other, net is worse, mem and
 * strangers (unknown_pair 1.5) never share; dense is best on all cores of a node;
 * free slows nobody.
 */
#define SELF2 "\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}"

static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	" \"cg\":{" SELF2 "},"
	" \"io\":{\"self\":{\"1\":1.0,\"2\":1.02,\"4\":1.5}},"
	" \"net\":{" SELF2 "}, \"mem\":{" SELF2 "}, \"free\":{" SELF2 "},"
	" \"dense\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.2}}},"
	"\"pairs\":[" RIG_PAIR("cg", "io", "1.05", "1.10") "," RIG_PAIR(
		"cg", "net", "1.20",
		"1.20") "," RIG_PAIR("cg", "free", "1.0",
				     "1.0") ","
					    "{\"of\":\"free\",\"beside\":\"free\",\"slowdown\":1.0}," RIG_PAIR(
						    "dense", "io", "1.05",
						    "1.10") "," RIG_PAIR("dense",
									 "net",
									 "1.25",
									 "1.25") "]}";

#define GLTS "policy=glts"

static void open_glts(struct rig *r, const char *params, uint32_t nodes)
{
	rig_open(r, params, profiles, nodes, 2, 2, 0);
}

/* Case 1 .. 5 of section 4.4. */

static void case_1_a_waiting_job_with_several_waiting_ones(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 8, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_add(&r, 3, 4, 600, "io");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2 2:0,2 3:0,2");
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3");
	assert_string_equal(rig_where(&r, 3), "2:1,3 3:1,3");
	for (uint32_t id = 1; id <= 3; id++) {
		const struct cs_action *a = rig_start(&r, id);

		assert_int_equal(a->rule, 1);
		assert_int_equal(a->group, rig_start(&r, 1)->group);
		assert_int_equal(a->role,
				 id == 1 ? CS_ROLE_PRIMARY : CS_ROLE_MATCHED);
		assert_int_equal(a->partner_id, id == 1 ? 2 : 1);
	}
	assert_close(rig_running(&r, 1).slowdown, 1.05 * 1.05, 1e-12);
	assert_close(rig_running(&r, 2).slowdown, 1.02 * 1.10, 1e-12);
	rig_close(&r);
}

/* Two pairs could form.  With few steps the second one waits for another decide. */
static void searches_of_a_decide_come_to_an_end(void **state)
{
	static const struct {
		const char *params;
		uint32_t groups;
	} row[] = { { GLTS, 2 },
		    { GLTS ",search_steps=1000", 2 },
		    { GLTS ",search_steps=10", 1 },
		    { GLTS ",search_steps=1", 0 },
		    { "policy=cst,backfill=easy", 2 },
		    { "policy=cst,backfill=easy,search_steps=2", 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint32_t groups = 0;
		struct cs_actions a;
		struct rig r;

		open_glts(&r, row[i].params, 4);
		for (uint32_t id = 1; id <= 4; id++)
			rig_add(&r, id, 4, 600, id % 2 ? "cg" : "io");
		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		for (size_t k = 0; k < a.n; k++)
			groups += a.action[k].type == CS_ACT_START &&
				  a.action[k].role == CS_ROLE_PRIMARY;
		if (groups != row[i].groups)
			fail_msg("%s: %u groups", row[i].params, groups);
		rig_close(&r);
	}
}

/* Of Zeng09, section 5.3: fewer than 4 candidates.  All of them are matched, so there
 * is one search. */
static void a_search_is_counted_by_its_candidates(void **state)
{
	static const struct {
		uint32_t candidates, none, few;
	} row[] = { { 0, 1, 1 }, { 1, 0, 1 }, { 3, 0, 1 }, { 4, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_engine_stats st;
		struct rig r;

		open_glts(&r, GLTS ",cases=14,low_load=layout", 4);
		rig_add(&r, 1, 8, 600, "cg");
		for (uint32_t k = 0; k < row[i].candidates; k++)
			rig_add(&r, 2 + k, 2, 600, "io");
		rig_decide(&r);
		for (uint32_t k = 0; k < row[i].candidates; k++)
			assert_int_equal(rig_running(&r, 2 + k).partner_id, 1);
		cs_engine_stats(r.engine, &st);
		assert_int_equal(st.searches.all, 1);
		assert_int_equal(st.searches.none, row[i].none);
		assert_int_equal(st.searches.few, row[i].few);
		rig_close(&r);
	}
}

static void case_2_a_waiting_job_with_several_running_ones(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 4, 600, "io");
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "2:0,2 3:0,2");
	rig_add(&r, 3, 8, 600, "cg");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:1,3 1:1,3 2:1,3 3:1,3");
	assert_int_equal(rig_start(&r, 3)->rule, 2);
	assert_int_equal(rig_running(&r, 3).role, CS_ROLE_PRIMARY);
	for (uint32_t id = 1; id <= 2; id++) {
		assert_int_equal(rig_running(&r, id).role, CS_ROLE_MATCHED);
		assert_int_equal(rig_running(&r, id).partner_id, 3);
		assert_non_null(rig_last(&r, CS_ACT_JOINED, id));
	}
	rig_close(&r);
}

/* The second running job leaves two of the nodes empty. */
static void case_2_takes_empty_nodes_for_the_rest(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 4, 600, "io");
	rig_decide(&r);
	rig_add(&r, 3, 8, 600, "cg");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 3)->rule, 2);
	assert_string_equal(rig_where(&r, 3), "0:1,3 1:1,3 2:0,2 3:0,2");
	rig_close(&r);
}

static void case_3_a_running_job_with_several_waiting_ones(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 8, 600, "cg");
	rig_decide(&r);
	rig_add(&r, 2, 4, 600, "io");
	rig_add(&r, 3, 4, 600, "io");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3");
	assert_string_equal(rig_where(&r, 3), "2:1,3 3:1,3");
	for (uint32_t id = 2; id <= 3; id++) {
		assert_int_equal(rig_start(&r, id)->rule, 3);
		assert_int_equal(rig_running(&r, id).group,
				 rig_running(&r, 1).group);
		assert_int_equal(rig_running(&r, id).partner_id, 1);
	}
	assert_int_equal(rig_running(&r, 1).role, CS_ROLE_PRIMARY);
	rig_close(&r);
}

/* Jobs 1 and 2 run, neither delayed, and leave no node: beside whom comes job 3? */
static void running_prim_num_counts_those_that_suit(void **state)
{
	static const struct {
		const char *most, *first, *second, *third;
		uint32_t with;
	} row[] = {
		{ "1", "mem", "cg", "io", 2 },
		{ "1", "net", "io", "cg", 1 },
		{ "2", "net", "io", "cg", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char params[128];
		struct rig r;

		snprintf(params, sizeof(params),
			 GLTS ",cases=34,slack=3,running_prim_num=%s",
			 row[i].most);
		open_glts(&r, params, 4);
		rig_add(&r, 1, 4, 600, row[i].first);
		rig_add(&r, 2, 4, 600, row[i].second);
		rig_decide(&r);
		rig_add(&r, 3, 4, 600, row[i].third);
		rig_decide(&r);
		assert_true(rig_runs(&r, 3));
		assert_int_equal(rig_start(&r, 3)->rule, 3);
		assert_int_equal(rig_running(&r, 3).partner_id, row[i].with);
		rig_close(&r);
	}
}

static void case_4_alone_on_a_part_of_the_cores(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 8, 600, "cg");
	rig_add(&r, 2, 8, 600, "mem");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->rule, 4);
	assert_int_equal(rig_start(&r, 1)->group, 0);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2 2:0,2 3:0,2");
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

static void case_5_alone_on_all_cores(void **state)
{
	static const struct {
		const char *params;
		bool all;
	} row[] = {
		{ GLTS, true },
		{ GLTS ",cases=1234", false },
		{ "policy=cst", false },
		{ "policy=cst,cases=12345", true },
		{ "policy=cst,layout=dense", true },
		{ "policy=cst,backfill=easy", false },
		{ "policy=cst,backfill=easy,cases=12345", true },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		open_glts(&r, row[i].params, 4);
		rig_add(&r, 1, 8, 600, "dense");
		rig_decide(&r);
		assert_int_equal(rig_start(&r, 1)->rule, row[i].all ? 5 : 4);
		assert_string_equal(rig_where(&r, 1),
				    row[i].all ? "0:0,1,2,3 1:0,1,2,3"
					       : "0:0,2 1:0,2 2:0,2 3:0,2");
		rig_close(&r);
	}
}

/* Alone: 8 / 1.2 / 2 - 1 = 2.33.  With io: 8 / (1.05 * 1.05) + 8 / (1.02 * 1.1)
 * = 14.39 on 4 nodes: 2.60.  With net: 16 / (1.05 * 1.25) / 4 - 1 = 2.05. */
static void the_highest_gain_is_taken(void **state)
{
	struct rig r;

	(void)state;
	for (int io = 0; io < 2; io++) {
		open_glts(&r, GLTS, 4);
		rig_add(&r, 1, 8, 600, "dense");
		rig_add(&r, 2, 8, 600, io ? "io" : "net");
		rig_decide(&r);
		assert_int_equal(rig_start(&r, 1)->rule, io ? 1 : 5);
		if (io)
			assert_close(rig_start(&r, 1)->gain,
				     (8 / 1.1025 + 8 / 1.122) / 4 - 1, 1e-9);
		rig_close(&r);
	}
}

static void a_gain_below_min_util_gain_makes_no_group(void **state)
{
	static const struct {
		const char *params;
		bool group;
	} row[] = {
		{ GLTS ",min_util_gain=2.5", true },
		{ GLTS ",min_util_gain=2.7", false },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig r;

		open_glts(&r, row[i].params, 4);
		rig_add(&r, 1, 8, 600, "cg");
		rig_add(&r, 2, 8, 600, "io");
		rig_decide(&r);
		assert_int_equal(rig_start(&r, 1)->group != 0, row[i].group);
		rig_close(&r);
	}
}

/* Which case each switch leaves to job 1, with an io job behind it, and to job 3
 * that comes when both run beside nobody. */
static void cases_says_what_is_tried(void **state)
{
	static const struct {
		const char *params;
		bool together;
	} row[] = {
		{ GLTS, true },
		{ GLTS ",cases=14", true },
		{ GLTS ",cases=2345", false },
		{ GLTS ",cases=4", false },
		{ "policy=cst", true },
		{ "policy=cst,cases=2345", false },
		{ "policy=cst,backfill=easy", true },
		{ "policy=cst,backfill=easy,cases=2345", false },
		{ "policy=cstws,backfill=easy,cases=4", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		/* no running job can be matched: both want all nodes */
		open_glts(&r, row[i].params, 4);
		rig_add(&r, 1, 8, 600, "cg");
		rig_add(&r, 2, 4, 600, "io");
		rig_decide(&r);
		assert_int_equal(rig_start(&r, 1)->rule == 1, row[i].together);
		rig_close(&r);
	}
}

/* Job 1 runs on the four nodes, job 2 waits for all six and holds back job 3,
 * which job 1 does not feel. */
static void backfill_cases_says_what_is_tried_in_backfilling(void **state)
{
	static const struct {
		const char *params;
		uint32_t rule; /* 0: it waits */
	} row[] = {
		{ GLTS, 0 },
		{ GLTS ",backfill_cases=12345", 2 },
		{ "policy=cst", 3 },
		{ "policy=cst,cases=124", 0 },
		{ "policy=cst,backfill_join=no", 0 },
		{ "policy=cst,backfill_join=no,backfill_cases=1234", 2 },
		{ "policy=cst,backfill=easy", 3 },
		{ "policy=cst,backfill=easy,cases=124", 0 },
		{ "policy=cst,backfill=easy,backfill_join=no", 0 },
		{ "policy=cst,backfill=easy,backfill_join=no,"
		  "backfill_cases=1234",
		  3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		open_glts(&r, row[i].params, 4);
		rig_add(&r, 1, 8, 600, "cg");
		rig_decide(&r);
		rig_add(&r, 2, 8, 600, "mem");
		rig_add(&r, 3, 8, 300, "free");
		rig_decide(&r);
		assert_false(rig_runs(&r, 2));
		assert_int_equal(rig_runs(&r, 3), row[i].rule != 0);
		if (row[i].rule)
			assert_int_equal(rig_start(&r, 3)->rule, row[i].rule);
		rig_close(&r);
	}
}

/* Also the primary job's start tells the limit that it needs beside the others: cg
 * beside net lasts 1.2 times as long, two of 600 s 720 s. */
static void every_member_of_a_new_group_has_the_limit_it_needs(void **state)
{
	static const char *const params[] = { GLTS, "policy=cst",
					      "policy=cst,backfill=easy" };
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };

	(void)state;
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		struct rig r;

		open_glts(&r, params[i], 2);
		o.nodeset = r.all;
		for (uint32_t id = 1; id <= 2; id++) {
			struct cs_job j =
				rig_job(&r, id, 4, 600, id == 1 ? "cg" : "net");

			j.min_nodes = j.max_nodes = j.base_procs = 2;
			j.option = &o;
			rig_submit(&r, &j);
		}
		rig_decide(&r);
		for (uint32_t id = 1; id <= 2; id++) {
			assert_int_equal(rig_start(&r, id)->rule, 1);
			assert_int_equal(rig_start(&r, id)->limit_us,
					 720 * RIG_S);
			assert_int_equal(rig_running(&r, id).limit_us,
					 720 * RIG_S);
		}
		rig_close(&r);
	}
}

/* A pair takes in a third where three may be on a node. */
static void a_third_joins_a_pair_up_to_jobs_per_node(void **state)
{
	static const struct {
		const char *params;
		bool third;
	} row[] = {
		{ "policy=cst,jobs_per_node=3", true },
		{ "policy=cst,jobs_per_node=3,backfill_join=no", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		rig_open(&r, row[i].params, profiles, 2, 2, 4, 0);
		for (uint32_t id = 1; id <= 3; id++)
			rig_add(&r, id, 4, 600, id == 2 ? "cg" : "free");
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 1), "0:0,4 1:0,4");
		assert_string_equal(rig_where(&r, 2), "0:1,5 1:1,5");
		assert_int_equal(rig_runs(&r, 3), row[i].third);
		if (row[i].third)
			assert_string_equal(rig_where(&r, 3), "0:2,6 1:2,6");
		rig_close(&r);
	}
}

/* Jobs 3 and 4 pass job 2 as a group on the two nodes that are free. */
static void a_group_may_backfill_where_nobody_passes_r_max(void **state)
{
	struct rig r;

	(void)state;
	for (int64_t estimate = 600; estimate <= 750; estimate += 150) {
		open_glts(&r, GLTS, 4);
		rig_add(&r, 1, 4, 600, "mem");
		rig_decide(&r);
		rig_add(&r, 2, 8, 600, "mem");
		rig_add(&r, 3, 4, estimate, "cg");
		rig_add(&r, 4, 4, estimate, "io");
		rig_decide(&r);
		assert_false(rig_runs(&r, 2));
		if (estimate == 600) {
			assert_int_equal(rig_start(&r, 3)->rule, 1);
			assert_int_equal(rig_start(&r, 4)->partner_id, 3);
		} else {
			/* together they would end at 827, job 2 would pass
			 * its R_max of 1.125 * 1323 */
			assert_false(rig_runs(&r, 3));
		}
		rig_close(&r);
	}
}

/* Who may be matched. */

/* Nine nodes; job 1 takes eight, so job 2 may be one node larger. */
static void a_matched_job_may_be_matched_larger_larger(void **state)
{
	static const struct {
		const char *params;
		uint32_t procs;
		bool together;
	} row[] = {
		{ GLTS ",cases=14", 18, true },
		{ GLTS ",cases=14", 20, false },
		{ GLTS ",cases=14,matched_larger=0.25", 20, true },
		{ GLTS ",cases=14,matched_larger=0", 18, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		open_glts(&r, row[i].params, 10);
		rig_add(&r, 1, 16, 600, "cg");
		rig_add(&r, 2, row[i].procs, 600, "io");
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 2), row[i].together);
		if (row[i].together)
			assert_int_equal(rig_start(&r, 2)->partner_id, 1);
		rig_close(&r);
	}
}

/* Job 1 lasts 600 * 1.05 * 1.05 = 661.5 s beside io, io 1.122 s a second. */
static void a_matched_job_may_last_matched_longer_longer(void **state)
{
	static const struct {
		const char *params;
		int64_t estimate_s;
		bool together;
	} row[] = {
		{ GLTS ",cases=14,min_util_gain=-1", 3263, true },
		{ GLTS ",cases=14,min_util_gain=-1", 3264, false },
		{ GLTS ",cases=14,matched_longer_s=100", 678, true },
		{ GLTS ",cases=14,matched_longer_s=100", 679, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		open_glts(&r, row[i].params, 4);
		rig_add(&r, 1, 8, 600, "cg");
		rig_add(&r, 2, 8, row[i].estimate_s, "io");
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 2), row[i].together);
		rig_close(&r);
	}
}

static void matched_max_bounds_a_group(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS ",matched_max=1", 4);
	rig_add(&r, 1, 8, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_add(&r, 3, 4, 600, "io");
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
}

/* Job 2 must not leave its partition's nodes, 2 and 3, for job 1's, 0 and 1. */
static void a_matched_job_stays_in_its_partition(void **state)
{
	uint64_t right = 0xc;
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int runs = 0; runs < 2; runs++) {
		open_glts(&r, GLTS, 4);
		rig_add(&r, 1, 4, 600, "cg");
		if (runs)
			rig_decide(&r);
		j = rig_job(&r, 2, 4, 600, "io");
		o.nodeset = (uint32_t)cs_engine_nodeset(r.engine, &right);
		j.option = &o;
		rig_submit(&r, &j);
		rig_decide(&r);
		/* with a job that still waits, it goes there */
		assert_string_equal(rig_where(&r, 1),
				    runs ? "0:0,2 1:0,2" : "2:0,2 3:0,2");
		assert_string_equal(rig_where(&r, 2),
				    runs ? "2:0,2 3:0,2" : "2:1,3 3:1,3");
		rig_close(&r);
	}
}

/* A reservation begins on nodes 0 and 1 when job 1 has ended, before job 2 has. */
static void a_matched_job_keeps_off_the_hosts_reservations(void **state)
{
	uint32_t node[] = { 0, 1 };
	struct cs_reservation v = { .id = 1,
				    .n = 2,
				    .node = node,
				    .start_us = 700 * RIG_S,
				    .end_us = 9000 * RIG_S };
	struct cs_event ev = { .type = CS_EV_RESERVATION, .reservation = &v };
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 2);
	assert_int_equal(cs_engine_event(r.engine, &ev, NULL), 0);
	rig_add(&r, 1, 4, 500, "cg");
	rig_add(&r, 2, 4, 1000, "io");
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

/* Life of a group. */

static void who_is_in_a_group_takes_nobody_in(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 8, 6000, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	assert_int_equal(rig_running(&r, 2).partner_id, 1);
	/* nodes 2 and 3 have room beside job 1 */
	rig_add(&r, 3, 4, 600, "io");
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	r.now_us = 600 * RIG_S;
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	assert_int_equal(rig_running(&r, 3).partner_id, 1);
	rig_close(&r);
}

static void a_group_disbands_when_its_primary_ends(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 8, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_add(&r, 3, 4, 600, "io");
	rig_decide(&r);
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	for (uint32_t id = 2; id <= 3; id++) {
		const struct cs_action *a = rig_last(&r, CS_ACT_DISBAND, id);

		assert_non_null(a);
		assert_int_equal(a->group, rig_start(&r, 1)->group);
		/* 100 s at 1.122 instead of 1 */
		assert_int_equal((a->credit_us + 500000) / RIG_S, 11);
		assert_int_equal(rig_running(&r, id).group, 0);
		assert_close(rig_running(&r, id).slowdown, 1.02, 1e-12);
	}
	rig_close(&r);
}

static void a_group_disbands_when_its_last_matched_job_ends(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 8, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_add(&r, 3, 4, 600, "io");
	rig_decide(&r);
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_null(rig_last(&r, CS_ACT_DISBAND, 1));
	assert_int_equal(rig_running(&r, 1).group, rig_running(&r, 3).group);
	assert_close(rig_running(&r, 1).slowdown, 1.1025, 1e-12);
	rig_finish(&r, 3);
	rig_decide(&r);
	assert_non_null(rig_last(&r, CS_ACT_DISBAND, 1));
	assert_int_equal(rig_running(&r, 1).group, 0);
	assert_close(rig_running(&r, 1).slowdown, 1.05, 1e-12);
	rig_close(&r);
}

static void a_refused_matched_job_leaves_the_others_as_they_are(void **state)
{
	struct rig r;

	(void)state;
	for (int timed = 0; timed < 2; timed++) {
		open_glts(&r, GLTS, 4);
		rig_add(&r, 1, 8, 6000, "cg");
		rig_add(&r, 2, 4, 6000, "io");
		rig_add(&r, 3, 4, 6000, "io");
		r.refuse = 2;
		r.refuse_class = timed ? CS_REFUSED_TIMED : CS_REFUSED_CHANGED;
		rig_decide(&r);
		assert_false(rig_runs(&r, 2));
		assert_int_equal(rig_running(&r, 1).role, CS_ROLE_PRIMARY);
		assert_int_equal(rig_running(&r, 3).role, CS_ROLE_MATCHED);
		assert_int_equal(rig_running(&r, 3).group,
				 rig_running(&r, 1).group);
		rig_close(&r);
	}
}

static void a_refused_only_partner_leaves_the_primary_alone(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 8, 6000, "cg");
	rig_add(&r, 2, 8, 6000, "io");
	r.refuse = 2;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_decide(&r);
	assert_int_equal(rig_running(&r, 1).group, 0);
	assert_close(rig_running(&r, 1).slowdown, 1.05, 1e-12);
	assert_false(rig_runs(&r, 2));
	/* it is asked for again after retry_s, now beside a running job */
	rig_at(&r, 11);
	assert_int_equal(rig_start(&r, 2)->rule, 2);
	assert_int_equal(rig_running(&r, 2).partner_id, 1);
	rig_close(&r);
}

/* Job 1 is refused: the matched ones are asked for again, by themselves. */
static void a_refused_primary_takes_its_group_back(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS, 4);
	rig_add(&r, 1, 8, 6000, "cg");
	rig_add(&r, 2, 4, 6000, "io");
	rig_add(&r, 3, 4, 6000, "io");
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_CHANGED;
	rig_decide(&r);
	assert_false(rig_runs(&r, 1));
	for (uint32_t id = 2; id <= 3; id++) {
		assert_int_equal(rig_running(&r, id).group, 0);
		assert_int_equal(rig_start(&r, id)->rule, 4);
	}
	rig_close(&r);
}

/* Fairness. */

/*
 * Four nodes.  Job 1 ends at 630 alone, job 2 (mem) at 630 + 63: its R_est is
 * .75 * 693, it may take slack times that.  With job 3 beside it the nodes would
 * be held until 1000 * 1.02 * 1.1 = 1122, and job 2 end at 1185.
 */
static bool group_of_1_and_3(const char *params)
{
	int64_t est, max;
	struct rig r;
	bool together;

	open_glts(&r, params, 4);
	rig_add(&r, 1, 8, 600, "cg");
	rig_add(&r, 2, 8, 60, "mem");
	rig_add(&r, 3, 8, 1000, "io");
	rig_decide(&r);
	together = rig_runs(&r, 3);
	assert_int_equal(cs_engine_promised(r.engine, 2, &est, &max), 0);
	assert_int_equal(est, 693 * RIG_S * 3 / 4);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 2, NULL),
			 together ? 1122 * RIG_S : 630 * RIG_S);
	rig_close(&r);
	return together;
}

static void a_group_that_delays_somebody_past_r_max_is_discarded(void **state)
{
	(void)state;
	assert_false(group_of_1_and_3(GLTS));
	assert_false(group_of_1_and_3(GLTS ",slack=2.27"));
	assert_true(group_of_1_and_3(GLTS ",slack=2.29"));
}

/* The better partner would delay job 2 too much, the worse one does not. */
static void the_next_best_group_that_is_fair_is_taken(void **state)
{
	struct rig r;

	(void)state;
	open_glts(&r, GLTS ",cases=1234,block_size=1", 4);
	rig_add(&r, 1, 8, 600, "cg");
	rig_add(&r, 2, 8, 60, "mem");
	rig_add(&r, 3, 4, 500, "io");
	rig_add(&r, 4, 4, 1000, "io");
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	assert_false(rig_runs(&r, 4));
	rig_close(&r);
}

/*
 * Four nodes.  Job 1 runs alone, job 2 comes beside it: would job 1 respond later
 * than its R_max, slack * .75 times what it would have alone?
 */
static bool group_with_runner(const char *params, const char *slack,
			      const char *first, const char *second)
{
	char list[128];
	struct rig r;
	bool together;

	snprintf(list, sizeof(list), "%s,slack=%s", params, slack);
	open_glts(&r, list, 4);
	rig_add(&r, 1, 8, 600, first);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	rig_add(&r, 2, 8, 600, second);
	rig_decide(&r);
	together = rig_runs(&r, 2);
	assert_int_equal(rig_running(&r, 1).group != 0, together);
	rig_close(&r);
	return together;
}

static void no_running_partner_passes_his_r_max(void **state)
{
	(void)state;
	/* io beside cg: 1.10 times as long */
	assert_false(group_with_runner(GLTS ",cases=24", "1.46", "io", "cg"));
	assert_true(group_with_runner(GLTS ",cases=24", "1.47", "io", "cg"));
	/* cg beside io: 1.05 times */
	assert_false(group_with_runner(GLTS ",cases=34", "1.39", "cg", "io"));
	assert_true(group_with_runner(GLTS ",cases=34", "1.41", "cg", "io"));
}

/* With slack=1 every R_max is .75 times what the job would have: it is above from
 * the beginning.  Job 3 holds job 1's nodes until 630, as job 1 itself, or for a
 * second more. */
static void who_waits_past_his_r_max_is_delayed_no_more(void **state)
{
	(void)state;
	for (int64_t more = 0; more < 2; more++) {
		struct rig r;

		open_glts(&r, GLTS ",slack=1", 4);
		rig_add(&r, 1, 8, 600, "cg");
		rig_add(&r, 2, 8, 60, "mem");
		rig_add(&r, 3, 8, 600 + more, "free");
		rig_decide(&r);
		assert_true(rig_runs(&r, 1));
		assert_int_equal(rig_runs(&r, 3), !more);
		assert_int_equal(
			cs_engine_predicted_start_us(r.engine, 2, NULL),
			630 * RIG_S);
		rig_close(&r);
	}
}

/* The same of one that runs: free does not slow it down, net does. */
static void who_runs_past_his_r_max_is_slowed_down_no_more(void **state)
{
	static const char *const cases[] = { GLTS ",cases=24",
					     GLTS ",cases=34" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_true(group_with_runner(cases[i], "1", "cg", "free"));
		assert_false(group_with_runner(cases[i], "1", "cg", "net"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			case_1_a_waiting_job_with_several_waiting_ones),
		cmocka_unit_test(searches_of_a_decide_come_to_an_end),
		cmocka_unit_test(a_search_is_counted_by_its_candidates),
		cmocka_unit_test(
			case_2_a_waiting_job_with_several_running_ones),
		cmocka_unit_test(case_2_takes_empty_nodes_for_the_rest),
		cmocka_unit_test(
			case_3_a_running_job_with_several_waiting_ones),
		cmocka_unit_test(running_prim_num_counts_those_that_suit),
		cmocka_unit_test(case_4_alone_on_a_part_of_the_cores),
		cmocka_unit_test(case_5_alone_on_all_cores),
		cmocka_unit_test(the_highest_gain_is_taken),
		cmocka_unit_test(a_gain_below_min_util_gain_makes_no_group),
		cmocka_unit_test(cases_says_what_is_tried),
		cmocka_unit_test(
			backfill_cases_says_what_is_tried_in_backfilling),
		cmocka_unit_test(
			every_member_of_a_new_group_has_the_limit_it_needs),
		cmocka_unit_test(a_third_joins_a_pair_up_to_jobs_per_node),
		cmocka_unit_test(
			a_group_may_backfill_where_nobody_passes_r_max),
		cmocka_unit_test(a_matched_job_may_be_matched_larger_larger),
		cmocka_unit_test(a_matched_job_may_last_matched_longer_longer),
		cmocka_unit_test(matched_max_bounds_a_group),
		cmocka_unit_test(a_matched_job_stays_in_its_partition),
		cmocka_unit_test(
			a_matched_job_keeps_off_the_hosts_reservations),
		cmocka_unit_test(who_is_in_a_group_takes_nobody_in),
		cmocka_unit_test(a_group_disbands_when_its_primary_ends),
		cmocka_unit_test(
			a_group_disbands_when_its_last_matched_job_ends),
		cmocka_unit_test(
			a_refused_matched_job_leaves_the_others_as_they_are),
		cmocka_unit_test(
			a_refused_only_partner_leaves_the_primary_alone),
		cmocka_unit_test(a_refused_primary_takes_its_group_back),
		cmocka_unit_test(
			a_group_that_delays_somebody_past_r_max_is_discarded),
		cmocka_unit_test(the_next_best_group_that_is_fair_is_taken),
		cmocka_unit_test(no_running_partner_passes_his_r_max),
		cmocka_unit_test(who_waits_past_his_r_max_is_delayed_no_more),
		cmocka_unit_test(
			who_runs_past_his_r_max_is_slowed_down_no_more),
	};

	return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
