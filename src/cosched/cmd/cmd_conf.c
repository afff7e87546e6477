/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched conf: the lines for slurm.conf that install the plugin here, ready to
 * paste, and what this site should know before.  --check: what is wrong with ours
 * in a slurm.conf.
 *
 * Everything that is no line for slurm.conf is a comment.  conf_warn.c has the
 * warnings.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "common/params/params.h"
#include "conf/conf_check.h"
#include "conf/conf_warn.h"
#include "conf/merge_list.h"
#include "conf/site_look.h"
#include "conf/slurm_conf.h"

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
	const char *check;    /* a slurm.conf, or NULL */
	char *profiles, *log; /* absolute, or NULL */
};

struct site {
	struct cs_slurmconf conf;
	char plugin_dir[VALUE_MAX]; /* the stock part of it */
	char sched[VALUE_MAX];	    /* SchedulerParameters of today */
};

/* ---- words --------------------------------------------------------------- */

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cs_conf_comment("", fmt, ap);
	va_end(ap);
}

/* ---- what the site has --------------------------------------------------- */

/* The folders of @list, ':' between, without ours. */
static void without_ours(char *list, const char *ours, char *buf, size_t size)
{
	size_t used = 0;

	*buf = '\0';
	for (char *dir; (dir = strsep(&list, ":")) != NULL;) {
		int n;

		if (!*dir || cs_site_look_is_ours(dir, ours))
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
	for (size_t i = 0;
	     !*s->plugin_dir && i < sizeof(stock_dirs) / sizeof(*stock_dirs);
	     i++)
		if (cs_site_look_holds(stock_dirs[i], "select_cons_tres.so"))
			strcpy(s->plugin_dir, stock_dirs[i]);
}

static int learn(struct site *s, const char *ours)
{
	if (cs_slurmconf_read(&s->conf, ASK_S))
		return cs_cmd_bad("conf: no memory");
	find_plugin_dir(s, ours);
	if (!*s->plugin_dir)
		return cs_cmd_bad(
			"conf: no folder with Slurm's "
			"select_cons_tres.so here and scontrol gives no "
			"PluginDir, expected Slurm on this host");
	if (!cs_slurmconf_get(&s->conf, "SchedulerParameters", s->sched,
			      sizeof(s->sched)))
		*s->sched = '\0';
	return CS_EXIT_OK;
}

/* ---- our SchedulerParameters --------------------------------------------- */

static int check_value(const char *option, const char *value)
{
	if (!value || !strpbrk(value, ", \t\n\"#"))
		return CS_EXIT_OK;
	return cs_cmd_bad("conf: %s '%s' holds a comma, a blank, '\"' or '#', "
			  "which slurm.conf cannot hold there",
			  option, value);
}

/* Has the site given it already?  Then it stays, unless an option says more. */
static bool given(const struct site *s, const char *key)
{
	return strcasestr(s->sched, key) != NULL;
}

static const char *mode_of(const struct wish *w, const struct site *s)
{
	return w->mode || given(s, PREFIX "mode=") ? w->mode : "shadow";
}

/* Would jobs go by their eligible time by what the site has? */
static bool is_fcfs(const struct site *s)
{
	struct cs_params p = { 0 };
	bool fcfs =
		!cs_params_parse(&p, CS_HOST_LIVE, s->sched, PREFIX, NULL) &&
		p.order == CS_ORDER_FCFS;

	cs_params_done(&p);
	return fcfs;
}

/* Presets of papers go by eligible time: the priorities that a site set up would
 * not count. */
static const char *order_of(const struct wish *w, const struct site *s)
{
	if (w->policy)
		return strncmp(w->policy, "ostrich", 7) ? "slurm" : "ostrich";
	return !given(s, PREFIX "order=") && is_fcfs(s) ? "slurm" : NULL;
}

static char *our_list(const struct wish *w, const struct site *s)
{
	const struct {
		const char *key, *value;
	} row[] = {
		{ "mode", mode_of(w, s) }, { "order", order_of(w, s) },
		{ "policy", w->policy },   { "profiles", w->profiles },
		{ "log", w->log },
	};
	char *list = strdup("");

	for (size_t i = 0; list && i < sizeof(row) / sizeof(row[0]); i++) {
		char *more = NULL;

		if (!row[i].value)
			continue;
		if (asprintf(&more, "%s%s" PREFIX "%s=%s", list,
			     *list ? "," : "", row[i].key, row[i].value) < 0)
			more = NULL;
		free(list);
		list = more;
	}
	return list;
}

/* The whole line; *ret is the caller's. */
static int make_list(const struct wish *w, const struct site *s, char **ret)
{
	struct cs_params params = { 0 };
	struct cs_err err = { "no memory" };
	char *ours = our_list(w, s);
	char *list = ours ? cs_merge_list(s->sched, ours) : NULL;
	int rc = list ? cs_params_parse(&params, CS_HOST_LIVE, list, PREFIX,
					&err)
		      : -ENOMEM;

	free(ours);
	cs_params_done(&params);
	if (rc) {
		free(list);
		return cs_cmd_bad("conf: %s", err.text);
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
	char *site = cs_merge_list_without(s->sched, PREFIX);

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
	    "the other keys. This site's priorities count, unless "
	    "cosched_policy=ostrich gives users' campaigns their turns.");
	printf("SchedulerParameters=%s\n", list);
	free(site);
}

static int print_conf(const struct wish *w)
{
	struct site *s = calloc(1, sizeof(*s));
	char *list;
	int rc = s ? learn(s, w->plugin_dir) : cs_cmd_bad("conf: no memory");

	if (!rc)
		rc = make_list(w, s, &list);
	if (!rc) {
		print_intro(s);
		cs_confwarn(&(struct cs_confwarn){ &s->conf, w->plugin_dir,
						   s->plugin_dir, w->profiles,
						   w->log });
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
		{ "mode", 1, NULL, 'm' },	{ "policy", 1, NULL, 'p' },
		{ "profiles", 1, NULL, 'f' },	{ "log", 1, NULL, 'l' },
		{ "plugin-dir", 1, NULL, 'd' }, { "check", 1, NULL, 'c' },
		{ "help", 0, NULL, 'h' },	{ 0 },
	};
	int c;

	while ((c = cs_cmd_getopt(&cs_cmd_conf, argc, argv, options)) != -1) {
		char **path = c == 'f' ? &w->profiles : &w->log;

		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'm')
			w->mode = optarg;
		else if (c == 'p')
			w->policy = optarg;
		else if (c == 'd')
			w->plugin_dir = optarg;
		else if (c == 'c')
			w->check = optarg;
		if (c != 'f' && c != 'l')
			continue;
		free(*path);
		*path = absolute(optarg);
		if (!*path)
			return cs_cmd_bad("conf: no memory");
	}
	if (optind < argc)
		return cs_cmd_bad(
			"conf: '%s' is too much, expected options only",
			argv[optind]);
	return CS_EXIT_OK;
}

