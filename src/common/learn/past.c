/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history.
 *
 * Problem.  A site runs the same jobs again and again; their runs reveal what
 * neighbours cost.  A slurmctld runs for years and its users may be hostile, so the
 * history is bounded, whatever they submit.
 *
 * Rules.
 *  1. Kind: user and job name, by a 64-bit hash; a run of characters that are not
 *     printable ASCII counts as one '?', so that a replay distinguishes jobs as the
 *     site did.  Group: kind, partition, processes and the octave of the limit (the
 *     power of two below its minutes).
 *  2. Backing off: each run counts for two groups, with its octave and with any limit.
 *     A job's time alone is that of the group that knows it better: careful users'
 *     limits distinguish inputs, careless ones only divide the runs.
 *  3. Time alone: the median of the last CS_PAST_ALONE runs that were alone on full
 *     nodes throughout; at least CS_PAST_ALONE_MIN.  With d the median deviation from
 *     it,
 *
 *	noise = max(NOISE_MIN, (1.4826 d)^2 + NOISE_PRIOR / n)
 *	base = pi / 2 noise / n
 *
 *     A job that cannot fill a node counts as alone on full nodes if it has no
 *     neighbour.
 *  4. A run that had a neighbour, or was spread, is kept with the time beside each
 *     neighbour.
 *  5. Runs shorter than least_us are ignored, and so are those whose times contradict
 *     each other: the clock jumped.
 *  6. Age: a run has the weight 2^(-age / half-life), and 0 beyond OLD half-lives.
 *  7. Bounds.  If a table is full, or a user has 1 / USER_PART of it, a new kind or
 *     group replaces the least recently used one, of that user alone in the second
 *     case: a user with 100,000 job names displaces only his own.  Of runs, the oldest
 *     of the kind with the most is dropped.
 *
 *  8. Of pairs that broke their promise the last CS_PAST_BROKEN are kept; of those of
 *     one user's kinds, that were slowed, the last 1 / USER_PART of as many.  Those of
 *     kinds that are forgotten go first.
 *
 * Memory: sizeof(struct cs_past), about 800 kB, and the same again while state is read.
 *
 * Cost: a job that ends finds its kind and groups in chains by key; only a new one scans
 * the tables for its place, and, once there are CS_PAST_RUNS runs, each run those.
 */
#include "learn/past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "learn/real.h"

#define SHORT_US (INT64_C(60) * 1000000)
#define LONG_US (INT64_C(3650) * 86400 * 1000000) /* ten years */
#define NAME_MAX_BYTES 200
#define SLACK 50 /* parts may miss one in so many of the run */
#define NOISE_MIN 1e-4
#define NOISE_PRIOR .0025
#define OLD 4 /* half-lives */
#define USER_PART 8
#define SLOWEST 1000.
#define HALF_PI 1.5707963267948966

/* ---- identity ------------------------------------------------------------ */

static bool printable(char c)
{
	return c > ' ' && c <= '~' && c != '?';
}

/* Hash what an event log, too, keeps of a name: its first bytes, with '?' or the like
 * for what is not text. */
static uint64_t hash_text(uint64_t seed, const char *text)
{
	uint64_t key = cs_rng_hash(seed, 1);
	bool strange = false;

	for (size_t i = 0; text && text[i] && i < NAME_MAX_BYTES; i++) {
		bool now = !printable(text[i]);

		if (!now)
			key = cs_rng_hash(key, (unsigned char)text[i]);
		else if (!strange)
			key = cs_rng_hash(key, '?');
		strange = now;
	}
	return key;
}

static void show(char *to, size_t size, const char *text)
{
	size_t n = 0;

	for (; text && *text && n + 1 < size; text++)
		to[n++] = printable(*text) ? *text : '?';
	if (!n)
		to[n++] = '-';
	to[n] = '\0';
}

static uint64_t octave(int64_t limit_us)
{
	uint64_t minutes = limit_us > 0 ? (uint64_t)limit_us / 60000000 : 0;
	uint64_t n = 0;

	for (; minutes; minutes /= 2)
		n++;
	return n;
}

