/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Predicted runtimes.
 *
 * Problem.  A limit is two to eight times the runtime of a job, but users repeat their
 * jobs: earlier runs of the same user with the same request say more.
 *
 * Symbols		C name		unit
 *   L			limit_us	us
 *   e			elapsed_us	us that the job has run by now
 *   r_1, r_2, ...	ran_us		us; earlier runs of a group, the newest first
 *   q			ratio		runtime over limit of an earlier job
 *
 * Rules.
 *  1. A run is remembered in three groups of jobs: of the same user, CPUs and limit; of
 *     the same user and limit; of the same user.  A group holds its last RUNS runs.  The
 *     last RATIOS values of q of all jobs are remembered, too.
 *  2. Of a job that has run for e, runs with r > e are drawn from the first of its groups
 *     that has two or more of them, the k-th newest (k = 0, 1, ...) with the weight
 *
 *		.7^k						(1)
 *
 *     and cut at L.
 *  3. Without such a group q L is drawn, evenly, from the remembered ratios with
 *     q L > e, and cut at L; without such a ratio it is L.
 *  4. A run counts as at least 1 us, and q as at most RATIO_MOST.  If L <= e, the job has
 *     outrun its limit, and L is the answer.
 *  5. When there is no room for another group, the one to which no run was added for
 *     longest is forgotten.
 *
 * Source: the groups and the condition on e are from Tsafrir, Etsion and Feitelson,
 * "Backfilling using system-generated predictions rather than user runtime estimates",
 * TPDS 18(6), 2007 (the last two jobs of a user; a prediction that has passed is
 * replaced), and Gaussier, Glesser, Reis and Trystram, "Improving backfilling by using
 * machine learning to predict running times", SC'15 (user, cores and requested time as
 * features).
 *
 * Differs: the sources predict one number for a plan; this draws from a distribution,
 * for estimates of starts only.
 *
 * Example: runs of 100 and 300 s, the newest first, L = 400 s, e = 0: 100 s with
 * probability 1 / 1.7, else 300 s.  At e = 200 s only one run of the group is left, and
 * rule 3 holds (test_runtimes.c, newer_runs_are_likelier and
 * a_run_that_has_passed_is_not_drawn).
 *
 * Cost: O(RUNS + RATIOS).  A group is about 200 bytes.
 *
 * Known weakness.  Users and groups are known by hashes of 64 bits: two of a million
 * groups are taken for one with a probability of 3e-8, which spoils an estimate and no
 * more.
 */
#include "estimate/runtimes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/idmap.h"
#include "base/rng.h"
#include "estimate/numbers.h"
#include "model/event.h"

#define RUNS 20
#define RATIOS 100
#define WEIGHT .7
#define RATIO_MOST 1e6
#define NONE UINT32_MAX

enum level { USER_CPUS_LIMIT, USER_LIMIT, USER, LEVELS };

struct group {
	uint64_t key;
	uint32_t newer,
		older; /* groups to which runs were added after, before; NONE */
	uint32_t n, next; /* runs; where the next one goes */
	int64_t ran_us[RUNS];
};

struct cs_runtimes {
	uint32_t most;
	uint32_t n, cap;
	struct group *group; /* [n] */
	uint32_t newest, oldest;
	struct cs_idmap by_key; /* their indexes plus 1 */
	uint32_t n_ratio, next_ratio;
	double ratio[RATIOS];
};

/* Runs from which to draw, the newest first. */
struct runs {
	uint32_t n;
	int64_t us[RATIOS];
	double weight; /* of each after the one before it */
};

static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return cs_rng_hash(hash, 0);
}

struct cs_runtime_of cs_runtime_of(const struct cs_job *job)
{
	return (struct cs_runtime_of){
		.user = hash_text(job->user),
		.cpus = (uint64_t)job->procs * job->cpus_per_proc,
		.limit_us = job->estimate_us,
	};
}

struct cs_runtimes *cs_runtimes_create(uint32_t groups)
{
	struct cs_runtimes *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->most = groups;
	r->newest = r->oldest = NONE;
	return r;
}

void cs_runtimes_free(struct cs_runtimes *r)
{
	if (!r)
		return;
	free(r->group);
	cs_idmap_done(&r->by_key);
	free(r);
}

/* ---- groups (rules 1 and 5) ------------------------------------------------ */

