/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A decide about a part of the machine.
 *
 * Problem.  100,000 jobs wait in full partitions, and one is submitted to an idle one.
 * A decide about all of them takes a second, and decides nothing about those in which
 * nothing has happened.
 *
 * Symbols	C name			meaning
 *   N		cs_decide_part.nodes	nodes on which something has happened: those that a
 *					new job may use, those that an ended one had
 *   R		cs_region.nodes		the region of N
 *
 * Rules.
 *  1. R is the smallest set of nodes with N in it that holds all or nothing of: the nodes
 *     that a waiting job may use, in any of its options; the nodes of a started job; a
 *     class of nodes of the plan (plan_class.c).  No promise, no head and no start on nodes
 *     of R then counts for a job that may use others, and the reverse.
 *  2. The walk visits the entries of jobs that may use nodes of R, in the order of the queue
 *     at that instant.  It decides about them what a whole decide would if all other
 *     jobs were held.
 *  3. The decide is about the whole machine where other parts count: under time slices and
 *     rules of sites; with backfill=stock, whose passes have their instants; if all promises
 *     last from decide to decide (plan.c, rule 3), as the plan is one then; if the depth
 *     counts the whole queue; if R has every entry, or more than JOBS_MOST waiting jobs, or
 *     is not found in ROUNDS rounds.
 *  4. What the last whole decide left for the rest of the queue stays: verdicts, heads, what
 *     keeps nodes.  The plan has only the region's promises and is out of date afterwards;
 *     the next whole decide begins at the head of the queue.
 *
 * Example.  Partitions a, b and c of one node each; job 1 may use a and b, job 2 b, job 3 c,
 * and all wait.  Job 2 is cancelled and another one submitted to b: N is {b}, R is {a, b} for
 * job 1, and job 3 is not visited.
 *
 * Source: ours.
 *
 * Differs from a whole decide in which the others wait, beside rule 4: an instant that one of
 * them awaits is left to the host (cs_engine_next_wakeup_us()).  What a whole decide counts
 * over all jobs is counted in R: jobs that the host's own test places (forecast.c, rule 1),
 * which also end no walk outside of R; the depth of a partition, of which some nodes may be
 * outside; what a decide may search (steps, looks at all promises).  A plan in which some class
 * far away is promised beyond what it has (plan.c, known weakness) refuses starts everywhere,
 * and none of R.
 *
 * Invariant: rule 2 (test_region.c).
 *
 * Cost: O(queue + node sets * nodes / 64 + nodes of started jobs) a round, mostly two; then
 * as a decide with the region's entries as its queue.
 */
#include "engine/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/easy.h"
#include "backfill/plan.h"
#include "base/array.h"
#include "job/site_room.h"
#include "order/queue.h"
#include "state/pass.h"

#define ROUNDS 8
#define JOBS_MOST 10000 /* that wait in a region: its walk does not pause */

/* Rule 3. */
static bool applies(const struct cs_engine *e)
{
	const struct cs_queue *q = &e->sm->queue;
	size_t n = q->end - q->begin;

	return e->n_sm == 1 && !e->slice->decide && !e->slice->seat &&
	       !cs_site_rules(e) && (e->backfill->all || !e->backfill->begin) &&
	       !(e->backfill->all && e->order->lasting) &&
	       (e->params.depth_of == CS_DEPTH_OF_PARTITION ||
		!e->params.depth || n <= (size_t)e->params.depth);
}

/* Room for all node sets there are. */
static bool begin(struct cs_engine *e, const uint64_t *nodes)
{
	struct cs_region *r = &e->region;
	size_t bytes = cs_node_words(e->machine) * sizeof(*r->nodes);

	if (!r->nodes)
		r->nodes = malloc(bytes);
	if (!r->nodes || cs_array_room(&r->meets, &r->cap_meets, e->n_nodeset))
		return false;
	memcpy(r->nodes, nodes, bytes);
	return true;
}

static void note_sets(struct cs_engine *e)
{
	struct cs_region *r = &e->region;

	for (uint32_t i = 0; i < e->n_nodeset; i++)
		r->meets[i] = cs_sets_meet(e->nodeset[i], r->nodes,
					   cs_node_words(e->machine));
}

