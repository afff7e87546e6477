/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs may preempt, and the cores that a preemption frees.
 *
 * A waiting job may preempt in an option (partition, QOS, reservation) that is open by
 * Slurm's queue and has a higher PriorityTier than some partition with running jobs, a
 * QOS that names others, with PreemptMode=WITHIN more priority than some running job, or
 * a reservation whose nodes may be lent while borrowing jobs run.
 *
 * Slurm ends the jobs in the way and starts the preempting job in a later attempt.  In
 * between, their cores belong to it: the engine, unaware, would fill half of a shared
 * node with a job that suits the other half, say the one just requeued, and Slurm would
 * preempt that in turn, for ever.
 *
 * So from the first attempt on, which comes before starts of jobs that stand behind it in
 * Slurm's queue (preempt.c, rule 6), the cores of all leaving jobs, on nodes that it may
 * use in the option that preempted, are kept for it, unless already kept for another:
 * other jobs' starts there are refused, its own may take them, whatever its neighbours.
 * So are the idle cores of these nodes, and if it could not run on all these (gather.h),
 * of others that it may use and that hold a part of it, wholly idle ones first: a small
 * job that took one of them while the preempted jobs still end, as GraceTime lets them,
 * would be one more to preempt.  If it
 * also wants generic resources, others that want some get nothing on these nodes: Slurm
 * chooses the devices, and would give them the freed ones.
 *
 * Until it has started or may no longer preempt, and at most as long as Slurm itself
 * waits before it preempts others for the same job (KillWait and MessageTimeout),
 * counted from each preemption, and from the end of the preempted jobs' GraceTime.  Then
 * those that were refused for it are tried again.
 */
#include "sched/apply/freed.h"

#include <stdlib.h>

#include "common/model/gather.h"
#include "sched/view/view_table.h"

#define MORE_S 2 /* Slurm's wait ends first */

struct kept { /* for a preempting job */
	uint32_t for_id;
	const uint64_t *nodes; /* that it may use */
	bitstr_t *held;	       /* cores of running jobs that stay */
	uint64_t *held_mb;     /* [n_node] memory of jobs that stay */
	time_t last_end;       /* of the leaving jobs; 0 */
	struct cs_gather got;  /* kept so far */
};

/* May it preempt borrowers of its reservation's nodes? */
static bool reclaims(const struct cs_adapter *b, const struct cs_view_option *o)
{
	return o->preempts & CS_VIEW_PREEMPTS_RESV && b->view->borrowed;
}

static bool may_preempt(const struct cs_adapter *b,
			const struct cs_known_job *k,
			const struct cs_view_option *o)
{
	if (o->flags & CS_JOB_BLOCKED || !o->preempts)
		return false;
	/* a job that has preempted all there has yet to start */
	return reclaims(b, o) || k->frees_us > b->now_us ||
	       (o->preempts & CS_VIEW_PREEMPTS_TIER &&
		o->tier > b->view->lowest_tier) ||
	       (o->preempts & CS_VIEW_PREEMPTS_QOS) ||
	       (o->preempts & CS_VIEW_PREEMPTS_WITHIN &&
		k->priority > b->view->lowest_priority);
}

uint64_t cs_freed_preempts(const struct cs_adapter *b,
			   const struct cs_known_job *k)
{
	const struct cs_view_desc *d = cs_known_desc(k);
	const struct cs_view_option *o;
	uint64_t options = 0;
	bool lent = false;

	if (k->state != CS_VIEW_WAITING || k->ghost || !d || d->n_comp ||
	    (d->flags & CS_JOB_BLOCKED) || d->eligible_us > b->now_us)
		return 0;
	o = cs_known_options(k);
	for (uint32_t i = 0; i < d->n_option && i < CS_VIEW_PARTS; i++)
		if (may_preempt(b, k, &o[i])) {
			options |= UINT64_C(1) << i;
			lent |= reclaims(b, &o[i]);
		}
	/* borrowers may run until the reservation ends: never, as it seems */
	if (options && !lent && cs_explain_never(b->engine, k->id))
		return 0;
	return options;
}

/* Has it ended, or been told to end soon?  Then *@last is no earlier than its end. */
static bool goes(uint32_t id, time_t *last)
{
	const job_record_t *job_ptr = find_job_record(id);

	if (!job_ptr || (IS_JOB_RUNNING(job_ptr) && !job_ptr->preempt_time))
		return false;
	if (IS_JOB_RUNNING(job_ptr) && job_ptr->end_time > *last)
		*last = job_ptr->end_time;
	return true;
}

/* In a heterogeneous job any component may. */
static bool wants_gres(uint32_t id)
{
	const job_record_t *job_ptr = find_job_record(id);

	return job_ptr && (job_ptr->het_job_list || cs_job_wants_gres(job_ptr));
}

