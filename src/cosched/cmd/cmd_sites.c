/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched sites: each site's free nodes, jobs that run on several sites, and what
 * crossing has cost those that have run both ways.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cmd.h"
#include "cli/json_view.h"
#include "cli/table.h"
#include "query/plugin_command.h"

static void print_sites(struct json_object *list)
{
	static const char *const head[] = { "SITE", ">NODES", ">UP", ">FREE",
					    NULL };
	struct cs_table t;

	cs_table_init(&t, head);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		cs_table_cell(&t, "%s", cs_json_view_text(o, "site"));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "nodes"));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "up"));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "free"));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

static void print_split(struct json_object *list)
{
	static const char *const head[] = { ">JOB", ">SITES", ">NODES",
					    ">SLOWDOWN", NULL };
	struct cs_table t;

	if (!json_object_array_length(list)) {
		printf("no job runs over several sites\n");
		return;
	}
	cs_table_init(&t, head);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i),
				   *v = NULL;

		json_object_object_get_ex(o, "slowdown", &v);
		cs_table_cell(&t, "%s", cs_json_view_text(o, "id"));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "sites"));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "nodes"));
		cs_table_cell(&t, "%.3f", json_object_get_double(v));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

/* Nothing, if no jobs have run both ways. */
static void print_learned(struct json_object *list)
{
	static const char *const head[] = { "JOBS",   ">PROCESSES", ">ONE-SITE",
					    ">SPLIT", ">ACROSS",    NULL };
	struct cs_table t;

	if (!json_object_array_length(list))
		return;
	printf("\nwhat crossing has cost, by runs on one site and on several (not used):\n");
	cs_table_init(&t, head);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i),
				   *v = NULL;

		json_object_object_get_ex(o, "across", &v);
		cs_table_cell(&t, "%s", cs_json_view_text(o, "jobs"));
		cs_table_cell(&t, "%" PRId64,
			      cs_json_view_integer(o, "processes"));
		cs_table_cell(&t, "%" PRId64,
			      cs_json_view_integer(o, "one_site_runs"));
		cs_table_cell(&t, "%" PRId64,
			      cs_json_view_integer(o, "split_runs"));
		cs_table_cell(&t, "%.3f", json_object_get_double(v));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

static int print(struct json_object *o)
{
	struct json_object *sites = NULL, *split = NULL, *learned = NULL;

	json_object_object_get_ex(o, "sites", &sites);
	json_object_object_get_ex(o, "split", &split);
	if (!json_object_is_type(sites, json_type_array) ||
	    !json_object_is_type(split, json_type_array)) {
		cs_json_view(o, NULL, 0);
		return CS_EXIT_OK;
	}
	print_sites(sites);
	print_split(split);
	json_object_object_get_ex(o, "learned", &learned);
	if (json_object_is_type(learned, json_type_array))
		print_learned(learned);
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct cs_plugin_view view = { .print = print };

	return cs_plugin_command(&cs_cmd_sites, argc, argv, &view);
}

const struct cs_cmd cs_cmd_sites = {
	"sites", "[OPTION]...",
	"Show each site's free nodes, jobs on several, what that costs.", run,
	CS_PLUGIN_OPTIONS
};
