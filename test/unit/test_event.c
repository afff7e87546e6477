/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that cannot have happened are refused with a reason, and change nothing
 * (engine/event.c, event_check.c, event_start.c, event_run.c, event_node.c). */
#include "cs_test.h"
#include "rig.h"

#include <errno.h>

/* Three nodes of four cores: job 1 runs on node 0, job 2 on node 1, suspended, and job 3,
 * which needs all three, waits. */
static void open_jobs(struct rig *r)
{
	rig_open(r, "policy=pack", NULL, 3, 1, 4, 0);
	rig_add_in(r, 1, 4, 1000, NULL, 1);
	rig_add_in(r, 2, 4, 1000, NULL, 2);
	assert_int_equal(rig_decide(r), 2);
	rig_add(r, 3, 12, 100, NULL);
	assert_int_equal(rig_decide(r), 0);
	rig_tell(r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 2 });
}

static void no_event(struct rig *r, struct cs_event ev, int want,
		     const char *text)
{
	struct cs_engine_stats was, now;
	struct cs_err err = { "" };

	ev.t_us = r->now_us;
	cs_engine_stats(r->engine, &was);
	assert_int_equal(cs_engine_event(r->engine, &ev, &err), want);
	assert_string_equal(err.text, text);
	assert_int_equal(cs_engine_event(r->engine, &ev, NULL), want);
	cs_engine_stats(r->engine, &now);
	assert_int_equal(now.waiting, was.waiting);
	assert_int_equal(now.running, was.running);
	assert_int_equal(now.suspended, was.suspended);
	assert_int_equal(now.cores_used, was.cores_used);
	assert_int_equal(cs_engine_check(r->engine, &err), 0);
}

static void jobs_that_are_not_there(void **state)
{
	static const enum cs_event_type type[] = { CS_EV_CANCEL, CS_EV_FINISH,
						   CS_EV_SUSPEND,
						   CS_EV_RESUME };
	struct cs_alloc *a = cs_alloc_create(1, 1);
	struct cs_started s = { .job_id = 9, .alloc = a };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_jobs(&r);
	for (size_t i = 0; i < sizeof(type) / sizeof(type[0]); i++)
		no_event(&r, (struct cs_event){ .type = type[i], .job_id = 9 },
			 -ENOENT, "job 9 is not known");
	no_event(
		&r,
		(struct cs_event){ .type = CS_EV_LIMIT, .limit = { 9, RIG_S } },
		-ENOENT, "job 9 is not known");
	no_event(&r,
		 (struct cs_event){ .type = CS_EV_BEGIN, .begin = { 9, 0, 0 } },
		 -ENOENT, "job 9 is not known");
	no_event(&r,
		 (struct cs_event){ .type = CS_EV_RESIZE, .resize = { 9, a } },
		 -ENOENT, "job 9 is not known");
	j = rig_job(&r, 9, 1, 100, NULL);
	no_event(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j },
		 -ENOENT, "job 9 is not known");
	no_event(&r, (struct cs_event){ .type = CS_EV_REQUEUE, .job = &j },
		 -ENOENT, "job 9 is not known");
	no_event(&r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s },
		 -ENOENT, "job 9 is not known");
	s.seq = 99;
	no_event(&r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s },
		 -ENOENT, "seq 99 is not known");
	no_event(&r,
		 (struct cs_event){
			 .type = CS_EV_REFUSED,
			 .refused = { 99, CS_REFUSED_PLACE, "x", NULL } },
		 -ENOENT, "seq 99 is not known");
	cs_alloc_free(a);
	rig_close(&r);
}

/* What only a waiting job may do, a running one, and the other way round. */
static void jobs_in_another_state(void **state)
{
	struct cs_alloc *a = cs_alloc_create(1, 1);
	struct cs_started s = { .job_id = 1, .alloc = a };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_jobs(&r);
	for (uint32_t id = 1; id <= 2; id++) {
		char text[64];

		snprintf(text, sizeof(text), "job %u does not wait", id);
		no_event(
			&r,
			(struct cs_event){ .type = CS_EV_CANCEL, .job_id = id },
			-EINVAL, text);
		j = rig_job(&r, id, 1, 100, NULL);
		no_event(&r,
			 (struct cs_event){ .type = CS_EV_CHANGE, .job = &j },
			 -EINVAL, text);
		s.job_id = id;
		no_event(
			&r,
			(struct cs_event){ .type = CS_EV_STARTED, .start = &s },
			-EINVAL, text);
	}
	no_event(&r, (struct cs_event){ .type = CS_EV_FINISH, .job_id = 3 },
		 -EINVAL, "job 3 does not run");
	no_event(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 3 },
		 -EINVAL, "job 3 does not run");
	no_event(
		&r,
		(struct cs_event){ .type = CS_EV_LIMIT, .limit = { 3, RIG_S } },
		-EINVAL, "job 3 does not run");
	no_event(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 2 },
		 -EINVAL, "job 2 is suspended");
	no_event(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 1 },
		 -EINVAL, "job 1 is not suspended");
	no_event(&r,
		 (struct cs_event){ .type = CS_EV_BEGIN,
				    .begin = { 1, 20 * RIG_S, 10 * RIG_S } },
		 -EINVAL, "job 1 begins before its start");
	cs_alloc_free(a);
	rig_close(&r);
}

