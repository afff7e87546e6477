/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conservative backfilling: what is promised, and that promises are kept. */
#include "simrig.h"

#include "rig.h"

#define PLAN "policy=conservative,unprofiled=model"

static void open_plan(struct rig *r, const char *params, uint32_t nodes)
{
	rig_open(r, params, NULL, nodes, 1, 1, 0);
}

/* Promised start in seconds; -1: none. */
static int64_t promised_s(struct rig *r, uint32_t id)
{
	int64_t t = cs_engine_predicted_start_us(r->engine, id, NULL);

	return t == CS_TIME_NONE ? -1 : t / RIG_S;
}

/* Its R_est in seconds; -1: none. */
static int64_t response_s(struct rig *r, uint32_t id)
{
	int64_t est_us, max_us;

	return cs_engine_promised(r->engine, id, &est_us, &max_us)
		       ? -1
		       : est_us / RIG_S;
}

static void nobody_is_passed_whom_it_would_delay(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 6);
	rig_add(&r, 1, 4, 100, NULL);
	rig_add(&r, 2, 6, 100, NULL); /* 100 .. 200 */
	rig_add(&r, 3, 4, 200, NULL); /* 200 .. 400 */
	rig_add(&r, 4, 3, 100, NULL); /* 400: beside 3 two are free */
	rig_add(&r, 5, 2, 200, NULL); /* 200 .. 400 */
	rig_add(&r, 6, 2, 101, NULL); /* would delay 2 by a second */
	rig_add(&r, 7, 2, 100, NULL); /* now */
	rig_decide(&r);
	assert_true(rig_runs(&r, 1) && rig_runs(&r, 7));
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(promised_s(&r, 3), 200);
	assert_int_equal(promised_s(&r, 4), 400);
	assert_int_equal(promised_s(&r, 5), 200);
	assert_int_equal(promised_s(&r, 6), 400);
	rig_close(&r);
}

/* 2 is promised three nodes at 100; 3, which may have two, leaves it one of those
 * that are free. */
static void what_the_host_may_stretch_takes_nobodys_promise(void **state)
{
	struct cs_actions a;
	struct cs_job j;
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 3, 100, NULL);
	j = rig_job(&r, 3, 1, 500, NULL);
	j.min_nodes = 1;
	j.max_nodes = 2;
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.action[0].job_id, 3);
	assert_int_equal(a.action[0].alloc->n_node, 1);
	/* refused there, it may need what only the other has */
	rig_tell(&r,
		 (struct cs_event){ .type = CS_EV_REFUSED,
				    .refused = { a.action[0].seq,
						 CS_REFUSED_TIMED, "busy" } });
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 0);
	r.now_us += 10 * RIG_S;
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.action[0].alloc->n_node, 2);
	rig_close(&r);
}

static void a_promise_is_kept(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 3, 100, NULL);
	rig_add(&r, 2, 4, 50, NULL);
	rig_decide(&r);
	for (int64_t t = 10; t < 100; t += 10) {
		r.now_us = t * RIG_S;
		rig_add(&r, (uint32_t)t, 1, 101 - t, NULL);
		rig_decide(&r);
		assert_int_equal(promised_s(&r, 2), 100);
	}
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), 100 * RIG_S);
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

/* c is promised 50, before b at 100; when a ends at 20 it comes first still. */
static void an_early_end_moves_up_in_the_order_of_the_promises(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_add(&r, 2, 2, 50, NULL);
	rig_add(&r, 3, 3, 100, NULL); /* b: 100 .. 200 */
	rig_add(&r, 4, 2, 50, NULL);  /* c: 50 .. 100 */
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 3), 100);
	assert_int_equal(promised_s(&r, 4), 50);
	r.now_us = 20 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	assert_int_equal(promised_s(&r, 3), 70);
	rig_close(&r);
}

/* Until when started job @id could stay where it is, were it to leave at @from_s. */
static int64_t stays_s(struct rig *r, uint32_t id, int64_t from_s)
{
	return cs_backfill_ask_stays_us(r->engine, rig_running(r, id).alloc,
					false, from_s * RIG_S, 1000 * RIG_S) /
	       RIG_S;
}

static void limit_s(struct rig *r, uint32_t id, int64_t s)
{
	rig_tell(r, (struct cs_event){ .type = CS_EV_LIMIT,
				       .limit = { id, s * RIG_S } });
}

