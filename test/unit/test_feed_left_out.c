/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine cannot take of a snapshot is left out, and said once (feed/feed_job.c). */
#include "feedrig.h"

static void what_the_engine_cannot_take_is_left_out_once(void **state)
{
	(void)state;
	for (int round = 0; round < 2; round++) {
		struct cs_view_job *j;

		snapshot();
		j = runs(1, 0, T0);
		j->alloc = 0; /* holds what our machine does not have */
		assert_int_equal(feed(), round ? 0 : 2);
	}
	assert_int_equal(stats().running + stats().waiting, 0);
	snapshot();
	assert_int_equal(feed(), 1); /* what it held is free */
	snapshot();
	assert_int_equal(feed(), 0);
}

static struct cs_view_job *job_of_procs(uint32_t id, uint32_t procs)
{
	struct cs_view_job *j = job(id);

	j->desc.procs = procs;
	return j;
}

static void a_refused_job_is_left_out_until_it_changes(void **state)
{
	/* what job 1 asks for in each round, and the events beside it */
	static const uint32_t asks[] = { 0, 0, 4, 0, 4 };
	static const uint64_t events[] = { 1, 0, 1, 1, 1 };

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		snapshot();
		job_of_procs(1, asks[i]);
		job(2);
		assert_int_equal(feed(), events[i]);
		assert_int_equal(stats().waiting, asks[i] ? 2 : 1);
	}
	assert_int_equal(n_said, 1);
	assert_contains(said, "job 1 asks for what the model does not hold");
	snapshot();
	job_of_procs(1, 0);
	job(2);
	assert_int_equal(feed(), 1);
	snapshot(); /* gone while left out */
	job(2);
	assert_int_equal(feed(), 0);
	assert_int_equal(b->known.n, 1);
}

static void a_job_that_is_left_out_may_run_and_wait_again(void **state)
{
	(void)state;
	snapshot();
	job_of_procs(1, 0);
	runs(2, 1, T0);
	assert_int_equal(feed(), 2);
	snapshot();
	runs(1, 0, T0 + S)->desc.procs = 0;
	job_of_procs(2, 0);	     /* requeued */
	assert_int_equal(feed(), 2); /* and nobody to node 0 */
	assert_int_equal(stats().running + stats().waiting, 0);
	assert_int_equal(stats().cores_used, 0);
	snapshot();
	job(1);
	job(2);
	assert_int_equal(feed(), 4); /* what job 1 held is free */
	assert_int_equal(stats().waiting, 2);
}

/* As jobs of a partition with OverSubscribe=FORCE do. */
static void the_second_holder_of_a_core_is_left_out(void **state)
{
	(void)state;
	snapshot();
	runs(1, 0, T0);
	runs(2, 0, T0);
	feed();
	assert_int_equal(stats().running, 1);
	assert_contains(said, "job 2");
	assert_contains(said, "a core");
	for (int round = 0; round < 2; round++) {
		snapshot();
		runs(1, 0, T0);
		runs(2, 0, T0);
		assert_int_equal(feed(), 0);
	}
	assert_int_equal(n_said, 1);
	assert_contains(cs_known_find(&b->known, 2)->why, "a core");
	snapshot();
	runs(2, 0, T0); /* and taken when the first one is gone */
	assert_int_equal(feed(), 3);
	assert_int_equal(stats().running, 1);
	assert_false(cs_known_find(&b->known, 2)->ghost);
	assert_null(cs_known_find(&b->known, 2)->why);
	snapshot();
	runs(2, 0, T0);
	assert_int_equal(feed(), 0);
}

/* Job 2 has a core of job 1's and one that nobody has: nobody else is sent there. */
static void what_a_ghost_holds_is_not_proposed(void **state)
{
	(void)state;
	for (int round = 0; round < 3; round++) {
		bool there = round < 2;

		snapshot();
		if (there) {
			struct cs_view_job *j;

			runs(1, 0, T0);
			j = runs(2, 0, T0);
			cs_alloc_cores(b->view->alloc[j->alloc - 1], 0)[0] = 6;
		}
		job_of_procs(3, 1);
		feed();
		assert_int_equal(b->told.haunted[0], there);
		assert_int_equal(place(), there ? 2 : 1);
	}
}

static void an_unknown_profile_is_said_once(void **state)
{
	(void)state;
	snapshot();
	job_named(1, "nosuch");
	job_named(2, "nosuch");
	feed();
	assert_int_equal(n_said, 1);
	assert_contains(said, "job 1 asks for a profile");
	assert_null(strstr(said, "nosuch")); /* a user's text */
	assert_int_equal(b->told.profiles_bad.n, 1);
}

/* Somebody with ever new names; what comes ten minutes later is said again. */
static void unknown_profiles_are_said_at_a_rate(void **state)
{
	char name[16];

	(void)state;
	snapshot();
	for (uint32_t id = 1; id <= 200; id++) {
		snprintf(name, sizeof(name), "junk%u", id);
		job_named(id, name);
	}
	feed();
	assert_int_equal(n_said, CS_RATE_MAX + 1);
	assert_contains(said, "more jobs ask for profiles");
	assert_int_equal(b->told.profiles_bad.n, 200);
	assert_int_equal(b->told.profiles_bad.job, 200);
	b->now_us += CS_RATE_US;
	snapshot();
	for (uint32_t id = 1; id <= 200; id++) {
		snprintf(name, sizeof(name), "junk%u", id);
		job_named(id, name)->desc.procs = 3; /* told again */
	}
	job_named(201, "nosuch");
	feed();
	assert_int_equal(n_said, CS_RATE_MAX + 2);
	assert_contains(said, "job 201 asks for a profile");
	assert_int_equal(b->told.profiles_bad.n, 201);
}

static struct cs_view_job *job_with(uint32_t id, char fault)
{
	struct cs_view_job *j = job(id);

	((char *)(j + 1))[j->desc.text[CS_VIEW_FAULT]] = fault;
	return j;
}

static void a_malformed_comment_is_said_once_a_job(void **state)
{
	(void)state;
	for (int round = 0; round < 2; round++) {
		snapshot();
		job_with(1, 'x')->desc.procs = 1 + (uint32_t)round;
		job_with(2, 'x');
		job_with(3, 0);
		feed();
		assert_int_equal(n_said, 2);
		assert_int_equal(b->told.comments_bad.n, 2);
		assert_int_equal(b->told.comments_bad.job, 2);
		assert_contains(said, "job 2 has a malformed comment: x");
	}
	snapshot();
	job_with(1, 'y'); /* an updated one */
	feed();
	assert_int_equal(n_said, 3);
	assert_int_equal(b->told.comments_bad.n, 3);
	assert_contains(said, "job 1 has a malformed comment: y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_the_engine_cannot_take_is_left_out_once),
		TEST(a_refused_job_is_left_out_until_it_changes),
		TEST(a_job_that_is_left_out_may_run_and_wait_again),
		TEST(the_second_holder_of_a_core_is_left_out),
		TEST(what_a_ghost_holds_is_not_proposed),
		TEST(an_unknown_profile_is_said_once),
		TEST(unknown_profiles_are_said_at_a_rate),
		TEST(a_malformed_comment_is_said_once_a_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
