/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time slices over a restart, and what the host does unasked. */
#include "slicerig.h"

/* A job that ran before us, on @node; @stopped: by a slice. */
static void found(struct rig *r, uint32_t id, int64_t estimate_s, uint32_t node,
		  bool stopped)
{
	struct cs_alloc *a = cs_alloc_create(1, r->machine->words);
	struct cs_started s = { .job_id = id,
				.start_us = r->now_us - 10 * RIG_S,
				.limit_us = estimate_s * RIG_S,
				.alloc = a };

	assert_non_null(a);
	a->n_node = 1;
	a->node[0].node = node;
	cs_bit_set(cs_alloc_cores(a, 0), 0);
	rig_add(r, id, 1, estimate_s, NULL);
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	if (stopped)
		rig_tell(r, (struct cs_event){ .type = CS_EV_SUSPEND,
					       .keeps = true,
					       .job_id = id });
	cs_alloc_free(a);
}

/* Rule 8: within a medium slice (from 20 to 52 s) the host was started anew. */
static void a_new_engine_goes_on_with_the_slice(void **state)
{
	struct cs_running run;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	r.now_us = 25 * RIG_S;
	found(&r, 1, MEDIUM, 0, false);
	found(&r, 2, LONG, 0, true);
	found(&r, 3, MEDIUM, 1, true);
	rig_at(&r, 25);
	assert_int_equal(rig_last(&r, CS_ACT_SLICE, 0)->slice, CS_CLASS_MEDIUM);
	assert_null(rig_last(&r, CS_ACT_SUSPEND, 1));
	assert_true(goes(&r, 1) && !goes(&r, 2) && goes(&r, 3));
	cs_engine_running(r.engine, 2, &run);
	assert_true(run.stopped && run.keeps);
	rig_at(&r, 52);
	assert_false(goes(&r, 1));
	rig_at(&r, 57);
	assert_true(!goes(&r, 1) && goes(&r, 2));
	rig_close(&r);
}

/* Where none is stopped there were no slices. */
static void a_new_engine_on_a_new_host_has_no_short_slice_late(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	r.now_us = 110 * RIG_S;
	found(&r, 1, MEDIUM, 0, false);
	rig_add(&r, 2, 1, 10, NULL);
	begins(&r, 110, CS_CLASS_MEDIUM, 140);
	rig_close(&r);
}

/* Nor is a slice for short jobs kept where there are none: none would run in it. */
static void a_new_engine_keeps_no_slice_for_nobody(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	r.now_us = 110 * RIG_S;
	found(&r, 1, MEDIUM, 0, true);
	begins(&r, 110, CS_CLASS_MEDIUM, 140);
	assert_true(goes(&r, 1));
	rig_close(&r);
}

/* Rule 8: started anew at any second of an interval with a short slice, it is in the
 * slice that the old engine was in, and whatever ran goes on or comes back. */
static void a_new_engine_is_in_the_slice_of_the_old_one(void **state)
{
	static const int64_t estimate_s[] = { 10, MEDIUM, LONG };
	struct cs_slice_now was, is;
	struct rig old, again;

	(void)state;
	open_pect(&old, PECT);
	for (uint32_t c = 0; c < CS_CLASSES; c++)
		rig_add(&old, c + 1, 4, estimate_s[c], NULL);
	for (int64_t s = 0; s < 300; s++) {
		rig_at(&old, s);
		if (s < 200)
			continue;
		open_pect(&again, PECT);
		again.now_us = s * RIG_S;
		for (uint32_t c = 0; c < CS_CLASSES; c++)
			found(&again, c + 1, estimate_s[c], 0,
			      !goes(&old, c + 1));
		rig_at(&again, s);
		assert_int_equal(cs_slice_now(old.engine, &was), 0);
		assert_int_equal(cs_slice_now(again.engine, &is), 0);
		assert_int_equal(is.class, was.class);
		assert_int_equal(is.serve_us, was.serve_us);
		assert_int_equal(is.end_us, was.end_us);
		for (uint32_t c = 0; c < CS_CLASSES; c++)
			assert_int_equal(goes(&again, c + 1),
					 goes(&old, c + 1));
		rig_close(&again);
	}
	rig_close(&old);
}

