/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runnable.h"

#include <time.h>

#include "job.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/reservation.h"

struct tested {
	job_record_t *job_ptr;
	bool magnetic;
	cs_runnable_fn *entry;
	void *arg;
};

/* ---- the job --------------------------------------------------------------- */

static void say(job_record_t *job_ptr, enum job_state_reason why)
{
	job_ptr->state_reason = why;
	xfree(job_ptr->state_desc);
	last_job_update = time(NULL);
}

/* A reason that accounting storage has not yet: it is one of those that it keeps. */
static void note_reason(job_record_t *job_ptr)
{
	if (job_ptr->state_reason == WAIT_NO_REASON ||
	    job_ptr->state_reason == WAIT_PRIORITY ||
	    job_ptr->state_reason == WAIT_RESOURCES ||
	    job_ptr->state_reason == job_ptr->state_reason_prev_db)
		return;
	job_ptr->state_reason_prev_db = job_ptr->state_reason;
	last_job_update = time(NULL);
}

static bool prepare(job_record_t *job_ptr)
{
	job_ptr->bit_flags &= ~BACKFILL_SCHED;
	set_job_failed_assoc_qos_ptr(job_ptr);
	acct_policy_handle_accrue_time(job_ptr, false);
	note_reason(job_ptr);
	job_ptr->preempt_in_progress = false;
	if (job_ptr->array_recs)
		job_ptr->array_recs->pend_run_tasks = 0;
	if (job_ptr->resv_list)
		job_ptr->resv_ptr = NULL;
	return !IS_JOB_COMPLETING(job_ptr) && !IS_JOB_REVOKED(job_ptr);
}

static bool shows_hold(const job_record_t *job_ptr)
{
	switch (job_ptr->state_reason) {
	case FAIL_BAD_CONSTRAINTS:
	case FAIL_BURST_BUFFER_OP:
	case WAIT_HELD:
	case WAIT_HELD_USER:
	case WAIT_MAX_REQUEUE:
	case WAIT_RESV_DELETED:
#if CS_SLURM_AT_LEAST(23, 11)
	case WAIT_RESV_INVALID:
#endif
		return true;
	default:
		return false;
	}
}

/* What does not depend on the partition. */
static bool may_run(job_record_t *job_ptr)
{
	bool independent;

	if (job_ptr->details->prolog_running ||
	    (job_ptr->step_list && list_count(job_ptr->step_list))) {
		say(job_ptr, WAIT_CLEANING); /* the run before is not over */
		return false;
	}
	independent = job_independent(job_ptr);
	if (!job_ptr->priority) {
		if (!shows_hold(job_ptr))
			say(job_ptr, WAIT_HELD);
		return false;
	}
	if (!independent && (job_ptr->state_reason == WAIT_HELD ||
			     job_ptr->state_reason == WAIT_HELD_USER))
		say(job_ptr, WAIT_DEPENDENCY); /* released behind one */
	return independent;
}

/* ---- its partitions -------------------------------------------------------- */

static bool partition_reason(job_record_t *job_ptr)
{
#if CS_SLURM_AT_LEAST(24, 5)
	return job_state_reason_check(job_ptr->state_reason, JSR_PART);
#else
	return !part_policy_job_runnable_state(job_ptr);
#endif
}

/* Do job_ptr->part_ptr and qos_ptr let it start? */
static bool is_let(job_record_t *job_ptr)
{
	job_record_t *tested = job_ptr;
	enum job_state_reason why =
		(enum job_state_reason)job_limits_check(&tested, true);

	if (why != job_ptr->state_reason &&
	    (why != WAIT_NO_REASON || partition_reason(job_ptr)))
		say(job_ptr, why);
	return why == WAIT_NO_REASON;
}

static int hand_over(void *x, void *arg)
{
	job_queue_rec_t *rec = x;
	const struct tested *t = arg;

	if (!rec->use_prefer)
		t->entry(t->arg, rec);
	return 0;
}

