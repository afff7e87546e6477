/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs on the same cores.
 *
 * Problem.  A rank that sleeps while it waits for messages leaves its core to ranks of
 * other jobs.  Which jobs may have the same cores, and what does that cost each of them?
 *
 * Symbols	C name		unit
 *   w		waits		1, the part of its core time that a job waits when alone
 *   k		jobs		1, the jobs on a core; at most mpl
 *   L		load		1, sum of (1 - w) over them
 *   l		mpl_loss	1, what sharing costs beside that
 *
 * Rules.
 *  1. A job shares cores if it waits (w > 0): by its profile, or, if that does not say, by
 *     its own word (CS_JOB_WAITS, mpl_waits).  Not one that says that it spins, nor one
 *     with share=no, whole nodes, GPUs or constraints that only the host's test knows.
 *  2. Slowdown of a job by the others on its cores, the largest over its cores, as its
 *     ranks wait for each other:
 *
 *	max(1, L) (1 + l), for k > 1					(1)
 *
 *     The part of a core that computes is shared in turn; below L = 1 all find it free
 *     when they want it.  It multiplies what jobs on other cores of the node cost
 *     (progress.c); with a job on its own cores a job has no such pair.
 *  3. The cores of a job that shares none have no other, and no core has more than mpl
 *     jobs.
 *     Memory is not shared: each job's counts.
 *
 * Example.  w = .5 for both of two jobs: L = 1, each takes 1.05 times as long, and together
 * they do 1.9 times the work of one.  A third: L = 1.5, 1.575 times as long.
 *
 * Source: ours; Yu, Kim and Maeng (2007, proc/reorder.h) share cores in the same way, with
 * a fixed number of jobs on each.  Waits are of a job alone: beside others its messages
 * come later, and that the ranks of two jobs want the core at the same time is not in (1)
 * but as l.
 */
#include "job/oversub.h"

double cs_oversub_part(const struct cs_engine *e, const struct cs_ejob *j)
{
	const uint32_t apart =
		CS_JOB_NO_SHARE | CS_JOB_EXCLUSIVE | CS_JOB_HOST | CS_JOB_SPINS;
	bool says = j->job.flags & CS_JOB_WAITS;

	if (j->job.flags & apart || j->placed_by_host ||
	    cs_job_has_gpus(&j->job))
		return 0;
	return cs_profiles_waits(e->profiles, j->profile,
				 says ? e->params.mpl_waits : 0);
}

static bool has_core(const struct cs_ejob *j, uint32_t n, uint32_t core)
{
	const uint64_t *cores = cs_alloc_cores_on(j->alloc, n);

	return cores && cs_bit(cores, core);
}

struct cs_oversub_core cs_oversub_core(const struct cs_engine *e, uint32_t n,
				       uint32_t core)
{
	const struct cs_slots *on = &e->sm->on[n];
	struct cs_oversub_core c = { 0 };

	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *j = e->slot[on->slot[k]];

		if (j->state == CS_SUSPENDED || !has_core(j, n, core))
			continue;
		c.jobs++;
		c.load += 1 - cs_oversub_waits(e, j);
	}
	return c;
}

uint32_t cs_oversub_add(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t n, struct cs_oversub_core *core)
{
	const uint64_t *cores = cs_alloc_cores_on(j->alloc, n);
	double computes = 1 - cs_oversub_waits(e, j);
	uint32_t k = 0;

	if (j->state == CS_SUSPENDED)
		return 0;
	for (uint32_t w = 0; cores && w < j->alloc->words; w++)
		for (uint64_t set = cores[w]; set; k++) {
			struct cs_oversub_core *c =
				&core[64 * w + cs_bit_pop(&set)];

			c->jobs++;
			c->load += computes;
		}
	return k;
}

bool cs_oversub_meet(const struct cs_ejob *a, const struct cs_ejob *b,
		     uint32_t n)
{
	const uint64_t *x = cs_alloc_cores_on(a->alloc, n);
	const uint64_t *y = cs_alloc_cores_on(b->alloc, n);

	return x && y && cs_bits_common(x, y, a->alloc->words);
}

double cs_oversub_slowdown(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_alloc *a = j->alloc;
	double worst = 1;

	for (uint32_t i = 0; i < a->n_node; i++)
		for (uint32_t w = 0; w < a->words; w++) {
			uint32_t n = a->node[i].node;
			uint64_t shared = cs_alloc_cores(a, i)[w] &
					  cs_occ_more(&e->sm->now, 1, n)[w];

			while (shared) {
				struct cs_oversub_core c = cs_oversub_core(
					e, n, 64 * w + cs_bit_pop(&shared));
				double sl = cs_slowdown_core(
					c.load, c.jobs, e->params.mpl_loss);

				worst = sl > worst ? sl : worst;
			}
		}
	return worst;
}

/* The others on @j's core @core of node @n; *ret_apart: one of them shares no cores. */
static int64_t others(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t n, uint32_t core, bool *ret_apart)
{
	const struct cs_slots *on = &e->sm->on[n];
	int64_t jobs = 0;

	*ret_apart = false;
	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *x = e->slot[on->slot[k]];

		if (x == j || !has_core(x, n, core))
			continue;
		jobs++;
		*ret_apart |= !cs_oversub_willing(e, x, x->option);
	}
	return jobs;
}

bool cs_oversub_fits(const struct cs_engine *e, const struct cs_ejob *j,
		     uint32_t option, const struct cs_alloc *a)
{
	bool willing = cs_oversub_willing(e, j, option), apart;

	for (uint32_t i = 0; i < a->n_node; i++)
		for (uint32_t w = 0; w < a->words; w++) {
			uint32_t n = a->node[i].node;
			uint64_t held = cs_alloc_cores(a, i)[w] &
					cs_occ_used(&e->sm->now, n)[w];

			while (held) {
				int64_t jobs = others(
					e, j, n, 64 * w + cs_bit_pop(&held),
					&apart);

				if (jobs && (!willing || apart ||
					     jobs >= e->params.mpl))
					return false;
			}
		}
	return true;
}
