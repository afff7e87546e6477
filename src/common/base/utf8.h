/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CS_BASE_UTF8_H
#define CS_BASE_UTF8_H

#include <stddef.h>

/*
 * Length of the UTF-8 character at @text, which has @n > 0 bytes; 0: it is none
 * (RFC 3629: shortest form, no surrogate, at most U+10FFFF).
 */
static inline size_t cs_utf8_len(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t len = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;

	if (len < 2 || len > n)
		return len > n ? 0 : len;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return len;
}

#endif
