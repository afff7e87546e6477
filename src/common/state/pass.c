/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A walk over the queue that has paused, and what happens meanwhile.
 *
 * Rules.
 *  1. Answers to what the walk proposed (a start confirmed or refused, the limit that
 *     the host gave it) let it continue at its entry.  What they change (a start
 *     that is confirmed may be joined, a refused one gives its cores back) is known to
 *     the jobs behind, as it would be to the next walk had there been no pause.  A new
 *     walk follows when it has ended (engine->rescan).
 *  2. Any other event (a submit, an end, a node) ends it: the next decide begins at the
 *     head.  So a walk is given up only by news from outside; a host that brings none
 *     in gets every walk to its end, however many pauses it makes.
 *  3. An entry that leaves the queue meanwhile moves those behind it up.  Entries that
 *     come to its end are not in this walk.
 */
#include "state/pass.h"

void cs_pass_heard(struct cs_engine *e, const struct cs_event *ev)
{
	struct cs_pass *p = e->pass;
	bool answer = (ev->type == CS_EV_STARTED && ev->start->seq) ||
		      ev->type == CS_EV_REFUSED || ev->type == CS_EV_LIMIT ||
		      (ev->type == CS_EV_TICK && !ev->freed);

	p->open &= answer;
	p->heard = p->answered = true;
}

void cs_pass_left(struct cs_pass *p, size_t at)
{
	if (at >= p->n)
		return;
	for (size_t i = at; p->beyond && i + 1 < p->n; i++)
		cs_bit_put(p->beyond, (uint32_t)i, cs_pass_beyond(p, i + 1));
	p->n--;
	if (at < p->i)
		p->i--;
	else if (at == p->i)
		p->again = false;
}
