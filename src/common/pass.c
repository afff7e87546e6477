/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decide: the queue against the machine, with EASY backfilling.
 *
 * Problem.  Start what can start in the order of the queue; let nobody pass a
 * waiting head in a way that delays it.
 *
 * Rules.
 *  1. Walk the queue.  A job whose nodes no waiting head may use is a head
 *     itself: it starts in any way its placement knows, or it is promised a start
 *     (backfill.c).  On one partition that is the classical single head;
 *     partitions without common nodes do not wait for each other.
 *  2. A job behind a head is passed over (backfill=none), or starts where no
 *     promise suffers (easy).
 *  3. A job that is blocked, not yet eligible, refused by the host, or that no
 *     machine of ours could hold, is passed over and holds nothing.
 *  4. A job that the host places ends the pass: where it will be is known only
 *     when the host has answered.  It backfills only where it ends in time.
 *
 * Source: 000 (see slowdown.h), section 4.4, for what is tried for the head and
 * in backfilling; the placing functions say how.
 *
 * Cost: O(queue log queue), and what placing and backfilling cost.
 */
#include "pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "join.h"

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

/* Rule 3: may the job be looked at now? */
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
		cs_pass_verdict(j, why);
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
	cs_pass_verdict(j, CS_WHY_NEVER);
	if (!cs_alone_shape(e, j, entry->option, &s))
		return;
	cs_pass_nodes(e, j, entry->option, e->now_us, j->job.estimate_us,
		      e->mask);
	cs_pass_verdict(j, cs_layout_fits(&e->now, &s, e->mask) ? CS_WHY_DELAYS
							: CS_WHY_NO_ROOM);
	j->verdict.nodes = s.nodes;
	j->verdict.room = cs_pass_room(e, &s, e->mask);
	for (size_t i = 0; i < p->n_promise && !j->verdict.head; i++)
		if (cs_sets_meet(p->promise[i].nodes, set, words))
			j->verdict.head = p->promise[i].job->job.id;
}

/* Rule 4.  1: proposed, 0: not now, -ENOMEM. */
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
	for (size_t i = 0; i < p->n_promise; i++)
		if (e->now_us + j->job.estimate_us > p->promise[i].start_us &&
		    !cs_promise_own(p, &p->promise[i]))
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
	p->head = !cs_sets_meet(p->waited, set, cs_node_words(e->machine));
	if (p->head || e->params.backfill == CS_BACKFILL_EASY) {
		do {
			rc = place_one(p, entry);
			if (rc > 0)
				forget(p);
			if (rc > 0 && !p->ended)
				cs_backfill_refresh(p);
		} while (rc > 0 && cs_waits(entry->job) && !p->ended);
	}
	if (rc < 0 || !cs_waits(entry->job) || p->ended)
		return rc < 0 ? rc : 0;
	if (p->head)
		return cs_backfill_promise(p, entry);
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
		if (limit < j->told_us)
			limit = j->told_us;
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
				cs_pass_verdict(entry->job, p->ended ? CS_WHY_ROUND
							     : CS_WHY_DEPTH);
			continue;
		}
		rc = visit(p, entry);
	}
	return rc;
}

static void pass_done(struct cs_pass *p)
{
	cs_backfill_done(p);
	forget(p);
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
		cs_pass_verdict(e->waiting.job[i], CS_WHY_NEW);
	p.queue = cs_order_queue(e, &p.n, &nomem);
	p.waited = calloc(cs_node_words(e->machine), sizeof(*p.waited));
	rc = nomem || !p.waited ? -ENOMEM : cs_group_notes(e);
	if (!rc)
		rc = set_limits(e);
	if (!rc)
		rc = walk(&p);
	e->reservations = (uint32_t)p.n_promise;
	pass_done(&p);
	/* a proposal that was made stands: the host hears of it */
	if (rc && e->n_action)
		rc = 0;
	ret->n = rc ? 0 : e->n_action;
	ret->action = e->action;
	return rc;
}
