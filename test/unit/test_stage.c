/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stage's variant is a table and a row that leads to it: a placement of a few lines,
 * first-node, is chosen here where place=pack stands (the linker wraps the chooser).
 * Whoever goes by a variant's name and not by its table is found out.
 *
 * A job gets the lowest node of its partition that holds it whole, whatever the nodes
 * weigh; one that no node holds waits.  place=space takes the lightest.
 */
#include "cs_test.h"
#include "rig.h"

#include <stdlib.h>

#include "common/log/read_line.h"
#include "common/log/write_line.h"
#include "common/model/layout.h"
#include "common/place/place.h"
#include "common/state/state.h"

static struct cs_alloc *first_node(const struct cs_occ *o,
				   const struct cs_shape *s,
				   const uint64_t *allowed, bool *ret_nomem)
{
	uint64_t *only = calloc(cs_node_words(o->machine), sizeof(*only));
	struct cs_alloc *a = NULL;

	*ret_nomem = !only;
	for (uint32_t n = 0; !a && !*ret_nomem && n < o->machine->n_node; n++) {
		if (!cs_bit(allowed, n))
			continue;
		cs_bit_set(only, n);
		a = cs_layout_choose(o, s, only, ret_nomem);
		cs_bit_clear(only, n);
	}
	free(only);
	return a;
}

static const struct cs_place_ops first_node_ops = { .alone = true,
						    .place = cs_place_alone,
						    .choose = first_node };

/* The row of place=pack; NULL: as it is. */
static const struct cs_place_ops *row;

const struct cs_place_ops *__real_cs_place_choose(const struct cs_params *p);
const struct cs_place_ops *__wrap_cs_place_choose(const struct cs_params *p);

const struct cs_place_ops *__wrap_cs_place_choose(const struct cs_params *p)
{
	return row && p->place == CS_PLACE_PACK ? row
						: __real_cs_place_choose(p);
}

/* Four nodes of 2 x 2 cores, the lower the heavier. */
static void open_weighed(struct rig *r, const char *params)
{
	uint64_t all = 15;

	rig_open(r, params, NULL, 4, 2, 2, 0);
	for (uint32_t n = 0; n < 4; n++)
		r->machine->node[n].weight = 4 - n;
	assert_int_equal(cs_machine_check(r->machine, NULL), 0);
	cs_engine_free(r->engine);
	r->engine = cs_engine_create(&r->params, r->machine, r->profiles, NULL);
	assert_non_null(r->engine);
	r->all = (uint32_t)cs_engine_nodeset(r->engine, &all);
}

static void a_table_is_all_that_a_placement_needs(void **state)
{
	struct rig r;

	(void)state;
	for (int ours = 0; ours < 2; ours++) {
		row = &first_node_ops;
		open_weighed(&r,
			     ours ? "policy=easy,place=pack" : "policy=easy");
		rig_add(&r, 1, 4, 100, NULL);
		rig_add(&r, 2, 4, 50, NULL);
		rig_decide(&r);
		assert_string_equal(rig_where(&r, 1),
				    ours ? "0:0,1,2,3" : "3:0,1,2,3");
		assert_string_equal(rig_where(&r, 2),
				    ours ? "1:0,1,2,3" : "2:0,1,2,3");
		rig_add(&r, 3, 8, 100, NULL); /* two nodes */
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 3), !ours);
		rig_close(&r);
	}
}

/* Every job that a node holds runs in the end, under the stages as they are; rig.c
 * checks the engine's invariants at each step. */
static void it_goes_with_the_other_stages(void **state)
{
	static const char *const with[] = {
		"policy=fcfs,place=pack",	  "policy=easy,place=pack",
		"policy=conservative,place=pack", "policy=ostrich,place=pack",
		"policy=pect,place=pack",	  "order=slurm,place=pack",
	};
	uint64_t rng = cs_test_seed();

	(void)state;
	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++) {
		struct rig r;

		row = &first_node_ops;
		open_weighed(&r, with[i]);
		for (uint32_t id = 1; id <= 100; id++)
			rig_add(&r, id, 1 + (uint32_t)cs_test_draw(&rng, 4),
				1 + (int64_t)cs_test_draw(&rng, 5000), NULL);
		rig_decide(&r);
		for (int64_t s = 1; r.n_log < 100 && s < 400000; s += 60) {
			rig_finish_due(&r, s * RIG_S);
			rig_decide(&r);
		}
		assert_int_equal(r.n_log, 100);
		for (size_t k = 0; k < r.n_log; k++)
			assert_true(r.log[k].procs_per_node <= 4);
		rig_close(&r);
	}
}

/* Of the header of a log that an engine with @params writes. */
static bool is_strict(const char *params)
{
	static char line[65536];
	struct cs_logread *parser = cs_logread_create();
	struct cs_log_line l;
	struct rig r;
	bool strict;
	int n;

	open_weighed(&r, params);
	n = cs_log_header(line, sizeof(line), r.machine, &r.params,
			  (enum cs_mode)r.params.mode, NULL, NULL, 0, NULL,
			  "test");
	assert_in_range(n, 1, (int)sizeof(line) - 1);
	assert_int_equal(cs_logread_line(parser, line, (size_t)n - 1, &l, NULL),
			 0);
	strict = l.header->strict;
	cs_log_line_done(&l);
	cs_logread_free(parser);
	rig_close(&r);
	return strict;
}

#define STRICT "policy=ostrich,campaign_hold=strict"

/* Rule 11 of `cosched check`: jobs that start one by one keep their campaigns' order. */
static void rule_11_goes_by_the_tables(void **state)
{
	static const struct cs_place_ops in_groups = { .place = cs_place_alone,
						       .choose = first_node,
						       .shares = true };

	(void)state;
	row = &first_node_ops;
	assert_true(is_strict(STRICT ",place=pack"));
	assert_false(is_strict("policy=ostrich,place=pack"));
	assert_false(is_strict("policy=easy,campaign_hold=strict,place=pack"));
	row = &in_groups;
	assert_false(is_strict(STRICT ",place=pack"));
	assert_true(is_strict(STRICT ",place=space"));
	assert_false(is_strict(STRICT ",place=pair-first"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_is_all_that_a_placement_needs),
		cmocka_unit_test(it_goes_with_the_other_stages),
		cmocka_unit_test(rule_11_goes_by_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
