/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forward runs: given the true runtimes, they find what really happens; and what limits and
 * arrivals make of it.
 */
#include "cs_test.h"
#include "rig.h"

#include <errno.h>

#include "common/estimate/forward.h"

#define JOBS 40

static const char *const policies[] = {
	"policy=balanced",
	"policy=easy,unprofiled=model",
	"policy=conservative,unprofiled=model",
	"policy=pack",
	"policy=stock",
	"policy=cover+,cover_gain=0",
	"policy=ostrich",
};
#define N_POLICY (sizeof(policies) / sizeof(policies[0]))

struct world {
	struct rig rig;
	int64_t ran_us[JOBS + 1], start_us[JOBS + 1]; /* by id */
};

static int64_t true_us(void *arg, uint32_t id, int64_t elapsed_us)
{
	const struct world *w = arg;

	(void)elapsed_us;
	return w->ran_us[id];
}

static void decide(struct world *w)
{
	rig_decide(&w->rig);
	for (uint32_t id = 1; id <= JOBS; id++)
		if (w->start_us[id] < 0 && rig_runs(&w->rig, id))
			w->start_us[id] = w->rig.now_us;
}

static int64_t next_end_us(struct world *w, uint32_t *ret_id)
{
	int64_t first = CS_TIME_NONE;

	for (uint32_t id = JOBS; id; id--) {
		if (!rig_runs(&w->rig, id) ||
		    w->start_us[id] + w->ran_us[id] > first)
			continue;
		first = w->start_us[id] + w->ran_us[id];
		*ret_id = id;
	}
	return first;
}

/* To the next end or wake-up before @until_us; false: there is none. */
static bool advance(struct world *w, int64_t until_us)
{
	uint32_t id = 0;
	int64_t end = next_end_us(w, &id);
	int64_t wake = cs_engine_next_wakeup_us(w->rig.engine);
	int64_t at = wake < end ? wake : end;

	if (at >= until_us)
		return false;
	w->rig.now_us = at;
	for (; next_end_us(w, &id) <= at;)
		rig_finish(&w->rig, id);
	decide(w);
	return true;
}

static void submit(struct world *w, uint32_t id, uint64_t *seed)
{
	int64_t limit_s = 60 * (1 + (int64_t)cs_test_draw(seed, 90));

	w->ran_us[id] =
		(1 + (int64_t)cs_test_draw(seed, (uint64_t)limit_s)) * RIG_S;
	w->start_us[id] = -1;
	rig_add(&w->rig, id, 1 + (uint32_t)cs_test_draw(seed, 10), limit_s,
		NULL);
}

static void with_true_runtimes_all_starts_come_true(void **state)
{
	static const int64_t parts[] = { 0, 1, 20 };
	uint64_t paused = 0;
	uint64_t seed = cs_test_seed();
	uint64_t worlds = cs_test_worlds(10 * N_POLICY);

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { 0 };
		/* decides are whole, or pause after each attempt or some */
		struct cs_forward_as as = { .ran_us = true_us,
					    .arg = &w,
					    .part_steps = parts[i % 3] };
		int64_t piece = as.part_steps ? 1 : INT64_MAX, before_us;
		struct cs_forward_start start[JOBS];
		struct cs_forward *f;
		struct cs_err err = { "" };
		int64_t steps;
		uint32_t waits = 0;
		bool more = true;

		rig_open(&w.rig, policies[i % N_POLICY], NULL, 4, 1, 4, 0);
		for (uint32_t id = 1; id <= JOBS; id++) {
			int64_t at = w.rig.now_us +
				     (int64_t)cs_test_draw(&seed, 300) * RIG_S;

			while (advance(&w, at + 1))
				;
			w.rig.now_us = at;
			submit(&w, id, &seed);
			decide(&w);
		}
		for (uint32_t id = 1; id <= JOBS; id++)
			if (w.start_us[id] < 0)
				start[waits++].job_id = id;
		f = cs_forward_create(w.rig.engine, &as, start, waits, &err);
		if (!f)
			fail_msg("%s", err.text);
		while (more) {
			before_us = cs_forward_now_us(f);
			steps = piece;
			assert_int_equal(cs_forward_run(f, &steps, &more), 0);
			paused += cs_forward_now_us(f) == before_us;
		}
		cs_forward_free(f);
		while (advance(&w, CS_TIME_NONE))
			;
		assert_true(waits > 5);
		for (uint32_t k = 0; k < waits; k++)
			if (start[k].at_us != w.start_us[start[k].job_id])
				fail_msg("%s, world %llu: job %u starts at "
					 "%lld, not %lld us",
					 policies[i % N_POLICY],
					 (unsigned long long)i, start[k].job_id,
					 (long long)w.start_us[start[k].job_id],
					 (long long)start[k].at_us);
		rig_close(&w.rig);
	}
	assert_true(paused > worlds);
}

/* A job of four cores that needs @limit_s at most on a full node. */
/* A job of all cores. */
static void add(struct rig *r, uint32_t id, int64_t limit_s)
{
	struct cs_job j = rig_job(r, id, 4 * r->machine->n_node, limit_s, NULL);

	j.base_procs = 4;
	rig_submit(r, &j);
	rig_decide(r);
}

/* One node of four cores: job 1 holds it for 100 s of at most 1,000, job 2 waits. */
static void one_waits(struct rig *r)
{
	rig_open(r, "policy=easy", NULL, 1, 1, 4, 0);
	r->limit_us = 1000 * RIG_S;
	add(r, 1, 1000);
	r->now_us = 50 * RIG_S;
	add(r, 2, 500);
}

