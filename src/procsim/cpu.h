/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node's CPU: who runs, until when, and what its time goes to; rules in cpu.c. */
#ifndef CS_PROCSIM_CPU_H
#define CS_PROCSIM_CPU_H

#include "procsim/world.h"

/* Why a process leaves the CPU, as in the event file. */
enum cs_cpu_reason {
	CS_CPU_BLOCKS = 'b',
	CS_CPU_ENDS = 'e',
	CS_CPU_PREEMPTED = 'p',
	CS_CPU_QUANTUM = 'q'
};

/* Account the CPU's time until now. */
void cs_cpu_settle(struct cs_world *w, struct cs_world_node *n);
/* The current process's step has changed: set its timer. */
void cs_cpu_arm(struct cs_world *w, struct cs_world_node *n);
/* The kernel takes @cost_ns of the CPU, which delays what runs. */
void cs_cpu_kernel(struct cs_world *w, struct cs_world_node *n,
		   int64_t cost_ns);
/* The current process leaves; the caller sets its state, and cs_cpu_next() follows. */
void cs_cpu_leave(struct cs_world *w, struct cs_world_node *n,
		  enum cs_cpu_reason reason);
/* The CPU has no current process: choose the next one, if any is ready. */
void cs_cpu_next(struct cs_world *w, struct cs_world_node *n);
/* Process @p became ready at @level, with a new quantum: it may preempt. */
void cs_cpu_ready(struct cs_world *w, struct cs_process *p, unsigned level);
/* Give the ready process @p the highest level, as the last there; it may preempt. */
void cs_cpu_boost(struct cs_world *w, struct cs_process *p);
/* The same as the first there; it preempts whatever runs. */
void cs_cpu_force(struct cs_world *w, struct cs_process *p);
/* The level of @p, which is in no queue, becomes @level; there is no new quantum. */
void cs_cpu_set_level(struct cs_world *w, struct cs_process *p, uint8_t level);
/* The current process @p waits, which may end its boost.  Has its level fallen? */
bool cs_cpu_unboost(struct cs_world *w, struct cs_process *p);
/* The current process leaves the CPU if one of a higher level is ready.  Has it left? */
bool cs_cpu_yield(struct cs_world *w, struct cs_world_node *n);
/* The current process returns to the ready queue as the first of its level; if it has just
 * used its quantum, as the last of tqexp. */
void cs_cpu_preempt(struct cs_world *w, struct cs_world_node *n);
/* The timer of the node has fired. */
void cs_cpu_burst(struct cs_world *w, struct cs_world_node *n);
/* A process that waited for long rises. */
void cs_cpu_starved(struct cs_world *w, struct cs_world_node *n);

#endif
