/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our part of a system comment: "cosched: ..." alone or after "; ", up to the
 * end.  The text before it is Slurm's or the site's and is kept.  No Slurm.
 */
#ifndef CS_SCHED_APPLY_COMMENT_H
#define CS_SCHED_APPLY_COMMENT_H

#include <stddef.h>

/*
 * Write @old (may be NULL) with our part replaced by @ours (NULL: removed) to
 * @buf.  Returns the full length, as snprintf.
 */
int cs_comment_with(const char *old, const char *ours, char *buf, size_t size);

#endif