static bool in_region(const struct cs_engine *e, const struct cs_ejob *j)
{
	for (uint32_t o = 0; o < j->job.n_option; o++)
		if (e->region.meets[j->job.option[o].nodeset])
			return true;
	return false;
}

/* Rule 1: the nodes that its waiting jobs may use. */
static void join_waiting(struct cs_engine *e)
{
	struct cs_region *r = &e->region;

	for (size_t i = 0; i < e->waiting.n; i++) {
		const struct cs_ejob *j = e->waiting.job[i];

		if (!in_region(e, j))
			continue;
		for (uint32_t o = 0; o < j->job.n_option; o++) {
			uint32_t set = j->job.option[o].nodeset;

			if (cs_bits_within(e->nodeset[set], r->nodes,
					   cs_node_words(e->machine)))
				continue;
			cs_bits_or(r->nodes, e->nodeset[set],
				   cs_node_words(e->machine));
			r->meets[set] = true;
		}
	}
}

/* Rule 1: the nodes of its started jobs. */
static void join_started(struct cs_engine *e)
{
	uint64_t *nodes = e->region.nodes;

	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_alloc *a = e->started.job[i]->alloc;
		bool any = false, all = true;

		for (uint32_t k = 0; a && k < a->n_node; k++) {
			bool in = cs_bit(nodes, a->node[k].node);

			any |= in;
			all &= in;
		}
		if (any && !all)
			cs_alloc_mark(a, nodes);
	}
}

/* Is R found? */
static bool spread(struct cs_engine *e)
{
	const struct cs_region *r = &e->region;
	uint32_t words = cs_node_words(e->machine);

	for (int i = 0; i < ROUNDS; i++) {
		uint32_t before = cs_bits_count(r->nodes, words);

		if (e->backfill->all && cs_plan_join_classes(e, r->nodes))
			return false;
		note_sets(e);
		join_waiting(e);
		join_started(e);
		if (cs_bits_count(r->nodes, words) == before)
			return true;
	}
	return false;
}

/* Does a job outside of R wait, and are those in R few enough? */
static bool leaves_any(const struct cs_engine *e)
{
	size_t in = 0, out = 0;

	for (size_t i = 0; i < e->waiting.n; i++) {
		bool is_in = in_region(e, e->waiting.job[i]);

		in += is_in;
		out += !is_in && e->waiting.job[i]->job.id;
	}
	return out && in <= JOBS_MOST;
}

bool cs_region_find(struct cs_engine *e, const uint64_t *nodes)
{
	e->region.on =
		applies(e) && begin(e, nodes) && spread(e) && leaves_any(e);
	return e->region.on;
}

int cs_region_queue(struct cs_engine *e, struct cs_entry **ret, size_t *ret_n)
{
	struct cs_region *r = &e->region;
	size_t n, k = 0;
	const struct cs_entry *all = cs_order_queue(e, &n);

	if (cs_array_room(&r->entry, &r->cap_entry, n))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!in_region(e, all[i].job))
			continue;
		all[i].job->verdict =
			(struct cs_verdict){ .start_us = CS_TIME_NONE };
		r->entry[k++] = all[i];
	}
	*ret = r->entry;
	*ret_n = k;
	return 0;
}

/* The heads of the region, and those of the last whole decide. */
static void exchange_heads(struct cs_engine *e)
{
	struct cs_promises heads = e->sm->heads;

	e->sm->heads = e->region.heads;
	e->region.heads = heads;
}

void cs_region_enter(struct cs_engine *e)
{
	exchange_heads(e);
	cs_backfill_clear(e->sm);
	e->region.closed = e->sm->closed;
	e->region.reservations = e->reservations;
	e->region.last_job = e->passing.last_job;
	e->region.last_option = e->passing.last_option;
	e->passing.last_job = 0;
	e->sm->closed = false;
}

void cs_region_leave(struct cs_engine *e)
{
	exchange_heads(e);
	e->sm->closed = e->region.closed;
	e->reservations = e->region.reservations;
	e->passing.last_job = e->region.last_job;
	e->passing.last_option = e->region.last_option;
	e->sm->stale = true;
	e->rescan = true;
	e->region.on = false;
}

void cs_region_done(struct cs_engine *e)
{
	struct cs_slice_machine heads = { .heads = e->region.heads };

	cs_backfill_done(&heads);
	free(e->region.nodes);
	free(e->region.meets);
	free(e->region.entry);
}
