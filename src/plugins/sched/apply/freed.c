/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs may preempt, and the cores that a preemption frees.
 *
 * A waiting job may preempt in an option (partition, QOS, reservation) that is open by
 * Slurm's queue and has a higher PriorityTier than some partition with running jobs, a
 * QOS that names others, with PreemptMode=WITHIN more priority than some running job, or
 * a reservation whose nodes may be lent while borrowing jobs run.
 *
 * Slurm ends the jobs in the way and starts the preempting job in a later attempt.  In
 * between, their cores belong to it: the engine, unaware, would fill half of a shared
 * node with a job that suits the other half, say the one just requeued, and Slurm would
 * preempt that in turn, for ever.
 *
 * So from the first attempt on the cores of all leaving jobs, on nodes that it may use
 * in the option that preempted, are kept for it, unless already kept for another: other
 * jobs' starts there are refused, its own may take them, whatever its neighbours.  If it
 * also wants generic resources, others that want some get nothing on these nodes: Slurm
 * chooses the devices, and would give them the freed ones.
 *
 * Until it has started or may no longer preempt, and at most as long as Slurm itself
 * waits before it preempts others for the same job (KillWait and MessageTimeout),
 * counted from each preemption.
 */
#include "sched/apply/freed.h"

#include <stdlib.h>

#include "sched/view/view_table.h"

#define MORE_S 2 /* Slurm's wait ends first */

struct kept { /* for a preempting job */
	uint32_t for_id;
	const uint64_t *nodes; /* that it may use */
};

/* May it preempt borrowers of its reservation's nodes? */
static bool reclaims(const struct cs_adapter *b, const struct cs_view_option *o)
{
	return o->preempts & CS_VIEW_PREEMPTS_RESV && b->view->borrowed;
}

static bool may_preempt(const struct cs_adapter *b,
			const struct cs_known_job *k,
			const struct cs_view_option *o)
{
	if (o->flags & CS_JOB_BLOCKED || !o->preempts)
		return false;
	/* a job that has preempted all there has yet to start */
	return reclaims(b, o) || k->frees_us > b->now_us ||
	       (o->preempts & CS_VIEW_PREEMPTS_TIER &&
		o->tier > b->view->lowest_tier) ||
	       (o->preempts & CS_VIEW_PREEMPTS_QOS) ||
	       (o->preempts & CS_VIEW_PREEMPTS_WITHIN &&
		k->priority > b->view->lowest_priority);
}

uint64_t cs_freed_preempts(const struct cs_adapter *b,
			   const struct cs_known_job *k)
{
	const struct cs_view_desc *d = cs_known_desc(k);
	const struct cs_view_option *o;
	uint64_t options = 0;
	bool lent = false;

	if (k->state != CS_VIEW_WAITING || k->ghost || !d || d->n_comp ||
	    (d->flags & CS_JOB_BLOCKED) || d->eligible_us > b->now_us)
		return 0;
	o = cs_known_options(k);
	for (uint32_t i = 0; i < d->n_option && i < CS_VIEW_PARTS; i++)
		if (may_preempt(b, k, &o[i])) {
			options |= UINT64_C(1) << i;
			lent |= reclaims(b, &o[i]);
		}
	/* borrowers may run until the reservation ends: never, as it seems */
	if (options && !lent && cs_explain_never(b->engine, k->id))
		return 0;
	return options;
}

/* Has it ended, or been told to end soon? */
static bool goes(uint32_t id)
{
	const job_record_t *job_ptr = find_job_record(id);

	return job_ptr && (!IS_JOB_RUNNING(job_ptr) || job_ptr->preempt_time);
}

/* In a heterogeneous job any component may. */
static bool wants_gres(uint32_t id)
{
	const job_record_t *job_ptr = find_job_record(id);

	return job_ptr && (job_ptr->het_job_list || cs_job_wants_gres(job_ptr));
}

/* Cores kept for another stay with it. */
static void keep_core(struct cs_adapter *b, uint32_t at, uint32_t for_id)
{
	if (!b->batch.freed[at])
		b->batch.freed[at] = for_id;
}

