/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place=cover: sharing that has to earn its nodes; and head_slack.  Nodes have four cores,
 * jobs run 1.2 times as long on all four as on two.
 */
#include "rig.h"

#include <math.h>
#include <string.h>

#include "cs_test.h"
#include "explain/explain.h"

#define DENSE 1.2
#define PROFILE(name) "\"" name "\":{\"self\":{\"1\":1,\"2\":1,\"4\":1.2}}"

/* a and b gain by each other, c and a nothing, d harms. */
#define PAIRS                                              \
	RIG_PAIR("a", "b", "1.05", "1.05")                 \
	"," RIG_PAIR("a", "c", "1.2", "1.2") "," RIG_PAIR( \
		"b", "c", "1.1", "1.02") "," RIG_PAIR("a", "d", "1.01", "1.4")
static const char profiles[] =
	"{\"version\":1,\"profiles\":{" PROFILE("a") "," PROFILE(
		"b") "," PROFILE("c") "," PROFILE("d") "},\"pairs\":[" PAIRS
						       "]}";

static void open_cover(struct rig *r, const char *more, uint32_t nodes)
{
	char list[128];

	snprintf(list, sizeof(list), "policy=cover%s", more);
	rig_open(r, list, profiles, nodes, 2, 2, 0);
}

static void two_that_gain_start_together(void **state)
{
	struct rig r;

	(void)state;
	open_cover(&r, "", 4);
	rig_add(&r, 1, 8, 600, "a");
	rig_add(&r, 2, 8, 600, "b");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2 2:0,2 3:0,2");
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3 2:1,3 3:1,3");
	assert_int_equal(rig_start(&r, 1)->role, CS_ROLE_PRIMARY);
	assert_int_equal(rig_start(&r, 2)->role, CS_ROLE_MATCHED);
	/* (2 / .875 + 2 / .875) / 4 */
	assert_close(rig_start(&r, 1)->gain, DENSE / 1.05 - 1, 1e-12);
	rig_close(&r);
}

static void who_gains_nothing_or_harms_is_alone(void **state)
{
	static const char *const other[] = { "c", "d", NULL };
	struct rig r;

	(void)state;
	for (int i = 0; i < 3; i++) {
		open_cover(&r, "", 4);
		rig_add(&r, 1, 8, 600, "a");
		rig_add(&r, 2, 8, 600, other[i]);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 1), "0:0,1,2,3 1:0,1,2,3");
		assert_string_equal(rig_where(&r, 2), "2:0,1,2,3 3:0,1,2,3");
		rig_close(&r);
	}
}

static void several_cover_one_and_free_parts_are_used_again(void **state)
{
	struct rig r;

	(void)state;
	open_cover(&r, "", 4);
	rig_add(&r, 1, 8, 600, "a");
	rig_add(&r, 2, 4, 600, "b");
	rig_add(&r, 3, 4, 300, "b");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2 2:0,2 3:0,2");
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3");
	assert_string_equal(rig_where(&r, 3), "2:1,3 3:1,3");
	rig_finish(&r, 2);
	rig_add(&r, 4, 4, 100, "d"); /* it would do harm */
	rig_add(&r, 5, 4, 100, "b");
	rig_decide(&r);
	assert_false(rig_runs(&r, 4));
	assert_string_equal(rig_where(&r, 5), "0:1,3 1:1,3");
	assert_int_equal(rig_start(&r, 5)->rule, 2);
	assert_int_equal(rig_running(&r, 5).group, rig_running(&r, 1).group);
	rig_close(&r);
}

static void a_small_cover_is_none(void **state)
{
	struct rig r;

	(void)state;
	open_cover(&r, "", 4);
	rig_add(&r, 1, 8, 600, "a");
	rig_add(&r, 2, 4, 600, "b"); /* 2 of 4 nodes */
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1,2,3 1:0,1,2,3");
	assert_string_equal(rig_where(&r, 2), "2:0,1,2,3");
	rig_close(&r);
	open_cover(&r, ",cover=0.5,cover_gain=-0", 4);
	rig_add(&r, 1, 8, 600, "a");
	rig_add(&r, 2, 4, 600, "b");
	rig_decide(&r); /* (2 + 1) / .875 / 4 < 1: it does not pay */
	assert_string_equal(rig_where(&r, 1), "0:0,1,2,3 1:0,1,2,3");
	rig_close(&r);
}

