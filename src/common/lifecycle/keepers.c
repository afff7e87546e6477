/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores that suspended jobs keep.  A host that lets a job stand on cores of a
 * suspended one, and resumes that when the other has gone, gives these to nobody
 * else meanwhile.  So whenever it moves a job all of them let go, and then keep, in
 * the order of their numbers, what nobody has.
 */
#include "lifecycle/keepers.h"

#include <errno.h>
#include <stdlib.h>

#include "lifecycle/booking.h"
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

/* A copy of @a without the cores that are used; NULL with *@ret_rc 0: none is
 * left. */
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
		to->node[n].mem_mb = 0; /* it holds that all the time */
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

/* Beside packed ones, whoever it is: the host lets others come there. */
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

	for (size_t i = 0; !rc && i < n; i++)
		rc = keep(e, e->scratch.job[i]);
	return rc;
}

void cs_keepers_set(struct cs_engine *e, struct cs_ejob *j, bool keeps)
{
	e->keepers += keeps;
	e->keepers -= j->keeps;
	j->keeps = keeps;
}
