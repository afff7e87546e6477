/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last good settings, across a reconfigure that makes a new process.
 *
 * Up to Slurm 23.02 `scontrol reconfigure` is heard by the slurmctld that runs, and
 * a line that is refused leaves its settings as they are.  From 23.11 on a new process
 * takes over, which knows of no settings: so the SchedulerParameters that are in force
 * are left in StateSaveLocation.
 *
 *  1. Only a process that a reconfigure made reads the file.  A restart with a line
 *     that is refused is mode off: an administrator stands by, and what was good may
 *     be long ago.
 *  2. Where nothing good is in force (that restart, or cosched_mode=off beside an
 *     error) the file goes.
 *  3. Without the file, or with a bad one, it is as at a restart.
 */
#ifndef CS_SCHED_RUN_LAST_GOOD_H
#define CS_SCHED_RUN_LAST_GOOD_H

#include <stdbool.h>

#include "common/params/params.h"
#include "sched/run/settings.h"

/* @s is in force: remember its line in folder @dir if that was good, forget where
 * nothing is.  For the thread, without locks. */
void cs_last_good_save(const char *dir, const struct cs_settings *s);
void cs_last_good_forget(const char *dir);

/* The settings of before into @ret, where this process is a reconfigure's and knows
 * them; @ret is untouched else. */
bool cs_last_good_read(const char *dir, struct cs_params *ret);

#endif
