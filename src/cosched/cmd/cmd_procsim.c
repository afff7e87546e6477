/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched procsim: implicit coscheduling, simulated process by process.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "procsim/checker.h"
#include "procsim/summary.h"
#include "sim/outfile.h"

struct wish {
	struct cs_setting set;
	const struct cs_scheme *scheme;
	const char *workload, *load;
	int64_t seed;
	const char *summary, *events, *check; /* files; NULL: none */
	bool keys;
};

/* ---------------------------------------------------------------- options */

static int read_scheme(struct wish *w, const char *name)
{
	w->scheme = cs_scheme_named(name);
	if (w->scheme)
		return 0;
	return cs_cmd_bad("procsim: scheme '%.60s', expected LOCAL, DCS, PB, "
			  "SB, IB, HYBRID, PROC-S, PROC-B, GS, BATCH, FIFO or "
			  "RANDOM",
			  name);
}

static int read_workload(struct wish *w, const char *name)
{
	w->workload = name;
	if (cs_mix_is_workload(name))
		return 0;
	return cs_cmd_bad("procsim: workload '%.60s', expected one "
			  "of " CS_MIX_NAMES,
			  name);
}

static int read_load(struct wish *w, const char *name)
{
	w->load = name;
	if (cs_mix_is_load(name))
		return 0;
	return cs_cmd_bad("procsim: load '%.60s', expected light, medium or "
			  "heavy",
			  name);
}

static int read_option(struct wish *w, int c)
{
	struct cs_err err;

	switch (c) {
	case 's':
		return read_scheme(w, optarg);
	case 'w':
		return read_workload(w, optarg);
	case 'l':
		return read_load(w, optarg);
	case 'k':
		if (cs_setting_set(&w->set, optarg, &err))
			return cs_cmd_bad("procsim: %s", err.text);
		return 0;
	case 'n':
		return cs_cmd_whole("procsim", "--seed", optarg, 0, INT64_MAX,
				    &w->seed);
	case 'S':
		w->summary = optarg;
		return 0;
	case 'e':
		w->events = optarg;
		return 0;
	case 'c':
		w->check = optarg;
		return 0;
	case 'K':
		w->keys = true;
		return 0;
	default:
		return CS_EXIT_USAGE;
	}
}

/* Are the files fit to be written, and is only one thing asked for? */
static int check_wish(const struct wish *w)
{
	if ((w->summary && !*w->summary) || (w->events && !*w->events))
		return cs_cmd_bad("procsim: %s is empty, expected a file or -",
				  w->events && !*w->events ? "--events"
							   : "--summary");
	if (w->summary && w->events && !strcmp(w->summary, "-") &&
	    !strcmp(w->events, "-"))
		return cs_cmd_bad(
			"procsim: --summary and --events are both -, expected one of them");
	if (!!w->scheme + !!w->check + w->keys > 1)
		return cs_cmd_bad(
			"procsim: several of --scheme, --check and --keys, expected one");
	if (!w->scheme && !w->check && !w->keys)
		return cs_cmd_bad("procsim: no --scheme, expected one");
	return 0;
}

