/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formation of a group by itself (Zeng09, 4.5, steps 2 to 5), and what it gains. */
#include "formrig.h"

#include "common/profile/gain.h"

#define GLTS "policy=glts"

static void a_window_slides_over_the_first_block(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS);
	/* sorted: 1, 2, 3; the windows hold 1 | 2 and 3 | 3 */
	form_add(&f, 3, 900, 1.1, 1.1);
	form_add(&f, 2, 800, 1.1, 1.1);
	form_add(&f, 2, 700, 1.1, 1.1);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "2 3");
	form_end(&f);
}

/* In the order given the windows hold 1 and 2, 2 and 3, 3: the second ends
 * sooner, so that the short job 2 counts for more. */
static void no_sort_keeps_the_order_of_a_block(void **state)
{
	(void)state;
	for (int sorts = 0; sorts < 2; sorts++) {
		struct formation f;

		form_begin(&f, 2, sorts ? GLTS : GLTS ",no_sort=yes");
		form_add(&f, 1, 900, 1.0, 1.0);
		form_add(&f, 1, 100, 1.2, 1.2);
		form_add(&f, 1, 800, 1.0, 1.0);
		assert_int_equal(cs_group_form(&f.f), 0);
		assert_string_equal(form_group(&f, 0), sorts ? "1 3" : "2 3");
		form_end(&f);
	}
}

static void other_blocks_fill_nodes_that_are_left(void **state)
{
	static const struct {
		const char *params, *want;
	} row[] = {
		{ GLTS ",block_size=2", "1 2 3" },
		{ GLTS ",block_size=2,first_block_only=yes", "1 2" },
		{ GLTS ",block_size=2,no_blocks=yes", "1 2 3" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct formation f;

		form_begin(&f, 4, row[i].params);
		form_add(&f, 1, 900, 1.1, 1.1);
		form_add(&f, 1, 900, 1.1, 1.1);
		form_add(&f, 2, 900, 1.1, 1.1);
		form_add(&f, 2, 900, 1.1, 1.1);
		assert_int_equal(cs_group_form(&f.f), 0);
		assert_string_equal(form_group(&f, 0), row[i].want);
		form_end(&f);
	}
}

/* Each group of step 4 is kept, the best first. */
static void groups_are_kept_by_decreasing_gain(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS ",block_size=1");
	form_add(&f, 1, 900, 1.1, 1.1);
	form_add(&f, 1, 900, 1.1, 1.1);
	form_add(&f, 1, 900, 1.1, 1.1);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_int_equal(f.f.n_group, 3);
	assert_string_equal(form_group(&f, 0), "1 2 3");
	assert_string_equal(form_group(&f, 1), "1 2");
	assert_string_equal(form_group(&f, 2), "1");
	form_end(&f);
}

/* Beside EASY: one block, in its order; 2 and 3 gain the same however long they last. */
static void every_candidate_makes_a_group_where_asked(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS ",block_size=1");
	f.f.every = true;
	f.f.most = 1;
	form_add(&f, 2, 700, 1.2, 1.1);
	form_add(&f, 2, 300.7, 1.1, 1.1);
	form_add(&f, 2, 900.1, 1.1, 1.1);
	form_add(&f, 4, 100, 1.1, 1.1);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_int_equal(f.f.n_group, 4);
	assert_string_equal(form_group(&f, 0), "4");
	assert_string_equal(form_group(&f, 1), "2");
	assert_string_equal(form_group(&f, 2), "3");
	assert_string_equal(form_group(&f, 3), "1");
	assert_true(f.f.group[1].gain == f.f.group[2].gain);
	form_end(&f);
}

/* Job 4 would lengthen the group for hardly any work. */
static void a_job_of_another_block_must_raise_the_gain(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS ",block_size=1");
	form_add(&f, 2, 900, 1.0, 1.0);
	form_add(&f, 1, 10, 1.25, 1.25);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "1");
	form_end(&f);
}

/* Job 2 costs the primary job more than it does itself: without it, 8 + 6 in 4
 * nodes; with it (8 + 8) / 1.25. */