static uint64_t key_of(const struct cs_runtime_of *job, enum level level)
{
	uint64_t key = cs_rng_hash(job->user, level);

	if (level != USER)
		key = cs_rng_hash(key, (uint64_t)job->limit_us);
	return level == USER_CPUS_LIMIT ? cs_rng_hash(key, job->cpus) : key;
}

static const struct group *find(const struct cs_runtimes *r, uint64_t key)
{
	uintptr_t at = (uintptr_t)cs_idmap_find(&r->by_key, key);

	return at ? &r->group[at - 1] : NULL;
}

static void unlink_group(struct cs_runtimes *r, const struct group *g)
{
	*(g->newer == NONE ? &r->newest : &r->group[g->newer].older) = g->older;
	*(g->older == NONE ? &r->oldest : &r->group[g->older].newer) = g->newer;
}

static void link_newest(struct cs_runtimes *r, struct group *g)
{
	uint32_t at = (uint32_t)(g - r->group);

	g->newer = NONE;
	g->older = r->newest;
	*(r->newest == NONE ? &r->oldest : &r->group[r->newest].newer) = at;
	r->newest = at;
}

/* An empty group in no list, of no key; NULL: no memory. */
static struct group *new_group(struct cs_runtimes *r)
{
	struct group *g;

	if (r->n == r->most) {
		g = &r->group[r->oldest];
		unlink_group(r, g);
		cs_idmap_remove(&r->by_key, g->key);
		return g;
	}
	if (cs_array_room(&r->group, &r->cap, r->n + 1) ||
	    cs_idmap_reserve(&r->by_key, r->n + 1))
		return NULL;
	return &r->group[r->n++];
}

static int add_to_group(struct cs_runtimes *r, uint64_t key, int64_t ran_us)
{
	uintptr_t at = (uintptr_t)cs_idmap_find(&r->by_key, key);
	struct group *g = at ? &r->group[at - 1] : new_group(r);

	if (!g)
		return -ENOMEM;
	if (at) {
		unlink_group(r, g);
	} else {
		*g = (struct group){ .key = key };
		cs_idmap_add(&r->by_key, key,
			     (void *)(uintptr_t)(g - r->group + 1));
	}
	link_newest(r, g);
	g->ran_us[g->next] = ran_us;
	g->next = (g->next + 1) % RUNS;
	g->n += g->n < RUNS;
	return 0;
}

static void add_ratio(struct cs_runtimes *r, double ratio)
{
	r->ratio[r->next_ratio] = ratio < RATIO_MOST ? ratio : RATIO_MOST;
	r->next_ratio = (r->next_ratio + 1) % RATIOS;
	r->n_ratio += r->n_ratio < RATIOS;
}

int cs_runtimes_add(struct cs_runtimes *r, const struct cs_runtime_of *job,
		    int64_t ran_us)
{
	int rc = 0;

	ran_us = ran_us > 1 ? ran_us : 1;
	add_ratio(r, (double)ran_us / (double)job->limit_us);
	for (int level = 0; !rc && level < LEVELS; level++)
		rc = add_to_group(r, key_of(job, (enum level)level), ran_us);
	return rc;
}

/* ---- draws (rules 2 and 3) ------------------------------------------------- */

static void from_group(const struct group *g, int64_t elapsed_us,
		       struct runs *ret)
{
	ret->n = 0;
	ret->weight = WEIGHT;
	for (uint32_t k = 1; g && k <= g->n; k++) {
		int64_t us = g->ran_us[(g->next + RUNS - k) % RUNS];

		if (us > elapsed_us)
			ret->us[ret->n++] = us;
	}
}

static void from_ratios(const struct cs_runtimes *r, int64_t limit_us,
			int64_t elapsed_us, struct runs *ret)
{
	ret->n = 0;
	ret->weight = 1;
	for (uint32_t k = 0; k < r->n_ratio; k++) {
		double us = r->ratio[k] * (double)limit_us;
		int64_t cut = us < (double)limit_us ? (int64_t)us : limit_us;

		if (cut > elapsed_us)
			ret->us[ret->n++] = cut;
	}
}

/* Rules 2 and 3; n is 0 if only the limit is left. */
static void runs_of(const struct cs_runtimes *r,
		    const struct cs_runtime_of *job, int64_t elapsed_us,
		    struct runs *ret)
{
	for (int level = 0; level < LEVELS; level++) {
		from_group(find(r, key_of(job, (enum level)level)), elapsed_us,
			   ret);
		if (ret->n >= 2)
			return;
	}
	from_ratios(r, job->limit_us, elapsed_us, ret);
}

