/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs over several sites: the rules one by one, the engine beside a plain simulation of
 * the paper's algorithm on random grids, and what holds of each start on them.
 *
 * CS_TEST_WORLDS: how many of them (2,000).
 */
#include "simrig.h"

#include <errno.h>
#include <math.h>

#include "common/base/rng.h"
#include "common/model/sites.h"

static const char *const backfills[] = { "easy", "none", "conservative" };

#define SITES_MAX 8
#define JOBS_MAX 24

static void open_sites(struct simrig *r, const char *sites, const char *params,
		       const char *profiles)
{
	struct cs_err err = { "" };

	simrig_open(r, "1x1x1", params, profiles);
	cs_machine_free(r->machine);
	if (cs_sim_sites(sites, &r->machine, &err))
		fail_msg("%s", err.text);
	r->options.machine = r->machine;
}

/* ------------------------------------------------------------ rules, one by one */

static void best_fit_takes_the_site_with_least_room(void **state)
{
	struct simrig r;

	(void)state;
	open_sites(&r, "1x8,1x4,1x6", "policy=multisite", NULL);
	simrig_add(&r, 1, 0, 4, 100, 100, 1); /* the site of 4 */
	simrig_add(&r, 2, 0, 5, 100, 100, 1); /* the site of 6 */
	simrig_add(&r, 3, 0, 8, 100, 100, 1); /* the site of 8 */
	simrig_run_checked(&r);
	for (uint32_t i = 1; i <= 3; i++)
		assert_close(simrig_start(&r, i - 1), 0, 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(r.result.job[i].fragments, 1);
	simrig_close(&r);
}

/* 20, 7 and 5 nodes: 25 are two fragments, 28 are three. */
static void fragments_are_the_fewest(void **state)
{
	static const struct {
		uint32_t procs, fragments;
	} of[] = { { 20, 1 }, { 25, 2 }, { 27, 2 }, { 28, 3 }, { 32, 3 } };
	struct simrig r;

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		open_sites(&r, "1x5,1x20,1x7", "policy=multisite,across=0.5",
			   NULL);
		simrig_add(&r, 1, 0, of[i].procs, 100, 100, 1);
		simrig_run_checked(&r);
		assert_int_equal(r.result.job[0].fragments, of[i].fragments);
		assert_close(simrig_end(&r, 0), of[i].fragments > 1 ? 150 : 100,
			     0);
		simrig_close(&r);
	}
}

/* Of the last site it takes what it needs: 1 of the 5 stays. */
static void what_is_left_over_stays_with_the_last_site(void **state)
{
	struct simrig r;

	(void)state;
	open_sites(&r, "1x5,1x20,1x7", "policy=multisite,site_lower_bound=8",
		   NULL);
	simrig_add(&r, 1, 0, 31, 100, 100, 1);
	simrig_add(&r, 2, 0, 1, 10, 10, 1);
	simrig_run_checked(&r);
	assert_int_equal(r.result.job[0].fragments, 3);
	assert_close(simrig_start(&r, 1), 0, 0);
	simrig_close(&r);
}

/* A job of 4 and 60 s finds 3 nodes free on either site: what becomes of it, at p = .5.
 * The other jobs end at 20 and 50.  With every way of backfilling, there being nobody
 * behind it. */
static void rules_differ_where_no_site_has_room(void **state)
{
	static const struct {
		const char *keys;
		double start, end;
	} of[] = {
		{ "site_rule=single,across=0.5", 20, 80 },
		{ "site_rule=split,across=0.5", 0, 90 },
		{ "site_rule=split,across=0.5,site_lower_bound=4", 20, 80 },
		{ "site_rule=split,across=0.5,site_lower_bound=3", 0, 90 },
		{ "site_rule=split,across=0.5,site_fragments=limited", 20, 80 },
		{ "site_rule=adaptive,across=0.5", 20, 80 },
		{ "site_rule=adaptive,across=0.3", 0, 78 },
		{ "site_rule=look,across=0.5", 20, 80 },
		/* 78 and the 18 more that crossing takes, against 80 */
		{ "site_rule=look,across=0.3", 20, 80 },
		{ "site_rule=look,across=0.1", 0, 66 },
	};
	struct simrig r;

	(void)state;
	for (size_t k = 0; k < 3 * sizeof(of) / sizeof(of[0]); k++) {
		size_t i = k / 3;
		char params[160];

		snprintf(params, sizeof(params),
			 "policy=multisite,backfill=%s,%s", backfills[k % 3],
			 of[i].keys);
		open_sites(&r, "1x6,1x7", params, NULL);
		simrig_add(&r, 1, 0, 3, 20, 20, 1);
		simrig_add(&r, 2, 0, 4, 50, 50, 1);
		simrig_add(&r, 3, 0, 4, 60, 60, 1);
		simrig_run_checked(&r);
		/* 1.1 is no double: the end is rounded up */
		if (simrig_start(&r, 2) != of[i].start ||
		    fabs(simrig_end(&r, 2) - of[i].end) > 2e-6)
			fail_msg("%s: from %g to %g, expected %g to %g", params,
				 simrig_start(&r, 2), simrig_end(&r, 2),
				 of[i].start, of[i].end);
		simrig_close(&r);
	}
}

