/* SPDX-License-Identifier: GPL-2.0-or-later */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <math.h>
#include <strings.h>

#include "common/params/params.h"

#define PREFIX "cosched_"

static const struct cs_param_row *row_of(const char *key)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(row[i].key, key))
			return &row[i];
	fail_msg("no key '%s'", key);
	return NULL;
}

static const char *value_of(const struct cs_params *p, const char *key)
{
	static char buf[CS_PATH_MAX];

	cs_params_print(p, row_of(key), buf, sizeof(buf));
	return buf;
}

/* Read @list live; the caller frees. */
static struct cs_params good(const char *list)
{
	struct cs_err err = { "" };
	struct cs_params p;

	if (cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, &err))
		fail_msg("'%s': %s", list, err.text);
	return p;
}

/* @list is refused with @want in the message, and *ret is untouched. */
static void bad_host(enum cs_param_host host, const char *list,
		     const char *prefix, const char *want)
{
	struct cs_err err = { "" };
	struct cs_params p, was;

	memset(&p, 0x5a, sizeof(p));
	was = p;
	if (cs_params_parse(&p, host, list, prefix, &err) != -EINVAL)
		fail_msg("'%s' was taken", list);
	assert_contains(err.text, want);
	assert_memory_equal(&p, &was, sizeof(p));
	assert_int_equal(cs_params_parse(&p, host, list, prefix, NULL),
			 -EINVAL);
}

