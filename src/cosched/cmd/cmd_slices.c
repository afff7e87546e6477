/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched slices: the current time slice, when the others come, and the jobs stopped
 * until then.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cmd.h"
#include "cli/json_view.h"
#include "cli/table.h"
#include "query/plugin_command.h"

static const char *clock_of(struct json_object *o, const char *key,
			    char buf[static 16])
{
	cs_json_view_time(cs_json_view_integer(o, key), buf, 16);
	return buf;
}

static void print_classes(struct json_object *list)
{
	static const char *const head[] = { "CLASS",	">NEXT",    ">RUNNING",
					    ">STOPPED", ">WAITING", NULL };
	struct cs_table t;
	char at[16];

	cs_table_init(&t, head);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		cs_table_cell(&t, "%s", cs_json_view_text(o, "class"));
		cs_table_cell(&t, "%s", clock_of(o, "next_s", at));
		cs_table_cell(&t, "%" PRId64,
			      cs_json_view_integer(o, "running"));
		cs_table_cell(&t, "%" PRId64,
			      cs_json_view_integer(o, "stopped"));
		cs_table_cell(&t, "%" PRId64,
			      cs_json_view_integer(o, "waiting"));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

static void print_slots(struct json_object *list)
{
	static const char *const head[] = { ">SLOT", ">NEXT", ">JOBS", ">NODES",
					    NULL };
	struct cs_table t;
	char at[16];

	cs_table_init(&t, head);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "slot"));
		cs_table_cell(&t, "%s", clock_of(o, "next_s", at));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "jobs"));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "nodes"));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

/* When a stopped job goes on: by @now_s it may wait for others to leave its nodes. */
static const char *again(struct json_object *o, int64_t now_s,
			 char buf[static 16])
{
	if (cs_json_view_integer(o, "again_s") <= now_s)
		return "once free";
	return clock_of(o, "again_s", buf);
}

static void print_stopped(struct json_object *list, bool classes, int64_t now_s)
{
	static const char *const head[] = { ">JOB",   "CLASS",	">NODES",
					    ">STOPS", ">AGAIN", NULL };
	static const char *const slots[] = { ">JOB", ">NODES", ">STOPS",
					     ">AGAIN", NULL };
	struct cs_table t;
	char at[16];

	if (!json_object_array_length(list)) {
		printf("no job is stopped\n");
		return;
	}
	cs_table_init(&t, classes ? head : slots);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		cs_table_cell(&t, "%s", cs_json_view_text(o, "id"));
		if (classes)
			cs_table_cell(&t, "%s", cs_json_view_text(o, "class"));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "nodes"));
		cs_table_cell(&t, "%" PRId64, cs_json_view_integer(o, "stops"));
		cs_table_cell(&t, "%s", again(o, now_s, at));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

static bool is_list(struct json_object *o)
{
	return json_object_is_type(o, json_type_array);
}

/* Are there no jobs?  Then nothing is decided, and the last slice may be over. */
static bool is_idle(struct json_object *classes)
{
	int64_t jobs = 0;

	for (size_t i = 0; i < json_object_array_length(classes); i++) {
		struct json_object *o = json_object_array_get_idx(classes, i);

		jobs += cs_json_view_integer(o, "running") +
			cs_json_view_integer(o, "stopped") +
			cs_json_view_integer(o, "waiting");
	}
	return !jobs;
}

static void print_now(struct json_object *o, struct json_object *classes,
		      int64_t now_s)
{
	int64_t end_s = cs_json_view_integer(o, "end_s");
	char from[16], to[16];

	clock_of(o, "end_s", to);
	if (end_s && end_s < now_s && is_idle(classes))
		printf("no slice now: no job has needed one since %s\n", to);
	else
		printf("%s slice, serves from %s until %s\n",
		       cs_json_view_text(o, "slice"),
		       clock_of(o, "serves_s", from), to);
}

static int print(struct json_object *o)
{
	struct json_object *classes = cs_json_view_member(o, "classes");
	struct json_object *slots = cs_json_view_member(o, "slots");
	struct json_object *stopped = cs_json_view_member(o, "stopped");
	int64_t now_s = cs_json_view_integer(o, "now_s"); /* slurmctld's */
	char to[16];

	if ((!is_list(classes) && !is_list(slots)) || !is_list(stopped)) {
		cs_json_view(o, NULL, 0);
		return CS_EXIT_OK;
	}
	if (is_list(slots)) {
		printf("slot %" PRId64 " of %zu, until %s\n",
		       cs_json_view_integer(o, "slot"),
		       json_object_array_length(slots),
		       clock_of(o, "end_s", to));
		print_slots(slots);
	} else {
		print_now(o, classes, now_s);
		print_classes(classes);
	}
	print_stopped(stopped, is_list(classes), now_s);
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct cs_plugin_view view = { .print = print };

	return cs_plugin_command(&cs_cmd_slices, argc, argv, &view);
}

const struct cs_cmd cs_cmd_slices = {
	"slices", "[OPTION]...",
	"Show the current time slice and stopped jobs.", run, CS_PLUGIN_OPTIONS
};
