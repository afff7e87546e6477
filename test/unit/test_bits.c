/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of bits against arrays of bools. */
#include "cs_test.h"

#include "common/base/bits.h"

#define N 200
#define WORDS 4

static void words_and_lots(void **state)
{
	(void)state;
	assert_int_equal(cs_div_up(0, 3), 0);
	assert_int_equal(cs_div_up(3, 3), 1);
	assert_int_equal(cs_div_up(4, 3), 2);
	assert_int_equal(cs_div_up(UINT32_MAX, 1), UINT32_MAX);
	assert_int_equal(cs_div_up(UINT32_MAX, 2), UINT32_C(1) << 31);
	assert_int_equal(cs_bit_words(0), 0);
	assert_int_equal(cs_bit_words(64), 1);
	assert_int_equal(cs_bit_words(65), 2);
}

static void all_below_a_number(void **state)
{
	(void)state;
	for (uint32_t n = 0; n <= N; n++)
		for (uint32_t i = 0; i < 64 * WORDS; i++)
			assert_int_equal(cs_bit_all(n, i / 64) >> i % 64 & 1,
					 i < n);
}

/* A set and what it should be. */
struct pair {
	uint64_t set[WORDS];
	bool want[N];
};

static void draw(struct pair *p, uint64_t *seed)
{
	memset(p, 0, sizeof(*p));
	for (uint64_t k = cs_test_draw(seed, 2 * N); k; k--) {
		uint32_t i = (uint32_t)cs_test_draw(seed, N);
		bool on = cs_test_draw(seed, 3) > 0;

		cs_bit_put(p->set, i, on);
		p->want[i] = on;
	}
}

static void check(const struct pair *p)
{
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(cs_bit(p->set, i), p->want[i]);
	assert_int_equal(p->set[N / 64] & ~cs_bit_all(N, N / 64), 0);
}

static void single_bits(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(500); k; k--) {
		uint32_t n = 0, i = 0;
		struct pair p;

		draw(&p, &seed);
		check(&p);
		for (i = 0; i < N; i++)
			n += p.want[i];
		assert_int_equal(cs_bits_count(p.set, WORDS), n);
		/* they come out in order, each once */
		i = 0;
		for (uint32_t w = 0; w < WORDS; w++)
			for (uint64_t word = p.set[w]; word; n--) {
				uint32_t next = w * 64 + cs_bit_pop(&word);

				for (; i < next; i++)
					assert_false(p.want[i]);
				assert_true(p.want[i++]);
			}
		assert_int_equal(n, 0);
	}
}

static void two_sets(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(500); k; k--) {
		struct pair a, b, both, either, only;
		uint32_t n = 0;
		bool within = true;

		draw(&a, &seed);
		draw(&b, &seed);
		if (!cs_test_draw(&seed, 3))
			cs_bits_or(b.set, a.set, WORDS);
		both = either = only = a;
		cs_bits_and(both.set, b.set, WORDS);
		cs_bits_or(either.set, b.set, WORDS);
		cs_bits_andnot(only.set, b.set, WORDS);
		for (uint32_t i = 0; i < N; i++) {
			bool in = cs_bit(b.set, i);

			both.want[i] = a.want[i] && in;
			either.want[i] = a.want[i] || in;
			only.want[i] = a.want[i] && !in;
			n += both.want[i];
			within &= !only.want[i];
		}
		check(&both);
		check(&either);
		check(&only);
		assert_int_equal(cs_bits_common(a.set, b.set, WORDS), n);
		assert_int_equal(cs_bits_within(a.set, b.set, WORDS), within);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_lots),
		cmocka_unit_test(all_below_a_number),
		cmocka_unit_test(single_bits),
		cmocka_unit_test(two_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
