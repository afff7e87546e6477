/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the order of the queue goes by, beside priorities.  Includes Slurm: for view_*.c. */
#ifndef CS_SCHED_VIEW_VIEW_ORDER_H
#define CS_SCHED_VIEW_VIEW_ORDER_H

#include "sched/view/view_slurm.h"

/* Of the site: users' shares, and who may preempt whom.  Read locks on associations and
 * QOS. */
void cs_view_order_site(struct cs_view *v);
/* Of a job: CS_JOB_PRIORITY_SET, CS_JOB_UNSHIFTED. */
uint32_t cs_view_order_flags(const struct cs_view *v,
			     const job_record_t *job_ptr);
/* Its user's share, and its nice value. */
void cs_view_order_asked(const struct cs_view *v, struct cs_view_desc *to,
			 const job_record_t *job_ptr);

#endif
