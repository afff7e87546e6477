/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched groups: which jobs share nodes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "cli/json_view.h"
#include "cli/node_names.h"
#include "query/plugin_command.h"
#include "cli/table.h"

static void add_job(struct cs_table *t, int64_t group, struct json_object *job)
{
	char *nodes = cs_node_names_fold(cs_json_view_member(job, "nodes"));
	char end[32];

	cs_json_view_time(cs_json_view_integer(job, "end_s"), end, sizeof(end));
	cs_table_cell(t, "%lld", (long long)group);
	cs_table_cell(t, "%s", cs_json_view_text(job, "role"));
	if (*cs_json_view_text(job, "id")) /* JOB_TASK of an array */
		cs_table_cell(t, "%s", cs_json_view_text(job, "id"));
	else
		cs_table_cell(t, "%lld",
			      (long long)json_object_get_int64(
				      cs_json_view_member(job, "job")));
	cs_table_cell(t, "%s", cs_json_view_text(job, "user"));
	cs_table_cell(
		t, "%.3f",
		json_object_get_double(cs_json_view_member(job, "slowdown")));
	cs_table_cell(t, "%s", end);
	cs_table_cell(t, "%s", nodes ? nodes : "?");
	free(nodes);
}

static void print_groups(struct json_object *list)
{
	static const char *const head[] = {
		">GROUP",    "ROLE", ">JOB",  "USER",
		">SLOWDOWN", "ENDS", "NODES", NULL,
	};
	struct cs_table t;

	cs_table_init(&t, head);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *g = json_object_array_get_idx(list, i);
		struct json_object *jobs = cs_json_view_member(g, "jobs");
		int64_t id = cs_json_view_integer(g, "group");

		if (!json_object_is_type(jobs, json_type_array))
			continue;
		for (size_t k = 0; k < json_object_array_length(jobs); k++)
			add_job(&t, id, json_object_array_get_idx(jobs, k));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

static int print(struct json_object *o)
{
	struct json_object *list = cs_json_view_member(o, "groups");

	if (!json_object_is_type(list, json_type_array))
		cs_json_view(o, NULL, 0);
	else if (json_object_array_length(list))
		print_groups(list);
	else
		printf("no groups at the moment (jobs packed by core may still "
		       "share nodes: cosched explain JOB)\n");
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct cs_plugin_view view = { .print = print };

	return cs_plugin_command(&cs_cmd_groups, argc, argv, &view);
}

const struct cs_cmd cs_cmd_groups = { "groups", "[OPTION]...",
				      "Show which jobs share nodes.", run,
				      CS_PLUGIN_OPTIONS };
