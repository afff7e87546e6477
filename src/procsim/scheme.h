/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The schemes of coscheduling, as rows of one table; scheme.c explains them. */
#ifndef CS_PROCSIM_SCHEME_H
#define CS_PROCSIM_SCHEME_H

#include <stdbool.h>

/* What a process does that waits for a message, or for the interface to take one. */
enum cs_scheme_wait {
	CS_WAIT_SPIN,
	CS_WAIT_SPIN_BLOCK, /* spins for a while, then blocks */
	CS_WAIT_BLOCK
};

/* When the network interface raises an interrupt. */
enum cs_scheme_interrupt {
	CS_INTERRUPT_NONE,
	CS_INTERRUPT_MISMATCH, /* the message is for a process that does not run */
	CS_INTERRUPT_BLOCKED /* a blocked process waits for the message */
};

/* What a kernel thread does every period_us. */
enum cs_scheme_period {
	CS_PERIOD_NONE,
	CS_PERIOD_ROUND_ROBIN, /* boosts a process with pending messages, by turns */
	CS_PERIOD_REORDER      /* boosts the one that Algorithm 1 names */
};

/* Which of several ready processes with pending messages runs next. */
enum cs_scheme_choice {
	CS_CHOICE_TS,	      /* the first of the ready queue */
	CS_CHOICE_COLLECTIVE, /* one in a collective communication */
	CS_CHOICE_REORDER,    /* the one that Algorithm 1 names */
	CS_CHOICE_ARRIVAL,    /* the earliest message */
	CS_CHOICE_RANDOM
};

/* How jobs share nodes. */
enum cs_scheme_space {
	CS_SPACE_SHARED, /* up to mpl processes a node, each node by itself */
	CS_SPACE_ROWS,	 /* rows of Ousterhout's matrix, by turns */
	CS_SPACE_ALONE	 /* one process a node */
};

struct cs_scheme {
	const char *name;
	enum cs_scheme_wait sender, receiver;
	enum cs_scheme_interrupt interrupt;
	bool boost; /* the interrupt gives the process the highest level */
	enum cs_scheme_period period;
	enum cs_scheme_choice choice;
	enum cs_scheme_space space;
};

/* The scheme of name @name, in any case; NULL: none. */
const struct cs_scheme *cs_scheme_named(const char *name);
/* The scheme number @i, from 0; NULL: there are fewer. */
const struct cs_scheme *cs_scheme_at(unsigned i);

/* Does the scheme use Algorithm 1, at its costs? */
static inline bool cs_scheme_reorders(const struct cs_scheme *s)
{
	return s->choice == CS_CHOICE_REORDER || s->period == CS_PERIOD_REORDER;
}

#endif
