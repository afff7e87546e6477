/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of our own event logs (cosched-log(5)).
 *
 * A job is known from its submit on; its run becomes a job of the trace once it has
 * ended or was requeued.  An array task has its array's description.  A header within
 * the log is a new slurmctld: it reports all present jobs again, with their starts
 * ("since"), so a job not reported is forgotten.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/lines.h"
#include "common/base/idmap.h"
#include "common/log/read_event.h"
#include "common/log/read_field.h"
#include "common/log/read_line.h"
#include "import/import.h"

#define TEXTS 4

struct known {
	struct known *next, *prev; /* of all */
	char *text[TEXTS]; /* user, account, name, partition; owned, not NULL */
	uint32_t id, tasks;
	uint64_t cpus;
	int64_t submit_us, eligible_us, start_us, limit_us;
	int64_t stopped_us, lost_us; /* suspended since; total before */
};

struct reader {
	struct cs_import *im;
	struct cs_err *err;
	const char *name;
	struct cs_lines lines;
	struct cs_logread *parser;
	struct cs_idmap by_id;
	struct known all; /* a ring */
};

static void forget(struct reader *r, struct known *k)
{
	cs_idmap_remove(&r->by_id, k->id);
	k->prev->next = k->next;
	k->next->prev = k->prev;
	for (int i = 0; i < TEXTS; i++)
		free(k->text[i]);
	free(k);
}

/* The remaining ones have no end; count them. */
static void forget_all(struct reader *r)
{
	while (r->all.next != &r->all) {
		struct known *k = r->all.next;

		r->im->count[k->start_us == CS_IMPORT_NONE
				     ? CS_IMPORT_WAITING
				     : CS_IMPORT_RUNNING]++;
		forget(r, k);
	}
}

/* @us, limited to what a trace can hold. */
static int64_t bounded(int64_t us)
{
	return us >= 0 && us / CS_SECOND_US <= CS_TRACE_TIME_MAX_S
		       ? us
		       : CS_IMPORT_NONE;
}

static struct known *add(struct reader *r, uint32_t id,
			 const char *const text[TEXTS])
{
	struct known *k = calloc(1, sizeof(*k));
	bool nomem;

	if (!k)
		return NULL;
	nomem = cs_idmap_reserve(&r->by_id, r->by_id.n + 1) != 0;
	for (int i = 0; !nomem && i < TEXTS; i++)
		nomem = !(k->text[i] = strdup(text[i] ? text[i] : ""));
	if (nomem) {
		for (int i = 0; i < TEXTS; i++)
			free(k->text[i]);
		free(k);
		return NULL;
	}
	k->id = id;
	k->start_us = k->stopped_us = CS_IMPORT_NONE;
	k->next = r->all.next;
	k->prev = &r->all;
	k->next->prev = k->prev->next = k;
	cs_idmap_add(&r->by_id, id, k);
	return k;
}

static void describe(struct known *k, const struct cs_log_line *l)
{
	const struct cs_job *j = &l->submitted;

	k->tasks = j->tasks;
	k->cpus = (uint64_t)j->procs * j->cpus_per_proc;
	k->submit_us = bounded(j->submit_us) != CS_IMPORT_NONE ? j->submit_us
							       : l->event.t_us;
	k->eligible_us = bounded(j->eligible_us);
	k->limit_us =
		j->estimate_us > 0 ? bounded(j->estimate_us) : CS_IMPORT_NONE;
}

static int submit(struct reader *r, const struct cs_log_line *l)
{
	const struct cs_job *j = &l->submitted;
	const char *const text[TEXTS] = { j->user, j->account, j->name,
					  j->partition };
	struct known *k = cs_idmap_find(&r->by_id, l->job);

	if (k)
		forget(r, k);
	k = add(r, l->job, text);
	if (!k)
		return -ENOMEM;
	describe(k, l);
	return 0;
}

/* The task @l->job of a waiting array. */
static int split(struct reader *r, const struct cs_log_line *l)
{
	struct known *a = cs_idmap_find(&r->by_id, l->start.array_id), *k;

	if (!a)
		return 0;
	k = add(r, l->job, (const char *const *)a->text);
	if (!k)
		return -ENOMEM;
	k->cpus = a->cpus;
	k->submit_us = a->submit_us;
	k->eligible_us = a->eligible_us;
	k->limit_us = a->limit_us;
	if (a->tasks > 1)
		a->tasks--;
	return 0;
}

static int start(struct reader *r, const struct cs_log_line *l)
{
	struct known *k = cs_idmap_find(&r->by_id, l->job);
	int rc = 0;

	if (!k && l->start.array_id)
		rc = split(r, l);
	k = cs_idmap_find(&r->by_id, l->job);
	if (!k)
		return rc;
	k->start_us = cs_log_us(l->since);
	if (l->start.from_us > k->start_us)
		k->start_us = l->start.from_us;
	if (k->start_us < k->submit_us)
		k->start_us = k->submit_us;
	k->lost_us = 0;
	k->stopped_us = CS_IMPORT_NONE;
	return 0;
}

