/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a job waits, where it stands in the queue, what would start it. */
#include "explainrig.h"

#include <inttypes.h>

static const char *reason(struct rig *r, uint32_t id)
{
	static char text[512];

	assert_true(cs_explain_reason(r->engine, id, NULL, text,
				      sizeof(text)) >= 0);
	/* what squeue shows of it */
	assert_true(strlen(text) < 180);
	return text;
}

/* "4:0-3 5:1": each planned job's nodes, as who looks is told. */
static const char *planned(struct rig *r, int64_t until_s, uint32_t most)
{
	static char text[256];
	uint64_t nodes[8] = { 0 };
	uint32_t id[8];
	size_t len = 0;
	int n = cs_explain_nodes(r->engine, r->now_us + until_s * 1000000, most,
				 id, nodes);

	text[0] = 0;
	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s%u:%" PRIx64, i ? " " : "", id[i],
					nodes[i]);
	return text;
}

/* Four nodes, two of them taken, the first for 600 s, the second for 100 s.  The first planned
 * job gets the second node with both idle ones, the next one a node of these when that job
 * has ended, and the third job the other three. */
static void planned_jobs_have_likely_nodes(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_packed(&r, "policy=conservative,order=fcfs");
	rig_add_in(&r, 1, 4, 600, NULL, 1);
	rig_add_in(&r, 2, 4, 100, NULL, 2);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1) && rig_runs(&r, 2));
	for (uint32_t id = 3; id <= 5; id++) {
		j = rig_job(&r, id, id == 4 ? 4 : 12, 300, NULL);
		j.min_nodes = j.max_nodes = id == 4 ? 1 : 3;
		j.flags = CS_JOB_EXCLUSIVE;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	assert_string_equal(planned(&r, 86400, 8), "3:e 4:2 5:d");
	assert_string_equal(planned(&r, 200, 8), "3:e");
	assert_string_equal(planned(&r, 86400, 1), "3:e");
	rig_close(&r);
}

static void node_down(struct rig *r, uint32_t index)
{
	rig_tell(r, (struct cs_event){
			    .type = CS_EV_NODE,
			    .node = { .index = index, .why = "test" } });
}

static void a_packed_job_needs_cores(void **state)
{
	struct rig r;

	(void)state;
	open_packed(&r, "policy=cst,layout=dense");
	for (uint32_t id = 1; id <= 2; id++)
		rig_add(&r, id, 4, 600, NULL);
	rig_add(&r, 3, 1, 600, NULL);
	rig_add(&r, 4, 16, 600, NULL);
	rig_add(&r, 5, 1, 600, NULL);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	assert_string_equal(reason(&r, 4), "first in the queue for its nodes, "
					   "needs 16 cores, 6 free");
	assert_contains(explain(&r, 4),
			"job 4 (no profile) waits: first in the queue for its "
			"nodes, needs 16 cores, 6 free; starts in 0:13:43 at "
			"the latest\n");
	rig_close(&r);
}

static void a_packed_job_is_told_of_share_scope(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst,share_scope=user", NULL, 1, 2, 2, 0);
	rig_add(&r, 1, 1, 600, NULL);
	j = rig_job(&r, 2, 1, 600, NULL);
	j.user = "bob";
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(reason(&r, 2),
			    "first in the queue for its nodes, needs 1 core "
			    "of one node, none has them free (share_scope: "
			    "beside no other owner's jobs)");
	rig_close(&r);
}

static void who_stands_behind_is_told_whom_and_what_is_free(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_packed(&r, "policy=easy");
	rig_add(&r, 1, 9, 600, NULL);
	rig_add(&r, 2, 16, 600, NULL);
	rig_add(&r, 3, 8, 6000, NULL);
	rig_add(&r, 4, 1, 6000, NULL);
	j = rig_job(&r, 5, 8, 6000, NULL);
	j.min_nodes = j.max_nodes = 2;
	rig_submit(&r, &j);
	j = rig_job(&r, 6, 4, 6000, NULL);
	j.min_nodes = j.max_nodes = 4;
	rig_submit(&r, &j);
	j = rig_job(&r, 7, 8, 6000, NULL);
	j.flags = CS_JOB_EXCLUSIVE;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(reason(&r, 3),
			    "behind job 2, needs 8 cores, 7 free");
	assert_string_equal(reason(&r, 4),
			    "there is room, but job 2 would start later");
	assert_string_equal(
		reason(&r, 5),
		"behind job 2, needs 8 cores of 2 nodes, 7 free on 2 nodes");
	assert_string_equal(
		reason(&r, 6),
		"behind job 2, needs 4 cores of 4 nodes, 7 free on 2 nodes");
	assert_string_equal(reason(&r, 7), "behind job 2, needs 8 cores of "
					   "empty nodes, 4 free");
	assert_string_equal(reason(&r, 1), "");
	rig_close(&r);
}

