/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes a job gets.
 *
 * Rules.
 *  1. An even shape gets the cheapest nodes (weight, then crowd) that take its part; of
 *     equal ones the lowest.
 *  2. An uneven one goes to the node with the least room that holds the whole job,
 *     lowest weight first; if it needs several, to the cheapest so many if they have
 *     room, else to those with most room.  If its nodes are bounded, the last is the
 *     tightest that holds the rest: this leaves roomy ones to the next such job.
 *     Where weights come first (machine.h) it takes all nodes of a weight, one after the
 *     other, before any of a higher one, and puts its rest as above on nodes of the
 *     first weight that hold it; it fills them in that order.  If its nodes are
 *     bounded, its last node must hold the rest: while that fails, it does without the
 *     nodes of least room, but for as many as it needs, and if nothing else will do,
 *     room comes first.
 *  3. By choice of the host (struct cs_how) a job goes to the least loaded nodes of the
 *     lowest weight, or to the last of them, and takes there what is free, node after
 *     node, until it has enough.  If it does not fit so in its bounded nodes, rules 1 and 2
 *     hold.  The host's choice takes no heed of a topology.
 *  4. Nodes that are to be booted, and those outside a reservation that does not confine
 *     the job, are used only where the others do not hold it.  Where lines count, as for
 *     Slurm 22.05: if all nodes of a line inside are asleep, they come before those
 *     outside, and likewise outside; else inside and outside are alike to the sleeping ones.
 *  5. With a topology the nodes are near each other, and in one part of it
 *     (topology_choose.c); a packed job that one node holds still goes to the tightest
 *     one, of several such to the one where the fewest nodes are left.  An uneven shape
 *     with bounded nodes gets them in the smallest group where as many hold it, if
 *     those of the best fit do not.
 *  6. A job without GPUs takes nodes that have some only where the others do not hold it;
 *     this comes after the weight.  Of nodes of equal cost a job with GPUs takes those of
 *     the lowest key of gpu_mix.c; with a topology only if it needs one node.
 *
 * Cost: O(nodes) for each weight met, O(nodes log nodes) for packed jobs of several
 * nodes.
 */
#include "model/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "model/gpu_mix.h"
#include "model/layout_parts.h"

struct candidate {
	uint32_t node, fit;
	uint64_t cost; /* weight, rule 6, then crowd: lower is used first */
	uint64_t key;  /* rules 3, 6: of equal cost lower is used first */
};

#define SPARES (UINT64_C(1) << 16) /* for want of nodes without GPUs */
#define OUTSIDE (UINT64_C(1) << 49)
#define ASLEEP (UINT64_C(1) << 50)

/* Rule 4, of node @n that is to be booted. */
static uint64_t asleep_cost(const struct cs_occ *o, const struct cs_how *how,
			    uint32_t n, bool outside)
{
	const uint64_t *awake =
		outside ? how->awake_outside : how->awake_inside;

	if (!awake)
		return outside ? ASLEEP | OUTSIDE : ASLEEP;
	if (cs_bit(awake, o->machine->node[n].line))
		return ASLEEP;
	return outside ? OUTSIDE : 0;
}

/* @s: NULL for nodes whose GPUs do not matter. */
static uint64_t cost_of(const struct cs_occ *o, const struct cs_shape *s,
			const struct cs_how *how, uint32_t n)
{
	uint32_t weight = o->machine->node[n].weight;
	uint64_t cost = (uint64_t)weight << 17 | (o->crowd ? o->crowd[n] : 0);
	bool outside = how->inside && !cs_bit(how->inside, n);

	if (s && !s->gpus && o->machine->node[n].gpus)
		cost |= SPARES;
	if (weight >= CS_WEIGHT_ASLEEP)
		return cost | asleep_cost(o, how, n, outside);
	return outside ? cost | OUTSIDE : cost;
}

/* The same without the crowd. */
static uint64_t weight_of(const struct candidate *c)
{
	return c->cost >> 16;
}

