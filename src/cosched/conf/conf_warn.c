/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_warn.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "conf/as_user.h"
#include "conf/site_look.h"
#include "cli/profile_file.h"

#define VALUE_MAX 8192

/* ---- words --------------------------------------------------------------- */

void cs_conf_comment(const char *title, const char *fmt, va_list ap)
{
	char text[VALUE_MAX + 1024];
	int used = printf("#%s", title);

	vsnprintf(text, sizeof(text), fmt, ap);
	for (char *c = text, *word; (word = strsep(&c, " ")) != NULL;) {
		if (used > 1 && used + 1 + (int)strlen(word) > 79) {
			printf("\n");
			used = printf("#");
		}
		used += printf(" %s", word);
	}
	printf("\n");
}

static void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cs_conf_comment(" WARNING:", fmt, ap);
	va_end(ap);
}

/* ---- what Slurm is told --------------------------------------------------- */

/* What a look found. */
static void warn_if(bool wrong, const struct cs_said *said)
{
	if (wrong)
		warn("%s", said->text);
}

/* Other types than ours: the lines change them. */
static void check_types(const struct cs_slurmconf *c)
{
	char type[VALUE_MAX];

	if (cs_slurmconf_get(c, "SelectType", type, sizeof(type)) &&
	    strcasecmp(type, "select/cons_tres")) {
		if (!strcasecmp(type, "select/cons_res"))
			warn("SelectType=%s here: the line below changes it to "
			     "select/cons_tres. Restart slurmctld and every "
			     "slurmd then.",
			     type);
		else
			warn("SelectType=%s here: the line below changes it to "
			     "select/cons_tres. Slurm loses all jobs at such a "
			     "change, waiting and running ones, and slurmctld "
			     "and every slurmd must be restarted. Jobs get "
			     "cores then, not whole nodes; SelectTypeParameters "
			     "must be CR_Core or CR_Core_Memory.",
			     type);
	}
	if (cs_slurmconf_get(c, "SchedulerType", type, sizeof(type)) &&
	    strcasecmp(type, "sched/backfill"))
		warn("SchedulerType=%s here: the line below changes it to "
		     "sched/backfill, which also schedules where ours is off.",
		     type);
}

/* ---- folders and files --------------------------------------------------- */

static void check_stock_dirs(const char *list)
{
	char *copy = strdup(list), *rest = copy;

	for (char *dir; (dir = strsep(&rest, ":")) != NULL;)
		if (*dir && !cs_site_look_is_folder(dir))
			warn("%s of this site's PluginDir is no folder here: "
			     "every Slurm program dies where it is missing.",
			     dir);
	free(copy);
}

/* "cannot read it: Permission denied" with who cannot. */
static void cannot(const struct cs_asuser *u, const char *path,
		   const char *what, int rc)
{
	if (u->other)
		warn("%s: SlurmUser (%s) cannot %s: %s.", path, u->name, what,
		     strerror(-rc));
	else
		warn("%s: %s. SlurmUser must be able to %s.", path,
		     strerror(-rc), what);
}

/* The file where it is there, else its folder. */
static void check_log(const struct cs_asuser *u, const char *log)
{
	char *folder = strdup(log);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	int rc = cs_asuser_access(u, log, R_OK | W_OK);

	if (cs_site_look_is_folder(log))
		warn("%s is a folder; the event log is a file in one.", log);
	else if (rc && rc != -ENOENT)
		cannot(u, log, "write to it", rc);
	if (slash)
		slash[slash == folder] = '\0';
	rc = slash ? cs_asuser_access(u, folder, W_OK | X_OK) : 0;
	if (slash && !cs_site_look_is_folder(folder))
		warn("%s is no folder here. SlurmUser must be able to write "
		     "there.",
		     folder);
	else if (rc)
		cannot(u, folder, "write there", rc);
	free(folder);
}

/* What slurmctld will say of the profile file. */
static void check_profiles(const struct cs_asuser *u, const char *file)
{
	struct cs_profiles *profiles = NULL;
	struct cs_err err = { "no memory" };
	int rc = cs_asuser_access(u, file, R_OK);

	if (rc) {
		cannot(u, file, "read it", rc);
	} else if (cs_profile_file_read(file, &profiles, &err)) {
		warn("%s. slurmctld refuses such a profile file, and starts in "
		     "mode off with it.",
		     err.text);
	}
	cs_profiles_free(profiles);
}

static void check_files(const struct cs_confwarn *w)
{
	struct cs_asuser u;

	cs_asuser_init(&u, w->conf);
	if (w->profiles)
		check_profiles(&u, w->profiles);
	if (w->log)
		check_log(&u, w->log);
}

/* ---- all ----------------------------------------------------------------- */

void cs_confwarn(const struct cs_confwarn *w)
{
	struct cs_said said = { "" };

	warn_if(cs_site_look_files(w->plugin_dir, &said), &said);
	for (int i = 0; i < 2; i++)
		warn_if(cs_site_look_release(w->conf, w->plugin_dir, i, &said),
			&said);
	check_stock_dirs(w->stock_dirs);
	check_files(w);
	if (!w->conf->source)
		return;
	check_types(w->conf);
	warn_if(cs_site_look_memory(w->conf, &said), &said);
	warn_if(cs_site_look_cores(w->conf, &said), &said);
	warn_if(cs_site_look_binding(w->conf, &said), &said);
}
