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
	const struct cs_trace *first; /* the first case's; NULL: no pictures */
	const struct cs_compare_view *view; /* [n_policy] */
	int64_t step_us;
	int64_t from_us, to_us; /* the window of the Gantt picture */
	/* Another page than that of `compare`: its title and the line below it,
	 * plain text, and what stands in the place of the words about the runs.
	 * NULL: as compare's. */
	const char *title, *below;
	void (*part)(FILE *file, const void *arg);
	const void *arg;
};

/* @text as HTML has it: what would end it, begin a tag or be no UTF-8 is escaped, or
 * '?'. */
void cs_page_esc(FILE *f, const char *text);
/* The table of means and changes. */
void cs_page_figures(FILE *f, const struct cs_compare *c);

/* Where the window of the Gantt picture ends, of our own choice: with what is in it. */
int64_t cs_page_window_end(const struct cs_page *p);

/* 0; -ENOMEM; -EIO or another errno: it could not be written. */
int cs_compare_page(FILE *file, const struct cs_page *p);

#endif
