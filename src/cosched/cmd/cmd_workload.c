/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched workload MODEL: a generated trace, as SWF on standard output.
 *
 * Options override the model's values.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/progress_bar.h"
#include "cli/trace_file.h"
#include "common/base/textbuf.h"
#include "sim/lublin.h"
#include "sim/resample.h"
#include "sim/workload.h"

/* ---------------------------------------------------------------- options */

enum {
	NODES,
	JOBS,
	ALPHA,
	LOAD,
	SLOT_S,
	TYPES,
	MODIFY,
	RESIZE,
	SEED,
	N_OPTION
};

static const char *const names[N_OPTION] = {
	"nodes", "jobs",   "alpha",  "load", "slot-s",
	"types", "modify", "resize", "seed",
};

static int expected(int option, const char *value, const char *what)
{
	return cs_cmd_bad("workload: --%s is '%.100s', expected %s",
			  names[option], value, what);
}

static int whole(int option, const char *value, int64_t low, int64_t high,
		 int64_t *ret)
{
	char name[16];

	snprintf(name, sizeof(name), "--%s", names[option]);
	return cs_cmd_whole("workload", name, value, low, high, ret);
}

static int real(int option, const char *value, double low, double high,
		double *ret)
{
	char *end, what[100];

	*ret = strtod(value, &end);
	if (*value && !value[strspn(value, "0123456789.")] && !*end &&
	    *ret >= low && *ret <= high)
		return 0;
	snprintf(what, sizeof(what), "a number from %g to %g", low, high);
	return expected(option, value, what);
}

/* Is @value @yes?  Else it must be @no. */
static int either(int option, const char *value, const char *yes,
		  const char *no, bool *ret)
{
	char what[100];

	*ret = !strcmp(value, yes);
	if (*ret || !strcmp(value, no))
		return 0;
	snprintf(what, sizeof(what), "%s or %s", yes, no);
	return expected(option, value, what);
}

static int set(struct cs_workload *w, int option, const char *value)
{
	bool plain;
	int rc;

	switch (option) {
	case NODES:
		return whole(option, value, 1, CS_WORKLOAD_NODES_MAX,
			     &w->nodes);
	case JOBS:
		return whole(option, value, 1, CS_WORKLOAD_JOBS_MAX, &w->jobs);
	case SEED:
		return whole(option, value, 0, CS_WORKLOAD_SEED_MAX, &w->seed);
	case ALPHA:
		return real(option, value, .1, CS_LUBLIN_ALPHA_MAX, &w->alpha);
	case LOAD:
		return real(option, value, .001, 1000, &w->load);
	case SLOT_S:
		return whole(option, value, 1, 86400, &w->slot_s);
	case TYPES:
		return either(option, value, "on", "off", &w->types);
	case MODIFY:
		return either(option, value, "on", "off", &w->modify);
	default:
		rc = either(option, value, "plain", "pow2", &plain);
		w->resize = plain ? CS_RESIZE_PLAIN : CS_RESIZE_POW2;
		return rc;
	}
}

/* The model that draws from a log. */
#define RESAMPLE "resample"

/* Check its options. */
static int check_resample(struct cs_workload *w, const char *const *given)
{
	for (int i = 0; i < N_OPTION; i++)
		if (given[i] && i != JOBS && i != LOAD && i != SEED)
			return cs_cmd_bad("workload: --%s with " RESAMPLE
					  ", expected "
					  "--jobs, --load or --seed",
					  names[i]);
	if (!given[LOAD])
		w->load = 1;
	return 0;
}

/* Reject options that mean nothing to the model, or contradict each other. */
static int check(struct cs_workload *w, const char *const *given)
{
	static const int of_lublin[] = { ALPHA, TYPES };

	for (size_t i = 0; !w->lublin && i < 2; i++)
		if (given[of_lublin[i]])
			return cs_cmd_bad(
				"workload: --%s is for lublin, w1 and "
				"w2, expected none with '%s'",
				names[of_lublin[i]], w->model);
	if (w->lublin && given[LOAD])
		return cs_cmd_bad(
			"workload: --load is for uniform-log, expected "
			"--alpha with '%s'",
			w->model);
	if (w->lublin && given[SLOT_S])
		return cs_cmd_bad(
			"workload: --slot-s is for uniform-log, expected "
			"none with '%s'",
			w->model);
	if (given[RESIZE] && !w->modify)
		return cs_cmd_bad("workload: --resize without --modify on, "
				  "expected both");
	if (w->types && given[ALPHA])
		return cs_cmd_bad(
			"workload: --alpha with --types on, expected one "
			"of them: each type has an alpha of its own");
	if (w->types)
		w->alpha = 0;
	return 0;
}

