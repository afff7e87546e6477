/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/plugin_trouble.h"

#include <stdio.h>

#include "cli/json_view.h"

/* Members that say what is wrong; "" where nothing is. */
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
		if (!*cs_json_view_text(o, errors[i]))
			continue;
		tell(arg, cs_json_view_text(o, errors[i]));
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
