/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problem.  Real logs have lines with unknown values, words where a number belongs,
 * fields too many or too few.  A simulation needs eleven of the 18 fields only; it must
 * not refuse a job for the others, nor guess one of those that it needs.
 *
 * Rules.
 *  1. Fields that no simulation uses (average cpu time, used and requested memory,
 *     preceding job, think time) may hold anything; so may the wait time, which is then
 *     unknown, and the allocated processors where others are requested.
 *  2. -1, and a word for "no value" (nan, NA, N/A, null, none, -, ?), is an unknown
 *     value; so is a status that is no number.
 *  3. Any other word in a field that is used makes the line unreadable.
 *  4. The first fault in this order counts: number of fields, unreadable, job number,
 *     submit time, run time, processors, size of the machine.
 *  5. With `strict` rules 1 and 2 do not hold: each of 18 fields is a number.
 *  6. Fields that MoreFields names are numbers from 0 on, or unknown.
 *
 * Differs from the format, which has whole numbers: fractions are read, and powers of ten
 * (1e+05), as some generators write them.
 */
#include "trace_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MILLION 1000000
#define NUMBER_MAX INT64_C(9000000000000) /* times a million, fits an int64_t */
#define NUMBER_MAX_TEXT "9000000000000"
#define UNKNOWN (-MILLION)
#define FIELD_SHOWN 32

/* Values of the status, in millionths. */
#define FAILED 0
#define PARTIAL_FIRST (2 * MILLION) /* to be continued */
#define PARTIAL_LAST (4 * MILLION)  /* 3: completed, 4: killed */
#define CANCELLED (5 * MILLION)

/* Fields, from 0. */
enum {
	F_ID,
	F_SUBMIT,
	F_WAIT,
	F_RUNTIME,
	F_ALLOCATED,
	F_CPU,
	F_MEMORY,
	F_REQUESTED,
	F_ESTIMATE,
	F_REQUESTED_MEMORY,
	F_STATUS,
	F_USER,
	F_GROUP,
	F_EXE,
	F_QUEUE,
	F_PARTITION,
	F_PRECEDING,
	F_THINK
};

/* Of fields that MoreFields names; CS_TRACE_IGNORED is none. */
static const char *const more_name[] = {
	[CS_TRACE_GPUS] = "gpus",
	[CS_TRACE_GPU_SHARE] = "gpu_share",
	[CS_TRACE_GPU_TYPE] = "gpu_type",
	[CS_TRACE_NODES] = "nodes",
};

static const char *const field_name[CS_TRACE_FIELDS] = {
	"job number",
	"submit time",
	"wait time",
	"run time",
	"allocated processors",
	"average cpu time",
	"used memory",
	"requested processors",
	"requested time",
	"requested memory",
	"status",
	"user",
	"group",
	"executable",
	"queue",
	"partition",
	"preceding job",
	"think time",
};

/* ---- text ---------------------------------------------------------------- */

/* A number in another notation, such as 1e+05. */
static const char *power(const char *from, int64_t *ret)
{
	char *end;
	double v = strtod(from, &end);

	if (end == from || !(fabs(v) <= (double)NUMBER_MAX))
		return NULL;
	*ret = llround(v * MILLION);
	return end;
}

const char *cs_trace_number(const char *c, int64_t *ret)
{
	const char *from = c;
	bool minus = *c == '-';
	int64_t v = 0, micro = 0;
	bool any = false;
	unsigned int d;

	c += minus || *c == '+';
	for (; (d = (unsigned int)*c - '0') <= 9; c++) {
		any = true;
		v = v * 10 + d;
		if (v > NUMBER_MAX)
			return NULL;
	}
	if (*c == '.') {
		int64_t unit = MILLION / 10;

		for (c++; (d = (unsigned int)*c - '0') <= 9; c++) {
			any = true;
			micro += d * unit;
			unit /= 10;
		}
	}
	if (!any)
		return NULL;
	if (*c == 'e' || *c == 'E')
		return power(from, ret);
	v = v * MILLION + micro;
	*ret = minus ? -v : v;
	return c;
}

static int length(const char *field)
{
	int n = 0;

	while (!cs_trace_blank(field[n]) && field[n] != '\n')
		n++;
	return n;
}

