/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gang_rounds=yes in the simulator: its figures by hand, and the host of gang_sim.c
 * against one that goes round by round. */
#include "cs_test.h"

#include <errno.h>

#include "common/gang/gang.h"
#include "simrig.h"

#define ROUNDS ",gang_rounds=yes"

static void simulate(struct simrig *r)
{
	struct cs_err err = { "" };

	cs_sim_result_done(&r->result);
	if (cs_sim_run(&r->options, &r->trace, &r->result, &err))
		fail_msg("%s", err.text);
}

static struct cs_metrics figures(const struct simrig *r)
{
	struct cs_metrics k;

	assert_int_equal(
		cs_metrics(&k, &r->trace, &r->result, r->machine, &r->params),
		0);
	return k;
}

static void add(struct simrig *r, uint32_t id, double submit_s, uint32_t procs,
		double runtime_s)
{
	simrig_add(r, id, submit_s, procs, runtime_s, runtime_s, 1);
}

/*	slot	0 1 | 2		job 1 needs two slots, job 2 one
 *		1 2 | 1					*/
static void two_jobs_take_turns(void **state)
{
	struct simrig r;
	struct cs_metrics k;

	(void)state;
	simrig_open(&r, "4x1x1", "policy=brmms" ROUNDS, NULL);
	add(&r, 1, 0, 4, 10);
	add(&r, 2, 0, 4, 5);
	simulate(&r);
	assert_int_equal(r.result.job[0].start_us, 0);
	assert_int_equal(r.result.job[0].end_us, 15 * S);
	assert_int_equal(r.result.job[1].start_us, 5 * S);
	assert_int_equal(r.result.job[1].end_us, 10 * S);
	assert_int_equal(r.result.job[0].nodes, 4);
	k = figures(&r);
	assert_close(k.turnaround_all, 12.5, 1e-12);
	assert_close(k.turnaround_small, 12.5, 1e-12);
	assert_true(k.turnaround_medium != k.turnaround_medium); /* none */
	assert_close(k.slots_max, 2, 0);
	assert_close(k.slots_avg, (2 * 10 + 5) / 15., 1e-12);
	assert_close(k.active_ratio, 1, 1e-12);
	assert_close(k.utilization, 1, 1e-12);
	simrig_close(&r);
}

/* A runtime is rounded up to slots, a submit to the next boundary; an idle machine
 * has no slots; 12 and 60 slots are the last small and medium runtime. */
static void slots_are_whole(void **state)
{
	struct simrig r;
	struct cs_metrics k;

	(void)state;
	simrig_open(&r, "2x1x1", "policy=br,slot_s=10" ROUNDS, NULL);
	add(&r, 1, 0, 2, 111);	 /* 12 slots: 0 to 120 */
	add(&r, 2, 125, 2, 121); /* 13: 130 to 260 */
	add(&r, 3, 300, 1, 601); /* 61: 300 to 910 */
	simulate(&r);
	k = figures(&r);
	assert_int_equal(r.result.job[1].start_us, 130 * S);
	assert_int_equal(r.result.job[1].end_us, 260 * S);
	assert_close(k.turnaround_small, 120, 1e-12);
	assert_close(k.turnaround_medium, 130, 1e-12);
	assert_close(k.turnaround_large, 610, 1e-12);
	assert_close(k.slots_avg, (120 + 130 + 610) / 910., 1e-12);
	assert_close(k.active_ratio, (240 + 260 + 610) / (2 * 910.), 1e-12);
	simrig_close(&r);
}

/* In a round ends are before arrivals, and an empty slot is removed after them.  Slots
 * 0: 1, 1: 2; in the first round job 1 ends and job 3 comes. */
static void the_ends_of_a_round_are_before_its_arrivals(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct simrig r;

		/* it has the slot that job 1 has left, in front of job 2 */
		simrig_open(&r, "2x1x1", "policy=bc" ROUNDS, NULL);
		add(&r, 1, 0, 2, 5);
		add(&r, 2, 0, 2, 50);
		add(&r, 3, late ? 9 : 4, 2, 50);
		simulate(&r);
		assert_int_equal(r.result.job[0].end_us, 10 * S);
		assert_int_equal(r.result.job[2].start_us, 10 * S);
		simrig_close(&r);
		/* with re-packing that slot is gone: it is behind job 2 */
		simrig_open(&r, "2x1x1", "policy=br" ROUNDS, NULL);
		add(&r, 1, 0, 2, 5);
		add(&r, 2, 0, 2, 50);
		add(&r, 3, late ? 9 : 4, 2, 50);
		simulate(&r);
		assert_int_equal(r.result.job[2].start_us, 15 * S);
		simrig_close(&r);
		/* of one processor each: the room of job 1 is job 3's */
		simrig_open(&r, "2x1x1", "policy=bc" ROUNDS, NULL);
		add(&r, 1, 0, 1, 5);
		add(&r, 2, 0, 1, 50);
		add(&r, 3, late ? 4 : 2, 1, 50);
		simulate(&r);
		assert_int_equal(r.result.job[2].end_us, 55 * S);
		simrig_close(&r);
	}
}

