/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A heap: the least of a changing set is its first.
 *
 * The caller has the array and the order; items know their places, so that any one can
 * change or go.  The order must be total: then the output does not depend on the order
 * of input.
 *
 * Cost: O(log n) comparisons up, O(ways log n) down.
 */
#ifndef CS_BASE_HEAP_H
#define CS_BASE_HEAP_H

#include <stddef.h>

/*
 * Defines, for heaps of @ITEM in an @OWNER with @WAYS children a place,
 *
 *	void NAME_sift(OWNER *, size_t n, size_t i)	the item at i of n has changed,
 *							or is new there
 *	size_t NAME_drop(OWNER *, size_t n, size_t i)	takes it out; what is left
 *
 * of @AT(owner, i), the item at place i, @PUT(owner, i, item), which puts it there and
 * tells it, and @BEFORE(owner, item, item).
 */
#define CS_HEAP(NAME, OWNER, ITEM, WAYS, AT, PUT, BEFORE)                \
	static inline void NAME##_sift(OWNER *o, size_t n, size_t i)     \
	{                                                                \
		ITEM const x = AT(o, i);                                 \
                                                                         \
		for (; i && BEFORE(o, x, AT(o, (i - 1) / WAYS));         \
		     i = (i - 1) / WAYS)                                 \
			PUT(o, i, AT(o, (i - 1) / WAYS));                \
		for (size_t best; (best = WAYS * i + 1) < n; i = best) { \
			for (size_t c = best + 1;                        \
			     c < n && c <= WAYS * (i + 1); c++)          \
				if (BEFORE(o, AT(o, c), AT(o, best)))    \
					best = c;                        \
			if (!BEFORE(o, AT(o, best), x))                  \
				break;                                   \
			PUT(o, i, AT(o, best));                          \
		}                                                        \
		PUT(o, i, x);                                            \
	}                                                                \
                                                                         \
	static inline size_t NAME##_drop(OWNER *o, size_t n, size_t i)   \
	{                                                                \
		if (i == --n)                                            \
			return n;                                        \
		PUT(o, i, AT(o, n));                                     \
		NAME##_sift(o, n, i);                                    \
		return n;                                                \
	}                                                                \
	struct cs_heap_##NAME /* takes the semicolon */

#endif
