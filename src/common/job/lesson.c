/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine learns: it records which jobs ran beside which for how long, and from the
 * results which may share.
 *
 * Rules.
 *  1. A job without neighbours that has all cores of its nodes, or as many as it can
 *     use of a single one, runs alone on full nodes; one that has only some of them is
 *     spread.  Suspended jobs are no neighbours.
 *  2. With neighbours of several kinds at a time, only the one that costs it most
 *     counts, by what is known, else the one on most of its nodes: the slowest node
 *     holds up all (slowdown.h).  A run with more than KINDS of them is ignored.
 *  3. A job that failed or was ended (cs_event.failed; where an older log lacks that: by
 *     its limit) is ignored, as its full time is unknown; so is one that ran before us,
 *     as its neighbours are, unless they were saved (lesson_keep.c), or it began at
 *     most AWAY before: a host that starts jobs by itself is not asked at once (mode
 *     shadow), and who is there then counts as if since the start.  Its neighbours'
 *     runs count.  A job whose size was changed is ignored, too.  The run of one that
 *     begins after its start (CS_EV_BEGIN) counts from there; if that is more than AWAY
 *     later, its neighbours had a job beside them that did not run, and are ignored.
 *  4. learn=use: the table applies to pairs that the profile file leaves open, of jobs
 *     that fill a node.  Smaller jobs are packed by core as ever, but recorded.
 *     learn=propose: the table is built, but decides nothing.
 *  5. Trials: two jobs that may not share by what is known may start beside each other
 *     nevertheless, if
 *     a. both accounts are in learn_accounts,
 *     b. the time alone of both is known, so that the trial yields a measurement,
 *     c. by the optimistic guess they slow each other by at most max_slowdown,
 *     d. neither has completed more than LATE of its estimate,
 *     e. there is credit: it grows by learn_explore of the running jobs' time and
 *        shrinks by the time of jobs in trials.  At any time at most twice that
 *        fraction of the jobs, or one pair, are in trials.
 *     A job may start spread and alone (cover.c, rule 3) if that is expected to pay and
 *     slows it by at most max_slowdown at 95 %; as a trial, if it pays by the
 *     optimistic guess.
 *  6. The limits of a pair are raised by its bound, or by unknown_pair if there is
 *     none; a job whose limit cannot be raised so far is not tried (cover.c,
 *     cover_join.c).
 *  7. A new table changes which jobs may share and at what cost: running jobs' limits
 *     are updated.
 *
 *  8. A run that took longer beside its neighbour than the promise to it allows
 *     (admission.c, rule 6) is counted, and at once, before the next table, the pair is
 *     admitted no longer.  Trials were promised nothing, and packed jobs neither; of two who slow
 *     each other so, the first to end counts.
 *
 * Known weakness: a job that gives up with exit status 0 looks like a short one.  Most
 * are left out (admission.c, rule 2); the median and robust weights tolerate some others.
 *
 * Cost: rule 2 at each change on a node, like progress.c; a table as in admission.h,
 * after every eighth run or less often.
 */
#include "job/lesson.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "job/match.h"
#include "job/progress.h"
#include "learn/real.h"
#include "model/layout.h"
#include "model/shape.h"

#define KINDS 8
#define LATE .8
#define CREDIT_MAX 86400e6
#define PAYS .02 /* least gain for which to spread */
#define AWAY INT64_C(10000000)
#define CUT .98 /* of its limit: a run of that length was ended by it */

/* ---- life ---------------------------------------------------------------- */

/* A hash of the set of node types, whatever their order and counts.  Nodes of one core,
 * which nobody shares, say nothing; nor do vacant ones. */