/* Cores kept for another stay with it. */
static void keep_core(struct cs_adapter *b, uint32_t at, uint32_t for_id)
{
	if (!b->batch.freed[at])
		b->batch.freed[at] = for_id;
}

/* A suspended job has its memory. */
static bool is_suspended(uint32_t id)
{
	const job_record_t *job_ptr = find_job_record(id);

	return job_ptr && IS_JOB_SUSPENDED(job_ptr);
}

/* The cores of running job @id: kept if it leaves, else held, as is its memory. */
static void keep_cores(struct cs_adapter *b, uint32_t id, struct kept *kept)
{
	struct cs_running r;
	bool leaves, memory_stays;

	if (cs_engine_running(b->engine, id, &r))
		return;
	leaves = goes(id, &kept->last_end);
	memory_stays = !leaves || r.suspended || is_suspended(id);
	for (uint32_t i = 0; i < r.alloc->n_node; i++) {
		uint32_t node = r.alloc->node[i].node;
		uint32_t n = cs_view_system_cores(b->view, node);

		if (memory_stays)
			kept->held_mb[node] += r.alloc->node[i].mem_mb;
		if (r.suspended)
			continue;
		for (uint32_t c = 0; c < n; c++) {
			uint32_t at = cs_view_system_core(b->view, node, c);

			if (!cs_bit(cs_alloc_cores(r.alloc, i), c))
				continue;
			if (!leaves)
				bit_set(kept->held, at);
			else if (cs_bit(kept->nodes, node))
				keep_core(b, at, kept->for_id);
		}
	}
}

/* Cores of @node that are kept for the job, and (@ret_idle) those that are idle. */
static uint32_t kept_on(const struct cs_adapter *b, const struct kept *kept,
			uint32_t node, uint32_t *ret_idle)
{
	uint32_t n = cs_view_system_cores(b->view, node), k = 0;

	*ret_idle = 0;
	for (uint32_t c = 0; c < n; c++) {
		uint32_t at = cs_view_system_core(b->view, node, c);

		k += b->batch.freed[at] == kept->for_id;
		*ret_idle += !b->batch.freed[at] && !bit_test(kept->held, at);
	}
	return k;
}

static uint64_t free_mb(const struct cs_adapter *b, const struct kept *kept,
			uint32_t node)
{
	uint64_t all = b->view->machine->node[node].memory_mb;

	return kept->held_mb[node] < all ? all - kept->held_mb[node] : 0;
}

/* Keep the idle cores of @node, too. */
static void keep_idle(struct cs_adapter *b, struct kept *kept, uint32_t node)
{
	uint32_t n = cs_view_system_cores(b->view, node), cores = 0;

	for (uint32_t c = 0; c < n; c++) {
		uint32_t at = cs_view_system_core(b->view, node, c);

		if (!bit_test(kept->held, at))
			keep_core(b, at, kept->for_id);
		cores += b->batch.freed[at] == kept->for_id;
	}
	cs_gather_add(&kept->got, &b->view->machine->node[node], cores,
		      free_mb(b, kept, node));
}

enum { BESIDE, WHOLE, ANY, PASSES };

/* Are the idle cores of @node of use in this pass? */
static bool of_use(const struct cs_adapter *b, const struct kept *kept,
		   uint32_t node, int pass)
{
	uint32_t idle, own = kept_on(b, kept, node, &idle);

	if (pass == BESIDE)
		return own;
	if (pass == WHOLE && idle < cs_view_system_cores(b->view, node))
		return false;
	return cs_gather_fit(&kept->got, &b->view->machine->node[node],
			     own + idle, free_mb(b, kept, node));
}

/* Idle cores beside those of leaving jobs, then of wholly idle nodes, then of others. */
static void keep_all_idle(struct cs_adapter *b, struct kept *kept)
{
	uint32_t words = cs_node_words(b->view->machine);
	uint64_t *done = calloc(words, sizeof(*done));

	for (int pass = BESIDE; done && pass < PASSES; pass++)
		for (uint32_t node = 0; node < b->view->machine->n_node;
		     node++) {
			if (pass != BESIDE && cs_gather_enough(&kept->got))
				break;
			if (!cs_bit(kept->nodes, node) ||
			    !cs_bit(b->view->up, node) || cs_bit(done, node) ||
			    !of_use(b, kept, node, pass))
				continue;
			keep_idle(b, kept, node);
			cs_bit_set(done, node);
		}
	free(done);
}

