/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host has refused, and when it is asked again.  The theory is in
 * refused.c.
 */
#ifndef CS_JOB_REFUSED_H
#define CS_JOB_REFUSED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"

struct cs_ejob;
struct cs_engine;

/* Of a waiting job in one of its partitions. */
struct cs_refusals {
	uint32_t n;   /* in a row, of exact starts or of the host's own */
	bool by_host; /* rule 2: its own test places the job from now on */
	enum cs_refused class; /* of the last one */
	int64_t retry_us;      /* not again before, ... */
	uint64_t epoch; /* ... or, but for TIMED, before e->epoch is another */
	char why[96];	/* what the host said */
};

/* Room for what may be noted of @j.  0, -ENOMEM. */
int cs_refused_reserve(struct cs_ejob *j);
/* A start of @j in partition @option was refused; there is room. */
void cs_refused_note(struct cs_engine *e, struct cs_ejob *j, uint32_t option,
		     enum cs_refused class, const char *why);
/* It has started there: the next refusal is the first. */
void cs_refused_started(struct cs_ejob *j, uint32_t option);
/* The model cannot place it at all: the host's own test does (rule 3).  False: it
 * does already, or no memory. */
bool cs_refused_by_model(struct cs_engine *e, struct cs_ejob *j,
			 uint32_t option);
/* Waiting @j has the description @was no more (its own is new): what was refused
 * is forgotten, if it asks for anything else now. */
void cs_refused_changed(struct cs_engine *e, struct cs_ejob *j,
			const struct cs_job *was);
/* Does the host's own test place it there by rule 2 or 3, not by its wishes? */
bool cs_refused_left(const struct cs_ejob *j, uint32_t option);
/* Of the state in that partition; NULL: nothing was refused. */
const struct cs_refusals *cs_refused_of(const struct cs_ejob *j,
					uint32_t option);
/* Is it not yet to be proposed again there? */
bool cs_refused_holds(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option);
/* Rule 5: an exact start of @j is proposed. */
void cs_refused_exact(struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option);
/* Rule 5: may the host's own test be asked once more, for @j?  True: it is. */
bool cs_refused_may_ask(struct cs_engine *e, struct cs_ejob *j,
			uint32_t option);
/* Has it refused so many in this second that nobody else may be? */
bool cs_refused_spent(const struct cs_engine *e);
/* The host was not asked for @j in the end, or has started it: it counts no more. */
void cs_refused_unasked(struct cs_engine *e, const struct cs_ejob *j);
/* When it may be again; CS_TIME_NONE: now. */
int64_t cs_refused_asks_us(const struct cs_engine *e);
/* The next instant after now at which a refusal of @j ends by itself. */
int64_t cs_refused_ends_us(const struct cs_engine *e, const struct cs_ejob *j);

#endif
