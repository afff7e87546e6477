/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free nodes over time: see timeline.h.
 *
 * Problem.  Conservative backfill asks, for each of 10,000 waiting jobs, when enough
 * nodes are free for long enough, and then takes them.  The line then has up to two
 * steps a job.  An array of steps costs all of them at each insertion and search; a
 * tree costs pointers even for only fifty steps.
 *
 * Rules.
 *  1. A step lasts until the next one.  Two in a row differ in some class: the
 *     line has no more steps than it needs.
 *  2. Steps are in blocks of at most STEPS, in order of time, as are the blocks; none
 *     is empty.  Two in a row that together fill at most half of one are merged when a
 *     step is taken out of either.
 *  3. A block knows the least and the most that is free in it, by class.
 *  4. What is free at a step is base + free[], base being the block's: adding
 *     to a whole block changes base, least and most only.
 *  5. A search goes to the first step with enough free, then to the end of the time
 *     that a start there would take, and back from there.  The first step it meets that
 *     leaves too little rules out every start up to its end, so the search goes on from
 *     there; what lies before is skipped (as Boyer and Moore, CACM 20(10), 1977,
 *     compare words from their end).  It passes over blocks by their most and their
 *     least.
 *  6. A class without a unit left in what a search has seen takes no part in the rest:
 *     of a hundred classes most are full at most times.
 *  7. A step knows in which classes it differs from the one before: of a hundred classes
 *     one or two.  A search that goes on by a step looks at those, unless the line, or
 *     the search, is about FEW classes only.
 *
 *	first_us[]	| 0 | 40 | 75 | none		in order of time
 *	block[]		| . |  . |  . |
 *			  |    \    \
 *	at_us[][]	| 0 5 9 .. | 40 41 .. | 75 ..	room for STEPS each
 *	free[][class][]	| 3 2 7 .. |  0  1 .. |  9 ..
 *	differs[][][]	| - c c .. |  c  c .. |  c ..	a set of classes each
 *
 * Cost.  add: O(log steps + STEPS + blocks in between), each by class.  find:
 * the steps with too little that no block's most skips, and for each failed start the
 * blocks of the job's time and the steps of a few of them; a block by class, a step by
 * the classes that change there.
 *
 * Known weakness: if one class falls and another rises step by step, starts may fail
 * one by one: O(steps * blocks in the job's time).  Counts must stay within 2^30.  find
 * has its minima in the line: one search at a time.
 */
#include "backfill/timeline.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "model/job.h"

#define STEPS 64     /* of a block; by bench_timeline */
#define FIRST_ROOM 4 /* blocks of a new line */
#define FEW 3	     /* classes */

struct block {
	uint32_t slot; /* where its steps are */
	uint32_t n;    /* steps, 1 .. STEPS */
};

struct range {
	int32_t base;
	int32_t least, most; /* base included */
};

struct cs_timeline {
	uint32_t classes;
	uint32_t words;		/* of a set of them; 0: they are few (rule 7) */
	uint32_t n_block, room; /* in use, allocated */
	size_t n_step;
	int64_t *first_us;   /* [room + 1] by time; then CS_TIME_NONE */
	struct block *block; /* [room] the same; then free ones */
	int64_t *at_us;	     /* [room][STEPS] */
	int32_t *free;	     /* [room][classes][STEPS], base left out */
	struct range *range; /* [room][classes] */
	uint64_t *differs;   /* [room][STEPS][words] rule 7 */
	int32_t *units;	     /* [2][classes] for find */
	uint32_t *among;     /* [3][classes] the same */
	uint64_t *asked;     /* [words] the same */
};

/* A step: its block's index in block[], its own in the block. */
struct pos {
	uint32_t b, i;
};

static int32_t min(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int64_t *at_of(const struct cs_timeline *t, uint32_t slot)
{
	return t->at_us + (size_t)slot * STEPS;
}

static int32_t *free_of(const struct cs_timeline *t, uint32_t slot, uint32_t c)
{
	return t->free + ((size_t)slot * t->classes + c) * STEPS;
}

static struct range *range_of(const struct cs_timeline *t, uint32_t slot)
{
	return t->range + (size_t)slot * t->classes;
}

static uint64_t *differs_of(const struct cs_timeline *t, uint32_t slot,
			    uint32_t i)
{
	return t->differs + ((size_t)slot * STEPS + i) * t->words;
}

/* The classes in which step @p differs from the one before. */
static uint64_t *differs_at(const struct cs_timeline *t, struct pos p)
{
	return differs_of(t, t->block[p.b].slot, p.i);
}

static int32_t free_at(const struct cs_timeline *t, struct pos p, uint32_t c)
{
	uint32_t slot = t->block[p.b].slot;

	return range_of(t, slot)[c].base + free_of(t, slot, c)[p.i];
}

static int64_t step_start(const struct cs_timeline *t, struct pos p)
{
	return at_of(t, t->block[p.b].slot)[p.i];
}

/* @p is not the first one. */
static struct pos step_before(const struct cs_timeline *t, struct pos p)
{
	if (p.i == 0)
		return (struct pos){ p.b - 1, t->block[p.b - 1].n - 1 };
	p.i--;
	return p;
}

/* May be behind the last one. */
static struct pos step_after(const struct cs_timeline *t, struct pos p)
{
	if (++p.i == t->block[p.b].n)
		p = (struct pos){ p.b + 1, 0 };
	return p;
}

/* ---------------------------------------------------------------- memory */

static bool resize(void **p, size_t n, size_t classes, size_t size)
{
	void *q;

	if (__builtin_mul_overflow(size, n, &size) ||
	    __builtin_mul_overflow(size, classes, &size))
		return false;
	q = realloc(*p, size);
	if (q)
		*p = q;
	return q != NULL;
}

/* Room for @more blocks beside those in use. */
static int reserve(struct cs_timeline *t, uint32_t more)
{
	size_t room = t->room ? (size_t)2 * t->room : FIRST_ROOM;

	if (t->room - t->n_block >= more)
		return 0;
	if (room > UINT32_MAX ||
	    !resize((void **)&t->first_us, room + 1, 1, sizeof(int64_t)) ||
	    !resize((void **)&t->block, room, 1, sizeof(*t->block)) ||
	    !resize((void **)&t->at_us, room, STEPS, sizeof(*t->at_us)) ||
	    !resize((void **)&t->free, room, t->classes,
		    STEPS * sizeof(*t->free)) ||
	    !resize((void **)&t->range, room, t->classes, sizeof(*t->range)) ||
	    (t->words && !resize((void **)&t->differs, room, t->words,
				 STEPS * sizeof(*t->differs))))
		return -ENOMEM;
	for (; t->room < room; t->room++)
		t->block[t->room].slot = t->room;
	return 0;
}

struct cs_timeline *cs_timeline_create(uint32_t classes)
{
	struct cs_timeline *t = calloc(1, sizeof(*t));

	assert(classes >= 1);
	if (!t)
		return NULL;
	t->classes = classes;
	t->words = classes > FEW ? cs_bit_words(classes) : 0;
	t->units = calloc(classes, 2 * sizeof(*t->units));
	t->among = calloc(classes, 3 * sizeof(*t->among));
	t->asked = calloc(t->words + 1, sizeof(*t->asked));
	if (!t->units || !t->among || !t->asked || reserve(t, 1)) {
		cs_timeline_free(t);
		return NULL;
	}
	cs_timeline_reset(t, 0, t->units);
	return t;
}

void cs_timeline_free(struct cs_timeline *t)
{
	if (!t)
		return;
	free(t->first_us);
	free(t->block);
	free(t->at_us);
	free(t->free);
	free(t->range);
	free(t->differs);
	free(t->units);
	free(t->among);
	free(t->asked);
	free(t);
}

void cs_timeline_reset(struct cs_timeline *t, int64_t from_us, const int32_t *n)
{
	uint32_t slot = t->block[0].slot;

	t->n_block = 1;
	t->n_step = 1;
	t->first_us[0] = from_us;
	t->first_us[1] = CS_TIME_NONE;
	t->block[0].n = 1;
	at_of(t, slot)[0] = from_us;
	if (t->words)
		memset(differs_of(t, slot, 0), 0,
		       t->words * sizeof(*t->differs));
	for (uint32_t c = 0; c < t->classes; c++) {
		free_of(t, slot, c)[0] = 0;
		range_of(t, slot)[c] = (struct range){ n[c], n[c], n[c] };
	}
}

int cs_timeline_copy(struct cs_timeline *to, const struct cs_timeline *from)
{
	uint32_t c = from->classes;

	assert(to->classes == c);
	while (to->room < from->n_block)
		if (reserve(to, to->room - to->n_block + 1))
			return -ENOMEM;
	to->n_block = from->n_block;
	to->n_step = from->n_step;
	memcpy(to->first_us, from->first_us,
	       (from->n_block + 1) * sizeof(*to->first_us));
	for (uint32_t b = 0; b < from->n_block; b++) {
		uint32_t slot = to->block[b].slot, at = from->block[b].slot;

		to->block[b].n = from->block[b].n;
		memcpy(at_of(to, slot), at_of(from, at),
		       from->block[b].n * sizeof(*to->at_us));
		memcpy(free_of(to, slot, 0), free_of(from, at, 0),
		       (size_t)c * STEPS * sizeof(*to->free));
		memcpy(range_of(to, slot), range_of(from, at),
		       c * sizeof(*to->range));
		if (to->words)
			memcpy(differs_of(to, slot, 0), differs_of(from, at, 0),
			       from->block[b].n * to->words *
				       sizeof(*to->differs));
	}
	return 0;
}

/* ---------------------------------------------------------------- places */

/* The last of @n increasing instants that is not after @us; else 0. */
static uint32_t last_at(const int64_t *at_us, uint32_t n, int64_t us)
{
	uint32_t low = 0;

	while (n > 1) {
		uint32_t half = n / 2;

		low += at_us[low + half] <= us ? half : 0;
		n -= half;
	}
	return low;
}

/* The step of block @b that holds @us. */
static uint32_t step_in(const struct cs_timeline *t, uint32_t b, int64_t us)
{
	return last_at(at_of(t, t->block[b].slot), t->block[b].n, us);
}

/* The step that holds @us; the first one where that is before the beginning. */
static struct pos step_at(const struct cs_timeline *t, int64_t us)
{
	uint32_t b = last_at(t->first_us, t->n_block, us);

	return (struct pos){ b, step_in(t, b, us) };
}

/* ---------------------------------------------------------------- blocks */

/* Recompute least and most of a class. */
static void measure(struct cs_timeline *t, uint32_t b, uint32_t c)
{
	const int32_t *free = free_of(t, t->block[b].slot, c);
	struct range *r = &range_of(t, t->block[b].slot)[c];
	int32_t least = free[0], most = free[0];

	for (uint32_t i = 1; i < t->block[b].n; i++) {
		least = free[i] < least ? free[i] : least;
		most = free[i] > most ? free[i] : most;
	}
	r->least = r->base + least;
	r->most = r->base + most;
}

/* The first step of block @b, or others, have changed. */
static void changed(struct cs_timeline *t, uint32_t b)
{
	t->first_us[b] = at_of(t, t->block[b].slot)[0];
	for (uint32_t c = 0; c < t->classes; c++)
		measure(t, b, c);
}

/* Take block @b out of the order; its slot is free then. */
static void drop_block(struct cs_timeline *t, uint32_t b)
{
	struct block old = t->block[b];
	size_t behind = --t->n_block - b;

	memmove(t->block + b, t->block + b + 1, behind * sizeof(*t->block));
	memmove(t->first_us + b, t->first_us + b + 1,
		(behind + 1) * sizeof(*t->first_us));
	t->block[t->n_block] = old;
}

/* Put a free block at place @b of the order. */
static void insert_block(struct cs_timeline *t, uint32_t b)
{
	struct block new = t->block[t->n_block];
	size_t behind = t->n_block - b;

	assert(t->n_block < t->room);
	memmove(t->block + b + 1, t->block + b, behind * sizeof(*t->block));
	memmove(t->first_us + b + 1, t->first_us + b,
		(behind + 1) * sizeof(*t->first_us));
	t->block[b] = new;
	t->n_block++;
}

/* Move the second half of full block @b to a new one behind it. */
static void split(struct cs_timeline *t, uint32_t b)
{
	const uint32_t half = STEPS / 2;
	uint32_t from, to;

	insert_block(t, b + 1);
	from = t->block[b].slot;
	to = t->block[b + 1].slot;
	t->block[b].n = half;
	t->block[b + 1].n = STEPS - half;
	memcpy(at_of(t, to), at_of(t, from) + half,
	       (STEPS - half) * sizeof(*t->at_us));
	if (t->words)
		memcpy(differs_of(t, to, 0), differs_of(t, from, half),
		       (STEPS - half) * t->words * sizeof(*t->differs));
	for (uint32_t c = 0; c < t->classes; c++) {
		memcpy(free_of(t, to, c), free_of(t, from, c) + half,
		       (STEPS - half) * sizeof(*t->free));
		range_of(t, to)[c].base = range_of(t, from)[c].base;
	}
	changed(t, b);
	changed(t, b + 1);
}

/* Merge the next block into @b if both are nearly empty. */
static void join(struct cs_timeline *t, uint32_t b)
{
	struct block *one = &t->block[b], *two = one + 1;

	if (b + 1 == t->n_block || one->n + two->n > STEPS / 2)
		return;
	memcpy(at_of(t, one->slot) + one->n, at_of(t, two->slot),
	       two->n * sizeof(*t->at_us));
	if (t->words)
		memcpy(differs_of(t, one->slot, one->n),
		       differs_of(t, two->slot, 0),
		       two->n * t->words * sizeof(*t->differs));
	for (uint32_t c = 0; c < t->classes; c++) {
		int32_t *to = free_of(t, one->slot, c) + one->n;
		const int32_t *from = free_of(t, two->slot, c);
		int32_t base = range_of(t, two->slot)[c].base -
			       range_of(t, one->slot)[c].base;

		for (uint32_t i = 0; i < two->n; i++)
			to[i] = from[i] + base;
	}
	one->n += two->n;
	changed(t, b);
	drop_block(t, b + 1);
}

/* ----------------------------------------------------------------- steps */

/* Make a step begin at @us, which is not before the beginning.  Returns whether it is
 * new: then it equals the one before until @n is added on one side of it. */
static bool cut(struct cs_timeline *t, int64_t us, const int32_t *n)
{
	struct pos p = step_at(t, us);
	struct block *blk;
	uint64_t *differs;
	int64_t *at;
	size_t rest;

	if (step_start(t, p) == us)
		return false;
	if (t->block[p.b].n == STEPS) {
		split(t, p.b);
		p = step_at(t, us);
	}
	blk = &t->block[p.b];
	rest = blk->n++ - ++p.i;
	t->n_step++;
	at = at_of(t, blk->slot) + p.i;
	memmove(at + 1, at, rest * sizeof(*at));
	*at = us;
	for (uint32_t c = 0; c < t->classes; c++) {
		int32_t *free = free_of(t, blk->slot, c) + p.i;

		memmove(free + 1, free, rest * sizeof(*free));
		free[0] = free[-1];
	}
	if (!t->words)
		return true;
	differs = differs_of(t, blk->slot, p.i);
	memmove(differs + t->words, differs,
		rest * t->words * sizeof(*differs));
	memset(differs, 0, t->words * sizeof(*differs));
	for (uint32_t c = 0; c < t->classes; c++)
		if (n[c] != 0)
			cs_bit_set(differs, c);
	return true;
}

static void drop_step(struct cs_timeline *t, struct pos p)
{
	struct block *blk = &t->block[p.b];
	size_t rest = --blk->n - p.i;
	int64_t *at = at_of(t, blk->slot) + p.i;

	t->n_step--;
	if (blk->n == 0) {
		drop_block(t, p.b);
		return;
	}
	memmove(at, at + 1, rest * sizeof(*at));
	if (t->words)
		memmove(differs_of(t, blk->slot, p.i),
			differs_of(t, blk->slot, p.i + 1),
			rest * t->words * sizeof(*t->differs));
	for (uint32_t c = 0; c < t->classes; c++) {
		int32_t *free = free_of(t, blk->slot, c) + p.i;

		memmove(free, free + 1, rest * sizeof(*free));
	}
	if (p.i == 0)
		changed(t, p.b);
	join(t, p.b);
	if (p.b > 0)
		join(t, p.b - 1);
}

/* @n was added to one of the steps @p and @before, the one before it: do they still
 * differ?  Of many classes those are noted in which they do. */
static bool differ(struct cs_timeline *t, struct pos p, struct pos before,
		   const int32_t *n)
{
	uint64_t *differs = t->words ? differs_at(t, p) : NULL, any = 0;

	for (uint32_t c = 0; c < t->classes; c++) {
		bool unequal = free_at(t, p, c) != free_at(t, before, c);

		if (!differs && unequal)
			return true;
		if (differs && n[c] != 0)
			cs_bit_put(differs, c, unequal);
	}
	for (uint32_t w = 0; w < t->words; w++)
		any |= differs[w];
	return any;
}

/* After @n was added on one side of the instant @us, where a step began before: drop
 * that if it equals now the one before it. */
static void weld(struct cs_timeline *t, int64_t us, const int32_t *n)
{
	struct pos p = step_at(t, us);

	if ((p.b > 0 || p.i > 0) && !differ(t, p, step_before(t, p), n))
		drop_step(t, p);
}

/* Add @n to the steps @from .. @to - 1 of block @b. */
static void shift(struct cs_timeline *t, uint32_t b, uint32_t from, uint32_t to,
		  const int32_t *n)
{
	const struct block *blk = &t->block[b];
	struct range *r = range_of(t, blk->slot);

	for (uint32_t c = 0; c < t->classes; c++) {
		int32_t *free = free_of(t, blk->slot, c);

		if (n[c] == 0)
			continue;
		if (to - from == blk->n) {
			r[c].base += n[c];
			r[c].least += n[c];
			r[c].most += n[c];
			continue;
		}
		for (uint32_t i = from; i < to; i++)
			free[i] += n[c];
		measure(t, b, c);
	}
}

static bool nothing(const int32_t *n, uint32_t classes)
{
	for (uint32_t c = 0; c < classes; c++)
		if (n[c] != 0)
			return false;
	return true;
}

int cs_timeline_add(struct cs_timeline *t, int64_t from_us, int64_t to_us,
		    const int32_t *n)
{
	bool from_was, to_was = false;
	struct pos p;

	if (from_us < t->first_us[0])
		from_us = t->first_us[0];
	if (from_us >= to_us || nothing(n, t->classes))
		return 0;
	if (reserve(t, 2))
		return -ENOMEM;
	if (to_us != CS_TIME_NONE)
		to_was = !cut(t, to_us, n);
	from_was = !cut(t, from_us, n);
	p = step_at(t, from_us);
	for (; t->first_us[p.b] < to_us; p.b++, p.i = 0) {
		uint32_t end = t->block[p.b].n;

		if (t->first_us[p.b + 1] > to_us)
			end = step_in(t, p.b, to_us);
		shift(t, p.b, p.i, end, n);
	}
	if (to_was)
		weld(t, to_us, n);
	if (from_was)
		weld(t, from_us, n);
	return 0;
}

int32_t cs_timeline_least(const struct cs_timeline *t, uint32_t class,
			  int64_t from_us, int64_t to_us)
{
	struct pos p = step_at(t, from_us);
	int32_t least = INT32_MAX;

	if (from_us >= to_us)
		return least;
	for (; t->first_us[p.b] < to_us; p.b++, p.i = 0) {
		const struct block *blk = &t->block[p.b];
		int32_t of_block = range_of(t, blk->slot)[class].least;

		if (of_block >= least)
			continue;
		if (p.i == 0 && t->first_us[p.b + 1] <= to_us) {
			least = of_block;
			continue;
		}
		for (; p.i < blk->n && step_start(t, p) < to_us; p.i++)
			least = min(least, free_at(t, p, class));
	}
	return least;
}

/* ---------------------------------------------------------------- search */

/* The state of a search through the line. */
struct search {
	const struct cs_timeline *t;
	const uint32_t *class; /* [n] */
	const int32_t *unit;   /* [n]; NULL: all are 1 */
	const int32_t *most;   /* [n] units; NULL: any number */
	const struct cs_timeline_beside *beside; /* NULL: none */
	uint32_t n;
	int64_t need, len_us;
	int64_t start_us, end_us; /* under test */
	int64_t until_us;	  /* later ones do not count */
	int32_t *has, *next; /* [n] units in all that was seen, or at a step */
	int64_t sum;	     /* of has[] */
	uint32_t *with, n_with; /* [n_with] classes with a unit left: the others
				     are skipped */
	uint32_t *may, n_may;	/* [n_may] the same for some step of a block */
	uint32_t *index;	/* [classes] in class[], of those asked for */
	const uint64_t *asked;	/* set of those; NULL: they are few */
};

/* Whole units of @unit in @free, but at most @limit. */
static inline int32_t whole_units(int32_t free, int32_t unit, int32_t limit)
{
	if (free < unit)
		return 0;
	if (unit != 1)
		free /= unit;
	return free < limit ? free : limit;
}

/* Units of class @k in @free, but at most @limit. */
static inline int32_t units(const struct search *s, uint32_t k, int32_t free,
			    int32_t limit)
{
	return whole_units(free, s->unit ? s->unit[k] : 1, limit);
}

static inline int32_t most_units(const struct search *s, uint32_t k)
{
	return s->most ? s->most[k] : INT32_MAX;
}

/* Has class @k one beside it? */
static inline bool paired(const struct search *s, uint32_t k)
{
	return s->beside && s->beside->unit[k];
}

/* Units of class @k, at most @limit, at step @p. */
static inline int32_t step_units(const struct search *s, struct pos p,
				 uint32_t k, int32_t limit)
{
	limit = units(s, k, free_at(s->t, p, s->class[k]), limit);
	if (limit && paired(s, k))
		limit = whole_units(free_at(s->t, p, s->beside->class[k]),
				    s->beside->unit[k], limit);
	return limit;
}

/* Rule 7: it is about more than a few classes. */
static void ask_for(struct search *s)
{
	uint64_t *asked = s->t->asked;

	memset(asked, 0, s->t->words * sizeof(*asked));
	for (uint32_t k = 0; k < s->n; k++) {
		cs_bit_set(asked, s->class[k]);
		s->index[s->class[k]] = k;
		if (!paired(s, k))
			continue;
		cs_bit_set(asked, s->beside->class[k]);
		s->index[s->beside->class[k]] = k;
	}
	s->asked = asked;
}

static void start_at(struct search *s, int64_t us)
{
	s->start_us = us;
	if (__builtin_add_overflow(us, s->len_us, &s->end_us))
		s->end_us = CS_TIME_NONE;
}

/* May some step of a block have enough?  Does a step of that block? */
static bool block_may(struct search *s, uint32_t slot)
{
	const struct range *r = range_of(s->t, slot);
	int64_t sum = 0;

	s->n_may = 0;
	for (uint32_t k = 0; k < s->n; k++) {
		int32_t n = units(s, k, r[s->class[k]].most, most_units(s, k));

		if (n && paired(s, k))
			n = whole_units(r[s->beside->class[k]].most,
					s->beside->unit[k], n);
		if (n)
			s->may[s->n_may++] = k;
		sum += n;
	}
	return sum >= s->need;
}

/* Of a few classes: does a step have enough? */
static bool step_has(const struct search *s, struct pos p)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->n_may; i++) {
		uint32_t k = s->may[i];

		sum += step_units(s, p, k, most_units(s, k));
	}
	return sum >= s->need;
}

