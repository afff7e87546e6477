/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/view/comment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MARK "cosched: "
#define STOPS "stopped "
#define LIMIT "limit raised from "
#define AND "; "

/* Length of the text before our part. */
static int theirs(const char *old)
{
	const char *at;

	if (!old || !strncmp(old, MARK, strlen(MARK)))
		return 0;
	at = strstr(old, AND MARK);
	return (int)(at ? at - old : (long)strlen(old));
}

/* Our part, without the mark. */
static const char *ours(const char *old)
{
	const char *at = old ? old + theirs(old) : "";

	at += strncmp(at, AND, strlen(AND)) ? 0 : strlen(AND);
	return at + (strncmp(at, MARK, strlen(MARK)) ? 0 : strlen(MARK));
}

/* Where in @text the piece that begins with @word does, or the end of @text. */
static const char *piece(const char *text, const char *word)
{
	const char *at = text;

	while (strncmp(at, word, strlen(word))) {
		at = strstr(at, AND);
		if (!at)
			return text + strlen(text);
		at += strlen(AND);
	}
	return at;
}

int cs_comment_with(const char *old, const struct cs_comment *part, char *buf,
		    size_t size)
{
	const char *const new[] = { part->shares, part->stops, part->limit };
	const char *had = ours(old);
	const char *stops = piece(had, STOPS), *limit = piece(had, LIMIT);
	const char *at[] = { had, stops < limit ? stops : limit, limit,
			     had + strlen(had) };
	int n = theirs(old);
	const char *join = n ? AND MARK : MARK;

	n = snprintf(buf, size, "%.*s", n, n ? old : "");
	for (int i = 0; i < 3; i++) {
		const char *text = new[i] ? new[i] : at[i];
		size_t len = new[i] ? strlen(text) : (size_t)(at[i + 1] - text);
		size_t used = (size_t)n < size ? (size_t)n : size;

		if (!new[i] && len && at[i + 1][0])
			len -= strlen(AND); /* before the next piece */
		if (!len)
			continue;
		n += snprintf(buf + used, size - used, "%s%.*s", join, (int)len,
			      text);
		join = AND;
	}
	return n;
}

void cs_comment_limit(char buf[CS_COMMENT_LIMIT], uint32_t from, uint32_t to)
{
	buf[0] = '\0';
	if (from && from != to)
		snprintf(buf, CS_COMMENT_LIMIT,
			 LIMIT "%" PRIu32 " to %" PRIu32 " min", from, to);
}

uint32_t cs_comment_raised_from(const char *text, uint32_t limit)
{
	char want[CS_COMMENT_LIMIT];
	const char *at = piece(ours(text), LIMIT);
	uint32_t from;

	if (sscanf(at, LIMIT "%" SCNu32, &from) != 1)
		return 0;
	cs_comment_limit(want, from, limit);
	return from < limit && !strcmp(at, want) ? from : 0;
}
