/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Campaigns in the engine: 004's example in the real schedule, and its bounds on
 * random instances of serial jobs with exact estimates.
 *
 * COSCHED_OSTRICH_INSTANCES=N in the environment: that many random instances
 * (1,000 where it is not set).
 */
#include "naive_ostrich.h"
#include "ostrich.h"
#include "rig.h"
#include "simrig.h"

/* ---- the example of section IV-B ------------------------------------------- */

struct example {
	int32_t user;
	double submit_s;
	int n;
	double run_s[24];
};

static const struct example figure_2_jobs[] = {
	{ 1, 0, 24, { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
		      2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 } },
	{ 2, 0, 9, { 2, 2, 2, 2, 3, 3, 2, 1, 1 } },
	{ 3, 2, 5, { 2, 2, 2, 2, 2 } },
	{ 3, 5, 4, { 2, 2, 2, 2 } },
};

static void figure_2_run(struct simrig *r, const char *params)
{
	uint32_t id = 1;

	simrig_open(r, "6x1x1", params, NULL);
	for (size_t i = 0; i < 4; i++)
		for (int k = 0; k < figure_2_jobs[i].n; k++) {
			const struct example *x = &figure_2_jobs[i];

			simrig_add(r, id++, x->submit_s, 1, x->run_s[k],
				   x->run_s[k], 1)
				->user = x->user;
		}
	simrig_run(r);
}

/* How many jobs of campaign @i of the example start at @s. */
static int starts_at(const struct simrig *r, int i, double s)
{
	int job = 0, n = 0;

	for (int k = 0; k < i; k++)
		job += figure_2_jobs[k].n;
	for (int k = 0; k < figure_2_jobs[i].n; k++)
		n += simrig_start(r, (size_t)(job + k)) == s;
	return n;
}

/* DESIGN.md, section 7: lengths that fit every sentence of the text. */
static void figure_2(void **state)
{
	struct simrig r;

	(void)state;
	figure_2_run(&r, "policy=ostrich,hold=strict");
	/* only user 2, whose virtual end is first */
	assert_int_equal(starts_at(&r, 1, 0), 6);
	/* at 2 user 3 has the processors that are free, the last one at 3 */
	assert_int_equal(starts_at(&r, 2, 2), 4);
	assert_int_equal(starts_at(&r, 2, 3), 1);
	/* then user 2 goes on, and some jobs of user 1 start */
	assert_int_equal(starts_at(&r, 1, 3), 1);
	assert_int_equal(starts_at(&r, 1, 4), 2);
	assert_int_equal(starts_at(&r, 0, 4), 2);
	/* user 3 comes again at 5, but his first campaign ends virtually at 7 */
	assert_int_equal(starts_at(&r, 0, 5), 4);
	assert_int_equal(starts_at(&r, 0, 6), 2);
	assert_int_equal(starts_at(&r, 3, 7), 4);
	simrig_close(&r);
	/* the same with a log that is off, and without hold=strict: nothing is
	 * idle here, so that it holds nobody back */
	figure_2_run(&r, "policy=ostrich");
	assert_int_equal(starts_at(&r, 3, 7), 4);
	simrig_close(&r);
}

/* With processors idle, hold=rank gives them to who has not begun virtually. */
static void hold(void **state)
{
	struct simrig r;

	(void)state;
	for (int strict = 0; strict < 2; strict++) {
		simrig_open(&r, "2x1x1",
			    strict ? "policy=ostrich,hold=strict"
				   : "policy=ostrich,hold=rank",
			    NULL);
		simrig_add(&r, 1, 0, 1, 100, 100, 1)->user = 1;
		simrig_add(&r, 2, 10, 1, 100, 100, 1)->user = 1;
		simrig_run(&r);
		/* 100 of work for one user on two processors: 50 */
		assert_true(simrig_start(&r, 1) == (strict ? 50 : 10));
		simrig_close(&r);
	}
}

static void inside(void **state)
{
	static const struct {
		const char *params;
		double start[3]; /* of jobs of 20, 10, 30 */
	} row[] = {
		{ "policy=ostrich,inside=fcfs", { 0, 20, 30 } },
		{ "policy=ostrich,inside=spt", { 10, 0, 30 } },
		{ "policy=ostrich,inside=lpt", { 30, 50, 0 } },
	};
	static const double run[] = { 20, 10, 30 };
	struct simrig r;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		simrig_open(&r, "1x1x1", row[i].params, NULL);
		for (uint32_t k = 0; k < 3; k++)
			simrig_add(&r, k + 1, 0, 1, run[k], run[k], 1)->user =
				1;
		simrig_run(&r);
		for (size_t k = 0; k < 3; k++)
			assert_true(simrig_start(&r, k) == row[i].start[k]);
		simrig_close(&r);
	}
}

/* The example of mlpt.c: the second processor is free at 3, and the longest job had
 * better wait for it. */
static void longest_first_by_when_processors_are_free(void **state)
{
	static const struct {
		const char *params;
		double start[3]; /* of jobs of 5, 4, 4 */
	} row[] = {
		{ "policy=ostrich,inside=lpt", { 0, 3, 5 } },
		{ "policy=ostrich,inside=mlpt", { 3, 0, 4 } },
	};
	static const double run[] = { 5, 4, 4 };
	struct simrig r;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		simrig_open(&r, "2x1x1", row[i].params, NULL);
		simrig_add(&r, 1, 0, 1, 3, 3, 1)->user = 1;
		for (uint32_t k = 0; k < 3; k++)
			simrig_add(&r, k + 2, 0, 1, run[k], run[k], 1)->user =
				2;
		simrig_run(&r);
		for (size_t k = 0; k < 3; k++)
			assert_true(simrig_start(&r, k + 1) ==
				    row[i].start[k]);
		simrig_close(&r);
	}
}

/* ---- which jobs are one campaign -------------------------------------------- */

struct arrival {
	int64_t at_s;
	uint32_t run_s;
	const char *name;
	uint32_t array;
};

/* The campaign's number of each job; jobs run at once, one for itself. */
static void numbers(const char *params, const struct arrival *a, size_t n,
		    const char *want)
{
	char got[64] = "";
	uint32_t procs = n == 4 ? 16 : 1;
	struct rig r;

	rig_open(&r, params, NULL, 4 * (procs > 1 ? procs : 4), 1, 1, 0);
	for (uint32_t i = 0; procs > 1 && i < 4; i++) {
		struct cs_job j = rig_job(&r, 100 + i, 1, 1000000, NULL);

		j.user = i < 2 ? i ? "b" : "c" : i < 3 ? "d" : "e";
		rig_submit(&r, &j);
	}
	for (size_t i = 0; i < n; i++) {
		struct cs_job j;
		struct cs_campaign_view v;
		size_t at = strlen(got);

		for (size_t k = 0; k < i; k++)
			if (rig_runs(&r, (uint32_t)k + 1) &&
			    a[k].at_s + a[k].run_s <= a[i].at_s) {
				r.now_us = (a[k].at_s + a[k].run_s) * RIG_S;
				rig_finish(&r, (uint32_t)k + 1);
			}
		r.now_us = a[i].at_s * RIG_S;
		j = rig_job(&r, (uint32_t)i + 1, procs, a[i].run_s, NULL);
		j.campaign = a[i].name;
		j.array_id = a[i].array;
		rig_submit(&r, &j);
		if (cs_engine_campaign(r.engine, (uint32_t)i + 1, &v))
			fail_msg("job %zu is in no campaign", i + 1);
		snprintf(got + at, sizeof(got) - at, "%u", (unsigned)v.id);
		if (!a[i].array)
			rig_decide(&r);
	}
	assert_string_equal(got, want);
	rig_close(&r);
}

