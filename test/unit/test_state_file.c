/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our state files (src/plugins/sched/store/state_file.c), in a folder of their own, on a
 * disk that may hang.
 */
#include "cs_test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/gate.h"
#include "sched/store/state_file.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool hangs;
static unsigned in_fsync; /* times begun */

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	pthread_mutex_lock(&lock);
	in_fsync++;
	pthread_cond_broadcast(&cond);
	while (hangs)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return __real_fsync(fd);
}

static void hang(bool value)
{
	pthread_mutex_lock(&lock);
	hangs = value;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
}

/* Until a write is under way. */
static void hung(unsigned before)
{
	pthread_mutex_lock(&lock);
	while (in_fsync == before)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
}

static unsigned syncs(void)
{
	unsigned n;

	pthread_mutex_lock(&lock);
	n = in_fsync;
	pthread_mutex_unlock(&lock);
	return n;
}

#define LONG_US INT64_C(60000000)

static char dir[] = "/tmp/cosched-test.XXXXXX";

static void put(const char *name, const char *text)
{
	cs_state_file_put(dir, name, strdup(text), strlen(text));
}

static void finish(void)
{
	assert_true(cs_state_file_wait(LONG_US));
}

static void assert_is(int (*load)(const char *, const char *, char **, size_t *,
				  struct cs_err *),
		      const char *name, const char *want)
{
	struct cs_err err = { "" };
	char *data = NULL;
	size_t len;
	int rc = load(dir, name, &data, &len, &err);

	if (!want) {
		assert_int_equal(rc, -ENOENT);
		return;
	}
	if (rc)
		fail_msg("%s: %s", name, err.text);
	assert_int_equal(len, strlen(want));
	assert_string_equal(data, want);
	free(data);
}

static void assert_reads(const char *name, const char *want)
{
	assert_is(cs_state_file_read, name, want);
}

