/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several planned starts on the same nodes (planned.c). */
#include "cs_test.h"
#include "rig.h"

#define JOBS 30

static int64_t planned_s(struct rig *r, uint32_t id)
{
	int64_t us = cs_engine_predicted_start_us(r->engine, id, NULL);

	return us == CS_TIME_NONE ? -1 : us / RIG_S;
}

/* Four nodes, two of them held until 10; job 2 needs 3 and is planned for 10, job 3 needs 4
 * and is planned for 15. */
static void open_two(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 4, 1, 1, 0);
	rig_add(r, 1, 2, 10, NULL);
	rig_decide(r);
	rig_add(r, 2, 3, 5, NULL);
	rig_add(r, 3, 4, 20, NULL);
	rig_decide(r);
	assert_int_equal(planned_s(r, 2), 10);
}

static void no_job_delays_the_second(void **state)
{
	static const struct {
		const char *params;
		int64_t second_s; /* planned start of job 3; -1: none */
		bool passes;	  /* a job of 1 node that ends at 16 */
	} cases[] = {
		{ "policy=easy", -1, true },
		{ "policy=easy,planned_starts=2", 15, false },
		{ "policy=easy,planned_starts=7", 15, false },
		{ "policy=conservative", 15, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rig r;

		open_two(&r, cases[i].params);
		assert_int_equal(planned_s(&r, 3), cases[i].second_s);
		rig_add(&r, 4, 1, 16, NULL);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 4), cases[i].passes);
		rig_add(&r, 5, 1, 15, NULL);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 5), !cases[i].passes);
		assert_int_equal(planned_s(&r, 2), 10);
		assert_int_equal(planned_s(&r, 3), cases[i].second_s);
		rig_close(&r);
	}
}

/* One node is free until 10: the second in the queue starts there, if it ends by then. */
static void a_planned_job_may_pass_those_before_it(void **state)
{
	(void)state;
	for (int64_t run_s = 9; run_s <= 11; run_s++) {
		struct rig r;

		rig_open(&r, "policy=easy,planned_starts=2", NULL, 4, 1, 1, 0);
		rig_add(&r, 1, 3, 10, NULL);
		rig_decide(&r);
		rig_add(&r, 2, 4, 5, NULL);
		rig_add(&r, 3, 1, run_s, NULL);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 3), run_s <= 10);
		if (run_s > 10)
			assert_int_equal(planned_s(&r, 3), 15);
		rig_close(&r);
	}
}

/* Only jobs that share nodes count: each half of the machine has its own. */
static void partitions_have_planned_starts_of_their_own(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,planned_starts=2", NULL, 4, 1, 1, 0);
	rig_add_in(&r, 1, 2, 10, NULL, 0x3);
	rig_add_in(&r, 2, 2, 20, NULL, 0xc);
	rig_decide(&r);
	for (uint32_t id = 3; id <= 8; id++)
		rig_add_in(&r, id, 2, 5, NULL, id % 2 ? 0x3 : 0xc);
	rig_decide(&r);
	assert_int_equal(planned_s(&r, 3), 10);
	assert_int_equal(planned_s(&r, 4), 20);
	assert_int_equal(planned_s(&r, 5), 15);
	assert_int_equal(planned_s(&r, 6), 25);
	assert_int_equal(planned_s(&r, 7), -1);
	assert_int_equal(planned_s(&r, 8), -1);
	rig_close(&r);
}

/* With slack a job may pass that moves the second by less.  Job 2 may start by 13 (slack
 * 1.2), 25 (2) or 13 (at most 3 s), and job 3 is planned for when it ends then: R is 38, 50
 * or 38 s. */