/* Two are on one site each, the second where BestFit leaves no room but on the large
 * site, look does: a job of its size has it when the first ends. */
static void look_keeps_the_large_site_free(void **state)
{
	static const struct {
		const char *rule;
		double start;
	} of[] = { { "adaptive", 100 }, { "look", 10 } };
	struct simrig r;

	(void)state;
	for (size_t i = 0; i < 3 * sizeof(of) / sizeof(of[0]); i++) {
		char params[160];

		snprintf(params, sizeof(params),
			 "policy=multisite,backfill=%s,across=20,site_rule=%s",
			 backfills[i / 2], of[i % 2].rule);
		open_sites(&r, "1x8,1x4", params, NULL);
		simrig_add(&r, 1, 0, 5, 10, 10, 1);
		simrig_add(&r, 2, 0, 3, 100, 100, 1);
		simrig_add(&r, 3, 0, 8, 10, 10, 1);
		simrig_run_checked(&r);
		if (simrig_start(&r, 2) != of[i % 2].start)
			fail_msg("%s: at %g, expected %g", params,
				 simrig_start(&r, 2), of[i % 2].start);
		simrig_close(&r);
	}
}

/* 400 sites with 2 of 6 nodes free: a job of 5 would gain by being split, others before
 * it would not.  Each is looked at, until that has cost enough. */
static void looks_of_a_walk_are_bounded(void **state)
{
	static const char profiles[] =
		"{\"version\":1,\"profiles\":{\"free\":{\"across\":0}},"
		"\"rules\":[{\"name\":\"e2\",\"profile\":\"free\"}]}";
	static const struct {
		uint32_t before;
		bool split;
	} of[] = { { 10, true }, { 500, true }, { 3000, false } };
	struct simrig r;

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		uint32_t id = 0;

		open_sites(&r, "400x6", "policy=multisite-adaptive,across=90",
			   profiles);
		while (id < 400)
			simrig_add(&r, ++id, 0, 4, 500, 500, 1);
		while (id < 400 + of[i].before)
			simrig_add(&r, ++id, 0, 5, 10, 10, 1);
		simrig_add(&r, id + 1, 1, 5, 10, 10, 2);
		simrig_run(&r);
		assert_int_equal(simrig_start(&r, id) == 1, of[i].split);
		if (of[i].split)
			assert_int_equal(r.result.job[id].fragments, 3);
		simrig_close(&r);
	}
}

/* Who does not look at sites pays for crossing all the same. */
static void crossing_costs_whatever_the_policy(void **state)
{
	struct simrig r;

	(void)state;
	open_sites(&r, "1x6,1x7", "policy=easy,across=0.5", NULL);
	simrig_add(&r, 1, 0, 3, 20, 20, 1);
	simrig_add(&r, 2, 0, 4, 60, 60, 1); /* nodes 3 to 6 */
	simrig_run_checked(&r);
	assert_int_equal(r.result.job[1].fragments, 2);
	assert_close(simrig_end(&r, 1), 90, 0);
	simrig_close(&r);
}

