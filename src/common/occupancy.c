/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "occupancy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cs_occ_init(struct cs_occ *o, const struct cs_machine *m)
{
	memset(o, 0, sizeof(*o));
	o->machine = m;
	o->node = calloc(m->n_node, sizeof(*o->node));
	o->used = calloc((size_t)m->n_node * m->words, sizeof(*o->used));
	o->down = calloc(cs_node_words(m), sizeof(*o->down));
	if (!o->node || !o->used || !o->down) {
		cs_occ_done(o);
		return -ENOMEM;
	}
	for (uint32_t n = 0; n < m->n_node; n++)
		o->node[n].free_cores = cs_node_cores(&m->node[n]);
	return 0;
}

void cs_occ_done(struct cs_occ *o)
{
	free(o->node);
	free(o->used);
	free(o->down);
	memset(o, 0, sizeof(*o));
}

void cs_occ_copy(struct cs_occ *to, const struct cs_occ *from)
{
	const struct cs_machine *m = from->machine;

	memcpy(to->node, from->node, m->n_node * sizeof(*to->node));
	memcpy(to->used, from->used,
	       (size_t)m->n_node * m->words * sizeof(*to->used));
	memcpy(to->down, from->down, cs_node_words(m) * sizeof(*to->down));
}

void cs_occ_add_memory(struct cs_occ *o, const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		o->node[a->node[i].node].used_mb += a->node[i].mem_mb;
}

void cs_occ_remove_memory(struct cs_occ *o, const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		o->node[a->node[i].node].used_mb -= a->node[i].mem_mb;
}

static uint32_t *count_of(struct cs_occ_node *n, enum cs_hold h)
{
	return h == CS_HOLD_COUNTED  ? &n->counted
	       : h == CS_HOLD_PACKED ? &n->packed
				     : &n->exclusive;
}

static uint32_t bits(const uint64_t *set, uint32_t words)
{
	uint32_t k = 0;

	for (uint32_t w = 0; w < words; w++)
		k += (uint32_t)__builtin_popcountll(set[w]);
	return k;
}

/* free_cores follows the mask, so that a host which booked a core twice (an
 * administrator's resume can) leaves no wrong count behind. */
static void recount(struct cs_occ *o, uint32_t n)
{
	o->node[n].free_cores = cs_node_cores(&o->machine->node[n]) -
				bits(cs_occ_used(o, n), o->machine->words);
}

void cs_occ_add(struct cs_occ *o, const struct cs_alloc *a, enum cs_hold h)
{
	uint32_t words = o->machine->words;

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		const uint64_t *c = cs_alloc_cores(a, i);

		for (uint32_t w = 0; w < words; w++)
			o->used[(uint64_t)n * words + w] |= c[w];
		recount(o, n);
		++*count_of(&o->node[n], h);
	}
	cs_occ_add_memory(o, a);
}

void cs_occ_remove(struct cs_occ *o, const struct cs_alloc *a, enum cs_hold h)
{
	uint32_t words = o->machine->words;

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		const uint64_t *c = cs_alloc_cores(a, i);

		for (uint32_t w = 0; w < words; w++)
			o->used[(uint64_t)n * words + w] &= ~c[w];
		recount(o, n);
		--*count_of(&o->node[n], h);
	}
	cs_occ_remove_memory(o, a);
}
