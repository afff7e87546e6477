/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cs_test.h"

#include "common/profile/slowdown.h"
#include "common/profile/table4.h"

#define UNKNOWN 1.5

static struct cs_slowdown model(const struct cs_profiles *p,
				double unknown_pair)
{
	return (struct cs_slowdown){ .profiles = p,
				     .unknown_pair = unknown_pair };
}

/* Jobs that are told by their profile alone. */
static double self_at(const struct cs_slowdown *m, int profile, uint32_t procs,
		      uint32_t sockets, uint32_t cores)
{
	return cs_slowdown_self(m, (struct cs_who){ .profile = profile }, procs,
				sockets, cores);
}

static double beside_at(const struct cs_slowdown *m, int of, const int *profile,
			size_t n)
{
	struct cs_who who[16] = { { .id = 0 } };

	for (size_t i = 0; i < n; i++)
		who[i].profile = profile[i];
	return cs_slowdown_beside(m, (struct cs_who){ .profile = of }, who, n);
}

static struct cs_profiles *read_text(const char *text)
{
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };

	if (cs_profiles_read(&p, text, strlen(text), "test", &err))
		fail_msg("%s", err.text);
	return p;
}

static double self_of(const struct cs_profiles *p, const char *name,
		      uint32_t procs)
{
	const struct cs_slowdown m = model(p, UNKNOWN);

	return self_at(&m, cs_profiles_find(p, name), procs, 2, 4);
}

/* What @of suffers beside the @n profiles named; "" is a job without one. */
static double beside(const struct cs_profiles *p, const char *of, size_t n,
		     const char *const *name)
{
	const struct cs_slowdown m = model(p, UNKNOWN);
	int index[16];

	for (size_t i = 0; i < n; i++)
		index[i] = cs_profiles_find(p, name[i]);
	return beside_at(&m, cs_profiles_find(p, of), index, n);
}

#define BESIDE(p, of, ...)                                                    \
	beside(p, of,                                                         \
	       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), \
	       (const char *const[]){ __VA_ARGS__ })

/* --------------------------------------------------------------- rules */

/* Table 3 of Zeng09: SL_sno at one process a socket, times SL_scr on all cores. */
static void rule_1_table_3_of_the_paper_comes_back(void **state)
{
	static const struct {
		const char *name;
		double scr, sno;
	} row[] = {
		{ "is", 1.37, 1.35 }, { "ep", 1.05, 1.05 },
		{ "ft", 1.27, 1.16 }, { "cg", 1.04, 0.99 },
		{ "lu", 1.08, 0.99 }, { "bt", 1.11, 1.00 },
		{ "mg", 1.22, 1.01 }, { "sp", 1.47, 1.01 },
	};
	char *text = cs_test_file("profiles_nas.json", NULL);
	struct cs_profiles *p = read_text(text);

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_close(self_of(p, row[i].name, 1), 1, 0);
		assert_close(self_of(p, row[i].name, 2), row[i].sno, 0);
		assert_close(self_of(p, row[i].name, 4),
			     row[i].sno * row[i].scr, 1e-12);
	}
	cs_profiles_free(p);
	free(text);
}

static void rule_1_linear_between_points_and_constant_beyond(void **state)
{
	struct cs_profiles *p =
		read_text("{\"version\":1,\"profiles\":{\"a\":{\"self\":"
			  "{\"8\":2.0,\"2\":1.1,\"4\":1.5}},"
			  "\"one\":{\"self\":{\"3\":1.2}}}}");
	static const double want[] = { 1.1,   1.1,  1.1,   1.3, 1.5,
				       1.625, 1.75, 1.875, 2,	2 };

	(void)state;
	for (uint32_t n = 0; n < 10; n++)
		assert_close(self_of(p, "a", n), want[n], 1e-15);
	assert_close(self_of(p, "a", UINT32_MAX), 2, 0);
	for (uint32_t n = 0; n < 10; n++)
		assert_close(self_of(p, "one", n), 1.2, 0);
	cs_profiles_free(p);
}

