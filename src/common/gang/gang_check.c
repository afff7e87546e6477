/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The invariants of gang.c, recounted. */
#include <errno.h>

#include "gang/gang_parts.h"

/* Row @r holds whole jobs on their own processors. */
static int check_row(const struct cs_gang *g, uint32_t r, struct cs_err *err)
{
	const uint32_t *row = g->m.row[r];

	for (uint32_t at = 0; at < g->m.procs;) {
		struct cs_gang_job j = cs_gang_job(g, row[at]);
		uint32_t from = at;

		if (row[at] == CS_GANG_NONE) {
			at++;
			continue;
		}
		while (at < g->m.procs && row[at] == row[from])
			at++;
		if (!j.procs || from != j.first || at - from != j.procs)
			return cs_err_set(err, -EINVAL,
					  "slot %u: job %u stands on %u to %u, "
					  "expected %u from %u on",
					  r, row[from], from, at - 1, j.procs,
					  j.first);
	}
	return 0;
}

static int check_jobs(const struct cs_gang *g, struct cs_err *err)
{
	size_t there = 0;

	for (uint32_t i = 0; i < g->cap; i++) {
		const struct cs_gang_job *j = &g->job[i];
		uint32_t places = 0;

		there += j->procs > 0;
		for (uint32_t r = 0; j->procs && r < g->m.rows; r++)
			places += g->m.row[r][j->first] == i;
		if (places != j->places || (j->procs && !places) ||
		    (places > 1 && cs_gang_lends(g) && g->changed))
			return cs_err_set(err, -EINVAL,
					  "job %u: %u places in the matrix, "
					  "expected %u",
					  i, places, j->places);
		if (places > 2 && g->rules.extra == CS_GANG_EXTRA_KEPT_ONE)
			return cs_err_set(err, -EINVAL,
					  "job %u: %u places, expected two at "
					  "most",
					  i, places);
	}
	if (there != g->n)
		return cs_err_set(err, -EINVAL, "%zu jobs, expected %zu", there,
				  g->n);
	for (size_t i = 1; i < g->n; i++) {
		const struct cs_gang_job *a = &g->job[g->by_width[i - 1]];
		const struct cs_gang_job *b = &g->job[g->by_width[i]];

		if (a->procs > b->procs ||
		    (a->procs == b->procs && a->seq >= b->seq))
			return cs_err_set(err, -EINVAL,
					  "by width: job %u stands before %u",
					  g->by_width[i - 1], g->by_width[i]);
	}
	return 0;
}

/* Idle slots on @proc; *ret_room: the tree's leaf, which counts lent places as idle
 * too. */
static uint32_t count(const struct cs_gang *g, uint32_t proc,
		      uint64_t *ret_room)
{
	uint32_t idle = 0, jobs = 0;

	for (uint32_t r = 0; r < g->m.rows; r++)
		idle += g->m.row[r][proc] == CS_GANG_NONE;
	for (uint32_t i = 0; i < g->cap; i++)
		jobs += g->job[i].procs && proc >= g->job[i].first &&
			proc - g->job[i].first < g->job[i].procs;
	*ret_room = cs_gang_lends(g) ? g->m.rows - jobs : idle;
	return idle;
}

/* The largest value of level @h below node @i, which is of level @at. */
static uint64_t largest(const struct cs_gang_tree *t, uint32_t h, uint32_t at,
			size_t i)
{
	uint64_t a, b;

	if (at == h)
		return t->value[i];
	a = largest(t, h, at - 1, 2 * i);
	b = largest(t, h, at - 1, 2 * i + 1);
	return a > b ? a : b;
}

/* Node @i of level @at: its value from its leaves, and its maxima. */
static int check_node(const struct cs_gang_tree *t, uint32_t at, size_t i,
		      struct cs_err *err)
{
	size_t width = (size_t)1 << (t->levels - 1);
	size_t from = (i << at) - width, to = from + ((size_t)1 << at);
	uint64_t sum = 0;
	bool zero = false;

	for (size_t p = from; p < to && p < t->procs; p++) {
		sum += t->value[width + p];
		zero |= !t->value[width + p];
	}
	if (t->value[i] != (zero ? 0 : sum))
		return cs_err_set(err, -EINVAL,
				  "tree: node %zu has %llu, expected %llu", i,
				  (unsigned long long)t->value[i],
				  (unsigned long long)(zero ? 0 : sum));
	for (uint32_t h = 0; h <= at; h++)
		if (t->max[h][i] != largest(t, h, at, i))
			return cs_err_set(
				err, -EINVAL,
				"tree: node %zu has %llu as largest of "
				"level %u",
				i, (unsigned long long)t->max[h][i], h);
	return 0;
}

static int check_tree(const struct cs_gang *g, struct cs_err *err)
{
	const struct cs_gang_tree *t = &g->room;
	int rc = 0;

	for (uint32_t p = 0; p < g->m.procs; p++) {
		uint64_t room;
		uint32_t idle = count(g, p, &room);

		if (idle != g->idle[p] || room != cs_gang_tree_leaf(t, p))
			return cs_err_set(
				err, -EINVAL,
				"processor %u: idle %u, room %llu; "
				"expected %u, %llu",
				p, g->idle[p],
				(unsigned long long)cs_gang_tree_leaf(t, p),
				idle, (unsigned long long)room);
	}
	for (uint32_t h = 0; !rc && h < t->levels; h++)
		for (size_t i = (size_t)1 << (t->levels - 1 - h);
		     !rc && i < (size_t)2 << (t->levels - 1 - h); i++)
			rc = check_node(t, h, i, err);
	if (!rc && cs_gang_unites(g) && cs_gang_tree_root(t))
		rc = cs_err_set(err, -EINVAL,
				"%u slots, though one can be spared",
				g->m.rows);
	return rc;
}

int cs_gang_check(const struct cs_gang *g, struct cs_err *err)
{
	int rc = 0;

	for (uint32_t r = 0; !rc && r < g->m.rows; r++) {
		rc = check_row(g, r, err);
		if (!rc && !(g->rules.empties && g->changed) &&
		    cs_gang_idle_run(&g->m, r, 0, g->m.procs) == g->m.procs)
			rc = cs_err_set(err, -EINVAL, "slot %u: no job", r);
	}
	if (!rc)
		rc = check_jobs(g, err);
	if (!rc)
		rc = check_tree(g, err);
	return rc;
}
