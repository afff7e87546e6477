/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A task's side of a sweep: it does its runs and writes their results. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep.h"
#include "sweep/sweep_files.h"

#define NUMBERS 4 /* before the words of the work list */

/* The variable @name as a number from 0 on; -1: it is none. */
static int64_t number_of(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long long n;

	if (!text || *text < '0' || *text > '9')
		return -1;
	errno = 0;
	n = strtoll(text, &end, 10);
	return *end || errno ? -1 : n;
}

/* The first NUMBERS words. */
static int take_numbers(struct cs_sweep_task *t, int64_t task,
			struct cs_err *err)
{
	uint64_t own = CS_SWEEP_SUM;
	size_t n = strtoull(t->all[2], NULL, 10);
	size_t chunk = strtoull(t->all[3], NULL, 10);
	int rc = cs_sweep_sum_file(&own, "/proc/self/exe", err);

	if (rc)
		return rc;
	if (strtoull(t->all[0], NULL, 16) != own)
		return cs_err_set(err, -EINVAL,
				  "the command of this node is not that which "
				  "began the sweep, expected the same file");
	if (!chunk || (uint64_t)task >= (n + chunk - 1) / chunk)
		return cs_err_set(err, -EINVAL,
				  "task %" PRId64 " of '%.200s', expected one "
				  "of the work list",
				  task, t->folder);
	t->sum = strtoull(t->all[1], NULL, 16);
	t->from = (size_t)task * chunk;
	t->to = t->from + chunk < n ? t->from + chunk : n;
	t->word = t->all + NUMBERS;
	t->n_word -= NUMBERS;
	return 0;
}

int cs_sweep_task_read(const char *folder, struct cs_sweep_task *ret,
		       struct cs_err *err)
{
	int64_t task = number_of("SLURM_ARRAY_TASK_ID");
	char path[CS_SWEEP_PATH + 16], *at;
	size_t size;
	int rc;

	*ret = (struct cs_sweep_task){ .folder = folder };
	if (task < 0)
		return cs_err_set(err, -EINVAL,
				  "SLURM_ARRAY_TASK_ID is not set, expected "
				  "this in a task of a job array only");
	snprintf(path, sizeof(path), "%.4096s/work", folder);
	rc = cs_sweep_read(path, &ret->text, &size);
	if (rc)
		return cs_err_set(err, rc, "'%.250s': %s", path, strerror(-rc));
	ret->all = calloc(size + 1, sizeof(*ret->all));
	if (!ret->all)
		return cs_err_set(err, -ENOMEM, "no memory");
	for (at = ret->text; at < ret->text + size; at += strlen(at) + 1)
		ret->all[ret->n_word++] = at;
	if (ret->n_word < NUMBERS)
		rc = cs_err_set(err, -EINVAL, "'%.250s', expected a work list",
				path);
	else
		rc = take_numbers(ret, task, err);
	return rc;
}

void cs_sweep_task_done(struct cs_sweep_task *t)
{
	free(t->all);
	free(t->text);
	*t = (struct cs_sweep_task){ .folder = NULL };
}

/* ---- runs ------------------------------------------------------------------ */

/* The caller's functions take the number of a run, cs_parallel() counts those to do. */
struct doing {
	const struct cs_sweep_task *t;
	const struct cs_parallel *p;
	size_t *run; /* [n] */
};

static int begin(void *arg, size_t i, struct cs_err *err)
{
	const struct doing *d = arg;

	return d->p->begin ? d->p->begin(d->p->arg, d->run[i], err) : 0;
}

static int work(void *arg, size_t i, FILE *out, struct cs_err *err)
{
	const struct doing *d = arg;

	return d->p->work(d->p->arg, d->run[i], out, err);
}

static int take(void *arg, size_t i, const void *data, size_t size,
		struct cs_err *err)
{
	const struct doing *d = arg;

	return cs_sweep_put(d->t->folder, d->t->sum, d->run[i], data, size,
			    err);
}

/* Cores that the task was given: without cgroups it sees all of the node. */
static size_t width(void)
{
	int64_t given = number_of("SLURM_CPUS_ON_NODE");
	size_t cores = cs_parallel_cores();

	return given > 0 && (uint64_t)given < cores ? (size_t)given : cores;
}

int cs_sweep_task_run(const struct cs_sweep_task *t,
		      const struct cs_parallel *p, struct cs_err *err)
{
	struct doing d = { .t = t, .p = p };
	struct cs_parallel all = { .width = width(),
				   .arg = &d,
				   .begin = begin,
				   .work = work,
				   .take = take };
	int rc;

	d.run = calloc(t->to - t->from + 1, sizeof(*d.run));
	if (!d.run)
		return cs_err_set(err, -ENOMEM, "no memory");
	for (size_t i = t->from; i < t->to; i++) {
		void *data;
		size_t size;

		if (!cs_sweep_get(t->folder, t->sum, i, &data, &size))
			free(data);
		else
			d.run[all.n++] = i;
	}
	rc = cs_parallel(&all, err);
	free(d.run);
	return rc;
}
