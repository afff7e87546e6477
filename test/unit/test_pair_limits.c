/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits that follow a slowdown; what runs is rebuilt from its state. */
#include "pairrig.h"

#include <errno.h>

static void a_limit_is_raised_by_the_slowdown_and_taken_back(void **state)
{
	struct cs_actions a;
	struct cs_running run;
	struct cs_job j;
	struct rig r;
	size_t raised = 0, back = 0;

	(void)state;
	open_cst(&r, CST, 2);
	j = rig_job(&r, 1, 4, 6000, "cg");
	j.base_procs = 4;
	rig_submit(&r, &j);
	rig_decide(&r);
	/* at two a node cg's self slowdown is below that of its base: factor 1 */
	assert_int_equal(rig_start(&r, 1)->limit_us, 0);
	rig_finish(&r, 1);
	j = rig_job(&r, 2, 4, 6000, "net");
	j.base_procs = 2;
	rig_submit(&r, &j);
	j = rig_job(&r, 3, 4, 6000, "cg");
	j.base_procs = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 2)->limit_us, 7200 * RIG_S);
	assert_int_equal(rig_start(&r, 3)->limit_us, 7200 * RIG_S);
	assert_true(rig_start(&r, 2)->beside == 1.2);
	/* after 1200 s job 3 has done 1000 of its 6000 s; it ends */
	r.now_us = 1200 * RIG_S;
	rig_finish(&r, 3);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++) {
		raised += a.action[i].type == CS_ACT_DISBAND &&
			  a.action[i].credit_us == 200 * RIG_S;
		back += a.action[i].type == CS_ACT_LIMIT &&
			a.action[i].limit_us == 6200 * RIG_S;
	}
	assert_int_equal(raised, 1);
	assert_int_equal(back, 1);
	assert_int_equal(cs_engine_running(r.engine, 2, &run), 0);
	assert_int_equal(run.group, 0);
	assert_int_equal(run.end_us, 6200 * RIG_S);
	rig_close(&r);
}

/* The host ends it within half a minute; until then its neighbour ends. */
static void a_job_at_its_limit_gets_no_other(void **state)
{
	(void)state;
	for (int raise = 0; raise < 2; raise++) {
		struct cs_actions a;
		struct rig r;
		size_t limits = 0;

		open_cst(&r, raise ? CST ",overdue=raise" : CST, 2);
		for (uint32_t id = 1; id <= 2; id++) {
			struct cs_job j = rig_job(&r, id, 4, 6000,
						  id == 1 ? "net" : "cg");

			j.base_procs = 2;
			rig_submit(&r, &j);
		}
		rig_decide(&r);
		assert_int_equal(rig_start(&r, 1)->limit_us, 7200 * RIG_S);
		r.now_us = 7205 * RIG_S;
		rig_finish(&r, 2);
		assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
		for (size_t i = 0; i < a.n; i++)
			limits += a.action[i].type == CS_ACT_LIMIT;
		assert_int_equal(limits, raise);
		rig_close(&r);
	}
}

/* Jobs 1 and 2 of 6000 s share both nodes, at factor 1.2. */
static void open_shared(struct rig *r)
{
	open_cst(r, CST, 2);
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j =
			rig_job(r, id, 4, 6000, id == 1 ? "net" : "cg");

		j.base_procs = 2;
		rig_submit(r, &j);
	}
	rig_decide(r);
	assert_int_equal(rig_start(r, 1)->limit_us, 7200 * RIG_S);
	assert_int_equal(rig_start(r, 2)->limit_us, 7200 * RIG_S);
}

/* The host leaves job @id its @i-th node. */
static void leave_node(struct rig *r, uint32_t id, uint32_t i)
{
	struct cs_alloc *all = cs_alloc_copy(rig_running(r, id).alloc);
	struct cs_alloc *a = cs_alloc_create(1, all->words);

	a->node[0] = all->node[i];
	cs_alloc_cores(a, 0)[0] = cs_alloc_cores(all, i)[0];
	rig_tell(r, (struct cs_event){ .type = CS_EV_RESIZE,
				       .resize = { id, a } });
	cs_alloc_free(a);
	cs_alloc_free(all);
}

