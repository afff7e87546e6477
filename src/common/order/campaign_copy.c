/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy's campaigns and their users; campaigns are known again by their seq. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "order/campaign.h"
#include "order/campaigns.h"
#include "state/copied.h"

static struct cs_campaign *copied(const struct cs_idmap *by_seq,
				  const struct cs_campaign *c)
{
	return c ? cs_idmap_find(by_seq, c->seq) : NULL;
}

/* @c as the last of @u. */
static int add_campaign(struct cs_ostrich_user *u, const struct cs_campaign *c,
			struct cs_idmap *by_seq)
{
	struct cs_campaign *x = malloc(sizeof(*x));

	if (!x)
		return -ENOMEM;
	*x = *c;
	x->user = u;
	x->prev = u->last;
	x->next = x->next_dirty = NULL;
	x->dirty_at = NULL;
	*(u->last ? &u->last->next : &u->first) = x;
	u->last = x;
	if (cs_idmap_reserve(by_seq, by_seq->n + 1))
		return -ENOMEM;
	cs_idmap_add(by_seq, x->seq, x);
	return 0;
}

static int add_user(struct cs_ostrich *o, const struct cs_ostrich_user *was,
		    struct cs_idmap *by_seq)
{
	struct cs_ostrich_user *u = cs_ostrich_user(o, was->name);
	int rc = u ? 0 : -ENOMEM;

	if (!u)
		return rc;
	u->weight = was->weight;
	u->numbers = was->numbers;
	u->busy = was->busy;
	u->heap = was->heap;
	u->last_job = was->last_job;
	u->last_join_us = was->last_join_us;
	for (const struct cs_campaign *c = was->first; !rc && c; c = c->next)
		rc = add_campaign(u, c, by_seq);
	u->head = copied(by_seq, was->head);
	return rc;
}

/* The changed ones in the order of @from. */
static void copy_dirty(struct cs_ostrich *o, const struct cs_ostrich *from,
		       const struct cs_idmap *by_seq)
{
	struct cs_campaign **at = &o->dirty;

	for (struct cs_campaign *c = from->dirty; c; c = c->next_dirty) {
		*at = copied(by_seq, c);
		(*at)->dirty_at = at;
		at = &(*at)->next_dirty;
	}
}

static int copy_schedule(struct cs_ostrich *o, const struct cs_ostrich *from,
			 struct cs_idmap *by_seq)
{
	int rc = 0;

	for (const struct cs_ostrich_user *u = from->first; !rc && u;
	     u = u->next)
		rc = add_user(o, u, by_seq);
	if (rc)
		return rc;
	o->procs = from->procs;
	o->now_us = from->now_us;
	o->v = from->v;
	o->rest = from->rest;
	o->weights = from->weights;
	o->seq = from->seq;
	o->active = from->active;
	o->waits = from->waits;
	for (uint32_t i = 0; i < from->active; i++)
		o->heap[i] = cs_ostrich_find(o, from->heap[i]->name);
	o->told = from->told ? cs_ostrich_find(o, from->told->name) : NULL;
	copy_dirty(o, from, by_seq);
	return 0;
}

/* What was told of before the first job. */
static int copy_kept(struct cs_campaigns *k, const struct cs_campaigns *from,
		     const struct cs_idmap *by_seq)
{
	k->kept = calloc(from->n_kept + (size_t)1, sizeof(*k->kept));
	k->kept_job =
		calloc(from->n_kept_job + (size_t)1, sizeof(*k->kept_job));
	if (!k->kept || !k->kept_job)
		return -ENOMEM;
	k->n_kept = k->cap_kept = from->n_kept;
	k->n_kept_job = k->cap_kept_job = from->n_kept_job;
	for (uint32_t i = 0; i < k->n_kept; i++)
		k->kept[i] = (struct cs_kept_campaign){
			from->kept[i].seq,
			copied(by_seq, from->kept[i].campaign)
		};
	for (uint32_t i = 0; i < k->n_kept_job; i++) {
		k->kept_job[i] = from->kept_job[i];
		k->kept_job[i].campaign =
			copied(by_seq, from->kept_job[i].campaign);
	}
	return 0;
}

static int copy_due(const struct cs_engine *e, struct cs_campaigns *k,
		    const struct cs_campaigns *from)
{
	if (!from->cap_due)
		return 0;
	k->due = calloc(from->cap_due, sizeof(struct cs_ejob *));
	if (!k->due)
		return -ENOMEM;
	k->cap_due = from->cap_due;
	k->n_due = from->n_due;
	for (uint32_t i = 0; i < k->n_due; i++)
		k->due[i] = cs_copied_job(e, from->due[i]);
	return 0;
}

int cs_campaign_copy(struct cs_engine *to, const struct cs_engine *from)
{
	const struct cs_campaigns *was = from->campaigns;
	struct cs_campaigns *k = to->campaigns;
	struct cs_idmap by_seq = { 0 };
	int rc = copy_schedule(k->virtual, was->virtual, &by_seq);

	if (!rc)
		rc = copy_kept(k, was, &by_seq) ?: copy_due(to, k, was);
	for (uint32_t i = 0; !rc && i < from->n_slot; i++)
		if (from->slot[i])
			to->slot[i]->campaign =
				copied(&by_seq, from->slot[i]->campaign);
	k->like = was->like;
	k->longest_us = was->longest_us;
	k->shorter = was->shorter;
	k->sorted = was->sorted;
	k->told = was->told;
	k->kept_us = was->kept_us;
	cs_idmap_done(&by_seq);
	return rc;
}
