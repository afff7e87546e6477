/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks in separate processes, several at a time, each sending its result
 * through a pipe.  For work of seconds: a task is one fork(2).
 */
#ifndef CS_PARALLEL_H
#define CS_PARALLEL_H

#include <stddef.h>
#include <stdio.h>

#include "common/base/err.h"

#define CS_PARALLEL_MAX 1024 /* at a time */

struct cs_parallel {
	size_t n;     /* tasks, 0 to n - 1, begun in this order */
	size_t width; /* at a time, 1 to CS_PARALLEL_MAX */
	void *arg;    /* of the functions below */
	/* Before the task begins, in the caller's process, so that the task
	 * inherits what this makes; NULL: nothing. */
	int (*begin)(void *arg, size_t task, struct cs_err *err);
	/* The task, in its own process: a copy of the caller's. */
	int (*work)(void *arg, size_t task, FILE *out, struct cs_err *err);
	/* Its output, in the caller's process, in any order of tasks.  @data is
	 * aligned for any type. */
	int (*take)(void *arg, size_t task, const void *data, size_t size,
		    struct cs_err *err);
};

/*
 * Do them all.  0; else the result of the first function that failed, with its
 * @err; -ENOMEM, -EIO (a task was killed) and errnos of fork(2), pipe(2):
 * running tasks are ended and waited for.
 */
int cs_parallel(const struct cs_parallel *p, struct cs_err *err);

/* Cores that this process may use; 1 to CS_PARALLEL_MAX. */
size_t cs_parallel_cores(void);

#endif
