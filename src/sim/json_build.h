/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON in the making: what the command and the simulator say to other programs.
 *
 * After a failure nothing more goes in, and the end says so, so that nobody asks
 * on the way.  A text that is no UTF-8, as users' names may be, gets '?' for each
 * byte that is not.
 */
#ifndef CS_JSON_BUILD_H
#define CS_JSON_BUILD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

/* An object, or a list: members of a list have no key (NULL). */
struct cs_build {
	struct json_object *o;
	bool nomem;
};

struct cs_build cs_build_object(void);
struct cs_build cs_build_list(void);

/* @v, which is taken; NULL: no memory. */
void cs_build_add(struct cs_build *to, const char *key, struct json_object *v);
/* What is made in @part, which is taken. */
void cs_build_part(struct cs_build *to, const char *key, struct cs_build *part);
/* Nine digits: enough to compare, few enough to be the same everywhere.  NAN is
 * left out. */
void cs_build_real(struct cs_build *to, const char *key, double v);
void cs_build_time(struct cs_build *to, const char *key, int64_t us); /* in s */
void cs_build_count(struct cs_build *to, const char *key, uint64_t v);
void cs_build_text(struct cs_build *to, const char *key, const char *v);
void cs_build_flag(struct cs_build *to, const char *key, bool v);
/* A message "WHAT, expected WHAT" as "what" and, where it is so, "expected". */
void cs_build_message(struct cs_build *to, const char *text);

/* The end: it is the caller's; NULL: no memory. */
struct json_object *cs_build_take(struct cs_build *b);
/* The end: printed and gone.  0; -ENOMEM; -EIO or another errno. */
int cs_build_print(struct cs_build *b, FILE *file);

#endif
