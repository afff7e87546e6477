/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Promised starts, kept or not.  The theory is in pledge.c.
 */
#ifndef CS_JOB_PLEDGE_H
#define CS_JOB_PLEDGE_H

#include <stdint.h>

struct cs_ejob;
struct cs_engine;

/* By so much later than promised a start is still as promised. */
#define CS_PLEDGE_LATE_US INT64_C(60000000)

/* The walk has looked at @j and it is promised a start: its first counts (rule 1). */
void cs_pledge_note(const struct cs_engine *e, struct cs_ejob *j);
/* The host has confirmed our start of @j at @start_us (rule 2). */
void cs_pledge_started(struct cs_engine *e, struct cs_ejob *j,
		       int64_t start_us);
/* @to waits for what @from was promised; the earlier of two promises counts. */
void cs_pledge_hand_over(struct cs_ejob *to, struct cs_ejob *from);
/* What @j was promised does not bind any more (rule 3). */
void cs_pledge_drop(struct cs_ejob *j);

#endif
