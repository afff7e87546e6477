/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From snapshots to events: the rules of src/plugins/sched/feed/feed.c. */
#include <errno.h>

#include "common/state/state.h"

#include "feedrig.h"

#include "sched/view/comment.h"
#include "sched/run/pause.h"

static int setup_slurm(void **state)
{
	(void)state;
	setup_adapter("order=slurm");
	return 0;
}

/* ---- tests ----------------------------------------------------------------- */

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

/* Where does a job for one whole node start?  Node + 1, 0: nowhere. */
static uint32_t place(void)
{
	struct cs_actions a;
	uint32_t node = 0;

	assert_int_equal(cs_engine_decide(b->engine, b->now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++) {
		struct cs_event ev = {
			.type = CS_EV_REFUSED,
			.t_us = b->now_us,
			.refused = { .seq = a.action[i].seq,
				     .class = CS_REFUSED_GROUP,
				     .why = "test" },
		};

		node = a.action[i].alloc->node[0].node + 1;
		assert_int_equal(cs_engine_event(b->engine, &ev, NULL), 0);
	}
	return node;
}

static void unready_nodes_take_no_start(void **state)
{
	(void)state;
	snapshot();
	b->view->unready[0] = 7;
	b->view->unready_us = T0 + 4 * S;
	job(1);
	assert_int_equal(feed(), 2);
	assert_int_equal(place(), 4);
	snapshot(); /* as before */
	job(1);
	assert_int_equal(feed(), 0);
	snapshot();
	b->view->unready[0] = 15;
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 0);
	snapshot(); /* they are done */
	b->view->unready[0] = 0;
	b->view->unready_us = 0;
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 1);
	snapshot();
	job(1);
	assert_int_equal(feed(), 0);
}

/* Also if that is more than an hour ahead. */
static void nodes_to_reboot_take_no_start(void **state)
{
	(void)state;
	snapshot();
	b->view->rebooting[0] = 7;
	b->view->rebooting_us = T0 + 9000 * S;
	b->view->unready[0] = 8;
	b->view->unready_us = T0 + 4 * S;
	job(1);
	assert_int_equal(feed(), 3);
	assert_int_equal(place(), 0);
	snapshot(); /* the fourth is ready */
	b->view->unready[0] = 0;
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 4);
	snapshot(); /* they are back */
	b->view->rebooting[0] = 0;
	b->view->rebooting_us = 0;
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(place(), 1);
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

static void a_node_that_is_back_settles_first(void **state)
{
	struct cs_settle s = { 0 };

	(void)state;
	assert_int_equal(cs_settle_fit(&s, b->view->machine), 0);
	assert_int_equal(s.n, 4);
	/* at first all that are up have settled; what is drained does not */
	assert_int_equal(cs_settle_look(&s, 0, true, false, T0), 0);
	assert_int_equal(cs_settle_look(&s, 1, false, true, T0), 0);
	assert_int_equal(cs_settle_look(&s, 2, false, false, T0), 0);
	assert_int_equal(cs_settle_look(&s, 2, true, false, T0 + S), 0);
	/* from when it is seen again, however long nobody looked; once */
	for (int64_t at = 60 * S; at < 63 * S; at += S)
		assert_true(cs_settle_look(&s, 1, true, false, T0 + at) ==
			    T0 + 63 * S);
	assert_int_equal(cs_settle_look(&s, 1, true, false, T0 + 63 * S), 0);
	/* down, drained, up */
	assert_int_equal(cs_settle_look(&s, 1, false, true, T0 + 70 * S), 0);
	assert_int_equal(cs_settle_look(&s, 1, false, false, T0 + 80 * S), 0);
	assert_true(cs_settle_look(&s, 1, true, false, T0 + 90 * S) ==
		    T0 + 93 * S);
	/* a time of a view that was an hour ahead */
	assert_true(cs_settle_look(&s, 1, true, false, T0 - 3600 * S) ==
		    T0 - 3597 * S);
	cs_settle_done(&s);
}

