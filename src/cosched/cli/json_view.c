/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/options.h"
#include "cli/table.h"

#define NAME_MAX_WIDTH 32

const char *cs_json_view_text(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) ||
	    !json_object_is_type(v, json_type_string))
		return "";
	return json_object_get_string(v);
}

struct json_object *cs_json_view_member(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

int64_t cs_json_view_integer(struct json_object *o, const char *key)
{
	return json_object_get_int64(cs_json_view_member(o, key));
}

void cs_json_view_time(int64_t at_s, char *buf, size_t size)
{
	time_t then = (time_t)at_s, now = time(NULL);
	struct tm at, today;

	if (!localtime_r(&then, &at) || !localtime_r(&now, &today) ||
	    at_s <= 0) {
		snprintf(buf, size, "-");
		return;
	}
	strftime(buf, size,
		 at.tm_yday == today.tm_yday && at.tm_year == today.tm_year
			 ? "%H:%M:%S"
			 : "%m-%d %H:%M",
		 &at);
}

void cs_json_view_dump(struct json_object *o)
{
	printf("%s\n",
	       json_object_to_json_string_ext(
		       o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
}

/* ---- values -------------------------------------------------------------- */

/* A value on one line, for a cell; the caller frees it.  NULL: no memory. */
static char *flat(struct json_object *v)
{
	char *text = NULL;

	if (!v)
		return strdup("-");
	if (!json_object_is_type(v, json_type_array))
		return strdup(json_object_get_string(v));
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		char *one = flat(json_object_array_get_idx(v, i));
		char *longer = NULL;

		if (!one || asprintf(&longer, "%s%s%s", text ? text : "",
				     text ? "," : "", one) < 0)
			longer = NULL;
		free(one);
		free(text);
		text = longer;
		if (!text)
			return NULL;
	}
	return text ? text : strdup("-");
}

static bool is_table(struct json_object *v)
{
	return json_object_is_type(v, json_type_array) &&
	       json_object_array_length(v) &&
	       json_object_is_type(json_object_array_get_idx(v, 0),
				   json_type_object);
}

/* ---- tables -------------------------------------------------------------- */

/* A heading for each member of any object of @list; ">name" for numbers. */
static size_t heads(struct json_object *list, char **head)
{
	size_t n = 0;

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		if (!json_object_is_type(o, json_type_object))
			continue;
		json_object_object_foreach(o, key, v) {
			bool number = json_object_is_type(v, json_type_int) ||
				      json_object_is_type(v, json_type_double);
			bool there = false;

			for (size_t k = 0; k < n; k++)
				there |= !strcmp(head[k] + (*head[k] == '>'),
						 key);
			if (there || n == CS_TABLE_COLUMNS)
				continue;
			if (asprintf(&head[n], "%s%s", number ? ">" : "", key) <
			    0)
				return n;
			n++;
		}
	}
	return n;
}

static void add_row(struct cs_table *t, struct json_object *o, char **head,
		    size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct json_object *v = NULL;
		char *text;

		json_object_object_get_ex(o, head[k] + (*head[k] == '>'), &v);
		text = flat(v);
		cs_table_cell(t, "%s", text ? text : "?");
		free(text);
	}
}

/* A list of objects as a table; a column for each member of any of them. */
static void print_table(struct json_object *list)
{
	char *head[CS_TABLE_COLUMNS + 1] = { NULL };
	size_t n = heads(list, head);
	struct cs_table t;

	head[n] = NULL;
	if (!n)
		return;
	cs_table_init(&t, (const char *const *)head);
	for (size_t i = 0; i < json_object_array_length(list); i++)
		add_row(&t, json_object_array_get_idx(list, i), head, n);
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
	for (size_t k = 0; k < n; k++)
		free(head[k]);
}

/* ---- objects ------------------------------------------------------------- */

static bool skipped(const char *key, const char *const *skip)
{
	for (; skip && *skip; skip++)
		if (!strcmp(key, *skip))
			return true;
	return false;
}

/* Print @key, '_' as a blank; returns its length. */
static int print_name(const char *key, int indent)
{
	int n = (int)strlen(key);

	printf("%*s", indent, "");
	for (; *key; key++)
		putchar(*key == '_' ? ' ' : *key < ' ' ? '?' : *key);
	return n;
}

static void print_member(const char *key, struct json_object *v, int width,
			 int indent)
{
	char *text;

	if (json_object_is_type(v, json_type_string) &&
	    !json_object_get_string_len(v))
		return;
	if (json_object_is_type(v, json_type_object) || is_table(v)) {
		print_name(key, indent);
		printf("\n");
		if (is_table(v))
			print_table(v);
		else
			cs_json_view(v, NULL, indent + 2);
		return;
	}
	text = flat(v);
	printf("%*s", width - print_name(key, indent) + 2, "");
	cs_table_print_clean(text ? text : "?");
	free(text);
	printf("\n");
}

void cs_json_view(struct json_object *o, const char *const *skip, int indent)
{
	size_t width = 0;

	if (indent > 16 || !json_object_is_type(o, json_type_object))
		return;
	json_object_object_foreach(o, name, unused) {
		size_t n = strlen(name);

		(void)unused;
		if (!skipped(name, skip) && n > width && n < NAME_MAX_WIDTH)
			width = n;
	}
	json_object_object_foreach(o, key, v)
		if (!skipped(key, skip))
			print_member(key, v, (int)width, indent);
}
