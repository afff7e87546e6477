/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heterogeneous jobs: their requests.
 *
 * Problem.  Such a job waits as one, but its components go to their own partitions and
 * nodes.
 *
 * Rules.
 *  1. The engine gets it with its leader's number and partitions (options), as a job
 *     for Slurm's own test.
 *  2. Its nodes are those that any component may use, in any of its partitions: there
 *     the plan keeps others' promises.
 *  3. Its size is its minimum: the sums of CPUs and of nodes, each in the partition
 *     where it is least, at most UINT32_MAX; whole nodes and memory only if every
 *     component asks for them.  What one asks of a node does not apply to the others,
 *     so it is dropped.
 *  4. It lasts as long as its longest component.
 *  5. It takes a range of nodes: at its promised start it is first offered only those
 *     promised to no other job (host_start.c, rule 2).
 *  6. If the node of its leader fails, Slurm requeues the leader alone, and components
 *     on other nodes run on.  What waits starts beside these, as under stock: they are
 *     no part of the request, and neither asked nor tried.  One that has ended keeps the
 *     others from starting.
 *
 * Known weakness: components take different nodes, which the sum of CPUs ignores.  The
 * job may be promised a start at which Slurm's test finds no room; then, like any job
 * of its kind, it is also offered nodes that others are promised later.
 */
#include "sched/view/view_slurm.h"

#include <stdlib.h>
#include <string.h>

#include "sched/view/view_table.h"

/* Users may ask for any number. */
static void add_up(uint32_t *sum, uint64_t n)
{
	*sum = n < UINT32_MAX - *sum ? *sum + (uint32_t)n : UINT32_MAX;
}

/* Its partitions, at least one, by whatever scheduler. */
static uint32_t partitions_of(const job_record_t *comp, part_record_t **part)
{
	part_record_t *part_ptr;
	list_itr_t *it;
	uint32_t n = 0;

	part[0] = comp->part_ptr;
	if (!comp->part_ptr_list)
		return 1;
	it = list_iterator_create(comp->part_ptr_list);
	while (n < CS_VIEW_PARTS && (part_ptr = list_next(it)))
		part[n++] = part_ptr;
	list_iterator_destroy(it);
	return n ? n : 1;
}

/* Add the nodes of set @set. */
static void add_set(struct cs_view *v, uint32_t set, uint64_t *nodes)
{
	const uint64_t *words = cs_view_set_words(v->sets, set);

	if (!words)
		v->nomem = true;
	for (uint32_t w = 0; words && w < cs_node_words(v->machine); w++)
		nodes[w] |= words[w];
}

static void add(struct cs_view *v, struct cs_view_desc *to,
		const job_record_t *comp, struct cs_view_others *ret)
{
	struct cs_view_desc own = { 0 };
	part_record_t *part[CS_VIEW_PARTS];
	uint32_t n = partitions_of(comp, part);
	bool whole = true;

	cs_view_asked(v, &own, comp, part, n);
	for (uint32_t i = 0; i < n; i++) {
		add_set(v, cs_view_option_set(v, comp, part[i], comp->resv_ptr),
			ret->nodes);
		whole = whole && !part[i]->max_share;
	}
	if (!(own.flags & CS_JOB_BORROWS))
		to->flags &= ~(uint32_t)CS_JOB_BORROWS;
	if (own.warn_s > to->warn_s)
		to->warn_s = own.warn_s;
	to->wishes = to->wishes * 16777619 ^ own.wishes;
	ret->whole = ret->whole && (whole || own.flags & CS_JOB_EXCLUSIVE);
	add_up(&to->procs, (uint64_t)own.procs * own.cpus_per_proc);
	add_up(&to->min_nodes, own.min_nodes);
	to->n_comp++;
	if (own.mem_node_mb < to->mem_node_mb)
		to->mem_node_mb = own.mem_node_mb;
	if (own.mem_cpu_mb < to->mem_cpu_mb)
		to->mem_cpu_mb = own.mem_cpu_mb;
	if (own.estimate_us > to->estimate_us)
		to->estimate_us = own.estimate_us;
}

void cs_view_others(struct cs_view *v, struct cs_view_job *j,
		    const job_record_t *leader, struct cs_view_others *ret)
{
	struct cs_view_desc *to = &j->desc;
	uint32_t procs = to->procs;
	job_record_t *comp;
	list_itr_t *it;

	*ret = (struct cs_view_others){
		.nodes = calloc(cs_node_words(v->machine), sizeof(*ret->nodes)),
		.whole = true,
	};
	if (!ret->nodes) {
		v->nomem = true;
		return;
	}
	to->flags |= CS_JOB_HOST;
	to->n_comp = 1;
	to->procs = 0;
	add_up(&to->procs, (uint64_t)procs * to->cpus_per_proc);
	it = list_iterator_create(leader->het_job_list);
	while ((comp = list_next(it)))
		if (comp != leader && comp->details && comp->part_ptr &&
		    !IS_JOB_RUNNING(comp))
			add(v, to, comp, ret);
	list_iterator_destroy(it);
	if (!ret->whole)
		to->flags &= ~(uint32_t)CS_JOB_EXCLUSIVE;
	to->max_nodes = v->machine->n_node; /* rule 5 */
	if (to->max_nodes < to->min_nodes)
		to->max_nodes = to->min_nodes;
	to->procs_per_node = 0;
	to->least_cpus = to->threads = to->mem_threads = 0;
	to->base_procs = to->cpus_per_proc = 1;
}

void cs_view_join(struct cs_view *v, struct cs_view_option *o,
		  const struct cs_view_others *others)
{
	uint32_t n = cs_node_words(v->machine);
	uint64_t *nodes;

	if (!others->nodes)
		return;
	nodes = malloc(n * sizeof(*nodes));
	if (!nodes) {
		v->nomem = true;
		return;
	}
	memcpy(nodes, others->nodes, n * sizeof(*nodes));
	add_set(v, o->set, nodes);
	o->set = cs_view_set(v->sets, nodes, n);
	free(nodes);
	v->nomem |= o->set == UINT32_MAX;
	if (!others->whole)
		o->flags &= ~(uint32_t)CS_JOB_EXCLUSIVE;
}
