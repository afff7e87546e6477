/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched doctor: is everything in place on this host, and does the plugin answer?
 *
 * One line per check; each fault comes with a remedy.  On hosts other than slurmctld's,
 * our folder must exist and may be empty, and the plugin is asked only if
 * cosched_socket names a port.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/json_view.h"
#include "cli/profile_file.h"
#include "common/order/order.h"
#include "common/params/host_number.h"
#include "conf/as_user.h"
#include "conf/merge_list.h"
#include "conf/plugin_dirs.h"
#include "conf/site_look.h"
#include "query/ask_plugin.h"
#include "query/plugin_build.h"
#include "query/plugin_trouble.h"
#include "sim/json_build.h"

#ifndef COSCHED_PLUGINDIR
#define COSCHED_PLUGINDIR "/usr/local/lib/cosched/slurm"
#endif

#define ASK_S 10
#define VALUE_MAX 8192
#define PREFIX "cosched_"

struct visit {
	struct cs_slurmconf conf;
	const char *dir;       /* of ours in PluginDir, the one that counts */
	const char *socket;    /* of --socket, or NULL */
	char sched[VALUE_MAX]; /* SchedulerParameters */
	bool misplaced;	 /* PluginDir lacks our folder, or has it too late */
	bool controller; /* slurmctld runs on this host, as far as can be told */
	struct cs_said said; /* result of the present check */
};

/* ---- the checks: each returns whether all is well, with text in v->said ---- */

static bool slurmctld(struct visit *v)
{
	if (v->conf.live)
		cs_said(&v->said, "answers");
	else
		cs_said(&v->said,
			"does not answer (%s); the rest is based on %s. Start "
			"slurmctld, or look into its log.",
			v->conf.why ? v->conf.why : "?",
			v->conf.source ? v->conf.source : "no slurm.conf");
	return v->conf.live;
}

static bool plugin_dir(struct visit *v)
{
	cs_said(&v->said, "our folder comes first");
	v->misplaced = cs_site_look_plugin_dir(&v->conf, v->dir, &v->said);
	return !v->misplaced;
}

/* Slurm's programs die if a folder is missing. */
static bool folders(struct visit *v)
{
	char list[VALUE_MAX], *rest = list, *dir;

	if (!cs_slurmconf_get(&v->conf, "PluginDir", list, sizeof(list)))
		snprintf(list, sizeof(list), "%s", v->dir);
	while ((dir = strsep(&rest, ":")) != NULL) {
		if (!*dir || cs_site_look_is_folder(dir))
			continue;
		cs_said(&v->said,
			"%s of PluginDir is not a folder on this host, so every "
			"Slurm program here dies. mkdir -p %s; ours may be "
			"empty where slurmctld does not run.",
			dir, dir);
		return false;
	}
	cs_said(&v->said, "all folders of PluginDir are on this host");
	return true;
}

static bool plugins(struct visit *v)
{
	if (!v->controller && !cs_site_look_has_any(v->dir)) {
		cs_said(&v->said,
			"none on this host, and none needed: slurmctld "
			"runs elsewhere");
		return true;
	}
	cs_said(&v->said, "both are in %s", v->dir);
	return !cs_site_look_files(v->dir, &v->said);
}

static bool releases(struct visit *v)
{
	char dirs[VALUE_MAX];

	cs_plugin_dirs(&v->conf, v->dir, dirs, sizeof(dirs));
	return !cs_plugin_dirs_look(&v->conf, dirs, &v->said);
}

static bool types(struct visit *v)
{
	cs_said(&v->said, "select/cons_tres, sched/backfill");
	return !cs_site_look_types(&v->conf, &v->said);
}

static bool configless(struct visit *v)
{
	char value[VALUE_MAX];

	if (cs_slurmconf_get(&v->conf, "SlurmctldParameters", value,
			     sizeof(value)) &&
	    strcasestr(value, "enable_configless"))
		cs_said(&v->said,
			"yes: slurmds get slurm.conf with PluginDir from "
			"slurmctld; our folder must be on each of their hosts");
	else
		cs_said(&v->said, "no: each host has a slurm.conf of its own");
	return true;
}

static bool binding(struct visit *v)
{
	cs_said(&v->said, "jobs are kept to their cores");
	return !cs_site_look_binding(&v->conf, &v->said);
}

static bool memory(struct visit *v)
{
	cs_said(&v->said,
		"jobs without --mem leave some, or memory is not counted");
	return !cs_site_look_memory(&v->conf, &v->said);
}