static void who_shares_no_node_after_a_resize_leaves_its_group(void **state)
{
	struct cs_actions a;
	struct rig r;
	size_t apart = 0, back = 0;

	(void)state;
	open_shared(&r);
	r.now_us = 1200 * RIG_S;
	assert_int_equal(cores_used(&r), 8);
	leave_node(&r, 1, 0);
	assert_int_equal(cores_used(&r), 6);
	assert_int_not_equal(rig_running(&r, 1).group, 0);
	assert_true(rig_running(&r, 2).slowdown == 1.2);
	leave_node(&r, 2, 1);
	assert_int_equal(cores_used(&r), 4);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++) {
		apart += a.action[i].type == CS_ACT_DISBAND &&
			 a.action[i].credit_us == 200 * RIG_S;
		back += a.action[i].type == CS_ACT_LIMIT &&
			a.action[i].limit_us == 6200 * RIG_S;
	}
	assert_int_equal(apart, 2);
	assert_int_equal(back, 2);
	for (uint32_t id = 1; id <= 2; id++) {
		assert_int_equal(rig_running(&r, id).group, 0);
		assert_true(rig_running(&r, id).resized);
		assert_int_equal(rig_running(&r, id).end_us, 6200 * RIG_S);
	}
	rig_close(&r);
}

/* The nodes of job 1 have booted after 600 s: it will be at its limit 600 s later, and
 * that is as high as it was. */
static void a_job_begins_after_its_start(void **state)
{
	struct cs_running run;
	struct rig r;

	(void)state;
	open_shared(&r);
	r.now_us = 601 * RIG_S;
	rig_tell(&r,
		 (struct cs_event){ .type = CS_EV_BEGIN,
				    .begin = { 1, 600 * RIG_S, 600 * RIG_S } });
	rig_tell(&r, (struct cs_event){ .type = CS_EV_BEGIN,
					.begin = { 2, 0, 300 * RIG_S } });
	rig_decide(&r);
	assert_int_equal(r.n_last, 0);
	run = rig_running(&r, 1);
	assert_int_equal(run.start_us, 600 * RIG_S);
	assert_int_equal(run.from_us, 0);
	assert_int_equal(run.end_us, 7800 * RIG_S);
	assert_int_equal(run.limit_us, 7200 * RIG_S);
	run = rig_running(&r, 2);
	assert_int_equal(run.start_us, 0);
	assert_int_equal(run.from_us, 300 * RIG_S);
	assert_int_equal(run.end_us, 7500 * RIG_S);
	/* after 1200 s of its own job 1 has done 1000 */
	r.now_us = 1800 * RIG_S;
	rig_finish(&r, 2);
	rig_decide(&r);
	run = rig_running(&r, 1);
	assert_int_equal(run.limit_us, 6200 * RIG_S);
	assert_int_equal(run.end_us, 6800 * RIG_S);
	rig_close(&r);
}

static void what_a_resize_cannot_be(void **state)
{
	struct cs_event ev = { .type = CS_EV_BEGIN,
			       .begin = { 1, 6 * RIG_S, 5 * RIG_S } };
	struct cs_alloc *a;
	struct cs_err err;
	struct rig r;

	(void)state;
	open_shared(&r);
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -EINVAL);
	a = cs_alloc_copy(rig_running(&r, 1).alloc);
	ev.type = CS_EV_RESIZE;
	ev.resize.job_id = 3;
	ev.resize.alloc = a;
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -ENOENT);
	ev.resize.job_id = 1;
	cs_alloc_cores(a, 0)[0] = 15; /* job 2 has two of them */
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -EINVAL);
	a->node[1].node = 2;
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -EINVAL);
	assert_false(rig_running(&r, 1).resized);
	assert_int_equal(cores_used(&r), 8);
	cs_alloc_free(a);
	rig_close(&r);
}