static void parts_of_several_running_jobs_hold_one(void **state)
{
	struct rig r;

	(void)state;
	open_cover(&r, ",spare=0", 4);
	rig_add(&r, 1, 4, 600, "a");
	rig_decide(&r); /* alone, it has twice the nodes */
	rig_add(&r, 2, 4, 600, "a");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2");
	assert_string_equal(rig_where(&r, 2), "2:0,2 3:0,2");
	rig_add(&r, 3, 8, 600, "b");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:1,3 1:1,3 2:1,3 3:1,3");
	rig_close(&r);
}

static void empty_nodes_make_up_the_rest(void **state)
{
	struct rig r;

	(void)state;
	open_cover(&r, ",spare=0", 4);
	rig_add(&r, 1, 4, 600, "a");
	rig_decide(&r);
	rig_add(&r, 2, 8, 600, "b");
	rig_decide(&r); /* 2 / .875 - (1 / .833 - 1 / .875) > 1.05 * 2 */
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3 2:0,2 3:0,2");
	rig_close(&r);
	open_cover(&r, ",spare=0", 4);
	rig_add(&r, 1, 4, 600, "a");
	rig_decide(&r);
	rig_add(&r, 2, 8, 600, "c");
	rig_decide(&r); /* 2 / 1 - (1 / .833 - 1) < 1.05 * 2 */
	assert_string_equal(rig_where(&r, 2), "2:0,1,2,3 3:0,1,2,3");
	rig_close(&r);
}

static void nodes_to_spare_are_used(void **state)
{
	struct rig r;

	(void)state;
	open_cover(&r, "", 6); /* 4, and a quarter of 6: too many */
	rig_add(&r, 1, 8, 600, "a");
	rig_add(&r, 2, 1, 600, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1),
			    "0:0,1,2,3 1:0,1,2,3"); /* 2 waits */
	rig_close(&r);
	open_cover(&r, "", 5);
	rig_add(&r, 1, 8, 600, "a");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1,2,3 1:0,1,2,3");
	rig_close(&r);
	open_cover(&r, "", 6);
	rig_add(&r, 1, 8, 600, "a");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2 2:0,2 3:0,2");
	assert_int_equal(rig_start(&r, 1)->rule, 4);
	rig_close(&r);
}

/* Two tasks behind the first are in want of the nodes that it does not need. */
static void no_node_is_to_spare_while_tasks_wait(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cover(&r, "", 6);
	j = rig_job(&r, 1, 8, 600, "a");
	j.array_id = 1;
	j.tasks = 3;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_int_equal(cs_engine_list(r.engine, true, NULL, 0), 3);
	rig_close(&r);
}

/* Two of four nodes are free, the others after 1.2 @other_s. */
static void open_waiting(struct rig *r, const char *more, int64_t other_s)
{
	open_cover(r, more, 4);
	rig_add(r, 1, 8, other_s, "c");
	rig_decide(r);
	assert_string_equal(rig_where(r, 1), "0:0,1,2,3 1:0,1,2,3");
	rig_add(r, 2, 8, 600, "a");
	rig_add(r, 3, 8, 600, "b");
	rig_decide(r);
}

/* From 102 s on beside b until 732, or at once alone until 720: 12 s later.  It saves
 * 4 * 630 * .1429 node seconds, 90 s for each of the two that wait. */
