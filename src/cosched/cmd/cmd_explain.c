/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched explain JOB, JOB_TASK or JOB+OFFSET: why it waits, or with whom it
 * shares and what that costs.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/json_view.h"
#include "query/plugin_command.h"
#include "cli/table.h"

static int print(struct json_object *o)
{
	const char *text = json_object_get_string(o);
	size_t n = text ? strlen(text) : 0;

	cs_table_print_clean(text ? text : "");
	if (n && text[n - 1] != '\n')
		printf("\n");
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	return cs_plugin_command(&cs_cmd_explain, argc, argv, true, print,
				 NULL);
}

const struct cs_cmd cs_cmd_explain = {
	"explain", "[OPTION]... JOB[_TASK|+OFFSET]",
	"Say why a job waits, or with whom it shares.", run, CS_PLUGIN_OPTIONS
};