/* Of four nodes job 1 has two until 100, when job 2 wants three; so one that has
 * started meanwhile may stay, and a second may not. */
static void who_may_stay_longer(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_add(&r, 2, 3, 100, NULL);
	rig_add(&r, 3, 1, 20, NULL);
	rig_add(&r, 4, 1, 20, NULL);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(stays_s(&r, 1, 100), 100);
	assert_int_equal(stays_s(&r, 3, 20), 1000);
	limit_s(&r, 3, 500);
	assert_int_equal(stays_s(&r, 4, 20), 100);
	assert_int_equal(stays_s(&r, 3, 500), 1000);
	limit_s(&r, 4, 100);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 2), 100);
	limit_s(&r, 4, 101);
	/* until the plan is made anew: before anybody's promised start */
	assert_int_equal(stays_s(&r, 3, 90), 100);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 2), 101);
	rig_close(&r);
}

/* A head is promised the first nodes that do for it: those of job 1, and of 3. */
static void under_easy_the_first_promised_start_there_counts(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, "policy=easy,unprofiled=model", 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_add(&r, 2, 3, 100, NULL);
	rig_add(&r, 3, 1, 20, NULL);
	rig_add(&r, 4, 1, 20, NULL);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(stays_s(&r, 3, 20), 100);
	assert_int_equal(stays_s(&r, 3, 200), 200);
	assert_int_equal(stays_s(&r, 4, 20), 1000);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 2 });
	assert_int_equal(stays_s(&r, 3, 20), 1000);
	rig_close(&r);
}

static void a_cancelled_job_lets_others_move_up(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 4, 100, NULL);
	rig_add(&r, 2, 4, 100, NULL);
	rig_add(&r, 3, 4, 100, NULL);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 3), 200);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 2 });
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 3), 100);
	rig_close(&r);
}

static void a_node_that_is_lost_moves_promises(void **state)
{
	struct cs_event node = { .type = CS_EV_NODE,
				 .node = { 3, false, NULL, "" } };
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_add(&r, 2, 4, 100, NULL);
	rig_add(&r, 3, 3, 100, NULL);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(promised_s(&r, 3), 200);
	rig_tell(&r, node);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 2), -1);
	assert_int_equal(promised_s(&r, 3), 100);
	node.node.up = true;
	rig_tell(&r, node);
	rig_decide(&r);
	assert_true(promised_s(&r, 2) >= 100 && promised_s(&r, 3) >= 100);
	rig_close(&r);
}

/* Job 1 wants node 0; job 2, a core of each of four nodes, leaves it three there,
 * and is not promised all four of them instead. */
static void
packed_processes_on_nodes_of_their_own_are_planned_apart(void **state)
{
	struct cs_event node = { .type = CS_EV_NODE,
				 .node = { 0, false, NULL, "" } };
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	const uint64_t first = 1;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 4, 2, 2, 0);
	o.nodeset = (uint32_t)cs_engine_nodeset(r.engine, &first);
	rig_tell(&r, node);
	j = rig_job(&r, 1, 1, 600, NULL);
	j.option = &o;
	rig_submit(&r, &j);
	j = rig_job(&r, 2, 4, 600, NULL);
	j.min_nodes = j.max_nodes = 4;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_false(rig_runs(&r, 1) || rig_runs(&r, 2));
	node.node.up = true;
	rig_tell(&r, node);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

static void a_job_that_outlasts_its_estimate_moves_promises(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 4, 100, NULL);
	rig_add(&r, 2, 4, 100, NULL);
	rig_add(&r, 3, 4, 100, NULL);
	rig_decide(&r);
	rig_at(&r, 130);
	assert_int_equal(promised_s(&r, 2), 131);
	assert_int_equal(promised_s(&r, 3), 231);
	r.now_us = 140 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_int_equal(promised_s(&r, 3), 240);
	rig_close(&r);
}

/* A microsecond too late is not a place at the end of the queue. */
static void a_promise_that_was_missed_keeps_its_place(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 4, 100, NULL);
	rig_add(&r, 2, 4, 100, NULL);
	rig_add(&r, 3, 4, 100, NULL);
	rig_decide(&r);
	r.now_us = 100 * RIG_S + 1;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

