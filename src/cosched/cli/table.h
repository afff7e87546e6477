/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for people: aligned tables and wrapped paragraphs.
 *
 * User text may hold anything: control bytes are printed as '?'.
 */
#ifndef CS_COSCHED_CLI_TABLE_H
#define CS_COSCHED_CLI_TABLE_H

#include <stddef.h>

#define CS_TABLE_COLUMNS 16

struct cs_table {
	size_t n_column, n_cell, room;
	char **cell; /* [room], row by row; the first row is the head */
	int failed;  /* no memory */
};

/* @head: column names, ending with NULL.  A name that begins with '>' marks a column of
 * numbers: it is right-aligned, and the '>' is not printed. */
void cs_table_init(struct cs_table *t, const char *const *head);
/* The next cell; a row is full after n_column of them. */
void cs_table_cell(struct cs_table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Print; the last column is cut at @columns. */
void cs_table_print(const struct cs_table *t, int columns);
void cs_table_done(struct cs_table *t);

/* Print @text with every line indented by @indent and broken at @columns. */
void cs_table_print_wrapped(const char *text, int indent, int columns);

/* Print @text, of any length, with control bytes except '\n' as '?'. */
void cs_table_print_clean(const char *text);

#endif