static void bad(const char *list, const char *want)
{
	bad_host(CS_HOST_LIVE, list, PREFIX, want);
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
		{ "adaptive", "fcfs", "group", "conservative", "auto", NULL,
		  "12345" },
		{ "cover", "fcfs", "cover", "easy", "dense", NULL, NULL },
		{ "ostrich", "ostrich", "space", "conservative", "dense", NULL,
		  NULL },
		{ "ostrich-paper", "ostrich", "space", "none", "dense", NULL,
		  NULL },
		{ "multisite", "fcfs", "space", "easy", "dense", NULL, NULL },
		{ "multisite-adaptive", "fcfs", "space", "easy", "dense", NULL,
		  NULL },
		{ "multisite+", "fcfs", "space", "easy", "dense", NULL, NULL },
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
				    !strcmp(names[i], "pect")	 ? "pect"
				    : !strncmp(names[i], "b", 1) ? "gang"
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

static void the_default_preset_is_adaptive_live_and_easy_simulated(void **state)
{
	struct cs_params p;

	(void)state;
	assert_int_equal(cs_params_init(&p, CS_HOST_LIVE), 0);
	assert_string_equal(p.policy, "adaptive");
	assert_int_equal(p.mode, CS_MODE_OFF);
	assert_int_equal(p.order, CS_ORDER_SLURM);
	assert_int_equal(p.place, CS_PLACE_GROUP);
	assert_int_equal(p.backfill, CS_BACKFILL_CONSERVATIVE);
	assert_int_equal(p.layout, CS_LAYOUT_AUTO);
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

/* A what-if takes slurmctld's defaults, all but the mode. */
static void a_simulation_may_have_the_live_defaults(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	struct cs_params live, sim;

	(void)state;
	assert_int_equal(cs_params_init(&live, CS_HOST_LIVE), 0);
	assert_int_equal(cs_params_init(&sim, CS_HOST_SIM_LIVE), 0);
	assert_int_equal(sim.mode, CS_MODE_ACT);
	for (size_t i = 0; i < n; i++) {
		char a[CS_PATH_MAX], b[CS_PATH_MAX];

		cs_params_print(&live, &row[i], a, sizeof(a));
		cs_params_print(&sim, &row[i], b, sizeof(b));
		if (strcmp(row[i].key, "mode"))
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
	assert_int_equal(p.place, CS_PLACE_GROUP);
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
		{ "cosched_slice=gang", "cosched_place=space beside it" },
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
	bad("cosched_policy=best", "'cosched_policy' is 'best', expected a "
				   "preset: fcfs, easy, conservative, pack, "
				   "ssp, cstws, cst, glts, fbo, ns, nh, "
				   "glts+, pect, bc, br, brms, brmms, "
				   "brmms+, adaptive, cover, ostrich, "
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
	bad("cosched_backfill=conservative,cosched_head_slack=1.5",
	    "'cosched_head_slack' is 1.5, expected 1, or "
	    "cosched_backfill=easy");
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

/* ----------------------------------------------------------------- lists */

static void slurms_own_items_are_left_alone(void **state)
{
	struct cs_params p = good("defer,bf_interval=30, cosched_mode=shadow ,"
				  ",,bf_continue,x=y=z");

	(void)state;
	assert_int_equal(p.mode, CS_MODE_SHADOW);
	cs_params_done(&p);
	p = good("");
	assert_int_equal(p.mode, CS_MODE_OFF);
	cs_params_done(&p);
}

static void keys_are_compared_whole(void **state)
{
	(void)state;
	bad("cosched_mod=act", "unknown key 'cosched_mod', expected one of "
			       "`cosched params`, perhaps 'cosched_mode'");
	bad("cosched_modes=act", "perhaps 'cosched_mode'");
	bad("cosched_polcy=cst", "perhaps 'cosched_policy'");
	bad("cosched_jobs_pernode=3", "perhaps 'cosched_jobs_per_node'");
	bad("cosched_=3", "unknown key 'cosched_'");
	bad("cosched_mode =act", "unknown key 'cosched_mode '");
	bad("cosched_interval=3", "unknown key 'cosched_interval'");
}

/* What a typing error would make of the prefix is ours, too. */
static void a_misspelt_prefix_is_refused(void **state)
{
	(void)state;
	bad("Cosched_mode=act", "perhaps 'cosched_mode'");
	bad("cosched-mode=act", "perhaps 'cosched_mode'");
	bad("coschedmode=act", "perhaps 'cosched_mode'");
	bad("cosched=act", "unknown key 'cosched'");
	bad("COSCHED_MODE=act", "perhaps 'cosched_mode'");
}

/* A prefix a little off, before a key of ours: nobody else's, so it is a typing
 * error.  Slurm's own keys and words that only look alike stay alone. */
static void a_prefix_near_ours_is_refused(void **state)
{
	static const char *const near[] = {
		"coshed_mode=act", "cosced_mode=act",	"coschd_mode=act",
		"csched_mode=act", "coshced_polcy=cst", "coshed-mode",
		"Coshed_depth=1",
	};
	static const char *const left[] = {
		"sched_interval=5",
		"sched_min_interval=3",
		"sched_max_job_start=1",
		"batch_sched_delay=3",
		"bf_mode=1",
		"coshed_nothing_of_ours=1",
		"coshed_=1",
		"coshed",
		"_mode=1",
		"cached_items=3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
		bad(near[i], "unknown key '");
	bad(near[0], "unknown key 'coshed_mode', expected one of "
		     "`cosched params`, perhaps 'cosched_mode'");
	bad(near[4], "perhaps 'cosched_policy'");
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		struct cs_params p = good(left[i]);

		cs_params_done(&p);
	}
}

struct told {
	char text[4096];
};

static void tell(void *arg, size_t at, const char *text)
{
	struct told *t = arg;
	size_t n = strlen(t->text);

	snprintf(t->text + n, sizeof(t->text) - n, "%zu %s\n", at, text);
}

static int errors_of(const char *list, struct told *ret)
{
	ret->text[0] = '\0';
	return cs_params_errors(CS_HOST_LIVE, list, PREFIX, tell, ret);
}

static void all_errors_of_a_list_are_told(void **state)
{
	static const char list[] =
		"defer,cosched_mode=on, cosched_polcy=cst,bf_interval=1,"
		"coshed_depth=1,cosched_jobs_per_node=0,cosched_log=here,"
		"cosched_place=group,cosched_backfill=esay,cosched_depth";
	struct told t;

	(void)state;
	assert_int_equal(errors_of("cosched_mode=act,defer", &t), 0);
	assert_string_equal(t.text, "");
	assert_int_equal(errors_of(list, &t), 7);
	assert_contains(t.text, "6 'cosched_mode' is 'on', expected off, "
				"shadow, act\n");
	assert_contains(t.text, "23 unknown key 'cosched_polcy'");
	assert_contains(t.text, "55 unknown key 'coshed_depth'");
	assert_contains(t.text, "70 'cosched_jobs_per_node' is '0', expected");
	assert_contains(t.text, "\n94 'cosched_log' is 'here', expected an "
				"absolute path, such as "
				"'/var/log/slurm/here'\n");
	assert_contains(t.text, "131 'cosched_backfill' is 'esay'");
	assert_contains(t.text, "153 'cosched_depth' has no value");
	/* what keys need of each other, where each is good */
	assert_int_equal(errors_of("cosched_log=/a,cosched_place=group,"
				   "cosched_backfill=easy,cosched_hang_s=10,"
				   "cosched_period_ms=10000,cosched_cases=31",
				   &t),
			 3);
	assert_contains(t.text, "15 'cosched_place' is 'group'");
	assert_contains(t.text, "75 'cosched_period_ms' is 10000");
	assert_contains(t.text, "99 'cosched_cases' is '31'");
	assert_int_equal(errors_of("cosched_policy=cts", &t), 1);
	assert_contains(t.text,
			"0 'cosched_policy' is 'cts', expected a preset");
}

static void an_item_is_good_or_bad_by_itself(void **state)
{
	struct cs_err err = { "" };

	(void)state;
	assert_int_equal(cs_params_item(CS_HOST_SIM, "place=group", "", &err),
			 0);
	assert_int_equal(cs_params_item(CS_HOST_SIM, "policy=cst", "", &err),
			 0);
	assert_int_equal(
		cs_params_item(CS_HOST_SIM, "max_slowdown=0.5", "", &err),
		-EINVAL);
	assert_contains(err.text, "'max_slowdown' is '0.5', expected");
	assert_int_equal(cs_params_item(CS_HOST_SIM, "policy=cts", "", &err),
			 -EINVAL);
	assert_int_equal(cs_params_item(CS_HOST_SIM, "cases=31", "", &err),
			 -EINVAL);
	assert_int_equal(cs_params_item(CS_HOST_SIM, "polcy=cst", "", NULL),
			 -EINVAL);
}

static void a_key_without_a_value_is_refused(void **state)
{
	(void)state;
	bad("cosched_mode", "'cosched_mode' has no value, expected "
			    "'cosched_mode=VALUE'");
	bad("cosched_mode=", "'cosched_mode' is '', expected off, shadow, act");
	bad("cosched_depth=", "'cosched_depth' is '', expected");
}

static void a_key_given_twice_is_refused(void **state)
{
	(void)state;
	bad("cosched_depth=1,cosched_depth=1",
	    "'cosched_depth' is given twice, expected once");
	bad("cosched_policy=cst,cosched_policy=ssp", "given twice");
	bad("cosched_hold=rank,cosched_campaign_hold=rank", "given twice");
}

static void add_line(void *arg, size_t at, const char *text)
{
	size_t used = strlen(arg);

	snprintf((char *)arg + used, 512 - used, "%zu %s\n", at, text);
}

/* As if each key had its new name, and each is told once, where it stands. */
static void old_names_hold_and_are_told(void **state)
{
	const char *old = "bf_interval=30, cosched_hold=strict,"
			  "cosched_inside=spt,cosched_small=model,hold=1";
	const char *now = "cosched_campaign_hold=strict,"
			  "cosched_campaign_order=spt,cosched_unprofiled=model";
	struct cs_params p = { 0 };
	struct cs_err err = { "" };
	char told[512] = "";

	(void)state;
	assert_return_code(
		cs_params_parse(&p, CS_HOST_LIVE, old, "cosched_", &err), 0);
	assert_int_equal(p.campaign_hold, CS_CAMPAIGN_HOLD_STRICT);
	assert_int_equal(p.campaign_order, CS_CAMPAIGN_ORDER_SPT);
	assert_int_equal(p.unprofiled, CS_UNPROFILED_MODEL);
	cs_params_done(&p);
	cs_params_renamed(old, "cosched_", add_line, told);
	assert_string_equal(
		told,
		"16 'cosched_hold' is the old name of cosched_campaign_hold: the next release refuses it\n"
		"36 'cosched_inside' is the old name of cosched_campaign_order: the next release refuses it\n"
		"55 'cosched_small' is the old name of cosched_unprofiled: the next release refuses it\n");
	*told = '\0';
	cs_params_renamed(now, "cosched_", add_line, told);
	assert_string_equal(told, "");
}

static void without_a_prefix_every_item_is_ours(void **state)
{
	struct cs_err err = { "" };
	struct cs_params p;

	(void)state;
	assert_int_equal(cs_params_parse(&p, CS_HOST_SIM,
					 "policy=cst,profiles=p.json", "",
					 &err),
			 0);
	assert_string_equal(p.profiles, "p.json");
	cs_params_done(&p);
	bad_host(CS_HOST_SIM, "defer", "", "unknown key 'defer'");
	bad_host(CS_HOST_SIM, "cosched_mode=act", "",
		 "unknown key 'cosched_mode'");
}

static void hostile_items_give_one_clean_line(void **state)
{
	char list[9000];
	struct cs_params p;

	(void)state;
	bad("cosched_%n%s=1", "unknown key 'cosched_%n%s'");
	bad("cosched_log=/a\nb", "'cosched_log' is '/a?b', expected no control "
				 "characters");
	bad("cosched_mode=\xff\xfe", "'cosched_mode' is '\?\?', expected");
	memset(list, 'a', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	memcpy(list, "cosched_", 8);
	bad(list, "unknown key 'cosched_aaa");
	memcpy(list, "cosched_log=/", 13);
	bad(list, "'cosched_log' has 8987 bytes, expected less than 1024");
	list[12 + CS_PATH_MAX] = '\0';
	bad(list, "has 1024 bytes");
	list[11 + CS_PATH_MAX] = '\0';
	for (size_t i = 13; list[i]; i++)
		list[i] = '/';
	p = good(list);
	assert_int_equal(strlen(p.log), CS_PATH_MAX - 1);
	cs_params_done(&p);
}

/* ---------------------------------------------------------------- values */

static void values_are_parsed_whole(void **state)
{
	static const char *const list[] = {
		"cosched_depth=1x",
		"cosched_depth= 1",
		"cosched_depth=1.0",
		"cosched_depth=+1",
		"cosched_depth=0x10",
		"cosched_depth=1e3",
		"cosched_depth=--1",
		"cosched_depth=-",
		"cosched_depth=99999999999999999999",
		"cosched_depth=9223372036854775808",
		"cosched_max_slowdown=1.2.3",
		"cosched_max_slowdown=1.5x",
		"cosched_max_slowdown=1e1",
		"cosched_max_slowdown=nan",
		"cosched_max_slowdown=inf",
		"cosched_max_slowdown=.",
		"cosched_max_slowdown=-",
		"cosched_max_slowdown=0x2",
		"cosched_max_slowdown=1.2500000000000000",
		"cosched_mode=action",
		"cosched_mode=Act",
		"cosched_mode=off|act",
		"cosched_place=pair",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		bad(list[i], "expected");
}

static void values_out_of_range_are_refused_with_the_range(void **state)
{
	(void)state;
	bad("cosched_jobs_per_node=0",
	    "'cosched_jobs_per_node' is '0', expected a whole number from 1 to "
	    "4096 jobs");
	bad("cosched_jobs_per_node=4097", "from 1 to 4096");
	bad("cosched_depth=-1", "from 0 to 100000000");
	bad("cosched_max_slowdown=0.99",
	    "'cosched_max_slowdown' is '0.99', expected a number from 1 to "
	    "100");
	bad("cosched_max_slowdown=100.000001", "from 1 to 100");
	bad("cosched_min_util_gain=-1.5", "from -1 to 1000");
	bad("cosched_seed=9007199254740993", "from 0 to 9007199254740992");
	bad("cosched_place=anywhere",
	    "'cosched_place' is 'anywhere', expected space, pack, pair-first, "
	    "pair-best");
}

static void both_ends_of_each_range_are_taken(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		for (int end = 0; end < 2; end++) {
			double v = end ? row[i].max : row[i].min;
			char list[128], buf[64];
			struct cs_params p;

			if (row[i].kind != CS_PARAM_INT &&
			    row[i].kind != CS_PARAM_REAL)
				continue;
			snprintf(list, sizeof(list), "%s=%.*f", row[i].key,
				 row[i].kind == CS_PARAM_REAL ? 2 : 0, v);
			assert_int_equal(cs_params_parse(&p, CS_HOST_SIM, list,
							 "", NULL),
					 0);
			cs_params_print(&p, &row[i], buf, sizeof(buf));
			assert_close(strtod(buf, NULL), v, 0);
			cs_params_done(&p);
		}
	}
}

static void reals_are_read_exactly(void **state)
{
	static const struct {
		const char *text;
		double v;
	} row[] = {
		{ "1.25", 1.25 },
		{ "0.45", 0.45 },
		{ ".1", 0.1 },
		{ "3.", 3 },
		{ "-0.3", -0.3 },
		{ "-0", 0 },
		{ "0.00000000000001", 1e-14 },
		{ "123.456789012345", 123.456789012345 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char list[64];
		struct cs_params p;

		snprintf(list, sizeof(list), "cosched_min_util_gain=%s",
			 row[i].text);
		p = good(list);
		assert_close(p.min_util_gain, row[i].v, 0);
		assert_false(signbit(p.min_util_gain) && !(row[i].v < 0));
		cs_params_done(&p);
	}
}

static void what_is_printed_reads_back_the_same(void **state)
{
	uint64_t seed = cs_test_seed();
	const struct cs_param_row *row = row_of("min_util_gain");

	(void)state;
	for (int i = 0; i < 20000; i++) {
		static const double scale[] = { 1, 10, 1e2, 1e4, 1e6, 1e12 };
		double s = scale[cs_test_draw(&seed, 6)];
		double v = (double)cs_test_draw(&seed, (uint64_t)(999 * s)) / s;
		struct cs_params p, q;
		char list[64], buf[32];

		if (cs_test_draw(&seed, 2) && v <= 1)
			v = -v;
		assert_int_equal(cs_params_init(&p, CS_HOST_SIM), 0);
		p.min_util_gain = v;
		cs_params_print(&p, row, buf, sizeof(buf));
		snprintf(list, sizeof(list), "min_util_gain=%s", buf);
		assert_int_equal(
			cs_params_parse(&q, CS_HOST_SIM, list, "", NULL), 0);
		assert_close(q.min_util_gain, v, 0);
		cs_params_done(&p);
		cs_params_done(&q);
	}
}

static void defaults_are_printed_as_they_stand_in_the_table(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	const char *keys = cs_params_preset_keys("adaptive");
	struct cs_params p;

	(void)state;
	assert_int_equal(cs_params_init(&p, CS_HOST_LIVE), 0);
	for (size_t i = 0; i < n; i++) {
		char buf[CS_PATH_MAX], less[8], item[64];
		int len = cs_params_print(&p, &row[i], buf, sizeof(buf));

		assert_int_equal(len, strlen(buf));
		/* snprintf's way with too little room */
		assert_int_equal(cs_params_print(&p, &row[i], less, 3), len);
		assert_memory_equal(less, buf, len < 2 ? (size_t)len : 2);
		assert_int_equal(cs_params_print(&p, &row[i], NULL, 0), len);
		/* but for those of the default preset */
		snprintf(item, sizeof(item), ",%s=", row[i].key);
		if (!strstr(keys, item)) {
			assert_string_equal(buf, row[i].live);
			continue;
		}
		snprintf(item, sizeof(item), ",%s=%s", row[i].key, buf);
		assert_non_null(strstr(keys, item));
	}
	cs_params_done(&p);
}

static void every_key_set_to_its_own_text_gives_the_same(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	struct cs_params p = good("cosched_policy=cstws,cosched_mode=act,"
				  "cosched_log=/var/log/c.log,cosched_depth=5"),
			 q;
	char list[8192], a[CS_PATH_MAX], b[CS_PATH_MAX];
	size_t len = 0;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		cs_params_print(&p, &row[i], a, sizeof(a));
		len += (size_t)snprintf(list + len, sizeof(list) - len,
					"%scosched_%s=%s", i ? "," : "",
					row[i].key, a);
	}
	q = good(list);
	for (size_t i = 0; i < n; i++) {
		cs_params_print(&p, &row[i], a, sizeof(a));
		cs_params_print(&q, &row[i], b, sizeof(b));
		assert_string_equal(a, b);
	}
	cs_params_done(&p);
	cs_params_done(&q);
}

/* ------------------------------------------------------ checks over keys */

static void shares_go_from_time_to_time(void **state)
{
	struct cs_params p = good("cosched_slice_shares=08:00/0.3+20:30/0.15");
	const char *at = p.slice_shares;
	int64_t from;
	double share;

	(void)state;
	assert_true(cs_params_next_share(&at, &from, &share));
	assert_int_equal(from, 28800);
	assert_close(share, .3, 0);
	assert_true(cs_params_next_share(&at, &from, &share));
	assert_int_equal(from, 73800);
	assert_close(share, .15, 0);
	assert_string_equal(at, "");
	cs_params_done(&p);
	p = good("cosched_slice_shares=load");
	cs_params_done(&p);
	bad("cosched_slice_shares=none",
	    "'cosched_slice_shares' holds 'none', expected fixed, load, or "
	    "HH:MM/SHARE with shares from 0.01 to 0.99 in the order of time, "
	    "joined by '+'");
	bad("cosched_slice_shares=", "holds ''");
	bad("cosched_slice_shares=24:00/0.3", "holds '24:00/0.3'");
	bad("cosched_slice_shares=08:60/0.3", "holds '08:60/0.3'");
	bad("cosched_slice_shares=-1:00/0.3", "holds '-1:00/0.3'");
	bad("cosched_slice_shares=8:00/0.3", "holds '8:00/0.3'");
	bad("cosched_slice_shares=08:00-20:00/0.3", "holds '08:00-20:00/0.3'");
	bad("cosched_slice_shares=08:00/30", "holds '08:00/30'");
	bad("cosched_slice_shares=08:00/0", "holds '08:00/0'");
	bad("cosched_slice_shares=08:00/", "holds '08:00/'");
	bad("cosched_slice_shares=08:00/0.3++20:00/0.1", "holds ''");
	bad("cosched_slice_shares=08:00/0.3+", "ends in '+'");
	bad("cosched_slice_shares=08:00/0.3+08:00/0.4", "in the order of time");
	bad("cosched_slice_shares=08:00/0.3+07:00/0.4", "in the order of time");
	bad("cosched_slice_shares=08:00/0.3,cosched_slice_cycle_s=7000",
	    "'cosched_slice_cycle_s' is 7000, expected a divisor of 86400");
}

/* Of 600 s: 100 s for short jobs, 150 s for medium ones, 350 s for long ones. */
#define PECT "policy=pect,slice_cycle_s=600,slice_short_s=100,slice_medium=0.3"

static void every_slice_is_longer_than_its_overhead(void **state)
{
	static const struct {
		const char *list;
		int most_s; /* overhead */
	} row[] = {
		{ PECT, 99 },
		{ "policy=pect,slice_cycle_s=600,slice_short_s=0", 179 },
		{ "policy=pect,slice_cycle_s=600,slice_short_s=0,"
		  "slice_medium=0.9",
		  59 },
		{ "policy=pect,slice_cycle_s=600,slice_short_s=400", 59 },
		{ PECT ",slice_shares=load", 49 },
		{ PECT ",slice_shares=load,slice_least=0.5", 99 },
		{ "policy=pect,slice_cycle_s=600,slice_short_s=100,"
		  "slice_medium=0.05,slice_shares=load",
		  24 },
		{ PECT ",slice_shares=08:00/0.5+20:00/0.9", 49 },
		{ PECT ",slice_shares=08:00/0.02+20:00/0.5", 9 },
		{ PECT ",slice_shares=08:00/0.5+20:00/0.4", 99 },
	};
	struct cs_params p;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char list[256], want[128];

		snprintf(list, sizeof(list), "%s,slice_overhead_s=%d",
			 row[i].list, row[i].most_s);
		assert_int_equal(
			cs_params_parse(&p, CS_HOST_SIM, list, "", NULL), 0);
		cs_params_done(&p);
		snprintf(list, sizeof(list), "%s,slice_overhead_s=%d",
			 row[i].list, row[i].most_s + 1);
		snprintf(want, sizeof(want),
			 "'slice_overhead_s' is %d, expected less than the "
			 "shortest slice (%d s)",
			 row[i].most_s + 1, row[i].most_s + 1);
		bad_host(CS_HOST_SIM, list, "", want);
	}
	bad_host(CS_HOST_SIM, PECT ",slice_overhead_s=86400", "",
		 "expected less than the shortest slice (100 s)");
	bad_host(CS_HOST_SIM, "policy=pect,slice_cycle_s=600", "",
		 "'slice_short_s' is 600, expected less than 'slice_cycle_s' "
		 "(600 s)");
	p = good("cosched_slice_cycle_s=60"); /* there are none */
	cs_params_done(&p);
}

static void partition_modes_are_name_and_mode(void **state)
{
	struct cs_params p = good("cosched_mode=act,cosched_partition_modes="
				  "debug:off+gpu:x:shadow");

	(void)state;
	assert_int_equal(cs_params_mode_of(&p, "debug"), CS_MODE_OFF);
	assert_int_equal(cs_params_mode_of(&p, "gpu:x"), CS_MODE_SHADOW);
	assert_int_equal(cs_params_mode_of(&p, "gpu"), CS_MODE_ACT);
	assert_int_equal(cs_params_mode_of(&p, "debu"), CS_MODE_ACT);
	assert_int_equal(cs_params_mode_of(&p, ""), CS_MODE_ACT);
	cs_params_done(&p);
	bad("cosched_partition_modes=debug",
	    "'cosched_partition_modes' holds 'debug', expected PARTITION:off, "
	    ":shadow or :act, joined by '+'");
	bad("cosched_partition_modes=:off", "holds ':off'");
	bad("cosched_partition_modes=a:on", "holds 'a:on'");
	bad("cosched_partition_modes=a:off+", "ends in '+'");
	bad("cosched_partition_modes=+a:off", "holds ''");
	bad("cosched_partition_modes=a:off++b:off", "holds ''");
	bad("cosched_partition_modes=a:off+b:act+a:act",
	    "names 'a' twice, expected each partition once");
}

static void share_partitions_are_names(void **state)
{
	struct cs_params p = good("cosched_share_partitions=a+bc");

	(void)state;
	assert_true(cs_params_listed(p.share_partitions, "a", true));
	assert_true(cs_params_listed(p.share_partitions, "bc", true));
	assert_false(cs_params_listed(p.share_partitions, "b", true));
	assert_false(cs_params_listed(p.share_partitions, "c", true));
	assert_false(cs_params_listed(p.share_partitions, "a+bc", true));
	assert_false(cs_params_listed(p.share_partitions, "", true));
	assert_true(cs_params_listed("", "a", true));
	assert_false(cs_params_listed("", "a", false));
	assert_true(cs_params_listed(NULL, "a", true));
	cs_params_done(&p);
	bad("cosched_share_partitions=a++b", "holds an empty name");
	bad("cosched_share_partitions=+", "holds an empty name");
	bad("cosched_share_partitions=a+", "holds an empty name");
}

static void a_socket_is_an_absolute_path_or_a_port(void **state)
{
	static const char *const fine[] = { "", "/run/c.sock", "1", "65535" };
	static const char *const wrong[] = {
		"run/c.sock", "0", "65536", "-1", "80x", "localhost:80"
	};
	char list[128];

	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
		struct cs_params p;

		snprintf(list, sizeof(list), "cosched_socket=%s", fine[i]);
		p = good(list);
		assert_string_equal(p.socket, fine[i]);
		cs_params_done(&p);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(list, sizeof(list), "cosched_socket=%s", wrong[i]);
		bad(list, "expected an absolute path or a port from 1 to "
			  "65535");
	}
}

static void live_paths_are_absolute(void **state)
{
	(void)state;
	bad("cosched_log=logs/c.log",
	    "'cosched_log' is 'logs/c.log', expected an absolute path, such as "
	    "'/var/log/slurm/c.log'");
	bad("cosched_profiles=p.json", "'cosched_profiles' is 'p.json', "
				       "expected an absolute path, such as "
				       "'/etc/slurm/p.json'");
	bad("cosched_log=/a,cosched_profiles=/a", "expected two files");
	bad_host(CS_HOST_SIM, "log=a,profiles=a", "", "expected two files");
}

static void the_gate_opens_later_than_a_period(void **state)
{
	struct cs_params p = good("cosched_period_ms=60000,cosched_hang_s=61");

	(void)state;
	cs_params_done(&p);
	bad("cosched_period_ms=60000", "'cosched_period_ms' is 60000, expected "
				       "less than 'cosched_hang_s' (60 s)");
}

/* --------------------------------------------------- beside Slurm's keys */

/*
 * Calls @check with each of Slurm's keys, as Slurm looks for it, and if @both
 * also with or without its '=', as another release may.  Returns how many there
 * are.
 */
static int each_slurm_key(bool both,
			  void (*check)(const char *key, const char *line),
			  const char *line)
{
	char *text = cs_test_file("slurm_scheduler_keys", NULL), *save = NULL;
	int n = 0;

	for (char *key = strtok_r(text, "\n", &save); key;
	     key = strtok_r(NULL, "\n", &save)) {
		char bare[128];

		if (*key == '#')
			continue;
		n++;
		check(key, line);
		if (!both)
			continue;
		snprintf(bare, sizeof(bare), "%s", key);
		if (strchr(bare, '='))
			*strchr(bare, '=') = '\0';
		else
			strcat(bare, "=");
		check(bare, line);
	}
	free(text);
	return n;
}

static void is_not_in(const char *key, const char *line)
{
	if (strcasestr(line, key))
		fail_msg("Slurm finds its '%s' in our '%s'", key, line);
}

static void no_key_of_slurm_is_found_in_ours(void **state)
{
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	char line[2 * CS_PATH_MAX];

	(void)state;
	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "cosched_%s=%s", row[i].key,
			 row[i].live);
		assert_true(each_slurm_key(true, is_not_in, line) >= 80);
		snprintf(line, sizeof(line), "cosched_%s=%s", row[i].key,
			 row[i].sim);
		each_slurm_key(true, is_not_in, line);
		/* every name at once: a key of Slurm's holds no '|' */
		each_slurm_key(true, is_not_in, row[i].names);
	}
	for (const char *const *p = cs_params_presets(); *p; p++) {
		snprintf(line, sizeof(line), "cosched_policy=%s", *p);
		each_slurm_key(true, is_not_in, line);
	}
	each_slurm_key(true, is_not_in, PREFIX);
}

static void is_refused_in_a_value(const char *key, const char *format)
{
	struct cs_err err = { "" };
	char list[512];
	struct cs_params p;

	snprintf(list, sizeof(list), format, key);
	if (cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, &err)) {
		assert_contains(err.text, "looks for that anywhere in "
					  "SchedulerParameters");
		return;
	}
	/* a form in which Slurm does not look for it */
	cs_params_done(&p);
	each_slurm_key(false, is_not_in, list);
}

static void no_value_may_hold_a_key_of_slurm(void **state)
{
	struct cs_params p;

	(void)state;
	bad("cosched_log=/var/log/Deferred.log",
	    "'cosched_log' is '/var/log/Deferred.log', expected a value "
	    "without 'defer': Slurm looks for that anywhere in "
	    "SchedulerParameters");
	bad("cosched_share_partitions=whole_pack", "without 'whole_pack'");
	each_slurm_key(true, is_refused_in_a_value, "cosched_log=/x/%s.1");
	/* the simulator's values never reach Slurm */
	assert_int_equal(
		cs_params_parse(&p, CS_HOST_SIM, "log=defer", "", NULL), 0);
	cs_params_done(&p);
}

/* ---------------------------------------------------------------- memory */

static void each_failed_allocation_is_told_and_leaks_nothing(void **state)
{
	const char *list = "cosched_log=/a,cosched_profiles=/b,"
			   "cosched_policy=ssp";
	struct cs_params p, q, none;
	int rc = 0;

	(void)state;
	CS_TEST_EACH_ALLOC(rc = cs_params_init(&p, CS_HOST_LIVE),
			   rc == -ENOMEM);
	cs_params_done(&p);
	CS_TEST_EACH_ALLOC(
		rc = cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, NULL),
		rc == -ENOMEM);
	CS_TEST_EACH_ALLOC(rc = cs_params_copy(&q, &p), rc == -ENOMEM);
	cs_params_done(&p);
	assert_string_equal(q.log, "/a");
	cs_params_done(&q);
	cs_params_done(&q);
	cs_params_done(NULL);
	memset(&none, 0, sizeof(none));
	assert_int_equal(cs_params_copy(&p, &none), 0);
	assert_null(p.log);
	cs_params_done(&p);
}