/* Job 4 waits; the host says that it runs. */
static void starts_that_cannot_be(void **state)
{
	struct cs_alloc *a = cs_alloc_create(2, 1), *none;
	struct cs_started s = { .job_id = 4, .option = 1, .alloc = a };
	const struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct rig r;

	(void)state;
	open_jobs(&r);
	rig_add_in(&r, 4, 4, 100, NULL, 1);
	a->node[0] = (struct cs_alloc_node){ .node = 1, .procs = 1 };
	a->node[1] = (struct cs_alloc_node){ .node = 2, .procs = 1 };
	cs_alloc_cores(a, 0)[0] = cs_alloc_cores(a, 1)[0] = 1;
	no_event(&r, ev, -EINVAL, "job 4: no partition 1");
	s.option = 0;
	a->node[1].node = 3;
	no_event(&r, ev, -EINVAL,
		 "allocation: node index 3 out of range or order");
	a->node[1].node = 1;
	no_event(&r, ev, -EINVAL,
		 "allocation: node index 1 out of range or order");
	a->node[1].node = 2;
	cs_alloc_cores(a, 1)[0] = 16;
	no_event(&r, ev, -EINVAL, "allocation: no such core on node 2");
	cs_alloc_cores(a, 1)[0] = 8;
	none = cs_alloc_create(0, 1);
	s.alloc = none;
	no_event(&r, ev, -EINVAL, "an allocation of no nodes");
	cs_alloc_free(none);
	s.alloc = NULL;
	no_event(&r, ev, -EINVAL, "an allocation of no nodes");
	/* node 0 is job 1's */
	s.alloc = a;
	a->node[0].node = 0;
	no_event(&r, ev, -EINVAL, "somebody else holds a core of it on node 0");
	/* job 2 is suspended: its cores are free */
	a->node[0].node = 1;
	s.limit_us = 100 * RIG_S;
	rig_tell(&r, ev);
	assert_true(rig_runs(&r, 4));
	assert_string_equal(rig_where(&r, 4), "1:0 2:3");
	no_event(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 2 },
		 -EINVAL, "somebody else holds a core of it on node 1");
	cs_alloc_free(a);
	rig_close(&r);
}

/* Each number that must be above 0, and a node set that nobody made. */
static void requests_that_say_nothing(void **state)
{
	static const char want[] =
		"job 9: id, tasks, procs, cpus_per_proc, min_nodes, estimate "
		"and options must be above 0";
	struct cs_job_partition o = { .nodeset = 99 };
	struct cs_job j, good;
	struct rig r;

	(void)state;
	open_jobs(&r);
	good = rig_job(&r, 9, 1, 100, NULL);
	for (int i = 0; i < 6; i++) {
		j = good;
		switch (i) {
		case 0:
			j.tasks = 0;
			break;
		case 1:
			j.procs = 0;
			break;
		case 2:
			j.cpus_per_proc = 0;
			break;
		case 3:
			j.min_nodes = 0;
			break;
		case 4:
			j.estimate_us = 0;
			break;
		case 5:
			j.n_option = 0;
			break;
		}
		no_event(&r,
			 (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j },
			 -EINVAL, want);
	}
	j = good;
	j.option = &o;
	no_event(&r, (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j },
		 -EINVAL, "job 9: no node set 99");
	no_event(&r,
		 (struct cs_event){ .type = CS_EV_NODESET,
				    .nodeset = { 99, 0 } },
		 -ENOENT, "node set 99 is not known");
	no_event(&r,
		 (struct cs_event){ .type = CS_EV_NODESET,
				    .nodeset = { 0, 98 } },
		 -ENOENT, "node set 98 is not known");
	no_event(&r,
		 (struct cs_event){ .type = CS_EV_NODE,
				    .node = { 3, true, NULL, "" } },
		 -ENOENT, "node 3 is not known");
	rig_submit(&r, &good);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_that_are_not_there),
		cmocka_unit_test(jobs_in_another_state),
		cmocka_unit_test(starts_that_cannot_be),
		cmocka_unit_test(requests_that_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
