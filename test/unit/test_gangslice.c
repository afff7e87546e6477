/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slice=gang in the engine: slots of ten seconds on eight nodes. */
#include "simrig.h"

#include <errno.h>

#include "rig.h"

#include "common/explain/explain.h"
#include "common/model/topology.h"
#include "common/slice/gang_slice.h"
#include "common/slice/slice.h"

#define GANG(policy) "policy=" policy ",slice=gang,slot_s=10,retry_s=4"

enum { NODES = 8, LONG = 100000, SLOT = 10 };

static const char *const presets[] = { "bc", "br", "brms", "brmms", "brmms+" };

static void open_gang(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, NODES, 1, 1, 1000);
}

/* Is it there, and not stopped? */
static bool goes(struct rig *r, uint32_t id)
{
	struct cs_running run;

	return !cs_engine_running(r->engine, id, &run) && !run.suspended;
}

/* Which go, in the order of their numbers: "1 3". */
static const char *going(struct rig *r)
{
	static char text[256];
	uint32_t id[64];
	size_t n = cs_engine_list(r->engine, true, id, 64), at = 0;

	*text = '\0';
	for (size_t i = 0; i < n; i++)
		if (goes(r, id[i]))
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "%s%u", at ? " " : "", id[i]);
	return text;
}

static uint32_t slots(struct rig *r)
{
	struct cs_slice_now now;

	return cs_engine_slice(r->engine, &now) ? 0 : now.slots;
}

/* Seconds that it has run. */
static int64_t ran_s(struct rig *r, uint32_t id)
{
	struct cs_running run = rig_running(r, id);
	int64_t us = run.ran_us + (run.suspended ? 0 : r->now_us - run.at_us);

	return us / RIG_S;
}

static void at_every_slot(struct rig *r, int64_t from_s, int64_t to_s)
{
	for (int64_t s = from_s; s <= to_s; s += SLOT)
		rig_at(r, s);
}

/* A job that the host started on nodes @first to @last, and perhaps stopped. */
static void found(struct rig *r, uint32_t id, uint32_t first, uint32_t last,
		  bool stopped)
{
	struct cs_alloc *a = cs_alloc_create(last - first + 1, 1);
	struct cs_started s = { .job_id = id,
				.start_us = r->now_us,
				.limit_us = LONG * RIG_S,
				.alloc = a };

	for (uint32_t i = 0; i < a->n_node; i++) {
		a->node[i] =
			(struct cs_alloc_node){ .node = first + i, .procs = 1 };
		cs_alloc_cores(a, i)[0] = 1;
	}
	rig_add(r, id, a->n_node, LONG, NULL);
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(a);
	if (stopped)
		rig_tell(r, (struct cs_event){ .type = CS_EV_SUSPEND,
					       .keeps = true,
					       .job_id = id });
}

/* 16 processes are 4 small nodes, or the 2 large ones: both jobs in one slot. */
static void larger_nodes_are_better_than_a_new_slot(void **state)
{
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(presets) / sizeof(*presets); i++) {
		char params[64];

		snprintf(params, sizeof(params), GANG("%s"), presets[i]);
		rig_large = 2;
		rig_open(&r, params, NULL, 6, 2, 2, 1000);
		for (uint32_t id = 1; id <= 3; id++)
			rig_add(&r, id, 16, LONG, NULL);
		rig_at(&r, 0);
		assert_string_equal(going(&r), "1 2");
		assert_int_equal(slots(&r), 2);
		rig_at(&r, 10);
		assert_true(goes(&r, 3));
		rig_at(&r, 20);
		assert_string_equal(going(&r), "1 2");
		rig_close(&r);
	}
}

/* ---- turns --------------------------------------------------------------------- */

static void two_jobs_of_all_nodes_take_turns(void **state)
{
	const struct cs_action *a;
	struct rig r;

	(void)state;
	open_gang(&r, GANG("brmms"));
	rig_add(&r, 1, 8, LONG, NULL);
	rig_add(&r, 2, 8, LONG, NULL);
	rig_at(&r, 0);
	assert_string_equal(going(&r), "1");
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 2, NULL),
			 10 * RIG_S);
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 10 * RIG_S);
	rig_at(&r, 10);
	assert_string_equal(going(&r), "2");
	a = rig_last(&r, CS_ACT_SLICE, 0);
	assert_non_null(a);
	assert_int_equal(a->slot, 2);
	assert_int_equal(a->slots, 2);
	assert_int_equal(a->until_us, 20 * RIG_S);
	assert_int_equal(cs_engine_again_us(r.engine, 1), 20 * RIG_S);
	rig_at(&r, 20);
	assert_string_equal(going(&r), "1");
	rig_at(&r, 25);
	assert_string_equal(going(&r), "1");
	rig_at(&r, 30);
	assert_string_equal(going(&r), "2");
	rig_finish(&r, 2);
	rig_at(&r, 32);
	/* alone it runs on, and none need wake up */
	assert_string_equal(going(&r), "1");
	assert_int_equal(slots(&r), 1);
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), CS_TIME_NONE);
	rig_at(&r, 90);
	assert_string_equal(going(&r), "1");
	assert_null(rig_last(&r, CS_ACT_SUSPEND, 1));
	rig_close(&r);
}

