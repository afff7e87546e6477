/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Group formation: which jobs to match with a primary job.
 *
 * Problem.  A primary job leaves cores of its nodes idle; which set of other
 * jobs, of other sizes and lengths, uses them best?  There are too many sets to try
 * them all (the problem is NP-complete).
 *
 * Symbols	C name		unit
 *   X		nodes		nodes that one job of a group takes
 *   SL_A,i	harm		1, A's slowdown beside i
 *   SL_i,A	cos		1, i's beside A
 *   l		layers		jobs_per_node - 1, matched jobs on a node
 *   U		gain		1, equation 6 (gain.c)
 *
 * Rules (steps of Zeng09, section 4.5; step 1 is in group_match.c,
 * step 6 in group_fair.c).
 *  2. Candidates are divided into blocks of BLOCK_SIZE in the order given, and
 *     each block is sorted by decreasing remaining runtime.
 *  3. First block: a window as wide as the primary job slides over it; every set
 *     of consecutive jobs in the window whose nodes do not exceed the primary
 *     job's by more than MATCHED_LARGER is a group.
 *  4. Other blocks: while the best group leaves nodes of the primary job unused,
 *     jobs of later blocks are added that fit and raise the gain.  Each group better
 *     than the one before is kept.
 *     Then, if l > 1, the same with the jobs of all blocks and the nodes with fewer
 *     than l matched ones (group_layers.c).
 *  5. Purify: the matched job that slows the primary one most is removed while the gain
 *     does not fall.
 *
 *	first block	|  a  | b |  c   | d |e|
 *	window		      |<- primary ->|		b, c: 11 of 12 nodes
 *
 * The gain of a set runs over the periods between the ends of its members, until
 * the primary job or the last matched one ends.  If l > 1, each period has its own
 * slowdowns: a job that ends leaves fewer neighbours to those above and below it.
 *
 * Source: Zeng09 (see slowdown.h), sections 4.5 and 4.6.
 *
 * Differs.
 *  1. A job that must be matched (case 3) is in every group, and the window is as wide
 *     as what it leaves.
 *  2. The gain counts the nodes that the group really takes: see gain.c.
 *  3. With first_suitable a window takes jobs into all layers in their order.
 *  4. Where a check is cheap (group_unplanned.c), every window of one block in the order
 *     given is a group, not the best of the first block, and of two with the same gain
 *     the earlier is the better.
 *
 * Cost: O(BLOCK_SIZE^2) slowdowns for step 3, O(candidates) gains for step 4; a
 * gain is O(n^2) slowdowns of n matched jobs, O(n^3) beyond one layer.
 */
#include "place/candidate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "profile/gain.h"
#include "place/group_layers.h"

/* Equation 6, period by period. */

/* The matched jobs of a group, and their progress. */
struct life {
	const struct cs_candidate *c[CS_MATCHED_MAX];
	double rest_us[CS_MATCHED_MAX];
	double cos[CS_MATCHED_MAX]; /* in this period */
	bool gone[CS_MATCHED_MAX];
	uint32_t n;
};

/* One period, with the primary job slowed by @w: fill @job and their number, and return
 * how long it lasts. */
static double period(const struct cs_candidate *a, double a_rest_us, double w,
		     const struct life *l, struct cs_gain_job *job,
		     uint32_t *ret_n)
{
	double t = a_rest_us * a->pace * w;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct cs_candidate *c = l->c[i];
		double lasts = l->rest_us[i] * c->pace * l->cos[i];

		if (l->gone[i])
			continue;
		job[n++] =
			(struct cs_gain_job){ c->procs, c->self * l->cos[i] };
		if (lasts < t)
			t = lasts;
	}
	job[n++] = (struct cs_gain_job){ a->procs, a->self * w };
	*ret_n = n;
	return t;
}

/* Advance by the period of @t_us; returns how many still run. */
static uint32_t pass_by(struct life *l, double t_us)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		double pace = l->c[i]->pace * l->cos[i];

		if (l->gone[i])
			continue;
		l->gone[i] = l->rest_us[i] * pace <= t_us;
		l->rest_us[i] -= t_us / pace;
		k += !l->gone[i];
	}
	return k;
}