static void a_view_that_follows_knows_who_was_absent(void **state)
{
	struct cs_settle s = { 0 }, next = { 0 };
	struct cs_machine *m = b->view->machine;

	(void)state;
	assert_int_equal(cs_settle_copy(&next, &s), 0);
	assert_int_equal(next.n, 0);
	assert_int_equal(cs_settle_fit(&s, m), 0);
	cs_settle_look(&s, 0, false, true, T0);
	cs_settle_look(&s, 1, false, true, T0);
	cs_settle_look(&s, 1, true, false, T0);
	assert_int_equal(cs_settle_copy(&next, &s), 0);
	m->node[3].name = strdup("new");
	assert_int_equal(cs_settle_fit(&next, m), 0);
	assert_true(cs_settle_look(&next, 0, true, false, T0 + S) ==
		    T0 + 4 * S);
	assert_true(cs_settle_look(&next, 1, true, false, T0 + S) ==
		    T0 + 3 * S);
	assert_int_equal(cs_settle_look(&next, 2, true, false, T0 + S), 0);
	/* one never seen */
	assert_int_equal(cs_settle_look(&next, 3, true, false, T0 + S), 0);
	cs_settle_done(&s);
	cs_settle_done(&next);
}

static void rename_node(struct cs_settle *s, uint32_t n, const char *name)
{
	free(b->view->machine->node[n].name);
	b->view->machine->node[n].name = name ? strdup(name) : NULL;
	assert_int_equal(cs_settle_fit(s, b->view->machine), 0);
}

static void a_node_that_left_the_table_is_known_again(void **state)
{
	struct cs_settle s = { 0 }, next = { 0 };

	(void)state;
	assert_int_equal(cs_settle_fit(&s, b->view->machine), 0);
	rename_node(&s, 2, "a");
	rename_node(&s, 3, "b");
	assert_int_equal(cs_settle_look(&s, 2, true, false, T0), 0);
	assert_int_equal(cs_settle_look(&s, 3, true, false, T0), 0);
	/* who was down when it left settles when it is back, elsewhere; the other
	 * does not */
	cs_settle_look(&s, 2, false, true, T0);
	rename_node(&s, 2, NULL);
	rename_node(&s, 3, NULL);
	assert_int_equal(cs_settle_look(&s, 2, false, false, T0), 0);
	rename_node(&s, 3, "a");
	rename_node(&s, 2, "b");
	assert_true(cs_settle_look(&s, 3, true, false, T0) == T0 + 3 * S);
	assert_int_equal(cs_settle_look(&s, 2, true, false, T0), 0);
	/* who settles meanwhile goes on, with the next view, too */
	free(b->view->machine->node[2].name);
	b->view->machine->node[2].name = b->view->machine->node[3].name;
	b->view->machine->node[3].name = NULL;
	assert_int_equal(cs_settle_fit(&s, b->view->machine), 0);
	assert_int_equal(cs_settle_copy(&next, &s), 0);
	assert_true(cs_settle_look(&next, 2, true, false, T0 + S) ==
		    T0 + 3 * S);
	cs_settle_done(&s);
	cs_settle_done(&next);
}