/* Rule 6: does gpu_mix.c order the nodes? */
static bool by_mix(const struct cs_occ *o, const struct cs_shape *s,
		   const struct cs_how *how)
{
	return s->gpus && o->mix && cs_gpu_mix_orders(o->mix) &&
	       how->pick == CS_PICK_FIT &&
	       (!o->machine->topology || s->anywhere || s->nodes == 1);
}

static uint64_t key_of(const struct cs_occ *o, const struct cs_how *how,
		       uint32_t n)
{
	uint64_t cores = cs_node_cores(&o->machine->node[n]);

	if (how->pick == CS_PICK_LEAST_LOADED)
		return ((cores - o->node[n].free_cores) << 32) / cores;
	return how->pick == CS_PICK_LAST ? UINT32_MAX - n : 0;
}

static int by_cost(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int by_key(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->cost == b->cost && a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return by_cost(x, y);
}

static int by_room(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->fit != b->fit)
		return a->fit > b->fit ? -1 : 1;
	return by_cost(x, y);
}

static int by_weight(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (weight_of(a) != weight_of(b))
		return weight_of(a) < weight_of(b) ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int by_node(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

void cs_layout_sort(uint32_t *node, uint32_t n)
{
	cs_sort(node, n, sizeof(*node), by_node);
}

/* The node with the fewest free cores that holds the whole job, lowest weight first;
 * -1: none does. */
static int64_t tightest(const struct cs_occ *o, const struct cs_shape *s,
			const struct candidate *c, uint32_t n)
{
	const struct candidate *best = NULL;

	for (uint32_t i = 0; i < n; i++) {
		if (c[i].fit < s->procs)
			continue;
		if (!best || weight_of(&c[i]) < weight_of(best) ||
		    (weight_of(&c[i]) == weight_of(best) &&
		     o->node[c[i].node].free_cores <
			     o->node[best->node].free_cores))
			best = &c[i];
	}
	return best ? (int64_t)best->node : -1;
}

/* The same with a topology: of equal nodes the one below the switch with the fewest
 * candidates. */
static int64_t tightest_near(const struct cs_topology *t,
			     const struct cs_occ *o, const struct cs_shape *s,
			     const struct candidate *c, uint32_t n)
{
	int64_t first = tightest(o, s, c, n);
	uint64_t weight = 0;
	uint32_t best;

	if (first < 0)
		return first;
	for (uint32_t i = 0; i < n; i++)
		if (c[i].node == first)
			weight = weight_of(&c[i]);
	memset(t->have, 0, t->words * sizeof(*t->have));
	cs_fit_forget(t);
	for (uint32_t i = 0; i < n; i++) {
		cs_bit_set(t->look, c[i].node);
		if (c[i].fit >= s->procs && weight_of(&c[i]) == weight &&
		    o->node[c[i].node].free_cores == o->node[first].free_cores)
			cs_bit_set(t->have, c[i].node);
	}
	best = cs_topology_tightest(t, t->have, t->look);
	return best == UINT32_MAX ? first : best;
}

/* Put the @want cheapest of the candidates, sorted by node, into the node set @ret.
 * O(n) for each cost met. */
static void cheapest(const struct candidate *c, uint32_t n, uint32_t want,
		     uint64_t *ret)
{
	uint64_t cost = 0, next;

	for (; want; cost = next) {
		next = UINT64_MAX;
		for (uint32_t i = 0; i < n && want; i++) {
			if (c[i].cost == cost) {
				cs_bit_set(ret, c[i].node);
				want--;
			} else if (c[i].cost > cost && c[i].cost < next) {
				next = c[i].cost;
			}
		}
	}
}

/* The same for an uneven shape that needs as many nodes, if they have room; else false,
 * and @ret is unchanged. */
static bool cheapest_hold(const struct cs_shape *s, const struct candidate *c,
			  uint32_t n, uint32_t words, uint64_t *ret)
{
	uint64_t procs = 0;

	if (s->nodes < 2 || n < s->nodes)
		return false;
	cheapest(c, n, s->nodes, ret);
	for (uint32_t i = 0; i < n; i++)
		procs += cs_bit(ret, c[i].node) ? c[i].fit : 0;
	if (procs >= s->procs)
		return true;
	memset(ret, 0, words * sizeof(*ret));
	return false;
}

/* Nodes of t->look near each other with room for shape @s, into @ret, which is clear:
 * the best fit if that will do, else the smallest group. */
static bool near(const struct cs_topology *t, const struct cs_shape *s,
		 const uint64_t *cost, uint64_t *ret)
{
	struct cs_topology_ask a = cs_fit_ask(t, s);
	const struct cs_group *g;
	uint32_t nodes;

	a.cost = cost;
	if (cs_fit_counts(s)) {
		a.fit = NULL;
		a.want = s->nodes;
	}
	if ((!cs_fit_counts(s) || t->block) && cs_topology_choose(t, &a, ret) &&
	    (!cs_fit_bounds(s) || cs_fit_set(t, s, ret, &nodes)))
		return true;
	g = cs_fit_bounds(s) ? cs_fit_group(t, s) : NULL;
	if (g)
		memcpy(ret, g->nodes, t->words * sizeof(*ret));
	return g != NULL;
}

/* Leave of the candidates those near each other, in one part; returns how many, 0: they
 * will not do.  @ret: scratch, clear before and after. */
static uint32_t nearest(const struct cs_occ *o, const struct cs_shape *s,
			const struct cs_how *how, struct candidate *c,
			uint32_t n, uint64_t *ret)
{
	const struct cs_topology *t = o->machine->topology;
	const uint64_t *cost =
		o->crowd || how->inside || !o->machine->level ? t->cost : NULL;
	uint32_t k = 0;

	cs_fit_forget(t);
	for (uint32_t i = 0; i < n; i++) {
		t->cost[c[i].node] = c[i].cost;
		cs_fit_note(t, s, c[i].node, c[i].fit);
	}
	if (!near(t, s, cost, ret))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (cs_bit(ret, c[i].node))
			c[k++] = c[i];
	memset(ret, 0, t->words * sizeof(*ret));
	return k;
}

/* Keep the candidates below some switch; returns how many. */
static uint32_t members(const struct cs_topology *t, struct candidate *c,
			uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (t->block || cs_bit(t->member, c[i].node))
			c[k++] = c[i];
	return k;
}

/* Rule 2: in the candidates by room, from @i on, the bounded job's last node, which
 * takes its processes beyond @procs. */
static uint32_t last_of(const struct cs_shape *s, const struct candidate *c,
			uint32_t n, uint32_t i, uint64_t procs)
{
	uint64_t rest = s->procs > procs ? s->procs - procs : 0;
	uint32_t last = i;

	for (; s->max_nodes && i < n && c[i].fit >= rest; i++)
		if (c[i].fit < c[last].fit)
			last = i;
	return last;
}

/* The nodes of an uneven shape by room, as pick() says. */
static uint32_t roomiest(const struct cs_shape *s, struct candidate *c,
			 uint32_t n, uint64_t *ret)
{
	uint64_t procs = 0;

	qsort(c, n, sizeof(*c), by_room);
	for (uint32_t i = 0; i < n && !cs_fit_too_many(s, i + 1); i++) {
		bool last = cs_fit_enough(s, i + 1, procs + c[i].fit);
		uint32_t k = last ? last_of(s, c, n, i, procs) : i;

		cs_bit_set(ret, c[k].node);
		procs += c[k].fit;
		if (last)
			return i + 1;
	}
	return 0;
}

/* Rule 2: the candidates, sorted by node, for an uneven shape into @ret, which is clear;
 * returns how many, 0: they will not do. */
static uint32_t by_fit(const struct cs_occ *o, const struct cs_shape *s,
		       struct candidate *c, uint32_t n, uint64_t *ret)
{
	int64_t whole = s->nodes > 1 ? -1 : tightest(o, s, c, n);

	if (whole >= 0) {
		cs_bit_set(ret, (uint32_t)whole);
		return 1;
	}
	if (cheapest_hold(s, c, n, cs_node_words(o->machine), ret))
		return s->nodes;
	return roomiest(s, c, n, ret);
}

/* Take the room of node @c; @s becomes the rest, at least a process for each node that is
 * still needed. */
static void fill_up(struct cs_shape *s, const struct candidate *c)
{
	s->nodes -= s->nodes > 1;
	s->max_nodes -= s->max_nodes > 1;
	s->procs = s->procs > c->fit + s->nodes ? s->procs - c->fit : s->nodes;
}

/* Move the candidates of the lowest weight before the others, in order; returns how many
 * these are.  *ret_procs: what they hold. */
static uint32_t lightest(struct candidate *c, uint32_t n, uint64_t *ret_procs)
{
	uint64_t least = UINT64_MAX;
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (weight_of(&c[i]) < least)
			least = weight_of(&c[i]);
	*ret_procs = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct candidate x = c[i];

		if (weight_of(&x) != least)
			continue;
		*ret_procs += x.fit;
		c[i] = c[k];
		c[k++] = x;
	}
	cs_sort(c, k, sizeof(*c), by_node);
	return k;
}

/* Rule 2 weight after weight, of candidates in any order; else as by_fit(). */
static uint32_t by_weights(const struct cs_occ *o, const struct cs_shape *s,
			   struct candidate *c, uint32_t n, uint64_t *ret)
{
	struct cs_shape rest = *s;
	uint32_t taken = 0, end;

	for (uint32_t i = 0; i < n; i = end) {
		uint32_t last = 0;
		uint64_t procs;

		end = i + lightest(c + i, n - i, &procs);
		if (cs_fit_enough(&rest, end - i, procs))
			last = by_fit(o, &rest, c + i, end - i, ret);
		for (uint32_t k = 0; last && k < taken; k++)
			cs_bit_set(ret, c[k].node);
		if (last)
			return taken + last;
		memset(ret, 0, cs_node_words(o->machine) * sizeof(*ret));
		cs_sort(c + i, end - i, sizeof(*c), by_node);
		for (; i < end && rest.max_nodes != 1; i++) {
			struct candidate x = c[i];

			fill_up(&rest, &x);
			c[i] = c[taken];
			c[taken++] = x;
		}
	}
	return 0;
}

/* Move candidates of the least room behind the others, but leave @leave; returns how many
 * are left. */
static uint32_t without_tightest(struct candidate *c, uint32_t n,
				 uint32_t leave)
{
	uint32_t least = UINT32_MAX, k = 0;

	cs_sort(c, n, sizeof(*c), by_node);
	for (uint32_t i = 0; i < n; i++)
		least = c[i].fit < least ? c[i].fit : least;
	for (uint32_t i = 0; i < n; i++) {
		struct candidate x = c[i];

		if (x.fit == least && n - i + k > leave)
			continue;
		c[i] = c[k];
		c[k++] = x;
	}
	return k;
}

/* Do the roomiest candidates hold a shape with bounded nodes? */
static bool few_hold(const struct cs_shape *s, struct candidate *c, uint32_t n)
{
	uint64_t procs = 0;

	qsort(c, n, sizeof(*c), by_room);
	for (uint32_t i = 0; i < n && i < s->max_nodes; i++)
		procs += c[i].fit;
	return cs_fit_enough(s, n, procs);
}

/* Rule 2 where weights come first: as by_weights(), also of bounded nodes. */
static uint32_t weights_first(const struct cs_occ *o, const struct cs_shape *s,
			      struct candidate *c, uint32_t n, uint64_t *ret)
{
	uint32_t take = by_weights(o, s, c, n, ret);

	if (take || !s->max_nodes || !few_hold(s, c, n))
		return take;
	for (uint32_t m = n; !take && m > s->nodes;) {
		m = without_tightest(c, m, s->nodes);
		take = by_weights(o, s, c, m, ret);
	}
	if (take)
		return take;
	cs_sort(c, n, sizeof(*c), by_node);
	return by_fit(o, s, c, n, ret);
}

/* Has no candidate less weight than node @node, one of them? */
static bool weighs_least(const struct candidate *c, uint32_t n, int64_t node)
{
	uint64_t least = UINT64_MAX, weight = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (weight_of(&c[i]) < least)
			least = weight_of(&c[i]);
		if (c[i].node == node)
			weight = weight_of(&c[i]);
	}
	return weight == least;
}