static void campaigns_out_of_jobs(void **state)
{
	/* one processor second of 16 is virtually 1/16 s */
	static const struct arrival plain[] = {
		{ 0, 160, NULL, 0 },  { 0, 160, NULL, 0 }, /* together */
		{ 5, 160, NULL, 0 },  { 19, 16, NULL, 0 }, /* virtually to 20 */
		{ 20, 160, NULL, 0 }, /* the next begins at this moment */
		{ 21, 160, NULL, 0 }, { 2000, 10, NULL, 0 },
		{ 2005, 10, NULL, 0 },
	};
	static const struct arrival named[] = {
		{ 0, 16000, "a", 0 }, { 1, 16000, NULL, 0 },
		{ 2, 16000, "a", 0 }, { 3, 16000, NULL, 7 },
		{ 4, 16000, NULL, 0 }, { 5, 16000, "b", 0 },
		{ 6, 16000, NULL, 7 }, { 7, 16000, "", 0 },
	};
	/* four others: 16 processors of 64 are virtually 12.8 */
	static const struct arrival rules[] = {
		{ 0, 100, NULL, 0 },
		{ 60, 10, NULL, 0 },
		{ 80, 10, NULL, 0 },
		{ 130, 10, NULL, 0 },
	};
	char long_name[4097];
	struct arrival too_long[] = {
		{ 0, 16000, long_name, 0 }, { 0, 16000, NULL, 0 },
		{ 5, 16000, long_name, 0 },
	};

	(void)state;
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	numbers("policy=ostrich", plain, 8, "11222345");
	numbers("policy=ostrich,campaign=array", plain, 8, "12345678");
	numbers("policy=ostrich", named, 8, "12134536");
	/* a name that is too long is none */
	numbers("policy=ostrich", too_long, 3, "112");
	/* the first campaign is there until 100 and virtually until 125 */
	numbers("policy=ostrich,campaign=batch", rules, 4, "5667");
	numbers("policy=ostrich,campaign=max", rules, 4, "5556");
	numbers("policy=ostrich,campaign=last", rules, 4, "5567");
	numbers("policy=ostrich,campaign=gap,think_s=50", rules, 4, "5555");
	numbers("policy=ostrich,campaign=arrival,think_s=30", rules, 4, "5667");
	numbers("policy=ostrich,campaign=array", rules, 4, "5678");
}

/* ---- what happens to campaigns ------------------------------------------------ */

static struct cs_campaign_view campaign_of(struct rig *r, uint32_t job)
{
	struct cs_campaign_view v = { 0 };

	if (cs_engine_campaign(r->engine, job, &v))
		fail_msg("job %u is in no campaign", job);
	return v;
}

static void tell_rig(struct rig *r, struct cs_event ev)
{
	struct cs_err err = { "" };

	ev.t_us = r->now_us;
	if (cs_engine_event(r->engine, &ev, &err) ||
	    cs_engine_check(r->engine, &err))
		fail_msg("%s", err.text);
}

/* Held, dependent, or to begin later: no part of a campaign until it is free. */
static void who_is_not_free_to_start_is_in_no_campaign(void **state)
{
	struct cs_campaign_view v;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich", NULL, 4, 1, 1, 0);
	j = rig_job(&r, 1, 1, 100, NULL);
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	j = rig_job(&r, 2, 1, 100, NULL);
	j.eligible_us = 50 * RIG_S;
	rig_submit(&r, &j);
	assert_int_equal(cs_engine_active_users(r.engine), 0);
	assert_int_equal(cs_engine_campaign(r.engine, 1, &v), -2);
	rig_at(&r, 60);
	v = campaign_of(&r, 2);
	assert_int_equal(v.submit_us, 50 * RIG_S); /* not when we looked */
	assert_int_equal(v.projected_us, 75 * RIG_S);
	r.now_us = 70 * RIG_S;
	j = rig_job(&r, 1, 1, 100, NULL);
	tell_rig(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(campaign_of(&r, 1).number, 2);
	assert_false(campaign_of(&r, 1).began);
	/* blocked again, it stays where it is */
	j.flags = CS_JOB_BLOCKED;
	tell_rig(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(campaign_of(&r, 1).number, 2);
	rig_close(&r);
}

/* Estimates, limits, cancels and early ends move virtual ends. */
static void corrections(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich,hold=strict", NULL, 4, 1, 1, 0);
	for (uint32_t id = 1; id <= 8; id++)
		rig_add(&r, id, 1, 100, NULL);
	assert_int_equal(campaign_of(&r, 8).projected_us, 200 * RIG_S);
	rig_at(&r, 10);
	tell_rig(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 8 });
	assert_int_equal(campaign_of(&r, 7).projected_us, 175 * RIG_S);
	j = rig_job(&r, 7, 1, 300, NULL);
	tell_rig(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(campaign_of(&r, 7).projected_us, 225 * RIG_S);
	tell_rig(&r, (struct cs_event){ .type = CS_EV_LIMIT,
					.limit = { 1, 60 * RIG_S } });
	assert_int_equal(campaign_of(&r, 7).projected_us, 215 * RIG_S);
	r.now_us = 20 * RIG_S;
	rig_finish(&r, 2); /* after 10 s of 100 */
	assert_int_equal(campaign_of(&r, 7).projected_us, 192500000);
	/* one that runs again is charged once, and is where it was */
	j = rig_job(&r, 3, 1, 100, NULL);
	tell_rig(&r, (struct cs_event){ .type = CS_EV_REQUEUE, .job = &j });
	assert_int_equal(campaign_of(&r, 3).projected_us, 192500000);
	/* a node is gone: what is left goes at 3 a second */
	tell_rig(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 3, false, "test" } });
	tell_rig(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 3, false, "again" } });
	assert_int_equal(campaign_of(&r, 7).projected_us, 250 * RIG_S);
	rig_close(&r);
}