/* As a host in mode shadow: nothing that is proposed is done.  Whom the decide
 * proposes, as "2 3". */
static const char *taken_back(struct rig *r)
{
	static char said[64];
	struct cs_actions a;
	struct cs_event no = { .type = CS_EV_REFUSED,
			       .refused = { .class = CS_REFUSED_GROUP } };
	uint32_t seq[8], n = 0;

	*said = '\0';
	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++) {
		snprintf(said + strlen(said), sizeof(said) - strlen(said),
			 "%s%u", n ? " " : "", a.action[i].job_id);
		seq[n++] = a.action[i].seq;
	}
	for (uint32_t i = 0; i < n; i++) {
		no.refused.seq = seq[i];
		rig_tell(r, no);
	}
	return said;
}

static void what_is_taken_back_at_once_keeps_its_promise(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 4, 100, NULL); /* 100 .. 200 */
	rig_add(&r, 3, 1, 100, NULL); /* now */
	rig_add(&r, 4, 1, 100, NULL); /* now */
	rig_add(&r, 5, 1, 90, NULL);  /* 200 */
	for (int i = 0; i < 3; i++)
		assert_string_equal(taken_back(&r), "3 4");
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(promised_s(&r, 5), 200);
	r.now_us = 10 * RIG_S; /* now 3 and 4 would delay 2, and 5 would not */
	for (int i = 0; i < 3; i++)
		assert_string_equal(taken_back(&r), "5");
	r.now_us = 20 * RIG_S;
	rig_finish(&r, 1);
	for (int i = 0; i < 3; i++)
		assert_string_equal(taken_back(&r), "2");
	rig_close(&r);
}

static void a_task_that_is_taken_back_keeps_its_promise(void **state)
{
	struct cs_job job;
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	job = rig_job(&r, 1, 4, 100, NULL);
	job.array_id = 1;
	job.tasks = 2;
	rig_submit(&r, &job);
	rig_add(&r, 2, 4, 100, NULL);
	for (int i = 0; i < 3; i++)
		assert_string_equal(taken_back(&r), "1");
	rig_close(&r);
}

/* A job that the host refuses for a while lets others by meanwhile; then it
 * stands before whoever came later, and behind whoever came before. */
static void a_refused_job_keeps_its_place_in_the_queue(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 2, 100, NULL);
	rig_add(&r, 3, 4, 100, NULL);
	rig_add(&r, 4, 2, 100, NULL);
	r.refuse = 2;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	assert_int_equal(promised_s(&r, 3), 100);
	r.refuse = 0;
	rig_at(&r, 40);
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(promised_s(&r, 3), 200);
	rig_close(&r);
}

static void a_refused_job_delays_nobody_before_it(void **state)
{
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	rig_add(&r, 1, 2, 100, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 4, 100, NULL);
	rig_add(&r, 3, 2, 100, NULL);
	r.refuse = 3;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_decide(&r);
	r.refuse = 0;
	rig_at(&r, 40);
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(promised_s(&r, 3), 200);
	rig_close(&r);
}

/*
 * Partitions of nodes 0 .. 3 and 2 .. 5.  Job 1 has 0 .. 3 until 100.  Job 2 wants
 * 2 of the right ones: 4 and 5, now.  Job 3 all of the left, at 100; job 4 wants 2
 * of the right for 200: behind job 2, at 50.
 */
static void partitions_with_common_nodes_share_one_plan(void **state)
{
	const uint64_t left = 0xf, right = 0x3c;
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 6);
	rig_add_in(&r, 1, 4, 100, NULL, left);
	rig_add_in(&r, 2, 2, 50, NULL, right);
	rig_add_in(&r, 3, 4, 100, NULL, left);
	rig_add_in(&r, 4, 2, 200, NULL, right);
	/* 4, 5 and one that is common: 250 */
	rig_add_in(&r, 5, 3, 10, NULL, right);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0 1:0 2:0 3:0");
	assert_string_equal(rig_where(&r, 2), "4:0 5:0");
	assert_int_equal(promised_s(&r, 3), 100);
	assert_int_equal(promised_s(&r, 4), 50);
	assert_int_equal(promised_s(&r, 5), 250);
	rig_close(&r);
}

