/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What GPUs cost a decide: the same queue on the same machine with them and without.
 *
 *	bench_gpus [NODES JOBS [POLICY]...]
 *
 * NODES nodes of 2 x 16 cores are full: on each run four jobs of 8 cores.  JOBS jobs wait:
 * one in four is of 1 to 32 cores, the others have 4 cores for each GPU, of a named type in
 * half of them; one of these in ten is of 2 to 16 nodes.  Every second a running job ends,
 * and all is decided anew.  The machine is
 *
 *	plain	without GPUs, nor do jobs ask for any
 *	kinds	so, but a third of the nodes each has more memory than the last
 *	GPUs	a third each with 8 GPUs of type a, 4 of b, and 4 of c
 *
 * Times are user time, the median; the ratio is that of GPUs to plain.  Figures is what
 * cs_engine_gpus() takes on the GPUs, for `cosched status` or a scrape of the exporter.
 */
#include <string.h>

#include "bench/plant.h"
#include "common/base/rng.h"

#define US INT64_C(1000000)
#define DECIDES 15
#define DAY_S 86400
#define A_NODE 4 /* running jobs */

enum kind { PLAIN, KINDS, GPUS, N_KIND };

static const struct {
	const char *type;
	uint32_t n;
} gpus_of[] = { { "a", 8 }, { "b", 4 }, { "c", 4 } };

#define N_TYPE (sizeof(gpus_of) / sizeof(gpus_of[0]))

struct room {
	struct plant plant;
	enum kind kind;
	uint32_t nodes, next_id, n_start;
	int64_t now_us;
	struct cs_rng rng;
};

static uint32_t draw(struct room *r, uint32_t n)
{
	return (uint32_t)(cs_rng_next(&r->rng) % n);
}

static void submit(struct room *r, struct cs_job j)
{
	struct cs_job_partition option = r->plant.option;

	j.submit_us = j.eligible_us = r->now_us;
	j.option = &option;
	if (r->kind != GPUS) {
		j.gpus_node = 0;
		j.gpu_type = NULL;
	}
	plant_event(&r->plant, r->now_us,
		    (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j });
}

/* A job of @nodes nodes, with @procs processes on each. */
static struct cs_job job_of(struct room *r, uint32_t nodes, uint32_t procs,
			    int64_t estimate_s)
{
	struct cs_job j =
		plant_job(r->next_id++, nodes * procs, estimate_s * US);

	j.min_nodes = j.max_nodes = nodes;
	j.base_procs = j.procs_per_node = procs;
	return j;
}

static void decide_all(struct room *r)
{
	uint32_t starts;

	do {
		plant_decide(&r->plant, r->now_us, &starts);
		r->n_start += starts;
	} while (starts);
}

/* Give the nodes what their kind has, on the machine before an engine has seen it. */
static void equip(struct plant *p, enum kind kind, uint32_t nodes)
{
	struct cs_err err = { "" };

	for (uint32_t n = 0; kind != PLAIN && n < nodes; n++) {
		struct cs_node *node = &p->machine->node[n];
		uint32_t t = n % N_TYPE;
		struct cs_gpus g = { 0 };

		if (kind == KINDS) {
			node->memory_mb += 64000 * t;
			continue;
		}
		must(cs_gpus_add(&g, gpus_of[t].type, gpus_of[t].n, &err),
		     &err);
		must(cs_machine_share_gpus(p->machine, &g, &node->gpus), &err);
	}
	must(cs_machine_check(p->machine, &err), &err);
}

static void fill(struct room *r)
{
	uint32_t jobs = A_NODE * r->nodes;

	for (uint32_t i = 0; i < jobs; i++) {
		uint32_t t = i % N_TYPE;
		struct cs_job j =
			job_of(r, 1, PLANT_SOCKETS * PLANT_CORES / A_NODE,
			       3600 + draw(r, DAY_S));

		j.gpus_node = gpus_of[t].n / A_NODE;
		j.gpu_type = gpus_of[t].type;
		submit(r, j);
	}
	decide_all(r);
	if (r->n_start < jobs - jobs / 100) {
		fprintf(stderr, "bench_gpus: %u of %u jobs fill the nodes\n",
			r->n_start, jobs);
		exit(1);
	}
}

