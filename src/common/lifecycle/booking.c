/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs take their nodes and give them back: the one place that tells all who track
 * this.
 *
 * Proposed and running jobs hold cores and memory on their slice machine and are in its
 * lists of neighbours; suspended ones hold memory, and cores only as keepers.c says.
 * Updated are, in this order: the lists, the occupancy, the ends for backfill, the
 * neighbours' progress, the plan, the time slices.  In giving back the plan and the
 * slices come first, the neighbours' progress last.
 *
 * Without swap a job's memory is lost to the other slice machines, too: a stopped job
 * keeps it.  Its end is unknown there, so no promise counts on it.
 */
#include "lifecycle/booking.h"

#include <errno.h>
#include <stdlib.h>

#include "backfill/endings.h"
#include "base/array.h"
#include "job/lesson.h"
#include "job/match.h"
#include "job/progress.h"
#include "state/state.h"

static int slots_add(struct cs_slots *s, uint32_t slot)
{
	if (cs_array_room(&s->slot, &s->cap, (size_t)s->n + 1))
		return -ENOMEM;
	s->slot[s->n++] = slot;
	return 0;
}

static void slots_remove(struct cs_slots *s, uint32_t slot)
{
	uint32_t i = 0;

	while (i < s->n && s->slot[i] != slot)
		i++;
	if (i < s->n)
		s->n--;
	for (; i < s->n; i++)
		s->slot[i] = s->slot[i + 1];
}

typedef void memory_fn(struct cs_occ *o, const struct cs_alloc *a);

static bool holds_memory(const struct cs_engine *e, const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].gpus ||
		    (a->node[i].mem_mb && e->params.swap == CS_NO))
			return true;
	return false;
}

/* @own: on its own slice machine, too.  A job that a slice has stopped keeps its GPUs, and
 * its memory unless that may be swapped. */
static void move_memory(struct cs_engine *e, const struct cs_ejob *j,
			const struct cs_alloc *a, bool add, bool own)
{
	bool others = e->n_sm > 1 && holds_memory(e, a);
	memory_fn *move = add ? cs_occ_add_memory : cs_occ_remove_memory;

	if (own)
		move(&cs_sm_of(e, j)->now, a);
	if (e->params.swap != CS_NO)
		move = add ? cs_occ_add_gpus : cs_occ_remove_gpus;
	for (uint32_t i = 0; others && i < e->n_sm; i++) {
		struct cs_slice_machine *sm = &e->sms[i];

		if (sm == cs_sm_of(e, j))
			continue;
		move(&sm->now, a);
		sm->stale = true;
	}
}

void cs_booking_keep_memory(struct cs_engine *e, struct cs_ejob *j)
{
	move_memory(e, j, j->alloc, true, true);
}

void cs_booking_give_memory(struct cs_engine *e, struct cs_ejob *j)
{
	move_memory(e, j, j->alloc, false, true);
}

/* Does @j run, or is about to? */
static bool runs(const struct cs_ejob *j)
{
	return j->state != CS_STOPPED && j->state != CS_SUSPENDED;
}

/* @told: it is no stop or resume of a slice whose jobs rest. */
static int book(struct cs_engine *e, struct cs_ejob *j, bool told)
{
	struct cs_alloc *a = j->alloc;

	e->sm = cs_sm_of(e, j);
	a->owner = cs_match_owner(e, j, j->option);
	a->gpu_share = j->job.gpu_share;
	for (uint32_t i = 0; i < a->n_node; i++)
		if (slots_add(&e->sm->on[a->node[i].node], j->slot)) {
			while (i--)
				slots_remove(&e->sm->on[a->node[i].node],
					     j->slot);
			return -ENOMEM;
		}
	cs_occ_add(&e->sm->now, a, j->hold);
	move_memory(e, j, a, true, false);
	cs_endings_add(e, j);
	if (e->sm->now.shared_nodes)
		cs_progress_neighbours(e, a);
	else
		cs_progress_refresh(e, j);
	cs_lesson_neighbours(e, a);
	cs_tell(e->backfill, booked, e, j);
	if (told)
		cs_tell(e->slice, booked, e, j, 1);
	if (runs(j))
		cs_tell(e->slice, enters, e, j);
	return 0;
}

int cs_booking_add(struct cs_engine *e, struct cs_ejob *j)
{
	return book(e, j, true);
}

static void unbook(struct cs_engine *e, struct cs_ejob *j, bool told)
{
	const struct cs_alloc *a = j->alloc;
	bool shared;

	e->sm = cs_sm_of(e, j);
	shared = e->sm->now.shared_nodes > 0;
	cs_tell(e->backfill, leaving, e, j);
	cs_progress_bring(j, e->now_us);
	if (told)
		cs_tell(e->slice, booked, e, j, -1);
	if (runs(j))
		cs_tell(e->slice, leaves, e, j);
	for (uint32_t i = 0; i < a->n_node; i++)
		slots_remove(&e->sm->on[a->node[i].node], j->slot);
	cs_occ_remove(&e->sm->now, a, j->hold);
	move_memory(e, j, a, false, false);
	cs_endings_remove(e, j);
	if (!shared)
		return;
	cs_progress_neighbours(e, a);
	cs_lesson_neighbours(e, a);
}

void cs_booking_remove(struct cs_engine *e, struct cs_ejob *j)
{
	unbook(e, j, true);
}

void cs_booking_rest(struct cs_engine *e, struct cs_ejob *j)
{
	unbook(e, j, false);
	if (e->params.swap == CS_NO)
		cs_booking_keep_memory(e, j);
}

int cs_booking_back(struct cs_engine *e, struct cs_ejob *j)
{
	int rc;

	cs_booking_forget(e, j);
	rc = book(e, j, false);
	if (rc && e->params.swap == CS_NO)
		cs_booking_keep_memory(e, j);
	return rc;
}

void cs_booking_await(struct cs_engine *e, struct cs_ejob *j)
{
	if (e->params.swap == CS_NO)
		cs_booking_keep_memory(e, j);
	cs_tell(e->slice, booked, e, j, 1);
}

void cs_booking_forget(struct cs_engine *e, struct cs_ejob *j)
{
	if (e->params.swap == CS_NO)
		cs_booking_give_memory(e, j);
}

int cs_booking_add_given(struct cs_engine *e, struct cs_ejob *j,
			 const struct cs_started *s, enum cs_node_use hold)
{
	bool booked = j->state == CS_PROPOSED && !j->placed_by_host;
	struct cs_alloc *a, *old = j->alloc;
	int rc;

	e->rescan = true;
	a = cs_alloc_copy(s->alloc);
	if (!a)
		return -ENOMEM;
	if (booked)
		cs_booking_remove(e, j);
	j->alloc = a;
	j->hold = hold;
	j->start_us = s->start_us;
	rc = cs_booking_add(e, j);
	if (rc) {
		/* as it was: its old slots are certainly there */
		j->alloc = old;
		if (booked)
			cs_booking_add(e, j);
		cs_alloc_free(a);
		return rc;
	}
	cs_alloc_free(old);
	return 0;
}
