/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `cosched explain` is told: text, or (ask->fields) an object that has the same in
 * members.
 *
 * Text is what a command of before the members asks for: it names all partners.  What
 * would start a job sooner takes some copies of the engine (explain/sooner.c): of the
 * thread's time a SOONER_RESTth, so that nobody who asks again and again holds up
 * decisions.  No lock of Slurm's is held.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/textbuf.h"
#include "common/explain/sooner.h"
#include "common/model/sites.h"
#include "gate/gate.h"
#include "sched/adapter/job_facts.h"
#include "sched/adapter/reply_json.h"
#include "sched/adapter/start_estimates.h"
#include "sched/apply/reason.h"
#include "sched/control/control_queue.h"
#include "sched/feed/feed_event.h"
#include "sched/view/view_table.h"

#define EXTRA 2048 /* bytes behind the engine's text */
#define HEAD 160   /* before it */
/* Some 0.1 to 0.3 s of work where jobs and nodes are many; of ten times as long none
 * follows. */
#define SOONER_STEPS 300000
#define SOONER_REST 10

/* One question and what there is to answer it with. */
struct answer {
	struct cs_adapter *b;
	const struct cs_ask *ask;
	struct cs_known_job *k;
	const struct cs_job_facts *facts;
	struct cs_reader reader;
	struct cs_audience to;
	struct cs_sooner_list sooner;
	char no_sooner[160];
};

/* Tell what comes first; HEAD is enough. */
static void heading(const struct cs_adapter *b, const struct cs_known_job *k,
		    struct cs_textbuf *t)
{
	if (b->mode == CS_MODE_SHADOW)
		cs_textbuf_print(t, "mode shadow: Slurm decides; this is %s\n",
				 k->state == CS_VIEW_WAITING
					 ? "what cosched would do"
					 : "what Slurm did");
}

/* Its planned start, 0: none. */
static int64_t shown_start_s(const struct answer *a)
{
	int64_t at_us = cs_engine_host_start_us(a->b->engine, a->k->id, NULL);

	return at_us == CS_TIME_NONE ? 0 : (at_us + 999999) / 1000000;
}

/* "14:05", or with its day if that is not today's. */
static void put_clock(struct cs_textbuf *t, int64_t at_us, int64_t now_us)
{
	time_t at = (time_t)(at_us / 1000000), now = (time_t)(now_us / 1000000);
	struct tm of_at, of_now;
	char text[32] = "?";

	if (localtime_r(&at, &of_at) && localtime_r(&now, &of_now))
		strftime(text, sizeof(text),
			 of_at.tm_yday == of_now.tm_yday &&
					 of_at.tm_year == of_now.tm_year
				 ? "%H:%M"
				 : "%Y-%m-%d %H:%M",
			 &of_at);
	cs_textbuf_add(t, text);
}

/* When it probably starts, if starts are estimated. */
static void put_estimate(const struct answer *a, struct cs_textbuf *t)
{
	const struct cs_adapter *b = a->b;
	const struct cs_estimate *x = cs_start_estimates_of(b, a->k);
	int64_t now_us = b->now_us;

	if (!b->estimates.by || cs_reason_kept(a->k))
		return;
	if (!x) {
		cs_textbuf_add(
			t,
			"  its start is not estimated, or not yet: estimates are of jobs that wait for room or their turn\n");
		return;
	}
	cs_textbuf_add(t, "  it probably starts at ");
	put_clock(t, x->start_us > now_us ? x->start_us : now_us, now_us);
	cs_textbuf_add(t, ", between ");
	put_clock(t, x->low_us > now_us ? x->low_us : now_us, now_us);
	cs_textbuf_add(t, " and ");
	put_clock(t, x->high_us > now_us ? x->high_us : now_us, now_us);
	cs_textbuf_add(
		t,
		" with 90 %, by what earlier jobs took; if all ran to their limits and no job came, at ");
	put_clock(t, x->limits_us, now_us);
	cs_textbuf_byte(t, '\n');
}