/* What a step has, of the classes that may have something. */
static void look_at(struct search *s, struct pos p)
{
	s->sum = 0;
	memset(s->has, 0, s->n * sizeof(*s->has));
	for (uint32_t i = 0; i < s->n_may; i++) {
		uint32_t k = s->may[i];

		s->has[k] = step_units(s, p, k, most_units(s, k));
		s->sum += s->has[k];
	}
}

/* The same after the step before. */
static void look_on(struct search *s, struct pos p)
{
	const uint64_t *differs = differs_at(s->t, p);

	for (uint32_t w = 0; w < s->t->words; w++) {
		uint64_t set = differs[w] & s->asked[w];

		while (set) {
			uint32_t c = 64 * w + cs_bit_pop(&set);
			uint32_t k = s->index[c];
			int32_t n = step_units(s, p, k, most_units(s, k));

			s->sum += n - s->has[k];
			s->has[k] = n;
		}
	}
}

/* The first step from @p on that has enough; else one that begins too late, or past the
 * last one. */
static struct pos first_enough(struct search *s, struct pos p)
{
	const struct cs_timeline *t = s->t;

	for (; p.b < t->n_block && t->first_us[p.b] < s->until_us;
	     p.b++, p.i = 0) {
		uint32_t n = t->block[p.b].n;

		if (!block_may(s, t->block[p.b].slot))
			continue;
		if (!s->asked) {
			while (p.i < n && !step_has(s, p))
				p.i++;
		} else {
			look_at(s, p);
			while (s->sum < s->need && ++p.i < n)
				look_on(s, p);
		}
		if (p.i < n)
			return p;
	}
	return p;
}

