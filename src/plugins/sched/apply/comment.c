/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/apply/comment.h"

#include <stdio.h>
#include <string.h>

#define MARK "cosched: "
#define STOPS "stopped "

/* Length of the text before our part. */
static int theirs(const char *old)
{
	const char *at;

	if (!old || !strncmp(old, MARK, strlen(MARK)))
		return 0;
	at = strstr(old, "; " MARK);
	return (int)(at ? at - old : (long)strlen(old));
}

/* Where our part mentions stops, or its end. */
static const char *stops_of(const char *ours)
{
	const char *at;

	if (!strncmp(ours, STOPS, strlen(STOPS)))
		return ours;
	at = strstr(ours, "; " STOPS);
	return at ? at + 2 : ours + strlen(ours);
}

int cs_comment_with(const char *old, const char *shares, const char *stops,
		    char *buf, size_t size)
{
	int n = theirs(old), n_shares;
	const char *had = old ? old + n : "", *had_stops;

	had += strncmp(had, "; ", 2) ? 0 : 2;
	had += strncmp(had, MARK, strlen(MARK)) ? 0 : strlen(MARK);
	had_stops = stops_of(had);
	n_shares = (int)(had_stops - had);
	if (*had_stops && n_shares)
		n_shares -= 2;
	if (shares)
		n_shares = (int)strlen(shares);
	else
		shares = had;
	if (!stops)
		stops = had_stops;
	if (!n_shares && !*stops)
		return snprintf(buf, size, "%.*s", n, n ? old : "");
	return snprintf(buf, size, "%.*s%s" MARK "%.*s%s%s", n, n ? old : "",
			n ? "; " : "", n_shares, shares,
			n_shares && *stops ? "; " : "", stops);
}
