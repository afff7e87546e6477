/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running job's allocation, from Slurm's job_resources.
 *
 * job_resources has one map of cores over the job's own nodes, one after the
 * other; the machine numbers the usable cores of each node (view_nodes.c).
 *
 * The devices are in the job's generic resources, node by node, by Slurm's numbers.  One
 * that the node does not have any more is left out.
 *
 * A node of which Slurm has no core for the job is left out: of a job that got another's
 * nodes (--dependency=expand) its map keeps the cores of the first node only, and
 * Slurm's own test gives the others to any job.
 */
#include "compat/gres.h"
#include "sched/view/view_slurm.h"

#include "common/model/layout.h"

/* The machine's number of Slurm's core @core of a node; -1: none. */
static int machine_core(const struct cs_view *v, uint32_t node, uint32_t core)
{
	uint32_t n = cs_node_cores(&v->machine->node[node]);
	const uint16_t *map = v->map[node].core;

	if (!map)
		return core < n ? (int)core : -1;
	for (uint32_t c = 0; c < n; c++)
		if (map[c] == core)
			return (int)c;
	return -1;
}

/* The machine's GPUs that @job_ptr holds on its @k-th node, number @node. */
static uint64_t gpus_held(const struct cs_view *v, const job_record_t *job_ptr,
			  uint32_t k, uint32_t node)
{
	const struct cs_gpus *there = v->machine->node[node].gpus;
	const uint8_t *number = v->map[node].gpu;
	uint64_t held, gpus = 0;

	if (!there || !number)
		return 0;
	held = cs_gres_held(job_ptr, k) & cs_bit_all(there->n, 0);
	while (held)
		gpus |= UINT64_C(1) << number[cs_bit_pop(&held)];
	return gpus;
}

/* The job's @k-th node, number @node of the machine, whose @cores begin at @first of the
 * job's map, as the next one of @a.  False: it holds none that the machine has. */
static bool add_node(const struct cs_view *v, struct cs_alloc *a,
		     const job_record_t *job_ptr, uint32_t k, uint32_t node,
		     uint32_t first, uint32_t cores)
{
	const job_resources_t *jr = job_ptr->job_resrcs;
	bool any = false, held = false;
	uint32_t at = a->n_node;

	for (uint32_t c = 0; c < cores; c++) {
		int to;

		if (!bit_test(jr->core_bitmap, first + c))
			continue;
		held = true;
		to = machine_core(v, node, c);
		if (to >= 0) {
			cs_bit_set(cs_alloc_cores(a, at), (uint32_t)to);
			any = true;
		}
	}
	if (!any)
		return !held;
	a->node[at].node = node;
	if (v->memory && jr->memory_allocated)
		a->node[at].mem_mb = jr->memory_allocated[k];
	a->node[at].gpus = gpus_held(v, job_ptr, k, node);
	a->n_node++;
	return true;
}

/* Processes a node: what its cores hold, up to the job's total. */
static void share_processes(const struct cs_view *v, struct cs_alloc *a,
			    uint32_t procs, uint32_t cpus_per_proc,
			    uint32_t threads)
{
	uint32_t left = procs > a->n_node ? procs - a->n_node : 0;

	for (uint32_t k = 0; k < a->n_node; k++) {
		const struct cs_node *node = &v->machine->node[a->node[k].node];
		uint32_t room =
			cs_layout_procs(cs_alloc_count(a, k), cpus_per_proc,
					cs_layout_threads(node, threads));
		uint32_t more = room > 1 ? room - 1 : 0;

		if (more > left)
			more = left;
		a->node[k].procs = 1 + more;
		left -= more;
	}
}

uint64_t cs_view_memory_held(const struct cs_view *v, const job_resources_t *jr)
{
	uint64_t mb = 0;

	for (uint32_t k = 0;
	     v->memory && jr->memory_allocated && k < jr->nhosts; k++)
		mb += jr->memory_allocated[k];
	return mb;
}

struct cs_alloc *cs_view_alloc(const struct cs_view *v,
			       const job_record_t *job_ptr, uint32_t procs,
			       uint32_t cpus_per_proc)
{
	const job_resources_t *jr = job_ptr->job_resrcs;
	uint32_t n, k = 0, first = 0;
	struct cs_alloc *a;

	if (!jr || !jr->node_bitmap || !jr->core_bitmap ||
	    bit_size(jr->node_bitmap) > (bitoff_t)v->machine->n_node)
		return NULL;
	n = (uint32_t)bit_set_count(jr->node_bitmap);
	a = n ? cs_alloc_create(n, v->machine->words) : NULL;
	if (a)
		a->n_node = 0;
	for (uint32_t i = 0; a && k < n && i < v->machine->n_node; i++) {
		uint16_t sockets, cores;

		if (!bit_test(jr->node_bitmap, i))
			continue;
		if (get_job_resources_cnt((job_resources_t *)jr, k, &sockets,
					  &cores) ||
		    !add_node(v, a, job_ptr, k, i, first, sockets * cores)) {
			cs_alloc_free(a);
			return NULL;
		}
		first += sockets * cores;
		k++;
	}
	if (a && !a->n_node) {
		cs_alloc_free(a);
		return NULL;
	}
	if (a)
		share_processes(v, a, procs, cpus_per_proc,
				cs_view_threads(job_ptr));
	return a;
}
