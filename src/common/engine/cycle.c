/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decide: the queue against the machine, with backfill.
 *
 * Problem.  Start what can start, in queue order; let no job pass a waiting head if
 * that delays it.
 *
 * Rules.
 *  1. Walk the queue.  A job whose nodes no waiting head may use is a head itself: it
 *     starts in any way its placement knows, or is promised a start (easy.c).  With one
 *     partition that is the classical single head; partitions without common nodes do
 *     not wait for each other.  With planned_starts more jobs are promised a start, after
 *     they were tried as jobs behind a head (planned.c).
 *  2. A job behind a head is passed over (backfill=none), or starts if no promise
 *     suffers (easy, conservative).  With conservative every job holds a promise
 *     (plan.c), and starts alone when its time has come.
 *  3. A job that is not eligible (eligible.c), or never fits the machine, is passed
 *     over and holds nothing.  The latter is left to the host's own test.
 *  4. A job that the host places (host_start.c) ends the pass, except for others of its
 *     kind that follow it: its nodes are known only when the host has answered, and of
 *     several in a row one starts.
 *
 *  5. A walk resumes where the last one ended if only submits have happened since and
 *     no instant is awaited: a start only takes, and a later end is no earlier, so a
 *     job that did not fit or would have delayed a head still does.  Only if jobs start
 *     alone, without slices or a plan, and no rule weighs a split against a wait, which
 *     grows.  And once a job has started on nodes denied to another because it would
 *     have delayed a head there, the next walk begins at the head: the other may get
 *     other nodes now.  So too behind a head that keeps nothing yet (horizon.c), and
 *     after a head of two partitions has started in one: the other has no head now.
 *
 *  6. Where slots have their turns (slice=gang) a job waits for its own: it is given a
 *     place in one, and starts by that.  Who finds no place is a head: nobody behind him
 *     gets one on his nodes.
 *
 *  7. A decide may be done in parts (cs_engine_decide_part()): after so many steps the
 *     walk pauses before its next entry or the next task of an array, and the next part
 *     continues there.  The walk remembers everything, so all parts together decide what
 *     one would, as of the instant of the first, if the host says nothing in between;
 *     what it may say is in state/pass.c.  A walk for time slices does not pause, and
 *     none does after rule 4: little is left.
 *
 *  8. Where jobs pass heads in an order of their own (passing=shortest, expansion) the
 *     walk first finds the heads; then those behind them are tried in that order.
 *
 *  9. A decide may be about a part of the machine only: region.c.
 *
 * Source: Zeng09 (see slowdown.h), section 4.4, for what is tried for the head and in
 * backfill; the placing functions say how.
 *
 * Cost: O(queue), and what placing and backfill cost; with backfill=none only the heads
 * and the jobs started before them, once heads wait for every node.
 */
#include "engine/engine.h"

#include <errno.h>
#include <string.h>

#include "backfill/easy.h"
#include "backfill/endings.h"
#include "backfill/plan.h"
#include "backfill/planned.h"
#include "backfill/site_ahead.h"
#include "backfill/sought.h"
#include "base/array.h"
#include "engine/region.h"
#include "engine/wakeup.h"
#include "job/alone.h"
#include "job/eligible.h"
#include "job/forecast.h"
#include "job/group.h"
#include "job/limit.h"
#include "job/oversub.h"
#include "job/pledge.h"
#include "lifecycle/rest.h"
#include "model/fit.h"
#include "order/depth.h"
#include "order/passing.h"
#include "order/queue.h"
#include "place/attempt.h"
#include "place/early_start.h"
#include "place/host_start.h"
#include "place/join.h"
#include "place/joinable.h"
#include "place/place.h"
#include "slice/slice.h"
#include "state/pass.h"

/* Behind a head. */
static void behind(const struct cs_engine *e, const struct cs_entry *entry)
{
	struct cs_ejob *j = entry->job;

	if (cs_pass_why(e, j) == CS_WHY_HEAD ||
	    cs_pass_why(e, j) == CS_WHY_PLANNED)
		return;
	cs_pass_verdict(e, j, CS_WHY_BEHIND);
	j->verdict.option = entry->option;
}

