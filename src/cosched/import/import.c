/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From past jobs to a trace: import.h has the rules. */
#include "import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/idmap.h"

#define SECOND_US INT64_C(1000000)
#define TIME_MAX_US (CS_TRACE_TIME_MAX_S * SECOND_US)

static const char *const count_names[CS_IMPORT_COUNTS] = {
	"jobs",
	"steps",
	"waiting",
	"running",
	"ended without a start",
	"ran 0 s",
	"without a cpu",
	"before --since",
	"bad lines",
};

const char *cs_import_count_name(enum cs_import_count c)
{
	return count_names[c];
}

int cs_import_init(struct cs_import *im, const struct cs_import_options *o)
{
	*im = (struct cs_import){ .options = o };
	im->trace.names = cs_trace_names_create();
	return im->trace.names ? 0 : -ENOMEM;
}

void cs_import_done(struct cs_import *im)
{
	cs_trace_done(&im->trace);
}

int cs_import_bad(struct cs_import *im, const struct cs_err *err)
{
	im->count[CS_IMPORT_BAD]++;
	if (im->options->strict)
		return -EINVAL;
	if (im->options->bad)
		im->options->bad(im->options->arg, err->text);
	return 0;
}

static int grow(struct cs_import *im)
{
	return cs_array_room(&im->trace.job, &im->cap, im->trace.n + 1);
}

static int name_all(struct cs_import *im, const struct cs_import_job *j,
		    struct cs_trace_job *t)
{
	struct cs_trace_names *n = im->trace.names;
	int rc = cs_trace_names_number(n, CS_NAME_USER, j->user, &t->user);

	t->queue = -1;
	if (!rc)
		rc = cs_trace_names_number(n, CS_NAME_GROUP, j->account,
					   &t->group);
	if (!rc)
		rc = cs_trace_names_number(n, CS_NAME_EXE, j->name, &t->exe);
	if (!rc)
		rc = cs_trace_names_number(n, CS_NAME_PARTITION, j->partition,
					   &t->partition);
	if (!rc && im->options->gpus && j->gpus) {
		t->gpus = j->gpus;
		t->nodes = j->n_node;
		if (*j->gpu_type)
			rc = cs_trace_names_number(n, CS_NAME_GPU_TYPE,
						   j->gpu_type, &t->gpu_type);
	}
	return rc;
}

/* Rule 1. */
static int64_t submit_of(const struct cs_import_job *j)
{
	if (j->eligible_us != CS_IMPORT_NONE && j->eligible_us > j->submit_us &&
	    j->eligible_us <= j->start_us)
		return j->eligible_us;
	return j->submit_us;
}

int cs_import_job(struct cs_import *im, const struct cs_import_job *j)
{
	uint64_t procs = j->cpus / im->options->threads +
			 (j->cpus % im->options->threads > 0);
	int64_t submit_us = submit_of(j);
	bool told = im->options->job;
	struct cs_trace_job *t;
	int rc;

	if (submit_us < 0 || j->start_us < submit_us ||
	    j->start_us > TIME_MAX_US || j->run_us > TIME_MAX_US)
		return -ERANGE;
	if (submit_us < im->options->since_us && !told) /* NONE: least */
		im->count[CS_IMPORT_BEFORE]++;
	else if (!procs || procs > UINT32_MAX)
		im->count[CS_IMPORT_NO_CPUS]++;
	else if (j->run_us <= 0 && !j->running)
		im->count[CS_IMPORT_INSTANT]++;
	else if (told) {
		rc = im->options->job(im->options->arg, j);
		if (!rc)
			im->count[j->running ? CS_IMPORT_RUNNING
					     : CS_IMPORT_JOBS]++;
		return rc;
	} else {
		rc = grow(im);
		if (rc)
			return rc;
		t = &im->trace.job[im->trace.n];
		*t = (struct cs_trace_job){ .id = j->id,
					    .procs = (uint32_t)procs,
					    .submit_us = submit_us,
					    .runtime_us = j->run_us,
					    .estimate_us = j->limit_us,
					    .wait_us = j->start_us - submit_us,
					    .line = (uint32_t)im->trace.n,
					    .failed = j->failed };
		rc = name_all(im, j, t);
		if (rc)
			return rc;
		im->trace.n++;
		im->count[CS_IMPORT_JOBS]++;
	}
	return 0;
}

/* ---- the end ------------------------------------------------------------- */

/* By submit; ties in the order read. */
static int by_submit(const void *x, const void *y)
{
	const struct cs_trace_job *a = x, *b = y;

	if (a->submit_us != b->submit_us)
		return a->submit_us < b->submit_us ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* A trace's order. */
static int by_submit_id(const void *x, const void *y)
{
	const struct cs_trace_job *a = x, *b = y;

	if (a->submit_us != b->submit_us)
		return a->submit_us < b->submit_us ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Rule 5. */
static int number_all(struct cs_trace *t)
{
	struct cs_idmap seen = { 0 };
	uint32_t next = 0;
	int rc = cs_idmap_reserve(&seen, t->n);

	for (size_t i = 0; !rc && i < t->n; i++) {
		struct cs_trace_job *j = &t->job[i];

		if (j->id && !cs_idmap_find(&seen, j->id))
			cs_idmap_add(&seen, j->id, j);
		else
			j->id = 0;
		next = j->id > next ? j->id : next;
	}
	for (size_t i = 0; !rc && i < t->n; i++) {
		while (!t->job[i].id)
			/* 2^32 - 1 may be in use: then from 1 on */
			if (++next && !cs_idmap_find(&seen, next))
				t->job[i].id = next;
	}
	cs_idmap_done(&seen);
	return rc;
}

/* The longest limit or runtime of each partition, including -1. */
static int longest(const struct cs_trace *t, int64_t **ret)
{
	int32_t max = -1;
	int64_t *by;

	for (size_t i = 0; i < t->n; i++)
		if (t->job[i].partition > max)
			max = t->job[i].partition;
	by = calloc((size_t)max + 2, sizeof(*by));
	if (!by)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		int64_t *at = &by[j->partition + 1];

		if (j->estimate_us > *at)
			*at = j->estimate_us;
		if (j->runtime_us > *at)
			*at = j->runtime_us;
	}
	*ret = by;
	return 0;
}

/* Rule 3. */
static int estimate_all(struct cs_import *im)
{
	struct cs_trace *t = &im->trace;
	int64_t *by = NULL;
	int rc = longest(t, &by);

	for (size_t i = 0; !rc && i < t->n; i++) {
		struct cs_trace_job *j = &t->job[i];

		if (j->estimate_us <= 0) {
			j->estimate_us = by[j->partition + 1];
			im->unlimited++;
		} else if (j->estimate_us < j->runtime_us) {
			j->estimate_us = j->runtime_us;
			im->over++;
		}
	}
	free(by);
	return rc;
}

int cs_import_finish(struct cs_import *im, struct cs_err *err)
{
	struct cs_trace *t = &im->trace;
	int64_t first;

	if (!t->n)
		return cs_err_set(err, -ENODATA, "no job that has run");
	qsort(t->job, t->n, sizeof(*t->job), by_submit);
	if (number_all(t) || estimate_all(im))
		return cs_err_set(err, -ENOMEM, "no memory");
	qsort(t->job, t->n, sizeof(*t->job), by_submit_id);
	first = t->job[0].submit_us / SECOND_US * SECOND_US;
	t->unix_start_s += first / SECOND_US;
	t->packed = true;
	for (size_t i = 0; i < t->n; i++)
		t->job[i].submit_us -= first;
	return 0;
}
