/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/sites.h"

#include <stdlib.h>
#include <string.h>

#include "learn/real.h"

/* Put each node into the set of its site.  False: a site is out of range, or empty. */
static bool fill(struct cs_sites *s)
{
	bool good = true;

	for (uint32_t k = 0; k < s->n_node; k++) {
		struct cs_site *site = &s->site[s->of[k] < s->n ? s->of[k] : 0];

		good &= s->of[k] < s->n;
		if (!site->n_node++)
			site->from = k / 64;
		site->end = k / 64 + 1;
		cs_bit_set(site->nodes, k);
	}
	for (uint32_t i = 0; i < s->n; i++)
		good &= s->site[i].n_node > 0;
	return good;
}

static bool name_all(struct cs_sites *s, const char *const *name)
{
	for (uint32_t i = 0; name && i < s->n; i++) {
		if (!name[i])
			continue;
		s->site[i].name = strdup(name[i]);
		if (!s->site[i].name)
			return false;
	}
	return true;
}

struct cs_sites *cs_sites_create(uint32_t n_node, const uint32_t *of,
				 uint32_t n, const char *const *name)
{
	struct cs_sites *s = n && n_node ? calloc(1, sizeof(*s)) : NULL;

	if (!s)
		return NULL;
	s->n_node = n_node;
	s->words = cs_bit_words(n_node);
	s->site = calloc(n, sizeof(*s->site));
	s->of = calloc(n_node, sizeof(*s->of));
	s->all = calloc((size_t)n * s->words, sizeof(*s->all));
	if (!s->site || !s->of || !s->all)
		goto fail;
	s->n = n;
	memcpy(s->of, of, n_node * sizeof(*of));
	for (uint32_t i = 0; i < n; i++)
		s->site[i].nodes = s->all + (size_t)i * s->words;
	if (fill(s) && name_all(s, name))
		return s;
fail:
	cs_sites_free(s);
	return NULL;
}

struct cs_sites *cs_sites_copy(const struct cs_sites *s)
{
	const char **name = calloc(s->n, sizeof(*name));
	struct cs_sites *to = NULL;

	for (uint32_t i = 0; name && i < s->n; i++)
		name[i] = s->site[i].name;
	if (name)
		to = cs_sites_create(s->n_node, s->of, s->n, name);
	free(name);
	return to;
}

void cs_sites_free(struct cs_sites *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		free(s->site[i].name);
	free(s->site);
	free(s->of);
	free(s->all);
	free(s);
}

/* Nodes are in increasing order, so those of a site are mostly in a row. */
uint32_t cs_sites_touched(const struct cs_sites *s, const struct cs_alloc *a)
{
	uint32_t k = 1;

	for (uint32_t i = 1; s && i < a->n_node; i++) {
		uint32_t site = s->of[a->node[i].node], b = i;

		if (site == s->of[a->node[i - 1].node])
			continue;
		while (b && s->of[a->node[b - 1].node] != site)
			b--;
		k += !b;
	}
	return k;
}

uint32_t cs_sites_nodes(const struct cs_sites *s, uint32_t i,
			const struct cs_alloc *a)
{
	uint32_t k = 0;

	for (uint32_t x = 0; x < a->n_node; x++)
		k += s->of[a->node[x].node] == i;
	return k;
}

double cs_sites_crossing(enum cs_across_grows grows, double p,
			 uint32_t fragments)
{
	double k = fragments;

	if (fragments < 2)
		return 1;
	switch (grows) {
	case CS_ACROSS_LINEAR:
		return 1 + p * (k - 1) / 3;
	case CS_ACROSS_LOG:
		return 1 + p * (cs_real_ln(k) / cs_real_ln(2)) / 2;
	default:
		return 1 + p;
	}
}