/* No site could hold it: every rule splits it, over as few as can be. */
static void who_fits_no_site_is_split_by_any_rule(void **state)
{
	static const char *const rules[] = { "single", "split", "adaptive",
					     "look" };
	struct simrig r;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char params[128];

		snprintf(params, sizeof(params),
			 "policy=multisite,across=1,site_lower_bound=1000,"
			 "site_fragments=limited,site_rule=%s",
			 rules[i]);
		open_sites(&r, "4x10", params, NULL);
		simrig_add(&r, 1, 0, 35, 100, 100, 1);
		simrig_run_checked(&r);
		assert_int_equal(r.result.job[0].fragments, 4);
		assert_close(simrig_end(&r, 0), 200, 0);
		simrig_close(&r);
	}
}

static void overhead_grows_as_it_is_told_to(void **state)
{
	static const struct {
		const char *grows;
		double end;
	} of[] = { { "constant", 130 },
		   { "linear", 120 },
		   { "log", 123.774438 } };
	struct simrig r;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char params[128];

		snprintf(params, sizeof(params),
			 "policy=multisite,across=0.3,across_grows=%s",
			 of[i].grows);
		open_sites(&r, "4x10", params, NULL);
		simrig_add(&r, 1, 0, 30, 100, 100, 1);
		simrig_run_checked(&r);
		assert_close(simrig_end(&r, 0), of[i].end, 1e-6);
		simrig_close(&r);
	}
}

static void a_profile_says_what_crossing_costs(void **state)
{
	static const char profiles[] =
		"{\"version\":1,\"profiles\":{\"halo\":{\"across\":2}},"
		"\"rules\":[{\"name\":\"e1\",\"profile\":\"halo\"}]}";
	struct simrig r;

	(void)state;
	open_sites(&r, "2x10", "policy=multisite,across=0.5", profiles);
	simrig_add(&r, 1, 0, 20, 100, 100, 1);
	simrig_add(&r, 2, 300, 20, 100, 100, 2);
	simrig_run_checked(&r);
	assert_close(simrig_end(&r, 0), 300, 0);
	assert_close(simrig_end(&r, 1), 450, 0);
	simrig_close(&r);
}

/* The head is promised a site at 100; who would take nodes of it waits, and the next
 * site takes who passes. */
static void the_head_keeps_its_promise(void **state)
{
	struct simrig r;

	(void)state;
	open_sites(&r, "1x6,1x8", "policy=multisite,site_rule=single", NULL);
	simrig_add(&r, 1, 0, 6, 100, 100, 1);
	simrig_add(&r, 2, 0, 5, 200, 200, 1);
	simrig_add(&r, 3, 1, 6, 10, 10, 1);   /* head: the first site, at 100 */
	simrig_add(&r, 4, 2, 3, 500, 500, 1); /* beside 2 */
	simrig_run_checked(&r);
	assert_close(simrig_start(&r, 2), 100, 0);
	assert_close(simrig_start(&r, 3), 2, 0);
	simrig_close(&r);
}

/* ----------------------------------------------------- beside a plain simulation */

/* Times are whole microseconds, which a double holds exactly. */
struct grid {
	uint32_t n_site, size[SITES_MAX], n_job;
	struct plain_job {
		double submit, run, start, end;
		uint32_t procs, fragments, on[SITES_MAX];
	} job[JOBS_MAX];
	const char *rule;
	double p;
	const char *grows;
	uint32_t bound; /* site_lower_bound */
	bool limited;	/* site_fragments */
};

/* How long job @i runs over @k sites. */
static double over(const struct grid *g, uint32_t i, uint32_t k)
{
	double f = 1 + g->p;

	if (k < 2)
		return g->job[i].run;
	if (!strcmp(g->grows, "linear"))
		f = 1 + g->p * (k - 1) / 3;
	if (!strcmp(g->grows, "log"))
		f = 1 + g->p * log2(k) / 2;
	return ceil(g->job[i].run * f);
}

/* What is free at @t, if of the jobs that have started those that end by then have. */
static void free_at(const struct grid *g, uint32_t n, double t, uint32_t *room)
{
	memcpy(room, g->size, sizeof(g->size));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t s = 0; g->job[i].end > t && s < g->n_site; s++)
			room[s] -= g->job[i].on[s];
}

