/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_check.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/profile_file.h"
#include "common/params/host_key.h"
#include "common/params/params.h"
#include "conf/as_user.h"
#include "conf/conf_lines.h"
#include "conf/conf_sites.h"
#include "conf/merge_list.h"
#include "conf/part_modes.h"
#include "conf/site_look.h"
#include "conf/slurm_conf.h"
#include "sim/json_build.h"

#define PREFIX "cosched_"
#define SHOWN_MAX 100 /* errors; remarks on old names */
#define VALUE_MAX 8192

/* What our keys need beside them, to count. */
static const char *const kept[] = {
	"PluginDir",	     "SelectType",	    "SelectTypeParameters",
	"SchedulerType",     "SlurmctldPort",	    "TopologyPlugin",
	"PreemptParameters", "SlurmctldParameters", "TopologyParam",
	"MCSPlugin"
};
#define KEPT (sizeof(kept) / sizeof(kept[0]))

/* The SchedulerParameters in force: the last. */
struct sched {
	char *file, *value;
	unsigned *line; /* of each byte of the value, and of its end */
	unsigned first; /* of its key */
};

struct check {
	const char *path;
	const char *ours; /* our folder */
	struct sched sched;
	int errors, old_names;
	char profiles[CS_PATH_MAX]; /* the file at hand */
	struct cs_slurmconf site;   /* of its lines, those of kept[] */
	struct {
		char *file; /* NULL: there is none */
		unsigned line;
	} at[KEPT]; /* the last of each */
	struct cs_confparts parts;
	bool parts_known; /* no file with more of them is missing */
	bool whole; /* it names slurmctld's host: no part of a slurm.conf */
	bool nomem;
	bool json;
	struct cs_build list; /* of the errors, where it is */
};

/* Remarks on keys of @list, in @file. */
struct remark {
	const struct check *c;
	enum cs_host_list list;
	const char *file;
};

/* ---- messages ------------------------------------------------------------ */

/* One line; users' bytes that a terminal would obey become '?'. */
static void print_error(struct check *c, const char *file, unsigned line,
			const char *text)
{
	char *all = NULL;
	int n = line ? asprintf(&all, "%s:%u: %s", file, line, text)
		     : asprintf(&all, "%s", text);

	if (n < 0) {
		c->nomem = true;
		return;
	}
	for (char *b = all; *b; b++)
		if ((unsigned char)*b < ' ' || *b == 127)
			*b = '?';
	printf("%s\n", all);
	free(all);
}

/* @line 0: @text says it all. */
static void say(struct check *c, const char *file, unsigned line,
		const char *text)
{
	struct cs_build o;

	if (c->errors++ >= SHOWN_MAX)
		return;
	if (!c->json) {
		print_error(c, file, line, text);
		return;
	}
	o = cs_build_object();
	if (line) {
		cs_build_text(&o, "file", file);
		cs_build_count(&o, "line", line);
	}
	cs_build_message(&o, text);
	cs_build_part(&c->list, NULL, &o);
}

static void tell_param(void *arg, size_t at, const char *text)
{
	struct check *c = arg;

	say(c, c->sched.file, c->sched.line[at], text);
}

/* Not an error: a remark beside the verdict. */
static void tell_old_name(void *arg, size_t at, const char *text)
{
	struct check *c = arg;

	if (c->old_names++ >= SHOWN_MAX)
		return;
	fprintf(stderr, "%s:%u: %s\n", c->sched.file, c->sched.line[at], text);
}

/* Where the value of @key stands in SchedulerParameters; NULL: nowhere. */
static const char *value_of(const struct check *c, const char *key)
{
	size_t n = strlen(key);
	const char *at = c->sched.value;

	for (; at; at = strchr(at, ',')) {
		at += strspn(at, ", \t");
		if (!strncmp(at, key, n) && at[n] == '=')
			return at + n + 1;
	}
	return NULL;
}

/* The line where the value of @key stands. */
static unsigned line_of_key(const struct check *c, const char *key)
{
	const char *value = value_of(c, key);

	return value ? c->sched.line[value - c->sched.value] : c->sched.first;
}

/* What is wrong with the value of @key. */
static void say_of_key(struct check *c, const char *key, const char *text)
{
	char all[CS_PATH_MAX + 512];

	snprintf(all, sizeof(all), "%s: %s", key, text);
	say(c, c->sched.file, line_of_key(c, key), all);
}

