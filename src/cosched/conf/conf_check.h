/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are our settings in a slurm.conf right?  Before slurmctld reads it. */
#ifndef CS_COSCHED_CONF_CONF_CHECK_H
#define CS_COSCHED_CONF_CONF_CHECK_H

#include <stdbool.h>

/*
 * Print all errors of our keys in the slurm.conf @path and its included files,
 * and of the profile file they name, a line each:
 *
 *	FILE:LINE: what, expected what
 *
 * or "FILE: ok"; with @json an object that has the same.  They are those of slurmctld's
 * own parsers, and what keeps slurmctld from loading our plugins, from our folder @ours:
 * PluginDir, SelectType and SchedulerType.  A part of a slurm.conf, without a
 * SlurmctldHost, may leave these to another file.  What is no error is remarked on
 * standard error.  Returns an exit status: CS_EXIT_OK, CS_EXIT_NO, CS_EXIT_USAGE (it
 * cannot be read).
 */
int cs_conf_check(const char *path, const char *ours, bool json);

#endif