/* The fewest sites, by taking the largest again and again; 0: not enough. */
static uint32_t fewest(const struct grid *g, const uint32_t *room,
		       uint32_t need, uint32_t *on)
{
	bool taken[SITES_MAX] = { false };
	uint32_t k = 0;

	memset(on, 0, SITES_MAX * sizeof(*on));
	while (need) {
		uint32_t best = SITES_MAX;

		for (uint32_t s = 0; s < g->n_site; s++)
			if (!taken[s] && room[s] &&
			    (best == SITES_MAX || room[s] > room[best]))
				best = s;
		if (best == SITES_MAX)
			return 0;
		taken[best] = true;
		on[best] = room[best] < need ? room[best] : need;
		need -= on[best];
		k++;
	}
	if (k == 1) { /* BestFit */
		uint32_t want = 0, best = SITES_MAX;

		for (uint32_t s = 0; s < g->n_site; s++)
			want += on[s];
		memset(on, 0, SITES_MAX * sizeof(*on));
		for (uint32_t s = 0; s < g->n_site; s++)
			if (room[s] >= want &&
			    (best == SITES_MAX || room[s] < room[best]))
				best = s;
		on[best] = want;
	}
	return k;
}

static bool ever_single(const struct grid *g, uint32_t procs)
{
	for (uint32_t s = 0; s < g->n_site; s++)
		if (g->size[s] >= procs)
			return true;
	return false;
}

/* The most sites of a job of @procs: table 3, and what no bound can forbid. */
static uint32_t most_of(const struct grid *g, uint32_t procs)
{
	uint32_t on[SITES_MAX], least = fewest(g, g->size, procs, on);
	uint32_t most = !g->limited    ? SITES_MAX
			: procs <= 64  ? 1
			: procs <= 128 ? 2
				       : 8;

	if (!strcmp(g->rule, "single") || (least < 2 && procs <= g->bound))
		return least;
	return most > least ? most : least;
}

/* When job @i would be on @most sites at most, from @from on; k and t. */
static double when(const struct grid *g, uint32_t i, double from, uint32_t most,
		   uint32_t *ret_k)
{
	double t = from;

	for (;;) {
		uint32_t room[SITES_MAX], on[SITES_MAX];
		double next = INFINITY;

		free_at(g, i, t, room);
		*ret_k = fewest(g, room, g->job[i].procs, on);
		if (*ret_k && *ret_k <= most)
			return t;
		for (uint32_t k = 0; k < i; k++)
			if (g->job[k].end > t && g->job[k].end < next)
				next = g->job[k].end;
		if (isinf(next))
			return next;
		t = next;
	}
}

/* The start of job @i, whose turn has come at @from: the first instant, of its turn,
 * the ends and the submits behind it, at which its rule has it start. */
static double start_of(const struct grid *g, uint32_t i, double from,
		       uint32_t *ret_k)
{
	uint32_t most = most_of(g, g->job[i].procs), one;
	double t = when(g, i, from, most, ret_k), t1;

	if (strcmp(g->rule, "adaptive") || !ever_single(g, g->job[i].procs))
		return t;
	t1 = when(g, i, from, 1, &one);
	while (*ret_k > 1 && t + over(g, i, *ret_k) >= t1 + g->job[i].run)
		t = when(g, i, t, *ret_k - 1, ret_k);
	return t;
}

/* First come, first served, nobody passes: each job in its turn. */
static void simulate_plainly(struct grid *g)
{
	double turn = 0;

	for (uint32_t i = 0; i < g->n_job; i++) {
		struct plain_job *j = &g->job[i];
		uint32_t room[SITES_MAX];

		turn = j->submit > turn ? j->submit : turn;
		turn = j->start = start_of(g, i, turn, &j->fragments);
		free_at(g, i, j->start, room);
		assert_int_equal(fewest(g, room, j->procs, j->on),
				 j->fragments);
		j->end = j->start + over(g, i, j->fragments);
	}
}

static uint32_t below(struct cs_rng *r, uint32_t n)
{
	return (uint32_t)(cs_rng_unit(r) * n);
}

