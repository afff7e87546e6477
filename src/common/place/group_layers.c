/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matched jobs above each other: several of a group on a node.
 *
 * Problem.  A node of many cores has room for more than two jobs; who of a group
 * stands beside whom, and what does that cost each?
 *
 * Rules.
 *  1. The nodes of a group are counted from the primary job's first one.  A matched
 *     job takes consecutive ones of them.
 *  2. Up to jobs_per_node - 1 matched jobs are on a node, as its cores and its
 *     memory allow.  A job goes where the fewest are, and there to the first
 *     place: a second layer begins only where the first has no room for it.
 *  3. A job's coscheduling slowdown is the largest over its nodes, each composed
 *     from all who run there (slowdown.c, rule 4).  Nobody may suffer more than
 *     MAX_SL; where his limit cannot follow that, no more than beside one of them;
 *     nobody may last MATCHED_LONGER longer than the primary job; and any two on a
 *     node pass the preselection.
 *
 *	layer 2	  | d   |		a beside b, d: SL_a,b SL_a,d
 *	layer 1	  | b |   c    |	on the third node beside c, d
 *	primary	  |      a     |
 *		  0   2 3      6   nodes
 *
 * With one layer that is what Zeng09 has (jobs_per_node = 2): one after the other, each
 * beside the primary job alone.
 *
 * Source: Zeng09 (see slowdown.h), sections 4.5 and 4.6.
 *
 * Differs: the paper has two jobs on a node; all beyond one layer is ours.
 *
 * Example: a beside b and d, measured 1.05 and 1.1: 1.155 on their common nodes.
 *
 * Cost: see group_layers.h, in slowdowns of one job on one node.
 *
 * Known weakness: a job's part of a node is one in jobs_per_node (shape.c, rule
 * 4), whoever comes.  Where few jobs suit each other a larger number spreads them
 * over more nodes and leaves cores idle.
 */
#include "place/group_layers.h"

/* Bounds of the nodes on which the same jobs stand: each job's two. */
#define POINTS_MAX (2 * CS_MATCHED_MAX + 4)

/* Nodes that matched jobs may reach. */
static uint32_t reach(const struct cs_forming *f)
{
	uint32_t x = f->primary.nodes;

	return x + (uint32_t)(f->params->matched_larger * x);
}

static const struct cs_candidate *member(const struct cs_forming *f,
					 const struct cs_formed *g, uint32_t i)
{
	return &f->candidate[g->matched[i]];
}

static uint32_t end_of(const struct cs_forming *f, const struct cs_formed *g,
		       uint32_t i)
{
	return g->from[i] + member(f, g, i)->nodes;
}

static bool stands_on(const struct cs_forming *f, const struct cs_formed *g,
		      uint32_t i, uint32_t node)
{
	return g->from[i] <= node && node < end_of(f, g, i);
}

/* Put @x into the @n increasing numbers @p, once; returns how many there are. */
static uint32_t put(uint32_t *p, uint32_t n, uint32_t x)
{
	uint32_t i = n;

	for (uint32_t k = 0; k < n; k++)
		if (p[k] == x)
			return n;
	for (; i && p[i - 1] > x; i--)
		p[i] = p[i - 1];
	p[i] = x;
	return n + 1;
}

/* Nodes from @from to before @end, one for each set of jobs that stand there. */
static uint32_t points(const struct cs_forming *f, const struct cs_formed *g,
		       uint32_t from, uint32_t end, uint32_t *p)
{
	uint32_t n = put(p, 0, from), x = f->primary.nodes;

	if (x > from && x < end)
		n = put(p, n, x);
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->from[i] > from && g->from[i] < end)
			n = put(p, n, g->from[i]);
		if (end_of(f, g, i) > from && end_of(f, g, i) < end)
			n = put(p, n, end_of(f, g, i));
	}
	return n;
}

/* Suffering (rule 3). */

/* Who runs on a node: indexes of matched jobs, g->n is the primary one. */
struct company {
	uint32_t n;
	uint32_t who[CS_BESIDE_MAX + 1];
	struct cs_who as[CS_BESIDE_MAX + 1];
};

static void meet(const struct cs_forming *f, const struct cs_formed *g,
		 const bool *gone, uint32_t node, struct company *m)
{
	m->n = 0;
	for (uint32_t i = 0; i < g->n && m->n < CS_BESIDE_MAX; i++)
		if ((!gone || !gone[i]) && stands_on(f, g, i, node)) {
			m->as[m->n] = cs_who_is(member(f, g, i)->job);
			m->who[m->n++] = i;
		}
	if (node < f->primary.nodes) {
		m->as[m->n] = cs_who_is(f->primary.job);
		m->who[m->n++] = g->n;
	}
}

