/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulator: time, ends of jobs, and execution of the engine's actions.
 *
 * Problem.  Run a trace under the engine exactly as slurmctld would let it run,
 * a million jobs a second.
 *
 * Symbols	C name			unit
 *   T		trace job->runtime_us	us; in any layout, or, as far as physics
 *					know of slowdowns, with one process a
 *					node and no neighbour
 *   d		cs_speed.done_us	us of T done at the instant at_us
 *   f		cs_speed.slowdown	us that a us of T takes
 *
 * Rules.
 *  1. An instant is the first of: the next submit, the first end, the engine's
 *     next wake-up.
 *  2. At an instant: the jobs that end, in order of id; then others that thereby end at
 *     once; then the submits, in order of id; then one pass: decide until nothing is
 *     left to do.
 *  3. A job ends at at_us + ceil((T - d) * f).  d and f are physics, not the engine's
 *     belief: they are by the profiles of a truth (truth.h), else of the profile file.
 *     Without either f is 1, whatever the layout and beside everybody, but for what
 *     crossing sites costs.  Only with physics=believed, or slowdowns=table4, are they
 *     as the engine believes (cs_engine_speeds()) where there is no truth; it predicts
 *     ends the same way, to the microsecond, so that a job whose estimate is its runtime
 *     ends as predicted.  Jobs on the same cores (mpl) slow each other in any case.
 *  4. Every start is confirmed as proposed, every suspend and resume done at
 *     once.  But as in slurmctld nobody starts or resumes for slice_guard_s after a
 *     suspend: the rest of the batch waits, and with it the engine, which hears
 *     of ends and submits only then.
 *  5. A job is submitted with the trace's own id, user "u" + field 12, account
 *     "g" + 13, name "e" + 14 where the trace has no names, the profile that the
 *     rules of the profile file give it, one process a core, on any node, with the GPUs
 *     and nodes of the trace (one process a node at least), unless `describe` says more.
 *     Its estimate is Zeng09's T too, or that of nodes filled to the last core
 *     (base_procs), of a packed trace and, on nodes of several cores, of a job that by
 *     rule 3 is as long in any layout.  Shares are unknown: all equal.
 *  6. If nothing runs, nothing arrives and the engine starts no job, though slices may
 *     begin and end, the remaining jobs can never run: an error.
 *  7. No decide that could do nothing: without waiting jobs under space sharing without
 *     slices; and no second one there, for a start only takes, so a job that did not
 *     fit or would have delayed the head still does (with `depth`, the first might not
 *     have seen all; a packed job slows its neighbours, and the head starts later).
 *     `thorough` disables this rule.
 *  8. With a truth of its own a job has a limit, as in a cluster: the time of its estimate at the
 *     speed that the engine believes in, which slurmctld would get, and not less than
 *     the estimate.  With d and f as believed and r the time that it has run, it may
 *     run until max(E, r + ceil((E - d) * f)); then it is ended.
 *  9. A job has failed if rule 8 ended it, or if field 11 of the trace says that it
 *     failed or was cancelled.  It takes its time all the same; nothing is learned of it.
 *
 * Source: the trace's rules are the project's own; 3: Zeng09 (see slowdown.h),
 * section 4.9.
 *
 * Invariants: t never decreases; a job starts at or after its submit and ends
 * at or after its start; d never exceeds T where T <= estimate.
 *
 * Cost: O(log running) an end besides the engine's; no allocation per event.
 */
#include "sim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/backfill/backfill.h"
#include "common/model/sites.h"
#include "common/place/place.h"
#include "common/slice/slice.h"
#include "common/state/stage.h"
#include "ends.h"
#include "gang_sim.h"
#include "jobids.h"
#include "simestimates.h"
#include "simlog.h"
#include "trace_fit.h"

#define IDLE_MAX 1000	   /* fruitless wake-ups in a row */
#define PROGRESS_EVERY 256 /* instants */

/* The actions of one decide, kept across the events that answer them. */
struct kept {
	size_t n, next;		  /* [next, n) are to be done */
	struct cs_action *action; /* [cap] */
	struct cs_alloc *alloc;	  /* [cap] */
	size_t cap;
	struct cs_alloc_node *node; /* [cap_node] */
	uint64_t *cores;	    /* [cap_node][words] */
	size_t cap_node;
};

