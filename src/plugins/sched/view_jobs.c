/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs: what was asked.
 *
 * Rules.
 *  1. A job that is COMPLETING holds nothing any more, as under stock, and has
 *     ended; a requeued one whose epilog still runs waits, blocked.  Its nodes
 *     are view_nodes.c's matter.
 *  2. What the model does not hold (generic resources, switches, specialized
 *     cores, overcommit, tasks per socket or core, arbitrary distribution,
 *     feature expressions, required nodes beside others, user- or label-owned
 *     nodes, CR_Socket) is placed by Slurm's own test: CS_JOB_HOST.
 *  3. The estimate (view_limits.c) holds for the layout that stock would give
 *     (base_procs): the user's, or nodes filled to the last core.
 *  4. --mem=0 asks for all memory of its nodes: such a job runs beside nobody.
 *  5. A heterogeneous job waits as one job, its leader's number, with the sum of
 *     its components, at most UINT32_MAX; running, each component is a job.
 *  6. An array waits as one job with as many tasks as may run now (its "%").
 *  7. Of several partitions (options) each has its own flags.  Sizes, estimate and
 *     base_procs are the job's.  Sizes are the loosest; where a partition's
 *     MinNodes or MaxNodes make them others Slurm's own test places it, and one
 *     whose MaxNodes can never hold the job is left out, but not for a job of
 *     rule 2: who knows.  The estimate is the longest, so that no head is promised
 *     too much; where it is shorter the job shares with nobody, as a limit is not
 *     raised from another partition's.  base_procs is the least: the limit is then
 *     the longest.
 *  8. Under --overcommit tasks are no measure: the cpus are that Slurm wants.
 *  9. That a job keeps its nodes to its user (CS_JOB_USER_NODES) takes them from
 *     nobody's set: others wait for its end, as for anybody's.
 *
 * Strings are copied, cut at TEXT_MAX; of a comment only what cs_comment_item()
 * lets through is kept.
 */
#include "view_slurm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_MAX 255
#define SHARES_S 10 /* how old they may be */

static uint32_t asked(uint16_t n)
{
	return n == NO_VAL16 || n == INFINITE16 ? 0 : n;
}

/* ---- what was asked ------------------------------------------------------- */

static uint32_t processes(const cs_details_t *d, uint32_t cpus_per_proc)
{
	uint32_t procs = d->overcommit ? 0 : d->num_tasks;
	uint32_t by_cpus = d->min_cpus / cpus_per_proc;
	uint32_t nodes = d->min_nodes ? d->min_nodes : 1;

	if (!procs && !d->overcommit && asked(d->ntasks_per_node))
		procs = nodes * d->ntasks_per_node;
	if (!procs && by_cpus)
		procs = by_cpus;
	if (procs < nodes)
		procs = nodes;
	return procs;
}

/* Processes a node as stock would lay the job out. */
static uint32_t stock_layout(const struct cs_view_desc *to,
			     const part_record_t *part_ptr)
{
	uint32_t fill = part_ptr->max_cpu_cnt / to->cpus_per_proc;

	if (to->procs_per_node)
		return to->procs_per_node;
	if (to->min_nodes == to->max_nodes)
		return cs_div_up(to->procs, to->min_nodes);
	if (!fill)
		fill = 1;
	return fill < to->procs ? fill : to->procs;
}

static void sizes(struct cs_view_desc *to, const job_record_t *job_ptr,
		  const part_record_t *part_ptr)
{
	const cs_details_t *d = job_ptr->details;

	to->cpus_per_proc = asked(d->cpus_per_task);
	if (!to->cpus_per_proc)
		to->cpus_per_proc = 1;
	to->procs = processes(d, to->cpus_per_proc);
	to->min_nodes = d->min_nodes ? d->min_nodes : 1;
	to->max_nodes = d->max_nodes;
	if (part_ptr->min_nodes > to->min_nodes)
		to->min_nodes = part_ptr->min_nodes;
	if (part_ptr->max_nodes != INFINITE &&
	    (!to->max_nodes || to->max_nodes > part_ptr->max_nodes))
		to->max_nodes = part_ptr->max_nodes;
	if (to->max_nodes && to->max_nodes < to->min_nodes)
		to->max_nodes = to->min_nodes;
	if (to->procs < to->min_nodes)
		to->procs = to->min_nodes;
	to->procs_per_node = d->overcommit ? 0 : asked(d->ntasks_per_node);
	to->base_procs = stock_layout(to, part_ptr);
}

