/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The site's own policy, with which `cosched whatif` and `shadow-report` compare others. */
#ifndef CS_COSCHED_IMPORT_SITE_POLICY_H
#define CS_COSCHED_IMPORT_SITE_POLICY_H

/* Without --site: Slurm's own schedulers. */
#define CS_SITE_POLICY "stock"

/*
 * The policy that the value @name of command @cmd's --site stands for: @name itself, a
 * preset perhaps with settings ("NAME:key=value"); for easy, which gives whole nodes,
 * with unprofiled=model, since slurmctld's default packs jobs without a profile by core.
 * NULL: @name is a list or empty, and a message has been printed.  The text is @name or
 * static.
 */
const char *cs_site_policy(const char *cmd, const char *name);

#endif
