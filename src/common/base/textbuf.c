/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/textbuf.h"

#include <stdarg.h>
#include <stdio.h>

void cs_textbuf_print(struct cs_textbuf *t, const char *fmt, ...)
{
	size_t room = t->len < t->size ? t->size - t->len : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? t->buf + t->len : NULL, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len += (size_t)n;
}

size_t cs_textbuf_end(const struct cs_textbuf *t)
{
	if (t->size)
		t->buf[t->len < t->size ? t->len : t->size - 1] = '\0';
	return t->len;
}