struct sim {
	const struct cs_sim_options *o;
	const struct cs_trace *t;
	struct cs_err *err;
	struct cs_engine *engine;
	struct cs_estimator *estimates; /* start_estimates=no: NULL */
	/* Rule 3: whose profiles say how long a job takes, if any; what they leave open is
	 * as policies assume, or as recorded; without @obeyed (truth is NULL) all is as the
	 * engine believes, or as recorded. */
	const struct cs_profiles *obeyed;
	bool assumed, believed;
	struct cs_truth *truth;
	struct cs_profiles *no_profiles; /* owned: obeyed, if none are given */
	struct cs_job_partition option;	 /* every node */
	struct cs_jobids ids;
	struct cs_ends ends;
	struct cs_simlog log;
	struct kept kept;
	struct cs_sim_result r;

	size_t next;  /* next job to submit */
	size_t ended; /* jobs ended so far */
	int64_t now_us, wake_us;
	int64_t guard_us;    /* until then nobody starts or resumes */
	uint32_t last_group; /* highest number seen */
	uint32_t idle;	     /* fruitless wake-ups in a row */
	bool quiet;	     /* rule 7 applies to this policy */
	bool refused;	     /* the last decide left a job to us */
};

/* @ev happens. */
static int happens(struct sim *s, const struct cs_event *ev)
{
	return cs_estimator_tell(s->estimates, s->engine, ev, s->err);
}

static int tell(struct sim *s, struct cs_event ev, const struct cs_action *a)
{
	ev.t_us = s->now_us;
	cs_simlog_event(&s->log, &ev, a);
	if (s->o->heard)
		s->o->heard(s->o->heard_arg, &ev);
	return happens(s, &ev);
}

/* ---- submits ------------------------------------------------------------- */

/* @prefix and @v as text in @buf of 16 bytes. */
static const char *label(char *buf, char prefix, int32_t v)
{
	uint32_t rest = v < 0 ? 0 - (uint32_t)v : (uint32_t)v;
	char *at = buf + 15;

	*at = '\0';
	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (v < 0)
		*--at = '-';
	*--at = prefix;
	return at;
}

/* The trace's name of @v, else @prefix and @v in @buf. */
static const char *named(const struct sim *s, enum cs_trace_name kind,
			 char *buf, char prefix, int32_t v)
{
	const char *name = cs_trace_name(s->t->names, kind, v);

	return name ? name : label(buf, prefix, v);
}

static const char *profile_of(const struct cs_profiles *p,
			      const struct cs_job *j)
{
	int i = p ? cs_profiles_match(p, NULL, j->user, j->account, j->name,
				      NULL)
		  : CS_PROFILE_NONE;

	return i == CS_PROFILE_NONE ? NULL : p->profile[i].name;
}

/* By the profiles that physics obey, of a job of these names. */
static int obeyed_profile(const struct sim *s, const char *user,
			  const char *account, const char *name)
{
	return s->obeyed ? cs_profiles_match(s->obeyed, NULL, user, account,
					     name, NULL)
			 : CS_PROFILE_NONE;
}

/* What the runtime of a job with @procs processes is for: none in particular, or, of a
 * record, as many a node as fit. */
static uint32_t base_procs(const struct sim *s, uint32_t procs, int profile)
{
	uint32_t fill = cs_node_cores(cs_machine_first(s->o->machine));
	const struct cs_slowdown known = { .profiles = s->obeyed };
	bool recorded =
		s->t->packed ||
		(fill > 1 && !s->assumed &&
		 !cs_slowdown_has_self(&known,
				       (struct cs_who){ .profile = profile }));

	return !recorded ? 0 : fill < procs ? fill : procs;
}

/* Rule 5: what the trace says of GPUs and nodes (trace_fit.h). */
static void ask_gpus(const struct sim *s, const struct cs_trace_job *t,
		     struct cs_job *j)
{
	uint32_t nodes = 1;

	j->gpu_type = cs_trace_name(s->t->names, CS_NAME_GPU_TYPE, t->gpu_type);
	if (t->gpus && t->gpu_share) {
		j->gpus_node = t->gpus;
		j->gpu_share = t->gpu_share;
		j->max_nodes = 1;
		return;
	}
	j->gpus = t->gpus;
	if (t->gpus)
		nodes = cs_trace_fit_least(s->o->machine, t->gpus,
					   cs_gpu_id(j->gpu_type));
	nodes = t->nodes > nodes ? t->nodes : nodes;
	if (t->nodes)
		j->min_nodes = j->max_nodes = nodes;
	if (j->procs < nodes)
		j->procs = nodes;
}

