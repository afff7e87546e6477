/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Priorities that follow an order, for hosts that show or use such numbers.
 *
 * They lie between two bounds, whatever the partition; none is changed that need
 * not be, so that who watches a queue sees a job's number change only when its
 * place among the others has.
 */
#ifndef CS_ORDER_PRIORITY_H
#define CS_ORDER_PRIORITY_H

#include <stddef.h>
#include <stdint.h>

#define CS_PRIORITY_LEAST 1000000
#define CS_PRIORITY_MOST 1000000000

/*
 * @p [@n]: priorities as they are, in the order that they shall follow; any that
 * is out of bounds counts as none.  Afterwards each is less than the one before
 * it.  As many as can be are left as they were, unless the gaps among them are too
 * narrow: then all are given anew.  @n up to CS_PRIORITY_MOST -
 * CS_PRIORITY_LEAST.  0; -ENOMEM: nothing has changed.  O(n log n).
 */
int cs_priority_follow(uint32_t *p, size_t n);

/* A priority behind @least, the lowest there is; 0: there is none. */
uint32_t cs_priority_behind(uint32_t least);

#endif
