/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts that the host refuses: refused.c, host_start.c. */
#include "cs_test.h"
#include "rig.h"

#include "common/state/state.h"

/* What the engine wants now; it must be one start. */
static struct cs_action wants(struct rig *r)
{
	struct cs_actions a;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	assert_int_equal(a.n, 1);
	return a.action[0];
}

static void wants_nothing(struct rig *r)
{
	struct cs_actions a;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	assert_int_equal(a.n, 0);
}

static void refuse(struct rig *r, uint32_t seq, enum cs_refused class)
{
	rig_tell(r, (struct cs_event){ .type = CS_EV_REFUSED,
				       .refused = { seq, class, "test" } });
}

/* At @t_s and half a second it is proposed as @type, and refused; nothing is proposed
 * before. */
static void refused_at(struct rig *r, int64_t t_s, enum cs_action_type type)
{
	int64_t t_us = t_s * RIG_S + RIG_S / 2;
	struct cs_action a;

	r->now_us = t_us - 1;
	wants_nothing(r);
	assert_int_equal(cs_engine_next_wakeup_us(r->engine), t_us);
	r->now_us = t_us;
	a = wants(r);
	assert_int_equal(a.type, type);
	refuse(r, a.seq, CS_REFUSED_PLACE);
}

/* The example of refused.c. */
static void after_two_exact_starts_the_host_places_it(void **state)
{
	static const char *const policy[] = { "policy=cst", "policy=easy",
					      "policy=pack", "policy=fcfs" };
	struct cs_action a;
	struct rig r;

	(void)state;
	for (int p = 0; p < 4; p++) {
		rig_open(&r, policy[p], NULL, 2, 1, 2, 0);
		rig_add(&r, 1, 2, 100, NULL);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_START);
		refuse(&r, a.seq, CS_REFUSED_PLACE);
		refused_at(&r, 0, CS_ACT_START);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_HOST_START);
		refuse(&r, a.seq, CS_REFUSED_PLACE);
		refused_at(&r, 10, CS_ACT_HOST_START);
		refused_at(&r, 30, CS_ACT_HOST_START);
		refused_at(&r, 70, CS_ACT_HOST_START);
		refused_at(&r, 150, CS_ACT_HOST_START);
		refused_at(&r, 310, CS_ACT_HOST_START);
		/* 30 * retry_s, no longer */
		refused_at(&r, 610, CS_ACT_HOST_START);
		refused_at(&r, 910, CS_ACT_HOST_START);
		rig_close(&r);
	}
}

static void
a_change_of_the_machine_ends_the_pause_of_the_hosts_test(void **state)
{
	struct cs_action a;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", NULL, 2, 1, 2, 0);
	rig_add(&r, 9, 1, 1000, NULL);
	rig_decide(&r);
	rig_add(&r, 1, 1, 100, NULL);
	a = wants(&r);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	r.now_us = RIG_S;
	refuse(&r, wants(&r).seq, CS_REFUSED_PLACE);
	refuse(&r, wants(&r).seq, CS_REFUSED_PLACE);
	refuse(&r, wants(&r).seq, CS_REFUSED_PLACE); /* on the idle node */
	wants_nothing(&r);
	rig_finish(&r, 9);
	assert_int_equal(wants(&r).type, CS_ACT_HOST_START);
	rig_close(&r);
}

/* Nothing is proposed again before its pause is over though the machine changes. */
static void what_only_time_helps_waits_for_time(void **state)
{
	struct cs_action a;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", NULL, 2, 1, 2, 0);
	rig_add(&r, 9, 1, 1000, NULL);
	rig_decide(&r);
	rig_add(&r, 1, 1, 100, NULL);
	a = wants(&r);
	refuse(&r, a.seq, CS_REFUSED_TIMED);
	rig_finish(&r, 9);
	wants_nothing(&r);
	r.now_us = 10 * RIG_S;
	a = wants(&r);
	assert_int_equal(a.type, CS_ACT_START);
	refuse(&r, a.seq, CS_REFUSED_TIMED);
	r.now_us = 30 * RIG_S - 1;
	wants_nothing(&r);
	r.now_us++;
	wants(&r);
	rig_close(&r);
}

/*
 * Five jobs over a limit of the host, of which two starts a second are proposed when
 * another job ends (host_tries=4); each is proposed again by itself after its pause.
 */
static void who_is_over_a_limit_is_tried_when_others_end(void **state)
{
	struct cs_actions a;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_tries=4", NULL, 3, 1, 2, 0);
	rig_add(&r, 9, 1, 1000, NULL);
	rig_decide(&r);
	for (uint32_t id = 1; id <= 5; id++)
		rig_add(&r, id, 1, 100, NULL);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 5);
	for (uint32_t seq = a.action[0].seq, i = 0; i < 5; i++)
		refuse(&r, seq + i, CS_REFUSED_LIMIT);
	wants_nothing(&r);
	r.now_us = RIG_S;
	rig_finish(&r, 9);
	for (int left = 5; left > 0; left -= 2) {
		uint32_t n = left < 2 ? 1 : 2;

		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		assert_int_equal(a.n, n);
		for (uint32_t seq = a.action[0].seq, i = 0; i < n; i++)
			refuse(&r, seq + i, CS_REFUSED_LIMIT);
		wants_nothing(&r);
		if (n == 2)
			assert_int_equal(cs_engine_next_wakeup_us(r.engine),
					 r.now_us + RIG_S);
		r.now_us += RIG_S;
	}
	r.now_us = 21 * RIG_S; /* twice retry_s behind the second refusal */
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 2);
	rig_close(&r);
}

static void refuse_to_the_host(struct rig *r)
{
	refuse(r, wants(r).seq, CS_REFUSED_PLACE);
	r->now_us += RIG_S;
	refuse(r, wants(r).seq, CS_REFUSED_PLACE);
	assert_int_equal(wants(r).type, CS_ACT_HOST_START);
}

