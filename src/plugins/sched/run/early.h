/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate from slurmctld's first moment on.
 *
 * The scheduling thread starts late: once slurmctld is in service, and 2 s after a
 * reconfigure that makes a new process.  Until then Slurm's main loop would start jobs
 * beside groups and on nodes that their jobs do not share.  So mode act leaves a small
 * file in StateSaveLocation, which init() reads: if SchedulerParameters still say act,
 * the gate closes at once.
 *
 *  1. The administrator's settings come first: a line without act leaves the gate open;
 *     so does a refused one, except after a reconfigure, when the last good one applies
 *     (last_good.h).  If the line is the one that act ran with, or is refused, the gate
 *     is as before, else as in the new line.
 *  2. The thread opens it if act is unavailable after all; if the thread does not
 *     start, the gate lapses after cosched_hang_s.
 *  3. A missing or bad file costs only what it would have done.
 */
#ifndef CS_SCHED_RUN_EARLY_H
#define CS_SCHED_RUN_EARLY_H

#include <stdbool.h>

#include "common/params/params.h"
#include "sched/run/settings.h"

struct cs_early {
	unsigned hang_s;
	bool gated; /* for cs_gate_on() */
	char except[CS_PATH_MAX];
};

/* Record in folder @dir that mode act runs with @s; or remove that record.  For the
 * thread, without locks. */
void cs_early_remember(const char *dir, const struct cs_settings *s);
void cs_early_forget(const char *dir);

/* Is there such a record: did mode act run last? */
bool cs_early_remembered(const char *dir);

/* Should the gate close, and how?  For init(), which runs while slurm_conf does not
 * change. */
bool cs_early_wanted(struct cs_early *ret);

#endif
