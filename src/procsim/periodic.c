/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periodic boost.
 *
 * Rule, every period_us:
 *  1. PB boosts a ready process with pending messages, by turns; none if the current
 *     process has pending messages itself and does not spin.
 *  2. PROC-S boosts the process that Algorithm 1 names among all with pending messages,
 *     unless it runs.
 *  3. With boost_over=spinning both leave a current process alone that does not spin.
 *  4. The boosted process runs at once, and keeps the level until it waits (cpu.c,
 *     rule 4).
 *
 * Source: Yu07, sections 2 and 3.3.  Rule 3 and rule 1's second half are ours: without the
 * latter a process that was boosted, and has messages to read, loses the CPU to the next.
 */
#include "procsim/periodic.h"

#include "procsim/choose.h"
#include "procsim/cpu.h"

/* Rule 1. */
static struct cs_process *by_turns(const struct cs_world *w,
				   struct cs_world_node *n)
{
	if (n->current && cs_choose_pending(w, n->current) &&
	    n->current->what != CS_TIME_SPIN)
		return NULL;
	for (uint32_t i = 1; i <= w->mpl; i++) {
		uint32_t slot = (n->turn + i) % w->mpl;
		struct cs_process *p = n->slot[slot];

		if (p && p->state == CS_STATE_READY &&
		    cs_choose_pending(w, p)) {
			n->turn = slot;
			return p;
		}
	}
	return NULL;
}

/* Rule 2. */
static struct cs_process *by_latency(struct cs_world *w,
				     struct cs_world_node *n)
{
	const struct cs_process *p;
	uint32_t slot;
	size_t k = 0;

	for (uint32_t i = 0; i < w->mpl; i++)
		if ((p = n->slot[i]) && (p->state == CS_STATE_READY ||
					 p->state == CS_STATE_RUNNING))
			k = cs_choose_add(w, p, k);
	slot = cs_proc_reorder(&n->tables, w->pending, k, w->now_ns);
	cs_cpu_kernel(w, n, (int64_t)k * cs_setting_ns(w->set.compare_us));
	return slot == CS_PROC_NONE || n->slot[slot] == n->current
		       ? NULL
		       : n->slot[slot];
}

void cs_periodic_run(struct cs_world *w, struct cs_world_node *n)
{
	double us = w->set.check_us +
		    (double)n->n_process * w->set.check_process_us;
	struct cs_process *p;

	n->period = n->n_process;
	if (!n->period)
		return;
	cs_world_at(w, w->now_ns + cs_setting_ns(w->set.period_us),
		    CS_WORLD_PERIOD, n->id, 0);
	cs_cpu_kernel(w, n, cs_setting_ns(us));
	if (w->set.boost_over == CS_BOOST_OVER_SPINNING && n->current &&
	    n->current->what != CS_TIME_SPIN)
		return;
	p = w->scheme->period == CS_PERIOD_REORDER ? by_latency(w, n)
						   : by_turns(w, n);
	if (p)
		cs_cpu_force(w, p);
}
