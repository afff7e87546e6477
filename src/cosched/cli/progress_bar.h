/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A progress bar on standard error, if that is a terminal, drawn at most ten times a
 * second.  Call cs_bar_done(), which erases it, before printing anything else.
 */
#ifndef CS_COSCHED_CLI_PROGRESS_BAR_H
#define CS_COSCHED_CLI_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cs_bar {
	bool terminal, drawn;
	double last_s;
	const char *unit; /* what is counted; "jobs" by default */
	/* For a file being read: */
	int fd;
	uint64_t done, size; /* bytes; size 0: unknown */
};

void cs_bar_init(struct cs_bar *b);
/* A cs_sim_options.progress whose arg is the bar.  @all 0: unknown. */
void cs_bar_draw(void *bar, size_t done, size_t all);
void cs_bar_done(struct cs_bar *b); /* erase it */

/*
 * Open file @name ("-": standard input) for reading, with a bar that shows how much has
 * been read.  NULL: see errno.  The caller closes it, even standard input, and erases
 * the bar.
 */
FILE *cs_bar_open(struct cs_bar *b, const char *name);

#endif
