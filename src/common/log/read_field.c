/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/read_field.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/job.h"

/* ---- values -------------------------------------------------------------- */

int cs_log_wrong(struct json_object *v, const char *key, const char *expected,
		 struct cs_err *err)
{
	return cs_err_set(err, -EINVAL, "\"%s\" is %.40s, expected %s", key,
			  json_object_to_json_string(v), expected);
}

int64_t cs_log_us(double s)
{
	const double most = 6.3e12;

	return (int64_t)rint((s > most ? most : s < -most ? -most : s) * 1e6);
}

int cs_log_uint(struct json_object *o, const char *key, uint32_t min,
		uint32_t max, uint32_t *ret, struct cs_err *err)
{
	struct json_object *v;
	int64_t i;

	if (!json_object_object_get_ex(o, key, &v))
		return cs_err_set(err, -ENOENT,
				  "\"%s\" is absent, expected an integer", key);
	i = json_object_get_int64(v);
	if (!json_object_is_type(v, json_type_int) || i < min || i > max)
		return cs_err_set(err, -EINVAL,
				  "\"%s\" is %.40s, expected an integer of %u "
				  "to %u",
				  key, json_object_to_json_string(v), min, max);
	*ret = (uint32_t)i;
	return 0;
}

static int to_number(struct json_object *v, const char *key, double *ret,
		     struct cs_err *err)
{
	double d = json_object_get_double(v);

	if (!(json_object_is_type(v, json_type_int) ||
	      json_object_is_type(v, json_type_double)) ||
	    !isfinite(d))
		return cs_log_wrong(v, key, "a number", err);
	*ret = d;
	return 0;
}

int cs_log_number(struct json_object *o, const char *key, double *ret,
		  struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		return cs_err_set(err, -ENOENT,
				  "\"%s\" is absent, expected a number", key);
	return to_number(v, key, ret, err);
}

static int to_text(struct json_object *v, const char *key, const char **ret,
		   struct cs_err *err)
{
	if (!json_object_is_type(v, json_type_string))
		return cs_log_wrong(v, key, "a string", err);
	*ret = json_object_get_string(v);
	return 0;
}

int cs_log_text(struct json_object *o, const char *key, const char **ret,
		struct cs_err *err)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? to_text(v, key, ret, err)
						     : 0;
}

bool cs_log_says(struct json_object *o, const char *key, const char *value)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) &&
	       json_object_is_type(v, json_type_string) &&
	       !strcmp(json_object_get_string(v), value);
}

/* ---- forms --------------------------------------------------------------- */

static int to_integer(struct json_object *v, const char *key, int64_t min,
		      int64_t max, int64_t *ret, struct cs_err *err)
{
	int64_t i = json_object_get_int64(v);

	if (json_object_is_type(v, json_type_int) && i >= min && i <= max) {
		*ret = i;
		return 0;
	}
	return cs_err_set(err, -EINVAL,
			  "\"%s\" is %.40s, expected an integer of %lld to "
			  "%lld",
			  key, json_object_to_json_string(v), (long long)min,
			  (long long)max);
}

static int to_u64(struct json_object *v, const char *key, uint64_t *ret,
		  struct cs_err *err)
{
	if (!json_object_is_type(v, json_type_int) ||
	    json_object_get_int64(v) < 0)
		return cs_log_wrong(v, key, "an integer of 0 or more", err);
	*ret = json_object_get_uint64(v);
	return 0;
}

/* null counts as false. */
static int to_bool(struct json_object *v, const char *key, bool *ret,
		   struct cs_err *err)
{
	if (v && !json_object_is_type(v, json_type_boolean))
		return cs_log_wrong(v, key, "true or false", err);
	*ret = json_object_get_boolean(v);
	return 0;
}

/* Unknown names come from a later release: *ret keeps its default. */
static int to_name(struct json_object *v, const struct cs_log_field *f,
		   uint32_t *ret, struct cs_err *err)
{
	const char *text = NULL;
	int rc = to_text(v, f->key, &text, err);

	for (uint32_t i = 0; !rc && i < 32 && f->name(i); i++)
		if (!strcmp(text, f->name(i))) {
			*ret = i;
			break;
		}
	return rc;
}