/*
 * Job 3 has two partitions: nodes 0 and 1, where it has all cores of a node and runs
 * 137 s, and nodes 2 to 5, from 10 on: two processes a node, 109 s.
 */
static void of_several_partitions_it_is_where_a_job_ends_first(void **state)
{
	struct cs_job_partition o[2] = { { .limit_max_us = CS_TIME_NONE },
					 { .limit_max_us = CS_TIME_NONE } };
	const uint64_t low = 0x03, high = 0x3c;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ssp,unprofiled=model", NULL, 6, 2, 2, 0);
	o[0].nodeset = (uint32_t)cs_engine_nodeset(r.engine, &low);
	o[1].nodeset = (uint32_t)cs_engine_nodeset(r.engine, &high);
	rig_add_in(&r, 1, 2, 50, NULL, low);
	rig_add_in(&r, 2, 4, 10, NULL, high);
	j = rig_job(&r, 3, 8, 100, NULL);
	j.option = o;
	j.n_option = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 3), 10);
	/* it could start now, and would end later */
	r.now_us = 2 * RIG_S;
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 3), 10);
	r.now_us = 10 * RIG_S;
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_int_equal(rig_running(&r, 3).end_us / RIG_S, 119);
	rig_close(&r);
}

/* Job 3 is promised 0 and 1 at 100, job 2 three nodes at 200.  Job 9 ends early, at
 * 100 too: job 2, which comes first, must leave 0 and 1 to job 3. */
static void a_due_job_takes_nodes_as_promised(void **state)
{
	const uint64_t left = 0x3, right = 0x1c, all = 0x1f;
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 5);
	rig_add_in(&r, 1, 2, 100, NULL, left);
	rig_add_in(&r, 9, 3, 200, NULL, right);
	rig_decide(&r);
	rig_add_in(&r, 2, 3, 100, NULL, all);
	rig_decide(&r);
	rig_add_in(&r, 3, 2, 100, NULL, left);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 2), 200);
	assert_int_equal(promised_s(&r, 3), 100);
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 1);
	rig_finish(&r, 9);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "2:0 3:0 4:0");
	assert_string_equal(rig_where(&r, 3), "0:0 1:0");
	rig_close(&r);
}

/* Its limit is for packing already: neighbours do not lengthen it. */
static void add_packed(struct rig *r, uint32_t id, uint32_t procs)
{
	struct cs_job j = rig_job(r, id, procs, 100, NULL);

	j.base_procs = procs;
	rig_submit(r, &j);
}

static void a_packed_job_takes_its_cores_only(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative", NULL, 1, 1, 4, 0);
	add_packed(&r, 1, 2);
	add_packed(&r, 2, 3); /* 100 */
	add_packed(&r, 3, 2); /* now */
	add_packed(&r, 4, 1); /* beside 2 */
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1");
	assert_string_equal(rig_where(&r, 3), "0:2,3");
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(promised_s(&r, 4), 100);
	rig_close(&r);
}

static void add_of(struct rig *r, uint32_t id, const char *user,
		   int64_t limit_s)
{
	struct cs_job j = rig_job(r, id, 1, limit_s, NULL);

	j.user = user;
	j.base_procs = 1;
	rig_submit(r, &j);
}

/* Job 2 is promised the node, of which three cores are free, for when bob has
 * left it; his next jobs come to it, but do not stay longer. */
static void share_scope_promises_empty_nodes(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative,share_scope=user", NULL, 1, 1, 4, 0);
	add_of(&r, 1, "bob", 100);
	rig_decide(&r);
	add_of(&r, 2, "carol", 100);
	add_of(&r, 3, "bob", 101);
	add_of(&r, 4, "bob", 100);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 2), 100);
	assert_int_equal(promised_s(&r, 3), 200);
	assert_true(rig_runs(&r, 4));
	rig_at(&r, 50);
	add_of(&r, 5, "bob", 50);
	rig_decide(&r);
	assert_true(rig_runs(&r, 5));
	assert_int_equal(promised_s(&r, 2), 100);
	rig_finish(&r, 1);
	rig_at(&r, 90);
	rig_finish(&r, 4);
	assert_int_equal(promised_s(&r, 2), 100);
	rig_finish(&r, 5);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

