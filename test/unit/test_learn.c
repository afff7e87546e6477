/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is learned of pairs from runs: the numbers below it, the fit, its bound. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <math.h>

#include "common/base/rng.h"
#include "common/learn/fit_parts.h"
#include "common/learn/real.h"

/* ---- numbers ------------------------------------------------------------- */

static void they_are_what_libm_says(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int i = 0; i < 200000; i++) {
		double x = (cs_test_unit(&seed) - .5) * 1200;
		double y = exp((cs_test_unit(&seed) - .5) * 1300);

		assert_close(cs_real_exp(x), exp(x), 1e-12);
		assert_true(fabs(cs_real_ln(y) - log(y)) <=
			    1e-15 * (1 + fabs(log(y))) * 4);
		assert_close(cs_real_root(y), sqrt(y), 1e-15 * 2);
	}
	assert_close(cs_real_ln(1), 0, 0);
	assert_close(cs_real_exp(0), 1, 0);
	assert_true(cs_real_ln(0) < -1e299 && cs_real_ln(-1) < -1e299);
	assert_true(cs_real_ln(NAN) < -1e299 && cs_real_ln(INFINITY) < -1e299);
	assert_close(cs_real_exp(NAN), 1, 0);
	assert_true(isfinite(cs_real_exp(1e9)) && cs_real_exp(-1e9) > 0);
	assert_close(cs_real_root(-1), 0, 0);
}

static void many_are_as_one_by_one(void **state)
{
	uint64_t seed = cs_test_seed();
	double x[100], ln[100], power[100], root[100];

	(void)state;
	for (size_t n = 0; n < 100; n++) {
		for (size_t i = 0; i < n; i++) {
			static const double odd[] = { 0,   -1,	1,     1e301,
						      -0., NAN, 1e-310 };
			uint64_t k = cs_test_draw(&seed, 20);

			x[i] = k < 7 ? odd[k]
				     : (cs_test_unit(&seed) - .3) * 700;
			if (k > 15)
				x[i] = cs_real_exp(x[i]);
			ln[i] = power[i] = root[i] = x[i];
		}
		cs_real_ln_all(ln, n);
		cs_real_exp_all(power, n);
		cs_real_root_all(root, n);
		for (size_t i = 0; i < n; i++) {
			double want[] = { cs_real_ln(x[i]), cs_real_exp(x[i]),
					  cs_real_root(x[i]) };

			assert_memory_equal(&ln[i], &want[0], sizeof(double));
			assert_memory_equal(&power[i], &want[1],
					    sizeof(double));
			assert_memory_equal(&root[i], &want[2], sizeof(double));
		}
	}
}

/* ---- the fit ------------------------------------------------------------- */

enum { CODES = 24, RUNS = 4000 };

struct site {
	double ratio[CODES][CODES + 1]; /* beside CODES: nobody */
	struct cs_fit_code code[CODES];
	struct cs_fit_run run[RUNS];
	size_t n;
	uint64_t seed;
};

static double normal(uint64_t *seed)
{
	double z = -6;

	for (int i = 0; i < 12; i++)
		z += cs_test_unit(seed);
	return z;
}

static void draw_site(struct site *s, double own, double noise)
{
	double v[CODES], w[CODES + 1];

	s->n = 0;
	for (int a = 0; a < CODES; a++) {
		v[a] = .12 * normal(&s->seed);
		w[a] = .08 * normal(&s->seed);
		s->code[a] = (struct cs_fit_code){ .noise = noise * noise };
	}
	w[CODES] = -.15;
	for (int a = 0; a < CODES; a++)
		for (int b = 0; b <= CODES; b++)
			s->ratio[a][b] =
				exp(-.1 + v[a] + w[b] + own * normal(&s->seed));
}

/* Code @a beside @b for @share of its time, alone on half cores for the rest. */
static void run_pair(struct site *s, uint32_t a, uint32_t b, double share,
		     double noise)
{
	double rate = share / s->ratio[a][b] + (1 - share) / s->ratio[a][CODES];

	s->run[s->n++] = (struct cs_fit_run){
		.code = a,
		.n_part = 2,
		.part = { { b, share }, { CODES, 1 - share } },
		.log_time = -log(rate) + noise * normal(&s->seed),
		.weight = 1,
	};
}

