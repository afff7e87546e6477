/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched check LOG...: does an event log obey the rules of check_state.h?
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check/check_log.h"
#include "cli/cmd.h"
#include "cli/progress_bar.h"
#include "sim/json_build.h"

#define SHOWN_MAX 20 /* breaches shown per log */

struct look {
	struct cs_checkstate *state;
	bool json;
	struct cs_build logs; /* if JSON: the logs so far, ... */
	/* The present log: */
	const char *name;
	struct cs_bar bar;
	uint64_t told;
	struct cs_build breaches; /* ... and its breaches */
};

/* ---- output -------------------------------------------------------------- */

static void tell(void *arg, uint64_t line, const char *text)
{
	struct look *l = arg;
	struct cs_build o;

	if (l->told == SHOWN_MAX)
		return;
	l->told++;
	if (!l->json) {
		cs_bar_done(&l->bar);
		printf("%s:%" PRIu64 ": %s\n", l->name, line, text);
		return;
	}
	o = cs_build_object();
	cs_build_count(&o, "line", line);
	cs_build_message(&o, text);
	cs_build_part(&l->breaches, NULL, &o);
}

static void say_sum(const struct cs_checklog *k, const char *name)
{
	if (!k->breaches)
		printf("%s: ok, %" PRIu64 " lines, %" PRIu64 " jobs, %" PRIu64
		       " starts, %" PRIu64 " groups\n",
		       name, k->lines, k->counts.jobs, k->counts.starts,
		       k->counts.groups);
	else if (k->breaches > SHOWN_MAX)
		printf("%s: %" PRIu64 " breaches in all, %d shown\n", name,
		       k->breaches, SHOWN_MAX);
}

static void add_log(struct look *l, const struct cs_checklog *k)
{
	struct cs_build o = cs_build_object();

	cs_build_text(&o, "log", l->name);
	cs_build_flag(&o, "ok", !k->breaches);
	cs_build_count(&o, "lines", k->lines);
	cs_build_count(&o, "jobs", k->counts.jobs);
	cs_build_count(&o, "starts", k->counts.starts);
	cs_build_count(&o, "groups", k->counts.groups);
	cs_build_count(&o, "breaches", k->breaches);
	cs_build_part(&o, "shown", &l->breaches);
	cs_build_part(&l->logs, NULL, &o);
}

/* @worst: the status so far.  If a log could not be read, nothing is printed. */
static int print_json(struct look *l, int worst)
{
	struct cs_build o = cs_build_object();

	cs_build_flag(&o, "ok", worst == CS_EXIT_OK);
	cs_build_part(&o, "logs", &l->logs);
	if (worst == CS_EXIT_USAGE)
		json_object_put(cs_build_take(&o));
	else if (cs_build_print(&o, stdout) == -ENOMEM)
		worst = cs_cmd_bad("check: no memory");
	return worst;
}

/* ---- the command --------------------------------------------------------- */

static int check_file(struct look *l, const char *name)
{
	FILE *file = cs_bar_open(&l->bar, name);
	struct cs_checklog k = { .breach = tell, .arg = l };
	int rc;

	if (!file)
		return cs_cmd_bad("check: '%s': %s", name, strerror(errno));
	l->name = strcmp(name, "-") ? name : "stdin";
	l->told = 0;
	if (l->json)
		l->breaches = cs_build_list();
	rc = cs_checklog(&k, l->state, file);
	fclose(file);
	cs_bar_done(&l->bar);
	if (l->json)
		add_log(l, &k);
	else if (!rc)
		say_sum(&k, l->name);
	if (rc)
		return cs_cmd_bad("check: '%s': %s", name, strerror(-rc));
	return k.breaches ? CS_EXIT_NO : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = { { "json", 0, NULL, 'j' },
						 { "help", 0, NULL, 'h' },
						 { 0 } };
	struct look l = { .json = false };
	int worst = CS_EXIT_OK, c;

	while ((c = cs_cmd_getopt(&cs_cmd_check, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		l.json = true;
	}
	if (optind == argc)
		return cs_cmd_bad("check: no log, expected a file or -");
	l.state = cs_checkstate_create();
	if (!l.state)
		return cs_cmd_bad("check: no memory");
	if (l.json)
		l.logs = cs_build_list();
	for (int i = optind; i < argc; i++) {
		int rc = check_file(&l, argv[i]);

		worst = rc > worst ? rc : worst;
	}
	if (l.json)
		worst = print_json(&l, worst);
	cs_checkstate_free(l.state);
	return worst;
}

const struct cs_cmd cs_cmd_check = {
	"check", "[OPTION]... LOG...",
	"Check that an event log keeps the rules.", run,
	"  --json  the answer as JSON\n"
	"LOG is a file, or - for standard input.  Give rotated files oldest "
	"first.\n"
	"Prints 'LOG: ok, ...' or each breach as 'LOG:LINE: what, expected "
	"what'\n(the first 20 of a file).\n"
};
