/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problem.  A local time without an offset may mean two instants, an hour apart, when the
 * clock is set back; mktime() picks one by what it was asked before.
 *
 * Rule.  With w the time as if it were UTC, and o(t) the local offset at t, the candidates
 * are w - o(w - 1 day) and w - o(w + 1 day), earlier first; those count whose local time
 * is w.  If none does, the time is one that the clock left out, and the first is taken.
 * Example: 2023-10-29T02:20 in Berlin: o = 7200 the day before, 3600 the day after, so
 * 00:20Z and 01:20Z.
 */
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

/* timegm() takes 31 February for 3 March; a day of the calendar stays. */
static bool is_day(const struct tm *tm)
{
	struct tm day = { .tm_year = tm->tm_year,
			  .tm_mon = tm->tm_mon,
			  .tm_mday = tm->tm_mday };

	timegm(&day);
	return day.tm_mon == tm->tm_mon && day.tm_mday == tm->tm_mday;
}

/* ---- zones --------------------------------------------------------------- */

/* The time @tm as if it were UTC. */
static int64_t as_utc(const struct tm *tm)
{
	struct tm copy = *tm;

	return timegm(&copy);
}

/* One more instant, @s seconds since 1970, that the text may mean. */
static void may_be(struct cs_import_times *t, int64_t s)
{
	if (s >= 0 && s <= CS_TRACE_TIME_MAX_S &&
	    (!t->n || t->us[0] != s * SECOND_US))
		t->us[t->n++] = s * SECOND_US;
}

/* The instants at which the local clock shows @tm; only those in the zone with the
 * abbreviation @zone unless it is "". */
static int local(const struct tm *tm, const char *zone,
		 struct cs_import_times *ret)
{
	struct cs_import_times t = { .n = 0 };
	int64_t wall = as_utc(tm), skipped = 0;

	for (int side = -1; side <= 1; side += 2) {
		time_t near = wall + side * 86400;
		struct tm at;

		if (!localtime_r(&near, &at))
			return -EINVAL;
		near = wall - at.tm_gmtoff;
		if (side < 0)
			skipped = near;
		if (!localtime_r(&near, &at))
			return -EINVAL;
		if (as_utc(&at) == wall &&
		    (!*zone || !strcmp(zone, at.tm_zone)))
			may_be(&t, near);
	}
	if (!t.n && !*zone)
		may_be(&t, skipped);
	if (!t.n)
		return -EINVAL;
	*ret = t;
	return 0;
}

static int at_offset(const struct tm *tm, int64_t offset_s,
		     struct cs_import_times *ret)
{
	struct cs_import_times t = { .n = 0 };

	may_be(&t, as_utc(tm) - offset_s);
	if (!t.n)
		return -EINVAL;
	*ret = t;
	return 0;
}

/* The local or other zone's time @tm; the text goes on with its zone at @c, or ends. */
static int in_zone(const struct tm *tm, const char *c,
		   struct cs_import_times *ret)
{
	static const char *const utc[] = { "Z", "UTC", "GMT", NULL };
	int hours, minutes = 0, sign;

	while (*c == ' ')
		c++;
	if (is_one_of(c, utc))
		return at_offset(tm, 0, ret);
	if (*c != '+' && *c != '-')
		return local(tm, c, ret);
	sign = *c++ == '-' ? -1 : 1;
	hours = some(&c, 2, 0);
	if (hours >= 0 && *c) {
		c += *c == ':';
		minutes = some(&c, 2, 0);
	}
	if (*c || hours < 0 || hours > 18 || minutes < 0 || minutes > 59)
		return -EINVAL;
	return at_offset(tm, sign * (hours * 3600 + minutes * 60), ret);
}

/* ---- forms --------------------------------------------------------------- */

/* HH:MM[:SS] at *at.  false: none. */
static bool clock_time(const char **at, struct tm *tm)
{
	const char *c = *at;

	tm->tm_hour = some(&c, 2, ':');
	tm->tm_min = tm->tm_hour < 0 ? -1 : some(&c, 2, 0);
	if (tm->tm_min >= 0 && *c == ':') {
		c++;
		tm->tm_sec = some(&c, 2, 0);
	}
	*at = c;
	return tm->tm_hour >= 0 && tm->tm_hour <= 23 && tm->tm_min >= 0 &&
	       tm->tm_min <= 59 && tm->tm_sec >= 0 && tm->tm_sec <= 60;
}

/* Standard, with what ISO 8601 adds to it. */
static int standard(const char *c, struct cs_import_times *ret)
{
	struct tm tm = { .tm_year = 0 };
	int64_t us = 0;
	int rc;

	tm.tm_year = some(&c, 4, '-') - 1900;
	tm.tm_mon = tm.tm_year < 0 ? -1 : some(&c, 2, '-') - 1;
	tm.tm_mday = tm.tm_mon < 0 ? -1 : some(&c, 2, 0);
	if (!is_day(&tm))
		return -EINVAL;
	if (*c == 'T' || (*c == ' ' && c[1] >= '0' && c[1] <= '9')) {
		c++;
		if (!clock_time(&c, &tm))
			return -EINVAL;
		us = fraction(&c);
	} else if (*c) {
		return -EINVAL;
	}
	rc = in_zone(&tm, c, ret);
	for (int i = 0; !rc && i < ret->n; i++)
		ret->us[i] += us;
	return rc;
}

/* The index of the word at *at in "SunMonTue..."; -1: none. */
static int name_index(const char **at, const char *names)
{
	for (int i = 0; names[3 * i]; i++)
		if (!strncmp(*at, names + 3 * i, 3) && (*at)[3] == ' ') {
			*at += 4;
			return i;
		}
	return -1;
}

