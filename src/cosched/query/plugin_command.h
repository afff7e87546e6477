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

/*
 * Read the options, ask the plugin for @cmd by name, with a job (and -v) if @wants_job, whose answer has members then, and pass
 * the answer to @print.  Returns the exit status: also with --json that of @judge, if
 * any.
 */
int cs_plugin_command(const struct cs_cmd *cmd, int argc, char **argv,
		      bool wants_job, int (*print)(struct json_object *o),
		      int (*judge)(struct json_object *o));

#endif
