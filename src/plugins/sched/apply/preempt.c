/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts that need a preemption.
 *
 * The engine starts jobs on free resources; only Slurm knows which jobs may be
 * suspended, requeued or cancelled for another.  So a waiting job that may preempt
 * (freed.c) and that the engine could not start goes to select_nodes() unchanged, on
 * all nodes that it may use: that finds out whether a preemption would do, and begins
 * it, as under stock.  The start follows in a later cycle, when the preempted jobs are
 * gone.
 *
 * In order of tier and priority, some a cycle, each again after a second while its
 * preemption lasts, else after retry_s.  Behind a job that waits in vain only those are
 * tried that use other nodes or end by its promised start: select_nodes() ignores
 * promises, and would let all of them pass it where there is room without a preemption.
 *
 * Idle cores beside a job that is not packed are kept from it: it may take the cores of
 * jobs it preempts (freed.c), but not share by chance; nor may it take those beside a
 * packed job if share_scope or share=no forbids it such neighbours.
 */
#include "sched/apply/apply.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/apply/freed.h"
#include "sched/apply/start_maps.h"
#include "sched/apply/start_step.h"
#include "sched/view/view_table.h"

#define A_CYCLE 8 /* attempts */
#define LOOKED 64 /* jobs */

bool cs_preempt_due(struct cs_adapter *b)
{
	for (uint32_t i = 0; i < b->known.n; i++)
		if (b->known.list[i]->preempt_us <= b->now_us &&
		    cs_freed_preempts(b, b->known.list[i]))
			return true;
	return false;
}

static bool before(const struct cs_known_job *a, const struct cs_known_job *b)
{
	const struct cs_view_option *x = cs_known_options(a);
	const struct cs_view_option *y = cs_known_options(b);

	if (x->tier != y->tier)
		return x->tier > y->tier;
	if (x->priority != y->priority)
		return x->priority > y->priority;
	return a->id < b->id;
}

static const uint64_t *nodes_of(const struct cs_adapter *b,
				const struct cs_known_job *k)
{
	return cs_view_set_words(b->view->sets, cs_known_options(k)->set);
}

static bool meet(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

struct ahead {		  /* of the jobs tried */
	uint64_t *nodes;  /* that any of them may use */
	int64_t start_us; /* earliest promised start; 0: unknown */
	const struct cs_known_job *last;
};

static bool may_pass(const struct cs_adapter *b, const struct cs_known_job *k,
		     const struct ahead *a)
{
	uint32_t words = cs_node_words(b->view->machine);

	return !meet(nodes_of(b, k), a->nodes, words) ||
	       cs_known_desc(k)->estimate_us <= a->start_us - b->now_us;
}

/* The first job that may pass @a; it then joins them. */
static struct cs_known_job *first(struct cs_adapter *b, struct ahead *a)
{
	uint32_t words = cs_node_words(b->view->machine);
	struct cs_known_job *best = NULL;
	int64_t at;

	for (uint32_t i = 0; i < b->known.n; i++) {
		struct cs_known_job *k = b->known.list[i];

		if (cs_freed_preempts(b, k) &&
		    (!a->last || before(a->last, k)) &&
		    (!best || before(k, best)) && may_pass(b, k, a))
			best = k;
	}
	if (!best)
		return NULL;
	a->last = best;
	for (uint32_t w = 0; w < words; w++)
		a->nodes[w] |= nodes_of(b, best)[w];
	at = cs_engine_predicted_start_us(b->engine, best->id, NULL);
	if (at == CS_TIME_NONE)
		at = 0;
	if (at < a->start_us)
		a->start_us = at;
	return best;
}

/* True: it has started. */
static bool attempt(struct cs_adapter *b, struct cs_known_job *k)
{
	job_record_t *job_ptr = find_job_record(k->id);
	const struct cs_view_option *o = cs_known_options(k);
	struct cs_refusal r;
	bitstr_t *nodes, *kept;
	uint32_t wanted;
	int rc;

	k->preempt_us = b->now_us + b->params.retry_s * 1000000;
	if (!cs_start_step_ready(b, job_ptr, o, &r))
		return false;
	if (fed_mgr_job_lock(job_ptr)) {
		cs_start_step_leave(job_ptr);
		return false;
	}
	nodes = cs_start_maps_set(b, o->set);
	kept = cs_start_maps_kept(b, k->id, NULL);
	cs_freed_forbid(b, k->id, kept);
	job_ptr->preempt_in_progress = false; /* as stock's schedulers do */
	wanted = job_ptr->time_limit;
	rc = cs_start_step_select(
		job_ptr,
		&(struct cs_where){ .nodes = nodes, .forbidden = kept });
	FREE_NULL_BITMAP(kept);
	FREE_NULL_BITMAP(nodes);
	if (rc) {
		fed_mgr_job_unlock(job_ptr);
		if (job_ptr->preempt_in_progress)
			cs_freed_begin(b, k);
		if (k->frees_us > b->now_us)
			k->preempt_us = b->now_us + 1000000;
		return false;
	}
	fed_mgr_job_start(job_ptr, job_ptr->start_time);
	cs_apply_limit_stretch(b, job_ptr, wanted, o->limit_max_us, NULL);
	cs_freed_end(b, k);
	b->wrote = true;
	info("cosched: started %pJ in %s on %s by preemption", job_ptr,
	     job_ptr->part_ptr->name, job_ptr->nodes);
	b->count.started++;
	b->count.cycle_started++;
	return true;
}

int cs_preempt(struct cs_adapter *b, int64_t until_us, struct cs_err *err)
{
	struct ahead a = {
		.nodes = calloc(cs_node_words(b->view->machine),
				sizeof(*a.nodes)),
		.start_us = CS_TIME_NONE,
	};
	struct cs_known_job *k;
	int n = 0, rc = 0;

	if (!a.nodes)
		return cs_err_set(err, -ENOMEM, "no memory for a node set");
	for (int i = 0; !rc && n < A_CYCLE && i < LOOKED; i++) {
		k = first(b, &a);
		if (!k)
			break;
		if (k->preempt_us > b->now_us)
			continue;
		if (attempt(b, k))
			/* The next look tells the engine: decide nothing until then. */
			b->batch.rounds = UINT32_MAX;
		n++;
		rc = cs_gate_now_us() >= until_us;
	}
	free(a.nodes);
	return rc;
}