/* A line for each way in which Slurm's own test places jobs. */
static void cores(struct visit *v,
		  void (*tell)(void *arg, size_t at, const char *text),
		  void *arg)
{
	cs_site_look_placing(&v->conf, tell, arg);
}

/* Slurm's keys: a line each that mode act does not honour. */
static void keys(struct visit *v,
		 void (*tell)(void *arg, size_t at, const char *text),
		 void *arg)
{
	cs_site_look_keys(&v->conf, tell, arg);
}

static bool parameters(struct visit *v)
{
	struct cs_params p = { 0 };
	struct cs_err err = { "no memory" };

	if (cs_params_parse(&p, CS_HOST_LIVE, v->sched, PREFIX, &err)) {
		cs_said(&v->said,
			"%s. cosched conf --check SLURM_CONF has all errors; "
			"fix them, then scontrol reconfigure.",
			err.text);
		return false;
	}
	cs_said(&v->said, "all are good");
	cs_params_done(&p);
	return !cs_site_look_slices(&v->conf, v->sched, &v->said);
}

/* Which policy is in force?  Adaptive spreads what profiles say suits, and loses by it where
 * nodes are always in demand. */
static bool policy(struct visit *v)
{
	char name[VALUE_MAX], file[VALUE_MAX];

	if (!cs_merge_list_get(v->sched, PREFIX "policy", name, sizeof(name))) {
		cs_said(&v->said,
			"%s, as none is set; before, that was " PREFIX
			"policy=adaptive",
			cs_params_default_policy(CS_HOST_LIVE));
		return true;
	}
	cs_said(&v->said, "%s", name);
	if (strcmp(name, "adaptive") ||
	    !cs_merge_list_get(v->sched, PREFIX "profiles", file, sizeof(file)))
		return true;
	cs_said(&v->said,
		"adaptive with a profile file loses against whole nodes where "
		"nodes are always in demand, up to four times. Expected %s or "
		"cover.",
		cs_params_default_policy(CS_HOST_LIVE));
	return false;
}

/* How far ahead is planned? */
static bool window(struct visit *v)
{
	struct cs_params p = { 0 };
	int64_t window_s = 0;
	bool ours = false;

	if (!cs_params_parse(&p, CS_HOST_LIVE, v->sched, PREFIX, NULL)) {
		ours = p.horizon_s >= 0;
		cs_host_number_take(&p, v->sched);
		window_s = p.horizon_s;
	}
	cs_params_done(&p);
	cs_said(&v->said, "no partition's MaxTime is beyond what is planned");
	return !cs_site_look_window(&v->conf, window_s, ours, &v->said);
}

static bool priorities(struct visit *v)
{
	struct cs_params p = { 0 };
	bool fcfs =
		!cs_params_parse(&p, CS_HOST_LIVE, v->sched, PREFIX, NULL) &&
		cs_order_ignores_priority(&p);

	cs_params_done(&p);
	cs_said(&v->said, "what this site weighs counts, or it weighs nothing");
	return !fcfs || !cs_site_look_weights(&v->conf, &v->said);
}

static bool profiles(struct visit *v)
{
	struct cs_profiles *profiles = NULL;
	struct cs_err err = { "no memory" };
	struct cs_asuser u;
	const char *what;
	char file[VALUE_MAX];
	int rc;

	cs_said(&v->said, "none is named");
	if (!cs_merge_list_get(v->sched, PREFIX "profiles", file,
			       sizeof(file)) ||
	    *file != '/') /* the parameters' check has told any other */
		return true;
	cs_said(&v->said, "slurmctld reads %s on its host", file);
	if (!v->controller)
		return true;
	what = cs_site_look_no_file(file);
	if (what) {
		cs_said(&v->said,
			"%s is %s, expected a file. Fix it, then scontrol "
			"reconfigure.",
			file, what);
		return false;
	}
	cs_asuser_init(&u, &v->conf);
	rc = cs_profile_file_read(file, &profiles, &err);
	cs_profiles_free(profiles);
	if (rc) {
		cs_said(&v->said, "%s. Fix it, then scontrol reconfigure.",
			err.text);
		return false;
	}
	rc = cs_asuser_access(&u, file, R_OK);
	if (rc)
		cs_said(&v->said,
			"%s: SlurmUser (%s) cannot read it: %s. Make "
			"it readable.",
			file, u.name, strerror(-rc));
	else
		cs_said(&v->said, "%s", file);
	return !rc;
}