/* A turn of which no job is left is over; the next one lasts half a slot at least. */
static void an_empty_turn_is_over(void **state)
{
	struct rig r;

	(void)state;
	open_gang(&r, GANG("br"));
	for (uint32_t id = 1; id <= 3; id++)
		rig_add(&r, id, 8, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 4);
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_string_equal(going(&r), "2");
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 10 * RIG_S);
	rig_at(&r, 10);
	assert_string_equal(going(&r), "3");
	rig_at(&r, 17);
	rig_finish(&r, 3);
	rig_decide(&r);
	assert_string_equal(going(&r), "2");
	rig_close(&r);
	open_gang(&r, GANG("br"));
	for (uint32_t id = 1; id <= 3; id++)
		rig_add(&r, id, 8, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 6);
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_string_equal(going(&r), "2");
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 20 * RIG_S);
	rig_close(&r);
}

/* Figure 1 of Zhou00: jobs 10 and 11 (J' and J'') end, and of three slots two are left.
 * All were there before the engine. */
static void figure_1_is_re_packed(void **state)
{
	static const struct {
		uint32_t id, first, last;
	} row[] = { { 5, 0, 2 }, { 6, 3, 4 },  { 7, 6, 7 },
		    { 4, 4, 5 }, { 10, 0, 3 }, { 11, 6, 7 },
		    { 1, 0, 1 }, { 2, 2, 3 },  { 3, 5, 7 } };
	int64_t had[8];
	struct rig r;

	(void)state;
	open_gang(&r, GANG("br"));
	for (size_t i = 0; i < 9; i++)
		found(&r, row[i].id, row[i].first, row[i].last, i < 6);
	rig_at(&r, 1);
	assert_int_equal(slots(&r), 3);
	assert_string_equal(going(&r), "1 2 3");
	at_every_slot(&r, 10, 30);
	for (uint32_t id = 1; id <= 7; id++)
		assert_int_equal(ran_s(&r, id), 10);
	rig_finish(&r, 10);
	rig_finish(&r, 11);
	rig_decide(&r);
	assert_int_equal(slots(&r), 2);
	at_every_slot(&r, 40, 50);
	for (uint32_t id = 1; id <= 7; id++)
		had[id] = ran_s(&r, id);
	at_every_slot(&r, 60, 110);
	for (uint32_t id = 1; id <= 7; id++)
		assert_int_equal(ran_s(&r, id) - had[id], 30);
	rig_close(&r);
}

/* Job 1 on all; 2 on 0-1, 3 on 2-3, 4 on 4-7; 5 finds 0-1 in a third slot, in which 3
 * and 4 have an idle place: they get two slots of three, until others come for it. */
static void service_is_in_the_ratio_of_the_slots(void **state)
{
	int64_t had[8];
	struct rig r;

	(void)state;
	open_gang(&r, GANG("brmms+"));
	rig_add(&r, 1, 8, LONG, NULL);
	rig_add(&r, 2, 2, LONG, NULL);
	rig_add(&r, 3, 2, LONG, NULL);
	rig_add(&r, 4, 4, LONG, NULL);
	rig_add(&r, 5, 2, LONG, NULL);
	at_every_slot(&r, 0, 90);
	assert_int_equal(slots(&r), 3);
	for (uint32_t id = 1; id <= 5; id++)
		assert_int_equal(ran_s(&r, id), id == 3 || id == 4 ? 60 : 30);
	for (uint32_t id = 1; id <= 5; id++)
		had[id] = ran_s(&r, id);
	/* they come for all that was lent */
	rig_add(&r, 6, 2, LONG, NULL);
	rig_add(&r, 7, 4, LONG, NULL);
	at_every_slot(&r, 100, 150);
	assert_int_equal(slots(&r), 3);
	at_every_slot(&r, 160, 240);
	for (uint32_t id = 1; id <= 5; id++)
		assert_in_range(ran_s(&r, id) - had[id], 40, 60);
	rig_close(&r);
}

