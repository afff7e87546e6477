/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who loses: users whose mean response rises against the first policy.
 *
 * With x_k and y_k the mean response of a user's jobs in case k under the policy
 * and under the first one, over the n cases that he is in,
 *
 *	change = 100 * (X - Y) / Y	X, Y means of x_k, y_k
 *	error = 100 * 2 * s / sqrt(n) / Y	s^2 the variance of x_k - y_k
 *
 * He loses where X > Y.  The replicas of one history have the same users; in
 * different traces a number is somebody else's, and there is no error.
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_USERS_H
#define CS_COSCHED_COMPARE_COMPARE_USERS_H

#include "compare/compare.h"
#include "sim/trace.h"

#define CS_LOSES_MUCH 10 /* per cent */

struct cs_loser {
	const struct cs_compare_user *user;
	const struct cs_compare_case *at; /* where he is only in one of several;
					     NULL: there is no other */
	double first_s, here_s;		  /* mean responses */
	double change, error;		  /* NAN: one case */
};

struct cs_losers {
	size_t users, shorter; /* all, and those who gain */
	size_t n, much;	       /* who lose; by more than CS_LOSES_MUCH */
	size_t sure;	       /* who lose by more than their error */
	double median, most;   /* change of those who lose; NAN */
	struct cs_loser *list; /* [n] who loses most first */
};

/* The users of @t, which @ret is about.  0, -ENOMEM. */
int cs_compare_users(struct cs_compare_case *ret, const struct cs_trace *t);
void cs_compare_users_done(struct cs_compare_case *at);
/* The place of @number among them; they have it. */
size_t cs_compare_user(const struct cs_compare_case *at, int32_t number);

/* Of @policy.  0, and ret->list is the caller's to free; -ENOMEM. */
int cs_compare_losers(const struct cs_compare *c, size_t policy,
		      struct cs_losers *ret);

#endif
