/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as one page that needs nothing else: HTML with its pictures as
 * SVG inside, no script, light or dark as the reader has it, and to be printed.
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_PAGE_H
#define CS_COSCHED_COMPARE_COMPARE_PAGE_H

#include <stdio.h>

#include "compare/compare.h"

#define CS_PAGE_NODES 16    /* rows of the Gantt picture: nodes ... */
#define CS_PAGE_CORES 64    /* ... and cores of each, at most */
#define CS_PAGE_SPANS 20000 /* bars of it for a policy */

/* What the pictures of the first case need of one policy. */
struct cs_compare_view {
	double *core_us; /* [n_step] of step_us each */
	size_t n_step;
	struct cs_span *span; /* [n_span] */
	size_t n_span;
};

struct cs_page {
	const struct cs_compare *c;
	const struct cs_trace *first;	    /* the first case's */
	const struct cs_compare_view *view; /* [n_policy] */
	int64_t step_us;
	int64_t from_us, to_us; /* the window of the Gantt picture */
};

/* 0; -ENOMEM; -EIO or another errno: it could not be written. */
int cs_compare_page(FILE *file, const struct cs_page *p);

#endif
