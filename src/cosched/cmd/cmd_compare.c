/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched compare TRACE...: several policies on the same jobs.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/trace_file.h"
#include "compare/compare_parts.h"
#include "compare/compare_users.h"
#include "sim/parallel.h"

#define REPLICAS_MAX 100000
#define HOURS_MAX 1000000 /* of a window */

/* ---- options ------------------------------------------------------------- */

static const char *const names[CS_CMP_OPTIONS] = {
	"machine",   "sites",	    "policies",	     "profiles",
	"estimates", "workload",    "replicas",	     "seed",
	"jobs",	     "summary",	    "html",	     "window",
	"truth",     "truth-noise", "sbatch-folder", "gpus",
};

/* @value NULL: *ret stays. */
static int whole(const char *option, const char *value, int64_t low,
		 int64_t high, int64_t *ret)
{
	return value ? cs_cmd_whole("compare", option, value, low, high, ret)
		     : 0;
}

static bool to_stdout(const struct cs_compare_wish *w)
{
	return (w->of[CS_CMP_SUMMARY] && !strcmp(w->of[CS_CMP_SUMMARY], "-")) ||
	       (w->of[CS_CMP_HTML] && !strcmp(w->of[CS_CMP_HTML], "-"));
}

/* Check that the options fit together. */
static int check(const struct cs_compare_wish *w)
{
	static const int of_workload[] = { CS_CMP_REPLICAS, CS_CMP_SEED,
					   CS_CMP_JOBS };

	if (w->of[CS_CMP_MACHINE] && w->of[CS_CMP_SITES])
		return cs_cmd_bad(
			"compare: --machine and --sites, expected one of "
			"them");
	if (!w->of[CS_CMP_MACHINE] && !w->of[CS_CMP_SITES])
		return cs_cmd_bad("compare: no --machine, expected "
				  "NODESxSOCKETSxCORES such as 128x2x2");
	if (w->of[CS_CMP_GPUS] && w->of[CS_CMP_SITES])
		return cs_cmd_bad("compare: --gpus and --sites, expected "
				  "--machine beside --gpus");
	if (!w->of[CS_CMP_POLICIES])
		return cs_cmd_bad(
			"compare: no --policies, expected presets such "
			"as easy,glts:slice=pect");
	if (w->of[CS_CMP_ESTIMATES] &&
	    strcmp(w->of[CS_CMP_ESTIMATES], "trace") &&
	    strcmp(w->of[CS_CMP_ESTIMATES], "exact"))
		return cs_cmd_bad("compare: --estimates is '%.100s', expected "
				  "trace or exact",
				  w->of[CS_CMP_ESTIMATES]);
	if (w->of[CS_CMP_WORKLOAD] ? w->n_trace : !w->n_trace)
		return cs_cmd_bad("compare: %s, expected traces or --workload",
				  w->n_trace ? "both a trace and --workload"
					     : "no trace");
	for (size_t i = 0; !w->of[CS_CMP_WORKLOAD] && i < 3; i++)
		if (w->of[of_workload[i]])
			return cs_cmd_bad("compare: --%s without --workload, "
					  "expected both",
					  names[of_workload[i]]);
	if (w->of[CS_CMP_WINDOW] && !w->of[CS_CMP_HTML])
		return cs_cmd_bad("compare: --window without --html, expected "
				  "both");
	if (w->of[CS_CMP_HTML] && w->of[CS_CMP_SUMMARY] &&
	    !strcmp(w->of[CS_CMP_HTML], "-") &&
	    !strcmp(w->of[CS_CMP_SUMMARY], "-"))
		return cs_cmd_bad("compare: '-' given twice, expected once");
	for (size_t i = 0; w->sbatch && i < w->n_trace; i++)
		if (!strcmp(w->trace[i], "-"))
			return cs_cmd_bad("compare: --sbatch and the trace "
					  "'-', expected a file");
	if (w->of[CS_CMP_SHARED] && !w->sbatch)
		return cs_cmd_bad("compare: --sbatch-folder without --sbatch, "
				  "expected both");
	if (w->json && to_stdout(w))
		return cs_cmd_bad(
			"compare: '-' and --json, expected one of them");
	return CS_EXIT_OK;
}

