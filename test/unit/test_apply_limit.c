/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of running jobs (apply_limit.c) on slurmctld's own records: whatever we raise and
 * lower, no job ends sooner than under stock; at the end of act no raise is left out; a job
 * that waits again has its own limit, and so have its components. */
#include "cs_test.h"

#include "sched/apply/apply_limit.c"

/* ---- slurmctld's ------------------------------------------------------------- */

time_t last_job_update;

static job_record_t *jobs; /* [n_job], numbered from 1 */
static uint32_t n_job;

job_record_t *find_job_record(uint32_t id)
{
	return id && id <= n_job ? &jobs[id - 1] : NULL;
}

void job_time_adj_resv(job_record_t *job_ptr)
{
	(void)job_ptr;
}

/* A list here: all records. */
int slurm_list_for_each(list_t *l, ListForF f, void *arg)
{
	(void)l;
	for (uint32_t i = 0; i < n_job; i++)
		if (f(&jobs[i], arg) < 0)
			return -1;
	return (int)n_job;
}

char *slurm_xstrdup(const char *s)
{
	return strdup(s);
}

void slurm_xfree(void **p)
{
	free(*p);
	*p = NULL;
}

/* ---- ours ---------------------------------------------------------------------- */

static int64_t now_us;

int64_t cs_gate_now_us(void)
{
	return now_us++;
}

int64_t cs_feed_now_us(struct cs_adapter *b)
{
	return b->now_us;
}

uint32_t cs_view_raised_from(const job_record_t *job_ptr, uint16_t *flag)
{
	*flag = 0;
	return cs_comment_raised_from(job_ptr->system_comment,
				      job_ptr->time_limit);
}

void cs_job_count_minutes(job_record_t *job_ptr, uint32_t minutes)
{
	(void)job_ptr;
	(void)minutes;
}

void cs_apply_account_later(struct cs_adapter *b, struct cs_known_job *k)
{
	b->untold = k->untold = true;
}

static struct cs_known_job known[3]; /* numbered from 1 */

struct cs_known_job *cs_known_find(const struct cs_known *k, uint32_t id)
{
	(void)k;
	return id && id <= n_job ? &known[id - 1] : NULL;
}

void cs_feed_log_action(struct cs_adapter *b, const struct cs_action *a,
			bool would)
{
	(void)b;
	(void)a;
	(void)would;
}

int cs_feed_event(struct cs_adapter *b, const struct cs_event *ev,
		  const struct cs_action *action, struct cs_err *err)
{
	(void)b;
	(void)ev;
	(void)action;
	(void)err;
	return 0;
}

struct cs_alloc *cs_view_alloc(const struct cs_view *v,
			       const job_record_t *job_ptr, uint32_t procs,
			       uint32_t cpus_per_proc)
{
	(void)v;
	(void)job_ptr;
	(void)procs;
	(void)cpus_per_proc;
	return NULL;
}

const uint64_t *cs_view_set_words(const struct cs_view_sets *sets, uint32_t set)
{
	(void)sets;
	(void)set;
	return NULL;
}

static struct cs_view view; /* without reservations */
static struct cs_adapter adapter = { .view = &view };

/* The engine has a limit for job 1, 2, ... up to n_job. */
bool __wrap_cs_engine_limit_due(const struct cs_engine *e, size_t *at,
				struct cs_action *ret);
bool __wrap_cs_engine_limit_due(const struct cs_engine *e, size_t *at,
				struct cs_action *ret)
{
	(void)e;
	if (*at >= n_job)
		return false;
	*ret = (struct cs_action){ .job_id = (uint32_t)++ * at,
				   .limit_us = 11 * CS_MINUTE_US };
	return true;
}

static bool asked;

int64_t __wrap_cs_engine_as_of(struct cs_engine *e, int64_t at_us);
int64_t __wrap_cs_engine_as_of(struct cs_engine *e, int64_t at_us)
{
	(void)e;
	(void)at_us;
	assert_false(asked);
	asked = true;
	return 7;
}

