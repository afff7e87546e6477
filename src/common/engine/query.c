/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the engine: lists, figures, predictions, invariants. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/easy.h"
#include "state/pass.h"

/* What a promise or a time that @j waits for makes of a wake-up at @next_us. */

static int64_t sooner(const struct cs_engine *e, int64_t at_us, int64_t next_us)
{
	return at_us > e->now_us && at_us < next_us ? at_us : next_us;
}

static int64_t with_promise(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t next_us)
{
	/* a predicted start is also when a job may take its nodes */
	return cs_pass_promised(e, j) && cs_slice_serves(e, cs_vm_of(e, j))
		       ? sooner(e, j->verdict.start_us, next_us)
		       : next_us;
}

static int64_t with_timers(const struct cs_engine *e, const struct cs_ejob *j,
			   int64_t next_us)
{
	next_us = sooner(e, j->job.eligible_us, next_us);
	next_us = sooner(e, j->job.after_us, next_us);
	return sooner(e, cs_refused_ends_us(e, j), next_us);
}

static int64_t with_heads(const struct cs_engine *e, int64_t next_us)
{
	for (uint32_t i = 0; i < e->n_vm; i++)
		for (size_t k = 0; k < e->vms[i].heads.n; k++) {
			const struct cs_ejob *j = cs_engine_job(
				e, e->vms[i].heads.promise[k].job_id);

			if (j && j->state == CS_WAITING)
				next_us = with_promise(e, j, next_us);
		}
	return next_us;
}

int64_t cs_engine_next_wakeup_us(const struct cs_engine *e)
{
	bool plans = e->params.backfill == CS_BACKFILL_CONSERVATIVE;
	int64_t next = cs_slice_wakeup_us(e);

	for (size_t i = 0; (plans || e->timers) && i < e->waiting.n; i++) {
		next = with_timers(e, e->waiting.job[i], next);
		if (plans)
			next = with_promise(e, e->waiting.job[i], next);
	}
	if (!plans)
		next = with_heads(e, next);
	for (uint32_t h = 0; h < e->n_held; h++)
		if (!(e->held[h].flags & CS_RESV_FLOAT))
			next = sooner(e, e->held[h].end_us, next);
	next = sooner(e, cs_refused_asks_us(e), next);
	return sooner(e, cs_campaign_wakeup_us(e), next);
}

bool cs_engine_timers(const struct cs_engine *e)
{
	int64_t next = CS_TIME_NONE;

	for (size_t i = 0; i < e->waiting.n; i++)
		next = with_timers(e, e->waiting.job[i], next);
	return next != CS_TIME_NONE;
}

int cs_engine_promised(const struct cs_engine *e, uint32_t job_id,
		       int64_t *ret_est_us, int64_t *ret_max_us)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	if (!j || !j->est_us)
		return -ENOENT;
	*ret_est_us = j->est_us;
	*ret_max_us = j->max_us;
	return 0;
}

int cs_engine_running(const struct cs_engine *e, uint32_t job_id,
		      struct cs_running *ret)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	if (!j || j->state == CS_WAITING || j->state == CS_PROPOSED)
		return -ENOENT;
	*ret = (struct cs_running){
		.job_id = j->job.id,
		.array_id = j->job.array_id,
		.group = j->group,
		.role = j->role,
		.with = j->with,
		.slowdown = j->factor,
		.beside = j->cos,
		.start_us = j->start_us,
		.limit_us = j->limit_us,
		.done_us = j->done_us,
		.ran_us = j->ran_us,
		.at_us = j->at_us,
		.estimate_us = j->job.estimate_us,
		.end_us = cs_progress_end_us(e, j),
		.suspended = j->state != CS_RUNNING,
		.keeps = j->keeps,
		.packed = (j->whole ? j->whole_hold : j->hold) == CS_HOLD_PACKED,
		.alloc = j->whole ? j->whole : j->alloc,
	};
	return 0;
}

int64_t cs_engine_predicted_start_us(const struct cs_engine *e, uint32_t job_id,
				     const uint64_t **ret_nodes)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	bool head = j && j->state == CS_WAITING && cs_pass_promised(e, j);
	const struct cs_held_nodes *kept = j ? cs_forecast_of(e, j) : NULL;

	if (kept && ret_nodes)
		*ret_nodes = kept->nodes;
	if (kept)
		return kept->start_us;
	if (ret_nodes)
		*ret_nodes = head ? cs_backfill_nodes(e, j) : NULL;
	return head ? j->verdict.start_us : CS_TIME_NONE;
}

