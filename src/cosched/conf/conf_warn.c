/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_warn.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "conf/as_user.h"
#include "conf/plugin_dirs.h"
#include "conf/site_look.h"
#include "cli/profile_file.h"

#define VALUE_MAX 8192

/* ---- messages ------------------------------------------------------------ */

static void warn(const struct cs_confwarn *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void warn(const struct cs_confwarn *w, const char *fmt, ...)
{
	char text[VALUE_MAX + 1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w->warn(w->arg, text);
}

/* ---- Slurm's settings ---------------------------------------------------- */

/* Print the result of a check. */
static void warn_if(const struct cs_confwarn *w, bool wrong,
		    const struct cs_said *said)
{
	if (wrong)
		warn(w, "%s", said->text);
}

/* Types other than ours: the lines change them. */
static void check_types(const struct cs_confwarn *w)
{
	const struct cs_slurmconf *c = w->conf;
	char type[VALUE_MAX];

	if (cs_slurmconf_get(c, "SelectType", type, sizeof(type)) &&
	    strcasecmp(type, "select/cons_tres")) {
		if (!strcasecmp(type, "select/cons_res"))
			warn(w,
			     "SelectType=%s here: the line below changes it to "
			     "select/cons_tres. Then restart slurmctld and "
			     "every slurmd.",
			     type);
		else
			warn(w,
			     "SelectType=%s here: the line below changes it to "
			     "select/cons_tres. Slurm then loses all jobs, "
			     "waiting and running, and slurmctld and every "
			     "slurmd must be restarted. Jobs then get cores, "
			     "not whole nodes; SelectTypeParameters must be "
			     "CR_Core or CR_Core_Memory.",
			     type);
	}
	if (cs_slurmconf_get(c, "SchedulerType", type, sizeof(type)) &&
	    strcasecmp(type, "sched/backfill"))
		warn(w,
		     "SchedulerType=%s here: the line below changes it to "
		     "sched/backfill, which also schedules where ours is off.",
		     type);
}

/* ---- folders and files --------------------------------------------------- */

static void check_stock_dirs(const struct cs_confwarn *w)
{
	char *copy = strdup(w->stock_dirs), *rest = copy;

	for (char *dir; (dir = strsep(&rest, ":")) != NULL;)
		if (*dir && !cs_site_look_is_folder(dir))
			warn(w,
			     "%s of this site's PluginDir is no folder here: "
			     "every Slurm program dies where it is missing.",
			     dir);
	free(copy);
}

/* "cannot read it: Permission denied" with the user. */
static void cannot(const struct cs_confwarn *w, const struct cs_asuser *u,
		   const char *path, const char *what, int rc)
{
	if (u->other)
		warn(w, "%s: SlurmUser (%s) cannot %s: %s.", path, u->name,
		     what, strerror(-rc));
	else
		warn(w, "%s: %s. SlurmUser must be able to %s.", path,
		     strerror(-rc), what);
}

/* The file if it exists, else its folder. */
static void check_log(const struct cs_confwarn *w, const struct cs_asuser *u)
{
	const char *log = w->log, *what = cs_site_look_no_file(log);
	char *folder = strdup(log);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	int rc = cs_asuser_access(u, log, R_OK | W_OK);

	if (what)
		warn(w, "%s is %s; the event log must be a file.", log, what);
	else if (rc && rc != -ENOENT)
		cannot(w, u, log, "write to it", rc);
	if (slash)
		slash[slash == folder] = '\0';
	rc = slash ? cs_asuser_access(u, folder, W_OK | X_OK) : 0;
	if (slash && !cs_site_look_is_folder(folder))
		warn(w,
		     "%s is no folder here. SlurmUser must be able to write "
		     "there.",
		     folder);
	else if (rc)
		cannot(w, u, folder, "write there", rc);
	free(folder);
}

/* What slurmctld will report about the profile file. */
static void check_profiles(const struct cs_confwarn *w,
			   const struct cs_asuser *u)
{
	const char *file = w->profiles, *what = cs_site_look_no_file(file);
	struct cs_profiles *profiles = NULL;
	struct cs_err err = { "no memory" };
	int rc = cs_asuser_access(u, file, R_OK);

	if (rc) {
		cannot(w, u, file, "read it", rc);
	} else if (what) {
		warn(w, "%s is %s; the profiles must be a file.", file, what);
	} else if (cs_profile_file_read(file, &profiles, &err)) {
		warn(w,
		     "%s. slurmctld refuses such a profile file, and would "
		     "start in mode off.",
		     err.text);
	}
	cs_profiles_free(profiles);
}

static void check_files(const struct cs_confwarn *w)
{
	struct cs_asuser u;

	cs_asuser_init(&u, w->conf);
	if (w->profiles)
		check_profiles(w, &u);
	if (w->log)
		check_log(w, &u);
}

/* ---- all ----------------------------------------------------------------- */

static void warn_key(void *arg, size_t at, const char *text)
{
	const struct cs_confwarn *w = arg;

	(void)at;
	w->warn(w->arg, text);
}

void cs_confwarn(const struct cs_confwarn *w)
{
	struct cs_said said = { "" };
	char dir[VALUE_MAX];

	snprintf(dir, sizeof(dir), "%s", w->our_dirs);
	cs_plugin_dirs_choose(w->conf, dir);
	warn_if(w, cs_site_look_files(dir, &said), &said);
	warn_if(w, cs_plugin_dirs_look(w->conf, w->our_dirs, &said), &said);
	check_stock_dirs(w);
	check_files(w);
	if (!w->conf->source)
		return;
	check_types(w);
	warn_if(w, cs_site_look_memory(w->conf, &said), &said);
	cs_site_look_placing(w->conf, warn_key, (void *)(uintptr_t)w);
	warn_if(w, cs_site_look_binding(w->conf, &said), &said);
	cs_site_look_keys(w->conf, warn_key, (void *)(uintptr_t)w);
}
