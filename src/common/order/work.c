/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order=work: early who asks for much work, or for little time.
 *
 * Problem.  By arrival EASY's promise is mostly a small job's.  Large jobs, for which
 * room is rare, and on one site rarer, meet a machine in small pieces: they wait longest
 * or are split, and theirs is most of the work.  Largest first would be the cure, but
 * lets the others wait without a bound, and jobs of minutes for days.
 *
 * Symbols	C name			unit
 *   s		eligible_us		us, when it came
 *   P		cores			1
 *   N		all			1, cores of the machine
 *   r		estimate_us		us, one that nothing slows
 *   t		arrival_us			us
 *
 * Rule.  Of one precedence and partition tier the least
 *
 *	t = s - AHEAD P r / N - (r <= SHORT_US ? LEAD_US : 0)		(1)
 *
 * is first: as if it had come earlier by 16 times what the whole machine would take for
 * its work, and by half a day if it asks for an hour at most.
 *
 * Bound.  Those that go before a job came at most 16 P r / N, P and r theirs, and half a
 * day after it: with limits nobody waits for ever to be the head.
 *
 * Example: a machine of 4 cores.  A job of 4 cores and 2 h that comes at 10 h has its
 * turn at 10 - 32 = -22 h, one of 1 core and 2 h at 0 h at -8 h, one of 1 core and 1 h
 * at 7 h at 7 - 4 - 12 = -9 h: they go first, last, second.
 *
 * Why.  Where responses count by work (AWRT), every job has the same worth for its work,
 * and while one machine is full the order does not matter.  What matters is what stays
 * idle and what crosses, and large jobs decide both.  Jobs of an hour at most are 38 % of
 * CTC's, with 2 % of the work: their lead costs little, and keeps the slowdown that being
 * passed by large ones means for them low.
 *
 * Source: ours; the values and what came of them: doc/results/multisite.md.
 *
 * Cost: O(waiting + nodes) a decide; a job's turn is set once and for all while its
 * estimate and its cores stay.
 *
 * Known weakness: a job of more than an hour and little work waits longest, and where
 * splits fill the machine (m64-8, constant overhead) the mean slowdown is above that of
 * order=fcfs.
 */
#include "order/work.h"

#include "order/order.h"
#include "order/queue.h"

#define AHEAD 16
#define SHORT_US (INT64_C(3600) * 1000000)
#define LEAD_US (12 * SHORT_US)

/* Equation (1). */
static double arrival_us(const struct cs_job *j, double all)
{
	double cores = (double)j->procs * (double)j->cpus_per_proc;
	int64_t lead_us = j->estimate_us <= SHORT_US ? LEAD_US : 0;

	return (double)(j->eligible_us - lead_us) -
	       AHEAD * cores * (double)j->estimate_us / all;
}

static bool refresh(struct cs_engine *e)
{
	double all = (double)cs_machine_cores(e->machine);

	for (size_t i = 0; i < e->waiting.n; i++)
		e->waiting.job[i]->arrival_us =
			arrival_us(&e->waiting.job[i]->job, all);
	return cs_order_ranked(e);
}

static int by_arrival(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	int c = cs_order_by_precedence(a, b);

	if (c)
		return c;
	if (a->job->arrival_us != b->job->arrival_us)
		return a->job->arrival_us < b->job->arrival_us ? -1 : 1;
	return cs_order_by_time(a, b);
}

static cs_cmp_fn *cmp(const struct cs_params *p)
{
	(void)p;
	return by_arrival;
}

const struct cs_order_ops cs_order_work = { .cmp = cmp, .refresh = refresh };
