/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jsonpos.h"

static char byte(const struct cs_jsontext *t, size_t at)
{
	return at < t->len ? t->text[at] : '\0';
}

size_t cs_jsonpos_blanks(const struct cs_jsontext *t, size_t at)
{
	for (; at < t->len; at++) {
		char c = t->text[at];

		if (c != ' ' && (c < '\t' || c > '\r'))
			break;
	}
	return at;
}

size_t cs_jsonpos_string(const struct cs_jsontext *t, size_t at)
{
	for (at++; at < t->len && t->text[at] != '"'; at++)
		if (t->text[at] == '\\')
			at++;
	return at < t->len ? at + 1 : t->len;
}

/* Offset behind the value at @at. */
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

/* The element that starts at the first byte from @at on that is no blank. */
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