/* Of a primary job and one other: one period, so its length does not count, nor round. */
static double gain_of_two(const struct cs_forming *f, const struct cs_formed *g)
{
	const struct cs_candidate *a = &f->primary;
	const struct cs_candidate *c = &f->candidate[g->matched[0]];
	double cos[CS_MATCHED_MAX];
	double harm = cs_group_layers_suffer(f, g, NULL, cos);

	return cs_gain_pair(&(struct cs_gain_job){ a->procs, a->self * harm },
			    &(struct cs_gain_job){ c->procs, c->self * cos[0] },
			    cs_formed_nodes(f, g));
}

static double gain_of(const struct cs_forming *f, const struct cs_formed *g)
{
	const struct cs_candidate *a = &f->primary;
	struct life l;
	struct cs_gain_job job[CS_MATCHED_MAX + 1];
	uint32_t nodes = cs_formed_nodes(f, g), left = g->n, n;
	double rest = a->rest_us;
	struct cs_gain gain = { 0 };

	l.n = g->n;
	for (uint32_t i = 0; i < l.n; i++) {
		l.c[i] = &f->candidate[g->matched[i]];
		l.rest_us[i] = l.c[i]->rest_us;
		l.gone[i] = false;
	}
	while (left) {
		double w = cs_group_layers_suffer(f, g, l.gone, l.cos);
		double t = period(a, rest, w, &l, job, &n);

		cs_gain_add(&gain, t, job, n, nodes);
		if (rest * a->pace * w <= t)
			break;
		rest -= t / (a->pace * w);
		left = pass_by(&l, t);
	}
	return cs_gain(&gain);
}

/* Sets. */

static bool holds(const struct cs_formed *g, uint32_t c)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->matched[i] == c)
			return true;
	return false;
}

/* Where there are fewer than @layers. */
static uint32_t place(const struct cs_forming *f, const struct cs_formed *g,
		      uint32_t c, uint32_t layers)
{
	return g->n < f->most ? cs_group_layers_place(f, g, c, layers)
			      : CS_NO_PLACE;
}

static void put(const struct cs_forming *f, struct cs_formed *g, uint32_t c,
		uint32_t from)
{
	uint32_t end = from + f->candidate[c].nodes;

	g->matched[g->n] = c;
	g->from[g->n++] = from;
	g->nodes = end > g->nodes ? end : g->nodes;
}

static bool add(const struct cs_forming *f, struct cs_formed *g, uint32_t c,
		uint32_t layers)
{
	uint32_t from = place(f, g, c, layers);

	if (from != CS_NO_PLACE)
		put(f, g, c, from);
	return from != CS_NO_PLACE;
}

static void judge(const struct cs_forming *f, struct cs_formed *g)
{
	double cos[CS_MATCHED_MAX];

	g->harm = cs_group_layers_suffer(f, g, NULL, cos);
	g->gain = f->every && g->n == 1 ? gain_of_two(f, g) : gain_of(f, g);
}

/* Only the used part: groups are compared often. */
static void copy(struct cs_formed *to, const struct cs_formed *from)
{
	memcpy(to, from, offsetof(struct cs_formed, matched));
	memcpy(to->matched, from->matched, from->n * sizeof(*from->matched));
	memcpy(to->from, from->from, from->n * sizeof(*from->from));
}

/* Step 5. */
static void purify(const struct cs_forming *f, struct cs_formed *g)
{
	while (g->n > 1) {
		struct cs_formed less;
		uint32_t out = 0;

		for (uint32_t i = 1; i < g->n; i++)
			if (f->candidate[g->matched[i]].harm >
			    f->candidate[g->matched[out]].harm)
				out = i;
		if (f->must >= 0 && g->matched[out] == (uint32_t)f->must)
			return;
		less.n = less.nodes = 0;
		for (uint32_t i = 0; i < g->n; i++)
			if (i != out &&
			    !add(f, &less, g->matched[i], f->layers))
				return;
		judge(f, &less);
		if (less.gain < g->gain)
			return;
		copy(g, &less);
	}
}

static int keep(struct cs_forming *f, const struct cs_formed *g)
{
	struct cs_formed pure;

	copy(&pure, g);
	purify(f, &pure);
	if (pure.gain < f->params->min_util_gain)
		return 0;
	if (cs_array_room(&f->group, &f->cap_group, (size_t)f->n_group + 1))
		return -ENOMEM;
	copy(&f->group[f->n_group++], &pure);
	return 0;
}

