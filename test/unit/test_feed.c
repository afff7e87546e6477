/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From snapshots to events: the rules of src/plugins/sched/feed/feed.c. */
#include "common/state/state.h"

#include "feedrig.h"

static int setup_slurm(void **state)
{
	(void)state;
	setup_adapter("order=slurm");
	return 0;
}

static void the_same_snapshot_is_no_news(void **state)
{
	(void)state;
	for (int round = 0; round < 3; round++) {
		snapshot();
		job(1);
		job(2);
		runs(3, 0, T0);
		assert_int_equal(feed(), round ? 0 : 4);
	}
	assert_int_equal(stats().waiting, 2);
	assert_int_equal(stats().running, 1);
}

static void a_priority_alone_is_no_news_under_fcfs(void **state)
{
	bool slurm = b->params.order == CS_ORDER_SLURM;

	(void)state;
	snapshot();
	job(1);
	feed();
	snapshot();
	cs_view_options(job(1))->priority = 11;
	assert_int_equal(feed(), slurm ? 1 : 0);
	snapshot();
	job(1)->desc.procs = 3;
	assert_int_equal(feed(), 1);
}

static void what_it_asks_of_cores_reaches_the_engine(void **state)
{
	struct cs_known_job *k;
	struct cs_feed_store store;
	struct cs_view_job *j;
	struct cs_job fed;

	(void)state;
	snapshot();
	job(1);
	feed();
	snapshot();
	j = job(1);
	j->desc.least_cpus = 3;
	j->desc.threads = 2;
	j->desc.mem_threads = 1;
	j->desc.warn_s = 120;
	j->desc.wishes = 77;
	assert_int_equal(feed(), 1);
	k = cs_known_find(&b->known, 1);
	assert_int_equal(cs_feed_job(b, k, &store, &fed), 0);
	assert_int_equal(fed.least_cpus, 3);
	assert_int_equal(fed.threads, 2);
	assert_int_equal(fed.mem_threads, 1);
	assert_int_equal(fed.warn_s, 120);
	assert_int_equal(fed.wishes, 77);
}

static void jobs_come_run_and_go(void **state)
{
	(void)state;
	snapshot();
	job(1);
	job(2);
	assert_int_equal(feed(), 2);
	snapshot();
	runs(1, 0, T0 + S);
	job(2);
	assert_int_equal(feed(), 1);
	assert_int_equal(stats().running, 1);
	assert_int_equal(stats().cores_used, 2);
	snapshot();
	assert_int_equal(feed(), 2); /* finish, cancel */
	assert_int_equal(stats().running + stats().waiting, 0);
	assert_int_equal(b->known.n, 0);
	assert_int_equal(b->count.ended, 1);
}

/* Rule 2: the look says how it ended; 2's record is gone by then. */
static void who_ends_has_failed_unless_it_was_seen_to_do_well(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0);
	runs(2, 1, T0);
	job(3);
	feed();
	snapshot();
	runs(2, 1, T0);
	job(3);
	cs_known_find(&b->known, 1)->done = true;
	*logged = '\0';
	feed();
	assert_string_equal(logged, "finish 1 ");
	snapshot();
	*logged = '\0';
	feed();
	assert_contains(logged, "finish 2 failed ");
	assert_contains(logged, "cancel 3 ");
	assert_null(strstr(logged, "cancel 3 failed"));
}

static void suspend_resume_and_limit(void **state)
{
	struct cs_running r;

	(void)state;
	snapshot();
	runs(1, 0, T0);
	feed();
	snapshot();
	runs(1, 0, T0)->state = CS_VIEW_SUSPENDED;
	assert_int_equal(feed(), 1);
	assert_int_equal(stats().suspended, 1);
	snapshot();
	runs(1, 0, T0)->limit_us = 900 * S;
	assert_int_equal(feed(), 2); /* resume, limit */
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.limit_us, 900 * S);
}

static void a_suspended_job_that_is_cancelled_gets_no_cores(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0)->state = CS_VIEW_SUSPENDED;
	assert_int_equal(feed(), 3);
	snapshot();
	assert_int_equal(feed(), 1);
	assert_int_equal(stats().cores_used, 0);
}

static void a_job_whose_start_was_lost_is_blocked_for_a_moment(void **state)
{
	static const char kept[] =
		"cosched 1\n"
		"job 1 1000000 0 0 0 0 1 0 2000000 1000000 0 0 0\n"
		"job 9 1000000 2 0 0 0 1 0 2000000 1000000 0 0 0\n";

	(void)state;
	cs_checkpoint_read(b, kept, sizeof(kept) - 1);
	assert_int_equal(b->restored.n_kept, 2);
	snapshot();
	job(1);
	job(2);
	job(3);
	assert_int_equal(feed(), 5); /* two are blocked behind */
	assert_true(b->view->wake_us <= b->now_us + 3 * S);
	snapshot();
	job(1);
	job(2);
	job(3);
	assert_int_equal(feed(), 0);
	b->now_us += 3 * S;
	snapshot();
	job(1);
	job(2);
	job(3);
	assert_int_equal(feed(), 2);
}

