/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that mode act has started, and act is over (after_act.c). */
#ifndef CS_SCHED_APPLY_AFTER_ACT_H
#define CS_SCHED_APPLY_AFTER_ACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/stamps.h"

struct cs_after_job;
struct cs_kept;

struct cs_after {
	struct cs_kept
		*kept; /* [n_kept] lines of the state, to be found among the
				 jobs; NULL: all were */
	uint32_t n_kept, next;
	struct cs_after_job *job; /* [n] that still have something of ours */
	uint32_t n;
	struct cs_stamps stamps; /* of the last look at them */
};

/*
 * Act is over, and @state [@len] is what it saved last (cs_checkpoint_save(); may be
 * NULL): read those of its jobs whose limit was raised, whose comment is ours or that time
 * slices stopped.  No lock; O(jobs of @state), 2 us each.
 */
void cs_after_read(struct cs_after *a, const char *state, size_t len);

/*
 * Then in steps: note those of them that run, and take the administrator's mark off these
 * limits.  Write locks, which should be released at @until_us (cs_gate_now_us()).
 * Returns 1: more is left, 0: done.
 */
int cs_after_step(struct cs_after *a, int64_t until_us);

/* Give those that wait again what they had before; true: records have changed, and
 * should be saved.  Write locks; O(a->n). */
bool cs_after_look(struct cs_after *a);

/* Act is back, or all ends.  @a is empty then. */
void cs_after_end(struct cs_after *a);

#endif
