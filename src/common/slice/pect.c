/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scojo-PECT: coarse-grain time slices for short, medium and long jobs.
 *
 * Problem.  Long jobs keep short ones waiting for hours; low priorities do not help
 * once the long ones run.  Stopping jobs helps, if it is rare enough to be cheap and a
 * stopped job gets its nodes back.
 *
 * Symbols	C name			unit
 *   I		slice_cycle_s		s
 *   o		slice_overhead_s	s, at the beginning of each slice
 *   s		slice_medium		1, share of the medium jobs
 *
 * Rules.
 *  1. A job is short, medium or long by its estimate.  Each class has the whole machine
 *     to itself, as its slice machine, during its slice; that machine's clock
 *     (cs_sm_time) advances only then.
 *  2. Intervals of I begin at multiples of I on the host's clock: first a short slice,
 *     if short jobs wait that may start in it (not those that are held, not yet eligible
 *     or of a campaign that must wait); of the rest, the part s for medium jobs and the
 *     remainder for long ones (slice_shares.c).
 *  3. At the end of a slice every running job is stopped.  For the first o of the next
 *     slice no job runs; then the jobs of its class resume, on their nodes and cores.
 *     With slice_stop=needed, jobs whose nodes no stopped job of the next class needs
 *     keep running, also through the overhead; rule 4 then applies to them.
 *  4. Non-type slice backfilling: on nodes that the slice's own jobs leave idle, stopped
 *     jobs of other classes resume, groups as a whole; then waiting ones start if their
 *     own slice machine allows.  They are stopped as soon as a job of the slice starts
 *     on their nodes, and at the end of the slice.  A start or resume there in the same
 *     decide depends on that stop.  Each stop of a decide depends on the one before it,
 *     so the last one that a job depends on stands for all earlier ones; a refused stop
 *     cancels those after it.
 *  5. While nodes settle after a job and a job of the slice waits, no other resumes or
 *     starts by rule 4: it would be stopped a moment later, and that not before
 *     slice_rest_s is over; in a slice, for slice_rest_s at most, so that others are not
 *     kept out where some node always settles.  A node settles if the host keeps it from
 *     all jobs until at most slice_rest_s from now.
 *  6. If the host waits g = slice_guard_s after a stop, the jobs of the slice resume
 *     and start g before the overhead ends where jobs of others still run
 *     (slice_stop=needed): these are stopped then, so that the host's pause ends with
 *     the overhead instead of beginning there.
 *  7. Waiting jobs are planned on their own slice machine (plan.c), where slices are
 *     invisible.
 *  8. A new engine on a host that ran before derives the slice from the clock; running
 *     jobs continue, stopped ones resume by rules 3 and 4. If any is stopped, the
 *     interval is taken for one with a short slice: the other slices are then where
 *     they were, or later, and no class misses one in which it has not run yet.
 *
 *  9. No medium or long job starts that would be stopped sooner than g + slice_rest_s
 *     from now: with slice_stop=all in the last seconds of a slice; with `needed` there on
 *     nodes of started jobs of the next slice, and anywhere if a job waits for that which
 *     has others stopped so soon by rule 6.  Nor does one resume by rule 4.  With `needed`
 *     one of the next slice's class may: it runs on.  In a slice that serves less than twice
 *     that time, it is half of what it serves.  A short job may be done by then, and waits
 *     long for its next slice: it starts at any time.
 *
 *	nodes	|MMMMMMM   |LLLLLLLLLLLLLL|	M in its slice, l backfilled;
 *		|MMMM   lll|LLLLLLL   mmmm|	all stop at the bars
 *		+----------+--------------+---- time
 *		o          o              o
 *
 * Source: Zeng09 (see slowdown.h), section 4.7, on Esbaugh and Sodan, Coarse-Grain Time
 * Slicing with Resource-Share Control in Parallel-Job Scheduling, HPCC 2007
 * ("Scojo-PECT"); shares, interval and overhead of Zeng09, section 5.1.
 *
 * Differs.
 *  1. The short slice has a fixed length, including its overhead, and exists only if a
 *     short job waits at the beginning of an interval.
 *  2. Every slice has its overhead, even for jobs that could run on across it (as in
 *     the paper, footnote 3), except with slice_stop=needed.
 *
 * Invariants: running jobs of different classes share no node (class_nodes.c); a
 * stopped job holds its nodes on its slice machine.
 *
 * Cost: O(started jobs) at the ends of slices, in each pass, and for each start or
 * resume in a decide that stops others; O(members) for each member of a group that may
 * be stopped or resumed, its square for a group that is.
 */
