/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched learn --from SOURCE...: what an engine would know after learning from the
 * history in event logs, or from sacct's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/profile_file.h"
#include "common/params/params.h"
#include "learned/from_sacct.h"
#include "learned/learned.h"
#include "replay/replay.h"
#include "replay/replay_engine.h"

#define FROM_MAX 1000

struct wish {
	const char *from[FROM_MAX];
	size_t n_from;
	const char *out, *profiles;
	struct cs_from_sacct sacct;
	bool logs; /* one was read */
	bool json;
};

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = {
		{ "from", 1, NULL, 'f' },     { "out", 1, NULL, 'o' },
		{ "profiles", 1, NULL, 'p' }, { "since", 1, NULL, 's' },
		{ "threads", 1, NULL, 't' },  { "time-format", 1, NULL, 'm' },
		{ "node", 1, NULL, 'n' },     { "json", 0, NULL, 'j' },
		{ "help", 0, NULL, 'h' },     { 0 }
	};
	int c;

	while ((c = cs_cmd_getopt(&cs_cmd_learn, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'f' && w->n_from == FROM_MAX)
			return cs_cmd_bad("learn: more than %d logs", FROM_MAX);
		if ((c == 't' &&
		     cs_cmd_whole("learn", "--threads", optarg, 1, 1024,
				  &w->sacct.history.threads)) ||
		    (c == 'n' && cs_cmd_node("learn", optarg, &w->sacct.cores)))
			return CS_EXIT_USAGE;
		if (c == 'f')
			w->from[w->n_from++] = optarg;
		w->out = c == 'o' ? optarg : w->out;
		w->profiles = c == 'p' ? optarg : w->profiles;
		w->json |= c == 'j';
		if (c == 's')
			w->sacct.history.since = optarg;
		if (c == 'm')
			w->sacct.history.time_format = optarg;
	}
	if (optind < argc)
		return cs_cmd_bad(
			"learn: '%s', expected options only: --from LOG",
			argv[optind]);
	if (!w->n_from)
		return cs_cmd_bad("learn: no history, expected --from LOG");
	return CS_EXIT_OK;
}

/* The file of --profiles, or the one that the log names; its pairs are not learned. */
static int profiles(void *arg, const char *path, const char *digest,
		    struct cs_profiles **ret)
{
	const struct wish *w = arg;

	(void)digest;
	*ret = NULL;
	if (w->profiles)
		path = w->profiles;
	return *path && cs_profile_file("learn", path, ret) ? -ECANCELED : 0;
}

static void nothing(void *arg, const struct cs_replay_start *s)
{
	(void)arg;
	(void)s;
}

static int read_log(struct cs_replay *r, const char *name, FILE *file)
{
	struct cs_err err = { "" };
	int rc = cs_replay_file(r, file, &err);

	if (rc == -ECANCELED)
		return CS_EXIT_USAGE;
	return rc ? cs_cmd_bad("learn: '%s': %s", name,
			       err.text[0] ? err.text : strerror(-rc))
		  : CS_EXIT_OK;
}

static int mixed(const char *name)
{
	return cs_cmd_bad("learn: '%s': expected sacct's text only, or event "
			  "logs only",
			  name);
}

/* @file NULL: run sacct. */
static int read_sacct(struct wish *w, const char *name, FILE *file)
{
	if (w->logs)
		return mixed(name);
	if (w->profiles)
		return cs_cmd_bad("learn: --profiles is for event logs, "
				  "expected none with '%s'",
				  name);
	return cs_from_sacct_read(&w->sacct, name, file);
}

static int read_text(struct wish *w, struct cs_replay *r, const char *name,
		     FILE *file)
{
	int c = getc(file);

	if (c != EOF)
		ungetc(c, file);
	if (c == ';' || (c >= '0' && c <= '9'))
		return cs_cmd_bad(
			"learn: '%s': a trace has no node lists, so who ran "
			"beside whom is not known; expected an event log, or "
			"sacct -P with NodeList",
			name);
	if (c != '{')
		return read_sacct(w, name, file);
	w->logs = true;
	return w->sacct.together ? mixed(name) : read_log(r, name, file);
}

