/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedules: what happened, and two simulations of the same jobs.
 *
 * The simulator gets a job as the log describes it: size, layout, memory, partitions
 * with their nodes and priorities, profile, and the layout that its limit refers to
 * (base_procs), so that its runtime is that in the layout which Slurm gave it.
 * Requests that the simulator does not know are removed: placement by Slurm,
 * reservations, licences, arrays and holds.  If a job could never run that way, all
 * jobs are reduced to their number of processes (plain).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress_bar.h"
#include "common/log/read_event.h"
#include "common/model/action.h"
#include "common/params/host_number.h"
#include "replay/replay_params.h"
#include "shadow/shadow.h"
#include "sim/jobids.h"
#include "sim/watch.h"

#define NOT_HERE                                                           \
	(CS_JOB_HOST | CS_JOB_BLOCKED | CS_JOB_REQUEUED | CS_JOB_BORROWS | \
	 CS_JOB_SHARES_CORES)

struct work {
	struct cs_shadow *s;
	struct cs_logread *parser;
	struct cs_jobids ids;
	struct cs_watch watch;
	struct cs_bar bar;
	int plan; /* being simulated */
	/* The last description, to which a cs_job points. */
	struct cs_log_line line;
	struct cs_replay_event event;
	bool described;
	struct cs_err why; /* why there is no description */
};

/* ---- jobs ------------------------------------------------------------------- */

static void undescribe(struct work *w)
{
	if (!w->described)
		return;
	cs_replay_event_done(&w->event);
	cs_log_line_done(&w->line);
	w->described = false;
}

static const char *profile_of(const struct cs_shadow *s, const struct cs_job *j)
{
	const struct cs_profiles *p = s->profiles;
	int i = p && j->profile ? cs_profiles_find(p, j->profile) : -1;

	if (p && i < 0)
		i = cs_profiles_match(p, NULL, j->user, j->account, j->name,
				      NULL);
	return i < 0 ? NULL : p->profile[i].name;
}

static void take_options(struct work *w)
{
	struct cs_replay_event *e = &w->event;

	for (uint32_t i = 0; i < e->job.n_option; i++) {
		e->option[i].reservation = 0;
		e->option[i].flags &= ~(uint32_t)NOT_HERE;
	}
}

/* Parse the line of job @job of the trace into w->line, and its job, unless jobs are
 * plain, into w->event. */
static int look_up(struct work *w, struct cs_engine *e, size_t job)
{
	const struct cs_shadow *s = w->s;
	const struct cs_shadow_run *r = &s->run[s->im.trace.job[job].line];
	struct cs_replay_on on = { s->machine, e };
	struct cs_err why = { "" };
	int rc;

	undescribe(w);
	rc = cs_logread_line(w->parser, r->job, strlen(r->job), &w->line, &why);
	if (!rc) {
		w->described = true;
		memset(&w->event, 0, sizeof(w->event));
		rc = s->plain ? 0
			      : cs_replay_event_read(&on, &w->line, &w->event,
						     &why);
	}
	if (rc)
		cs_err_set(&w->why, rc, "job %" PRIu32 ": %s", r->id, why.text);
	return rc;
}

/* A cs_sim_options.describe. */
static int describe(void *arg, struct cs_engine *e, size_t job,
		    struct cs_job *j)
{
	struct work *w = arg;
	struct cs_job was = *j;
	int rc = look_up(w, e, job);

	if (rc)
		return rc;
	j->profile = profile_of(w->s, &w->line.submitted);
	if (w->s->plain)
		return 0;
	take_options(w);
	*j = w->event.job;
	j->profile = profile_of(w->s, j);
	j->id = was.id;
	j->tasks = 1;
	j->array_id = j->reservation = j->warn_s = j->wishes = 0;
	j->flags &= ~(uint32_t)NOT_HERE;
	j->submit_us = was.submit_us;
	j->eligible_us = was.eligible_us;
	j->estimate_us = was.estimate_us;
	j->after_us = 0;
	return 0;
}

/* ---- what is watched ---------------------------------------------------------- */

static void heard(void *arg, const struct cs_event *ev)
{
	cs_watch_hear(&((struct work *)arg)->watch, ev);
}

