/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which entries of a long queue a pass looks at (depth.c). */
#include "cs_test.h"
#include "rig.h"

#include "common/explain/explain.h"
#include "common/explain/sooner.h"

#define JOBS 30

static const char *const plans[] = { "policy=fcfs",	    "policy=easy",
				     "policy=conservative", "policy=pack",
				     "policy=glts",	    "policy=cover" };
#define N_PLANS (sizeof(plans) / sizeof(plans[0]))

/* Four nodes of four cores. */
static void open_four(struct rig *r, const char *policy, const char *more)
{
	char params[128];

	snprintf(params, sizeof(params), "%s,%s", policy, more);
	rig_open(r, params, NULL, 4, 2, 2, 0);
}

/* A job of @procs processes in partition @number, of the nodes of @set. */
static void add_to(struct rig *r, uint32_t id, uint32_t procs, uint32_t number,
		   uint64_t set, uint32_t flags)
{
	struct cs_job_partition o = { .partition = number,
				      .limit_max_us = CS_TIME_NONE };
	struct cs_job j = rig_job(r, id, procs, 100, NULL);

	o.nodeset = (uint32_t)cs_engine_nodeset(r->engine, &set);
	j.option = &o;
	j.flags |= flags;
	rig_submit(r, &j);
}

static void jobs_that_may_not_start_are_not_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_PLANS; i++) {
		struct rig r;

		for (int queue = 0; queue < 2; queue++) {
			open_four(&r, plans[i],
				  queue ? "depth=2,depth_of=queue" : "depth=2");
			add_to(&r, 1, 4, 1, 15, CS_JOB_BLOCKED);
			add_to(&r, 2, 4, 1, 15, CS_JOB_BLOCKED);
			add_to(&r, 3, 4, 1, 15, 0);
			rig_decide(&r);
			assert_int_equal(rig_runs(&r, 3), !queue);
			rig_close(&r);
		}
	}
}

static void each_partition_has_a_depth_of_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_PLANS; i++) {
		struct rig r;

		open_four(&r, plans[i], "depth=2");
		add_to(&r, 1, 4, 1, 1, 0);
		rig_decide(&r);
		assert_true(rig_runs(&r, 1));
		for (uint32_t id = 2; id <= 9; id++)
			add_to(&r, id, 4, 1, 1, 0);
		add_to(&r, 10, 4, 2, 8, 0);
		rig_decide(&r);
		assert_true(rig_runs(&r, 10));
		rig_close(&r);
	}
}

static void what_lies_deeper_is_left_out_and_says_so(void **state)
{
	const struct cs_audience all = { 0 };
	char text[512];
	struct rig r;

	(void)state;
	open_four(&r, "policy=easy", "depth=2");
	add_to(&r, 1, 12, 1, 15, 0);
	rig_decide(&r);
	add_to(&r, 2, 16, 1, 15, 0); /* the head; two more might pass it */
	add_to(&r, 3, 4, 1, 15, CS_JOB_BLOCKED);
	add_to(&r, 4, 16, 1, 15, 0);
	add_to(&r, 5, 4, 1, 15, 0);
	rig_decide(&r);
	assert_false(rig_runs(&r, 5));
	assert_int_equal(
		cs_explain_reason(r.engine, 5, &all, text, sizeof(text)) > 0,
		1);
	assert_contains(text, "behind the first 2 of its partition that may "
			      "start");
	rig_close(&r);
}

/* Each of them is promised a start when the job that it follows should end. */
static void dependent_jobs_have_a_depth_of_their_own(void **state)
{
	unsigned promised = 0;
	struct rig r;

	(void)state;
	open_four(&r, "policy=conservative", "depth=2");
	for (uint32_t id = 1; id <= 5; id++) {
		struct cs_job j = rig_job(&r, id, 4, 100, NULL);

		j.after_us = r.now_us + 50 * RIG_S;
		rig_submit(&r, &j);
	}
	rig_add(&r, 6, 4, 100, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 6));
	for (uint32_t id = 1; id <= 5; id++) {
		const uint64_t *nodes;

		promised += cs_engine_host_start_us(r.engine, id, &nodes) !=
			    CS_TIME_NONE;
	}
	assert_int_equal(promised, 2);
	rig_close(&r);
}

static void what_if_probes_leave_the_depth_alone(void **state)
{
	struct cs_sooner_list list;
	struct rig r;

	(void)state;
	open_four(&r, "policy=pack", "depth=2");
	add_to(&r, 1, 16, 1, 15, 0);
	rig_decide(&r);
	for (uint32_t id = 2; id <= 5; id++)
		add_to(&r, id, 4, 2, 15, CS_JOB_BLOCKED);
	for (uint32_t id = 6; id <= 11; id++)
		add_to(&r, id, 12, 1, 15, 0);
	rig_decide(&r);
	/* each probe works on a copy of the engine, which has a depth of its own */
	assert_int_equal(cs_sooner_find(r.engine, 11, 300000, &list), 0);
	assert_true(list.decides > 2);
	rig_decide(&r);
	rig_close(&r);
}

/* A depth of as many as may start in any partition leaves nothing out: the same starts
 * as without a depth, whatever else waits. */
static void what_is_deep_enough_changes_nothing(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(100);

	(void)state;
	for (uint64_t k = 0; k < worlds; k++) {
		const char *plan = plans[k % N_PLANS];
		struct rig without, with;
		uint64_t rng = seed + k;
		uint32_t eligible[4] = { 0 };
		struct {
			uint32_t procs, part, flags;
		} job[JOBS];
		char more[32];
		uint32_t most = 1;

		for (uint32_t i = 0; i < JOBS; i++) {
			job[i].procs = 1 + (uint32_t)cs_test_draw(&rng, 8);
			job[i].part = (uint32_t)cs_test_draw(&rng, 4);
			job[i].flags =
				cs_test_draw(&rng, 3) ? CS_JOB_BLOCKED : 0;
			if (!job[i].flags && ++eligible[job[i].part] > most)
				most = eligible[job[i].part];
		}
		open_four(&without, plan, "depth=0");
		snprintf(more, sizeof(more), "depth=%u", most);
		open_four(&with, plan, more);
		for (uint32_t i = 0; i < JOBS; i++) {
			static const uint64_t nodes[] = { 3, 12, 15, 6 };

			add_to(&without, i + 1, job[i].procs, job[i].part,
			       nodes[job[i].part], job[i].flags);
			add_to(&with, i + 1, job[i].procs, job[i].part,
			       nodes[job[i].part], job[i].flags);
		}
		for (uint32_t step = 0; step < JOBS; step++) {
			uint32_t id;

			assert_int_equal(rig_decide(&with),
					 rig_decide(&without));
			for (id = 1; id <= JOBS; id++)
				if (rig_runs(&with, id) !=
				    rig_runs(&without, id))
					fail_msg("seed %llu: job %u",
						 (unsigned long long)(seed + k),
						 id);
			for (id = 1; id <= JOBS && !rig_runs(&with, id); id++)
				;
			if (id > JOBS)
				break;
			rig_finish(&with, id);
			rig_finish(&without, id);
		}
		rig_close(&with);
		rig_close(&without);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_that_may_not_start_are_not_counted),
		cmocka_unit_test(each_partition_has_a_depth_of_its_own),
		cmocka_unit_test(what_lies_deeper_is_left_out_and_says_so),
		cmocka_unit_test(dependent_jobs_have_a_depth_of_their_own),
		cmocka_unit_test(what_if_probes_leave_the_depth_alone),
		cmocka_unit_test(what_is_deep_enough_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