static void a_job_comes_back_on_its_cores(void **state)
{
	struct rig r;
	char was[64];

	(void)state;
	open_gang(&r, GANG("brmms"));
	rig_add(&r, 1, 3, LONG, NULL);
	rig_add(&r, 2, 8, LONG, NULL);
	rig_at(&r, 0);
	snprintf(was, sizeof(was), "%s", rig_where(&r, 1));
	at_every_slot(&r, 10, 20);
	assert_string_equal(going(&r), "1");
	assert_string_equal(rig_where(&r, 1), was);
	rig_close(&r);
}

/* ---- places ---------------------------------------------------------------------- */

static void what_stands_still_keeps_its_memory_without_swap(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct rig r;
		struct cs_job j;

		open_gang(&r, swap ? GANG("br") ",swap=yes"
				   : GANG("br") ",swap=no");
		for (uint32_t id = 1; id <= 3; id++) {
			j = rig_job(&r, id, 8, LONG, NULL);
			j.mem_node_mb = id == 2 ? 600 : 300;
			rig_submit(&r, &j);
		}
		j = rig_job(&r, 4, 8, LONG, NULL);
		j.mem_node_mb = 100;
		rig_submit(&r, &j);
		rig_at(&r, 0);
		/* 300 + 600: no place for the third; the fourth does not pass it */
		assert_int_equal(slots(&r), swap ? 4 : 2);
		at_every_slot(&r, 10, 80);
		assert_int_equal(rig_runs(&r, 3), swap);
		assert_int_equal(rig_runs(&r, 4), swap);
		rig_finish(&r, 2);
		at_every_slot(&r, 90, 120);
		assert_true(rig_runs(&r, 3) && rig_runs(&r, 4));
		rig_close(&r);
	}
}

static void there_are_no_more_slots_than_wanted(void **state)
{
	struct rig r;

	(void)state;
	open_gang(&r, GANG("brmms") ",gang_slots=2");
	for (uint32_t id = 1; id <= 3; id++)
		rig_add(&r, id, 8, LONG, NULL);
	at_every_slot(&r, 0, 50);
	assert_int_equal(slots(&r), 2);
	assert_int_equal(ran_s(&r, 1), 30);
	assert_int_equal(ran_s(&r, 2), 20);
	assert_false(rig_runs(&r, 3));
	rig_finish(&r, 2);
	at_every_slot(&r, 60, 70);
	assert_true(rig_runs(&r, 3));
	rig_close(&r);
}

/* Nodes that are down, or another partition's, are between those of a job. */
static void a_job_gets_nodes_that_it_may_use(void **state)
{
	struct rig r;

	(void)state;
	open_gang(&r, GANG("brmms+"));
	rig_tell(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 1, false, NULL, "test" } });
	rig_add_in(&r, 1, 2, LONG, NULL, 0x83); /* 0, 1, 7 */
	rig_add(&r, 2, 3, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 10);
	assert_true(rig_runs(&r, 1) && rig_runs(&r, 2));
	assert_string_equal(rig_where(&r, 1), "0:0 7:0");
	assert_int_equal(slots(&r), 2);
	/* for this there are not nodes enough: it keeps none waiting */
	rig_add(&r, 3, 8, LONG, NULL);
	rig_add(&r, 4, 1, LONG, NULL);
	at_every_slot(&r, 20, 30);
	assert_false(rig_runs(&r, 3));
	assert_true(rig_runs(&r, 4));
	rig_close(&r);
}

/* Job 3 has the second slot of nodes 0-3; then job 2 ends, and it starts on 4-7. */
static void what_waits_moves_to_nodes_that_are_idle(void **state)
{
	struct rig r;

	(void)state;
	for (int busy = 0; busy < 2; busy++) {
		open_gang(&r, GANG("brmms+"));
		for (uint32_t id = 1; id <= 3; id++)
			rig_add(&r, id, 4, LONG, NULL);
		rig_at(&r, 0);
		assert_string_equal(going(&r), "1 2");
		assert_int_equal(slots(&r), 2);
		rig_at(&r, 4);
		rig_finish(&r, busy ? 1 : 2);
		rig_decide(&r);
		/* where 1 was, 3 has its place already, and this slot now */
		assert_string_equal(going(&r), busy ? "2 3" : "1 3");
		assert_int_equal(slots(&r), 1);
		rig_close(&r);
	}
}

