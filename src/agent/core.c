// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The token of a core.
 *
 * Problem.  Of several ranks of a core that have unread messages one runs next, and all
 * others of the machine (other programs, other users) must keep a part of the core.
 *
 * Rule.
 * 1. At each switch the process that Algorithm 1 names gets the token.
 * 2. But a process whose message has waited for CS_CORE_STARVE_NS gets it before that; of
 *    several the one that has waited longest, then the lower row.
 * 3. A stay is the time with the token.  CNP is the number of processes with messages
 *    besides the chosen one.
 * 4. A core is boosted for a share of each CS_CORE_WINDOW_NS and no more.
 *
 * Source.  Yu, Kim, Maeng 2007, sections 3.2 and 3.3.
 *
 * Differs.
 *  1. Rule 2: the paper's ERL falls with the waiting time without a bound on the wait.
 *  2. A stay includes what the kernel took from the rank meanwhile.
 *  3. A decision is false by this node's own table, since a node has no oracle.
 *
 * Known weakness.  Agents do not exchange ED and ENP: other nodes count as empty ones
 * (both 0), and Algorithm 1 takes the oldest message of those from them.
 */
#include "agent/core.h"

#include <string.h>

void cs_core_init(struct cs_core *c, int64_t now_ns)
{
	memset(c, 0, sizeof *c);
	cs_proc_node_init(&c->node, CS_PROC_WEIGHT, now_ns);
	c->holder = CS_PROC_NONE;
	c->window_ns = now_ns;
}

/* Rule 2; CS_PROC_NONE: no message is that old. */
static uint32_t starving(const struct cs_proc_pending *pending, size_t n,
			 int64_t now_ns)
{
	const struct cs_proc_pending *first = NULL;

	for (size_t k = 0; k < n; k++) {
		const struct cs_proc_pending *m = &pending[k];

		if (now_ns - m->arrived_ns < CS_CORE_STARVE_NS)
			continue;
		if (!first || m->arrived_ns < first->arrived_ns ||
		    (m->arrived_ns == first->arrived_ns &&
		     m->process < first->process))
			first = m;
	}
	return first ? first->process : CS_PROC_NONE;
}

/* Processes of @pending other than @chosen; messages of one process are neighbours. */
static uint32_t others(const struct cs_proc_pending *pending, size_t n,
		       uint32_t chosen)
{
	uint32_t count = 0;

	for (size_t k = 0; k < n; k++)
		count += pending[k].process != chosen &&
			 (!k || pending[k].process != pending[k - 1].process);
	return count;
}

static bool is_false(const struct cs_proc_tables *t,
		     const struct cs_proc_pending *pending, size_t n,
		     uint32_t chosen)
{
	double latency_ns[CS_CORE_SOURCES];

	for (uint32_t s = 0; s < t->n_node && s < CS_CORE_SOURCES; s++)
		latency_ns[s] =
			cs_proc_latency_ns(&t->global[s].l, CS_CORE_SWITCH_NS);
	return cs_proc_false(pending, n, chosen, latency_ns);
}

uint32_t cs_core_switch(struct cs_core *c, struct cs_proc_tables *t,
			const struct cs_proc_pending *pending, size_t n,
			int64_t now_ns)
{
	uint32_t next = cs_proc_reorder(t, pending, n, now_ns);
	uint32_t starved = starving(pending, n, now_ns);
	uint32_t had = c->holder;

	if (starved != CS_PROC_NONE)
		next = starved;
	cs_proc_node_switch(&c->node,
			    had == CS_PROC_NONE ? -1 : now_ns - c->since_ns,
			    now_ns);
	c->l = cs_proc_node_latency(&c->node, others(pending, n, next));
	c->holder = next;
	c->since_ns = now_ns;
	if (next == CS_PROC_NONE)
		return next;
	c->counts.switches++;
	if (cs_proc_conflict(pending, n) < 2)
		return next;
	c->counts.conflicts++;
	c->counts.falses += is_false(t, pending, n, next);
	return next;
}

static void turn_window(struct cs_core *c, int64_t now_ns)
{
	if (now_ns - c->window_ns < CS_CORE_WINDOW_NS)
		return;
	c->window_ns = now_ns;
	c->boosted_ns = 0;
}

void cs_core_boosted(struct cs_core *c, int64_t ns, int64_t now_ns)
{
	turn_window(c, now_ns);
	c->boosted_ns += ns > 0 ? ns : 0;
}

int64_t cs_core_boost_left(struct cs_core *c, int64_t share_ns, int64_t now_ns)
{
	turn_window(c, now_ns);
	return share_ns > c->boosted_ns ? share_ns - c->boosted_ns : 0;
}
