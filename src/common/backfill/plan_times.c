/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reservations keep from a job outside them, and when that changes, by halving.
 *
 * Problem.  A job that fits nowhere now is tried at each of several changes
 * (plan_promise.c), and each time all reservations were asked whether they meet it: with
 * 400 of them half of the time of a decide.
 *
 * Symbols	C name
 *   s_h, e_h	start_us, end_us	begin and end of reservation h
 *   a_i	at_us			all of those instants, increasing
 *   K_i	kept[0][i]		classes that reservations hold in [a_i, a_i+1)
 *
 * Rules.
 *  1. A start at t that is done by u meets the reservations that hold something in
 *     [t, u): it lacks the classes of K_i for all i whose interval meets that.
 *  2. That is the union of two rows of a table of unions over 2^k intervals in a row.
 *  3. The first change after t of what a job of length r meets is the end behind t, or an
 *     instant after the start behind t + r, whichever comes first.
 *
 *	  s_1    s_2   e_1      e_2
 *	   |##1###|#####|        |
 *	   |      |##2##|###2####|
 *	  K_0={1} {1,2}   {2}     {}
 *
 * There are two tables: for jobs that take whole nodes, and for others, from which
 * reservations of cores keep none.  A table is made with the classes (plan_class.c).
 * Without it (a job in a reservation, one that borrows or shares cores; time slices; a
 * reservation without duration) reservations are asked one by one, as are floating ones.
 *
 * Cost: O(reservations log reservations) to make; O(log reservations) a question.
 */
#include "backfill/plan_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

struct cs_plan_times {
	size_t bytes;
	uint32_t n;	 /* reservations that do not float */
	uint32_t n_at;	 /* instants */
	uint32_t levels; /* of a table */
	bool floats;	 /* some do */
	int64_t word[];	 /* start_us [n], end_us [n], at_us [2 n], then
			    kept [2][levels][2 n] */
};

static int64_t *starts(struct cs_plan_times *t)
{
	return t->word;
}

static int64_t *ends(struct cs_plan_times *t)
{
	return t->word + t->n;
}

static int64_t *instants(struct cs_plan_times *t)
{
	return t->word + 2 * (size_t)t->n;
}

/* Unions over 2^@k intervals in a row. */
static uint64_t *unions(struct cs_plan_times *t, bool whole, uint32_t k)
{
	return (uint64_t *)t->word + 4 * (size_t)t->n +
	       ((size_t)whole * t->levels + k) * 2 * t->n;
}

static int by_time(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

/* The first of @n increasing instants that is not before @us; @n: none. */
static uint32_t first_from(const int64_t *at_us, uint32_t n, int64_t us)
{
	uint32_t from = 0;

	while (n) {
		uint32_t half = n / 2;

		if (at_us[from + half] < us) {
			from += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return from;
}

/* The largest k with 2^k <= @n (> 0). */
static uint32_t log_of(uint32_t n)
{
	return 31 - (uint32_t)__builtin_clz(n);
}

static bool floats(const struct cs_held_nodes *h)
{
	return h->flags & CS_RESV_FLOAT;
}

/* Enter @kinds for the intervals @from .. @to - 1. */
static void enter(struct cs_plan_times *t, bool whole, uint32_t from,
		  uint32_t to, uint64_t kinds)
{
	uint32_t k = log_of(to - from);

	unions(t, whole, k)[from] |= kinds;
	unions(t, whole, k)[to - (1u << k)] |= kinds;
}

/* From what was entered for rows of intervals the unions over all rows. */
static void unite(struct cs_plan_times *t, bool whole)
{
	for (uint32_t k = t->levels; --k > 0;) {
		const uint64_t *u = unions(t, whole, k);
		uint64_t *half = unions(t, whole, k - 1);

		for (uint32_t i = 0; i + (1u << k) <= t->n_at; i++) {
			half[i] |= u[i];
			half[i + (1u << (k - 1))] |= u[i];
		}
	}
	for (uint32_t k = 1; k < t->levels; k++) {
		const uint64_t *half = unions(t, whole, k - 1);
		uint64_t *u = unions(t, whole, k);

		for (uint32_t i = 0; i + (1u << k) <= t->n_at; i++)
			u[i] = half[i] | half[i + (1u << (k - 1))];
	}
}

static void fill(const struct cs_engine *e, struct cs_plan_times *t)
{
	int64_t *at = instants(t);
	uint32_t n = 0;

	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];

		if (r->job || floats(r))
			continue;
		starts(t)[n] = at[2 * n] = r->start_us;
		ends(t)[n] = at[2 * n + 1] = r->end_us;
		n++;
	}
	cs_sort(starts(t), n, sizeof(int64_t), by_time);
	cs_sort(ends(t), n, sizeof(int64_t), by_time);
	cs_sort(at, 2 * (size_t)n, sizeof(int64_t), by_time);
	for (uint32_t i = 0; i < 2 * n; i++)
		if (!t->n_at || at[i] != at[t->n_at - 1])
			at[t->n_at++] = at[i];
	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];
		uint64_t kinds = r->kinds[e->sm - e->sms];
		uint32_t from, to;

		if (r->job || floats(r))
			continue;
		from = first_from(at, t->n_at, r->start_us);
		to = first_from(at, t->n_at, r->end_us);
		enter(t, true, from, to, kinds);
		if (!r->cores || r->flags & CS_RESV_ALL)
			enter(t, false, from, to, kinds);
	}
	unite(t, false);
	unite(t, true);
}