void cs_kin_make(struct cs_kin *k, const char *user, const char *name,
		 const char *partition, uint32_t procs, int64_t limit_us)
{
	uint64_t place;
	size_t n;

	memset(k, 0, sizeof(*k));
	k->user = hash_text(1, user);
	k->kind = hash_text(k->user, name);
	if (k->kind <= CS_BESIDE_NOBODY)
		k->kind += 2;
	place = cs_rng_hash(hash_text(k->kind, partition), procs);
	k->group[0] = cs_rng_hash(place, 1 + octave(limit_us));
	k->group[1] = cs_rng_hash(place, 0);
	for (int i = 0; i < 2; i++)
		k->group[i] += !k->group[i];
	show(k->name, CS_PAST_NAME / 2, user);
	n = strlen(k->name);
	k->name[n] = '/';
	show(k->name + n + 1, CS_PAST_NAME - n - 1, name);
}

/* ---- life ---------------------------------------------------------------- */

struct cs_past *cs_past_create(uint64_t machine, int64_t half_life_us)
{
	struct cs_past *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->machine = machine;
	h->half_life_us = half_life_us;
	h->least_us = SHORT_US;
	return h;
}

void cs_past_free(struct cs_past *h)
{
	if (!h)
		return;
	free(h->reading);
	free(h);
}

/* ---- the tables ---------------------------------------------------------- */

/* Keys are hashes (cs_kin_make()), so that their last bits choose the chain; those of
 * a forged state are as good as any. */
static uint16_t *kind_chain(struct cs_past *h, uint64_t key)
{
	return &h->kind_at[key % CS_PAST_KINDS];
}

static uint16_t *group_chain(struct cs_past *h, uint64_t key)
{
	return &h->group_at[key % CS_PAST_GROUPS];
}

static struct cs_kind *find_kind(struct cs_past *h, uint64_t key)
{
	for (uint16_t i = *kind_chain(h, key); i; i = h->kind[i - 1].next)
		if (h->kind[i - 1].key == key)
			return &h->kind[i - 1];
	return NULL;
}

const struct cs_kind *cs_past_kind(const struct cs_past *h, uint64_t key)
{
	return find_kind((struct cs_past *)h, key);
}

static struct cs_group *find_group(const struct cs_past *h, uint64_t key)
{
	for (uint16_t i = h->group_at[key % CS_PAST_GROUPS]; i;
	     i = h->group[i - 1].chain)
		if (h->group[i - 1].key == key)
			return (struct cs_group *)&h->group[i - 1];
	return NULL;
}

static void link_kind(struct cs_past *h, struct cs_kind *k)
{
	uint16_t *chain = kind_chain(h, k->key);

	k->next = *chain;
	*chain = (uint16_t)(k - h->kind + 1);
}

static void link_group(struct cs_past *h, struct cs_group *g)
{
	uint16_t *chain = group_chain(h, g->key);

	g->chain = *chain;
	*chain = (uint16_t)(g - h->group + 1);
}

/* Before it is replaced, if it is an entry in use. */
static void unlink_kind(struct cs_past *h, const struct cs_kind *k)
{
	uint16_t *at = kind_chain(h, k->key),
		 self = (uint16_t)(k - h->kind + 1);

	while (*at && *at != self)
		at = &h->kind[*at - 1].next;
	if (*at)
		*at = k->next;
}

static void unlink_group(struct cs_past *h, const struct cs_group *g)
{
	uint16_t *at = group_chain(h, g->key);
	uint16_t self = (uint16_t)(g - h->group + 1);

	while (*at && *at != self)
		at = &h->group[*at - 1].chain;
	if (*at)
		*at = g->chain;
}

void cs_past_index(struct cs_past *h)
{
	memset(h->kind_at, 0, sizeof(h->kind_at));
	memset(h->group_at, 0, sizeof(h->group_at));
	for (size_t i = 0; i < h->n_kind; i++)
		link_kind(h, &h->kind[i]);
	for (size_t i = 0; i < h->n_group; i++)
		link_group(h, &h->group[i]);
}

