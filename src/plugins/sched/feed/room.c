/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The room that the plan leaves to jobs that start at once or never (gate.h).
 *
 * Once a snapshot shows a waiting job that may start there is no room, until the
 * snapshot was fed and this tells which nodes such jobs wait for.  So a start of the
 * plan, on such nodes, meets no job there that the engine does not know.  When all is
 * decided and done, until the next look, these nodes are open to jobs whose limit ends
 * before a promised start there.  A job without a promise that could not start is not
 * delayed.  A preempting job wants its nodes now: what it frees is its own.
 *
 * A job may have neighbours if any two jobs may share, unless it said share=no.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <stdlib.h>

#include "common/slice/slice.h"
#include "gate/gate.h"
#include "sched/view/view_table.h"

static int id_cmp(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static bool shares(const struct cs_known_job *k)
{
	const struct cs_view_desc *d = cs_known_desc(k);

	return d && !(d->flags & CS_JOB_NO_SHARE);
}

/* Ids into @id; returns how many. */
static size_t joinable(const struct cs_adapter *b, uint32_t *id)
{
	struct cs_running r;
	size_t n = 0;

	if (b->params.share_scope != CS_SCOPE_ANY ||
	    b->params.share_partitions[0])
		return 0;
	for (uint32_t i = 0; i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];

		if (!cs_engine_running(b->engine, k->id, &r) && !r.suspended &&
		    (r.packed || shares(k)))
			id[n++] = k->id;
	}
	qsort(id, n, sizeof(*id), id_cmp);
	return n;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A waiting job wants nodes from @from_us on: *@all, or those of its sets in @set. */
static void add_wanted(const struct cs_known_job *k, int64_t from_us,
		       int64_t *all, int64_t *set)
{
	const struct cs_view_desc *d = cs_known_desc(k);
	const struct cs_view_option *o = cs_known_options(k);

	if (!d || d->flags & CS_JOB_BLOCKED)
		return;
	if (d->n_comp) /* its components may go anywhere */
		*all = earlier(*all, from_us);
	for (uint32_t i = 0; i < d->n_option; i++)
		if (!(o[i].flags & CS_JOB_BLOCKED))
			set[o[i].set] = earlier(set[o[i].set], from_us);
}

/* When the first waiting job should start on each node, in engine time. */
static void wanted(const struct cs_adapter *b, bool decided, int64_t *set,
		   int64_t *node)
{
	uint32_t n_set = cs_view_set_count(b->view->sets);
	uint32_t n_node = b->view->machine->n_node;
	int64_t all = CS_TIME_NONE;

	for (uint32_t s = 0; s < n_set; s++)
		set[s] = CS_TIME_NONE;
	for (uint32_t i = 0; i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];

		if (k->state == CS_VIEW_WAITING)
			add_wanted(k,
				   decided && k->frees_us <= b->now_us
					   ? cs_engine_wants_from_us(b->engine,
								     k->id)
					   : 0,
				   &all, set);
	}
	for (uint32_t n = 0; n < n_node; n++)
		node[n] = all;
	for (uint32_t s = 0; s < n_set; s++) {
		const uint64_t *words = cs_view_set_words(b->view->sets, s);

		for (uint32_t n = 0; set[s] < CS_TIME_NONE && n < n_node; n++)
			if (!words || cs_bit(words, n))
				node[n] = earlier(node[n], set[s]);
	}
}

bool cs_room_waits(const struct cs_adapter *b)
{
	return b->view->n_waiting > b->view->blocked;
}

void cs_room_tell(const struct cs_adapter *b, bool decided)
{
	struct cs_gate_room room = { .n_node = b->view->machine->n_node };
	int64_t ahead_us = cs_gate_now_us() - b->now_us;
	int64_t *node = malloc((room.n_node + 1) * sizeof(*node));
	int64_t *set =
		malloc((cs_view_set_count(b->view->sets) + 1) * sizeof(*set));
	uint32_t *id = malloc((b->known.n + 1) * sizeof(*id));

	/* the plan has not seen a node that has moved since */
	if (cs_view_any_moved(b->view) || !node || !set || !id) {
		cs_gate_room_void();
	} else {
		/* with slices a promised start is not in wall time */
		wanted(b, decided && !cs_slice_choose(&b->params)->stops, set,
		       node);
		for (uint32_t n = 0; n < room.n_node; n++)
			node[n] += node[n] < CS_TIME_NONE ? ahead_us : 0;
		room.wanted_us = node;
		room.joinable = id;
		room.n_joinable = joinable(b, id);
		cs_gate_room_set(&room);
	}
	free(node);
	free(set);
	free(id);
}
