/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes near each other: known answers, the choice against one that tries all sets
 * of nodes, and the engine on machines whose parts nothing joins.
 */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include "common/model/layout.h"
#include "rig.h"
#include "common/model/topology.h"

#define NODES 10 /* at most, of the random ones */

static struct cs_group_desc switch_of(uint32_t level, const uint64_t *nodes)
{
	return (struct cs_group_desc){ .name = "s",
				       .level = level,
				       .nodes = nodes };
}

/* The one in topology.c: nodes 0-2 below a, 3-5 b, 6-7 c, 8-9 d. */
static struct cs_topology *example(void)
{
	static const uint64_t set[] = { 0x007, 0x038, 0x0c0, 0x300,
					0x03f, 0x3c0, 0x3ff };
	static const uint32_t level[] = { 0, 0, 0, 0, 1, 1, 2 };
	struct cs_group_desc d[7];
	struct cs_topology *t;

	for (int i = 0; i < 7; i++)
		d[i] = switch_of(level[i], &set[i]);
	t = cs_topology_tree(10, d, 7);
	assert_non_null(t);
	return t;
}

static uint64_t chosen(const struct cs_topology *t, uint64_t set, uint32_t want)
{
	struct cs_topology_ask a = { .set = &set, .want = want, .nodes = want };
	uint64_t got = 0;
	bool held = cs_topology_holds(t, &a);

	assert_int_equal(cs_topology_choose(t, &a, &got), held);
	return got;
}

static void the_example_of_the_head(void **state)
{
	struct cs_topology *t = example();

	(void)state;
	assert_true(t->whole);
	assert_int_equal(chosen(t, 0x3ff, 3), 0x007);
	assert_int_equal(chosen(t, 0x3fe, 3), 0x038); /* b: a has 2 left */
	assert_int_equal(chosen(t, 0x3ff, 2), 0x0c0);
	assert_int_equal(chosen(t, 0x3fe, 5), 0x03e);
	assert_int_equal(chosen(t, 0x3ff, 5), 0x01f);
	assert_int_equal(chosen(t, 0x3ff, 8), 0x0ff);
	assert_int_equal(chosen(t, 0x3ff, 10), 0x3ff);
	assert_int_equal(chosen(t, 0x3ff, 11), 0);
	/* one: where least is left over */
	assert_int_equal(chosen(t, 0x2ff, 1), 0x200);
	cs_topology_free(t);
}

static void parts_that_nothing_joins_hold_no_job_together(void **state)
{
	static const uint64_t set[] = { 0x03, 0x3c };
	struct cs_group_desc d[] = { switch_of(0, &set[0]),
				     switch_of(0, &set[1]) };
	struct cs_topology *t = cs_topology_tree(7, d, 2);
	uint64_t both = 0x06, one = 0x0c, none = 0x40;
	const uint32_t *part;

	(void)state;
	assert_false(t->whole);
	assert_int_equal(cs_topology_parts(t, 3, &part), 2);
	assert_int_equal(chosen(t, 0x3f, 2), 0x03);
	assert_int_equal(chosen(t, 0x3f, 3), 0x1c);
	assert_int_equal(chosen(t, 0x3f, 5), 0);
	/* node 6 is on no switch */
	assert_int_equal(chosen(t, 0x40, 1), 0);
	assert_false(cs_topology_joins(t, &both));
	assert_true(cs_topology_joins(t, &one));
	assert_false(cs_topology_joins(t, &none));
	both = 0x7f;
	assert_int_equal(cs_topology_most(t, &both, NULL), 4);
	assert_int_equal(cs_topology_most(t, &both, &one), 2);
	cs_topology_free(t);
}

static void light_nodes_come_before_near_ones(void **state)
{
	struct cs_topology *t = example();
	uint64_t cost[10] = { 9, 9, 9, 1, 9, 9, 1, 1, 9, 9 };
	uint64_t set = 0x3ff, got;
	struct cs_topology_ask a = { .set = &set, .cost = cost };

	(void)state;
	a.want = a.nodes = 2;
	assert_true(cs_topology_choose(t, &a, &got));
	assert_int_equal(got, 0x0c0);
	/* all that are light, though no leaf joins them; then near them */
	a.want = a.nodes = 4;
	assert_true(cs_topology_choose(t, &a, &got));
	assert_int_equal(got, 0x0d8);
	cs_topology_free(t);
}

