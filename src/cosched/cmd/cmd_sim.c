/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched sim TRACE: what a policy would have done with these jobs.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/profile_file.h"
#include "cli/progress_bar.h"
#include "cli/sim_report.h"
#include "cli/trace_file.h"
#include "common/slice/slice.h"
#include "sim/batsim.h"
#include "sim/outfile.h"
#include "sim/output.h"
#include "sim/sim.h"

/* ---- options ------------------------------------------------------------- */

enum out { OUT_EVENTS, OUT_JOBS, OUT_SUMMARY, OUTS };

struct wish {
	const char *machine, *gpus, *sites, *profiles, *trace;
	struct cs_truth_option truth;
	const char *out[OUTS];		/* file names or NULL */
	char settings[CS_SETTINGS_MAX]; /* for cs_params_parse() */
	enum cs_estimates estimates;
	enum cs_param_host host; /* whose defaults apply */
	bool campaigns;		 /* by the trace's field 14 */
	bool strict;		 /* about lines of the trace */
	bool json;		 /* print the summary instead */
};

static int set(struct wish *w, const char *key, const char *value)
{
	return cs_cmd_add_setting("sim", w->settings, key, value);
}

static int set_estimates(struct wish *w, const char *value)
{
	if (strcmp(value, "trace") && strcmp(value, "exact"))
		return cs_cmd_bad(
			"sim: estimates '%s', expected trace or exact", value);
	w->estimates = strcmp(value, "exact") ? CS_ESTIMATES_TRACE
					      : CS_ESTIMATES_EXACT;
	return CS_EXIT_OK;
}

static int set_campaigns(struct wish *w, const char *value)
{
	if (strcmp(value, "rule") && strcmp(value, "field14"))
		return cs_cmd_bad(
			"sim: campaigns '%s', expected rule or field14", value);
	w->campaigns = !strcmp(value, "field14");
	return CS_EXIT_OK;
}

static int take(struct wish *w, int c, const char *value)
{
	switch (c) {
	case 'm':
		w->machine = value;
		return CS_EXIT_OK;
	case 'g':
		w->gpus = value;
		return CS_EXIT_OK;
	case 'i':
		w->sites = value;
		return CS_EXIT_OK;
	case 'p':
		return set(w, "policy", value);
	case 's':
		return set(w, NULL, value);
	case 'f':
		w->profiles = value;
		return set(w, "profiles", value);
	case 't':
		w->truth.file = value;
		return CS_EXIT_OK;
	case 'n':
		w->truth.noise = value;
		return CS_EXIT_OK;
	case 'r':
		return set(w, "seed", value);
	case 'x':
		return set_estimates(w, value);
	case 'c':
		return set_campaigns(w, value);
	case 'l':
		w->host = CS_HOST_SIM_LIVE;
		return CS_EXIT_OK;
	case 'k':
		w->strict = true;
		return CS_EXIT_OK;
	case 'o':
		w->json = true;
		return CS_EXIT_OK;
	case 'e':
		w->out[OUT_EVENTS] = value;
		return CS_EXIT_OK;
	case 'j':
		w->out[OUT_JOBS] = value;
		return CS_EXIT_OK;
	case 'y':
		w->out[OUT_SUMMARY] = value;
		return CS_EXIT_OK;
	default:
		return CS_EXIT_USAGE;
	}
}

/* Is one of the files standard output?  More than one: an error. */
static int to_stdout(const struct wish *w, bool *ret)
{
	int n = 0;

	for (int i = 0; i < OUTS; i++)
		n += w->out[i] && !strcmp(w->out[i], "-");
	*ret = n > 0;
	if (n > 1)
		return cs_cmd_bad("sim: '-' given %d times, expected once", n);
	if (n && w->json)
		return cs_cmd_bad("sim: '-' and --json, expected one of them");
	return CS_EXIT_OK;
}

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = {
		{ "machine", 1, NULL, 'm' },
		{ "gpus", 1, NULL, 'g' },
		{ "sites", 1, NULL, 'i' },
		{ "policy", 1, NULL, 'p' },
		{ "set", 1, NULL, 's' },
		{ "profiles", 1, NULL, 'f' },
		{ "seed", 1, NULL, 'r' },
		{ "estimates", 1, NULL, 'x' },
		{ "events", 1, NULL, 'e' },
		{ "jobs", 1, NULL, 'j' },
		{ "summary", 1, NULL, 'y' },
		{ "campaigns", 1, NULL, 'c' },
		{ "truth", 1, NULL, 't' },
		{ "truth-noise", 1, NULL, 'n' },
		{ "live-defaults", 0, NULL, 'l' },
		{ "strict", 0, NULL, 'k' },
		{ "json", 0, NULL, 'o' },
		{ "help", 0, NULL, 'h' },
		{ 0 },
	};
	int c, rc = CS_EXIT_OK;

	while (!rc &&
	       (c = cs_cmd_getopt(&cs_cmd_sim, argc, argv, options)) != -1)
		rc = take(w, c, optarg);
	if (rc)
		return rc;
	if (w->machine && w->sites)
		return cs_cmd_bad(
			"sim: --machine and --sites, expected one of them");
	if (!w->machine && !w->sites)
		return cs_cmd_bad("sim: no --machine, expected "
				  "NODESxSOCKETSxCORES such as 128x2x2");
	if (w->gpus && w->sites)
		return cs_cmd_bad("sim: --gpus and --sites, expected --machine "
				  "beside --gpus");
	if (argc - optind != 1)
		return cs_cmd_bad("sim: %d traces, expected one (- is standard "
				  "input)",
				  argc - optind);
	w->trace = argv[optind];
	return CS_EXIT_OK;
}

