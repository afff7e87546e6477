/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes and cores as the host's site and the job ask (layout.c, rule 3; core_layout.c, rule
 * 3): known answers of Slurm's own test.
 */
#include "cs_test.h"
#include "rig.h"

#define PACK "policy=pack"

static void add_flagged(struct rig *r, uint32_t id, uint32_t procs,
			uint32_t flags)
{
	struct cs_job j = rig_job(r, id, procs, 600, NULL);

	j.flags = flags;
	rig_submit(r, &j);
}

static void serial_jobs_go_to_the_least_loaded_nodes(void **state)
{
	static const char *const where[] = { "0:0", "1:0", "2:0", "0:1" };
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 3, 1, 4, 0);
	for (uint32_t i = 0; i < 4; i++) {
		add_flagged(&r, i + 1, 1, CS_JOB_LEAST_LOADED);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, i + 1), where[i]);
	}
	/* 5 processes: all that is free on node 1, then of node 2 */
	add_flagged(&r, 5, 5, CS_JOB_LEAST_LOADED);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 5), "1:1,2,3 2:1,2");
	rig_close(&r);
}

static void the_load_is_a_part_of_the_nodes_cores(void **state)
{
	struct rig r;

	(void)state;
	rig_large = 1; /* the last has 8 */
	rig_open(&r, PACK, NULL, 2, 1, 4, 0);
	rig_large = 0;
	add_flagged(&r, 1, 1, 0); /* on node 0 */
	rig_decide(&r);
	add_flagged(&r, 2, 3, CS_JOB_LEAST_LOADED); /* on node 1: 5 of 8 */
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "1:0,1,2");
	add_flagged(&r, 3, 1, CS_JOB_LEAST_LOADED); /* 3 of 4 are more */
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:1");
	rig_close(&r);
}

static void serial_jobs_go_to_the_last_node(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 3, 1, 2, 0);
	for (uint32_t id = 1; id <= 3; id++)
		add_flagged(&r, id, 1, CS_JOB_LAST_NODE);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "2:0");
	assert_string_equal(rig_where(&r, 2), "2:1");
	assert_string_equal(rig_where(&r, 3), "1:0");
	rig_close(&r);
}

static void weigh(struct rig *r, uint32_t n, uint32_t weight)
{
	struct cs_node now = r->machine->node[n];

	now.weight = weight;
	rig_tell(r, (struct cs_event){ .type = CS_EV_NODE,
				       .node = { .index = n,
						 .up = true,
						 .now = &now,
						 .why = "" } });
}

static void nodes_to_be_booted_come_last(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 4, 1, 2, 0);
	weigh(&r, 0, CS_WEIGHT_ASLEEP);
	weigh(&r, 1, CS_WEIGHT_ASLEEP);
	weigh(&r, 2, 1000000);
	add_flagged(&r, 1, 1, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "3:0");
	add_flagged(&r, 2, 2, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "2:0,1");
	/* the weight of the site counts again; a node that sleeps is used only where
	 * nothing else is left */
	weigh(&r, 1, 0);
	add_flagged(&r, 3, 2, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "1:0,1");
	add_flagged(&r, 4, 3, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 4), "0:0,1 3:1");
	rig_close(&r);
}

/* Its room counts less than that it sleeps, be it for all of the job or for a part. */
static void a_roomy_node_that_sleeps_is_left_alone(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 4, 1, 4, 0);
	weigh(&r, 0, CS_WEIGHT_ASLEEP);
	weigh(&r, 1, CS_WEIGHT_ASLEEP);
	add_flagged(&r, 1, 2, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "2:0,1");
	add_flagged(&r, 2, 6, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "2:2,3 3:0,1,2,3");
	rig_finish(&r, 2);
	add_flagged(&r, 3, 7, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:0,1,2,3 3:0,1,2");
	rig_close(&r);
}

/* From now on weights come first on the machine of @r. */
static void put_weights_first(struct rig *r)
{
	r->machine->weight_first = true;
	cs_engine_free(r->engine);
	r->engine = cs_engine_create(&r->params, r->machine, NULL, NULL);
	r->all = (uint32_t)cs_engine_nodeset(
		r->engine, &(uint64_t){ cs_bit_all(r->machine->n_node, 0) });
}

/* Node 3 is awake, and has less room than the others. */
static void nodes_that_are_awake_are_exhausted_first(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 4, 1, 4, 0);
	put_weights_first(&r);
	for (uint32_t n = 0; n < 3; n++)
		weigh(&r, n, CS_WEIGHT_ASLEEP);
	add_flagged(&r, 1, 3, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "3:0,1,2");
	add_flagged(&r, 2, 4, 0);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:0,1,2 3:3");
	rig_close(&r);
}

