/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs: which there are, and their states; what they ask for is in view_asked.c.
 *
 * Rules.
 *  1. A COMPLETING job no longer holds anything, as under stock, and has ended; a
 *     requeued one whose epilog still runs waits, blocked.  For its nodes see
 *     view_nodes.c.
 *  2. A heterogeneous job waits as one job, by its leader's number (view_het.c);
 *     running, each component is a job.
 *  3. An array waits as one job with as many tasks as may run now (its "%").
 */
#include "compat/runnable.h"
#include "compat/site_keys.h"
#include "compat/stop.h"
#include "sched/view/view_slurm.h"

#include <time.h>

#include "common/base/array.h"
#include "gate/gate.h"
#include "sched/view/view_ahead.h"
#include "sched/view/view_before.h"
#include "sched/view/view_order.h"

/* ---- waiting -------------------------------------------------------------- */

/* By the main loop's reason, is the job blocked by anything but room?  For mode shadow;
 * in mode act cs_view_queue() knows better. */
static bool reason_blocks(const job_record_t *job_ptr)
{
	switch (job_ptr->state_reason) {
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	case WAIT_RESOURCES:
	case WAIT_NODE_NOT_AVAIL:
		return !job_ptr->priority;
	default:
		return true;
	}
}

/* Is the job's limit within that of a partition, as job_limits_check() has it? */
static int in_time(void *x, void *arg)
{
	const part_record_t *part_ptr = x;
	const job_record_t *job_ptr = arg;
	uint32_t least =
		job_ptr->time_min ? job_ptr->time_min : job_ptr->time_limit;

	return job_ptr->time_limit == NO_VAL || least <= part_ptr->max_time;
}

/* Is its limit above that of all its partitions?  Then nothing else can start it. */
static bool over_time(const job_record_t *job_ptr)
{
	job_record_t *job = (job_record_t *)job_ptr;

	if (job_ptr->limit_set.time == ADMIN_SET_LIMIT ||
	    (job_ptr->qos_ptr &&
	     (job_ptr->qos_ptr->flags & QOS_FLAG_PART_TIME_LIMIT)))
		return false;
	if (job_ptr->part_ptr_list)
		return !list_find_first(job_ptr->part_ptr_list, in_time, job);
	return job_ptr->part_ptr && !in_time(job_ptr->part_ptr, job);
}

static enum cs_view_kept kept_by(const job_record_t *job_ptr)
{
	if (over_time(job_ptr))
		return CS_KEPT_PART_TIME;
	switch (job_ptr->state_reason) {
	case WAIT_HELD:
	case WAIT_HELD_USER:
		return CS_KEPT_HELD;
	case WAIT_DEPENDENCY:
	case WAIT_DEP_INVALID:
		return CS_KEPT_DEPENDENCY;
	case WAIT_TIME:
		return job_ptr->priority ? CS_KEPT_BEGIN : CS_KEPT_HELD;
	case WAIT_LICENSES:
		return CS_KEPT_LICENSES;
	case WAIT_BURST_BUFFER_RESOURCE:
	case WAIT_BURST_BUFFER_STAGING:
		return CS_KEPT_BUFFER;
	case WAIT_PART_NODE_LIMIT:
		return CS_KEPT_PART_NODES;
	case WAIT_PART_TIME_LIMIT:
		return CS_KEPT_PART_TIME;
	case WAIT_PART_DOWN:
	case WAIT_PART_INACTIVE:
		return CS_KEPT_PART_DOWN;
	case WAIT_RESERVATION:
		return job_ptr->resv_name ? CS_KEPT_RESERVATION
					  : CS_KEPT_RESERVED;
	case WAIT_ARRAY_TASK_LIMIT:
		return CS_KEPT_ARRAY;
	default:
		if (cs_job_at_limit(job_ptr))
			return CS_KEPT_LIMIT;
		if (IS_JOB_COMPLETING(job_ptr))
			return CS_KEPT_COMPLETING;
		return job_ptr->priority ? CS_KEPT_OTHER : CS_KEPT_HELD;
	}
}