static void submit_one(struct room *r)
{
	uint32_t t = draw(r, N_TYPE);
	uint32_t gpus = 1U << draw(r, gpus_of[t].n == 8 ? 4 : 3);
	uint32_t nodes = draw(r, 10) ? 1 : 2 + draw(r, 15);
	uint32_t procs = draw(r, 4) ? 0 : 1 + draw(r, 32);
	bool named = draw(r, 2);
	struct cs_job j = job_of(r, procs ? 1 : nodes, procs ? procs : 4 * gpus,
				 60 + draw(r, DAY_S));

	if (!procs) {
		j.gpus_node = gpus;
		j.gpu_type = named ? gpus_of[t].type : NULL;
	}
	submit(r, j);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median of some decides, each after a running job has ended. */
static double median_s(struct room *r)
{
	double took[DECIDES];
	uint32_t starts;

	for (uint32_t i = 0; i < DECIDES; i++) {
		r->now_us += US;
		plant_event(&r->plant, r->now_us,
			    (struct cs_event){
				    .type = CS_EV_FINISH,
				    .job_id = 1 + i * (A_NODE * r->nodes /
						       DECIDES) });
		took[i] = plant_decide(&r->plant, r->now_us, &starts);
		decide_all(r);
	}
	qsort(took, DECIDES, sizeof(*took), by_size);
	return took[DECIDES / 2];
}

/* Of one call of many. */
static double figures_s(const struct room *r)
{
	double from = user_s(), waiting = 0;

	for (int i = 0; i < DECIDES; i++)
		waiting += cs_engine_gpus(r->plant.engine).waiting;
	if (r->kind == GPUS && waiting <= 0) {
		fprintf(stderr, "bench_gpus: no job waits for GPUs\n");
		exit(1);
	}
	return (user_s() - from) / DECIDES;
}

static double run(const char *policy, enum kind kind, uint32_t nodes,
		  uint32_t jobs, double *ret_figures_s)
{
	struct room r = { .kind = kind, .nodes = nodes, .next_id = 1 };
	double took_s;

	cs_rng_init(&r.rng, 1, 0);
	open_machine(&r.plant, policy, nodes);
	equip(&r.plant, kind, nodes);
	open_engine(&r.plant);
	fill(&r);
	for (uint32_t i = 0; i < jobs; i++)
		submit_one(&r);
	decide_all(&r);
	took_s = median_s(&r);
	*ret_figures_s = figures_s(&r);
	close_plant(&r.plant);
	return took_s;
}

int main(int argc, char **argv)
{
	static const char *const policies[] = { "balanced", "pack", "easy" };
	static const size_t n_policy = sizeof(policies) / sizeof(policies[0]);
	uint32_t nodes = argc > 2 ? (uint32_t)atoi(argv[1]) : 2000;
	uint32_t jobs = argc > 2 ? (uint32_t)atoi(argv[2]) : 10000;

	printf("| policy | nodes | jobs | plain ms | kinds ms | GPUs ms | ratio | figures ms |\n"
	       "|---|---:|---:|---:|---:|---:|---:|---:|\n");
	for (size_t i = 0; argc > 3 ? i < (size_t)argc - 3 : i < n_policy;
	     i++) {
		const char *policy = argc > 3 ? argv[i + 3] : policies[i];
		double s[N_KIND], figures;

		for (enum kind k = PLAIN; k < N_KIND; k++)
			s[k] = run(policy, k, nodes, jobs, &figures);
		printf("| %s | %u | %u | %.1f | %.1f | %.1f | %.2f | %.2f |\n",
		       policy, nodes, jobs, 1e3 * s[PLAIN], 1e3 * s[KINDS],
		       1e3 * s[GPUS], s[GPUS] / s[PLAIN], 1e3 * figures);
		fflush(stdout);
	}
	return 0;
}