static void without_a_state_every_job_is_blocked_for_a_moment(void **state)
{
	(void)state;
	cs_checkpoint_read(b, "garbage", 7);
	snapshot();
	job(1);
	runs(2, 0, T0);
	assert_int_equal(feed(), 4);
	assert_int_equal(place(), 0);
	b->now_us += 3 * S;
	snapshot();
	job(1);
	runs(2, 0, T0);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 2);
}

/* The engine is an hour ahead of a clock that was set back. */
static void a_step_back_of_the_clock_wakes_no_later(void **state)
{
	(void)state;
	cs_checkpoint_read(b, "garbage", 7);
	snapshot();
	b->view->ahead_us = 3600 * S;
	b->view->now_us -= 3600 * S;
	job(1);
	feed();
	assert_true(b->view->wake_us <= b->view->now_us + 3 * S);
}

static struct cs_view_job *job_in(uint32_t id, uint64_t nodes)
{
	struct cs_view_job *j = job(id);

	cs_view_options(j)[0].set = cs_view_set(b->view->sets, &nodes, 1);
	return j;
}

static void assert_may_use(uint32_t id, uint64_t nodes)
{
	const struct cs_ejob *j = cs_engine_job(b->engine, id);
	uint32_t words;

	assert_int_equal(*cs_engine_nodeset_words(
				 b->engine, j->job.option[0].nodeset, &words),
			 nodes);
}

/* A node comes to a partition, or leaves it. */
static void sets_that_change_for_many_are_one_event(void **state)
{
	(void)state;
	snapshot();
	for (uint32_t id = 1; id <= 5; id++)
		job_in(id, 3);
	job_in(6, 7);
	job_in(7, 7);
	feed();
	/* jobs 4 and 5 go their own ways; what was 7 is told before what is 7 now */
	snapshot();
	*logged = '\0';
	for (uint32_t id = 1; id <= 3; id++)
		job_in(id, 7);
	job_in(4, 3);
	job_in(5, 1);
	job_in(6, 15);
	job_in(7, 15);
	assert_int_equal(feed(), 4);
	assert_string_equal(logged, "change 4 change 5 ");
	for (uint32_t id = 1; id <= 3; id++)
		assert_may_use(id, 7);
	assert_may_use(4, 3);
	assert_may_use(5, 1);
	assert_may_use(6, 15);
	assert_may_use(7, 15);
	/* one job is no majority of many, nor one alone; nothing changes twice */
	snapshot();
	*logged = '\0';
	job_in(1, 1);
	job_in(2, 7);
	job_in(3, 7);
	job_in(4, 7);
	job_in(5, 1);
	job_in(6, 15);
	job_in(7, 15);
	assert_int_equal(feed(), 2);
	assert_string_equal(logged, "change 1 change 4 ");
	/* a circle */
	snapshot();
	*logged = '\0';
	job_in(1, 1);
	for (uint32_t id = 2; id <= 4; id++)
		job_in(id, 15);
	job_in(5, 1);
	job_in(6, 7);
	job_in(7, 7);
	assert_int_equal(feed(), 5);
	assert_may_use(2, 15);
	assert_may_use(6, 7);
}

static void a_limit_holds_until_a_job_ends(void **state)
{
	struct cs_known_job *k;

	(void)state;
	snapshot();
	job(1);
	runs(2, 0, T0);
	feed();
	k = cs_known_find(&b->known, 1);
	k->hold_us = b->now_us + 30 * S;
	k->hold_ends = b->count.ended;
	snapshot();
	job(1);
	runs(2, 0, T0);
	assert_int_equal(feed(), 1); /* blocked */
	assert_true(cs_known_desc(k)->flags & CS_JOB_BLOCKED);
	snapshot();
	job(1);
	assert_int_equal(feed(), 2); /* finish, unblocked */
	assert_false(cs_known_desc(k)->flags & CS_JOB_BLOCKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_snapshot_is_no_news),
		TEST(a_priority_alone_is_no_news_under_fcfs),
		cmocka_unit_test_setup_teardown(
			a_priority_alone_is_no_news_under_fcfs, setup_slurm,
			teardown),
		TEST(what_it_asks_of_cores_reaches_the_engine),
		TEST(jobs_come_run_and_go),
		TEST(who_ends_has_failed_unless_it_was_seen_to_do_well),
		TEST(suspend_resume_and_limit),
		TEST(a_suspended_job_that_is_cancelled_gets_no_cores),
		TEST(a_job_whose_start_was_lost_is_blocked_for_a_moment),
		TEST(without_a_state_every_job_is_blocked_for_a_moment),
		TEST(a_step_back_of_the_clock_wakes_no_later),
		TEST(sets_that_change_for_many_are_one_event),
		TEST(a_limit_holds_until_a_job_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