#include "slice/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "job/eligible.h"
#include "job/group.h"
#include "job/progress.h"
#include "state/jobtable.h"
#include "slice/class_nodes.h"
#include "slice/slice_shares.h"
#include "state/state.h"

static int init(struct cs_engine *e)
{
	uint32_t nodes = e->machine->n_node, words = cs_node_words(e->machine);
	struct cs_slices *s = calloc(1, sizeof(*s));

	e->slices = s;
	e->stuck = calloc(words, sizeof(*e->stuck));
	if (!s || !e->stuck || cs_slice_shares_init(e))
		return -ENOMEM;
	s->class = CS_CLASSES;
	s->settle_from_us = CS_TIME_NONE;
	s->crowd = calloc(nodes, sizeof(*s->crowd));
	if (!s->crowd)
		return -ENOMEM;
	for (uint32_t c = 0; c < CS_CLASSES; c++) {
		s->busy[c] = calloc(nodes, sizeof(*s->busy[c]));
		s->usable[c] = calloc(words, sizeof(*s->usable[c]));
		if (!s->busy[c] || !s->usable[c])
			return -ENOMEM;
		for (uint32_t n = 0; n < nodes; n++)
			cs_bit_set(s->usable[c], n);
		e->sms[c].now.crowd = s->crowd;
		e->sms[c].usable = s->usable[c];
		e->sms[c].guest = true;
		e->sms[c].serves_us = CS_TIME_NONE;
	}
	return 0;
}

static void done(struct cs_engine *e)
{
	free(e->stuck);
	if (!e->slices)
		return;
	cs_slice_shares_done(e);
	free(e->slices->crowd);
	for (uint32_t c = 0; c < CS_CLASSES; c++) {
		free(e->slices->busy[c]);
		free(e->slices->usable[c]);
	}
	free(e->slices);
}

static int copy(struct cs_engine *to, const struct cs_engine *from)
{
	uint32_t nodes = to->machine->n_node;
	size_t words = cs_node_words(to->machine);
	const struct cs_slices *was = from->slices;
	struct cs_slices *s = to->slices, own = *s;

	*s = *was;
	s->day = own.day;
	s->crowd = own.crowd;
	memcpy(s->crowd, was->crowd, nodes * sizeof(*s->crowd));
	memcpy(to->stuck, from->stuck, words * sizeof(*to->stuck));
	for (uint32_t c = 0; c < CS_CLASSES; c++) {
		s->busy[c] = own.busy[c];
		s->usable[c] = own.usable[c];
		memcpy(s->busy[c], was->busy[c], nodes * sizeof(*s->busy[c]));
		memcpy(s->usable[c], was->usable[c],
		       words * sizeof(*s->usable[c]));
	}
	return 0;
}

/* The clock of the class being served advances with the host's. */
static void on_clock(struct cs_engine *e, int64_t from_us)
{
	for (uint32_t i = 0; i < e->n_sm; i++) {
		struct cs_slice_machine *sm = &e->sms[i];
		int64_t served = 0;

		if (e->now_us > sm->serves_us)
			served = e->now_us - (from_us > sm->serves_us
						      ? from_us
						      : sm->serves_us);
		sm->ahead_us -= e->now_us - from_us - served;
	}
}

