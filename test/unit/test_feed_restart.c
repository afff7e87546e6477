/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the adapter keeps over a restart of slurmctld (checkpoint.c). */
#include "feedrig.h"

#include "common/model/sites.h"

static int setup_ostrich(void **state)
{
	(void)state;
	setup_adapter("policy=ostrich-paper");
	return 0;
}

static int setup_learn(void **state)
{
	(void)state;
	setup_adapter("policy=cover,learn=propose");
	return 0;
}

static void remake_engine(void)
{
	struct cs_err err;

	cs_engine_free(b->engine);
	b->engine = cs_feed_engine(b, &err);
	assert_non_null(b->engine);
}

/* Crossing two sites of two nodes costs a tenth now. */
static int setup_sites(void **state)
{
	static const uint32_t of[] = { 0, 0, 1, 1 };

	(void)state;
	setup_adapter("policy=multisite-adaptive,sites=a+b,across=0.1");
	b->view->machine->sites = cs_sites_create(4, of, 2, NULL);
	assert_non_null(b->view->machine->sites);
	remake_engine();
	return 0;
}

/* For another mode, which has no adapter (after_act.c). */
static void a_state_is_read_without_an_adapter(void **state)
{
	char text[2048], junk[1024];
	struct cs_kept *job;

	(void)state;
	memset(junk, 'x', sizeof(junk) - 1);
	junk[sizeof(junk) - 1] = '\0';
	snprintf(text, sizeof(text),
		 "cosched 1\nnonsense\n%s\njob 0 1 2\nvirtual job 7\n"
		 "job 3 %lld 0 5 1 0 300000000 0 %lld 1200000 5 65535 1\n"
		 "job 2 %lld 0 5 2 0 400000000 0 %lld 1000000 0 0 0",
		 junk, (long long)T0, (long long)T0, (long long)T0,
		 (long long)T0);
	assert_int_equal(cs_checkpoint_jobs(text, strlen(text), &job), 2);
	assert_int_equal(job[0].id, 3);
	assert_int_equal(job[0].start_us, T0);
	assert_int_equal(job[0].raised_from, 5);
	assert_int_equal(job[0].raised_flag, 65535);
	assert_int_equal(job[0].shared, 1);
	assert_int_equal(job[1].id, 2);
	free(job);
	assert_int_equal(cs_checkpoint_jobs("", 0, &job), 0);
	assert_null(job);
}

static void groups_and_limits_outlive_a_restart(void **state)
{
	char text[512];
	struct cs_running r;
	size_t len;
	char *saved;

	(void)state;
	snprintf(text, sizeof(text),
		 "cosched 1\nnonsense\njob 0 1 2\n"
		 "job 1 %lld 0 5 1 0 300000000 1000000 %lld 1200000 5 0 1\n"
		 "job 2 %lld 0 5 2 0 400000000 1000000 %lld 1000000 0 0 1\n",
		 (long long)T0, (long long)(T0 + S), (long long)T0,
		 (long long)(T0 + S));
	cs_checkpoint_read(b, text, strlen(text));
	assert_int_equal(b->restored.n_kept, 2);
	snapshot(); /* the number came back */
	assert_null(cs_checkpoint_run(b, runs(1, 0, T0 + S)));
	snapshot();
	runs(1, 0, T0);
	runs(2, 1, T0);
	feed();
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.group, 5);
	assert_int_equal(r.role, CS_ROLE_PRIMARY);
	assert_int_equal(r.estimate_us, 300 * S);
	assert_int_equal(cs_known_find(&b->known, 1)->raised_from, 5);
	saved = cs_checkpoint_save(b, &len);
	assert_contains(saved, "cosched 1\njob ");
	assert_int_equal(strlen(saved), len);
	free(b->restored.kept);
	b->restored.kept = NULL;
	b->restored.n_kept = 0;
	cs_checkpoint_read(b, saved, len);
	assert_int_equal(b->restored.n_kept, 2);
	free(saved);
}

static void read_line(const char *line)
{
	char text[512];

	snprintf(text, sizeof(text), "cosched 1\n%s", line);
	cs_checkpoint_read(b, text, strlen(text));
	assert_int_equal(b->restored.n_kept, 1);
}