static void purify_takes_out_whom_the_primary_job_suffers_from(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS);
	form_add(&f, 3, 1000, 1.0, 1.0);
	form_add(&f, 1, 999, 1.25, 1.25);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "1");
	assert_close(f.f.group[0].gain, (8 + 6) / 4. - 1, 1e-12);
	assert_close(f.f.group[0].harm, 1, 0);
	assert_int_equal(f.f.group[0].nodes, 3);
	form_end(&f);
}

static void purify_can_lift_a_group_over_min_util_gain(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS ",min_util_gain=2.4");
	form_add(&f, 3, 1000, 1.0, 1.0);
	form_add(&f, 1, 999, 1.25, 1.25);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "1");
	form_end(&f);
}

/* Jobs 2 and 3 harm alike.  Without 2, which lasts and does little, the gain rises
 * from 12 / 4 - 1 on average to (8 / 1.2 + 6) / 4 - 1; without 3, it would fall to
 * 10.9 / 4 - 1, and then the other would stay too. */
static void purify_takes_the_first_of_two_that_harm_alike(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS ",no_sort=yes");
	form_add(&f, 2, 500, 1.0, 1.0);
	form_add(&f, 1, 900, 1.0, 1.2);
	form_add(&f, 1, 500, 1.0, 1.2);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "1 3");
	assert_close(f.f.group[0].gain, (8 / 1.2 + 6) / 4 - 1, 1e-12);
	form_end(&f);
}

/* Job 2 adds 4 processes' work and takes 4 from the primary job's. */
static void purify_takes_out_who_gains_nothing(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS);
	form_add(&f, 2, 500, 1.0, 1.0);
	form_add(&f, 2, 500, 1.0, 2.0);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "1");
	assert_close(f.f.group[0].gain, (8 + 4) / 4. - 1, 0);
	form_end(&f);
}

static void who_must_be_matched_is_in_every_group(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS);
	form_add(&f, 1, 500, 1.25, 1.25);
	form_add(&f, 3, 1000, 1.0, 1.0);
	f.f.must = 0;
	assert_int_equal(cs_group_form(&f.f), 0);
	for (uint32_t i = 0; i < f.f.n_group; i++)
		assert_true(form_group(&f, i)[0] == '1');
	assert_true(f.f.n_group > 0);
	form_end(&f);
}

/* Alone it gains (8 / 1.2 + 6) / 4 - 1 for 100 s; the other one stays longer, and
 * gains little. */
static void who_must_be_matched_may_be_the_only_one(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 4, GLTS ",min_util_gain=2");
	form_add(&f, 3, 100, 1.0, 1.2);
	form_add(&f, 1, 1000, 1.25, 1.1);
	f.f.must = 0;
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "1");
	form_end(&f);
}

static void first_suitable_takes_windows_as_they_come(void **state)
{
	struct formation f;

	(void)state;
	form_begin(&f, 2, "policy=nh");
	form_add(&f, 1, 900, 1.2, 1.2);
	form_add(&f, 2, 900, 1.0, 1.0);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "1");
	assert_string_equal(form_group(&f, 1), "2");
	form_end(&f);
}

/* Gain. */

#define GONE 1e-9 /* s; what is left of less is rounding */

/* How long nobody of the group ends, the primary job suffering @worst. */
static double until_next_end(const struct cs_forming *f,
			     const struct cs_formed *g, const double *left,
			     double rest, double worst)
{
	double dt = rest * f->primary.pace * worst;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct cs_candidate *c = &f->candidate[g->matched[i]];

		if (left[i] > GONE && left[i] * c->pace * c->cos < dt)
			dt = left[i] * c->pace * c->cos;
	}
	return dt;
}

/* What a group saves, counted from end to end of its members. */
static double counted_gain(const struct cs_forming *f,
			   const struct cs_formed *g)
{
	double left[CS_MATCHED_MAX], rest = f->primary.rest_us / 1e6;
	double work = 0, used = 0;
	uint32_t nodes =
		g->nodes > f->primary.nodes ? g->nodes : f->primary.nodes;

	for (uint32_t i = 0; i < g->n; i++)
		left[i] = f->candidate[g->matched[i]].rest_us / 1e6;
	for (;;) {
		double worst = 0, dt;

		for (uint32_t i = 0; i < g->n; i++)
			if (left[i] > GONE &&
			    f->candidate[g->matched[i]].harm > worst)
				worst = f->candidate[g->matched[i]].harm;
		if (worst <= 0 || rest <= GONE)
			break;
		dt = until_next_end(f, g, left, rest, worst);
		for (uint32_t i = 0; i < g->n; i++) {
			const struct cs_candidate *c =
				&f->candidate[g->matched[i]];

			if (left[i] <= GONE)
				continue;
			work += dt * c->procs / (c->self * c->cos);
			left[i] -= dt / (c->pace * c->cos);
		}
		work += dt * f->primary.procs / (f->primary.self * worst);
		rest -= dt / (f->primary.pace * worst);
		used += dt * nodes;
	}
	return (work - used) / used;
}