static void draw_grid(struct grid *g, struct cs_rng *r)
{
	static const char *const rules[] = { "single", "split", "adaptive" };
	static const char *const grows[] = { "constant", "linear", "log" };
	/* some jobs are larger than the bounds of table 3 */
	uint32_t all = 0, at = 0, scale = below(r, 3) ? 12 : 80;

	memset(g, 0, sizeof(*g));
	g->n_site = 1 + below(r, SITES_MAX);
	for (uint32_t s = 0; s < g->n_site; s++)
		all += g->size[s] = 1 + below(r, scale);
	g->rule = rules[below(r, 3)];
	g->grows = grows[below(r, 3)];
	g->p = below(r, 5) * .75; /* but for log every factor is exact */
	g->bound = below(r, 3) ? 0 : below(r, scale);
	g->limited = !below(r, 4);
	g->n_job = 1 + below(r, JOBS_MAX);
	for (uint32_t i = 0; i < g->n_job; i++) {
		at += below(r, 60);
		g->job[i] =
			(struct plain_job){ .submit = at * 1e6,
					    .procs = 1 + below(r, all),
					    .run = 12e6 * (1 + below(r, 20)) };
		if (below(r, 3))
			g->job[i].procs =
				1 + below(r, (g->job[i].procs + 3) / 4);
	}
}

static void open_grid(struct simrig *r, const struct grid *g,
		      const char *backfill)
{
	char sites[128] = "", params[256];

	for (uint32_t s = 0; s < g->n_site; s++)
		snprintf(sites + strlen(sites), sizeof(sites) - strlen(sites),
			 "%s1x%u", s ? "," : "", g->size[s]);
	snprintf(params, sizeof(params),
		 "policy=multisite,backfill=%s,site_rule=%s,across=%g,"
		 "across_grows=%s,site_lower_bound=%u,site_fragments=%s,"
		 "response_scale=1",
		 backfill, g->rule, g->p, g->grows, g->bound,
		 g->limited ? "limited" : "unlimited");
	open_sites(r, sites, params, NULL);
	for (uint32_t i = 0; i < g->n_job; i++)
		simrig_add(r, i + 1, g->job[i].submit / 1e6, g->job[i].procs,
			   g->job[i].run / 1e6, g->job[i].run / 1e6, 1);
}

static void the_engine_does_what_the_paper_says_on_random_grids(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(2000);
	struct cs_rng rng;

	(void)state;
	for (uint64_t w = 0; w < worlds; w++) {
		struct grid g;
		struct simrig r;

		cs_rng_init(&rng, seed, w);
		draw_grid(&g, &rng);
		simulate_plainly(&g);
		open_grid(&r, &g, "none");
		if (w % 50)
			simrig_run(&r);
		else
			simrig_run_checked(&r);
		for (uint32_t i = 0; i < g.n_job; i++) {
			const struct cs_sim_job *x = &r.result.job[i];

			if (x->start_us == (int64_t)g.job[i].start &&
			    x->fragments == g.job[i].fragments)
				continue;
			fail_msg(
				"seed %llu, grid %llu, %s, %s, job %u: %f over %u, "
				"expected %f over %u",
				(unsigned long long)seed, (unsigned long long)w,
				g.rule, g.grows, i + 1,
				(double)x->start_us / 1e6, x->fragments,
				g.job[i].start / 1e6, g.job[i].fragments);
		}
		simrig_close(&r);
	}
}

/* Without overhead and bounds a grid is one machine. */
static void without_overhead_any_grid_is_one_machine(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(2000) / 4;
	struct cs_rng rng;

	(void)state;
	for (uint64_t w = 0; w < worlds; w++) {
		struct simrig r, one;
		struct grid g;
		uint32_t all = 0;

		cs_rng_init(&rng, seed, w);
		draw_grid(&g, &rng);
		g.rule = "split";
		g.p = g.bound = 0;
		g.limited = false;
		open_grid(&r, &g, "none");
		for (uint32_t s = 0; s < g.n_site; s++)
			all += g.size[s];
		g.n_site = 1;
		g.size[0] = all;
		open_grid(&one, &g, "none");
		simrig_run(&r);
		simrig_run(&one);
		for (uint32_t i = 0; i < g.n_job; i++)
			assert_int_equal(r.result.job[i].end_us,
					 one.result.job[i].end_us);
		simrig_close(&r);
		simrig_close(&one);
	}
}

/* On no more sites than its bounds allow, and as long as these take. */
static void check_bounds(const struct grid *g, uint32_t i,
			 const struct cs_sim_job *x, uint64_t number)
{
	uint32_t most = most_of(g, g->job[i].procs);

	if (x->fragments < 1 || x->fragments > most)
		fail_msg("grid %llu, %s: %u nodes over %u sites, at most %u",
			 (unsigned long long)number, g->rule, g->job[i].procs,
			 x->fragments, most);
	assert_int_equal(x->end_us - x->start_us,
			 (int64_t)over(g, i, x->fragments));
}

