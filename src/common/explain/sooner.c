/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What would start a waiting job sooner.
 *
 * Problem.  A user whose job waits wants to know what to request instead.  A guess from
 * the free cores is often wrong: they may be promised to other jobs.
 *
 * Rules.
 *  1. The engine itself tries a change: a copy of it gets the job's new description
 *     (CS_EV_CHANGE) and decides; other jobs' starts are confirmed as a host would,
 *     until no action is left.  Then the job has started, or has a promised start.
 *  2. The baseline is the same run with the job's present description: a new
 *     description alone may move a job up.
 *  3. A change is reported if with it the job starts at once and without it does not,
 *     or its promised start is at least a minute earlier.
 *  4. For limit, memory and size, bisection finds the smallest change, in whole
 *     minutes, 64ths of the memory, single nodes or processes.  The least value is
 *     tried first: if it starts the job at once, so must the answer; if not, the answer
 *     must meet rule 3.  Every answer was itself tried.
 *  5. Work is counted in steps: a copy and its first decide count as
 *
 *		COPY_STEPS + nodes + jobs * (JOB_STEPS + nodes / 64)		(1)
 *
 *     and each decide that follows, once others' starts are confirmed, as
 *
 *		nodes + jobs * (JOB_STEPS + nodes / 64)				(2)
 *
 *     Every decide counts its search for partners (engine->steps), too.
 *     If the steps end within a copy its outcome is not known, and the search ends.
 *     The least values of all kinds are tried before any bisection, which ends when the
 *     steps do: what it has found by then is valid, but perhaps not the smallest.
 *  6. If the copy leaves a start to the host's own test, the outcome is unknown and
 *     that change is not reported.
 *
 * Example.  4 nodes of 4 cores; job 1 holds 12 cores for ten minutes, job 2 wants all,
 * job 3 waits behind it for 4 cores for an hour: with -t 10 job 3 ends before job 2
 * starts (test_sooner.c, the_longest_limit_that_fits_before_a_head).
 *
 * Known weakness.  A change that helps only together with another is not found, nor one
 * where a smaller value is worse: bisection assumes that every larger value is worse.
 *
 * Cost.  A copy and up to ROUNDS_MAX decides for each of about forty changes at most,
 * within the steps; the last decide may exceed them by its search (search_steps).
 */
#include "explain/sooner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "job/eligible.h"
#include "job/refused.h"
#include "state/pass.h"

#define COPY_STEPS 2000
#define JOB_STEPS 8
#define ROUNDS_MAX 16 /* decides of one copy */
#define MINUTE_US INT64_C(60000000)
#define MEMORY_PARTS 64

struct search {
	const struct cs_engine *e;
	struct cs_job job; /* as described now */
	int64_t steps;	   /* left */
	int64_t each;	   /* of a copy and its first decide */
	int64_t decide;	   /* of a further one */
	struct cs_sooner_list *list;
};

/* The result of a change. */
struct outcome {
	bool known, now;
	int64_t start_us;
};

/* ---- one change in a copy (rule 1) ---------------------------------------- */

/* A host's answer to @a if it carries out every action. */
static int confirm(struct cs_engine *e, const struct cs_action *a,
		   uint32_t new_id)
{
	const struct cs_ejob *j = cs_engine_job(e, a->job_id);
	struct cs_started s = {
		.seq = a->seq,
		.job_id = a->job_id,
		.option = a->option,
		.start_us = e->now_us,
		.limit_us = a->limit_us,
		.alloc = a->alloc,
	};
	struct cs_event ev = { .type = CS_EV_STARTED, .t_us = e->now_us };

	if (a->type == CS_ACT_SUSPEND || a->type == CS_ACT_RESUME) {
		ev.type = a->type == CS_ACT_SUSPEND ? CS_EV_SUSPEND
						    : CS_EV_RESUME;
		ev.job_id = a->job_id;
		return cs_engine_event(e, &ev, NULL);
	}
	if (a->type != CS_ACT_START)
		return 0;
	if (j && j->job.array_id) {
		s.array_id = a->job_id;
		s.job_id = new_id;
	}
	if (!s.limit_us)
		s.limit_us = j ? j->job.estimate_us : MINUTE_US;
	ev.start = &s;
	return cs_engine_event(e, &ev, NULL);
}

/* Confirm all actions of one decide.  False: the outcome for @id is known, or cannot be
 * known. */
static bool confirm_all(struct cs_engine *e, const struct cs_actions *acts,
			uint32_t id, uint32_t *new_id, struct outcome *o)
{
	for (size_t i = 0; i < acts->n; i++) {
		o->now |= acts->action[i].type == CS_ACT_START &&
			  acts->action[i].job_id == id;
		o->known &= acts->action[i].type != CS_ACT_HOST_START;
	}
	for (size_t i = 0; !o->now && o->known && i < acts->n; i++)
		o->known = !confirm(e, &acts->action[i], --*new_id);
	return o->known && !o->now;
}

