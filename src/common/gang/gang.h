/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gang scheduling: which jobs share a time slot, on which processors, and how many
 * slots of a round each has.  Theory in gang.c.
 *
 * The caller reports arrivals and ends, asks for a settlement, and then runs the slots
 * in turn: in slot 0 all jobs of row 0, and so on.  A round is one turn of all slots.
 * The module knows no clock and no runtimes, only each job's width and the order of
 * arrival.
 */
#ifndef CS_GANG_GANG_H
#define CS_GANG_GANG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "gang/matrix.h"
#include "params/params.h"

struct cs_gang;

/* The keys gang_block, gang_extra and gang_deal. */
struct cs_gang_rules {
	enum cs_gang_block block;
	enum cs_gang_extra extra;
	enum cs_gang_deal deal;
	/* Without re-packing: slots without jobs are removed by cs_gang_settle(), not at
	 * once. */
	bool empties;
};

/* A matrix of @procs >= 1 processors without slots.  NULL: no memory. */
struct cs_gang *cs_gang_create(uint32_t procs,
			       const struct cs_gang_rules *rules);
void cs_gang_free(struct cs_gang *g); /* NULL is fine */

/* Make @to, new, of as many processors and the same rules, equal to @from: jobs keep
 * their numbers.  0, -ENOMEM: it can only be freed. */
int cs_gang_copy(struct cs_gang *to, const struct cs_gang *from);

/*
 * A job of @procs processors arrives; *ret_job, its number until it leaves, is the
 * lowest free one.  From now on it has a place in at least one slot. 0; -EINVAL: more
 * processors than exist, or none; -ENOMEM: nothing changed.
 */
int cs_gang_arrive(struct cs_gang *g, uint32_t procs, uint32_t *ret_job);

/*
 * The same for a job that can use only the processors in @allowed, and gets @procs of
 * those: within.c.  At most @slots slots (0: no limit).  -ENOSPC too: it does not fit;
 * lent extra places may have been taken back.
 */
int cs_gang_arrive_on(struct cs_gang *g, uint32_t procs,
		      const uint64_t *allowed, uint32_t slots,
		      uint32_t *ret_job);

/* The same for a job that already has its processors: the @procs from @first on, which
 * must exist. */
int cs_gang_adopt(struct cs_gang *g, uint32_t first, uint32_t procs,
		  uint32_t slots, uint32_t *ret_job);

/*
 * The next neighbours from *@from on, any of which a job could adopt without a new slot:
 * *@from is the first, the result one more than the last; both the number of processors:
 * there are none.  They are idle in slot @row; or if jobs are re-packed, each in any
 * slot, and those of slot 0 are all.
 */
uint32_t cs_gang_idle(const struct cs_gang *g, uint32_t row, uint32_t *from);

/* Job @job, which must exist, has ended. */
void cs_gang_leave(struct cs_gang *g, uint32_t job);

/* After arrivals and ends, before slots run: deal out idle places.  Did anything change
 * since the last call? */
bool cs_gang_settle(struct cs_gang *g);

/* Slots of a round; 0 without jobs. */
uint32_t cs_gang_slots(const struct cs_gang *g);

/* The job on @proc in @slot, or CS_GANG_NONE. */
uint32_t cs_gang_at(const struct cs_gang *g, uint32_t slot, uint32_t proc);

struct cs_gang_job {
	uint32_t first, procs; /* its processors; procs 0: no such job */
	uint32_t places;       /* slots of a round in which it runs */
	uint64_t seq;	       /* in the order of arrival, from 1 */
};

/* Job @job; any number is allowed. */
struct cs_gang_job cs_gang_job(const struct cs_gang *g, uint32_t job);

/* Do the invariants of gang.c hold?  0, or -EINVAL with @err set.  O(slots *
 * processors). */
int cs_gang_check(const struct cs_gang *g, struct cs_err *err);

#endif