static void rule_2_the_means_of_table_4(void **state)
{
	const struct cs_slowdown m = model(NULL, UNKNOWN);
	/* the means, from the middle of each range and its share */
	const double sno =
		.25 * .95 + .45 * 1.05 + .12 * 1.15 + .05 * 1.25 + .13 * 1.35;
	const double scr = .25 * 1.05 + .17 * 1.15 + .17 * 1.25 + .13 * 1.35 +
			   .17 * 1.45 + .08 * 1.55 + .03 * 1.65;

	(void)state;
	assert_close(self_at(&m, CS_PROFILE_NONE, 1, 2, 4), 1, 0);
	assert_close(self_at(&m, CS_PROFILE_NONE, 2, 2, 4), 1.09, 0);
	assert_close(self_at(&m, CS_PROFILE_NONE, 3, 2, 4), 1.23, 1e-12);
	assert_close(self_at(&m, CS_PROFILE_NONE, 4, 2, 4), 1.37, 0);
	assert_close(self_at(&m, CS_PROFILE_NONE, 9, 2, 4), 1.37, 0);
	assert_close(1.09, sno, .004);
	assert_close(1.37, sno * scr, .004);
}

static void rule_2_other_nodes(void **state)
{
	const struct cs_slowdown m = model(NULL, UNKNOWN);

	(void)state;
	/* one core */
	assert_close(self_at(&m, 0, 1, 1, 1), 1, 0);
	/* one socket: from 1 straight to 1.37 */
	assert_close(self_at(&m, 0, 1, 1, 3), 1, 0);
	assert_close(self_at(&m, 0, 2, 1, 3), 1.185, 1e-12);
	assert_close(self_at(&m, 0, 3, 1, 3), 1.37, 0);
	/* one core a socket: no two processes share one */
	assert_close(self_at(&m, 0, 2, 4, 4), 1.03, 1e-12);
	assert_close(self_at(&m, 0, 4, 4, 4), 1.09, 0);
	for (uint32_t s = 1; s < 5; s++)
		for (uint32_t c = s; c < 40; c += s)
			for (uint32_t n = 1; n < c + 2; n++)
				assert_true(self_at(&m, -1, n, s, c) <=
					    self_at(&m, -1, n + 1, s, c));
}

static const char pairs[] =
	"{\"version\":1,\"profiles\":{"
	"\"cg\":{\"resources\":{\"memory_bandwidth\":0.8,\"network\":0.1}},"
	"\"io\":{\"resources\":{\"memory_bandwidth\":0.3,\"network\":0.9}},"
	"\"x\":{},\"y\":{\"resources\":{\"disk\":0.5}}},"
	"\"pairs\":[{\"of\":\"x\",\"beside\":\"cg\",\"slowdown\":1.2},"
	"{\"of\":\"x\",\"beside\":\"io\",\"slowdown\":0.9},"
	"{\"of\":\"cg\",\"beside\":\"y\",\"slowdown\":1.3}]}";

static void rule_3_measured_else_predicted_else_unknown(void **state)
{
	struct cs_profiles *p = read_text(pairs);

	(void)state;
	/* a: measured, by ordered pair, and below 1 if it was measured so */
	assert_close(BESIDE(p, "x", "cg"), 1.2, 0);
	assert_close(BESIDE(p, "x", "io"), 0.9, 0);
	/* a before b: both have vectors */
	assert_close(BESIDE(p, "cg", "y"), 1.3, 0);
	/* b */
	assert_close(BESIDE(p, "y", "cg"), 1, 0);
	assert_close(BESIDE(p, "cg", "io"), 1.08, 1e-12);
	/* c: no vector on one side, no profile */
	assert_close(BESIDE(p, "cg", "x"), UNKNOWN, 0);
	assert_close(BESIDE(p, "cg", ""), UNKNOWN, 0);
	assert_close(BESIDE(p, "", "cg"), UNKNOWN, 0);
	assert_close(BESIDE(p, "", ""), UNKNOWN, 0);
	assert_close(BESIDE(p, "x", "x"), UNKNOWN, 0);
	cs_profiles_free(p);
}

static void rule_4_several_neighbours(void **state)
{
	struct cs_profiles *p = read_text(pairs);

	(void)state;
	/* measured ones: the product */
	assert_close(BESIDE(p, "x", "cg", "io"), 1.2 * .9, 1e-12);
	assert_close(BESIDE(p, "x", "cg", "cg"), 1.2 * 1.2, 1e-12);
	/* predicted ones: the sum of their vectors */
	assert_close(BESIDE(p, "cg", "io", "io"), 1.32, 1e-12);
	/* both, and strangers */
	assert_close(BESIDE(p, "cg", "io", "y", "io"), 1.3 * 1.32, 1e-12);
	assert_close(BESIDE(p, "cg", "io", "x"), 1.08 * UNKNOWN, 1e-12);
	assert_close(BESIDE(p, "cg", "", "x"), UNKNOWN * UNKNOWN, 1e-12);
	cs_profiles_free(p);
}