static uint32_t lines_of(const job_record_t *job_ptr)
{
	const job_array_struct_t *a = job_ptr->array_recs;

	if (job_ptr->het_job_list)
		return (uint32_t)list_count(job_ptr->het_job_list);
	return a && a->task_cnt ? a->task_cnt : 1;
}

/* Slurm's thresholds, without which its planned start keeps nothing. */
static bool keeps_nothing(const struct cs_view *v, job_record_t *job_ptr)
{
	uint32_t least = acct_policy_get_prio_thresh(job_ptr, true);

	return job_ptr->priority < (least ? least : v->least_priority);
}

/* What is read in each look; in mode shadow also whether the job may start. */
static void read_state(struct cs_view *v, struct cs_view_job *j,
		       job_record_t *job_ptr)
{
	int64_t begin_us = (int64_t)job_ptr->details->begin_time * 1000000 +
			   CS_VIEW_TICK_US;

	j->state = CS_VIEW_WAITING;
	j->limit_us = cs_view_minutes_us(job_ptr->time_limit);
	j->kept = kept_by(job_ptr);
	if (keeps_nothing(v, job_ptr))
		j->desc.flags |= CS_JOB_KEEPS_NOTHING;
	if (reason_blocks(job_ptr) || j->kept == CS_KEPT_PART_TIME ||
	    begin_us > v->now_us || IS_JOB_COMPLETING(job_ptr)) {
		j->desc.flags |= CS_JOB_BLOCKED;
		v->blocked++;
	}
	if (begin_us > v->now_us && begin_us < v->wake_us)
		v->wake_us = begin_us;
	j->priority = v->factors ? cs_job_factor(job_ptr) : job_ptr->priority;
	j->reason = job_ptr->state_reason;
	j->lines = lines_of(job_ptr);
	j->shown_s = (int64_t)job_ptr->start_time;
}

/* NULL: it is not ours, or no memory. @ret_ask: Slurm must be asked whether it may start. */
static struct cs_view_job *add_waiting(struct cs_view *v, job_record_t *job_ptr,
				       bool *ret_ask)
{
	struct cs_view_job *j;

	if (IS_JOB_REVOKED(job_ptr) ||
	    (job_ptr->het_job_id && job_ptr->het_job_offset))
		return NULL;
	j = cs_view_before_take(v, job_ptr);
	*ret_ask = v->mode == CS_MODE_ACT &&
		   (!j || (v->limits && cs_view_before_first(v, j)));
	if (!j) {
		j = cs_view_add_job(v, job_ptr, true);
		if (!j)
			return NULL;
		cs_view_before_note(v, j, job_ptr);
	}
	v->n_waiting++;
	read_state(v, j, job_ptr);
	if (v->mode == CS_MODE_ACT && !*ret_ask) {
		if (job_ptr->preempt_in_progress) /* of the cycle before */
			job_ptr->preempt_in_progress = false;
		cs_view_answer(v, j);
	}
	return j;
}

static void list_waiting(struct cs_view *v, uint32_t id)
{
	if (cs_array_room(&v->todo, &v->cap_todo, (size_t)v->n_todo + 1))
		v->nomem = true;
	else
		v->todo[v->n_todo++] = id;
}

#define BATCH 128 /* jobs described under one lock of associations */

/* Describe the next jobs of the list; where the blocks of those are that Slurm must be
 * asked about, into @ret [BATCH], in words.  Returns how many. */
