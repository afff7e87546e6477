/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When mode act ends: the watchdog that the thread asks, and the gate that opens
 * by itself when the thread does not come; when it is tried again; and what the plan
 * leaves to jobs that start at once or never.  Time is the test's.
 */
#include "cs_test.h"

#include <string.h>
#include <time.h>

#include "gate/gate.h"
#include "sched/run/fallback.h"
#include "sched/run/watchdog.h"

#define S 1000000

static int64_t now_us, worked_us;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	int64_t us = clock == CLOCK_MONOTONIC ? now_us : worked_us;

	assert_true(clock == CLOCK_MONOTONIC ||
		    clock == CLOCK_THREAD_CPUTIME_ID);
	ret->tv_sec = us / S;
	ret->tv_nsec = us % S * 1000;
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	now_us += 1000 * S;
	cs_gate_reset();
	return 0;
}

static void work(int64_t us)
{
	now_us += us;
	worked_us += us;
}

/* For a file or the processor, or while the whole process stands still. */
static void stall(int64_t us)
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
	assert_trips(&w, "worked 101 ms, expected at most "
			 "cosched_budget_ms=100");
	assert_int_equal(w.last.worked_us, 100001);
	cs_watchdog_begin(&w);
	work(1);
	cs_watchdog_end(&w);
	assert_trips(&w, NULL);
	assert_int_equal(w.max.worked_us, 100001);
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
	assert_int_equal(w.last.took_us, 90000);
	assert_int_equal(w.last.worked_us, 90000);
}

/* Work is counted from the cycle's last start. */
static void a_batch_may_take_longer_than_the_budget(void **state)
{
	struct cs_watchdog w;

	(void)state;
	cs_watchdog_set(&w, 100, 60);
	cs_watchdog_begin(&w);
	for (int i = 0; i < 9; i++) {
		work(90000);
		wait_for_lock(&w, 0);
		cs_watchdog_progress(&w);
		assert_trips(&w, NULL);
	}
	work(100000);
	wait_for_lock(&w, 0);
	assert_trips(&w, NULL);
	work(5000);
	cs_watchdog_end(&w);
	assert_trips(&w, "worked 105 ms after its last start");
	assert_int_equal(w.last.worked_us, 915000);
	cs_watchdog_begin(&w);
	work(101000);
	cs_watchdog_end(&w);
	assert_trips(&w, "worked 101 ms, expected");
}

static void time_that_the_thread_waits_is_no_work(void **state)
{
	struct cs_watchdog w;

	(void)state;
	cs_watchdog_set(&w, 100, 1);
	cs_watchdog_begin(&w);
	work(40000);
	stall(12 * S);
	wait_for_lock(&w, 0);
	assert_true(cs_watchdog_half(&w)); /* the rest can wait, too */
	work(60000);
	stall(1);
	cs_watchdog_end(&w);
	assert_trips(&w, NULL);
	assert_int_equal(w.last.took_us, 12 * S + 100001);
	assert_int_equal(w.last.worked_us, 100000);
	cs_watchdog_begin(&w);
	stall(S);
	work(100001);
	cs_watchdog_end(&w);
	assert_trips(&w, "worked 101 ms");
	assert_int_equal(w.max.took_us, 12 * S + 100001);
	assert_int_equal(w.max.worked_us, 100001);
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
	assert_trips(&w, "worked for 3 s without a sign of life, expected at "
			 "most cosched_hang_s=2");
}

/* ---- when it is tried again ---------------------------------------------- */

static struct cs_fallback_now both(void)
{
	/* 1000 s apart */
	return (struct cs_fallback_now){ now_us, now_us / S + 1000 };
}

