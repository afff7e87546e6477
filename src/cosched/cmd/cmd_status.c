/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched status: what the plugin in slurmctld does, and what is wrong there.
 */
#include <stdio.h>

#include "query/ask_plugin.h"
#include "cli/cmd.h"
#include "cli/json_view.h"
#include "query/plugin_build.h"
#include "query/plugin_command.h"
#include "query/plugin_trouble.h"

/* Members covered by the first lines. */
static const char *const said[] = {
	"version",	 "build",	 "slurm",
	"mode",		 "mode_set",	 "policy",
	"why",		 "params_error", "state_error",
	"log_error",	 "select_live",	 "partition_modes_error",
	"site_factor",	 "layout_error", "share_partitions_error",
	"site_warnings", "site_error",	 NULL,
};

static void warn(void *arg, const char *text)
{
	(void)arg;
	printf("WARNING: %s\n", text);
}

static void count(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

/* Site settings that work against the scheduler. */
static void warn_of_site(struct json_object *o)
{
	struct json_object *list;

	if (!json_object_object_get_ex(o, "site_warnings", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		warn(NULL, json_object_get_string(
				   json_object_array_get_idx(list, i)));
}

static int print(struct json_object *o)
{
	const char *policy = cs_json_view_text(o, "policy");
	char builds[512];

	printf("cosched %s in Slurm %s: mode %s, policy %s\n",
	       cs_plugin_build(o), cs_json_view_text(o, "slurm"),
	       cs_json_view_text(o, "mode"), *policy ? policy : "none");
	if (cs_plugin_build_differs(o, builds, sizeof(builds)))
		printf("%s\n", builds);
	if (*cs_json_view_text(o, "site_factor"))
		printf("%s\n", cs_json_view_text(o, "site_factor"));
	cs_plugin_trouble(o, warn, NULL);
	warn_of_site(o);
	cs_json_view(o, said, 0);
	return CS_EXIT_OK;
}

/* Monitoring asks whether the plugin does what is set. */
static int judge(struct json_object *o)
{
	return cs_plugin_trouble(o, count, NULL) ? CS_EXIT_NO : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	return cs_plugin_command(&cs_cmd_status, argc, argv, false, print,
				 judge);
}

const struct cs_cmd cs_cmd_status = {
	"status", "[OPTION]...", "Show what the plugin in slurmctld does.", run,
	CS_PLUGIN_OPTIONS
	"Exit status 1: the plugin does not answer, or does not do what is set.\n"
	"cosched(1) explains each line.  gate on: jobs start only where the plugin "
	"planned\nthem; starts refused: by the gate, as it should; starts imposed: "
	"made as planned;\nstarts unfit: planned, but Slurm could not; would: starts "
	"that mode shadow would\nhave made; us: microseconds.\n"
};