/* One core is in use on nodes 0, 1 and 3; nodes 2 and 4 have a higher weight. */
static void a_weight_is_exhausted_before_the_next(void **state)
{
	static const struct {
		uint32_t procs, cpus, least, most;
		const char *where;
	} row[] = {
		{ 9, 1, 1, 0, "0:1,2,3 1:1,2,3 3:1,2,3" },
		{ 10, 1, 1, 0, "0:1,2,3 1:1,2,3 2:0 3:1,2,3" },
		{ 4, 2, 1, 0, "0:1,2 1:1,2 2:0,1 3:1,2" },
		{ 4, 1, 1, 1, "2:0,1,2,3" },
		{ 7, 1, 2, 2, "0:1,2,3 2:0,1,2,3" },
		{ 8, 1, 2, 2, "2:0,1,2,3 4:0,1,2,3" },
		/* not 0 and 1: they and one more do not hold it */
		{ 11, 1, 3, 3, "2:0,1,2,3 3:1,2,3 4:0,1,2,3" },
	};
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 5, 1, 4, 0);
	put_weights_first(&r);
	for (uint32_t n = 0; n < 5; n++)
		weigh(&r, n, n == 2 || n == 4 ? 10 : 1);
	for (uint32_t n = 0; n < 5; n++)
		if (n != 2 && n != 4)
			rig_add_in(&r, 10 + n, 1, 600, NULL, UINT64_C(1) << n);
	rig_decide(&r);
	for (uint32_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct cs_job j = rig_job(&r, 20 + i, row[i].procs, 600, NULL);

		j.cpus_per_proc = row[i].cpus;
		j.min_nodes = row[i].least;
		j.max_nodes = row[i].most;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 20 + i), row[i].where);
		rig_finish(&r, 20 + i);
	}
	rig_close(&r);
}

/* In a reservation that does not confine them jobs use its nodes first, then others that
 * are awake, then those of it that are asleep. */
static void a_flexible_reservation_is_used_first(void **state)
{
	static const uint32_t inside[] = { 2, 3 };
	static const char *const where[] = { "2:0", "0:0", "1:0", "3:0" };
	struct cs_reservation resv = { .id = 7,
				       .n = 2,
				       .node = inside,
				       .end_us = 9000 * RIG_S,
				       .flags = CS_RESV_FLEX };
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 4, 1, 1, 0);
	weigh(&r, 3, CS_WEIGHT_ASLEEP);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
					.reservation = &resv });
	for (uint32_t i = 0; i < 4; i++) {
		struct cs_job j = rig_job(&r, i + 1, 1, 600, NULL);

		j.reservation = 7;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, i + 1), where[i]);
	}
	rig_close(&r);
}

/* As Slurm 22.05: sleeping nodes inside come before those outside that are awake, if all of
 * their line inside sleep; else inside and outside are alike to them. */
static void sleeping_nodes_by_lines(void **state)
{
	static const uint32_t inside[] = { 2, 3 };
	static const struct {
		uint32_t line[4], asleep[4];
		const char *where[4];
	} rows[] = {
		/* all inside */
		{ { 1, 1, 1, 1 },
		  { 0, 0, 1, 1 },
		  { "2:0", "3:0", "0:0", "1:0" } },
		/* one inside and one outside */
		{ { 1, 1, 1, 1 },
		  { 1, 0, 1, 0 },
		  { "3:0", "1:0", "0:0", "2:0" } },
		/* each a line of its own */
		{ { 1, 2, 3, 4 },
		  { 1, 0, 1, 0 },
		  { "3:0", "2:0", "1:0", "0:0" } },
		/* all outside */
		{ { 1, 1, 3, 3 },
		  { 1, 1, 0, 1 },
		  { "2:0", "0:0", "1:0", "3:0" } },
		/* lines do not count */
		{ { 0, 0, 0, 0 },
		  { 0, 0, 1, 1 },
		  { "0:0", "1:0", "2:0", "3:0" } },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct cs_reservation resv = { .id = 7,
					       .n = 2,
					       .node = inside,
					       .end_us = 9000 * RIG_S,
					       .flags = CS_RESV_FLEX };
		struct rig r;

		rig_open(&r, PACK, NULL, 4, 1, 1, 0);
		for (uint32_t n = 0; n < 4; n++) {
			r.machine->node[n].line = rows[k].line[n];
			if (rows[k].asleep[n])
				r.machine->node[n].weight = CS_WEIGHT_ASLEEP;
		}
		assert_int_equal(cs_machine_check(r.machine, NULL), 0);
		cs_engine_free(r.engine);
		r.engine = cs_engine_create(&r.params, r.machine, NULL, NULL);
		r.all = (uint32_t)cs_engine_nodeset(r.engine,
						    &(uint64_t){ 15 });
		rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
						.reservation = &resv });
		for (uint32_t i = 0; i < 4; i++) {
			struct cs_job j = rig_job(&r, i + 1, 1, 600, NULL);

			j.reservation = 7;
			rig_submit(&r, &j);
			rig_decide(&r);
			assert_string_equal(rig_where(&r, i + 1),
					    rows[k].where[i]);
		}
		rig_close(&r);
	}
}

