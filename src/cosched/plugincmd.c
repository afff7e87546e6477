/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugincmd.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "askplugin.h"
#include "jsonview.h"

struct wish {
	const char *socket;
	uint32_t job;
	bool json;
};

static int read_job(const struct cs_cmd *cmd, const char *text, uint32_t *ret)
{
	unsigned long long id = strtoull(text, NULL, 10);

	if (!*text || strspn(text, "0123456789") != strlen(text) || !id ||
	    strlen(text) > 10 || id > UINT32_MAX)
		return cs_bad("%s: job '%s', expected a job id", cmd->name,
			      text);
	*ret = (uint32_t)id;
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

	while ((c = cs_getopt(cmd, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 's')
			w->socket = optarg;
		w->json |= c == 'j';
	}
	if (wants_job && optind == argc)
		return cs_bad("%s: no job, expected a job id", cmd->name);
	if (argc - optind > wants_job)
		return cs_bad("%s: '%s' is too much", cmd->name,
			      argv[optind + wants_job]);
	return wants_job ? read_job(cmd, argv[optind], &w->job) : CS_EXIT_OK;
}

int cs_plugin_command(const struct cs_cmd *cmd, int argc, char **argv,
		      bool wants_job, int (*print)(struct json_object *o))
{
	struct wish w = { 0 };
	struct json_object *answer;
	struct cs_err err;
	int rc = read_options(cmd, argc, argv, wants_job, &w);

	if (rc)
		return rc;
	if (cs_ask_plugin(w.socket, cmd->name, w.job, &answer, &err))
		return cs_failed("%s: %s", cmd->name, err.text);
	if (w.json)
		cs_json_dump(answer);
	else
		rc = print(answer);
	json_object_put(answer);
	return rc;
}
