/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The usual limit: what jobs ask for of late, where they ask for it.
 *
 * Problem.  A rule that lets jobs pass each other by their time limits needs a unit: an
 * hour's wait is much where jobs take minutes, and little where they take days.
 *
 * Symbols	C name		unit
 *   L		limit_us	us, a job's time limit, 60 s to 7 days
 *   U		sum / weight	us, the usual limit
 *   H		half_jobs	1, half_us in time: after so many submissions, or so long,
 *				a limit counts half
 *
 * Rule.  U is the mean limit of all submissions so far, each weighted by
 *
 *	2 ** -max(k / H_jobs, t / H_us)			(1)
 *
 * summed over the steps since: k submissions have come after it, t later.  An array
 * counts once.  Before the first submission U is an hour.  Each group of partitions has
 * its own U; partitions belong together where they share a node.  Two groups that turn out
 * to share one become one, with the sums of both.
 *
 * Example: limits of 1 h and 4 h, H one submission: U is 1 h, then (.5 + 4) / 1.5 = 3 h.
 *
 * Source: ours; H and the bounds are set by hand.
 *
 * Cost: O(nodes / 64) a submission and group.
 */
#include "order/usual.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "learn/real.h"

#define LN2 0.69314718055994530942

void cs_usual_done(struct cs_usual *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->group[i].nodes);
	free(u->group);
}

int cs_usual_copy(struct cs_usual *to, const struct cs_usual *from)
{
	if (cs_array_room(&to->group, &to->cap, from->n))
		return -ENOMEM;
	for (size_t i = 0; i < from->n; i++) {
		struct cs_usual_group *g = &to->group[i];

		*g = from->group[i];
		g->nodes = calloc(to->words, sizeof(*g->nodes));
		if (!g->nodes)
			return -ENOMEM;
		to->n++;
		memcpy(g->nodes, from->group[i].nodes,
		       to->words * sizeof(*g->nodes));
	}
	return 0;
}

static bool meet(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

static void add_nodes(struct cs_usual_group *g, const uint64_t *nodes,
		      uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		g->nodes[w] |= nodes[w];
}

/* How much a weight of @at_us is worth @jobs submissions later, at @to_us. */
static double worth(const struct cs_usual *u, double jobs, int64_t at_us,
		    int64_t to_us)
{
	double t = to_us > at_us ? (double)(to_us - at_us) / u->half_us : 0;
	double k = jobs / u->half_jobs;

	return cs_real_exp(-LN2 * (t > k ? t : k));
}

/* The limits of @from count in @g. */
static void take_in(const struct cs_usual *u, struct cs_usual_group *g,
		    const struct cs_usual_group *from)
{
	int64_t to_us = from->at_us > g->at_us ? from->at_us : g->at_us;
	double mine = worth(u, 0, g->at_us, to_us);
	double its = worth(u, 0, from->at_us, to_us);

	g->sum_us = mine * g->sum_us + its * from->sum_us;
	g->weight = mine * g->weight + its * from->weight;
	g->at_us = to_us;
	add_nodes(g, from->nodes, u->words);
}

struct cs_usual_group *cs_usual_group_of(struct cs_usual *u,
					 const uint64_t *nodes)
{
	size_t first = 0, kept;

	while (first < u->n && !meet(u->group[first].nodes, nodes, u->words))
		first++;
	if (first == u->n) {
		struct cs_usual_group *g;

		if (cs_array_room(&u->group, &u->cap, u->n + 1))
			return NULL;
		g = &u->group[u->n];
		*g = (struct cs_usual_group){
			.nodes = calloc(u->words, sizeof(*g->nodes)),
			.at_us = INT64_MIN / 4,
		};
		if (!g->nodes)
			return NULL;
		u->n++;
	}
	kept = first + 1;
	for (size_t i = first + 1; i < u->n; i++)
		if (meet(u->group[i].nodes, nodes, u->words)) {
			take_in(u, &u->group[first], &u->group[i]);
			free(u->group[i].nodes);
		} else {
			u->group[kept++] = u->group[i];
		}
	u->n = kept;
	add_nodes(&u->group[first], nodes, u->words);
	return &u->group[first];
}

static int64_t bounded_us(int64_t us)
{
	return us < CS_USUAL_LEAST_US  ? CS_USUAL_LEAST_US
	       : us > CS_USUAL_MOST_US ? CS_USUAL_MOST_US
				       : us;
}

int64_t cs_usual_limit_us(const struct cs_usual_group *g)
{
	return g->weight > 0 ? bounded_us((int64_t)(g->sum_us / g->weight))
			     : CS_USUAL_FIRST_US;
}

void cs_usual_count(const struct cs_usual *u, struct cs_usual_group *g,
		    const struct cs_usual_job *j)
{
	double was;

	if (j->array && j->array == g->array)
		return;
	/* equation (1), a step at a time */
	was = worth(u, 1, g->at_us, j->at_us);
	g->sum_us = was * g->sum_us + (double)bounded_us(j->limit_us);
	g->weight = was * g->weight + 1;
	g->at_us = j->at_us > g->at_us ? j->at_us : g->at_us;
	g->array = j->array;
}
