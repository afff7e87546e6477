/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict of a comparison, in sentences that only repeat its figures.
 *
 * The best policy has the least mean; others within a relative 10^-9 are best, too.
 * Its distance from the first policy, and from the next best one, is a change with its
 * error (compare.h); a change within its error may be chance.
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_VERDICT_H
#define CS_COSCHED_COMPARE_COMPARE_VERDICT_H

#include <stdio.h>

#include "compare/compare_users.h"

/* The figures by which policies are judged. */
#define CS_VERDICTS 2
extern const char *const cs_verdict_key[CS_VERDICTS];

struct cs_verdict {
	const struct cs_compare_figure *figure;
	double value; /* of the best policy */
	size_t best;  /* the first of the best */
	size_t n_best;
	double change, error; /* of the best against the first policy */
	size_t next;	      /* SIZE_MAX: all are best */
	double next_change, next_error; /* of that one against the best */
};

/* By cs_verdict_key[@i].  false: fewer than two policies, or no values. */
bool cs_compare_verdict(const struct cs_compare *c, size_t i,
			struct cs_verdict *ret);
/* Is @policy one of the best? */
bool cs_verdict_best(const struct cs_compare *c, const struct cs_verdict *v,
		     size_t policy);

/* Write "12.3 % less than WHOM", and whether the change exceeds chance; @whom NULL: without
 * "than WHOM". */
void cs_verdict_say_change(FILE *out, double change, double error,
			   const char *whom);

/* A text that is written to @out. */
struct cs_memo {
	FILE *out;
	char *text;
	size_t size;
};

/* false: no memory. */
bool cs_memo_begin(struct cs_memo *m);
/* The text, which becomes the caller's; NULL: no memory. */
char *cs_memo_end(struct cs_memo *m);

/* Sentences, without a final newline.  The caller frees them; NULL: no memory. */
char *cs_verdict_text(const struct cs_compare *c, const struct cs_verdict *v);
/* How far to trust it. */
char *cs_verdict_caution(const struct cs_compare *c);
char *cs_losers_text(const struct cs_compare *c, size_t policy,
		     const struct cs_losers *l);

#endif