/* Rule 5. */
static int submit(struct sim *s, const struct cs_trace_job *t)
{
	char user[16], account[16], name[16];
	struct cs_job j = {
		.id = t->id,
		.tasks = 1,
		.user = named(s, CS_NAME_USER, user, 'u', t->user),
		.account = named(s, CS_NAME_GROUP, account, 'g', t->group),
		.name = named(s, CS_NAME_EXE, name, 'e', t->exe),
		.procs = t->procs,
		.cpus_per_proc = 1,
		.min_nodes = 1,
		.submit_us = t->submit_us,
		.eligible_us = t->submit_us,
		.estimate_us = t->estimate_us,
	};
	struct cs_event ev = { .type = CS_EV_SUBMIT,
			       .t_us = s->now_us,
			       .job = &j };

	if (s->o->campaigns && t->exe >= 0)
		j.campaign = j.name;
	j.base_procs = base_procs(s, t->procs,
				  obeyed_profile(s, j.user, j.account, j.name));
	j.profile = profile_of(s->o->profiles, &j);
	if (t->gpus || t->nodes)
		ask_gpus(s, t, &j);
	if (s->o->describe) {
		int rc = s->o->describe(s->o->describe_arg, s->engine,
					(size_t)(t - s->t->job), &j);

		if (rc)
			return rc;
	}
	cs_simlog_event(&s->log, &ev, NULL); /* all nodes: no options there */
	if (!j.n_option) {
		j.option = &s->option;
		j.n_option = 1;
	}
	return happens(s, &ev);
}

/* ---- ends ---------------------------------------------------------------- */

/* Rule 3, with @runtime_us as T. */
static int64_t end_of(const struct sim *s, int64_t runtime_us,
		      const struct cs_speed *v)
{
	int64_t rest = runtime_us > v->done_us ? runtime_us - v->done_us : 0;
	double more = v->slowdown == 1 ? (double)rest
				       : ceil((double)rest * v->slowdown);
	int64_t end = more < 9e18 - (double)v->at_us ? v->at_us + (int64_t)more
						     : CS_TIME_NONE;

	return end > s->now_us ? end : s->now_us;
}

/* Rule 3, by the record: @job, which runs again from now on, is done then. */
static int64_t recorded_end(const struct sim *s, uint32_t job)
{
	const struct cs_params *p = s->o->params;
	double f = cs_sites_crossing((enum cs_across_grows)p->across_grows,
				     p->across, s->r.job[job].fragments);
	/* while it runs, ran_us is negative: minus the start */
	int64_t ran_us = s->r.job[job].ran_us;

	return cs_stretch_us(s->t->job[job].runtime_us, f) - ran_us;
}

/* When running job @job is done by the truth. */
static int64_t true_end(const struct sim *s, uint32_t job)
{
	struct cs_speed v = cs_truth_speed(s->truth, job);

	return end_of(s, s->t->job[job].runtime_us, &v);
}

/* Rule 8: when it must be. */
static int64_t limit_end(const struct sim *s, uint32_t job)
{
	struct cs_speed v = cs_truth_belief(s->truth, job);
	int64_t estimate_us = s->t->job[job].estimate_us;
	/* while it runs, ran_us is negative: minus the start */
	int64_t least = estimate_us - s->r.job[job].ran_us;
	int64_t end = end_of(s, estimate_us, &v);

	return end > least ? end : least;
}

/* It ends as reschedule_truth() predicted. */
static void finish_truth(struct sim *s, uint32_t job, int64_t end_us,
			 int64_t max_us)
{
	struct cs_truth_job x;

	cs_truth_finish(s->truth, job, s->now_us, &x);
	if (!s->r.truth)
		return;
	x.limited = s->r.truth[job].limited;
	x.late = max_us > 0 && end_us - s->t->job[job].submit_us > max_us;
	s->r.truth[job] = x;
}

/* Rule 9. */
static bool failed(const struct sim *s, uint32_t job)
{
	return s->t->job[job].failed || (s->r.truth && s->r.truth[job].limited);
}