static void fall(struct cs_fallback *f, int64_t return_s, int64_t want_s)
{
	cs_fallback_add(f, CS_FALLBACK_PASSING, "late", return_s, 0, both());
	assert_int_equal(f->until, CS_FALLBACK_PAUSE);
	assert_int_equal(f->pause_s, want_s);
	assert_int_equal(f->return_s, both().s + want_s);
	assert_false(cs_fallback_due(f, now_us + want_s * S - 1));
	assert_true(cs_fallback_due(f, now_us + want_s * S));
	assert_false(cs_fallback_well(f, now_us + 9999 * (int64_t)S));
	now_us += want_s * S;
	cs_fallback_end(f);
	assert_false(cs_fallback_due(f, now_us));
	f->began_us = now_us;
}

static void a_pause_doubles_until_an_hour_went_well(void **state)
{
	struct cs_fallback f = { 0 };

	(void)state;
	for (int64_t want_s = 60; want_s < 3600; want_s *= 2)
		fall(&f, 60, want_s);
	fall(&f, 60, 3600);
	fall(&f, 60, 3600);
	assert_int_equal(f.row, 8);
	assert_false(cs_fallback_well(&f, now_us + 3600 * (int64_t)S - 1));
	fall(&f, 2, 512); /* rows count, not seconds */
	assert_true(cs_fallback_well(&f, now_us + 3600 * (int64_t)S));
	assert_false(cs_fallback_well(&f, now_us + 3600 * (int64_t)S));
	fall(&f, 60, 60);
	assert_int_equal(f.row, 1);
	assert_int_equal(f.total, 10);
}

static void a_fault_waits_for_a_reconfigure(void **state)
{
	struct cs_fallback f = { 0 };
	struct cs_err text;

	(void)state;
	cs_fallback_add(&f, CS_FALLBACK_FAULT, "inconsistent", 60, 0, both());
	assert_int_equal(f.until, CS_FALLBACK_RECONFIGURE);
	assert_false(cs_fallback_due(&f, INT64_MAX));
	assert_true(cs_fallback_faulty(&f));
	cs_fallback_say(&f, "act", &text);
	assert_string_equal(
		text.text,
		"watchdog: inconsistent; it stays so until scontrol reconfigure: find the cause first, in slurmctld's log");
	cs_fallback_end(&f);
	assert_false(cs_fallback_faulty(&f));
	fall(&f, 60, 120); /* it counts */
	cs_fallback_add(&f, CS_FALLBACK_PASSING, "late", 0, 0, both());
	assert_int_equal(f.until, CS_FALLBACK_RECONFIGURE);
	assert_false(cs_fallback_due(&f, INT64_MAX));
	assert_false(cs_fallback_faulty(&f)); /* the engine is sound */
}

static void a_restart_goes_on_with_the_pause(void **state)
{
	char text[CS_FALLBACK_TEXT], again[CS_FALLBACK_TEXT];
	struct cs_fallback f = { 0 }, got;

	(void)state;
	fall(&f, 60, 60);
	cs_fallback_add(&f, CS_FALLBACK_PASSING, "a cycle\nworked", 60, 0,
			both());
	cs_fallback_print(&f, text);
	now_us += 50 * S;
	assert_int_equal(cs_fallback_read(&got, text, both()), 0);
	assert_int_equal(got.return_us, f.return_us);
	assert_int_equal(got.row, 2);
	assert_int_equal(got.total, 2);
	assert_string_equal(got.why.text, "a cycle?worked");
	cs_fallback_print(&got, again);
	assert_string_equal(again, text);
	/* it ended meanwhile */
	now_us += 71 * S;
	assert_int_equal(cs_fallback_read(&got, text, both()), 0);
	assert_true(cs_fallback_due(&got, now_us));
	/* the clock was set back */
	now_us -= 900 * S;
	assert_int_equal(cs_fallback_read(&got, text, both()), 0);
	assert_int_equal(got.return_us, now_us + 120 * S);
	assert_int_equal(got.return_s, both().s + 120);
}