/* Two jobs as in the test above, at factor 1.2; at 600 s the host gives the first
 * a limit of its own, at 1200 s the second ends. */
static void a_limit_that_the_host_set_is_not_cut(void **state)
{
	struct cs_event ev = { .type = CS_EV_LIMIT,
			       .limit = { .job_id = 1,
					  .limit_us = 9000 * RIG_S } };
	struct cs_actions a;
	struct cs_err err;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j =
			rig_job(&r, id, 4, 6000, id == 1 ? "net" : "cg");

		j.base_procs = 2;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->limit_us, 7200 * RIG_S);
	ev.t_us = r.now_us = 600 * RIG_S;
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), 0);
	r.now_us = 1200 * RIG_S;
	rig_finish(&r, 2);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++)
		assert_int_not_equal(a.action[i].type, CS_ACT_LIMIT);
	rig_close(&r);
}

/* It is refused for a job that is unknown or waits; one of nothing means that the job
 * ends at any moment, not that it has ended. */
static void a_limit_is_of_a_job_that_has_started(void **state)
{
	struct cs_event ev = { .type = CS_EV_LIMIT,
			       .limit = { .job_id = 3, .limit_us = 0 } };
	struct cs_err err;
	struct rig r;

	(void)state;
	open_cst(&r, CST ",depth=1", 1);
	rig_add(&r, 1, 4, 6000, NULL);
	rig_add(&r, 2, 4, 6000, NULL);
	rig_decide(&r);
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -ENOENT);
	ev.limit.job_id = 2;
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -EINVAL);
	ev.limit.job_id = 1;
	rig_tell(&r, ev);
	rig_decide(&r);
	assert_int_equal(rig_next_end_us(&r), 2); /* 1 us, rounded up */
	rig_close(&r);
}

/* The host may say it once for the user and once for a slice, not twice the same. */
static void a_job_is_suspended_once(void **state)
{
	struct cs_event ev = { .type = CS_EV_SUSPEND, .job_id = 1 };
	struct cs_err err;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 1);
	rig_add(&r, 1, 4, 6000, NULL);
	rig_decide(&r);
	rig_tell(&r, ev);
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -EINVAL);
	ev.keeps = true;
	rig_tell(&r, ev);
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -EINVAL);
	rig_close(&r);
}

/* A restart at 3600 s: job 1 has run beside another since 0, at factor 1.2, so it
 * has done 3000 of its 6000 s; the state was saved at the start. */
static void what_sharing_cost_outlives_a_restart(void **state)
{
	struct cs_alloc *alloc = cs_alloc_create(2, 1);
	struct cs_started s = { .job_id = 1,
				.start_us = 1,
				.at_us = 1,
				.slowdown = 1.2,
				.limit_us = 7200 * RIG_S,
				.alloc = alloc,
				.group = 7,
				.role = CS_ROLE_PRIMARY };
	struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct cs_actions a;
	struct cs_err err;
	struct cs_job j;
	struct rig r;
	size_t back = 0;

	(void)state;
	open_cst(&r, CST, 2);
	for (uint32_t i = 0; i < 2; i++) {
		alloc->node[i].node = i;
		alloc->node[i].procs = 2;
		cs_alloc_cores(alloc, i)[0] = 5;
	}
	ev.t_us = r.now_us = 3600 * RIG_S;
	j = rig_job(&r, 1, 4, 6000, "net");
	j.base_procs = 2;
	rig_submit(&r, &j);
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), 0);
	cs_alloc_free(alloc);
	/* the other has ended meanwhile: 3600 s and the 3000 s that are left */
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++)
		back += a.action[i].type == CS_ACT_LIMIT &&
			a.action[i].limit_us / RIG_S == 6600;
	assert_int_equal(back, 1);
	rig_close(&r);
}

/* Mode act begins at 1000 s, when two jobs share two nodes since 0: from then on
 * each of them goes at a speed of 1 / 1.2.  Of one that Slurm gave more than its
 * TimeMin the estimate is that, and its limit stays. */
