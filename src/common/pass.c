/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decide: the queue against the machine, with EASY backfilling.
 *
 * Problem.  Start what can start in the order of the queue; let nobody pass a
 * waiting head in a way that delays it.
 *
 * Rules.
 *  1. Walk the queue.  A job whose nodes no waiting head may use is a head
 *     itself: it starts in any way its placement knows, or it gets a reservation
 *     (EASY) or just stays first (none).  On one partition that is the classical
 *     single head; partitions without common nodes do not wait for each other.
 *  2. Reservation: the first instant at which the head fits alone, by the
 *     predicted ends, counting all jobs that end at that instant.
 *  3. A job behind a head starts if it fits now and ends by the reservation, or
 *     leaves the head its room at that instant.  The test is made on the machine
 *     as it will be then, node by node, so that cores, memory and node sets count
 *     as at a start.  One scan, no second one.
 *  4. A job that is blocked, not yet eligible, refused by the host, or that no
 *     machine of ours could hold, is passed over and holds nothing.
 *  5. A job that the host places ends the pass: where it will be is known only
 *     when the host has answered.  It backfills only where it ends in time.
 *
 * Source: EASY as in Mu'alem and Feitelson, Utilization, Predictability,
 * Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
 * Backfilling, IEEE TPDS 12(6), 2001, section 2; 000 section 4.4 for what is
 * tried in backfilling.
 *
 * Differs: `extra` processors are not a count but the machine at the head's
 * start (rule 3), the same thing where all nodes are alike and taken whole.
 *
 * Cost: O(queue log queue), O(running * nodes) a head and a backfilled start,
 * O(nodes) a candidate.
 */
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "join.h"

/* A head and what it was promised. */
struct reservation {
	struct cs_ejob *job;
	struct cs_shape shape;
	int64_t start_us;
	struct cs_occ at; /* the machine then */
	uint64_t *nodes;  /* those it may use then */
};

struct cs_pass {
	struct cs_engine *e;
	struct cs_entry *queue; /* [n] */
	size_t n, i;		/* entry being placed */
	struct reservation *resv; /* [n_resv] */
	size_t n_resv, cap_resv;
	struct cs_ejob **joinable; /* [n_joinable]; NULL: not known */
	size_t n_joinable;
	uint64_t *waited; /* nodes that some waiting head may use */
	bool head;
	bool ended; /* rule 5 */
};

static cs_place_fn *const place[] = {
	[CS_PLACE_SPACE] = cs_place_alone,
	[CS_PLACE_PACK] = cs_place_alone,
	[CS_PLACE_PAIR_FIRST] = cs_place_pair,
	[CS_PLACE_PAIR_BEST] = cs_place_pair,
};

struct cs_engine *cs_pass_engine(const struct cs_pass *p)
{
	return p->e;
}

int64_t cs_pass_now_us(const struct cs_pass *p)
{
	return p->e->now_us;
}

const struct cs_entry *cs_pass_behind(const struct cs_pass *p, size_t *ret_n)
{
	*ret_n = p->n - p->i - 1;
	return p->queue + p->i + 1;
}

bool cs_pass_head(const struct cs_pass *p)
{
	return p->head;
}

struct cs_ejob **cs_pass_joinable(struct cs_pass *p, size_t *ret_n)
{
	if (!p->joinable)
		p->joinable = cs_join_candidates(p->e, &p->n_joinable);
	*ret_n = p->n_joinable;
	return p->joinable;
}

/* The machine has changed: what was derived from it is no longer true. */
static void forget(struct cs_pass *p)
{
	free(p->joinable);
	p->joinable = NULL;
}

static bool meets(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

void cs_pass_nodes(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, int64_t from_us, int64_t run_us,
		   uint64_t *mask)
{
	uint32_t words = cs_node_words(e->machine);
	int64_t until = run_us < CS_TIME_NONE - from_us ? from_us + run_us
							: CS_TIME_NONE;

	memcpy(mask, cs_engine_set(e, &j->job.option[option]),
	       words * sizeof(*mask));
	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];

		if (r->id == j->job.reservation || r->end_us <= from_us ||
		    r->start_us >= until)
			continue;
		for (uint32_t w = 0; w < words; w++)
			mask[w] &= ~r->nodes[w];
	}
}

bool cs_pass_leaves(struct cs_pass *p, const struct cs_alloc *a,
		    enum cs_hold hold, int64_t end_us)
{
	bool ok = true;

	for (size_t i = 0; ok && i < p->n_resv; i++) {
		struct reservation *r = &p->resv[i];

		if (end_us <= r->start_us)
			continue;
		cs_occ_add(&r->at, a, hold);
		ok = cs_layout_fits(&r->at, &r->shape, r->nodes);
		cs_occ_remove(&r->at, a, hold);
	}
	return ok;
}

