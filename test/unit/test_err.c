/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cs_test.h"

#include <errno.h>

#include "common/base/err.h"

static void the_code_comes_back(void **state)
{
	struct cs_err err;

	(void)state;
	assert_int_equal(cs_err_set(&err, -EINVAL, "%s", "x"), -EINVAL);
	assert_int_equal(cs_err_set(NULL, -ENOENT, "%s", "x"), -ENOENT);
	assert_string_equal(err.text, "x");
}

static void bytes_outside_printable_ascii_become_question_marks(void **state)
{
	struct cs_err err;

	(void)state;
	cs_err_set(&err, -EINVAL, "'%s'", "a\n\033[31m\xc3\xa4%n\x7f");
	assert_string_equal(err.text, "'a??[31m??%n?'");
}

static void a_long_text_is_cut_and_terminated(void **state)
{
	char text[2 * CS_ERR_TEXT];
	struct cs_err err;

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	cs_err_set(&err, -EINVAL, "%s", text);
	assert_int_equal(strlen(err.text), CS_ERR_TEXT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_code_comes_back),
		cmocka_unit_test(
			bytes_outside_printable_ascii_become_question_marks),
		cmocka_unit_test(a_long_text_is_cut_and_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