/* The line that ends job @id tells of impossible times. */
static int bad_times(struct reader *r, uint32_t id)
{
	struct cs_err why;
	int rc;

	cs_err_set(&why, -ERANGE,
		   "%.100s:%llu: the times of job %" PRIu32
		   ", expected some that a trace can hold",
		   r->name, (unsigned long long)r->lines.line, id);
	rc = cs_import_bad(r->im, &why);
	return rc ? cs_err_set(r->err, rc, "%s", why.text) : 0;
}

/* Job @k ran until @now_us. */
static int ran(struct reader *r, struct known *k, int64_t now_us, bool failed)
{
	struct cs_import_job j = {
		.id = k->id,
		.cpus = k->cpus,
		.user = k->text[0],
		.account = k->text[1],
		.name = k->text[2],
		.partition = k->text[3],
		.submit_us = k->submit_us,
		.eligible_us = k->eligible_us,
		.start_us = k->start_us,
		.limit_us = k->limit_us,
		.failed = failed,
	};
	size_t index = r->im->trace.n;
	int rc;

	if (k->stopped_us != CS_IMPORT_NONE)
		k->lost_us += now_us - k->stopped_us;
	j.run_us = now_us - k->start_us - k->lost_us;
	rc = cs_import_job(r->im, &j);
	if (rc == -ERANGE)
		return bad_times(r, k->id);
	if (rc || r->im->trace.n == index || !r->im->options->ran)
		return rc;
	return r->im->options->ran(r->im->options->arg, k->id, now_us, index);
}

static int event(struct reader *r, const struct cs_log_line *l)
{
	struct known *k = l->job ? cs_idmap_find(&r->by_id, l->job) : NULL;
	bool runs = k && k->start_us != CS_IMPORT_NONE;
	int64_t now_us = l->event.t_us;
	int rc = 0;

	switch (l->ev) {
	case CS_LOG_HEADER:
		forget_all(r);
		return 0;
	case CS_LOG_SUBMIT:
		return submit(r, l);
	case CS_LOG_START:
		return start(r, l);
	case CS_LOG_CHANGE:
		if (k)
			describe(k, l);
		return 0;
	case CS_LOG_SUSPEND:
		if (runs && k->stopped_us == CS_IMPORT_NONE)
			k->stopped_us = now_us;
		return 0;
	case CS_LOG_RESUME:
		if (runs && k->stopped_us != CS_IMPORT_NONE)
			k->lost_us += now_us - k->stopped_us;
		if (runs)
			k->stopped_us = CS_IMPORT_NONE;
		return 0;
	case CS_LOG_BEGIN:
		if (runs && l->event.begin.from_us > k->start_us)
			k->start_us = l->event.begin.from_us;
		return 0;
	case CS_LOG_REQUEUE:
	case CS_LOG_FINISH:
		if (runs)
			rc = ran(r, k, now_us,
				 l->ev == CS_LOG_REQUEUE || l->event.failed);
		if (!rc && l->ev == CS_LOG_REQUEUE)
			return submit(r, l);
		if (k)
			forget(r, k);
		return rc;
	case CS_LOG_CANCEL:
		if (k && !runs)
			r->im->count[CS_IMPORT_UNSTARTED]++;
		if (k)
			forget(r, k);
		return 0;
	default:
		return 0;
	}
}

static int take(struct reader *r)
{
	struct cs_log_line l = { .t = 0 };
	struct cs_err why = { "" }, full = { "" };
	int rc = cs_logread_line(r->parser, r->lines.text, r->lines.len, &l,
				 &why);

	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		cs_err_set(&full, rc, "%.100s:%llu: %.140s", r->name,
			   (unsigned long long)r->lines.line, why.text);
		rc = cs_import_bad(r->im, &full);
		return rc ? cs_err_set(r->err, rc, "%s", full.text) : 0;
	}
	rc = event(r, &l);
	if (!rc && r->im->options->line)
		rc = r->im->options->line(r->im->options->arg, &l,
					  r->lines.text);
	cs_log_line_done(&l);
	return rc;
}

int cs_import_log(struct cs_import *im, FILE *file, const char *name,
		  struct cs_err *err)
{
	struct reader r = { .im = im, .err = err, .name = name };
	size_t n = strlen(name);
	int rc = 0;

	r.name = n > 100 ? name + n - 100 : name;
	r.all.next = r.all.prev = &r.all;
	cs_err_set(err, 0, "%s", "");
	if (im->options->gpus)
		return cs_err_set(err, -EINVAL,
				  "%s: an event log, expected sacct's text for "
				  "GPUs",
				  r.name);
	r.parser = cs_logread_create();
	cs_lines_init(&r.lines, file);
	if (!r.parser)
		rc = -ENOMEM;
	while (!rc && (rc = cs_lines_next(&r.lines)) != 0) {
		struct cs_err why;

		if (rc == -E2BIG) {
			cs_err_set(&why, rc, "%s:%llu: longer than %u bytes",
				   r.name, (unsigned long long)r.lines.line,
				   CS_LINE_MAX);
			rc = cs_import_bad(im, &why);
		} else if (rc > 0) {
			rc = r.lines.len ? take(&r) : 0;
		}
	}
	if (rc && !*err->text)
		cs_err_set(err, rc, "%s: %s", r.name, strerror(-rc));
	forget_all(&r);
	cs_idmap_done(&r.by_id);
	cs_lines_done(&r.lines);
	cs_logread_free(r.parser);
	return rc;
}
