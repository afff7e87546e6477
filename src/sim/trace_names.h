/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the users, groups, executables and partitions that SWF numbers.  In
 * a file each is a line of its header:
 *
 *	; UserName: 12 alice
 *	; GroupName: 3 physics
 *	; ExecutableName: 70 cfd run
 *	; PartitionName: 1 batch
 *	; GpuTypeName: 1 a100
 *
 * The name is the rest of the line without blanks around it.  Fields 12 to 14
 * and 16, and gpu_type (trace.h), have the numbers; one without a name stays a number.
 */
#ifndef CS_TRACE_NAMES_H
#define CS_TRACE_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CS_TRACE_NAME_MAX 255 /* bytes; longer ones are cut off */

enum cs_trace_name {
	CS_NAME_USER,
	CS_NAME_GROUP,
	CS_NAME_EXE,
	CS_NAME_PARTITION,
	CS_NAME_GPU_TYPE,
	CS_NAME_KINDS
};

struct cs_trace_names;

/* NULL: no memory. */
struct cs_trace_names *cs_trace_names_create(void);
void cs_trace_names_free(struct cs_trace_names *n);

/* The name of @number; NULL: none, or @n is NULL.  O(1). */
const char *cs_trace_name(const struct cs_trace_names *n,
			  enum cs_trace_name kind, int32_t number);

/*
 * The number of the name @text, a new one from 1 on if it is new; -1 if it is
 * blank.  Only for names all made by this function.  Control characters and
 * bytes that are no UTF-8 become '?'.  0, -ENOMEM.
 */
int cs_trace_names_number(struct cs_trace_names *n, enum cs_trace_name kind,
			  const char *text, int32_t *ret);

/*
 * Read the header line @line, after its ';', up to its end or a '\n'. The first
 * name of a number counts; any other line is ignored.  0, also then; -ENOMEM.
 * *n is created for the first name.
 */
int cs_trace_names_line(struct cs_trace_names **n, const char *line);

/* The lines, in order of the numbers' first appearance. */
void cs_trace_names_write(const struct cs_trace_names *n, FILE *file);

#endif
