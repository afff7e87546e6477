/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job of two snapshots: is it the same run, resized or started later, or another one,
 * and whose limit has it (feed/feed_job.c, feed/ended.c)?
 */
#include "feedrig.h"

/* Two that would do with 10 minutes were given 20 by a preemption: job 1, and a task
 * that got its number there. */
static void who_was_given_more_than_time_min_needs_it_all(void **state)
{
	struct cs_running r;

	(void)state;
	snapshot();
	job(1);
	feed();
	snapshot();
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_view_job *j = runs(id, id, T0 + S);

		j->limit_us = j->desc.estimate_us = 1200 * S;
	}
	assert_int_equal(feed(), 4);
	for (uint32_t id = 1; id <= 2; id++) {
		assert_int_equal(cs_engine_running(b->engine, id, &r), 0);
		assert_int_equal(r.estimate_us, 1200 * S);
		assert_int_equal(r.end_us, T0 + 1201 * S);
	}
}

/* Job 1 runs with a limit of 20 minutes that we raised from 10. */
static struct cs_known_job *runs_raised(void)
{
	struct cs_known_job *k;

	snapshot();
	runs(1, 0, T0)->limit_us = 1200 * S;
	feed();
	k = cs_known_find(&b->known, 1);
	k->raised_from = 10;
	return k;
}

static void waits_with_limit(int64_t limit_us)
{
	struct cs_view_job *j = job(1);

	j->limit_us = j->desc.estimate_us = limit_us;
}

static void a_requeued_job_waits_again_with_its_own_limit(void **state)
{
	struct cs_known_job *k = runs_raised();

	(void)state;
	snapshot();
	waits_with_limit(1200 * S);
	assert_int_equal(feed(), 1);
	assert_int_equal(k->estimate_us, 600 * S);
	assert_true(k->tidy);
	assert_int_equal(stats().waiting, 1);
	snapshot();
	waits_with_limit(1200 * S);
	assert_int_equal(feed(), 0);
}

static void a_limit_that_somebody_gave_outlives_a_requeue(void **state)
{
	struct cs_known_job *k = runs_raised();

	(void)state;
	snapshot();
	runs(1, 0, T0)->limit_us = 3600 * S;
	b->dirty = false;
	assert_int_equal(feed(), 1);
	assert_true(b->dirty);
	assert_int_equal(k->raised_from, 0);
	snapshot();
	waits_with_limit(3600 * S);
	assert_int_equal(feed(), 1);
	assert_int_equal(k->estimate_us, 3600 * S);
	assert_false(k->tidy);
}

static void also_where_both_came_between_two_looks(void **state)
{
	struct cs_known_job *k = runs_raised();

	(void)state;
	snapshot();
	waits_with_limit(3600 * S);
	assert_int_equal(feed(), 1);
	assert_int_equal(k->estimate_us, 3600 * S);
	assert_false(k->tidy);
}

/* scontrol requeue of a job that has ended, while slurmctld has its record. */
static void an_ended_job_waits_again_with_its_own_limit(void **state)
{
	(void)state;
	b->view->purge_us = 300 * S;
	runs_raised();
	snapshot();
	feed();
	assert_null(cs_known_find(&b->known, 1));
	assert_int_equal(b->ended.n, 1);
	snapshot();
	waits_with_limit(1200 * S);
	feed();
	assert_int_equal(cs_known_find(&b->known, 1)->estimate_us, 600 * S);
	assert_true(cs_known_find(&b->known, 1)->tidy);
	assert_int_equal(b->ended.n, 1); /* slurmctld may not have saved it */
	snapshot();
	runs(1, 0, b->now_us)->restarts = 1;
	feed();
	assert_int_equal(b->ended.n, 0);
}

/* The number is another job's by then. */
static void a_purged_job_is_forgotten(void **state)
{
	(void)state;
	b->view->purge_us = 300 * S;
	runs_raised();
	snapshot();
	feed();
	b->ended.job[0].until_us = b->now_us + 1;
	snapshot();
	feed();
	assert_int_equal(b->ended.n, 0);
	snapshot();
	waits_with_limit(1200 * S);
	feed();
	assert_int_equal(cs_known_find(&b->known, 1)->estimate_us, 1200 * S);
}