static void memory(struct cs_view_desc *to, const struct cs_view *v,
		   const cs_details_t *d)
{
	if (!v->memory)
		return;
	if (!d->pn_min_memory || d->pn_min_memory == MEM_PER_CPU ||
	    d->pn_min_memory == NO_VAL64)
		to->flags |= CS_JOB_EXCLUSIVE;
	else if (d->pn_min_memory & MEM_PER_CPU)
		to->mem_cpu_mb = d->pn_min_memory & ~MEM_PER_CPU;
	else
		to->mem_node_mb = d->pn_min_memory;
}

static bool odd_layout(const cs_details_t *d)
{
	const multi_core_data_t *mc = d->mc_ptr;

	if ((d->task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY)
		return true;
	return mc && (asked(mc->ntasks_per_socket) ||
		      asked(mc->ntasks_per_board) ||
		      asked(mc->ntasks_per_core) ||
		      asked(mc->threads_per_core));
}

static bool for_the_host(const struct cs_view *v, const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;

	return v->odd || cs_job_wants_other(job_ptr) ||
	       !cs_job_features_plain(job_ptr) || odd_layout(d) ||
	       !cs_view_required_is_all(job_ptr) ||
	       cs_job_whole(job_ptr) == CS_WHOLE_OTHER ||
	       (slurm_conf.mcs_plugin &&
		xstrcmp(slurm_conf.mcs_plugin, "mcs/none"));
}

static uint32_t flags_of(const struct cs_view *v, const job_record_t *job_ptr)
{
	uint32_t flags = 0;
	bool no_share = false;

	if (for_the_host(v, job_ptr))
		flags |= CS_JOB_HOST;
	if (cs_job_whole(job_ptr) == CS_WHOLE_NODE)
		flags |= CS_JOB_EXCLUSIVE;
	if (cs_job_owns_nodes(job_ptr))
		flags |= CS_JOB_USER_NODES;
	if (job_ptr->comment)
		cs_comment_check(job_ptr->comment, &no_share, NULL, 0);
	if (no_share)
		flags |= CS_JOB_NO_SHARE;
	if (job_ptr->restart_cnt)
		flags |= CS_JOB_REQUEUED;
	if (v->params->order == CS_ORDER_OSTRICH && job_ptr->priority &&
	    job_ptr->direct_set_prio)
		flags |= CS_JOB_PRIORITY_SET;
	return flags;
}

/* ---- partitions ----------------------------------------------------------- */

/* CS_VIEW_PREEMPTS_*, or 0. */
static uint32_t may_preempt(const job_record_t *job_ptr,
			    const part_record_t *part_ptr)
{
	const slurmdb_qos_rec_t *qos = job_ptr->qos_ptr;

	if (!slurm_preemption_enabled())
		return 0;
	if (!xstrcasestr(slurm_conf.preempt_type, "qos"))
		return part_ptr->priority_tier > 1 ? CS_VIEW_PREEMPTS_TIER : 0;
	return qos && qos->preempt_bitstr && bit_ffs(qos->preempt_bitstr) >= 0 ?
		       CS_VIEW_PREEMPTS_QOS :
		       0;
}

static bool ours(const struct cs_view *v, const part_record_t *part_ptr)
{
	return v->all_partitions ||
	       cs_params_mode_of(v->params, part_ptr->name) == v->mode;
}

/* What of it is for Slurm's own test, there. */
static bool host_part(const struct cs_view_job *j, const job_record_t *job_ptr,
		      const part_record_t *part_ptr)
{
	struct cs_view_desc own = { 0 };

	sizes(&own, job_ptr, part_ptr);
	return (part_ptr->flags & PART_FLAG_EXCLUSIVE_USER) ||
	       part_ptr->max_cpus_per_node < part_ptr->max_cpu_cnt ||
	       (!j->desc.n_comp && (own.min_nodes != j->desc.min_nodes ||
				    own.max_nodes != j->desc.max_nodes ||
				    own.procs != j->desc.procs));
}

static bool fill_option(struct cs_view *v, struct cs_view_job *j,
			struct cs_view_option *to, const job_record_t *job_ptr,
			const part_record_t *part_ptr)
{
	int64_t own_us = cs_view_estimate(job_ptr, part_ptr);

	to->partition = cs_view_name(v->partitions, part_ptr->name);
	to->tier = part_ptr->priority_tier;
	to->priority = job_ptr->priority;
	to->set = cs_view_option_set(v, job_ptr, part_ptr, job_ptr->resv_ptr);
	if (!part_ptr->max_share)
		to->flags |= CS_JOB_EXCLUSIVE;
	if (!cs_params_listed(v->params->share_partitions, part_ptr->name,
			      true))
		to->flags |= CS_JOB_NO_SHARE;
	if (host_part(j, job_ptr, part_ptr))
		to->flags |= CS_JOB_HOST;
	if (part_ptr->flags & PART_FLAG_EXCLUSIVE_USER)
		to->flags |= CS_JOB_USER_NODES;
	to->limit_max_us = cs_view_limit_max(v, &j->desc, job_ptr, part_ptr);
	if (own_us < j->desc.estimate_us) {
		to->flags |= CS_JOB_NO_SHARE;
		to->limit_max_us = own_us; /* below the estimate: no raise */
	} else if (to->limit_max_us < j->desc.estimate_us) {
		to->limit_max_us = j->desc.estimate_us;
	}
	j->desc.preempts |= may_preempt(job_ptr, part_ptr);
	if (to->partition == UINT32_MAX || to->set == UINT32_MAX)
		v->nomem = true;
	return !v->nomem;
}

/* Could a node limit of the partition ever hold it? */
static bool could_hold(const struct cs_view *v, const job_record_t *job_ptr,
		       const part_record_t *part_ptr)
{
	struct cs_view_desc own = { 0 };

	if (for_the_host(v, job_ptr))
		return true; /* its processes may share cores, or take other */
	sizes(&own, job_ptr, part_ptr);
	return !own.max_nodes ||
	       (uint64_t)own.max_nodes * part_ptr->max_cpu_cnt >=
		       (uint64_t)own.procs * own.cpus_per_proc;
}

/* Partitions of @job_ptr that are ours to schedule, at most @max of them. */
static uint32_t partitions_of(const struct cs_view *v,
			      const job_record_t *job_ptr, bool waiting,
			      part_record_t **part, uint32_t max)
{
	part_record_t *part_ptr;
	list_itr_t *it;
	uint32_t n = 0;

	if (!waiting || !job_ptr->part_ptr_list) {
		if (!job_ptr->part_ptr ||
		    (waiting && !ours(v, job_ptr->part_ptr)))
			return 0;
		part[0] = job_ptr->part_ptr;
		return 1;
	}
	it = list_iterator_create(job_ptr->part_ptr_list);
	while (n < max && (part_ptr = list_next(it)))
		if (ours(v, part_ptr) && could_hold(v, job_ptr, part_ptr))
			part[n++] = part_ptr;
	list_iterator_destroy(it);
	if (!n && ours(v, job_ptr->part_ptr))
		part[n++] = job_ptr->part_ptr; /* to be shown why it waits */
	return n;
}

/* ---- the block ------------------------------------------------------------ */

struct texts {
	const char *text[CS_VIEW_TEXTS];
	size_t len[CS_VIEW_TEXTS];
	char profile[CS_PROFILE_NAME], fault[128];
	char campaign[CS_COMMENT_CAMPAIGN];
	size_t total;
};

static void gather_texts(struct texts *t, const job_record_t *job_ptr)
{
	bool no_share;

	t->profile[0] = t->fault[0] = t->campaign[0] = 0;
	if (job_ptr->comment) {
		cs_comment_item(job_ptr->comment, "profile", t->profile,
				sizeof(t->profile));
		cs_comment_campaign(job_ptr->comment, t->campaign);
		cs_comment_check(job_ptr->comment, &no_share, t->fault,
				 sizeof(t->fault));
	}
	t->text[CS_VIEW_USER] = job_ptr->user_name;
	t->text[CS_VIEW_ACCOUNT] = job_ptr->account;
	t->text[CS_VIEW_NAME] = job_ptr->name;
	t->text[CS_VIEW_PROFILE] = t->profile;
	t->text[CS_VIEW_CAMPAIGN] = t->campaign;
	t->text[CS_VIEW_FAULT] = t->fault;
	t->total = 0;
	for (int i = 0; i < CS_VIEW_TEXTS; i++) {
		if (!t->text[i])
			t->text[i] = "";
		t->len[i] = strnlen(t->text[i], TEXT_MAX);
		t->total += t->len[i] + 1;
	}
}

static void put_texts(struct cs_view_job *j, const struct texts *t)
{
	char *base = (char *)(j + 1);
	uint32_t at = j->desc.n_option *
		      (uint32_t)sizeof(struct cs_view_option);

	for (int i = 0; i < CS_VIEW_TEXTS; i++) {
		j->desc.text[i] = at;
		memcpy(base + at, t->text[i], t->len[i]);
		at += (uint32_t)t->len[i] + 1; /* zeroed before */
	}
}

static void tasks_of(struct cs_view_desc *to, const job_record_t *job_ptr)
{
	const job_array_struct_t *a = job_ptr->array_recs;

	to->array_id = job_ptr->array_job_id;
	to->tasks = 1;
	if (!a || job_ptr->array_task_id != NO_VAL || !a->task_cnt)
		return;
	to->tasks = a->task_cnt;
	if (a->max_run_tasks) {
		uint32_t room = a->max_run_tasks > a->tot_run_tasks ?
					a->max_run_tasks - a->tot_run_tasks :
					1;
		if (room < to->tasks)
			to->tasks = room;
	}
}

/* What users ask for may be any number. */
static void add_up(uint32_t *sum, uint32_t n)
{
	*sum = n < UINT32_MAX - *sum ? *sum + n : UINT32_MAX;
}

/* Components of a heterogeneous job behind the first, into its description. */
static void add_components(struct cs_view *v, struct cs_view_job *j,
			   const job_record_t *leader)
{
	struct cs_view_desc part;
	job_record_t *comp;
	list_itr_t *it;
	int64_t us;

	j->desc.flags |= CS_JOB_HOST;
	j->desc.n_comp = 1;
	it = list_iterator_create(leader->het_job_list);
	while ((comp = list_next(it))) {
		if (comp == leader || !comp->details || !comp->part_ptr)
			continue;
		memset(&part, 0, sizeof(part));
		sizes(&part, comp, comp->part_ptr);
		memory(&part, v, comp->details);
		j->desc.n_comp++;
		add_up(&j->desc.procs, part.procs);
		add_up(&j->desc.min_nodes, part.min_nodes);
		us = cs_view_estimate(comp, comp->part_ptr);
		if (us > j->desc.estimate_us)
			j->desc.estimate_us = us;
	}
	list_iterator_destroy(it);
	j->desc.max_nodes = 0;
	j->desc.procs_per_node = 0;
	j->desc.base_procs = 1;
}

/* What order=ostrich wants to know. */
static void for_campaigns(struct cs_view *v, struct cs_view_desc *to,
			  const job_record_t *job_ptr)
{
	if (v->params->order != CS_ORDER_OSTRICH)
		return;
	if (v->params->shares == CS_SHARES_GIVEN)
		to->share = cs_fairshare_of(&v->shares, to->uid);
	to->nice = (int32_t)((int64_t)job_ptr->details->nice - NICE_OFFSET);
}

/* Sizes that hold in @part_ptr, too. */
static void loosen(struct cs_view_desc *to, const job_record_t *job_ptr,
		   const part_record_t *part_ptr)
{
	struct cs_view_desc own = { 0 };

	sizes(&own, job_ptr, part_ptr);
	if (own.min_nodes < to->min_nodes)
		to->min_nodes = own.min_nodes;
	if (own.procs < to->procs)
		to->procs = own.procs;
	if (!own.max_nodes || own.max_nodes > to->max_nodes)
		to->max_nodes = to->max_nodes ? own.max_nodes : 0;
	if (own.base_procs < to->base_procs)
		to->base_procs = own.base_procs;
}

/* @part [@n]: where it may run. */
static void describe(struct cs_view *v, struct cs_view_job *j,
		     const job_record_t *job_ptr, part_record_t *const *part,
		     uint32_t n)
{
	struct cs_view_desc *to = &j->desc;

	j->id = job_ptr->job_id;
	j->task = job_ptr->array_task_id == NO_VAL ? UINT32_MAX :
						     job_ptr->array_task_id;
	to->uid = job_ptr->user_id;
	to->flags = flags_of(v, job_ptr);
	sizes(to, job_ptr, part[0]);
	for (uint32_t i = 1; i < n; i++)
		loosen(to, job_ptr, part[i]);
	memory(to, v, job_ptr->details);
	tasks_of(to, job_ptr);
	for_campaigns(v, to, job_ptr);
	to->reservation = job_ptr->resv_ptr ? job_ptr->resv_ptr->resv_id : 0;
	to->submit_us = (int64_t)job_ptr->details->submit_time * 1000000;
	to->eligible_us = (int64_t)job_ptr->details->begin_time * 1000000;
	if (to->eligible_us < to->submit_us)
		to->eligible_us = to->submit_us;
	for (uint32_t i = 0; i < n; i++) {
		int64_t us = cs_view_estimate(job_ptr, part[i]);

		to->estimate_us = us > to->estimate_us ? us : to->estimate_us;
	}
}

static struct cs_view_job *add(struct cs_view *v, const job_record_t *job_ptr,
			       bool waiting)
{
	part_record_t *part[32];
	struct texts t;
	struct cs_view_job *j;
	uint32_t n = partitions_of(v, job_ptr, waiting, part, 32);

	if (!n)
		return NULL;
	gather_texts(&t, job_ptr);
	j = cs_view_add(v, n, t.total);
	if (!j)
		return NULL;
	describe(v, j, job_ptr, part, n);
	if (waiting && job_ptr->het_job_id && job_ptr->het_job_list)
		add_components(v, j, job_ptr);
	for (uint32_t i = 0; i < n; i++)
		if (!fill_option(v, j, cs_view_options(j) + i, job_ptr,
				 part[i]))
			return NULL;
	put_texts(j, &t);
	return j;
}

/* ---- waiting -------------------------------------------------------------- */

/* What the main loop wrote: is the job kept from starting by other than room?
 * Mode shadow goes by it; in mode act cs_view_queue() knows better. */
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

static enum cs_view_kept kept_by(const job_record_t *job_ptr)
{
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
	case WAIT_PART_NODE_LIMIT:
		return CS_KEPT_PART_NODES;
	case WAIT_PART_TIME_LIMIT:
		return CS_KEPT_PART_TIME;
	case WAIT_PART_DOWN:
	case WAIT_PART_INACTIVE:
		return CS_KEPT_PART_DOWN;
	case WAIT_RESERVATION:
		return CS_KEPT_RESERVATION;
	case WAIT_ARRAY_TASK_LIMIT:
		return CS_KEPT_ARRAY;
	default:
		if (cs_job_at_limit(job_ptr))
			return CS_KEPT_LIMIT;
		return job_ptr->priority ? CS_KEPT_OTHER : CS_KEPT_HELD;
	}
}

