/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/feed/clock.h"

#include <time.h>

int64_t cs_clock_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t cs_clock_bring(struct cs_clock *c, int64_t wall_us, int64_t mono_us)
{
	int64_t half = (mono_us - c->mono_us) / 2;

	if (wall_us >= c->now_us) {
		c->now_us = wall_us;
		c->mono_us = mono_us;
	} else if (half > 0) {
		c->now_us += half; /* an odd microsecond is kept for later */
		c->mono_us += 2 * half;
	}
	return c->now_us;
}
