/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON, written byte by byte behind one check of the room that is left; numbers by
 * integer arithmetic, so that neither a locale nor a libm changes a byte.
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
	bool comma; /* the next element needs one before it */
};

void cs_log_put_byte(struct cs_log_out *o, char c);
void cs_log_put_text(struct cs_log_out *o, const char *text);
void cs_log_put_unsigned(struct cs_log_out *o, uint64_t v);
void cs_log_put_int(struct cs_log_out *o, int64_t v);
/* @v millionths with six decimals. */
void cs_log_put_millionths(struct cs_log_out *o, int64_t v);
/* Microseconds as seconds, with decimals where they are not whole. */
void cs_log_put_seconds(struct cs_log_out *o, int64_t us);
/* Six decimals; null where there are no such. */
void cs_log_put_real(struct cs_log_out *o, double v);
/* All digits, so that a reader gets the same number; @v is finite. */
void cs_log_put_exact(struct cs_log_out *o, double v);
/* In quotes, cut before the character that would pass @most bytes. */
void cs_log_put_string(struct cs_log_out *o, const char *text, size_t most);
/* "0-3", or "0" where @to is not above @from. */
void cs_log_put_range(struct cs_log_out *o, uint32_t from, uint32_t to);
/* The bits of @set as "0-3,7". */
void cs_log_put_set(struct cs_log_out *o, const uint64_t *set, uint32_t words);

/* The structure: a bracket, an element of a list, a member's key. */
void cs_log_put_open(struct cs_log_out *o, char bracket);
void cs_log_put_close(struct cs_log_out *o, char bracket);
void cs_log_put_element(struct cs_log_out *o);
void cs_log_put_key(struct cs_log_out *o, const char *key);

/* A member; those of _unless are left out where they are @usual, a string where it
 * is NULL or empty, a truth where it is none. */
void cs_log_add_unsigned(struct cs_log_out *o, const char *key, uint64_t v);
void cs_log_add_unless(struct cs_log_out *o, const char *key, uint64_t v,
		       uint64_t usual);
void cs_log_add_seconds(struct cs_log_out *o, const char *key, int64_t us);
void cs_log_add_string(struct cs_log_out *o, const char *key, const char *text);
void cs_log_add_true(struct cs_log_out *o, const char *key, bool v);

/* {"t":...,"ev":"@ev" */
void cs_log_put_line_start(struct cs_log_out *o, int64_t t_us, const char *ev);
/* "}\n", and a '\0' where there is room; returns the line's length. */
int cs_log_put_line_end(struct cs_log_out *o);

#endif