static uint32_t describe_some(struct cs_view *v, size_t *ret,
			      cs_view_left_fn *left, void *arg)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK,
				   .qos = READ_LOCK,
				   .tres = READ_LOCK };
	job_record_t *job[BATCH];
	uint32_t n = 0, m = 0;

	while (m < BATCH && v->done + m < v->n_todo) {
		job[m] = find_job_record(v->todo[v->done + m]);
		m++;
	}
	assoc_mgr_lock(&locks);
	for (uint32_t i = 0; i < m && !v->nomem; i++) {
		job_record_t *job_ptr = job[i];
		struct cs_view_job *j;
		bool ask = false;

		cs_view_ahead_fetch(job, m, i);
		v->done++;
		if (!job_ptr || !IS_JOB_PENDING(job_ptr) || !job_ptr->details ||
		    !job_ptr->part_ptr) {
			left(arg, v->todo[v->done - 1]);
			continue;
		}
		j = add_waiting(v, job_ptr, &ask);
		if (j && ask)
			ret[n++] = (size_t)((uint64_t *)j - v->mem);
	}
	assoc_mgr_unlock(&locks);
	return n;
}

bool cs_view_waiting(struct cs_view *v, int64_t until_us, cs_view_left_fn *left,
		     void *arg)
{
	size_t at[BATCH];

	do {
		uint32_t n = describe_some(v, at, left, arg);

		/* Slurm's tests take that lock themselves */
		for (uint32_t i = 0; i < n; i++)
			cs_view_ask(v, (struct cs_view_job *)(v->mem + at[i]));
	} while (v->done < v->n_todo && !v->nomem &&
		 cs_gate_now_us() < until_us);
	return v->done < v->n_todo && !v->nomem;
}

/* ---- running -------------------------------------------------------------- */

static void add_running(struct cs_view *v, job_record_t *job_ptr,
			cs_view_known_fn *known, void *arg)
{
	const job_resources_t *jr = job_ptr->job_resrcs;
	struct cs_view_job *j;
	struct cs_alloc *a;

	if (!jr || !jr->node_bitmap)
		return;
	j = cs_view_add_job(v, job_ptr, false);
	if (!j)
		return;
	v->n_running++;
	j->state =
		IS_JOB_SUSPENDED(job_ptr) ? CS_VIEW_SUSPENDED : CS_VIEW_RUNNING;
	/* by the gang scheduler, or us: an administrator's suspend frees the cores */
	j->keeps = cs_stop_keeps(job_ptr);
	j->stopped = cs_stopped(job_ptr);
	j->held = cs_stop_held(job_ptr);
	if (cs_view_options(j)[0].tier < v->lowest_tier)
		v->lowest_tier = cs_view_options(j)[0].tier;
	if (job_ptr->priority < v->lowest_priority)
		v->lowest_priority = job_ptr->priority;
	v->borrowed |= (j->desc.flags & CS_JOB_BORROWS) != 0;
	j->restarts = job_ptr->restart_cnt;
	j->start_us = (int64_t)job_ptr->start_time * 1000000;
	/* job_config_fini() adds up what passed before; so does a resume */
	j->from_us = j->start_us;
	if (!job_ptr->suspend_time)
		j->from_us += (int64_t)job_ptr->tot_sus_time * 1000000;
	j->limit_us = cs_view_minutes_us(job_ptr->time_limit);
	j->n_node = jr->nhosts;
	j->cpus = jr->ncpus;
	j->mem_mb = cs_view_memory_held(v, jr);
	if (j->n_node <
	    j->desc.min_nodes) { /* rule 2 of view_asked.c, of what it has now */
		j->desc.min_nodes = j->n_node;
		j->desc.base_procs =
			cs_view_stock_layout(&j->desc, job_ptr->part_ptr);
	}
	j->desc.tasks = 1;
	if (known(arg, j))
		return;
	a = cs_view_alloc(v, job_ptr, j->desc.procs, j->desc.cpus_per_proc);
	if (a)
		cs_view_take_alloc(v, j, a);
}

static bool waits(const job_record_t *job_ptr)
{
	return IS_JOB_PENDING(job_ptr) && job_ptr->details && job_ptr->part_ptr;
}

/* Tasks that Slurm splits off their arrays for reasons of its own: its function for that
 * goes through all jobs, and the list of those that wait has others then. */
