/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cs_test.h"

#include "common/base/rng.h"
#include "common/profile/table4.h"

#define N 100000

/* The authors' own outputs: xoshiro256** from the state 1, 2, 3, 4. */
static void known_answers_of_the_generator(void **state)
{
	static const uint64_t want[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	struct cs_rng r = { { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_true(cs_rng_next(&r) == want[i]);
}

/* splitmix64 from 0 begins with these; stream 0 takes its state from there. */
static void known_answers_of_the_seed(void **state)
{
	static const uint64_t want[] = {
		UINT64_C(0xe220a8397b1dcdaf),
		UINT64_C(0x6e789e6aa1b965f4),
		UINT64_C(0x06c45d188009454f),
		UINT64_C(0xf88bb8a8724c81ec),
	};
	struct cs_rng r;

	(void)state;
	cs_rng_init(&r, 0, 0);
	assert_memory_equal(r.s, want, sizeof(want));
}

/* Ours: what simulations rest on must not change between releases. */
static void known_answers_of_the_hash(void **state)
{
	(void)state;
	assert_true(cs_rng_hash(0, 0) == UINT64_C(0xa706dd2f4d197e6f));
	assert_true(cs_rng_hash(1, 2) == UINT64_C(0x0b95f66d327e8d78));
	assert_true(cs_rng_hash(2, 1) == UINT64_C(0x15afa6cc98416e0c));
	assert_true(cs_unit(0) == 0);
	assert_true(cs_unit(UINT64_MAX) < 1);
	assert_true(cs_unit(UINT64_C(1) << 63) == .5);
}

static void streams_differ(void **state)
{
	struct cs_rng a, b, c;

	(void)state;
	cs_rng_init(&a, 7, 1);
	cs_rng_init(&b, 7, 2);
	cs_rng_init(&c, 8, 1);
	for (int i = 0; i < 1000; i++) {
		uint64_t x = cs_rng_next(&a);

		assert_true(x != cs_rng_next(&b) && x != cs_rng_next(&c));
	}
}

/* ---------------------------------------------------------------- table 4 */

/* Percent of each range, .9 to 1.8, as printed in the paper. */
static const double scr[] = { 0, 25, 17, 17, 13, 17, 8, 3, 0 };
static const double sno[] = { 25, 45, 12, 5, 13, 0, 0, 0, 0 };
static const double cos_[] = { 0, 68, 17, 7, 3, 2, 1, 1, 1 };

struct count {
	double n[9];
	double sum;
};

static void add(struct count *c, double x)
{
	int range = (int)(x * 10) - 9;

	assert_true(range >= 0 && range < 9);
	c->n[range]++;
	c->sum += x;
}

/* Each frequency of N draws within 4 sigma of its share, and the mean. */
static void check(const struct count *c, const double *percent)
{
	double mean = 0, square = 0, off;

	for (int i = 0; i < 9; i++) {
		double p = percent[i] / 100, mid = .95 + .1 * i;
		double d = c->n[i] - N * p;

		assert_true(d * d <= 16 * N * p * (1 - p));
		mean += p * mid;
		square += p * (mid * mid + .01 / 12);
	}
	off = c->sum / N - mean;
	assert_true(off * off <= 16 * (square - mean * mean) / N);
}

static void table_4_comes_out(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct count a = { 0 }, b = { 0 }, c = { 0 };

		for (uint32_t id = 1; id <= N; id++) {
			add(&a, cs_table4_scr(seed, id));
			add(&b, cs_table4_sno(seed, id));
			/* pairs of neighbours in the queue, both ways */
			add(&c, cs_table4_cos(seed, id, id ^ 1));
		}
		check(&a, scr);
		check(&b, sno);
		check(&c, cos_);
	}
}

/* The draws of a job, of a pair and of its reverse, of two seeds. */
static void draws_are_independent(void **state)
{
	double with[4] = { 0 };

	(void)state;
	for (uint32_t id = 1; id <= N; id++) {
		double x = cs_table4_cos(3, id, 9) - 1.11;

		with[0] += x * (cs_table4_scr(3, id) - 1.266);
		with[1] += x * (cs_table4_sno(3, id) - 1.086);
		with[2] += x * (cs_table4_cos(3, 9, id) - 1.11);
		with[3] += x * (cs_table4_cos(4, id, 9) - 1.11);
	}
	/* sigma of each product is below .04: 4 sigma of the mean */
	for (int i = 0; i < 4; i++)
		assert_true(with[i] / N < .0005 && with[i] / N > -.0005);
}

static void the_order_of_asking_does_not_matter(void **state)
{
	double first[100], pair[100];

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		first[i] = cs_table4_scr(1, i + 1);
		pair[i] = cs_table4_cos(1, i + 1, 50);
	}
	for (uint32_t i = 100; i--;) {
		assert_true(pair[i] == cs_table4_cos(1, i + 1, 50));
		assert_true(first[i] == cs_table4_scr(1, i + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers_of_the_generator),
		cmocka_unit_test(known_answers_of_the_seed),
		cmocka_unit_test(known_answers_of_the_hash),
		cmocka_unit_test(streams_differ),
		cmocka_unit_test(table_4_comes_out),
		cmocka_unit_test(draws_are_independent),
		cmocka_unit_test(the_order_of_asking_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