/* Tell what the engine cannot know; EXTRA is enough. */
static void remarks(const struct answer *a, struct cs_textbuf *t)
{
	const struct cs_adapter *b = a->b;
	const struct cs_known_job *k = a->k;
	const char *base = (const char *)cs_known_options(k);
	const char *fault = base + cs_known_desc(k)->text[CS_VIEW_FAULT];
	const char *profile = base + cs_known_desc(k)->text[CS_VIEW_PROFILE];
	const char *kept = cs_reason_kept(k);

	if (kept && !strstr(t->buf, kept))
		cs_textbuf_print(t, "  Slurm says: %s\n", kept);
	if (k->state == CS_VIEW_WAITING && cs_known_desc(k)->array_id &&
	    k->task == UINT32_MAX)
		cs_textbuf_print(
			t,
			"  an array: this is of the next of its tasks that wait; they stand in the queue as one\n");
	if (k->state == CS_VIEW_WAITING)
		cs_job_facts_say(a->facts, shown_start_s(a), t);
	if (k->state == CS_VIEW_WAITING)
		put_estimate(a, t);
	if (*fault)
		cs_textbuf_print(t, "  its comment: %s\n", fault);
	if (*profile && cs_profiles_find(b->profiles, profile) < 0)
		cs_textbuf_print(t,
				 "  its comment: no profile '%s' in the "
				 "profile file, the rules decide\n",
				 profile);
}

/* A job that the engine does not have (feed.c, rule 3). */
static int left_out(const struct answer *a, char **ret)
{
	const struct cs_adapter *b = a->b;
	const struct cs_known_job *k = a->k;
	struct cs_textbuf t = { malloc(HEAD + EXTRA), HEAD + EXTRA, 0 };
	char name[64];

	*ret = t.buf;
	if (!t.buf)
		return -ENOMEM;
	heading(b, k, &t);
	cs_reason_call_job(k, "job ", name, sizeof(name));
	cs_textbuf_print(&t, "%s", name);
	cs_textbuf_print(
		&t, "%s (%s)\n",
		k->state == CS_VIEW_WAITING
			? " is left out: it asks for what the model does not hold"
			: " is left to Slurm: it runs in a way that the model does not hold",
		k->why ? k->why : "no reason given");
	if (k->state == CS_VIEW_WAITING)
		cs_job_facts_say(a->facts, 0, &t);
	return 0;
}

/* ---- what would start it sooner --------------------------------------------- */

static void look_sooner(struct answer *a)
{
	struct cs_adapter *b = a->b;
	int64_t now_us = cs_gate_now_us(),
		rest_us = b->texts.sooner_us - now_us;
	struct cs_engine_stats st;
	int rc;

	if (a->k->state != CS_VIEW_WAITING)
		return;
	if (rest_us > 0) {
		snprintf(a->no_sooner, sizeof(a->no_sooner),
			 "looked up for others just now, ask again in %" PRId64
			 " s",
			 rest_us / 1000000 + 1);
		a->to.no_sooner = a->no_sooner;
		return;
	}
	rc = cs_sooner_find(b->engine, a->k->id, SOONER_STEPS, &a->sooner);
	/* what failed has taken time, too */
	b->texts.sooner_us =
		now_us + (SOONER_REST + 1) * (cs_gate_now_us() - now_us);
	if (!rc) {
		a->to.sooner = &a->sooner;
		return;
	}
	cs_engine_stats(b->engine, &st);
	if (rc == -E2BIG)
		snprintf(a->no_sooner, sizeof(a->no_sooner),
			 "not looked up: with %u jobs on %u nodes it takes "
			 "slurmctld too long",
			 st.waiting + st.running + st.suspended,
			 b->view->machine->n_node);
	else if (rc == -ENOTSUP)
		snprintf(a->no_sooner, sizeof(a->no_sooner),
			 "not looked up with learn=use");
	else if (rc == -ENOMEM)
		snprintf(a->no_sooner, sizeof(a->no_sooner),
			 "not looked up: slurmctld has no memory for it");
	else
		snprintf(a->no_sooner, sizeof(a->no_sooner),
			 "not looked up while starts are under way, ask again");
	a->to.no_sooner = a->no_sooner;
}

