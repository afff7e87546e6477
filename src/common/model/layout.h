/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a job is laid out: processes a node, nodes, memory; and which nodes and
 * cores that becomes on a machine as it is.  The theory is in layout.c.
 */
#ifndef CS_MODEL_LAYOUT_H
#define CS_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"
#include "model/occupancy.h"
#include "params/params.h"
#include "profile/slowdown.h"

enum cs_shape_kind {
	CS_SHAPE_SPACE,	 /* empty nodes, nobody beside */
	CS_SHAPE_PACKED, /* cores of nodes that are empty or hold packed jobs
			    of the same owner */
	CS_SHAPE_SHARED, /* cores of nodes that hold, or will hold, partners */
};

struct cs_shape {
	enum cs_shape_kind kind;
	bool exclusive;	    /* takes whole nodes, as the host will book them */
	bool anywhere;	    /* the host finds its nodes, joined or not */
	bool even;	    /* nodes hold `quota` processes each; else as many as
			       there is room for, on max_nodes at most */
	uint32_t procs;	    /* in all */
	uint32_t quota;	    /* most processes on a node */
	uint32_t nodes;	    /* needed (even) or at least needed */
	uint32_t max_nodes; /* 0: any */
	uint32_t cpus_per_proc;
	uint32_t least_cpus, threads, mem_threads; /* as in struct cs_job */
	uint64_t mem_node_mb, mem_cpu_mb;
	uint64_t owner; /* packed: whose jobs alone may be on its nodes */
	bool among_packed; /* shared: beside packed jobs, and no others */
	const struct cs_node *like; /* the node type it was made for, the
				       machine's */
	uint32_t sockets, cores; /* of that */
};

/* The node type that a job's layout is made for: the one with the fewest cores,
 * of these the fewest threads, of the nodes in @allowed; NULL where the set is
 * empty.  O(nodes). */
const struct cs_node *cs_layout_node(const struct cs_machine *m,
				     const uint64_t *allowed);

/* The next larger one: the smallest of those in @allowed that are larger than
 * @node; NULL: none is.  O(nodes). */
const struct cs_node *cs_layout_larger(const struct cs_machine *m,
				       const uint64_t *allowed,
				       const struct cs_node *node);

/* Cores that @procs processes of a job take on nodes with @threads a core; UINT32_MAX
 * also where it is more. */
static inline uint32_t cs_layout_cores(uint32_t procs, uint32_t cpus_per_proc,
				       uint32_t threads)
{
	uint64_t cores =
		((uint64_t)procs * cpus_per_proc + threads - 1) / threads;

	return cores < UINT32_MAX ? (uint32_t)cores : UINT32_MAX;
}

/* Threads of a core of @node that count for who may have @most of them (0: all). */
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
 * The shapes.  Each returns false where the job cannot have it on nodes like
 * @node (its explicit layout, max_nodes, or too little room on a node).
 */

/* Space sharing with @ppn processes a node (000's cases 4 and 5). */
bool cs_shape_space(struct cs_shape *s, const struct cs_job *j,
		    const struct cs_node *node, uint32_t ppn);
/* By core, as stock does. */
bool cs_shape_packed(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node);
/* As each node has room for it, for nodes of several sizes: what the shapes for
 * nodes of one size do not hold (rule 6).  @whole: empty nodes, nobody beside. */
bool cs_shape_uneven(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node, bool whole);
/* A job's part of a node in a group: see rule 4 in layout.c. */
bool cs_shape_shared(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node, uint32_t jobs_per_node);

/* Processes a node by equation 8 (layout=model); 1 to all cores. */
uint32_t cs_layout_model_ppn(const struct cs_params *p,
			     const struct cs_slowdown *m,
			     const struct cs_job *j, struct cs_who who,
			     const struct cs_node *node);
/* Processes that fill all cores of a node, but no more than the job has. */
uint32_t cs_layout_dense_ppn(const struct cs_job *j, const struct cs_node *node);