/* Every job of his is cancelled or ends: nothing of him is left. */
static void a_user_goes_while_he_is_active(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich", NULL, 2, 1, 1, 0);
	for (uint32_t id = 1; id <= 20; id++) {
		struct cs_job j = rig_job(&r, id, 1, 1000, NULL);

		j.user = id % 2 ? "gone" : "stays";
		rig_submit(&r, &j);
	}
	rig_at(&r, 10);
	assert_int_equal(cs_engine_active_users(r.engine), 2);
	for (uint32_t id = 1; id <= 20; id += 2)
		if (rig_runs(&r, id))
			rig_finish(&r, id);
		else
			tell_rig(&r, (struct cs_event){ .type = CS_EV_CANCEL,
							.job_id = id });
	assert_int_equal(cs_engine_active_users(r.engine), 1);
	assert_int_equal(cs_engine_campaigns(r.engine, NULL, 0), 1);
	rig_at(&r, 20);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

static void thousands_of_users(void **state)
{
	struct cs_engine_stats st;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich,depth=0", NULL, 2, 1, 1, 0);
	for (uint32_t i = 0; i < 3000; i++) {
		char name[16];
		struct cs_job j = rig_job(&r, i + 1, 1, 3000 - i, NULL);
		struct cs_event ev = { .type = CS_EV_SUBMIT, .job = &j };

		snprintf(name, sizeof(name), "user%u", i);
		j.user = name;
		assert_int_equal(cs_engine_event(r.engine, &ev, NULL), 0);
	}
	assert_int_equal(cs_engine_active_users(r.engine), 3000);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3000)); /* the shortest */
	assert_true(rig_runs(&r, 2999));
	cs_engine_stats(r.engine, &st);
	assert_int_equal(st.running, 2);
	rig_close(&r);
}

/* The engine's time stands still until the clock has come so far again. */
static void a_clock_set_back_freezes_the_schedule(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich", NULL, 2, 1, 1, 0);
	rig_at(&r, 7200);
	rig_add(&r, 1, 1, 1000, NULL);
	rig_add(&r, 2, 1, 1000, NULL);
	rig_add(&r, 3, 1, 1000, NULL);
	rig_at(&r, 7300);
	assert_int_equal(campaign_of(&r, 3).virtual_left_s, 2800);
	rig_at(&r, 3700);
	assert_int_equal(campaign_of(&r, 3).virtual_left_s, 2800);
	rig_add(&r, 4, 1, 1000, NULL);
	rig_at(&r, 7300);
	assert_int_equal(campaign_of(&r, 3).virtual_left_s, 2800);
	rig_at(&r, 7310);
	assert_int_equal(campaign_of(&r, 3).virtual_left_s, 2780);
	rig_close(&r);
}

/* ---- restart ------------------------------------------------------------------ */

/* Tell a new engine what the old one kept, and of its jobs. */
static void restart(struct rig *a, struct rig *b, const struct cs_job *job,
		    uint32_t n)
{
	static char text[1 << 16];
	char *at = text;
	size_t len = cs_engine_keep(a->engine, text, sizeof(text));

	assert_true(len < sizeof(text));
	assert_int_equal(len, strlen(text));
	b->now_us = a->now_us;
	while (*at) {
		size_t k = strcspn(at, "\n");
		struct cs_event ev = { .type = CS_EV_KEPT, .kept = at };

		at[k] = '\0';
		tell_rig(b, ev);
		at += k + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct cs_running run;
		struct cs_started s;

		rig_submit(b, &job[i]);
		if (cs_engine_running(a->engine, job[i].id, &run))
			continue;
		s = (struct cs_started){ .job_id = job[i].id,
					 .start_us = run.start_us,
					 .limit_us = run.limit_us,
					 .alloc = run.alloc,
					 .at_us = run.at_us,
					 .done_us = run.done_us };
		tell_rig(b, (struct cs_event){ .type = CS_EV_STARTED,
					       .start = &s });
	}
}

/* Which job each of the two starts next, until none waits. */
static void same_from_now_on(struct rig *a, struct rig *b)
{
	static struct cs_campaign_view va[64], vb[64];
	uint32_t id[64];

	while (cs_engine_list(a->engine, true, id, 64)) {
		int64_t campaigns = cs_engine_campaigns(a->engine, va, 64);

		assert_int_equal(cs_engine_campaigns(b->engine, vb, 64),
				 campaigns);
		for (int64_t i = 0; i < campaigns; i++) {
			assert_string_equal(va[i].user, vb[i].user);
			assert_int_equal(va[i].id, vb[i].id);
			assert_int_equal(va[i].waiting, vb[i].waiting);
			assert_int_equal(va[i].projected_us,
					 vb[i].projected_us);
			assert_int_equal(va[i].bound_us, vb[i].bound_us);
		}
		rig_finish(a, id[0]);
		rig_finish(b, id[0]);
		rig_at(a, a->now_us / RIG_S + 7);
		rig_at(b, a->now_us / RIG_S);
		assert_int_equal(a->n_log, b->n_log);
		for (size_t i = 0; i < b->n_log; i++)
			assert_int_equal(a->log[i].job_id, b->log[i].job_id);
		a->n_log = b->n_log = 0;
	}
}

static void a_restart_changes_no_order(void **state)
{
	uint64_t seed = cs_test_seed();
	struct rig a, b;
	struct cs_job job[41];
	static const char *const users[] = { "ann", "bob", "eve" };

	(void)state;
	rig_open(&a, "policy=ostrich", NULL, 4, 1, 1, 0);
	rig_open(&b, "policy=ostrich", NULL, 4, 1, 1, 0);
	for (uint32_t i = 0; i < 40; i++) {
		job[i] = rig_job(&a, i + 1, 1,
				 1 + (int64_t)cs_test_draw(&seed, 90), NULL);
		job[i].user = users[cs_test_draw(&seed, 3)];
		job[i].share = 1000;
		rig_submit(&a, &job[i]);
		rig_at(&a, a.now_us / RIG_S + (int64_t)cs_test_draw(&seed, 3));
	}
	/* the longest goes, what it put off waits on */
	job[40] = rig_job(&a, 41, 1, 500, NULL);
	rig_submit(&a, &job[40]);
	tell_rig(&a, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 41 });
	restart(&a, &b, job, 40);
	a.n_log = 0;
	same_from_now_on(&a, &b);
	rig_close(&a);
	rig_close(&b);
}

/* Jobs that went while nobody looked leave their campaigns, when time goes on. */
static void who_does_not_come_back_has_left(void **state)
{
	struct rig a, b;
	struct cs_job job[2];

	(void)state;
	rig_open(&a, "policy=ostrich", NULL, 1, 1, 1, 0);
	rig_open(&b, "policy=ostrich", NULL, 1, 1, 1, 0);
	for (uint32_t i = 0; i < 2; i++) {
		job[i] = rig_job(&a, i + 1, 1, 100, NULL);
		job[i].user = i ? "bob" : "ann";
		rig_submit(&a, &job[i]);
	}
	restart(&a, &b, job + 1, 1);
	assert_int_equal(cs_engine_active_users(b.engine), 2);
	rig_at(&b, 1); /* ann's never ran: nothing is left of it */
	assert_int_equal(cs_engine_active_users(b.engine), 1);
	assert_int_equal(cs_engine_campaigns(b.engine, NULL, 0), 1);
	rig_close(&a);
	rig_close(&b);
}

