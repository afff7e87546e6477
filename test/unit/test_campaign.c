/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Campaigns in the engine: Emeras12's example in the real schedule, which jobs are
 * one, and what becomes of them. */
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

/* Lengths that fit every sentence of Emeras12's text. */
static void figure_2(void **state)
{
	struct simrig r;

	(void)state;
	figure_2_run(&r, "policy=ostrich-paper,campaign_hold=strict");
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
	/* the same with a log that is off, and without campaign_hold=strict: nothing is
	 * idle here, so that it holds nobody back */
	figure_2_run(&r, "policy=ostrich-paper");
	assert_int_equal(starts_at(&r, 3, 7), 4);
	simrig_close(&r);
}

/* With processors idle, campaign_hold=rank gives them to who has not begun virtually. */
static void hold(void **state)
{
	struct simrig r;

	(void)state;
	for (int strict = 0; strict < 2; strict++) {
		simrig_open(&r, "2x1x1",
			    strict ? "policy=ostrich-paper,campaign_hold=strict"
				   : "policy=ostrich-paper,campaign_hold=rank",
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
		{ "policy=ostrich-paper,campaign_order=fcfs", { 0, 20, 30 } },
		{ "policy=ostrich-paper,campaign_order=spt", { 10, 0, 30 } },
		{ "policy=ostrich-paper,campaign_order=lpt", { 30, 50, 0 } },
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
		{ "policy=ostrich-paper,campaign_order=lpt", { 0, 3, 5 } },
		{ "policy=ostrich-paper,campaign_order=mlpt", { 3, 0, 4 } },
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
			assert_true(simrig_start(&r, k + 1) == row[i].start[k]);
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
		if (cs_campaign_query(r.engine, (uint32_t)i + 1, &v))
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
		{ 0, 160, NULL, 0 },
		{ 0, 160, NULL, 0 }, /* together */
		{ 5, 160, NULL, 0 },
		{ 19, 16, NULL, 0 },  /* virtually to 20 */
		{ 20, 160, NULL, 0 }, /* the next begins at this moment */
		{ 21, 160, NULL, 0 },
		{ 2000, 10, NULL, 0 },
		{ 2005, 10, NULL, 0 },
	};
	static const struct arrival named[] = {
		{ 0, 16000, "a", 0 },  { 1, 16000, NULL, 0 },
		{ 2, 16000, "a", 0 },  { 3, 16000, NULL, 7 },
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
		{ 0, 16000, long_name, 0 },
		{ 0, 16000, NULL, 0 },
		{ 5, 16000, long_name, 0 },
	};

	(void)state;
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	numbers("policy=ostrich-paper", plain, 8, "11222345");
	numbers("policy=ostrich-paper,campaign=array", plain, 8, "12345678");
	numbers("policy=ostrich-paper", named, 8, "12134536");
	/* a name that is too long is none */
	numbers("policy=ostrich-paper", too_long, 3, "112");
	/* the first campaign is there until 100 and virtually until 125 */
	numbers("policy=ostrich-paper,campaign=batch", rules, 4, "5667");
	numbers("policy=ostrich-paper,campaign=max", rules, 4, "5556");
	numbers("policy=ostrich-paper,campaign=last", rules, 4, "5567");
	numbers("policy=ostrich-paper,campaign=gap,think_s=50", rules, 4,
		"5555");
	numbers("policy=ostrich-paper,campaign=arrival,think_s=30", rules, 4,
		"5667");
	numbers("policy=ostrich-paper,campaign=array", rules, 4, "5678");
}

/* ---- what happens to campaigns ------------------------------------------------ */

static struct cs_campaign_view campaign_of(struct rig *r, uint32_t job)
{
	struct cs_campaign_view v = { 0 };

	if (cs_campaign_query(r->engine, job, &v))
		fail_msg("job %u is in no campaign", job);
	return v;
}

/* Held, dependent, or to begin later: no part of a campaign until it is free. */
static void who_is_not_free_to_start_is_in_no_campaign(void **state)
{
	struct cs_campaign_view v;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 4, 1, 1, 0);
	j = rig_job(&r, 1, 1, 100, NULL);
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	j = rig_job(&r, 2, 1, 100, NULL);
	j.eligible_us = 50 * RIG_S;
	rig_submit(&r, &j);
	assert_int_equal(cs_campaign_active_users(r.engine), 0);
	assert_int_equal(cs_campaign_query(r.engine, 1, &v), -2);
	rig_at(&r, 60);
	v = campaign_of(&r, 2);
	assert_int_equal(v.submit_us, 50 * RIG_S); /* not when we looked */
	assert_int_equal(v.projected_us, 75 * RIG_S);
	r.now_us = 70 * RIG_S;
	j = rig_job(&r, 1, 1, 100, NULL);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(campaign_of(&r, 1).number, 2);
	assert_false(campaign_of(&r, 1).began);
	/* blocked again, it stays where it is */
	j.flags = CS_JOB_BLOCKED;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(campaign_of(&r, 1).number, 2);
	rig_close(&r);
}

