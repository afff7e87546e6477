/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One job to the engine: its description, and its start.
 *
 * A job that the engine cannot take is a ghost (feed.c, rule 3).
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/place/place.h"
#include "resident/users.h"
#include "sched/feed/feed_event.h"
#include "sched/feed/nodesets.h"
#include "sched/view/view_table.h"

/* ---- descriptions --------------------------------------------------------- */

bool cs_rate_lets(const struct cs_adapter *b, struct cs_rate *r,
		  const char *what)
{
	if (!r->since_us || b->now_us - r->since_us >= CS_RATE_US) {
		r->since_us = b->now_us;
		r->n = 0;
	}
	if (r->n > CS_RATE_MAX)
		return false;
	if (r->n++ < CS_RATE_MAX)
		return true;
	cs_say(false, "more %s: %d are named in %d minutes", what, CS_RATE_MAX,
	       (int)(CS_RATE_US / 60000000));
	return false;
}

/* One more, of job @id: may it be logged?  Not for site_factor/ostrich, which has no
 * profile file. */
static bool faulty(struct cs_adapter *b, struct cs_faults *f, uint32_t id,
		   const char *what)
{
	if (b->view->factors)
		return false;
	f->n++;
	f->job = id;
	return cs_rate_lets(b, &f->lines, what);
}

static bool among_the_last(const struct cs_adapter *b, uint64_t name)
{
	for (uint32_t i = 0; i < CS_BAD_NAMES; i++)
		if (b->told.bad_profile[i] == name)
			return true;
	return false;
}

/* Log once per name that it is not a profile.  The name, a user's text, is shown only
 * to askers about the job. */
static void bad_profile(struct cs_adapter *b, struct cs_known_job *k,
			const char *name)
{
	uint64_t h = cs_view_hash_text(7, name);

	if (k->bad_profile == h)
		return;
	k->bad_profile = h;
	if (among_the_last(b, h))
		return;
	b->told.bad_profile[b->told.profiles_bad.n % CS_BAD_NAMES] = h;
	if (faulty(b, &b->told.profiles_bad, k->id,
		   "jobs ask for profiles that the profile file does not have"))
		cs_say(false,
		       "job %u asks for a profile that the profile file does not have: the rules decide; cosched explain %u names it",
		       k->id, k->id);
}

/* Log once per job the fault of its comment. */
static void bad_comment(struct cs_adapter *b, struct cs_known_job *k)
{
	const char *text = (const char *)cs_known_options(k) +
			   cs_known_desc(k)->text[CS_VIEW_FAULT];
	uint64_t h = cs_view_hash_text(9, text);

	if (!*text || k->bad_comment == h)
		return;
	k->bad_comment = h;
	if (faulty(b, &b->told.comments_bad, k->id,
		   "jobs have malformed comments"))
		cs_say(false, "job %u has a malformed comment: %s", k->id,
		       text);
}

static void profile(struct cs_adapter *b, struct cs_known_job *k,
		    const char *asked, struct cs_feed_store *store,
		    struct cs_job *job)
{
	char comment[CS_PROFILE_NAME + 32];
	bool bad = false;
	int p;

	snprintf(comment, sizeof(comment), "cosched:profile=%s", asked);
	p = cs_profiles_match(b->profiles, *asked ? comment : NULL, job->user,
			      job->account, job->name, &bad);
	if (bad)
		bad_profile(b, k, asked);
	job->profile = NULL;
	if (p == CS_PROFILE_NONE)
		return;
	snprintf(store->profile, sizeof(store->profile), "%s",
		 b->profiles->profile[p].name);
	job->profile = store->profile;
}

