/* SPDX-License-Identifier: GPL-2.0-or-later */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "common/engine/engine.h"
#include "common/model/machine.h"
#include "common/model/shape.h"
#include "common/model/sites.h"

static const struct cs_node small = {
	.name = NULL,
	.sockets = 2,
	.cores_per_socket = 2,
	.threads = 1,
	.weight = 3,
	.memory_mb = 1000,
};

static void nodes_are_copies_without_the_name(void **state)
{
	char name[] = "n1";
	struct cs_node like = small;
	struct cs_machine *m;

	(void)state;
	like.name = name;
	m = cs_machine_create(3, &like);
	assert_non_null(m);
	assert_int_equal(m->n_node, 3);
	assert_int_equal(m->words, 1);
	for (int n = 0; n < 3; n++) {
		assert_null(m->node[n].name);
		assert_int_equal(cs_node_cores(&m->node[n]), 4);
		assert_int_equal(m->node[n].weight, 3);
		assert_int_equal(m->node[n].memory_mb, 1000);
	}
	cs_machine_free(m);
	cs_machine_free(NULL);
}

static void a_count_of_0_makes_no_machine(void **state)
{
	struct cs_node like = small;

	(void)state;
	assert_null(cs_machine_create(0, &like));
	like.sockets = 0;
	assert_null(cs_machine_create(1, &like));
	like = small;
	like.cores_per_socket = 0;
	assert_null(cs_machine_create(1, &like));
	like = small;
	like.threads = 0;
	assert_null(cs_machine_create(1, &like));
}

static void vacant_places_count_nowhere(void **state)
{
	const struct cs_node vacant = { .sockets = 1, .threads = 1 };
	struct cs_machine *m = cs_machine_create(4, &small), *to;
	struct cs_node other = small;
	char name[] = "n2";

	(void)state;
	assert_int_equal(m->n_there, 4);
	other.name = name;
	other.cores_per_socket = 30;
	other.threads = 2;
	other.weight = 4;
	/* one after the other as all together */
	for (uint32_t n = 0; n < 4; n++) {
		const struct cs_node *row[] = { &vacant, &other, &small };

		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(cs_machine_put(m, n, row[i], NULL), 0);
			to = cs_machine_copy(m);
			assert_int_equal(cs_machine_check(to, NULL), 0);
			assert_int_equal(m->n_there, to->n_there);
			assert_int_equal(m->n_there, i ? 4 : 3);
			assert_int_equal(m->alike, to->alike);
			assert_int_equal(m->alike, i != 1);
			assert_int_equal(m->level, to->level);
			assert_int_equal(m->level, i != 1);
			assert_int_equal(m->most_threads, to->most_threads);
			assert_int_equal(m->core_threads, to->core_threads);
			assert_int_equal(m->most_threads, i == 1 ? 120 : 4);
			assert_int_equal(m->core_threads, i == 1 ? 2 : 1);
			cs_machine_free(to);
		}
		cs_machine_put(m, n, n % 2 ? &other : &vacant, NULL);
		assert_ptr_equal(cs_machine_first(m), &m->node[n ? 0 : 1]);
		cs_machine_put(m, n, &small, NULL);
	}
	assert_int_equal(m->words, 1);
	for (uint32_t n = 0; n < 4; n++)
		cs_machine_put(m, n, &vacant, NULL);
	assert_int_equal(m->n_there, 0);
	assert_int_equal(cs_machine_cores(m), 0);
	assert_ptr_equal(cs_machine_first(m), m->node);
	assert_int_equal(cs_machine_check(m, NULL), 0);
	assert_int_equal(m->words, 1);
	cs_machine_free(m);
}

static void what_nodes_have_in_common_follows_them(void **state)
{
	struct cs_machine *m = cs_machine_create(5, &small), *to;
	uint64_t rng = cs_test_seed();

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct cs_node now = {
			.sockets = 1,
			.cores_per_socket = (uint16_t)cs_test_draw(&rng, 3),
			.threads = (uint16_t)(1 + cs_test_draw(&rng, 2)),
			.weight = (uint32_t)cs_test_draw(&rng, 2),
		};
		uint32_t n = (uint32_t)cs_test_draw(&rng, 5);

		assert_int_equal(cs_machine_put(m, n, &now, NULL), 0);
		to = cs_machine_copy(m);
		assert_int_equal(cs_machine_check(to, NULL), 0);
		assert_int_equal(m->n_there, to->n_there);
		assert_int_equal(m->alike, to->alike);
		assert_int_equal(m->level, to->level);
		assert_int_equal(m->most_threads, to->most_threads);
		assert_int_equal(m->core_threads, to->core_threads);
		cs_machine_free(to);
	}
	cs_machine_free(m);
}

