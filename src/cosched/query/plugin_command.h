/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the subcommands that ask the plugin. */
#ifndef CS_COSCHED_QUERY_PLUGIN_COMMAND_H
#define CS_COSCHED_QUERY_PLUGIN_COMMAND_H

#include <json-c/json.h>
#include <stdbool.h>

#include "cli/cmd.h"

#define CS_PLUGIN_OPTIONS                                               \
	"  --json         the plugin's answer as it is\n"               \
	"  --socket ADDR  where the plugin listens: a path, a port or " \
	"HOST:PORT\n"                                                   \
	"                 (as scontrol show config says)\n"

/* What is done with the answer; @print_all and @judge may be NULL. */
struct cs_plugin_view {
	bool wants_job; /* JOB and -v are for the plugin, whose answer has members */
	int (*print)(struct json_object *o);
	int (*print_all)(struct json_object *o); /* with -v */
	int (*judge)(struct json_object *o); /* exit status, also with --json */
};

/* Read the options, ask the plugin for @cmd by name, and show the answer.  Returns the
 * exit status. */
int cs_plugin_command(const struct cs_cmd *cmd, int argc, char **argv,
		      const struct cs_plugin_view *view);

#endif
