/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters: one value as text, read and printed.
 *
 * A value of each kind:
 *	ENUM	one of the names
 *	INT	decimal digits, '-' before them
 *	REAL	at most 15 digits, '-' before and one '.' among them: such a
 *		number is read by one exact division, the same in every locale
 *	TEXT	any bytes but control ones, fewer than CS_PATH_MAX
 */
#include "params/params_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "params/host_key.h"

#define REAL_DIGITS 15

/* ---- names --------------------------------------------------------------- */

bool cs_param_same(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cs_param_lower(a[i]) != cs_param_lower(b[i]))
			return false;
	return true;
}

bool cs_param_slurms(const char *key, size_t n)
{
	return cs_host_key_find(CS_HOST_LIST_SCHED, key, n) != NULL;
}

int cs_params_set_enum(struct cs_params *p, const char *key, const char *text)
{
	int row = cs_param_find(key, strlen(key)), value;

	if (row < 0 || cs_param_rows[row].kind != CS_PARAM_ENUM)
		return -ENOENT;
	value = cs_param_name(cs_param_rows[row].names, text, strlen(text));
	if (value < 0)
		return -EINVAL;
	*(int *)((char *)p + cs_param_rows[row].offset) = value;
	return 0;
}

/* Index of the @n bytes at @text in the '|'-joined @names, or -1. */
int cs_param_name(const char *names, const char *text, size_t n)
{
	for (int i = 0;; i++) {
		size_t len = cs_param_len(names, '|');

		if (len == n && !memcmp(names, text, n))
			return i;
		if (!names[len])
			return -1;
		names += len + 1;
	}
}

/* ---- reading ------------------------------------------------------------- */

bool cs_param_int(const char *text, size_t n, int64_t *ret)
{
	bool minus = n && *text == '-';
	int64_t v = 0;

	if (n == minus)
		return false;
	for (size_t i = minus; i < n; i++) {
		int d = text[i] - '0';

		if (d < 0 || d > 9 || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, d, &v))
			return false;
	}
	/* built as a negative number, for the wider range */
	if (!minus && __builtin_sub_overflow(0, v, &v))
		return false;
	*ret = v;
	return true;
}

bool cs_param_real(const char *text, size_t n, double *ret)
{
	bool minus = n && *text == '-', point = false;
	int64_t v = 0, scale = 1;
	int digits = 0;

	for (size_t i = minus; i < n; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9' || ++digits > REAL_DIGITS)
			return false;
		v = v * 10 + (text[i] - '0');
		if (point)
			scale *= 10;
	}
	if (!digits)
		return false;
	/* both below 2^53: the quotient is the nearest double */
	*ret = (double)v / (double)scale;
	if (minus && v)
		*ret = -*ret;
	return true;
}

int cs_param_refuse(struct cs_err *err, const struct cs_param_item *it,
		    const char *what)
{
	return cs_err_set(err, -EINVAL, "'%.*s' is '%.*s', expected %.256s",
			  cs_param_shown(it->n_key), it->key,
			  cs_param_shown(it->n_value), it->value, what);
}

static int refuse_range(struct cs_err *err, const struct cs_param_item *it,
			const struct cs_param_row *row)
{
	char what[128];

	snprintf(what, sizeof(what), "a%s from %.16g to %.16g%s%s",
		 row->kind == CS_PARAM_INT ? " whole number" : " number",
		 row->min, row->max, *row->unit ? " " : "", row->unit);
	return cs_param_refuse(err, it, what);
}

static int refuse_name(struct cs_err *err, const struct cs_param_item *it,
		       const struct cs_param_row *row)
{
	char what[128];
	size_t n = 0;

	/* "off|shadow|act" as "off, shadow, act" */
	for (const char *c = row->names; *c && n + 3 < sizeof(what); c++) {
		what[n++] = *c == '|' ? ',' : *c;
		if (*c == '|')
			what[n++] = ' ';
	}
	what[n] = '\0';
	return cs_param_refuse(err, it, what);
}