/* Both the held job and the one that begins later join as the host starts them, once. */
static void a_job_that_the_host_starts_joins_with_its_start(void **state)
{
	struct cs_alloc *a = cs_alloc_create(1, 1);
	struct cs_started s = { .limit_us = 100 * RIG_S, .alloc = a };
	struct cs_campaign_view v[4];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 4, 1, 1, 0);
	for (uint32_t id = 1; id <= 2; id++) {
		j = rig_job(&r, id, 1, 100, NULL);
		if (id == 1)
			j.flags = CS_JOB_BLOCKED;
		else
			j.eligible_us = 50 * RIG_S;
		rig_submit(&r, &j);
	}
	r.now_us = 20 * RIG_S;
	cs_alloc_cores(a, 0)[0] = 1;
	for (uint32_t id = 1; id <= 2; id++) {
		a->node[0] =
			(struct cs_alloc_node){ .node = id - 1, .procs = 1 };
		s.job_id = id;
		s.start_us = r.now_us;
		rig_tell(&r, (struct cs_event){ .type = CS_EV_STARTED,
						.start = &s });
		assert_int_equal(campaign_of(&r, id).number, 1);
		assert_int_equal(campaign_of(&r, id).submit_us, 20 * RIG_S);
		assert_int_equal(campaign_of(&r, id).running, id);
	}
	rig_at(&r, 60);
	assert_int_equal(cs_campaign_query_all(r.engine, v, 4), 1);
	assert_int_equal(v[0].running, 2);
	cs_alloc_free(a);
	rig_close(&r);
}

/* Estimates, limits, cancels and early ends move virtual ends. */
/* Of the user's campaign called @name; -1: not known. */
static int64_t real_end_s(struct rig *r, const char *user, const char *name)
{
	struct cs_campaign_view v[8];
	int64_t n = cs_campaign_query_all(r->engine, v, 8);

	for (int64_t i = 0; i < n; i++)
		if (!strcmp(v[i].user, user) && !strcmp(v[i].name, name))
			return v[i].real_end_us == CS_TIME_NONE
				       ? -1
				       : v[i].real_end_us / RIG_S;
	fail_msg("%s has no campaign '%s'", user, name);
	return 0;
}

/* Two processors; ann has 100 and 100, then another 100, bob 50. */
static void real_ends(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 2, 1, 1, 0);
	for (uint32_t id = 1; id <= 4; id++) {
		j = rig_job(&r, id, 1, id == 3 ? 50 : 100, NULL);
		j.user = id == 3 ? "bob" : "ann";
		j.campaign = id == 4 ? "x" : NULL;
		rig_submit(&r, &j);
	}
	/* (50 - 50) / 2 + 50; (250 - 100) / 2 + 100 */
	assert_int_equal(real_end_s(&r, "bob", ""), 50);
	assert_int_equal(real_end_s(&r, "ann", ""), 175);
	assert_int_equal(real_end_s(&r, "ann", "x"), -1);
	rig_at(&r, 0);
	assert_int_equal(real_end_s(&r, "ann", ""), 175);
	r.now_us = 50 * RIG_S;
	rig_finish(&r, 3);
	rig_decide(&r);
	assert_int_equal(real_end_s(&r, "ann", ""), 150);
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r); /* it runs, though it waits virtually */
	assert_int_equal(real_end_s(&r, "ann", "x"), 200);
	rig_close(&r);
}

