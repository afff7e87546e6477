/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Priorities that follow an order, for hosts that show or use such numbers.
 *
 * They lie between two bounds, whatever the partition; none changes without need, so
 * that a job's number changes only when its place among the others does.
 */
#ifndef CS_ORDER_PRIORITY_H
#define CS_ORDER_PRIORITY_H

#include <stddef.h>
#include <stdint.h>

#define CS_PRIORITY_LEAST 1000000
#define CS_PRIORITY_MOST 1000000000

/*
 * @p [@n]: present priorities, in the wanted order; one out of bounds counts as none.
 * Afterwards each is less than the one before it.  As many as possible stay, unless the
 * gaps between them are too narrow: then all are reassigned.  @n up to CS_PRIORITY_MOST
 * - CS_PRIORITY_LEAST.  0; -ENOMEM: nothing has changed.  O(n log n).
 */
int cs_priority_follow(uint32_t *p, size_t n);

/* A priority below @least, the lowest in use; 0: there is none. */
uint32_t cs_priority_behind(uint32_t least);

#endif
