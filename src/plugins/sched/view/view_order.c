/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the order of the queue goes by, beside priorities.
 *
 * Rules.
 *  1. Shares are read every SHARES_S seconds, only for orders with campaigns.  They change
 *     without notice, and then all jobs are described anew.
 *  2. A job of several partitions or QOS is not shifted (unshifted_partitions,
 *     unshifted_qos) if one of them is listed.
 *  3. Nor is a job that may preempt those of its own QOS with less priority
 *     (PreemptMode=WITHIN): it goes before them.
 */
#include "sched/view/view_order.h"

#include <time.h>

#include "common/order/order.h"

#define SHARES_S 10

/* Rule 1. */
static void look_at_shares(struct cs_view *v)
{
	time_t now = time(NULL);

	if (!cs_order_choose(v->params)->campaigns ||
	    v->params->shares != CS_SHARES_GIVEN ||
	    (v->shares.read_s && now >= v->shares.read_s &&
	     now < v->shares.read_s + SHARES_S))
		return;
	if (cs_fairshare_read(&v->shares, now))
		v->nomem = true;
	v->round++;
}

void cs_view_order_site(struct cs_view *v)
{
	look_at_shares(v);
	if (cs_precedence_read(&v->precedence))
		v->round++;
}

/* ---- jobs that are not shifted --------------------------------------------- */

static int part_is_listed(void *x, void *arg)
{
	const part_record_t *part_ptr = x;
	const struct cs_params *p = arg;

	return cs_params_listed(p->unshifted_partitions, part_ptr->name, false);
}

static bool in_listed_part(const struct cs_params *p,
			   const job_record_t *job_ptr)
{
	if (!*p->unshifted_partitions)
		return false;
	if (!job_ptr->part_ptr_list)
		return part_is_listed(job_ptr->part_ptr, (void *)p);
	return list_find_first(job_ptr->part_ptr_list, part_is_listed,
			       (void *)p);
}

static bool preempts_within(const struct cs_view *v,
			    const slurmdb_qos_rec_t *qos)
{
	return v->precedence.by_qos &&
	       (qos->preempt_mode | slurm_conf.preempt_mode) &
		       PREEMPT_MODE_WITHIN;
}

/* Rules 2 and 3. */
static bool unshifted_by_qos(const struct cs_view *v,
			     const job_record_t *job_ptr)
{
	const slurmdb_qos_rec_t *qos[CS_VIEW_PARTS];
	uint32_t n = cs_job_several_qos(job_ptr, qos, CS_VIEW_PARTS);

	if (!n && job_ptr->qos_ptr)
		qos[n++] = job_ptr->qos_ptr;
	for (uint32_t i = 0; i < n; i++)
		if (preempts_within(v, qos[i]) ||
		    cs_params_listed(v->params->unshifted_qos, qos[i]->name,
				     false))
			return true;
	return false;
}

uint32_t cs_view_order_flags(const struct cs_view *v,
			     const job_record_t *job_ptr)
{
	const struct cs_order_ops *order = cs_order_choose(v->params);
	const struct cs_params *p = v->params;
	uint32_t flags = 0;

	if (order->by_hand && job_ptr->priority && job_ptr->direct_set_prio)
		flags |= CS_JOB_PRIORITY_SET;
	if (order->shifts && job_ptr->part_ptr &&
	    (in_listed_part(p, job_ptr) || unshifted_by_qos(v, job_ptr)))
		flags |= CS_JOB_UNSHIFTED;
	return flags;
}

void cs_view_order_asked(const struct cs_view *v, struct cs_view_desc *to,
			 const job_record_t *job_ptr)
{
	const struct cs_order_ops *order = cs_order_choose(v->params);

	if (order->campaigns && v->params->shares == CS_SHARES_GIVEN)
		to->share = cs_fairshare_of(&v->shares, to->uid);
	if (order->by_hand)
		to->nice = (int32_t)((int64_t)job_ptr->details->nice -
				     NICE_OFFSET);
}