static void run_pairs(struct site *s, size_t meetings, double noise)
{
	while (meetings--) {
		uint32_t a = (uint32_t)cs_test_draw(&s->seed, CODES);
		uint32_t b = (uint32_t)cs_test_draw(&s->seed, CODES);

		run_pair(s, a, b, .25 + .75 * cs_test_unit(&s->seed), noise);
		run_pair(s, b, a, .25 + .75 * cs_test_unit(&s->seed), noise);
	}
}

static void effects_that_add_up_are_found(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);

	(void)state;
	s.seed = cs_test_seed();
	draw_site(&s, 0, .01);
	run_pairs(&s, 500, .001);
	cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
	for (uint32_t a = 0; a < CODES; a++)
		for (uint32_t b = 0; b < CODES; b++) {
			struct cs_fit_guess g = cs_fit_guess(f, a, b);

			assert_true(fabs(g.mean - log(s.ratio[a][b])) < .02);
			assert_true(g.upper > g.mean && g.sd > 0);
		}
	cs_fit_free(f);
}

static uint64_t hash_guess(uint64_t hash, const struct cs_fit_guess *g)
{
	double x[] = { g->mean, g->sd, g->upper, g->normal };
	uint64_t bits[4];

	memcpy(bits, x, sizeof(bits));
	for (int i = 0; i < 4; i++)
		hash = cs_rng_hash(hash, bits[i]);
	return cs_rng_hash(hash, g->runs);
}

/* Runs of up to six parts, some dense, spread or of no weight, of codes of which some are
 * alike; without libm, so that they are the same everywhere. */
static void draw_runs(struct site *s)
{
	for (int a = 0; a < CODES; a++)
		s->code[a] = (struct cs_fit_code){
			.noise = 1e-4 + .001 * cs_test_unit(&s->seed),
			.base = a % 5 ? .001 * cs_test_unit(&s->seed) : 0,
			.like = a % 3 ? 0 : 1 + (uint64_t)a % 4,
		};
	for (s->n = 0; s->n < RUNS; s->n++) {
		struct cs_fit_run *r = &s->run[s->n];
		double left = 1;

		*r = (struct cs_fit_run){
			.code = (uint32_t)cs_test_draw(&s->seed, CODES),
			.n_part = 1 + (uint32_t)cs_test_draw(&s->seed,
							     CS_FIT_PARTS),
			.log_time = .6 * cs_test_unit(&s->seed) - .2,
			.weight = cs_test_draw(&s->seed, 20)
					  ? cs_test_unit(&s->seed)
					  : 0,
		};
		for (uint32_t k = 0; k < r->n_part; k++) {
			uint32_t other =
				(uint32_t)cs_test_draw(&s->seed, CODES + 2);

			r->part[k].other = other > CODES ? CS_FIT_DENSE : other;
			r->part[k].share =
				k + 1 < r->n_part
					? left * cs_test_unit(&s->seed)
					: left;
			left -= r->part[k].share;
		}
	}
}

/* A log that is replayed decides as it did: the number is that of the first version. */
static void a_fit_keeps_its_last_bit(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);
	struct cs_fit_guess all[CODES + 1];
	uint64_t one = 0, many = 0;

	(void)state;
	s.seed = 7;
	draw_runs(&s);
	for (size_t n = 0; n <= RUNS; n += 500) {
		cs_fit_make(f, s.code, CODES, s.run, n, .95);
		for (uint32_t a = 0; a < CODES; a++) {
			cs_fit_guess_all(f, a, all);
			for (uint32_t b = 0; b <= CODES; b++) {
				struct cs_fit_guess g = cs_fit_guess(f, a, b);

				one = hash_guess(one, &g);
				many = hash_guess(many, &all[b]);
			}
		}
	}
	assert_true(one == many);
	cs_fit_free(f);
	assert_true(one == UINT64_C(0xb7b5716b5a3d131e));
}

/* What a pair alone knows comes out where it has met often, and nowhere else. */
static void a_pair_may_be_unlike_its_codes(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);
	double before;

	(void)state;
	s.seed = cs_test_seed();
	draw_site(&s, .02, .02);
	run_pairs(&s, 300, .02);
	cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
	before = cs_fit_guess(f, 3, 5).upper;
	s.ratio[3][5] *= 1.5;
	for (int i = 0; i < 20; i++)
		run_pair(&s, 3, 5, 1, .02);
	cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
	assert_true(cs_fit_guess(f, 3, 5).upper > before + .1);
	assert_true(fabs(cs_fit_guess(f, 3, 5).mean - log(s.ratio[3][5])) < .1);
	assert_true(cs_fit_guess(f, 3, 5).runs >= 5);
	cs_fit_free(f);
}

