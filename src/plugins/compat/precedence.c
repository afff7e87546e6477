/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Slurm's sort of the queue (sort_job_queue2()) puts before tiers of partitions.
 *
 * Rules.
 *  1. A job goes before those that it may preempt: by PreemptType=preempt/qos those whose
 *     QOS its own names, by preempt/partition_prio those of lower tiers.
 *  2. Then jobs with a reservation, then those of higher tiers.
 *
 * Slurm asks pair by pair, which is no order if A may preempt B and C is between them by
 * priority.  So each QOS has a level: 0 if it names none, else one more than the highest
 * it names.  Of QOS that name each other in a circle the level is LEVELS at most.
 *
 * Example: urgent names normal, normal names idle: levels 2, 1 and 0.
 *
 * Cost: O(QOS^2) for each level.
 */
#include "compat/precedence.h"

#include <stdlib.h>

#include "compat/job.h"

#include "src/common/assoc_mgr.h"

#define LEVELS 16

static bool preempts_by_qos(void)
{
	return xstrcasestr(slurm_conf.preempt_type, "qos");
}

/* One more than the highest level that @qos names; 0: it names none. */
static uint16_t above(const struct cs_precedence *p,
		      const slurmdb_qos_rec_t *qos)
{
	uint16_t most = 0;

	for (uint32_t i = 0; i < p->n && i < bit_size(qos->preempt_bitstr); i++)
		if (i != qos->id && bit_test(qos->preempt_bitstr, i) &&
		    p->level[i] >= most)
			most = p->level[i] + 1;
	return most;
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
		level = above(p, qos);
		raised |= level > p->level[qos->id];
		p->level[qos->id] = level;
	}
	list_iterator_destroy(it);
	return raised;
}

void cs_precedence_read(struct cs_precedence *p)
{
	free(p->level);
	*p = (struct cs_precedence){ 0 };
	if (!slurm_preemption_enabled() || !preempts_by_qos() ||
	    !assoc_mgr_qos_list || g_qos_count <= 0)
		return;
	p->level = calloc((size_t)g_qos_count, sizeof(*p->level));
	if (!p->level)
		return;
	p->n = (uint32_t)g_qos_count;
	for (int i = 0; i < LEVELS && raise_levels(p); i++)
		;
}

uint32_t cs_precedence_of(const struct cs_precedence *p, uint32_t tier,
			  uint32_t qos, bool reserved)
{
	uint32_t level = 0;

	if (slurm_preemption_enabled() && !preempts_by_qos())
		level = tier;
	else if (qos < p->n)
		level = p->level[qos];
	return level << 1 | reserved;
}
