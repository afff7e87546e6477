/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual schedule of OStrich.
 *
 * Problem.  End every user's campaigns in a time that depends on their own work and the
 * number of active users, whatever the load.
 *
 * Symbols	C name			unit
 *   m		procs			processors
 *   w		user->weight		1, an integer
 *   W		weights			1, of the active users
 *   k		active			users; with equal weights W = k w
 *   V		v			processor us to a unit of weight
 *   P		campaign->work		processor us
 *   F		campaign->finish	as V
 *
 * Rules.
 *  1. A user is active until all the user's campaigns have ended virtually.  Each
 *     active user is served at the rate m w / W (equation 1 of ostrich.h), one campaign
 *     after the other: one that arrives meanwhile waits.
 *  2. A campaign ends virtually when V is F (2).  Only a user's first campaign matters,
 *     so a heap of active users by its F gives the next end.
 *  3. Real jobs go in the order of F: equation (3) for the virtual end is the same
 *     increasing function of F for every campaign.
 *  4. Estimates are corrected as if they had always been right: before the virtual end
 *     F moves as P does.  After it, excess service is returned to the user's running
 *     campaign, but never so that this would have begun before its last job arrived;
 *     missing service is added to that campaign, or, if the user is idle, this one
 *     resumes with it.
 *
 *	F - V
 *	 |aaaa			a and b are served at the same rate, and V rises by
 *	 |aaaa|			m/2 a second; c waits for a.  When a's first ends,
 *	 |bbbbbbbb|		nothing moves: F of c was known when it came.
 *	 |    ccccccc|
 *	 +------------ V
 *
 * Source: Emeras12 (see ostrich.h), sections IV-A, IV-B, VII.
 *
 * Differs.
 *  1. The remaining work is printed with k/m; the paper's own example needs m/k.
 *  2. Users have weights; equal ones give the paper's schedule.
 *  3. The paper recomputes the work left of every campaign at each event; here F
 *     is a constant (the virtual time of fair queueing: Parekh and Gallager, A
 *     Generalized Processor Sharing Approach to Flow Control in Integrated
 *     Services Networks, IEEE/ACM ToN 1(3), 1993, section III).
 *  4. Rule 4: in the paper, lengths are known.
 *
 * Numbers are integers: V in 2^-32 processor microseconds to a unit of weight.
 * Service short of a whole unit is kept (`rest`), so that the service given is exactly
 * m t and extra calls in between change no bit.  F is rounded up, by less than a unit a
 * job; at the default weight a unit is 2.3e-4 processor microseconds, so after a
 * million events V is off by 233 processor microseconds.  Values are capped at 127
 * bits.
 *
 * Example: test_ostrich.c, figure_2.
 *
 * Invariants: V never decreases; F > V for every campaign that has not ended; a user
 * has at most one that runs, and only then waiting ones; W and k match the heap.
 *
 * Cost: O(log active users) an event, O(one user's waiting campaigns) more for a
 * correction, which moves their F.
 *
 * Known weakness: a job that is blocked again after it was free to start is served
 * virtually.
 */
#include "order/ostrich.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

#define LARGEST (((cs_u128)1 << 127) - 1)
#define WORK_MAX ((cs_u128)1 << 90)

/* ---- numbers ------------------------------------------------------------- */

static cs_u128 times(cs_u128 a, uint64_t b)
{
	return b && a > LARGEST / b ? LARGEST : a * b;
}

static cs_u128 plus(cs_u128 a, cs_u128 b)
{
	return a > LARGEST - b ? LARGEST : a + b;
}

static cs_u128 minus(cs_u128 a, cs_u128 b)
{
	return a > b ? a - b : 0;
}

static cs_u128 larger(cs_u128 a, cs_u128 b)
{
	return a > b ? a : b;
}

/* @a * @b / @c, rounded up. */
static cs_u128 scaled(cs_u128 a, uint32_t b, uint32_t c)
{
	return plus(times(a / c, b), (a % c * b + c - 1) / c);
}

/* V that work @p takes for a user of weight @w. */
static cs_u128 span(cs_u128 p, uint32_t w)
{
	return (p * CS_OSTRICH_UNIT + w - 1) / w;
}

/* Service of @o in a microsecond, in units of V times weight. */
static cs_u128 rate(const struct cs_ostrich *o)
{
	return (cs_u128)o->procs * CS_OSTRICH_UNIT;
}

/* When service @need > 0 more is given: never now, as nothing happens before time
 * advances, even if `rest` suffices because W has just fallen. */
static int64_t when(const struct cs_ostrich *o, cs_u128 need)
{
	cs_u128 r = rate(o), us;

	if (!r || need >= LARGEST)
		return CS_TIME_NONE;
	need = minus(need, o->rest);
	us = larger(need / r + (need % r != 0), 1);
	return us < (cs_u128)(CS_TIME_NONE - o->now_us)
		       ? o->now_us + (int64_t)us
		       : CS_TIME_NONE;
}

/* ---- the heap: active users by the F of their first campaign ---------------- */

static bool sooner(const struct cs_ostrich *o, const struct cs_ostrich_user *a,
		   const struct cs_ostrich_user *b)
{
	const struct cs_campaign *x = a->head, *y = b->head;

	(void)o;
	return x->finish != y->finish ? x->finish < y->finish : x->seq < y->seq;
}

static struct cs_ostrich_user *at(const struct cs_ostrich *o, size_t i)
{
	return o->heap[i];
}

static void put(struct cs_ostrich *o, size_t i, struct cs_ostrich_user *u)
{
	o->heap[i] = u;
	u->heap = (uint32_t)i + 1;
}

CS_HEAP(heap, struct cs_ostrich, struct cs_ostrich_user *, 2, at, put, sooner);

/* The F of @u has changed. */
static void sift(struct cs_ostrich *o, struct cs_ostrich_user *u)
{
	heap_sift(o, o->active, u->heap - 1);
}

static void enter(struct cs_ostrich *o, struct cs_ostrich_user *u)
{
	o->weights += u->weight;
	put(o, o->active++, u);
	sift(o, u);
}

static void retire(struct cs_ostrich *o, struct cs_ostrich_user *u)
{
	o->weights -= u->weight;
	o->active = (uint32_t)heap_drop(o, o->active, u->heap - 1);
	u->heap = 0;
}

/* ---- users --------------------------------------------------------------- */

static uint32_t home(const struct cs_ostrich *o, const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h & (o->cap_hash - 1);
}

struct cs_ostrich_user *cs_ostrich_find(const struct cs_ostrich *o,
					const char *name)
{
	struct cs_ostrich_user *u = o->cap_hash ? o->hash[home(o, name)] : NULL;

	while (u && strcmp(u->name, name))
		u = u->next_hash;
	return u;
}

static void hash_in(struct cs_ostrich *o, struct cs_ostrich_user *u)
{
	uint32_t h = home(o, u->name);

	u->next_hash = o->hash[h];
	o->hash[h] = u;
}

/* Room for one more user in hash and heap. */
static int users_reserve(struct cs_ostrich *o)
{
	uint32_t cap = o->cap_hash ? 2 * o->cap_hash : 16;
	struct cs_ostrich_user **heap, **hash;

	if (o->n_user < o->cap_hash)
		return 0;
	heap = realloc(o->heap, cap * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	o->heap = heap;
	hash = calloc(cap, sizeof(*hash));
	if (!hash)
		return -ENOMEM;
	free(o->hash);
	o->hash = hash;
	o->cap_hash = cap;
	for (struct cs_ostrich_user *u = o->first; u; u = u->next)
		hash_in(o, u);
	return 0;
}

struct cs_ostrich_user *cs_ostrich_user(struct cs_ostrich *o, const char *name)
{
	struct cs_ostrich_user *u = cs_ostrich_find(o, name);

	if (u || users_reserve(o))
		return u;
	u = calloc(1, sizeof(*u));
	if (u)
		u->name = strdup(name);
	if (!u || !u->name) {
		free(u);
		return NULL;
	}
	u->weight = CS_OSTRICH_WEIGHT;
	u->prev = o->last;
	*(o->last ? &o->last->next : &o->first) = u;
	o->last = u;
	o->n_user++;
	hash_in(o, u);
	return u;
}

/* Forget @u if it has no campaign. */
static void user_tidy(struct cs_ostrich *o, struct cs_ostrich_user *u)
{
	struct cs_ostrich_user **at;

	if (u->first)
		return;
	at = &o->hash[home(o, u->name)];
	while (*at != u)
		at = &(*at)->next_hash;
	*at = u->next_hash;
	*(u->prev ? &u->prev->next : &o->first) = u->next;
	*(u->next ? &u->next->prev : &o->last) = u->prev;
	o->n_user--;
	free(u->name);
	free(u);
}

/* ---- campaigns ----------------------------------------------------------- */

static void mark(struct cs_ostrich *o, struct cs_campaign *c)
{
	if (c->dirty_at)
		return;
	c->next_dirty = o->dirty;
	if (o->dirty)
		o->dirty->dirty_at = &c->next_dirty;
	c->dirty_at = &o->dirty;
	o->dirty = c;
}

static void unmark(struct cs_campaign *c)
{
	if (!c->dirty_at)
		return;
	*c->dirty_at = c->next_dirty;
	if (c->next_dirty)
		c->next_dirty->dirty_at = c->dirty_at;
	c->dirty_at = NULL;
}

struct cs_campaign *cs_ostrich_changed(struct cs_ostrich *o)
{
	struct cs_campaign *c = o->dirty;

	if (c)
		unmark(c);
	return c;
}

static void append(struct cs_campaign *c)
{
	struct cs_ostrich_user *u = c->user;

	c->prev = u->last;
	c->next = NULL;
	*(u->last ? &u->last->next : &u->first) = c;
	u->last = c;
}

static void detach(struct cs_campaign *c)
{
	struct cs_ostrich_user *u = c->user;

	*(c->prev ? &c->prev->next : &u->first) = c->next;
	*(c->next ? &c->next->prev : &u->last) = c->prev;
}

/* Free @c, and its user, if no longer needed. */
static void tidy(struct cs_ostrich *o, struct cs_campaign *c)
{
	struct cs_ostrich_user *u = c->user;

	if (c->jobs || c->state != CS_CAMPAIGN_ENDED)
		return;
	unmark(c);
	detach(c);
	free(c);
	user_tidy(o, u);
}

/* F of @c moves to @finish. */
static void move(struct cs_ostrich *o, struct cs_campaign *c, cs_u128 finish)
{
	if (c->finish == finish)
		return;
	c->finish = finish;
	mark(o, c);
}

/* Move the campaigns behind @c, each to the end of the one before. */
static void lay(struct cs_ostrich *o, struct cs_campaign *c)
{
	for (struct cs_campaign *x = c->next; x; x = x->next) {
		x->start = larger(x->prev->finish, x->joined);
		move(o, x, plus(x->start, span(x->work, x->user->weight)));
	}
}

/* @c runs virtually from @t_us on. */
static void begin(struct cs_ostrich *o, struct cs_campaign *c, int64_t t_us)
{
	c->state = CS_CAMPAIGN_RUNS;
	c->start_us = t_us;
	mark(o, c);
}

/* The running campaign of @u ends virtually, and the next one begins. */
static void end(struct cs_ostrich *o, struct cs_ostrich_user *u, int64_t t_us)
{
	struct cs_campaign *c = u->head;

	c->state = CS_CAMPAIGN_ENDED;
	c->end_us = t_us;
	u->head = c->next;
	if (u->head) {
		o->waits--;
		begin(o, u->head, t_us);
		sift(o, u);
	} else {
		retire(o, u);
	}
}

/* F of the running campaign of @u, or of one behind it, has changed: it may have
 * ended by now. */
static void settle(struct cs_ostrich *o, struct cs_ostrich_user *u)
{
	sift(o, u);
	while (u->head && u->head->finish <= o->v)
		end(o, u, o->now_us);
}

/* Campaigns of the user that just ended and have no job. */
static void sweep(struct cs_ostrich *o, struct cs_campaign *c)
{
	struct cs_campaign *next;

	for (; c && c->state == CS_CAMPAIGN_ENDED; c = next) {
		next = c->next;
		tidy(o, c);
	}
}

struct cs_campaign *cs_ostrich_submit(struct cs_ostrich *o,
				      struct cs_ostrich_user *u, cs_u128 work)
{
	struct cs_campaign *c = calloc(1, sizeof(*c));

	if (!c) {
		user_tidy(o, u);
		return NULL;
	}
	work = work < WORK_MAX ? work : WORK_MAX;
	c->user = u;
	c->seq = ++o->seq;
	c->number = ++u->numbers;
	c->submit_us = o->now_us;
	c->start_us = c->end_us = CS_TIME_NONE;
	c->work = work;
	c->joined = o->v;
	c->jobs = 1;
	c->start = u->head ? u->last->finish : o->v;
	c->finish = plus(c->start, span(work, u->weight));
	append(c);
	if (u->head) {
		o->waits++;
		mark(o, c);
	} else {
		u->head = c;
		u->busy++;
		begin(o, c, o->now_us);
		enter(o, u);
	}
	c->busy = u->busy;
	return c;
}

int cs_ostrich_restore(struct cs_ostrich *o, struct cs_ostrich_user *u,
		       const struct cs_campaign *from)
{
	struct cs_campaign *c = malloc(sizeof(*c));

	if (!c)
		return -ENOMEM;
	*c = *from;
	c->user = u;
	c->jobs = 0;
	c->dirty_at = NULL;
	if (c->state != CS_CAMPAIGN_ENDED)
		c->end_us = CS_TIME_NONE;
	append(c);
	mark(o, c);
	o->waits += c->state == CS_CAMPAIGN_WAITS;
	if (c->state == CS_CAMPAIGN_RUNS) {
		u->head = c;
		enter(o, u);
	}
	if (c->prev && c->state == CS_CAMPAIGN_WAITS)
		lay(o, c->prev);
	return 0;
}

void cs_ostrich_join(struct cs_ostrich *o, struct cs_campaign *c, cs_u128 work)
{
	c->jobs++;
	c->joined = o->v;
	cs_ostrich_correct(o, c, work, 0);
}

void cs_ostrich_claim(struct cs_campaign *c)
{
	c->jobs++;
}

void cs_ostrich_leave(struct cs_ostrich *o, struct cs_campaign *c)
{
	c->jobs--;
	c->left_us = o->now_us;
	tidy(o, c);
}

void cs_ostrich_share(struct cs_ostrich *o, struct cs_ostrich_user *u,
		      uint32_t weight)
{
	uint32_t before = u->weight;

	if (!weight)
		weight = CS_OSTRICH_WEIGHT;
	u->weight =
		weight < CS_OSTRICH_WEIGHT_MAX ? weight : CS_OSTRICH_WEIGHT_MAX;
	if (!u->head || u->weight == before)
		return;
	o->weights += u->weight;
	o->weights -= before;
	move(o, u->head,
	     plus(o->v, scaled(u->head->finish - o->v, before, u->weight)));
	lay(o, u->head);
	settle(o, u);
}

/* ---- corrections (rule 4) ------------------------------------------------- */

/* @c, which has ended, resumes with @work: its user is idle. */
static void reopen(struct cs_ostrich *o, struct cs_campaign *c, cs_u128 work)
{
	struct cs_ostrich_user *u = c->user;

	detach(c);
	append(c);
	c->work = work;
	c->start = o->v;
	c->end_us = CS_TIME_NONE;
	move(o, c, plus(o->v, span(work, u->weight)));
	u->head = c;
	u->busy++;
	begin(o, c, o->now_us);
	enter(o, u);
	c->busy = u->busy;
}

/* The user @u was served @more too little or @less too much in an ended campaign:
 * charge the running one. */
static void settle_up(struct cs_ostrich *o, struct cs_ostrich_user *u,
		      cs_u128 more, cs_u128 less)
{
	struct cs_campaign *c = u->head;
	cs_u128 room = minus(c->start, c->joined);
	cs_u128 back = less * CS_OSTRICH_UNIT / u->weight;

	back = back < room ? back : room;
	c->start = plus(c->start - back, span(more, u->weight));
	move(o, c, plus(minus(c->finish, back), span(more, u->weight)));
}

/* The running one takes @more or @less than expected. */
static void resize(struct cs_ostrich *o, struct cs_campaign *c, cs_u128 more,
		   cs_u128 less)
{
	uint32_t w = c->user->weight;
	cs_u128 finish = minus(c->finish, less * CS_OSTRICH_UNIT / w);

	move(o, c, plus(larger(finish, c->start), span(more, w)));
}

void cs_ostrich_correct(struct cs_ostrich *o, struct cs_campaign *c,
			cs_u128 more, cs_u128 less)
{
	struct cs_ostrich_user *u = c->user;
	bool same = c->busy == u->busy; /* not idle in between */
	struct cs_campaign *head;

	more = more < WORK_MAX ? more : WORK_MAX;
	less = less < c->work ? less : c->work;
	if (c->state == CS_CAMPAIGN_ENDED && !u->head) {
		if (more)
			reopen(o, c, more);
		return;
	}
	c->work = c->work + more - less;
	if (c->work > WORK_MAX)
		c->work = WORK_MAX;
	switch (c->state) {
	case CS_CAMPAIGN_ENDED:
		settle_up(o, u, more, same ? less : 0);
		break;
	case CS_CAMPAIGN_RUNS:
		resize(o, c, more, less);
		break;
	case CS_CAMPAIGN_WAITS:
		move(o, c, plus(c->start, span(c->work, u->weight)));
		lay(o, c);
		return;
	}
	head = u->head;
	lay(o, head);
	settle(o, u);
	sweep(o, head);
}

/* ---- time ---------------------------------------------------------------- */

void cs_ostrich_advance(struct cs_ostrich *o, int64_t now_us)
{
	cs_u128 r = rate(o), service, need;

	if (now_us <= o->now_us)
		return;
	service = r * ((uint64_t)now_us - (uint64_t)o->now_us) + o->rest;
	o->now_us = now_us;
	while (o->active) {
		struct cs_ostrich_user *u = o->heap[0];
		struct cs_campaign *c = u->head;

		need = times(c->finish - o->v, o->weights);
		if (need > service || !r)
			break;
		service -= need;
		o->v = c->finish;
		end(o, u, now_us - (int64_t)(service / r));
		tidy(o, c);
	}
	o->rest = 0;
	if (!o->active)
		return;
	o->v = plus(o->v, service / o->weights);
	o->rest = service % o->weights;
}

void cs_ostrich_procs(struct cs_ostrich *o, uint64_t procs)
{
	o->procs = procs;
}

int64_t cs_ostrich_next_us(const struct cs_ostrich *o)
{
	return o->active ? cs_ostrich_projected_us(o, o->heap[0]->head)
			 : CS_TIME_NONE;
}

int64_t cs_ostrich_projected_us(const struct cs_ostrich *o,
				const struct cs_campaign *c)
{
	if (c->state == CS_CAMPAIGN_ENDED)
		return c->end_us;
	return when(o, times(c->finish - o->v, o->weights));
}

int64_t cs_ostrich_end_us(const struct cs_ostrich *o,
			  const struct cs_campaign *c)
{
	cs_u128 need = 0;

	if (c->state == CS_CAMPAIGN_ENDED)
		return c->end_us;
	for (uint32_t i = 0; i < o->active; i++) {
		const struct cs_ostrich_user *u = o->heap[i];
		cs_u128 to = u->last->finish < c->finish ? u->last->finish
							 : c->finish;

		need = plus(need, times(minus(to, o->v), u->weight));
	}
	return when(o, need);
}

/* ---- equation (4) for many ------------------------------------------------- */

static int by_finish(const void *x, const void *y)
{
	const struct cs_ostrich_last *a = x, *b = y;

	return a->finish < b->finish ? -1 : a->finish > b->finish;
}

int cs_ostrich_ends_init(struct cs_ostrich_ends *x, const struct cs_ostrich *o)
{
	cs_u128 need = 0;
	uint64_t weights = 0;

	*x = (struct cs_ostrich_ends){ .o = o, .n = o->active };
	x->last = calloc(x->n + 1, sizeof(*x->last));
	if (!x->last)
		return -ENOMEM;
	for (size_t i = 0; i < x->n; i++)
		x->last[i] = (struct cs_ostrich_last){
			.finish = o->heap[i]->last->finish,
			.weight = o->heap[i]->weight
		};
	qsort(x->last, x->n, sizeof(*x->last), by_finish);
	for (size_t i = 0; i < x->n; i++) {
		struct cs_ostrich_last *u = &x->last[i];

		need = plus(need, times(minus(u->finish, o->v), u->weight));
		u->need = need;
		u->weights = weights;
		weights += u->weight;
	}
	return 0;
}

void cs_ostrich_ends_done(struct cs_ostrich_ends *x)
{
	free(x->last);
}

int64_t cs_ostrich_ends_us(const struct cs_ostrich_ends *x,
			   const struct cs_campaign *c)
{
	const struct cs_ostrich *o = x->o;
	size_t from = 0, to = x->n;
	cs_u128 need;

	if (c->state == CS_CAMPAIGN_ENDED)
		return c->end_us;
	while (from < to) { /* the first whose last ends after @c */
		size_t i = from + (to - from) / 2;

		if (x->last[i].finish <= c->finish)
			from = i + 1;
		else
			to = i;
	}
	need = from ? x->last[from - 1].need : 0;
	if (from < x->n)
		need = plus(need, times(minus(c->finish, o->v),
					o->weights - x->last[from].weights));
	return when(o, need);
}

cs_u128 cs_ostrich_left(const struct cs_ostrich *o, const struct cs_campaign *c)
{
	if (c->state == CS_CAMPAIGN_RUNS)
		return times(c->finish - o->v, c->user->weight) /
		       CS_OSTRICH_UNIT;
	return c->state == CS_CAMPAIGN_WAITS ? c->work : 0;
}

/* ---- life ---------------------------------------------------------------- */

struct cs_ostrich *cs_ostrich_create(uint64_t procs)
{
	struct cs_ostrich *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->procs = procs;
	o->now_us = INT64_MIN / 4;
	return o;
}

void cs_ostrich_free(struct cs_ostrich *o)
{
	if (!o)
		return;
	for (struct cs_ostrich_user *u = o->first, *next; u; u = next) {
		next = u->next;
		for (struct cs_campaign *c = u->first, *behind; c; c = behind) {
			behind = c->next;
			free(c);
		}
		free(u->name);
		free(u);
	}
	free(o->heap);
	free(o->hash);
	free(o);
}

/* ---- invariants ---------------------------------------------------------- */

static int check_campaign(const struct cs_ostrich *o,
			  const struct cs_campaign *c, bool behind,
			  struct cs_err *err)
{
	bool head = c == c->user->head;
	enum cs_campaign_state want = head     ? CS_CAMPAIGN_RUNS
				      : behind ? CS_CAMPAIGN_WAITS
					       : CS_CAMPAIGN_ENDED;

	if (c->state != want)
		return cs_err_set(err, -EINVAL,
				  "campaign %u of '%s' is in state %d, "
				  "expected %d",
				  c->number, c->user->name, (int)c->state,
				  (int)want);
	if (want != CS_CAMPAIGN_ENDED && c->finish <= o->v)
		return cs_err_set(err, -EINVAL,
				  "campaign %u of '%s' is past its end",
				  c->number, c->user->name);
	if (want == CS_CAMPAIGN_WAITS && c->finish < c->prev->finish)
		return cs_err_set(err, -EINVAL,
				  "campaign %u of '%s' ends before the one "
				  "in front of it",
				  c->number, c->user->name);
	return 0;
}

static int check_user(const struct cs_ostrich *o,
		      const struct cs_ostrich_user *u, uint32_t *waits,
		      struct cs_err *err)
{
	bool behind = false;

	if (!u->head != !u->heap || (u->heap && o->heap[u->heap - 1] != u))
		return cs_err_set(err, -EINVAL, "user '%s' is lost in the heap",
				  u->name);
	for (const struct cs_campaign *c = u->first; c; c = c->next) {
		int rc = check_campaign(o, c, behind, err);

		if (rc)
			return rc;
		*waits += behind;
		behind |= c == u->head;
	}
	return 0;
}

int cs_ostrich_check(const struct cs_ostrich *o, struct cs_err *err)
{
	uint64_t weights = 0;
	uint32_t users = 0, waits = 0;

	for (const struct cs_ostrich_user *u = o->first; u; u = u->next) {
		int rc = check_user(o, u, &waits, err);

		if (rc)
			return rc;
		weights += u->heap ? u->weight : 0;
		users++;
	}
	for (uint32_t i = 1; i < o->active; i++)
		if (sooner(o, o->heap[i], o->heap[(i - 1) / 2]))
			return cs_err_set(err, -EINVAL,
					  "user '%s' is out of order in the "
					  "heap",
					  o->heap[i]->name);
	if (weights != o->weights || users != o->n_user || waits != o->waits)
		return cs_err_set(err, -EINVAL,
				  "weights, users or campaigns that wait are "
				  "miscounted");
	return 0;
}