/* Decide until no action is left, or no step: a decide takes s->decide and what it
 * searched.  0, -ENOMEM, -E2BIG. */
static int settle(struct search *s, struct cs_engine *e, uint32_t id,
		  struct outcome *o)
{
	uint32_t new_id = UINT32_MAX;
	struct cs_actions acts;
	int rc = 0;

	for (int i = 0; i < ROUNDS_MAX; i++) {
		if (i && s->steps < s->decide)
			return -E2BIG;
		s->steps -= i ? s->decide : 0; /* the first is in s->each */
		rc = cs_engine_decide(e, e->now_us, &acts);
		s->list->decides++;
		s->steps -= e->steps;
		if (rc || !acts.n || !confirm_all(e, &acts, id, &new_id, o))
			break;
	}
	o->known &= o->now || (!rc && !acts.n);
	o->start_us = o->now ? e->now_us : cs_engine_host_start_us(e, id, NULL);
	return rc == -ENOMEM ? rc : 0;
}

/* What becomes of the job if it is as @job describes.  0, -ENOMEM, -E2BIG. */
static int probe(struct search *s, const struct cs_job *job, struct outcome *o)
{
	struct cs_event ev = { .type = CS_EV_CHANGE,
			       .t_us = s->e->now_us,
			       .job = job };
	struct cs_engine *copy;
	int rc = 0;

	*o = (struct outcome){ .known = true, .start_us = CS_TIME_NONE };
	if (s->steps < s->each)
		return -E2BIG;
	s->steps -= s->each;
	s->list->probes++;
	copy = cs_engine_copy(s->e, NULL);
	if (!copy)
		return -ENOMEM;
	rc = cs_engine_event(copy, &ev, NULL);
	if (rc && rc != -ENOMEM)
		o->known = false;
	else if (!rc)
		rc = settle(s, copy, job->id, o);
	cs_engine_free(copy);
	return rc == -ENOMEM || rc == -E2BIG ? rc : 0;
}

/* ---- changes --------------------------------------------------------------- */

/* Nodes, or processes if the job requests no number of nodes. */
static uint32_t size_of(const struct cs_job *j)
{
	return j->min_nodes > 1 ? j->min_nodes : j->procs;
}

void cs_sooner_change(struct cs_job *job, const struct cs_sooner *c)
{
	uint64_t nodes = job->min_nodes;

	switch (c->kind) {
	case CS_SOONER_LIMIT:
		job->estimate_us = (int64_t)c->value * MINUTE_US;
		break;
	case CS_SOONER_MEMORY:
		*(job->mem_node_mb ? &job->mem_node_mb : &job->mem_cpu_mb) =
			c->value;
		break;
	case CS_SOONER_LAYOUT:
		if (job->procs_per_node) /* Slurm requires that many CPUs on each */
			job->least_cpus = 0;
		job->min_nodes = 1;
		job->max_nodes = job->procs_per_node = 0;
		break;
	case CS_SOONER_EXCLUSIVE:
		job->flags &= ~(uint32_t)CS_JOB_EXCLUSIVE;
		break;
	case CS_SOONER_SIZE:
		if (nodes == 1) {
			job->procs = (uint32_t)c->value;
			break;
		}
		job->procs =
			(uint32_t)((job->procs * c->value + nodes - 1) / nodes);
		job->min_nodes = (uint32_t)c->value;
		if (job->max_nodes == nodes)
			job->max_nodes = (uint32_t)c->value;
		break;
	case CS_SOONER_KINDS:
		break;
	}
}

int cs_sooner_text(const struct cs_job *job, const struct cs_sooner *c,
		   char *buf, size_t size)
{
	struct cs_job then = *job;

	cs_sooner_change(&then, c);
	switch (c->kind) {
	case CS_SOONER_LIMIT:
		return snprintf(buf, size, "with -t %" PRIu64, c->value);
	case CS_SOONER_MEMORY:
		return snprintf(buf, size, "with --mem%s=%" PRIu64,
				job->mem_node_mb ? "" : "-per-cpu", c->value);
	case CS_SOONER_LAYOUT:
		return snprintf(buf, size,
				"on any nodes (without -N, "
				"--ntasks-per-node)");
	case CS_SOONER_EXCLUSIVE:
		return snprintf(buf, size, "without --exclusive");
	default:
		break;
	}
	if (job->min_nodes > 1)
		return snprintf(buf, size, "with -N %u -n %u", then.min_nodes,
				then.procs);
	return snprintf(buf, size, "with -n %u", then.procs);
}

