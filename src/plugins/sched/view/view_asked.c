/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job asks for: its description for the engine.
 *
 * Rules.
 *  1. Slurm's own test places what the model lacks: CS_JOB_HOST (generic resources
 *     but GPUs in the forms of cs_gres_asks(), these where the job needs several nodes of
 *     which it says neither how many nor how many tasks each has, and all GPUs where some
 *     node has such beyond the model, switches, as many nodes of a range as are available,
 *     specialized cores, overcommit, tasks per socket, minimum sockets of a node or cores
 *     of a socket, arbitrary distribution, feature expressions, required nodes beside
 *     others, user- or label-owned nodes, a cluster without CR_Core; in a partition, SelectTypeParameters
 *     without it, a limit on its CPUs of a node or socket, and nodes with cores kept for
 *     GPUs; nodes that others under its limits already have: view_limits.c, rule 8).
 *  2. The estimate (view_limits.c) is for the layout that stock would give
 *     (base_procs): the user's, or nodes filled to the last core.  Of a running job
 *     that has lost nodes Slurm's record still has its request, or half of it: there the
 *     layout is of the nodes that are left.
 *  3. --mem=0 asks for all memory of its nodes: such a job runs without neighbours,
 *     unless its memory is counted by its GPUs.
 *  4. Of several partitions (options) each has its own flags, as has each of them under
 *     each of several QOS and in each of several reservations.  Sizes, estimate and
 *     base_procs are the job's.  Sizes are the loosest; if a partition's MinNodes or
 *     MaxNodes change them, Slurm's own test places it, and one whose MaxNodes can
 *     never hold the job is left out, except for a job of rule 1: we cannot tell; so is
 *     one whose MaxCPUsPerNode is too small for its tasks (--mincpus is about the node,
 *     not about what it gets there).  The estimate is the longest, so that no
 *     head is promised too much; where it is shorter the job does not share, as a limit
 *     is not raised from another partition's. base_procs is the least: the limit is
 *     then the longest.
 *  5. Under --overcommit tasks do not count: Slurm's wanted cpus do.
 *  6. A job that keeps its nodes to its user (CS_JOB_USER_NODES) removes them from no
 *     job's set: others wait for its end, as for any job's.
 *  7. Slurm's test starts a job on a node only if it finds the CPUs of --mincpus, and
 *     those that --ntasks-per-node tasks take, or the tasks of a core by
 *     --ntasks-per-core, even if it needs fewer (least_cpus).  Under --overcommit those
 *     of a core do not count, those of a node do.  CPUs are hardware threads, but no
 *     more of a core than --threads-per-core or, by its tasks, --ntasks-per-core allows
 *     (threads); memory a CPU follows only the first (mem_threads).  A task that would
 *     begin on a core of its own, but not end with it, is for Slurm's test.
 *  8. A job that may get cores that others hold (OverSubscribe) is for Slurm's test,
 *     which knows its rows of cores: CS_JOB_SHARES_CORES.
 *  9. The cores of a node follow --distribution as in Slurm's own test: over the sockets in
 *     turn, unless it says block or plane, or says nothing of sockets where
 *     CR_CORE_DEFAULT_DIST_BLOCK is set; of releases whose test first clears what whole
 *     tasks leave, among the others (CS_TEST_CLEARS_CORES).  A group has its own layout,
 *     which is not for jobs that have asked for block.
 * 10. CPUs that a node gives for each GPU (--cpus-per-gpu, DefCpuPerGPU) are those of its
 *     tasks, if these are as many on each node and have as many each; of a job that asks for
 *     fewer than its tasks have they do not count.  Memory for each GPU takes the place of a
 *     node's.
 *
 * Strings are copied, cut at TEXT_MAX; of a comment only what cs_job_comment_item()
 * accepts is kept.
 */
#include "compat/gres.h"
#include "compat/site_keys.h"
#include "compat/topology.h"
#include "sched/view/view_slurm.h"

#include <stdlib.h>
#include <string.h>

#include "sched/view/comment.h"
#include "sched/view/view_order.h"
#include "sched/view/view_table.h"

#define TEXT_MAX 255

static uint32_t asked(uint16_t n)
{
	return n == NO_VAL16 || n == INFINITE16 ? 0 : n;
}

/* ---- requests ------------------------------------------------------------- */

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

