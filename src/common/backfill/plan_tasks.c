/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array's tasks are planned together.
 *
 * Problem.  A task that starts leaves the next one of its array waiting, which needs a
 * promise; and where promises follow the queue (the order is not lasting), so do all
 * jobs behind it, whose places that promise may take.  If all promises were remade after
 * each start, as after any other change, an array of 15,000 tasks would cost 15,000
 * plans of the whole queue, each with a base of up to 15,000 started jobs.
 *
 * Symbols	C name
 *   J		array		the array whose tasks start, one after the other
 *   A, B	order[0 .. at - 1], order[at + 1 ..]	jobs promised before J, after it
 *   L		line		free cores beside started jobs and promises
 *   L_A	line while `ahead`	the same without the promises of B
 *
 * Rules.
 *  1. After the first start of J in a pass the plan is updated as ever (plan.c, rule 3).
 *     While only single tasks of J have started since, the rules below hold; where the
 *     order is not lasting also if all that started since took just what it was
 *     promised, class by class and until the same time.  After anything else the plan
 *     is updated.
 *  2. Lasting order: J is promised what is left in L.  No other promise moves.
 *  3. Else, if all starts were as promised and L has room for J now in the first class of
 *     its partition, it is promised that: B keeps its promises.  Otherwise these are put
 *     off, and J is promised what is left in L_A.
 *  4. B is then promised its starts again, in order, beside J's promise
 *     (cs_plan_settle()), as soon as a promise of B counts: before J's last task starts,
 *     once the next one must wait, and before a question whose answer depends on B.
 *  5. Does a start of J leave all promises?  While those of B are put off: if it takes, of
 *     each class, no more cores than J is promised now, and for no longer, it does,
 *     whatever B is promised.
 *  6. A job whose start is beyond the horizon (horizon.c) keeps nothing, so no line has
 *     it.  While B keeps its promises, its estimate stays what it was before the task,
 *     though the task may have taken the room.  Its R_est is made when a plan first finds
 *     it a start within the horizon: of the plans that are spared here one might have.
 *
 * Why this is what remaking everything would give, but for rule 6.
 *  - A job keeps its promise if the line before it has only lost, and what it is promised
 *     is still free: no instant that was too early has become possible.  It also gets the
 *     same cores of each class: it takes what there is, class by class, so that it took
 *     all of a class or all that it still needed, and both are still there.
 *  - So A keeps its promises: its lines lose what a task takes, and each start leaves all
 *     promises.  The line before J is then the base less A, which is L_A.
 *  - A start as promised changes no line.  Then B's lines only lose J's next promise; if
 *     that is in L, B keeps its own.  J would be promised the same in L_A, which has no
 *     less room: the same instant, now, and the same class, its first.
 *  - Promises of B put off between two starts of J are seen by nobody, by rule 4.
 *  - Rule 5: B has what J's promise leaves.
 * The plan is updated after each start where that is not so: where a task slows down
 * others that started in the same pass (the plan has their old ends), where the host's
 * test takes over a job, with a rule of sites (a job
 * gets those with most room), with so many reservations that only the first few changes
 * are examined (plan_promise.c), with reserved cores (counted in several classes), after
 * a refusal (it counts starts), and while a job in a reservation has no R_est yet.
 *
 * Example.  32 cores, J has 20 tasks, a job b of 16 cores is behind it.  At first b is
 * promised 16 cores now, beside one task.  When 16 tasks have started, b would have to
 * move; nobody asks, so it is looked for once, beside the last task: when the tasks end.
 *
 * Invariant: while `ahead`, J is promised a start now, and L_A lacks only B
 * (test_plan_tasks.c: against a plan remade after every start).
 * Cost: O(log jobs + log steps) a start while there is room for all; then O(steps of L_A),
 * and a plan of the jobs behind for each array of which a task must wait.
 */
#include "backfill/plan_parts.h"

#include "job/site_room.h"
#include "state/pass.h"

#define RESERVATIONS_MOST 3 /* of 2 changes each: fewer than CHANGES_MOST */

/* Could @j, which has never been promised a start, be promised one when others move?
 * Elsewhere room comes in the end, or never. */
static bool may_yet_fit(const struct cs_ejob *j)
{
	bool confined = j->job.reservation != 0;

	for (uint32_t o = 0; o < j->job.n_option; o++)
		confined |= j->job.option[o].reservation != 0;
	return confined && j->plan.start_us == CS_TIME_NONE && !j->est_us;
}

void cs_plan_remade(const struct cs_engine *e, struct cs_plan *p)
{
	p->exact = !e->order->lasting;
	for (size_t i = 0; p->exact && i < p->n_order; i++)
		p->exact = !may_yet_fit(p->order[i]);
	p->exact_seq = e->next_seq;
}

void cs_plan_took(const struct cs_engine *e, struct cs_plan *p,
		  const struct cs_release *r, uint32_t n, int64_t end)
{
	int64_t now = cs_sm_time(e, e->sm);

	p->exact &= end == p->due_end_us && e->next_seq == p->exact_seq + 1;
	for (uint32_t i = 0; i < n; i++)
		p->exact &= r[i].at_us == now;
	p->exact_seq = e->next_seq;
	p->due_end_us = INT64_MIN;
}

/* Is what remaking gives known without doing it? */
static bool is_plain(const struct cs_engine *e, const struct cs_plan *p,
		     const struct cs_ejob *j)
{
	return !e->sm->moved && !e->cuts && !cs_site_rules(e) && !j->refusals &&
	       (!p->at || e->n_held <= RESERVATIONS_MOST);
}