/* The last step before the end of the tested time, which begins in @p. */
static struct pos last_step(const struct search *s, struct pos p)
{
	while (s->t->first_us[p.b + 1] < s->end_us)
		p.b++;
	p.i = step_in(s->t, p.b, s->end_us - 1);
	return p;
}

static void forget(struct search *s)
{
	s->n_with = s->n;
	for (uint32_t k = 0; k < s->n; k++) {
		s->with[k] = k;
		s->has[k] = most_units(s, k);
	}
}

/* Is there enough with a whole block, too?  Then it is included. */
static bool with_block(struct search *s, uint32_t slot)
{
	const struct range *r = range_of(s->t, slot);
	uint32_t *with = s->with, n = s->n_with, left = 0;
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = with[i];

		if (!s->has[k])
			continue;
		with[left++] = k;
		s->next[k] = units(s, k, r[s->class[k]].least, s->has[k]);
		if (s->next[k] && paired(s, k))
			s->next[k] =
				whole_units(r[s->beside->class[k]].least,
					    s->beside->unit[k], s->next[k]);
		sum += s->next[k];
	}
	s->n_with = left;
	if (sum < s->need)
		return false;
	for (uint32_t i = 0; i < left; i++)
		s->has[with[i]] = s->next[with[i]];
	s->sum = sum;
	return true;
}