static void hardware_threads_are_counted_in_cores(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_packed(&r, "policy=easy");
	rig_add(&r, 1, 2, 600, NULL);
	j = rig_job(&r, 2, 4, 600, NULL);
	j.cpus_per_proc = 4;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(reason(&r, 2), "first in the queue for its nodes, "
					   "needs 16 cores, 12 free");
	rig_close(&r);
}

static void memory_that_is_short_is_said(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 2, 2, 2, 1000);
	for (uint32_t id = 1; id <= 2; id++) {
		j = rig_job(&r, id, 1, 600, NULL);
		j.mem_node_mb = 800;
		rig_submit(&r, &j);
	}
	j = rig_job(&r, 3, 2, 600, NULL);
	j.mem_node_mb = 500;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(reason(&r, 3), "first in the queue for its nodes, "
					   "needs 2 cores, 0 free with the "
					   "memory it asks for");
	rig_close(&r);
}

static void a_job_on_nodes_of_its_own_needs_nodes(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,unprofiled=model", NULL, 4, 1, 1, 0);
	rig_add(&r, 1, 3, 100000, NULL);
	rig_add(&r, 2, 4, 600, NULL);
	rig_add(&r, 3, 2, 600, NULL);
	rig_decide(&r);
	assert_contains(explain(&r, 2), "needs 4 nodes, 1 free; starts in "
					"1-03:46:40 at the latest\n");
	assert_string_equal(reason(&r, 3),
			    "behind job 2, needs 2 nodes, 1 free");
	rig_close(&r);
}

static void a_promise_is_subject_to_who_is_put_before(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,order=slurm,unprofiled=model", NULL, 2, 1, 1,
		 0);
	rig_add(&r, 1, 2, 100, NULL);
	rig_add(&r, 2, 2, 100, NULL);
	rig_decide(&r);
	assert_contains(explain(&r, 2), "starts in 0:01:40 at the latest, "
					"unless other jobs go before it\n");
	rig_close(&r);
}

static void with_a_plan_everybody_has_a_start(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative,unprofiled=pack", NULL, 2, 2, 2, 0);
	rig_add(&r, 1, 8, 100, NULL);
	rig_add(&r, 2, 8, 100, NULL);
	rig_add(&r, 3, 6, 100, NULL);
	rig_decide(&r);
	assert_string_equal(reason(&r, 3), "planned on 6 cores");
	assert_contains(explain(&r, 3), "planned on 6 cores; starts in 0:04:34 "
					"at the latest\n");
	rig_close(&r);
}

/* Cores that packed jobs leave on several nodes count as if they were together. */
static void a_promise_that_is_not_kept_in_time(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative,unprofiled=pack", NULL, 2, 1, 2, 0);
	for (uint32_t id = 1; id <= 3; id++)
		rig_add(&r, id, 1, 1000, NULL);
	rig_decide(&r);
	rig_finish(&r, 1);
	j = rig_job(&r, 4, 2, 100, NULL);
	j.min_nodes = j.max_nodes = 1;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_contains(explain(&r, 4),
			"needs 2 cores of one node, none has them free; late: "
			"no nodes have room for it until running jobs end, in "
			"0:16:40 at the latest\n");
	/* which is when job 2 ends, and it starts */
	rig_finish_due(&r, rig_next_end_us(&r));
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	rig_close(&r);
}