static void nodes_and_reservations(void **state)
{
	static const uint64_t two = 3, one = 1;
	struct cs_view_resv r = { .id = 7,
				  .start_us = T0,
				  .end_us = T0 + 60 * S };

	(void)state;
	r.set = cs_view_set(b->view->sets, &two, 1);
	b->view->resv = calloc(1, sizeof(r));
	b->view->cap_resv = 1;
	snapshot();
	b->view->up[0] = 5;
	b->view->resv[0] = r;
	b->view->n_resv = 1;
	assert_int_equal(feed(), 3);
	snapshot();
	b->view->n_resv = 1;
	assert_int_equal(feed(), 0);
	snapshot();
	b->view->resv[0].set = cs_view_set(b->view->sets, &one, 1);
	b->view->n_resv = 1;
	b->view->up[0] = 15;
	assert_int_equal(feed(), 3);
	for (uint64_t cores = 1; cores <= 3; cores += 2)
		for (int twice = 0; twice < 2; twice++) {
			struct cs_alloc *a = cs_alloc_create(1, 1);

			cs_alloc_cores(a, 0)[0] = cores;
			r.cores = a;
			snapshot();
			r.set = cs_view_set(b->view->sets, &one, 1);
			b->view->resv[0] = r;
			b->view->n_resv = 1;
			assert_int_equal(feed(), !twice);
		}
	snapshot();
	r.cores = NULL;
	r.flags = CS_RESV_MAINT;
	b->view->resv[0] = r;
	b->view->n_resv = 1;
	assert_int_equal(feed(), 1);
	snapshot();
	assert_int_equal(feed(), 1);
	assert_int_equal(b->told.n_resv, 0);
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

static void what_the_engine_cannot_take_is_left_out_once(void **state)
{
	(void)state;
	for (int round = 0; round < 2; round++) {
		struct cs_view_job *j;

		snapshot();
		j = runs(1, 0, T0);
		j->alloc = 0; /* holds what our machine does not have */
		assert_int_equal(feed(), round ? 0 : 2);
	}
	assert_int_equal(stats().running + stats().waiting, 0);
	snapshot();
	assert_int_equal(feed(), 1); /* what it held is free */
	snapshot();
	assert_int_equal(feed(), 0);
}

static struct cs_view_job *job_of_procs(uint32_t id, uint32_t procs)
{
	struct cs_view_job *j = job(id);

	j->desc.procs = procs;
	return j;
}

static void a_refused_job_is_left_out_until_it_changes(void **state)
{
	/* what job 1 asks for in each round, and the events beside it */
	static const uint32_t asks[] = { 0, 0, 4, 0, 4 };
	static const uint64_t events[] = { 1, 0, 1, 1, 1 };

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		snapshot();
		job_of_procs(1, asks[i]);
		job(2);
		assert_int_equal(feed(), events[i]);
		assert_int_equal(stats().waiting, asks[i] ? 2 : 1);
	}
	assert_int_equal(n_said, 1);
	assert_contains(said, "job 1 asks for what the model does not hold");
	snapshot();
	job_of_procs(1, 0);
	job(2);
	assert_int_equal(feed(), 1);
	snapshot(); /* gone while left out */
	job(2);
	assert_int_equal(feed(), 0);
	assert_int_equal(b->known.n, 1);
}

static void a_job_that_is_left_out_may_run_and_wait_again(void **state)
{
	(void)state;
	snapshot();
	job_of_procs(1, 0);
	runs(2, 1, T0);
	assert_int_equal(feed(), 2);
	snapshot();
	runs(1, 0, T0 + S)->desc.procs = 0;
	job_of_procs(2, 0);	     /* requeued */
	assert_int_equal(feed(), 2); /* and nobody to node 0 */
	assert_int_equal(stats().running + stats().waiting, 0);
	assert_int_equal(stats().cores_used, 0);
	snapshot();
	job(1);
	job(2);
	assert_int_equal(feed(), 4); /* what job 1 held is free */
	assert_int_equal(stats().waiting, 2);
}

/* As jobs of a partition with OverSubscribe=FORCE do. */
static void the_second_holder_of_a_core_is_left_out(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0);
	runs(2, 0, T0);
	feed();
	assert_int_equal(stats().running, 1);
	assert_contains(said, "job 2");
	assert_contains(said, "a core");
	for (int round = 0; round < 2; round++) {
		snapshot();
		runs(1, 0, T0);
		runs(2, 0, T0);
		assert_int_equal(feed(), 0);
	}
	assert_int_equal(n_said, 1);
	assert_contains(cs_known_find(&b->known, 2)->why, "a core");
	snapshot();
	runs(2, 0, T0); /* and taken when the first one is gone */
	assert_int_equal(feed(), 3);
	assert_int_equal(stats().running, 1);
	assert_false(cs_known_find(&b->known, 2)->ghost);
	assert_null(cs_known_find(&b->known, 2)->why);
	snapshot();
	runs(2, 0, T0);
	assert_int_equal(feed(), 0);
}

/* Job 2 has a core of job 1's and one that nobody has: nobody else is sent there. */
static void what_a_ghost_holds_is_not_proposed(void **state)
{
	(void)state;
	for (int round = 0; round < 3; round++) {
		bool there = round < 2;

		snapshot();
		if (there) {
			struct cs_view_job *j;

			runs(1, 0, T0);
			j = runs(2, 0, T0);
			cs_alloc_cores(b->view->alloc[j->alloc - 1], 0)[0] = 6;
		}
		job_of_procs(3, 1);
		feed();
		assert_int_equal(b->told.haunted[0], there);
		assert_int_equal(place(), there ? 2 : 1);
	}
}