/* One that had run is charged what it had done when the state was kept. */
static void who_ran_and_does_not_come_back_did_what_is_known(void **state)
{
	struct cs_campaign_view v[4];
	struct cs_job job[3];
	struct rig a, b;

	(void)state;
	rig_open(&a, "policy=ostrich", NULL, 1, 1, 1, 0);
	rig_open(&b, "policy=ostrich", NULL, 1, 1, 1, 0);
	for (uint32_t i = 0; i < 3; i++) {
		job[i] = rig_job(&a, i + 1, 1, 1000, NULL);
		job[i].user = i == 1 ? "bob" : "ann";
		rig_submit(&a, &job[i]);
		rig_at(&a, 10 * i);
	}
	assert_true(rig_runs(&a, 1));
	rig_at(&a, 100);
	/* ann's first had done 100 of 1000 */
	restart(&a, &b, job + 1, 2);
	assert_int_equal(cs_engine_campaigns(b.engine, v, 4), 3);
	rig_at(&b, 101);
	/* the two users had 50 each so far: 50 of those 100 are left, and so on */
	assert_int_equal(cs_engine_campaigns(b.engine, v, 4), 3);
	assert_string_equal(v[0].user, "ann");
	assert_close(v[0].virtual_left_s, 49.5, 1e-6);
	rig_at(&b, 201);
	assert_int_equal(cs_engine_campaigns(b.engine, v, 4), 2);
	assert_string_equal(v[0].user, "bob");
	assert_close(v[0].virtual_left_s, 899.5, 1e-6);
	assert_close(v[1].virtual_left_s, 999.5, 1e-6);
	rig_close(&a);
	rig_close(&b);
}

static void bad_state_is_left_out(void **state)
{
	static const char *const bad[] = {
		"job 1 1 0 5",	/* no campaign above */
		"job",		"job 0 1 0 5",
		"job 1 1 0 5 6", "job 1 1 0 g",	 "job 99999999999 1 0 5",
		"job -1 1 0 5",	 "job 1 1 ffffffff 5", "job 1 1 0 5 0 6",
		"clock 1 2",	"nonsense",	 "longest",
		"longest -5",	"longest 9x",	 "longest 99999999999999999999",
		"campaign 1 1 runs 1 0 0 - 5 0 5 0 0 0 =",
	};
	struct cs_err err;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich", NULL, 1, 1, 1, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cs_event ev = { .type = CS_EV_KEPT, .kept = bad[i] };

		err.text[0] = '\0';
		assert_int_equal(cs_engine_event(r.engine, &ev, &err), -22);
		assert_true(*err.text);
		assert_int_equal(cs_engine_check(r.engine, &err), 0);
	}
	rig_add(&r, 1, 1, 100, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	rig_close(&r);
}

/* A line behind anything else is refused, though no job is there at the moment:
 * the campaign that it names may be gone. */
static void state_comes_in_one_piece(void **state)
{
	static const char *const first[] = {
		"clock 50 10 0 9",
		"user =alice 5 1 1 0 0",
		"campaign 1 1 ended 1 0 0 5 5 0 5 0 0 0 =x",
		"campaign 2 2 runs 1 0 0 - 5 0 11 0 0 0 =y",
		"job 1 1 0 5",
	};

	(void)state;
	for (int cancel = 0; cancel < 2; cancel++) {
		struct cs_event ev = { .type = CS_EV_KEPT, .t_us = 100 };
		struct cs_err err = { "" };
		struct rig r;

		rig_open(&r, "policy=ostrich", NULL, 2, 1, 1, 0);
		r.now_us = 100;
		for (size_t i = 0; i < 5; i++)
			tell_rig(&r, (struct cs_event){ .type = CS_EV_KEPT,
							.kept = first[i] });
		tell_rig(&r, (struct cs_event){ .type = CS_EV_TICK });
		if (cancel) {
			rig_add(&r, 1, 1, 100, NULL);
			tell_rig(&r, (struct cs_event){ .type = CS_EV_CANCEL,
							.job_id = 1 });
		}
		ev.kept = cancel ? "job 2 1 0 5" : "job 2 2 0 5";
		assert_int_equal(cs_engine_event(r.engine, &ev, &err), -22);
		assert_contains(err.text, "in two pieces");
		rig_close(&r);
	}
}

/* Something else in @line: a byte, an end, a larger number, another's text. */
static void spoil(char *line, const char *other, size_t size, uint64_t *seed)
{
	static const char bytes[] = "0123456789abcdef -=%xwr";
	size_t at = cs_test_draw(seed, strlen(line) + 1);
	char was[CS_OSTRICH_LINE];

	switch (cs_test_draw(seed, 4)) {
	case 0:
		line[at] = bytes[cs_test_draw(seed, sizeof(bytes) - 1)];
		break;
	case 1:
		line[at] = '\0';
		break;
	case 2:
		snprintf(was, sizeof(was), "%s", line + at);
		snprintf(line + at, size - at, "99999999%s", was);
		break;
	default:
		snprintf(was, sizeof(was), "%s", other);
		snprintf(line, size, "%s", was);
	}
	line[size - 1] = '\0';
}

/* Tell a new engine the lines of @text, some of them spoilt, and jobs. */
static void tell_spoilt(const char *text, uint64_t *seed)
{
	static char line[128][CS_OSTRICH_LINE];
	uint64_t n = 0;
	struct rig r;

	for (size_t k; *text && n < 128; text += k + 1, n++) {
		k = strcspn(text, "\n");
		snprintf(line[n], sizeof(line[n]), "%.*s", (int)k, text);
	}
	for (uint64_t i = cs_test_draw(seed, 12); i; i--)
		spoil(line[cs_test_draw(seed, n)], line[cs_test_draw(seed, n)],
		      sizeof(line[0]), seed);
	rig_open(&r, "policy=ostrich,hold=strict", NULL, 4, 1, 1, 0);
	r.now_us = (int64_t)cs_test_draw(seed, 200) * RIG_S;
	for (uint64_t i = 0; i < n; i++) {
		struct cs_event ev = { .type = CS_EV_KEPT,
				       .t_us = r.now_us,
				       .kept = line[i] };
		struct cs_err err;

		cs_engine_event(r.engine, &ev, &err);
		if (cs_engine_check(r.engine, &err))
			fail_msg("'%s': %s", line[i], err.text);
	}
	for (uint32_t id = 1; id <= 40; id++)
		if (cs_test_draw(seed, 4))
			rig_add(&r, id, 1, 1 + (int64_t)id, NULL);
	for (int i = 0; i < 10; i++) {
		uint32_t id = rig_some_running(&r, seed);

		if (id)
			rig_finish(&r, id);
		rig_at(&r, r.now_us / RIG_S +
				   (int64_t)cs_test_draw(seed, 60));
	}
	rig_close(&r);
}

