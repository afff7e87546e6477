/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walk ahead (view_ahead.h) gives every job once, in the order of the list, and fetches
 * nothing beyond its end. */
#include "cs_test.h"

#include "sched/view/view_ahead.c"

#define MOST 40

/* Slurm's list of jobs: the first @n of @record. */
static job_record_t record[MOST];
static uint32_t n, given;
list_t *job_list;

list_itr_t *list_iterator_create(list_t *l)
{
	assert_ptr_equal(l, job_list);
	given = 0;
	return (list_itr_t *)&given;
}

void *list_next(list_itr_t *it)
{
	assert_ptr_equal(it, &given);
	return given < n ? &record[given++] : NULL;
}

void list_iterator_destroy(list_itr_t *it)
{
	assert_ptr_equal(it, &given);
}

static void every_job_once_in_order(void **state)
{
	struct cs_view_ahead a;

	(void)state;
	for (n = 0; n <= MOST; n++) {
		cs_view_ahead_begin(&a);
		for (uint32_t i = 0; i < n; i++)
			assert_ptr_equal(cs_view_ahead_next(&a), &record[i]);
		assert_null(cs_view_ahead_next(&a));
		cs_view_ahead_end(&a);
	}
}

/* A job is fetched while CS_VIEW_AHEAD others come before it. */
static void the_list_is_ahead(void **state)
{
	struct cs_view_ahead a;

	(void)state;
	n = MOST;
	cs_view_ahead_begin(&a);
	for (uint32_t i = 0; i < MOST - CS_VIEW_AHEAD; i++) {
		assert_int_equal(given, i + CS_VIEW_AHEAD);
		cs_view_ahead_next(&a);
	}
	cs_view_ahead_end(&a);
}

/* Jobs that are gone, or have no request; the array's end is the last of its memory, so
 * that the sanitizers see a look beyond. */
static void nothing_beyond_the_last_job(void **state)
{
	cs_details_t details = { 0 };

	(void)state;
	record[2].details = &details;
	for (uint32_t jobs = 1; jobs <= MOST; jobs++) {
		job_record_t **job = calloc(jobs, sizeof(*job));

		for (uint32_t i = 0; i < jobs; i++)
			job[i] = i % 3 ? &record[i] : NULL;
		for (uint32_t i = 0; i < jobs; i++)
			cs_view_ahead_fetch(job, jobs, i);
		free(job);
	}
	record[2].details = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_once_in_order),
		cmocka_unit_test(the_list_is_ahead),
		cmocka_unit_test(nothing_beyond_the_last_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
