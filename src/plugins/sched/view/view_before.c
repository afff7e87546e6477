/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/view/view_before.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

struct place { /* of a waiting job's block */
	uint32_t id;
	size_t at; /* in words */
};

struct cs_view_before {
	uint64_t *mem; /* its blocks */
	size_t cap;
	struct place *place; /* [n], of the look before, in its order */
	uint32_t n, cap_place, next;
	uint32_t passed;   /* places looked at in vain, in this look */
	struct place *now; /* [n_now], of this look */
	uint32_t n_now, cap_now;
	uint32_t *least; /* [n_least] by partition: priority of the FIRSTth */
	uint32_t n_least;
};

struct cs_view_before *cs_view_before_create(void)
{
	return calloc(1, sizeof(struct cs_view_before));
}

void cs_view_before_free(struct cs_view_before *w)
{
	if (!w)
		return;
	free(w->mem);
	free(w->place);
	free(w->now);
	free(w->least);
	free(w);
}

void cs_view_before_turn(struct cs_view *v)
{
	struct cs_view_before *w = v->before;
	struct place *place = w->place;
	uint32_t cap_place = w->cap_place;
	uint64_t *mem = w->mem;
	size_t cap = w->cap;

	w->mem = v->mem;
	w->cap = v->cap;
	v->mem = mem;
	v->cap = cap;
	w->place = w->now;
	w->n = w->n_now;
	w->cap_place = w->cap_now;
	w->now = place;
	w->cap_now = cap_place;
	w->n_now = w->next = w->passed = 0;
}

size_t cs_view_before_bytes(const struct cs_view *v)
{
	const struct cs_view_before *w = v->before;

	return (w->cap + v->cap) * sizeof(*w->mem) +
	       ((size_t)w->cap_place + w->cap_now) * sizeof(*w->place);
}

const struct cs_view_job *cs_view_before_find(struct cs_view_before *w,
					      uint32_t id)
{
	uint32_t spare = w->passed < w->n ? w->n - w->passed : 0;
	uint32_t most = spare + CS_BEFORE_AHEAD, end = w->n, i = w->next;

	if (end - i > most)
		end = i + most;
	while (i < end && w->place[i].id != id)
		i++;
	if (i == end) {
		w->passed += end - w->next;
		return NULL;
	}
	w->next = i + 1;
	return (const struct cs_view_job *)(w->mem + w->place[i].at);
}

struct cs_view_job *cs_view_before_copy(struct cs_view *v,
					const struct cs_view_job *was)
{
	struct cs_view_job *j;
	size_t words = was->size / 8;

	if (cs_array_room(&v->mem, &v->cap, v->used + words)) {
		v->nomem = true;
		return NULL;
	}
	j = (struct cs_view_job *)(v->mem + v->used);
	memcpy(j, was, was->size);
	v->used += words;
	v->n_job++;
	cs_view_before_add(v, j);
	return v->nomem ? NULL : j;
}

void cs_view_before_add(struct cs_view *v, const struct cs_view_job *j)
{
	struct cs_view_before *w = v->before;

	if (cs_array_room(&w->now, &w->cap_now, (size_t)w->n_now + 1))
		v->nomem = true;
	else
		w->now[w->n_now++] = (struct place){
			j->id, (size_t)((const uint64_t *)j - v->mem)
		};
}

/* ---- those that come first ------------------------------------------------- */

bool cs_view_before_first(const struct cs_view *v, const struct cs_view_job *j)
{
	const struct cs_view_before *w = v->before;
	const struct cs_view_option *o = cs_view_options(j);

	for (uint32_t i = 0; i < j->desc.n_option; i++)
		if (o[i].partition >= w->n_least ||
		    j->priority >= w->least[o[i].partition])
			return true;
	return false;
}

/* By partition, the higher priority first. */
static int by_priority(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

void cs_view_before_rank(struct cs_view *v)
{
	struct cs_view_before *w = v->before;
	uint64_t *all;
	size_t n = 0, cap = 0;

	w->n_least = 0;
	for (struct cs_view_job *j = cs_view_next(v, NULL); j;
	     j = cs_view_next(v, j))
		cap += j->state == CS_VIEW_WAITING ? j->desc.n_option : 0;
	all = malloc((cap + 1) * sizeof(*all));
	for (struct cs_view_job *j = cs_view_next(v, NULL); all && j;
	     j = cs_view_next(v, j))
		for (uint32_t i = 0;
		     j->state == CS_VIEW_WAITING && i < j->desc.n_option; i++)
			all[n++] = (uint64_t)cs_view_options(j)[i].partition
					   << 32 |
				   (UINT32_MAX - j->priority);
	if (all)
		qsort(all, n, sizeof(*all), by_priority);
	for (size_t i = 0, from = 0; i < n; i++) {
		uint32_t part = (uint32_t)(all[i] >> 32);
		uint32_t *p;

		if (part >= w->n_least) {
			p = realloc(w->least, (part + 1) * sizeof(*p));
			if (!p)
				break;
			w->least = p;
			memset(p + w->n_least, 0,
			       (part + 1 - w->n_least) * sizeof(*p));
			w->n_least = part + 1;
			from = i;
		}
		if (i == from + CS_BEFORE_FIRST - 1)
			w->least[part] = UINT32_MAX - (uint32_t)all[i];
	}
	free(all);
}
