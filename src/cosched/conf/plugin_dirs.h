/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folders of ours in PluginDir: for which release of Slurm are the plugins in each?
 *
 * Slurm loads a plugin from the first folder that has one of exactly its own release, and
 * passes over the others with a line in its log.  The release is read from the number in the
 * file that Slurm itself compares (conf/plugin_file.h); no plugin is loaded here.
 */
#ifndef CS_COSCHED_CONF_PLUGIN_DIRS_H
#define CS_COSCHED_CONF_PLUGIN_DIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/site_look.h"
#include "conf/slurm_conf.h"

/* Write the folders of ours that PluginDir names into @buf, "DIR:DIR"; @ours if it names
 * none, or is not known. */
void cs_plugin_dirs(const struct cs_slurmconf *c, const char *ours, char *buf,
		    size_t size);

/*
 * Which release runs, and for which are the plugins in each folder of @dirs, "DIR:DIR"?
 * @said has it in one line, with what is to be done.  Returns true if slurmctld passes over
 * all of them, or will do so from its next start on.
 */
bool cs_plugin_dirs_look(const struct cs_slurmconf *c, const char *dirs,
			 struct cs_said *said);

/* Does the slurmctld that answers pass over all plugins in @dirs?  Then @said has in one
 * line for which releases they are; else it is unchanged. */
bool cs_plugin_dirs_skipped(const struct cs_slurmconf *c, const char *dirs,
			    struct cs_said *said);

/* Leave in @dirs only the folder that counts: the first with plugins for the Slurm that runs,
 * else the first with any, else the first. */
void cs_plugin_dirs_choose(const struct cs_slurmconf *c, char *dirs);

/*
 * Write the folders of ours that PluginDir should name into @buf, "DIR:DIR": @base, if it has
 * plugins itself or there is no other; below it, those named as a release: that of the Slurm
 * that runs, those of later ones that have plugins, and that of @next (NULL: none), whether it
 * is there or not.  Returns false if @size is too small.
 */
bool cs_plugin_dirs_wanted(const struct cs_slurmconf *c, const char *base,
			   const char *next, char *buf, size_t size);

#endif