/* In reservations that attract the job, though it named none. */
static void attracted(const struct tested *t, const job_queue_rec_t *rec)
{
	job_queue_req_t of = {
		.job_ptr = rec->job_ptr,
		.part_ptr = rec->part_ptr,
		.prio = rec->priority,
		.job_queue = list_create(xfree_ptr),
	};

	job_resv_append_magnetic(&of);
	list_for_each(of.job_queue, hand_over, (void *)t);
	FREE_NULL_LIST(of.job_queue);
}

/* It named several: one entry for each of them. */
static void named(const struct tested *t, const job_queue_rec_t *rec)
{
	list_itr_t *it = list_iterator_create(t->job_ptr->resv_list);
	slurmctld_resv_t *r;

	while ((r = list_next(it))) {
		job_queue_rec_t in = *rec;

		in.resv_ptr = r;
		if (t->job_ptr->bit_flags & JOB_PART_ASSIGNED && r->part_ptr)
			in.part_ptr = r->part_ptr;
		t->entry(t->arg, &in);
	}
	list_iterator_destroy(it);
}

static void enter(const struct tested *t, uint32_t priority)
{
	job_record_t *job_ptr = t->job_ptr;
	job_queue_rec_t rec = {
		.array_task_id = job_ptr->array_task_id,
		.job_id = job_ptr->job_id,
		.job_ptr = job_ptr,
		.part_ptr = job_ptr->part_ptr,
		.priority = priority,
	};

#if CS_SLURM_AT_LEAST(24, 11)
	rec.qos_ptr = job_ptr->qos_ptr;
#endif
	if (job_ptr->resv_list) {
		named(t, &rec);
		return;
	}
	t->entry(t->arg, &rec);
	if (t->magnetic && !job_ptr->resv_name && !job_ptr->het_job_id)
		attracted(t, &rec);
}

/* As it is now, the @i-th combination. */
static void test(const struct tested *t, uint32_t i)
{
	const uint32_t *priority = cs_job_priorities(t->job_ptr);

	if (is_let(t->job_ptr))
		enter(t, priority ? priority[i] : t->job_ptr->priority);
}

/* In job_ptr->part_ptr, under each of its QOS. */
static void test_partition(const struct tested *t, uint32_t *i)
{
#if CS_SLURM_AT_LEAST(24, 11)
	job_record_t *job_ptr = t->job_ptr;
	slurmdb_qos_rec_t *qos;
	list_itr_t *it;

	if (job_ptr->qos_list) {
		it = list_iterator_create(job_ptr->qos_list);
		while ((qos = list_next(it))) {
			cs_job_set_qos(job_ptr, qos);
			test(t, (*i)++);
		}
		list_iterator_destroy(it);
		return;
	}
#endif
	test(t, (*i)++);
}

void cs_slurm_runnable(job_record_t *job_ptr, bool magnetic,
		       cs_runnable_fn *entry, void *arg)
{
	const struct tested t = { job_ptr, magnetic, entry, arg };
	part_record_t *part_ptr;
	list_itr_t *it;
	uint32_t i = 0;

	if (!IS_JOB_PENDING(job_ptr) || !prepare(job_ptr) || !may_run(job_ptr))
		return;
	if (!job_ptr->part_ptr_list) {
		if (job_ptr->part_ptr)
			test_partition(&t, &i);
		return;
	}
	it = list_iterator_create(job_ptr->part_ptr_list);
	while ((part_ptr = list_next(it))) {
		job_ptr->part_ptr = part_ptr;
		test_partition(&t, &i);
	}
	list_iterator_destroy(it);
}

/* ---- arrays ---------------------------------------------------------------- */

static int corresponds(void *x, void *arg)
{
	const depend_spec_t *dep = x;

	(void)arg;
	return dep->depend_type == SLURM_DEPEND_AFTER_CORRESPOND;
}

bool cs_slurm_splits(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;

	if (!job_ptr->array_recs || !job_ptr->array_recs->task_id_bitmap ||
	    job_ptr->array_task_id != NO_VAL)
		return false;
	return cs_job_has_buffer(job_ptr) ||
	       (d && d->depend_list &&
		list_find_first(d->depend_list, corresponds, NULL));
}
