/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/sacct_time.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sim/trace.h"

#define SECOND_US INT64_C(1000000)
#define MAX_US (CS_TRACE_TIME_MAX_S * SECOND_US)

/* The digits at *at, at most nine; -1: none, or more. */
static int64_t digits(const char **at)
{
	const char *c = *at;
	int64_t v = 0;

	for (; *c >= '0' && *c <= '9' && c - *at < 10; c++)
		v = v * 10 + (*c - '0');
	if (c == *at || c - *at > 9)
		return -1;
	*at = c;
	return v;
}

/* ".123" at *at in microseconds; 0: none. */
static int64_t fraction(const char **at)
{
	int64_t us = 0, unit = SECOND_US / 10;
	const char *c = *at;

	if (*c != '.')
		return 0;
	for (c++; *c >= '0' && *c <= '9'; c++) {
		us += (*c - '0') * unit;
		unit /= 10;
	}
	*at = c;
	return us;
}

int cs_import_elapsed(const char *text, int64_t *ret)
{
	int64_t part[3], days = 0, s, us;
	const char *c = text;
	bool has_days;
	int n = 0;

	has_days = strchr(c, '-');
	if (has_days) {
		days = digits(&c);
		if (days < 0 || *c++ != '-')
			return -EINVAL;
	}
	do {
		part[n] = digits(&c);
		if (part[n] < 0)
			return -EINVAL;
	} while (++n < 3 && *c == ':' && c++);
	us = fraction(&c);
	if (*c || (n < 2 && !has_days) || (n > 1 && part[1] > 59) ||
	    (n > 2 && part[2] > 59))
		return -EINVAL;
	if (has_days || n == 3)
		s = part[0] * 3600 + (n > 1 ? part[1] * 60 : 0) +
		    (n > 2 ? part[2] : 0);
	else
		s = part[0] * 60 + part[1];
	if (days > CS_TRACE_TIME_MAX_S / 86400)
		return -EINVAL;
	s += days * 86400;
	if (s > CS_TRACE_TIME_MAX_S)
		return -EINVAL;
	*ret = s * SECOND_US + us;
	return 0;
}

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(text, *words))
			return true;
	return false;
}

static bool no_limit(const char *text)
{
	static const char *const words[] = { "", "UNLIMITED", "Partition_Limit",
					     "INVALID", NULL };

	return is_one_of(text, words);
}

int cs_import_limit(const char *text, int64_t *ret)
{
	if (!no_limit(text))
		return cs_import_elapsed(text, ret);
	*ret = CS_IMPORT_NONE;
	return 0;
}

int cs_import_count(const char *text, int64_t unit_us, int64_t *ret)
{
	const char *c = text;
	int64_t v;

	if (no_limit(text)) {
		*ret = CS_IMPORT_NONE;
		return 0;
	}
	v = digits(&c);
	if (v < 0 || *c || v > MAX_US / unit_us)
		return -EINVAL;
	*ret = v * unit_us;
	return 0;
}

/* @n digits at *at, followed by @stop (0: anything); -1: not found. */
static int some(const char **at, int n, char stop)
{
	int v = 0;

	for (int i = 0; i < n; i++, (*at)++) {
		if (**at < '0' || **at > '9')
			return -1;
		v = v * 10 + (**at - '0');
	}
	if (stop && *(*at)++ != stop)
		return -1;
	return v;
}

/* mktime() takes 31 February for 3 March; a day of the calendar stays. */
static bool is_day(const struct tm *tm)
{
	struct tm day = { .tm_year = tm->tm_year,
			  .tm_mon = tm->tm_mon,
			  .tm_mday = tm->tm_mday };

	timegm(&day);
	return day.tm_mon == tm->tm_mon && day.tm_mday == tm->tm_mday;
}

int cs_import_instant(const char *text, int64_t *ret)
{
	static const char *const none[] = { "", "Unknown", "None", "N/A",
					    NULL };
	struct tm tm = { .tm_isdst = -1 };
	const char *c = text;
	int64_t t;

	if (is_one_of(text, none)) {
		*ret = CS_IMPORT_NONE;
		return 0;
	}
	if (!text[strspn(text, "0123456789")] && strlen(text) <= 10) {
		for (t = 0; *c; c++)
			t = t * 10 + (*c - '0');
		*ret = t * SECOND_US;
		return 0;
	}
	tm.tm_year = some(&c, 4, '-') - 1900;
	tm.tm_mon = tm.tm_year < 0 ? -1 : some(&c, 2, '-') - 1;
	tm.tm_mday = tm.tm_mon < 0 ? -1 : some(&c, 2, 0);
	if (!is_day(&tm))
		return -EINVAL;
	if (*c == 'T') {
		c++;
		tm.tm_hour = some(&c, 2, ':');
		tm.tm_min = tm.tm_hour < 0 ? -1 : some(&c, 2, 0);
		if (tm.tm_min >= 0 && *c == ':') {
			c++;
			tm.tm_sec = some(&c, 2, 0);
		}
	}
	if (*c || tm.tm_hour < 0 || tm.tm_hour > 23 || tm.tm_min < 0 ||
	    tm.tm_min > 59 || tm.tm_sec < 0 || tm.tm_sec > 60)
		return -EINVAL;
	t = mktime(&tm);
	if (t < 0 || t > CS_TRACE_TIME_MAX_S)
		return -EINVAL;
	*ret = t * SECOND_US;
	return 0;
}
