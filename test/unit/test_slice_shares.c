/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shares of slices by the time of day and the load; random logs. */
#include "slicerig.h"

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

/* What is left of its own slice counts for a short job, then the next ones do: from 5
 * to 20 in every 100 s. */
static void a_short_jobs_prediction_begins_with_the_present_slice(void **state)
{
	static const struct {
		int64_t now_s, service_s, want_s;
	} row[] = {
		{ 0, 3, 8 },	{ 7, 3, 10 },	{ 7, 13, 20 },
		{ 7, 14, 106 }, { 7, 29, 206 }, { 30, 3, 108 },
	};
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, 5, NULL);
	begins(&r, 0, CS_CLASS_SHORT, 20);
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		r.engine->now_us = row[i].now_s * RIG_S;
		assert_int_equal(cs_slice_until_us(r.engine,
						   cs_engine_job(r.engine, 1),
						   row[i].service_s * RIG_S),
				 row[i].want_s * RIG_S);
	}
	rig_close(&r);
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
		cmocka_unit_test(
			a_slice_without_overhead_stops_and_resumes_in_turn),
		cmocka_unit_test(shares_go_by_the_time_of_day),
		cmocka_unit_test(shares_go_by_the_root_of_the_load),
		cmocka_unit_test(what_is_not_in_the_way_is_not_stopped),
		cmocka_unit_test(shares_may_change_at_midnight),
		cmocka_unit_test(
			the_time_of_day_is_that_of_the_zone_and_the_clock),
		cmocka_unit_test(predictions_go_by_the_shares_to_come),
		cmocka_unit_test(
			a_short_jobs_prediction_begins_with_the_present_slice),
		cmocka_unit_test(simulated_logs_hold),
		cmocka_unit_test(slices_that_serve_nobody_are_an_error),
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
