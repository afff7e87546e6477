/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts that the host refuses: when each is proposed again (job/refused.c). */
#include "refuserig.h"

/* At @t_s and half a second it is proposed as @type, and refused; nothing is proposed
 * before. */
static void refused_at(struct rig *r, int64_t t_s, enum cs_action_type type)
{
	int64_t t_us = t_s * RIG_S + RIG_S / 2;
	struct cs_action a;

	r->now_us = t_us - 1;
	wants_nothing(r);
	assert_int_equal(cs_engine_next_wakeup_us(r->engine), t_us);
	r->now_us = t_us;
	a = wants(r);
	assert_int_equal(a.type, type);
	refuse(r, a.seq, CS_REFUSED_PLACE);
}

/* The example of refused.c. */
static void after_two_exact_starts_the_host_places_it(void **state)
{
	static const char *const policy[] = { "policy=cst", "policy=easy",
					      "policy=pack", "policy=fcfs" };
	struct cs_action a;
	struct rig r;

	(void)state;
	for (int p = 0; p < 4; p++) {
		rig_open(&r, policy[p], NULL, 2, 1, 2, 0);
		rig_add(&r, 1, 2, 100, NULL);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_START);
		refuse(&r, a.seq, CS_REFUSED_PLACE);
		refused_at(&r, 0, CS_ACT_START);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_HOST_START);
		refuse(&r, a.seq, CS_REFUSED_PLACE);
		refused_at(&r, 10, CS_ACT_HOST_START);
		refused_at(&r, 30, CS_ACT_HOST_START);
		refused_at(&r, 70, CS_ACT_HOST_START);
		refused_at(&r, 150, CS_ACT_HOST_START);
		refused_at(&r, 310, CS_ACT_HOST_START);
		/* 30 * retry_s, no longer */
		refused_at(&r, 610, CS_ACT_HOST_START);
		refused_at(&r, 910, CS_ACT_HOST_START);
		rig_close(&r);
	}
}

static void
a_change_of_the_machine_ends_the_pause_of_the_hosts_test(void **state)
{
	struct cs_action a;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", NULL, 2, 1, 2, 0);
	rig_add(&r, 9, 1, 1000, NULL);
	rig_decide(&r);
	rig_add(&r, 1, 1, 100, NULL);
	a = wants(&r);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	r.now_us = RIG_S;
	refuse(&r, wants(&r).seq, CS_REFUSED_PLACE);
	refuse(&r, wants(&r).seq, CS_REFUSED_PLACE);
	refuse(&r, wants(&r).seq, CS_REFUSED_PLACE); /* on the idle node */
	wants_nothing(&r);
	rig_finish(&r, 9);
	assert_int_equal(wants(&r).type, CS_ACT_HOST_START);
	rig_close(&r);
}

/* Nothing is proposed again before its pause is over though the machine changes. */
static void what_only_time_helps_waits_for_time(void **state)
{
	struct cs_action a;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", NULL, 2, 1, 2, 0);
	rig_add(&r, 9, 1, 1000, NULL);
	rig_decide(&r);
	rig_add(&r, 1, 1, 100, NULL);
	a = wants(&r);
	refuse(&r, a.seq, CS_REFUSED_TIMED);
	rig_finish(&r, 9);
	wants_nothing(&r);
	r.now_us = 10 * RIG_S;
	a = wants(&r);
	assert_int_equal(a.type, CS_ACT_START);
	refuse(&r, a.seq, CS_REFUSED_TIMED);
	r.now_us = 30 * RIG_S - 1;
	wants_nothing(&r);
	r.now_us++;
	wants(&r);
	rig_close(&r);
}

/*
 * Five jobs over a limit of the host, of which two starts a second are proposed when
 * another job ends (host_tries=4); each is proposed again by itself after its pause.
 */
