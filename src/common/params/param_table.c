/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters: the rows of the table in params.h, and how to find one. */
#include "params/params_parts.h"

#include <stdint.h>

#define KEY_MAX 128 /* bytes of a key that a message can hold */
#define LONG_KEY 6  /* bytes of a key that one wrong byte leaves recognisable */

#define CS_PARAM_ROW(f, k, kd, u, l, s, lo, hi, nm, tx) \
	{ .key = k,                                     \
	  .unit = u,                                    \
	  .live = l,                                    \
	  .sim = s,                                     \
	  .names = nm,                                  \
	  .text = tx,                                   \
	  .kind = CS_PARAM_##kd,                        \
	  .min = lo,                                    \
	  .max = hi,                                    \
	  .offset = offsetof(struct cs_params, f) },

const struct cs_param_row cs_param_rows[CS_N_PARAM] = { CS_PARAM_TABLE(
	CS_PARAM_ROW) };

const struct cs_param_row *cs_params_rows(size_t *ret_n)
{
	*ret_n = CS_N_PARAM;
	return cs_param_rows;
}

/* Names of keys before 0.1.0: valid until 0.2.0. */
static const struct {
	const char *name;
	int row;
} old_names[] = {
	{ "hold", CS_ROW_campaign_hold },
	{ "inside", CS_ROW_campaign_order },
	{ "small", CS_ROW_unprofiled },
};

int cs_param_find(const char *key, size_t n)
{
	for (size_t i = 0; i < CS_N_PARAM; i++)
		if (cs_param_is(key, n, cs_param_rows[i].key))
			return (int)i;
	for (size_t i = 0; i < sizeof(old_names) / sizeof(*old_names); i++)
		if (cs_param_is(key, n, old_names[i].name))
			return old_names[i].row;
	return -1;
}

size_t cs_param_distance(const char *a, size_t na, const char *b)
{
	size_t d[KEY_MAX + 1], nb = strlen(b);

	if (nb > KEY_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= nb; j++)
		d[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t corner = d[0];

		d[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = corner + (cs_param_lower(a[i - 1]) !=
						cs_param_lower(b[j - 1]));

			corner = d[j];
			if (d[j] + 1 < best)
				best = d[j] + 1;
			if (d[j - 1] + 1 < best)
				best = d[j - 1] + 1;
			d[j] = best;
		}
	}
	return d[nb];
}

const char *cs_param_nearest(const char *key, size_t n)
{
	const char *best = cs_param_rows[0].key;
	size_t least = SIZE_MAX;

	if (n > KEY_MAX)
		n = KEY_MAX;
	for (size_t i = 0; i < CS_N_PARAM; i++) {
		size_t d = cs_param_distance(key, n, cs_param_rows[i].key);

		if (d < least) {
			least = d;
			best = cs_param_rows[i].key;
		}
	}
	return best;
}

int cs_param_meant(const char *key, size_t n)
{
	char name[KEY_MAX] = "";
	const char *near;

	if (n > sizeof(name))
		return -1;
	for (size_t i = 0; i < n; i++)
		name[i] = key[i] == '-' ? '_' : cs_param_lower(key[i]);
	if (cs_param_find(name, n) >= 0 || n < LONG_KEY)
		return cs_param_find(name, n);
	near = cs_param_nearest(name, n);
	return cs_param_distance(name, n, near) <= 1
		       ? cs_param_find(near, strlen(near))
		       : -1;
}
