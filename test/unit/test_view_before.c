/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_before.h: which blocks a look finds of the look before, and which jobs come first
 * in their partitions.
 */
#include "cs_test.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "sched/view/view.h"
#include "sched/view/view_before.h"
#include "sched/view/view_table.h"

/* view_sets.c's, which knows Slurm */
struct cs_view_made *cs_view_made_create(void)
{
	return calloc(1, 1);
}

void cs_view_made_free(struct cs_view_made *m)
{
	free(m);
}

static struct cs_params params;
static struct cs_view *v;

static int set_up(void **state)
{
	(void)state;
	v = cs_view_create(&params, CS_MODE_ACT, true);
	return v ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	cs_view_free(v);
	return 0;
}

/* A waiting job of this look, as the view describes one. */
static void describe(uint32_t id, uint32_t partition, uint32_t priority)
{
	struct cs_view_job *j = cs_view_add(v, 1, 0);

	assert_non_null(j);
	j->id = id;
	j->state = CS_VIEW_WAITING;
	j->priority = priority;
	j->desc.uid = id * 7;
	cs_view_options(j)[0].partition = partition;
	cs_view_before_add(v, j);
}

/* A look at @id [@n]; how many are found, each with what was described. */
static uint32_t look(const uint32_t *id, uint32_t n)
{
	uint32_t found = 0;

	cs_view_clear(v);
	for (uint32_t i = 0; i < n; i++) {
		const struct cs_view_job *was =
			cs_view_before_find(v->before, id[i]);

		if (!was) {
			describe(id[i], 0, 1);
			continue;
		}
		assert_int_equal(was->id, id[i]);
		assert_int_equal(was->desc.uid, id[i] * 7);
		assert_non_null(cs_view_before_copy(v, was));
		found++;
	}
	return found;
}

static void the_same_jobs_are_found(void **state)
{
	uint32_t id[500];

	(void)state;
	for (uint32_t i = 0; i < 500; i++)
		id[i] = 1000 - i;
	assert_int_equal(look(id, 500), 0);
	assert_int_equal(look(id, 500), 500);
	assert_int_equal(look(id, 500), 500);
	assert_int_equal(v->n_job, 500);
	assert_true(cs_view_before_bytes(v) > 0);
}

static void many_leave_and_some_come(void **state)
{
	uint32_t id[1100];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		id[i] = i + 1;
	look(id, 1000);
	for (uint32_t i = 0; i < 400; i++)
		id[i] = 601 + i; /* the first 600 are gone */
	for (uint32_t i = 0; i < 100; i++)
		id[400 + i] = 5000 + i; /* behind them, new ones */
	assert_int_equal(look(id, 500), 400);
	assert_int_equal(look(id, 500), 500);
}

/* Requeued jobs wait again in the middle of Slurm's list. */
static void one_out_of_order_costs_no_other(void **state)
{
	uint32_t id[1000];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		id[i] = i + 1;
	look(id, 1000);
	for (uint32_t i = 0; i < 20; i++)
		id[20 + i * 40] = 9000 + i;
	assert_int_equal(look(id, 1000), 980);
}

/* Whatever leaves and comes: those that are found are right (asserted in look()), and
 * of those that keep their order nearly all are. */
static void random_changes(void **state)
{
	uint32_t id[800], n = 800, next = 1, kept, found;
	struct cs_rng rng;

	(void)state;
	print_message("seed 35\n");
	cs_rng_init(&rng, 35, 0);
	for (uint32_t i = 0; i < n; i++)
		id[i] = next++;
	look(id, n);
	for (int round = 0; round < 200; round++) {
		kept = 0;
		for (uint32_t i = 0; i < n; i++)
			if (cs_rng_next(&rng) % 10)
				id[kept++] = id[i];
		for (n = kept; n < 800;)
			id[n++] = next++;
		found = look(id, n);
		assert_int_equal(found, kept);
	}
}

static void the_first_of_each_partition(void **state)
{
	uint32_t first[2] = { 0, 0 };

	(void)state;
	cs_view_clear(v);
	for (uint32_t i = 0; i < 3 * CS_BEFORE_FIRST; i++)
		describe(i + 1, 0, 10 + i);
	for (uint32_t i = 0; i < 20; i++)
		describe(10000 + i, 1, 5);
	cs_view_before_rank(v);
	for (struct cs_view_job *j = cs_view_next(v, NULL); j;
	     j = cs_view_next(v, j))
		if (cs_view_before_first(v, j)) {
			first[cs_view_options(j)[0].partition]++;
			assert_true(j->id >= 10000 ||
				    j->priority >= 10 + 2 * CS_BEFORE_FIRST);
		}
	assert_int_equal(first[0], CS_BEFORE_FIRST);
	assert_int_equal(first[1], 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_same_jobs_are_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(many_leave_and_some_come,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_out_of_order_costs_no_other,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(random_changes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_first_of_each_partition,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
