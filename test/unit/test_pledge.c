/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Promised starts, kept or late (pledge.c). */
#include "cs_test.h"
#include "rig.h"

#include "common/job/pledge.h"

#define EASY "policy=easy,unprofiled=model"
#define PLAN "policy=conservative,unprofiled=model"

/* Job 1 has all four nodes until 100; job 2 wants them, too. */
static void open_two(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 4, 1, 1, 0);
	rig_add(r, 1, 4, 100, NULL);
	rig_decide(r);
	rig_add(r, 2, 4, 100, NULL);
	rig_decide(r);
	assert_int_equal(cs_engine_predicted_start_us(r->engine, 2, NULL),
			 100 * RIG_S);
}

/* Job @id ends at @s, and what can start starts. */
static void ends_at(struct rig *r, uint32_t id, int64_t s)
{
	r->now_us = s * RIG_S;
	rig_finish(r, id);
	rig_decide(r);
}

static void expect(struct rig *r, uint64_t kept, uint64_t late)
{
	struct cs_engine_stats st;

	cs_engine_stats(r->engine, &st);
	assert_int_equal(st.pledges.kept, kept);
	assert_int_equal(st.pledges.late, late);
}

/* Rule 2. */
static void a_start_by_then_is_kept(void **state)
{
	static const char *const params[] = { EASY, PLAN };

	(void)state;
	for (int i = 0; i < 2; i++)
		for (int64_t s = 50; s <= 100; s += 50) {
			struct rig r;

			open_two(&r, params[i]);
			expect(&r, 0, 0); /* job 1 was promised nothing */
			ends_at(&r, 1, s);
			assert_true(rig_runs(&r, 2));
			expect(&r, 1, 0);
			rig_close(&r);
		}
}

static void a_minute_after_it_is_kept_and_more_is_late(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct rig r;

		open_two(&r, EASY);
		r.now_us = 100 * RIG_S + CS_PLEDGE_LATE_US + late;
		rig_finish(&r, 1);
		rig_decide(&r);
		assert_true(rig_runs(&r, 2));
		expect(&r, !late, (uint64_t)late);
		rig_close(&r);
	}
}

/* Rule 1: job 1's limit is raised, and then there is another promise. */
static void the_first_promise_counts(void **state)
{
	struct rig r;

	(void)state;
	open_two(&r, PLAN);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_LIMIT,
					.limit = { 1, 300 * RIG_S } });
	rig_decide(&r);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 2, NULL),
			 300 * RIG_S);
	ends_at(&r, 1, 300);
	assert_true(rig_runs(&r, 2));
	expect(&r, 0, 1);
	rig_close(&r);
}

/* A copy counts on. */
static void a_copy_knows_what_was_promised(void **state)
{
	struct cs_engine_stats st;
	struct rig r;

	(void)state;
	open_two(&r, EASY);
	rig_twin(&r);
	ends_at(&r, 1, 200);
	cs_engine_stats(r.twin, &st);
	assert_int_equal(st.pledges.late, 1);
	rig_close(&r);
}

/* Rule 3: @change comes, all as before comes back, and job 2 starts at 200. */
static void changed(void (*change)(struct cs_job *), uint64_t kept,
		    uint64_t late)
{
	struct cs_job job, other;
	struct rig r;

	open_two(&r, EASY);
	job = other = rig_job(&r, 2, 4, 100, NULL);
	change(&other);
	r.now_us = 150 * RIG_S;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &other });
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &job });
	rig_decide(&r);
	ends_at(&r, 1, 200);
	assert_true(rig_runs(&r, 2));
	expect(&r, kept, late);
	rig_close(&r);
}

static void not_at_all(struct cs_job *job)
{
	(void)job;
}
static void is_longer(struct cs_job *job)
{
	job->estimate_us *= 2;
}
static void is_held(struct cs_job *job)
{
	job->flags |= CS_JOB_BLOCKED;
}
static void begins_later(struct cs_job *job)
{
	job->eligible_us = 170 * RIG_S;
}
static void has_priority(struct cs_job *job)
{
	static struct cs_job_partition o;

	o = *job->option;
	o.priority += 5;
	job->option = &o;
}

static void another_request_or_a_hold_ends_the_promise(void **state)
{
	(void)state;
	changed(not_at_all, 0, 1);
	changed(has_priority, 0, 1);
	/* promised anew at 150: by the end of job 1, which is overdue */
	changed(is_longer, 1, 0);
	changed(is_held, 1, 0);
	changed(begins_later, 1, 0);
}

/* A start that the host refuses costs the promise nothing, and does not keep it. */
static void a_refused_start_is_none(void **state)
{
	struct rig r;

	(void)state;
	open_two(&r, EASY);
	r.refuse = 2;
	r.refuse_class = CS_REFUSED_TIMED;
	ends_at(&r, 1, 100);
	assert_false(rig_runs(&r, 2));
	expect(&r, 0, 0);
	rig_at(&r, 300);
	assert_true(rig_runs(&r, 2));
	expect(&r, 0, 1);
	rig_close(&r);
}

/* Rule 4. */
static void each_task_of_an_array_has_its_own(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, EASY, NULL, 4, 1, 1, 0);
	rig_add(&r, 1, 4, 100, NULL);
	rig_decide(&r);
	j = rig_job(&r, 2, 4, 100, NULL);
	j.tasks = 2;
	j.array_id = 2;
	r.next_task = 10;
	rig_submit(&r, &j);
	rig_decide(&r);
	ends_at(&r, 1, 100);
	expect(&r, 1, 0);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 2, NULL),
			 200 * RIG_S);
	ends_at(&r, 10, 300);
	expect(&r, 1, 1);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start_by_then_is_kept),
		cmocka_unit_test(a_minute_after_it_is_kept_and_more_is_late),
		cmocka_unit_test(the_first_promise_counts),
		cmocka_unit_test(a_copy_knows_what_was_promised),
		cmocka_unit_test(another_request_or_a_hold_ends_the_promise),
		cmocka_unit_test(a_refused_start_is_none),
		cmocka_unit_test(each_task_of_an_array_has_its_own),
	};

	return cmocka_run_group_tests_name("pledge", tests, NULL, NULL);
}
