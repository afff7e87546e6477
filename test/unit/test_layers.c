/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups with several matched jobs on a node (jobs_per_node above 2). */
#include "formrig.h"
#include "rig.h"
#include "simrig.h"

#include "common/place/group_layers.h"

/*
 * a, b, c were measured in pairs.  x, y, z have vectors: of two or three together
 * the memory bandwidth is asked for .9 or 1.35 times what there is.  loud is fine
 * beside one, not beside two.
 */
static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	" \"a\":{\"self\":{\"1\":1}}, \"b\":{\"self\":{\"1\":1}},"
	" \"c\":{\"self\":{\"1\":1}}, \"loud\":{\"self\":{\"1\":1}},"
	" \"x\":{\"self\":{\"1\":1},\"resources\":{\"memory_bandwidth\":0.45}},"
	" \"y\":{\"self\":{\"1\":1},\"resources\":{\"memory_bandwidth\":0.45}},"
	" \"z\":{\"self\":{\"1\":1},\"resources\":{\"memory_bandwidth\":0.45}}},"
	"\"pairs\":[" RIG_PAIR("a", "b", "1.02", "1.03") "," RIG_PAIR(
		"a", "c", "1.04",
		"1.05") "," RIG_PAIR("b", "c", "1.06",
				     "1.07") "," RIG_PAIR("loud", "a", "1.2",
							  "1.0") "," RIG_PAIR("loud",
									      "b",
									      "1.2",
									      "1.0") "]}";

#define GLTS "policy=glts,min_util_gain=-1,unprofiled=model"
#define THREE GLTS ",jobs_per_node=3"

/* Nodes of 2 x 8 cores and 12 GB. */
static void open_many(struct rig *r, const char *params, uint32_t nodes)
{
	rig_open(r, params, profiles, nodes, 2, 8, 12000);
}

static void add_mem(struct rig *r, uint32_t id, uint32_t procs,
		    const char *profile, uint64_t node_mb)
{
	struct cs_job j = rig_job(r, id, procs, 600, profile);

	j.mem_node_mb = node_mb;
	rig_submit(r, &j);
}

static uint32_t group_of(struct rig *r, uint32_t id)
{
	return rig_runs(r, id) ? rig_running(r, id).group : 0;
}

/* Four cores each (8 / 3 = 2 of a socket), the measured slowdowns multiplied. */
static void three_on_a_node_multiply_their_measured_slowdowns(void **state)
{
	struct rig r;

	(void)state;
	open_many(&r, THREE, 1);
	add_mem(&r, 1, 4, "a", 4000);
	add_mem(&r, 2, 4, "b", 4000);
	add_mem(&r, 3, 4, "c", 4000);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,1,8,9");
	assert_string_equal(rig_where(&r, 2), "0:2,3,10,11");
	assert_string_equal(rig_where(&r, 3), "0:4,5,12,13");
	assert_int_equal(rig_start(&r, 1)->role, CS_ROLE_PRIMARY);
	for (uint32_t id = 1; id <= 3; id++) {
		assert_int_equal(rig_start(&r, id)->rule, 1);
		assert_int_equal(group_of(&r, id), group_of(&r, 1));
	}
	assert_close(rig_running(&r, 1).slowdown, 1.02 * 1.04, 1e-12);
	assert_close(rig_running(&r, 2).slowdown, 1.03 * 1.06, 1e-12);
	assert_close(rig_running(&r, 3).slowdown, 1.05 * 1.07, 1e-12);
	/* three jobs' work on one node */
	assert_close(rig_start(&r, 1)->gain,
		     4 / (1.02 * 1.04) + 4 / (1.03 * 1.06) + 4 / (1.05 * 1.07) -
			     1,
		     1e-9);
	rig_close(&r);
}

/* Two share freely; a third makes it 1 + .45 * .35 for each of them. */
static void four_on_a_node_add_their_vectors(void **state)
{
	struct rig r;

	(void)state;
	open_many(&r, GLTS ",jobs_per_node=4,max_slowdown=1.4", 1);
	add_mem(&r, 1, 4, "x", 3000);
	add_mem(&r, 2, 4, "y", 3000);
	rig_decide(&r);
	assert_close(rig_running(&r, 1).slowdown, 1, 1e-12);
	rig_close(&r);

	open_many(&r, GLTS ",jobs_per_node=4,max_slowdown=1.4", 1);
	for (uint32_t id = 1; id <= 4; id++)
		add_mem(&r, id, 4, id == 1 ? "x" : id == 2 ? "y" : "z", 3000);
	rig_decide(&r);
	for (uint32_t id = 1; id <= 4; id++)
		assert_close(rig_running(&r, id).slowdown,
			     1 + .45 * (4 * .45 - 1), 1e-12);
	rig_close(&r);
}