/* Intervals. */

/* Could @j start before @until_us, in one of its partitions? */
static bool may_come(const struct cs_engine *e, struct cs_ejob *j,
		     int64_t until_us)
{
	for (uint32_t k = 0; k < j->job.n_option; k++) {
		const struct cs_entry entry = { j, k };
		enum cs_why why = cs_eligible_why_not(e, &entry);

		if (why == CS_WHY_BEGIN
			    ? j->job.eligible_us < until_us
			    : why != CS_WHY_BLOCKED && why != CS_WHY_VIRTUAL)
			return true;
	}
	return false;
}

/* Is there a job of @class that waits and could start before @until_us? */
static bool comes(const struct cs_engine *e, uint32_t class, int64_t until_us)
{
	for (size_t i = 0; i < e->waiting.n; i++)
		if (e->waiting.job[i]->class == class &&
		    cs_waits(e->waiting.job[i]) &&
		    may_come(e, e->waiting.job[i], until_us))
			return true;
	return false;
}

/* ... a short one, or one that is stopped, or (@runs) that runs? */
static bool short_there(const struct cs_engine *e, int64_t until_us, bool runs)
{
	if (comes(e, CS_CLASS_SHORT, until_us))
		return true;
	for (size_t i = 0; i < e->started.n; i++)
		if (e->started.job[i]->class == CS_CLASS_SHORT &&
		    (runs || e->started.job[i]->state == CS_STOPPED))
			return true;
	return false;
}

/* Rule 8: is this the first slice of a new engine, on a host that has stopped jobs? */
static bool goes_on_with(const struct cs_engine *e)
{
	if (e->slices->class != CS_CLASSES)
		return false;
	for (size_t i = 0; i < e->started.n; i++)
		if (e->started.job[i]->state == CS_STOPPED)
			return true;
	return false;
}

/* Rule 2: which slice begins now, at the end of the last one? */
static void next_slice(struct cs_engine *e)
{
	struct cs_slices *s = e->slices;
	int64_t I = cs_slice_interval_us(e);
	int64_t begin = e->now_us / I * I, from, rest;
	int64_t short_us = e->params.slice_short_s * CS_SECOND_US;
	bool goes_on = goes_on_with(e);

	/* the host may notice the end of an interval late */
	if ((e->now_us == begin || s->end_us == begin || goes_on) &&
	    e->now_us < begin + short_us &&
	    short_there(e, begin + short_us, goes_on)) {
		s->class = CS_CLASS_SHORT;
		from = begin;
		s->share = cs_slice_shares_medium(e, begin);
		s->end_us = s->period_us = begin + short_us;
	} else {
		if (s->period_us < begin || s->period_us > e->now_us ||
		    s->share <= 0) {
			s->period_us = begin;
			if (goes_on && e->now_us >= begin + short_us)
				s->period_us += short_us;
			s->share = cs_slice_shares_medium(e, begin);
		}
		rest = begin + I - s->period_us;
		s->end_us = s->period_us + (int64_t)(s->share * (double)rest);
		s->class = CS_CLASS_MEDIUM;
		from = s->period_us;
		if (e->now_us >= s->end_us) {
			s->class = CS_CLASS_LONG;
			from = s->end_us;
			s->end_us = begin + I;
		}
	}
	s->serve_us = from + e->params.slice_overhead_s * CS_SECOND_US;
	for (uint32_t i = 0; i < e->n_sm; i++) {
		e->sms[i].guest = i != s->class;
		e->sms[i].serves_us =
			i == s->class ? s->serve_us : CS_TIME_NONE;
	}
	s->settle_from_us = CS_TIME_NONE;
	s->settle_us = e->params.slice_rest_s * CS_SECOND_US;
}