/* Where kept[i] is @key; @key is one of them. */
static size_t kept_index(const char *key)
{
	size_t i = 0;

	while (i + 1 < KEPT && strcmp(key, kept[i]))
		i++;
	return i;
}

/* What is wrong with @key, one of kept[], or with a file without it. */
static void say_of_kept(struct check *c, const char *key, const char *text)
{
	size_t i = kept_index(key);
	char all[CS_PATH_MAX + CS_SAID_MAX];

	if (c->at[i].file) {
		say(c, c->at[i].file, c->at[i].line, text);
		return;
	}
	snprintf(all, sizeof(all), "%s: %s", c->path, text);
	say(c, "", 0, all);
}

/* Is @path, the value of @key, where the caller may not look?  That is no error: root and
 * SlurmUser may. */
static bool hidden(struct check *c, const char *key, const char *path, int mode)
{
	if (!access(path, mode) || errno != EACCES || !geteuid())
		return false;
	fprintf(stderr,
		"%s:%u: %s: not checked, you may not look at '%s': ask as root "
		"or SlurmUser\n",
		c->sched.file, line_of_key(c, key), key, path);
	return true;
}

/* @text: "FILE:LINE: what", or without a line what is wrong with all of it. */
static void tell_profile(void *arg, const char *text)
{
	struct check *c = arg;
	size_t n = strlen(c->profiles);
	unsigned line;
	int at = 0;

	if (!strncmp(text, c->profiles, n) &&
	    sscanf(text + n, ":%u: %n", &line, &at) == 1 && at)
		say(c, c->profiles, line, text + n + at);
	else
		say_of_key(c, PREFIX "profiles", text);
}

/* ---- slurm.conf ---------------------------------------------------------- */

/* Why a file cannot be read. */
static const char *why(int rc)
{
	return rc == -EINVAL ? "no regular file" : strerror(-rc);
}

static void sched_done(struct sched *s)
{
	free(s->file);
	free(s->value);
	free(s->line);
	memset(s, 0, sizeof(*s));
}

/* An earlier one no longer counts. */
static void replaced(struct check *c, const struct cs_confpair *p)
{
	char text[256];

	if (!c->sched.value || !strcasestr(c->sched.value, PREFIX))
		return;
	snprintf(text, sizeof(text),
		 "SchedulerParameters is in line %u of %.100s too, and Slurm "
		 "uses only the last: expected one, with the keys of both",
		 p->key_line, p->file);
	say(c, c->sched.file, c->sched.first, text);
}

static void keep_at(struct check *c, size_t i, const struct cs_confpair *p)
{
	size_t n = strlen(p->key) + strlen(p->value) + 2;
	char *text = realloc(c->site.text, c->site.len + n);

	free(c->at[i].file);
	c->at[i].file = strdup(p->file);
	c->at[i].line = p->key_line;
	c->nomem |= !text || !c->at[i].file;
	if (!text)
		return;
	sprintf(text + c->site.len, "%s=%s", p->key, p->value);
	c->site.text = text;
	c->site.len += n;
}

static void keep(struct check *c, const struct cs_confpair *p)
{
	for (size_t i = 0; i < KEPT; i++)
		if (!p->more && !strcasecmp(p->key, kept[i]))
			keep_at(c, i, p);
}

static int take(void *arg, const struct cs_confpair *p)
{
	struct check *c = arg;
	size_t n = strlen(p->value) + 1;
	char text[256];

	if (!strncasecmp(p->key, "cosched", strlen("cosched"))) {
		snprintf(
			text, sizeof(text),
			"'%.60s' is no key of slurm.conf, and Slurm would die: "
			"expected it in SchedulerParameters=...",
			p->key);
		say(c, p->file, p->key_line, text);
	}
	c->nomem |= cs_conf_parts_take(&c->parts, p) != 0;
	c->whole |= !strcasecmp(p->key, "SlurmctldHost") ||
		    !strcasecmp(p->key, "ControlMachine");
	keep(c, p);
	if (strcasecmp(p->key, "SchedulerParameters"))
		return c->nomem ? -ENOMEM : 0;
	replaced(c, p);
	sched_done(&c->sched);
	c->sched.file = strdup(p->file);
	c->sched.value = strdup(p->value);
	c->sched.line = malloc(n * sizeof(*c->sched.line));
	c->sched.first = p->key_line;
	c->nomem |= !c->sched.file || !c->sched.value || !c->sched.line;
	if (c->nomem)
		return -ENOMEM;
	memcpy(c->sched.line, p->line, n * sizeof(*c->sched.line));
	return 0;
}

