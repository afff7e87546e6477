/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The entry of the queue that is being placed (attempt.c). */
#ifndef CS_PLACE_ATTEMPT_H
#define CS_PLACE_ATTEMPT_H

#include "state/pass.h"

struct cs_engine *cs_attempt_engine(const struct cs_pass *p);
/* The queue behind the entry that is being placed. */
const struct cs_entry *cs_attempt_behind(const struct cs_pass *p,
					 size_t *ret_n);
/* Whether the entry being placed is a head (else it backfills). */
bool cs_attempt_is_head(const struct cs_pass *p);
/* Is case @rule of Zeng09, section 4.4, tried for it (cases, backfill_cases)?  May
 * it come beside one running job by case 2 or 3 (backfill_join too)? */
bool cs_attempt_tries(const struct cs_pass *p, uint32_t rule);
bool cs_attempt_joins(const struct cs_pass *p, uint32_t rule);
/* Does the job of @x wait for nothing but resources? */
bool cs_attempt_ready(const struct cs_engine *e, const struct cs_entry *x);
/* A job of @entry was started: bring what was derived from the machine, and the
 * plan, up to date.  0, -ENOMEM. */
int cs_attempt_started(struct cs_pass *p, const struct cs_entry *entry);

#endif