/* Drawn: as in table4.h, whatever the profiles say. */
static void rule_5_self_slowdown_on_any_node(void **state)
{
	struct cs_profiles *p = read_text(pairs);
	const struct cs_slowdown m = { .profiles = p,
				       .table4 = true,
				       .seed = 7 };

	(void)state;
	for (uint32_t id = 1; id < 100; id++) {
		struct cs_who w = { .profile = (int)(id % 3) - 1, .id = id };
		double sno = cs_table4_sno(7, id);
		double all = sno * cs_table4_scr(7, id);

		assert_true(cs_slowdown_self(&m, w, 1, 2, 4) == 1);
		assert_true(cs_slowdown_self(&m, w, 2, 2, 4) == sno);
		assert_true(cs_slowdown_self(&m, w, 4, 2, 4) == all);
		assert_close(cs_slowdown_self(&m, w, 3, 2, 4), (sno + all) / 2,
			     1e-12);
		/* four sockets of four: 1, 4 and 16 are the corners */
		assert_close(cs_slowdown_self(&m, w, 2, 4, 16), (2 + sno) / 3,
			     1e-12);
		assert_close(cs_slowdown_self(&m, w, 7, 4, 16),
			     (3 * sno + all) / 4, 1e-12);
		/* one socket; one core a socket; one core */
		assert_close(cs_slowdown_self(&m, w, 3, 1, 5), (1 + all) / 2,
			     1e-12);
		assert_true(cs_slowdown_self(&m, w, 2, 2, 2) == sno);
		assert_true(cs_slowdown_self(&m, w, 1, 1, 1) == 1);
	}
	cs_profiles_free(p);
}

static void rule_5_several_neighbours_in_any_order(void **state)
{
	const struct cs_slowdown m = { .table4 = true, .seed = 7 };
	const struct cs_who of = { .profile = CS_PROFILE_NONE, .id = 5 };
	struct cs_who b[] = { { 0, 9, 0 },	    { 1, 2, 0 }, { -1, 9, 0 },
			      { 0, UINT32_MAX, 0 }, { 0, 0, 0 }, { 0, 4, 0 } };
	double nine = cs_table4_cos(7, 5, 9), all;

	(void)state;
	assert_true(cs_slowdown_beside(&m, of, b, 0) == 1);
	assert_true(cs_slowdown_beside(&m, of, b, 1) == nine);
	assert_true(cs_slowdown_beside(&m, of, b, 2) ==
		    cs_table4_cos(7, 5, 2) * nine);
	all = cs_table4_cos(7, 5, 2) * nine * nine *
	      cs_table4_cos(7, 5, UINT32_MAX) * cs_table4_cos(7, 5, 0) *
	      cs_table4_cos(7, 5, 4);
	assert_close(cs_slowdown_beside(&m, of, b, 6), all, 1e-12);
	all = cs_slowdown_beside(&m, of, b, 6);
	for (size_t i = 0; i < 5; i++) {
		struct cs_who swap = b[i];

		b[i] = b[5];
		b[5] = swap;
		assert_true(cs_slowdown_beside(&m, of, b, 6) == all);
	}
}

static void the_example_of_the_head_of_the_file(void **state)
{
	struct cs_profiles *p = read_text(pairs);

	(void)state;
	assert_close(BESIDE(p, "cg", "io"), 1.08, 1e-12);
	assert_close(BESIDE(p, "io", "cg"), 1.03, 1e-12);
	assert_close(BESIDE(p, "cg", "cg"), 1.48, 1e-12);
	assert_close(BESIDE(p, "cg", "io", "io"), 1.32, 1e-12);
	cs_profiles_free(p);
}

/* ----------------------------------------------------------- properties */

#define N_PROFILE 6

/* Profiles with vectors only, a share of them at the ends of the range. */
static void draw_vectors(uint64_t *seed, struct cs_profile *f, int n)
{
	memset(f, 0, (size_t)n * sizeof(*f));
	for (int i = 0; i < n; i++) {
		f[i].has_resources = f[i].known = true;
		for (int r = 0; r < CS_RES_COUNT; r++) {
			uint64_t d = cs_test_draw(seed, 6);

			f[i].resources[r] = d == 0   ? 0
					    : d == 1 ? 1
						     : cs_test_unit(seed);
		}
	}
}