/* Rule 7: the entry to use or replace, one of @user's if that user has too many. */
static struct cs_kind *kind_place(struct cs_past *h, uint64_t user)
{
	struct cs_kind *mine = NULL, *any = NULL;
	size_t n = 0;

	for (size_t i = 0; i < h->n_kind; i++) {
		struct cs_kind *k = &h->kind[i];

		if (!any || k->last_us < any->last_us)
			any = k;
		if (k->user != user)
			continue;
		n++;
		if (!mine || k->last_us < mine->last_us)
			mine = k;
	}
	if (n >= CS_PAST_KINDS / USER_PART)
		return mine;
	return h->n_kind < CS_PAST_KINDS ? &h->kind[h->n_kind++] : any;
}

static struct cs_group *group_place(struct cs_past *h, uint64_t user)
{
	struct cs_group *mine = NULL, *any = NULL;
	size_t n = 0;

	for (size_t i = 0; i < h->n_group; i++) {
		struct cs_group *g = &h->group[i];

		if (!any || g->last_us < any->last_us)
			any = g;
		if (g->user != user)
			continue;
		n++;
		if (!mine || g->last_us < mine->last_us)
			mine = g;
	}
	if (n >= CS_PAST_GROUPS / USER_PART)
		return mine;
	return h->n_group < CS_PAST_GROUPS ? &h->group[h->n_group++] : any;
}

static void drop_run(struct cs_past *h, size_t at)
{
	memmove(&h->run[at], &h->run[at + 1],
		(--h->n_run - at) * sizeof(h->run[0]));
}

/* Make room for a run: drop the oldest of the kind with the most, or one whose kind is
 * forgotten. */
static void run_room(struct cs_past *h)
{
	uint32_t most = 0;
	size_t at = 0;

	if (h->n_run < CS_PAST_RUNS)
		return;
	for (size_t i = 0; i < h->n_kind; i++)
		h->kind[i].runs = 0;
	for (size_t i = 0; i < h->n_run; i++) {
		struct cs_kind *k = find_kind(h, h->run[i].kind);

		if (!k) {
			drop_run(h, i);
			return;
		}
		most = ++k->runs > most ? k->runs : most;
	}
	while (find_kind(h, h->run[at].kind)->runs < most)
		at++;
	drop_run(h, at);
}

/* ---- a job ends ---------------------------------------------------------- */

/* Rule 5. */
static bool sound(const struct cs_past *h, const struct cs_ended *r)
{
	int64_t sum = 0;

	if (r->ran_us < h->least_us || r->ran_us > LONG_US || r->t_us < 0 ||
	    r->t_us > INT64_MAX / 2 || !r->n_part || r->n_part > CS_PAST_PARTS)
		return false;
	for (uint32_t i = 0; i < r->n_part; i++) {
		if (r->part[i].us < 0 || r->part[i].us > r->ran_us)
			return false;
		sum += r->part[i].us;
	}
	return sum <= r->ran_us + r->ran_us / SLACK &&
	       sum >= r->ran_us - r->ran_us / SLACK;
}

/* Was it alone on full nodes, except for moments? */
static bool alone(const struct cs_ended *r)
{
	for (uint32_t i = 0; i < r->n_part; i++)
		if (r->part[i].beside != CS_BESIDE_FULL &&
		    r->part[i].us > r->ran_us / (10 * SLACK))
			return false;
	return true;
}

static void note_kind(struct cs_past *h, const struct cs_ended *r)
{
	struct cs_kind *k = find_kind(h, r->kin->kind);

	if (!k) {
		k = kind_place(h, r->kin->user);
		unlink_kind(h, k);
		*k = (struct cs_kind){ .key = r->kin->kind,
				       .user = r->kin->user };
		memcpy(k->name, r->kin->name, sizeof(k->name));
		link_kind(h, k);
	}
	k->ended++;
	if (r->t_us > k->last_us)
		k->last_us = r->t_us;
}

