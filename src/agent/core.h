/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The token of a core: which of its ranks runs next, by Algorithm 1 of PROC
 * (proc/reorder.h), and what that is measured by.  The theory is in core.c.
 *
 * Pure: no clock, no system call.  Times are nanoseconds of a clock that never goes back.
 */
#ifndef CS_AGENT_CORE_H
#define CS_AGENT_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "proc/reorder.h"

#define CS_CORE_SWITCH_NS 2000.0	     /* what a switch costs */
#define CS_CORE_STARVE_NS INT64_C(100000000) /* a longer wait goes first */
#define CS_CORE_SOURCES 256		     /* nodes that messages come from */
#define CS_CORE_HERE 0			     /* the source that is this node */
#define CS_CORE_WINDOW_NS INT64_C(100000000)

struct cs_core {
	struct cs_proc_node node;
	struct cs_proc_counts counts;
	uint64_t forced;	  /* switches at the end of a quantum */
	uint32_t holder;	  /* the row that has the token; CS_PROC_NONE */
	int64_t since_ns;	  /* since when */
	struct cs_proc_latency l; /* as of the last switch */
	int64_t window_ns;	  /* the window of cs_core_boosted() */
	int64_t boosted_ns;	  /* boosted in it */
};

void cs_core_init(struct cs_core *c, int64_t now_ns);

/*
 * The holder, if there is one, gives back the token at @now_ns; of the processes of the
 * @n messages the next one gets it.  The result is c->holder: CS_PROC_NONE without
 * messages.  All of @pending must have passed cs_proc_tables_arrived().
 */
uint32_t cs_core_switch(struct cs_core *c, struct cs_proc_tables *t,
			const struct cs_proc_pending *pending, size_t n,
			int64_t now_ns);

/* A boost of @ns ended at @now_ns. */
void cs_core_boosted(struct cs_core *c, int64_t ns, int64_t now_ns);

/* How long a boost that begins at @now_ns may last, of @share_ns in each window of
 * CS_CORE_WINDOW_NS. */
int64_t cs_core_boost_left(struct cs_core *c, int64_t share_ns, int64_t now_ns);

#endif
