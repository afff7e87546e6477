/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of which kinds may share nodes.
 *
 * Symbols	C name		unit
 *   r_ab	exp(guess)	1, time of a spread beside b, over dense alone (fit.h)
 *   U_ab	exp(upper)	1, bound of r_ab
 *   D_a	self		1, time dense alone over spread alone: 1 / r_a,nobody
 *
 * Rules.
 *  1. The codes of the fit are kinds whose time alone is known; of these, the
 *     CS_ADMISSION_KINDS with the most runs.  Those of one job name, as it is shown,
 *     may be alike (fit.c, rule 9).  If there is room, kinds of such a name whose time
 *     alone is not known have a row as well: their own runs say nothing yet, but they
 *     are neighbours, and of their namesakes something is known.
 *  2. The runs of the fit are theirs, if beside a neighbour or spread.  A run is left
 *     out if more than STRANGE of its time was beside a job of another kind, or if ln
 *     of its time over the time alone is below LEAST or above MOST: no neighbour causes
 *     that; the job failed or did other work.
 *  3. The engine's model has two factors, so a's own slowdown on all cores is D_a, and
 *
 *	cos_ab <= U_ab D_a		expected: exp(mean) D_a		(1)
 *
 *  4. Hope: exp(mean - 1.64 sd) D_a, a plausible optimum for a pair that was never
 *     tried.  Trials are chosen by it: where much is unknown, or where sharing would
 *     pay; one bad trial does not end them.  A job that is spread and alone promises
 *     nothing to a neighbour, so its bound is the normal quantile: that needs no
 *     pairs that have met.
 *  5. The table is rebuilt after EVERY new runs, or an eighth of those in the fit if
 *     that is more.
 *
 *  6. Promise.  With t the run's time, T its time alone, t_k the times beside each, of
 *     the main neighbour b, which had at least MAIN of t, the run says
 *
 *	r_ab = t_b / (T - sum over the others of t_k / r_k)		(2)
 *
 *     It was broken if both bounds were at most the promise, and ln(r_ab D_a) exceeds
 *     that of the promise by more than SURE standard deviations of the run, taken for
 *     the part of the work done beside b.  From then on the bound is at least what was
 *     measured (cs_admission_refuse()), until CS_PAST_KEPT runs of the pair have kept
 *     the promise or a half-life has passed.  Trials yield such runs, where the fit,
 *     which has the run as well, still has hope.
 *
 * Invariant: the same history, time and level give the same table, to the last bit.
 */
#include "learn/admission.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "learn/real.h"

#define MAIN .25
#define LITTLE .1
#define SURE 2.
#define EVERY 8
#define STRANGE .02
#define LEAST (-.7) /* ln of times */
#define MOST 1.5
#define ENDED_MIN 3
#define HOPE 1.6449 /* as far below the mean as the normal bound is above it */
#define COS_MIN .1
#define COS_MAX 100.

struct cs_admission {
	double level;
	uint64_t told; /* history->told when the table was built */
	size_t runs;   /* runs in the fit then */
	bool made;     /* has a table been built? */
	struct cs_fit *fit;
	struct cs_learned table;
	uint64_t key[CS_ADMISSION_KINDS]; /* [table.n], increasing */
	uint32_t count[CS_ADMISSION_KINDS];
	struct cs_fit_code code[CS_ADMISSION_KINDS];
	struct cs_fit_run run[CS_PAST_RUNS];
	double *reals; /* of table */
};

struct cs_admission *cs_admission_create(double level)
{
	const size_t n = CS_ADMISSION_KINDS;
	struct cs_admission *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->level = level;
	a->fit = cs_fit_create(n, CS_PAST_RUNS);
	a->reals = calloc(n * (3 + 3 * n), sizeof(*a->reals));
	if (!a->fit || !a->reals) {
		cs_admission_free(a);
		return NULL;
	}
	a->table.self = a->reals;
	a->table.spread = a->table.self + n;
	a->table.spread_hope = a->table.spread + n;
	a->table.bound = a->table.spread_hope + n;
	a->table.mean = a->table.bound + n * n;
	a->table.hope = a->table.mean + n * n;
	return a;
}

