/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host's reservations cost a decide: the same full machine and the same queue
 * without reservations, with reservations of whole nodes and with reservations of cores.
 *
 *	bench_resv [NODES JOBS [POLICY]...]
 *
 *	none	no reservation
 *	blocks	400 reservations of 51 nodes in a row, on the hour, of two hours each
 *	sets	400 reservations of 51 nodes drawn from all
 *	cores	200 reservations of 4 cores on each of 8 nodes in a row
 *
 * NODES nodes of 2 x 16 cores, all taken by jobs of one node; JOBS jobs of 1 to 64 nodes
 * wait for 1 minute to 1 day.  A decide is measured after a running job has ended before
 * its time, so that all promises are made anew, and its event after a reservation has
 * changed, so that the nodes are sorted into classes, too.  Times are user time, the
 * median of ROUNDS decides; `times` is the ratio to the same without reservations.
 */
#include <string.h>

#include "bench/plant.h"
#include "common/base/rng.h"

#define US INT64_C(1000000)
#define HOUR (3600 * US)
#define ROUNDS 7

enum kind { NONE, BLOCKS, SETS, OF_CORES, KINDS };
static const char *const kind_name[KINDS] = { "none", "blocks", "sets",
					      "cores" };

struct bench {
	struct plant plant;
	struct cs_rng rng;
	int64_t now_us;
	uint32_t nodes, next_id;
};

static void event(struct bench *p, struct cs_event ev)
{
	struct cs_err err = { "" };

	ev.t_us = p->now_us;
	must(cs_engine_event(p->plant.engine, &ev, &err), &err);
}

static uint32_t submit(struct bench *p, uint32_t nodes, int64_t estimate_us)
{
	struct cs_job j = { .id = p->next_id++,
			    .user = "u",
			    .account = "a",
			    .name = "n",
			    .procs = nodes * PLANT_SOCKETS * PLANT_CORES,
			    .cpus_per_proc = 1,
			    .min_nodes = nodes,
			    .base_procs = nodes * PLANT_SOCKETS * PLANT_CORES,
			    .tasks = 1,
			    .submit_us = p->now_us,
			    .estimate_us = estimate_us,
			    .option = &p->plant.option,
			    .n_option = 1 };

	event(p, (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j });
	return j.id;
}

