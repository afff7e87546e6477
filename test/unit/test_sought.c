/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds of the starts of heads (backfill/sought.c): in random worlds a head is predicted the
 * start that it is predicted without those before it, whose searches gave the bounds.
 */
#include "cs_test.h"
#include "rig.h"

#include "base/bits.h"

#define NODES 6
#define CORES 4
#define DAY_S (24 * 3600)
#define HEADS 14 /* of more only a bound is told (easy.c, rule 8) */
#define RESERVATIONS 6

struct world {
	const char *params;
	int64_t end_s[NODES]; /* of the jobs that have all nodes */
	uint32_t down;	      /* a node whose job has ended; NODES: none */
	uint32_t n_resv;
	struct {
		uint64_t nodes;
		int64_t start_s, end_s;
	} resv[RESERVATIONS];
	struct {
		uint32_t procs, flags;
		int64_t estimate_s;
		uint64_t set;
	} head[HEADS];
};

static struct world draw_world(uint64_t *rng)
{
	static const char *const params[] = {
		"policy=balanced,horizon_s=86400",
		"policy=easy,horizon_s=86400,unprofiled=model",
		"policy=cover,horizon_s=86400,unprofiled=pack",
	};
	struct world w = { .params = params[cs_test_draw(rng, 3)],
			   .down = (uint32_t)cs_test_draw(rng, 3 * NODES),
			   .n_resv = (uint32_t)cs_test_draw(rng,
							    RESERVATIONS + 1) };

	for (uint32_t n = 0; n < NODES; n++)
		w.end_s[n] = (int64_t)(2 + cs_test_draw(rng, 15)) * DAY_S;
	for (uint32_t i = 0; i < w.n_resv; i++) {
		w.resv[i].nodes = 1 + cs_test_draw(rng, (1 << NODES) - 1);
		w.resv[i].start_s =
			(int64_t)(1 + cs_test_draw(rng, 19)) * DAY_S;
		w.resv[i].end_s = w.resv[i].start_s +
				  (int64_t)(1 + cs_test_draw(rng, 48)) * 3600;
	}
	for (uint32_t i = 0; i < HEADS; i++) {
		w.head[i].procs =
			(uint32_t)(1 + cs_test_draw(rng, NODES * CORES));
		w.head[i].flags = cs_test_draw(rng, 2) ? CS_JOB_NO_SHARE : 0;
		w.head[i].estimate_s =
			(int64_t)(1 + cs_test_draw(rng, 72)) * 3600;
		w.head[i].set = cs_test_draw(rng, 2) ? 7 : 63;
	}
	return w;
}

static void submit(struct rig *r, uint32_t id, uint32_t procs, uint32_t flags,
		   int64_t estimate_s, uint64_t set)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j = rig_job(r, id, procs, estimate_s, NULL);

	o.nodeset = (uint32_t)cs_engine_nodeset(r->engine, &set);
	j.option = &o;
	j.flags |= flags;
	rig_submit(r, &j);
}

static void reserve(struct rig *r, const struct world *w, uint32_t i)
{
	uint32_t node[NODES];
	struct cs_reservation v = { .id = i + 1,
				    .node = node,
				    .start_us = w->resv[i].start_s * RIG_S,
				    .end_us = w->resv[i].end_s * RIG_S };

	for (uint64_t set = w->resv[i].nodes; set;)
		node[v.n++] = cs_bit_pop(&set);
	rig_tell(r, (struct cs_event){ .type = CS_EV_RESERVATION,
				       .reservation = &v });
}

