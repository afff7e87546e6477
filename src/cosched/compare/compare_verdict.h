/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a comparison comes to, in words that only repeat its figures.
 *
 * Best is the policy of the least mean; others within a part of 10^9 of it are
 * best, too.  Its distance from the first policy, and from the next best one, is a
 * change with its error (compare.h); one that is not larger than its error is not
 * told from chance.
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_VERDICT_H
#define CS_COSCHED_COMPARE_COMPARE_VERDICT_H

#include "compare/compare_users.h"

/* The figures by which policies are judged. */
#define CS_VERDICTS 2
extern const char *const cs_verdict_key[CS_VERDICTS];

struct cs_verdict {
	const struct cs_compare_figure *figure;
	double value; /* of the best */
	size_t best;  /* the first of them */
	size_t n_best;
	double change, error; /* of the best against the first policy */
	size_t next;	      /* SIZE_MAX: all are best */
	double next_change, next_error; /* of it against the best */
};

/* By cs_verdict_key[@i].  false: there are less than two policies, or no
 * figures. */
bool cs_compare_verdict(const struct cs_compare *c, size_t i,
			struct cs_verdict *ret);
/* Is @policy one of the best? */
bool cs_verdict_best(const struct cs_compare *c, const struct cs_verdict *v,
		     size_t policy);

/* Sentences, without a newline behind them. */
void cs_verdict_say(FILE *out, const struct cs_compare *c,
		    const struct cs_verdict *v);
void cs_losers_say(FILE *out, const struct cs_compare *c, size_t policy,
		   const struct cs_losers *l);

/* @s seconds in the unit in which @like seconds are read best: "12.4 min". */
#define CS_VERDICT_SPAN 32
const char *cs_verdict_span(double s, double like, char buf[CS_VERDICT_SPAN]);

#endif
