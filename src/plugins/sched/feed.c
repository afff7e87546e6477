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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the log -------------------------------------------------------------- */

static bool line_room(struct cs_bridge *b, size_t need)
{
	char *p;

	if (need < b->n_line)
		return true;
	p = realloc(b->line, 2 * need + 4096);
	if (!p)
		return false;
	b->line = p;
	b->n_line = 2 * need + 4096;
	return true;
}

static void put(struct cs_bridge *b, int len)
{
	if (len > 0 && (size_t)len < b->n_line)
		cs_logfile_write(b->log, b->line, (size_t)len);
}

static void log_event(struct cs_bridge *b, const struct cs_event *ev,
		      const struct cs_action *action)
{
	int len;

	if (!b->log || !line_room(b, 1))
		return;
	len = cs_log_event(b->line, b->n_line, b->engine, ev, action);
	if (len > 0 && (size_t)len >= b->n_line && line_room(b, (size_t)len))
		len = cs_log_event(b->line, b->n_line, b->engine, ev, action);
	put(b, len);
}

void cs_feed_log_action(struct cs_bridge *b, const struct cs_action *a,
			bool would)
{
	int len;

	if (!b->log || !line_room(b, 1))
		return;
	len = cs_log_action(b->line, b->n_line, b->now_us, a, would);
	if (len > 0 && (size_t)len >= b->n_line && line_room(b, (size_t)len))
		len = cs_log_action(b->line, b->n_line, b->now_us, a, would);
	put(b, len);
}

void cs_feed_log_decide(struct cs_bridge *b, size_t n)
{
	if (b->log && line_room(b, 256))
		put(b, cs_log_decide(b->line, b->n_line, b->now_us, n));
}

int cs_feed_event(struct cs_bridge *b, const struct cs_event *ev,
		  const struct cs_action *action, struct cs_err *err)
{
	int rc = cs_engine_event(b->engine, ev, err);

	if (rc)
		return rc == -ENOMEM ? rc : -ESTALE;
	b->events++;
	log_event(b, ev, action);
	return 0;
}

/* ---- descriptions --------------------------------------------------------- */

/* The engine's number of set @set of the view; -1 with no memory. */
static int64_t nodeset(struct cs_bridge *b, uint32_t set)
{
	const uint64_t *words = cs_view_set_words(b->view->sets, set);
	int64_t number;

	if (!words)
		return -1;
	while (b->n_nodeset <= set) {
		uint32_t n = b->n_nodeset ? 2 * b->n_nodeset : 64;
		uint32_t *p = realloc(b->nodeset, n * sizeof(*p));

		if (!p)
			return -1;
		memset(p + b->n_nodeset, 0xff,
		       (n - b->n_nodeset) * sizeof(*p));
		b->nodeset = p;
		b->n_nodeset = n;
	}
	if (b->nodeset[set] != UINT32_MAX)
		return b->nodeset[set];
	number = cs_engine_nodeset(b->engine, words);
	if (number >= 0)
		b->nodeset[set] = (uint32_t)number;
	return number;
}

/* Say once for each name that it is no profile; at most 64 of them. */
static void bad_profile(struct cs_bridge *b, uint32_t id, const char *name)
{
	uint64_t h = cs_view_hash_text(7, name);

	for (uint32_t i = 0; i < b->n_bad_profile; i++)
		if (b->bad_profile[i] == h)
			return;
	if (b->n_bad_profile == 64)
		return;
	b->bad_profile[b->n_bad_profile++] = h;
	cs_say(true, "job %u asks for profile \"%s\", which the profile file does not have: the rules decide",
	       id, name);
}

static void profile(struct cs_bridge *b, uint32_t id, const char *asked,
		    struct cs_feed_store *store, struct cs_job *job)
{
	char comment[CS_PROFILE_NAME + 32];
	bool bad = false;
	int p;

	snprintf(comment, sizeof(comment), "cosched:profile=%s", asked);
	p = cs_profiles_match(b->profiles, *asked ? comment : NULL, job->user,
			      job->account, job->name, &bad);
	if (bad)
		bad_profile(b, id, asked);
	job->profile = NULL;
	if (p == CS_PROFILE_NONE)
		return;
	snprintf(store->profile, sizeof(store->profile), "%s",
		 b->profiles->profile[p].name);
	job->profile = store->profile;
}