static void random_lists_never_break_it(void **state)
{
	static const char *const part[] = {
		"cosched_",
		"mode",
		"=",
		"act",
		",",
		"policy",
		"cst",
		"depth",
		"-1",
		"1.5",
		"max_slowdown",
		" ",
		"log",
		"/x",
		"defer",
		"+",
		":",
		"\xff",
		"partition_modes",
		"%s",
	};
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct cs_err err = { "" };
		char list[512] = "";
		struct cs_params p;
		struct told t;
		uint64_t n = cs_test_draw(&seed, 20);
		int rc;

		while (n--)
			strcat(list,
			       part[cs_test_draw(
				       &seed, sizeof(part) / sizeof(part[0]))]);
		rc = cs_params_parse(&p, CS_HOST_LIVE, list, PREFIX, &err);
		assert_true(rc == 0 || (rc == -EINVAL && *err.text));
		/* the list is bad where it has errors, and its first is theirs */
		assert_int_equal(errors_of(list, &t) > 0, rc != 0);
		if (rc)
			assert_contains(t.text, err.text);
		if (!rc)
			cs_params_done(&p);
	}
}

static void off_is_found_in_a_list_that_is_refused(void **state)
{
	static const struct {
		const char *list;
		bool off;
	} row[] = {
		{ "", false },
		{ "cosched_mode", false },
		{ "cosched_mode=off", true },
		{ "defer, cosched_mode=off ,cosched_max_slowdown=0.5", true },
		{ "cosched_mode=act,cosched_nosuch=1,cosched_mode=off", true },
		{ "cosched_mode=off,cosched_mode=act", false },
		{ "cosched_mode=off,cosched_mode=of", false },
		{ "cosched_mode=Off", false },
		{ "cosched_mode=offset", false },
		{ "cosched_mode=", false },
		{ "xcosched_mode=off,mode=off,cosched_mod=off", false },
		{ "cosched_partition_modes=a:off", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (cs_params_says_off(row[i].list, PREFIX) != row[i].off)
			fail_msg("'%s'", row[i].list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_are_the_rows_of_the_design),
		cmocka_unit_test(
			the_default_preset_is_adaptive_live_and_easy_simulated),
		cmocka_unit_test(a_simulation_may_have_the_live_defaults),
		cmocka_unit_test(what_a_preset_leaves_open_is_the_hosts),
		cmocka_unit_test(a_key_beside_a_preset_wins_wherever_it_stands),
		cmocka_unit_test(gang_presets_are_003_s_schemes_and_ours),
		cmocka_unit_test(
			gang_scheduling_needs_whole_nodes_and_long_slots),
		cmocka_unit_test(policies_are_refused_by_name),
		cmocka_unit_test(slurms_own_items_are_left_alone),
		cmocka_unit_test(keys_are_compared_whole),
		cmocka_unit_test(a_misspelt_prefix_is_refused),
		cmocka_unit_test(a_prefix_near_ours_is_refused),
		cmocka_unit_test(all_errors_of_a_list_are_told),
		cmocka_unit_test(an_item_is_good_or_bad_by_itself),
		cmocka_unit_test(a_key_without_a_value_is_refused),
		cmocka_unit_test(a_key_given_twice_is_refused),
		cmocka_unit_test(without_a_prefix_every_item_is_ours),
		cmocka_unit_test(hostile_items_give_one_clean_line),
		cmocka_unit_test(values_are_parsed_whole),
		cmocka_unit_test(
			values_out_of_range_are_refused_with_the_range),
		cmocka_unit_test(both_ends_of_each_range_are_taken),
		cmocka_unit_test(reals_are_read_exactly),
		cmocka_unit_test(what_is_printed_reads_back_the_same),
		cmocka_unit_test(
			defaults_are_printed_as_they_stand_in_the_table),
		cmocka_unit_test(every_key_set_to_its_own_text_gives_the_same),
		cmocka_unit_test(shares_go_from_time_to_time),
		cmocka_unit_test(every_slice_is_longer_than_its_overhead),
		cmocka_unit_test(partition_modes_are_name_and_mode),
		cmocka_unit_test(share_partitions_are_names),
		cmocka_unit_test(a_socket_is_an_absolute_path_or_a_port),
		cmocka_unit_test(live_paths_are_absolute),
		cmocka_unit_test(the_gate_opens_later_than_a_period),
		cmocka_unit_test(no_key_of_slurm_is_found_in_ours),
		cmocka_unit_test(no_value_may_hold_a_key_of_slurm),
		cmocka_unit_test(
			each_failed_allocation_is_told_and_leaks_nothing),
		cmocka_unit_test(old_names_hold_and_are_told),
		cmocka_unit_test(off_is_found_in_a_list_that_is_refused),
		cmocka_unit_test(random_lists_never_break_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
