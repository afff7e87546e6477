/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched conf: the lines for slurm.conf that install the plugin here, ready to paste,
 * and what this site should know first.  --check: the errors in our keys of a
 * slurm.conf.
 *
 * Everything else is printed as comments.  conf_warn.c has the warnings.
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
#include "common/order/order.h"
#include "conf/conf_check.h"
#include "conf/conf_warn.h"
#include "conf/merge_list.h"
#include "conf/plugin_dirs.h"
#include "conf/site_look.h"
#include "conf/slurm_conf.h"
#include "sim/json_build.h"

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
	"/usr/lib/aarch64-linux-gnu/slurm",
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
	const char *next;     /* release of Slurm to come, or NULL */
	const char *check;    /* a slurm.conf, or NULL */
	char *profiles, *log; /* absolute, or NULL */
	bool json;
};

struct site {
	struct cs_slurmconf conf;
	char ours[VALUE_MAX];	    /* our folders, "DIR:DIR" */
	char plugin_dir[VALUE_MAX]; /* without our folder */
	char sched[VALUE_MAX];	    /* present SchedulerParameters */
};

/* ---- text ---------------------------------------------------------------- */

/* The output: text, or a JSON object being built. */
struct answer {
	bool json;
	struct cs_build o, warnings, lines;
};