static void another_priority_is_no_other_wish(void **state)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst,order=slurm", NULL, 2, 1, 2, 0);
	o.nodeset = r.all;
	j = rig_job(&r, 1, 2, 100, NULL);
	j.option = &o;
	rig_submit(&r, &j);
	refuse_to_the_host(&r);
	refuse(&r, 3, CS_REFUSED_PLACE);
	o.priority = 7;
	j.flags = CS_JOB_BLOCKED;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	wants_nothing(&r);
	j.flags = 0;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	wants_nothing(&r);
	r.now_us += 10 * RIG_S;
	assert_int_equal(wants(&r).type, CS_ACT_HOST_START);
	refuse(&r, 4, CS_REFUSED_PLACE);
	/* one process less is */
	j.procs = 1;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	refuse_to_the_host(&r);
	refuse(&r, 7, CS_REFUSED_PLACE);
	wants_nothing(&r);
	/* so is another of those that only the host knows */
	j.wishes = 1;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	refuse_to_the_host(&r);
	refuse(&r, 10, CS_REFUSED_PLACE);
	wants_nothing(&r);
	/* and a reservation */
	o.reservation = 5;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(wants(&r).type, CS_ACT_START);
	rig_close(&r);
}

/* Refused in its first partition, it starts in the second. */
static void each_partition_has_refusals_of_its_own(void **state)
{
	static const char *const policy[] = { "policy=cst", "policy=easy",
					      "policy=pack,backfill=easy" };
	struct cs_job_partition o[2] = { { .partition = 1 },
					 { .partition = 2 } };
	struct cs_action a;
	struct cs_job j;
	struct rig r;
	uint64_t set;

	(void)state;
	for (int p = 0; p < 3; p++) {
		rig_open(&r, policy[p], NULL, 2, 1, 2, 0);
		for (uint32_t i = 0; i < 2; i++) {
			set = UINT64_C(1) << i;
			o[i].nodeset =
				(uint32_t)cs_engine_nodeset(r.engine, &set);
			o[i].limit_max_us = CS_TIME_NONE;
		}
		j = rig_job(&r, 1, 2, 100, NULL);
		j.option = o;
		j.n_option = 2;
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.option, 0);
		refuse(&r, a.seq, CS_REFUSED_CHANGED);
		a = wants(&r);
		assert_int_equal(a.option, 1);
		assert_int_equal(a.alloc->node[0].node, 1);
		rig_close(&r);
	}
}

/* What the model cannot place at all the host's test is asked for at once; it is
 * offered what it might use. */
static void what_the_model_cannot_place_is_left_to_the_host(void **state)
{
	static const char *const policy[] = { "policy=cst", "policy=easy" };
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 2; p++) {
		rig_open(&r, policy[p], NULL, 3, 1, 2, 0);
		rig_add_in(&r, 9, 2, 1000, NULL, 1);
		rig_decide(&r);
		j = rig_job(&r, 1, 8, 100, NULL);
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_HOST_START);
		assert_int_equal(a.alloc->n_node, 2);
		assert_int_equal(a.alloc->node[0].node, 1);
		rig_close(&r);
	}
}

/* By its memory a node holds three of its processes, so that two nodes do not hold
 * all, but the plan, which counts cores, promises it a start; and one that keeps its
 * nodes to its user. */
static void so_is_what_a_plan_by_cores_promises_in_vain(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	for (uint32_t flags = 0; flags <= CS_JOB_USER_NODES;
	     flags += CS_JOB_USER_NODES) {
		rig_open(&r, "policy=pack", NULL, 2, 1, 4, 2000);
		j = rig_job(&r, 1, 8, 100, NULL);
		j.mem_cpu_mb = 600;
		j.flags = flags;
		rig_submit(&r, &j);
		assert_false(cs_engine_could_run(r.engine, 1));
		assert_int_equal(wants(&r).type, CS_ACT_HOST_START);
		rig_close(&r);
	}
}

/* So too where the plan has the cores: five processes of three on four nodes of four. */
static void cores_on_no_node_are_left_to_the_host(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 4, 1, 4, 0);
	j = rig_job(&r, 1, 5, 100, NULL);
	j.cpus_per_proc = 3;
	rig_submit(&r, &j);
	assert_int_equal(wants(&r).type, CS_ACT_HOST_START);
	rig_close(&r);
}

/* Tasks of an array that is cancelled, or asks for one partition only, while their
 * starts are proposed in the second. */
static void an_array_that_changes_meanwhile(void **state)
{
	struct cs_job_partition o[2] = { { .flags = CS_JOB_BLOCKED,
					   .limit_max_us = CS_TIME_NONE },
					 { .limit_max_us = CS_TIME_NONE } };
	struct cs_engine_stats now;
	struct cs_actions a;
	uint32_t seq[2];
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int cancel = 0; cancel < 2; cancel++) {
		rig_open(&r, "policy=pack", NULL, 2, 1, 2, 0);
		j = rig_job(&r, 1, 2, 100, NULL);
		j.array_id = 1;
		j.tasks = 2;
		j.option = o;
		j.n_option = 2;
		rig_submit(&r, &j);
		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		assert_int_equal(a.n, 2);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(a.action[i].option, 1);
			seq[i] = a.action[i].seq;
		}
		j.n_option = 1;
		rig_tell(&r, cancel ? (struct cs_event){ .type = CS_EV_CANCEL,
							 .job_id = 1 }
				    : (struct cs_event){ .type = CS_EV_CHANGE,
							 .job = &j });
		for (int i = 0; i < 2; i++)
			refuse(&r, seq[i], CS_REFUSED_PLACE);
		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		assert_int_equal(a.n, 0);
		cs_engine_stats(r.engine, &now);
		assert_int_equal(now.waiting, cancel ? 0 : 4);
		rig_close(&r);
	}
}

/*
 * Three nodes.  Job 9 holds the first until 1000, the head needs all three then;
 * the host's job, of 2,000 s, is offered nothing, one of 500 s the two free ones.
 */
static void the_host_is_offered_what_the_plan_leaves(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 3, 1, 2, 0);
	rig_add_in(&r, 9, 2, 1000, NULL, 1);
	rig_decide(&r);
	rig_add(&r, 2, 6, 1000, NULL);
	wants_nothing(&r);
	j = rig_job(&r, 3, 1, 2000, NULL);
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	wants_nothing(&r);
	j = rig_job(&r, 4, 1, 500, NULL);
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	a = wants(&r);
	assert_int_equal(a.job_id, 4);
	assert_int_equal(a.alloc->n_node, 2);
	rig_close(&r);
}

static struct cs_job host_job(struct rig *r, uint32_t id, int64_t estimate_s)
{
	struct cs_job j = rig_job(r, id, 1, estimate_s, NULL);

	j.flags = CS_JOB_HOST;
	return j;
}

