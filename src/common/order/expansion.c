/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order=expansion: the largest expansion factor first.
 *
 * Problem.  By arrival, a job of a minute waits behind jobs of a day.  Shortest first
 * gives the least mean response, but a long job may wait for ever.
 *
 * Symbols	C name			unit
 *   w		now - eligible_us	us, waiting so far
 *   p		takes_us()		us, what it takes
 *   c		cores			hardware threads
 *   x		expansion		1
 *
 * Rule.  Of one precedence and partition tier the largest
 *
 *	x = c w / p							(1)
 *
 * is first; the expansion factor of a job that would start now is 1 + w / p.  While all
 * wait, x of each grows as 1 / p: short jobs soon pass long ones that came before them,
 * and every job passes, in time, those that came long after it.
 *
 * p is the estimate; with learn=use the shorter time that runs of its group took alone
 * (past.c, rule 3).  It sorts only: promises and limits go by estimates.
 *
 * Why c.  Wide jobs have to wait until enough nodes are free at once, and each job that
 * passes them leaves the machine in smaller pieces; once the narrow ones are gone,
 * nothing fills the gaps between the wide ones.  So with less weight for the width the mean is as
 * good or better while the machine has rest, and far worse after months without: with
 * sqrt(c) the worst of 20 traces of 240 days at load .9 had 70 % more mean response than
 * EASY, with c 33 % (means -1.8 and -10.6 %; cover+, the measured table); at .8 -7.6 and
 * -9.4, at 1 -36 and -45 %.  Real logs have such rest (mean wait with powers 1/2, 3/4, 1
 * and head_slack 1.2: KTH 1.33, 1.35, 1.36 h, SDSC 3.9, 3.9, 4.0, CTC 2.7, 2.9, 3.0; EASY
 * 1.9, 5.7, 3.9).
 *
 * Source: LXF-backfill: Zotkin and Keleher, Job-Length Estimation and Performance in
 * Backfilling Schedulers, HPDC 1999; Chiang, Arpaci-Dusseau and Vernon, The Impact of
 * More Accurate Requested Runtimes on Production Job Scheduling Performance, JSSPP 2002.
 *
 * Differs: c is ours, and so are tiers.  With backfill=easy the guard against
 * starvation is the head's promise (easy.c, rule 6) and that x grows.
 *
 * Numbers: x as of the last refresh, so that the order cannot change in between; a job
 * that has come since is behind all others until the next, at the start of a decide.
 *
 * Cost: O(waiting) a decide, and a sort and a whole pass if a job has moved: with many
 * waiting that is nearly every decide.
 *
 * Known weakness: of a group never seen, by its user's limit.
 */
#include "order/expansion.h"

#include "job/lesson.h"
#include "order/order.h"
#include "order/queue.h"

static int64_t takes_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t known = e->params.learn == CS_LEARN_USE && j->lesson
				? j->lesson->alone_us
				: 0;

	return known && known < j->job.estimate_us ? known : j->job.estimate_us;
}

/* Equation (1). */
static double expansion_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t waited_us = e->now_us - j->job.eligible_us;

	return waited_us > 0 ? (double)waited_us / (double)takes_us(e, j) *
				       (double)j->job.procs *
				       (double)j->job.cpus_per_proc
			     : 0;
}

static bool refresh(struct cs_engine *e)
{
	for (size_t i = 0; i < e->waiting.n; i++)
		e->waiting.job[i]->expansion =
			expansion_of(e, e->waiting.job[i]);
	return cs_order_ranked(e);
}

static int by_expansion(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	int c = cs_order_by_precedence(a, b);

	if (c)
		return c;
	if (a->job->expansion != b->job->expansion)
		return a->job->expansion > b->job->expansion ? -1 : 1;
	return cs_order_by_time(a, b);
}

static cs_cmp_fn *cmp(const struct cs_params *p)
{
	(void)p;
	return by_expansion;
}

const struct cs_order_ops cs_order_expansion = { .cmp = cmp,
						 .ranks_as = "expansion",
						 .refresh = refresh };
