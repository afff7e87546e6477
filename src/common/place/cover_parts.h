/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by cover.c, cover_join.c and cover_wait.c: a job if spread. */
#ifndef CS_PLACE_COVER_PARTS_H
#define CS_PLACE_COVER_PARTS_H

#include "state/pass.h"

struct cs_spread {
	const struct cs_entry *entry;
	const struct cs_node *like;
	struct cs_shape shape; /* its nodes, with a part of each */
	uint32_t dense;	       /* its nodes if dense */
};

/* False: it cannot share a node. */
bool cs_spread_init(const struct cs_engine *e, struct cs_spread *s,
		    const struct cs_entry *entry);
/* r_a: its time slowed by @cos, over dense and alone. */
double cs_spread_ratio(const struct cs_engine *e, const struct cs_spread *s,
		       double cos);
/* The expected slowdown of @of beside @beside. */
double cs_spread_likely(const struct cs_engine *e, struct cs_who of,
			struct cs_who beside);
/* Its run time if slowed by @cos; CS_TIME_NONE: more than its limit may be. */
int64_t cs_spread_run_us(const struct cs_engine *e, const struct cs_spread *s,
			 double cos);

/* Would it, started now for @run_us, end by what head_slack allows it (easy.c, rule 6)?
 * Also if it is too late for that, whatever is done. */
bool cs_spread_in_time(const struct cs_engine *e, const struct cs_spread *s,
		       int64_t run_us);
/* (1) of cover.c with the best waiting partners, on whatever nodes, which slow the job
 * by *@ret_cos at most; 0: they do not cover enough. */
double cs_cover_on_paper(struct cs_pass *p, const struct cs_spread *s,
			 double *ret_cos);

/* Rule 1 of cover.c: start the job on free parts of running jobs' nodes.  1, 0: not
 * possible, -ENOMEM. */
int cs_cover_join(struct cs_pass *p, const struct cs_spread *s);

/* Rule 5 of cover.c: does the job wait for its cover's nodes?  The pass then has them. */
bool cs_cover_waits(struct cs_pass *p, const struct cs_spread *s);

#endif