static void add_trouble(void *arg, const char *text)
{
	struct cs_said *said = arg;
	size_t n = strlen(said->text);

	snprintf(said->text + n, sizeof(said->text) - n, "%s%s", n ? "; " : "",
		 text);
}

/* The plugin's own account. */
static bool judge(struct visit *v, struct json_object *o)
{
	char builds[512];
	bool differs;

	v->said.text[0] = '\0';
	if (cs_plugin_trouble(o, add_trouble, &v->said))
		return false;
	differs = cs_plugin_build_differs(o, builds, sizeof(builds));
	cs_said(&v->said, "answers at '%s': mode %s%s%s",
		cs_json_view_text(o, "socket"), cs_json_view_text(o, "mode"),
		differs ? "; " : "", differs ? builds : "");
	return true;
}

static bool socket_asked(struct visit *v)
{
	struct json_object *answer;
	struct cs_err err;
	static const struct cs_wire_question status = { .cmd = "status",
							.task = UINT32_MAX };
	char set[VALUE_MAX] = "";
	bool well;
	int rc;

	cs_merge_list_get(v->sched, PREFIX "socket", set, sizeof(set));
	if (!v->controller && !v->socket && (!*set || *set == '/')) {
		cs_said(&v->said, "not asked: slurmctld runs elsewhere, and "
				  "cosched_socket names no port");
		return true;
	}
	rc = cs_ask_plugin(v->socket, &status, &answer, &err);
	if (rc == -EACCES) {
		cs_said(&v->said, "not known: %s", err.text);
		return true;
	}
	if (rc) {
		cs_said(&v->said, "%s",
			v->misplaced ? "does not answer: see PluginDir"
				     : err.text);
		return false;
	}
	well = judge(v, answer);
	json_object_put(answer);
	return well;
}

static const struct {
	const char *name;
	bool (*well)(struct visit *v);
	bool bare;  /* runs even if no slurm.conf is known */
	bool warns; /* the site's choice, of which status and conf warn */
	/* instead of well(): tells of each thing to warn of */
	void (*each)(struct visit *v,
		     void (*tell)(void *arg, size_t at, const char *text),
		     void *arg);
	const char *none; /* if there is no such thing */
} checks[] = {
	{ "slurmctld", slurmctld, true, false, NULL, NULL },
	{ "PluginDir", plugin_dir, false, false, NULL, NULL },
	{ "folders", folders, true, false, NULL, NULL },
	{ "plugins", plugins, true, false, NULL, NULL },
	{ "release", releases, true, false, NULL, NULL },
	{ "types", types, false, false, NULL, NULL },
	{ "configless", configless, false, false, NULL, NULL },
	{ "TaskPlugin", binding, false, true, NULL, NULL },
	{ "memory", memory, false, true, NULL, NULL },
	{ "cores", NULL, false, true, cores, "jobs get cores" },
	{ "settings", NULL, false, true, keys,
	  "mode act honours what is set of Slurm's own keys" },
	{ "parameters", parameters, false, false, NULL, NULL },
	{ "policy", policy, false, true, NULL, NULL },
	{ "bf_window", window, false, true, NULL, NULL },
	{ "priorities", priorities, false, true, NULL, NULL },
	{ "profiles", profiles, false, false, NULL, NULL },
	{ "plugin", socket_asked, true, false, NULL, NULL },
};

/* ---- running the checks -------------------------------------------------- */

/* Judged by the names in SlurmctldHost, the backups' too; if no slurmctld answers, by
 * whether our plugins are here. */
static bool is_controller(const struct visit *v)
{
	char key[32] = "SlurmctldHost", host[256], here[256] = "";
	size_t n;

	if (!v->conf.live)
		return cs_site_look_has_any(v->dir);
	gethostname(here, sizeof(here) - 1);
	n = strcspn(here, ".");
	for (int i = 1; cs_slurmconf_get(&v->conf, key, host, sizeof(host));
	     i++) {
		host[strcspn(host, "(.")] = '\0';
		if (!strcmp(host, "localhost") ||
		    (strlen(host) == n && !strncasecmp(host, here, n)))
			return true;
		snprintf(key, sizeof(key), "SlurmctldHost[%d]", i);
	}
	return cs_site_look_has_any(v->dir);
}

static void add_json(struct cs_build *list, const char *name, bool well,
		     bool warning, const char *text)
{
	struct cs_build o = cs_build_object();

	cs_build_text(&o, "check", name);
	cs_build_flag(&o, "ok", well);
	cs_build_flag(&o, "warning", warning);
	cs_build_text(&o, "text", text);
	cs_build_part(list, NULL, &o);
}

