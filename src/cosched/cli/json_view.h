/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An answer of the plugin, readable: whatever it holds, so that a newer plugin
 * is shown whole by an older command.
 */
#ifndef CS_COSCHED_CLI_JSON_VIEW_H
#define CS_COSCHED_CLI_JSON_VIEW_H

#include <json-c/json.h>
#include <stdbool.h>

/* The string @key of @o; "" if it is absent or none. */
const char *cs_json_text(struct json_object *o, const char *key);

/* Print @o as JSON and a newline. */
void cs_json_dump(struct json_object *o);

/*
 * Print the members of @o, one a line, names aligned, '_' as blank.  Empty
 * strings are left out, objects follow indented, a list of objects is a table.
 * Members named in @skip (NULL behind the last) are left out.
 */
void cs_json_view(struct json_object *o, const char *const *skip, int indent);

#endif