/* Rule 6 of forecast.c. */
static bool no_promise(const struct cs_pass *p, const struct cs_entry *entry)
{
	return cs_forecast_waits(p->e, entry->job, entry->option,
				 cs_forecast_late(p->e, p->before));
}

/* The empty machine does not hold the entry, unless for the cores that it leaves for GPUs:
 * then it fits once other jobs use these. */
static void never(const struct cs_engine *e, const struct cs_entry *entry)
{
	bool leaves = e->params.gpu_cores &&
		      cs_alone_ever(e, entry->job, entry->option);

	cs_pass_verdict(e, entry->job, leaves ? CS_WHY_NO_ROOM : CS_WHY_NEVER);
	entry->job->verdict.option = entry->option;
}

/* Report the job's promised start. */
static void planned(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	const struct cs_planned *q = &j->plan;
	const struct cs_held_nodes *kept = cs_forecast_of(e, j);

	if (kept &&
	    (q->start_us == CS_TIME_NONE || q->option == kept->option)) {
		cs_pass_verdict(e, j, CS_WHY_PLANNED);
		j->verdict.start_us = kept->start_us;
		j->verdict.option = entry->option;
		return;
	}
	if (q->far_us) {
		cs_pass_far(e, j, q->option,
			    cs_sm_host_us(e, e->sm, q->far_us));
		return;
	}
	if (q->start_us == CS_TIME_NONE) {
		if (cs_pass_why(e, j) != CS_WHY_NEW)
			return;
		if (no_promise(p, entry))
			cs_pass_verdict(e, j, CS_WHY_REFUSED);
		else
			never(e, entry);
		return;
	}
	cs_pass_verdict(e, j, p->head ? CS_WHY_HEAD : CS_WHY_PLANNED);
	j->verdict.start_us = cs_sm_host_us(e, e->sm, q->start_us);
	j->verdict.option = q->option;
	e->reservations++;
	p->head = false;
}

/* An attempt to place it: it looks at all nodes, and perhaps at all running jobs. */
static int place(struct cs_pass *p, const struct cs_entry *entry)
{
	const struct cs_engine *e = p->e;
	int64_t steps = cs_node_words(e->machine) +
			(e->place->shares ? (int64_t)e->started.n / 8 : 0);

	return cs_step(p->e, steps) ?: cs_place_one(p, entry);
}

/* Rule 7: is it time to pause? */
static bool is_over(const struct cs_pass *p)
{
	return cs_effort_over(&p->e->effort) && !p->ended &&
	       !p->e->slice->decide && !p->e->region.on;
}

/* A start of the entry was proposed: try the next task of its array?  Not if the walk
 * pauses here: p->again. */
static bool next_task(struct cs_pass *p, const struct cs_entry *entry)
{
	if (!cs_waits(entry->job) || p->ended)
		return false;
	p->again = p->known = is_over(p);
	return !p->again;
}

/* May the entry be tried?  After a pause between its tasks it may, as before, unless the
 * host has answered. */
static bool may_try(struct cs_pass *p, const struct cs_entry *entry)
{
	bool known = p->again && p->known;

	p->again = false;
	return known || cs_eligible_now(p->e, entry);
}

/* One entry of the queue under conservative backfill. */
static int visit_planned(struct cs_pass *p, const struct cs_entry *entry)
{
	int rc;

	if (!p->again)
		p->before = cs_eligible_hosts(p->e, entry, &p->hosts);
	if (!may_try(p, entry))
		return 0;
	do {
		rc = place(p, entry);
		/* a plan by cores may promise what fits on no nodes */
		if (!rc &&
		    (entry->job->plan.start_us == CS_TIME_NONE ||
		     cs_plan_due(p)) &&
		    cs_host_start_takes_over(p->e, entry))
			rc = cs_place_one(p, entry);
		if (rc > 0 && cs_attempt_started(p, entry))
			rc = -ENOMEM;
	} while (rc > 0 && next_task(p, entry));
	if (p->again)
		return rc < 0 ? rc : 0;
	if (rc >= 0 && cs_waits(entry->job) && !p->ended)
		planned(p, entry);
	else if (rc >= 0 && cs_waits(entry->job))
		cs_pass_verdict(p->e, entry->job, CS_WHY_ROUND);
	return rc < 0 ? rc : 0;
}