/* It is stopped, or runs, from now on. */
static void is_now(struct cs_engine *e, struct cs_ejob *j, enum cs_state state)
{
	cs_progress_bring(j, e->now_us);
	if (state == CS_STOPPED) {
		cs_slice_leaves(e, j);
		cs_sm_of(e, j)->stale |= !cs_sm_serves(e, cs_sm_of(e, j));
	} else {
		cs_slice_enters(e, j);
	}
	cs_jobtable_move(e, j, state);
	cs_speed_note(e, j);
}

/* Stop or resume a job: proposed, and assumed done unless refused. */
static int ask_for(struct cs_engine *e, struct cs_ejob *j,
		   enum cs_action_type type)
{
	if (!cs_slice_ask(e, j, type))
		return -ENOMEM;
	is_now(e, j, type == CS_ACT_SUSPEND ? CS_STOPPED : CS_RUNNING);
	return 0;
}

static void moved(struct cs_engine *e, struct cs_ejob *j, bool stopped)
{
	is_now(e, j, stopped ? CS_STOPPED : CS_RUNNING);
	if (!stopped)
		cs_slice_host_put(e->slices, j);
	j->retry_us = e->now_us + e->params.slice_rest_s * CS_SECOND_US;
}

static void refused(struct cs_engine *e, struct cs_ejob *j)
{
	is_now(e, j, j->state == CS_STOPPED ? CS_RUNNING : CS_STOPPED);
	if (j->state == CS_RUNNING) /* beside one of another class, it may be */
		cs_slice_host_put(e->slices, j);
	j->retry_us = e->now_us + e->params.retry_s * CS_SECOND_US;
}

static bool meets(const struct cs_ejob *j, const uint64_t *nodes)
{
	for (uint32_t i = 0; i < j->alloc->n_node; i++)
		if (cs_bit(nodes, j->alloc->node[i].node))
			return true;
	return false;
}

/* The member of @j's group next after @x in e->started (NULL: the first): members are
 * asked in the order of all jobs. */
static struct cs_ejob *behind(struct cs_ejob *j, const struct cs_ejob *x)
{
	struct cs_ejob *first = NULL;

	for (struct cs_ejob *y = j; y; y = cs_group_next(j, y))
		if ((!x || y->pos > x->pos) && (!first || y->pos < first->pos))
			first = y;
	return first;
}

/* Stop @j and the rest of its group; each stop depends on the one before. */
static int stop_whole(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_ejob *x = NULL;
	int rc = 0;

	while (!rc && (x = behind(j, x))) {
		if (x->state != CS_RUNNING || !cs_slice_may_ask(e, x))
			continue;
		rc = ask_for(e, x, CS_ACT_SUSPEND);
		if (rc)
			break;
		e->action[e->n_action - 1].needs = e->slices->last_stop;
		e->slices->last_stop = x->seq;
	}
	return rc;
}

/* The nodes of @a, into e->mask2. */
static void only_of(const struct cs_engine *e, const struct cs_alloc *a)
{
	memset(e->mask2, 0, cs_node_words(e->machine) * sizeof(*e->mask2));
	cs_alloc_mark(a, e->mask2);
}

/* The last of this decide's stops on the nodes of @a; 0: none. */
static uint32_t stopped_on(const struct cs_engine *e, const struct cs_alloc *a)
{
	uint32_t last = 0;

	if (!e->slices->last_stop)
		return 0;
	only_of(e, a);
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		if (j->state == CS_STOPPED && j->seq > last &&
		    meets(j, e->mask2))
			last = j->seq;
	}
	return last;
}

static int clear(struct cs_engine *e, const struct cs_alloc *a,
		 uint32_t *ret_needs)
{
	struct cs_slices *s = e->slices;
	uint32_t before = s->last_stop;
	bool any = false;
	int rc = 0;

	*ret_needs = 0;
	for (uint32_t i = 0; !e->guests && i < a->n_node; i++)
		any |= cs_slice_busy_on(s, a->node[i].node) != 0;
	if (any)
		only_of(e, a);
	for (size_t i = 0; any && !rc && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		if (j->class != s->class && j->state == CS_RUNNING &&
		    meets(j, e->mask2))
			rc = stop_whole(e, j);
	}
	*ret_needs = s->last_stop != before ? s->last_stop : stopped_on(e, a);
	return rc;
}

