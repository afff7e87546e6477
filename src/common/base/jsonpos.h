/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a text JSON, and where in it are its parts?
 *
 * json-c keeps values, not positions, and its strict mode differs from release
 * to release: keys in '' pass, and 0.18 refuses every string that is not ASCII.
 * So a text is checked here first, and json-c then reads its values.
 *
 * Elements are visited in the order of the text, which is the order of json-c's
 * objects and arrays unless an object has a key twice; so a reader can walk
 * both in step.  On a text that is not JSON these functions stay within it and
 * their results mean nothing.
 */
#ifndef CS_BASE_JSONPOS_H
#define CS_BASE_JSONPOS_H

#include <stdbool.h>
#include <stddef.h>

struct cs_jsontext {
	const char *text;
	size_t len;
};

/*
 * Check the value that starts at the first non-blank against RFC 8259 (UTF-8
 * included), with at most @depth (64 or less) objects and arrays nested.  NULL:
 * it is valid, and *ret_at is the offset past it; else what is wrong with the
 * byte at *ret_at, as a text.  O(length).
 */
const char *cs_jsonpos_check(const struct cs_jsontext *t, unsigned depth,
			     size_t *ret_at);

/* An element of an object or array. */
struct cs_jsonpos {
	size_t key;   /* offset of its key's '"', in an array: of the value */
	size_t value; /* offset of the value */
};

/*
 * The first element of the container at offset @at; the element after @pos in
 * its container.  False: none, and *ret or *pos is undefined.  O(bytes
 * skipped).
 */
bool cs_jsonpos_first(const struct cs_jsontext *t, size_t at,
		      struct cs_jsonpos *ret);
bool cs_jsonpos_next(const struct cs_jsontext *t, struct cs_jsonpos *pos);

/* Number of elements of the container at @at.  O(its bytes). */
size_t cs_jsonpos_count(const struct cs_jsontext *t, size_t at);

/* Offset of the first non-blank from @at on, or the length. */
size_t cs_jsonpos_blanks(const struct cs_jsontext *t, size_t at);

/* Offset past the string at @at. */
size_t cs_jsonpos_string(const struct cs_jsontext *t, size_t at);

/* The line of offset @at, from 1.  O(at). */
size_t cs_jsonpos_line(const struct cs_jsontext *t, size_t at);

#endif
