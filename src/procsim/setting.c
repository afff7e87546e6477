/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procsim/setting.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROW(field, kind, unit, standard, low, high, names, source, text)       \
	{ #field, CS_SETTING_##kind, unit, standard, low, high, names, source, \
	  text },
static const struct cs_setting_row rows[] = { CS_SETTING_TABLE(ROW) };
#define PLACE(field, ...) offsetof(struct cs_setting, field),
static const size_t place[] = { CS_SETTING_TABLE(PLACE) };

#define N_ROW (sizeof(rows) / sizeof(*rows))

const struct cs_setting_row *cs_setting_row(unsigned i)
{
	return i < N_ROW ? &rows[i] : NULL;
}

/* The number of @value in the list @names; -1: it is none of them. */
static int choice_of(const char *names, const char *value)
{
	size_t length = strlen(value);

	for (int i = 0;; i++) {
		size_t n = strcspn(names, "|");

		if (n == length && !memcmp(names, value, n))
			return i;
		if (!names[n])
			return -1;
		names += n + 1;
	}
}

static int set_choice(void *at, const struct cs_setting_row *r,
		      const char *value, struct cs_err *err)
{
	int i = choice_of(r->names, value);

	if (i < 0)
		return cs_err_set(err, -EINVAL,
				  "%s is '%.60s', expected one of %s", r->key,
				  value, r->names);
	memcpy(at, &i, sizeof(i));
	return 0;
}

static int set_number(void *at, const struct cs_setting_row *r,
		      const char *value, struct cs_err *err)
{
	bool whole = r->kind == CS_SETTING_WHOLE;
	const char *digits = whole ? "0123456789" : "0123456789.e-";
	char *end;
	double x = strtod(value, &end);
	int64_t n;

	if (!*value || value[strspn(value, digits)] || *end || !(x >= r->low) ||
	    !(x <= r->high))
		return cs_err_set(err, -EINVAL,
				  "%s is '%.60s', expected a %snumber from %g "
				  "to %g",
				  r->key, value, whole ? "whole " : "", r->low,
				  r->high);
	n = (int64_t)x;
	if (whole)
		memcpy(at, &n, sizeof(n));
	else
		memcpy(at, &x, sizeof(x));
	return 0;
}

static int set_row(struct cs_setting *s, unsigned i, const char *value,
		   struct cs_err *err)
{
	void *at = (char *)s + place[i];

	return rows[i].kind == CS_SETTING_CHOICE
		       ? set_choice(at, &rows[i], value, err)
		       : set_number(at, &rows[i], value, err);
}

void cs_setting_defaults(struct cs_setting *s)
{
	memset(s, 0, sizeof(*s));
	for (unsigned i = 0; i < N_ROW; i++)
		set_row(s, i, rows[i].standard, NULL);
}

int cs_setting_set(struct cs_setting *s, const char *text, struct cs_err *err)
{
	size_t n = strcspn(text, "=");

	if (!text[n])
		return cs_err_set(err, -EINVAL,
				  "setting '%.60s', expected KEY=VALUE", text);
	for (unsigned i = 0; i < N_ROW; i++)
		if (strlen(rows[i].key) == n && !memcmp(rows[i].key, text, n))
			return set_row(s, i, text + n + 1, err);
	return cs_err_set(err, -EINVAL,
			  "no key '%.*s', expected one of those that --keys "
			  "lists",
			  n < 60 ? (int)n : 60, text);
}

int cs_setting_check(const struct cs_setting *s, struct cs_err *err)
{
	const double share[] = {
		s->j1_compute + s->j1_communicate,
		s->j2_compute + s->j2_communicate,
		s->j3_compute + s->j3_communicate,
		s->j4_compute + s->j4_communicate,
	};

	if (s->size_min > s->size_max)
		return cs_err_set(err, -EINVAL,
				  "size_min is %lld, expected size_max, %lld, "
				  "or less",
				  (long long)s->size_min,
				  (long long)s->size_max);
	if (s->size_max > s->nodes)
		return cs_err_set(err, -EINVAL,
				  "size_max is %lld, expected nodes, %lld, or "
				  "less",
				  (long long)s->size_max, (long long)s->nodes);
	for (int i = 0; i < 4; i++)
		if (share[i] > 100)
			return cs_err_set(err, -EINVAL,
					  "j%d_compute and j%d_communicate are "
					  "%g %%, expected 100 %% or less",
					  i + 1, i + 1, share[i]);
	return 0;
}
