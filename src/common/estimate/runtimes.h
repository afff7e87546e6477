/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Predicted runtimes: how long jobs like this one ran before.  The theory is in
 * runtimes.c.
 *
 * Estimates of starts are made from predicted runtimes.  The plan is made from limits.
 */
#ifndef CS_ESTIMATE_RUNTIMES_H
#define CS_ESTIMATE_RUNTIMES_H

#include <stdint.h>

#include "base/textbuf.h"
#include "model/job.h"

struct cs_runtimes;

/* What of a job says how long it runs. */
struct cs_runtime_of {
	uint64_t user;	  /* a hash of the user's name */
	uint64_t cpus;	  /* hardware threads that it requests */
	int64_t limit_us; /* > 0 */
};

struct cs_runtime_of cs_runtime_of(const struct cs_job *job);

/* Remember runs of at most @groups groups (> 0).  NULL: no memory. */
struct cs_runtimes *cs_runtimes_create(uint32_t groups);
void cs_runtimes_free(struct cs_runtimes *r);

/* A run of @job took @ran_us.  0; -ENOMEM: the run is not remembered everywhere.
 * O(1). */
int cs_runtimes_add(struct cs_runtimes *r, const struct cs_runtime_of *job,
		    int64_t ran_us);

/*
 * Draw the whole runtime of @job, which has run for @elapsed_us (>= 0) by now, with the
 * uniform number @unit (0 <= @unit < 1).  More than @elapsed_us and at most the limit,
 * or the limit if that has passed.  O(1).
 */
int64_t cs_runtimes_draw(const struct cs_runtimes *r,
			 const struct cs_runtime_of *job, int64_t elapsed_us,
			 double unit);

/* The median of the runs from which cs_runtimes_draw() draws at @elapsed_us = 0: the lower
 * one, > 0, at most the limit.  O(1). */
int64_t cs_runtimes_median(const struct cs_runtimes *r,
			   const struct cs_runtime_of *job);

/* Add the lines to @t that restore the ratios and the last CS_RUNTIMES_SAVED groups, each
 * with @before before it.  Less than CS_RUNTIMES_BYTES. */
#define CS_RUNTIMES_SAVED 16384
#define CS_RUNTIMES_BYTES 8000000
void cs_runtimes_save(const struct cs_runtimes *r, const char *before,
		      struct cs_textbuf *t);
/* Restore what the line @text, without that, has.  0; -EINVAL: it is no such line;
 * -ENOMEM. */
int cs_runtimes_restore(struct cs_runtimes *r, const char *text);

#endif
