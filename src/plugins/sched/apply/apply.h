/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm types shared by apply_*.c.  No other file includes this.
 *
 * All under write locks; each function called from outside looks job pointers up again
 * and never keeps them.
 */
#ifndef CS_SCHED_APPLY_APPLY_H
#define CS_SCHED_APPLY_APPLY_H

#include "compat/calls.h"
#include "compat/job.h"

#include "gate/gate.h"
#include "sched/feed/adapter_state.h"
#include "sched/view/comment.h"
#include "sched/view/view_slurm.h"

/* ---- apply_start.c --------------------------------------------------------- */

/* START and HOST_START: apply and answer.  The locks should be released at @until_us
 * (cs_gate_now_us()).  0, CS_ADAPTER_LOOK (adapter.h), or an error. */
int cs_apply_start(struct cs_adapter *b, const struct cs_action *a,
		   int64_t until_us, struct cs_err *err);

/* ---- apply_het.c ------------------------------------------------------------ */

/* All components of the heterogeneous job @leader, then CS_ADAPTER_LOOK; or none. */
int cs_apply_het(struct cs_adapter *b, const struct cs_action *a,
		 job_record_t *leader, int64_t until_us, struct cs_err *err);

/* ---- apply_account.c -------------------------------------------------------- */

/* The limit of the running or suspended job @k has changed. */
void cs_apply_account_later(struct cs_adapter *b, struct cs_known_job *k);
/* Send changed limits to the accounting storage, as far as it keeps up. */
void cs_apply_account(struct cs_adapter *b);

/* ---- apply_limit.c ---------------------------------------------------------- */

/* Give a job just started the limit, in whole minutes, rounded up. */
void cs_apply_limit_set(job_record_t *job_ptr, int64_t limit_us);
int64_t cs_apply_limit_us(const job_record_t *job_ptr);
/* The engine has another limit of this job, if it runs there.  0 or an error of
 * cs_feed_event(). */
int cs_apply_limit_tell(struct cs_adapter *b, const job_record_t *job_ptr,
			struct cs_err *err);
/* Give a job about to start without a limit that of its deadline. */
void cs_apply_limit_until_deadline(job_record_t *job_ptr);
/* Raise the limit of a job started with its TimeMin, and confirmed if the engine has
 * it, as far as its request, @max_us, a deadline and promises to others allow; never
 * lower it. 0 or an error of cs_feed_event(). */
int cs_apply_limit_stretch(struct cs_adapter *b, job_record_t *job_ptr,
			   uint32_t wanted_min, int64_t max_us,
			   struct cs_err *err);
/* LIMIT, DISBAND and JOINED; the first is logged by the caller. */
void cs_apply_limit(struct cs_adapter *b, const struct cs_action *a);
void cs_apply_disband(struct cs_adapter *b, const struct cs_action *a);
void cs_apply_joined(struct cs_adapter *b, const struct cs_action *a);
/* The raise and the group of a confirmed start; @flag: limit_set.time before the
 * raise. */
void cs_apply_limit_started(struct cs_adapter *b, const struct cs_action *a,
			    job_record_t *job_ptr, struct cs_known_job *k,
			    uint32_t flag);
/* Our part of its system comment. */
void cs_apply_comment(job_record_t *job_ptr, const struct cs_comment *part);

#endif