enum { LIKE = 8 }; /* codes a, a + 8 and a + 16 have one name */

/* Runs of all codes but the last eight. */
static void run_most(struct site *s, size_t meetings)
{
	while (meetings--) {
		uint32_t a = (uint32_t)cs_test_draw(&s->seed, CODES - LIKE);
		uint32_t b = (uint32_t)cs_test_draw(&s->seed, CODES - LIKE);

		run_pair(s, a, b, .25 + .75 * cs_test_unit(&s->seed), .02);
		run_pair(s, b, a, .25 + .75 * cs_test_unit(&s->seed), .02);
	}
}

/* Rule 9: what is known of a name holds for those of it that never ran. */
static void codes_of_one_name_share_what_is_known(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);

	(void)state;
	s.seed = cs_test_seed();
	draw_site(&s, .01, .02);
	for (int a = 0; a < CODES; a++)
		for (int b = 0; b <= CODES; b++)
			s.ratio[a][b] =
				s.ratio[a % LIKE][b < CODES ? b % LIKE : b];
	run_most(&s, 150);
	for (int names = 0; names < 2; names++) {
		double wrong = 0, sd = 0;

		for (int a = 0; names && a < CODES; a++)
			s.code[a].like = 1 + (uint64_t)a % LIKE;
		cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
		for (uint32_t a = CODES - LIKE; a < CODES; a++)
			for (uint32_t b = 0; b < LIKE; b++) {
				struct cs_fit_guess g = cs_fit_guess(f, a, b);
				double x = g.mean - log(s.ratio[a][b]);

				wrong += x * x / (LIKE * LIKE);
				sd += g.sd / (LIKE * LIKE);
			}
		assert_true(names ? wrong < .03 * .03 : wrong > .05 * .05);
		assert_true(names ? sd < .07 : sd > .09);
	}
	assert_true(f->differ < .12);
	cs_fit_free(f);
}

/* ... unless the name means nothing, were it the only one: then who has run stands for
 * himself, and of who has not little is known. */
static void a_name_may_mean_nothing(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);

	(void)state;
	s.seed = cs_test_seed();
	draw_site(&s, 0, .02);
	run_most(&s, 800);
	for (uint64_t names = 1; names <= LIKE; names *= 2) {
		double wrong = 0;

		for (uint64_t a = 0; a < CODES; a++)
			s.code[a].like = 1 + a % names;
		cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
		assert_true(f->differ > .3);
		for (uint32_t a = 0; a < CODES - LIKE; a++)
			for (uint32_t b = 0; b < CODES - LIKE; b++)
				wrong += pow(cs_fit_guess(f, a, b).mean -
						     log(s.ratio[a][b]),
					     2);
		wrong /= (CODES - LIKE) * (CODES - LIKE);
		assert_true(wrong < .05 * .05);
		for (uint32_t a = CODES - LIKE; a < CODES; a++)
			assert_true(cs_fit_guess(f, a, 0).sd > .06);
	}
	cs_fit_free(f);
}

/* Pairs are of codes, so that one name for all has a bound as soon as none has. */
static void one_name_has_a_bound(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);

	(void)state;
	s.seed = cs_test_seed();
	draw_site(&s, .03, .02);
	run_most(&s, 40);
	for (uint64_t like = 0; like < 2; like++) {
		for (int a = 0; a < CODES; a++)
			s.code[a].like = like;
		cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
		assert_true(cs_fit_quantile(f).pairs >= CS_FIT_PAIRS_MIN);
		assert_true(cs_fit_guess(f, 0, 1).upper < 1e299);
	}
	cs_fit_free(f);
}

/* Nobody is admitted by guesses of a handful. */
static void few_pairs_give_no_bound(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);

	(void)state;
	s.seed = cs_test_seed();
	draw_site(&s, .05, .02);
	cs_fit_make(f, s.code, CODES, s.run, 0, .95);
	assert_true(cs_fit_guess(f, 0, 1).upper > 1e299);
	run_pairs(&s, 3, .02);
	cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
	assert_true(cs_fit_quantile(f).pairs < CS_FIT_PAIRS_MIN);
	assert_true(cs_fit_guess(f, 0, 1).upper > 1e299);
	run_pairs(&s, 60, .02);
	cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
	assert_true(cs_fit_guess(f, 0, 1).upper < 10);
	cs_fit_free(f);
}