static bool is_unknown(const char *field, int len)
{
	static const char *const words[] = { "nan",  "na", "n/a", "null",
					     "none", "-",  "?",	  NULL };

	for (const char *const *w = words; *w; w++)
		if ((int)strlen(*w) == len &&
		    !strncasecmp(field, *w, (size_t)len))
			return true;
	return false;
}

void cs_trace_line_scan(struct cs_trace_line *l, const char *c)
{
	l->n = 0;
	for (;;) {
		const char *end;
		unsigned int f = l->n;
		int len;

		while (cs_trace_blank(*c))
			c++;
		if (*c == '\n')
			break;
		if (f <= CS_TRACE_ALL)
			l->field[f] = c;
		l->n++;
		if (f >= CS_TRACE_ALL) {
			c += length(c);
			continue;
		}
		l->is[f] = CS_TRACE_VALUE;
		end = cs_trace_number(c, &l->v[f]);
		if (end && (cs_trace_blank(*end) || *end == '\n')) {
			c = end;
			continue;
		}
		len = length(c);
		l->is[f] =
			is_unknown(c, len) ? CS_TRACE_UNKNOWN : CS_TRACE_WORD;
		l->v[f] = UNKNOWN;
		c += len;
	}
	for (unsigned int f = l->n; f < CS_TRACE_ALL; f++) {
		l->is[f] = CS_TRACE_UNKNOWN;
		l->v[f] = UNKNOWN;
		l->field[f] = c;
	}
}

void cs_trace_line_more(struct cs_trace_line *l, const char *names)
{
	const size_t n_name = sizeof(more_name) / sizeof(*more_name);

	l->n_more = 0;
	while (l->n_more < CS_TRACE_MORE) {
		int len;

		while (cs_trace_blank(*names))
			names++;
		len = length(names);
		if (!len)
			break;
		l->more[l->n_more] = CS_TRACE_IGNORED;
		for (size_t i = CS_TRACE_GPUS; i < n_name; i++)
			if ((int)strlen(more_name[i]) == len &&
			    !strncmp(more_name[i], names, (size_t)len))
				l->more[l->n_more] = (enum cs_trace_more)i;
		l->n_more++;
		names += len;
	}
}

unsigned int cs_trace_line_fields(const char *c)
{
	unsigned int n = 0;

	for (;; n++) {
		while (cs_trace_blank(*c))
			c++;
		if (*c == '\n')
			return n;
		c += length(c);
	}
}

/* ---- faults -------------------------------------------------------------- */

/* Field @f is not what was @expected; a field of a short line is missing. */
static void refuse(const struct cs_trace_line *l, int f, const char *expected,
		   struct cs_err *err)
{
	int n = length(l->field[f]);

	const char *name = f < CS_TRACE_FIELDS
				   ? field_name[f]
				   : more_name[l->more[f - CS_TRACE_FIELDS]];

	cs_err_set(err, -EINVAL,
		   "%s:%llu: field %d (%s) is '%.*s', expected %s", l->name,
		   (unsigned long long)l->line, f + 1, name,
		   n < FIELD_SHOWN ? n : FIELD_SHOWN, l->field[f], expected);
}

static bool fields_fit(const struct cs_trace_line *l, unsigned int fields,
		       struct cs_err *err)
{
	unsigned long long line = l->line;
	int n;

	if (l->n == fields)
		return true;
	for (int f = 0; f < (int)l->n && f < CS_TRACE_FIELDS; f++)
		if (l->is[f] == CS_TRACE_WORD) { /* no line of a job at all */
			refuse(l, f, "a number up to " NUMBER_MAX_TEXT, err);
			return false;
		}
	if (fields != CS_TRACE_FIELDS || l->n_more) {
		cs_err_set(err, -EINVAL,
			   "%s:%llu: %u fields, expected %u as in other lines",
			   l->name, line, l->n, fields);
	} else if (l->n < CS_TRACE_FIELDS) {
		cs_err_set(err, -EINVAL,
			   "%s:%llu: field %u (%s) is missing, expected 18 "
			   "fields",
			   l->name, line, l->n + 1, field_name[l->n]);
	} else {
		n = length(l->field[CS_TRACE_FIELDS]);
		cs_err_set(err, -EINVAL,
			   "%s:%llu: field 19 is '%.*s', expected 18 fields",
			   l->name, line, n < FIELD_SHOWN ? n : FIELD_SHOWN,
			   l->field[CS_TRACE_FIELDS]);
	}
	return false;
}

static bool whole(const struct cs_trace_line *l, int f)
{
	return l->v[f] % MILLION == 0;
}

