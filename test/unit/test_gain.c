/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Utilisation gain: equations 5 and 6 of Zeng09, section 4.6. */
#include "cs_test.h"
#include "common/profile/gain.h"

/*
 * Figure 5's shape with numbers of our own: job 3 (primary, 16 processes, two a
 * node on 8 nodes) beside jobs 1 (8) and 2 (8) until job 3 ends after T_g = 100.
 * Slowdowns 1.25, 1.6 and 2: T_i = T_g / SL_i.
 */
static void equation_5_equals_equation_6(void **state)
{
	const double t_g = 100, t1 = 80, t2 = 62.5, t3 = 50;
	const double eq5 =
		(t1 * 8 + t2 * 8 + t3 * 16 - t_g * 16 / 2) / (t_g * 16 / 2);
	const struct cs_gain_job job[] = { { 8, 1.25 }, { 8, 1.6 }, { 16, 2 } };
	struct cs_gain g = { 0 };

	(void)state;
	cs_gain_add(&g, t_g, job, 3, 8);
	assert_close(cs_gain(&g), eq5, 1e-12);
	assert_close(eq5, 1.425, 1e-12);
}

static void the_example_of_the_head_of_the_file(void **state)
{
	const struct cs_gain_job a = { 8, 1.1 }, b = { 8, 1.25 };

	(void)state;
	assert_close(cs_gain_pair(&a, &b, 4), (8 / 1.1 + 6.4) / 4 - 1, 1e-12);
	assert_close(cs_gain_alone(8, 1.5, 2), 8 / 1.5 / 2 - 1, 1e-12);
	assert_close(cs_gain_alone(4, 1, 4), 0, 1e-12);
}

/* The gain is a direct count of node seconds, period by period. */
static void periods_add_up_to_a_count_of_node_seconds(void **state)
{
	uint64_t rng = cs_test_seed(), rounds = cs_test_worlds(1000);

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		uint32_t nodes = (uint32_t)(1 + cs_test_draw(&rng, 50));
		struct cs_gain g = { 0 };
		double work = 0, used = 0;

		for (size_t q = 0; q < 3; q++) {
			double t =
				1 + (double)(uint32_t)cs_test_draw(&rng, 1000);
			size_t n = 1 + (size_t)cs_test_draw(&rng, 4);
			struct cs_gain_job job[4];

			for (size_t i = 0; i < n; i++) {
				job[i].procs =
					(uint32_t)(1 + cs_test_draw(&rng, 64));
				job[i].slowdown =
					1 + (double)(uint32_t)cs_test_draw(
						    &rng, 100) /
						    100;
				work += t / job[i].slowdown * job[i].procs;
			}
			used += t * nodes;
			cs_gain_add(&g, t, job, n, nodes);
		}
		assert_close(cs_gain(&g), (work - used) / used, 1e-9);
	}
}

static void no_time_no_gain(void **state)
{
	const struct cs_gain_job j = { 4, 1 };
	struct cs_gain g = { 0 };

	(void)state;
	cs_gain_add(&g, 0, &j, 1, 2);
	assert_close(cs_gain(&g), 0, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equation_5_equals_equation_6),
		cmocka_unit_test(the_example_of_the_head_of_the_file),
		cmocka_unit_test(periods_add_up_to_a_count_of_node_seconds),
		cmocka_unit_test(no_time_no_gain),
	};

	return cmocka_run_group_tests_name("gain", tests, NULL, NULL);
}
