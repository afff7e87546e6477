/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GPUs: which a node has, which one a job gets, what a plan keeps of them; and on random
 * machines and queues, that no GPU is held beyond the whole, and each job has what it
 * asked for.
 */
#include "cs_test.h"
#include "common/model/gpu_mix.h"
#include "common/model/layout.h"
#include "rig.h"

static struct cs_gpus gpus(const char *text)
{
	struct cs_gpus g;
	struct cs_err err;

	if (cs_gpus_parse(&g, text, &err))
		fail_msg("%s", err.text);
	return g;
}

static void gpus_are_read_by_type(void **state)
{
	static const char *const wrong[] = { "",
					     "x",
					     "a:",
					     ":2",
					     "a:0",
					     "65",
					     "a:2,",
					     "a:1,a:1",
					     "a:33,b:32",
					     "a:-1",
					     "1 ",
					     "0,1",
					     "a:1,b:1,c:1,d:1,e:1" };
	struct cs_gpus g = gpus("a100:4,t4:2");
	struct cs_err err;

	(void)state;
	assert_int_equal(g.n, 6);
	assert_int_equal(g.n_kind, 2);
	assert_int_equal(cs_gpus_of(&g, cs_gpu_id("a100")), 0x0f);
	assert_int_equal(cs_gpus_of(&g, cs_gpu_id("t4")), 0x30);
	assert_int_equal(cs_gpus_of(&g, cs_gpu_id(NULL)), 0x3f);
	assert_int_equal(cs_gpus_of(&g, cs_gpu_id("t5")), 0);
	assert_int_equal(cs_gpus_of(NULL, 0), 0);
	assert_string_equal(cs_gpu_type(&g, 3), "a100");
	assert_string_equal(cs_gpu_type(&g, 4), "t4");
	g = gpus("64");
	assert_true(cs_gpus_of(&g, 0) == UINT64_MAX);
	assert_int_equal(cs_gpus_of(&g, cs_gpu_id("a100")), 0);
	assert_int_equal(gpus("0").n, 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (!cs_gpus_parse(&g, wrong[i], &err))
			fail_msg("'%s' was taken", wrong[i]);
}

static void note(struct cs_gpu_mix *m, uint32_t cores, uint32_t n,
		 uint32_t share, uint32_t times)
{
	const struct cs_gpu_request r = { .cores = cores,
					  .gpus = n,
					  .share = share };

	cs_gpu_mix_note(m, &r, times);
}

/* The example of gpu_mix.c, and equation 1's cases. */
static void a_fragment_is_what_requests_cannot_use(void **state)
{
	struct cs_gpu_mix m = { 0 };
	struct cs_gpus g = gpus("4");
	struct cs_gpu_room x = {
		.gpus = &g, .cores = 1, .mem_mb = UINT64_MAX, .used = { 1000 }
	};

	(void)state;
	note(&m, 1, 1, 1000, 1);
	assert_int_equal(cs_gpu_mix_fragment(&m, &x), 0);
	note(&m, 2, 2, 1000, 1);
	assert_int_equal(cs_gpu_mix_fragment(&m, &x), 3000);
	/* with its cores the second can run: all free GPUs are of use */
	x.cores = 2;
	assert_int_equal(cs_gpu_mix_fragment(&m, &x), 0);
	/* of 300 free thousandths none is of use to either */
	x.used[1] = 700;
	assert_int_equal(cs_gpu_mix_fragment(&m, &x), 2 * 300);
	note(&m, 1, 1, 300, 1);
	assert_int_equal(cs_gpu_mix_fragment(&m, &x), 2 * 300);
	/* one whole GPU is left: too few for the second, which loses it, too */
	x.used[2] = 1000;
	assert_int_equal(cs_gpu_mix_fragment(&m, &x), 300 + 1300);
	note(&m, 1, 1, 1000, CS_GPU_MIX_COUNT);
	assert_true(m.total < CS_GPU_MIX_COUNT);
}

/* Of more requests than are remembered the rarest makes room, and old ones fade. */
static void the_mix_remembers_the_usual_requests(void **state)
{
	struct cs_gpu_mix m = { 0 };
	uint32_t total = 0, usual = 0;

	(void)state;
	for (uint32_t i = 0; i < 3 * CS_GPU_MIX; i++) {
		note(&m, 1 + i, 1, 1000, 1);
		note(&m, 7, 2, 1000, 2);
	}
	assert_int_equal(m.n, CS_GPU_MIX);
	for (uint32_t i = 0; i < m.n; i++) {
		total += m.kind[i].count;
		if (m.kind[i].of.gpus == 2)
			usual = m.kind[i].count;
	}
	assert_int_equal(m.total, total);
	assert_int_equal(usual, 6 * CS_GPU_MIX);
	for (uint32_t i = 0; i < CS_GPU_MIX_COUNT; i++)
		note(&m, 3, 4, 1000, 1);
	for (uint32_t i = 0; i < m.n; i++)
		if (m.kind[i].of.gpus == 2)
			assert_true(m.kind[i].count < usual);
}

/* ---- one job after the other ---------------------------------------------- */

static void open_with(struct rig *r, const char *params, uint32_t nodes,
		      uint16_t cores, uint64_t with, const char *text)
{
	struct cs_gpus g = gpus(text);

	rig_gpus = &g;
	rig_gpu_nodes = with;
	rig_open(r, params, NULL, nodes, 1, cores, 0);
}

/* Job @id with @n GPUs on a node, or (@all) in all. */
static void add(struct rig *r, uint32_t id, uint32_t procs, uint32_t n,
		uint32_t all, uint32_t share)
{
	struct cs_job j = rig_job(r, id, procs, 100, NULL);

	j.gpus_node = n;
	j.gpus = all;
	j.gpu_share = share;
	rig_submit(r, &j);
}

/* "0:0,2 1:3": nodes and the GPUs on each, of a running job. */
static const char *where(struct rig *r, uint32_t id)
{
	static char text[256];
	struct cs_running x = rig_running(r, id);
	int len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < x.alloc->n_node; i++) {
		uint64_t set = x.alloc->node[i].gpus;
		const char *lead = ":";

		len += sprintf(text + len, "%s%u", i ? " " : "",
			       x.alloc->node[i].node);
		for (; set; lead = ",")
			len += sprintf(text + len, "%s%u", lead,
				       cs_bit_pop(&set));
	}
	return text;
}