/* The engine is inconsistent, and is not asked: what a cycle did since the last save is
 * in the table. */
static void what_we_did_to_jobs_outlives_a_fault(void **state)
{
	static const struct {
		uint32_t id, raised, shared, group;
		int64_t limit_us, done_us, floor_us;
	} want[] = {
		{ 1, 10, 1, 5, 720 * S, S, 7 }, /* raised since */
		{ 2, 10, 1, 0, 600 * S, 0, 0 }, /* started since */
		{ 9, 5, 1, 0, 600 * S, 0, 0 },	/* unknown: as it was */
	};
	struct cs_known_job *k;
	struct cs_kept *kept;
	char text[1024];
	char *saved;
	size_t len;

	(void)state;
	snprintf(
		text, sizeof(text),
		"cosched 1\n"
		"job 1 %lld 0 5 1 0 300000000 1000000 %lld 1200000 0 0 0 1000000 0 0 7 0 600000000 2\n"
		"job 3 %lld 0 5 1 0 300000000 0 %lld 1000000 5 0 1 0 0 0 0 4 600000000 2\n"
		"job 9 %lld 0 0 0 0 300000000 0 %lld 1000000 5 0 1 0 0 0 0 4 600000000 2\n"
		"virtual campaign 7\n",
		(long long)T0, (long long)(T0 + S), (long long)T0,
		(long long)T0, (long long)T0, (long long)T0);
	snapshot();
	runs(1, 0, T0);
	runs(2, 1, T0);
	runs(3, 2, T0); /* in another run than the saved one */
	runs(4, 3, T0);
	feed();
	cs_engine_free(b->engine);
	b->engine = NULL;
	k = cs_known_find(&b->known, 1);
	k->raised_from = 10;
	k->limit_us = 720 * S;
	k->shared = true;
	k = cs_known_find(&b->known, 2);
	k->raised_from = 10;
	k->shared = true;
	saved = cs_checkpoint_amend(b, text, strlen(text), &len);
	assert_non_null(saved);
	assert_int_equal(strlen(saved), len);
	assert_contains(saved, "\nvirtual campaign 7\n");
	assert_int_equal(cs_checkpoint_jobs(saved, len, &kept), 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(kept[i].id, want[i].id);
		assert_int_equal(kept[i].raised_from, want[i].raised);
		assert_int_equal(kept[i].shared, want[i].shared);
		assert_int_equal(kept[i].group, want[i].group);
		assert_int_equal(kept[i].limit_us, want[i].limit_us);
		assert_int_equal(kept[i].done_us, want[i].done_us);
		assert_int_equal(kept[i].floor_us, want[i].floor_us);
	}
	free(kept);
	free(saved);
	/* and where none is usable */
	saved = cs_checkpoint_amend(b, NULL, 0, &len);
	assert_int_equal(cs_checkpoint_jobs(saved, len, &kept), 2);
	free(kept);
	free(saved);
}

/* Job 1, of two cores, in its third run since T0: in group 5, raised from 5 minutes to
 * 10. */
static void read_run(int64_t at_us)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "job 1 %lld 0 5 1 0 300000000 1000000 %lld 1200000 5 0 1 "
		 "1000000 0 0 0 2 600000000 2\n",
		 (long long)T0, (long long)at_us);
	read_line(line);
}

static struct cs_view_job *third_run(int64_t start_us)
{
	struct cs_view_job *j = runs(1, 0, start_us);

	j->restarts = 2;
	return j;
}

static void a_run_is_found_by_its_number(void **state)
{
	struct cs_view_job *j;

	(void)state;
	read_run(T0 + S);
	snapshot();
	assert_non_null(cs_checkpoint_run(b, third_run(T0)));
	assert_non_null(cs_checkpoint_run(b, third_run(T0 + 60 * S)));
	assert_null(cs_checkpoint_run(b, third_run(T0 - S)));
	j = third_run(T0);
	j->restarts = 3;
	assert_null(cs_checkpoint_run(b, j));
}