/* At a reconfigure and at a restart, whose process reads the record. */
static void a_pause_ends_with_its_settings_alone(void **state)
{
	struct cs_fallback f = { 0 }, got;
	char text[CS_FALLBACK_TEXT];

	(void)state;
	assert_false(cs_fallback_anew(&f, 7, true));
	cs_fallback_add(&f, CS_FALLBACK_PASSING, "late", 60, UINT64_MAX,
			both());
	cs_fallback_print(&f, text);
	assert_int_equal(cs_fallback_read(&got, text, both()), 0);
	for (int again = 0; again < 2; again++) {
		assert_false(cs_fallback_anew(&f, UINT64_MAX, again));
		assert_false(cs_fallback_anew(&got, UINT64_MAX, again));
		assert_false(cs_fallback_anew(&f, 0, again)); /* wrong ones */
		assert_true(cs_fallback_anew(&f, 7, again));
		assert_true(cs_fallback_anew(&got, 7, again));
	}
	/* unknown, as in records of before */
	assert_int_equal(cs_fallback_read(&got,
					  "fallback 1 2 2 120 1000 0\nlate",
					  both()),
			 0);
	assert_false(cs_fallback_anew(&got, 7, false));
	assert_true(cs_fallback_anew(&got, 7, true));
	/* a fault, and a passing cause without a return, wait for a reconfigure */
	for (int i = 0; i < 2; i++) {
		cs_fallback_add(&f, i ? CS_FALLBACK_FAULT : CS_FALLBACK_PASSING,
				"x", i ? 60 : 0, 7, both());
		assert_false(cs_fallback_anew(&f, 7, false));
		assert_false(cs_fallback_anew(&f, 8, false));
		assert_true(cs_fallback_anew(&f, 7, true));
	}
}

static void a_record_says_whether_it_was_a_fault(void **state)
{
	struct cs_fallback f = { 0 }, got;
	char text[CS_FALLBACK_TEXT];

	(void)state;
	cs_fallback_add(&f, CS_FALLBACK_FAULT, "inconsistent", 60, 0, both());
	cs_fallback_print(&f, text);
	assert_int_equal(cs_fallback_read(&got, text, both()), 0);
	assert_true(cs_fallback_faulty(&got));
	cs_fallback_add(&f, CS_FALLBACK_PASSING, "late", 0, 0, both());
	cs_fallback_print(&f, text);
	assert_int_equal(cs_fallback_read(&got, text, both()), 0);
	assert_int_equal(got.until, CS_FALLBACK_RECONFIGURE);
	assert_false(cs_fallback_faulty(&got));
	/* records of before said nothing of it */
	assert_int_equal(
		cs_fallback_read(&got, "fallback 2 1 1 0 1000\nlate", both()),
		0);
	assert_true(cs_fallback_faulty(&got));
	assert_int_equal(
		cs_fallback_read(&got, "fallback 1 2 2 120 1000\nlate", both()),
		0);
	assert_false(cs_fallback_faulty(&got));
}

static void a_bad_record_is_none(void **state)
{
	static const char *const bad[] = {
		"",
		"fallback 1 2 2 120",
		"fallback 1 2 2 120 1000",
		"fallback 3 2 2 120 1000\nlate",
		"fallback -1 2 2 120 1000\nlate",
		"fallback 1 2 -2 120 1000\nlate",
		"fallback 1 2 2 3601 1000\nlate",
		"fallback 1 2 2 -1 1000\nlate",
		"fallback 1 2 2 120 1000 7\nlate",
		"fallback 1 2 2 120 1000 0 7 7\nlate",
		"fallback 1 2 2 120 1000 0 x\nlate",
		"gate 1 2 2 120 1000\nlate",
	};
	struct cs_fallback got = { .row = 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!cs_fallback_read(&got, bad[i], both()) || got.row != 7)
			fail_msg("'%s' was read", bad[i]);
	assert_int_equal(
		cs_fallback_read(&got, "fallback 1 2 2 120 1000\nlate", both()),
		0);
	assert_int_equal(got.row, 2);
}

/* ---- the gate ------------------------------------------------------------ */

static enum cs_gate_verdict ask(const char *partition)
{
	struct cs_gate_start start;

	return cs_gate_ask(7, partition, &start);
}

