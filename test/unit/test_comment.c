/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our part of a job's comment: written beside what others have there, and read again
 * (view/comment.c). */
#include "cs_test.h"

#include "sched/view/comment.h"

static void our_part_of_a_comment(void **state)
{
	static const struct {
		const char *old;
		struct cs_comment part;
		const char *want;
	} row[] = {
		{ NULL, { "x", NULL, NULL }, "cosched: x" },
		{ NULL, { "", "", "" }, "" },
		{ NULL, { NULL, NULL, NULL }, "" },
		{ "", { "x", NULL, NULL }, "cosched: x" },
		{ "site", { "x", NULL, NULL }, "site; cosched: x" },
		{ "site", { NULL, NULL, NULL }, "site" },
		{ "site; cosched: y", { "x", NULL, NULL }, "site; cosched: x" },
		{ "site; cosched: y", { "", NULL, NULL }, "site" },
		{ "cosched: y; z", { "x", NULL, NULL }, "cosched: x" },
		{ "cosched: y", { "", "", "" }, "" },
		{ "cosched: ; ; ",
		  { NULL, "stopped 1", NULL },
		  "cosched: ; ; ; stopped 1" },
		{ "%s%n", { "x", NULL, NULL }, "%s%n; cosched: x" },
		{ NULL, { NULL, "stopped 1", NULL }, "cosched: stopped 1" },
		{ "site",
		  { NULL, "stopped 1", NULL },
		  "site; cosched: stopped 1" },
		{ "cosched: y, z",
		  { NULL, "stopped 1", NULL },
		  "cosched: y, z; stopped 1" },
		{ "site; cosched: y; stopped 1",
		  { NULL, "stopped 2", NULL },
		  "site; cosched: y; stopped 2" },
		{ "site; cosched: y; stopped 1",
		  { "x", NULL, NULL },
		  "site; cosched: x; stopped 1" },
		{ "cosched: stopped 1",
		  { "x", NULL, NULL },
		  "cosched: x; stopped 1" },
		{ "cosched: stopped 1",
		  { NULL, "stopped 2", NULL },
		  "cosched: stopped 2" },
		{ "cosched: y; stopped 1",
		  { NULL, NULL, NULL },
		  "cosched: y; stopped 1" },
		{ "site, stopped 9; cosched: y; stopped 1",
		  { "", "", NULL },
		  "site, stopped 9" },
		{ NULL,
		  { NULL, NULL, "limit raised from 5 to 6 min" },
		  "cosched: limit raised from 5 to 6 min" },
		{ "cosched: y; stopped 1",
		  { NULL, NULL, "limit raised from 5 to 6 min" },
		  "cosched: y; stopped 1; limit raised from 5 to 6 min" },
		{ "cosched: y; stopped 1; limit raised from 5 to 6 min",
		  { NULL, "", NULL },
		  "cosched: y; limit raised from 5 to 6 min" },
		{ "cosched: y; limit raised from 5 to 6 min",
		  { NULL, "stopped 1", NULL },
		  "cosched: y; stopped 1; limit raised from 5 to 6 min" },
		{ "cosched: limit raised from 5 to 6 min",
		  { "y", NULL, NULL },
		  "cosched: y; limit raised from 5 to 6 min" },
		{ "site; cosched: y; limit raised from 5 to 6 min",
		  { NULL, NULL, "" },
		  "site; cosched: y" },
	};
	char buf[64], small[9];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		int n = cs_comment_with(row[i].old, &row[i].part, buf,
					sizeof(buf));

		assert_string_equal(buf, row[i].want);
		assert_int_equal(n, strlen(row[i].want));
		assert_int_equal(cs_comment_with(row[i].old, &row[i].part,
						 small, sizeof(small)),
				 n);
		assert_int_equal(strlen(small), n < 8 ? n : 8);
		assert_memory_equal(small, row[i].want, strlen(small));
	}
}

/* Only what it says of the limit that the job has. */
static void a_comment_tells_of_a_raise(void **state)
{
	static const struct {
		const char *text;
		uint32_t limit, want;
	} row[] = {
		{ NULL, 6, 0 },
		{ "", 6, 0 },
		{ "limit raised from 5 to 6 min", 6, 0 }, /* not ours */
		{ "cosched: limit raised from 5 to 6 min", 6, 5 },
		{ "site; cosched: x; stopped 1; limit raised from 5 to 6 min",
		  6, 5 },
		{ "cosched: limit raised from 5 to 6 min", 7, 0 },
		{ "cosched: limit raised from 6 to 6 min", 6, 0 },
		{ "cosched: limit raised from 7 to 6 min", 6, 0 },
		{ "cosched: limit raised from 0 to 6 min", 6, 0 },
		{ "cosched: limit raised from -5 to 6 min", 6, 0 },
		{ "cosched: limit raised from 5 to 6 min; x", 6, 0 },
		{ "cosched: limit raised from 99999999999 to 6 min", 6, 0 },
		{ "cosched: limit raised from ", 6, 0 },
	};
	char text[CS_COMMENT_LIMIT];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(
			cs_comment_raised_from(row[i].text, row[i].limit),
			row[i].want);
	cs_comment_limit(text, 5, 6);
	assert_string_equal(text, "limit raised from 5 to 6 min");
	cs_comment_limit(text, 0, 6);
	assert_string_equal(text, "");
	cs_comment_limit(text, UINT32_MAX - 1, UINT32_MAX);
	assert_int_equal(strlen(text),
			 sizeof("limit raised from  to  min") - 1 + 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_part_of_a_comment),
		cmocka_unit_test(a_comment_tells_of_a_raise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