static uint64_t machine_number(const struct cs_machine *m)
{
	uint64_t sum = 0, last = 0;

	for (uint32_t n = 0; n < m->n_node; n++) {
		const struct cs_node *x = &m->node[n];
		uint64_t type = cs_rng_hash(
			cs_rng_hash(
				cs_rng_hash(x->sockets, x->cores_per_socket),
				x->threads),
			1);
		bool seen = type == last || cs_node_cores(x) < 2;

		for (uint32_t k = 0; !seen && k < n; k++)
			seen = !memcmp(&m->node[k].sockets, &x->sockets,
				       sizeof(x->sockets)) &&
			       m->node[k].cores_per_socket ==
				       x->cores_per_socket &&
			       m->node[k].threads == x->threads;
		sum += seen ? 0 : type;
		last = type;
	}
	return sum;
}

int cs_lesson_init(struct cs_engine *e)
{
	struct cs_lessons *l;

	if (e->params.learn == CS_LEARN_OFF)
		return 0;
	l = e->lessons = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->past = cs_past_create(machine_number(e->machine),
				 e->params.learn_half_life_d * 86400 *
					 INT64_C(1000000));
	l->admission = cs_admission_create(CS_ADMISSION_LEVEL);
	if (!l->past || !l->admission)
		return -ENOMEM;
	l->past->least_us = e->params.learn_least_s * INT64_C(1000000);
	if (e->params.learn == CS_LEARN_USE)
		e->model.learned = cs_admission_table(l->admission);
	return 0;
}

struct cs_past *cs_lesson_past(const struct cs_engine *e)
{
	e->lessons->past->machine = machine_number(e->machine);
	return e->lessons->past;
}

void cs_lesson_done(struct cs_engine *e)
{
	if (!e->lessons)
		return;
	cs_past_free(e->lessons->past);
	cs_admission_free(e->lessons->admission);
	free(e->lessons->trail);
	free(e->lessons);
	e->lessons = NULL;
}

void cs_lesson_clock(struct cs_engine *e)
{
	struct cs_lessons *l = e->lessons;

	if (!l)
		return;
	l->credit_us += (double)(e->now_us - l->at_us) *
			(e->params.learn_explore * (double)e->started.n -
			 (double)l->trials);
	if (l->credit_us > CREDIT_MAX)
		l->credit_us = CREDIT_MAX;
	l->at_us = e->now_us;
}

/* ---- a job --------------------------------------------------------------- */

/* Its index in the table, and its time alone. */
static void look_up(const struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_lessons *l = e->lessons;
	struct cs_alone alone;

	j->kind = 0;
	if (!j->lesson)
		return;
	j->kind = (uint32_t)(cs_admission_find(l->admission,
					       j->lesson->kin.kind) +
			     1);
	/* a trial asks it of a kind in the table, order=expansion of any job */
	j->lesson->alone_us =
		(j->kind || e->params.learn == CS_LEARN_USE) &&
				cs_past_alone(l->past, j->lesson->kin.group,
					      e->now_us, &alone)
			? (int64_t)cs_real_exp(alone.ln_us)
			: 0;
}

void cs_lesson_describe(struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_job *job = &j->job;

	if (!e->lessons)
		return;
	if (!j->lesson)
		j->lesson = calloc(1, sizeof(*j->lesson));
	if (!j->lesson)
		return; /* not recorded */
	cs_kin_make(&j->lesson->kin, job->user, job->name, job->partition,
		    job->procs, job->estimate_us);
	look_up(e, j);
}

static void count_trial(struct cs_engine *e, struct cs_ejob *j, bool trial)
{
	struct cs_lessons *l = e->lessons;

	if (j->lesson->trial == trial)
		return;
	j->lesson->trial = trial;
	l->trials += trial ? 1 : UINT32_MAX;
	l->tried += trial;
}

void cs_lesson_drop(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_lesson *l = j->lesson;

	if (!l)
		return;
	count_trial(e, j, false);
	l->trial_alone = l->spoiled = l->seen = false;
	l->ran_us = l->late_us = 0;
	l->beside = CS_BESIDE_FULL;
	l->n = 0;
}

