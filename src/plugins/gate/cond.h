/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A condition variable with deadlines by CLOCK_MONOTONIC: they must not move with the
 * wall clock.
 */
#ifndef CS_GATE_COND_H
#define CS_GATE_COND_H

#include <pthread.h>
#include <time.h>

static inline void cs_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

#endif
