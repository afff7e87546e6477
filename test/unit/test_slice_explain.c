/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of slices: the next ones, of a stopped job, its end. */
#include "slicerig.h"

static void the_next_slices_are_known(void **state)
{
	struct cs_slice_now now;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	assert_int_equal(cs_engine_slice(r.engine, &now), -ENOENT);
	rig_add(&r, 1, 1, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 10);
	assert_int_equal(cs_engine_slice(r.engine, &now), 0);
	assert_int_equal(now.class, CS_CLASS_MEDIUM);
	assert_int_equal(now.serve_us, 5 * RIG_S);
	assert_int_equal(now.end_us, 40 * RIG_S);
	assert_int_equal(now.next_us[CS_CLASS_SHORT], 105 * RIG_S);
	assert_int_equal(now.next_us[CS_CLASS_MEDIUM], 105 * RIG_S);
	assert_int_equal(now.next_us[CS_CLASS_LONG], 45 * RIG_S);
	rig_add(&r, 3, 4, LONG, NULL);
	rig_at(&r, 11);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 3, NULL),
			 45 * RIG_S);
	assert_int_equal(cs_engine_class(r.engine, 1), CS_CLASS_MEDIUM);
	assert_int_equal(cs_engine_class(r.engine, 2), CS_CLASSES);
	rig_close(&r);
}

static bool at_clock(int64_t at_us, bool seconds, char *buf, size_t size)
{
	snprintf(buf, size, seconds ? "00:%02d:%02d" : "00:%02d",
		 (int)(at_us / RIG_S / 60), (int)(at_us / RIG_S % 60));
	return true;
}

/* Medium job 1 has all nodes until 40; short 2, 3 and 4 of ten seconds wait for their
 * slices of fifteen, long 5 for its own. */
static void explain_and_top_tell_the_same_slice(void **state)
{
	static const int64_t starts_s[] = { 105, 115, 210, 45 };
	const struct cs_audience to = { .clock = at_clock };
	char text[1024], says[80];
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	for (uint32_t id = 2; id <= 4; id++)
		rig_add(&r, id, 4, 10, NULL);
	rig_add(&r, 5, 4, LONG, NULL);
	for (int64_t s = 10; s <= 30; s += 10) {
		rig_at(&r, s);
		for (uint32_t id = 2; id <= 5; id++) {
			const char *name = id < 5 ? "short" : "long";
			int64_t turn_s = id < 5 ? 105 : 45;

			assert_int_equal(
				cs_engine_host_start_us(r.engine, id, NULL),
				starts_s[id - 2] * RIG_S);
			cs_explain(r.engine, id, &to, text, sizeof(text));
			snprintf(
				says, sizeof(says),
				"waits: %s slice at 00:0%d:%02d, in 0:0%d:%02d; ",
				name, (int)turn_s / 60, (int)turn_s % 60,
				(int)(turn_s - s) / 60, (int)(turn_s - s) % 60);
			assert_contains(text, says);
			snprintf(says, sizeof(says),
				 "; starts in 0:0%d:%02d at the latest",
				 (int)(starts_s[id - 2] - s) / 60,
				 (int)(starts_s[id - 2] - s) % 60);
			assert_contains(text, says);
			snprintf(says, sizeof(says),
				 "\n  %d of %d in the queue of its class, ",
				 id < 5 ? (int)id - 1 : 1, id < 5 ? 3 : 1);
			assert_contains(text, says);
			cs_explain_reason(r.engine, id, &to, text,
					  sizeof(text));
			snprintf(says, sizeof(says),
				 "%s slice at 00:0%d:%02d; ", name,
				 (int)turn_s / 60, (int)turn_s % 60);
			assert_memory_equal(text, says, strlen(says));
		}
	}
	rig_close(&r);
}

/* Of one that a reservation keeps off, in its slices and in others'. */
static void explain_names_a_reservation_to_come(void **state)
{
	static const uint32_t node[] = { 0, 1, 2, 3 };
	static const char why[] =
		"a reservation that is not its own keeps nodes that it could use";
	struct cs_reservation v = { .id = 1,
				    .n = 4,
				    .node = node,
				    .start_us = 900 * RIG_S,
				    .end_us = 950 * RIG_S };
	char text[1024];
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, LONG, NULL);
	rig_add(&r, 2, 4, MEDIUM, NULL);
	for (int64_t s = 0; s <= 50; s += 5) {
		rig_at(&r, s);
		cs_explain(r.engine, 1, NULL, text, sizeof(text));
		assert_null(strstr(text, why));
	}
	rig_close(&r);

	open_pect(&r, PECT);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
					.reservation = &v });
	rig_add(&r, 1, 4, LONG, NULL);
	rig_add(&r, 2, 4, MEDIUM, NULL);
	for (int64_t s = 5; s <= 100; s += 5) {
		rig_at(&r, s);
		cs_explain(r.engine, 1, NULL, text, sizeof(text));
		assert_contains(text, why);
		assert_contains(text, " (scontrol show reservation)");
		cs_explain_reason(r.engine, 1, NULL, text, sizeof(text));
		assert_contains(text, why);
		assert_null(strstr(text, "scontrol"));
	}
	rig_close(&r);
}

