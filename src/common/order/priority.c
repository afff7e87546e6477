/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problem.  Jobs are in an order and have numbers; find numbers that decrease along it
 * and differ from the old ones in as few places as possible.
 *
 * Rule.  A longest strictly decreasing subsequence stays (patience sorting: end[k] is
 * the place of the greatest last number of a decreasing subsequence of k + 1); places
 * between two that stay get numbers spread evenly between theirs, those before the
 * first and after the last STEP apart, or less near a bound.  With none to keep,
 * numbers start in the middle.
 *
 * Cost: O(n log n).
 */
#include "order/priority.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define STEP 10000
#define MIDDLE ((CS_PRIORITY_LEAST + CS_PRIORITY_MOST) / 2)

static bool good(uint32_t p)
{
	return p >= CS_PRIORITY_LEAST && p <= CS_PRIORITY_MOST;
}

struct falling {
	size_t *end;  /* [n] places, see above */
	size_t *from; /* [n] the previous place in its subsequence + 1; 0 */
};

/* The longest decreasing subsequence so far that @p can end. */
static size_t length_before(const struct falling *f, const uint32_t *all,
			    size_t n, uint32_t p)
{
	size_t from = 0, to = n;

	while (from < to) {
		size_t i = from + (to - from) / 2;

		if (all[f->end[i]] > p)
			from = i + 1;
		else
			to = i;
	}
	return from;
}

/* Those that do not stay become 0. */
static void keep_most(uint32_t *p, size_t n, const struct falling *f)
{
	size_t longest = 0, at, next;

	for (size_t i = 0; i < n; i++) {
		size_t k;

		if (!good(p[i]))
			continue;
		k = length_before(f, p, longest, p[i]);
		f->end[k] = i;
		f->from[i] = k ? f->end[k - 1] + 1 : 0;
		longest += k == longest;
	}
	at = n;
	next = longest ? f->end[longest - 1] + 1 : 0;
	for (; next; next = f->from[at]) {
		while (--at > next - 1)
			p[at] = 0;
	}
	while (at)
		p[--at] = 0;
}

/* Fill @p [@n] from @from down in steps of @step. */
static void fall(uint32_t *p, size_t n, uint32_t from, uint32_t step)
{
	for (size_t i = 0; i < n; i++)
		p[i] = from - (uint32_t)(i * step);
}

static uint32_t at_most_step(size_t room, size_t n)
{
	return room / n < STEP ? (uint32_t)(room / n) : STEP;
}

static void all_anew(uint32_t *p, size_t n)
{
	uint32_t step = at_most_step(CS_PRIORITY_MOST - CS_PRIORITY_LEAST, n);

	fall(p, n, MIDDLE + (uint32_t)(n * step / 2), step);
}

/* Fill the @n places before @p + @n, which stays unless @last. */
static bool fill(uint32_t *p, size_t n, bool first, bool last)
{
	uint32_t above = first ? CS_PRIORITY_MOST : p[-1];
	uint32_t below = last ? CS_PRIORITY_LEAST : p[n], step;

	if (!n)
		return true;
	if (!first && !last)
		step = (uint32_t)((above - below) / (n + 1));
	else
		step = at_most_step(above - below, n);
	if (step && first)
		fall(p, n, below + (uint32_t)(n * step), step);
	else if (step)
		fall(p, n, above - step, step);
	return step;
}

static bool fill_gaps(uint32_t *p, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && !p[i])
			continue;
		if (!fill(p + from, i - from, !from, i == n))
			return false;
		from = i + 1;
	}
	return true;
}

int cs_priority_follow(uint32_t *p, size_t n)
{
	struct falling f = {
		.end = calloc(n + 1, sizeof(*f.end)),
		.from = calloc(n + 1, sizeof(*f.from)),
	};
	bool any = false;
	int rc = 0;

	if (f.end && f.from) {
		keep_most(p, n, &f);
		for (size_t i = 0; i < n; i++)
			any |= p[i] != 0;
		if (n && (!any || !fill_gaps(p, n)))
			all_anew(p, n);
	} else {
		rc = -ENOMEM;
	}
	free(f.end);
	free(f.from);
	return rc;
}

uint32_t cs_priority_behind(uint32_t least)
{
	if (!least)
		return MIDDLE;
	return least > CS_PRIORITY_LEAST + STEP ? least - STEP
						: CS_PRIORITY_LEAST;
}
