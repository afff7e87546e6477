/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line for slurmctld's log; separate, so that its users need no Slurm.
 */
#include "compat/slurm.h"

#include <stdarg.h>
#include <stdio.h>

#include "sched/feed/adapter_state.h"

void cs_say(bool bad, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	if (bad)
		error("cosched: %s", text);
	else
		info("cosched: %s", text);
}