/* Nodes are taken until their ends, then the heads from @from to @end come. */
static void open_world(struct rig *r, const struct world *w, uint32_t from,
		       uint32_t end)
{
	rig_open(r, w->params, NULL, NODES, 1, CORES, 0);
	for (uint32_t n = 0; n < NODES; n++)
		submit(r, n + 1, CORES, 0, w->end_s[n], UINT64_C(1) << n);
	rig_decide(r);
	if (w->down < NODES) {
		rig_finish(r, w->down + 1);
		rig_tell(r, (struct cs_event){
				    .type = CS_EV_NODE,
				    .node = { w->down, false, NULL, "" } });
	}
	for (uint32_t i = 0; i < w->n_resv; i++)
		reserve(r, w, i);
	for (uint32_t i = from; i < end; i++)
		submit(r, 101 + i, w->head[i].procs, w->head[i].flags,
		       w->head[i].estimate_s, w->head[i].set);
	rig_decide(r);
}

static int64_t start_us(struct rig *r, uint32_t i)
{
	return cs_engine_predicted_start_us(r->engine, 101 + i, NULL);
}

static void a_head_is_predicted_what_it_is_alone(void **state)
{
	uint64_t rng = cs_test_seed(), some = 0, none = 0;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct world w = draw_world(&rng);
		struct rig all, one;

		open_world(&all, &w, 0, HEADS);
		for (uint32_t i = 0; i < HEADS; i++) {
			int64_t t = start_us(&all, i);

			open_world(&one, &w, i, i + 1);
			assert_true(t == start_us(&one, i));
			rig_close(&one);
			some += t != CS_TIME_NONE;
			none += t == CS_TIME_NONE;
		}
		rig_close(&all);
	}
	assert_true(some > 1000 && none > 100);
}

/* Job 3 takes the GPU, for which others must leave cores: job 4, which asks for what job 2
 * does, has room when job 1 ends.  Job 5 must not take it. */
static void a_start_may_give_another_job_room(void **state)
{
	struct cs_gpus gpus = { 0 };
	struct cs_err err;
	struct cs_job j;
	struct rig r;

	(void)state;
	assert_int_equal(cs_gpus_parse(&gpus, "1", &err), 0);
	rig_gpus = &gpus;
	rig_gpu_nodes = 1;
	rig_open(&r, "policy=pack,order=fcfs,backfill=easy,gpu_cores=2", NULL,
		 1, 1, 4, 0);
	rig_gpus = NULL;
	rig_gpu_nodes = 0;
	rig_add(&r, 1, 1, 1000, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 3, 100, NULL);
	j = rig_job(&r, 3, 1, 5000, NULL);
	j.gpus_node = 1;
	rig_submit(&r, &j);
	rig_add(&r, 4, 3, 100, NULL);
	rig_add(&r, 5, 1, 5000, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	assert_false(rig_runs(&r, 5));
	rig_close(&r);
}

static void add_wide(struct rig *r, uint32_t id)
{
	struct cs_job j = rig_job(r, id, 2, 100, NULL);

	j.min_nodes = 2;
	rig_submit(r, &j);
}

/* Of a head behind many beyond the horizon only a bound is told, also if one before it that
 * asks for the same has been found to have no start. */
static void behind_many_a_bound_is_told(void **state)
{
	char text[1024];
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,horizon_s=86400,unprofiled=model", NULL, 2, 1,
		 CORES, 0);
	submit(&r, 1, CORES, 0, 10 * DAY_S, 1);
	rig_decide(&r);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 1, false, NULL, "" } });
	add_wide(&r, 10);
	for (uint32_t id = 11; id < 27; id++)
		rig_add(&r, id, CORES, 100, NULL);
	add_wide(&r, 30);
	rig_decide(&r);
	cs_explain(r.engine, 10, NULL, text, sizeof(text));
	assert_contains(text, "no set of nodes that are up can hold it");
	cs_explain(r.engine, 30, NULL, text, sizeof(text));
	assert_contains(text, "no earlier than in");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_is_predicted_what_it_is_alone),
		cmocka_unit_test(a_start_may_give_another_job_room),
		cmocka_unit_test(behind_many_a_bound_is_told),
	};

	return cmocka_run_group_tests_name("sought", tests, NULL, NULL);
}
