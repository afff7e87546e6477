/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a snapshot to events: only what is new.
 *
 * Rules.
 *  1. First what frees (jobs that ended, were requeued or suspended), then the
 *     machine, then the rest, in the order of Slurm's job list.
 *  2. A job that the snapshot does not have has ended or was cancelled.  A running
 *     job with another start, or that holds other nodes, ran twice: it is
 *     requeued and started.
 *  3. A job that the engine cannot take (a partition that gives one core to
 *     several jobs, a node that it does not have) is a ghost: left out, said once.
 *     The gate and Slurm's test still protect what it holds.
 *  4. A job that completes is about to end: its limit becomes what it ran.
 *  5. A waiting job that a limit of its association or QOS kept from starting
 *     (apply_start.c) is blocked until a job ends or half a minute has passed.
 *  6. Under order=fcfs a new priority alone is no news: multifactor recomputes
 *     them all every few minutes.
 *  7. Any other event that the engine refuses means that the pictures differ:
 *     -ESTALE, and the thread builds a new bridge.
 *
 * No Slurm here.  O(jobs) comparisons of some hundred bytes a snapshot.
 */
#include "inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what frees ------------------------------------------------------------ */

static int simple(struct cs_bridge *b, enum cs_event_type type, uint32_t id,
		  struct cs_err *err)
{
	struct cs_event ev = { .type = type, .t_us = b->now_us, .job_id = id };

	return cs_feed_event(b, &ev, NULL, err);
}

static int gone(struct cs_bridge *b, struct cs_known_job *k,
		struct cs_err *err)
{
	int rc = 0;

	if (!k->ghost)
		rc = simple(b, k->state == CS_VIEW_WAITING ? CS_EV_CANCEL :
							     CS_EV_FINISH,
			    k->id, err);
	if (k->state != CS_VIEW_WAITING) {
		b->ended++;
		b->dirty = true;
	}
	cs_known_remove(&b->known, k);
	return rc;
}

static bool same_run(const struct cs_known_job *k, const struct cs_view_job *j)
{
	return k->start_us == j->start_us && k->n_node == j->n_node &&
	       k->cpus == j->cpus;
}

/* A running job waits again, or was started anew meanwhile. */
static int requeued(struct cs_bridge *b, struct cs_known_job *k,
		    struct cs_view_job *j, struct cs_err *err)
{
	size_t n;
	const void *bytes = cs_view_bytes(j, &n);

	b->ended++;
	b->dirty = true;
	k->array_id = 0;
	k->hold_us = 0;
	k->tidy = k->raised_from || k->shared;
	if (k->raised_from)
		j->desc.estimate_us = k->raised_from * INT64_C(60000000);
	if (cs_known_told(k, bytes, n))
		return -ENOMEM;
	k->state = CS_VIEW_WAITING;
	if (k->ghost) {
		k->ghost = false;
		return cs_feed_describe(b, k, CS_EV_SUBMIT, err);
	}
	return cs_feed_describe(b, k, CS_EV_REQUEUE, err);
}

static int freed(struct cs_bridge *b, struct cs_err *err)
{
	for (struct cs_view_job *j = cs_view_next(b->view, NULL); j;
	     j = cs_view_next(b->view, j)) {
		struct cs_known_job *k = cs_known_find(&b->known, j->id);
		int rc = 0;

		if (!k)
			continue;
		k->seen = b->snapshots;
		if (k->state == CS_VIEW_WAITING)
			continue;
		if (j->state == CS_VIEW_WAITING || !same_run(k, j))
			rc = requeued(b, k, j, err);
		else if (j->state == CS_VIEW_SUSPENDED &&
			 k->state == CS_VIEW_RUNNING && !k->ghost) {
			rc = simple(b, CS_EV_SUSPEND, k->id, err);
			k->state = CS_VIEW_SUSPENDED;
		}
		if (rc)
			return rc;
	}
	for (uint32_t i = 0; i < b->known.n;) {
		struct cs_known_job *k = b->known.list[i];
		int rc = k->seen == b->snapshots ? 0 : gone(b, k, err);

		if (rc)
			return rc;
		if (i < b->known.n && b->known.list[i] == k)
			i++;
	}
	return 0;
}

