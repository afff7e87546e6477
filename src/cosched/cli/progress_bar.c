/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a command is: a bar that is drawn over itself.
 */
#include "cli/progress_bar.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/options.h"

#define BAR_WIDTH 40
#define BAR_SECONDS .1

void cs_bar_init(struct cs_bar *b)
{
	*b = (struct cs_bar){ .terminal = isatty(STDERR_FILENO) == 1,
			      .unit = "jobs" };
	b->last_s = cs_cmd_clock_s();
}

void cs_bar_draw(void *bar, size_t done, size_t all)
{
	struct cs_bar *b = bar;
	double now_s;
	size_t full = all ? done * BAR_WIDTH / all : 0;

	if (!b->terminal)
		return;
	now_s = cs_cmd_clock_s();
	if (now_s - b->last_s < BAR_SECONDS)
		return;
	b->last_s = now_s;
	b->drawn = true;
	fputs("\r[", stderr);
	for (size_t i = 0; i < BAR_WIDTH; i++)
		fputc(i < full ? '#' : ' ', stderr);
	fprintf(stderr, "] %zu of %zu %s", done, all, b->unit);
}

void cs_bar_done(struct cs_bar *b)
{
	if (b->drawn)
		fprintf(stderr, "\r%*s\r", BAR_WIDTH + 60, "");
	b->drawn = false;
}