/* Rule 3: the first candidates by the host's choice into @ret; returns how many, 0: they
 * will not do, and are in their order again. */
static uint32_t first_by_key(const struct cs_shape *s, struct candidate *c,
			     uint32_t n, uint64_t *ret)
{
	uint64_t procs = 0;
	uint32_t k = 0;

	cs_sort(c, n, sizeof(*c), by_key);
	while (k < n && !cs_fit_enough(s, k, procs))
		procs += c[k++].fit;
	if (cs_fit_enough(s, k, procs) && !cs_fit_too_many(s, k)) {
		for (uint32_t i = 0; i < k; i++)
			cs_bit_set(ret, c[i].node);
		return k;
	}
	cs_sort(c, n, sizeof(*c), by_node);
	return 0;
}

/* Do weights come first, and differ?  With a reservation those outside it differ. */
static bool weighs(const struct cs_occ *o, const struct cs_how *how)
{
	return o->machine->weight_first && (!o->machine->level || how->inside);
}

/* Put the chosen candidates into the node set @ret; returns how many, 0: they will not
 * do. */
static uint32_t pick(const struct cs_occ *o, const struct cs_shape *s,
		     const struct cs_how *how, struct candidate *c, uint32_t n,
		     uint64_t *ret)
{
	bool keyed = how->pick != CS_PICK_FIT || by_mix(o, s, how);
	uint32_t chosen = keyed ? first_by_key(s, c, n, ret) : 0;
	const struct cs_topology *t = s->anywhere ? NULL : o->machine->topology;
	int64_t whole;
	bool ranked;

	if (chosen)
		return chosen;
	if (t)
		n = s->even ? nearest(o, s, how, c, n, ret) : members(t, c, n);
	if (s->even) {
		if (n >= s->nodes)
			cheapest(c, n, s->nodes, ret);
		return n >= s->nodes ? s->nodes : 0;
	}
	ranked = weighs(o, how);
	whole = t && s->nodes < 2 ? tightest_near(t, o, s, c, n) : -1;
	if (whole >= 0 && (!ranked || weighs_least(c, n, whole))) {
		cs_bit_set(ret, (uint32_t)whole);
		return 1;
	}
	if (t)
		n = nearest(o, s, how, c, n, ret);
	return ranked ? weights_first(o, s, c, n, ret)
		      : by_fit(o, s, c, n, ret);
}