/* Values of a kind below the job's own: @step to @most, by @step; most 0: none. */
struct values {
	uint64_t step, most;
};

static struct values values_of(const struct cs_job *job, enum cs_sooner_kind k)
{
	uint64_t mb = job->mem_node_mb ? job->mem_node_mb : job->mem_cpu_mb;
	struct values v = { 1, 0 };
	bool exclusive = job->flags & CS_JOB_EXCLUSIVE;

	switch (k) {
	case CS_SOONER_LIMIT:
		v.most = (uint64_t)((job->estimate_us - 1) / MINUTE_US);
		break;
	case CS_SOONER_MEMORY:
		if (mb < 2 || mb == CS_MEM_ALL)
			break;
		v.step = mb / MEMORY_PARTS ? mb / MEMORY_PARTS : 1;
		v.most = (mb - 1) / v.step * v.step;
		break;
	case CS_SOONER_LAYOUT:
		v.most = job->min_nodes > 1 || job->max_nodes ||
			 job->procs_per_node;
		break;
	case CS_SOONER_EXCLUSIVE:
		for (uint32_t i = 0; exclusive && i < job->n_option; i++)
			exclusive = !(job->option[i].flags & CS_JOB_EXCLUSIVE);
		v.most = exclusive;
		break;
	default:
		v.most = size_of(job) - 1;
		break;
	}
	return v;
}

/* ---- the search ------------------------------------------------------------ */

/* Rule 3. */
static bool is_sooner(const struct search *s, const struct outcome *o)
{
	int64_t without = s->list->without_us;

	return o->known && (o->now || (o->start_us != CS_TIME_NONE &&
				       (without == CS_TIME_NONE ||
					o->start_us <= without - MINUTE_US)));
}

static int try_value(struct search *s, enum cs_sooner_kind kind, uint64_t value,
		     bool now, struct cs_sooner *best, bool *ret_good)
{
	struct cs_sooner c = { .kind = kind, .value = value };
	struct cs_job job = s->job;
	struct outcome o;
	int rc;

	cs_sooner_change(&job, &c);
	rc = probe(s, &job, &o);
	*ret_good = !rc && is_sooner(s, &o) && (o.now || !now);
	c.now = o.now;
	c.start_us = o.start_us;
	if (*ret_good)
		*best = c;
	return rc;
}

/* Rule 4, for one kind: @low is good, @high bad; both in units of the step. */
struct kind {
	struct values values;
	uint64_t low, high;
	struct cs_sooner best;
	bool good;
};

static int try_least(struct search *s, struct kind *k, enum cs_sooner_kind kind)
{
	k->values = values_of(&s->job, kind);
	k->low = 1;
	k->high = k->values.most / k->values.step + 1; /* its present value */
	return !k->values.most ? 0
			       : try_value(s, kind, k->values.step, false,
					   &k->best, &k->good);
}

static int bisect(struct search *s, struct kind *k)
{
	const bool now = k->best.now;
	bool good;
	int rc = 0;

	while (!rc && k->high - k->low > 1) {
		uint64_t half = k->low + (k->high - k->low) / 2;

		rc = try_value(s, k->best.kind, half * k->values.step, now,
			       &k->best, &good);
		if (!rc)
			*(good ? &k->low : &k->high) = half;
	}
	return rc;
}

/* The earliest start first, then what costs the user least. */
static void best_first(struct cs_sooner_list *l)
{
	for (uint32_t i = 1; i < l->n; i++) {
		struct cs_sooner c = l->change[i];
		uint32_t k = i;

		for (; k &&
		       (c.now ? !l->change[k - 1].now
			      : !l->change[k - 1].now &&
					c.start_us < l->change[k - 1].start_us);
		     k--)
			l->change[k] = l->change[k - 1];
		l->change[k] = c;
	}
}

/* Does it wait for room, which the engine itself gives, or for more than could ever be
 * free?  Only the host knows what to change about a start that it refused. */
static bool for_room(const struct cs_engine *e, struct cs_ejob *j)
{
	bool may = false, never = !cs_engine_could_run(e, j->job.id);

	for (uint32_t i = 0; i < j->job.n_option; i++) {
		const struct cs_entry x = { j, i };
		enum cs_why why = cs_eligible_why_not(e, &x);
		bool host = cs_job_flags(j, i) & CS_JOB_HOST;

		if ((host && !cs_refused_left(j, i)) ||
		    (!never && cs_refused_of(j, i)))
			return false;
		may |= why == CS_WHY_NEW || (never && why == CS_WHY_REFUSED);
	}
	return may && j->job.tasks;
}

/* The job as the host described it: without the flag that we ourselves set to leave it
 * to the host's test (refused.c).  @option [n_option] is filled. */
