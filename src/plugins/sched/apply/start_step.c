/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One start in Slurm, step by step: may the job still start, select_nodes(), the answer
 * to the engine.  All starts go through these.
 *
 * Rules.
 *  1. The job is looked up by its id and gets all the tests of stock's schedulers
 *     again: pending, not held, not completing, partition still its own and up,
 *     dependency, begin time, that of the option's reservation, array throttle,
 *     licences, limits, federation.
 *  2. Planned cores: exactly these, but for GPUs (apply_start.c, rule 2).  To keep Slurm
 *     from using fewer nodes than planned where a core holds more than it needs (hardware
 *     threads), min and max nodes are the plan's during the call; the user's are restored
 *     after it, in the job and, for an array, in the record of the remaining tasks.
 *  3. TimeMin: tested and counted with the least limit, then raised as far as the
 *     reservations of waiting heads allow (cs_apply_limit_stretch(): Slurm counts the
 *     difference only from the job's present limit).
 *  4. An array task gets its id inside select_nodes(): it is read again.
 *  5. If Slurm chose, it may have taken cores of a job that ended since the snapshot
 *     and that the engine still has: the next look reports both.
 *  6. If it may have given cores that others hold (CS_JOB_SHARES_CORES), the job still
 *     waits in the engine; the next look makes it a ghost, until it holds its cores
 *     alone (feed.c, rule 3).
 *  7. A limit that others have set since the look stays: it is not raised, and the engine
 *     hears of it.  One that is shorter than the estimate may be the partition's.
 */
#include "sched/apply/start_step.h"

#include <errno.h>
#include <time.h>

#include "sched/apply/apply.h"
#include "sched/view/view_table.h"

const struct cs_refusal cs_start_step_gone = { CS_REFUSED_CHANGED,
					       "it does not wait any more",
					       false };
const struct cs_refusal cs_start_step_halted = { CS_REFUSED_GROUP,
						 "scheduling is halted",
						 false };
static const struct cs_refusal held = { CS_REFUSED_CHANGED, "it is held",
					false };
static const struct cs_refusal no_part = { CS_REFUSED_CHANGED,
					   "its partition has changed", false };
static const struct cs_refusal no_resv = { CS_REFUSED_CHANGED,
					   "its reservation is gone", false };
static const struct cs_refusal not_free = {
	CS_REFUSED_CHANGED,
	"a dependency, its begin or its reservation's, or an array limit", false
};
static const struct cs_refusal part_limit = { CS_REFUSED_CHANGED,
					      "a limit of its partition",
					      false };
static const struct cs_refusal licenses = { CS_REFUSED_LIMIT,
					    "licenses are used up", true };
static const struct cs_refusal shares = { CS_REFUSED_GROUP,
					  "it has started on cores of others",
					  false };

/* ---- permission ------------------------------------------------------------ */

static part_record_t *partition(const struct cs_adapter *b,
				job_record_t *job_ptr,
				const struct cs_view_option *o)
{
	const char *name = cs_view_name_of(b->view->partitions, o->partition);
	part_record_t *part_ptr = NULL;
	list_itr_t *it;

	if (!job_ptr->part_ptr_list)
		return job_ptr->part_ptr &&
				       !xstrcmp(job_ptr->part_ptr->name, name)
			       ? job_ptr->part_ptr
			       : NULL;
	it = list_iterator_create(job_ptr->part_ptr_list);
	while ((part_ptr = list_next(it)))
		if (!xstrcmp(part_ptr->name, name))
			break;
	list_iterator_destroy(it);
	return part_ptr;
}

static bool waits(const job_record_t *job_ptr)
{
	return job_ptr && job_ptr->details && IS_JOB_PENDING(job_ptr) &&
	       !IS_JOB_COMPLETING(job_ptr) && !IS_JOB_REVOKED(job_ptr) &&
	       (job_ptr->array_task_id == NO_VAL || !job_ptr->array_recs ||
		!job_ptr->array_recs->task_cnt);
}

static int has_id(void *x, void *key)
{
	const slurmctld_resv_t *r = x;
	const uint32_t *id = key;

	return r->resv_id == *id;
}

static slurmctld_resv_t *reservation(uint32_t id)
{
	return id && resv_list ? list_find_first(resv_list, has_id, &id) : NULL;
}

bool cs_start_step_entry(const struct cs_adapter *b, job_record_t *job_ptr,
			 const struct cs_view_option *o, job_queue_rec_t *ret)
{
	*ret = (job_queue_rec_t){
		.array_task_id = job_ptr->array_task_id,
		.job_id = job_ptr->job_id,
		.job_ptr = job_ptr,
		.part_ptr = partition(b, job_ptr, o),
		.priority = (uint32_t)o->priority,
		.resv_ptr = reservation(o->resv),
	};
	cs_compat_queue_take_qos(ret, o->qos);
	return ret->part_ptr && ret->part_ptr->node_bitmap &&
	       (ret->resv_ptr || !o->resv);
}

/* Make @job_ptr a candidate in the option's reservation, if that has one: for the
 * attempt a magnetic one counts as requested.  False: it is gone. */
static bool join_reservation(job_record_t *job_ptr,
			     const struct cs_view_option *o)
{
	slurmctld_resv_t *r = reservation(o->resv);

	if (!r)
		return !o->resv;
	job_ptr->resv_ptr = r;
	job_ptr->resv_id = r->resv_id;
	if (!job_ptr->resv_name && !job_ptr->resv_list) {
		job_ptr->resv_name = xstrdup(r->name);
		job_ptr->bit_flags |= JOB_MAGNETIC;
	}
	return true;
}

void cs_start_step_leave(job_record_t *job_ptr)
{
	if (!(job_ptr->bit_flags & JOB_MAGNETIC))
		return;
	job_ptr->bit_flags &= ~JOB_MAGNETIC;
	xfree(job_ptr->resv_name);
	job_ptr->resv_ptr = NULL;
	job_ptr->resv_id = 0;
}

/* Why a candidate may not start now, NULL: it may. */
static const struct cs_refusal *hindrance(job_record_t *job_ptr)
{
	if (!job_independent(job_ptr))
		return &not_free;
	if (job_limits_check(&job_ptr, true) != WAIT_NO_REASON)
		return &part_limit;
	if (license_job_test(job_ptr, time(NULL), true))
		return &licenses;
	return NULL;
}

bool cs_start_step_ready(struct cs_adapter *b, job_record_t *job_ptr,
			 const struct cs_view_option *o, struct cs_refusal *ret)
{
	const struct cs_refusal *why;
	part_record_t *part_ptr;

	*ret = cs_start_step_gone;
	if (!waits(job_ptr))
		return false;
	*ret = held;
	if (!job_ptr->priority)
		return false;
	part_ptr = partition(b, job_ptr, o);
	*ret = no_part;
	if (!part_ptr || !part_ptr->node_bitmap ||
	    !(part_ptr->state_up & PARTITION_SCHED) ||
	    !cs_job_take_qos(job_ptr, o->qos))
		return false;
	job_ptr->part_ptr = part_ptr;
	*ret = no_resv;
	if (!join_reservation(job_ptr, o))
		return false;
	why = hindrance(job_ptr);
	if (!why)
		return true;
	*ret = *why;
	cs_start_step_leave(job_ptr);
	return false;
}

/* ---- the call -------------------------------------------------------------- */

struct before {		   /* what the call must not leave changed */
	uint32_t array_id; /* its array, or 0 */
	uint32_t min_nodes, max_nodes, time_limit;
};

/* @limit: that, too; never for a started job (rule 3). */
static void put_back(const struct before *was, job_record_t *job_ptr,
		     bool limit)
{
	if (!job_ptr || !job_ptr->details)
		return;
	job_ptr->details->min_nodes = was->min_nodes;
	job_ptr->details->max_nodes = was->max_nodes;
	if (limit)
		job_ptr->time_limit = was->time_limit;
}

static int call(job_record_t *job_ptr)
{
	cs_details_t *d = job_ptr->details;
	int rc = ESLURM_NODES_BUSY;

	if (d->prefer) {
		d->features_use = d->prefer;
		d->feature_list_use = d->prefer_list;
		rc = cs_slurm_select_nodes(job_ptr, false);
		if (!rc)
			return rc;
	}
	d->features_use = d->features;
	d->feature_list_use = d->feature_list;
	return cs_slurm_select_nodes(job_ptr, false);
}

int cs_start_step_select(job_record_t *job_ptr, const struct cs_where *where)
{
	const struct before was = {
		.array_id = job_ptr->array_recs ? job_ptr->job_id : 0,
		.min_nodes = job_ptr->details->min_nodes,
		.max_nodes = job_ptr->details->max_nodes,
		.time_limit = job_ptr->time_limit,
	};
	const struct cs_gate_start plan = {
		.job_id = job_ptr->job_id,
		.nodes = where->nodes,
		.cores = where->cores,
		.forbidden = where->forbidden,
	};
	bool least = job_ptr->time_min && job_ptr->time_min < was.time_limit;
	job_record_t *rest;
	int rc;

	if (where->n_node)
		job_ptr->details->min_nodes = job_ptr->details->max_nodes =
			where->n_node;
	if (least)
		job_ptr->time_limit = job_ptr->time_min;
	else
		cs_apply_limit_until_deadline(job_ptr);
	job_ptr->bit_flags |= BACKFILL_SCHED;
	job_ptr->last_sched_eval = time(NULL);
	cs_gate_start_begin(&plan);
	rc = call(job_ptr);
	if (cs_gate_start_end() && rc == ESLURM_NODES_BUSY)
		rc = CS_SWITCHES_BUSY;
	put_back(&was, job_ptr, rc);
	rest = was.array_id ? find_job_record(was.array_id) : NULL;
	if (rest && rest != job_ptr)
		put_back(&was, rest, true);
	if (rc)
		cs_start_step_leave(job_ptr);
	else
		cs_slurm_launch(job_ptr);
	return rc;
}

/* ---- the answer ------------------------------------------------------------ */

int cs_start_step_refuse(struct cs_adapter *b, const struct cs_action *a,
			 const struct cs_refusal *r, struct cs_err *err)
{
	return cs_start_step_refuse_until(b, a, r, NULL, err);
}

int cs_start_step_refuse_until(struct cs_adapter *b, const struct cs_action *a,
			       const struct cs_refusal *r,
			       const struct cs_forecast *f, struct cs_err *err)
{
	struct cs_known_job *k = cs_known_find(&b->known, a->job_id);

	if (k && r->limit) {
		k->hold_us = b->now_us + INT64_C(30000000);
		k->hold_ends = b->count.ended;
	}
	if (b->batch.n_refused < b->batch.cap_refused)
		b->batch.refused[b->batch.n_refused++] = a->seq;
	return cs_feed_refused(b, a, r->class, r->why, f, err);
}

/* Rule 6: did Slurm give it, on @got, a core that another holds? */
static bool beside(const struct cs_adapter *b, const struct cs_action *a,
		   const struct cs_alloc *got)
{
	const struct cs_known_job *k = cs_known_find(&b->known, a->job_id);

	return k && cs_known_desc(k) &&
	       cs_known_options(k)[a->option].flags & CS_JOB_SHARES_CORES &&
	       !cs_engine_has_room(b->engine, got);
}

int cs_start_step_confirm(struct cs_adapter *b, const struct cs_action *a,
			  job_record_t *job_ptr, struct cs_err *err)
{
	const struct cs_known_job *from = cs_known_find(&b->known, a->job_id);
	const struct cs_view_desc *d = from ? cs_known_desc(from) : NULL;
	struct cs_alloc *got = cs_view_alloc(b->view, job_ptr, d ? d->procs : 1,
					     d ? d->cpus_per_proc : 1);
	struct cs_feed_start s = {
		.seq = a->seq,
		.id = job_ptr->job_id,
		.array_id = job_ptr->job_id != a->job_id ? a->job_id : 0,
		.option = a->option,
		.restarts = job_ptr->restart_cnt,
		.start_us = (int64_t)job_ptr->start_time * 1000000,
		.alloc = got,
		.action = a,
	};
	uint32_t flag = job_ptr->limit_set.time;
	int64_t asked_us = from ? from->estimate_us : 0;
	bool other = cs_apply_limit_us(job_ptr) != asked_us; /* rule 7 */
	struct cs_action as = *a;
	struct cs_known_job *k;
	int rc;

	if (!got)
		/* It holds something unknown to the machine: the next look will find it
		 * running and leave it out. */
		return cs_start_step_refuse(b, a, &cs_start_step_gone, err);
	if (other)
		as.limit_us = 0;
	if (as.limit_us)
		cs_apply_limit_set(job_ptr, as.limit_us);
	s.limit_us = cs_apply_limit_us(job_ptr);
	s.n_node = job_ptr->job_resrcs->nhosts;
	s.cpus = job_ptr->job_resrcs->ncpus;
	s.mem_mb = cs_view_memory_held(b->view, job_ptr->job_resrcs);
	if (beside(b, a, got))
		rc = cs_start_step_refuse(b, a, &shares, err);
	else
		rc = cs_feed_started(b, &s, err);
	cs_alloc_free(got);
	if (rc == -ESTALE && a->type == CS_ACT_HOST_START)
		return cs_start_step_refuse(b, a, &cs_start_step_gone,
					    err); /* rule 5 */
	k = cs_known_find(&b->known, s.id);
	if (!rc && k)
		cs_apply_limit_started(b, &as, job_ptr, k, flag);
	if (!rc && other && (a->limit_us || s.limit_us > asked_us))
		rc = cs_apply_limit_tell(b, job_ptr, err);
	b->count.started++;
	b->count.cycle_started++;
	b->batch.host_started |= a->type == CS_ACT_HOST_START;
	return rc;
}