void __wrap_cs_engine_asked(struct cs_engine *e, int64_t before_us);
void __wrap_cs_engine_asked(struct cs_engine *e, int64_t before_us)
{
	(void)e;
	assert_int_equal(before_us, 7);
	asked = false;
}

/* Job @id gets @minutes, as by an action of the engine behind a look. */
static void limited(uint32_t id, uint32_t minutes)
{
	known[id - 1].limit_us = cs_apply_limit_us(&jobs[id - 1]);
	cs_apply_limit(&adapter, &(struct cs_action){
					 .job_id = id,
					 .limit_us = minutes * CS_MINUTE_US });
}

/* ---- no job ends sooner ------------------------------------------------------- */

/*
 * What slurmctld does to a job that it has started: select_nodes(),
 * job_config_fini(), _job_suspend_op(), update_job() and the grace time of a preemption,
 * in 22.05.8 and in 24.11.5.
 */
static void starts(job_record_t *r, time_t now, uint32_t limit, bool configures)
{
	*r = (job_record_t){ .job_id = 1,
			     .start_time = now,
			     .end_time = now + limit * 60,
			     .time_limit = limit,
			     .job_state = JOB_RUNNING |
					  (configures ? JOB_CONFIGURING : 0) };
}

static void configured(job_record_t *r, time_t now, bool boots)
{
	r->job_state = JOB_RUNNING;
	if (boots || now != r->start_time)
		r->end_time = now + r->time_limit * 60;
	if (boots)
		r->start_time = now;
}

static void suspended(job_record_t *r, time_t now)
{
	r->pre_sus_time +=
		now - (r->suspend_time ? r->suspend_time : r->start_time);
	r->suspend_time = now;
	r->job_state = JOB_SUSPENDED;
}

static void resumed(job_record_t *r, time_t now)
{
	if (!r->preempt_time)
		r->end_time = now + r->time_limit * 60 - r->pre_sus_time;
	r->suspend_time = now;
	r->job_state = JOB_RUNNING;
}

static void updated(job_record_t *r, time_t now, uint32_t limit)
{
	r->end_time += ((time_t)limit - r->time_limit) * 60;
	if (r->end_time < now)
		r->end_time = now;
	r->time_limit = limit;
}

static void end_set(job_record_t *r, time_t end)
{
	time_t by = end - r->end_time;

	r->end_time = end;
	r->time_limit += (uint32_t)(int32_t)((by + 30) / 60);
}

static void preempted(job_record_t *r, time_t now, time_t grace)
{
	r->preempt_time = now;
	if (r->end_time > now + grace)
		r->end_time = now + grace;
}

struct run {
	uint64_t seed;
	time_t now;
	job_record_t stock, act;
	bool boots;
	bool raises; /* no operator has set its limit or end; one sets it once, as an
			end rounds the limit */
};

static uint32_t below(struct run *x, uint32_t n)
{
	return (uint32_t)cs_test_draw(&x->seed, n);
}

/* One thing happens to the job. */
static void step(struct run *x)
{
	const job_record_t *r = &x->stock;
	void (*move)(job_record_t *, time_t);
	uint32_t limit;
	time_t end;

	switch (below(x, 10)) {
	case 0:
		if (IS_JOB_CONFIGURING(r)) {
			configured(&x->stock, x->now, x->boots);
			configured(&x->act, x->now, x->boots);
		}
		break;
	case 1:
	case 2:
		if (IS_JOB_CONFIGURING(r))
			break;
		move = IS_JOB_SUSPENDED(r) ? resumed : suspended;
		move(&x->stock, x->now);
		move(&x->act, x->now);
		break;
	case 3:
		if (below(x, 8) || x->stock.preempt_time || !x->raises)
			break;
		limit = x->stock.time_limit + below(x, 5) + 1;
		updated(&x->stock, x->now, limit);
		updated(&x->act, x->now, limit);
		x->raises = false;
		break;
	case 4:
		if (below(x, 8) || x->stock.preempt_time ||
		    IS_JOB_SUSPENDED(r) || !x->raises)
			break;
		end = x->now + 60 + below(x, 4000);
		end_set(&x->stock, end);
		end_set(&x->act, end);
		x->raises = false;
		break;
	case 5:
		if (below(x, 20) || x->stock.preempt_time)
			break;
		preempted(&x->stock, x->now, 30);
		preempted(&x->act, x->now, 30);
		break;
	default: /* raised, or lowered, never below what it asked for */
		if (x->raises)
			limited(1, x->stock.time_limit + below(x, 30));
	}
}

