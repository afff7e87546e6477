/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/run/pause.h"

bool cs_pause_failed(struct cs_pause *p, int64_t now_us)
{
	int64_t us = CS_PAUSE_US;

	for (uint32_t i = 0; i < p->failed && us < CS_PAUSE_MAX_US; i++)
		us *= 2;
	p->until_us = now_us + us;
	if (p->failed < UINT32_MAX)
		p->failed++;
	return p->failed == 1;
}

void cs_pause_over(struct cs_pause *p)
{
	p->failed = 0;
	p->until_us = 0;
}

bool cs_pause_holds(const struct cs_pause *p, int64_t now_us)
{
	return p->failed && now_us < p->until_us;
}
