/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What jobs hold on the machine at one instant: now, or (a copy) later.
 *
 * A node is empty, holds one or several counted jobs, or holds packed ones; a
 * suspended job holds memory and GPUs and no core.  A core has one job, or up to
 * machine->core_jobs: it is used while any of them is there.  Adding and removing an
 * allocation costs what it holds.
 */
#ifndef CS_MODEL_OCCUPANCY_H
#define CS_MODEL_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"

struct cs_gpu_mix;

struct cs_occ_node {
	uint32_t free_cores;
	uint32_t counted;   /* jobs that count towards jobs_per_node */
	uint32_t packed;    /* jobs packed by core */
	uint32_t exclusive; /* jobs that allow no neighbours */
	uint64_t used_mb;   /* may exceed the node's, if the host says so */
	uint64_t owner;	    /* sum over the packed jobs: `packed` times one
			       owner means only that owner */
};

struct cs_occ {
	const struct cs_machine *machine; /* borrowed */
	struct cs_occ_node *node;	  /* [n_node] */
	uint64_t *used;			  /* [n_node][words] cores */
	/* [core_jobs - 1][n_node][words] cores with more than one job, with more than two,
	 * and so on; NULL: none may have */
	uint64_t *more;
	uint64_t *down;	       /* node set: not to be used */
	uint64_t *empty;       /* node set: no job has a core */
	const uint16_t *crowd; /* [n_node] of equal nodes lower is used first;
				  NULL: all are equal; borrowed */
	uint64_t *gpus;	    /* [n_node] those in use; NULL: no node has any */
	uint32_t *gpu_used; /* [n_node][machine->gpus_most] thousandths of each */
	const struct cs_gpu_mix *mix;	 /* which nodes a job with GPUs gets
				  (gpu_mix.h); NULL: the first; borrowed */
	uint32_t used_cores, used_nodes; /* in all; nodes that are not empty */
	uint32_t shared_nodes;		 /* nodes with several jobs */
};

/* How a job counts on a node. */
enum cs_node_use { CS_NODE_COUNTED, CS_NODE_PACKED, CS_NODE_EXCLUSIVE };

int cs_occ_init(struct cs_occ *o, const struct cs_machine *m);
/* Node @n, which nobody uses, has become another. */
void cs_occ_renew(struct cs_occ *o, uint32_t n);
void cs_occ_done(struct cs_occ *o);
/* Make @to, of the same machine, equal to @from. */
void cs_occ_copy(struct cs_occ *to, const struct cs_occ *from);

static inline const uint64_t *cs_occ_used(const struct cs_occ *o, uint32_t n)
{
	return o->used + (uint64_t)n * o->machine->words;
}

/* Cores of node @n with more than @jobs jobs, from 1 to core_jobs - 1. */
static inline uint64_t *cs_occ_more(const struct cs_occ *o, uint32_t jobs,
				    uint32_t n)
{
	const struct cs_machine *m = o->machine;

	return o->more + ((uint64_t)(jobs - 1) * m->n_node + n) * m->words;
}

/* UINT64_MAX if memory is not accounted. */
static inline uint64_t cs_occ_free_mb(const struct cs_occ *o, uint32_t n)
{
	uint64_t all = o->machine->node[n].memory_mb;
	uint64_t used = o->node[n].used_mb;

	return !all ? UINT64_MAX : used < all ? all - used : 0;
}

static inline uint32_t cs_occ_jobs(const struct cs_occ_node *n)
{
	return n->counted + n->packed + n->exclusive;
}

/* Are all packed jobs there @owner's? */
static inline bool cs_occ_owned(const struct cs_occ_node *n, uint64_t owner)
{
	return n->owner == n->packed * owner;
}

static inline bool cs_occ_empty(const struct cs_occ_node *n)
{
	return !cs_occ_jobs(n);
}

/* The GPUs in use on node @n. */
static inline uint64_t cs_occ_gpus(const struct cs_occ *o, uint32_t n)
{
	return o->gpus ? o->gpus[n] : 0;
}

/* Thousandths in use of each GPU of node @n, which has some. */
static inline const uint32_t *cs_occ_gpu_used(const struct cs_occ *o,
					      uint32_t n)
{
	return o->gpu_used + (uint64_t)n * o->machine->gpus_most;
}

/* How many GPUs of node @n no job uses. */
static inline uint32_t cs_occ_free_gpus(const struct cs_occ *o, uint32_t n)
{
	const struct cs_gpus *g = o->machine->node[n].gpus;

	return g ? g->n - cs_popcount(cs_occ_gpus(o, n)) : 0;
}

/* Has nobody a core of @a? */
bool cs_occ_is_free(const struct cs_occ *o, const struct cs_alloc *a);

/* Take or give back cores, count, memory and GPUs of @a. */
void cs_occ_add(struct cs_occ *o, const struct cs_alloc *a, enum cs_node_use h);
void cs_occ_remove(struct cs_occ *o, const struct cs_alloc *a,
		   enum cs_node_use h);

/* The same for the part that a suspended job keeps: its memory and its GPUs. */
void cs_occ_add_memory(struct cs_occ *o, const struct cs_alloc *a);
void cs_occ_remove_memory(struct cs_occ *o, const struct cs_alloc *a);
/* A suspended job whose memory may be swapped keeps its GPUs only. */
void cs_occ_add_gpus(struct cs_occ *o, const struct cs_alloc *a);
void cs_occ_remove_gpus(struct cs_occ *o, const struct cs_alloc *a);

#endif