/* Nodes inside and awake; outside; asleep; both. */
static uint32_t class_of(const struct candidate *c)
{
	return (uint32_t)(c->cost / OUTSIDE);
}

static int by_class(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	uint32_t i = class_of(a), k = class_of(b);

	return i != k ? (i < k ? -1 : 1)
		      : (a->node < b->node ? -1 : a->node > b->node);
}

/* The same of an uneven shape where it goes by room more than by weight: of the nodes of a
 * class, and those before it, only where fewer do not hold it. */
static uint32_t pick_by_class(const struct cs_occ *o, const struct cs_shape *s,
			      const struct cs_how *how, struct candidate *c,
			      uint32_t n, uint64_t *ret)
{
	uint32_t last = 0, take = 0, m = 0;

	for (uint32_t i = 0; i < n; i++)
		last = class_of(&c[i]) > last ? class_of(&c[i]) : last;
	if (!last || s->even || weighs(o, how) ||
	    (o->machine->topology && !s->anywhere))
		return pick(o, s, how, c, n, ret);
	for (uint32_t k = 0; !take && k <= last; k++) {
		uint32_t before = m;

		cs_sort(c, n, sizeof(*c), by_class);
		while (m < n && class_of(&c[m]) <= k)
			m++;
		if (m == before)
			continue;
		memset(ret, 0, cs_node_words(o->machine) * sizeof(*ret));
		take = pick(o, s, how, c, m, ret);
	}
	return take;
}

