/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/site_look.h"

#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/params/host_key.h"
#include "common/params/params.h"
#include "common/slice/slice.h"
#include "conf/plugin_file.h"
#include "plugins/compat/grace.h"

#ifndef COSCHED_PLUGINDIR
#define COSCHED_PLUGINDIR "/usr/local/lib/cosched/slurm"
#endif

#define ASK_S 10
#define PREFIX "cosched_"
#define VALUE_MAX 8192
#define BARE_LAST \
	0x1605ff /* 22.05: select/linear, without parameters, by default */
#define PARTITIONS_MAX (4u << 20)  /* bytes of scontrol's output about them */
#define NAME_SHOWN 64		   /* bytes of a partition's name */
#define DAYS_MOST 100000	   /* of a time limit */
#define WINDOW_MOST (30 * 24 * 60) /* of bf_window, in minutes */

void cs_said(struct cs_said *said, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(said->text, sizeof(said->text), fmt, ap);
	va_end(ap);
}

bool cs_site_look_holds(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && n < (int)sizeof(path) && !access(path, F_OK);
}

bool cs_site_look_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

const char *cs_site_look_no_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return NULL;
	return S_ISDIR(st.st_mode) ? "a folder" : "a device, FIFO or socket";
}

/* ---- Slurm's settings ---------------------------------------------------- */

static bool no_limit(const struct cs_slurmconf *c, const char *key)
{
	char v[VALUE_MAX];

	return !cs_slurmconf_get(c, key, v, sizeof(v)) || !strcmp(v, "0") ||
	       !strcasecmp(v, "UNLIMITED");
}

/* Is @item one of @list, "A,B,C"? */
static bool has_item(const char *list, const char *item)
{
	size_t n = strlen(item);

	for (const char *at = list;; at++) {
		at += strspn(at, ", ");
		if (!strncasecmp(at, item, n) && strcspn(at, ", ") == n)
			return true;
		at = strchr(at, ',');
		if (!at)
			return false;
	}
}

uint32_t cs_site_look_installed(void)
{
	static const char program[] = "slurmctld";
	char *argv[] = { (char *)program, (char *)"-V", NULL };
	uint32_t release;
	char *text;

	if (cs_run_program(argv, ASK_S, 256, &text) < 0)
		return 0;
	release = cs_plugin_file_release_number(text);
	free(text);
	return release;
}

uint32_t cs_site_look_slurm(const struct cs_slurmconf *c)
{
	char version[256];

	if (c->live &&
	    cs_slurmconf_get(c, "SLURM_VERSION", version, sizeof(version)))
		return cs_plugin_file_release_number(version);
	return cs_site_look_installed();
}

/* What is in force; "": nothing, as without the key in 22.05. */
static void get_select(const struct cs_slurmconf *c, char *buf, size_t size)
{
	uint32_t release;

	if (cs_slurmconf_get(c, "SelectTypeParameters", buf, size))
		return;
	release = cs_site_look_slurm(c);
	snprintf(buf, size, "%s",
		 release && release <= BARE_LAST ? "" : "CR_CORE_MEMORY");
}

/* Does scontrol's line about a partition have a default? */
static bool has_default(const char *line)
{
	static const char *const keys[] = { "DefMemPerCPU=", "DefMemPerNode=" };

	for (int i = 0; i < 2; i++) {
		const char *at = strstr(line, keys[i]);

		if (at && at[strlen(keys[i])] >= '1' &&
		    at[strlen(keys[i])] <= '9')
			return true;
	}
	return false;
}

/* Slurmctld's partitions, a line each, which the caller frees; NULL: not known. */
static char *show_partitions(const struct cs_slurmconf *c)
{
	static const char *const words[] = { "scontrol", "show", "partition",
					     "--oneliner", NULL };
	char *text;

	return !c->live || cs_run_program((char *const *)(uintptr_t)words,
					  ASK_S, PARTITIONS_MAX, &text) < 0
		       ? NULL
		       : text;
}

