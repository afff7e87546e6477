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
 *     number of the two counts.
 *
 * Rule 2 by two searches of the line, each from where the other ended: none of the instants
 * between has enough.  They meet where each count alone would do; if the lesser numbers of
 * the classes do not, the search goes on behind the next change of the line.
 *
 * Known weakness: as plan.c's of cores: GPUs, and parts of GPUs, that are free on several
 * nodes count as if they were on one, and of several types on a node as if they were of one.
 * A promise may then be late.  Beyond CS_PLAN_KINDS classes with GPUs theirs are not counted.
 *
 * Cost: that of the searches; at worst, where the classes differ, one for each change of the
 * line.
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

/* The counts of the GPUs of @class [@n] into @ret.  False: a unit needs none somewhere. */
static bool lines_of(const struct cs_plan *p, const uint32_t *class,
		     const int32_t *gpus, uint32_t n, uint32_t *ret)
{
	bool all = true;

	for (uint32_t i = 0; i < n; i++) {
		ret[i] = cs_plan_gpu_line(p, class[i]);
		all &= gpus[i] > 0;
	}
	return all;
}

/* Units of class @class[i] with both from @from_us to @to_us. */
static int32_t units_of(const struct cs_plan *p, const struct cs_timeline *t,
			int64_t from_us, int64_t to_us, const uint32_t *class,
			const uint32_t *line, const int32_t *gpus, uint32_t i)
{
	int32_t units =
		cs_timeline_least(t, class[i], from_us, to_us) / p->unit[i];
	int32_t with;

	if (gpus[i]) {
		with = cs_timeline_least(t, line[i], from_us, to_us) / gpus[i];
		units = with < units ? with : units;
	}
	return units > 0 ? units : 0;
}

int64_t cs_plan_find(const struct cs_plan *p, const struct cs_timeline *t,
		     int64_t from_us, int64_t until_us, int64_t len_us,
		     uint32_t need, const uint32_t *class, const int32_t *gpus,
		     const int32_t *most, uint32_t n, int32_t *ret_n)
{
	uint32_t line[CS_PLAN_CLASSES];
	bool all = lines_of(p, class, gpus, n, line);
	int32_t has[CS_PLAN_CLASSES];

	while (from_us < until_us) {
		int64_t at = cs_timeline_find_until(t, from_us, until_us,
						    len_us, need, class,
						    p->unit, most, n, NULL);
		int64_t left = need;

		if (all && at != CS_TIME_NONE)
			from_us = cs_timeline_find_until(t, at, until_us,
							 len_us, need, line,
							 gpus, most, n, NULL);
		if (at == CS_TIME_NONE || (all && from_us == CS_TIME_NONE))
			return CS_TIME_NONE;
		if (all && from_us != at)
			continue;
		for (uint32_t i = 0; i < n; i++) {
			has[i] = units_of(p, t, at, cs_later_us(at, len_us),
					  class, line, gpus, i);
			if (most && has[i] > most[i])
				has[i] = most[i];
			has[i] = has[i] < left ? has[i] : (int32_t)left;
			left -= has[i];
		}
		if (left) {
			from_us = cs_timeline_change_us(t, at);
			continue;
		}
		for (uint32_t i = 0; ret_n && i < n; i++)
			ret_n[i] = has[i];
		return at;
	}
	return CS_TIME_NONE;
}
