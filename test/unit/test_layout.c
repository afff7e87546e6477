/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes to nodes and cores: equation 8, shapes, choice of nodes and cores. */
#include "cs_test.h"
#include "common/model/layout.h"
#include "rig.h"

static struct cs_profiles *profile_with(double self2, double self4)
{
	char text[256];
	struct cs_profiles *p;

	snprintf(
		text, sizeof(text),
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
	ppn = cs_layout_model_ppn(&params, &m, &j, (struct cs_who){ .id = 1 },
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
	} row[] = { { 2, 2, 2, 2 },   { 2, 4, 3, 2 }, { 2, 4, 2, 4 },
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

/* Is there a set of nodes of @allowed for the uneven @s?  Tries them all. */
static bool naive_fits(const struct cs_occ *o, const struct cs_shape *s,
		       uint64_t allowed)
{
	for (uint64_t set = 1; set < UINT64_C(1) << o->machine->n_node; set++) {
		uint32_t nodes = 0, procs = 0, least = UINT32_MAX;

		for (uint32_t i = 0; i < o->machine->n_node; i++) {
			uint32_t fit = cs_layout_fit(o, i, s);

			if (!cs_bit(&set, i))
				continue;
			nodes++;
			procs += fit;
			least = fit < least ? fit : least;
		}
		if (!(set & ~allowed) && least && nodes >= s->nodes &&
		    (!s->max_nodes || nodes <= s->max_nodes) &&
		    procs >= s->procs)
			return true;
	}
	return false;
}

/* No node of @allowed that @a leaves would do for its tightest one, and is tighter. */
static void assert_roomy_ones_left(const struct cs_occ *o,
				   const struct cs_shape *s, uint64_t allowed,
				   const struct cs_alloc *a)
{
	uint32_t all = 0, least = UINT32_MAX;

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t fit = cs_layout_fit(o, a->node[i].node, s);

		all += fit;
		least = fit < least ? fit : least;
		cs_bit_clear(&allowed, a->node[i].node);
	}
	for (uint32_t i = 0; i < o->machine->n_node; i++)
		if (cs_bit(&allowed, i)) {
			uint32_t fit = cs_layout_fit(o, i, s);

			assert_true(fit >= least ||
				    all - least + fit < s->procs);
		}
}

/* Cores that @procs processes of @j are to have on @node. */
static uint32_t cores_due(const struct cs_job *j, const struct cs_node *node,
			  uint32_t procs)
{
	uint32_t t = j->threads == 1 ? 1 : node->threads;
	uint32_t cpus = procs * j->cpus_per_proc;

	if (cpus < j->least_cpus)
		cpus = j->least_cpus;
	return cs_div_up(cpus, t);
}

/* Some nodes become smaller, and some have one thread. */
static void vary(struct cs_machine *m, uint64_t *rng)
{
	for (uint32_t i = 1; i < m->n_node; i++) {
		if (!cs_test_draw(rng, 3))
			m->node[i].threads = 1;
		if (!cs_test_draw(rng, 3))
			m->node[i].cores_per_socket = 1;
	}
	assert_int_equal(cs_machine_check(m, NULL), 0);
}

/* Node @n of @o is partly in use, by packed jobs. */
static void use_some(struct cs_occ *o, uint32_t n, uint64_t *rng)
{
	struct cs_alloc *x = cs_alloc_create(1, o->machine->words);

	x->node[0] =
		(struct cs_alloc_node){ .node = n, .procs = 1, .mem_mb = 100 };
	x->cores[0] = cs_test_draw(
		rng, UINT64_C(1) << cs_node_cores(&o->machine->node[n]));
	if (x->cores[0])
		cs_occ_add(o, x, CS_NODE_PACKED);
	cs_alloc_free(x);
}

/* Random shapes on random machines: what is chosen is free, within the set,
 * complete, and there exactly when cs_layout_fits() says so, of uneven shapes
 * when any set of nodes does. */
static void what_is_chosen_is_free_and_whole(void **state)
{
	uint64_t rng = cs_test_seed();

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct cs_node like = {
			.sockets =
				(uint16_t)(1 + (uint32_t)cs_test_draw(&rng, 3)),
			.cores_per_socket =
				(uint16_t)(1 + (uint32_t)cs_test_draw(&rng, 5)),
			.threads =
				(uint16_t)(1 + (uint32_t)cs_test_draw(&rng, 2)),
			.memory_mb = 1000,
		};
		uint32_t n = (uint32_t)(1 + cs_test_draw(&rng, 9)), procs = 0;
		struct cs_machine *m = cs_machine_create(n, &like);
		struct cs_job j = {
			.procs = (uint32_t)(1 + cs_test_draw(&rng, 20)),
			.cpus_per_proc = (uint32_t)(1 + cs_test_draw(&rng, 2)),
			.min_nodes = (uint32_t)(1 + cs_test_draw(&rng, 3)),
			.max_nodes = (uint32_t)cs_test_draw(&rng, 5),
			.mem_cpu_mb = (uint32_t)cs_test_draw(&rng, 200),
			.least_cpus = (uint32_t)cs_test_draw(&rng, 5),
			.threads = (uint32_t)cs_test_draw(&rng, 2),
			.mem_threads = (uint32_t)cs_test_draw(&rng, 2),
		};
		uint64_t allowed = cs_test_draw(&rng, UINT64_C(1) << n);
		struct cs_shape s;
		struct cs_alloc *a;
		struct cs_occ o;
		bool nomem, shape;

		vary(m, &rng);
		assert_int_equal(cs_occ_init(&o, m), 0);
		for (uint32_t i = 0; i < n; i++)
			use_some(&o, i, &rng);
		shape = (uint32_t)cs_test_draw(&rng, 2)
				? cs_shape_packed(&s, &j, &m->node[0])
				: cs_shape_space(&s, &j, &m->node[0], 2);
		a = shape ? cs_layout_choose(&o, &s, &allowed, &nomem) : NULL;
		if (shape)
			assert_int_equal(a != NULL,
					 cs_layout_fits(&o, &s, &allowed));
		if (shape && !s.even) {
			assert_int_equal(a != NULL,
					 naive_fits(&o, &s, allowed));
			assert_true(!a || a->n_node >= j.min_nodes);
			assert_true(!a || !j.max_nodes ||
				    a->n_node <= j.max_nodes);
			if (a && s.nodes < 2 && s.max_nodes && a->n_node > 1)
				assert_roomy_ones_left(&o, &s, allowed, a);
		}
		for (uint32_t i = 0; a && i < a->n_node; i++) {
			uint32_t at = a->node[i].node;

			assert_true(cs_bit(&allowed, at));
			assert_int_equal(cs_alloc_cores(a, i)[0] &
						 cs_occ_used(&o, at)[0],
					 0);
			assert_int_equal(
				__builtin_popcountll(cs_alloc_cores(a, i)[0]),
				cores_due(&j, &m->node[at], a->node[i].procs));
			assert_true(a->node[i].mem_mb <=
				    cs_occ_free_mb(&o, at));
			procs += a->node[i].procs;
		}
		if (a)
			assert_int_equal(procs, j.procs);
		cs_alloc_free(a);
		cs_occ_done(&o);
		cs_machine_free(m);
	}
}

static uint64_t nodes_of(struct cs_alloc *a)
{
	uint64_t set = 0;

	if (a)
		cs_alloc_mark(a, &set);
	cs_alloc_free(a);
	return set;
}

/* The nodes of @set for shape @s where room comes first. */
static uint64_t by_room_of(struct cs_machine *m, const struct cs_occ *o,
			   const struct cs_shape *s, uint64_t set)
{
	struct cs_alloc *a;
	bool nomem;

	m->weight_first = false;
	a = cs_layout_choose(o, s, &set, &nomem);
	m->weight_first = true;
	return nodes_of(a);
}

/* As stock has it: nodes of @set of one rank (below 32) after the other, until some hold the
 * rest of @s.  0: they do not hold it, or the last node of a bounded job does not. */
static uint64_t greedy(struct cs_machine *m, const struct cs_occ *o,
		       const struct cs_shape *s, uint64_t set,
		       const uint32_t *rank)
{
	struct cs_shape rest = *s;
	uint64_t all = 0;

	for (uint32_t k = 0; k < 32; k++) {
		uint64_t equal = 0, last;

		for (uint32_t i = 0; i < m->n_node; i++)
			if (cs_bit(&set, i) && rank[i] == k &&
			    cs_layout_fit(o, i, s))
				cs_bit_set(&equal, i);
		last = by_room_of(m, o, &rest, equal);
		if (last)
			return all | last;
		while (equal && rest.max_nodes != 1) {
			uint32_t i = cs_bit_pop(&equal);
			uint32_t fit = cs_layout_fit(o, i, s);

			cs_bit_set(&all, i);
			if (rest.nodes > 1)
				rest.nodes--;
			if (rest.max_nodes)
				rest.max_nodes--;
			rest.procs = rest.procs > fit ? rest.procs - fit : 0;
			if (rest.procs < rest.nodes)
				rest.procs = rest.nodes;
		}
	}
	return 0;
}

/* Take from @set nodes that hold no more than @most of @s, the first ones, while more than
 * the least number is left.  False: none. */
static bool drop(const struct cs_occ *o, const struct cs_shape *s,
		 uint64_t *set, uint32_t most)
{
	bool any = false;

	for (uint32_t i = 0; i < o->machine->n_node; i++)
		if (!cs_layout_fit(o, i, s))
			cs_bit_clear(set, i);
	for (uint32_t i = 0; i < o->machine->n_node; i++)
		if (cs_bit(set, i) && cs_layout_fit(o, i, s) <= most &&
		    cs_bits_count(set, 1) > s->nodes) {
			cs_bit_clear(set, i);
			any = true;
		}
	return any;
}

/* The nodes of @a are full in the order of @rank, each that follows kept a process. */
static void assert_full_by(const struct cs_occ *o, const struct cs_shape *s,
			   const struct cs_alloc *a, const uint32_t *rank)
{
	uint32_t left = s->procs, keep = a->n_node;

	for (uint32_t k = 0; k < 32; k++)
		for (uint32_t i = 0; i < a->n_node; i++) {
			uint32_t at = a->node[i].node, fit;

			if (rank[at] != k)
				continue;
			fit = cs_layout_fit(o, at, s);
			keep--;
			if (fit > left - keep)
				fit = left - keep;
			assert_int_equal(a->node[i].procs, fit);
			left -= fit;
		}
	assert_int_equal(left, 0);
}

/* Random uneven jobs get the nodes of greedy() on random machines where weights come
 * first, beside a reservation that does not confine them and nodes that are asleep; and
 * where no greedy choice holds a bounded one, those by room. */
static void weights_are_exhausted_one_by_one(void **state)
{
	uint64_t rng = cs_test_seed();
	uint32_t several = 0, again = 0, by_room = 0;

	(void)state;
	for (int round = 0; round < 60000; round++) {
		struct cs_node like = { .sockets = 1,
					.cores_per_socket = 6,
					.threads = 1,
					.memory_mb = 1000 };
		uint32_t n = (uint32_t)(2 + cs_test_draw(&rng, 9)), rank[16];
		struct cs_machine *m = cs_machine_create(n, &like);
		struct cs_job j = {
			.procs = (uint32_t)(1 + cs_test_draw(&rng, 25)),
			.cpus_per_proc = (uint32_t)(1 + cs_test_draw(&rng, 2)),
			.min_nodes = (uint32_t)(1 + cs_test_draw(&rng, 3)),
		};
		uint64_t allowed = cs_test_draw(&rng, UINT64_C(1) << n) |
				   cs_test_draw(&rng, UINT64_C(1) << n);
		uint64_t inside = cs_test_draw(&rng, UINT64_C(1) << n);
		uint64_t got, want = 0;
		bool flex = !cs_test_draw(&rng, 3), nomem;
		struct cs_how how = { .inside = flex ? &inside : NULL };
		struct cs_alloc *a;
		struct cs_shape s;
		struct cs_occ o;

		if (cs_test_draw(&rng, 2))
			j.max_nodes =
				(uint32_t)(j.min_nodes + cs_test_draw(&rng, 3));
		m->weight_first = true;
		for (uint32_t i = 0; i < n; i++) {
			rank[i] = (uint32_t)cs_test_draw(&rng, 4);
			m->node[i].weight =
				rank[i] < 3 ? rank[i] : CS_WEIGHT_ASLEEP;
			if (rank[i] == 3)
				rank[i] = 16;
			if (flex && !cs_bit(&inside, i))
				rank[i] += 8;
			if (!cs_test_draw(&rng, 3))
				m->node[i].cores_per_socket = 3;
		}
		assert_int_equal(cs_machine_check(m, NULL), 0);
		assert_int_equal(cs_occ_init(&o, m), 0);
		for (uint32_t i = 0; i < n; i++)
			use_some(&o, i, &rng);
		if (!cs_shape_uneven(&s, &j, &m->node[0], false))
			goto next;
		a = cs_layout_choose_how(&o, &s, &allowed, &how, &nomem);
		if (a)
			assert_full_by(&o, &s, a, rank);
		got = nodes_of(a);
		assert_int_equal(got != 0, cs_layout_fits(&o, &s, &allowed));
		if (got)
			want = greedy(m, &o, &s, allowed, rank);
		for (uint32_t most = 1; got && !want && most < s.quota; most++)
			if (drop(&o, &s, &allowed, most)) {
				want = greedy(m, &o, &s, allowed, rank);
				again += want != 0;
			}
		if (want)
			assert_int_equal(got, want);
		else if (got)
			assert_true(s.max_nodes && ++by_room);
		several += cs_bits_count(&got, 1) > 1;
	next:
		cs_occ_done(&o);
		cs_machine_free(m);
	}
	assert_true(several > 9000 && again > 200 && by_room > 15);
}

#define FLAT_P \
	"{\"version\":1,\"profiles\":{\"p\":{\"self\":{\"1\":1,\"8\":1}}}}"

/* Nodes 0 to 3 of 4 cores, 4 of 8, 5 of 2. */
static void open_uneven(struct rig *r, const char *params)
{
	uint64_t all = 63;

	rig_open(
		r, params,
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

/* -n12 -N2 on nodes of 4 and 8 cores, -n6 -N2, and -n9 on at most 2. */
static void several_sizes_hold_it_together(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_uneven(&r, "policy=easy");
	j = rig_job(&r, 1, 12, 100, NULL);
	j.min_nodes = j.max_nodes = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1,2,3 4:0,1,2,3,4,5,6,7");
	rig_finish(&r, 1);
	j = rig_job(&r, 2, 6, 100, NULL);
	j.min_nodes = j.max_nodes = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:0,1,2,3 1:0,1");
	j = rig_job(&r, 3, 12, 100, NULL); /* 8 + 4, not 8 + 2 + 2 */
	j.max_nodes = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "2:0,1,2,3 4:0,1,2,3,4,5,6,7");
	rig_close(&r);
}

/* -n5 on at most 2 nodes, of 4, 4, 4, 4, 8 and 2 cores, where 8 and 4 are taken: the
 * rest of one process goes to the node of 2. */
static void a_bounded_job_leaves_the_roomy_nodes(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_uneven(&r, "policy=easy");
	rig_add(&r, 1, 8, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "4:0,1,2,3,4,5,6,7");
	j = rig_job(&r, 2, 5, 100, NULL);
	j.max_nodes = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "0:0,1,2,3 5:0");
	rig_close(&r);
}

/* On its first node. */
static uint64_t memory_of(struct rig *r, uint32_t id)
{
	struct cs_running run;

	assert_int_equal(cs_engine_running(r->engine, id, &run), 0);
	return run.alloc->node[0].mem_mb;
}

/* Of one process on a node of 2 x 2 cores. */
static void cores_that_must_be_there_are_taken(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 2, 2, 2, 1000);
	j = rig_job(&r, 1, 1, 100, NULL);
	j.least_cpus = 3;
	j.mem_cpu_mb = 100;
	rig_submit(&r, &j);
	rig_add(&r, 2, 4, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1,2");
	assert_int_equal(memory_of(&r, 1), 300);
	assert_string_equal(rig_where(&r, 2), "1:0,1,2,3");
	rig_finish(&r, 2);
	j = rig_job(&r, 3, 3, 100, NULL); /* --ntasks-per-node=2 */
	j.procs_per_node = j.least_cpus = 2;
	rig_submit(&r, &j);
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "0:0,1 1:0,1");
	rig_close(&r);
}

