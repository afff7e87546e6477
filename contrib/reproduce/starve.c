/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched-starve [--jobs N] [--long N] [--tries N] [--seed N] [--rounds N]: streams of jobs
 * that starve one of them under policy balanced, found by a search.
 *
 * Problem.  order=shifted (order/shifted.c) puts wide and long jobs off.  Its bounds B1 to B3
 * are stated for all streams of jobs; a test of a few says little, and how long a job can
 * wait in practice is not known from the bounds.
 *
 * Symbols
 *   U_i	the usual limit when job i was submitted (usual.c)
 *   U'		the largest one of i and the jobs that came at most 14.4 U_i after it and
 *		still waited then
 *   L		the largest limit
 *   n_i	the jobs of these that still wait 2.4 U' later
 *
 * A stream has one victim and three kinds of others: how often, how wide, how long, how
 * much of their limits they take, how many come at once.  They offer LOAD times what the
 * machine, one pool of CORES cores, can do.  An attack says what the victim is:
 *
 *	wide	at least half of the cores, up to two hours
 *	long	at most an eighth of the cores, half a day to two days
 *	both	at least half of the cores, half a day to two days
 *	many	anything, beside a user with many jobs of at most ten minutes
 *
 * and a search looks for the stream whose victim waits longest in U_i (wait), or in U_i
 * longer than under pack and under cover (more): of a third of the tries, drawn at random,
 * the worst is changed at random, and each change that is worse for the victim is kept.
 * What was found is then run with more jobs (--long), beside other policies.
 *
 * Checked of every run of balanced:
 *  B1. At each start of a job, those before the victim in the queue came less than
 *      s_i + min(f_i a_i, 10.8 U_i) after it, or are pinned.
 *  B2. A pinned job starts by its latest planned start.
 *  B3. None of those before the victim came 14.4 U_i or more after it, and
 *
 *	start_i <= submit_i + 14.4 U_i + 2.4 U' + (n_i + 1) (L + .4 U')		(1)
 *
 *      for the victim, and for the DEEP others that waited longest.
 *
 * Output: an object of JSON a line.  Exit status 1: a bound is broken, 2: usage.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/order/shifted.h"
#include "common/state/state.h"
#include "sim/draw.h"
#include "sim/sim.h"

#define CORES 64
#define MACHINE "64x1x1"
#define LOAD 1.2
#define KINDS 3
#define DEEP 1000
#define PACK_MOST 3000 /* jobs, of whose waits pack plans all */
#define MINUTE 60.
#define HOUR 3600.
#define MIN_S MINUTE
#define MAX_S (24 * HOUR)
#define VICTIM_MAX_S (48 * HOUR)
#define SECOND 1e6 /* us */
/* of order=shifted, by default */
#define ALL_SHIFT 14.4
#define LONG_MOST 10.8
#define PINNED 2.4
#define SLACK .4
#define SORTED_PINNED_US 1e15 /* a rule_us beyond it: pinned (shifted.c) */

enum attack { WIDE, LONG, BOTH, MANY, ATTACKS };
static const char *const attack_name[] = { "wide", "long", "both", "many" };

enum measure { WAIT, MORE, MEASURES };
static const char *const measure_name[] = { "wait", "more" };

enum policy { BALANCED, COVER, COVER_PLUS, PACK, POLICIES };
static const char *const policy_name[] = { "balanced", "cover", "cover+",
					   "pack" };
/* On nodes of one core no job is packed, so that counting plans it (easy.c, rule 4). */
#define KEYS ",depth=0,horizon_s=0,unprofiled=model"
static const char *const policy_keys[] = { "policy=balanced" KEYS,
					   "policy=cover" KEYS,
					   "policy=cover+" KEYS,
					   "policy=pack" KEYS };

struct kind {
	double weight, cores, limit_s;
	double part;  /* of its limit that a job takes, at most */
	double burst; /* jobs that come at once */
};

struct stream {
	uint64_t seed;
	enum attack attack;
	double cores, limit_s, at; /* of the victim; at: a part of the time */
	struct kind kind[KINDS];
};

/* A job of a run of balanced. */
struct seen {
	double usual_s;
	double start_s;
};

struct run {
	struct cs_trace trace;
	uint32_t victim; /* its id */
	struct cs_engine *engine;
	struct cs_job_partition everywhere;
	struct seen *seen; /* [trace.n], by id; NULL: not balanced */
	size_t broken[4];  /* B1, B2, B3, and (1) */
	size_t pinned;
	double wait_s;
	double filled; /* of (1), the largest part of it that a wait was */
};