/* The field with the number of processors. */
static int procs_field(const struct cs_trace_line *l)
{
	return l->v[F_REQUESTED] > 0 ? F_REQUESTED : F_ALLOCATED;
}

/* Rules 1 to 3 and 5: is each field a number that must be one? */
static bool words_fit(const struct cs_trace_line *l, bool strict,
		      struct cs_err *err)
{
	static const bool any[CS_TRACE_FIELDS] = {
		[F_WAIT] = true,   [F_CPU] = true,
		[F_MEMORY] = true, [F_REQUESTED_MEMORY] = true,
		[F_STATUS] = true, [F_PRECEDING] = true,
		[F_THINK] = true,
	};

	for (int f = 0; f < CS_TRACE_FIELDS; f++) {
		if (l->is[f] == CS_TRACE_VALUE)
			continue;
		if (!strict &&
		    (l->is[f] == CS_TRACE_UNKNOWN || any[f] ||
		     (f == F_ALLOCATED && procs_field(l) == F_REQUESTED)))
			continue;
		refuse(l, f, "a number up to " NUMBER_MAX_TEXT, err);
		return false;
	}
	return true;
}

/* Are the values within what a simulation can hold? */
static bool ranges_fit(const struct cs_trace_line *l, bool strict,
		       struct cs_err *err)
{
	static const int times[] = { F_WAIT, F_RUNTIME, F_ESTIMATE };
	static const int small[] = { F_USER, F_GROUP, F_EXE, F_QUEUE,
				     F_PARTITION };
	int by = procs_field(l);

	if (l->v[F_SUBMIT] / MILLION > CS_TRACE_TIME_MAX_S) {
		refuse(l, F_SUBMIT, "0 to 10000000000 s", err);
		return false;
	}
	for (size_t i = strict ? 0 : 1; i < sizeof(times) / sizeof(*times); i++)
		if (l->v[times[i]] / MILLION > CS_TRACE_TIME_MAX_S) {
			refuse(l, times[i], "at most 10000000000 s", err);
			return false;
		}
	for (size_t i = 0; i < sizeof(small) / sizeof(*small); i++) {
		int64_t v = l->v[small[i]] / MILLION;

		if (whole(l, small[i]) && v >= INT32_MIN && v <= INT32_MAX)
			continue;
		refuse(l, small[i], "a whole number up to 2147483647", err);
		return false;
	}
	if (l->v[by] > 0 && !whole(l, by)) {
		refuse(l, by, "a whole number up to 4294967295", err);
		return false;
	}
	return true;
}

/* Field number @more behind the 18th, of a line that may have fewer. */
static int64_t more_of(const struct cs_trace_line *l, uint32_t more)
{
	int64_t v = l->v[CS_TRACE_FIELDS + more] / MILLION;

	return v > 0 ? v : 0;
}

/* Rule 6: are the fields of MoreFields in range? */
static bool more_fit(const struct cs_trace_line *l, struct cs_err *err)
{
	static const int64_t most[] = { [CS_TRACE_GPUS] = UINT32_MAX,
					[CS_TRACE_GPU_SHARE] = 1000,
					[CS_TRACE_GPU_TYPE] = INT32_MAX,
					[CS_TRACE_NODES] = UINT32_MAX };

	for (uint32_t i = 0; i < l->n_more; i++) {
		int f = CS_TRACE_FIELDS + (int)i;

		if (l->more[i] == CS_TRACE_IGNORED ||
		    l->is[f] == CS_TRACE_UNKNOWN)
			continue;
		if (l->is[f] == CS_TRACE_VALUE && whole(l, f) &&
		    more_of(l, i) <= most[l->more[i]])
			continue;
		refuse(l, f,
		       l->more[i] == CS_TRACE_GPU_SHARE
			       ? "a whole number up to 1000"
			       : "a whole number",
		       err);
		return false;
	}
	return true;
}

static void take_more(const struct cs_trace_line *l, struct cs_trace_job *j)
{
	for (uint32_t i = 0; i < l->n_more; i++) {
		int64_t v = more_of(l, i);

		if (l->more[i] == CS_TRACE_GPUS)
			j->gpus = (uint32_t)v;
		else if (l->more[i] == CS_TRACE_GPU_SHARE)
			j->gpu_share = v < 1000 ? (uint32_t)v : 0;
		else if (l->more[i] == CS_TRACE_GPU_TYPE)
			j->gpu_type = (int32_t)v;
		else if (l->more[i] == CS_TRACE_NODES)
			j->nodes = (uint32_t)v;
	}
}