static void a_head_waits_for_the_nodes_of_its_cover(void **state)
{
	char why[256];
	struct rig r;

	(void)state;
	open_waiting(&r, ",cover_wait=0.067", 85);
	assert_false(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	cs_explain_reason(r.engine, 2, NULL, why, sizeof(why));
	assert_string_equal(why,
			    "first in the queue for its nodes, waits for 4 "
			    "empty ones to share them with jobs behind it");
	rig_at(&r, 102);
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:0,2 1:0,2 2:0,2 3:0,2");
	assert_string_equal(rig_where(&r, 3), "0:1,3 1:1,3 2:1,3 3:1,3");
	rig_close(&r);
}

static void a_head_does_not_wait_if_that_costs_more_than_it_saves(void **state)
{
	static const struct {
		const char *more;
		int64_t other_s;
	} world[] = {
		{ ",cover_wait=0.066", 85 }, /* 11.9 s */
		{ ",cover_wait=0", 85 },
		{ ",cover_wait=0.5", 160 },  /* 102 s later, saves 180 */
		{ ",cover_wait=1000", 196 }, /* until 865, 1.2 * 720 is 864 */
		{ ",cover_wait=1000,head_slack=1", 85 },
		{ ",cover_wait=1000,cover_gain=0.15", 85 },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(world) / sizeof(world[0]); i++) {
		open_waiting(&r, world[i].more, world[i].other_s);
		assert_string_equal(rig_where(&r, 2), "2:0,1,2,3 3:0,1,2,3");
		rig_close(&r);
	}
	open_waiting(&r, ",cover_wait=1000", 195);
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

/* Its slack is over: it takes what there is. */
static void a_late_head_still_shares(void **state)
{
	struct rig r;

	(void)state;
	open_cover(&r, "", 4);
	rig_add(&r, 1, 8, 600, "a");
	rig_add(&r, 2, 8, 600, "b");
	rig_decide(&r);
	rig_add(&r, 3, 8, 100, "b"); /* until 750, 900 at the latest */
	rig_decide(&r);
	rig_at(&r, 2000);
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:1,3 1:1,3 2:1,3 3:1,3");
	rig_close(&r);
}

/* ---- on random worlds ---------------------------------------------------- */

struct member {
	char kind;
	uint32_t procs;
};

static const char *const kinds[] = { "a", "b", "c", "d", NULL };

static double pair(char of, char beside)
{
	static const double cos[4][4] = { { 9, 1.05, 1.2, 1.01 },
					  { 1.05, 9, 1.1, 9 },
					  { 1.2, 1.02, 9, 9 },
					  { 1.4, 9, 9, 9 } };

	return cos[of - 'a'][beside - 'a'];
}

/* Of the jobs that started as group @g in this decide: rule 2, counted anew. */
static void check_cover(const struct rig *r, size_t from,
			const struct member *m, uint32_t g)
{
	const struct member *own = NULL;
	double nodes = 0, covered = 0, work = 0, cos = 1;

	for (size_t i = from; i < r->n_log; i++)
		if (r->log[i].group == g && r->log[i].role == CS_ROLE_PRIMARY)
			own = &m[r->log[i].job_id];
	assert_non_null(own);
	nodes = (own->procs + 1) / 2;
	for (size_t i = from; i < r->n_log; i++) {
		const struct member *b = &m[r->log[i].job_id];

		if (r->log[i].group != g || b == own || r->log[i].rule != 1)
			continue;
		covered += (b->procs + 1) / 2;
		work += (b->procs + 3) / 4 * DENSE / pair(b->kind, own->kind);
		cos = fmax(cos, pair(own->kind, b->kind));
	}
	/* up to two processes are as fast on a node as one job alone can be */
	work += (own->procs + 3) / 4 * DENSE / cos;
	assert_true(covered >= .85 * nodes);
	assert_true(work / nodes >= 1.05 - 1e-9);
}

static void covers_pay_and_nobody_suffers(void **state)
{
	uint64_t seed = cs_test_seed();
	uint32_t covers = 0, joins = 0;

	(void)state;
	for (int world = 0; world < 300; world++) {
		struct member m[64];
		struct rig r;
		uint32_t id = 0;

		open_cover(&r, ",unprofiled=model", 8);
		while (id < 60) {
			size_t from = r.n_log;
			uint32_t more = 1 + (uint32_t)cs_test_draw(&seed, 6);

			for (; more && id < 60; more--) {
				uint32_t k = (uint32_t)cs_test_draw(&seed, 4);

				id++;
				m[id] = (struct member){
					*kinds[k],
					3 + (uint32_t)cs_test_draw(&seed, 14)
				};
				rig_add(&r, id, m[id].procs,
					1 + (int64_t)cs_test_draw(&seed, 500),
					kinds[k]);
			}
			rig_decide(&r);
			for (size_t i = from; i < r.n_log; i++) {
				joins += r.log[i].rule == 2;
				if (r.log[i].rule != 1)
					continue;
				covers++;
				check_cover(&r, from, m, r.log[i].group);
			}
			for (uint32_t j = 1; j <= id; j++)
				if (rig_runs(&r, j))
					assert_true(rig_running(&r, j).beside <=
						    1.25);
			rig_finish_some(&r, cs_test_draw(&seed, 2), &seed);
		}
		rig_close(&r);
	}
	printf("%u jobs in covers, %u joined\n", covers, joins);
	assert_true(covers > 300 && joins > 300);
}

/* ---- head_slack ---------------------------------------------------------- */

static void a_head_may_be_put_off_within_its_slack(void **state)
{
	static const struct {
		const char *slack;
		int64_t est_s;
		bool passes;
	} want[] = { { "", 150, false },
		     { ",head_slack=1.5", 150, true }, /* until 200 */
		     { ",head_slack=1.5", 201, false } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		char list[64];
		int64_t est_us, max_us;
		struct rig r;

		snprintf(list, sizeof(list), "policy=easy%s", want[i].slack);
		rig_open(&r, list, NULL, 2, 1, 1, 0);
		rig_add(&r, 1, 1, 100, NULL);
		rig_add(&r, 2, 2, 100, NULL);
		rig_add(&r, 3, 1, want[i].est_s, NULL);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 3), want[i].passes);
		if (i) {
			assert_int_equal(cs_engine_promised(r.engine, 2,
							    &est_us, &max_us),
					 0);
			assert_int_equal(est_us, 200 * RIG_S);
			assert_int_equal(max_us, 300 * RIG_S);
		}
		rig_close(&r);
	}
}