static void the_tasks_of_an_array_are_promised_one_by_one(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_plan(&r, PLAN, 4);
	j = rig_job(&r, 7, 2, 100, NULL);
	j.array_id = 7;
	j.tasks = 5;
	rig_submit(&r, &j);
	rig_add(&r, 8, 4, 100, NULL);
	/* the third is promised a start when the second has had its own, behind
	 * job 8 */
	assert_int_equal(rig_decide(&r), 2);
	assert_int_equal(promised_s(&r, 8), 100);
	assert_int_equal(promised_s(&r, 7), 200);
	/* and each its own response, times response_scale */
	assert_int_equal(response_s(&r, 1000000), 75);
	assert_int_equal(response_s(&r, 1000001), 75);
	assert_int_equal(response_s(&r, 7), 225);
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 1000000);
	rig_finish(&r, 1000001);
	rig_decide(&r);
	assert_true(rig_runs(&r, 8));
	rig_close(&r);
}

/* Random traces. */

#define JOBS 40

struct draw {
	uint32_t nodes, size;
	bool exact;
};

static void add_random(struct simrig *r, const struct draw *d, uint64_t *rng)
{
	double at = 0;

	for (uint32_t id = 1; id <= JOBS; id++) {
		double run = 1 + (double)cs_test_draw(rng, 60), est = run;

		at += (double)cs_test_draw(rng, 20);
		if (!d->exact)
			est += (double)(cs_test_draw(rng, 3) *
					cs_test_draw(rng, 100));
		simrig_add(r, id, at, 1 + (uint32_t)cs_test_draw(rng, d->size),
			   run, est, -1);
	}
}

/* An obviously right scheduler: what is free in each second. */

#define SECONDS 20000

struct naive {
	int free[SECONDS];
	int64_t promise[JOBS], start[JOBS]; /* -1: none */
};

static void put(struct naive *v, int64_t from, int64_t to, int n)
{
	for (int64_t t = from; t < to && t < SECONDS; t++)
		v->free[t] += n;
}

static int64_t fits(const struct naive *v, int64_t from, int64_t len, int n)
{
	for (int64_t t = from, k = 0;; t++) {
		assert_true(t < SECONDS);
		k = v->free[t] >= n ? k + 1 : 0;
		if (k == len)
			return t - len + 1;
	}
}

static int64_t secs(int64_t us)
{
	return us / S;
}

/* Promise all that wait anew, in the order of their promises. */
static void naive_anew(struct naive *v, const struct cs_trace *t, int64_t now,
		       int nodes)
{
	int64_t old[JOBS];
	bool done[JOBS] = { false };

	for (int i = 0; i < SECONDS; i++)
		v->free[i] = nodes;
	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *j = &t->job[i];

		old[i] = v->promise[i];
		if (v->start[i] >= 0 && v->start[i] + secs(j->runtime_us) > now)
			put(v, 0, v->start[i] + secs(j->estimate_us),
			    -(int)j->procs);
	}
	for (;;) {
		size_t best = t->n;
		const struct cs_trace_job *j;

		for (size_t i = 0; i < t->n; i++)
			if (!done[i] && v->start[i] < 0 && old[i] >= 0 &&
			    (best == t->n || old[i] < old[best]))
				best = i;
		if (best == t->n)
			return;
		j = &t->job[best];
		done[best] = true;
		v->promise[best] =
			fits(v, now, secs(j->estimate_us), (int)j->procs);
		put(v, v->promise[best],
		    v->promise[best] + secs(j->estimate_us), -(int)j->procs);
	}
}

static bool waits(const struct naive *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v->start[i] < 0)
			return true;
	return false;
}

static void naive_run(struct naive *v, const struct cs_trace *t, int nodes)
{
	memset(v->promise, -1, sizeof(v->promise));
	memset(v->start, -1, sizeof(v->start));
	for (int64_t now = 0; waits(v, t->n); now++) {
		naive_anew(v, t, now, nodes);
		for (size_t i = 0; i < t->n; i++) {
			const struct cs_trace_job *j = &t->job[i];

			if (secs(j->submit_us) != now)
				continue;
			v->promise[i] = fits(v, now, secs(j->estimate_us),
					     (int)j->procs);
			put(v, v->promise[i],
			    v->promise[i] + secs(j->estimate_us),
			    -(int)j->procs);
		}
		for (size_t i = 0; i < t->n; i++)
			if (v->start[i] < 0 && v->promise[i] == now)
				v->start[i] = now;
	}
}

