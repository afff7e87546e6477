/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer to a site's question: what would each policy gain, who would lose by it, and
 * what to write into slurm.conf.  Rules in compare_answer.c.
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_ANSWER_H
#define CS_COSCHED_COMPARE_COMPARE_ANSWER_H

#include "compare/compare_verdict.h"

/* Why no gain of @policy over the site's own may be told. */
enum cs_answer_doubt {
	CS_ANSWER_SURE,
	CS_ANSWER_LEFT_OUT, /* too much of the history is not simulated */
	CS_ANSWER_ERROR,    /* the simulation is off by more */
};

enum cs_answer_doubt cs_compare_doubt(const struct cs_compare *c,
				      size_t policy);

/* May it be told who loses by @policy?  As little is known of a user as of all. */
bool cs_compare_tells_losers(const struct cs_compare *c, size_t policy);

/* Of a site: is the verdict @v about a policy whose figures are withheld? */
bool cs_compare_withheld(const struct cs_compare *c,
			 const struct cs_verdict *v);

/* The policies but the site's own, the least mean response first: @ret of n_policy - 1. */
void cs_compare_order(const struct cs_compare *c, size_t *ret);

/* Of these, in that order, the ones of which the answer tells (cs_compare_site.always); how
 * many. */
size_t cs_compare_told(const struct cs_compare *c, size_t *ret);

/* A sentence on what @policy gains, without a final newline.  The caller frees them; NULL:
 * no memory. */
char *cs_compare_gain_text(const struct cs_compare *c, size_t policy);
/* How to have the best of them; an empty text if none gains for sure, or if what was
 * simulated is not what slurmctld's defaults are. */
char *cs_compare_way_text(const struct cs_compare *c);

#endif