/* ---- the machine ----------------------------------------------------------- */

static int nodes(struct cs_bridge *b, struct cs_err *err)
{
	for (uint32_t n = 0; n < b->view->machine->n_node; n++) {
		struct cs_event ev = { .type = CS_EV_NODE, .t_us = b->now_us };
		int rc;

		if (!(n % 64) && b->view->up[n / 64] == b->up[n / 64]) {
			n += 63;
			continue;
		}
		if (cs_bit(b->view->up, n) == cs_bit(b->up, n))
			continue;
		ev.node.index = n;
		ev.node.up = cs_bit(b->view->up, n);
		ev.node.why = ev.node.up ? "" : "not available";
		rc = cs_feed_event(b, &ev, NULL, err);
		if (rc)
			return rc;
		b->up[n / 64] ^= UINT64_C(1) << (n % 64);
	}
	return 0;
}

static int reservation(struct cs_bridge *b, const struct cs_view_resv *r,
		       bool there, struct cs_err *err)
{
	const uint64_t *set = cs_view_set_words(b->view->sets, r->set);
	uint32_t n_node = b->view->machine->n_node;
	uint32_t *node = there ? calloc(n_node, sizeof(*node)) : NULL;
	struct cs_reservation e = {
		.id = r->id,
		.node = node,
		.start_us = r->start_us,
		.end_us = r->end_us,
	};
	struct cs_event ev = {
		.type = CS_EV_RESERVATION,
		.t_us = b->now_us,
		.reservation = &e,
	};
	int rc;

	if (there && !node)
		return -ENOMEM;
	for (uint32_t n = 0; there && set && n < n_node; n++)
		if (cs_bit(set, n))
			node[e.n++] = n;
	rc = there && !e.n ? 0 : cs_feed_event(b, &ev, NULL, err);
	free(node);
	return rc;
}

static const struct cs_view_resv *find_resv(const struct cs_view_resv *list,
					    uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].id == id)
			return &list[i];
	return NULL;
}

static int reservations(struct cs_bridge *b, struct cs_err *err)
{
	const struct cs_view *v = b->view;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < b->n_resv; i++)
		if (!find_resv(v->resv, v->n_resv, b->resv[i].id))
			rc = reservation(b, &b->resv[i], false, err);
	for (uint32_t i = 0; !rc && i < v->n_resv; i++) {
		const struct cs_view_resv *was =
			find_resv(b->resv, b->n_resv, v->resv[i].id);

		if (!was || was->start_us != v->resv[i].start_us ||
		    was->end_us != v->resv[i].end_us ||
		    was->set != v->resv[i].set)
			rc = reservation(b, &v->resv[i], true, err);
	}
	if (rc)
		return rc;
	if (v->n_resv > b->cap_resv) {
		void *p = realloc(b->resv, v->n_resv * sizeof(*b->resv));

		if (!p)
			return -ENOMEM;
		b->resv = p;
		b->cap_resv = v->n_resv;
	}
	if (v->n_resv)
		memcpy(b->resv, v->resv, v->n_resv * sizeof(*b->resv));
	b->n_resv = v->n_resv;
	return 0;
}

/* ---- the rest -------------------------------------------------------------- */

static void keep_priority(const struct cs_known_job *k, struct cs_view_job *j)
{
	const struct cs_view_option *was = cs_known_options(k);
	struct cs_view_option *o = cs_view_options(j);

	if (cs_known_desc(k)->n_option != j->desc.n_option)
		return;
	for (uint32_t i = 0; i < j->desc.n_option; i++)
		if (o[i].partition == was[i].partition)
			o[i].priority = was[i].priority;
}

static void hold(struct cs_bridge *b, struct cs_known_job *k,
		 struct cs_view_job *j)
{
	if (!k->hold_us)
		return;
	if (b->now_us >= k->hold_us || b->ended != k->hold_ends)
		k->hold_us = 0;
	else
		j->desc.flags |= CS_JOB_BLOCKED;
}

