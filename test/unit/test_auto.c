/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout=auto and the preset adaptive (alone.c, rules 7 and 8; group_search.c,
 * rule 6).
 */
#include "cs_test.h"
#include "rig.h"

/* Four kinds without self slowdowns, of which `a` and `b` do not get on. */
static const char kinds[] =
	"{\"version\":1,\"profiles\":{\"a\":{},\"b\":{},\"c\":{},\"d\":{},"
	" \"spread\":{\"self\":{\"1\":1.0,\"2\":2.1,\"4\":4.5}},"
	" \"hard\":{\"self\":{\"1\":1.0,\"2\":1.0,\"4\":1.5}},"
	"\"steep\":{\"self\":{\"1\":1.0,\"2\":1.0,\"4\":2.2}},"
	" \"soft\":{\"self\":{\"1\":1.0,\"2\":1.0,\"4\":1.02}}},\"pairs\":[" RIG_PAIR("a", "b", "2.0", "2.0") "," RIG_PAIR(
		"a", "c", "1.1",
		"1.1") "," RIG_PAIR("b", "c", "1.1",
				    "1.1") "," RIG_PAIR("a", "d", "1.5",
							"1.1") "," RIG_PAIR("hard",
									    "soft",
									    "1.1",
									    "1.05") ","
										    "{\"of\":\"hard\",\"beside\":\"hard\",\"slowdown\":1.2},"
										    "{\"of\":\"soft\",\"beside\":\"soft\",\"slowdown\":1.2}]}";

static void open_auto(struct rig *r, const char *params, uint32_t nodes,
		      uint16_t cores)
{
	char adaptive[128];

	snprintf(adaptive, sizeof(adaptive), "policy=adaptive,%s", params);
	rig_open(r, adaptive, kinds, nodes, 2, cores, 0);
}

/* What stock starts by core starts, whoever suits whom. */
static void no_core_idles_while_a_job_of_its_size_waits(void **state)
{
	static const char *const kind[] = { "a", "b", "c", "d" };
	static const uint32_t procs[] = { 4, 2, 3, 4, 2, 4, 3, 4, 2, 4 };
	struct rig r;

	(void)state;
	open_auto(&r, "", 4, 4);
	for (uint32_t i = 0; i < 10; i++)
		rig_add(&r, i + 1, procs[i], 600, kind[i % 4]);
	rig_decide(&r);
	for (uint32_t id = 1; id <= 10; id++)
		assert_true(rig_runs(&r, id));
	rig_close(&r);
}

/* Of eight serial jobs on a node of eight cores, of kinds that do not get on. */
static uint32_t serial_jobs_at_work(const char *params)
{
	uint32_t n = 0;
	struct rig r;

	rig_open(&r, params, kinds, 1, 2, 4, 0);
	for (uint32_t id = 1; id <= 8; id++)
		rig_add(&r, id, 1, 600, id % 2 ? "a" : "b");
	rig_decide(&r);
	for (uint32_t id = 1; id <= 8; id++)
		n += rig_runs(&r, id);
	rig_close(&r);
	return n;
}

static void serial_jobs_with_a_profile_fill_a_node(void **state)
{
	(void)state;
	assert_int_equal(serial_jobs_at_work("policy=adaptive"), 8);
	assert_int_equal(serial_jobs_at_work("policy=balanced"), 8);
	assert_int_equal(serial_jobs_at_work("policy=balanced,pack_part=0"), 1);
}

/* pack_part of policy balanced: jobs that do not fill their nodes are packed, beside those
 * that they suit, if there is a choice. */
static void jobs_that_leave_room_are_packed_by_the_default(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=balanced", kinds, 2, 2, 2, 0);
	rig_add(&r, 1, 2, 600, "a");
	rig_add(&r, 2, 1, 600, "b");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "1:0,1");
	assert_string_equal(rig_where(&r, 2), "0:0");
	rig_add(&r, 3, 3, 600, "b"); /* three cores of node 0 are free */
	rig_add(&r, 4, 4, 600, "b"); /* it fills a node: none is empty */
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	assert_false(rig_runs(&r, 4));
	rig_close(&r);
	rig_open(&r, "policy=balanced,pack_part=0.5", kinds, 2, 2, 2, 0);
	rig_add(&r, 1, 2, 600, "a");
	rig_decide(&r);
	rig_add(&r, 2, 6, 600, "b"); /* a node and a half: it waits for two */
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

