/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One forward run: what a copy of the engine would start from now on, and when, if jobs
 * ended and arrived as it is given.  The theory is in forward.c.
 */
#ifndef CS_ESTIMATE_FORWARD_H
#define CS_ESTIMATE_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "estimate/arrivals.h"
#include "estimate/runtimes.h"

/* What a run assumes. */
struct cs_forward_as {
	/* Runtimes are drawn from this history, with this seed; NULL: they are limits. */
	const struct cs_runtimes *runtimes;
	uint64_t seed;
	/* Instead: how long job @id runs in all, which has run for @elapsed_us; for tests
	 * that know.  NULL: it is not known. */
	int64_t (*ran_us)(void *arg, uint32_t id, int64_t elapsed_us);
	void *arg;
	int64_t part_steps; /* the parts of its decides, for tests; 0: about 1,000 */
	/* Jobs arrive as in the last @weeks weeks of these; 0: none arrives. */
	const struct cs_arrivals *arrivals;
	uint32_t weeks;
};

/* A job whose start is wanted. */
struct cs_forward_start {
	uint32_t job_id;
	int64_t at_us; /* its start; CS_TIME_NONE: it does not start */
};

struct cs_forward;

/*
 * Begin a run on a copy of @e, which waits for no answer; what @as and @start refer to is
 * borrowed until cs_forward_free(), and @e stays as it is until then.  Jobs of @start [@n]
 * (each once) that do not wait in @e never start.  NULL with @err set: as cs_engine_copy();
 * -ENOTSUP with time slices, too.  O(nodes).
 */
struct cs_forward *cs_forward_create(const struct cs_engine *e,
				     const struct cs_forward_as *as,
				     struct cs_forward_start *start, uint32_t n,
				     struct cs_err *err);

/*
 * Run on for about *@steps steps, of which one is an event, an instant, a step of a
 * decide, or some jobs of the copy; subtract those that were done.  *ret_more: starts are
 * still wanted and may come.  It goes on to the end of a part of a decide (forward.c, rule 1).  Where runs pause
 * does not change what they find.  0; -ENOMEM or another error of the copy: the run is over.
 */
int cs_forward_run(struct cs_forward *f, int64_t *steps, bool *ret_more);

/* The instant at which the run is: a job that has not started by then starts later. */
int64_t cs_forward_now_us(const struct cs_forward *f);

void cs_forward_free(struct cs_forward *f);
/* Free @f in pieces of about *@steps steps; subtract those.  True: it is not freed yet, and
 * good for this only. */
bool cs_forward_free_some(struct cs_forward *f, int64_t *steps);
/* Free the jobs of @e (cs_engine_free_jobs()) in such pieces. */
bool cs_forward_free_jobs(struct cs_engine *e, int64_t *steps);

#endif
