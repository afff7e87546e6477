/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node that comes back settles before it takes a start (view/settle.c). */
#include "feedrig.h"

static void a_node_that_is_back_settles_first(void **state)
{
	struct cs_settle s = { 0 };

	(void)state;
	assert_int_equal(cs_settle_fit(&s, b->view->machine), 0);
	assert_int_equal(s.n, 4);
	/* at first all that are up have settled; what is drained does not */
	assert_int_equal(cs_settle_look(&s, 0, true, false, T0), 0);
	assert_int_equal(cs_settle_look(&s, 1, false, true, T0), 0);
	assert_int_equal(cs_settle_look(&s, 2, false, false, T0), 0);
	assert_int_equal(cs_settle_look(&s, 2, true, false, T0 + S), 0);
	/* from when it is seen again, however long nobody looked; once */
	for (int64_t at = 60 * S; at < 63 * S; at += S)
		assert_true(cs_settle_look(&s, 1, true, false, T0 + at) ==
			    T0 + 63 * S);
	assert_int_equal(cs_settle_look(&s, 1, true, false, T0 + 63 * S), 0);
	/* down, drained, up */
	assert_int_equal(cs_settle_look(&s, 1, false, true, T0 + 70 * S), 0);
	assert_int_equal(cs_settle_look(&s, 1, false, false, T0 + 80 * S), 0);
	assert_true(cs_settle_look(&s, 1, true, false, T0 + 90 * S) ==
		    T0 + 93 * S);
	/* a time of a view that was an hour ahead */
	assert_true(cs_settle_look(&s, 1, true, false, T0 - 3600 * S) ==
		    T0 - 3597 * S);
	cs_settle_done(&s);
}

static void a_view_that_follows_knows_who_was_absent(void **state)
{
	struct cs_settle s = { 0 }, next = { 0 };
	struct cs_machine *m = b->view->machine;

	(void)state;
	assert_int_equal(cs_settle_copy(&next, &s), 0);
	assert_int_equal(next.n, 0);
	assert_int_equal(cs_settle_fit(&s, m), 0);
	cs_settle_look(&s, 0, false, true, T0);
	cs_settle_look(&s, 1, false, true, T0);
	cs_settle_look(&s, 1, true, false, T0);
	assert_int_equal(cs_settle_copy(&next, &s), 0);
	m->node[3].name = strdup("new");
	assert_int_equal(cs_settle_fit(&next, m), 0);
	assert_true(cs_settle_look(&next, 0, true, false, T0 + S) ==
		    T0 + 4 * S);
	assert_true(cs_settle_look(&next, 1, true, false, T0 + S) ==
		    T0 + 3 * S);
	assert_int_equal(cs_settle_look(&next, 2, true, false, T0 + S), 0);
	/* one never seen */
	assert_int_equal(cs_settle_look(&next, 3, true, false, T0 + S), 0);
	cs_settle_done(&s);
	cs_settle_done(&next);
}

static void rename_node(struct cs_settle *s, uint32_t n, const char *name)
{
	free(b->view->machine->node[n].name);
	b->view->machine->node[n].name = name ? strdup(name) : NULL;
	assert_int_equal(cs_settle_fit(s, b->view->machine), 0);
}

static void a_node_that_left_the_table_is_known_again(void **state)
{
	struct cs_settle s = { 0 }, next = { 0 };

	(void)state;
	assert_int_equal(cs_settle_fit(&s, b->view->machine), 0);
	rename_node(&s, 2, "a");
	rename_node(&s, 3, "b");
	assert_int_equal(cs_settle_look(&s, 2, true, false, T0), 0);
	assert_int_equal(cs_settle_look(&s, 3, true, false, T0), 0);
	/* who was down when it left settles when it is back, elsewhere; the other
	 * does not */
	cs_settle_look(&s, 2, false, true, T0);
	rename_node(&s, 2, NULL);
	rename_node(&s, 3, NULL);
	assert_int_equal(cs_settle_look(&s, 2, false, false, T0), 0);
	rename_node(&s, 3, "a");
	rename_node(&s, 2, "b");
	assert_true(cs_settle_look(&s, 3, true, false, T0) == T0 + 3 * S);
	assert_int_equal(cs_settle_look(&s, 2, true, false, T0), 0);
	/* who settles meanwhile goes on, with the next view, too */
	free(b->view->machine->node[2].name);
	b->view->machine->node[2].name = b->view->machine->node[3].name;
	b->view->machine->node[3].name = NULL;
	assert_int_equal(cs_settle_fit(&s, b->view->machine), 0);
	assert_int_equal(cs_settle_copy(&next, &s), 0);
	assert_true(cs_settle_look(&next, 2, true, false, T0 + S) ==
		    T0 + 3 * S);
	cs_settle_done(&s);
	cs_settle_done(&next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_node_that_is_back_settles_first),
		TEST(a_view_that_follows_knows_who_was_absent),
		TEST(a_node_that_left_the_table_is_known_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