/* ---- text ------------------------------------------------------------------ */

static int text_of(const struct answer *a, char **ret)
{
	struct cs_textbuf t = { 0 };
	int n;

	if (a->k->ghost)
		return left_out(a, ret);
	n = cs_explain(a->b->engine, a->k->id, &a->to, NULL, 0);
	if (n < 0)
		return -ENOENT;
	t.size = HEAD + (size_t)n + EXTRA;
	t.buf = malloc(t.size);
	if (!t.buf)
		return -ENOMEM;
	heading(a->b, a->k, &t);
	cs_explain(a->b->engine, a->k->id, &a->to, t.buf + t.len,
		   (size_t)n + 1);
	t.len += (size_t)n;
	remarks(a, &t);
	*ret = t.buf;
	return 0;
}

/* ---- members ---------------------------------------------------------------- */

static void put_instant(struct json_object *o, const char *key, int64_t at_us)
{
	if (at_us != CS_TIME_NONE)
		cs_put_number(o, key, (at_us + 999999) / 1000000);
}

static void put_flag(struct json_object *o, const char *key, bool flag)
{
	json_object_object_add(o, key, json_object_new_boolean(flag));
}

static void put_lines(struct json_object *o, const char *text)
{
	struct json_object *list = json_object_new_array();

	while (*text) {
		size_t n = strcspn(text, "\n");

		json_object_array_add(list,
				      json_object_new_string_len(text, (int)n));
		text += n + (text[n] != 0);
	}
	json_object_object_add(o, "text", list);
}

static void put_sooner(struct json_object *o, const struct answer *a,
		       const struct cs_job *job)
{
	static const char *const kinds[CS_SOONER_KINDS] = {
		[CS_SOONER_LIMIT] = "limit",
		[CS_SOONER_MEMORY] = "memory",
		[CS_SOONER_LAYOUT] = "layout",
		[CS_SOONER_EXCLUSIVE] = "exclusive",
		[CS_SOONER_SIZE] = "size",
	};
	struct json_object *list = json_object_new_array(), *one;
	char ask[80];

	for (uint32_t i = 0; i < a->sooner.n; i++) {
		const struct cs_sooner *c = &a->sooner.change[i];

		cs_sooner_text(job, c, ask, sizeof(ask));
		one = json_object_new_object();
		cs_put_string(one, "change", kinds[c->kind]);
		cs_put_string(one, "ask", ask);
		cs_put_number(one, "value", (int64_t)c->value);
		put_flag(one, "smallest", !c->rough);
		put_flag(one, "now", c->now);
		put_instant(one, "start_s", c->start_us);
		json_object_array_add(list, one);
	}
	json_object_object_add(o, "sooner", list);
	if (a->to.no_sooner)
		cs_put_string(o, "no_sooner", a->to.no_sooner);
}

static void put_facts(struct json_object *o, const struct cs_job_facts *f)
{
	if (f->deadline_s)
		cs_put_number(o, "deadline_s", f->deadline_s);
	if (f->start_by_s)
		cs_put_number(o, "start_by_s", f->start_by_s);
	if (f->away[0])
		cs_put_string(o, "away", f->away);
	if (f->no_nodes)
		put_flag(o, "no_nodes", true);
	if (f->no_limit)
		put_flag(o, "no_limit", true);
}