static int options(struct cs_adapter *b, const struct cs_view_desc *d,
		   const struct cs_view_option *o, struct cs_feed_store *store)
{
	size_t at = 0;

	store->partition[0] = 0;
	for (uint32_t i = 0; i < d->n_option && i < CS_VIEW_PARTS; i++) {
		int64_t set = cs_feed_nodeset(b, o[i].set);
		int n = snprintf(
			store->partition + at, sizeof(store->partition) - at,
			"%s%s", at ? "," : "",
			cs_view_name_of(b->view->partitions, o[i].partition));

		if (set < 0)
			return -ENOMEM;
		if (n > 0 && at + (size_t)n < sizeof(store->partition))
			at += (size_t)n;
		else
			store->partition[at] = 0;
		store->option[i] = (struct cs_job_partition){
			.partition = o[i].partition,
			.tier = o[i].tier,
			.precedence = o[i].precedence,
			.priority = o[i].priority,
			.nodeset = (uint32_t)set,
			.limit_max_us = o[i].limit_max_us,
			.flags = o[i].flags,
			.reservation = o[i].resv,
			.over_s = o[i].over_s,
		};
	}
	return 0;
}

int cs_feed_job(struct cs_adapter *b, struct cs_known_job *k,
		struct cs_feed_store *store, struct cs_job *ret)
{
	const struct cs_view_desc *d = cs_known_desc(k);
	const struct cs_view_option *o = cs_known_options(k);
	const char *base = (const char *)o;

	if (options(b, d, o, store))
		return -ENOMEM;
	*ret = (struct cs_job){
		.id = k->id,
		.array_id = d->array_id,
		.tasks = d->tasks,
		.flags = d->flags,
		.user = k->user,
		.account = base + d->text[CS_VIEW_ACCOUNT],
		.name = base + d->text[CS_VIEW_NAME],
		.partition = store->partition,
		.procs = d->procs,
		.cpus_per_proc = d->cpus_per_proc,
		.min_nodes = d->min_nodes,
		.max_nodes = d->max_nodes,
		.procs_per_node = d->procs_per_node,
		.base_procs = d->base_procs,
		.least_cpus = d->least_cpus,
		.threads = d->threads,
		.mem_threads = d->mem_threads,
		.mem_node_mb = d->mem_node_mb,
		.mem_cpu_mb = d->mem_cpu_mb,
		.gpus_node = d->gpus_node,
		.gpu_type = base + d->text[CS_VIEW_GPU_TYPE],
		.reservation = d->reservation,
		.warn_s = d->warn_s,
		.dist = d->dist,
		.wishes = d->wishes,
		.across = (double)d->across / 1e6,
		.campaign = base + d->text[CS_VIEW_CAMPAIGN],
		.share = d->share,
		.nice = d->nice,
		.submit_us = d->submit_us,
		.eligible_us = d->eligible_us,
		.after_us = d->after_us ? d->after_us + b->view->ahead_us : 0,
		.estimate_us = d->estimate_us,
		.option = store->option,
		.n_option = d->n_option < CS_VIEW_PARTS ? d->n_option
							: CS_VIEW_PARTS,
	};
	profile(b, k, base + d->text[CS_VIEW_PROFILE], store, ret);
	return 0;
}

/* The engine refused its event @type for @why: make the engine forget it. */
static int leave_out(struct cs_adapter *b, struct cs_known_job *k,
		     enum cs_event_type type, const struct cs_err *why)
{
	struct cs_event ev = {
		.type = type == CS_EV_REQUEUE ? CS_EV_FINISH : CS_EV_CANCEL,
		.failed = type == CS_EV_REQUEUE,
		.t_us = b->now_us,
		.job_id = k->id,
	};

	cs_known_ghost(k, why->text);
	if (!b->told.left_out)
		cs_say(true,
		       "job %u asks for what the model does not hold (%s): left out, as are others of its kind",
		       k->id, why->text);
	b->told.left_out = true;
	return type == CS_EV_SUBMIT ? 0 : cs_feed_event(b, &ev, NULL, NULL);
}

int cs_feed_describe(struct cs_adapter *b, struct cs_known_job *k,
		     enum cs_event_type type, struct cs_err *err)
{
	struct cs_feed_store store;
	struct cs_job job;
	struct cs_event ev = { .type = type, .t_us = b->now_us, .job = &job };
	int rc;

	if (k->ghost)
		ev.type = CS_EV_SUBMIT; /* the engine does not have it */
	cs_known_taken(k);
	bad_comment(b, k);
	if (cs_feed_job(b, k, &store, &job))
		return cs_err_set(err, -ENOMEM, "no memory for job %u", k->id);
	k->estimate_us = job.estimate_us;
	rc = cs_feed_tell(b, &ev, NULL, err);
	return rc == -EINVAL ? leave_out(b, k, ev.type, err)
			     : cs_feed_stale(rc);
}

