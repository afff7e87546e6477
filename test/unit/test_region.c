/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A decide about a part of the machine (region.c) against one about all of it: on random
 * machines of several partitions they start the same on the part's nodes.
 */
#include "cs_test.h"
#include "rig.h"

#define NODES 12
#define JOBS 60

static const char *const policies[] = {
	"policy=adaptive",
	"policy=adaptive,unprofiled=model,min_util_gain=0,jobs_per_node=4",
	"policy=adaptive,order=expansion",
	"policy=pack",
	"policy=pack,horizon_s=60",
	"policy=conservative,order=slurm,unprofiled=model",
	"policy=glts,order=slurm",
	"policy=glts+,order=slurm,unprofiled=model",
	"policy=ostrich",
	"policy=easy",
	"policy=easy,unprofiled=model,head_slack=2",
	"policy=fcfs",
	"policy=cover,cover_gain=0,unprofiled=model",
	"policy=cover+,cover_gain=0",
	"policy=balanced,unprofiled=model",
	"policy=balanced,place=space,age_points=0.5,passing_tries=3",
	"policy=cst,backfill=easy,cases=12345",
};
#define N_POLICY (sizeof(policies) / sizeof(policies[0]))

/* Rule 3. */
static const char *const about_all[] = { "policy=conservative", "policy=glts",
					 "policy=stock",
					 "policy=multisite,sites=a" };
#define N_ABOUT_ALL (sizeof(about_all) / sizeof(about_all[0]))

struct world {
	struct rig rig;
	uint64_t rng;
	uint32_t submitted;
	uint64_t happened; /* nodes, since the last decide */
	/* By id; its options, and the nodes that they may use. */
	struct cs_job job[JOBS + 1];
	struct cs_job_partition option[JOBS + 1][2];
	uint64_t may[JOBS + 1];
};

/* Nodes of some partition; few lie in two. */
static uint64_t some_set(struct world *w)
{
	static const uint64_t sets[] = { 0x007, 0x038, 0x1c0, 0xe00,
					 0x007, 0x038, 0x1c0, 0x018 };

	return sets[cs_test_draw(&w->rng, 8)];
}

static void submit(struct world *w)
{
	uint32_t id = ++w->submitted;
	uint64_t set[2] = { some_set(w), some_set(w) };
	struct cs_job_partition *o = w->option[id];
	static const char *const names[] = { "a", "b", "c", NULL };
	/* one too large for its partition is for the host's test, which ends a walk */
	uint32_t most = 2 * cs_node_cores(w->rig.machine->node);
	struct cs_job j =
		rig_job(&w->rig, id, 1 + (uint32_t)cs_test_draw(&w->rng, most),
			1 + (int64_t)cs_test_draw(&w->rng, 300),
			names[cs_test_draw(&w->rng, 4)]);

	for (int i = 0; i < 2; i++)
		o[i] = (struct cs_job_partition){
			.partition = (uint32_t)set[i],
			.priority = cs_test_draw(&w->rng, 3),
			.nodeset = (uint32_t)cs_engine_nodeset(w->rig.engine,
							       &set[i]),
			.limit_max_us = CS_TIME_NONE,
		};
	j.option = o;
	j.n_option = set[0] != set[1] && !cs_test_draw(&w->rng, 12) ? 2 : 1;
	w->may[id] = set[0] | (j.n_option == 2 ? set[1] : 0);
	w->happened |= w->may[id];
	w->job[id] = j;
	rig_submit(&w->rig, &j);
}

static uint64_t nodes_of(const struct cs_alloc *a)
{
	uint64_t set = 0;

	for (uint32_t i = 0; a && i < a->n_node; i++)
		cs_bit_set(&set, a->node[i].node);
	return set;
}

static void end_or_cancel(struct world *w)
{
	uint32_t all[JOBS], id = rig_some_running(&w->rig, &w->rng);
	size_t n = cs_engine_list(w->rig.engine, false, all, JOBS);
	struct cs_running r;

	if (n && !cs_test_draw(&w->rng, 4)) {
		id = all[cs_test_draw(&w->rng, n)];
		w->happened |= w->may[id];
		rig_tell(&w->rig, (struct cs_event){ .type = CS_EV_CANCEL,
						     .job_id = id });
	} else if (id) {
		cs_engine_running(w->rig.engine, id, &r);
		w->happened |= nodes_of(r.alloc);
		rig_finish(&w->rig, id);
	}
}

/* @set, and all that may be used together with it. */
static uint64_t closure(struct world *w, uint64_t set)
{
	uint32_t id[JOBS];
	uint64_t before;

	do {
		before = set;
		for (int running = 0; running < 2; running++) {
			size_t n = cs_engine_list(w->rig.engine, running, id,
						  JOBS);

			for (size_t i = 0; i < n; i++) {
				struct cs_running r;
				uint64_t has = w->may[id[i]];

				if (running) {
					cs_engine_running(w->rig.engine, id[i],
							  &r);
					has = nodes_of(r.alloc);
				}
				set |= has & set ? has : 0;
			}
		}
	} while (set != before);
	return set;
}

static const struct cs_action *start_in(const struct cs_actions *a, uint32_t id)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->action[i].type == CS_ACT_START &&
		    a->action[i].job_id == id)
			return &a->action[i];
	return NULL;
}