static void the_fast_plan_is_the_naive_one(void **state)
{
	/* the naive one is slow */
	uint64_t rng = cs_test_seed(), rounds = cs_test_worlds(400) / 10;
	static struct naive v;

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		const struct draw d = { 8, 8, round % 2 };
		struct simrig r;

		simrig_open(&r, "8x1x1", "policy=conservative", NULL);
		add_random(&r, &d, &rng);
		simrig_run(&r);
		naive_run(&v, &r.trace, 8);
		for (size_t i = 0; i < r.trace.n; i++)
			if (r.result.job[i].start_us != v.start[i] * S)
				fail_msg("round %llu, job %zu: %lld us, naive "
					 "%lld s",
					 (unsigned long long)round, i + 1,
					 (long long)r.result.job[i].start_us,
					 (long long)v.start[i]);
		simrig_close(&r);
	}
}

/* Promises on random machines: overlapping partitions, early ends. */

#define SETS 4

struct world {
	struct rig r;
	uint64_t rng, seed;
	uint32_t submitted;
	int64_t promised_us[JOBS + 1];
	uint64_t set[SETS];
	uint32_t size[SETS];
};

/* Partitions, known from the start: a new one makes all anew (plan.c). */
static void world_sets(struct world *w, uint32_t nodes)
{
	for (size_t i = 0; i < SETS; i++) {
		uint32_t from = i ? (uint32_t)cs_test_draw(&w->rng, nodes) : 0;

		w->size[i] =
			i ? 1 + (uint32_t)cs_test_draw(&w->rng, nodes - from)
			  : nodes;
		w->set[i] = 0;
		for (uint32_t n = from; n < from + w->size[i]; n++)
			cs_bit_set(&w->set[i], n);
		cs_engine_nodeset(w->r.engine, &w->set[i]);
	}
}

static void world_submit(struct world *w)
{
	size_t i = cs_test_draw(&w->rng, SETS);

	rig_add_in(&w->r, ++w->submitted,
		   1 + (uint32_t)cs_test_draw(&w->rng, w->size[i]),
		   1 + (int64_t)cs_test_draw(&w->rng, 100), NULL, w->set[i]);
	w->promised_us[w->submitted] = CS_TIME_NONE;
}

static void world_check(struct world *w)
{
	for (uint32_t id = 1; id <= w->submitted; id++) {
		int64_t t = cs_engine_predicted_start_us(w->r.engine, id, NULL);
		struct cs_running run;

		if (!cs_engine_running(w->r.engine, id, &run))
			t = run.start_us;
		if (t == CS_TIME_NONE)
			continue;
		if (t > w->promised_us[id])
			fail_msg("seed %llu, job %u: promised %lld, now %lld",
				 (unsigned long long)w->seed, id,
				 (long long)w->promised_us[id], (long long)t);
		w->promised_us[id] = t;
	}
}

static void no_promise_moves_to_later(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(500);

	(void)state;
	for (uint64_t i = 0; i < worlds; i++, seed++) {
		static struct world w;
		struct cs_engine_stats st;
		uint32_t nodes;

		w = (struct world){
			.seed = seed, .rng = seed * UINT64_C(0x9e3779b97f4a7c15)
		};
		nodes = 2 + (uint32_t)cs_test_draw(&w.rng, 8);
		open_plan(&w.r, PLAN, nodes);
		world_sets(&w, nodes);
		for (int k = 0; k < 4 * JOBS; k++) {
			w.r.n_log = 0;
			if (w.submitted < JOBS && cs_test_draw(&w.rng, 2))
				world_submit(&w);
			else
				rig_finish_some(&w.r, !cs_test_draw(&w.rng, 3),
						&w.rng);
			rig_decide(&w.r);
			world_check(&w);
		}
		cs_engine_stats(w.r.engine, &st);
		assert_int_equal(st.waiting + st.running, 0);
		rig_close(&w.r);
	}
}

/* A job of one process that takes a whole node, before one that would leave it a
 * core of one. */
static void a_whole_node_is_promised_whole(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative,place=pack,order=slurm", NULL, 2, 2,
		 2, 0);
	j = rig_job(&r, 1, 1, 600, NULL);
	j.flags = CS_JOB_EXCLUSIVE;
	rig_submit(&r, &j);
	rig_add(&r, 2, 7, 600, NULL);
	rig_add(&r, 3, 4, 600, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3)); /* it would delay 2 */
	rig_close(&r);
}