/* ---- starts --------------------------------------------------------------- */

static bool packed(const struct cs_adapter *b, const struct cs_job *job)
{
	return !(job->flags & CS_JOB_NO_SHARE) &&
	       (cs_place_choose(&b->params)->packs ||
		b->params.layout == CS_LAYOUT_AUTO ||
		(b->params.unprofiled == CS_UNPROFILED_PACK && !job->profile));
}

int cs_feed_ghost(struct cs_adapter *b, struct cs_known_job *k,
		  enum cs_event_type out, const struct cs_err *err)
{
	struct cs_event ev = {
		.type = out,
		.failed = out == CS_EV_FINISH, /* it runs on */
		.t_us = b->now_us,
		.job_id = k->id,
	};

	cs_known_ghost(k, err->text);
	k->again = true;
	k->tidy |= k->shared;
	b->untidy |= k->tidy;
	if (!b->told.ghosts)
		cs_say(true,
		       "job %u runs in a way that the model does not hold (%s): left to Slurm, like others of its kind",
		       k->id, err->text);
	b->told.ghosts = true;
	return cs_feed_event(b, &ev, NULL, NULL);
}

int cs_feed_resize(struct cs_adapter *b, struct cs_known_job *k,
		   const struct cs_alloc *a, struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_RESIZE,
		.t_us = b->now_us,
		.resize = { .job_id = k->id, .alloc = a },
	};
	int rc = cs_feed_event(b, &ev, NULL, err);

	return rc == -ESTALE ? cs_feed_ghost(b, k, CS_EV_FINISH, err) : rc;
}

/* What was saved of its run. */
static void remember_run(const struct cs_adapter *b, struct cs_known_job *k,
			 const struct cs_view_job *j, const struct cs_kept *was,
			 struct cs_started *s)
{
	s->packed = was->packed;
	s->group = was->group;
	s->role = was->group ? (enum cs_role)was->role : CS_ROLE_NONE;
	s->slowdown = was->factor / 1e6;
	s->at_us = s->from_us;
	if (was->at_us >= j->from_us) { /* it had begun */
		if (was->from_us)
			s->from_us = was->from_us;
		s->done_us = was->done_us;
		s->ran_us = was->ran_us;
		/* else it would run until the following suspend */
		s->at_us =
			j->state == CS_VIEW_SUSPENDED ? b->now_us : was->at_us;
	}
	/* lowered meanwhile: the administrator's */
	if (was->floor_us > 0 && was->floor_us <= j->limit_us)
		s->floor_us = was->floor_us;
	k->array_id = was->array_id;
	/* another limit than ours is not raised (feed.c, rule 9) */
	if (!k->raised_from &&
	    (!was->limit_us || was->limit_us == j->limit_us)) {
		k->raised_from = was->raised_from;
		k->raised_flag = was->raised_flag;
	}
	k->shared = was->shared;
	k->stops = was->stops;
	k->moved_s = was->moved_s;
	k->moved_before = true;
	if (was->cpus)
		k->cpus_first = was->cpus;
}

/*
 * A raised limit whose reason the engine does not know: it sets the one that the job
 * needs.  A new run has it from an earlier one, and was slowed by nothing; one that the
 * engine could not hold for a while (rule 3 of feed.c) was, as the raise assumed.
 */
static void explain_raise(const struct cs_adapter *b,
			  const struct cs_known_job *k,
			  const struct cs_view_job *j, struct cs_started *s)
{
	s->slowdown = (double)j->limit_us / (k->raised_from * 60e6);
	s->at_us = j->state == CS_VIEW_SUSPENDED || k->inherits ? b->now_us
								: j->from_us;
	if (k->inherits && b->now_us > j->from_us)
		s->done_us = s->ran_us = b->now_us - j->from_us;
}

