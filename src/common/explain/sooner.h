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
		      CS_SOONER_MEMORY, /* less memory a node, or a CPU */
		      CS_SOONER_LAYOUT, /* on any nodes instead of so many, so laid out */
		      CS_SOONER_EXCLUSIVE, /* beside others instead of --exclusive */
		      CS_SOONER_SIZE,	   /* fewer processes or nodes */
		      CS_SOONER_KINDS
};

/* One change, and what comes of it while nothing else changes. */
struct cs_sooner {
	enum cs_sooner_kind kind;
	/* LIMIT: minutes; MEMORY: MB, of a node or of a thread as the job asks; SIZE:
	 * nodes, or processes where the job asks for no number of nodes */
	uint64_t value;
	bool rough; /* a smaller change may do: the work ended before that was known */
	bool now;	  /* it starts at once, ... */
	int64_t start_us; /* ... or then at the latest */
};

struct cs_sooner_list {
	int64_t without_us; /* its promised start as it is; CS_TIME_NONE */
	uint32_t n;
	struct cs_sooner change[CS_SOONER_KINDS]; /* [n] the best one first */
	uint32_t probes;			  /* copies that were made */
};

/*
 * Into @ret what would start waiting @job_id by a minute sooner at least, or at once.
 * None for a job that waits for something else than room, or that the host's own test
 * places.  @steps: of work, at most; where they end a change need not be the smallest.
 *
 * 0; -ENOENT: no such job waits; -ENOTSUP: the engine cannot be copied
 * (cs_engine_copies()); -E2BIG: not even one change can be tried; -EBUSY: a
 * start is unanswered; -ENOMEM.  O(@steps).
 */
int cs_sooner_find(const struct cs_engine *e, uint32_t job_id, int64_t steps,
		   struct cs_sooner_list *ret);

/* Change @job, which waits as it is, by @c. */
void cs_sooner_change(struct cs_job *job, const struct cs_sooner *c);

/* What to ask sbatch for: "-t 25", "without --exclusive".  As snprintf. */
int cs_sooner_text(const struct cs_job *job, const struct cs_sooner *c,
		   char *buf, size_t size);

#endif