static void what_it_has_decides_where_the_rest_is(void **state)
{
	struct cs_topology *t = example();
	uint64_t set = 0x3ff, with = 0x040, got;
	struct cs_topology_ask a = {
		.set = &set, .with = &with, .want = 3, .nodes = 3
	};

	(void)state;
	assert_true(cs_topology_choose(t, &a, &got));
	assert_int_equal(got, 0x1c0);
	cs_topology_free(t);
}

/* Blocks of 4 nodes, planned as of 3. */
static struct cs_topology *blocks(uint32_t n, uint32_t n_size)
{
	static const uint32_t size[] = { 1, 2, 4, 8 };
	struct cs_group_desc d[8];
	uint64_t set[8];
	struct cs_topology *t;

	for (uint32_t i = 0; i < n; i++) {
		set[i] = UINT64_C(0xf) << 4 * i;
		d[i] = switch_of(0, &set[i]);
	}
	t = cs_topology_block(4 * n, d, n, 3, size, n_size);
	assert_non_null(t);
	return t;
}

static void blocks_are_taken_as_the_host_does(void **state)
{
	struct cs_topology *t = blocks(5, 3);
	const uint32_t *part;

	(void)state;
	assert_int_equal(t->n_level, 4); /* 1, 2, 4 and all */
	assert_int_equal(cs_topology_parts(t, 3, &part), 5);
	assert_int_equal(cs_topology_parts(t, 4, &part), 3);
	assert_int_equal(cs_topology_parts(t, 7, &part), 2);
	assert_int_equal(cs_topology_parts(t, 13, &part), 1);
	/* of up to 3 nodes in one block, best fit */
	assert_int_equal(chosen(t, 0xff3ff, 2), 0x00300);
	assert_int_equal(chosen(t, 0x33333, 3), 0);
	/* 4 nodes: one block has them, or two beside each other */
	assert_int_equal(chosen(t, 0x333f3, 4), 0x000f0);
	assert_int_equal(chosen(t, 0x33333, 4), 0x00033);
	assert_int_equal(chosen(t, 0x30330, 4), 0);
	/* 7 to 12: of four blocks */
	assert_int_equal(chosen(t, 0x0ff0f, 7), 0x07f00);
	assert_int_equal(chosen(t, 0xf000f, 7), 0);
	assert_int_equal(chosen(t, 0x0ffff, 9), 0x01ff);
	cs_topology_free(t);
}

static void only_so_many_blocks_of_the_level_below(void **state)
{
	/* sizes 1 and 8 only: 7 nodes may use 3 blocks of 3 */
	static const uint32_t size[] = { 1, 8 };
	struct cs_group_desc d[6];
	uint64_t set[6];
	struct cs_topology *t;

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		set[i] = UINT64_C(0x7) << 3 * i;
		d[i] = switch_of(0, &set[i]);
	}
	t = cs_topology_block(18, d, 6, 3, size, 2);
	assert_int_equal(chosen(t, 0333333, 7), 0);
	assert_int_equal(chosen(t, 0333337, 7), 0000337);
	assert_int_equal(chosen(t, 0777777, 7), 0000177);
	cs_topology_free(t);
}

/* ---- against all sets of nodes ---------------------------------------------- */

struct world {
	struct cs_topology *t;
	uint64_t set;
	uint64_t cost[NODES];
	uint32_t fit[NODES];
	uint32_t n_node;
};

static struct cs_topology *random_tree(uint64_t *seed, uint32_t n_node)
{
	struct cs_group_desc d[3 * NODES];
	uint64_t set[3 * NODES] = { 0 };
	uint32_t of[3 * NODES] = { 0 }, n = 0, from = 0, level = 0;

	for (uint32_t i = 0; i < n_node;) {
		uint32_t k = 1 + (uint32_t)cs_test_draw(seed, 4);

		for (; k && i < n_node; k--, i++)
			if (cs_test_draw(seed, 20))
				set[n] |= UINT64_C(1) << i;
		n++;
	}
	/* join some, up to three times; not always all in the end */
	for (uint32_t end = n; level < 3 && end > from + 1; end = n) {
		for (uint32_t i = from; i < end;) {
			uint32_t k = 1 + (uint32_t)cs_test_draw(seed, 3);

			for (; k && i < end; k--, i++)
				set[n] |= set[i];
			of[n++] = level + 1;
		}
		from = end;
		level++;
		if (!cs_test_draw(seed, 3))
			break;
	}
	for (uint32_t i = 0; i < n; i++)
		d[i] = switch_of(of[i], &set[i]);
	return cs_topology_tree(n_node, d, n);
}

