/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay_params.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does @settings have an item with @key? */
static bool have(const char *settings, const char *key)
{
	const char *at = settings;
	size_t n = strlen(key);

	while (at && *at) {
		size_t len = strcspn(at, ",");

		if (len > n && at[n] == '=' && !memcmp(at, key, n))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

/* The value of header parameter @key as text; NULL: absent, or of another type. */
static const char *text_of(struct json_object *params, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(params, key, &v))
		return NULL;
	if (json_object_is_type(v, json_type_string))
		return json_object_get_string(v);
	if (json_object_is_type(v, json_type_int) ||
	    json_object_is_type(v, json_type_double))
		return json_object_to_json_string(v);
	return NULL;
}

/* Does preset @name (NULL: none) set @key? */
static bool of_preset(const char *name, const char *key)
{
	const char *keys = name ? cs_params_preset_keys(name) : NULL;

	return have(keys, key);
}

/* Does the header's value of @key apply? */
static bool holds(struct json_object *params, const char *settings,
		  const char *policy, const char *key)
{
	if (have(settings, key))
		return false;
	return !policy || (!of_preset(policy, key) &&
			   !of_preset(text_of(params, "policy"), key));
}

/* The policy requested by @settings; NULL: none, or no memory. */
static char *new_policy(const char *settings)
{
	const char *at = settings;

	while (at && *at) {
		size_t len = strcspn(at, ",");

		if (len > 7 && !memcmp(at, "policy=", 7))
			return strndup(at + 7, len - 7);
		at += len + (at[len] == ',');
	}
	return NULL;
}

/* What a key was before it existed, where its default is another: the header of an old
 * log lacks it. */
static const char *before(const char *key)
{
	static const struct {
		const char *key, *value;
	} rows[] = {
		{ "depth_of", "queue" },
		{ "group_factor", "late" },
		{ "overdue", "raise" },
		{ "suit_wakes", "yes" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(key, rows[i].key))
			return rows[i].value;
	return NULL;
}

static void write_list(FILE *list, struct json_object *header,
		       const char *settings, const char *policy)
{
	struct json_object *params = NULL;
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	json_object_object_get_ex(header, "params", &params);
	fputs(settings ? settings : "", list);
	for (size_t i = 0; i < n; i++) {
		const char *v = text_of(params, row[i].key);

		/* the mode in force, where it is not as set */
		if (!strcmp(row[i].key, "mode") && text_of(header, "mode"))
			v = text_of(header, "mode");
		if (!v)
			v = before(row[i].key);

		if (v && holds(params, settings, policy, row[i].key))
			fprintf(list, ",%s=%s", row[i].key, v);
	}
}

int cs_replay_params(struct json_object *header, const char *settings,
		     bool live, struct cs_params *ret, struct cs_err *err)
{
	char *text = NULL, *policy = new_policy(settings);
	size_t len = 0;
	FILE *list = open_memstream(&text, &len);
	int rc = -ENOMEM;

	if (list) {
		write_list(list, header, settings, policy);
		rc = fclose(list) ? -ENOMEM : 0;
	}
	if (!rc)
		rc = cs_params_parse(ret, live ? CS_HOST_LIVE : CS_HOST_SIM,
				     text, "", err);
	free(text);
	free(policy);
	return rc == -ENOMEM ? cs_err_set(err, rc, "no memory") : rc;
}