/* The host starts what was proposed as @seq on core 0 of @node, under @id. */
static void starts_on(struct rig *r, uint32_t seq, uint32_t id, uint32_t node)
{
	struct cs_alloc *on = cs_alloc_create(1, 1);
	const struct cs_started s = { .seq = seq,
				      .job_id = id,
				      .start_us = r->now_us,
				      .limit_us = 100 * RIG_S,
				      .alloc = on };

	on->node[0] = (struct cs_alloc_node){ .node = node, .procs = 1 };
	on->cores[0] = 1;
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(on);
}

/* It is offered @nodes, node 0 among them or not. */
static struct cs_action offered(struct rig *r, uint32_t nodes, bool first)
{
	struct cs_actions a;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	for (size_t i = 1; i < a.n; i++)
		refuse(r, a.action[i].seq, CS_REFUSED_GROUP);
	assert_int_not_equal(a.n, 0);
	assert_int_equal(a.action[0].type, CS_ACT_HOST_START);
	assert_int_equal(a.action[0].alloc->n_node, nodes);
	assert_int_equal(a.action[0].alloc->node[0].node == 0, first);
	return a.action[0];
}

/* Node 0 of three has a job beside it.  Refused there, an array's tasks are offered the
 * idle nodes at once, and first, until the host refuses these, too; not where they are
 * too few. */
static void of_nodes_that_are_refused_the_idle_are_tried(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 3, 1, 4, 0);
	rig_add_in(&r, 9, 1, 1000, NULL, 1);
	rig_decide(&r);
	j = host_job(&r, 1, 100);
	j.array_id = 1;
	j.tasks = 3;
	rig_submit(&r, &j);
	a = offered(&r, 3, true);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	a = offered(&r, 2, false);
	starts_on(&r, a.seq, 101, 1);
	a = offered(&r, 1, false);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	wants_nothing(&r);
	r.now_us = 10 * RIG_S;
	a = offered(&r, 3, true);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	a = offered(&r, 1, false);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	wants_nothing(&r);
	rig_close(&r);
}

/* Two nodes, one with a job: it is refused on both, and on the idle one. */
static void refused_beside_the_idle(struct rig *r)
{
	struct cs_action a = offered(r, 2, true);

	assert_true(a.ask);
	refuse(r, a.seq, CS_REFUSED_PLACE);
	a = offered(r, 1, false);
	assert_true(a.ask);
	refuse(r, a.seq, CS_REFUSED_PLACE);
	wants_nothing(r);
}

/* For a job that is tried twice each time the host has no time: these are three times, not
 * six, until it is asked for none. */
static void tried_on_idle_nodes_it_is_asked_for_one_time(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 2, 1, 4, 0);
	rig_add_in(&r, 9, 1, 1000, NULL, 1);
	rig_decide(&r);
	j = host_job(&r, 1, 100);
	rig_submit(&r, &j);
	for (int64_t s = 0; s < 70; s = s ? 3 * s : 10) {
		r.now_us = s * RIG_S;
		refused_beside_the_idle(&r);
	}
	r.now_us = 70 * RIG_S;
	a = offered(&r, 2, true);
	assert_false(a.ask);
	rig_close(&r);
}

/* Of four questions a second two are for jobs that a change lets ask again, and both for
 * the first of these, which is tried on the idle nodes, too; the other two are for jobs
 * that are new. */
static void on_idle_nodes_it_is_tried_out_of_turn_as_well(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_tries=4", NULL, 3, 1, 4, 0);
	for (uint32_t id = 8; id <= 9; id++)
		rig_add_in(&r, id, 1, 1000, NULL, 1);
	rig_decide(&r);
	for (uint32_t id = 1; id <= 2; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
		refuse(&r, offered(&r, 3, true).seq, CS_REFUSED_PLACE);
		refuse(&r, offered(&r, 2, false).seq, CS_REFUSED_PLACE);
		wants_nothing(&r);
	}
	r.now_us = 2 * RIG_S;
	rig_finish(&r, 8);
	for (uint32_t id = 3; id <= 4; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
	}
	a = offered(&r, 3, true);
	assert_int_equal(a.job_id, 1);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	a = offered(&r, 2, false);
	assert_int_equal(a.job_id, 1);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	a = offered(&r, 3, true);
	assert_int_equal(a.job_id, 3);
	rig_close(&r);
}

/* Job 1, an array of two tasks for the nodes of @first or those of @second, which the host
 * places. */
static void add_array_of_two_partitions(struct rig *r, uint64_t first,
					uint64_t second)
{
	struct cs_job_partition o[2] = {
		{ .flags = CS_JOB_HOST, .limit_max_us = CS_TIME_NONE },
		{ .flags = CS_JOB_HOST, .limit_max_us = CS_TIME_NONE }
	};
	struct cs_job j = rig_job(r, 1, 1, 100, NULL);

	o[0].nodeset = (uint32_t)cs_engine_nodeset(r->engine, &first);
	o[1].nodeset = (uint32_t)cs_engine_nodeset(r->engine, &second);
	j.option = o;
	j.n_option = 2;
	j.array_id = 1;
	j.tasks = 2;
	rig_submit(r, &j);
}

/* Both tasks are proposed, one in each partition, and refused; @again is what is then
 * proposed once more: the first partition, and the second, on an idle node. */
static void two_are_refused(struct rig *r, bool first, bool second)
{
	const bool again[2] = { first, second };
	struct cs_actions a;
	uint32_t seq[2];
	size_t k = 0;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	assert_int_equal(a.n, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(a.action[i].option, i);
		assert_int_equal(a.action[i].alloc->n_node, 2);
		seq[i] = a.action[i].seq;
	}
	for (uint32_t i = 0; i < 2; i++)
		refuse(r, seq[i], CS_REFUSED_PLACE);
	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	assert_int_equal(a.n, first + second);
	for (uint32_t i = 0; i < 2; i++) {
		if (!again[i])
			continue;
		assert_int_equal(a.action[k].option, i);
		assert_int_equal(a.action[k++].alloc->n_node, 1);
	}
}

/* Node 0 of four has a job.  Of the tasks of one array, each in another partition, that is
 * tried again which was refused there. */
static void of_each_task_the_nodes_are_known(void **state)
{
	struct rig r;

	(void)state;
	for (int p = 0; p < 2; p++) {
		rig_open(&r, "policy=pack", NULL, 4, 1, 4, 0);
		rig_add_in(&r, 9, 1, 1000, NULL, 1);
		rig_decide(&r);
		add_array_of_two_partitions(&r, p ? 12 : 3, p ? 3 : 12);
		two_are_refused(&r, !p, p);
		rig_close(&r);
	}
}

