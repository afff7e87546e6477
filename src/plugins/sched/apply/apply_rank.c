/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order=ostrich in squeue and sprio: priorities of waiting jobs that follow the
 * order.
 *
 * Rules.
 *  1. One number a job, the same in all its partitions, between CS_PRIORITY_LEAST and
 *     CS_PRIORITY_MOST: without a partition's own factor.
 *  2. A job that is held (0), or whose priority the administrator set, keeps it.
 *  3. A number is written only if Slurm's differs; numbers change as seldom as possible
 *     (priority.h). priority/basic sets one at submission, priority/multifactor all
 *     each PriorityCalcPeriod: both count as changes, and the next cycle restores ours.
 *  4. They stay when mode act ends.
 *  5. For site_factor/ostrich the numbers come from site factors, and
 *     priority/multifactor computes the priority (compat/job.h).
 *
 * Cost: O(n log n) of n waiting jobs in a cycle with new events; without a lock except
 * to write.
 */
#include "sched/apply/apply.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "common/order/priority.h"

/* Rule 2. */
static struct cs_known_job *ours(const struct cs_adapter *b, uint32_t id)
{
	struct cs_known_job *k = cs_known_find(&b->known, id);

	if (!k || !k->priority || !cs_known_desc(k) ||
	    cs_known_desc(k)->flags & CS_JOB_PRIORITY_SET)
		return NULL;
	return k;
}

/* Numbers for the jobs @id [@n], in order; those that differ into b->ranks.id. */
static int number(struct cs_adapter *b, uint32_t *id, size_t n)
{
	uint32_t *p = malloc((n + 1) * sizeof(*p));
	size_t m = 0;
	int rc = -ENOMEM;

	for (size_t i = 0; p && i < n; i++) {
		const struct cs_known_job *k = ours(b, id[i]);

		if (!k)
			continue;
		id[m] = id[i];
		p[m++] = k->rank ? k->rank : k->priority;
	}
	if (p)
		rc = cs_priority_follow(p, m);
	b->ranks.least = !rc && m ? p[m - 1] : 0;
	for (size_t i = 0; !rc && i < m; i++) {
		struct cs_known_job *k = ours(b, id[i]);

		k->rank = p[i];
		if (k->rank != k->priority)
			b->ranks.id[b->ranks.n++] = k->id;
	}
	free(p);
	return rc;
}

int cs_apply_rank(struct cs_adapter *b)
{
	int64_t n = cs_campaign_ranked(b->engine, NULL, 0);
	uint32_t *id;
	int rc;

	b->ranks.n = b->ranks.next = 0;
	b->ranks.least = 0;
	if (n <= 0)
		return n < 0 ? -ENOMEM : 0;
	id = realloc(b->ranks.id, (size_t)n * sizeof(*id));
	if (!id)
		return -ENOMEM;
	b->ranks.id = id;
	id = malloc((size_t)n * sizeof(*id));
	if (!id)
		return -ENOMEM;
	n = cs_campaign_ranked(b->engine, id, (size_t)n);
	rc = n < 0 ? -ENOMEM : number(b, id, (size_t)n);
	free(id);
	return rc;
}

struct number {
	uint32_t number;
	bool factor; /* by site factor */
};

static int write_one(void *x, void *arg)
{
	job_record_t *job_ptr = x;
	const struct number *to = arg;

	if (!IS_JOB_PENDING(job_ptr) || !job_ptr->priority ||
	    job_ptr->direct_set_prio)
		return 0;
	if (!to->factor)
		cs_job_rank(job_ptr, to->number);
	else if (!cs_job_set_factor(job_ptr, to->number))
		return 0;
	last_job_update = time(NULL);
	return 0;
}

int cs_apply_rank_write(struct cs_adapter *b, int64_t until_us)
{
	struct number to = { .factor = b->view->factors };
	uint32_t looked = 0;

	for (; b->ranks.next < b->ranks.n; b->ranks.next++) {
		uint32_t id = b->ranks.id[b->ranks.next];
		struct cs_known_job *k = cs_known_find(&b->known, id);
		job_record_t *job_ptr = find_job_record(id);

		if (++looked > 64) {
			if (cs_step_over(b, until_us))
				return 1;
			looked = 1;
		}
		if (!k || !job_ptr)
			continue;
		to.number = k->rank;
		if (job_ptr->het_job_list)
			list_for_each(job_ptr->het_job_list, write_one, &to);
		else
			write_one(job_ptr, &to);
		k->priority = k->rank;
		b->wrote = true;
	}
	return 0;
}
