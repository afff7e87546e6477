/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched replay LOG...: does the engine again decide what the log has; and what would
 * it have decided with other parameters?
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cmd.h"
#include "cli/duration.h"
#include "cmd/replay_json.h"
#include "common/params/params.h"
#include "common/log/write_line.h"
#include "cli/node_names.h"
#include "cli/profile_file.h"
#include "cli/progress_bar.h"
#include "replay/replay.h"
#include "cli/table.h"

struct wish {
	char settings[CS_SETTINGS_MAX]; /* "key=value,..." */
	const char *profiles;		/* --profiles, or NULL */
	bool json;
};

/* The argument of say_start(). */
struct answer {
	struct cs_replay *r;
	struct cs_bar bar;
	bool json;
	struct cs_build starts; /* if JSON */
};

/* ---- options ------------------------------------------------------------- */

/* A setting that is wrong by itself must not be blamed on a log. */
static int add_setting(struct wish *w, const char *text)
{
	struct cs_err err = { "no memory" };
	int rc = cs_cmd_add_setting("replay", w->settings, NULL, text);

	if (!rc && cs_params_item(CS_HOST_SIM, text, "", &err))
		rc = cs_cmd_bad("replay: --set: %s", err.text);
	return rc;
}

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = { { "set", 1, NULL, 's' },
						 { "profiles", 1, NULL, 'f' },
						 { "json", 0, NULL, 'j' },
						 { "help", 0, NULL, 'h' },
						 { 0 } };
	int c, rc = CS_EXIT_OK;

	while (!rc &&
	       (c = cs_cmd_getopt(&cs_cmd_replay, argc, argv, options)) != -1) {
		if (c == 's')
			rc = add_setting(w, optarg);
		else if (c == 'f')
			w->profiles = optarg;
		else if (c == 'j')
			w->json = true;
		else
			rc = CS_EXIT_USAGE;
	}
	if (!rc && optind == argc)
		rc = cs_cmd_bad("replay: no log, expected a file or -");
	return rc;
}

/* @p is @path's present content; with --set another file may be intended. */
static void compare_profiles(const struct wish *w, const char *path,
			     const char *digest, const struct cs_profiles *p)
{
	char now[CS_LOG_DIGEST_SIZE];
	bool chosen = w->settings[0] &&
		      (w->profiles || strstr(w->settings, "profiles="));

	cs_log_digest(p, now);
	if (!chosen && strcmp(now, digest))
		cs_cmd_bad(
			"replay: '%s' has other profiles than the log was "
			"written with (digest %s, then %.20s): differences may "
			"come from that, see --profiles",
			path, now, digest);
}

/* The file of --profiles, or the one that the log names. */
static int profiles(void *arg, const char *path, const char *digest,
		    struct cs_profiles **ret)
{
	const struct wish *w = arg;

	*ret = NULL;
	if (w->profiles)
		path = w->profiles;
	if (!*path)
		return 0;
	if (cs_profile_file("replay", path, ret))
		return -ECANCELED;
	if (digest)
		compare_profiles(w, path, digest, *ret);
	return 0;
}

/* ---- output -------------------------------------------------------------- */

static void say_indexes(const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t from = a->node[i].node, to = from;

		while (i + 1 < a->n_node && a->node[i + 1].node == to + 1)
			to = a->node[++i].node;
		printf("%s%" PRIu32, from == a->node[0].node ? "" : ",", from);
		if (to > from)
			printf("-%" PRIu32, to);
	}
}

/* By name if the log has all names, folded as in Slurm. */
static void say_nodes(const struct cs_replay *r, const struct cs_alloc *a)
{
	struct json_object *list = json_object_new_array();
	size_t n = r->names ? json_object_array_length(r->names) : 0;
	char *text = NULL;
	uint32_t i;

	for (i = 0; list && i < a->n_node && a->node[i].node < n; i++)
		json_object_array_add(list,
				      json_object_get(json_object_array_get_idx(
					      r->names, a->node[i].node)));
	if (list && i == a->n_node)
		text = cs_node_names_fold(list);
	if (text)
		cs_table_print_clean(text);
	else
		say_indexes(a);
	free(text);
	json_object_put(list);
}

