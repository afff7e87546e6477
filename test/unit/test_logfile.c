/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log as a file (src/plugins/sched/store/log_file.c), in a folder of its own.
 */
#include "cs_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/store/log_file.h"

/* ---- a disk that hangs ------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool hangs;

ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
	pthread_mutex_lock(&lock);
	while (hangs)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return __real_write(fd, buf, n);
}

static void hang(bool value)
{
	pthread_mutex_lock(&lock);
	hangs = value;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
}

/* ---- a log --------------------------------------------------------------------- */

#define HEAD "{\"ev\":\"header\"}\n"

static char dir[] = "/tmp/cosched-test.XXXXXX";
static char path[64], old[64];
static struct cs_logfile *l;
static char said[512];
static unsigned n_said;
static int64_t now_s; /* of the last cycle */

static void put(const char *lines)
{
	cs_logfile_write(l, lines, strlen(lines));
}

/* Until all is in the file. */
static void finish(void)
{
	cs_logfile_flush(l);
	assert_true(cs_logfile_finish(INT64_C(60000000)));
}

/* As the next cycle does, @now_s. */
static void ready(int64_t at_s)
{
	now_s = at_s;
	cs_logfile_ready(l, now_s);
	finish();
	cs_logfile_ready(l, now_s); /* on a busy machine it is open only now */
	finish();
}

static const char *after;

static void on_opened(void *arg, struct cs_logfile *log)
{
	(void)arg;
	after = cs_logfile_after(log);
	cs_logfile_write(log, HEAD, strlen(HEAD));
}

static void on_said(void *arg, const char *text)
{
	(void)arg;
	n_said++;
	snprintf(said, sizeof(said), "%s", text);
}

