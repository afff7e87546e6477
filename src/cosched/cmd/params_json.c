/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched params --json: {"parameters":[...],"presets":{NAME:{KEY:VALUE,...},...}}. A
 * number is a JSON number; what a preset sets is text, as a user would write it.
 */
#include "cmd/params_json.h"

#include <errno.h>
#include <string.h>

#include "sim/json_build.h"

static void add_value(struct cs_build *o, const char *key,
		      const struct cs_params *p, const struct cs_param_row *row)
{
	const void *field = (const char *)p + row->offset;
	const int64_t *integer = field;
	const double *real = field;
	char text[CS_PATH_MAX + 1];

	cs_params_print(p, row, text, sizeof(text));
	if (row->kind == CS_PARAM_INT)
		cs_build_add(o, key, json_object_new_int64(*integer));
	else if (row->kind == CS_PARAM_REAL) /* 1.12, not 1.1200000000000001 */
		cs_build_add(o, key, json_object_new_double_s(*real, text));
	else
		cs_build_text(o, key, text);
}

/* The parts of @list, separated by @sep, as a list of strings. */
static struct cs_build parts(const char *list, char sep)
{
	struct cs_build a = cs_build_list();

	while (*list) {
		const char *end = strchrnul(list, sep);

		cs_build_add(
			&a, NULL,
			json_object_new_string_len(list, (int)(end - list)));
		list = end + (*end == sep);
	}
	return a;
}

static void add_range(struct cs_build *o, const struct cs_param_row *row)
{
	struct cs_build values;

	if (row->kind == CS_PARAM_TEXT)
		return;
	if (row->kind == CS_PARAM_ENUM) {
		values = parts(row->names, '|');
		cs_build_part(o, "values", &values);
		return;
	}
	cs_build_add(o, "min", json_object_new_double(row->min));
	cs_build_add(o, "max", json_object_new_double(row->max));
}

static void add_row(struct cs_build *list, const struct cs_params *live,
		    const struct cs_params *sim, const struct cs_param_row *row)
{
	static const char *const kind[] = {
		[CS_PARAM_ENUM] = "enum",
		[CS_PARAM_INT] = "integer",
		[CS_PARAM_REAL] = "real",
		[CS_PARAM_TEXT] = "text",
	};
	struct cs_build o = cs_build_object();

	cs_build_text(&o, "key", row->key);
	cs_build_text(&o, "kind", kind[row->kind]);
	cs_build_text(&o, "unit", row->unit);
	add_value(&o, "slurmctld", live, row);
	add_value(&o, "simulator", sim, row);
	add_range(&o, row);
	cs_build_text(&o, "text", row->text);
	cs_build_part(list, NULL, &o);
}

/* What a preset sets, "key=value,key=value", as an object. */
static struct cs_build preset_object(const char *keys)
{
	struct cs_build o = cs_build_object();
	char key[64];

	while (*keys) {
		size_t n = strcspn(keys, ","), k = strcspn(keys, "=");

		if (k < n && k < sizeof(key)) {
			memcpy(key, keys, k);
			key[k] = '\0';
			cs_build_add(&o, key,
				     json_object_new_string_len(
					     keys + k + 1, (int)(n - k - 1)));
		}
		keys += n + (keys[n] == ',');
	}
	return o;
}

static struct cs_build all_presets(void)
{
	struct cs_build o = cs_build_object(), one;

	for (const char *const *p = cs_params_presets(); *p; p++) {
		one = preset_object(cs_params_preset_keys(*p));
		cs_build_part(&o, *p, &one);
	}
	return o;
}

int cs_params_json(const struct cs_params *live, const struct cs_params *sim,
		   const char *key)
{
	struct cs_build o = cs_build_object(), list = cs_build_list();
	struct cs_build presets = all_presets();
	size_t n, found = 0;
	const struct cs_param_row *rows = cs_params_rows(&n);

	for (size_t i = 0; i < n; i++) {
		if (key && strcmp(key, rows[i].key))
			continue;
		found++;
		add_row(&list, live, sim, &rows[i]);
	}
	cs_build_part(&o, "parameters", &list);
	cs_build_part(&o, "presets", &presets);
	if (found)
		return cs_build_print(&o, stdout);
	json_object_put(cs_build_take(&o));
	return -ENOENT;
}