/* It had not run yet: a fraction of a second passed before it counted. */
static void what_it_had_not_run_is_not_added(void **state)
{
	struct cs_running r;
	char line[256];

	(void)state;
	snprintf(line, sizeof(line),
		 "job 1 %lld 0 5 1 0 300000000 0 %lld 1200000 5 0 1 0 0 0 0 2 "
		 "600000000 2 %lld\n",
		 (long long)T0, (long long)(T0 + S), (long long)(T0 + S));
	read_line(line);
	snapshot(); /* T0 + S */
	third_run(T0);
	feed();
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.from_us, T0 + S);
	assert_int_equal(r.ran_us, 0);
}

/* Its node booted, or its prolog ended, while slurmctld was down. */
static void one_that_began_meanwhile_is_the_same(void **state)
{
	struct cs_running r;

	for (int prolog = 0; prolog < 2; prolog++) {
		struct cs_view_job *j;

		read_run(T0 + S);
		b->now_us = T0 + 59 * S;
		snapshot();
		j = third_run(prolog ? T0 : T0 + 60 * S);
		j->from_us = T0 + 60 * S;
		feed();
		assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
		assert_int_equal(r.group, 5);
		assert_int_equal(r.ran_us, 0);
		assert_int_equal(r.at_us, T0 + 60 * S);
		assert_int_equal(r.estimate_us, 300 * S);
		assert_int_equal(cs_known_find(&b->known, 1)->raised_from, 5);
		teardown(state);
		setup(state);
	}
}

/* Its size was changed meanwhile: what it took measures nothing, nor after yet another
 * restart. */
static void one_that_was_resized_meanwhile_is_the_same(void **state)
{
	struct cs_running r;
	char *saved;
	size_t len;

	(void)state;
	read_run(T0 + S);
	for (int again = 0; again < 2; again++) {
		snapshot();
		third_run(T0)->cpus = 1;
		feed();
		assert_string_equal(logged, "submit 1 start 1 resize 1 ");
		assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
		assert_true(r.resized);
		assert_int_equal(r.ran_us, S);
		*logged = '\0';
		cs_feed_log_state(b, false);
		assert_string_equal(logged, "submit 1 start 1 resize 1 ");
		saved = cs_checkpoint_save(b, &len);
		teardown(state);
		setup(state);
		cs_checkpoint_read(b, saved, len);
		free(saved);
	}
}

/* It was requeued before we saw that, and slurmctld restarted: the raise is undone. */
static void a_raise_is_undone_after_a_restart_too(void **state)
{
	struct cs_known_job *k;

	(void)state;
	read_run(T0 + S);
	snapshot();
	job(1)->limit_us = 600 * S;
	feed();
	k = cs_known_find(&b->known, 1);
	assert_true(k->tidy && b->untidy);
	assert_int_equal(k->raised_from, 5);
	assert_int_equal(k->estimate_us, 300 * S);
}

/* slurmctld was killed when Slurm had saved a raise, and we had not: the state, if it has
 * the job at all, is from before.  What its comment says of the limit counts. */
static void a_raise_that_only_slurm_saved_is_known(void **state)
{
	struct cs_known_job *k;
	struct cs_running r;

	for (int i = 0; i < 4;
	     i++) { /* i & 1: a run of the state; i & 2: it waits */
		struct cs_view_job *j;

		if (i & 1)
			read_line("job 1 1000000000 0 0 0 0 300000000 0 "
				  "1000000000 1000000 0 0 0 0 0 0 0 2 "
				  "300000000 2\n");
		snapshot();
		j = i & 2 ? job(1) : third_run(T0);
		j->limit_us = 600 * S;
		j->raised_from = 5;
		feed();
		k = cs_known_find(&b->known, 1);
		assert_int_equal(k->raised_from, 5);
		assert_int_equal(k->estimate_us, 300 * S);
		assert_int_equal(k->tidy, (i & 2) != 0);
		if (!(i & 2)) {
			assert_int_equal(cs_engine_running(b->engine, 1, &r),
					 0);
			assert_int_equal(r.estimate_us, 300 * S);
		}
		teardown(state);
		setup(state);
	}
}

/* Our state knows what the limit was: the comment is not asked. */
static void a_raise_of_the_state_counts_before_the_comment(void **state)
{
	struct cs_view_job *j;

	(void)state;
	read_run(T0 + S);
	snapshot();
	j = job(1);
	j->limit_us = 600 * S;
	j->raised_from = 7;
	feed();
	assert_int_equal(cs_known_find(&b->known, 1)->raised_from, 5);
}