static struct cs_topology *random_blocks(uint64_t *seed, uint32_t *n_node)
{
	static const uint32_t all[] = { 1, 2, 4, 8 };
	uint32_t size[4], n_size = 0, n = 0, at = 0, block, most = *n_node;
	struct cs_group_desc d[NODES];
	uint64_t set[NODES];

	block = 1 + (uint32_t)cs_test_draw(seed, 3);
	while (at + block <= most) {
		uint32_t k = block + (uint32_t)cs_test_draw(seed, 2);

		set[n] = 0;
		for (; k && at < most; k--)
			set[n] |= UINT64_C(1) << at++;
		d[n] = switch_of(0, &set[n]);
		n++;
	}
	for (uint32_t i = 0; i < 4; i++)
		if (!i || cs_test_draw(seed, 3))
			size[n_size++] = all[i];
	return cs_topology_block(*n_node, d, n, block, size, n_size);
}

static uint32_t overlap(const struct cs_topology *t, uint32_t level, uint64_t s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_group; i++)
		n += t->group[i].level == level && t->group[i].nodes[0] & s;
	return n;
}

/* May a job be on exactly @s?  As the host has it. */
static bool allowed(const struct cs_topology *t, uint64_t s, uint32_t n)
{
	uint32_t level = 0, most;

	for (uint32_t i = 0; !t->block && i < t->n_group; i++)
		if (!(s & ~t->group[i].nodes[0]))
			return true;
	if (!t->block)
		return false;
	if (!(s & t->member[0]))
		return true;
	while (level + 1 < t->n_level && t->level[level].size * t->block < n)
		level++;
	if (overlap(t, level, s) != 1)
		return false;
	for (uint32_t i = 0; i < t->n_group; i++)
		if (t->group[i].level == level && t->group[i].nodes[0] & s &&
		    s & ~t->group[i].nodes[0])
			return false;
	if (!level)
		return true;
	most = t->level[level - 1].size * t->block;
	return overlap(t, level - 1, s) <= (n + most - 1) / most;
}

/* The less the better: costs, most first; then level, what is left over, and number
 * of the least group; leaves used. */
struct rank {
	uint64_t dear, few, rest, level, left, group, leaves;
};

static bool less(const struct rank *a, const struct rank *b)
{
	const uint64_t *x = &a->dear, *y = &b->dear;

	for (int i = 0; i < 7; i++)
		if (x[i] != y[i])
			return x[i] < y[i];
	return false;
}

/* The costs of @s, whether these are the least of its part. */
static bool costs(const struct world *w, uint64_t s, uint32_t want,
		  struct rank *r, uint64_t *pool)
{
	const uint32_t *part;
	uint32_t n = cs_topology_parts(w->t, want, &part);

	r->dear = r->few = 0;
	for (uint32_t i = 0; i < w->n_node; i++)
		if (s >> i & 1 && w->cost[i] > r->dear)
			r->dear = w->cost[i];
	for (uint32_t i = 0; i < w->n_node; i++)
		r->few += s >> i & 1 && w->cost[i] == r->dear;
	for (uint32_t p = 0; p < n; p++) {
		uint64_t in = w->t->group[part[p]].nodes[0] & w->set;
		bool least = !(s & ~in);

		*pool = s;
		for (uint32_t i = 0; i < w->n_node; i++) {
			if (!(in >> i & 1))
				continue;
			least &= w->cost[i] >= r->dear || s >> i & 1;
			if (w->cost[i] <= r->dear)
				*pool |= UINT64_C(1) << i;
		}
		if (least)
			return true;
	}
	return false;
}

static void least_group(const struct world *w, uint64_t s, uint64_t pool,
			uint32_t want, struct rank *r)
{
	r->level = UINT64_MAX;
	for (uint32_t i = 0; i < w->t->n_group; i++) {
		const struct cs_group *g = &w->t->group[i];
		uint32_t have = cs_popcount(pool & g->nodes[0]);
		uint64_t level = g->level;

		if (s & ~g->nodes[0])
			continue;
		if (level < r->level ||
		    (level == r->level && have - want < r->left)) {
			r->level = level;
			r->left = have - want;
			r->group = i;
		}
	}
}

/* The best of all sets; 0: none is allowed. */
static uint64_t by_trying(const struct world *w, uint32_t want, bool by_cost,
			  struct rank *best)
{
	uint64_t found = 0;

