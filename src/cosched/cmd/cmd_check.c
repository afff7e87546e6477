/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched check LOG...: does an event log keep the rules of check_state.h?
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/check_log.h"
#include "cli/cmd.h"

#define SHOWN_MAX 20 /* breaches of a log that are printed */

struct shown {
	const char *name;
	uint64_t n;
};

static void show(void *arg, uint64_t line, const char *text)
{
	struct shown *s = arg;

	if (s->n++ < SHOWN_MAX)
		printf("%s:%" PRIu64 ": %s\n", s->name, line, text);
}

static void sum_up(const struct cs_checklog *k, const char *name)
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

static int check_file(struct cs_checkstate *state, const char *name)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	struct shown shown = { .name = file == stdin ? "stdin" : name };
	struct cs_checklog k = { .breach = show, .arg = &shown };
	int rc;

	if (!file)
		return cs_cmd_bad("check: '%s': %s", name, strerror(errno));
	rc = cs_checklog(&k, state, file);
	if (file != stdin)
		fclose(file);
	if (rc)
		return cs_cmd_bad("check: '%s': %s", name, strerror(-rc));
	sum_up(&k, shown.name);
	return k.breaches ? CS_EXIT_NO : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = { { "help", 0, NULL, 'h' },
						 { 0 } };
	struct cs_checkstate *state;
	int worst = CS_EXIT_OK;

	if (cs_cmd_getopt(&cs_cmd_check, argc, argv, options) != -1)
		return CS_EXIT_USAGE;
	if (optind == argc)
		return cs_cmd_bad("check: no log, expected a file or -");
	state = cs_checkstate_create();
	if (!state)
		return cs_cmd_bad("check: no memory");
	for (int i = optind; i < argc; i++) {
		int rc = check_file(state, argv[i]);

		worst = rc > worst ? rc : worst;
	}
	cs_checkstate_free(state);
	return worst;
}

const struct cs_cmd cs_cmd_check = {
	"check", "LOG...", "Check that an event log keeps the rules.", run,
	"LOG is a file, or - for standard input.  Rotated files: the oldest "
	"first.\n"
	"Prints 'LOG: ok, ...' or each breach as 'LOG:LINE: what, expected "
	"what'\n(the first 20 of a file).\n"
};
