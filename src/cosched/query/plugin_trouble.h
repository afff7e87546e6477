/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does the plugin do what is configured? */
#ifndef CS_COSCHED_QUERY_PLUGIN_TROUBLE_H
#define CS_COSCHED_QUERY_PLUGIN_TROUBLE_H

#include <json-c/json.h>
#include <stdbool.h>

/*
 * Pass to @tell what keeps the plugin from doing what is configured, by its answer @o
 * to "status": a mode other than the configured one, refused settings, a state or log
 * that cannot be written, a missing plugin.  Unfavourable site settings (site_warnings)
 * do not count.  Returns how many there are.
 */
int cs_plugin_trouble(struct json_object *o,
		      void (*tell)(void *arg, const char *text), void *arg);

#endif
