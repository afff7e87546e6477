/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs on the same cores: who may, when, at what cost; and occupancies of shared cores.
 */
#include "rig.h"

#include <stdio.h>

#include "cs_test.h"
#include "explain/explain.h"
#include "model/occupancy.h"
#include "profile/slowdown.h"

static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	"\"half\":{\"waits\":0.5},\"much\":{\"waits\":0.7},"
	"\"little\":{\"waits\":0.3},\"never\":{\"waits\":0},"
	"\"busy\":{\"resources\":{\"cpu\":0.9}}}}";

/* head_slack=1: no promise moves. */
#define MPL(n) "policy=cover,head_slack=1,mpl=" n

static void open_nodes(struct rig *r, const char *params, uint32_t nodes,
		       uint16_t cores)
{
	rig_open(r, params, profiles, nodes, 1, cores, 0);
}

/* One job of two single-core nodes runs from 0, and another comes at 10. */
static void two(struct rig *r, const char *params, const char *first,
		const char *second)
{
	open_nodes(r, params, 2, 1);
	rig_add(r, 1, 2, 100, first);
	rig_decide(r);
	rig_at(r, 10);
	rig_add(r, 2, 2, 100, second);
	rig_decide(r);
}

static void who_waits_starts_on_cores_of_one_who_waits(void **state)
{
	struct rig r;

	(void)state;
	two(&r, MPL("2"), "half", "half");
	assert_string_equal(rig_where(&r, 2), "0:0 1:0");
	assert_close(rig_running(&r, 1).slowdown, 1.05, 1e-12);
	assert_close(rig_running(&r, 2).slowdown, 1.05, 1e-12);
	/* the example of oversub_start.c */
	assert_int_equal(rig_running(&r, 1).end_us, 104500000);
	assert_int_equal(rig_start(&r, 2)->limit_us, 105000000);
	r.now_us = 104500000;
	rig_finish(&r, 1);
	assert_int_equal(rig_running(&r, 2).end_us, 114500000);
	assert_close(rig_running(&r, 2).slowdown, 1, 1e-12);
	rig_close(&r);
}

