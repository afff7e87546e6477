/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our part of a system comment: "cosched: SHARES; STOPS", or one of the two, alone or
 * after "; ", up to the end.  The text before it is Slurm's or the site's and is kept.
 * STOPS begins with "stopped ".  No Slurm.
 */
#ifndef CS_SCHED_APPLY_COMMENT_H
#define CS_SCHED_APPLY_COMMENT_H

#include <stddef.h>

/*
 * Write @old (may be NULL) with our part replaced by @shares and @stops to @buf; NULL:
 * as in @old; "": none.  Returns the full length, as snprintf.
 */
int cs_comment_with(const char *old, const char *shares, const char *stops,
		    char *buf, size_t size);

#endif