/* Three sites of 64 nodes drain evenly, and a job of 96 may be on two of them: for 48
 * endings more than that would be needed.  It has its promise all the same, and a job
 * behind it does not pass. */
static void sites_that_drain_evenly_starve_nobody(void **state)
{
	struct simrig r;

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		char params[160];

		snprintf(params, sizeof(params),
			 "policy=multisite,backfill=%s,across=0.3,"
			 "site_fragments=limited",
			 backfills[k]);
		open_sites(&r, "3x64", params, NULL);
		for (uint32_t i = 0; i < 192; i++) {
			/* the sites are filled one after the other */
			double s = 1000 + 30 * (i % 64) + 10 * (i / 64);

			simrig_add(&r, i + 1, 0, 1, s, s, 1);
		}
		simrig_add(&r, 193, 1, 96, 1000, 1000, 1);
		simrig_add(&r, 194, 2, 150, 10000, 10000, 1);
		simrig_run_checked(&r);
		assert_close(simrig_start(&r, 192), 1000 + 30 * 47 + 10, 0);
		assert_int_equal(r.result.job[192].fragments, 2);
		assert_true(simrig_start(&r, 193) >= simrig_start(&r, 192));
		simrig_close(&r);
	}
}

/* Conservative, every estimate exact: jobs end when they were promised to or sooner, but
 * for few.  Promises are made anew in their order when somebody starts; one before may
 * then get a site that one behind had. */
static void few_end_later_than_promised(void **state)
{
	static const char *const grows[] = { "constant", "linear", "log" };
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(2000) / 2;
	uint64_t all[3] = { 0 }, late[3] = { 0 }, split = 0;
	struct cs_rng rng;

	(void)state;
	for (uint64_t w = 0; w < worlds; w++) {
		struct simrig r;
		struct grid g;

		cs_rng_init(&rng, seed, w);
		draw_grid(&g, &rng);
		g.rule = w / 3 % 4 ? "adaptive" : "look";
		g.grows = grows[w % 3];
		open_grid(&r, &g, "conservative");
		simrig_run(&r);
		for (uint32_t i = 0; i < g.n_job; i++) {
			const struct cs_sim_job *x = &r.result.job[i];
			int64_t submit_us = r.trace.job[i].submit_us;

			check_bounds(&g, i, x, w);
			split += x->fragments > 1;
			all[w % 3] += x->est_us > 0;
			late[w % 3] +=
				x->est_us && x->end_us - submit_us > x->est_us;
		}
		simrig_close(&r);
	}
	for (size_t k = 0; k < 3; k++) {
		print_message("%s: %llu of %llu late\n", grows[k],
			      (unsigned long long)late[k],
			      (unsigned long long)all[k]);
		assert_true(all[k] > worlds && late[k] * 50 < all[k]);
	}
	assert_true((late[0] + late[1] + late[2]) * 100 <
		    all[0] + all[1] + all[2]);
	assert_true(split > worlds / 2);
}

/* With backfilling: everybody runs, within the bounds, the log is consistent, and the
 * same twice. */
static void random_grids_backfill(void **state)
{
	static const char *const rules[] = { "single", "split", "adaptive",
					     "look" };
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(2000) / 10;
	struct cs_rng rng;

	(void)state;
	for (uint64_t w = 0; w < worlds; w++) {
		struct simrig r;
		struct grid g;

		cs_rng_init(&rng, seed, w);
		draw_grid(&g, &rng);
		g.rule = rules[w % 4];
		open_grid(&r, &g, w / 4 % 2 ? "conservative" : "easy");
		simrig_run_checked(&r);
		for (uint32_t i = 0; i < g.n_job; i++) {
			check_bounds(&g, i, &r.result.job[i], w);
			g.job[i].end = (double)r.result.job[i].end_us;
		}
		simrig_run(&r);
		for (uint32_t i = 0; i < g.n_job; i++)
			assert_int_equal(r.result.job[i].end_us, g.job[i].end);
		simrig_close(&r);
	}
}

/* ------------------------------------------------------- what holds of each start */