static int print_json(struct cs_build *list, bool all_well)
{
	struct cs_build all = cs_build_object();

	cs_build_flag(&all, "ok", all_well);
	cs_build_part(&all, "checks", list);
	if (cs_build_print(&all, stdout) == -ENOMEM)
		return cs_cmd_bad("doctor: no memory");
	return CS_EXIT_OK;
}

/* What has been found so far. */
struct round {
	struct visit *v;
	bool json, all_well;
	struct cs_build list;
	size_t check; /* the one at hand */
	unsigned told;
};

/* The line in v->said of the check at hand. */
static void put(struct round *r, bool well, bool warning)
{
	const char *name = checks[r->check].name;
	char *text = r->v->said.text;

	r->all_well &= well;
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	if (r->json)
		add_json(&r->list, name, well, warning, text);
	else
		printf("%-5s %-10s  %s\n",
		       warning ? "warn"
		       : well  ? "ok"
			       : "wrong",
		       name, text);
}

static void put_each(void *arg, size_t at, const char *text)
{
	struct round *r = arg;

	(void)at;
	r->told++;
	cs_said(&r->v->said, "%s", text);
	put(r, true, true);
}

/* The check at hand. */
static void look(struct round *r)
{
	struct visit *v = r->v;
	size_t i = r->check;
	bool well;

	if (!checks[i].each) {
		well = checks[i].well(v);
		put(r, well || checks[i].warns, !well && checks[i].warns);
		return;
	}
	r->told = 0;
	checks[i].each(v, put_each, r);
	if (r->told)
		return;
	cs_said(&v->said, "%s", checks[i].none);
	put(r, true, false);
}

static int look_round(struct visit *v, bool json)
{
	struct round r = { .v = v, .json = json, .all_well = true };
	int rc = CS_EXIT_OK;

	r.list = cs_build_list();
	for (; r.check < sizeof(checks) / sizeof(checks[0]); r.check++)
		if (v->conf.source || checks[r.check].bare)
			look(&r);
	if (json)
		rc = print_json(&r.list, r.all_well);
	else
		json_object_put(cs_build_take(&r.list));
	return rc ? rc : r.all_well ? CS_EXIT_OK : CS_EXIT_NO;
}

static int visit(struct visit *v, bool json)
{
	char list[VALUE_MAX];
	int rc;

	if (cs_slurmconf_read(&v->conf, ASK_S))
		return cs_cmd_bad("doctor: no memory");
	if (!cs_slurmconf_get(&v->conf, "SchedulerParameters", v->sched,
			      sizeof(v->sched)))
		*v->sched = '\0';
	cs_plugin_dirs(&v->conf, COSCHED_PLUGINDIR, list, sizeof(list));
	cs_plugin_dirs_choose(&v->conf, list);
	v->dir = list;
	v->controller = is_controller(v);
	rc = look_round(v, json);
	cs_slurmconf_done(&v->conf);
	return rc;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = { { "json", 0, NULL, 'j' },
						 { "socket", 1, NULL, 's' },
						 { "help", 0, NULL, 'h' },
						 { 0 } };
	struct visit *v;
	const char *socket = NULL;
	bool json = false;
	int c, rc;

	while ((c = cs_cmd_getopt(&cs_cmd_doctor, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		json |= c == 'j';
		socket = c == 's' ? optarg : socket;
	}
	if (optind < argc)
		return cs_cmd_bad(
			"doctor: unexpected argument '%s', expected options only",
			argv[optind]);
	v = calloc(1, sizeof(*v));
	if (!v)
		return cs_cmd_bad("doctor: no memory");
	v->socket = socket;
	rc = visit(v, json);
	free(v);
	return rc;
}

const struct cs_cmd cs_cmd_doctor = {
	"doctor", "[OPTION]...", "Say whether all is in place on this host.",
	run,
	"  --json         {\"ok\":..., \"checks\":[{\"check\", \"ok\", \"warning\", \"text\"}...]}\n"
	"  --socket ADDR  where the plugin listens: a path, a port or HOST:PORT\n"
	"                 (as scontrol show config says)\n"
	"One line per check: ok, or wrong with what, where and what to do; warn: "
	"the site's\nchoice, which makes sharing worse or useless.  Exit status 1 "
	"if something is wrong.\n"
};
