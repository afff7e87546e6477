/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as one JSON object; cosched(1) lists its fields. */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "shadow/shadow.h"
#include "sim/output.h"

/* Members that could not be created are missing; nomem says whether there are any. */
struct out {
	bool nomem;
};

static void put(struct out *o, struct json_object *to, const char *key,
		struct json_object *v)
{
	if (v && to && !json_object_object_add(to, key, v))
		return;
	json_object_put(v);
	o->nomem = true;
}

static void append(struct out *o, struct json_object *list,
		   struct json_object *v)
{
	if (v && list && !json_object_array_add(list, v))
		return;
	json_object_put(v);
	o->nomem = true;
}

static void number(struct out *o, struct json_object *to, const char *key,
		   uint64_t v)
{
	put(o, to, key, json_object_new_int64((int64_t)v));
}

static void real(struct out *o, struct json_object *to, const char *key,
		 double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f", v);
	put(o, to, key, json_object_new_double_s(v, text));
}

static void string(struct out *o, struct json_object *to, const char *key,
		   const char *v)
{
	put(o, to, key, json_object_new_string(v));
}

static void seconds(struct out *o, struct json_object *to, const char *key,
		    int64_t us)
{
	real(o, to, key, (double)us / 1e6);
}

static void who(struct out *o, struct json_object *to,
		const struct cs_shadow *s, const struct cs_shadow_who *x)
{
	for (int k = 0; k < CS_SHADOW_KINDS; k++)
		string(o, to, cs_shadow_kind_name((enum cs_shadow_kind)k),
		       cs_shadow_name(s, (enum cs_shadow_kind)k, x->name[k]));
}

/* ---- sums ---------------------------------------------------------------------- */

static struct json_object *sum(struct out *o, const struct cs_shadow *s,
			       enum cs_shadow_kind k,
			       const struct cs_shadow_sum *x)
{
	struct json_object *to = json_object_new_object();

	string(o, to, "name", cs_shadow_name(s, k, x->name));
	number(o, to, "started", x->starts);
	number(o, to, "before", x->before);
	real(o, to, "before_s", x->before_s);
	number(o, to, "beside", x->beside);
	number(o, to, "grouped", x->grouped);
	number(o, to, "raised", x->raised);
	real(o, to, "raised_s", x->raised_s);
	if (!s->simulated)
		return to;
	number(o, to, "jobs", x->jobs);
	real(o, to, "wait_s", x->wait_s[CS_SHADOW_REAL]);
	real(o, to, "wait_site_s", x->wait_s[CS_SHADOW_SITE]);
	real(o, to, "wait_ours_s", x->wait_s[CS_SHADOW_OURS]);
	number(o, to, "earlier", x->earlier);
	real(o, to, "earlier_s", x->earlier_s);
	number(o, to, "later", x->later);
	real(o, to, "later_s", x->later_s);
	number(o, to, "later_site_too", x->later_site);
	number(o, to, "earlier_than_site", x->earlier_than_site);
	real(o, to, "earlier_than_site_s", x->earlier_than_site_s);
	number(o, to, "later_than_site", x->later_than_site);
	real(o, to, "later_than_site_s", x->later_than_site_s);
	number(o, to, "shared", x->shared);
	number(o, to, "raised_ours", x->raised_ours);
	real(o, to, "raised_ours_s", x->raised_ours_s);
	return to;
}

static int sums(struct out *o, const struct cs_shadow *s,
		struct json_object *to)
{
	int rc = 0;

	for (int k = 0; !rc && k <= CS_SHADOW_KINDS; k++) {
		enum cs_shadow_kind kind = (enum cs_shadow_kind)k;
		struct json_object *list = json_object_new_array();
		struct cs_shadow_sum *x = NULL;
		size_t n = 0;

		rc = cs_shadow_sums(s, kind, &x, &n);
		for (size_t i = 0; i < n; i++)
			append(o, list, sum(o, s, kind, &x[i]));
		put(o, to, cs_shadow_kind_name(kind), list);
		free(x);
	}
	return rc;
}

/* ---- moments --------------------------------------------------------------------- */