static void missing(void *arg, const char *file, unsigned line,
		    const char *name, int rc)
{
	struct check *c = arg;
	char text[512];

	c->parts_known = false;
	if (!rc)
		return;
	snprintf(text, sizeof(text), "Include %.300s: %s", name, why(rc));
	say(arg, file, line, text);
}

static void refused(void *arg, const char *text)
{
	struct check *c = arg;
	char all[CS_PATH_MAX + 512];

	snprintf(all, sizeof(all),
		 "%s: Slurm refuses it, and would die: %.300s", c->path, text);
	say(c, "", 0, all);
}

static void broken(void *arg, const char *file, unsigned line, const char *text)
{
	say(arg, file, line, text);
}

/* ---- files it names ------------------------------------------------------ */

/* Is @path, the value of @key, there, and not a file?  Said so. */
static bool no_file(struct check *c, const char *key, const char *path)
{
	const char *what = cs_site_look_no_file(path);
	char text[CS_PATH_MAX + 64];

	if (!what)
		return false;
	snprintf(text, sizeof(text), "'%s' is %s, expected a file", path, what);
	say_of_key(c, key, text);
	return true;
}

/* Root can read files that slurmctld, as SlurmUser, may not. */
static void check_access(struct check *c, const char *path, const char *key,
			 const char *file)
{
	struct cs_slurmconf conf;
	struct cs_asuser u;
	char text[CS_PATH_MAX + 256];
	int rc;

	if (cs_slurmconf_file(&conf, path))
		return;
	cs_asuser_init(&u, &conf);
	rc = u.other ? cs_asuser_access(&u, file, R_OK) : 0;
	cs_slurmconf_done(&conf);
	if (!rc)
		return;
	snprintf(text, sizeof(text), "%s: SlurmUser (%s) cannot read it: %s",
		 file, u.name, strerror(-rc));
	say_of_key(c, key, text);
}

/* Why the event log @file cannot be written, in @ret; false: it can. */
static bool log_wrong(const char *path, const char *file, char *ret,
		      size_t size)
{
	const char *slash = strrchr(file, '/');
	struct cs_slurmconf conf;
	struct cs_asuser u;
	char folder[CS_PATH_MAX];
	int rc = 0;

	snprintf(folder, sizeof(folder), "%.*s",
		 slash == file ? 1 : (int)(slash - file), file);
	if (!cs_site_look_is_folder(folder)) {
		snprintf(ret, size,
			 "'%s' is no folder, expected one where SlurmUser may "
			 "write",
			 folder);
		return true;
	}
	if (cs_slurmconf_file(&conf, path))
		return false;
	cs_asuser_init(&u, &conf);
	if (u.other) {
		rc = cs_asuser_access(&u, folder, W_OK | X_OK);
		if (!rc)
			rc = cs_asuser_access(&u, file, R_OK | W_OK);
	}
	cs_slurmconf_done(&conf);
	snprintf(ret, size, "'%s': SlurmUser (%s) cannot write it: %s", file,
		 u.name, strerror(-rc));
	return rc && rc != -ENOENT;
}

static void check_log(struct check *c, const char *path)
{
	char file[CS_PATH_MAX], text[2 * CS_PATH_MAX];

	if (cs_merge_list_get(c->sched.value, PREFIX "log", file,
			      sizeof(file)) &&
	    *file == '/' && !hidden(c, PREFIX "log", file, F_OK) &&
	    !no_file(c, PREFIX "log", file) &&
	    log_wrong(path, file, text, sizeof(text)))
		say_of_key(c, PREFIX "log", text);
}

/* ---- partitions that it names -------------------------------------------- */

/* Are all partitions known, and some? */
static bool has_parts(const struct check *c)
{
	return c->parts_known && c->parts.of[CS_CONF_PART].n;
}

static bool is_part(const struct check *c, const char *name, size_t n)
{
	const struct cs_conflines *l = &c->parts.of[CS_CONF_PART];

	for (size_t i = 0; i < l->n; i++)
		if (strlen(l->line[i].name) == n &&
		    !memcmp(l->line[i].name, name, n))
			return true;
	return false;
}