/* What the job would need, of what is kept.  0, -ENOMEM. */
static int begin_gather(const struct cs_adapter *b,
			const struct cs_view_desc *d,
			const struct cs_view_option *o, struct cs_gather *ret)
{
	const struct cs_job j = {
		.flags = d->flags,
		.procs = d->procs,
		.cpus_per_proc = d->cpus_per_proc,
		.min_nodes = d->min_nodes,
		.max_nodes = d->max_nodes,
		.procs_per_node = d->procs_per_node,
		.least_cpus = d->least_cpus,
		.threads = d->threads,
		.mem_threads = d->mem_threads,
		.mem_node_mb = d->mem_node_mb,
		.mem_cpu_mb = d->mem_cpu_mb,
	};

	return cs_gather_init(ret, b->view->machine, &j,
			      o->flags & CS_JOB_EXCLUSIVE);
}

void cs_freed_begin(struct cs_adapter *b, struct cs_known_job *k,
		    const struct cs_view_option *o)
{
	int64_t s = slurm_conf.kill_wait + slurm_conf.msg_timeout + MORE_S;
	struct kept kept = {
		.for_id = k->id,
		.nodes = cs_view_set_words(b->view->sets, o->set),
	};
	time_t now = time(NULL);

	if (!b->batch.freed)
		b->batch.freed =
			calloc(b->view->n_core, sizeof(*b->batch.freed));
	kept.held_mb = calloc(b->view->machine->n_node, sizeof(*kept.held_mb));
	if (!b->batch.freed || !kept.held_mb ||
	    begin_gather(b, cs_known_desc(k), o, &kept.got)) {
		free(kept.held_mb);
		return;
	}
	kept.held = bit_alloc(b->view->n_core);
	k->frees_gres = wants_gres(k->id);
	for (uint32_t i = 0; i < b->known.n; i++)
		keep_cores(b, b->known.list[i]->id, &kept);
	keep_all_idle(b, &kept);
	FREE_NULL_BITMAP(kept.held);
	free(kept.held_mb);
	cs_gather_done(&kept.got);
	if (kept.last_end > now)
		s += kept.last_end - now;
	k->frees_us = b->now_us + s * 1000000;
}

static void let_go(struct cs_adapter *b, uint32_t at)
{
	b->batch.freed[at] = 0;
	b->batch.let_go = true;
}

void cs_freed_end(struct cs_adapter *b, struct cs_known_job *k)
{
	k->frees_us = 0;
	for (uint32_t c = 0; b->batch.freed && c < b->view->n_core; c++)
		if (b->batch.freed[c] == k->id)
			let_go(b, c);
}

void cs_freed_tidy(struct cs_adapter *b)
{
	bool any = false;

	for (uint32_t c = 0; b->batch.freed && c < b->view->n_core; c++) {
		const struct cs_known_job *k;

		if (!b->batch.freed[c])
			continue;
		k = cs_known_find(&b->known, b->batch.freed[c]);
		if (!k || k->frees_us <= b->now_us || !cs_freed_preempts(b, k))
			let_go(b, c);
		any |= b->batch.freed[c];
	}
	if (any)
		return;
	free(b->batch.freed);
	b->batch.freed = NULL;
}

/* Does a job that wants generic resources wait for a core of @node? */
static bool gres_kept(const struct cs_adapter *b, uint32_t id, uint32_t node)
{
	const struct cs_known_job *k = NULL;
	uint32_t n = cs_view_system_cores(b->view, node);

	for (uint32_t c = 0; c < n; c++) {
		uint32_t of =
			b->batch.freed[cs_view_system_core(b->view, node, c)];

		if (!of || of == id || (k && k->id == of))
			continue;
		k = cs_known_find(&b->known, of);
		if (k && k->frees_gres)
			return true;
	}
	return false;
}

/* All cores of nodes whose devices are kept for jobs other than @id. */
static void forbid_gres(const struct cs_adapter *b, uint32_t id, bitstr_t *map)
{
	for (uint32_t node = 0; node < b->view->machine->n_node; node++) {
		uint32_t n = cs_view_system_cores(b->view, node);

		if (!n || !gres_kept(b, id, node))
			continue;
		for (uint32_t c = 0; c < n; c++)
			bit_set(map, cs_view_system_core(b->view, node, c));
	}
}

void cs_freed_forbid(const struct cs_adapter *b, uint32_t id, bitstr_t *map)
{
	if (b->batch.freed && wants_gres(id))
		forbid_gres(b, id, map);
	for (uint32_t c = 0; b->batch.freed && c < b->view->n_core; c++) {
		if (b->batch.freed[c] == id)
			bit_clear(map, c);
		else if (b->batch.freed[c])
			bit_set(map, c);
	}
}

bitstr_t *cs_freed_map(const struct cs_adapter *b, uint32_t id)
{
	bitstr_t *map = b->batch.freed ? bit_alloc(b->view->n_core) : NULL;

	if (map)
		cs_freed_forbid(b, id, map);
	return map;
}
