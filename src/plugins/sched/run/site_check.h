/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CS_SCHED_RUN_SITE_CHECK_H
#define CS_SCHED_RUN_SITE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

enum cs_site {
	CS_SITE_UNBOUND,    /* no task plugin binds */
	CS_SITE_ALL_MEMORY, /* a job without --mem owns all of it */
	CS_SITE_NO_CORE, /* cores are no resource: Slurm's own test places all */
	CS_SITE_LABELS,	 /* MCS: it places all, too */
	CS_SITE_PART_NO_CORE, /* ... those of a partition */
	CS_SITE_UNRANKED,     /* priorities do not count */
	CS_SITE_N
};

extern const char *const cs_site_text[CS_SITE_N];

/* The site's unsuitable settings: a bit for each enum cs_site; is our order
 * @unranked, without the site's priorities?  Under read locks of conf and partitions. */
unsigned cs_site_look(bool unranked);

/* Is site_factor/ostrich in use?  Under the read lock of conf. */
bool cs_site_factor(void);

/* Warn in the log. */
void cs_site_warn(unsigned found);

/* Name in the log each of Slurm's keys that is set and that mode act does not honour, one
 * line each, unless the same was told last (@told, 0 at first).  Under the read lock of
 * conf. */
void cs_site_tell_keys(uint64_t *told);

#endif