/* The first node of @m in @allowed that has the next larger size than @node (NULL: any). */
static const struct cs_node *naive_larger(const struct cs_machine *m,
					  uint64_t allowed,
					  const struct cs_node *node)
{
	const struct cs_node *best = NULL;
	uint32_t least = node ? cs_node_cores(node) * 8u + node->threads : 0;

	for (uint32_t n = 0; n < m->n_node; n++) {
		const struct cs_node *x = &m->node[n];
		uint32_t size = cs_node_cores(x) * 8u + x->threads;

		if (allowed >> n & 1 && !cs_node_vacant(x) && size > least &&
		    (!best || size < cs_node_cores(best) * 8u + best->threads))
			best = x;
	}
	return best;
}

/* While nodes become others, of fewer sizes than CS_NODE_SIZES and of more. */
static void sizes_of_a_set_are_as_counted(void **state)
{
	uint64_t rng = cs_test_seed();

	(void)state;
	for (int i = 0; i < 300; i++) {
		uint32_t nodes = 1 + (uint32_t)cs_test_draw(&rng, 40);
		uint32_t kinds =
			1 + (uint32_t)cs_test_draw(&rng, i % 2 ? 3 : 20);
		struct cs_machine *m = cs_machine_create(nodes, &small);
		uint64_t allowed = cs_test_draw(&rng, UINT64_C(1) << nodes);
		struct cs_node_sizes sizes;

		assert_non_null(m);
		cs_layout_sizes(m, &allowed, &sizes);
		for (int k = 0; k < 40; k++) {
			uint32_t n = (uint32_t)cs_test_draw(&rng, nodes);
			const struct cs_node *node = NULL, *next;

			m->node[n].cores_per_socket =
				(uint16_t)cs_test_draw(&rng, kinds + 1);
			m->node[n].threads =
				(uint16_t)(1 + cs_test_draw(&rng, 2));
			if (allowed >> n & 1)
				cs_layout_sizes_again(m, &allowed, &sizes, n);
			next = sizes.n ? sizes.node[0] : NULL;
			while (next) {
				assert_ptr_equal(
					next, naive_larger(m, allowed, node));
				node = next;
				next = cs_layout_larger(m, &allowed, &sizes,
							node);
			}
			assert_null(naive_larger(m, allowed, node));
		}
		cs_machine_free(m);
	}
}

static void a_node_must_fit_into_a_set_of_cores(void **state)
{
	struct cs_machine *m = cs_machine_create(2, &small);
	struct cs_node like = small;
	struct cs_err err = { "" };

	(void)state;
	like.cores_per_socket = 33;
	assert_int_equal(cs_machine_put(m, 1, &like, &err), -ERANGE);
	assert_string_equal(err.text,
			    "node 1 '' has 66 cores from now on, expected at "
			    "most 64 on this machine");
	assert_int_equal(cs_node_cores(&m->node[1]), 4);
	like.sockets = 0;
	assert_int_equal(cs_machine_put(m, 1, &like, &err), -EINVAL);
	cs_machine_free(m);
}

static void words_hold_the_cores_of_the_largest_node(void **state)
{
	static const struct {
		uint16_t sockets, cores;
		uint32_t words;
	} row[] = {
		{ 1, 1, 1 },  { 1, 64, 1 }, { 5, 13, 2 },
		{ 2, 64, 2 }, { 3, 43, 3 }, { 256, 256, 1024 },
	};
	struct cs_machine *m = cs_machine_create(2, &small);

	(void)state;
	assert_non_null(m);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		m->node[1].sockets = row[i].sockets;
		m->node[1].cores_per_socket = row[i].cores;
		assert_int_equal(cs_machine_check(m, NULL), 0);
		assert_int_equal(m->words, row[i].words);
	}
	cs_machine_free(m);
}

static void a_node_of_more_than_65536_cores_is_refused(void **state)
{
	struct cs_machine *m = cs_machine_create(2, &small);
	struct cs_err err = { "" };

	(void)state;
	assert_non_null(m);
	m->node[1].name = strdup("huge");
	m->node[1].sockets = 65535;
	m->node[1].cores_per_socket = 65535;
	assert_int_equal(cs_machine_check(m, &err), -EINVAL);
	assert_string_equal(err.text, "node 1 'huge' has 4294836225 cores, "
				      "expected at most 65536");
	assert_int_equal(m->words, 1);
	m->node[1].sockets = 0;
	assert_int_equal(cs_machine_check(m, &err), -EINVAL);
	assert_contains(err.text, "has 0 sockets");
	cs_machine_free(m);
}

static void sockets_that_differ_have_all_cores(void **state)
{
	struct cs_machine *m = cs_machine_create(2, &small);
	struct cs_node *x = &m->node[1];
	struct cs_err err = { "" };

	(void)state;
	assert_non_null(m);
	*x = (struct cs_node){ .sockets = 1,
			       .cores_per_socket = 4,
			       .threads = 1,
			       .n_uneven = 2,
			       .uneven = { 1, 3 } };
	assert_int_equal(cs_machine_check(m, &err), 0);
	x->uneven[1] = 2;
	assert_int_equal(cs_machine_check(m, &err), -EINVAL);
	assert_string_equal(err.text,
			    "node 1 '' has 3 cores on 2 sockets that differ, "
			    "expected 4 on at most 24");
	x->sockets = 2;
	x->cores_per_socket = 2;
	x->uneven[1] = 3;
	assert_int_equal(cs_machine_check(m, &err), -EINVAL);
	x->n_uneven = 0;
	assert_int_equal(cs_machine_check(m, &err), 0);
	cs_machine_free(m);
}