static void assert_holds(const char *file, const char *want)
{
	char text[4096];
	FILE *f = fopen(file, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	assert_string_equal(text, want);
}

static int setup(void **state)
{
	const struct cs_logfile_owner owner = { NULL, on_opened, on_said };
	struct cs_err err;

	(void)state;
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/log", dir);
	snprintf(old, sizeof(old), "%s/log.1", dir);
	n_said = 0;
	now_s = 0;
	l = cs_logfile_create(path, 1, 1, &owner, &err);
	assert_non_null(l);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cs_logfile_free(l);
	assert_true(cs_logfile_finish(INT64_C(60000000)));
	unlink(path);
	unlink(old);
	assert_int_equal(rmdir(dir), 0);
	return 0;
}

static void an_opening_cuts_a_half_line_and_writes_a_header(void **state)
{
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	fputs(HEAD "one\nhal", f);
	fclose(f);
	put("dropped\n"); /* not open yet */
	ready(0);
	put("two\n");
	finish();
	assert_holds(path, HEAD "one\n" HEAD "two\n");
}

static void lines_come_at_the_flush_in_order(void **state)
{
	(void)state;
	ready(0);
	put("one\n");
	put("two\n");
	assert_holds(path, HEAD);
	finish();
	assert_holds(path, HEAD "one\ntwo\n");
	put("three\n");
	finish();
	assert_holds(path, HEAD "one\ntwo\nthree\n");
	cs_logfile_flush(NULL);
}

static void what_is_left_at_the_end_is_written(void **state)
{
	(void)state;
	ready(0);
	put("last\n");
	cs_logfile_free(l);
	l = NULL;
	assert_true(cs_logfile_finish(INT64_C(60000000)));
	assert_holds(path, HEAD "last\n");
}

/* While the disk hangs no call waits for it; then all is there. */
/* Looks for a renamed file; the log's thread alone counts. */
static unsigned n_looks;
int __real_stat(const char *name, struct stat *ret);
int __wrap_stat(const char *name, struct stat *ret);
int __wrap_stat(const char *name, struct stat *ret)
{
	n_looks++;
	return __real_stat(name, ret);
}

static void a_disk_that_hangs_keeps_nobody_waiting(void **state)
{
	unsigned before;

	(void)state;
	ready(0);
	finish();
	before = n_looks;
	hang(true);
	put("one\n");
	cs_logfile_flush(l);
	for (int64_t s = 1; s < 20; s++) {
		cs_logfile_ready(l, s);
		put("more\n");
		cs_logfile_flush(l);
	}
	assert_holds(path, HEAD);
	assert_false(cs_logfile_finish(1000));
	assert_string_equal(cs_logfile_trouble(l, now_s), ""); /* not for 5 s */
	hang(false);
	finish();
	assert_holds(
		path, HEAD
		"one\n"
		"more\nmore\nmore\nmore\nmore\nmore\nmore\nmore\nmore\nmore\n"
		"more\nmore\nmore\nmore\nmore\nmore\nmore\nmore\nmore\n");
	assert_int_equal(n_said, 0);
	assert_int_equal(n_looks - before, 1); /* not one a second */
}

static void more_than_fits_starts_the_log_afresh(void **state)
{
	size_t len = CS_LOGFILE_WAITING_MAX;
	char *big = malloc(len);

	(void)state;
	assert_non_null(big);
	memset(big, 'x', len);
	big[len - 1] = '\n';
	ready(0);
	hang(true);
	put("first\n");
	cs_logfile_flush(l);
	assert_int_equal(n_said, 0);
	cs_logfile_write(l, big, len);
	put("behind the gap\n");
	assert_int_equal(n_said, 1);
	assert_contains(said, "it hangs");
	cs_logfile_ready(l, 0);
	put("while it is closed\n");
	assert_contains(cs_logfile_trouble(l, now_s), "3 so far");
	assert_int_equal(n_said, 1);
	hang(false);
	finish();
	ready(0);
	assert_string_equal(after, "loss");
	assert_contains(said, "written again, 3 lines are missing");
	assert_string_equal(cs_logfile_trouble(l, now_s), "");
	put("again\n");
	finish();
	assert_holds(path, HEAD "first\n" HEAD "again\n");
	free(big);
}

/* As by logrotate: the file is renamed, or removed. */
static void a_file_that_is_gone_is_opened_anew(void **state)
{
	(void)state;
	ready(0);
	assert_null(after);
	put("one\n");
	finish();
	assert_int_equal(rename(path, old), 0);
	put("two\n"); /* not noticed yet */
	finish();
	ready(1);
	put("three\n");
	finish();
	assert_string_equal(after, "rotation");
	assert_holds(old, HEAD "one\ntwo\n");
	assert_holds(path, HEAD "three\n");
	unlink(path);
	put("nobody reads this\n");
	finish();
	ready(2);
	put("four\n");
	finish();
	assert_string_equal(after, "loss");
	assert_holds(path, HEAD "four\n");
	ready(3);
	assert_holds(path, HEAD "four\n");
	/* renamed, and compressed at once */
	assert_int_equal(rename(path, old), 0);
	unlink(old);
	put("nor this\n");
	finish();
	ready(4);
	finish();
	assert_string_equal(after, "loss");
	/* that is over */
	assert_int_equal(rename(path, old), 0);
	ready(5);
	finish();
	assert_string_equal(after, "rotation");
	assert_int_equal(n_said, 0);
}

/* As by logrotate's copytruncate. */
static void a_file_that_was_truncated_begins_anew(void **state)
{
	(void)state;
	ready(0);
	put("{\"t\":1,\"ev\":\"one\"}\n");
	finish();
	assert_int_equal(truncate(path, 0), 0);
	put("{\"t\":1,\"ev\":\"lost\"}\n");
	finish();
	assert_holds(path, "");
	ready(0);
	assert_string_equal(after, "loss");
	put("two\n");
	finish();
	assert_holds(path, HEAD "two\n");
	assert_int_equal(n_said, 1);
	assert_contains(said, "another program truncated it");
	assert_contains(said, "rename and scontrol reconfigure");
	assert_string_equal(cs_logfile_trouble(l, now_s), "");
}

/* ... and lines came between our look and the cut: they have no header. */
static void a_head_that_was_cut_off_is_no_obstacle(void **state)
{
	FILE *f;

	(void)state;
	ready(0);
	put("{\"t\":1,\"ev\":\"one\"}\n");
	finish();
	f = fopen(path, "w");
	fputs("{\"t\":1,\"ev\":\"two\"}\n", f);
	fclose(f);
	put("{\"t\":1,\"ev\":\"lost\"}\n");
	finish();
	ready(0);
	put("three\n");
	finish();
	assert_holds(path, HEAD "three\n");
	assert_string_equal(cs_logfile_trouble(l, now_s), "");
	/* what another program wrote there stays */
	f = fopen(path, "w");
	fputs("mine\n", f);
	fclose(f);
	put("{\"t\":1,\"ev\":\"lost\"}\n");
	finish();
	ready(0);
	assert_holds(path, "mine\n");
	assert_contains(cs_logfile_trouble(l, now_s), "no copytruncate");
}

static void a_full_disk_leaves_whole_lines(void **state)
{
	struct rlimit was, low = { 16, 16 };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	low.rlim_max = was.rlim_max;
	ready(0);
	put("one\n");
	put("a line that is too long\n");
	setrlimit(RLIMIT_FSIZE, &low);
	finish();
	setrlimit(RLIMIT_FSIZE, &was);
	assert_contains(cs_logfile_trouble(l, now_s), "cannot write");
	assert_contains(cs_logfile_trouble(l, 0), "next try in 60 s");
	assert_int_equal(n_said, 1);
	assert_contains(said, "next try in 60 s");
	assert_holds(path, HEAD);
	ready(1);
	assert_contains(cs_logfile_trouble(l, 41), "next try in 19 s");
	assert_contains(cs_logfile_trouble(l, 60),
			"next try at the next event");
	assert_holds(path, HEAD);
	ready(61);
	assert_string_equal(cs_logfile_trouble(l, now_s), "");
	assert_string_equal(after, "loss");
	assert_holds(path, HEAD HEAD);
}

static void a_large_file_is_rotated(void **state)
{
	size_t len = 1024 * 1024;
	char *big = malloc(len);

	(void)state;
	assert_non_null(big);
	memset(big, 'x', len);
	big[len - 1] = '\n';
	ready(0);
	cs_logfile_write(l, big, len);
	ready(0);
	put("new\n");
	finish();
	assert_string_equal(after, "rotation");
	assert_holds(path, HEAD "new\n");
	assert_int_equal(access(old, F_OK), 0);
	free(big);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void a_file_of_somebody_else_is_left_alone(void **state)
{
	static const char *const text[] = {
		"my notes\n",
		"x",
		"{\"ev\":\"head",
		"{\"ev\": \"header\"}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		FILE *f = fopen(path, "w");

		fputs(text[i], f);
		fclose(f);
		ready(100 * (int64_t)i);
		put("dropped\n");
		finish();
		assert_holds(path, text[i]);
		assert_non_null(strstr(said, "somebody's file"));
	}
	assert_int_equal(n_said, 1);
	unlink(path);
	ready(1000);
	put("one\n");
	finish();
	assert_holds(path, HEAD "one\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_opening_cuts_a_half_line_and_writes_a_header),
		TEST(lines_come_at_the_flush_in_order),
		TEST(what_is_left_at_the_end_is_written),
		TEST(a_disk_that_hangs_keeps_nobody_waiting),
		TEST(more_than_fits_starts_the_log_afresh),
		TEST(a_file_that_is_gone_is_opened_anew),
		TEST(a_file_that_was_truncated_begins_anew),
		TEST(a_head_that_was_cut_off_is_no_obstacle),
		TEST(a_full_disk_leaves_whole_lines),
		TEST(a_large_file_is_rotated),
		TEST(a_file_of_somebody_else_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