static void without_backfilling_nobody_may_pass(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=fcfs,unprofiled=model", NULL, 4, 1, 1, 0);
	rig_add(&r, 1, 3, 100, NULL);
	rig_add(&r, 2, 4, 100, NULL);
	rig_add(&r, 3, 1, 10, NULL);
	rig_decide(&r);
	assert_string_equal(reason(&r, 3), "there is room, but no job may pass "
					   "job 2 (backfill=none)");
	rig_close(&r);
}

static void nodes_of_a_reservation_that_are_taken(void **state)
{
	const uint32_t node[] = { 0, 1 };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative,unprofiled=model", NULL, 4, 1, 1, 0);
	reserve(&r, 2, node, 1000 * RIG_S);
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
		uint64_t set = 3;

		o.nodeset = (uint32_t)cs_engine_nodeset(r.engine, &set);
		j = rig_job(&r, id, id, 500, NULL);
		j.option = &o;
		j.reservation = 1;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_lacks(reason(&r, 2), "job 0");
	assert_string_equal(reason(&r, 2),
			    "first in the queue for its nodes, needs 2 nodes, "
			    "1 free in its reservation");
	rig_close(&r);
}

/* Of three nodes one is reserved, or the host keeps it from all jobs, or others are the
 * job's own reservation, where another runs. */
static void a_reservation_is_named_where_one_is_in_the_way(void **state)
{
	static const char why[] = "a reservation that is not its own";
	enum { OTHERS, AWAY, OWN, CASES };
	const uint32_t node[] = { 0, 1 };

	(void)state;
	for (int what = 0; what < CASES; what++) {
		struct cs_reservation v = { .id = 1,
					    .n = what == OWN ? 2 : 1,
					    .node = node,
					    .end_us = 1000 * RIG_S };
		struct rig r;

		rig_open(&r, "policy=easy,unprofiled=model", NULL, 3, 1, 1, 0);
		v.flags = what == AWAY ? CS_RESV_ALL : 0;
		rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
						.reservation = &v });
		for (uint32_t id = 1; id <= 2; id++) {
			struct cs_job j = rig_job(&r, id, id, 500, NULL);

			j.reservation = what == OWN;
			rig_submit(&r, &j);
		}
		rig_decide(&r);
		assert_true(rig_runs(&r, 1));
		assert_false(rig_runs(&r, 2));
		if (what == OTHERS)
			assert_contains(reason(&r, 2), why);
		else
			assert_lacks(reason(&r, 2), why);
		rig_close(&r);
	}
}

/* The head has no promise on the node that the reservation keeps. */
static void behind_a_head_that_has_other_nodes(void **state)
{
	const uint32_t node[] = { 1 };
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	uint64_t set = 2;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=fcfs,unprofiled=model", NULL, 2, 1, 1, 0);
	reserve(&r, 1, node, 10000 * RIG_S);
	rig_add(&r, 1, 1, 100, NULL);
	rig_add(&r, 2, 1, 100, NULL);
	o.nodeset = (uint32_t)cs_engine_nodeset(r.engine, &set);
	j = rig_job(&r, 3, 1, 100, NULL);
	j.option = &o;
	j.reservation = 1;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(reason(&r, 3), "there is room, but no job may pass "
					   "a job before it (backfill=none)");
	rig_close(&r);
}

/* Job 3, behind the head, may start in one of two partitions, the first or the second;
 * the other is down. */
static void of_two_options_the_one_that_is_not_blocked(void **state)
{
	static const char *const policy[] = {
		"policy=easy,unprofiled=model",
		"policy=conservative,unprofiled=model"
	};
	static const char *const why[] = { "behind job 2, needs 1 node, 0 free",
					   "planned on 1 node" };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct cs_job_partition o[2] = {
			{ .limit_max_us = CS_TIME_NONE },
			{ .limit_max_us = CS_TIME_NONE, .partition = 1 },
		};
		uint64_t set = 1;
		struct cs_job j;
		struct rig r;

		rig_open(&r, policy[i / 2], NULL, 1, 1, 1, 0);
		rig_add(&r, 1, 1, 100, NULL);
		rig_add(&r, 2, 1, 100, NULL);
		for (int k = 0; k < 2; k++)
			o[k].nodeset =
				(uint32_t)cs_engine_nodeset(r.engine, &set);
		o[i % 2].flags = CS_JOB_BLOCKED;
		j = rig_job(&r, 3, 1, 100, NULL);
		j.option = o;
		j.n_option = 2;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_string_equal(reason(&r, 3), why[i / 2]);
		assert_int_equal(
			cs_engine_predicted_start_us(r.engine, 3, NULL),
			i / 2 ? 200 * RIG_S : CS_TIME_NONE);
		rig_close(&r);
	}
}

