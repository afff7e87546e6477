/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What would start a job sooner holds when it is done: in an engine that was told all
 * events from the first on, and no copy of the one that was asked.
 */
#include "cs_test.h"
#include "rig.h"

#include <errno.h>

#include "common/explain/sooner.h"

#define JOBS 30
#define STEPS 1000000000
#define MINUTE_US (60 * RIG_S)

static const char *const policies[] = {
	"policy=easy,unprofiled=model",
	"policy=pack,backfill=easy",
	"policy=conservative,unprofiled=model",
	"policy=pack",
	"policy=pack,order=fcfs",
	"policy=adaptive",
	"policy=glts",
	"policy=glts+,unprofiled=model,order=slurm,slack=3",
	"policy=cst,share_scope=user",
	"policy=ostrich",
	"policy=cover,cover_gain=0,layout=auto",
	"policy=cover+,cover_gain=0",
	"policy=fcfs,unprofiled=model",
	"policy=pect,unprofiled=model,slice=pect,class_short_s=600,"
	"class_medium_s=1800,slice_cycle_s=1000,slice_overhead_s=3,"
	"slice_short_s=200",
	"policy=brmms+,slice=gang,slot_s=60,swap=no",
};
#define N_POLICY (sizeof(policies) / sizeof(policies[0]))

struct world {
	struct rig rig;
	uint64_t rng;
	uint32_t submitted;
	struct cs_job job[JOBS + 1]; /* as described; by id */
};

static const char *const names[] = { "a", "b", "c", NULL };
static const char *const users[] = { "alice", "bob", "carol" };

static void layout(struct world *w, struct cs_job *j)
{
	uint32_t nodes = w->rig.machine->n_node;

	switch (cs_test_draw(&w->rng, 5)) {
	case 0:
		j->min_nodes = 1 + (uint32_t)cs_test_draw(&w->rng, nodes);
		j->max_nodes = cs_test_draw(&w->rng, 2) ? j->min_nodes : 0;
		if (j->procs < j->min_nodes)
			j->procs = j->min_nodes;
		break;
	case 1:
		j->procs_per_node = 1 + (uint32_t)cs_test_draw(&w->rng, 2);
		j->min_nodes = 1 + (uint32_t)cs_test_draw(&w->rng, nodes);
		j->procs = j->procs_per_node * j->min_nodes;
		break;
	default:
		break;
	}
}

static void submit(struct world *w)
{
	uint32_t id = ++w->submitted;
	struct cs_job j =
		rig_job(&w->rig, id, 1 + (uint32_t)cs_test_draw(&w->rng, 16),
			60 + (int64_t)cs_test_draw(&w->rng, 7200),
			names[cs_test_draw(&w->rng, 4)]);

	j.user = users[cs_test_draw(&w->rng, 3)];
	layout(w, &j);
	if (cs_test_draw(&w->rng, 2))
		j.mem_node_mb = 1 + cs_test_draw(&w->rng, 700);
	else
		j.mem_cpu_mb = cs_test_draw(&w->rng, 200);
	j.base_procs = (uint32_t)cs_test_draw(&w->rng, 3);
	if (!cs_test_draw(&w->rng, 6))
		j.flags = CS_JOB_EXCLUSIVE;
	if (!cs_test_draw(&w->rng, 10)) {
		j.array_id = id;
		j.tasks = 1 + (uint32_t)cs_test_draw(&w->rng, 3);
	}
	w->job[id] = j;
	rig_submit(&w->rig, &j);
}

/* Tasks that have started no more wait. */
static void count_tasks(struct world *w, uint32_t from)
{
	struct cs_running r;

	for (uint32_t id = from; id < w->rig.next_task; id++)
		if (!cs_engine_running(w->rig.engine, id, &r))
			w->job[r.array_id].tasks--;
}

static void step(struct world *w)
{
	int64_t end = rig_next_end_us(&w->rig);
	bool runs = end != CS_TIME_NONE;
	uint32_t tasks = w->rig.next_task;

	if (cs_engine_next_wakeup_us(w->rig.engine) < end) {
		w->rig.now_us = cs_engine_next_wakeup_us(w->rig.engine);
	} else if (w->submitted < JOBS && (!runs || cs_test_draw(&w->rng, 3))) {
		w->rig.now_us += (int64_t)cs_test_draw(&w->rng, 90) * RIG_S;
		if (runs && w->rig.now_us >= end)
			w->rig.now_us = end - 1;
		submit(w);
	} else if (runs && cs_test_draw(&w->rng, 2)) {
		rig_finish_due(&w->rig, end);
	} else if (runs) {
		rig_finish(&w->rig, rig_some_running(&w->rig, &w->rng));
	} else {
		w->rig.now_us += 60 * RIG_S;
	}
	rig_decide(&w->rig);
	count_tasks(w, tasks);
}