static int waiting(struct cs_bridge *b, struct cs_known_job *k,
		   struct cs_view_job *j, bool new, struct cs_err *err)
{
	const void *bytes;
	size_t n;

	hold(b, k, j);
	if (k->tidy && k->raised_from)
		j->desc.estimate_us = k->raised_from * INT64_C(60000000);
	if (!new && b->params.order == CS_ORDER_FCFS)
		keep_priority(k, j);
	bytes = cs_view_bytes(j, &n);
	if (!new && n == k->n_bytes && !memcmp(bytes, k->bytes, n))
		return 0;
	if (cs_known_told(k, bytes, n))
		return -ENOMEM;
	return cs_feed_describe(b, k, new ? CS_EV_SUBMIT : CS_EV_CHANGE, err);
}

static int running(struct cs_bridge *b, struct cs_known_job *k,
		   const struct cs_view_job *j, struct cs_err *err)
{
	struct cs_event ev = { .type = CS_EV_LIMIT, .t_us = b->now_us };
	int rc = 0;

	if (k->ghost)
		return 0;
	/* Cancelled while suspended: it does not get its cores back. */
	if (k->state == CS_VIEW_SUSPENDED && j->state == CS_VIEW_RUNNING &&
	    !j->completing) {
		rc = simple(b, CS_EV_RESUME, k->id, err);
		k->state = CS_VIEW_RUNNING;
	}
	if (rc || k->completing || k->state == CS_VIEW_SUSPENDED)
		return rc;
	if (j->limit_us == k->limit_us && !j->completing)
		return 0;
	ev.limit.job_id = k->id;
	ev.limit.limit_us = j->limit_us;
	if (j->completing) {
		k->completing = true;
		ev.limit.limit_us = b->now_us - k->start_us;
		if (ev.limit.limit_us < 1000000)
			ev.limit.limit_us = 1000000;
	}
	k->limit_us = j->limit_us;
	return cs_feed_event(b, &ev, NULL, err);
}

/* A job that ran before we came: its estimate is what it was before a raise. */
static void remember_estimate(struct cs_bridge *b, struct cs_view_job *j)
{
	const struct cs_kept *was = cs_keep_find(b, j->id, j->start_us);

	if (was && was->estimate_us > 0)
		j->desc.estimate_us = was->estimate_us;
}

static int one(struct cs_bridge *b, struct cs_view_job *j, struct cs_err *err)
{
	struct cs_known_job *k = cs_known_find(&b->known, j->id);
	bool new = !k;
	int rc;

	if (new) {
		if (j->state != CS_VIEW_WAITING)
			remember_estimate(b, j);
		k = cs_known_add(&b->known, j->id);
		if (!k)
			return -ENOMEM;
		k->seen = b->snapshots;
		rc = waiting(b, k, j, true, err);
		if (rc)
			return rc;
	}
	if (j->state == CS_VIEW_WAITING)
		return new ? 0 : waiting(b, k, j, false, err);
	if (k->state == CS_VIEW_WAITING) {
		rc = cs_feed_running(b, k, j, err);
		if (!rc && j->state == CS_VIEW_SUSPENDED && !k->ghost) {
			rc = simple(b, CS_EV_SUSPEND, k->id, err);
			k->state = CS_VIEW_SUSPENDED;
		}
		if (rc)
			return rc;
	}
	return running(b, k, j, err);
}

int cs_feed(struct cs_bridge *b, struct cs_err *err)
{
	int rc;

	b->snapshots++;
	rc = freed(b, err);
	if (!rc)
		rc = nodes(b, err);
	if (!rc)
		rc = reservations(b, err);
	for (struct cs_view_job *j = cs_view_next(b->view, NULL); !rc && j;
	     j = cs_view_next(b->view, j))
		rc = one(b, j, err);
	if (rc == -ENOMEM)
		cs_err_set(err, rc, "no memory to follow Slurm's jobs");
	return rc;
}
