/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/plugin_trouble.h"

#include <stdio.h>
#include <string.h>

#include "cli/json_view.h"

/* Members with errors; "" if none. */
static const char *const errors[] = {
	"params_error",
	"partition_modes_error",
	"share_partitions_error",
	"state_error",
	"log_error",
	"layout_error",
	"site_error",
};

int cs_plugin_trouble(struct json_object *o,
		      void (*tell)(void *arg, const char *text), void *arg)
{
	const char *why = cs_json_view_text(o, "why");
	struct json_object *live;
	char text[1024];
	int n = 0;

	if (*why) {
		snprintf(text, sizeof(text), "mode %s is set: %s",
			 cs_json_view_text(o, "mode_set"), why);
		tell(arg, text);
		n++;
	}
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		const char *error = cs_json_view_text(o, errors[i]);

		if (!*error || strstr(why, error)) /* told already */
			continue;
		tell(arg, error);
		n++;
	}
	if (!*why && json_object_object_get_ex(o, "select_live", &live) &&
	    !json_object_get_boolean(live)) {
		tell(arg, "our select_cons_tres.so is not loaded, or is of "
			  "another Slurm release: nothing is shared");
		n++;
	}
	return n;
}
