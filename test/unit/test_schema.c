/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the log's fields, and the manual that describes them (log/schema.c). */
#include "cs_test.h"

#include "common/log/schema.h"

/* What stands in the manual's [] of field @f; NULL: that depends. */
static const char *usual_of(const struct cs_log_field *f)
{
	if (f->form == CS_LOG_BY || f->form == CS_LOG_TEXT)
		return "[]";
	if (f->left == CS_LOG_IF_T)
		return "[t]";
	if (f->left == CS_LOG_IF && f->form == CS_LOG_US && f->usual)
		return "[none]";
	if (f->form == CS_LOG_TRUE)
		return "[false]";
	if (f->left == CS_LOG_IF)
		return f->usual ? "[1]" : "[0";
	return NULL;
}

/* Is there an entry of @key in @manual that begins with @usual? */
static bool documents(const char *manual, const char *key, const char *usual)
{
	char bold[80];

	snprintf(bold, sizeof(bold), "\n.B %s\n", key);
	for (const char *c = manual; (c = strstr(c, bold)); c++)
		if (!strncmp(c + strlen(bold), usual, strlen(usual)))
			return true;
	/* one entry of several fields */
	snprintf(bold, sizeof(bold), " %s", key);
	for (const char *c = manual; (c = strstr(c, "\n.BR ")); c++) {
		const char *end = strchr(c + 1, '\n');
		const char *at = strstr(c, bold);

		if (at && end && at < end &&
		    !strchr("abcdefghijklmnopqrstuvwxyz_", at[strlen(bold)]) &&
		    !strncmp(end + 1, usual, strlen(usual)))
			return true;
	}
	return false;
}

static void the_manual_has_every_field_and_its_default(void **state)
{
	char *manual = cs_test_file("../../../doc/cosched-log.5", NULL);
	size_t n, rows = 0, found = 0;
	const struct cs_log_fields *const *part = cs_log_parts(&n);

	(void)state;
	/* it does not find what is not there */
	assert_false(documents(manual, "no_such_field", ""));
	assert_false(documents(manual, "tasks", "[0"));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < part[i]->n; k++, rows++) {
			const struct cs_log_field *f = &part[i]->field[k];
			const char *usual = usual_of(f);

			if (!documents(manual, f->key, usual ? usual : ""))
				print_error("cosched-log(5) has no field '%s' "
					    "with %s\n",
					    f->key, usual ? usual : "a text");
			else
				found++;
		}
	assert_int_equal(found, rows);
	assert_true(rows > 60);
	free(manual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_manual_has_every_field_and_its_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
