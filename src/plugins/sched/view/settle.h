/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that come back, after a delay.
 *
 * A node that was unknown, down or silent may still run jobs that were requeued
 * when it failed.  Slurm ends those when the node registers, so it takes no
 * start for CS_SETTLE_US from the first look that finds it up again.
 *
 *	looks	  |    |    |         |    |    |
 *	node	--up--|....absent....|------up--------
 *	settling			|=========|
 *
 * Nodes are known by name: one that has another index, or came back to the table, goes on
 * from its state; of those that are not in the table the last CS_SETTLE_GONE that left it
 * while absent or settling are remembered.  One never seen before is settled: nothing of
 * ours can run there.  A view that follows another (the engine was rebuilt) continues from
 * its state.  The first view takes all as settled: feed.c, rule 8.
 *
 * Times are the engine's: they never go back, and after a step back of the wall
 * clock go at half the rate (clock.h), so the time may double.  No Slurm here.
 */
#ifndef CS_SCHED_VIEW_SETTLE_H
#define CS_SCHED_VIEW_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#define CS_SETTLE_US INT64_C(3000000)
#define CS_SETTLE_GONE 1024

struct cs_machine;

struct cs_settle {
	uint32_t n;	   /* nodes; 0: nothing known */
	uint64_t *name;	   /* [n] hashes, to recognise a node */
	bool *absent;	   /* [n] at the last look */
	int64_t *until_us; /* [n] when it has settled, or 0 */
	/* those that left: the last ones, the oldest is overwritten */
	uint64_t gone[CS_SETTLE_GONE];
	uint32_t n_gone; /* so far */
};

void cs_settle_done(struct cs_settle *s);
/* Make empty *@s a copy.  0, -ENOMEM. */
int cs_settle_copy(struct cs_settle *s, const struct cs_settle *from);
/* Adapt it to the nodes of @m.  0, -ENOMEM. */
int cs_settle_fit(struct cs_settle *s, const struct cs_machine *m);

/* A look at @now_us finds @node usable (@up), @absent, or neither (drained).
 * Returns until when it takes no start; 0: it may. */
int64_t cs_settle_look(struct cs_settle *s, uint32_t node, bool up, bool absent,
		       int64_t now_us);

#endif
