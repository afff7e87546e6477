/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command `cosched`: one file per subcommand.
 */
#ifndef CS_COSCHED_CLI_CMD_H
#define CS_COSCHED_CLI_CMD_H

#include "cli/options.h"

struct cs_cmd {
	const char *name;
	const char *args;		   /* as in the usage line */
	const char *text;		   /* one line */
	int (*run)(int argc, char **argv); /* argv[0] is the name */
	const char *help;		   /* options, one per line; "" */
};

extern const struct cs_cmd cs_cmd_check, cs_cmd_params, cs_cmd_conf,
	cs_cmd_profile, cs_cmd_status, cs_cmd_explain, cs_cmd_groups,
	cs_cmd_sites, cs_cmd_slices, cs_cmd_users, cs_cmd_doctor,
	cs_cmd_exporter, cs_cmd_sim, cs_cmd_workload, cs_cmd_replay,
	cs_cmd_compare, cs_cmd_import, cs_cmd_learn, cs_cmd_whatif, cs_cmd_top,
	cs_cmd_shadow_report, cs_cmd_procsim, cs_cmd_wait;

#endif
