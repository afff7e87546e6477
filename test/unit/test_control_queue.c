/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The desk: who asks for the status is never told an older one than before. */
#include "cs_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "gate/gate.h"
#include "sched/control/control_queue.h"

#define WAIT_US 10000000
#define SHORT_US 20000

static int set_up(void **state)
{
	(void)state;
	cs_control_queue_reset();
	return 0;
}

struct asker {
	pthread_t thread;
	struct cs_ask ask;
	int64_t wait_us;
	atomic_bool left;
	char *got;
};

static void *put(void *arg)
{
	struct asker *a = arg;

	a->got = cs_control_queue_ask(&a->ask, cs_gate_now_us() + a->wait_us);
	atomic_store(&a->left, true);
	return NULL;
}

/* A question is put and taken.  False: the asker left before. */
static bool put_and_taken(struct asker *a, struct cs_ask *ret)
{
	bool left = false;

	atomic_store(&a->left, false);
	assert_int_equal(pthread_create(&a->thread, NULL, put, a), 0);
	while (!cs_control_queue_take(ret)) {
		if (left) {
			pthread_join(a->thread, NULL);
			assert_null(a->got);
			return false;
		}
		left = atomic_load(&a->left);
		sched_yield();
	}
	return true;
}

/* On a busy machine it may be late: then one that waits longer is put. */
static void begin(struct asker *a, enum cs_ask_cmd cmd, int64_t wait_us)
{
	struct cs_ask taken;

	*a = (struct asker){ .ask.cmd = cmd, .wait_us = wait_us };
	while (!put_and_taken(a, &taken))
		a->wait_us *= 2;
	assert_int_equal(taken.cmd, cmd);
}

static void end(struct asker *a, const char *want)
{
	pthread_join(a->thread, NULL);
	if (want)
		assert_string_equal(a->got, want);
	else
		assert_null(a->got);
	free(a->got);
}

static void assert_published(const char *want)
{
	int64_t age_us;
	char *text = cs_control_queue_published(&age_us);

	assert_string_equal(text, want);
	free(text);
}

static void an_answered_status_is_published(void **state)
{
	struct asker a;

	(void)state;
	cs_control_queue_publish(strdup("cycle 1"));
	begin(&a, CS_ASK_STATUS, WAIT_US);
	cs_control_queue_answer(strdup("cycle 2"));
	end(&a, "cycle 2");
	assert_published("cycle 2");
}

static void so_is_one_whose_asker_has_left(void **state)
{
	struct asker a;

	(void)state;
	cs_control_queue_publish(strdup("cycle 1"));
	begin(&a, CS_ASK_STATUS, SHORT_US);
	end(&a, NULL);
	cs_control_queue_answer(strdup("cycle 2"));
	assert_published("cycle 2");
}

static void another_answer_is_not(void **state)
{
	struct asker a;

	(void)state;
	cs_control_queue_publish(strdup("cycle 1"));
	begin(&a, CS_ASK_TOP, WAIT_US);
	cs_control_queue_answer(strdup("top"));
	end(&a, "top");
	assert_published("cycle 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_answered_status_is_published, set_up),
		cmocka_unit_test_setup(so_is_one_whose_asker_has_left, set_up),
		cmocka_unit_test_setup(another_answer_is_not, set_up),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	cs_control_queue_reset();
	return rc;
}
