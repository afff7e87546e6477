/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Re-packing: idle fragments of several rows become one; theory in repack.c. */
#ifndef CS_GANG_REPACK_H
#define CS_GANG_REPACK_H

#include "gang/matrix.h"

/*
 * Exchange rows @a and @b on [@from, @to), and on as much to the left of @from
 * as a job of theirs asks for that stands across it.  A legal shift where no
 * job of theirs stands across @to; the number of rows and what is idle on a
 * processor stay as they are.
 */
void cs_gang_shift(struct cs_gang_matrix *m, uint32_t a, uint32_t b,
		   uint32_t from, uint32_t to);

/*
 * Make a row idle on all of [@from, @to), each processor of which is idle in
 * some row (else CS_GANG_NONE, with jobs shifted for nothing).  The row; where
 * one is idle there as it is, nothing is shifted.  O(rows * (to - from)).
 */
uint32_t cs_gang_gather(struct cs_gang_matrix *m, uint32_t from, uint32_t to);

#endif