/* It was requeued, which we saved, and slurmctld, killed a moment later, did not: its
 * record has the run before the requeue, until its node says that it does not run. */
static void a_requeue_that_slurmctld_lost_leaves_no_raise(void **state)
{
	struct cs_known_job *k;

	(void)state;
	read_run(T0 + S);
	snapshot();
	third_run(T0);
	feed();
	snapshot();
	job(1)->limit_us = 600 * S;
	feed();
	restarted();
	snapshot();
	third_run(T0);
	feed();
	assert_int_equal(cs_known_find(&b->known, 1)->raised_from, 5);
	snapshot();
	job(1)->limit_us = 600 * S;
	feed();
	k = cs_known_find(&b->known, 1);
	assert_true(k->tidy && b->untidy);
	assert_int_equal(k->raised_from, 5);
	assert_int_equal(k->estimate_us, 300 * S);
	/* in its next run, or after a minute, nothing is kept of that one */
	snapshot();
	runs(1, 0, T0 + 4 * S)->restarts = 3;
	feed();
	assert_int_equal(b->ended.n, 0);
	snapshot();
	job(1)->limit_us = 600 * S;
	feed();
	b->now_us += 59 * S;
	snapshot();
	job(1)->limit_us = 600 * S;
	feed();
	assert_int_equal(b->ended.n, 0);
}

static void but_not_a_limit_of_others(void **state)
{
	struct cs_known_job *k;

	(void)state;
	read_run(T0 + S);
	snapshot();
	job(1)->limit_us = 720 * S;
	feed();
	k = cs_known_find(&b->known, 1);
	assert_int_equal(k->raised_from, 0);
	assert_int_equal(k->estimate_us, 600 * S);
	assert_true(k->tidy); /* its comment */
}

/* Its fourth run has it. */
static void nor_does_a_later_run_keep_a_raise(void **state)
{
	struct cs_actions acts;
	struct cs_running r;

	(void)state;
	read_run(T0 + S);
	snapshot();
	third_run(T0)->restarts = 3;
	feed();
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.group, 0);
	assert_int_equal(r.estimate_us, 300 * S);
	assert_int_equal(cs_engine_decide(b->engine, b->now_us, &acts), 0);
	assert_int_equal(acts.n, 1);
	assert_int_equal(acts.action[0].type, CS_ACT_LIMIT);
	assert_int_equal(acts.action[0].limit_us, 300 * S);
}

/* slurmctld lost its start: the next one has the same number. */
static void a_lost_run_is_not_found_again(void **state)
{
	(void)state;
	read_run(T0 + S);
	snapshot();
	job(1)->limit_us = 300 * S;
	feed();
	snapshot();
	assert_null(cs_checkpoint_run(b, third_run(T0 + 9 * S)));
}

/* A job of two whole nodes, one of each site, with a limit of 900 s. */
static struct cs_view_job *crosses(uint32_t id, uint32_t node)
{
	struct cs_view_job *j = job(id);
	struct cs_alloc *a = cs_alloc_create(2, b->view->machine->words);

	for (uint32_t i = 0; i < 2; i++) {
		a->node[i].node = node + 2 * i;
		a->node[i].procs = 4;
		cs_alloc_cores(a, i)[0] = 15;
	}
	j->desc.procs = 8;
	j->state = CS_VIEW_RUNNING;
	j->start_us = j->from_us = T0;
	j->limit_us = 900 * S;
	j->n_node = 2;
	j->cpus = 8;
	assert_true(cs_view_take_alloc(b->view, j, a));
	return j;
}

/* Jobs 1 and 2 started when crossing cost a half; job 2's line does not say what it got
 * for that, as those of jobs with a partner alone. */
