/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waiting jobs and nodes show of ours is taken back (leave.c). */
#ifndef CS_SCHED_APPLY_LEAVE_H
#define CS_SCHED_APPLY_LEAVE_H

#include <stdbool.h>
#include <stdint.h>

struct cs_leave {
	bool ends;	/* mode act ends; else it begins */
	bool predicted; /* the starts of all waiting jobs are ours, too */
	uint32_t *id;	/* [n] of waiting jobs, from the first step on */
	uint32_t n, next;
};

/*
 * One step.  When act begins: remove reasons that an earlier build of ours wrote.  When it
 * ends, also our part of comments and, with @l->predicted, planned starts; no node is
 * PLANNED then.
 *
 * Write locks, which should be released at @until_us (cs_gate_now_us()).  The first step
 * notes the waiting jobs, O(jobs) of some 50 ns; a further one looks each up by its id.
 * Returns 1: more is left, 0: done.
 */
int cs_leave_step(struct cs_leave *l, int64_t until_us);

/* No more steps. */
void cs_leave_done(struct cs_leave *l);

#endif
