/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One check each of a site's settings and our files: what keeps the plugin from working
 * there?
 */
#ifndef CS_COSCHED_CONF_SITE_LOOK_H
#define CS_COSCHED_CONF_SITE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "conf/slurm_conf.h"

#define CS_SAID_MAX 9216

/* What is wrong, where, and what to do: one line. */
struct cs_said {
	char text[CS_SAID_MAX];
};

void cs_said(struct cs_said *said, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* For each: is something wrong?  Then @said has it, else it is unchanged. */
bool cs_site_look_memory(const struct cs_slurmconf *c, struct cs_said *said);
bool cs_site_look_cores(const struct cs_slurmconf *c, struct cs_said *said);
/* MCSPlugin */
bool cs_site_look_labels(const struct cs_slurmconf *c, struct cs_said *said);
/* A partition's own SelectTypeParameters; NULL: it has none. */
bool cs_site_look_part_cores(const char *part, const char *select,
			     struct cs_said *said);
/* Tell of each way in which Slurm's own test places jobs, all of them or those of a
 * partition that slurmctld has, one line each; @at is 0. */
void cs_site_look_placing(const struct cs_slurmconf *c,
			  void (*tell)(void *arg, size_t at, const char *text),
			  void *arg);
/* Does it name other plugins than those in whose place ours are loaded?  The first of
 * them, or key @i; or no SelectType, which for the Slurm of this host is another. */
#define CS_SITE_LOOK_TYPES 2
bool cs_site_look_types(const struct cs_slurmconf *c, struct cs_said *said);
bool cs_site_look_type(const struct cs_slurmconf *c, int i,
		       struct cs_said *said);
const char *cs_site_look_type_key(int i);
bool cs_site_look_no_select(const struct cs_slurmconf *c, struct cs_said *said);
/* Tell of each key of Slurm's that is set and that mode act does not honour, one line
 * each; @at is where it stands in its value. */
void cs_site_look_keys(const struct cs_slurmconf *c,
		       void (*tell)(void *arg, size_t at, const char *text),
		       void *arg);
/* Do jobs of a partition run longer than planned starts keep nodes, @window_s (0: as long
 * as it takes), which is @ours: cosched_horizon_s, else bf_window?  Asks slurmctld; false if
 * it does not answer, and for a partition without MaxTime, which @said names. */
bool cs_site_look_window(const struct cs_slurmconf *c, int64_t window_s,
			 bool ours, struct cs_said *said);
bool cs_site_look_binding(const struct cs_slurmconf *c, struct cs_said *said);
/* Does the site weigh priorities?  They count for nothing where an order ignores them. */
bool cs_site_look_weights(const struct cs_slurmconf *c, struct cs_said *said);
/* Does it have time slices by @sched, its SchedulerParameters, and mode act refuses them?
 * False if @sched has errors. */
bool cs_site_look_slices(const struct cs_slurmconf *c, const char *sched,
			 struct cs_said *said);
/* Does our folder @dir lack any of our files? */
bool cs_site_look_files(const char *dir, struct cs_said *said);

/* The release of the slurmctld that answers, else of the one that is installed here, as a
 * number (conf/plugin_file.h); of the one that is installed; 0: not known. */
uint32_t cs_site_look_slurm(const struct cs_slurmconf *c);
uint32_t cs_site_look_installed(void);
/* Does PluginDir name our folder @ours, but behind Slurm's, whose files are loaded then?
 * Is no folder there but ours, so that Slurm lacks its own? */
bool cs_site_look_dir_order(const struct cs_slurmconf *c, const char *ours,
			    struct cs_said *said);
bool cs_site_look_dir_alone(const struct cs_slurmconf *c, const char *ours,
			    struct cs_said *said);
/* Is ours among the folders of PluginDir? */
bool cs_site_look_names_ours(const struct cs_slurmconf *c, const char *ours);
/* Does slurmctld not find the plugins in our folder @ours before Slurm's?  If it is only
 * that slurmctld has not read its slurm.conf again, @said says so. */
bool cs_site_look_plugin_dir(const struct cs_slurmconf *c, const char *ours,
			     struct cs_said *said);

/* Has a folder of ours before Slurm's some of our files, and none all of them? */
bool cs_site_look_lacks(const struct cs_slurmconf *c, const char *ours,
			struct cs_said *said);

/* Has a file of ours come to a folder of ours before Slurm's after @since_s? */
bool cs_site_look_newer(const struct cs_slurmconf *c, const char *ours,
			time_t since_s);

/* Is it a folder of ours: @ours, one from another time or place, or one of a release below
 * such a folder? */
bool cs_site_look_is_ours(const char *dir, const char *ours);

/* Is it a release's name, such as "26.05.3"? */
bool cs_site_look_is_release(const char *name);

/* Does @dir have a file @name?  Is @path a folder? */
bool cs_site_look_holds(const char *dir, const char *name);
bool cs_site_look_is_folder(const char *path);

/* What @path is, if it is there and no regular file; NULL. */
const char *cs_site_look_no_file(const char *path);

/* Does @dir have any of our plugins? */
bool cs_site_look_has_any(const char *dir);

#endif
