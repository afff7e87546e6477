/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A night's queue on an empty machine: how long the decides and events take until all
 * that fits has started, by policy.
 *
 *	bench_burst [NODES JOBS [POLICY]...]
 *
 *	array	one job of JOBS tasks of one core
 *	arrays	JOBS / 10 jobs of 10 such tasks
 *	jobs	JOBS jobs of one core
 *	mixed	JOBS / 3 jobs of 1 to 64 cores and 1 minute to 1 day
 *
 * each arriving at once on NODES nodes of 2 x 16 cores, and a tenth of it on a tenth of
 * the nodes.  The last column is the exponent of the growth between the two: 1 is in
 * proportion to the starts.  Times are user time of one run.
 */
#include <math.h>
#include <string.h>

#include "bench/plant.h"
#include "common/base/rng.h"

#define US INT64_C(1000000)

enum kind { ARRAY, ARRAYS, JOBS, MIXED, KINDS };
static const char *const kind_name[KINDS] = { "array", "arrays", "jobs",
					      "mixed" };

struct burst {
	struct plant plant;
	bool array;
	uint32_t next_id;
	uint32_t started;
	double decide_s, event_s;
};

static void event(struct burst *b, const struct cs_event *ev)
{
	struct cs_err err = { "" };
	double from = user_s();

	must(cs_engine_event(b->plant.engine, ev, &err), &err);
	b->event_s += user_s() - from;
}

static void submit(struct burst *b, uint32_t tasks, uint32_t procs,
		   int64_t estimate_us)
{
	struct cs_job j = plant_job(b->next_id++, procs, estimate_us);

	j.tasks = tasks;
	j.option = &b->plant.option;
	j.array_id = tasks > 1 ? j.id : 0;
	event(b, &(struct cs_event){ .type = CS_EV_SUBMIT, .job = &j });
}

static void submit_all(struct burst *b, enum kind kind, uint32_t jobs)
{
	struct cs_rng r;

	cs_rng_init(&r, 1, 0);
	if (kind == ARRAY)
		submit(b, jobs, 1, 3600 * US);
	for (uint32_t i = 0; kind == ARRAYS && i < jobs / 10; i++)
		submit(b, 10, 1, 3600 * US);
	for (uint32_t i = 0; kind == JOBS && i < jobs; i++)
		submit(b, 1, 1, 3600 * US);
	for (uint32_t i = 0; kind == MIXED && i < jobs / 3; i++) {
		uint32_t least = UINT32_C(1) << cs_rng_next(&r) % 6;
		uint32_t procs = least + (uint32_t)(cs_rng_next(&r) % least);
		int64_t run_s = 60 + (int64_t)(cs_rng_next(&r) % 86340);

		submit(b, 1, procs, run_s * US);
	}
}

/* Confirm the starts of one decide.  Returns how many there were. */
static uint32_t confirm(struct burst *b, const struct cs_actions *a)
{
	struct cs_started *s = must_have(calloc(a->n + 1, sizeof(*s)));
	uint32_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct cs_action *x = &a->action[i];

		if (x->type != CS_ACT_START)
			continue;
		s[n++] = (struct cs_started){ .seq = x->seq,
					      .job_id = x->job_id,
					      .limit_us = 86400 * US,
					      .alloc = must_have(cs_alloc_copy(
						      x->alloc)) };
	}
	for (uint32_t i = 0; i < n; i++) {
		/* the host gives each task of an array an id */
		if (b->array) {
			s[i].array_id = s[i].job_id;
			s[i].job_id = b->next_id++; /* of the task */
		}
		event(b, &(struct cs_event){ .type = CS_EV_STARTED,
					     .start = &s[i] });
		cs_alloc_free((struct cs_alloc *)(uintptr_t)s[i].alloc);
	}
	free(s);
	return n;
}

static void run(struct burst *b, enum kind kind, uint32_t jobs)
{
	struct cs_actions a;
	struct cs_err err = { "" };
	uint32_t n;

	b->array = kind == ARRAY || kind == ARRAYS;
	submit_all(b, kind, jobs);
	do {
		double from = user_s();

		must(cs_engine_decide(b->plant.engine, 0, &a), &err);
		b->decide_s += user_s() - from;
		n = confirm(b, &a);
		b->started += n;
	} while (n);
}

static void row(const char *policy, enum kind kind, uint32_t nodes,
		uint32_t jobs)
{
	double s[2];
	struct burst b;

	for (int i = 0; i < 2; i++) {
		uint32_t part = i ? 1 : 10;

		b = (struct burst){ .next_id = 1 };
		open_plant(&b.plant, policy, nodes / part);
		run(&b, kind, jobs / part);
		s[i] = b.decide_s + b.event_s;
		if (i)
			printf("| %s | %s | %u | %u | %u | %.3f | %.3f | %.2f |\n",
			       policy, kind_name[kind], nodes,
			       kind == MIXED ? jobs / 3 : jobs, b.started,
			       b.decide_s, b.event_s,
			       log10(s[1] / (s[0] > 1e-4 ? s[0] : 1e-4)));
		close_plant(&b.plant);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char *const policies[] = {
		"balanced", "adaptive", "easy",	   "cover", "cover+",
		"glts",	    "glts+",	"ostrich", "pack"
	};
	static const size_t n_policy = sizeof(policies) / sizeof(policies[0]);
	uint32_t nodes = argc > 2 ? (uint32_t)atoi(argv[1]) : 500;
	uint32_t jobs = argc > 2 ? (uint32_t)atoi(argv[2]) : 15000;

	printf("| policy | queue | nodes | jobs | started | decides s | events s | growth |\n"
	       "|---|---|---:|---:|---:|---:|---:|---:|\n");
	for (size_t i = 0; argc > 3 ? i < (size_t)argc - 3 : i < n_policy; i++)
		for (int k = 0; k < KINDS; k++)
			row(argc > 3 ? argv[i + 3] : policies[i], k, nodes,
			    jobs);
	return 0;
}