int64_t cs_engine_wants_from_us(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	int64_t start_us = cs_engine_predicted_start_us(e, job_id, NULL);
	enum cs_why why;

	if (!j || j->state != CS_WAITING)
		return CS_TIME_NONE;
	if (start_us != CS_TIME_NONE)
		return start_us;
	why = cs_pass_why(e, j);
	return why == CS_WHY_BEHIND || why == CS_WHY_NEVER ? CS_TIME_NONE : 0;
}

void cs_engine_stats(const struct cs_engine *e, struct cs_engine_stats *ret)
{
	uint32_t last = 0;

	*ret = (struct cs_engine_stats){
		.decides = e->decides,
		.starts = e->starts,
		.pairs = e->pairs,
		.searches = e->searches,
		.refusals = e->refusals,
		.reservations = e->reservations,
	};
	for (size_t i = 0; i < e->waiting.n; i++)
		ret->waiting += e->waiting.job[i]->job.tasks;
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		ret->running += j->state == CS_RUNNING;
		ret->suspended += j->state == CS_SUSPENDED ||
				  j->state == CS_STOPPED;
		/* one of its members is primary, but for groups of a restart */
		ret->groups += j->role == CS_ROLE_PRIMARY && j->group != last;
		last = j->role == CS_ROLE_PRIMARY ? j->group : last;
	}
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		uint32_t cores = cs_node_cores(&e->machine->node[n]);

		if (cs_bit(e->vm->now.down, n))
			continue;
		ret->cores += cores;
		ret->cores_used += cores - e->vm->now.node[n].free_cores;
	}
}

struct cs_engine_use cs_engine_use(const struct cs_engine *e)
{
	bool sliced = e->n_vm > 1;

	return (struct cs_engine_use){
		.cores = sliced ? e->slices.cores : e->vm->now.used_cores,
		.nodes = sliced ? e->slices.nodes : e->vm->now.used_nodes,
		.waiting = (uint32_t)e->waiting.n,
	};
}

static int by_id(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

size_t cs_engine_list(const struct cs_engine *e, bool running, uint32_t *id,
		      size_t n)
{
	const struct cs_list *l = running ? &e->started : &e->waiting;
	uint32_t *all = calloc(l->n + 1, sizeof(*all));
	size_t k = 0;

	for (size_t i = 0; all && i < l->n; i++)
		if (l->job[i]->job.id)
			all[k++] = l->job[i]->job.id;
	if (all)
		qsort(all, k, sizeof(*all), by_id);
	for (size_t i = 0; all && i < k && i < n; i++)
		id[i] = all[i];
	free(all);
	return k;
}

static bool stands(const struct cs_slots *on, uint32_t slot)
{
	for (uint32_t k = 0; k < on->n; k++)
		if (on->slot[k] == slot)
			return true;
	return false;
}

/* One job against a machine that is built up from nothing. */
static int check_job(const struct cs_engine *e, const struct cs_ejob *j,
		     struct cs_occ *o, struct cs_err *err)
{
	const struct cs_alloc *a = j->alloc;

	if (j->placed_by_host && j->state == CS_PROPOSED)
		return 0;
	if (!a)
		return cs_err_set(err, -EINVAL, "job %u runs on no nodes",
				  j->job.id);
	if (j->state == CS_SUSPENDED) {
		cs_occ_add_memory(o, j->whole ? j->whole : a);
		if (!j->whole)
			return 0;
	}
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;

		if (!stands(&cs_vm_of(e, j)->on[n], j->slot))
			return cs_err_set(err, -EINVAL,
					  "job %u is not listed on node %u",
					  j->job.id, n);
		for (uint32_t w = 0; w < a->words; w++)
			if (cs_alloc_cores(a, i)[w] & cs_occ_used(o, n)[w])
				return cs_err_set(err, -EINVAL,
						  "a core of node %u is booked "
						  "twice, by job %u too",
						  n, j->job.id);
	}
	cs_occ_add(o, a, j->hold);
	return 0;
}