/* "FROM-TO", in hours. */
static int read_window(struct cs_compare_wish *w)
{
	const char *value = w->of[CS_CMP_WINDOW];
	double from = 0, to = 0;
	char *end;

	if (!value)
		return 0;
	if (!value[strspn(value, "0123456789.-")] && *value != '-') {
		from = strtod(value, &end);
		if (*end == '-' && end[1] && end[1] != '-') {
			to = strtod(end + 1, &end);
			to = *end ? 0 : to;
		}
	}
	w->from_us = (int64_t)(from < HOURS_MAX ? from * 3600e6 : 0);
	w->to_us = (int64_t)(to < HOURS_MAX ? to * 3600e6 : 0);
	if (from >= to || w->to_us <= w->from_us)
		return cs_cmd_bad(
			"compare: --window is '%.100s', expected hours "
			"since the first submit such as 24-48",
			value);
	return 0;
}

static int numbers(struct cs_compare_wish *w, const char *width)
{
	int rc;

	w->replicas = w->seed = 1;
	w->jobs = 10000;
	w->width = (int64_t)cs_parallel_cores();
	rc = whole("-j", width, 1, CS_PARALLEL_MAX, &w->width);
	if (!rc)
		rc = whole("--replicas", w->of[CS_CMP_REPLICAS], 1,
			   REPLICAS_MAX, &w->replicas);
	if (!rc)
		rc = whole("--seed", w->of[CS_CMP_SEED], 0,
			   CS_WORKLOAD_SEED_MAX - REPLICAS_MAX, &w->seed);
	if (!rc)
		rc = whole("--jobs", w->of[CS_CMP_JOBS], 1,
			   CS_WORKLOAD_JOBS_MAX, &w->jobs);
	return rc ? rc : read_window(w);
}

/* @set has room for one entry per argument. */
static int read_options(int argc, char **argv, struct cs_compare_wish *w,
			const char **set)
{
	static struct option options[CS_CMP_OPTIONS + 8] = {
		{ "help", 0, NULL, 'h' },   { "set", 1, NULL, 's' },
		{ "j", 1, NULL, 'j' },	    { "live-defaults", 0, NULL, 'l' },
		{ "json", 0, NULL, 'o' },   { "strict", 0, NULL, 'k' },
		{ "sbatch", 2, NULL, 'b' },
	};
	const char *width = NULL;
	int c, rc;

	for (int i = 0; i < CS_CMP_OPTIONS; i++)
		options[i + 7] = (struct option){ names[i], 1, NULL, 256 + i };
	w->set = set;
	while ((c = cs_cmd_getopt(&cs_cmd_compare, argc, argv, options)) !=
	       -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'j')
			width = optarg;
		else if (c == 'l')
			w->live = true;
		else if (c == 'k')
			w->strict = true;
		else if (c == 'o')
			w->json = true;
		else if (c == 'b')
			w->sbatch = optarg ? optarg : "";
		else if (c == 's')
			set[w->n_set++] = optarg;
		else
			w->of[c - 256] = optarg;
	}
	w->trace = argv + optind;
	w->n_trace = (size_t)(argc - optind);
	w->argv = argv;
	w->argc = argc;
	if (width && w->sbatch)
		return cs_cmd_bad("compare: -j and --sbatch, expected one of "
				  "them");
	rc = numbers(w, width);
	return rc ? rc : check(w);
}

/* ---- input and output ---------------------------------------------------- */

