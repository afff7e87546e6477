/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of the answers to `cosched status` and the like. */
#ifndef CS_SCHED_ADAPTER_REPLY_JSON_H
#define CS_SCHED_ADAPTER_REPLY_JSON_H

#include <json-c/json.h>
#include <stdint.h>

static inline void cs_put_number(struct json_object *o, const char *key,
				 int64_t n)
{
	json_object_object_add(o, key, json_object_new_int64(n));
}

static inline void cs_put_string(struct json_object *o, const char *key,
				 const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

#endif