/* Blocks. */

static int by_rest(const void *x, const void *y)
{
	const struct cs_candidate *a = x, *b = y;

	if (a->rest_us != b->rest_us)
		return a->rest_us > b->rest_us ? -1 : 1;
	return cs_ejob_cmp(a->job, b->job);
}

static uint32_t block_end(const struct cs_forming *f, uint32_t begin)
{
	int64_t size = f->params->block_size;

	if (f->every || f->params->no_blocks || size >= f->n - begin)
		return f->n;
	return begin + (uint32_t)size;
}

/* Step 2.  The job that must be matched is the first of the first block. */
static void sort_blocks(struct cs_forming *f)
{
	uint32_t from = f->must >= 0;

	if (f->every || f->params->no_sort)
		return;
	for (uint32_t b = 0, end; b < f->n; b = end) {
		end = block_end(f, b);
		if (b > from)
			from = b;
		cs_sort(f->candidate + from, end - from, sizeof(*f->candidate),
			by_rest);
	}
}

/* The set in the window that begins at @from. */
static void window(const struct cs_forming *f, uint32_t from, uint32_t end,
		   struct cs_formed *g)
{
	uint32_t layers = f->first ? f->layers : 1;

	g->n = g->nodes = 0;
	if (f->must >= 0 && !add(f, g, (uint32_t)f->must, layers))
		return;
	for (uint32_t i = from; i < end; i++)
		if (!add(f, g, i, layers))
			break;
	if (g->n)
		judge(f, g);
}

/* Step 3: the best window, or with `first` and `every` each that gains enough. */
static int first_block(struct cs_forming *f, struct cs_formed *best)
{
	uint32_t end = block_end(f, 0), from = f->must >= 0;
	int rc = 0;

	best->n = best->nodes = 0;
	best->gain = 0;
	/* a job that must be matched is tried alone too */
	for (uint32_t i = from; !rc && i < end + from; i++) {
		struct cs_formed g;

		window(f, i, end, &g);
		if (!g.n)
			continue;
		if (f->first || f->every)
			rc = keep(f, &g);
		else if (!best->n || g.gain > best->gain)
			copy(best, &g);
	}
	return rc;
}

/* Step 4: candidate @c into @g, on nodes with fewer than @layers, if that is better. */
static int try_more(struct cs_forming *f, struct cs_formed *g, uint32_t c,
		    uint32_t layers)
{
	struct cs_formed more;
	uint32_t from = holds(g, c) ? CS_NO_PLACE : place(f, g, c, layers);

	if (from == CS_NO_PLACE)
		return 0;
	copy(&more, g);
	put(f, &more, c, from);
	judge(f, &more);
	if (more.gain <= g->gain)
		return 0;
	copy(g, &more);
	return keep(f, g);
}

static int other_blocks(struct cs_forming *f, struct cs_formed *g)
{
	bool others = !f->params->first_block_only;
	uint32_t first = block_end(f, 0), end = others ? f->n : first;
	int rc = 0;

	for (uint32_t i = first; !rc && i < end && g->nodes < f->primary.nodes;
	     i++)
		rc = try_more(f, g, i, 1);
	for (uint32_t i = 0; !rc && f->layers > 1 && i < end; i++)
		rc = try_more(f, g, i, f->layers);
	return rc;
}

static int by_gain(const void *x, const void *y)
{
	const struct cs_formed *a = x, *b = y;

	if (a->gain != b->gain)
		return a->gain > b->gain ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->matched[i] != b->matched[i])
			return a->matched[i] < b->matched[i] ? -1 : 1;
	return 0;
}

int cs_group_form(struct cs_forming *f)
{
	struct cs_formed best;
	int rc;

	f->n_group = 0;
	if (!f->n)
		return 0;
	sort_blocks(f);
	rc = first_block(f, &best);
	if (rc || f->first)
		return rc;
	if (best.n)
		rc = keep(f, &best);
	/* nothing in the first block: the others form groups alone */
	if (!rc)
		rc = other_blocks(f, &best);
	if (f->n_group > 1)
		qsort(f->group, f->n_group, sizeof(*f->group), by_gain);
	return rc;
}
