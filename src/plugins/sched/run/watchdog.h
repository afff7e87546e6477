/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog: when must mode act end?
 *
 *  1. A cycle worked longer than its budget without a start (cs_watchdog_progress()):
 *     a large batch may take long.
 *  2. The thread worked for cosched_hang_s without a beat.
 *  3. The engine found itself inconsistent (the caller's finding).
 *
 * Work is the processor time of the thread outside waits for Slurm's locks.  Time that
 * the thread waited is no work: for a lock, a file or the processor, or while the whole
 * process or its host stood still.  All of that passes, and stock would wait as well.
 *
 * The gate counts seconds of the clock since the last beat, whatever the thread does
 * (gate.h).  If they are too many, Slurm's main loop starts jobs until the thread is back
 * and closes the gate again (cs_sched_close_again()); mode act goes on.
 *
 * It only judges; the thread acts.  All calls are by that one thread.
 */
#ifndef CS_SCHED_RUN_WATCHDOG_H
#define CS_SCHED_RUN_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cs_watchdog_time {
	int64_t took_us;   /* cs_gate_now_us()'s clock */
	int64_t worked_us; /* processor time of the thread */
};

struct cs_watchdog {
	int64_t budget_us; /* of work; 0: none */
	int64_t hang_us;
	struct cs_watchdog_time since; /* both clocks when this stretch began */
	struct cs_watchdog_time cycle; /* finished stretches of this cycle */
	struct cs_watchdog_time last;  /* the last finished cycle */
	struct cs_watchdog_time max;   /* the most of a cycle, each by itself */
	int64_t stretch_us;  /* most work in a stretch of this cycle */
	int64_t progress_us; /* work of this cycle until its last start */
};

void cs_watchdog_set(struct cs_watchdog *w, int64_t budget_ms, int64_t hang_s);

void cs_watchdog_begin(struct cs_watchdog *w);	  /* a cycle, working */
void cs_watchdog_pause(struct cs_watchdog *w);	  /* about to wait for a lock */
void cs_watchdog_go_on(struct cs_watchdog *w);	  /* got it */
void cs_watchdog_progress(struct cs_watchdog *w); /* it has started jobs */
void cs_watchdog_end(struct cs_watchdog *w);

/* Has the cycle taken half of the budget?  Many rounds are no reason to end mode act:
 * stop and continue in the next cycle. */
bool cs_watchdog_half(const struct cs_watchdog *w);

/* Must mode act end?  One line in @ret_why[@size]: what and how much. */
bool cs_watchdog_trips(struct cs_watchdog *w, char *ret_why, size_t size);

#endif