void cs_admission_free(struct cs_admission *a)
{
	if (!a)
		return;
	cs_fit_free(a->fit);
	free(a->reals);
	free(a);
}

bool cs_admission_due(const struct cs_admission *a, const struct cs_past *h)
{
	uint64_t since = h->told - a->told;

	return since >= EVERY && since >= a->runs / 8;
}

/* ---- rule 1 -------------------------------------------------------------- */

struct wanted {
	uint64_t key, ended, like;
	bool known; /* its time alone */
};

static int most_ended(const void *x, const void *y)
{
	const struct wanted *a = x, *b = y;

	if (a->ended != b->ended)
		return a->ended > b->ended ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static int by_key(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

/* A hash of the job name, whoever the user is; 0: it has none. */
static uint64_t like_of(const struct cs_kind *k)
{
	const char *name = k ? strchr(k->name, '/') : NULL;
	uint64_t hash = 0;

	for (name += !!name; name && *name; name++)
		hash = cs_rng_hash(hash, (unsigned char)*name);
	return hash;
}

/* Those whose time alone is known; then their namesakes. */
static void choose_kinds(struct cs_admission *a, const struct cs_past *h,
			 int64_t now_us)
{
	uint64_t like[CS_ADMISSION_KINDS] = { 0 };
	struct wanted w[CS_PAST_KINDS] = { { 0 } };
	bool is_known[CS_PAST_KINDS];
	size_t n = h->n_kind;
	int kinds = 0, known;

	cs_past_known(h, now_us, is_known);
	for (size_t i = 0; i < n; i++)
		w[i] = (struct wanted){ h->kind[i].key, h->kind[i].ended,
					like_of(&h->kind[i]), is_known[i] };
	qsort(w, n, sizeof(w[0]), most_ended);
	for (size_t i = 0; i < n && kinds < CS_ADMISSION_KINDS; i++) {
		if (w[i].ended < ENDED_MIN || !w[i].known)
			continue;
		like[kinds] = w[i].like;
		a->key[kinds++] = w[i].key;
		w[i].key = 0;
	}
	known = kinds;
	for (size_t i = 0; i < n && kinds < CS_ADMISSION_KINDS; i++)
		for (int k = 0; w[i].key && k < known; k++)
			if (w[i].like && like[k] == w[i].like) {
				a->key[kinds++] = w[i].key;
				break;
			}
	qsort(a->key, (size_t)kinds, sizeof(a->key[0]), by_key);
	a->table.n = kinds;
}

int cs_admission_find(const struct cs_admission *a, uint64_t kind)
{
	const uint64_t *at = bsearch(&kind, a->key, (size_t)a->table.n,
				     sizeof(kind), by_key);

	return at ? (int)(at - a->key) : -1;
}

/* ---- rule 2 -------------------------------------------------------------- */

/* A neighbour's index in the fit; false: it has none. */
static bool other_of(const struct cs_admission *a, uint64_t beside,
		     uint32_t *ret)
{
	int at;

	if (beside == CS_BESIDE_FULL)
		*ret = CS_FIT_DENSE;
	else if (beside == CS_BESIDE_NOBODY)
		*ret = (uint32_t)a->table.n;
	else if ((at = cs_admission_find(a, beside)) >= 0)
		*ret = (uint32_t)at;
	else
		return false;
	return true;
}

static bool fill_parts(const struct cs_admission *a, const struct cs_run *r,
		       struct cs_fit_run *to)
{
	double all = 0, strange = 0;

	for (uint32_t i = 0; i < r->n_part; i++) {
		double us = (double)r->part[i].us;
		uint32_t other;

		all += us;
		if (!other_of(a, r->part[i].beside, &other)) {
			strange += us;
			continue;
		}
		to->part[to->n_part++] = (struct cs_fit_part){ other, us };
	}
	if (strange > STRANGE * all || all <= 0)
		return false;
	for (uint32_t i = 0; i < to->n_part; i++)
		to->part[i].share /= all - strange;
	return true;
}

static size_t fill_runs(struct cs_admission *a, const struct cs_past *h,
			int64_t now_us)
{
	size_t n = 0;

	memset(a->code, 0, sizeof(a->code));
	for (int k = 0; k < a->table.n; k++)
		a->code[k].like = like_of(cs_past_kind(h, a->key[k]));
	memset(a->count, 0, sizeof(a->count));
	for (size_t i = 0; i < h->n_run; i++) {
		const struct cs_run *r = &h->run[i];
		struct cs_fit_run *to = &a->run[n];
		int code = cs_admission_find(a, r->kind);
		struct cs_alone alone;

		*to = (struct cs_fit_run){ .code = (uint32_t)code };
		to->weight = cs_past_weight(h, r->t_us, now_us);
		if (code < 0 || to->weight <= 0 ||
		    !cs_past_alone(h, r->group, now_us, &alone) ||
		    !fill_parts(a, r, to))
			continue;
		to->log_time = cs_real_ln((double)r->us) - alone.ln_us;
		if (to->log_time < LEAST || to->log_time > MOST)
			continue;
		a->code[code].noise += alone.noise;
		a->code[code].base += alone.base;
		a->count[code]++;
		n++;
	}
	for (int k = 0; k < a->table.n; k++) {
		if (!a->count[k]) {
			a->code[k].noise = 1;
			continue;
		}
		a->code[k].noise /= a->count[k];
		a->code[k].base /= a->count[k];
	}
	return n;
}

/* ---- rules 3 and 4 ------------------------------------------------------- */

static double within(double x)
{
	return x < COS_MIN ? COS_MIN : x > COS_MAX ? COS_MAX : x;
}

static void fill_row(struct cs_admission *a, size_t i)
{
	enum { WIDTH = CS_ADMISSION_KINDS + 1 };
	struct cs_fit_guess g[WIDTH];
	double mean[WIDTH], hope[WIDTH], upper[WIDTH];
	struct cs_learned *t = &a->table;
	size_t n = (size_t)t->n;

	cs_fit_guess_all(a->fit, (uint32_t)i, g);
	for (size_t k = 0; k <= n; k++) {
		mean[k] = g[k].mean;
		hope[k] = g[k].mean - HOPE * g[k].sd;
		upper[k] = g[k].upper < 1e299 ? g[k].upper : 0;
	}
	cs_real_exp_all(mean, n);
	cs_real_exp_all(hope, n + 1);
	cs_real_exp_all(upper, n);
	t->self[i] = within(cs_real_exp(-g[n].mean));
	t->spread[i] = cs_real_exp(g[n].normal);
	t->spread_hope[i] = hope[n];
	for (size_t k = 0; k < n; k++) {
		t->bound[i * n + k] =
			g[k].upper < 1e299 ? within(upper[k] * t->self[i]) : 0;
		t->mean[i * n + k] = within(mean[k] * t->self[i]);
		t->hope[i * n + k] = within(hope[k] * t->self[i]);
	}
}

void cs_admission_make(struct cs_admission *a, const struct cs_past *h,
		       int64_t now_us)
{
	uint64_t was[CS_ADMISSION_KINDS];
	int n_was = a->table.n;
	bool empty = a->made && !a->runs;

	memcpy(was, a->key, sizeof(was));
	choose_kinds(a, h, now_us);
	a->runs = fill_runs(a, h, now_us);
	a->told = h->told;
	a->made = true;
	/* rule 5: where nobody shares, a table follows every few runs and says the same */
	if (empty && !a->runs && n_was == a->table.n &&
	    !memcmp(was, a->key, (size_t)n_was * sizeof(was[0])))
		return;
	cs_fit_make(a->fit, a->code, (size_t)a->table.n, a->run, a->runs,
		    a->level);
	for (size_t i = 0; i < (size_t)a->table.n; i++)
		fill_row(a, i);
	cs_admission_refuse(a, h, now_us);
}

/* ---- rule 6 -------------------------------------------------------------- */

void cs_admission_refuse(struct cs_admission *a, const struct cs_past *h,
			 int64_t now_us)
{
	for (size_t i = 0; i < h->n_broken; i++) {
		const struct cs_broken *b = &h->broken[i];
		int of = cs_admission_find(a, b->of);
		int beside = cs_admission_find(a, b->beside);
		double *bound;

		if (of < 0 || beside < 0 || !cs_past_stands(h, b, now_us))
			continue;
		bound = &a->table.bound[of * a->table.n + beside];
		if (*bound > 0 && *bound < b->ppm / 1e6)
			*bound = b->ppm / 1e6;
	}
}

/* The part with the main neighbour of those known; -1: none, or one is unknown. */
static int main_part(const struct cs_admission *a, const struct cs_ended *r)
{
	int best = -1;

	for (int i = 0; i < (int)r->n_part; i++) {
		const struct cs_run_part *p = &r->part[i];
		bool kind = p->beside > CS_BESIDE_NOBODY;

		if (kind && cs_admission_find(a, p->beside) < 0)
			return -1;
		if (kind && (best < 0 || p->us > r->part[best].us))
			best = i;
	}
	return best >= 0 && (double)r->part[best].us >= MAIN * (double)r->ran_us
		       ? best
		       : -1;
}

/* Time of @of beside @beside over its time dense and alone, as expected. */
static double ratio_of(const struct cs_admission *a, int of, uint64_t beside)
{
	const struct cs_learned *t = &a->table;

	if (beside == CS_BESIDE_FULL)
		return 1;
	if (beside == CS_BESIDE_NOBODY)
		return 1 / t->self[of];
	return t->mean[of * t->n + cs_admission_find(a, beside)] / t->self[of];
}

static bool was_promised(const struct cs_learned *t, int a, int b, double most)
{
	double ab = t->bound[a * t->n + b], ba = t->bound[b * t->n + a];

	return ab > 0 && ab <= most && ba > 0 && ba <= most;
}

struct cs_admission_verdict cs_admission_judge(const struct cs_admission *a,
					       const struct cs_past *h,
					       const struct cs_ended *r,
					       double most)
{
	struct cs_admission_verdict v = { .beside = 0 };
	int of = cs_admission_find(a, r->kin->kind);
	int k = of < 0 ? -1 : main_part(a, r);
	double alone_us, work_us, excess;
	struct cs_alone alone;

	if (k < 0 || !cs_past_alone(h, r->kin->group, r->t_us, &alone))
		return v;
	work_us = alone_us = cs_real_exp(alone.ln_us);
	for (int i = 0; i < (int)r->n_part; i++)
		if (i != k)
			work_us -= (double)r->part[i].us /
				   ratio_of(a, of, r->part[i].beside);
	if (work_us < LITTLE * alone_us)
		return v;
	v.beside = r->part[k].beside;
	v.slowdown = (double)r->part[k].us / work_us * a->table.self[of];
	excess = cs_real_ln(v.slowdown / most) * work_us / alone_us;
	v.broken = excess > SURE * cs_real_root(alone.noise + alone.base) &&
		   v.slowdown > most;
	return v;
}

bool cs_admission_promised(const struct cs_admission *a, uint64_t of,
			   uint64_t beside, double most)
{
	int x = cs_admission_find(a, of), y = cs_admission_find(a, beside);

	return x >= 0 && y >= 0 && was_promised(&a->table, x, y, most);
}

/* ---- queries ------------------------------------------------------------- */

const struct cs_learned *cs_admission_table(const struct cs_admission *a)
{
	return &a->table;
}

struct cs_admission_kind cs_admission_kind(const struct cs_admission *a,
					   int kind)
{
	return (struct cs_admission_kind){
		.key = a->key[kind],
		.self = a->table.self[kind],
		.partners = cs_fit_effect(a->fit, (uint32_t)kind).partners,
		.runs = a->count[kind],
	};
}

struct cs_admission_pair cs_admission_pair(const struct cs_admission *a, int of,
					   int beside)
{
	struct cs_fit_guess g =
		cs_fit_guess(a->fit, (uint32_t)of, (uint32_t)beside);

	return (struct cs_admission_pair){
		.mean = cs_real_exp(g.mean),
		/* rule 6 may have raised it */
		.bound = a->table.bound[of * a->table.n + beside] /
			 a->table.self[of],
		.runs = g.runs,
	};
}

size_t cs_admission_seen(const struct cs_admission *a)
{
	return cs_fit_quantile(a->fit).pairs;
}
