/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that counts past its buffer against text that has room. */
#include "cs_test.h"

#include "common/base/textbuf.h"

#define ROOM 400

/* The same pieces in the same order, as @seed draws them. */
static void fill(struct cs_textbuf *t, uint64_t seed)
{
	static const char *const pieces[] = { "", "a", "and so on", "%s" };

	for (uint64_t k = cs_test_draw(&seed, 20); k; k--)
		switch (cs_test_draw(&seed, 3)) {
		case 0:
			cs_textbuf_byte(t,
					(char)('a' + cs_test_draw(&seed, 26)));
			break;
		case 1:
			cs_textbuf_add(t, pieces[cs_test_draw(&seed, 4)]);
			break;
		case 2:
			cs_textbuf_print(t, "%d, %s.",
					 (int)cs_test_draw(&seed, 100000),
					 pieces[cs_test_draw(&seed, 4)]);
		}
}

static void it_counts_what_does_not_fit(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(1000); k; k--) {
		char all[ROOM], some[ROOM + 1];
		size_t size = cs_test_draw(&seed, ROOM), fits;
		struct cs_textbuf whole = { .buf = all, .size = ROOM };
		struct cs_textbuf part = { .buf = some, .size = size };
		uint64_t pieces = cs_test_draw(&seed, UINT64_MAX);

		memset(some, '#', sizeof(some));
		fill(&whole, pieces);
		fill(&part, pieces);
		fits = cs_textbuf_end(&whole);
		assert_int_equal(fits, strlen(all));
		assert_int_equal(cs_textbuf_end(&part), whole.len);
		fits = whole.len < size ? whole.len : size - (size > 0);
		assert_memory_equal(some, all, fits);
		if (size)
			assert_int_equal(some[fits], '\0');
		for (size_t i = size; i <= ROOM; i++)
			assert_int_equal(some[i], '#');
	}
}

static void it_needs_no_buffer(void **state)
{
	struct cs_textbuf t = { 0 };

	(void)state;
	cs_textbuf_add(&t, "abc");
	cs_textbuf_byte(&t, 'd');
	cs_textbuf_print(&t, "%03d", 7);
	assert_int_equal(cs_textbuf_end(&t), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_counts_what_does_not_fit),
		cmocka_unit_test(it_needs_no_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