/* ---- its neighbours -------------------------------------------------------- */

static void bring(const struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_lesson *l = j->lesson;
	int64_t ran_us = cs_progress_ran_us(j, e->now_us), since;
	uint32_t k = 0;

	since = ran_us - l->ran_us;
	l->ran_us = ran_us;
	if (since <= 0)
		return;
	since += l->late_us;
	l->late_us = 0;
	while (k < l->n && l->part[k].beside != l->beside)
		k++;
	if (k == CS_PAST_PARTS)
		return; /* the sum reveals that it is missing */
	if (k == l->n)
		l->part[l->n++] = (struct cs_run_part){ l->beside, 0 };
	l->part[k].us += since;
}

/* Rule 3: more time before the first look is missing in the sum. */
static void look_first(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_lesson *l = j->lesson;

	l->seen = true;
	l->ran_us = cs_progress_ran_us(j, e->now_us);
	if (!cs_lesson_go_on(e, j) && l->ran_us <= AWAY)
		l->late_us = l->ran_us;
}

struct neighbour {
	uint64_t kind;
	uint32_t nodes;
	double costs;
	bool trial;
};

struct neighbours {
	uint32_t n;
	bool more;
	struct neighbour is[KINDS];
};

static bool is_trial(const struct cs_engine *e, const struct cs_ejob *j,
		     const struct cs_ejob *other)
{
	struct cs_who a = cs_who_is(j), b = cs_who_is(other);

	return e->model.learned && !cs_match_packed(e, j) &&
	       !cs_match_packed(e, other) && !j->placed_by_host &&
	       !other->placed_by_host &&
	       (cs_slowdown_beside(&e->model, a, &b, 1) >
			e->params.max_slowdown ||
		cs_slowdown_beside(&e->model, b, &a, 1) >
			e->params.max_slowdown);
}

static double believed(const struct cs_engine *e, const struct cs_ejob *j,
		       const struct cs_ejob *other)
{
	const struct cs_learned *t = cs_admission_table(e->lessons->admission);

	return j->kind && other->kind ? t->mean[(j->kind - 1) * (uint32_t)t->n +
						other->kind - 1]
				      : 1;
}

static void add_neighbour(const struct cs_engine *e, struct neighbours *all,
			  const struct cs_ejob *j, const struct cs_ejob *other)
{
	uint64_t kind = other->lesson ? other->lesson->kin.kind : 0;
	uint32_t k = 0;

	while (k < all->n && all->is[k].kind != kind)
		k++;
	if (!kind || k == KINDS) {
		all->more = true;
		return;
	}
	if (k == all->n)
		all->is[all->n++] =
			(struct neighbour){ .kind = kind,
					    .costs = believed(e, j, other) };
	all->is[k].nodes++;
	all->is[k].trial |= is_trial(e, j, other);
}

static void find_neighbours(const struct cs_engine *e, const struct cs_ejob *j,
			    struct neighbours *all)
{
	*all = (struct neighbours){ .n = 0 };
	for (uint32_t i = 0; i < j->alloc->n_node; i++) {
		const struct cs_slots *on = &e->sm->on[j->alloc->node[i].node];

		for (uint32_t k = 0; k < on->n; k++) {
			const struct cs_ejob *other = e->slot[on->slot[k]];

			if (other != j && other->state != CS_SUSPENDED)
				add_neighbour(e, all, j, other);
		}
	}
}

/* Rule 1. */
static uint64_t alone_as(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_alloc *a = j->alloc;
	const struct cs_node *node = &e->machine->node[a->node[0].node];
	uint32_t all = cs_node_cores(node);

	if (cs_job_cores(&j->job, node, j->job.procs) < all)
		return CS_BESIDE_FULL;
	return cs_bits_count(cs_alloc_cores_on(a, a->node[0].node), a->words) <
			       all
		       ? CS_BESIDE_NOBODY
		       : CS_BESIDE_FULL;
}