static void nobody_else_does(void **state)
{
	static const struct {
		const char *params, *first, *second;
	} row[] = {
		{ MPL("1"), "half", "half" },
		{ MPL("2"), "half", "busy" },
		{ MPL("2"), "busy", "half" },
		{ MPL("2"), "half", "never" },
		{ MPL("2"), "half", NULL },
		/* (1 + .05) * 1.2 is above max_slowdown, 1.25 */
		{ MPL("2"), "half", "little" },
		{ MPL("2") ",max_slowdown=1.04", "half", "half" },
		{ MPL("2") ",mpl_loss=0.3", "half", "half" },
		/* 2 / 1.05 is below 2 */
		{ MPL("2") ",cover_gain=1", "half", "half" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		two(&r, row[i].params, row[i].first, row[i].second);
		assert_true(rig_runs(&r, 1));
		if (rig_runs(&r, 2))
			fail_msg("%s: %s beside %s", row[i].params,
				 row[i].second, row[i].first);
		rig_close(&r);
	}
}

static void a_free_core_comes_first(void **state)
{
	struct rig r;

	(void)state;
	open_nodes(&r, MPL("2"), 4, 1);
	rig_add(&r, 1, 2, 100, "half");
	rig_add(&r, 2, 2, 100, "half");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0 1:0");
	assert_string_equal(rig_where(&r, 2), "2:0 3:0");
	rig_add(&r, 3, 2, 100, "half");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:0 1:0");
	rig_close(&r);
}

static void at_most_mpl_are_on_a_core(void **state)
{
	struct rig r;

	(void)state;
	open_nodes(&r, MPL("3"), 1, 2);
	for (uint32_t id = 1; id <= 4; id++)
		rig_add(&r, id, 2, 100 * (int64_t)id, "much");
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	assert_false(rig_runs(&r, 4));
	/* .9 of the core: only the loss */
	assert_close(rig_running(&r, 1).beside, 1.05, 1e-12);
	assert_int_equal(cs_engine_use(r.engine).cores, 2);
	r.now_us = 200 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	rig_finish(&r, 2);
	rig_finish(&r, 3);
	assert_close(rig_running(&r, 4).beside, 1, 1e-12);
	assert_int_equal(cs_engine_use(r.engine).cores, 2);
	rig_finish(&r, 4);
	assert_int_equal(cs_engine_use(r.engine).cores, 0);
	rig_close(&r);
}

static void the_sum_counts_and_not_the_number(void **state)
{
	struct rig r;

	(void)state;
	/* the third: 1.5 of a core, 1.575 times as long */
	open_nodes(&r, MPL("3"), 1, 1);
	for (uint32_t id = 1; id <= 3; id++)
		rig_add(&r, id, 1, 100, "half");
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
	/* 3 / 1.575 is less than 2 / 1.05: of no use, whatever is allowed */
	open_nodes(&r, MPL("3") ",max_slowdown=2,cover_gain=0.01", 1, 1);
	for (uint32_t id = 1; id <= 3; id++)
		rig_add(&r, id, 1, 100, "half");
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
}

static void part_of_its_cores_is_enough(void **state)
{
	struct rig r;

	(void)state;
	open_nodes(&r, MPL("2"), 1, 4);
	rig_add(&r, 1, 4, 100, "half");
	rig_add(&r, 2, 1, 100, "half");
	rig_add(&r, 3, 3, 100, "half");
	rig_add(&r, 4, 1, 100, "half");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:0");
	assert_string_equal(rig_where(&r, 3), "0:1,2,3");
	assert_false(rig_runs(&r, 4));
	/* they are no neighbours of 1 in the sense of pairs */
	assert_close(rig_running(&r, 1).beside, 1.05, 1e-12);
	rig_close(&r);
}

static void memory_is_never_shared(void **state)
{
	static const uint64_t mb[] = { 40, 41 };
	struct rig r;
	struct cs_job j;

	(void)state;
	for (int i = 0; i < 2; i++) {
		rig_open(&r, MPL("2"), profiles, 1, 1, 1, 100);
		for (uint32_t id = 1; id <= 2; id++) {
			j = rig_job(&r, id, 1, 100, "half");
			j.mem_node_mb = id == 1 ? 60 : mb[i];
			rig_submit(&r, &j);
			rig_decide(&r);
		}
		assert_int_equal(rig_runs(&r, 2), i == 0);
		rig_close(&r);
	}
}

static struct cs_job limited(struct rig *r, uint32_t id, int64_t most_s,
			     struct cs_job_partition *o)
{
	struct cs_job j = rig_job(r, id, 1, 100, "half");

	*o = *j.option;
	o->limit_max_us = most_s * RIG_S;
	j.option = o;
	j.base_procs = 1;
	return j;
}

static void limits_are_raised_where_they_may_be(void **state)
{
	struct cs_job_partition o;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int i = 0; i < 3; i++) {
		open_nodes(&r, MPL("2"), 1, 1);
		r.limit_us = 100 * RIG_S;
		j = limited(&r, 1, i == 1 ? 104 : 105, &o);
		rig_submit(&r, &j);
		rig_decide(&r);
		j = limited(&r, 2, i == 2 ? 104 : 105, &o);
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 2), i == 0);
		assert_int_equal(rig_running(&r, 1).limit_us,
				 (i == 0 ? 105 : 100) * RIG_S);
		rig_close(&r);
	}
}

static void no_promise_is_moved(void **state)
{
	struct rig r;

	(void)state;
	for (int share = 0; share < 2; share++) {
		open_nodes(&r, MPL("2"), 2, 1);
		rig_add(&r, 1, 1, 100, "half");
		rig_add(&r, 2, 1, 1000, "busy");
		rig_decide(&r);
		/* promised node 0 at 100, where 1 ends; 4 would move that to 105 */
		if (!share)
			rig_add(&r, 3, 1, 50, "busy");
		rig_add(&r, 4, 1, 50, "half");
		rig_decide(&r);
		assert_false(!share && rig_runs(&r, 3));
		assert_int_equal(rig_runs(&r, 4), share);
		rig_close(&r);
	}
}

