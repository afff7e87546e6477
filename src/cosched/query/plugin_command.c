/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/plugin_command.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "query/ask_plugin.h"
#include "cli/json_view.h"

struct wish {
	const char *socket;
	struct cs_wire_question ask;
	bool json, verbose;
};

/* A number of at most ten digits; returns its length, 0: none. */
static size_t read_number(const char *text, uint32_t *ret)
{
	size_t n = strspn(text, "0123456789");
	unsigned long long number = strtoull(text, NULL, 10);

	if (!n || n > 10 || number >= UINT32_MAX)
		return 0;
	*ret = (uint32_t)number;
	return n;
}

/* JOB, JOB_TASK or JOB+OFFSET, as in squeue; the last waits as its leader, JOB. */
static int read_job(const struct cs_cmd *cmd, const char *text, struct wish *w)
{
	size_t n = read_number(text, &w->ask.job), m = 0;
	uint32_t offset;

	if (n && text[n] == '_')
		m = read_number(text + n + 1, &w->ask.task);
	else if (n && text[n] == '+')
		m = read_number(text + n + 1, &offset);
	if (!n || !w->ask.job || text[n + (m ? m + 1 : 0)])
		return cs_cmd_bad(
			"%s: job '%s', expected a job id, JOB_TASK of an "
			"array, or JOB+OFFSET of a heterogeneous job",
			cmd->name, text);
	return CS_EXIT_OK;
}

static int read_options(const struct cs_cmd *cmd, int argc, char **argv,
			const struct cs_plugin_view *view, struct wish *w)
{
	static const struct option all[] = {
		{ "v", 0, NULL, 'v' },
		{ "json", 0, NULL, 'j' },
		{ "socket", 1, NULL, 's' },
		{ "help", 0, NULL, 'h' },
		{ 0 },
	};
	const bool wants_job = view->wants_job;
	const struct option *options = all + !(wants_job || view->print_all);
	int c;

	while ((c = cs_cmd_getopt(cmd, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 's')
			w->socket = optarg;
		w->json |= c == 'j';
		w->verbose |= c == 'v';
	}
	w->ask.verbose = w->verbose && wants_job;
	if (wants_job && optind == argc)
		return cs_cmd_bad("%s: no job, expected a job id", cmd->name);
	if (argc - optind > wants_job)
		return cs_cmd_bad("%s: unexpected argument '%s'", cmd->name,
				  argv[optind + wants_job]);
	return wants_job ? read_job(cmd, argv[optind], w) : CS_EXIT_OK;
}

/* Lines of text as a plugin answers that knows no members, as the object's. */
static struct json_object *with_members(struct json_object *answer)
{
	const char *text = json_object_get_string(answer);
	struct json_object *o = json_object_new_object();
	struct json_object *lines = json_object_new_array();

	while (text && *text) {
		size_t n = strcspn(text, "\n");

		json_object_array_add(lines,
				      json_object_new_string_len(text, (int)n));
		text += n + (text[n] != 0);
	}
	json_object_object_add(o, "text", lines);
	json_object_put(answer);
	return o;
}

int cs_plugin_command(const struct cs_cmd *cmd, int argc, char **argv,
		      const struct cs_plugin_view *view)
{
	struct wish w = { .ask = { .cmd = cmd->name,
				   .task = UINT32_MAX,
				   .fields = view->wants_job } };
	struct json_object *answer;
	struct cs_err err;
	int rc = read_options(cmd, argc, argv, view, &w);

	if (rc)
		return rc;
	if (cs_ask_plugin(w.socket, &w.ask, &answer, &err))
		return cs_cmd_failed("%s: %s", cmd->name, err.text);
	if (w.ask.fields && json_object_is_type(answer, json_type_string))
		answer = with_members(answer);
	if (w.json)
		cs_json_view_dump(answer);
	else if (w.verbose && view->print_all)
		rc = view->print_all(answer);
	else
		rc = view->print(answer);
	if (!rc && view->judge)
		rc = view->judge(answer);
	json_object_put(answer);
	return rc;
}
