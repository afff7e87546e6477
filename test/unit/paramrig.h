/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of parameters, good and bad. */
#ifndef CS_PARAMRIG_H
#define CS_PARAMRIG_H

#include "cs_test.h"

#include <errno.h>

#include "common/params/params.h"

#define PREFIX "cosched_"

static inline const struct cs_param_row *row_of(const char *key)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(row[i].key, key))
			return &row[i];
	fail_msg("no key '%s'", key);
	return NULL;
}

/* Read @list live; the caller frees. */
static inline struct cs_params good(const char *list)
{
	struct cs_err err = { "" };
	struct cs_params p;

	if (cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, &err))
		fail_msg("'%s': %s", list, err.text);
	return p;
}

/* @list is refused with @want in the message, and *ret is untouched. */
static inline void bad_host(enum cs_param_host host, const char *list,
			    const char *prefix, const char *want)
{
	struct cs_err err = { "" };
	struct cs_params p, was;

	memset(&p, 0x5a, sizeof(p));
	was = p;
	if (cs_params_parse(&p, host, list, prefix, &err) != -EINVAL)
		fail_msg("'%s' was taken", list);
	assert_contains(err.text, want);
	assert_memory_equal(&p, &was, sizeof(p));
	assert_int_equal(cs_params_parse(&p, host, list, prefix, NULL),
			 -EINVAL);
}

static inline void bad(const char *list, const char *want)
{
	bad_host(CS_HOST_LIVE, list, PREFIX, want);
}

#endif