static bool one_task_per_core(void)
{
	return slurm_conf.select_type_param & CS_SELECT_ONE_TASK_PER_CORE;
}

/* Tasks that it allows on a core; 0: any number. */
static uint32_t tasks_per_core(const cs_details_t *d)
{
	if (!d->mc_ptr)
		return one_task_per_core() ? 1 : 0;
	return asked(d->mc_ptr->ntasks_per_core);
}

/* Slurm overwrites the request of a job with several partitions with what suits the one
 * tested last (CPUs by its MaxMemPerCPU). */
uint32_t cs_view_cpus_per_task(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	uint32_t n = asked(job_ptr->part_ptr_list ? d->orig_cpus_per_task
						  : d->cpus_per_task);

	return n ? n : 1;
}

uint32_t cs_view_least_cpus(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	uint32_t n =
		job_ptr->part_ptr_list ? d->orig_pn_min_cpus : d->pn_min_cpus;

	return n == NO_VAL ? 0 : n;
}

uint32_t cs_view_threads(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	uint32_t by_tasks = tasks_per_core(d) * cs_view_cpus_per_task(job_ptr);
	uint32_t most = d->mc_ptr ? asked(d->mc_ptr->threads_per_core) : 0;

	return by_tasks && (!most || by_tasks < most) ? by_tasks : most;
}

/* CPUs that its tasks take on a node, or on a core (rule 7). */
static uint32_t filled_cpus(const struct cs_view_desc *to,
			    const cs_details_t *d)
{
	uint32_t tasks = asked(d->ntasks_per_node);

	if (!tasks && !d->overcommit)
		tasks = tasks_per_core(d);
	return to->cpus_per_proc * tasks;
}

/* Rule 7. */
static void threads(struct cs_view_desc *to, const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	uint32_t least = cs_view_least_cpus(job_ptr);
	uint32_t filled = filled_cpus(to, d);

	to->mem_threads = d->mc_ptr ? asked(d->mc_ptr->threads_per_core) : 0;
	to->threads = cs_view_threads(job_ptr);
	if (filled > least)
		least = filled;
	to->least_cpus = least > to->cpus_per_proc ? least : 0;
}

/* Hardware threads that the job may use on the largest node of @part_ptr. */
static uint32_t most_threads(const struct cs_view_desc *to,
			     const part_record_t *part_ptr)
{
	uint64_t most = (uint64_t)part_ptr->max_core_cnt * to->threads;

	return to->threads && most < part_ptr->max_cpu_cnt
		       ? (uint32_t)most
		       : part_ptr->max_cpu_cnt;
}

uint32_t cs_view_stock_layout(const struct cs_view_desc *to,
			      const part_record_t *part_ptr)
{
	uint32_t fill = most_threads(to, part_ptr) / to->cpus_per_proc;

	if (to->procs_per_node)
		return to->procs_per_node;
	if (to->min_nodes == to->max_nodes)
		return cs_div_up(to->procs, to->min_nodes);
	if (!fill)
		fill = 1;
	return fill < to->procs ? fill : to->procs;
}

/* At most @most nodes. */
static void at_most(struct cs_view_desc *to, uint32_t most)
{
	if (most != INFINITE && (!to->max_nodes || to->max_nodes > most))
		to->max_nodes = most;
}

static void sizes(struct cs_view_desc *to, const job_record_t *job_ptr,
		  const part_record_t *part_ptr)
{
	const slurmdb_qos_rec_t *qos = job_ptr->qos_ptr;
	const cs_details_t *d = job_ptr->details;

	to->cpus_per_proc = cs_view_cpus_per_task(job_ptr);
	threads(to, job_ptr);
	to->procs = processes(d, to->cpus_per_proc);
	to->min_nodes = d->min_nodes ? d->min_nodes : 1;
	to->max_nodes = cs_job_max_nodes(job_ptr);
	if (part_ptr->min_nodes > to->min_nodes &&
	    !(qos && qos->flags & QOS_FLAG_PART_MIN_NODE))
		to->min_nodes = part_ptr->min_nodes;
	if (!to->max_nodes || !(qos && qos->flags & QOS_FLAG_PART_MAX_NODE))
		at_most(to, part_ptr->max_nodes);
	at_most(to, cs_view_most_nodes(job_ptr, part_ptr));
	if (to->max_nodes && to->max_nodes < to->min_nodes)
		to->max_nodes = to->min_nodes;
	if (to->procs < to->min_nodes)
		to->procs = to->min_nodes;
	to->procs_per_node = d->overcommit ? 0 : asked(d->ntasks_per_node);
	to->base_procs = cs_view_stock_layout(to, part_ptr);
}