static void an_unknown_profile_is_said_once(void **state)
{
	(void)state;
	snapshot();
	job_named(1, "nosuch");
	job_named(2, "nosuch");
	feed();
	assert_int_equal(n_said, 1);
	assert_contains(said, "job 1 asks for a profile");
	assert_null(strstr(said, "nosuch")); /* a user's text */
	assert_int_equal(b->told.profiles_bad.n, 1);
}

/* Somebody with ever new names; what comes ten minutes later is said again. */
static void unknown_profiles_are_said_at_a_rate(void **state)
{
	char name[16];

	(void)state;
	snapshot();
	for (uint32_t id = 1; id <= 200; id++) {
		snprintf(name, sizeof(name), "junk%u", id);
		job_named(id, name);
	}
	feed();
	assert_int_equal(n_said, CS_RATE_MAX + 1);
	assert_contains(said, "more jobs ask for profiles");
	assert_int_equal(b->told.profiles_bad.n, 200);
	assert_int_equal(b->told.profiles_bad.job, 200);
	b->now_us += CS_RATE_US;
	snapshot();
	for (uint32_t id = 1; id <= 200; id++) {
		snprintf(name, sizeof(name), "junk%u", id);
		job_named(id, name)->desc.procs = 3; /* told again */
	}
	job_named(201, "nosuch");
	feed();
	assert_int_equal(n_said, CS_RATE_MAX + 2);
	assert_contains(said, "job 201 asks for a profile");
	assert_int_equal(b->told.profiles_bad.n, 201);
}

static struct cs_view_job *job_with(uint32_t id, char fault)
{
	struct cs_view_job *j = job(id);

	((char *)(j + 1))[j->desc.text[CS_VIEW_FAULT]] = fault;
	return j;
}

static void a_malformed_comment_is_said_once_a_job(void **state)
{
	(void)state;
	for (int round = 0; round < 2; round++) {
		snapshot();
		job_with(1, 'x')->desc.procs = 1 + (uint32_t)round;
		job_with(2, 'x');
		job_with(3, 0);
		feed();
		assert_int_equal(n_said, 2);
		assert_int_equal(b->told.comments_bad.n, 2);
		assert_int_equal(b->told.comments_bad.job, 2);
		assert_contains(said, "job 2 has a malformed comment: x");
	}
	snapshot();
	job_with(1, 'y'); /* an updated one */
	feed();
	assert_int_equal(n_said, 3);
	assert_int_equal(b->told.comments_bad.n, 3);
	assert_contains(said, "job 1 has a malformed comment: y");
}