/* Spread by the model, but not where the cores are its own anyway. */
static void cores_that_must_be_there_are_filled(void **state)
{
	struct cs_running run;
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(
		&r, "policy=cst,layout=model",
		"{\"version\":1,\"profiles\":{\"p\":{\"self\":{\"1\":1,\"2\":1.5,"
		"\"4\":2}}}}",
		8, 2, 2, 0);
	rig_add(&r, 9, 5, 100, "p"); /* no low load */
	j = rig_job(&r, 1, 8, 100, "p");
	j.least_cpus = 4;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_int_equal(cs_engine_running(r.engine, 1, &run), 0);
	assert_int_equal(run.alloc->n_node, 2);
	rig_close(&r);
}

/* --hint=nomultithread and --ntasks-per-core=1 on 2 x 2 cores of 2 threads. */
static void one_process_a_core(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 3, 2, 2, 1000);
	for (uint32_t i = 0; i < 3; i++)
		r.machine->node[i].threads = 2;
	cs_engine_free(r.engine);
	r.engine = cs_engine_create(&r.params, r.machine, NULL, NULL);
	r.all = (uint32_t)cs_engine_nodeset(r.engine, &(uint64_t){ 7 });
	j = rig_job(&r, 1, 3, 100, NULL);
	j.threads = j.mem_threads = 1;
	j.mem_cpu_mb = 100;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1,2");
	assert_int_equal(memory_of(&r, 1), 300);
	j = rig_job(&r, 2, 4, 100, NULL);
	j.threads = 1;
	j.mem_cpu_mb = 100;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "1:0,1,2,3");
	assert_int_equal(memory_of(&r, 2), 800);
	j = rig_job(&r, 3, 8, 100, NULL); /* all threads; none of 1's core */
	rig_submit(&r, &j);
	j = rig_job(&r, 4, 2, 100, NULL);
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "2:0,1,2,3");
	assert_string_equal(rig_where(&r, 4), "0:3");
	rig_close(&r);
}

