/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/core_map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int allocate(struct cs_held *h, uint32_t n)
{
	h->n_node = n;
	h->base = calloc(n, sizeof(*h->base));
	h->cores = calloc(n, sizeof(*h->cores));
	h->room = calloc(n, sizeof(*h->room));
	h->counted = calloc(n, sizeof(*h->counted));
	h->down_s = calloc(n, sizeof(*h->down_s));
	return h->base && h->cores && h->room && h->counted && h->down_s
		       ? 0
		       : -ENOMEM;
}

int cs_held_init(struct cs_held *h, const struct cs_machine *m, uint32_t deep)
{
	memset(h, 0, sizeof(*h));
	if (allocate(h, m->n_node))
		goto fail;
	for (uint32_t i = 0; i < m->n_node; i++) {
		h->base[i] = h->n_bit;
		h->cores[i] = h->room[i] = cs_node_cores(&m->node[i]);
		h->n_bit += h->cores[i];
		h->down_s[i] =
			cs_node_vacant(&m->node[i]) ? -INFINITY : INFINITY;
	}
	h->used = calloc(deep, sizeof(*h->used));
	if (!h->used)
		goto fail;
	for (; h->deep < deep; h->deep++) {
		h->used[h->deep] = calloc(h->n_bit / 64 + 1, sizeof(**h->used));
		if (!h->used[h->deep])
			goto fail;
	}
	return 0;
fail:
	cs_held_done(h);
	return -ENOMEM;
}

void cs_held_done(struct cs_held *h)
{
	free(h->base);
	free(h->cores);
	free(h->room);
	for (uint32_t i = 0; i < h->deep; i++)
		free(h->used[i]);
	free(h->used);
	free(h->counted);
	free(h->down_s);
	memset(h, 0, sizeof(*h));
}

/* ---- bits ---------------------------------------------------------------- */

/* The bits of word @w that are between @lo and @hi, both included. */
static uint64_t mask(uint64_t w, uint64_t lo, uint64_t hi)
{
	uint64_t m = UINT64_MAX;

	if (lo > 64 * w)
		m &= UINT64_MAX << (lo - 64 * w);
	if (hi < 64 * w + 63)
		m &= UINT64_MAX >> (64 * w + 63 - hi);
	return m;
}

/* The first set bit between @lo and @hi, UINT64_MAX: none. */
static uint64_t first_set(const uint64_t *bits, uint64_t lo, uint64_t hi)
{
	for (uint64_t w = lo / 64; w <= hi / 64; w++) {
		uint64_t b = bits[w] & mask(w, lo, hi);

		if (b)
			return 64 * w + (uint64_t)__builtin_ctzll(b);
	}
	return UINT64_MAX;
}

/* One more job on the cores between @lo and @hi, or one less. */
static void move_bits(struct cs_held *h, uint64_t lo, uint64_t hi, bool more)
{
	for (uint64_t w = lo / 64; w <= hi / 64; w++) {
		uint64_t left = mask(w, lo, hi);

		for (uint32_t i = 0; left && i < h->deep; i++) {
			uint64_t *has = &h->used[more ? i : h->deep - 1 - i][w];
			uint64_t had = *has & left;

			*has = more ? *has | left : *has & ~left;
			left = more ? had : left & ~had;
		}
	}
}

/* ---- errors -------------------------------------------------------------- */

static bool part_absent(const struct cs_held *h, const struct cs_log_part *p,
			uint32_t core, struct cs_place_of *ret)
{
	if (p->nodes.last >= h->n_node) {
		*ret = (struct cs_place_of){ p->nodes.last, UINT32_MAX };
		return true;
	}
	for (uint32_t n = p->nodes.first; n <= p->nodes.last; n++)
		if (core >= h->cores[n]) {
			*ret = (struct cs_place_of){ n, core };
			return true;
		}
	return false;
}

bool cs_held_absent(const struct cs_held *h, const struct cs_log_alloc *a,
		    struct cs_place_of *ret)
{
	for (size_t i = 0; i < a->n_part; i++) {
		const struct cs_log_part *p = &a->part[i];
		uint32_t last = a->core[p->core + p->n_core - 1].last;

		if (part_absent(h, p, last, ret))
			return true;
	}
	return false;
}

bool cs_held_any(const struct cs_held *h, uint32_t n)
{
	return h->counted[n] ||
	       (h->cores[n] &&
		first_set(h->used[0], h->base[n],
			  h->base[n] + h->cores[n] - 1) != UINT64_MAX);
}

