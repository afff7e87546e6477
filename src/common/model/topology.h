/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the nodes of a machine are joined, by switches or in blocks, and which of them a
 * job gets.  The theory is in topology.c and topology_choose.c.
 */
#ifndef CS_MODEL_TOPOLOGY_H
#define CS_MODEL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#define CS_GROUP_NONE UINT32_MAX

/* The nodes below a switch, or in a block. */
struct cs_group {
	char *name;	    /* may be NULL */
	uint32_t level;	    /* 0: a leaf switch, a base block */
	uint32_t parent;    /* the smallest group around it; CS_GROUP_NONE */
	uint32_t from, end; /* the words of `nodes` from the first to past the
			       last non-zero */
	uint64_t *nodes;    /* [words] */
};

/* Blocks only: groups of one size. */
struct cs_block_level {
	uint32_t first, n; /* groups */
	uint32_t size;	   /* base blocks in each */
};

struct cs_topology {
	uint32_t n_node, words;
	uint32_t block; /* nodes that a base block counts for; 0: switches */
	uint32_t n_group;
	struct cs_group *group; /* [n_group] blocks: by level, then in order;
				   last the nodes in none */
	uint32_t n_level;
	struct cs_block_level *level; /* [n_level] smallest first; blocks only */
	bool whole;	  /* one group joins all nodes, for any job */
	uint32_t *part;	  /* [n_group] switches: the roots first;
					 blocks: as they come */
	uint32_t n_root;  /* switches: with none above */
	uint64_t *member; /* [words] nodes that are in any group */
	uint64_t *all;	  /* memory of all node sets */

	/* Scratch of one query at a time, so each engine has its own copy. */
	uint64_t *have; /* [words] the caller's: nodes that a job has ... */
	uint64_t *look; /* [words] ... to be examined ... */
	uint32_t *fit;	/* [n_node] ... what each takes ... */
	uint64_t *cost; /* [n_node] ... and costs */
	uint64_t *pool, *must, *rest; /* [words] */
	uint64_t *count;	      /* [n_group] */
	bool *used;		      /* [n_group + 1] */
};

/* What a group is made of. */
struct cs_group_desc {
	const char *name; /* may be NULL */
	uint32_t level;	  /* of a switch: 0 for a leaf, else above its own */
	const uint64_t *nodes;
};

/*
 * The topology of @n_node nodes with these @n switches, each with all nodes below
 * it, or with these @n base blocks that count for @block nodes each, of which
 * @size [n_size] (powers of 2, increasing, the first one 1) form larger ones.
 * NULL: no memory, or nothing given.
 */
struct cs_topology *cs_topology_tree(uint32_t n_node,
				     const struct cs_group_desc *d, uint32_t n);
struct cs_topology *cs_topology_block(uint32_t n_node,
				      const struct cs_group_desc *d, uint32_t n,
				      uint32_t block, const uint32_t *size,
				      uint32_t n_size);
struct cs_topology *cs_topology_copy(const struct cs_topology *t);
void cs_topology_free(struct cs_topology *t);

/* What a job asks of a topology. */
struct cs_topology_ask {
	const uint64_t *set;  /* nodes that could each take a part of it */
	const uint32_t *fit;  /* [n_node] processes that each would take; NULL:
				 each node counts as one of `want` */
	const uint64_t *cost; /* [n_node] lower is used first; NULL: all are
				 equal */
	const uint64_t *with; /* of `set`: already the job's; NULL: none */
	uint64_t want;	      /* processes, or nodes with those of `with` */
	uint32_t nodes;	      /* that it asks for */
};

/* Can one part provide it?  O(groups x words), for blocks times the base blocks of
 * one. */
bool cs_topology_holds(const struct cs_topology *t,
		       const struct cs_topology_ask *a);

/*
 * Put the job's nodes into @ret [words]; if processes are asked for, nodes with enough
 * room, some of which it may not need.  False: there is no such part, @ret is
 * unchanged.
 * O(groups x words) for each part and each group of level 0 taken.
 */
bool cs_topology_choose(const struct cs_topology *t,
			const struct cs_topology_ask *a, uint64_t *ret);

/* The lowest node of @set, a subset of @all, where the fewest of @all are: in the
 * otherwise fullest leaf or base block.  UINT32_MAX: none is in any. O(groups x
 * words). */
uint32_t cs_topology_tightest(const struct cs_topology *t, const uint64_t *set,
			      const uint64_t *all);

/* May one job be on all nodes of @set? */
bool cs_topology_joins(const struct cs_topology *t, const uint64_t *set);

/* The parts, one of which must hold a whole job with @nodes nodes: groups *ret [n];
 * returns n. */
uint32_t cs_topology_parts(const struct cs_topology *t, uint32_t nodes,
			   const uint32_t **ret);

/* With blocks, the nodes in none, usable for a job of any size; NULL: none such. */
const struct cs_group *cs_topology_loose(const struct cs_topology *t);

/* The smallest parts for any job, in the same way. */
uint32_t cs_topology_atoms(const struct cs_topology *t, const uint32_t **ret);

/* The most nodes of @set, without those of @down (NULL: none), that one job may
 * have. */
uint32_t cs_topology_most(const struct cs_topology *t, const uint64_t *set,
			  const uint64_t *down);

#endif
