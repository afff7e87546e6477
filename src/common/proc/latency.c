/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rescheduling latency, measured by a node of itself.
 *
 * Problem.  A process waits for a peer on another node.  How soon that one runs again
 * depends on how many processes its node has to run first, and for how long each.
 *
 * Symbols.
 *	ED	ed_ns	mean CPU time of a process between two switches, ns
 *	w	weight	share of the last stay in ED
 *	CNP	cnp	processes with unread messages, without the current one
 *	lambda	rate	insertions into the highest level of the ready queue, 1/ns
 *	ANP		processes that join while those CNP run
 *	ENP	enp	processes that run before the current one does again
 *
 * Rule.
 *	ED(k) = w * stay(k) + (1 - w) * ED(k - 1),  ED(0) = 0		(1)
 *	ANP = CNP * lambda * ED,  ENP = CNP + ANP			(2)
 *	resched_lat = ED * ENP + (ceil(ENP) + 1) * switching_cost	(3)
 *
 * at each switch k.  lambda is smoothed as ED is, from the insertions and the time
 * between two switches; of switches at one instant the last one counts them all.
 *
 * Source: Yu07, section 3.2.
 *
 * Differs.
 *  1. The paper does not say how lambda is measured.  Here as above: the same weight, no
 *     window to choose, no exp().
 *  2. "The last execution duration" of an idle CPU is undefined.  Here idle is no stay.
 *
 * Example.  w = .2, stays of 10, 20 and 5: ED = 2, 5.6, 5.48.  With CNP = 2 and lambda *
 * ED = .5 ENP is 3; a switch costs 1: resched_lat = 5.48 * 3 + 4 = 20.44.
 *
 * Invariants: ED, lambda and ENP are finite and never negative.
 * Cost: O(1); two multiplications a switch.
 * Known weakness: ED starts at 0, so that the first latencies are too short.
 */
#include "proc/latency.h"

#include <math.h>
#include <string.h>

void cs_proc_node_init(struct cs_proc_node *n, double weight, int64_t now_ns)
{
	memset(n, 0, sizeof(*n));
	n->weight = weight;
	n->switched_ns = now_ns;
}

void cs_proc_node_insert(struct cs_proc_node *n)
{
	n->inserted++;
}

/* @last and the mean so far, weighted. */
static double smooth(const struct cs_proc_node *n, double last, double mean)
{
	return n->weight * last + (1 - n->weight) * mean;
}

void cs_proc_node_switch(struct cs_proc_node *n, int64_t stay_ns,
			 int64_t now_ns)
{
	int64_t since_ns = now_ns - n->switched_ns;

	if (stay_ns >= 0)
		n->ed_ns = smooth(n, (double)stay_ns, n->ed_ns);
	if (since_ns <= 0)
		return;
	n->rate = smooth(n, n->inserted / (double)since_ns, n->rate);
	n->switched_ns = now_ns;
	n->inserted = 0;
}

struct cs_proc_latency cs_proc_node_latency(const struct cs_proc_node *n,
					    uint32_t cnp)
{
	return (struct cs_proc_latency){
		.ed_ns = n->ed_ns,
		.enp = cnp + cnp * n->rate * n->ed_ns,
	};
}

double cs_proc_latency_ns(const struct cs_proc_latency *l, double switching_ns)
{
	return l->ed_ns * l->enp + (ceil(l->enp) + 1) * switching_ns;
}