static void add_estimate(struct json_object *o, const struct answer *a)
{
	const struct cs_estimate *x = cs_start_estimates_of(a->b, a->k);
	struct json_object *one;

	if (!x || cs_reason_kept(a->k))
		return;
	one = json_object_new_object();
	put_instant(one, "start_s", x->start_us);
	put_instant(one, "low_s", x->low_us);
	put_instant(one, "high_s", x->high_us);
	put_instant(one, "limits_s", x->limits_us);
	json_object_object_add(o, "estimate", one);
}

static void put_waiting(struct json_object *o, const struct answer *a)
{
	const struct cs_engine *e = a->b->engine;
	int64_t start_us = cs_engine_host_start_us(e, a->k->id, NULL);
	int64_t turn_us = cs_engine_again_us(e, a->k->id);
	struct cs_feed_store store;
	uint32_t before, all;
	struct cs_job job;
	char why[512];

	if (cs_explain_reason(e, a->k->id, &a->to, why, sizeof(why)) > 0)
		cs_put_string(o, "why", why);
	if (turn_us > a->b->now_us)
		put_instant(o, "turn_s", turn_us);
	if (start_us > a->b->now_us)
		put_instant(o, "start_s", start_us);
	else
		put_instant(o, "room_s", cs_explain_room_us(e, a->k->id));
	if (!cs_explain_place(e, a->k->id, &before, &all)) {
		cs_put_number(o, "place", before + 1);
		cs_put_number(o, "of", all);
	}
	add_estimate(o, a);
	if (!cs_feed_job(a->b, a->k, &store, &job))
		put_sooner(o, a, &job);
}

/* Where it is, if that is several sites. */
static void put_sites(struct json_object *o, const struct cs_sites *sites,
		      const struct cs_alloc *a)
{
	struct json_object *list, *one;

	if (!a || cs_sites_touched(sites, a) < 2)
		return;
	list = json_object_new_array();
	for (uint32_t i = 0; i < sites->n; i++) {
		const char *name = sites->site[i].name;
		uint32_t n = cs_sites_nodes(sites, i, a);

		if (!n)
			continue;
		one = json_object_new_object();
		cs_put_string(one, "site", name ? name : "");
		cs_put_number(one, "nodes", n);
		json_object_array_add(list, one);
	}
	json_object_object_add(o, "sites", list);
}

static void put_running(struct json_object *o, const struct answer *a,
			const struct cs_running *r)
{
	if (r->stopped)
		put_instant(o, "again_s",
			    cs_engine_again_us(a->b->engine, r->job_id));

	cs_put_number(o, "nodes", r->alloc ? r->alloc->n_node : 0);
	put_sites(o, a->b->view->machine->sites, r->alloc);
	put_instant(o, "end_s", cs_engine_latest_us(a->b->engine, r->job_id));
	json_object_object_add(o, "slowdown",
			       json_object_new_double(r->slowdown));
	if (!r->group)
		return;
	cs_put_number(o, "group", r->group);
	cs_put_string(o, "role",
		      r->role == CS_ROLE_PRIMARY ? "primary" : "matched");
}

static void put_partners(struct json_object *o, const struct answer *a)
{
	struct cs_partner *p = calloc(2 * CS_PARTNERS_MAX, sizeof(*p));
	struct json_object *list = json_object_new_array(), *one;
	size_t more = 0;
	int n = p ? cs_explain_partners(a->b->engine, a->k->id, &a->to, p,
					&more)
		  : 0;

	for (int i = 0; i < n; i++) {
		one = json_object_new_object();
		if (p[i].job_id)
			cs_put_number(one, "job", p[i].job_id);
		cs_put_string(one, "name", p[i].name);
		if (*p[i].profile)
			cs_put_string(one, "profile", p[i].profile);
		put_flag(one, "running", p[i].running);
		put_flag(one, "suits", p[i].suits);
		cs_put_string(one, "why", p[i].why);
		json_object_array_add(list, one);
	}
	json_object_object_add(o, "partners", list);
	cs_put_number(o, "partners_more", (int64_t)more);
	free(p);
}

