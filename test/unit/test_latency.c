/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rescheduling latency that a node measures of itself (latency.c). */
#include "cs_test.h"

#include "common/proc/latency.h"

static struct cs_proc_node node_of(double weight)
{
	struct cs_proc_node n;

	cs_proc_node_init(&n, weight, 0);
	return n;
}

/* latency.c, example. */
static void ed_follows_the_stays(void **state)
{
	struct cs_proc_node n = node_of(CS_PROC_WEIGHT);

	(void)state;
	assert_close(cs_proc_node_latency(&n, 1).ed_ns, 0, 0);
	cs_proc_node_switch(&n, 10, 10);
	assert_close(cs_proc_node_latency(&n, 1).ed_ns, 2, 1e-12);
	cs_proc_node_switch(&n, 20, 30);
	assert_close(cs_proc_node_latency(&n, 1).ed_ns, 5.6, 1e-12);
	cs_proc_node_switch(&n, 5, 35);
	assert_close(cs_proc_node_latency(&n, 1).ed_ns, 5.48, 1e-12);
}

static void idle_is_no_stay(void **state)
{
	struct cs_proc_node n = node_of(CS_PROC_WEIGHT);

	(void)state;
	cs_proc_node_switch(&n, 10, 10);
	cs_proc_node_switch(&n, -1, 1000);
	assert_close(cs_proc_node_latency(&n, 1).ed_ns, 2, 1e-12);
}

/* Two insertions in 10 ns, then none in 10: .2 * .2 = .04, .8 * .04 = .032 a ns. */
static void the_rate_is_smoothed_alike(void **state)
{
	struct cs_proc_node n = node_of(.2);

	(void)state;
	cs_proc_node_insert(&n);
	cs_proc_node_insert(&n);
	cs_proc_node_switch(&n, 10, 10); /* ED 2 */
	assert_close(cs_proc_node_latency(&n, 3).enp, 3 + 3 * .04 * 2, 1e-12);
	cs_proc_node_switch(&n, -1, 20);
	assert_close(cs_proc_node_latency(&n, 3).enp, 3 + 3 * .032 * 2, 1e-12);
	assert_close(cs_proc_node_latency(&n, 0).enp, 0, 0);
}

/* An insertion between two switches of one instant is counted by the next one. */
static void switches_at_one_instant_lose_no_insertion(void **state)
{
	struct cs_proc_node a = node_of(.2), b = node_of(.2);

	(void)state;
	cs_proc_node_insert(&a);
	cs_proc_node_switch(&a, 0, 0);
	cs_proc_node_switch(&a, 10, 10);
	cs_proc_node_insert(&b);
	cs_proc_node_switch(&b, 0, 10);
	cs_proc_node_switch(&b, 10, 10);
	assert_close(cs_proc_node_latency(&a, 1).enp,
		     cs_proc_node_latency(&b, 1).enp, 0);
	assert_true(cs_proc_node_latency(&a, 1).enp > 1);
}

/* ENP 3: three processes and the current one are switched to; 2.1 counts as 3. */
static void the_latency_has_a_switch_for_each(void **state)
{
	(void)state;
	assert_close(
		cs_proc_latency_ns(&(struct cs_proc_latency){ 5.48, 3 }, 1),
		20.44, 1e-12);
	assert_close(
		cs_proc_latency_ns(&(struct cs_proc_latency){ 10, 2.1 }, 50),
		21 + 4 * 50, 1e-12);
	assert_close(cs_proc_latency_ns(&(struct cs_proc_latency){ 10, 0 }, 50),
		     50, 1e-12);
	assert_true(cs_proc_latency_ns(&(struct cs_proc_latency){ 1e18, 1e18 },
				       1) >= 1e36);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ed_follows_the_stays),
		cmocka_unit_test(idle_is_no_stay),
		cmocka_unit_test(the_rate_is_smoothed_alike),
		cmocka_unit_test(switches_at_one_instant_lose_no_insertion),
		cmocka_unit_test(the_latency_has_a_switch_for_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