/* ---- never ---------------------------------------------------------------- */

static void a_job_larger_than_its_partition_is_told_so(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 4, 2, 2, 3000);
	rig_add(&r, 1, 20, 100, NULL);
	rig_add_in(&r, 2, 12, 100, NULL, 3);
	j = rig_job(&r, 3, 8, 100, NULL);
	j.min_nodes = 5;
	rig_submit(&r, &j);
	j = rig_job(&r, 4, 8, 100, NULL);
	j.max_nodes = 1;
	rig_submit(&r, &j);
	j = rig_job(&r, 5, 1, 100, NULL);
	j.mem_node_mb = 4000;
	rig_submit(&r, &j);
	j = rig_job(&r, 6, 8, 100, NULL);
	j.min_nodes = 4;
	j.max_nodes = 2;
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	rig_add_in(&r, 7, 1, 100, NULL, 0);
	j = rig_job(&r, 8, 1, 100, NULL);
	j.mem_cpu_mb = 900;
	j.cpus_per_proc = 4;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(reason(&r, 1),
			    "no set of nodes that it may use can "
			    "hold it, even with all up and "
			    "empty, and Slurm refused its start: "
			    "the host finds none");
	assert_contains(explain(&r, 1), "\n  it can never run: it asks for 20 "
					"cores; the nodes it may use are 4, "
					"with 16 cores in all and at most 4 "
					"each\n");
	assert_contains(explain(&r, 2),
			"it asks for 12 cores; the nodes it may "
			"use are 2, with 8 cores");
	assert_contains(explain(&r, 3), "it asks for 5 nodes; the nodes it may "
					"use are 4,");
	assert_contains(explain(&r, 4), "more cores or memory on a node than "
					"any has, or for fewer nodes than its "
					"8 cores take; ");
	assert_contains(explain(&r, 5), "it asks for 4000 MB on a node; the "
					"nodes it may use are 4, with 16 cores "
					"in all and at most 4 and 3000 MB "
					"each\n");
	/* also where Slurm keeps it back for that */
	assert_contains(explain(&r, 6), "it asks for 4 nodes and may have 2; ");
	assert_contains(explain(&r, 8), "it asks for 3600 MB on a node; ");
	assert_lacks(
		explain_to(&r, 7, &(struct cs_audience){ .no_nodes = true }),
		"can never run");
	assert_contains(
		explain_to(&r, 7, &(struct cs_audience){ .no_nodes = true }),
		"waits: its partition has no nodes yet");
	assert_lacks(
		explain_to(&r, 5, &(struct cs_audience){ .more_nodes = true }),
		"can never run");
	assert_contains(
		explain_to(&r, 5, &(struct cs_audience){ .more_nodes = true }),
		"  it cannot run on the nodes that there are now, but more may "
		"register (dynamic nodes): it asks for 4000 MB on a node; ");
	assert_contains(
		explain_to(&r, 5, &(struct cs_audience){ .more_nodes = true }),
		"waits: the nodes that there are now cannot hold it, even with "
		"all up and empty; more may register");
	assert_contains(explain(&r, 7), "it can never run: no node of its "
					"partition meets its request\n");
	rig_close(&r);
}

static void nodes_that_are_down_keep_a_job(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 2, 2, 2, 0);
	node_down(&r, 1);
	rig_add(&r, 1, 8, 100, NULL);
	rig_decide(&r);
	assert_string_equal(reason(&r, 1),
			    "no set of nodes that are up can hold it");
	assert_lacks(explain(&r, 1), "never run");
	rig_close(&r);
}