static void our_part_of_a_comment(void **state)
{
	static const struct {
		const char *old;
		struct cs_comment part;
		const char *want;
	} row[] = {
		{ NULL, { "x", NULL, NULL }, "cosched: x" },
		{ NULL, { "", "", "" }, "" },
		{ NULL, { NULL, NULL, NULL }, "" },
		{ "", { "x", NULL, NULL }, "cosched: x" },
		{ "site", { "x", NULL, NULL }, "site; cosched: x" },
		{ "site", { NULL, NULL, NULL }, "site" },
		{ "site; cosched: y", { "x", NULL, NULL }, "site; cosched: x" },
		{ "site; cosched: y", { "", NULL, NULL }, "site" },
		{ "cosched: y; z", { "x", NULL, NULL }, "cosched: x" },
		{ "cosched: y", { "", "", "" }, "" },
		{ "cosched: ; ; ",
		  { NULL, "stopped 1", NULL },
		  "cosched: ; ; ; stopped 1" },
		{ "%s%n", { "x", NULL, NULL }, "%s%n; cosched: x" },
		{ NULL, { NULL, "stopped 1", NULL }, "cosched: stopped 1" },
		{ "site",
		  { NULL, "stopped 1", NULL },
		  "site; cosched: stopped 1" },
		{ "cosched: y, z",
		  { NULL, "stopped 1", NULL },
		  "cosched: y, z; stopped 1" },
		{ "site; cosched: y; stopped 1",
		  { NULL, "stopped 2", NULL },
		  "site; cosched: y; stopped 2" },
		{ "site; cosched: y; stopped 1",
		  { "x", NULL, NULL },
		  "site; cosched: x; stopped 1" },
		{ "cosched: stopped 1",
		  { "x", NULL, NULL },
		  "cosched: x; stopped 1" },
		{ "cosched: stopped 1",
		  { NULL, "stopped 2", NULL },
		  "cosched: stopped 2" },
		{ "cosched: y; stopped 1",
		  { NULL, NULL, NULL },
		  "cosched: y; stopped 1" },
		{ "site, stopped 9; cosched: y; stopped 1",
		  { "", "", NULL },
		  "site, stopped 9" },
		{ NULL,
		  { NULL, NULL, "limit raised from 5 to 6 min" },
		  "cosched: limit raised from 5 to 6 min" },
		{ "cosched: y; stopped 1",
		  { NULL, NULL, "limit raised from 5 to 6 min" },
		  "cosched: y; stopped 1; limit raised from 5 to 6 min" },
		{ "cosched: y; stopped 1; limit raised from 5 to 6 min",
		  { NULL, "", NULL },
		  "cosched: y; limit raised from 5 to 6 min" },
		{ "cosched: y; limit raised from 5 to 6 min",
		  { NULL, "stopped 1", NULL },
		  "cosched: y; stopped 1; limit raised from 5 to 6 min" },
		{ "cosched: limit raised from 5 to 6 min",
		  { "y", NULL, NULL },
		  "cosched: y; limit raised from 5 to 6 min" },
		{ "site; cosched: y; limit raised from 5 to 6 min",
		  { NULL, NULL, "" },
		  "site; cosched: y" },
	};
	char buf[64], small[9];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		int n = cs_comment_with(row[i].old, &row[i].part, buf,
					sizeof(buf));

		assert_string_equal(buf, row[i].want);
		assert_int_equal(n, strlen(row[i].want));
		assert_int_equal(cs_comment_with(row[i].old, &row[i].part,
						 small, sizeof(small)),
				 n);
		assert_int_equal(strlen(small), n < 8 ? n : 8);
		assert_memory_equal(small, row[i].want, strlen(small));
	}
}

/* Only what it says of the limit that the job has. */
static void a_comment_tells_of_a_raise(void **state)
{
	static const struct {
		const char *text;
		uint32_t limit, want;
	} row[] = {
		{ NULL, 6, 0 },
		{ "", 6, 0 },
		{ "limit raised from 5 to 6 min", 6, 0 }, /* not ours */
		{ "cosched: limit raised from 5 to 6 min", 6, 5 },
		{ "site; cosched: x; stopped 1; limit raised from 5 to 6 min",
		  6, 5 },
		{ "cosched: limit raised from 5 to 6 min", 7, 0 },
		{ "cosched: limit raised from 6 to 6 min", 6, 0 },
		{ "cosched: limit raised from 7 to 6 min", 6, 0 },
		{ "cosched: limit raised from 0 to 6 min", 6, 0 },
		{ "cosched: limit raised from -5 to 6 min", 6, 0 },
		{ "cosched: limit raised from 5 to 6 min; x", 6, 0 },
		{ "cosched: limit raised from 99999999999 to 6 min", 6, 0 },
		{ "cosched: limit raised from ", 6, 0 },
	};
	char text[CS_COMMENT_LIMIT];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(
			cs_comment_raised_from(row[i].text, row[i].limit),
			row[i].want);
	cs_comment_limit(text, 5, 6);
	assert_string_equal(text, "limit raised from 5 to 6 min");
	cs_comment_limit(text, 0, 6);
	assert_string_equal(text, "");
	cs_comment_limit(text, UINT32_MAX - 1, UINT32_MAX);
	assert_int_equal(strlen(text),
			 sizeof("limit raised from  to  min") - 1 + 20);
}