static void memory(struct cs_view_desc *to, const struct cs_view *v,
		   const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;

	if (!v->memory || cs_job_memory_by_gpu(job_ptr, job_ptr->part_ptr))
		return;
	if (!d->pn_min_memory || d->pn_min_memory == MEM_PER_CPU ||
	    d->pn_min_memory == NO_VAL64)
		to->flags |= CS_JOB_EXCLUSIVE;
	else if (d->pn_min_memory & MEM_PER_CPU)
		to->mem_cpu_mb = d->pn_min_memory & ~MEM_PER_CPU;
	else
		to->mem_node_mb = d->pn_min_memory;
}

/* Rule 7's last. */
static bool odd_cores(const struct cs_view *v, const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	uint32_t cpus = cs_view_cpus_per_task(job_ptr);

	if (!tasks_per_core(d))
		return one_task_per_core(); /* but not this job */
	return cpus > 1 && cpus % v->threads;
}

static bool odd_layout(const struct cs_view *v, const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	const multi_core_data_t *mc = d->mc_ptr;

	if ((d->task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY ||
	    odd_cores(v, job_ptr))
		return true;
	return mc &&
	       (asked(mc->ntasks_per_socket) || asked(mc->ntasks_per_board) ||
		(cs_job_whole(job_ptr) != CS_WHOLE_NODE &&
		 (asked(mc->sockets_per_node) > 1 ||
		  asked(mc->cores_per_socket) > 1)));
}

static bool for_the_host(const struct cs_view *v, const job_record_t *job_ptr)
{
	return v->odd || cs_job_wants_other(job_ptr) ||
	       cs_gres_beyond(job_ptr) ||
	       (v->gpus_beyond && cs_job_wants_gres(job_ptr)) ||
	       !cs_job_features_plain(job_ptr) || odd_layout(v, job_ptr) ||
	       !cs_view_required_is_all(job_ptr) ||
	       cs_job_whole(job_ptr) == CS_WHOLE_OTHER ||
	       (slurm_conf.mcs_plugin &&
		xstrcmp(slurm_conf.mcs_plugin, "mcs/none"));
}

/* Does it get the cores of few sockets? */
static bool by_block(const job_record_t *job_ptr)
{
	uint32_t dist = job_ptr->details->task_dist & SLURM_DIST_NODESOCKMASK;

	switch (dist) {
	case SLURM_DIST_BLOCK_BLOCK:
	case SLURM_DIST_CYCLIC_BLOCK:
	case SLURM_DIST_PLANE:
		return true;
	case SLURM_DIST_BLOCK:
	case SLURM_DIST_CYCLIC:
	case SLURM_DIST_UNKNOWN:
		return slurm_conf.select_type_param & CS_SELECT_DIST_BLOCK;
	default:
		return false;
	}
}

/* Rule 9. */
static uint32_t dist_of(const job_record_t *job_ptr)
{
	if (CS_TEST_CLEARS_CORES)
		return by_block(job_ptr) ? CS_DIST_BLOCK_WHOLE
					 : CS_DIST_CYCLIC_WHOLE;
	return by_block(job_ptr) ? CS_DIST_BLOCK : CS_DIST_CYCLIC;
}

/* Has it asked for a distribution over sockets that a group would not give it? */
static bool asks_for_block(const job_record_t *job_ptr)
{
	uint32_t dist = job_ptr->details->task_dist & SLURM_DIST_NODESOCKMASK;

	return dist == SLURM_DIST_BLOCK_BLOCK ||
	       dist == SLURM_DIST_CYCLIC_BLOCK || dist == SLURM_DIST_PLANE;
}

static uint32_t flags_of(const struct cs_view *v, const job_record_t *job_ptr)
{
	enum cs_comment_wait wait = cs_job_comment_wait(job_ptr->comment);
	uint32_t flags = 0;
	bool no_share = false;

	if (for_the_host(v, job_ptr))
		flags |= CS_JOB_HOST;
	if (cs_job_whole(job_ptr) == CS_WHOLE_NODE)
		flags |= CS_JOB_EXCLUSIVE;
	if (cs_job_owns_nodes(job_ptr))
		flags |= CS_JOB_USER_NODES;
	if (job_ptr->comment)
		cs_job_comment_check(job_ptr->comment, &no_share, NULL, 0);
	if (no_share)
		flags |= CS_JOB_NO_SHARE;
	if (wait == CS_COMMENT_WAIT_YIELDS)
		flags |= CS_JOB_WAITS;
	if (wait == CS_COMMENT_WAIT_SPINS)
		flags |= CS_JOB_SPINS;
	if (job_ptr->restart_cnt)
		flags |= CS_JOB_REQUEUED;
	if (v->serial_last && job_ptr->details->min_cpus == 1 &&
	    job_ptr->details->min_nodes <= 1)
		flags |= CS_JOB_LAST_NODE;
	if (job_ptr->warn_flags & KILL_JOB_RESV)
		flags |= CS_JOB_BORROWS;
	return flags | cs_view_order_flags(v, job_ptr);
}

/* ---- partitions ----------------------------------------------------------- */

/* Is a reservation active that may have lent its nodes? */
static bool reclaims(const struct cs_view *v, const slurmctld_resv_t *r)
{
	return r && r->max_start_delay && r->node_bitmap &&
	       !(r->flags & RESERVE_FLAG_TIME_FLOAT) &&
	       r->start_time <= v->now_us / 1000000;
}

/* CS_VIEW_PREEMPTS_*, or 0. */
static uint32_t may_preempt(const struct cs_view *v,
			    const part_record_t *part_ptr,
			    const slurmdb_qos_rec_t *qos,
			    const slurmctld_resv_t *resv_ptr)
{
	uint32_t whom = reclaims(v, resv_ptr) ? CS_VIEW_PREEMPTS_RESV : 0;

	if (!slurm_preemption_enabled())
		return 0;
	if (!xstrcasestr(slurm_conf.preempt_type, "qos"))
		return whom |
		       (part_ptr->priority_tier > 1 ? CS_VIEW_PREEMPTS_TIER
						    : 0);
	if (!qos)
		return whom;
	if (qos->preempt_bitstr && bit_ffs(qos->preempt_bitstr) >= 0)
		whom |= CS_VIEW_PREEMPTS_QOS;
	if ((qos->preempt_mode | slurm_conf.preempt_mode) & PREEMPT_MODE_WITHIN)
		whom |= CS_VIEW_PREEMPTS_WITHIN;
	return whom;
}

bool cs_view_part_ours(const struct cs_view *v, const part_record_t *part_ptr)
{
	return v->all_partitions ||
	       cs_params_mode_of(v->params, part_ptr->name) == v->mode;
}

static uint32_t most_nodes(const struct cs_view_desc *d)
{
	return d->max_nodes && d->max_nodes < d->procs ? d->max_nodes
						       : d->procs;
}

/* The part for Slurm's own test there. */
static bool host_part(const struct cs_view *v, const struct cs_view_job *j,
		      const job_record_t *job_ptr,
		      const part_record_t *part_ptr)
{
	struct cs_view_desc own = { 0 };

	sizes(&own, job_ptr, part_ptr);
	return (part_ptr->flags & PART_FLAG_EXCLUSIVE_USER) ||
	       (part_ptr->cr_type && !(part_ptr->cr_type & CS_SELECT_CORE)) ||
	       (v->machine->topology && part_ptr->flags & PART_FLAG_LLN) ||
	       (most_nodes(&own) > 1 &&
		cs_compat_part_topology_other(part_ptr)) ||
	       part_ptr->max_cpus_per_node < part_ptr->max_cpu_cnt ||
	       cs_compat_part_max_cpus_per_socket(part_ptr) <
		       part_ptr->max_cpu_cnt ||
	       (!j->desc.n_comp && (own.min_nodes != j->desc.min_nodes ||
				    own.max_nodes != j->desc.max_nodes ||
				    own.procs != j->desc.procs));
}

/* Does set @set have nodes of @nodes? */
static bool meets(const struct cs_view *v, uint32_t set, const uint64_t *nodes)
{
	const uint64_t *words = cs_view_set_words(v->sets, set);

	for (uint32_t w = 0; words && w < cs_node_words(v->machine); w++)
		if (words[w] & nodes[w])
			return true;
	return false;
}

/* OverSubscribe=FORCE:N, or YES:N on request: stock has a row of cores for each of N
 * jobs.  Rule 11. */
static bool shares_cores(const job_record_t *job_ptr,
			 const part_record_t *part_ptr)
{
	if ((part_ptr->max_share & ~SHARED_FORCE) < 2 || job_ptr->het_job_id)
		return false;
	return part_ptr->max_share & SHARED_FORCE ||
	       (job_ptr->details->share_res == 1 &&
		cs_job_whole(job_ptr) != CS_WHOLE_NODE);
}

/* Where a job may start, and as what. */
struct way {
	part_record_t *part_ptr;
	const slurmdb_qos_rec_t *qos;	  /* NULL: the job's own, or none */
	const slurmctld_resv_t *resv_ptr; /* likewise */
};

static bool fill_option(struct cs_view *v, struct cs_view_job *j,
			struct cs_view_option *to, const job_record_t *job_ptr,
			const struct way *way)
{
	const part_record_t *part_ptr = way->part_ptr;
	const slurmctld_resv_t *resv_ptr =
		way->resv_ptr ? way->resv_ptr : job_ptr->resv_ptr;
	const slurmdb_qos_rec_t *qos = way->qos ? way->qos : job_ptr->qos_ptr;
	int64_t own_us = cs_view_estimate(job_ptr, part_ptr);

	to->partition = cs_view_name(v->partitions, part_ptr->name);
	to->tier = part_ptr->priority_tier;
	to->precedence =
		cs_job_expedited(job_ptr)
			? CS_PRECEDENCE_FIRST
			: cs_precedence_of(&v->precedence, to->tier,
					   qos ? qos->id : 0, resv_ptr);
	to->priority = job_ptr->priority;
	to->set = cs_view_option_set(v, job_ptr, part_ptr, resv_ptr);
	to->qos = way->qos ? way->qos->id : 0;
	if (way->resv_ptr) { /* until Slurm's queue allows it */
		to->resv = resv_ptr->resv_id;
		to->flags |= CS_JOB_BLOCKED;
	}
	if (!part_ptr->max_share)
		to->flags |= CS_JOB_EXCLUSIVE;
	if (!cs_params_listed(v->params->share_partitions, part_ptr->name,
			      true) ||
	    asks_for_block(job_ptr))
		to->flags |= CS_JOB_NO_SHARE;
	if (host_part(v, j, job_ptr, part_ptr))
		to->flags |= CS_JOB_HOST;
	if (IS_JOB_PENDING(job_ptr) &&
	    cs_view_nodes(job_ptr, part_ptr, qos).left < most_nodes(&j->desc))
		to->flags |= CS_JOB_HOST;
	if (shares_cores(job_ptr, part_ptr))
		to->flags |= CS_JOB_HOST | CS_JOB_SHARES_CORES;
	if (part_ptr->flags & PART_FLAG_EXCLUSIVE_USER)
		to->flags |= CS_JOB_USER_NODES;
	if (part_ptr->flags & PART_FLAG_LLN ||
	    slurm_conf.select_type_param & CS_SELECT_LLN)
		to->flags |= CS_JOB_LEAST_LOADED;
	to->limit_max_us =
		cs_view_limit_max_under(v, &j->desc, job_ptr, part_ptr, qos);
	if (own_us < j->desc.estimate_us) {
		to->flags |= CS_JOB_NO_SHARE;
		to->limit_max_us = own_us; /* below the estimate: no raise */
	} else if (to->limit_max_us < j->desc.estimate_us) {
		to->limit_max_us = j->desc.estimate_us;
	}
	to->preempts = may_preempt(v, part_ptr, qos, resv_ptr);
	v->preempts |= to->preempts != 0;
	to->over_s = cs_site_keys_over_s(part_ptr);
	if (to->partition == UINT32_MAX || to->set == UINT32_MAX)
		v->nomem = true;
	else if (meets(v, to->set, v->for_gpus))
		to->flags |= CS_JOB_HOST;
	return !v->nomem;
}

/* Could the partition ever hold it, by its limits on nodes and their CPUs? */
static bool could_hold(const struct cs_view *v, const job_record_t *job_ptr,
		       const part_record_t *part_ptr)
{
	struct cs_view_desc own = { 0 };
	uint32_t fit;

	sizes(&own, job_ptr, part_ptr);
	if (part_ptr->max_cpus_per_node < filled_cpus(&own, job_ptr->details))
		return false;
	if (for_the_host(v, job_ptr))
		return true; /* its processes may share cores, or take others */
	fit = most_threads(&own, part_ptr) / own.cpus_per_proc;
	if (own.procs_per_node && own.procs_per_node < fit)
		fit = own.procs_per_node;
	return !own.max_nodes || (uint64_t)own.max_nodes * fit >= own.procs;
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
		    (waiting && !cs_view_part_ours(v, job_ptr->part_ptr)))
			return 0;
		part[0] = job_ptr->part_ptr;
		return 1;
	}
	it = list_iterator_create(job_ptr->part_ptr_list);
	while (n < max && (part_ptr = list_next(it)))
		if (cs_view_part_ours(v, part_ptr) &&
		    could_hold(v, job_ptr, part_ptr))
			part[n++] = part_ptr;
	list_iterator_destroy(it);
	if (!n && cs_view_part_ours(v, job_ptr->part_ptr))
		part[n++] = job_ptr->part_ptr; /* to show why it waits */
	return n;
}

