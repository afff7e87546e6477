/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pauses after failed tries: 1 s, then doubling with each further one in a row, at most
 * CS_PAUSE_MAX_US.  No Slurm here.
 */
#ifndef CS_SCHED_RUN_PAUSE_H
#define CS_SCHED_RUN_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#define CS_PAUSE_US INT64_C(1000000)
#define CS_PAUSE_MAX_US (64 * CS_PAUSE_US)

struct cs_pause {
	uint32_t failed; /* in a row */
	int64_t until_us;
};

/* A try at @now_us failed.  True: the first in a row, worth a report. */
bool cs_pause_failed(struct cs_pause *p, int64_t now_us);
/* A try succeeded: the row is over. */
void cs_pause_over(struct cs_pause *p);
/* Is it too early for the next try? */
bool cs_pause_holds(const struct cs_pause *p, int64_t now_us);

#endif