	for (uint64_t s = 1; s < UINT64_C(1) << w->n_node; s++) {
		struct rank r = { 0 };
		uint64_t pool = w->set;

		if (s & ~w->set || cs_popcount(s) != want ||
		    !allowed(w->t, s, want) ||
		    (by_cost && !costs(w, s, want, &r, &pool)))
			continue;
		least_group(w, s, pool, want, &r);
		r.leaves = overlap(w->t, 0, s);
		/* blocks: what is left over depends on how many may be used */
		if (w->t->block)
			r.left = r.group = r.leaves = 0;
		if (!found || less(&r, best)) {
			found = s;
			*best = r;
		}
	}
	return found;
}

static void compare(struct world *w, uint32_t want, bool by_cost)
{
	struct cs_topology_ask a = { .set = &w->set,
				     .cost = by_cost ? w->cost : NULL,
				     .want = want,
				     .nodes = want };
	struct rank best = { 0 }, got = { 0 };
	uint64_t s = 0, pool = w->set,
		 naive = by_trying(w, want, by_cost, &best);

	if (!naive && by_cost && w->t->block) {
		by_cost = false;
		naive = by_trying(w, want, false, &best);
	}
	assert_int_equal(cs_topology_holds(w->t, &a), naive != 0);
	assert_int_equal(cs_topology_choose(w->t, &a, &s), naive != 0);
	if (!naive)
		return;
	assert_int_equal(s & ~w->set, 0);
	assert_int_equal(cs_popcount(s), want);
	assert_true(allowed(w->t, s, want));
	assert_true(cs_topology_joins(w->t, &s));
	if (by_cost)
		assert_true(costs(w, s, want, &got, &pool));
	least_group(w, s, pool, want, &got);
	got.leaves = overlap(w->t, 0, s);
	if (w->t->block)
		got.left = got.group = got.leaves = 0;
	if (less(&best, &got))
		fail_msg("of %#llx %u: %#llx, expected %#llx",
			 (unsigned long long)w->set, want,
			 (unsigned long long)s, (unsigned long long)naive);
}

/* What nodes of @s that cost less than @cost take. */
static uint32_t room_below(const struct world *w, uint64_t s, uint64_t cost)
{
	uint32_t room = 0;

	for (uint32_t n = 0; n < w->n_node; n++)
		if (s >> n & 1 && w->cost[n] < cost)
			room += w->fit[n];
	return room;
}

/* Could cheaper nodes of no part hold @want processes?  Blocks may be so small that
 * costs do not count. */
static bool no_dearer(const struct world *w, uint64_t s, uint32_t want)
{
	const uint32_t *part;
	uint32_t n = cs_topology_parts(w->t, 1, &part);
	uint64_t dear = 0;

	for (uint32_t i = 0; i < w->n_node; i++)
		if (s >> i & 1 && w->cost[i] > dear)
			dear = w->cost[i];
	for (uint32_t i = 0; i < n; i++)
		if (room_below(w, w->set & w->t->group[part[i]].nodes[0],
			       dear) >= want)
			return false;
	return room_below(w, s, UINT64_MAX) >= want;
}

/* Processes: is there a part with room for them, and is it taken? */
static void compare_procs(struct world *w, uint32_t want)
{
	struct cs_topology_ask a = {
		.set = &w->set, .fit = w->fit, .want = want, .nodes = 1
	};
	uint64_t s = 0, room = 0;
	bool holds = false;

	for (uint32_t i = 0; i < w->t->n_group; i++) {
		uint32_t k = 0;

		for (uint32_t n = 0; n < w->n_node; n++)
			if (w->set & w->t->group[i].nodes[0] & UINT64_C(1) << n)
				k += w->fit[n];
		holds |= k >= want && (!w->t->block || !w->t->group[i].level);
	}
	for (uint32_t n = 0; w->t->block && n < w->n_node; n++)
		if (w->set & ~w->t->member[0] & UINT64_C(1) << n)
			room += w->fit[n];
	holds |= w->t->block && room >= want;
	room = 0;
	assert_int_equal(cs_topology_holds(w->t, &a), holds);
	assert_int_equal(cs_topology_choose(w->t, &a, &s), holds);
	for (uint32_t n = 0; n < w->n_node; n++)
		room += s >> n & 1 ? w->fit[n] : 0;
	assert_true(!holds || room >= want);
	assert_int_equal(s & ~w->set, 0);
	assert_true(!holds || allowed(w->t, s, 1));
	/* with costs: none is dearer than it must be in some part */
	s = 0;
	a.cost = w->cost;
	assert_int_equal(cs_topology_choose(w->t, &a, &s), holds);
	assert_int_equal(s & ~w->set, 0);
	assert_true(!holds || allowed(w->t, s, 1));
	assert_true(!holds || no_dearer(w, s, want));
}

