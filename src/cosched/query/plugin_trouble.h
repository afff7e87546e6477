/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does the plugin do what it is told? */
#ifndef CS_COSCHED_QUERY_PLUGIN_TROUBLE_H
#define CS_COSCHED_QUERY_PLUGIN_TROUBLE_H

#include <json-c/json.h>
#include <stdbool.h>

/*
 * Give to @tell what keeps the plugin from doing what is set, after its answer @o to
 * "status": another mode than the one set, settings that are refused, a state or a log
 * that cannot be written, a plugin that is missing.  What the site has set against
 * itself (site_warnings) is no such thing.  Returns how many there are.
 */
int cs_plugin_trouble(struct json_object *o,
		      void (*tell)(void *arg, const char *text), void *arg);

#endif