/* Cores of a node of 4 sockets of 2, on which job 9 has @taken by @others, for @procs
 * processes of @cpus, @ppn on it. */
static void assert_cores_beside(uint32_t taken, uint32_t others, uint32_t procs,
				uint32_t cpus, uint32_t ppn, uint32_t dist,
				const char *want)
{
	struct cs_job j;
	struct rig r;

	rig_open(&r, PACK, NULL, 1, 4, 2, 0);
	if (taken) {
		j = rig_job(&r, 9, taken, 600, NULL);
		j.dist = others;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	j = rig_job(&r, 1, procs, 600, NULL);
	j.cpus_per_proc = cpus;
	j.procs_per_node = ppn;
	j.dist = dist;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), want);
	rig_close(&r);
}

/* Job 9 is packed as ever: it has the first @taken. */
static void assert_cores(uint32_t taken, uint32_t procs, uint32_t cpus,
			 uint32_t dist, const char *want)
{
	assert_cores_beside(taken, CS_DIST_OURS, procs, cpus, 0, dist, want);
}

static void cores_follow_the_distribution(void **state)
{
	(void)state;
	assert_cores(0, 4, 1, CS_DIST_OURS, "0:0,1,2,3");
	assert_cores(0, 4, 1, CS_DIST_CYCLIC, "0:0,2,4,6");
	assert_cores(0, 6, 1, CS_DIST_CYCLIC, "0:0,1,2,3,4,6");
	assert_cores(0, 4, 1, CS_DIST_BLOCK, "0:0,1,2,3");
	assert_cores(1, 2, 1, CS_DIST_CYCLIC, "0:1,2");
	assert_cores(3, 4, 1, CS_DIST_CYCLIC, "0:3,4,5,6");
	/* whole processes of 2 CPUs fill sockets; the rest goes round */
	assert_cores(0, 2, 2, CS_DIST_CYCLIC, "0:0,1,2,3");
	assert_cores(1, 3, 2, CS_DIST_CYCLIC, "0:2,3,4,5,6,7");
	assert_cores(0, 2, 3, CS_DIST_CYCLIC, "0:0,1,2,3,4,6");
	/* the tightest socket that holds all; else the roomiest, then the next */
	assert_cores(1, 1, 1, CS_DIST_BLOCK, "0:1");
	assert_cores(1, 2, 1, CS_DIST_BLOCK, "0:2,3");
	assert_cores(3, 3, 1, CS_DIST_BLOCK, "0:4,5,6");
	/* job 9 has 0, 2 and 4 */
	assert_cores_beside(3, CS_DIST_CYCLIC, 2, 2, 0, CS_DIST_CYCLIC,
			    "0:1,3,6,7");
	assert_cores_beside(0, 0, 4, 1, 4, CS_DIST_CYCLIC, "0:0,2,4,6");
}

/* As Slurm's test of release 24.11 has them. */
static void cores_of_whole_processes_first(void **state)
{
	(void)state;
	/* all 8 hold whole processes: nothing is left out */
	assert_cores(0, 4, 1, CS_DIST_CYCLIC_WHOLE, "0:0,2,4,6");
	assert_cores(0, 2, 2, CS_DIST_CYCLIC_WHOLE, "0:0,1,2,3");
	assert_cores(0, 4, 1, CS_DIST_BLOCK_WHOLE, "0:0,1,2,3");
	assert_cores(3, 3, 1, CS_DIST_BLOCK_WHOLE, "0:4,5,6");
	/* 8 / 3 = 2: cores 0-5 are left */
	assert_cores(0, 2, 3, CS_DIST_CYCLIC_WHOLE, "0:0,1,2,3,4,5");
	assert_cores(0, 1, 3, CS_DIST_CYCLIC_WHOLE, "0:0,2,4");
	assert_cores(0, 1, 3, CS_DIST_BLOCK_WHOLE, "0:0,1,2");
	/* 1-7 are free, 7 / 2 = 3: 1-6; socket 0 and 3 have one each */
	assert_cores(1, 2, 2, CS_DIST_CYCLIC_WHOLE, "0:2,3,4,5");
	assert_cores(1, 3, 2, CS_DIST_CYCLIC_WHOLE, "0:1,2,3,4,5,6");
	assert_cores(1, 1, 1, CS_DIST_BLOCK_WHOLE, "0:1");
	/* 1, 3, 5, 6, 7 are free, 5 / 2 = 2: 1, 3, 5, 6 */
	assert_cores_beside(3, CS_DIST_CYCLIC, 2, 2, 0, CS_DIST_CYCLIC_WHOLE,
			    "0:1,3,5,6");
	assert_cores_beside(3, CS_DIST_CYCLIC, 1, 2, 0, CS_DIST_BLOCK_WHOLE,
			    "0:1,3");
	/* at most so many processes on a node */
	assert_cores_beside(0, 0, 4, 1, 4, CS_DIST_CYCLIC_WHOLE, "0:0,1,2,3");
	assert_cores_beside(0, 0, 2, 2, 2, CS_DIST_CYCLIC_WHOLE, "0:0,1,2,3");
	assert_cores_beside(0, 0, 2, 1, 5, CS_DIST_CYCLIC_WHOLE, "0:0,2");
}