/* 16 processes are 4 small nodes (job 1), or the 2 large ones (job 2). */
static void a_job_starts_on_larger_nodes_if_the_small_are_taken(void **state)
{
	static const char *const policies[] = { "fcfs",	 "easy", "conservative",
						"cover", "pack", "adaptive" };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		char params[32];

		snprintf(params, sizeof(params), "policy=%s", policies[i]);
		rig_large = 2;
		rig_open(&r, params, FLAT_P, 6, 2, 2, 0);
		for (uint32_t id = 1; id <= 3; id++)
			rig_add(&r, id, 16, 100, "p");
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 2),
				    "4:0,1,2,3,4,5,6,7 5:0,1,2,3,4,5,6,7");
		assert_true(rig_runs(&r, 1) && !rig_runs(&r, 3));
		rig_close(&r);
	}
}

/* Nodes of 4 and 8 cores are left: 12 processes have 4 and 8. */
static void a_job_starts_unevenly_if_it_fits_no_other_way(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_large = 2;
	rig_open(&r, "policy=easy", FLAT_P, 6, 2, 2, 0);
	rig_add(&r, 1, 12, 100, "p");
	j = rig_job(&r, 2, 8, 100, "p");
	j.max_nodes = 1;
	rig_submit(&r, &j);
	rig_add(&r, 3, 12, 100, "p");
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "3:0,1,2,3 5:0,1,2,3,4,5,6,7");
	rig_close(&r);
}