/* The model's name, and for resample the log. */
static int read_model(struct cs_workload *w, const char **ret_log, int n,
		      char *const *arg)
{
	bool resample = n && !strcmp(arg[0], RESAMPLE);

	if (n != 1 + resample)
		return cs_cmd_bad(
			"workload: %s, expected one of lublin, uniform-log, w1, "
			"w2, or " RESAMPLE " TRACE",
			!n		    ? "no model"
			: resample && n < 2 ? RESAMPLE " without a trace"
					    : "more than one model");
	if (cs_workload_model(w, resample ? "uniform-log" : arg[0]))
		return cs_cmd_bad(
			"workload: '%.100s' is no model, expected " CS_WORKLOAD_NAMES
			", or " RESAMPLE " TRACE",
			arg[0]);
	*ret_log = resample ? arg[1] : NULL;
	return 0;
}

/* The model, overridden by options; the last of a kind wins. */
static int read_options(struct cs_workload *w, const char **ret_log, int argc,
			char **argv)
{
	static struct option options[N_OPTION + 2] = { { "help", 0, NULL,
							 'h' } };
	const char *given[N_OPTION] = { NULL };
	int c, rc = 0;

	for (int i = 0; i < N_OPTION; i++)
		options[i + 1] = (struct option){ names[i], 1, NULL, 256 + i };
	while ((c = cs_cmd_getopt(&cs_cmd_workload, argc, argv, options)) !=
	       -1) {
		if (c < 256)
			return CS_EXIT_USAGE;
		given[c - 256] = optarg;
	}
	rc = read_model(w, ret_log, argc - optind, argv + optind);
	for (int i = 0; !rc && i < N_OPTION; i++)
		if (given[i])
			rc = set(w, i, given[i]);
	return rc ?: *ret_log ? check_resample(w, given) : check(w, given);
}

/* --------------------------------------------------------------- the trace */

/* The parameters, as options. */
static void describe(const struct cs_workload *w, struct cs_textbuf *t)
{
	cs_textbuf_print(t, "%s --nodes %" PRId64 " --jobs %" PRId64, w->model,
			 w->nodes, w->jobs);
	if (!w->lublin)
		cs_textbuf_print(t, " --load %.15g", w->load);
	if (w->slot_s)
		cs_textbuf_print(t, " --slot-s %" PRId64, w->slot_s);
	if (w->lublin && w->alpha > 0)
		cs_textbuf_print(t, " --alpha %.15g", w->alpha);
	if (w->lublin)
		cs_textbuf_print(t, " --types %s", w->types ? "on" : "off");
	cs_textbuf_print(t, " --modify %s", w->modify ? "on" : "off");
	if (w->modify)
		cs_textbuf_print(t, " --resize %s",
				 w->resize == CS_RESIZE_POW2 ? "pow2"
							     : "plain");
	cs_textbuf_print(t, " --seed %" PRId64, w->seed);
}

/* No bar if the trace goes to the same terminal. */
static int write_trace(const struct cs_trace *t, const char *header)
{
	struct cs_bar bar;
	int rc;

	cs_bar_init(&bar);
	bar.terminal &= isatty(STDOUT_FILENO) != 1;
	rc = cs_trace_write_told(t, header, stdout, cs_bar_draw, &bar);
	cs_bar_done(&bar);
	return rc ? cs_cmd_bad("workload: cannot write the trace: %s",
			       strerror(errno ? errno : EIO))
		  : CS_EXIT_OK;
}

