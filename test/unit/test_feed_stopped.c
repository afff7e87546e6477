/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From snapshots to events: jobs that somebody stops, and the cores that they keep. */
#include "feedrig.h"

static int setup_pect(void **state)
{
	(void)state;
	setup_adapter("policy=pect");
	return 0;
}

/* It has a higher number, but was there first. */
static void a_suspended_job_is_fed_before_who_has_its_cores(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0 + S);
	runs(2, 0, T0)->state = CS_VIEW_SUSPENDED;
	runs(3, 0, T0)->state = CS_VIEW_SUSPENDED;
	assert_int_equal(feed(), 8);
	assert_int_equal(n_said, 0);
	assert_int_equal(stats().running, 1);
	assert_int_equal(stats().suspended, 2);
	*logged = '\0';
	cs_feed_log_state(b, false);
	assert_string_equal(logged, "submit 2 start 2 suspend 2 "
				    "submit 3 start 3 suspend 3 "
				    "submit 1 start 1 ");
	snapshot();
	runs(2, 0, T0);
	runs(3, 0, T0)->state = CS_VIEW_SUSPENDED;
	assert_int_equal(feed(), 2); /* finish, resume */
	assert_int_equal(stats().running, 1);
	assert_int_equal(stats().suspended, 1);
}

/* By the gang scheduler: the cores that nobody runs on stay its own. */
static void a_suspended_job_may_keep_its_cores(void **state)
{
	struct cs_view_job *j;
	uint32_t held;

	(void)state;
	snapshot();
	runs(1, 0, T0);
	feed();
	held = (uint32_t)stats().cores_used;
	assert_int_not_equal(held, 0);
	snapshot();
	j = runs(1, 0, T0);
	j->state = CS_VIEW_SUSPENDED;
	j->keeps = true;
	assert_int_equal(feed(), 1);
	assert_int_equal(stats().suspended, 1);
	assert_int_equal(stats().cores_used, held);
	snapshot();
	j = runs(1, 0, T0);
	j->state = CS_VIEW_SUSPENDED;
	j->keeps = true;
	runs(2, 0, T0 + S);
	assert_int_equal(feed(), 2); /* submit, start: on its cores */
	assert_int_equal(n_said, 0);
	assert_int_equal(stats().running, 1);
	assert_int_equal(stats().cores_used, held);
}

static void who_is_suspended_while_left_out_is_taken_as_such(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0);
	runs(2, 0, T0);
	feed();
	snapshot();
	runs(1, 0, T0);
	runs(2, 0, T0)->state = CS_VIEW_SUSPENDED;
	assert_int_equal(feed(), 0);
	snapshot();
	runs(2, 0, T0)->state = CS_VIEW_SUSPENDED;
	assert_int_equal(feed(), 4); /* finish; submit, start, suspend */
	assert_int_equal(stats().suspended, 1);
	assert_int_equal(stats().cores_used, 0);
}

/* As there an administrator may do with `scontrol resume`. */
static void who_is_resumed_on_cores_of_another_is_left_out(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0)->state = CS_VIEW_SUSPENDED;
	runs(2, 0, T0);
	feed();
	assert_int_equal(n_said, 0);
	for (int round = 0; round < 2; round++) {
		snapshot();
		runs(1, 0, T0);
		runs(2, 0, T0);
		assert_int_equal(feed(), round ? 0 : 1);
	}
	assert_int_equal(stats().running, 1);
	assert_int_equal(n_said, 1);
	assert_contains(said, "job 1");
	assert_contains(said, "a core");
	snapshot();
	job(1); /* requeued */
	runs(2, 0, T0);
	assert_int_equal(feed(), 2); /* what it held is free; submit */
	assert_int_equal(stats().waiting, 1);
}

static void and_taken_back_when_they_are_free(void **state)
{
	(void)state;
	for (int round = 0; round < 2; round++) {
		snapshot();
		runs(1, 0, T0)->state =
			round ? CS_VIEW_RUNNING : CS_VIEW_SUSPENDED;
		runs(2, 0, T0);
		feed();
	}
	snapshot();
	runs(1, 0, T0);
	assert_int_equal(feed(), 3); /* finish; submit, start */
	assert_int_equal(stats().running, 1);
	assert_int_equal(stats().cores_used, 2);
	assert_int_equal(n_said, 1);
}

