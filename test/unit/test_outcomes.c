/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How good estimates were. */
#include "cs_test.h"

#include <errno.h>

#include "common/estimate/outcomes.h"

#define S INT64_C(1000000)

/* Job i of ten started at i s, after 100 i s; it was said to wait for 450 s, 400 to 800. */
static void ten_jobs(struct cs_outcomes *o)
{
	*o = (struct cs_outcomes){ 0 };
	for (int i = 1; i <= 10; i++)
		cs_outcomes_add(o, &(struct cs_outcome){ .started_us = i * S,
							 .wait_s = 100. * i,
							 .said_s = 450,
							 .low_s = 400,
							 .high_s = 800,
							 .limits_s = 2000 });
}

static void sums_of_ten_jobs(void **state)
{
	static struct cs_outcomes o;
	struct cs_outcomes_sum x;

	(void)state;
	ten_jobs(&o);
	x = cs_outcomes_sum(&o, 0);
	assert_int_equal(x.jobs, 10);
	assert_int_equal(x.outside, 5); /* 100, 200, 300, 900, 1000 */
	/* off by 50, 50, 150, 150, 250, 250, 350, 350, 450, 550 */
	assert_close(x.error_p50_s, 250, 0);
	assert_close(x.error_p90_s, 450, 0);
	assert_close(x.late_p50_s, 50, 0);
	assert_close(x.error_limits_p50_s, 1400, 0);
	assert_close(x.width_p50_s, 400, 0);
	x = cs_outcomes_sum(&o, 9 * S);
	assert_int_equal(x.jobs, 1);
	assert_close(x.error_p50_s, 550, 0);
	assert_close(x.error_p90_s, 550, 0);
	x = cs_outcomes_sum(&o, 10 * S);
	assert_int_equal(x.jobs, 0);
	assert_close(x.error_p50_s, 0, 0);
}

static void short_waits_do_not_count(void **state)
{
	static struct cs_outcomes o;
	struct cs_outcome x = { .wait_s = 59.9, .said_s = 59.9 };

	(void)state;
	cs_outcomes_add(&o, &x);
	assert_int_equal(o.judged, 0);
	x.said_s = 60;
	cs_outcomes_add(&o, &x);
	x = (struct cs_outcome){ .wait_s = 60 };
	cs_outcomes_add(&o, &x);
	assert_int_equal(o.judged, 2);
	assert_int_equal(o.outside, 2);
}

static char *saved(const struct cs_outcomes *o)
{
	struct cs_textbuf length = { 0 }, t = { 0 };

	cs_outcomes_save(o, "", &length);
	t.size = length.len + 1;
	t.buf = malloc(t.size);
	assert_non_null(t.buf);
	cs_outcomes_save(o, "", &t);
	cs_textbuf_end(&t);
	return t.buf;
}

/* More than are kept: the last ones, and how many there were. */
static void lines_restore_the_last_ones(void **state)
{
	static struct cs_outcomes o, again;
	struct cs_outcome x = { .said_s = 60, .high_s = 100.25 };
	char *text, *other, *save = NULL;

	(void)state;
	for (int i = 0; i < CS_OUTCOMES_KEPT + 20; i++) {
		x.started_us = x.started_us + 1;
		x.wait_s = i % 200;
		cs_outcomes_add(&o, &x);
	}
	assert_int_equal(cs_outcomes_sum(&o, 0).jobs, CS_OUTCOMES_KEPT);
	text = saved(&o);
	other = strdup(text);
	for (char *l = strtok_r(other, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		assert_int_equal(cs_outcomes_restore(&again, l), 0);
	free(other);
	other = saved(&again);
	assert_string_equal(other, text);
	assert_int_equal(again.judged, CS_OUTCOMES_KEPT + 20);
	free(other);
	free(text);
}

/* An interval without an end is kept as long as a line has it. */
static void the_longest_is_restored(void **state)
{
	static struct cs_outcomes o, again;
	struct cs_outcome x = {
		.started_us = 1, .wait_s = 100, .said_s = 9e12, .high_s = 9.2e12
	};
	char *text, *line;

	(void)state;
	cs_outcomes_add(&o, &x);
	text = saved(&o);
	line = strstr(text, "outcome ");
	assert_non_null(line);
	*strchr(line, '\n') = '\0';
	assert_int_equal(cs_outcomes_restore(&again, line), 0);
	assert_close(cs_outcomes_sum(&again, 0).error_p50_s,
		     cs_outcomes_sum(&o, 0).error_p50_s, 0);
	assert_true(cs_outcomes_sum(&o, 0).width_p50_s < 9e12);
	free(text);
}

static void damaged_lines_are_refused(void **state)
{
	static const char *const lines[] = {
		"outcomes",
		"outcomes 1",
		"outcomes 1 2",
		"outcomes 1 -1",
		"outcomes 2305843009213693952 1",
		"outcome",
		"outcome 1 2 3 4 5",
		"outcome 1 2 3 5 4 6",
		"outcome 1 -2 3 4 5 6",
		"outcome 1 2 3 4 5 6 7",
		"outcome 2305843009213693952 2 3 4 5 6",
		"outcome 1 2305843009213693952 3 4 5 6",
		"outcome 1 2 3 4 9223372036854775807 6",
		"outcome 1 2 3 4 5 9223372036854775807",
	};
	static struct cs_outcomes o;

	(void)state;
	assert_int_equal(cs_outcomes_restore(&o, "ratios 1"), -ENOENT);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (cs_outcomes_restore(&o, lines[i]) != -EINVAL)
			fail_msg("\"%s\" is accepted", lines[i]);
	assert_int_equal(o.n, 0);
	assert_int_equal(o.judged, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_ten_jobs),
		cmocka_unit_test(short_waits_do_not_count),
		cmocka_unit_test(lines_restore_the_last_ones),
		cmocka_unit_test(the_longest_is_restored),
		cmocka_unit_test(damaged_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
