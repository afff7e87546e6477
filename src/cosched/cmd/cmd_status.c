/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched status: what the plugin in slurmctld does, and what is wrong there.
 */
#include <stdio.h>

#include "query/ask_plugin.h"
#include "cli/cmd.h"
#include "cli/json_view.h"
#include "query/plugin_command.h"

/* Members that the first lines say. */
static const char *const said[] = {
	"version",	"slurm",	"mode",
	"mode_set",	"policy",	"why",
	"params_error", "state_error",	"log_error",
	"select_live",	"partition_modes_error", "site_factor",
	"layout_error",	"share_partitions_error",
	"site_warnings", NULL,
};

/* A text, or a list of them. */
static void print_trouble(struct json_object *o, const char *key)
{
	const char *text = cs_json_text(o, key);
	struct json_object *list;

	if (*text)
		printf("WARNING: %s\n", text);
	if (!json_object_object_get_ex(o, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		printf("WARNING: %s\n",
		       json_object_get_string(
			       json_object_array_get_idx(list, i)));
}

static int print(struct json_object *o)
{
	const char *mode = cs_json_text(o, "mode");
	const char *why = cs_json_text(o, "why");
	struct json_object *live;

	printf("cosched %s in Slurm %s: mode %s, policy %s\n",
	       cs_json_text(o, "version"), cs_json_text(o, "slurm"), mode,
	       *cs_json_text(o, "policy") ? cs_json_text(o, "policy") : "none");
	if (*why)
		printf("WARNING: mode %s is set: %s\n",
		       cs_json_text(o, "mode_set"), why);
	if (*cs_json_text(o, "site_factor"))
		printf("%s\n", cs_json_text(o, "site_factor"));
	print_trouble(o, "params_error");
	print_trouble(o, "partition_modes_error");
	print_trouble(o, "share_partitions_error");
	print_trouble(o, "site_warnings");
	print_trouble(o, "state_error");
	print_trouble(o, "log_error");
	print_trouble(o, "layout_error");
	if (!*why && json_object_object_get_ex(o, "select_live", &live) &&
	    !json_object_get_boolean(live))
		printf("WARNING: our select_cons_tres.so is not loaded, or is "
		       "of another Slurm release: nothing is shared\n");
	cs_json_view(o, said, 0);
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	return cs_plugin_command(&cs_cmd_status, argc, argv, false, print);
}

const struct cs_cmd cs_cmd_status = {
	"status", "[OPTION]...", "Show what the plugin in slurmctld does.", run,
	CS_PLUGIN_OPTIONS
	"cosched(1) says what each line means.  gate on: jobs start only where the "
	"plugin\nplanned them; starts refused: by the gate, as it should be; starts "
	"imposed: made\nas planned; starts unfit: planned, and Slurm could not; would: "
	"starts that mode\nshadow would have made; us: microseconds.\n"
};