static void corrections(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper,campaign_hold=strict", NULL, 4, 1, 1,
		 0);
	for (uint32_t id = 1; id <= 8; id++)
		rig_add(&r, id, 1, 100, NULL);
	assert_int_equal(campaign_of(&r, 8).projected_us, 200 * RIG_S);
	rig_at(&r, 10);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 8 });
	assert_int_equal(campaign_of(&r, 7).projected_us, 175 * RIG_S);
	j = rig_job(&r, 7, 1, 300, NULL);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(campaign_of(&r, 7).projected_us, 225 * RIG_S);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_LIMIT,
					.limit = { 1, 60 * RIG_S } });
	assert_int_equal(campaign_of(&r, 7).projected_us, 215 * RIG_S);
	r.now_us = 20 * RIG_S;
	rig_finish(&r, 2); /* after 10 s of 100 */
	assert_int_equal(campaign_of(&r, 7).projected_us, 192500000);
	/* one that runs again is charged once, and is where it was */
	j = rig_job(&r, 3, 1, 100, NULL);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_REQUEUE, .job = &j });
	assert_int_equal(campaign_of(&r, 3).projected_us, 192500000);
	/* a node is gone: what is left goes at 3 a second */
	rig_tell(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 3, false, NULL, "test" } });
	rig_tell(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 3, false, NULL, "again" } });
	assert_int_equal(campaign_of(&r, 7).projected_us, 250 * RIG_S);
	rig_close(&r);
}

/* Jobs 2, 3, 4 of 4, 4 and 5 s, of which the last had better wait for the second
 * processor (mlpt.c); with one of two processors all go the longest first again. */
static void turns_are_forgotten_where_mlpt_does_not_apply(void **state)
{
	static const uint32_t mlpt[] = { 2, 4, 3 }, longest[] = { 4, 2, 3, 5 };
	uint32_t id[4];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper,campaign_order=mlpt", NULL, 2, 1, 1,
		 0);
	j = rig_job(&r, 1, 1, 3, NULL);
	j.user = "bob";
	rig_submit(&r, &j);
	rig_decide(&r);
	rig_add(&r, 2, 1, 4, NULL);
	rig_add(&r, 3, 1, 4, NULL);
	rig_add(&r, 4, 1, 5, NULL);
	assert_int_equal(cs_campaign_ranked(r.engine, id, 4), 3);
	assert_memory_equal(id, mlpt, sizeof(mlpt));
	rig_add(&r, 5, 2, 1, NULL);
	assert_int_equal(cs_campaign_ranked(r.engine, id, 4), 4);
	assert_memory_equal(id, longest, sizeof(longest));
	rig_close(&r);
}