static int put(const struct cs_workload *w, const struct cs_trace *t)
{
	char options[256], header[2048];
	struct cs_textbuf o = { options, sizeof(options), 0 };
	struct cs_textbuf h = { header, sizeof(header), 0 };

	describe(w, &o);
	cs_textbuf_print(
		&h,
		"Version: 2.2\n"
		"Computer: none, generated by slurm-cosched " COSCHED_VERSION
		"\n"
		"MaxJobs: %" PRId64 "\n"
		"MaxRecords: %" PRId64 "\n"
		"MaxNodes: %" PRId64 "\n"
		"MaxProcs: %" PRId64 "\n"
		"Note: cosched workload %s\n"
		"Note: no user estimates, queue 1 is batch and 0 "
		"interactive where there are types\n",
		w->jobs, w->jobs, w->nodes, w->nodes * (w->modify ? 4 : 1),
		options);
	if (w->modify)
		cs_textbuf_print(
			&h,
			"Note: sizes are for nodes of two sockets with two "
			"cores, run times hold for one\n"
			"Note: process a node; the slowdowns are those of "
			"slowdowns=table4,seed=%" PRId64 "\n",
			w->seed);
	return write_trace(t, header);
}

static uint32_t most_procs(const struct cs_trace *t)
{
	uint32_t most = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->job[i].procs > most)
			most = t->job[i].procs;
	return most;
}

/* Write a workload drawn from the trace @path. */
static int resample(const struct cs_workload *w, const char *path)
{
	const struct cs_resample m = { .jobs = (uint32_t)w->jobs,
				       .seed = (uint64_t)w->seed,
				       .load = w->load };
	struct cs_trace_options options = { 0 };
	struct cs_trace log, t;
	struct cs_err err;
	char header[512];
	int rc;

	rc = cs_trace_file("workload", path, NULL, &options, &log);
	if (rc)
		return rc;
	cs_trace_file_skipped("workload", path, &log);
	rc = cs_resample_generate(&t, &log, &m, &err);
	cs_trace_done(&log);
	if (rc)
		return cs_cmd_bad("workload: '%s': %s", path, err.text);
	snprintf(header, sizeof(header),
		 "Version: 2.2\n"
		 "Computer: none, generated by slurm-cosched " COSCHED_VERSION
		 "\n"
		 "MaxJobs: %zu\nMaxRecords: %zu\nMaxProcs: %" PRIu32 "\n"
		 "UnixStartTime: %" PRId64 "\n"
		 "Note: cosched workload " RESAMPLE
		 " TRACE --jobs %zu --load %.15g "
		 "--seed %" PRId64 "\n",
		 t.n, t.n, most_procs(&t), t.unix_start_s, t.n, w->load,
		 w->seed);
	rc = write_trace(&t, header);
	cs_trace_done(&t);
	return rc;
}

static int run(int argc, char **argv)
{
	struct cs_trace t = { 0 };
	const char *log = NULL;
	struct cs_workload w;
	struct cs_err err;
	int rc = read_options(&w, &log, argc, argv);

	if (rc)
		return rc;
	if (log)
		return resample(&w, log);
	if (cs_workload_generate(&t, &w, &err))
		return cs_cmd_bad("workload: %s", err.text);
	rc = put(&w, &t);
	cs_trace_done(&t);
	return rc;
}

const struct cs_cmd cs_cmd_workload = {
	"workload", "MODEL [OPTION]...",
	"Generate a trace for the simulator (SWF).", run,
	"MODEL is lublin (Lublin and Feitelson), uniform-log (after Downey) or "
	"a workload\nof Zeng09: w1 (lublin --alpha 10.33 --modify on) or w2 "
	"(--alpha 9.83);\nor resample TRACE: jobs and gaps drawn from a log, for "
	"many workloads like it.\n"
	"  --nodes N            of the machine (128)\n"
	"  --jobs N             how many (10000)\n"
	"  --alpha A            shape of interarrival times, smaller is busier "
	"(lublin)\n"
	"  --types on|off       separate batch and interactive jobs (off; "
	"lublin)\n"
	"  --load L             part of the nodes' time requested (0.7; "
	"uniform-log);\n"
	"                       factor on the log's arrival rate (1; resample)\n"
	"  --slot-s S           runtimes of 1 to 120 slots of S seconds, not by "
	"work\n"
	"                       (uniform-log)\n"
	"  --modify on|off      sizes for nodes of 2 x 2 cores (Zeng09, eq. 7; "
	"off)\n"
	"  --resize pow2|plain  a power of two stays one, or not (pow2)\n"
	"  --seed S             (1)\n"
};