/*
 * Processes of a job of shape @s that node @n could take in @o, whatever is
 * beside them if the shape is shared; 0: none.
 */
uint32_t cs_layout_fit(const struct cs_occ *o, uint32_t n,
		       const struct cs_shape *s);

/* Whether node @n counts towards the nodes of an even shape. */
static inline bool cs_layout_usable(const struct cs_occ *o, uint32_t n,
				    const struct cs_shape *s)
{
	return cs_layout_fit(o, n, s) >= s->quota;
}

/* Does @s fit on just any empty node that is up, and on no other? */
bool cs_layout_plain(const struct cs_machine *m, const struct cs_shape *s);

/* Are there fewer empty nodes on the whole machine than @s needs?  O(1). */
static inline bool cs_layout_crowded(const struct cs_occ *o,
				     const struct cs_shape *s)
{
	return s->kind == CS_SHAPE_SPACE && s->even &&
	       s->nodes > o->machine->n_node - o->used_nodes;
}

/*
 * Whether a job of shape @s fits on the nodes of @allowed in @o, without
 * choosing them: O(nodes), O(nodes / 64) for a plain shape.
 */
bool cs_layout_fits(const struct cs_occ *o, const struct cs_shape *s,
		    const uint64_t *allowed);

/* How many nodes of @allowed, and which (@ret_nodes; NULL: never mind), could each
 * take their part of shape @s in @o.  The same cost. */
uint32_t cs_layout_count(const struct cs_occ *o, const struct cs_shape *s,
			 const uint64_t *allowed, uint64_t *ret_nodes);

/* Memory that @procs processes of shape @s need on @node. */
uint64_t cs_layout_memory(const struct cs_node *node, const struct cs_shape *s,
			  uint32_t procs);

/* Cores that @procs processes of shape @s take on @node, with those that it must
 * find there beside. */
uint32_t cs_shape_cores(const struct cs_shape *s, const struct cs_node *node,
			uint32_t procs);
/* The same of a job, without. */
uint32_t cs_job_cores(const struct cs_job *j, const struct cs_node *node,
		      uint32_t procs);

/* Could one empty node like @node take its part of shape @s? */
bool cs_layout_could(const struct cs_node *node, const struct cs_shape *s);

/* The same on an empty machine without the nodes of @down (NULL: none): could it
 * ever? */
bool cs_layout_holds(const struct cs_machine *m, const uint64_t *down,
		     const struct cs_shape *s, const uint64_t *allowed);

/*
 * Choose nodes of @allowed and exact cores.  NULL: it does not fit, or no
 * memory (*ret_nomem).  Order: uneven shapes go to the node with the least room
 * that holds the whole job, or where they need several, to so many by weight and
 * index, else to those with most room; others by weight and index.  The caller
 * owns the result.
 */
struct cs_alloc *cs_layout_choose(const struct cs_occ *o,
				  const struct cs_shape *s,
				  const uint64_t *allowed, bool *ret_nomem);

/*
 * Of the nodes of @set leave only @more that are near each other and the @n of
 * @node, in one part of the machine; each does as well, but for its weight and
 * crowd.  False: there are not so many; @set is as before.  Without a topology true,
 * and @set is as before.
 */
bool cs_layout_near(const struct cs_occ *o, const uint32_t *node, uint32_t n,
		    uint32_t more, uint64_t *set);

/* Put node indexes in increasing order. */
void cs_layout_sort(uint32_t *node, uint32_t n);

/*
 * Lay the job out on exactly the @n nodes @node (increasing), quota each, the
 * rest on the last; cores as in rule 5.  NULL: no room or no memory.
 */
struct cs_alloc *cs_layout_on(const struct cs_occ *o, const struct cs_shape *s,
			      const uint32_t *node, uint32_t n,
			      bool *ret_nomem);

#endif
