/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measured co-runs: how long codes take beside each other.
 *
 * Two tables, fields separated by tabs or blanks, '#' begins a comment line:
 *
 *	CODE BESIDE RATIO RUNS		a line a directed pair
 *	CODE SECONDS PROCESSES RUNS	a line a code, alone on dense nodes
 *
 * RATIO is the time of CODE at half density (half the cores of each node, on twice
 * the nodes) with BESIDE on the other half, over its time alone on full nodes: it
 * includes the gain of spreading and the cost of the neighbour.  Theory in corun.c.
 */
#ifndef CS_SIM_CORUN_H
#define CS_SIM_CORUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"
#include "common/profile/profile.h"

#define CS_CORUN_CODES 1024 /* most profiles in a file */

struct cs_corun_code {
	char name[CS_PROFILE_NAME];
	double alone_s;
	uint32_t procs;
};

struct cs_corun {
	struct cs_corun_code *code; /* [n], in the order of the second table */
	size_t n;
	double *ratio; /* [n][n] of, beside; 0: unknown */
	double *dense; /* [n] equation (3) of corun.c, over measured pairs */
	size_t pairs;  /* measured */
};

/*
 * Read both tables.  0: *ret is the caller's, cs_corun_done().  Else *ret is unchanged
 * and @err says "FILE:LINE: what, expected what": -EINVAL; -ENOMEM; another errno if a
 * file cannot be read.  O(codes^2 + bytes * log codes).
 */
int cs_corun_read(struct cs_corun *ret, const char *table, const char *alone,
		  struct cs_err *err);
void cs_corun_done(struct cs_corun *c);

/* Index of @name; -1: none. */
int cs_corun_find(const struct cs_corun *c, const char *name);

/* Fill unmeasured pairs by equation (2) of corun.c.  0, -ENOMEM. O(codes^2), times a
 * constant. */
int cs_corun_fill(struct cs_corun *c);

/*
 * Write a profile file (cosched-profiles(5)) that reproduces these ratios on nodes of
 * @cores cores (>= 2), with a rule for jobs named "e" and the code's number from 1, and
 * one for jobs with its name.  0, or a negative errno.
 */
int cs_corun_write(const struct cs_corun *c, uint32_t cores, FILE *file);

#endif
