/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON, written byte by byte behind one check of the space left; numbers by integer
 * arithmetic, so that neither locale nor libm changes a byte.
 */
#ifndef CS_LOG_JSON_WRITER_H
#define CS_LOG_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CS_LOG_STRING 256 /* bytes kept of a user's string */

struct cs_log_out {
	char *buf;
	size_t size;
	size_t n;   /* bytes the line has so far, written or not */
	bool comma; /* the next element needs a comma before it */
};

void cs_log_put_byte(struct cs_log_out *o, char c);
void cs_log_put_text(struct cs_log_out *o, const char *text);
void cs_log_put_unsigned(struct cs_log_out *o, uint64_t v);
void cs_log_put_int(struct cs_log_out *o, int64_t v);
/* @v millionths with six decimals. */
void cs_log_put_millionths(struct cs_log_out *o, int64_t v);
/* Microseconds as seconds, with six decimals unless whole. */
void cs_log_put_seconds(struct cs_log_out *o, int64_t us);
/* Six decimals; null if out of range. */
void cs_log_put_real(struct cs_log_out *o, double v);
/* All digits, so that a reader gets the same number; @v is finite. */
void cs_log_put_exact(struct cs_log_out *o, double v);
/* In quotes, cut before the character that would exceed @most bytes. */
void cs_log_put_string(struct cs_log_out *o, const char *text, size_t most);
/* "0-3", or "0" unless @to > @from. */
void cs_log_put_range(struct cs_log_out *o, uint32_t from, uint32_t to);
/* The bits of @set as "0-3,7". */
void cs_log_put_set(struct cs_log_out *o, const uint64_t *set, uint32_t words);

/* Structure: a bracket, a list element, a member's key. */
void cs_log_put_open(struct cs_log_out *o, char bracket);
void cs_log_put_close(struct cs_log_out *o, char bracket);
void cs_log_put_element(struct cs_log_out *o);
void cs_log_put_key(struct cs_log_out *o, const char *key);

/* A member.  Left out: with _unless a value that equals @usual, a string that is NULL
 * or empty, a false. */
void cs_log_add_unsigned(struct cs_log_out *o, const char *key, uint64_t v);
void cs_log_add_unless(struct cs_log_out *o, const char *key, uint64_t v,
		       uint64_t usual);
void cs_log_add_seconds(struct cs_log_out *o, const char *key, int64_t us);
void cs_log_add_string(struct cs_log_out *o, const char *key, const char *text);
void cs_log_add_true(struct cs_log_out *o, const char *key, bool v);

/* {"t":...,"ev":"@ev" */
void cs_log_put_line_start(struct cs_log_out *o, int64_t t_us, const char *ev);
/* "}\n", and a '\0' if there is room; returns the line's length. */
int cs_log_put_line_end(struct cs_log_out *o);

#endif
