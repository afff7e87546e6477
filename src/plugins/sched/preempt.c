/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts that need a preemption.
 *
 * The engine starts jobs on what is free; which jobs may be suspended, requeued
 * or cancelled for another is Slurm's to know.  So a waiting job that may preempt
 * (a higher PriorityTier than some partition that jobs run in, or a QOS that
 * names others) and that the engine could not start is given to select_nodes()
 * as it is, on all nodes that it may use: that finds out whether a preemption
 * would do, and sets it going, as under stock.  The start follows in a later
 * cycle, when the preempted jobs have gone.
 *
 * In order of tier and priority, some a cycle, each again after a second while
 * its preemption goes on, else after retry_s.
 */
#include "apply.h"

#define A_CYCLE 8

static bool candidate(const struct cs_bridge *b, const struct cs_known_job *k)
{
	const struct cs_view_desc *d = cs_known_desc(k);
	const struct cs_view_option *o;

	if (k->state != CS_VIEW_WAITING || k->ghost || !d || !d->preempts ||
	    d->n_comp || (d->flags & CS_JOB_BLOCKED) ||
	    k->preempt_us > b->now_us || d->eligible_us > b->now_us)
		return false;
	o = cs_known_options(k);
	return o[0].tier > b->view->lowest_tier ||
	       (d->preempts & CS_VIEW_PREEMPTS_QOS);
}

bool cs_preempt_due(struct cs_bridge *b)
{
	for (uint32_t i = 0; i < b->known.n; i++)
		if (candidate(b, b->known.list[i]))
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

static struct cs_known_job *first(struct cs_bridge *b)
{
	struct cs_known_job *best = NULL;

	for (uint32_t i = 0; i < b->known.n; i++)
		if (candidate(b, b->known.list[i]) &&
		    (!best || before(b->known.list[i], best)))
			best = b->known.list[i];
	return best;
}

/* True: it has started. */
static bool attempt(struct cs_bridge *b, struct cs_known_job *k)
{
	job_record_t *job_ptr = find_job_record(k->id);
	const struct cs_view_option *o = cs_known_options(k);
	struct cs_refusal r;
	bitstr_t *nodes;
	int rc;

	k->preempt_us = b->now_us + b->params.retry_s * 1000000;
	if (!cs_start_ready(b, job_ptr, o, &r))
		return false;
	nodes = cs_start_set(b, o->set);
	rc = cs_start_select(job_ptr, nodes, NULL, 0);
	FREE_NULL_BITMAP(nodes);
	if (rc && job_ptr->preempt_in_progress)
		k->preempt_us = b->now_us + 1000000;
	if (rc)
		return false;
	info("cosched: started %pJ in %s on %s by preemption", job_ptr,
	     job_ptr->part_ptr->name, job_ptr->nodes);
	b->started++;
	b->cycle_started++;
	return true;
}

int cs_preempt(struct cs_bridge *b, int64_t until_us, struct cs_err *err)
{
	struct cs_known_job *k;

	(void)err;
	for (int i = 0; i < A_CYCLE && (k = first(b)); i++) {
		if (attempt(b, k))
			/* The next look tells the engine: until then nothing
			 * may be decided. */
			b->rounds = UINT32_MAX;
		if (cs_plan_now_us() >= until_us)
			return 1;
	}
	return 0;
}