static void add_waiting(struct cs_view *v, const job_record_t *job_ptr)
{
	struct cs_view_job *j;
	/* time(2) may lag behind the clock by a tick: not before Slurm agrees. */
	int64_t begin_us = (int64_t)job_ptr->details->begin_time * 1000000 +
			   20000;

	if (IS_JOB_REVOKED(job_ptr) ||
	    (job_ptr->het_job_id && job_ptr->het_job_offset))
		return;
	j = add(v, job_ptr, true);
	if (!j)
		return;
	v->n_waiting++;
	j->state = CS_VIEW_WAITING;
	j->limit_us = cs_view_minutes_us(job_ptr->time_limit);
	j->kept = kept_by(job_ptr);
	if (reason_blocks(job_ptr) || begin_us > v->now_us ||
	    IS_JOB_COMPLETING(job_ptr)) {
		j->desc.flags |= CS_JOB_BLOCKED;
		v->blocked++;
	}
	if (begin_us > v->now_us && begin_us < v->wake_us)
		v->wake_us = begin_us;
	j->plain = job_ptr->priority &&
		   (job_ptr->state_reason == WAIT_NO_REASON ||
		    job_ptr->state_reason == WAIT_PRIORITY ||
		    job_ptr->state_reason == WAIT_RESOURCES ||
		    cs_job_lacks_nodes(job_ptr));
	j->priority = v->factors ? cs_job_factor(job_ptr) : job_ptr->priority;
	j->shown = cs_view_hash_text((uint64_t)job_ptr->start_time,
				     job_ptr->state_desc);
}

