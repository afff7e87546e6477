/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `cosched top` is told: the nodes, who shares, and the first of those who wait, by
 * promised start.
 *
 * A node is a list of numbers, as there may be many: cores, cores that are used (-1: the
 * node is not up), jobs; with GPUs also these, and those that jobs hold.  Names
 * are left out where there are more than are read.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/adapter/queue_reply.h"
#include "sched/adapter/reply_json.h"
#include "sched/apply/reason.h"

#define NAMES_MOST 512
#define QUEUE_MOST 64

static void put_nodes(const struct cs_adapter *b, struct json_object *into)
{
	const struct cs_machine *m = b->view->machine;
	struct json_object *list = json_object_new_array();
	struct json_object *names = json_object_new_array();

	for (uint32_t n = 0; n < m->n_node; n++) {
		struct cs_node_now now = cs_engine_node(b->engine, n);
		struct json_object *one = json_object_new_array();
		const char *name = m->node[n].name;

		json_object_array_add(one, json_object_new_int64(now.cores));
		json_object_array_add(
			one,
			json_object_new_int64(now.up ? (int64_t)now.used : -1));
		json_object_array_add(one, json_object_new_int64(now.jobs));
		if (now.gpus) {
			json_object_array_add(one,
					      json_object_new_int64(now.gpus));
			json_object_array_add(
				one, json_object_new_int64(now.gpus_used));
		}
		json_object_array_add(list, one);
		if (m->n_node <= NAMES_MOST)
			json_object_array_add(names, json_object_new_string(
							     name ? name : ""));
	}
	json_object_object_add(into, "nodes", list);
	json_object_object_add(into, "names", names);
}

/* ---- the queue ------------------------------------------------------------- */

struct waits {
	int64_t start_us; /* CS_TIME_NONE: not promised */
	uint32_t id;
};

static int by_start(const void *x, const void *y)
{
	const struct waits *a = x, *b = y;

	if (a->start_us != b->start_us)
		return a->start_us < b->start_us ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static struct json_object *waiting(struct cs_adapter *b, const struct waits *w)
{
	const struct cs_known_job *k = cs_known_find(&b->known, w->id);
	struct json_object *o = json_object_new_object();
	char id[32] = "", why[192];

	cs_put_number(o, "job", w->id);
	if (k)
		cs_reason_call_job(k, "", id, sizeof(id));
	cs_put_string(o, "id", id);
	if (k)
		cs_put_string(o, "user", k->user);
	if (w->start_us != CS_TIME_NONE)
		cs_put_number(o, "start_s", (w->start_us + 999999) / 1000000);
	if (cs_reason(b, w->id, why, sizeof(why)) > 0)
		cs_put_string(o, "why", why);
	return o;
}

static int put_queue(struct cs_adapter *b, struct json_object *into)
{
	size_t n = cs_engine_list(b->engine, false, NULL, 0);
	uint32_t *id = calloc(n + 1, sizeof(*id));
	struct waits *w = calloc(n + 1, sizeof(*w));
	struct json_object *list;

	if (!id || !w) {
		free(id);
		free(w);
		return -ENOMEM;
	}
	n = cs_engine_list(b->engine, false, id, n);
	for (size_t i = 0; i < n; i++) {
		const struct cs_known_job *k = cs_known_find(&b->known, id[i]);

		w[i] = (struct waits){ k && cs_reason_would(b, k)
					       ? b->now_us / 1000000 * 1000000
					       : cs_engine_host_start_us(
							 b->engine, id[i],
							 NULL),
				       id[i] };
	}
	qsort(w, n, sizeof(*w), by_start);
	list = json_object_new_array();
	for (size_t i = 0; i < n && i < QUEUE_MOST; i++)
		json_object_array_add(list, waiting(b, &w[i]));
	json_object_object_add(into, "queue", list);
	cs_put_number(into, "queue_more",
		      n > QUEUE_MOST ? (int64_t)(n - QUEUE_MOST) : 0);
	free(id);
	free(w);
	return 0;
}

int cs_adapter_top(struct cs_adapter *b, struct json_object *into)
{
	struct cs_engine_stats st;

	if (!b->engine)
		return -EAGAIN;
	cs_engine_stats(b->engine, &st);
	cs_put_number(into, "now_s", b->now_us / 1000000);
	cs_put_number(into, "running", st.running);
	cs_put_number(into, "suspended", st.suspended);
	cs_put_number(into, "waiting", cs_queue_reply_waiting(b, NULL));
	cs_put_number(into, "cores", st.cores);
	cs_put_number(into, "cores_used", st.cores_used);
	cs_adapter_slice_now(b, into);
	put_nodes(b, into);
	return cs_adapter_groups(b, into) ?: put_queue(b, into);
}
