/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/trace_file.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"

int cs_trace_file(const char *cmd, const char *path, const char *machine,
		  const struct cs_trace_options *options, struct cs_trace *ret)
{
	struct cs_err err = { "" };

	if (cs_trace_read(ret, path, options, &err))
		return cs_cmd_bad("%s: %s", cmd, err.text);
	if (ret->n || !machine)
		return CS_EXIT_OK;
	cs_trace_done(ret);
	return cs_cmd_bad("%s: machine '%.100s' holds none of the jobs of "
			  "'%.200s', expected a larger one",
			  cmd, machine, path);
}

void cs_trace_file_skipped(const char *cmd, const char *path,
			   const struct cs_trace *t)
{
	char text[CS_TRACE_SKIPPED_TEXT];

	if (*cs_trace_skipped_text(t, text))
		cs_cmd_bad("%s: %.200s: %s", cmd,
			   strcmp(path, "-") ? path : "stdin", text);
}
