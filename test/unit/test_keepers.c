/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Suspended jobs that wait for their cores, under time slices: a host of its own runs
 * random worlds.  An administrator suspends, releases and resumes, the host refuses what the
 * engine asks for, and starts jobs by itself on nodes of another class.  Now and then a new
 * engine has other limits of the classes, so that a job that a slice has stopped and one
 * that runs on its cores are of one class.
 */
#include "cs_test.h"
#include "rig.h"

#include "common/slice/slices.h"
#include "common/state/state.h"

#define JOBS 64
#define NODES 4

#define PECT                                                        \
	"policy=pect,place=pack,unprofiled=pack,slice_cycle_s=100," \
	"slice_short_s=20,slice_medium=0.4,"

/* What a reconfigure sets; the jobs last 2 to 200 s. */
static const char *const params[] = {
	PECT "slice_overhead_s=5,class_short_s=10,class_medium_s=100",
	PECT "slice_overhead_s=5,class_short_s=60,class_medium_s=150",
	PECT "slice_overhead_s=5,class_short_s=1,class_medium_s=400",
	PECT "slice_overhead_s=5,class_short_s=10,class_medium_s=100,"
	     "slice_stop=needed,slice_guard_s=3,slice_rest_s=5",
	PECT "slice_overhead_s=5,class_short_s=100,class_medium_s=300,"
	     "slice_stop=needed,slice_guard_s=3,slice_rest_s=5",
};
#define N_PARAMS (sizeof(params) / sizeof(params[0]))

enum host { NEW, WAITS, RUNS, STOPPED, SUSPENDED, ENDED };

struct hosts_job {	 /* as the host has it */
	enum host state; /* STOPPED: by a slice, or given back to them */
	uint32_t procs;
	int64_t estimate_s, left_us, start_us;
	struct cs_alloc *alloc;
};

struct world {
	struct rig r;
	uint64_t rng;
	uint32_t submitted;
	struct hosts_job job[JOBS + 1];
	uint64_t released, waited, resumed, renewed, refused, hosted;
	uint32_t gone[256]; /* refused actions of a decide */
	size_t n_gone;
};

static uint32_t draw(struct world *w, uint32_t n)
{
	return (uint32_t)cs_test_draw(&w->rng, n);
}

/* Does any job but @id run on cores of @a? */
static bool runs_on(const struct world *w, uint32_t id,
		    const struct cs_alloc *a)
{
	for (uint32_t k = 1; k <= w->submitted; k++)
		if (k != id && w->job[k].state == RUNS &&
		    cs_alloc_meet(a, w->job[k].alloc))
			return true;
	return false;
}

static void one(struct world *w, enum cs_event_type type, uint32_t id,
		bool keeps)
{
	rig_tell(&w->r, (struct cs_event){
				.type = type, .keeps = keeps, .job_id = id });
}

/* ---- what the engine asks for ---------------------------------------------- */

/* No other of its class starts on the cores of a job that waits for them. */
static void expect_unkept(struct world *w, const struct cs_action *a)
{
	uint32_t class = cs_engine_class(w->r.engine, a->job_id);

	for (uint32_t k = 1; k <= w->submitted; k++) {
		struct cs_running run;

		if (w->job[k].state == STOPPED &&
		    cs_engine_class(w->r.engine, k) == class &&
		    !cs_engine_running(w->r.engine, k, &run) && run.keeps &&
		    cs_alloc_meet(a->alloc, run.alloc))
			fail_msg(
				"job %u is started on cores that job %u waits for",
				a->job_id, k);
	}
}

