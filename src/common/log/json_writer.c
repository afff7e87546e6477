/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/json_writer.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/utf8.h"

/* ---- bytes -------------------------------------------------------------- */

void cs_log_put_byte(struct cs_log_out *o, char c)
{
	if (o->n < o->size)
		o->buf[o->n] = c;
	o->n++;
}

void cs_log_put_text(struct cs_log_out *o, const char *text)
{
	while (*text)
		cs_log_put_byte(o, *text++);
}

void cs_log_put_unsigned(struct cs_log_out *o, uint64_t v)
{
	char digit[20];
	int n = 0;

	do
		digit[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		cs_log_put_byte(o, digit[--n]);
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

void cs_log_put_int(struct cs_log_out *o, int64_t v)
{
	if (v < 0)
		cs_log_put_byte(o, '-');
	cs_log_put_unsigned(o, magnitude(v));
}

void cs_log_put_millionths(struct cs_log_out *o, int64_t v)
{
	uint64_t m = magnitude(v);

	if (v < 0)
		cs_log_put_byte(o, '-');
	cs_log_put_unsigned(o, m / 1000000);
	cs_log_put_byte(o, '.');
	for (uint64_t d = 100000; d; d /= 10)
		cs_log_put_byte(o, (char)('0' + m / d % 10));
}

void cs_log_put_seconds(struct cs_log_out *o, int64_t us)
{
	if (us % 1000000) {
		cs_log_put_millionths(o, us);
		return;
	}
	if (us < 0)
		cs_log_put_byte(o, '-');
	cs_log_put_unsigned(o, magnitude(us) / 1000000);
}

void cs_log_put_real(struct cs_log_out *o, double v)
{
	if (v > -9e12 && v < 9e12)
		cs_log_put_millionths(o,
				      (int64_t)(v * 1e6 + (v < 0 ? -.5 : .5)));
	else
		cs_log_put_text(o, "null");
}

void cs_log_put_exact(struct cs_log_out *o, double v)
{
	char text[32], *comma;

	snprintf(text, sizeof(text), "%.17g", v);
	comma = strchr(text, ','); /* the locale's */
	if (comma)
		*comma = '.';
	cs_log_put_text(o, text);
}

void cs_log_put_string(struct cs_log_out *o, const char *text, size_t most)
{
	static const char hex[] = "0123456789abcdef";
	size_t all = strnlen(text, most + 4);

	cs_log_put_byte(o, '"');
	for (size_t i = 0; i < all;) {
		const unsigned char *s = (const unsigned char *)text + i;
		size_t len = cs_utf8_len(text + i, all - i);

		i += len ? len : 1;
		if (i > most)
			break;
		if (!len) {
			cs_log_put_byte(o, '?');
		} else if (*s < ' ' || *s == 0x7f) {
			cs_log_put_text(o, "\\u00");
			cs_log_put_byte(o, hex[*s >> 4]);
			cs_log_put_byte(o, hex[*s & 15]);
		} else {
			if (*s == '"' || *s == '\\')
				cs_log_put_byte(o, '\\');
			for (size_t k = 0; k < len; k++)
				cs_log_put_byte(o, (char)s[k]);
		}
	}
	cs_log_put_byte(o, '"');
}

/* ---- structure ---------------------------------------------------------- */

void cs_log_put_element(struct cs_log_out *o)
{
	if (o->comma)
		cs_log_put_byte(o, ',');
	o->comma = true;
}

void cs_log_put_key(struct cs_log_out *o, const char *key)
{
	cs_log_put_element(o);
	cs_log_put_byte(o, '"');
	cs_log_put_text(o, key);
	cs_log_put_text(o, "\":");
}

void cs_log_put_open(struct cs_log_out *o, char bracket)
{
	cs_log_put_byte(o, bracket);
	o->comma = false;
}

void cs_log_put_close(struct cs_log_out *o, char bracket)
{
	cs_log_put_byte(o, bracket);
	o->comma = true;
}

void cs_log_add_unsigned(struct cs_log_out *o, const char *key, uint64_t v)
{
	cs_log_put_key(o, key);
	cs_log_put_unsigned(o, v);
}

void cs_log_add_unless(struct cs_log_out *o, const char *key, uint64_t v,
		       uint64_t usual)
{
	if (v != usual)
		cs_log_add_unsigned(o, key, v);
}

void cs_log_add_seconds(struct cs_log_out *o, const char *key, int64_t us)
{
	cs_log_put_key(o, key);
	cs_log_put_seconds(o, us);
}

void cs_log_add_string(struct cs_log_out *o, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	cs_log_put_key(o, key);
	cs_log_put_string(o, text, CS_LOG_STRING);
}

void cs_log_add_true(struct cs_log_out *o, const char *key, bool v)
{
	if (!v)
		return;
	cs_log_put_key(o, key);
	cs_log_put_text(o, "true");
}

void cs_log_put_line_start(struct cs_log_out *o, int64_t t_us, const char *ev)
{
	cs_log_put_open(o, '{');
	cs_log_put_key(o, "t");
	cs_log_put_millionths(o, t_us);
	cs_log_put_key(o, "ev");
	cs_log_put_string(o, ev, CS_LOG_STRING);
}

int cs_log_put_line_end(struct cs_log_out *o)
{
	cs_log_put_text(o, "}\n");
	if (o->size)
		o->buf[o->n < o->size ? o->n : 0] = '\0';
	return o->n < INT_MAX ? (int)o->n : INT_MAX;
}

/* ---- sets --------------------------------------------------------------- */

void cs_log_put_range(struct cs_log_out *o, uint32_t from, uint32_t to)
{
	cs_log_put_unsigned(o, from);
	if (to > from) {
		cs_log_put_byte(o, '-');
		cs_log_put_unsigned(o, to);
	}
}

void cs_log_put_set(struct cs_log_out *o, const uint64_t *set, uint32_t words)
{
	uint32_t n = words * 64;
	bool first = true;

	cs_log_put_byte(o, '"');
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = i;

		if (!set[i / 64]) {
			i |= 63;
			continue;
		}
		if (!cs_bit(set, i))
			continue;
		while (i + 1 < n && cs_bit(set, i + 1))
			i += (i + 1) % 64 || ~set[(i + 1) / 64] ? 1 : 64;
		if (!first)
			cs_log_put_byte(o, ',');
		cs_log_put_range(o, from, i);
		first = false;
	}
	cs_log_put_byte(o, '"');
}
