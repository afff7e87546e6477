/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rule: a name is text and any number of brackets; a bracket has numbers and ranges of
 * them, separated by commas, with as many digits as the first one of a range.  The last
 * bracket counts fastest.
 */
#include "import/node_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 256
#define DIGITS_MAX 9
#define BRACKETS_MAX 4 /* in a name; Slurm allows as many dimensions as that */

struct list {
	int (*node)(void *arg, const char *name);
	void *arg;
	uint32_t told;
	char name[NAME_MAX_BYTES];
};

static bool no_nodes(const char *text)
{
	return !*text || !strcasecmp(text, "None assigned") ||
	       !strcasecmp(text, "Unknown") || !strcasecmp(text, "(null)");
}

/* The digits at *at. */
static int number(const char **at, uint32_t *ret, int *ret_digits)
{
	const char *c = *at;

	for (*ret = 0; *c >= '0' && *c <= '9'; c++) {
		if (c - *at == DIGITS_MAX)
			return -EINVAL;
		*ret = *ret * 10 + (uint32_t)(*c - '0');
	}
	*ret_digits = (int)(c - *at);
	*at = c;
	return *ret_digits ? 0 : -EINVAL;
}

static int expand(struct list *l, size_t len, const char *at, const char *end,
		  int brackets);

/* The numbers of the bracket that begins at @at, each followed by what is from @rest to
 * @end. */
static int expand_bracket(struct list *l, size_t len, const char *at,
			  const char *rest, const char *end, int brackets)
{
	uint32_t first, last;
	int digits, more, n, rc;

	do {
		rc = number(&at, &first, &digits);
		last = first;
		if (!rc && *at == '-') {
			at++;
			rc = number(&at, &last, &more);
		}
		if (rc || last < first || (*at != ',' && *at != ']'))
			return -EINVAL;
		for (uint64_t k = first; !rc && k <= last; k++) {
			n = snprintf(l->name + len, NAME_MAX_BYTES - len,
				     "%0*lu", digits, (unsigned long)k);
			if (n < 0 || len + (size_t)n >= NAME_MAX_BYTES)
				return -E2BIG;
			rc = expand(l, len + (size_t)n, rest, end,
				    brackets + 1);
		}
	} while (!rc && *at++ == ',');
	return rc;
}

/* The first @len bytes of the name are known; @at to @end has the others. */
static int expand(struct list *l, size_t len, const char *at, const char *end,
		  int brackets)
{
	size_t plain = 0;
	const char *close;

	while (at + plain < end && at[plain] != '[')
		plain++;
	if (len + plain >= NAME_MAX_BYTES)
		return -E2BIG;
	memcpy(l->name + len, at, plain);
	len += plain;
	at += plain;
	l->name[len] = '\0';
	if (at == end) {
		if (++l->told > CS_NODE_LIST_MAX)
			return -E2BIG;
		return len ? l->node(l->arg, l->name) : -EINVAL;
	}
	close = memchr(at, ']', (size_t)(end - at));
	if (!close || brackets == BRACKETS_MAX)
		return -EINVAL;
	return expand_bracket(l, len, at + 1, close + 1, end, brackets);
}

int cs_node_list_each(const char *text,
		      int (*node)(void *arg, const char *name), void *arg)
{
	struct list l = { .node = node, .arg = arg };
	int rc = 0;

	if (no_nodes(text))
		return 0;
	for (const char *end; !rc; text = end + 1) {
		bool inside = false;

		for (end = text; *end && (inside || *end != ','); end++)
			inside = *end == '[' || (inside && *end != ']');
		rc = expand(&l, 0, text, end, 0);
		if (!*end)
			break;
	}
	return rc;
}
