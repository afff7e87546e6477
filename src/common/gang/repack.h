/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Re-packing: idle fragments of several rows become one; theory in repack.c. */
#ifndef CS_GANG_REPACK_H
#define CS_GANG_REPACK_H

#include "gang/matrix.h"

/*
 * Exchange rows @a and @b on [@from, @to), and further left of @from until no job of
 * theirs spans the boundary.  The shift is legal if no job of theirs spans @to; the
 * number of rows, and in how many a processor is idle, do not change.
 */
void cs_gang_shift(struct cs_gang_matrix *m, uint32_t a, uint32_t b,
		   uint32_t from, uint32_t to);

/*
 * Make a row idle on all of [@from, @to), each processor of which must be idle in some
 * row (else: CS_GANG_NONE, with jobs shifted for nothing).  Returns the row; if one is
 * already idle there, nothing is shifted.  O(rows * (to - from)).
 */
uint32_t cs_gang_gather(struct cs_gang_matrix *m, uint32_t from, uint32_t to);

#endif
