/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the engine: lists, figures, predictions, invariants. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

int64_t cs_engine_next_wakeup_us(const struct cs_engine *e)
{
	int64_t next = CS_TIME_NONE;

	for (size_t i = 0; i < e->waiting.n; i++) {
		const struct cs_ejob *j = e->waiting.job[i];

		if (j->job.eligible_us > e->now_us && j->job.eligible_us < next)
			next = j->job.eligible_us;
		if (j->retry_us > e->now_us && j->retry_us < next)
			next = j->retry_us;
		/* a predicted start is also when a head may take its nodes */
		if (j->verdict.why == CS_WHY_HEAD &&
		    j->verdict.start_us > e->now_us &&
		    j->verdict.start_us < next)
			next = j->verdict.start_us;
	}
	for (uint32_t h = 0; h < e->n_held; h++)
		if (e->held[h].end_us > e->now_us && e->held[h].end_us < next)
			next = e->held[h].end_us;
	return next;
}

int cs_engine_running(const struct cs_engine *e, uint32_t job_id,
		      struct cs_running *ret)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	if (!j || (j->state != CS_RUNNING && j->state != CS_SUSPENDED))
		return -ENOENT;
	*ret = (struct cs_running){
		.job_id = j->job.id,
		.array_id = j->job.array_id,
		.group = j->group,
		.role = j->role,
		.with = j->with,
		.slowdown = j->factor,
		.start_us = j->start_us,
		.limit_us = j->limit_us,
		.done_us = j->done_us,
		.at_us = j->at_us,
		.estimate_us = j->job.estimate_us,
		.end_us = cs_progress_end_us(e, j),
		.suspended = j->state == CS_SUSPENDED,
		.packed = j->hold == CS_HOLD_PACKED,
		.alloc = j->alloc,
	};
	return 0;
}

int64_t cs_engine_predicted_start_us(const struct cs_engine *e, uint32_t job_id,
				     const uint64_t **ret_nodes)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	bool head = j && j->state == CS_WAITING &&
		    j->verdict.why == CS_WHY_HEAD;

	if (ret_nodes)
		*ret_nodes = head ? j->reserved : NULL;
	return head ? j->verdict.start_us : CS_TIME_NONE;
}

void cs_engine_stats(const struct cs_engine *e, struct cs_engine_stats *ret)
{
	uint32_t last = 0;

	*ret = (struct cs_engine_stats){
		.decides = e->decides,
		.starts = e->starts,
		.pairs = e->pairs,
		.refusals = e->refusals,
		.reservations = e->reservations,
	};
	for (size_t i = 0; i < e->waiting.n; i++)
		ret->waiting += e->waiting.job[i]->job.tasks;
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		ret->running += j->state == CS_RUNNING;
		ret->suspended += j->state == CS_SUSPENDED;
		/* one of its members is primary, but for groups of a restart */
		ret->groups += j->role == CS_ROLE_PRIMARY && j->group != last;
		last = j->role == CS_ROLE_PRIMARY ? j->group : last;
	}
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		uint32_t cores = cs_node_cores(&e->machine->node[n]);

		if (cs_bit(e->now.down, n))
			continue;
		ret->cores += cores;
		ret->cores_used += cores - e->now.node[n].free_cores;
	}
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
		cs_occ_add_memory(o, a);
		return 0;
	}
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;

		if (!stands(&e->on[n], j->slot))
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

static int check_node(const struct cs_engine *e, const struct cs_occ *o,
		      uint32_t n, struct cs_err *err)
{
	const struct cs_occ_node *a = &o->node[n], *b = &e->now.node[n];

	if (a->free_cores != b->free_cores || a->counted != b->counted ||
	    a->packed != b->packed || a->exclusive != b->exclusive ||
	    a->used_mb != b->used_mb)
		return cs_err_set(err, -EINVAL,
				  "node %u: its counts are not those of its "
				  "jobs",
				  n);
	if (e->on[n].n != a->counted + a->packed + a->exclusive)
		return cs_err_set(err, -EINVAL,
				  "node %u: %u jobs listed, %u there", n,
				  e->on[n].n,
				  a->counted + a->packed + a->exclusive);
	return 0;
}

int cs_engine_check(const struct cs_engine *e, struct cs_err *err)
{
	struct cs_occ o;
	uint32_t open = 0;
	int rc = 0;

	if (cs_occ_init(&o, e->machine))
		return cs_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; !rc && i < e->started.n; i++) {
		open += e->started.job[i]->state == CS_PROPOSED;
		rc = check_job(e, e->started.job[i], &o, err);
	}
	for (size_t i = 0; !rc && i < e->waiting.n; i++)
		if (e->waiting.job[i]->alloc)
			rc = cs_err_set(err, -EINVAL,
					"job %u waits and holds nodes",
					e->waiting.job[i]->job.id);
	for (uint32_t n = 0; !rc && n < e->machine->n_node; n++)
		rc = check_node(e, &o, n, err);
	if (!rc && open != e->open)
		rc = cs_err_set(err, -EINVAL, "%u starts open, %u counted",
				open, e->open);
	cs_occ_done(&o);
	return rc;
}