static void tasks_of_an_array_take_turns(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_gang(&r, GANG("br"));
	j = rig_job(&r, 1, 8, LONG, NULL);
	j.array_id = 1;
	j.tasks = 3;
	rig_submit(&r, &j);
	at_every_slot(&r, 0, 60);
	assert_int_equal(slots(&r), 3);
	assert_int_equal(cs_engine_list(r.engine, true, NULL, 0), 3);
	rig_close(&r);
}

/* @nodes nodes of two switches that nothing joins; the first has @cut. */
static struct cs_topology *two_switches(uint32_t nodes, uint32_t cut)
{
	const uint64_t first = (UINT64_C(1) << cut) - 1;
	const uint64_t rest = ((UINT64_C(1) << nodes) - 1) & ~first;
	const struct cs_group_desc d[] = {
		{ .name = "s1", .nodes = &first },
		{ .name = "s2", .nodes = &rest },
	};

	return cs_topology_tree(nodes, d, 2);
}

/* Three nodes on each of two switches: the second job of two nodes does not fit on those
 * that follow the first's, and gets two of the other switch. */
static void jobs_stand_side_by_side_on_two_switches(void **state)
{
	struct rig r;

	(void)state;
	for (size_t w = 0; w < 5; w++) {
		char params[96];

		snprintf(params, sizeof(params), "policy=%s,slice=gang",
			 presets[w]);
		rig_topology = two_switches(6, 3);
		rig_open(&r, params, NULL, 6, 1, 1, 1000);
		rig_add(&r, 1, 2, LONG, NULL);
		rig_add(&r, 2, 2, LONG, NULL);
		rig_at(&r, 0);
		assert_string_equal(going(&r), "1 2");
		assert_int_equal(slots(&r), 1);
		rig_close(&r);
	}
}

static void explain_says_which_slot(void **state)
{
	char text[512];
	struct rig r;

	(void)state;
	open_gang(&r, GANG("brmms") ",gang_slots=2");
	for (uint32_t id = 1; id <= 3; id++)
		rig_add(&r, id, 8, LONG, NULL);
	rig_at(&r, 0);
	assert_true(cs_explain(r.engine, 2, NULL, text, sizeof(text)) > 0);
	assert_contains(text, "waits: it has a time slot, on 8 nodes");
	assert_contains(text, "; its turn comes in 0:00:10");
	assert_true(cs_explain(r.engine, 3, NULL, text, sizeof(text)) > 0);
	assert_contains(text, "no time slot has room for it, and there are as "
			      "many as may be (gang_slots=2)");
	rig_at(&r, 10);
	assert_true(cs_explain(r.engine, 1, NULL, text, sizeof(text)) > 0);
	assert_contains(text, "is stopped between its time slices on 8 nodes\n"
			      "  goes on in 0:00:10: the turn of its slot\n");
	rig_close(&r);
}

static void waits_since(struct rig *r, uint32_t id, const char *why)
{
	char text[512];

	assert_true(cs_explain(r->engine, id, NULL, text, sizeof(text)) > 0);
	assert_contains(text, why);
}

static void explain_says_why_there_is_no_slot(void **state)
{
	static const uint32_t node[] = { 5 };
	struct cs_reservation v = { .id = 1,
				    .n = 1,
				    .node = node,
				    .start_us = 50 * RIG_S,
				    .end_us = 90 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_gang(&r, GANG("brmms") ",gang_slots=2");
	for (uint32_t id = 1; id <= 3; id++)
		rig_add(&r, id, 8, LONG, NULL);
	rig_add(&r, 4, 4, LONG, NULL);
	rig_at(&r, 0);
	waits_since(&r, 3,
		    "waits: no time slot has room for it, and there are "
		    "as many as may be (gang_slots=2)\n");
	waits_since(&r, 4,
		    "waits: a job before it, which may use the same "
		    "nodes, has no time slot yet\n");
	rig_tell(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 5, false, NULL, "test" } });
	rig_at(&r, 1);
	waits_since(&r, 3, "waits: no set of nodes that are up can hold it\n");
	rig_close(&r);

	open_gang(&r, GANG("brmms") ",swap=no");
	for (uint32_t id = 1; id <= 2; id++) {
		j = rig_job(&r, id, 8, LONG, NULL);
		j.mem_cpu_mb = 600;
		rig_submit(&r, &j);
	}
	rig_at(&r, 0);
	waits_since(&r, 2,
		    "waits: no time slot has room for it: jobs that are "
		    "stopped or have a slot leave it too little memory\n");
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
					.reservation = &v });
	rig_at(&r, 1);
	waits_since(&r, 2,
		    "waits: no set of nodes is free of reservations for "
		    "as long as it may run\n");
	rig_close(&r);
}