/* Does each partition have its own default? */
static bool partitions_have(const struct cs_slurmconf *c)
{
	char *text = show_partitions(c), *rest = text;
	int seen = 0, have = 0;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (strncmp(line, "PartitionName=", 14))
			continue;
		seen++;
		have += has_default(line);
	}
	free(text);
	return seen && have == seen;
}

bool cs_site_look_memory(const struct cs_slurmconf *c, struct cs_said *said)
{
	char select[VALUE_MAX];

	get_select(c, select, sizeof(select));
	if (!strcasestr(select, "MEMORY") || !no_limit(c, "DefMemPerCPU") ||
	    !no_limit(c, "DefMemPerNode") || partitions_have(c))
		return false;
	cs_said(said,
		"SelectTypeParameters=%s and no DefMemPerCPU: a job that "
		"requests no memory gets all of a node's, so no job ever "
		"shares with it. Set DefMemPerCPU (here or for each "
		"partition), or use CR_Core.",
		select);
	return true;
}

bool cs_site_look_cores(const struct cs_slurmconf *c, struct cs_said *said)
{
	char select[VALUE_MAX];

	get_select(c, select, sizeof(select));
	if (has_item(select, "CR_Core") || has_item(select, "CR_Core_Memory"))
		return false;
	cs_said(said,
		"%s%s: Slurm's own test places all jobs, and none shares a "
		"node by the plan. Exact cores need CR_Core or CR_Core_Memory.",
		*select ? "SelectTypeParameters=" : "no SelectTypeParameters",
		select);
	return true;
}

bool cs_site_look_labels(const struct cs_slurmconf *c, struct cs_said *said)
{
	char plugin[VALUE_MAX];

	if (!cs_slurmconf_get(c, "MCSPlugin", plugin, sizeof(plugin)) ||
	    !strcasecmp(plugin, "mcs/none") || !strcasecmp(plugin, "none"))
		return false;
	cs_said(said,
		"MCSPlugin=%s: Slurm's own test places all jobs, and none "
		"shares a node by the plan.",
		plugin);
	return true;
}

bool cs_site_look_part_cores(const char *part, const char *select,
			     struct cs_said *said)
{
	if (!select || !*select || !strcasecmp(select, "NONE") ||
	    has_item(select, "CR_Core") || has_item(select, "CR_Core_Memory"))
		return false;
	cs_said(said,
		"SelectTypeParameters=%s of partition '%s': Slurm's own test "
		"places its jobs, and none shares a node by the plan. Exact "
		"cores need CR_Core or CR_Core_Memory.",
		select, part);
	return true;
}

/* The value of @key in @line, "KEY=VALUE KEY=VALUE...", which is cut behind it; NULL: it
 * is not there. */
static char *word_of(char *line, const char *key)
{
	char *at = strstr(line, key);

	if (!at)
		return NULL;
	at += strlen(key);
	at[strcspn(at, " ")] = '\0';
	return at;
}

void cs_site_look_placing(const struct cs_slurmconf *c,
			  void (*tell)(void *arg, size_t at, const char *text),
			  void *arg)
{
	struct cs_said said = { "" };
	char *text = show_partitions(c), *rest = text;

	if (cs_site_look_cores(c, &said))
		tell(arg, 0, said.text);
	if (cs_site_look_labels(c, &said))
		tell(arg, 0, said.text);
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		/* the last key first: each cuts the line */
		const char *select = word_of(line, " SelectTypeParameters=");
		const char *name = word_of(line, "PartitionName=");

		if (name && cs_site_look_part_cores(name, select, &said))
			tell(arg, 0, said.text);
	}
	free(text);
}

/* Slurm's time limit @text, "[DAYS-]HOURS:MINUTES:SECONDS", in minutes; 0: none, or
 * another text. */
