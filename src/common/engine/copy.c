/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second engine like the first: from then on the same events give the same actions in
 * both.  For what-if questions: the change is made in the copy.
 *
 * A new engine is created.  All plain values are copied in one piece, so that a new
 * member needs no line here; a new pointer does, in copy_values().  What a pointer
 * refers to is copied by its owner, for stages through their tables (stage.h, copy).  A
 * job keeps its slot, by which a pointer to it is translated.  Scratch memory and the
 * actions of the last decide are not copied.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/backfill.h"
#include "engine/copy_parts.h"
#include "learn/crossed.h"
#include "state/copied.h"

static int copy_nodesets(struct cs_engine *e, const struct cs_engine *from)
{
	for (uint32_t i = 0; i < from->n_nodeset; i++)
		if (cs_engine_nodeset(e, from->nodeset[i]) != i)
			return -ENOMEM;
	return 0;
}

/* Reservations and forecasts. */
static int copy_held(struct cs_engine *e, const struct cs_engine *from)
{
	size_t words = cs_node_words(e->machine);

	e->n_held = 0;
	e->held = from->n_held ? calloc(from->n_held, sizeof(*e->held)) : NULL;
	if (from->n_held && !e->held)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->n_held; i++) {
		struct cs_held_nodes *h = &e->held[i];

		*h = from->held[i];
		h->nodes = calloc(words, sizeof(*h->nodes));
		h->cores = h->cores ? cs_alloc_copy(h->cores) : NULL;
		e->n_held++;
		if (!h->nodes || (from->held[i].cores && !h->cores))
			return -ENOMEM;
		memcpy(h->nodes, from->held[i].nodes,
		       words * sizeof(*h->nodes));
	}
	if (!from->cut)
		return 0;
	e->cut = calloc(words, sizeof(*e->cut));
	if (!e->cut || cs_occ_init(&e->cut_now, e->machine) ||
	    cs_occ_init(&e->cut_then, e->machine))
		return -ENOMEM;
	memcpy(e->cut, from->cut, words * sizeof(*e->cut));
	return 0;
}

/* All plain values; pointers stay the new engine's. */
static void copy_values(struct cs_engine *e, const struct cs_engine *from)
{
	struct cs_engine own = *e;

	*e = *from;
	e->params = own.params;
	e->machine = own.machine;
	e->profiles = own.profiles;
	e->no_profiles = own.no_profiles;
	e->model.profiles = own.model.profiles;
	memcpy(e->sms, own.sms, sizeof(e->sms));
	e->sm = e->sms + (from->sm - from->sms);
	e->slices = own.slices;
	e->turns = own.turns;
	e->lessons = own.lessons;
	e->crossed = own.crossed;
	e->site_work = own.site_work;
	e->stuck = own.stuck;
	e->campaigns = own.campaigns;
	e->shifted = own.shifted;
	e->passing =
		(struct cs_passers){ .last_job = from->passing.last_job,
				     .last_option = from->passing.last_option };
	e->scratch = own.scratch;
	e->candidate = NULL;
	e->cap_candidate = 0;
	e->mask = own.mask;
	e->mask2 = own.mask2;
	e->lines = own.lines;
	e->waited = own.waited;
	e->depth = own.depth;
	e->region = own.region;
	e->pass = own.pass;
	e->slot = NULL;
	e->n_slot = e->cap_slot = 0;
	e->hole = NULL;
	e->n_hole = e->cap_hole = 0;
	e->ids = own.ids;
	e->waiting = own.waiting;
	e->started = own.started;
	e->speeds = own.speeds;
	e->speed = NULL;
	e->nodeset = NULL;
	e->nodeset_sizes = NULL;
	e->full = NULL;
	e->cap_full = 0;
	e->n_nodeset = e->cap_nodeset = 0;
	e->held = NULL;
	e->n_held = 0;
	e->cut = NULL;
	e->cut_now = own.cut_now;
	e->cut_then = own.cut_then;
	e->shared_room = own.shared_room;
	e->action = NULL;
	e->n_action = e->cap_action = 0;
}

