/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job by itself: space sharing, and packing by core.
 *
 * Rules.
 *  1. place=space: empty nodes, nobody beside the job.  Processes a node as
 *     `layout` says: all cores (dense), or by the self slowdown (model: 000,
 *     equation 8, in layout.c).
 *  2. place=pack: cores wherever they are free, as stock Slurm does.
 *  3. small=pack: so too, under any place, for a job without a profile.  Nodes
 *     with such jobs and nodes with others do not mix.
 *  4. --exclusive: whole nodes, whatever the rest says.
 *
 * Source: 000 (see slowdown.h), section 4.3 and the SSP of section 5.1; rules 2
 * and 3 are what a site's users have today.
 */
#include "state.h"

#include <errno.h>

bool cs_is_packed(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->params.place == CS_PLACE_PACK ||
	       (e->params.small == CS_SMALL_PACK &&
		j->profile == CS_PROFILE_NONE);
}

/* Nodes of the job's set that are up. */
static uint32_t nodes_up(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	uint32_t k = 0;

	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		k += (uint32_t)__builtin_popcountll(set[w] & ~e->now.down[w]);
	return k;
}

/* The fewest processes a node with which the job fits on so many (layout.c rule
 * 6); 1 where it never does. */
static uint32_t least_ppn(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t option)
{
	uint32_t nodes = nodes_up(e, j, option);

	return nodes ? (j->job.procs + nodes - 1) / nodes : 1;
}

/* The shape for nodes like @node. */
static bool shape_like(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_node *node,
		       struct cs_shape *s)
{
	struct cs_job job = j->job;
	uint32_t ppn;

	job.flags = cs_job_flags(j, option);
	if (cs_is_packed(e, j) || job.flags & CS_JOB_HOST)
		return cs_shape_packed(s, &job, node);
	ppn = e->params.layout == CS_LAYOUT_MODEL
		      ? cs_layout_model_ppn(&e->params, &e->model, &job,
					    j->profile, node)
		      : cs_layout_dense_ppn(&job, node);
	if (ppn < least_ppn(e, j, option))
		ppn = least_ppn(e, j, option);
	return cs_shape_space(s, &job, node, ppn);
}

bool cs_alone_shape(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_node *node =
		e->nodeset_node[j->job.option[option].nodeset];
	struct cs_shape made;
	bool any = false;

	for (; node; node = cs_layout_larger(e->machine, set, node)) {
		if (!shape_like(e, j, option, node, &made))
			continue;
		if (!any || !made.even)
			*s = made;
		any = true;
		if (made.even && cs_layout_holds(&e->now, &made, set)) {
			*s = made;
			break;
		}
	}
	return any;
}

static enum cs_hold hold_of(const struct cs_shape *s)
{
	return s->exclusive		     ? CS_HOLD_EXCLUSIVE
	       : s->kind == CS_SHAPE_PACKED ? CS_HOLD_PACKED
					     : CS_HOLD_COUNTED;
}

int cs_start_action(struct cs_engine *e, struct cs_ejob *j, uint32_t rule,
		    double gain)
{
	struct cs_action *act = cs_engine_action(e, CS_ACT_START);

	if (!act)
		return -ENOMEM;
	act->seq = j->seq;
	act->needs = j->needs;
	act->job_id = j->master ? j->master : j->job.id;
	act->option = j->option;
	act->alloc = j->alloc;
	for (uint32_t i = 0; i < j->alloc->n_node; i++)
		if (j->alloc->node[i].procs > act->procs_per_node)
			act->procs_per_node = j->alloc->node[i].procs;
	if (j->factor > 1)
		act->limit_us = cs_stretch_us(j->job.estimate_us, j->factor);
	act->group = j->group;
	act->role = j->role;
	act->with = j->with;
	act->packed = j->hold == CS_HOLD_PACKED;
	act->rule = rule;
	act->slowdown = j->factor;
	act->gain = gain;
	return 0;
}

int cs_start_alone(struct cs_pass *p, const struct cs_entry *entry,
		   const struct cs_shape *s, uint32_t rule, double gain)
{
	struct cs_engine *e = cs_pass_engine(p);
	struct cs_ejob *j = entry->job;
	double f = s->kind == CS_SHAPE_PACKED
			   ? 1
			   : cs_progress_factor(e, j, s->quota, s->like, 1);
	int64_t run = cs_stretch_us(j->job.estimate_us, f);
	struct cs_alloc *a;
	bool nomem;

	if (f > 1 && run > j->job.option[entry->option].limit_max_us)
		return 0;
	cs_pass_nodes(e, j, entry->option, e->now_us, run, e->mask);
	a = cs_layout_choose(&e->now, s, e->mask, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	if (!cs_pass_leaves(p, a, hold_of(s), e->now_us + run)) {
		cs_alloc_free(a);
		return 0;
	}
	j = cs_engine_propose(e, j, entry->option, a, hold_of(s));
	return !j || cs_start_action(e, j, rule, gain) ? -ENOMEM : 1;
}

int cs_place_alone(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_pass_engine(p);
	struct cs_shape s;

	if (!cs_alone_shape(e, entry->job, entry->option, &s))
		return 0;
	return cs_start_alone(p, entry, &s,
			      s.kind == CS_SHAPE_PACKED	   ? 0
			      : s.quota * s.cpus_per_proc >= s.cores ? 5
								     : 4,
			      0);
}
