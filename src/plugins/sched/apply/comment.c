/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/apply/comment.h"

#include <stdio.h>
#include <string.h>

#define MARK "cosched: "

/* Length of the text before our part. */
static int theirs(const char *old)
{
	const char *at;

	if (!old || !strncmp(old, MARK, strlen(MARK)))
		return 0;
	at = strstr(old, "; " MARK);
	return (int)(at ? at - old : (long)strlen(old));
}

int cs_comment_with(const char *old, const char *ours, char *buf, size_t size)
{
	int n = theirs(old);

	if (!ours)
		return snprintf(buf, size, "%.*s", n, n ? old : "");
	return snprintf(buf, size, "%.*s%s" MARK "%s", n, n ? old : "",
			n ? "; " : "", ours);
}
