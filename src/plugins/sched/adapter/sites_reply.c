/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer to `cosched sites`: each site's nodes, the running jobs on several, and
 * what crossing turned out to cost.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <stdlib.h>

#include "common/learn/crossed.h"
#include "common/model/sites.h"
#include "sched/adapter/reply_json.h"
#include "sched/apply/reason.h"

/* @used: nodes with jobs. */
static struct json_object *site(const struct cs_adapter *b, uint32_t i,
				const uint64_t *used)
{
	const struct cs_sites *sites = b->view->machine->sites;
	const struct cs_site *s = &sites->site[i];
	struct json_object *o = json_object_new_object();
	uint32_t free = 0;

	for (uint32_t w = s->from; w < s->end; w++)
		free += cs_popcount(s->nodes[w] & b->told.up[w] & ~used[w]);
	cs_put_string(o, "site", s->name ? s->name : "");
	cs_put_number(o, "nodes", s->n_node);
	cs_put_number(o, "up", cs_site_count(sites, i, b->told.up));
	cs_put_number(o, "free", free);
	return o;
}

static struct json_object *split_job(const struct cs_adapter *b,
				     const struct cs_running *r,
				     uint32_t fragments)
{
	const struct cs_known_job *k = cs_known_find(&b->known, r->job_id);
	struct json_object *o = json_object_new_object();
	char id[32] = "";

	if (k)
		cs_reason_call_job(k, "", id, sizeof(id));
	cs_put_number(o, "job", r->job_id);
	cs_put_string(o, "id", id);
	cs_put_number(o, "sites", fragments);
	cs_put_number(o, "nodes", r->alloc->n_node);
	json_object_object_add(o, "slowdown",
			       json_object_new_double(r->slowdown));
	cs_put_number(o, "end_s",
		      cs_engine_latest_us(b->engine, r->job_id) / 1000000);
	return o;
}

/* Put the nodes of all running jobs into @used, jobs on several sites into @list. */
static int look(const struct cs_adapter *b, uint64_t *used,
		struct json_object *list)
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

static struct json_object *learned(const struct cs_adapter *b)
{
	struct json_object *list = json_object_new_array();
	struct cs_crossed_now now;
	uint32_t at = 0;

	while (cs_engine_crossed(b->engine, &at, &now)) {
		struct json_object *o = json_object_new_object();

		cs_put_string(o, "jobs", now.kind->name);
		cs_put_number(o, "processes", now.kind->procs);
		cs_put_number(o, "one_site_runs", now.kind->one.n);
		cs_put_number(o, "split_runs", now.kind->split.n);
		json_object_object_add(o, "across",
				       json_object_new_double(now.across));
		json_object_array_add(list, o);
	}
	return list;
}

int cs_adapter_sites(const struct cs_adapter *b, struct json_object *into)
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
	json_object_object_add(into, "learned", learned(b));
	free(used);
	return rc;
}