static void as_by_trying_all(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(600);

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w = { .n_node = 2 + (uint32_t)cs_test_draw(
							 &seed, NODES - 1) };

		w.t = i % 3 ? random_tree(&seed, w.n_node)
			    : random_blocks(&seed, &w.n_node);
		if (!w.t)
			continue;
		w.set = cs_test_draw(&seed, UINT64_C(1) << w.n_node);
		w.set |= cs_test_draw(&seed, UINT64_C(1) << w.n_node);
		for (uint32_t n = 0; n < w.n_node; n++) {
			w.cost[n] = cs_test_draw(&seed, 3);
			w.fit[n] = 1 + (uint32_t)cs_test_draw(&seed, 4);
		}
		for (uint32_t want = 1; want <= w.n_node; want++) {
			compare(&w, want, false);
			compare(&w, want, true);
			compare_procs(&w, 2 * want);
		}
		cs_topology_free(w.t);
	}
}

/* ---- what the engine makes of it --------------------------------------------- */

/* Two switches that nothing joins: nodes 0-1, and 2-5. */
static void open_parts(struct rig *r, const char *params)
{
	static const uint64_t set[] = { 0x03, 0x3c };
	struct cs_group_desc d[] = { switch_of(0, &set[0]),
				     switch_of(0, &set[1]) };

	rig_topology = cs_topology_tree(6, d, 2);
	rig_open(r, params, rig_abc, 6, 2, 2, 0);
}

/* -N3 -n3, -N4 -n5: in the part that has so many nodes, on all of them. */
static void a_job_that_counts_its_nodes_gets_them_in_one_part(void **state)
{
	static const char *const policy[] = { "policy=pack", "policy=adaptive",
					      "policy=pack,backfill=easy" };
	static const uint32_t asks[][2] = { { 3, 3 }, { 4, 5 }, { 2, 2 } };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 3; p++)
		for (int i = 0; i < 3; i++) {
			open_parts(&r, policy[p]);
			j = rig_job(&r, 1, asks[i][1], 100, NULL);
			j.min_nodes = j.max_nodes = asks[i][0];
			rig_submit(&r, &j);
			rig_decide(&r);
			assert_int_equal(rig_running(&r, 1).alloc->n_node,
					 asks[i][0]);
			rig_close(&r);
		}
}

/* Nodes 0 to 6 and 7 to 8, in parts that nothing joins: switches, or base blocks. */
static void open_unequal(struct rig *r, const char *params, bool blocks)
{
	static const uint64_t set[] = { 0x7f, 0x180 };
	static const uint32_t size = 1;
	struct cs_group_desc d[] = { switch_of(0, &set[0]),
				     switch_of(0, &set[1]) };

	rig_topology = blocks ? cs_topology_block(9, d, 2, 7, &size, 1)
			      : cs_topology_tree(9, d, 2);
	rig_open(r, params, NULL, 9, 2, 2, 0);
}

/* @each of the four cores on each of the @n nodes of @set are taken. */
static void take_some(struct rig *r, uint64_t set, uint32_t n, uint32_t each)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j = rig_job(r, 9, n * each, 1000, NULL);

	o.nodeset = (uint32_t)cs_engine_nodeset(r->engine, &set);
	j.option = &o;
	j.procs_per_node = each;
	j.min_nodes = j.max_nodes = n;
	rig_submit(r, &j);
	rig_decide(r);
	assert_true(rig_runs(r, 9));
}

/* One core is free on each node of the first part, which would fit -n7 best; of at
 * most two nodes only the second part holds it.  -N2 -n7 finds its nodes, too, where
 * the first ones of its part have one core each. */
static void bounded_nodes_are_found_where_they_have_room(void **state)
{
	static const char *const policy[] = { "policy=pack", "policy=adaptive",
					      "policy=pack,backfill=easy" };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int p = 0; p < 3; p++)
		for (int blocks = 0; blocks < 2; blocks++) {
			open_unequal(&r, policy[p], blocks);
			take_some(&r, 0x7f, 7, 3);
			j = rig_job(&r, 1, 7, 100, NULL);
			j.max_nodes = 2;
			rig_submit(&r, &j);
			rig_decide(&r);
			assert_string_equal(rig_where(&r, 1),
					    "7:0,1,2,3 8:0,1,2");
			rig_close(&r);

			open_unequal(&r, policy[p], blocks);
			rig_add_in(&r, 2, 8, 1000, NULL, 0x180);
			take_some(&r, 0x0f, 4, 3);
			j = rig_job(&r, 1, 7, 100, NULL);
			j.min_nodes = j.max_nodes = 2;
			rig_submit(&r, &j);
			rig_decide(&r);
			assert_string_equal(rig_where(&r, 1),
					    "4:0,1,2,3 5:0,1,2");
			rig_close(&r);
		}
}