static int set_text(char **field, const struct cs_param_item *it, bool live,
		    struct cs_err *err)
{
	const struct cs_host_key *slurms;
	char *copy;

	if (it->n_value >= CS_PATH_MAX)
		return cs_err_set(err, -EINVAL,
				  "'%.*s' has %zu bytes, expected less than %d",
				  cs_param_shown(it->n_key), it->key,
				  it->n_value, CS_PATH_MAX);
	for (size_t i = 0; i < it->n_value; i++)
		if ((unsigned char)it->value[i] < ' ' || it->value[i] == 0x7f)
			return cs_param_refuse(err, it,
					       "no control characters");
	slurms = live ? cs_host_key_inside(it->value, it->n_value) : NULL;
	if (slurms)
		return cs_err_set(err, -EINVAL,
				  "'%.*s' is '%.*s', expected a value without "
				  "'%s': Slurm looks for that anywhere in "
				  "SchedulerParameters",
				  cs_param_shown(it->n_key), it->key,
				  cs_param_shown(it->n_value), it->value,
				  slurms->key);
	copy = strndup(it->value, it->n_value);
	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

/* Set the field of @row. */
int cs_param_set(struct cs_params *p, const struct cs_param_row *row,
		 const struct cs_param_item *it, bool live, struct cs_err *err)
{
	void *field = (char *)p + row->offset;
	int64_t whole;
	double real;
	int index;

	switch (row->kind) {
	case CS_PARAM_ENUM:
		index = cs_param_name(row->names, it->value, it->n_value);
		if (index < 0)
			return refuse_name(err, it, row);
		*(int *)field = index;
		return 0;
	case CS_PARAM_INT:
		if (!cs_param_int(it->value, it->n_value, &whole) ||
		    whole < (int64_t)row->min || whole > (int64_t)row->max)
			return refuse_range(err, it, row);
		*(int64_t *)field = whole;
		return 0;
	case CS_PARAM_REAL:
		if (!cs_param_real(it->value, it->n_value, &real) ||
		    real < row->min || real > row->max)
			return refuse_range(err, it, row);
		*(double *)field = real;
		return 0;
	case CS_PARAM_TEXT:
		return set_text((char **)field, it, live, err);
	}
	return -EINVAL;
}

/* ---- printing ------------------------------------------------------------ */

/* The fewest digits after the point that reproduce the number. */
static int print_real(double v, char *buf, size_t size)
{
	const char *minus = v < 0 ? "-" : "";
	double a = v < 0 ? -v : v;
	int64_t n = 0, scale = 1;
	int digits = 0;

	for (;; digits++, scale *= 10) {
		n = (int64_t)(a * (double)scale + .5);
		if ((double)n / (double)scale == a || digits == 12)
			break;
	}
	if (!digits)
		return snprintf(buf, size, "%s%lld", minus, (long long)n);
	return snprintf(buf, size, "%s%lld.%0*lld", minus,
			(long long)(n / scale), digits, (long long)(n % scale));
}

int cs_params_print(const struct cs_params *p, const struct cs_param_row *row,
		    char *buf, size_t size)
{
	const void *field = (const char *)p + row->offset;
	const char *name = row->names, *text;

	switch (row->kind) {
	case CS_PARAM_ENUM:
		for (int i = *(const int *)field; i > 0; i--)
			name += cs_param_len(name, '|') + 1;
		return snprintf(buf, size, "%.*s", (int)cs_param_len(name, '|'),
				name);
	case CS_PARAM_INT:
		return snprintf(buf, size, "%lld",
				(long long)*(const int64_t *)field);
	case CS_PARAM_REAL:
		return print_real(*(const double *)field, buf, size);
	case CS_PARAM_TEXT:
		text = *(char *const *)field;
		return snprintf(buf, size, "%s", text ? text : "");
	}
	return 0;
}