static void a_layout_that_may_outlast_the_limit(void **state)
{
	static const char *const policy[] = { "policy=easy",
					      "policy=conservative",
					      "policy=pack" };
	struct cs_job_partition o = { .limit_max_us = 100 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 3; p++) {
		rig_open(&r, policy[p], slow, 2, 2, 2, 0);
		o.nodeset = r.all;
		for (uint32_t id = 1; id <= 2; id++) {
			j = rig_job(&r, id, 8, 100, "a");
			/* a packed job's limit is given for packing */
			j.base_procs = p < 2;
			j.option = &o;
			rig_submit(&r, &j);
		}
		rig_decide(&r);
		assert_contains(reason(&r, 1),
				"Slurm refused its start: the host finds none; "
				"Slurm's own test places it now");
		rig_close(&r);
	}
}

static void a_reservation_without_end_keeps_all_off(void **state)
{
	const uint32_t node[] = { 0, 1 };
	struct rig r;

	(void)state;
	rig_open(&r, "policy=conservative", NULL, 2, 1, 1, 0);
	reserve(&r, 2, node, CS_TIME_NONE);
	rig_add(&r, 1, 2, 100, NULL);
	rig_decide(&r);
	assert_string_equal(reason(&r, 1), "no set of nodes is free of "
					   "reservations for as long as it may "
					   "run");
	rig_close(&r);
}

/* ---- not for want of room ------------------------------------------------- */

/* What the host knows of why comes first. */
static void kept_says(struct rig *r, uint32_t id, const char *begin)
{
	const struct cs_audience to = { .kept = "its limit" };
	char text[4096];

	assert_true(cs_explain(r->engine, id, &to, text, sizeof(text)) > 0);
	assert_int_equal(strncmp(text, begin, strlen(begin)), 0);
}

static void what_slurm_keeps_back(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 1, 1, 1, 0);
	j = rig_job(&r, 1, 1, 100, NULL);
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	for (uint32_t id = 2; id <= 3; id++) {
		j = rig_job(&r, id, 1, 100, NULL);
		j.eligible_us = 90 * RIG_S;
		j.flags = id == 3 ? CS_JOB_BLOCKED : 0;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_string_equal(reason(&r, 1),
			    "held back by Slurm (hold, "
			    "dependency, limit, license); squeue "
			    "shows its reason");
	assert_string_equal(reason(&r, 2), "its begin time has not come");
	for (uint32_t id = 2; id <= 3; id++)
		assert_contains(explain(&r, id), "its begin time has not come: "
						 "it may start in 0:01:30\n");
	kept_says(&r, 1,
		  "job 1 (no profile) waits: held back by Slurm: its "
		  "limit\n");
	kept_says(
		&r, 3,
		"job 3 (no profile) waits: held back by Slurm: its limit; its "
		"begin time has not come either, it is in 0:01:30\n");
	rig_close(&r);
}

/* After a restart of the host: no hold, no limit, but a moment. */
static void what_the_host_s_restart_keeps_back(void **state)
{
	struct cs_audience to = { .settles_us = 3 * RIG_S };
	char text[4096];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 1, 1, 1, 0);
	j = rig_job(&r, 1, 1, 100, NULL);
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	assert_true(cs_explain(r.engine, 1, &to, text, sizeof(text)) > 0);
	assert_contains(text, "waits: slurmctld has just started, and an "
			      "earlier run of it may still have to end: it "
			      "may start in 0:00:03\n");
	assert_true(cs_explain_reason(r.engine, 1, &to, text, sizeof(text)) >
		    0);
	assert_contains(text, "slurmctld has just started");
	assert_lacks(text, "0:00");
	to.settles_us = 0;
	assert_true(cs_explain(r.engine, 1, &to, text, sizeof(text)) > 0);
	assert_contains(text, "held back by Slurm");
	rig_close(&r);
}

/* No event for a minute: what is said is a minute later, and the engine is as before. */
static void answers_are_of_the_moment(void **state)
{
	int64_t before_us, again_us;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 1, 1, 1, 0);
	rig_add(&r, 1, 1, 100, NULL);
	rig_add(&r, 2, 1, 100, NULL);
	rig_decide(&r);
	assert_contains(explain(&r, 2), "starts in 0:01:40 ");
	again_us = cs_engine_next_wakeup_us(r.engine);
	before_us = cs_engine_as_of(r.engine, 60 * RIG_S);
	assert_contains(explain(&r, 2), "starts in 0:00:40 ");
	cs_engine_asked(r.engine, before_us);
	assert_contains(explain(&r, 2), "starts in 0:01:40 ");
	before_us = cs_engine_as_of(r.engine, -1);
	assert_contains(explain(&r, 2), "starts in 0:01:40 ");
	cs_engine_asked(r.engine, before_us);
	assert_int_equal(cs_engine_next_wakeup_us(r.engine), again_us);
	assert_int_equal(cs_engine_check(r.engine, NULL), 0);
	rig_close(&r);
}

