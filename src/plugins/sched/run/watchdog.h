/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog: when must mode act end?
 *
 *  1. A cycle worked longer than its budget.  Waiting for Slurm's locks is not
 *     work: that is slurmctld's load, not ours.
 *  2. The gate lapsed because the thread was busy.  Waiting for locks, or a
 *     stall of the whole process, does not count.
 *  3. The engine found itself inconsistent (the caller's finding).
 *
 * It only judges; the thread acts.  From outside, the gate's heartbeat watches
 * the thread (gate.h).  One thread; time is cs_gate_now_us()'s.
 */
#ifndef CS_SCHED_RUN_WATCHDOG_H
#define CS_SCHED_RUN_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cs_watchdog {
	int64_t budget_us; /* 0: none */
	int64_t hang_us;
	int64_t since_us; /* start of the present stretch of work; 0: none */
	int64_t work_us;  /* of this cycle, finished stretches */
	int64_t last_us;  /* work of the last finished cycle */
	int64_t max_us;
	int64_t stretch_us; /* longest stretch since the last beat */
};

void cs_watchdog_set(struct cs_watchdog *w, int64_t budget_ms, int64_t hang_s);

void cs_watchdog_begin(struct cs_watchdog *w); /* a cycle, working */
void cs_watchdog_pause(struct cs_watchdog *w); /* about to wait for a lock */
void cs_watchdog_go_on(struct cs_watchdog *w); /* got it */
void cs_watchdog_end(struct cs_watchdog *w);

/* Is half of the budget gone?  Many rounds are no reason to end mode act: stop
 * and continue in the next cycle. */
bool cs_watchdog_half(const struct cs_watchdog *w);

/* Must mode act end?  One line in @ret_why[@size]: what and how much. */
bool cs_watchdog_trips(struct cs_watchdog *w, char *ret_why, size_t size);

#endif