static void split_arrays(struct cs_view *v)
{
	list_t *queue = build_job_queue(false, true);
	struct cs_view_ahead jobs;
	job_record_t *job_ptr;

	FREE_NULL_LIST(queue);
	v->n_todo = 0;
	cs_view_ahead_begin(&jobs);
	while (!v->nomem && (job_ptr = cs_view_ahead_next(&jobs)))
		if (waits(job_ptr))
			list_waiting(v, job_ptr->job_id);
	cs_view_ahead_end(&jobs);
}

void cs_view_jobs(struct cs_view *v, cs_view_known_fn *known,
		  cs_view_ended_fn *ended, void *arg)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK,
				   .qos = READ_LOCK,
				   .tres = READ_LOCK };
	job_record_t *job_ptr;
	bool splits = false;
	struct cs_view_ahead jobs;

	v->purge_us = slurm_conf.min_job_age
			      ? slurm_conf.min_job_age * INT64_C(1000000)
			      : INT64_C(86400000000); /* never */
	v->private = slurm_conf.private_data & PRIVATE_DATA_JOBS;
	v->private_users =
		slurm_conf.private_data &
		(PRIVATE_DATA_JOBS | PRIVATE_DATA_USAGE | PRIVATE_DATA_USERS);
	v->waits_complete = slurm_conf.complete_wait != 0;
	v->hold = slurmctld_config.scheduling_disabled ||
		  (slurm_conf.complete_wait && job_is_completing(NULL));
	v->serial_last =
		xstrcasestr(slurm_conf.sched_params, "pack_serial_at_end");
	v->stage_us = cs_site_keys_stage_us(slurm_conf.sched_params);
	v->least_priority =
		cs_site_keys_least_priority(slurm_conf.sched_params);
	cs_view_before_config(v);
	assoc_mgr_lock(&locks);
	cs_view_order_site(v);
	cs_view_ahead_begin(&jobs);
	while (!v->nomem && (job_ptr = cs_view_ahead_next(&jobs))) {
		if (job_ptr->job_id > v->last_id)
			v->last_id = job_ptr->job_id;
		splits |= v->mode == CS_MODE_ACT && IS_JOB_PENDING(job_ptr) &&
			  cs_slurm_splits(job_ptr);
		if (!job_ptr->details || !job_ptr->part_ptr)
			continue;
		if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr))
			add_running(v, job_ptr, known, arg);
		else if (waits(job_ptr))
			list_waiting(v, job_ptr->job_id);
		else
			ended(arg, job_ptr->job_id, job_ptr->restart_cnt,
			      !IS_JOB_COMPLETE(job_ptr));
	}
	cs_view_ahead_end(&jobs);
	assoc_mgr_unlock(&locks);
	if (splits)
		split_arrays(v);
}

/* ---- new ------------------------------------------------------------------ */

#define NEW_GAP 16  /* ids that no job got: requests that were refused late */
#define NEW_MOST 64 /* by themselves */

/* The first job behind @id in the order of creation, as ids are given in a row (until the
 * largest is reached: then, and behind a longer gap, another look finds it); NULL: none. */
static job_record_t *next_new(uint32_t id)
{
	job_record_t *job_ptr = NULL;

	for (uint32_t i = 1; !job_ptr && i <= NEW_GAP; i++)
		job_ptr = find_job_record(id + i);
	return job_ptr;
}

bool cs_view_any_new(const struct cs_view *v)
{
	return next_new(v->last_id) != NULL;
}

bool cs_view_list_new(struct cs_view *v)
{
	job_record_t *job_ptr;

	for (int i = 0; (job_ptr = next_new(v->last_id)); i++) {
		v->last_id = job_ptr->job_id;
		if (IS_JOB_RUNNING(job_ptr))
			continue; /* a task of an array that we started */
		if (i >= NEW_MOST || !waits(job_ptr) || job_ptr->het_job_id ||
		    cs_slurm_splits(job_ptr))
			return false;
		list_waiting(v, job_ptr->job_id);
	}
	return !v->nomem;
}
