/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bounds of site_room.c, worked out by hand: table 3 of Ernemann02, and its lower
 * bound. */
#include "simrig.h"

#define SITES 18
#define SIZE 600
#define UNTIL_S 100

static const char *const backfills[] = { "easy", "conservative", "none" };

static void open_grid(struct simrig *r, const char *sites, const char *backfill,
		      const char *keys)
{
	struct cs_err err = { "" };
	char params[160];

	snprintf(params, sizeof(params), "policy=multisite,backfill=%s,%s",
		 backfill, keys);
	simrig_open(r, "1x1x1", params, NULL);
	cs_machine_free(r->machine);
	if (cs_sim_sites(sites, &r->machine, &err))
		fail_msg("%s", err.text);
	r->options.machine = r->machine;
}

/* Over how many sites a job of @procs runs, which at once has them on @k only: of each
 * so many nodes are free, of the other sites none before the end. */
static uint32_t sites_of(const char *backfill, const char *keys, uint32_t procs,
			 uint32_t k)
{
	uint32_t part = (procs + k - 1) / k, got;
	struct simrig r;

	open_grid(&r, "18x600", backfill, keys);
	for (uint32_t i = 1; i <= SITES; i++)
		simrig_add(&r, i, 0, i <= SITES - k ? SIZE : SIZE - part,
			   UNTIL_S, UNTIL_S, 1);
	simrig_add(&r, SITES + 1, 1, procs, 10, 10, 1);
	simrig_run(&r);
	got = r.result.job[SITES].fragments;
	assert_close(simrig_start(&r, SITES), got > 1 ? 1 : UNTIL_S, 0);
	simrig_close(&r);
	return got;
}

/* Requested nodes, first and last of each row, and the most fragments of the row. */
static void limited_and_unlimited_are_table_3(void **state)
{
	static const struct {
		uint32_t first, last, limited;
	} row[] = { { 2, 4, 1 },    { 5, 8, 1 },   { 9, 16, 1 },
		    { 17, 32, 1 },  { 33, 64, 1 }, { 65, 128, 2 },
		    { 129, 512, 8 } };
	static const uint32_t split[] = { 2, 3, 4, 8, 9, 18 };

	(void)state;
	for (size_t i = 0; i < 12 * sizeof(row) / sizeof(row[0]); i++) {
		uint32_t procs = i % 2 ? row[i / 12].first : row[i / 12].last;
		uint32_t k = split[i / 2 % 6];
		const char *backfill = backfills[i % 3];

		if (k > procs || (procs + k - 1) / k * (k - 1) >= procs)
			continue; /* not so many parts of that size */
		assert_int_equal(
			sites_of(backfill, "site_fragments=limited", procs, k),
			k <= row[i / 12].limited ? k : 1);
		assert_int_equal(sites_of(backfill, "site_fragments=unlimited",
					  procs, k),
				 k);
	}
}

/* "8 implies that only jobs requesting more than 8 resources may be split up" */
static void jobs_of_the_lower_bound_are_not_split(void **state)
{
	static const uint32_t bound[] = { 8, 64, 96, 128, 256 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		char keys[64];

		snprintf(keys, sizeof(keys), "site_lower_bound=%u", bound[i]);
		for (size_t b = 0; b < 3; b++) {
			assert_int_equal(
				sites_of(backfills[b], keys, bound[i], 2), 1);
			assert_int_equal(
				sites_of(backfills[b], keys, bound[i] + 1, 2),
				2);
		}
	}
}

/* 16 nodes for 100 s, of four sites with 4 free each: of one 10 from 30 on, of the
 * others from 200 on.  Over four it can start at 0, over three at 30, over two at 200; it
 * is promised the earliest of these ends, and has it. */
static void a_promise_counts_its_sites(void **state)
{
	static const struct {
		const char *keys;
		uint32_t fragments;
		double start, end;
	} of[] = { { "across_grows=constant,across=0.6", 4, 0, 160 },
		   { "across_grows=constant,across=6", 4, 0, 700 },
		   { "across_grows=linear,across=0.6", 4, 0, 160 },
		   { "across_grows=linear,across=1.2", 3, 30, 210 },
		   { "across_grows=linear,across=6", 2, 200, 500 },
		   { "across_grows=log,across=1.2", 4, 0, 220 },
		   { "across_grows=log,across=3", 3, 30, 367.744376 } };

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const struct cs_sim_job *x;
		char keys[96];
		struct simrig r;

		snprintf(keys, sizeof(keys),
			 "site_rule=adaptive,response_scale=1,%s", of[i].keys);
		open_grid(&r, "4x10", "conservative", keys);
		for (uint32_t k = 1; k <= 4; k++)
			simrig_add(&r, k, 0, 6, k > 1 ? 200 : 30,
				   k > 1 ? 200 : 30, 1);
		simrig_add(&r, 5, 0, 16, 100, 100, 1);
		simrig_run_checked(&r);
		x = &r.result.job[4];
		if (x->fragments != of[i].fragments)
			fail_msg("%s: over %u, expected %u", of[i].keys,
				 x->fragments, of[i].fragments);
		assert_close(simrig_start(&r, 4), of[i].start, 0);
		assert_close(simrig_end(&r, 4), of[i].end, 1e-8);
		assert_int_equal(x->est_us, x->end_us);
		simrig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limited_and_unlimited_are_table_3),
		cmocka_unit_test(jobs_of_the_lower_bound_are_not_split),
		cmocka_unit_test(a_promise_counts_its_sites),
	};

	return cmocka_run_group_tests_name("site_room", tests, NULL, NULL);
}