/* A job that has all of @node. */
static uint32_t run_on(struct bench *p, uint32_t node, int64_t estimate_us)
{
	struct cs_alloc *a = must_have(cs_alloc_create(1, 1));
	struct cs_started s = { .job_id = submit(p, 1, estimate_us),
				.start_us = p->now_us,
				.limit_us = 24 * HOUR,
				.alloc = a };

	a->node[0] =
		(struct cs_alloc_node){ .node = node,
					.procs = PLANT_SOCKETS * PLANT_CORES };
	cs_alloc_cores(a, 0)[0] =
		(UINT64_C(1) << PLANT_SOCKETS * PLANT_CORES) - 1;
	event(p, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(a);
	return s.job_id;
}

/* Reservation @i of its kind, shifted by @later_us. */
static void reserve(struct bench *p, enum kind kind, uint32_t i,
		    int64_t later_us)
{
	uint32_t n = kind == OF_CORES ? 8 : 51, k = 0, from;
	uint32_t *node = must_have(calloc(n, sizeof(*node)));
	struct cs_reservation r = { .id = i + 1,
				    .n = n,
				    .node = node,
				    .start_us = later_us + (1 + i) * HOUR,
				    .end_us = later_us + (3 + i) * HOUR };
	struct cs_alloc *a = NULL;
	struct cs_rng own;

	cs_rng_init(&own, 1 + i, 0);
	from = (uint32_t)(cs_rng_next(&own) % (p->nodes - n));
	for (uint32_t at = 0; kind == SETS && k < n; at++)
		if (cs_rng_next(&own) % (p->nodes - at) < n - k)
			node[k++] = at;
	for (; k < n; k++)
		node[k] = from + k;
	if (kind == OF_CORES) {
		a = must_have(cs_alloc_create(n, 1));
		for (k = 0; k < n; k++) {
			a->node[k].node = node[k];
			cs_alloc_cores(a, k)[0] = UINT64_C(0xf) << i % 8 * 4;
		}
		r.cores = a;
	}
	event(p, (struct cs_event){ .type = CS_EV_RESERVATION,
				    .reservation = &r });
	cs_alloc_free(a);
	free(node);
}

static void fill(struct bench *p, enum kind kind, uint32_t jobs)
{
	uint32_t n = kind == NONE ? 0 : kind == OF_CORES ? 200 : 400;

	for (uint32_t i = 0; i < p->nodes; i++)
		run_on(p, i,
		       HOUR / 2 + (int64_t)(cs_rng_next(&p->rng) % 1440) * 60 *
					  US);
	for (uint32_t i = 0; i < n; i++)
		reserve(p, kind, i, 0);
	for (uint32_t i = 0; i < jobs; i++) {
		uint32_t least = UINT32_C(1) << cs_rng_next(&p->rng) % 6;
		uint32_t nodes =
			least + (uint32_t)(cs_rng_next(&p->rng) % least);

		submit(p, nodes,
		       (60 + (int64_t)(cs_rng_next(&p->rng) % 86340)) * US);
	}
}

/* Decide; starts are refused for the moment, so that the queue stays. */
static double decide(struct bench *p)
{
	struct cs_actions a;
	struct cs_err err = { "" };
	double from = user_s(), took = 0;
	uint32_t *seq, n;

	do {
		from = user_s();
		must(cs_engine_decide(p->plant.engine, p->now_us, &a), &err);
		took += user_s() - from;
		seq = must_have(calloc(a.n + 1, sizeof(*seq)));
		n = 0;
		for (size_t i = 0; i < a.n; i++)
			if (a.action[i].type == CS_ACT_START)
				seq[n++] = a.action[i].seq;
		for (uint32_t i = 0; i < n; i++)
			event(p, (struct cs_event){
					 .type = CS_EV_REFUSED,
					 .refused = { .seq = seq[i],
						      .class = CS_REFUSED_TIMED,
						      .why = "bench" } });
		free(seq);
	} while (n);
	return took;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static double median(double *s)
{
	qsort(s, ROUNDS, sizeof(*s), by_size);
	return s[ROUNDS / 2];
}

/* Medians: of decides after a job's end, and after a changed reservation. */
static void measure(const char *policy, enum kind kind, uint32_t nodes,
		    uint32_t jobs, double *ret_end_s, double *ret_changed_s)
{
	double end[ROUNDS], changed[ROUNDS];
	struct bench p = { .next_id = 1, .nodes = nodes };

	cs_rng_init(&p.rng, 1, 0);
	open_plant(&p.plant, policy, nodes);
	fill(&p, kind, jobs);
	decide(&p);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		p.now_us += US;
		/* the job on node i, the first one that was submitted there */
		event(&p, (struct cs_event){ .type = CS_EV_FINISH,
					     .job_id = i + 1 });
		run_on(&p, i, 12 * HOUR);
		end[i] = decide(&p);
		p.now_us += US;
		if (kind == NONE)
			event(&p, (struct cs_event){ .type = CS_EV_TICK });
		else
			reserve(&p, kind, i, (1 + i) * US);
		changed[i] = decide(&p);
	}
	close_plant(&p.plant);
	*ret_end_s = median(end);
	*ret_changed_s = median(changed);
}

int main(int argc, char **argv)
{
	static const char *const policies[] = { "adaptive", "pack", "easy",
						"cover" };
	static const size_t n_policy = sizeof(policies) / sizeof(policies[0]);
	uint32_t nodes = argc > 2 ? (uint32_t)atoi(argv[1]) : 1000;
	uint32_t jobs = argc > 2 ? (uint32_t)atoi(argv[2]) : 1000;

	if (nodes < 100) {
		fprintf(stderr, "bench_resv: 100 nodes or more expected\n");
		return 2;
	}
	printf("| policy | reservations | decide ms | times | after a change ms | times |\n"
	       "|---|---|---:|---:|---:|---:|\n");
	for (size_t i = 0; argc > 3 ? i < (size_t)argc - 3 : i < n_policy;
	     i++) {
		const char *policy = argc > 3 ? argv[i + 3] : policies[i];
		double none_s = 0;

		for (int k = 0; k < KINDS; k++) {
			double end_s, changed_s;

			measure(policy, k, nodes, jobs, &end_s, &changed_s);
			if (k == NONE)
				none_s = end_s > 1e-6 ? end_s : 1e-6;
			printf("| %s | %s | %.1f | %.1f | %.1f | %.1f |\n",
			       policy, kind_name[k], 1e3 * end_s,
			       end_s / none_s, 1e3 * changed_s,
			       changed_s / none_s);
			fflush(stdout);
		}
	}
	return 0;
}