int cs_plan_times_make(const struct cs_engine *e, struct cs_plan *p)
{
	struct cs_plan_times *t;
	uint32_t n = 0, levels;
	bool any_floats = false;
	size_t bytes;

	free(p->times);
	p->times = NULL;
	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];

		any_floats |= !r->job && floats(r);
		if (r->job || floats(r))
			continue;
		if (r->start_us >= r->end_us)
			return 0;
		n++;
	}
	if (!n)
		return 0;
	levels = log_of(2 * n) + 1;
	bytes = sizeof(*t) + (4 + 4 * (size_t)levels) * n * sizeof(t->word[0]);
	t = calloc(1, bytes);
	if (!t)
		return -ENOMEM;
	*t = (struct cs_plan_times){
		.bytes = bytes, .n = n, .levels = levels, .floats = any_floats
	};
	fill(e, t);
	p->times = t;
	return 0;
}

size_t cs_plan_times_bytes(const struct cs_plan_times *t)
{
	return t ? t->bytes : 0;
}

bool cs_plan_times_answer(const struct cs_engine *e, const struct cs_plan *p,
			  const struct cs_resv_job *of)
{
	return p->times && !e->sm->regroup && !e->slice->wall_us && !of->in &&
	       !of->borrows && !of->shares_cores;
}

uint64_t cs_plan_times_kept(const struct cs_engine *e, const struct cs_plan *p,
			    bool whole, int64_t from_us, int64_t until_us)
{
	struct cs_plan_times *t = p->times;
	uint32_t from = first_from(instants(t), t->n_at, from_us);
	uint32_t to = first_from(instants(t), t->n_at, until_us), k;
	uint64_t kept = 0;

	if (from > 0 && (from == t->n_at || instants(t)[from] > from_us))
		from--;
	if (from < to) {
		k = log_of(to - from);
		kept = unions(t, whole, k)[from] |
		       unions(t, whole, k)[to - (1u << k)];
	}
	for (uint32_t h = 0; t->floats && h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];

		if (!r->job && floats(r) &&
		    (whole || !r->cores || r->flags & CS_RESV_ALL) &&
		    cs_resv_meets(r, from_us, until_us))
			kept |= r->kinds[e->sm - e->sms];
	}
	return kept;
}

int64_t cs_plan_times_next(const struct cs_plan *p, int64_t from_us,
			   int64_t run_us)
{
	struct cs_plan_times *t = p->times;
	int64_t by_us = cs_later_us(from_us, run_us), next = CS_TIME_NONE;
	uint32_t i;

	if (run_us != CS_TIME_NONE) {
		i = first_from(starts(t), t->n,
			       by_us > run_us ? by_us : run_us + 1);
		if (i < t->n)
			next = starts(t)[i] - run_us + 1;
	}
	i = from_us == INT64_MAX ? t->n
				 : first_from(ends(t), t->n, from_us + 1);
	return i < t->n && ends(t)[i] < next ? ends(t)[i] : next;
}