static void behind_a_head_one_starts_that_leaves_it_its_nodes(void **state)
{
	struct rig r;

	(void)state;
	open_nodes(&r, MPL("2"), 2, 1);
	rig_add(&r, 1, 1, 100, "half");
	rig_add(&r, 2, 1, 50, "busy");
	rig_decide(&r);
	/* promised node 1 at 50 */
	rig_add(&r, 3, 1, 50, "busy");
	rig_add(&r, 4, 1, 200, "half");
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	assert_string_equal(rig_where(&r, 4), "0:0");
	rig_close(&r);
}

static void flags_say_who_waits_and_who_does_not(void **state)
{
	static const struct {
		uint32_t flags, option_flags;
		const char *profile;
		bool starts;
	} row[] = {
		{ CS_JOB_WAITS, 0, NULL, true },
		{ CS_JOB_WAITS, 0, "busy", true },
		/* the profile knows better how much */
		{ CS_JOB_WAITS, 0, "never", false },
		{ CS_JOB_SPINS, 0, "half", false },
		{ CS_JOB_NO_SHARE, 0, "half", false },
		{ CS_JOB_EXCLUSIVE, 0, "half", false },
		{ 0, CS_JOB_NO_SHARE, "half", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_job_partition o;
		struct cs_job j;
		struct rig r;

		open_nodes(&r, MPL("2"), 1, 1);
		rig_add(&r, 1, 1, 100, "half");
		rig_decide(&r);
		j = rig_job(&r, 2, 1, 100, row[i].profile);
		o = *j.option;
		o.flags = row[i].option_flags;
		j.option = &o;
		j.flags = row[i].flags;
		rig_submit(&r, &j);
		rig_decide(&r);
		if (rig_runs(&r, 2) != row[i].starts)
			fail_msg("row %zu", i);
		rig_close(&r);
	}
}

/* Starts that one decide proposes, which are all refused. */
static size_t proposed(struct rig *r)
{
	struct cs_actions a;
	uint32_t seq[8];
	size_t n = 0;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++)
		if (a.action[i].type == CS_ACT_START)
			seq[n++] = a.action[i].seq;
	for (size_t i = 0; i < n; i++)
		rig_tell(r, (struct cs_event){
				    .type = CS_EV_REFUSED,
				    .refused = { .seq = seq[i],
						 .class = CS_REFUSED_TIMED } });
	return n;
}

static void nobody_joins_a_start_that_is_only_proposed(void **state)
{
	struct rig r;

	(void)state;
	open_nodes(&r, MPL("3"), 1, 1);
	rig_add(&r, 1, 1, 100, "much");
	rig_add(&r, 2, 1, 100, "much");
	assert_int_equal(proposed(&r), 1);
	rig_close(&r);
	/* nor beside one that runs */
	open_nodes(&r, MPL("3"), 1, 1);
	rig_add(&r, 1, 1, 100, "much");
	rig_decide(&r);
	rig_add(&r, 2, 1, 100, "much");
	rig_add(&r, 3, 1, 100, "much");
	assert_int_equal(proposed(&r), 1);
	rig_close(&r);
}

/* Rule 5 of oversub_start.c: 4 nodes of 64 cores, all of job 1, so that each takes two
 * steps; a node is looked at if a step is left before it. */
