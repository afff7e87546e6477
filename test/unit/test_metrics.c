/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of a schedule, worked out by hand. */
#include "simrig.h"

#include <math.h>

static struct cs_metrics figures(const struct simrig *r)
{
	struct cs_metrics k;

	assert_int_equal(
		cs_metrics(&k, &r->trace, &r->result, r->machine, &r->params),
		0);
	return k;
}

/* 4 processors; job 1 from 0 to 100, job 2 from 100 to 150, job 3, which came
 * at 10, from 100 to 120. */
static void three_jobs(struct simrig *r, const char *params)
{
	simrig_open(r, "4x1x1", params, NULL);
	simrig_add(r, 1, 0, 3, 100, 100, 1);
	simrig_add(r, 2, 0, 2, 50, 60, 1);
	simrig_add(r, 3, 10, 1, 20, 30, 1);
}

static void waits_and_slowdowns(void **state)
{
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	three_jobs(&r, "policy=fcfs");
	r.trace.skipped[CS_TRACE_LARGE] = 5;
	simrig_run(&r);
	k = figures(&r);
	assert_int_equal(k.jobs, 3);
	assert_int_equal(k.skipped, 5);
	assert_close(k.makespan, 150, 1e-12);
	assert_close(k.mean_wait, (0 + 100 + 90) / 3., 1e-12);
	assert_close(k.longest_wait_s, 100, 1e-12);
	assert_close(k.wait_p99_s, 100, 1e-12);
	assert_close(k.mean_response, (100 + 150 + 110) / 3., 1e-12);
	assert_close(k.mean_bounded_slowdown, (1 + 3 + 5.5) / 3., 1e-12);
	assert_close(k.utilization, (300 + 100 + 20) / 600., 1e-12);
	assert_close(k.awrt, (300 * 100. + 100 * 150 + 20 * 110) / 420, 1e-12);
	assert_close(k.awwt, (300 * 0. + 100 * 100 + 20 * 90) / 420, 1e-12);
	assert_close(k.rr_all, 1, 0);
	assert_close(k.rr_all_10, k.mean_bounded_slowdown, 0);
	assert_close(k.rr_all_60, (100 / 100. + 150 / 60. + 110 / 60.) / 3,
		     1e-12);
	assert_true(isnan(k.rr_medium) && isnan(k.rr_long));
	assert_true(isnan(k.ucore_high) && isnan(k.jobs_per_group));
	assert_true(isnan(k.delay_mean) && isnan(k.delay_p95));
	assert_true(isnan(k.delay_p75_long));
	simrig_close(&r);
}

/* Two jobs wait from 10 to 100 and, with n_high=2, that is a phase; 3 of 4
 * cores are held in it. */
static void a_phase_of_high_load_in_a_schedule(void **state)
{
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	three_jobs(&r, "policy=fcfs,n_high=2");
	simrig_run(&r);
	k = figures(&r);
	assert_int_equal(k.high_phases, 1);
	assert_close(k.high_s, 90, 1e-12);
	assert_close(k.ucore_high, .75, 1e-12);
	assert_close(k.unode_high, .75, 1e-12);
	simrig_close(&r);
}

static void note(struct cs_load *l, int64_t s, uint32_t waiting, uint32_t cores,
		 uint32_t nodes)
{
	cs_load_note(l, s * S,
		     (struct cs_engine_use){ .waiting = waiting,
					     .cores = cores,
					     .nodes = nodes });
}

static void high_load_is_counted_between_changes(void **state)
{
	struct cs_load l = { .n_high = 2 };

	(void)state;
	note(&l, 0, 1, 4, 2);
	note(&l, 10, 2, 6, 3); /* phase 1 */
	note(&l, 20, 3, 8, 3);
	note(&l, 30, 1, 8, 4);
	note(&l, 50, 2, 2, 1); /* phase 2 */
	note(&l, 55, 0, 2, 1);
	note(&l, 90, 0, 0, 0);
	assert_int_equal(l.phases, 2);
	assert_int_equal(l.high_us, 25 * S);
	assert_close(l.core_us, (10 * 6 + 10 * 8 + 5 * 2) * 1e6, 0);
	assert_close(l.node_us, (10 * 3 + 10 * 3 + 5 * 1) * 1e6, 0);
}

/* Short to 600 s, medium to 10,800 s. */
static void classes_go_by_runtime(void **state)
{
	static const double runtime[] = { 600, 601, 10800, 10801, 20000 };
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	simrig_open(&r, "8x1x1", "policy=easy,rr_bound_s=1200", NULL);
	for (uint32_t i = 0; i < 5; i++)
		simrig_add(&r, i + 1, 0, 1, runtime[i], runtime[i], 1);
	simrig_run(&r);
	r.result.job[0].end_us = 1800 * S;
	r.result.job[1].end_us = 2 * 601 * S;
	r.result.job[2].end_us = 4 * 10800 * S;
	r.result.job[3].end_us = 3 * 10801 * S;
	r.result.job[4].end_us = 6 * 20000 * S;
	for (size_t i = 0; i < 5; i++)
		r.result.job[i].est_us = r.result.job[i].end_us / 2;
	r.result.job[2].est_us = r.result.job[2].end_us / 3;
	r.result.job[3].est_us = r.result.job[3].end_us / 4;
	k = figures(&r);
	assert_close(k.rr_medium, (2 + 4) / 2., 1e-12);
	assert_close(k.rr_long, (3 + 6) / 2., 1e-12);
	assert_close(k.rr_all, (1800 / 1200. + 1202 / 1200. + 4 + 3 + 6) / 5,
		     1e-12);
	assert_close(k.delay_p75_medium, 3, 1e-6);
	assert_close(k.delay_p95_medium, 3, 1e-6);
	assert_close(k.delay_p75_long, 4, 1e-6);
	assert_close(k.delay_p50, 2, 1e-6);
	simrig_close(&r);
}

