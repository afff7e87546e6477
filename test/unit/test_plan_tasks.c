/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array's tasks planned together (plan_tasks.c) against plans remade after every
 * start: random worlds of arrays, partitions, node sizes, reservations and horizons, each
 * run twice, must give the same actions and promise all waiting jobs the same.
 *
 * The linker wraps the choice of the backfilling: in the second run the plan forgets
 * after each start that it was a task of the same array.
 */
#include "cs_test.h"
#include "rig.h"

#include "common/backfill/backfill.h"
#include "common/backfill/plan_parts.h"
#include "common/base/rng.h"
#include "common/state/state.h"

#define STEPS 40
#define JOBS_MOST 400

static const char *const policies[] = {
	"policy=adaptive",
	"policy=pack",
	"policy=pack,order=fcfs",
	"policy=ostrich",
	"policy=ostrich,campaign_hold=strict",
	"policy=conservative,unprofiled=model",
	"policy=conservative,unprofiled=model,order=slurm",
	"policy=glts,order=slurm",
	"policy=glts+",
	"policy=adaptive,share_scope=user",
	"policy=adaptive,order=expansion",
	"policy=pack,sites=a,site_rule=look",
	"policy=pect,unprofiled=model,order=slurm,class_short_s=60,"
	"class_medium_s=180,slice_cycle_s=100,slice_overhead_s=3,"
	"slice_short_s=20",
};
#define N_POLICY (sizeof(policies) / sizeof(policies[0]))

static bool remake;
static struct cs_backfill_ops ops;
static void (*real_booked)(struct cs_engine *e, struct cs_ejob *j);
static uint64_t ahead; /* starts while promises were put off */

static void booked(struct cs_engine *e, struct cs_ejob *j)
{
	ahead += e->sm->plan->ahead;
	real_booked(e, j);
	if (!remake)
		return;
	e->sm->plan->array = NULL;
	e->sm->plan->exact = false;
}

const struct cs_backfill_ops *
__real_cs_backfill_choose(const struct cs_params *p);
const struct cs_backfill_ops *
__wrap_cs_backfill_choose(const struct cs_params *p);

const struct cs_backfill_ops *
__wrap_cs_backfill_choose(const struct cs_params *p)
{
	const struct cs_backfill_ops *real = __real_cs_backfill_choose(p);

	if (!real->all)
		return real;
	ops = *real;
	real_booked = ops.booked;
	ops.booked = booked;
	return &ops;
}

struct world {
	struct rig rig;
	uint64_t rng;
	uint32_t sets[2], submitted;
	uint64_t promises; /* hash of all that were made */
	bool horizon;
};

static uint64_t far; /* jobs whose start was beyond the horizon */

static void submit(struct world *w)
{
	static const char *const profile[] = { "a", "b", "c" };
	static const char *const user[] = { "alice", "bob" };
	uint64_t *rng = &w->rng;
	uint32_t id = ++w->submitted;
	struct cs_job j =
		rig_job(&w->rig, id, 1 + (uint32_t)cs_test_draw(rng, 4),
			1 + (int64_t)cs_test_draw(rng, 300),
			cs_test_draw(rng, 4) ? NULL : profile[id % 3]);
	struct cs_job_partition o[2];

	j.base_procs = 1;
	j.user = user[cs_test_draw(rng, 2)];
	if (!cs_test_draw(rng, 3)) {
		j.array_id = id;
		j.tasks = 1 + (uint32_t)cs_test_draw(rng, 30);
		j.procs = 1 + (uint32_t)cs_test_draw(rng, 2);
	} else if (!cs_test_draw(rng, 4)) {
		j.procs = 1 + (uint32_t)cs_test_draw(rng, 40);
	}
	if (!cs_test_draw(rng, 8))
		j.flags = CS_JOB_EXCLUSIVE;
	j.mem_cpu_mb = 100 * (uint32_t)cs_test_draw(rng, 4);
	if (!cs_test_draw(rng, 10))
		j.reservation = 1;
	for (uint32_t i = 0; i < 2; i++) {
		o[i] = j.option[0];
		o[i].partition = i;
		o[i].nodeset = w->sets[i];
		o[i].priority = cs_test_draw(rng, 3);
	}
	j.option = &o[cs_test_draw(rng, 2)];
	j.n_option = j.option == o && !cs_test_draw(rng, 4) ? 2 : 1;
	rig_submit(&w->rig, &j);
}

