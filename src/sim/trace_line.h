/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of a job in SWF: from its text to a job, or to why there is none. */
#ifndef CS_TRACE_LINE_H
#define CS_TRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

#define CS_TRACE_FIELDS 18
#define CS_TRACE_MORE 8 /* fields behind them that MoreFields may name */
#define CS_TRACE_ALL (CS_TRACE_FIELDS + CS_TRACE_MORE)

enum cs_trace_more {
	CS_TRACE_IGNORED,
	CS_TRACE_GPUS,
	CS_TRACE_GPU_SHARE,
	CS_TRACE_GPU_TYPE,
	CS_TRACE_NODES
};

/* What a field holds.  A field of another word is the sender's fault, one that is unknown
 * is none. */
enum cs_trace_value {
	CS_TRACE_VALUE,	  /* a number */
	CS_TRACE_UNKNOWN, /* a word for "no value", such as nan: read as -1 */
	CS_TRACE_WORD, /* anything else, or a number beyond all ranges: read as -1 */
};

struct cs_trace_line {
	const char
		*name; /* of the file, or the end of a long one, for messages */
	uint64_t line; /* of the file, from 1 */
	unsigned int n; /* fields, also those beyond the 18th */
	const char *field[CS_TRACE_ALL + 1]; /* start of each, in the line */
	enum cs_trace_value is[CS_TRACE_ALL];
	int64_t v[CS_TRACE_ALL]; /* in millionths; those from @n on: -1 */
	/* of the file: what the fields behind the 18th are */
	uint32_t n_more;
	enum cs_trace_more more[CS_TRACE_MORE]; /* [n_more] */
};

/* Is @c between two fields?  Any control character is, but for '\n'. */
static inline bool cs_trace_blank(char c)
{
	return ((unsigned char)c <= ' ' && c != '\n') || c == 127;
}

/* The number at @c, in millionths, to *ret.  Returns the text after it; NULL: none, or
 * above 9000000000000. */
const char *cs_trace_number(const char *c, int64_t *ret);

/* Split the line at @c, which ends in '\n', into the fields of @l. */
void cs_trace_line_scan(struct cs_trace_line *l, const char *c);

/* The names of a line MoreFields, up to its end, into l->more. */
void cs_trace_line_more(struct cs_trace_line *l, const char *names);

/* How many fields the line at @c has, which ends in '\n'. */
unsigned int cs_trace_line_fields(const char *c);

/*
 * The job of a scanned line of a log whose lines have @fields fields, to *ret.
 * CS_TRACE_SKIPS: it has one; else why not, and *ret has its number and line at most.
 * @err, if there is none, has a line "FILE:LINE: field N ..., expected ...".
 */
enum cs_trace_skip cs_trace_line_job(const struct cs_trace_line *l,
				     unsigned int fields,
				     const struct cs_trace_options *options,
				     struct cs_trace_job *ret,
				     struct cs_err *err);

/* Is it a line of status 2, 3 or 4: a part of a job's execution? */
bool cs_trace_line_partial(const struct cs_trace_line *l);

#endif
