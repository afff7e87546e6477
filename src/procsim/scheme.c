/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schemes of implicit coscheduling.
 *
 *	scheme	sender	receiver	on a message			at a switch
 *	LOCAL	spins	spins		nothing				TS
 *	DCS	spins	spins		interrupt, boost		TS
 *	PB	spins	spins		boost by turns, every 1 ms	TS
 *	PROC-S	spins	spins		Algorithm 1, every 1 ms		TS
 *	SB	spins	spins, blocks	interrupt, boost		TS
 *	IB	spins	blocks		interrupt, boost		TS
 *	HYBRID	blocks	blocks		interrupt			collectives first
 *	PROC-B	blocks	blocks		interrupt, boost		Algorithm 1
 *	FIFO	blocks	blocks		interrupt, boost		earliest message
 *	RANDOM	blocks	blocks		interrupt, boost		any of them
 *	GS	spins	spins		nothing				its row's process
 *	BATCH	spins	spins		nothing				alone
 *
 * "TS" is the first process of the ready queue (ts.c).  The interface raises an interrupt
 * under DCS for a process that does not run, else for one that is blocked until this
 * message arrives.  PB does not boost over a process that has messages itself.  HYBRID
 * gives a process the highest level while it is in a collective communication (process.c,
 * rule 6).  FIFO and RANDOM are PROC-B without Algorithm 1 and its costs: they show what
 * order alone does.
 *
 * Source: Yu07, table 1 and section 3.3; FIFO and RANDOM are ours.
 */
#include "procsim/scheme.h"

#include <stddef.h>
#include <strings.h>

static const struct cs_scheme schemes[] = {
	{ .name = "LOCAL" },
	{ .name = "DCS", .interrupt = CS_INTERRUPT_MISMATCH, .boost = true },
	{ .name = "PB", .period = CS_PERIOD_ROUND_ROBIN },
	{ .name = "PROC-S", .period = CS_PERIOD_REORDER },
	{ .name = "SB",
	  .receiver = CS_WAIT_SPIN_BLOCK,
	  .interrupt = CS_INTERRUPT_BLOCKED,
	  .boost = true },
	{ .name = "IB",
	  .receiver = CS_WAIT_BLOCK,
	  .interrupt = CS_INTERRUPT_BLOCKED,
	  .boost = true },
	{ .name = "HYBRID",
	  .sender = CS_WAIT_BLOCK,
	  .receiver = CS_WAIT_BLOCK,
	  .interrupt = CS_INTERRUPT_BLOCKED,
	  .choice = CS_CHOICE_COLLECTIVE },
	{ .name = "PROC-B",
	  .sender = CS_WAIT_BLOCK,
	  .receiver = CS_WAIT_BLOCK,
	  .interrupt = CS_INTERRUPT_BLOCKED,
	  .boost = true,
	  .choice = CS_CHOICE_REORDER },
	{ .name = "FIFO",
	  .sender = CS_WAIT_BLOCK,
	  .receiver = CS_WAIT_BLOCK,
	  .interrupt = CS_INTERRUPT_BLOCKED,
	  .boost = true,
	  .choice = CS_CHOICE_ARRIVAL },
	{ .name = "RANDOM",
	  .sender = CS_WAIT_BLOCK,
	  .receiver = CS_WAIT_BLOCK,
	  .interrupt = CS_INTERRUPT_BLOCKED,
	  .boost = true,
	  .choice = CS_CHOICE_RANDOM },
	{ .name = "GS", .space = CS_SPACE_ROWS },
	{ .name = "BATCH", .space = CS_SPACE_ALONE },
};

const struct cs_scheme *cs_scheme_at(unsigned i)
{
	return i < sizeof(schemes) / sizeof(*schemes) ? &schemes[i] : NULL;
}

const struct cs_scheme *cs_scheme_named(const char *name)
{
	const struct cs_scheme *s;

	for (unsigned i = 0; (s = cs_scheme_at(i)); i++)
		if (!strcasecmp(s->name, name))
			return s;
	return NULL;
}