static void a_start_that_slurm_refused(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 1, 1, 1, 0);
	rig_add(&r, 1, 1, 100, NULL);
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_TIMED;
	rig_decide(&r);
	assert_string_equal(reason(&r, 1), "Slurm refused its start: test");
	assert_contains(explain(&r, 1), "Slurm refused its start: test; it is "
					"tried again in 0:00:10\n");
	r.refuse = 1;
	r.refuse_class = CS_REFUSED_CHANGED;
	rig_at(&r, 10);
	assert_contains(explain(&r, 1), "test; it is tried again when job or "
					"nodes change, or in 0:05:00\n");
	rig_close(&r);
}

static void who_is_not_looked_at(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy,depth=1", NULL, 1, 1, 1, 0);
	rig_add(&r, 1, 1, 100, NULL);
	rig_add(&r, 2, 1, 100, NULL);
	rig_add(&r, 3, 1, 100, NULL);
	assert_string_equal(reason(&r, 1), "not considered yet");
	rig_decide(&r);
	assert_string_equal(
		reason(&r, 3),
		"behind the first 1 of its partition that may start, "
		"beyond which none is considered (depth)");
	rig_close(&r);
}

/* A job that the host places ends the pass. */
static void who_comes_in_the_next_look(void **state)
{
	struct cs_actions a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 2, 1, 1, 0);
	j = rig_job(&r, 1, 1, 100, NULL);
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	rig_add(&r, 2, 1, 100, NULL);
	assert_int_equal(cs_engine_decide(r.engine, 0, &a), 0);
	assert_string_equal(reason(&r, 2), "the next pass over the queue, due "
					   "at once, reaches it");
	assert_contains(explain(&r, 1),
			"job 1 (no profile) is being started on "
			"2 nodes\n");
	rig_close(&r);
}

static void the_place_in_the_queue_and_what_orders_it(void **state)
{
	struct rig r;

	(void)state;
	open_queue(&r, "policy=easy");
	submit_with(&r, 2, 5, 0, 0);
	submit_with(&r, 3, 900, 0, 0);
	submit_with(&r, 4, 1000, CS_JOB_BLOCKED, 0);
	rig_decide(&r);
	assert_contains(explain(&r, 3), "\n  2 of 2 in the queue, by eligible "
					"time (order=fcfs): priority and nice "
					"value do not count\n");
	rig_close(&r);
	open_queue(&r, "policy=easy,order=slurm");
	submit_with(&r, 2, 5, 0, 0);
	submit_with(&r, 3, 900, 0, 0);
	submit_with(&r, 4, 1000, CS_JOB_BLOCKED, 0);
	rig_decide(&r);
	assert_contains(explain(&r, 3), "\n  1 of 2 in the queue, by its "
					"partition's tier, 1, and its "
					"priority, 900 (order=slurm)\n");
	assert_contains(explain(&r, 2), "\n  2 of 2 in the queue, ");
	assert_lacks(explain(&r, 4), "in the queue,");
	rig_close(&r);
	open_queue(&r, "policy=easy,order=expansion");
	submit_with(&r, 2, 5, 0, 0);
	rig_at(&r, 50);
	submit_with(&r, 3, 900, 0, 0);
	rig_at(&r, 60);
	assert_contains(explain(&r, 2),
			"\n  1 of 2 in the queue, by its "
			"partition's tier, 1, and its wait over "
			"the time it takes, times the root of its "
			"width, ");
	rig_close(&r);
	open_queue(&r, "policy=easy,order=work");
	submit_with(&r, 2, 5, 0, 0);
	rig_decide(&r);
	assert_contains(explain(&r, 2),
			"\n  1 of 1 in the queue, by its "
			"partition's tier, 1, and its eligible time, the "
			"earlier the more work it asks for, and half a day "
			"up to an hour (order=work)\n");
	rig_close(&r);
}