/* Slices. */

/* The nodes of stopped jobs of the slice that begins, into e->mask2. */
static void wanted(struct cs_engine *e)
{
	memset(e->mask2, 0, cs_node_words(e->machine) * sizeof(*e->mask2));
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		if (j->state == CS_STOPPED && j->class == e->slices->class)
			cs_alloc_mark(j->alloc, e->mask2);
	}
}

/* Rule 3: stop jobs that do not continue in the slice that begins. */
static int stop_all(struct cs_engine *e)
{
	bool all = e->params.slice_stop == CS_SLICE_STOP_ALL;
	int rc = 0;

	if (!all)
		wanted(e);
	for (size_t i = 0; !rc && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		if (j->state == CS_RUNNING && cs_slice_may_ask(e, j) &&
		    (all ||
		     (j->class != e->slices->class && meets(j, e->mask2))))
			rc = all ? ask_for(e, j, CS_ACT_SUSPEND)
				 : stop_whole(e, j);
	}
	return rc;
}

/* Nodes of jobs that the host has not stopped. */
static void find_stuck(struct cs_engine *e)
{
	memset(e->stuck, 0, cs_node_words(e->machine) * sizeof(*e->stuck));
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		if (j->state == CS_RUNNING && j->class != e->slices->class &&
		    !cs_slice_may_ask(e, j))
			cs_alloc_mark(j->alloc, e->stuck);
	}
}

/* Rule 9: what a job must have at least. */
static int64_t least_us(const struct cs_engine *e)
{
	int64_t least_s = e->params.slice_guard_s + e->params.slice_rest_s;
	int64_t half_us = (e->slices->end_us - e->slices->serve_us) / 2;

	return least_s * CS_SECOND_US < half_us ? least_s * CS_SECOND_US
						: half_us;
}

/* Rule 9: the class of the slice after this one, if this one ends so soon; CS_CLASSES:
 * it does not. */
static uint32_t comes_soon(const struct cs_engine *e)
{
	const struct cs_slices *s = e->slices;
	int64_t short_us = e->params.slice_short_s * CS_SECOND_US;

	if (s->end_us - e->now_us >= least_us(e))
		return CS_CLASSES;
	if (s->class == CS_CLASS_SHORT)
		return CS_CLASS_MEDIUM;
	if (s->class == CS_CLASS_MEDIUM)
		return CS_CLASS_LONG;
	return short_us && short_there(e, s->end_us + short_us, false)
		       ? CS_CLASS_SHORT
		       : CS_CLASS_MEDIUM;
}

/* Rule 9: does a job of @class run on if the slice of @next comes soon? */
static bool runs_on(const struct cs_engine *e, uint32_t class, uint32_t next)
{
	return next == CS_CLASSES || class == CS_CLASS_SHORT ||
	       (class == next && e->params.slice_stop == CS_SLICE_STOP_NEEDED);
}

/* Rule 9: may none of @class start, on whatever nodes? */
static bool too_late(const struct cs_engine *e, uint32_t class, uint32_t next)
{
	int64_t guard_us = e->params.slice_guard_s * CS_SECOND_US, serves_us;

	if (runs_on(e, class, next))
		return false;
	serves_us =
		e->slices->end_us + e->params.slice_overhead_s * CS_SECOND_US;
	return e->params.slice_stop == CS_SLICE_STOP_ALL ||
	       (serves_us - guard_us - e->now_us < least_us(e) &&
		comes(e, next, serves_us));
}