/* Rule 2. */
static void note_groups(struct cs_past *h, const struct cs_ended *r, bool alone)
{
	for (int i = 0; i < 2; i++) {
		struct cs_group *g = find_group(h, r->kin->group[i]);

		if (!g) {
			g = group_place(h, r->kin->user);
			unlink_group(h, g);
			*g = (struct cs_group){ .key = r->kin->group[i],
						.kind = r->kin->kind,
						.user = r->kin->user };
			link_group(h, g);
		}
		if (r->t_us > g->last_us)
			g->last_us = r->t_us;
		if (!alone)
			continue;
		g->alone[g->next].t_us = r->t_us;
		g->alone[g->next].us = r->ran_us;
		g->next = (g->next + 1) % CS_PAST_ALONE;
		g->n += g->n < CS_PAST_ALONE;
	}
}

bool cs_past_ended(struct cs_past *h, const struct cs_ended *r)
{
	struct cs_run *run;

	if (!sound(h, r))
		return false;
	note_kind(h, r);
	note_groups(h, r, alone(r));
	h->told++;
	if (alone(r))
		return true;
	run_room(h);
	run = &h->run[h->n_run++];
	*run = (struct cs_run){
		.kind = r->kin->kind,
		.group = { r->kin->group[0], r->kin->group[1] },
		.t_us = r->t_us,
		.us = r->ran_us,
		.n_part = r->n_part,
	};
	memcpy(run->part, r->part, r->n_part * sizeof(r->part[0]));
	return true;
}

/* ---- promises ------------------------------------------------------------- */

static struct cs_broken *find_broken(struct cs_past *h, uint64_t of,
				     uint64_t beside)
{
	for (size_t i = 0; i < h->n_broken; i++)
		if (h->broken[i].of == of && h->broken[i].beside == beside)
			return &h->broken[i];
	return NULL;
}

/* Rule 8: the entry that a new one of kind @of displaces; NULL: none. */
static struct cs_broken *broken_room(struct cs_past *h, uint64_t of)
{
	const struct cs_kind *k = find_kind(h, of);
	struct cs_broken *mine = NULL, *forgotten = NULL;
	size_t n = 0;

	for (size_t i = h->n_broken; i--;) {
		struct cs_broken *b = &h->broken[i];
		const struct cs_kind *other = find_kind(h, b->of);

		if (!other) {
			forgotten = b;
		} else if (k && other->user == k->user) {
			mine = b;
			n++;
		}
	}
	if (n >= CS_PAST_BROKEN / USER_PART)
		return mine;
	if (h->n_broken < CS_PAST_BROKEN)
		return NULL;
	return forgotten ? forgotten : h->broken;
}

void cs_past_promise(struct cs_past *h, uint64_t of, uint64_t beside,
		     int64_t t_us, double slowdown, bool kept)
{
	struct cs_broken *b = find_broken(h, of, beside), now;

	if (kept) {
		if (b && b->kept < CS_PAST_KEPT)
			b->kept++;
		return;
	}
	now = (struct cs_broken){ .of = of, .beside = beside, .t_us = t_us };
	now.times = b && b->times < UINT32_MAX ? b->times + 1 : 1;
	now.ppm = (uint32_t)((slowdown < SLOWEST ? slowdown : SLOWEST) * 1e6);
	if (!b)
		b = broken_room(h, of);
	if (b) {
		size_t at = (size_t)(b - h->broken);

		memmove(b, b + 1, (--h->n_broken - at) * sizeof(*b));
	}
	h->broken[h->n_broken++] = now;
	h->promises++;
}

bool cs_past_stands(const struct cs_past *h, const struct cs_broken *b,
		    int64_t now_us)
{
	return b->kept < CS_PAST_KEPT && now_us - b->t_us < h->half_life_us;
}

/* ---- queries ------------------------------------------------------------- */

double cs_past_weight(const struct cs_past *h, int64_t t_us, int64_t now_us)
{
	double lives = (double)(now_us - t_us) / (double)h->half_life_us;

	if (lives > OLD)
		return 0;
	return lives > 0 ? cs_real_exp(-.6931471805599453 * lives) : 1;
}

