/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times, numbers and strings of a line (log/json_writer.c). */
#include "linerig.h"

static void times_are_exact(void **state)
{
	static const struct {
		int64_t us;
		const char *t;
	} row[] = {
		{ 0, "0.000000" },
		{ 1, "0.000001" },
		{ -1, "-0.000001" },
		{ 999999, "0.999999" },
		{ 1700000000123456, "1700000000.123456" },
		{ -1500000, "-1.500000" },
		{ INT64_MAX, "9223372036854.775807" },
		{ INT64_MIN, "-9223372036854.775808" },
	};
	char want[128];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(want, sizeof(want),
			 "{\"t\":%s,\"ev\":\"decide\",\"actions\":0}",
			 row[i].t);
		expect(&(struct call){ .what = DECIDE, .t_us = row[i].us },
		       want);
	}
}

static void numbers_that_json_lacks_are_null(void **state)
{
	volatile double zero = 0;
	struct cs_action act = { .type = CS_ACT_START,
				 .slowdown = 1 / zero,
				 .gain = zero / zero };
	char *line = line_of(&(struct call){
		.what = ACTION, .action = &act, .would = true });

	(void)state;
	assert_contains(line, "\"slowdown\":null,\"gain\":null");
	free(line);
}

/* The job's name as it stands in a line, without the quotes; free() it. */
static char *name_in_line(const char *name)
{
	struct cs_job j = plain_job();
	const struct cs_event ev = { .type = CS_EV_SUBMIT, .job = &j };
	char *line, *from, *to, *got;

	j.name = name;
	line = line_of(&(struct call){ .what = EVENT, .ev = &ev });
	from = strstr(line, "\"name\":\"");
	assert_non_null(from);
	from += 8;
	to = strstr(from, "\",\"procs\"");
	assert_non_null(to);
	got = strndup(from, (size_t)(to - from));
	assert_non_null(got);
	free(line);
	return got;
}

static void strings_are_escaped(void **state)
{
	static const struct {
		const char *name, *want;
	} row[] = {
		{ "a\"b\\c/d", "a\\\"b\\\\c/d" },
		{ "\x01\t\n\x1f\x7f", "\\u0001\\u0009\\u000a\\u001f\\u007f" },
		{ "%n%s", "%n%s" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		/* no UTF-8: cut short, stray, overlong, surrogate, too large */
		{ "\xc3", "?" },
		{ "\xe2\x82x", "?\?x" },
		{ "\x80\xbf", "?\?" },
		{ "\xc0\x80\xc1\xbf", "?\?\?\?" },
		{ "\xe0\x80\x80", "?\?\?" },
		{ "\xed\xa0\x80", "?\?\?" },
		{ "\xf0\x80\x80\x80", "?\?\?\?" },
		{ "\xf4\x90\x80\x80", "?\?\?\?" },
		{ "\xf5\xff", "?\?" },
		{ "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		  "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char *got = name_in_line(row[i].name);

		assert_string_equal(got, row[i].want);
		free(got);
	}
}

static void a_string_is_cut_at_256_bytes_between_characters(void **state)
{
	char name[400], *got;

	(void)state;
	memset(name, 'a', sizeof(name));
	name[300] = '\0';
	got = name_in_line(name);
	assert_int_equal(strlen(got), 256);
	free(got);
	name[256] = '\0';
	got = name_in_line(name);
	assert_string_equal(got, name);
	free(got);
	/* a character of three bytes from 254 on still fits, not from 255 on */
	for (int at = 253; at < 257; at++) {
		memset(name, 'a', sizeof(name));
		memcpy(name + at, "\xe2\x82\xac", 3);
		name[300] = '\0';
		got = name_in_line(name);
		assert_int_equal(strlen(got), at == 253	  ? 256
					      : at == 256 ? 256
							  : at);
		free(got);
	}
}

static void random_bytes_give_a_line_of_json(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int i = 0; i < 300; i++) {
		char name[400], *got;
		size_t n = 1 + cs_test_draw(&seed, sizeof(name) - 1);

		for (size_t k = 0; k < n; k++)
			name[k] = (char)(1 +
					 cs_test_draw(&seed, i % 2 ? 255 : 40));
		name[n - 1] = '\0';
		if (!*name)
			continue;
		got = name_in_line(name);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(numbers_that_json_lacks_are_null),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(
			a_string_is_cut_at_256_bytes_between_characters),
		cmocka_unit_test(random_bytes_give_a_line_of_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
