/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A decide about a part of the machine; the theory is in region.c. */
#ifndef CS_ENGINE_REGION_H
#define CS_ENGINE_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cs_engine;
struct cs_entry;

/* Find the region of @nodes, into e->region.  False: the decide is about the whole
 * machine, by rule 3 or for want of memory. */
bool cs_region_find(struct cs_engine *e, const uint64_t *nodes);
/* The region's entries in the queue's order, whose verdicts are forgotten.  0, -ENOMEM. */
int cs_region_queue(struct cs_engine *e, struct cs_entry **ret, size_t *ret_n);
/* Before and after the walk over them: what the last whole decide left stays (rule 4). */
void cs_region_enter(struct cs_engine *e);
void cs_region_leave(struct cs_engine *e);
void cs_region_done(struct cs_engine *e);

#endif