bool cs_pass_leaves_moved(struct cs_pass *p, const struct cs_alloc *a,
			  int64_t a_end_us, struct cs_ejob *const *moved,
			  const int64_t *end_us, size_t n)
{
	bool ok = true;

	for (size_t i = 0; ok && i < p->n_resv; i++) {
		struct reservation *r = &p->resv[i];

		/* who ends by then, but would no more */
		for (size_t k = 0; k < n; k++)
			if (end_us[k] > r->start_us &&
			    cs_progress_end_us(p->e, moved[k]) <= r->start_us)
				cs_occ_add(&r->at, moved[k]->alloc,
					   moved[k]->hold);
		if (a_end_us > r->start_us)
			cs_occ_add(&r->at, a, CS_HOLD_COUNTED);
		ok = cs_layout_fits(&r->at, &r->shape, r->nodes);
		if (a_end_us > r->start_us)
			cs_occ_remove(&r->at, a, CS_HOLD_COUNTED);
		for (size_t k = 0; k < n; k++)
			if (end_us[k] > r->start_us &&
			    cs_progress_end_us(p->e, moved[k]) <= r->start_us)
				cs_occ_remove(&r->at, moved[k]->alloc,
					      moved[k]->hold);
	}
	return ok;
}

/* The machine at @t_us as the predicted ends have it. */
static void machine_at(const struct cs_engine *e, int64_t t_us,
		       struct cs_occ *at)
{
	cs_occ_copy(at, &e->now);
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		if (j->state != CS_SUSPENDED && cs_progress_end_us(e, j) <= t_us)
			cs_occ_remove(at, j->alloc, j->hold);
	}
}

struct ending {
	int64_t end_us;
	const struct cs_ejob *job; /* NULL: a reservation of the host ends */
};

static int by_end(const void *x, const void *y)
{
	const struct ending *a = x, *b = y;

	if (a->end_us != b->end_us)
		return a->end_us < b->end_us ? -1 : 1;
	if (!a->job || !b->job)
		return !a->job - !b->job;
	return cs_ejob_cmp(a->job, b->job);
}

/* Every later instant at which there may be more room; NULL: no memory. */
static struct ending *endings(const struct cs_engine *e, size_t *ret_n)
{
	struct ending *x = calloc(e->started.n + e->n_held + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; x && i < e->started.n; i++)
		if (e->started.job[i]->state != CS_SUSPENDED)
			x[n++] = (struct ending){
				cs_progress_end_us(e, e->started.job[i]),
				e->started.job[i]
			};
	for (uint32_t h = 0; x && h < e->n_held; h++)
		if (e->held[h].end_us > e->now_us)
			x[n++] = (struct ending){ e->held[h].end_us, NULL };
	if (x)
		qsort(x, n, sizeof(*x), by_end);
	*ret_n = n;
	return x;
}

/* Rule 2: set start_us, at and nodes.  1: found, 0: never, -ENOMEM. */
static int earliest(const struct cs_engine *e, struct reservation *r,
		    uint32_t option)
{
	const struct cs_ejob *j = r->job;
	size_t n, i = 0;
	struct ending *x = endings(e, &n);
	int found = x ? 0 : -ENOMEM;

	if (x)
		cs_occ_copy(&r->at, &e->now);
	while (x && i < n && !found) {
		int64_t t = x[i].end_us;

		for (; i < n && x[i].end_us == t; i++)
			if (x[i].job)
				cs_occ_remove(&r->at, x[i].job->alloc,
					      x[i].job->hold);
		cs_pass_nodes(e, j, option, t, j->job.estimate_us, r->nodes);
		found = cs_layout_fits(&r->at, &r->shape, r->nodes);
		r->start_us = t;
	}
	free(x);
	return found;
}

static uint32_t count_usable(const struct cs_engine *e,
			     const struct cs_shape *s, const uint64_t *mask)
{
	uint32_t k = 0;

	for (uint32_t n = 0; n < e->machine->n_node; n++)
		k += cs_bit(mask, n) && (s->even ? cs_layout_usable(&e->now, n, s)
						 : cs_layout_fit(&e->now, n, s) > 0);
	return k;
}

static void verdict(struct cs_ejob *j, enum cs_why why)
{
	j->verdict = (struct cs_verdict){ .why = why, .start_us = CS_TIME_NONE };
}

static void reservation_done(struct reservation *r)
{
	cs_occ_done(&r->at);
	free(r->nodes);
}

static int grow_resv(struct cs_pass *p)
{
	size_t cap = p->cap_resv ? 2 * p->cap_resv : 4;
	struct reservation *r;

	if (p->n_resv < p->cap_resv)
		return 0;
	r = realloc(p->resv, cap * sizeof(*r));
	if (!r)
		return -ENOMEM;
	p->resv = r;
	p->cap_resv = cap;
	return 0;
}

