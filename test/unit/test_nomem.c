/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory runs out in the engine: whatever allocation fails, the invariants hold,
 * and the same call made again gives what it would have given.
 */
#define CS_TEST_ALLOC
#include "cs_test.h"
#include "rig.h"

static const char profiles[] =
	"{\"version\":1,\"profiles\":{\"a\":{\"resources\":{\"cpu\":0.9}},"
	"\"b\":{\"resources\":{\"disk\":0.9}}}}";

struct run {
	struct rig rig;
	bool failed;	  /* an allocation of this run has failed */
	char trace[4096]; /* who started where */
};

/* After a failure: nothing is broken. */
static void intact(struct run *r, int rc)
{
	struct cs_err err = { "" };

	if (!rc)
		return;
	assert_int_equal(rc, -12 /* ENOMEM */);
	assert_true(cs_test_failed());
	r->failed = true;
	if (cs_engine_check(r->rig.engine, &err))
		fail_msg("%s", err.text);
}

static void tell(struct run *r, struct cs_event ev)
{
	int rc;

	ev.t_us = r->rig.now_us;
	rc = cs_engine_event(r->rig.engine, &ev, NULL);
	intact(r, rc);
	if (rc)
		assert_int_equal(cs_engine_event(r->rig.engine, &ev, NULL), 0);
}

