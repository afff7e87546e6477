/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last values of a stream, with their order statistics.
 *
 * All zero is a window of no room, which holds nothing.
 */
#ifndef CS_BASE_WINDOW_H
#define CS_BASE_WINDOW_H

#include <stdint.h>

struct cs_window {
	uint32_t cap, n;
	uint32_t next; /* the oldest of a full window, which the next value replaces */
	double *value;	/* [cap] in the order in which they came */
	double *sorted; /* [n] the same values, the least first */
};

/* Room for the last @cap values.  0, -ENOMEM. */
int cs_window_init(struct cs_window *w, uint32_t cap);
void cs_window_done(struct cs_window *w);

/* Add @x, which is no NAN, in place of the oldest value if the window is full.
 * O(cap) moves of memory, O(log cap) comparisons. */
void cs_window_add(struct cs_window *w, double x);

/* The lower median; 0 if the window is empty.  The value of rank k, from 0 for the
 * least, is w->sorted[k]. */
static inline double cs_window_median(const struct cs_window *w)
{
	return w->n ? w->sorted[(w->n - 1) / 2] : 0;
}

#endif
