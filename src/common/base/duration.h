/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instants and spans of time, in microseconds.
 */
#ifndef CS_BASE_DURATION_H
#define CS_BASE_DURATION_H

#include <stdint.h>

#define CS_TIME_NONE INT64_MAX /* no such instant, no limit */
#define CS_SECOND_US INT64_C(1000000)

/* @us after @at_us, both >= 0; CS_TIME_NONE if out of range. */
static inline int64_t cs_later_us(int64_t at_us, int64_t us)
{
	return us < CS_TIME_NONE - at_us ? at_us + us : CS_TIME_NONE;
}

/* Spans of @span_us (> 0) that hold @us (>= 0). */
static inline int64_t cs_spans(int64_t us, int64_t span_us)
{
	return us / span_us + (us % span_us > 0);
}

/* @us (>= 0) times @factor, rounded up; CS_TIME_NONE if out of range. */
static inline int64_t cs_stretch_us(int64_t us, double factor)
{
	double t = (double)us * factor;
	int64_t whole;

	/* the usual case; exact in a double */
	if (factor == 1 && us < INT64_C(1) << 53)
		return us;
	if (!(t < 9e18))
		return CS_TIME_NONE;
	whole = (int64_t)t; /* faster than ceil() */
	return whole + ((double)whole < t);
}

#endif