static int options(struct cs_bridge *b, const struct cs_view_desc *d,
		   const struct cs_view_option *o, struct cs_feed_store *store)
{
	size_t at = 0;

	store->partition[0] = 0;
	for (uint32_t i = 0; i < d->n_option && i < 32; i++) {
		int64_t set = nodeset(b, o[i].set);
		int n = snprintf(store->partition + at,
				 sizeof(store->partition) - at, "%s%s",
				 at ? "," : "",
				 cs_view_name_of(b->view->partitions,
						 o[i].partition));

		if (set < 0)
			return -ENOMEM;
		if (n > 0 && at + (size_t)n < sizeof(store->partition))
			at += (size_t)n;
		else
			store->partition[at] = 0;
		store->option[i] = (struct cs_job_option){
			.partition = o[i].partition,
			.tier = o[i].tier,
			.priority = o[i].priority,
			.nodeset = (uint32_t)set,
			.limit_max_us = o[i].limit_max_us,
			.flags = o[i].flags,
		};
	}
	return 0;
}

int cs_feed_job(struct cs_bridge *b, uint32_t id, const struct cs_view_desc *d,
		const struct cs_view_option *o, const char *base,
		struct cs_feed_store *store, struct cs_job *ret)
{
	if (options(b, d, o, store))
		return -ENOMEM;
	*ret = (struct cs_job){
		.id = id,
		.array_id = d->array_id,
		.tasks = d->tasks,
		.flags = d->flags,
		.user = base[d->text[CS_VIEW_USER]] ?
				base + d->text[CS_VIEW_USER] :
				cs_users_name(&b->users, d->uid),
		.account = base + d->text[CS_VIEW_ACCOUNT],
		.name = base + d->text[CS_VIEW_NAME],
		.partition = store->partition,
		.procs = d->procs,
		.cpus_per_proc = d->cpus_per_proc,
		.min_nodes = d->min_nodes,
		.max_nodes = d->max_nodes,
		.procs_per_node = d->procs_per_node,
		.base_procs = d->base_procs,
		.mem_node_mb = d->mem_node_mb,
		.mem_cpu_mb = d->mem_cpu_mb,
		.reservation = d->reservation,
		.submit_us = d->submit_us,
		.eligible_us = d->eligible_us,
		.estimate_us = d->estimate_us,
		.option = store->option,
		.n_option = d->n_option < 32 ? d->n_option : 32,
	};
	profile(b, id, base + d->text[CS_VIEW_PROFILE], store, ret);
	return 0;
}

/* SUBMIT, CHANGE or REQUEUE of a job as it is known now. */
static int describe(struct cs_bridge *b, struct cs_known_job *k,
		    enum cs_event_type type, struct cs_err *err)
{
	const struct cs_view_option *o = cs_known_options(k);
	struct cs_feed_store store;
	struct cs_job job;
	struct cs_event ev = { .type = type, .t_us = b->now_us, .job = &job };

	if (cs_feed_job(b, k->id, cs_known_desc(k), o, (const char *)o, &store,
			&job))
		return cs_err_set(err, -ENOMEM, "no memory for job %u", k->id);
	k->estimate_us = job.estimate_us;
	return cs_feed_event(b, &ev, NULL, err);
}

/* ---- starts --------------------------------------------------------------- */

static bool packed(const struct cs_bridge *b, const struct cs_job *job)
{
	return b->params.place == CS_PLACE_PACK ||
	       (b->params.small == CS_SMALL_PACK && !job->profile);
}

static void ghost(struct cs_bridge *b, struct cs_known_job *k,
		  const struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_CANCEL,
		.t_us = b->now_us,
		.job_id = k->id,
	};

	cs_feed_event(b, &ev, NULL, NULL);
	k->ghost = true;
	if (!b->ghosts)
		cs_say(true, "job %u runs in a way that the model does not hold (%s): left to Slurm, like others of its kind",
		       k->id, err->text);
	b->ghosts = true;
}

