/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A crowd waits: how long one decide takes in which nothing can start, by policy.
 *
 *	bench_crowd [NODES JOBS [POLICY]...]
 *
 * NODES nodes of 2 x 16 cores in 8 partitions; JOBS jobs of 1 to 256 cores and 1 minute to 1
 * day wait, of four weeks' priorities, in
 *
 *	full	seven partitions, each held whole by one job until tomorrow
 *	head	the eighth as well, half of which another job holds; its head waits for the
 *		whole, and a tenth of JOBS would fit behind it, but outlast it
 *
 * full is decided each second five times, then head; a job has ended on other nodes before
 * each, so that no decide may rest on the last.  Times are user time, the median.
 */
#include <string.h>

#include "bench/plant.h"
#include "common/base/rng.h"

#define US INT64_C(1000000)
#define PARTS 8
#define DECIDES 5
#define DAY_S 86400

struct crowd {
	struct plant plant;
	struct cs_job_partition
		part[PARTS + 1]; /* the last is that of the job that ends */
	uint32_t next_id;
	int64_t now_us;
	struct cs_rng rng;
};

static void submit(struct crowd *c, uint32_t part, uint32_t procs,
		   int64_t estimate_s, uint64_t priority)
{
	struct cs_job_partition option = c->part[part];
	struct cs_job j = plant_job(c->next_id++, procs, estimate_s * US);

	j.submit_us = j.eligible_us = c->now_us;
	j.option = &option;
	option.priority = priority;
	plant_event(&c->plant, c->now_us,
		    (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j });
}

static void decide_all(struct crowd *c)
{
	uint32_t starts;

	do
		plant_decide(&c->plant, c->now_us, &starts);
	while (starts);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median of some decides, each after a job has ended elsewhere. */
static double steady(struct crowd *c)
{
	double took[DECIDES];
	uint32_t starts;

	for (int i = 0; i < DECIDES; i++) {
		uint32_t id = c->next_id;

		submit(c, PARTS, 1, 60, 1);
		decide_all(c);
		c->now_us += US;
		plant_event(&c->plant, c->now_us,
			    (struct cs_event){ .type = CS_EV_FINISH,
					       .job_id = id });
		took[i] = plant_decide(&c->plant, c->now_us, &starts);
		if (starts) {
			fprintf(stderr, "bench_crowd: a job starts\n");
			exit(1);
		}
	}
	qsort(took, DECIDES, sizeof(*took), by_size);
	return took[DECIDES / 2];
}

static void set_up(struct crowd *c, const char *policy, uint32_t nodes)
{
	uint32_t each = nodes / PARTS;

	*c = (struct crowd){ .next_id = 1 };
	cs_rng_init(&c->rng, 1, 0);
	open_plant(&c->plant, policy, PARTS * each + 1);
	for (uint32_t p = 0; p <= PARTS; p++) {
		uint64_t *set = must_have(
			calloc((PARTS * each + 1) / 64 + 1, sizeof(*set)));

		for (uint32_t n = p * each;
		     n < (p + 1) * each && n <= PARTS * each; n++)
			cs_bit_set(set, n);
		c->part[p] = c->plant.option;
		c->part[p].partition = p + 1;
		c->part[p].nodeset =
			(uint32_t)cs_engine_nodeset(c->plant.engine, set);
		free(set);
	}
	for (uint32_t p = 0; p < PARTS - 1; p++)
		submit(c, p, each * PLANT_SOCKETS * PLANT_CORES, DAY_S, 1);
	submit(c, PARTS - 1, each / 2 * PLANT_SOCKETS * PLANT_CORES, DAY_S, 1);
	decide_all(c);
}

static uint64_t draw(struct crowd *c, uint64_t n)
{
	return cs_rng_next(&c->rng) % n;
}

static void submit_crowd(struct crowd *c, uint32_t jobs)
{
	for (uint32_t i = 0; i < jobs; i++) {
		c->now_us += US;
		submit(c, (uint32_t)draw(c, PARTS - 1),
		       1 + (uint32_t)draw(c, 256), 60 + (int64_t)draw(c, DAY_S),
		       1 + draw(c, 40320));
	}
}

static void submit_head(struct crowd *c, uint32_t nodes, uint32_t jobs)
{
	uint32_t most = nodes / PARTS * PLANT_SOCKETS * PLANT_CORES;

	submit(c, PARTS - 1, most, 3600, 50000);
	for (uint32_t i = 0; i < jobs / 10; i++)
		submit(c, PARTS - 1, 1 + (uint32_t)draw(c, 256),
		       3 * DAY_S + (int64_t)draw(c, DAY_S), 1 + draw(c, 40320));
}

static void row(const char *policy, uint32_t nodes, uint32_t jobs)
{
	double full_s, head_s;
	struct crowd c;

	set_up(&c, policy, nodes);
	submit_crowd(&c, jobs);
	decide_all(&c);
	full_s = steady(&c);
	submit_head(&c, nodes, jobs);
	decide_all(&c);
	head_s = steady(&c);
	printf("| %s | %u | %u | %.1f | %.1f |\n", policy, nodes, jobs,
	       1e3 * full_s, 1e3 * head_s);
	fflush(stdout);
	close_plant(&c.plant);
}

int main(int argc, char **argv)
{
	static const char *const policies[] = {
		"balanced", "adaptive", "easy", "cover", "ostrich", "pack"
	};
	static const size_t n_policy = sizeof(policies) / sizeof(policies[0]);
	uint32_t nodes = argc > 2 ? (uint32_t)atoi(argv[1]) : 10000;
	uint32_t jobs = argc > 2 ? (uint32_t)atoi(argv[2]) : 100000;

	printf("| policy | nodes | jobs | full ms | head ms |\n"
	       "|---|---:|---:|---:|---:|\n");
	for (size_t i = 0; argc > 3 ? i < (size_t)argc - 3 : i < n_policy; i++)
		row(argc > 3 ? argv[i + 3] : policies[i], nodes, jobs);
	return 0;
}
