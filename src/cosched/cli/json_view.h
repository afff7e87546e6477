/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An answer of the plugin in readable form, whatever it holds, so that an older command
 * shows all of a newer plugin's answer.
 */
#ifndef CS_COSCHED_CLI_JSON_VIEW_H
#define CS_COSCHED_CLI_JSON_VIEW_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The string @key of @o; "" if it is absent or not a string. */
const char *cs_json_view_text(struct json_object *o, const char *key);

/* The member @key of @o; NULL: absent, or @o is not an object. */
struct json_object *cs_json_view_member(struct json_object *o, const char *key);
/* The same as an integer; 0 if absent. */
int64_t cs_json_view_integer(struct json_object *o, const char *key);

/* The local time of @at_s since 1970: time of day, with the date unless it is today;
 * "-" if @at_s is not positive. */
void cs_json_view_time(int64_t at_s, char *buf, size_t size);

/* Print @o as JSON and a newline. */
void cs_json_view_dump(struct json_object *o);

/*
 * Print the members of @o, one per line, names aligned, '_' as a blank.  Empty strings
 * are left out, objects follow indented, a list of objects becomes a table.  Members
 * named in @skip (ends with NULL) are left out.
 */
void cs_json_view(struct json_object *o, const char *const *skip, int indent);

#endif