/* ---- QOS and reservations ------------------------------------------------- */

struct ways {
	struct way way[CS_VIEW_PARTS];
	uint32_t n;
	part_record_t *const *part;		     /* [n_part] */
	const slurmdb_qos_rec_t *qos[CS_VIEW_PARTS]; /* [n_qos] */
	uint32_t n_part, n_qos;
	const job_record_t *job_ptr;
};

/* Does it have nodes of @part_ptr, or confine its jobs to none? */
static bool reaches(const slurmctld_resv_t *r, const part_record_t *part_ptr)
{
	return r->flags & (RESERVE_FLAG_FLEX | RESERVE_FLAG_ANY_NODES) ||
	       (r->node_bitmap && part_ptr->node_bitmap &&
		bit_overlap_any(r->node_bitmap, part_ptr->node_bitmap));
}

/* In @part_ptr and @r, if any, under each QOS; at most @max ways altogether. */
static void add_ways(struct ways *to, part_record_t *part_ptr,
		     const slurmctld_resv_t *r, uint32_t max)
{
	for (uint32_t i = 0; i < to->n_qos && to->n < max; i++)
		to->way[to->n++] = (struct way){ part_ptr, to->qos[i], r };
}

static int add_reservation(void *x, void *arg)
{
	const slurmctld_resv_t *r = x;
	struct ways *to = arg;
	uint32_t without = to->n_part * to->n_qos;

	for (uint32_t i = 0; i < to->n_part; i++) {
		/* else Slurm takes the reservation's, which the job did not ask for */
		bool same = !(to->job_ptr->bit_flags & JOB_PART_ASSIGNED) ||
			    !r->part_ptr || r->part_ptr == to->part[i];

		if (same && reaches(r, to->part[i]) && without < CS_VIEW_PARTS)
			add_ways(to, to->part[i], r, CS_VIEW_PARTS - without);
	}
	return 0;
}

