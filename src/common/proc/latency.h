/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rescheduling latency of a node: how long until the process that runs there now
 * runs again.  A node measures it of itself and sends it along with every message; the
 * theory is in latency.c.
 *
 * Time is in nanoseconds, of any clock that never goes back; it is always an argument.
 * Nothing here allocates or fails.
 */
#ifndef CS_PROC_LATENCY_H
#define CS_PROC_LATENCY_H

#include <stdint.h>

#define CS_PROC_WEIGHT 0.2 /* w of Yu07, section 3.2 */

/* What a node sends about itself. */
struct cs_proc_latency {
	double ed_ns; /* ED: mean stay of a process on the CPU; >= 0 */
	double enp; /* ENP: processes that run before the current one does; >= 0 */
};

/* What a node measures; the fields are read only through the functions. */
struct cs_proc_node {
	double weight;	     /* w, 0 to 1: share of the last stay in ED */
	double ed_ns;	     /* ED; 0 before the first stay */
	double rate;	     /* lambda: insertions a nanosecond, smoothed */
	int64_t switched_ns; /* the instant of the last switch */
	uint32_t inserted;   /* insertions since */
};

/* @weight from 0 to 1. */
void cs_proc_node_init(struct cs_proc_node *n, double weight, int64_t now_ns);

/* A process was put into the queue of the highest level: a message or the end of its I/O
 * made it ready, or its priority was boosted. */
void cs_proc_node_insert(struct cs_proc_node *n);

/*
 * A switch at @now_ns, which is not before the last one, to a process or to none.
 * @stay_ns >= 0: CPU time of the process that stops running, spinning included; -1: none
 * ran, and an idle CPU is no stay.
 */
void cs_proc_node_switch(struct cs_proc_node *n, int64_t stay_ns,
			 int64_t now_ns);

/* What the node sends while @cnp processes other than the current one have unread
 * messages (CNP). */
struct cs_proc_latency cs_proc_node_latency(const struct cs_proc_node *n,
					    uint32_t cnp);

/* Equation (3), in nanoseconds; a switch costs @switching_ns (>= 0). */
double cs_proc_latency_ns(const struct cs_proc_latency *l, double switching_ns);

#endif
