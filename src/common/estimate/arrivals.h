/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of the last weeks, as arrivals of the weeks to come.
 *
 * A forward run (forward.h) gets the submits of the last w weeks, w weeks later each,
 * and then again, another w weeks later: days of the week and hours of the day stay what
 * they are.
 *
 * The last CS_ARRIVALS_WEEKS weeks are kept, and of these the last jobs, as many as there
 * is room for.
 */
#ifndef CS_ESTIMATE_ARRIVALS_H
#define CS_ESTIMATE_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/textbuf.h"
#include "engine/engine.h"

#define CS_ARRIVALS_WEEKS 8
#define CS_ARRIVALS_WEEK_US (INT64_C(7) * 86400 * 1000000)

struct cs_arrivals;

struct cs_arrival {
	struct cs_job job; /* as it was submitted */
	void *own;	   /* its strings and options */
	int64_t at_us;	   /* when it was submitted */
	int64_t ran_us;	   /* how long it ran; 0: that is not known yet */
	bool restored; /* the node sets of its options are cs_arrivals_options()'s */
};
#define CS_ARRIVALS_OPTIONS 8 /* a restored job has at most */

/* Room for @most jobs (> 0).  NULL: no memory. */
struct cs_arrivals *cs_arrivals_create(uint32_t most);
void cs_arrivals_free(struct cs_arrivals *a);

/* @job is submitted at @now_us, not before the last one.  0; -ENOMEM: it is not kept.
 * O(1), and what its description holds. */
int cs_arrivals_add(struct cs_arrivals *a, const struct cs_job *job,
		    int64_t now_us);

/* Job @id has run for @ran_us.  Nothing if it is not kept.  O(1). */
void cs_arrivals_ended(struct cs_arrivals *a, uint32_t id, int64_t ran_us);

/*
 * The options of @x, which was restored, with the numbers that @e has for their node sets:
 * @ret [CS_ARRIVALS_OPTIONS].  @e gets sets that it has not yet, so it is a copy: in an engine
 * that decides, sets of jobs that are gone would change the classes of nodes.  0, -ENOMEM.
 */
int cs_arrivals_options(const struct cs_arrivals *a, const struct cs_arrival *x,
			struct cs_engine *e, struct cs_job_partition *ret);

/* When the last job that is kept was submitted; CS_TIME_NONE: there is none. */
int64_t cs_arrivals_last_us(const struct cs_arrivals *a);

/* Whole weeks before @now_us that are kept, at most CS_ARRIVALS_WEEKS. */
uint32_t cs_arrivals_weeks(const struct cs_arrivals *a, int64_t now_us);

/*
 * Add the lines to @t that restore the last jobs, each with @before before it: up to
 * CS_ARRIVALS_SAVED of them, and CS_ARRIVALS_BYTES with the lines of their node sets.  Node
 * sets are those of @e.  Left out are jobs of a reservation, whose number means nothing
 * later, and those that are too long to describe (arrivals.c, can_save()); left empty is a
 * name that is, or has a blank.
 */
#define CS_ARRIVALS_SAVED 16384
#define CS_ARRIVALS_BYTES 7000000
void cs_arrivals_save(const struct cs_arrivals *a, const struct cs_engine *e,
		      const char *before, struct cs_textbuf *t);
/*
 * Is @text, without that, one of these lines?  Restore what it has, for an engine @e at
 * @now_us, which does not change.  If @e has another number of nodes than the writer's, no
 * job is kept.  0; -EINVAL: it is no such line, or its time is before the last job's or after
 * @now_us; -ENOMEM.
 */
bool cs_arrivals_is_line(const char *text);
int cs_arrivals_restore(struct cs_arrivals *a, const struct cs_engine *e,
			int64_t now_us, const char *text);

/* The arrivals to come, one after the other.  No job is added meanwhile. */
struct cs_arrivals_walk {
	const struct cs_arrivals *arrivals;
	uint32_t first, at; /* in the order of submits */
	int64_t period_us;  /* w weeks; 0: nothing arrives */
	int64_t shift_us;   /* of those that come now */
};

/* Begin at @now_us, by the last @weeks weeks; 0: nothing arrives.  O(log jobs). */
struct cs_arrivals_walk cs_arrivals_begin(const struct cs_arrivals *a,
					  int64_t now_us, uint32_t weeks);
/* The next arrival; *ret_at_us: when it comes.  NULL: nothing arrives.  It stays the next
 * one until cs_arrivals_pass(). */
const struct cs_arrival *cs_arrivals_next(const struct cs_arrivals_walk *w,
					  int64_t *ret_at_us);
void cs_arrivals_pass(struct cs_arrivals_walk *w);

#endif
