// SPDX-License-Identifier: GPL-2.0-or-later
#include "wait/mode.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAMES[CS_WAIT_N_MODE] = {
	[CS_WAIT_LOCAL] = "local",   [CS_WAIT_YIELD] = "yield",
	[CS_WAIT_IB] = "ib",	     [CS_WAIT_SB] = "sb",
	[CS_WAIT_HYBRID] = "hybrid", [CS_WAIT_PROC_B] = "proc-b",
};

const char *cs_wait_mode_name(enum cs_wait_mode mode)
{
	return NAMES[mode];
}

/* The whole of @text as a number of microseconds; -1: it is none. */
static long spin_us(const char *text)
{
	char *end;
	long us;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	us = strtol(text, &end, 10);
	return errno || *end || us > CS_WAIT_SPIN_MAX_US ? -1 : us;
}

int cs_wait_mode_parse(const char *text, struct cs_wait_setting *ret)
{
	size_t name = strcspn(text, ":");
	long us = CS_WAIT_SPIN_US;

	for (int m = 0; m < CS_WAIT_N_MODE; m++) {
		if (strlen(NAMES[m]) != name || memcmp(NAMES[m], text, name))
			continue;
		if (text[name] && m != CS_WAIT_SB)
			return -EINVAL;
		if (text[name])
			us = spin_us(text + name + 1);
		if (us < 0)
			return -EINVAL;
		ret->mode = (enum cs_wait_mode)m;
		ret->spin_ns = m == CS_WAIT_SB ? us * INT64_C(1000) : 0;
		return 0;
	}
	return -EINVAL;
}