/* Does the waiting job name several, so that each is an option of its own? */
static bool options_in_reservations(const struct cs_view *v,
				    const job_record_t *job_ptr)
{
	return IS_JOB_PENDING(job_ptr) && v->mode == CS_MODE_ACT &&
	       !job_ptr->het_job_id && job_ptr->resv_list;
}

static int add_magnetic(void *x, void *arg)
{
	const job_queue_rec_t *rec = x;

	return rec->use_prefer ? 0 : add_reservation(rec->resv_ptr, arg);
}

/*
 * A waiting job's options: each of its partitions under each of its QOS.  If it names
 * several reservations, in each of them.  If it names none, in each magnetic one that it
 * may use, and in none.
 */
static void ways_of(const struct cs_view *v, job_record_t *job_ptr,
		    bool waiting, part_record_t *const *part, uint32_t n,
		    struct ways *to)
{
	bool act = waiting && v->mode == CS_MODE_ACT;
	list_t *magnetic = NULL;

	to->n = 0;
	to->part = part;
	to->n_part = n;
	to->job_ptr = job_ptr;
	to->n_qos =
		act ? cs_job_several_qos(job_ptr, to->qos, CS_VIEW_PARTS) : 0;
	if (!to->n_qos)
		to->qos[to->n_qos++] = NULL;
	if (options_in_reservations(v, job_ptr))
		list_for_each(job_ptr->resv_list, add_reservation, to);
	if (to->n)
		return;
	if (act && !job_ptr->het_job_id && !job_ptr->resv_name)
		magnetic = cs_view_magnetic(v, job_ptr);
	if (magnetic)
		list_for_each(magnetic, add_magnetic, to);
	FREE_NULL_LIST(magnetic);
	for (uint32_t i = 0; i < n; i++)
		add_ways(to, part[i], NULL, CS_VIEW_PARTS);
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
	struct cs_gres_ask gpus;
	bool no_share;