static int check_node(const struct cs_vm *vm, const struct cs_occ *o,
		      uint32_t n, struct cs_err *err)
{
	const struct cs_occ_node *a = &o->node[n], *b = &vm->now.node[n];

	if (a->free_cores != b->free_cores || a->counted != b->counted ||
	    a->packed != b->packed || a->exclusive != b->exclusive ||
	    a->used_mb != b->used_mb || a->owner != b->owner ||
	    cs_bit(o->empty, n) != cs_bit(vm->now.empty, n))
		return cs_err_set(err, -EINVAL,
				  "node %u: its counts are not those of its "
				  "jobs",
				  n);
	if (vm->on[n].n != a->counted + a->packed + a->exclusive)
		return cs_err_set(err, -EINVAL,
				  "node %u: %u jobs listed, %u there", n,
				  vm->on[n].n,
				  a->counted + a->packed + a->exclusive);
	return 0;
}

/* One virtual machine: its jobs and its nodes. */
static int check_vm(const struct cs_engine *e, const struct cs_vm *vm,
		    struct cs_err *err)
{
	struct cs_occ o;
	int rc = 0;

	if (cs_occ_init(&o, e->machine))
		return cs_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; !rc && i < e->started.n; i++)
		if (cs_vm_of(e, e->started.job[i]) == vm)
			rc = check_job(e, e->started.job[i], &o, err);
	for (uint32_t n = 0; !rc && n < e->machine->n_node; n++)
		rc = check_node(vm, &o, n, err);
	if (!rc && (o.used_nodes != vm->now.used_nodes ||
		    o.shared_nodes != vm->now.shared_nodes))
		rc = cs_err_set(err, -EINVAL, "used or shared nodes miscounted");
	cs_occ_done(&o);
	return rc;
}

/* Who waits holds nothing; who has not been answered is counted. */
static int check_states(const struct cs_engine *e, struct cs_err *err)
{
	uint32_t open = 0;

	for (size_t i = 0; i < e->waiting.n; i++)
		if (e->waiting.job[i]->alloc)
			return cs_err_set(err, -EINVAL,
					  "job %u waits and holds nodes",
					  e->waiting.job[i]->job.id);
	for (size_t i = 0; i < e->started.n; i++)
		open += e->started.job[i]->seq != 0;
	if (open != e->open)
		return cs_err_set(err, -EINVAL, "%u actions open, %u counted",
				  open, e->open);
	return 0;
}

/* The ring of each group comes round, through started jobs of it alone. */
static int check_groups(const struct cs_engine *e, struct cs_err *err)
{
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i], *x = j->mate;
		size_t n = 1;

		if (!x && !j->group)
			continue;
		while (x && x != j && x->group == j->group &&
		       x->state != CS_WAITING && n++ < e->started.n)
			x = x->mate;
		if (x != j || !j->group)
			return cs_err_set(err, -EINVAL,
					  "job %u: the jobs of group %u are "
					  "not linked",
					  j->job.id, j->group);
	}
	return 0;
}

/* The queues hold who waits, in order. */
static int check_queue(const struct cs_engine *e, const struct cs_queue *q,
		       struct cs_err *err)
{
	for (size_t i = q->begin; i < q->end; i++)
		if (!q->entry[i].job->queued ||
		    (i > q->begin && i < q->sorted &&
		     cs_order_cmp(e, &q->entry[i - 1], &q->entry[i]) >= 0))
			return cs_err_set(err, -EINVAL,
					  "job %u is out of order in the queue",
					  q->entry[i].job->job.id);
	return 0;
}

static int check_queues(const struct cs_engine *e, struct cs_err *err)
{
	size_t n = 0, there = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < e->n_vm; i++) {
		rc = check_queue(e, &e->vms[i].queue, err);
		there += e->vms[i].queue.end - e->vms[i].queue.begin;
	}
	for (uint32_t i = 0; i < e->n_slot; i++)
		if (e->slot[i] && e->slot[i]->queued)
			n += e->slot[i]->job.n_option;
	for (size_t i = 0; !rc && i < e->waiting.n; i++)
		if (e->waiting.job[i]->job.id && !e->waiting.job[i]->queued)
			rc = cs_err_set(err, -EINVAL, "job %u is in no queue",
					e->waiting.job[i]->job.id);
	if (!rc && n != there)
		rc = cs_err_set(err, -EINVAL, "%zu queue entries, %zu of jobs",
				there, n);
	return rc;
}

int cs_engine_check(const struct cs_engine *e, struct cs_err *err)
{
	int rc = check_states(e, err);

	for (uint32_t i = 0; !rc && i < e->n_vm; i++)
		rc = check_vm(e, &e->vms[i], err);
	if (!rc)
		rc = check_groups(e, err) ?: check_queues(e, err);
	return rc ?: cs_slice_check(e, err) ?: cs_campaign_check(e, err);
}