/* Are all cores held of the nodes of @set that are up?  Looked up once in each part of a
 * decide: starts only take. */
static bool is_full(struct cs_engine *e, uint32_t set)
{
	const struct cs_occ *now = &e->sm->now;
	struct cs_set_full *f;
	size_t before = e->cap_full;

	if (cs_array_room(&e->full, &e->cap_full, (size_t)set + 1))
		return false;
	for (size_t i = before; i < e->cap_full; i++)
		e->full[i].changes = 0;
	f = &e->full[set];
	if (f->changes == e->changes)
		return f->full;
	f->changes = e->changes;
	f->full = true;
	for (uint32_t w = 0; f->full && w < cs_node_words(e->machine); w++) {
		uint64_t nodes = e->nodeset[set][w] & ~now->down[w];

		while (nodes && f->full)
			f->full = !now->node[64 * w + cs_bit_pop(&nodes)]
					   .free_cores;
	}
	return f->full;
}

/* A quick test of an entry behind a head: is there certainly no room? */
static bool hopeless(struct cs_engine *e, const struct cs_entry *entry)
{
	const struct cs_planned *q = &entry->job->plan;
	uint32_t flags = cs_job_flags(entry->job, entry->option);

	if (e->n_sm == 1 && !e->slice->seat &&
	    !(flags & (CS_JOB_HOST | CS_JOB_SHARES_CORES)) &&
	    /* looked up for all, so that each part of a decide knows what the whole does */
	    is_full(e, entry->job->job.option[entry->option].nodeset) &&
	    !cs_oversub_willing(e, entry->job, entry->option) &&
	    cs_eligible_why_not(e, entry) == CS_WHY_NEW)
		return true;
	return e->place->alone && q->made == e->layouts &&
	       q->option == entry->option && !(flags & CS_JOB_SHARES_CORES) &&
	       !cs_alone_other_might(e, &q->shape) &&
	       cs_layout_crowded(&e->sm->now, &q->shape);
}

/* One entry of the queue: start its job, or every task of its array that fits, or
 * record why not. */
static int visit(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	const uint64_t *set =
		cs_engine_set(e, &entry->job->job.option[entry->option]);
	bool was_planned = cs_pass_promised(e, entry->job); /* elsewhere */
	bool plans; /* it is planned if it does not start */
	int rc = 0;

	if (!p->again) {
		if (!p->passes)
			p->before = cs_eligible_hosts(e, entry, &p->hosts);
		p->head = !cs_sets_meet(e->waited, set,
					cs_node_words(e->machine));
	}
	plans = p->head ||
		(cs_planned_several(e) && cs_backfill_may_plan(p, set));
	if (!p->again) {
		if (!plans && hopeless(e, entry)) {
			behind(e, entry);
			return 0;
		}
		if (!plans && !p->passes && cs_passing_sorts(e)) {
			behind(e, entry);
			return cs_passing_add(p, p->i);
		}
	}
	if (!may_try(p, entry))
		return 0;
	if (p->head || p->behind) {
		do {
			rc = place(p, entry);
			if (rc > 0) {
				cs_joinable_forget(p);
				p->freer |=
					e->turned_away ||
					(was_planned && !cs_waits(entry->job));
				e->passing.stopped = false;
			}
			if (rc > 0 && !p->ended)
				cs_backfill_refresh(p);
		} while (rc > 0 && next_task(p, entry));
	}
	if (p->again)
		return rc < 0 ? rc : 0;
	if (rc < 0 || !cs_waits(entry->job) || p->ended)
		return rc < 0 ? rc : 0;
	if (plans && no_promise(p, entry)) {
		if (cs_pass_why(e, entry->job) == CS_WHY_NEW)
			cs_pass_verdict(e, entry->job, CS_WHY_REFUSED);
		return 0;
	}
	if (!plans) {
		behind(e, entry);
		return 0;
	}
	rc = e->backfill->promise(p, entry);
	p->freer |= cs_pass_why(e, entry->job) == CS_WHY_FAR;
	if (rc || entry->job->verdict.why != CS_WHY_NEVER)
		return rc < 0 ? rc : 0;
	if (cs_host_start_takes_over(e, entry))
		rc = cs_place_one(p, entry);
	else
		never(e, entry);
	return rc < 0 ? rc : 0;
}

