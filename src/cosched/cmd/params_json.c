/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched params --json: {"parameters":[...],"presets":{NAME:{KEY:VALUE,...},...}}.
 * A parameter's value is a number where its kind is; what a preset sets is text, as a
 * user would write it.
 */
#include "cmd/params_json.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "cli/json_view.h"

/* Add @value to @o and take it; false: no memory. */
static bool add(struct json_object *o, const char *key,
		struct json_object *value)
{
	if (value && !json_object_object_add(o, key, value))
		return true;
	json_object_put(value);
	return false;
}

static bool add_text(struct json_object *o, const char *key, const char *text)
{
	return add(o, key, json_object_new_string(text));
}

static bool add_value(struct json_object *o, const char *key,
		      const struct cs_params *p, const struct cs_param_row *row)
{
	const void *field = (const char *)p + row->offset;
	const int64_t *integer = field;
	const double *real = field;
	char text[CS_PATH_MAX + 1];

	if (row->kind == CS_PARAM_INT)
		return add(o, key, json_object_new_int64(*integer));
	cs_params_print(p, row, text, sizeof(text));
	if (row->kind == CS_PARAM_REAL) /* 1.12, and not 1.1200000000000001 */
		return add(o, key, json_object_new_double_s(*real, text));
	return add_text(o, key, text);
}

/* The parts of @list between @sep, as an array of texts. */
static struct json_object *parts(const char *list, char sep)
{
	struct json_object *a = json_object_new_array();

	while (a && *list) {
		const char *end = strchrnul(list, sep);
		struct json_object *one =
			json_object_new_string_len(list, (int)(end - list));

		if (!one || json_object_array_add(a, one)) {
			json_object_put(one);
			json_object_put(a);
			return NULL;
		}
		list = end + (*end == sep);
	}
	return a;
}

static bool add_range(struct json_object *o, const struct cs_param_row *row)
{
	if (row->kind == CS_PARAM_ENUM)
		return add(o, "values", parts(row->names, '|'));
	if (row->kind == CS_PARAM_TEXT)
		return true;
	return add(o, "min", json_object_new_double(row->min)) &&
	       add(o, "max", json_object_new_double(row->max));
}

static struct json_object *row_object(const struct cs_params *live,
				      const struct cs_params *sim,
				      const struct cs_param_row *row)
{
	static const char *const kind[] = {
		[CS_PARAM_ENUM] = "enum",
		[CS_PARAM_INT] = "integer",
		[CS_PARAM_REAL] = "real",
		[CS_PARAM_TEXT] = "text",
	};
	struct json_object *o = json_object_new_object();

	if (o && add_text(o, "key", row->key) &&
	    add_text(o, "kind", kind[row->kind]) &&
	    add_text(o, "unit", row->unit) &&
	    add_value(o, "slurmctld", live, row) &&
	    add_value(o, "simulator", sim, row) && add_range(o, row) &&
	    add_text(o, "text", row->text))
		return o;
	json_object_put(o);
	return NULL;
}

/* What a preset sets, "key=value,key=value", as an object. */
static struct json_object *preset_object(const char *keys)
{
	struct json_object *o = json_object_new_object();
	char key[64];

	while (o && *keys) {
		size_t n = strcspn(keys, ","), k = strcspn(keys, "=");

		if (k < n && k < sizeof(key)) {
			memcpy(key, keys, k);
			key[k] = '\0';
			if (!add(o, key,
				 json_object_new_string_len(
					 keys + k + 1, (int)(n - k - 1)))) {
				json_object_put(o);
				return NULL;
			}
		}
		keys += n + (keys[n] == ',');
	}
	return o;
}

static struct json_object *all_presets(void)
{
	struct json_object *o = json_object_new_object();

	for (const char *const *p = cs_params_presets(); o && *p; p++)
		if (!add(o, *p, preset_object(cs_params_preset_keys(*p)))) {
			json_object_put(o);
			return NULL;
		}
	return o;
}

/* The rows named @key in @ret.  0, -ENOENT, -ENOMEM. */
static int add_rows(struct json_object *ret, const struct cs_params *live,
		    const struct cs_params *sim, const char *key)
{
	size_t n, found = 0;
	const struct cs_param_row *rows = cs_params_rows(&n);

	for (size_t i = 0; i < n; i++) {
		struct json_object *o;

		if (key && strcmp(key, rows[i].key))
			continue;
		found++;
		o = row_object(live, sim, &rows[i]);
		if (!o || json_object_array_add(ret, o)) {
			json_object_put(o);
			return -ENOMEM;
		}
	}
	return found ? 0 : -ENOENT;
}

int cs_params_json(const struct cs_params *live, const struct cs_params *sim,
		   const char *key)
{
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array();
	int rc = o && list ? add_rows(list, live, sim, key) : -ENOMEM;

	if (!o)
		json_object_put(list);
	else if (!add(o, "parameters", list))
		rc = -ENOMEM;
	else if (!rc && !add(o, "presets", all_presets()))
		rc = -ENOMEM;
	if (!rc)
		cs_json_view_dump(o);
	json_object_put(o);
	return rc;
}