static void what_was_set_by_hand_is_said(void **state)
{
	struct rig r;

	(void)state;
	open_queue(&r, "policy=ostrich-paper");
	submit_with(&r, 2, 5, CS_JOB_PRIORITY_SET, 0);
	submit_with(&r, 3, 2000000000, CS_JOB_PRIORITY_SET, 0);
	submit_with(&r, 4, 50, 0, 100);
	submit_with(&r, 5, 50, 0, -3);
	submit_with(&r, 6, 0, CS_JOB_BLOCKED | CS_JOB_PRIORITY_SET, 0);
	rig_decide(&r);
	assert_contains(explain(&r, 2), "\n  4 of 4 in the queue, ");
	assert_contains(explain(&r, 2), "\n  an administrator set its priority "
					"to 5: it goes behind all campaigns\n");
	assert_contains(explain(&r, 3), "\n  1 of 4 in the queue, by its "
					"partition's tier, 1, and campaigns "
					"(order=ostrich)\n  an administrator "
					"set its priority to 2000000000: it "
					"goes before all campaigns\n");
	assert_contains(explain(&r, 4), "\n  its nice value 100 puts it behind "
					"jobs of its campaign with a lower "
					"one\n");
	assert_contains(explain(&r, 5), "\n  its nice value -3 makes it the "
					"first of its user's running "
					"campaign\n");
	assert_contains(explain(&r, 6), "an administrator set its priority");
	rig_close(&r);
}

/* ---- campaigns ------------------------------------------------------------ */

/* Figure 2 of Emeras12 at t = 2: m = 6; alice has 48 units, bob 18, carol 10 then. */
static void the_three_times_of_a_campaign(void **state)
{
	struct cs_job j;
	struct rig r;
	uint32_t id = 1;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 6, 1, 1, 0);
	for (; id <= 24; id++)
		rig_add(&r, id, 1, 2, NULL);
	for (; id <= 33; id++) {
		j = rig_job(&r, id, 1, 2, NULL);
		j.user = "bob";
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	r.now_us = 2 * RIG_S;
	for (; id <= 38; id++) {
		j = rig_job(&r, id, 1, 2, NULL);
		j.user = "carol";
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_contains(
		explain(&r, 24),
		"\n  campaign 1 of alice: rank 3, 24 waiting and 0 "
		"running; 3 users are active, this one's share is "
		"33.3 %\n"
		"  virtual end in 0:00:11, if nobody submits and no job "
		"ends early\n"
		"  projected end in 0:00:21, the virtual end if the 3 "
		"users active now stay active\n"
		"  bound in 0:00:27, when its last job has ended if no "
		"further user and no longer job comes\n");
	rig_close(&r);
}

static void a_campaign_behind_another_of_its_user(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper,campaign_hold=strict", NULL, 2, 1, 1,
		 0);
	rig_add(&r, 1, 1, 100, NULL);
	rig_decide(&r);
	rig_at(&r, 10);
	j = rig_job(&r, 2, 2, 60, NULL);
	j.campaign = "sweep";
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(reason(&r, 2),
			    "its user's previous campaign has not ended "
			    "in the virtual schedule (campaign_hold=strict)");
	assert_contains(
		explain(&r, 2),
		"campaign 2 of alice (sweep): rank 2, 1 waiting and 0 "
		"running; 1 user is active, this one's share is "
		"100.0 %\n"
		"  virtual start at the virtual end of its user's "
		"previous campaign\n"
		"  virtual end in 0:01:40, if nobody submits and no job "
		"ends early\n"
		"  projected end in 0:01:40, the virtual end if its "
		"user stays the only active one\n"
		"  bound in 0:06:00, when its last job has ended if no "
		"further user and no longer job comes (indicative: this "
		"job has more than one process)\n");
	rig_close(&r);
}

