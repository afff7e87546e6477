/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorting what mostly is in order already: from pass to pass little moves.
 *
 * Items out of order are inserted among those before them; once these have moved by four
 * places an item, qsort() does the rest.  Stable where qsort() is.
 *
 * Example: cs_sort(job, n, sizeof(*job), by_start);
 *
 * Cost: O(n) if few items are out of order, and at most that on top of qsort().
 */
#ifndef CS_BASE_SORT_H
#define CS_BASE_SORT_H

#include <stdlib.h>
#include <string.h>

#define CS_SORT_ITEM 64 /* bytes at most that are inserted */

static inline void cs_sort(void *x, size_t n, size_t size,
			   int (*cmp)(const void *a, const void *b))
{
	char *first = x, *at = first, item[CS_SORT_ITEM];
	size_t moves = 0;

	for (size_t i = 1; i < n; i++) {
		char *to = at;

		at += size;
		if (cmp(to, at) <= 0)
			continue;
		for (moves++; to > first && cmp(to - size, at) > 0; moves++)
			to -= size;
		if (moves > 4 * n || size > sizeof(item)) {
			qsort(x, n, size, cmp);
			return;
		}
		memcpy(item, at, size);
		memmove(to + size, to, (size_t)(at - to));
		memcpy(to, item, size);
	}
}

#endif
