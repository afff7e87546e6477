/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a file, one at a time, whatever its content.
 *
 * A line may hold any byte but '\n'; a byte order mark (UTF-8) before the first is left
 * out. Memory is bounded: a line longer than
 * CS_LINE_MAX is skipped and reported.
 */
#ifndef CS_COSCHED_CHECK_LINES_H
#define CS_COSCHED_CHECK_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CS_LINE_MAX (4u << 20) /* bytes; an alloc over 200,000 nodes fits */

struct cs_lines {
	FILE *file; /* borrowed */
	char *text; /* the line, without its '\n', terminated */
	size_t len, size;
	uint64_t line; /* number of this line, from 1; 0: none read yet */
};

void cs_lines_init(struct cs_lines *l, FILE *file);
void cs_lines_done(struct cs_lines *l);

/*
 * Read the next line to @l->text.  1; 0 at the end; -E2BIG: this line was too
 * long and skipped, continue; another negative errno: the file cannot be read
 * or no memory.  Empty text after the last '\n' is not a line.
 */
int cs_lines_next(struct cs_lines *l);

#endif