static void a_gate_without_a_beat_opens_by_itself_and_says_it_once(void **state)
{
	(void)state;
	assert_int_equal(ask("main"), CS_VERDICT_PASS);
	assert_int_equal(cs_gate_on(2, true, "old"), 0);
	assert_int_equal(ask("main"), CS_VERDICT_REFUSE);
	assert_int_equal(ask("old"), CS_VERDICT_PASS);
	now_us += 2 * S;
	assert_int_equal(ask("main"), CS_VERDICT_REFUSE);
	cs_gate_beat();
	now_us += 2 * S;
	assert_int_equal(ask("main"), CS_VERDICT_REFUSE);
	now_us += 1;
	assert_int_equal(ask("main"), CS_VERDICT_LAPSE);
	assert_int_equal(cs_gate_state(), CS_GATE_LAPSED);
	assert_int_equal(ask("main"), CS_VERDICT_PASS);
	cs_gate_beat(); /* which does not undo it */
	assert_int_equal(ask("main"), CS_VERDICT_PASS);
	assert_int_equal(cs_gate_on(2, true, ""), 0);
	assert_int_equal(ask("main"), CS_VERDICT_REFUSE);
	cs_gate_off();
	assert_int_equal(ask("main"), CS_VERDICT_PASS);
}

static void the_plans_own_start_is_imposed_whatever_the_gate_is(void **state)
{
	struct cs_gate_start start = { .job_id = 7, .nodes = &now_us }, got;

	(void)state;
	assert_int_equal(cs_gate_on(2, true, ""), 0);
	cs_gate_start_begin(&start);
	assert_int_equal(cs_gate_ask(7, "main", &got), CS_VERDICT_IMPOSE);
	assert_ptr_equal(got.nodes, &now_us);
	assert_int_equal(cs_gate_ask(8, "main", &got), CS_VERDICT_REFUSE);
	cs_gate_start_end();
	assert_int_equal(cs_gate_ask(7, "main", &got), CS_VERDICT_REFUSE);
}

/* Of this start, not of the one before. */
static void a_start_that_waits_for_switches_says_so(void **state)
{
	static const struct cs_gate_start start = { .job_id = 7 };

	(void)state;
	cs_gate_start_begin(&start);
	cs_gate_start_switches();
	assert_true(cs_gate_start_end());
	cs_gate_start_begin(&start);
	assert_false(cs_gate_start_end());
}

static void
a_job_that_starts_at_once_is_sent_to_the_room_that_there_is(void **state)
{
	struct cs_gate_start start = { .job_id = 7 }, got;
	uint64_t refused = cs_gate_counted(CS_COUNT_REFUSED);

	(void)state;
	assert_int_equal(cs_gate_ask_now(8, "main", &got), CS_VERDICT_PASS);
	assert_int_equal(cs_gate_on(2, true, "old"), 0);
	assert_int_equal(cs_gate_ask_now(8, "main", &got), CS_VERDICT_ROOM);
	assert_int_equal(cs_gate_ask_now(8, "old", &got), CS_VERDICT_PASS);
	cs_gate_start_begin(&start);
	assert_int_equal(cs_gate_ask_now(7, "main", &got), CS_VERDICT_IMPOSE);
	assert_int_equal(cs_gate_ask_now(8, "main", &got), CS_VERDICT_ROOM);
	cs_gate_start_end();
	assert_int_equal(cs_gate_counted(CS_COUNT_REFUSED), refused);
	cs_gate_refused();
	assert_int_equal(cs_gate_counted(CS_COUNT_REFUSED), refused + 1);
	assert_int_equal(cs_gate_wait_until(0), CS_WAKE_REFUSED);
	now_us += 2 * S + 1;
	assert_int_equal(cs_gate_ask_now(8, "main", &got), CS_VERDICT_LAPSE);
	cs_gate_off();
}