/* It ended at @end_us, and the engine hears of it now. */
static int finish(struct sim *s, uint32_t job, int64_t end_us)
{
	struct cs_sim_job *r = &s->r.job[job];
	uint32_t id = s->t->job[job].id;
	int64_t max_us = 0;

	cs_engine_promised(s->engine, id, &r->est_us, &max_us);
	if (s->truth)
		finish_truth(s, job, end_us, max_us);
	r->end_us = end_us;
	r->ran_us += end_us;
	cs_ends_remove(&s->ends, job);
	s->ended++;
	return tell(s,
		    (struct cs_event){ .type = CS_EV_FINISH,
				       .job_id = id,
				       .failed = failed(s, job) },
		    NULL);
}

/* Note the engine's new speed @v of job @job. */
static void believe(struct sim *s, uint32_t job, const struct cs_speed *v)
{
	struct cs_running x;

	if (!cs_engine_running(s->engine, v->job_id, &x))
		cs_truth_believe(s->truth, job, v, x.beside, s->now_us);
}

static void reschedule_truth(struct sim *s)
{
	const uint32_t *job;
	size_t n = cs_truth_moved(s->truth, &job);

	for (size_t i = 0; i < n; i++) {
		int64_t end = true_end(s, job[i]);
		int64_t limit = s->r.truth ? limit_end(s, job[i]) : end;

		if (s->r.truth)
			s->r.truth[job[i]].limited = limit < end;
		if (cs_truth_speed(s->truth, job[i]).slowdown > 0)
			cs_ends_set(&s->ends, job[i], s->t->job[job[i]].id,
				    end < limit ? end : limit);
		else
			cs_ends_remove(&s->ends, job[i]);
	}
}

static void reschedule(struct sim *s)
{
	const struct cs_speed *v;
	size_t n = cs_engine_speeds(s->engine, &v);

	for (size_t i = 0; i < n; i++) {
		uint32_t job = cs_jobids_find(&s->ids, v[i].job_id);
		const struct cs_trace_job *t = &s->t->job[job];

		if (s->r.truth)
			believe(s, job, &v[i]);
		else if (!s->believed)
			continue;
		else if (v[i].slowdown > 0)
			cs_ends_set(&s->ends, job, t->id,
				    end_of(s, t->runtime_us, &v[i]));
		else
			cs_ends_remove(&s->ends, job);
	}
	if (s->truth)
		reschedule_truth(s);
}

/* ---- actions ------------------------------------------------------------- */

/* @old with room for @n of @size; out of memory, @old itself and *ret_nomem. */
static void *grown(void *old, size_t n, size_t size, bool *ret_nomem)
{
	void *p = realloc(old, n * size);

	if (p)
		return p;
	*ret_nomem = true;
	return old;
}

static int kept_reserve(struct kept *k, size_t n, size_t nodes, size_t words)
{
	bool nomem = false;

	if (n > k->cap) {
		k->action = grown(k->action, 2 * n, sizeof(*k->action), &nomem);
		k->alloc = grown(k->alloc, 2 * n, sizeof(*k->alloc), &nomem);
		k->cap = nomem ? k->cap : 2 * n;
	}
	if (nodes > k->cap_node) {
		k->node = grown(k->node, 2 * nodes, sizeof(*k->node), &nomem);
		k->cores = grown(k->cores, 2 * nodes * words, sizeof(*k->cores),
				 &nomem);
		k->cap_node = nomem ? k->cap_node : 2 * nodes;
	}
	return nomem ? -ENOMEM : 0;
}

static int keep(struct kept *k, const struct cs_actions *a, uint32_t words)
{
	size_t nodes = 0, at = 0;

	for (size_t i = 0; i < a->n; i++)
		nodes += a->action[i].alloc ? a->action[i].alloc->n_node : 0;
	if (kept_reserve(k, a->n, nodes, words))
		return -ENOMEM;
	for (size_t i = 0; i < a->n; i++) {
		const struct cs_alloc *from = a->action[i].alloc;

		k->action[i] = a->action[i];
		if (!from)
			continue;
		k->alloc[i] =
			(struct cs_alloc){ from->n_node, words,
					   k->node + at, k->cores + at * words,
					   from->owner,	 from->gpu_share };
		memcpy(k->node + at, from->node,
		       from->n_node * sizeof(*k->node));
		memcpy(k->cores + at * words, from->cores,
		       (size_t)from->n_node * words * sizeof(*k->cores));
		k->action[i].alloc = &k->alloc[i];
		at += from->n_node;
	}
	k->n = a->n;
	k->next = 0;
	return 0;
}