static int check_options(const struct wish *w)
{
	if (*w->plugin_dir != '/' || strpbrk(w->plugin_dir, ": \t\n\"#"))
		return cs_cmd_bad(
			"conf: --plugin-dir '%s', expected an absolute "
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
	struct wish w = { .plugin_dir = COSCHED_PLUGINDIR };
	int rc = read_options(argc, argv, &w);

	if (!rc)
		rc = check_options(&w);
	if (!rc)
		rc = w.check ? cs_conf_check(w.check) : print_conf(&w);
	free(w.profiles);
	free(w.log);
	return rc;
}

const struct cs_cmd cs_cmd_conf = {
	"conf", "[OPTION]...", "Print the lines for slurm.conf, or check one.",
	run,
	"  --check FILE      print nothing but what is wrong with our keys in this\n"
	"                    slurm.conf, and with the profile file that they name\n"
	"  --mode MODE       off, shadow or act (what slurm.conf has, else shadow)\n"
	"  --policy NAME     a preset\n"
	"  --profiles FILE   the profile file\n"
	"  --log FILE        the event log\n"
	"  --plugin-dir DIR  our plugins' folder (" COSCHED_PLUGINDIR ")\n"
	"Put the lines in the place of those with the same keys in slurm.conf; all "
	"else is\ncomment.\n"
};
