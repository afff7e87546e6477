/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/profile_file.h"
#include "common/params/params.h"
#include "conf/as_user.h"
#include "conf/conf_lines.h"
#include "conf/merge_list.h"
#include "conf/slurm_conf.h"

#define PREFIX "cosched_"
#define SHOWN_MAX 100 /* lines about one profile file */

/* The SchedulerParameters that counts, which is the last. */
struct sched {
	char *file, *value;
	unsigned *line; /* of each byte of the value, and behind it */
	unsigned first; /* where its key stands */
};

struct check {
	struct sched sched;
	int errors;
	int profile_errors;
	bool nomem;
};

/* ---- words --------------------------------------------------------------- */

/* One line; bytes of users' that a terminal would obey become '?'. */
static void say(struct check *c, const char *file, unsigned line,
		const char *text)
{
	char *all = NULL;
	int n = line ? asprintf(&all, "%s:%u: %s", file, line, text)
		     : asprintf(&all, "%s", text);

	c->errors++;
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

static void tell_param(void *arg, size_t at, const char *text)
{
	struct check *c = arg;

	say(c, c->sched.file, c->sched.line[at], text);
}

/* No error: a word beside the verdict. */
static void tell_old_name(void *arg, size_t at, const char *text)
{
	struct check *c = arg;

	fprintf(stderr, "%s:%u: %s\n", c->sched.file, c->sched.line[at], text);
}

static void tell_profile(void *arg, const char *text)
{
	struct check *c = arg;

	if (c->profile_errors++ < SHOWN_MAX)
		say(c, "", 0, text);
}

/* ---- slurm.conf ---------------------------------------------------------- */

static void sched_done(struct sched *s)
{
	free(s->file);
	free(s->value);
	free(s->line);
	memset(s, 0, sizeof(*s));
}

/* One that came before says nothing any more. */
static void replaced(struct check *c, const struct cs_confpair *p)
{
	char text[256];

	if (!c->sched.value || !strcasestr(c->sched.value, PREFIX))
		return;
	snprintf(text, sizeof(text),
		 "SchedulerParameters stands in line %u of %.100s too, and "
		 "Slurm takes the last alone: expected one, with the keys of "
		 "both",
		 p->key_line, p->file);
	say(c, c->sched.file, c->sched.first, text);
}

static int take(void *arg, const struct cs_confpair *p)
{
	struct check *c = arg;
	size_t n = strlen(p->value) + 1;
	char text[256];

	if (!strncasecmp(p->key, "cosched", strlen("cosched"))) {
		snprintf(text, sizeof(text),
			 "'%.60s' is no key of slurm.conf, and Slurm dies of "
			 "it: expected it in SchedulerParameters=...",
			 p->key);
		say(c, p->file, p->key_line, text);
	}
	if (strcasecmp(p->key, "SchedulerParameters"))
		return 0;
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
	char text[512];

	snprintf(text, sizeof(text), "Include %.300s: %s", name, strerror(-rc));
	say(arg, file, line, text);
}

/* ---- what it names ------------------------------------------------------- */

/* Root reads what slurmctld, which is SlurmUser's, may not. */
static void check_access(struct check *c, const char *path, const char *file)
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
	say(c, "", 0, text);
}

static int check_profiles(struct check *c, const char *path)
{
	char file[CS_PATH_MAX], text[CS_PATH_MAX + 64];
	int rc;

	if (!cs_merge_list_get(c->sched.value, PREFIX "profiles", file,
			       sizeof(file)) ||
	    *file != '/')
		return 0; /* none, or it was told */
	rc = cs_profile_file_errors(file, tell_profile, c);
	if (c->profile_errors > SHOWN_MAX) {
		snprintf(text, sizeof(text), "%s: and %d more", file,
			 c->profile_errors - SHOWN_MAX);
		say(c, "", 0, text);
	}
	if (!rc)
		check_access(c, path, file);
	return rc < 0 ? rc : 0;
}

static int check(struct check *c, const char *path)
{
	int rc = cs_conf_lines_walk(path, take, missing, c);

	if (!rc && c->sched.value)
		cs_params_renamed(c->sched.value, PREFIX, tell_old_name, c);
	if (!rc && c->sched.value)
		rc = cs_params_errors(CS_HOST_LIVE, c->sched.value, PREFIX,
				      tell_param, c);
	if (rc >= 0 && c->sched.value)
		rc = check_profiles(c, path);
	return rc < 0 ? rc : 0;
}

int cs_conf_check(const char *path)
{
	struct check c = { 0 };
	int rc = check(&c, path);

	if (c.nomem || rc == -ENOMEM)
		rc = cs_cmd_bad("conf: no memory");
	else if (rc)
		rc = cs_cmd_bad("conf: '%s': %s, expected a slurm.conf", path,
				strerror(-rc));
	else if (c.errors)
		rc = CS_EXIT_NO;
	else
		printf("%s: ok%s\n", path,
		       c.sched.value && strcasestr(c.sched.value, PREFIX)
			       ? ""
			       : ", no key of cosched's in it");
	sched_done(&c.sched);
	return rc;
}