/* World @seed of policy @p, @n steps old. */
static void open_world(struct world *w, uint64_t seed, size_t p, int n)
{
	memset(w, 0, sizeof(*w));
	w->rng = seed;
	rig_open(&w->rig, policies[p], rig_abc,
		 2 + (uint32_t)cs_test_draw(&w->rng, 5), 2,
		 (uint16_t)(1 + cs_test_draw(&w->rng, 3)), 600);
	for (int i = 0; i < n; i++) {
		w->rig.n_log = 0;
		step(w);
	}
}

/* Does @j run, or a task of it that is none of the first @tasks? */
static bool runs(struct rig *r, const struct cs_job *j, uint32_t tasks)
{
	struct cs_running run;

	if (!j->array_id)
		return rig_runs(r, j->id);
	for (uint32_t id = tasks; id < r->next_task; id++)
		if (!cs_engine_running(r->engine, id, &run) &&
		    run.array_id == j->id)
			return true;
	return false;
}

/* When the job starts once it is described as @job: CS_TIME_NONE where nobody says. */
static int64_t starts_us(struct world *w, const struct cs_job *job,
			 bool *ret_now)
{
	struct cs_job j = *job;
	struct cs_job_partition o = { .nodeset = w->rig.all,
				      .limit_max_us = CS_TIME_NONE };
	uint32_t tasks = w->rig.next_task;

	j.option = &o;
	w->rig.n_log = 0;
	rig_tell(&w->rig, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	rig_decide(&w->rig);
	*ret_now = runs(&w->rig, &j, tasks);
	return cs_engine_host_start_us(w->rig.engine, j.id, NULL);
}

struct count {
	uint64_t asked, answered, now, kinds[CS_SOONER_KINDS], smallest;
};

/* The job of @w as it is: it does not start, nor that early. */
static void without(uint64_t seed, size_t p, int n, uint32_t id,
		    const struct cs_sooner *c)
{
	static struct world w;
	int64_t start_us;
	bool now;

	open_world(&w, seed, p, n);
	start_us = starts_us(&w, &w.job[id], &now);
	if (now)
		fail_msg("%s, seed %llu, step %d: job %u starts as it is",
			 policies[p], (unsigned long long)seed, n, id);
	assert_true(c->now || start_us == CS_TIME_NONE ||
		    start_us >= c->start_us + MINUTE_US);
	rig_close(&w.rig);
}

/* A minute more is not enough; or the host's own test is asked, and nobody can know. */
static void one_minute_more(uint64_t seed, size_t p, int n, uint32_t id,
			    struct cs_sooner c, int64_t without_us,
			    struct count *count)
{
	static struct world w;
	struct cs_job job;
	uint32_t hosts;
	int64_t start_us;
	bool now;

	open_world(&w, seed, p, n);
	job = w.job[id];
	hosts = w.rig.n_host;
	c.value++;
	cs_sooner_change(&job, &c);
	start_us = starts_us(&w, &job, &now);
	if (job.estimate_us < w.job[id].estimate_us && hosts == w.rig.n_host) {
		count->smallest++;
		assert_false(now);
		assert_true(c.now || start_us == CS_TIME_NONE ||
			    (without_us != CS_TIME_NONE &&
			     start_us > without_us - MINUTE_US));
	}
	rig_close(&w.rig);
}

static void holds(uint64_t seed, size_t p, int n, uint32_t id,
		  const struct cs_sooner *c)
{
	static struct world w;
	struct cs_job job;
	int64_t start_us;
	bool now;

	open_world(&w, seed, p, n);
	job = w.job[id];
	cs_sooner_change(&job, c);
	start_us = starts_us(&w, &job, &now);
	if (now != c->now || (!now && start_us != c->start_us))
		fail_msg("%s, seed %llu, step %d: job %u, change %d to %llu: "
			 "said %s %lld, came %s %lld",
			 policies[p], (unsigned long long)seed, n, id,
			 (int)c->kind, (unsigned long long)c->value,
			 c->now ? "now" : "at", (long long)c->start_us,
			 now ? "now" : "at", (long long)start_us);
	rig_close(&w.rig);
}

/* Every job of the world that waits; false: enough were asked about. */
static void ask_all(uint64_t seed, size_t p, int n, struct count *count)
{
	static struct world w;
	uint32_t id[64];
	size_t waiting;

	open_world(&w, seed, p, n);
	waiting = cs_engine_list(w.rig.engine, false, id, 64);
	for (size_t i = 0; i < waiting; i++) {
		struct cs_sooner_list l;

		assert_int_equal(cs_sooner_find(w.rig.engine, id[i], STEPS, &l),
				 0);
		count->asked++;
		count->answered += l.n > 0;
		for (uint32_t k = 0; k < l.n; k++) {
			const struct cs_sooner *c = &l.change[k];

			count->now += c->now;
			assert_false(c->rough);
			count->kinds[c->kind]++;
			holds(seed, p, n, id[i], c);
			without(seed, p, n, id[i], c);
			if (c->kind == CS_SOONER_LIMIT)
				one_minute_more(seed, p, n, id[i], *c,
						l.without_us, count);
		}
	}
	rig_close(&w.rig);
}

static void what_is_told_of_a_thousand_jobs_holds(void **state)
{
	uint64_t rng = cs_test_seed(), most = cs_test_worlds(1000);
	struct count c = { 0 };

	(void)state;
	for (uint64_t i = 0; c.asked < most; i++) {
		uint64_t seed = cs_test_draw(&rng, UINT64_MAX);

		ask_all(seed, i % N_POLICY, 5 + (int)cs_test_draw(&rng, 60),
			&c);
	}
	print_message(
		"%llu jobs asked about, %llu answers, %llu start at once; "
		"by limit %llu, memory %llu, layout %llu, exclusive %llu, "
		"size %llu; %llu limits are the longest\n",
		(unsigned long long)c.asked, (unsigned long long)c.answered,
		(unsigned long long)c.now, (unsigned long long)c.kinds[0],
		(unsigned long long)c.kinds[1], (unsigned long long)c.kinds[2],
		(unsigned long long)c.kinds[3], (unsigned long long)c.kinds[4],
		(unsigned long long)c.smallest);
	assert_true(c.answered > most / 10);
	for (int k = 0; k < CS_SOONER_KINDS; k++)
		assert_true(c.kinds[k] > 0);
}

/* ---- known answers ---------------------------------------------------------- */

static uint32_t most_decides; /* more than copies */

static const char *told(struct rig *r, const struct cs_job *j, int64_t steps)
{
	static char text[512];
	struct cs_sooner_list l;
	size_t n = 0;
	int rc = cs_sooner_find(r->engine, j->id, steps, &l);
	size_t jobs = cs_engine_list(r->engine, true, NULL, 0) +
		      cs_engine_list(r->engine, false, NULL, 0);

	/* every decide is paid for, and the last one's search alone goes beyond */
	assert_true(l.taken <= steps + r->params.search_steps);
	assert_true(l.taken >=
		    l.decides * (int64_t)(r->machine->n_node + 8 * jobs));
	assert_true(l.decides >= l.probes);
	most_decides = l.decides > l.probes ? l.decides : most_decides;
	*text = 0;
	if (rc)
		return rc == -E2BIG ? "too much" : "error";
	for (uint32_t i = 0; i < l.n; i++) {
		const struct cs_sooner *c = &l.change[i];
		char ask[80];

		cs_sooner_text(j, c, ask, sizeof(ask));
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
				      n ? "; " : "", ask);
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      c->now ? ": now" : ": %lld",
				      (long long)(c->start_us / RIG_S));
	}
	return text;
}