/* Count the ways that have not met, and those above their bound. */
static void count_unseen(const struct site *s, const struct cs_fit *f,
			 size_t *all, size_t *above)
{
	for (uint32_t a = 0; a < CODES; a++)
		for (uint32_t b = 0; b < CODES; b++) {
			struct cs_fit_guess g = cs_fit_guess(f, a, b);

			if (g.runs)
				continue;
			++*all;
			*above += log(s->ratio[a][b]) > g.upper;
		}
}

/* Fewer than 19 have no 95 % quantile; their bound is higher, the fewer they are, and
 * holds all the same. */
static void some_pairs_give_a_careful_bound(void **state)
{
	static const size_t meetings[] = { 5, 8 };
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);
	size_t all = 0, above = 0;

	(void)state;
	s.seed = cs_test_seed();
	for (int world = 0; world < 60; world++) {
		struct cs_fit_quantile q;

		draw_site(&s, .05, .03);
		run_pairs(&s, meetings[world % 2], .03);
		cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
		q = cs_fit_quantile(f);
		if (q.pairs < CS_FIT_PAIRS_MIN)
			continue;
		assert_true(q.pairs < 19 && q.q < 1e299);
		assert_true(q.q >=
			    1.6449 + 1.5 * log(20. / (double)(q.pairs + 1)) -
				    1e-9);
		count_unseen(&s, f, &all, &above);
	}
	print_message("%.1f %% above the bound of few\n",
		      100. * (double)above / (double)all);
	assert_true(all > 0 && (double)above < .05 * (double)all);
	cs_fit_free(f);
}

/* Over many sites, pairs that have not met are within the bound about as often as
 * was asked for. */
static void the_bound_holds_for_pairs_unseen(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);
	size_t all = 0, above = 0;

	(void)state;
	s.seed = cs_test_seed();
	for (int world = 0; world < 20; world++) {
		draw_site(&s, .05, .03);
		run_pairs(&s, 60, .03);
		cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
		count_unseen(&s, f, &all, &above);
	}
	print_message("%.1f %% above the bound\n",
		      100. * (double)above / (double)all);
	assert_true((double)above < .07 * (double)all);
	cs_fit_free(f);
}

/* Same runs, same bits; and one run that is far off moves little. */
static void it_is_repeatable_and_robust(void **state)
{
	static struct site s;
	struct cs_fit *f = cs_fit_create(CODES, RUNS);
	struct cs_fit *g = cs_fit_create(CODES, RUNS);

	(void)state;
	s.seed = cs_test_seed();
	draw_site(&s, .03, .02);
	run_pairs(&s, 200, .02);
	cs_fit_make(f, s.code, CODES, s.run, s.n, .95);
	cs_fit_make(g, s.code, CODES, s.run, s.n, .95);
	for (uint32_t a = 0; a < CODES; a++)
		assert_close(cs_fit_guess(f, a, 1).upper,
			     cs_fit_guess(g, a, 1).upper, 0);
	s.run[0].log_time += 5;
	cs_fit_make(g, s.code, CODES, s.run, s.n, .95);
	for (uint32_t a = 0; a < CODES; a++)
		for (uint32_t b = 0; b < CODES; b++)
			if (a != s.run[0].code)
				assert_true(fabs(cs_fit_guess(f, a, b).mean -
						 cs_fit_guess(g, a, b).mean) <
					    .05);
	cs_fit_free(f);
	cs_fit_free(g);
}

static void memory_is_taken_once(void **state)
{
	bool more = true;

	(void)state;
	assert_true(cs_fit_bytes(4096, 8192) < 16u << 20);
	for (long n = 0; more; n++) {
		struct cs_fit *f;

		cs_test_fail_after(n);
		f = cs_fit_create(4, 8);
		more = cs_test_failed();
		assert_true(more == !f);
		cs_fit_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_what_libm_says),
		cmocka_unit_test(many_are_as_one_by_one),
		cmocka_unit_test(a_fit_keeps_its_last_bit),
		cmocka_unit_test(effects_that_add_up_are_found),
		cmocka_unit_test(a_pair_may_be_unlike_its_codes),
		cmocka_unit_test(codes_of_one_name_share_what_is_known),
		cmocka_unit_test(a_name_may_mean_nothing),
		cmocka_unit_test(one_name_has_a_bound),
		cmocka_unit_test(few_pairs_give_no_bound),
		cmocka_unit_test(some_pairs_give_a_careful_bound),
		cmocka_unit_test(the_bound_holds_for_pairs_unseen),
		cmocka_unit_test(it_is_repeatable_and_robust),
		cmocka_unit_test(memory_is_taken_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
