/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched status: what the plugin in slurmctld does, and what is wrong there.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "query/ask_plugin.h"
#include "cli/cmd.h"
#include "cli/json_view.h"
#include "query/plugin_build.h"
#include "query/plugin_command.h"
#include "query/plugin_trouble.h"

/* Members covered by the first lines. */
static const char *const said[] = {
	"version",	 "build",	 "slurm",
	"mode",		 "mode_set",	 "policy",
	"why",		 "params_error", "state_error",
	"log_error",	 "select_live",	 "partition_modes_error",
	"site_factor",	 "layout_error", "share_partitions_error",
	"site_warnings", "site_error",	 "left_stopped",
	"starting",	 NULL,
};

static void warn(void *arg, const char *text)
{
	(void)arg;
	printf("WARNING: %s\n", text);
}

static void count(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

/* Site settings that work against the scheduler. */
static void warn_of_site(struct json_object *o)
{
	struct json_object *list;

	if (!json_object_object_get_ex(o, "site_warnings", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		warn(NULL, json_object_get_string(
				   json_object_array_get_idx(list, i)));
}

/* Time slices are over, and those that one had stopped wait for their cores. */
static void left_stopped(struct json_object *o)
{
	int64_t n = cs_json_view_integer(o, "left_stopped");

	if (n)
		printf("%" PRId64 " job%s that a time slice had stopped "
		       "stand%s still: each goes on by itself as soon as its "
		       "cores are free, and nobody else gets these before\n",
		       n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}

/* The plugin knows no jobs yet: there are no figures of them. */
static void starting(struct json_object *o)
{
	const char *why = cs_json_view_text(o, "starting");

	if (*why)
		printf("starting: %s\n", why);
}

/* What is in force, and what is wrong with it. */
static void head(struct json_object *o)
{
	const char *policy = cs_json_view_text(o, "policy");
	bool off = !strcmp(cs_json_view_text(o, "mode"), "off");
	char builds[512];

	printf("cosched %s in Slurm %s: mode %s, ", cs_plugin_build(o),
	       cs_json_view_text(o, "slurm"), cs_json_view_text(o, "mode"));
	if (!off)
		printf("policy %s\n", *policy ? policy : "none");
	else if (*policy)
		printf("Slurm's own scheduler decides (policy %s is set, for "
		       "shadow or act)\n",
		       policy);
	else
		printf("Slurm's own scheduler decides\n");
	if (cs_plugin_build_differs(o, builds, sizeof(builds)))
		printf("%s\n", builds);
	if (*cs_json_view_text(o, "site_factor"))
		printf("%s\n", cs_json_view_text(o, "site_factor"));
	starting(o);
	left_stopped(o);
	cs_plugin_trouble(o, warn, NULL);
	warn_of_site(o);
}

/* How fast the last batch of starts was, and what it cost others. */
static void batch(struct json_object *o)
{
	int64_t starts = cs_json_view_integer(o, "batch_starts");
	double took_us = (double)cs_json_view_integer(o, "batch_took_us");
	double locked_us = (double)cs_json_view_integer(o, "batch_locked_us");

	if (starts && took_us > 0)
		printf("batch   the last one: %" PRId64
		       " starts in %.3f s, %.0f a second; Slurm's locks held "
		       "%.0f %% of that time\n",
		       starts, took_us / 1e6, (double)starts * 1e6 / took_us,
		       100 * locked_us / took_us);
}

/* How long slurmctld had too many requests for schedulers. */
static void rpcs(struct json_object *o)
{
	struct json_object *r = cs_json_view_member(o, "rpcs");
	int64_t times = cs_json_view_integer(r, "times");

	if (times)
		printf("rpcs    held back %" PRId64
		       " times, %.1f s in all, while max_rpc_cnt=%" PRId64
		       " requests were in work%s\n",
		       times,
		       (double)cs_json_view_integer(r, "held_back_us") / 1e6,
		       cs_json_view_integer(r, "most"),
		       cs_json_view_integer(r, "over") ? ": now, too" : "");
}

/* How good estimates of starts are. */
static void estimates(struct json_object *e)
{
	int64_t day = cs_json_view_integer(e, "estimates_day");
	int64_t late_s =
		cs_json_view_integer(e, "estimate_late_p50_us") / 1000000;

	if (!cs_json_view_member(e, "estimated"))
		return;
	printf("starts  of %" PRId64 " waiting jobs estimated\n",
	       cs_json_view_integer(e, "estimated"));
	if (!day)
		return;
	printf("        %" PRId64
	       " of the last day: half off by at most %" PRId64
	       " s, nine in ten by %" PRId64 " s; in the median %" PRId64
	       " s %s; %.0f %% within their interval\n",
	       day, cs_json_view_integer(e, "estimate_error_p50_us") / 1000000,
	       cs_json_view_integer(e, "estimate_error_p90_us") / 1000000,
	       late_s < 0 ? -late_s : late_s, late_s < 0 ? "early" : "late",
	       100. - 100. *
			       (double)cs_json_view_integer(
				       e, "estimates_day_outside") /
			       (double)day);
}

/* On a machine with some. */
static void gpus(struct json_object *e)
{
	int64_t held = cs_json_view_integer(e, "gpus_held");
	int64_t idle = cs_json_view_integer(e, "gpus_free");
	int64_t wait = cs_json_view_integer(e, "gpu_jobs_waiting");

	if (!cs_json_view_member(e, "gpus_held"))
		return;
	printf("gpus    %" PRId64 " held, %" PRId64 " free: %" PRId64
	       " stranded, %.1f fragments; %" PRId64 " job%s wait%s for some\n",
	       held, idle, cs_json_view_integer(e, "gpus_stranded"),
	       (double)cs_json_view_integer(e, "gpus_fragment_thousandths") /
		       1000,
	       wait, wait == 1 ? "" : "s", wait == 1 ? "s" : "");
}

/* What was learned; with learn=propose how to know what its use would gain, for which
 * slurmctld would need a history of jobs. */
static void learned(struct json_object *e)
{
	int64_t kinds = cs_json_view_integer(e, "learn_kinds");
	int64_t pairs = cs_json_view_integer(e, "learn_pairs");
	const char *learn = cs_json_view_text(e, "learn");

	if (!*learn)
		return;
	printf("learned %" PRId64 " kind%s of jobs (learn=%s): %" PRId64
	       " pair%s of them may share%s\n",
	       kinds, kinds == 1 ? "" : "s", learn, pairs,
	       pairs == 1 ? "" : "s", pairs ? "" : " yet");
	if (pairs && !strcmp(learn, "propose"))
		printf("        none does with propose; what use would gain: "
		       "cosched whatif --sacct --machine "
		       "NODESxSOCKETSxCORES\n");
}

static void jobs(struct json_object *e)
{
	int64_t suspended = cs_json_view_integer(e, "suspended");
	int64_t asleep = cs_json_view_integer(e, "cores_powered_down");

	printf("jobs    %" PRId64 " run", cs_json_view_integer(e, "running"));
	if (suspended)
		printf(", %" PRId64 " suspended", suspended);
	printf(", %" PRId64 " wait: %" PRId64 " with a promised start, %" PRId64
	       " blocked\n",
	       cs_json_view_integer(e, "waiting"),
	       cs_json_view_integer(e, "reservations"),
	       cs_json_view_integer(e, "blocked"));
	printf("cores   %" PRId64 " of %" PRId64 " used",
	       cs_json_view_integer(e, "cores_used"),
	       cs_json_view_integer(e, "cores"));
	if (asleep)
		printf(", %" PRId64 " powered down", asleep);
	printf("; groups that share: %" PRId64 "\n",
	       cs_json_view_integer(e, "groups"));
	gpus(e);
	estimates(e);
	learned(e);
	printf("so far  %" PRId64 " jobs started, %" PRId64
	       " pairs formed, %" PRId64 " proposals refused\n",
	       cs_json_view_integer(e, "starts"),
	       cs_json_view_integer(e, "pairs"),
	       cs_json_view_integer(e, "refusals"));
	if (cs_json_view_integer(e, "would"))
		printf("        %" PRId64
		       " starts that mode act would have made\n",
		       cs_json_view_integer(e, "would"));
}

/* Numbers that somebody should look into, if not 0. */
static void notable(struct json_object *o)
{
	static const struct {
		const char *in, *key, *text;
	} all[] = {
		{ "fallbacks", "in_a_row", "fall-backs of the watchdog" },
		{ "counts", "gate_lapses", "lapses of the gate" },
		{ "counts", "starts_unfit", "planned starts that did not fit" },
		{ "engine", "unknown_profiles",
		  "unknown profiles in comments" },
		{ "engine", "malformed_comments", "malformed comments" },
		{ "engine", "promises_broken", "broken promises" },
	};
	const char *between = "see     ";

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int64_t n = cs_json_view_integer(
			cs_json_view_member(o, all[i].in), all[i].key);

		if (!n)
			continue;
		printf("%s%s: %" PRId64, between, all[i].text, n);
		between = ", ";
	}
	if (*between == ',')
		printf(" (-v)\n");
}

static int print(struct json_object *o)
{
	struct json_object *e = cs_json_view_member(o, "engine");
	const char *gate = cs_json_view_text(o, "gate");

	head(o);
	if (json_object_is_type(e, json_type_object))
		jobs(e);
	if (*gate)
		printf("gate    %s\n", gate);
	printf("cycle   last %.1f ms, longest %.1f ms, of %" PRId64 "\n",
	       (double)cs_json_view_integer(o, "cycle_last_us") / 1e3,
	       (double)cs_json_view_integer(o, "cycle_max_us") / 1e3,
	       cs_json_view_integer(o, "cycles"));
	batch(o);
	rpcs(o);
	notable(o);
	return CS_EXIT_OK;
}

/* Names and numbers that say little to those who did not write them. */
static void explain_counts(struct json_object *o)
{
	static const struct {
		const char *in, *key, *shown, *text;
	} all[] = {
		{ "counts", "starts_refused", "starts_refused",
		  "Slurm's own attempts, held off by the gate: as it should be" },
		{ "counts", "starts_unfit", "starts_unfit",
		  "planned, but Slurm could not; planned again" },
		{ "engine", "reservations", "promised_starts",
		  "waiting jobs with a promised start; not scontrol's "
		  "reservations" },
		{ "engine", "refusals", "refusals",
		  "of starts that Slurm did not make; each is planned again" },
	};
	char text[160];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct json_object *in = cs_json_view_member(o, all[i].in);

		if (!cs_json_view_member(in, all[i].key))
			continue;
		snprintf(text, sizeof(text), "%" PRId64 "  (%s)",
			 cs_json_view_integer(in, all[i].key), all[i].text);
		json_object_object_del(in, all[i].key);
		json_object_object_add(in, all[i].shown,
				       json_object_new_string(text));
	}
}

static int print_all(struct json_object *o)
{
	explain_counts(o);
	head(o);
	cs_json_view(o, said, 0);
	return CS_EXIT_OK;
}

/* Monitoring asks whether the plugin does what is set. */
static int judge(struct json_object *o)
{
	return cs_plugin_trouble(o, count, NULL) ? CS_EXIT_NO : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct cs_plugin_view view = { .print = print,
						    .print_all = print_all,
						    .judge = judge };

	return cs_plugin_command(&cs_cmd_status, argc, argv, &view);
}

const struct cs_cmd cs_cmd_status = {
	"status", "[OPTION]...", "Show what the plugin in slurmctld does.", run,
	CS_PLUGIN_OPTIONS
	"  -v             all counts and times\n"
	"Exit status 1: the plugin does not answer, or does not do what is set.\n"
	"cosched(1) explains each line.  gate on: jobs start only where the plugin "
	"planned\nthem; starts imposed: made as planned; would: starts that mode "
	"shadow would have\nmade; us: microseconds.\n"
};