/* Rule 9: add the nodes where none may. */
static void avoid(struct cs_engine *e, uint32_t class, uint32_t next)
{
	if (runs_on(e, class, next))
		return;
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		if (j->class == next &&
		    (j->state == CS_STOPPED || j->state == CS_RUNNING))
			cs_alloc_mark(j->alloc, e->stuck);
	}
}

static bool all_usable(const struct cs_engine *e, const struct cs_ejob *j)
{
	for (uint32_t i = 0; i < j->alloc->n_node; i++)
		if (!cs_bit(e->slices->usable[j->class],
			    j->alloc->node[i].node))
			return false;
	return true;
}

/* Could @j and all of its group resume if the other jobs there were stopped? */
static bool could_go_on(const struct cs_engine *e, const struct cs_ejob *j)
{
	for (const struct cs_ejob *x = j; x; x = cs_group_next(j, x))
		if (x->state == CS_STOPPED &&
		    (!cs_slice_may_ask(e, x) || meets(x, e->stuck)))
			return false;
	return true;
}

/* Could @j and all of its group resume now? */
static bool whole_usable(const struct cs_engine *e, const struct cs_ejob *j)
{
	for (const struct cs_ejob *x = j; x; x = cs_group_next(j, x))
		if (x->state == CS_STOPPED &&
		    (!cs_slice_may_ask(e, x) || !all_usable(e, x)))
			return false;
	return true;
}

static int by_start(const void *x, const void *y)
{
	const struct cs_ejob *a = *(struct cs_ejob *const *)x;
	const struct cs_ejob *b = *(struct cs_ejob *const *)y;

	if (a->start_us != b->start_us)
		return a->start_us < b->start_us ? -1 : 1;
	return cs_ejob_cmp(a, b);
}

static int go_on_one(struct cs_engine *e, struct cs_ejob *j, uint32_t needs)
{
	int rc = ask_for(e, j, CS_ACT_RESUME);

	if (!rc)
		e->action[e->n_action - 1].needs = needs;
	return rc;
}

static int go_on_whole(struct cs_engine *e, struct cs_ejob *j)
{
	uint32_t needs = 0;
	struct cs_ejob *x;
	int rc;

	for (x = j; x; x = cs_group_next(j, x)) {
		uint32_t own = stopped_on(e, x->alloc);

		needs = own > needs ? own : needs;
	}
	rc = go_on_one(e, j, needs);
	while (!rc && (x = behind(j, x)))
		if (x->state == CS_STOPPED)
			rc = go_on_one(e, x, needs);
	return rc;
}

/* Resume jobs of the slice; jobs of other classes still on their nodes are stopped
 * first: then *ret_stops, and no other job may have those nodes. */
static int go_on(struct cs_engine *e, bool *ret_stops)
{
	int rc = 0;

	*ret_stops = false;
	for (size_t i = 0; !rc && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];
		uint32_t needs;

		if (j->state != CS_STOPPED || j->class != e->slices->class ||
		    !could_go_on(e, j))
			continue;
		rc = clear(e, j->alloc, &needs);
		*ret_stops |= needs != 0;
		if (!rc && !needs && whole_usable(e, j))
			rc = go_on_whole(e, j);
	}
	return rc;
}

/* Do @j and its group stand on none of the nodes @stuck? */
static bool off_stuck(const struct cs_engine *e, const struct cs_ejob *j)
{
	for (const struct cs_ejob *x = j; x; x = cs_group_next(j, x))
		if (meets(x, e->stuck))
			return false;
	return true;
}

/* Rule 4: stopped jobs of class @class, the earliest started first. */
static int backfill_stopped(struct cs_engine *e, uint32_t class)
{
	struct cs_ejob **j = e->scratch.job;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < e->started.n; i++)
		if (e->started.job[i]->class == class &&
		    e->started.job[i]->state == CS_STOPPED)
			j[n++] = e->started.job[i];
	cs_sort(j, n, sizeof(struct cs_ejob *), by_start);
	for (size_t i = 0; !rc && i < n; i++)
		if (j[i]->state == CS_STOPPED && whole_usable(e, j[i]) &&
		    off_stuck(e, j[i]))
			rc = go_on_whole(e, j[i]);
	return rc;
}