/* Job @job is in @group. */
static void join(struct sim *s, uint32_t job, uint32_t group)
{
	struct cs_sim_job *r = &s->r.job[job];

	if (!group || r->group == group)
		return;
	s->r.grouped.jobs += !r->group;
	s->r.grouped.members++;
	r->group = group;
	if (group > s->last_group) {
		s->last_group = group;
		s->r.grouped.groups++;
	}
}

/* Tell the truth of the job that @a started, already confirmed to the engine. */
static int start_truth(struct sim *s, const struct cs_action *a, uint32_t job)
{
	const struct cs_trace_job *t = &s->t->job[job];
	char user[16], account[16], name[16];
	const char *u = named(s, CS_NAME_USER, user, 'u', t->user);
	const char *g = named(s, CS_NAME_GROUP, account, 'g', t->group);
	const char *e = named(s, CS_NAME_EXE, name, 'e', t->exe);
	struct cs_running x;
	int rc = cs_engine_running(s->engine, a->job_id, &x);
	int profile = s->o->truth ? obeyed_profile(s, u, g, e) : x.profile;
	uint32_t base = base_procs(s, t->procs, profile);
	struct cs_truth_start st = {
		.job = job,
		.id = a->job_id,
		.profile = profile,
		.crossing = cs_sites_crossing(
			(enum cs_across_grows)s->o->params->across_grows,
			cs_profiles_across(s->obeyed, profile,
					   s->o->params->across),
			s->r.job[job].fragments),
		.packed = !rc && x.packed,
		.computes = 1 - cs_profiles_waits(s->obeyed, profile, x.waits),
		.base = base ? base : 1,
		.alloc = a->alloc,
	};

	return rc ? rc : cs_truth_start(s->truth, &st, s->now_us);
}

static int start(struct sim *s, const struct cs_action *a)
{
	uint32_t job = cs_jobids_find(&s->ids, a->job_id);
	const struct cs_trace_job *t = &s->t->job[job];
	struct cs_sim_job *r = &s->r.job[job];
	struct cs_started st = {
		.seq = a->seq,
		.job_id = a->job_id,
		.option = a->option,
		.start_us = s->now_us,
		.limit_us = a->limit_us ? a->limit_us : t->estimate_us,
		.alloc = a->alloc,
	};
	int rc;

	r->start_us = s->now_us;
	r->ran_us = -s->now_us;
	r->nodes = a->alloc->n_node;
	r->ppn = a->procs_per_node;
	r->fragments = cs_sites_touched(s->o->machine->sites, a->alloc);
	join(s, job, a->group);
	rc = tell(s, (struct cs_event){ .type = CS_EV_STARTED, .start = &st },
		  a);
	if (!rc && s->truth)
		return start_truth(s, a, job);
	if (!rc && !s->believed)
		cs_ends_set(&s->ends, job, t->id, recorded_end(s, job));
	return rc;
}

/* A job that has stopped, or resumed, as physics have it. */
static int shift_physics(struct sim *s, uint32_t job, bool stops)
{
	if (s->truth && !stops)
		return cs_truth_resume(s->truth, job, s->now_us);
	if (s->truth)
		cs_truth_stop(s->truth, job, s->now_us);
	else if (!s->believed && stops)
		cs_ends_remove(&s->ends, job);
	else if (!s->believed)
		cs_ends_set(&s->ends, job, s->t->job[job].id,
			    recorded_end(s, job));
	return 0;
}

/* A job stops or resumes. */
static int shift(struct sim *s, const struct cs_action *a)
{
	bool stops = a->type == CS_ACT_SUSPEND;
	uint32_t job = cs_jobids_find(&s->ids, a->job_id);
	struct cs_sim_job *r = &s->r.job[job];

	r->ran_us += stops ? s->now_us : -s->now_us;
	if (stops)
		s->guard_us = s->now_us +
			      s->o->params->slice_guard_s * INT64_C(1000000);
	if (shift_physics(s, job, stops))
		return -ENOMEM;
	return tell(
		s,
		(struct cs_event){ .type = stops ? CS_EV_SUSPEND : CS_EV_RESUME,
				   .job_id = a->job_id },
		a);
}

/* The only test here is the model's, which has failed. */
static int refuse(struct sim *s, const struct cs_action *a)
{
	const struct cs_event ev = {
		.type = CS_EV_REFUSED,
		.refused = { .seq = a->seq,
			     .class = CS_REFUSED_CHANGED,
			     .why = "the simulator has no other test" },
	};

	s->refused = true;
	return tell(s, ev, a);
}