static void a_copy_shares_nothing(void **state)
{
	struct cs_machine *m = cs_machine_create(2, &small), *to;

	(void)state;
	assert_non_null(m);
	m->node[0].name = strdup("n0");
	to = cs_machine_copy(m);
	assert_non_null(to);
	assert_ptr_not_equal(to->node[0].name, m->node[0].name);
	assert_string_equal(to->node[0].name, "n0");
	assert_null(to->node[1].name);
	assert_int_equal(to->words, m->words);
	cs_machine_free(m);
	assert_int_equal(to->node[1].memory_mb, 1000);
	cs_machine_free(to);
}

static void an_allocation_is_copied_whole(void **state)
{
	struct cs_alloc *a = cs_alloc_create(3, 2), *to;

	(void)state;
	assert_non_null(a);
	for (uint32_t i = 0; i < 3; i++) {
		a->node[i] = (struct cs_alloc_node){ 10 + i, i + 1, 100 * i,
						     UINT64_C(1) << i };
		cs_bit_set(cs_alloc_cores(a, i), 64 + i);
	}
	to = cs_alloc_copy(a);
	assert_non_null(to);
	cs_alloc_free(a);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(to->node[i].node, 10 + i);
		assert_int_equal(to->node[i].procs, i + 1);
		assert_int_equal(to->node[i].mem_mb, 100 * i);
		assert_int_equal(to->node[i].gpus, 1 << i);
		for (uint32_t c = 0; c < 128; c++)
			assert_int_equal(cs_bit(cs_alloc_cores(to, i), c),
					 c == 64 + i);
	}
	cs_alloc_free(to);
	cs_alloc_free(NULL);
}

static void an_allocation_of_impossible_size_is_refused(void **state)
{
	(void)state;
	assert_null(cs_alloc_create(0, 1));
	assert_null(cs_alloc_create(1, 0));
}

static void each_failed_allocation_is_told_and_leaks_nothing(void **state)
{
	struct cs_machine *m = NULL, *to = NULL;
	struct cs_alloc *a = NULL, *b = NULL;

	(void)state;
	CS_TEST_EACH_ALLOC(m = cs_machine_create(3, &small), !m);
	for (int n = 0; n < 3; n++)
		m->node[n].name = strdup("node");
	CS_TEST_EACH_ALLOC(to = cs_machine_copy(m), !to);
	CS_TEST_EACH_ALLOC(a = cs_alloc_create(3, 2), !a);
	CS_TEST_EACH_ALLOC(b = cs_alloc_copy(a), !b);
	cs_machine_free(m);
	cs_machine_free(to);
	cs_alloc_free(a);
	cs_alloc_free(b);
}

/* Sites, a machine with them, and an engine that looks at them. */
static void sites_survive_without_memory(void **state)
{
	static const uint32_t of[] = { 0, 0, 1 };
	static const char *const names[] = { "left", NULL };
	struct cs_machine *m = cs_machine_create(3, &small), *copy;
	struct cs_params p;
	struct cs_engine *e;
	struct cs_sites *s;

	(void)state;
	assert_non_null(m);
	assert_int_equal(
		cs_params_parse(&p, CS_HOST_SIM, "policy=multisite", "", NULL),
		0);
	CS_TEST_EACH_ALLOC(
		{
			s = cs_sites_create(3, of, 2, names);
			cs_sites_free(m->sites);
			m->sites = s;
		},
		!s);
	CS_TEST_EACH_ALLOC(
		{
			copy = cs_machine_copy(m);
			if (copy)
				assert_string_equal(copy->sites->site[0].name,
						    "left");
			cs_machine_free(copy);
		},
		!copy);
	CS_TEST_EACH_ALLOC(
		{
			e = cs_engine_create(&p, m, NULL, NULL);
			cs_engine_free(e);
		},
		!e);
	cs_params_done(&p);
	cs_machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_copies_without_the_name),
		cmocka_unit_test(a_count_of_0_makes_no_machine),
		cmocka_unit_test(vacant_places_count_nowhere),
		cmocka_unit_test(what_nodes_have_in_common_follows_them),
		cmocka_unit_test(sizes_of_a_set_are_as_counted),
		cmocka_unit_test(a_node_must_fit_into_a_set_of_cores),
		cmocka_unit_test(sites_survive_without_memory),
		cmocka_unit_test(words_hold_the_cores_of_the_largest_node),
		cmocka_unit_test(a_node_of_more_than_65536_cores_is_refused),
		cmocka_unit_test(sockets_that_differ_have_all_cores),
		cmocka_unit_test(a_copy_shares_nothing),
		cmocka_unit_test(an_allocation_is_copied_whole),
		cmocka_unit_test(an_allocation_of_impossible_size_is_refused),
		cmocka_unit_test(
			each_failed_allocation_is_told_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
