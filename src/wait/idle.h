/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a rank may sleep: a decision at each idle pass of its MPI library's progress
 * loop.  The theory is in idle.c.
 *
 * Pure: no clock, no system call.  Time is in nanoseconds, of a clock that never goes
 * back, and always an argument.
 */
#ifndef CS_WAIT_IDLE_H
#define CS_WAIT_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "wait/mode.h"

#define CS_IDLE_PASSES 2	       /* idle passes in a row before a sleep */
#define CS_IDLE_GAP_NS INT64_C(100000) /* longer between passes: it computed */
#define CS_IDLE_STIR_NS INT64_C(2000)  /* longer: it may have sent something */
#define CS_IDLE_FD_NS INT64_C(20000000)	  /* the longest sleep on descriptors */
#define CS_IDLE_BLIND_NS INT64_C(1000000) /* the longest sleep without */

/* The wait of a rank; the fields are read only through the functions.  Zeroed: it has
 * not waited yet. */
struct cs_idle {
	int64_t since_ns; /* the first idle pass of this wait */
	int64_t last_ns;  /* the end of the last idle pass */
	unsigned passes;  /* idle passes of this wait, up to CS_IDLE_PASSES */
	bool received;	  /* a message came since the last idle pass */
};

enum cs_idle_do {
	CS_IDLE_RETURN, /* another pass of the library */
	CS_IDLE_YIELD,	/* yield the core, then another pass */
	CS_IDLE_SLEEP	/* sleep at most max_ns, then another pass */
};

struct cs_idle_step {
	enum cs_idle_do what;
	int64_t max_ns;
	bool stir; /* peers may wait for what was sent since the last pass */
};

/* The library received a message, or a doorbell rang. */
void cs_idle_received(struct cs_idle *w);

/*
 * An idle pass at @now_ns.  @seen: every message that may arrive ends a sleep, since
 * descriptors stand for all peers.
 */
struct cs_idle_step cs_idle_pass(struct cs_idle *w,
				 const struct cs_wait_setting *s,
				 int64_t now_ns, bool seen);

/* What the step asked for is done; the library gets another pass. */
void cs_idle_done(struct cs_idle *w, int64_t now_ns);

#endif