/* slurmctld was killed before it had saved the end: it runs again by its record. */
static void an_end_that_was_not_saved_keeps_the_raise_known(void **state)
{
	struct cs_running r;
	size_t len;
	char *saved;

	(void)state;
	b->view->purge_us = 300 * S;
	runs_raised();
	snapshot();
	feed();
	saved = cs_checkpoint_save(b, &len);
	assert_contains(saved, "\njob 1 ");
	teardown(NULL);
	setup(NULL);
	cs_checkpoint_read(b, saved, len);
	free(saved);
	snapshot();
	runs(1, 0, T0)->limit_us = 1200 * S;
	feed();
	assert_int_equal(cs_known_find(&b->known, 1)->raised_from, 10);
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(b->ended.n, 0);
	snapshot();
	waits_with_limit(1200 * S);
	feed();
	assert_int_equal(cs_known_find(&b->known, 1)->estimate_us, 600 * S);
}

/* Between two looks it was requeued, and runs elsewhere. */
static void after_a_requeue_it_is_another_run(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0);
	feed();
	snapshot();
	runs(1, 1, T0 + S)->restarts = 1;
	assert_int_equal(feed(), 2);
	assert_string_equal(logged, "submit 1 start 1 requeue 1 start 1 ");
	assert_int_equal(stats().running, 1);
}

/* A number was used again, by a job that started before. */
static void also_one_that_started_earlier(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0);
	feed();
	snapshot();
	runs(1, 1, T0 - S)->desc.submit_us = T0 - 2 * S;
	assert_int_equal(feed(), 2);
}

/* While its node booted the clock was set back by an hour. */
static void a_start_that_moves_back_is_the_same_run(void **state)
{
	struct cs_known_job *k = runs_raised();

	(void)state;
	snapshot();
	runs(1, 0, T0 - 3600 * S)->limit_us = 1200 * S;
	feed();
	assert_int_equal(k->raised_from, 10);
	assert_false(k->tidy);
	assert_int_equal(stats().running, 1);
	snapshot();
	runs(1, 0, T0 - 3600 * S)->limit_us = 1200 * S;
	assert_int_equal(feed(), 0);
	restarted();
	snapshot();
	runs(1, 0, T0 - 3600 * S)->limit_us = 1200 * S;
	feed();
	assert_int_equal(cs_known_find(&b->known, 1)->raised_from, 10);
}

static void a_start_that_moves_is_the_same_run(void **state)
{
	struct cs_view_job *j;
	struct cs_running r;

	(void)state;
	snapshot();
	runs(1, 0, T0);
	feed();
	b->now_us += 60 * S;
	snapshot();
	runs(1, 0, T0 + 60 * S); /* its node has booted */
	assert_int_equal(feed(), 1);
	assert_string_equal(logged, "submit 1 start 1 begin 1 ");
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.start_us, T0 + 60 * S);
	assert_int_equal(r.end_us, T0 + 660 * S);
	snapshot();
	runs(1, 0, T0 + 60 * S);
	assert_int_equal(feed(), 0);
	b->now_us += 20 * S;
	snapshot();
	j = runs(1, 0, T0 + 60 * S); /* PrologSlurmctld is over, too */
	j->from_us += 20 * S;
	assert_int_equal(feed(), 1);
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.start_us, T0 + 60 * S);
	assert_int_equal(r.end_us, T0 + 680 * S);
	snapshot();
	j = runs(1, 0, T0 + 60 * S);
	j->state = CS_VIEW_SUSPENDED; /* Slurm no longer says it */
	assert_int_equal(feed(), 1);
	assert_string_equal(logged,
			    "submit 1 start 1 begin 1 begin 1 suspend 1 ");
}

/* Job @id on cores 0 and 1 of nodes @from and after it. */
static struct cs_view_job *runs_on(uint32_t id, uint32_t from, uint32_t n)
{
	struct cs_view_job *j = runs(id, from, T0);
	struct cs_alloc *a = cs_alloc_create(n, b->view->machine->words);

	for (uint32_t i = 0; i < n; i++) {
		a->node[i].node = from + i;
		a->node[i].procs = 2;
		cs_alloc_cores(a, i)[0] = 3;
	}
	j->n_node = n;
	j->cpus = 2 * n;
	assert_true(cs_view_take_alloc(b->view, j, a));
	return j;
}

static void a_job_that_shrinks_is_the_same_run(void **state)
{
	struct cs_running r;

	(void)state;
	snapshot();
	runs_on(1, 0, 3);
	feed();
	assert_int_equal(stats().cores_used, 6);
	snapshot();
	runs_on(1, 0, 2);
	assert_int_equal(feed(), 1);
	snapshot();
	runs_on(1, 0, 2);
	assert_int_equal(feed(), 0);
	assert_int_equal(stats().cores_used, 4);
	snapshot();
	runs_on(1, 0, 1)->state = CS_VIEW_SUSPENDED; /* of --no-kill */
	assert_int_equal(feed(), 2);
	snapshot();
	runs_on(1, 0, 1);
	assert_int_equal(feed(), 1);
	assert_string_equal(
		logged,
		"submit 1 start 1 resize 1 suspend 1 resize 1 resume 1 ");
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.alloc->n_node, 1);
	assert_int_equal(stats().cores_used, 2);
}

