/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workload tree: how many idle slots each buddy block of processors has;
 * theory in tree.c.
 */
#ifndef CS_GANG_TREE_H
#define CS_GANG_TREE_H

#include <stdint.h>

struct cs_gang_tree {
	uint32_t procs, levels; /* a block of level h: 2^h processors */
	uint64_t *value;	/* [2 * 2^(levels - 1)] heap; the root is 1 */
	uint64_t **max; /* [levels]: per node, the largest of level h below */
};

/* Of @procs >= 1 processors, all values 0.  0, -ENOMEM. */
int cs_gang_tree_init(struct cs_gang_tree *t, uint32_t procs);
void cs_gang_tree_done(struct cs_gang_tree *t); /* a zeroed tree is allowed */

/* Make @to, of as many processors, equal to @from. */
void cs_gang_tree_copy(struct cs_gang_tree *to,
		       const struct cs_gang_tree *from);

/* Add @by slots (may be negative) to each of [@from, @to).  O(to - from + (log
 * procs)^2). */
void cs_gang_tree_add(struct cs_gang_tree *t, uint32_t from, uint32_t to,
		      int by);

/* Idle slots of processor @proc. */
uint64_t cs_gang_tree_leaf(const struct cs_gang_tree *t, uint32_t proc);

/* The value of the block of level @h that begins at @at; if its right half has no
 * processors, that of its left half. */
uint64_t cs_gang_tree_block(const struct cs_gang_tree *t, uint32_t h,
			    uint32_t at);

/* The value of the root. */
uint64_t cs_gang_tree_root(const struct cs_gang_tree *t);

/* The level of a job's block: the first with 2^h >= @procs. */
uint32_t cs_gang_level(uint32_t procs);

/*
 * The block with the largest value at the level of a job of @procs, among blocks whose
 * first @procs processors exist; the leftmost of them, by its first processor.
 * CS_GANG_NONE: all are 0.  O(log procs).
 */
uint32_t cs_gang_tree_best(const struct cs_gang_tree *t, uint32_t procs);

#endif