static void start(struct world *w, const struct cs_action *a)
{
	struct hosts_job *j = &w->job[a->job_id];
	struct cs_started s = { .seq = a->seq,
				.job_id = a->job_id,
				.start_us = w->r.now_us,
				.limit_us = j->estimate_s * RIG_S,
				.alloc = a->alloc };

	expect_unkept(w, a);
	if (runs_on(w, a->job_id, a->alloc))
		fail_msg("job %u is started where another runs", a->job_id);
	j->state = RUNS;
	j->start_us = w->r.now_us;
	j->alloc = cs_alloc_copy(a->alloc);
	rig_tell(&w->r,
		 (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
}

/* By chance, or because what it needs was. */
static bool refuses(struct world *w, const struct cs_action *a)
{
	enum cs_refused class = CS_REFUSED_TIMED;
	bool refused = !draw(w, 12);

	for (size_t i = 0; i < w->n_gone; i++)
		if (a->needs && a->needs == w->gone[i]) {
			class = CS_REFUSED_GROUP;
			refused = true;
		}
	if (!refused || (a->type != CS_ACT_START && a->type != CS_ACT_SUSPEND &&
			 a->type != CS_ACT_RESUME))
		return false;
	w->gone[w->n_gone++] = a->seq;
	w->refused++;
	rig_tell(&w->r,
		 (struct cs_event){ .type = CS_EV_REFUSED,
				    .refused = { a->seq, class, "test" } });
	return true;
}

static void apply(struct world *w, const struct cs_action *a)
{
	struct hosts_job *j = &w->job[a->job_id];

	if (refuses(w, a))
		return;
	if (a->type == CS_ACT_START) {
		start(w, a);
	} else if (a->type == CS_ACT_SUSPEND) {
		assert_int_equal(j->state, RUNS);
		j->state = STOPPED;
		one(w, CS_EV_SUSPEND, a->job_id, false);
	} else if (a->type == CS_ACT_RESUME) {
		assert_int_equal(j->state, STOPPED);
		if (runs_on(w, a->job_id, j->alloc))
			fail_msg("job %u goes on where another runs",
				 a->job_id);
		j->state = RUNS;
		one(w, CS_EV_RESUME, a->job_id, false);
	}
}

static void decide(struct world *w)
{
	struct cs_actions a;

	do {
		struct cs_action c[256];
		size_t n;

		assert_int_equal(cs_engine_decide(w->r.engine, w->r.now_us, &a),
				 0);
		n = a.n;
		assert_true(n < 256);
		w->n_gone = 0;
		if (n)
			memcpy(c, a.action, n * sizeof(*c));
		for (size_t i = 0; i < n; i++)
			if (c[i].alloc)
				c[i].alloc = cs_alloc_copy(c[i].alloc);
		for (size_t i = 0; i < n; i++)
			apply(w, &c[i]);
		for (size_t i = 0; i < n; i++)
			cs_alloc_free((struct cs_alloc *)(uintptr_t)c[i].alloc);
	} while (a.n);
}

/* ---- what happens ---------------------------------------------------------- */

static void tell_submit(struct world *w, uint32_t id)
{
	rig_add(&w->r, id, w->job[id].procs, w->job[id].estimate_s, NULL);
}

static void submit(struct world *w)
{
	static const int64_t most_s[] = { 20, 120, 200 };
	struct hosts_job *j = &w->job[++w->submitted];

	j->state = WAITS;
	j->procs = 1 + draw(w, 2 * NODES);
	j->estimate_s = 2 + draw(w, (uint32_t)most_s[draw(w, 3)] - 1);
	j->left_us = j->estimate_s * RIG_S;
	tell_submit(w, w->submitted);
}

/* The host starts a waiting job of one core by itself, where none runs. */
static void start_by_host(struct world *w)
{
	struct cs_alloc *a = cs_alloc_create(1, w->r.machine->words);
	uint32_t id = 1;

	while (id <= w->submitted &&
	       (w->job[id].state != WAITS || w->job[id].procs != 1))
		id++;
	a->n_node = 1;
	a->node[0].node = draw(w, NODES);
	cs_bit_set(cs_alloc_cores(a, 0), draw(w, 2));
	if (id <= w->submitted && !runs_on(w, id, a)) {
		struct cs_started s = { .job_id = id,
					.start_us = w->r.now_us,
					.limit_us =
						w->job[id].estimate_s * RIG_S,
					.alloc = a };

		rig_tell(&w->r, (struct cs_event){ .type = CS_EV_STARTED,
						   .start = &s });
		w->job[id].state = RUNS;
		w->job[id].start_us = w->r.now_us;
		w->job[id].alloc = cs_alloc_copy(a);
		w->hosted++;
	}
	cs_alloc_free(a);
}

static void end(struct world *w, uint32_t id)
{
	one(w, CS_EV_FINISH, id, false);
	w->job[id].state = ENDED;
}

static void let_pass(struct world *w, int64_t us)
{
	w->r.now_us += us;
	for (uint32_t id = 1; id <= w->submitted; id++)
		if (w->job[id].state == RUNS) {
			w->job[id].left_us -= us;
			if (w->job[id].left_us <= 0)
				end(w, id);
		}
}

/* feed.c: suspended jobs before those that run, then those that wait. */
static void tell_found(struct world *w, uint32_t id)
{
	struct hosts_job *j = &w->job[id];
	struct cs_started s = {
		.job_id = id,
		.start_us = j->start_us,
		.limit_us = j->estimate_s * RIG_S,
		.at_us = w->r.now_us,
		.done_us = j->estimate_s * RIG_S - j->left_us,
		.ran_us = j->estimate_s * RIG_S - j->left_us,
		.alloc = j->alloc,
	};

	tell_submit(w, id);
	rig_tell(&w->r,
		 (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	if (j->state != RUNS)
		one(w, CS_EV_SUSPEND, id, j->state == STOPPED);
}

static void renew(struct world *w)
{
	int64_t now_us = w->r.now_us;

	rig_close(&w->r);
	rig_open(&w->r, params[draw(w, N_PARAMS)], NULL, NODES, 1, 2, 0);
	w->r.now_us = now_us;
	for (uint32_t id = 1; id <= w->submitted; id++)
		if (w->job[id].state == STOPPED ||
		    w->job[id].state == SUSPENDED)
			tell_found(w, id);
	for (uint32_t id = 1; id <= w->submitted; id++)
		if (w->job[id].state == RUNS)
			tell_found(w, id);
	for (uint32_t id = 1; id <= w->submitted; id++)
		if (w->job[id].state == WAITS)
			tell_submit(w, id);
	w->renewed++;
}

static void give_back(struct world *w, uint32_t id)
{
	struct cs_running run;

	w->job[id].state = STOPPED;
	one(w, CS_EV_SUSPEND, id, true);
	run = rig_running(&w->r, id);
	assert_true(run.suspended && run.keeps);
	w->released++;
	w->waited += !run.stopped;
}

/* scontrol: @id is suspended, released, resumed if nobody runs on its cores. */
static void administer(struct world *w, uint32_t id)
{
	struct hosts_job *j = &w->job[id];
	bool stands = j->state == STOPPED || j->state == SUSPENDED;

	if (stands && !draw(w, 3)) {
		if (runs_on(w, id, j->alloc))
			return;
		j->state = RUNS;
		one(w, CS_EV_RESUME, id, false);
		w->resumed++;
	} else if (j->state == SUSPENDED) {
		give_back(w, id);
	} else if (j->state == RUNS || j->state == STOPPED) {
		j->state = SUSPENDED;
		one(w, CS_EV_SUSPEND, id, false);
	}
}

static void expect_agreed(struct world *w)
{
	for (uint32_t id = 1; id <= w->submitted; id++) {
		struct hosts_job *j = &w->job[id];
		struct cs_running run;

		if (j->state < RUNS || j->state == ENDED)
			continue;
		run = rig_running(&w->r, id);
		assert_int_equal(run.suspended, j->state != RUNS);
		assert_int_equal(run.keeps, j->state == STOPPED);
		if (j->state == RUNS && runs_on(w, id, j->alloc))
			fail_msg("job %u does not run alone on its cores", id);
	}
}

/* One that has started and not ended; 0: none is drawn. */
static uint32_t some(struct world *w)
{
	for (int tries = 0; w->submitted && tries < 8; tries++) {
		uint32_t id = 1 + draw(w, w->submitted);

		if (w->job[id].state >= RUNS && w->job[id].state <= SUSPENDED)
			return id;
	}
	return 0;
}

static void step(struct world *w)
{
	uint32_t id;

	let_pass(w, draw(w, 12) * RIG_S);
	id = some(w);
	switch (draw(w, 11)) {
	case 0:
	case 1:
	case 2:
		if (id)
			administer(w, id);
		break;
	case 3:
		if (id && !draw(w, 4))
			end(w, id);
		break;
	case 4:
		if (!draw(w, 3))
			renew(w);
		break;
	case 5:
		start_by_host(w);
		break;
	default:
		if (w->submitted < JOBS)
			submit(w);
		break;
	}
	if (draw(w, 4))
		decide(w);
	expect_agreed(w);
}

/* ---- tests ----------------------------------------------------------------- */

static void open_world(struct world *w, uint64_t seed, const char *with)
{
	*w = (struct world){ .rng = seed };
	rig_open(&w->r, with, NULL, NODES, 1, 2, 0);
}

static void close_world(struct world *w)
{
	rig_close(&w->r);
	for (uint32_t id = 1; id <= w->submitted; id++)
		cs_alloc_free(w->job[id].alloc);
}

static uint32_t left(const struct world *w)
{
	uint32_t n = 0;

	for (uint32_t id = 1; id <= w->submitted; id++)
		n += w->job[id].state != ENDED;
	return n;
}

/* All that are suspended are released: they end, as do all others. */
static void expect_all_end(struct world *w)
{
	for (uint32_t id = 1; id <= w->submitted; id++)
		if (w->job[id].state == SUSPENDED)
			give_back(w, id);
	for (int64_t s = 0; left(w) && s < 100 * JOBS * 3; s++) {
		let_pass(w, RIG_S);
		decide(w);
		expect_agreed(w);
	}
	for (uint32_t id = 1; id <= w->submitted; id++)
		if (w->job[id].state != ENDED)
			fail_msg("job %u never ends", id);
}

/* Whatever others do, no job runs on cores of another, is unknown to the engine or
 * stands still for ever. */
static void no_job_is_left_out_or_doubled(void **state)
{
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(300);
	uint64_t released = 0, waited = 0, resumed = 0, renewed = 0;
	uint64_t refused = 0, hosted = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		uint64_t seed = cs_test_draw(&rng, UINT64_MAX);
		static struct world w;

		open_world(&w, seed, params[i % N_PARAMS]);
		for (int k = 0; k < 150; k++)
			step(&w);
		expect_all_end(&w);
		released += w.released;
		waited += w.waited;
		resumed += w.resumed;
		renewed += w.renewed;
		refused += w.refused;
		hosted += w.hosted;
		close_world(&w);
	}
	print_message(
		"%llu released, %llu of which wait for cores; %llu "
		"resumed, %llu engines, %llu refused, %llu started by the "
		"host\n",
		(unsigned long long)released, (unsigned long long)waited,
		(unsigned long long)resumed, (unsigned long long)renewed,
		(unsigned long long)refused, (unsigned long long)hosted);
	assert_true(waited > worlds && resumed > worlds && renewed > worlds);
	assert_true(refused > worlds && hosted > worlds);
}

/* Medium jobs of one core come faster than they end: two are there at any time, one on
 * each node of the released job.  It goes on when the two that it found have ended. */
static void a_wait_for_cores_ends_with_those_that_have_them(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r,
		 PECT "slice_overhead_s=5,class_short_s=10,class_medium_s=100",
		 NULL, 2, 1, 1, 0);
	rig_add(&r, 1, 2, 90, NULL);
	rig_at(&r, 5);
	assert_true(rig_runs(&r, 1));
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	rig_add(&r, 2, 1, 60, NULL);
	rig_at(&r, 10);
	rig_add(&r, 3, 1, 60, NULL);
	rig_at(&r, 20);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	for (uint32_t id = 4; id < 40; id++) {
		rig_add(&r, id, 1, 60, NULL);
		if (id == 6)
			rig_finish(&r, 2);
		if (id == 8)
			rig_finish(&r, 3);
		rig_at(&r, id * 10);
		if (id < 8)
			assert_false(rig_running(&r, 1).stopped ||
				     rig_runs(&r, 4));
	}
	assert_true(rig_running(&r, 1).ran_us > 0);
	assert_true(rig_running(&r, 1).end_us < 500 * RIG_S);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_job_is_left_out_or_doubled),
		cmocka_unit_test(
			a_wait_for_cores_ends_with_those_that_have_them),
	};

	return cmocka_run_group_tests_name("keepers", tests, NULL, NULL);
}
