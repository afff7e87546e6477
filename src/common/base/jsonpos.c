/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/jsonpos.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

static char byte(const struct cs_jsontext *t, size_t at)
{
	return at < t->len ? t->text[at] : '\0';
}

size_t cs_jsonpos_blanks(const struct cs_jsontext *t, size_t at)
{
	for (; at < t->len; at++) {
		char c = t->text[at];

		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			break;
	}
	return at;
}

/* ----------------------------------------------------------------- check */

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool hex_digit(char c)
{
	return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The escape after the backslash at *at. */
static const char *check_escape(const struct cs_jsontext *t, size_t *at)
{
	char c = byte(t, ++*at);

	if (c != 'u')
		return c && strchr("\"\\/bfnrt", c)
			       ? NULL
			       : "unknown escape in a string";
	for (int i = 0; i < 4; i++)
		if (!hex_digit(byte(t, ++*at)))
			return "\\u without four hexadecimal digits";
	return NULL;
}

/* The string whose first '"' is at *at; moves *at past it. */
static const char *check_string(const struct cs_jsontext *t, size_t *at)
{
	const size_t from = *at;

	for (++*at; *at < t->len; ++*at) {
		char c = t->text[*at];
		size_t len;

		if (c == '"') {
			++*at;
			return NULL;
		}
		if ((unsigned char)c < ' ')
			return "control character in a string";
		if (c == '\\') {
			const char *wrong = check_escape(t, at);

			if (wrong)
				return wrong;
			continue;
		}
		len = cs_utf8_len(t->text + *at, t->len - *at);
		if (!len)
			return "string that is not UTF-8";
		*at += len - 1;
	}
	*at = from;
	return "string without its second '\"'";
}

static bool skip_digits(const struct cs_jsontext *t, size_t *at)
{
	const size_t from = *at;

	while (digit(byte(t, *at)))
		++*at;
	return *at > from;
}

static const char *check_number(const struct cs_jsontext *t, size_t *at)
{
	static const char wrong[] = "malformed number";

	if (byte(t, *at) == '-')
		++*at;
	if (byte(t, *at) == '0')
		++*at;
	else if (!skip_digits(t, at))
		return wrong;
	if (byte(t, *at) == '.') {
		++*at;
		if (!skip_digits(t, at))
			return wrong;
	}
	if (byte(t, *at) == 'e' || byte(t, *at) == 'E') {
		++*at;
		if (byte(t, *at) == '+' || byte(t, *at) == '-')
			++*at;
		if (!skip_digits(t, at))
			return wrong;
	}
	return NULL;
}

/* A value without others inside. */
static const char *check_scalar(const struct cs_jsontext *t, size_t *at)
{
	static const char *const word[] = { "true", "false", "null" };

	if (byte(t, *at) == '"')
		return check_string(t, at);
	if (byte(t, *at) == '-' || digit(byte(t, *at)))
		return check_number(t, at);
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		size_t len = strlen(word[i]);

		if (t->len - *at >= len &&
		    !memcmp(t->text + *at, word[i], len)) {
			*at += len;
			return NULL;
		}
	}
	return *at < t->len ? "no value where one belongs"
			    : "the text ends early";
}

/* A key and its ':'. */
static const char *check_key(const struct cs_jsontext *t, size_t *at)
{
	const char *wrong;

	*at = cs_jsonpos_blanks(t, *at);
	if (*at == t->len)
		return "the text ends early";
	if (t->text[*at] != '"')
		return "no key in \"\" where one belongs";
	wrong = check_string(t, at);
	if (wrong)
		return wrong;
	*at = cs_jsonpos_blanks(t, *at);
	if (*at == t->len)
		return "the text ends early";
	if (t->text[*at] != ':')
		return "no ':' behind a key";
	++*at;
	return NULL;
}

