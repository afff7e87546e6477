/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GPUs in a plan, beside the cores (plan.c, rule 1).
 *
 * Rules.
 *  1. A time line counts, behind the cores of its classes, the GPUs of each class of nodes
 *     that has some, in thousandths, whatever their types.  A job that takes nodes whole
 *     takes all their GPUs, another one its own.
 *  2. A job with GPUs starts at the first instant from which on, for as long as it runs,
 *     its classes have the cores and the GPUs for so many units: of each class the lesser
 *     number of the two counts (cs_timeline_find_until(), beside).
 *
 * Known weakness: as plan.c's of cores: GPUs, and parts of GPUs, that are free on several
 * nodes count as if they were on one, and of several types on a node as if they were of one.
 * A promise may then be late.  Beyond CS_PLAN_KINDS classes with GPUs theirs are not counted.
 */
#include "backfill/plan_parts.h"

void cs_plan_gpu_lines(struct cs_plan *p, const struct cs_machine *m)
{
	p->n_line = p->n_class;
	for (uint32_t c = 0; c < p->n_kind; c++)
		p->gpu_line[c] = m->node[p->like[c]].gpus ? p->n_line++ : 0;
}

int32_t cs_plan_gpus_of(const struct cs_engine *e, const struct cs_alloc *a,
			uint32_t i, bool whole)
{
	uint32_t share = a->gpu_share ? a->gpu_share : CS_GPU_WHOLE;

	return whole ? cs_plan_node_gpus(e, a->node[i].node)
		     : (int32_t)(cs_popcount(a->node[i].gpus) * share);
}

int32_t cs_plan_gpu_unit(const struct cs_engine *e, const struct cs_plan *p,
			 const struct cs_shape *s, uint32_t c)
{
	if (!cs_plan_gpu_line(p, c))
		return 0;
	return cs_plan_takes_nodes(e, s) ? cs_plan_node_gpus(e, p->like[c])
					 : (int32_t)(s->gpus * s->gpu_share);
}
