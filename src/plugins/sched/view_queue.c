/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who of the waiting may start, by Slurm's own tests.
 *
 * Between them build_job_queue() and the tests below are what stock's schedulers
 * ask before they look for nodes: dependencies (jobs whose dependency cannot be
 * met any more are dealt with there), begin time, hold, throttled arrays, state
 * and limits of the partition, reservation; association and QOS limits;
 * licences; deadline.  They write to job records, as in stock, so they need the
 * job write lock.  About 1 us a job, and as much again with limits enforced.
 *
 * A job that stands in no entry of the queue is blocked; in one partition of
 * several, blocked there.
 *
 * Differs from stock: a magnetic reservation attracts: while it is active, a job
 * that may use it waits for its nodes alone.
 */
#include "view_slurm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct index { /* waiting blocks by job id */
	struct cs_view_job **slot;
	uint32_t mask;
};

static bool index_waiting(struct index *x, const struct cs_view *v)
{
	uint32_t slots = 64;

	while (slots < 2 * v->n_waiting)
		slots *= 2;
	x->mask = slots - 1;
	x->slot = calloc(slots, sizeof(struct cs_view_job *));
	if (!x->slot)
		return false;
	for (struct cs_view_job *j = cs_view_next(v, NULL); j;
	     j = cs_view_next(v, j)) {
		uint32_t k = j->id * 2654435761u & x->mask;

		if (j->state != CS_VIEW_WAITING)
			continue;
		while (x->slot[k])
			k = (k + 1) & x->mask;
		x->slot[k] = j;
	}
	return true;
}

static struct cs_view_job *find(const struct index *x, uint32_t id)
{
	uint32_t k = id * 2654435761u & x->mask;

	while (x->slot[k] && x->slot[k]->id != id)
		k = (k + 1) & x->mask;
	return x->slot[k];
}

/* Until the queue says otherwise nobody may start. */
static void block_all(struct cs_view *v)
{
	v->blocked = 0;
	for (struct cs_view_job *j = cs_view_next(v, NULL); j;
	     j = cs_view_next(v, j)) {
		if (j->state != CS_VIEW_WAITING)
			continue;
		j->ready = 0;
		j->desc.flags &= ~(uint32_t)CS_JOB_BLOCKED;
		for (uint32_t i = 0; i < j->desc.n_option; i++)
			cs_view_options(j)[i].flags |= CS_JOB_BLOCKED;
	}
}

/* A job that may start nowhere is blocked as a whole. */
static void sum_up(struct cs_view *v)
{
	for (struct cs_view_job *j = cs_view_next(v, NULL); j;
	     j = cs_view_next(v, j)) {
		struct cs_view_option *o = cs_view_options(j);
		bool open = false;

		if (j->state != CS_VIEW_WAITING)
			continue;
		for (uint32_t i = 0; i < j->desc.n_option; i++)
			open |= !(o[i].flags & CS_JOB_BLOCKED);
		if (j->desc.n_comp && j->ready < j->desc.n_comp)
			open = false;
		if (open)
			continue;
		v->blocked++;
		j->desc.flags |= CS_JOB_BLOCKED;
		for (uint32_t i = 0; i < j->desc.n_option; i++)
			o[i].flags &= ~(uint32_t)CS_JOB_BLOCKED;
	}
}

/* The reason stays where nothing has changed: a new one is news, to us too. */
static bool licensed(job_record_t *job_ptr)
{
	if (!job_ptr->license_list ||
	    !license_job_test(job_ptr, time(NULL), true)) {
		if (job_ptr->state_reason == WAIT_LICENSES)
			job_ptr->state_reason = WAIT_NO_REASON;
		return true;
	}
	if (job_ptr->state_reason != WAIT_LICENSES) {
		job_ptr->state_reason = WAIT_LICENSES;
		xfree(job_ptr->state_desc);
		last_job_update = time(NULL);
	}
	return false;
}

/* Stock's tests behind the queue's. */
static bool allowed(job_record_t *job_ptr, job_queue_rec_t *rec)
{
	if (job_ptr->deadline && job_ptr->deadline != NO_VAL &&
	    !deadline_ok(job_ptr, "cosched"))
		return false;
	if (!licensed(job_ptr))
		return false;
	if (!accounting_enforce)
		return true;
	cs_slurm_take_queue_record(job_ptr, rec);
	if (!acct_policy_job_runnable_pre_select(job_ptr, false))
		return false;
	/* Limits on what it would hold: stock asks with the nodes at hand, we with
	 * the least that it asks for, so that a job which could not start anyway
	 * is no head that others wait behind. */
	return !job_ptr->tres_req_cnt ||
	       acct_policy_job_runnable_post_select(
		       job_ptr, job_ptr->tres_req_cnt, false);
}

static void attract(struct cs_view *v, struct cs_view_job *j,
		    struct cs_view_option *o, const job_queue_rec_t *rec)
{
	const slurmctld_resv_t *r = rec->resv_ptr;

	if (!r || (rec->job_ptr->resv_name && !rec->job_ptr->resv_list) ||
	    r->start_time > v->now_us / 1000000)
		return;
	o->resv = r->resv_id;
	j->desc.reservation = r->resv_id;
	o->set = cs_view_option_set(v, rec->job_ptr, rec->part_ptr, r);
	if (o->set == UINT32_MAX)
		v->nomem = true;
}

static void open_option(struct cs_view *v, struct cs_view_job *j,
			job_queue_rec_t *rec)
{
	for (uint32_t i = 0; i < j->desc.n_option; i++) {
		struct cs_view_option *o = cs_view_options(j) + i;
		const char *name = cs_view_name_of(v->partitions, o->partition);

		if (xstrcmp(name, rec->part_ptr->name))
			continue;
		/* Of several entries (QOS, reservations) the first counts. */
		if (o->flags & CS_JOB_BLOCKED) {
			o->flags &= ~(uint32_t)CS_JOB_BLOCKED;
			o->priority = rec->priority;
			o->qos = cs_queue_qos(rec);
		}
		attract(v, j, o, rec);
		return;
	}
}

static void take_entry(struct cs_view *v, const struct index *x,
		       job_queue_rec_t *rec, uint32_t *last)
{
	job_record_t *job_ptr = rec->job_ptr;
	struct cs_view_job *j = find(x, job_ptr->het_job_id ?
						job_ptr->het_job_id :
						job_ptr->job_id);

	if (!j || !rec->part_ptr || rec->use_prefer || !allowed(job_ptr, rec))
		return;
	if (job_ptr->job_id != *last)
		j->ready++;
	*last = job_ptr->job_id;
	if (job_ptr->job_id == j->id)
		open_option(v, j, rec);
}

void cs_view_queue(struct cs_view *v)
{
	struct index x;
	job_queue_rec_t *rec;
	list_itr_t *it;
	list_t *queue;
	uint32_t last = 0;

	if (!index_waiting(&x, v)) {
		v->nomem = true;
		return;
	}
	block_all(v);
	bb_g_job_try_stage_in();
	queue = build_job_queue(false, true);
	it = list_iterator_create(queue);
	while ((rec = list_next(it)))
		take_entry(v, &x, rec, &last);
	list_iterator_destroy(it);
	FREE_NULL_LIST(queue);
	sum_up(v);
	free(x.slot);
}
