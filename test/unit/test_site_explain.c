/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What explain says of sites: the words are those of what the rule decided. */
#include "explainrig.h"

#include "common/model/sites.h"

#define RULE "policy=multisite,sites=a+b+c,site_rule="

/* Nodes of one core: @sizes of them in sites a, b and c. */
static void open_sites(struct rig *r, const char *params,
		       const uint32_t sizes[3])
{
	static const char *const name[] = { "a", "b", "c" };
	uint32_t of[64], n = 0;

	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t k = 0; k < sizes[i]; k++)
			of[n++] = i;
	rig_sites = cs_sites_create(n, of, 3, name);
	assert_non_null(rig_sites);
	rig_open(r, params, NULL, n, 1, 1, 0);
}

/* A job that has node @from to before @to for @s. */
static void holds(struct rig *r, uint32_t id, uint32_t from, uint32_t to,
		  int64_t s)
{
	rig_add_in(r, id, to - from, s, NULL,
		   ((UINT64_C(1) << (to - from)) - 1) << from);
	rig_decide(r);
	assert_true(rig_runs(r, id));
}

/* Three nodes, one of each site, are free now; at 20 a second one of a is, and when jobs
 * end later all of a.  Over three, two and one a job of 100 s takes 167, 133 and 100. */
static void what_it_waits_for_is_what_the_rule_took(void **state)
{
	static const struct {
		const char *rule;
		int64_t later;
		const char *text; /* NULL: it starts */
	} of[] = {
		{ "adaptive", 1000, NULL },
		{ "adaptive", 60,
		  "waits for room on 2 in 0:00:20, ends in 0:02:34; split over "
		  "3 now it would end in 0:02:47" },
		{ "look", 1000,
		  "waits for room on 2 in 0:00:20, ends in 0:02:34; split over "
		  "3 now it would end in 0:02:47" },
		{ "look", 60,
		  "waits for one in 0:01:00, ends in 0:02:40; split over 3 now "
		  "it would end in 0:02:47" },
	};
	static const uint32_t sizes[] = { 4, 4, 4 };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		char params[160];

		snprintf(params, sizeof(params),
			 RULE "%s,across=1,across_grows=linear", of[i].rule);
		open_sites(&r, params, sizes);
		holds(&r, 1, 0, 1, 20);
		holds(&r, 2, 1, 3, of[i].later);
		holds(&r, 3, 4, 7, 1000);
		holds(&r, 4, 8, 11, 1000);
		rig_add(&r, 5, 3, 100, NULL);
		rig_decide(&r);
		assert_int_equal(rig_runs(&r, 5), !of[i].text);
		assert_contains(explain(&r, 5),
				of[i].text ? of[i].text
					   : "  over 3 sites: 1 node of a, 1 "
					     "node of b, 1 node of c; counted "
					     "as 1.67 times its time on one");
		rig_close(&r);
	}
}

/* MaxTime leaves the half hour more that crossing takes no room. */
static void a_limit_that_cannot_be_raised_is_named(void **state)
{
	static const uint32_t sizes[] = { 4, 2, 1 };
	struct cs_job_partition o = { .limit_max_us = 700 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_sites(&r, RULE "adaptive,across=0.5", sizes);
	holds(&r, 1, 0, 3, 10000);
	j = rig_job(&r, 2, 3, 600, NULL);
	o.nodeset = r.all;
	j.option = &o;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_contains(
		explain(&r, 2),
		"waits: no site has room for it; waits for one in 2:46:40, "
		"ends in 2:56:40; split over 2 now it would need a time limit "
		"of 0:15:00, and partition, QOS or association (MaxTime, "
		"MaxWall) allow 0:11:40");
	rig_close(&r);
	/* who may have it is split */
	open_sites(&r, RULE "adaptive,across=0.5", sizes);
	holds(&r, 1, 0, 3, 10000);
	o.limit_max_us = 900 * RIG_S;
	o.nodeset = r.all;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	assert_contains(explain(&r, 2), "  over 2 sites: 1 node of a, 2 nodes "
					"of b; counted as 1.50 times");
	assert_lacks(explain(&r, 2), "does not cover");
	rig_close(&r);
}

/* No site could hold it, so it starts, and is told. */
static void a_limit_that_does_not_cover_the_crossing_is_told(void **state)
{
	static const uint32_t sizes[] = { 2, 2, 2 };
	struct cs_job_partition o = { .limit_max_us = 700 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_sites(&r, RULE "adaptive,across=0.5", sizes);
	j = rig_job(&r, 1, 5, 600, NULL);
	j.base_procs = 1;
	o.nodeset = r.all;
	j.option = &o;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_true(rig_runs(&r, 1));
	assert_contains(explain(&r, 1),
			"counted as 1.50 times its time on one, which its "
			"limit does not cover\n");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_waits_for_is_what_the_rule_took),
		cmocka_unit_test(a_limit_that_cannot_be_raised_is_named),
		cmocka_unit_test(
			a_limit_that_does_not_cover_the_crossing_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