static int64_t at_most(int64_t us, int64_t limit_us)
{
	return us < limit_us ? us : limit_us;
}

int64_t cs_runtimes_draw(const struct cs_runtimes *r,
			 const struct cs_runtime_of *job, int64_t elapsed_us,
			 double unit)
{
	struct runs runs;
	double all = 0, weight = 1;

	if (job->limit_us <= elapsed_us)
		return job->limit_us;
	runs_of(r, job, elapsed_us, &runs);
	if (!runs.n)
		return job->limit_us;
	for (uint32_t k = 0; k < runs.n; k++, weight *= runs.weight)
		all += weight;
	weight = 1;
	for (uint32_t k = 0; k < runs.n; k++, weight *= runs.weight) {
		unit -= weight / all;
		if (unit < 0)
			return at_most(runs.us[k], job->limit_us);
	}
	return at_most(runs.us[runs.n - 1], job->limit_us);
}

static int by_length(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int64_t cs_runtimes_median(const struct cs_runtimes *r,
			   const struct cs_runtime_of *job)
{
	struct runs runs;

	runs_of(r, job, 0, &runs);
	if (!runs.n)
		return job->limit_us;
	qsort(runs.us, runs.n, sizeof(*runs.us), by_length);
	return at_most(runs.us[(runs.n - 1) / 2], job->limit_us);
}

/* ---- lines ------------------------------------------------------------------ */

/* "group KEY RUN..." and "ratios RATIO...", the oldest first; KEY as a signed number. */
void cs_runtimes_save(const struct cs_runtimes *r, const char *before,
		      struct cs_textbuf *t)
{
	uint32_t at = r->newest, older;

	cs_textbuf_print(t, "%sratios", before);
	for (uint32_t k = r->n_ratio; k; k--)
		cs_numbers_put_real(
			t, r->ratio[(r->next_ratio + RATIOS - k) % RATIOS]);
	cs_textbuf_byte(t, '\n');
	for (uint32_t n = 1; n < CS_RUNTIMES_SAVED && at != NONE; n++) {
		older = r->group[at].older;
		if (older == NONE)
			break;
		at = older;
	}
	for (; at != NONE; at = r->group[at].newer) {
		const struct group *g = &r->group[at];

		cs_textbuf_print(t, "%sgroup", before);
		cs_numbers_put(t, (int64_t)g->key);
		for (uint32_t k = g->n; k; k--)
			cs_numbers_put(t,
				       g->ran_us[(g->next + RUNS - k) % RUNS]);
		cs_textbuf_byte(t, '\n');
	}
}

_Static_assert(64 + RATIOS * CS_NUMBERS_I64 < CS_EVENT_KEPT &&
		       64 + (1 + RUNS) * CS_NUMBERS_I64 < CS_EVENT_KEPT,
	       "no line is cut in a log");
_Static_assert(64 + RATIOS * CS_NUMBERS_I64 +
			       CS_RUNTIMES_SAVED *
				       (16 + (1 + RUNS) * CS_NUMBERS_I64) <
		       CS_RUNTIMES_BYTES,
	       "what is saved");

static int restore_ratios(struct cs_runtimes *r, const char *text)
{
	int64_t number[RATIOS];
	int n = cs_numbers_read(text, number, RATIOS);

	for (int i = 0; i < n; i++)
		if (number[i] < 0 || cs_numbers_real(number[i]) > RATIO_MOST)
			return -EINVAL;
	for (int i = 0; i < n; i++)
		add_ratio(r, cs_numbers_real(number[i]));
	return n < 0 ? n : 0;
}

static int restore_group(struct cs_runtimes *r, const char *text)
{
	int64_t number[RUNS + 1];
	int n = cs_numbers_read(text, number, RUNS + 1), rc = 0;

	if (n < 2)
		return -EINVAL;
	for (int i = 1; i < n; i++)
		if (number[i] < 1)
			return -EINVAL;
	for (int i = 1; !rc && i < n; i++)
		rc = add_to_group(r, (uint64_t)number[0], number[i]);
	return rc;
}

int cs_runtimes_restore(struct cs_runtimes *r, const char *text)
{
	const char *rest;

	if ((rest = cs_numbers_behind(text, "ratios")))
		return restore_ratios(r, rest);
	rest = cs_numbers_behind(text, "group");
	return rest ? restore_group(r, rest) : -EINVAL;
}
