/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host refused, and when it is asked again.  The theory is in refused.c.
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
	bool idle;    /* rule 6: offer idle nodes only, if there are enough */
	enum cs_refused class; /* of the last one */
	int64_t retry_us;      /* retry then, ... */
	uint64_t epoch;	       /* ... or, unless TIMED, once e->epoch differs */
	char why[96];	       /* what the host said */
};

/* Room for the refusals of @j.  0, -ENOMEM. */
int cs_refused_reserve(struct cs_ejob *j);
/* A start of @j in partition @option was refused; there is room. */
void cs_refused_note(struct cs_engine *e, struct cs_ejob *j, uint32_t option,
		     enum cs_refused class, const char *why);
/* It started there: the next refusal is the first. */
void cs_refused_started(struct cs_ejob *j, uint32_t option);
/* The model cannot place it at all: the host's own test does (rule 3).  False: it
 * does already, or no memory. */
bool cs_refused_by_model(struct cs_engine *e, struct cs_ejob *j,
			 uint32_t option);
/* Waiting @j has a new description instead of @was: forget its refusals if its request
 * has changed. */
void cs_refused_changed(struct cs_engine *e, struct cs_ejob *j,
			const struct cs_job *was);
/* Is it left to the host's own test by rule 2 or 3, not by request? */
bool cs_refused_left(const struct cs_ejob *j, uint32_t option);
/* Its refusals in that partition; NULL: none. */
const struct cs_refusals *cs_refused_of(const struct cs_ejob *j,
					uint32_t option);
/* Is it too early to propose it again there? */
bool cs_refused_holds(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option);
/* Rule 5: an exact start of @j is proposed. */
void cs_refused_exact(struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option);
/* Rule 5: may the host's own test be asked once more, for @j?  True: it is. */
bool cs_refused_may_ask(struct cs_engine *e, struct cs_ejob *j,
			uint32_t option);
/* Has it refused all it may in this second? */
bool cs_refused_spent(const struct cs_engine *e);
/* The host was not asked for @j after all, or started it: uncount it. */
void cs_refused_unasked(struct cs_engine *e, const struct cs_ejob *j);
/* When it may be again; CS_TIME_NONE: now. */
int64_t cs_refused_asks_us(const struct cs_engine *e);
/* The next instant after now at which a refusal of @j ends by itself. */
int64_t cs_refused_ends_us(const struct cs_engine *e, const struct cs_ejob *j);

#endif
