/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates: when waiting jobs probably start, each with an interval that holds nine times
 * in ten.  The theory is in estimate.c.
 *
 * An observer beside an engine: each event is told to both through it, and it makes sets
 * of estimates, of the jobs that have come since the last one or of all that wait.  It
 * decides nothing, and keeps no nodes.
 *
 *	cs_estimator_create(...)
 *	loop:	cs_estimator_tell(...)		instead of cs_engine_event()
 *		cs_engine_decide(...)
 *		cs_estimator_begin(...)
 *		cs_estimator_step(...)		until it has no more
 *		cs_estimator_made(...)
 *
 * The same events, and the same places among them at which sets begin and end, give the
 * same estimates, whatever the steps.
 */
#ifndef CS_ESTIMATE_ESTIMATE_H
#define CS_ESTIMATE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "estimate/outcomes.h"

struct cs_estimator;

/* All on the engine's clock. */
struct cs_estimate {
	uint32_t job_id; /* of an array: its next task */
	int64_t at_us;	 /* when the estimate was made */
	/* all below are CS_TIME_NONE if the job does not start in most runs */
	int64_t start_us;
	int64_t low_us, high_us; /* at_us <= low <= start <= high */
	/* the start if runtimes were limits and nothing arrived, to compare with */
	int64_t limits_us;
	bool first; /* the job's first estimate: its start calibrates later ones */
};

/* Which jobs a set has. */
enum cs_estimate_of {
	CS_ESTIMATE_NEW, /* those submitted since the last set began */
	CS_ESTIMATE_ALL, /* all that wait, the first CS_ESTIMATE_MOST by their ids */
};
#define CS_ESTIMATE_MOST 20000

/* So many submits, starts and ends may come while a set is made, or it is dropped. */
#define CS_ESTIMATE_EVENTS 20000

/* With seed @seed of all draws.  NULL: no memory.  About 1 MB; with what it learns, up to
 * 50 MB. */
struct cs_estimator *cs_estimator_create(uint64_t seed);
void cs_estimator_free(struct cs_estimator *s);

/*
 * Give @ev to @e, and, if @e accepts it, to @s, which may be NULL.  A line of
 * cs_estimator_save(), as CS_EV_KEPT, is only for @s.  Returns as cs_engine_event();
 * -EINVAL for a line that is none.  If @s has no memory for the event no set begins any
 * more.
 */
int cs_estimator_tell(struct cs_estimator *s, struct cs_engine *e,
		      const struct cs_event *ev, struct cs_err *err);

/*
 * Begin a set of estimates, as of the engine's time: of those jobs of @of that could start
 * now by all but room.  *ret_any: there are such jobs; else nothing has begun.  0; -EBUSY:
 * a set is not finished, or a start is unanswered; -ENOTSUP: the engine cannot be copied,
 * or has time slices; -ENOMEM; with @err set: the next set has these jobs.  O(nodes + jobs).
 */
int cs_estimator_begin(struct cs_estimator *s, const struct cs_engine *e,
		       enum cs_estimate_of of, bool *ret_any,
		       struct cs_err *err);

/* Is a set begun and not finished?  No: it may have been dropped, for too many events. */
bool cs_estimator_works(const struct cs_estimator *s);
/* Give that one up. */
void cs_estimator_drop(struct cs_estimator *s);
/* Were jobs submitted, or requeued, since a set last began?  Those that it left out, as they
 * were held or waited for something else, do not count again. */
bool cs_estimator_has_new(const struct cs_estimator *s);

/* Work on the set that has begun, for about @steps steps (forward.h).  *ret_more: it is
 * not finished.  0; a negative errno: there is no set any more. */
int cs_estimator_step(struct cs_estimator *s, int64_t steps, bool *ret_more);

/* The estimates of the last set that was finished, one of each of its jobs in the order of
 * submits, or of ids if it has all; *ret_n of them, valid until the next one begins. */
const struct cs_estimate *cs_estimator_made(const struct cs_estimator *s,
					    uint32_t *ret_n);

/* How good first estimates were, of jobs that have started. */
const struct cs_outcomes *cs_estimator_outcomes(const struct cs_estimator *s);

/*
 * What has to outlive a restart: the history of runtimes, the last arrivals, the
 * outcomes and the calibration; @e is the engine of its events.  Lines, each with its '\n'
 * and of less than CS_EVENT_KEPT bytes; as snprintf: returns the length.  Less than
 * CS_ESTIMATES_BYTES, even with a head of 1,024 bytes.
 */
#define CS_ESTIMATES_BYTES (16 * 1024 * 1024)
size_t cs_estimator_save(const struct cs_estimator *s,
			 const struct cs_engine *e, char *buf, size_t size);
/* Is @line one of these? */
bool cs_estimator_is_line(const char *line);

#endif