static void invariant_bounds_of_the_prediction(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int k = 0; k < 20000; k++) {
		struct cs_profile f[N_PROFILE];
		struct cs_profiles s = { .profile = f, .n_profile = N_PROFILE };
		const struct cs_slowdown m = model(&s, UNKNOWN);
		size_t n = cs_test_draw(&seed, 5);
		int b[4];
		double v;

		draw_vectors(&seed, f, N_PROFILE);
		for (size_t i = 0; i < n; i++)
			b[i] = (int)cs_test_draw(&seed, N_PROFILE);
		v = beside_at(&m, 0, b, n);
		assert_true(v >= 1 && v <= 1 + (double)n);
		if (!n)
			assert_close(v, 1, 0);
		/* a job that uses nothing suffers nothing */
		memset(f[0].resources, 0, sizeof(f[0].resources));
		assert_close(beside_at(&m, 0, b, n), 1, 0);
	}
}

static void invariant_no_loss_where_everything_suffices(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int k = 0; k < 5000; k++) {
		struct cs_profile f[2];
		struct cs_profiles s = { .profile = f, .n_profile = 2 };
		const struct cs_slowdown m = model(&s, UNKNOWN);

		draw_vectors(&seed, f, 2);
		for (int r = 0; r < CS_RES_COUNT; r++)
			if (f[0].resources[r] + f[1].resources[r] > 1)
				f[1].resources[r] = 1 - f[0].resources[r];
		assert_close(beside_at(&m, 0, (int[]){ 1 }, 1), 1, 1e-12);
	}
}

static void invariant_grows_with_every_share(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int k = 0; k < 20000; k++) {
		struct cs_profile f[N_PROFILE];
		struct cs_profiles s = { .profile = f, .n_profile = N_PROFILE };
		const struct cs_slowdown m = model(&s, UNKNOWN);
		const int b[] = { 1, 2 };
		int who = (int)cs_test_draw(&seed, 3);
		double *share, was;

		draw_vectors(&seed, f, N_PROFILE);
		was = beside_at(&m, 0, b, 2);
		share = &f[who].resources[cs_test_draw(&seed, CS_RES_COUNT)];
		*share += (1 - *share) * cs_test_unit(&seed);
		assert_true(beside_at(&m, 0, b, 2) >= was);
	}
}

static void invariant_one_neighbour_more_is_never_better(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int k = 0; k < 20000; k++) {
		struct cs_profile f[N_PROFILE];
		struct cs_profiles s = { .profile = f, .n_profile = N_PROFILE };
		const struct cs_slowdown m = model(&s, UNKNOWN);
		double was = 0;
		int b[5];

		draw_vectors(&seed, f, N_PROFILE);
		f[1].has_resources = false;
		for (size_t i = 0; i < 5; i++) {
			double v;

			b[i] = (int)cs_test_draw(&seed, N_PROFILE);
			v = beside_at(&m, 0, b, i + 1);
			assert_true(v >= was);
			was = v;
		}
	}
}

static void invariant_equal_vectors_suffer_equally(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int k = 0; k < 5000; k++) {
		struct cs_profile f[3];
		struct cs_profiles s = { .profile = f, .n_profile = 3 };
		const struct cs_slowdown m = model(&s, UNKNOWN);

		draw_vectors(&seed, f, 3);
		memcpy(f[1].resources, f[0].resources, sizeof(f[0].resources));
		assert_close(beside_at(&m, 0, (int[]){ 1, 2 }, 2),
			     beside_at(&m, 1, (int[]){ 0, 2 }, 2), 0);
	}
}

static void invariant_the_order_of_neighbours_does_not_matter(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int k = 0; k < 20000; k++) {
		struct cs_profile f[N_PROFILE];
		double pair[N_PROFILE * N_PROFILE] = { 0 };
		struct cs_profiles s = { .profile = f,
					 .n_profile = N_PROFILE,
					 .pair = pair };
		const struct cs_slowdown m = model(&s, 1.37);
		int b[8];
		double v;

		draw_vectors(&seed, f, N_PROFILE);
		for (int i = 0; i < N_PROFILE; i++) {
			f[i].has_resources = cs_test_draw(&seed, 2);
			if (cs_test_draw(&seed, 2))
				pair[i] = 0.9 + cs_test_unit(&seed);
		}
		for (size_t i = 0; i < 8; i++)
			b[i] = (int)cs_test_draw(&seed, N_PROFILE + 1) - 1;
		v = beside_at(&m, 0, b, 8);
		for (size_t i = 7; i; i--) {
			size_t j = cs_test_draw(&seed, i + 1);
			int swap = b[i];

			b[i] = b[j];
			b[j] = swap;
		}
		/* not in the last bit */
		assert_true(v == beside_at(&m, 0, b, 8));
	}
}

/* Kinds 1 and 2 were learned; of 2 beside 2 there is no bound.  Profile 0 says what
 * it suffers from itself and how it slows itself. */