static void no_head_passes_its_slack(void **state)
{
	uint64_t seed = cs_test_seed();
	uint32_t late = 0, heads = 0;

	(void)state;
	for (int world = 0; world < 300; world++) {
		int64_t submit_us[64], run_us[64], est[64] = { 0 },
						   max[64] = { 0 };
		struct rig r;
		uint32_t id = 0;

		rig_open(&r, "policy=easy,head_slack=1.4", NULL, 6, 1, 1, 0);
		while (id < 40 || rig_next_end_us(&r) != CS_TIME_NONE) {
			uint32_t more = (uint32_t)cs_test_draw(&seed, 4);

			for (; more && id < 40; more--) {
				int64_t s =
					1 + (int64_t)cs_test_draw(&seed, 500);

				id++;
				submit_us[id] = r.now_us;
				run_us[id] = s * RIG_S;
				rig_add(&r, id,
					1 + (uint32_t)cs_test_draw(&seed, 6), s,
					NULL);
			}
			rig_decide(&r);
			for (uint32_t j = 1; j <= id; j++)
				if (!max[j])
					heads += !cs_engine_promised(
						r.engine, j, &est[j], &max[j]);
			for (uint32_t j = 1; j <= id; j++) {
				int64_t response;

				if (!max[j] || !rig_runs(&r, j))
					continue;
				response = rig_running(&r, j).start_us +
					   run_us[j] - submit_us[j];
				assert_true(response <= max[j]);
				late += response > est[j];
				max[j] = INT64_MAX;
			}
			if (rig_next_end_us(&r) != CS_TIME_NONE)
				rig_finish_due(&r, rig_next_end_us(&r));
		}
		rig_close(&r);
	}
	printf("%u heads, %u put off\n", heads, late);
	assert_true(heads > 1000 && late > 100);
}

/* No head that starts beside others ends beyond its slack, as predicted then, and nobody
 * waits for ever.  Alone few do: who joins a running job may move its end after the head
 * was predicted its own. */
