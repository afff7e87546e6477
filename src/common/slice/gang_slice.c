/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gang scheduling: the rows of a matrix have the machine in turn, one per time slot.
 *
 * Problem.  A started job has its nodes until it ends, and jobs behind a long one wait.
 * So jobs take turns, but all processes of a job run at the same time.  common/gang
 * says which jobs share a slot; this file gives its slots their turns on real nodes,
 * where a stop takes time, may be refused, and frees no memory.
 *
 * Symbols	C name			unit
 *   S		slot_s			s
 *   n		cs_gang_slots()		slots of a round
 *
 * Rules.
 *  1. A node is a processor of the matrix.  Each job that waits, runs or is stopped has
 *     a place in it (gang_seats.c): its nodes, in one or several slots of the round.
 *  2. A turn ends at a multiple of S on the host's clock, after at least S/2; or when a
 *     job of the slot has run and none runs any more.  Then all jobs without a place in
 *     the next slot are stopped.  Once the host has answered, the jobs of the next slot
 *     resume or start.
 *  3. The next slot is the one with the job whose last turn is longest ago; on ties,
 *     the earliest arrival.  A new job counts as if its last turn had come just before
 *     the present one.  As long as nothing changes, the slots simply rotate; after a
 *     re-packing, which moves jobs to other slots, the longest-waiting job still goes
 *     first.
 *  4. The matrix changes at once when a job ends, arrives, or is found running.
 *     Running jobs continue to the end of the turn; the current slot becomes the one
 *     with most of their nodes.  Any other job with a place in it whose nodes are free
 *     resumes or starts, if more than slice_guard_s + slice_rest_s is left of the turn.
 *  5. A job that could not be stopped at the end of its turn is stopped as soon as it
 *     may be; until then no job of the current slot gets its nodes.
 *
 *	turn	1	    2	       3	     4
 *	n1	|A A A A A |C C C C C |A A A A A |C C C C C	C arrives in turn 1, on
 *	n2	|B B B .   |C C C C C |D D D D D |C C C C C	both nodes: slot 1; B
 *			 S	    2S	       3S		ends; D arrives: slot 0
 *
 * Source: Zhou00 (see gang/repack.c), sections 1 and 2; for slots also Feitelson and
 * Rudolph, Gang Scheduling Performance Benefits for Fine-Grain Synchronization, JPDC
 * 16(4), 1992.
 *
 * Differs.
 *  1. Zhou00 does not say when arrivals and ends are handled; by doc/results/gang.md
 *     its figures are those of rounds, at whose end all are handled (gang_rounds,
 *     sim/gang_sim.c).  Here they are handled at once, and turnarounds are shorter.
 *  2. Rule 3.  With rounds the question does not arise.
 *  3. Memory is limited, and the slots may be (gang_slots): a job that finds no place
 *     waits, and no job behind it gets one on its nodes.
 *  4. Some nodes a job cannot use (within.c).
 *
 * Invariants: no core has two running jobs (check.c); no job has two places in a slot,
 * and each place belongs to its job (gang_seats.c).
 *
 * Cost: O(places) per decide, O(n nodes) per change of the matrix, O(nodes) per waiting
 * job.
 *
 * Known weakness: a job placed by the host's own test takes nodes that are idle at the
 * moment; if none ever is, it waits until there are fewer slots.
 */
#include "slice/gang_slice.h"

#include <errno.h>
#include <stdlib.h>

#include "slice/slice.h"

static int64_t slot_us(const struct cs_engine *e)
{
	return e->params.slot_s * CS_SECOND_US;
}

bool cs_gang_seat_in_row(const struct cs_turns *t, const struct cs_ejob *j,
			 uint32_t row)
{
	return j->seat && row < cs_gang_slots(t->gang) &&
	       cs_gang_at(t->gang, row,
			  cs_gang_job(t->gang, j->seat - 1).first) ==
		       j->seat - 1;
}

/* ---- whose turn it is ------------------------------------------------------- */

/* Rule 3, of two places. */
static bool sooner(const struct cs_turns *t, uint32_t a, uint32_t b)
{
	if (t->seat[a].turn != t->seat[b].turn)
		return t->seat[a].turn < t->seat[b].turn;
	return cs_gang_job(t->gang, a).seq < cs_gang_job(t->gang, b).seq;
}

