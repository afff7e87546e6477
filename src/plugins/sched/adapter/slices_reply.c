/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `cosched slices` is told: whose slice it is, when others have theirs, and who is
 * stopped until then.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/adapter/reply_json.h"
#include "sched/apply/reason.h"

/* null: never. */
static void seconds(struct json_object *o, const char *key, int64_t us)
{
	json_object_object_add(o, key,
			       us == CS_TIME_NONE
				       ? NULL
				       : json_object_new_int64(us / 1000000));
}

struct classes {
	uint32_t running[CS_CLASSES], stopped[CS_CLASSES], waiting[CS_CLASSES];
};

static struct json_object *class_of(const struct cs_slice_now *now, uint32_t c,
				    const struct classes *n)
{
	struct json_object *o = json_object_new_object();

	cs_put_string(o, "class", cs_class_name(c));
	seconds(o, "next_s", now->next_us[c]);
	cs_put_number(o, "running", n->running[c]);
	cs_put_number(o, "stopped", n->stopped[c]);
	cs_put_number(o, "waiting", n->waiting[c]);
	return o;
}

static struct json_object *job(const struct cs_known_job *k,
			       const struct cs_running *r,
			       const struct cs_slice_now *now)
{
	struct json_object *o = json_object_new_object();
	char id[32];

	cs_reason_call_job(k, "", id, sizeof(id));
	cs_put_number(o, "job", k->id);
	cs_put_string(o, "id", id);
	cs_put_string(o, "class", cs_class_name(r->class));
	cs_put_number(o, "nodes", r->alloc->n_node);
	cs_put_number(o, "stops", k->stops);
	seconds(o, "again_s", now->next_us[r->class]);
	return o;
}

static void look(const struct cs_adapter *b, const struct cs_slice_now *now,
		 struct classes *n, struct json_object *list)
{
	for (uint32_t i = 0; i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];
		uint32_t class = cs_engine_class(b->engine, k->id);
		struct cs_running r;

		if (class >= CS_CLASSES)
			continue;
		if (cs_engine_running(b->engine, k->id, &r)) {
			n->waiting[class]++;
		} else if (r.stopped) {
			n->stopped[class]++;
			json_object_array_add(list, job(k, &r, now));
		} else {
			n->running[class] += !r.suspended;
		}
	}
}

int cs_adapter_slices(const struct cs_adapter *b, struct json_object *into)
{
	struct json_object *classes, *jobs;
	struct classes n = { 0 };
	const struct cs_slice_now *now = &b->slice;

	if (!b->engine)
		return -EAGAIN;
	if (!b->sliced)
		return -ENOENT;
	classes = json_object_new_array();
	jobs = json_object_new_array();
	look(b, now, &n, jobs);
	for (uint32_t c = 0; c < CS_CLASSES; c++)
		json_object_array_add(classes, class_of(now, c, &n));
	cs_put_string(into, "slice", cs_class_name(now->class));
	seconds(into, "serves_s", now->serve_us);
	seconds(into, "end_s", now->end_us);
	json_object_object_add(into, "classes", classes);
	json_object_object_add(into, "stopped", jobs);
	return 0;
}
