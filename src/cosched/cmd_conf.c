/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched conf: the lines for slurm.conf that install the plugin here, ready to
 * paste, and what this site should know before.
 *
 * Everything that is no line for slurm.conf is a comment, so that the whole
 * output can be appended.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "common/params.h"
#include "mergelist.h"
#include "slurmconf.h"

#define ASK_S 10
#define PREFIX "cosched_"
#define VALUE_MAX 8192

#ifndef COSCHED_PLUGINDIR
#define COSCHED_PLUGINDIR "/usr/local/lib/cosched/slurm"
#endif

/* Where distributions and Slurm's own `make install` put the stock plugins. */
static const char *const stock_dirs[] = {
	"/usr/lib/x86_64-linux-gnu/slurm-wlm",
	"/usr/lib/aarch64-linux-gnu/slurm-wlm",
	"/usr/lib/x86_64-linux-gnu/slurm",
	"/usr/lib/slurm-wlm",
	"/usr/lib64/slurm",
	"/usr/lib/slurm",
	"/usr/local/lib/slurm",
	"/usr/local/lib64/slurm",
	"/opt/slurm/lib/slurm",
	"/opt/slurm/lib64/slurm",
};

struct wish {
	const char *mode, *policy, *plugin_dir;
	char *profiles, *log; /* absolute, or NULL */
};

struct site {
	struct cs_slurmconf conf;
	char plugin_dir[VALUE_MAX]; /* the stock part of it */
	char sched[VALUE_MAX];	    /* SchedulerParameters of today */
};

/* ---- words --------------------------------------------------------------- */

static void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A comment of as many lines as it needs. */
static void comment(const char *title, const char *fmt, va_list ap)
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

static void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	comment(" WARNING:", fmt, ap);
	va_end(ap);
}

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	comment("", fmt, ap);
	va_end(ap);
}

/* ---- what the site has --------------------------------------------------- */

static bool holds_file(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && n < (int)sizeof(path) && !access(path, F_OK);
}

/* The folders of @list, ':' between, without @ours. */
static void without_ours(char *list, const char *ours, char *buf, size_t size)
{
	size_t used = 0;

	*buf = '\0';
	for (char *dir; (dir = strsep(&list, ":")) != NULL;) {
		int n;

		if (!*dir || !strcmp(dir, ours))
			continue;
		n = snprintf(buf + used, size - used, "%s%s", used ? ":" : "",
			     dir);
		if (n < 0 || (size_t)n >= size - used)
			break;
		used += (size_t)n;
	}
}

static void find_plugin_dir(struct site *s, const char *ours)
{
	char list[VALUE_MAX];

	if (cs_slurmconf_get(&s->conf, "PluginDir", list, sizeof(list)))
		without_ours(list, ours, s->plugin_dir, sizeof(s->plugin_dir));
	for (size_t i = 0; !*s->plugin_dir &&
			   i < sizeof(stock_dirs) / sizeof(*stock_dirs);
	     i++)
		if (holds_file(stock_dirs[i], "select_cons_tres.so"))
			strcpy(s->plugin_dir, stock_dirs[i]);
}

static int learn(struct site *s, const char *ours)
{
	if (cs_slurmconf_read(&s->conf, ASK_S))
		return cs_bad("conf: no memory");
	find_plugin_dir(s, ours);
	if (!*s->plugin_dir)
		return cs_bad("conf: no folder with Slurm's "
			      "select_cons_tres.so here and scontrol gives no "
			      "PluginDir, expected Slurm on this host");
	if (!cs_slurmconf_get(&s->conf, "SchedulerParameters", s->sched,
			      sizeof(s->sched)))
		*s->sched = '\0';
	return CS_EXIT_OK;
}

/* ---- warnings ------------------------------------------------------------ */

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

static void check_files(const struct wish *w)
{
	struct stat st;
	char *slash, *folder;

	if (!holds_file(w->plugin_dir, "select_cons_tres.so") ||
	    !holds_file(w->plugin_dir, "sched_backfill.so"))
		warn("%s on this host holds no plugins of ours "
		     "(select_cons_tres.so, sched_backfill.so): install them "
		     "where slurmctld runs.",
		     w->plugin_dir);
	if (w->profiles && access(w->profiles, R_OK))
		warn("%s: %s. slurmctld must be able to read it.", w->profiles,
		     strerror(errno));
	folder = w->log ? strdup(w->log) : NULL;
	slash = folder ? strrchr(folder, '/') : NULL;
	if (slash && slash != folder) {
		*slash = '\0';
		if (stat(folder, &st) || !S_ISDIR(st.st_mode))
			warn("%s is no folder here. SlurmUser must be able to "
			     "write there.",
			     folder);
	}
	free(folder);
}

/* ---- our SchedulerParameters --------------------------------------------- */

static int check_value(const char *option, const char *value)
{
	if (!value || !strpbrk(value, ", \t\n\"#"))
		return CS_EXIT_OK;
	return cs_bad("conf: %s '%s' holds a comma, a blank, '\"' or '#', "
		      "which slurm.conf cannot hold there",
		      option, value);
}

static char *our_list(const struct wish *w)
{
	char *list;

	/* a site's users count on the priorities that it set up */
	if (asprintf(&list, PREFIX "mode=%s," PREFIX "order=slurm%s%s%s%s%s%s",
		     w->mode, w->policy ? "," PREFIX "policy=" : "",
		     w->policy ? w->policy : "",
		     w->profiles ? "," PREFIX "profiles=" : "",
		     w->profiles ? w->profiles : "",
		     w->log ? "," PREFIX "log=" : "", w->log ? w->log : "") < 0)
		return NULL;
	return list;
}