static void rule_6_what_was_learned_counts_behind_what_was_written(void **state)
{
	double self[] = { 1.2, 1.1 }, spread[] = { .9, .9 };
	double bound[] = { 1.1, 1.2, 1.3, 0 };
	double mean[] = { 1.05, 1.1, 1.2, 1.1 }, hope[] = { 1, 1.02, 1.1, .9 };
	const struct cs_learned l = {
		2, self, spread, spread, bound, mean, hope
	};
	struct cs_profiles *p = read_text(
		"{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,"
		"\"4\":2}}},\"pairs\":[{\"of\":\"a\",\"beside\":\"a\","
		"\"slowdown\":1.7}]}");
	struct cs_slowdown m = { .profiles = p, .unknown_pair = 1.5 };
	const struct cs_who one = { -1, 1, 1 }, two = { -1, 2, 2 };
	const struct cs_who own = { 0, 3, 1 }, none = { -1, 4, 0 };
	struct cs_who b[] = { one, two, two };

	(void)state;
	/* nothing of it without the table */
	assert_close(cs_slowdown_beside(&m, one, &two, 1), 1.5, 0);
	assert_false(cs_slowdown_is_learned(&m, one));
	m.learned = &l;
	assert_true(cs_slowdown_is_learned(&m, one));
	assert_false(cs_slowdown_is_learned(&m, none));
	assert_close(cs_slowdown_beside(&m, one, &two, 1), 1.2, 0);
	assert_close(cs_slowdown_beside(&m, two, &one, 1), 1.3, 0);
	assert_close(cs_slowdown_beside(&m, two, &two, 1), 1.5, 0);
	assert_close(cs_slowdown_beside(&m, one, &none, 1), 1.5, 0);
	assert_close(cs_slowdown_beside(&m, none, &one, 1), 1.5, 0);
	assert_close(cs_slowdown_beside(&m, one, b, 3), 1.1 * 1.2 * 1.2, 1e-12);
	assert_true(cs_slowdown_known(&m, one, two));
	assert_false(cs_slowdown_known(&m, two, two));
	/* what was written wins */
	assert_close(cs_slowdown_beside(&m, own, &own, 1), 1.7, 0);
	assert_close(cs_slowdown_beside(&m, own, &two, 1), 1.2, 0);
	assert_close(cs_slowdown_self(&m, own, 4, 1, 4), 2, 0);
	assert_close(cs_slowdown_self(&m, one, 4, 1, 4), 1.37, 0);
	assert_close(cs_slowdown_self(&m, one, 3, 1, 4),
		     (1.37 + 1.37 / 1.2) / 2, 1e-12);
	assert_close(cs_slowdown_self(&m, one, 2, 1, 4), 1.37 / 1.2, 1e-12);
	assert_close(cs_slowdown_self(&m, one, 1, 1, 4), 1, 0);
	assert_close(cs_slowdown_self(&m, one, 1, 1, 1), 1, 0);
	/* the mean where the bound holds, else hope */
	assert_close(cs_slowdown_expected(&m, one, two, 1.25), 1.1, 0);
	assert_close(cs_slowdown_expected(&m, two, one, 1.25), 1.1, 0);
	assert_close(cs_slowdown_expected(&m, two, two, 1.25), .9, 0);
	assert_close(cs_slowdown_expected(&m, own, own, 1.25), 1.7, 0);
	assert_close(cs_slowdown_expected(&m, one, none, 1.25), 1.5, 0);
	cs_profiles_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rule_1_table_3_of_the_paper_comes_back),
		cmocka_unit_test(
			rule_1_linear_between_points_and_constant_beyond),
		cmocka_unit_test(rule_2_the_means_of_table_4),
		cmocka_unit_test(rule_2_other_nodes),
		cmocka_unit_test(rule_3_measured_else_predicted_else_unknown),
		cmocka_unit_test(rule_4_several_neighbours),
		cmocka_unit_test(rule_5_self_slowdown_on_any_node),
		cmocka_unit_test(rule_5_several_neighbours_in_any_order),
		cmocka_unit_test(
			rule_6_what_was_learned_counts_behind_what_was_written),
		cmocka_unit_test(the_example_of_the_head_of_the_file),
		cmocka_unit_test(invariant_bounds_of_the_prediction),
		cmocka_unit_test(invariant_no_loss_where_everything_suffices),
		cmocka_unit_test(invariant_grows_with_every_share),
		cmocka_unit_test(invariant_one_neighbour_more_is_never_better),
		cmocka_unit_test(invariant_equal_vectors_suffer_equally),
		cmocka_unit_test(
			invariant_the_order_of_neighbours_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
