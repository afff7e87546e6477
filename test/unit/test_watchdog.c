/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When mode act ends: the watchdog that the thread asks, and the gate that opens
 * by itself when the thread does not come.  Time is the test's.
 */
#include "cs_test.h"

#include <string.h>
#include <time.h>

#include "plan/plan.h"
#include "watchdog.h"

#define S 1000000

static int64_t now_us;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	assert_int_equal(clock, CLOCK_MONOTONIC);
	ret->tv_sec = now_us / S;
	ret->tv_nsec = now_us % S * 1000;
	return 0;
}

/* The select shadow is there. */
static int set_up(void **state)
{
	(void)state;
	now_us += 1000 * S;
	cs_plan_reset();
	cs_plan_select_live(1);
	return 0;
}

static void work(int64_t us)
{
	now_us += us;
}

static void wait_for_lock(struct cs_watchdog *w, int64_t us)
{
	cs_watchdog_pause(w);
	now_us += us;
	cs_watchdog_go_on(w);
}

static void assert_trips(struct cs_watchdog *w, const char *want)
{
	char why[200] = "";

	if (cs_watchdog_trips(w, why, sizeof(why)) != (want != NULL))
		fail_msg("'%s', expected '%s'", why, want ? want : "");
	if (want && !strstr(why, want))
		fail_msg("'%s', expected '%s'", why, want);
}

static void a_cycle_over_its_budget_ends_mode_act(void **state)
{
	struct cs_watchdog w;

	(void)state;
	cs_watchdog_set(&w, 100, 60);
	cs_watchdog_begin(&w);
	work(50000);
	wait_for_lock(&w, 0);
	assert_false(cs_watchdog_half(&w));
	work(50000);
	cs_watchdog_end(&w);
	assert_true(cs_watchdog_half(&w));
	assert_trips(&w, NULL);
	cs_watchdog_begin(&w);
	work(100001);
	cs_watchdog_end(&w);
	assert_trips(&w, "worked 100 ms, expected at most "
			 "cosched_budget_ms=100");
	assert_int_equal(w.last_us, 100001);
	cs_watchdog_begin(&w);
	work(1);
	cs_watchdog_end(&w);
	assert_trips(&w, NULL);
	assert_int_equal(w.max_us, 100001);
}

static void waiting_for_locks_is_no_work(void **state)
{
	struct cs_watchdog w;

	(void)state;
	cs_watchdog_set(&w, 100, 1);
	cs_watchdog_begin(&w);
	for (int i = 0; i < 9; i++) {
		work(10000);
		wait_for_lock(&w, 50 * (int64_t)S);
	}
	cs_watchdog_end(&w);
	assert_trips(&w, NULL);
	assert_int_equal(w.last_us, 90000);
}

static void without_a_budget_only_a_hang_counts(void **state)
{
	struct cs_watchdog w;

	(void)state;
	cs_watchdog_set(&w, 0, 2);
	cs_watchdog_begin(&w);
	work(2 * S);
	wait_for_lock(&w, 0);
	work(2 * S);
	cs_watchdog_end(&w);
	assert_false(cs_watchdog_half(&w));
	assert_trips(&w, NULL);
	cs_watchdog_begin(&w);
	work(2 * S + 1);
	cs_watchdog_end(&w);
	assert_trips(&w, "no sign of life for 2 s, expected at most "
			 "cosched_hang_s=2");
}

static void a_select_shadow_that_went_ends_mode_act(void **state)
{
	struct cs_watchdog w;

	(void)state;
	cs_watchdog_set(&w, 0, 60);
	cs_watchdog_begin(&w);
	cs_watchdog_end(&w);
	assert_trips(&w, NULL);
	cs_plan_select_live(0);
	assert_trips(&w, "our select_cons_tres.so is no longer loaded");
}

static enum cs_verdict ask(const char *partition)
{
	struct cs_plan_start start;

	return cs_plan_ask(7, partition, &start);
}

static void a_gate_without_a_beat_opens_by_itself_and_says_it_once(void **state)
{
	(void)state;
	assert_int_equal(ask("main"), CS_VERDICT_PASS);
	assert_int_equal(cs_plan_gate_on(2, true, "old"), 0);
	assert_int_equal(ask("main"), CS_VERDICT_REFUSE);
	assert_int_equal(ask("old"), CS_VERDICT_PASS);
	now_us += 2 * S;
	assert_int_equal(ask("main"), CS_VERDICT_REFUSE);
	cs_plan_beat();
	now_us += 2 * S;
	assert_int_equal(ask("main"), CS_VERDICT_REFUSE);
	now_us += 1;
	assert_int_equal(ask("main"), CS_VERDICT_LAPSE);
	assert_int_equal(cs_plan_gate(), CS_GATE_LAPSED);
	assert_int_equal(ask("main"), CS_VERDICT_PASS);
	cs_plan_beat(); /* which does not undo it */
	assert_int_equal(ask("main"), CS_VERDICT_PASS);
	assert_int_equal(cs_plan_gate_on(2, true, ""), 0);
	assert_int_equal(ask("main"), CS_VERDICT_REFUSE);
	cs_plan_gate_off();
	assert_int_equal(ask("main"), CS_VERDICT_PASS);
}

static void the_plans_own_start_is_imposed_whatever_the_gate_is(void **state)
{
	struct cs_plan_start start = { .job_id = 7, .nodes = &now_us }, got;

	(void)state;
	assert_int_equal(cs_plan_gate_on(2, true, ""), 0);
	cs_plan_start_begin(&start);
	assert_int_equal(cs_plan_ask(7, "main", &got), CS_VERDICT_IMPOSE);
	assert_ptr_equal(got.nodes, &now_us);
	assert_int_equal(cs_plan_ask(8, "main", &got), CS_VERDICT_REFUSE);
	cs_plan_start_end();
	assert_int_equal(cs_plan_ask(7, "main", &got), CS_VERDICT_REFUSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_cycle_over_its_budget_ends_mode_act,
				       set_up),
		cmocka_unit_test_setup(waiting_for_locks_is_no_work, set_up),
		cmocka_unit_test_setup(without_a_budget_only_a_hang_counts,
				       set_up),
		cmocka_unit_test_setup(a_select_shadow_that_went_ends_mode_act,
				       set_up),
		cmocka_unit_test_setup(
			a_gate_without_a_beat_opens_by_itself_and_says_it_once,
			set_up),
		cmocka_unit_test_setup(
			the_plans_own_start_is_imposed_whatever_the_gate_is,
			set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