static void open_found_sharing(struct rig *r)
{
	const int64_t limit_us[] = { 0, 9000 * RIG_S, 6000 * RIG_S };
	struct cs_alloc *alloc = cs_alloc_create(2, 1);

	open_cst(r, CST, 2);
	r->now_us = 1000 * RIG_S;
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j =
			rig_job(r, id, 4, 6000, id == 1 ? "net" : "cg");
		struct cs_started s = { .job_id = id,
					.limit_us = limit_us[id],
					.alloc = alloc };

		j.base_procs = 2;
		rig_submit(r, &j);
		for (uint32_t i = 0; i < 2; i++) {
			alloc->node[i].node = i;
			alloc->node[i].procs = 2;
			cs_alloc_cores(alloc, i)[0] = id == 1 ? 5 : 10;
		}
		rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED,
					       .start = &s });
	}
	cs_alloc_free(alloc);
}

static void jobs_found_sharing_have_their_limits_raised(void **state)
{
	struct cs_actions a;
	struct rig r;
	uint32_t raised[3] = { 0 };

	(void)state;
	open_found_sharing(&r);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++)
		if (a.action[i].type == CS_ACT_LIMIT) {
			assert_int_equal(a.action[i].limit_us, 7000 * RIG_S);
			raised[a.action[i].job_id]++;
		}
	assert_int_equal(raised[1], 0);
	assert_int_equal(raised[2], 1);
	rig_close(&r);
}

/* Asked twice, as the host may be interrupted; the decide that comes after all gives the
 * same, and then none is due. */
static void a_host_that_decides_no_more_learns_what_limits_are_due(void **state)
{
	struct cs_action due;
	struct cs_actions a;
	struct rig r;
	size_t at;

	(void)state;
	open_found_sharing(&r);
	for (int i = 0; i < 2; i++) {
		at = 0;
		assert_true(cs_engine_limit_due(r.engine, &at, &due));
		assert_int_equal(due.type, CS_ACT_LIMIT);
		assert_int_equal(due.job_id, 2);
		assert_int_equal(due.limit_us, 7000 * RIG_S);
		assert_false(cs_engine_limit_due(r.engine, &at, &due));
	}
	assert_int_equal(rig_running(&r, 2).limit_us, 6000 * RIG_S);
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(rig_running(&r, 2).limit_us, 7000 * RIG_S);
	at = 0;
	assert_false(cs_engine_limit_due(r.engine, &at, &due));
	rig_close(&r);
}

/* Job @id, found on cores @cores of node 0, alone in their nodes by core. */
static void found(struct rig *r, uint32_t id, uint64_t cores)
{
	struct cs_alloc *a = cs_alloc_create(1, r->machine->words);
	struct cs_started s = { .job_id = id,
				.limit_us = 600 * RIG_S,
				.packed = true,
				.alloc = a };

	a->node[0].procs = 1;
	a->node[0].mem_mb = 100;
	cs_alloc_cores(a, 0)[0] = cores;
	rig_add(r, id, 1, 600, NULL);
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(a);
}

/* PreemptMode=SUSPEND,GANG on node 0 of two: job 1 stands on all four cores, 2 takes
 * core 0 and 3 core 1 from it, Slurm gives the rest to nobody; then they end. */