/* @day of @tm by its weekday: 2 to 6 days ahead. */
static bool ahead(struct tm *tm, int weekday)
{
	int days = (weekday - tm->tm_wday + 7) % 7;

	tm->tm_mday += days;
	return days >= 2;
}

/* "14 Nov HH:MM", "14 Nov 2022"; *at is left at the time of day, or at the end. */
static bool day_and_month(const char **at, struct tm *tm)
{
	const char *c = *at;
	int64_t day = digits(&c);

	if (day < 1 || day > 31 || *c++ != ' ')
		return false;
	tm->tm_mday = (int)day;
	tm->tm_mon = name_index(&c, "JanFebMarAprMayJunJulAugSepOctNovDec");
	if (tm->tm_mon < 0)
		return false;
	*at = c;
	if (c[0] && c[1] && c[2] != ':') {
		tm->tm_year = some(at, 4, 0) - 1900;
		return tm->tm_year >= 0 && !**at && is_day(tm);
	}
	return is_day(tm);
}

/* SLURM_TIME_FORMAT=relative, of a text written at @written_s. */
static int relative(const char *c, int64_t written_s,
		    struct cs_import_times *ret)
{
	time_t now = (time_t)written_s;
	struct tm tm;
	int weekday;

	if (!localtime_r(&now, &tm))
		return -EINVAL;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	if (!strncmp(c, "Ystday ", 7)) {
		tm.tm_mday--;
		c += 7;
	} else if (!strncmp(c, "Tomorr ", 7)) {
		tm.tm_mday++;
		c += 7;
	} else if ((weekday = name_index(&c, "SunMonTueWedThuFriSat")) >= 0) {
		if (!ahead(&tm, weekday))
			return -EINVAL;
	} else if (strchr(c, ' ') && !day_and_month(&c, &tm)) {
		return -EINVAL;
	} else if (!*c) {
		return local(&tm, "", ret);
	}
	if (!clock_time(&c, &tm) || *c)
		return -EINVAL;
	return local(&tm, "", ret);
}

/* Does @format speak of a day in a way of which strptime() makes none? */
static bool names_day(const char *format)
{
	static const char *const of[] = { "%a", "%A", "%u", "%w",
					  "%G", "%V", NULL };

	for (int i = 0; of[i]; i++)
		if (strstr(format, of[i]))
			return true;
	return false;
}

/* A format of the site's own.  strptime() reads an offset, but no abbreviation of a zone:
 * that may stand at the end. */
static int formatted(const char *text, const struct cs_import_clock *clock,
		     struct cs_import_times *ret)
{
	enum { NO_YEAR = -10000 };
	size_t len = strlen(clock->format);
	bool zone = len > 2 && !strcmp(clock->format + len - 2, "%Z");
	const char *last = zone ? strrchr(text, ' ') : NULL;
	char format[CS_IMPORT_FORMAT_MAX], *end;
	struct tm tm = { .tm_year = NO_YEAR }, today;
	time_t now = (time_t)clock->written_s;
	int64_t offset_s;

	if (len >= sizeof(format) || !localtime_r(&now, &today))
		return -EINVAL;
	memcpy(format, clock->format, len + 1);
	if (zone)
		format[len - 2] = '\0';
	end = strptime(text, format, &tm);
	if (!end || (last ? end != last + 1 : *end))
		return -EINVAL;
	if (!tm.tm_mday && names_day(format))
		return -EINVAL;
	if (!tm.tm_mday) {
		tm.tm_mday = today.tm_mday;
		tm.tm_mon = today.tm_mon;
	}
	offset_s = tm.tm_gmtoff;
	if (tm.tm_year == NO_YEAR) {
		tm.tm_year = today.tm_year;
		tm.tm_year -= as_utc(&tm) > as_utc(&today) + 86400;
	}
	if (!is_day(&tm))
		return -EINVAL;
	return strstr(format, "%z") ? at_offset(&tm, offset_s, ret)
				    : in_zone(&tm, end, ret);
}

/* Seconds since 1970.  False: it is something else. */
static bool epoch(const char *text, struct cs_import_times *ret)
{
	struct cs_import_times t = { .n = 1 };

	if (text[strspn(text, "0123456789")] || strlen(text) > 10)
		return false;
	for (; *text; text++)
		t.us[0] = t.us[0] * 10 + (*text - '0');
	t.us[0] *= SECOND_US;
	*ret = t;
	return true;
}

int cs_import_times(const char *text, const struct cs_import_clock *clock,
		    struct cs_import_times *ret)
{
	static const char *const none[] = { "", "Unknown", "None", "N/A",
					    NULL };
	const char *format = clock ? clock->format : NULL;

	if (is_one_of(text, none)) {
		ret->n = 0;
		return 0;
	}
	/* digits may be of a format, too: %y%m%d%H%M */
	if ((!format || strstr(format, "%s")) && epoch(text, ret))
		return 0;
	if (format && !formatted(text, clock, ret))
		return 0;
	if (epoch(text, ret))
		return 0;
	if (!standard(text, ret))
		return 0;
	return clock ? relative(text, clock->written_s, ret) : -EINVAL;
}

int cs_import_instant(const char *text, int64_t *ret)
{
	struct cs_import_times t;
	int rc = cs_import_times(text, NULL, &t);

	if (!rc)
		*ret = t.n ? t.us[0] : CS_IMPORT_NONE;
	return rc;
}
