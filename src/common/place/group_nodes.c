/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of a group: one row, in the order of the window that formed it
 * (group_form.c), of which each member has a part (group_layers.c).
 *
 * Rules.
 *  1. Case 3: the nodes of the running primary job.  Case 2: those of the running
 *     matched jobs, one after the other.
 *  2. The rest are empty nodes that every waiting member may use, lowest weight first,
 *     in slices the least crowded among these (in group_unplanned.c only nodes that
 *     could hold all members); with a topology near each other and the
 *     ones present, all in one part of it.
 *  3. Each member is laid out on its part as layout.c does.  The group is booked on the
 *     machine while it is examined.
 *
 *  4. With a rule of sites (site_start.c) each waiting member is on no more sites than
 *     it was promised, or, without a plan, than could ever hold it: sharing makes
 *     nobody cross.  The empty nodes are those of one site if possible, the one with
 *     fewest, else of those with most, one after the other; if members run already, of
 *     their sites.
 *
 *	node	| 4 | 5 | 7 | 8 | 9 |
 *		|<-- primary --->|
 *		|<- b ->|<--- c ---->|	exceeds it by MATCHED_LARGER at most
 *
 * Known weakness: empty nodes are taken by number and weight; whether each holds its
 * member shows only in the layout.  With mixed nodes, a group that would fit on others
 * is given up.
 *
 * Cost: O(nodes) a weight among the empty ones, and the layouts of the members.
 */
#include "place/group_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/match.h"
#include "job/site_room.h"
#include "model/sites.h"

uint32_t cs_search_empty(const struct cs_engine *e)
{
	uint32_t k = 0;

	for (uint32_t w = 0; w < cs_node_words(e->machine); w++) {
		e->mask[w] &= ~e->sm->now.down[w] & e->sm->now.empty[w];
		k += cs_popcount(e->mask[w]);
	}
	return k;
}

/* Cores that @c takes of empty node @n; UINT32_MAX: it has no room there. */
static uint32_t takes(const struct cs_engine *e, const struct cs_candidate *c,
		      uint32_t n)
{
	return cs_layout_usable(&e->sm->now, n, &c->shape)
		       ? cs_shape_cores(&c->shape, &e->machine->node[n],
					c->shape.quota)
		       : UINT32_MAX;
}

/* Could empty node @n hold parts of the primary job and any matched one? */
static bool holds_all(const struct cs_search *s, const struct cs_formed *g,
		      uint32_t n)
{
	const struct cs_engine *e = s->e;
	uint32_t own = takes(e, &s->f.primary, n), most = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t k = takes(e, &s->f.candidate[g->matched[i]], n);

		most = k > most ? k : most;
	}
	return own != UINT32_MAX && most != UINT32_MAX &&
	       own + most <= e->sm->now.node[n].free_cores;
}

/* Leave in e->mask the empty nodes that could. */
static void only_holding(const struct cs_search *s, const struct cs_formed *g)
{
	const struct cs_engine *e = s->e;

	cs_search_empty(e);
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		for (uint64_t set = e->mask[w]; set;) {
			uint32_t n = w * 64 + cs_bit_pop(&set);

			if (!holds_all(s, g, n))
				cs_bit_clear(e->mask, n);
		}
}

/* Nodes that every waiting member may use, into e->mask. */
static void nodes_for_all(const struct cs_search *s, const struct cs_formed *g)
{
	const struct cs_engine *e = s->e;

	memset(e->mask, 0xff, cs_node_words(e->machine) * sizeof(*e->mask));
	if (s->rule != 3)
		cs_search_nodes(s, &s->f.primary, e->mask);
	for (uint32_t i = 0; s->rule != 2 && i < g->n; i++) {
		cs_search_nodes(s, &s->f.candidate[g->matched[i]], e->mask2);
		cs_bits_and(e->mask, e->mask2, cs_node_words(e->machine));
	}
	if (s->f.every && (!e->machine->alike || s->f.mem_mb != UINT64_MAX))
		only_holding(s, g);
}

