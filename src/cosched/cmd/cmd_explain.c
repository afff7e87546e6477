/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched explain JOB, JOB_TASK or JOB+OFFSET: why it waits, when it will start and
 * what would start it sooner; or which jobs it shares with and what that costs.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/json_view.h"
#include "query/plugin_command.h"
#include "cli/table.h"

static int print(struct json_object *o)
{
	struct json_object *lines = cs_json_view_member(o, "text");

	if (!json_object_is_type(lines, json_type_array))
		return cs_cmd_failed(
			"explain: the plugin's answer has no text");
	for (size_t i = 0; i < json_object_array_length(lines); i++) {
		cs_table_print_clean(json_object_get_string(
			json_object_array_get_idx(lines, i)));
		printf("\n");
	}
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct cs_plugin_view view = { .wants_job = true,
						    .print = print };

	return cs_plugin_command(&cs_cmd_explain, argc, argv, &view);
}

const struct cs_cmd cs_cmd_explain = {
	"explain", "[OPTION]... JOB[_TASK|+OFFSET]",
	"Say why a job waits, when it will start and what would start it sooner.",
	run,
	CS_PLUGIN_OPTIONS
	"  -v             all that was compared: twenty running and twenty waiting "
	"partners\n"
};
