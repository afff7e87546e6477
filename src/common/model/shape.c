/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's shape: how many processes a node, on how many nodes.
 *
 * Problem.  A user asks for processes; how many go on a node decides how long the job
 * runs (its processes disturb each other) and how many nodes it denies others.
 *
 * Symbols	C name			unit
 *   S		job->procs		processes
 *   PPN	quota, ppn		processes a node
 *   SL(p)	cs_slowdown_self()	1, with p processes on a node
 *   MAX_SL	params->max_slowdown	1
 *   SELF_SL2	params->self_slowdown2	1
 *   M, s	cores, sockets of a node
 *
 * Rules.
 *  1. A layout that the user gave (nodes, processes a node) is kept.
 *  2. Dense: a node is filled: PPN = the processes its cores hold.
 *  3. Model (Zeng09, equation 8, for 2 sockets of 2 cores):
 *
 *	PPN = 1	S = 1, or SL(2) > SELF_SL2 and SL(4) > MAX_SL
 *	      2	SL(2) <= SELF_SL2 and SL(4) > MAX_SL
 *	      4	SL(4) <= MAX_SL
 *
 *     For any node: the largest p with SL(p) <= limit(p) that loads all sockets alike
 *     (s, 2 s, ... M), where limit is SELF_SL2 up to one process a socket, MAX_SL on
 *     all cores, and linear between:
 *
 *	limit
 *	MAX_SL   |                    *
 *	         |             *
 *	SELF_SL2 |*-----*
 *	         +------+------------+-- p
 *	          1     s            M
 *
 *     p = 1 if there is none.
 *  4. In a group a job gets the same part of every socket: its s * max(1,
 *     floor(M / s / jobs_per_node)) cores of a node (Zeng09 has 2 of 4: one process
 *     a socket), so that jobs_per_node such jobs fill it.
 *  5. A job that would need more nodes than it may use, or more memory on a node than
 *     there is, is laid out more, or less, densely, and if nodes of one size do not
 *     hold it, unevenly, each with as many processes as it has room for: a job that can
 *     run need not wait for a better layout.
 *  6. A core is given whole: with t hardware threads, bounded by the job's request, it
 *     holds t / cpus_per_proc processes, and no other job's.
 *  7. A job that needs a number of hardware threads on a node, whatever its processes
 *     there need, takes the cores that have them.
 *  8. GPUs.  A job's nodes have equal parts of its processes and of its GPUs (if these do
 *     not divide, some have one more).  Without GPUs it may have to leave cores for each
 *     GPU that no job uses (gpu_cores).
 *
 * Source: Zeng09 (see slowdown.h), sections 4.3, 5.1 (equation 8).
 *
 * Differs.
 *  1. The paper's PPN is 1, 2 or 4; here any, by node (rule 3).
 *  2. If nodes differ, the layout is for the smallest that a job may use: it then fits
 *     on all of them and PPN is one number.  A job that nodes of that size cannot hold
 *     gets the layout of the next larger ones, and so on, and finally an uneven one; a
 *     packed job takes what each node has.
 *
 * Example: self slowdowns 1, 1.05, 1.2 at 1, 2, 4 processes give PPN 4; 1, 1.05,
 * 1.4 give 2; 1, 1.15, 1.4 give 1.
 *
 * Cost: O(M).
 */
#include "model/shape.h"

/* Fewer cores, or as many with fewer threads? */
static bool smaller(const struct cs_node *a, const struct cs_node *b)
{
	if (cs_node_cores(a) != cs_node_cores(b))
		return cs_node_cores(a) < cs_node_cores(b);
	return a->threads < b->threads;
}

/* The first of the smallest nodes in @allowed; NULL: it has none.  O(nodes). */
static const struct cs_node *smallest(const struct cs_machine *m,
				      const uint64_t *allowed)
{
	const struct cs_node *least = NULL;

	for (uint32_t w = 0; w < cs_node_words(m); w++)
		for (uint64_t set = allowed[w]; set;) {
			const struct cs_node *node =
				&m->node[w * 64 + cs_bit_pop(&set)];

			if (!cs_node_vacant(node) &&
			    (!least || smaller(node, least)))
				least = node;
		}
	return least;
}

/* As cs_layout_larger(), of all nodes in @allowed.  O(nodes). */
static const struct cs_node *larger(const struct cs_machine *m,
				    const uint64_t *allowed,
				    const struct cs_node *node)
{
	const struct cs_node *next = NULL;

	for (uint32_t n = 0; n < m->n_node; n++)
		if (cs_bit(allowed, n) && smaller(node, &m->node[n]) &&
		    (!next || smaller(&m->node[n], next)))
			next = &m->node[n];
	return next;
}

