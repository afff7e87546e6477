/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of `cosched profile` that measures. */
#ifndef CS_COSCHED_CMD_CMD_PROFILE_RUN_H
#define CS_COSCHED_CMD_CMD_PROFILE_RUN_H

#include "cli/cmd.h"
#include "measure/run.h"

/* Values of its options in getopt_long()'s sense. */
enum cs_profile_run_option {
	CS_PROFILE_RUN_SBATCH = 256,
	CS_PROFILE_RUN_FOLDER,
	CS_PROFILE_RUN_BUDGET,
	CS_PROFILE_RUN_HALF_WIDTH,
	CS_PROFILE_RUN_LIMIT,
	CS_PROFILE_RUN_AT_ONCE,
	CS_PROFILE_RUN_NODES,
	CS_PROFILE_RUN_PER_TASK,
	CS_PROFILE_RUN_UNCONSTRAINED,
	CS_PROFILE_RUN_NODE
};

void cs_cmd_profile_run_defaults(struct cs_measure_ask *ask);
/* Take option @c with its value.  0; CS_EXIT_USAGE: a message has been printed. */
int cs_cmd_profile_run_option(struct cs_measure_ask *ask, int c,
			      const char *value);
/* Measure, and write the results into the folder.  The exit status. */
int cs_cmd_profile_run(const struct cs_measure_ask *ask);

#endif
