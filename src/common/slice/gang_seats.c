/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in the matrix of slice=gang: which jobs have one, and which get one.
 *
 * Rules.
 *  1. A waiting job that finds a place keeps it, and starts when its slot has its turn.
 *     gang_block (gang.c) chooses the nodes, of those that it may use and whose memory
 *     is enough for it beside all jobs with a place there (with swap: for it alone).
 *  2. If the nodes of a block do not hold its shape, since they differ in size or lie
 *     in separate parts of the network, it gets those that it would have if only
 *     neighbours existed that need no new slot (cs_gang_idle()): the first such that
 *     hold it.  If none do, those that it would have on the empty machine.  And all
 *     between them (within.c).
 *  3. A waiting job asks for its place in each walk; a place not asked for is given up.
 *     So changes to waiting jobs need not be reported here.
 *  4. After a job ended, a job that waits for its slot and fits on nodes idle now gives
 *     up its place for the one that rules 1 and 2 give it now; it keeps its place in
 *     the order of turns.
 *  5. Where nodes differ, a job for which its shape needs a new slot takes the next for
 *     larger nodes that does not (alone.c, rule 11), if any.
 *  6. A job that the host started, or that ran before us, already has its nodes: its
 *     place is there.  The same holds for a job that an administrator suspended, when
 *     it resumes.
 *
 * Differs: rules 4 and 5 are ours.
 *
 * Known weakness: of the waiting tasks of an array only the next one has a place, and
 * asks for it when the one before has started.  So they fill slot after slot, and each
 * new slot waits until all others had their turn.
 */
#include "slice/gang_slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/alone.h"
#include "job/resv.h"
#include "model/layout.h"
#include "state/pass.h"

int cs_gang_seats_init(struct cs_engine *e)
{
	const struct cs_params *p = &e->params;
	const struct cs_gang_rules rules = {
		.block = (enum cs_gang_block)p->gang_block,
		.extra = (enum cs_gang_extra)p->gang_extra,
		.deal = (enum cs_gang_deal)p->gang_deal,
	};
	uint32_t words = cs_node_words(e->machine);
	struct cs_turns *t = calloc(1, sizeof(*t));

	e->turns = t;
	e->stuck = calloc(words, sizeof(*e->stuck));
	if (!t || !e->stuck)
		return -ENOMEM;
	t->turns = 2;
	t->gang = cs_gang_create(e->machine->n_node, &rules);
	t->room = calloc(words, sizeof(*t->room));
	return !t->gang || !t->room ? -ENOMEM
				    : cs_occ_init(&t->bare, e->machine);
}

void cs_gang_seats_done(struct cs_engine *e)
{
	struct cs_turns *t = e->turns;

	free(e->stuck);
	if (!t)
		return;
	cs_gang_free(t->gang);
	cs_occ_done(&t->bare);
	free(t->seat);
	free(t->room);
	free(t);
}

int cs_gang_seats_copy(struct cs_engine *to, const struct cs_engine *from)
{
	size_t words = cs_node_words(to->machine);
	const struct cs_turns *was = from->turns;
	struct cs_turns *t = to->turns, own = *t;

	*t = *was;
	t->gang = own.gang;
	t->bare = own.bare;
	t->room = own.room;
	t->cap = 0;
	t->seat = was->cap ? calloc(was->cap, sizeof(*t->seat)) : NULL;
	if (was->cap && !t->seat)
		return -ENOMEM;
	t->cap = was->cap;
	if (was->cap)
		memcpy(t->seat, was->seat, was->cap * sizeof(*t->seat));
	memcpy(to->stuck, from->stuck, words * sizeof(*to->stuck));
	return cs_gang_copy(t->gang, was->gang);
}

/* ---- jobs that have a place ------------------------------------------------- */

struct cs_ejob *cs_gang_seat_job(const struct cs_engine *e, uint32_t k)
{
	const struct cs_gang_seat *s = &e->turns->seat[k];
	struct cs_ejob *j = s->slot < e->n_slot ? e->slot[s->slot] : NULL;

	return j && j->seat == k + 1 ? j : NULL;
}

/* Are all nodes of @a among those of place @k? */
static bool within(const struct cs_engine *e, const struct cs_alloc *a,
		   uint32_t k)
{
	const struct cs_gang_job at = cs_gang_job(e->turns->gang, k);

	return a->node[0].node >= at.first &&
	       a->node[a->n_node - 1].node - at.first < at.procs;
}