/* ---- cores that others hold (plan_behind.c) ---------------------------------- */

/* A job that the host places, and may place on cores of others. */
static void add_sharing(struct rig *r, uint32_t id, uint32_t procs,
			int64_t estimate_s)
{
	struct cs_job j = rig_job(r, id, procs, estimate_s, NULL);

	j.flags = CS_JOB_HOST | CS_JOB_SHARES_CORES;
	rig_submit(r, &j);
}

/* Refuse for good what is wanted next, which is job @id on the nodes @set. */
static void is_offered(struct rig *r, uint32_t id, uint64_t set)
{
	struct cs_action a = wants(r);
	uint64_t nodes = 0;

	assert_int_equal(a.type, CS_ACT_HOST_START);
	assert_int_equal(a.job_id, id);
	for (uint32_t i = 0; i < a.alloc->n_node; i++)
		cs_bit_set(&nodes, a.alloc->node[i].node);
	assert_int_equal(nodes, set);
	refuse(r, a.seq, CS_REFUSED_PLACE);
}

/*
 * Two nodes of four cores.  The first is held until 100, then promised to job 3, the
 * other one until 1000: who is done by 100 is offered both, who is not the second. Of
 * those whose cores are their own there is no room.
 */
static void who_shares_cores_is_offered_those_of_others(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_promises=0", NULL, 2, 1, 4, 0);
	rig_add_in(&r, 1, 4, 100, NULL, 1);
	rig_add_in(&r, 2, 4, 1000, NULL, 2);
	assert_int_equal(rig_decide(&r), 2);
	rig_add_in(&r, 3, 4, 1000, NULL, 1);
	wants_nothing(&r);
	j = rig_job(&r, 4, 1, 50, NULL);
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	wants_nothing(&r);
	add_sharing(&r, 5, 4, 500);
	is_offered(&r, 5, 2);
	add_sharing(&r, 6, 4, 100);
	is_offered(&r, 6, 3);
	rig_close(&r);
}

/*
 * A node of four cores.  Two are left at 137, one at 274, one at 411 (beside each other
 * jobs take 1.37 of their time); three are promised from 274 on, and all from 411.  Who
 * is done by 274 may stand there.
 */
static void of_cores_of_others_no_more_than_nobody_was_promised(void **state)
{
	static const struct {
		uint32_t procs;
		int64_t estimate_s;
		bool offered;
	} row[] = {
		{ 4, 137, true },  { 2, 274, true },  { 4, 274, true },
		{ 1, 275, false }, { 1, 500, false },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		rig_open(&r, "policy=pack", NULL, 1, 1, 4, 0);
		rig_add(&r, 1, 2, 100, NULL);
		rig_add(&r, 2, 1, 200, NULL);
		rig_add(&r, 3, 1, 300, NULL);
		assert_int_equal(rig_decide(&r), 3);
		rig_add(&r, 5, 3, 100, NULL);
		rig_add(&r, 6, 4, 100, NULL);
		wants_nothing(&r);
		add_sharing(&r, 7, row[i].procs, row[i].estimate_s);
		if (row[i].offered)
			is_offered(&r, 7, 1);
		else
			wants_nothing(&r);
		rig_close(&r);
	}
}

/* With steps for the holders of one node, one job a pass is offered cores of others. */
static void a_pass_has_so_many_steps_for_it(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,search_steps=1", NULL, 1, 1, 4, 0);
	rig_add(&r, 1, 4, 100, NULL);
	rig_decide(&r);
	add_sharing(&r, 2, 4, 100);
	add_sharing(&r, 3, 4, 100);
	is_offered(&r, 2, 1);
	is_offered(&r, 3, 1);
	rig_close(&r);
}

/* Somebody whom the engine does not have has ended: who was refused is tried again. */
static void the_end_of_a_job_unseen_ends_the_pause(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 1, 4, 0);
	rig_add(&r, 1, 4, 100, NULL);
	rig_decide(&r);
	add_sharing(&r, 2, 4, 100);
	is_offered(&r, 2, 1);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_TICK });
	wants_nothing(&r);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_TICK, .freed = true });
	is_offered(&r, 2, 1);
	rig_close(&r);
}

/* Nodes that jobs hold whom the engine does not have: for who shares cores only; nodes
 * that are away for nobody. */
static void taken_nodes_are_for_who_shares_cores(void **state)
{
	const uint32_t node = 0;
	struct cs_reservation resv = { .id = 9,
				       .n = 1,
				       .node = &node,
				       .start_us = -RIG_S,
				       .end_us = 1000 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int taken = 0; taken < 2; taken++) {
		resv.flags = CS_RESV_ALL | (taken ? CS_RESV_TAKEN : 0);
		rig_open(&r, "policy=pack", NULL, 1, 1, 4, 0);
		rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
						.reservation = &resv });
		j = rig_job(&r, 1, 1, 50, NULL);
		j.flags = CS_JOB_HOST;
		rig_submit(&r, &j);
		wants_nothing(&r);
		add_sharing(&r, 2, 1, 50);
		if (taken)
			is_offered(&r, 2, 1);
		else
			wants_nothing(&r);
		rig_close(&r);
	}
}

/* ---- forecasts -------------------------------------------------------------- */

static void refuse_until(struct rig *r, uint32_t seq, int64_t start_s,
			 uint32_t node)
{
	const struct cs_forecast f = { .start_us = start_s * RIG_S,
				       .n = 1,
				       .node = &node };

	rig_tell(r, (struct cs_event){
			    .type = CS_EV_REFUSED,
			    .refused = { seq, CS_REFUSED_PLACE, "test", &f } });
}

/*
 * Two nodes.  The host says that job 1, of 100 s, can start on node 1 at 50.  A job
 * that ends by then may start there, a longer one not; both go to node 0.
 */