static void assert_loads(const char *name, const char *want)
{
	assert_is(cs_state_file_load, name, want);
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	assert_true(cs_state_file_end(LONG_US));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void what_is_put_is_on_disk_soon(void **state)
{
	struct cs_err err;
	unsigned n;

	(void)state;
	assert_loads("a", NULL);
	put("a", "one\n");
	assert_loads("a", "one\n");
	finish();
	assert_reads("a", "one\n");
	assert_int_equal(cs_state_file_result(dir, "a", &err), 0);
	n = syncs();
	put("a", "one\n"); /* it is so already */
	finish();
	assert_int_equal(syncs(), n);
	put("a", "two\n");
	finish();
	assert_reads("a", "two\n");
	cs_state_file_remove(dir, "a");
	assert_loads("a", NULL);
	finish();
	assert_reads("a", NULL);
	cs_state_file_remove(dir, "never there");
	finish();
	assert_int_equal(cs_state_file_result(dir, "never there", &err), 0);
}

static void while_the_disk_hangs_the_newest_waits(void **state)
{
	unsigned n = syncs();

	(void)state;
	hang(true);
	put("a", "one");
	hung(n);
	put("a", "two");
	put("b", "other");
	put("a", "three");
	assert_false(cs_state_file_wait(1000));
	assert_true(cs_state_file_hangs_us() > 0);
	assert_loads("a", "three");
	assert_reads("a", NULL);
	n = syncs();
	hang(false);
	finish();
	/* file and folder of "one", then of "three" and "other" */
	assert_int_equal(syncs() - n, 1 + 2 * 2);
	assert_reads("a", "three");
	assert_reads("b", "other");
	assert_int_equal(cs_state_file_hangs_us(), 0);
}

static void what_has_not_begun_at_the_end_is_not_written(void **state)
{
	unsigned n = syncs();

	(void)state;
	hang(true);
	put("a", "begun");
	hung(n);
	put("b", "too late");
	assert_false(cs_state_file_end(1000));
	hang(false);
	finish();
	assert_reads("a", "begun");
	assert_reads("b", NULL);
	put("b", "too late"); /* nothing is known of before */
	finish();
	assert_reads("b", "too late");
}

static void a_replaced_file_stays_as_the_one_before(void **state)
{
	(void)state;
	cs_state_file_replace(dir, "a", strdup("one"), 3);
	finish();
	cs_state_file_replace(dir, "a", strdup("two"), 3);
	finish();
	assert_reads("a", "two");
	assert_reads("a" CS_STATE_BEFORE, "one");
	/* set aside, in order with what is put after it */
	cs_state_file_set_aside(dir, "a", "kept", ".7");
	assert_loads("a", NULL);
	cs_state_file_replace(dir, "a", strdup("new"), 3);
	finish();
	assert_reads("a", "new");
	assert_reads("kept.7", "two");
	assert_reads("a" CS_STATE_BEFORE, "one");
}

static void an_error_is_told_and_the_next_put_tries_again(void **state)
{
	struct cs_err err = { "" };
	char blocked[64];

	(void)state;
	snprintf(blocked, sizeof(blocked), "%s/a.new", dir);
	assert_int_equal(mkdir(blocked, 0700), 0); /* in its way */
	put("a", "one");
	finish();
	assert_int_equal(cs_state_file_result(dir, "a", &err), -EISDIR);
	assert_contains(err.text, "cannot write");
	assert_int_equal(rmdir(blocked), 0);
	put("a", "one");
	finish();
	assert_int_equal(cs_state_file_result(dir, "a", &err), 0);
	assert_reads("a", "one");
}

/* Without another put: after 5 s, then 10 s. */
static void what_failed_is_tried_again_when_it_is_due(void **state)
{
	const int64_t s = 1000000;
	int64_t before_us = cs_gate_now_us(), after_us;
	struct cs_err err = { "" };
	char blocked[64];

	(void)state;
	snprintf(blocked, sizeof(blocked), "%s/a.new", dir);
	assert_int_equal(mkdir(blocked, 0700), 0); /* in its way */
	put("a", "one");
	put("b", "other");
	finish();
	after_us = cs_gate_now_us();
	assert_int_equal(rmdir(blocked), 0);
	cs_state_file_again(before_us + 5 * s - 1);
	finish();
	assert_int_equal(cs_state_file_result(dir, "a", &err), -EISDIR);
	assert_reads("a", NULL);
	assert_int_equal(mkdir(blocked, 0700), 0);
	before_us = cs_gate_now_us();
	cs_state_file_again(after_us + 5 * s);
	finish();
	after_us = cs_gate_now_us();
	assert_int_equal(rmdir(blocked), 0);
	cs_state_file_again(before_us + 10 * s - 1);
	finish();
	assert_reads("a", NULL);
	cs_state_file_again(after_us + 10 * s);
	finish();
	assert_int_equal(cs_state_file_result(dir, "a", &err), 0);
	assert_reads("a", "one");
	assert_reads("b", "other");
	/* what is forgotten is not written */
	assert_int_equal(mkdir(blocked, 0700), 0);
	put("a", "two");
	assert_true(cs_state_file_end(LONG_US));
	assert_int_equal(rmdir(blocked), 0);
	cs_state_file_again(cs_gate_now_us() + 1000 * s);
	finish();
	assert_reads("a", "one");
}

/* A file of the time when the sum was made bit by bit. */
static void an_old_file_is_read(void **state)
{
	static const char text[] =
		"cosched-state 1 9 cbf43926\n123456789"; /* CRC-32's check */
	char path[64], *data;
	struct cs_err err;
	size_t len;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/a", dir);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
	assert_loads("a", "123456789");
	f = fopen(path, "w");
	fputs("cosched-state 1 9 cbf43927\n123456789", f);
	fclose(f);
	assert_int_equal(cs_state_file_read(dir, "a", &data, &len, &err),
			 -EBADMSG);
	assert_reads("a", NULL); /* it is a.bad now */
	/* loaded once, it is known */
	assert_loads("a", "123456789");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_put_is_on_disk_soon),
		TEST(while_the_disk_hangs_the_newest_waits),
		TEST(what_has_not_begun_at_the_end_is_not_written),
		TEST(a_replaced_file_stays_as_the_one_before),
		TEST(an_error_is_told_and_the_next_put_tries_again),
		TEST(what_failed_is_tried_again_when_it_is_due),
		TEST(an_old_file_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
