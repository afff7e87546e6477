/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The true progress of running jobs.
 *
 * Symbols	C name		unit
 *   T		trace job->runtime_us	us; with b processes a node and no
 *					neighbour
 *   b		base			1; of a packed trace as many as fit
 *   d		done_us		us of T done at the instant at_us
 *   f		factor		us that a us of T takes
 *   x		noise		1, factor on the time of this run of the job
 *
 * Rules.
 *  1. f = SL_self(PPN) / SL_self(b) * max over its nodes of SL_cos * x, by the truth's
 *     profiles (slowdown.h), as in progress.c for the belief; times the cost of
 *     crossing sites, by them or the parameter.  Neighbours are all jobs running on the
 *     node, not stopped ones.
 *  2. Between two changes of f, d grows by dt / f, rounded down to a us.
 *  3. What the truth leaves open costs nothing: the trace's runtime has it already.  With
 *     physics=believed it costs what the engine believes: a job without a profile has the
 *     means of Zeng09's table 4, a pair without entry or resources costs unknown_pair,
 *     and for a job packed by core unknown neighbours count as its own processes
 *     (progress.c, rule 5).
 *  4. x = max(.1, 1 + noise * z), z the sum of twelve uniform numbers less six: mean 0,
 *     variance 1, only by additions, so that it is the same everywhere.
 *  5. Jobs on the same cores: times max(1, sum of `computes`) * (1 + loss), the largest over
 *     its cores; these are no neighbours by rule 1.
 *  6. For each job's time with neighbours we count what that time would have been
 *     alone, by the truth and by the engine's belief.
 *
 * So the same file as truth and as belief, without noise, gives the same ends to the
 * microsecond: d is rounded at the same changes.  Not of a packed trace, where the
 * engine believes, as live, that a job packed by core runs as its limit says.
 *
 * Invariant: a job is in the lists of its nodes while it runs and at no other time.
 *
 * Known weakness: nodes of one type; x is constant over a run.
 */
#include "truth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/rng.h"

#define NOBODY UINT32_MAX
#define NOISE_KEY UINT64_C(0x6e6f697365) /* its own stream */

struct run {	      /* a running or stopped job */
	uint32_t job; /* NOBODY: free */
	struct cs_who who;
	bool packed, stopped, moved;
	double noise;
	struct cs_alloc *alloc;
	int64_t at_us, done_us;
	double factor;
	double self; /* its constant part */
	double computes;
	double cos;  /* its variable part */
	bool beside; /* it has a neighbour */
	struct cs_speed belief;
	double believed;  /* coscheduling slowdown */
	int64_t noted_us; /* accounted until then in ... */
	struct cs_truth_job sum;
	uint64_t round;
};

struct list {
	uint32_t n, cap, *at;
};

struct cs_truth {
	const struct cs_machine *machine;
	struct cs_slowdown model;
	double noise;
	bool shares_cores;
	double loss; /* of rule 5 */
	uint64_t seed;
	uint32_t *place; /* [jobs] in run; NOBODY */
	struct run *run; /* [n_run] */
	uint32_t n_run, cap_run;
	struct list free;  /* places of run; room for all */
	struct list *on;   /* [n_node] places of run */
	struct list moved; /* places of run, perhaps free by now; ditto */
	uint32_t *told;	   /* [cap_told] scratch of cs_truth_moved() */
	uint32_t cap_told;
	uint64_t round;
};

double cs_truth_noise(double noise, uint64_t seed, uint32_t id)
{
	uint64_t key = cs_rng_hash(cs_rng_hash(seed, NOISE_KEY), id);
	double z = -6, x;

	for (uint64_t i = 0; i < 12; i++)
		z += cs_unit(cs_rng_hash(key, i));
	x = 1 + noise * z;
	return noise <= 0 ? 1 : x < .1 ? .1 : x;
}

/* ---- life ---------------------------------------------------------------- */