/* As long packed as it says. */
static struct cs_job packed(struct rig *r, uint32_t id, uint32_t procs,
			    int64_t estimate_s)
{
	struct cs_job j = rig_job(r, id, procs, estimate_s, NULL);

	j.base_procs = 1;
	return j;
}

/* Two nodes of 4 cores, with 1000 MB: job 1 has 6 cores for ten minutes. */
static void open_two(struct rig *r, const char *params)
{
	struct cs_job j;

	rig_open(r, params, NULL, 2, 2, 2, 1000);
	j = packed(r, 1, 6, 600);
	rig_submit(r, &j);
	rig_decide(r);
	assert_true(rig_runs(r, 1));
}

static struct cs_job add(struct rig *r, struct cs_job j)
{
	rig_submit(r, &j);
	rig_decide(r);
	assert_false(rig_runs(r, j.id));
	return j;
}

static void the_longest_limit_that_fits_before_a_head(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_two(&r, "policy=pack,order=fcfs");
	j = add(&r, packed(&r, 2, 8, 600));
	assert_string_equal(told(&r, &j, STEPS), "with -n 2: now");
	j = add(&r, packed(&r, 3, 2, 3600));
	assert_string_equal(told(&r, &j, STEPS), "with -t 10: now");
	rig_close(&r);
}

