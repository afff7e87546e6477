/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn may come; the rules are in eligible.c. */
#ifndef CS_JOB_ELIGIBLE_H
#define CS_JOB_ELIGIBLE_H

#include "state/pass.h"

/* May the job of @entry be looked at now (rule 1)?  Writes down why not. */
bool cs_eligible_now(struct cs_engine *e, const struct cs_entry *entry);
/* Why not; CS_WHY_NEW where it may. */
enum cs_why cs_eligible_why_not(const struct cs_engine *e,
				const struct cs_entry *entry);

/* The job of @entry is next in the queue: how many that wait for the host,
 * and are of its kind, @hosts has counted before it. */
uint32_t cs_eligible_hosts(const struct cs_engine *e,
			   const struct cs_entry *entry,
			   struct cs_hosts *hosts);

#endif