struct cs_truth *cs_truth_create(const struct cs_machine *machine,
				 const struct cs_slowdown *model, double noise,
				 uint64_t seed, size_t jobs)
{
	struct cs_truth *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->machine = machine;
	t->model = *model;
	t->model.learned = NULL;
	t->noise = noise;
	t->seed = seed;
	t->place = malloc((jobs + 1) * sizeof(*t->place));
	t->on = calloc(machine->n_node, sizeof(*t->on));
	if (!t->place || !t->on) {
		cs_truth_free(t);
		return NULL;
	}
	memset(t->place, 0xff, (jobs + 1) * sizeof(*t->place));
	return t;
}

void cs_truth_share_cores(struct cs_truth *t, double loss)
{
	t->shares_cores = true;
	t->loss = loss;
}

void cs_truth_free(struct cs_truth *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->n_run; i++)
		if (t->run[i].job != NOBODY)
			cs_alloc_free(t->run[i].alloc);
	for (uint32_t n = 0; t->on && n < t->machine->n_node; n++)
		free(t->on[n].at);
	free(t->place);
	free(t->on);
	free(t->run);
	free(t->free.at);
	free(t->moved.at);
	free(t->told);
	free(t);
}

static int push(struct list *l, uint32_t at)
{
	if (cs_array_room(&l->at, &l->cap, l->n + 1))
		return -ENOMEM;
	l->at[l->n++] = at;
	return 0;
}

static void take_out(struct list *l, uint32_t at)
{
	uint32_t i = 0;

	while (l->at[i] != at)
		i++;
	l->at[i] = l->at[--l->n];
}

/* A place for one more; lists of the same length have room, too. */
static int new_place(struct cs_truth *t, uint32_t *ret)
{
	if (t->free.n) {
		*ret = t->free.at[--t->free.n];
		return 0;
	}
	if (cs_array_room(&t->run, &t->cap_run, t->n_run + 1) ||
	    cs_array_room(&t->free.at, &t->free.cap, t->cap_run) ||
	    cs_array_room(&t->moved.at, &t->moved.cap, t->cap_run) ||
	    cs_array_room(&t->told, &t->cap_told, t->cap_run))
		return -ENOMEM;
	t->run[t->n_run] = (struct run){ .job = NOBODY };
	*ret = t->n_run++;
	return 0;
}

/* ---- progress ------------------------------------------------------------ */

static void note_moved(struct cs_truth *t, struct run *r)
{
	if (r->moved)
		return;
	r->moved = true;
	t->moved.at[t->moved.n++] = (uint32_t)(r - t->run);
}

/* Rule 2. */
static void bring(struct run *r, int64_t now_us)
{
	if (!r->stopped && now_us > r->at_us)
		r->done_us +=
			(int64_t)((double)(now_us - r->at_us) / r->factor);
	r->at_us = now_us;
}

/* Rule 6, up to @now_us. */
static void account(struct run *r, int64_t now_us)
{
	double dt = (double)(now_us - r->noted_us);

	if (!r->stopped && r->beside && now_us > r->noted_us) {
		r->sum.beside_us += now_us - r->noted_us;
		r->sum.alone_us += dt / r->cos;
		r->sum.believed_us += dt / r->believed;
		if (r->cos > r->sum.worst)
			r->sum.worst = r->cos;
	}
	r->noted_us = now_us;
}

/* Cores (here processes) of a job on node @n, one of its own. */
static uint32_t cores_on(const struct run *r, uint32_t n)
{
	return cs_bits_count(cs_alloc_cores_on(r->alloc, n), r->alloc->words);
}

static double self_of(const struct cs_truth *t, const struct run *r,
		      uint32_t procs, const struct cs_node *node)
{
	return cs_slowdown_self(&t->model, r->who, procs, node->sockets,
				cs_node_cores(node));
}

/* Rule 3, for packed jobs. */
static double beside_strangers(const struct cs_truth *t, const struct run *r,
			       uint32_t n, uint32_t strange)
{
	const struct cs_node *node = &t->machine->node[n];
	uint32_t own = cores_on(r, n);
	double f =
		self_of(t, r, own + strange, node) / self_of(t, r, own, node);

	return f > 1 ? f : 1;
}