static const char *why(struct rig *r, uint32_t id)
{
	static char text[4096];

	assert_true(cs_explain(r->engine, id, NULL, text, sizeof(text)) > 0);
	return text;
}

#define PACK "policy=pack,order=fcfs,backfill=easy"

static void jobs_without_gpus_leave_nodes_with_some(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, PACK, 3, 4, 0x3, "2");
	add(&r, 1, 2, 0, 0, 0);
	add(&r, 2, 2, 0, 0, 0);
	add(&r, 3, 1, 0, 0, 0);
	add(&r, 4, 1, 1, 0, 0);
	rig_decide(&r);
	assert_string_equal(where(&r, 1), "2");
	assert_string_equal(where(&r, 2), "2");
	/* no other has room */
	assert_string_equal(where(&r, 3), "0");
	assert_string_equal(where(&r, 4), "0:0");
	rig_close(&r);
}

static void gpu_cores_are_left_for_free_gpus(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, PACK ",gpu_cores=1", 1, 4, 0x1, "2");
	add(&r, 1, 3, 0, 0, 0);
	add(&r, 2, 2, 0, 0, 0);
	rig_decide(&r);
	assert_false(rig_runs(&r, 1));
	rig_at(&r, 1);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 1 });
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	/* one core for each GPU is there */
	add(&r, 3, 1, 1, 0, 0);
	add(&r, 4, 1, 1, 0, 0);
	rig_decide(&r);
	assert_string_equal(where(&r, 3), "0:0");
	assert_string_equal(where(&r, 4), "0:1");
	rig_close(&r);
}

/* On the empty node job 1 would have to leave two cores; beside a job with both GPUs it
 * leaves none. */
