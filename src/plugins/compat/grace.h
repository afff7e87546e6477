/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a job may run after it is told to stop: a key of Slurm's PreemptParameters.
 * No Slurm here: the command reads it, too.
 */
#ifndef CS_COMPAT_GRACE_H
#define CS_COMPAT_GRACE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* suspend_grace_time in @preempt_params (NULL: empty), in s; 2 if it is not there. */
static inline uint32_t cs_grace_s(const char *preempt_params)
{
	static const char key[] = "suspend_grace_time=";
	const char *at =
		preempt_params ? strcasestr(preempt_params, key) : NULL;
	unsigned long given;

	if (!at || at[sizeof(key) - 1] < '0' || at[sizeof(key) - 1] > '9')
		return 2;
	given = strtoul(at + sizeof(key) - 1, NULL, 10);
	return given < UINT32_MAX ? (uint32_t)given : UINT32_MAX;
}

#endif
