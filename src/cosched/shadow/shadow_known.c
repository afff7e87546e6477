/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shadow/shadow_known.h"

#include <errno.h>
#include <stdlib.h>

static void enter(struct cs_shadow_known *ring, struct cs_shadow_known *k)
{
	k->next = ring;
	k->prev = ring->prev;
	k->next->prev = k->prev->next = k;
}

static void leave(struct cs_shadow_known *k)
{
	k->prev->next = k->next;
	k->next->prev = k->prev;
}

void cs_shadow_all_init(struct cs_shadow_all *a)
{
	a->waiting.next = a->waiting.prev = &a->waiting;
	a->running.next = a->running.prev = &a->running;
}

void cs_shadow_all_done(struct cs_shadow_all *a)
{
	while (a->waiting.next != &a->waiting)
		cs_shadow_forget(a, a->waiting.next);
	while (a->running.next != &a->running)
		cs_shadow_forget(a, a->running.next);
	cs_idmap_done(&a->by_id);
}

struct cs_shadow_known *cs_shadow_find(const struct cs_shadow_all *a,
				       uint32_t id)
{
	return cs_idmap_find(&a->by_id, id);
}

struct cs_shadow_known *cs_shadow_add(struct cs_shadow_all *a, uint32_t id)
{
	struct cs_shadow_known *k = cs_shadow_find(a, id);

	if (k)
		cs_shadow_forget(a, k);
	if (cs_idmap_reserve(&a->by_id, a->by_id.n + 1))
		return NULL;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->id = id;
	k->asked_us = CS_TIME_NONE;
	cs_idmap_add(&a->by_id, id, k);
	enter(&a->waiting, k);
	return k;
}

void cs_shadow_forget(struct cs_shadow_all *a, struct cs_shadow_known *k)
{
	cs_idmap_remove(&a->by_id, k->id);
	leave(k);
	free(k->job);
	free(k->start);
	free(k->would);
	free(k->node);
	free(k);
}

int cs_shadow_goes(struct cs_shadow_all *a, struct cs_shadow_known *k,
		   const struct cs_log_alloc *alloc)
{
	leave(k);
	enter(&a->running, k);
	k->runs = true;
	free(k->node);
	k->node = NULL;
	k->n_node = 0;
	return alloc ? cs_shadow_nodes(alloc, &k->node, &k->n_node) : 0;
}

int cs_shadow_nodes(const struct cs_log_alloc *alloc, struct cs_range **ret,
		    size_t *ret_n)
{
	struct cs_range *r = calloc(alloc->n_part + 1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	for (size_t i = 0; i < alloc->n_part; i++)
		r[i] = alloc->part[i].nodes;
	*ret = r;
	*ret_n = alloc->n_part;
	return 0;
}

/* Both lists increase. */
bool cs_shadow_meet(const struct cs_range *a, size_t n,
		    const struct cs_range *b, size_t m)
{
	for (size_t i = 0, k = 0; i < n && k < m;) {
		if (a[i].last < b[k].first)
			i++;
		else if (b[k].last < a[i].first)
			k++;
		else
			return true;
	}
	return false;
}