static struct json_object *wait(struct out *o, const struct cs_shadow *s,
				const struct cs_shadow_wait *x)
{
	static const char *const ends[] = { "started", "cancelled", "waits" };
	struct json_object *to = json_object_new_object();
	struct json_object *list = json_object_new_array();

	number(o, to, "job", x->id);
	who(o, to, s, &x->who);
	string(o, to, "end", ends[x->end]);
	seconds(o, to, "since", x->since_us);
	if (x->end == CS_SHADOW_STARTED)
		seconds(o, to, "start", x->start_us);
	seconds(o, to, "would_start", x->would.at_us);
	number(o, to, "cores", x->would.cores);
	put(o, to, "grouped", json_object_new_boolean(x->would.grouped));
	seconds(o, to, "raised_s", x->would.raised_us);
	number(o, to, "n_beside", x->would.n_beside);
	for (uint32_t i = 0; i < x->would.n_beside && i < CS_SHADOW_BESIDE; i++)
		append(o, list, json_object_new_int64(x->would.beside[i]));
	put(o, to, "beside", list);
	return to;
}

static struct json_object *pair(struct out *o, const struct cs_shadow *s,
				const struct cs_shadow_pair *x)
{
	struct json_object *to = json_object_new_object();

	string(o, to, "profile", cs_shadow_name(s, CS_SHADOW_PROFILE, x->of));
	string(o, to, "beside",
	       cs_shadow_name(s, CS_SHADOW_PROFILE, x->beside));
	number(o, to, "times", x->n);
	number(o, to, "grouped", x->grouped);
	return to;
}

static struct json_object *moments(struct out *o, const struct cs_shadow *s)
{
	struct json_object *to = json_object_new_object();
	struct json_object *pairs = json_object_new_array();
	struct json_object *jobs = json_object_new_array();

	string(o, to, "what", cs_shadow_moments_text);
	number(o, to, "proposals", s->proposals);
	for (size_t i = 0; i < s->n_pair; i++)
		append(o, pairs, pair(o, s, &s->pair[i]));
	put(o, to, "pairs", pairs);
	for (size_t i = 0; i < s->n_wait; i++)
		if (s->wait[i].would.at_us != CS_TIME_NONE)
			append(o, jobs, wait(o, s, &s->wait[i]));
	put(o, to, "jobs", jobs);
	return to;
}

/* ---- the schedule ------------------------------------------------------------------- */

static struct json_object *job(struct out *o, const struct cs_shadow *s,
			       size_t i)
{
	const struct cs_trace_job *j = &s->im.trace.job[i];
	const struct cs_shadow_run *r = &s->run[j->line];
	int64_t from_us = s->im.trace.unix_start_s * 1000000;
	struct json_object *to = json_object_new_object();
	const struct cs_shadow_fate *f = s->fate[CS_SHADOW_OURS];

	number(o, to, "job", r->id);
	who(o, to, s, &r->who);
	seconds(o, to, "since", from_us + j->submit_us);
	seconds(o, to, "ran_s", j->runtime_us);
	for (int p = 0; p < CS_SHADOW_PLANS; p++) {
		static const char *const start[] = { "start", "start_site",
						     "start_ours" };
		static const char *const end[] = { "end", "end_site",
						   "end_ours" };

		seconds(o, to, start[p], from_us + s->fate[p][i].start_us);
		seconds(o, to, end[p], from_us + s->fate[p][i].end_us);
	}
	put(o, to, "shared", json_object_new_boolean(f[i].shared));
	seconds(o, to, "raised_s", f[i].raised_us);
	if (s->act_slice) {
		number(o, to, "stops", f[i].stops);
		seconds(o, to, "still_s", f[i].stops ? f[i].still_us : 0);
	}
	return to;
}

/* What time slices would do, by class. */
static struct json_object *slices(struct out *o, const struct cs_shadow *s)
{
	struct json_object *to = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct cs_shadow_class c;