/* Bytes of the name of a partition at @at, before ":mode" if @modes. */
static size_t name_len(const char *at, bool modes)
{
	size_t n = strcspn(at, "+,"), colon = n;

	while (modes && colon && at[colon - 1] != ':')
		colon--;
	return modes && colon ? colon - 1 : n;
}

static void check_parts(struct check *c, const char *key, bool modes)
{
	const char *at = value_of(c, key);
	char text[512];

	while (at && *at && *at != ',') {
		size_t n = name_len(at, modes);

		snprintf(text, sizeof(text),
			 "no partition '%.*s' in this slurm.conf",
			 n < 200 ? (int)n : 200, at);
		if (n && !is_part(c, at, n))
			say_of_key(c, key, text);
		at += strcspn(at, "+,");
		at += *at == '+';
	}
	if (!at || !*at)
		return;
	at += 1 + strspn(at + 1, " \t");
	snprintf(text, sizeof(text),
		 "'%.*s' behind it is a partition: a comma ends the value, "
		 "expected '+'",
		 (int)strcspn(at, ",") < 200 ? (int)strcspn(at, ",") : 200, at);
	if (is_part(c, at, name_len(at, modes)))
		say_of_key(c, key, text);
}

static void check_modes(struct check *c)
{
	char text[512];

	if (cs_part_modes_clash(c->sched.value, &c->parts, text, sizeof(text)))
		say_of_key(c, PREFIX "partition_modes", text);
}

/* Rules that the example file had until its rules matched no job: their slowdowns were
 * invented, and would raise limits of real jobs. */
static const struct cs_profile_rule examples[] = {
	{ "*", "chemistry", "md-*", 0 },
	{ "*", "climate", "*", 0 },
	{ "*", "*", "copy-*", 0 },
};

static bool is_example(const struct cs_profile_rule *r)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		if (!strcmp(r->user, examples[i].user) &&
		    !strcmp(r->account, examples[i].account) &&
		    !strcmp(r->name, examples[i].name))
			return true;
	return false;
}

/* Name the rules of the file at hand that were copied from the examples. */
static void check_examples(struct check *c)
{
	struct cs_profiles *p = NULL;
	char text[CS_PATH_MAX + 512];

	if (cs_profile_file_read(c->profiles, &p, NULL))
		return; /* already reported */
	for (size_t i = 0; i < p->n_rule; i++) {
		if (!is_example(&p->rule[i]))
			continue;
		snprintf(text, sizeof(text),
			 "%s: rule %zu (account '%s', name '%s') was copied "
			 "from the examples, whose slowdowns are invented, "
			 "expected rules of your own",
			 c->profiles, i + 1, p->rule[i].account,
			 p->rule[i].name);
		say_of_key(c, PREFIX "profiles", text);
	}
	cs_profiles_free(p);
}

static int check_profiles(struct check *c, const char *path)
{
	char *file = c->profiles;
	int rc;

	if (!cs_merge_list_get(c->sched.value, PREFIX "profiles", file,
			       sizeof(c->profiles)) ||
	    *file != '/' || hidden(c, PREFIX "profiles", file, R_OK) ||
	    no_file(c, PREFIX "profiles", file))
		return 0; /* none, or already reported */
	check_access(c, path, PREFIX "profiles", file);
	rc = cs_profile_file_errors(file, tell_profile, c);
	if (!rc)
		check_examples(c);
	return rc < 0 ? rc : 0;
}

/* ---- sites -------------------------------------------------------------------- */

/* Are all nodes known, and some? */
static bool has_nodes(const struct check *c)
{
	return c->parts_known && c->parts.of[CS_CONF_NODE].n;
}

struct site_file {
	struct check *c;
	const char *path;
};

/* @line 0: of the whole file. */
static bool tell_sites(void *arg, unsigned line, const char *text)
{
	const struct site_file *f = arg;
	char all[CS_PATH_MAX + 512];

	if (line) {
		say(f->c, f->path, line, text);
		return true;
	}
	snprintf(all, sizeof(all), "'%s': %s", f->path, text);
	say_of_key(f->c, PREFIX "sites", all);
	return true;
}

static void check_site_file(struct check *c, const char *path, const char *file)
{
	struct site_file f = { c, file };
	char text[CS_PATH_MAX + 64];

	if (hidden(c, PREFIX "sites", file, R_OK))
		return;
	if (access(file, R_OK)) {
		snprintf(text, sizeof(text), "'%s': %s, expected a file", file,
			 strerror(errno));
		say_of_key(c, PREFIX "sites", text);
		return;
	}
	if (no_file(c, PREFIX "sites", file))
		return;
	check_access(c, path, PREFIX "sites", file);
	if (has_nodes(c))
		c->nomem |= cs_conf_sites_file(&c->parts, file, tell_sites,
					       &f) == -ENOMEM;
}

