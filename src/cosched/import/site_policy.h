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

/* What Slurm's own schedulers are set to at the site. */
struct cs_site_slurm {
	char *sched; /* SchedulerParameters; NULL: no slurm.conf was read */
	/* Of policy stock, beside what follows @sched by itself: "key=value,...". */
	char *settings;
	char *state; /* StateSaveLocation; NULL: not known */
};

/*
 * Read it for command @cmd from the slurm.conf @path; @path NULL: from slurmctld, or from
 * the slurm.conf of this host, if there is one.  @policy is cs_site_policy()'s: what it
 * sets by itself stays.  One line on standard error tells what was found.  0;
 * CS_EXIT_USAGE: a message has been printed.
 */
int cs_site_slurm_read(struct cs_site_slurm *s, const char *cmd,
		       const char *path, const char *policy);
void cs_site_slurm_done(struct cs_site_slurm *s);

#endif