static void gpu_cores_are_not_for_ever(void **state)
{
	static const char *const params[] = {
		PACK ",gpu_cores=1",
		"policy=pack,order=fcfs,gpu_cores=1",
		"policy=stock,gpu_cores=1",
		"policy=balanced,gpu_cores=1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(params) / sizeof(*params); i++) {
		struct rig r;

		open_with(&r, params[i], 1, 4, 0x1, "2");
		add(&r, 1, 3, 0, 0, 0);
		add(&r, 2, 5, 0, 0, 0); /* too large for the node */
		rig_decide(&r);
		assert_false(rig_runs(&r, 1));
		assert_false(cs_explain_never(r.engine, 1));
		assert_true(cs_explain_never(r.engine, 2));
		/* nor does it keep other jobs waiting */
		add(&r, 3, 2, 2, 0, 0);
		rig_decide(&r);
		assert_true(rig_runs(&r, 3));
		assert_false(rig_runs(&r, 1));
		add(&r, 4, 1, 2, 0, 0);
		rig_finish(&r, 3);
		rig_decide(&r);
		assert_true(rig_runs(&r, 4));
		rig_at(&r, 10);
		assert_true(rig_runs(&r, 1));
		rig_close(&r);
	}
}

/* Requests of 1 GPU, and seldom of all 4: the third job of one goes where the node is
 * broken already, by fragments and by best fit; not by first fit. */
static void gpu_fit_chooses_the_node(void **state)
{
	static const struct {
		const char *params, *node;
	} row[] = {
		{ PACK, "1:2" },
		{ PACK ",gpu_fit=fragments", "1:2" },
		{ PACK ",gpu_fit=first", "0:0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct rig r;

		open_with(&r, row[i].params, 2, 8, 0x3, "4");
		add(&r, 1, 1, 4, 0, 0);
		add(&r, 2, 1, 2, 0, 0);
		rig_decide(&r);
		assert_string_equal(where(&r, 1), "0:0,1,2,3");
		assert_string_equal(where(&r, 2), "1:0,1");
		rig_finish(&r, 1);
		add(&r, 3, 1, 1, 0, 0);
		rig_decide(&r);
		assert_string_equal(where(&r, 3), row[i].node);
		rig_close(&r);
	}
}

/* Best fit would take the node with fewer free GPUs, on which the usual request of two
 * then finds one. */
static void fragments_are_not_best_fit(void **state)
{
	static const struct {
		const char *params, *node;
	} row[] = { { PACK, "0" }, { PACK ",gpu_fit=fragments", "1" } };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct rig r;

		open_with(&r, row[i].params, 2, 16, 0x3, "8");
		add(&r, 1, 1, 6, 0, 0); /* leaves 2 on node 0 */
		add(&r, 2, 1, 5, 0, 0); /* leaves 3 on node 1 */
		rig_decide(&r);
		for (uint32_t id = 10; id < 20; id++) {
			add(&r, id, 1, 2, 0, 0); /* what is usual here */
			rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL,
							.job_id = id });
		}
		add(&r, 3, 1, 1, 0, 0);
		rig_decide(&r);
		assert_int_equal(where(&r, 3)[0], row[i].node[0]);
		rig_close(&r);
	}
}

static void gpus_in_all_go_to_few_nodes_evenly(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, PACK, 4, 8, 0xf, "4");
	add(&r, 1, 4, 0, 6, 0);
	add(&r, 2, 1, 0, 2, 0);
	rig_decide(&r);
	assert_string_equal(where(&r, 1), "0:0,1,2 1:0,1,2");
	assert_string_equal(where(&r, 2), "2:0,1");
	rig_finish(&r, 1);
	rig_finish(&r, 2);
	{
		struct cs_job j = rig_job(&r, 3, 4, 100, NULL);

		j.gpus = 2; /* fewer than nodes */
		j.min_nodes = 4;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_string_equal(where(&r, 3), "0 1:0 2 3:0");
	rig_close(&r);
}