/* @text as a comment over as many lines as needed, after "#@title". */
static void comment(const char *title, const char *text)
{
	int used = printf("#%s", title);

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (used > 1 && used + 1 + n > 79) {
			printf("\n");
			used = printf("#");
		}
		used += printf(" %.*s", n, text);
		text += n;
		text += *text == ' ';
	}
	printf("\n");
}

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *fmt, ...)
{
	char text[VALUE_MAX + 1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	comment("", text);
}

static void warn(void *arg, const char *text)
{
	struct answer *to = arg;

	if (to->json)
		cs_build_text(&to->warnings, NULL, text);
	else
		comment(" WARNING:", text);
}

/* A line of slurm.conf, and its reason (NULL: the one above applies). */
static void put_line(struct answer *to, const char *key, const char *value,
		     const char *why)
{
	struct cs_build o;

	if (!to->json) {
		if (why) {
			printf("\n");
			comment("", why);
		}
		printf("%s=%s\n", key, value);
		return;
	}
	o = cs_build_object();
	cs_build_text(&o, "key", key);
	cs_build_text(&o, "value", value);
	if (why)
		cs_build_text(&o, "why", why);
	cs_build_part(&to->lines, NULL, &o);
}

/* ---- the site's present settings ----------------------------------------- */

/* The folders of @list, separated by ':', without ours. */
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

static int learn(struct site *s, const struct wish *w)
{
	if (cs_slurmconf_read(&s->conf, ASK_S))
		return cs_cmd_bad("conf: no memory");
	find_plugin_dir(s, w->plugin_dir);
	if (!cs_plugin_dirs_wanted(&s->conf, w->plugin_dir, w->next, s->ours,
				   sizeof(s->ours)))
		return cs_cmd_bad("conf: too many folders of releases in '%s'",
				  w->plugin_dir);
	if (!*s->plugin_dir)
		return cs_cmd_bad(
			"conf: no folder with Slurm's "
			"select_cons_tres.so here, and no PluginDir from "
			"scontrol, expected Slurm on this host");
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
	return cs_cmd_bad("conf: %s '%s' has a comma, a blank, '\"' or '#', "
			  "which slurm.conf does not allow there",
			  option, value);
}

/* Has the site set it already?  Then it stays, unless an option overrides it. */
static bool given(const struct site *s, const char *key)
{
	return strcasestr(s->sched, key) != NULL;
}

static const char *mode_of(const struct wish *w, const struct site *s)
{
	return w->mode || given(s, PREFIX "mode=") ? w->mode : "shadow";
}

/* Does the site's present order ignore priorities, and is none that it was chosen for?
 */
static bool ignores_priority(const struct site *s)
{
	struct cs_params p = { 0 };
	bool so = !cs_params_parse(&p, CS_HOST_LIVE, s->sched, PREFIX, NULL) &&
		  cs_order_ignores_priority(&p) &&
		  !cs_order_choose(&p)->ranks_as;

	cs_params_done(&p);
	return so;
}

/* The order that preset @policy is made for; NULL: any. */
static const char *own_order(const char *policy)
{
	struct cs_params p = { 0 };
	const char *name = NULL;
	char list[128];

	snprintf(list, sizeof(list), "policy=%s", policy);
	if (!cs_params_parse(&p, CS_HOST_SIM_LIVE, list, "", NULL))
		name = cs_order_choose(&p)->ranks_as;
	cs_params_done(&p);
	return name;
}

/* The papers' presets order jobs by eligible time, which would disable the priorities
 * that a site has set up. */
static const char *order_of(const struct wish *w, const struct site *s)
{
	const char *own = w->policy ? own_order(w->policy) : NULL;

	if (w->policy)
		return own ? own : "slurm";
	return !given(s, PREFIX "order=") && ignores_priority(s) ? "slurm"
								 : NULL;
}

/* A preset with a rule of sites takes Slurm's, where it knows of any. */
static const char *sites_of(const struct wish *w, const struct site *s)
{
	const char *keys = w->policy ? cs_params_preset_keys(w->policy) : NULL;
	char plugin[VALUE_MAX];

	if (!keys || !strstr(keys, "site_rule=") || given(s, PREFIX "sites=") ||
	    !cs_slurmconf_get(&s->conf, "TopologyPlugin", plugin,
			      sizeof(plugin)))
		return NULL;
	return !strcasecmp(plugin, "topology/tree") ||
			       !strcasecmp(plugin, "topology/block")
		       ? "topology"
		       : NULL;
}

static char *our_list(const struct wish *w, const struct site *s)
{
	const struct {
		const char *key, *value;
	} row[] = {
		{ "mode", mode_of(w, s) }, { "order", order_of(w, s) },
		{ "policy", w->policy },   { "profiles", w->profiles },
		{ "log", w->log },	   { "sites", sites_of(w, s) },
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

/* The whole line; *ret becomes the caller's. */
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
		say(INTRO " of the host that runs slurmctld; current values "
			  "are from %s.",
		    s->conf.source);
	else if (s->conf.source)
		say(INTRO ". slurmctld does not answer (%s); current values "
			  "are from %s.",
		    s->conf.why, s->conf.source);
	else
		say(INTRO ". The one in use is unknown (%s).", s->conf.why);
	say("These lines replace those with the same keys (of two, Slurm uses "
	    "the last); then restart slurmctld.");
}

static void put_plugin_dir(struct answer *to, const struct site *s)
{
	char why[2 * VALUE_MAX], value[2 * VALUE_MAX], dirs[VALUE_MAX];
	bool several = strchr(s->ours, ':');

	snprintf(dirs, sizeof(dirs), "%s", s->ours);
	for (char *c = dirs; (c = strchr(c, ':')) != NULL;)
		*c = ' ';
	snprintf(why, sizeof(why),
		 "Our plugins first, then Slurm's own. %s must exist "
		 "on every host that reads this slurm.conf, empty is enough "
		 "(mkdir -p %s), or every Slurm program there dies with "
		 "\"fatal: Unable to process configuration file\".%s",
		 several ? "These folders" : "This folder", dirs,
		 several ? " slurmctld takes the plugins of its own release, "
			   "and logs \"Incompatible Slurm plugin\" for those "
			   "before them."
			 : "");
	snprintf(value, sizeof(value), "%s:%s", s->ours, s->plugin_dir);
	put_line(to, "PluginDir", value, why);
}

static void put_lines(struct answer *to, const struct site *s, const char *list)
{
	char *site = cs_merge_list_without(s->sched, PREFIX);
	char why[1024];

	put_plugin_dir(to, s);
	put_line(to, "SelectType", "select/cons_tres",
		 "Under these names slurmctld loads our plugins; commands and "
		 "slurmd keep using Slurm's.");
	put_line(to, "SchedulerType", "sched/backfill", NULL);
	snprintf(why, sizeof(why),
		 "%scosched_mode: off, Slurm's own scheduler alone; shadow, it "
		 "decides and ours logs what it would have done; act, ours "
		 "decides. scontrol reconfigure applies changes; cosched "
		 "params lists the other keys. This site's priorities count, "
		 "unless cosched_policy=ostrich orders users' campaigns.",
		 site && *site ? "This site's own parameters, with ours "
				 "appended. "
			       : "");
	put_line(to, "SchedulerParameters", list, why);
	free(site);
}

static void add_intro(struct cs_build *o, const struct site *s)
{
	cs_build_flag(o, "live", s->conf.live);
	if (s->conf.source)
		cs_build_text(o, "source", s->conf.source);
	if (!s->conf.live && s->conf.why)
		cs_build_text(o, "why", s->conf.why);
}

static int put_answer(struct answer *to, const struct wish *w,
		      const struct site *s, const char *list)
{
	if (to->json) {
		to->o = cs_build_object();
		to->warnings = cs_build_list();
		to->lines = cs_build_list();
		add_intro(&to->o, s);
	} else {
		print_intro(s);
	}
	cs_confwarn(&(struct cs_confwarn){ &s->conf, s->ours, s->plugin_dir,
					   w->profiles, w->log, warn, to });
	put_lines(to, s, list);
	if (!to->json)
		return CS_EXIT_OK;
	cs_build_part(&to->o, "warnings", &to->warnings);
	cs_build_part(&to->o, "lines", &to->lines);
	if (cs_build_print(&to->o, stdout) == -ENOMEM)
		return cs_cmd_bad("conf: no memory");
	return CS_EXIT_OK;
}

static int print_conf(const struct wish *w)
{
	struct site *s = calloc(1, sizeof(*s));
	struct answer to = { .json = w->json };
	char *list;
	int rc = s ? learn(s, w) : cs_cmd_bad("conf: no memory");

	if (!rc)
		rc = make_list(w, s, &list);
	if (!rc) {
		rc = put_answer(&to, w, s, list);
		free(list);
	}
	if (s)
		cs_slurmconf_done(&s->conf);
	free(s);
	return rc;
}

/* ---- options ------------------------------------------------------------- */

/* The absolute form of @path, which need not exist. */
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
		{ "plugin-dir", 1, NULL, 'd' }, { "next", 1, NULL, 'n' },
		{ "check", 1, NULL, 'c' },	{ "json", 0, NULL, 'j' },
		{ "help", 0, NULL, 'h' },	{ 0 },
	};
	int c;

	while ((c = cs_cmd_getopt(&cs_cmd_conf, argc, argv, options)) != -1) {
		char **path = c == 'f' ? &w->profiles : &w->log;

		if (c == '?')
			return CS_EXIT_USAGE;
		w->json |= c == 'j';
		if (c == 'm')
			w->mode = optarg;
		else if (c == 'p')
			w->policy = optarg;
		else if (c == 'd')
			w->plugin_dir = optarg;
		else if (c == 'n')
			w->next = optarg;
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
			"conf: unexpected argument '%s', expected options only",
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
	if (w->next && !cs_site_look_is_release(w->next))
		return cs_cmd_bad("conf: --next '%s', expected a release of "
				  "Slurm such as 26.05.3",
				  w->next);
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
		rc = w.check ? cs_conf_check(w.check, w.plugin_dir, w.json)
			     : print_conf(&w);
	free(w.profiles);
	free(w.log);
	return rc;
}

const struct cs_cmd cs_cmd_conf = {
	"conf", "[OPTION]...", "Print lines for slurm.conf, or check one.", run,
	"  --check FILE      print only the errors in our keys in this slurm.conf\n"
	"                    and in the files of profiles and sites that they\n"
	"                    name, and lines that Slurm would die of\n"
	"  --mode MODE       off, shadow or act (what slurm.conf has, else shadow)\n"
	"  --policy NAME     a preset\n"
	"  --profiles FILE   the profile file\n"
	"  --log FILE        the event log\n"
	"  --plugin-dir DIR  our plugins' folder (" COSCHED_PLUGINDIR ")\n"
	"  --next RELEASE    the Slurm of the next upgrade: its folder below DIR, too\n"
	"  --json            the lines, or with --check what is wrong, as JSON\n"
	"The lines replace those with the same keys in slurm.conf; all else is "
	"comment.\n"
	"What the site wants, and the policy for it "
	"(doc/admin/policies-for-sites.md):\n"
	"  shorter waits                        balanced, the default\n"
	"  shorter still, priorities ignored    cover+\n"
	"  Slurm's order, better packing        adaptive\n"
	"  users equal by campaign              ostrich\n"
	"  short jobs at once, by time slices   pect\n"
	"  one machine over several switches    multisite+\n"
	"  oversubscribed MPI, gangs in turn    brmms+\n"
};