void cs_layout_sizes(const struct cs_machine *m, const uint64_t *allowed,
		     struct cs_node_sizes *ret)
{
	const struct cs_node *node = smallest(m, allowed);

	ret->n = 0;
	while (node && ret->n < CS_NODE_SIZES) {
		ret->node[ret->n++] = node;
		node = larger(m, allowed, node);
	}
}

void cs_layout_sizes_again(const struct cs_machine *m, const uint64_t *allowed,
			   struct cs_node_sizes *s, uint32_t n)
{
	const struct cs_node *now = &m->node[n];
	bool known = cs_node_vacant(now);

	for (uint32_t i = 0; i < s->n; i++) {
		const struct cs_node *first = s->node[i];

		if (first == now) {
			known = false;
			break;
		}
		if (smaller(first, now) || smaller(now, first))
			continue;
		known = true;
		if (now < first)
			s->node[i] = now;
	}
	if (!known)
		cs_layout_sizes(m, allowed, s);
}

const struct cs_node *cs_layout_larger(const struct cs_machine *m,
				       const uint64_t *allowed,
				       const struct cs_node_sizes *s,
				       const struct cs_node *node)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (smaller(node, s->node[i]))
			return s->node[i];
	return s->n < CS_NODE_SIZES ? NULL : larger(m, allowed, node);
}

static void shape_init(struct cs_shape *s, const struct cs_job *j,
		       const struct cs_node *node, enum cs_shape_kind kind)
{
	*s = (struct cs_shape){
		.kind = kind,
		.exclusive = (j->flags & CS_JOB_EXCLUSIVE) != 0,
		.anywhere = (j->flags & CS_JOB_HOST) != 0,
		.even = true,
		.procs = j->procs,
		.most = j->procs_per_node,
		.max_nodes = j->max_nodes,
		.cpus_per_proc = j->cpus_per_proc,
		.dist = j->dist,
		.least_cpus = j->least_cpus,
		.threads = j->threads,
		.mem_threads = j->mem_threads,
		.mem_node_mb = j->mem_node_mb,
		.mem_cpu_mb = j->mem_cpu_mb,
		.gpus_all = j->gpus,
		.gpu_id = cs_gpu_id(j->gpu_type),
		.gpu_share = j->gpu_share ? j->gpu_share : CS_GPU_WHOLE,
		.like = node,
		.sockets = node->sockets,
		.cores = cs_node_cores(node),
	};
}

uint32_t cs_shape_cores(const struct cs_shape *s, const struct cs_node *node,
			uint32_t procs)
{
	uint32_t cores = cs_layout_cores(procs, s->cpus_per_proc,
					 cs_layout_threads(node, s->threads));
	uint32_t least = cs_shape_least_cores(s, node);

	return cores > least ? cores : least;
}

uint32_t cs_job_cores(const struct cs_job *j, const struct cs_node *node,
		      uint32_t procs)
{
	return cs_layout_cores(procs, j->cpus_per_proc,
			       cs_layout_threads(node, j->threads));
}

/* Memory that a core of @node costs a job with memory a hardware thread. */
static uint64_t core_mb(const struct cs_node *node, const struct cs_shape *s)
{
	return s->mem_cpu_mb * cs_layout_threads(node, s->mem_threads);
}

uint64_t cs_layout_memory(const struct cs_node *node, const struct cs_shape *s,
			  uint32_t procs)
{
	uint32_t cores = s->exclusive ? cs_node_cores(node)
				      : cs_shape_cores(s, node, procs);

	if (s->mem_node_mb == CS_MEM_ALL)
		return node->memory_mb;
	if (s->mem_node_mb)
		return s->mem_node_mb;
	return core_mb(node, s) * cores;
}

uint32_t cs_shape_fit_memory(const struct cs_node *node,
			     const struct cs_shape *s, uint32_t procs,
			     uint64_t free_mb)
{
	if (!s->mem_node_mb && s->mem_cpu_mb && !s->exclusive) {
		uint64_t cores = free_mb / core_mb(node, s);
		uint32_t fit;

		if (cores >= cs_node_cores(node))
			return procs;
		fit = cs_shape_procs(s, node, (uint32_t)cores);
		return fit < procs ? fit : procs;
	}
	return cs_layout_memory(node, s, procs) <= free_mb ? procs : 0;
}

