/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs in several slots.  Rule 5 of gang.c. */
#include <string.h>

#include "gang/gang_parts.h"
#include "gang/repack.h"

void cs_gang_take_back(struct cs_gang *g)
{
	uint32_t *has = g->scratch; /* was the job's first place seen? */

	if (g->n)
		memset(has, 0, g->cap * sizeof(*has));
	for (uint32_t r = 0; r < g->m.rows; r++)
		for (uint32_t at = 0, job; at < g->m.procs;) {
			job = g->m.row[r][at];
			if (job == CS_GANG_NONE) {
				at++;
				continue;
			}
			at += g->job[job].procs;
			if (has[job])
				cs_gang_unplace(g, job, r);
			has[job] = 1;
		}
}

/* Is every processor of @job idle in some slot? */
static bool fits(const struct cs_gang *g, uint32_t job)
{
	const struct cs_gang_job *j = &g->job[job];

	for (uint32_t i = j->first; i < j->first + j->procs; i++)
		if (!g->idle[i])
			return false;
	return true;
}

/* The @i-th job of the order gang_deal. */
static uint32_t ordered(const struct cs_gang *g, size_t i)
{
	return g->by_width[g->rules.deal == CS_GANG_DEAL_WIDE ? g->n - 1 - i
							      : i];
}

void cs_gang_deal(struct cs_gang *g, bool again)
{
	uint32_t *list = g->scratch; /* jobs that may still fit */
	size_t n = g->n, left;

	for (size_t i = 0; i < n; i++)
		list[i] = ordered(g, i);
	do {
		left = 0;
		for (size_t i = 0; i < n; i++) {
			const struct cs_gang_job *j = &g->job[list[i]];
			uint32_t to = j->first + j->procs;

			if (!fits(g, list[i]))
				continue;
			cs_gang_place(g, list[i],
				      cs_gang_gather(&g->m, j->first, to));
			list[left++] = list[i];
		}
		n = left;
	} while (again && n);
}

/* The lowest row that is idle on all of @j's block, and on @j where it is beyond it. */
static uint32_t row_for_block(const struct cs_gang *g,
			      const struct cs_gang_job *j)
{
	uint32_t width = UINT32_C(1) << cs_gang_level(j->procs);
	uint32_t from = j->first / width * width, end = j->first + j->procs;
	uint32_t to = from + width < g->m.procs ? from + width : g->m.procs;

	to = to > end ? to : end;
	for (uint32_t r = 0; r < g->m.rows; r++)
		if (cs_gang_idle_run(&g->m, r, from, to) == to - from)
			return r;
	return CS_GANG_NONE;
}

void cs_gang_deal_one(struct cs_gang *g)
{
	for (size_t i = 0; i < g->n; i++) {
		uint32_t job = ordered(g, i), row;

		if (g->job[job].places > 1)
			continue;
		row = row_for_block(g, &g->job[job]);
		if (row != CS_GANG_NONE)
			cs_gang_place(g, job, row);
	}
}
