/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Slurm's sort of the queue (sort_job_queue2()) puts before tiers of partitions.
 *
 * Rules.
 *  1. A job goes before those that it may preempt: by PreemptType=preempt/qos those whose
 *     QOS its own names, by preempt/partition_prio those of lower tiers.
 *  2. Then jobs with a reservation, then those of higher tiers.
 *  3. An expedited job (--requeue=expedite) goes before all of them: its precedence is
 *     CS_PRECEDENCE_FIRST.
 *
 * Each QOS has a level: 0 if it names none, else one more than the highest it names.
 *
 * Example: urgent names normal, normal names idle: levels 2, 1 and 0.
 *
 * Differs: Slurm asks pair by pair, which is no order if A may preempt B and C, which
 * neither names, is between them by priority.  Here A goes before C, too.  Where QOS
 * name each other in a circle all levels are 0.
 *
 * Cost: O(QOS^2) for each level.
 */
#include "compat/precedence.h"

#include <stdlib.h>
#include <string.h>

#include "compat/job.h"

#include "src/common/assoc_mgr.h"

/* One more than the highest level that @qos names; 0: it names none. */
static uint16_t level_over(const struct cs_precedence *p,
			   const slurmdb_qos_rec_t *qos)
{
	uint16_t level = 0;

	for (uint32_t i = 0; i < p->n && i < bit_size(qos->preempt_bitstr); i++)
		if (i != qos->id && bit_test(qos->preempt_bitstr, i) &&
		    p->level[i] >= level)
			level = p->level[i] + 1;
	return level;
}

/* Has any level grown? */
static bool raise_levels(struct cs_precedence *p)
{
	list_itr_t *it = list_iterator_create(assoc_mgr_qos_list);
	slurmdb_qos_rec_t *qos;
	bool raised = false;

	while ((qos = list_next(it))) {
		uint16_t level;

		if (qos->id >= p->n || !qos->preempt_bitstr)
			continue;
		level = level_over(p, qos);
		raised |= level > p->level[qos->id];
		p->level[qos->id] = level;
	}
	list_iterator_destroy(it);
	return raised;
}

static void find_levels(struct cs_precedence *p)
{
	bool raised = true;

	if (!assoc_mgr_qos_list || g_qos_count <= 0)
		return;
	p->level = calloc((size_t)g_qos_count, sizeof(*p->level));
	if (!p->level)
		return;
	p->n = (uint32_t)g_qos_count;
	for (uint32_t i = 0; raised && i <= p->n; i++)
		raised = raise_levels(p);
	if (raised) /* a circle */
		memset(p->level, 0, p->n * sizeof(*p->level));
}

bool cs_precedence_read(struct cs_precedence *p)
{
	bool on = slurm_preemption_enabled();
	bool by_qos = on && xstrcasestr(slurm_conf.preempt_type, "qos");
	struct cs_precedence was = *p;
	bool changed;

	*p = (struct cs_precedence){ .by_tier = on && !by_qos,
				     .by_qos = by_qos };
	if (by_qos)
		find_levels(p);
	changed =
		was.n != p->n || was.by_tier != p->by_tier ||
		was.by_qos != p->by_qos ||
		(p->n && memcmp(was.level, p->level, p->n * sizeof(*p->level)));
	free(was.level);
	return changed;
}

uint32_t cs_precedence_of(const struct cs_precedence *p, uint32_t tier,
			  uint32_t qos, bool reserved)
{
	uint32_t level = p->by_tier ? tier : qos < p->n ? p->level[qos] : 0;

	return level << 1 | reserved;
}
