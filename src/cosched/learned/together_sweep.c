/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the jobs of a history to their runs: one sweep over time.  Rules 1 to 5 of
 * together.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "learned/together_parts.h"

#define KINDS 8	 /* beside a job at a time */
#define ON 64	 /* jobs on a node at a time */
#define SLACK 50 /* a job that was suspended for one in so many of its time */

struct instant {
	int64_t t_us;
	uint32_t job;
	bool starts;
};

struct node {
	uint32_t *job; /* [n] that run there */
	uint32_t n, cap;
	uint32_t unlisted; /* others that run there: rule 3 */
	uint32_t held, cores;
};

/* A job that runs. */
struct live {
	uint64_t beside;
	int64_t at_us; /* its parts are known up to here */
	bool spoiled, dense;
	uint32_t n_near, n_part;
	struct {
		uint64_t kind;
		uint32_t n; /* jobs of that kind on its nodes */
	} near[KINDS];
	struct cs_run_part part[CS_PAST_PARTS];
};

struct sweep {
	struct cs_together *t;
	struct cs_past *past;
	int64_t now_us;
	struct instant *instant; /* [2 * jobs] */
	struct node *node;	 /* [nodes] */
	struct live *live;	 /* [n_live], of which */
	uint32_t *vacant;	 /* [n_vacant] are free */
	size_t n_live, cap_live, n_vacant, cap_vacant;
};

/* ---- rules 1 and 2 ------------------------------------------------------- */

static uint32_t share_of(const struct cs_together_held *j)
{
	return j->cpus / j->n_place + (j->cpus % j->n_place > 0);
}

static struct node *node_of(const struct sweep *s,
			    const struct cs_together_held *j, uint32_t k)
{
	return &s->node[s->t->place[j->place + k]];
}

static void find_cores(struct sweep *s)
{
	for (size_t i = 0; i < 2 * s->t->n_job; i++) {
		const struct instant *e = &s->instant[i];
		const struct cs_together_held *j = &s->t->job[e->job];

		for (uint32_t k = 0; k < j->n_place; k++) {
			struct node *n = node_of(s, j, k);

			n->held += e->starts ? share_of(j) : 0 - share_of(j);
			n->cores = n->held > n->cores ? n->held : n->cores;
		}
	}
	for (uint32_t i = 0; s->t->cores && i < s->t->n_node; i++)
		s->node[i].cores = s->t->cores;
}

static bool is_dense(const struct sweep *s, const struct cs_together_held *j)
{
	uint32_t cores = node_of(s, j, 0)->cores;

	return j->cpus < cores ||
	       j->n_place <= j->cpus / cores + (j->cpus % cores > 0);
}

/* ---- parts --------------------------------------------------------------- */

static void bring(const struct sweep *s, struct live *l)
{
	int64_t since = s->now_us - l->at_us;
	uint32_t k = 0;

	if (since <= 0)
		return;
	l->at_us = s->now_us;
	while (k < l->n_part && l->part[k].beside != l->beside)
		k++;
	if (k == CS_PAST_PARTS)
		return; /* the sum reveals that it is missing */
	if (k == l->n_part)
		l->part[l->n_part++] = (struct cs_run_part){ l->beside, 0 };
	l->part[k].us += since;
}

/* Rule 3. */
static void choose(struct live *l)
{
	uint32_t most = 0;

	l->beside = l->dense ? CS_BESIDE_FULL : CS_BESIDE_NOBODY;
	for (uint32_t k = 0; k < l->n_near; k++)
		if (l->near[k].n > most ||
		    (l->near[k].n == most && l->near[k].kind < l->beside)) {
			most = l->near[k].n;
			l->beside = l->near[k].kind;
		}
}

static void comes_near(const struct sweep *s, struct live *l, uint64_t kind)
{
	uint32_t k = 0;

	bring(s, l);
	while (k < l->n_near && l->near[k].kind != kind)
		k++;
	if (k == KINDS) {
		l->spoiled = true;
		return;
	}
	if (k == l->n_near) {
		l->near[k].kind = kind;
		l->near[k].n = 0;
		l->n_near++;
	}
	l->near[k].n++;
	choose(l);
}

static void goes_away(const struct sweep *s, struct live *l, uint64_t kind)
{
	bring(s, l);
	for (uint32_t k = 0; k < l->n_near; k++)
		if (l->near[k].kind == kind && !--l->near[k].n)
			l->near[k--] = l->near[--l->n_near];
	choose(l);
}

/* ---- events -------------------------------------------------------------- */

static struct live *live_of(const struct sweep *s, uint32_t job)
{
	return &s->live[s->t->job[job].live];
}

static bool was_suspended(const struct cs_together_held *j)
{
	return j->end_us - j->start_us - j->run_us > j->run_us / SLACK;
}

