/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node's CPU.
 *
 * Rule.
 *  1. The kernel goes first: switches, interrupts, blocking and checks follow one another,
 *     and delay the current process.
 *  2. The current process runs until its step or its quantum ends; one that spins has a
 *     step without an end, so that spinning costs no events.
 *  3. A switch is each choice of a process other than the one that ran last, also after
 *     idle time.  It costs switch_us.
 *  4. A boost raises a process to the highest level.  It is no new quantum for one that is
 *     there already: a process that spins sinks, whatever boosts it, so that none can keep
 *     the CPU (ts.c, rule 2).  The boost of a ready process ends when it waits: it has
 *     the level from before, and what is ready at a higher one preempts it.
 *     With boost_until=quantum it keeps the level; then a process whose I/O has ended, at
 *     slpret, waits behind all that were boosted and spin, for 20 ms each.
 *  5. Under GS processes run in their row's turn, without a quantum.
 *
 * Invariant: the times of w->time_ns sum up to the nodes' time, when the last job ends.
 */
#include "procsim/cpu.h"

#include <inttypes.h>

#include "procsim/choose.h"
#include "procsim/process.h"

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void cs_cpu_settle(struct cs_world *w, struct cs_world_node *n)
{
	struct cs_process *p = n->current;
	int64_t used = w->now_ns - n->from_ns;

	if (used <= 0)
		return;
	n->from_ns = w->now_ns;
	if (!p) {
		w->time_ns[n->n_process ? CS_TIME_IDLE : CS_TIME_EMPTY] += used;
		return;
	}
	w->time_ns[p->what] += used;
	p->left_ns -= used;
	p->quantum_ns -= used;
	n->stay_ns += used;
}

void cs_cpu_arm(struct cs_world *w, struct cs_world_node *n)
{
	const struct cs_process *p = n->current;
	int64_t most = p->left_ns < p->quantum_ns ? p->left_ns : p->quantum_ns;

	n->timer++;
	if (most < CS_WORLD_FOREVER / 2)
		cs_world_at(w, n->from_ns + most, CS_WORLD_BURST, n->id,
			    n->timer);
}

/* Take @cost_ns for @what. */
static void take(struct cs_world *w, struct cs_world_node *n, int64_t cost_ns,
		 enum cs_world_time what)
{
	n->kernel_ns = later(n->kernel_ns, w->now_ns) + cost_ns;
	n->from_ns = n->kernel_ns;
	w->time_ns[what] += cost_ns;
}

void cs_cpu_kernel(struct cs_world *w, struct cs_world_node *n, int64_t cost_ns)
{
	cs_cpu_settle(w, n);
	take(w, n, cost_ns, CS_TIME_OVERHEAD);
	if (n->current)
		cs_cpu_arm(w, n);
}

static int64_t quantum_of(const struct cs_world *w, unsigned level)
{
	if (w->scheme->space == CS_SPACE_ROWS)
		return CS_WORLD_FOREVER;
	return (int64_t)((double)cs_ts_row(level).quantum_ns *
			 w->set.quantum_scale);
}

/* What is left of the quantum, as in the event file: -1: there is none. */
static int64_t noted_quantum(const struct cs_process *p)
{
	return p->quantum_ns < CS_WORLD_FOREVER / 2 ? p->quantum_ns : -1;
}

void cs_cpu_leave(struct cs_world *w, struct cs_world_node *n,
		  enum cs_cpu_reason reason)
{
	struct cs_process *p = n->current;

	cs_cpu_settle(w, n);
	cs_world_note(w, "O %" PRId64 " %u %u %c %" PRId64 "\n", w->now_ns,
		      p->id, n->id, reason, noted_quantum(p));
	n->last = p;
	n->current = NULL;
	n->timer++;
}

/* Nothing is ready: the CPU becomes, or stays, idle. */
static void idle(struct cs_world *w, struct cs_world_node *n)
{
	if (!n->last)
		return;
	cs_choose_switched(w, n, NULL);
	n->last = NULL;
	n->stay_ns = 0;
	n->from_ns = later(n->kernel_ns, n->from_ns);
}

void cs_cpu_next(struct cs_world *w, struct cs_world_node *n)
{
	struct cs_choice c = cs_choose(w, n);
	struct cs_process *p = c.process;

	if (!p) {
		idle(w, n);
		return;
	}
	cs_cpu_settle(w, n);
	cs_ts_remove(&n->ready, &p->link);
	if (p != n->last) {
		cs_choose_count(n, &c);
		cs_choose_switched(w, n, p);
		n->stay_ns = 0;
		take(w, n, c.cost_ns, CS_TIME_OVERHEAD);
		take(w, n, w->switch_ns, CS_TIME_SWITCH);
	}
	n->from_ns = later(n->kernel_ns, w->now_ns);
	n->current = p;
	n->last = NULL;
	p->state = CS_STATE_RUNNING;
	cs_world_note(w, "R %" PRId64 " %u %u %u %" PRId64 "\n", w->now_ns,
		      p->id, n->id, p->link.level, noted_quantum(p));
	cs_cpu_arm(w, n);
}

/* To the ready queue: the last of its level. */
static void append(struct cs_world *w, struct cs_world_node *n,
		   struct cs_process *p)
{
	p->state = CS_STATE_READY;
	p->since_ns = w->now_ns;
	cs_ts_append(&n->ready, &p->link);
}

