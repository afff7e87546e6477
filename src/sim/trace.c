/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problem.  Read a log of a million jobs in less time than its simulation
 * takes, whatever state it is in, and still report its errors exactly.
 *
 * Rules: those of trace.h; of a line, those of trace_line.c.
 *
 * Source: the Standard Workload Format, version 2.2 (Chapin et al., Benchmarks
 * and Standards for the Evaluation of Parallel Job Schedulers, JSSPP 1999; and
 * the Parallel Workloads Archive's definition, whose usage note on checkpoints has
 * partial executions).
 *
 * Cost: one pass over the bytes in a buffer that always ends in '\n', so that
 * nothing looks for the end of the line within a field, and a look at the first buffer
 * for the number of fields.  A log already in order of submits and ids is not sorted
 * again.
 */
#include "trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "trace_fit.h"
#include "trace_line.h"
#include "unpack.h"

#define BUF_SIZE (256u << 10) /* the longest line */
#define FIELDS_MIN 5	      /* to the allocated processors */
#define FIELDS_MAX 64	      /* that are told apart */
#define MILLION 1000000
#define NAME_SHOWN 100

/* A line of status 2, 3 or 4, until all lines are known. */
struct partial {
	struct cs_trace_job job;
	enum cs_trace_skip skip; /* CS_TRACE_SKIPS: it could be a job */
	bool own; /* the job's own line, of another status, that was left out */
};

struct reader {
	const struct cs_trace_options *options;
	struct cs_err *err;
	struct cs_err first;	   /* line left out; "": none */
	struct cs_trace_line line; /* the one at hand */
	struct cs_trace trace;
	size_t cap; /* of trace.job */
	struct partial *partial;
	size_t n_partial, cap_partial;
	bool begun;	/* the first bytes were seen */
	bool cr;	/* lines end with '\r' alone */
	bool long_line; /* the rest of one is to be left out */
};
/* ---- messages ------------------------------------------------------------ */

/* The file's name, or the end of a long one. */
static const char *name_of(const char *name)
{
	size_t n = strlen(name);

	return n > NAME_SHOWN ? name + n - NAME_SHOWN : name;
}

static int nomem(const struct reader *r)
{
	return cs_err_set(r->err, -ENOMEM, "%s: no memory", r->line.name);
}

/* ---- a line -------------------------------------------------------------- */

/* Leave a line out; @why is the reason.  0; with `strict`, -EINVAL. */
static int leave_out(struct reader *r, enum cs_trace_skip skip,
		     const struct cs_err *why)
{
	r->trace.skipped[skip]++;
	if (!*r->first.text)
		r->first = *why;
	return r->options->strict ? cs_err_set(r->err, -EINVAL, "%s", why->text)
				  : 0;
}

/* Keep a line of status 2, 3 or 4, or one that is left out, until all are known. */
static int set_aside(struct reader *r, const struct cs_trace_job *j,
		     enum cs_trace_skip skip, bool own)
{
	if (cs_array_room(&r->partial, &r->cap_partial, r->n_partial + 1))
		return nomem(r);
	r->partial[r->n_partial++] = (struct partial){ *j, skip, own };
	return 0;
}

static int add(struct reader *r, const struct cs_trace_job *j)
{
	if (cs_array_room(&r->trace.job, &r->cap, r->trace.n + 1))
		return nomem(r);
	memcpy(&r->trace.job[r->trace.n++], j, sizeof(*j));
	return 0;
}

static int take(struct reader *r, const char *c)
{
	/* only the first reason is ever shown */
	struct cs_err why = { "" }, *ask = *r->first.text ? NULL : &why;
	enum cs_trace_skip skip;
	struct cs_trace_job j;
	int rc;

	cs_trace_line_scan(&r->line, c);
	skip = cs_trace_line_job(&r->line,
				 r->options->strict
					 ? CS_TRACE_FIELDS + r->line.n_more
					 : r->trace.fields,
				 r->options, &j, ask);
	r->trace.lines++;
	if (skip > CS_TRACE_NO_NUMBER && cs_trace_line_partial(&r->line))
		return set_aside(r, &j, skip, false);
	if (skip == CS_TRACE_SKIPS)
		return add(r, &j);
	rc = leave_out(r, skip, &why);
	return rc || skip <= CS_TRACE_NO_NUMBER ? rc
						: set_aside(r, &j, skip, true);
}

