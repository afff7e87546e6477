/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things by their numbers: open addressing, linear probing, at most half full.
 *
 * Any number will do, 0 too.  Things are borrowed.  All zero is an empty map.
 */
#ifndef CS_BASE_IDMAP_H
#define CS_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct cs_idmap {
	struct cs_idmap_at {
		void *thing; /* NULL: nothing stands there */
		uint64_t id;
	} * at;	    /* [cap] */
	size_t cap; /* a power of 2, or 0 */
	size_t n;
};

void cs_idmap_done(struct cs_idmap *m);
/* Nothing is in it; its room stays. */
void cs_idmap_clear(struct cs_idmap *m);

/* Room for @n things.  0; -ENOMEM, and all is as it was.  O(n) where it grows. */
int cs_idmap_reserve(struct cs_idmap *m, size_t n);

/* NULL: there is none.  O(1). */
void *cs_idmap_find(const struct cs_idmap *m, uint64_t id);

/* Add @thing under @id, which has none, where there is room. */
void cs_idmap_add(struct cs_idmap *m, uint64_t id, void *thing);

/* Take out what is under @id; it need not be there. */
void cs_idmap_remove(struct cs_idmap *m, uint64_t id);

#endif
