/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's GPUs at this instant.
 *
 * A GPU is held, on whatever node, or free, on a node that may be used.  Of the free ones a
 * part is
 *
 *	a fragment	for the requests of the site's past: an expectation (gpu_mix.c,
 *			equation 2)
 *	stranded	for the jobs that wait for GPUs and may start, except those whose
 *			GPUs only the host's test places: its node has fewer free cores, or
 *			less free memory, than each of them asks for there
 *
 * The least cores and the least memory are taken apart, so that what is called stranded is
 * so for each of them; a GPU may be of no use to them all and not be counted.
 */
#include "engine/gpu_use.h"

#include "engine/engine.h"
#include "state/figures.h"
#include "state/state.h"

bool cs_gpu_use_request(const struct cs_engine *e, const struct cs_job *job,
			struct cs_gpu_request *ret)
{
	const struct cs_node *like = cs_engine_like(e, &job->option[0]);
	uint32_t most = e->machine->gpus_most, nodes = job->min_nodes;
	struct cs_gpu_request r = {
		.gpus = job->gpus_node,
		.share = job->gpu_share ? job->gpu_share : CS_GPU_WHOLE,
		.id = cs_gpu_id(job->gpu_type),
		.mem_mb = job->mem_node_mb,
	};

	if (!most || !like || !cs_job_has_gpus(job))
		return false;
	if (nodes < cs_div_up(job->gpus, most))
		nodes = cs_div_up(job->gpus, most);
	if (job->gpus)
		r.gpus = cs_div_up(job->gpus, nodes);
	r.cores = cs_job_cores(job, like, cs_div_up(job->procs, nodes));
	if (r.mem_mb == CS_MEM_ALL)
		r.mem_mb = like->memory_mb;
	if (!r.mem_mb)
		r.mem_mb = job->mem_cpu_mb * r.cores *
			   cs_layout_threads(like, job->mem_threads);
	*ret = r;
	return true;
}

/* The least that a job with GPUs asks for on a node, which waits and may start. */
struct least {
	uint32_t jobs, cores;
	uint64_t mem_mb;
};

static struct least least_asked(const struct cs_engine *e)
{
	struct least l = { 0, UINT32_MAX, UINT64_MAX };

	for (size_t i = 0; i < e->waiting.n; i++) {
		const struct cs_ejob *j = e->waiting.job[i];
		struct cs_gpu_request r;

		if (!cs_waits(j) || j->job.flags & CS_JOB_BLOCKED ||
		    !cs_gpu_use_request(e, &j->job, &r))
			continue;
		l.jobs++;
		l.cores = r.cores < l.cores ? r.cores : l.cores;
		l.mem_mb = r.mem_mb < l.mem_mb ? r.mem_mb : l.mem_mb;
	}
	return l;
}

static double gpus(uint64_t thousandths)
{
	return (double)thousandths / CS_GPU_WHOLE;
}

struct cs_engine_gpus cs_engine_gpus(const struct cs_engine *e)
{
	const struct cs_occ *o = &e->sm->now;
	struct cs_engine_gpus g = { 0 };
	struct cs_gpu_room x, last = { 0 };
	uint64_t held = 0, free = 0, stranded = 0;
	int64_t fragment = 0, part = 0;
	struct least least;

	if (!o->gpus)
		return g;
	least = least_asked(e);
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		uint64_t used = 0, left;

		if (!e->machine->node[n].gpus)
			continue;
		cs_gpu_mix_room(o, n, &x);
		for (uint32_t i = 0; i < x.gpus->n; i++)
			used += x.used[i];
		held += used;
		if (cs_bit(o->down, n))
			continue;
		left = x.gpus->n * (uint64_t)CS_GPU_WHOLE - used;
		free += left;
		if (least.jobs &&
		    (x.cores < least.cores || x.mem_mb < least.mem_mb))
			stranded += left;
		if (!cs_gpu_mix_same_room(&x, &last))
			part = cs_gpu_mix_fragment(&e->gpu_mix, &x);
		fragment += part;
		last = x;
	}
	g.waiting = least.jobs;
	g.held = gpus(held);
	g.free = gpus(free);
	g.stranded = gpus(stranded);
	if (e->gpu_mix.total)
		g.fragment = (double)fragment /
			     ((double)e->gpu_mix.total * CS_GPU_WHOLE);
	return g;
}