static void meet(struct sweep *s, uint32_t a, uint32_t b)
{
	const struct cs_together_held *x = &s->t->job[a], *y = &s->t->job[b];

	comes_near(s, live_of(s, a), y->kin.kind);
	comes_near(s, live_of(s, b), x->kin.kind);
	live_of(s, a)->spoiled |= y->teaches && was_suspended(y);
	live_of(s, b)->spoiled |= x->teaches && was_suspended(x);
}

static int arrive(struct sweep *s, uint32_t job, struct node *n)
{
	int rc;

	if (n->n == ON || n->unlisted) {
		n->unlisted++;
		live_of(s, job)->spoiled = true;
		for (uint32_t i = 0; i < n->n; i++)
			live_of(s, n->job[i])->spoiled = true;
		return 0;
	}
	rc = cs_array_room(&n->job, &n->cap, n->n + 1);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < n->n; i++)
		meet(s, job, n->job[i]);
	n->job[n->n++] = job;
	return 0;
}

static void leave(struct sweep *s, uint32_t job, struct node *n)
{
	uint64_t kind = s->t->job[job].kin.kind;
	uint32_t at = 0;

	while (at < n->n && n->job[at] != job)
		at++;
	if (at == n->n) {
		n->unlisted -= n->unlisted > 0;
		return;
	}
	n->job[at] = n->job[--n->n];
	for (uint32_t i = 0; i < n->n; i++)
		goes_away(s, live_of(s, n->job[i]), kind);
}

static int start(struct sweep *s, uint32_t job)
{
	struct cs_together_held *j = &s->t->job[job];
	int rc = 0;

	if (s->n_vacant) {
		j->live = s->vacant[--s->n_vacant];
	} else {
		if (s->n_live == CS_TOGETHER_AT_ONCE)
			return -E2BIG;
		rc = cs_array_room(&s->live, &s->cap_live, s->n_live + 1);
		if (rc)
			return rc;
		j->live = (uint32_t)s->n_live++;
	}
	*live_of(s, job) = (struct live){
		.at_us = s->now_us,
		.dense = is_dense(s, j),
		.spoiled = j->start_us < s->t->since_us,
	};
	choose(live_of(s, job));
	for (uint32_t k = 0; !rc && k < j->n_place; k++)
		rc = arrive(s, job, node_of(s, j, k));
	return rc;
}

static int end(struct sweep *s, uint32_t job)
{
	const struct cs_together_held *j = &s->t->job[job];
	struct live *l = live_of(s, job);
	struct cs_ended r = { .kin = &j->kin,
			      .t_us = s->now_us,
			      .ran_us = j->run_us };
	int rc;

	bring(s, l);
	for (uint32_t k = 0; k < j->n_place; k++)
		leave(s, job, node_of(s, j, k));
	r.n_part = l->n_part;
	memcpy(r.part, l->part, sizeof(r.part));
	if (j->teaches && !l->spoiled)
		s->t->counts.taught += cs_past_ended(s->past, &r);
	rc = cs_array_room(&s->vacant, &s->cap_vacant, s->n_vacant + 1);
	if (!rc)
		s->vacant[s->n_vacant++] = j->live;
	return rc;
}

/* ---- all ----------------------------------------------------------------- */

/* Rule 5. */
static int by_time(const void *x, const void *y)
{
	const struct instant *a = x, *b = y;

	if (a->t_us != b->t_us)
		return a->t_us < b->t_us ? -1 : 1;
	if (a->starts != b->starts)
		return a->starts ? 1 : -1;
	return a->job < b->job ? -1 : a->job > b->job;
}

static int prepare(struct sweep *s)
{
	const struct cs_together *t = s->t;

	s->instant = calloc(2 * t->n_job + 1, sizeof(*s->instant));
	s->node = calloc(t->n_node + 1, sizeof(*s->node));
	if (!s->instant || !s->node)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_job; i++) {
		s->instant[2 * i] =
			(struct instant){ t->job[i].start_us, i, true };
		s->instant[2 * i + 1] =
			(struct instant){ t->job[i].end_us, i, false };
	}
	qsort(s->instant, 2 * t->n_job, sizeof(*s->instant), by_time);
	find_cores(s);
	return 0;
}

static void finish(struct sweep *s)
{
	for (uint32_t i = 0; s->node && i < s->t->n_node; i++)
		free(s->node[i].job);
	free(s->instant);
	free(s->node);
	free(s->live);
	free(s->vacant);
}

int cs_together_teach(struct cs_together *t, struct cs_past *past,
		      struct cs_err *err)
{
	struct sweep s = { .t = t, .past = past };
	int rc = prepare(&s);

	for (size_t i = 0; !rc && i < 2 * t->n_job; i++) {
		const struct instant *e = &s.instant[i];

		s.now_us = e->t_us;
		rc = e->starts ? start(&s, e->job) : end(&s, e->job);
	}
	finish(&s);
	if (rc == -E2BIG)
		return cs_err_set(err, rc,
				  "more than %u jobs ran at a time, expected "
				  "fewer",
				  CS_TOGETHER_AT_ONCE);
	return rc ? cs_err_set(err, rc, "no memory") : 0;
}