static void what_crossing_raised_stays_when_it_costs_less(void **state)
{
	char text[512];
	struct cs_actions acts;
	struct cs_running r;
	size_t len;
	char *saved;

	(void)state;
	snprintf(
		text, sizeof(text),
		"cosched 1\n"
		"job 1 %lld 0 0 0 0 600000000 0 %lld 1500000 10 0 0 0 0 0 900000000\n"
		"job 2 %lld 0 0 0 0 600000000 0 %lld 1500000 10 0 0\n",
		(long long)T0, (long long)T0, (long long)T0, (long long)T0);
	cs_checkpoint_read(b, text, strlen(text));
	snapshot();
	crosses(1, 0);
	crosses(2, 1);
	feed();
	assert_int_equal(cs_engine_decide(b->engine, b->now_us, &acts), 0);
	assert_int_equal(acts.n, 1);
	assert_int_equal(acts.action[0].type, CS_ACT_LIMIT);
	assert_int_equal(acts.action[0].job_id, 2);
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.limit_us, 900 * S);
	assert_int_equal(r.end_us, T0 + 900 * S);
	saved = cs_checkpoint_save(b, &len);
	assert_contains(saved, " 0 0 900000000 0 900000000 8 0\n");
	free(saved);
	/* an administrator's limit is the limit */
	snapshot();
	crosses(1, 0)->limit_us = 720 * S;
	crosses(2, 1)->limit_us = acts.action[0].limit_us;
	feed();
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_in_range(r.end_us, T0 + 719 * S, T0 + 721 * S);
	assert_int_equal(r.floor_us, 0);
}

/* The running engine knows at the start what it will know after a restart, and what a
 * replay learns from the log. */
static void what_crossing_raised_is_known_from_the_start(void **state)
{
	struct cs_feed_start s = { .id = 1, .limit_us = 720 * S };
	struct cs_actions acts;
	struct cs_running r;
	struct cs_err err;
	char *saved;
	size_t len;

	(void)state;
	snapshot();
	job(1)->desc.procs = 12; /* three of the four nodes */
	feed();
	assert_int_equal(cs_engine_decide(b->engine, b->now_us, &acts), 0);
	assert_int_equal(acts.n, 1);
	s.seq = acts.action[0].seq;
	s.start_us = b->now_us;
	s.alloc = cs_alloc_copy(acts.action[0].alloc);
	s.action = &acts.action[0];
	s.n_node = 3;
	s.cpus = 12;
	assert_int_equal(cs_feed_started(b, &s, &err), 0);
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.limit_us, 720 * S);
	assert_in_range(r.floor_us, 660 * S, 660 * S + 1);
	saved = cs_checkpoint_save(b, &len);
	assert_contains(saved, " 0 0 66000000");
	free(saved);
	logged_floor_s = 0;
	cs_feed_log_state(b, false);
	assert_close(logged_floor_s, 660, 1e-5);
	cs_alloc_free((struct cs_alloc *)s.alloc);
}

/* In mode shadow Slurm ends it after 900 s, whatever crossing costs. */
static void in_shadow_it_ends_by_its_own_limit(void **state)
{
	struct cs_actions acts;
	struct cs_running r;

	(void)state;
	b->mode = CS_MODE_SHADOW; /* the parameter says off: a partition's */
	b->params.across = 3;
	remake_engine();
	snapshot();
	crosses(1, 0)->desc.estimate_us = 900 * S;
	feed();
	assert_int_equal(cs_engine_decide(b->engine, b->now_us, &acts), 0);
	assert_int_equal(acts.n, 0);
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_close(r.slowdown, 4, 1e-9);
	assert_int_equal(r.end_us, T0 + 900 * S);
	assert_int_equal(cs_engine_latest_us(b->engine, 1), T0 + 900 * S);
}

/* cosched_mode=shadow, and every partition is in mode act: limits are raised. */
static void with_all_partitions_in_act_limits_are_raised(void **state)
{
	struct cs_actions acts;

	(void)state;
	b->mode = CS_MODE_ACT;
	b->params.mode = CS_MODE_SHADOW;
	remake_engine();
	snapshot();
	crosses(1, 0)->limit_us = 600 * S;
	feed();
	assert_int_equal(cs_engine_decide(b->engine, b->now_us, &acts), 0);
	assert_int_equal(acts.n, 1);
	assert_int_equal(acts.action[0].type, CS_ACT_LIMIT);
	assert_true(acts.action[0].limit_us > 650 * S);
}

