/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of a line of state: each has one blank before it, and no sign.
 *
 * All return false, and then *@at has not moved, if there is no such number.
 */
#ifndef CS_LEARN_NUMBERS_H
#define CS_LEARN_NUMBERS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* To @base, at most @most. */
static inline bool cs_numbers_next(const char **at, int base, uint64_t most,
				   uint64_t *ret)
{
	char *end;

	if (**at != ' ' || !(*at)[1] || !strchr("0123456789abcdef", (*at)[1]))
		return false;
	errno = 0;
	*ret = strtoull(*at + 1, &end, base);
	if (end == *at + 1 || errno || *ret > most || (*end && *end != ' '))
		return false;
	*at = end;
	return true;
}

static inline bool cs_numbers_key(const char **at, uint64_t *ret)
{
	return cs_numbers_next(at, 16, UINT64_MAX, ret);
}

static inline bool cs_numbers_micros(const char **at, int64_t *ret)
{
	uint64_t us;

	if (!cs_numbers_next(at, 10, INT64_MAX / 2, &us))
		return false;
	*ret = (int64_t)us;
	return true;
}

static inline bool cs_numbers_count(const char **at, uint32_t most,
				    uint32_t *ret)
{
	uint64_t n;

	if (!cs_numbers_next(at, 10, most, &n))
		return false;
	*ret = (uint32_t)n;
	return true;
}

#endif