/* Rule 2. */
static void look(struct cs_engine *e, struct cs_ejob *j)
{
	const struct neighbour *worst = NULL;
	struct neighbours all;
	bool trial;

	if (!j->lesson || !j->alloc || !j->alloc->n_node)
		return;
	if (!j->lesson->seen)
		look_first(e, j);
	bring(e, j);
	find_neighbours(e, j, &all);
	trial = j->lesson->trial_alone;
	for (uint32_t i = 0; i < all.n; i++) {
		const struct neighbour *x = &all.is[i];

		trial |= x->trial;
		if (!worst || x->costs > worst->costs ||
		    (x->costs == worst->costs &&
		     (x->nodes > worst->nodes ||
		      (x->nodes == worst->nodes && x->kind < worst->kind))))
			worst = x;
	}
	j->lesson->beside = worst ? worst->kind : alone_as(e, j);
	j->lesson->spoiled |= all.more;
	count_trial(e, j, trial);
}

void cs_lesson_neighbours(struct cs_engine *e, const struct cs_alloc *a)
{
	uint64_t round;

	if (!e->lessons)
		return;
	round = ++e->refreshes;
	for (uint32_t i = 0; i < a->n_node; i++) {
		const struct cs_slots *on = &e->sm->on[a->node[i].node];

		for (uint32_t k = 0; k < on->n; k++) {
			struct cs_ejob *j = e->slot[on->slot[k]];

			if (j->refreshed != round)
				look(e, j);
			j->refreshed = round;
		}
	}
}

void cs_lesson_begun(struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_alloc *a = j->alloc;
	bool waited = e->now_us - j->start_us > AWAY;

	if (!e->lessons)
		return;
	if (j->lesson) {
		j->lesson->ran_us = j->lesson->late_us = 0;
		j->lesson->n = 0;
	}
	for (uint32_t i = 0; waited && i < a->n_node; i++) {
		const struct cs_slots *on = &e->sm->on[a->node[i].node];

		for (uint32_t k = 0; k < on->n; k++) {
			struct cs_ejob *other = e->slot[on->slot[k]];

			if (other != j && other->lesson)
				other->lesson->spoiled = true;
		}
	}
}

/* ---- it ends ------------------------------------------------------------- */

/* Rule 8.  By the table that it ran under: before the run is noted. */
static void judge(struct cs_engine *e, const struct cs_ejob *j,
		  const struct cs_ended *r)
{
	struct cs_lessons *l = e->lessons;
	double most = e->params.max_slowdown;
	struct cs_admission_verdict v;

	if (cs_match_packed(e, j))
		return;
	v = cs_admission_judge(l->admission, l->past, r, most);
	if (!v.beside)
		return;
	if (v.broken && (j->lesson->trial ||
			 !cs_admission_promised(l->admission, r->kin->kind,
						v.beside, most)))
		return;
	cs_past_promise(l->past, r->kin->kind, v.beside, r->t_us, v.slowdown,
			!v.broken);
	l->broke |= v.broken;
}

void cs_lesson_ended(struct cs_engine *e, struct cs_ejob *j, bool failed)
{
	struct cs_lesson *l = j->lesson;
	struct cs_ended r;
	int64_t limit_us;

	if (!l)
		return;
	bring(e, j);
	limit_us = j->job.base_procs ? j->limit_us : cs_progress_limit_us(e, j);
	r = (struct cs_ended){ .kin = &l->kin,
			       .t_us = e->now_us,
			       .ran_us = l->ran_us,
			       .n_part = l->n };
	memcpy(r.part, l->part, sizeof(r.part));
	if (!failed && !l->spoiled && !j->resized &&
	    (double)l->ran_us < CUT * (double)limit_us) {
		judge(e, j, &r);
		cs_past_ended(e->lessons->past, &r);
	}
	cs_lesson_drop(e, j);
}

