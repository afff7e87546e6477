/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The usual limit of each group of partitions; the theory is in usual.c. */
#ifndef CS_ORDER_USUAL_H
#define CS_ORDER_USUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CS_USUAL_LEAST_US (INT64_C(60) * 1000000)
#define CS_USUAL_MOST_US (INT64_C(7) * 24 * 3600 * 1000000)
#define CS_USUAL_FIRST_US (INT64_C(3600) * 1000000)

/* Partitions that share nodes, as far as jobs have named them. */
struct cs_usual_group {
	uint64_t *nodes; /* set, owned */
	double sum_us;	 /* of limits, each times its weight */
	double weight;	 /* sum of the weights; 0: none yet */
	int64_t at_us;	 /* instant of the two */
	uint32_t array;	 /* whose task was counted last; 0 */
};

struct cs_usual {
	uint32_t words; /* of a node set */
	size_t n, cap;
	struct cs_usual_group *group;
	double half_jobs, half_us; /* half-life of a weight: in jobs, in time */
};

/* A submission in one of its partitions. */
struct cs_usual_job {
	const uint64_t *nodes; /* those it may use */
	int64_t at_us;	       /* when it was submitted */
	int64_t limit_us;
	uint32_t array; /* 0: none */
};

void cs_usual_done(struct cs_usual *u);
/* 0, -ENOMEM. */
int cs_usual_copy(struct cs_usual *to, const struct cs_usual *from);

/* The group of @nodes, which is made or joined as needed; NULL: no memory.  Valid until
 * the next call.  O(groups * nodes / 64). */
struct cs_usual_group *cs_usual_group_of(struct cs_usual *u,
					 const uint64_t *nodes);
/* The usual limit in @g as of the last submission counted; 60 s to 7 days. */
int64_t cs_usual_limit_us(const struct cs_usual_group *g);
/* Count @j, unless a task of its array was the last that counted. */
void cs_usual_count(const struct cs_usual *u, struct cs_usual_group *g,
		    const struct cs_usual_job *j);

#endif