/* ---- what is simulated --------------------------------------------------- */

struct work {
	struct cs_machine *machine;
	struct cs_params params;
	struct cs_profiles *profiles;
	struct cs_trace trace;
	struct cs_sim_result result;
	struct cs_batsim batsim; /* --jobs FILE.csv */
	struct cs_metrics figures;
	struct cs_outfile out[OUTS];
	double wall_seconds;
};

static void tell_old_name(void *arg, size_t at, const char *text)
{
	(void)arg;
	(void)at;
	fprintf(stderr, "cosched: sim: %s\n", text);
}

static const char *machine_of(const struct wish *w)
{
	return w->sites ? w->sites : w->machine;
}

static int prepare(struct wish *w, struct work *k)
{
	struct cs_trace_options options = { .estimates = w->estimates,
					    .strict = w->strict };
	struct cs_err err = { "" };
	int rc;

	if ((w->sites ? cs_sim_sites(w->sites, &k->machine, &err)
		      : cs_sim_machine_gpus(w->machine, w->gpus, &k->machine,
					    &err)) ||
	    cs_params_parse(&k->params, w->host, w->settings, "", &err))
		return cs_cmd_bad("sim: %s", err.text);
	cs_params_renamed(w->settings, "", tell_old_name, NULL);
	if (*k->params.profiles) {
		rc = cs_profile_file("sim", k->params.profiles, &k->profiles);
		if (rc)
			return rc;
	}
	rc = cs_truth_option("sim", &w->truth);
	if (rc)
		return rc;
	for (int i = 0; i < OUTS; i++)
		if (w->out[i] && cs_outfile_over(w->out[i], w->trace))
			return cs_cmd_bad("sim: '%s' is the trace, expected "
					  "another file for an output",
					  w->out[i]);
	for (int i = 0; i < OUTS; i++)
		if (w->out[i] && cs_outfile_open(&k->out[i], w->out[i], &err))
			return cs_cmd_bad("sim: %s", err.text);
	if (k->machine->gpus_most && cs_slice_choose(&k->params)->seat)
		return cs_cmd_bad("sim: --gpus with slice=gang, expected "
				  "slice=none or pect");
	options.max_procs = cs_machine_cores(k->machine);
	options.machine = k->machine;
	rc = cs_trace_file("sim", w->trace, machine_of(w), &options, &k->trace);
	if (rc)
		return rc;
	cs_sim_clock(&k->params, &k->trace);
	return CS_EXIT_OK;
}

/* Are the jobs to be written as Batsim does? */
static bool csv(const struct wish *w)
{
	return w->out[OUT_JOBS] && cs_batsim_wanted(w->out[OUT_JOBS]);
}

static int simulate(const struct wish *w, struct work *k)
{
	struct cs_bar bar;
	struct cs_sim_options options = {
		.machine = k->machine,
		.params = &k->params,
		.profiles = k->profiles,
		.truth = w->truth.truth,
		.truth_noise = w->truth.noise_percent / 100,
		.events = k->out[OUT_EVENTS].file,
		.version = COSCHED_VERSION,
		.campaigns = w->campaigns,
		.progress = cs_bar_draw,
		.arg = &bar,
	};
	struct cs_err err = { "" };
	double from = cs_cmd_clock_s();
	int rc;

	if (csv(w)) {
		if (cs_batsim_init(&k->batsim, &k->trace, k->machine))
			return cs_cmd_bad("sim: no memory");
		options.heard = cs_batsim_hear;
		options.heard_arg = &k->batsim;
	}
	cs_bar_init(&bar);
	rc = cs_sim_run(&options, &k->trace, &k->result, &err);
	cs_bar_done(&bar);
	k->wall_seconds = cs_cmd_clock_s() - from;
	if (rc && options.events && ferror(options.events))
		return cs_cmd_bad("sim: '%s': %s", w->out[OUT_EVENTS],
				  err.text);
	if (rc)
		return cs_cmd_bad("sim: %s", err.text);
	if (cs_metrics(&k->figures, &k->trace, &k->result, k->machine,
		       &k->params))
		return cs_cmd_bad("sim: no memory");
	if (!k->figures.jobs)
		return cs_cmd_bad("sim: machine '%s' holds none of the jobs of "
				  "'%s', expected a larger one",
				  machine_of(w), w->trace);
	return CS_EXIT_OK;
}

static struct cs_spread spread(const struct work *k)
{
	return cs_spread(&k->params, k->figures.ucore_high,
			 k->figures.unode_high, k->figures.grouped.jobs);
}

