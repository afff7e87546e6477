/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cosched replay --set: starts then and now, of jobs and of an array's tasks. */
#include "cs_test.h"

#include "cosched/replay/replay_would.h"

static struct cs_alloc *node(uint32_t index)
{
	struct cs_alloc *a = cs_alloc_create(1, 1);

	assert_non_null(a);
	a->node[0].node = index;
	cs_alloc_cores(a, 0)[0] = 0x3;
	return a;
}

static void waits(struct cs_replay_would *w, uint32_t id, uint32_t tasks)
{
	struct cs_job job = { .id = id,
			      .tasks = tasks,
			      .array_id = tasks > 1 ? id : 0 };

	assert_int_equal(cs_replay_would_waits(w, &job, 0, "its line"), 0);
}

static void would(struct cs_replay_would *w, uint32_t id, int64_t us,
		  uint32_t index)
{
	struct cs_alloc *a = node(index);

	assert_int_equal(cs_replay_would_start(w, id, us, a), 0);
	cs_alloc_free(a);
}

static void did(struct cs_replay_would *w, uint32_t id, uint32_t array,
		int64_t us, uint32_t index)
{
	struct cs_alloc *a = node(index);
	struct cs_started s = { .job_id = id, .array_id = array, .alloc = a };

	cs_replay_did_start(w, &s, us, CS_TIME_NONE);
	cs_alloc_free(a);
}

static void each_task_is_compared(void **state)
{
	struct cs_replay_would w = { .starts = 0 };

	(void)state;
	waits(&w, 5, 4);
	would(&w, 5, 1000000, 0);
	would(&w, 5, 1000000, 1);
	did(&w, 6, 5, 1000000, 1);
	did(&w, 7, 5, 1000000, 0);
	assert_int_equal(w.same, 2);
	did(&w, 8, 5, 1000000, 2);
	assert_int_equal(w.later, 1);
	would(&w, 5, 2000000, 3);
	did(&w, 5, 0, 2000000, 2);
	assert_int_equal(w.elsewhere, 1);
	cs_replay_would_end(&w);
	assert_int_equal(w.more, 0);
}

/* It is proposed by each decide until the log has it. */
static void the_first_time_counts(void **state)
{
	struct cs_replay_would w = { .starts = 0 };

	(void)state;
	waits(&w, 5, 3);
	would(&w, 5, 1000000, 0);
	would(&w, 5, 2000000, 1);
	would(&w, 5, 2000000, 2);
	did(&w, 6, 5, 3000000, 0);
	did(&w, 7, 5, 3000000, 2);
	assert_int_equal(w.earlier, 2);
	assert_close(w.earlier_s, 3.0, 1e-9);
	did(&w, 5, 0, 3000000, 3);
	assert_int_equal(w.later, 1);
	cs_replay_would_end(&w);
}

static void what_never_started_is_more(void **state)
{
	struct cs_replay_would w = { .starts = 0 };

	(void)state;
	waits(&w, 1, 1);
	waits(&w, 5, 2);
	would(&w, 1, 1000000, 0);
	would(&w, 5, 1000000, 1);
	would(&w, 5, 1000000, 2);
	cs_replay_would_end(&w);
	assert_int_equal(w.more, 3);
	assert_int_equal(w.starts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_task_is_compared),
		cmocka_unit_test(the_first_time_counts),
		cmocka_unit_test(what_never_started_is_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
