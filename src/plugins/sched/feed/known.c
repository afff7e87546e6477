/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/feed/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t home(const struct cs_known *k, uint32_t id)
{
	return id * 2654435761u & (k->slots - 1);
}

static uint32_t place_of(const struct cs_known *k, uint32_t id)
{
	uint32_t h = home(k, id);

	while (k->slot[h] && k->slot[h]->id != id)
		h = (h + 1) & (k->slots - 1);
	return h;
}

struct cs_known_job *cs_known_find(const struct cs_known *k, uint32_t id)
{
	return k->slots ? k->slot[place_of(k, id)] : NULL;
}

static bool grow(struct cs_known *k)
{
	uint32_t cap = k->cap ? 2 * k->cap : 256;
	struct cs_known_job **p = realloc(k->list, cap * sizeof(*p));

	if (!p)
		return false;
	k->list = p;
	p = calloc(4 * cap, sizeof(*p));
	if (!p)
		return false;
	free(k->slot);
	k->slot = p;
	k->slots = 4 * cap;
	k->cap = cap;
	for (uint32_t i = 0; i < k->n; i++)
		k->slot[place_of(k, k->list[i]->id)] = k->list[i];
	return true;
}

struct cs_known_job *cs_known_add(struct cs_known *k, uint32_t id)
{
	struct cs_known_job *j;

	if (k->n == k->cap && !grow(k))
		return NULL;
	j = calloc(1, sizeof(*j));
	if (!j)
		return NULL;
	j->id = id;
	j->pos = k->n;
	k->list[k->n++] = j;
	k->slot[place_of(k, id)] = j;
	return j;
}

static void drop(struct cs_known_job *j)
{
	free(j->bytes);
	free(j->order);
	free(j->why);
	free(j);
}

void cs_known_remove(struct cs_known *k, struct cs_known_job *j)
{
	uint32_t mask = k->slots - 1, h = place_of(k, j->id);

	k->slot[h] = NULL;
	/* Close the gap: what follows may have been pushed past it. */
	for (uint32_t i = (h + 1) & mask; k->slot[i]; i = (i + 1) & mask) {
		struct cs_known_job *x = k->slot[i];

		k->slot[i] = NULL;
		k->slot[place_of(k, x->id)] = x;
	}
	k->list[j->pos] = k->list[--k->n];
	k->list[j->pos]->pos = j->pos;
	drop(j);
}

void cs_known_done(struct cs_known *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		drop(k->list[i]);
	free(k->list);
	free(k->slot);
	memset(k, 0, sizeof(*k));
}

int cs_known_told(struct cs_known_job *j, const void *bytes, size_t n)
{
	if (n > j->n_bytes || !j->bytes) {
		unsigned char *p = realloc(j->bytes, n);

		if (!p)
			return -ENOMEM;
		j->bytes = p;
	}
	memcpy(j->bytes, bytes, n);
	j->n_bytes = n;
	j->fit = CS_FIT_UNKNOWN;
	return 0;
}

void cs_known_order(struct cs_known_job *j, const uint32_t *order, uint32_t n,
		    uint32_t orders)
{
	free(j->order);
	j->order = n ? malloc(n * sizeof(*order)) : NULL;
	j->n_order = j->order ? n : 0;
	j->orders = j->order ? orders : 0;
	if (j->order)
		memcpy(j->order, order, n * sizeof(*order));
}

void cs_known_taken(struct cs_known_job *j)
{
	free(j->why);
	j->why = NULL;
	j->ghost = j->again = false;
}

void cs_known_ghost(struct cs_known_job *j, const char *why)
{
	cs_known_taken(j);
	j->ghost = true;
	j->why = strdup(why);
}

struct cs_view_desc *cs_known_desc(const struct cs_known_job *j)
{
	return j->bytes ? (struct cs_view_desc *)(void *)j->bytes : NULL;
}

struct cs_view_option *cs_known_options(const struct cs_known_job *j)
{
	return (struct cs_view_option *)(void *)(j->bytes +
						 sizeof(struct cs_view_desc));
}