static int64_t limit_min(const char *text)
{
	int64_t days = 0, hours, minutes;
	const char *rest = strchr(text, '-');
	char *end;

	if (rest)
		days = strtoll(text, NULL, 10);
	hours = strtoll(rest ? rest + 1 : text, &end, 10);
	if (*end != ':' || days < 0 || days > DAYS_MOST || hours < 0 ||
	    hours > 24 * DAYS_MOST)
		return 0;
	minutes = strtoll(end + 1, &end, 10);
	return *end == ':' && minutes >= 0 && minutes < 60
		       ? (days * 24 + hours) * 60 + minutes
		       : 0;
}

bool cs_site_look_window(const struct cs_slurmconf *c, int64_t window_s,
			 bool ours, struct cs_said *said)
{
	char *text = show_partitions(c), *rest = text;
	char part[NAME_SHOWN] = "", free_part[NAME_SHOWN] = "";
	int64_t longest = 0;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		/* the last key first: each cuts the line */
		const char *max = word_of(line, " MaxTime=");
		const char *name = word_of(line, "PartitionName=");
		int64_t minutes = max ? limit_min(max) : 0;

		if (name && max && !strcmp(max, "UNLIMITED"))
			snprintf(free_part, sizeof(free_part), "%s", name);
		if (!name || minutes <= longest)
			continue;
		longest = minutes;
		snprintf(part, sizeof(part), "%s", name);
	}
	free(text);
	if (window_s && *free_part)
		cs_said(said,
			"partition '%s' has no MaxTime: a job that waits for "
			"one of more than %lld minutes keeps no nodes",
			free_part, (long long)(window_s / 60));
	if (!window_s || longest * 60 <= window_s)
		return false;
	cs_said(said,
		"planned starts keep nodes for %lld minutes, and partition "
		"'%s' lets jobs run for %lld: a job that waits for one of "
		"these keeps nothing and can be passed for ever. Set "
		"%s=%lld in SchedulerParameters.",
		(long long)(window_s / 60), part, (long long)longest,
		ours || longest > WINDOW_MOST ? PREFIX "horizon_s"
					      : "bf_window",
		(long long)(ours || longest > WINDOW_MOST ? longest * 60
							  : longest));
	return true;
}

static const char *const types[CS_SITE_LOOK_TYPES][2] = {
	{ "SelectType", "select/cons_tres" },
	{ "SchedulerType", "sched/backfill" },
};

const char *cs_site_look_type_key(int i)
{
	return types[i][0];
}

bool cs_site_look_type(const struct cs_slurmconf *c, int i,
		       struct cs_said *said)
{
	char type[VALUE_MAX];

	if (!cs_slurmconf_get(c, types[i][0], type, sizeof(type)) ||
	    !strcasecmp(type, types[i][1]))
		return false;
	cs_said(said,
		"%s=%s: slurmctld loads no plugin of ours by that name, "
		"expected %s (see cosched conf before the change)",
		types[i][0], type, types[i][1]);
	return true;
}

bool cs_site_look_types(const struct cs_slurmconf *c, struct cs_said *said)
{
	for (int i = 0; i < CS_SITE_LOOK_TYPES; i++)
		if (cs_site_look_type(c, i, said))
			return true;
	return false;
}

bool cs_site_look_binding(const struct cs_slurmconf *c, struct cs_said *said)
{
	char task[VALUE_MAX], cores[64];

	if (!cs_slurmconf_get(c, "TaskPlugin", task, sizeof(task)))
		strcpy(task, "task/none");
	if (strcasestr(task, "affinity"))
		return false;
	if (strcasestr(task, "cgroup") &&
	    cs_slurmconf_get(c, "ConstrainCores", cores, sizeof(cores)) &&
	    !strcasecmp(cores, "yes"))
		return false;
	cs_said(said,
		"TaskPlugin=%s: it has neither task/affinity nor task/cgroup "
		"with ConstrainCores=yes (cgroup.conf), so jobs that share a "
		"node are not kept to their cores. Use one of them.",
		task);
	return true;
}