static void check_site_parts(struct check *c, const char *parts)
{
	struct cs_err err = { "" };
	int before = c->errors, rc;

	check_parts(c, PREFIX "sites", false);
	if (c->errors != before || !has_nodes(c))
		return;
	rc = cs_conf_sites_parts(&c->parts, parts, &err);
	c->nomem |= rc == -ENOMEM;
	if (rc == -EINVAL && err.text[0])
		say_of_key(c, PREFIX "sites", err.text);
}

/* Without a plugin of such there are no switches and no blocks. */
static void check_site_topology(struct check *c)
{
	char plugin[64] = "topology/default", text[256];

	if (!c->whole || !c->parts_known)
		return;
	(void)cs_slurmconf_get(&c->site, "TopologyPlugin", plugin,
			       sizeof(plugin));
	if (strcasestr(plugin, "tree") || strcasestr(plugin, "block"))
		return;
	snprintf(text, sizeof(text),
		 "no switches and no blocks with TopologyPlugin=%s, expected "
		 "topology/tree or topology/block, partitions joined by '+', "
		 "or a file",
		 plugin);
	say_of_key(c, PREFIX "sites", text);
}

/* As slurmctld will take them. */
static void check_sites(struct check *c, const char *path)
{
	char sites[CS_PATH_MAX];

	if (!cs_merge_list_get(c->sched.value, PREFIX "sites", sites,
			       sizeof(sites)))
		return;
	if (*sites == '/')
		check_site_file(c, path, sites);
	else if (!strcmp(sites, "topology"))
		check_site_topology(c);
	else if (has_parts(c))
		check_site_parts(c, sites);
}

/* Mode act would refuse them. */
static void check_slices(struct check *c, const char *path)
{
	struct cs_slurmconf conf;
	struct cs_said said = { "" };

	if (cs_slurmconf_file(&conf, path))
		return;
	if (cs_site_look_slices(&conf, c->sched.value, &said))
		say_of_key(c,
			   value_of(c, PREFIX "slice") ? PREFIX "slice"
						       : PREFIX "policy",
			   said.text);
	cs_slurmconf_done(&conf);
}

/* ---- accounts ----------------------------------------------------------------- */

#define ASK_S 10
#define ACCOUNTS_MAX (4u << 20)

/* The accounts of the slurmdbd of slurm.conf @path, a line each; NULL: it has none, or
 * does not answer. */
static char *all_accounts(const char *path)
{
	char conf[PATH_MAX + 16] = "SLURM_CONF=";
	const char *argv[] = { "env",  conf,	  "sacctmgr",	    "-nP",
			       "show", "account", "format=account", NULL };
	char *text = NULL;

	if (!realpath(path, conf + strlen(conf)) ||
	    !cs_run_program((char *const *)(uintptr_t)argv, ASK_S, ACCOUNTS_MAX,
			    &text))
		return text;
	free(text);
	return NULL;
}

/* Is the name of @n bytes a line of @text? */
static bool has_line(const char *text, const char *name, size_t n)
{
	for (; *text; text += strspn(text, "\n")) {
		size_t len = strcspn(text, "\n");

		if (len == n && !memcmp(text, name, n))
			return true;
		text += len;
	}
	return false;
}

/* Those of cosched_learn_accounts. */
static void check_accounts(struct check *c, const char *path)
{
	const char *at = value_of(c, PREFIX "learn_accounts");
	size_t n = at ? strcspn(at, ",") : 0;
	char *known, text[512];

	if (!c->whole || !n || (n == 1 && *at == '*') ||
	    (n == 4 && !strncmp(at, "none", n)))
		return;
	known = all_accounts(path);
	while (known && *known && *at && *at != ',') {
		n = strcspn(at, "+,");
		snprintf(text, sizeof(text),
			 "slurmdbd has no account '%.*s', expected one of "
			 "`sacctmgr show account`",
			 n < 200 ? (int)n : 200, at);
		if (n && !has_line(known, at, n))
			say_of_key(c, PREFIX "learn_accounts", text);
		at += n;
		at += *at == '+';
	}
	free(known);
}