static const struct cs_how fit_only;

bool cs_layout_near(const struct cs_occ *o, const uint32_t *node, uint32_t n,
		    uint32_t more, uint64_t *set)
{
	const struct cs_topology *t = o->machine->topology;
	struct cs_topology_ask a = { .set = t ? t->look : NULL,
				     .with = t ? t->have : NULL,
				     .want = (uint64_t)n + more,
				     .nodes = n + more };

	if (!t || !more)
		return true;
	memset(t->have, 0, t->words * sizeof(*t->have));
	for (uint32_t i = 0; i < n; i++)
		cs_bit_set(t->have, node[i]);
	for (uint32_t w = 0; w < t->words; w++)
		t->look[w] = set[w] | t->have[w];
	if (o->crowd || !o->machine->level)
		a.cost = t->cost;
	for (uint32_t i = 0; a.cost && i < t->n_node; i++)
		t->cost[i] = cost_of(o, NULL, &fit_only, i);
	if (!cs_topology_choose(t, &a, t->look))
		return false;
	for (uint32_t w = 0; w < t->words; w++)
		set[w] &= t->look[w] & ~t->have[w];
	return true;
}

/* Are all nodes that can take their part of the shape equally good? */
static bool any_does(const struct cs_occ *o, const struct cs_shape *s,
		     const struct cs_how *how)
{
	return s->even && !o->crowd && o->machine->level &&
	       !o->machine->topology && how->pick == CS_PICK_FIT &&
	       !how->inside && !by_mix(o, s, how);
}

