/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers to `cosched status`, `groups` and `users`.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resident/users.h"
#include "sched/adapter/queue_reply.h"
#include "sched/adapter/reply_json.h"
#include "sched/adapter/start_estimates.h"
#include "sched/apply/reason.h"
#include "sched/control/control_queue.h"
#include "sched/feed/feed_event.h"
#include "sched/view/view_before.h"
#include "sched/view/view_table.h"

#define DAY_US INT64_C(86400000000)

/* ---- status ---------------------------------------------------------------- */

static struct json_object *times(const struct cs_times *t)
{
	struct json_object *o = json_object_new_object();

	cs_put_number(o, "look_us", t->look);
	cs_put_number(o, "look_step_us", t->look_step);
	cs_put_number(o, "feed_us", t->feed);
	cs_put_number(o, "decide_us", t->decide);
	cs_put_number(o, "apply_us", t->apply);
	cs_put_number(o, "texts_us", t->texts);
	return o;
}

/* Waiting jobs that looks have taken over as they were, and described; memory for blocks of
 * jobs. */
static struct json_object *looks(const struct cs_view *v)
{
	struct json_object *o = json_object_new_object();

	cs_put_number(o, "kept", (int64_t)v->kept);
	cs_put_number(o, "described", (int64_t)v->described);
	cs_put_number(o, "bytes", (int64_t)cs_view_before_bytes(v));
	return o;
}

/* Jobs with a fault: how many, and the last one, under @key and @job. */
static void faults(struct json_object *o, const char *key, const char *job,
		   const struct cs_faults *f)
{
	cs_put_number(o, key, f->n);
	if (f->n)
		cs_put_number(o, job, f->job);
}

/* Starts by the promised one, or later; with learn, promised slowdowns that were broken,
 * and by whom the last. */
static void promises(const struct cs_adapter *b, struct json_object *o,
		     const struct cs_engine_stats *st)
{
	const struct cs_pledges *was = &b->count.pledges_before;
	char text[256];

	cs_put_number(o, "promises_kept",
		      (int64_t)(was->kept + st->pledges.kept));
	cs_put_number(o, "promises_late",
		      (int64_t)(was->late + st->pledges.late));
	if (!st->learned.learning)
		return;
	cs_put_number(o, "promises_broken", (int64_t)st->learned.broken);
	if (cs_engine_broken(b->engine, text, sizeof(text)) > 0)
		json_object_object_add(o, "promise_broken_last",
				       json_object_new_string(text));
}

/* What was learned, and how many pairs may share by it: learn=propose uses none of them. */
static void learned(const struct cs_adapter *b, struct json_object *o,
		    const struct cs_lessons_now *l)
{
	if (!l->learning)
		return;
	cs_put_string(o, "learn",
		      b->params.learn == CS_LEARN_USE ? "use" : "propose");
	cs_put_number(o, "learn_kinds", l->kinds);
	cs_put_number(o, "learn_runs", l->runs);
	cs_put_number(o, "learn_pairs", l->pairs);
}

/* How good estimates of starts were: ever, and in the last day. */
static void estimates(const struct cs_adapter *b, struct json_object *o)
{
	const struct cs_start_estimates *x = &b->estimates;
	const struct cs_outcomes *ever;
	struct cs_outcomes_sum day;
	int64_t have = 0;

	if (!x->by)
		return;
	for (uint32_t i = 0; i < x->n_said; i++)
		have += cs_start_estimates_of(
				b, cs_known_find(&b->known,
						 x->said[i].job_id)) != NULL;
	ever = cs_estimator_outcomes(x->by);
	day = cs_outcomes_sum(ever, b->now_us - DAY_US);
	cs_put_number(o, "estimated", have);
	cs_put_number(o, "estimates_judged", (int64_t)ever->judged);
	cs_put_number(o, "estimates_outside", (int64_t)ever->outside);
	cs_put_number(o, "estimates_day", day.jobs);
	if (!day.jobs)
		return;
	cs_put_number(o, "estimates_day_outside", day.outside);
	cs_put_number(o, "estimate_error_p50_us",
		      (int64_t)(day.error_p50_s * 1e6));
	cs_put_number(o, "estimate_error_p90_us",
		      (int64_t)(day.error_p90_s * 1e6));
	cs_put_number(o, "estimate_late_p50_us",
		      (int64_t)(day.late_p50_s * 1e6));
	cs_put_number(o, "estimate_error_limits_p50_us",
		      (int64_t)(day.error_limits_p50_s * 1e6));
	cs_put_number(o, "estimate_width_p50_us",
		      (int64_t)(day.width_p50_s * 1e6));
}

/* Of a machine with some.  Slurm's jobs hold whole ones; the fragment, an expectation, in
 * thousandths. */
