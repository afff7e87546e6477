/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gang scheduling with re-packing.
 *
 * Problem.  All processes of a parallel job must run at the same time, or they wait for
 * each other; and no job should block another until it ends.  So time is divided into
 * slots, a job has its processors in one of them, and the slots run in turn.  A job
 * gets 1 of n slots, so fewer slots are better.  Each slot has holes that no job fits
 * into, and jobs that end leave more.
 *
 * Symbols	C name			unit
 *   n		rows			slots of a round
 *   P		procs			processors
 *   p		job.procs		processors of a job
 *   	job.places		slots of a round that a job has
 *
 * Rules.
 *  1. A job of p processors has the first p of a block of neighbours, until it ends; in
 *     a row of the matrix (matrix.h) it has all of them or none.  The rest of its block
 *     is free for other jobs.
 *  2. The block, by gang_block (block.c):
 *	first	of the buddy blocks (2^h processors, aligned, the smallest that hold
 *		p) that are idle in some slot without re-packing: the lowest slot, there
 *		the leftmost
 *	buddy	the buddy block with the largest value in the workload tree (tree.c),
 *		the leftmost of them; the job's row is gathered by re-packing
 *		(repack.c)
 *	any	the p neighbours whose most loaded processor has the most
 *		idle slots, the leftmost of them; the row is gathered
 *  3. If there is no such block, a slot is added and rule 2 applied again.
 *  4. After an arrival and an end: while the root of the tree is not 0, the whole
 *     machine is gathered in one slot, which is removed.  Without re-packing, and with
 *     extra places that are kept, only a slot without jobs is removed (`empties`: not
 *     before the next settlement).
 *  5. Extra places, by gang_extra (extra.c), on idle processors of existing slots:
 *	none	a job has one place
 *	kept	at an arrival each job gets one more if it fits, and keeps it until its
 *		end
 *	kept-one
 *		at the settlement after arrivals, each job that has one place gets a
 *		second if a slot is idle, as it is, on its whole block, and keeps it
 *	lent	at a change all are taken back; then rules 2 to 4 apply, for which they do
 *		not exist; then each job gets one if it fits, repeatedly until
 *		none does (cs_gang_settle())
 *     in the order gang_deal: the narrowest or the widest job first.
 *
 *	preset	gang_block	gang_extra	gang_deal
 *	bc	first		none		-
 *	br	buddy		none		-
 *	brms	buddy		kept		narrow
 *	brmms	buddy		lent		narrow
 *	brmms+	any		lent		wide		ours
 *
 * Source: Zhou00 (Zhou, Walsh and Brent, see repack.c), sections 2 to 4.1.
 *
 * Differs.
 *  1. Rule 1, the rest of a block: the paper does not say whether it is usable. If it
 *     is not, its schemes saturate at a load of .7, which they do not (table 2).
 *  2. Rule 4 after an arrival: with differing 1 the root can become non-zero then.
 *     Without it BR has 2 % more slots.
 *  3. Rule 5, kept: section 4.3 has freed places idle "until a change such as a new job
 *     arriving"; no single rule gives both of its tables (doc/results/gang.md).  The
 *     orders are ours: it gives none.
 *  4. `any`.  With re-packing a slot can be spared as long as every processor is idle
 *     in some slot: n is the number of jobs on the most loaded processor.  So a block
 *     should be chosen by that, not by its sum, and a power of two is no longer needed.
 *
 * Example: 8 processors, gang_block=buddy; jobs of 4, 3, 3, 2 and 8 processors.
 *
 *	slot 2	e e e e e e e e		a 0-3, b 4-6; for c there is no room: slot 1,
 *	slot 1	d d . . c c c .		where 4-7 has 5 idle places and 0-3 has 4; d 0-1;
 *	slot 0	a a a a b b b .		e slot 2
 *
 * When a ends, no slot can be spared: b, c and e share processor 4.  With `lent` d then
 * gets a second place, in slot 0 (test_gang.c).
 *
 * Invariants (cs_gang_check()): a job occupies all its processors in as many rows as it
 * has places, at least one; idle[] and the tree equal a naive count; by rule 4 the root
 * is 0; so with `any`, n is the number of jobs on the most loaded processor (lent
 * places aside).
 *
 * Cost: an arrival with `buddy` O(log P) to find the block, O(n p) to gather it, `any`
 * O(P) and O(n p); an end O(n p); rule 4 O(n P) per slot removed; rule 5 O(n p) per
 * place, kept-one O(n p) per row.
 *
 * Known weakness: memory is taken as unlimited, a switch of slots as free.  An earlier
 * arrival has no advantage but its slots.
 */
#include "gang/gang.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "gang/gang_parts.h"
#include "gang/repack.h"

/* ---- life ---------------------------------------------------------------- */

