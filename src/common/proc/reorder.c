/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PROC: process reordering at a boost conflict.
 *
 * Problem.  Several processes of a node have messages to read.  The one that runs now
 * can meet its peer if that one runs again soon; the others' peers should be those that
 * wait for long anyway.
 *
 * Symbols (latency.c has ED, ENP).
 *	GT	global		per node: ED, ENP and T of the last message from it
 *	PT	process		per process and node: ENP and T
 *	T	at_ns		arrival of the message that brought the numbers, ns
 *	t	now_ns		now
 *	ERL			time until the sender of a message runs again, ns
 *
 * Rule.  For each pending message of process i from node s, if PT[i][s].T < GT[s].T:
 *	PT[i][s].ENP -= (GT[s].T - PT[i][s].T) / GT[s].ED		(line 9)
 *	PT[i][s].ENP = min(PT[i][s].ENP, GT[s].ENP)			(10 to 12)
 *	PT[i][s].T = GT[s].T						(13)
 * and always
 *	ERL = GT[s].ED * PT[i][s].ENP - (t - PT[i][s].T)		(15)
 * The process with the least ERL of all messages runs next.
 *
 * Source: Yu07, section 3.3, algorithm 1 (the numbers are its lines).
 *
 * Differs.
 *  1. Line 9 would make ENP negative once the sender's queue has been worked off, and an
 *     old message ever more urgent.  Here it stops at 0.
 *  2. Line 9 divides by ED, which is 0 until the sender's first switch.  Then it is left
 *     out.
 *  3. Of equal ERLs the paper takes the first one found.  Here the earliest arrival wins,
 *     then the lower number of the process, so that the order of the messages means
 *     nothing.
 *  4. Line 15 has no switching costs, equation (3) of latency.c has them; both are as
 *     printed.  An ERL may be negative.
 *
 * Example.  Node 1 has sent ED = 4, ENP = 3 at T = 0 to process 0, and ED = 4, ENP = 2
 * at T = 8 to process 1.  At t = 10 line 9 makes PT[0][1].ENP = 3 - 8/4 = 1, which is
 * below GT's 2, and T = 8: ERL = 4 * 1 - 2 = 2.  For process 1 it is 4 * 2 - 2 = 6:
 * process 0 runs next.
 *
 * Invariants: ENP is never negative; PT[i][s].T <= GT[s].T; the result does not depend on
 * the order of the messages.
 *
 * Cost: O(messages), a few operations each.
 * Known weakness: knowledge of a node is as old as its last message; of two processes
 * that wait for the same node the one that was told of a shorter queue goes first.
 */
#include "proc/reorder.h"

#include <errno.h>
#include <stdlib.h>

#define NEVER (INT64_MIN / 2) /* so that spans since then are numbers */

int cs_proc_tables_init(struct cs_proc_tables *t, uint32_t n_node,
			uint32_t n_process)
{
	*t = (struct cs_proc_tables){ .n_node = n_node,
				      .n_process = n_process };
	t->global = calloc(n_node ? n_node : 1, sizeof(*t->global));
	if (n_process <= SIZE_MAX / (n_node ? n_node : 1))
		t->process = calloc((size_t)n_process * n_node + 1,
				    sizeof(*t->process));
	if (!t->global || !t->process) {
		cs_proc_tables_done(t);
		return -ENOMEM;
	}
	for (uint32_t s = 0; s < n_node; s++)
		t->global[s].at_ns = NEVER;
	for (uint32_t i = 0; i < n_process; i++)
		cs_proc_tables_forget(t, i);
	return 0;
}

void cs_proc_tables_done(struct cs_proc_tables *t)
{
	free(t->global);
	free(t->process);
	*t = (struct cs_proc_tables){ 0 };
}

/* PT[@process][@source]. */
static struct cs_proc_entry *entry_of(const struct cs_proc_tables *t,
				      uint32_t process, uint32_t source)
{
	return &t->process[(size_t)process * t->n_node + source];
}

void cs_proc_tables_forget(struct cs_proc_tables *t, uint32_t process)
{
	for (uint32_t s = 0; s < t->n_node; s++)
		*entry_of(t, process, s) =
			(struct cs_proc_entry){ .at_ns = NEVER };
}

/* Finite and not negative. */
static bool is_amount(double x)
{
	return x >= 0 && x <= 1e18;
}

int cs_proc_tables_arrived(struct cs_proc_tables *t,
			   const struct cs_proc_pending *m,
			   const struct cs_proc_latency *l)
{
	if (m->process >= t->n_process || m->source >= t->n_node ||
	    !is_amount(l->ed_ns) || !is_amount(l->enp))
		return -EINVAL;
	t->global[m->source] =
		(struct cs_proc_global){ .l = *l, .at_ns = m->arrived_ns };
	*entry_of(t, m->process, m->source) =
		(struct cs_proc_entry){ .enp = l->enp, .at_ns = m->arrived_ns };
	return 0;
}

/* Lines 8 to 14. */
static void bring_up(struct cs_proc_entry *p, const struct cs_proc_global *g)
{
	if (p->at_ns >= g->at_ns)
		return;
	if (g->l.ed_ns > 0)
		p->enp -= (double)(g->at_ns - p->at_ns) / g->l.ed_ns;
	if (p->enp < 0)
		p->enp = 0;
	if (p->enp > g->l.enp)
		p->enp = g->l.enp;
	p->at_ns = g->at_ns;
}

/* Does @a, of latency @erl, go before @b, of latency @least? */
static bool is_first(const struct cs_proc_pending *a, double erl,
		     const struct cs_proc_pending *b, double least)
{
	if (erl != least)
		return erl < least;
	if (a->arrived_ns != b->arrived_ns)
		return a->arrived_ns < b->arrived_ns;
	return a->process < b->process;
}

uint32_t cs_proc_reorder(struct cs_proc_tables *t,
			 const struct cs_proc_pending *pending, size_t n,
			 int64_t now_ns)
{
	const struct cs_proc_pending *next = NULL;
	double least = 0;

	for (size_t k = 0; k < n; k++) {
		const struct cs_proc_pending *m = &pending[k];
		const struct cs_proc_global *g = &t->global[m->source];
		struct cs_proc_entry *p = entry_of(t, m->process, m->source);
		double erl;

		bring_up(p, g);
		erl = g->l.ed_ns * p->enp - (double)(now_ns - p->at_ns);
		if (!next || is_first(m, erl, next, least)) {
			next = m;
			least = erl;
		}
	}
	return next ? next->process : CS_PROC_NONE;
}

unsigned cs_proc_conflict(const struct cs_proc_pending *pending, size_t n)
{
	for (size_t k = 1; k < n; k++)
		if (pending[k].process != pending[0].process)
			return 2;
	return n > 0;
}

bool cs_proc_false(const struct cs_proc_pending *pending, size_t n,
		   uint32_t chosen, const double *latency_ns)
{
	double least = 0, own = 0;
	bool any = false, has = false;

	for (size_t k = 0; k < n; k++) {
		double of = latency_ns[pending[k].source];

		if (!any || of < least)
			least = of;
		any = true;
		if (pending[k].process != chosen)
			continue;
		if (!has || of < own)
			own = of;
		has = true;
	}
	return any && (!has || own > least);
}