/* Job 1 of node 0, suspended; by a slice if @ours. */
static void stands_still(bool ours)
{
	struct cs_view_job *j = runs(1, 0, T0);

	j->state = CS_VIEW_SUSPENDED;
	j->keeps = j->stopped = ours;
}

/* The job's comment, written at again_us, says whether a slice has stopped it. */
static void who_has_stopped_it_is_written_when_that_changes(void **state)
{
	static const bool ours[] = { true, false, true };

	(void)state;
	for (int round = 0; round < 3; round++) {
		const struct cs_known_job *k;

		snapshot();
		stands_still(ours[round]);
		feed();
		k = cs_known_find(&b->known, 1);
		assert_int_equal(k->stopped, ours[round]);
		assert_int_equal(k->stops, 1);
		assert_int_equal(k->again_us, b->now_us);
	}
}

static void a_hold_alone_gives_nothing_back(void **state)
{
	struct cs_view_job *j;

	(void)state;
	snapshot();
	stands_still(false);
	feed();
	snapshot();
	stands_still(true);
	j = cs_view_next(b->view, NULL);
	j->held = true;
	assert_int_equal(feed(), 0);
	assert_false(cs_known_find(&b->known, 1)->stopped);
}

/* Those that are free are kept for it from the release on. */
static void a_released_job_is_given_back_when_its_cores_are_free(void **state)
{
	struct cs_running r;

	(void)state;
	for (int round = 0; round < 3; round++) {
		snapshot();
		stands_still(round == 2);
		if (round)
			runs(2, 0, T0 + 2 * S);
		feed();
	}
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_true(r.keeps && !r.stopped);
	snapshot();
	stands_still(true);
	assert_int_equal(feed(), 1); /* finish */
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_true(r.stopped);
	assert_int_equal(n_said, 0);
}

/* On node 0, by a slice; job 3 is held besides. */
static void two_stopped(void)
{
	for (uint32_t id = 2; id <= 3; id++) {
		struct cs_view_job *j = runs(id, 0, T0);

		j->state = CS_VIEW_SUSPENDED;
		j->keeps = j->stopped = true;
		j->held = id == 3;
	}
}

/* The limits of the classes have changed: a job that runs, and two that a slice has
 * stopped on its cores, are of one class.  None is left out. */
static void what_runs_has_the_cores_of_what_is_stopped(void **state)
{
	struct cs_running r;

	(void)state;
	snapshot();
	two_stopped();
	runs(1, 0, T0 + S);
	assert_int_equal(feed(), 8);
	assert_int_equal(n_said, 0);
	assert_int_equal(stats().running, 1);
	assert_int_equal(stats().suspended, 2);
	*logged = '\0';
	cs_feed_log_state(b, false);
	assert_string_equal(logged, "submit 2 start 2 suspend 2 "
				    "submit 3 start 3 suspend 3 "
				    "submit 1 start 1 suspend 2 suspend 3 ");
	snapshot();
	two_stopped();
	assert_int_equal(feed(), 1); /* finish */
	for (uint32_t id = 2; id <= 3; id++) {
		assert_int_equal(cs_engine_running(b->engine, id, &r), 0);
		assert_int_equal(r.stopped, id == 2);
		assert_true(r.keeps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_suspended_job_is_fed_before_who_has_its_cores),
		TEST(a_suspended_job_may_keep_its_cores),
		TEST(who_is_suspended_while_left_out_is_taken_as_such),
		TEST(who_is_resumed_on_cores_of_another_is_left_out),
		TEST(and_taken_back_when_they_are_free),
		cmocka_unit_test_setup_teardown(
			a_released_job_is_given_back_when_its_cores_are_free,
			setup_pect, teardown),
		cmocka_unit_test_setup_teardown(
			what_runs_has_the_cores_of_what_is_stopped, setup_pect,
			teardown),
		cmocka_unit_test_setup_teardown(
			who_has_stopped_it_is_written_when_that_changes,
			setup_pect, teardown),
		cmocka_unit_test_setup_teardown(a_hold_alone_gives_nothing_back,
						setup_pect, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
