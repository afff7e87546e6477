/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Presets, and the defaults of each host. */
#include "paramrig.h"

#include <errno.h>

static const char *value_of(const struct cs_params *p, const char *key)
{
	static char buf[CS_PATH_MAX];

	cs_params_print(p, row_of(key), buf, sizeof(buf));
	return buf;
}

/* --------------------------------------------------------------- presets */

static void presets_are_the_rows_of_the_design(void **state)
{
	static const struct {
		const char *name, *order, *place, *backfill, *layout;
		const char *cases, *backfill_cases; /* NULL: as by default */
	} want[] = {
		{ "fcfs", "fcfs", "space", "none", "dense", NULL, NULL },
		{ "easy", "fcfs", "space", "easy", "dense", NULL, NULL },
		{ "conservative", "fcfs", "space", "conservative", "dense",
		  NULL, NULL },
		{ "pack", "slurm", "pack", "conservative", "dense", NULL,
		  NULL },
		{ "stock", "slurm", "pack", "stock", "dense", NULL, NULL },
		{ "ssp", "fcfs", "space", "conservative", "model", NULL, NULL },
		{ "cstws", "fcfs", "pair-first", "conservative", "model",
		  "1234", "14" },
		{ "cst", "fcfs", "pair-best", "conservative", "model", "1234",
		  "14" },
		{ "glts", "fcfs", "group", "conservative", "model", NULL,
		  NULL },
		{ "fbo", "fcfs", "group", "conservative", "model", NULL, NULL },
		{ "ns", "fcfs", "group", "conservative", "model", NULL, NULL },
		{ "nh", "fcfs", "group", "conservative", "model", NULL, NULL },
		{ "glts+", "fcfs", "group", "conservative", "gain", NULL,
		  "12345" },
		{ "pect", "fcfs", "space", "conservative", "dense", NULL,
		  NULL },
		{ "bc", "fcfs", "space", "none", "dense", NULL, NULL },
		{ "br", "fcfs", "space", "none", "dense", NULL, NULL },
		{ "brms", "fcfs", "space", "none", "dense", NULL, NULL },
		{ "brmms", "fcfs", "space", "none", "dense", NULL, NULL },
		{ "brmms+", "fcfs", "space", "none", "dense", NULL, NULL },
		{ "balanced", "shifted", "cover", "easy", "dense", NULL, NULL },
		{ "adaptive", "fcfs", "group", "conservative", "auto", NULL,
		  "12345" },
		{ "cover", "fcfs", "cover", "easy", "dense", NULL, NULL },
		{ "cover+", "expansion", "cover", "easy", "dense", NULL, NULL },
		{ "ostrich", "ostrich", "space", "conservative", "dense", NULL,
		  NULL },
		{ "ostrich-paper", "ostrich", "space", "none", "dense", NULL,
		  NULL },
		{ "multisite", "fcfs", "space", "easy", "dense", NULL, NULL },
		{ "multisite-adaptive", "fcfs", "space", "easy", "dense", NULL,
		  NULL },
		{ "multisite+", "work", "space", "easy", "dense", NULL, NULL },
	};
	const char *const *names = cs_params_presets();

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		char list[64];
		struct cs_params p;
		bool plus;

		assert_string_equal(names[i], want[i].name);
		snprintf(list, sizeof(list), "cosched_policy=%s", names[i]);
		assert_int_equal(
			cs_params_parse(&p, CS_HOST_SIM, list, PREFIX, NULL),
			0);
		assert_string_equal(value_of(&p, "order"), want[i].order);
		assert_string_equal(value_of(&p, "slice"),
				    !strcmp(names[i], "pect") ? "pect"
				    : !strncmp(names[i], "br", 2) ||
						    !strcmp(names[i], "bc")
					    ? "gang"
					    : "none");
		assert_string_equal(value_of(&p, "place"), want[i].place);
		assert_string_equal(value_of(&p, "backfill"), want[i].backfill);
		assert_string_equal(value_of(&p, "layout"), want[i].layout);
		plus = !strcmp(names[i], "glts+");
		assert_string_equal(value_of(&p, "cases"),
				    want[i].cases ?: "12345");
		assert_string_equal(value_of(&p, "backfill_cases"),
				    want[i].backfill_cases ?: "145");
		assert_int_equal(p.early_start, plus ? 16 : 0);
		assert_int_equal(p.low_load, plus ? CS_LOW_LOAD_LAYOUT
						  : CS_LOW_LOAD_SPREAD);
		cs_params_done(&p);
	}
	assert_null(names[sizeof(want) / sizeof(want[0])]);
}

