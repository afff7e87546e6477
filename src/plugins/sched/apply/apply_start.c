/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A start: on the planned nodes and cores, or where Slurm's own test puts it.
 *
 * Rules.
 *  1. No start on a node where a job is completing: stock's test would refuse it.  The
 *     engine knows such nodes, except the latest.
 *  2. A job with GPUs by itself, that is not confined to a time slice, may get any free
 *     core of its planned nodes: Slurm chooses devices, and cores near them.  So it
 *     may get other cores and devices than planned; how many on each node is the plan's.
 *  3. If Slurm could choose and found nothing, it is asked for a time, if the engine
 *     wants one: its test of what running jobs leave.
 */
#include "sched/apply/apply.h"

#include <stdlib.h>

#include "common/slice/slice.h"
#include "sched/apply/apply_slice.h"
#include "sched/apply/freed.h"
#include "sched/apply/start_maps.h"
#include "sched/apply/start_step.h"

static const struct cs_refusal federation = {
	CS_REFUSED_TIMED, "another cluster of the federation has it", false
};
static const struct cs_refusal completing = {
	CS_REFUSED_CHANGED, "a job on its nodes is completing", false
};
/* It may be unknown to the engine: there its end is no change. */
static const struct cs_refusal completing_ghost = {
	CS_REFUSED_TIMED, "a job on its nodes is completing", false
};
static const struct cs_refusal preempted = {
	CS_REFUSED_CHANGED, "its cores are being freed for a job that preempts",
	false
};

/* Are the planned cores on nodes being freed? */
static bool on_completing(const bitstr_t *nodes)
{
	return cg_node_bitmap &&
	       bit_overlap_any((bitstr_t *)nodes, cg_node_bitmap);
}

/* Why not to try a start on exactly @cores of @nodes; NULL: try it. */
static const struct cs_refusal *in_the_way(const struct cs_adapter *b,
					   bitstr_t *nodes, bitstr_t *cores,
					   bitstr_t *others)
{
	if (others && bit_overlap_any(cores, others))
		return &preempted;
	if (on_completing(nodes))
		return b->told.ghosts ? &completing_ghost : &completing;
	return NULL;
}

/* Slurm's test of the start @a has begun a preemption. */
static void freed_by(struct cs_adapter *b, const struct cs_action *a)
{
	struct cs_known_job *k = cs_known_find(&b->known, a->job_id);

	if (!k || !(cs_freed_preempts(b, k) & UINT64_C(1) << a->option))
		return;
	cs_freed_begin(b, k, cs_known_options(k) + a->option);
	k->preempt_us = b->now_us + 1000000;
}

/* Rule 2: widen @cores to those that the start may take. */
static void open_cores(const struct cs_adapter *b, const struct cs_action *a,
		       const bitstr_t *others, bitstr_t **cores)
{
	const struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
	bitstr_t *open;

	if (!k || !cs_known_desc(k)->gpus_node || a->group ||
	    cs_slice_choose(&b->params)->stops)
		return;
	open = cs_start_maps_open(b, a->alloc);
	if (!open)
		return;
	if (others)
		bit_and_not(open, (bitstr_t *)others);
	FREE_NULL_BITMAP(*cores);
	*cores = open;
}

static int start_planned(struct cs_adapter *b, const struct cs_action *a,
			 job_record_t *job_ptr, struct cs_refusal *ret)
{
	bool exact = a->type == CS_ACT_START;
	bitstr_t *nodes = cs_start_maps_nodes(b, a->alloc);
	bitstr_t *cores = exact ? cs_start_maps_cores(b, a->alloc) : NULL;
	bitstr_t *others = cs_freed_map(b, a->job_id);
	const struct cs_refusal *why =
		exact ? in_the_way(b, nodes, cores, others) : NULL;
	int rc = -1;

	if (exact && !why)
		open_cores(b, a, others, &cores);
	if (!exact)
		cs_apply_slice_forbid(b, a->job_id, &others);
	if (why) {
		*ret = *why;
		cs_start_step_leave(job_ptr);
	} else {
		job_ptr->preempt_in_progress = false;
		rc = cs_start_step_select(
			job_ptr, &(struct cs_where){
					 .nodes = nodes,
					 .cores = cores,
					 .forbidden = others,
					 .n_node = exact ? a->alloc->n_node : 0,
				 });
		if (rc)
			*ret = cs_refusal_of(rc);
		if (rc && job_ptr->preempt_in_progress)
			freed_by(b, a);
	}
	FREE_NULL_BITMAP(others);
	FREE_NULL_BITMAP(cores);
	FREE_NULL_BITMAP(nodes);
	return rc;
}

/* Rule 3. */
static bool forecast(const struct cs_adapter *b, job_record_t *job_ptr,
		     const struct cs_view_option *o, struct cs_forecast *ret)
{
	bitstr_t *nodes = cs_start_maps_set(b, o->set);
	time_t start = cs_job_forecast(job_ptr, nodes);
	bool any = cs_start_maps_forecast(b, start, nodes, ret);

	FREE_NULL_BITMAP(nodes);
	return any;
}

/* The start failed for @r: answer, with a forecast if requested. */
static int refused(struct cs_adapter *b, const struct cs_action *a,
		   const struct cs_refusal *r, const struct cs_view_option *o,
		   struct cs_err *err)
{
	job_record_t *job_ptr = find_job_record(a->job_id);
	struct cs_forecast f = { 0 };
	bool asked = a->ask && r->class == CS_REFUSED_PLACE && job_ptr &&
		     job_ptr->details && forecast(b, job_ptr, o, &f);
	int rc = cs_start_step_refuse_until(b, a, r, asked ? &f : NULL, err);

	free((uint32_t *)f.node);
	return rc;
}

int cs_apply_start(struct cs_adapter *b, const struct cs_action *a,
		   int64_t until_us, struct cs_err *err)
{
	job_record_t *job_ptr = find_job_record(a->job_id);
	const struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
	struct cs_refusal r = cs_start_step_gone;
	int64_t max_us;
	uint32_t wanted;

	if (!k || !cs_known_desc(k) || a->option >= cs_known_desc(k)->n_option)
		return cs_start_step_refuse(b, a, &cs_start_step_gone, err);
	if (!cs_start_step_ready(b, job_ptr, cs_known_options(k) + a->option,
				 &r))
		return cs_start_step_refuse(b, a, &r, err);
	if (job_ptr->het_job_id && job_ptr->het_job_list)
		return cs_apply_het(b, a, job_ptr, until_us, err);
	if (fed_mgr_job_lock(job_ptr)) {
		cs_start_step_leave(job_ptr);
		return cs_start_step_refuse(b, a, &federation, err);
	}
	wanted = job_ptr->time_limit;
	max_us = cs_known_options(k)[a->option].limit_max_us;
	if (start_planned(b, a, job_ptr, &r)) {
		fed_mgr_job_unlock(job_ptr);
		return refused(b, a, &r, cs_known_options(k) + a->option, err);
	}
	b->wrote = true;
	fed_mgr_job_start(job_ptr, job_ptr->start_time);
	info("cosched: started %pJ in %s on %s%s", job_ptr,
	     job_ptr->part_ptr->name, job_ptr->nodes,
	     a->group ? ", sharing" : "");
	return cs_start_step_confirm(b, a, job_ptr, err)
		       ?: cs_apply_limit_stretch(b, job_ptr, wanted, max_us,
						 err);
}