/* Job 2 was suspended for 40 of its 100 seconds; job 1's line is an old one. */
static void running_time_outlives_a_restart(void **state)
{
	char text[512];
	struct cs_running r;
	size_t len;
	char *saved;

	(void)state;
	snprintf(
		text, sizeof(text),
		"cosched 1\n"
		"job 1 %lld 0 0 0 0 300000000 1000000 %lld 1000000 0 0 0\n"
		"job 2 %lld 0 0 0 0 300000000 1000000 %lld 1000000 0 0 0 60000000 7 -99\n"
		"job 3 %lld 0 0 0 0 300000000 1000000 %lld 1000000 0 0 0 100000001\n",
		(long long)T0, (long long)(T0 + 100 * S), (long long)T0,
		(long long)(T0 + 100 * S), (long long)T0,
		(long long)(T0 + 100 * S));
	cs_checkpoint_read(b, text, strlen(text));
	assert_int_equal(b->restored.n_kept, 3);
	b->now_us = T0 + 99 * S;
	snapshot();
	runs(1, 0, T0);
	runs(2, 1, T0);
	runs(3, 2, T0); /* more than there was is nonsense */
	feed();
	assert_int_equal(cs_engine_running(b->engine, 3, &r), 0);
	assert_int_equal(r.ran_us, 100 * S);
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.ran_us, 100 * S);
	assert_int_equal(cs_engine_running(b->engine, 2, &r), 0);
	assert_int_equal(r.ran_us, 60 * S);
	saved = cs_checkpoint_save(b, &len);
	assert_contains(saved, "job 2 ");
	assert_contains(saved, " 0 0 0 60000000 7 -99 0 0 600000000 2 0\n");
	assert_contains(saved, " 0 0 0 100000000 0 0 0 0 600000000 2 0\n");
	free(saved);
}

/* Job 1 ran for a minute, was suspended and is so still, a minute later. */
static void nor_does_a_suspended_job_run_meanwhile(void **state)
{
	char text[256];
	struct cs_running r;

	(void)state;
	snprintf(
		text, sizeof(text),
		"cosched 1\n"
		"job 1 %lld 0 0 0 0 300000000 60000000 %lld 1000000 0 0 0 60000000\n",
		(long long)T0, (long long)(T0 + 60 * S));
	cs_checkpoint_read(b, text, strlen(text));
	b->now_us = T0 + 120 * S;
	snapshot();
	runs(1, 0, T0)->state = CS_VIEW_SUSPENDED;
	feed();
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.ran_us, 60 * S);
	assert_int_equal(r.done_us, 60 * S);
	b->now_us += 60 * S;
	logged_at_s = 0;
	cs_feed_log_state(b, false);
	assert_close(logged_at_s, (double)b->now_us / 1e6, 1e-12);
	b->dirty = false;
	snapshot();
	runs(1, 0, T0);
	feed();
	assert_true(b->dirty);
	assert_int_equal(cs_engine_running(b->engine, 1, &r), 0);
	assert_int_equal(r.ran_us, 60 * S);
	assert_int_equal(r.at_us, b->now_us);
}

static struct cs_view_job *job_of(uint32_t id, char user, uint32_t array)
{
	struct cs_view_job *j = job(id);

	((char *)(j + 1))[j->desc.text[CS_VIEW_USER]] = user;
	j->desc.array_id = array;
	j->desc.share = user == 'u' ? 300000000 : 100000000;
	return j;
}

/* Jobs of three users, in campaigns that only the past explains. */
static void some_campaigns(int round)
{
	snapshot();
	runs(1, 0, T0);
	job_of(2, 'u', 0);
	if (round > 0) {
		job_of(3, 'v', 7)->desc.estimate_us = 60 * S;
		job_of(4, 'w', 0);
	}
	if (round > 1)
		job_of(5, 'u', 0);
	feed();
}

