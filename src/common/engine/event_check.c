/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of an event before anything changes: are its job, seq and nodes known, and the
 * cores free?
 */
#include "engine/engine.h"
#include "engine/event_parts.h"

#include <errno.h>

#include "job/oversub.h"
#include "lifecycle/keepers.h"

int cs_event_unknown(struct cs_err *err, const char *what, uint32_t id)
{
	return cs_err_set(err, -ENOENT, "%s %u is not known", what, id);
}

struct cs_ejob *cs_event_asked(const struct cs_engine *e, uint32_t seq,
			       enum cs_state state)
{
	const struct cs_list *all = &e->started;
	uint32_t last = all->n ? all->job[all->n - 1]->seq : 0;

	/* a decide's proposals are at the end, mostly one behind the other */
	if (seq && last >= seq && last - seq < all->n) {
		struct cs_ejob *j = all->job[all->n - 1 - (last - seq)];

		if (j->state == state && j->seq == seq)
			return j;
	}
	for (size_t i = e->started.n; seq && i--;)
		if (e->started.job[i]->state == state &&
		    e->started.job[i]->seq == seq)
			return e->started.job[i];
	return NULL;
}

int cs_event_started_job(const struct cs_engine *e, uint32_t id,
			 struct cs_ejob **ret, struct cs_err *err)
{
	*ret = cs_engine_job(e, id);
	if (!*ret)
		return cs_event_unknown(err, "job", id);
	if ((*ret)->state != CS_RUNNING && (*ret)->state != CS_SUSPENDED &&
	    (*ret)->state != CS_STOPPED)
		return cs_err_set(err, -EINVAL, "job %u does not run", id);
	return 0;
}

/* Are all its GPUs on its @i-th node there? */
static bool has_gpus(const struct cs_engine *e, const struct cs_alloc *a,
		     uint32_t i)
{
	const struct cs_node *node = &e->machine->node[a->node[i].node];

	return !(a->node[i].gpus & ~cs_gpus_of(node->gpus, 0));
}

/* Are all its cores on its @i-th node there? */
static bool has_cores(const struct cs_engine *e, const struct cs_alloc *a,
		      uint32_t i)
{
	const struct cs_node *node = &e->machine->node[a->node[i].node];

	for (uint32_t w = 0; w < a->words; w++)
		if (cs_alloc_cores(a, i)[w] & ~cs_node_all_cores(node, w))
			return false;
	return true;
}

int cs_event_check_alloc(const struct cs_engine *e, const struct cs_alloc *a,
			 struct cs_err *err)
{
	if (!a || !a->n_node || a->words != e->machine->words)
		return cs_err_set(err, -EINVAL, "an allocation of no nodes");
	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].node >= e->machine->n_node ||
		    (i && a->node[i].node <= a->node[i - 1].node))
			return cs_err_set(err, -EINVAL,
					  "allocation: node index %u out of "
					  "range or order",
					  a->node[i].node);
		else if (!has_cores(e, a, i))
			return cs_err_set(err, -EINVAL,
					  "allocation: no such core on node %u",
					  a->node[i].node);
		else if (!has_gpus(e, a, i))
			return cs_err_set(err, -EINVAL,
					  "allocation: no such GPU on node %u",
					  a->node[i].node);
	return 0;
}

int cs_event_check_free(const struct cs_slice_machine *sm,
			const struct cs_alloc *a, const struct cs_alloc *own,
			struct cs_err *err)
{
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		const uint64_t *used = cs_occ_used(&sm->now, n);
		const uint64_t *mine = cs_alloc_cores_on(own, n);

		for (uint32_t w = 0; w < a->words; w++)
			if (cs_alloc_cores(a, i)[w] & used[w] &
			    ~(mine ? mine[w] : 0))
				return cs_err_set(err, -EINVAL,
						  "somebody else holds a core "
						  "of it on node %u",
						  n);
	}
	return 0;
}

int cs_event_check_cores(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const struct cs_alloc *a,
			 const struct cs_alloc *own, struct cs_err *err)
{
	if (cs_oversub_on(e) && cs_oversub_fits(e, j, option, a))
		return 0;
	return cs_event_check_free(cs_sm_of(e, j), a, own, err);
}

/* Cores of word @w of node @n whose jobs make room. */
static uint64_t yielded(const struct cs_engine *e,
			const struct cs_slice_machine *sm, uint32_t n,
			uint32_t w)
{
	uint64_t cores = 0;

	for (uint32_t k = 0; k < sm->on[n].n; k++) {
		const struct cs_ejob *j = e->slot[sm->on[n].slot[k]];

		if (cs_keepers_yields(e, j))
			cores |= cs_alloc_cores_on(j->alloc, n)[w];
	}
	return cores;
}

int cs_event_make_room(struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_alloc *a,
		       struct cs_err *err)
{
	const struct cs_slice_machine *sm = cs_sm_of(e, j);
	int rc = cs_event_check_cores(e, j, option, a, NULL, err);

	if (!rc)
		return 0;
	for (uint32_t i = 0; i < a->n_node; i++)
		for (uint32_t w = 0; w < a->words; w++) {
			uint32_t n = a->node[i].node;

			if (cs_alloc_cores(a, i)[w] &
			    cs_occ_used(&sm->now, n)[w] & ~yielded(e, sm, n, w))
				return rc;
		}
	cs_keepers_yield(e, sm, a);
	return 0;
}

bool cs_engine_has_room(const struct cs_engine *e, const struct cs_alloc *a)
{
	bool room = !cs_event_check_alloc(e, a, NULL);

	for (uint32_t i = 0; room && i < e->n_sm; i++)
		room = !cs_event_check_free(&e->sms[i], a, NULL, NULL);
	return room;
}

void cs_engine_free_cores(const struct cs_engine *e, uint32_t n,
			  uint64_t *cores)
{
	const uint64_t *used = cs_occ_used(&e->sm->now, n);

	for (uint32_t w = 0; w < e->machine->words; w++)
		cores[w] |=
			cs_node_all_cores(&e->machine->node[n], w) & ~used[w];
}

void cs_engine_unheld(const struct cs_engine *e, const struct cs_alloc *a,
		      uint64_t *ret_nodes)
{
	if (a->words != e->machine->words)
		return;
	for (uint32_t i = 0; i < a->n_node; i++) {
		const uint64_t *cores = cs_alloc_cores(a, i);
		uint32_t n = a->node[i].node;

		for (uint32_t w = 0; n < e->machine->n_node && w < a->words;
		     w++)
			if (cores[w] & ~cs_occ_used(&e->sm->now, n)[w])
				cs_bit_set(ret_nodes, n);
	}
}
