/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a command is: a bar on standard error, where that is a terminal; drawn ten
 * times a second at most.  What is printed meanwhile is printed behind cs_bar_done(),
 * which wipes it.
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
	const char *unit; /* what is counted: "jobs" unless changed */
	/* Of a file that is read: */
	int fd;
	uint64_t done, size; /* bytes; size 0: not known */
};

void cs_bar_init(struct cs_bar *b);
/* A cs_sim_options.progress with the bar as its arg.  @all 0: it is not known. */
void cs_bar_draw(void *bar, size_t done, size_t all);
void cs_bar_done(struct cs_bar *b); /* wipe it */

/*
 * Open file @name ("-": standard input) to be read, with a bar that shows how far it
 * is read.  NULL: errno says why.  The caller closes it, also standard input, and
 * wipes the bar.
 */
FILE *cs_bar_open(struct cs_bar *b, const char *name);

#endif
