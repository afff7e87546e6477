/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate from the first moment of a slurmctld on.
 *
 * The scheduling thread comes late: once slurmctld is in service, and 2 s after a
 * reconfigure that makes a new process.  Until then Slurm's main loop would start
 * jobs beside groups and on nodes that their jobs do not share.  So mode act leaves
 * a small file in StateSaveLocation, which init() reads: where SchedulerParameters
 * still say act, the gate is closed at once.
 *
 *  1. The administrator's word comes first: a line that does not say act leaves the
 *     gate open; so does one that is refused, but after a reconfigure, where the last
 *     good one holds (last_good.h).  Where the line is the one that act ran with, or
 *     is refused, the gate is as it was, else as the new line has it.
 *  2. The thread opens it where act is not to be had after all; if it does not
 *     come, the gate lapses after cosched_hang_s.
 *  3. A file that is missing or bad costs what it would have done, and no more.
 */
#ifndef CS_SCHED_RUN_EARLY_H
#define CS_SCHED_RUN_EARLY_H

#include <stdbool.h>

#include "common/params/params.h"
#include "sched/run/settings.h"

struct cs_early {
	unsigned hang_s;
	bool gated; /* as cs_gate_on() takes them */
	char except[CS_PATH_MAX];
};

/* Mode act runs with @s: have that in folder @dir; or have it no more.  For the
 * thread, without locks. */
void cs_early_remember(const char *dir, const struct cs_settings *s);
void cs_early_forget(const char *dir);

/* Is the gate to be closed, and how?  For init(), which runs while slurm_conf does not
 * change. */
bool cs_early_wanted(struct cs_early *ret);

#endif