/* A port that slurmctld listens at itself: our listener would get none. */
static void check_socket(struct check *c)
{
	char port[32] = "6817", text[128], *rest;
	unsigned long first, last, ours;
	const char *value = value_of(c, PREFIX "socket");

	if (!value || !c->parts_known)
		return;
	(void)cs_slurmconf_get(&c->site, "SlurmctldPort", port, sizeof(port));
	first = last = strtoul(port, &rest, 10);
	if (*rest == '-')
		last = strtoul(rest + 1, NULL, 10);
	ours = strtoul(value, &rest, 10);
	if (rest == value || ours < first || ours > last)
		return;
	snprintf(text, sizeof(text),
		 "%lu is slurmctld's own (SlurmctldPort=%s), expected a free "
		 "port",
		 ours, port);
	say_of_key(c, PREFIX "socket", text);
}

/* Whether slurm.conf has any key of ours. */
static bool has_ours(const struct check *c)
{
	return c->sched.value && strcasestr(c->sched.value, PREFIX);
}

/* The folders of PluginDir, where ours is among them.  Behind Slurm's it does nothing for
 * our keys, though site_factor/ostrich is found there. */
static void check_dirs(struct check *c)
{
	struct cs_said said = { "" };

	if (cs_site_look_dir_alone(&c->site, c->ours, &said) ||
	    (has_ours(c) && cs_site_look_dir_order(&c->site, c->ours, &said)))
		say_of_kept(c, "PluginDir", said.text);
}

/* Is it left to another file, of which this one is a part? */
static bool left_to_others(const struct check *c, const char *key)
{
	return !c->whole && !c->at[kept_index(key)].file;
}

/* Would slurmctld load our plugins?  Else our keys count for nothing. */
static void check_loads(struct check *c)
{
	struct cs_said said = { "" };

	if (!left_to_others(c, "PluginDir") &&
	    !cs_site_look_names_ours(&c->site, c->ours) &&
	    cs_site_look_plugin_dir(&c->site, c->ours, &said))
		say_of_kept(c, "PluginDir", said.text);
	for (int i = 0; i < CS_SITE_LOOK_TYPES; i++)
		if (cs_site_look_type(&c->site, i, &said))
			say_of_kept(c, cs_site_look_type_key(i), said.text);
	if (c->whole && cs_site_look_no_select(&c->site, &said))
		say_of_kept(c, "SelectType", said.text);
}

static int check(struct check *c, const char *path)
{
	int rc = cs_conf_lines_walk(path, take, missing, broken, c);

	if (!rc && c->sched.value)
		cs_params_renamed(c->sched.value, PREFIX, tell_old_name, c);
	if (!rc && c->sched.value)
		rc = cs_params_errors(CS_HOST_LIVE, c->sched.value, PREFIX,
				      tell_param, c);
	if (rc >= 0 && c->sched.value)
		cs_params_passed_over(c->sched.value, PREFIX, tell_param, c);
	if (rc >= 0 && c->sched.value)
		rc = check_profiles(c, path);
	if (rc >= 0 && c->sched.value)
		check_log(c, path);
	if (rc >= 0 && c->sched.value)
		check_sites(c, path);
	if (rc >= 0 && c->sched.value)
		check_slices(c, path);
	if (rc >= 0 && c->sched.value)
		check_socket(c);
	if (rc >= 0 && c->sched.value)
		check_accounts(c, path);
	if (rc >= 0 && c->sched.value && has_parts(c)) {
		check_parts(c, PREFIX "partition_modes", true);
		check_parts(c, PREFIX "share_partitions", false);
		check_modes(c);
	}
	if (rc >= 0 && c->parts_known)
		check_dirs(c);
	if (rc >= 0 && !c->errors && c->whole && c->parts_known)
		rc = cs_slurmconf_errors(path, refused, c);
	if (rc >= 0 && c->parts_known && has_ours(c))
		check_loads(c);
	return rc < 0 ? rc : 0;
}

static void remark_key(void *arg, size_t at, const char *text)
{
	const struct remark *r = arg;
	unsigned line =
		r->list == CS_HOST_LIST_SCHED
			? r->c->sched.line[at]
			: r->c->at[kept_index(cs_host_key_name(r->list))].line;

	fprintf(stderr, "%s:%u: %s\n", r->file, line, text);
}