/* What the host hears of a simulation: who is where, and what he could have had. */
struct heard {
	struct grid *g;
	const struct cs_sites *sites;
	uint32_t room[SITES_MAX];
	uint64_t number;	       /* of the grid */
	uint64_t split, bound, waited; /* starts; of those with a bound, ... */
};

/* All the nodes that it needs, on as few sites as had room for them. */
static void check_fragments(const struct heard *h, const struct plain_job *j)
{
	uint32_t best[SITES_MAX], has = 0, used = 0, k;

	k = fewest(h->g, h->room, j->procs, best);
	for (uint32_t s = 0; s < h->g->n_site; s++) {
		assert_true(j->on[s] <= h->room[s]);
		has += j->on[s];
		used += j->on[s] > 0;
	}
	if (has != j->procs || used != k)
		fail_msg("grid %llu, %s: %u nodes over %u sites, expected %u "
			 "over %u",
			 (unsigned long long)h->number, h->g->rule, has, used,
			 j->procs, k);
}

static void hear(void *arg, const struct cs_event *ev)
{
	struct heard *h = arg;
	bool starts = ev->type == CS_EV_STARTED;
	struct plain_job *j;

	if (!starts && ev->type != CS_EV_FINISH)
		return;
	j = &h->g->job[(starts ? ev->start->job_id : ev->job_id) - 1];
	if (starts) {
		const struct cs_alloc *a = ev->start->alloc;

		memset(j->on, 0, sizeof(j->on));
		for (uint32_t i = 0; i < a->n_node; i++)
			j->on[h->sites->of[a->node[i].node]]++;
		check_fragments(h, j);
		j->start = (double)ev->t_us;
	} else {
		j->end = (double)ev->t_us;
	}
	for (uint32_t s = 0; s < h->g->n_site; s++)
		h->room[s] += starts ? -j->on[s] : j->on[s];
}

/* When its turn comes: those before it have started.  False: it passed one of them, or
 * one behind it started before it. */
static bool in_turn(const struct grid *g, uint32_t i, double *ret_s)
{
	const struct plain_job *j = &g->job[i];
	double turn = j->submit;

	for (uint32_t k = 0; k < i; k++)
		turn = fmax(turn, g->job[k].start);
	for (uint32_t k = i + 1; k < g->n_job; k++)
		if (g->job[k].start < j->start)
			return false;
	*ret_s = turn;
	return j->start >= turn;
}

/* Estimates are exact: it ends no later than on the first site with room for it, nor
 * than it would if it were split as soon as all together have room. */
static void check_end(struct heard *h, uint32_t i)
{
	struct plain_job *j = &h->g->job[i];
	double turn, one, all;
	uint32_t k;

	h->split += j->fragments > 1;
	if (strcmp(h->g->rule, "adaptive") || !in_turn(h->g, i, &turn))
		return;
	one = when(h->g, i, turn, 1, &k) + j->run;
	all = when(h->g, i, turn, most_of(h->g, j->procs), &k);
	all += over(h->g, i, k);
	h->bound += j->fragments > 1 && !isinf(one);
	h->waited += j->fragments == 1 && one < all;
	if (j->end > one || j->end > all)
		fail_msg("grid %llu, job %u: ends at %f, on one site at "
			 "%f, split at %f",
			 (unsigned long long)h->number, i + 1, j->end / 1e6,
			 one / 1e6, all / 1e6);
}

/* Also where jobs pass others: whatever the rule, a job has all its nodes, on the fewest
 * sites; by adaptive nobody whom nobody passed ends later than the better of two ways. */