/* Not its slice, which it would not have. */
static void explain_says_first_that_a_job_is_held(void **state)
{
	char text[1024];
	struct cs_job j;
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	j = rig_job(&r, 2, 4, LONG, NULL);
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	for (int64_t s = 6; s <= 45; s += 3) {
		rig_at(&r, s);
		cs_explain(r.engine, 2, NULL, text, sizeof(text));
		assert_contains(text,
				"job 2 (no profile) waits: held back by "
				"Slurm (hold, dependency, limit, license)");
		assert_null(strstr(text, "slice"));
	}
	rig_close(&r);
}

/* Of 1, medium, 60 s are to do, 35 in each slice of its own. */
static void explain_says_when_a_stopped_job_goes_on(void **state)
{
	char text[1024];
	struct rig r;

	(void)state;
	open_pect(&r, PECT);
	rig_add(&r, 1, 4, MEDIUM, NULL);
	rig_add(&r, 2, 4, LONG, NULL);
	rig_at(&r, 0);
	rig_at(&r, 5);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "  ends in 0:02:05 if it uses all the time that "
			      "its user requested, in its own time slices "
			      "alone\n");
	rig_at(&r, 40);
	rig_at(&r, 45);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "is stopped between its time slices on 4 nodes\n"
			      "  goes on in 0:01:00: the next medium slice\n"
			      "  ends in 0:01:25 if it uses");
	assert_int_equal(cs_engine_again_us(r.engine, 1), 105 * RIG_S);
	rig_at(&r, 100);
	/* in the overhead of its own slice, too */
	assert_int_equal(cs_engine_again_us(r.engine, 1), 105 * RIG_S);
	rig_at(&r, 105);
	assert_int_equal(cs_engine_latest_us(r.engine, 1), 130 * RIG_S);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	assert_contains(text, "  ends in 0:00:25 if it uses all the time that "
			      "its user requested\n");
	rig_close(&r);
}

/* One look at @id, of two jobs: as long as both are there, the first look at its end is
 * right; one that has done its estimate ends. */
static void look_at_end(struct rig *r, uint32_t id, int64_t *end_us)
{
	bool both = cs_engine_list(r->engine, true, NULL, 0) == 2;
	struct cs_running run;
	int64_t ran;

	if (cs_engine_running(r->engine, id, &run))
		return;
	ran = run.ran_us + (run.suspended ? 0 : r->now_us - run.at_us);
	if (both && !*end_us)
		*end_us = cs_engine_latest_us(r->engine, id);
	if (ran >= run.estimate_us) {
		if (both)
			assert_int_equal(*end_us, r->now_us);
		rig_finish(r, id);
		rig_decide(r);
	} else if (both) {
		assert_int_equal(*end_us, cs_engine_latest_us(r->engine, id));
	}
}

/* Two jobs take turns on all nodes. */
static void the_end_on_the_hosts_clock_is_the_one_that_comes(void **state)
{
	static const char *const params[] = {
		PECT,
		PECT ",slice_shares=00:00/0.4",
		"policy=brmms,slice=gang,slot_s=20,unprofiled=model",
	};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		int64_t end_us[2] = { 0, 0 };
		struct rig r;

		open_pect(&r, params[k]);
		rig_add(&r, 1, 4, 93, NULL);
		rig_add(&r, 2, 4, 237, NULL);
		for (int64_t s = 0; s < 1000; s++) {
			rig_at(&r, s);
			look_at_end(&r, 1, &end_us[0]);
			look_at_end(&r, 2, &end_us[1]);
		}
		assert_true(end_us[0] && end_us[1]);
		assert_int_equal(cs_engine_list(r.engine, true, NULL, 0), 0);
		rig_close(&r);
	}
}

/* Jobs 1 and 2, of four nodes each, have a slot of ten seconds, and job 3, of all eight
 * nodes, the next. */
static void a_slot_has_its_jobs_nodes_and_turn(void **state)
{
	static const struct {
		uint32_t jobs, nodes;
	} want[] = { { 2, 8 }, { 1, 8 } };
	struct cs_slot_now slot;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=br,slice=gang,slot_s=10", NULL, 8, 1, 1, 1000);
	assert_int_equal(cs_engine_slot(r.engine, 1, &slot), -ENOENT);
	rig_add(&r, 1, 4, 100000, NULL);
	rig_add(&r, 2, 4, 100000, NULL);
	rig_add(&r, 3, 8, 100000, NULL);
	for (int64_t s = 0; s <= 30; s += 10) {
		rig_at(&r, s);
		for (uint32_t i = 0; i < 2; i++) {
			bool has_turn = i == (uint32_t)(s / 10) % 2;

			assert_int_equal(cs_engine_slot(r.engine, i + 1, &slot),
					 0);
			assert_int_equal(slot.jobs, want[i].jobs);
			assert_int_equal(slot.nodes, want[i].nodes);
			assert_int_equal(slot.next_us,
					 (s + (has_turn ? 0 : 10)) * RIG_S);
		}
	}
	assert_int_equal(cs_engine_slot(r.engine, 0, &slot), -ENOENT);
	assert_int_equal(cs_engine_slot(r.engine, 3, &slot), -ENOENT);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explain_and_top_tell_the_same_slice),
		cmocka_unit_test(explain_names_a_reservation_to_come),
		cmocka_unit_test(explain_says_first_that_a_job_is_held),
		cmocka_unit_test(explain_says_when_a_stopped_job_goes_on),
		cmocka_unit_test(
			the_end_on_the_hosts_clock_is_the_one_that_comes),
		cmocka_unit_test(the_next_slices_are_known),
		cmocka_unit_test(a_slot_has_its_jobs_nodes_and_turn),
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
