/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's time: the wall clock, but never backwards.
 *
 * It follows the wall clock, also over a jump forward, as Slurm's own times do.  After
 * a jump back it continues at half the rate until the wall clock has caught up: every
 * awaited instant still comes, and the two agree again after twice the jump.
 *
 *	engine	|                 ,.'
 *		|             _,-'/
 *		|         _,-'   /  <- wall
 *		|       /       /
 *		|      /|      /
 *		|     / |     /
 *		+----------------------- monotonic
 *
 * At the full rate it would never agree again: begin times, reservations and starts are
 * Slurm's, by the wall clock, and would stay off for good.  No Slurm here.
 */
#ifndef CS_SCHED_FEED_CLOCK_H
#define CS_SCHED_FEED_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

/* The system's @clock. */
int64_t cs_clock_us(clockid_t clock);

struct cs_clock {	 /* zeroed: not begun */
	int64_t now_us;	 /* the engine's */
	int64_t mono_us; /* when that was */
};

/* Advance it to the instant of the two clocks; returns c->now_us. */
int64_t cs_clock_bring(struct cs_clock *c, int64_t wall_us, int64_t mono_us);

#endif