/* Job 2 passes by the fuller node, where `a` is; job 4 has no choice. */
static void a_job_goes_where_it_suits_if_it_can(void **state)
{
	struct rig r;

	(void)state;
	open_auto(&r, "place=space", 2, 2);
	rig_add(&r, 1, 2, 600, "a");
	rig_decide(&r);
	rig_add(&r, 2, 1, 600, "b");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1");
	assert_string_equal(rig_where(&r, 2), "1:0");
	rig_add(&r, 3, 2, 600, "c");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:2,3");
	rig_finish(&r, 3);
	rig_add(&r, 4, 4, 600, "b");
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	rig_close(&r);
}

/* It is `d` that `a` must not meet, not the other way round. */
static void those_who_are_there_are_asked_too(void **state)
{
	struct rig r;

	(void)state;
	open_auto(&r, "place=space", 2, 2);
	rig_add(&r, 1, 2, 600, "a");
	rig_decide(&r);
	rig_add(&r, 2, 2, 600, "d");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "1:0,1");
	rig_close(&r);
}

/* Each would take a node alone; beside each other both are on two, and faster:
 * 1.1 and 1.05, not 1.5 and 1.2. */
static void jobs_are_spread_only_for_a_partner_that_pays(void **state)
{
	struct rig r;

	(void)state;
	open_auto(&r, "cases=1,backfill_cases=1", 4, 2);
	rig_add(&r, 1, 4, 600, "hard");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->procs_per_node, 4);
	rig_add(&r, 2, 4, 600, "hard");
	rig_add(&r, 3, 4, 600, "hard");
	rig_decide(&r);
	/* 1.2 beside its like, 1.5 packed */
	assert_int_equal(rig_start(&r, 2)->procs_per_node, 2);
	assert_int_equal(rig_start(&r, 2)->group, rig_start(&r, 3)->group);
	rig_close(&r);
	/* soft would lose by it */
	open_auto(&r, "cases=1,backfill_cases=1", 4, 2);
	rig_add(&r, 1, 4, 600, "hard");
	rig_add(&r, 2, 4, 600, "soft");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->procs_per_node, 4);
	assert_int_equal(rig_start(&r, 2)->procs_per_node, 4);
	assert_int_equal(rig_start(&r, 2)->group, 0);
	rig_close(&r);
}

/* -n16 -N5 on eight nodes of four cores: its nodes are counted, so there is nothing to
 * spread, and the next one finds 4 + 4 + 4 + 3 + 1. */
static void who_counts_its_nodes_fills_them(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_auto(&r, "place=space", 8, 2);
	for (uint32_t id = 1; id <= 2; id++) {
		j = rig_job(&r, id, 16, 600, "steep");
		j.min_nodes = j.max_nodes = 5;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_true(rig_runs(&r, 1) && rig_runs(&r, 2));
	rig_close(&r);
}

/* Rule 5 of match.c: a packed job goes to a node where neither it nor a neighbour is
 * slowed down beyond MAX_SL by the others there, if there is one. */
static void packed_jobs_go_where_they_suit(void **state)
{
	static const struct {
		const char *ab, *ba;
		bool suits;
	} row[] = {
		{ "1.1", "1.1", true },
		{ "1.1", "1.5", false },
		{ "1.5", "1.1", false },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char text[256];
		struct rig r;

		snprintf(text, sizeof(text),
			 "{\"version\":1,\"profiles\":{\"a\":{},\"b\":{}},"
			 "\"pairs\":[{\"of\":\"a\",\"beside\":\"b\","
			 "\"slowdown\":%s},{\"of\":\"b\",\"beside\":\"a\","
			 "\"slowdown\":%s}]}",
			 row[i].ab, row[i].ba);
		rig_open(&r, "policy=cst,layout=auto", text, 2, 1, 4, 0);
		rig_add(&r, 1, 1, 600, "a");
		rig_decide(&r);
		rig_add(&r, 2, 1, 600, "b");
		rig_decide(&r);
		assert_int_equal(rig_running(&r, 1).alloc->node[0].node, 0);
		assert_int_equal(rig_running(&r, 2).alloc->node[0].node,
				 row[i].suits ? 0 : 1);
		rig_close(&r);
	}
}

/* But not where that node has to be booted, and another holds it; in logs from before
 * suit_wakes also then. */
static void packed_jobs_wake_no_node_to_suit(void **state)
{
	static const char text[] =
		"{\"version\":1,\"profiles\":{\"a\":{},\"b\":{}},"
		"\"pairs\":[{\"of\":\"a\",\"beside\":\"b\",\"slowdown\":1.5}]}";

	(void)state;
	for (int wakes = 0; wakes < 2; wakes++) {
		struct rig r;

		rig_open(&r,
			 wakes ? "policy=cst,layout=auto,suit_wakes=yes"
			       : "policy=cst,layout=auto",
			 text, 2, 1, 4, 0);
		r.machine->node[1].weight = CS_WEIGHT_ASLEEP;
		rig_tell(&r, (struct cs_event){
				     .type = CS_EV_NODE,
				     .node = { .index = 1,
					       .up = true,
					       .now = &r.machine->node[1],
					       .why = "" } });
		rig_add(&r, 1, 2, 600, "a");
		rig_decide(&r);
		rig_add(&r, 2, 1, 600, "b");
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 2), wakes ? "1:0" : "0:2");
		/* nothing else holds this one */
		rig_add(&r, 3, 2, 600, "b");
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 3),
				    wakes ? "1:1,2" : "1:0,1");
		rig_close(&r);
	}
}

