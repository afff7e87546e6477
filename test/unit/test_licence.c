/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When licences are free: licence.c. */
#include "cs_test.h"
#include "common/model/licence.h"
#include "common/model/machine.h"
#include "rig.h"

/* The example of licence.c. */
static void who_needs_all_is_given_a_time(void **state)
{
	struct cs_licences l = { .n_kind = 1, .free = { 1 } };
	const struct cs_licence_need one = { 0, 1 }, three = { 0, 3 },
				     four = { 0, 4 }, five = { 0, 5 };

	(void)state;
	assert_int_equal(cs_licences_take(&l, &three, 1, INT64_MIN, 10), 0);
	assert_int_equal(cs_licences_find(&l, &four, 1, 0, 5), 10);
	assert_int_equal(cs_licences_take(&l, &four, 1, 10, 15), 0);
	assert_int_equal(cs_licences_find(&l, &one, 1, 0, 10), 0);
	assert_int_equal(cs_licences_find(&l, &one, 1, 0, 11), 15);
	assert_int_equal(cs_licences_find(&l, &five, 1, 0, 1), CS_TIME_NONE);
	cs_licences_done(&l);
}

/* What is left of @kind at @at, by a walk over all that was taken. */
struct taken {
	struct cs_licence_need need[3];
	int64_t from, until;
};

static bool free_at(const int64_t *all, const struct taken *t, size_t n,
		    const struct cs_licence_need *need, uint32_t kinds,
		    int64_t at)
{
	for (uint32_t k = 0; k < kinds; k++) {
		int64_t left = all[k];

		for (size_t i = 0; i < n; i++)
			if (t[i].from <= at && at < t[i].until)
				left -= t[i].need[k].n;
		if (left < need[k].n)
			return false;
	}
	return true;
}

static void it_is_as_a_walk_over_every_instant_has_it(void **state)
{
	uint64_t rng = cs_test_seed();

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct cs_licences l = { .n_kind = 3 };
		struct taken t[12];

		for (uint32_t k = 0; k < 3; k++)
			l.free[k] = (int64_t)cs_test_draw(&rng, 9);
		for (size_t i = 0; i < 12; i++) {
			int64_t run = 1 + (int64_t)cs_test_draw(&rng, 9), at,
				want;

			for (uint32_t k = 0; k < 3; k++)
				t[i].need[k] = (struct cs_licence_need){
					k, (uint32_t)cs_test_draw(&rng, 5)
				};
			for (want = 0; want < 200; want++) {
				for (at = want; at < want + run; at++)
					if (!free_at(l.free, t, i, t[i].need, 3,
						     at))
						break;
				if (at == want + run)
					break;
			}
			at = cs_licences_find(&l, t[i].need, 3, 0, run);
			assert_int_equal(at, want == 200 ? CS_TIME_NONE : want);
			t[i].from = t[i].until = 0;
			if (want == 200)
				continue;
			t[i].from = at;
			t[i].until = at + run;
			assert_int_equal(cs_licences_take(&l, t[i].need, 3, at,
							  at + run),
					 0);
		}
		cs_licences_done(&l);
	}
}

/* A job that lacks something beside nodes is promised them for when it has all, and who
 * would be there longer does not pass on its nodes. */
static void who_lacks_something_is_promised_a_start(void **state)
{
	struct cs_actions a;
	char text[512];
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack", NULL, 2, 1, 2, 0);
	j = rig_job(&r, 1, 4, 100, NULL);
	j.after_us = 50 * RIG_S;
	rig_submit(&r, &j);
	rig_add(&r, 2, 2, 500, NULL);
	rig_add(&r, 3, 2, 30, NULL);
	assert_int_equal(rig_decide(&r), 1);
	assert_true(rig_runs(&r, 3));
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 1, NULL),
			 50 * RIG_S);
	assert_true(cs_engine_next_wakeup_us(r.engine) <= 50 * RIG_S);
	cs_explain(r.engine, 1, NULL, text, sizeof(text));
	if (!strstr(text, "licenses that it needs are in use; planned on ") ||
	    !strstr(text, "starts in 0:00:50 at the latest"))
		fail_msg("%s", text);
	/* not so long */
	j.after_us = 40 * RIG_S;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_CHANGE, .job = &j });
	assert_int_equal(cs_engine_decide(r.engine, r.now_us, &a), 0);
	assert_int_equal(a.n, 0);
	rig_finish(&r, 3);
	assert_int_equal(rig_decide(&r), 0);
	assert_int_equal(cs_engine_predicted_start_us(r.engine, 1, NULL),
			 40 * RIG_S);
	r.now_us = 40 * RIG_S;
	assert_int_equal(rig_decide(&r), 1);
	assert_true(rig_runs(&r, 1));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_needs_all_is_given_a_time),
		cmocka_unit_test(it_is_as_a_walk_over_every_instant_has_it),
		cmocka_unit_test(who_lacks_something_is_promised_a_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