/* A job that the host started, or that ran before we came. */
static int found_running(struct cs_bridge *b, struct cs_known_job *k,
			 const struct cs_view_job *j, struct cs_err *err)
{
	const struct cs_kept *was = cs_keep_find(b, k->id, j->start_us);
	const struct cs_view_option *o = cs_known_options(k);
	struct cs_feed_store store;
	struct cs_job job;
	struct cs_started s = {
		.job_id = k->id,
		.option = k->option,
		.start_us = j->start_us,
		.limit_us = j->limit_us,
		.alloc = b->view->alloc[j->alloc - 1],
	};
	struct cs_event ev = {
		.type = CS_EV_STARTED,
		.t_us = b->now_us,
		.start = &s,
	};
	int rc;

	if (cs_feed_job(b, k->id, cs_known_desc(k), o, (const char *)o, &store,
			&job))
		return -ENOMEM;
	s.packed = packed(b, &job);
	if (was) {
		s.packed = was->packed;
		s.group = was->group;
		s.role = was->group ? (enum cs_role)was->role : CS_ROLE_NONE;
		s.done_us = was->done_us;
		s.at_us = was->at_us;
		k->array_id = was->array_id;
		k->raised_from = was->raised_from;
		k->raised_flag = was->raised_flag;
		k->shared = was->shared;
	}
	rc = cs_feed_event(b, &ev, NULL, err);
	if (rc == -ENOMEM)
		return rc;
	if (rc)
		ghost(b, k, err);
	return 0;
}

static void runs(struct cs_known_job *k, const struct cs_view_job *j)
{
	k->state = CS_VIEW_RUNNING;
	k->start_us = j->start_us;
	k->limit_us = j->limit_us;
	k->n_node = j->n_node;
	k->cpus = j->cpus;
	k->completing = false;
}

/* Which option of the known job is the partition that @j runs in? */
static uint32_t option_of(const struct cs_known_job *k,
			  const struct cs_view_job *j)
{
	const struct cs_view_option *o = cs_known_options(k);
	uint32_t n = cs_known_desc(k)->n_option;

	for (uint32_t i = 0; i < n; i++)
		if (o[i].partition == cs_view_options(j)[0].partition)
			return i;
	return 0;
}

static int tell_running(struct cs_bridge *b, struct cs_known_job *k,
			const struct cs_view_job *j, struct cs_err *err)
{
	if (!j->alloc) {
		/* Holds nothing on our machine, or no memory for it. */
		struct cs_event ev = {
			.type = CS_EV_CANCEL,
			.t_us = b->now_us,
			.job_id = k->id,
		};

		runs(k, j);
		k->ghost = true;
		return cs_feed_event(b, &ev, NULL, err);
	}
	k->option = option_of(k, j);
	runs(k, j);
	b->dirty = true;
	return found_running(b, k, j, err);
}

/* The known record of an array whose task was started is short of one task. */
static void take_task(struct cs_bridge *b, uint32_t array_id)
{
	struct cs_known_job *k = cs_known_find(&b->known, array_id);

	if (!k || !cs_known_desc(k))
		return;
	if (cs_known_desc(k)->tasks > 1)
		cs_known_desc(k)->tasks--;
	else
		/* The engine has none left; if Slurm has, it is a new submit. */
		cs_known_remove(&b->known, k);
}

static int known_task(struct cs_bridge *b, const struct cs_feed_start *s,
		      struct cs_known_job **ret)
{
	const struct cs_known_job *from = cs_known_find(&b->known, s->array_id);
	struct cs_known_job *k = cs_known_add(&b->known, s->id);

	if (!k)
		return -ENOMEM;
	if (from && cs_known_told(k, from->bytes, from->n_bytes)) {
		cs_known_remove(&b->known, k);
		return -ENOMEM;
	}
	if (from) {
		k->estimate_us = from->estimate_us;
		cs_known_desc(k)->tasks = 1;
	}
	k->seen = b->snapshots;
	take_task(b, s->array_id);
	*ret = k;
	return 0;
}

int cs_feed_started(struct cs_bridge *b, const struct cs_feed_start *s,
		    struct cs_err *err)
{
	const struct cs_started st = {
		.seq = s->seq,
		.job_id = s->id,
		.array_id = s->array_id,
		.option = s->option,
		.start_us = s->start_us,
		.limit_us = s->limit_us,
		.alloc = s->alloc,
	};
	struct cs_event ev = {
		.type = CS_EV_STARTED,
		.t_us = b->now_us,
		.start = &st,
	};
	struct cs_known_job *k = cs_known_find(&b->known, s->id);
	int rc = cs_feed_event(b, &ev, s->action, err);

	if (!rc && s->array_id && s->array_id != s->id)
		rc = known_task(b, s, &k);
	if (rc || !k)
		return rc;
	k->state = CS_VIEW_RUNNING;
	k->option = s->option;
	k->start_us = s->start_us;
	k->limit_us = s->limit_us;
	k->n_node = s->n_node;
	k->cpus = s->cpus;
	k->completing = false;
	k->array_id = s->array_id;
	b->dirty = true;
	return 0;
}