int cs_held_become(struct cs_held *h, uint32_t n, uint32_t cores)
{
	uint64_t words = h->n_bit / 64 + 1, more;
	uint64_t *used;

	if (cores > h->room[n]) {
		/* a new place, at the end */
		more = (h->n_bit + cores) / 64 + 1;
		for (uint32_t i = 0; i < h->deep; i++) {
			used = realloc(h->used[i], more * sizeof(*used));
			if (!used)
				return -ENOMEM;
			memset(used + words, 0, (more - words) * sizeof(*used));
			h->used[i] = used;
		}
		h->base[n] = h->n_bit;
		h->room[n] = cores;
		h->n_bit += cores;
	}
	h->cores[n] = cores;
	return 0;
}

static bool node_overlaps(const struct cs_held *h, uint32_t node,
			  const struct cs_range *core, size_t n,
			  struct cs_place_of *ret)
{
	uint64_t base = h->base[node];

	for (size_t i = 0; i < n; i++) {
		uint64_t bit =
			first_set(h->used[h->deep - 1], base + core[i].first,
				  base + core[i].last);

		if (bit != UINT64_MAX) {
			*ret = (struct cs_place_of){ node,
						     (uint32_t)(bit - base) };
			return true;
		}
	}
	return false;
}

bool cs_held_overlaps(const struct cs_held *h, const struct cs_log_alloc *a,
		      struct cs_place_of *ret)
{
	for (size_t i = 0; i < a->n_part; i++) {
		const struct cs_log_part *p = &a->part[i];

		for (uint32_t n = p->nodes.first; n <= p->nodes.last; n++)
			if (node_overlaps(h, n, a->core + p->core, p->n_core,
					  ret))
				return true;
	}
	return false;
}

bool cs_held_full(const struct cs_held *h, const struct cs_log_alloc *a,
		  uint32_t limit, struct cs_place_of *ret)
{
	for (size_t i = 0; i < a->n_part; i++) {
		const struct cs_range *r = &a->part[i].nodes;

		for (uint32_t n = r->first; n <= r->last; n++)
			if (h->counted[n] >= limit) {
				*ret = (struct cs_place_of){ n, UINT32_MAX };
				return true;
			}
	}
	return false;
}

bool cs_held_down(const struct cs_held *h, const struct cs_log_alloc *a,
		  double t_s, struct cs_place_of *ret)
{
	for (size_t i = 0; i < a->n_part; i++) {
		const struct cs_range *r = &a->part[i].nodes;

		for (uint32_t n = r->first; n <= r->last; n++)
			if (h->down_s[n] <= t_s) {
				*ret = (struct cs_place_of){ n, UINT32_MAX };
				return true;
			}
	}
	return false;
}

/* ---- taking and giving --------------------------------------------------- */

static void set_part(struct cs_held *h, const struct cs_log_alloc *a,
		     const struct cs_log_part *p, bool counts, bool on)
{
	const struct cs_range *core = a->core + p->core;

	for (uint32_t n = p->nodes.first; n <= p->nodes.last; n++) {
		for (size_t i = 0; i < p->n_core; i++)
			move_bits(h, h->base[n] + core[i].first,
				  h->base[n] + core[i].last, on);
		if (counts && on)
			h->counted[n]++;
		else if (counts)
			h->counted[n]--;
	}
}

void cs_held_take(struct cs_held *h, const struct cs_log_alloc *a, bool counts)
{
	for (size_t i = 0; i < a->n_part; i++)
		set_part(h, a, &a->part[i], counts, true);
}

void cs_held_give(struct cs_held *h, const struct cs_log_alloc *a, bool counts)
{
	for (size_t i = 0; i < a->n_part; i++)
		set_part(h, a, &a->part[i], counts, false);
}

static bool part_holds(const struct cs_log_alloc *a,
		       const struct cs_log_part *p,
		       const struct cs_place_of *at)
{
	if (at->node < p->nodes.first || at->node > p->nodes.last)
		return false;
	if (at->core == UINT32_MAX)
		return true;
	for (size_t i = 0; i < p->n_core; i++) {
		const struct cs_range *r = &a->core[p->core + i];

		if (at->core >= r->first && at->core <= r->last)
			return true;
	}
	return false;
}

bool cs_core_map_holds(const struct cs_log_alloc *a,
		       const struct cs_place_of *p)
{
	for (size_t i = 0; i < a->n_part; i++)
		if (part_holds(a, &a->part[i], p))
			return true;
	return false;
}