/* A member that is left over does not keep the other's cores. */
static void cores_that_a_group_leaves_are_anybodys(void **state)
{
	struct rig r;

	(void)state;
	open_auto(&r, "", 2, 2);
	rig_add(&r, 1, 4, 600, "hard");
	rig_add(&r, 2, 4, 600, "hard");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->procs_per_node, 2);
	assert_true(rig_start(&r, 1)->packed);
	rig_finish(&r, 2);
	rig_add(&r, 3, 4, 600, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	rig_close(&r);
}

static void nobody_comes_to_a_job_that_does_not_share(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_auto(&r, "", 1, 4);
	j = rig_job(&r, 1, 2, 600, "a");
	j.flags = CS_JOB_NO_SHARE;
	rig_submit(&r, &j);
	rig_decide(&r);
	rig_add(&r, 2, 2, 600, "c");
	rig_add(&r, 3, 2, 600, NULL);
	rig_decide(&r);
	assert_false(rig_runs(&r, 2) || rig_runs(&r, 3));
	rig_close(&r);
}

/* SL is 1, 2.1, 4.5: 4 processes do more on 4 nodes than on 1. */
static void self_slowdowns_that_pay_spread_a_job(void **state)
{
	struct rig r;

	(void)state;
	open_auto(&r, "place=space", 4, 2);
	rig_add(&r, 1, 4, 600, "spread");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->procs_per_node, 1);
	/* its nodes are not its own */
	rig_add(&r, 2, 12, 600, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

/* But not where nobody may have the cores that it leaves. */
static void a_job_with_nodes_of_its_own_is_not_spread(void **state)
{
	static const uint32_t flag[] = { CS_JOB_EXCLUSIVE, CS_JOB_NO_SHARE };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		open_auto(&r, "place=space", 4, 2);
		for (uint32_t id = 1; id <= 2; id++) {
			j = rig_job(&r, id, 4, 600, "spread");
			j.flags = flag[i];
			rig_submit(&r, &j);
		}
		rig_decide(&r);
		for (uint32_t id = 1; id <= 2; id++)
			assert_int_equal(rig_running(&r, id).alloc->n_node, 1);
		rig_close(&r);
	}
}

/* With share_scope=user a group keeps to its user's nodes. */
static void a_group_keeps_to_the_nodes_of_its_user(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_auto(&r, "share_scope=user", 3, 2);
	for (uint32_t id = 1; id <= 3; id++) {
		j = rig_job(&r, id, id == 3 ? 2 : 4, 600,
			    id == 3 ? NULL : "hard");
		j.user = id == 3 ? "bob" : "ann";
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->procs_per_node, 2);
	assert_string_equal(rig_where(&r, 3), "2:0,1");
	rig_finish(&r, 1);
	j = rig_job(&r, 4, 4, 600, NULL);
	j.user = "bob";
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_false(rig_runs(&r, 4));
	rig_close(&r);
}

