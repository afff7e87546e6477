/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mailbox of the control socket: who asks for the status is never told an older one
 * than before; operators come first, and no user keeps another waiting.
 */
#include "cs_test.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "sched/control/control_queue.h"

#define OPERATOR 7

static int set_up(void **state)
{
	(void)state;
	cs_control_queue_reset();
	return 0;
}

static uint64_t put(enum cs_ask_cmd cmd, uid_t uid)
{
	struct cs_ask ask = {
		.cmd = cmd, .uid = uid, .job = 1, .privileged = uid == OPERATOR
	};

	return cs_control_queue_put(&ask);
}

static uint64_t put_good(enum cs_ask_cmd cmd, uid_t uid)
{
	uint64_t number = put(cmd, uid);

	assert_int_not_equal(number, 0);
	return number;
}

static void assert_taken(uint64_t number)
{
	struct cs_ask ask;
	uint64_t got = 0;

	assert_true(cs_control_queue_take(&ask, &got));
	assert_int_equal(got, number);
}

static void assert_none_waits(void)
{
	struct cs_ask ask;
	uint64_t number;

	assert_false(cs_control_queue_take(&ask, &number));
}

static void assert_answer(uint64_t number, const char *want)
{
	char *got = cs_control_queue_collect(number);

	if (want) {
		assert_non_null(got);
		assert_string_equal(got, want);
	} else {
		assert_null(got);
	}
	free(got);
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
	uint64_t a;

	(void)state;
	cs_control_queue_publish(strdup("cycle 1"));
	a = put_good(CS_ASK_STATUS, OPERATOR);
	assert_answer(a, NULL);
	assert_taken(a);
	assert_answer(a, NULL);
	cs_control_queue_answer(a, strdup("cycle 2"));
	assert_answer(a, "cycle 2");
	assert_answer(a, NULL);
	assert_published("cycle 2");
}

static void so_is_one_whose_asker_has_left(void **state)
{
	uint64_t a;

	(void)state;
	cs_control_queue_publish(strdup("cycle 1"));
	a = put_good(CS_ASK_STATUS, OPERATOR);
	assert_taken(a);
	cs_control_queue_drop(a);
	cs_control_queue_answer(a, strdup("cycle 2"));
	assert_answer(a, NULL);
	assert_published("cycle 2");
}

static void another_answer_is_not(void **state)
{
	uint64_t a;

	(void)state;
	cs_control_queue_publish(strdup("cycle 1"));
	a = put_good(CS_ASK_TOP, OPERATOR);
	assert_taken(a);
	cs_control_queue_answer(a, strdup("top"));
	assert_answer(a, "top");
	assert_published("cycle 1");
}

static void a_question_whose_asker_has_left_is_not_taken(void **state)
{
	uint64_t a, b;

	(void)state;
	a = put_good(CS_ASK_EXPLAIN, 1);
	b = put_good(CS_ASK_EXPLAIN, 1);
	cs_control_queue_drop(a);
	assert_taken(b);
	assert_none_waits();
}

static void operators_come_first_and_users_take_turns(void **state)
{
	uint64_t first[3], second[2], other, first_served;

	(void)state;
	for (int i = 0; i < 3; i++)
		first[i] = put_good(CS_ASK_EXPLAIN, 1);
	for (int i = 0; i < 2; i++)
		second[i] = put_good(CS_ASK_EXPLAIN, 2);
	other = put_good(CS_ASK_USERS, 3);
	first_served = put_good(CS_ASK_EXPLAIN, OPERATOR);
	assert_taken(first_served);
	assert_taken(first[0]);
	assert_taken(second[0]);
	assert_taken(other);
	assert_taken(first[1]);
	other = put_good(CS_ASK_USERS, 4); /* not behind what waits longer */
	assert_taken(second[1]);
	assert_taken(other);
	assert_taken(first[2]);
	assert_none_waits();
}

static void one_answer_serves_all_who_ask_the_same(void **state)
{
	uint64_t a, b, top, own;

	(void)state;
	a = put_good(CS_ASK_GROUPS, OPERATOR);
	top = put_good(CS_ASK_TOP, OPERATOR);
	b = put_good(CS_ASK_GROUPS, OPERATOR);
	own = put_good(CS_ASK_EXPLAIN, OPERATOR);
	assert_taken(a);
	cs_control_queue_answer(a, strdup("groups"));
	assert_answer(a, "groups");
	assert_answer(b, "groups");
	assert_answer(top, NULL);
	assert_taken(top);
	assert_taken(own);
	assert_none_waits();
}

static void what_depends_on_the_user_is_answered_to_each(void **state)
{
	uint64_t a, b;

	(void)state;
	a = put_good(CS_ASK_USERS, 1);
	b = put_good(CS_ASK_USERS, 2);
	assert_taken(a);
	cs_control_queue_answer(a, strdup("of 1"));
	assert_answer(b, NULL);
	assert_taken(b);
	cs_control_queue_answer(b, strdup("of 2"));
	assert_answer(a, "of 1");
	assert_answer(b, "of 2");
}

static void a_full_mailbox_takes_no_more(void **state)
{
	uint64_t number[CS_CONTROL_QUESTIONS];

	(void)state;
	for (int i = 0; i < CS_CONTROL_QUESTIONS; i++)
		number[i] = put_good(CS_ASK_EXPLAIN, 1);
	assert_int_equal(put(CS_ASK_EXPLAIN, 2), 0);
	cs_control_queue_drop(number[5]);
	put_good(CS_ASK_EXPLAIN, 2);
	assert_int_equal(put(CS_ASK_EXPLAIN, 2), 0);
}

static void an_answer_is_notified(void **state)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	uint64_t a = put_good(CS_ASK_EXPLAIN, 1), n = 0;

	(void)state;
	assert_true(fd >= 0);
	cs_control_queue_notify(fd);
	assert_taken(a);
	assert_int_equal(read(fd, &n, sizeof(n)), -1);
	cs_control_queue_answer(a, strdup("x"));
	assert_int_equal(read(fd, &n, sizeof(n)), sizeof(n));
	cs_control_queue_notify(-1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_answered_status_is_published, set_up),
		cmocka_unit_test_setup(so_is_one_whose_asker_has_left, set_up),
		cmocka_unit_test_setup(another_answer_is_not, set_up),
		cmocka_unit_test_setup(
			a_question_whose_asker_has_left_is_not_taken, set_up),
		cmocka_unit_test_setup(
			operators_come_first_and_users_take_turns, set_up),
		cmocka_unit_test_setup(one_answer_serves_all_who_ask_the_same,
				       set_up),
		cmocka_unit_test_setup(
			what_depends_on_the_user_is_answered_to_each, set_up),
		cmocka_unit_test_setup(a_full_mailbox_takes_no_more, set_up),
		cmocka_unit_test_setup(an_answer_is_notified, set_up),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	cs_control_queue_reset();
	return rc;
}