/* Nodes of as many cores, but more threads, are larger. */
static void threads_make_a_node_larger(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", NULL, 3, 2, 2, 0);
	r.machine->node[2].threads = 2;
	assert_int_equal(cs_machine_check(r.machine, NULL), 0);
	cs_engine_free(r.engine);
	r.engine = cs_engine_create(&r.params, r.machine, NULL, NULL);
	r.all = (uint32_t)cs_engine_nodeset(r.engine, &(uint64_t){ 7 });
	j = rig_job(&r, 1, 8, 100, NULL);
	j.max_nodes = 1;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "2:0,1,2,3");
	rig_finish(&r, 1);
	rig_add(&r, 2, 16, 100, NULL); /* every thread */
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_finish(&r, 2);
	j = rig_job(&r, 3, 4, 100, NULL); /* -n4 -c4: 1, 1 and 2 */
	j.cpus_per_proc = 4;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_true(rig_runs(&r, 3));
	rig_close(&r);
}

/* A shape for one of few jobs, so that many of them ask for more than another. */
static bool draw_shape(const struct cs_machine *m, struct cs_shape *s,
		       uint64_t *rng)
{
	static const uint64_t mem[] = { 0, 0, 0, 300, 1500, CS_MEM_ALL };
	const struct cs_job j = {
		.procs = (uint32_t)(1 + cs_test_draw(rng, 12)),
		.cpus_per_proc = (uint32_t)(1 + cs_test_draw(rng, 2)),
		.mem_node_mb = mem[cs_test_draw(rng, 6)],
		.min_nodes = (uint32_t)(1 + cs_test_draw(rng, 2)),
		.max_nodes = (uint32_t)cs_test_draw(rng, 2) * 3,
		.mem_cpu_mb = (uint32_t)cs_test_draw(rng, 2) * 150,
	};

	switch (cs_test_draw(rng, 3)) {
	case 0:
		return cs_shape_packed(s, &j, &m->node[0]);
	case 1:
		return cs_shape_uneven(s, &j, &m->node[0], false);
	default:
		return cs_shape_space(s, &j, &m->node[0],
				      (uint32_t)(1 + cs_test_draw(rng, 3)));
	}
}