static int read_source(struct wish *w, struct cs_replay *r, const char *name)
{
	FILE *file;
	int rc;

	if (!strcmp(name, "sacct"))
		return read_sacct(w, name, NULL);
	file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	if (!file)
		return cs_cmd_bad("learn: '%s': %s", name, strerror(errno));
	rc = read_text(w, r, name, file);
	if (file != stdin)
		fclose(file);
	return rc;
}

static int read_sources(struct wish *w, struct cs_replay *r)
{
	int rc = CS_EXIT_OK;

	for (size_t i = 0; !rc && i < w->n_from; i++)
		rc = read_source(w, r, w->from[i]);
	return rc;
}

static int learn_all(struct wish *w, struct cs_replay *r)
{
	if (w->sacct.together)
		return cs_from_sacct_learn(&w->sacct, &r->learned);
	cs_replay_keep_learned(r);
	return r->learned ? CS_EXIT_OK
			  : cs_cmd_failed("learn: nothing to learn from, "
					  "expected a log from its beginning");
}

static int write_out(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	if (!file || fputs(text, file) < 0 || fflush(file)) {
		int rc = cs_cmd_bad("learn: '%s': %s", name, strerror(errno));

		if (file)
			fclose(file);
		return rc;
	}
	fclose(file);
	return CS_EXIT_OK;
}

static int print_learned(char *lines, bool json)
{
	struct cs_learned_file f;
	struct cs_params params;
	struct cs_err err = { "" };
	int rc = 0;

	if (cs_learned_read(&f, lines, &err))
		return cs_cmd_failed("learn: %s", err.text);
	if (cs_params_init(&params, CS_HOST_LIVE)) {
		cs_learned_done(&f);
		return cs_cmd_bad("learn: no memory");
	}
	if (json)
		rc = cs_learned_json(&f, params.max_slowdown, stdout);
	else
		cs_learned_print(&f, params.max_slowdown);
	cs_params_done(&params);
	cs_learned_done(&f);
	return rc == -ENOMEM ? cs_cmd_bad("learn: no memory") : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static struct wish w;
	struct cs_replay r = { .profiles = profiles,
			       .arg = &w,
			       .settings = "learn=propose",
			       .learns = true,
			       .would = { .differs = nothing, .arg = &r } };
	int rc;

	w.sacct.history = (struct cs_history){ .cmd = "learn", .threads = 1 };
	rc = read_options(argc, argv, &w);
	if (!rc)
		rc = read_sources(&w, &r);
	if (!rc)
		rc = learn_all(&w, &r);
	if (!rc && w.out)
		rc = write_out(w.out, r.learned);
	if (!rc)
		rc = print_learned(r.learned, w.json);
	cs_from_sacct_done(&w.sacct);
	cs_replay_done(&r);
	return rc;
}

const struct cs_cmd cs_cmd_learn = {
	"learn", "[OPTION]... --from LOG|TEXT|sacct",
	"Learn what jobs cost each other from a site's history.", run,
	"  --from LOG         an event log, - for standard input; several: the "
	"oldest first\n"
	"  --from TEXT        output of sacct -P with the column NodeList, - "
	"for standard input\n"
	"  --from sacct       run sacct for all jobs that it knows\n"
	"  --out FILE         write what was learned there, for 'cosched profile "
	"learned'\n"
	"                     and 'cosched profile export'\n"
	"  --json             the answer as JSON\n"
	"  --profiles FILE    use this profile file, not the one in the log\n"
	"  --since T          of sacct: jobs from then on, YYYY-MM-DD or "
	"now-400days\n"
	"  --threads N        of sacct: hardware threads per core, where Slurm "
	"counts them (1)\n"
	"  --time-format F    of sacct: how the text has its times, "
	"SLURM_TIME_FORMAT's value (its own)\n"
	"  --node SxC         of sacct: sockets and cores a socket of every "
	"node (each node\n"
	"                     has as many as jobs ever held there)\n"
	"Prints for each kind of job (user and name): how many ended, and how "
	"many runs had\nneighbours or were spread; its time spread and alone over "
	"that on full nodes; how many\npartners it ran beside; the lowest bound "
	"(95 %) on its slowdown by one of them; and with\nhow many it may "
	"share.\n"
};
