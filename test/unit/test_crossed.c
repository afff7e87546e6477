/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What crossing really costs: known answers, the bounds of the table, its text. */
#include "cs_test.h"
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/learn/crossed.h"
#include "common/model/sites.h"

#define S INT64_C(1000000)

static struct cs_kin kin_of(const char *user, const char *name)
{
	struct cs_kin k;

	cs_kin_make(&k, user, name, "main", 8, 600 * S);
	return k;
}

static double constant(const void *arg, uint32_t sites)
{
	(void)arg;
	(void)sites;
	return 1;
}

static double linear(const void *arg, uint32_t sites)
{
	(void)arg;
	return (sites - 1) / 3.;
}

/* Example of crossed.c. */
static void the_example_comes_out(void **state)
{
	static const struct {
		int64_t s;
		uint32_t sites;
	} runs[] = { { 100, 1 }, { 110, 1 }, { 90, 1 }, { 130, 2 }, { 190, 4 } };
	struct cs_crossed *c = calloc(1, sizeof(*c));
	struct cs_kin k = kin_of("ann", "halo");
	double p = -1;

	(void)state;
	assert_non_null(c);
	for (int i = 0; i < 5; i++) {
		if (i && i < 4)
			assert_false(cs_crossed_across(&c->kind[0], constant,
						       NULL, &p));
		cs_crossed_ended(c, &k, 8, i * S, runs[i].s * S, runs[i].sites);
	}
	assert_int_equal(c->n, 1);
	assert_string_equal(c->kind[0].name, "ann/halo");
	assert_int_equal(c->kind[0].procs, 8);
	assert_true(cs_crossed_across(&c->kind[0], constant, NULL, &p));
	assert_close(p, .6, 1e-12);
	assert_true(cs_crossed_across(&c->kind[0], linear, NULL, &p));
	assert_close(p, .9, 1e-12);
	free(c);
}

/* Of each sort the last seven count. */
static void old_runs_are_forgotten(void **state)
{
	struct cs_crossed *c = calloc(1, sizeof(*c));
	struct cs_kin k = kin_of("ann", "halo");
	double p;

	(void)state;
	assert_non_null(c);
	for (int i = 0; i < 20; i++) {
		cs_crossed_ended(c, &k, 8, i * S, (i < 13 ? 999 : 100) * S, 1);
		cs_crossed_ended(c, &k, 8, i * S, (i < 13 ? 1 : 150) * S, 2);
	}
	assert_int_equal(c->kind[0].one.n, CS_CROSSED_RUNS);
	assert_int_equal(c->kind[0].split.n, CS_CROSSED_RUNS);
	assert_true(cs_crossed_across(&c->kind[0], constant, NULL, &p));
	assert_close(p, .5, 1e-12);
	free(c);
}

/* A user with 10,000 names displaces his own; others' that ran both ways stay. */
static void the_table_is_bounded(void **state)
{
	struct cs_crossed *c = calloc(1, sizeof(*c));
	struct cs_kin both = kin_of("ann", "halo");
	uint32_t of_bob = 0;
	char user[16], name[16];
	double p;

	(void)state;
	assert_non_null(c);
	cs_crossed_ended(c, &both, 8, 0, 100 * S, 1);
	cs_crossed_ended(c, &both, 8, 0, 120 * S, 3);
	for (int i = 0; i < 10000; i++) {
		struct cs_kin k;

		snprintf(name, sizeof(name), "n%d", i);
		k = kin_of("bob", name);
		cs_crossed_ended(c, &k, 8, (i + 1) * S, 100 * S, 1);
	}
	for (uint32_t i = 0; i < c->n; i++)
		of_bob += !strncmp(c->kind[i].name, "bob/", 4);
	assert_int_equal(of_bob, CS_CROSSED_KINDS / 8);
	for (int i = 0; i < 10000; i++) {
		struct cs_kin k;

		snprintf(user, sizeof(user), "u%d", i);
		k = kin_of(user, "n");
		cs_crossed_ended(c, &k, 8, (i + 20000) * S, 100 * S, 1);
	}
	assert_int_equal(c->n, CS_CROSSED_KINDS);
	assert_string_equal(c->kind[0].name, "ann/halo");
	assert_true(cs_crossed_across(&c->kind[0], constant, NULL, &p));
	assert_close(p, .2, 1e-12);
	free(c);
}