static void a_campaign_that_has_ended_virtually(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 2, 1, 1, 0);
	j = rig_job(&r, 1, 2, 10000, NULL);
	j.user = "bob";
	rig_submit(&r, &j);
	rig_decide(&r);
	rig_add(&r, 2, 2, 10, NULL);
	rig_at(&r, 80);
	assert_contains(explain(&r, 2),
			"campaign 1 of alice: rank 1, 1 waiting "
			"and 0 running; 1 user is active\n"
			"  virtual end 0:01:00 ago\n"
			"  bound in ");
	rig_close(&r);
}

static void without_nodes_nothing_ends(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=ostrich-paper", NULL, 1, 1, 1, 0);
	node_down(&r, 0);
	rig_add(&r, 1, 1, 10, NULL);
	rig_decide(&r);
	assert_contains(explain(&r, 1),
			"  virtual end unknown while no node is "
			"up, if nobody");
	rig_close(&r);
}

/* Six cores, on as many nodes as the job allows. */
static void how_many_nodes_may_hold_it(void **state)
{
	static const struct {
		uint32_t min, max;
		const char *want;
	} row[] = {
		{ 1, 0, "" },
		{ 1, 3, " of at most 3 nodes" },
		{ 2, 0, " of 2 nodes or more" },
		{ 2, 3, " of 2 to 3 nodes" },
		{ 3, 3, " of 3 nodes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char want[128];
		struct cs_job j;
		struct rig r;

		open_packed(&r, "policy=pack,unprofiled=model");
		rig_add(&r, 9, 16, 1000, NULL);
		assert_int_equal(rig_decide(&r), 1);
		j = rig_job(&r, 1, 6, 100, NULL);
		j.min_nodes = row[i].min;
		j.max_nodes = row[i].max;
		rig_submit(&r, &j);
		rig_decide(&r);
		snprintf(want, sizeof(want),
			 "needs 6 cores%s, 0 free%s; starts", row[i].want,
			 row[i].min > 1 ? " on 0 nodes" : "");
		assert_contains(explain(&r, 1), want);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planned_jobs_have_likely_nodes),
		cmocka_unit_test(a_packed_job_needs_cores),
		cmocka_unit_test(of_two_options_the_one_that_is_not_blocked),
		cmocka_unit_test(a_packed_job_is_told_of_share_scope),
		cmocka_unit_test(
			who_stands_behind_is_told_whom_and_what_is_free),
		cmocka_unit_test(hardware_threads_are_counted_in_cores),
		cmocka_unit_test(memory_that_is_short_is_said),
		cmocka_unit_test(a_job_on_nodes_of_its_own_needs_nodes),
		cmocka_unit_test(a_promise_is_subject_to_who_is_put_before),
		cmocka_unit_test(with_a_plan_everybody_has_a_start),
		cmocka_unit_test(a_promise_that_is_not_kept_in_time),
		cmocka_unit_test(without_backfilling_nobody_may_pass),
		cmocka_unit_test(nodes_of_a_reservation_that_are_taken),
		cmocka_unit_test(
			a_reservation_is_named_where_one_is_in_the_way),
		cmocka_unit_test(behind_a_head_that_has_other_nodes),
		cmocka_unit_test(a_job_larger_than_its_partition_is_told_so),
		cmocka_unit_test(nodes_that_are_down_keep_a_job),
		cmocka_unit_test(a_layout_that_may_outlast_the_limit),
		cmocka_unit_test(a_reservation_without_end_keeps_all_off),
		cmocka_unit_test(what_slurm_keeps_back),
		cmocka_unit_test(what_the_host_s_restart_keeps_back),
		cmocka_unit_test(answers_are_of_the_moment),
		cmocka_unit_test(a_start_that_slurm_refused),
		cmocka_unit_test(who_is_not_looked_at),
		cmocka_unit_test(who_comes_in_the_next_look),
		cmocka_unit_test(the_place_in_the_queue_and_what_orders_it),
		cmocka_unit_test(what_was_set_by_hand_is_said),
		cmocka_unit_test(the_three_times_of_a_campaign),
		cmocka_unit_test(a_campaign_behind_another_of_its_user),
		cmocka_unit_test(a_campaign_that_has_ended_virtually),
		cmocka_unit_test(without_nodes_nothing_ends),
		cmocka_unit_test(how_many_nodes_may_hold_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
