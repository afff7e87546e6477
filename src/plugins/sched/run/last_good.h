/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last good settings, across a reconfigure that makes a new process.
 *
 * Up to Slurm 23.02 the running slurmctld handles `scontrol reconfigure`, and a refused
 * line leaves its settings unchanged.  From 23.11 on a new process takes over, which
 * has no settings: so the SchedulerParameters in force are saved in StateSaveLocation, and
 * the text of their profile file, which may be broken under the same name.
 *
 *  1. Only a process made by a reconfigure reads the file.  A restart with a refused
 *     line is mode off: an administrator is present, and the last good line may be old.
 *  2. If nothing good is in force (that restart, or cosched_mode=off with an error) the
 *     file is removed.
 *  3. Without the file, or with a bad one, it is like a restart.
 */
#ifndef CS_SCHED_RUN_LAST_GOOD_H
#define CS_SCHED_RUN_LAST_GOOD_H

#include <stdbool.h>

#include "common/params/params.h"
#include "sched/run/settings.h"

/* @s is in force: save its line in folder @dir if that was good, remove it if nothing
 * is.  For the thread, without locks. */
void cs_last_good_save(const char *dir, const struct cs_settings *s);
void cs_last_good_forget(const char *dir);

/* The previous settings into @ret, if a reconfigure made this process and they are
 * known; else @ret is unchanged. */
bool cs_last_good_read(const char *dir, struct cs_params *ret);

/*
 * The text of the profile file in force, by the same rules: the file may be broken where
 * it stands, behind a good line.  NULL: there is none in force.
 */
void cs_last_good_profiles_save(const char *dir, const char *text, size_t len);
/* For the settings of cs_last_good_read().  The caller frees it; NULL: none. */
char *cs_last_good_profiles_read(const char *dir, size_t *ret_len);

/*
 * The last good sites (site_list.h), by the same three rules: what cosched_sites names
 * may be wrong behind a good line.  @text: "" if there are none.
 */
void cs_last_good_sites_save(const char *dir, const char *text);
/* The caller frees it; "": none.  Removes them in a process that no reconfigure made.
 * NULL: no memory. */
char *cs_last_good_sites_read(const char *dir);

#endif