static void time_goes_on_after_either_jump(void **state)
{
	struct cs_clock c = { 0 };

	(void)state;
	assert_true(cs_clock_bring(&c, T0, 5 * S) == T0);
	assert_true(cs_clock_bring(&c, T0 + 2 * S, 7 * S) == T0 + 2 * S);
	/* an hour forward and, ten seconds later, back */
	assert_true(cs_clock_bring(&c, T0 + 3602 * S, 7 * S) == T0 + 3602 * S);
	assert_true(cs_clock_bring(&c, T0 + 3612 * S, 17 * S) == T0 + 3612 * S);
	assert_true(cs_clock_bring(&c, T0 + 12 * S, 17 * S) == T0 + 3612 * S);
	assert_true(cs_clock_bring(&c, T0 + 32 * S, 37 * S) == T0 + 3622 * S);
	/* step by step, and together again after two hours */
	for (int64_t us = 37 * S, was = c.now_us; us < 10000 * S;
	     us += 333333) {
		assert_true(cs_clock_bring(&c, T0 - 5 * S + us, us) >= was);
		was = c.now_us;
		if (us > 7220 * S)
			assert_true(c.now_us == T0 - 5 * S + us);
		else if (us < 7215 * S)
			assert_true(c.now_us > T0 - 5 * S + us);
	}
}

static void the_table_of_known_jobs(void **state)
{
	struct cs_known k = { 0 };
	bool there[512] = { false };
	uint32_t seed = 1, n = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint32_t id;
		struct cs_known_job *j;

		seed = seed * 1664525 + 1013904223;
		id = 1 + (seed >> 10) % 511;
		j = cs_known_find(&k, id);
		assert_int_equal(j != NULL, there[id]);
		if (j)
			cs_known_remove(&k, j);
		else
			assert_non_null(cs_known_add(&k, id));
		there[id] = !there[id];
		n += there[id] ? 1 : -1u;
		assert_int_equal(k.n, n);
	}
	cs_known_done(&k);
}

/* 1, 2, 4 ... 64, 64 s; the first of a row may be said. */
static void pauses_between_failures_grow(void **state)
{
	struct cs_pause p = { 0 };
	int64_t now_us = T0;

	(void)state;
	assert_false(cs_pause_holds(&p, now_us));
	for (int row = 0; row < 2; row++) {
		int64_t s = 1;

		for (int i = 0; i < 9; i++, s = s < 64 ? 2 * s : s) {
			assert_int_equal(cs_pause_failed(&p, now_us), !i);
			assert_true(cs_pause_holds(&p, now_us + s * S - 1));
			now_us += s * S;
			assert_false(cs_pause_holds(&p, now_us));
		}
		cs_pause_over(&p);
		assert_false(cs_pause_holds(&p, now_us - 1));
	}
}

/* Dynamic nodes: Slurm's table has 2 nodes of 4 cores, a hole before the second and
 * one behind it; its map of the system has 8 cores. */
/* The view has followed: node @n is of @sockets by @cores. */
static void node_is(uint32_t n, uint16_t sockets, uint16_t cores)
{
	struct cs_node now = b->view->machine->node[n];

	now.name = NULL;
	now.sockets = sockets;
	now.cores_per_socket = cores;
	assert_int_equal(cs_machine_put(b->view->machine, n, &now, NULL), 0);
	cs_bit_set(b->view->moved, n);
	cs_bit_put(b->view->up, n, cores > 0);
}

static void nodes_that_go_come_and_change_are_told(void **state)
{
	struct cs_err err = { "" };

	(void)state;
	snapshot();
	runs(1, 0, T0);
	feed();
	snapshot();
	runs(1, 0, T0);
	node_is(3, 1, 0);
	/* down, and then vacant */
	assert_int_equal(feed(), 2);
	assert_int_equal(b->view->moved[0], 0);
	assert_int_equal(cs_engine_machine(b->engine)->n_there, 3);
	snapshot();
	runs(1, 0, T0);
	node_is(3, 1, 7);
	node_is(2, 2, 3);
	assert_int_equal(feed(), 5);
	assert_int_equal(b->told.up[0], 15);
	assert_int_equal(cs_engine_node(b->engine, 3).cores, 7);
	assert_int_equal(cs_engine_node(b->engine, 2).cores, 6);
	snapshot();
	runs(1, 0, T0);
	assert_int_equal(feed(), 0);
	/* a weight is told as it is */
	snapshot();
	runs(1, 0, T0);
	b->view->machine->node[0].weight++;
	cs_bit_set(b->view->moved, 0);
	assert_int_equal(feed(), 1);
	assert_int_equal(cs_engine_machine(b->engine)->node[0].weight, 2);
	assert_false(cs_engine_machine(b->engine)->level);
	/* who holds it keeps it: that needs a new adapter, and is no fault */
	snapshot();
	runs(1, 0, T0);
	node_is(0, 1, 1);
	assert_int_equal(cs_feed(b, &err), -ERESTART);
	assert_contains(err.text, "is held");
	assert_int_equal(cs_engine_check(b->engine, &err), 0);
}

