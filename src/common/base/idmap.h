/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things by their numbers: open addressing, linear probing, at most half full.
 *
 * Any number is valid, even 0.  Things are borrowed.  All zero is an empty map.
 */
#ifndef CS_BASE_IDMAP_H
#define CS_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct cs_idmap {
	struct cs_idmap_at {
		void *thing; /* NULL: empty */
		uint64_t id;
	} * at;	    /* [cap] */
	size_t cap; /* a power of 2, or 0 */
	size_t n;
};

void cs_idmap_done(struct cs_idmap *m);
/* Empty it; keep its room. */
void cs_idmap_clear(struct cs_idmap *m);

/* Room for @n things.  0; -ENOMEM, nothing changed.  O(n) if it grows. */
int cs_idmap_reserve(struct cs_idmap *m, size_t n);

/* NULL: there is none.  O(1). */
void *cs_idmap_find(const struct cs_idmap *m, uint64_t id);

/* Add @thing under the unused @id; there is room. */
void cs_idmap_add(struct cs_idmap *m, uint64_t id, void *thing);

/* Remove @id, if present; what it was, or NULL. */
void *cs_idmap_remove(struct cs_idmap *m, uint64_t id);

#endif
