/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "estimate/numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/event.h"

#define LINE_VALUES 100
#define MILLION 1e6
#define MOST 9e18
#define HEAD_BYTES 64

_Static_assert(HEAD_BYTES + LINE_VALUES * CS_NUMBERS_I64 < CS_EVENT_KEPT,
	       "a line of a window is not cut in a log");

const char *cs_numbers_behind(const char *text, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(text, name, n) || (text[n] && text[n] != ' '))
		return NULL;
	return text + n;
}

void cs_numbers_put(struct cs_textbuf *t, int64_t v)
{
	char digits[24], *at = digits + sizeof(digits);
	uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;

	*--at = '\0';
	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (v < 0)
		*--at = '-';
	*--at = ' ';
	cs_textbuf_add(t, at);
}

void cs_numbers_put_real(struct cs_textbuf *t, double x)
{
	double v = floor(x * MILLION + .5);

	cs_numbers_put(t, v >= MOST    ? (int64_t)MOST
			  : v <= -MOST ? (int64_t)-MOST
				       : (int64_t)v);
}

double cs_numbers_real(int64_t v)
{
	return (double)v / MILLION;
}

int cs_numbers_read(const char *text, int64_t *ret, int most)
{
	int n = 0;

	while (*text) {
		char *end;
		long long v;

		if (*text != ' ' || n == most ||
		    !strchr("-0123456789", text[1]))
			return -EINVAL;
		errno = 0;
		v = strtoll(text + 1, &end, 10);
		if (errno || end == text + 1)
			return -EINVAL;
		ret[n++] = v;
		text = end;
	}
	return n;
}

void cs_numbers_put_window(struct cs_textbuf *t, const char *head,
			   const struct cs_window *w)
{
	uint32_t first = w->n == w->cap ? w->next : 0;

	for (uint32_t i = 0; i < w->n; i++) {
		if (i % LINE_VALUES == 0)
			cs_textbuf_print(t, "%s%s", i ? "\n" : "", head);
		cs_numbers_put_real(t, w->value[(first + i) % w->cap]);
	}
	if (w->n)
		cs_textbuf_byte(t, '\n');
}

int cs_numbers_read_window(const char *text, struct cs_window *w)
{
	int64_t v[LINE_VALUES];
	int n = cs_numbers_read(text, v, LINE_VALUES);

	for (int i = 0; i < n; i++)
		cs_window_add(w, cs_numbers_real(v[i]));
	return n < 0 ? n : 0;
}