static void what_gang_cannot_do_is_said(void **state)
{
	struct cs_err err = { "" };
	struct simrig r;

	(void)state;
	simrig_open(&r, "2x1x2", "policy=br" ROUNDS, NULL);
	add(&r, 1, 0, 2, 5);
	assert_int_equal(cs_sim_run(&r.options, &r.trace, &r.result, &err),
			 -EINVAL);
	assert_string_equal(err.text,
			    "gang_rounds=yes has a node for a processor, "
			    "expected a machine NODESx1x1");
	simrig_close(&r);
	simrig_open(&r, "2x1x1", "policy=br" ROUNDS, NULL);
	add(&r, 7, 0, 3, 5);
	assert_int_equal(cs_sim_run(&r.options, &r.trace, &r.result, &err),
			 -EINVAL);
	assert_string_equal(err.text, "job 7: 3 processors of 2");
	r.trace.n = 0;
	r.options.events = stdout;
	assert_int_equal(cs_sim_run(&r.options, &r.trace, &r.result, &err),
			 -EINVAL);
	assert_string_equal(err.text, "gang_rounds=yes has no event log, "
				      "expected none, or gang_rounds=no");
	simrig_close(&r);
}

/* ------------------------------------------------ round by round, slot by slot */

#define MAX_JOBS 60

struct naive {
	uint32_t gang[MAX_JOBS];
	int64_t need[MAX_JOBS], had[MAX_JOBS], end[MAX_JOBS];
	bool there[MAX_JOBS];
	uint32_t most;
	double sum;
};

/* One slot: who has had enough with it is told at @ended. */
static size_t one_slot(struct naive *x, const struct cs_gang *g, size_t n,
		       uint32_t slot, uint32_t *ended)
{
	size_t n_ended = 0;

	for (uint32_t i = 0; i < n; i++)
		if (x->there[i] &&
		    cs_gang_at(g, slot, cs_gang_job(g, x->gang[i]).first) ==
			    x->gang[i] &&
		    ++x->had[i] == x->need[i])
			ended[n_ended++] = i;
	return n_ended;
}

static void naive_arrive(struct naive *x, struct cs_gang *g,
			 const struct simrig *r, size_t *next, int64_t at_us)
{
	for (; *next < r->trace.n && r->trace.job[*next].submit_us <= at_us;
	     ++*next) {
		assert_int_equal(cs_gang_arrive(g, r->trace.job[*next].procs,
						&x->gang[*next]),
				 0);
		x->there[*next] = true;
	}
}

static void naive_run(struct naive *x, const struct simrig *r)
{
	const struct cs_gang_rules rules = {
		(enum cs_gang_block)r->params.gang_block,
		(enum cs_gang_extra)r->params.gang_extra,
		(enum cs_gang_deal)r->params.gang_deal,
		.empties = r->params.gang_extra == CS_GANG_EXTRA_NONE,
	};
	struct cs_gang *g = cs_gang_create(r->machine->n_node, &rules);
	int64_t slot_us = r->params.slot_s * S, now = 0, ends = 0;
	size_t next = 0, left = r->trace.n;

	while (left) {
		uint32_t slots = cs_gang_slots(g), gone[MAX_JOBS];
		size_t n_gone = 0;

		x->most = slots > x->most ? slots : x->most;
		x->sum += (double)slots * slots;
		for (uint32_t s = 0; s < slots; s++)
			n_gone += one_slot(x, g, r->trace.n, s, gone + n_gone);
		now += slots ? slots : 1;
		for (size_t i = 0; i < n_gone; i++) {
			cs_gang_leave(g, x->gang[gone[i]]);
			x->there[gone[i]] = false;
			x->end[gone[i]] = now * slot_us;
			ends = now;
			left--;
		}
		if (!slots)
			now--; /* the first boundary at which somebody is there */
		naive_arrive(x, g, r, &next, now * slot_us);
		if (!slots && !cs_gang_slots(g))
			now++;
		cs_gang_settle(g);
	}
	x->sum /= (double)ends;
	cs_gang_free(g);
}

static void rounds_in_one_step_are_the_same(void **state)
{
	static const char *const policy[] = {
		"bc",	 "br",	   "brms",
		"brmms", "brmms+", "brms,gang_extra=kept-one"
	};
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t w = cs_test_worlds(300); w; w--) {
		struct naive x = { .most = 0 };
		struct simrig r;
		char machine[16], params[80];
		uint32_t nodes = 1 + (uint32_t)cs_test_draw(&seed, 12);
		uint32_t n = 1 + (uint32_t)cs_test_draw(&seed, MAX_JOBS - 1);
		uint64_t gap = 1 + cs_test_draw(&seed, 40), t = 0;
		struct cs_metrics k;

		snprintf(machine, sizeof(machine), "%ux1x1", nodes);
		snprintf(params, sizeof(params), "policy=%s,slot_s=%d" ROUNDS,
			 policy[cs_test_draw(&seed, 6)],
			 1 + (int)cs_test_draw(&seed, 7));
		simrig_open(&r, machine, params, NULL);
		for (uint32_t i = 0; i < n; i++) {
			uint64_t run = 1 + cs_test_draw(&seed, 80);

			add(&r, i + 1, (double)t,
			    1 + (uint32_t)cs_test_draw(&seed, nodes),
			    (double)run);
			t += cs_test_draw(&seed, gap);
		}
		simulate(&r);
		for (uint32_t i = 0; i < n; i++) {
			int64_t slot_us = r.params.slot_s * S;

			x.need[i] = (r.trace.job[i].runtime_us + slot_us - 1) /
				    slot_us;
		}
		naive_run(&x, &r);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(r.result.job[i].end_us, x.end[i]);
		k = figures(&r);
		assert_close(k.slots_max, x.most, 0);
		assert_close(k.slots_avg, x.sum, 1e-9);
		simrig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_jobs_take_turns),
		cmocka_unit_test(slots_are_whole),
		cmocka_unit_test(the_ends_of_a_round_are_before_its_arrivals),
		cmocka_unit_test(what_gang_cannot_do_is_said),
		cmocka_unit_test(rounds_in_one_step_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