/* Blocks of 2 nodes, planned in blocks of 2, 4 and 8. */
static void open_blocks(struct rig *r, const char *params)
{
	static const uint64_t set[] = { 0x03, 0x0c, 0x30, 0xc0 };
	static const uint32_t size[] = { 1, 2, 4 };
	struct cs_group_desc d[4];

	for (int i = 0; i < 4; i++)
		d[i] = switch_of(0, &set[i]);
	rig_topology = cs_topology_block(8, d, 4, 2, size, 3);
	rig_open(r, params, rig_abc, 8, 2, 2, 0);
}

/* Nodes (least, most), processes; and the nodes that it gets, 0: it never starts. */
static const uint32_t counted_in_blocks[][4] = {
	{ 3, 3, 3, 3 }, { 4, 4, 5, 4 },	 { 4, 4, 8, 4 },  { 5, 5, 5, 5 },
	{ 5, 5, 6, 5 }, { 7, 7, 10, 7 }, { 3, 4, 14, 4 }, { 2, 8, 8, 2 },
	{ 2, 8, 9, 0 }, { 3, 8, 17, 0 }, { 1, 0, 8, 2 },  { 1, 0, 9, 0 },
	{ 5, 8, 32, 8 }
};

/* A block is chosen by the least number of nodes that the job asks for. */
static void a_job_that_counts_its_nodes_gets_them_in_a_block(void **state)
{
	static const char *const policy[] = { "policy=pack", "policy=adaptive",
					      "policy=cst",
					      "policy=pack,backfill=easy" };
	const size_t n = sizeof(counted_in_blocks) / sizeof(*counted_in_blocks);
	struct cs_job j;
	struct rig r;

	(void)state;
	for (size_t k = 0; k < 4 * n; k++) {
		const uint32_t *ask = counted_in_blocks[k / 4];

		open_blocks(&r, policy[k % 4]);
		j = rig_job(&r, 1, ask[2], 100, NULL);
		j.min_nodes = ask[0];
		j.max_nodes = ask[1];
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 1), ask[3] != 0);
		assert_int_equal(cs_engine_could_run(r.engine, 1), ask[3] != 0);
		if (ask[3])
			assert_int_equal(rig_running(&r, 1).alloc->n_node,
					 ask[3]);
		rig_close(&r);
	}
}

/* A node of each block of four is taken: three are left; for four one waits. */
static void counted_nodes_of_a_block_are_waited_for(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	open_blocks(&r, "policy=pack");
	rig_add_in(&r, 1, 4, 100, NULL, 0x01);
	rig_add_in(&r, 2, 4, 200, NULL, 0x10);
	rig_decide(&r);
	for (uint32_t id = 3; id <= 4; id++) {
		j = rig_job(&r, id, 4, 1000, NULL);
		j.min_nodes = j.max_nodes = id;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_int_equal(rig_running(&r, 3).alloc->n_node, 3);
	assert_false(rig_runs(&r, 4));
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	rig_close(&r);
}

static void a_job_starts_in_one_part_or_not(void **state)
{
	struct rig r;

	(void)state;
	open_parts(&r, "policy=pack,backfill=easy");
	rig_add(&r, 1, 10, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "2:0,1,2,3 3:0,1,2,3 4:0,1");
	/* 14 cores are free, at most 8 of them in one part */
	rig_add(&r, 2, 9, 100, NULL);
	rig_add(&r, 3, 17, 100, NULL);
	rig_decide(&r);
	assert_false(rig_runs(&r, 2));
	assert_true(cs_engine_could_run(r.engine, 2));
	assert_false(cs_engine_could_run(r.engine, 3));
	rig_add(&r, 4, 7, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 4), "0:0,1,2,3 1:0,1,2");
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_close(&r);
}

/* As long as estimated with all cores of its nodes in use. */
static void add_dense(struct rig *r, uint32_t id, uint32_t procs,
		      int64_t estimate_s)
{
	struct cs_job j = rig_job(r, id, procs, estimate_s, NULL);

	j.base_procs = 4;
	rig_submit(r, &j);
}

