/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload without habits: uniform-log sizes and work, Poisson arrivals.
 *
 * Problem.  Lublin and Feitelson's jobs come by day, in powers of two.  What a
 * scheduler owes to these habits shows on a workload that has none.
 *
 * Rules.
 *  1. Average parallelism A: uniform-log from 1 to the machine's nodes; variance
 *     in parallelism s: uniform from 0 to 2; work L: uniform-log from 10 to
 *     1,000,000 node-seconds.
 *  2. The job is rigid and asks for n = A nodes, rounded; its runtime is
 *     L / S(n), rounded up to whole seconds, with
 *
 *	S(n) = A n / (A + s (n - 1) / 2)	s <= 1, n <= A
 *	     = A n / (s (A - .5) + n (1 - s/2))	s <= 1, A <= n <= 2 A - 1
 *	     = n A (s + 1) / (s (n + A - 1) + A)	s >= 1,
 *							n <= A + A s - s
 *	     = A				else
 *
 *  3. Arrivals: exponential gaps.  Their mean is such that the nodes' time that
 *     these jobs ask for is `load` of what the machine has while they come.
 *  4. With slots (slot_s) there is no work to divide: the runtime is uniform-log
 *     from 1 to 120 slots, cut off to whole ones.  The gaps' mean is such that the
 *     load is that of the means of sizes and runtimes before they are made whole:
 *
 *	(nodes - 1) / ln(nodes) * 119 / ln(120) / (load * nodes)	in slots
 *
 *     Made whole they ask for 2 % less.  The same seed has the same jobs at any
 *     load.
 *
 * Source: Downey, A Parallel Workload Model and Its Implications for Processor
 * Allocation, HPDC 1997: rule 1 without its numbers, S(n), Poisson arrivals.
 *
 * 4: Zhou00 (see common/gang/repack.c), section 4.2, in the reading of
 * doc/results/gang.md.
 *
 * Differs.
 *  1. Downey's jobs are moldable: the scheduler picks n.  Ours have picked A.
 *  2. His day has two halves, ours is the same all day.
 *  3. The limits of L are ours: he fits them to a log.
 *
 * Cost: five draws a job.
 */
#include "uniformlog.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "draw.h"

#define WORK_MIN 10. /* node-seconds */
#define WORK_MAX 1e6
#define SLOTS_MAX 120

/* Rule 2. */
double cs_uniformlog_downey_speedup(double n, double a, double s)
{
	if (s <= 1 && n <= a)
		return a * n / (a + s * (n - 1) / 2);
	if (s <= 1 && n <= 2 * a - 1)
		return a * n / (s * (a - .5) + n * (1 - s / 2));
	if (s > 1 && n <= a + a * s - s)
		return n * a * (s + 1) / (s * (n + a - 1) + a);
	return a;
}

/* Rule 2, of a job with average parallelism @a on @n nodes. */
static double downey_s(struct cs_rng *r, double a, uint32_t n)
{
	double s = cs_draw_uniform(r, 0, 2);
	double work = cs_draw_uniformlog(r, WORK_MIN, WORK_MAX);

	return ceil(work / cs_uniformlog_downey_speedup(n, a, s));
}

static void job(struct cs_trace_job *j, struct cs_rng *r,
		const struct cs_uniformlog *m)
{
	double a = cs_draw_uniformlog(r, 1, m->nodes), time;

	*j = (struct cs_trace_job){ .user = -1,
				    .group = -1,
				    .exe = -1,
				    .queue = -1,
				    .partition = -1,
				    .wait_us = -1 };
	j->procs = (uint32_t)floor(a + .5);
	if (j->procs > m->nodes) /* exp(log(nodes)) */
		j->procs = m->nodes;
	time = m->slot_s
		       ? floor(cs_draw_uniformlog(r, 1, SLOTS_MAX)) * m->slot_s
		       : downey_s(r, a, j->procs);
	j->runtime_us = (int64_t)time * 1000000;
	j->estimate_us = j->runtime_us;
}

/* The mean of a uniform-log number from 1 to @high. */
static double mean(double high)
{
	return high > 1 ? (high - 1) / log(high) : 1;
}

/* Node-seconds that a job asks for in the mean: rules 3 and 4. */
static double asks(const struct cs_trace *t, const struct cs_uniformlog *m)
{
	double asked = 0;

	if (m->slot_s)
		return mean(m->nodes) * mean(SLOTS_MAX) * m->slot_s;
	for (size_t i = 0; i < t->n; i++)
		asked += (double)t->job[i].procs *
			 (double)t->job[i].runtime_us / 1e6;
	return asked / (double)t->n;
}

static void arrive(struct cs_trace *t, const struct cs_uniformlog *m)
{
	double now_s = 0, gap = asks(t, m) / (m->load * m->nodes);
	struct cs_rng r;

	cs_rng_init(&r, m->seed, 2);
	for (size_t i = 0; i < t->n; i++) {
		t->job[i].submit_us = (int64_t)now_s * 1000000;
		now_s += cs_draw_exponential(&r, gap);
	}
}

int cs_uniformlog_generate(struct cs_trace *ret, const struct cs_uniformlog *m,
			   struct cs_err *err)
{
	struct cs_trace t = { 0 };
	struct cs_rng r;

	if (!m->nodes || !m->jobs)
		return cs_err_set(err, -EINVAL,
				  "no nodes or no jobs, expected 1 at least");
	if (!(m->load >= .001 && m->load <= 1000))
		return cs_err_set(err, -EINVAL,
				  "load is %g, expected 0.001 to 1000",
				  m->load);
	t.job = calloc(m->jobs, sizeof(*t.job));
	if (!t.job)
		return cs_err_set(err, -ENOMEM, "no memory for %u jobs",
				  m->jobs);
	cs_rng_init(&r, m->seed, 1);
	while (t.n < m->jobs) {
		job(&t.job[t.n], &r, m);
		t.n++;
		t.job[t.n - 1].id = (uint32_t)t.n;
	}
	arrive(&t, m);
	*ret = t;
	return 0;
}
