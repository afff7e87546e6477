/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks in processes of their own. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cs_test.h"

#include "sim/parallel.h"

#define LARGE 300000 /* bytes: more than a pipe holds */

struct bench {
	size_t begun, taken, bad; /* bad: task that goes wrong */
	enum { FAILS, DIES, EXITS, REFUSED } how;
	int made; /* by begin() */
	char got[64];
};

static int begin(void *arg, size_t task, struct cs_err *err)
{
	struct bench *b = arg;

	(void)err;
	assert_int_equal(task, b->begun);
	b->begun++;
	b->made = (int)task * 7;
	return 0;
}

static int work(void *arg, size_t task, FILE *out, struct cs_err *err)
{
	struct bench *b = arg;

	for (size_t i = 0; i < LARGE; i++)
		putc((int)(task + (size_t)b->made) & 0x7f, out);
	if (task != b->bad || b->how == REFUSED)
		return 0;
	if (b->how == FAILS)
		return cs_err_set(err, -EDOM, "task %zu is wrong", task);
	if (b->how == DIES)
		raise(SIGKILL);
	_exit(7);
}

static int take(void *arg, size_t task, const void *data, size_t size,
		struct cs_err *err)
{
	struct bench *b = arg;
	const unsigned char *p = data;

	assert_int_equal(size, LARGE);
	assert_int_equal(p[0], (8 * task) & 0x7f);
	assert_int_equal(p[LARGE - 1], (8 * task) & 0x7f);
	b->taken++;
	b->got[task]++;
	return task == b->bad && b->how == REFUSED
		       ? cs_err_set(err, -ERANGE, "not liked")
		       : 0;
}

static int run(struct bench *b, size_t n, size_t width, struct cs_err *err)
{
	struct cs_parallel p = { n, width, b, begin, work, take };

	return cs_parallel(&p, err);
}

static void every_task_once(void **state)
{
	static const size_t width[] = { 1, 2, 5, 64 };

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct bench b = { .bad = 99 };
		struct cs_err err = { "" };

		assert_int_equal(run(&b, 20, width[k], &err), 0);
		assert_int_equal(b.taken, 20);
		for (size_t i = 0; i < 20; i++)
			assert_int_equal(b.got[i], 1);
	}
}

static void what_goes_wrong_is_told(void **state)
{
	static const struct {
		int how, rc;
		const char *text;
	} row[] = {
		{ FAILS, -EINVAL, "task 3 is wrong" },
		{ DIES, -EIO, "a simulation was killed by signal 9" },
		{ EXITS, -EIO, "a simulation came to nothing" },
		{ REFUSED, -ERANGE, "not liked" },
	};

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct bench b = { .bad = 3, .how = (unsigned)row[k].how };
		struct cs_err err = { "" };

		assert_int_equal(run(&b, 20, 2, &err), row[k].rc);
		assert_string_equal(err.text, row[k].text);
		assert_true(b.taken < 20 || row[k].how == REFUSED);
		/* no process is left */
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}
}

static void no_task(void **state)
{
	struct bench b = { .bad = 99 };

	(void)state;
	assert_int_equal(run(&b, 0, 3, NULL), 0);
	assert_int_equal(b.begun, 0);
	assert_true(cs_parallel_cores() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_task_once),
		cmocka_unit_test(what_goes_wrong_is_told),
		cmocka_unit_test(no_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
