/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace_fit.h"

#include <stdlib.h>

/* Nodes of so many cores and these GPUs. */
struct kind {
	uint32_t cores, nodes;
	const struct cs_gpus *gpus;
};

struct cs_trace_fit {
	const struct cs_machine *machine;
	uint32_t n, nodes;  /* nodes: in all */
	struct kind kind[]; /* [n] by cores, most first */
};

static int by_cores(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return (x->cores < y->cores) - (x->cores > y->cores);
}

struct cs_trace_fit *cs_trace_fit_create(const struct cs_machine *m)
{
	struct cs_trace_fit *f =
		calloc(1, sizeof(*f) + m->n_node * sizeof(*f->kind));

	if (!f)
		return NULL;
	f->machine = m;
	for (uint32_t n = 0; n < m->n_node; n++) {
		const struct kind k = { cs_node_cores(&m->node[n]), 1,
					m->node[n].gpus };
		uint32_t i = 0;

		if (!k.cores)
			continue;
		while (i < f->n && (f->kind[i].cores != k.cores ||
				    f->kind[i].gpus != k.gpus))
			i++;
		if (i == f->n)
			f->kind[f->n++] = k;
		else
			f->kind[i].nodes++;
		f->nodes++;
	}
	qsort(f->kind, f->n, sizeof(*f->kind), by_cores);
	return f;
}

void cs_trace_fit_free(struct cs_trace_fit *f)
{
	free(f);
}

uint32_t cs_trace_fit_least(const struct cs_machine *m, uint32_t gpus,
			    uint32_t gpu_id)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < m->n_gpus; i++) {
		uint32_t n = cs_popcount(cs_gpus_of(m->gpus[i], gpu_id));

		most = n > most ? n : most;
	}
	return most && gpus ? cs_div_up(gpus, most) : 1;
}

/* Are there @nodes nodes with @cores cores and @gpus GPUs each? */
static bool has(const struct cs_trace_fit *f, uint32_t nodes, uint32_t cores,
		uint32_t gpus, uint32_t gpu_id)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n && n < nodes; i++)
		if (f->kind[i].cores >= cores &&
		    cs_popcount(cs_gpus_of(f->kind[i].gpus, gpu_id)) >= gpus)
			n += f->kind[i].nodes;
	return n >= nodes;
}

/* Rule 3. */
static bool largest_hold(const struct cs_trace_fit *f, uint32_t nodes,
			 uint32_t procs)
{
	uint64_t cores = 0;

	for (uint32_t i = 0; i < f->n && nodes; i++) {
		const struct kind *k = &f->kind[i];
		uint32_t n = k->nodes < nodes ? k->nodes : nodes;

		cores += (uint64_t)n * k->cores;
		nodes -= n;
	}
	return !nodes && cores >= procs;
}

bool cs_trace_fits(const struct cs_trace_fit *f,
		   const struct cs_trace_names *names,
		   const struct cs_trace_job *j)
{
	uint32_t id =
		cs_gpu_id(cs_trace_name(names, CS_NAME_GPU_TYPE, j->gpu_type));
	uint32_t least = cs_trace_fit_least(f->machine, j->gpus, id);
	uint32_t procs = j->procs, last;

	if (j->gpus && j->gpu_share)
		return has(f, 1, procs, j->gpus, id);
	if (j->nodes > least)
		least = j->nodes;
	if (procs < least)
		procs = least;
	if (!j->gpus)
		return !j->nodes || largest_hold(f, least, procs);
	last = j->nodes ? least : procs;
	if (last > f->nodes)
		last = f->nodes;
	for (uint32_t n = least; n <= last; n++)
		if (has(f, n, cs_div_up(procs, n), cs_div_up(j->gpus, n), id))
			return true;
	return false;
}