static void a_hole_in_slurms_table_has_no_cores(void **state)
{
	struct cs_view *v = b->view;

	(void)state;
	v->first_core = calloc(4, sizeof(*v->first_core));
	assert_non_null(v->first_core);
	v->n_core = v->first_core[3] = 8;
	v->first_core[1] = v->first_core[2] = 4;
	v->machine->node[0].name = strdup("n1");
	v->machine->node[2].name = strdup("n2");
	for (uint32_t n = 1; n < 4; n += 2)
		v->machine->node[n].cores_per_socket = 0;
	for (uint32_t n = 0; n < 4; n++) {
		assert_int_equal(cs_view_system_cores(v, n), n % 2 ? 0 : 4);
		for (uint32_t c = 0; c < cs_view_system_cores(v, n); c++)
			assert_int_equal(cs_view_system_core(v, n, c),
					 n / 2 * 4 + c);
	}
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
		TEST(who_was_given_more_than_time_min_needs_it_all),
		TEST(a_requeued_job_waits_again_with_its_own_limit),
		TEST(a_limit_that_somebody_gave_outlives_a_requeue),
		TEST(also_where_both_came_between_two_looks),
		TEST(after_a_requeue_it_is_another_run),
		TEST(also_one_that_started_earlier),
		TEST(a_start_that_moves_back_is_the_same_run),
		TEST(a_start_that_moves_is_the_same_run),
		TEST(a_job_that_shrinks_is_the_same_run),
		TEST(a_job_that_grows_is_too),
		TEST(one_that_grows_onto_other_jobs_is_left_to_slurm),
		TEST(another_run_gets_back_its_own_limit),
		TEST(suspend_resume_and_limit),
		TEST(a_suspended_job_that_is_cancelled_gets_no_cores),
		TEST(unready_nodes_take_no_start),
		TEST(nodes_to_reboot_take_no_start),
		TEST(a_job_whose_start_was_lost_is_blocked_for_a_moment),
		TEST(without_a_state_every_job_is_blocked_for_a_moment),
		TEST(a_step_back_of_the_clock_wakes_no_later),
		TEST(sets_that_change_for_many_are_one_event),
		TEST(a_node_that_is_back_settles_first),
		TEST(a_view_that_follows_knows_who_was_absent),
		TEST(a_node_that_left_the_table_is_known_again),
		TEST(nodes_and_reservations),
		TEST(nodes_that_go_come_and_change_are_told),
		TEST(a_hole_in_slurms_table_has_no_cores),
		cmocka_unit_test(pauses_between_failures_grow),
		TEST(a_limit_holds_until_a_job_ends),
		TEST(what_the_engine_cannot_take_is_left_out_once),
		TEST(a_refused_job_is_left_out_until_it_changes),
		TEST(a_job_that_is_left_out_may_run_and_wait_again),
		TEST(the_second_holder_of_a_core_is_left_out),
		TEST(what_a_ghost_holds_is_not_proposed),
		TEST(an_unknown_profile_is_said_once),
		TEST(unknown_profiles_are_said_at_a_rate),
		TEST(an_ended_job_waits_again_with_its_own_limit),
		TEST(a_purged_job_is_forgotten),
		TEST(an_end_that_was_not_saved_keeps_the_raise_known),
		TEST(a_malformed_comment_is_said_once_a_job),
		cmocka_unit_test(our_part_of_a_comment),
		cmocka_unit_test(a_comment_tells_of_a_raise),
		cmocka_unit_test(time_goes_on_after_either_jump),
		cmocka_unit_test(the_table_of_known_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