static void confirm_all(struct run *r, const struct cs_actions *a)
{
	struct cs_action act[64];
	struct cs_alloc *alloc[64];
	size_t n = a->n, len = strlen(r->trace);

	assert_true(n < 64);
	for (size_t i = 0; i < n; i++) {
		act[i] = a->action[i];
		alloc[i] = act[i].alloc ? cs_alloc_copy(act[i].alloc) : NULL;
		if (act[i].alloc && !alloc[i]) {
			intact(r, -12);
			alloc[i] = cs_alloc_copy(act[i].alloc);
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct cs_started s = {
			.seq = act[i].seq,
			.job_id = act[i].job_id == 9 ? 100 + r->rig.next_task++
						     : act[i].job_id,
			.start_us = r->rig.now_us,
			.limit_us = RIG_S,
			.alloc = alloc[i],
		};

		if (act[i].type == CS_ACT_START) {
			tell(r, (struct cs_event){ .type = CS_EV_STARTED,
						   .start = &s });
			len += (size_t)snprintf(r->trace + len,
						sizeof(r->trace) - len,
						"%u@%u ", act[i].job_id,
						alloc[i]->node[0].node);
		}
		if (act[i].type == CS_ACT_SUSPEND)
			tell(r, (struct cs_event){ .type = CS_EV_SUSPEND,
						   .job_id = act[i].job_id });
		if (act[i].type == CS_ACT_RESUME)
			tell(r, (struct cs_event){ .type = CS_EV_RESUME,
						   .job_id = act[i].job_id });
		cs_alloc_free(alloc[i]);
	}
}

static void decide(struct run *r)
{
	struct cs_actions a;

	do {
		int rc = cs_engine_decide(r->rig.engine, r->rig.now_us, &a);

		intact(r, rc);
		if (!rc)
			confirm_all(r, &a);
		else
			a.n = 1;
	} while (a.n);
}

static void finish_if_started(struct run *r, uint32_t id)
{
	if (rig_runs(&r->rig, id))
		tell(r,
		     (struct cs_event){ .type = CS_EV_FINISH, .job_id = id });
}

/* It loses a core of its first node, or all others. */
static void resize_if_started(struct run *r, uint32_t id)
{
	struct cs_running was;
	struct cs_alloc *a;

	if (cs_engine_running(r->rig.engine, id, &was))
		return;
	a = cs_alloc_copy(was.alloc);
	if (!a) {
		intact(r, -12);
		a = cs_alloc_copy(was.alloc);
	}
	if (a->n_node > 1)
		a->n_node = 1;
	else if (cs_alloc_count(a, 0) > 1)
		cs_alloc_cores(a, 0)[0] &= cs_alloc_cores(a, 0)[0] - 1;
	a->node[0].procs = 1;
	tell(r, (struct cs_event){ .type = CS_EV_RESIZE, .resize = { id, a } });
	cs_alloc_free(a);
}

/* Of two cores of nodes 0 and 1, a minute from now; job 8 is in it. */
static void reserve(struct run *r, const struct cs_alloc *cores)
{
	const uint32_t node[] = { 0, 1 };
	struct cs_reservation v = { .id = 5,
				    .n = 2,
				    .node = node,
				    .start_us = r->rig.now_us + 60 * RIG_S,
				    .end_us = r->rig.now_us + 600 * RIG_S,
				    .cores = cores };

	tell(r,
	     (struct cs_event){ .type = CS_EV_RESERVATION, .reservation = &v });
}

/* A whole copy, or none. */
static void copy(struct run *r)
{
	struct cs_err err = { "" };
	struct cs_engine *e;

	if (!cs_engine_copies(r->rig.engine))
		return;
	e = cs_engine_copy(r->rig.engine, &err);
	assert_true(e || cs_test_failed());
	r->failed |= !e;
	if (e && cs_engine_check(e, &err) == -22) /* EINVAL */
		fail_msg("%s", err.text);
	cs_engine_free(e);
}

/* One small history, with the @n-th allocation failing. */
static void history(struct run *r, const char *params, long n)
{
	struct cs_alloc *cores = cs_alloc_create(2, 1);

	cores->node[1].node = 1;
	cs_alloc_cores(cores, 0)[0] = cs_alloc_cores(cores, 1)[0] = 3;
	memset(r, 0, sizeof(*r));
	rig_open(&r->rig, params, profiles, 4, 2, 2, 0);
	r->rig.next_task = 0;
	cs_test_fail_after(n);
	reserve(r, cores);
	cs_alloc_free(cores);
	for (uint32_t id = 1; id <= 9; id++) {
		struct cs_job j = rig_job(&r->rig, id, 1 + id % 5, 60 * id,
					  id % 3 == 0 ? NULL
					  : id % 2    ? "a"
						      : "b");

		if (id == 9) {
			j.array_id = 9;
			j.tasks = 3;
		}
		j.reservation = id == 8 ? 5 : 0;
		tell(r, (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j });
	}
	decide(r);
	for (int i = 0; i < 3; i++) {
		r->rig.now_us += 30 * RIG_S;
		decide(r);
	}
	copy(r);
	for (uint32_t id = 3; id <= 6; id++)
		resize_if_started(r, id);
	for (uint32_t id = 1; id <= 3; id++)
		finish_if_started(r, id);
	decide(r);
	r->failed |= cs_test_failed();
	rig_close(&r->rig);
}

static void any_allocation_may_fail(void **state)
{
	static const char *const policy[] = {
		"policy=cst,backfill=easy,cases=12345",
		"policy=conservative,unprofiled=model",
		"policy=ssp",
		"policy=stock,unprofiled=model,stock_every_s=1",
		"policy=cover,spare=0.1,cover_gain=0,head_slack=2",
		"policy=cover,mpl=2,cover_gain=0",
		"policy=cst",
		"policy=glts,min_util_gain=0",
		"policy=ostrich-paper,campaign_hold=strict",
		"policy=glts+,slack=3",
		"policy=glts,min_util_gain=0,slice=pect,class_short_s=120,"
		"class_medium_s=300,slice_cycle_s=60,slice_overhead_s=1,"
		"slice_short_s=10,share_min_s=0",
		"policy=brmms,slice=gang,slot_s=25,swap=no",
	};
	static struct run whole, broken;

	(void)state;
	for (size_t p = 0; p < sizeof(policy) / sizeof(policy[0]); p++) {
		long n = 0, same = 0;

		history(&whole, policy[p], -1);
		assert_true(strlen(whole.trace) > 10);
		do {
			history(&broken, policy[p], n++);
			same += !strcmp(whole.trace, broken.trace);
		} while (broken.failed);
		print_message("%s: %ld allocations failed in turn, %ld runs "
			      "as without\n",
			      policy[p], n - 1, same);
		assert_true(n > 50);
		assert_true(same > n / 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}
