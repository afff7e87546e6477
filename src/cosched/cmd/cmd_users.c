/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched users: users' campaigns (order=ostrich), in the virtual and the real
 * schedule.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/json_view.h"
#include "query/plugin_command.h"
#include "cli/table.h"

/* "2:03:04"; a time that has passed "-0:00:05"; days as "1-02:03:04". */
static void format_span(int64_t s, char *buf, size_t size)
{
	const char *sign = s < 0 ? "-" : "";

	if (s < 0)
		s = -s;
	if (s >= 86400)
		snprintf(buf, size, "%s%" PRId64 "-%02d:%02d:%02d", sign,
			 s / 86400, (int)(s / 3600 % 24), (int)(s / 60 % 60),
			 (int)(s % 60));
	else
		snprintf(buf, size, "%s%d:%02d:%02d", sign, (int)(s / 3600),
			 (int)(s / 60 % 60), (int)(s % 60));
}

/* From now to the instant @key. */
static void add_until(struct cs_table *t, struct json_object *o,
		      const char *key, int64_t now_s)
{
	char span[48] = "-";

	if (cs_json_view_member(o, key))
		format_span(cs_json_view_integer(o, key) - now_s, span,
			    sizeof(span));
	cs_table_cell(t, "%s", span);
}

/* From the real end to the bound. */
static void add_slack(struct cs_table *t, struct json_object *o)
{
	if (cs_json_view_member(o, "bound_s") &&
	    cs_json_view_member(o, "real_end_s"))
		add_until(t, o, "bound_s",
			  cs_json_view_integer(o, "real_end_s"));
	else
		cs_table_cell(t, "-");
}

static void add_name(struct cs_table *t, struct json_object *o)
{
	const char *name = cs_json_view_text(o, "name");

	if (*name)
		cs_table_cell(t, "%s", name);
	else if (cs_json_view_member(o, "array"))
		cs_table_cell(t, "array %" PRId64,
			      cs_json_view_integer(o, "array"));
	else
		cs_table_cell(t, "#%" PRId64,
			      cs_json_view_integer(o, "campaign"));
}

static void add_campaign(struct cs_table *t, struct json_object *o,
			 int64_t now_s)
{
	cs_table_cell(t, "%" PRId64, cs_json_view_integer(o, "rank"));
	cs_table_cell(t, "%s", cs_json_view_text(o, "user"));
	cs_table_cell(
		t, "%.1f%%",
		100 * json_object_get_double(cs_json_view_member(o, "share")));
	add_name(t, o);
	cs_table_cell(t, "%" PRId64, cs_json_view_integer(o, "waiting"));
	cs_table_cell(t, "%" PRId64, cs_json_view_integer(o, "running"));
	cs_table_cell(t, "%s", cs_json_view_text(o, "virtual"));
	cs_table_cell(t, "%.0f",
		      json_object_get_double(
			      cs_json_view_member(o, "virtual_left_core_s")));
	cs_table_cell(
		t, "%.0f",
		json_object_get_double(cs_json_view_member(o, "left_core_s")));
	add_until(t, o, "virtual_end_s", now_s);
	add_until(t, o, "bound_s", now_s);
	add_slack(t, o);
}

static void print_campaigns(struct json_object *list, int64_t now_s)
{
	static const char *const head[] = {
		">RANK",    "USER",	    ">SHARE",  "CAMPAIGN",
		">WAITING", ">RUNNING",	    "VIRTUAL", ">VIRTUAL-LEFT",
		">LEFT",    ">VIRTUAL-END", ">BOUND",  ">SLACK",
		NULL,
	};
	struct cs_table t;

	cs_table_init(&t, head);
	for (size_t i = 0; i < json_object_array_length(list); i++)
		add_campaign(&t, json_object_array_get_idx(list, i), now_s);
	cs_table_print(&t, 200); /* the last column matters most */
	cs_table_done(&t);
	printf("LEFT: core seconds, by time limits. From now on, VIRTUAL-END: if "
	       "nobody submits and no\njob ends early; BOUND: if no further user "
	       "and no longer job comes, indicative for jobs\nof more than one "
	       "core. SLACK: how long before its bound it ends, as the real "
	       "schedule\nstands.\n");
}

static int print(struct json_object *o)
{
	struct json_object *list = cs_json_view_member(o, "campaigns");

	if (!json_object_is_type(list, json_type_array))
		cs_json_view(o, NULL, 0);
	else if (json_object_array_length(list))
		print_campaigns(list, cs_json_view_integer(o, "now_s"));
	else
		printf("no campaign at the moment\n");
	return CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct cs_plugin_view view = { .print = print };

	return cs_plugin_command(&cs_cmd_users, argc, argv, &view);
}

const struct cs_cmd cs_cmd_users = { "users", "[OPTION]...",
				     "Show users' campaigns.", run,
				     CS_PLUGIN_OPTIONS };
