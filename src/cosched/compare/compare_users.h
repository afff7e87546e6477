/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Users who lose: their mean response is longer than under the first policy.
 *
 * With x_k and y_k the mean response of a user's jobs in case k under the policy and
 * under the first one, over the user's n cases,
 *
 *	change = 100 * (X - Y) / Y	X, Y means of x_k, y_k
 *	error = 100 * 2 * s / sqrt(n) / Y	s^2 the variance of x_k - y_k
 *
 * The user loses if X > Y.  The replicas of one history have the same users; in
 * different traces the same number is another user, and there is no error.
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_USERS_H
#define CS_COSCHED_COMPARE_COMPARE_USERS_H

#include "compare/compare.h"
#include "sim/trace.h"

#define CS_LOSES_MUCH 10 /* per cent */

struct cs_loser {
	const struct cs_compare_user *user;
	const struct cs_compare_case *at; /* the user's only case, of several;
					     NULL: all cases */
	double first_s, here_s;		  /* mean responses */
	double change, error;		  /* NAN: one case */
};

struct cs_losers {
	size_t users, shorter; /* all; those who gain */
	size_t n, much;	       /* losers; those by more than CS_LOSES_MUCH */
	size_t sure;	       /* losers by more than their error */
	double median, most;   /* change of losers; NAN */
	struct cs_loser *list; /* [n], the largest change first */
};

/* Collect the users of @t into @ret.  0, -ENOMEM. */
int cs_compare_users(struct cs_compare_case *ret, const struct cs_trace *t);
void cs_compare_users_done(struct cs_compare_case *at);
/* The index of @number, which must be one of them. */
size_t cs_compare_user(const struct cs_compare_case *at, int32_t number);

/* The losers of @policy.  0: the caller frees ret->list; -ENOMEM. */
int cs_compare_losers(const struct cs_compare *c, size_t policy,
		      struct cs_losers *ret);

#endif