static void assert_same_start(const struct cs_action *a,
			      const struct cs_action *b)
{
	assert_non_null(b);
	assert_int_equal(a->option, b->option);
	assert_int_equal(a->limit_us, b->limit_us);
	assert_int_equal(a->partner_id, b->partner_id);
	assert_true(cs_alloc_equal(a->alloc, b->alloc));
}

struct sum {
	uint64_t decides, starts;
	uint64_t parts; /* decides that left jobs out */
};

/* All jobs are held that may use no node of @near. */
static void hold_others(struct world *w, struct cs_engine *e, uint64_t near)
{
	uint32_t id[JOBS];
	size_t n = cs_engine_list(e, false, id, JOBS);

	for (size_t i = 0; i < n; i++) {
		struct cs_job j = w->job[id[i]];
		const struct cs_event ev = { .type = CS_EV_CHANGE,
					     .t_us = w->rig.now_us,
					     .job = &j };

		j.flags |= CS_JOB_BLOCKED;
		if (!(w->may[id[i]] & near))
			assert_int_equal(cs_engine_event(e, &ev, NULL), 0);
	}
}

/* About all of it: no walk resumes. */
static void begin_anew(struct world *w, struct cs_engine *e)
{
	const struct cs_event ev = { .type = CS_EV_TICK,
				     .freed = true,
				     .t_us = w->rig.now_us };

	assert_int_equal(cs_engine_event(e, &ev, NULL), 0);
}

/* On copies of the engine: a part, and a whole where other jobs are held (@alone), start
 * the same. */
static void compare(struct world *w, bool alone, struct sum *sum)
{
	struct cs_engine *whole = cs_engine_copy(w->rig.engine, NULL);
	struct cs_engine *part = cs_engine_copy(w->rig.engine, NULL);
	const struct cs_decide_part how = { .nodes = &w->happened };
	struct cs_actions a, b;
	size_t n = 0;

	assert_non_null(whole);
	assert_non_null(part);
	begin_anew(w, whole);
	begin_anew(w, part);
	if (alone)
		hold_others(w, whole, closure(w, w->happened));
	assert_int_equal(cs_engine_decide(whole, w->rig.now_us, &a), 0);
	assert_int_equal(cs_engine_decide_part(part, w->rig.now_us, &how, &b),
			 0);
	assert_false(b.more);
	sum->decides++;
	sum->parts += b.part;
	for (size_t i = 0; i < a.n; i++)
		n += a.action[i].type == CS_ACT_START;
	for (size_t i = 0; i < b.n; i++)
		if (b.action[i].type == CS_ACT_START) {
			assert_same_start(&b.action[i],
					  start_in(&a, b.action[i].job_id));
			n--;
			sum->starts++;
		}
	assert_int_equal(n, 0);
	assert_int_equal(cs_engine_check(part, NULL), 0);
	cs_engine_free(whole);
	cs_engine_free(part);
}

static void run_world(const char *policy, uint64_t seed, bool alone,
		      struct sum *sum)
{
	struct world w = { .rng = seed };
	char params[128];

	snprintf(params, sizeof(params), "%s,learn=off", policy);
	rig_open(&w.rig, params, rig_abc, NODES, 1,
		 (uint16_t)(1 + cs_test_draw(&w.rng, 4)), 600);
	while (w.submitted < JOBS) {
		int64_t due = rig_next_end_us(&w.rig);

		w.happened = 0;
		w.rig.now_us += (int64_t)cs_test_draw(&w.rng, 12) * RIG_S;
		if (due <= w.rig.now_us)
			w.rig.now_us = due - 1; /* none outlasts its estimate */
		if (cs_test_draw(&w.rng, 3))
			submit(&w);
		else
			end_or_cancel(&w);
		if (w.happened)
			compare(&w, alone, sum);
		w.rig.n_log = 0;
		rig_decide(&w.rig);
		due = rig_next_end_us(&w.rig);
		if (due != CS_TIME_NONE && !cs_test_draw(&w.rng, 3)) {
			rig_finish_due(&w.rig, due);
			rig_decide(&w.rig);
		}
	}
	rig_close(&w.rig);
}

static void run_worlds(const char *const *policy, size_t n, bool alone)
{
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(10 * n);

	for (size_t i = 0; i < n; i++) {
		struct sum sum = { 0 };

		for (uint64_t k = i; k < worlds; k += n)
			run_world(policy[i], cs_test_draw(&rng, UINT64_MAX),
				  alone, &sum);
		print_message("%s: %llu decides, %llu starts, %llu parts\n",
			      policy[i], (unsigned long long)sum.decides,
			      (unsigned long long)sum.starts,
			      (unsigned long long)sum.parts);
		assert_true(worlds < 10 * n || sum.starts > 100);
		assert_true(worlds < 10 * n || !sum.parts == !alone);
	}
}

static void a_part_decides_as_if_other_jobs_were_held(void **state)
{
	(void)state;
	run_worlds(policies, N_POLICY, true);
}

static void where_parts_depend_on_each_other_all_are_decided(void **state)
{
	(void)state;
	run_worlds(about_all, N_ABOUT_ALL, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_decides_as_if_other_jobs_were_held),
		cmocka_unit_test(
			where_parts_depend_on_each_other_all_are_decided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