/* Their cores on node @n, both of which they have. */
static bool same_core(const struct run *a, const struct run *b, uint32_t n)
{
	return cs_bits_common(cs_alloc_cores_on(a->alloc, n),
			      cs_alloc_cores_on(b->alloc, n), a->alloc->words);
}

/* Rule 5 for core @core of node @n. */
static double core_slowdown(const struct cs_truth *t, uint32_t n, uint32_t core)
{
	const struct list *on = &t->on[n];
	uint32_t jobs = 0;
	double load = 0;

	for (uint32_t i = 0; i < on->n; i++) {
		const struct run *r = &t->run[on->at[i]];

		if (!cs_bit(cs_alloc_cores_on(r->alloc, n), core))
			continue;
		jobs++;
		load += r->computes;
	}
	return cs_slowdown_core(load, jobs, t->loss);
}

static double cores_slowdown(const struct cs_truth *t, const struct run *r)
{
	const struct cs_alloc *a = r->alloc;
	double worst = 1;

	for (uint32_t i = 0; t->shares_cores && i < a->n_node; i++)
		for (uint32_t w = 0; w < a->words; w++)
			for (uint64_t set = cs_alloc_cores(a, i)[w]; set;) {
				double sl = core_slowdown(
					t, a->node[i].node,
					64 * w + cs_bit_pop(&set));

				worst = sl > worst ? sl : worst;
			}
	return worst;
}

static double cos_on(const struct cs_truth *t, const struct run *r, uint32_t n)
{
	struct cs_who beside[CS_BESIDE_MAX];
	const struct list *on = &t->on[n];
	uint32_t strange = 0;
	size_t known = 0;
	double sl = 1;

	for (uint32_t i = 0; i < on->n; i++) {
		const struct run *other = &t->run[on->at[i]];

		if (other == r || (t->shares_cores && same_core(r, other, n)))
			continue;
		if (r->packed && !t->model.record &&
		    !cs_slowdown_known(&t->model, r->who, other->who))
			strange += cores_on(other, n);
		else if (known < CS_BESIDE_MAX)
			beside[known++] = other->who;
	}
	if (known)
		sl = cs_slowdown_beside(&t->model, r->who, beside, known);
	return strange ? sl * beside_strangers(t, r, n, strange) : sl;
}

/* Rule 1 after a change beside it. */
static void refresh(struct cs_truth *t, struct run *r, int64_t now_us)
{
	double worst = 0, f;
	bool beside = false;

	for (uint32_t i = 0; i < r->alloc->n_node; i++) {
		uint32_t n = r->alloc->node[i].node;
		double sl = t->on[n].n > 1 ? cos_on(t, r, n) : 1;

		beside |= t->on[n].n > 1;
		worst = sl > worst ? sl : worst;
	}
	worst *= cores_slowdown(t, r);
	if (worst != r->cos || beside != r->beside)
		account(r, now_us);
	r->cos = worst;
	r->beside = beside;
	f = worst * r->self * r->noise;
	if (f != r->factor) {
		bring(r, now_us);
		note_moved(t, r);
	}
	r->factor = f;
}

static void refresh_all(struct cs_truth *t, const struct cs_alloc *a,
			int64_t now_us)
{
	uint64_t round = ++t->round;

	for (uint32_t i = 0; i < a->n_node; i++) {
		const struct list *on = &t->on[a->node[i].node];

		for (uint32_t k = 0; k < on->n; k++) {
			struct run *r = &t->run[on->at[k]];

			if (r->round != round)
				refresh(t, r, now_us);
			r->round = round;
		}
	}
}

static int enter(struct cs_truth *t, uint32_t at, int64_t now_us)
{
	const struct cs_alloc *a = t->run[at].alloc;

	for (uint32_t i = 0; i < a->n_node; i++)
		if (push(&t->on[a->node[i].node], at)) {
			while (i--)
				take_out(&t->on[a->node[i].node], at);
			return -ENOMEM;
		}
	refresh_all(t, a, now_us);
	return 0;
}

static void leave(struct cs_truth *t, uint32_t at, int64_t now_us)
{
	struct run *r = &t->run[at];

	bring(r, now_us);
	account(r, now_us);
	for (uint32_t i = 0; i < r->alloc->n_node; i++)
		take_out(&t->on[r->alloc->node[i].node], at);
	refresh_all(t, r->alloc, now_us);
}