/* Rule 7. */
static void tell_all(struct cs_engine *e)
{
	for (size_t i = 0; i < e->waiting.n; i++) {
		look_up(e, e->waiting.job[i]);
		e->waiting.job[i]->part.made = false;
	}
	for (size_t i = 0; i < e->started.n; i++)
		look_up(e, e->started.job[i]);
	if (!e->model.learned)
		return;
	for (size_t i = 0; i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		e->sm = cs_sm_of(e, j);
		if (j->state != CS_SUSPENDED && !j->placed_by_host)
			cs_progress_refresh(e, j);
	}
	e->layouts++;
	e->epoch++;
	e->rescan = true;
}

void cs_lesson_learn(struct cs_engine *e)
{
	struct cs_lessons *l = e->lessons;

	if (!l)
		return;
	if (cs_admission_due(l->admission, l->past)) {
		cs_admission_make(l->admission, l->past, e->now_us);
		l->made++;
	} else if (l->broke) {
		cs_admission_refuse(l->admission, l->past, e->now_us);
	} else {
		return;
	}
	l->broke = false;
	tell_all(e);
}

int cs_lesson_read(struct cs_engine *e, const char *line, struct cs_err *err)
{
	int rc;

	if (!e->lessons)
		return 0; /* learn=off: not needed */
	if (cs_lesson_is_trail(line))
		return cs_lesson_read_trail(e, line, err);
	rc = cs_past_read(e->lessons->past, line, err);
	if (!rc && !e->lessons->past->reading && e->lessons->past->told)
		cs_lesson_learn(e);
	return rc;
}

/* ---- trials -------------------------------------------------------------- */

/* Rule 5a. */
static bool consents(const struct cs_engine *e, const struct cs_ejob *j)
{
	const char *at = e->params.learn_accounts, *account = j->job.account;
	size_t len = account ? strlen(account) : 0;

	if (!strcmp(at, "*") || !strcmp(at, "none"))
		return *at == '*';
	while (len && *at) {
		size_t n = strcspn(at, "+");

		if (n == len && !memcmp(at, account, n))
			return true;
		at += n + (at[n] == '+');
	}
	return false;
}

/* Rules 5a, b, d. */
static bool may_tell(const struct cs_engine *e, const struct cs_ejob *j)
{
	return j->lesson && j->kind && j->lesson->alone_us &&
	       !j->placed_by_host && !cs_match_packed(e, j) &&
	       (double)j->done_us <= LATE * (double)j->job.estimate_us &&
	       consents(e, j);
}

/* Rule 5e. */
static bool has_credit(const struct cs_engine *e, uint32_t more)
{
	const struct cs_lessons *l = e->lessons;
	double at_once = 2 * e->params.learn_explore * (double)e->started.n;

	return l && e->model.learned && e->params.learn_explore > 0 &&
	       l->credit_us > 0 &&
	       l->trials + more <= (at_once > 2 ? at_once : 2);
}

bool cs_lesson_hopes(const struct cs_engine *e, struct cs_who a,
		     struct cs_who b)
{
	double most = e->params.max_slowdown;

	return cs_slowdown_expected(&e->model, a, b, most) <= most &&
	       cs_slowdown_expected(&e->model, b, a, most) <= most;
}

bool cs_lesson_may_try(const struct cs_engine *e, const struct cs_ejob *a,
		       const struct cs_ejob *b)
{
	return has_credit(e, 2) && may_tell(e, a) && may_tell(e, b) &&
	       cs_lesson_hopes(e, cs_who_is(a), cs_who_is(b));
}

bool cs_lesson_spread(const struct cs_engine *e, const struct cs_ejob *j,
		      bool *ret_trial)
{
	const struct cs_learned *t = e->model.learned;
	uint32_t k = j->kind - 1;

	*ret_trial = false;
	if (t->self[k] > 1 + PAYS && t->spread[k] <= e->params.max_slowdown)
		return true;
	*ret_trial = t->spread_hope[k] < 1 - PAYS && has_credit(e, 1) &&
		     may_tell(e, j);
	return *ret_trial;
}