/* With shares=given the host's word on a job is its user's weight, also later. */
static void a_users_share_changes(void **state)
{
	static const char *const params[] = {
		"policy=ostrich-paper,shares=equal",
		"policy=ostrich-paper,shares=given",
	};

	(void)state;
	for (uint32_t given = 0; given < 2; given++) {
		struct cs_job j;
		struct rig r;

		rig_open(&r, params[given], NULL, 2, 1, 1, 0);
		j = rig_job(&r, 1, 1, 100, NULL);
		j.share = 2000000;
		rig_submit(&r, &j);
		assert_int_equal(campaign_of(&r, 1).weight,
				 given ? 2000000 : 1000000);
		j.share = 3000000;
		rig_tell(&r,
			 (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
		assert_int_equal(campaign_of(&r, 1).weight,
				 given ? 3000000 : 1000000);
		rig_close(&r);
	}
}

/* Lemma 2 of Emeras12 has the longest job of all: one that changes counts, and counts
 * no more for the next campaign when no job waits. */
static void the_bound_has_the_longest_job(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 2, 1, 1, 0);
	rig_add(&r, 1, 1, 100, NULL);
	/* its virtual end at 50 (150, bob's 100), twice the longest job, its own */
	assert_int_equal(campaign_of(&r, 1).bound_us, 350 * RIG_S);
	j = rig_job(&r, 1, 1, 300, NULL);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(campaign_of(&r, 1).bound_us, 1050 * RIG_S);
	j = rig_job(&r, 1, 1, 100, NULL);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	rig_decide(&r);
	j = rig_job(&r, 2, 1, 100, NULL);
	j.user = "bob";
	rig_submit(&r, &j);
	assert_int_equal(campaign_of(&r, 2).bound_us, 400 * RIG_S);
	rig_close(&r);
}

/* A start says what service its campaign had got, and will have at its end: core
 * seconds of a user of usual weight. */
static void a_start_says_the_service_of_its_campaign(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 2, 1, 1, 0);
	rig_add(&r, 1, 2, 50, NULL);
	rig_add(&r, 2, 2, 50, NULL);
	rig_decide(&r);
	r.now_us = 50 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_start(&r, 1)->service == 0);
	assert_true(rig_start(&r, 2)->service == 100);
	assert_true(rig_start(&r, 2)->finish == 200);
	rig_close(&r);
}

/* Every job of his is cancelled or ends: nothing of him is left. */
static void a_user_goes_while_he_is_active(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 2, 1, 1, 0);
	for (uint32_t id = 1; id <= 20; id++) {
		struct cs_job j = rig_job(&r, id, 1, 1000, NULL);

		j.user = id % 2 ? "gone" : "stays";
		rig_submit(&r, &j);
	}
	rig_at(&r, 10);
	assert_int_equal(cs_campaign_active_users(r.engine), 2);
	for (uint32_t id = 1; id <= 20; id += 2)
		if (rig_runs(&r, id))
			rig_finish(&r, id);
		else
			rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL,
							.job_id = id });
	assert_int_equal(cs_campaign_active_users(r.engine), 1);
	assert_int_equal(cs_campaign_query_all(r.engine, NULL, 0), 1);
	rig_at(&r, 20);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

static void thousands_of_users(void **state)
{
	struct cs_engine_stats st;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper,depth=0", NULL, 2, 1, 1, 0);
	for (uint32_t i = 0; i < 3000; i++) {
		char name[16];
		struct cs_job j = rig_job(&r, i + 1, 1, 3000 - i, NULL);
		struct cs_event ev = { .type = CS_EV_SUBMIT, .job = &j };

		snprintf(name, sizeof(name), "user%u", i);
		j.user = name;
		assert_int_equal(cs_engine_event(r.engine, &ev, NULL), 0);
	}
	assert_int_equal(cs_campaign_active_users(r.engine), 3000);
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
	rig_open(&r, "policy=ostrich-paper", NULL, 2, 1, 1, 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_2),
		cmocka_unit_test(hold),
		cmocka_unit_test(inside),
		cmocka_unit_test(longest_first_by_when_processors_are_free),
		cmocka_unit_test(campaigns_out_of_jobs),
		cmocka_unit_test(who_is_not_free_to_start_is_in_no_campaign),
		cmocka_unit_test(
			a_job_that_the_host_starts_joins_with_its_start),
		cmocka_unit_test(real_ends),
		cmocka_unit_test(corrections),
		cmocka_unit_test(turns_are_forgotten_where_mlpt_does_not_apply),
		cmocka_unit_test(a_users_share_changes),
		cmocka_unit_test(the_bound_has_the_longest_job),
		cmocka_unit_test(a_start_says_the_service_of_its_campaign),
		cmocka_unit_test(a_user_goes_while_he_is_active),
		cmocka_unit_test(thousands_of_users),
		cmocka_unit_test(a_clock_set_back_freezes_the_schedule),
	};

	return cmocka_run_group_tests_name("campaign", tests, NULL, NULL);
}