static void gpus(const struct cs_adapter *b, struct json_object *o)
{
	struct cs_engine_gpus g;

	if (!b->view->machine->gpus_most)
		return;
	g = cs_engine_gpus(b->engine);
	cs_put_number(o, "gpus_held", (int64_t)g.held);
	cs_put_number(o, "gpus_free", (int64_t)g.free);
	cs_put_number(o, "gpus_stranded", (int64_t)g.stranded);
	cs_put_number(o, "gpus_fragment_thousandths",
		      (int64_t)(g.fragment * 1000 + .5));
	cs_put_number(o, "gpu_jobs_waiting", g.waiting);
}

/* Faults of present jobs. */
static void troubles(const struct cs_adapter *b, struct json_object *into)
{
	char text[128];

	if (!b->texts.n_never ||
	    !cs_known_find(&b->known, b->texts.first_never))
		return;
	snprintf(text, sizeof(text),
		 "job %u waits: no set of nodes can hold it; %u such job%s",
		 b->texts.first_never, b->texts.n_never,
		 b->texts.n_never == 1 ? "" : "s");
	json_object_object_add(into, "layout_error",
			       json_object_new_string(text));
}

/* Sites that are as set, or the last good ones; what is odd about those is a warning. */
static void sites_told(const struct cs_view *v, struct json_object *into)
{
	struct json_object *list;

	if (v->site_error[0])
		json_object_object_add(into, "site_error",
				       json_object_new_string(v->site_error));
	if (!v->site_note[0])
		return;
	if (!json_object_object_get_ex(into, "site_warnings", &list)) {
		list = json_object_new_array();
		json_object_object_add(into, "site_warnings", list);
	}
	json_object_array_add(list, json_object_new_string(v->site_note));
}

int cs_adapter_status(const struct cs_adapter *b, struct json_object *into)
{
	struct json_object *o;
	struct cs_engine_stats st = { 0 };
	uint32_t asleep; /* cores of nodes that a start would wake */
	int64_t blocked;

	if (!b->engine)
		return -EAGAIN;
	o = json_object_new_object();
	cs_engine_stats(b->engine, &st);
	cs_put_number(o, "waiting", cs_queue_reply_waiting(b, &blocked));
	cs_put_number(o, "blocked", blocked);
	json_object_object_add(o, "queue", cs_queue_reply(b));
	cs_put_number(o, "running", st.running);
	cs_put_number(o, "suspended", st.suspended);
	cs_put_number(o, "groups", st.groups);
	cs_put_number(o, "reservations", st.reservations);
	asleep = b->view->asleep_cores < st.cores ? b->view->asleep_cores
						  : st.cores;
	cs_put_number(o, "cores", st.cores - asleep);
	cs_put_number(o, "cores_powered_down", asleep);
	cs_put_number(o, "cores_used", st.cores_used);
	gpus(b, o);
	cs_put_number(o, "starts", (int64_t)b->count.started);
	cs_put_number(o, "pairs", (int64_t)(b->count.pairs_before + st.pairs));
	cs_put_number(o, "refusals", (int64_t)b->count.refusals);
	cs_put_number(o, "would", (int64_t)b->count.would);
	cs_put_number(o, "events", (int64_t)b->count.events);
	cs_put_number(o, "node_sets", cs_view_set_count(b->view->sets));
	faults(o, "unknown_profiles", "unknown_profile_job",
	       &b->told.profiles_bad);
	faults(o, "malformed_comments", "malformed_comment_job",
	       &b->told.comments_bad);
	promises(b, o, &st);
	learned(b, o, &st.learned);
	estimates(b, o);
	json_object_object_add(o, "memory",
			       json_object_new_boolean(b->view->memory));
	json_object_object_add(o, "looks", looks(b->view));
	json_object_object_add(o, "last", times(&b->count.last));
	json_object_object_add(o, "most", times(&b->count.most));
	json_object_object_add(into, "engine", o);
	sites_told(b->view, into);
	troubles(b, into);
	return 0;
}

/* ---- groups ---------------------------------------------------------------- */

static struct json_object *names(const struct cs_adapter *b,
				 const struct cs_alloc *a)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < a->n_node; i++) {
		const char *name = b->view->machine->node[a->node[i].node].name;

		json_object_array_add(list,
				      json_object_new_string(name ? name : ""));
	}
	return list;
}

static struct json_object *member(struct cs_adapter *b,
				  const struct cs_running *r)
{
	const struct cs_known_job *k = cs_known_find(&b->known, r->job_id);
	struct json_object *o = json_object_new_object();
	char id[32] = "";

	cs_put_number(o, "job", r->job_id);
	if (k)
		cs_reason_call_job(k, "", id, sizeof(id));
	json_object_object_add(o, "id", json_object_new_string(id));
	if (k)
		cs_put_string(o, "user", k->user);
	json_object_object_add(o, "role",
			       json_object_new_string(r->role == CS_ROLE_PRIMARY
							      ? "primary"
							      : "matched"));
	json_object_object_add(o, "slowdown",
			       json_object_new_double(r->slowdown));
	cs_put_number(o, "end_s",
		      cs_engine_latest_us(b->engine, r->job_id) / 1000000);
	json_object_object_add(o, "nodes", names(b, r->alloc));
	return o;
}