/* A line that does not fit the buffer: its beginning is at @c. */
static int take_long(struct reader *r, const char *c)
{
	struct cs_err why;

	while (cs_trace_blank(*c))
		c++;
	r->long_line = true;
	if (*c == ';' || *c == '#')
		return 0;
	r->trace.lines++;
	cs_err_set(&why, -EINVAL,
		   "%s:%llu: the line is longer than %u bytes, expected 18 "
		   "fields",
		   r->line.name, (unsigned long long)r->line.line + 1,
		   BUF_SIZE);
	return leave_out(r, CS_TRACE_UNREADABLE, &why);
}

/* The value of header line @c, if its key is @key; else NULL. */
static const char *header(const char *c, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(c, key, n))
		return NULL;
	for (c += n; cs_trace_blank(*c); c++)
		;
	return c;
}

/* "; UnixStartTime: 848444400": the time of submit 0 of the file. */
static int comment(struct reader *r, const char *c)
{
	const char *v;
	int64_t t;

	while (*c == ';' || *c == '#' || cs_trace_blank(*c))
		c++;
	v = header(c, "Runtimes:");
	if (v)
		r->trace.packed |= !strncmp(v, "packed", 6);
	v = header(c, "MoreFields:");
	if (v) {
		cs_trace_line_more(&r->line, v);
		r->trace.n_more = r->line.n_more;
	}
	v = header(c, "UnixStartTime:");
	if (!v)
		return cs_trace_names_line(&r->trace.names, c) ? nomem(r) : 0;
	c = v;
	if (cs_trace_number(c, &t) && t >= 0 &&
	    t / MILLION <= CS_TRACE_TIME_MAX_S)
		r->trace.unix_start_s = t / MILLION;
	return 0;
}

/* The line at @c, which ends in '\n'. */
static int line(struct reader *r, const char *c)
{
	r->line.line++;
	while (cs_trace_blank(*c))
		c++;
	if (*c == ';' || *c == '#')
		return comment(r, c);
	return *c == '\n' ? 0 : take(r, c);
}

/* ---- the first bytes ----------------------------------------------------- */

/* Rule 8: the number of fields that most lines of the @n bytes at @buf have, to
 * trace.fields; it stays 0 if none of them is a job's. */
static void count_fields(struct reader *r, const char *buf, size_t n)
{
	uint32_t seen[FIELDS_MAX + 1] = { 0 };
	const char *end = buf + n, *stop;
	uint32_t best = CS_TRACE_FIELDS;
	bool any = false;

	for (; (stop = memchr(buf, '\n', (size_t)(end - buf)));
	     buf = stop + 1) {
		unsigned int fields;

		while (cs_trace_blank(*buf))
			buf++;
		if (*buf == ';' || *buf == '#')
			continue;
		fields = cs_trace_line_fields(buf);
		any |= fields > 0;
		if (fields >= FIELDS_MIN && fields <= FIELDS_MAX)
			seen[fields]++;
	}
	for (uint32_t i = FIELDS_MIN; i <= FIELDS_MAX; i++)
		if (seen[i] > seen[best])
			best = i;
	if (any)
		r->trace.fields = r->options->strict ? CS_TRACE_FIELDS : best;
}

/* Rule 9.  *at: bytes to leave out before the first line. */
static int begin(struct reader *r, const char *buf, size_t n, size_t *at)
{
	r->begun = true;
	*at = 0;
	if (n >= 2 &&
	    (!memcmp(buf, "\xff\xfe", 2) || !memcmp(buf, "\xfe\xff", 2)))
		return cs_err_set(
			r->err, -EINVAL,
			"%s: UTF-16, expected SWF in ASCII or UTF-8, as "
			"from iconv -f UTF-16 -t UTF-8",
			r->line.name);
	if (n >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3))
		*at = 3;
	r->cr = !memchr(buf, '\n', n) && memchr(buf, '\r', n);
	return 0;
}

/* ---- the file ------------------------------------------------------------ */