bool cs_site_look_weights(const struct cs_slurmconf *c, struct cs_said *said)
{
	static const char *const keys[] = {
		"PriorityWeightAge",	   "PriorityWeightAssoc",
		"PriorityWeightFairShare", "PriorityWeightJobSize",
		"PriorityWeightPartition", "PriorityWeightQOS",
		"PriorityWeightTRES",
	};
	char v[VALUE_MAX];

	if (!cs_slurmconf_get(c, "PriorityType", v, sizeof(v)) ||
	    strcasecmp(v, "priority/multifactor"))
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!cs_slurmconf_get(c, keys[i], v, sizeof(v)) || !*v ||
		    !strcmp(v, "0"))
			continue;
		cs_said(said,
			"%s=%s counts for nothing: jobs do not go by Slurm's "
			"priority where cosched_order, of this preset, is fcfs, "
			"expansion or work. Add cosched_order=slurm beside "
			"cosched_policy.",
			keys[i], v);
		return true;
	}
	return false;
}

void cs_site_look_keys(const struct cs_slurmconf *c,
		       void (*tell)(void *arg, size_t at, const char *text),
		       void *arg)
{
	char value[VALUE_MAX];

	for (int i = 0; i < CS_HOST_LISTS; i++) {
		const char *name = cs_host_key_name((enum cs_host_list)i);

		if (name && cs_slurmconf_get(c, name, value, sizeof(value)))
			cs_host_key_tell((enum cs_host_list)i, value, PREFIX,
					 tell, arg);
	}
}

static int64_t grace_s(const struct cs_slurmconf *c)
{
	char v[VALUE_MAX];

	return cs_grace_s(cs_slurmconf_get(c, "PreemptParameters", v, sizeof(v))
				  ? v
				  : NULL);
}

bool cs_site_look_slices(const struct cs_slurmconf *c, const char *sched,
			 struct cs_said *said)
{
	struct cs_params p = { 0 };
	char preempt[VALUE_MAX];
	bool wrong = true;

	if (cs_params_parse(&p, CS_HOST_LIVE, sched, PREFIX, NULL))
		return false;
	if (!cs_slice_choose(&p)->stops)
		wrong = false;
	else if (cs_slurmconf_get(c, "PreemptMode", preempt, sizeof(preempt)) &&
		 strcasestr(preempt, "GANG"))
		cs_said(said,
			"PreemptMode=%s: Slurm's gang scheduler resumes what "
			"time slices stop, so mode act is refused: expected "
			"PreemptMode without GANG, or cosched_slice=none",
			preempt);
	else if (grace_s(c) >= p.slice_guard_s)
		cs_said(said,
			"PreemptParameters has suspend_grace_time=%" PRId64
			", in which a stopped job may still run, so mode act "
			"is refused: expected less than "
			"cosched_slice_guard_s (%" PRId64 " s)",
			grace_s(c), p.slice_guard_s);
	else
		wrong = false;
	cs_params_done(&p);
	return wrong;
}

/* ---- our files ----------------------------------------------------------- */

#define OUR_FILES 3
static const char *const our_files[OUR_FILES] = { "select_cons_tres.so",
						  "sched_backfill.so",
						  "libcosched_plan*.so" };

/* Does @dir have @file of ours, which may have a release in its name? */
static bool has_ours(const char *dir, const char *file)
{
	char pattern[PATH_MAX];
	glob_t found;
	bool any;
	int n;

	n = snprintf(pattern, sizeof(pattern), "%s/%s", dir, file);
	if (n < 0 || n >= (int)sizeof(pattern))
		return false;
	any = !glob(pattern, GLOB_NOSORT, NULL, &found);
	globfree(&found);
	return any;
}

bool cs_site_look_has_any(const char *dir)
{
	for (int i = 0; i < OUR_FILES; i++)
		if (has_ours(dir, our_files[i]))
			return true;
	return false;
}

bool cs_site_look_files(const char *dir, struct cs_said *said)
{
	char missing[256] = "";

	for (int i = 0; i < OUR_FILES; i++) {
		size_t n = strlen(missing);

		if (!has_ours(dir, our_files[i]))
			snprintf(missing + n, sizeof(missing) - n, "%s%s",
				 n ? ", " : "", our_files[i]);
	}
	if (!*missing)
		return false;
	cs_said(said,
		"%s on this host lacks %s of ours: install our plugins where "
		"slurmctld runs.",
		dir, missing);
	return true;
}

