/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of which build is the plugin in slurmctld, and of which this command? */
#ifndef CS_COSCHED_QUERY_PLUGIN_BUILD_H
#define CS_COSCHED_QUERY_PLUGIN_BUILD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/* This command's: the version, and what tells builds of it apart. */
const char *cs_plugin_build_own(void);

/* The plugin's, by its answer @o to "status"; only the version if it is older than
 * this member. */
const char *cs_plugin_build(struct json_object *o);

/* Do they differ?  If so, @buf has one line that says what to do. */
bool cs_plugin_build_differs(struct json_object *o, char *buf, size_t size);

#endif