static void give_up(struct cs_engine *e, uint32_t k)
{
	struct cs_ejob *j = cs_gang_seat_job(e, k);

	if (j)
		j->seat = 0;
	cs_gang_leave(e->turns->gang, k);
}

/* Give @j place @k, which is new. */
static int take(struct cs_engine *e, struct cs_ejob *j, uint32_t option,
		uint32_t k)
{
	struct cs_turns *t = e->turns;

	if (cs_array_room(&t->seat, &t->cap, k + (size_t)1)) {
		cs_gang_leave(t->gang, k);
		return -ENOMEM;
	}
	t->seat[k] = (struct cs_gang_seat){ .slot = j->slot,
					    .option = option,
					    .turn = t->turns - 1,
					    .ends = t->ends,
					    .walk = e->walks };
	j->seat = k + 1;
	return 0;
}

void cs_gang_seat_booked(struct cs_engine *e, const struct cs_ejob *of,
			 int more)
{
	struct cs_ejob *j = e->slot[of->slot];
	struct cs_ejob *master = cs_engine_job(e, j->master);

	if (more < 0 && j->seat) {
		give_up(e, j->seat - 1);
		e->turns->ends++;
	}
	if (more < 0 || j->seat || !master || !master->seat ||
	    !within(e, j->alloc, master->seat - 1))
		return;
	/* the place was its array's */
	j->seat = master->seat;
	master->seat = 0;
	e->turns->seat[j->seat - 1].slot = j->slot;
}

/* Rule 6. */
static int adopt(struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_alloc *a = j->alloc;
	uint32_t first = a->node[0].node, last = a->node[a->n_node - 1].node, k;
	int rc = cs_gang_adopt(e->turns->gang, first, last - first + 1, 0, &k);

	return rc ?: take(e, j, j->option, k);
}

int cs_gang_seats_settle(struct cs_engine *e)
{
	struct cs_turns *t = e->turns;
	int rc = 0;

	for (uint32_t k = 0; k < t->cap; k++)
		if (cs_gang_job(t->gang, k).procs && !cs_gang_seat_job(e, k))
			give_up(e, k);
	for (size_t i = 0; !rc && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		if (!j->seat &&
		    (j->state == CS_RUNNING || j->state == CS_STOPPED))
			rc = adopt(e, j);
	}
	e->changed |= cs_gang_settle(t->gang);
	return rc;
}

/* ---- jobs that get one ------------------------------------------------------ */

void cs_gang_seats_begin(struct cs_engine *e, bool starts)
{
	struct cs_turns *t = e->turns;
	bool keeps = e->params.swap == CS_NO;

	t->starts = starts;
	memcpy(t->bare.down, e->sm->now.down,
	       cs_node_words(e->machine) * sizeof(*t->bare.down));
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		t->bare.node[n].used_mb =
			keeps ? e->sm->now.node[n].used_mb : 0;
}

void cs_gang_seats_end(struct cs_engine *e)
{
	struct cs_turns *t = e->turns;

	for (uint32_t k = 0; k < t->cap; k++) {
		const struct cs_ejob *j;

		if (!cs_gang_job(t->gang, k).procs)
			continue;
		j = cs_gang_seat_job(e, k);
		if (!j ||
		    (j->state == CS_WAITING && t->seat[k].walk != e->walks))
			give_up(e, k);
	}
	e->changed |= cs_gang_settle(t->gang);
}

/* May @j use node @n? */
static bool may_use(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t n)
{
	for (uint32_t i = 0; i < j->job.n_option; i++)
		if (cs_bit(cs_engine_set(e, &j->job.option[i]), n))
			return true;
	return false;
}

void cs_gang_seats_became(struct cs_engine *e, uint32_t n,
			  const struct cs_node *was)
{
	struct cs_turns *t = e->turns;

	cs_occ_renew(&t->bare, n);
	for (uint32_t k = 0; !cs_node_vacant(was) && k < t->cap; k++) {
		const struct cs_gang_job at = cs_gang_job(t->gang, k);
		const struct cs_ejob *j;

		if (!at.procs || n < at.first || n - at.first >= at.procs)
			continue;
		j = cs_gang_seat_job(e, k);
		if (j && j->state == CS_WAITING && may_use(e, j, n))
			give_up(e, k);
	}
	e->changed |= cs_gang_settle(t->gang);
}

