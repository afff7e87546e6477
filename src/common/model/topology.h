/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the nodes of a machine are joined: by switches, or in blocks; and which of
 * them a job gets.  The theory is in topology.c and topology_choose.c.
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
	uint32_t from, end; /* the words of `nodes` from the first to behind the
			       last that is not 0 */
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
				   behind them the nodes in none */
	uint32_t n_level;
	struct cs_block_level *level; /* [n_level] smallest first; blocks only */
	bool whole;	  /* one group joins all nodes, for any job */
	uint32_t *part;	  /* [n_group] switches: the roots first;
					 blocks: as they come */
	uint32_t n_root;  /* switches: with none above */
	uint64_t *member; /* [words] nodes that are in any group */
	uint64_t *all;	  /* memory of all node sets */

	/* Scratch of one question at a time, so each engine has its own copy. */
	uint64_t *have; /* [words] the caller's: nodes that a job has ... */
	uint64_t *look; /* [words] ... that are to be looked at ... */
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
 * NULL: no memory, or nothing to make it of.
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
				 each node does for one of `want` */
	const uint64_t *cost; /* [n_node] the lower is used first; NULL: all are
				 equal */
	const uint64_t *with; /* of `set`: it has these anyway; NULL: none */
	uint64_t want;	      /* processes, or nodes with those of `with` */
	uint32_t nodes;	      /* that it asks for */
};

/* Is it to be had in one part?  O(groups x words), for blocks times the base blocks
 * of one. */
bool cs_topology_holds(const struct cs_topology *t,
		       const struct cs_topology_ask *a);

/*
 * Put into @ret [words] the nodes that it gets; where processes are asked for,
 * nodes that have room enough, of which it may leave some.  False: there is no
 * such part, @ret is as before.
 * O(groups x words) for each part and each group of level 0 that is taken.
 */
bool cs_topology_choose(const struct cs_topology *t,
			const struct cs_topology_ask *a, uint64_t *ret);

/* The lowest node of @set, which is of @all, where the fewest of @all are: in the
 * leaf or base block that is fullest else.  UINT32_MAX: none of it is in any.
 * O(groups x words). */
uint32_t cs_topology_tightest(const struct cs_topology *t, const uint64_t *set,
			      const uint64_t *all);

/* May one job be on all nodes of @set? */
bool cs_topology_joins(const struct cs_topology *t, const uint64_t *set);

/* The parts, of which one must hold the whole of a job with @nodes nodes: groups
 * *ret [n], n being returned. */
uint32_t cs_topology_parts(const struct cs_topology *t, uint32_t nodes,
			   const uint32_t **ret);

/* Where there are blocks the nodes in none, which do for a job of any size; NULL:
 * there are none such. */
const struct cs_group *cs_topology_loose(const struct cs_topology *t);

/* The smallest parts that there are for any job, in the same way. */
uint32_t cs_topology_atoms(const struct cs_topology *t, const uint32_t **ret);

/* The most nodes of @set, but for those of @down (NULL: none), that one job may
 * have. */
uint32_t cs_topology_most(const struct cs_topology *t, const uint64_t *set,
			  const uint64_t *down);

#endif
