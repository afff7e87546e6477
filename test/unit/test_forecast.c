/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the host says that a refused job can start, and where (job/forecast.c). */
#include "refuserig.h"

#include "common/state/state.h"

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
		/* with the node that was kept, at this instant already */
		assert_int_equal(a.alloc->node[a.alloc->n_node - 1].node, 1);
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

/* Job 1, refused at 0 and at 49, which the host can place on node 1 at 50; job 2 is behind it
 * there. */
static void a_forecast_is_explained(void **state)
{
	static const char kept[] =
		"waits: Slurm refused its start: test; Slurm's own test places "
		"it, and will on 1 node kept for it; starts in %s at the "
		"latest, unless other jobs go before it; it is tried again "
		"when job or nodes change, or in %s\n";
	char text[1024], want[512];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 2, 1, 2, 0);
	j = host_job(&r, 1, 100);
	rig_submit(&r, &j);
	refuse_until(&r, wants(&r).seq, 50, 1);
	wants_nothing(&r);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	snprintf(want, sizeof(want), kept, "0:00:50", "0:00:10");
	assert_contains(text, want);
	r.now_us = 49 * RIG_S;
	rig_add_in(&r, 2, 2, 1000, NULL, 2);
	refuse_until(&r, wants(&r).seq, 50, 1);
	wants_nothing(&r);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	snprintf(want, sizeof(want), kept, "0:00:01", "0:00:01");
	assert_contains(text, want);
	cs_explain(r.engine, 2, NULL, text, sizeof(text));
	assert_contains(text,
			"waits: first in the queue for its nodes, needs "
			"2 cores, 0 free; starts in 0:01:41 at the latest");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_forecast_of_now_keeps_nobody_from_another_partition),
		cmocka_unit_test(
			a_forecast_is_weighed_against_another_partition),
		cmocka_unit_test(the_sooner_start_of_a_head_is_predicted),
		cmocka_unit_test(a_layout_is_that_of_the_promised_partition),
		cmocka_unit_test(a_forecast_keeps_its_nodes),
		cmocka_unit_test(a_forecast_is_as_old_as_what_it_was_made_of),
		cmocka_unit_test(a_forecast_ends_with_the_job),
		cmocka_unit_test(a_forecast_does_not_outlast_who_it_waited_for),
		cmocka_unit_test(
			a_forecast_that_does_not_come_true_is_given_up),
		cmocka_unit_test(a_limit_is_no_broken_forecast),
		cmocka_unit_test(the_first_of_the_queue_hold_them),
		cmocka_unit_test(who_is_behind_keeps_nobody_off),
		cmocka_unit_test(a_forecast_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
