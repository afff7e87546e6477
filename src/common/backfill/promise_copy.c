/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy's promises: those to heads, the plan, and the ends that both go by. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/backfill.h"
#include "backfill/easy.h"
#include "backfill/plan_parts.h"
#include "state/copied.h"

static int copy_endings(const struct cs_engine *e, struct cs_endings *to,
			const struct cs_endings *from)
{
	if (!from->cap)
		return 0;
	to->ending = calloc(from->cap, sizeof(*to->ending));
	if (!to->ending)
		return -ENOMEM;
	to->n = from->n;
	to->cap = from->cap;
	to->sorted = from->sorted;
	to->seen = from->seen;
	for (uint32_t i = 0; i < from->n; i++)
		to->ending[i] = (struct cs_ending){
			from->ending[i].end_us,
			cs_copied_job(e, from->ending[i].job)
		};
	return 0;
}

static int copy_heads(const struct cs_engine *e, const struct cs_engine *was,
		      struct cs_promises *to, const struct cs_promises *from)
{
	size_t size = cs_node_words(e->machine) * sizeof(uint64_t);

	for (size_t i = 0; i < from->n; i++) {
		const struct cs_promise *x = &from->promise[i];
		struct cs_promise *r = cs_promise_new(e, to), own;

		if (!r)
			return -ENOMEM;
		own = *r;
		*r = *x;
		r->job = cs_engine_job(e, x->job_id);
		r->nodes = own.nodes;
		r->room = own.room;
		r->rest = own.rest;
		r->at = own.at;
		cs_copied_shape(e, was, &r->shape);
		memcpy(r->nodes, x->nodes, size);
		memcpy(r->room, x->room, size);
		if (!x->counted)
			cs_occ_copy(&r->at, &x->at);
		to->n++;
	}
	return 0;
}

int cs_backfill_copy(struct cs_engine *to, const struct cs_engine *from,
		     uint32_t sm)
{
	return copy_endings(to, &to->sms[sm].endings, &from->sms[sm].endings)
		       ?: copy_heads(to, from, &to->sms[sm].heads,
				     &from->sms[sm].heads);
}

/* ---- the plan ------------------------------------------------------------ */

static int copy_line(struct cs_timeline **to, const struct cs_timeline *from,
		     uint32_t classes)
{
	if (!from)
		return 0;
	*to = cs_timeline_create(classes);
	return *to ? cs_timeline_copy(*to, from) : -ENOMEM;
}

/* @n numbers of @size bytes, where there are any. */
static bool copy_numbers(void *ret, const void *from, size_t n, size_t size)
{
	void *copy = from ? calloc(n, size) : NULL;

	if (copy)
		memcpy(copy, from, n * size);
	memcpy(ret, &copy, sizeof(copy));
	return !from || copy;
}

static bool copy_sets(struct cs_plan *to, const struct cs_plan *from)
{
	to->n_set = 0;
	to->set = from->n_set ? calloc(from->n_set, sizeof(*to->set)) : NULL;
	for (uint32_t i = 0; to->set && i < from->n_set; i++) {
		to->n_set++;
		to->set[i].n = from->set[i].n;
		if (!copy_numbers(&to->set[i].class, from->set[i].class,
				  CS_PLAN_CLASSES, sizeof(*to->set[i].class)))
			return false;
	}
	return !from->n_set || to->set;
}

/* What is scratch keeps its room and not what is in it. */
static bool copy_classes(struct cs_plan *to, const struct cs_plan *from,
			 uint32_t nodes)
{
	const size_t n = CS_PLAN_CLASSES;
	bool all;

	all = copy_numbers(&to->class_of, from->class_of, nodes,
			   sizeof(*to->class_of));
	all &= copy_numbers(&to->release, from->release, nodes,
			    sizeof(*to->release));
	all &= copy_numbers(&to->like, from->like, n, sizeof(*to->like));
	all &= copy_numbers(&to->of, from->of, n, sizeof(*to->of));
	all &= copy_numbers(&to->held, from->held, n, sizeof(*to->held));
	all &= copy_numbers(&to->gpu_line, from->gpu_line, CS_PLAN_KINDS,
			    sizeof(*to->gpu_line));
	all &= copy_numbers(&to->cores, from->cores, CS_PLAN_LINES,
			    sizeof(*to->cores));
	all &= copy_numbers(&to->unit, from->unit, n, sizeof(*to->unit));
	all &= copy_numbers(&to->up, from->up, n, sizeof(*to->up));
	all &= copy_numbers(&to->what_if, from->what_if, CS_PLAN_LINES,
			    sizeof(*to->what_if));
	all &= copy_numbers(&to->times, from->times, 1,
			    cs_plan_times_bytes(from->times));
	return copy_sets(to, from) && all;
}

int cs_plan_copy(struct cs_engine *to, const struct cs_engine *from,
		 uint32_t sm)
{
	const struct cs_plan *was = from->sms[sm].plan;
	struct cs_plan *p = to->sms[sm].plan;

	*p = *was;
	p->base = p->line = p->trial = NULL;
	p->order = NULL;
	p->n_order = p->cap_order = 0;
	p->array = NULL;
	to->sms[sm].stale |= p->ahead;
	p->ahead = false;
	if (!copy_classes(p, was, from->machine->n_node))
		return -ENOMEM;
	return copy_line(&p->base, was->base, was->n_line)
		       ?: copy_line(&p->line, was->line, was->n_line)
		       ?: copy_line(&p->trial, was->trial, was->n_line);
}