/* Unknown flags come from a later release: ignored. */
static int to_flags(struct json_object *v, const struct cs_log_field *f,
		    uint32_t *ret, struct cs_err *err)
{
	if (!json_object_is_type(v, json_type_array))
		return cs_log_wrong(v, f->key, "a list", err);
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		struct json_object *x = json_object_array_get_idx(v, i);

		for (uint32_t k = 0; k < 32 && f->name(k); k++)
			if (json_object_is_type(x, json_type_string) &&
			    !strcmp(json_object_get_string(x), f->name(k)))
				*ret |= UINT32_C(1) << k;
	}
	return 0;
}

static int to_us(struct json_object *v, const char *key, int64_t *ret,
		 struct cs_err *err)
{
	double s;
	int rc = to_number(v, key, &s, err);

	if (!rc)
		*ret = cs_log_us(s);
	return rc;
}

static int to_member(struct json_object *v, const struct cs_log_field *f,
		     void *member, struct cs_err *err)
{
	int64_t i = 0;
	int rc;

	switch (f->form) {
	case CS_LOG_U32:
		rc = to_integer(v, f->key, 0, UINT32_MAX, &i, err);
		if (!rc)
			*(uint32_t *)member = (uint32_t)i;
		return rc;
	case CS_LOG_I32:
		rc = to_integer(v, f->key, INT32_MIN, INT32_MAX, &i, err);
		if (!rc)
			*(int32_t *)member = (int32_t)i;
		return rc;
	case CS_LOG_MEMORY:
		if (json_object_is_type(v, json_type_string)) {
			*(uint64_t *)member = CS_MEM_ALL;
			return 0;
		}
		return to_u64(v, f->key, member, err);
	case CS_LOG_U64:
		return to_u64(v, f->key, member, err);
	case CS_LOG_US:
		return to_us(v, f->key, member, err);
	case CS_LOG_EXACT:
		return to_number(v, f->key, member, err);
	case CS_LOG_TEXT:
	case CS_LOG_WHOLE:
		return to_text(v, f->key, member, err);
	case CS_LOG_TRUE:
	case CS_LOG_BOOL:
		return to_bool(v, f->key, member, err);
	case CS_LOG_NAME:
		return to_name(v, f, member, err);
	case CS_LOG_FLAGS:
		return to_flags(v, f, member, err);
	case CS_LOG_ROUNDED:
	case CS_LOG_NODESET:
	case CS_LOG_BY:
		break;
	}
	return 0;
}

/* ---- fields -------------------------------------------------------------- */

/* Set member @f of @of to its value for an absent field. */
static void set_default(const struct cs_log_in *in,
			const struct cs_log_field *f, void *of)
{
	void *member = (char *)of + f->at;
	int64_t v = f->left == CS_LOG_IF     ? f->usual
		    : f->left == CS_LOG_IF_T ? in->t_us
		    : f->left == CS_LOG_IF_LIKE
			    ? *(int64_t *)((char *)of + f->usual)
			    : 0;

	switch (f->form) {
	case CS_LOG_U32:
	case CS_LOG_NAME:
	case CS_LOG_FLAGS:
		*(uint32_t *)member = (uint32_t)v;
		break;
	case CS_LOG_I32:
		*(int32_t *)member = (int32_t)v;
		break;
	case CS_LOG_U64:
	case CS_LOG_MEMORY:
		*(uint64_t *)member = (uint64_t)v;
		break;
	case CS_LOG_US:
		*(int64_t *)member = v;
		break;
	case CS_LOG_EXACT:
		*(double *)member = 0;
		break;
	case CS_LOG_TEXT:
		*(const char **)member = NULL;
		break;
	case CS_LOG_WHOLE:
		*(const char **)member = "";
		break;
	case CS_LOG_TRUE:
	case CS_LOG_BOOL:
		*(bool *)member = false;
		break;
	case CS_LOG_ROUNDED:
	case CS_LOG_NODESET:
	case CS_LOG_BY:
		break;
	}
}

int cs_log_read_fields(struct cs_log_in *in, const struct cs_log_fields *part,
		       void *of, struct cs_err *err)
{
	for (size_t i = 0; i < part->n; i++) {
		const struct cs_log_field *f = &part->field[i];
		struct json_object *v;
		int rc = 0;

		if (f->form == CS_LOG_BY)
			in->host = cs_log_says(in->json, f->key, "host");
		else
			set_default(in, f, of);
		if (json_object_object_get_ex(in->json, f->key, &v))
			rc = to_member(v, f, (char *)of + f->at, err);
		if (rc)
			return rc;
	}
	return 0;
}
