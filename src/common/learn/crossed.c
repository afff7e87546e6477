/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Example.  A job ran 100, 110 and 90 s on one site, 130 s over 2 and 190 s over 4.  T =
 * 100.  With constant growth the split runs say .3 and .9, and p = .6, the mean of the
 * two in the middle; with linear growth, g(2) = 1/3, both say .9.
 *
 * Known weakness: runs of a group are assumed to do the same work.
 */
#include "learn/crossed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "learn/numbers.h"

#define USER_PART 8
#define WORD "crossed"

/* ---- the table ------------------------------------------------------------ */

static bool both_ways(const struct cs_crossed_kind *k)
{
	return k->one.n && k->split.n;
}

/* Is @a rather replaced than @b, which may be NULL? */
static bool before(const struct cs_crossed_kind *a,
		   const struct cs_crossed_kind *b)
{
	if (!b || both_ways(a) != both_ways(b))
		return !b || !both_ways(a);
	return a->last_us < b->last_us;
}

/* The entry to use or replace for a group of @user's. */
static struct cs_crossed_kind *place(struct cs_crossed *c, uint64_t user)
{
	struct cs_crossed_kind *mine = NULL, *any = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		struct cs_crossed_kind *k = &c->kind[i];

		if (before(k, any))
			any = k;
		if (k->user != user)
			continue;
		n++;
		if (before(k, mine))
			mine = k;
	}
	if (n >= CS_CROSSED_KINDS / USER_PART)
		return mine;
	return c->n < CS_CROSSED_KINDS ? &c->kind[c->n++] : any;
}

static struct cs_crossed_kind *find(struct cs_crossed *c, uint64_t key)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->kind[i].key == key)
			return &c->kind[i];
	return NULL;
}

void cs_crossed_ended(struct cs_crossed *c, const struct cs_kin *kin,
		      uint32_t procs, int64_t t_us, int64_t ran_us,
		      uint32_t sites)
{
	struct cs_crossed_kind *k = find(c, kin->group[1]);
	struct cs_crossed_runs *r;

	if (!k) {
		k = place(c, kin->user);
		*k = (struct cs_crossed_kind){ .key = kin->group[1],
					       .user = kin->user,
					       .procs = procs };
		memcpy(k->name, kin->name, sizeof(k->name));
	}
	r = sites > 1 ? &k->split : &k->one;
	r->run[r->next] = (struct cs_crossed_run){ ran_us, sites };
	r->next = (r->next + 1) % CS_CROSSED_RUNS;
	r->n += r->n < CS_CROSSED_RUNS;
	if (t_us > k->last_us)
		k->last_us = t_us;
}

/* ---- p --------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *of, uint32_t n)
{
	qsort(of, n, sizeof(*of), by_value);
	return (of[(n - 1) / 2] + of[n / 2]) / 2;
}

bool cs_crossed_across(const struct cs_crossed_kind *k,
		       cs_crossed_growth_fn *growth, const void *arg,
		       double *ret)
{
	double of[CS_CROSSED_RUNS] = { 0 }, one;

	if (!both_ways(k))
		return false;
	for (uint32_t i = 0; i < k->one.n; i++)
		of[i] = (double)k->one.run[i].us;
	one = median(of, k->one.n);
	for (uint32_t i = 0; i < k->split.n; i++)
		of[i] = ((double)k->split.run[i].us / one - 1) /
			growth(arg, k->split.run[i].sites);
	*ret = median(of, k->split.n);
	return true;
}

/* ---- text ------------------------------------------------------------------ */

static void put_runs(struct cs_textbuf *t, const struct cs_crossed_runs *r,
		     bool split)
{
	uint32_t first = r->n < CS_CROSSED_RUNS ? 0 : r->next;

	cs_textbuf_print(t, " %" PRIu32, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct cs_crossed_run *x =
			&r->run[(first + i) % CS_CROSSED_RUNS];

		cs_textbuf_print(t, " %" PRId64, x->us);
		if (split)
			cs_textbuf_print(t, " %" PRIu32, x->sites);
	}
}

void cs_crossed_write(const struct cs_crossed *c, struct cs_textbuf *t)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cs_crossed_kind *k = &c->kind[i];

		cs_textbuf_print(
			t, WORD " %" PRIx64 " %" PRIx64 " %" PRId64 " %" PRIu32,
			k->key, k->user, k->last_us, k->procs);
		put_runs(t, &k->one, false);
		put_runs(t, &k->split, true);
		cs_textbuf_print(t, " %s\n", k->name);
	}
}

bool cs_crossed_is_line(const char *line)
{
	return !strncmp(line, WORD " ", strlen(WORD " "));
}

static bool read_runs(const char **at, struct cs_crossed_runs *r, bool split)
{
	if (!cs_numbers_count(at, CS_CROSSED_RUNS, &r->n))
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		struct cs_crossed_run *x = &r->run[i];

		x->sites = 1;
		if (!cs_numbers_micros(at, &x->us) || x->us < 1 ||
		    (split &&
		     (!cs_numbers_count(at, CS_CROSSED_SITES_MAX, &x->sites) ||
		      x->sites < 2)))
			return false;
	}
	r->next = r->n % CS_CROSSED_RUNS;
	return true;
}

static bool read_kind(const char *at, struct cs_crossed_kind *k)
{
	size_t len;

	if (!cs_numbers_key(&at, &k->key) || !k->key ||
	    !cs_numbers_key(&at, &k->user) ||
	    !cs_numbers_micros(&at, &k->last_us) ||
	    !cs_numbers_count(&at, UINT32_MAX, &k->procs) ||
	    !read_runs(&at, &k->one, false) ||
	    !read_runs(&at, &k->split, true) || *at++ != ' ')
		return false;
	len = strlen(at);
	if (!len || len >= sizeof(k->name))
		return false;
	for (size_t i = 0; i < len; i++)
		if (at[i] <= ' ' || at[i] > '~')
			return false;
	memcpy(k->name, at, len + 1);
	return true;
}

int cs_crossed_read(struct cs_crossed *c, const char *line, struct cs_err *err)
{
	struct cs_crossed_kind k = { .key = 0 };

	if (!cs_crossed_is_line(line) || c->n == CS_CROSSED_KINDS ||
	    !read_kind(line + strlen(WORD), &k) || find(c, k.key))
		return cs_err_set(err, -EINVAL,
				  "'%.60s', expected a group of jobs that "
				  "crossed",
				  line);
	c->kind[c->n++] = k;
	return 0;
}