/* The same with a step, which is always included. */
static bool with_step(struct search *s, struct pos p)
{
	uint32_t *with = s->with, n = s->n_with, left = 0;
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = with[i];

		s->has[k] = step_units(s, p, k, s->has[k]);
		with[left] = k;
		left += s->has[k] > 0;
		sum += s->has[k];
	}
	s->n_with = left;
	s->sum = sum;
	return sum >= s->need;
}

/* The same of many classes if the step after it is included. */
static bool with_step_before(struct search *s, struct pos p)
{
	const uint64_t *differs = differs_at(s->t, step_after(s->t, p));

	for (uint32_t w = 0; w < s->t->words; w++) {
		uint64_t set = differs[w] & s->asked[w];

		while (set) {
			uint32_t c = 64 * w + cs_bit_pop(&set);
			uint32_t k = s->index[c];
			int32_t n = step_units(s, p, k, s->has[k]);

			s->sum += n - s->has[k];
			s->has[k] = n;
		}
	}
	return s->sum >= s->need;
}

/* Go back from @p to @low.  Is there enough in all of it?  Else @p is the step in the
 * way. */
static bool go_back(struct search *s, struct pos low, struct pos *p)
{
	const struct block *block = s->t->block;
	bool begun = false;

	forget(s);
	for (;; p->i = block[--p->b].n - 1) {
		uint32_t end = p->b == low.b ? low.i : 0;
		bool whole = end == 0 && p->i + 1 == block[p->b].n;

		if (!whole || !with_block(s, block[p->b].slot))
			for (;; p->i--, begun = s->asked) {
				if (!(begun ? with_step_before(s, *p)
					    : with_step(s, *p)))
					return false;
				if (p->i == end)
					break;
			}
		begun = s->asked;
		if (p->b == low.b)
			return true;
	}
}