static int prepare(const struct cs_compare_wish *w, struct cs_compare_work *k)
{
	struct cs_err err = { "" };
	int rc;

	k->c.host = w->live ? CS_HOST_SIM_LIVE : CS_HOST_SIM;
	k->c.machine_text = w->of[CS_CMP_MACHINE] ?: w->of[CS_CMP_SITES];
	if (w->of[CS_CMP_ESTIMATES] &&
	    !strcmp(w->of[CS_CMP_ESTIMATES], "exact"))
		k->c.estimates = CS_ESTIMATES_EXACT;
	if (w->of[CS_CMP_SITES]
		    ? cs_sim_sites(k->c.machine_text, &k->c.machine, &err)
		    : cs_sim_machine_gpus(k->c.machine_text, w->of[CS_CMP_GPUS],
					  &k->c.machine, &err))
		return cs_cmd_bad("compare: %s", err.text);
	k->truth.file = w->of[CS_CMP_TRUTH];
	k->truth.noise = w->of[CS_CMP_NOISE];
	rc = cs_truth_option("compare", &k->truth);
	if (!rc)
		rc = cs_compare_policies(w, &k->c);
	if (!rc)
		rc = cs_compare_cases(w, k);
	if (rc)
		return rc;
	for (size_t i = 0; i < w->n_trace; i++)
		if ((w->of[CS_CMP_SUMMARY] &&
		     cs_outfile_over(w->of[CS_CMP_SUMMARY], w->trace[i])) ||
		    (w->of[CS_CMP_HTML] &&
		     cs_outfile_over(w->of[CS_CMP_HTML], w->trace[i])))
			return cs_cmd_bad("compare: '%s' is a trace, expected "
					  "another file for an output",
					  w->trace[i]);
	if (w->task) /* it writes its results only */
		goto page;
	if (w->of[CS_CMP_SUMMARY] &&
	    cs_outfile_open(&k->summary, w->of[CS_CMP_SUMMARY], &err))
		return cs_cmd_bad("compare: %s", err.text);
	if (w->of[CS_CMP_HTML] &&
	    cs_outfile_open(&k->html, w->of[CS_CMP_HTML], &err))
		return cs_cmd_bad("compare: %s", err.text);
page:
	if (w->of[CS_CMP_HTML])
		k->view = calloc(k->c.n_policy, sizeof(*k->view));
	if (w->of[CS_CMP_HTML] && !k->view)
		return cs_cmd_bad("compare: no memory");
	k->watch.from_us = w->from_us;
	k->watch.to_us = w->to_us;
	return CS_EXIT_OK;
}

static int put_out(const struct cs_compare_wish *w, struct cs_compare_work *k)
{
	struct cs_outfile *out[] = { &k->summary, &k->html };
	struct cs_page page = { .c = &k->c,
				.first = &k->trace[0],
				.view = k->view,
				.step_us = k->watch.step_us,
				.from_us = k->watch.from_us,
				.to_us = k->watch.to_us };
	const char *name = w->of[CS_CMP_SUMMARY];
	struct cs_err err = { "" };
	int rc = 0;

	if (k->view && !w->of[CS_CMP_WINDOW])
		page.to_us = cs_page_window_end(&page);
	if (name)
		rc = cs_compare_summary(k->summary.file, &k->c);
	if (!rc && w->of[CS_CMP_HTML]) {
		name = w->of[CS_CMP_HTML];
		rc = cs_compare_page(k->html.file, &page);
	}
	if (rc)
		return cs_cmd_bad("compare: '%s': %s", name, strerror(-rc));
	for (int i = 0; i < 2; i++)
		if (out[i]->file && cs_outfile_flush(out[i], &err))
			return cs_cmd_bad("compare: %s", err.text);
	for (int i = 0; i < 2; i++)
		if (out[i]->file && cs_outfile_keep(out[i], &err))
			return cs_cmd_bad("compare: %s", err.text);
	return CS_EXIT_OK;
}

static void work_done(struct cs_compare_work *k)
{
	cs_outfile_drop(&k->summary);
	cs_outfile_drop(&k->html);
	for (size_t i = 0; k->view && i < k->c.n_policy; i++) {
		free(k->view[i].core_us);
		free(k->view[i].span);
	}
	free(k->view);
	for (size_t i = 0; i < k->c.n_policy; i++) {
		free(k->c.policy[i].title);
		free(k->c.policy[i].settings);
		cs_params_done(&k->c.policy[i].params);
		cs_profiles_free(k->c.policy[i].profiles);
	}
	for (size_t i = 0; i < k->c.n_case; i++) {
		free(k->c.cases[i].title);
		cs_compare_users_done(&k->c.cases[i]);
		cs_trace_done(&k->trace[i]);
	}
	for (size_t i = 0; k->c.response_s && i < k->c.n_case * k->c.n_policy;
	     i++)
		free(k->c.response_s[i]);
	free(k->c.response_s);
	free(k->c.policy);
	free(k->c.cases);
	free(k->c.run);
	free(k->trace);
	cs_profiles_free(k->truth.truth);
	cs_machine_free(k->c.machine);
}

/* Print the result. */
static int say(const struct cs_compare_wish *w, const struct cs_compare *c)
{
	int rc = w->json ? cs_compare_summary(stdout, c) : cs_compare_say(c);

	return rc == -ENOMEM ? cs_cmd_bad("compare: no memory") : CS_EXIT_OK;
}

