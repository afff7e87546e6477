/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log as a file (src/plugins/sched/store/log_file.c), in a folder of its own.
 */
#include "cs_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sched/store/log_file.h"

#define HEAD "{\"ev\":\"header\"}\n"

static char dir[] = "/tmp/cosched-test.XXXXXX";
static char path[64], old[64];
static struct cs_logfile *l;
static char said[512];
static unsigned n_said;

static void put(const char *lines)
{
	cs_logfile_write(l, lines, strlen(lines));
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
	l = cs_logfile_create(path, 1, 1, &owner, &err);
	assert_non_null(l);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cs_logfile_free(l);
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
	cs_logfile_ready(l, 0);
	put("two\n");
	assert_holds(path, HEAD "one\n" HEAD "two\n");
}

static void held_lines_come_at_the_release_in_order(void **state)
{
	(void)state;
	cs_logfile_ready(l, 0);
	put("one\n");
	cs_logfile_hold(l);
	put("two\n");
	put("three\n");
	assert_holds(path, HEAD "one\n");
	cs_logfile_release(l);
	assert_holds(path, HEAD "one\ntwo\nthree\n");
	put("four\n");
	cs_logfile_release(l);
	assert_holds(path, HEAD "one\ntwo\nthree\nfour\n");
	cs_logfile_hold(NULL);
	cs_logfile_release(NULL);
}

static void what_is_held_at_the_end_is_written(void **state)
{
	(void)state;
	cs_logfile_ready(l, 0);
	cs_logfile_hold(l);
	put("last\n");
	cs_logfile_free(l);
	l = NULL;
	assert_holds(path, HEAD "last\n");
}

static void too_many_held_lines_start_the_log_afresh(void **state)
{
	size_t len = CS_LOGFILE_HELD_MAX;
	char *big = malloc(len);

	(void)state;
	assert_non_null(big);
	memset(big, 'x', len);
	big[len - 1] = '\n';
	cs_logfile_ready(l, 0);
	cs_logfile_hold(l);
	put("first\n");
	cs_logfile_write(l, big, len);
	put("behind the gap\n");
	assert_int_equal(n_said, 0);
	cs_logfile_release(l);
	assert_int_equal(n_said, 1);
	assert_contains(said, "lost");
	put("while it is closed\n");
	cs_logfile_ready(l, 0);
	put("again\n");
	assert_holds(path, HEAD "first\n" HEAD "again\n");
	free(big);
}

static void who_opens_it_knows_what_came_before(void **state)
{
	(void)state;
	cs_logfile_ready(l, 0);
	assert_null(after);
	put("one\n");
	cs_logfile_close(l);
	cs_logfile_ready(l, 0);
	assert_string_equal(after, "rotation");
	cs_logfile_close(l);
	put("dropped\n");
	cs_logfile_ready(l, 0);
	assert_string_equal(after, "loss");
	cs_logfile_close(l);
	cs_logfile_ready(l, 0);
	assert_string_equal(after, "rotation");
}

static void a_full_disk_leaves_whole_lines(void **state)
{
	struct rlimit was, low = { 16, 16 };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	low.rlim_max = was.rlim_max;
	cs_logfile_ready(l, 0);
	cs_logfile_hold(l);
	put("one\n");
	put("a line that is too long\n");
	setrlimit(RLIMIT_FSIZE, &low);
	cs_logfile_release(l);
	setrlimit(RLIMIT_FSIZE, &was);
	assert_int_equal(n_said, 1);
	assert_contains(cs_logfile_trouble(l), "cannot write");
	assert_holds(path, HEAD);
	cs_logfile_ready(l, 1);
	assert_holds(path, HEAD);
	cs_logfile_ready(l, 61);
	assert_string_equal(cs_logfile_trouble(l), "");
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
	cs_logfile_ready(l, 0);
	cs_logfile_write(l, big, len);
	cs_logfile_ready(l, 0);
	put("new\n");
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
		cs_logfile_ready(l, 100 * (int64_t)i);
		put("dropped\n");
		assert_holds(path, text[i]);
		assert_non_null(strstr(said, "somebody's file"));
	}
	assert_int_equal(n_said, 1);
	unlink(path);
	cs_logfile_ready(l, 1000);
	put("one\n");
	assert_holds(path, HEAD "one\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_opening_cuts_a_half_line_and_writes_a_header),
		TEST(held_lines_come_at_the_release_in_order),
		TEST(what_is_held_at_the_end_is_written),
		TEST(too_many_held_lines_start_the_log_afresh),
		TEST(who_opens_it_knows_what_came_before),
		TEST(a_full_disk_leaves_whole_lines),
		TEST(a_large_file_is_rotated),
		TEST(a_file_of_somebody_else_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