struct cs_gang *cs_gang_create(uint32_t procs,
			       const struct cs_gang_rules *rules)
{
	struct cs_gang *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->rules = *rules;
	cs_gang_matrix_init(&g->m, procs);
	g->idle = calloc(procs, sizeof(*g->idle));
	g->window = calloc(procs, sizeof(*g->window));
	if (g->idle && g->window && !cs_gang_tree_init(&g->room, procs))
		return g;
	cs_gang_free(g);
	return NULL;
}

void cs_gang_free(struct cs_gang *g)
{
	if (!g)
		return;
	cs_gang_matrix_done(&g->m);
	cs_gang_tree_done(&g->room);
	free(g->idle);
	free(g->window);
	free(g->job);
	free(g->by_width);
	free(g->scratch);
	free(g);
}

int cs_gang_copy(struct cs_gang *to, const struct cs_gang *from)
{
	size_t procs = from->m.procs;

	if (cs_gang_matrix_copy(&to->m, &from->m))
		return -ENOMEM;
	memcpy(to->idle, from->idle, procs * sizeof(*to->idle));
	cs_gang_tree_copy(&to->room, &from->room);
	to->last_seq = from->last_seq;
	to->dealt_seq = from->dealt_seq;
	to->changed = from->changed;
	if (!from->cap)
		return 0;
	to->job = calloc(from->cap, sizeof(*to->job));
	to->by_width = calloc(from->cap, sizeof(*to->by_width));
	to->scratch = calloc(from->cap, sizeof(*to->scratch));
	if (!to->job || !to->by_width || !to->scratch)
		return -ENOMEM;
	memcpy(to->job, from->job, from->cap * sizeof(*to->job));
	memcpy(to->by_width, from->by_width, from->n * sizeof(*to->by_width));
	to->n = from->n;
	to->cap = from->cap;
	return 0;
}

/* ---- places and slots ---------------------------------------------------- */

static void add(struct cs_gang *g, uint32_t from, uint32_t to, int by,
		bool lent)
{
	for (uint32_t i = from; i < to; i++)
		g->idle[i] += (uint32_t)by;
	if (!lent)
		cs_gang_tree_add(&g->room, from, to, by);
}

void cs_gang_place(struct cs_gang *g, uint32_t job, uint32_t row)
{
	struct cs_gang_job *j = &g->job[job];
	uint32_t to = j->first + j->procs;

	cs_gang_row_set(&g->m, row, j->first, to, job);
	add(g, j->first, to, -1, j->places && cs_gang_lends(g));
	j->places++;
}

void cs_gang_unplace(struct cs_gang *g, uint32_t job, uint32_t row)
{
	struct cs_gang_job *j = &g->job[job];
	uint32_t to = j->first + j->procs;

	j->places--;
	cs_gang_row_set(&g->m, row, j->first, to, CS_GANG_NONE);
	add(g, j->first, to, 1, j->places && cs_gang_lends(g));
}

static void drop_slot(struct cs_gang *g, uint32_t row)
{
	cs_gang_row_delete(&g->m, row);
	add(g, 0, g->m.procs, -1, false);
}

static void drop_empty(struct cs_gang *g)
{
	uint32_t procs = g->m.procs;

	for (uint32_t r = g->m.rows; r-- > 0;)
		if (cs_gang_idle_run(&g->m, r, 0, procs) == procs)
			drop_slot(g, r);
}

/* Rule 4. */
static void spare(struct cs_gang *g)
{
	while (cs_gang_unites(g) && cs_gang_tree_root(&g->room))
		drop_slot(g, cs_gang_gather(&g->m, 0, g->m.procs));
	if (!cs_gang_unites(g) && !g->rules.empties)
		drop_empty(g);
}

/* ---- jobs ---------------------------------------------------------------- */

static bool grown(uint32_t **p, size_t n)
{
	uint32_t *more = realloc(*p, n * sizeof(*more));

	if (!more)
		return false;
	*p = more;
	return true;
}

/* Allocate for one more job, and one more slot. */
static int reserve(struct cs_gang *g)
{
	size_t cap = g->cap ? 2 * g->cap : 16;
	struct cs_gang_job *more;

	if (cs_gang_row_reserve(&g->m))
		return -ENOMEM;
	if (g->n < g->cap)
		return 0;
	if (cap >= CS_GANG_NONE || !grown(&g->by_width, cap) ||
	    !grown(&g->scratch, cap))
		return -ENOMEM;
	more = realloc(g->job, cap * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + g->cap, 0, (cap - g->cap) * sizeof(*more));
	g->job = more;
	g->cap = cap;
	return 0;
}

/* Register a job of @procs, as yet without processors. */
static uint32_t enter(struct cs_gang *g, uint32_t procs)
{
	size_t at = g->n;
	uint32_t job = 0;

	while (g->job[job].procs)
		job++;
	g->job[job] =
		(struct cs_gang_job){ .procs = procs, .seq = ++g->last_seq };
	while (at && g->job[g->by_width[at - 1]].procs > procs)
		at--;
	memmove(g->by_width + at + 1, g->by_width + at,
		(g->n - at) * sizeof(*g->by_width));
	g->by_width[at] = job;
	g->n++;
	return job;
}