int cs_feed_refused(struct cs_bridge *b, const struct cs_action *a,
		    enum cs_refused class, const char *why, struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_REFUSED,
		.t_us = b->now_us,
		.refused = { .seq = a->seq, .class = class, .why = why },
	};

	b->refusals++;
	return cs_feed_event(b, &ev, a, err);
}

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
		return describe(b, k, CS_EV_SUBMIT, err);
	}
	return describe(b, k, CS_EV_REQUEUE, err);
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
	return describe(b, k, new ? CS_EV_SUBMIT : CS_EV_CHANGE, err);
}

static int running(struct cs_bridge *b, struct cs_known_job *k,
		   const struct cs_view_job *j, struct cs_err *err)
{
	struct cs_event ev = { .type = CS_EV_LIMIT, .t_us = b->now_us };
	int rc = 0;

	if (k->ghost)
		return 0;
	if (k->state == CS_VIEW_SUSPENDED && j->state == CS_VIEW_RUNNING) {
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
		rc = tell_running(b, k, j, err);
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

/* ---- the state of the moment ------------------------------------------------ */

static void log_job(struct cs_bridge *b, struct cs_known_job *k)
{
	const struct cs_view_option *o = cs_known_options(k);
	struct cs_feed_store store;
	struct cs_running r;
	struct cs_started s;
	struct cs_job job;
	struct cs_event ev = {
		.type = CS_EV_SUBMIT,
		.t_us = b->now_us,
		.job = &job,
	};

	if (k->ghost || !k->bytes ||
	    cs_feed_job(b, k->id, cs_known_desc(k), o, (const char *)o, &store,
			&job))
		return;
	if (k->state != CS_VIEW_WAITING)
		job.estimate_us = k->estimate_us;
	log_event(b, &ev, NULL);
	if (k->state == CS_VIEW_WAITING ||
	    cs_engine_running(b->engine, k->id, &r))
		return;
	s = (struct cs_started){
		.job_id = k->id,
		.array_id = k->array_id,
		.option = k->option,
		.start_us = r.start_us,
		.limit_us = r.limit_us,
		.packed = r.packed,
		.alloc = r.alloc,
		.group = r.group,
		.role = r.role,
		.done_us = r.done_us,
		.at_us = r.at_us,
	};
	ev.type = CS_EV_STARTED;
	ev.start = &s;
	log_event(b, &ev, NULL);
	if (k->state == CS_VIEW_SUSPENDED) {
		ev.type = CS_EV_SUSPEND;
		ev.job_id = k->id;
		log_event(b, &ev, NULL);
	}
}

static void log_down(struct cs_bridge *b)
{
	for (uint32_t n = 0; n < b->view->machine->n_node; n++) {
		struct cs_event ev = {
			.type = CS_EV_NODE,
			.t_us = b->now_us,
			.node = { .index = n, .why = "not available" },
		};

		if (!cs_bit(b->up, n))
			log_event(b, &ev, NULL);
	}
}

static int by_id(const void *x, const void *y)
{
	const struct cs_known_job *a = *(struct cs_known_job *const *)x;
	const struct cs_known_job *b = *(struct cs_known_job *const *)y;

	return a->id < b->id ? -1 : a->id > b->id;
}

void cs_feed_log_state(struct cs_bridge *b)
{
	struct cs_known_job **list;
	uint32_t n = b->known.n;

	if (!b->log)
		return;
	log_down(b);
	for (uint32_t i = 0; i < b->n_resv; i++) {
		/* As the engine has it: the log's reader gets the same. */
		const uint64_t *set =
			cs_view_set_words(b->view->sets, b->resv[i].set);
		uint32_t *node = calloc(b->view->machine->n_node,
					sizeof(*node));
		struct cs_reservation r = {
			.id = b->resv[i].id,
			.node = node,
			.start_us = b->resv[i].start_us,
			.end_us = b->resv[i].end_us,
		};
		struct cs_event ev = {
			.type = CS_EV_RESERVATION,
			.t_us = b->now_us,
			.reservation = &r,
		};

		for (uint32_t k = 0;
		     node && set && k < b->view->machine->n_node; k++)
			if (cs_bit(set, k))
				node[r.n++] = k;
		if (node && r.n)
			log_event(b, &ev, NULL);
		free(node);
	}
	list = n ? malloc(n * sizeof(struct cs_known_job *)) : NULL;
	if (!list)
		return;
	memcpy(list, b->known.list, n * sizeof(*list));
	qsort(list, n, sizeof(struct cs_known_job *), by_id);
	for (uint32_t i = 0; i < n; i++)
		log_job(b, list[i]);
	free(list);
}