static void parts_of_gpus_share_one(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, PACK, 1, 8, 0x1, "2");
	add(&r, 1, 1, 1, 0, 600);
	add(&r, 2, 1, 1, 0, 500);
	add(&r, 3, 1, 1, 0, 400);
	add(&r, 4, 1, 1, 0, 500);
	add(&r, 5, 1, 1, 0, 1);
	rig_decide(&r);
	assert_string_equal(where(&r, 1), "0:0");
	assert_string_equal(where(&r, 2), "0:1");
	assert_string_equal(where(&r, 3), "0:0");
	assert_string_equal(where(&r, 4), "0:1");
	assert_false(rig_runs(&r, 5));
	assert_contains(why(&r, 5), "needs 1 core of one node with 1 "
				    "thousandths of 1 GPU");
	assert_contains(why(&r, 5), "without its GPUs it would have room");
	/* on no node, ever */
	add(&r, 6, 1, 3, 0, 0);
	rig_decide(&r);
	assert_contains(why(&r, 6), "it asks for 3 GPUs on a node, of which "
				    "none has more than 2");
	rig_close(&r);
}

/* Cores are free at once, the GPUs when job 1 ends, and then a job behind would take
 * them. */
static void a_plan_keeps_gpus(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, "policy=pack,order=fcfs", 2, 8, 0x3, "2");
	add(&r, 1, 1, 2, 0, 0);
	add(&r, 2, 1, 1, 0, 0);
	rig_decide(&r);
	add(&r, 3, 2, 0, 4, 0);
	{
		struct cs_job j = rig_job(&r, 4, 1, 101, NULL);

		j.gpus_node = 1; /* it would end after job 3's start */
		rig_submit(&r, &j);
		j = rig_job(&r, 5, 1, 100, NULL);
		j.gpus_node = 1;
		rig_submit(&r, &j);
		/* it needs no GPU, and leaves the cores */
		j = rig_job(&r, 6, 3, 500, NULL);
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	assert_false(rig_runs(&r, 4));
	assert_true(rig_runs(&r, 5));
	assert_true(rig_runs(&r, 6));
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 1);
	rig_finish(&r, 2);
	rig_finish(&r, 5);
	rig_decide(&r);
	assert_string_equal(where(&r, 3), "0:0,1 1:0,1");
	assert_false(rig_runs(&r, 4));
	rig_close(&r);
}

/* Of three GPUs on two nodes a plan counts four.  What job 2 leaves when it starts is job
 * 3's, whose planned start moves up. */
static void a_start_with_fewer_gpus_than_planned_leaves_some(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, "policy=pack,order=fcfs", 2, 8, 0x3, "2");
	add(&r, 1, 2, 0, 4, 0);
	rig_decide(&r);
	add(&r, 2, 2, 0, 3, 0);
	add(&r, 3, 1, 1, 0, 0);
	rig_decide(&r);
	assert_contains(why(&r, 3), "0:03:20");
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_string_equal(where(&r, 2), "0:0 1:0,1");
	rig_at(&r, 101);
	assert_string_equal(where(&r, 3), "0:1");
	rig_close(&r);
}

/* Of two nodes with 4 cores and 2 GPUs one has a core left by a job without GPUs.  Its GPUs
 * are stranded while all that wait for some ask for two cores or more. */
static void gpus_without_cores_are_stranded(void **state)
{
	struct cs_engine_gpus use;
	struct rig r;

	(void)state;
	open_with(&r, PACK, 2, 4, 0x3, "2");
	add(&r, 1, 3, 0, 0, 0);
	add(&r, 2, 4, 2, 0, 0);
	rig_decide(&r);
	use = cs_engine_gpus(r.engine);
	assert_close(use.held, 2, 1e-9);
	assert_close(use.free, 2, 1e-9);
	assert_close(use.stranded + 1, 1, 1e-9);
	add(&r, 3, 2, 1, 0, 0);
	rig_decide(&r);
	use = cs_engine_gpus(r.engine);
	assert_int_equal(use.waiting, 1);
	assert_close(use.free, 2, 1e-9);
	assert_close(use.stranded, 2, 1e-9);
	add(&r, 4, 1, 3, 0,
	    0); /* which no node has, but it would do with a core */
	rig_decide(&r);
	use = cs_engine_gpus(r.engine);
	assert_int_equal(use.waiting, 2);
	assert_close(use.stranded + 1, 1, 1e-9);
	rig_close(&r);
}

/* ---- random worlds -------------------------------------------------------- */