/* The nodes of @allowed that can take a part of shape @s, increasing; no more than
 * needed if all are equally good. */
static uint32_t candidates(const struct cs_occ *o, const struct cs_shape *s,
			   const uint64_t *allowed, const struct cs_how *how,
			   struct candidate *c)
{
	bool plain = cs_fit_any_empty(o->machine, s), any = any_does(o, s, how);
	bool mix = by_mix(o, s, how);
	struct cs_gpu_memo memo = { .gpus = NULL };
	uint32_t n = 0;

	for (uint32_t w = 0; w < cs_node_words(o->machine); w++) {
		uint64_t set = cs_fit_worth(o, s, allowed, w);

		while (set) {
			uint32_t i = w * 64 + cs_bit_pop(&set);
			uint32_t fit =
				plain ? s->quota : cs_layout_fit(o, i, s);

			if (s->even ? fit < s->quota : !fit)
				continue;
			c[n++] = (struct candidate){
				i, fit, cost_of(o, s, how, i),
				mix ? cs_gpu_mix_key(o, i, s, fit, &memo)
				    : key_of(o, how, i)
			};
			if (any && n == s->nodes)
				return n;
		}
	}
	return n;
}

/* The first empty nodes of @allowed, for a plain shape. */
static struct cs_alloc *first_empty(const struct cs_occ *o,
				    const struct cs_shape *s,
				    const uint64_t *allowed, bool *ret_nomem)
{
	struct cs_alloc *a;
	uint32_t n = 0;

	if (!cs_layout_fits(o, s, allowed))
		return NULL;
	a = cs_alloc_create(s->nodes, o->machine->words);
	*ret_nomem = !a;
	for (uint32_t w = 0; a && n < s->nodes; w++)
		for (uint64_t set = cs_fit_worth(o, s, allowed, w);
		     set && n < s->nodes;)
			a->node[n++].node = w * 64 + cs_bit_pop(&set);
	if (a && !cs_layout_fill(o, s, a, true, NULL)) {
		cs_alloc_free(a);
		a = NULL;
	}
	return a;
}