/* Nodes that @j could have in some slot, into t->room. */
static void find_room(struct cs_engine *e, struct cs_ejob *j, uint32_t option)
{
	struct cs_turns *t = e->turns;
	const struct cs_shape *s = &j->plan.shape;

	cs_resv_nodes(e, j, option, e->now_us, j->plan.run_us, e->mask2);
	cs_layout_count(&t->bare, s, e->mask2, t->room);
}

/* Keep in t->room only the nodes of place @k. */
static void only_its(struct cs_engine *e, uint32_t k)
{
	const struct cs_gang_job at = cs_gang_job(e->turns->gang, k);

	for (uint32_t n = 0; n < e->machine->n_node; n++)
		if (n < at.first || n - at.first >= at.procs)
			cs_bit_clear(e->turns->room, n);
}

static bool holds(const struct cs_engine *e, const struct cs_ejob *j)
{
	return cs_layout_fits(&e->turns->bare, &j->plan.shape, e->turns->room);
}

/* A place on the nodes that @j would have on those of @set.  0; -ENOSPC, -ENOMEM. */
static int seat_within(struct cs_engine *e, const struct cs_ejob *j,
		       const uint64_t *set, uint32_t slots, uint32_t *ret_k)
{
	struct cs_turns *t = e->turns;
	bool nomem = false;
	struct cs_alloc *a =
		cs_layout_choose(&t->bare, &j->plan.shape, set, &nomem);
	uint32_t first, last;

	if (!a)
		return nomem ? -ENOMEM : -ENOSPC;
	first = a->node[0].node;
	last = a->node[a->n_node - 1].node;
	cs_alloc_free(a);
	return cs_gang_adopt(t->gang, first, last - first + 1, slots, ret_k);
}

/* Mark the nodes of t->room in [@from, @to) in e->mask2.  Might they hold @j? */
static bool mark(struct cs_engine *e, const struct cs_ejob *j, uint32_t from,
		 uint32_t to)
{
	const struct cs_shape *s = &j->plan.shape;
	struct cs_turns *t = e->turns;
	uint64_t procs = 0;

	memset(e->mask2, 0, cs_node_words(e->machine) * sizeof(*e->mask2));
	for (uint32_t i = from; i < to; i++)
		if (cs_bit(t->room, i)) {
			cs_bit_set(e->mask2, i);
			procs += cs_layout_fit(&t->bare, i, s);
		}
	return procs >= s->procs;
}

/* Rule 2, on neighbours idle in @row.  0; -ENOSPC, -ENOMEM. */
static int seat_in_row(struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t row, uint32_t slots, uint32_t *ret_k)
{
	uint32_t n = e->machine->n_node, from = 0, to;
	int rc = -ENOSPC;

	for (; rc == -ENOSPC && from < n; from = to) {
		to = cs_gang_idle(e->turns->gang, row, &from);
		if (to - from >= j->plan.shape.nodes && mark(e, j, from, to))
			rc = seat_within(e, j, e->mask2, slots, ret_k);
	}
	return rc;
}

/* Rule 2, on the nodes in t->room.  0; -ENOSPC: no room, -ENOMEM. */
static int seat_as_laid_out(struct cs_engine *e, const struct cs_ejob *j,
			    uint32_t slots, uint32_t *ret_k)
{
	struct cs_turns *t = e->turns;
	uint32_t n = cs_gang_slots(t->gang);
	int rc = -ENOSPC;

	for (uint32_t k = 0; rc == -ENOSPC && k < n; k++)
		rc = seat_in_row(e, j, k, slots, ret_k);
	return rc == -ENOSPC ? seat_within(e, j, t->room, slots, ret_k) : rc;
}

/* A new place on the nodes in t->room, in at most @slots slots (0: any number).  0;
 * -ENOSPC: no room, -ENOMEM. */
static int seat_in_shape(struct cs_engine *e, struct cs_ejob *j,
			 uint32_t option, uint32_t slots)
{
	struct cs_turns *t = e->turns;
	uint32_t k, words = cs_node_words(e->machine);
	int rc = -ENOSPC;

	if (!holds(e, j))
		return -ENOSPC;
	if (j->plan.shape.even)
		rc = cs_gang_arrive_on(t->gang, j->plan.shape.nodes, t->room,
				       slots, &k);
	if (!rc) {
		memcpy(e->mask2, t->room, words * sizeof(*e->mask2));
		only_its(e, k);
		if (holds(e, j))
			return take(e, j, option, k);
		memcpy(t->room, e->mask2, words * sizeof(*e->mask2));
		cs_gang_leave(t->gang, k);
	} else if (rc != -ENOSPC || j->plan.shape.even) {
		return rc;
	}
	rc = seat_as_laid_out(e, j, slots, &k);
	if (rc)
		return rc;
	only_its(e, k);
	return take(e, j, option, k);
}