/* A cs_sim_options.acted. */
static void acted(void *arg, const struct cs_action *a)
{
	struct work *w = arg;
	uint32_t job = cs_jobids_find(&w->ids, a->job_id);
	struct cs_shadow_fate *f;
	int64_t more;

	if (job == UINT32_MAX)
		return;
	f = &w->s->fate[w->plan][job];
	f->stops += a->type == CS_ACT_SUSPEND;
	if (a->type == CS_ACT_START || a->type == CS_ACT_JOINED)
		f->shared |= a->group != 0;
	if (a->type != CS_ACT_START && a->type != CS_ACT_LIMIT)
		return;
	more = a->limit_us - w->s->im.trace.job[job].estimate_us;
	if (a->limit_us && a->limit_us != CS_TIME_NONE && more > f->raised_us)
		f->raised_us = more;
}

static void progress(void *arg, size_t done, size_t all)
{
	struct work *w = arg;

	cs_bar_draw(&w->bar, done + (size_t)(w->plan - CS_SHADOW_SITE) * all,
		    2 * all);
}

static int keep_view(struct work *w)
{
	struct cs_compare_view *v = &w->s->view[w->plan];
	int rc = w->watch.rc;

	free(v->core_us);
	free(v->span);
	*v = (struct cs_compare_view){ w->watch.core_us, w->watch.n_step,
				       w->watch.span, w->watch.n_span };
	w->watch.core_us = NULL;
	w->watch.span = NULL;
	return rc;
}

static int figures(struct work *w, const struct cs_sim_result *r)
{
	struct cs_shadow *s = w->s;
	const struct cs_trace *t = &s->im.trace;
	struct cs_compare_run *run = &s->figures[w->plan];

	*run = (struct cs_compare_run){ .wall_s = 0 };
	for (size_t i = 0; i < t->n; i++) {
		s->fate[w->plan][i].start_us = r->job[i].start_us;
		s->fate[w->plan][i].end_us = r->job[i].end_us;
		s->fate[w->plan][i].still_us = r->job[i].end_us -
					       r->job[i].start_us -
					       r->job[i].ran_us;
	}
	cs_compare_count(run, NULL, NULL, t, r);
	return cs_metrics(&run->figures, t, r, s->machine,
			  &s->policy[w->plan].params);
}

/* ---- what happened ------------------------------------------------------------ */

struct instant {
	int64_t us;
	uint32_t job;
	bool start;
};

/* Ends precede starts. */
static int by_time(const void *x, const void *y)
{
	const struct instant *a = x, *b = y;

	if (a->us != b->us)
		return a->us < b->us ? -1 : 1;
	if (a->start != b->start)
		return a->start ? 1 : -1;
	return a->job < b->job ? -1 : a->job > b->job;
}

/* Job @job began at @us, where its line says; a line that does not fit the machine of
 * the last header is not shown. */
static void show_start(struct work *w, uint32_t job, int64_t us)
{
	const struct cs_shadow *s = w->s;
	const struct cs_trace_job *t = &s->im.trace.job[job];
	const char *text = s->run[t->line].start;
	struct cs_started st = { .job_id = t->id };
	struct cs_alloc *a = NULL;
	struct cs_log_line l;
	struct cs_err why;

	if (!text || cs_logread_line(w->parser, text, strlen(text), &l, &why))
		return;
	if (!cs_log_read_alloc(s->machine, l.json, &cs_log_alloc_keys, &a,
			       &why) &&
	    a) {
		st.alloc = a;
		cs_watch_hear(&w->watch,
			      &(struct cs_event){ .type = CS_EV_STARTED,
						  .t_us = us,
						  .start = &st });
	}
	cs_alloc_free(a);
	cs_log_line_done(&l);
}

static int show(struct work *w, const struct cs_sim_result *r)
{
	const struct cs_trace *t = &w->s->im.trace;
	struct instant *at = calloc(2 * t->n + 1, sizeof(*at));
	int rc;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		at[2 * i] = (struct instant){ r->job[i].start_us, (uint32_t)i,
					      true };
		at[2 * i + 1] = (struct instant){ r->job[i].end_us, (uint32_t)i,
						  false };
	}
	qsort(at, 2 * t->n, sizeof(*at), by_time);
	rc = cs_watch_init(&w->watch, t, &w->s->watch);
	for (size_t i = 0; !rc && i < 2 * t->n; i++) {
		struct cs_event end = { .type = CS_EV_FINISH,
					.t_us = at[i].us,
					.job_id = t->job[at[i].job].id };

		if (at[i].start)
			show_start(w, at[i].job, at[i].us);
		else
			cs_watch_hear(&w->watch, &end);
	}
	if (!rc)
		rc = keep_view(w);
	cs_watch_done(&w->watch);
	free(at);
	return rc;
}