static bool counts(const struct cs_past *h, int64_t t_us, int64_t now_us)
{
	return (double)(now_us - t_us) / (double)h->half_life_us <= OLD;
}

/* Of at most CS_PAST_ALONE numbers, which it sorts. */
static double median(double *x, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		double last = x[i];
		uint32_t k = i;

		for (; k && x[k - 1] > last; k--)
			x[k] = x[k - 1];
		x[k] = last;
	}
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* Rule 3. */
static bool alone_of(const struct cs_past *h, const struct cs_group *g,
		     int64_t now_us, struct cs_alone *ret)
{
	double x[CS_PAST_ALONE], d;
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		if (counts(h, g->alone[i].t_us, now_us))
			x[n++] = (double)g->alone[i].us;
	if (n < CS_PAST_ALONE_MIN)
		return false;
	cs_real_ln_all(x, n);
	ret->runs = n;
	ret->ln_us = median(x, n);
	for (uint32_t i = 0; i < n; i++)
		x[i] = x[i] > ret->ln_us ? x[i] - ret->ln_us
					 : ret->ln_us - x[i];
	d = 1.4826 * median(x, n);
	ret->noise = d * d + NOISE_PRIOR / n;
	if (ret->noise < NOISE_MIN)
		ret->noise = NOISE_MIN;
	ret->base = HALF_PI * ret->noise / n;
	return true;
}

bool cs_past_alone(const struct cs_past *h, const uint64_t group[2],
		   int64_t now_us, struct cs_alone *ret)
{
	bool found = false;

	for (int i = 0; i < 2; i++) {
		const struct cs_group *g = find_group(h, group[i]);
		struct cs_alone a;

		if (!g || !alone_of(h, g, now_us, &a) ||
		    (found && a.base >= ret->base))
			continue;
		*ret = a;
		found = true;
	}
	return found;
}

void cs_past_known(const struct cs_past *h, int64_t now_us, bool *ret)
{
	memset(ret, 0, h->n_kind * sizeof(*ret));
	for (size_t i = 0; i < h->n_group; i++) {
		const struct cs_group *g = &h->group[i];
		const struct cs_kind *k = cs_past_kind(h, g->kind);
		uint32_t n = 0;

		for (uint32_t a = 0; a < g->n; a++)
			n += counts(h, g->alone[a].t_us, now_us);
		if (k && n >= CS_PAST_ALONE_MIN)
			ret[k - h->kind] = true;
	}
}

int cs_past_check(const struct cs_past *h, struct cs_err *err)
{
	if (h->n_broken > CS_PAST_BROKEN || h->n_kind > CS_PAST_KINDS ||
	    h->n_group > CS_PAST_GROUPS || h->n_run > CS_PAST_RUNS)
		return cs_err_set(err, -EINVAL,
				  "past: more than it has "
				  "room for");
	for (size_t i = 0; i < h->n_kind; i++)
		if (h->kind[i].key <= CS_BESIDE_NOBODY ||
		    cs_past_kind(h, h->kind[i].key) != &h->kind[i])
			return cs_err_set(err, -EINVAL,
					  "past: kind %zu appears "
					  "twice, or is invalid",
					  i);
	for (size_t i = 0; i < h->n_group; i++)
		if (h->group[i].n > CS_PAST_ALONE ||
		    h->group[i].next >= CS_PAST_ALONE ||
		    find_group(h, h->group[i].key) != &h->group[i])
			return cs_err_set(err, -EINVAL,
					  "past: group %zu appears "
					  "twice, or is invalid",
					  i);
	for (size_t i = 0; i < h->n_run; i++) {
		const struct cs_run *r = &h->run[i];

		if (!r->n_part || r->n_part > CS_PAST_PARTS || r->us < 1 ||
		    r->us > LONG_US)
			return cs_err_set(err, -EINVAL,
					  "past: run %zu is impossible", i);
	}
	return 0;
}
