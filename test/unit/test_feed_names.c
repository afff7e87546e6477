/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs whose users' names must be looked up, in a directory service that may hang
 * (feed.c, rule 11; resident/users.h).  The service and the clock are the test's.
 */
#include "feedrig.h"

#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "resident/users.h"

/* ---- the directory service ------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool hangs[100], knows[100];
static const char *called[100]; /* NULL: "nameUID" */
static atomic_uint asked[100];

int __wrap_getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t size,
		      struct passwd **ret);
int __wrap_getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t size,
		      struct passwd **ret)
{
	asked[uid]++;
	pthread_mutex_lock(&lock);
	while (hangs[uid])
		pthread_cond_wait(&cond, &lock);
	*ret = knows[uid] ? pw : NULL;
	pthread_mutex_unlock(&lock);
	if (called[uid])
		snprintf(buf, size, "%s", called[uid]);
	else
		snprintf(buf, size, "name%u", uid);
	pw->pw_name = buf;
	return 0;
}

static void set(bool *what, uint32_t uid, bool value)
{
	pthread_mutex_lock(&lock);
	what[uid] = value;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
}

static atomic_bool no_threads;

int __real_pthread_create(pthread_t *ret, const pthread_attr_t *attr,
			  void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attr,
			  void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attr,
			  void *(*fn)(void *), void *arg)
{
	return no_threads ? EAGAIN : __real_pthread_create(ret, attr, fn, arg);
}

/* CLOCK_MONOTONIC is the test's; deadlines are not waited for. */
static atomic_llong clock_us = 1000000;

int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	int64_t us = clock_us;

	(void)id;
	ts->tv_sec = (time_t)(us / 1000000);
	ts->tv_nsec = (long)(us % 1000000) * 1000;
	return 0;
}

static void pass_us(int64_t us)
{
	clock_us += us;
}

/* Until @n look-ups have ended, since the program began. */
static void ended(uint64_t n)
{
	for (int i = 0; i < 30000 && cs_users_answers() < n; i++)
		usleep(1000);
	assert_int_equal(cs_users_answers(), n);
}

/* ---- jobs ------------------------------------------------------------------- */

static struct cs_view_job *job_by(uint32_t id, uint32_t uid)
{
	struct cs_view_job *j = job(id);

	j->desc.uid = uid;
	((char *)(j + 1))[j->desc.text[CS_VIEW_USER]] = '\0';
	return j;
}

static struct cs_view_job *runs_by(uint32_t id, uint32_t uid, uint32_t node)
{
	struct cs_view_job *j = runs(id, node, T0);

	j->desc.uid = uid;
	((char *)(j + 1))[j->desc.text[CS_VIEW_USER]] = '\0';
	return j;
}

/* The name that job @id was fed with; "-": it is not fed. */
static const char *fed_as(uint32_t id)
{
	const struct cs_known_job *k = cs_known_find(&b->known, id);

	return k ? k->user : "-";
}

/* ---- tests ------------------------------------------------------------------ */

static void a_hanging_look_up_delays_only_its_user(void **state)
{
	(void)state;
	set(knows, 1, true);
	set(knows, 2, true);
	set(hangs, 1, true);
	snapshot();
	job_by(1, 1);
	job_by(2, 2);
	job(3); /* Slurm's record has the name */
	feed();
	assert_string_equal(fed_as(1), "-");
	assert_string_equal(fed_as(3), "u");
	ended(1);
	snapshot();
	job_by(1, 1);
	job_by(2, 2);
	job(3);
	assert_int_equal(feed(), 1);
	assert_string_equal(fed_as(1), "-");
	assert_string_equal(fed_as(2), "name2");
	assert_int_equal(b->unnamed.n, 1);
	assert_int_equal(b->unnamed.due_us, clock_us + CS_USERS_PATIENCE_US);

	pass_us(CS_USERS_PATIENCE_US - 1);
	snapshot();
	job_by(1, 1);
	job_by(2, 2);
	job(3);
	assert_int_equal(feed(), 0);
	pass_us(1);
	snapshot();
	job_by(1, 1);
	job_by(4, 1);
	job_by(2, 2);
	job(3);
	assert_int_equal(feed(), 2);
	assert_string_equal(fed_as(1), "1");
	assert_string_equal(fed_as(4), "1");
	assert_int_equal(b->unnamed.n, 0);
	assert_true(b->dirty);

	/* The name is there: for later jobs, not for these. */
	set(hangs, 1, false);
	ended(2);
	assert_int_equal(asked[1], 1);
	snapshot();
	job_by(1, 1)->desc.estimate_us = 60 * S;
	job_by(4, 1);
	job_by(5, 1);
	job_by(2, 2);
	job(3);
	assert_int_equal(feed(), 2);
	assert_string_equal(fed_as(1), "1");
	assert_string_equal(fed_as(4), "1");
	assert_string_equal(fed_as(5), "name1");
}