static void search_steps_bound_the_nodes_looked_at(void **state)
{
	static const struct {
		const char *params;
		uint32_t procs;
		bool starts;
	} row[] = {
		{ MPL("2") ",search_steps=0", 256, true },
		{ MPL("2") ",search_steps=7", 256, true },
		{ MPL("2") ",search_steps=6", 256, false },
		{ MPL("2") ",search_steps=5", 192, true },
		{ MPL("2") ",search_steps=4", 192, false },
		{ MPL("2") ",search_steps=1", 64, true },
		{ MPL("2") ",search_steps=1", 128, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig r;

		open_nodes(&r, row[i].params, 4, 64);
		rig_add(&r, 1, 256, 100, "half");
		rig_decide(&r);
		rig_add(&r, 2, row[i].procs, 100, "half");
		rig_decide(&r);
		if (rig_runs(&r, 2) != row[i].starts)
			fail_msg("row %zu", i);
		rig_close(&r);
	}
}

/* Steps of one decide with so many more jobs that find no room on 4 full nodes of 64 cores:
 * they count by cores, and are bounded whatever the number of jobs. */
static int64_t steps_with(const char *params, uint32_t jobs)
{
	struct cs_actions a;
	struct rig r;

	open_nodes(&r, params, 4, 64);
	rig_add(&r, 1, 256, 100, "half");
	rig_decide(&r);
	rig_add(&r, 2, 256, 100, "half");
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	for (uint32_t id = 3; id < 3 + jobs; id++)
		rig_add(&r, id, 256, 50, "half");
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 0);
	rig_close(&r);
	return a.steps;
}

static void a_decide_on_full_nodes_has_a_bound(void **state)
{
	const char *none = MPL("2") ",search_steps=0";
	const char *some = MPL("2") ",search_steps=40";

	(void)state;
	/* a job: its entry, its try, and 4 nodes of 1 + 2 * 64 / 64 */
	assert_int_equal(steps_with(none, 1), 2 + 4 * 3);
	assert_int_equal(steps_with(none, 100), 100 * (2 + 4 * 3));
	/* the last node of the search begins at step 39 and ends at 42 */
	assert_int_equal(steps_with(some, 10), 42 + 10 * 2);
	assert_int_equal(steps_with(some, 100), 42 + 100 * 2);
}

/* 80 jobs of one core each are on the node: all are joined. */
static void any_number_of_jobs_is_joined(void **state)
{
	double before;
	struct rig r;

	(void)state;
	open_nodes(&r, MPL("2"), 1, 80);
	for (uint32_t id = 1; id <= 80; id++)
		rig_add(&r, id, 1, 100, "half");
	rig_decide(&r);
	assert_true(rig_runs(&r, 80));
	before = rig_running(&r, 1).beside;
	rig_add(&r, 81, 80, 100, "half");
	rig_decide(&r);
	assert_true(rig_runs(&r, 81));
	for (uint32_t id = 1; id <= 80; id++)
		assert_true(rig_running(&r, id).beside >= before * 1.049);
	rig_close(&r);
}

static void a_pair_on_other_cores_counts_beside(void **state)
{
	struct rig r;

	(void)state;
	/* 3, a stranger on the other core, costs 1 what a full node does: 1.37 (the
	 * mean); 2 on its own core 1.05 more */
	open_nodes(&r, MPL("2"), 1, 2);
	rig_add(&r, 1, 1, 1000, "half");
	rig_add(&r, 3, 1, 900, "half");
	rig_decide(&r);
	rig_add(&r, 2, 1, 100, "half");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0");
	assert_string_equal(rig_where(&r, 2), "0:0");
	assert_close(rig_running(&r, 1).slowdown,
		     1.05 * rig_running(&r, 3).slowdown, 1e-12);
	rig_close(&r);
}

static void explained(void **state)
{
	char text[4096];
	struct rig r;

	(void)state;
	two(&r, MPL("2"), "half", "half");
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "on the same cores as 1 other job that waits, "
			      "too: 1.05 times as long by that\n");
	rig_close(&r);
}

/* ---- random worlds ------------------------------------------------------- */

#define JOBS 30

static const char *const kinds[] = { "half",  "much", "little",
				     "never", "busy", NULL };
