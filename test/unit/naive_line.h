/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time line as one would write it down first, to compare timeline.c with:
 * all steps in one array, each question answered by looking at all of them.
 */
#ifndef CS_NAIVE_LINE_H
#define CS_NAIVE_LINE_H

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/backfill/timeline.h"
#include "common/model/job.h"

struct naive_line {
	uint32_t classes;
	size_t n, room;
	int64_t *at_us; /* [n] */
	int32_t *free;	/* [n][classes] */
};

static inline int32_t *naive_free(const struct naive_line *l, size_t i)
{
	return l->free + i * l->classes;
}

static inline int64_t naive_end(const struct naive_line *l, size_t i)
{
	return i + 1 < l->n ? l->at_us[i + 1] : CS_TIME_NONE;
}

/* A step of @free before step @i; NULL: like the one before. */
static inline void naive_insert(struct naive_line *l, size_t i, int64_t at_us,
				const int32_t *free)
{
	size_t row = l->classes * sizeof(*l->free);

	if (l->n == l->room) {
		l->room = 2 * l->room + 16;
		l->at_us = realloc(l->at_us, l->room * sizeof(*l->at_us));
		l->free = realloc(l->free, l->room * row);
		assert(l->at_us && l->free);
	}
	memmove(l->at_us + i + 1, l->at_us + i, (l->n - i) * sizeof(*l->at_us));
	memmove(naive_free(l, i + 1), naive_free(l, i), (l->n - i) * row);
	l->at_us[i] = at_us;
	memcpy(naive_free(l, i), free ? free : naive_free(l, i - 1), row);
	l->n++;
}

static inline void naive_drop(struct naive_line *l, size_t i)
{
	l->n--;
	memmove(l->at_us + i, l->at_us + i + 1, (l->n - i) * sizeof(*l->at_us));
	memmove(naive_free(l, i), naive_free(l, i + 1),
		(l->n - i) * l->classes * sizeof(*l->free));
}

static inline void naive_reset(struct naive_line *l, int64_t from_us,
			       const int32_t *n)
{
	l->n = 0;
	naive_insert(l, 0, from_us, n);
}

static inline void naive_init(struct naive_line *l, uint32_t classes,
			      int64_t from_us, const int32_t *n)
{
	memset(l, 0, sizeof(*l));
	l->classes = classes;
	naive_reset(l, from_us, n);
}

static inline void naive_done(struct naive_line *l)
{
	free(l->at_us);
	free(l->free);
}

/* A step begins at @us, if that is on the line. */
static inline void naive_cut(struct naive_line *l, int64_t us)
{
	size_t i = l->n;

	while (i > 0 && l->at_us[i - 1] > us)
		i--;
	if (i > 0 && l->at_us[i - 1] < us && us != CS_TIME_NONE)
		naive_insert(l, i, us, NULL);
}

static inline void naive_add(struct naive_line *l, int64_t from_us,
			     int64_t to_us, const int32_t *n)
{
	size_t row = l->classes * sizeof(*l->free);

	if (from_us >= to_us)
		return;
	naive_cut(l, from_us);
	naive_cut(l, to_us);
	for (size_t i = 0; i < l->n; i++)
		for (uint32_t c = 0; c < l->classes; c++)
			if (l->at_us[i] >= from_us && l->at_us[i] < to_us)
				naive_free(l, i)[c] += n[c];
	for (size_t i = l->n - 1; i > 0; i--)
		if (!memcmp(naive_free(l, i), naive_free(l, i - 1), row))
			naive_drop(l, i);
}

static inline int32_t naive_least(const struct naive_line *l, uint32_t class,
				  int64_t from_us, int64_t to_us)
{
	int32_t least = INT32_MAX;

	for (size_t i = 0; i < l->n; i++)
		if (from_us < to_us && l->at_us[i] < to_us &&
		    naive_end(l, i) > from_us &&
		    naive_free(l, i)[class] < least)
			least = naive_free(l, i)[class];
	return least;
}

/* Whether @need units are free in all of [@from_us, @to_us); those to take.  @unit, @most,
 * @beside as for cs_timeline_find_until(). */
static inline int naive_enough(const struct naive_line *l, int64_t from_us,
			       int64_t to_us, uint32_t need,
			       const uint32_t *class, const int32_t *unit,
			       const int32_t *most,
			       const struct cs_timeline_beside *beside,
			       uint32_t n_class, int32_t *ret_n)
{
	int64_t left = need;

	for (uint32_t k = 0; k < n_class; k++) {
		int64_t n = naive_least(l, class[k], from_us, to_us);

		n = n < 0 ? 0 : unit ? n / unit[k] : n;
		n = most && n > most[k] ? most[k] : n;
		if (beside && beside->unit[k]) {
			int64_t also = naive_least(l, beside->class[k], from_us,
						   to_us) /
				       beside->unit[k];

			n = also < 0 ? 0 : also < n ? also : n;
		}
		n = n < left ? n : left;
		left -= n;
		if (ret_n)
			ret_n[k] = (int32_t)n;
	}
	return left == 0;
}

static inline int64_t naive_find_until(const struct naive_line *l,
				       int64_t from_us, int64_t until_us,
				       int64_t len_us, uint32_t need,
				       const uint32_t *class,
				       const int32_t *unit, const int32_t *most,
				       const struct cs_timeline_beside *beside,
				       uint32_t n_class, int32_t *ret_n)
{
	int64_t start = from_us > l->at_us[0] ? from_us : l->at_us[0], end;

	for (size_t i = 0; i < l->n && start < until_us; i++) {
		if (naive_end(l, i) <= start)
			continue;
		if (__builtin_add_overflow(start, len_us, &end))
			end = CS_TIME_NONE;
		if (naive_enough(l, start, end, need, class, unit, most, beside,
				 n_class, ret_n))
			return start;
		start = naive_end(l, i);
	}
	return CS_TIME_NONE;
}

static inline int64_t naive_find(const struct naive_line *l, int64_t from_us,
				 int64_t len_us, uint32_t need,
				 const uint32_t *class, uint32_t n_class,
				 int32_t *ret_n)
{
	return naive_find_until(l, from_us, CS_TIME_NONE, len_us, need, class,
				NULL, NULL, NULL, n_class, ret_n);
}

#endif