static int apply(struct sim *s, const struct cs_action *a)
{
	switch (a->type) {
	case CS_ACT_START:
		return start(s, a);
	case CS_ACT_SUSPEND:
	case CS_ACT_RESUME:
		return shift(s, a);
	case CS_ACT_JOINED:
		join(s, cs_jobids_find(&s->ids, a->job_id), a->group);
		/* fall through */
	case CS_ACT_LIMIT:
	case CS_ACT_DISBAND:
	case CS_ACT_SLICE:
		cs_simlog_action(&s->log, s->now_us, a);
		return 0;
	case CS_ACT_HOST_START:
		return refuse(s, a);
	}
	return cs_err_set(s->err, -EINVAL, "job %u: an action of type %d",
			  a->job_id, (int)a->type);
}

/* ---- an instant ---------------------------------------------------------- */

/* Rule 6: a beginning slice alone is no progress. */
static bool progress(const struct kept *k, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (k->action[i].type != CS_ACT_SLICE &&
		    k->action[i].type != CS_ACT_HOST_START)
			return true;
	return false;
}

/* Rule 4: is there an action that waits? */
static bool guarded(const struct sim *s)
{
	const struct kept *k = &s->kept;
	enum cs_action_type type;

	if (k->next == k->n || s->now_us >= s->guard_us)
		return false;
	type = k->action[k->next].type;
	return type == CS_ACT_START || type == CS_ACT_HOST_START ||
	       type == CS_ACT_RESUME;
}

static int apply_kept(struct sim *s)
{
	struct kept *k = &s->kept;
	int rc = 0;

	while (!rc && k->next < k->n && !guarded(s)) {
		const struct cs_action *a = &k->action[k->next++];

		rc = apply(s, a);
		if (s->o->acted && a->type != CS_ACT_HOST_START)
			s->o->acted(s->o->heard_arg, a);
	}
	return rc;
}

static int decide(struct sim *s, size_t *ret_n)
{
	struct cs_actions a;
	int rc = cs_engine_decide(s->engine, s->now_us, &a);
	size_t n = rc ? 0 : a.n;

	s->r.decides++;
	s->refused = false;
	if (n)
		rc = keep(&s->kept, &a, s->o->machine->words);
	if (!rc && (n || a.changed))
		cs_simlog_decide(&s->log, s->now_us, n);
	if (!rc && n)
		rc = apply_kept(s);
	s->idle = !rc && progress(&s->kept, n) ? 0 : s->idle;
	*ret_n = n;
	return rc;
}

static int pass(struct sim *s)
{
	bool quiet = s->quiet && !s->o->thorough;
	size_t n = 1;
	int rc = 0;

	while (!rc && n && !guarded(s)) {
		if (quiet && !cs_engine_use(s->engine).waiting)
			break;
		rc = decide(s, &n);
		if (quiet && !s->refused)
			break;
	}
	return rc;
}

static int finish_all(struct sim *s)
{
	const struct cs_end *x = cs_ends_first(&s->ends);
	int rc = 0;

	while (!rc && x && x->end_us <= s->now_us) {
		while (!rc && x && x->end_us <= s->now_us) {
			s->idle = 0;
			rc = finish(s, x->job, x->end_us);
			x = cs_ends_first(&s->ends);
		}
		reschedule(s);
		x = cs_ends_first(&s->ends);
	}
	return rc;
}

static int submit_all(struct sim *s)
{
	int rc = 0;

	while (!rc && s->next < s->t->n &&
	       s->t->job[s->next].submit_us <= s->now_us) {
		s->idle = 0;
		rc = submit(s, &s->t->job[s->next++]);
	}
	return rc;
}

static int instant(struct sim *s)
{
	int rc;

	s->r.instants++;
	s->idle++;
	rc = apply_kept(s);
	if (!rc && !guarded(s))
		rc = finish_all(s) ?: submit_all(s) ?: pass(s);
	if (!rc && s->estimates && !guarded(s))
		rc = cs_simestimates_make(s->estimates, s->engine, &s->ids,
					  &s->log, s->now_us, s->r.estimate,
					  s->err);
	if (rc)
		return rc;
	reschedule(s);
	cs_load_note(&s->r.load, s->now_us, cs_engine_use(s->engine));
	if (s->o->machine->gpus_most)
		cs_gpu_load_note(&s->r.gpus, s->now_us,
				 cs_engine_gpus(s->engine));
	s->wake_us = cs_engine_next_wakeup_us(s->engine);
	if (s->o->progress && s->r.instants % PROGRESS_EVERY == 0)
		s->o->progress(s->o->arg, s->ended, s->t->n);
	return s->log.rc;
}