static void who_is_over_a_limit_is_tried_when_others_end(void **state)
{
	struct cs_actions a;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_tries=4", NULL, 3, 1, 2, 0);
	rig_add(&r, 9, 1, 1000, NULL);
	rig_decide(&r);
	for (uint32_t id = 1; id <= 5; id++)
		rig_add(&r, id, 1, 100, NULL);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 5);
	for (uint32_t seq = a.action[0].seq, i = 0; i < 5; i++)
		refuse(&r, seq + i, CS_REFUSED_LIMIT);
	wants_nothing(&r);
	r.now_us = RIG_S;
	rig_finish(&r, 9);
	for (int left = 5; left > 0; left -= 2) {
		uint32_t n = left < 2 ? 1 : 2;

		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		assert_int_equal(a.n, n);
		for (uint32_t seq = a.action[0].seq, i = 0; i < n; i++)
			refuse(&r, seq + i, CS_REFUSED_LIMIT);
		wants_nothing(&r);
		if (n == 2)
			assert_int_equal(cs_engine_next_wakeup_us(r.engine),
					 r.now_us + RIG_S);
		r.now_us += RIG_S;
	}
	r.now_us = 21 * RIG_S; /* twice retry_s behind the second refusal */
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 2);
	rig_close(&r);
}

static void refuse_to_the_host(struct rig *r)
{
	refuse(r, wants(r).seq, CS_REFUSED_PLACE);
	r->now_us += RIG_S;
	refuse(r, wants(r).seq, CS_REFUSED_PLACE);
	assert_int_equal(wants(r).type, CS_ACT_HOST_START);
}

static void another_priority_is_no_other_wish(void **state)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst,order=slurm", NULL, 2, 1, 2, 0);
	o.nodeset = r.all;
	j = rig_job(&r, 1, 2, 100, NULL);
	j.option = &o;
	rig_submit(&r, &j);
	refuse_to_the_host(&r);
	refuse(&r, 3, CS_REFUSED_PLACE);
	o.priority = 7;
	j.flags = CS_JOB_BLOCKED;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	wants_nothing(&r);
	j.flags = 0;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	wants_nothing(&r);
	r.now_us += 10 * RIG_S;
	assert_int_equal(wants(&r).type, CS_ACT_HOST_START);
	refuse(&r, 4, CS_REFUSED_PLACE);
	/* one process less is */
	j.procs = 1;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	refuse_to_the_host(&r);
	refuse(&r, 7, CS_REFUSED_PLACE);
	wants_nothing(&r);
	/* so is another of those that only the host knows */
	j.wishes = 1;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	refuse_to_the_host(&r);
	refuse(&r, 10, CS_REFUSED_PLACE);
	wants_nothing(&r);
	/* and a reservation */
	o.reservation = 5;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(wants(&r).type, CS_ACT_START);
	rig_close(&r);
}

/* Refused in its first partition, it starts in the second. */
static void each_partition_has_refusals_of_its_own(void **state)
{
	static const char *const policy[] = { "policy=cst", "policy=easy",
					      "policy=pack,backfill=easy" };
	struct cs_job_partition o[2] = { { .partition = 1 },
					 { .partition = 2 } };
	struct cs_action a;
	struct cs_job j;
	struct rig r;
	uint64_t set;

	(void)state;
	for (int p = 0; p < 3; p++) {
		rig_open(&r, policy[p], NULL, 2, 1, 2, 0);
		for (uint32_t i = 0; i < 2; i++) {
			set = UINT64_C(1) << i;
			o[i].nodeset =
				(uint32_t)cs_engine_nodeset(r.engine, &set);
			o[i].limit_max_us = CS_TIME_NONE;
		}
		j = rig_job(&r, 1, 2, 100, NULL);
		j.option = o;
		j.n_option = 2;
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.option, 0);
		refuse(&r, a.seq, CS_REFUSED_CHANGED);
		a = wants(&r);
		assert_int_equal(a.option, 1);
		assert_int_equal(a.alloc->node[0].node, 1);
		rig_close(&r);
	}
}

/* Tasks of an array that is cancelled, or asks for one partition only, while their
 * starts are proposed in the second. */