static void forget(struct cs_gang *g, uint32_t job)
{
	size_t at = 0;

	while (g->by_width[at] != job)
		at++;
	g->n--;
	memmove(g->by_width + at, g->by_width + at + 1,
		(g->n - at) * sizeof(*g->by_width));
	g->job[job] = (struct cs_gang_job){ 0 };
}

/* A change begins: lent places are taken back. */
static void begin(struct cs_gang *g)
{
	if (!g->changed && cs_gang_lends(g))
		cs_gang_take_back(g);
	g->changed = true;
}

/* A job's processors, and a row that is idle there. */
struct spot {
	uint32_t first, procs, row;
};

static void settles(struct cs_gang *g, uint32_t job, const struct spot *at)
{
	g->job[job].first = at->first;
	cs_gang_place(g, job, at->row);
	spare(g);
	if (g->rules.extra == CS_GANG_EXTRA_KEPT)
		cs_gang_deal(g, false);
}

static void add_slot(struct cs_gang *g)
{
	cs_gang_row_add(&g->m);
	add(g, 0, g->m.procs, 1, false);
}

static bool find(struct cs_gang *g, uint32_t procs, const uint64_t *allowed,
		 struct spot *ret)
{
	ret->procs = procs;
	ret->first = allowed ? cs_gang_block_on(g, procs, allowed, &ret->procs,
						&ret->row)
			     : cs_gang_block(g, procs, &ret->row);
	return ret->first != CS_GANG_NONE;
}

static bool enough(const struct cs_gang *g, uint32_t procs,
		   const uint64_t *allowed)
{
	return !allowed ||
	       cs_bits_count(allowed, cs_bit_words(g->m.procs)) >= procs;
}

static int arrive(struct cs_gang *g, uint32_t procs, const uint64_t *allowed,
		  uint32_t slots, uint32_t *ret_job)
{
	struct spot at;
	bool fresh;

	if (!procs || procs > g->m.procs)
		return -EINVAL;
	if (!enough(g, procs, allowed))
		return -ENOSPC;
	if (reserve(g))
		return -ENOMEM;
	begin(g);
	fresh = !find(g, procs, allowed, &at);
	if (fresh && slots && g->m.rows >= slots)
		return -ENOSPC;
	if (fresh) {
		add_slot(g);
		find(g, procs, allowed, &at);
	}
	*ret_job = enter(g, at.procs);
	settles(g, *ret_job, &at);
	return 0;
}

int cs_gang_arrive(struct cs_gang *g, uint32_t procs, uint32_t *ret_job)
{
	return arrive(g, procs, NULL, 0, ret_job);
}

int cs_gang_arrive_on(struct cs_gang *g, uint32_t procs,
		      const uint64_t *allowed, uint32_t slots,
		      uint32_t *ret_job)
{
	return arrive(g, procs, allowed, slots, ret_job);
}

int cs_gang_adopt(struct cs_gang *g, uint32_t first, uint32_t procs,
		  uint32_t slots, uint32_t *ret_job)
{
	struct spot at = { first, procs, CS_GANG_NONE };

	if (!procs || procs > g->m.procs || first > g->m.procs - procs)
		return -EINVAL;
	if (reserve(g))
		return -ENOMEM;
	begin(g);
	at.row = cs_gang_row_for(g, first, procs);
	if (at.row == CS_GANG_NONE && slots && g->m.rows >= slots)
		return -ENOSPC;
	if (at.row == CS_GANG_NONE) {
		add_slot(g);
		at.row = g->m.rows - 1;
	}
	*ret_job = enter(g, procs);
	settles(g, *ret_job, &at);
	return 0;
}

void cs_gang_leave(struct cs_gang *g, uint32_t job)
{
	begin(g);
	for (uint32_t r = 0; r < g->m.rows; r++)
		if (g->m.row[r][g->job[job].first] == job)
			cs_gang_unplace(g, job, r);
	forget(g, job);
	spare(g);
}

bool cs_gang_settle(struct cs_gang *g)
{
	bool changed = g->changed;

	if (changed && g->rules.empties && !cs_gang_unites(g))
		drop_empty(g);
	if (changed && cs_gang_lends(g))
		cs_gang_deal(g, true);
	if (g->rules.extra == CS_GANG_EXTRA_KEPT_ONE &&
	    g->last_seq > g->dealt_seq)
		cs_gang_deal_one(g);
	g->dealt_seq = g->last_seq;
	g->changed = false;
	return changed;
}

/* ---- queries ------------------------------------------------------------- */

uint32_t cs_gang_slots(const struct cs_gang *g)
{
	return g->m.rows;
}

uint32_t cs_gang_at(const struct cs_gang *g, uint32_t slot, uint32_t proc)
{
	return g->m.row[slot][proc];
}

struct cs_gang_job cs_gang_job(const struct cs_gang *g, uint32_t job)
{
	return job < g->cap ? g->job[job] : (struct cs_gang_job){ 0 };
}