/* Rule 6: report the remaining jobs. */
static int stuck(struct sim *s)
{
	size_t left = s->t->n - s->ended;
	char why[128] = "";
	uint32_t id = 0;

	cs_engine_list(s->engine, false, &id, 1);
	if (!id) {
		cs_engine_list(s->engine, true, &id, 1);
		return cs_err_set(s->err, -EINVAL,
				  "%zu of %zu jobs stand still for ever, the "
				  "first is job %u",
				  left, s->t->n, id);
	}
	cs_explain_reason(s->engine, id, NULL, why, sizeof(why));
	why[strcspn(why, "\n")] = '\0';
	return cs_err_set(
		s->err, -EINVAL,
		"%zu of %zu jobs wait for ever, the first is job "
		"%u%s%s%s%s",
		left, s->t->n, id,
		cs_explain_never(s->engine, id) ? ", which can never run" : "",
		*why ? " (" : "", why, *why ? ")" : "");
}

/* Rule 1.  CS_TIME_NONE: nothing left. */
static int64_t next_us(const struct sim *s)
{
	const struct cs_end *x = cs_ends_first(&s->ends);
	int64_t t = x ? x->end_us : CS_TIME_NONE;

	if (guarded(s))
		return s->guard_us;
	if (s->next < s->t->n && s->t->job[s->next].submit_us < t)
		t = s->t->job[s->next].submit_us;
	if (s->wake_us > s->now_us && s->wake_us < t && s->idle < IDLE_MAX)
		t = s->wake_us;
	return t;
}

/* Until @until_us there are so many slots as now. */
static void note_slots(struct sim *s, int64_t until_us)
{
	struct cs_sim_slots *to = &s->r.slots;
	struct cs_slice_now now;

	if (!to->slot_us || cs_engine_slice(s->engine, &now))
		return;
	to->sum_us += (double)now.slots * (double)(until_us - s->now_us);
	to->most = now.slots > to->most ? now.slots : to->most;
}

static int loop(struct sim *s)
{
	int rc = 0;

	while (!rc && s->ended < s->t->n) {
		int64_t t = next_us(s);

		if (t == CS_TIME_NONE)
			return stuck(s);
		note_slots(s, t);
		s->now_us = t;
		rc = instant(s);
	}
	return rc;
}

/* ---- life ---------------------------------------------------------------- */

static int check_trace(const struct cs_trace *t, struct cs_err *err)
{
	if (t->n >= UINT32_MAX)
		return cs_err_set(err, -EINVAL, "%zu jobs are too many", t->n);
	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *a = &t->job[i ? i - 1 : 0];
		const struct cs_trace_job *b = &t->job[i];

		if (b->submit_us < a->submit_us || b->submit_us < 0 ||
		    b->runtime_us <= 0 || b->estimate_us <= 0 || !b->procs ||
		    (i && b->submit_us == a->submit_us && b->id <= a->id))
			return cs_err_set(err, -EINVAL,
					  "job %u: out of order or range",
					  b->id);
	}
	return 0;
}

/* The number of the set of all nodes. */
static int all_nodes(struct sim *s)
{
	const struct cs_machine *m = s->o->machine;
	uint64_t *set = calloc(cs_node_words(m), sizeof(*set));
	int64_t rc;

	if (!set)
		return -ENOMEM;
	for (uint32_t n = 0; n < m->n_node; n++)
		cs_bit_set(set, n);
	rc = cs_engine_nodeset(s->engine, set);
	free(set);
	if (rc < 0)
		return (int)rc;
	s->option = (struct cs_job_partition){ .nodeset = (uint32_t)rc,
					       .limit_max_us = CS_TIME_NONE };
	return 0;
}