bool cs_site_look_no_select(const struct cs_slurmconf *c, struct cs_said *said)
{
	uint32_t release;
	char type[VALUE_MAX];

	if (cs_slurmconf_get(c, "SelectType", type, sizeof(type)))
		return false;
	release = cs_site_look_slurm(c);
	if (!release || release > BARE_LAST)
		return false;
	cs_said(said,
		"no SelectType: in Slurm %u.%02u that is select/linear, and "
		"slurmctld loads no plugin of ours by that name, expected "
		"SelectType=select/cons_tres (see cosched conf before the "
		"change)",
		release >> 16, release >> 8 & 255);
	return true;
}

/* ---- where slurmctld finds them ------------------------------------------ */

/* Does @dir, of which @n bytes count, end in our folder's name? */
static bool has_tail(const char *dir, size_t n)
{
	static const char tail[] = "/cosched/slurm";
	size_t t = strlen(tail);

	return n > t && !strncmp(dir + n - t, tail, t);
}

bool cs_site_look_is_release(const char *name)
{
	size_t n = strlen(name);

	return n >= 5 && n <= 11 && strspn(name, "0123456789.") == n &&
	       cs_plugin_file_release_number(name);
}

bool cs_site_look_is_ours(const char *dir, const char *ours)
{
	const char *slash = strrchr(dir, '/');

	return !strcmp(dir, ours) || !strcmp(dir, COSCHED_PLUGINDIR) ||
	       has_tail(dir, strlen(dir)) ||
	       (slash && cs_site_look_is_release(slash + 1) &&
		(has_tail(dir, (size_t)(slash - dir)) ||
		 (strlen(ours) == (size_t)(slash - dir) &&
		  !strncmp(dir, ours, strlen(ours))))) ||
	       has_ours(dir, our_files[OUR_FILES - 1]);
}

/* The first folder in @list that is ours, or has Slurm's plugins; *list moves
 * past it. */
static char *next_that_counts(char **list, const char *ours, bool *ret_ours)
{
	for (char *dir; (dir = strsep(list, ":")) != NULL;) {
		*ret_ours = *dir && cs_site_look_is_ours(dir, ours);
		if (*ret_ours || cs_site_look_holds(dir, our_files[0]) ||
		    cs_site_look_holds(dir, our_files[1]))
			return dir;
	}
	return NULL;
}

/* Is each folder of PluginDir one of ours? */
static bool ours_alone(const struct cs_slurmconf *c, const char *ours)
{
	char value[VALUE_MAX], *rest = value;
	bool any = false;

	if (!cs_slurmconf_get(c, "PluginDir", value, sizeof(value)))
		return false;
	for (char *dir; (dir = strsep(&rest, ":")) != NULL;) {
		if (*dir && !cs_site_look_is_ours(dir, ours))
			return false;
		any |= *dir;
	}
	return any;
}

bool cs_site_look_dir_alone(const struct cs_slurmconf *c, const char *ours,
			    struct cs_said *said)
{
	if (!ours_alone(c, ours))
		return false;
	cs_said(said,
		"PluginDir names our folder alone: without Slurm's own every "
		"Slurm program dies (\"cannot find auth plugin\"). Put Slurm's "
		"behind it, as cosched conf prints it.");
	return true;
}

bool cs_site_look_dir_order(const struct cs_slurmconf *c, const char *ours,
			    struct cs_said *said)
{
	char value[VALUE_MAX], *rest = value, *dir, *first;
	bool is_ours = false;

	if (!cs_slurmconf_get(c, "PluginDir", value, sizeof(value)))
		return false;
	first = dir = next_that_counts(&rest, ours, &is_ours);
	if (is_ours)
		return false;
	while (dir && !is_ours)
		dir = next_that_counts(&rest, ours, &is_ours);
	if (dir)
		cs_said(said,
			"PluginDir names our folder, %s, after %s, so "
			"slurmctld loads Slurm's own plugins. Put ours first, "
			"then restart slurmctld.",
			dir, first);
	return dir != NULL;
}

