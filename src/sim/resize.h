/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes for nodes of two sockets with two cores (Zeng09, eq. 7); see resize.c. */
#ifndef CS_RESIZE_H
#define CS_RESIZE_H

#include <stdint.h>

#include "trace.h"

enum cs_resize {
	CS_RESIZE_POW2,	 /* a power of two stays one */
	CS_RESIZE_PLAIN, /* the equation as printed */
};

struct cs_resize_limits {
	double max_slowdown;   /* MAX_SL */
	double self_slowdown2; /* SELF_SL2 */
};

/*
 * Equation 7 for one job of @size processes (>= 1) with slowdowns @scr and
 * @sno, at most what @nodes nodes hold at the layout of equation 8.
 */
uint32_t cs_resize(uint32_t size, double scr, double sno, uint32_t nodes,
		   enum cs_resize how, const struct cs_resize_limits *limits);

/* The same for every job of @t, with the slowdowns that slowdowns=table4 draws
 * for (@seed, job id). */
void cs_resize_trace(struct cs_trace *t, uint64_t seed, uint32_t nodes,
		     enum cs_resize how, const struct cs_resize_limits *limits);

#endif