/* Rule 5: without a new slot, in the first shape for which there is room.  -ENOSPC:
 * @j has the last one then. */
static int seat_in_any_shape(struct cs_engine *e, struct cs_ejob *j,
			     uint32_t option)
{
	uint32_t n = cs_gang_slots(e->turns->gang);
	int rc;

	do {
		find_room(e, j, option);
		rc = seat_in_shape(e, j, option, n);
	} while (rc == -ENOSPC && cs_alone_layout_other(e, j, option));
	return rc;
}

/* A new place; its nodes into t->room.  0; -ENOSPC: no room, -ENOMEM. */
static int seat_anew(struct cs_engine *e, struct cs_ejob *j, uint32_t option)
{
	bool others = !e->machine->alike && cs_gang_slots(e->turns->gang);
	int rc = -ENOSPC;

	if (others && cs_alone_layout_by(e, j, option, false))
		rc = seat_in_any_shape(e, j, option);
	if (rc != -ENOSPC ||
	    (others && !cs_alone_layout_by(e, j, option, false)))
		return rc;
	find_room(e, j, option);
	return seat_in_shape(e, j, option, (uint32_t)e->params.gang_slots);
}

/* Reserve the memory that it will have there. */
static void take_memory(struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_shape *s = &j->plan.shape;
	struct cs_turns *t = e->turns;

	for (uint32_t n = 0; e->params.swap == CS_NO && n < e->machine->n_node;
	     n++)
		if (cs_bit(t->room, n))
			t->bare.node[n].used_mb += cs_layout_memory(
				&e->machine->node[n], s, s->quota);
}

/* Could @j start now if nobody waited for its nodes, in any shape? */
static bool fits_now(struct cs_engine *e, struct cs_ejob *j, uint32_t option)
{
	const struct cs_planned was = j->plan;
	bool fits = false, other = true;

	if (!e->machine->alike)
		other = cs_alone_layout_by(e, j, option, false);
	while (other && !fits) {
		find_room(e, j, option);
		fits = cs_layout_fits(&e->sm->now, &j->plan.shape,
				      e->turns->room);
		other = !fits && cs_alone_layout_other(e, j, option);
	}
	j->plan = was;
	return fits;
}

/* Rule 4: has a job ended since @j got its place, and could @j start on other nodes
 * now? */
static bool could_move(struct cs_engine *e, struct cs_ejob *j, uint32_t option)
{
	struct cs_turns *t = e->turns;
	struct cs_gang_seat *s = &t->seat[j->seat - 1];

	if (s->ends == t->ends || cs_gang_seat_in_row(t, j, t->row))
		return false;
	s->ends = t->ends;
	return fits_now(e, j, option);
}

/* Its place, the present one or a new one; its nodes into t->room. */
static int find_place(struct cs_engine *e, struct cs_ejob *j, uint32_t option,
		      bool first)
{
	struct cs_turns *t = e->turns;
	uint64_t turn = t->turns - 1;
	int rc;

	if (j->seat) {
		bool moves = could_move(e, j, option);

		find_room(e, j, option);
		only_its(e, j->seat - 1);
		if (!moves && holds(e, j))
			return 0;
		turn = t->seat[j->seat - 1].turn;
		first |= moves;
		give_up(e, j->seat - 1);
	}
	rc = first ? seat_anew(e, j, option) : -ENOSPC;
	if (!rc)
		t->seat[j->seat - 1].turn = turn;
	return rc;
}

/* May it start now?  If not, the verdict says when. */
static enum cs_seat may_start(struct cs_engine *e, struct cs_ejob *j,
			      uint32_t option)
{
	struct cs_turns *t = e->turns;

	cs_pass_verdict(e, j, CS_WHY_PLANNED);
	j->verdict.start_us = e->now_us + cs_gang_slice_next_us(e, j);
	j->verdict.option = option;
	if (!t->starts || !cs_gang_seat_in_row(t, j, t->row))
		return CS_SEAT_LATER;
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		e->stuck[w] = ~t->room[w];
	return CS_SEAT_NOW;
}