/* The current process, which has used its quantum, leaves. */
static void sink(struct cs_world *w, struct cs_world_node *n)
{
	struct cs_process *p = n->current;

	cs_cpu_leave(w, n, CS_CPU_QUANTUM);
	p->boosted = false;
	p->link.level = cs_ts_row(p->link.level).tqexp;
	p->unflagged = cs_ts_row(p->unflagged).tqexp;
	p->quantum_ns = quantum_of(w, p->link.level);
	append(w, n, p);
}

void cs_cpu_preempt(struct cs_world *w, struct cs_world_node *n)
{
	struct cs_process *p = n->current;

	cs_cpu_settle(w, n);
	if (p->quantum_ns <= 0) {
		sink(w, n);
		return;
	}
	cs_cpu_leave(w, n, CS_CPU_PREEMPTED);
	p->state = CS_STATE_READY;
	p->since_ns = w->now_ns;
	cs_ts_prepend(&n->ready, &p->link);
}

/* The ready queue has got a process. */
static void consider(struct cs_world *w, struct cs_world_node *n)
{
	const struct cs_ts_link *first = cs_ts_first(&n->ready);

	if (n->current) {
		if (w->scheme->space == CS_SPACE_ROWS || !first ||
		    first->level <= n->current->link.level)
			return;
		cs_cpu_preempt(w, n);
	}
	cs_cpu_next(w, n);
}

void cs_cpu_ready(struct cs_world *w, struct cs_process *p, unsigned level)
{
	struct cs_world_node *n = &w->node[p->node];

	p->link.level = (uint8_t)level;
	p->quantum_ns = quantum_of(w, level);
	append(w, n, p);
	consider(w, n);
}

/* Rule 4. */
static void raise_level(struct cs_world *w, struct cs_world_node *n,
			struct cs_process *p)
{
	cs_ts_remove(&n->ready, &p->link);
	if (p->link.level != CS_TS_TOP) {
		p->quantum_ns = quantum_of(w, CS_TS_TOP);
		p->boosted = true;
		p->unboosted = p->link.level;
	}
	p->link.level = CS_TS_TOP;
	cs_proc_node_insert(&n->measure);
}

void cs_cpu_boost(struct cs_world *w, struct cs_process *p)
{
	struct cs_world_node *n = &w->node[p->node];

	raise_level(w, n, p);
	append(w, n, p);
	consider(w, n);
}

void cs_cpu_force(struct cs_world *w, struct cs_process *p)
{
	struct cs_world_node *n = &w->node[p->node];

	raise_level(w, n, p);
	if (n->current)
		cs_cpu_preempt(w, n);
	cs_ts_prepend(&n->ready, &p->link);
	cs_cpu_next(w, n);
}

void cs_cpu_set_level(struct cs_world *w, struct cs_process *p, uint8_t level)
{
	int64_t most = quantum_of(w, level);

	p->link.level = level;
	if (p->quantum_ns > most)
		p->quantum_ns = most;
	if (p->state == CS_STATE_RUNNING)
		cs_world_note(w, "L %" PRId64 " %u %u %" PRId64 "\n", w->now_ns,
			      p->id, level, noted_quantum(p));
}

bool cs_cpu_unboost(struct cs_world *w, struct cs_process *p)
{
	if (!p->boosted || w->set.boost_until != CS_BOOST_UNTIL_WAIT)
		return false;
	p->boosted = false;
	cs_cpu_set_level(w, p, p->unboosted);
	return true;
}

bool cs_cpu_yield(struct cs_world *w, struct cs_world_node *n)
{
	const struct cs_ts_link *first = cs_ts_first(&n->ready);

	if (!first || first->level <= n->current->link.level)
		return false;
	cs_cpu_preempt(w, n);
	cs_cpu_next(w, n);
	return true;
}

void cs_cpu_burst(struct cs_world *w, struct cs_world_node *n)
{
	struct cs_process *p = n->current;

	cs_cpu_settle(w, n);
	if (p->left_ns <= 0 && !cs_process_step(w, n, p))
		return; /* it has left the CPU */
	if (p->quantum_ns > 0) {
		cs_cpu_arm(w, n);
		return;
	}
	sink(w, n);
	cs_cpu_next(w, n);
}

void cs_cpu_starved(struct cs_world *w, struct cs_world_node *n)
{
	int64_t most = cs_setting_ns(w->set.starvation_s * 1e6);

	n->starved = n->n_process;
	if (!n->starved)
		return;
	cs_world_at(w, w->now_ns + most, CS_WORLD_STARVED, n->id, 0);
	for (uint32_t i = 0; i < w->mpl; i++) {
		struct cs_process *p = n->slot[i];

		if (!p || p->state != CS_STATE_READY ||
		    w->now_ns - p->since_ns < most)
			continue;
		cs_ts_remove(&n->ready, &p->link);
		p->boosted = false;
		p->link.level = cs_ts_row(p->link.level).lwait;
		p->unflagged = cs_ts_row(p->unflagged).lwait;
		p->quantum_ns = quantum_of(w, p->link.level);
		append(w, n, p);
	}
	if (cs_ts_first(&n->ready))
		consider(w, n);
}