	t->profile[0] = t->fault[0] = t->campaign[0] = 0;
	if (job_ptr->comment) {
		cs_job_comment_item(job_ptr->comment, "profile", t->profile,
				    sizeof(t->profile));
		cs_job_comment_campaign(job_ptr->comment, t->campaign);
		cs_job_comment_check(job_ptr->comment, &no_share, t->fault,
				     sizeof(t->fault));
	}
	t->text[CS_VIEW_USER] = cs_job_user_name(job_ptr);
	t->text[CS_VIEW_ACCOUNT] = job_ptr->account;
	t->text[CS_VIEW_NAME] = job_ptr->name;
	t->text[CS_VIEW_PROFILE] = t->profile;
	t->text[CS_VIEW_CAMPAIGN] = t->campaign;
	t->text[CS_VIEW_FAULT] = t->fault;
	t->text[CS_VIEW_GPU_TYPE] =
		cs_gres_asks(job_ptr, &gpus) ? gpus.type : NULL;
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
	uint32_t at =
		j->desc.n_option * (uint32_t)sizeof(struct cs_view_option);

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
		uint32_t room = a->max_run_tasks > a->tot_run_tasks
					? a->max_run_tasks - a->tot_run_tasks
					: 1;
		if (room < to->tasks)
			to->tasks = room;
	}
}