/* Write the head's promise where explain and the host find it. */
static int promise(struct cs_pass *p, const struct reservation *r)
{
	uint32_t words = cs_node_words(p->e->machine);
	struct cs_ejob *j = r->job;

	if (!j->reserved)
		j->reserved = calloc(words, sizeof(*j->reserved));
	if (!j->reserved)
		return -ENOMEM;
	for (uint32_t n = 0, left = r->shape.nodes; n < p->e->machine->n_node;
	     n++) {
		bool use = left && cs_bit(r->nodes, n) &&
			   cs_layout_fit(&r->at, n, &r->shape) > 0;

		j->reserved[n / 64] &= ~(UINT64_C(1) << (n % 64));
		if (use) {
			cs_bit_set(j->reserved, n);
			left--;
		}
	}
	j->verdict.start_us = r->start_us;
	return 0;
}

/* The job of @entry does not fit: it waits at the head (rules 1, 2, 4). */
static int reserve(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	uint32_t words = cs_node_words(e->machine);
	const uint64_t *set = cs_engine_set(e, &j->job.option[entry->option]);
	struct reservation r = { .job = j };
	int found;

	verdict(j, CS_WHY_NEVER);
	if (!cs_alone_shape(e, j, entry->option, &r.shape))
		return 0;
	r.nodes = calloc(words, sizeof(*r.nodes));
	if (!r.nodes || cs_occ_init(&r.at, e->machine) || grow_resv(p)) {
		reservation_done(&r);
		return -ENOMEM;
	}
	found = earliest(e, &r, entry->option);
	if (found > 0) {
		cs_pass_nodes(e, j, entry->option, e->now_us,
			      j->job.estimate_us, e->mask);
		verdict(j, CS_WHY_HEAD);
		j->verdict.nodes = r.shape.nodes;
		j->verdict.room = count_usable(e, &r.shape, e->mask);
		found = promise(p, &r) ? -ENOMEM : 1;
	}
	if (found <= 0) {
		reservation_done(&r);
		return found;
	}
	for (uint32_t w = 0; w < words; w++)
		p->waited[w] |= set[w];
	p->resv[p->n_resv++] = r;
	return 0;
}

/* Rule 4: may the job be looked at now? */
static bool may_start(struct cs_engine *e, const struct cs_entry *entry)
{
	struct cs_ejob *j = entry->job;
	enum cs_why why;

	if (cs_job_flags(j, entry->option) & CS_JOB_BLOCKED)
		why = CS_WHY_BLOCKED;
	else if (j->job.eligible_us > e->now_us)
		why = CS_WHY_BEGIN;
	else if (j->retry_us > e->now_us || j->refused_epoch == e->epoch)
		why = CS_WHY_REFUSED;
	else
		return true;
	if (j->verdict.why != CS_WHY_HEAD)
		verdict(j, why);
	return false;
}

/* Behind a head: say whether it is room or the head that keeps it waiting. */
static void behind(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	const uint64_t *set = cs_engine_set(e, &j->job.option[entry->option]);
	uint32_t words = cs_node_words(e->machine);
	struct cs_shape s;

	if (j->verdict.why == CS_WHY_HEAD)
		return;
	verdict(j, CS_WHY_NEVER);
	if (!cs_alone_shape(e, j, entry->option, &s))
		return;
	cs_pass_nodes(e, j, entry->option, e->now_us, j->job.estimate_us,
		      e->mask);
	verdict(j, cs_layout_fits(&e->now, &s, e->mask) ? CS_WHY_DELAYS
							: CS_WHY_NO_ROOM);
	j->verdict.nodes = s.nodes;
	j->verdict.room = count_usable(e, &s, e->mask);
	for (size_t i = 0; i < p->n_resv && !j->verdict.head; i++)
		if (meets(p->resv[i].nodes, set, words))
			j->verdict.head = p->resv[i].job->job.id;
}

/* Rule 5.  1: proposed, 0: not now, -ENOMEM. */
static int place_by_host(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	struct cs_alloc *a;
	struct cs_action *act;
	struct cs_shape s;
	uint32_t n = 0, k = 0;

	cs_pass_nodes(e, j, entry->option, e->now_us, j->job.estimate_us,
		      e->mask);
	if (!cs_alone_shape(e, j, entry->option, &s) ||
	    !cs_layout_fits(&e->now, &s, e->mask))
		return 0;
	for (size_t i = 0; i < p->n_resv; i++)
		if (e->now_us + j->job.estimate_us > p->resv[i].start_us)
			return 0;
	for (uint32_t i = 0; i < e->machine->n_node; i++)
		n += cs_bit(e->mask, i) && cs_layout_fit(&e->now, i, &s) > 0;
	a = cs_alloc_create(n, e->machine->words);
	if (!a)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->machine->n_node; i++)
		if (cs_bit(e->mask, i) && cs_layout_fit(&e->now, i, &s) > 0)
			a->node[k++] = (struct cs_alloc_node){ .node = i,
							       .procs = 1 };
	j = cs_engine_propose(e, j, entry->option, a, CS_HOLD_PACKED);
	act = j ? cs_engine_action(e, CS_ACT_HOST_START) : NULL;
	if (!act)
		return -ENOMEM;
	act->seq = j->seq;
	act->job_id = j->master ? j->master : j->job.id;
	act->option = entry->option;
	act->alloc = j->alloc;
	act->packed = true;
	act->slowdown = 1;
	p->ended = true;
	return 1;
}

