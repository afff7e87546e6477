/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PROC: which of several processes with pending messages runs next (a boost conflict),
 * by the rescheduling latencies of the nodes that sent them.  The theory is in
 * reorder.c.
 *
 * Pure: no clock, no allocation in the decision, nothing but the arguments.  The
 * simulator and a node's agent use the same functions.
 */
#ifndef CS_PROC_REORDER_H
#define CS_PROC_REORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proc/latency.h"

#define CS_PROC_NONE UINT32_MAX

/* A message that has arrived and was not read. */
struct cs_proc_pending {
	uint32_t process;   /* whose: a row of the process table */
	uint32_t source;    /* the node that sent it */
	int64_t arrived_ns; /* on the receiver's clock */
};

/* What is known of a node: an entry of the global table (GT). */
struct cs_proc_global {
	struct cs_proc_latency l; /* sent with the node's last message */
	int64_t at_ns;		  /* its arrival: T; < 0: none has come */
};

/* The same for one process and one source: an entry of the process table (PT). */
struct cs_proc_entry {
	double enp;
	int64_t at_ns;
};

struct cs_proc_tables {
	uint32_t n_node, n_process;
	struct cs_proc_global *global; /* [n_node] */
	struct cs_proc_entry *process; /* [n_process][n_node] */
};

/* Tables of a node that hears from @n_node nodes and runs @n_process processes.  0,
 * -ENOMEM. */
int cs_proc_tables_init(struct cs_proc_tables *t, uint32_t n_node,
			uint32_t n_process);
void cs_proc_tables_done(struct cs_proc_tables *t);

/* Process @process has ended: its row is free for another.  O(n_node). */
void cs_proc_tables_forget(struct cs_proc_tables *t, uint32_t process);

/*
 * Message @m arrived with latency @l of the node that sent it.  0; -EINVAL, nothing
 * changed: process or source out of range, or a number that is no latency (not finite, or
 * negative), since messages come from other hosts.
 */
int cs_proc_tables_arrived(struct cs_proc_tables *t,
			   const struct cs_proc_pending *m,
			   const struct cs_proc_latency *l);

/*
 * Algorithm 1: the process that should run next at @now_ns, of those that the @n
 * messages of @pending belong to, in any order; CS_PROC_NONE without messages.  Brings
 * the entries of their sources up to date, as the paper does: calling it again for the
 * same instant changes nothing.  All messages must have passed cs_proc_tables_arrived().
 * O(n).
 */
uint32_t cs_proc_reorder(struct cs_proc_tables *t,
			 const struct cs_proc_pending *pending, size_t n,
			 int64_t now_ns);

/* How many processes have messages in @pending: 2 or more are a boost conflict.  Only
 * whether it is 0, 1 or more is told: 2 stands for all more.  O(n). */
unsigned cs_proc_conflict(const struct cs_proc_pending *pending, size_t n);

/*
 * Was it a false decision to let @chosen run next: did none of its pending messages come
 * from a least contended node?  @latency_ns[@node]: what an oracle, or later knowledge,
 * says of each node at that instant.  Of the sources of @pending all nodes with the
 * least latency are least contended.  O(n).
 */
bool cs_proc_false(const struct cs_proc_pending *pending, size_t n,
		   uint32_t chosen, const double *latency_ns);

/* A node's counts, and the ratios of Yu07, section 4.2. */
struct cs_proc_counts {
	uint64_t switches;
	uint64_t conflicts; /* switches that found a boost conflict */
	uint64_t falses;    /* conflicts with a false decision */
};

/* BCR, from 0 to 1: conflicts by switches; 0 without any. */
static inline double cs_proc_counts_bcr(const struct cs_proc_counts *c)
{
	return c->switches ? (double)c->conflicts / (double)c->switches : 0;
}

/* FDR, from 0 to 1: false decisions by conflicts; 0 without any. */
static inline double cs_proc_counts_fdr(const struct cs_proc_counts *c)
{
	return c->conflicts ? (double)c->falses / (double)c->conflicts : 0;
}

#endif