/* The nodes that guests of @class must avoid beside those that are not `usable`: no job
 * is stopped for them. */
static void avoid_only(struct cs_engine *e, uint32_t class, uint32_t next)
{
	memset(e->stuck, 0, cs_node_words(e->machine) * sizeof(*e->stuck));
	avoid(e, class, next);
}

/* Short jobs end soonest; long ones wait longest for their next slice. */
static int others(struct cs_engine *e, uint32_t next,
		  int (*walk)(struct cs_engine *e))
{
	static const uint32_t turns[CS_CLASSES] = { CS_CLASS_SHORT,
						    CS_CLASS_LONG,
						    CS_CLASS_MEDIUM };
	struct cs_slices *s = e->slices;
	int rc = 0;

	e->guests = true;
	for (uint32_t i = 0; !rc && i < CS_CLASSES; i++) {
		if (turns[i] == s->class || too_late(e, turns[i], next))
			continue;
		avoid_only(e, turns[i], next);
		rc = backfill_stopped(e, turns[i]);
	}
	for (uint32_t i = 0; !rc && i < CS_CLASSES; i++) {
		if (turns[i] == s->class || too_late(e, turns[i], next))
			continue;
		avoid_only(e, turns[i], next);
		e->sm = &e->sms[turns[i]];
		rc = walk(e);
	}
	e->guests = false;
	return rc;
}

static bool class_waits(const struct cs_engine *e)
{
	for (size_t i = 0; i < e->waiting.n; i++)
		if (e->waiting.job[i]->class == e->slices->class &&
		    cs_waits(e->waiting.job[i]))
			return true;
	return false;
}

static bool node_settles(const struct cs_engine *e)
{
	int64_t until_us = e->now_us + e->params.slice_rest_s * CS_SECOND_US;

	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];

		if ((r->flags & CS_RESV_ALL) && r->start_us <= e->now_us &&
		    r->end_us > e->now_us && r->end_us <= until_us)
			return true;
	}
	return false;
}

/* Rule 5: do others wait for nodes that settle? */
static bool others_wait(struct cs_engine *e)
{
	struct cs_slices *s = e->slices;

	if (s->settle_from_us != CS_TIME_NONE)
		s->settle_us -= e->now_us - s->settle_from_us;
	s->settle_from_us = CS_TIME_NONE;
	if (s->settle_us <= 0 || !node_settles(e) || !class_waits(e))
		return false;
	s->settle_from_us = e->now_us;
	return true;
}

static int turn(struct cs_engine *e)
{
	bool first = e->slices->class == CS_CLASSES;
	bool needed = e->params.slice_stop == CS_SLICE_STOP_NEEDED;
	struct cs_action *a;
	int rc = 0;

	/* a job stopped first calls for a short slice; with `needed` none is stopped
	 * before the next slice is known, and a running short job keeps running */
	if (first || needed)
		next_slice(e);
	if (!first)
		rc = stop_all(e);
	if (rc)
		return rc;
	if (!first && !needed)
		next_slice(e);
	a = cs_engine_action(e, CS_ACT_SLICE);
	if (!a)
		return -ENOMEM;
	a->slice = e->slices->class;
	a->until_us = e->slices->end_us;
	return 0;
}

/* Do jobs of other classes run? */
static bool others_run(const struct cs_engine *e)
{
	for (size_t i = 0; i < e->started.n; i++)
		if (e->started.job[i]->state == CS_RUNNING &&
		    e->started.job[i]->class != e->slices->class)
			return true;
	return false;
}

/* Rule 6: when jobs resume and start in this slice. */
static int64_t acts_us(const struct cs_engine *e)
{
	bool needed = e->params.slice_stop == CS_SLICE_STOP_NEEDED;
	int64_t guard_us = e->params.slice_guard_s * CS_SECOND_US;

	return e->slices->serve_us -
	       (needed && guard_us && others_run(e) ? guard_us : 0);
}

