/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

static void clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			*text = '?';
}

void cs_table_init(struct cs_table *t, const char *const *head)
{
	memset(t, 0, sizeof(*t));
	while (head[t->n_column] && t->n_column < CS_TABLE_COLUMNS)
		t->n_column++;
	for (size_t i = 0; i < t->n_column; i++)
		cs_table_cell(t, "%s", head[i]);
}

void cs_table_cell(struct cs_table *t, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	if (t->failed || cs_array_room(&t->cell, &t->room, t->n_cell + 1)) {
		t->failed = 1;
		return;
	}
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text) {
		t->failed = 1;
		return;
	}
	clean(text);
	t->cell[t->n_cell++] = text;
}

static size_t rows(const struct cs_table *t)
{
	return t->n_cell / t->n_column;
}

static const char *cell(const struct cs_table *t, size_t row, size_t column)
{
	const char *text = t->cell[row * t->n_column + column];

	return !row && *text == '>' ? text + 1 : text;
}

static int width(const struct cs_table *t, size_t column)
{
	size_t most = 0;

	for (size_t r = 0; r < rows(t); r++) {
		size_t n = strlen(cell(t, r, column));

		most = n > most ? n : most;
	}
	return (int)most;
}

static void print_row(const struct cs_table *t, size_t row, const int *wide,
		      int columns)
{
	size_t last = t->n_column - 1;
	int used = 0;

	for (size_t c = 0; c < last; c++) {
		printf(t->cell[c][0] == '>' ? "%*s  " : "%-*s  ", wide[c],
		       cell(t, row, c));
		used += wide[c] + 2;
	}
	if (t->cell[last][0] == '>')
		printf("%*s\n", wide[last], cell(t, row, last));
	else
		printf("%.*s\n", columns - used > 16 ? columns - used : 16,
		       cell(t, row, last));
}

void cs_table_print(const struct cs_table *t, int columns)
{
	int wide[CS_TABLE_COLUMNS] = { 0 };

	if (t->failed) {
		printf("(no memory for this table)\n");
		return;
	}
	for (size_t c = 0; c < t->n_column; c++)
		wide[c] = width(t, c);
	for (size_t r = 0; r < rows(t); r++)
		print_row(t, r, wide, columns);
}

void cs_table_done(struct cs_table *t)
{
	for (size_t i = 0; i < t->n_cell; i++)
		free(t->cell[i]);
	free(t->cell);
	memset(t, 0, sizeof(*t));
}

void cs_table_print_wrapped(const char *text, int indent, int columns)
{
	int room = columns - indent, used = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (used && used + 1 + n > room) {
			printf("\n");
			used = 0;
		}
		if (used)
			used += printf(" %.*s", n, text);
		else
			used = printf("%*s%.*s", indent, "", n, text) - indent;
		text += n;
		text += strspn(text, " ");
	}
	printf("\n");
}

void cs_table_print_clean(const char *text)
{
	for (; *text; text++)
		putchar(((unsigned char)*text < ' ' && *text != '\n') ||
					*text == 127
				? '?'
				: *text);
}
