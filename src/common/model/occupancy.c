/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/occupancy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cs_occ_init(struct cs_occ *o, const struct cs_machine *m)
{
	memset(o, 0, sizeof(*o));
	o->machine = m;
	o->node = calloc(m->n_node, sizeof(*o->node));
	o->used = calloc((size_t)m->n_node * m->words, sizeof(*o->used));
	if (m->core_jobs > 1)
		o->more = calloc((size_t)(m->core_jobs - 1) * m->n_node *
					 m->words,
				 sizeof(*o->more));
	o->down = calloc(cs_node_words(m), sizeof(*o->down));
	o->empty = calloc(cs_node_words(m), sizeof(*o->empty));
	if (m->gpus_most) {
		o->gpus = calloc(m->n_node, sizeof(*o->gpus));
		o->gpu_used = calloc((size_t)m->n_node * m->gpus_most,
				     sizeof(*o->gpu_used));
	}
	if (!o->node || !o->used || !o->down || !o->empty ||
	    (m->core_jobs > 1 && !o->more) ||
	    (m->gpus_most && (!o->gpus || !o->gpu_used))) {
		cs_occ_done(o);
		return -ENOMEM;
	}
	for (uint32_t n = 0; n < m->n_node; n++) {
		cs_occ_renew(o, n);
		cs_bit_set(o->empty, n);
	}
	return 0;
}

void cs_occ_renew(struct cs_occ *o, uint32_t n)
{
	const struct cs_node *node = &o->machine->node[n];

	o->node[n].free_cores = cs_node_cores(node);
	if (cs_node_vacant(node))
		cs_bit_set(o->down, n);
}

void cs_occ_done(struct cs_occ *o)
{
	free(o->node);
	free(o->used);
	free(o->more);
	free(o->down);
	free(o->empty);
	free(o->gpus);
	free(o->gpu_used);
	memset(o, 0, sizeof(*o));
}

void cs_occ_copy(struct cs_occ *to, const struct cs_occ *from)
{
	const struct cs_machine *m = from->machine;

	memcpy(to->node, from->node, m->n_node * sizeof(*to->node));
	memcpy(to->used, from->used,
	       (size_t)m->n_node * m->words * sizeof(*to->used));
	if (from->more)
		memcpy(to->more, from->more,
		       (size_t)(m->core_jobs - 1) * m->n_node * m->words *
			       sizeof(*to->more));
	memcpy(to->down, from->down, cs_node_words(m) * sizeof(*to->down));
	memcpy(to->empty, from->empty, cs_node_words(m) * sizeof(*to->empty));
	if (from->gpus) {
		memcpy(to->gpus, from->gpus, m->n_node * sizeof(*to->gpus));
		memcpy(to->gpu_used, from->gpu_used,
		       (size_t)m->n_node * m->gpus_most *
			       sizeof(*to->gpu_used));
	}
	to->used_cores = from->used_cores;
	to->used_nodes = from->used_nodes;
	to->shared_nodes = from->shared_nodes;
}

/* Take or give back @set of the GPUs of node @n, of each @share thousandths. */
static void move_gpus(struct cs_occ *o, uint32_t n, uint64_t set,
		      uint32_t share, bool take)
{
	uint32_t *used = o->gpu_used + (uint64_t)n * o->machine->gpus_most;
	const struct cs_gpus *g = o->machine->node[n].gpus;

	for (set &= cs_gpus_of(g, 0); set;) {
		uint32_t i = cs_bit_pop(&set);

		used[i] += take ? share : -share;
		cs_bit_put(&o->gpus[n], i, used[i] != 0);
	}
}

static void gpus(struct cs_occ *o, const struct cs_alloc *a, bool take)
{
	uint32_t share = a->gpu_share ? a->gpu_share : CS_GPU_WHOLE;

	for (uint32_t i = 0; o->gpus && i < a->n_node; i++)
		if (a->node[i].gpus)
			move_gpus(o, a->node[i].node, a->node[i].gpus, share,
				  take);
}

void cs_occ_add_gpus(struct cs_occ *o, const struct cs_alloc *a)
{
	gpus(o, a, true);
}

void cs_occ_remove_gpus(struct cs_occ *o, const struct cs_alloc *a)
{
	gpus(o, a, false);
}

void cs_occ_add_memory(struct cs_occ *o, const struct cs_alloc *a)
{
	gpus(o, a, true);
	for (uint32_t i = 0; i < a->n_node; i++)
		o->node[a->node[i].node].used_mb += a->node[i].mem_mb;
}

void cs_occ_remove_memory(struct cs_occ *o, const struct cs_alloc *a)
{
	gpus(o, a, false);
	for (uint32_t i = 0; i < a->n_node; i++)
		o->node[a->node[i].node].used_mb -= a->node[i].mem_mb;
}

