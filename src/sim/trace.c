/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problem.  Read a log of a million jobs in less time than its simulation
 * takes, and still report its errors exactly.
 *
 * Rules: those of trace.h.  Every field of a line must be a number, even if the
 * simulator does not use it: a line that lost a field would be read with all
 * others shifted.
 *
 * Source: the Standard Workload Format, version 2.2 (Chapin et al., Benchmarks
 * and Standards for the Evaluation of Parallel Job Schedulers, JSSPP 1999; and
 * the Parallel Workloads Archive's definition).
 *
 * Differs: the format has whole seconds; fractions are also read, as some
 * generators write them.
 *
 * Cost: one pass over the bytes in a buffer that always ends in '\n', so that
 * nothing looks for the end of the line within a field.  A log already in order
 * of submits and ids is not sorted again.
 */
#include "trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "unpack.h"

#define BUF_SIZE (256u << 10) /* the longest line */
#define N_FIELD 18
#define MILLION 1000000
#define NUMBER_MAX INT64_C(9000000000000) /* times a million, fits an int64_t */
#define FAILED 0 /* values of the status, in millionths */
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

static const char *const field_name[N_FIELD] = {
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

struct reader {
	const char *name; /* of the file */
	const struct cs_trace_options *options;
	struct cs_err *err;
	uint64_t line;
	uint64_t lines;		    /* of jobs */
	const char *field[N_FIELD]; /* start of each, in the line */
	int64_t v[N_FIELD];	    /* in millionths */
	struct cs_trace trace;
	size_t cap; /* of trace.job */
};

/* ---------------------------------------------------------------- messages */

#define NAME_SHOWN 100
#define FIELD_SHOWN 32

/* The file's name, or the end of a long one. */
static const char *name_of(const struct reader *r)
{
	size_t n = strlen(r->name);

	return n > NAME_SHOWN ? r->name + n - NAME_SHOWN : r->name;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int shown(const char *field)
{
	int n = 0;

	while (n < FIELD_SHOWN && !blank(field[n]) && field[n] != '\n')
		n++;
	return n;
}

/* Field @f is not what was @expected. */
static int refuse(const struct reader *r, int f, const char *expected)
{
	return cs_err_set(r->err, -EINVAL,
			  "%s:%llu: field %d (%s) is '%.*s', expected %s",
			  name_of(r), (unsigned long long)r->line, f + 1,
			  field_name[f], shown(r->field[f]), r->field[f],
			  expected);
}

static int nomem(const struct reader *r)
{
	return cs_err_set(r->err, -ENOMEM, "%s: no memory", name_of(r));
}

/* ------------------------------------------------------------------ a line */

/*
 * The number at @c, in millionths, to *ret.  Returns the text after it; NULL:
 * none, or too large.
 */
static const char *number(const char *c, int64_t *ret)
{
	bool minus = *c == '-';
	const char *from = c += minus;
	int64_t v = 0, micro = 0;
	unsigned int d;

	for (; (d = (unsigned int)*c - '0') <= 9; c++) {
		v = v * 10 + d;
		if (v > NUMBER_MAX)
			return NULL;
	}
	if (c == from)
		return NULL;
	if (*c == '.') {
		int64_t unit = MILLION / 10;

		for (c++; (d = (unsigned int)*c - '0') <= 9; c++) {
			micro += d * unit;
			unit /= 10;
		}
	}
	v = v * MILLION + micro;
	*ret = minus ? -v : v;
	return c;
}

/* All numbers of the line at @c. */
static int scan(struct reader *r, const char *c)
{
	int f = 0;

	for (;;) {
		const char *end;

		while (blank(*c))
			c++;
		if (*c == '\n')
			break;
		if (f == N_FIELD)
			return cs_err_set(r->err, -EINVAL,
					  "%s:%llu: field 19 is '%.*s', "
					  "expected 18 fields",
					  name_of(r),
					  (unsigned long long)r->line, shown(c),
					  c);
		r->field[f] = c;
		end = number(c, &r->v[f]);
		if (!end || (!blank(*end) && *end != '\n'))
			return refuse(r, f, "a number up to 9000000000000");
		c = end;
		f++;
	}
	if (f == N_FIELD)
		return 0;
	return cs_err_set(r->err, -EINVAL,
			  "%s:%llu: field %d (%s) is missing, expected 18 "
			  "fields",
			  name_of(r), (unsigned long long)r->line, f + 1,
			  field_name[f]);
}

static bool whole(const struct reader *r, int f)
{
	return r->v[f] % MILLION == 0;
}

/* Field @f, a small number without unit, to *ret. */
static int number32(const struct reader *r, int f, int32_t *ret)
{
	int64_t v = r->v[f] / MILLION;

	if (!whole(r, f) || v < INT32_MIN || v > INT32_MAX)
		return refuse(r, f, "a whole number up to 2147483647");
	*ret = (int32_t)v;
	return 0;
}

/* Requirements for every job line, even one left out. */
static int check(const struct reader *r)
{
	static const int times[] = { F_WAIT, F_RUNTIME, F_ESTIMATE };

	if (!whole(r, F_ID) || r->v[F_ID] <= 0 ||
	    r->v[F_ID] / MILLION > UINT32_MAX)
		return refuse(r, F_ID, "a whole number from 1 to 4294967295");
	if (r->v[F_SUBMIT] < 0 ||
	    r->v[F_SUBMIT] / MILLION > CS_TRACE_TIME_MAX_S)
		return refuse(r, F_SUBMIT, "0 to 10000000000 s");
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (r->v[times[i]] / MILLION > CS_TRACE_TIME_MAX_S)
			return refuse(r, times[i], "at most 10000000000 s");
	return 0;
}

/* Room for one job more. */
static int grow(struct reader *r)
{
	if (cs_array_room(&r->trace.job, &r->cap, r->trace.n + 1))
		return nomem(r);
	return 0;
}

/* Is the job left out?  Counts it. */
static bool skip(struct reader *r, int64_t procs)
{
	struct cs_trace_skipped *s = &r->trace.skipped;
	uint64_t max = r->options->max_procs;

	if (r->v[F_RUNTIME] <= 0)
		s->runtime++;
	else if (procs <= 0)
		s->procs++;
	else if (max && (uint64_t)procs > max)
		s->large++;
	else
		return false;
	return true;
}

static int take(struct reader *r)
{
	int by = r->v[F_REQUESTED] > 0 ? F_REQUESTED : F_ALLOCATED;
	int64_t procs = r->v[by] / MILLION;
	struct cs_trace_job *j;
	int rc = check(r);

	if (rc || skip(r, procs))
		return rc;
	if (!whole(r, by) || procs > UINT32_MAX)
		return refuse(r, by, "a whole number up to 4294967295");
	rc = grow(r);
	if (rc)
		return rc;
	j = &r->trace.job[r->trace.n];
	memset(j, 0, sizeof(*j)); /* gaps, too: traces are compared as bytes */
	j->id = (uint32_t)(r->v[F_ID] / MILLION);
	j->procs = (uint32_t)procs;
	j->submit_us = r->v[F_SUBMIT];
	j->wait_us = r->v[F_WAIT] < 0 ? -1 : r->v[F_WAIT];
	j->runtime_us = j->estimate_us = r->v[F_RUNTIME];
	if (r->v[F_ESTIMATE] > 0)
		j->estimate_us = r->v[F_ESTIMATE];
	if (j->runtime_us > j->estimate_us)
		j->runtime_us = j->estimate_us;
	if (r->options->estimates == CS_ESTIMATES_EXACT)
		j->estimate_us = j->runtime_us;
	j->line = r->line < UINT32_MAX ? (uint32_t)r->line : UINT32_MAX;
	j->failed = r->v[F_STATUS] == FAILED || r->v[F_STATUS] == CANCELLED;
	if ((rc = number32(r, F_USER, &j->user)) ||
	    (rc = number32(r, F_GROUP, &j->group)) ||
	    (rc = number32(r, F_EXE, &j->exe)) ||
	    (rc = number32(r, F_QUEUE, &j->queue)) ||
	    (rc = number32(r, F_PARTITION, &j->partition)))
		return rc;
	r->trace.n++;
	return 0;
}

/* The value of header line @c, if its key is @key; else NULL. */
static const char *header(const char *c, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(c, key, n))
		return NULL;
	for (c += n; blank(*c); c++)
		;
	return c;
}

/* "; UnixStartTime: 848444400": the time of submit 0 of the file. */
static int comment(struct reader *r, const char *c)
{
	const char *v;
	int64_t t;

	while (*c == ';' || blank(*c))
		c++;
	v = header(c, "Runtimes:");
	if (v)
		r->trace.packed |= !strncmp(v, "packed", 6);
	v = header(c, "UnixStartTime:");
	if (!v)
		return cs_trace_names_line(&r->trace.names, c) ? nomem(r) : 0;
	c = v;
	if (number(c, &t) && t >= 0 && t / MILLION <= CS_TRACE_TIME_MAX_S)
		r->trace.unix_start_s = t / MILLION;
	return 0;
}

/* The line at @c, which ends in '\n'. */
static int line(struct reader *r, const char *c)
{
	int rc;

	r->line++;
	while (blank(*c))
		c++;
	if (*c == ';')
		return comment(r, c);
	if (*c == '\n')
		return 0;
	rc = scan(r, c);
	if (!rc)
		rc = take(r);
	r->lines++;
	return rc;
}

/* ---------------------------------------------------------------- the file */

/* All whole lines of the @n bytes at @buf; *ret_left: bytes after them. */
static int lines(struct reader *r, const char *buf, size_t n, size_t *ret_left)
{
	const char *end = buf + n;

	while (buf < end) {
		const char *stop = memchr(buf, '\n', (size_t)(end - buf));
		int rc;

		if (!stop)
			break;
		rc = line(r, buf);
		if (rc)
			return rc;
		buf = stop + 1;
	}
	*ret_left = (size_t)(end - buf);
	return 0;
}

static int read_all(struct reader *r, struct cs_unpack *u, char *buf)
{
	size_t len = 0, left;
	uint64_t total = 0;

	for (;;) {
		struct cs_err why;
		int64_t n = cs_unpack_read(u, buf + len, BUF_SIZE - len, &why);
		int rc;

		if (n < 0)
			return cs_err_set(r->err, (int)n, "%s: %s", name_of(r),
					  why.text);
		if (!n && !len)
			break;
		total += (uint64_t)n;
		len += (size_t)n;
		if (!n)
			buf[len++] = '\n'; /* a last line without one */
		rc = lines(r, buf, len, &left);
		if (rc)
			return rc;
		if (left == BUF_SIZE)
			return cs_err_set(r->err, -EINVAL,
					  "%s:%llu: the line is longer than %u "
					  "bytes, expected 18 fields",
					  name_of(r),
					  (unsigned long long)r->line + 1,
					  BUF_SIZE);
		memmove(buf, buf + len - left, left);
		len = left;
	}
	if (r->lines)
		return 0;
	return cs_err_set(r->err, -EINVAL, "%s: %s, expected jobs in SWF",
			  name_of(r),
			  total ? "no line of a job" : "the file is empty");
}

/* -------------------------------------------------------------------- order */

static int by_submit(const void *x, const void *y)
{
	const struct cs_trace_job *a = x, *b = y;

	if (a->submit_us != b->submit_us)
		return a->submit_us < b->submit_us ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int by_id(const void *x, const void *y)
{
	const struct cs_trace_job *a = x, *b = y;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void sort(struct cs_trace *t, int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < t->n; i++)
		if (compare(&t->job[i - 1], &t->job[i]) > 0) {
			qsort(t->job, t->n, sizeof(*t->job), compare);
			return;
		}
}

/* Sorts by id; reports the first line with a duplicate id. */
static int check_ids(struct reader *r)
{
	const struct cs_trace_job *again = NULL, *first = NULL;
	struct cs_trace *t = &r->trace;

	sort(t, by_id);
	for (size_t i = 1; i < t->n; i++)
		if (t->job[i].id == t->job[i - 1].id &&
		    (!again || t->job[i].line < again->line)) {
			again = &t->job[i];
			first = &t->job[i - 1];
		}
	if (!again)
		return 0;
	return cs_err_set(r->err, -EINVAL,
			  "%s:%u: field 1 (job number) is '%u' as in line %u, "
			  "expected each once",
			  name_of(r), again->line, again->id, first->line);
}

static void shift(struct cs_trace *t)
{
	int64_t first = t->n ? t->job[0].submit_us : 0;

	for (size_t i = 0; i < t->n; i++)
		t->job[i].submit_us -= first;
	if (t->unix_start_s)
		t->unix_start_s += first / MILLION;
}

int cs_trace_read_file(struct cs_trace *ret, FILE *file, const char *name,
		       const struct cs_trace_options *options,
		       struct cs_err *err)
{
	struct reader r = { .name = name, .options = options, .err = err };
	char *buf = malloc(BUF_SIZE + 1); /* and the last '\n' */
	struct cs_unpack *u = NULL;
	struct cs_err why;
	int rc;

	if (!buf)
		return nomem(&r);
	rc = cs_unpack_open(&u, file, &why);
	if (rc) {
		cs_err_set(err, rc, "%s: %s", name_of(&r), why.text);
		goto out;
	}
	rc = read_all(&r, u, buf);
	if (!rc)
		rc = check_ids(&r);
	if (rc)
		goto out;
	sort(&r.trace, by_submit);
	shift(&r.trace);
	*ret = r.trace;
out:
	if (rc)
		cs_trace_done(&r.trace);
	cs_unpack_close(u);
	free(buf);
	return rc;
}

int cs_trace_read(struct cs_trace *ret, const char *path,
		  const struct cs_trace_options *options, struct cs_err *err)
{
	bool in = !strcmp(path, "-");
	struct reader r = { .name = path };
	FILE *file = in ? stdin : fopen(path, "re");
	int rc;

	if (!file)
		return cs_err_set(err, -errno, "%s: %s", name_of(&r),
				  strerror(errno));
	rc = cs_trace_read_file(ret, file, in ? "stdin" : path, options, err);
	if (!in)
		fclose(file);
	return rc;
}

void cs_trace_done(struct cs_trace *t)
{
	free(t->job);
	cs_trace_names_free(t->names);
	*t = (struct cs_trace){ 0 };
}
