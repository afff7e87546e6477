/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `cosched explain`, `status` and `groups` are told.
 */
#include "inside.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>

/* ---- explain --------------------------------------------------------------- */

int cs_bridge_explain(const struct cs_bridge *b, uint32_t job_id, uid_t uid,
		      bool privileged, char **ret)
{
	const struct cs_known_job *k = cs_known_find(&b->known, job_id);
	char *text;
	int n;

	if (!b->engine || !k || !cs_known_desc(k) || k->ghost)
		return -ENOENT;
	if (!privileged && cs_known_desc(k)->uid != uid)
		return -EACCES;
	n = cs_engine_explain(b->engine, job_id, NULL, 0);
	if (n < 0)
		return -ENOENT;
	text = malloc((size_t)n + 1);
	if (!text)
		return -ENOMEM;
	cs_engine_explain(b->engine, job_id, text, (size_t)n + 1);
	*ret = text;
	return 0;
}

/* ---- status ---------------------------------------------------------------- */

static void number(struct json_object *o, const char *key, int64_t n)
{
	json_object_object_add(o, key, json_object_new_int64(n));
}

static struct json_object *times(const struct cs_times *t)
{
	struct json_object *o = json_object_new_object();

	number(o, "look_us", t->look);
	number(o, "feed_us", t->feed);
	number(o, "decide_us", t->decide);
	number(o, "apply_us", t->apply);
	number(o, "texts_us", t->texts);
	return o;
}

void cs_bridge_status(const struct cs_bridge *b, struct json_object *into)
{
	struct json_object *o = json_object_new_object();
	struct cs_engine_stats st = { 0 };

	if (b->engine)
		cs_engine_stats(b->engine, &st);
	number(o, "waiting", st.waiting);
	number(o, "blocked", b->view->blocked);
	number(o, "running", st.running);
	number(o, "suspended", st.suspended);
	number(o, "groups", st.groups);
	number(o, "reservations", st.reservations);
	number(o, "cores", st.cores);
	number(o, "cores_used", st.cores_used);
	number(o, "starts", (int64_t)b->started);
	number(o, "pairs", (int64_t)st.pairs);
	number(o, "refusals", (int64_t)b->refusals);
	number(o, "would", (int64_t)b->would);
	number(o, "events", (int64_t)b->events);
	number(o, "node_sets", cs_view_set_count(b->view->sets));
	number(o, "unknown_profiles", b->n_bad_profile);
	json_object_object_add(o, "memory",
			       json_object_new_boolean(b->view->memory));
	json_object_object_add(o, "last", times(&b->last));
	json_object_object_add(o, "most", times(&b->most));
	json_object_object_add(into, "engine", o);
	json_object_object_add(into, "job_error",
			       json_object_new_string(b->job_error));
}

/* ---- groups ---------------------------------------------------------------- */

static struct json_object *names(const struct cs_bridge *b,
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

static struct json_object *member(struct cs_bridge *b,
				  const struct cs_running *r)
{
	const struct cs_known_job *k = cs_known_find(&b->known, r->job_id);
	struct json_object *o = json_object_new_object();

	number(o, "job", r->job_id);
	if (k)
		json_object_object_add(
			o, "user",
			json_object_new_string(cs_users_name(
				&b->users, cs_known_desc(k)->uid)));
	json_object_object_add(
		o, "role",
		json_object_new_string(r->role == CS_ROLE_PRIMARY ? "primary" :
								    "matched"));
	json_object_object_add(o, "slowdown",
			       json_object_new_double(r->slowdown));
	number(o, "end_s", r->end_us / 1000000);
	json_object_object_add(o, "nodes", names(b, r->alloc));
	return o;
}

/* The array of group @group's members in @list, made if need be. */
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
	number(o, "group", group);
	jobs = json_object_new_array();
	json_object_object_add(o, "jobs", jobs);
	json_object_array_add(list, o);
	return jobs;
}

void cs_bridge_groups(const struct cs_bridge *b, struct json_object *into)
{
	struct json_object *list = json_object_new_array();
	size_t n = b->engine ? cs_engine_list(b->engine, true, NULL, 0) : 0;
	uint32_t *id = n ? calloc(n, sizeof(*id)) : NULL;

	if (id)
		n = cs_engine_list(b->engine, true, id, n);
	for (size_t i = 0; id && i < n; i++) {
		struct cs_running r;

		if (!cs_engine_running(b->engine, id[i], &r) && r.group)
			json_object_array_add(group_of(list, r.group),
					      member((struct cs_bridge *)b,
						     &r));
	}
	free(id);
	json_object_object_add(into, "groups", list);
}