/* Of the 64 nodes from @w * 64 on, append those of e->mask that cost @cost to the @n in
 * @node, up to @want in all; *next becomes the least cost above. */
static uint32_t add_at(const struct cs_engine *e, uint32_t w, uint64_t cost,
		       uint32_t *node, uint32_t n, uint32_t want,
		       uint64_t *next)
{
	const uint16_t *crowd = e->sm->now.crowd;

	for (uint64_t set = e->mask[w]; set && n < want;) {
		uint32_t i = w * 64 + cs_bit_pop(&set);
		uint64_t c = (uint64_t)e->machine->node[i].weight << 16;

		c += crowd ? crowd[i] : 0;
		if (c > cost && c < *next)
			*next = c;
		if (c == cost)
			node[n++] = i;
	}
	return n;
}

/* Append empty nodes of e->mask that hold a part of each member to the @n in @node, up
 * to @want; returns the new number, 0: too few. */
static uint32_t add_empty(const struct cs_search *s, uint32_t *node, uint32_t n,
			  uint32_t want)
{
	const struct cs_engine *e = s->e;
	uint64_t next = 0;

	if (cs_search_empty(e) < want - n ||
	    !cs_layout_near(&e->sm->now, node, n, want - n, e->mask))
		return 0;
	while (n < want) {
		uint64_t cost = next;

		next = UINT64_MAX;
		for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
			n = add_at(e, w, cost, node, n, want, &next);
	}
	return n;
}

/* Leave in e->mask the sites of the @n nodes of @node. */
static void only_their_sites(const struct cs_engine *e, const uint32_t *node,
			     uint32_t n)
{
	const struct cs_sites *sites = e->machine->sites;
	struct cs_site_work *w = e->site_work;

	memset(w->nodes, 0, sites->words * sizeof(*w->nodes));
	for (uint32_t i = 0; i < n; i++) {
		const struct cs_site *x = &sites->site[sites->of[node[i]]];

		for (uint32_t k = x->from; k < x->end; k++)
			w->nodes[k] |= x->nodes[k];
	}
	cs_bits_and(e->mask, w->nodes, sites->words);
}

/* As add_empty(), of @site, of nodes of w->mask. */
static uint32_t add_of_site(const struct cs_search *s, uint32_t site,
			    uint32_t *node, uint32_t n, uint32_t want)
{
	const struct cs_engine *e = s->e;
	const struct cs_sites *sites = e->machine->sites;
	uint32_t left = want - n, have = e->site_work->now.have[site];

	memcpy(e->mask, sites->site[site].nodes,
	       sites->words * sizeof(*e->mask));
	cs_bits_and(e->mask, e->site_work->mask, sites->words);
	return add_empty(s, node, n, n + (have < left ? have : left));
}

/* As add_empty(), by rule 4. */
static uint32_t add_on_sites(const struct cs_search *s, uint32_t *node,
			     uint32_t n, uint32_t want)
{
	const struct cs_engine *e = s->e;
	struct cs_site_work *w = e->site_work;
	struct cs_shape part = { .even = true, .nodes = want - n };
	uint32_t site = UINT32_MAX, k;

	cs_search_empty(e);
	if (n)
		only_their_sites(e, node, n);
	memcpy(w->mask, e->mask, cs_node_words(e->machine) * sizeof(*w->mask));
	cs_site_room_of(&w->now, e->machine, &part, w->mask);
	k = cs_site_room_fewest(&w->now);
	if (k == 1)
		return add_of_site(s, cs_site_room_tightest(&w->now, site),
				   node, n, want);
	if (!k)
		return n == want ? n : 0;
	do {
		site = cs_site_room_next(&w->now, site);
		n = add_of_site(s, site, node, n, want);
	} while (n && n < want);
	return n;
}

