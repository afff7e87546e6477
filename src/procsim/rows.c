/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gang scheduling.
 *
 * Rule.
 *  1. The processes of one row run at a time, on all nodes, for gs_quantum_ms; then the
 *     next row that has jobs has its turn, which takes gs_switch_ms on each node.
 *  2. A row whose last job ends gives its turn away at once.
 *
 * Source: Yu07, section 2; the figures are ours.
 */
#include "procsim/rows.h"

#include "procsim/cpu.h"

static bool is_used(const struct cs_world *w, uint32_t row)
{
	for (uint32_t i = 0; i < w->n_node; i++)
		if (w->node[i].slot[row])
			return true;
	return false;
}

/* The next row that has jobs; the current one, if no other has. */
static uint32_t next_row(const struct cs_world *w)
{
	uint32_t row = w->row;

	do
		row = (row + 1) % w->mpl;
	while (row != w->row && !is_used(w, row));
	return row;
}

static void switch_to(struct cs_world *w, uint32_t row)
{
	if (row == w->row)
		return;
	w->row = row;
	for (uint32_t i = 0; i < w->n_node; i++) {
		struct cs_world_node *n = &w->node[i];

		if (n->current)
			cs_cpu_preempt(w, n);
		cs_cpu_kernel(w, n, cs_setting_ns(w->set.gs_switch_ms * 1e3));
		cs_cpu_next(w, n);
	}
}

void cs_rows_start(struct cs_world *w, uint32_t row)
{
	bool other = false;

	for (uint32_t r = 0; r < w->mpl; r++)
		other |= r != row && is_used(w, r);
	if (!other)
		w->row = row;
	if (w->rows)
		return;
	w->rows = true;
	cs_world_at(w, w->now_ns + cs_setting_ns(w->set.gs_quantum_ms * 1e3),
		    CS_WORLD_ROWS, 0, 0);
}

void cs_rows_end(struct cs_world *w)
{
	if (!is_used(w, w->row))
		switch_to(w, next_row(w));
}

void cs_rows_turn(struct cs_world *w)
{
	w->rows = is_used(w, w->row);
	if (!w->rows)
		return;
	switch_to(w, next_row(w));
	cs_world_at(w, w->now_ns + cs_setting_ns(w->set.gs_quantum_ms * 1e3),
		    CS_WORLD_ROWS, 0, 0);
}