static void die(const char *what)
{
	fprintf(stderr, "cosched-starve: %s\n", what);
	exit(2);
}

static void *need(void *p)
{
	if (!p)
		die("no memory");
	return p;
}

/* ---- streams --------------------------------------------------------------- */

static double within(double x, double least, double most)
{
	return x < least ? least : x > most ? most : x;
}

/* What the attack demands. */
static void confine(struct stream *s)
{
	bool wide = s->attack == WIDE || s->attack == BOTH;
	bool lasts = s->attack == LONG || s->attack == BOTH;
	double short_s = s->attack == WIDE ? 2 * HOUR : VICTIM_MAX_S;

	s->cores = within(s->cores, wide ? CORES / 2 : 1,
			  s->attack == LONG ? CORES / 8 : CORES);
	s->limit_s = within(s->limit_s, lasts ? 12 * HOUR : MIN_S, short_s);
	s->at = within(s->at, .02, .7);
	for (int i = 0; i < KINDS; i++) {
		struct kind *k = &s->kind[i];

		k->weight = within(k->weight, .001, 1);
		k->cores = within(k->cores, 1, CORES);
		k->limit_s = within(k->limit_s, MIN_S, MAX_S);
		k->part = within(k->part, .05, 1);
		k->burst = within(k->burst, 1, 500);
	}
	if (s->attack == MANY) {
		s->kind[0].weight = 10;
		s->kind[0].limit_s =
			within(s->kind[0].limit_s, MIN_S, 10 * MINUTE);
	}
}

static struct stream draw(struct cs_rng *r, enum attack attack)
{
	struct stream s = {
		.seed = cs_rng_next(r),
		.attack = attack,
		.cores = cs_draw_uniformlog(r, 1, CORES),
		.limit_s = cs_draw_uniformlog(r, MIN_S, VICTIM_MAX_S),
		.at = cs_draw_uniform(r, .02, .7),
	};

	for (int i = 0; i < KINDS; i++)
		s.kind[i] = (struct kind){
			.weight = cs_draw_uniformlog(r, .001, 1),
			.cores = cs_draw_uniformlog(r, 1, CORES),
			.limit_s = cs_draw_uniformlog(r, MIN_S, MAX_S),
			.part = cs_draw_uniformlog(r, .05, 1),
			.burst = cs_draw_uniformlog(r, 1, 500),
		};
	confine(&s);
	return s;
}

/* One to three changes. */
static struct stream change(struct cs_rng *r, struct stream s)
{
	double *gene[3 + 5 * KINDS] = { &s.cores, &s.limit_s, &s.at };
	size_t n = 3;

	for (int i = 0; i < KINDS; i++) {
		struct kind *k = &s.kind[i];

		gene[n++] = &k->weight;
		gene[n++] = &k->cores;
		gene[n++] = &k->limit_s;
		gene[n++] = &k->part;
		gene[n++] = &k->burst;
	}
	for (uint64_t i = 1 + cs_rng_next(r) % 3; i; i--)
		*gene[cs_rng_next(r) % n] *= cs_draw_uniformlog(r, .3, 1 / .3);
	if (!(cs_rng_next(r) % 4))
		s.seed = cs_rng_next(r);
	confine(&s);
	return s;
}

static const struct kind *some_kind(const struct stream *s, struct cs_rng *r)
{
	double all = 0, x;
	int i;

	for (i = 0; i < KINDS; i++)
		all += s->kind[i].weight;
	x = all * cs_rng_unit(r);
	for (i = 0; i < KINDS - 1 && x >= s->kind[i].weight; i++)
		x -= s->kind[i].weight;
	return &s->kind[i];
}

