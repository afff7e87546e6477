/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/node_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 9

/* A name as prefix and number; digits is 0 if it has no number. */
struct name {
	const char *text;
	int prefix, digits; /* lengths */
	long number;
};

static struct name split(struct json_object *list, size_t i)
{
	const char *text =
		json_object_get_string(json_object_array_get_idx(list, i));
	struct name n = { .text = text ? text : "" };
	int len = (int)strlen(n.text);

	n.prefix = len;
	while (n.prefix && len - n.prefix < DIGITS_MAX &&
	       n.text[n.prefix - 1] >= '0' && n.text[n.prefix - 1] <= '9')
		n.prefix--;
	n.digits = len - n.prefix;
	n.number = atol(n.text + n.prefix);
	return n;
}

/* Does @b continue where @a ends? */
static bool follows(const struct name *a, const struct name *b)
{
	return a->digits && b->digits && a->prefix == b->prefix &&
	       !memcmp(a->text, b->text, (size_t)a->prefix) &&
	       b->number == a->number + 1 &&
	       (a->digits == b->digits ||
		(a->text[a->prefix] != '0' && b->text[b->prefix] != '0'));
}

char *cs_node_names_fold(struct json_object *list)
{
	size_t n = json_object_is_type(list, json_type_array)
			   ? json_object_array_length(list)
			   : 0;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	for (size_t i = 0, k; i < n; i = k) {
		struct name first = split(list, i), last = first;

		for (k = i + 1; k < n; k++) {
			struct name next = split(list, k);

			if (!follows(&last, &next))
				break;
			last = next;
		}
		fprintf(out, "%s%.*s", i ? "," : "", first.prefix, first.text);
		if (k > i + 1)
			fprintf(out, "[%s-%s]", first.text + first.prefix,
				last.text + last.prefix);
		else
			fprintf(out, "%s", first.text + first.prefix);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