#define JOBS 40
#define SLICES                                                               \
	",slice=pect,class_short_s=60,class_medium_s=180,slice_cycle_s=100," \
	"slice_overhead_s=3,slice_short_s=20"

static const char *const policies[] = {
	"policy=easy",
	"policy=conservative",
	"policy=pack",
	"policy=pack,order=fcfs",
	PACK,
	PACK ",gpu_fit=fragments",
	PACK ",gpu_fit=first,gpu_cores=1",
	"policy=pack,gpu_cores=2",
	"policy=stock",
	"policy=balanced",
	"policy=balanced,unprofiled=model,cover_gain=0",
	"policy=cover,cover_gain=0,gpu_cores=1",
	"policy=cst,jobs_per_node=3,cases=12345",
	"policy=glts,min_util_gain=0,unprofiled=model",
	"policy=adaptive",
	"policy=pack,share_scope=user",
	"policy=pect,unprofiled=model" SLICES,
	"policy=pect,place=pack,swap=no" SLICES,
};
#define N_POLICY (sizeof(policies) / sizeof(policies[0]))

struct world {
	struct rig rig;
	uint64_t rng;
	uint64_t seen; /* jobs with GPUs that ran, counted after each step */
	uint32_t submitted;
	struct cs_job asked[JOBS + 1];
};

static const char *const types[] = { "", "a", "b", "none" };

static void submit(struct world *w)
{
	uint32_t id = ++w->submitted;
	struct cs_job j =
		rig_job(&w->rig, id, 1 + (uint32_t)cs_test_draw(&w->rng, 6),
			1 + (int64_t)cs_test_draw(&w->rng, 300), NULL);

	j.base_procs = 1;
	j.user = id % 2 ? "alice" : "bob";
	j.mem_cpu_mb = cs_test_draw(&w->rng, 2) * 100;
	if (!cs_test_draw(&w->rng, 8))
		j.flags = CS_JOB_EXCLUSIVE;
	switch (cs_test_draw(&w->rng, 4)) {
	case 0:
		break;
	case 1:
		j.gpus = 1 + (uint32_t)cs_test_draw(&w->rng, 9);
		break;
	case 2:
		j.gpus_node = 1;
		j.gpu_share = (uint32_t)cs_test_draw(&w->rng, 10) * 100;
		break;
	default:
		j.gpus_node = 1 + (uint32_t)cs_test_draw(&w->rng, 3);
	}
	if (cs_job_has_gpus(&j))
		j.gpu_type = types[cs_test_draw(&w->rng, 8) % 5 % 4];
	w->asked[id] = j;
	rig_submit(&w->rig, &j);
}

/* Has running job @r the GPUs that it asked for? */
static void check_job(const struct world *w, const struct cs_running *r)
{
	const struct cs_job *j = &w->asked[r->job_id];
	uint32_t all = 0, least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < r->alloc->n_node; i++) {
		const struct cs_node *node =
			&w->rig.machine->node[r->alloc->node[i].node];
		uint64_t set = r->alloc->node[i].gpus;
		uint32_t n = cs_popcount(set);

		all += n;
		least = n < least ? n : least;
		most = n > most ? n : most;
		while (set) {
			uint32_t d = cs_bit_pop(&set);

			assert_non_null(node->gpus);
			assert_true(d < node->gpus->n);
			if (j->gpu_type && *j->gpu_type)
				assert_string_equal(cs_gpu_type(node->gpus, d),
						    j->gpu_type);
		}
	}
	if (j->gpus) {
		assert_int_equal(all, j->gpus);
		assert_true(most - least <= 1);
	} else {
		assert_int_equal(least, j->gpus_node);
		assert_int_equal(most, j->gpus_node);
	}
}