static void no_head_waits_beyond_its_slack(void **state)
{
	uint64_t seed = cs_test_seed();
	uint32_t heads = 0, waited = 0, late = 0;

	(void)state;
	for (int world = 0; world < 300; world++) {
		int64_t submit_us[64], run_us[64], max[64] = { 0 }, est_us;
		struct rig r;
		uint32_t id = 0, started = 0;
		size_t from;

		open_cover(&r, ",cover_wait=10,head_slack=1.4", 8);
		for (int n = 0; n < 200 && started < 40; n++) {
			uint32_t more = (uint32_t)cs_test_draw(&seed, 4);

			for (; more && id < 40; more--) {
				int64_t s =
					1 + (int64_t)cs_test_draw(&seed, 500);

				id++;
				submit_us[id] = r.now_us;
				run_us[id] = s * RIG_S;
				rig_add(&r, id,
					1 + (uint32_t)cs_test_draw(&seed, 16),
					s, kinds[cs_test_draw(&seed, 5)]);
			}
			from = r.n_log;
			rig_decide(&r);
			for (uint32_t j = 1; j <= id; j++)
				if (!max[j])
					heads += !cs_engine_promised(
						r.engine, j, &est_us, &max[j]);
			for (size_t i = from; i < r.n_log; i++) {
				const struct cs_action *a = &r.log[i];
				uint32_t j = a->job_id;
				bool over;
				double run = (double)run_us[j] * a->slowdown;

				started++;
				if (!max[j])
					continue;
				waited +=
					a->rule == 1 && r.now_us > submit_us[j];
				over = r.now_us - submit_us[j] + (int64_t)run >
				       max[j] + RIG_S;
				assert_false(over &&
					     (a->rule == 1 || a->rule == 2));
				late += over;
			}
			if (rig_next_end_us(&r) != CS_TIME_NONE)
				rig_finish_due(&r, rig_next_end_us(&r));
		}
		assert_int_equal(started, id);
		rig_close(&r);
	}
	printf("%u heads, %u of them in covers, %u late\n", heads, waited,
	       late);
	assert_true(heads > 1000 && waited > 100 && late < heads / 100);
}

/* calloc(nodes + 1) must not wrap. */
static void more_nodes_than_there_are_are_asked_for(void **state)
{
	struct cs_job large;
	struct rig r;

	(void)state;
	open_cover(&r, "", 24);
	rig_add(&r, 1, 32, 600,
		"a"); /* spread and alone: half of 16 nodes is free */
	rig_decide(&r);
	assert_non_null(strstr(rig_where(&r, 1), " 15:0,2"));
	large = rig_job(&r, 2, UINT32_MAX, 600, "b");
	large.procs_per_node = 1;
	rig_submit(&r, &large);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

/* Who replays a log makes it in the same decide: one line of the log, though nothing was
 * started. */
static void a_first_prediction_is_a_change(void **state)
{
	struct cs_actions a;
	struct rig r;

	(void)state;
	open_cover(&r, ",head_slack=2", 4);
	rig_add(&r, 1, 16, 600, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 16, 600, NULL);
	for (int first = 1; first >= 0; first--) {
		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		assert_int_equal(a.n, 0);
		assert_int_equal(a.changed, first);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_that_gain_start_together),
		cmocka_unit_test(who_gains_nothing_or_harms_is_alone),
		cmocka_unit_test(
			several_cover_one_and_free_parts_are_used_again),
		cmocka_unit_test(a_small_cover_is_none),
		cmocka_unit_test(parts_of_several_running_jobs_hold_one),
		cmocka_unit_test(empty_nodes_make_up_the_rest),
		cmocka_unit_test(nodes_to_spare_are_used),
		cmocka_unit_test(no_node_is_to_spare_while_tasks_wait),
		cmocka_unit_test(a_head_waits_for_the_nodes_of_its_cover),
		cmocka_unit_test(
			a_head_does_not_wait_if_that_costs_more_than_it_saves),
		cmocka_unit_test(a_late_head_still_shares),
		cmocka_unit_test(covers_pay_and_nobody_suffers),
		cmocka_unit_test(a_head_may_be_put_off_within_its_slack),
		cmocka_unit_test(no_head_passes_its_slack),
		cmocka_unit_test(no_head_waits_beyond_its_slack),
		cmocka_unit_test(more_nodes_than_there_are_are_asked_for),
		cmocka_unit_test(a_first_prediction_is_a_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