static void a_forecast_keeps_its_nodes(void **state)
{
	static const char *const policy[] = { "policy=pack", "policy=easy",
					      "policy=cst" };
	const uint64_t *nodes;
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 3; p++) {
		rig_open(&r, policy[p], NULL, 2, 1, 2, 0);
		j = host_job(&r, 1, 100);
		rig_submit(&r, &j);
		a = wants(&r);
		assert_true(a.ask);
		refuse_until(&r, a.seq, 50, 1);
		rig_add_in(&r, 2, 1, 51, NULL, 2);
		rig_add_in(&r, 3, 1, 50, NULL, 2);
		rig_add_in(&r, 4, 1, 500, NULL, 1);
		assert_int_equal(rig_decide(&r), 2);
		assert_false(rig_runs(&r, 2));
		assert_int_equal(
			cs_engine_predicted_start_us(r.engine, 1, &nodes),
			50 * RIG_S);
		assert_int_equal(nodes[0], 2);
		/* it is tried when the pause is over, and when its time has come */
		r.now_us = 10 * RIG_S;
		a = wants(&r);
		assert_int_equal(a.job_id, 1);
		refuse_until(&r, a.seq, 50, 1);
		rig_finish_due(&r, r.now_us = 50 * RIG_S);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_HOST_START);
		assert_int_equal(a.job_id, 1);
		rig_close(&r);
	}
}

/* Refused in the first partition, where the host says that it can start at once, a job
 * is tried in the second; one of a single partition holds such a forecast. */
static void a_forecast_of_now_keeps_nobody_from_another_partition(void **state)
{
	struct cs_job_partition o[2] = { { .flags = CS_JOB_HOST,
					   .limit_max_us = CS_TIME_NONE },
					 { .limit_max_us = CS_TIME_NONE } };
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (uint32_t n = 1; n <= 2; n++) {
		rig_open(&r, "policy=pack", NULL, 2, 1, 2, 0);
		j = rig_job(&r, 1, 1, 100, NULL);
		j.option = o;
		j.n_option = n;
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.option, 0);
		refuse_until(&r, a.seq, 0, 0);
		if (n == 2) {
			a = wants(&r);
			assert_int_equal(a.type, CS_ACT_START);
			assert_int_equal(a.option, 1);
		} else {
			rig_decide(&r);
			assert_int_equal(
				cs_engine_predicted_start_us(r.engine, 1, NULL),
				r.now_us + RIG_S);
		}
		rig_close(&r);
	}
}

/* A job of one process and 100 s in two partitions, node 0, where the host places it, and
 * node 1. */
static void submit_to_both(struct rig *r, uint32_t id)
{
	struct cs_job_partition o[2] = { { .flags = CS_JOB_HOST,
					   .limit_max_us = CS_TIME_NONE },
					 { .limit_max_us = CS_TIME_NONE } };
	struct cs_job j = rig_job(r, id, 1, 100, NULL);

	for (uint32_t i = 0; i < 2; i++) {
		uint64_t set = UINT64_C(1) << i;

		o[i].nodeset = (uint32_t)cs_engine_nodeset(r->engine, &set);
	}
	j.option = o;
	j.n_option = 2;
	rig_submit(r, &j);
}

/* Node 1 is free at @end_s; refused on node 0 until 50, a job of both partitions is
 * promised the sooner of the two. */
static void promised_elsewhere(int64_t end_s, int64_t want_s)
{
	const uint64_t *nodes;
	struct cs_action a;
	struct rig r;

	rig_open(&r, "policy=pack", NULL, 2, 1, 1, 0);
	rig_add_in(&r, 9, 1, end_s, NULL, 2);
	rig_decide(&r);
	submit_to_both(&r, 1);
	a = wants(&r);
	assert_int_equal(a.option, 0);
	refuse_until(&r, a.seq, 50, 0);
	wants_nothing(&r);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 1, &nodes),
			 want_s * RIG_S);
	assert_true(want_s < 50 ? !nodes : nodes && nodes[0] == 1);
	if (want_s < 50) {
		/* the end is a change: the host is asked once more */
		rig_finish_due(&r, r.now_us = want_s * RIG_S);
		a = wants(&r);
		assert_int_equal(a.option, 0);
		refuse_until(&r, a.seq, 50, 0);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_START);
		assert_int_equal(a.option, 1);
	}
	rig_close(&r);
}

static void a_forecast_is_weighed_against_another_partition(void **state)
{
	(void)state;
	promised_elsewhere(5, 5);
	promised_elsewhere(80, 50);
}

/* An EASY head is promised its start in another partition at 80; the host says that it can
 * start at 50. */
static void the_sooner_start_of_a_head_is_predicted(void **state)
{
	const uint64_t *nodes;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 2, 1, 1, 0);
	rig_add_in(&r, 9, 1, 80, NULL, 2);
	rig_decide(&r);
	submit_to_both(&r, 1);
	refuse_until(&r, wants(&r).seq, 50, 0);
	wants_nothing(&r);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 1, &nodes),
			 50 * RIG_S);
	assert_int_equal(nodes[0], 1);
	rig_close(&r);
}

/* Job 1 takes the two nodes of 2 cores, or the one of 4, which job 9 has.  Refused on the
 * former until 50, it is weighed for the latter, in a pass that job 2 ends: what is left
 * is its layout on the former. */
static void a_layout_is_that_of_the_promised_partition(void **state)
{
	struct cs_job_partition o[2] = { { .flags = CS_JOB_HOST,
					   .limit_max_us = CS_TIME_NONE },
					 { .limit_max_us = CS_TIME_NONE } };
	const uint64_t set[2] = { 3, 4 };
	const struct cs_planned *q;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_large = 1;
	rig_open(&r, "policy=pack", NULL, 3, 1, 2, 0);
	for (uint32_t i = 0; i < 2; i++)
		o[i].nodeset = (uint32_t)cs_engine_nodeset(r.engine, &set[i]);
	rig_add_in(&r, 9, 4, 80, NULL, 4);
	rig_decide(&r);
	j = host_job(&r, 2, 10);
	rig_submit(&r, &j);
	refuse(&r, wants(&r).seq, CS_REFUSED_TIMED);
	r.now_us = 5 * RIG_S;
	j = rig_job(&r, 1, 4, 100, NULL);
	j.flags = CS_JOB_EXCLUSIVE;
	j.option = o;
	j.n_option = 2;
	rig_submit(&r, &j);
	refuse_until(&r, wants(&r).seq, 50, 0);
	wants_nothing(&r);
	r.now_us = 10 * RIG_S;
	assert_int_equal(wants(&r).job_id, 2);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 1, NULL),
			 50 * RIG_S);
	q = &cs_engine_job(r.engine, 1)->plan;
	assert_int_equal(q->option, 0);
	assert_int_equal(q->shape.cores, 2);
	rig_close(&r);
}

/* A node of 3 cores: job 2, of 1000 s, and job 4, of 50 s, have one each, and job 3 wants
 * two from 50 on.  The host says that job 1 can start at 1000.  Job 2 ends at 0: job 1,
 * which is before job 3 in the queue, is tried on what it leaves before job 3 has it. */