/* Of sockets of 1, 3, 0 and 2 cores. */
static void cores_of_sockets_that_differ(void **state)
{
	static const struct {
		uint32_t procs, cpus, dist;
		const char *where;
	} rows[] = {
		{ 3, 1, CS_DIST_CYCLIC, "0:0,1,4" },
		{ 4, 1, CS_DIST_CYCLIC, "0:0,1,2,4" },
		{ 2, 1, CS_DIST_BLOCK, "0:4,5" }, /* the tightest for both */
		{ 3, 1, CS_DIST_BLOCK, "0:1,2,3" },
		{ 4, 1, CS_DIST_BLOCK, "0:1,2,3,4" },
		{ 2, 2, CS_DIST_CYCLIC, "0:1,2,4,5" },
		{ 1, 4, CS_DIST_CYCLIC_WHOLE, "0:0,1,2,3" },
	};
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 1, 1, 6, 0);
	r.machine->node[0].n_uneven = 4;
	memcpy(r.machine->node[0].uneven, (uint8_t[]){ 1, 3, 0, 2 }, 4);
	cs_engine_free(r.engine);
	r.engine = cs_engine_create(&r.params, r.machine, NULL, NULL);
	r.all = (uint32_t)cs_engine_nodeset(r.engine, &(uint64_t){ 1 });
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cs_job j = rig_job(&r, i + 1, rows[i].procs, 600, NULL);

		j.cpus_per_proc = rows[i].cpus;
		j.dist = rows[i].dist;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, i + 1), rows[i].where);
		rig_finish(&r, i + 1);
	}
	rig_close(&r);
}

/* A node of 4 sockets of 2 cores of 2 threads. */
static void whole_processes_of_hardware_threads(void **state)
{
	static const uint32_t cpus[] = { 9, 5, 3 };
	static const char *const where[] = {
		"0:0,1,2,3,4", /* one fits: 9 threads, 5 cores */
		"0:0,2,4",     /* three: 15 threads, all cores */
		"0:0,1",       /* five: as many; of a socket one */
	};
	struct rig r;

	(void)state;
	rig_open(&r, PACK, NULL, 1, 4, 2, 0);
	r.machine->node[0].threads = 2;
	cs_engine_free(r.engine);
	r.engine = cs_engine_create(&r.params, r.machine, NULL, NULL);
	r.all = (uint32_t)cs_engine_nodeset(r.engine, &(uint64_t){ 1 });
	for (uint32_t i = 0; i < 3; i++) {
		struct cs_job j = rig_job(&r, i + 1, 1, 600, NULL);

		j.cpus_per_proc = cpus[i];
		j.dist = CS_DIST_CYCLIC_WHOLE;
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, i + 1), where[i]);
		rig_finish(&r, i + 1);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serial_jobs_go_to_the_least_loaded_nodes),
		cmocka_unit_test(the_load_is_a_part_of_the_nodes_cores),
		cmocka_unit_test(serial_jobs_go_to_the_last_node),
		cmocka_unit_test(nodes_to_be_booted_come_last),
		cmocka_unit_test(a_roomy_node_that_sleeps_is_left_alone),
		cmocka_unit_test(nodes_that_are_awake_are_exhausted_first),
		cmocka_unit_test(a_weight_is_exhausted_before_the_next),
		cmocka_unit_test(a_flexible_reservation_is_used_first),
		cmocka_unit_test(sleeping_nodes_by_lines),
		cmocka_unit_test(cores_follow_the_distribution),
		cmocka_unit_test(cores_of_whole_processes_first),
		cmocka_unit_test(cores_of_sockets_that_differ),
		cmocka_unit_test(whole_processes_of_hardware_threads),
	};

	return cmocka_run_group_tests_name("host_choice", tests, NULL, NULL);
}