/* Loosen the sizes to fit @part_ptr, too. */
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

/* May Slurm give its nodes unequal parts, while jobs with GPUs have equal ones in the model
 * (shape.c, rule 8)?  Not if its CPUs fit on the partition's largest node, with or without GPUs:
 * it waits for one node that has all. */
static bool spreads(const struct cs_view_desc *to)
{
	return !to->procs_per_node && to->min_nodes != to->max_nodes &&
	       to->base_procs < to->procs;
}

/* Its tasks on each node, of a job with GPUs that does not spread; 0: not as many on each. */
static uint32_t tasks_a_node(const struct cs_view_desc *to)
{
	uint32_t each = to->procs / to->min_nodes;

	if (to->procs_per_node && to->procs_per_node != each)
		return 0;
	return each * to->min_nodes == to->procs ? each : 0;
}

/* Rule 10.  false: that is for Slurm's test. */
static bool cpus_by_gpu(struct cs_view_desc *to, const struct cs_gres_ask *ask)
{
	uint32_t cpus = ask->cpus * ask->per_node, tasks = tasks_a_node(to);

	if (!cpus)
		return true;
	if (!tasks)
		return false;
	if (cpus <= tasks * to->cpus_per_proc)
		return true;
	if (cpus % tasks)
		return false;
	to->cpus_per_proc = cpus / tasks;
	return true;
}

static bool memory_by_gpu(struct cs_view_desc *to, const struct cs_view *v,
			  const struct cs_gres_ask *ask)
{
	if (!v->memory || !ask->mem_mb)
		return true;
	to->mem_cpu_mb = 0;
	to->mem_node_mb = ask->mem_mb * ask->per_node;
	return !(to->flags & CS_JOB_EXCLUSIVE); /* it gets that of all GPUs */
}

/* Rule 1 for jobs with GPUs, once their sizes are known. */
static void gpus(struct cs_view_desc *to, const struct cs_view *v,
		 const job_record_t *job_ptr)
{
	struct cs_view_desc own = *to;
	struct cs_gres_ask ask;

	if (to->flags & CS_JOB_HOST || !cs_gres_asks(job_ptr, &ask))
		return;
	own.gpus_node = ask.per_node;
	if (spreads(to) || !cpus_by_gpu(&own, &ask) ||
	    !memory_by_gpu(&own, v, &ask))
		to->flags |= CS_JOB_HOST;
	else
		*to = own;
}