/* Rule 5. */
static void search(struct search *s)
{
	const struct cs_timeline *t = s->t;
	struct pos p = step_at(t, s->start_us), q;

	for (;; p = step_after(t, q)) {
		p = first_enough(s, p);
		if (p.b == t->n_block)
			break;
		if (step_start(t, p) > s->start_us)
			start_at(s, step_start(t, p));
		if (s->start_us >= s->until_us)
			break;
		q = last_step(s, p);
		if (go_back(s, p, &q))
			return;
	}
	s->start_us = CS_TIME_NONE;
}

/* The units to take, class by class. */
static void take(const struct search *s, int32_t *ret_n)
{
	int64_t left = s->need;

	for (uint32_t k = 0; k < s->n; k++) {
		ret_n[k] = s->has[k] < left ? s->has[k] : (int32_t)left;
		left -= ret_n[k];
	}
}

int64_t cs_timeline_find(const struct cs_timeline *t, int64_t from_us,
			 int64_t len_us, uint32_t need, const uint32_t *class,
			 const int32_t *unit, uint32_t n_class, int32_t *ret_n)
{
	return cs_timeline_find_most(t, from_us, len_us, need, class, unit,
				     NULL, n_class, ret_n);
}

int64_t cs_timeline_find_most(const struct cs_timeline *t, int64_t from_us,
			      int64_t len_us, uint32_t need,
			      const uint32_t *class, const int32_t *unit,
			      const int32_t *most, uint32_t n_class,
			      int32_t *ret_n)
{
	return cs_timeline_find_until(t, from_us, CS_TIME_NONE, len_us, need,
				      class, unit, most, NULL, n_class, ret_n);
}

