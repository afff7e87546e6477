/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that a time slice stopped, and there are no slices any more (let_go.c). */
#ifndef CS_SCHED_APPLY_LET_GO_H
#define CS_SCHED_APPLY_LET_GO_H

#include <stdbool.h>
#include <stdint.h>

#define CS_LET_GO_SOON_US INT64_C(2500000) /* a stop takes 2 s */

/* What nodes have been told since slurmctld started. */
enum cs_let_go {
	CS_LET_GO_NEW,	   /* nothing */
	CS_LET_GO_STOPS,   /* which jobs are stopped */
	CS_LET_GO_RUNNING, /* and which run on those nodes, or we have slices */
};

/* Tell nodes which jobs are stopped, or (@running) which run on nodes of stopped ones.
 * The number of stopped jobs.  Write locks; O(jobs). */
unsigned cs_let_go_tell(bool running);

/* Rule 2: may a job still run after its stop?  Write locks; O(jobs). */
bool cs_let_go_waits(void);

/* Resume stopped jobs, until scheduling @ends; true if any did, and records must be saved.
 * Others could not: jobs run on their cores.  Their srun hears of each attempt.  Write
 * locks; O(jobs) for each stopped job. */
bool cs_let_go_resume(bool (*ends)(void));

/* How many jobs are stopped.  Write locks; O(jobs). */
unsigned cs_let_go_left(void);

#endif
