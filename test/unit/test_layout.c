/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes to nodes and cores: equation 8, shapes, choice of nodes and cores. */
#include "cs_test.h"
#include "layout.h"
#include "rig.h"

static struct cs_profiles *profile_with(double self2, double self4)
{
	char text[256];
	struct cs_profiles *p;

	snprintf(text, sizeof(text),
		 "{\"version\":1,\"profiles\":{\"p\":{\"self\":{\"1\":1,\"2\":%g,"
		 "\"4\":%g}}}}",
		 self2, self4);
	assert_int_equal(cs_profiles_read(&p, text, strlen(text), "t", NULL),
			 0);
	return p;
}

static uint32_t equation_8(double self2, double self4, uint32_t procs)
{
	struct cs_node node = { .sockets = 2,
				.cores_per_socket = 2,
				.threads = 1 };
	struct cs_job j = { .procs = procs, .cpus_per_proc = 1 };
	struct cs_profiles *p = profile_with(self2, self4);
	struct cs_slowdown m = { .profiles = p, .unknown_pair = 1.5 };
	struct cs_params params;
	uint32_t ppn;

	assert_int_equal(cs_params_init(&params, CS_HOST_SIM), 0);
	ppn = cs_layout_model_ppn(&params, &m, &j, (struct cs_who){ 0, 1 },
				  &node);
	cs_params_done(&params);
	cs_profiles_free(p);
	return ppn;
}

static void equation_8_has_three_cases(void **state)
{
	(void)state;
	/* SL_sno > 1.12 and SL_scr * SL_sno > 1.25 */
	assert_int_equal(equation_8(1.15, 1.4, 8), 1);
	/* SL_sno <= 1.12, the other not */
	assert_int_equal(equation_8(1.12, 1.4, 8), 2);
	/* SL_scr * SL_sno <= 1.25, whatever SL_sno is */
	assert_int_equal(equation_8(1.05, 1.25, 8), 4);
	assert_int_equal(equation_8(1.2, 1.25, 8), 4);
	/* job size 1 */
	assert_int_equal(equation_8(1.05, 1.25, 1), 1);
}

static void a_layout_of_the_user_is_kept(void **state)
{
	struct cs_node node = { .sockets = 2,
				.cores_per_socket = 2,
				.threads = 1 };
	struct cs_job j = { .procs = 6, .cpus_per_proc = 1, .min_nodes = 1 };
	struct cs_shape s;

	(void)state;
	assert_true(cs_shape_space(&s, &j, &node, 2));
	assert_int_equal(s.nodes, 3);
	j.procs_per_node = 3;
	assert_true(cs_shape_space(&s, &j, &node, 2));
	assert_int_equal(s.nodes, 2);
	assert_int_equal(s.quota, 3);
	j.procs_per_node = 0;
	j.min_nodes = 4;
	assert_true(cs_shape_space(&s, &j, &node, 4));
	assert_int_equal(s.nodes, 4);
	assert_int_equal(s.quota, 2);
	j.min_nodes = 1;
	j.max_nodes = 2;
	assert_true(cs_shape_space(&s, &j, &node, 1));
	assert_int_equal(s.nodes, 2);
	j.max_nodes = 1;
	assert_false(cs_shape_space(&s, &j, &node, 1));
	j.max_nodes = 0;
	j.cpus_per_proc = 5;
	assert_false(cs_shape_space(&s, &j, &node, 1));
}

static void a_part_of_each_socket_is_what_jobs_per_node_leaves(void **state)
{
	static const struct {
		uint16_t sockets, cores;
		uint32_t jobs, quota;
	} row[] = { { 2, 2, 2, 2 },  { 2, 4, 3, 2 },  { 2, 4, 2, 4 },
		    { 2, 32, 2, 32 }, { 1, 8, 4, 2 }, { 4, 1, 2, 4 } };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct cs_node node = { .sockets = row[i].sockets,
					.cores_per_socket = row[i].cores,
					.threads = 1 };
		struct cs_job j = { .procs = 1024,
				    .cpus_per_proc = 1,
				    .min_nodes = 1 };
		struct cs_shape s;

		assert_true(cs_shape_shared(&s, &j, &node, row[i].jobs));
		assert_int_equal(s.quota, row[i].quota);
	}
}

static void a_core_is_given_whole_to_its_threads(void **state)
{
	(void)state;
	assert_int_equal(cs_layout_cores(4, 1, 2), 2);
	assert_int_equal(cs_layout_cores(3, 1, 2), 2);
	assert_int_equal(cs_layout_cores(3, 2, 2), 3);
	assert_int_equal(cs_layout_procs(2, 1, 2), 4);
	assert_int_equal(cs_layout_procs(2, 3, 2), 1);
}

/* Random shapes on random machines: what is chosen is free, within the set,
 * complete, and there exactly when cs_layout_fits() says so. */
