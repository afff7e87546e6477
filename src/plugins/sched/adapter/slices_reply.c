/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer to `cosched slices`: which class has its slice, when others have theirs,
 * and which jobs are stopped until then.
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

static struct json_object *slot(const struct cs_adapter *b, uint32_t n)
{
	struct json_object *o = json_object_new_object();
	struct cs_slot_now s = { CS_TIME_NONE, 0, 0 };

	cs_engine_slot(b->engine, n, &s);
	cs_put_number(o, "slot", n);
	seconds(o, "next_s", s.next_us);
	cs_put_number(o, "jobs", s.jobs);
	cs_put_number(o, "nodes", s.nodes);
	return o;
}

static struct json_object *job(const struct cs_adapter *b,
			       const struct cs_known_job *k,
			       const struct cs_running *r)
{
	struct json_object *o = json_object_new_object();
	char id[32];

	cs_reason_call_job(k, "", id, sizeof(id));
	cs_put_number(o, "job", k->id);
	cs_put_string(o, "id", id);
	if (!b->stops.now.slots)
		cs_put_string(o, "class", cs_class_name(r->class));
	cs_put_number(o, "nodes", r->alloc->n_node);
	cs_put_number(o, "stops", k->stops);
	seconds(o, "again_s", cs_engine_again_us(b->engine, k->id));
	return o;
}

static void look(const struct cs_adapter *b, struct classes *n,
		 struct json_object *list)
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
			json_object_array_add(list, job(b, k, &r));
		} else {
			n->running[class] += !r.suspended;
		}
	}
}

/* slice=gang: slots of a round. */
static void put_slots(const struct cs_adapter *b, struct json_object *into)
{
	struct json_object *slots = json_object_new_array();

	for (uint32_t n = 1; n <= b->stops.now.slots; n++)
		json_object_array_add(slots, slot(b, n));
	cs_put_number(into, "slot", b->stops.now.slot);
	json_object_object_add(into, "slots", slots);
}

static void put_classes(const struct cs_adapter *b, const struct classes *n,
			struct json_object *into)
{
	struct json_object *classes = json_object_new_array();

	for (uint32_t c = 0; c < CS_CLASSES; c++)
		json_object_array_add(classes, class_of(&b->stops.now, c, n));
	cs_put_string(into, "slice", cs_class_name(b->stops.now.class));
	seconds(into, "serves_s", b->stops.now.serve_us);
	json_object_object_add(into, "classes", classes);
}

int cs_adapter_slices(const struct cs_adapter *b, struct json_object *into)
{
	struct json_object *jobs;
	struct classes n = { 0 };

	if (!b->engine)
		return -EAGAIN;
	if (!b->stops.sliced)
		return -ENOENT;
	jobs = json_object_new_array();
	look(b, &n, jobs);
	if (b->stops.now.slots)
		put_slots(b, into);
	else
		put_classes(b, &n, into);
	seconds(into, "end_s", b->stops.now.end_us);
	json_object_object_add(into, "stopped", jobs);
	return 0;
}
