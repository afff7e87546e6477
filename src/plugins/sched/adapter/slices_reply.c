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

struct turn {
	uint32_t slot;
	struct cs_slot_now now;
};

static struct json_object *slot(const struct turn *t)
{
	struct json_object *o = json_object_new_object();

	cs_put_number(o, "slot", t->slot);
	seconds(o, "next_s", t->now.next_us);
	cs_put_number(o, "jobs", t->now.jobs);
	cs_put_number(o, "nodes", t->now.nodes);
	return o;
}

static int by_next(const void *x, const void *y)
{
	const struct turn *a = x, *b = y;

	if (a->now.next_us != b->now.next_us)
		return a->now.next_us < b->now.next_us ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
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
	seconds(o, "again_s",
		r->stopped ? cs_engine_again_us(b->engine, k->id)
			   : CS_TIME_NONE);
	return o;
}

/* @list: gets the stopped ones; NULL: they are only counted. */
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
		} else if (r.keeps) {
			n->stopped[class]++;
			if (list)
				json_object_array_add(list, job(b, k, &r));
		} else {
			n->running[class] += !r.suspended;
		}
	}
}

/* slice=gang: slots of a round, in the order of their turns. */
static int put_slots(const struct cs_adapter *b, struct json_object *into)
{
	uint32_t n = b->stops.now.slots;
	struct json_object *slots;
	struct turn *t = calloc(n, sizeof(*t));

	if (!t)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		t[i] = (struct turn){ i + 1, { CS_TIME_NONE, 0, 0 } };
		cs_engine_slot(b->engine, i + 1, &t[i].now);
	}
	qsort(t, n, sizeof(*t), by_next);
	slots = json_object_new_array();
	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(slots, slot(&t[i]));
	free(t);
	cs_put_number(into, "slot", b->stops.now.slot);
	json_object_object_add(into, "slots", slots);
	return 0;
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
	int rc = 0;

	if (!b->engine)
		return -EAGAIN;
	if (!b->stops.sliced)
		return -ENOENT;
	jobs = json_object_new_array();
	look(b, &n, jobs);
	if (b->stops.now.slots)
		rc = put_slots(b, into);
	else
		put_classes(b, &n, into);
	cs_put_number(into, "now_s", b->now_us / 1000000);
	seconds(into, "end_s", b->stops.now.end_us);
	json_object_object_add(into, "stopped", jobs);
	return rc;
}

void cs_adapter_slice_now(const struct cs_adapter *b, struct json_object *into)
{
	struct json_object *o;
	struct classes n = { 0 };
	int64_t stopped = 0;

	if (!b->stops.sliced)
		return;
	o = json_object_new_object();
	look(b, &n, NULL);
	for (uint32_t c = 0; c < CS_CLASSES; c++)
		stopped += n.stopped[c];
	if (b->stops.now.slots) {
		cs_put_number(o, "slot", b->stops.now.slot);
		cs_put_number(o, "slots", b->stops.now.slots);
	} else {
		cs_put_string(o, "class", cs_class_name(b->stops.now.class));
	}
	seconds(o, "end_s", b->stops.now.end_us);
	cs_put_number(o, "stopped", stopped);
	json_object_object_add(into, "slice", o);
}