static void the_room_is_what_was_set_last_until_it_is_released(void **state)
{
	int64_t wanted_us[2] = { 1, INT64_MAX };
	uint32_t id[] = { 3, 5, 9 };
	const struct cs_gate_room want = { .n_node = 2,
					   .wanted_us = wanted_us,
					   .n_joinable = 3,
					   .joinable = id };
	const struct cs_gate_room *first, *second;

	(void)state;
	assert_null(cs_gate_room_hold());
	assert_int_equal(cs_gate_room_set(&want), 0);
	first = cs_gate_room_hold();
	wanted_us[0] = 0; /* it was copied */
	id[0] = 4;
	assert_int_equal(cs_gate_room_set(&(struct cs_gate_room){
				 .n_node = 1, .wanted_us = wanted_us }),
			 0);
	second = cs_gate_room_hold();
	assert_int_equal(first->n_node, 2);
	assert_true(first->wanted_us[0] == 1 &&
		    first->wanted_us[1] == INT64_MAX);
	assert_true(cs_gate_room_joinable(first, 3));
	assert_true(cs_gate_room_joinable(first, 5));
	assert_true(cs_gate_room_joinable(first, 9));
	assert_false(cs_gate_room_joinable(first, 2));
	assert_false(cs_gate_room_joinable(first, 4));
	assert_false(cs_gate_room_joinable(first, 10));
	assert_int_equal(second->n_node, 1);
	assert_false(cs_gate_room_joinable(second, 3));
	cs_gate_room_void();
	assert_null(cs_gate_room_hold());
	assert_int_equal(second->n_node, 1);
	cs_gate_room_release(first);
	cs_gate_room_release(second);
	assert_int_equal(cs_gate_room_set(&want), 0);
	cs_gate_reset();
	assert_null(cs_gate_room_hold());
}

/* Whoever slept through it must see it, too. */
static void every_setting_up_of_the_nodes_counts(void **state)
{
	uint64_t was = cs_gate_machine();

	(void)state;
	cs_gate_wake(CS_WAKE_FREED | CS_WAKE_REFUSED);
	assert_int_equal(cs_gate_machine(), was);
	cs_gate_wake(CS_WAKE_MACHINE | CS_WAKE_FREED);
	cs_gate_wake(CS_WAKE_MACHINE);
	cs_gate_wait_until(0);
	cs_gate_reset();
	assert_int_equal(cs_gate_machine(), was + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_cycle_over_its_budget_ends_mode_act,
				       set_up),
		cmocka_unit_test_setup(waiting_for_locks_is_no_work, set_up),
		cmocka_unit_test_setup(a_batch_may_take_longer_than_the_budget,
				       set_up),
		cmocka_unit_test_setup(time_that_the_thread_waits_is_no_work,
				       set_up),
		cmocka_unit_test_setup(a_pause_doubles_until_an_hour_went_well,
				       set_up),
		cmocka_unit_test_setup(a_fault_waits_for_a_reconfigure, set_up),
		cmocka_unit_test_setup(a_restart_goes_on_with_the_pause,
				       set_up),
		cmocka_unit_test_setup(a_pause_ends_with_its_settings_alone,
				       set_up),
		cmocka_unit_test_setup(a_record_says_whether_it_was_a_fault,
				       set_up),
		cmocka_unit_test_setup(a_bad_record_is_none, set_up),
		cmocka_unit_test_setup(every_setting_up_of_the_nodes_counts,
				       set_up),
		cmocka_unit_test_setup(without_a_budget_only_a_hang_counts,
				       set_up),
		cmocka_unit_test_setup(
			a_gate_without_a_beat_opens_by_itself_and_says_it_once,
			set_up),
		cmocka_unit_test_setup(
			the_plans_own_start_is_imposed_whatever_the_gate_is,
			set_up),
		cmocka_unit_test_setup(a_start_that_waits_for_switches_says_so,
				       set_up),
		cmocka_unit_test_setup(
			a_job_that_starts_at_once_is_sent_to_the_room_that_there_is,
			set_up),
		cmocka_unit_test_setup(
			the_room_is_what_was_set_last_until_it_is_released,
			set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