/* Nodes 0 to 3 have no memory left; 5 is down, or reserved. */
static void explain_says_which_nodes_have_the_memory(void **state)
{
	static const uint32_t node[] = { 5 };
	struct cs_reservation v = { .id = 1,
				    .n = 1,
				    .node = node,
				    .start_us = 50 * RIG_S,
				    .end_us = 90 * RIG_S };
	struct cs_job j;

	(void)state;
	for (int down = 0; down < 2; down++) {
		struct rig r;

		open_gang(&r, GANG("brmms") ",swap=no");
		if (down)
			rig_tell(&r,
				 (struct cs_event){
					 .type = CS_EV_NODE,
					 .node = { 5, false, NULL, "test" } });
		else
			rig_tell(&r,
				 (struct cs_event){ .type = CS_EV_RESERVATION,
						    .reservation = &v });
		for (uint32_t id = 1; id <= 2; id++) {
			j = rig_job(&r, id, 4, LONG, NULL);
			j.mem_cpu_mb = 600;
			rig_submit(&r, &j);
		}
		rig_at(&r, 0);
		assert_string_equal(going(&r), "1");
		waits_since(&r, 2,
			    down ? "waits: no time slot has room for it: only "
				   "nodes that are down, drained or not ready "
				   "have the memory\n"
				 : "waits: no time slot has room for it: a "
				   "reservation that is not its own keeps "
				   "nodes that have the memory\n");
		rig_close(&r);
	}
}

/* Both may use nodes 0 to 3 only, where 1 has the memory; 4 to 7 are up and empty. */
static void explain_says_that_its_own_nodes_lack_the_memory(void **state)
{
	static const uint32_t node[] = { 0, 1, 2, 3 };
	struct cs_reservation v = {
		.id = 1, .n = 4, .node = node, .end_us = 1000 * RIG_S
	};
	struct rig r;

	(void)state;
	open_gang(&r, GANG("brmms") ",swap=no");
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
					.reservation = &v });
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j = rig_job(&r, id, 4, LONG, NULL);

		j.mem_cpu_mb = 600;
		j.reservation = 1;
		rig_submit(&r, &j);
	}
	rig_at(&r, 0);
	assert_string_equal(going(&r), "1");
	waits_since(&r, 2,
		    "waits: no time slot has room for it: jobs that are "
		    "stopped or have a slot leave it too little memory\n");
	rig_close(&r);
}

/* No job is late whose slot has its turn: 2 is refused in its own, which is then too short
 * for another start; 1 is to be stopped, and is not yet. */
static void explain_knows_whose_turn_it_is(void **state)
{
	char text[512];
	struct rig r;

	(void)state;
	open_gang(&r, GANG("brmms") ",slice_guard_s=1,slice_rest_s=2");
	rig_add(&r, 1, 8, LONG, NULL);
	rig_add(&r, 2, 8, LONG, NULL);
	rig_at(&r, 0);
	r.refuse = 1; /* to be stopped */
	rig_at(&r, 10);
	rig_at(&r, 11);
	assert_string_equal(going(&r), "1");
	cs_explain(r.engine, 2, NULL, text, sizeof(text));
	assert_contains(text,
			"waits: it has a time slot, on 8 nodes; it has its "
			"turn, and starts when those who had it before "
			"have left its nodes");
	for (int64_t s = 12; s < 18; s++) {
		r.refuse = 1;
		rig_at(&r, s);
	}
	r.refuse = 1;
	rig_at(&r, 18);
	assert_string_equal(going(&r), "1");
	cs_explain(r.engine, 2, NULL, text, sizeof(text));
	assert_contains(text, "; its turn comes in 0:00:12");
	rig_close(&r);
}

/* ---- what a host does -------------------------------------------------------------- */

static void what_could_not_be_stopped_is_later(void **state)
{
	struct rig r;

	(void)state;
	open_gang(&r, GANG("br"));
	rig_add(&r, 1, 8, LONG, NULL);
	rig_add(&r, 2, 8, LONG, NULL);
	rig_at(&r, 0);
	r.refuse = 1;
	rig_at(&r, 10);
	assert_string_equal(going(&r), "1");
	assert_false(rig_runs(&r, 2));
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 14 * RIG_S);
	rig_at(&r, 14);
	assert_string_equal(going(&r), "2");
	/* and one that could not go on */
	r.refuse = 1;
	rig_at(&r, 20);
	assert_string_equal(going(&r), "");
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 24 * RIG_S);
	rig_at(&r, 24);
	assert_string_equal(going(&r), "2");
	rig_close(&r);
}