static int read_options(struct wish *w, int argc, char **argv)
{
	static const struct option options[] = {
		{ "scheme", 1, NULL, 's' }, { "workload", 1, NULL, 'w' },
		{ "load", 1, NULL, 'l' },   { "set", 1, NULL, 'k' },
		{ "seed", 1, NULL, 'n' },   { "summary", 1, NULL, 'S' },
		{ "events", 1, NULL, 'e' }, { "check", 1, NULL, 'c' },
		{ "keys", 0, NULL, 'K' },   { "help", 0, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct cs_err err;
	int c, rc;

	cs_setting_defaults(&w->set);
	while ((c = cs_cmd_getopt(&cs_cmd_procsim, argc, argv, options)) !=
	       -1) {
		rc = read_option(w, c);
		if (rc)
			return rc;
	}
	if (optind < argc)
		return cs_cmd_bad("procsim: '%.60s', expected only options",
				  argv[optind]);
	rc = check_wish(w);
	if (rc)
		return rc;
	if (cs_setting_check(&w->set, &err))
		return cs_cmd_bad("procsim: %s", err.text);
	return 0;
}

/* ---------------------------------------------------------------- the answers */

static int list_keys(void)
{
	const struct cs_setting_row *r;

	for (unsigned i = 0; (r = cs_setting_row(i)); i++) {
		printf("%s=%s", r->key, r->standard);
		if (*r->unit)
			printf(" %s", r->unit);
		if (*r->names)
			printf(" (%s)", r->names);
		printf("\n    %s [%s%s]\n", r->text,
		       strncmp(r->source, "section", 7) ? "" : "Yu07, ",
		       r->source);
	}
	return CS_EXIT_OK;
}

static int check(const char *name)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	struct cs_err err;
	uint64_t lines;
	int rc;

	if (!file)
		return cs_cmd_bad("procsim: cannot open '%s': %s", name,
				  strerror(errno));
	rc = cs_checker_run(file, &lines, &err);
	if (file != stdin)
		fclose(file);
	if (rc == -EPROTO)
		return cs_cmd_failed("procsim: '%s': %s", name, err.text);
	if (rc)
		return cs_cmd_bad("procsim: '%s': %s", name, err.text);
	printf("%" PRIu64 " lines, every rule is kept\n", lines);
	return CS_EXIT_OK;
}

static void say_ratio(const char *what, double v)
{
	if (v < 0)
		printf("%-22s -\n", what);
	else
		printf("%-22s %.1f %%\n", what, 100 * v);
}

static void say(const struct wish *w, const struct cs_procsim_result *r)
{
	double all_s = r->compute_s + r->communicate_s + r->spin_s +
		       r->switch_s + r->overhead_s + r->idle_s + r->empty_s;

	printf("%s, %s, %s load, %" PRId64 " jobs on %" PRId64 " nodes\n",
	       w->scheme->name, w->workload, w->load, w->set.jobs,
	       w->set.nodes);
	printf("%-22s %.4g s (%.4g s of it waiting to start)\n",
	       "mean response", r->response_s, r->wait_s);
	printf("%-22s %.4g jobs/s\n", "throughput", r->throughput);
	say_ratio("boost conflicts (BCR)", r->bcr);
	say_ratio("false decisions (FDR)", r->fdr);
	printf("%-22s compute %.1f, communicate %.1f, spin %.1f, switch %.1f, "
	       "overhead %.1f, idle %.1f, empty %.1f\n",
	       "CPU time, %", 100 * r->compute_s / all_s,
	       100 * r->communicate_s / all_s, 100 * r->spin_s / all_s,
	       100 * r->switch_s / all_s, 100 * r->overhead_s / all_s,
	       100 * r->idle_s / all_s, 100 * r->empty_s / all_s);
	if (r->capped)
		printf("note: capped at %.4g s, %" PRIu32 " of %" PRId64
		       " jobs had ended; times are lower bounds\n",
		       r->makespan_s, r->n_ended, w->set.jobs);
}

/* ----------------------------------------------------------------- the run */

static int open_out(struct cs_outfile *o, const char *name)
{
	struct cs_err err;

	return name && cs_outfile_open(o, name, &err)
		       ? cs_cmd_bad("procsim: %s", err.text)
		       : 0;
}

static int keep(struct cs_outfile *o)
{
	struct cs_err err;

	return o->file && cs_outfile_keep(o, &err)
		       ? cs_cmd_bad("procsim: %s", err.text)
		       : 0;
}

static int simulate(const struct wish *w, struct cs_outfile *summary,
		    struct cs_outfile *events)
{
	struct cs_summary names = { .workload = w->workload, .load = w->load };
	struct cs_mix_job *jobs =
		cs_mix_draw(&w->set, w->workload, w->load, (uint64_t)w->seed);
	struct cs_procsim ask = { .set = &w->set,
				  .scheme = w->scheme,
				  .job = jobs,
				  .seed = (uint64_t)w->seed,
				  .events = events->file };
	struct cs_procsim_result r;
	double from_s = cs_cmd_clock_s();
	struct cs_err err;
	int rc;

	if (!jobs)
		return cs_cmd_bad("procsim: no memory");
	rc = cs_procsim_run(&ask, &r, &err);
	free(jobs);
	if (rc)
		return cs_cmd_bad("procsim: %s", err.text);
	names.wall_s = cs_cmd_clock_s() - from_s;
	if (summary->file)
		rc = cs_summary_print(&names, &ask, &r, summary->file);
	if (rc)
		return cs_cmd_bad("procsim: cannot write the summary: %s",
				  strerror(-rc));
	if (!summary->file && (!w->events || strcmp(w->events, "-")))
		say(w, &r);
	return 0;
}

static int run(int argc, char **argv)
{
	struct wish w = { .workload = "wl4", .load = "heavy", .seed = 1 };
	struct cs_outfile summary = { 0 }, events = { 0 };
	int rc = read_options(&w, argc, argv);

	if (rc)
		return rc;
	if (w.keys)
		return list_keys();
	if (w.check)
		return check(w.check);
	rc = open_out(&summary, w.summary);
	if (!rc)
		rc = open_out(&events, w.events);
	if (!rc)
		rc = simulate(&w, &summary, &events);
	if (!rc)
		rc = keep(&events);
	if (!rc)
		rc = keep(&summary);
	cs_outfile_drop(&summary);
	cs_outfile_drop(&events);
	return rc;
}

const struct cs_cmd cs_cmd_procsim = {
	"procsim", "--scheme S [OPTION]...",
	"Simulate implicit coscheduling, process by process.", run,
	"  --scheme S          LOCAL, DCS, PB, SB, IB, HYBRID, PROC-S, PROC-B, "
	"GS, BATCH,\n"
	"                      FIFO or RANDOM\n"
	"  --workload W        wl1 to wl5, bt, mg, ft, is, cg or mix (wl4)\n"
	"  --load L            light, medium or heavy (heavy)\n"
	"  --set KEY=VALUE     a setting; may be repeated\n"
	"  --keys              list the settings, with defaults and sources\n"
	"  --seed N            of random draws (1)\n"
	"  --summary FILE      all figures, as a JSON object\n"
	"  --events FILE       what happened, line by line\n"
	"  --check FILE        instead: does such a file keep the rules?\n"
	"FILE may be - for standard output (--check: input), which then gets "
	"nothing else.\n"
};