/* Does it start by a place of its own? */
static bool is_seated(const struct cs_pass *p, const struct cs_entry *entry)
{
	return p->e->slice->seat &&
	       !(cs_job_flags(entry->job, entry->option) & CS_JOB_HOST);
}

/* It has no place: nobody behind it gets one on its nodes, if they could hold it. */
static int unseated(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	const uint64_t *set = cs_engine_set(e, &j->job.option[entry->option]);

	if (!p->head) {
		behind(e, entry);
		return 0;
	}
	if (!cs_alone_ever(e, j, entry->option)) {
		cs_pass_verdict(e, j, CS_WHY_NEVER);
		return cs_host_start_takes_over(e, entry)
			       ? cs_place_one(p, entry)
			       : 0;
	}
	cs_pass_verdict(e, j, CS_WHY_NO_ROOM);
	j->verdict.option = entry->option;
	if (j->plan.made &&
	    cs_layout_holds(e->machine, e->sm->now.down, &j->plan.shape, set))
		cs_bits_or(e->waited, set, cs_node_words(e->machine));
	return 0;
}

/* One entry of the queue where slots have their turns: rule 6. */
static int visit_seated(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	const uint64_t *set =
		cs_engine_set(e, &entry->job->job.option[entry->option]);
	uint32_t words = cs_node_words(e->machine);
	int seat = CS_SEAT_LATER, rc = 1;

	if (!cs_eligible_now(e, entry))
		return 0;
	while (rc > 0 && cs_waits(entry->job)) {
		p->head = !cs_sets_meet(e->waited, set, words);
		seat = e->slice->seat(e, entry, p->head);
		rc = seat < 0 ? seat : 0;
		p->head |= seat == CS_SEAT_NOW;
		if (seat == CS_SEAT_NOW)
			rc = place(p, entry);
		if (rc > 0)
			cs_joinable_forget(p);
	}
	memset(e->stuck, 0, words * sizeof(*e->stuck));
	if (!rc && seat == CS_SEAT_NONE)
		rc = unseated(p, entry);
	return rc < 0 ? rc : 0;
}

/* Do the heads wait for every node, so that no job behind them may start? */
static bool all_waited(const struct cs_pass *p)
{
	const struct cs_engine *e = p->e;

	return !p->behind && !e->backfill->all && !e->slice->seat &&
	       e->waited[0] &&
	       cs_bits_count(e->waited, cs_node_words(e->machine)) ==
		       e->machine->n_node;
}

/* Rule 4: were all turns since the first job left to the host of its kind? */
static bool in_a_row(struct cs_pass *p, const struct cs_entry *entry)
{
	p->closed |= cs_waits(entry->job) &&
		     !(cs_job_flags(entry->job, entry->option) & CS_JOB_HOST) &&
		     cs_eligible_why_not(p->e, entry) == CS_WHY_NEW;
	return !p->closed;
}

/* What comes before the first entry. */
static int walk_begin(struct cs_engine *e)
{
	struct cs_pass *p = e->pass;
	int rc = 0;

	cs_joinable_forget(
		p); /* of a walk that an event has ended in a pause */
	*p = (struct cs_pass){ .e = e,
			       .heads = &e->sm->heads,
			       .behind = e->backfill->behind };
	if (e->region.on)
		rc = cs_region_queue(e, &p->queue, &p->n);
	else
		p->queue = cs_order_queue(e, &p->n);
	if (rc)
		return rc;
	p->i = e->resume_at;
	cs_passing_begin(e);
	if (!e->resume_at)
		memset(e->waited, 0,
		       cs_node_words(e->machine) * sizeof(*e->waited));
	rc = cs_depth_find(p) ?: cs_ask(e->backfill, begin, 0, p);
	/* in another class's slice no promise may move */
	if (!rc && cs_pass_plans(p) && !e->guests)
		rc = cs_early_start(p);
	p->head = !e->guests;
	return rc;
}