void cs_lesson_try_spread(struct cs_engine *e, struct cs_ejob *j)
{
	if (!j->lesson)
		return;
	j->lesson->trial_alone = true;
	count_trial(e, j, true);
}

/* ---- queries -------------------------------------------------------------- */

double cs_lesson_bound(const struct cs_engine *e, const struct cs_ejob *of,
		       const struct cs_ejob *beside)
{
	const struct cs_learned *t;

	if (!e->lessons || !of->kind || !beside->kind)
		return 0;
	t = cs_admission_table(e->lessons->admission);
	return t->bound[(of->kind - 1) * (uint32_t)t->n + beside->kind - 1];
}

uint32_t cs_lesson_runs(const struct cs_engine *e, const struct cs_ejob *of,
			const struct cs_ejob *beside)
{
	if (!e->lessons || !of->kind || !beside->kind)
		return 0;
	return cs_admission_pair(e->lessons->admission, (int)of->kind - 1,
				 (int)beside->kind - 1)
		.runs;
}

static bool admitted(const struct cs_engine *e, int a, int b)
{
	const struct cs_learned *t = cs_admission_table(e->lessons->admission);
	double bound = t->bound[a * t->n + b];

	return bound > 0 && bound <= e->params.max_slowdown;
}

struct cs_lessons_now cs_lesson_now(const struct cs_engine *e)
{
	const struct cs_lessons *l = e->lessons;
	struct cs_lessons_now now = { .learning = l != NULL };

	if (!l)
		return now;
	now.kinds = (uint32_t)cs_admission_table(l->admission)->n;
	now.runs = (uint32_t)l->past->n_run;
	now.seen = (uint32_t)cs_admission_seen(l->admission);
	now.told = l->past->told;
	now.tried = l->tried;
	now.broken = l->past->promises;
	now.tables = (uint32_t)l->made;
	for (int a = 0; a < (int)now.kinds; a++)
		for (int b = a; b < (int)now.kinds; b++)
			now.pairs += admitted(e, a, b) && admitted(e, b, a);
	return now;
}

int cs_lesson_broken(const struct cs_engine *e, char *buf, size_t size)
{
	const struct cs_past *h = e->lessons ? e->lessons->past : NULL;
	const struct cs_broken *b;
	const struct cs_kind *of, *beside;

	if (!h || !h->n_broken)
		return -ENOENT;
	b = &h->broken[h->n_broken - 1];
	of = cs_past_kind(h, b->of);
	beside = cs_past_kind(h, b->beside);
	return snprintf(buf, size, "%s beside %s took %.2f times as long",
			of ? of->name : "?", beside ? beside->name : "?",
			b->ppm / 1e6);
}

/* ---- invariants ---------------------------------------------------------- */

int cs_lesson_check(const struct cs_engine *e, struct cs_err *err)
{
	uint32_t trials = 0;

	if (!e->lessons)
		return 0;
	for (size_t i = 0; i < e->waiting.n; i++)
		if (e->waiting.job[i]->lesson &&
		    (e->waiting.job[i]->lesson->trial ||
		     e->waiting.job[i]->lesson->n))
			return cs_err_set(err, -EINVAL,
					  "job %u waits and has a neighbour",
					  e->waiting.job[i]->job.id);
	for (size_t i = 0; i < e->started.n; i++)
		trials += e->started.job[i]->lesson &&
			  e->started.job[i]->lesson->trial;
	if (trials != e->lessons->trials)
		return cs_err_set(err, -EINVAL,
				  "%u jobs are in trials, %u are counted",
				  trials, e->lessons->trials);
	return cs_past_check(e->lessons->past, err);
}
