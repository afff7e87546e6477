/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/plugin_command.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "query/ask_plugin.h"
#include "cli/json_view.h"

struct wish {
	const char *socket;
	uint32_t job, task;
	bool json;
};

/* A number of ten digits at most; its length, 0: there is none. */
static size_t read_number(const char *text, uint32_t *ret)
{
	size_t n = strspn(text, "0123456789");
	unsigned long long number = strtoull(text, NULL, 10);

	if (!n || n > 10 || number >= UINT32_MAX)
		return 0;
	*ret = (uint32_t)number;
	return n;
}

/* JOB, JOB_TASK or JOB+OFFSET, as squeue has them; the last waits as its leader,
 * JOB. */
static int read_job(const struct cs_cmd *cmd, const char *text, struct wish *w)
{
	size_t n = read_number(text, &w->job), m = 0;
	uint32_t offset;

	if (n && text[n] == '_')
		m = read_number(text + n + 1, &w->task);
	else if (n && text[n] == '+')
		m = read_number(text + n + 1, &offset);
	if (!n || !w->job || text[n + (m ? m + 1 : 0)])
		return cs_cmd_bad(
			"%s: job '%s', expected a job id, JOB_TASK of an "
			"array, or JOB+OFFSET of a heterogeneous job",
			cmd->name, text);
	return CS_EXIT_OK;
}

static int read_options(const struct cs_cmd *cmd, int argc, char **argv,
			bool wants_job, struct wish *w)
{
	static const struct option options[] = {
		{ "json", 0, NULL, 'j' },
		{ "socket", 1, NULL, 's' },
		{ "help", 0, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = cs_cmd_getopt(cmd, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 's')
			w->socket = optarg;
		w->json |= c == 'j';
	}
	if (wants_job && optind == argc)
		return cs_cmd_bad("%s: no job, expected a job id", cmd->name);
	if (argc - optind > wants_job)
		return cs_cmd_bad("%s: '%s' is too much", cmd->name,
				  argv[optind + wants_job]);
	return wants_job ? read_job(cmd, argv[optind], w) : CS_EXIT_OK;
}

int cs_plugin_command(const struct cs_cmd *cmd, int argc, char **argv,
		      bool wants_job, int (*print)(struct json_object *o),
		      int (*judge)(struct json_object *o))
{
	struct wish w = { .task = UINT32_MAX };
	struct json_object *answer;
	struct cs_err err;
	int rc = read_options(cmd, argc, argv, wants_job, &w);

	if (rc)
		return rc;
	if (cs_ask_plugin(w.socket, cmd->name, w.job, w.task, &answer, &err))
		return cs_cmd_failed("%s: %s", cmd->name, err.text);
	if (w.json)
		cs_json_view_dump(answer);
	else
		rc = print(answer);
	if (!rc && judge)
		rc = judge(answer);
	json_object_put(answer);
	return rc;
}
