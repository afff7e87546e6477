/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that mode act has started, and act is over (after_act.c). */
#ifndef CS_SCHED_APPLY_AFTER_ACT_H
#define CS_SCHED_APPLY_AFTER_ACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/stamps.h"

struct cs_after_job;

struct cs_after {
	struct cs_after_job *job; /* [n] that still have something of ours */
	uint32_t n;
	struct cs_stamps stamps; /* of the last look at them */
};

/*
 * Act is over, and @state [@len] is what it saved last (cs_checkpoint_save(); may be
 * NULL): note its running jobs whose limit was raised or whose comment is ours, and take
 * the administrator's mark off these limits.  Write locks; O(jobs of @state).
 */
void cs_after_begin(struct cs_after *a, const char *state, size_t len);

/* Give those that wait again what they had before; true: records have changed, and
 * should be saved.  Write locks; O(a->n). */
bool cs_after_look(struct cs_after *a);

/* Act is back, or all ends.  @a is empty. */
void cs_after_end(struct cs_after *a);

#endif