/* --mem-update: the same cores, less memory. */
static void a_job_that_gives_memory_back_is_too(void **state)
{
	struct cs_running r;
	struct cs_view_job *j;
	struct cs_alloc *a;

	(void)state;
	for (uint64_t mb = 100; mb >= 50; mb -= 50) {
		snapshot();
		j = runs(1, 0, T0);
		a = b->view->alloc[j->alloc - 1];
		a->node[0].mem_mb = j->mem_mb = mb;
		assert_int_equal(feed(), mb == 100 ? 2 : 1);
	}
	assert_string_equal(logged, "submit 1 start 1 resize 1 ");
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.alloc->node[0].mem_mb, 50);
}

/* Job 2 ran so that job 1 can have its node. */
static void a_job_that_grows_is_too(void **state)
{
	(void)state;
	snapshot();
	runs_on(1, 0, 1);
	runs_on(2, 1, 1);
	feed();
	snapshot();
	runs_on(1, 0, 2);
	assert_int_equal(feed(), 2);
	assert_string_equal(
		logged,
		"submit 1 start 1 submit 2 start 2 finish 2 failed resize 1 ");
	assert_int_equal(stats().cores_used, 4);
}

/* Slurm gives job 1 cores that job 2 has: job 1 is left to Slurm until it ends. */
static void one_that_grows_onto_other_jobs_is_left_to_slurm(void **state)
{
	struct cs_known_job *k;
	char *saved;
	size_t len;

	(void)state;
	snapshot();
	runs_on(1, 0, 1);
	runs_on(2, 1, 1);
	feed();
	k = cs_known_find(&b->known, 1);
	k->raised_from = 5;
	k->shared = true;
	snapshot();
	runs_on(1, 0, 2);
	runs_on(2, 1, 1);
	feed();
	assert_true(k->ghost && k->tidy && b->untidy);
	assert_int_equal(k->raised_from, 5);
	saved = cs_checkpoint_save(b, &len);
	assert_contains(saved, "job 1 1000000000000 0 0 0 0 300000000 0 "
			       "1000000000000 1000000 5 0 1 ");
	free(saved);
	assert_int_equal(stats().running, 1);
	snapshot();
	runs_on(1, 0, 2);
	feed();
	assert_false(k->ghost);
	assert_int_equal(stats().cores_used, 4);
}

/* What the engine says of limits. */
static int64_t limit_set(void)
{
	struct cs_actions a;
	int64_t limit_us = 0;

	assert_int_equal(cs_engine_decide(b->engine, b->now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++)
		if (a.action[i].type == CS_ACT_LIMIT)
			limit_us = a.action[i].limit_us;
	return limit_us;
}

/* Its run was over and the next began between two looks, with the limit that we had
 * raised. */
static void another_run_gets_back_its_own_limit(void **state)
{
	struct cs_known_job *k = runs_raised();
	struct cs_view_job *j;

	(void)state;
	limit_set();
	snapshot();
	j = runs(1, 1, T0 + S);
	j->restarts = 1;
	j->limit_us = j->desc.estimate_us = 1200 * S;
	assert_int_equal(feed(), 2);
	assert_int_equal(k->raised_from, 10);
	assert_int_equal(limit_set(), 600 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_was_given_more_than_time_min_needs_it_all),
		TEST(a_requeued_job_waits_again_with_its_own_limit),
		TEST(a_limit_that_somebody_gave_outlives_a_requeue),
		TEST(also_where_both_came_between_two_looks),
		TEST(after_a_requeue_it_is_another_run),
		TEST(also_one_that_started_earlier),
		TEST(a_start_that_moves_back_is_the_same_run),
		TEST(a_start_that_moves_is_the_same_run),
		TEST(a_job_that_shrinks_is_the_same_run),
		TEST(a_job_that_gives_memory_back_is_too),
		TEST(a_job_that_grows_is_too),
		TEST(one_that_grows_onto_other_jobs_is_left_to_slurm),
		TEST(another_run_gets_back_its_own_limit),
		TEST(an_ended_job_waits_again_with_its_own_limit),
		TEST(a_purged_job_is_forgotten),
		TEST(an_end_that_was_not_saved_keeps_the_raise_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
