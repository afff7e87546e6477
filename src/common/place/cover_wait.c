/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A head that waits for the nodes of its cover: rule 5 of cover.c.
 *
 * Problem.  A cover takes m_a empty nodes at once, and a full machine seldom has them: a
 * head starts on its n_a full nodes as soon as these are free.  Promised the m_a nodes
 * instead, it starts later, and what it and its partners save goes to all who wait.
 *
 * Symbols	C name		unit
 *   n_a, m_a	dense, shape.nodes	nodes on full nodes alone; spread (cover.c)
 *   L		later		us, how much later it would end than alone
 *   G		gain		1, (1) of cover.c with the best partners, less 1
 *   T		run_us		us, its run time beside them
 *   Q, N	waiting, n_there jobs that wait for resources; nodes of the machine
 *
 * Rules, for a head that finds no cover now.
 *  1. Partners are chosen on paper as for (1) of cover.c, whatever nodes are free; these
 *     must cover the fraction `cover` and gain cover_gain.
 *  2. It waits if
 *
 *	L <= cover_wait Q G m_a T / N				(1)
 *
 *     The cover saves G m_a T node time, and a saved node second lets each of the Q
 *     waiting jobs start 1 / N seconds sooner: with cover_wait = 1, what all gain by it
 *     is what the head loses.  Estimates, several times the run times, make T too long;
 *     so less than 1 is right.
 *  3. Its response stays within head_slack of what it was predicted first (easy.c, rule
 *     6), so it waits at most that long, and not where head_slack is 1.
 *  4. If the m_a nodes are empty now and it has found no cover there, it does not wait.
 *
 * Source: ours.  Known weakness: (1) leaves out what the nodes that stay empty until
 * then could do; backfill uses them.  L goes by estimates: where limits are many times
 * the run times it forbids nearly all waits, and under head_slack > 1, which lets others
 * start on each node that comes free, m_a nodes are then seldom free together.  So few
 * pairs start, and of learn=use's trials half to a third of those with head_slack = 1.
 *
 * Preset balanced, whose slack is capped, has cover_wait=0.05: with .2 its mean response at
 * load .9 is 2 to 9 points longer under three of five truths, 2 shorter under one
 * (doc/results/truths.md).
 *
 * Cost: that of a cover without its layout, two promises, and O(waiting) for Q; heads only.
 */
#include "backfill/easy.h"
#include "job/alone.h"
#include "job/progress.h"
#include "job/site_room.h"
#include "place/attempt.h"
#include "place/cover_parts.h"

/* Q: the head, and who waits behind it only for resources. */
static double waiting(const struct cs_pass *p)
{
	size_t n;
	const struct cs_entry *behind = cs_attempt_behind(p, &n);
	double q = 1;

	for (size_t i = 0; i < n; i++)
		q += cs_attempt_ready(cs_attempt_engine(p), &behind[i]);
	return q;
}

/* (1): does it pay, if the head would end at @alone_end_us, or spread, after @run_us, at
 * @wide_end_us? */
static bool pays(const struct cs_pass *p, const struct cs_spread *s,
		 double gain, int64_t wide_end_us, int64_t alone_end_us,
		 int64_t run_us)
{
	const struct cs_engine *e = cs_attempt_engine(p);
	double later = (double)(wide_end_us - alone_end_us);
	double saved = (gain - 1) * s->shape.nodes * (double)run_us;

	return later <=
	       e->params.cover_wait * waiting(p) * saved / e->machine->n_there;
}

static bool may_wait(const struct cs_pass *p)
{
	const struct cs_engine *e = cs_attempt_engine(p);

	return e->params.cover_wait > 0 && e->params.head_slack > 1 &&
	       cs_attempt_is_head(p) && e->slice->n_sm == 1 &&
	       !e->slice->seat && !cs_site_rules(e);
}

bool cs_cover_waits(struct cs_pass *p, const struct cs_spread *s)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_ejob *j = s->entry->job;
	int64_t alone_us, wide_us, alone_run_us, run_us;
	struct cs_shape alone, wide = s->shape;
	double gain, cos;

	if (!may_wait(p) || s->shape.nodes <= s->dense ||
	    !cs_alone_shape(e, j, s->entry->option, &alone))
		return false;
	gain = cs_cover_on_paper(p, s, &cos);
	run_us = cs_spread_run_us(e, s, cos);
	if (gain < 1 + e->params.cover_gain || run_us == CS_TIME_NONE)
		return false;
	wide.kind = CS_SHAPE_SPACE;
	alone_run_us = cs_stretch_us(j->job.estimate_us,
				     cs_alone_factor(e, j, &alone));
	alone_us = cs_backfill_first_us(p, s->entry, &alone);
	wide_us = cs_backfill_first_us(p, s->entry, &wide);
	if (alone_us == CS_TIME_NONE || wide_us == CS_TIME_NONE ||
	    wide_us <= e->now_us ||
	    !pays(p, s, gain, cs_later_us(wide_us, run_us),
		  cs_later_us(alone_us, alone_run_us), run_us))
		return false;
	if (!cs_backfill_within_slack(p, s->entry, alone_us, alone_run_us,
				      cs_later_us(wide_us, run_us)))
		return false;
	p->awaits = s->entry;
	p->wide = wide;
	p->wide_run_us = run_us;
	return true;
}
