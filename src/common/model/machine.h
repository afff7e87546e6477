/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine: nodes with sockets, cores, threads, memory and GPUs.
 *
 * Cores of a node are numbered socket by socket: core c is on socket
 * c / cores_per_socket.  Where sockets differ in cores, as with specialized ones, the node
 * counts as one socket, and `uneven` says where the cores of each end: for the
 * distribution of processes only (core_layout.c).  A set of cores is `words` words of
 * 64 bits, the same number for every node of a machine; a set of nodes is cs_node_words()
 * words.
 *
 * A node of no cores is vacant: the place of one that is not there, or not yet.  It is in
 * no partition, and down.
 */
#ifndef CS_MODEL_MACHINE_H
#define CS_MODEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/err.h"
#include "model/gpu.h"

/* Nodes of this weight or more have to be booted for a job: they come behind all others,
 * among each other by weight. */
#define CS_WEIGHT_ASLEEP (UINT32_C(1) << 31)

#define CS_NODE_UNEVEN 24 /* more sockets that differ count as one */

struct cs_node {
	char *name;		   /* may be NULL in simulations */
	uint16_t sockets;	   /* >= 1 */
	uint16_t cores_per_socket; /* 0: vacant */
	uint16_t threads;	   /* a core, >= 1 */
	uint16_t n_uneven;  /* sockets that differ in cores; 0: none does */
	uint32_t weight;    /* lower is used first */
	uint32_t line;	    /* of the host's configuration, where that counts
			  (layout.c, rule 4); 0: it does not */
	uint64_t memory_mb; /* for jobs; 0: not accounted */
	const struct cs_gpus
		*gpus; /* NULL: none.  Of a machine's node, its machine's */
	uint8_t uneven[CS_NODE_UNEVEN]; /* cores of each */
};

struct cs_sites;
struct cs_topology;

struct cs_machine {
	uint32_t n_node;
	uint32_t n_there;      /* of these, those that are not vacant */
	uint32_t words;	       /* of a core set */
	uint32_t most_threads; /* of a node */
	uint16_t core_threads; /* of a core, the most; >= 1 */
	bool alike;	       /* all that are there have the same cores */
	bool level; /* ... the same weight, and all of them GPUs or none */
	bool weight_first; /* an uneven job takes all nodes of a weight before any of a
			      higher one; false: their room counts more */
	uint32_t core_jobs; /* most jobs on a core; 0 is 1 */
	uint32_t gpus_most; /* GPUs that a node may have; 0: no node has any */
	uint32_t n_gpus;
	struct cs_gpus **gpus; /* [n_gpus] what nodes have, each once; owned */
	struct cs_node *node;  /* [n_node] */
	struct cs_topology *topology; /* owned; NULL: nodes combine freely */
	struct cs_sites *sites;	      /* owned; NULL: one site, the machine */
};

static inline uint32_t cs_node_cores(const struct cs_node *n)
{
	return (uint32_t)n->sockets * n->cores_per_socket;
}

static inline bool cs_node_vacant(const struct cs_node *n)
{
	return !n->cores_per_socket;
}

/* Have both the same sockets of the same cores and threads? */
bool cs_node_same_cores(const struct cs_node *a, const struct cs_node *b);

/* Have both the same cores, memory and GPUs? */
bool cs_node_same_kind(const struct cs_node *a, const struct cs_node *b);

/* Is all but the name the same? */
bool cs_node_same(const struct cs_node *a, const struct cs_node *b);

/* Word @w of the set of all cores of @n. */
static inline uint64_t cs_node_all_cores(const struct cs_node *n, uint32_t w)
{
	return cs_bit_all(cs_node_cores(n), w);
}

static inline uint32_t cs_node_words(const struct cs_machine *m)
{
	return cs_bit_words(m->n_node);
}

/*
 * A machine of @n_node copies of @like, not vacant (its name is left out).  NULL: no
 * memory or a count of 0.
 */
struct cs_machine *cs_machine_create(uint32_t n_node,
				     const struct cs_node *like);
/* With its topology and its sites. */
struct cs_machine *cs_machine_copy(const struct cs_machine *m);
void cs_machine_free(struct cs_machine *m);

/* The GPUs @g (NULL: none) as nodes of @m may have them, into *@ret.  0, -ENOMEM.
 * O(different ones). */
int cs_machine_share_gpus(struct cs_machine *m, const struct cs_gpus *g,
			  const struct cs_gpus **ret);

/* GPUs of all nodes.  O(nodes). */
uint64_t cs_machine_gpus(const struct cs_machine *m);

/* Cores of all nodes.  O(nodes). */
uint64_t cs_machine_cores(const struct cs_machine *m);

/* The first node that is there, or (all are vacant) the first. */
const struct cs_node *cs_machine_first(const struct cs_machine *m);

/* Set all but the nodes after these changed.  0; -EINVAL: a count of 0 (but of cores a
 * socket) or a node of more than 65,536 cores. */
int cs_machine_check(struct cs_machine *m, struct cs_err *err);

/*
 * Node @n < n_node is like @now from now on, whose name is copied.  What `words` says
 * stays, so that sets of cores stay valid, and what `gpus_most` says.  0; with @err:
 * -EINVAL as above, -ERANGE: more cores or GPUs than these; -ENOMEM.  Mostly O(1): up to the
 * first nodes that are there and that differ.  O(nodes) if @n was the last one of its kind.
 */
int cs_machine_put(struct cs_machine *m, uint32_t n, const struct cs_node *now,
		   struct cs_err *err);

/*
 * What a job holds: its nodes in increasing order, and on each the cores, the processes,
 * the memory and the GPUs.  Owned by its creator; one block of memory.
 */
struct cs_alloc_node {
	uint32_t node;
	uint32_t procs; /* processes there, >= 1 */
	uint64_t mem_mb;
	uint64_t gpus; /* a set of the node's */
};

struct cs_alloc {
	uint32_t n_node;
	uint32_t words;		    /* of a core set */
	struct cs_alloc_node *node; /* [n_node] */
	uint64_t *cores;	    /* [n_node][words] */
	uint64_t owner;		    /* cs_match_owner() of a packed job's */
	uint32_t gpu_share; /* thousandths that it holds of each GPU; 0: all */
};

struct cs_alloc *cs_alloc_create(uint32_t n_node, uint32_t words);
struct cs_alloc *cs_alloc_copy(const struct cs_alloc *a);
/* The same nodes, processes, memory, GPUs and cores? */
bool cs_alloc_equal(const struct cs_alloc *a, const struct cs_alloc *b);
/* Have they a core in common? */
bool cs_alloc_meet(const struct cs_alloc *a, const struct cs_alloc *b);
void cs_alloc_free(struct cs_alloc *a);
/* The cores of @a (NULL: none) on node @node; NULL: none.  O(log nodes). */
const uint64_t *cs_alloc_cores_on(const struct cs_alloc *a, uint32_t node);

static inline uint64_t *cs_alloc_cores(const struct cs_alloc *a, uint32_t i)
{
	return a->cores + (uint64_t)i * a->words;
}

/* Cores on its @i-th node; on all of them. */
static inline uint32_t cs_alloc_count(const struct cs_alloc *a, uint32_t i)
{
	return cs_bits_count(cs_alloc_cores(a, i), a->words);
}

static inline uint32_t cs_alloc_count_all(const struct cs_alloc *a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n_node; i++)
		n += cs_alloc_count(a, i);
	return n;
}

/* Put its nodes into the node set @set. */
static inline void cs_alloc_mark(const struct cs_alloc *a, uint64_t *set)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		cs_bit_set(set, a->node[i].node);
}

#endif
