/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays that grow: their room doubles, so that filling one is linear.
 *
 *	rc = cs_array_room(&list->item, &list->cap, list->n + 1);
 *	if (!rc)
 *		list->item[list->n++] = item;
 */
#ifndef CS_BASE_ARRAY_H
#define CS_BASE_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CS_ARRAY_FIRST 16 /* items, once there is one */

/*
 * Room for @want items in the array that @array points to, which has room for *@cap (a
 * uint32_t or a size_t).  0; -ENOMEM, nothing changed.
 */
#define cs_array_room(array, cap, want)                        \
	_Generic((cap), uint32_t *                             \
		 : cs_array_room_u32, default                  \
		 : cs_array_room_size)((array), (cap), (want), \
				       sizeof(**(array)))

static inline int cs_array_room_size(void *array, size_t *cap, size_t want,
				     size_t size)
{
	size_t more = *cap ? *cap : CS_ARRAY_FIRST, bytes;
	void *p, *grown;

	if (want <= *cap)
		return 0;
	while (more < want && more <= SIZE_MAX / 2)
		more *= 2;
	if (more < want || __builtin_mul_overflow(more, size, &bytes))
		return -ENOMEM;
	memcpy(&p, array, sizeof(p));
	grown = realloc(p, bytes);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	*cap = more;
	return 0; /* cppcheck-suppress memleak; the caller's array owns it */
}

static inline int cs_array_room_u32(void *array, uint32_t *cap, size_t want,
				    size_t size)
{
	size_t room = *cap;
	int rc;

	if (want <= *cap)
		return 0;
	rc = want > UINT32_C(1) << 31
		     ? -ENOMEM
		     : cs_array_room_size(array, &room, want, size);
	*cap = (uint32_t)room;
	return rc;
}

#endif