/* The place of @j in p->order, which goes by rank; n_order: it is not there. */
static size_t place_of(const struct cs_plan *p, const struct cs_ejob *j)
{
	size_t from = 0, to = p->n_order;

	while (from < to) {
		size_t i = from + (to - from) / 2;

		if (p->order[i]->plan.rank < j->plan.rank)
			from = i + 1;
		else
			to = i;
	}
	return from < p->n_order && p->order[from] == j ? from : p->n_order;
}

/* Rule 1: do the other rules hold for the next task of @j?  Where the order is not
 * lasting, the tasks that started before may be another array's. */
static bool goes_on(struct cs_engine *e, struct cs_plan *p,
		    const struct cs_ejob *j)
{
	bool same = p->array == j && e->next_seq == p->array_seq + 1;

	if (e->sm->stale || j->plan.turn_us == CS_TURN_QUEUE)
		return false;
	if (e->order->lasting)
		return same && !cs_plan_outlasted(e, p) && !cs_plan_long(e, p);
	if (!same && p->exact && e->next_seq == p->exact_seq) {
		p->at = place_of(p, j);
		p->array = p->at < p->n_order ? j : NULL;
		same = p->array != NULL;
	}
	return same && is_plain(e, p, j);
}

/* Tasks of @j begin to start, after an update. */
static void begin(const struct cs_engine *e, struct cs_plan *p,
		  const struct cs_ejob *j)
{
	size_t i = 0;

	while (i < p->n_order && p->order[i] != j)
		i++;
	p->at = i;
	p->array = i < p->n_order && (p->exact || e->order->lasting) ? j : NULL;
}

/* Rule 2. */
static int next_of_lasting(struct cs_engine *e, struct cs_plan *p,
			   struct cs_ejob *j)
{
	int rc = cs_plan_promise(e, p, p->line, j);

	e->changed = true;
	for (; p->at + 1 < p->n_order &&
	       cs_plan_by_promise(&p->order[p->at + 1], &p->order[p->at]) < 0;
	     p->at++) {
		p->order[p->at] = p->order[p->at + 1];
		p->order[p->at + 1] = j;
	}
	return rc;
}

/* Make p->line L_A. */
static int only_ahead(const struct cs_engine *e, struct cs_plan *p)
{
	int rc = cs_timeline_copy(p->line, p->base);

	for (size_t i = 0; !rc && i < p->at; i++) {
		const struct cs_planned *q = &p->order[i]->plan;

		if (q->start_us != CS_TIME_NONE)
			rc = cs_plan_add_all(e, p, p->line, q->start_us,
					     q->end_us, q->cores, 1);
	}
	p->ahead = !rc;
	return rc;
}

void cs_plan_settle(struct cs_engine *e)
{
	struct cs_plan *p = e->sm->plan;
	int rc = 0;

	if (!p || !p->ahead)
		return;
	p->ahead = false;
	for (size_t i = p->at + 1; !rc && i < p->n_order; i++)
		if (cs_waits(p->order[i]))
			rc = cs_plan_promise(e, p, p->line, p->order[i]);
	if (rc)
		e->sm->stale = true;
	p->exact = !rc;
}

/* Rule 3: would @j be promised a start now in p->line, with B in it, just as without? */
static bool leaves_behind(const struct cs_engine *e, struct cs_plan *p,
			  struct cs_ejob *j)
{
	const struct cs_classes *set = &p->set[j->job.option[0].nodeset];
	bool first_only = true;

	if (p->ahead || !p->exact || j->job.n_option > 1 || j->forecast ||
	    e->machine->topology || !set->n || e->n_held > RESERVATIONS_MOST ||
	    cs_plan_seek(e, p, p->line, j, p->what_if) > cs_sm_time(e, e->sm))
		return false;
	for (uint32_t c = 0; c < p->n_class; c++)
		first_only &= c == set->class[0] || !p->what_if[c];
	return first_only;
}

/* Rules 3 and 4. */
static int next_of_queue(struct cs_engine *e, struct cs_plan *p,
			 struct cs_ejob *j)
{
	int rc;

	p->left = false;
	if (leaves_behind(e, p, j))
		return cs_plan_promise(e, p, p->line, j);
	rc = p->ahead ? 0 : only_ahead(e, p);
	if (!rc)
		rc = cs_plan_promise(e, p, p->line, j);
	if (!rc &&
	    (j->job.tasks == 1 || j->plan.start_us > cs_sm_time(e, e->sm)))
		cs_plan_settle(e);
	return rc;
}

int cs_plan_next_task(struct cs_pass *pass, struct cs_ejob *j)
{
	struct cs_engine *e = pass->e;
	struct cs_plan *p = e->sm->plan;
	int rc;

	if (!goes_on(e, p, j)) {
		rc = cs_plan_update(pass);
		begin(e, p, j);
	} else {
		rc = e->order->lasting ? next_of_lasting(e, p, j)
				       : next_of_queue(e, p, j);
		if (rc)
			e->sm->stale = true;
	}
	p->array_seq = e->next_seq;
	return rc;
}

bool cs_plan_within_own(const struct cs_engine *e, const struct cs_plan *p,
			const struct cs_planned *q, const struct cs_release *r,
			uint32_t n, int64_t end)
{
	int32_t left[CS_PLAN_LINES];

	if (q->start_us > cs_sm_time(e, e->sm) || q->end_us < end)
		return false;
	for (uint32_t c = 0; c < p->n_line; c++)
		left[c] = -q->cores[c];
	for (uint32_t i = 0; i < n; i++)
		if (r[i].at_us < end && (left[r[i].class] -= r[i].cores) < 0)
			return false;
	return true;
}
