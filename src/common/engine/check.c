/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Invariants of the whole state: each core is booked once (at most mpl times, by jobs that
 * share cores), counts match the jobs, groups are rings, queues are sorted.
 */
#include "engine/engine.h"

#include <errno.h>
#include <string.h>

#include "job/lesson.h"
#include "job/oversub.h"
#include "state/pass.h"

static bool stands(const struct cs_slots *on, uint32_t slot)
{
	for (uint32_t k = 0; k < on->n; k++)
		if (on->slot[k] == slot)
			return true;
	return false;
}

/* What a stopped job keeps from those of all slices. */
static void add_kept(const struct cs_engine *e, const struct cs_alloc *a,
		     struct cs_occ *o)
{
	if (e->params.swap == CS_NO)
		cs_occ_add_memory(o, a);
	else
		cs_occ_add_gpus(o, a);
}

/* The cores of node @n that have all jobs that they may have. */
static const uint64_t *full_cores(const struct cs_occ *o, uint32_t n)
{
	return o->more ? cs_occ_more(o, o->machine->core_jobs - 1, n)
		       : cs_occ_used(o, n);
}

/* One job against a machine rebuilt from scratch. */
static int check_job(const struct cs_engine *e, const struct cs_ejob *j,
		     struct cs_occ *o, struct cs_err *err)
{
	const struct cs_alloc *a = j->alloc;

	if (j->placed_by_host && j->state == CS_PROPOSED)
		return 0;
	if (!a)
		return cs_err_set(err, -EINVAL, "job %u runs on no nodes",
				  j->job.id);
	if (cs_rests(e, j)) {
		add_kept(e, a, o);
		return 0;
	}
	if (j->state == CS_SUSPENDED) {
		cs_occ_add_memory(o, j->whole ? j->whole : a);
		if (!j->whole)
			return 0;
	}
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;

		if (!stands(&cs_sm_of(e, j)->on[n], j->slot))
			return cs_err_set(err, -EINVAL,
					  "job %u is not listed on node %u",
					  j->job.id, n);
		for (uint32_t w = 0; w < a->words; w++)
			if (cs_alloc_cores(a, i)[w] & full_cores(o, n)[w])
				return cs_err_set(err, -EINVAL,
						  "a core of node %u is booked "
						  "twice, by job %u too",
						  n, j->job.id);
	}
	if (cs_oversub_on(e) && !cs_oversub_fits(e, j, j->option, a))
		return cs_err_set(err, -EINVAL,
				  "job %u shares cores with jobs that do not",
				  j->job.id);
	cs_occ_add(o, a, j->hold);
	return 0;
}

/* All slice machines share one memory, and the GPUs. */
static void add_foreign(const struct cs_engine *e, const struct cs_ejob *j,
			struct cs_occ *o)
{
	if (j->alloc && !(j->placed_by_host && j->state == CS_PROPOSED))
		add_kept(e, j->whole ? j->whole : j->alloc, o);
}

/* Are the same GPUs of node @n in use, to the same part? */
static bool same_gpus(const struct cs_occ *a, const struct cs_occ *b,
		      uint32_t n)
{
	const struct cs_gpus *g = a->machine->node[n].gpus;

	return !g || (cs_occ_gpus(a, n) == cs_occ_gpus(b, n) &&
		      !memcmp(cs_occ_gpu_used(a, n), cs_occ_gpu_used(b, n),
			      g->n * sizeof(uint32_t)));
}

/* Does each core of node @n have as many jobs? */
static bool same_cores(const struct cs_occ *a, const struct cs_occ *b,
		       uint32_t n)
{
	size_t bytes = a->machine->words * sizeof(uint64_t);
	bool same = !memcmp(cs_occ_used(a, n), cs_occ_used(b, n), bytes);

	for (uint32_t k = 1; same && k < a->machine->core_jobs; k++)
		same = !memcmp(cs_occ_more(a, k, n), cs_occ_more(b, k, n),
			       bytes);
	return same;
}

static int check_node(const struct cs_slice_machine *sm, const struct cs_occ *o,
		      uint32_t n, struct cs_err *err)
{
	const struct cs_occ_node *a = &o->node[n], *b = &sm->now.node[n];

	if (a->free_cores != b->free_cores || a->counted != b->counted ||
	    a->packed != b->packed || a->exclusive != b->exclusive ||
	    a->used_mb != b->used_mb || a->owner != b->owner ||
	    cs_bit(o->empty, n) != cs_bit(sm->now.empty, n) ||
	    !same_cores(o, &sm->now, n) || !same_gpus(o, &sm->now, n))
		return cs_err_set(err, -EINVAL,
				  "node %u: its counts are not those of its "
				  "jobs",
				  n);
	if (sm->on[n].n != a->counted + a->packed + a->exclusive)
		return cs_err_set(
			err, -EINVAL, "node %u: %u jobs listed, %u there", n,
			sm->on[n].n, a->counted + a->packed + a->exclusive);
	return 0;
}

/* One slice machine: its jobs and its nodes. */
static int check_sm(const struct cs_engine *e,
		    const struct cs_slice_machine *sm, struct cs_err *err)
{
	struct cs_occ o;
	int rc = 0;

	if (cs_occ_init(&o, e->machine))
		return cs_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; !rc && i < e->started.n; i++)
		if (cs_sm_of(e, e->started.job[i]) == sm)
			rc = check_job(e, e->started.job[i], &o, err);
		else
			add_foreign(e, e->started.job[i], &o);
	for (uint32_t n = 0; !rc && n < e->machine->n_node; n++)
		rc = check_node(sm, &o, n, err);
	if (!rc && (o.used_nodes != sm->now.used_nodes ||
		    o.shared_nodes != sm->now.shared_nodes))
		rc = cs_err_set(err, -EINVAL,
				"used or shared nodes miscounted");
	cs_occ_done(&o);
	return rc;
}

/* Waiting jobs hold nothing; unanswered ones are counted. */
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

/* The ring of each group closes, through its started jobs only. */
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

/* The queues hold the waiting jobs, sorted. */
static int check_queue(const struct cs_engine *e, const struct cs_queue *q,
		       struct cs_err *err)
{
	for (size_t i = q->begin; i < q->end; i++)
		if (!q->entry[i].job->queued ||
		    (i > q->begin && i < q->sorted &&
		     e->order_cmp(&q->entry[i - 1], &q->entry[i]) >= 0))
			return cs_err_set(err, -EINVAL,
					  "job %u is out of order in the queue",
					  q->entry[i].job->job.id);
	return 0;
}

static int check_queues(const struct cs_engine *e, struct cs_err *err)
{
	size_t n = 0, there = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < e->n_sm; i++) {
		rc = check_queue(e, &e->sms[i].queue, err);
		there += e->sms[i].queue.end - e->sms[i].queue.begin;
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

	for (uint32_t i = 0; !rc && i < e->n_sm; i++)
		rc = check_sm(e, &e->sms[i], err);
	if (!rc)
		rc = check_groups(e, err) ?: check_queues(e, err) ?:
			     cs_lesson_check(e, err);
	return rc ?: cs_ask(e->slice, check, 0, e, err) ?:
			cs_ask(e->order, check, 0, e, err);
}