static int by_submit(const void *va, const void *vb)
{
	const struct cs_trace_job *a = va, *b = vb;

	if (a->submit_us != b->submit_us)
		return a->submit_us < b->submit_us ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static struct cs_trace_job job_of(double cores, double limit_s, double run_s)
{
	struct cs_trace_job j = {
		.procs = (uint32_t)cores,
		.estimate_us = (int64_t)limit_s * (int64_t)SECOND,
		.runtime_us =
			(int64_t)within(run_s, 1, limit_s) * (int64_t)SECOND,
		.wait_us = -1,
		.group = -1,
		.exe = -1,
	};

	return j;
}

/* The stream as @n jobs, the victim among them: its id. */
static uint32_t make(const struct stream *s, size_t n, struct cs_trace *t)
{
	double work = 0, span_us, at = 0;
	uint32_t victim = 0;
	struct cs_rng r;
	size_t left = 0;

	cs_rng_init(&r, s->seed, 1);
	t->job = need(calloc(n, sizeof(*t->job)));
	t->n = n;
	for (size_t i = 0; i + 1 < n; i++) {
		const struct kind *k = some_kind(s, &r);
		double limit_s = k->limit_s * cs_draw_uniform(&r, .7, 1);

		t->job[i] =
			job_of(k->cores, within(limit_s, MIN_S, MAX_S),
			       limit_s * k->part * cs_draw_uniform(&r, .5, 1));
		t->job[i].user = (int32_t)(k - s->kind);
		work += (double)t->job[i].procs * (double)t->job[i].runtime_us;
	}
	span_us = work / (LOAD * CORES);
	for (size_t i = 0; i + 1 < n; i++) {
		if (!left) {
			left = (size_t)s->kind[t->job[i].user].burst;
			at = span_us * cs_rng_unit(&r);
		}
		left--;
		t->job[i].submit_us = (int64_t)at;
	}
	t->job[n - 1] = job_of(s->cores, s->limit_s, s->limit_s);
	t->job[n - 1].submit_us = (int64_t)(s->at * span_us);
	t->job[n - 1].user = KINDS;
	qsort(t->job, n, sizeof(*t->job), by_submit);
	at = (double)t->job[0].submit_us;
	for (size_t i = 0; i < n; i++) {
		t->job[i].id = (uint32_t)i + 1;
		t->job[i].submit_us -= (int64_t)at;
		if (t->job[i].user == KINDS)
			victim = t->job[i].id;
	}
	return victim;
}

/* ---- bounds ---------------------------------------------------------------- */

/* So far only the engine: it is told of no other before its first job. */
static int describe(void *arg, struct cs_engine *e, size_t job,
		    struct cs_job *j)
{
	struct run *r = arg;

	(void)job;
	(void)j;
	r->engine = e;
	return 0;
}

/* When the queue was sorted last? */
static bool was_pinned(const struct cs_ejob *j)
{
	return j->shift.rule_us > SORTED_PINNED_US;
}

/* Of those before the victim in the queue: B1, and the first part of B3. */
static void check_queue(struct run *r)
{
	const struct cs_engine *e = r->engine;
	const struct cs_ejob *v = cs_engine_job(e, r->victim);
	const struct cs_queue *q = &e->sm->queue;
	double age, grown, most, shift;

	if (!v || !cs_waits(v))
		return;
	/* one that this decide has pinned was sorted as if it were not */
	shift = was_pinned(v) ? 0 : v->shift.shift_us;
	age = (double)(e->now_us - v->job.submit_us);
	most = LONG_MOST * (double)v->shift.usual_us;
	grown = v->shift.discount * age;
	grown = was_pinned(v) ? 0 : grown < most ? grown : most;
	for (size_t i = q->begin; i < q->sorted && q->entry[i].job != v; i++) {
		const struct cs_ejob *j = q->entry[i].job;
		double later = (double)(j->job.submit_us - v->job.submit_us);

		r->broken[0] += !was_pinned(j) && later > grown + shift;
		r->broken[2] += later >= ALL_SHIFT * (double)v->shift.usual_us;
	}
}

/* B2, of a job that starts. */
static void check_start(struct run *r, const struct cs_ejob *j, int64_t now_us)
{
	int64_t latest_us = j->job.submit_us + j->max_us - j->job.estimate_us;

	if (!j->shift.pinned || !j->max_us)
		return;
	r->pinned++;
	r->broken[1] += now_us > latest_us;
}

static void heard(void *arg, const struct cs_event *ev)
{
	struct run *r = arg;
	const struct cs_ejob *j;

	if (ev->type != CS_EV_STARTED)
		return;
	j = cs_engine_job(r->engine, ev->start->job_id);
	if (!j)
		die("an unknown job starts");
	r->seen[j->job.id - 1] = (struct seen){
		.usual_s = (double)j->shift.usual_us / SECOND,
		.start_s = (double)ev->t_us / SECOND,
	};
	check_start(r, j, ev->t_us);
	check_queue(r);
}

static double submit_s(const struct run *r, size_t i)
{
	return (double)r->trace.job[i].submit_us / SECOND;
}

/* Did job @k come at most ALL_SHIFT U after job @i, and wait still at @at_s? */
static bool waits_beside(const struct run *r, size_t k, size_t i, double at_s)
{
	return r->seen[k].start_s > at_s &&
	       submit_s(r, k) <=
		       submit_s(r, i) + ALL_SHIFT * r->seen[i].usual_s;
}

/* (1), of job @i: what it allows. */
static double bound_s(const struct run *r, size_t i)
{
	double usual = r->seen[i].usual_s, most = 0, all = ALL_SHIFT * usual;
	double at = submit_s(r, i) + all;
	size_t n = 0;

	for (size_t k = 0; k < r->trace.n; k++) {
		double limit = (double)r->trace.job[k].estimate_us / SECOND;

		if (r->seen[k].usual_s > usual && waits_beside(r, k, i, at))
			usual = r->seen[k].usual_s;
		most = limit > most ? limit : most;
	}
	at += PINNED * usual;
	for (size_t k = 0; k < r->trace.n; k++)
		n += k != i && waits_beside(r, k, i, at);
	return all + PINNED * usual + (double)(n + 1) * (most + SLACK * usual);
}

static const struct run *sorted; /* for the next */
static double waited(size_t i)
{
	return (sorted->seen[i].start_s - submit_s(sorted, i)) /
	       sorted->seen[i].usual_s;
}
static int longest_first(const void *va, const void *vb)
{
	double a = waited(*(const size_t *)va), b = waited(*(const size_t *)vb);

	return a > b ? -1 : a < b;
}

/* (1), of the victim and of those who waited longest. */
static void check_waits(struct run *r)
{
	size_t n = r->trace.n, *job = need(calloc(n, sizeof(*job)));

	for (size_t i = 0; i < n; i++)
		job[i] = i;
	sorted = r;
	qsort(job, n, sizeof(*job), longest_first);
	for (size_t k = 0; k < n; k++) {
		double wait_s, bound;
		size_t i = job[k];

		if (k >= DEEP && i + 1 != r->victim)
			continue;
		wait_s = r->seen[i].start_s - submit_s(r, i);
		bound = bound_s(r, i);
		r->broken[3] += wait_s > bound;
		r->filled =
			wait_s / bound > r->filled ? wait_s / bound : r->filled;
	}
	free(job);
}

/* ---- runs ------------------------------------------------------------------ */

static void simulate(struct run *r, const struct stream *s, size_t n,
		     enum policy policy)
{
	struct cs_sim_options o = { .version = "starve" };
	struct cs_sim_result result = { 0 };
	struct cs_machine *machine;
	struct cs_params params;
	struct cs_err err = { "" };

	*r = (struct run){ 0 };
	r->victim = make(s, n, &r->trace);
	if (cs_sim_machine(MACHINE, &machine, &err) ||
	    cs_params_parse(&params, CS_HOST_SIM_LIVE, policy_keys[policy], "",
			    &err))
		die(err.text);
	o.machine = machine;
	o.params = &params;
	if (policy == BALANCED) {
		r->seen = need(calloc(n, sizeof(*r->seen)));
		o.heard = heard;
		o.heard_arg = r;
		o.describe = describe;
		o.describe_arg = r;
	}
	if (cs_sim_run(&o, &r->trace, &result, &err))
		die(err.text);
	r->wait_s = (double)result.job[r->victim - 1].start_us / SECOND -
		    submit_s(r, r->victim - 1);
	cs_sim_result_done(&result);
	if (policy == BALANCED)
		check_waits(r);
	cs_params_done(&params);
	cs_machine_free(machine);
}

static void run_done(struct run *r)
{
	free(r->trace.job);
	free(r->seen);
}

static double wait_under(const struct stream *s, size_t n, enum policy policy)
{
	struct run r;

	simulate(&r, s, n, policy);
	run_done(&r);
	return r.wait_s;
}

static bool is_broken(const struct run *r)
{
	return r->broken[0] || r->broken[1] || r->broken[2] || r->broken[3];
}

static size_t n_broken; /* of all runs so far */

/* How bad it is for the victim. */
static double badness(const struct stream *s, size_t n, enum measure measure)
{
	double least = 0, usual, other;
	struct run r;

	simulate(&r, s, n, BALANCED);
	n_broken += is_broken(&r);
	usual = r.seen[r.victim - 1].usual_s;
	for (int p = COVER; measure == MORE && p < POLICIES; p++) {
		if (p == COVER_PLUS)
			continue;
		other = wait_under(s, n, (enum policy)p);
		least = other > least ? other : least;
	}
	run_done(&r);
	return (r.wait_s - least) / usual;
}

static struct stream search(struct cs_rng *rng, enum attack attack,
			    enum measure measure, size_t n, uint64_t tries)
{
	struct stream worst = draw(rng, attack);
	double most = badness(&worst, n, measure);

	for (uint64_t i = 1; i < tries; i++) {
		struct stream s =
			i < tries / 3 ? draw(rng, attack) : change(rng, worst);
		double bad = badness(&s, n, measure);

		if (bad <= most)
			continue;
		most = bad;
		worst = s;
	}
	return worst;
}

/* ---- output ---------------------------------------------------------------- */

/* A line of the stream with @n jobs, beside the first @policies. */
static void report(const struct stream *s, enum measure measure, size_t n,
		   int policies)
{
	double usual_s, bound;
	struct run r;

	simulate(&r, s, n, BALANCED);
	n_broken += is_broken(&r);
	usual_s = r.seen[r.victim - 1].usual_s;
	bound = bound_s(&r, r.victim - 1);
	printf("{\"attack\":\"%s\",\"measure\":\"%s\",\"jobs\":%zu,"
	       "\"usual_s\":%.0f,\"bound\":%.2f,\"filled\":%.3f,"
	       "\"pinned\":%zu,\"broken\":[%zu,%zu,%zu,%zu],"
	       "\"victim\":[%.0f,%.0f,%.3f],\"kinds\":[",
	       attack_name[s->attack], measure_name[measure], n, usual_s,
	       bound / usual_s, r.filled, r.pinned, r.broken[0], r.broken[1],
	       r.broken[2], r.broken[3], floor(s->cores), s->limit_s, s->at);
	for (int i = 0; i < KINDS; i++)
		printf("%s[%.4f,%.0f,%.0f,%.2f,%.0f]", i ? "," : "",
		       s->kind[i].weight, floor(s->kind[i].cores),
		       s->kind[i].limit_s, s->kind[i].part, s->kind[i].burst);
	printf("],\"wait\":{\"%s\":%.3f", policy_name[BALANCED],
	       r.wait_s / usual_s);
	for (int p = COVER; p < policies; p++)
		printf(",\"%s\":%.3f", policy_name[p],
		       wait_under(s, n, (enum policy)p) / usual_s);
	puts("}}");
	fflush(stdout);
	run_done(&r);
}

static uint64_t number(const char *name, const char *text)
{
	char *end;
	uint64_t n = text ? strtoull(text, &end, 10) : 0;

	if (!text || *end || !n || n > UINT32_MAX) {
		fprintf(stderr,
			"cosched-starve: %s: a number above 0 expected\n",
			name);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "--jobs", "--long", "--tries",
					     "--seed", "--rounds" };
	enum { JOBS, MANY_JOBS, TRIES, SEED, ROUNDS, N };
	uint64_t value[N] = { 600, 0, 40, 1, 1 };
	struct cs_rng rng;

	for (int i = 1; i < argc; i += 2) {
		int k = 0;

		while (k < N && strcmp(argv[i], names[k]))
			k++;
		if (k == N) {
			fputs("Usage: cosched-starve [--jobs N] [--long N] "
			      "[--tries N] [--seed N] [--rounds N]\n",
			      stderr);
			return 2;
		}
		value[k] = number(names[k], argv[i + 1]);
	}
	for (uint64_t k = 0; k < value[ROUNDS]; k++)
		for (int a = 0; a < ATTACKS; a++)
			for (int m = 0; m < MEASURES; m++) {
				struct stream s;

				cs_rng_init(&rng, value[SEED] + k,
					    (uint64_t)(a * MEASURES + m));
				s = search(&rng, (enum attack)a,
					   (enum measure)m, value[JOBS],
					   value[TRIES]);
				report(&s, (enum measure)m, value[JOBS],
				       POLICIES);
				if (value[MANY_JOBS])
					report(&s, (enum measure)m,
					       value[MANY_JOBS],
					       value[MANY_JOBS] > PACK_MOST
						       ? PACK
						       : POLICIES);
			}
	if (n_broken)
		fprintf(stderr,
			"cosched-starve: --seed %llu: bounds are broken "
			"in %zu runs\n",
			(unsigned long long)value[SEED], n_broken);
	return n_broken ? 1 : 0;
}