/* All whole lines of the @n bytes at @buf; *ret_left: bytes after them. */
static int lines(struct reader *r, const char *buf, size_t n, size_t *ret_left)
{
	const char *end = buf + n;

	if (!r->trace.fields)
		count_fields(r, buf, n);
	while (buf < end) {
		const char *stop = memchr(buf, '\n', (size_t)(end - buf));
		int rc = 0;

		if (!stop)
			break;
		if (r->long_line)
			r->line.line++;
		else
			rc = line(r, buf);
		r->long_line = false;
		if (rc)
			return rc;
		buf = stop + 1;
	}
	*ret_left = (size_t)(end - buf);
	return 0;
}

/* Fill @buf, of which @len bytes are there.  Returns how many then are, less than BUF_SIZE
 * only at the end; or a negative errno. */
static int64_t fill(struct reader *r, struct cs_unpack *u, char *buf,
		    size_t len)
{
	struct cs_err why;

	while (len < BUF_SIZE) {
		int64_t n = cs_unpack_read(u, buf + len, BUF_SIZE - len, &why);

		if (n < 0)
			return cs_err_set(r->err, (int)n, "%s: %s",
					  r->line.name, why.text);
		if (!n)
			break;
		len += (size_t)n;
	}
	return (int64_t)len;
}

/* Lines of the @len bytes at @buf, of which *ret_left remain, moved to its front. */
static int take_buffer(struct reader *r, char *buf, size_t len, bool last,
		       size_t *ret_left)
{
	size_t at = 0, left;
	int rc = r->begun ? 0 : begin(r, buf, len, &at);

	for (size_t i = at; !rc && r->cr && i < len; i++)
		buf[i] = buf[i] == '\r' ? '\n' : buf[i];
	if (last)
		buf[len++] = '\n'; /* a last line without one */
	if (!rc)
		rc = lines(r, buf + at, len - at, &left);
	if (!rc && left == BUF_SIZE) {
		rc = r->long_line ? 0 : take_long(r, buf);
		left = 0;
	}
	if (rc)
		return rc;
	memmove(buf, buf + len - left, left);
	*ret_left = left;
	return 0;
}

static int read_all(struct reader *r, struct cs_unpack *u, char *buf)
{
	bool last = false, any = false;
	size_t left = 0;

	while (!last) {
		int64_t len = fill(r, u, buf, left);
		int rc;

		if (len < 0)
			return (int)len;
		any |= len > 0;
		last = len < BUF_SIZE;
		rc = take_buffer(r, buf, (size_t)len, last, &left);
		if (rc)
			return rc;
	}
	if (r->trace.lines)
		return 0;
	return cs_err_set(r->err, -EINVAL, "%s: %s, expected jobs in SWF",
			  r->line.name,
			  any ? "no line of a job" : "the file is empty");
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

static int by_partial(const void *x, const void *y)
{
	const struct partial *a = x, *b = y;

	return by_id(&a->job, &b->job);
}

/* Of the @n lines at @p, all of one number, those of status 2, 3 or 4 are parts, or if there
 * is no other of the number one may be a job. */
static int take_group(struct reader *r, const struct partial *p, size_t n,
		      bool has_job)
{
	struct cs_err why;
	size_t own = 0;

	for (size_t i = 0; i < n; i++)
		own += p[i].own;
	has_job |= own != 0;
	n -= own;
	if (n == 1 && !has_job && p->skip == CS_TRACE_SKIPS)
		return add(r, &p->job);
	if (n == 1 && !has_job)
		r->trace.skipped[p->skip]++;
	else
		r->trace.skipped[CS_TRACE_PARTIAL] += n;
	if (has_job)
		return 0;
	cs_err_set(&why, -EINVAL,
		   "%s:%u: status 2, 3 or 4, a part of job %u, expected a line "
		   "of that job with status 0 or 1, too",
		   r->line.name, p->job.line, p->job.id);
	if (!*r->first.text)
		r->first = why;
	return r->options->strict ? cs_err_set(r->err, -EINVAL, "%s", why.text)
				  : 0;
}

/* Rule 6; sorts by id. */
static int take_partial(struct reader *r)
{
	struct partial *p = r->partial;
	size_t n = r->n_partial, jobs = r->trace.n;
	int rc = 0;

	sort(&r->trace, by_id);
	if (n)
		qsort(p, n, sizeof(*p), by_partial);
	for (size_t i = 0, from = 0, at = 0; !rc && i < n; i++) {
		if (i + 1 < n && p[i + 1].job.id == p[from].job.id)
			continue;
		while (at < jobs && r->trace.job[at].id < p[from].job.id)
			at++;
		rc = take_group(r, &p[from], i + 1 - from,
				at < jobs &&
					r->trace.job[at].id == p[from].job.id);
		from = i + 1;
	}
	return rc;
}

/* Rule 7; sorts by id.  With `strict` the first line with a number that stands twice is an
 * error. */
static int once(struct reader *r)
{
	struct cs_trace_job again = { .line = 0 };
	struct cs_trace *t = &r->trace;
	uint32_t first_line = 0;
	size_t n = 0;

	sort(t, by_id);
	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *j = &t->job[i];

		if (!n || t->job[n - 1].id != j->id) {
			t->job[n++] = *j;
			continue;
		}
		t->skipped[CS_TRACE_TWICE]++;
		if (!r->options->strict || (again.line && again.line < j->line))
			continue;
		again = *j;
		first_line = t->job[n - 1].line;
	}
	if (again.line)
		return cs_err_set(
			r->err, -EINVAL,
			"%s:%u: field 1 (job number) is '%u' as in line %u, "
			"expected each once",
			r->line.name, again.line, again.id, first_line);
	t->n = n;
	return 0;
}