/* The whole line; *ret is the caller's. */
static int make_list(const struct wish *w, const struct site *s, char **ret)
{
	struct cs_params params = { 0 };
	struct cs_err err = { "no memory" };
	char *ours = our_list(w);
	char *list = ours ? cs_merge_list(s->sched, ours) : NULL;
	int rc = list ? cs_params_parse(&params, CS_HOST_LIVE, list, PREFIX,
					&err) :
			-ENOMEM;

	free(ours);
	cs_params_done(&params);
	if (rc) {
		free(list);
		return cs_bad("conf: %s", err.text);
	}
	*ret = list;
	return CS_EXIT_OK;
}

/* ---- the output ---------------------------------------------------------- */

#define INTRO "cosched " COSCHED_VERSION ": for slurm.conf"

static void print_intro(const struct site *s)
{
	if (s->conf.live)
		say(INTRO " of the host that runs slurmctld; what is there now "
			  "comes from %s.",
		    s->conf.source);
	else if (s->conf.source)
		say(INTRO ". slurmctld does not answer (%s); what is there now "
			  "comes from %s.",
		    s->conf.why, s->conf.source);
	else
		say(INTRO ". Nothing is known of the one in use (%s).",
		    s->conf.why);
	say("Put these lines in the place of the ones with the same keys (of "
	    "two Slurm uses the last), then restart slurmctld.");
}

static void print_lines(const struct wish *w, const struct site *s,
			const char *list)
{
	char *site = cs_list_without(s->sched, PREFIX);

	printf("\n");
	say("Our plugins first, then Slurm's own. This folder must exist on "
	    "every host that reads this slurm.conf, empty is enough (mkdir -p "
	    "%s): else every Slurm program there dies with \"fatal: Unable to "
	    "process configuration file\".",
	    w->plugin_dir);
	printf("PluginDir=%s:%s\n\n", w->plugin_dir, s->plugin_dir);
	say("Under these names slurmctld loads our plugins; commands and "
	    "slurmd go on with Slurm's.");
	printf("SelectType=select/cons_tres\nSchedulerType=sched/backfill\n\n");
	if (site && *site)
		say("What this site has already, with ours appended.");
	say("cosched_mode: off, Slurm's own scheduler alone; shadow, it "
	    "decides and ours writes to the log what it would have done; act, "
	    "ours decides. Changed by scontrol reconfigure; cosched params lists "
	    "the other keys. cosched_order=slurm keeps this site's priorities; "
	    "without it jobs go by their eligible time.");
	printf("SchedulerParameters=%s\n", list);
	free(site);
}

static int print_conf(const struct wish *w)
{
	struct site *s = calloc(1, sizeof(*s));
	char *list;
	int rc = s ? learn(s, w->plugin_dir) : cs_bad("conf: no memory");

	if (!rc)
		rc = make_list(w, s, &list);
	if (!rc) {
		print_intro(s);
		check_files(w);
		if (s->conf.source) {
			check_memory(&s->conf);
			check_isolation(&s->conf);
		}
		print_lines(w, s, list);
		free(list);
	}
	if (s)
		cs_slurmconf_done(&s->conf);
	free(s);
	return rc;
}

/* ---- options ------------------------------------------------------------- */

/* @path as seen from everywhere; it need not be there. */
static char *absolute(const char *path)
{
	char here[PATH_MAX], *full;

	if (*path == '/' || !getcwd(here, sizeof(here)))
		return strdup(path);
	return asprintf(&full, "%s/%s", here, path) < 0 ? NULL : full;
}

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = {
		{ "mode", 1, NULL, 'm' },     { "policy", 1, NULL, 'p' },
		{ "profiles", 1, NULL, 'f' }, { "log", 1, NULL, 'l' },
		{ "plugin-dir", 1, NULL, 'd' }, { "help", 0, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = cs_getopt(&cs_cmd_conf, argc, argv, options)) != -1) {
		char **path = c == 'f' ? &w->profiles : &w->log;

		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'm')
			w->mode = optarg;
		else if (c == 'p')
			w->policy = optarg;
		else if (c == 'd')
			w->plugin_dir = optarg;
		if (c != 'f' && c != 'l')
			continue;
		free(*path);
		*path = absolute(optarg);
		if (!*path)
			return cs_bad("conf: no memory");
	}
	if (optind < argc)
		return cs_bad("conf: '%s' is too much, expected options only",
			      argv[optind]);
	return CS_EXIT_OK;
}

static int check_options(const struct wish *w)
{
	if (*w->plugin_dir != '/' || strpbrk(w->plugin_dir, ": \t\n\"#"))
		return cs_bad("conf: --plugin-dir '%s', expected an absolute "
			      "path without ':' and blanks",
			      w->plugin_dir);
	if (check_value("--mode", w->mode) ||
	    check_value("--policy", w->policy) ||
	    check_value("--profiles", w->profiles) ||
	    check_value("--log", w->log))
		return CS_EXIT_USAGE;
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct wish w = { .mode = "act", .plugin_dir = COSCHED_PLUGINDIR };
	int rc = read_options(argc, argv, &w);

	if (!rc)
		rc = check_options(&w);
	if (!rc)
		rc = print_conf(&w);
	free(w.profiles);
	free(w.log);
	return rc;
}

const struct cs_cmd cs_cmd_conf = {
	"conf", "[OPTION]...", "Print the lines for slurm.conf.", run,
	"  --mode MODE       off, shadow or act (act)\n"
	"  --policy NAME     a preset\n"
	"  --profiles FILE   the profile file\n"
	"  --log FILE        the event log\n"
	"  --plugin-dir DIR  our plugins' folder (" COSCHED_PLUGINDIR ")\n"
	"The output can be appended to slurm.conf as it is.\n"
};