static void a_job_that_a_gang_holds_keeps_its_cores(void **state)
{
	struct cs_running run;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 2, 2, 2, 1000);
	found(&r, 1, 15);
	r.now_us = 100 * RIG_S;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	assert_int_equal(cores_used(&r), 4);
	found(&r, 2, 1);
	found(&r, 3, 2);
	assert_int_equal(cores_used(&r), 4);
	run = rig_running(&r, 1);
	assert_true(run.suspended && run.keeps);
	assert_int_equal(cs_alloc_cores(run.alloc, 0)[0], 15);
	/* four start elsewhere, the next waits until job 1 has had its rest */
	for (uint32_t id = 4; id <= 8; id++) {
		struct cs_job j = rig_job(&r, id, 1, 6000, NULL);

		j.mem_node_mb = 100;
		rig_submit(&r, &j);
	}
	assert_int_equal(rig_decide(&r), 4);
	assert_int_equal(node_of(&r, 7), 1);
	assert_false(rig_runs(&r, 8));
	r.now_us = 200 * RIG_S;
	rig_finish(&r, 2);
	assert_int_equal(rig_decide(&r), 0);
	assert_int_equal(cores_used(&r), 8);
	rig_finish(&r, 3);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 1 });
	assert_int_equal(cores_used(&r), 8);
	run = rig_running(&r, 1);
	assert_false(run.suspended || run.keeps);
	assert_int_equal(run.ran_us, 100 * RIG_S);
	assert_int_equal(run.end_us, 700 * RIG_S);
	assert_int_equal(rig_decide(&r), 0);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	rig_finish(&r, 1);
	assert_int_equal(rig_decide(&r), 1);
	assert_int_equal(node_of(&r, 8), 0);
	rig_close(&r);
}

/* Time slices, OverSubscribe=FORCE:2: they take turns, and an administrator's suspend
 * frees the cores. */
static void jobs_that_a_gang_lets_take_turns_keep_each_core_once(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 1, 2, 2, 0);
	found(&r, 1, 7);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	found(&r, 2, 14);
	for (uint32_t turn = 0; turn < 4; turn++) {
		assert_int_equal(cores_used(&r), 4);
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.keeps = true,
						.job_id = 2 - turn % 2 });
		assert_int_equal(cores_used(&r), 4);
		rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME,
						.job_id = 1 + turn % 2 });
	}
	rig_finish(&r, 1);
	assert_int_equal(cores_used(&r), 3);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 2 });
	assert_int_equal(cores_used(&r), 0);
	rig_close(&r);
}

static void tell(struct rig *r, enum cs_event_type type, uint32_t id)
{
	struct cs_event ev = { .type = type, .t_us = r->now_us, .job_id = id };
	struct cs_err err;

	assert_int_equal(cs_engine_event(r->engine, &ev, &err), 0);
}

/* As the event log tells it behind a header (log_state.c). */
static void copy_running(struct rig *to, struct rig *from, uint32_t id,
			 const char *profile)
{
	struct cs_running run;
	struct cs_started s = { .job_id = id };
	struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct cs_job j = rig_job(to, id, 4, 6000, profile);
	struct cs_err err;

	assert_int_equal(cs_engine_running(from->engine, id, &run), 0);
	j.base_procs = 2;
	rig_submit(to, &j);
	ev.t_us = to->now_us;
	s.start_us = run.start_us;
	s.limit_us = run.limit_us;
	s.alloc = run.alloc;
	s.packed = run.packed;
	s.group = run.group;
	s.role = run.role;
	s.done_us = run.done_us;
	s.at_us = run.at_us;
	s.ran_us = run.ran_us;
	s.slowdown = run.slowdown;
	assert_int_equal(cs_engine_event(to->engine, &ev, &err), 0);
}

/* The log is opened at 1000 s and read again: the same progress, factors, ends;
 * also of a job that was suspended for a while. */