/* Without a profile file the default is stock's packing, job for job. */
static void without_profiles_it_is_packing(void **state)
{
	uint64_t seed = cs_test_seed();
	struct rig a, b;

	(void)state;
	for (uint32_t round = 0; round < 20; round++) {
		rig_open(&a, "policy=adaptive", NULL, 6, 2, 4, 0);
		rig_open(&b, "policy=pack", NULL, 6, 2, 4, 0);
		for (uint32_t id = 1; id <= 60; id++) {
			uint32_t procs = 1 + (uint32_t)cs_test_draw(&seed, 20);
			int64_t s = 60 + (int64_t)cs_test_draw(&seed, 900);

			rig_add(&a, id, procs, s, NULL);
			rig_add(&b, id, procs, s, NULL);
			rig_at(&a, 30 * id);
			rig_at(&b, 30 * id);
			for (uint32_t i = 1; i <= id; i++) {
				assert_int_equal(rig_runs(&a, i),
						 rig_runs(&b, i));
				if (!rig_runs(&a, i))
					continue;
				assert_string_equal(rig_where(&a, i),
						    rig_where(&b, i));
				if (cs_test_draw(&seed, 20))
					continue;
				rig_finish(&a, i);
				rig_finish(&b, i);
			}
		}
		rig_close(&a);
		rig_close(&b);
	}
}

/* layout=model: two of eight cores are not all of them (alone.c). */
static void a_job_of_two_cores_is_not_spread_over_two_nodes(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", kinds, 4, 2, 4, 0);
	rig_add(&r, 1, 2, 600, "a");
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->procs_per_node, 2);
	rig_close(&r);
}

/* One after the other, with limits (base_procs): both take what the other costs, and the
 * limits follow, at once; as in old logs, once something else changes on the node. */
static void a_group_of_packed_jobs_counts_its_members_at_once(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct rig r;

		open_auto(&r, late ? "group_factor=late" : "", 1, 2);
		for (uint32_t id = 1; id <= 2; id++) {
			struct cs_job j =
				rig_job(&r, id, 2, 6000, id == 1 ? "b" : "c");

			j.base_procs = 2;
			rig_submit(&r, &j);
			rig_decide(&r);
			assert_true(rig_running(&r, id).packed);
		}
		assert_int_not_equal(rig_running(&r, 1).group, 0);
		assert_int_equal(rig_running(&r, 1).group,
				 rig_running(&r, 2).group);
		for (uint32_t id = 1; id <= 2; id++) {
			struct cs_running run = rig_running(&r, id);

			assert_true(run.slowdown == (late ? 1 : 1.1));
			if (!late)
				assert_int_equal(run.limit_us / RIG_S, 6600);
		}
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_core_idles_while_a_job_of_its_size_waits),
		cmocka_unit_test(serial_jobs_with_a_profile_fill_a_node),
		cmocka_unit_test(
			jobs_that_leave_room_are_packed_by_the_default),
		cmocka_unit_test(a_job_goes_where_it_suits_if_it_can),
		cmocka_unit_test(those_who_are_there_are_asked_too),
		cmocka_unit_test(jobs_are_spread_only_for_a_partner_that_pays),
		cmocka_unit_test(who_counts_its_nodes_fills_them),
		cmocka_unit_test(packed_jobs_go_where_they_suit),
		cmocka_unit_test(packed_jobs_wake_no_node_to_suit),
		cmocka_unit_test(cores_that_a_group_leaves_are_anybodys),
		cmocka_unit_test(nobody_comes_to_a_job_that_does_not_share),
		cmocka_unit_test(self_slowdowns_that_pay_spread_a_job),
		cmocka_unit_test(a_job_with_nodes_of_its_own_is_not_spread),
		cmocka_unit_test(a_group_keeps_to_the_nodes_of_its_user),
		cmocka_unit_test(without_profiles_it_is_packing),
		cmocka_unit_test(
			a_job_of_two_cores_is_not_spread_over_two_nodes),
		cmocka_unit_test(
			a_group_of_packed_jobs_counts_its_members_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