/* Rule 10.  With `strict` the first line of such a job is an error. */
static int hold(struct reader *r)
{
	struct cs_trace *t = &r->trace;
	const struct cs_trace_job *large = NULL;
	struct cs_trace_fit *f;
	size_t n = 0;

	if (!r->options->machine || !t->n_more)
		return 0;
	f = cs_trace_fit_create(r->options->machine);
	if (!f)
		return nomem(r);
	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *j = &t->job[i];

		if (cs_trace_fits(f, t->names, j)) {
			if (!r->options->strict)
				t->job[n++] = *j;
			continue;
		}
		t->skipped[CS_TRACE_LARGE]++;
		if (!large || j->line < large->line)
			large = j;
	}
	cs_trace_fit_free(f);
	if (!r->options->strict)
		t->n = n;
	else if (large)
		return cs_err_set(r->err, -EINVAL,
				  "%s:%u: job %u asks for GPUs or nodes that "
				  "the machine does not have together, "
				  "expected fewer",
				  r->line.name, large->line, large->id);
	return 0;
}

/* A trace without a job is an error, unless a larger machine could run one. */
static int check_any(const struct reader *r)
{
	const struct cs_trace *t = &r->trace;

	if (t->n || t->skipped[CS_TRACE_LARGE])
		return 0;
	if (t->lines == 1)
		return cs_err_set(r->err, -EINVAL, "%s", r->first.text);
	return cs_err_set(r->err, -EINVAL,
			  "%s; no other of the %llu lines can be simulated",
			  r->first.text, (unsigned long long)t->lines);
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
	struct reader r = { .options = options,
			    .err = err,
			    .line.name = name_of(name) };
	char *buf = malloc(BUF_SIZE + 1); /* and the last '\n' */
	struct cs_unpack *u = NULL;
	struct cs_err why;
	int rc;

	if (!buf)
		return nomem(&r);
	buf[BUF_SIZE] = '\n';
	rc = cs_unpack_open(&u, file, &why);
	if (rc)
		cs_err_set(err, rc, "%s: %s", r.line.name, why.text);
	else
		rc = read_all(&r, u, buf);
	if (!rc)
		rc = take_partial(&r);
	if (!rc)
		rc = once(&r);
	if (!rc)
		rc = hold(&r);
	if (!rc)
		rc = check_any(&r);
	if (rc) {
		cs_trace_done(&r.trace);
	} else {
		sort(&r.trace, by_submit);
		shift(&r.trace);
		*ret = r.trace;
	}
	cs_unpack_close(u);
	free(r.partial);
	free(buf);
	return rc;
}

int cs_trace_read(struct cs_trace *ret, const char *path,
		  const struct cs_trace_options *options, struct cs_err *err)
{
	bool in = !strcmp(path, "-");
	FILE *file = in ? stdin : fopen(path, "re");
	int rc;

	if (!file)
		return cs_err_set(err, -errno, "%s: %s", name_of(path),
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
