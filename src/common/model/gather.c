/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is set aside for a job.
 *
 * Rule.  A node holds as many of the job's processes as its cores, in threads that the job
 * uses, and its memory allow, at most procs_per_node; a node for whole ones holds none
 * unless all its cores are there.  The job runs if the max_nodes nodes that hold most hold
 * all of its processes together, on no fewer than min_nodes.
 *
 * Example: 3 processes of 2 CPUs; two nodes with 3 cores hold one each, 2 in all, though
 * 6 CPUs are there.
 *
 * Differs from a start: how switches join the nodes does not count.
 */
#include "model/gather.h"

#include <errno.h>
#include <stdlib.h>

int cs_gather_init(struct cs_gather *g, const struct cs_machine *m,
		   const struct cs_job *j, bool whole)
{
	*g = (struct cs_gather){
		.shape = { .exclusive =
				   whole || (j->flags & CS_JOB_EXCLUSIVE) != 0,
			   .procs = j->procs,
			   .most = j->procs_per_node,
			   .max_nodes = j->max_nodes,
			   .cpus_per_proc = j->cpus_per_proc,
			   .least_cpus = j->least_cpus,
			   .threads = j->threads,
			   .mem_threads = j->mem_threads,
			   .mem_node_mb = j->mem_node_mb,
			   .mem_cpu_mb = j->mem_cpu_mb },
		.min_nodes = j->min_nodes,
		.most = m->most_threads < j->procs ? m->most_threads : j->procs,
	};
	g->holding = calloc((size_t)g->most + 1, sizeof(*g->holding));
	return g->holding ? 0 : -ENOMEM;
}

void cs_gather_done(struct cs_gather *g)
{
	free(g->holding);
}

uint32_t cs_gather_fit(const struct cs_gather *g, const struct cs_node *node,
		       uint32_t cores, uint64_t free_mb)
{
	const struct cs_shape *s = &g->shape;
	uint32_t n;

	if (s->exclusive && cores < cs_node_cores(node))
		return 0;
	n = cs_shape_procs(s, node, cores);
	if (s->most && n > s->most)
		n = s->most;
	if (n > g->most)
		n = g->most;
	return n && node->memory_mb ? cs_shape_fit_memory(node, s, n, free_mb)
				    : n;
}

void cs_gather_add(struct cs_gather *g, const struct cs_node *node,
		   uint32_t cores, uint64_t free_mb)
{
	uint32_t n = cs_gather_fit(g, node, cores, free_mb);

	g->holding[n]++;
	g->n_node += n != 0;
}

bool cs_gather_enough(const struct cs_gather *g)
{
	uint64_t procs = 0;
	uint32_t left = g->shape.max_nodes ? g->shape.max_nodes : UINT32_MAX;

	for (uint32_t n = g->most; n && left; n--) {
		uint32_t nodes = g->holding[n] < left ? g->holding[n] : left;

		procs += (uint64_t)nodes * n;
		left -= nodes;
	}
	return procs >= g->shape.procs && g->n_node >= g->min_nodes;
}