/* Of the test before: two names of user 1. */
static void names_are_compared_by_their_user(void **state)
{
	uint64_t n = cs_users_answers();

	(void)state;
	assert_true(cs_users_owns(1, "1"));
	assert_true(cs_users_owns(1, "name1"));
	assert_false(cs_users_owns(2, "name1"));
	assert_false(cs_users_owns(1, "name2"));
	assert_false(cs_users_owns(99, "u"));
	/* somebody is called as another one's number */
	called[50] = "1";
	set(knows, 50, true);
	cs_users_drop(cs_users_note(50, "1"));
	assert_false(cs_users_owns(1, "1"));
	assert_false(cs_users_owns(50, "1"));
	/* not even once that is known to be so: the last question asked */
	ended(n + 1);
	assert_false(cs_users_owns(1, "1"));
	assert_false(cs_users_owns(50, "1"));
}

static void the_name_of_an_account_created_anew_is_its_own(void **state)
{
	uint64_t n = cs_users_answers();

	(void)state;
	called[80] = called[81] = "bob";
	set(knows, 80, true);
	cs_users_drop(cs_users_note(80, "bob"));
	assert_true(cs_users_owns(80, "bob"));
	cs_users_drop(cs_users_name(80, &(int64_t){ 0 }));
	ended(n + 1);
	/* deleted, and created under another number: Slurm's record has the name */
	set(knows, 80, false);
	cs_users_drop(cs_users_note(81, "bob"));
	assert_false(cs_users_owns(81, "bob"));
	ended(n + 2); /* nobody has that name now */
	assert_false(cs_users_owns(81, "bob"));
	set(knows, 81, true);
	pass_us(61 * S);
	assert_false(cs_users_owns(81, "bob"));
	ended(n + 3);
	assert_true(cs_users_owns(81, "bob"));
	assert_false(cs_users_owns(80, "bob"));
}

/* Slurm splits a task off by itself: for a preemption, or an update of one task. */
static void a_task_has_the_name_of_its_array(void **state)
{
	uint64_t n = cs_users_answers();
	struct cs_view_job *j;

	(void)state;
	set(knows, 8, true);
	set(hangs, 8, true);
	for (int i = 0; i < 2; i++) {
		snapshot();
		j = job_by(10, 8);
		j->desc.array_id = 10;
		j->desc.tasks = 3;
		feed();
		pass_us(CS_USERS_PATIENCE_US);
	}
	assert_string_equal(fed_as(10), "8");
	set(hangs, 8, false);
	ended(n + 1);
	snapshot();
	j = job_by(10, 8);
	j->desc.array_id = 10;
	j->desc.tasks = 2;
	runs_by(11, 8, 2)->desc.array_id = 10;
	job_by(12, 8)->desc.array_id = 99;     /* another array */
	runs_by(13, 5, 3)->desc.array_id = 10; /* another user's */
	feed();
	assert_string_equal(fed_as(11), "8");
	assert_string_equal(fed_as(12), "name8");
	assert_string_equal(fed_as(13), "name5");
	restarted();
	snapshot();
	job_by(14, 8)->desc.array_id = 10; /* split off meanwhile */
	feed();
	assert_string_equal(fed_as(14), "8");
}