int cs_gang_seat(struct cs_engine *e, const struct cs_entry *entry, bool first)
{
	struct cs_ejob *j = entry->job;
	int rc;

	memset(e->stuck, 0, cs_node_words(e->machine) * sizeof(*e->stuck));
	if (j->seat && e->turns->seat[j->seat - 1].option != entry->option)
		return CS_SEAT_LATER; /* its place is in another partition */
	if (!j->seat && !first)
		return CS_SEAT_NONE;
	rc = cs_alone_layout(e, j, entry->option)
		     ? find_place(e, j, entry->option, first)
		     : -ENOSPC;
	if (rc)
		return rc == -ENOSPC ? (int)CS_SEAT_NONE : rc;
	e->turns->seat[j->seat - 1].walk = e->walks;
	take_memory(e, j);
	return (int)may_start(e, j, entry->option);
}

/* Has the machine, but for what others were promised in the last walk, room for @s on
 * nodes that @j may use, of its reservation if it is confined to one, were all up and
 * ready?  e->mask and e->mask2 are overwritten. */
static bool fits_on_up_and_down(const struct cs_engine *e,
				const struct cs_ejob *j, uint32_t option,
				const struct cs_shape *s)
{
	const struct cs_resv_job of = cs_resv_of(e, j, option);
	const struct cs_held_nodes *own = cs_resv_confines(&of);
	uint32_t words = cs_node_words(e->machine);
	struct cs_occ up = e->turns->bare;

	memcpy(e->mask2, cs_engine_set(e, &j->job.option[option]),
	       words * sizeof(*e->mask2));
	for (uint32_t w = 0; own && w < words; w++)
		e->mask2[w] &= own->nodes[w];
	memset(e->mask, 0, words * sizeof(*e->mask));
	up.down = e->mask;
	return cs_layout_fits(&up, s, e->mask2);
}

enum cs_lack cs_gang_seat_lacks(const struct cs_engine *e,
				const struct cs_ejob *j, uint32_t option)
{
	const struct cs_turns *t = e->turns;
	struct cs_shape s;

	cs_resv_nodes(e, j, option, e->now_us, j->job.estimate_us, e->mask2);
	if (!cs_alone_shape(e, j, option, &s) ||
	    !cs_layout_holds(e->machine, e->sm->now.down, &s, e->mask2))
		return CS_LACK_NODES;
	if (!cs_layout_fits(&t->bare, &s, e->mask2)) {
		cs_resv_lifted(e, j, option, e->now_us, j->job.estimate_us,
			       e->mask2);
		return cs_layout_fits(&t->bare, &s, e->mask2)  ? CS_LACK_OPEN
		       : fits_on_up_and_down(e, j, option, &s) ? CS_LACK_UP
							       : CS_LACK_MEMORY;
	}
	return j->verdict.why == CS_WHY_BEHIND ? CS_LACK_BEFORE : CS_LACK_SLOTS;
}

/* ---- invariants -------------------------------------------------------------- */

static int check_job(const struct cs_engine *e, const struct cs_ejob *j,
		     struct cs_err *err)
{
	const struct cs_alloc *a = j->alloc;
	struct cs_gang_job at;

	if (!j->seat)
		return 0;
	if (j->seat > e->turns->cap || cs_gang_seat_job(e, j->seat - 1) != j)
		return cs_err_set(err, -EINVAL,
				  "job %u: its place is another's", j->job.id);
	at = cs_gang_job(e->turns->gang, j->seat - 1);
	if (!at.procs || j->state == CS_SUSPENDED)
		return cs_err_set(err, -EINVAL,
				  "job %u, suspended or not, has a place that "
				  "is not there",
				  j->job.id);
	if (a && !within(e, a, j->seat - 1))
		return cs_err_set(err, -EINVAL,
				  "job %u has other nodes than its place, %u "
				  "from %u on",
				  j->job.id, at.procs, at.first);
	return 0;
}

int cs_gang_seats_check(const struct cs_engine *e, struct cs_err *err)
{
	int rc = cs_gang_check(e->turns->gang, err);

	for (size_t i = 0; !rc && i < e->started.n; i++)
		rc = check_job(e, e->started.job[i], err);
	for (size_t i = 0; !rc && i < e->waiting.n; i++)
		rc = check_job(e, e->waiting.job[i], err);
	return rc;
}
