/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cosched profile run SCRIPT...: measure how programs slow each other. */
#include "cmd/cmd_profile_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/result.h"
#include "measure/run.h"

#define FOLDER "cosched-profile"
#define LIMIT_MIN 60

/* A number above 0, at most @most. */
static int number(const char *option, const char *value, double most,
		  double *ret)
{
	char *end;

	*ret = strtod(value, &end);
	if (end != value && !*end && *ret > 0 && *ret <= most)
		return CS_EXIT_OK;
	return cs_cmd_bad("profile: %s is '%.100s', expected a number above 0, "
			  "up to %g",
			  option, value, most);
}

static int whole(const char *option, const char *value, int64_t most,
		 uint32_t *ret)
{
	int64_t n;
	int rc = cs_cmd_whole("profile", option, value, 1, most, &n);

	if (!rc)
		*ret = (uint32_t)n;
	return rc;
}

static int node(const char *value, struct cs_measure_shape *s)
{
	uint32_t all;
	int rc = cs_cmd_node("profile", value, &all);

	if (!rc) {
		s->sockets = (uint32_t)strtoul(value, NULL, 10);
		s->cores = all / s->sockets;
	}
	return rc;
}

int cs_cmd_profile_run_option(struct cs_measure_ask *ask, int c,
			      const char *value)
{
	double x = 0;
	uint32_t n = 0;
	int rc = CS_EXIT_OK;

	switch (c) {
	case CS_PROFILE_RUN_SBATCH:
		ask->options = value;
		break;
	case CS_PROFILE_RUN_FOLDER:
		ask->folder = value;
		break;
	case CS_PROFILE_RUN_BUDGET:
		rc = number("--budget", value, 1e9, &x);
		ask->budget_node_s = 3600 * x;
		break;
	case CS_PROFILE_RUN_HALF_WIDTH:
		rc = number("--half-width", value, 100, &x);
		ask->part = x / 100;
		break;
	case CS_PROFILE_RUN_LIMIT:
		rc = whole("--limit", value, 60 * 24 * 7, &n);
		ask->limit_s = 60 * n;
		break;
	case CS_PROFILE_RUN_AT_ONCE:
		rc = whole("--at-once", value, 100, &n);
		ask->at_once = n;
		break;
	case CS_PROFILE_RUN_NODES:
		rc = whole("--nodes", value, 32768, &ask->shape.nodes);
		break;
	case CS_PROFILE_RUN_PER_TASK:
		rc = whole("--cpus-per-task", value, 4096,
			   &ask->shape.per_task);
		break;
	case CS_PROFILE_RUN_UNCONSTRAINED:
		ask->shape.unconstrained = true;
		break;
	default:
		rc = node(value, &ask->shape);
	}
	return rc;
}

void cs_cmd_profile_run_defaults(struct cs_measure_ask *ask)
{
	*ask = (struct cs_measure_ask){
		.folder = FOLDER,
		.options = "",
		.part = .05,
		.limit_s = 60 * LIMIT_MIN,
		.at_once = 1,
		.shape = { .per_task = 1, .nodes = 1 },
	};
}

/* Why it is not complete, in a line; the same command continues it. */
static int incomplete(const struct cs_measure_ask *ask,
		      const struct cs_measure_done *d)
{
	size_t given_up = 0, first = CS_MEASURE_NONE;
	char title[160];

	for (size_t i = 0; i < d->experiments; i++)
		if (d->plan.given_up[i]) {
			first = given_up++ ? first : i;
		}
	if (d->signal)
		return cs_cmd_failed("profile: interrupted: %zu of %zu "
				     "experiments are measured, the runs are "
				     "kept in '%s', and the same command "
				     "continues",
				     d->measured, d->experiments, ask->folder);
	if (given_up)
		return cs_cmd_failed(
			"profile: %zu of %zu experiments are measured: '%s': "
			"%s; the same command tries again",
			d->measured, d->experiments,
			cs_measure_state_title(&d->state, first, title,
					       sizeof(title)),
			d->why[first]);
	return cs_cmd_failed("profile: %zu of %zu experiments are measured: "
			     "%.4g of %.4g node-hours are spent, expected a "
			     "larger --budget; the runs are kept in '%s'",
			     d->measured, d->experiments,
			     cs_measure_state_spent(&d->state) / 3600,
			     ask->budget_node_s / 3600, ask->folder);
}

/* What ends the process by that signal, as if it had not been caught. */
static void end_by(int signal_number)
{
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

int cs_cmd_profile_run(const struct cs_measure_ask *ask)
{
	struct cs_measure_done d;
	struct cs_err err = { "" };
	int rc, sig;

	if (ask->budget_node_s <= 0)
		return cs_cmd_bad("profile: no --budget, expected the "
				  "node-hours that run may take");
	if (ask->n > CS_MEASURE_PROGRAMS)
		return cs_cmd_bad("profile: %zu scripts, expected at most %d",
				  ask->n, CS_MEASURE_PROGRAMS);
	rc = cs_measure_run(ask, &d, &err);
	if (rc)
		return cs_cmd_bad("profile: %s", err.text);
	rc = cs_measure_result_write(ask->folder, &d, &err);
	sig = d.signal;
	if (rc)
		rc = cs_cmd_bad("profile: %s", err.text);
	else if (d.measured < d.experiments)
		rc = incomplete(ask, &d);
	else
		printf("%zu experiments are measured, %.4g node-hours: "
		       "%s/index.html, %s/profiles.json\n",
		       d.experiments, cs_measure_state_spent(&d.state) / 3600,
		       ask->folder, ask->folder);
	cs_measure_run_done(&d);
	if (sig)
		end_by(sig);
	return rc;
}