static void no_job_is_moved_twice_within_the_rest(void **state)
{
	struct rig r;

	(void)state;
	open_gang(&r, GANG("br") ",slice_rest_s=4,slice_guard_s=2");
	rig_add(&r, 1, 8, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	rig_add(&r, 2, 4, LONG, NULL);
	rig_add(&r, 3, 4, LONG, NULL);
	rig_decide(&r);
	rig_at(&r, 10);
	assert_string_equal(going(&r), "2 3");
	rig_at(&r, 15);
	rig_finish(&r, 2);
	rig_decide(&r);
	/* 5 s are left, as 6 would be wanted: its place is another's in the next turn */
	rig_add(&r, 4, 4, LONG, NULL);
	rig_decide(&r);
	assert_string_equal(going(&r), "3");
	rig_at(&r, 20);
	assert_string_equal(going(&r), "1");
	rig_at(&r, 30);
	assert_string_equal(going(&r), "3 4");
	rig_close(&r);
}

/* A new engine finds all stopped a moment ago: there is one turn, and in it they wait. */
static void turns_do_not_race(void **state)
{
	uint32_t turns = 0;
	struct rig r;

	(void)state;
	open_gang(&r, GANG("br") ",slice_rest_s=4");
	for (uint32_t id = 1; id <= 3; id++)
		found(&r, id, 0, 7, true);
	for (int i = 0; i < 100; i++) {
		r.now_us++;
		rig_decide(&r);
		turns += rig_last(&r, CS_ACT_SLICE, 0) != NULL;
	}
	assert_int_equal(turns, 1);
	assert_string_equal(going(&r), "");
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 4 * RIG_S);
	rig_at(&r, 4);
	assert_string_equal(going(&r), "1");
	rig_close(&r);
}

static void an_administrators_suspend_is_left_alone(void **state)
{
	struct rig r;

	(void)state;
	open_gang(&r, GANG("br") ",swap=no");
	rig_add(&r, 1, 8, LONG, NULL);
	rig_add(&r, 2, 8, LONG, NULL);
	at_every_slot(&r, 0, 10);
	assert_string_equal(going(&r), "2");
	/* of one that rests, and of one that runs */
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	at_every_slot(&r, 20, 50);
	assert_string_equal(going(&r), "2");
	assert_int_equal(slots(&r), 1);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 2 });
	at_every_slot(&r, 60, 70);
	assert_string_equal(going(&r), "");
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 1 });
	rig_at(&r, 80);
	assert_string_equal(going(&r), "1");
	rig_finish(&r, 1);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 2 });
	rig_at(&r, 90);
	assert_string_equal(going(&r), "2");
	rig_close(&r);
}

/* One of two that ran, or that rested. */
static void what_is_given_back_gets_a_slot(void **state)
{
	(void)state;
	for (uint32_t id = 1; id <= 2; id++) {
		struct rig r;

		open_gang(&r, GANG("br") ",swap=no");
		rig_add(&r, 1, 8, LONG, NULL);
		rig_add(&r, 2, 8, LONG, NULL);
		at_every_slot(&r, 0, 10);
		assert_string_equal(going(&r), "2");
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.job_id = id });
		at_every_slot(&r, 20, 50);
		assert_int_equal(slots(&r), 1);
		assert_string_equal(going(&r), id == 1 ? "2" : "1");
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.keeps = true,
						.job_id = id });
		rig_at(&r, 60);
		assert_int_equal(slots(&r), 2);
		assert_true(goes(&r, id));
		rig_at(&r, 70);
		assert_false(goes(&r, id));
		assert_string_not_equal(going(&r), "");
		rig_finish(&r, id);
		rig_at(&r, 100);
		assert_int_equal(slots(&r), 1);
		rig_close(&r);
	}
}

/* Drained, say: what has it keeps it, and no other job gets it. */
static void a_node_that_is_gone_keeps_its_jobs(void **state)
{
	struct rig r;

	(void)state;
	open_gang(&r, GANG("br"));
	rig_add(&r, 1, 8, LONG, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	at_every_slot(&r, 0, 10);
	assert_string_equal(going(&r), "2");
	rig_add(&r, 3, 4, LONG, NULL);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 5, false, NULL, "test" } });
	at_every_slot(&r, 20, 50);
	assert_true(ran_s(&r, 1) >= 20);
	assert_true(rig_runs(&r, 3));
	assert_null(strstr(rig_where(&r, 3), "5:"));
	rig_close(&r);
}

/* ---- random worlds ------------------------------------------------------------------- */