int cs_cmd_compare_history(int argc, char **argv,
			   const struct cs_compare_site *site)
{
	const char **set = calloc((size_t)argc, sizeof(*set));
	struct cs_compare_wish w = { .n_set = 0 };
	struct cs_compare_work k = { .c.site = site };
	int rc;

	if (!set)
		return cs_cmd_bad("compare: no memory");
	rc = read_options(argc, argv, &w, set);
	if (!rc)
		rc = prepare(&w, &k);
	if (!rc)
		rc = cs_compare_runs(&w, &k);
	if (!rc)
		rc = put_out(&w, &k);
	if (!rc && !to_stdout(&w))
		rc = say(&w, &k.c);
	cs_sweep_done(&k.sweep, rc);
	/* whatif has told of its own traces */
	for (size_t i = 0; !rc && !site && i < w.n_trace; i++)
		cs_trace_file_skipped("compare", w.trace[i], &k.trace[i]);
	work_done(&k);
	free(set);
	/* as without --sbatch: the signal ends the command, once its files are gone */
	if (k.signal)
		raise(k.signal);
	return rc;
}

/* A task of a job array: a part of the simulations. */
static int run_task(const char *folder)
{
	struct cs_compare_site site = { .policy = NULL };
	struct cs_compare_work k = { .signal = 0 };
	struct cs_compare_wish w = { .n_set = 0 };
	struct cs_sweep_task task;
	const char **set = NULL;
	int argc, rc = cs_compare_task_begin(&task, &site, folder);

	if (!rc) {
		char **argv = cs_compare_task_args(&task, &argc);

		set = calloc((size_t)argc, sizeof(*set));
		optind = 0;
		rc = set ? read_options(argc, argv, &w, set)
			 : cs_cmd_bad("compare: no memory");
	}
	w.task = &task;
	if (!rc && cs_compare_task_of_site(&task))
		k.c.site = &site;
	if (!rc)
		rc = prepare(&w, &k);
	if (!rc)
		rc = cs_compare_runs(&w, &k);
	work_done(&k);
	cs_sweep_task_done(&task);
	free(set);
	return rc;
}

static int run(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--sbatch-task"))
		return run_task(argv[2]);
	return cs_cmd_compare_history(argc, argv, NULL);
}

const struct cs_cmd cs_cmd_compare = {
	"compare", "OPTION... TRACE...",
	"Compare policies on traces or generated workloads.", run,
	"  --machine NxSxC    nodes, sockets a node, cores a socket\n"
	"  --gpus [TYPE:]N    GPUs of each node, or of each kind, joined by +\n"
	"  --sites NxK,...    instead: N sites of K nodes with one core\n"
	"  --policies A,B     presets of cosched-params(5), the first is the "
	"baseline;\n"
	"                     optionally with settings: glts:slice=pect:"
	"block_size=12\n"
	"  --set KEY=VALUE    a parameter for all policies that do not set it\n"
	"  --live-defaults    slurmctld's defaults for the other keys\n"
	"  --profiles FILE    how jobs slow each other down\n"
	"  --truth FILE       how they really do, whatever the policies believe\n"
	"  --truth-noise P    by how many per cent repeats of a job differ (0)\n"
	"  --strict           stop at the first line of a trace that cannot be "
	"simulated,\n"
	"                     instead of skipping it\n"
	"  --estimates exact  the runtimes instead of users' estimates\n"
	"  --workload MODEL   instead of traces: w1, w2, lublin or "
	"uniform-log\n"
	"  --replicas N       of the model, each with its own seed (1)\n"
	"  --seed N           of the first, and of slowdowns=table4 (1)\n"
	"  --jobs N           of a workload (10000)\n"
	"  -j N               simulations at a time (all cores)\n"
	"  --sbatch[=OPTIONS] run them as tasks of a job array on this site's "
	"Slurm; OPTIONS\n"
	"                     are sbatch's, in quotes: '-p short -t 30'\n"
	"  --sbatch-folder F  a folder that all nodes share, for its files (the "
	"current\n"
	"                     one)\n"
	"  --summary FILE     means, changes and all runs as JSON\n"
	"  --json             print the same instead of text\n"
	"  --html FILE        one page with tables and plots\n"
	"  --window H-H       hours of its Gantt chart, of the first trace "
	"(the day\n"
	"                     with the most work)\n"
	"TRACE is a workload log (SWF), plain or compressed, or - for "
	"standard input.\n"
};