const char *cs_jsonpos_check(const struct cs_jsontext *t, unsigned depth,
			     size_t *ret_at)
{
	uint64_t object = 0; /* bit 0: the innermost open one is an object */
	unsigned open = 0;
	size_t *at = ret_at;
	const char *wrong = NULL;

	*at = 0;
	for (;;) {
		char c;

		/* a value */
		*at = cs_jsonpos_blanks(t, *at);
		c = byte(t, *at);
		if (c == '{' || c == '[') {
			if (open == depth)
				return "too many objects and arrays in each "
				       "other";
			open++;
			object = object << 1 | (c == '{');
			++*at;
			*at = cs_jsonpos_blanks(t, *at);
			if (byte(t, *at) != (c == '{' ? '}' : ']')) {
				if (c == '{')
					wrong = check_key(t, at);
				if (wrong)
					return wrong;
				continue;
			}
		} else {
			wrong = check_scalar(t, at);
			if (wrong)
				return wrong;
		}
		/* what may follow it */
		for (; open; open--, object >>= 1, ++*at) {
			*at = cs_jsonpos_blanks(t, *at);
			if (byte(t, *at) != (object & 1 ? '}' : ']'))
				break;
		}
		if (!open)
			return NULL;
		if (*at == t->len)
			return "the text ends early";
		if (t->text[*at] != ',')
			return object & 1 ? "no ',' or '}' behind a value"
					  : "no ',' or ']' behind a value";
		++*at;
		if (object & 1)
			wrong = check_key(t, at);
		if (wrong)
			return wrong;
	}
}

/* ------------------------------------------------------------- positions */

size_t cs_jsonpos_string(const struct cs_jsontext *t, size_t at)
{
	for (at++; at < t->len && t->text[at] != '"'; at++)
		if (t->text[at] == '\\')
			at++;
	return at < t->len ? at + 1 : t->len;
}

/* Offset past the value at @at. */
static size_t skip_value(const struct cs_jsontext *t, size_t at)
{
	size_t depth = 0;

	while (at < t->len) {
		switch (t->text[at]) {
		case '"':
			at = cs_jsonpos_string(t, at);
			if (!depth)
				return at;
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (!depth)
				return at;
			if (!--depth)
				return at + 1;
			break;
		case ',':
			if (!depth)
				return at;
			break;
		}
		at++;
	}
	return t->len;
}

/* The element that starts at the first non-blank from @at on. */
static bool element(const struct cs_jsontext *t, size_t at, bool object,
		    struct cs_jsonpos *ret)
{
	ret->key = cs_jsonpos_blanks(t, at);
	ret->value = ret->key;
	if (ret->key >= t->len || byte(t, ret->key) == '}' ||
	    byte(t, ret->key) == ']')
		return false;
	if (!object)
		return true;
	at = cs_jsonpos_blanks(t, cs_jsonpos_string(t, ret->key));
	if (byte(t, at) != ':')
		return false;
	ret->value = cs_jsonpos_blanks(t, at + 1);
	return ret->value < t->len;
}

bool cs_jsonpos_first(const struct cs_jsontext *t, size_t at,
		      struct cs_jsonpos *ret)
{
	if (byte(t, at) != '{' && byte(t, at) != '[')
		return false;
	return element(t, at + 1, byte(t, at) == '{', ret);
}

bool cs_jsonpos_next(const struct cs_jsontext *t, struct cs_jsonpos *pos)
{
	bool object = pos->key != pos->value;
	size_t at = cs_jsonpos_blanks(t, skip_value(t, pos->value));

	return byte(t, at) == ',' && element(t, at + 1, object, pos);
}

size_t cs_jsonpos_count(const struct cs_jsontext *t, size_t at)
{
	struct cs_jsonpos pos;
	size_t n = 0;

	for (bool more = cs_jsonpos_first(t, at, &pos); more;
	     more = cs_jsonpos_next(t, &pos))
		n++;
	return n;
}

size_t cs_jsonpos_line(const struct cs_jsontext *t, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at && i < t->len; i++)
		line += t->text[i] == '\n';
	return line;
}
