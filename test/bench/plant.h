/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the benchmarks of decides share: an engine with a machine of equal nodes, of 2 x 16
 * cores, and one partition of all of them.  What fails ends the program.
 */
#ifndef CS_BENCH_PLANT_H
#define CS_BENCH_PLANT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "common/engine/engine.h"

#define PLANT_SOCKETS 2
#define PLANT_CORES 16 /* a socket */

struct plant {
	struct cs_params params;
	struct cs_machine *machine;
	struct cs_engine *engine;
	struct cs_job_partition option;
};

static inline double user_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
}

static inline void must(int rc, const struct cs_err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, err->text);
	exit(1);
}

static inline void *must_have(void *p)
{
	if (!p) {
		fprintf(stderr, "%s: out of memory\n",
			program_invocation_short_name);
		exit(1);
	}
	return p;
}

/* An engine for the machine as it is now, and a partition of all its nodes. */
static inline void open_engine(struct plant *p)
{
	uint32_t nodes = p->machine->n_node;
	uint64_t *all = must_have(calloc(nodes / 64 + 1, sizeof(*all)));
	struct cs_err err = { "" };

	p->engine = cs_engine_create(&p->params, p->machine, NULL, &err);
	must(p->engine ? 0 : -1, &err);
	for (uint32_t n = 0; n < nodes; n++)
		cs_bit_set(all, n);
	p->option = (struct cs_job_partition){
		.nodeset = (uint32_t)cs_engine_nodeset(p->engine, all),
		.limit_max_us = 86400 * INT64_C(1000000),
		.priority = 1
	};
	free(all);
}

/* The machine alone, whose nodes may be changed before open_engine(). */
static inline void open_machine(struct plant *p, const char *policy,
				uint32_t nodes)
{
	struct cs_node like = { .sockets = PLANT_SOCKETS,
				.cores_per_socket = PLANT_CORES,
				.threads = 1,
				.memory_mb = 128000 };
	struct cs_err err = { "" };
	char settings[128];

	snprintf(settings, sizeof(settings), "policy=%s", policy);
	*p = (struct plant){ 0 };
	must(cs_params_parse(&p->params, CS_HOST_LIVE, settings, "", &err),
	     &err);
	p->machine = must_have(cs_machine_create(nodes, &like));
}

static inline void open_plant(struct plant *p, const char *policy,
			      uint32_t nodes)
{
	open_machine(p, policy, nodes);
	open_engine(p);
}

/* A job of one-core processes, without option and times. */
static inline struct cs_job plant_job(uint32_t id, uint32_t procs,
				      int64_t estimate_us)
{
	return (struct cs_job){ .id = id,
				.user = "u",
				.account = "a",
				.name = "n",
				.procs = procs,
				.cpus_per_proc = 1,
				.min_nodes = 1,
				.base_procs = 1,
				.tasks = 1,
				.estimate_us = estimate_us,
				.n_option = 1 };
}

static inline void plant_event(struct plant *p, int64_t now_us,
			       struct cs_event ev)
{
	struct cs_err err = { "" };

	ev.t_us = now_us;
	must(cs_engine_event(p->engine, &ev, &err), &err);
}

/* One decide; confirm what starts, with a limit of a day.  Returns its user time. */
static inline double plant_decide(struct plant *p, int64_t now_us,
				  uint32_t *ret_starts)
{
	struct cs_err err = { "" };
	struct cs_started *s;
	struct cs_actions a;
	double from = user_s(), took;

	must(cs_engine_decide(p->engine, now_us, &a), &err);
	took = user_s() - from;
	*ret_starts = 0;
	s = must_have(calloc(a.n + 1, sizeof(*s)));
	for (size_t i = 0; i < a.n; i++)
		if (a.action[i].type == CS_ACT_START)
			s[(*ret_starts)++] = (struct cs_started){
				.seq = a.action[i].seq,
				.job_id = a.action[i].job_id,
				.limit_us = 86400 * INT64_C(1000000),
				.alloc = must_have(
					cs_alloc_copy(a.action[i].alloc))
			};
	for (uint32_t i = 0; i < *ret_starts; i++) {
		plant_event(p, now_us,
			    (struct cs_event){ .type = CS_EV_STARTED,
					       .start = &s[i] });
		cs_alloc_free((struct cs_alloc *)(uintptr_t)s[i].alloc);
	}
	free(s);
	return took;
}

static inline void close_plant(struct plant *p)
{
	cs_engine_free(p->engine);
	cs_machine_free(p->machine);
	cs_params_done(&p->params);
}

#endif
