/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as one self-contained page: HTML with inline SVG, no script, light or
 * dark as the reader prefers, and printable.
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_PAGE_H
#define CS_COSCHED_COMPARE_COMPARE_PAGE_H

#include <stdio.h>

#include "compare/compare.h"

#define CS_PAGE_NODES 16    /* rows of the Gantt picture: nodes ... */
#define CS_PAGE_CORES 64    /* ... and cores of each, at most */
#define CS_PAGE_SPANS 20000 /* bars in it per policy */

/* What the pictures of the first case need, per policy. */
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
	/* For a page other than `compare`'s: its title and the line below it, plain
	 * text, and what replaces the text about the runs.  NULL: `compare`'s own. */
	const char *title, *below;
	void (*part)(FILE *file, const void *arg);
	const void *arg;
};

/* Write @text escaped for HTML; control characters and what is not UTF-8 become '?'. */
void cs_page_esc(FILE *f, const char *text);
/* The table of means and changes. */
void cs_page_figures(FILE *f, const struct cs_compare *c);

/* The end of the Gantt picture's window, if we choose it: the last end of a bar. */
int64_t cs_page_window_end(const struct cs_page *p);

/* 0; -ENOMEM; -EIO or another errno: it could not be written. */
int cs_compare_page(FILE *file, const struct cs_page *p);

#endif