static void spoilt_state_does_no_harm(void **state)
{
	static char text[1 << 16];
	uint64_t seed = cs_test_seed();
	struct rig a;

	(void)state;
	rig_open(&a, "policy=ostrich", NULL, 4, 1, 1, 0);
	for (uint32_t id = 1; id <= 40; id++) {
		struct cs_job j = rig_job(&a, id, 1, 1 + (int64_t)id, NULL);

		j.user = id % 3 ? "alice" : "bob";
		j.campaign = id % 7 ? NULL : "x";
		rig_submit(&a, &j);
		rig_at(&a, a.now_us / RIG_S + (int64_t)cs_test_draw(&seed, 9));
	}
	assert_true(cs_engine_keep(a.engine, text, sizeof(text)) <
		    sizeof(text));
	for (int round = 0; round < 300; round++)
		tell_spoilt(text, &seed);
	rig_close(&a);
}

/* ---- what administrators say --------------------------------------------------- */

struct said {
	const char *user;
	int64_t estimate_s;
	int32_t nice;
	uint32_t flags, tier;
	uint64_t priority;
};

/* The order of the jobs, by number, with a full machine; all but the first come at
 * 1 s if @later has their bit. */
static void order_is(const char *params, const struct said *x, uint32_t n,
		     uint32_t later, const char *want)
{
	uint32_t id[8];
	char got[64] = "";
	struct rig r;

	rig_open(&r, params, NULL, 4, 1, 1, 0);
	rig_add(&r, 100, 4, 100, NULL);
	rig_decide(&r);
	for (int when = 0; when < 2; when++) {
		r.now_us = when * RIG_S;
		for (uint32_t i = 0; i < n; i++) {
			struct cs_job j = rig_job(&r, i + 1, 1,
						  x[i].estimate_s, NULL);
			struct cs_job_option o = j.option[0];

			if ((later >> i & 1) != (uint32_t)when)
				continue;
			o.tier = x[i].tier;
			o.priority = x[i].priority;
			j.option = &o;
			j.user = x[i].user;
			j.nice = x[i].nice;
			j.flags |= x[i].flags;
			rig_submit(&r, &j);
		}
		rig_decide(&r);
	}
	assert_int_equal(cs_engine_ranked(r.engine, id, 8), n);
	for (uint32_t i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%u",
			 id[i]);
	assert_string_equal(got, want);
	/* the starts, one by one: the same, with tiers */
	rig_finish(&r, 100);
	rig_decide(&r);
	if (!x[n - 1].tier)
		for (uint32_t i = 0; i < n && i < 4; i++)
			assert_true(rig_runs(&r, (uint32_t)want[i] - '0'));
	else
		assert_int_equal(r.log[1].job_id, n);
	rig_close(&r);
}

static void nice_and_set_priorities(void **state)
{
	const uint32_t set = CS_JOB_PRIORITY_SET;
	const struct said plain[] = {
		{ "a", 50, 0, 0, 0, 0 },  { "b", 20, 0, 0, 0, 9 },
		{ "a", 10, 5, 0, 0, 0 },  { "b", 30, -1, 0, 0, 0 },
		{ "b", 5, 0, 0, 0, 0 },
	};
	const struct said later[] = {
		{ "a", 50, 0, 0, 0, 0 }, { "b", 90, 0, 0, 0, 0 },
		{ "a", 10, -5, 0, 0, 0 },
	};
	const struct said chosen[] = {
		{ "a", 5, 0, 0, 0, 0 },
		{ "b", 20, 0, set, 0, 1 },
		{ "c", 90, 0, set, 0, UINT64_C(2000000000) },
		{ "d", 10, 0, set, 0, 2 },
		{ "e", 95, 0, 0, 0, UINT64_C(4000000000) },
	};
	const struct said tiers[] = {
		{ "a", 5, 0, 0, 1, 0 },
		{ "b", 90, 0, set, 1, UINT64_C(2000000000) },
		{ "c", 99, 0, 0, 2, 0 },
	};

	(void)state;
	/* b's campaign is of 55, a's of 60: in them by nice value */
	order_is("policy=ostrich", plain, 5, 0, "42513");
	order_is("policy=ostrich,inside=spt", plain, 5, 0, "45213");
	/* a's third job, of his second campaign, comes to the front of his first */
	order_is("policy=ostrich,hold=strict", later, 3, 4, "312");
	order_is("policy=ostrich", chosen, 5, 0, "31542");
	order_is("policy=ostrich", tiers, 3, 0, "213");
}

/* A nice value that comes later: what `scontrol top` does. */
static void top(void **state)
{
	struct cs_campaign_view v;
	uint32_t id[4];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich,hold=strict", NULL, 4, 1, 1, 0);
	rig_add(&r, 1, 4, 100, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 1, 100, NULL);
	rig_at(&r, 1);
	rig_add(&r, 3, 1, 50, NULL);
	rig_decide(&r);
	assert_int_equal(cs_engine_campaign(r.engine, 3, &v), 0);
	assert_int_equal(v.number, 2);
	j = rig_job(&r, 3, 1, 50, NULL);
	j.nice = -7;
	assert_int_equal(cs_engine_event(r.engine,
					 &(struct cs_event){
						 .type = CS_EV_CHANGE,
						 .t_us = r.now_us,
						 .job = &j },
					 NULL),
			 0);
	assert_int_equal(cs_engine_check(r.engine, NULL), 0);
	assert_int_equal(cs_engine_campaign(r.engine, 3, &v), 0);
	assert_int_equal(v.number, 1);
	assert_int_equal(cs_engine_ranked(r.engine, id, 4), 2);
	assert_int_equal(id[0], 3);
	rig_close(&r);
}

/* ---- random instances -------------------------------------------------------- */

#define USERS 50
#define PROCS 24
#define JOBS 4000
#define WEIGHT 1000000 /* CS_OSTRICH_WEIGHT */

struct sjob { /* a serial job */
	uint32_t user, campaign; /* index in its user's */
	uint32_t batch;		 /* open: the engine's number */
	int64_t run_us, submit_us, end_us;
	bool submitted;
	uint32_t k_max; /* the most active users from its submit to its end */
};

struct scampaign {
	int64_t think_us, submit_us, end_us;
	uint32_t first, n; /* its jobs */
	uint32_t left;
	uint32_t naive; /* closed: its number there */
	int64_t work_us;
	int64_t longest_us;
	uint32_t k_max; /* as of a job, from the submit of the one before it */
};

struct suser {
	uint32_t n, next; /* campaigns; closed loop: the next to be submitted */
	struct scampaign *campaign; /* [n] */
};

struct sums {
	uint64_t compared, skipped; /* virtual ends, instants */
	uint64_t shown, passed;	    /* bounds */
};

