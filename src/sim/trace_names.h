/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the users, groups, executables and partitions that SWF has as
 * numbers.  In a file each is a line of its header:
 *
 *	; UserName: 12 alice
 *	; GroupName: 3 physics
 *	; ExecutableName: 70 cfd run
 *	; PartitionName: 1 batch
 *
 * The name is the rest of the line without blanks around it.  Fields 12 to 14
 * and 16 have the numbers; one without a name is a number as before.
 */
#ifndef CS_TRACE_NAMES_H
#define CS_TRACE_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CS_TRACE_NAME_MAX 255 /* bytes; what is longer is cut off */

enum cs_trace_name {
	CS_NAME_USER,
	CS_NAME_GROUP,
	CS_NAME_EXE,
	CS_NAME_PARTITION,
	CS_NAME_KINDS
};

struct cs_trace_names;

/* NULL: no memory. */
struct cs_trace_names *cs_trace_names_create(void);
void cs_trace_names_free(struct cs_trace_names *n);

/* The name of @number; NULL: it has none, or @n is NULL.  O(1). */
const char *cs_trace_name(const struct cs_trace_names *n,
			  enum cs_trace_name kind, int32_t number);

/*
 * The number of the name @text, a new one from 1 on where it is new; -1 where
 * nothing but blanks is in it.  For names that this function made,
 * all of them.  Control characters become '?'.  0, -ENOMEM.
 */
int cs_trace_names_number(struct cs_trace_names *n, enum cs_trace_name kind,
			  const char *text, int32_t *ret);

/*
 * Take up the header line @line, behind its ';', up to its end or a '\n'.  The
 * first name of a number stands; a line that is none of the above is left
 * alone.  0, also then; -ENOMEM.  *n is made where there is a first one.
 */
int cs_trace_names_line(struct cs_trace_names **n, const char *line);

/* The lines, in order of the numbers' first appearance. */
void cs_trace_names_write(const struct cs_trace_names *n, FILE *file);

#endif
