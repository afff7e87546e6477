/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that counts past its buffer, as snprintf(3) does: what does not fit is left out,
 * and the length says how much room it needed.
 *
 *	struct cs_textbuf t = { .buf = buf, .size = size };
 */
#ifndef CS_BASE_TEXTBUF_H
#define CS_BASE_TEXTBUF_H

#include <stddef.h>
#include <stdint.h>

struct cs_textbuf {
	char *buf;
	size_t size; /* bytes of it; 0: buf is not used */
	size_t len;  /* bytes of the text, written or not, without a 0 */
};

static inline void cs_textbuf_byte(struct cs_textbuf *t, char c)
{
	if (t->len < t->size)
		t->buf[t->len] = c;
	t->len++;
}

static inline void cs_textbuf_add(struct cs_textbuf *t, const char *text)
{
	while (*text)
		cs_textbuf_byte(t, *text++);
}

/* As printf(3); ends in a 0. */
__attribute__((format(printf, 2, 3))) void
cs_textbuf_print(struct cs_textbuf *t, const char *fmt, ...);

/* Put a 0 after the text, or after as much as fits; returns its length. */
size_t cs_textbuf_end(const struct cs_textbuf *t);

#endif