/* Set quota and nodes for at most @ppn processes a node, evenly spread. */
static bool shape_nodes(struct cs_shape *s, const struct cs_job *j,
			const struct cs_node *node, uint32_t ppn)
{
	uint32_t most = cs_layout_dense_ppn(j, node);
	uint32_t fill = j->least_cpus / j->cpus_per_proc; /* it has those */

	if (j->procs_per_node)
		ppn = j->procs_per_node;
	else if (ppn < fill)
		ppn = fill < most ? fill : most;
	if (ppn > j->procs)
		ppn = j->procs;
	if (!j->procs_per_node && node->memory_mb)
		ppn = cs_shape_fit_memory(node, s, ppn, node->memory_mb);
	if (!ppn || ppn > most ||
	    cs_shape_least_cores(s, node) > cs_node_cores(node))
		return false;
	s->nodes = cs_div_up(j->procs, ppn);
	if (s->nodes < j->min_nodes)
		s->nodes = j->min_nodes;
	if (s->nodes > j->procs || (j->max_nodes && s->nodes > j->max_nodes))
		return false;
	s->quota = j->procs_per_node ? ppn : cs_div_up(j->procs, s->nodes);
	s->gpus = j->gpus_node ? j->gpus_node : cs_div_up(j->gpus, s->nodes);
	return true;
}

/* More processes a node if the user limits the nodes. */
static uint32_t ppn_for_max_nodes(const struct cs_job *j, uint32_t ppn)
{
	uint32_t least = j->max_nodes ? cs_div_up(j->procs, j->max_nodes) : 1;

	return ppn < least ? least : ppn;
}

bool cs_shape_space(struct cs_shape *s, const struct cs_job *j,
		    const struct cs_node *node, uint32_t ppn)
{
	shape_init(s, j, node, CS_SHAPE_SPACE);
	return shape_nodes(s, j, node, ppn_for_max_nodes(j, ppn));
}

bool cs_shape_shared(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node, uint32_t jobs_per_node)
{
	uint32_t part = node->cores_per_socket / jobs_per_node;
	uint32_t cores = node->sockets * (part ? part : 1);

	shape_init(s, j, node, CS_SHAPE_SHARED);
	if (s->exclusive)
		return false;
	return shape_nodes(
		s, j, node,
		cs_layout_procs(cores, j->cpus_per_proc,
				cs_layout_threads(node, j->threads)));
}

bool cs_shape_packed(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node)
{
	bool whole = j->flags & CS_JOB_EXCLUSIVE, even = cs_job_has_gpus(j);
	uint32_t dense = cs_layout_dense_ppn(j, node);

	if (!even && !j->procs_per_node && !whole && j->max_nodes != 1)
		return cs_shape_uneven(s, j, node, false);
	if (!even && !j->procs_per_node && j->min_nodes == 1 && !j->max_nodes)
		return cs_shape_uneven(s, j, node, whole);
	shape_init(s, j, node, whole ? CS_SHAPE_SPACE : CS_SHAPE_PACKED);
	return shape_nodes(s, j, node, ppn_for_max_nodes(j, dense));
}

bool cs_shape_uneven(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node, bool whole)
{
	shape_init(s, j, node, whole ? CS_SHAPE_SPACE : CS_SHAPE_PACKED);
	s->even = false;
	s->quota = cs_layout_dense_ppn(j, node);
	s->nodes = j->min_nodes;
	return s->quota && !cs_job_has_gpus(j) &&
	       cs_shape_least_cores(s, node) <= cs_node_cores(node) &&
	       s->nodes <= s->procs &&
	       (!s->max_nodes || s->nodes <= s->max_nodes);
}

uint32_t cs_layout_dense_ppn(const struct cs_job *j, const struct cs_node *node)
{
	uint32_t p = cs_layout_procs(cs_node_cores(node), j->cpus_per_proc,
				     cs_layout_threads(node, j->threads));

	return p < j->procs ? p : j->procs;
}

/* limit(p) of rule 3, for a layout that takes @cores cores of a node. */
static double self_limit(const struct cs_params *p, uint32_t cores,
			 const struct cs_node *node)
{
	uint32_t all = cs_node_cores(node), s = node->sockets;

	if (cores >= all)
		return p->max_slowdown;
	if (cores <= s)
		return p->self_slowdown2;
	return p->self_slowdown2 +
	       (p->max_slowdown - p->self_slowdown2) * (cores - s) / (all - s);
}

uint32_t cs_layout_model_ppn(const struct cs_params *p,
			     const struct cs_slowdown *m,
			     const struct cs_job *j, struct cs_who who,
			     const struct cs_node *node)
{
	uint32_t most = cs_layout_procs(cs_node_cores(node), j->cpus_per_proc,
					cs_layout_threads(node, j->threads));

	if (j->procs == 1)
		return 1;
	for (uint32_t ppn = most - most % node->sockets; ppn > 1;
	     ppn -= node->sockets) {
		uint32_t cores = cs_job_cores(j, node, ppn);

		if (cs_slowdown_self(m, who, cores, node->sockets,
				     cs_node_cores(node)) <=
		    self_limit(p, cores, node))
			return ppn < j->procs ? ppn : j->procs;
		if (ppn <= node->sockets)
			break;
	}
	return 1;
}
