/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of schema.h, read from a line.
 *
 * Everywhere: 0, or -EINVAL with "what, expected what" in @err.
 */
#ifndef CS_LOG_READ_FIELD_H
#define CS_LOG_READ_FIELD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "log/schema.h"

/* What is read, and what its fields depend on beside their struct. */
struct cs_log_in {
	struct json_object *json; /* strings that are read stay its */
	int64_t t_us;
	bool host; /* set where "by" says so */
};

/* Set the members of the struct @of that @part has, those whose fields are absent
 * to their defaults.  CS_LOG_NODESET and CS_LOG_ROUNDED stay as they are. */
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

/* Microseconds of @s seconds, to the nearest; beyond 200,000 years: of those. */
int64_t cs_log_us(double s);

/* -EINVAL: "@key" is @v, expected @expected. */
int cs_log_wrong(struct json_object *v, const char *key, const char *expected,
		 struct cs_err *err);

#endif