static void what_is_chosen_is_free_and_whole(void **state)
{
	uint64_t rng = cs_test_seed();

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct cs_node like = {
			.sockets = (uint16_t)(1 + (uint32_t)cs_test_draw(&rng, 3)),
			.cores_per_socket = (uint16_t)(1 + (uint32_t)cs_test_draw(&rng, 5)),
			.threads = (uint16_t)(1 + (uint32_t)cs_test_draw(&rng, 2)),
			.memory_mb = 1000,
		};
		uint32_t n = (uint32_t)(1 + cs_test_draw(&rng, 9)), procs = 0;
		struct cs_machine *m = cs_machine_create(n, &like);
		struct cs_job j = {
			.procs = (uint32_t)(1 + cs_test_draw(&rng, 20)),
			.cpus_per_proc = (uint32_t)(1 + cs_test_draw(&rng, 2)),
			.min_nodes = (uint32_t)(1 + cs_test_draw(&rng, 3)),
			.mem_cpu_mb = (uint32_t)cs_test_draw(&rng, 200),
		};
		uint64_t allowed = cs_test_draw(&rng, UINT64_C(1) << n);
		struct cs_shape s;
		struct cs_alloc *a;
		struct cs_occ o;
		bool nomem, shape;

		assert_int_equal(cs_occ_init(&o, m), 0);
		for (uint32_t i = 0; i < n; i++) {
			struct cs_alloc *x = cs_alloc_create(1, m->words);

			x->node[0] = (struct cs_alloc_node){ i, 1, 100 };
			x->cores[0] = cs_test_draw(&rng, UINT64_C(1) << cs_node_cores(&like));
			if (x->cores[0])
				cs_occ_add(&o, x, CS_HOLD_PACKED);
			cs_alloc_free(x);
		}
		shape = (uint32_t)cs_test_draw(&rng, 2)
				? cs_shape_packed(&s, &j, &m->node[0])
				: cs_shape_space(&s, &j, &m->node[0], 2);
		a = shape ? cs_layout_choose(&o, &s, &allowed, &nomem) : NULL;
		if (shape)
			assert_int_equal(a != NULL,
					 cs_layout_fits(&o, &s, &allowed));
		for (uint32_t i = 0; a && i < a->n_node; i++) {
			uint32_t at = a->node[i].node;

			assert_true(cs_bit(&allowed, at));
			assert_int_equal(cs_alloc_cores(a, i)[0] &
						 cs_occ_used(&o, at)[0],
					 0);
			assert_int_equal(
				__builtin_popcountll(cs_alloc_cores(a, i)[0]),
				cs_layout_cores(a->node[i].procs,
						j.cpus_per_proc, like.threads));
			assert_true(a->node[i].mem_mb <= cs_occ_free_mb(&o, at));
			procs += a->node[i].procs;
		}
		if (a)
			assert_int_equal(procs, j.procs);
		cs_alloc_free(a);
		cs_occ_done(&o);
		cs_machine_free(m);
	}
}

/* Nodes 0 to 3 of 4 cores, 4 of 8, 5 of 2. */
static void open_uneven(struct rig *r, const char *params)
{
	uint64_t all = 63;

	rig_open(r, params,
		 "{\"version\":1,\"profiles\":{\"p\":{\"self\":{\"1\":1,\"4\":1.1,"
		 "\"8\":1.2}}}}",
		 6, 2, 2, 0);
	r->machine->node[4].cores_per_socket = 4;
	r->machine->node[5].sockets = 1;
	assert_int_equal(cs_machine_check(r->machine, NULL), 0);
	cs_engine_free(r->engine);
	r->engine = cs_engine_create(&r->params, r->machine, r->profiles, NULL);
	assert_non_null(r->engine);
	r->all = (uint32_t)cs_engine_nodeset(r->engine, &all);
}

static void a_job_too_large_for_small_nodes_gets_larger_ones(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_uneven(&r, "policy=cst");
	j = rig_job(&r, 1, 8, 100, NULL); /* -N1 -n8 */
	j.max_nodes = 1;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "4:0,1,2,3,4,5,6,7");
	rig_finish(&r, 1);
	rig_add(&r, 2, 26, 100, NULL); /* every core */
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_finish(&r, 2);
	j = rig_job(&r, 3, 10, 100, "p"); /* -N3: 4, 4 and 2 */
	j.min_nodes = 3;
	j.max_nodes = 3;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equation_8_has_three_cases),
		cmocka_unit_test(a_layout_of_the_user_is_kept),
		cmocka_unit_test(
			a_part_of_each_socket_is_what_jobs_per_node_leaves),
		cmocka_unit_test(a_core_is_given_whole_to_its_threads),
		cmocka_unit_test(what_is_chosen_is_free_and_whole),
		cmocka_unit_test(
			a_job_too_large_for_small_nodes_gets_larger_ones),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
