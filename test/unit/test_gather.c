/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is set aside for a job: gather.c. */
#include "cs_test.h"

#include "common/model/gather.h"

struct part {
	uint32_t cores, mb;
};

/* Of nodes of 2 sockets of 2 cores of 2 threads and 4000 MB. */
static void assert_enough(const char *what, const struct cs_job *j, bool whole,
			  const struct part *part, uint32_t n, bool want)
{
	const struct cs_node node = { .sockets = 2,
				      .cores_per_socket = 2,
				      .threads = 2,
				      .memory_mb = 4000 };
	struct cs_machine *m = cs_machine_create(4, &node);
	struct cs_gather g;

	assert_non_null(m);
	assert_int_equal(cs_gather_init(&g, m, j, whole), 0);
	assert_false(cs_gather_enough(&g));
	for (uint32_t i = 0; i < n; i++)
		cs_gather_add(&g, &node, part[i].cores, part[i].mb);
	if (cs_gather_enough(&g) != want)
		fail_msg("%s: %s, expected the other", what,
			 want ? "not enough" : "enough");
	cs_gather_done(&g);
	cs_machine_free(m);
}

static void nodes_hold_processes(void **state)
{
	static const struct {
		const char *what;
		struct cs_job job;
		bool whole;
		uint32_t n;
		struct part part[3];
		bool enough;
	} rows[] = {
		{ "8 CPUs of a node",
		  { .procs = 8, .cpus_per_proc = 1, .min_nodes = 1 },
		  false,
		  1,
		  { { 4, 4000 } },
		  true },
		{ "one process a core",
		  { .procs = 8,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .threads = 1 },
		  false,
		  1,
		  { { 4, 4000 } },
		  false },
		{ "of two nodes",
		  { .procs = 8,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .threads = 1 },
		  false,
		  2,
		  { { 4, 4000 }, { 4, 4000 } },
		  true },
		{ "3 cores, one of 4 CPUs fits on each",
		  { .procs = 3, .cpus_per_proc = 4, .min_nodes = 1 },
		  false,
		  2,
		  { { 3, 4000 }, { 3, 4000 } },
		  false },
		{ "and another elsewhere",
		  { .procs = 3, .cpus_per_proc = 4, .min_nodes = 1 },
		  false,
		  3,
		  { { 3, 4000 }, { 3, 4000 }, { 2, 4000 } },
		  true },
		{ "all on one node",
		  { .procs = 4,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .max_nodes = 1 },
		  false,
		  3,
		  { { 1, 4000 }, { 1, 4000 }, { 1, 4000 } },
		  false },
		{ "the two nodes that hold most",
		  { .procs = 10,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .max_nodes = 2 },
		  false,
		  3,
		  { { 1, 4000 }, { 4, 4000 }, { 1, 4000 } },
		  true },
		{ "on three nodes at least",
		  { .procs = 4, .cpus_per_proc = 1, .min_nodes = 3 },
		  false,
		  2,
		  { { 4, 4000 }, { 4, 4000 } },
		  false },
		{ "at most two on a node",
		  { .procs = 6,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .procs_per_node = 2 },
		  false,
		  2,
		  { { 4, 4000 }, { 4, 4000 } },
		  false },
		{ "memory for 2 cores of a node",
		  { .procs = 8,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .mem_cpu_mb = 900 },
		  false,
		  1,
		  { { 4, 4000 } },
		  false },
		{ "of two nodes",
		  { .procs = 8,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .mem_cpu_mb = 900 },
		  false,
		  2,
		  { { 4, 4000 }, { 4, 4000 } },
		  true },
		{ "less memory is free on a node",
		  { .procs = 4,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .mem_node_mb = 900 },
		  false,
		  1,
		  { { 4, 800 } },
		  false },
		{ "whole nodes",
		  { .procs = 2, .cpus_per_proc = 1, .min_nodes = 1 },
		  true,
		  2,
		  { { 3, 4000 }, { 3, 4000 } },
		  false },
		{ "a whole node",
		  { .procs = 2,
		    .cpus_per_proc = 1,
		    .min_nodes = 1,
		    .flags = CS_JOB_EXCLUSIVE },
		  false,
		  2,
		  { { 3, 4000 }, { 4, 4000 } },
		  true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_enough(rows[i].what, &rows[i].job, rows[i].whole,
			      rows[i].part, rows[i].n, rows[i].enough);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_hold_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
