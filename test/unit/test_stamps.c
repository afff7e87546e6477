/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat/stamps.h: a change by others is one look, and one more when its second is over;
 * our own write is none but that.
 */
#include "cs_test.h"

#include <string.h>

#include "compat/stamps.h"

static int64_t slurm[CS_STAMPS];

/* A look at @now_s that writes to jobs if @writes. */
static void look(struct cs_stamps *s, int64_t now_s, bool writes)
{
	cs_stamps_look(s, now_s, slurm);
	if (writes)
		slurm[0] = now_s;
	cs_stamps_unlock(s, slurm);
}

/* Looks in the ten seconds from 101 on, asked @polls times a second, while the first
 * @writing of them write to jobs. */
static int looks(struct cs_stamps *s, int polls, int writing)
{
	int n = 0;

	for (int64_t now = 101; now < 111; now++)
		for (int i = 0; i < polls; i++)
			if (cs_stamps_changed(s, now, slurm))
				look(s, now, n++ < writing);
	return n;
}

static void one_change_is_two_looks(void **state)
{
	struct cs_stamps s = { 0 };

	(void)state;
	memset(slurm, 0, sizeof(slurm));
	slurm[0] = 50;
	assert_true(cs_stamps_changed(&s, 100, slurm)); /* no look yet */
	look(&s, 100, false);
	assert_int_equal(looks(&s, 10, 0), 0);
	slurm[0] = 101;
	assert_int_equal(looks(&s, 10, 0), 2);
}

static void own_writes_are_one_look(void **state)
{
	struct cs_stamps s = { 0 };

	(void)state;
	memset(slurm, 0, sizeof(slurm));
	look(&s, 100, true);
	assert_false(cs_stamps_changed(&s, 100, slurm));
	assert_int_equal(looks(&s, 10, 0), 1);
	look(&s, 100, true);
	assert_int_equal(looks(&s, 10, 3), 4); /* it writes three times more */
}

/* By others, while the look has its locks released. */
static void a_change_between_two_steps(void **state)
{
	struct cs_stamps s = { 0 };

	(void)state;
	memset(slurm, 0, sizeof(slurm));
	look(&s, 100, false);
	slurm[1] = 99; /* stamped late, by a clock read before our look */
	cs_stamps_locked(&s, slurm);
	slurm[0] = 100;
	cs_stamps_unlock(&s, slurm);
	assert_true(cs_stamps_changed(&s, 100, slurm));
	look(&s, 100, false);
	assert_false(cs_stamps_changed(&s, 100, slurm));
}

/* In the second of our own write: seen when that second is over. */
static void a_change_behind_our_own(void **state)
{
	struct cs_stamps s = { 0 };

	(void)state;
	memset(slurm, 0, sizeof(slurm));
	look(&s, 100, true);
	slurm[0] = 100;
	assert_false(cs_stamps_changed(&s, 100, slurm));
	assert_true(cs_stamps_changed(&s, 101, slurm));
}

static void every_kind_and_the_clock(void **state)
{
	(void)state;
	for (int i = 0; i < CS_STAMPS; i++) {
		struct cs_stamps s = { 0 };

		memset(slurm, 0, sizeof(slurm));
		look(&s, 100, false);
		assert_false(cs_stamps_changed(&s, 200, slurm));
		assert_true(cs_stamps_changed(&s, 99, slurm)); /* set back */
		slurm[i] = 150;
		assert_true(cs_stamps_changed(&s, 150, slurm));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_change_is_two_looks),
		cmocka_unit_test(own_writes_are_one_look),
		cmocka_unit_test(a_change_between_two_steps),
		cmocka_unit_test(a_change_behind_our_own),
		cmocka_unit_test(every_kind_and_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