/* The second set: all nodes, or every other. */
static void open_world(struct world *w, const char *policy)
{
	uint32_t nodes = 1 + (uint32_t)cs_test_draw(&w->rng, 10);
	uint64_t set = cs_test_draw(&w->rng, 2) ? 0x555 : 0xfff;
	uint64_t horizon_s = 1 + cs_test_draw(&w->rng, 600);
	char settings[400];

	if (cs_test_draw(&w->rng, 2))
		horizon_s = 0;
	w->horizon = horizon_s;
	snprintf(settings, sizeof(settings), "%s,horizon_s=%u", policy,
		 (unsigned)horizon_s);
	rig_large = cs_test_draw(&w->rng, 2) ? nodes / 2 : 0;
	rig_open(&w->rig, settings, rig_abc, nodes, 2,
		 (uint16_t)(1 + cs_test_draw(&w->rng, 4)), 1000);
	set &= (UINT64_C(1) << nodes) - 1;
	w->sets[0] = w->rig.all;
	w->sets[1] = (uint32_t)cs_engine_nodeset(w->rig.engine, &set);
}

static void reserve(struct world *w)
{
	uint64_t *rng = &w->rng;
	uint32_t nodes = w->rig.machine->n_node;
	uint32_t node = (uint32_t)cs_test_draw(rng, nodes);
	int64_t start_us =
		w->rig.now_us + (int64_t)cs_test_draw(rng, 300) * RIG_S;
	struct cs_alloc *core = cs_alloc_create(1, w->rig.machine->words);
	struct cs_reservation v = {
		.id = 1 + (uint32_t)cs_test_draw(rng, 5),
		.n = 1,
		.node = &node,
		.start_us = start_us,
		.end_us = start_us + 100 * RIG_S,
	};

	core->node[0] = (struct cs_alloc_node){ .node = node, .procs = 1 };
	cs_alloc_cores(core, 0)[0] = 1;
	v.cores = cs_test_draw(rng, 3) ? NULL : core;
	rig_tell(&w->rig, (struct cs_event){ .type = CS_EV_RESERVATION,
					     .reservation = &v });
	cs_alloc_free(core);
}

/* What all waiting jobs are promised; and the plan's promises are up to date. */
static void note_promises(struct world *w)
{
	struct cs_engine *e = w->rig.engine;
	uint32_t id[JOBS_MOST];
	size_t n = cs_engine_list(e, false, id, JOBS_MOST);

	assert_true(n < JOBS_MOST);
	for (uint32_t i = 0; i < e->n_sm; i++)
		assert_false(e->sms[i].plan->ahead);
	for (size_t i = 0; i < n; i++) {
		const struct cs_ejob *j = cs_engine_job(e, id[i]);

		w->promises = cs_rng_hash(w->promises, id[i]);
		w->promises = cs_rng_hash(w->promises, j->verdict.why);
		if (j->verdict.why == CS_WHY_FAR) /* rule 6 */
			far++;
		else
			w->promises = cs_rng_hash(
				w->promises,
				(uint64_t)cs_engine_predicted_start_us(e, id[i],
								       NULL));
		if (!w->horizon) /* rule 6 */
			w->promises =
				cs_rng_hash(w->promises, (uint64_t)j->est_us);
	}
}

static void step(struct world *w)
{
	uint64_t *rng = &w->rng;

	for (uint64_t n = cs_test_draw(rng, 4); n; n--)
		submit(w);
	if (!cs_test_draw(rng, 15))
		reserve(w);
	if (!cs_test_draw(rng, 15)) {
		w->rig.refuse =
			1 + (uint32_t)cs_test_draw(rng, w->submitted + 1);
		w->rig.refuse_class = (enum cs_refused)cs_test_draw(rng, 4);
	}
	rig_decide(&w->rig);
	note_promises(w);
	rig_finish_some(&w->rig, !cs_test_draw(rng, 3), rng);
	rig_decide(&w->rig);
	note_promises(w);
}

/* Returns what was decided and promised, in a number. */
static uint64_t run(const char *policy, uint64_t seed)
{
	struct world w = { .rng = seed };

	rig_digest = 0;
	open_world(&w, policy);
	for (int i = 0; i < STEPS; i++) {
		w.rig.n_log = 0;
		step(&w);
	}
	rig_close(&w.rig);
	return cs_rng_hash(rig_digest, w.promises);
}

static void tasks_planned_together_start_as_if_all_was_remade(void **state)
{
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(20 * N_POLICY);
	uint64_t put_off = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		uint64_t seed = cs_test_draw(&rng, UINT64_MAX), one, two;
		const char *policy = policies[i % N_POLICY];

		remake = false;
		ahead = 0;
		one = run(policy, seed);
		put_off += ahead;
		remake = true;
		two = run(policy, seed);
		if (one != two)
			fail_msg("world %llu (%s, seed %llu) differs",
				 (unsigned long long)i, policy,
				 (unsigned long long)seed);
	}
	print_message("%llu starts while promises were put off\n",
		      (unsigned long long)put_off);
	assert_true(worlds < 20 * N_POLICY || (put_off > 1000 && far > 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			tasks_planned_together_start_as_if_all_was_remade),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
