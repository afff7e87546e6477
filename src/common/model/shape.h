/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's shape: processes a node, nodes, cores, memory and GPUs there.  The theory is in
 * shape.c.
 */
#ifndef CS_MODEL_SHAPE_H
#define CS_MODEL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"
#include "model/machine.h"
#include "params/params.h"
#include "profile/slowdown.h"

enum cs_shape_kind {
	CS_SHAPE_SPACE,	 /* empty nodes, no neighbours */
	CS_SHAPE_PACKED, /* cores of nodes that are empty or hold packed jobs
			    of the same owner */
	CS_SHAPE_SHARED, /* cores of nodes that hold, or will hold, partners */
};

struct cs_shape {
	enum cs_shape_kind kind;
	bool exclusive; /* takes whole nodes, as the host books them */
	bool anywhere;	/* the host chooses its nodes, joined or not */
	bool even;	/* nodes hold `quota` processes each; else as many as
			       they have room for, at most max_nodes */
	uint32_t procs; /* in all */
	uint32_t quota; /* most processes on a node */
	uint32_t most;	/* the user's bound on them; 0: none */
	uint32_t nodes; /* needed (even) or the least needed */
	uint32_t max_nodes; /* 0: any */
	uint32_t cpus_per_proc;
	uint32_t least_cpus, threads, mem_threads; /* as in struct cs_job */
	uint32_t dist; /* enum cs_dist; a shared one is always ours */
	uint64_t mem_node_mb, mem_cpu_mb;
	uint32_t gpus;	    /* needed on each node; 0: none */
	uint32_t gpus_all;  /* in all, spread evenly; 0: `gpus` on each */
	uint32_t gpu_id;    /* of that type (cs_gpu_id()) */
	uint32_t gpu_share; /* thousandths of each */
	uint32_t gpu_keep; /* cores that it leaves on a node for each GPU which no
			       job uses */
	uint64_t owner;	   /* packed: only this owner's jobs may be on its
			      nodes */
	bool among_packed;	    /* shared: only beside packed jobs */
	const struct cs_node *like; /* the machine's node type it was made
				       for */
	uint32_t sockets, cores;    /* of that */
};

#define CS_NODE_SIZES 8

/* The sizes of the nodes in a set: of each, by cores, then threads, the first node.  A
 * job's layout is made for the smallest. */
struct cs_node_sizes {
	uint32_t n; /* CS_NODE_SIZES: there may be larger ones, too */
	const struct cs_node *node[CS_NODE_SIZES]; /* [n] increasing */
};

/* Of the nodes in @allowed.  O(nodes * sizes). */
void cs_layout_sizes(const struct cs_machine *m, const uint64_t *allowed,
		     struct cs_node_sizes *ret);
/* The same after node @n of @allowed has become another.  Mostly O(1). */
void cs_layout_sizes_again(const struct cs_machine *m, const uint64_t *allowed,
			   struct cs_node_sizes *s, uint32_t n);

/* The smallest node in @allowed, of the sizes @s, larger than @node; NULL: none.  O(1), or
 * behind CS_NODE_SIZES of them O(nodes). */
const struct cs_node *cs_layout_larger(const struct cs_machine *m,
				       const uint64_t *allowed,
				       const struct cs_node_sizes *s,
				       const struct cs_node *node);

/* Cores that @procs processes of a job take on nodes with @threads a core; UINT32_MAX
 * if even more. */
static inline uint32_t cs_layout_cores(uint32_t procs, uint32_t cpus_per_proc,
				       uint32_t threads)
{
	uint64_t cores =
		((uint64_t)procs * cpus_per_proc + threads - 1) / threads;

	return cores < UINT32_MAX ? (uint32_t)cores : UINT32_MAX;
}

/* Threads of a core of @node that count for a job that may use @most (0: all). */
static inline uint32_t cs_layout_threads(const struct cs_node *node,
					 uint32_t most)
{
	return most && most < node->threads ? most : node->threads;
}

/* Processes of a job that @cores cores of a node hold. */
static inline uint32_t cs_layout_procs(uint32_t cores, uint32_t cpus_per_proc,
				       uint32_t threads)
{
	return (uint32_t)((uint64_t)cores * threads / cpus_per_proc);
}

/*
 * The shapes.  Each returns false if the job cannot have it on nodes like @node (its
 * explicit layout, max_nodes, or too little room on a node).
 */

/* Space sharing with @ppn processes a node (Zeng09's cases 4 and 5). */
bool cs_shape_space(struct cs_shape *s, const struct cs_job *j,
		    const struct cs_node *node, uint32_t ppn);
/* By core, as stock does. */
bool cs_shape_packed(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node);
/* As each node has room, for nodes of several sizes: for jobs beyond the shapes for
 * nodes of one size (rule 5).  @whole: empty nodes, no neighbours. */
bool cs_shape_uneven(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node, bool whole);
/* A job's part of a node in a group: rule 4 in shape.c. */
bool cs_shape_shared(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node, uint32_t jobs_per_node);

/* Processes a node by equation 8 (layout=model); 1 to all cores. */
uint32_t cs_layout_model_ppn(const struct cs_params *p,
			     const struct cs_slowdown *m,
			     const struct cs_job *j, struct cs_who who,
			     const struct cs_node *node);
/* Processes that fill all cores of a node, at most the job's. */
uint32_t cs_layout_dense_ppn(const struct cs_job *j,
			     const struct cs_node *node);

/* Memory that @procs processes of shape @s need on @node. */
uint64_t cs_layout_memory(const struct cs_node *node, const struct cs_shape *s,
			  uint32_t procs);

/* Cores that @procs processes of shape @s take on @node, including extra ones it needs
 * there. */
uint32_t cs_shape_cores(const struct cs_shape *s, const struct cs_node *node,
			uint32_t procs);
/* The same for a job, without the extra ones. */
uint32_t cs_job_cores(const struct cs_job *j, const struct cs_node *node,
		      uint32_t procs);

/* Cores that a job of shape @s needs on @node, however few its processes need. */
static inline uint32_t cs_shape_least_cores(const struct cs_shape *s,
					    const struct cs_node *node)
{
	return cs_div_up(s->least_cpus, cs_layout_threads(node, s->threads));
}

/* Processes that @cores cores of @node hold. */
static inline uint32_t cs_shape_procs(const struct cs_shape *s,
				      const struct cs_node *node,
				      uint32_t cores)
{
	if (cores < cs_shape_least_cores(s, node))
		return 0;
	return cs_layout_procs(cores, s->cpus_per_proc,
			       cs_layout_threads(node, s->threads));
}

/* GPUs of node @i of @n that a job of shape @s is laid out on. */
static inline uint32_t cs_shape_gpus_at(const struct cs_shape *s, uint32_t i,
					uint32_t n)
{
	uint64_t all = s->gpus_all;

	return all ? (uint32_t)(all * (i + 1) / n - all * i / n) : s->gpus;
}

/* The most processes, at most @procs, that fit in @free_mb of @node. */
uint32_t cs_shape_fit_memory(const struct cs_node *node,
			     const struct cs_shape *s, uint32_t procs,
			     uint64_t free_mb);

#endif