/* What comes after a pause in which the host has answered. */
static int walk_update(struct cs_pass *p)
{
	struct cs_engine *e = p->e;

	p->queue = e->sm->queue.entry + e->sm->queue.begin;
	p->heard = p->known = false;
	p->awaits = NULL;
	cs_joinable_forget(p);
	if (cs_pass_plans(
		    p)) /* the answer may have freed a job of the plan's order */
		return cs_plan_update(p);
	cs_backfill_refresh(p);
	return 0;
}

/* The entries in the queue's order. */
static int walk_queue(struct cs_pass *p)
{
	bool plans = cs_pass_plans(p);
	int rc = 0;

	for (; !rc && !p->e->sm->closed && p->i < p->n && !is_over(p); p->i++) {
		struct cs_entry *entry = &p->queue[p->i];

		rc = cs_step(p->e, 1);
		if (rc)
			break;
		if ((p->ended && !in_a_row(p, entry)) ||
		    cs_pass_beyond(p, p->i)) {
			if (cs_waits(entry->job))
				cs_pass_verdict(p->e, entry->job,
						p->ended ? CS_WHY_ROUND
							 : CS_WHY_DEPTH);
			continue;
		}
		if (!cs_waits(entry->job))
			p->again = false;
		else
			rc = plans		   ? visit_planned(p, entry)
			     : is_seated(p, entry) ? visit_seated(p, entry)
						   : visit(p, entry);
		if (p->again)
			break;
		if (cs_pass_promised(p->e, entry->job))
			cs_pledge_note(p->e, entry->job);
		p->e->sm->closed = all_waited(p);
	}
	return rc;
}

/* Rule 8: those behind heads, once all of these are known. */
static int walk_passing(struct cs_pass *p)
{
	struct cs_engine *e = p->e;
	int rc = 0;

	if (!p->passes)
		cs_passing_sort(e);
	p->passes = true;
	while (!rc && !p->ended && !is_over(p) && cs_passing_next(e, &p->i)) {
		struct cs_entry *entry = &p->queue[p->i];

		rc = cs_step(e, 1);
		if (rc)
			break;
		p->before = cs_passing_before(e);
		if (!cs_waits(entry->job))
			p->again = false;
		else
			rc = visit(p, entry);
		if (p->again)
			break;
		cs_passing_tried(e);
	}
	return rc;
}

/* What is left of the walk? */
static bool is_left(const struct cs_pass *p)
{
	size_t at;

	if (p->e->sm->closed || p->ended)
		return false;
	return (!p->passes && p->i < p->n) || cs_passing_next(p->e, &at);
}

static int walk(struct cs_pass *p)
{
	int rc = p->passes ? 0 : walk_queue(p);
	bool done = p->passes || (!p->again && p->i >= p->n);

	return !rc && done && !p->e->sm->closed ? walk_passing(p) : rc;
}

/* One walk over the queue of the current slice machine, or the next part of it. */
static int pass(struct cs_engine *e)
{
	struct cs_pass *p = e->pass;
	int rc = 0;

	if (!p->open)
		rc = walk_begin(e);
	else if (p->heard)
		rc = walk_update(p);
	rc = rc ?: walk(p);
	p->open = !rc && is_over(p) && is_left(p);
	if (p->open)
		return 0;
	e->reservations += (uint32_t)p->heads->n;
	e->rescan = rc || p->ended || p->freer || p->unasked || p->beyond ||
		    p->answered || e->passing.last_job;
	cs_joinable_forget(p);
	if (!rc && !p->ended)
		cs_tell(e->order, walked, e);
	return rc;
}

/* One walk over the entries of a region. */
static int pass_region(struct cs_engine *e)
{
	int rc;

	cs_region_enter(e);
	rc = pass(e);
	cs_region_leave(e);
	return rc;
}