/* Does only the topology matter, with all empty nodes alike? */
static bool alike(const struct cs_occ *o, const struct cs_shape *s,
		  const struct cs_how *how)
{
	const struct cs_machine *m = o->machine;

	return m->topology && !s->anywhere && cs_fit_any_empty(m, s) &&
	       m->level && !o->crowd && how->pick == CS_PICK_FIT &&
	       !how->inside;
}

/* Then: nodes near each other into the node set @ret; returns how many, 0: they will
 * not do. */
static uint32_t near_empty(const struct cs_occ *o, const struct cs_shape *s,
			   const uint64_t *allowed, uint64_t *ret)
{
	const struct cs_topology *t = o->machine->topology;
	struct cs_topology_ask a = cs_fit_ask(t, s);

	for (uint32_t w = 0; w < t->words; w++)
		t->look[w] = cs_fit_worth(o, s, allowed, w);
	return cs_topology_choose(t, &a, ret) ? s->nodes : 0;
}

/* Rule 2: the order in which the @n nodes @node are filled, as indexes there, into @ret;
 * NULL: as they come.  @c: scratch. */
static const uint32_t *order_of(const struct cs_occ *o,
				const struct cs_shape *s,
				const struct cs_how *how, const uint32_t *node,
				uint32_t n, struct candidate *c, uint32_t *ret)
{
	if (s->even || !weighs(o, how))
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		c[i] = (struct candidate){
			.node = i, .cost = cost_of(o, s, how, node[i])
		};
	cs_sort(c, n, sizeof(*c), by_weight);
	for (uint32_t i = 0; i < n; i++)
		ret[i] = c[i].node;
	return ret;
}

struct cs_alloc *cs_layout_choose(const struct cs_occ *o,
				  const struct cs_shape *s,
				  const uint64_t *allowed, bool *ret_nomem)
{
	return cs_layout_choose_how(o, s, allowed, &fit_only, ret_nomem);
}

struct cs_alloc *cs_layout_choose_how(const struct cs_occ *o,
				      const struct cs_shape *s,
				      const uint64_t *allowed,
				      const struct cs_how *how, bool *ret_nomem)
{
	uint32_t n_node = o->machine->n_node, words = cs_node_words(o->machine);
	uint32_t take, n = 0, *node, *order;
	struct cs_alloc *a = NULL;
	struct candidate *c;
	uint64_t *chosen;

	*ret_nomem = false;
	if (cs_layout_crowded(o, s))
		return NULL;
	if (any_does(o, s, how) && cs_layout_plain(o->machine, s))
		return first_empty(o, s, allowed, ret_nomem);
	c = malloc(n_node * (sizeof(*c) + sizeof(*node) + sizeof(*order)) +
		   words * sizeof(*chosen));
	*ret_nomem = !c;
	if (!c)
		return NULL;
	chosen = (uint64_t *)(void *)(c + n_node);
	node = (uint32_t *)(void *)(chosen + words);
	order = node + n_node;
	memset(chosen, 0, words * sizeof(*chosen));
	take = alike(o, s, how)
		       ? near_empty(o, s, allowed, chosen)
		       : pick_by_class(o, s, how, c,
				       candidates(o, s, allowed, how, c),
				       chosen);
	for (uint32_t w = 0; take && w < words; w++)
		for (uint64_t set = chosen[w]; set;)
			node[n++] = w * 64 + cs_bit_pop(&set);
	if (take)
		a = cs_layout_on_by(o, s, node, take,
				    order_of(o, s, how, node, take, c, order),
				    ret_nomem);
	free(c);
	return a;
}