/* Slurm's keys that mode act does not honour. */
static void remark_keys(const struct check *c)
{
	char value[VALUE_MAX];

	for (int i = 0; i < CS_HOST_LISTS; i++) {
		struct remark r = { c, (enum cs_host_list)i, c->sched.file };
		const char *name = cs_host_key_name(r.list);

		if (r.list == CS_HOST_LIST_SCHED) {
			cs_host_key_tell(r.list, c->sched.value, PREFIX,
					 remark_key, &r);
		} else if (name && cs_slurmconf_get(&c->site, name, value,
						    sizeof(value))) {
			r.file = c->at[kept_index(name)].file;
			cs_host_key_tell(r.list, value, PREFIX, remark_key, &r);
		}
	}
}

/* Well as they are, the keys may count for nothing: remarks. */
static void remark_site(const struct check *c, const char *path)
{
	const struct cs_conflines *parts = &c->parts.of[CS_CONF_PART];
	struct cs_said said = { "" };

	if (c->errors || !has_ours(c) || !c->parts_known)
		return;
	if (left_to_others(c, "PluginDir"))
		fprintf(stderr,
			"%s: no PluginDir in it, nor a SlurmctldHost, so it "
			"is taken for a part of a slurm.conf: that must have "
			"our folder first in PluginDir\n",
			path);
	if (!left_to_others(c, "SelectTypeParameters") &&
	    cs_site_look_cores(&c->site, &said))
		fprintf(stderr, "%s: %s\n", path, said.text);
	if (cs_site_look_labels(&c->site, &said))
		fprintf(stderr, "%s: %s\n", path, said.text);
	for (size_t i = 0; i < parts->n; i++)
		if (cs_site_look_part_cores(parts->line[i].name,
					    parts->line[i].select, &said))
			fprintf(stderr, "%s: %s\n", path, said.text);
	remark_keys(c);
}

/* Is it a whole slurm.conf that has nothing of ours? */
static bool is_stock(const struct check *c)
{
	return c->whole && c->parts_known && !has_ours(c) &&
	       !cs_site_look_names_ours(&c->site, c->ours);
}

static int print_json(struct check *c, const char *path)
{
	struct cs_build o = cs_build_object();

	cs_build_text(&o, "file", path);
	cs_build_flag(&o, "ok", !c->errors);
	cs_build_flag(&o, "ours", has_ours(c));
	cs_build_flag(&o, "stock", is_stock(c));
	cs_build_part(&o, "errors", &c->list);
	if (c->errors > SHOWN_MAX)
		cs_build_count(&o, "more", (uint64_t)(c->errors - SHOWN_MAX));
	if (cs_build_print(&o, stdout) == -ENOMEM)
		return cs_cmd_bad("conf: no memory");
	return c->errors ? CS_EXIT_NO : CS_EXIT_OK;
}

static int say_more(const struct check *c, const char *path)
{
	if (c->errors > SHOWN_MAX)
		printf("%s: and %d more\n", path, c->errors - SHOWN_MAX);
	return CS_EXIT_NO;
}

static int say_ok(const struct check *c, const char *path)
{
	printf("%s: ok%s\n", path,
	       has_ours(c)   ? ""
	       : is_stock(c) ? ", stock Slurm: no key of cosched's in it, and "
			       "no folder of ours in PluginDir"
			     : ", no key of cosched's in it");
	return CS_EXIT_OK;
}

static void check_done(struct check *c)
{
	json_object_put(c->list.o);
	cs_conf_parts_done(&c->parts);
	free(c->site.text);
	for (size_t i = 0; i < KEPT; i++)
		free(c->at[i].file);
	sched_done(&c->sched);
}

int cs_conf_check(const char *path, const char *ours, bool json)
{
	struct check c = { .path = path,
			   .ours = ours,
			   .site.source = (char *)path,
			   .json = json,
			   .parts_known = true };
	int rc;

	if (json)
		c.list = cs_build_list();
	rc = check(&c, path);
	if (!rc && !c.nomem)
		remark_site(&c, path);
	if (c.nomem || rc == -ENOMEM)
		rc = cs_cmd_bad("conf: no memory");
	else if (rc)
		rc = cs_cmd_bad("conf: '%s': %s, expected a slurm.conf", path,
				why(rc));
	else if (json)
		rc = print_json(&c, path);
	else if (c.errors)
		rc = say_more(&c, path);
	else
		rc = say_ok(&c, path);
	check_done(&c);
	return rc;
}