/* The array of group @group's members in @list, created if need be. */
static struct json_object *group_of(struct json_object *list, uint32_t group)
{
	struct json_object *o, *jobs, *id;
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++) {
		o = json_object_array_get_idx(list, i);
		if (json_object_object_get_ex(o, "group", &id) &&
		    json_object_get_int64(id) == group &&
		    json_object_object_get_ex(o, "jobs", &jobs))
			return jobs;
	}
	o = json_object_new_object();
	cs_put_number(o, "group", group);
	jobs = json_object_new_array();
	json_object_object_add(o, "jobs", jobs);
	json_object_array_add(list, o);
	return jobs;
}

int cs_adapter_groups(const struct cs_adapter *b, struct json_object *into)
{
	struct json_object *list;
	uint32_t *id;
	size_t n;

	if (!b->engine)
		return -EAGAIN;
	list = json_object_new_array();
	n = cs_engine_list(b->engine, true, NULL, 0);
	id = n ? calloc(n, sizeof(*id)) : NULL;
	if (id)
		n = cs_engine_list(b->engine, true, id, n);
	for (size_t i = 0; id && i < n; i++) {
		struct cs_running r;

		if (!cs_engine_running(b->engine, id[i], &r) && r.group)
			json_object_array_add(
				group_of(list, r.group),
				member((struct cs_adapter *)b, &r));
	}
	free(id);
	json_object_object_add(into, "groups", list);
	return 0;
}

/* ---- users ----------------------------------------------------------------- */

static void real(struct json_object *o, const char *key, double value)
{
	json_object_object_add(o, key, json_object_new_double(value));
}

/* Omitted if unknown. */
static void instant(struct json_object *o, const char *key, int64_t us)
{
	if (us != CS_TIME_NONE)
		cs_put_number(o, key, us / 1000000);
}

static struct json_object *campaign(const struct cs_campaign_view *c)
{
	struct json_object *o = json_object_new_object();

	cs_put_string(o, "user", c->user);
	cs_put_number(o, "campaign", c->number);
	cs_put_string(o, "name", c->name);
	if (c->array)
		cs_put_number(o, "array", c->array);
	cs_put_number(o, "rank", c->rank);
	real(o, "share", c->share);
	cs_put_number(o, "waiting", c->waiting);
	cs_put_number(o, "running", c->running);
	cs_put_string(o, "virtual",
		      c->ended	 ? "ended"
		      : c->began ? "runs"
				 : "waits");
	instant(o, "submit_s", c->submit_us);
	instant(o, "virtual_start_s", c->began_us);
	instant(o, "virtual_end_s", c->ended_us);
	instant(o, "projected_s", c->projected_us);
	real(o, "work_core_s", c->work_s);
	real(o, "virtual_left_core_s", c->virtual_left_s);
	real(o, "left_core_s", c->real_left_s);
	instant(o, "bound_s", c->bound_us);
	instant(o, "real_end_s", c->real_end_us);
	return o;
}

/* May the asker read about @c?  A user is a number; the engine knows names alone. */
static bool may_read(const struct cs_adapter *b, const struct cs_ask *ask,
		     const struct cs_campaign_view *c)
{
	return ask->privileged || !b->view->private_users ||
	       cs_users_owns((uint32_t)ask->uid, c->user);
}

int cs_adapter_users(struct cs_adapter *b, const struct cs_ask *ask,
		     struct json_object *into)
{
	struct cs_event now = { .type = CS_EV_TICK };
	struct cs_campaign_view *c;
	struct json_object *list;
	int64_t n;

	if (!b->engine)
		return -EAGAIN;
	/* no decision depends on it, so it is not in the log */
	now.t_us = cs_feed_now_us(b);
	cs_engine_event(b->engine, &now, NULL);
	n = cs_campaign_query_all(b->engine, NULL, 0);
	c = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	n = cs_campaign_query_all(b->engine, c, (size_t)n);
	list = json_object_new_array();
	for (int64_t i = 0; i < n; i++)
		if (may_read(b, ask, &c[i]))
			json_object_array_add(list, campaign(&c[i]));
	free(c);
	cs_put_number(into, "now_s", b->now_us / 1000000);
	cs_put_number(into, "active_users",
		      cs_campaign_active_users(b->engine));
	json_object_object_add(into, "campaigns", list);
	return n < 0 ? -ENOMEM : 0;
}