static void no_start_is_promised_across_parts(void **state)
{
	static const char *const policy[] = { "policy=conservative",
					      "policy=easy" };
	const uint64_t *nodes;
	struct rig r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		open_parts(&r, policy[i]);
		add_dense(&r, 1, 8, 100);
		add_dense(&r, 2, 8, 300);
		add_dense(&r, 3, 8, 200);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 1), "0:0,1,2,3 1:0,1,2,3");
		assert_string_equal(rig_where(&r, 3), "4:0,1,2,3 5:0,1,2,3");
		/* from 200 on four nodes would be free, two of each part */
		add_dense(&r, 4, 16, 100);
		rig_decide(&r);
		assert_int_equal(
			cs_engine_predicted_start_us(r.engine, 4, &nodes),
			300 * RIG_S);
		if (nodes)
			assert_int_equal(nodes[0], 0x3c);
		rig_at(&r, 199);
		rig_finish(&r, 1);
		rig_finish(&r, 3);
		rig_decide(&r);
		assert_false(rig_runs(&r, 4));
		/* its part is kept for it */
		add_dense(&r, 5, 8, 200);
		add_dense(&r, 6, 8, 200);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 5), "0:0,1,2,3 1:0,1,2,3");
		assert_false(rig_runs(&r, 6));
		rig_at(&r, 299);
		rig_finish(&r, 2);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 4),
				    "2:0,1,2,3 3:0,1,2,3 4:0,1,2,3 5:0,1,2,3");
		rig_close(&r);
	}
}

static void a_layout_that_no_part_holds_gets_denser(void **state)
{
	struct rig r;

	(void)state;
	/* one process a node would need six nodes */
	open_parts(&r, "policy=ssp,layout=model");
	rig_add(&r, 1, 6, 100, "c");
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_int_equal(rig_running(&r, 1).alloc->n_node, 3);
	rig_close(&r);
}

static void explain_says_that_what_is_free_is_apart(void **state)
{
	char text[1024];
	struct rig r;

	(void)state;
	open_parts(&r, "policy=pack,backfill=easy");
	rig_add(&r, 1, 10, 100, NULL);
	rig_add(&r, 2, 9, 100, NULL);
	rig_decide(&r);
	cs_explain(r.engine, 2, NULL, text, sizeof(text));
	assert_contains(text, "needs 9 cores, 14 free, but below switches that "
			      "are not connected");
	rig_close(&r);
}

/* Of equal nodes the one below the switch with the fewest others. */
static void a_job_of_one_node_fills_up_a_switch(void **state)
{
	struct rig r;

	(void)state;
	rig_topology = example();
	rig_open(&r, "policy=pack,backfill=easy", NULL, 10, 2, 2, 0);
	rig_add(&r, 1, 3, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "6:0,1,2");
	rig_add(&r, 2, 3, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 2), "7:0,1,2");
	/* the tightest node goes before */
	rig_add(&r, 3, 1, 100, NULL);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 3), "6:3");
	rig_close(&r);
}

static const char *const policies[] = {
	"policy=fcfs,unprofiled=model",
	"policy=easy,unprofiled=model",
	"policy=pack,backfill=easy",
	"policy=pack",
	"policy=ssp,order=slurm",
	"policy=cstws,backfill=easy,cases=12345",
	"policy=cst,backfill=easy,cases=12345",
	"policy=cst,jobs_per_node=3,cases=12345",
	"policy=cst",
	"policy=conservative,unprofiled=model",
	"policy=glts,min_util_gain=0,unprofiled=model,backfill_cases=12345,slack=3",
	"policy=glts+",
	"policy=ostrich,unprofiled=model",
	"policy=pack,share_scope=user",
};

/* All that run are each in one part. */
static void check_parts(struct rig *r)
{
	uint32_t id[256];
	size_t n = cs_engine_list(r->engine, true, id, 256);

	for (size_t i = 0; i < n; i++) {
		struct cs_running x = rig_running(r, id[i]);
		uint64_t set = 0;

		cs_alloc_mark(x.alloc, &set);
		if (!cs_topology_joins(r->machine->topology, &set))
			fail_msg("job %u on %#llx", id[i],
				 (unsigned long long)set);
	}
}

