/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host of common/gang: rounds of time slots.
 *
 * Problem.  Run a trace under gang scheduling.  A slot is 5 s and a round has up to
 * hundreds of them: nothing may be done slot by slot.
 *
 * Symbols	C name			unit
 *   n		cs_gang_slots()		slots of a round
 *   d		run.done		slots that a job has had
 *   T		need()			slots that it needs: its runtime, rounded up
 *
 * Rules.
 *  1. Time goes in rounds.  In a round each slot runs once, in order; a job with k
 *     places gets k slots.
 *  2. What came in a round is handled at its end: first the jobs leave that have had
 *     their T-th slot, then those arrive that have been submitted, then extra places
 *     are dealt.  So a job ends at the end of a round.  Without re-packing and extra
 *     places (bc), a slot that has lost its jobs is there for those that arrive, and
 *     removed after them.
 *  3. Where no job is there, the next comes at the first slot boundary at or
 *     behind its submit.  Slot boundaries are multiples of slot_s from the first
 *     submit on.
 *  4. Rounds in which nothing happens are one step.
 *
 * Source: Zhou00 (see common/gang/repack.c), section 4; rounds are our reading of it.
 *
 * Differs.  The paper does not say when what happens in a round is handled, and
 * in which order; doc/results/gang.md has what other orders give.
 *
 * Invariants: a job has T slots or more when it ends, and less than T + k;
 * start <= end - T * slot_s / k of every round.
 *
 * Cost: O(jobs that are there) a step, beside the module's.
 */
#include "gang_sim.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/duration.h"
#include "common/gang/gang.h"

#define PROGRESS_EVERY 256 /* steps */
#define END_US (INT64_MAX / 4)

struct run {	       /* a job that is there */
	size_t job;    /* of the trace */
	uint32_t gang; /* of the module */
	int64_t done;
};

struct host {
	const struct cs_trace *t;
	struct cs_sim_result *r;
	struct cs_err *err;
	struct cs_gang *gang;
	struct run *run; /* [n] in the order of submit */
	size_t n, next;
	int64_t now, slot_us; /* now in slots */
};

static int64_t need(const struct host *h, const struct run *x)
{
	return cs_spans(h->t->job[x->job].runtime_us, h->slot_us);
}

static int64_t submit(const struct host *h)
{
	return cs_spans(h->t->job[h->next].submit_us, h->slot_us);
}

static uint32_t places(const struct host *h, const struct run *x)
{
	return cs_gang_job(h->gang, x->gang).places;
}

/* Rule 2. */
static int arrive(struct host *h)
{
	const int64_t before_us = h->now * h->slot_us + 1;
	const struct cs_trace_job *j = h->t->job;
	int rc = 0;

	for (; !rc && h->next < h->t->n && j[h->next].submit_us < before_us;
	     h->next++) {
		struct run *x = &h->run[h->n];

		*x = (struct run){ .job = h->next };
		rc = cs_gang_arrive(h->gang, j[h->next].procs, &x->gang);
		h->n += !rc;
	}
	return rc;
}

/* Where the jobs that have just come stand: their first slot is their start. */
static void note_starts(struct host *h, size_t from)
{
	for (size_t i = from; i < h->n; i++) {
		const struct cs_gang_job j =
			cs_gang_job(h->gang, h->run[i].gang);
		struct cs_sim_job *y = &h->r->job[h->run[i].job];
		uint32_t slot = 0;

		while (cs_gang_at(h->gang, slot, j.first) != h->run[i].gang)
			slot++;
		y->start_us = (h->now + slot) * h->slot_us;
		y->nodes = j.procs;
		y->ppn = 1;
	}
}

static void leave(struct host *h, const struct run *x)
{
	h->r->job[x->job].end_us = h->now * h->slot_us;
	h->r->job[x->job].ran_us = h->t->job[x->job].runtime_us;
	cs_gang_leave(h->gang, x->gang);
}

