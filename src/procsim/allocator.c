/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The allocator.
 *
 * Rule.
 *  1. Jobs start in order of arrival; none passes another.
 *  2. A job starts when as many nodes as it has processes run fewer than mpl processes
 *     (BATCH: none), on those with the fewest, of these on the first ones.
 *  3. Under GS it starts when one row of Ousterhout's matrix has room: the first such row,
 *     its first free nodes.
 *
 * Source: Yu07, section 4.1; which nodes is ours.
 */
#include "procsim/allocator.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "procsim/cpu.h"
#include "procsim/process.h"
#include "procsim/rows.h"

/* Put a process on node @n, into @slot. */
static void place(struct cs_world *w, struct cs_process *p,
		  struct cs_world_node *n, uint32_t slot)
{
	cs_cpu_settle(w, n);
	n->slot[slot] = p;
	n->n_process++;
	p->node = n->id;
	p->slot = slot;
	cs_world_note(w, "P %" PRId64 " %u %u %u %u\n", w->now_ns, p->id,
		      p->job, p->rank, n->id);
}

static uint32_t free_slot(const struct cs_world_node *n)
{
	uint32_t slot = 0;

	while (n->slot[slot])
		slot++;
	return slot;
}

/* Rule 2.  False: too few nodes. */
static bool place_shared(struct cs_world *w, const struct cs_world_job *j)
{
	uint32_t size = j->mix.size, n_free = 0, rank = 0;

	for (uint32_t i = 0; i < w->n_node; i++)
		n_free += w->node[i].n_process < w->mpl;
	if (n_free < size)
		return false;
	/* A node that has just got a process comes by once more, with one more. */
	for (uint32_t load = 0; rank < size; load++) {
		struct cs_process *p = &w->process[j->first];
		uint32_t first = rank;

		for (uint32_t i = 0; i < w->n_node && rank < size; i++) {
			struct cs_world_node *n = &w->node[i];
			bool has = false;

			for (uint32_t r = 0; n->n_process == load && r < first;
			     r++)
				has |= p[r].node == i;
			if (n->n_process == load && !has)
				place(w, &p[rank++], n, free_slot(n));
		}
	}
	return true;
}

static uint32_t room_of(const struct cs_world *w, uint32_t row)
{
	uint32_t n_free = 0;

	for (uint32_t i = 0; i < w->n_node; i++)
		n_free += !w->node[i].slot[row];
	return n_free;
}

/* Rule 3.  False: no row has room. */
static bool place_row(struct cs_world *w, struct cs_world_job *j)
{
	uint32_t row = 0, rank = 0;

	while (row < w->mpl && room_of(w, row) < j->mix.size)
		row++;
	if (row == w->mpl)
		return false;
	j->row = row;
	for (uint32_t i = 0; rank < j->mix.size; i++)
		if (!w->node[i].slot[row])
			place(w, &w->process[j->first + rank++], &w->node[i],
			      row);
	return true;
}

/* The node's own events, if they are not in the queue. */
static void watch(struct cs_world *w, struct cs_world_node *n)
{
	if (w->scheme->period != CS_PERIOD_NONE && !n->period) {
		n->period = true;
		cs_world_at(w, w->now_ns + cs_setting_ns(w->set.period_us),
			    CS_WORLD_PERIOD, n->id, 0);
	}
	if (!n->starved) {
		n->starved = true;
		cs_world_at(
			w, w->now_ns + cs_setting_ns(w->set.starvation_s * 1e6),
			CS_WORLD_STARVED, n->id, 0);
	}
}

/* Start job @id, if it fits. */
static bool start(struct cs_world *w, uint32_t id)
{
	struct cs_world_job *j = &w->job[id];
	bool rows = w->scheme->space == CS_SPACE_ROWS;

	if (!(rows ? place_row(w, j) : place_shared(w, j)))
		return false;
	j->start_ns = w->now_ns;
	j->n_running = j->mix.size;
	if (rows)
		cs_rows_start(w, j->row);
	for (uint32_t r = 0; r < j->mix.size; r++) {
		struct cs_process *p = &w->process[j->first + r];

		p->n_peer = cs_mix_peers(&j->mix);
		p->mail = calloc(p->n_peer, sizeof(*p->mail));
		if (!p->mail) {
			w->rc = -ENOMEM;
			return false;
		}
		cs_process_begin(w, p);
		watch(w, &w->node[p->node]);
	}
	for (uint32_t r = 0; r < j->mix.size; r++)
		cs_cpu_ready(w, &w->process[j->first + r],
			     (unsigned)w->set.start_level);
	return true;
}

static void start_waiting(struct cs_world *w)
{
	while (w->waiting < w->arrived && start(w, w->waiting))
		w->waiting++;
}

void cs_allocator_arrive(struct cs_world *w, uint32_t job)
{
	cs_world_note(w, "J %" PRId64 " %u %u\n", w->now_ns, job,
		      w->job[job].mix.size);
	w->arrived = job + 1;
	start_waiting(w);
}

void cs_allocator_remove(struct cs_world *w, struct cs_process *p)
{
	struct cs_world_node *n = &w->node[p->node];

	cs_cpu_settle(w, n);
	n->slot[p->slot] = NULL;
	n->n_process--;
	if (cs_scheme_reorders(w->scheme))
		cs_proc_tables_forget(&n->tables, p->slot);
	free(p->mail);
	p->mail = NULL;
}

void cs_allocator_end(struct cs_world *w, uint32_t job)
{
	struct cs_world_job *j = &w->job[job];

	if (--j->n_running)
		return;
	j->end_ns = w->now_ns;
	w->ended++;
	cs_world_note(w, "F %" PRId64 " %u\n", w->now_ns, job);
	start_waiting(w);
	if (w->scheme->space == CS_SPACE_ROWS)
		cs_rows_end(w);
}