static int run(struct cs_engine *e, int (*walk)(struct cs_engine *e))
{
	struct cs_slices *s = e->slices;
	uint32_t next;
	bool stops;
	int rc = 0;

	s->last_stop = 0;
	if ((s->class == CS_CLASSES || e->now_us >= s->end_us) &&
	    e->waiting.n + e->started.n)
		rc = turn(e);
	/* a job asked to stop cannot be asked to resume before it has stopped */
	if (rc || e->open || s->class == CS_CLASSES || e->now_us < acts_us(e) ||
	    e->now_us >= s->end_us)
		return rc;
	find_stuck(e);
	rc = go_on(e, &stops);
	if (rc || stops)
		return rc;
	next = comes_soon(e);
	e->sm = &e->sms[s->class];
	if (!too_late(e, s->class, next)) {
		avoid(e, s->class, next);
		rc = walk(e);
	}
	if (rc || e->now_us < s->serve_us || others_wait(e))
		return rc;
	return others(e, next, walk);
}

/* If stops take time, all stops of a decide precede the actions that depend on them. */
static int stops_first(struct cs_engine *e)
{
	size_t n = e->n_action, stops = 0, others = 0;
	int rc = e->params.slice_guard_s ? cs_actions_reserve(e, n) : 0;
	struct cs_action *a = e->action;

	if (rc || !n || !e->params.slice_guard_s)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (a[i].type == CS_ACT_SUSPEND)
			a[stops++] = a[i];
		else
			a[n + others++] = a[i];
	memcpy(a + stops, a + n, others * sizeof(*a));
	return 0;
}

static int64_t again_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_slices *s = e->slices;
	struct cs_slice_now now;

	if (s->class == j->class && e->now_us < s->end_us)
		return e->now_us < s->serve_us ? s->serve_us : e->now_us;
	return cs_slice_now(e, &now) ? CS_TIME_NONE : now.next_us[j->class];
}

static int decide(struct cs_engine *e, const struct cs_slice_calls *c)
{
	int rc = run(e, c->walk);

	return rc ? rc : stops_first(e);
}

static int64_t wakeup_us(const struct cs_engine *e)
{
	const struct cs_slices *s = e->slices;
	int64_t next;

	if (s->class == CS_CLASSES || !(e->waiting.n + e->started.n))
		return CS_TIME_NONE;
	next = e->now_us < acts_us(e)	 ? acts_us(e)
	       : e->now_us < s->serve_us ? s->serve_us
					 : s->end_us;
	if (s->settle_from_us != CS_TIME_NONE &&
	    s->settle_from_us + s->settle_us < next)
		next = s->settle_from_us + s->settle_us;
	for (size_t i = 0; i < e->started.n; i++) {
		int64_t retry = cs_slice_rested_us(e, e->started.job[i]);

		if (retry > e->now_us && retry < next)
			next = retry;
	}
	return next;
}

static void use(const struct cs_engine *e, struct cs_engine_use *ret)
{
	ret->cores = e->slices->cores;
	ret->nodes = e->slices->nodes;
}

const struct cs_slice_ops cs_slice_pect = {
	.n_sm = CS_CLASSES,
	.stops = true,
	.init = init,
	.done = done,
	.copy = copy,
	.clock = on_clock,
	.booked = cs_slice_booked,
	.enters = cs_slice_enters,
	.leaves = cs_slice_leaves,
	.clear = clear,
	.moved = moved,
	.refused = refused,
	.decide = decide,
	.wall_us = cs_slice_wall_us,
	.now = cs_slice_now,
	.again_us = again_us,
	.until_us = cs_slice_until_us,
	.wakeup_us = wakeup_us,
	.use = use,
	.check = cs_slice_check,
};