/* All jobs that run or are stopped, one by one, thousandth by thousandth. */
static void check_held(struct world *w)
{
	static uint32_t held[8][CS_GPUS_MOST];
	struct cs_engine_gpus use = cs_engine_gpus(w->rig.engine);
	uint32_t id[512];
	size_t n = cs_engine_list(w->rig.engine, true, id, 512);
	double sum = 0;

	memset(held, 0, sizeof(held));
	while (n--) {
		struct cs_running r;
		uint32_t share;

		cs_engine_running(w->rig.engine, id[n], &r);
		check_job(w, &r);
		w->seen += cs_job_has_gpus(&w->asked[id[n]]);
		share = w->asked[id[n]].gpu_share;
		for (uint32_t i = 0; i < r.alloc->n_node; i++)
			for (uint32_t d = 0; d < CS_GPUS_MOST; d++)
				if (r.alloc->node[i].gpus >> d & 1)
					held[r.alloc->node[i].node][d] +=
						share ? share : 1000;
	}
	for (uint32_t k = 0; k < 8; k++)
		for (uint32_t d = 0; d < CS_GPUS_MOST; d++) {
			sum += held[k][d];
			if (held[k][d] > 1000)
				fail_msg("%u thousandths of GPU %u of node %u",
					 held[k][d], d, k);
		}
	assert_close(use.held + 1, sum / 1000 + 1, 1e-9);
	assert_close(use.held + use.free + 1,
		     (double)cs_machine_gpus(w->rig.machine) + 1, 1e-9);
	assert_true(use.fragment <= use.free + 1e-9);
	assert_true(use.stranded <= use.free + 1e-9);
	assert_true(use.waiting || !(use.stranded > 0));
}

static uint64_t world(const char *policy, uint64_t seed)
{
	struct cs_gpus g = gpus(seed % 3 ? "a:2,b:2" : "4");
	struct world w = { .rng = seed };

	rig_gpus = &g;
	rig_gpu_nodes = 1 + cs_test_draw(&w.rng, 63);
	rig_open(&w.rig, policy, NULL, 1 + (uint32_t)cs_test_draw(&w.rng, 6), 1,
		 4, 4000);
	if (cs_engine_copies(w.rig.engine))
		rig_twin(&w.rig);
	for (int i = 0; i < 4 * JOBS; i++) {
		uint32_t id = rig_some_running(&w.rig, &w.rng);
		struct cs_event ev = { .type = CS_EV_SUSPEND, .job_id = id };
		struct cs_running r;

		if (w.submitted < JOBS && cs_test_draw(&w.rng, 2))
			submit(&w);
		else if (cs_test_draw(&w.rng, 6) || !id)
			rig_finish_some(&w.rig, cs_test_draw(&w.rng, 2),
					&w.rng);
		else if (!cs_engine_running(w.rig.engine, id, &r) &&
			 !r.suspended)
			rig_tell(&w.rig, ev);
		w.rig.now_us += (int64_t)cs_test_draw(&w.rng, 3) * 20 * RIG_S;
		rig_decide(&w.rig);
		check_held(&w);
	}
	rig_close(&w.rig);
	return w.seen;
}

static void no_gpu_is_held_beyond_the_whole(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(20);

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (uint64_t p = 0; p < N_POLICY; p++) {
		uint64_t seen = 0;

		for (uint64_t i = 0; i < worlds; i++)
			seen += world(policies[p], seed + i * N_POLICY + p);
		if (seen < 10 * worlds)
			fail_msg("%s: %llu", policies[p],
				 (unsigned long long)seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_are_read_by_type),
		cmocka_unit_test(a_fragment_is_what_requests_cannot_use),
		cmocka_unit_test(the_mix_remembers_the_usual_requests),
		cmocka_unit_test(jobs_without_gpus_leave_nodes_with_some),
		cmocka_unit_test(gpu_cores_are_left_for_free_gpus),
		cmocka_unit_test(gpu_cores_are_not_for_ever),
		cmocka_unit_test(gpu_fit_chooses_the_node),
		cmocka_unit_test(fragments_are_not_best_fit),
		cmocka_unit_test(gpus_in_all_go_to_few_nodes_evenly),
		cmocka_unit_test(parts_of_gpus_share_one),
		cmocka_unit_test(a_plan_keeps_gpus),
		cmocka_unit_test(
			a_start_with_fewer_gpus_than_planned_leaves_some),
		cmocka_unit_test(gpus_without_cores_are_stranded),
		cmocka_unit_test(no_gpu_is_held_beyond_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
