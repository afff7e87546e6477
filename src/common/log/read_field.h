/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of schema.h, read from a line.
 *
 * All return 0, or -EINVAL with "what, expected what" in @err.
 */
#ifndef CS_LOG_READ_FIELD_H
#define CS_LOG_READ_FIELD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "log/schema.h"

/* The line being read, and what its fields depend on besides their struct. */
struct cs_log_in {
	struct json_object *json; /* owns the strings that are read */
	int64_t t_us;
	bool host; /* set if "by" says so */
};

/* Set the members of the struct @of listed in @part, to their defaults if their fields
 * are absent.  CS_LOG_NODESET and CS_LOG_ROUNDED members are not touched. */
int cs_log_read_fields(struct cs_log_in *in, const struct cs_log_fields *part,
		       void *of, struct cs_err *err);

/* The integer under @key, from @min to @max; -ENOENT: absent. */
int cs_log_uint(struct json_object *o, const char *key, uint32_t min,
		uint32_t max, uint32_t *ret, struct cs_err *err);

/* A finite number; -ENOENT: absent. */
int cs_log_number(struct json_object *o, const char *key, double *ret,
		  struct cs_err *err);

/* A string; absent: *ret stays. */
int cs_log_text(struct json_object *o, const char *key, const char **ret,
		struct cs_err *err);

/* Is the field @key the string @value? */
bool cs_log_says(struct json_object *o, const char *key, const char *value);

/* Microseconds of @s seconds, to the nearest; clipped to 200,000 years. */
int64_t cs_log_us(double s);

/* -EINVAL: "@key" is @v, expected @expected. */
int cs_log_wrong(struct json_object *v, const char *key, const char *expected,
		 struct cs_err *err);

#endif