/* A job that the host started, or that ran before we did. */
static int found_running(struct cs_adapter *b, struct cs_known_job *k,
			 const struct cs_view_job *j, struct cs_err *err)
{
	const struct cs_kept *was = cs_checkpoint_run(b, j);
	struct cs_feed_store store;
	struct cs_job job;
	struct cs_started s = {
		.job_id = k->id,
		.option = k->option,
		.start_us = j->start_us,
		.from_us = j->from_us > j->start_us ? j->from_us : 0,
		.limit_us = j->limit_us,
		.alloc = b->view->alloc[j->alloc - 1],
	};
	struct cs_event ev = {
		.type = CS_EV_STARTED,
		.t_us = b->now_us,
		.start = &s,
	};
	int rc;

	if (cs_feed_job(b, k, &store, &job))
		return -ENOMEM;
	s.packed = packed(b, &job);
	if (was)
		remember_run(b, k, j, was, &s);
	else if (k->raised_from)
		explain_raise(b, k, j, &s);
	k->inherits = false;
	rc = cs_feed_event(b, &ev, NULL, err);
	if (rc == -ENOMEM)
		return rc;
	if (rc)
		cs_feed_ghost(b, k, CS_EV_CANCEL, err);
	else if (k->cpus != k->cpus_first) /* while we did not look */
		return cs_feed_resize(b, k, s.alloc, err);
	return 0;
}

static void runs(struct cs_known_job *k, const struct cs_view_job *j)
{
	k->state = CS_VIEW_RUNNING;
	k->restarts = j->restarts;
	k->start_us = j->start_us;
	k->from_us = j->from_us;
	k->limit_us = j->limit_us;
	k->n_node = j->n_node;
	k->cpus = k->cpus_first = j->cpus;
	k->mem_mb = j->mem_mb;
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

int cs_feed_running(struct cs_adapter *b, struct cs_known_job *k,
		    const struct cs_view_job *j, struct cs_err *err)
{
	if (k->ghost) {
		runs(k, j);
		b->told.ghosts = true;
		return 0;
	}
	if (!j->alloc) {
		/* Holds nothing on our machine, or no memory for it. */
		struct cs_event ev = {
			.type = CS_EV_CANCEL,
			.t_us = b->now_us,
			.job_id = k->id,
		};

		runs(k, j);
		cs_known_ghost(k, "it holds nothing of the machine");
		k->again = true;
		return cs_feed_event(b, &ev, NULL, err);
	}
	k->option = option_of(k, j);
	runs(k, j);
	b->dirty = true;
	return found_running(b, k, j, err);
}

/* Take one started task off the known record of its array. */
static void take_task(struct cs_adapter *b, uint32_t array_id)
{
	struct cs_known_job *k = cs_known_find(&b->known, array_id);

	if (!k || !cs_known_desc(k))
		return;
	if (cs_known_desc(k)->tasks > 1)
		cs_known_desc(k)->tasks--;
	else
		/* The engine has none left; if Slurm has any, that is a new submit. */
		cs_known_remove(&b->known, k);
}

static int known_task(struct cs_adapter *b, const struct cs_feed_start *s,
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
		k->user = cs_users_hold(from->user);
		k->bad_profile = from->bad_profile;
		k->bad_comment = from->bad_comment;
		k->estimate_us = from->estimate_us;
		cs_known_desc(k)->tasks = 1;
	}
	k->seen = b->count.snapshots;
	k->task = UINT32_MAX; /* until the next snapshot */
	take_task(b, s->array_id);
	*ret = k;
	return 0;
}

int cs_feed_started(struct cs_adapter *b, const struct cs_feed_start *s,
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
	k->restarts = s->restarts;
	k->start_us = k->from_us = s->start_us;
	k->limit_us = s->limit_us;
	k->n_node = s->n_node;
	k->cpus = k->cpus_first = s->cpus;
	k->mem_mb = s->mem_mb;
	k->array_id = s->array_id;
	k->inherits = false;
	b->dirty = true;
	return 0;
}

int cs_feed_refused(struct cs_adapter *b, const struct cs_action *a,
		    enum cs_refused class, const char *why,
		    const struct cs_forecast *f, struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_REFUSED,
		.t_us = b->now_us,
		.refused = { .seq = a->seq,
			     .class = class,
			     .why = why,
			     .forecast = f },
	};

	b->count.refusals++;
	return cs_feed_event(b, &ev, a, err);
}
