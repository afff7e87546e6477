/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/site_policy.h"

#include <string.h>

#include "cli/options.h"

const char *cs_site_policy(const char *cmd, const char *name)
{
	if (strchr(name, ',') || !*name) {
		cs_cmd_bad("%s: --site is '%.100s', expected one policy such "
			   "as stock or easy",
			   cmd, name);
		return NULL;
	}
	return strcmp(name, "easy") ? name : "easy:unprofiled=model";
}
