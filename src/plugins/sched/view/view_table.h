/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for names and for node sets.  No Slurm here.
 */
#ifndef CS_SCHED_VIEW_VIEW_TABLE_H
#define CS_SCHED_VIEW_VIEW_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct cs_view_names;
struct cs_view_sets;

/* Empty tables; NULL: no memory. */
struct cs_view_names *cs_view_names_create(void);
void cs_view_names_free(struct cs_view_names *t);
struct cs_view_sets *cs_view_sets_create(void);
void cs_view_sets_free(struct cs_view_sets *t);

/* Numbers of names; a name keeps its number.  UINT32_MAX: no memory. */
uint32_t cs_view_name(struct cs_view_names *t, const char *name);
const char *cs_view_name_of(const struct cs_view_names *t, uint32_t number);

/* Numbers of node sets, by content; UINT32_MAX: no memory. */
uint32_t cs_view_set(struct cs_view_sets *t, const uint64_t *words, uint32_t n);
const uint64_t *cs_view_set_words(const struct cs_view_sets *t,
				  uint32_t number);
uint32_t cs_view_set_count(const struct cs_view_sets *t);

/* Any hash of bytes. */
uint64_t cs_view_hash(uint64_t seed, const void *p, size_t n);
uint64_t cs_view_hash_text(uint64_t seed, const char *text);

#endif
