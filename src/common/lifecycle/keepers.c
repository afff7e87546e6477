/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores that suspended jobs keep.
 *
 * Rules.
 *  1. A host that starts a job on cores of a suspended one, and resumes that when the
 *     other is gone, gives these cores to no other job meanwhile.  So whenever it moves a
 *     job, all keepers release their cores and then, in order of their ids, keep the
 *     unused ones.
 *  2. With slices whose stopped jobs hold their cores, a keeper waits for nothing but its
 *     cores on its slice machine: once all are unused it is such a stopped job.  So a
 *     job that an administrator gives back to the slices waits for those that have its
 *     cores by then and for keepers of lower ids, and for none that starts later.
 *  3. There, too, a job that the host runs on cores of stopped ones makes these keepers:
 *     of two jobs of one class on one core, which may be of different ones no more
 *     since the limits of the classes have changed, the one that runs has it.  A new
 *     engine is told of stopped jobs in the host's order: the last has the core.
 *
 * A keeper waits for keepers of lower ids and for jobs that run or are stopped, which
 * wait for no keeper: no two wait for each other.
 */
#include "lifecycle/keepers.h"

#include <errno.h>
#include <stdlib.h>

#include "job/progress.h"
#include "lifecycle/booking.h"
#include "lifecycle/lifecycle.h"
#include "state/state.h"

static void let_go(struct cs_engine *e, struct cs_ejob *j)
{
	if (!j->whole)
		return;
	cs_booking_remove(e, j);
	cs_alloc_free(j->alloc);
	j->alloc = j->whole;
	j->hold = j->whole_hold;
	j->whole = NULL;
}

/* A copy of @a without the used cores; NULL with *@ret_rc 0: none is left. */
static struct cs_alloc *unused(const struct cs_slice_machine *sm,
			       const struct cs_alloc *a, int *ret_rc)
{
	struct cs_alloc *to = cs_alloc_copy(a);
	uint32_t n = 0;

	*ret_rc = to ? 0 : -ENOMEM;
	for (uint32_t i = 0; to && i < a->n_node; i++) {
		const uint64_t *used = cs_occ_used(&sm->now, a->node[i].node);
		uint64_t any = 0;

		to->node[n] = a->node[i];
		to->node[n].mem_mb = 0; /* it always holds that, ... */
		to->node[n].gpus = 0;	/* ... and these */
		for (uint32_t w = 0; w < a->words; w++) {
			uint64_t left = cs_alloc_cores(a, i)[w] & ~used[w];

			cs_alloc_cores(to, n)[w] = left;
			any |= left;
		}
		n += any != 0;
	}
	if (to)
		to->n_node = n;
	if (n)
		return to;
	cs_alloc_free(to);
	return NULL;
}

/* Shared with packed jobs, any of them: the host lets others in. */
static int keep(struct cs_engine *e, struct cs_ejob *j)
{
	int rc;
	struct cs_alloc *left = unused(cs_sm_of(e, j), j->alloc, &rc);

	if (!left)
		return rc;
	j->whole = j->alloc;
	j->whole_hold = j->hold;
	j->alloc = left;
	j->hold = CS_NODE_PACKED;
	rc = cs_booking_add(e, j);
	if (!rc)
		return 0;
	cs_alloc_free(left);
	j->alloc = j->whole;
	j->hold = j->whole_hold;
	j->whole = NULL;
	return rc;
}

/* Rule 2: its cores are unused. */
static int stop(struct cs_engine *e, struct cs_ejob *j)
{
	int rc;

	cs_progress_bring(j, e->now_us);
	cs_booking_give_memory(e, j);
	cs_lifecycle_move(e, j, CS_STOPPED);
	rc = cs_booking_add(e, j);
	if (rc) {
		cs_lifecycle_move(e, j, CS_SUSPENDED);
		cs_booking_keep_memory(e, j);
		return rc;
	}
	cs_keepers_set(e, j, false);
	j->retry_us = e->now_us + e->params.slice_rest_s * CS_SECOND_US;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct cs_ejob *x = *(struct cs_ejob *const *)a;
	const struct cs_ejob *y = *(struct cs_ejob *const *)b;

	return x->job.id < y->job.id ? -1 : x->job.id > y->job.id;
}

/* Those that keep cores, into e->scratch. */
static size_t keepers(struct cs_engine *e)
{
	size_t n = 0;

	for (size_t i = 0; e->keepers && i < e->started.n; i++)
		if (e->started.job[i]->keeps)
			e->scratch.job[n++] = e->started.job[i];
	if (n > 1)
		qsort(e->scratch.job, n, sizeof(*e->scratch.job), by_number);
	return n;
}

void cs_keepers_let_go(struct cs_engine *e)
{
	size_t n = keepers(e);

	for (size_t i = 0; i < n; i++)
		let_go(e, e->scratch.job[i]);
}

int cs_keepers_keep(struct cs_engine *e)
{
	size_t n = keepers(e);
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		struct cs_ejob *j = e->scratch.job[i];

		rc = e->slice->moved && !j->seq &&
				     cs_occ_is_free(&cs_sm_of(e, j)->now,
						    j->alloc)
			     ? stop(e, j)
			     : keep(e, j);
	}
	return rc;
}

bool cs_keepers_yields(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->slice->moved && j->state == CS_STOPPED && !j->seq;
}

void cs_keepers_yield(struct cs_engine *e, const struct cs_slice_machine *sm,
		      const struct cs_alloc *a)
{
	for (size_t i = 0; e->slice->moved && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		if (cs_sm_of(e, j) != sm || !cs_keepers_yields(e, j) ||
		    !cs_alloc_meet(j->alloc, a))
			continue;
		cs_booking_remove(e, j);
		cs_booking_keep_memory(e, j);
		cs_lifecycle_move(e, j, CS_SUSPENDED);
		cs_keepers_set(e, j, true);
	}
}

void cs_keepers_set(struct cs_engine *e, struct cs_ejob *j, bool keeps)
{
	e->keepers += keeps;
	e->keepers -= j->keeps;
	j->keeps = keeps;
}
