/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which sites could hold a job, and how many it takes.
 *
 * Problem.  A split job pays for crossing (model/sites.h): it gets the fewest fragments
 * possible, and the site may bound them.
 *
 * Rules.
 *  1. Fragments are counted over sites by decreasing room: no other order needs fewer.
 *     If the job wants more nodes than its processes need, until it has them.
 *  2. A job of at most site_lower_bound processes is not split.
 *  3. site_fragments=limited: the most fragments by the processes of the job are
 *
 *	1 to 64: 1	65 to 128: 2	more: 8			(table 3)
 *
 *  4. A job that no site could ever hold is split by any rule, over the fewest sites
 *     that hold it when all that is up is empty, or over as many as rule 3 says if that
 *     is more, and within its maximum time limit: else it would wait for ever.
 *
 * Example: sites with 20, 7 and 5 nodes free: 25 nodes are two fragments, 20 and 5 of
 * the 7; 28 are three.
 *
 * Source: Ernemann02 (model/sites.h), section 3 and table 3.
 *
 * Differs: rule 4 is ours: the paper's jobs all fit by rule 3 on its smallest sites.
 *
 * Cost: O(nodes) for the room, O(sites + nodes / 64) of a plain shape (fit.c, rule 3);
 * O(sites * fragments) for the fewest.
 */
#include "job/site_room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/alone.h"
#include "model/sites.h"

static const struct cs_site_rule_row rules[] = {
	[CS_SITE_RULE_SINGLE] = { .toll = 0 },
	[CS_SITE_RULE_SPLIT] = { .splits = true, .toll = -1 },
	[CS_SITE_RULE_ADAPTIVE] = { .splits = true, .weighs = true },
	[CS_SITE_RULE_LOOK] = { .splits = true,
				.weighs = true,
				.best = true,
				.small = true,
				.toll = 1 },
};

int cs_site_room_init(struct cs_engine *e)
{
	const struct cs_sites *s = e->machine->sites;
	struct cs_site_work *w;

	if (!s || e->params.site_rule == CS_SITE_RULE_NONE)
		return 0;
	w = e->site_work = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->rule = &rules[e->params.site_rule];
	w->now.n = w->then.n = s->n;
	w->now.by_size = w->then.by_size = w->rule->small ? s->site : NULL;
	w->now.have = calloc(s->n, sizeof(*w->now.have));
	w->then.have = calloc(s->n, sizeof(*w->then.have));
	w->now.nodes = calloc(s->n, sizeof(*w->now.nodes));
	w->then.nodes = calloc(s->n, sizeof(*w->then.nodes));
	w->step = calloc(s->n, sizeof(*w->step));
	w->mask = calloc(s->words, sizeof(*w->mask));
	w->nodes = calloc(s->words, sizeof(*w->nodes));
	if (!w->now.have || !w->then.have || !w->now.nodes || !w->then.nodes ||
	    !w->step || !w->mask || !w->nodes)
		return -ENOMEM;
	return cs_occ_init(&w->at, e->machine);
}

void cs_site_room_done(struct cs_engine *e)
{
	struct cs_site_work *w = e->site_work;

	if (!w)
		return;
	free(w->now.have);
	free(w->then.have);
	free(w->now.nodes);
	free(w->then.nodes);
	free(w->step);
	free(w->mask);
	free(w->nodes);
	cs_occ_done(&w->at);
	free(w);
}

uint32_t cs_site_room_on(const struct cs_occ *o, const struct cs_shape *s,
			 uint32_t n)
{
	uint32_t fit = cs_layout_fit(o, n, s);

	return s->even ? fit >= s->quota : fit;
}

static uint32_t need_of(const struct cs_shape *s)
{
	return s->even ? s->nodes : s->procs;
}

/* Empty nodes of @site, of those @allowed. */
static uint32_t empty_in(const struct cs_site *site, const struct cs_occ *o,
			 const uint64_t *allowed)
{
	uint32_t k = 0;

	for (uint32_t w = site->from; w < site->end; w++)
		k += cs_popcount(site->nodes[w] & allowed[w] & o->empty[w] &
				 ~o->down[w]);
	return k;
}

void cs_site_room_in(struct cs_site_room *r, const struct cs_occ *o,
		     const struct cs_shape *s, const uint64_t *allowed)
{
	const struct cs_sites *sites = o->machine->sites;

	r->need = need_of(s);
	r->need_nodes = s->nodes;
	if (cs_layout_any_empty(o->machine, s)) {
		for (uint32_t i = 0; i < r->n; i++)
			r->have[i] = r->nodes[i] =
				empty_in(&sites->site[i], o, allowed);
		return;
	}
	memset(r->have, 0, r->n * sizeof(*r->have));
	memset(r->nodes, 0, r->n * sizeof(*r->nodes));
	for (uint32_t w = 0; w < sites->words; w++)
		for (uint64_t set = allowed[w] & ~o->down[w]; set;) {
			uint32_t n = w * 64 + cs_bit_pop(&set);
			uint32_t k = cs_site_room_on(o, s, n);

			r->have[sites->of[n]] += k;
			r->nodes[sites->of[n]] += k > 0;
		}
}