static int happened(struct work *w)
{
	const struct cs_shadow *s = w->s;
	const struct cs_trace *t = &s->im.trace;
	struct cs_sim_result r = { .n = t->n };
	int rc;

	w->plan = CS_SHADOW_REAL;
	r.job = calloc(t->n + 1, sizeof(*r.job));
	if (!r.job)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *j = &t->job[i];

		r.job[i].start_us = j->submit_us + j->wait_us;
		r.job[i].end_us =
			s->run[j->line].end_us - t->unix_start_s * 1000000;
		r.job[i].ran_us = j->runtime_us;
		r.job[i].nodes = r.job[i].ppn = 1;
	}
	rc = figures(w, &r);
	if (!rc)
		rc = show(w, &r);
	cs_sim_result_done(&r);
	return rc;
}

/* ---- what would have happened ----------------------------------------------- */

static int simulate(struct work *w, int plan, struct cs_err *err)
{
	struct cs_shadow *s = w->s;
	struct cs_sim_options o = { .machine = s->machine,
				    .params = &s->policy[plan].params,
				    .profiles = s->profiles,
				    .version = COSCHED_VERSION,
				    .progress = progress,
				    .arg = w,
				    .heard = heard,
				    .heard_arg = w,
				    .acted = acted,
				    .describe = describe,
				    .describe_arg = w };
	struct cs_sim_result r;
	int rc = cs_watch_init(&w->watch, &s->im.trace, &s->watch);

	w->plan = plan;
	memset(s->fate[plan], 0, s->im.trace.n * sizeof(*s->fate[plan]));
	cs_sim_clock(&s->policy[plan].params, &s->im.trace);
	if (!rc)
		rc = cs_sim_run(&o, &s->im.trace, &r, err);
	undescribe(w);
	if (!rc) {
		rc = figures(w, &r) ?: keep_view(w);
		cs_sim_result_done(&r);
	}
	cs_watch_done(&w->watch);
	return rc;
}

/* ---- policies --------------------------------------------------------------------- */

/* The settings of plan @p over those of the header; @settings NULL: the header's, and the
 * slice that shadow leaves out. */
static int policy(struct cs_shadow *s, int p, const char *settings,
		  struct cs_err *err)
{
	bool site = settings != NULL;
	char slice[16];

	struct cs_compare_policy *to = &s->policy[p];
	int n, rc;

	snprintf(slice, sizeof(slice), "slice=%s",
		 s->act_slice ? s->act_slice : "none");
	if (!site && s->act_slice)
		settings = slice;
	rc = cs_replay_params(s->header, settings, s->live, &to->params, err);
	if (rc)
		return rc;
	cs_host_number_take(&to->params, NULL); /* what the header lacks */
	n = p == CS_SHADOW_REAL
		    ? asprintf(&s->titles[p], "Slurm, as it happened")
		    : asprintf(&s->titles[p], "%.60s (simulated)",
			       site ? s->site : to->params.policy);
	if (n < 0) {
		s->titles[p] = NULL;
		return -ENOMEM;
	}
	n = p == CS_SHADOW_REAL
		    ? asprintf(&s->settings[p], "the log: nothing is simulated")
		    : asprintf(&s->settings[p], "the log's header%s%s",
			       settings ? ", but " : "",
			       settings ? settings : "");
	if (n < 0) {
		s->settings[p] = NULL;
		return -ENOMEM;
	}
	to->title = s->titles[p];
	to->settings = s->settings[p];
	return 0;
}

static int policies(struct cs_shadow *s, struct cs_err *err)
{
	char site[512];
	struct cs_err why = { "" };
	int rc;

	if (snprintf(site, sizeof(site), "policy=%s", s->site) >=
	    (int)sizeof(site))
		return cs_err_set(err, -EINVAL, "--site is too long");
	for (char *c = site; *c; c++)
		*c = *c == ':' ? ',' : *c;
	rc = policy(s, CS_SHADOW_REAL, site, &why);
	if (rc)
		return cs_err_set(err, rc, "--site: %s", why.text);
	rc = policy(s, CS_SHADOW_SITE, site, err);
	return rc ? rc : policy(s, CS_SHADOW_OURS, NULL, err);
}