static int copy_sm(struct cs_engine *e, const struct cs_engine *from,
		   uint32_t i)
{
	struct cs_slice_machine *sm = &e->sms[i], own = *sm;
	const struct cs_slice_machine *was = &from->sms[i];

	*sm = *was;
	sm->now = own.now;
	sm->on = own.on;
	sm->endings = own.endings;
	sm->queue = own.queue;
	sm->heads = own.heads;
	sm->plan = own.plan;
	sm->stock = own.stock;
	sm->usable = own.usable;
	cs_occ_copy(&sm->now, &was->now);
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		struct cs_slots *s = &sm->on[n];
		uint32_t cap = was->on[n].cap;

		s->slot = cap ? calloc(cap, sizeof(*s->slot)) : NULL;
		if (cap && !s->slot)
			return -ENOMEM;
		s->cap = cap;
		s->n = was->on[n].n;
		if (s->n)
			memcpy(s->slot, was->on[n].slot,
			       s->n * sizeof(*s->slot));
	}
	return 0;
}

/* Copy all that jobs refer to. */
static int copy_machine(struct cs_engine *e, const struct cs_engine *from)
{
	int rc;

	copy_values(e, from);
	if (e->crossed)
		*e->crossed = *from->crossed;
	memcpy(e->waited, from->waited,
	       cs_node_words(e->machine) * sizeof(*e->waited));
	rc = copy_nodesets(e, from) ?: copy_held(e, from);
	for (uint32_t i = 0; !rc && i < e->n_sm; i++)
		rc = copy_sm(e, from, i);
	return rc;
}

/* Copy the lists of jobs, and the plans. */
static int copy_plans(struct cs_engine *e, const struct cs_engine *from)
{
	int rc = cs_copy_jobs(e, from);

	for (uint32_t i = 0; !rc && i < e->n_sm; i++)
		rc = cs_backfill_copy(e, from, i)
			     ?: cs_ask(e->backfill, copy, 0, e, from, i);
	return rc ?: cs_ask(e->slice, copy, 0, e, from) ?:
			cs_ask(e->order, copy, 0, e, from);
}

bool cs_engine_copies(const struct cs_engine *e)
{
	/* what is learned and not used decides nothing: the copy does without */
	return (e->slice->copy || !e->slice->init) &&
	       e->params.learn != CS_LEARN_USE;
}

struct cs_engine *cs_engine_copy_begin(const struct cs_engine *from,
				       struct cs_err *err)
{
	struct cs_params params = from->params; /* borrowed */
	struct cs_engine *e;

	if (!cs_engine_copies(from)) {
		cs_err_set(err, -ENOTSUP,
			   "engine: learn=use cannot be copied, expected off "
			   "or propose");
		return NULL;
	}
	if (from->open) {
		cs_err_set(err, -EBUSY,
			   "engine: %u starts are unanswered, expected none",
			   from->open);
		return NULL;
	}
	params.learn = CS_LEARN_OFF;
	e = cs_engine_create(&params, from->machine,
			     from->no_profiles ? NULL : from->profiles, err);
	if (e && copy_machine(e, from)) {
		cs_err_set(err, -ENOMEM, "engine: out of memory");
		cs_engine_free(e);
		e = NULL;
	}
	return e;
}

int cs_engine_copy_jobs(struct cs_engine *copy, const struct cs_engine *from,
			uint32_t most, bool *ret_more)
{
	int rc = cs_copy_slots(copy, from, most);

	*ret_more = rc == 1;
	return rc ? (rc < 0 ? rc : 0) : copy_plans(copy, from);
}

struct cs_engine *cs_engine_copy(const struct cs_engine *from,
				 struct cs_err *err)
{
	struct cs_engine *e = cs_engine_copy_begin(from, err);
	bool more;

	if (e && cs_engine_copy_jobs(e, from, UINT32_MAX, &more)) {
		cs_err_set(err, -ENOMEM, "engine: out of memory");
		cs_engine_free(e);
		e = NULL;
	}
	return e;
}
