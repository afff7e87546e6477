/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compare/compare_users.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/pairs.h"

/* ---- the users of a case ------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const struct cs_compare_user *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int name_user(struct cs_compare_user *u, const struct cs_trace *t)
{
	const char *name = cs_trace_name(t->names, CS_NAME_USER, u->number);
	int n = name ? asprintf(&u->title, "%s", name)
		     : asprintf(&u->title, "user %" PRId32, u->number);

	if (n < 0)
		u->title = NULL;
	for (char *c = u->title; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return u->title ? 0 : -ENOMEM;
}

int cs_compare_users(struct cs_compare_case *ret, const struct cs_trace *t)
{
	struct cs_compare_user *u = calloc(t->n + 1, sizeof(*u));
	size_t n = 0, all = 0;
	int rc = 0;

	if (!u)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		if (t->job[i].user >= 0)
			u[all++].number = t->job[i].user;
	qsort(u, all, sizeof(*u), by_number);
	for (size_t i = 0; i < all; i++) {
		if (!n || u[n - 1].number != u[i].number)
			u[n++].number = u[i].number;
		u[n - 1].jobs++;
	}
	ret->user = u;
	ret->n_user = n;
	for (size_t i = 0; !rc && i < n; i++)
		rc = name_user(&u[i], t);
	return rc;
}

void cs_compare_users_done(struct cs_compare_case *at)
{
	for (size_t i = 0; i < at->n_user; i++)
		free(at->user[i].title);
	free(at->user);
}

size_t cs_compare_user(const struct cs_compare_case *at, int32_t number)
{
	struct cs_compare_user key = { .number = number };
	struct cs_compare_user *u =
		bsearch(&key, at->user, at->n_user, sizeof(key), by_number);

	return (size_t)(u - at->user);
}

/* ---- who loses ----------------------------------------------------------- */

/* Do all cases have the same users, being replicas of one history? */
static bool same_users(const struct cs_compare *c)
{
	const struct cs_compare_case *first = &c->cases[0];

	if (!c->site)
		return c->n_case == 1;
	for (size_t k = 1; k < c->n_case; k++) {
		const struct cs_compare_case *at = &c->cases[k];

		if (at->n_user != first->n_user)
			return false;
		for (size_t i = 0; i < at->n_user; i++)
			if (by_number(&at->user[i], &first->user[i]))
				return false;
	}
	return true;
}

static double response(const struct cs_compare *c, size_t at, size_t policy,
		       size_t user)
{
	return c->response_s[at * c->n_policy + policy][user] /
	       c->cases[at].user[user].jobs;
}

/* User @user of case @from, present in @n cases from there on. */
static void judge(const struct cs_compare *c, size_t policy, size_t from,
		  size_t n, size_t user, struct cs_losers *ret)
{
	struct cs_loser l = { .user = &c->cases[from].user[user] };
	struct cs_pairs s = { 0 };

	for (size_t k = from; k < from + n; k++)
		cs_pairs_add(&s, response(c, k, policy, user),
			     response(c, k, 0, user));
	l.change = cs_pairs_change(&s, &l.error);
	l.here_s = s.a / (double)n;
	l.first_s = s.b / (double)n;
	l.at = n == c->n_case ? NULL : &c->cases[from];
	ret->users++;
	ret->shorter += l.here_s < l.first_s;
	if (!(l.here_s > l.first_s))
		return;
	ret->much += l.change > CS_LOSES_MUCH;
	ret->sure += l.change > l.error;
	ret->list[ret->n++] = l;
}

static int most_first(const void *a, const void *b)
{
	const struct cs_loser *x = a, *y = b;
	int rc = (x->change < y->change) - (x->change > y->change);

	return rc ? rc : by_number(x->user, y->user);
}

int cs_compare_losers(const struct cs_compare *c, size_t policy,
		      struct cs_losers *ret)
{
	bool same = same_users(c);
	size_t room = 1;

	for (size_t k = 0; k < c->n_case; k++)
		room += c->cases[k].n_user;
	*ret = (struct cs_losers){ .median = NAN, .most = NAN };
	ret->list = calloc(room, sizeof(*ret->list));
	if (!ret->list)
		return -ENOMEM;
	for (size_t k = 0; k < (same ? 1 : c->n_case); k++)
		for (size_t i = 0; i < c->cases[k].n_user; i++)
			judge(c, policy, k, same ? c->n_case : 1, i, ret);
	qsort(ret->list, ret->n, sizeof(*ret->list), most_first);
	if (ret->n) {
		ret->most = ret->list[0].change;
		ret->median = (ret->list[ret->n / 2].change +
			       ret->list[(ret->n - 1) / 2].change) /
			      2;
	}
	return 0;
}