/* What the @k-th of @m suffers there. */
static double suffers(const struct cs_forming *f, const struct company *m,
		      uint32_t k)
{
	struct cs_who beside[CS_BESIDE_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		if (i != k)
			beside[n++] = m->as[i];
	return cs_slowdown_beside(f->model, m->as[k], beside, n);
}

/* Each beside the primary job alone. */
static double one_layer(const struct cs_forming *f, const struct cs_formed *g,
			const bool *gone, double *ret_cos)
{
	double harm = 1;
	bool any = false;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct cs_candidate *c = member(f, g, i);

		ret_cos[i] = c->cos;
		if (gone && gone[i])
			continue;
		if (!any || c->harm > harm)
			harm = c->harm;
		any = true;
	}
	return harm;
}

double cs_group_layers_suffer(const struct cs_forming *f,
			      const struct cs_formed *g, const bool *gone,
			      double *ret_cos)
{
	double cos[CS_MATCHED_MAX + 1];
	uint32_t p[POINTS_MAX], n;

	if (f->layers == 1)
		return one_layer(f, g, gone, ret_cos);
	for (uint32_t i = 0; i <= g->n; i++)
		cos[i] = 0;
	n = points(f, g, 0, cs_formed_nodes(f, g), p);
	for (uint32_t i = 0; i < n; i++) {
		struct company m;

		meet(f, g, gone, p[i], &m);
		for (uint32_t k = 0; k < m.n; k++) {
			double sl = m.n > 1 ? suffers(f, &m, k) : 1;

			if (sl > cos[m.who[k]])
				cos[m.who[k]] = sl;
		}
	}
	for (uint32_t i = 0; i < g->n; i++)
		ret_cos[i] = cos[i];
	return cos[g->n];
}

/* Do the @k-th and any other of @m pass the preselection for each other? */
static bool pairs_pass(const struct cs_forming *f, const struct company *m,
		       uint32_t k)
{
	double most = f->params->max_slowdown;

	for (uint32_t i = 0; i < m->n; i++)
		if (i != k && (cs_slowdown_beside(f->model, m->as[k], &m->as[i],
						  1) > most ||
			       cs_slowdown_beside(f->model, m->as[i], &m->as[k],
						  1) > most))
			return false;
	return true;
}

/* Can everybody bear the last of @g? */
static bool all_bear(const struct cs_forming *f, const struct cs_formed *g)
{
	uint32_t last = g->n - 1, p[POINTS_MAX];
	uint32_t n = points(f, g, g->from[last], end_of(f, g, last), p);
	double cos[CS_MATCHED_MAX], harm, lasts;

	for (uint32_t i = 0; i < n; i++) {
		struct company m;

		meet(f, g, NULL, p[i], &m);
		for (uint32_t k = 0; k < m.n; k++)
			if (m.who[k] == last && !pairs_pass(f, &m, k))
				return false;
	}
	harm = cs_group_layers_suffer(f, g, NULL, cos);
	if (harm > f->primary.most)
		return false;
	lasts = cs_candidate_lasts_us(&f->primary, harm) +
		(double)f->params->matched_longer_s * 1e6;
	for (uint32_t i = 0; i < g->n; i++)
		if (cos[i] > member(f, g, i)->most ||
		    cs_candidate_lasts_us(member(f, g, i), cos[i]) > lasts)
			return false;
	return true;
}

/* Places (rule 2). */

/* The most matched jobs on a node from @from on where candidate @c could have its
 * part beside them; @layers: it could not on one. */
static uint32_t layer_at(const struct cs_forming *f, const struct cs_formed *g,
			 const struct cs_candidate *c, uint32_t from,
			 uint32_t layers)
{
	uint32_t p[POINTS_MAX], layer = 0;
	uint32_t n = points(f, g, from, from + c->nodes, p);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t jobs = 0, cores = c->cores + f->primary.cores;
		uint64_t mb = c->mem_mb + f->primary.mem_mb;

		for (uint32_t k = 0; k < g->n; k++) {
			if (!stands_on(f, g, k, p[i]))
				continue;
			jobs++;
			cores += member(f, g, k)->cores;
			mb += member(f, g, k)->mem_mb;
		}
		if (cores > f->cores || mb > f->mem_mb)
			return layers;
		layer = jobs > layer ? jobs : layer;
	}
	return layer;
}

uint32_t cs_group_layers_place(const struct cs_forming *f,
			       const struct cs_formed *g, uint32_t c,
			       uint32_t layers)
{
	const struct cs_candidate *x = &f->candidate[c];
	uint32_t p[POINTS_MAX], n;
	struct cs_formed more;

	if (f->layers == 1)
		return g->nodes + x->nodes <= reach(f) ? g->nodes : CS_NO_PLACE;
	n = points(f, g, 0, reach(f), p);
	more = *g;
	more.matched[more.n++] = c;
	for (uint32_t layer = 0; layer < layers; layer++)
		for (uint32_t i = 0; i < n && p[i] + x->nodes <= reach(f);
		     i++) {
			if (layer_at(f, g, x, p[i], layers) != layer)
				continue;
			more.from[g->n] = p[i];
			if (all_bear(f, &more))
				return p[i];
		}
	return CS_NO_PLACE;
}
