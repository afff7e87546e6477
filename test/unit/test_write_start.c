/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line of a start, and the nodes and cores in it (log/write_line.c, log_alloc.c). */
#include "linerig.h"

static void start_as_in_the_design(void **state)
{
	struct cs_alloc *a = alloc_of(0, 8, 0x5, 2);
	const struct cs_started s = { .seq = 3,
				      .job_id = 17,
				      .start_us = 4 * S,
				      .limit_us = CS_TIME_NONE,
				      .alloc = a };
	const struct cs_action act = { .type = CS_ACT_START,
				       .seq = 3,
				       .job_id = 17,
				       .alloc = a,
				       .procs_per_node = 2,
				       .group = 5,
				       .role = CS_ROLE_PRIMARY,
				       .partner_id = 18,
				       .rule = 1,
				       .slowdown = 1.15,
				       .gain = -0.25 };
	const struct cs_event ev = { .type = CS_EV_STARTED,
				     .t_us = 4 * S,
				     .start = &s };

	(void)state;
	expect_event(&ev, &act,
		     "{\"t\":4.000000,\"ev\":\"start\",\"job\":17,\"seq\":3,"
		     "\"ppn\":2,\"alloc\":{\"0-7\":\"0,2\"},\"group\":5,"
		     "\"role\":\"primary\",\"with\":18,\"case\":1,\"slowdown\":"
		     "1.150000,\"gain\":-0.250000}");
	cs_alloc_free(a);
}

static void start_by_the_host_and_after_a_restart(void **state)
{
	struct cs_alloc *a = alloc_of(2, 1, 0xf, 4);
	struct cs_started s = { .job_id = 18,
				.option = 1,
				.start_us = 1 * S + 500000,
				.limit_us = 60 * S,
				.alloc = a,
				.packed = true,
				.group = 4,
				.role = CS_ROLE_MATCHED,
				.done_us = 2 * S,
				.at_us = 3 * S,
				.ran_us = 1 * S,
				.slowdown = 1.05 * 1.1,
				.floor_us = 50 * S };
	const struct cs_event ev = { .type = CS_EV_STARTED,
				     .t_us = 4 * S,
				     .start = &s };
	const struct cs_action act = { .type = CS_ACT_HOST_START, .seq = 9 };

	(void)state;
	expect_event(&ev, NULL,
		     "{\"t\":4.000000,\"ev\":\"start\",\"job\":18,\"by\":"
		     "\"host\",\"option\":1,\"ppn\":4,\"alloc\":{\"2\":\"0-3\"}"
		     ",\"group\":4,\"role\":\"matched\",\"packed\":true,"
		     "\"start\":1.500000,\"limit\":60,\"done\":2,\"at\":3,"
		     "\"ran\":1,\"factor\":1.1550000000000002,\"floor\":50}");
	/* proposed, placed by the host, under another id */
	s = (struct cs_started){ .seq = 9,
				 .job_id = 19,
				 .array_id = 18,
				 .start_us = 4 * S,
				 .limit_us = CS_TIME_NONE,
				 .alloc = a };
	expect_event(&ev, &act,
		     "{\"t\":4.000000,\"ev\":\"start\",\"job\":19,\"array\":18,"
		     "\"seq\":9,\"placed\":\"host\",\"ppn\":4,\"alloc\":{\"2\":"
		     "\"0-3\"}}");
	cs_alloc_free(a);
}

static void a_start_says_what_was_proposed_where_it_got_other(void **state)
{
	struct cs_alloc *a = alloc_of(2, 1, 0xf, 4);
	struct cs_alloc *planned = alloc_of(0, 3, 0x3, 2);
	const struct cs_started s = {
		.seq = 9, .job_id = 19, .alloc = a, .limit_us = 60 * S
	};
	const struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct cs_action act = { .type = CS_ACT_HOST_START,
				 .seq = 9,
				 .alloc = planned };

	(void)state;
	planned->node[2].node = 7;
	expect_event(&ev, &act,
		     "{\"t\":0.000000,\"ev\":\"start\",\"job\":19,\"seq\":9,"
		     "\"placed\":\"host\",\"ppn\":4,\"alloc\":{\"2\":\"0-3\"},"
		     "\"within\":\"0-1,7\",\"limit\":60}");
	act = (struct cs_action){ .type = CS_ACT_START,
				  .seq = 9,
				  .needs = 8,
				  .alloc = planned,
				  .procs_per_node = 4,
				  .limit_us = 59 * S,
				  .slowdown = 1 };
	expect_event(&ev, &act,
		     "{\"t\":0.000000,\"ev\":\"start\",\"job\":19,\"seq\":9,"
		     "\"ppn\":4,\"alloc\":{\"2\":\"0-3\"},\"planned\":{"
		     "\"0-1\":\"0-1\",\"7\":\"0-1\"},\"planned_procs\":{"
		     "\"0-1\":2,\"7\":2},\"planned_mem_mb\":{\"0-1\":0,"
		     "\"7\":0},\"needs\":8,\"slowdown\":1.000000,"
		     "\"gain\":0.000000,\"limit_asked\":59,\"limit\":60}");
	cs_alloc_free(planned);
	cs_alloc_free(a);
}

static void alloc_maps_ranges_with_the_same_cores(void **state)
{
	struct cs_alloc *a = alloc_of(0, 6, 0x3, 2);
	const struct cs_started s = { .job_id = 1,
				      .limit_us = CS_TIME_NONE,
				      .alloc = a };
	const struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };

	(void)state;
	/* nodes 0 1 | 2 | 3 | 5 (a gap) 6 */
	cs_alloc_cores(a, 2)[0] = 0x9;
	cs_alloc_cores(a, 2)[1] = 0x3;
	cs_alloc_cores(a, 3)[0] = 0x4;
	a->node[3].procs = 1;
	a->node[4].node = 5;
	a->node[5].node = 6;
	for (int i = 1; i < 6; i++)
		a->node[i].mem_mb = i < 4 ? 100 : 200;
	expect_event(&ev, NULL,
		     "{\"t\":0.000000,\"ev\":\"start\",\"job\":1,\"by\":"
		     "\"host\",\"ppn\":2,\"alloc\":{\"0-1\":\"0-1\",\"2\":"
		     "\"0,3,64-65\",\"3\":\"2\",\"5-6\":\"0-1\"},"
		     "\"node_procs\":{\"0-2\":2,\"3\":1,\"5-6\":2},"
		     "\"node_mem_mb\":{\"0\":0,\"1-3\":100,\"5-6\":200}}");
	cs_alloc_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start_as_in_the_design),
		cmocka_unit_test(start_by_the_host_and_after_a_restart),
		cmocka_unit_test(
			a_start_says_what_was_proposed_where_it_got_other),
		cmocka_unit_test(alloc_maps_ranges_with_the_same_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
