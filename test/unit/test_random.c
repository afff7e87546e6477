/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine on random small machines and queues: its invariants after every
 * event, who may share, what a head was promised, and that the same events give
 * the same actions.
 */
#include "cs_test.h"
#include "rig.h"

#define JOBS 40

static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	" \"a\":{\"self\":{\"1\":1,\"4\":1.3},\"resources\":{\"cpu\":0.9}},"
	" \"b\":{\"self\":{\"1\":1,\"4\":1.1},\"resources\":{\"disk\":0.9}},"
	" \"c\":{\"self\":{\"1\":1,\"4\":1.6},"
	"        \"resources\":{\"cpu\":0.5,\"disk\":0.7}}},"
	"\"pairs\":[{\"of\":\"a\",\"beside\":\"b\",\"slowdown\":1.1}]}";

static const char *const policies[] = {
	"policy=fcfs,small=model",
	"policy=easy,small=model",
	"policy=pack",
	"policy=ssp",
	"policy=cstws",
	"policy=cst",
	"policy=cst,jobs_per_node=3,backfill_join=no",
	"policy=cst,low_load=spread,small=model,order=slurm",
};

struct world {
	struct rig rig;
	uint64_t rng;
	bool easy; /* every job as estimated, nothing else happens */
	int64_t promised_us[JOBS + 1];
	int64_t end_us[JOBS + 1];
	uint32_t submitted;
};

static const char *const users[] = { "alice", "bob" };
static const char *const names[] = { "a", "b", "c", NULL };

static void submit(struct world *w)
{
	uint32_t id = ++w->submitted;
	struct cs_job j = rig_job(&w->rig, id,
				  1 + (uint32_t)cs_test_draw(&w->rng, 8),
				  1 + (uint32_t)cs_test_draw(&w->rng, 300),
				  names[(uint32_t)cs_test_draw(&w->rng, 4)]);

	j.user = users[(uint32_t)cs_test_draw(&w->rng, 2)];
	j.mem_cpu_mb = (uint32_t)cs_test_draw(&w->rng, 3) * 100;
	j.base_procs = (uint32_t)cs_test_draw(&w->rng, 3);
	if (!(uint32_t)cs_test_draw(&w->rng, 10))
		j.flags = CS_JOB_EXCLUSIVE;
	if (!w->easy && !(uint32_t)cs_test_draw(&w->rng, 6)) {
		j.array_id = id;
		j.tasks = 1 + (uint32_t)cs_test_draw(&w->rng, 4);
	}
	rig_submit(&w->rig, &j);
	w->promised_us[id] = CS_TIME_NONE;
}

/* A running job, or 0. */
static uint32_t some_running(struct world *w)
{
	uint32_t id[512];
	size_t n = cs_engine_list(w->rig.engine, true, id, 512);

	return n ? id[(uint32_t)cs_test_draw(&w->rng, (uint32_t)n)] : 0;
}

static void tell(struct world *w, struct cs_event ev)
{
	struct cs_err err = { "" };

	ev.t_us = w->rig.now_us;
	if (cs_engine_event(w->rig.engine, &ev, &err) ||
	    cs_engine_check(w->rig.engine, &err))
		fail_msg("%s", err.text);
}

static void toggle_suspend(struct world *w, uint32_t id)
{
	struct cs_running r;
	const struct cs_alloc *a;
	struct cs_running other;
	uint32_t all[512];
	size_t n;

	cs_engine_running(w->rig.engine, id, &r);
	if (!r.suspended) {
		tell(w, (struct cs_event){ .type = CS_EV_SUSPEND,
					   .job_id = id });
		return;
	}
	/* the host resumes only onto free cores */
	a = r.alloc;
	n = cs_engine_list(w->rig.engine, true, all, 512);
	for (size_t k = 0; k < n; k++) {
		cs_engine_running(w->rig.engine, all[k], &other);
		for (uint32_t i = 0; !other.suspended && i < a->n_node; i++)
			for (uint32_t x = 0; x < other.alloc->n_node; x++)
				if (other.alloc->node[x].node ==
					    a->node[i].node &&
				    (cs_alloc_cores(other.alloc, x)[0] &
				     cs_alloc_cores(a, i)[0]))
					return;
	}
	tell(w, (struct cs_event){ .type = CS_EV_RESUME, .job_id = id });
}

static void disturb(struct world *w)
{
	uint32_t id = some_running(w);
	uint32_t node = (uint32_t)cs_test_draw(&w->rng, w->rig.machine->n_node);

	switch ((uint32_t)cs_test_draw(&w->rng, 5)) {
	case 0:
		tell(w, (struct cs_event){ .type = CS_EV_NODE,
					   .node = { node, (uint32_t)cs_test_draw(&w->rng, 2),
						     "test" } });
		break;
	case 1:
		if (id)
			toggle_suspend(w, id);
		break;
	case 2:
		if (id)
			tell(w, (struct cs_event){
					.type = CS_EV_LIMIT,
					.limit = { id, (1 + (uint32_t)cs_test_draw(
								    &w->rng, 900)) *
							       RIG_S } });
		break;
	case 3:
		w->rig.refuse = 1 + (uint32_t)cs_test_draw(&w->rng, w->submitted + 1);
		w->rig.refuse_class =
			(enum cs_refused)(uint32_t)cs_test_draw(&w->rng, 2);
		break;
	default:
		break;
	}
}

/* Nobody shares with whom he may not; nobody is slowed down too much. */
static void check_sharing(struct world *w)
{
	uint32_t id[512];
	size_t n = cs_engine_list(w->rig.engine, true, id, 512);

	for (size_t i = 0; i < n; i++) {
		struct cs_running r;

		cs_engine_running(w->rig.engine, id[i], &r);
		assert_true(r.limit_us > 0);
		assert_true(r.slowdown > 0);
		if (r.group)
			assert_false(r.packed);
	}
}