static void campaigns_outlive_a_restart(void **state)
{
	struct cs_campaign_view was[8], is[8];
	uint32_t order[8], after[8];
	int64_t now_us, n;
	size_t len;
	char *saved;

	for (int i = 0; i < 4; i++)
		some_campaigns(i);
	assert_int_equal(cs_campaign_ranked(b->engine, order, 8), 4);
	n = cs_campaign_query_all(b->engine, was, 8);
	assert_int_equal(n, 4); /* two of u's: the second came later */
	assert_true(was[0].weight == 300000000 || was[1].weight == 300000000);
	assert_true(b->dirty);
	saved = cs_checkpoint_save(b, &len);
	assert_int_equal(strlen(saved), len);
	assert_contains(saved, "\nvirtual clock ");
	assert_contains(saved, "\nvirtual campaign ");
	now_us = b->now_us;
	teardown(state);
	setup_ostrich(state);
	b->now_us = now_us - S;
	cs_checkpoint_read(b, saved, len);
	assert_true(b->restored.n_line > 0);
	some_campaigns(4);
	assert_int_equal(n_said, 0);
	assert_int_equal(cs_campaign_ranked(b->engine, after, 8), 4);
	assert_memory_equal(after, order, 4 * sizeof(*order));
	assert_int_equal(cs_campaign_query_all(b->engine, is, 8), n);
	for (int64_t i = 0; i < n; i++) {
		assert_int_equal(is[i].id, was[i].id);
		assert_int_equal(is[i].number, was[i].number);
		assert_int_equal(is[i].projected_us, was[i].projected_us);
	}
	free(saved);
}

static void bad_lines_of_campaigns_are_left_out_and_said(void **state)
{
	static const char text[] =
		"cosched 1\nvirtual clock 1 2\nvirtual job 1 2 3 4\n"
		"virtual \nvirtual user\n";

	(void)state;
	cs_checkpoint_read(b, text, strlen(text));
	snapshot();
	job(1);
	assert_int_equal(feed(), 1);
	assert_int_equal(n_said, 1);
	assert_contains(said, "4 lines of the engine's in the state");
	assert_null(b->restored.line);
}

/* It is not in the state, which only mode act keeps; with learn=off there is none. */
static void what_was_learned_has_a_text_of_its_own(void **state)
{
	char *state_text, *learned;
	size_t len;

	(void)state;
	snapshot();
	runs(1, 0, T0);
	feed();
	assert_true(b->dirty);
	assert_int_equal(cs_checkpoint_learned(b, &learned), 0);
	assert_false(b->dirty);
	assert_int_equal(strncmp(learned, "learn first 1 ", 14), 0);
	assert_contains(learned, "\nlearn last ");
	assert_contains(learned, "\nlearn job 1 ");
	assert_int_equal(cs_past_try(learned, NULL), 0);
	state_text = cs_checkpoint_save(b, &len);
	assert_contains(state_text, "job 1 ");
	assert_null(strstr(state_text, "learn"));
	free(state_text);
	teardown(state);
	setup_learn(state);
	cs_checkpoint_read_learned(b, learned);
	assert_int_equal(b->restored.n_line, strlen(learned));
	cs_checkpoint_read_learned(b, "cosched 1\njob 1 2 3\nlearn x");
	assert_int_equal(b->restored.n_line, strlen(learned) + 8);
	snapshot();
	assert_int_equal(feed(), 3);
	assert_int_equal(n_said, 1);
	assert_contains(said, "1 lines of the engine's");
	free(learned);
	teardown(state);
	setup_adapter("learn=off");
	assert_int_equal(cs_checkpoint_learned(b, &learned), 0);
	assert_null(learned);
}

/* Ours are no news, the administrator's are. */
static void priorities_under_ostrich(void **state)
{
	(void)state;
	snapshot();
	job(1);
	assert_int_equal(feed(), 1);
	snapshot();
	cs_view_options(job(1))->priority = 500000000;
	assert_int_equal(feed(), 0);
	for (uint64_t priority = 1; priority < 3; priority++) {
		struct cs_view_job *j;

		snapshot();
		j = job(1);
		j->desc.flags |= CS_JOB_PRIORITY_SET;
		cs_view_options(j)->priority = priority;
		assert_int_equal(feed(), 1);
	}
}

static void garbage_is_no_state(void **state)
{
	static const char *const bad[] = { "", "cosched 2\njob 1",
					   "cosched 1\n",
					   "cosched 1\njob 1 2 3\n\n\njob" };
	char noise[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cs_checkpoint_read(b, bad[i], strlen(bad[i]));
		assert_int_equal(b->restored.n_kept, 0);
		free(b->restored.kept);
		b->restored.kept = NULL;
	}
	memcpy(noise, "cosched 1\n", 10);
	for (size_t i = 10; i < sizeof(noise); i++)
		noise[i] = (char)(i * 2654435761u >> 13);
	cs_checkpoint_read(b, noise, sizeof(noise));
	assert_int_equal(b->restored.n_kept, 0);
}