/* Of the nodes the last has threads: as if all had, 8 processes on 3 nodes take 4
 * cores.  They take 7, and whom the rest was promised waits. */
static void a_head_starts_though_its_promise_was_too_small(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative,place=pack,order=slurm", NULL, 3, 2,
		 2, 0);
	r.machine->node[2].threads = 2;
	assert_int_equal(cs_machine_check(r.machine, NULL), 0);
	cs_engine_free(r.engine);
	r.engine = cs_engine_create(&r.params, r.machine, NULL, NULL);
	r.all = (uint32_t)cs_engine_nodeset(r.engine, &(uint64_t){ 7 });
	j = rig_job(&r, 1, 8, 600, NULL);
	j.min_nodes = j.max_nodes = 3;
	rig_submit(&r, &j);
	rig_add(&r, 2, 12, 600, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

/* 1, a core of each node, is promised all cores of the first; what it leaves of them
 * 2, which can have no other, need not wait for. */
static void what_a_start_leaves_of_its_promise_is_given_away(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative,place=pack,order=fcfs", NULL, 3, 2, 1,
		 0);
	j = rig_job(&r, 1, 3, 600, NULL);
	j.min_nodes = j.max_nodes = 3;
	rig_submit(&r, &j);
	rig_add_in(&r, 2, 1, 600, NULL, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

/* Three nodes are not two, though these have three cores. */
static void nodes_that_are_not_there_are_not_promised(void **state)
{
	const struct cs_event down = { .type = CS_EV_NODE,
				       .node = { 0, false, NULL, "" } };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative,place=pack,order=fcfs", NULL, 3, 2, 1,
		 0);
	rig_tell(&r, down);
	j = rig_job(&r, 1, 3, 600, NULL);
	j.min_nodes = j.max_nodes = 3;
	rig_submit(&r, &j);
	rig_add(&r, 2, 4, 600, NULL);
	rig_decide(&r);
	assert_int_equal(promised_s(&r, 1), -1);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_passed_whom_it_would_delay),
		cmocka_unit_test(
			what_the_host_may_stretch_takes_nobodys_promise),
		cmocka_unit_test(a_promise_is_kept),
		cmocka_unit_test(
			an_early_end_moves_up_in_the_order_of_the_promises),
		cmocka_unit_test(who_may_stay_longer),
		cmocka_unit_test(
			under_easy_the_first_promised_start_there_counts),
		cmocka_unit_test(a_cancelled_job_lets_others_move_up),
		cmocka_unit_test(a_node_that_is_lost_moves_promises),
		cmocka_unit_test(
			packed_processes_on_nodes_of_their_own_are_planned_apart),
		cmocka_unit_test(
			a_job_that_outlasts_its_estimate_moves_promises),
		cmocka_unit_test(a_promise_that_was_missed_keeps_its_place),
		cmocka_unit_test(what_is_taken_back_at_once_keeps_its_promise),
		cmocka_unit_test(a_task_that_is_taken_back_keeps_its_promise),
		cmocka_unit_test(a_refused_job_keeps_its_place_in_the_queue),
		cmocka_unit_test(a_refused_job_delays_nobody_before_it),
		cmocka_unit_test(partitions_with_common_nodes_share_one_plan),
		cmocka_unit_test(
			of_several_partitions_it_is_where_a_job_ends_first),
		cmocka_unit_test(a_due_job_takes_nodes_as_promised),
		cmocka_unit_test(a_packed_job_takes_its_cores_only),
		cmocka_unit_test(share_scope_promises_empty_nodes),
		cmocka_unit_test(the_tasks_of_an_array_are_promised_one_by_one),
		cmocka_unit_test(the_fast_plan_is_the_naive_one),
		cmocka_unit_test(no_promise_moves_to_later),
		cmocka_unit_test(a_whole_node_is_promised_whole),
		cmocka_unit_test(
			a_head_starts_though_its_promise_was_too_small),
		cmocka_unit_test(
			what_a_start_leaves_of_its_promise_is_given_away),
		cmocka_unit_test(nodes_that_are_not_there_are_not_promised),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