static struct cs_output_run run_of(const struct wish *w, const struct work *k)
{
	return (struct cs_output_run){ .machine = k->machine,
				       .params = &k->params,
				       .estimates = w->estimates,
				       .version = COSCHED_VERSION,
				       .wall_seconds = k->wall_seconds,
				       .truth = w->truth.file,
				       .truth_noise = w->truth.noise_percent,
				       .spread_jobs = spread(k).there };
}

static int put_out(const struct wish *w, struct work *k)
{
	struct cs_output_run run = run_of(w, k);
	struct cs_err err = { "" };
	int rc = 0, i = OUT_JOBS;

	if (k->out[i].file && csv(w))
		rc = cs_batsim_write(&k->batsim, k->out[i].file, w->trace,
				     &k->trace, &k->result);
	else if (k->out[i].file)
		rc = cs_output_jobs(k->out[i].file, &k->trace, &k->result);
	if (!rc && k->out[++i].file)
		rc = cs_output_summary(k->out[i].file, &k->figures, &run);
	if (rc)
		return cs_cmd_bad("sim: '%s': %s", w->out[i], strerror(-rc));
	for (i = 0; i < OUTS; i++)
		if (k->out[i].file && cs_outfile_flush(&k->out[i], &err))
			return cs_cmd_bad("sim: %s", err.text);
	for (i = 0; i < OUTS; i++)
		if (k->out[i].file && cs_outfile_keep(&k->out[i], &err))
			return cs_cmd_bad("sim: %s", err.text);
	return CS_EXIT_OK;
}

static int say(const struct wish *w, const struct work *k)
{
	struct cs_output_run run = run_of(w, k);
	struct cs_spread note = spread(k);

	if (w->json && cs_output_summary(stdout, &k->figures, &run) == -ENOMEM)
		return cs_cmd_bad("sim: no memory");
	if (w->json)
		return CS_EXIT_OK;
	cs_sim_report_figures(&k->figures, &k->params, k->wall_seconds);
	if (note.there)
		printf("note: %s\n", note.text);
	return CS_EXIT_OK;
}

static void work_done(struct work *k)
{
	for (int i = 0; i < OUTS; i++)
		cs_outfile_drop(&k->out[i]);
	cs_batsim_done(&k->batsim);
	cs_sim_result_done(&k->result);
	cs_trace_done(&k->trace);
	cs_profiles_free(k->profiles);
	cs_params_done(&k->params);
	cs_machine_free(k->machine);
}

static int run(int argc, char **argv)
{
	static struct wish w = { .host = CS_HOST_SIM };
	struct work k = { 0 };
	bool quiet;
	int rc = read_options(argc, argv, &w);

	if (!rc)
		rc = to_stdout(&w, &quiet);
	if (rc)
		return rc;
	rc = prepare(&w, &k);
	if (!rc)
		rc = simulate(&w, &k);
	if (!rc)
		rc = put_out(&w, &k);
	if (!rc && !quiet)
		rc = say(&w, &k);
	if (!rc)
		cs_trace_file_skipped("sim", w.trace, &k.trace);
	work_done(&k);
	cs_profiles_free(w.truth.truth);
	return rc;
}

const struct cs_cmd cs_cmd_sim = {
	"sim", "OPTION... TRACE", "Simulate a policy on a workload log.", run,
	"  --machine NxSxC    nodes, sockets a node, cores a socket; kinds of "
	"nodes joined by +\n"
	"  --gpus [TYPE:]N    GPUs of each node, or of each kind, joined by +\n"
	"  --sites NxK,...    instead: N sites of K nodes with one core, such as "
	"4x64,6x32;\n"
	"                     or NxKxSxC, of larger ones\n"
	"  --policy PRESET    of cosched-params(5); default easy\n"
	"  --live-defaults    slurmctld's defaults, policy balanced among them\n"
	"  --set KEY=VALUE    a parameter; may be repeated\n"
	"  --profiles FILE    how jobs slow each other down\n"
	"  --truth FILE       how they really do, whatever --profiles makes the "
	"policy believe\n"
	"  --truth-noise P    by how many per cent repeats of a job differ "
	"(0)\n"
	"  --seed N           of random draws; default 1\n"
	"  --strict           stop at the first line of TRACE that cannot be "
	"simulated,\n"
	"                     instead of skipping it\n"
	"  --estimates exact  the runtimes instead of users' estimates\n"
	"  --campaigns field14\n"
	"                     with order=ostrich, field 14 of the log numbers "
	"the campaigns\n"
	"  --events FILE      the event log, for cosched check\n"
	"  --jobs FILE        start and end of each job, one per line; FILE.csv: in "
	"Batsim's\n"
	"                     columns, which evalys reads\n"
	"  --summary FILE     all figures, as a JSON object\n"
	"  --json             the answer as JSON\n"
	"TRACE is a workload log (SWF), plain or compressed, or - for "
	"standard input.\nFILE may be - for standard output, which then gets "
	"nothing else.\n"
};
