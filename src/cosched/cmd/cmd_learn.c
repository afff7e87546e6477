/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched learn --from LOG...: what an engine would know after learning from the
 * history in event logs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/profile_file.h"
#include "common/params/params.h"
#include "learned/learned.h"
#include "replay/replay.h"
#include "replay/replay_engine.h"

#define FROM_MAX 1000

struct wish {
	const char *from[FROM_MAX];
	size_t n_from;
	const char *out, *profiles;
};

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = { { "from", 1, NULL, 'f' },
						 { "out", 1, NULL, 'o' },
						 { "profiles", 1, NULL, 'p' },
						 { "help", 0, NULL, 'h' },
						 { 0 } };
	int c;

	while ((c = cs_cmd_getopt(&cs_cmd_learn, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'f' && w->n_from == FROM_MAX)
			return cs_cmd_bad("learn: more than %d logs", FROM_MAX);
		if (c == 'f')
			w->from[w->n_from++] = optarg;
		w->out = c == 'o' ? optarg : w->out;
		w->profiles = c == 'p' ? optarg : w->profiles;
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

static int read_log(struct cs_replay *r, const char *name)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	struct cs_err err = { "" };
	int rc;

	if (!file)
		return cs_cmd_bad("learn: '%s': %s", name, strerror(errno));
	rc = cs_replay_file(r, file, &err);
	if (file != stdin)
		fclose(file);
	if (rc == -ECANCELED)
		return CS_EXIT_USAGE;
	return rc ? cs_cmd_bad("learn: '%s': %s", name,
			       err.text[0] ? err.text : strerror(-rc))
		  : CS_EXIT_OK;
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

static int print_learned(char *lines)
{
	struct cs_learned_file f;
	struct cs_params params;
	struct cs_err err = { "" };

	if (cs_learned_read(&f, lines, &err))
		return cs_cmd_failed("learn: %s", err.text);
	if (cs_params_init(&params, CS_HOST_LIVE)) {
		cs_learned_done(&f);
		return cs_cmd_bad("learn: no memory");
	}
	cs_learned_print(&f, params.max_slowdown);
	cs_params_done(&params);
	cs_learned_done(&f);
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static struct wish w;
	struct cs_replay r = { .profiles = profiles,
			       .arg = &w,
			       .settings = "learn=propose",
			       .learns = true,
			       .would = { .differs = nothing, .arg = &r } };
	int rc = read_options(argc, argv, &w);

	for (size_t i = 0; !rc && i < w.n_from; i++)
		rc = read_log(&r, w.from[i]);
	if (!rc) {
		cs_replay_keep_learned(&r);
		if (!r.learned)
			rc = cs_cmd_failed(
				"learn: nothing to learn from, expected a log from its beginning");
	}
	if (!rc && w.out)
		rc = write_out(w.out, r.learned);
	if (!rc)
		rc = print_learned(r.learned);
	cs_replay_done(&r);
	return rc;
}

const struct cs_cmd cs_cmd_learn = {
	"learn", "[OPTION]... --from LOG",
	"Learn what jobs cost each other from the event logs of a site.", run,
	"  --from LOG         an event log, - for standard input; several: the "
	"oldest first\n"
	"  --out FILE         write what was learned there, for 'cosched profile "
	"learned'\n"
	"                     and 'cosched profile export'\n"
	"  --profiles FILE    use this profile file, not the one in the log\n"
	"Prints for each kind of job (user and name): how many ended, and how "
	"many runs had\nneighbours or were spread; its time spread and alone over "
	"that on full nodes; how many\npartners it ran beside; the lowest bound "
	"(95 %) on its slowdown by one of them; and with\nhow many it may "
	"share.\n"
};