static void the_default_preset_is_balanced_live_and_easy_simulated(void **state)
{
	struct cs_params p;

	(void)state;
	assert_int_equal(cs_params_init(&p, CS_HOST_LIVE), 0);
	assert_string_equal(p.policy, "balanced");
	assert_string_equal(p.policy, cs_params_default_policy(CS_HOST_LIVE));
	assert_int_equal(p.mode, CS_MODE_OFF);
	assert_int_equal(p.order, CS_ORDER_SHIFTED);
	assert_int_equal(p.place, CS_PLACE_COVER);
	assert_int_equal(p.backfill, CS_BACKFILL_EASY);
	assert_int_equal(p.passing, CS_PASSING_EXPANSION);
	assert_int_equal(p.layout, CS_LAYOUT_DENSE);
	assert_int_equal(p.unprofiled, CS_UNPROFILED_PACK);
	assert_int_equal(p.share_min_s, 0);
	cs_params_done(&p);
	assert_int_equal(cs_params_init(&p, CS_HOST_SIM), 0);
	assert_string_equal(p.policy, "easy");
	assert_int_equal(p.mode, CS_MODE_ACT);
	assert_int_equal(p.place, CS_PLACE_SPACE);
	assert_int_equal(p.layout, CS_LAYOUT_DENSE);
	assert_int_equal(p.unprofiled, CS_UNPROFILED_MODEL);
	assert_int_equal(p.share_min_s, 600);
	cs_params_done(&p);
}

/* A what-if takes slurmctld's defaults, but for the mode, and learn: propose changes no
 * decision, and costs time. */
static void a_simulation_may_have_the_live_defaults(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	struct cs_params live, sim;

	(void)state;
	assert_int_equal(cs_params_init(&live, CS_HOST_LIVE), 0);
	assert_int_equal(cs_params_init(&sim, CS_HOST_SIM_LIVE), 0);
	assert_int_equal(sim.mode, CS_MODE_ACT);
	assert_int_equal(live.learn, CS_LEARN_PROPOSE);
	assert_int_equal(sim.learn, CS_LEARN_OFF);
	for (size_t i = 0; i < n; i++) {
		char a[CS_PATH_MAX], b[CS_PATH_MAX];

		cs_params_print(&live, &row[i], a, sizeof(a));
		cs_params_print(&sim, &row[i], b, sizeof(b));
		if (strcmp(row[i].key, "mode") && strcmp(row[i].key, "learn"))
			assert_string_equal(a, b);
	}
	cs_params_done(&live);
	cs_params_done(&sim);
	/* what slurmctld refuses a simulation may try */
	assert_int_equal(
		cs_params_parse(&sim, CS_HOST_SIM_LIVE, "slice=pect", "", NULL),
		0);
	cs_params_done(&sim);
}

static void a_key_beside_a_preset_wins_wherever_it_stands(void **state)
{
	struct cs_params p = good("cosched_place=space,cosched_policy=cst");

	(void)state;
	assert_int_equal(p.place, CS_PLACE_SPACE);
	assert_int_equal(p.layout, CS_LAYOUT_MODEL);
	cs_params_done(&p);
	p = good("cosched_policy=fcfs,cosched_backfill=easy");
	assert_int_equal(p.backfill, CS_BACKFILL_EASY);
	cs_params_done(&p);
	p = good("cosched_order=slurm");
	assert_int_equal(p.order, CS_ORDER_SLURM);
	assert_int_equal(p.place, CS_PLACE_COVER);
	cs_params_done(&p);
}

/* Taken by its name live, a preset that leaves order or layout open is laid out and
 * ordered as a site's other jobs. */
static void what_a_preset_leaves_open_is_the_hosts(void **state)
{
	struct cs_params p = good("cosched_policy=ostrich");

	(void)state;
	assert_int_equal(p.backfill, CS_BACKFILL_CONSERVATIVE);
	assert_int_equal(p.layout, CS_LAYOUT_AUTO);
	cs_params_done(&p);
	p = good("cosched_policy=adaptive");
	assert_int_equal(p.order, CS_ORDER_SLURM);
	cs_params_done(&p);
}