static struct cs_job described(const struct cs_ejob *j,
			       struct cs_job_partition *option)
{
	struct cs_job job = j->job;

	for (uint32_t i = 0; i < job.n_option; i++) {
		option[i] = j->job.option[i];
		if (cs_refused_left(j, i))
			option[i].flags &= ~(uint32_t)CS_JOB_HOST;
	}
	job.option = option;
	return job;
}

static int search_all(struct search *s, int64_t promised)
{
	struct kind kind[CS_SOONER_KINDS] = { 0 };
	struct outcome o;
	int rc = probe(s, &s->job, &o);

	if (rc || !o.known || o.now)
		return rc;
	if (promised == CS_TIME_NONE || o.start_us < promised)
		s->list->without_us = o.start_us;
	for (int k = 0; !rc && k < CS_SOONER_KINDS; k++)
		rc = try_least(s, &kind[k], (enum cs_sooner_kind)k);
	for (int k = 0; !rc && k < CS_SOONER_KINDS; k++)
		rc = kind[k].good ? bisect(s, &kind[k]) : 0;
	for (int k = 0; k < CS_SOONER_KINDS; k++) {
		kind[k].best.rough = kind[k].high - kind[k].low > 1;
		if (kind[k].good)
			s->list->change[s->list->n++] = kind[k].best;
	}
	best_first(s->list);
	return rc == -ENOMEM ? rc : 0;
}

/* Equation 2. */
static int64_t steps_of(const struct cs_engine *e)
{
	int64_t jobs = (int64_t)(e->waiting.n + e->started.n);

	return e->machine->n_node +
	       jobs * (JOB_STEPS + e->machine->n_node / 64);
}

int cs_sooner_find(const struct cs_engine *e, uint32_t job_id, int64_t steps,
		   struct cs_sooner_list *ret)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);
	struct search s = { .e = e, .steps = steps, .list = ret };
	struct cs_job_partition *option;
	int rc;

	*ret = (struct cs_sooner_list){ .without_us = CS_TIME_NONE };
	if (!j || j->state != CS_WAITING)
		return -ENOENT;
	if (!cs_engine_copies(e))
		return -ENOTSUP;
	if (e->open)
		return -EBUSY;
	ret->without_us = cs_engine_host_start_us(e, job_id, NULL);
	if (!for_room(e, j))
		return 0;
	s.decide = steps_of(e);
	s.each = COPY_STEPS + s.decide;
	if (steps < 2 * s.each)
		return -E2BIG;
	option = calloc(j->job.n_option, sizeof(*option));
	if (!option)
		return -ENOMEM;
	s.job = described(j, option);
	rc = search_all(&s, ret->without_us);
	ret->taken = steps - s.steps;
	free(option);
	return rc;
}

/* ---- its text ------------------------------------------------------------- */

/* "now with -t 10", "in 0:12:00 at the latest with -n 4"; a latest start that has come
 * is now. */
static void put_change(struct cs_text *t, const struct cs_engine *e,
		       const struct cs_ejob *j, const struct cs_sooner *c)
{
	char ask[80];

	cs_sooner_text(&j->job, c, ask, sizeof(ask));
	if (c->now || c->start_us <= e->now_us) {
		cs_put(t, "now");
	} else {
		cs_put(t, "in ");
		cs_explain_put_span(t, c->start_us - e->now_us);
		cs_put(t, " at the latest");
	}
	cs_put(t, " %s%s", ask,
	       c->rough ? " (a smaller change may do: not all were tried)"
			: "");
}

void cs_explain_put_sooner(struct cs_text *t, const struct cs_engine *e,
			   const struct cs_ejob *j)
{
	const struct cs_sooner_list *l = t->to ? t->to->sooner : NULL;

	if (!l || !l->n)
		return;
	cs_put(t, "; sooner: ");
	put_change(t, e, j, &l->change[0]);
}

void cs_explain_put_others_sooner(struct cs_text *t, const struct cs_engine *e,
				  const struct cs_ejob *j)
{
	const struct cs_sooner_list *l = t->to ? t->to->sooner : NULL;

	if (t->to && t->to->no_sooner)
		cs_put(t, "  what would start it sooner: %s\n",
		       t->to->no_sooner);
	if (l && !l->n && l->probes > 1)
		cs_put(t, "  no shorter limit, less memory, other layout or "
			  "smaller size alone would start it sooner\n");
	if (!l || l->n < 2)
		return;
	cs_put(t, "  sooner, too: ");
	for (uint32_t i = 1; i < l->n; i++) {
		cs_put(t, "%s", i > 1 ? "; " : "");
		put_change(t, e, j, &l->change[i]);
	}
	cs_put(t, "\n");
}