/* Rule 3. */
static int set_up_physics(struct sim *s)
{
	const struct cs_params *p = s->o->params;
	const struct cs_profiles *obeyed =
		s->o->truth ? s->o->truth : s->o->profiles;
	struct cs_slowdown model = { .profiles = obeyed,
				     .unknown_pair = p->unknown_pair };

	s->assumed = p->physics == CS_PHYSICS_BELIEVED ||
		     p->slowdowns == CS_SLOWDOWNS_TABLE4;
	s->believed = s->assumed && !s->o->truth;
	if (!obeyed && p->mpl > 1 && !s->assumed) {
		obeyed = s->no_profiles = cs_profiles_create();
		if (!obeyed)
			return -ENOMEM;
	}
	if (s->believed || !obeyed)
		return 0;
	model.record = !s->assumed;
	s->obeyed = obeyed;
	s->truth = cs_truth_create(s->o->machine, &model, s->o->truth_noise,
				   (uint64_t)p->seed, s->t->n);
	if (s->truth && p->mpl > 1)
		cs_truth_share_cores(s->truth, p->mpl_loss);
	if (s->o->truth)
		s->r.truth = calloc(s->t->n + 1, sizeof(*s->r.truth));
	return s->truth && (s->r.truth || !s->o->truth) ? 0 : -ENOMEM;
}

static int set_up(struct sim *s)
{
	const struct cs_params *p = s->o->params;

	s->quiet = !cs_slice_choose(p)->stops && !p->depth &&
		   cs_place_choose(p)->spreads && !cs_backfill_choose(p)->all;
	if (cs_slice_choose(p)->slot)
		s->r.slots.slot_us = p->slot_s * INT64_C(1000000);
	s->log.file = s->o->events;
	s->r.n = s->t->n;
	s->r.job = calloc(s->t->n + 1, sizeof(*s->r.job));
	s->r.load.n_high = (uint32_t)p->n_high;
	s->wake_us = CS_TIME_NONE;
	if (!s->r.job || cs_ends_init(&s->ends, s->t->n) || set_up_physics(s))
		return -ENOMEM;
	s->engine = cs_engine_create(p, s->o->machine, s->o->profiles, s->err);
	if (!s->engine)
		return -EINVAL;
	if (p->start_estimates == CS_YES) {
		s->estimates = cs_estimator_create((uint64_t)p->seed);
		s->r.estimate = calloc(s->t->n + 1, sizeof(*s->r.estimate));
		if (!s->estimates || !s->r.estimate)
			return -ENOMEM;
	}
	s->log.engine = s->engine;
	cs_simlog_header(&s->log, s->o->machine, p, s->o->profiles,
			 s->o->version);
	return all_nodes(s);
}

static void tear_down(struct sim *s)
{
	struct cs_engine_stats st;

	if (s->engine) {
		cs_engine_stats(s->engine, &st);
		s->r.searches = st.searches;
		s->r.pledges = st.pledges;
		s->r.learned = st.learned;
	}
	cs_estimator_free(s->estimates);
	cs_engine_free(s->engine);
	cs_truth_free(s->truth);
	cs_profiles_free(s->no_profiles);
	cs_ends_done(&s->ends);
	cs_jobids_done(&s->ids);
	free(s->kept.action);
	free(s->kept.alloc);
	free(s->kept.node);
	free(s->kept.cores);
}

void cs_sim_clock(struct cs_params *p, const struct cs_trace *t)
{
	if (!p->unix_start_s)
		p->unix_start_s = t->unix_start_s;
}

int cs_sim_run(const struct cs_sim_options *o, const struct cs_trace *t,
	       struct cs_sim_result *ret, struct cs_err *err)
{
	struct cs_err none = { "" };
	struct sim s = { .o = o,
			 .t = t,
			 .err = err ? err : &none,
			 .r.campaigns = o->campaigns };
	int rc;

	s.err->text[0] = '\0';
	rc = check_trace(t, s.err) ?: cs_jobids_init(&s.ids, t, s.err);
	if (!rc && cs_slice_choose(o->params)->slot &&
	    o->params->gang_rounds == CS_YES)
		rc = cs_gang_sim(o, t, &s.r, s.err);
	else
		rc = rc ?: set_up(&s) ?: loop(&s);
	if (cs_simlog_done(&s.log))
		rc = s.log.rc;
	if (rc && rc == s.log.rc)
		cs_err_set(s.err, rc, "event log: %s", strerror(-rc));
	else if (rc && !*s.err->text)
		cs_err_set(s.err, rc, "%s",
			   rc == -ENOMEM ? "out of memory" : strerror(-rc));
	tear_down(&s);
	if (rc)
		cs_sim_result_done(&s.r);
	else
		*ret = s.r;
	return rc;
}

void cs_sim_result_done(struct cs_sim_result *r)
{
	free(r->job);
	free(r->estimate);
	free(r->truth);
	memset(r, 0, sizeof(*r));
}