static void draw_jobs(struct simrig *r, uint64_t *seed, uint32_t n,
		      uint64_t gap)
{
	uint64_t t = 0;

	for (uint32_t i = 0; i < n; i++) {
		double s = (double)(1 + cs_test_draw(seed, 8)) * SLOT;

		simrig_add(r, i + 1, (double)t,
			   1 + (uint32_t)cs_test_draw(seed, NODES), s, s, 1);
		t += gap ? cs_test_draw(seed, gap) : 0;
	}
}

static struct cs_metrics figures(const struct simrig *r)
{
	struct cs_metrics k;

	assert_int_equal(
		cs_metrics(&k, &r->trace, &r->result, r->machine, &r->params),
		0);
	return k;
}

/*
 * Against gang_sim.c, which goes in rounds and dates an end to that of its round.  All
 * jobs are there from the beginning: the matrix is the same until the first one ends, so
 * that the first end of all is in that round.  And none does worse on the whole, for
 * room is used as soon as it is there.
 */
static void the_first_end_is_in_the_round_of_gang_sim(void **state)
{
	uint64_t seed = cs_test_seed();
	double here = 0, rounds = 0;

	(void)state;
	for (uint64_t w = cs_test_worlds(200); w; w--) {
		char params[96];
		struct simrig r;
		int64_t first = INT64_MAX, theirs = INT64_MAX, S_us, round_us;

		snprintf(params, sizeof(params), "policy=%s,slot_s=%d",
			 presets[w % 5], SLOT);
		simrig_open(&r, "8x1x1", params, NULL);
		draw_jobs(&r, &seed, 1 + (uint32_t)cs_test_draw(&seed, 12), 0);
		simrig_run(&r);
		S_us = r.params.slot_s * RIG_S;
		here += figures(&r).turnaround_all;
		for (size_t i = 0; i < r.trace.n; i++)
			if (r.result.job[i].end_us < first)
				first = r.result.job[i].end_us;
		r.params.gang_rounds = CS_YES;
		simrig_run(&r);
		rounds += figures(&r).turnaround_all;
		for (size_t i = 0; i < r.trace.n; i++)
			if (r.result.job[i].end_us < theirs)
				theirs = r.result.job[i].end_us;
		round_us = r.result.slots.most * S_us;
		assert_true(theirs - first < round_us);
		/* a job's turns in several slots come in another order */
		assert_true(first - theirs <= (w % 5 < 2 ? 0 : round_us));
		simrig_close(&r);
	}
	print_message("mean turnaround %.3f of gang_sim's\n", here / rounds);
	assert_in_range((int)(1000 * here / rounds), 800, 1000);
}

/* All end; none stands still longer than it takes all others to have a turn;
 * the log is sound. */
static void every_job_has_its_turn(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t w = cs_test_worlds(100); w; w--) {
		char params[96];
		struct simrig r;
		int64_t slot_us = SLOT * RIG_S;

		snprintf(params, sizeof(params),
			 "policy=%s,slot_s=%d,gang_slots=%d", presets[w % 5],
			 SLOT, (int)cs_test_draw(&seed, 5));
		simrig_open(&r, "8x1x1", params, NULL);
		draw_jobs(&r, &seed, 1 + (uint32_t)cs_test_draw(&seed, 30), 30);
		simrig_run_checked(&r);
		for (size_t i = 0; i < r.trace.n; i++) {
			const struct cs_sim_job *x = &r.result.job[i];
			int64_t need = r.trace.job[i].runtime_us;
			int64_t most = (int64_t)r.trace.n * need +
				       (int64_t)r.trace.n * slot_us;

			assert_int_equal(x->ran_us, need);
			assert_true(x->end_us - x->start_us >= need);
			assert_true(x->end_us - x->start_us <= most);
		}
		simrig_close(&r);
	}
}

struct side_by_side {
	uint32_t nodes, cores; /* of the machine, of each node */
	uint32_t cut; /* nodes of the first of two switches; 0: there is none */
	uint32_t tasks, procs; /* of each task */
};

/* An array, or so many jobs. */
static void submit_all(struct rig *r, const struct side_by_side *d, bool array)
{
	for (uint32_t id = 1; id <= (array ? 1 : d->tasks); id++) {
		struct cs_job j = rig_job(r, id, d->procs, LONG, NULL);

		j.array_id = array ? id : 0;
		j.tasks = array ? d->tasks : 1;
		rig_submit(r, &j);
	}
}

