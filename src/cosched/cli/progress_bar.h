/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bar on standard error, where that is a terminal; drawn ten times a second
 * at most.
 */
#ifndef CS_COSCHED_CLI_PROGRESS_BAR_H
#define CS_COSCHED_CLI_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>

struct cs_bar {
	bool terminal, drawn;
	double last_s;
	const char *unit; /* what is counted: "jobs" unless changed */
};

void cs_bar_init(struct cs_bar *b);
/* A cs_sim_options.progress with the bar as its arg. */
void cs_bar_draw(void *bar, size_t done, size_t all);
void cs_bar_done(struct cs_bar *b); /* wipe it */

#endif