static bool runs(const struct run *x)
{
	const job_record_t *r = &x->stock;

	return IS_JOB_CONFIGURING(r) || IS_JOB_SUSPENDED(r) ||
	       r->end_time > x->now;
}

/* Whatever raises, lowers, boots, prologs, suspends, updates and preemptions: no job ends
 * before it would under stock, and it gets as much more as its limit was raised. */
static void no_job_ends_sooner_than_under_stock(void **state)
{
	uint64_t seed = cs_test_seed(), steps = 0;

	(void)state;
	n_job = 1;
	for (uint64_t n = 0; n < 20000; n++) {
		struct run x = { .seed = seed + n,
				 .now = 1000000,
				 .raises = true };
		uint32_t limit;
		bool configures;

		limit = 1 + below(&x, 60);
		configures = below(&x, 2);
		x.boots = configures && below(&x, 2);
		starts(&x.stock, x.now, limit, configures);
		x.act = x.stock;
		jobs = &x.act;
		known[0] = (struct cs_known_job){ .id = 1 };
		if (below(&x, 2)) /* it starts beside others */
			cs_apply_limit_set(&x.act, (limit + 9) * CS_MINUTE_US);
		for (int k = 0; k < 40 && runs(&x); k++, steps++) {
			time_t more = ((time_t)x.act.time_limit -
				       x.stock.time_limit) *
				      60;

			if (x.act.end_time < x.stock.end_time ||
			    (!x.stock.preempt_time && x.raises &&
			     x.act.end_time - x.stock.end_time != more))
				fail_msg("seed %llu, job %llu, step %d: ends "
					 "%lld s after stock's, limit %lld s "
					 "above",
					 (unsigned long long)seed,
					 (unsigned long long)n, k,
					 (long long)(x.act.end_time -
						     x.stock.end_time),
					 (long long)more);
			x.now += below(&x, 200);
			step(&x);
		}
		free(x.act.system_comment);
	}
	assert_true(steps > 100000);
}

/* ---- limits of others (rule 8) --------------------------------------------------- */

/* An operator gives a job ten hours between the look and the engine's action. */
static void a_limit_that_others_have_set_since_the_look_stays(void **state)
{
	job_record_t one;

	(void)state;
	jobs = &one;
	n_job = 1;
	starts(&one, 1000000, 10, false);
	known[0] =
		(struct cs_known_job){ .id = 1, .limit_us = 10 * CS_MINUTE_US };
	updated(&one, 1000060, 600);
	cs_apply_limit(&adapter,
		       &(struct cs_action){ .job_id = 1,
					    .limit_us = 11 * CS_MINUTE_US });
	assert_int_equal(one.time_limit, 600);
	assert_int_equal(one.end_time, 1000000 + 600 * 60);
	assert_int_equal(one.limit_set.time, 0);
	assert_int_equal(known[0].raised_from, 0);
	assert_int_equal(known[0].limit_us, 10 * CS_MINUTE_US);
	assert_null(one.system_comment);
	/* the next look has it */
	limited(1, 660);
	assert_int_equal(one.time_limit, 660);
	assert_int_equal(known[0].raised_from, 600);
	free(one.system_comment);
}

/* ... and another one when it waits again. */
static void so_does_one_of_a_job_that_waits_again(void **state)
{
	struct cs_known_job *list[] = { &known[0] };
	job_record_t one;

	(void)state;
	jobs = &one;
	n_job = 1;
	starts(&one, 1000000, 10, false);
	known[0] = (struct cs_known_job){ .id = 1 };
	limited(1, 11);
	one.job_state = JOB_PENDING;
	one.time_limit = 600;
	known[0].tidy = true;
	adapter.known = (struct cs_known){ .list = list, .n = 1 };
	adapter.untidy = true;
	cs_apply_limit_tidy(&adapter);
	assert_int_equal(one.time_limit, 600);
	assert_null(one.system_comment);
	assert_int_equal(known[0].raised_from, 0);
	assert_false(known[0].tidy);
}

