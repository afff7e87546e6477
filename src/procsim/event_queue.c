/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A calendar queue.
 *
 * Problem.  A run takes hundreds of millions of events, a few hundred of them queued at a
 * time.  A heap spends half of the run on comparisons whose outcome a processor cannot
 * foresee.
 *
 * Rule.
 *  1. A day is 2^CS_EVENT_DAY_NS_LOG2 ns, a year CS_EVENT_DAYS days, the first of which is
 *     today: the day of the last event taken.
 *  2. Events of this year stand in the lists of their days, in order.  An event that is
 *     not before the last one of its day is appended without a search.
 *  3. Events of later years wait in a heap.  When today advances, those of them that the
 *     year has reached move to their days, before anything else is inserted: so of equal
 *     times the one inserted first stays the first.
 *  4. The next event is the first one of the next day that has any, which a bit for each
 *     day shows.
 *
 * Source: R. Brown, "Calendar queues", CACM 31(10), 1988.
 *
 * Differs.  Brown puts all years into the same lists, and changes the length of a day with
 * the number of events.  Here a day has one year's events, which needs no look at dates,
 * and its length is fixed: events of 32 nodes are about one microsecond apart.
 *
 * Invariants: what is in a day is of this year, what is in the heap is after it; n counts
 * both.
 *
 * Cost: O(1) while days have few events, O(events of the day) at worst; O(log n) for an
 * event more than a year, 1.05 ms, ahead.  test/bench/bench_queue.c compares it with the
 * heap of four ways that it replaces.
 *
 * Known weakness: the lists grow with the number of nodes.
 */
#include "procsim/event_queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/heap.h"

#define AT(q, i) ((q)->later[i])
#define PUT(q, i, x) ((q)->later[i] = (x))
#define BEFORE(q, a, b) \
	((a).at_ns != (b).at_ns ? (a).at_ns < (b).at_ns : (a).order < (b).order)
CS_HEAP(later, struct cs_event_queue, struct cs_queued_event, 4, AT, PUT,
	BEFORE);

static int64_t day_of(int64_t at_ns)
{
	return at_ns >> CS_EVENT_DAY_NS_LOG2;
}

/* Have a place for each event, the heap's too, so that those can move.  0, -ENOMEM. */
static int make_room(struct cs_event_queue *q)
{
	uint32_t old = q->cap;
	int rc = cs_array_room(&q->place, &q->cap, q->n + 1);

	for (uint32_t i = old; !rc && i < q->cap; i++) {
		q->place[i].next = q->free;
		q->free = i + 1;
	}
	return rc;
}

/* Put @e into its day; there is a free place. */
static void enter(struct cs_event_queue *q, const struct cs_queued_event *e)
{
	size_t i = (size_t)day_of(e->at_ns) % CS_EVENT_DAYS;
	struct cs_event_day *day = &q->day[i];
	uint32_t id = q->free, *link = &day->first;
	struct cs_event_place *p = &q->place[id - 1];

	q->free = p->next;
	p->event = *e;
	q->used[i / 64] |= UINT64_C(1) << i % 64;
	if (day->last && q->place[day->last - 1].event.at_ns <= e->at_ns)
		link = &q->place[day->last - 1].next;
	while (*link && q->place[*link - 1].event.at_ns <= e->at_ns)
		link = &q->place[*link - 1].next;
	p->next = *link;
	*link = id;
	if (!p->next)
		day->last = id;
}

static bool is_of_year(const struct cs_event_queue *q, int64_t at_ns)
{
	return day_of(at_ns) - q->today < CS_EVENT_DAYS;
}

int cs_event_queue_push(struct cs_event_queue *q, int64_t at_ns, unsigned kind,
			unsigned node, uint32_t about)
{
	struct cs_queued_event e = { .at_ns = at_ns,
				     .order = q->inserted,
				     .kind = (uint16_t)kind,
				     .node = (uint16_t)node,
				     .about = about };
	bool now = is_of_year(q, at_ns);
	int rc = make_room(q);

	if (!rc && !now)
		rc = cs_array_room(&q->later, &q->later_cap, q->n_later + 1);
	if (rc)
		return rc;
	q->inserted++;
	q->n++;
	if (now) {
		enter(q, &e);
		return 0;
	}
	q->later[q->n_later++] = e;
	later_sift(q, q->n_later, q->n_later - 1);
	return 0;
}

/* Begin the day @today: rule 3. */
static void begin_day(struct cs_event_queue *q, int64_t today)
{
	q->today = today;
	while (q->n_later && is_of_year(q, q->later[0].at_ns)) {
		struct cs_queued_event e = q->later[0];

		q->n_later = later_drop(q, q->n_later, 0);
		enter(q, &e);
	}
}

/* How many days after today the next events are; -1: none this year. */
static int64_t days_to_next(const struct cs_event_queue *q)
{
	size_t today = (size_t)q->today % CS_EVENT_DAYS,
	       words = CS_EVENT_DAYS / 64;
	size_t first = today / 64;

	for (size_t k = 0; k <= words; k++) {
		size_t word = (first + k) % words;
		uint64_t bits = q->used[word];

		if (!k)
			bits &= UINT64_MAX << today % 64;
		if (!bits)
			continue;
		return (int64_t)((word * 64 + (size_t)__builtin_ctzll(bits) -
				  today) %
				 CS_EVENT_DAYS);
	}
	return -1;
}

struct cs_queued_event cs_event_queue_take(struct cs_event_queue *q)
{
	int64_t days = days_to_next(q);
	struct cs_event_place *p;
	struct cs_event_day *day;
	uint32_t id;
	size_t i;

	if (days < 0)
		begin_day(q, day_of(q->later[0].at_ns));
	else if (days > 0)
		begin_day(q, q->today + days);
	i = (size_t)q->today % CS_EVENT_DAYS;
	day = &q->day[i];
	id = day->first;
	p = &q->place[id - 1];
	day->first = p->next;
	if (!day->first) {
		day->last = 0;
		q->used[i / 64] &= ~(UINT64_C(1) << i % 64);
	}
	p->next = q->free;
	q->free = id;
	q->n--;
	return p->event;
}

void cs_event_queue_done(struct cs_event_queue *q)
{
	free(q->place);
	free(q->later);
	*q = (struct cs_event_queue){ 0 };
}
