/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON text is read once, by someone who knows what it should hold: everything that
 * is wrong is said with its line.
 */
#ifndef CS_PROFILE_JSON_READER_H
#define CS_PROFILE_JSON_READER_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

#include "base/err.h"
#include "base/jsonpos.h"

#define CS_JSON_SHOWN 40 /* bytes of a user's string in a message */

struct cs_json_reader {
	struct cs_jsontext t;
	const char *name; /* of the file, in messages */
	struct cs_err *err;
	struct cs_json_told *told; /* NULL: the first error is the last */
};

/* Who hears of each error, so that reading may go on behind it. */
struct cs_json_told {
	void (*tell)(void *arg, const char *text);
	void *arg;
	int n; /* how many there were */
};

/* @rc of a part that is one of several: 0 also where it is bad and was told. */
static inline int cs_json_reader_go_on(const struct cs_json_reader *r, int rc)
{
	return rc == -EINVAL && r->told ? 0 : rc;
}

/* A value and where it stands. */
struct cs_json_node {
	struct json_object *o; /* borrowed; NULL for null, too */
	size_t at;
	bool set; /* false: it is not in the file */
};

/* Complain about what stands at offset @at; returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int
cs_json_reader_fail(const struct cs_json_reader *r, size_t at, const char *fmt,
		    ...);

/*
 * Check the text, of at most @max bytes, and let json-c read the object that it is:
 * ret->o is the caller's to put.  0, -EINVAL, -ENOMEM.
 */
int cs_json_reader_read(const struct cs_json_reader *r, size_t max,
			struct cs_json_node *ret);

/* @n, called @what, is of that type; a number from @least to @most; an object in
 * which no key stands twice.  0, -EINVAL; -ENOMEM. */
int cs_json_reader_need(const struct cs_json_reader *r,
			const struct cs_json_node *n, enum json_type type,
			const char *what, const char *expected);
int cs_json_reader_number(const struct cs_json_reader *r,
			  const struct cs_json_node *n, const char *what,
			  double least, double most, double *ret);
int cs_json_reader_object(const struct cs_json_reader *r,
			  const struct cs_json_node *n, const char *what);

/*
 * Read the members of the object @n called @what into @ret, one for each of the
 * NULL-terminated @keys; another key is an error.
 */
int cs_json_reader_members(const struct cs_json_reader *r,
			   const struct cs_json_node *n, const char *what,
			   const char *const *keys, struct cs_json_node *ret);

/* Goes through an object in json-c and in the text at once. */
struct cs_json_reader_walk {
	struct json_object_iterator it, end;
	struct cs_jsonpos pos;
	bool more;
};

void cs_json_reader_walk(struct cs_json_reader_walk *w,
			 const struct cs_json_reader *r,
			 const struct cs_json_node *n);
/* The next member; false behind the last. */
bool cs_json_reader_next(struct cs_json_reader_walk *w,
			 const struct cs_json_reader *r, const char **ret_key,
			 size_t *ret_at, struct cs_json_node *ret);

#endif