static void names_go_some_days_after_their_jobs(void **state)
{
	char text[4096];

	(void)state;
	snapshot();
	job_by(1, 90); /* unknown to the service */
	feed();
	pass_us(CS_USERS_PATIENCE_US);
	snapshot();
	job_by(1, 90);
	feed();
	assert_string_equal(fed_as(1), "90");
	cs_users_drop(cs_users_note(91, "other"));
	pass_us(8 * 24 * 3600 * S);
	cs_users_drop(cs_users_note(92, "new"));
	cs_users_print(text, sizeof(text));
	assert_contains(text, "user 90 90\n"); /* it waits still */
	assert_contains(text, "user 92 new\n");
	assert_null(strstr(text, "other"));
	snapshot();
	feed(); /* it is gone */
	pass_us(6 * 24 * 3600 * S);
	cs_users_drop(cs_users_note(93, "newer"));
	cs_users_print(text, sizeof(text));
	assert_contains(text, "user 90 90\n");
	pass_us(24 * 3600 * S);
	cs_users_drop(cs_users_note(94, "newest"));
	cs_users_print(text, sizeof(text));
	assert_null(strstr(text, "90"));
	assert_contains(text, "user 94 newest\n");
}

static void a_look_up_without_a_thread_is_tried_again(void **state)
{
	uint64_t n = cs_users_answers();

	(void)state;
	set(knows, 7, true);
	no_threads = true;
	snapshot();
	job_by(1, 7);
	feed();
	assert_string_equal(fed_as(1), "-");
	pass_us(CS_USERS_PATIENCE_US);
	snapshot();
	job_by(1, 7);
	feed();
	assert_string_equal(fed_as(1), "7");
	no_threads = false;
	snapshot();
	job_by(1, 7);
	job_by(2, 7);
	feed();
	assert_string_equal(fed_as(2), "7");
	ended(n + 1);
	snapshot();
	job_by(1, 7);
	job_by(2, 7);
	job_by(3, 7);
	feed();
	assert_string_equal(fed_as(3), "name7");
}

static void what_failed_is_looked_up_again_later(void **state)
{
	uint64_t n = cs_users_answers();

	(void)state;
	snapshot();
	job_by(1, 3);
	feed();
	ended(n + 1);
	snapshot();
	job_by(1, 3);
	assert_int_equal(feed(), 1);
	assert_string_equal(fed_as(1), "3");
	set(knows, 3, true);
	pass_us(59 * S);
	snapshot();
	job_by(1, 3);
	job_by(2, 3);
	feed();
	assert_string_equal(fed_as(2), "3");
	assert_int_equal(asked[3], 1);
	pass_us(2 * S);
	snapshot();
	job_by(1, 3);
	job_by(2, 3);
	job_by(3, 3);
	feed();
	assert_string_equal(fed_as(3), "-");
	ended(n + 2);
	snapshot();
	job_by(1, 3);
	job_by(2, 3);
	job_by(3, 3);
	feed();
	assert_string_equal(fed_as(1), "3");
	assert_string_equal(fed_as(3), "name3");
}

static void a_running_job_keeps_its_nodes_until_it_has_a_name(void **state)
{
	uint64_t n = cs_users_answers();

	(void)state;
	set(knows, 4, true);
	set(hangs, 4, true);
	snapshot();
	runs_by(1, 4, 2);
	assert_int_equal(feed(), 1); /* the reservation */
	assert_string_equal(fed_as(1), "-");
	assert_int_equal(b->told.haunted[0], 1 << 2);
	assert_int_equal(stats().running, 0);
	set(hangs, 4, false);
	ended(n + 1);
	snapshot();
	runs_by(1, 4, 2);
	feed();
	assert_string_equal(fed_as(1), "name4");
	assert_int_equal(stats().running, 1);
	assert_int_equal(b->told.haunted[0], 0);
}