struct world {
	uint64_t seed;
	bool closed; /* the next campaign comes when the last has ended */
	uint32_t users, m, n_job;
	struct suser user[USERS];
	struct sjob job[JOBS];
	int64_t batch_us[JOBS + 1];   /* open: work by the engine's number */
	uint32_t batch_user[JOBS + 1]; /* ... and whose it is */
	int64_t longest_us;
	struct cs_engine *engine;
	uint32_t nodeset;
	struct naive_ostrich naive;
	int64_t now_us;
	uint32_t ended, running;
	uint32_t on[PROCS]; /* job + 1 on each processor */
	long double off_us; /* the most that fast may be off naive */
	bool virtual;
	int64_t shown_us[JOBS + 1]; /* closed: a campaign's nearest bound, by its
				       number, since a user came */
	bool came;		    /* since the last look */
	struct sums sum;	    /* of all worlds: kept by draw_world() */
};

static int64_t some_length(struct world *w)
{
	/* whole seconds make ties; others do not */
	uint64_t unit = cs_test_draw(&w->seed, 2) ? RIG_S : 1;
	uint64_t most = 1 + cs_test_draw(&w->seed, 200);

	return (int64_t)((1 + cs_test_draw(&w->seed, most)) * unit);
}

static void draw_campaign(struct world *w, struct suser *u, uint32_t user,
			  uint32_t i)
{
	struct scampaign *c = &u->campaign[i];

	memset(c, 0, sizeof(*c));
	c->n = 1 + (uint32_t)cs_test_draw(
			   &w->seed, 1 + cs_test_draw(&w->seed, 3 * w->m));
	c->think_us = cs_test_draw(&w->seed, 3) ? some_length(w) : 0;
	c->first = w->n_job;
	c->left = c->n;
	for (uint32_t k = 0; k < c->n; k++) {
		int64_t run_us = some_length(w);

		w->job[w->n_job++] = (struct sjob){ .user = user,
						    .campaign = i,
						    .run_us = run_us };
		c->work_us += run_us;
		if (run_us > c->longest_us)
			c->longest_us = run_us;
	}
	if (c->longest_us > w->longest_us)
		w->longest_us = c->longest_us;
}

static void draw_world(struct world *w, uint64_t seed, bool closed)
{
	struct sums sum = w->sum;

	memset(w, 0, sizeof(*w));
	w->sum = sum;
	w->seed = seed;
	w->closed = closed;
	w->m = 1 + (uint32_t)cs_test_draw(&w->seed,
					  1 + cs_test_draw(&w->seed, PROCS));
	w->users = 1 + (uint32_t)cs_test_draw(
			       &w->seed, 1 + cs_test_draw(&w->seed, USERS));
	for (uint32_t u = 0; u < w->users; u++) {
		struct suser *user = &w->user[u];

		user->n = 1 + (uint32_t)cs_test_draw(&w->seed, 4);
		user->campaign = calloc(user->n, sizeof(*user->campaign));
		for (uint32_t i = 0; i < user->n; i++) {
			draw_campaign(w, user, u, i);
			/* room for one of each user that is left */
			if (w->n_job + 3 * w->m * (w->users - u) > JOBS)
				user->n = i + 1;
		}
		user->campaign[0].submit_us = user->campaign[0].think_us;
		for (uint32_t i = 1; i < user->n; i++)
			user->campaign[i].submit_us =
				closed ? CS_TIME_NONE
				       : user->campaign[i - 1].submit_us +
						 user->campaign[i].think_us;
	}
}

static void open_engine(struct world *w, const char *policy)
{
	struct cs_node like = { .sockets = 1,
				.cores_per_socket = 1,
				.threads = 1 };
	struct cs_machine *m = cs_machine_create(w->m, &like);
	struct cs_params p;
	struct cs_err err = { "" };
	uint64_t set[1] = { (UINT64_C(1) << w->m) - 1 };

	if (cs_params_parse(&p, CS_HOST_SIM, policy, "", &err))
		fail_msg("%s", err.text);
	w->virtual = p.order == CS_ORDER_OSTRICH;
	w->engine = cs_engine_create(&p, m, NULL, &err);
	assert_non_null(w->engine);
	w->nodeset = (uint32_t)cs_engine_nodeset(w->engine, set);
	cs_params_done(&p);
	cs_machine_free(m);
	naive_init(&w->naive, w->m, w->users);
	w->off_us = 1 + (long double)w->n_job * w->users * WEIGHT /
				w->m / 4294967296.0L;
}

static void close_world(struct world *w)
{
	cs_engine_free(w->engine);
	naive_done(&w->naive);
	for (uint32_t u = 0; u < w->users; u++)
		free(w->user[u].campaign);
}

static void tell(struct world *w, struct cs_event ev)
{
	struct cs_err err = { "" };

	ev.t_us = w->now_us;
	if (cs_engine_event(w->engine, &ev, &err))
		fail_msg("%s", err.text);
}

static void submit_job(struct world *w, uint32_t i, const char *campaign)
{
	struct sjob *x = &w->job[i];
	struct cs_job_option option = { .nodeset = w->nodeset,
					.limit_max_us = CS_TIME_NONE };
	char user[8];
	struct cs_job j = {
		.id = i + 1,
		.tasks = 1,
		.user = user,
		.procs = 1,
		.cpus_per_proc = 1,
		.min_nodes = 1,
		.submit_us = w->now_us,
		.eligible_us = w->now_us,
		.estimate_us = x->run_us,
		.campaign = campaign,
		.option = &option,
		.n_option = 1,
	};

	snprintf(user, sizeof(user), "u%u", x->user);
	x->submit_us = w->now_us;
	x->submitted = true;
	tell(w, (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j });
}

/* Section VII for the naive one: work joins a batch that has not begun, or begins
 * now.  Closed loop: it is a campaign. */
static uint32_t naive_batch(struct world *w, uint32_t user, int64_t work_us)
{
	struct naive_ostrich *o = &w->naive;
	const struct naive_user *u = &o->user[user];
	struct naive_campaign *last = u->head < 0 ? NULL : &o->c[u->last];
	long double begun = last && u->last == u->head ? last->start_us : 0;

	if (w->closed || !last ||
	    (u->last == u->head && w->now_us - begun > 1e-3L))
		return naive_submit(o, user, (long double)work_us);
	last->work += (long double)work_us;
	return (uint32_t)u->last;
}

static void submit_campaign(struct world *w, uint32_t user)
{
	struct suser *u = &w->user[user];
	struct scampaign *c = &u->campaign[u->next++];
	char name[16];

	w->came |= w->naive.user[user].head < 0;
	snprintf(name, sizeof(name), "c%u", u->next);
	for (uint32_t k = 0; k < c->n; k++)
		submit_job(w, c->first + k, w->closed ? name : NULL);
	c->submit_us = w->now_us;
	c->naive = naive_batch(w, user, c->work_us);
}

static int64_t next_submit(const struct world *w, uint32_t *ret_user)
{
	int64_t t = CS_TIME_NONE;

	for (uint32_t u = 0; u < w->users; u++) {
		const struct suser *x = &w->user[u];

		if (x->next < x->n && x->campaign[x->next].submit_us < t) {
			t = x->campaign[x->next].submit_us;
			*ret_user = u;
		}
	}
	return t;
}