static void an_array_that_changes_meanwhile(void **state)
{
	struct cs_job_partition o[2] = { { .flags = CS_JOB_BLOCKED,
					   .limit_max_us = CS_TIME_NONE },
					 { .limit_max_us = CS_TIME_NONE } };
	struct cs_engine_stats now;
	struct cs_actions a;
	uint32_t seq[2];
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int cancel = 0; cancel < 2; cancel++) {
		rig_open(&r, "policy=pack", NULL, 2, 1, 2, 0);
		j = rig_job(&r, 1, 2, 100, NULL);
		j.array_id = 1;
		j.tasks = 2;
		j.option = o;
		j.n_option = 2;
		rig_submit(&r, &j);
		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		assert_int_equal(a.n, 2);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(a.action[i].option, 1);
			seq[i] = a.action[i].seq;
		}
		j.n_option = 1;
		rig_tell(&r, cancel ? (struct cs_event){ .type = CS_EV_CANCEL,
							 .job_id = 1 }
				    : (struct cs_event){ .type = CS_EV_CHANGE,
							 .job = &j });
		for (int i = 0; i < 2; i++)
			refuse(&r, seq[i], CS_REFUSED_PLACE);
		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		assert_int_equal(a.n, 0);
		cs_engine_stats(r.engine, &now);
		assert_int_equal(now.waiting, cancel ? 0 : 4);
		rig_close(&r);
	}
}

/*
 * Four nodes of four cores, and 400 jobs that the model has room for and the host
 * refuses.  Whoever asks for one core for two seconds gets it within one, whether their
 * pauses last, are over, or have ended with a change.
 */
static void who_is_refused_keeps_nothing_from_others(void **state)
{
	static const char *const policy[] = { "policy=pack,retry_s=1",
					      "policy=cst,retry_s=1",
					      "policy=easy,retry_s=1",
					      "policy=fcfs,retry_s=1" };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 4; p++) {
		rig_open(&r, policy[p], NULL, 4, 2, 2, 0);
		for (uint32_t id = 1; id <= 400; id++) {
			j = host_job(&r, id, 100);
			rig_submit(&r, &j);
		}
		for (int64_t t = 0; t < 60 * RIG_S; t += RIG_S / 4) {
			uint32_t id = 1000 + (uint32_t)(t / (5 * RIG_S));

			rig_finish_due(&r, r.now_us = t);
			if (t % (5 * RIG_S) == 0)
				rig_add(&r, id, 1, 2, NULL);
			rig_decide(&r);
			if (t % (5 * RIG_S) == RIG_S && !rig_runs(&r, id))
				fail_msg("%s: job %u waits", policy[p], id);
		}
		rig_close(&r);
	}
}

/* Behind the first host_promises a refused job has no promise; explain says so, and when
 * its turn comes it gets one. */
static void a_refused_job_says_what_it_waits_for(void **state)
{
	char text[512];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,retry_s=1,host_promises=1", NULL, 1, 1, 2, 0);
	rig_add(&r, 9, 2, 1000, NULL);
	rig_decide(&r);
	for (uint32_t id = 1; id <= 2; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
	}
	rig_finish(&r, 9); /* which is both's first try */
	rig_add(&r, 10, 2, 1000, NULL);
	rig_decide(&r);
	r.now_us = 200 * RIG_S;
	rig_decide(&r);
	cs_explain(r.engine, 2, NULL, text, sizeof(text));
	if (!strstr(text,
		    "Slurm refused its start: the host finds none; it is tried "
		    "again as soon as there is room not promised to "
		    "other jobs"))
		fail_msg("%s", text);
	assert_true(cs_engine_predicted_start_us(r.engine, 2, NULL) ==
		    CS_TIME_NONE);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 1 });
	rig_decide(&r);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 2, NULL),
			 1370 * RIG_S);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_two_exact_starts_the_host_places_it),
		cmocka_unit_test(
			a_change_of_the_machine_ends_the_pause_of_the_hosts_test),
		cmocka_unit_test(what_only_time_helps_waits_for_time),
		cmocka_unit_test(who_is_over_a_limit_is_tried_when_others_end),
		cmocka_unit_test(another_priority_is_no_other_wish),
		cmocka_unit_test(each_partition_has_refusals_of_its_own),
		cmocka_unit_test(an_array_that_changes_meanwhile),
		cmocka_unit_test(who_is_refused_keeps_nothing_from_others),
		cmocka_unit_test(a_refused_job_says_what_it_waits_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