/* ---- the end of act (rule 7) ---------------------------------------------------- */

/* Job 2 has ended; each step has time for one. */
static void at_the_end_of_act_limits_that_are_due_are_set(void **state)
{
	job_record_t three[3];
	int steps = 1;

	(void)state;
	jobs = three;
	n_job = 3;
	memset(known, 0, sizeof(known));
	for (uint32_t i = 0; i < 3; i++) {
		starts(&three[i], 1000000, 10, false);
		known[i].limit_us = 10 * CS_MINUTE_US;
	}
	three[1].job_state = JOB_COMPLETE;
	adapter.untold = adapter.wrote = false;
	while (cs_apply_limits_due(&adapter, now_us))
		steps++;
	assert_false(asked);
	assert_int_equal(steps, 4);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(three[i].time_limit, i == 1 ? 10 : 11);
		assert_int_equal(three[i].end_time,
				 1000000 + 60 * three[i].time_limit);
		assert_int_equal(known[i].raised_from, i == 1 ? 0 : 10);
		free(three[i].system_comment);
	}
	assert_true(adapter.untold && adapter.wrote);
}

/* ---- waiting again ------------------------------------------------------------ */

/* Job 1 has three components; the third runs on in another job's stead. */
static void components_that_wait_again_have_their_own_limits(void **state)
{
	job_record_t three[3];
	struct cs_known_job *list[] = { &known[0] };

	(void)state;
	jobs = three;
	n_job = 3;
	memset(known, 0, sizeof(known));
	for (uint32_t i = 0; i < 3; i++) {
		known[i].id = i + 1;
		starts(&three[i], 1000000, 10, false);
		three[i].job_id = i + 1;
		limited(i + 1, 11);
		assert_string_equal(three[i].system_comment,
				    "cosched: limit raised from 10 to 11 min");
		if (i < 2)
			three[i].job_state = JOB_PENDING;
	}
	three[0].het_job_list = (list_t *)three;
	known[0].tidy = true;
	adapter.known = (struct cs_known){ .list = list, .n = 1 };
	adapter.untidy = true;
	cs_apply_limit_tidy(&adapter);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(three[i].time_limit, 10);
		assert_int_equal(three[i].limit_set.time, 0);
		assert_null(three[i].system_comment);
	}
	assert_int_equal(three[2].time_limit, 11);
	assert_non_null(three[2].system_comment);
	assert_false(adapter.untidy || known[0].tidy);
	free(three[2].system_comment);
}

/* An operator has changed a limit that we had raised: the comment told of ours. */
static void the_text_of_a_raise_goes_with_the_raise(void **state)
{
	job_record_t one;
	struct cs_known_job *list[] = { &known[0] };

	(void)state;
	jobs = &one;
	n_job = 1;
	known[0] = (struct cs_known_job){ .id = 1 };
	starts(&one, 1000000, 10, false);
	limited(1, 11);
	updated(&one, 1000100, 30);
	known[0].raised_from = 0; /* feed.c, rule 9 */
	known[0].overruled = true;
	adapter.known = (struct cs_known){ .list = list, .n = 1 };
	adapter.untidy = true;
	cs_apply_limit_tidy(&adapter);
	assert_null(one.system_comment);
	assert_int_equal(one.time_limit, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_job_ends_sooner_than_under_stock),
		cmocka_unit_test(
			a_limit_that_others_have_set_since_the_look_stays),
		cmocka_unit_test(so_does_one_of_a_job_that_waits_again),
		cmocka_unit_test(at_the_end_of_act_limits_that_are_due_are_set),
		cmocka_unit_test(
			components_that_wait_again_have_their_own_limits),
		cmocka_unit_test(the_text_of_a_raise_goes_with_the_raise),
	};

	return cmocka_run_group_tests_name("apply_limit", tests, NULL, NULL);
}
