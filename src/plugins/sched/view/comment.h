/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our part of a system comment: "cosched: SHARES; STOPS; LIMIT", each of which may be
 * missing, alone or after "; ", up to the end.  The text before it is Slurm's or the site's
 * and is kept.  STOPS begins with "stopped ", LIMIT is "limit raised from N to M min".
 *
 * Slurm saves it with the job: what LIMIT says is true of the limit beside it, also if
 * slurmctld was killed before our own state was written.  No Slurm.
 */
#ifndef CS_SCHED_VIEW_COMMENT_H
#define CS_SCHED_VIEW_COMMENT_H

#include <stddef.h>
#include <stdint.h>

/* NULL: as it is; "": none */
struct cs_comment {
	const char *shares, *stops, *limit;
};

static const struct cs_comment cs_no_comment = { "", "", "" };

/*
 * Write @old (may be NULL) with our part replaced by @part to @buf.  Returns the full
 * length, as snprintf.
 */
int cs_comment_with(const char *old, const struct cs_comment *part, char *buf,
		    size_t size);

#define CS_COMMENT_LIMIT 64 /* bytes */

/* LIMIT, "" if @from is @to or 0. */
void cs_comment_limit(char buf[CS_COMMENT_LIMIT], uint32_t from, uint32_t to);

/* Minutes: what the limit was before it was raised to @limit, by LIMIT of @text (may be
 * NULL).  0: LIMIT is missing, malformed or tells of another limit. */
uint32_t cs_comment_raised_from(const char *text, uint32_t limit);

#endif
