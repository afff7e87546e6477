/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How good estimates of starts were: what was said of each of the last jobs, and how long it
 * waited.
 *
 * A job counts if its wait, as estimated or in fact, is CS_OUTCOMES_LEAST_S or more.
 */
#ifndef CS_ESTIMATE_OUTCOMES_H
#define CS_ESTIMATE_OUTCOMES_H

#include <stdint.h>

#include "base/textbuf.h"

#define CS_OUTCOMES_KEPT 1000
#define CS_OUTCOMES_LEAST_S 60.

/* What was said of a job, and what was so.  Waits from the estimate on, in seconds. */
struct cs_outcome {
	int64_t started_us;
	double wait_s;	      /* that was so */
	double said_s;	      /* the estimate */
	double low_s, high_s; /* its interval */
	double limits_s;      /* by limits */
};

struct cs_outcomes {
	uint64_t judged, outside; /* ever: jobs, those outside their interval */
	uint32_t n, next;	  /* kept; where the next one goes */
	struct cs_outcome outcome[CS_OUTCOMES_KEPT];
};

/* Of the jobs of a time; all 0 without any.  Medians are the lower ones. */
struct cs_outcomes_sum {
	uint32_t jobs, outside; /* jobs; those outside their interval */
	double error_p50_s, error_p90_s; /* by how much estimates were off */
	double late_p50_s; /* starts after the estimate; < 0: before it */
	double error_limits_p50_s; /* by how much limits were off */
	double width_p50_s;	   /* of the intervals */
};

/* Count and keep @x, if it counts. */
void cs_outcomes_add(struct cs_outcomes *o, const struct cs_outcome *x);

/* Of the jobs that started after @since_us.  O(CS_OUTCOMES_KEPT) sorted. */
struct cs_outcomes_sum cs_outcomes_sum(const struct cs_outcomes *o,
				       int64_t since_us);

/* Add the lines to @t that restore all, each with @before before it. */
void cs_outcomes_save(const struct cs_outcomes *o, const char *before,
		      struct cs_textbuf *t);
/* Restore what the line @text, without that, has.  0; -ENOENT: it is no such line;
 * -EINVAL: it is damaged. */
int cs_outcomes_restore(struct cs_outcomes *o, const char *text);

#endif