/* Rule 5: may the walk resume? */
static bool goes_on(struct cs_engine *e)
{
	const struct cs_queue *q = &e->sm->queue;
	size_t seen = q->sorted - q->begin, n = q->end - q->begin;
	int64_t depth = e->params.depth;

	return !e->rescan && !e->slice->decide && !e->timers && !e->n_held &&
	       (!depth || n <= (size_t)depth) && e->place->alone &&
	       !e->backfill->begin && seen && !cs_site_weighs(e) &&
	       cs_endings_hold(e) && cs_order_settle(e) >= seen;
}

/* The walk begins at the head of the queue. */
static void begin(struct cs_engine *e)
{
	e->walks++;
	e->turned_away = false;
	for (uint32_t i = 0; i < e->n_sm; i++) {
		cs_backfill_clear(&e->sms[i]);
		e->sms[i].closed = false;
	}
}

/* A decide begins, as of @now_us. */
static int decide_begin(struct cs_engine *e, int64_t now_us,
			const uint64_t *nodes)
{
	int rc;

	e->region.on = false; /* of a decide that failed */
	cs_slice_clock(e, now_us);
	cs_tell(e->order, clock, e);
	e->rescan |= cs_ask(e->order, refresh, false, e);
	e->decides++;
	e->steps = 0;
	e->resume_at = e->sm->queue.sorted - e->sm->queue.begin;
	if (nodes && cs_region_find(e, nodes)) {
		e->resume_at = 0;
	} else if (!goes_on(e)) {
		e->resume_at = 0;
		begin(e);
	}
	cs_sought_forget(&e->sm->heads);
	if (!e->region.on)
		e->reservations = 0;
	e->rescan = true; /* until a walk has completed */
	/* a job now eligible was awaited until now */
	if (e->timers)
		e->timers = cs_engine_timers(e);
	rc = cs_group_notes(e);
	return rc ?: cs_limit_notes(e);
}

/* It continues; after an answer as of @now_us. */
static void decide_continue(struct cs_engine *e, int64_t now_us)
{
	if (!e->pass->heard)
		return;
	cs_sought_forget(&e->sm->heads);
	cs_slice_clock(e, now_us);
	cs_tell(e->order, clock, e);
}

/* Has the walk ended after a pause that a record shows?  Without this end in the record
 * a replay takes the next decide for its next part. */
static bool ends_heard(const struct cs_pass *p)
{
	return !p->open && p->answered;
}

int cs_engine_decide_part(struct cs_engine *e, int64_t now_us,
			  const struct cs_decide_part *part,
			  struct cs_actions *ret)
{
	static const struct cs_slice_calls calls = {
		.walk = pass,
		.stop = cs_rest_stop,
		.go_on = cs_rest_go_on,
	};
	bool open = e->pass->open, about_part = false;
	int rc = 0;

	if (e->open && (!open || e->pass->heard))
		return -EBUSY;
	e->changes++;
	e->n_action = 0;
	e->changed = false;
	cs_effort_begin(&e->effort, part);
	if (open)
		decide_continue(e, now_us);
	else
		rc = decide_begin(e, now_us, part->nodes);
	if (!rc)
		about_part = e->region.on;
	if (!rc)
		rc = about_part ? pass_region(e)
				: cs_ask(e->slice, decide, pass(e), e, &calls);
	if (rc && e->effort.given_up)
		rc = -ECANCELED;
	/* a proposal once made stands: the host gets it */
	if (rc && e->n_action)
		rc = 0;
	*ret = (struct cs_actions){
		.n = rc ? 0 : e->n_action,
		.action = e->action,
		.changed = e->changed || (open && ends_heard(e->pass)),
		.more = e->pass->open,
		.part = about_part,
		.steps = e->effort.steps,
	};
	return rc;
}

int cs_engine_decide(struct cs_engine *e, int64_t now_us,
		     struct cs_actions *ret)
{
	static const struct cs_decide_part whole = { 0 };

	return cs_engine_decide_part(e, now_us, &whole, ret);
}