int64_t cs_timeline_find_until(const struct cs_timeline *t, int64_t from_us,
			       int64_t until_us, int64_t len_us, uint32_t need,
			       const uint32_t *class, const int32_t *unit,
			       const int32_t *most,
			       const struct cs_timeline_beside *beside,
			       uint32_t n_class, int32_t *ret_n)
{
	struct search s = { .t = t,
			    .class = class,
			    .unit = unit,
			    .most = most,
			    .beside = beside,
			    .n = n_class,
			    .need = need,
			    .len_us = len_us,
			    .until_us = until_us,
			    .has = t->units,
			    .next = t->units + t->classes,
			    .with = t->among,
			    .may = t->among + t->classes,
			    .index = t->among + 2 * t->classes };

	assert(len_us > 0);
	if (n_class > FEW)
		ask_for(&s);
	start_at(&s, from_us > t->first_us[0] ? from_us : t->first_us[0]);
	if (s.start_us >= until_us)
		return CS_TIME_NONE;
	if (need > 0 && s.start_us != CS_TIME_NONE)
		search(&s);
	if (ret_n && s.start_us != CS_TIME_NONE)
		take(&s, ret_n);
	return s.start_us;
}

int64_t cs_timeline_change_us(const struct cs_timeline *t, int64_t at_us)
{
	struct pos p = step_after(t, step_at(t, at_us));

	return p.b == t->n_block ? CS_TIME_NONE : step_start(t, p);
}

/* -------------------------------------------------------------- pictures */

size_t cs_timeline_steps(const struct cs_timeline *t)
{
	return t->n_step;
}

int64_t cs_timeline_step(const struct cs_timeline *t, size_t i, int32_t *ret_n)
{
	struct pos p = { 0, 0 };

	assert(i < t->n_step);
	for (; i >= t->block[p.b].n; p.b++)
		i -= t->block[p.b].n;
	p.i = (uint32_t)i;
	for (uint32_t c = 0; ret_n && c < t->classes; c++)
		ret_n[c] = free_at(t, p, c);
	return step_start(t, p);
}
