/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running jobs that another may join: those with a node that could take one more, the
 * least delayed first, as being joined costs them time (join.c, rule 1).
 *
 * A pass asks once, and again after each start.  Who looks for partners by their
 * slowdowns asks kind by kind: on a large machine most running jobs may be strangers,
 * and thousands of waiting jobs need not look at each of them.
 *
 * Differs: delay is time lost to sharing so far, not response over R_est as in Zeng09
 * (see slowdown.h), sections 4.4 and 4.5.
 */
#include "place/joinable.h"
#include "job/match.h"
#include "job/progress.h"

#include <stdlib.h>

static int64_t delay_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_ejob at = *j;

	cs_progress_bring(&at, e->now_us);
	return at.ran_us - at.done_us;
}

struct delayed {
	struct cs_ejob *job;
	int64_t delay_us;
};

static int least_delayed(const void *x, const void *y)
{
	const struct delayed *a = x, *b = y;

	if (a->delay_us != b->delay_us)
		return a->delay_us < b->delay_us ? -1 : 1;
	return cs_ejob_cmp(a->job, b->job);
}

/* Could a node of @j take one more? */
static bool has_room(const struct cs_engine *e, const struct cs_ejob *j)
{
	if (j->group && e->params.jobs_per_node == 2 && j->job.procs > 1 &&
	    !e->place->parts)
		return false;
	for (uint32_t i = 0; i < j->alloc->n_node; i++) {
		const struct cs_occ_node *n =
			&e->sm->now.node[j->alloc->node[i].node];

		if (n->free_cores && n->counted < e->params.jobs_per_node)
			return true;
	}
	return false;
}

struct cs_ejob **cs_join_candidates(const struct cs_engine *e, size_t *ret_n)
{
	struct delayed *d = calloc(e->started.n + 1, sizeof(*d));
	struct cs_ejob **job =
		calloc(e->started.n + 1, sizeof(struct cs_ejob *));
	size_t n = 0;

	for (size_t i = 0; d && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		if (cs_sm_of(e, j) == e->sm && cs_sm_holds(j) &&
		    j->hold == cs_group_hold(e) && !j->placed_by_host &&
		    has_room(e, j))
			d[n++] = (struct delayed){ j, delay_us(e, j) };
	}
	if (d)
		qsort(d, n, sizeof(*d), least_delayed);
	for (size_t i = 0; d && job && i < n; i++)
		job[i] = d[i].job;
	if (!d) {
		free(job);
		job = NULL;
	}
	free(d);
	*ret_n = n;
	return job;
}

struct cs_ejob **cs_joinable_jobs(struct cs_pass *p, size_t *ret_n)
{
	if (!p->joinable)
		p->joinable = cs_join_candidates(p->e, &p->n_joinable);
	*ret_n = p->n_joinable;
	return p->joinable;
}

/* By what cs_match_known() goes by; a drawn slowdown is the job's own. */
static int by_kind(const void *x, const void *y)
{
	const struct cs_alike *a = x, *b = y;

	if (a->who.profile != b->who.profile)
		return a->who.profile < b->who.profile ? -1 : 1;
	if (a->who.kind != b->who.kind)
		return a->who.kind < b->who.kind ? -1 : 1;
	return a->who.id < b->who.id ? -1 : a->who.id > b->who.id;
}

/* Join equal kinds of the sorted @k [n], each of one job, and put the jobs into @job.
 * Returns how many kinds that are. */
static size_t join_kinds(struct cs_alike *k, size_t n, struct cs_ejob **job)
{
	size_t kinds = 0;

	for (size_t i = 0; i < n; i++) {
		job[i] = *k[i].job;
		if (kinds && !by_kind(&k[kinds - 1], &k[i])) {
			k[kinds - 1].n++;
			continue;
		}
		k[kinds] = k[i];
		k[kinds++].job = &job[i];
	}
	return kinds;
}

const struct cs_alike *cs_joinable_alike(struct cs_pass *p, size_t *ret_n)
{
	size_t n;
	struct cs_ejob **r = cs_joinable_jobs(p, &n);
	struct cs_alike *k = p->alike;

	*ret_n = p->n_alike;
	if (k || !r)
		return k;
	/* the kinds, then the jobs of all */
	k = malloc((n + 1) * (sizeof(*k) + sizeof(struct cs_ejob *)));
	if (!k)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		k[i] = (struct cs_alike){ cs_who_is(r[i]), &r[i], 1 };
		if (!p->e->model.table4)
			k[i].who.id = 0;
	}
	qsort(k, n, sizeof(*k), by_kind);
	p->n_alike = join_kinds(k, n, (struct cs_ejob **)(void *)(k + n + 1));
	p->alike = k;
	*ret_n = p->n_alike;
	return k;
}

void cs_joinable_forget(struct cs_pass *p)
{
	free(p->joinable);
	free(p->alike);
	p->joinable = NULL;
	p->alike = NULL;
	p->n_alike = 0;
}