static const double waits[] = { .5, .7, .3, 0, 0, 0 };

struct world {
	struct rig rig;
	uint64_t rng;
	double waits[JOBS + 1];
	uint64_t mem_mb[JOBS + 1];
	uint32_t submitted;
	bool resumed;	 /* a job, onto cores by which it may be slowed more */
	uint64_t shared; /* looks at a core with several jobs */
	uint32_t most;	 /* jobs on a core */
};

static void submit(struct world *w)
{
	uint32_t id = ++w->submitted;
	size_t kind = (size_t)cs_test_draw(&w->rng, 6);
	struct cs_job j =
		rig_job(&w->rig, id, 1 + (uint32_t)cs_test_draw(&w->rng, 8),
			1 + (int64_t)cs_test_draw(&w->rng, 300), kinds[kind]);

	w->waits[id] = waits[kind];
	j.base_procs = 1;
	if (!cs_test_draw(&w->rng, 4)) {
		j.flags |= CS_JOB_WAITS;
		if (kind > 3)
			w->waits[id] = .5;
	}
	if (!cs_test_draw(&w->rng, 8)) {
		j.flags |= cs_test_draw(&w->rng, 2) ? CS_JOB_NO_SHARE
						    : CS_JOB_SPINS;
		w->waits[id] = 0;
	}
	if (!cs_test_draw(&w->rng, 8))
		j.user = "bob";
	j.mem_node_mb = w->mem_mb[id] = cs_test_draw(&w->rng, 4) * 20;
	rig_submit(&w->rig, &j);
}

/* What the jobs that run make of core @core of node @n, the obvious way. */
static void look_at_core(struct world *w, uint32_t n, uint32_t core,
			 double *worst)
{
	uint32_t id[JOBS], on[JOBS], jobs = 0;
	size_t k = cs_engine_list(w->rig.engine, true, id, JOBS);
	double load = 0, slowdown;

	for (size_t i = 0; i < k; i++) {
		struct cs_running r = rig_running(&w->rig, id[i]);
		const uint64_t *cores = cs_alloc_cores_on(r.alloc, n);

		if (r.suspended || !cores || !cs_bit(cores, core))
			continue;
		on[jobs++] = id[i];
		load += 1 - w->waits[id[i]];
	}
	if (jobs < 2)
		return;
	w->shared++;
	w->most = jobs > w->most ? jobs : w->most;
	if (jobs > w->rig.params.mpl)
		fail_msg("%u jobs on core %u of node %u", jobs, core, n);
	slowdown = (load > 1 ? load : 1) * (1 + w->rig.params.mpl_loss);
	for (uint32_t i = 0; i < jobs; i++) {
		if (!(w->waits[on[i]] > 0))
			fail_msg("job %u shares a core and does not wait",
				 on[i]);
		if (slowdown > worst[on[i]])
			worst[on[i]] = slowdown;
	}
}

static void look(struct world *w)
{
	double worst[JOBS + 1];
	uint32_t id[JOBS];
	size_t k = cs_engine_list(w->rig.engine, true, id, JOBS);

	for (uint32_t i = 0; i <= JOBS; i++)
		worst[i] = 1;
	for (uint32_t n = 0; n < w->rig.machine->n_node; n++) {
		uint64_t used_mb = 0;

		for (uint32_t core = 0; core < 4; core++)
			look_at_core(w, n, core, worst);
		for (size_t i = 0; i < k; i++)
			if (cs_alloc_cores_on(rig_running(&w->rig, id[i]).alloc,
					      n))
				used_mb += w->mem_mb[id[i]];
		assert_true(used_mb <= 100);
	}
	for (size_t i = 0; i < k; i++) {
		struct cs_running r = rig_running(&w->rig, id[i]);

		/* with a limit, and in no group: only its own cores count */
		if (!r.group && !r.suspended && r.packed)
			assert_close(r.slowdown, worst[id[i]], 1e-12);
		if (!r.suspended && !w->resumed)
			assert_true(worst[id[i]] <=
				    w->rig.params.max_slowdown + 1e-12);
	}
}