static enum cs_trace_skip size_of(const struct cs_trace_line *l,
				  uint64_t max_procs, struct cs_err *err)
{
	int by = procs_field(l);
	uint64_t procs = (uint64_t)(l->v[by] / MILLION);
	char expected[80];

	if (l->v[by] <= 0) {
		refuse(l, by, "1 or more here or in field 8", err);
		return CS_TRACE_NO_PROCS;
	}
	if (max_procs && procs > max_procs) {
		snprintf(expected, sizeof(expected),
			 "at most %llu, the machine's",
			 (unsigned long long)max_procs);
		refuse(l, by, expected, err);
		return CS_TRACE_LARGE;
	}
	if (procs > UINT32_MAX) {
		refuse(l, by, "a whole number up to 4294967295", err);
		return CS_TRACE_UNREADABLE;
	}
	return CS_TRACE_SKIPS;
}

/* ---- the job ------------------------------------------------------------- */

static void fill(const struct cs_trace_line *l, enum cs_estimates estimates,
		 struct cs_trace_job *j)
{
	int64_t wait = l->v[F_WAIT], status = l->v[F_STATUS];

	j->procs = (uint32_t)(l->v[procs_field(l)] / MILLION);
	j->submit_us = l->v[F_SUBMIT];
	j->wait_us =
		wait < 0 || wait / MILLION > CS_TRACE_TIME_MAX_S ? -1 : wait;
	j->runtime_us = j->estimate_us = l->v[F_RUNTIME];
	if (l->v[F_ESTIMATE] > 0)
		j->estimate_us = l->v[F_ESTIMATE];
	if (j->runtime_us > j->estimate_us)
		j->runtime_us = j->estimate_us;
	if (estimates == CS_ESTIMATES_EXACT)
		j->estimate_us = j->runtime_us;
	j->failed = status == FAILED || status == CANCELLED;
	j->user = (int32_t)(l->v[F_USER] / MILLION);
	j->group = (int32_t)(l->v[F_GROUP] / MILLION);
	j->exe = (int32_t)(l->v[F_EXE] / MILLION);
	j->queue = (int32_t)(l->v[F_QUEUE] / MILLION);
	j->partition = (int32_t)(l->v[F_PARTITION] / MILLION);
}

enum cs_trace_skip cs_trace_line_job(const struct cs_trace_line *l,
				     unsigned int fields,
				     const struct cs_trace_options *options,
				     struct cs_trace_job *ret,
				     struct cs_err *err)
{
	enum cs_trace_skip skip;

	memset(ret, 0,
	       sizeof(*ret)); /* gaps, too: traces are compared as bytes */
	if (!fields_fit(l, fields, err))
		return CS_TRACE_WIDTH;
	if (!words_fit(l, options->strict, err) ||
	    !ranges_fit(l, options->strict, err) || !more_fit(l, err))
		return CS_TRACE_UNREADABLE;
	if (!whole(l, F_ID) || l->v[F_ID] <= 0 ||
	    l->v[F_ID] / MILLION > UINT32_MAX) {
		refuse(l, F_ID, "a whole number from 1 to 4294967295", err);
		return CS_TRACE_NO_NUMBER;
	}
	ret->id = (uint32_t)(l->v[F_ID] / MILLION);
	ret->line = l->line < UINT32_MAX ? (uint32_t)l->line : UINT32_MAX;
	if (l->v[F_SUBMIT] < 0) {
		refuse(l, F_SUBMIT, "0 to 10000000000 s", err);
		return CS_TRACE_NO_SUBMIT;
	}
	if (l->v[F_RUNTIME] <= 0) {
		refuse(l, F_RUNTIME, "more than 0 s", err);
		return CS_TRACE_NO_RUNTIME;
	}
	skip = size_of(l, options->max_procs, err);
	if (skip != CS_TRACE_SKIPS)
		return skip;
	fill(l, options->estimates, ret);
	take_more(l, ret);
	return skip;
}

bool cs_trace_line_partial(const struct cs_trace_line *l)
{
	return l->v[F_STATUS] == PARTIAL_FIRST ||
	       l->v[F_STATUS] == PARTIAL_FIRST + MILLION ||
	       l->v[F_STATUS] == PARTIAL_LAST;
}
