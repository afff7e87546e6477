/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_warn.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/as_user.h"
#include "conf/plugin_file.h"
#include "cli/profile_file.h"

#define ASK_S 10
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

int cs_conf_holds(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && n < (int)sizeof(path) && !access(path, F_OK);
}

/* ---- what Slurm is told --------------------------------------------------- */

static bool no_limit(const struct cs_slurmconf *c, const char *key)
{
	char v[VALUE_MAX];

	return !cs_slurmconf_get(c, key, v, sizeof(v)) || !strcmp(v, "0") ||
	       !strcasecmp(v, "UNLIMITED");
}

static void check_memory(const struct cs_slurmconf *c)
{
	char select[VALUE_MAX];

	if (!cs_slurmconf_get(c, "SelectTypeParameters", select,
			      sizeof(select)))
		strcpy(select, "CR_CORE_MEMORY");
	if (strcasestr(select, "MEMORY") && no_limit(c, "DefMemPerCPU") &&
	    no_limit(c, "DefMemPerNode"))
		warn("SelectTypeParameters=%s and no DefMemPerCPU: a job that "
		     "asks for no memory owns all of a node's, so nobody ever "
		     "shares with it. Set DefMemPerCPU (here or for each "
		     "partition), or use CR_Core.",
		     select);
	if (!strcasestr(select, "CR_CORE"))
		warn("SelectTypeParameters=%s: exact cores need CR_Core or "
		     "CR_Core_Memory.",
		     select);
}

static void check_isolation(const struct cs_slurmconf *c)
{
	char task[VALUE_MAX], cores[64];

	if (!cs_slurmconf_get(c, "TaskPlugin", task, sizeof(task)))
		strcpy(task, "task/none");
	if (strcasestr(task, "affinity"))
		return;
	if (strcasestr(task, "cgroup") &&
	    cs_slurmconf_get(c, "ConstrainCores", cores, sizeof(cores)) &&
	    !strcasecmp(cores, "yes"))
		return;
	warn("TaskPlugin=%s: nothing keeps a job on its cores, so disjoint "
	     "cores are only words. Use task/affinity, or task/cgroup with "
	     "ConstrainCores=yes in cgroup.conf.",
	     task);
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

static const char *const our_files[] = { "select_cons_tres.so",
					 "sched_backfill.so",
					 "libcosched_plan.so" };

static void check_our_files(const char *dir)
{
	char missing[256] = "";

	for (size_t i = 0; i < sizeof(our_files) / sizeof(*our_files); i++) {
		size_t n = strlen(missing);

		if (!cs_conf_holds(dir, our_files[i]))
			snprintf(missing + n, sizeof(missing) - n, "%s%s",
				 n ? ", " : "", our_files[i]);
	}
	if (*missing)
		warn("%s on this host lacks %s of ours: install our plugins "
		     "where slurmctld runs.",
		     dir, missing);
}

/* The release of the Slurm here; 0: nobody says. */
static uint32_t slurm_release(const struct cs_slurmconf *c)
{
	static const char program[] = "slurmctld";
	char *argv[] = { (char *)program, (char *)"-V", NULL };
	char version[256], *text;
	uint32_t release;

	if (c->live &&
	    cs_slurmconf_get(c, "SLURM_VERSION", version, sizeof(version)))
		return cs_release_number(version);
	if (cs_run_program(argv, ASK_S, sizeof(version), &text) < 0)
		return 0;
	release = cs_release_number(text);
	free(text);
	return release;
}

/* Slurm takes plugins of exactly its release. */
static void check_release(const struct cs_slurmconf *c, const char *dir)
{
	uint32_t want = slurm_release(c);

	for (int i = 0; want && i < 2; i++) {
		char path[PATH_MAX];
		uint32_t got;

		snprintf(path, sizeof(path), "%s/%s", dir, our_files[i]);
		got = cs_pluginfile_release(path);
		if (!got || got == want)
			continue;
		warn("%s is built for Slurm %u.%02u.%u, the one here is "
		     "%u.%02u.%u and will not load it: build ours anew with "
		     "the headers of exactly that release.",
		     path, got >> 16, got >> 8 & 255, got & 255, want >> 16,
		     want >> 8 & 255, want & 255);
	}
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static void check_stock_dirs(const char *list)
{
	char *copy = strdup(list), *rest = copy;

	for (char *dir; (dir = strsep(&rest, ":")) != NULL;)
		if (*dir && !is_folder(dir))
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

	if (is_folder(log))
		warn("%s is a folder; the event log is a file in one.", log);
	else if (rc && rc != -ENOENT)
		cannot(u, log, "write to it", rc);
	if (slash)
		slash[slash == folder] = '\0';
	rc = slash ? cs_asuser_access(u, folder, W_OK | X_OK) : 0;
	if (slash && !is_folder(folder))
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
	} else if (cs_profilefile_read(file, &profiles, &err)) {
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
	check_our_files(w->plugin_dir);
	check_release(w->conf, w->plugin_dir);
	check_stock_dirs(w->stock_dirs);
	check_files(w);
	if (!w->conf->source)
		return;
	check_types(w->conf);
	check_memory(w->conf);
	check_isolation(w->conf);
}