static void run_world(uint64_t *seed, const char *policy)
{
	static const char *const names[] = { "a", "b", "c", NULL };
	uint32_t nodes = 2 + (uint32_t)cs_test_draw(seed, NODES - 1), idle = 0;
	struct rig r;
	struct cs_machine *m;

	rig_topology = cs_test_draw(seed, 3) ? random_tree(seed, nodes)
					     : random_blocks(seed, &nodes);
	if (!rig_topology)
		return;
	rig_open(&r, policy, rig_abc, nodes, 2, 2, 0);
	m = r.machine;
	for (uint32_t id = 1; id <= 30; id++) {
		const char *name = names[cs_test_draw(seed, 4)];

		rig_add(&r, id, 1 + (uint32_t)cs_test_draw(seed, 3 * nodes),
			1 + (int64_t)cs_test_draw(seed, 300), name);
		if (cs_test_draw(seed, 3))
			continue;
		rig_decide(&r);
		check_parts(&r);
		rig_finish_some(&r, !cs_test_draw(seed, 3), seed);
	}
	/* whoever could ever run does */
	for (uint32_t round = 0; round < 400 && idle < 2; round++) {
		uint32_t id[256];

		idle = rig_decide(&r) ? 0 : idle + 1;
		check_parts(&r);
		if (cs_engine_list(r.engine, true, id, 256))
			idle = 0;
		rig_finish_some(&r, false, seed);
	}
	for (uint32_t id = 1; id <= 30; id++) {
		uint32_t all[256];
		size_t n = cs_engine_list(r.engine, false, all, 256);

		for (size_t i = 0; i < n; i++)
			if (all[i] == id && cs_engine_could_run(r.engine, id))
				fail_msg("%s: job %u waits for ever on %u "
					 "nodes",
					 policy, id, m->n_node);
	}
	rig_close(&r);
}

static void no_job_is_in_two_parts_under_any_policy(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(150);

	(void)state;
	for (uint64_t i = 0; i < worlds; i++)
		run_world(&seed,
			  policies[i % (sizeof(policies) / sizeof(*policies))]);
}

/* ---- memory ------------------------------------------------------------------- */

static void a_machine_takes_its_copy_along(void **state)
{
	const struct cs_node like = { .sockets = 1,
				      .cores_per_socket = 1,
				      .threads = 1 };
	struct cs_machine *m = cs_machine_create(10, &like), *to;
	long failed = 0;

	(void)state;
	m->topology = example();
	for (;; failed++) {
		cs_test_left = failed;
		to = cs_machine_copy(m);
		cs_test_left = -1;
		if (to)
			break;
	}
	assert_true(failed > 12);
	assert_int_equal(to->topology->n_group, 7);
	assert_string_equal(to->topology->group[3].name, "s");
	assert_int_equal(chosen(to->topology, 0x3ff, 2), 0x0c0);
	cs_machine_free(to);
	cs_machine_free(m);
}

static void without_memory_there_is_no_topology(void **state)
{
	static const uint64_t set[] = { 0x3, 0xc };
	static const uint32_t size[] = { 1 };
	struct cs_group_desc d[] = { switch_of(0, &set[0]),
				     switch_of(0, &set[1]) };

	(void)state;
	for (int block = 0; block < 2; block++) {
		struct cs_topology *t = NULL;
		long failed = 0;

		for (; !t; failed++) {
			cs_test_left = failed;
			t = block ? cs_topology_block(4, d, 2, 2, size, 1)
				  : cs_topology_tree(4, d, 2);
			cs_test_left = -1;
		}
		assert_true(failed > 8);
		cs_topology_free(t);
	}
	assert_null(cs_topology_tree(0, d, 2));
	assert_null(cs_topology_tree(4, d, 0));
	assert_null(cs_topology_block(4, d, 2, 0, size, 1));
	cs_topology_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_the_head),
		cmocka_unit_test(parts_that_nothing_joins_hold_no_job_together),
		cmocka_unit_test(light_nodes_come_before_near_ones),
		cmocka_unit_test(what_it_has_decides_where_the_rest_is),
		cmocka_unit_test(blocks_are_taken_as_the_host_does),
		cmocka_unit_test(only_so_many_blocks_of_the_level_below),
		cmocka_unit_test(as_by_trying_all),
		cmocka_unit_test(
			a_job_that_counts_its_nodes_gets_them_in_one_part),
		cmocka_unit_test(bounded_nodes_are_found_where_they_have_room),
		cmocka_unit_test(
			a_job_that_counts_its_nodes_gets_them_in_a_block),
		cmocka_unit_test(counted_nodes_of_a_block_are_waited_for),
		cmocka_unit_test(a_job_starts_in_one_part_or_not),
		cmocka_unit_test(no_start_is_promised_across_parts),
		cmocka_unit_test(a_layout_that_no_part_holds_gets_denser),
		cmocka_unit_test(explain_says_that_what_is_free_is_apart),
		cmocka_unit_test(a_job_of_one_node_fills_up_a_switch),
		cmocka_unit_test(no_job_is_in_two_parts_under_any_policy),
		cmocka_unit_test(a_machine_takes_its_copy_along),
		cmocka_unit_test(without_memory_there_is_no_topology),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
