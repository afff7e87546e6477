/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes: up and down, and what they are.
 *
 * Problem.  Hosts add, remove and change nodes while thousands of jobs wait: the engine
 * must follow without being created anew.
 *
 * Rules.
 *  1. The machine has a place for each node that may ever be there.  A vacant one
 *     (machine.h) is down and counts nowhere.
 *  2. A node becomes another (cores, threads, memory), or vacant, only while it is down
 *     and nobody holds or will hold a part of it: no job, running, suspended or about to
 *     start, and no reservation of cores.  Its weight may change at any time.
 *  3. From then on all decisions are as if it had always been what it is, and down:
 *     whatever was derived from the machine is derived anew.  Only the reference of
 *     campaigns' work (campaign_work.c) stays.  What was learned goes on, as that of the
 *     types of nodes that are there now.
 *  4. A node of more cores than a set of cores holds, or the first one at all, needs a
 *     new engine.
 *
 * Cost: up or down O(1); what it is O(waiting and started jobs, node sets), and O(nodes)
 * for each set of which it was, or becomes, the smallest node.
 */
#include "engine/event_parts.h"

#include <errno.h>

#include "job/resv.h"
#include "model/shape.h"

/* Rule 2: does a job hold a part of node @n, or will it again? */
static bool is_held(const struct cs_engine *e, uint32_t n)
{
	for (uint32_t i = 0; i < e->n_sm; i++)
		if (e->sms[i].on[n].n || e->sms[i].now.node[n].used_mb)
			return true;
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		if (j->state != CS_RUNNING && j->state != CS_PROPOSED &&
		    (cs_alloc_cores_on(j->alloc, n) ||
		     cs_alloc_cores_on(j->whole, n)))
			return true;
	}
	return cs_resv_cut(e, n);
}

/* Is it the same but for its weight? */
static bool weighs(const struct cs_node *was, const struct cs_node *now)
{
	struct cs_node like = *now;

	like.weight = was->weight;
	return cs_node_same(was, &like);
}

/* May node @n become @now? */
static int check(const struct cs_engine *e, uint32_t n,
		 const struct cs_node *now, struct cs_err *err)
{
	if (weighs(&e->machine->node[n], now))
		return 0;
	if (!e->machine->n_there)
		return cs_err_set(err, -ERANGE,
				  "node %u is the first one of the machine", n);
	if (!cs_bit(e->sm->now.down, n))
		return cs_err_set(err, -EBUSY,
				  "node %u becomes another, but is up", n);
	if (is_held(e, n))
		return cs_err_set(err, -EBUSY,
				  "node %u becomes another, but is held", n);
	return 0;
}

/* Rule 3. */
static int become(struct cs_engine *e, uint32_t n, const struct cs_node *now,
		  struct cs_err *err)
{
	const struct cs_node was = e->machine->node[n];
	int rc = check(e, n, now, err)
			 ?: cs_machine_put(e->machine, n, now, err);

	if (rc || weighs(&was, now))
		return rc;
	for (uint32_t i = 0; i < e->n_nodeset; i++)
		if (cs_bit(e->nodeset[i], n))
			cs_layout_sizes_again(e->machine, e->nodeset[i],
					      &e->nodeset_sizes[i], n);
	for (uint32_t i = 0; i < e->n_sm; i++) {
		cs_occ_renew(&e->sms[i].now, n);
		e->sms[i].regroup = true;
	}
	for (size_t i = 0; i < e->waiting.n; i++)
		e->waiting.job[i]->part.made = false;
	cs_tell(e->slice, became, e, n, &was);
	return 0;
}

int cs_event_node(struct cs_engine *e, const struct cs_event *ev,
		  struct cs_err *err)
{
	uint32_t n = ev->node.index;
	const struct cs_node *now = ev->node.now;
	bool up = ev->node.up;
	int rc;

	if (n >= e->machine->n_node)
		return cs_event_unknown(err, "node", n);
	if (up && cs_node_vacant(now ? now : &e->machine->node[n]))
		return cs_err_set(err, -EINVAL, "node %u is not there", n);
	rc = now ? become(e, n, now, err) : 0;
	if (rc)
		return rc;
	if (up == cs_bit(e->sm->now.down, n))
		cs_tell(e->order, cores, e, cs_node_cores(&e->machine->node[n]),
			up);
	for (uint32_t i = 0; i < e->n_sm; i++) {
		struct cs_slice_machine *sm = &e->sms[i];

		cs_bit_put(sm->now.down, n, !up);
		sm->stale = true;
	}
	e->layouts++;
	e->epoch++;
	return 0;
}
