/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of a page are written with.  Nobody but the page_*.c and
 * compare_page.c includes this.
 *
 *	page_words.c	verdict, notes, tables
 *	page_curves.c	distributions, cores over time: a panel a policy
 *	page_gantt.c	who is where
 */
#ifndef CS_COSCHED_COMPARE_PAGE_TEXT_H
#define CS_COSCHED_COMPARE_PAGE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "compare/compare_page.h"
#include "compare/compare_verdict.h"

extern const char cs_page_style[];

/* A policy's, which a line may break behind each ':'. */
void cs_page_title(FILE *f, const char *title);

/* ---- pictures ------------------------------------------------------------ */

/* An SVG of that size; @label is told in its place where it cannot be seen. */
void cs_page_svg(FILE *f, double wide, double high, const char *label);
void cs_page_svg_end(FILE *f);
void cs_page_text(FILE *f, double x, double y, const char *class,
		  const char *s);

/* A piece of time from @from_s to @to_s, drawn from @left over @wide. */
struct cs_page_axis {
	double from_s, to_s, left, wide;
};

double cs_page_at(const struct cs_page_axis *a, double s);
/* A line at each tick from @top to @bottom, and below it when that is. */
void cs_page_ticks(FILE *f, const struct cs_page_axis *a, double top,
		   double bottom);

/* A part that is scrolled by itself where there is no room, also by keys. */
void cs_page_wide(FILE *f, const char *label);
void cs_page_wide_end(FILE *f);

/* ---- parts --------------------------------------------------------------- */

/* 0, -ENOMEM. */
int cs_page_words(FILE *f, const struct cs_compare *c);
void cs_page_settings(FILE *f, const struct cs_compare *c);
void cs_page_curves(FILE *f, const struct cs_page *p);
void cs_page_gantt(FILE *f, const struct cs_page *p);

#endif
