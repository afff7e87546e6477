/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that write the parts of a page.
 *
 *	page_words.c	verdict, notes, tables
 *	page_curves.c	distributions, cores over time: one panel per policy
 *	page_gantt.c	where jobs ran
 */
#ifndef CS_COSCHED_COMPARE_PAGE_TEXT_H
#define CS_COSCHED_COMPARE_PAGE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "compare/compare_page.h"
#include "compare/compare_verdict.h"

extern const char cs_page_style[];

/* The page up to the line below its heading, which the caller writes and ends with
 * "</p>\n"; and what ends it. */
void cs_page_head(FILE *f, const char *title, const char *heading);
void cs_page_tail(FILE *f);

/* A policy's title, which may break after each ':' and '='. */
void cs_page_title(FILE *f, const char *title);

/* ---- pictures ------------------------------------------------------------ */

/* An SVG of that size; screen readers read @label. */
void cs_page_svg(FILE *f, double wide, double high, const char *label);
void cs_page_svg_end(FILE *f);
void cs_page_text(FILE *f, double x, double y, const char *class,
		  const char *s);

/* The time from @from_s to @to_s, drawn from @left over @wide pixels. */
struct cs_page_axis {
	double from_s, to_s, left, wide;
};

double cs_page_at(const struct cs_page_axis *a, double s);
/* A line at each tick from @top to @bottom, with its time below. */
void cs_page_ticks(FILE *f, const struct cs_page_axis *a, double top,
		   double bottom);

/* A part that scrolls horizontally if there is no room, also by keyboard. */
void cs_page_wide(FILE *f, const char *label);
void cs_page_wide_end(FILE *f);

/* ---- parts --------------------------------------------------------------- */

/* 0, -ENOMEM. */
int cs_page_words(FILE *f, const struct cs_compare *c);
void cs_page_settings(FILE *f, const struct cs_compare *c);
void cs_page_curves(FILE *f, const struct cs_page *p);
void cs_page_gantt(FILE *f, const struct cs_page *p);

#endif