/* What the rows of gang scheduling differ in. */
static void gang_presets_are_003_s_schemes_and_ours(void **state)
{
	static const struct {
		const char *name, *block, *extra, *deal;
	} want[] = {
		{ "bc", "first", "none", "narrow" },
		{ "br", "buddy", "none", "narrow" },
		{ "brms", "buddy", "kept", "narrow" },
		{ "brmms", "buddy", "lent", "narrow" },
		{ "brmms+", "any", "lent", "wide" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct cs_params p;
		char list[64];

		snprintf(list, sizeof(list), "cosched_policy=%s", want[i].name);
		assert_int_equal(
			cs_params_parse(&p, CS_HOST_SIM, list, PREFIX, NULL),
			0);
		assert_string_equal(value_of(&p, "gang_block"), want[i].block);
		assert_string_equal(value_of(&p, "gang_extra"), want[i].extra);
		assert_string_equal(value_of(&p, "gang_deal"), want[i].deal);
		assert_int_equal(p.slot_s, 5);
		cs_params_done(&p);
		assert_int_equal(
			cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, NULL),
			0);
		assert_int_equal(p.slot_s, 30);
		assert_string_equal(value_of(&p, "unprofiled"), "model");
		cs_params_done(&p);
	}
}

static void gang_scheduling_needs_whole_nodes_and_long_slots(void **state)
{
	static const struct {
		const char *params, *want;
	} row[] = {
		{ "cosched_policy=adaptive,cosched_slice=gang",
		  "cosched_place=space beside it" },
		{ "cosched_place=group",
		  "cosched_backfill=conservative beside it ('cosched_policy' is "
		  "balanced unless it is set)" },
		{ "cosched_backfill=conservative",
		  "beside it ('cosched_policy' is balanced unless it is set)" },
		{ "cosched_policy=easy,cosched_slice=gang",
		  "cosched_backfill=none beside it" },
		{ "cosched_policy=fcfs,cosched_slice=gang",
		  "cosched_unprofiled=model beside it" },
		{ "cosched_policy=brmms+,cosched_layout=auto",
		  "cosched_layout=dense or gain beside it" },
		{ "cosched_policy=brmms+,cosched_slot_s=29",
		  "'cosched_slot_s' is 29, expected at least 30 s" },
		{ "cosched_policy=br,cosched_slot_s=40,cosched_slice_rest_s=40",
		  "'cosched_slot_s' is 40, expected more than "
		  "'cosched_slice_guard_s' and 'cosched_slice_rest_s' together "
		  "(43 s)" },
		{ "cosched_policy=br,cosched_gang_rounds=yes",
		  "'cosched_gang_rounds' is 'yes', expected no" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_err err = { "" };
		struct cs_params p;

		assert_int_equal(cs_params_parse(&p, CS_HOST_LIVE,
						 row[i].params, PREFIX, &err),
				 -EINVAL);
		assert_contains(err.text, row[i].want);
	}
}

static void policies_are_refused_by_name(void **state)
{
	(void)state;
	bad("cosched_policy=best",
	    "'cosched_policy' is 'best', expected a "
	    "preset: fcfs, easy, conservative, pack, stock, "
	    "ssp, cstws, cst, glts, fbo, ns, nh, "
	    "glts+, pect, bc, br, brms, brmms, "
	    "brmms+, balanced, adaptive, cover, cover+, ostrich, "
	    "ostrich-paper, multisite, "
	    "multisite-adaptive or multisite+");
	bad("cosched_policy=pect,cosched_slice_overhead_s=2",
	    "'cosched_slice_guard_s' is 3, expected at most "
	    "'cosched_slice_overhead_s' (2 s)");
	bad("cosched_policy=pect,cosched_slice_rest_s=4",
	    "'cosched_slice_rest_s' is 4, expected at least 5 s");
	bad("cosched_policy=pect,cosched_slice_guard_s=2",
	    "'cosched_slice_guard_s' is 2, expected at least 3 s");
	bad("cosched_policy=pect,cosched_class_medium_s=599",
	    "'cosched_class_medium_s' is 599, expected at least "
	    "'cosched_class_short_s' (600 s)");
	bad("cosched_policy=brmms+,cosched_slice_guard_s=0",
	    "'cosched_slice_guard_s' is 0, expected at least 3 s");
	bad("cosched_place=group,cosched_backfill=easy",
	    "expected cosched_backfill=conservative");
	bad("cosched_place=cover,cosched_backfill=conservative",
	    "expected cosched_backfill=easy or none");
	bad("cosched_policy=pack,cosched_head_slack=1.5",
	    "'cosched_head_slack' is 1.5, expected 1, or "
	    "cosched_backfill=easy");
	bad("cosched_mpl=2",
	    "'cosched_mpl' is 2, expected 1: jobs share cores in the simulator "
	    "only");
	bad("cosched_mpl=17", "from 1 to 16");
	bad("cosched_policy=pack,cosched_mpl=2",
	    "'cosched_mpl' is 2, expected 1, or cosched_place=cover beside it");
	bad("cosched_policy=cover,cosched_slice=pect,cosched_mpl=2",
	    "'cosched_mpl' is 2, expected 1, or cosched_slice=none beside it");
	bad("cosched_cases=541", "expected digits from 1 to 5 in increasing");
	bad("cosched_policy=pect,cosched_site_rule=single",
	    "'cosched_sites' is not given");
	bad("cosched_policy=brmms,cosched_site_rule=single,cosched_sites=a",
	    "'cosched_site_rule' is 'single', expected cosched_slice=none or "
	    "pect beside it");
	bad("cosched_policy=multisite",
	    "'cosched_sites' is not given, expected topology");
	bad("cosched_policy=multisite,cosched_sites=a++b",
	    "'cosched_sites' holds an empty name");
	bad("cosched_policy=multisite,cosched_sites=+a",
	    "'cosched_sites' holds an empty name");
	bad("cosched_policy=multisite,cosched_place=pair-best",
	    "'cosched_site_rule' is 'split', expected cosched_place=space, pack "
	    "or group, or backfill=conservative beside it");
	bad("cosched_policy=multisite,cosched_place=cover",
	    "'cosched_site_rule' is 'split', expected cosched_place=space, pack "
	    "or group beside it");
	bad("cosched_across=-1", "expected");
	bad("cosched_across=nan", "expected");
	bad("cosched_across=1e9", "expected");
	bad("cosched_policy=", "expected a preset");
	bad("cosched_policy=CST", "expected a preset, perhaps 'cst': fcfs, ");
	bad("cosched_policy=gltss", "expected a preset, perhaps 'glts': fcfs");
	bad("cosched_policy=nonesuch", "expected a preset: fcfs, ");
	bad("cosched_max_slowdown=1,2",
	    "'cosched_max_slowdown' is '1,2', expected a number with a point "
	    "('.'): a comma ends the value");
	bad("cosched_max_slowdown=0,5,cosched_mode=act",
	    "'cosched_max_slowdown' is '0,5', expected a number with a point");
	bad("cosched_max_slowdown=0 , 5 ,defer",
	    "'cosched_max_slowdown' is '0 , 5', expected a number with a "
	    "point");
	bad("cosched_depth=1,5",
	    "'cosched_depth' is '1,5', expected a whole number");
	bad("cosched_max_slowdown=1.2,5x",
	    "'5x' behind 'cosched_max_slowdown=1.2' is no key: a comma ends "
	    "the value; expected '.' in a number, '+' in a list");
	bad("cosched_share_partitions=a,2",
	    "'2' behind 'cosched_share_partitions=a' is no key");
	bad("cosched_cases=1, 2,3", "'2' behind 'cosched_cases=1'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_are_the_rows_of_the_design),
		cmocka_unit_test(
			the_default_preset_is_balanced_live_and_easy_simulated),
		cmocka_unit_test(a_simulation_may_have_the_live_defaults),
		cmocka_unit_test(what_a_preset_leaves_open_is_the_hosts),
		cmocka_unit_test(a_key_beside_a_preset_wins_wherever_it_stands),
		cmocka_unit_test(gang_presets_are_003_s_schemes_and_ours),
		cmocka_unit_test(
			gang_scheduling_needs_whole_nodes_and_long_slots),
		cmocka_unit_test(policies_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
