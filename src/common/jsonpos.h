/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in a JSON text something stands: json-c keeps values, not positions.
 *
 * For a text that json-c has accepted in strict mode.  Elements are visited in
 * the order of the text, which is the order of json-c's objects and arrays as
 * long as no key stands twice in one object; so a reader can go through both in
 * step.  On any other text the functions stay within it and their results mean
 * nothing.
 */
#ifndef CS_JSONPOS_H
#define CS_JSONPOS_H

#include <stdbool.h>
#include <stddef.h>

struct cs_jsontext {
	const char *text;
	size_t len;
};

/* An element of an object or array. */
struct cs_jsonpos {
	size_t key;   /* offset of its key's '"' in an object, else of the value */
	size_t value; /* offset of the value */
};

/*
 * The first element of the container at offset @at, the element behind @pos in
 * its container: false where there is none, *ret or *pos is then undefined.
 * O(bytes of what is passed over).
 */
bool cs_jsonpos_first(const struct cs_jsontext *t, size_t at,
		      struct cs_jsonpos *ret);
bool cs_jsonpos_next(const struct cs_jsontext *t, struct cs_jsonpos *pos);

/* Number of elements of the container at @at.  O(its bytes). */
size_t cs_jsonpos_count(const struct cs_jsontext *t, size_t at);

/* Offset of the first byte from @at on that is no blank, or the length. */
size_t cs_jsonpos_blanks(const struct cs_jsontext *t, size_t at);

/* Offset behind the string at @at. */
size_t cs_jsonpos_string(const struct cs_jsontext *t, size_t at);

/* The line of offset @at, from 1.  O(at). */
size_t cs_jsonpos_line(const struct cs_jsontext *t, size_t at);

#endif
