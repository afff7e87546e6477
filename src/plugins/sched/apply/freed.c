/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may preempt, and the cores that a preemption frees.
 *
 * A waiting job may that has a higher PriorityTier than some partition that jobs run
 * in, a QOS that names others, with PreemptMode=WITHIN more priority than some job
 * that runs, or a reservation whose nodes may be lent, while jobs run that borrow.
 *
 * Slurm ends the jobs that stand in the way and starts the one that preempts them
 * in a later attempt.  Between the two, what they held is his: the engine, which
 * knows nothing of it, would fill the half of a shared node with whoever suits the
 * other half, the job that was just requeued for one, and Slurm would preempt that
 * in its turn, for ever.
 *
 * So from the attempt that set it going the cores of all jobs that go, on nodes that
 * he may use, are kept for him, unless they are kept for another already: starts of
 * others there are refused, his own may take them, beside whoever stands there.
 * Where he wants generic resources, too, others that want some take nothing of these
 * nodes: Slurm chooses the devices, and would give them those that were freed.
 *
 * Until he has started or may preempt no more, and at most as long as Slurm itself
 * waits before it preempts others for the same job (KillWait and MessageTimeout),
 * with each preemption anew.
 */
#include "sched/apply/freed.h"

#include <stdlib.h>

#include "sched/view/view_table.h"

#define MORE_S 2 /* Slurm's wait ends first */

struct kept { /* by one who preempts */
	uint32_t for_id;
	const uint64_t *nodes; /* that he may use */
};

bool cs_freed_preempts(const struct cs_adapter *b, const struct cs_known_job *k)
{
	const struct cs_view_desc *d = cs_known_desc(k);
	const struct cs_view_option *o;
	bool lent;

	if (k->state != CS_VIEW_WAITING || k->ghost || !d || !d->preempts ||
	    d->n_comp || (d->flags & CS_JOB_BLOCKED) ||
	    d->eligible_us > b->now_us)
		return false;
	/* who borrows may run on until the reservation has ended: never, as it looks */
	lent = d->preempts & CS_VIEW_PREEMPTS_RESV && b->view->borrowed;
	if (!lent && cs_explain_never(b->engine, k->id))
		return false;
	o = cs_known_options(k);
	/* who has preempted all that ran there is still to start */
	return lent || k->frees_us > b->now_us ||
	       o[0].tier > b->view->lowest_tier ||
	       (d->preempts & CS_VIEW_PREEMPTS_QOS) ||
	       (d->preempts & CS_VIEW_PREEMPTS_WITHIN &&
		k->priority > b->view->lowest_priority);
}

/* Is it ended, or told to end soon? */
static bool goes(uint32_t id)
{
	const job_record_t *job_ptr = find_job_record(id);

	return job_ptr && (!IS_JOB_RUNNING(job_ptr) || job_ptr->preempt_time);
}

/* Of a heterogeneous job some component may. */
static bool wants_gres(uint32_t id)
{
	const job_record_t *job_ptr = find_job_record(id);

	return job_ptr && (job_ptr->het_job_list || cs_job_wants_gres(job_ptr));
}

/* What is kept for another stays his. */
static void keep_core(struct cs_adapter *b, uint32_t at, uint32_t for_id)
{
	if (!b->freed[at])
		b->freed[at] = for_id;
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

void cs_freed_begin(struct cs_adapter *b, struct cs_known_job *k)
{
	int64_t s = slurm_conf.kill_wait + slurm_conf.msg_timeout + MORE_S;
	const struct kept kept = {
		.for_id = k->id,
		.nodes = cs_view_set_words(b->view->sets,
					   cs_known_options(k)->set),
	};

	if (!b->freed)
		b->freed = calloc(b->view->n_core, sizeof(*b->freed));
	if (!b->freed)
		return;
	k->frees_us = b->now_us + s * 1000000;
	k->frees_gres = wants_gres(k->id);
	for (uint32_t i = 0; i < b->known.n; i++)
		keep_cores(b, b->known.list[i]->id, &kept);
}

void cs_freed_end(struct cs_adapter *b, struct cs_known_job *k)
{
	k->frees_us = 0;
	for (uint32_t c = 0; b->freed && c < b->view->n_core; c++)
		if (b->freed[c] == k->id)
			b->freed[c] = 0;
}

void cs_freed_tidy(struct cs_adapter *b)
{
	bool any = false;

	for (uint32_t c = 0; b->freed && c < b->view->n_core; c++) {
		const struct cs_known_job *k =
			b->freed[c] ? cs_known_find(&b->known, b->freed[c])
				    : NULL;

		if (!k || k->frees_us <= b->now_us || !cs_freed_preempts(b, k))
			b->freed[c] = 0;
		any |= b->freed[c];
	}
	if (any)
		return;
	free(b->freed);
	b->freed = NULL;
}

/* Does one who wants generic resources wait for a core of @node? */
static bool gres_kept(const struct cs_adapter *b, uint32_t id, uint32_t node)
{
	const struct cs_known_job *k = NULL;
	uint32_t n = cs_view_system_cores(b->view, node);

	for (uint32_t c = 0; c < n; c++) {
		uint32_t of = b->freed[cs_view_system_core(b->view, node, c)];

		if (!of || of == id || (k && k->id == of))
			continue;
		k = cs_known_find(&b->known, of);
		if (k && k->frees_gres)
			return true;
	}
	return false;
}

/* All cores of the nodes whose devices are kept for others than @id. */
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
	if (b->freed && wants_gres(id))
		forbid_gres(b, id, map);
	for (uint32_t c = 0; b->freed && c < b->view->n_core; c++) {
		if (b->freed[c] == id)
			bit_clear(map, c);
		else if (b->freed[c])
			bit_set(map, c);
	}
}

bitstr_t *cs_freed_map(const struct cs_adapter *b, uint32_t id)
{
	bitstr_t *map = b->freed ? bit_alloc(b->view->n_core) : NULL;

	if (map)
		cs_freed_forbid(b, id, map);
	return map;
}
