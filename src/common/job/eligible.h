/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which job may be considered; the rules are in eligible.c. */
#ifndef CS_JOB_ELIGIBLE_H
#define CS_JOB_ELIGIBLE_H

#include "state/pass.h"

/* May the job of @entry be considered now (rule 1)?  Records why not. */
bool cs_eligible_now(struct cs_engine *e, const struct cs_entry *entry);
/* Why not; CS_WHY_NEW if it may. */
enum cs_why cs_eligible_why_not(const struct cs_engine *e,
				const struct cs_entry *entry);

/* For a job that the host's own test places: cs_eligible_hosts() of it. */
uint32_t cs_eligible_hosts_before(const struct cs_engine *e,
				  const struct cs_entry *entry,
				  struct cs_hosts *hosts);

/* The job of @entry is next in the queue: how many of its kind that wait for
 * the host @hosts has counted before it. */
static inline uint32_t cs_eligible_hosts(const struct cs_engine *e,
					 const struct cs_entry *entry,
					 struct cs_hosts *hosts)
{
	return cs_job_flags(entry->job, entry->option) & CS_JOB_HOST
		       ? cs_eligible_hosts_before(e, entry, hosts)
		       : 0;
}

#endif