/* Is the alloc of @c on no more sites than it may be on? */
static bool within_sites(const struct cs_search *s,
			 const struct cs_candidate *c, const struct cs_alloc *a)
{
	return !cs_site_rules(s->e) ||
	       cs_sites_touched(s->e->machine->sites, a) <= c->sites;
}

void cs_group_alloc_done(struct cs_search *s, struct cs_group_alloc *t)
{
	struct cs_occ *o = &s->e->sm->now;

	if (t->booked[CS_MATCHED_MAX])
		cs_occ_remove(o, t->primary, cs_group_hold(s->e));
	for (uint32_t i = 0; i < CS_MATCHED_MAX; i++)
		if (t->booked[i])
			cs_occ_remove(o, t->matched[i], cs_group_hold(s->e));
	memset(t->booked, 0, sizeof(t->booked));
}

void cs_group_alloc_free(struct cs_group_alloc *t)
{
	cs_alloc_free(t->primary);
	for (uint32_t i = 0; i < CS_MATCHED_MAX; i++)
		cs_alloc_free(t->matched[i]);
	free(t->node);
}

/* Lay waiting @c out on the nodes @node, sorting them for it. 1, 0, -ENOMEM. */
static int lay(struct cs_search *s, const struct cs_candidate *c,
	       uint32_t *node, struct cs_alloc **ret, bool *ret_booked)
{
	const struct cs_shape *shape = &c->shape;
	bool nomem;

	cs_layout_sort(node, shape->nodes);
	*ret = cs_layout_on(&s->e->sm->now, shape, node, shape->nodes, &nomem);
	if (!*ret)
		return nomem ? -ENOMEM : 0;
	if (!within_sites(s, c, *ret))
		return 0;
	cs_occ_add(&s->e->sm->now, *ret, cs_group_hold(s->e));
	*ret_booked = true;
	return 1;
}

/* The nodes of the group in the window's order. */
static uint32_t collect(struct cs_search *s, const struct cs_formed *g,
			uint32_t *node, uint32_t want)
{
	uint32_t n = 0;

	if (s->rule == 3)
		for (uint32_t i = 0; i < s->running->alloc->n_node; i++)
			node[n++] = s->running->alloc->node[i].node;
	for (uint32_t i = 0; s->rule == 2 && i < g->n; i++) {
		const struct cs_alloc *a =
			s->f.candidate[g->matched[i]].job->alloc;

		for (uint32_t k = 0; k < a->n_node; k++)
			node[n++] = a->node[k].node;
	}
	nodes_for_all(s, g);
	return (cs_site_rules(s->e) ? add_on_sites : add_empty)(s, node, n,
								want);
}

int cs_group_alloc_make(struct cs_search *s, const struct cs_formed *g,
			struct cs_group_alloc *t)
{
	const struct cs_candidate *a = &s->f.primary;
	uint32_t *copy;
	int rc = 1;

	memset(t, 0, sizeof(*t));
	t->n_node = cs_formed_nodes(&s->f, g);
	t->node = calloc(2 * (size_t)t->n_node, sizeof(*t->node));
	if (!t->node)
		return -ENOMEM;
	if (collect(s, g, t->node, t->n_node) < t->n_node)
		return 0;
	/* sorting for one job must not move the next */
	copy = t->node + t->n_node;
	memcpy(copy, t->node, t->n_node * sizeof(*copy));
	if (s->rule != 3)
		rc = lay(s, a, copy, &t->primary, &t->booked[CS_MATCHED_MAX]);
	for (uint32_t i = 0; rc > 0 && s->rule != 2 && i < g->n; i++) {
		const struct cs_candidate *c = &s->f.candidate[g->matched[i]];

		memcpy(copy, t->node + g->from[i], c->nodes * sizeof(*copy));
		rc = lay(s, c, copy, &t->matched[i], &t->booked[i]);
	}
	return rc;
}