static void a_forecast_is_as_old_as_what_it_was_made_of(void **state)
{
	static const char *const policy[] = { "policy=pack", "policy=adaptive",
					      "policy=cst" };
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 3; p++) {
		rig_open(&r, policy[p], NULL, 1, 1, 3, 0);
		rig_add(&r, 2, 1, 1000, NULL);
		rig_add(&r, 4, 1, 50, NULL);
		assert_int_equal(rig_decide(&r), 2);
		j = host_job(&r, 1, 100);
		rig_submit(&r, &j);
		refuse_until(&r, wants(&r).seq, 1000, 0);
		rig_add(&r, 3, 2, 100, NULL);
		wants_nothing(&r);
		rig_finish(&r, 2);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_HOST_START);
		assert_int_equal(a.job_id, 1);
		refuse_until(&r, a.seq, 1000, 0);
		assert_int_equal(wants(&r).job_id, 3);
		rig_close(&r);
	}
}

/* Its nodes are free for others once it has gone, or is held. */
static void a_forecast_ends_with_the_job(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int held = 0; held < 2; held++) {
		rig_open(&r, "policy=pack", NULL, 1, 1, 2, 0);
		j = host_job(&r, 1, 100);
		rig_submit(&r, &j);
		refuse_until(&r, wants(&r).seq, 50, 0);
		rig_add(&r, 2, 1, 500, NULL);
		assert_int_equal(rig_decide(&r), 0);
		j.flags |= CS_JOB_BLOCKED;
		if (held)
			rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE,
							.job = &j });
		else
			rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL,
							.job_id = 1 });
		assert_int_equal(rig_decide(&r), 1);
		rig_close(&r);
	}
}

/*
 * Nodes 0 to 3 have 4 cores and are taken, 4 and 5 have 8.  Job 2, of 16 processes,
 * keeps its nodes to its user.  The plan lays it out on four nodes of 4, and promises it
 * those of job 1; the two larger ones hold it, too, and are offered at once, as without
 * the wish.
 */
static void another_layout_than_the_promised_is_offered(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	for (uint32_t flags = 0; flags <= CS_JOB_USER_NODES;
	     flags += CS_JOB_USER_NODES) {
		rig_large = 2;
		rig_open(&r, "policy=pack", NULL, 6, 2, 2, 0);
		j = rig_job(&r, 1, 16, 1000, NULL);
		j.min_nodes = j.max_nodes = 4;
		j.flags = CS_JOB_EXCLUSIVE;
		rig_submit(&r, &j);
		assert_int_equal(rig_decide(&r), 1);
		j = host_job(&r, 2, 1000);
		j.procs = 16;
		j.max_nodes = 4;
		j.user = "keeper";
		j.flags |= flags;
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.type, CS_ACT_HOST_START);
		assert_int_equal(a.job_id, 2);
		assert_int_equal(a.alloc->node[a.alloc->n_node - 1].node, 5);
		rig_close(&r);
	}
}

/*
 * Job 1 keeps its nodes to its user.  The host says that it can start at 1000, when job 9
 * of another ends.  He ends before: job 1 is offered the node at once.
 */
static void a_forecast_does_not_outlast_who_it_waited_for(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 1, 2, 0);
	j = rig_job(&r, 9, 1, 1000, NULL);
	j.user = "other";
	rig_submit(&r, &j);
	rig_decide(&r);
	j = host_job(&r, 1, 100);
	j.user = "keeper";
	j.flags |= CS_JOB_USER_NODES;
	rig_submit(&r, &j);
	wants_nothing(&r);
	rig_finish(&r, 9);
	refuse_until(&r, wants(&r).seq, 1000, 0);
	wants_nothing(&r);
	rig_add(&r, 8, 1, 5, NULL);
	assert_int_equal(rig_decide(&r), 1);
	rig_finish(&r, 8);
	a = wants(&r);
	assert_int_equal(a.type, CS_ACT_HOST_START);
	assert_int_equal(a.job_id, 1);
	assert_int_equal(a.alloc->n_node, 1);
	rig_close(&r);
}

/* One that has come three times and was refused gets no other. */
static void a_forecast_that_does_not_come_true_is_given_up(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 1, 2, 0);
	j = host_job(&r, 1, 100);
	rig_submit(&r, &j);
	for (int i = 0; i < 4; i++) {
		a = wants(&r);
		assert_int_equal(a.ask, i < 4);
		refuse_until(&r, a.seq, 0, 0);
		assert_int_equal(cs_engine_predicted_start_us(
					 r.engine, 1, NULL) != CS_TIME_NONE,
				 i < 4);
		r.now_us = cs_engine_next_wakeup_us(r.engine);
	}
	a = wants(&r);
	assert_false(a.ask);
	refuse(&r, a.seq, CS_REFUSED_PLACE);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 1, NULL),
			 CS_TIME_NONE);
	rig_close(&r);
}

/* A limit says nothing of the nodes: however often the job meets it, the host is asked
 * again, and what it predicts is kept. */
static void a_limit_is_no_broken_forecast(void **state)
{
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 1, 2, 0);
	j = host_job(&r, 1, 100);
	rig_submit(&r, &j);
	for (int i = 0; i < 4; i++) {
		a = wants(&r);
		assert_true(a.ask);
		refuse(&r, a.seq, CS_REFUSED_LIMIT);
		r.now_us = cs_engine_next_wakeup_us(r.engine);
	}
	a = wants(&r);
	assert_true(a.ask);
	refuse_until(&r, a.seq, 10000, 0);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 1, NULL),
			 10000 * RIG_S);
	rig_close(&r);
}

/* The first host_promises of the queue hold one; who comes before them takes it from
 * the last. */
static void the_first_of_the_queue_hold_them(void **state)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,order=slurm,host_promises=2", NULL, 4, 1, 2,
		 0);
	o.nodeset = r.all;
	for (uint32_t id = 1; id <= 4; id++) {
		struct cs_action a;

		j = host_job(&r, id, 100);
		o.priority = id == 4 ? 9 : 5;
		j.option = &o;
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.job_id, id);
		assert_int_equal(a.ask, id != 3);
		refuse_until(&r, a.seq, 1000, id - 1);
	}
	for (uint32_t id = 1; id <= 4; id++)
		assert_int_equal(cs_engine_predicted_start_us(
					 r.engine, id, NULL) != CS_TIME_NONE,
				 id == 1 || id == 4);
	rig_close(&r);
}