/* In a world where all goes as estimated, no head starts later than promised. */
static void check_promises(struct world *w)
{
	for (uint32_t id = 1; id <= w->submitted; id++) {
		int64_t t = cs_engine_predicted_start_us(w->rig.engine, id,
							 NULL);

		if (t == CS_TIME_NONE)
			continue;
		if (t > w->promised_us[id])
			fail_msg("job %u was promised %lld, now %lld", id,
				 (long long)w->promised_us[id], (long long)t);
		w->promised_us[id] = t;
	}
}

/* The earliest predicted end of a running job; 0: none runs. */
static uint32_t next_end(struct world *w, int64_t *ret_us)
{
	uint32_t id[512], first = 0;
	size_t n = cs_engine_list(w->rig.engine, true, id, 512);

	*ret_us = CS_TIME_NONE;
	for (size_t i = 0; i < n; i++) {
		struct cs_running r;

		cs_engine_running(w->rig.engine, id[i], &r);
		if (!r.suspended && r.end_us < *ret_us) {
			*ret_us = r.end_us;
			first = id[i];
		}
	}
	return first;
}

/* End every job whose predicted end is @end_us: before the next pass. */
static void finish_at(struct world *w, int64_t end_us)
{
	uint32_t id[512], due[512];
	size_t n = cs_engine_list(w->rig.engine, true, id, 512), n_due = 0;

	for (size_t i = 0; i < n; i++) {
		struct cs_running r;

		cs_engine_running(w->rig.engine, id[i], &r);
		if (!r.suspended && r.end_us <= end_us)
			due[n_due++] = id[i];
	}
	if (end_us > w->rig.now_us)
		w->rig.now_us = end_us;
	for (size_t i = 0; i < n_due; i++)
		rig_finish(&w->rig, due[i]);
}

static void step(struct world *w)
{
	int64_t end;
	uint32_t id = next_end(w, &end);

	if (w->submitted < JOBS && (!id || cs_test_draw(&w->rng, 2))) {
		w->rig.now_us += (int64_t)cs_test_draw(&w->rng, 30) * RIG_S;
		if (id && w->rig.now_us >= end)
			w->rig.now_us = end - 1;
		submit(w);
	} else if (id) {
		finish_at(w, end);
	} else {
		w->rig.now_us += 20 * RIG_S;
	}
	if (!w->easy && !cs_test_draw(&w->rng, 4))
		disturb(w);
	rig_decide(&w->rig);
	check_sharing(w);
	if (w->easy)
		check_promises(w);
}

static void run_world(const char *policy, uint64_t seed, bool easy,
		      struct cs_engine_stats *ret)
{
	struct world w = { .rng = seed, .easy = easy };

	rig_open(&w.rig, policy, profiles, 1 + (uint32_t)cs_test_draw(&w.rng, 6),
		 (uint16_t)(1 + (uint32_t)cs_test_draw(&w.rng, 2)),
		 (uint16_t)(1 + (uint32_t)cs_test_draw(&w.rng, 3)), 600);
	for (int i = 0; i < 5 * JOBS; i++) {
		w.rig.n_log = 0;
		step(&w);
	}
	cs_engine_stats(w.rig.engine, ret);
	rig_close(&w.rig);
}

static void invariants_hold_under_everything(void **state)
{
	uint64_t rng = cs_test_seed();
	uint64_t starts = 0, pairs = 0, refusals = 0;

	(void)state;
	for (int round = 0; round < 25; round++)
		for (size_t p = 0; p < sizeof(policies) / sizeof(*policies);
		     p++) {
			struct cs_engine_stats st;

			run_world(policies[p], cs_test_draw(&rng, UINT64_MAX), false, &st);
			starts += st.starts;
			pairs += st.pairs;
			refusals += st.refusals;
		}
	print_message("%llu starts, %llu pairs, %llu refusals\n",
		      (unsigned long long)starts, (unsigned long long)pairs,
		      (unsigned long long)refusals);
	assert_true(starts > 1000 && pairs > 50 && refusals > 20);
}

static void a_head_never_starts_later_than_promised(void **state)
{
	uint64_t rng = cs_test_seed();
	static const char *const space[] = {
		"policy=easy,small=model,unknown_pair=1",
		"policy=ssp,small=model,unknown_pair=1",
		"policy=pack,order=fcfs",
	};

	(void)state;
	for (int round = 0; round < 60; round++)
		for (size_t p = 0; p < 3; p++) {
			struct cs_engine_stats st;

			run_world(space[p], cs_test_draw(&rng, UINT64_MAX), true, &st);
			assert_int_equal(st.running, 0);
		}
}

/* As often as asked, a decide without events finds nothing more to do. */
static void a_decide_without_events_changes_nothing(void **state)
{
	struct world w = { .rng = cs_test_seed() };

	(void)state;
	rig_open(&w.rig, "policy=cst", profiles, 4, 2, 2, 600);
	for (int i = 0; i < 3 * JOBS; i++) {
		struct cs_actions a;

		w.rig.n_log = 0;
		step(&w);
		assert_int_equal(cs_engine_decide(w.rig.engine, w.rig.now_us,
						  &a),
				 0);
		assert_int_equal(a.n, 0);
	}
	rig_close(&w.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invariants_hold_under_everything),
		cmocka_unit_test(a_head_never_starts_later_than_promised),
		cmocka_unit_test(a_decide_without_events_changes_nothing),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