static void memory_layout_and_neighbours(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_two(&r, "policy=pack,order=fcfs");
	j = packed(&r, 2, 2, 600);
	j.flags = CS_JOB_EXCLUSIVE;
	j = add(&r, j);
	assert_string_equal(told(&r, &j, STEPS), "without --exclusive: now");
	rig_close(&r);
	open_two(&r, "policy=pack,order=fcfs");
	j = packed(&r, 2, 2, 600);
	j.min_nodes = j.max_nodes = 2;
	j = add(&r, j);
	assert_string_equal(told(&r, &j, STEPS),
			    "on any nodes (without -N, --ntasks-per-node): "
			    "now; with -N 1 -n 1: now");
	rig_close(&r);
	open_two(&r, "policy=pack,order=fcfs");
	j = packed(&r, 2, 1, 600);
	j.mem_node_mb = 800;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	j.id = 3;
	j = add(&r, j);
	/* on the other node's core none is left: of 64ths the last below 200 */
	assert_string_equal(told(&r, &j, STEPS), "with --mem=192: now");
	rig_close(&r);
}

static void a_job_that_is_too_large_is_told_what_would_do(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_two(&r, "policy=pack,order=fcfs");
	j = add(&r, packed(&r, 2, 9, 600));
	assert_string_equal(told(&r, &j, STEPS), "with -n 2: now");
	rig_close(&r);
}

/* A decide in a copy that confirms others' starts is not the last one. */
static void every_decide_is_paid_for(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	most_decides = 0;
	open_two(&r, "policy=pack,order=fcfs");
	j = add(&r, packed(&r, 2, 8, 600));
	/* these two would pass it if it were smaller */
	for (uint32_t id = 3; id <= 4; id++)
		add(&r, packed(&r, id, 1, 3600));
	told(&r, &j, STEPS);
	assert_true(most_decides > 0);
	rig_close(&r);
}

/* slice=gang: 3 asks for more memory than who is stopped leaves, or less. */
static void with_gang_the_copy_says_what_would_do(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=brmms,slice=gang,slot_s=10,swap=no", NULL, 2, 1, 1,
		 1000);
	for (uint32_t id = 1; id <= 3; id++) {
		j = rig_job(&r, id, 2, 600, NULL);
		j.mem_node_mb = id < 3 ? 400 : 300;
		rig_submit(&r, &j);
	}
	for (int64_t s = 0; s <= 10; s += 10)
		rig_at(&r, s);
	assert_false(rig_runs(&r, 3));
	/* of 64ths of its 300 MB the last that 800 leave */
	assert_contains(told(&r, &j, STEPS), "with --mem=200: ");
	rig_close(&r);
}

static void who_waits_for_something_else_is_told_nothing(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_two(&r, "policy=pack,order=fcfs");
	j = packed(&r, 2, 8, 600);
	j.flags = CS_JOB_BLOCKED;
	j = add(&r, j);
	assert_string_equal(told(&r, &j, STEPS), "");
	j = packed(&r, 3, 8, 600);
	j.eligible_us = 100 * RIG_S;
	j = add(&r, j);
	assert_string_equal(told(&r, &j, STEPS), "");
	j = packed(&r, 4, 8, 600);
	j.flags = CS_JOB_HOST;
	j = add(&r, j);
	assert_string_equal(told(&r, &j, STEPS), "");
	assert_int_equal(cs_sooner_find(r.engine, 1, STEPS,
					&(struct cs_sooner_list){ 0 }),
			 -ENOENT);
	rig_close(&r);
}

static void work_is_bounded(void **state)
{
	struct cs_sooner_list l;
	struct cs_job j;
	struct rig r;

	(void)state;
	open_two(&r, "policy=pack,order=fcfs");
	add(&r, packed(&r, 2, 8, 600));
	j = add(&r, packed(&r, 3, 2, 3600));
	assert_string_equal(told(&r, &j, 4000), "too much");
	/* by (1) 2026 each: the job as it is, a minute, then half of the rest */
	assert_string_equal(told(&r, &j, 3 * 2026), "with -t 1: now");
	assert_int_equal(cs_sooner_find(r.engine, 3, 3 * 2026, &l), 0);
	assert_int_equal(l.probes, 3);
	assert_true(l.change[0].rough);
	assert_int_equal(cs_sooner_find(r.engine, 3, STEPS, &l), 0);
	assert_int_equal(l.change[0].value, 10);
	assert_false(l.change[0].rough);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_limit_that_fits_before_a_head),
		cmocka_unit_test(memory_layout_and_neighbours),
		cmocka_unit_test(a_job_that_is_too_large_is_told_what_would_do),
		cmocka_unit_test(every_decide_is_paid_for),
		cmocka_unit_test(with_gang_the_copy_says_what_would_do),
		cmocka_unit_test(who_waits_for_something_else_is_told_nothing),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(what_is_told_of_a_thousand_jobs_holds),
	};

	return cmocka_run_group_tests_name("sooner", tests, NULL, NULL);
}