/* A forecast keeps those off who stand behind its job in the queue, not who comes before
 * it: he is offered its node, and promised it too. */
static void who_is_behind_keeps_nobody_off(void **state)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_actions all;
	struct cs_action a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,order=slurm", NULL, 1, 1, 2, 0);
	o.nodeset = r.all;
	for (uint32_t id = 1; id <= 2; id++) {
		j = host_job(&r, id, 100);
		o.priority = id;
		j.option = &o;
		rig_submit(&r, &j);
		a = wants(&r);
		assert_int_equal(a.job_id, id);
		refuse_until(&r, a.seq, 5, 0);
	}
	/* behind both */
	o.priority = 0;
	j = rig_job(&r, 3, 1, 100, NULL);
	j.option = &o;
	rig_submit(&r, &j);
	wants_nothing(&r);
	r.now_us = 5 * RIG_S;
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &all), 0);
	assert_int_equal(all.n, 1);
	assert_int_equal(all.action[0].job_id, 2);
	refuse(&r, all.action[0].seq, CS_REFUSED_CHANGED);
	assert_int_equal(wants(&r).job_id, 1);
	rig_close(&r);
}

/* ---- how often ---------------------------------------------------------------- */

/* Jobs of the host's that follow each other are proposed together, those behind
 * another job not. */
static void several_in_a_row_are_proposed_at_once(void **state)
{
	struct cs_actions a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 1, 2, 0);
	for (uint32_t id = 1; id <= 5; id++) {
		j = host_job(&r, id, 100);
		if (id == 4)
			j.flags = 0;
		rig_submit(&r, &j);
	}
	assert_int_equal(cs_engine_decide(r.engine, 0, &a), 0);
	assert_int_equal(a.n, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(a.action[i].job_id, i + 1);
	rig_close(&r);
}

/*
 * Job 1 is promised node 1 at 100.  Jobs 2 and 3, of 1,000 s, may have two nodes, and
 * are offered node 0 alone; so is job 3 when job 2 has started before it.
 */
static void who_was_behind_another_has_not_been_refused(void **state)
{
	struct cs_alloc *alloc;
	struct cs_started s;
	struct cs_actions a;
	uint32_t behind;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 2, 1, 2, 0);
	rig_add_in(&r, 9, 1, 100, NULL, 2);
	rig_decide(&r);
	rig_add_in(&r, 1, 2, 100, NULL, 2);
	for (uint32_t id = 2; id <= 3; id++) {
		j = host_job(&r, id, 1000);
		j.max_nodes = 2;
		rig_submit(&r, &j);
	}
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.action[1].job_id, 3);
	assert_int_equal(a.action[1].alloc->n_node, 1);
	behind = a.action[1].seq;
	alloc = cs_alloc_create(1, r.machine->words);
	alloc->node[0].procs = 1;
	cs_bit_set(cs_alloc_cores(alloc, 0), 0);
	s = (struct cs_started){ .seq = a.action[0].seq,
				 .job_id = 2,
				 .limit_us = 1000 * RIG_S,
				 .alloc = alloc };
	rig_tell(&r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(alloc);
	refuse(&r, behind, CS_REFUSED_GROUP);
	assert_int_equal(wants(&r).alloc->n_node, 1);
	rig_close(&r);
}

/* Of a thousand that are all refused, host_tries are proposed in each second. */
static void no_more_than_so_many_a_second(void **state)
{
	uint32_t tries = 0, most = 0;
	struct cs_actions a;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_tries=20,host_promises=0", NULL, 2, 1, 2,
		 0);
	for (uint32_t id = 1; id <= 400; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
	}
	for (int64_t t = 0; t < 30 * RIG_S; t += RIG_S / 4) {
		uint32_t now = 0, seq[64];

		if (t % RIG_S == 0)
			tries = 0;
		r.now_us = t;
		do {
			assert_int_equal(cs_engine_decide(r.engine, t, &a), 0);
			assert_true(a.n < 64);
			now = (uint32_t)a.n;
			for (uint32_t i = 0; i < now; i++)
				seq[i] = a.action[i].seq;
			for (uint32_t i = 0; i < now; i++)
				refuse(&r, seq[i], CS_REFUSED_PLACE);
			tries += now;
		} while (now);
		if (tries > most)
			most = tries;
		/* all might be tried again by now, but for that */
		rig_tell(&r, (struct cs_event){
				     .type = CS_EV_NODE,
				     .node = { 1, t % 2 == 0, NULL, "" } });
	}
	assert_int_equal(most, 20);
	rig_close(&r);
}

/* The host refuses the first of those that are proposed, and has no time for those
 * behind it.  Was there one? */
static bool first_is_refused(struct rig *r)
{
	struct cs_actions a;
	uint32_t seq[8];
	size_t n;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	n = a.n;
	assert_true(n <= 8);
	for (size_t i = 0; i < n; i++)
		seq[i] = a.action[i].seq;
	for (size_t i = 0; i < n; i++)
		refuse(r, seq[i], i ? CS_REFUSED_GROUP : CS_REFUSED_PLACE);
	return n != 0;
}

/* Two a second of five, though nothing else happens. */
static void the_others_have_their_turn_in_the_next_second(void **state)
{
	static const char *const policy[] = { "policy=pack", "policy=easy",
					      "policy=fcfs" };
	char params[64];
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 3; p++) {
		size_t n = 0;

		snprintf(params, sizeof(params), "%s,host_tries=2,retry_s=100",
			 policy[p]);
		rig_open(&r, params, NULL, 8, 1, 2, 0);
		for (uint32_t id = 1; id <= 5; id++) {
			j = host_job(&r, id, 100);
			rig_submit(&r, &j);
		}
		for (size_t s = 1; s <= 3; s++) {
			while (first_is_refused(&r))
				n++;
			assert_int_equal(n, s < 3 ? 2 * s : 5);
			if (s < 3)
				assert_int_equal(
					cs_engine_next_wakeup_us(r.engine),
					r.now_us + RIG_S);
			r.now_us += RIG_S;
		}
		rig_close(&r);
	}
}

/* The host starts all that it is asked for now, one on a node; how many. */
static uint32_t host_starts(struct rig *r)
{
	uint32_t n = 0;
	struct cs_actions a;

	for (;; n++) {
		assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
		if (!a.n)
			return n;
		for (size_t i = 1; i < a.n; i++)
			refuse(r, a.action[i].seq, CS_REFUSED_GROUP);
		starts_on(r, a.action[0].seq, a.action[0].job_id, n);
	}
}