/* Could suspended @id run on its cores, the obvious way? */
static bool may_resume(struct world *w, uint32_t id)
{
	struct cs_running r = rig_running(&w->rig, id), x;
	uint32_t all[JOBS], jobs;
	size_t k = cs_engine_list(w->rig.engine, true, all, JOBS);

	for (uint32_t i = 0; i < r.alloc->n_node; i++)
		for (uint32_t core = 0; core < 4; core++) {
			if (!cs_bit(cs_alloc_cores(r.alloc, i), core))
				continue;
			jobs = 0;
			for (size_t m = 0; m < k; m++) {
				const uint64_t *cores;

				x = rig_running(&w->rig, all[m]);
				cores = cs_alloc_cores_on(
					x.alloc, r.alloc->node[i].node);
				if (all[m] == id || x.suspended || !cores ||
				    !cs_bit(cores, core))
					continue;
				if (!(w->waits[id] > 0 && w->waits[all[m]] > 0))
					return false;
				jobs++;
			}
			if (jobs >= w->rig.params.mpl)
				return false;
		}
	return true;
}

static void disturb(struct world *w)
{
	uint32_t id = rig_some_running(&w->rig, &w->rng);
	struct cs_running r;

	if (cs_test_draw(&w->rng, 2)) {
		w->rig.refuse = 1 + (uint32_t)cs_test_draw(&w->rng, JOBS);
		w->rig.refuse_class = CS_REFUSED_TIMED;
	} else if (id) {
		r = rig_running(&w->rig, id);
		if (!r.suspended)
			rig_tell(&w->rig,
				 (struct cs_event){ .type = CS_EV_SUSPEND,
						    .keeps = true,
						    .job_id = id });
		else if (may_resume(w, id)) {
			rig_tell(&w->rig,
				 (struct cs_event){ .type = CS_EV_RESUME,
						    .job_id = id });
			w->resumed = true;
		}
	}
}

static void one_world(struct world *w, const char *params, uint64_t seed)
{
	w->rng = seed;
	rig_open(&w->rig, params, profiles,
		 1 + (uint32_t)cs_test_draw(&w->rng, 4), 1, 4, 100);
	while (w->submitted < JOBS) {
		for (uint64_t k = cs_test_draw(&w->rng, 6);
		     k && w->submitted < JOBS; k--)
			submit(w);
		if (!cs_test_draw(&w->rng, 4))
			disturb(w);
		if (!cs_test_draw(&w->rng, 8))
			rig_twin(&w->rig);
		rig_decide(&w->rig);
		look(w);
		rig_finish_some(&w->rig, !cs_test_draw(&w->rng, 3), &w->rng);
		look(w);
	}
	rig_close(&w->rig);
}

static void only_who_waits_shares_and_never_more_than_mpl(void **state)
{
	static const char *const params[] = {
		MPL("2"),
		MPL("3") ",max_slowdown=2,cover_gain=0",
		MPL("4") ",max_slowdown=3,cover_gain=0,mpl_loss=0",
		"policy=balanced,mpl=2",
		"policy=balanced,mpl=3,planned_starts=3,max_slowdown=2",
		MPL("2") ",share_scope=user,layout=auto",
		MPL("2") ",backfill=none",
	};
	uint64_t all = cs_test_worlds(300), shared = 0, seed = cs_test_seed();
	uint32_t most = 0;

	(void)state;
	for (uint64_t i = 0; i < all; i++) {
		struct world w = { 0 };

		one_world(&w, params[i % (sizeof(params) / sizeof(*params))],
			  seed * 1000003 + i);
		shared += w.shared;
		most = w.most > most ? w.most : most;
	}
	print_message("%llu worlds, %llu looks at a shared core, up to %u "
		      "jobs on one\n",
		      (unsigned long long)all, (unsigned long long)shared,
		      most);
	assert_true(all < 100 || (shared > 10 * all && most == 4));
}