/* Two classes run on node 0 before us: what is broken is told again once one has gone. */
static void that_the_host_mixes_classes_is_forgotten(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	r.now_us = 25 * RIG_S;
	found(&r, 1, LONG, 0, false);
	assert_false(r.engine->slices->mixed);
	found(&r, 2, MEDIUM, 0, false);
	assert_true(r.engine->slices->mixed);
	found(&r, 3, LONG, 1, false);
	assert_true(r.engine->slices->mixed);
	rig_finish(&r, 1);
	assert_false(r.engine->slices->mixed);
	rig_close(&r);
}

/* The administrator lets a stopped job go on, and stops one that a slice has. */
static void what_the_host_does_unasked_holds(void **state)
{
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 1, MEDIUM, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	rig_at(&r, 40);
	rig_at(&r, 45);
	assert_true(!goes(&r, 1) && goes(&r, 2));
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	rig_at(&r, 100);
	rig_at(&r, 105);
	assert_false(goes(&r, 1));
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 1 });
	rig_at(&r, 106);
	assert_true(goes(&r, 1));
	rig_at(&r, 140);
	rig_at(&r, 145);
	assert_true(!goes(&r, 1) && goes(&r, 2));
	rig_close(&r);
}

/* An administrator suspended it while it ran, or while a slice had it stopped. */
static void what_is_given_back_has_its_turn(void **state)
{
	(void)state;
	for (int stopped = 0; stopped < 2; stopped++) {
		struct rig r;

		open_pect(&r, PECT);
		rig_add(&r, 1, 4, MEDIUM, NULL);
		rig_add(&r, 2, 4, LONG, NULL);
		for (int64_t s = 0; s <= (stopped ? 45 : 10); s += 5)
			rig_at(&r, s);
		assert_int_equal(goes(&r, 1), !stopped);
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.job_id = 1 });
		for (int64_t s = 50; s <= 110; s += 5)
			rig_at(&r, s);
		assert_true(!goes(&r, 1) && goes(&r, 2));
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.keeps = true,
						.job_id = 1 });
		assert_true(rig_running(&r, 1).stopped);
		for (int64_t s = 115; s <= 205; s += 5)
			rig_at(&r, s);
		assert_true(goes(&r, 1) && !goes(&r, 2));
		for (int64_t s = 210; s <= 245; s += 5)
			rig_at(&r, s);
		assert_true(!goes(&r, 1) && goes(&r, 2));
		rig_close(&r);
	}
}

/* ... once no other job of its class has its cores. */
static void what_is_given_back_may_find_its_cores_taken(void **state)
{
	char text[1024];
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	rig_add(&r, 2, 1, MEDIUM, NULL);
	rig_at(&r, 10);
	assert_true(goes(&r, 2));
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
					.keeps = true,
					.job_id = 1 });
	assert_true(rig_running(&r, 1).keeps && !rig_running(&r, 1).stopped);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "is suspended on 4 nodes\n"
			      "  goes on in its time slices as soon as its "
			      "cores are free: jobs of its class have them\n");
	assert_true(goes(&r, 2));
	rig_finish(&r, 2);
	assert_true(rig_running(&r, 1).stopped);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_engine_goes_on_with_the_slice),
		cmocka_unit_test(
			a_new_engine_on_a_new_host_has_no_short_slice_late),
		cmocka_unit_test(a_new_engine_keeps_no_slice_for_nobody),
		cmocka_unit_test(a_new_engine_is_in_the_slice_of_the_old_one),
		cmocka_unit_test(that_the_host_mixes_classes_is_forgotten),
		cmocka_unit_test(what_the_host_does_unasked_holds),
		cmocka_unit_test(what_is_given_back_has_its_turn),
		cmocka_unit_test(what_is_given_back_may_find_its_cores_taken),
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