/* The log's clock; from slurmctld, printed as Slurm's own commands do. */
static void say_time(const struct cs_replay *r, int64_t t_us)
{
	time_t s = (time_t)(t_us / 1000000);
	struct tm tm;
	char text[32];

	if (r->live && localtime_r(&s, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		printf("%s", text);
	else
		printf("%.6f", (double)t_us / 1e6);
}

static void say_side(const struct cs_replay *r, const char *when, int64_t t_us,
		     const struct cs_alloc *a)
{
	printf("  %s ", when);
	if (!a && t_us == CS_TIME_NONE) {
		printf("not");
		return;
	}
	printf("%s", a ? "" : "not before ");
	say_time(r, t_us);
	if (a) {
		printf(" on ");
		say_nodes(r, a);
	}
}

static void say_start(void *arg, const struct cs_replay_start *s)
{
	struct answer *to = arg;
	const struct cs_replay *r = to->r;
	int places = r->live ? 1 : 6;

	if (to->json) {
		cs_replay_json_start(&to->starts, r, s);
		return;
	}
	cs_bar_done(&to->bar);
	printf("job %" PRIu32 ":", s->job);
	say_side(r, "then", s->then_us, s->then);
	say_side(r, "now", s->now_us, s->now);
	if (s->then && s->now && s->now_us < s->then_us)
		printf("  %.*f s earlier", places,
		       (double)(s->then_us - s->now_us) / 1e6);
	else if (s->then && !s->now && s->now_us != CS_TIME_NONE)
		printf("  %.*f s later", places,
		       (double)(s->now_us - s->then_us) / 1e6);
	else if (s->then && s->now)
		printf("  elsewhere");
	putchar('\n');
}

static void say_would(const struct cs_replay_would *w)
{
	printf("%" PRIu64 " starts: %" PRIu64 " the same, %" PRIu64
	       " elsewhere, %" PRIu64 " earlier",
	       w->starts, w->same, w->elsewhere, w->earlier);
	if (w->earlier)
		printf(" (by %.1f s on average)",
		       w->earlier_s / (double)w->earlier);
	printf(", %" PRIu64 " later", w->later);
	if (w->known)
		printf(" (%" PRIu64 " of them by %.1f s on average)", w->known,
		       w->later_s / (double)w->known);
	if (w->more)
		printf("; %" PRIu64 " more that the log has not", w->more);
	printf("\n");
}

static void say_differ(const struct cs_replay *r, const char *name)
{
	printf("%s:%" PRIu64 ": they differ\n  log:    %s\n  engine: %s\n",
	       name, r->line, r->log ? r->log : "nothing",
	       r->engine ? r->engine : "nothing");
}

static void sum_up(const struct cs_replay *r)
{
	if (r->skipped)
		printf("%" PRIu64 " lines left out: the log continues one "
		       "that was not given, or lost lines\n",
		       r->skipped);
	if (r->settings) {
		say_would(&r->would);
		return;
	}
	printf("same: %" PRIu64 " decides, %" PRIu64 " actions\n", r->decides,
	       r->actions);
	if (r->starts) {
		double mean_s = r->wait_s / (double)r->starts;
		char span[CS_DURATION_SIZE];

		printf("mean wait of %" PRIu64 " starts: %s\n", r->starts,
		       cs_duration_text(mean_s, mean_s, span));
	}
}

/* @name: the log with the first difference, if any. */
static int put_answer(struct answer *to, const char *name)
{
	int rc = 0;

	if (!to->r->line)
		cs_replay_end(to->r);
	if (to->json)
		rc = cs_replay_json(to->r, name, &to->starts);
	else if (to->r->line)
		say_differ(to->r, name);
	else
		sum_up(to->r);
	if (rc == -ENOMEM)
		return cs_cmd_bad("replay: no memory");
	return to->r->line ? CS_EXIT_NO : CS_EXIT_OK;
}

/* ---- the command --------------------------------------------------------- */

static const char *shown(const char *name)
{
	return strcmp(name, "-") ? name : "stdin";
}

static int one(struct answer *to, const char *name)
{
	FILE *file = cs_bar_open(&to->bar, name);
	struct cs_err err = { "" };
	int rc;

	if (!file)
		return cs_cmd_bad("replay: '%s': %s", name, strerror(errno));
	rc = cs_replay_file(to->r, file, &err);
	fclose(file);
	cs_bar_done(&to->bar);
	if (rc == -ECANCELED)
		return CS_EXIT_USAGE;
	if (rc)
		return cs_cmd_bad("replay: '%s': %s", shown(name),
				  err.text[0] ? err.text : strerror(-rc));
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static struct wish w;
	struct cs_replay r = { .profiles = profiles, .arg = &w };
	struct answer to = { .r = &r };
	const char *name = "";
	int rc = read_options(argc, argv, &w);

	if (rc)
		return rc;
	to.json = w.json;
	if (w.json)
		to.starts = cs_build_list();
	r.would.differs = say_start;
	r.would.arg = &to;
	r.settings = w.settings[0] ? w.settings : NULL;
	for (int i = optind; !rc && !r.line && i < argc; i++) {
		name = shown(argv[i]);
		rc = one(&to, argv[i]);
	}
	if (!rc)
		rc = put_answer(&to, name);
	cs_replay_done(&r);
	json_object_put(to.starts.o);
	return rc;
}

const struct cs_cmd cs_cmd_replay = {
	"replay", "[OPTION]... LOG...",
	"Replay an event log, with its own or other parameters.", run,
	"  --set KEY=VALUE    a changed parameter; may be repeated\n"
	"  --profiles FILE    use this profile file, not the one in the log\n"
	"  --json             the answer as JSON\n"
	"LOG is a file, or - for standard input.  Rotated files: the oldest "
	"first.\n"
	"Without --set: 'same: ...', or the first line that differs, and status "
	"1.\n"
	"With --set: each job that would have started at another time or place, "
	"by decisions\neach made from the log's own state.\n"
};