static void text_is_read_back_as_written(void **state)
{
	struct cs_crossed *c = calloc(1, sizeof(*c));
	struct cs_crossed *d = calloc(1, sizeof(*d));
	static char one[400000], two[400000];
	struct cs_textbuf t = { one, sizeof(one), 0 };
	struct cs_textbuf u = { two, sizeof(two), 0 };
	uint64_t seed = cs_test_seed();
	char user[16], *save = NULL;

	(void)state;
	assert_non_null(c);
	assert_non_null(d);
	for (int i = 0; i < 3000; i++) {
		struct cs_kin k;

		snprintf(user, sizeof(user), "u%d",
			 (int)(cs_test_unit(&seed) * 300));
		k = kin_of(user, "n");
		cs_crossed_ended(c, &k, 8, i,
				 1 + (int64_t)(cs_test_unit(&seed) * 1e9),
				 1 + (uint32_t)(cs_test_unit(&seed) * 3));
	}
	cs_crossed_write(c, &t);
	assert_true(cs_textbuf_end(&t) < sizeof(one));
	memcpy(two, one, sizeof(one));
	for (char *l = strtok_r(two, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		assert_true(strlen(l) < CS_CROSSED_LINE);
		assert_true(cs_crossed_is_line(l));
		assert_int_equal(cs_crossed_read(d, l, NULL), 0);
		assert_int_equal(cs_crossed_read(d, l, NULL), -EINVAL);
	}
	cs_crossed_write(d, &u);
	cs_textbuf_end(&u);
	assert_string_equal(one, two);
	free(c);
	free(d);
}

static void other_lines_are_refused(void **state)
{
	static const char *const bad[] = {
		"crossed",
		"crossed ",
		"crossed 0 1 0 8 0 0 a/b",
		"crossed 1 1 0 8 0 0",
		"crossed 1 1 0 8 0 0 ",
		"crossed 1 1 0 8 1 0 0 a/b",
		"crossed 1 1 0 8 8 1 1 1 1 1 1 1 1 0 a/b",
		"crossed 1 1 0 8 0 1 5 1 a/b",
		"crossed 1 1 0 8 0 1 5 70000 a/b",
		"crossed 1 1 -1 8 0 0 a/b",
		"crossed 1 1 0 8 0 0 a b",
		"crossed 1 1 0 8 1 nan 0 a/b",
		"crossed 1 1 0 8 1 9223372036854775807 0 a/b",
		"crossed 1 1 0 8 0 0 "
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	struct cs_crossed *c = calloc(1, sizeof(*c));

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cs_err err = { "" };

		if (cs_crossed_read(c, bad[i], &err) != -EINVAL || c->n)
			fail_msg("'%s' was read", bad[i]);
		assert_non_null(strstr(err.text, "expected a group of jobs"));
	}
	assert_int_equal(
		cs_crossed_read(c, "crossed 1 1 0 8 1 5 1 6 2 a/b", NULL), 0);
	free(c);
}

/* ---- in the engine ---------------------------------------------------------- */

#define RULE "policy=multisite,sites=a,across=0.2,learn_least_s=60"

/* Nodes 0 and 1, 2 and 3. */
static void open_two(struct rig *r, const char *params)
{
	static const uint32_t of[] = { 0, 0, 1, 1 };

	rig_sites = cs_sites_create(4, of, 2, NULL);
	rig_open(r, params, NULL, 4, 1, 1, 0);
}

static void run_named(struct rig *r, uint32_t id, const char *name, int64_t s,
		      bool failed)
{
	struct cs_job j = rig_job(r, id, 2, 1000, NULL);

	j.name = name;
	j.user = "ann";
	rig_submit(r, &j);
	rig_decide(r);
	assert_true(rig_runs(r, id));
	rig_at(r, r->now_us / RIG_S + s);
	rig_tell(r, (struct cs_event){ .type = CS_EV_FINISH,
				       .job_id = id,
				       .failed = failed });
	rig_decide(r);
}

/* "name one split p" of all that the engine knows, joined by ';'. */
static void says(const struct cs_engine *e, const char *want)
{
	struct cs_crossed_now now;
	char text[256] = "";
	uint32_t at = 0;

	while (cs_engine_crossed(e, &at, &now)) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%s %u %u %.3f",
			 n ? ";" : "", now.kind->name, now.kind->one.n,
			 now.kind->split.n, now.across);
	}
	assert_string_equal(text, want);
}

/* One runs on a site alone, then between two jobs that leave a node on each. */
static void the_engine_notes_who_ran_where(void **state)
{
	struct rig r, other;
	char text[4096], *save = NULL;
	struct cs_crossed_now now;
	uint32_t at = 0;

	(void)state;
	open_two(&r, RULE);
	run_named(&r, 1, "halo", 100, false);
	says(r.engine, "");
	rig_add(&r, 2, 1, 100000, NULL);
	rig_add(&r, 3, 1, 100000, NULL);
	rig_decide(&r);
	rig_add(&r, 4, 2, 100000, NULL);
	rig_decide(&r);
	rig_finish(&r, 2);
	rig_add(&r, 5, 1, 100000, NULL);
	rig_decide(&r);
	rig_finish(&r, 4);
	rig_add(&r, 6, 1, 100000, NULL);
	rig_decide(&r);
	rig_finish(&r, 3);
	/* whoever is there: two free nodes, one on each site */
	assert_true(rig_runs(&r, 5) && rig_runs(&r, 6));
	run_named(&r, 7, "halo", 145, false);
	says(r.engine, "ann/halo 1 1 0.450");
	run_named(&r, 8, "halo", 59, false);	/* too short */
	run_named(&r, 9, "halo", 300, true);	/* it failed */
	run_named(&r, 10, "halo", 1195, false); /* its limit ended it */
	says(r.engine, "ann/halo 1 1 0.450");

	/* another engine is told what this one saves */
	assert_true(cs_engine_save(r.engine, text, sizeof(text)) <
		    sizeof(text));
	open_two(&other, RULE ",across_grows=linear");
	for (char *l = strtok_r(text, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		rig_tell(&other,
			 (struct cs_event){ .type = CS_EV_KEPT, .kept = l });
	says(other.engine, "ann/halo 1 1 1.350");
	rig_close(&other);
	run_named(&r, 11, "halo", 60, false); /* just long enough */
	assert_true(cs_engine_crossed(r.engine, &at, &now));
	assert_int_equal(now.kind->split.n, 2);
	rig_close(&r);
	open_two(&other, "policy=easy,learn=off");
	run_named(&other, 1, "halo", 100, false);
	assert_int_equal(cs_engine_save(other.engine, NULL, 0), 0);
	rig_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_comes_out),
		cmocka_unit_test(old_runs_are_forgotten),
		cmocka_unit_test(the_table_is_bounded),
		cmocka_unit_test(text_is_read_back_as_written),
		cmocka_unit_test(other_lines_are_refused),
		cmocka_unit_test(the_engine_notes_who_ran_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