static void delays_against_what_was_promised(void **state)
{
	static const double est[] = { 200, 100, 0, 100 / 1.5, 50 };
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	simrig_open(&r, "8x1x1", "policy=easy", NULL);
	for (uint32_t i = 0; i < 5; i++)
		simrig_add(&r, i + 1, 0, 1, 100, 100, 1);
	simrig_run(&r);
	for (size_t i = 0; i < 5; i++)
		r.result.job[i].est_us = (int64_t)(est[i] * 1e6);
	k = figures(&r);
	assert_close(k.delay_mean, (.5 + 1 + 1.5 + 2) / 4, 1e-6);
	assert_close(k.delay_p50, 1, 1e-6);
	assert_close(k.delay_p75, 1.5, 1e-6);
	assert_close(k.delay_p95, 2, 1e-6);
	simrig_close(&r);
}

static void groups_and_suspensions(void **state)
{
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	simrig_open(&r, "4x1x1", "policy=easy", NULL);
	simrig_add(&r, 1, 0, 2, 100, 100, 1);
	simrig_run(&r);
	r.result.job[0].end_us = 200 * S; /* of which it ran 100 */
	r.result.grouped = (struct cs_groups){ 4, 10, 9 };
	k = figures(&r);
	assert_close(k.utilization, 200 / 800., 1e-12);
	assert_close(k.jobs_per_group, 2.5, 1e-12);
	simrig_close(&r);
}

/* Users 0, 1, 2 and 7 with mean stretches 4, 1, 3 and 2. */
static void a_user_is_stretched_as_his_jobs_are_in_the_mean(void **state)
{
	static const struct {
		int32_t user;
		double stretch;
	} row[] = { { 2, 4 }, { 0, 1 }, { 7, 2 }, { 0, 7 },
		    { 1, 1 }, { 2, 2 }, { 1, 1 }, { 1, 1 } };
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	simrig_open(&r, "8x1x1", "policy=easy", NULL);
	for (uint32_t i = 0; i < 8; i++)
		simrig_add(&r, i + 1, 0, 1, 5, 5, 1)->user = row[i].user;
	simrig_run(&r);
	for (size_t i = 0; i < 8; i++)
		r.result.job[i].end_us = (int64_t)(row[i].stretch * 5e6);
	k = figures(&r);
	assert_int_equal(k.users, 4);
	assert_close(k.user_stretch_mean, 2.5, 1e-12);
	assert_close(k.user_stretch_max, 4, 1e-12);
	assert_close(k.user_stretch_gini,
		     (-3 * 1 - 1 * 2 + 1 * 3 + 3 * 4) / 40., 1e-12);
	for (size_t i = 0; i < 8; i++)
		r.result.job[i].end_us = 15 * S;
	k = figures(&r);
	assert_close(k.user_stretch_mean, 3, 1e-12);
	assert_close(k.user_stretch_gini, 0, 0);
	simrig_close(&r);
}

/* Of user 1 jobs 1 and 3 are one campaign, from 0 to 120: 100 s, the longest, are more
 * than (3 * 100 + 20) / 4; of user 2, without a number, each is one. */
static void
a_campaign_is_stretched_from_its_first_submit_to_its_last_end(void **state)
{
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	three_jobs(&r, "policy=easy");
	for (size_t i = 0; i < 3; i++) {
		r.trace.job[i].user = i == 1 ? 2 : 1;
		r.trace.job[i].exe = i == 1 ? -1 : 5;
	}
	simrig_run(&r);
	r.result.job[0].end_us = 100 * S;
	r.result.job[1].end_us = 150 * S;
	r.result.job[2].end_us = 120 * S;
	k = figures(&r); /* of jobs: 1, 3 and 5.5 */
	assert_close(k.stretch_mean, 9.5 / 3, 1e-12);
	assert_close(k.stretch_median, 3, 1e-12);
	assert_close(k.stretch_max, 5.5, 1e-12);
	r.result.campaigns = true;
	k = figures(&r);
	assert_close(k.stretch_mean, 2.1, 1e-12);
	assert_close(k.stretch_median, 1.2, 1e-12);
	assert_close(k.stretch_p90, 3, 1e-12);
	r.trace.job[1].user = 1;
	r.trace.job[1].exe = 5; /* now the work counts: 420 / 4 */
	k = figures(&r);
	assert_close(k.stretch_max, 150 / 105., 1e-12);
	simrig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_and_slowdowns),
		cmocka_unit_test(a_phase_of_high_load_in_a_schedule),
		cmocka_unit_test(high_load_is_counted_between_changes),
		cmocka_unit_test(classes_go_by_runtime),
		cmocka_unit_test(delays_against_what_was_promised),
		cmocka_unit_test(groups_and_suspensions),
		cmocka_unit_test(
			a_user_is_stretched_as_his_jobs_are_in_the_mean),
		cmocka_unit_test(
			a_campaign_is_stretched_from_its_first_submit_to_its_last_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