static int64_t next_end(const struct world *w)
{
	int64_t t = CS_TIME_NONE;

	for (uint32_t p = 0; p < w->m; p++)
		if (w->on[p] && w->job[w->on[p] - 1].end_us < t)
			t = w->job[w->on[p] - 1].end_us;
	return t;
}

static void finish_all(struct world *w)
{
	for (uint32_t p = 0; p < w->m; p++) {
		uint32_t job = w->on[p];
		struct sjob *x;
		struct suser *u;
		struct scampaign *c;

		if (!job || w->job[job - 1].end_us > w->now_us)
			continue;
		x = &w->job[job - 1];
		w->on[p] = 0;
		w->running--;
		w->ended++;
		tell(w, (struct cs_event){ .type = CS_EV_FINISH,
					   .job_id = job });
		u = &w->user[x->user];
		c = &u->campaign[x->campaign];
		if (--c->left)
			continue;
		c->end_us = w->now_us;
		if (w->virtual && w->closed) {
			w->sum.shown++;
			w->sum.passed += c->end_us > w->shown_us[c->naive] + 2;
		}
		if (w->closed && u->next < u->n)
			u->campaign[u->next].submit_us =
				w->now_us + u->campaign[u->next].think_us;
	}
}

static void start(struct world *w, const struct cs_action *a)
{
	struct sjob *x = &w->job[a->job_id - 1];
	uint32_t node = a->alloc->node[0].node;
	struct cs_started s = { .seq = a->seq,
				.job_id = a->job_id,
				.start_us = w->now_us,
				.limit_us = x->run_us,
				.alloc = a->alloc };

	assert_int_equal(w->on[node], 0);
	w->on[node] = a->job_id;
	w->running++;
	x->end_us = w->now_us + x->run_us;
	x->batch = (uint32_t)a->campaign;
	assert_true(a->campaign <= JOBS);
	w->batch_us[a->campaign] += x->run_us;
	w->batch_user[a->campaign] = x->user;
	tell(w, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
}

static void decide(struct world *w)
{
	struct cs_action act[PROCS];
	struct cs_alloc *alloc[PROCS];
	struct cs_actions a;
	size_t n;

	assert_int_equal(cs_engine_decide(w->engine, w->now_us, &a), 0);
	n = a.n;
	assert_true(n <= w->m);
	for (size_t i = 0; i < n; i++) {
		act[i] = a.action[i];
		alloc[i] = cs_alloc_copy(act[i].alloc);
		act[i].alloc = alloc[i];
	}
	for (size_t i = 0; i < n; i++) {
		start(w, &act[i]);
		cs_alloc_free(alloc[i]);
	}
}


/* ---- what is looked at ------------------------------------------------------- */

/* Active users; who waits for his bound notes the most. */
static void note_users(struct world *w)
{
	uint32_t k = w->virtual ? cs_engine_active_users(w->engine)
				: naive_active(&w->naive);

	for (uint32_t i = 0; i < w->n_job; i++) {
		struct sjob *x = &w->job[i];

		if (x->submitted && (!x->end_us || x->end_us > w->now_us) &&
		    k > x->k_max)
			x->k_max = k;
	}
	for (uint32_t u = 0; u < w->users; u++)
		for (uint32_t i = 0; i < w->user[u].n; i++) {
			struct scampaign *c = &w->user[u].campaign[i];

			/* k counts for the one behind it, too */
			if (i <= w->user[u].next && !c->end_us && k > c->k_max)
				c->k_max = k;
		}
}

/* The virtual schedule is the naive one: campaigns came in the same order, and
 * end at the same time.  Where one ends at this moment it may still be there in
 * one of the two: then k differs, and every projection with it. */
static void compare(struct world *w)
{
	static struct cs_campaign_view v[JOBS];
	int64_t n = cs_engine_campaigns(w->engine, v, JOBS);

	if (cs_engine_active_users(w->engine) != naive_active(&w->naive)) {
		w->sum.skipped++;
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		long double off = w->off_us * w->users, late;

		assert_in_range(v[i].id, 1, w->naive.n);
		assert_int_equal(w->naive.c[v[i].id - 1].user,
				 atoi(v[i].user + 1));
		late = v[i].projected_us -
		       naive_projected_us(&w->naive, (uint32_t)v[i].id - 1);
		if (late < -off || late > 1 + off)
			fail_msg("campaign %u of %s: virtual end %lld is %Lf "
				 "after the naive one", v[i].number, v[i].user,
				 (long long)v[i].projected_us, late);
		w->sum.compared++;
	}
}

/* What cosched users shows for bounds: "if no further user comes". */
static void note_shown(struct world *w)
{
	static struct cs_campaign_view v[JOBS];
	int64_t n = cs_engine_campaigns(w->engine, v, JOBS);

	for (int64_t i = 0; i < n; i++) {
		int64_t *shown_us = &w->shown_us[v[i].id - 1];

		if (w->came || !*shown_us || v[i].bound_us < *shown_us)
			*shown_us = v[i].bound_us;
	}
	w->came = false;
}

static void run_world(struct world *w)
{
	uint32_t user = 0;

	for (;;) {
		int64_t t = next_submit(w, &user), end = next_end(w);
		int64_t wake = cs_engine_next_wakeup_us(w->engine);

		t = end < t ? end : t;
		t = wake < t ? wake : t;
		if (t == CS_TIME_NONE)
			break;
		w->now_us = t;
		naive_advance(&w->naive, t);
		finish_all(w);
		while (next_submit(w, &user) <= t)
			submit_campaign(w, user);
		note_users(w);
		if (w->virtual && w->closed)
			note_shown(w);
		decide(w);
		if (w->virtual && !cs_test_draw(&w->seed, 8))
			compare(w);
	}
	if (w->ended != w->n_job)
		fail_msg("%u of %u jobs ended", w->ended, w->n_job);
}

/* ---- bounds -------------------------------------------------------------------- */

struct tally {
	uint64_t instances, checked, broken; /* campaigns, or jobs */
	double tightest; /* the largest part of a bound that was needed */
};

static void judge(struct tally *t, double flow_us, double bound_us)
{
	t->checked++;
	t->broken += flow_us > bound_us + 2;
	if (flow_us / bound_us > t->tightest)
		t->tightest = flow_us / bound_us;
}

/* Lemma 2 and theorem 1, of every campaign of a closed loop. */
static void lemma_2(const struct world *w, struct tally *lemma,
		    struct tally *theorem)
{
	for (uint32_t u = 0; u < w->users; u++)
		for (uint32_t i = 0; i < w->user[u].n; i++) {
			const struct scampaign *c = &w->user[u].campaign[i];
			double k = c->k_max, m = w->m, p = (double)w->longest_us;
			double before = i ? (double)c[-1].work_us : 0;
			double work = (double)c->work_us;
			double flow = (double)(c->end_us - c->submit_us);

			judge(lemma, flow,
			      k * before / m + p + (k - 1) * work / m + p +
				      work / m + (double)c->longest_us);
			judge(theorem, flow / work * 1e6,
			      (k / m * (1 + before / work) + 3 * p / work) *
				      1e6);
		}
}

/* Theorem 2, of every job of an open one. */
static void theorem_2(const struct world *w, struct tally *t)
{
	int64_t before_us[JOBS + 1] = { 0 }, last_us[USERS] = { 0 };

	for (uint32_t b = 1; b <= JOBS; b++)
		if (w->batch_us[b]) {
			before_us[b] = last_us[w->batch_user[b]];
			last_us[w->batch_user[b]] = w->batch_us[b];
		}
	for (uint32_t i = 0; i < w->n_job; i++) {
		const struct sjob *x = &w->job[i];

		judge(t, (double)(x->end_us - x->submit_us),
		      3 * (double)w->longest_us +
			      (double)x->k_max / w->m *
				      (double)(before_us[x->batch] +
					       w->batch_us[x->batch]));
	}
}

static long instances(void)
{
	const char *env = getenv("COSCHED_OSTRICH_INSTANCES");

	return env ? strtol(env, NULL, 10) : 1000;
}

static void say(const char *what, const struct tally *t)
{
	print_message("%s: %llu looked at, %llu beyond it, at most %.3f of it\n",
		      what, (unsigned long long)t->checked,
		      (unsigned long long)t->broken, t->tightest);
}

static void one(struct world *w, uint64_t seed, bool closed,
		const char *policy)
{
	draw_world(w, seed, closed);
	open_engine(w, policy);
	run_world(w);
}

static const char *const insides[] = {
	"policy=ostrich,hold=strict",
	"policy=ostrich,hold=strict,inside=spt",
	"policy=ostrich,hold=strict,inside=lpt",
	"policy=ostrich,hold=strict,inside=mlpt",
	"policy=ostrich", /* hold=rank */
};
#define INSIDES (sizeof(insides) / sizeof(insides[0]))

static void bounds_hold_in_closed_loops(void **state)
{
	static struct world w;
	struct tally lemma = { 0 }, theorem = { 0 }, plain = { 0 }, none = { 0 };
	uint64_t seed = cs_test_seed();
	long n = instances();

	(void)state;
	for (long i = 0; i < n; i++) {
		one(&w, seed + (uint64_t)i * 2, true, insides[i % INSIDES]);
		lemma_2(&w, &lemma, &theorem);
		close_world(&w);
		if (i >= 1000)
			continue;
		one(&w, seed + (uint64_t)i * 2, true, "policy=fcfs");
		lemma_2(&w, &plain, &none);
		close_world(&w);
	}
	print_message("%llu virtual ends are as the naive ones, at %llu "
		      "instants one ends\n",
		      (unsigned long long)w.sum.compared,
		      (unsigned long long)w.sum.skipped);
	assert_true(w.sum.compared > 20 * w.sum.skipped);
	print_message("bounds as shown: %llu looked at, %llu passed\n",
		      (unsigned long long)w.sum.shown,
		      (unsigned long long)w.sum.passed);
	say("lemma 2", &lemma);
	say("theorem 1", &theorem);
	say("lemma 2 under fcfs", &plain);
	assert_true(w.sum.shown >= (uint64_t)n);
	assert_int_equal(w.sum.passed, 0);
	assert_int_equal(lemma.broken, 0);
	assert_int_equal(theorem.broken, 0);
	assert_true(plain.broken > 0);
}

static void bounds_hold_in_open_loops(void **state)
{
	static struct world w;
	struct tally t = { 0 };
	uint64_t seed = cs_test_seed();
	long n = instances();

	(void)state;
	for (long i = 0; i < n; i++) {
		one(&w, seed + (uint64_t)i * 2 + 1, false, insides[i % INSIDES]);
		theorem_2(&w, &t);
		close_world(&w);
	}
	say("theorem 2", &t);
	assert_true(w.sum.compared > 20 * w.sum.skipped);
	assert_int_equal(t.broken, 0);
}

/* Proposition 2: k users with m jobs of p each at 0, then m of 1: the first one's
 * second campaign has to wait for all others. */
static void proposition_2(void **state)
{
	static struct world w;
	struct tally lemma = { 0 }, theorem = { 0 };
	const int64_t p = 100 * RIG_S;

	(void)state;
	memset(&w, 0, sizeof(w));
	w.closed = true;
	w.m = 8;
	w.users = 10;
	w.longest_us = p;
	for (uint32_t u = 0; u < w.users; u++) {
		struct suser *x = &w.user[u];

		x->n = 2;
		x->campaign = calloc(2, sizeof(*x->campaign));
		for (uint32_t i = 0; i < 2; i++) {
			struct scampaign *c = &x->campaign[i];
			int64_t run_us = i ? RIG_S : p;

			c->first = w.n_job;
			c->n = c->left = w.m;
			c->work_us = w.m * run_us;
			c->longest_us = run_us;
			for (uint32_t k = 0; k < w.m; k++)
				w.job[w.n_job++] = (struct sjob){
					.user = u, .campaign = i,
					.run_us = run_us
				};
		}
		x->campaign[1].submit_us = CS_TIME_NONE;
	}
	open_engine(&w, "policy=ostrich,hold=strict");
	run_world(&w);
	lemma_2(&w, &lemma, &theorem);
	say("proposition 2, theorem 1", &theorem);
	assert_int_equal(lemma.broken, 0);
	/* (k - 1) p of the bound's k (1 + p) + 3 p and some */
	assert_true(w.user[0].campaign[1].end_us -
			    w.user[0].campaign[1].submit_us >=
		    (w.users - 1) * p);
	assert_true(theorem.tightest > .6);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_2),
		cmocka_unit_test(hold),
		cmocka_unit_test(inside),
		cmocka_unit_test(longest_first_by_when_processors_are_free),
		cmocka_unit_test(nice_and_set_priorities),
		cmocka_unit_test(top),
		cmocka_unit_test(campaigns_out_of_jobs),
		cmocka_unit_test(who_is_not_free_to_start_is_in_no_campaign),
		cmocka_unit_test(corrections),
		cmocka_unit_test(a_user_goes_while_he_is_active),
		cmocka_unit_test(thousands_of_users),
		cmocka_unit_test(a_clock_set_back_freezes_the_schedule),
		cmocka_unit_test(a_restart_changes_no_order),
		cmocka_unit_test(who_does_not_come_back_has_left),
		cmocka_unit_test(
			who_ran_and_does_not_come_back_did_what_is_known),
		cmocka_unit_test(bad_state_is_left_out),
		cmocka_unit_test(state_comes_in_one_piece),
		cmocka_unit_test(spoilt_state_does_no_harm),
		cmocka_unit_test(proposition_2),
		cmocka_unit_test(bounds_hold_in_closed_loops),
		cmocka_unit_test(bounds_hold_in_open_loops),
	};

	return cmocka_run_group_tests_name("campaign", tests, NULL, NULL);
}
