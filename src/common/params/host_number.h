/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers among Slurm's keys of SchedulerParameters that mode act honours: what may
 * stand there, and what Slurm takes where it cannot read it.  Decisions, and the line
 * that `cosched doctor`, `cosched conf` and slurmctld's log have on such a value, go by
 * one table.
 */
#ifndef CS_PARAMS_HOST_NUMBER_H
#define CS_PARAMS_HOST_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "params/params.h"

struct cs_host_number {
	const char *key; /* with its '=' */
	const char *unit;
	const char *who; /* reads it */
	int64_t least, most;
	int64_t otherwise; /* absent, or not between them */
	int64_t off;	   /* valid as well, and nothing to us: otherwise */
};

/* The rows; @ret_n their number. */
const struct cs_host_number *cs_host_number_rows(size_t *ret_n);

/* The row of the @n bytes at @key, in any case, without '='; NULL: none. */
const struct cs_host_number *cs_host_number_find(const char *key, size_t n);

/* The number of @key, one of the rows, in @sched, as Slurm reads it: from the digits
 * behind the first such key, anywhere in it.  @sched may be NULL. */
int64_t cs_host_number(const char *sched, const char *key);

/* The numbers of @sched (NULL: none) into those keys of @p that follow Slurm's: bf_window,
 * bf_min_age_reserve and bf_interval. */
void cs_host_number_take(struct cs_params *p, const char *sched);

/* The settings of policy=stock ("key=value,...") that follow keys of @sched which mode act
 * does not honour: bf_max_job_test, bf_resolution and bf_window_linear, where they are not
 * as without them.  CS_HOST_NUMBER_STOCK bytes of @buf are enough. */
#define CS_HOST_NUMBER_STOCK 128
void cs_host_number_stock(const char *sched, char *buf, size_t size);

/* Are the @n bytes at @text, what stands behind the '=' of @row, no valid number? */
bool cs_host_number_wrong(const struct cs_host_number *row, const char *text,
			  size_t n);

#endif