static void compare(struct cs_shadow *s)
{
	s->the_case = (struct cs_compare_case){
		.title = (char *)(uintptr_t) "the jobs of the log that have "
					     "ended",
		.seed = -1,
	};
	s->c = (struct cs_compare){
		.machine_text = s->machine_text,
		.machine = s->machine,
		.host = s->live ? CS_HOST_LIVE : CS_HOST_SIM,
		.policy = s->policy,
		.n_policy = CS_SHADOW_PLANS,
		.cases = &s->the_case,
		.n_case = 1,
		.run = s->figures,
	};
}

/* Drop jobs with more processes than the machine has cores; count them. */
static void drop_large(struct cs_shadow *s)
{
	uint64_t cores = cs_machine_cores(s->machine);
	struct cs_trace *t = &s->im.trace;
	size_t n = 0;

	s->large_part = cs_site_error_left_part(t, cores, 0);
	for (size_t i = 0; i < t->n; i++)
		if (t->job[i].procs <= cores)
			t->job[n++] = t->job[i];
	s->large = t->n - n;
	t->n = n;
}

/* Both simulations; if a job could never run, once more with plain jobs. */
static int both(struct work *w, struct cs_err *err)
{
	struct cs_shadow *s = w->s;
	int rc = simulate(w, CS_SHADOW_SITE, err);

	if (!rc)
		rc = simulate(w, CS_SHADOW_OURS, err);
	if (rc != -EINVAL || s->plain)
		return rc;
	s->plain = true;
	snprintf(s->why_plain, sizeof(s->why_plain), "%.250s",
		 *w->why.text ? w->why.text : err->text);
	return both(w, err);
}

static int all(struct work *w, struct cs_err *err)
{
	struct cs_shadow *s = w->s;
	const struct cs_trace *t = &s->im.trace;
	int rc = 0;

	for (int p = 0; !rc && p < CS_SHADOW_PLANS; p++) {
		s->fate[p] = calloc(t->n, sizeof(*s->fate[p]));
		rc = s->fate[p] ? 0 : -ENOMEM;
	}
	w->parser = cs_logread_create();
	if (!w->parser)
		rc = -ENOMEM;
	if (!rc)
		rc = cs_jobids_init(&w->ids, t, err);
	if (rc)
		return rc;
	cs_compare_watch(&s->watch, t, s->machine);
	rc = happened(w);
	cs_bar_init(&w->bar);
	if (!rc)
		rc = both(w, err);
	cs_bar_done(&w->bar);
	return rc;
}

int cs_shadow_simulate(struct cs_shadow *s, struct cs_err *err)
{
	struct work w = { .s = s };
	struct cs_err why = { "" };
	int rc;

	snprintf(s->machine_text, sizeof(s->machine_text),
		 "%" PRIu32 " node%s with %" PRIu64 " cores",
		 s->machine->n_node, s->machine->n_node == 1 ? "" : "s",
		 cs_machine_cores(s->machine));
	rc = policies(s, err);
	if (rc)
		return rc == -ENOMEM ? cs_err_set(err, rc, "no memory") : rc;
	compare(s);
	drop_large(s);
	if (!s->im.trace.n) {
		snprintf(s->no_schedule, sizeof(s->no_schedule),
			 "no job has run and ended");
		return 0;
	}
	rc = all(&w, &why);
	cs_jobids_done(&w.ids);
	cs_logread_free(w.parser);
	if (rc == -ENOMEM)
		return cs_err_set(err, rc, "no memory");
	s->simulated = !rc;
	if (rc)
		snprintf(s->no_schedule, sizeof(s->no_schedule), "%s",
			 *why.text ? why.text : strerror(-rc));
	return 0;
}

int cs_shadow_learned(struct cs_shadow *s, const char *path, struct cs_err *err)
{
	struct cs_sim_options o = { .machine = s->machine,
				    .params = &s->policy[CS_SHADOW_OURS].params,
				    .version = COSCHED_VERSION };
	const struct cs_metrics *real = &s->figures[CS_SHADOW_REAL].figures;
	const struct cs_metrics *site = &s->figures[CS_SHADOW_SITE].figures;
	double off_by =
		real->mean_response > 0
			? 100 * (site->mean_response / real->mean_response - 1)
			: NAN;

	if (!s->simulated)
		return 0;
	return cs_use_gain(path, &o, &s->im.trace, off_by, s->large_part,
			   &s->use, err);
}