static int64_t start_of_2(struct rig *r, const struct cs_forward_as *as)
{
	struct cs_forward_start start = { .job_id = 2 };
	struct cs_forward *f =
		cs_forward_create(r->engine, as, &start, 1, NULL);
	int64_t steps = 100000;
	bool more;

	assert_non_null(f);
	assert_int_equal(cs_forward_run(f, &steps, &more), 0);
	assert_false(more);
	cs_forward_free(f);
	return start.at_us / RIG_S;
}

static void limits_and_history_say_when_a_job_ends(void **state)
{
	struct cs_runtimes *h = cs_runtimes_create(10);
	struct cs_forward_as as = { 0 };
	const struct cs_job like = { .user = "alice",
				     .procs = 4,
				     .cpus_per_proc = 1,
				     .estimate_us = 1000 * RIG_S };
	struct cs_runtime_of of = cs_runtime_of(&like);
	struct rig r;

	(void)state;
	one_waits(&r);
	assert_int_equal(start_of_2(&r, &as), 1000);
	as.runtimes = h; /* which is empty */
	assert_int_equal(start_of_2(&r, &as), 1000);
	for (int i = 0; i < 3; i++)
		assert_int_equal(cs_runtimes_add(h, &of, 300 * RIG_S), 0);
	assert_int_equal(start_of_2(&r, &as), 300);
	/* of the engine itself nothing has changed */
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	assert_int_equal(cs_engine_check(r.engine, NULL), 0);
	/* job 1 has outrun its limit: it ends a second later */
	as.runtimes = NULL;
	r.now_us = 2000 * RIG_S;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_TICK });
	assert_int_equal(start_of_2(&r, &as), 2001);
	cs_runtimes_free(h);
	rig_close(&r);
}

/* order=expansion: a short job that arrives passes one that waits. */
static void arrivals_pass(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(10);
	struct cs_forward_as as = { .arrivals = a };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,order=expansion", NULL, 1, 1, 4, 0);
	r.limit_us = 1000 * RIG_S;
	j = rig_job(&r, 7, 4, 60, NULL);
	j.base_procs = 4;
	assert_int_equal(cs_arrivals_add(a, &j, 200 * RIG_S), 0);
	cs_arrivals_ended(a, 7, 40 * RIG_S);
	r.now_us = CS_ARRIVALS_WEEK_US;
	add(&r, 1, 1000);
	add(&r, 2, 100000);
	assert_int_equal(start_of_2(&r, &as),
			 CS_ARRIVALS_WEEK_US / RIG_S + 1000);
	as.weeks = 1;
	assert_int_equal(start_of_2(&r, &as),
			 CS_ARRIVALS_WEEK_US / RIG_S + 1040);
	rig_close(&r);
	cs_arrivals_free(a);
}

static uint32_t sets_of(const struct rig *r)
{
	uint32_t n = 0, words;

	while (cs_engine_nodeset_words(r->engine, n, &words))
		n++;
	return n;
}

/* The same, restored from lines, on nodes that are a set in the run's copy only. */
static void restored_arrivals_pass(void **state)
{
	static const char *const lines[] = {
		"arrivals 2",
		"nodes 0 1 1",
		"arrival 200000000 40000000 1 7 0 1 0 4 1 1 0 0 4 0 0 0 0 0 0 0 0 0"
		" 0 0 0 0 60000000 0 0 0 0 0 0 9223372036854775807 0 0 =u = = = = = =",
	};
	struct cs_arrivals *a = cs_arrivals_create(10);
	struct cs_forward_as as = { .arrivals = a, .weeks = 1 };
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,order=expansion", NULL, 2, 1, 4, 0);
	r.limit_us = 1000 * RIG_S;
	r.now_us = CS_ARRIVALS_WEEK_US;
	add(&r, 1, 1000);
	add(&r, 2, 100000);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			cs_arrivals_restore(a, r.engine, r.now_us, lines[i]),
			0);
	assert_int_equal(start_of_2(&r, &as),
			 CS_ARRIVALS_WEEK_US / RIG_S + 1040);
	assert_int_equal(sets_of(&r), 1);
	rig_close(&r);
	cs_arrivals_free(a);
}

/* Pauses change nothing; a job that cannot start is not waited for. */
static void steps_bound_the_work(void **state)
{
	struct cs_forward_as as = { 0 };
	struct cs_forward_start start[] = { { .job_id = 2 }, { .job_id = 99 } };
	struct cs_forward *f;
	struct rig r;
	int calls = 0;
	bool more = true;

	(void)state;
	one_waits(&r);
	f = cs_forward_create(r.engine, &as, start, 2, NULL);
	assert_non_null(f);
	while (more) {
		int64_t steps = calls++ ? 1 : 0, before = steps;

		assert_int_equal(cs_forward_run(f, &steps, &more), 0);
		assert_true(calls > 1 || steps == before);
		assert_true(calls < 10);
	}
	assert_true(calls > 1);
	assert_int_equal(start[0].at_us, 1000 * RIG_S);
	assert_true(start[1].at_us == CS_TIME_NONE);
	assert_int_equal(cs_forward_now_us(f), 1000 * RIG_S);
	cs_forward_free(f);
	rig_close(&r);
}

static void with_time_slices_there_is_none(void **state)
{
	struct cs_forward_as as = { 0 };
	struct cs_err err = { "" };
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pect", NULL, 4, 1, 4, 0);
	assert_null(cs_forward_create(r.engine, &as, NULL, 0, &err));
	assert_contains(err.text, "time slices");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_true_runtimes_all_starts_come_true),
		cmocka_unit_test(limits_and_history_say_when_a_job_ends),
		cmocka_unit_test(arrivals_pass),
		cmocka_unit_test(restored_arrivals_pass),
		cmocka_unit_test(steps_bound_the_work),
		cmocka_unit_test(with_time_slices_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