/* ---- what happens -------------------------------------------------------- */

/* The factor's part from its own layout. */
static double layout_factor(const struct cs_truth *t, const struct run *r,
			    uint32_t base)
{
	const struct cs_alloc *a = r->alloc;
	const struct cs_node *node = &t->machine->node[a->node[0].node];
	uint32_t most = 0;

	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].procs > most)
			most = a->node[i].procs;
	return most == base
		       ? 1
		       : self_of(t, r, most, node) / self_of(t, r, base, node);
}

int cs_truth_start(struct cs_truth *t, const struct cs_truth_start *s,
		   int64_t now_us)
{
	struct cs_alloc *a = cs_alloc_copy(s->alloc);
	struct run *r;
	uint32_t at;

	if (!a || new_place(t, &at)) {
		cs_alloc_free(a);
		return -ENOMEM;
	}
	r = &t->run[at];
	*r = (struct run){
		.job = s->job,
		.who = { .profile = s->profile, .id = s->id },
		.packed = s->packed,
		.computes = s->computes,
		.moved = r->moved, /* it may be there for a former job */
		.noise = cs_truth_noise(t->noise, t->seed, s->id),
		.alloc = a,
		.at_us = now_us,
		.factor = 1,
		.cos = 1,
		.belief = { .at_us = now_us, .slowdown = 1 },
		.believed = 1,
		.noted_us = now_us,
	};
	r->self = layout_factor(t, r, s->base) * s->crossing;
	t->place[s->job] = at;
	note_moved(t, r);
	if (!enter(t, at, now_us))
		return 0;
	t->place[s->job] = NOBODY;
	r->job = NOBODY;
	cs_alloc_free(a);
	t->free.at[t->free.n++] = at;
	return -ENOMEM;
}

void cs_truth_stop(struct cs_truth *t, uint32_t job, int64_t now_us)
{
	uint32_t at = t->place[job];

	leave(t, at, now_us);
	t->run[at].stopped = true;
	note_moved(t, &t->run[at]);
}

int cs_truth_resume(struct cs_truth *t, uint32_t job, int64_t now_us)
{
	struct run *r = &t->run[t->place[job]];

	bring(r, now_us);
	account(r, now_us);
	r->stopped = false;
	note_moved(t, r);
	return enter(t, t->place[job], now_us);
}

void cs_truth_finish(struct cs_truth *t, uint32_t job, int64_t now_us,
		     struct cs_truth_job *ret)
{
	uint32_t at = t->place[job];
	struct run *r = &t->run[at];

	if (!r->stopped)
		leave(t, at, now_us);
	*ret = r->sum;
	cs_alloc_free(r->alloc);
	r->job = NOBODY;
	t->place[job] = NOBODY;
	t->free.at[t->free.n++] = at;
}

void cs_truth_believe(struct cs_truth *t, uint32_t job,
		      const struct cs_speed *v, double beside, int64_t now_us)
{
	struct run *r = &t->run[t->place[job]];

	account(r, now_us);
	r->belief = *v;
	r->believed = beside;
	note_moved(t, r);
}

struct cs_speed cs_truth_speed(const struct cs_truth *t, uint32_t job)
{
	const struct run *r = &t->run[t->place[job]];

	return (struct cs_speed){ .at_us = r->at_us,
				  .done_us = r->done_us,
				  .slowdown = r->stopped ? 0 : r->factor };
}

struct cs_speed cs_truth_belief(const struct cs_truth *t, uint32_t job)
{
	return t->run[t->place[job]].belief;
}

size_t cs_truth_moved(struct cs_truth *t, const uint32_t **ret)
{
	size_t n = 0;

	for (uint32_t i = 0; i < t->moved.n; i++) {
		struct run *r = &t->run[t->moved.at[i]];

		if (!r->moved)
			continue;
		r->moved = false;
		if (r->job != NOBODY)
			t->told[n++] = r->job;
	}
	t->moved.n = 0;
	*ret = t->told;
	return n;
}