static void leave_ended(struct host *h)
{
	size_t stay = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->run[i].done < need(h, &h->run[i]))
			h->run[stay++] = h->run[i];
		else
			leave(h, &h->run[i]);
	h->n = stay;
}

/* Rule 4: rounds until something happens. */
static int64_t rounds(const struct host *h, int64_t slots)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < h->n; i++) {
		const struct run *x = &h->run[i];
		int64_t k = places(h, x),
			n = (need(h, x) - x->done + k - 1) / k;

		least = n < least ? n : least;
	}
	if (h->next < h->t->n) {
		int64_t n = (submit(h) - h->now + slots - 1) / slots;

		least = n < least ? n : least;
	}
	return least > 1 ? least : 1;
}

/* Rule 1: the slots run. */
static int turn(struct host *h)
{
	int64_t slots = cs_gang_slots(h->gang), n = rounds(h, slots);

	if (n > (END_US / h->slot_us - h->now) / slots)
		return cs_err_set(
			h->err, -EINVAL,
			"with %lld slots of %lld s the jobs go on for "
			"longer than can be told",
			(long long)slots, (long long)h->slot_us / 1000000);
	for (size_t i = 0; i < h->n; i++)
		h->run[i].done += n * places(h, &h->run[i]);
	h->now += n * slots;
	if (slots > h->r->slots.most)
		h->r->slots.most = (uint32_t)slots;
	h->r->slots.sum_us +=
		(double)slots * (double)(n * slots) * (double)h->slot_us;
	return 0;
}

static int step(struct host *h)
{
	size_t before = h->next;
	int rc = 0;

	if (h->n)
		rc = turn(h);
	else if (submit(h) > h->now)
		h->now = submit(h);
	if (!rc)
		leave_ended(h);
	rc = rc ?: arrive(h);
	if (rc)
		return rc;
	cs_gang_settle(h->gang);
	note_starts(h, h->n - (h->next - before));
	h->r->instants++;
	return 0;
}

static int check(const struct cs_sim_options *o, const struct cs_trace *t,
		 struct cs_err *err)
{
	const struct cs_machine *m = o->machine;

	if (cs_machine_cores(m) != m->n_node)
		return cs_err_set(err, -EINVAL,
				  "gang_rounds=yes has a node for a processor, "
				  "expected a machine NODESx1x1");
	if (o->events)
		return cs_err_set(err, -EINVAL,
				  "gang_rounds=yes has no event log, expected "
				  "none, or gang_rounds=no");
	for (size_t i = 0; i < t->n; i++)
		if (t->job[i].procs > m->n_node)
			return cs_err_set(
				err, -EINVAL, "job %u: %u processors of %u",
				t->job[i].id, t->job[i].procs, m->n_node);
	return 0;
}

int cs_gang_sim(const struct cs_sim_options *o, const struct cs_trace *t,
		struct cs_sim_result *r, struct cs_err *err)
{
	const struct cs_gang_rules rules = {
		.block = (enum cs_gang_block)o->params->gang_block,
		.extra = (enum cs_gang_extra)o->params->gang_extra,
		.deal = (enum cs_gang_deal)o->params->gang_deal,
		.empties = o->params->gang_extra == CS_GANG_EXTRA_NONE,
	};
	struct host h = { .t = t,
			  .r = r,
			  .err = err,
			  .slot_us = o->params->slot_s * 1000000 };
	int rc = check(o, t, err);

	if (rc)
		return rc;
	r->n = t->n;
	r->slots.slot_us = h.slot_us;
	r->job = calloc(t->n + 1, sizeof(*r->job));
	h.run = calloc(t->n + 1, sizeof(*h.run));
	h.gang = cs_gang_create(o->machine->n_node, &rules);
	if (!r->job || !h.run || !h.gang)
		rc = -ENOMEM;
	while (!rc && (h.n || h.next < t->n)) {
		rc = step(&h);
		if (!rc && o->progress && r->instants % PROGRESS_EVERY == 0)
			o->progress(o->arg, h.next - h.n, t->n);
	}
	free(h.run);
	cs_gang_free(h.gang);
	return rc;
}