/* 1.36 for each of four: above the default MAX_SL of 1.25, 1.1575 of three is
 * not. */
static void who_would_slow_somebody_down_too_much_stays_out(void **state)
{
	struct rig r;

	(void)state;
	open_many(&r, GLTS ",jobs_per_node=4", 1);
	for (uint32_t id = 1; id <= 4; id++)
		add_mem(&r, id, 4, id == 1 ? "x" : id == 2 ? "y" : "z", 3000);
	rig_decide(&r);
	assert_close(rig_running(&r, 1).slowdown, 1 + .45 * (3 * .45 - 1),
		     1e-12);
	assert_false(rig_runs(&r, 4));
	rig_close(&r);

	/* 1.2 * 1.2 for the loud one */
	open_many(&r, THREE, 1);
	add_mem(&r, 1, 4, "loud", 4000);
	add_mem(&r, 2, 4, "a", 4000);
	add_mem(&r, 3, 4, "b", 4000);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
}

static void two_on_a_node_are_two(void **state)
{
	struct rig r;

	(void)state;
	open_many(&r, GLTS, 1);
	for (uint32_t id = 1; id <= 3; id++)
		add_mem(&r, id, 8, id == 1 ? "a" : id == 2 ? "b" : "c", 4000);
	rig_decide(&r);
	assert_int_equal(rig_runs(&r, 1) + rig_runs(&r, 2) + rig_runs(&r, 3),
			 2);
	rig_close(&r);
}

/* Job 3 would need 4.1 GB where 4 are left; job 4 does not. */
static void memory_keeps_a_job_out_and_the_next_is_taken(void **state)
{
	struct rig r;

	(void)state;
	open_many(&r, THREE, 1);
	add_mem(&r, 1, 4, "a", 4000);
	add_mem(&r, 2, 4, "b", 4000);
	add_mem(&r, 3, 4, "c", 4100);
	add_mem(&r, 4, 4, "c", 4000);
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	assert_true(rig_runs(&r, 4));
	assert_int_equal(group_of(&r, 4), group_of(&r, 1));
	rig_close(&r);
}

/* Three with two processes a node are six of the four cores. */
static void cores_keep_a_job_out(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	for (uint32_t ppn = 1; ppn <= 2; ppn++) {
		rig_open(&r, THREE, profiles, 2, 2, 2, 0);
		for (uint32_t id = 1; id <= 3; id++) {
			j = rig_job(&r, id, 2 * ppn, 600,
				    id == 1   ? "a"
				    : id == 2 ? "b"
					      : "c");
			j.procs_per_node = ppn;
			rig_submit(&r, &j);
		}
		rig_decide(&r);
		assert_true(rig_runs(&r, 2));
		assert_int_equal(rig_runs(&r, 3), ppn == 1);
		rig_close(&r);
	}
}

/* Job 1 runs on both nodes; jobs 2 and 3 come on top of it. */
static void case_3_takes_several_on_a_running_jobs_nodes(void **state)
{
	struct rig r;

	(void)state;
	open_many(&r, THREE ",cases=34", 2);
	add_mem(&r, 1, 16, "a", 4000);
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 1)->rule, 4);
	r.now_us = 60 * RIG_S;
	add_mem(&r, 2, 8, "b", 4000);
	add_mem(&r, 3, 8, "c", 4000);
	rig_decide(&r);
	assert_int_equal(rig_start(&r, 2)->rule, 3);
	assert_int_equal(group_of(&r, 3), group_of(&r, 1));
	assert_int_equal(group_of(&r, 2), group_of(&r, 1));
	assert_close(rig_running(&r, 1).slowdown, 1.02 * 1.04, 1e-12);
	rig_close(&r);
}

/* The group goes on as long as its primary job does, its slowdowns as many as are
 * left. */
