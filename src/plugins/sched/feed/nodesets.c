/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node sets that change for many waiting jobs at once.
 *
 * Problem.  A node that comes to a partition, or leaves it, changes the set of nodes that
 * each of the partition's waiting jobs may use.  One event a job and node is 86,000 lines
 * of log where 43 nodes come to 2,000 jobs.
 *
 * Rules.
 *  1. Set S has become set T if more than half of all partition choices of waiting jobs that
 *     had S have T now, and at least two: CS_EV_NODESET.
 *  2. What is known of every waiting job follows that event, as in the engine.  A job of
 *     another change then differs from what is known, and is described anew (feed.c): the
 *     event is never wrong, at worst useless.
 *  3. Where S becomes T and T becomes U, the second is told first: else the jobs of S would
 *     follow it, too.  Those that remain, in a circle, are left to rule 2.
 *
 * A majority, if there is one, is the candidate that is left when each choice for another
 * one cancels a choice for it (Boyer and Moore 1981); a second pass counts.
 *
 * Cost: O(waiting jobs + sets of the view) a snapshot; each event as in the engine.
 */
#include "sched/feed/nodesets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "sched/feed/feed_event.h"
#include "sched/view/view_table.h"

int64_t cs_feed_nodeset(struct cs_adapter *b, uint32_t set)
{
	const uint64_t *words = cs_view_set_words(b->view->sets, set);
	int64_t number;

	if (!words)
		return -1;
	while (b->told.n_nodeset <= set) {
		uint32_t n = b->told.n_nodeset ? 2 * b->told.n_nodeset : 64;
		uint32_t *p = realloc(b->told.nodeset, n * sizeof(*p));

		if (!p)
			return -1;
		memset(p + b->told.n_nodeset, 0xff,
		       (n - b->told.n_nodeset) * sizeof(*p));
		b->told.nodeset = p;
		b->told.n_nodeset = n;
	}
	if (b->told.nodeset[set] != UINT32_MAX)
		return b->told.nodeset[set];
	number = cs_engine_nodeset(b->engine, words);
	if (number >= 0)
		b->told.nodeset[set] = (uint32_t)number;
	return number;
}

/* What choices of one set have now. */
struct vote {
	uint32_t to;	/* the candidate */
	uint32_t lead;	/* first pass: choices not cancelled */
	uint32_t n, of; /* second pass: choices for it, of all */
};

typedef void count_fn(struct vote *v, uint32_t now);

static void elect(struct vote *v, uint32_t now)
{
	if (!v->lead)
		v->to = now;
	v->lead += v->to == now ? 1 : UINT32_MAX; /* or 1 less */
}

static void tally(struct vote *v, uint32_t now)
{
	v->n += v->to == now;
	v->of++;
}

/* Does the engine have it, waiting? */
static bool follows(const struct cs_known_job *k)
{
	return k->state == CS_VIEW_WAITING && !k->ghost && k->bytes;
}

/* False: each choice has the set that it had. */
static bool each_choice(struct cs_adapter *b, struct vote *vote,
			count_fn *count)
{
	bool changed = false;

	for (struct cs_view_job *j = cs_view_next(b->view, NULL); j;
	     j = cs_view_next(b->view, j)) {
		const struct cs_known_job *k = cs_known_find(&b->known, j->id);
		const struct cs_view_option *was, *now = cs_view_options(j);

		if (!k || j->state != CS_VIEW_WAITING || !follows(k) ||
		    cs_known_desc(k)->n_option != j->desc.n_option)
			continue;
		was = cs_known_options(k);
		for (uint32_t i = 0; i < j->desc.n_option; i++) {
			if (was[i].partition != now[i].partition)
				continue;
			count(&vote[was[i].set], now[i].set);
			changed |= was[i].set != now[i].set;
		}
	}
	return changed;
}

/* Rule 1. */
static bool has_become(const struct vote *vote, uint32_t set)
{
	const struct vote *v = &vote[set];

	return v->to != set && v->n >= 2 && v->n > v->of / 2;
}

/* Rule 2. */
static void known_follow(struct cs_adapter *b, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < b->known.n; i++) {
		struct cs_known_job *k = b->known.list[i];
		struct cs_view_option *o = cs_known_options(k);

		if (!follows(k))
			continue;
		for (uint32_t p = 0; p < cs_known_desc(k)->n_option; p++)
			if (o[p].set == from)
				o[p].set = to;
	}
}

static int becomes(struct cs_adapter *b, uint32_t from, uint32_t to,
		   struct cs_err *err)
{
	int64_t was = cs_feed_nodeset(b, from), now = cs_feed_nodeset(b, to);
	struct cs_event ev = { .type = CS_EV_NODESET, .t_us = b->now_us };
	int rc;

	if (was < 0 || now < 0)
		return -ENOMEM;
	ev.nodeset.from = (uint32_t)was;
	ev.nodeset.to = (uint32_t)now;
	rc = cs_feed_event(b, &ev, NULL, err);
	if (!rc)
		known_follow(b, from, to);
	return rc;
}

/* Rule 3: tell those whose new set does not become another, until none is left. */
static int tell(struct cs_adapter *b, struct vote *vote, uint32_t n,
		struct cs_err *err)
{
	bool told = true;
	int rc = 0;

	while (told && !rc) {
		told = false;
		for (uint32_t s = 0; !rc && s < n; s++) {
			if (!has_become(vote, s) ||
			    has_become(vote, vote[s].to))
				continue;
			rc = becomes(b, s, vote[s].to, err);
			vote[s].n = 0;
			told = true;
		}
	}
	return rc;
}

int cs_feed_nodesets(struct cs_adapter *b, struct cs_err *err)
{
	uint32_t n = cs_view_set_count(b->view->sets);
	struct vote *vote;
	int rc = 0;

	if (!n)
		return 0;
	vote = calloc(n, sizeof(*vote));
	if (!vote)
		return -ENOMEM;
	if (each_choice(b, vote, elect)) {
		each_choice(b, vote, tally);
		rc = tell(b, vote, n, err);
	}
	free(vote);
	return rc;
}