static void the_gain_is_a_count_of_node_seconds(void **state)
{
	uint64_t rng = cs_test_seed(), rounds = cs_test_worlds(100);

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		struct formation f;

		form_begin(&f, 2 + (uint32_t)cs_test_draw(&rng, 8),
			   GLTS ",min_util_gain=-1,block_size=2");
		f.f.primary.rest_us = 1e6 + 500e6 * cs_test_unit(&rng);
		f.f.primary.self = 1 + cs_test_unit(&rng);
		f.f.primary.pace = f.f.primary.self / 1.1;
		for (int i = 0; i < 6; i++) {
			form_add(&f, 1 + (uint32_t)cs_test_draw(&rng, 2),
				 1 + 500 * cs_test_unit(&rng),
				 1 + cs_test_unit(&rng) / 4,
				 1 + cs_test_unit(&rng) / 4);
			f.c[i].self = 1 + cs_test_unit(&rng);
			f.c[i].pace = f.c[i].self;
		}
		assert_int_equal(cs_group_form(&f.f), 0);
		assert_true(f.f.n_group > 0);
		for (uint32_t k = 0; k < f.f.n_group; k++)
			assert_close(f.f.group[k].gain,
				     counted_gain(&f.f, &f.f.group[k]), 1e-7);
		form_end(&f);
	}
}

/*
 * As in figure 5: two processes a node, job 3 (12 processes, 6 nodes) is the
 * primary one, with jobs 1 (8) and 2 (4).  T_g = 300 s.  Job 2 ends after 120.
 * SL of 3: 1.25 beside both, 1.2 beside job 1.
 */
static void equation_5_equals_equation_6(void **state)
{
	const double tg = 300, t1 = 300 / 1.1, t2 = 120 / 1.2;
	const double t3 = 120 / 1.25 + 180 / 1.2;
	const double u5 =
		(t1 * 8 + t2 * 4 + t3 * 12 - tg * 12 / 2) / (tg * 12 / 2);
	const struct cs_gain_job first[] = { { 8, 1.1 },
					     { 4, 1.2 },
					     { 12, 1.25 } };
	const struct cs_gain_job then[] = { { 8, 1.1 }, { 12, 1.2 } };
	struct cs_gain g = { 0 };

	(void)state;
	cs_gain_add(&g, 120, first, 3, 6);
	cs_gain_add(&g, 180, then, 2, 6);
	assert_close(cs_gain(&g), u5, 1e-12);
	assert_close(u5, 2.0743434, 1e-7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_slides_over_the_first_block),
		cmocka_unit_test(no_sort_keeps_the_order_of_a_block),
		cmocka_unit_test(other_blocks_fill_nodes_that_are_left),
		cmocka_unit_test(groups_are_kept_by_decreasing_gain),
		cmocka_unit_test(every_candidate_makes_a_group_where_asked),
		cmocka_unit_test(a_job_of_another_block_must_raise_the_gain),
		cmocka_unit_test(
			purify_takes_out_whom_the_primary_job_suffers_from),
		cmocka_unit_test(purify_can_lift_a_group_over_min_util_gain),
		cmocka_unit_test(purify_takes_the_first_of_two_that_harm_alike),
		cmocka_unit_test(purify_takes_out_who_gains_nothing),
		cmocka_unit_test(who_must_be_matched_is_in_every_group),
		cmocka_unit_test(who_must_be_matched_may_be_the_only_one),
		cmocka_unit_test(first_suitable_takes_windows_as_they_come),
		cmocka_unit_test(the_gain_is_a_count_of_node_seconds),
		cmocka_unit_test(equation_5_equals_equation_6),
	};

	return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