/* The place in @row whose last turn is longest ago. */
static uint32_t longest_ago(const struct cs_engine *e, uint32_t row)
{
	const struct cs_turns *t = e->turns;
	uint32_t best = CS_GANG_NONE;

	for (uint32_t n = 0; n < e->machine->n_node;) {
		uint32_t k = cs_gang_at(t->gang, row, n);

		if (k == CS_GANG_NONE) {
			n++;
			continue;
		}
		n += cs_gang_job(t->gang, k).procs;
		if (best == CS_GANG_NONE || sooner(t, k, best))
			best = k;
	}
	return best;
}

/* Rule 3: does @a have its turn before @b?  No row is empty. */
static bool before(const struct cs_engine *e, uint32_t a, uint32_t b)
{
	return sooner(e->turns, longest_ago(e, a), longest_ago(e, b));
}

static uint32_t next_row(const struct cs_engine *e)
{
	uint32_t n = cs_gang_slots(e->turns->gang), best = 0;

	for (uint32_t r = 1; r < n; r++)
		if (before(e, r, best))
			best = r;
	return best;
}

/* When @row has its next turn if nothing changes. */
static int64_t turn_us(const struct cs_engine *e, uint32_t row)
{
	const struct cs_turns *t = e->turns;
	uint32_t n = cs_gang_slots(t->gang), ahead = 0;
	int64_t end = t->end_us > e->now_us ? t->end_us : e->now_us;

	for (uint32_t r = 0; r < n; r++)
		ahead += r != row && r != t->row && before(e, r, row);
	return end + ahead * slot_us(e);
}

int64_t cs_gang_slice_next_us(const struct cs_engine *e,
			      const struct cs_ejob *j)
{
	const struct cs_turns *t = e->turns;
	int64_t first = CS_TIME_NONE;

	for (uint32_t r = 0; r < cs_gang_slots(t->gang); r++) {
		int64_t at;

		if (!cs_gang_seat_in_row(t, j, r))
			continue;
		at = r == t->row && e->now_us < t->end_us ? e->now_us
							  : turn_us(e, r);
		first = at < first ? at : first;
	}
	return first == CS_TIME_NONE ? 0 : first - e->now_us;
}

/* Does @j hold its nodes now? */
static bool runs(const struct cs_ejob *j)
{
	return (j->state == CS_RUNNING || j->state == CS_PROPOSED) && j->alloc;
}

/* ... and in its turn? */
static bool in_turn(const struct cs_turns *t, const struct cs_ejob *j)
{
	return runs(j) && j->seat && !t->seat[j->seat - 1].late;
}

/* Rule 4: the current slot, after a change. */
static void find_row(struct cs_engine *e)
{
	struct cs_turns *t = e->turns;
	uint32_t n = cs_gang_slots(t->gang), best = t->row;
	uint64_t most = 0;

	for (uint32_t k = 0; k < n; k++) {
		/* the present one first: it stays current on ties */
		uint32_t r = t->row < n ? (t->row + k) % n : k;
		uint64_t nodes = 0;

		for (size_t i = 0; i < e->started.n; i++)
			if (in_turn(t, e->started.job[i]) &&
			    cs_gang_seat_in_row(t, e->started.job[i], r))
				nodes += e->started.job[i]->alloc->n_node;
		if (nodes <= most)
			continue;
		most = nodes;
		best = r;
	}
	best = best < n ? best : 0;
	e->changed |= best != t->row;
	t->row = best;
}

/* Begin the turn of @row. */
static void begin(struct cs_engine *e, uint32_t row)
{
	struct cs_turns *t = e->turns;
	int64_t S = slot_us(e);

	e->changed = true;
	t->row = row;
	t->begin_us = e->now_us;
	t->end_us = (e->now_us / S + 1) * S;
	if (t->end_us - e->now_us < S / 2)
		t->end_us += S;
	t->served = false;
	t->turns += 2;
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		uint32_t k = cs_gang_at(t->gang, t->row, n);

		if (k != CS_GANG_NONE)
			t->seat[k].turn = t->turns;
	}
}

/* ---- stop, resume ---------------------------------------------------------- */

static int stop(struct cs_engine *e, const struct cs_slice_calls *c,
		struct cs_ejob *j)
{
	struct cs_gang_seat *s = &e->turns->seat[j->seat - 1];

	s->late = true;
	return cs_slice_may_ask(e, j) ? c->stop(e, j) : 0;
}