static void a_harder_shape_fits_only_where_the_other_does(void **state)
{
	uint64_t rng = cs_test_seed(), both = 0, one = 0, none = 0;

	(void)state;
	for (int round = 0; round < 50000; round++) {
		struct cs_node like = { .sockets = 2,
					.cores_per_socket = 2,
					.threads = 2,
					.memory_mb = 1000 };
		uint32_t n = (uint32_t)(1 + cs_test_draw(&rng, 6));
		struct cs_machine *m = cs_machine_create(n, &like);
		uint64_t allowed = cs_test_draw(&rng, UINT64_C(1) << n);
		struct cs_shape a, b;
		struct cs_occ o;

		vary(m, &rng);
		for (uint32_t i = 0; i < n; i++)
			m->node[i].memory_mb += cs_test_draw(&rng, 2) * 1000;
		assert_int_equal(cs_occ_init(&o, m), 0);
		for (uint32_t i = 0; i < n; i++)
			if (cs_test_draw(&rng, 2))
				use_some(&o, i, &rng);
		if (draw_shape(m, &a, &rng) && draw_shape(m, &b, &rng) &&
		    cs_layout_harder(&b, &a)) {
			bool fits = cs_layout_fits(&o, &a, &allowed);
			bool harder = cs_layout_fits(&o, &b, &allowed);

			assert_true(fits || !harder);
			both += harder;
			one += fits && !harder;
			none += !fits;
		}
		cs_occ_done(&o);
		cs_machine_free(m);
	}
	/* all three were tried */
	assert_true(both > 100 && one > 100 && none > 100);
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
		cmocka_unit_test(weights_are_exhausted_one_by_one),
		cmocka_unit_test(
			a_job_too_large_for_small_nodes_gets_larger_ones),
		cmocka_unit_test(several_sizes_hold_it_together),
		cmocka_unit_test(a_bounded_job_leaves_the_roomy_nodes),
		cmocka_unit_test(cores_that_must_be_there_are_taken),
		cmocka_unit_test(cores_that_must_be_there_are_filled),
		cmocka_unit_test(one_process_a_core),
		cmocka_unit_test(
			a_job_starts_on_larger_nodes_if_the_small_are_taken),
		cmocka_unit_test(a_job_starts_unevenly_if_it_fits_no_other_way),
		cmocka_unit_test(threads_make_a_node_larger),
		cmocka_unit_test(a_harder_shape_fits_only_where_the_other_does),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