/* Six that were refused, and whose pause a change ends, start in one second where two
 * more refusals would be its last. */
static void a_start_gives_back_what_it_was_asked_with(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,host_tries=4,retry_s=100,host_promises=0",
		 NULL, 8, 1, 2, 0);
	for (uint32_t id = 1; id <= 6; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
	}
	for (size_t s = 0; s < 2; s++) {
		while (first_is_refused(&r))
			;
		r.now_us += RIG_S;
	}
	wants_nothing(&r);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_NODE,
					.node = { 7, false, NULL, "" } });
	assert_int_equal(host_starts(&r), 6);
	rig_close(&r);
}

/*
 * Four nodes of four cores, and 400 jobs that the model has room for and the host
 * refuses.  Whoever asks for one core for two seconds gets it within one, whether their
 * pauses last, are over, or have ended with a change.
 */
static void who_is_refused_keeps_nothing_from_others(void **state)
{
	static const char *const policy[] = { "policy=pack,retry_s=1",
					      "policy=cst,retry_s=1",
					      "policy=easy,retry_s=1",
					      "policy=fcfs,retry_s=1" };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 4; p++) {
		rig_open(&r, policy[p], NULL, 4, 2, 2, 0);
		for (uint32_t id = 1; id <= 400; id++) {
			j = host_job(&r, id, 100);
			rig_submit(&r, &j);
		}
		for (int64_t t = 0; t < 60 * RIG_S; t += RIG_S / 4) {
			uint32_t id = 1000 + (uint32_t)(t / (5 * RIG_S));

			rig_finish_due(&r, r.now_us = t);
			if (t % (5 * RIG_S) == 0)
				rig_add(&r, id, 1, 2, NULL);
			rig_decide(&r);
			if (t % (5 * RIG_S) == RIG_S && !rig_runs(&r, id))
				fail_msg("%s: job %u waits", policy[p], id);
		}
		rig_close(&r);
	}
}

/* Behind the first host_promises a refused job has no promise; explain says so, and when
 * its turn comes it gets one. */
static void a_refused_job_says_what_it_waits_for(void **state)
{
	char text[512];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,retry_s=1,host_promises=1", NULL, 1, 1, 2, 0);
	rig_add(&r, 9, 2, 1000, NULL);
	rig_decide(&r);
	for (uint32_t id = 1; id <= 2; id++) {
		j = host_job(&r, id, 100);
		rig_submit(&r, &j);
	}
	rig_finish(&r, 9); /* which is both's first try */
	rig_add(&r, 10, 2, 1000, NULL);
	rig_decide(&r);
	r.now_us = 200 * RIG_S;
	rig_decide(&r);
	cs_explain(r.engine, 2, NULL, text, sizeof(text));
	if (!strstr(text,
		    "Slurm refused its start: the host finds none; it is tried "
		    "again as soon as there is room not promised to "
		    "other jobs"))
		fail_msg("%s", text);
	assert_true(cs_engine_predicted_start_us(r.engine, 2, NULL) ==
		    CS_TIME_NONE);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CANCEL, .job_id = 1 });
	rig_decide(&r);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 2, NULL),
			 1370 * RIG_S);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_two_exact_starts_the_host_places_it),
		cmocka_unit_test(
			a_change_of_the_machine_ends_the_pause_of_the_hosts_test),
		cmocka_unit_test(what_only_time_helps_waits_for_time),
		cmocka_unit_test(who_is_over_a_limit_is_tried_when_others_end),
		cmocka_unit_test(another_priority_is_no_other_wish),
		cmocka_unit_test(each_partition_has_refusals_of_its_own),
		cmocka_unit_test(
			what_the_model_cannot_place_is_left_to_the_host),
		cmocka_unit_test(an_array_that_changes_meanwhile),
		cmocka_unit_test(
			a_forecast_of_now_keeps_nobody_from_another_partition),
		cmocka_unit_test(so_is_what_a_plan_by_cores_promises_in_vain),
		cmocka_unit_test(cores_on_no_node_are_left_to_the_host),
		cmocka_unit_test(the_host_is_offered_what_the_plan_leaves),
		cmocka_unit_test(of_nodes_that_are_refused_the_idle_are_tried),
		cmocka_unit_test(of_each_task_the_nodes_are_known),
		cmocka_unit_test(tried_on_idle_nodes_it_is_asked_for_one_time),
		cmocka_unit_test(on_idle_nodes_it_is_tried_out_of_turn_as_well),
		cmocka_unit_test(
			a_forecast_is_weighed_against_another_partition),
		cmocka_unit_test(who_shares_cores_is_offered_those_of_others),
		cmocka_unit_test(
			of_cores_of_others_no_more_than_nobody_was_promised),
		cmocka_unit_test(a_pass_has_so_many_steps_for_it),
		cmocka_unit_test(the_end_of_a_job_unseen_ends_the_pause),
		cmocka_unit_test(taken_nodes_are_for_who_shares_cores),
		cmocka_unit_test(the_sooner_start_of_a_head_is_predicted),
		cmocka_unit_test(a_layout_is_that_of_the_promised_partition),
		cmocka_unit_test(a_forecast_keeps_its_nodes),
		cmocka_unit_test(a_forecast_is_as_old_as_what_it_was_made_of),
		cmocka_unit_test(a_forecast_ends_with_the_job),
		cmocka_unit_test(another_layout_than_the_promised_is_offered),
		cmocka_unit_test(a_forecast_does_not_outlast_who_it_waited_for),
		cmocka_unit_test(
			a_forecast_that_does_not_come_true_is_given_up),
		cmocka_unit_test(a_limit_is_no_broken_forecast),
		cmocka_unit_test(the_first_of_the_queue_hold_them),
		cmocka_unit_test(who_is_behind_keeps_nobody_off),
		cmocka_unit_test(several_in_a_row_are_proposed_at_once),
		cmocka_unit_test(who_was_behind_another_has_not_been_refused),
		cmocka_unit_test(no_more_than_so_many_a_second),
		cmocka_unit_test(the_others_have_their_turn_in_the_next_second),
		cmocka_unit_test(a_start_gives_back_what_it_was_asked_with),
		cmocka_unit_test(who_is_refused_keeps_nothing_from_others),
		cmocka_unit_test(a_refused_job_says_what_it_waits_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
