/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When running jobs end: a heap with each job's place, so that an end can be
 * moved or removed.
 *
 * The order is total: (end_us, id).  Jobs are named by an index, 0 to n - 1.
 * Setting and removing is O(log ends), reading the first is O(1); memory is
 * allocated once.
 */
#ifndef CS_ENDS_H
#define CS_ENDS_H

#include <stddef.h>
#include <stdint.h>

struct cs_end {
	int64_t end_us;
	uint32_t id;  /* breaks ties */
	uint32_t job; /* index */
};

struct cs_ends {
	uint32_t n;
	struct cs_end *heap; /* [n] room for every job; 4 children a place */
	uint32_t *place;     /* [jobs] place in heap + 1; 0: none */
};

/* Room for @jobs of them.  0, -ENOMEM */
int cs_ends_init(struct cs_ends *h, size_t jobs);
void cs_ends_done(struct cs_ends *h);

/* Insert or move the end of @job. */
void cs_ends_set(struct cs_ends *h, uint32_t job, uint32_t id, int64_t end_us);

/* Remove it, if present. */
void cs_ends_remove(struct cs_ends *h, uint32_t job);

/* The first to end, NULL: none. */
static inline const struct cs_end *cs_ends_first(const struct cs_ends *h)
{
	return h->n ? h->heap : NULL;
}

#endif
