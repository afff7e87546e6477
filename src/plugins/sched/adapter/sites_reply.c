/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `cosched sites` is told: each site's nodes, and the running jobs that are on
 * several.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "common/model/sites.h"
#include "sched/apply/reason.h"

static void number(struct json_object *o, const char *key, int64_t n)
{
	json_object_object_add(o, key, json_object_new_int64(n));
}

static void text(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

/* @used: nodes that jobs are on. */
static struct json_object *site(const struct cs_bridge *b, uint32_t i,
				const uint64_t *used)
{
	const struct cs_sites *sites = b->view->machine->sites;
	const struct cs_site *s = &sites->site[i];
	struct json_object *o = json_object_new_object();
	uint32_t free = 0;

	for (uint32_t w = s->from; w < s->end; w++)
		free += cs_popcount(s->nodes[w] & b->up[w] & ~used[w]);
	text(o, "site", s->name ? s->name : "");
	number(o, "nodes", s->n_node);
	number(o, "up", cs_site_count(sites, i, b->up));
	number(o, "free", free);
	return o;
}

static struct json_object *split_job(const struct cs_bridge *b,
				     const struct cs_running *r, uint32_t fragments)
{
	const struct cs_known_job *k = cs_known_find(&b->known, r->job_id);
	struct json_object *o = json_object_new_object();
	char id[32] = "";

	if (k)
		cs_call_job(k, "", id, sizeof(id));
	number(o, "job", r->job_id);
	text(o, "id", id);
	number(o, "sites", fragments);
	number(o, "nodes", r->alloc->n_node);
	json_object_object_add(o, "slowdown", json_object_new_double(r->slowdown));
	number(o, "end_s", r->end_us / 1000000);
	return o;
}

/* Put the nodes of all that run into @used, those on several sites into @list. */
static int look(const struct cs_bridge *b, uint64_t *used, struct json_object *list)
{
	size_t n = cs_engine_list(b->engine, true, NULL, 0);
	uint32_t *id = calloc(n + 1, sizeof(*id));

	if (!id)
		return -ENOMEM;
	n = cs_engine_list(b->engine, true, id, n);
	for (size_t i = 0; i < n; i++) {
		struct cs_running r;
		uint32_t k;

		if (cs_engine_running(b->engine, id[i], &r))
			continue;
		cs_alloc_mark(r.alloc, used);
		k = cs_sites_touched(b->view->machine->sites, r.alloc);
		if (k > 1)
			json_object_array_add(list, split_job(b, &r, k));
	}
	free(id);
	return 0;
}

int cs_bridge_sites(const struct cs_bridge *b, struct json_object *into)
{
	const struct cs_machine *m = b->view->machine;
	struct json_object *sites, *jobs;
	uint64_t *used;
	int rc;

	if (!b->engine)
		return -EAGAIN;
	if (!m->sites)
		return -ENOENT;
	used = calloc(cs_node_words(m), sizeof(*used));
	if (!used)
		return -ENOMEM;
	sites = json_object_new_array();
	jobs = json_object_new_array();
	rc = look(b, used, jobs);
	for (uint32_t i = 0; !rc && i < m->sites->n; i++)
		json_object_array_add(sites, site(b, i, used));
	json_object_object_add(into, "sites", sites);
	json_object_object_add(into, "split", jobs);
	free(used);
	return rc;
}