static void who_ends_leaves_the_others_faster(void **state)
{
	struct rig r;

	(void)state;
	open_many(&r, THREE, 1);
	add_mem(&r, 1, 4, "a", 4000);
	add_mem(&r, 2, 4, "b", 4000);
	add_mem(&r, 3, 4, "c", 4000);
	rig_decide(&r);
	r.now_us = 100 * RIG_S;
	rig_finish(&r, 2);
	rig_decide(&r);
	assert_close(rig_running(&r, 1).slowdown, 1.04, 1e-12);
	assert_close(rig_running(&r, 3).slowdown, 1.05, 1e-12);
	assert_int_equal(group_of(&r, 3), group_of(&r, 1));
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_int_equal(group_of(&r, 3), 0);
	rig_close(&r);
}

/* Do jobs 1 to 3 share a node where @limited must not last more than @limit_s? */
static bool three_with_limit(uint32_t limited, int64_t limit_s)
{
	struct rig r;
	bool all;

	open_many(&r, THREE, 1);
	for (uint32_t id = 1; id <= 3; id++) {
		struct cs_job j = rig_job(&r, id, 4, 600,
					  id == 1   ? "a"
					  : id == 2 ? "b"
						    : "c");
		struct cs_job_partition o = *j.option;

		j.mem_node_mb = 4000;
		j.base_procs = 1;
		if (id == limited)
			o.limit_max_us = limit_s * RIG_S;
		j.option = &o;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	all = rig_runs(&r, 1) && rig_runs(&r, 2) && rig_runs(&r, 3);
	rig_close(&r);
	return all;
}

/* 600 s at MAX_SL are 750 s. */
static void limits_are_kept(void **state)
{
	(void)state;
	assert_true(three_with_limit(0, 0));
	for (uint32_t id = 1; id <= 3; id++) {
		assert_true(three_with_limit(id, 751));
		assert_false(three_with_limit(id, 660));
		assert_false(three_with_limit(id, 601));
	}
}

/* Formation. */

static struct cs_profiles *formation(struct formation *f, uint32_t nodes,
				     const char *params, uint32_t layers,
				     struct cs_slowdown *model)
{
	struct cs_profiles *p;
	struct cs_err err = { "" };

	if (cs_profiles_read(&p, profiles, strlen(profiles), "test", &err))
		fail_msg("%s", err.text);
	form_begin(f, nodes, params);
	*model = (struct cs_slowdown){ .profiles = p, .unknown_pair = 1.05 };
	f->primary.profile = cs_profiles_find(p, "a");
	f->f.primary.job = &f->primary;
	f->f.primary.most = f->params.max_slowdown;
	f->f.primary.cores = 2;
	f->f.layers = layers;
	f->f.model = model;
	f->f.cores = 64;
	f->f.mem_mb = UINT64_MAX;
	return p;
}

/* Of profile @name, beside the primary job by the model. */
static void form_add_as(struct formation *f, const char *name, uint32_t nodes,
			double rest_s)
{
	struct cs_candidate *c = &f->c[f->f.n];
	struct cs_who a = cs_who_is(&f->primary), own;

	form_add(f, nodes, rest_s, 1, 1);
	c->job->profile = cs_profiles_find(f->f.model->profiles, name);
	own = cs_who_is(c->job);
	c->cos = cs_slowdown_beside(f->f.model, own, &a, 1);
	c->harm = cs_slowdown_beside(f->f.model, a, &own, 1);
	c->most = f->params.max_slowdown;
	c->cores = 2;
}

/* The window holds jobs 1 and 2, above which there is 3; 4 begins the next layer,
 * and 5 finds room there too. */
static void a_layer_begins_where_the_one_below_is_full(void **state)
{
	static const uint32_t nodes[] = { 3, 3, 6, 2, 4 };
	static const uint32_t from[] = { 0, 3, 0, 0, 2 };
	struct cs_slowdown model;
	struct formation f;
	struct cs_profiles *p = formation(&f, 6, GLTS, 3, &model);
	const struct cs_formed *g;

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		form_add_as(&f, "b", nodes[i], 900 - i);
	assert_int_equal(cs_group_form(&f.f), 0);
	assert_string_equal(form_group(&f, 0), "1 2 3 4 5");
	g = &f.f.group[0];
	for (uint32_t i = 0; i < g->n; i++) {
		const struct cs_ejob *j = f.c[g->matched[i]].job;

		assert_int_equal(g->from[i], from[j->job.id - 1]);
	}
	assert_int_equal(g->nodes, 6);
	form_end(&f);
	cs_profiles_free(p);
}

static void slowdowns_are_the_worst_of_the_nodes(void **state)
{
	struct cs_slowdown model;
	struct formation f;
	struct cs_profiles *p = formation(&f, 4, GLTS, 2, &model);
	struct cs_formed g = {
		.n = 3, .matched = { 0, 1, 2 }, .from = { 0, 2, 0 }, .nodes = 4
	};
	double cos[3], harm;
	const bool gone[] = { false, true, false };

	(void)state;
	form_add_as(&f, "b", 2, 900);
	form_add_as(&f, "c", 2, 900);
	form_add_as(&f, "b", 4, 900);
	/* nodes 0, 1: a b b; nodes 2, 3: a c b; b beside b is unknown, 1.05 */
	harm = cs_group_layers_suffer(&f.f, &g, NULL, cos);
	assert_close(harm, 1.04 * 1.02, 1e-12);
	assert_close(cos[0], 1.03 * 1.05, 1e-12);
	assert_close(cos[1], 1.05 * 1.07, 1e-12);
	assert_close(cos[2], 1.03 * 1.06, 1e-12);
	harm = cs_group_layers_suffer(&f.f, &g, gone, cos);
	assert_close(harm, 1.02 * 1.02, 1e-12);
	assert_close(cos[2], 1.03 * 1.05, 1e-12);
	form_end(&f);
	cs_profiles_free(p);
}

/* Gain. */

#define DT 0.02

struct count {
	const struct formation *f;
	const struct cs_formed *g;
	double left[CS_MATCHED_MAX + 1]; /* of each, the last is the primary */
	double cos[CS_MATCHED_MAX + 1];	 /* while as many run as .. */
	uint32_t runs;			 /* .. these */
	double work, used;
};

static const struct cs_candidate *of(const struct count *k, uint32_t i)
{
	return i == k->g->n ? &k->f->f.primary : &k->f->c[k->g->matched[i]];
}

static bool is_on(const struct count *k, uint32_t i, uint32_t node)
{
	uint32_t from = i == k->g->n ? 0 : k->g->from[i];

	return k->left[i] > 0 && node >= from && node < from + of(k, i)->nodes;
}

/* What job @i suffers: each of its nodes is looked at. */
static double worst_of(const struct count *k, uint32_t i, uint32_t nodes)
{
	double worst = 0;

	for (uint32_t n = 0; n < nodes; n++) {
		struct cs_who beside[CS_MATCHED_MAX];
		size_t m = 0;
		double sl;

		if (!is_on(k, i, n))
			continue;
		for (uint32_t x = 0; x <= k->g->n; x++)
			if (x != i && is_on(k, x, n))
				beside[m++] = cs_who_is(of(k, x)->job);
		sl = cs_slowdown_beside(k->f->f.model, cs_who_is(of(k, i)->job),
					beside, m);
		worst = sl > worst ? sl : worst;
	}
	return worst;
}

static bool second(struct count *k, uint32_t nodes)
{
	double *cos = k->cos;
	uint32_t runs = 0;

	for (uint32_t i = 0; i < k->g->n; i++)
		runs += k->left[i] > 0;
	if (!runs || k->left[k->g->n] <= 0)
		return false;
	for (uint32_t i = 0; runs != k->runs && i <= k->g->n; i++)
		cos[i] = k->left[i] > 0 ? worst_of(k, i, nodes) : 1;
	k->runs = runs;
	for (uint32_t i = 0; i <= k->g->n; i++) {
		if (k->left[i] <= 0)
			continue;
		k->work += DT * of(k, i)->procs / (of(k, i)->self * cos[i]);
		k->left[i] -= DT / (of(k, i)->pace * cos[i]);
	}
	k->used += DT * nodes;
	return true;
}

static double counted_gain(const struct formation *f, const struct cs_formed *g)
{
	struct count k = { .f = f, .g = g };

	for (uint32_t i = 0; i <= g->n; i++)
		k.left[i] = of(&k, i)->rest_us / 1e6;
	while (second(&k, cs_formed_nodes(&f->f, g)))
		;
	return (k.work - k.used) / k.used;
}

static void the_gain_of_several_a_node_is_a_count_of_node_seconds(void **state)
{
	static const char *const name[] = { "a", "b", "c", "x", "y" };
	uint64_t rng = cs_test_seed(), deep = 0, worlds = cs_test_worlds(100);

	(void)state;
	for (uint64_t round = 0; round < worlds; round++) {
		struct cs_slowdown model;
		struct formation f;
		struct cs_profiles *p = formation(
			&f, 2 + (uint32_t)cs_test_draw(&rng, 6),
			GLTS ",max_slowdown=1.6,matched_longer_s=100000,"
			     "block_size=3",
			1 + (uint32_t)cs_test_draw(&rng, 4), &model);

		f.f.primary.rest_us = 1e6 + 300e6 * cs_test_unit(&rng);
		f.f.primary.self = 1 + cs_test_unit(&rng);
		f.f.primary.pace = f.f.primary.self / 1.1;
		f.f.cores = 2 * (2 + (uint32_t)cs_test_draw(&rng, 4));
		for (int i = 0; i < 8; i++)
			form_add_as(&f, name[cs_test_draw(&rng, 5)],
				    1 + (uint32_t)cs_test_draw(&rng, 3),
				    1 + 300 * cs_test_unit(&rng));
		assert_int_equal(cs_group_form(&f.f), 0);
		for (uint32_t k = 0; k < f.f.n_group && k < 3; k++) {
			const struct cs_formed *g = &f.f.group[k];

			assert_close(g->gain + 1, counted_gain(&f, g) + 1,
				     0.03);
			for (uint32_t i = 1; i < g->n; i++)
				deep += g->from[i] < g->from[i - 1];
		}
		form_end(&f);
		cs_profiles_free(p);
	}
	assert_true(deep > worlds / 4);
}

/* Random traces on nodes of many cores, through the checker. */

static void simulated_logs_hold(void **state)
{
	static const char *const params[] = {
		"policy=glts,slowdowns=table4,max_slowdown=2",
		"policy=glts,slice=pect,slowdowns=table4,class_short_s=10,"
		"class_medium_s=100,slice_cycle_s=100,slice_overhead_s=2,"
		"slice_short_s=20,max_slowdown=1.6",
		"policy=nh,slowdowns=table4,max_slowdown=2",
		"policy=glts,max_slowdown=1.6,low_load=layout",
	};
	static const uint32_t n_params = sizeof(params) / sizeof(params[0]);
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(60);

	(void)state;
	for (uint64_t round = 0; round < worlds; round++) {
		struct simrig r;
		char machine[32], text[512];
		double at = 0;
		uint32_t nodes = 2 + (uint32_t)cs_test_draw(&rng, 6);
		uint32_t sockets = 2 + (uint32_t)cs_test_draw(&rng, 3);
		uint32_t cores = 2 + (uint32_t)cs_test_draw(&rng, 15);

		snprintf(machine, sizeof(machine), "%ux%ux%u", nodes, sockets,
			 cores);
		snprintf(text, sizeof(text),
			 "%s,share_min_s=10,min_util_gain=0,jobs_per_node=%u",
			 params[round % n_params],
			 2 + (uint32_t)cs_test_draw(&rng, 7));
		simrig_open(&r, machine, text, rig_abc);
		for (uint32_t id = 1; id <= 60; id++) {
			double run = 1 + (double)cs_test_draw(&rng, 300);

			at += (double)cs_test_draw(&rng, 20);
			simrig_add(&r, id, at,
				   1 + (uint32_t)cs_test_draw(
					       &rng, sockets * cores * 2),
				   run, run + (double)cs_test_draw(&rng, 100),
				   (int)cs_test_draw(&rng, 3));
		}
		simrig_run_checked(&r);
		simrig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			three_on_a_node_multiply_their_measured_slowdowns),
		cmocka_unit_test(four_on_a_node_add_their_vectors),
		cmocka_unit_test(
			who_would_slow_somebody_down_too_much_stays_out),
		cmocka_unit_test(two_on_a_node_are_two),
		cmocka_unit_test(memory_keeps_a_job_out_and_the_next_is_taken),
		cmocka_unit_test(cores_keep_a_job_out),
		cmocka_unit_test(case_3_takes_several_on_a_running_jobs_nodes),
		cmocka_unit_test(who_ends_leaves_the_others_faster),
		cmocka_unit_test(limits_are_kept),
		cmocka_unit_test(a_layer_begins_where_the_one_below_is_full),
		cmocka_unit_test(slowdowns_are_the_worst_of_the_nodes),
		cmocka_unit_test(
			the_gain_of_several_a_node_is_a_count_of_node_seconds),
		cmocka_unit_test(simulated_logs_hold),
	};

	return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