static void slack_holds_for_each(void **state)
{
	static const struct {
		const char *slack;
		int64_t run_s;
		bool passes;
	} cases[] = {
		{ "1", 16, false },
		{ "1.2", 25, true },
		{ "1.2", 26, false },
		{ "2", 80, true },
		{ "2", 81, false },
		{ "2,head_slack_max=3", 21, true },
		{ "2,head_slack_max=3", 22, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char params[128];
		struct rig r;

		snprintf(params, sizeof(params),
			 "policy=easy,planned_starts=2,head_slack=%s",
			 cases[i].slack);
		rig_open(&r, params, NULL, 4, 1, 1, 0);
		rig_add(&r, 1, 2, 10, NULL);
		rig_decide(&r);
		rig_add(&r, 2, 3, 5, NULL);
		rig_add(&r, 3, 4, 20, NULL);
		rig_decide(&r);
		rig_add(&r, 4, 1, cases[i].run_s, NULL);
		rig_decide(&r);
		if (rig_runs(&r, 4) != cases[i].passes)
			fail_msg("slack %s: a job of %d s %s", cases[i].slack,
				 (int)cases[i].run_s,
				 rig_runs(&r, 4) ? "passes" : "does not pass");
		rig_close(&r);
	}
}

/* A job of two partitions on the same nodes has one planned start of two. */
static void a_job_of_two_partitions_counts_once(void **state)
{
	struct cs_job_partition o[2] = { { .limit_max_us = CS_TIME_NONE },
					 { .partition = 1,
					   .limit_max_us = CS_TIME_NONE } };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,planned_starts=2", NULL, 4, 1, 1, 0);
	rig_add(&r, 1, 4, 10, NULL);
	rig_decide(&r);
	o[0].nodeset = o[1].nodeset = r.all;
	j = rig_job(&r, 2, 4, 5, NULL);
	j.option = o;
	j.n_option = 2;
	rig_submit(&r, &j);
	rig_add(&r, 3, 4, 5, NULL);
	rig_add(&r, 4, 4, 5, NULL);
	rig_decide(&r);
	assert_int_equal(planned_s(&r, 2), 10);
	assert_int_equal(planned_s(&r, 3), 15);
	assert_int_equal(planned_s(&r, 4), -1);
	rig_close(&r);
}

struct world {
	struct rig rig;
	uint64_t rng;
	int64_t latest_us[JOBS + 1]; /* of those planned; CS_TIME_NONE: not yet */
	uint32_t n, planned, several;
};

static bool has_started(const struct rig *r, uint32_t id)
{
	for (size_t i = 0; i < r->n_log; i++)
		if (r->log[i].job_id == id)
			return true;
	return false;
}

/* No planned start has moved behind the one that the job had first; every job starts by
 * that. */
static void check(struct world *w)
{
	uint32_t now = 0;

	for (uint32_t id = 1; id <= w->n; id++) {
		int64_t us =
			cs_engine_predicted_start_us(w->rig.engine, id, NULL);

		if (has_started(&w->rig, id)) {
			if (rig_runs(&w->rig, id) &&
			    rig_running(&w->rig, id).start_us >
				    w->latest_us[id])
				fail_msg("job %u starts after its planned "
					 "start, %lld s",
					 id,
					 (long long)(w->latest_us[id] / RIG_S));
			continue;
		}
		if (us == CS_TIME_NONE)
			continue;
		if (us > w->latest_us[id])
			fail_msg("job %u, planned for %lld s, moves to %lld s",
				 id, (long long)(w->latest_us[id] / RIG_S),
				 (long long)(us / RIG_S));
		w->planned += w->latest_us[id] == CS_TIME_NONE;
		w->latest_us[id] = us;
		now++;
	}
	w->several += now > 1;
}

/* One that takes as long packed as alone. */
static void submit(struct world *w, uint32_t id, uint32_t nodes)
{
	struct cs_job j = rig_job(
		&w->rig, id, 1 + (uint32_t)cs_test_draw(&w->rng, nodes * 2),
		1 + (int64_t)cs_test_draw(&w->rng, 100), NULL);

	j.base_procs = 1;
	rig_submit(&w->rig, &j);
}

/* As estimated: jobs come and end, nothing else. */
static void run_world(struct world *w, const char *params)
{
	uint32_t nodes = 3 + (uint32_t)cs_test_draw(&w->rng, 6);

	rig_open(&w->rig, params, NULL, nodes, 1,
		 (uint16_t)(1 + cs_test_draw(&w->rng, 3)), 0);
	for (uint32_t id = 1; id <= JOBS; id++)
		w->latest_us[id] = CS_TIME_NONE;
	for (w->n = 0;
	     w->n < JOBS || rig_next_end_us(&w->rig) != CS_TIME_NONE;) {
		int64_t end_us = rig_next_end_us(&w->rig);

		if (w->n < JOBS &&
		    (end_us == CS_TIME_NONE || cs_test_draw(&w->rng, 2)))
			submit(w, ++w->n, nodes);
		else
			rig_finish_due(&w->rig, end_us);
		rig_decide(&w->rig);
		check(w);
	}
	rig_close(&w->rig);
}

static void no_start_moves_a_planned_one(void **state)
{
	static const char *const policies[] = { "easy", "easy,place=pack",
						"cover,head_slack=1" };
	static const int starts[] = { 1, 2, 7 };
	uint32_t several = 0, planned = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= cs_test_worlds(60); seed++)
		for (size_t i = 0; i < 3; i++)
			for (size_t k = 0; k < 3; k++) {
				struct world w = { .rng = seed };
				char params[128];

				snprintf(params, sizeof(params),
					 "policy=%s,order=fcfs,"
					 "planned_starts=%d",
					 policies[i], starts[k]);
				print_message("# seed %d, %s\n", (int)seed,
					      params);
				run_world(&w, params);
				several += w.several;
				planned += w.planned;
			}
	print_message("# %u planned starts, %u times several at once\n",
		      planned, several);
	assert_true(planned > 1000 && several > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_job_delays_the_second),
		cmocka_unit_test(a_planned_job_may_pass_those_before_it),
		cmocka_unit_test(partitions_have_planned_starts_of_their_own),
		cmocka_unit_test(slack_holds_for_each),
		cmocka_unit_test(a_job_of_two_partitions_counts_once),
		cmocka_unit_test(no_start_moves_a_planned_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