static int place_one(struct cs_pass *p, const struct cs_entry *entry)
{
	if (cs_job_flags(entry->job, entry->option) & CS_JOB_HOST)
		return place_by_host(p, entry);
	return place[p->e->params.place](p, entry);
}

/* One entry of the queue: start its job, or every task of its array that fits,
 * or say why not. */
static int visit(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	const uint64_t *set =
		cs_engine_set(e, &entry->job->job.option[entry->option]);
	int rc = 0;

	if (!cs_waits(entry->job) || !may_start(e, entry))
		return 0;
	p->head = !meets(p->waited, set, cs_node_words(e->machine));
	if (p->head || e->params.backfill == CS_BACKFILL_EASY) {
		do {
			rc = place_one(p, entry);
			if (rc > 0)
				forget(p);
			for (size_t i = 0; rc > 0 && !p->ended && i < p->n_resv;
			     i++)
				machine_at(e, p->resv[i].start_us,
					   &p->resv[i].at);
		} while (rc > 0 && cs_waits(entry->job) && !p->ended);
	}
	if (rc < 0 || !cs_waits(entry->job) || p->ended)
		return rc < 0 ? rc : 0;
	if (p->head)
		return reserve(p, entry);
	behind(p, entry);
	return 0;
}

/* Running jobs whose neighbours changed get the limit that they now need. */
static int set_limits(struct cs_engine *e)
{
	for (size_t i = 0; i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];
		const struct cs_job_option *o = &j->job.option[j->option];
		struct cs_action *act;
		int64_t limit;

		if (!j->limit_dirty || j->state != CS_RUNNING ||
		    !j->job.base_procs)
			continue;
		j->limit_dirty = false;
		limit = cs_progress_limit_us(e, j);
		if (limit > o->limit_max_us)
			limit = o->limit_max_us;
		if (limit <= j->limit_us &&
		    limit > j->limit_us - 60 * INT64_C(1000000))
			continue;
		act = cs_engine_action(e, CS_ACT_LIMIT);
		if (!act)
			return -ENOMEM;
		act->job_id = j->job.id;
		act->option = j->option;
		act->limit_us = limit;
		act->group = j->group;
		act->role = j->role;
		act->with = j->with;
		act->slowdown = j->factor;
		j->limit_us = limit;
	}
	return 0;
}

static int walk(struct cs_pass *p)
{
	int64_t depth = p->e->params.depth;
	int rc = 0;

	for (p->i = 0; !rc && p->i < p->n; p->i++) {
		struct cs_entry *entry = &p->queue[p->i];

		if (p->ended || (depth && p->i >= (size_t)depth)) {
			if (cs_waits(entry->job))
				verdict(entry->job, p->ended ? CS_WHY_ROUND
							     : CS_WHY_DEPTH);
			continue;
		}
		rc = visit(p, entry);
	}
	return rc;
}

static void pass_done(struct cs_pass *p)
{
	for (size_t i = 0; i < p->n_resv; i++)
		reservation_done(&p->resv[i]);
	forget(p);
	free(p->resv);
	free(p->queue);
	free(p->waited);
}

int cs_engine_decide(struct cs_engine *e, int64_t now_us,
		     struct cs_actions *ret)
{
	struct cs_pass p = { .e = e };
	bool nomem;
	int rc;

	if (e->open)
		return -EBUSY;
	if (now_us > e->now_us)
		e->now_us = now_us;
	e->n_action = 0;
	e->decides++;
	for (size_t i = 0; i < e->waiting.n; i++)
		verdict(e->waiting.job[i], CS_WHY_NEW);
	p.queue = cs_order_queue(e, &p.n, &nomem);
	p.waited = calloc(cs_node_words(e->machine), sizeof(*p.waited));
	rc = nomem || !p.waited ? -ENOMEM : cs_engine_notes(e);
	if (!rc)
		rc = set_limits(e);
	if (!rc)
		rc = walk(&p);
	e->reservations = (uint32_t)p.n_resv;
	pass_done(&p);
	/* a proposal that was made stands: the host hears of it */
	if (rc && e->n_action)
		rc = 0;
	ret->n = rc ? 0 : e->n_action;
	ret->action = e->action;
	return rc;
}
