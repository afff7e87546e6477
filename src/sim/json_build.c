/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_build.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"

static struct cs_build begin(struct json_object *o)
{
	return (struct cs_build){ o, !o };
}

struct cs_build cs_build_object(void)
{
	return begin(json_object_new_object());
}

struct cs_build cs_build_list(void)
{
	return begin(json_object_new_array());
}

void cs_build_add(struct cs_build *to, const char *key, struct json_object *v)
{
	if (!to->nomem && v &&
	    !(key ? json_object_object_add(to->o, key, v)
		  : json_object_array_add(to->o, v)))
		return;
	to->nomem = true;
	json_object_put(v);
}

void cs_build_part(struct cs_build *to, const char *key, struct cs_build *part)
{
	cs_build_add(to, key, cs_build_take(part));
}

void cs_build_real(struct cs_build *to, const char *key, double v)
{
	char text[32];

	if (isnan(v))
		return;
	snprintf(text, sizeof(text), "%.9g", v);
	cs_build_add(to, key, json_object_new_double_s(v, text));
}

void cs_build_time(struct cs_build *to, const char *key, int64_t us)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRId64 ".%06d", us < 0 ? "-" : "",
		 us < 0 ? -(us / 1000000) : us / 1000000,
		 abs((int)(us % 1000000)));
	cs_build_add(to, key, json_object_new_double_s((double)us / 1e6, text));
}

void cs_build_count(struct cs_build *to, const char *key, uint64_t v)
{
	cs_build_add(to, key, json_object_new_uint64(v));
}

static struct json_object *clean_text(const char *v, size_t n)
{
	char *copy = strndup(v, n);
	struct json_object *o = NULL;

	for (size_t i = 0, len; copy && i < n; i += len) {
		len = cs_utf8_len(copy + i, n - i);
		if (!len) {
			copy[i] = '?';
			len = 1;
		}
	}
	if (copy)
		o = json_object_new_string_len(copy, (int)n);
	free(copy);
	return o;
}

void cs_build_text(struct cs_build *to, const char *key, const char *v)
{
	cs_build_add(to, key, clean_text(v, strlen(v)));
}

void cs_build_flag(struct cs_build *to, const char *key, bool v)
{
	cs_build_add(to, key, json_object_new_boolean(v));
}

void cs_build_message(struct cs_build *to, const char *text)
{
	static const char between[] = ", expected ";
	const char *end = NULL;

	for (const char *at = text; (at = strstr(at, between)); at++)
		end = at;
	cs_build_add(
		to, "what",
		clean_text(text, end ? (size_t)(end - text) : strlen(text)));
	if (end)
		cs_build_text(to, "expected", end + strlen(between));
}

struct json_object *cs_build_take(struct cs_build *b)
{
	struct json_object *o = b->o;

	b->o = NULL;
	if (!b->nomem)
		return o;
	json_object_put(o);
	return NULL;
}

int cs_build_print(struct cs_build *b, FILE *file)
{
	struct json_object *o = cs_build_take(b);
	const char *text = NULL;
	int rc = -ENOMEM;

	if (o)
		text = json_object_to_json_string_ext(
			o, JSON_C_TO_STRING_PRETTY |
				   JSON_C_TO_STRING_NOSLASHESCAPE);
	errno = 0;
	if (text) {
		fprintf(file, "%s\n", text);
		rc = !ferror(file) ? 0 : errno ? -errno : -EIO;
	}
	json_object_put(o);
	return rc;
}