/* ---- occupancies --------------------------------------------------------- */

#define HELD 5

static void a_core_is_used_until_its_last_job_gives_it_back(void **state)
{
	const struct cs_node like = { .sockets = 1,
				      .cores_per_socket = 70,
				      .threads = 1 };
	uint64_t rng = cs_test_seed();
	struct cs_machine *m = cs_machine_create(2, &like);
	struct cs_alloc *held[HELD] = { NULL };
	struct cs_occ o, copy;

	(void)state;
	m->core_jobs = HELD;
	assert_int_equal(cs_occ_init(&o, m), 0);
	assert_int_equal(cs_occ_init(&copy, m), 0);
	for (uint64_t round = 0; round < 2000; round++) {
		struct cs_alloc **a = &held[cs_test_draw(&rng, HELD)];
		uint32_t used = 0;

		if (*a) {
			cs_occ_remove(&o, *a, CS_NODE_PACKED);
			cs_alloc_free(*a);
			*a = NULL;
		} else {
			*a = cs_alloc_create(1, m->words);
			(*a)->node[0].node = (uint32_t)cs_test_draw(&rng, 2);
			for (uint32_t c = 0; c < 70; c++)
				cs_bit_put(cs_alloc_cores(*a, 0), c,
					   cs_test_draw(&rng, 2));
			cs_occ_add(&o, *a, CS_NODE_PACKED);
		}
		cs_occ_copy(&copy, &o);
		for (uint32_t n = 0; n < 2; n++)
			for (uint32_t c = 0; c < 70; c++) {
				uint32_t jobs = 0;

				for (int i = 0; i < HELD; i++)
					jobs += held[i] &&
						held[i]->node[0].node == n &&
						cs_bit(cs_alloc_cores(held[i],
								      0),
						       c);
				used += jobs > 0;
				assert_int_equal(
					cs_bit(cs_occ_used(&copy, n), c),
					jobs > 0);
				for (uint32_t k = 1; k < HELD; k++)
					assert_int_equal(
						cs_bit(cs_occ_more(&copy, k, n),
						       c),
						jobs > k);
			}
		assert_int_equal(copy.used_cores, used);
		assert_int_equal(copy.node[0].free_cores +
					 copy.node[1].free_cores,
				 140 - used);
	}
	for (int i = 0; i < HELD; i++)
		cs_alloc_free(held[i]);
	cs_occ_done(&o);
	cs_occ_done(&copy);
	cs_machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_starts_on_cores_of_one_who_waits),
		cmocka_unit_test(nobody_else_does),
		cmocka_unit_test(a_free_core_comes_first),
		cmocka_unit_test(at_most_mpl_are_on_a_core),
		cmocka_unit_test(the_sum_counts_and_not_the_number),
		cmocka_unit_test(part_of_its_cores_is_enough),
		cmocka_unit_test(memory_is_never_shared),
		cmocka_unit_test(limits_are_raised_where_they_may_be),
		cmocka_unit_test(no_promise_is_moved),
		cmocka_unit_test(
			behind_a_head_one_starts_that_leaves_it_its_nodes),
		cmocka_unit_test(flags_say_who_waits_and_who_does_not),
		cmocka_unit_test(nobody_joins_a_start_that_is_only_proposed),
		cmocka_unit_test(search_steps_bound_the_nodes_looked_at),
		cmocka_unit_test(a_decide_on_full_nodes_has_a_bound),
		cmocka_unit_test(any_number_of_jobs_is_joined),
		cmocka_unit_test(a_pair_on_other_cores_counts_beside),
		cmocka_unit_test(explained),
		cmocka_unit_test(only_who_waits_shares_and_never_more_than_mpl),
		cmocka_unit_test(
			a_core_is_used_until_its_last_job_gives_it_back),
	};

	return cmocka_run_group_tests_name("oversub", tests, NULL, NULL);
}