/* ---- running -------------------------------------------------------------- */

static void add_running(struct cs_view *v, const job_record_t *job_ptr,
			cs_view_known_fn *known, void *arg)
{
	const job_resources_t *jr = job_ptr->job_resrcs;
	struct cs_view_job *j;
	struct cs_alloc *a;

	if (!jr || !jr->node_bitmap)
		return;
	j = add(v, job_ptr, false);
	if (!j)
		return;
	v->n_running++;
	j->state = IS_JOB_SUSPENDED(job_ptr) ? CS_VIEW_SUSPENDED :
					       CS_VIEW_RUNNING;
	if (cs_view_options(j)[0].tier < v->lowest_tier)
		v->lowest_tier = cs_view_options(j)[0].tier;
	j->start_us = (int64_t)job_ptr->start_time * 1000000;
	j->limit_us = cs_view_minutes_us(job_ptr->time_limit);
	j->n_node = jr->nhosts;
	j->cpus = jr->ncpus;
	j->desc.tasks = 1;
	if (known(arg, j->id, j->start_us, j->n_node, j->cpus))
		return;
	a = cs_view_alloc(v, job_ptr, j->desc.procs, j->desc.cpus_per_proc);
	if (a)
		cs_view_take_alloc(v, j, a);
}

/* They change seldom, and nothing tells. */
static void look_at_shares(struct cs_view *v)
{
	time_t now = time(NULL);

	if (v->params->order != CS_ORDER_OSTRICH ||
	    v->params->shares != CS_SHARES_GIVEN ||
	    (v->shares.read_s && now >= v->shares.read_s &&
	     now < v->shares.read_s + SHARES_S))
		return;
	if (cs_fairshare_read(&v->shares, now))
		v->nomem = true;
}

void cs_view_jobs(struct cs_view *v, cs_view_known_fn *known, void *arg)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK,
				   .qos = READ_LOCK,
				   .tres = READ_LOCK };
	job_record_t *job_ptr;
	list_itr_t *it;

	v->private = slurm_conf.private_data & PRIVATE_DATA_JOBS;
	v->hold = slurmctld_config.scheduling_disabled ||
		  (slurm_conf.complete_wait && job_is_completing(NULL));
	assoc_mgr_lock(&locks);
	look_at_shares(v);
	it = list_iterator_create(job_list);
	while (!v->nomem && (job_ptr = list_next(it))) {
		if (!job_ptr->details || !job_ptr->part_ptr)
			continue;
		if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr))
			add_running(v, job_ptr, known, arg);
		else if (IS_JOB_PENDING(job_ptr))
			add_waiting(v, job_ptr);
	}
	list_iterator_destroy(it);
	assoc_mgr_unlock(&locks);
}