static void what_runs_is_rebuilt_from_its_state(void **state)
{
	struct cs_running a, c;
	struct rig r, copy;

	(void)state;
	open_cst(&r, CST, 2);
	open_cst(&copy, CST, 2);
	for (uint32_t id = 1; id <= 2; id++) {
		struct cs_job j =
			rig_job(&r, id, 4, 6000, id == 1 ? "net" : "cg");

		j.base_procs = 2;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->partner_id, 2);
	r.now_us = 100 * RIG_S;
	tell(&r, CS_EV_SUSPEND, 1);
	r.now_us = 500 * RIG_S;
	tell(&r, CS_EV_RESUME, 1);
	copy.now_us = r.now_us = 1000 * RIG_S;
	tell(&r, CS_EV_TICK, 0);
	copy_running(&copy, &r, 1, "net");
	copy_running(&copy, &r, 2, "cg");
	r.now_us = copy.now_us = 3000 * RIG_S + 7;
	rig_finish(&r, 2);
	rig_finish(&copy, 2);
	cs_engine_running(r.engine, 1, &a);
	cs_engine_running(copy.engine, 1, &c);
	assert_true(a.slowdown == c.slowdown);
	assert_int_equal(a.ran_us, c.ran_us);
	assert_int_equal(a.group, c.group);
	/* each step rounds to a microsecond */
	assert_in_range(a.done_us - c.done_us + 3, 0, 6);
	assert_in_range(a.end_us - c.end_us + 3, 0, 6);
	rig_close(&r);
	rig_close(&copy);
}

static void a_limit_that_may_not_rise_keeps_a_job_alone(void **state)
{
	struct cs_job_partition o = { .limit_max_us = 6000 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_cst(&r, CST, 2);
	rig_add(&r, 1, 4, 6000, "net");
	j = rig_job(&r, 2, 4, 6000, "cg");
	j.base_procs = 2;
	o.nodeset = r.all;
	j.option = &o;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_false(rig_runs(&r, 2));
	rig_close(&r);
}

/* Job 1 runs alone until 6000 s; beside another at factor 1.2 from 4000 s on it
 * would need until 6400 s, which it may have where no reservation begins before. */
static void a_running_job_is_joined_where_its_limit_may_follow(void **state)
{
	(void)state;
	for (int reserved = 0; reserved < 2; reserved++) {
		uint32_t node = 1;
		struct cs_reservation resv = {
			.id = 1,
			.n = 1,
			.node = &node,
			.start_us = 6200 * RIG_S,
			.end_us = 9000 * RIG_S,
		};
		struct cs_event ev = { .type = CS_EV_RESERVATION,
				       .reservation = &resv };
		struct cs_job_partition o = { .limit_max_us = 6500 * RIG_S };
		struct cs_err err;
		struct cs_job j;
		struct rig r;

		open_cst(&r, CST, 2);
		j = rig_job(&r, 1, 4, 6000, "net");
		j.base_procs = 2;
		j.min_nodes = j.max_nodes = 2;
		o.nodeset = r.all;
		j.option = &o;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_true(rig_runs(&r, 1));
		ev.t_us = r.now_us = 4000 * RIG_S;
		if (reserved)
			assert_int_equal(cs_engine_event(r.engine, &ev, &err),
					 0);
		j = rig_job(&r, 2, 4, 100, "cg");
		j.base_procs = 2;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 2), !reserved);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_limit_is_raised_by_the_slowdown_and_taken_back),
		cmocka_unit_test(
			a_running_job_is_joined_where_its_limit_may_follow),
		cmocka_unit_test(
			who_shares_no_node_after_a_resize_leaves_its_group),
		cmocka_unit_test(a_job_begins_after_its_start),
		cmocka_unit_test(what_a_resize_cannot_be),
		cmocka_unit_test(a_job_at_its_limit_gets_no_other),
		cmocka_unit_test(a_limit_that_the_host_set_is_not_cut),
		cmocka_unit_test(a_limit_is_of_a_job_that_has_started),
		cmocka_unit_test(a_job_is_suspended_once),
		cmocka_unit_test(what_sharing_cost_outlives_a_restart),
		cmocka_unit_test(jobs_found_sharing_have_their_limits_raised),
		cmocka_unit_test(
			a_host_that_decides_no_more_learns_what_limits_are_due),
		cmocka_unit_test(a_job_that_a_gang_holds_keeps_its_cores),
		cmocka_unit_test(
			jobs_that_a_gang_lets_take_turns_keep_each_core_once),
		cmocka_unit_test(what_runs_is_rebuilt_from_its_state),
		cmocka_unit_test(a_limit_that_may_not_rise_keeps_a_job_alone),
	};

	return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