/* @more jobs on node @n: 1, or UINT32_MAX for one less. */
static inline void count(struct cs_occ *o, uint32_t n, enum cs_node_use h,
			 uint32_t more)
{
	struct cs_occ_node *on = &o->node[n];
	uint32_t before = cs_occ_jobs(on), now = before + more;

	*(h == CS_NODE_COUNTED	? &on->counted
	  : h == CS_NODE_PACKED ? &on->packed
				: &on->exclusive) += more;
	if (before > 1 || now > 1) {
		o->shared_nodes += (now > 1 ? 1U : 0) - (before > 1 ? 1U : 0);
		return;
	}
	o->used_nodes += more;
	if (now)
		cs_bit_clear(o->empty, n);
	else
		cs_bit_set(o->empty, n);
}

/* Take, or give back, word @w of the cores of each node of @a. free_cores follows the
 * mask, so that a host that booked a core twice (an administrator's resume can) leaves
 * no wrong count. */
static inline void set_cores(struct cs_occ *o, const struct cs_alloc *a,
			     uint32_t w, bool take)
{
	const uint32_t words = o->machine->words, n_node = a->n_node;
	const uint64_t *cores = a->cores + w;
	uint64_t *used = o->used + w, last = 0;
	uint32_t taken = 0, more = 0;

	for (uint32_t i = 0; i < n_node; i++, cores += words) {
		uint32_t n = a->node[i].node;
		uint64_t was = used[(uint64_t)n * words];
		uint64_t c = *cores & (take ? ~was : was);

		/* the nodes of a job are mostly alike */
		if (c != last)
			more = cs_popcount(last = c);
		used[(uint64_t)n * words] = was ^ c;
		o->node[n].free_cores += take ? -more : more;
		taken += more;
	}
	o->used_cores += take ? taken : -taken;
}

/* The cores @c of word @w of node @n get one more job; returns those that had none. */
static uint64_t add_jobs(struct cs_occ *o, uint32_t n, uint32_t w, uint64_t c)
{
	uint64_t was = cs_occ_used(o, n)[w], rest = c & was;

	for (uint32_t jobs = 1; rest && jobs < o->machine->core_jobs; jobs++) {
		uint64_t *more = cs_occ_more(o, jobs, n) + w, had = *more;

		*more |= rest;
		rest &= had;
	}
	return c & ~was;
}

/* They get one less; returns those that have none then. */
static uint64_t remove_jobs(struct cs_occ *o, uint32_t n, uint32_t w,
			    uint64_t c)
{
	for (uint32_t jobs = o->machine->core_jobs; c && --jobs;) {
		uint64_t *more = cs_occ_more(o, jobs, n) + w, gone = *more & c;

		*more &= ~gone;
		c &= ~gone;
	}
	return c;
}

/* set_cores() where a core may have several jobs. */
static void set_shared_cores(struct cs_occ *o, const struct cs_alloc *a,
			     bool take)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		for (uint32_t w = 0; w < a->words; w++) {
			uint32_t n = a->node[i].node, more;
			uint64_t *used =
				o->used + (uint64_t)n * o->machine->words + w;
			uint64_t c = cs_alloc_cores(a, i)[w];

			c = take ? add_jobs(o, n, w, c)
				 : remove_jobs(o, n, w, c) & *used;
			*used ^= c;
			more = cs_popcount(c);
			o->node[n].free_cores += take ? -more : more;
			o->used_cores += take ? more : -more;
		}
}

bool cs_occ_is_free(const struct cs_occ *o, const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		for (uint32_t w = 0; w < a->words; w++)
			if (cs_alloc_cores(a, i)[w] &
			    cs_occ_used(o, a->node[i].node)[w])
				return false;
	return true;
}

void cs_occ_add(struct cs_occ *o, const struct cs_alloc *a, enum cs_node_use h)
{
	const struct cs_alloc_node *x = a->node, *end = x + a->n_node;

	if (o->more)
		set_shared_cores(o, a, true);
	for (uint32_t w = 0; !o->more && w < a->words; w++)
		set_cores(o, a, w, true);
	gpus(o, a, true);
	for (; x < end; x++) {
		o->node[x->node].used_mb += x->mem_mb;
		count(o, x->node, h, 1);
		o->node[x->node].owner += h == CS_NODE_PACKED ? a->owner : 0;
	}
}

void cs_occ_remove(struct cs_occ *o, const struct cs_alloc *a,
		   enum cs_node_use h)
{
	const struct cs_alloc_node *x = a->node, *end = x + a->n_node;

	if (o->more)
		set_shared_cores(o, a, false);
	for (uint32_t w = 0; !o->more && w < a->words; w++)
		set_cores(o, a, w, false);
	gpus(o, a, false);
	for (; x < end; x++) {
		o->node[x->node].used_mb -= x->mem_mb;
		count(o, x->node, h, UINT32_MAX);
		o->node[x->node].owner -= h == CS_NODE_PACKED ? a->owner : 0;
	}
}
