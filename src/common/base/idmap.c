/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/idmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cs_idmap_done(struct cs_idmap *m)
{
	free(m->at);
	memset(m, 0, sizeof(*m));
}

void cs_idmap_clear(struct cs_idmap *m)
{
	if (m->n)
		memset(m->at, 0, m->cap * sizeof(*m->at));
	m->n = 0;
}

static size_t home(const struct cs_idmap *m, uint64_t id)
{
	id = (id ^ id >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(id >> 32) & (m->cap - 1);
}

/* The place of @id, or the free one where it would go. */
static size_t place_of(const struct cs_idmap *m, uint64_t id)
{
	size_t i = home(m, id);

	while (m->at[i].thing && m->at[i].id != id)
		i = (i + 1) & (m->cap - 1);
	return i;
}

int cs_idmap_reserve(struct cs_idmap *m, size_t n)
{
	struct cs_idmap more = { .cap = m->cap ? m->cap : 64 };

	while (more.cap / 2 < n)
		more.cap *= 2;
	if (more.cap == m->cap)
		return 0;
	more.at = calloc(more.cap, sizeof(*more.at));
	if (!more.at)
		return -ENOMEM;
	for (size_t i = 0; i < m->cap; i++)
		if (m->at[i].thing)
			cs_idmap_add(&more, m->at[i].id, m->at[i].thing);
	free(m->at);
	*m = more;
	return 0;
}

void *cs_idmap_find(const struct cs_idmap *m, uint64_t id)
{
	return m->cap ? m->at[place_of(m, id)].thing : NULL;
}

void cs_idmap_add(struct cs_idmap *m, uint64_t id, void *thing)
{
	m->at[place_of(m, id)] = (struct cs_idmap_at){ thing, id };
	m->n++;
}

void *cs_idmap_remove(struct cs_idmap *m, uint64_t id)
{
	const size_t mask = m->cap - 1;
	size_t gap = m->cap ? place_of(m, id) : 0;
	void *thing = m->cap ? m->at[gap].thing : NULL;

	if (!thing)
		return NULL;
	/* close the gap: what follows may have been pushed past it */
	for (size_t i = (gap + 1) & mask; m->at[i].thing; i = (i + 1) & mask)
		if (((i - home(m, m->at[i].id)) & mask) >= ((i - gap) & mask)) {
			m->at[gap] = m->at[i];
			gap = i;
		}
	m->at[gap].thing = NULL;
	m->n--;
	return thing;
}
