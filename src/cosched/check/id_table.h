/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of numbered things: jobs by id, groups by id.
 *
 * A thing begins with a struct cs_id.  O(log n) for any numbers.
 */
#ifndef CS_COSCHED_CHECK_ID_TABLE_H
#define CS_COSCHED_CHECK_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct cs_id {
	uint32_t id;
};

struct cs_idtab {
	void *root; /* of tsearch(3) */
	size_t n;
};

void *cs_idtab_find(const struct cs_idtab *t, uint32_t id);
/* Add @thing, whose number must be new.  0, -ENOMEM. */
int cs_idtab_add(struct cs_idtab *t, void *thing);
void cs_idtab_remove(struct cs_idtab *t, void *thing);

/* First thing by increasing number that @match accepts; O(n). */
void *cs_idtab_search(const struct cs_idtab *t,
		      int (*match)(const void *thing, void *arg), void *arg);

/* Empty the table, passing each thing to @done. */
void cs_idtab_clear(struct cs_idtab *t, void (*done)(void *thing));

#endif
