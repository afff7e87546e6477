/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/plugin_build.h"

#include <stdio.h>
#include <string.h>

#include "cli/json_view.h"
#include "cosched_build.h" /* by make */

const char *cs_plugin_build_own(void)
{
	return COSCHED_BUILD;
}

const char *cs_plugin_build(struct json_object *o)
{
	const char *build = cs_json_view_text(o, "build");

	return *build ? build : cs_json_view_text(o, "version");
}

bool cs_plugin_build_differs(struct json_object *o, char *buf, size_t size)
{
	const char *build = cs_plugin_build(o);

	if (!strcmp(build, COSCHED_BUILD))
		return false;
	snprintf(buf, size,
		 "slurmctld has loaded build %s, this command is of build "
		 "%s: if that is the newer one, restart slurmctld",
		 build, COSCHED_BUILD);
	return true;
}
