/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work with files, on a thread that may hang in it.
 *
 * A file system may hang, and the scheduling thread must not: it queues what is to be
 * done, in order, and goes on.  There are two queues, each with a thread of its own, so
 * that a hanging folder of the event log does not hold up the state.
 *
 * The threads are detached, and may outlive the plugins that queued the work: slurmctld
 * can unload a plugin and end while a call hangs.  So this file, and all that a task
 * runs, is in libcosched_plan.so, which is never unmapped (-z nodelete).
 *
 * Thread safe.  Time is cs_gate_now_us().
 */
#ifndef CS_RESIDENT_QUEUE_H
#define CS_RESIDENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* The first member of what is to be done; `run` frees it. */
struct cs_task {
	void (*run)(struct cs_task *task);
	struct cs_task *next;
};

enum cs_queue { CS_QUEUE_LOG, CS_QUEUE_STATE, CS_QUEUE_N };

/* Run @task after those before it.  Without a thread it waits for the next call that
 * can start one. */
void cs_queue_put(enum cs_queue q, struct cs_task *task);

/* Wait until all that was put is done, at most @us.  False: some is left. */
bool cs_queue_wait(enum cs_queue q, int64_t us);

/* Since when the task that runs has run, or 0: none does. */
int64_t cs_queue_busy_since_us(enum cs_queue q);

#endif