void cs_site_room_of(struct cs_site_room *r, const struct cs_machine *m,
		     const struct cs_shape *s, const uint64_t *set)
{
	r->need = need_of(s);
	r->need_nodes = s->nodes;
	for (uint32_t i = 0; i < r->n; i++)
		r->have[i] = r->nodes[i] = cs_site_count(m->sites, i, set);
}

uint32_t cs_site_room_next(const struct cs_site_room *r, uint32_t last)
{
	uint32_t most = last < r->n ? r->have[last] : UINT32_MAX;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < r->n; i++) {
		bool behind = last >= r->n || r->have[i] < most ||
			      (r->have[i] == most && i > last);

		if (r->have[i] && behind &&
		    (best == UINT32_MAX || r->have[i] > r->have[best]))
			best = i;
	}
	return best;
}

/* Is site @a the tighter one for a job? */
static bool tighter(const struct cs_site_room *r, uint32_t a, uint32_t b)
{
	const struct cs_site *site = r->by_size;

	if (site && site[a].n_node != site[b].n_node)
		return site[a].n_node < site[b].n_node;
	if (r->have[a] != r->have[b])
		return r->have[a] < r->have[b];
	return a < b;
}

uint32_t cs_site_room_tightest(const struct cs_site_room *r, uint32_t last)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->have[i] >= r->need && r->nodes[i] >= r->need_nodes &&
		    (last >= r->n || tighter(r, last, i)) &&
		    (best == UINT32_MAX || tighter(r, i, best)))
			best = i;
	return best;
}

uint32_t cs_site_room_fewest(const struct cs_site_room *r)
{
	uint64_t lacks;

	return cs_site_room_lacks(r, &lacks);
}

uint32_t cs_site_room_lacks(const struct cs_site_room *r, uint64_t *ret_lacks)
{
	uint32_t site = UINT32_MAX, k = 0;
	uint64_t all = 0, nodes = 0;

	*ret_lacks = 0;
	while (all < r->need || nodes < r->need_nodes) {
		*ret_lacks = all < r->need ? r->need - all : 0;
		site = cs_site_room_next(r, site);
		if (site == UINT32_MAX)
			return 0;
		all += r->have[site];
		nodes += r->nodes[site];
		k++;
	}
	return k;
}

/* Leave in @set the nodes that are up and, empty, could take their part. */
static void only_able(const struct cs_engine *e, const struct cs_shape *s,
		      uint64_t *set)
{
	bool plain = cs_layout_plain(e->machine, s);

	for (uint32_t w = 0; w < cs_node_words(e->machine); w++) {
		set[w] &= ~e->sm->now.down[w];
		for (uint64_t look = plain ? 0 : set[w]; look;) {
			uint32_t n = w * 64 + cs_bit_pop(&look);

			if (!cs_layout_could(&e->machine->node[n], s))
				cs_bit_clear(set, n);
		}
	}
}

/* Rule 4: how many sites of an empty machine the shape takes; 0: it never fits. */
static uint32_t least_ever(const struct cs_engine *e, const struct cs_shape *s,
			   const uint64_t *set)
{
	struct cs_site_work *w = e->site_work;
	const struct cs_sites *sites = e->machine->sites;
	const uint64_t *down = e->sm->now.down;
	uint32_t site = UINT32_MAX, k = 0;

	memset(w->mask, 0, sites->words * sizeof(*w->mask));
	memcpy(w->nodes, set, sites->words * sizeof(*w->nodes));
	only_able(e, s, w->nodes);
	cs_site_room_of(&w->then, e->machine, s, w->nodes);
	while ((site = cs_site_room_next(&w->then, site)) != UINT32_MAX) {
		for (uint32_t i = 0; i < sites->words; i++)
			w->mask[i] |= sites->site[site].nodes[i] & w->nodes[i];
		k++;
		if (cs_layout_holds(e->machine, down, s, w->mask))
			return k;
	}
	return 0;
}

/* Rule 3. */
static uint32_t limit_of(const struct cs_engine *e, uint32_t procs)
{
	if (e->params.site_fragments == CS_SITE_FRAGMENTS_UNLIMITED)
		return UINT32_MAX;
	return procs <= 64 ? 1 : procs <= 128 ? 2 : 8;
}

uint32_t cs_site_room_most(const struct cs_engine *e, const struct cs_ejob *j,
			   uint32_t option, const struct cs_shape *s,
			   uint32_t *ret_least)
{
	uint32_t least =
		least_ever(e, s, cs_engine_set(e, &j->job.option[option]));
	uint32_t limit = limit_of(e, j->job.procs);

	*ret_least = least;
	if (!e->site_work->rule->splits || limit < least ||
	    (least < 2 && j->job.procs <= e->params.site_lower_bound))
		return least;
	return limit;
}

uint32_t cs_site_room_beside(const struct cs_engine *e, const struct cs_ejob *j,
			     uint32_t option)
{
	const struct cs_planned *q = &j->plan;
	uint32_t least = 1;
	struct cs_shape s;

	if (!cs_site_rules(e))
		return UINT32_MAX;
	if (e->sm->plan && q->start_us != CS_TIME_NONE && q->option == option)
		return q->fragments > 1 ? q->fragments : 1;
	if (cs_alone_shape(e, j, option, &s))
		least = least_ever(e, &s,
				   cs_engine_set(e, &j->job.option[option]));
	return least > 1 ? least : 1;
}