/* Rules 2 and 5. */
static int stop_others(struct cs_engine *e, const struct cs_slice_calls *c,
		       bool all)
{
	struct cs_turns *t = e->turns;
	int rc = 0;

	for (size_t i = 0; !rc && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		if (j->state != CS_RUNNING || !j->seat)
			continue;
		if (cs_gang_seat_in_row(t, j, t->row))
			t->seat[j->seat - 1].late = false;
		else if (all || t->seat[j->seat - 1].late)
			rc = stop(e, c, j);
	}
	return rc;
}

static int turn(struct cs_engine *e, const struct cs_slice_calls *c)
{
	struct cs_turns *t = e->turns;
	uint32_t n = cs_gang_slots(t->gang);
	struct cs_action *a;
	int rc;

	begin(e, next_row(e));
	rc = stop_others(e, c, true);
	if (rc || n == 1)
		return rc;
	a = cs_engine_action(e, CS_ACT_SLICE);
	if (!a)
		return -ENOMEM;
	a->slot = t->row + 1;
	a->slots = n;
	a->until_us = t->end_us;
	return 0;
}

/* Rule 4: is enough of the turn left to resume or start jobs? */
static bool worth(const struct cs_engine *e)
{
	const struct cs_turns *t = e->turns;
	int64_t least = e->params.slice_guard_s + e->params.slice_rest_s;

	return cs_gang_slots(t->gang) == 1 || e->now_us == t->begin_us ||
	       t->end_us - e->now_us > least * CS_SECOND_US;
}

static int go_on(struct cs_engine *e, const struct cs_slice_calls *c)
{
	struct cs_turns *t = e->turns;
	int rc = 0;

	for (size_t i = 0; !rc && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		if (j->state != CS_STOPPED ||
		    !cs_gang_seat_in_row(t, j, t->row) ||
		    !cs_slice_may_ask(e, j) ||
		    !cs_occ_is_free(&e->sm->now, j->alloc))
			continue;
		t->seat[j->seat - 1].late = false;
		rc = c->go_on(e, j);
	}
	return rc;
}

/* ---- a decide ------------------------------------------------------------------ */

static bool nobody_runs(const struct cs_engine *e)
{
	for (size_t i = 0; i < e->started.n; i++)
		if (runs(e->started.job[i]))
			return false;
	return true;
}

/* Does a job of the slot run? */
static bool anybody_served(const struct cs_engine *e)
{
	const struct cs_turns *t = e->turns;

	for (size_t i = 0; i < e->started.n; i++)
		if (in_turn(t, e->started.job[i]) &&
		    cs_gang_seat_in_row(t, e->started.job[i], t->row))
			return true;
	return false;
}

/* Rule 2. */
static bool over(const struct cs_engine *e)
{
	const struct cs_turns *t = e->turns;

	return cs_gang_slots(t->gang) &&
	       (e->now_us >= t->end_us ||
		(t->served && e->now_us > t->begin_us && nobody_runs(e)));
}

/* Does a job of the slot wait? */
static bool anybody_due(const struct cs_engine *e)
{
	for (size_t i = 0; i < e->waiting.n; i++)
		if (cs_gang_seat_in_row(e->turns, e->waiting.job[i],
					e->turns->row))
			return true;
	return false;
}

static int walk(struct cs_engine *e, const struct cs_slice_calls *c,
		bool starts)
{
	int rc;

	cs_gang_seats_begin(e, starts);
	rc = c->walk(e);
	cs_gang_seats_end(e);
	find_row(e);
	return rc;
}

static int decide(struct cs_engine *e, const struct cs_slice_calls *c)
{
	struct cs_turns *t = e->turns;
	int rc = cs_gang_seats_settle(e);
	size_t actions;

	find_row(e);
	t->served |= anybody_served(e);
	if (!t->end_us && !nobody_runs(e))
		begin(e, t->row); /* they ran before us */
	if (!rc)
		rc = over(e) ? turn(e, c) : stop_others(e, c, false);
	/* nodes are free once the host has answered */
	if (e->open)
		t->served = false;
	if (rc || e->open)
		return rc;
	rc = walk(e, c, false);
	if (!rc && cs_gang_slots(t->gang) && e->now_us >= t->end_us)
		begin(e, next_row(e)); /* no job was there */
	if (rc || !worth(e))
		return rc;
	actions = e->n_action;
	rc = go_on(e, c);
	if (!rc && anybody_due(e))
		rc = walk(e, c, true);
	t->served |= e->n_action > actions;
	return rc;
}

/* ---- queries --------------------------------------------------------------- */

