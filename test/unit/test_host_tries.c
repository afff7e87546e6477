/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many starts are proposed to the host at once, and in a second (host_tries). */
#include "refuserig.h"

/* Jobs of the host's that follow each other are proposed together, those behind
 * another job not. */
static void several_in_a_row_are_proposed_at_once(void **state)
{
	struct cs_actions a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 1, 2, 0);
	for (uint32_t id = 1; id <= 5; id++) {
		j = host_job(&r, id, 100);
		if (id == 4)
			j.flags = 0;
		rig_submit(&r, &j);
	}
	assert_int_equal(cs_engine_decide(r.engine, 0, &a), 0);
	assert_int_equal(a.n, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(a.action[i].job_id, i + 1);
	rig_close(&r);
}

/*
 * Job 1 is promised node 1 at 100.  Jobs 2 and 3, of 1,000 s, may have two nodes, and
 * are offered node 0 alone; so is job 3 when job 2 has started before it.
 */
static void who_was_behind_another_has_not_been_refused(void **state)
{
	struct cs_alloc *alloc;
	struct cs_started s;
	struct cs_actions a;
	uint32_t behind;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 2, 1, 2, 0);
	rig_add_in(&r, 9, 1, 100, NULL, 2);
	rig_decide(&r);
	rig_add_in(&r, 1, 2, 100, NULL, 2);
	for (uint32_t id = 2; id <= 3; id++) {
		j = host_job(&r, id, 1000);
		j.max_nodes = 2;
		rig_submit(&r, &j);
	}
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.action[1].job_id, 3);
	assert_int_equal(a.action[1].alloc->n_node, 1);
	behind = a.action[1].seq;
	alloc = cs_alloc_create(1, r.machine->words);
	alloc->node[0].procs = 1;
	cs_bit_set(cs_alloc_cores(alloc, 0), 0);
	s = (struct cs_started){ .seq = a.action[0].seq,
				 .job_id = 2,
				 .limit_us = 1000 * RIG_S,
				 .alloc = alloc };
	rig_tell(&r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(alloc);
	refuse(&r, behind, CS_REFUSED_GROUP);
	assert_int_equal(wants(&r).alloc->n_node, 1);
	rig_close(&r);
}

/* Of a thousand that are all refused, host_tries are proposed in each second. */
static void no_more_than_so_many_a_second(void **state)
{
	uint32_t tries = 0, most = 0;
	struct cs_actions a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_tries=20,host_promises=0", NULL, 2, 1, 2,
		 0);
	for (uint32_t id = 1; id <= 400; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
	}
	for (int64_t t = 0; t < 30 * RIG_S; t += RIG_S / 4) {
		uint32_t now = 0, seq[64];

		if (t % RIG_S == 0)
			tries = 0;
		r.now_us = t;
		do {
			assert_int_equal(cs_engine_decide(r.engine, t, &a), 0);
			assert_true(a.n < 64);
			now = (uint32_t)a.n;
			for (uint32_t i = 0; i < now; i++)
				seq[i] = a.action[i].seq;
			for (uint32_t i = 0; i < now; i++)
				refuse(&r, seq[i], CS_REFUSED_PLACE);
			tries += now;
		} while (now);
		if (tries > most)
			most = tries;
		/* all might be tried again by now, but for that */
		rig_tell(&r, (struct cs_event){
				     .type = CS_EV_NODE,
				     .node = { 1, t % 2 == 0, NULL, "" } });
	}
	assert_int_equal(most, 20);
	rig_close(&r);
}

/* The host refuses the first of those that are proposed, and has no time for those
 * behind it.  Was there one? */
static bool first_is_refused(struct rig *r)
{
	struct cs_actions a;
	uint32_t seq[8];
	size_t n;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	n = a.n;
	assert_true(n <= 8);
	for (size_t i = 0; i < n; i++)
		seq[i] = a.action[i].seq;
	for (size_t i = 0; i < n; i++)
		refuse(r, seq[i], i ? CS_REFUSED_GROUP : CS_REFUSED_PLACE);
	return n != 0;
}

/* Two a second of five, though nothing else happens. */
static void the_others_have_their_turn_in_the_next_second(void **state)
{
	static const char *const policy[] = { "policy=pack", "policy=easy",
					      "policy=fcfs" };
	char params[64];
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 3; p++) {
		size_t n = 0;

		snprintf(params, sizeof(params), "%s,host_tries=2,retry_s=100",
			 policy[p]);
		rig_open(&r, params, NULL, 8, 1, 2, 0);
		for (uint32_t id = 1; id <= 5; id++) {
			j = host_job(&r, id, 100);
			rig_submit(&r, &j);
		}
		for (size_t s = 1; s <= 3; s++) {
			while (first_is_refused(&r))
				n++;
			assert_int_equal(n, s < 3 ? 2 * s : 5);
			if (s < 3)
				assert_int_equal(
					cs_engine_next_wakeup_us(r.engine),
					r.now_us + RIG_S);
			r.now_us += RIG_S;
		}
		rig_close(&r);
	}
}

/* The host starts all that it is asked for now, one on a node; how many. */
static uint32_t host_starts(struct rig *r)
{
	uint32_t n = 0;
	struct cs_actions a;

	for (;; n++) {
		assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
		if (!a.n)
			return n;
		for (size_t i = 1; i < a.n; i++)
			refuse(r, a.action[i].seq, CS_REFUSED_GROUP);
		starts_on(r, a.action[0].seq, a.action[0].job_id, n);
	}
}

/* Six that were refused, and whose pause a change ends, start in one second where two
 * more refusals would be its last. */
static void a_start_gives_back_what_it_was_asked_with(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_tries=4,retry_s=100,host_promises=0",
		 NULL, 8, 1, 2, 0);
	for (uint32_t id = 1; id <= 6; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
	}
	for (size_t s = 0; s < 2; s++) {
		while (first_is_refused(&r))
			;
		r.now_us += RIG_S;
	}
	wants_nothing(&r);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 7, false, NULL, "" } });
	assert_int_equal(host_starts(&r), 6);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_in_a_row_are_proposed_at_once),
		cmocka_unit_test(who_was_behind_another_has_not_been_refused),
		cmocka_unit_test(no_more_than_so_many_a_second),
		cmocka_unit_test(the_others_have_their_turn_in_the_next_second),
		cmocka_unit_test(a_start_gives_back_what_it_was_asked_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
