/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where one job is put in a plan: rule 2 of plan.c, and what its user is promised
 * by it: R_est, the response time by that plan when he submits it, times
 * response_scale, and the most that decisions for others may make of it,
 *
 *	R_max = F_slack * R_est			(000, equation 4; see slowdown.h)
 */
#include "plan_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cs_plan_promise_nothing(struct cs_ejob *j)
{
	struct cs_planned *q = &j->plan;

	q->start_us = q->end_us = CS_TIME_NONE;
	if (q->turn_us != CS_TURN_QUEUE)
		q->turn_us = CS_TIME_NONE;
}

int32_t cs_plan_unit(const struct cs_engine *e, const struct cs_plan *p,
		     const struct cs_shape *s, uint32_t c)
{
	const struct cs_node *node = &e->machine->node[p->like[c]];

	if (!cs_layout_could(node, s))
		return 0;
	if (!s->even)
		return 1;
	if (s->kind == CS_SHAPE_PACKED && !cs_scoped(e) && !s->owner)
		return (int32_t)cs_layout_cores(s->quota, s->cpus_per_proc,
						node->threads);
	return (int32_t)cs_node_cores(node);
}

static uint32_t units_needed(const struct cs_shape *s)
{
	return s->even ? s->nodes
		       : cs_layout_cores(s->procs, s->cpus_per_proc,
					 s->like->threads);
}

/* Where in @t the job would start at the earliest in the partition it was laid
 * out for; its cores by class into @ret_cores, as less than 0. */
static int64_t earliest(const struct cs_engine *e, struct cs_plan *p,
			const struct cs_timeline *t, const struct cs_ejob *j,
			int32_t *ret_cores)
{
	const struct cs_planned *q = &j->plan;
	const struct cs_classes *set =
		&p->set[j->job.option[q->option].nodeset];
	uint32_t class[CS_PLAN_CLASSES], n = 0;
	int32_t got[CS_PLAN_CLASSES], most[CS_PLAN_CLASSES];
	/* so many nodes, though one has room for the cores of several */
	bool apart = q->shape.even && q->shape.kind == CS_SHAPE_PACKED;
	int64_t start;

	for (uint32_t i = 0; i < set->n; i++) {
		p->unit[n] = cs_plan_unit(e, p, &q->shape, set->class[i]);
		most[n] = p->up[set->class[i]];
		if (p->unit[n])
			class[n++] = set->class[i];
	}
	start = n ? cs_timeline_find_most(t, cs_vm_time(e, e->vm), q->run_us,
					  units_needed(&q->shape), class,
					  p->unit, apart ? most : NULL, n, got)
		  : CS_TIME_NONE;
	memset(ret_cores, 0, p->n_class * sizeof(*ret_cores));
	for (uint32_t i = 0; start != CS_TIME_NONE && i < n; i++)
		ret_cores[class[i]] = -got[i] * p->unit[i];
	return start;
}

static int room_for_cores(const struct cs_plan *p, struct cs_planned *q)
{
	int32_t *c;

	if (q->n_class >= p->n_class)
		return 0;
	c = realloc(q->cores, p->n_class * sizeof(*c));
	if (!c)
		return -ENOMEM;
	q->cores = c;
	q->n_class = p->n_class;
	return 0;
}

int64_t cs_plan_response_us(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t end_us)
{
	const struct cs_vm *vm = cs_vm_of(e, j);
	int64_t wall = cs_slice_wall_us(e, vm, end_us - cs_vm_time(e, vm));

	if (end_us == CS_TIME_NONE || wall == CS_TIME_NONE)
		return CS_TIME_NONE;
	return wall - j->job.submit_us;
}

/* R_est and R_max (000, equation 4). */
static void estimate(const struct cs_engine *e, struct cs_ejob *j)
{
	/* when short jobs are served depends on others */
	if (e->n_vm > 1 && j->class == CS_CLASS_SHORT)
		return;
	j->est_us = cs_plan_response_us(e, j, j->plan.end_us);
	if (j->est_us != CS_TIME_NONE)
		j->est_us = cs_stretch_us(j->est_us, e->params.response_scale);
	j->max_us = cs_stretch_us(j->est_us, e->params.slack);
}

int64_t cs_plan_seek(const struct cs_engine *e, struct cs_plan *p,
		     const struct cs_timeline *t, struct cs_ejob *j,
		     int32_t *ret_cores)
{
	int64_t best = CS_TIME_NONE, best_end = CS_TIME_NONE;
	uint32_t option = 0;

	for (uint32_t o = 0; o < j->job.n_option; o++) {
		int64_t start, end;

		if (cs_job_flags(j, o) & CS_JOB_BLOCKED ||
		    !cs_alone_layout(e, j, o))
			continue;
		start = earliest(e, p, t, j, ret_cores);
		end = cs_plan_end_after(start, j->plan.run_us);
		if (end < best_end || (end == best_end && start < best)) {
			best = start;
			best_end = end;
			option = o;
		}
	}
	if (best != CS_TIME_NONE && j->job.n_option > 1) {
		cs_alone_layout(e, j, option);
		earliest(e, p, t, j, ret_cores);
	}
	return best;
}

int cs_plan_promise(struct cs_engine *e, struct cs_plan *p,
		    struct cs_timeline *t, struct cs_ejob *j)
{
	struct cs_planned *q = &j->plan;

	cs_plan_promise_nothing(j);
	if (room_for_cores(p, q))
		return -ENOMEM;
	if (j->job.reservation)
		return 0;
	q->start_us = q->turn_us = cs_plan_seek(e, p, t, j, q->cores);
	if (q->start_us == CS_TIME_NONE)
		return 0;
	q->end_us = cs_plan_end_after(q->start_us, q->run_us);
	if (!j->est_us) {
		estimate(e, j);
		e->changed |= j->est_us != 0;
	}
	return cs_timeline_add(t, q->start_us, q->end_us, q->cores);
}

int cs_plan_lift(struct cs_plan *p, struct cs_timeline *t,
		 const struct cs_planned *q)
{
	int rc;

	for (uint32_t c = 0; c < p->n_class; c++)
		p->cores[c] = -q->cores[c];
	rc = cs_timeline_add(t, q->start_us, q->end_us, p->cores);
	memset(p->cores, 0, p->n_class * sizeof(*p->cores));
	return rc;
}

void cs_plan_drop(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_plan *p = &cs_vm_of(e, j)->plan;
	struct cs_planned *q = &j->plan;

	if (q->start_us == CS_TIME_NONE || !p->line)
		return;
	if (p->stale || cs_plan_lift(p, p->line, q))
		p->stale = true;
	cs_plan_promise_nothing(j);
}