static int64_t wakeup_us(const struct cs_engine *e)
{
	const struct cs_turns *t = e->turns;
	int64_t next = CS_TIME_NONE;

	if (cs_gang_slots(t->gang) > 1)
		next = t->end_us > e->now_us ? t->end_us : e->now_us + 1;
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];
		int64_t at = cs_slice_rested_us(e, j);

		if ((j->state == CS_STOPPED ||
		     (j->state == CS_RUNNING && j->seat &&
		      t->seat[j->seat - 1].late)) &&
		    at > e->now_us && at < next)
			next = at;
	}
	return next;
}

/* A job has one slot of a round. */
static int64_t wall_us(const struct cs_engine *e,
		       const struct cs_slice_machine *sm, int64_t service_us)
{
	int64_t n = cs_gang_slots(e->turns->gang);

	(void)sm;
	if (n > 1 && service_us < (CS_TIME_NONE - e->now_us) / n)
		service_us *= n;
	return cs_later_us(e->now_us, service_us);
}

static int now(const struct cs_engine *e, struct cs_slice_now *ret)
{
	const struct cs_turns *t = e->turns;

	*ret = (struct cs_slice_now){
		.slots = cs_gang_slots(t->gang),
		.slot = t->row + 1,
		.class = CS_CLASSES,
		.serve_us = t->begin_us,
		.end_us = cs_gang_slots(t->gang) > 1 ? t->end_us : CS_TIME_NONE,
	};
	for (uint32_t c = 0; c < CS_CLASSES; c++)
		ret->next_us[c] = CS_TIME_NONE;
	return ret->slots ? 0 : -ENOENT;
}

static int slot(const struct cs_engine *e, uint32_t row,
		struct cs_slot_now *ret)
{
	const struct cs_turns *t = e->turns;
	uint32_t last = CS_GANG_NONE;

	if (!row-- || row >= cs_gang_slots(t->gang))
		return -ENOENT;
	*ret = (struct cs_slot_now){
		.next_us = row == t->row ? e->now_us : turn_us(e, row),
	};
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		uint32_t k = cs_gang_at(t->gang, row, n);

		ret->nodes += k != CS_GANG_NONE;
		ret->jobs += k != CS_GANG_NONE && k != last;
		last = k;
	}
	return 0;
}

/* Does its slot have the turn, with enough left of it for who does not run yet? */
static bool has_turn(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_turns *t = e->turns;

	return cs_gang_seat_in_row(t, j, t->row) && e->now_us < t->end_us &&
	       (j->state == CS_RUNNING || worth(e));
}

static int64_t again_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_turns *t = e->turns;
	int64_t first = CS_TIME_NONE;

	if (has_turn(e, j))
		return e->now_us;
	for (uint32_t r = 0; r < cs_gang_slots(t->gang); r++)
		if (cs_gang_seat_in_row(t, j, r) && turn_us(e, r) < first)
			first = turn_us(e, r);
	return first;
}

/* One slot of each round, though it may have several. */
static int64_t until_us(const struct cs_engine *e, const struct cs_ejob *j,
			int64_t service_us)
{
	const struct cs_turns *t = e->turns;
	int64_t n = cs_gang_slots(t->gang), S = slot_us(e), from, left, turns;

	from = again_us(e, j);
	if (n < 2 || from == CS_TIME_NONE)
		return cs_later_us(e->now_us, service_us);
	left = has_turn(e, j) ? t->end_us - e->now_us : S;
	if (service_us <= left)
		return from + service_us;
	turns = (service_us - left - 1) / S;
	if (turns > (CS_TIME_NONE - from) / (n * S) - 2)
		return CS_TIME_NONE;
	/* its next turn begins n - 1 slots after the end of this one */
	return from + left + (n - 1) * S + turns * n * S +
	       (service_us - left - turns * S);
}

const struct cs_slice_ops cs_slice_gang = {
	.n_sm = 1,
	.stops = true,
	.rests = true,
	.init = cs_gang_seats_init,
	.done = cs_gang_seats_done,
	.became = cs_gang_seats_became,
	.copy = cs_gang_seats_copy,
	.booked = cs_gang_seat_booked,
	.decide = decide,
	.seat = cs_gang_seat,
	.lacks = cs_gang_seat_lacks,
	.wall_us = wall_us,
	.now = now,
	.slot = slot,
	.again_us = again_us,
	.until_us = until_us,
	.wakeup_us = wakeup_us,
	.check = cs_gang_seats_check,
};
