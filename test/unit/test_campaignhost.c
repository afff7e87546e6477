/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Campaigns over a restart of the host, and what its administrators say. */
#include <stdio.h>

#include "cs_test.h"
#include "common/order/ostrich.h"
#include "rig.h"

/* ---- restart ------------------------------------------------------------------ */

/* Tell a new engine what the old one kept, and of its jobs. */
static void restart(struct rig *a, struct rig *b, const struct cs_job *job,
		    uint32_t n)
{
	static char text[1 << 16];
	char *at = text;
	size_t len = cs_engine_save(a->engine, text, sizeof(text));

	assert_true(len < sizeof(text));
	assert_int_equal(len, strlen(text));
	b->now_us = a->now_us;
	while (*at) {
		size_t k = strcspn(at, "\n");
		struct cs_event ev = { .type = CS_EV_KEPT, .kept = at };

		at[k] = '\0';
		rig_tell(b, ev);
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
		rig_tell(b, (struct cs_event){ .type = CS_EV_STARTED,
					       .start = &s });
	}
}

/* Which job each of the two starts next, until none waits. */
static void same_from_now_on(struct rig *a, struct rig *b)
{
	static struct cs_campaign_view va[64], vb[64];
	uint32_t id[64];

	while (cs_engine_list(a->engine, true, id, 64)) {
		int64_t campaigns = cs_campaign_query_all(a->engine, va, 64);

		assert_int_equal(cs_campaign_query_all(b->engine, vb, 64),
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
	rig_open(&a, "policy=ostrich-paper", NULL, 4, 1, 1, 0);
	rig_open(&b, "policy=ostrich-paper", NULL, 4, 1, 1, 0);
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
	rig_tell(&a, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 41 });
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
	rig_open(&a, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
	rig_open(&b, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
	for (uint32_t i = 0; i < 2; i++) {
		job[i] = rig_job(&a, i + 1, 1, 100, NULL);
		job[i].user = i ? "bob" : "ann";
		rig_submit(&a, &job[i]);
	}
	restart(&a, &b, job + 1, 1);
	assert_int_equal(cs_campaign_active_users(b.engine), 2);
	rig_at(&b, 1); /* ann's never ran: nothing is left of it */
	assert_int_equal(cs_campaign_active_users(b.engine), 1);
	assert_int_equal(cs_campaign_query_all(b.engine, NULL, 0), 1);
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
	rig_open(&a, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
	rig_open(&b, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
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
	assert_int_equal(cs_campaign_query_all(b.engine, v, 4), 3);
	rig_at(&b, 101);
	/* the two users had 50 each so far: 50 of those 100 are left, and so on */
	assert_int_equal(cs_campaign_query_all(b.engine, v, 4), 3);
	assert_string_equal(v[0].user, "ann");
	assert_close(v[0].virtual_left_s, 49.5, 1e-6);
	rig_at(&b, 201);
	assert_int_equal(cs_campaign_query_all(b.engine, v, 4), 2);
	assert_string_equal(v[0].user, "bob");
	assert_close(v[0].virtual_left_s, 899.5, 1e-6);
	assert_close(v[1].virtual_left_s, 999.5, 1e-6);
	rig_close(&a);
	rig_close(&b);
}

/* State that is kept between a proposal and its answer: the task is counted once,
 * whether it has started meanwhile or not. */
static void a_task_that_is_proposed_is_counted_once(void **state)
{
	(void)state;
	for (int started = 0; started < 2; started++) {
		struct cs_campaign_view v[2];
		struct cs_actions act;
		struct cs_job job[2];
		struct rig a, b;

		rig_open(&a, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
		rig_open(&b, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
		job[0] = rig_job(&a, 1, 1, 100, NULL);
		job[0].array_id = 1;
		job[0].tasks = 3;
		rig_submit(&a, &job[0]);
		assert_int_equal(cs_engine_decide(a.engine, a.now_us, &act), 0);
		assert_int_equal(act.n, 1);
		job[1] = job[0];
		job[1].id = 2;
		job[1].tasks = 1;
		job[0].tasks -= (uint32_t)started;
		restart(&a, &b, job, 1 + (uint32_t)started);
		rig_tell(&b, (struct cs_event){ .type = CS_EV_TICK });
		assert_int_equal(cs_campaign_query_all(b.engine, v, 2), 1);
		assert_int_equal(v[0].waiting, 3);
		assert_close(v[0].work_s, 300, 1e-9);
		rig_close(&a);
		rig_close(&b);
	}
}

static void bad_state_is_left_out(void **state)
{
	static const char *const bad[] = {
		"job 1 1 0 5", /* no campaign above */
		"job",
		"job 0 1 0 5",
		"job 1 1 0 5 6",
		"job 1 1 0 g",
		"job 99999999999 1 0 5",
		"job -1 1 0 5",
		"job 1 1 ffffffff 5",
		"job 1 1 0 5 0 6",
		"clock 1 2",
		"nonsense",
		"longest",
		"longest -5",
		"longest 9x",
		"longest 99999999999999999999",
		"campaign 1 1 runs 1 0 0 - 5 0 5 0 0 0 =",
	};
	struct cs_err err;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
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

		rig_open(&r, "policy=ostrich-paper", NULL, 2, 1, 1, 0);
		r.now_us = 100;
		for (size_t i = 0; i < 5; i++)
			rig_tell(&r, (struct cs_event){ .type = CS_EV_KEPT,
							.kept = first[i] });
		rig_tell(&r, (struct cs_event){ .type = CS_EV_TICK });
		if (cancel) {
			rig_add(&r, 1, 1, 100, NULL);
			rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL,
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
	rig_open(&r, "policy=ostrich-paper,campaign_hold=strict", NULL, 4, 1, 1,
		 0);
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
		rig_at(&r, r.now_us / RIG_S + (int64_t)cs_test_draw(seed, 60));
	}
	rig_close(&r);
}

static void spoilt_state_does_no_harm(void **state)
{
	static char text[1 << 16];
	uint64_t seed = cs_test_seed();
	struct rig a;

	(void)state;
	rig_open(&a, "policy=ostrich-paper", NULL, 4, 1, 1, 0);
	for (uint32_t id = 1; id <= 40; id++) {
		struct cs_job j = rig_job(&a, id, 1, 1 + (int64_t)id, NULL);

		j.user = id % 3 ? "alice" : "bob";
		j.campaign = id % 7 ? NULL : "x";
		rig_submit(&a, &j);
		rig_at(&a, a.now_us / RIG_S + (int64_t)cs_test_draw(&seed, 9));
	}
	assert_true(cs_engine_save(a.engine, text, sizeof(text)) <
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
			struct cs_job j =
				rig_job(&r, i + 1, 1, x[i].estimate_s, NULL);
			struct cs_job_partition o = j.option[0];

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
	assert_int_equal(cs_campaign_ranked(r.engine, id, 8), n);
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
		{ "a", 50, 0, 0, 0, 0 }, { "b", 20, 0, 0, 0, 9 },
		{ "a", 10, 5, 0, 0, 0 }, { "b", 30, -1, 0, 0, 0 },
		{ "b", 5, 0, 0, 0, 0 },
	};
	const struct said later[] = {
		{ "a", 50, 0, 0, 0, 0 },
		{ "b", 90, 0, 0, 0, 0 },
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
	order_is("policy=ostrich-paper", plain, 5, 0, "42513");
	order_is("policy=ostrich-paper,campaign_order=spt", plain, 5, 0,
		 "45213");
	/* a's third job, of his second campaign, comes to the front of his first */
	order_is("policy=ostrich-paper,campaign_hold=strict", later, 3, 4,
		 "312");
	order_is("policy=ostrich-paper", chosen, 5, 0, "31542");
	order_is("policy=ostrich-paper", tiers, 3, 0, "213");
}

/* A nice value that comes later: what `scontrol top` does. */
static void top(void **state)
{
	struct cs_campaign_view v, all[2];
	uint32_t id[4];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper,campaign_hold=strict", NULL, 4, 1, 1,
		 0);
	rig_add(&r, 1, 4, 100, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 1, 100, NULL);
	rig_at(&r, 1);
	rig_add(&r, 3, 1, 50, NULL);
	rig_decide(&r);
	assert_int_equal(cs_campaign_query(r.engine, 3, &v), 0);
	assert_int_equal(v.number, 2);
	j = rig_job(&r, 3, 1, 50, NULL);
	j.nice = -1;
	assert_int_equal(
		cs_engine_event(r.engine,
				&(struct cs_event){ .type = CS_EV_CHANGE,
						    .t_us = r.now_us,
						    .job = &j },
				NULL),
		0);
	assert_int_equal(cs_engine_check(r.engine, NULL), 0);
	assert_int_equal(cs_campaign_query(r.engine, 3, &v), 0);
	assert_int_equal(v.number, 1);
	assert_int_equal(cs_campaign_ranked(r.engine, id, 4), 2);
	assert_int_equal(id[0], 3);
	/* its work came along, all of it, and goes with the job */
	assert_int_equal(cs_campaign_query_all(r.engine, all, 2), 2);
	assert_int_equal(all[1].number, 2);
	assert_true(all[1].work_s == 0);
	assert_int_equal((int64_t)v.work_s, 4 * 100 + 100 + 50);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 3 });
	assert_int_equal(cs_campaign_query(r.engine, 2, &v), 0);
	assert_int_equal((int64_t)v.work_s, 4 * 100 + 100);
	rig_close(&r);
}

/* Rule 7 of campaign.c: a job leaves a campaign that waits, not one that has ended. */
static void top_of_a_campaign_that_has_ended(void **state)
{
	struct cs_campaign_view v;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
	rig_add(&r, 1, 1, 10, NULL);
	rig_add(&r, 2, 1, 10, NULL);
	rig_decide(&r);
	rig_at(&r, 21); /* 1 takes longer; virtually both ended at 20 */
	rig_add(&r, 3, 1, 10, NULL);
	j = rig_job(&r, 2, 1, 10, NULL);
	j.nice = -1;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(cs_campaign_query(r.engine, 2, &v), 0);
	assert_int_equal(v.number, 1);
	assert_true(v.ended);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nice_and_set_priorities),
		cmocka_unit_test(top),
		cmocka_unit_test(top_of_a_campaign_that_has_ended),
		cmocka_unit_test(a_restart_changes_no_order),
		cmocka_unit_test(who_does_not_come_back_has_left),
		cmocka_unit_test(
			who_ran_and_does_not_come_back_did_what_is_known),
		cmocka_unit_test(a_task_that_is_proposed_is_counted_once),
		cmocka_unit_test(bad_state_is_left_out),
		cmocka_unit_test(state_comes_in_one_piece),
		cmocka_unit_test(spoilt_state_does_no_harm),
	};

	return cmocka_run_group_tests_name("campaignhost", tests, NULL, NULL);
}