bool cs_site_look_names_ours(const struct cs_slurmconf *c, const char *ours)
{
	char value[VALUE_MAX], *rest = value;

	if (!cs_slurmconf_get(c, "PluginDir", value, sizeof(value)))
		return false;
	for (char *dir; (dir = strsep(&rest, ":")) != NULL;)
		if (*dir && cs_site_look_is_ours(dir, ours))
			return true;
	return false;
}

static bool hides_ours(const struct cs_slurmconf *c, const char *ours,
		       struct cs_said *said)
{
	char value[VALUE_MAX], *rest = value;
	bool is_ours = false;

	if (!cs_slurmconf_get(c, "PluginDir", value, sizeof(value))) {
		cs_said(said,
			"no PluginDir in %s: slurmctld loads Slurm's own "
			"plugins. Put our folder, %s, first, as cosched conf "
			"prints it, then restart slurmctld.",
			c->source ? c->source : "slurm.conf", ours);
		return true;
	}
	if (cs_site_look_dir_alone(c, ours, said) ||
	    cs_site_look_dir_order(c, ours, said))
		return true;
	if (next_that_counts(&rest, ours, &is_ours) && is_ours)
		return false;
	cs_said(said,
		"PluginDir names no folder of ours, so slurmctld loads "
		"Slurm's own plugins. Put %s first, as cosched conf "
		"prints it, then restart slurmctld.",
		ours);
	return true;
}

/* Does the file that slurmctld has read, @path, have our folder first by now? */
static bool since_mended(const struct cs_slurmconf *c, const char *ours,
			 char *path, size_t size)
{
	struct cs_slurmconf file;
	struct cs_said said = { "" };
	bool mended;

	if (!c->live || !cs_slurmconf_get(c, "SLURM_CONF", path, size) ||
	    cs_slurmconf_file(&file, path))
		return false;
	mended = !hides_ours(&file, ours, &said);
	cs_slurmconf_done(&file);
	return mended;
}

bool cs_site_look_plugin_dir(const struct cs_slurmconf *c, const char *ours,
			     struct cs_said *said)
{
	char path[PATH_MAX];

	if (!hides_ours(c, ours, said))
		return false;
	if (since_mended(c, ours, path, sizeof(path)))
		cs_said(said,
			"%s has our folder first in PluginDir, but slurmctld "
			"began before that. Restart slurmctld.",
			path);
	return true;
}

bool cs_site_look_lacks(const struct cs_slurmconf *c, const char *ours,
			struct cs_said *said)
{
	char value[VALUE_MAX], *rest = value, *dir;
	struct cs_said first = { "" };
	bool is_ours = false;

	if (!cs_slurmconf_get(c, "PluginDir", value, sizeof(value)))
		return false;
	while ((dir = next_that_counts(&rest, ours, &is_ours)) && is_ours) {
		if (!cs_site_look_has_any(dir))
			continue;
		if (!cs_site_look_files(dir, *first.text ? said : &first))
			return false;
	}
	if (*first.text)
		*said = first;
	return *first.text;
}

bool cs_site_look_newer(const struct cs_slurmconf *c, const char *ours,
			time_t since_s)
{
	char value[VALUE_MAX], path[PATH_MAX], *rest = value, *dir;
	bool is_ours = false;
	struct stat st;

	if (!cs_slurmconf_get(c, "PluginDir", value, sizeof(value)))
		return false;
	while ((dir = next_that_counts(&rest, ours, &is_ours)) && is_ours)
		for (int i = 0; i < OUR_FILES - 1; i++) {
			snprintf(path, sizeof(path), "%s/%s", dir,
				 our_files[i]);
			if (!stat(path, &st) && st.st_ctime > since_s)
				return true;
		}
	return false;
}
