/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real machine under time slices: the classes of the jobs that run on a node.
 *
 * Rules.
 *  1. Running jobs of different classes share no node: a class may use a node that is
 *     idle, or its own.
 *  2. A stopped job counts as present (`crowd`), not as running; so does one that waits
 *     for cores (lifecycle/keepers.c).
 *
 * Known weakness: a node has two classes for a while if a job that was to make room has
 * not been stopped, or if the host ran jobs before or beside us; then no class may use
 * it.  While there is such a node of the host's, cs_slice_check() tolerates any.
 */
#include "slice/class_nodes.h"

#include <errno.h>

#include "state/state.h"

void cs_slice_booked(struct cs_engine *e, const struct cs_ejob *j, int more)
{
	for (uint32_t i = 0; i < j->alloc->n_node; i++)
		e->slices->crowd[j->alloc->node[i].node] =
			(uint16_t)(e->slices->crowd[j->alloc->node[i].node] +
				   more);
}

uint32_t cs_slice_busy_on(const struct cs_slices *s, uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t c = 0; c < CS_CLASSES; c++)
		k += s->busy[c][n];
	return k;
}

/* Which classes may use node @n?  It has two for a while if a job that was to make room
 * has not been stopped. */
static void set_usable(struct cs_slices *s, uint32_t n)
{
	uint32_t all = cs_slice_busy_on(s, n);

	for (uint32_t c = 0; c < CS_CLASSES; c++)
		if (all == s->busy[c][n])
			cs_bit_set(s->usable[c], n);
		else
			cs_bit_clear(s->usable[c], n);
}

/* The same where none but @class has jobs, or had until now. */
static void set_others_usable(struct cs_slices *s, uint32_t class, uint32_t n,
			      bool usable)
{
	for (uint32_t c = 0; c < CS_CLASSES; c++)
		if (c != class && usable)
			cs_bit_set(s->usable[c], n);
		else if (c != class)
			cs_bit_clear(s->usable[c], n);
}

static uint32_t classes_on(const struct cs_slices *s, uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t c = 0; c < CS_CLASSES; c++)
		k += s->busy[c][n] != 0;
	return k;
}

void cs_slice_enters(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_slices *s = e->slices;

	for (uint32_t i = 0; i < j->alloc->n_node; i++) {
		uint32_t n = j->alloc->node[i].node;

		if (s->busy[j->class][n]++)
			continue;
		if (cs_slice_busy_on(s, n) == 1) {
			s->nodes++;
			set_others_usable(s, j->class, n, false);
			continue;
		}
		s->twofold += classes_on(s, n) == 2;
		set_usable(s, n);
	}
	s->cores += cs_alloc_count_all(j->alloc);
	/* none of our starts goes to another class's node */
	if (j->state == CS_RUNNING)
		cs_slice_host_put(s, j);
}

void cs_slice_host_put(struct cs_slices *s, const struct cs_ejob *j)
{
	for (uint32_t i = 0; i < j->alloc->n_node; i++) {
		uint32_t n = j->alloc->node[i].node;

		s->mixed |= cs_slice_busy_on(s, n) > s->busy[j->class][n];
	}
}

void cs_slice_leaves(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_slices *s = e->slices;

	for (uint32_t i = 0; i < j->alloc->n_node; i++) {
		uint32_t n = j->alloc->node[i].node;

		if (--s->busy[j->class][n])
			continue;
		if (!cs_slice_busy_on(s, n)) {
			s->nodes--;
			set_others_usable(s, j->class, n, true);
			continue;
		}
		s->twofold -= classes_on(s, n) == 1;
		set_usable(s, n);
	}
	s->mixed &= s->twofold != 0;
	s->cores -= cs_alloc_count_all(j->alloc);
}

struct on_node {
	uint32_t there, busy, classes;
};

static void count_on(const struct cs_engine *e, const struct cs_slots *on,
		     struct on_node *ret)
{
	bool runs = false;

	ret->there += on->n;
	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *j = e->slot[on->slot[k]];

		ret->busy += j->state == CS_RUNNING || j->state == CS_PROPOSED;
		/* one proposed, or asked to resume, may need a stop that is refused */
		runs |= j->state == CS_RUNNING && !j->seq;
	}
	ret->classes += runs;
}

static int check_node(const struct cs_engine *e, uint32_t n, struct cs_err *err)
{
	const struct cs_slices *s = e->slices;
	struct on_node on = { 0, 0, 0 };

	for (uint32_t c = 0; c < CS_CLASSES; c++)
		count_on(e, &e->sms[c].on[n], &on);
	if (on.classes > 1 && !s->mixed)
		return cs_err_set(err, -EINVAL,
				  "node %u has running jobs of %u classes", n,
				  on.classes);
	if (on.busy != cs_slice_busy_on(s, n) || on.there != s->crowd[n])
		return cs_err_set(err, -EINVAL,
				  "node %u: %u jobs, %u run; %u and %u counted",
				  n, on.there, on.busy, s->crowd[n],
				  cs_slice_busy_on(s, n));
	for (uint32_t c = 0; c < CS_CLASSES; c++)
		if (cs_bit(s->usable[c], n) != (s->busy[c][n] == on.busy))
			return cs_err_set(err, -EINVAL,
					  "node %u: of %u jobs %u are of class "
					  "%u, which may%s use it",
					  n, on.busy, s->busy[c][n], c,
					  cs_bit(s->usable[c], n) ? ""
								  : " not");
	return 0;
}

int cs_slice_check(const struct cs_engine *e, struct cs_err *err)
{
	uint32_t twofold = 0;
	int rc = 0;

	for (uint32_t n = 0; !rc && n < e->machine->n_node; n++) {
		rc = check_node(e, n, err);
		twofold += classes_on(e->slices, n) > 1;
	}
	if (!rc && twofold != e->slices->twofold)
		rc = cs_err_set(err, -EINVAL,
				"%u nodes have running jobs of several "
				"classes, %u counted",
				twofold, e->slices->twofold);
	return rc;
}