void cs_view_asked(const struct cs_view *v, struct cs_view_desc *to,
		   const job_record_t *job_ptr, part_record_t *const *part,
		   uint32_t n)
{
	to->flags = flags_of(v, job_ptr);
	to->warn_s = to->flags & CS_JOB_BORROWS ? job_ptr->warn_time : 0;
	to->dist = dist_of(job_ptr);
	if (v->machine->sites &&
	    cs_job_comment_across(job_ptr->comment, &to->across))
		to->flags |= CS_JOB_ACROSS;
	sizes(to, job_ptr, part[0]);
	for (uint32_t i = 1; i < n; i++)
		loosen(to, job_ptr, part[i]);
	memory(to, v, job_ptr);
	gpus(to, v, job_ptr);
	if (to->flags & CS_JOB_HOST)
		to->wishes = cs_job_other_wishes(job_ptr);
	for (uint32_t i = 0; i < n; i++) {
		int64_t us = cs_view_estimate(job_ptr, part[i]);

		to->estimate_us = us > to->estimate_us ? us : to->estimate_us;
	}
}

/* @part [@n]: its partitions. */
static void describe(struct cs_view *v, struct cs_view_job *j,
		     const job_record_t *job_ptr, part_record_t *const *part,
		     uint32_t n)
{
	struct cs_view_desc *to = &j->desc;

	j->id = job_ptr->job_id;
	j->task = job_ptr->array_task_id == NO_VAL ? UINT32_MAX
						   : job_ptr->array_task_id;
	to->uid = job_ptr->user_id;
	cs_view_asked(v, to, job_ptr, part, n);
	tasks_of(to, job_ptr);
	cs_view_order_asked(v, to, job_ptr);
	/* of several that a waiting job names it is the one that was tried last */
	if (job_ptr->resv_ptr && !options_in_reservations(v, job_ptr))
		to->reservation = job_ptr->resv_ptr->resv_id;
	to->submit_us = (int64_t)job_ptr->details->submit_time * 1000000;
	to->eligible_us = (int64_t)job_ptr->details->begin_time * 1000000;
	if (to->eligible_us < to->submit_us)
		to->eligible_us = to->submit_us;
}

uint32_t cs_view_raised_from(const job_record_t *job_ptr, uint16_t *flag)
{
	uint32_t from = 0;

	if (job_ptr->limit_set.time == ADMIN_SET_LIMIT)
		from = cs_comment_raised_from(job_ptr->system_comment,
					      job_ptr->time_limit);
	*flag = job_ptr->part_ptr && from > job_ptr->part_ptr->max_time
			? ADMIN_SET_LIMIT
			: 0;
	return from;
}

struct cs_view_job *cs_view_add_job(struct cs_view *v, job_record_t *job_ptr,
				    bool waiting)
{
	part_record_t *part[CS_VIEW_PARTS];
	struct cs_view_others others = { 0 };
	struct texts t;
	struct ways ways;
	struct cs_view_job *j;
	uint32_t n = partitions_of(v, job_ptr, waiting, part, CS_VIEW_PARTS);
	uint16_t flag;

	if (!n)
		return NULL;
	gather_texts(&t, job_ptr);
	ways_of(v, job_ptr, waiting, part, n, &ways);
	j = cs_view_add(v, ways.n, t.total);
	if (!j)
		return NULL;
	describe(v, j, job_ptr, part, n);
	j->raised_from = cs_view_raised_from(job_ptr, &flag);
	j->raised_flag = flag;
	if (waiting && job_ptr->het_job_id && job_ptr->het_job_list)
		cs_view_others(v, j, job_ptr, &others);
	for (uint32_t i = 0; i < ways.n && !v->nomem; i++)
		if (fill_option(v, j, cs_view_options(j) + i, job_ptr,
				&ways.way[i]))
			cs_view_join(v, cs_view_options(j) + i, &others);
	free(others.nodes);
	if (v->nomem)
		return NULL;
	put_texts(j, &t);
	return j;
}