/* On the idle machine; returns how many start at once, and the slots in the end. */
static uint32_t start_all(const struct side_by_side *d, const char *preset,
			  bool array, uint32_t *ret_slots)
{
	char params[96];
	uint32_t at_once;
	struct rig r;

	snprintf(params, sizeof(params), "policy=%s,slice=gang,slot_s=%d",
		 preset, SLOT);
	rig_topology = d->cut ? two_switches(d->nodes, d->cut) : NULL;
	rig_open(&r, params, NULL, d->nodes, 1, (uint16_t)d->cores, 1000);
	submit_all(&r, d, array);
	rig_at(&r, 0);
	at_once = (uint32_t)cs_engine_list(r.engine, true, NULL, 0);
	at_every_slot(&r, SLOT, d->tasks * d->tasks * SLOT);
	assert_int_equal(cs_engine_list(r.engine, true, NULL, 0), d->tasks);
	*ret_slots = slots(&r);
	rig_close(&r);
	return at_once;
}

/* How many nodes a task may have at most, and how many tasks fit side by side. */
static uint32_t widest(const struct side_by_side *d)
{
	return d->cut > d->nodes - d->cut ? d->cut : d->nodes - d->cut;
}

static uint32_t abreast(const struct side_by_side *d)
{
	uint32_t width = (d->procs + d->cores - 1) / d->cores;

	return d->cut / width + (d->nodes - d->cut) / width;
}

static struct side_by_side draw_side_by_side(uint64_t *seed)
{
	struct side_by_side d = {
		.nodes = 2 + (uint32_t)cs_test_draw(seed, 11),
		.cores = 1 + (uint32_t)cs_test_draw(seed, 4),
		.tasks = 2 + (uint32_t)cs_test_draw(seed, 6),
	};

	d.cut = (uint32_t)cs_test_draw(seed, d.nodes);
	d.procs = 1 + (uint32_t)cs_test_draw(seed, widest(&d) * d.cores);
	return d;
}

/* The tasks of an array start as jobs do: as many as fit side by side, and in no more
 * slots than these need.  Blocks of buddies leave gaps, and with switches not always the
 * same ones. */
static void an_array_fills_its_slots(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t w = cs_test_worlds(300); w; w--) {
		struct side_by_side d = draw_side_by_side(&seed);
		uint32_t most = abreast(&d), at_once, of_jobs, rows, want_rows;
		bool buddies = w % 5 < 4;

		at_once = start_all(&d, presets[w % 5], true, &rows);
		of_jobs = start_all(&d, presets[w % 5], false, &want_rows);
		if (!d.cut || !buddies) {
			assert_int_equal(at_once, of_jobs);
			assert_int_equal(rows, want_rows);
		}
		if (!buddies) {
			assert_int_equal(at_once,
					 most < d.tasks ? most : d.tasks);
			assert_int_equal(rows, (d.tasks + most - 1) / most);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(larger_nodes_are_better_than_a_new_slot),
		cmocka_unit_test(two_jobs_of_all_nodes_take_turns),
		cmocka_unit_test(an_empty_turn_is_over),
		cmocka_unit_test(figure_1_is_re_packed),
		cmocka_unit_test(service_is_in_the_ratio_of_the_slots),
		cmocka_unit_test(a_job_comes_back_on_its_cores),
		cmocka_unit_test(
			what_stands_still_keeps_its_memory_without_swap),
		cmocka_unit_test(there_are_no_more_slots_than_wanted),
		cmocka_unit_test(a_job_gets_nodes_that_it_may_use),
		cmocka_unit_test(what_waits_moves_to_nodes_that_are_idle),
		cmocka_unit_test(tasks_of_an_array_take_turns),
		cmocka_unit_test(jobs_stand_side_by_side_on_two_switches),
		cmocka_unit_test(explain_says_which_slot),
		cmocka_unit_test(explain_says_why_there_is_no_slot),
		cmocka_unit_test(explain_says_which_nodes_have_the_memory),
		cmocka_unit_test(
			explain_says_that_its_own_nodes_lack_the_memory),
		cmocka_unit_test(explain_knows_whose_turn_it_is),
		cmocka_unit_test(what_could_not_be_stopped_is_later),
		cmocka_unit_test(no_job_is_moved_twice_within_the_rest),
		cmocka_unit_test(turns_do_not_race),
		cmocka_unit_test(an_administrators_suspend_is_left_alone),
		cmocka_unit_test(what_is_given_back_gets_a_slot),
		cmocka_unit_test(a_node_that_is_gone_keeps_its_jobs),
		cmocka_unit_test(the_first_end_is_in_the_round_of_gang_sim),
		cmocka_unit_test(every_job_has_its_turn),
		cmocka_unit_test(an_array_fills_its_slots),
	};

	return cmocka_run_group_tests_name("gangslice", tests, NULL, NULL);
}
