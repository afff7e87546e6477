/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What would start a waiting job sooner: the smallest change of its limit, memory,
 * layout or size, each tried in a copy of the engine.  The theory is in sooner.c.
 */
#ifndef CS_EXPLAIN_SOONER_H
#define CS_EXPLAIN_SOONER_H

#include "engine/engine.h"

enum cs_sooner_kind {			/* from what costs a user least on */
		      CS_SOONER_LIMIT,	/* a shorter time limit */
		      CS_SOONER_MEMORY, /* less memory per node or CPU */
		      CS_SOONER_LAYOUT, /* any nodes, instead of a number or layout */
		      CS_SOONER_EXCLUSIVE, /* beside others instead of --exclusive */
		      CS_SOONER_SIZE,	   /* fewer processes or nodes */
		      CS_SOONER_KINDS
};

/* One change, and its result if nothing else changes. */
struct cs_sooner {
	enum cs_sooner_kind kind;
	/* LIMIT: minutes; MEMORY: MB per node or CPU, as the job requests it; SIZE:
	 * nodes, or processes if the job requests no number of nodes */
	uint64_t value;
	bool rough; /* a smaller change may do: the steps ended before that was known */
	bool now;	  /* it starts at once, ... */
	int64_t start_us; /* ... or then at the latest */
};

struct cs_sooner_list {
	int64_t without_us; /* its promised start, unchanged; CS_TIME_NONE */
	uint32_t n;
	struct cs_sooner change[CS_SOONER_KINDS]; /* [n], the best first */
	uint32_t probes, decides; /* copies made; their decides */
	int64_t taken;		  /* steps */
};

/*
 * Find what would start waiting @job_id at least a minute sooner, or at once, into
 * @ret.  Nothing for a job that waits for something other than room, or that the host's
 * own test places.  @steps: of work, at most; when they run out, a change need not be
 * the smallest.
 *
 * 0; -ENOENT: no such job waits; -ENOTSUP: the engine cannot be copied
 * (cs_engine_copies()); -E2BIG: not even one change can be tried; -EBUSY: a start is
 * unanswered; -ENOMEM.  O(@steps).
 */
int cs_sooner_find(const struct cs_engine *e, uint32_t job_id, int64_t steps,
		   struct cs_sooner_list *ret);

/* Apply @c to @job, which holds its present description. */
void cs_sooner_change(struct cs_job *job, const struct cs_sooner *c);

/* What to request from sbatch: "with -t 25", "without --exclusive".  As snprintf. */
int cs_sooner_text(const struct cs_job *job, const struct cs_sooner *c,
		   char *buf, size_t size);

#endif