static void put_members(struct json_object *o, const struct answer *a)
{
	struct cs_running r;
	const char *kept = cs_reason_kept(a->k);
	char id[32];

	cs_reason_call_job(a->k, "", id, sizeof(id));
	cs_put_number(o, "job", a->k->id);
	cs_put_string(o, "id", id);
	cs_put_number(o, "now_s", a->b->now_us / 1000000);
	put_flag(o, "shadow", a->b->mode == CS_MODE_SHADOW);
	cs_put_string(o, "state",
		      a->k->state == CS_VIEW_WAITING	 ? "waiting"
		      : a->k->state == CS_VIEW_SUSPENDED ? "suspended"
							 : "running");
	if (kept)
		cs_put_string(o, "slurm", kept);
	put_facts(o, a->facts);
	if (a->k->ghost) {
		cs_put_string(o, "left_out", a->k->why ? a->k->why : "");
		return;
	}
	if (a->k->state == CS_VIEW_WAITING)
		put_waiting(o, a);
	else if (!cs_engine_running(a->b->engine, a->k->id, &r))
		put_running(o, a, &r);
	put_partners(o, a);
}

/* ---- an array's number ------------------------------------------------------- */

/* Its tasks are jobs of their own, and none has the array's number any more. */
bool cs_adapter_array(const struct cs_adapter *b, const struct cs_ask *ask,
		      char *ret, size_t size)
{
	uint32_t first = UINT32_MAX, n = 0;

	for (uint32_t i = 0; i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];
		const struct cs_view_desc *d = cs_known_desc(k);

		if (!d || d->array_id != ask->job || k->task == UINT32_MAX ||
		    (!ask->privileged && d->uid != ask->uid))
			continue;
		n++;
		first = k->task < first ? k->task : first;
	}
	if (n)
		snprintf(ret, size,
			 "job %u is an array, of which %u task%s left: ask for "
			 "one, as %u_%u (squeue -r -j %u lists them)",
			 ask->job, n, n == 1 ? " is" : "s are", ask->job, first,
			 ask->job);
	return n;
}

/* ---- both ------------------------------------------------------------------- */

/* As of now. */
static int answer(struct answer *a, struct json_object **ret)
{
	int64_t before_us = cs_engine_as_of(a->b->engine, a->b->now_us);
	char *text;
	int rc = text_of(a, &text);

	if (!rc && a->ask->fields) {
		*ret = json_object_new_object();
		put_members(*ret, a);
		put_lines(*ret, text);
	} else if (!rc) {
		*ret = json_object_new_string(text);
	}
	cs_engine_asked(a->b->engine, before_us);
	if (!rc)
		free(text);
	return rc;
}

int cs_adapter_explain(struct cs_adapter *b, const struct cs_ask *ask,
		       const struct cs_job_facts *facts,
		       struct json_object **ret)
{
	struct answer a = {
		.b = b,
		.ask = ask,
		.k = cs_known_find(&b->known, ask->job),
		.facts = facts,
		.reader = { b, ask->uid, ask->privileged },
		.to = { .name = cs_reason_name_job,
			.clock = cs_reason_clock,
			.few = ask->fields && !ask->verbose },
	};

	a.to.arg = &a.reader;
	if (!b->engine)
		return -EAGAIN;
	if (!a.k || !cs_known_desc(a.k))
		return -ENOENT;
	cs_feed_now_us(b);
	a.to.no_nodes = facts->no_nodes;
	a.to.more_nodes = facts->more_nodes;
	a.to.would = cs_reason_would(b, a.k);
	a.to.kept = cs_reason_kept_beside(a.k, b->now_us);
	a.to.settles_us = cs_reason_settles_us(a.k);
	if (!ask->privileged && cs_known_desc(a.k)->uid != ask->uid)
		return -EACCES;
	if (!a.k->ghost)
		look_sooner(&a);
	return answer(&a, ret);
}