/* Rule 8: what waits may have had a start that was not saved, and is looked at in a
 * moment; what Slurm keeps back is Slurm's. */
static void without_a_state_jobs_settle(void **state)
{
	static const int64_t at_s[] = { 0, 2, 3 };

	(void)state;
	cs_checkpoint_read(b, "", 0);
	for (size_t i = 0; i < 3; i++) {
		b->now_us = T0 + at_s[i] * S;
		snapshot();
		job(1);
		job(2)->desc.flags |= CS_JOB_BLOCKED;
		feed();
		assert_int_equal(cs_known_find(&b->known, 1)->settles,
				 at_s[i] < 3);
		assert_int_equal(
			!!(cs_known_desc(cs_known_find(&b->known, 1))->flags &
			   CS_JOB_BLOCKED),
			at_s[i] < 3);
		assert_false(cs_known_find(&b->known, 2)->settles);
	}
}

/* Of a job that came after slurmctld had begun no earlier run is lost, and of none if
 * that was long ago. */
static void a_new_job_has_no_earlier_run(void **state)
{
	for (int long_ago = 0; long_ago < 2; long_ago++) {
		cs_checkpoint_read(b, "", 0);
		b->now_us = T0 + 2 * S;
		b->served_us = long_ago ? 0 : T0 + S;
		snapshot();
		job(1);
		job(2)->desc.submit_us = T0 + S;
		feed();
		assert_int_equal(cs_known_find(&b->known, 1)->settles,
				 !long_ago);
		assert_false(cs_known_find(&b->known, 2)->settles);
		assert_false(cs_known_desc(cs_known_find(&b->known, 2))->flags &
			     CS_JOB_BLOCKED);
		teardown(state);
		setup(state);
	}
}

static void a_log_opened_later_holds_the_state(void **state)
{
	(void)state;
	snapshot();
	b->view->up[0] = 7;
	job(1);
	runs(2, 0, T0);
	feed();
	cs_feed_log_state(b, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_state_is_read_without_an_adapter),
		TEST(groups_and_limits_outlive_a_restart),
		TEST(what_we_did_to_jobs_outlives_a_fault),
		TEST(a_run_is_found_by_its_number),
		TEST(what_it_had_not_run_is_not_added),
		TEST(one_that_began_meanwhile_is_the_same),
		TEST(one_that_was_resized_meanwhile_is_the_same),
		TEST(a_raise_is_undone_after_a_restart_too),
		TEST(a_requeue_that_slurmctld_lost_leaves_no_raise),
		TEST(but_not_a_limit_of_others),
		TEST(nor_does_a_later_run_keep_a_raise),
		TEST(a_lost_run_is_not_found_again),
		cmocka_unit_test_setup_teardown(
			what_crossing_raised_stays_when_it_costs_less,
			setup_sites, teardown),
		cmocka_unit_test_setup_teardown(
			what_crossing_raised_is_known_from_the_start,
			setup_sites, teardown),
		cmocka_unit_test_setup_teardown(
			in_shadow_it_ends_by_its_own_limit, setup_sites,
			teardown),
		cmocka_unit_test_setup_teardown(
			with_all_partitions_in_act_limits_are_raised,
			setup_sites, teardown),
		TEST(a_raise_that_only_slurm_saved_is_known),
		TEST(a_raise_of_the_state_counts_before_the_comment),
		TEST(running_time_outlives_a_restart),
		TEST(nor_does_a_suspended_job_run_meanwhile),
		TEST(garbage_is_no_state),
		TEST(without_a_state_jobs_settle),
		TEST(a_new_job_has_no_earlier_run),
		TEST(a_log_opened_later_holds_the_state),
		cmocka_unit_test_setup_teardown(campaigns_outlive_a_restart,
						setup_ostrich, teardown),
		cmocka_unit_test_setup_teardown(
			bad_lines_of_campaigns_are_left_out_and_said,
			setup_ostrich, teardown),
		cmocka_unit_test_setup_teardown(
			what_was_learned_has_a_text_of_its_own, setup_learn,
			teardown),
		cmocka_unit_test_setup_teardown(priorities_under_ostrich,
						setup_ostrich, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