static void keep_cores(struct cs_adapter *b, uint32_t id,
		       const struct kept *kept)
{
	struct cs_running r;

	if (cs_engine_running(b->engine, id, &r) || r.suspended || !goes(id))
		return;
	for (uint32_t i = 0; i < r.alloc->n_node; i++) {
		uint32_t node = r.alloc->node[i].node;
		uint32_t n = cs_view_system_cores(b->view, node);

		if (!cs_bit(kept->nodes, node))
			continue;
		for (uint32_t c = 0; c < n; c++)
			if (cs_bit(cs_alloc_cores(r.alloc, i), c))
				keep_core(b,
					  cs_view_system_core(b->view, node, c),
					  kept->for_id);
	}
}

void cs_freed_begin(struct cs_adapter *b, struct cs_known_job *k,
		    const struct cs_view_option *o)
{
	int64_t s = slurm_conf.kill_wait + slurm_conf.msg_timeout + MORE_S;
	const struct kept kept = {
		.for_id = k->id,
		.nodes = cs_view_set_words(b->view->sets, o->set),
	};

	if (!b->batch.freed)
		b->batch.freed =
			calloc(b->view->n_core, sizeof(*b->batch.freed));
	if (!b->batch.freed)
		return;
	k->frees_us = b->now_us + s * 1000000;
	k->frees_gres = wants_gres(k->id);
	for (uint32_t i = 0; i < b->known.n; i++)
		keep_cores(b, b->known.list[i]->id, &kept);
}

void cs_freed_end(struct cs_adapter *b, struct cs_known_job *k)
{
	k->frees_us = 0;
	for (uint32_t c = 0; b->batch.freed && c < b->view->n_core; c++)
		if (b->batch.freed[c] == k->id)
			b->batch.freed[c] = 0;
}

void cs_freed_tidy(struct cs_adapter *b)
{
	bool any = false;

	for (uint32_t c = 0; b->batch.freed && c < b->view->n_core; c++) {
		const struct cs_known_job *k =
			b->batch.freed[c]
				? cs_known_find(&b->known, b->batch.freed[c])
				: NULL;

		if (!k || k->frees_us <= b->now_us || !cs_freed_preempts(b, k))
			b->batch.freed[c] = 0;
		any |= b->batch.freed[c];
	}
	if (any)
		return;
	free(b->batch.freed);
	b->batch.freed = NULL;
}

/* Does a job that wants generic resources wait for a core of @node? */
static bool gres_kept(const struct cs_adapter *b, uint32_t id, uint32_t node)
{
	const struct cs_known_job *k = NULL;
	uint32_t n = cs_view_system_cores(b->view, node);

	for (uint32_t c = 0; c < n; c++) {
		uint32_t of =
			b->batch.freed[cs_view_system_core(b->view, node, c)];

		if (!of || of == id || (k && k->id == of))
			continue;
		k = cs_known_find(&b->known, of);
		if (k && k->frees_gres)
			return true;
	}
	return false;
}

/* All cores of nodes whose devices are kept for jobs other than @id. */
static void forbid_gres(const struct cs_adapter *b, uint32_t id, bitstr_t *map)
{
	for (uint32_t node = 0; node < b->view->machine->n_node; node++) {
		uint32_t n = cs_view_system_cores(b->view, node);

		if (!n || !gres_kept(b, id, node))
			continue;
		for (uint32_t c = 0; c < n; c++)
			bit_set(map, cs_view_system_core(b->view, node, c));
	}
}

void cs_freed_forbid(const struct cs_adapter *b, uint32_t id, bitstr_t *map)
{
	if (b->batch.freed && wants_gres(id))
		forbid_gres(b, id, map);
	for (uint32_t c = 0; b->batch.freed && c < b->view->n_core; c++) {
		if (b->batch.freed[c] == id)
			bit_clear(map, c);
		else if (b->batch.freed[c])
			bit_set(map, c);
	}
}

bitstr_t *cs_freed_map(const struct cs_adapter *b, uint32_t id)
{
	bitstr_t *map = b->batch.freed ? bit_alloc(b->view->n_core) : NULL;

	if (map)
		cs_freed_forbid(b, id, map);
	return map;
}