static void starts_on_random_grids(void **state)
{
	static const char *const rules[] = { "adaptive", "look",     "adaptive",
					     "split",	 "adaptive", "single" };
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(2000);
	struct heard h = { .number = 0 };
	struct cs_rng rng;

	(void)state;
	for (; h.number < worlds; h.number++) {
		struct simrig r;
		struct grid g;

		cs_rng_init(&rng, seed, h.number);
		draw_grid(&g, &rng);
		g.rule = rules[h.number % 6];
		h.g = &g;
		memcpy(h.room, g.size, sizeof(h.room));
		open_grid(&r, &g, h.number / 6 % 2 ? "none" : "easy");
		h.sites = r.machine->sites;
		r.options.heard = hear;
		r.options.heard_arg = &h;
		simrig_run(&r);
		for (uint32_t i = 0; i < g.n_job; i++) {
			g.job[i].fragments = r.result.job[i].fragments;
			check_bounds(&g, i, &r.result.job[i], h.number);
		}
		for (uint32_t i = 0; i < g.n_job; i++)
			check_end(&h, i);
		simrig_close(&r);
	}
	print_message("%llu were split, %llu of them to end sooner; %llu "
		      "waited for one site to end sooner\n",
		      (unsigned long long)h.split, (unsigned long long)h.bound,
		      (unsigned long long)h.waited);
	assert_true(worlds < 100 ||
		    (h.bound * 20 > worlds && h.waited * 30 > worlds));
}

/* ------------------------------------------------------------------- bad input */

static void sites_that_are_none_are_refused(void **state)
{
	static const char *const bad[] = { "",
					   "4",
					   "4x",
					   "x4",
					   "0x4",
					   "4x0",
					   "4x4,",
					   ",4x4",
					   "4x4x4",
					   "4x4x4x",
					   "4x4x0x4",
					   "4x4x4x4x4",
					   "4x4x256x257",
					   "4x4;2x2",
					   "-1x4",
					   "1000x1000,1000x1000",
					   "4x99999999999" };
	struct cs_machine *m;
	struct cs_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(cs_sim_sites(bad[i], &m, &err), -EINVAL);
		assert_non_null(strstr(err.text, "expected COUNTxNODES"));
	}
}

static void sites_may_have_larger_nodes(void **state)
{
	struct cs_machine *m;
	struct cs_err err;

	(void)state;
	assert_int_equal(cs_sim_sites("2x1,1x2x2x8", &m, &err), 0);
	assert_int_equal(m->n_node, 4);
	assert_int_equal(m->sites->n, 3);
	assert_int_equal(m->sites->of[3], 2);
	assert_int_equal(cs_node_cores(&m->node[1]), 1);
	assert_int_equal(m->node[2].sockets, 2);
	assert_int_equal(cs_node_cores(&m->node[3]), 16);
	assert_false(m->alike);
	cs_machine_free(m);
	assert_int_equal(cs_sim_sites("2x1,1x2x2x40", &m, &err), 0);
	assert_int_equal(m->words, 2);
	cs_machine_free(m);
}

static void a_site_without_nodes_is_none(void **state)
{
	const uint32_t gap[] = { 0, 2, 2 }, beyond[] = { 0, 1, 3 },
		       good[] = { 1, 0, 1 };
	struct cs_sites *s;

	(void)state;
	assert_null(cs_sites_create(3, gap, 3, NULL));
	assert_null(cs_sites_create(3, beyond, 2, NULL));
	s = cs_sites_create(3, good, 2, NULL);
	assert_non_null(s);
	assert_int_equal(s->site[1].n_node, 2);
	cs_sites_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(best_fit_takes_the_site_with_least_room),
		cmocka_unit_test(fragments_are_the_fewest),
		cmocka_unit_test(what_is_left_over_stays_with_the_last_site),
		cmocka_unit_test(rules_differ_where_no_site_has_room),
		cmocka_unit_test(look_keeps_the_large_site_free),
		cmocka_unit_test(looks_of_a_walk_are_bounded),
		cmocka_unit_test(crossing_costs_whatever_the_policy),
		cmocka_unit_test(who_fits_no_site_is_split_by_any_rule),
		cmocka_unit_test(overhead_grows_as_it_is_told_to),
		cmocka_unit_test(a_profile_says_what_crossing_costs),
		cmocka_unit_test(the_head_keeps_its_promise),
		cmocka_unit_test(
			the_engine_does_what_the_paper_says_on_random_grids),
		cmocka_unit_test(without_overhead_any_grid_is_one_machine),
		cmocka_unit_test(sites_that_drain_evenly_starve_nobody),
		cmocka_unit_test(few_end_later_than_promised),
		cmocka_unit_test(random_grids_backfill),
		cmocka_unit_test(starts_on_random_grids),
		cmocka_unit_test(sites_that_are_none_are_refused),
		cmocka_unit_test(sites_may_have_larger_nodes),
		cmocka_unit_test(a_site_without_nodes_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