	string(o, to, "slice", s->act_slice);
	for (uint32_t k = 0; k < CS_CLASSES; k++) {
		struct json_object *x = json_object_new_object();

		cs_shadow_class(s, k, &c);
		string(o, x, "class", cs_class_name(k));
		number(o, x, "jobs", c.jobs);
		number(o, x, "stopped", c.stopped);
		number(o, x, "stops", c.stops);
		real(o, x, "still_s", c.still_s);
		real(o, x, "most_still_s", c.most_still_s);
		real(o, x, "response_s", c.response_s[CS_SHADOW_OURS]);
		real(o, x, "response_real_s", c.response_s[CS_SHADOW_REAL]);
		real(o, x, "response_site_s", c.response_s[CS_SHADOW_SITE]);
		append(o, list, x);
	}
	put(o, to, "classes", list);
	return to;
}

static struct json_object *schedule(struct out *o, const struct cs_shadow *s)
{
	struct json_object *to = json_object_new_object();
	struct json_object *plans = json_object_new_array();
	struct json_object *jobs = json_object_new_array();
	struct json_object *list = json_object_new_array();
	size_t worst[CS_SHADOW_WORST];
	size_t n = cs_shadow_worst(s, worst);

	string(o, to, "what", cs_shadow_schedule_text);
	if (!s->simulated)
		string(o, to, "none", s->no_schedule);
	if (s->plain)
		string(o, to, "plain", s->why_plain);
	for (int p = 0; s->simulated && p < CS_SHADOW_PLANS; p++) {
		struct json_object *x =
			cs_output_figures(&s->figures[p].figures);

		string(o, x, "title", s->titles[p]);
		string(o, x, "settings", s->settings[p]);
		append(o, plans, x);
	}
	put(o, to, "plans", plans);
	for (size_t i = 0; s->simulated && i < s->im.trace.n; i++)
		append(o, jobs, job(o, s, i));
	put(o, to, "jobs", jobs);
	for (size_t i = 0; i < n; i++)
		append(o, list,
		       json_object_new_int64(
			       s->run[s->im.trace.job[worst[i]].line].id));
	put(o, to, "worst", list);
	if (s->simulated && s->act_slice)
		put(o, to, "slices", slices(o, s));
	return to;
}

static void counts(struct out *o, const struct cs_shadow *s,
		   struct json_object *to)
{
	number(o, to, "headers", s->headers);
	number(o, to, "headers_of_other_modes", s->other_mode);
	number(o, to, "cut_lines", s->cut);
	number(o, to, "waiting", s->im.count[CS_IMPORT_WAITING]);
	number(o, to, "running", s->im.count[CS_IMPORT_RUNNING]);
	number(o, to, "unstarted", s->im.count[CS_IMPORT_UNSTARTED]);
	number(o, to, "ran_no_time", s->im.count[CS_IMPORT_INSTANT]);
	number(o, to, "before_since", s->im.count[CS_IMPORT_BEFORE]);
	number(o, to, "of_other_modes", s->left);
	number(o, to, "larger_than_the_machine", s->large);
}

int cs_shadow_json(const struct cs_shadow *s, FILE *file)
{
	struct out o = { false };
	struct json_object *top = json_object_new_object();
	struct json_object *by = json_object_new_object();
	struct json_object *left = json_object_new_object();
	const char *text = NULL;
	int rc = sums(&o, s, by);

	string(&o, top, "version", COSCHED_VERSION);
	string(&o, top, "policy", s->policy[CS_SHADOW_OURS].params.policy);
	string(&o, top, "site", s->site);
	string(&o, top, "machine", s->machine_text);
	if (s->from_us != CS_TIME_NONE) {
		seconds(&o, top, "from", s->from_us);
		seconds(&o, top, "to", s->to_us);
	}
	counts(&o, s, left);
	put(&o, top, "read", left);
	put(&o, top, "moments", moments(&o, s));
	put(&o, top, "schedule", schedule(&o, s));
	put(&o, top, "by", by);
	if (s->use.there)
		put(&o, top, "learn_use", cs_use_gain_json(&s->use));
	if (!rc && !o.nomem)
		text = json_object_to_json_string_ext(
			top, JSON_C_TO_STRING_PRETTY |
				     JSON_C_TO_STRING_NOSLASHESCAPE);
	errno = 0;
	if (text)
		fprintf(file, "%s\n", text);
	if (!text)
		rc = -ENOMEM;
	else if (ferror(file))
		rc = errno ? -errno : -EIO;
	json_object_put(top);
	return rc;
}
