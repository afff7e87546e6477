/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free nodes, or cores, over time: the base of conservative backfill.
 *
 * Nodes are counted by class: those of a class may hold the same jobs at the same
 * times, so for jobs that take whole nodes a count is enough; which nodes they get is
 * decided at the start.  Time is int64 microseconds of any origin.  The line begins at
 * some instant; its last step lasts for ever.
 *
 *	free |      +--+
 *	     |  +---+  |     +-------...
 *	     |--+      +-----+
 *	     +--------------------------- time
 */
#ifndef CS_BACKFILL_TIMELINE_H
#define CS_BACKFILL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cs_timeline;

/* NULL: no memory.  @classes >= 1. */
struct cs_timeline *cs_timeline_create(uint32_t classes);
void cs_timeline_free(struct cs_timeline *t);

/* Restart at @from_us with @n [classes] nodes free for ever.  Keeps the memory. */
void cs_timeline_reset(struct cs_timeline *t, int64_t from_us,
		       const int32_t *n);

/* Make @to, with as many classes, equal to @from.  0; -ENOMEM: @to is as before. */
int cs_timeline_copy(struct cs_timeline *to, const struct cs_timeline *from);

/*
 * Add @n [classes] (of either sign) to what is free in [@from_us, @to_us); times
 * before the beginning do not count, @to_us may be CS_TIME_NONE.  What is free may
 * become negative: a host may promise more than it has.
 * 0; -ENOMEM: the line is as before.  O(log steps + steps in between).
 */
int cs_timeline_add(struct cs_timeline *t, int64_t from_us, int64_t to_us,
		    const int32_t *n);

/* The least free nodes of @class in [@from_us, @to_us); INT32_MAX where that is
 * empty. */
int32_t cs_timeline_least(const struct cs_timeline *t, uint32_t class,
			  int64_t from_us, int64_t to_us);

/*
 * The first instant t >= @from_us at which @need units of the classes @class
 * [@n_class] (increasing) are free in all of [t, t + @len_us): the sum over the
 * classes of floor(the least free in that time / @unit [@n_class], each > 0; NULL: 1),
 * negative ones as 0.  A job keeps its nodes, so this is the sum of the minima, not the
 * least sum.
 *
 * @len_us > 0; CS_TIME_NONE: for ever.  @ret_n [n_class] (may be NULL): the units to
 * take of each class, in the order of @class, as many as there are.  Returns
 * CS_TIME_NONE if there is no such instant.
 * Cost: mostly far less than the steps up to the answer: see timeline.c, rule 5 and the
 * worst case.  One thread at a time on one line.
 */
int64_t cs_timeline_find(const struct cs_timeline *t, int64_t from_us,
			 int64_t len_us, uint32_t need, const uint32_t *class,
			 const int32_t *unit, uint32_t n_class, int32_t *ret_n);

/* The same with at most @most [@n_class] units of each class; NULL: any number. */
int64_t cs_timeline_find_most(const struct cs_timeline *t, int64_t from_us,
			      int64_t len_us, uint32_t need,
			      const uint32_t *class, const int32_t *unit,
			      const int32_t *most, uint32_t n_class,
			      int32_t *ret_n);

/* What a unit of a class takes besides, of another class of the line. */
struct cs_timeline_beside {
	const uint32_t
		*class; /* [n_class] none twice, and none that is asked for */
	const int32_t *unit; /* [n_class] 0: nothing besides */
};

/* The same for an instant before @until_us, else CS_TIME_NONE: later ones are not
 * examined; and of each class at most the units that the class @beside it (NULL: none)
 * has, too. */
int64_t cs_timeline_find_until(const struct cs_timeline *t, int64_t from_us,
			       int64_t until_us, int64_t len_us, uint32_t need,
			       const uint32_t *class, const int32_t *unit,
			       const int32_t *most,
			       const struct cs_timeline_beside *beside,
			       uint32_t n_class, int32_t *ret_n);

/* The first step that begins after @at_us; CS_TIME_NONE: the last one has begun.
 * O(log steps). */
int64_t cs_timeline_change_us(const struct cs_timeline *t, int64_t at_us);

/* Number of steps; the instant and counts of step @i (for tests, pictures). */
size_t cs_timeline_steps(const struct cs_timeline *t);
int64_t cs_timeline_step(const struct cs_timeline *t, size_t i, int32_t *ret_n);

#endif