static void a_restart_finds_the_names(void **state)
{
	uint64_t n = cs_users_answers();
	size_t len;
	char *saved;

	(void)state;
	set(knows, 5, true);
	set(hangs, 5, true);
	snapshot();
	job_by(1, 5);
	job_by(2, 2); /* known since the first test */
	feed();
	pass_us(CS_USERS_PATIENCE_US);
	snapshot();
	job_by(1, 5);
	job_by(2, 2);
	feed();
	assert_string_equal(fed_as(1), "5");
	saved = cs_checkpoint_save(b, &len);
	assert_non_null(saved);
	assert_int_equal(strlen(saved), len);
	assert_contains(saved, "\nuser 2 name2\n");
	assert_contains(saved, "\nuser 5 5\n");
	assert_contains(saved, "\nnamed 1 5 5\n");
	assert_null(strstr(saved, "named 2 "));
	set(hangs, 5, false);
	ended(n + 1);

	teardown(NULL);
	setup(NULL);
	cs_checkpoint_read(b, saved, len);
	snapshot();
	job_by(1, 5);
	job_by(2, 2);
	job_by(3, 5);
	feed();
	assert_string_equal(fed_as(1), "5");
	assert_string_equal(fed_as(2), "name2");
	assert_string_equal(fed_as(3), "name5");
	free(saved);

	/* a user that this process never looked up, and lines that are none */
	teardown(NULL);
	setup(NULL);
	saved = strdup("cosched 1\nuser 60 of old\nuser x\nuser 5\nnamed 9\n"
		       "named 9 60 60\nnamed 8 x y\nuser 61 \n");
	cs_checkpoint_read(b, saved, strlen(saved));
	free(saved);
	snapshot();
	job_by(9, 60);
	job_by(8, 60);
	feed();
	assert_string_equal(fed_as(9), "60");
	assert_string_equal(fed_as(8), "of old");
}

/* An older state has no names: the jobs of the first snapshot have none, either. */
static void a_run_is_found_again_once_it_has_a_name(void **state)
{
	char saved[256];

	(void)state;
	set(knows, 6, true);
	set(hangs, 6, true);
	snprintf(saved, sizeof(saved),
		 "cosched 1\n"
		 "job 1 %lld 0 0 0 0 300000000 0 %lld 1200000 5 65535 0\n"
		 "job 2 %lld 0 0 0 0 300000000 0 %lld 1200000 5 65535 0\n",
		 (long long)T0, (long long)T0, (long long)T0, (long long)T0);
	cs_checkpoint_read(b, saved, strlen(saved));
	snapshot();
	runs_by(1, 6, 2);
	job_by(2, 6);
	feed();
	assert_string_equal(fed_as(1), "-");
	set(hangs, 6, false);
	for (int i = 0; i < 30000 && !cs_users_known(6); i++)
		usleep(1000);
	snapshot();
	runs_by(1, 6, 2);
	job_by(2, 6);
	feed();
	assert_string_equal(fed_as(1), "name6");
	assert_int_equal(cs_known_find(&b->known, 1)->raised_from, 5);
	/* its start was lost: held like those that had a name */
	assert_true(cs_known_find(&b->known, 2)->lost_us > b->now_us);
}

static void a_rebuild_takes_the_names_over(void **state)
{
	uint64_t n = cs_users_answers();
	struct cs_adapter *before;

	(void)state;
	snapshot();
	job_by(1, 70); /* unknown to the service */
	feed();
	ended(n + 1);
	pass_us(CS_USERS_PATIENCE_US);
	snapshot();
	job_by(1, 70);
	feed();
	assert_string_equal(fed_as(1), "70");
	cs_users_drop(cs_users_note(70, "late"));
	before = b;
	setup(NULL);
	assert_int_equal(cs_checkpoint_take_names(b, before), 0);
	snapshot();
	job_by(1, 70);
	job_by(2, 70);
	feed();
	assert_string_equal(fed_as(1), "70");
	assert_string_equal(fed_as(2), "late");
	teardown(NULL);
	b = before;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_hanging_look_up_delays_only_its_user),
		TEST(names_are_compared_by_their_user),
		TEST(the_name_of_an_account_created_anew_is_its_own),
		TEST(what_failed_is_looked_up_again_later),
		TEST(a_running_job_keeps_its_nodes_until_it_has_a_name),
		TEST(a_restart_finds_the_names),
		TEST(a_run_is_found_again_once_it_has_a_name),
		TEST(a_rebuild_takes_the_names_over),
		TEST(a_look_up_without_a_thread_is_tried_again),
		TEST(a_task_has_the_name_of_its_array),
		TEST(names_go_some_days_after_their_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
