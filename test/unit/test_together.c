/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who ran beside whom by node lists and times, and what hostile histories do to it. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosched/import/node_list.h"
#include "cosched/learned/together.h"

#define S INT64_C(1000000)
#define DAY (86400 * S)

/* ---- lists of nodes ------------------------------------------------------ */

static int append(void *arg, const char *name)
{
	char *text = arg;

	if (strlen(text) + strlen(name) < 200)
		strcat(strcat(text, *text ? " " : ""), name);
	return 0;
}

static void lists_are_expanded(void **state)
{
	static const struct {
		const char *list, *names; /* NULL: refused */
	} row[] = {
		{ "n1", "n1" },
		{ "n[1-3,07],x", "n1 n2 n3 n07 x" },
		{ "n[08-11]", "n08 n09 n10 n11" },
		{ "r[0-1]n[1,3]", "r0n1 r0n3 r1n1 r1n3" },
		{ "a[1-2]b,c", "a1b a2b c" },
		{ "None assigned", "" },
		{ "Unknown", "" },
		{ "", "" },
		{ "n[1-3", NULL },
		{ "n[]", NULL },
		{ "n[3-1]", NULL },
		{ "n[-1]", NULL },
		{ "n[1-]", NULL },
		{ "n[1-2-3]", NULL },
		{ "n[a-b]", NULL },
		{ "n[0-4294967296]", NULL },
		{ "n[0-999999999]", NULL },
		{ "n[0-999][0-999]", NULL },
		{ "n[0-1][0-1][0-1][0-1][0-1]", NULL },
		{ "a,,b", NULL },
		{ ",", NULL },
	};
	char *wide = calloc(1, 100000), got[256];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		int rc;

		*got = '\0';
		rc = cs_node_list_each(row[i].list, append, got);
		if (!rc != (row[i].names != NULL) ||
		    (!rc && strcmp(got, row[i].names)))
			fail_msg("'%s': %d, '%s'", row[i].list, rc, got);
	}
	assert_non_null(wide);
	memset(wide, 'n', 99999);
	assert_int_equal(cs_node_list_each(wide, append, got), -E2BIG);
	free(wide);
}

/* ---- histories ----------------------------------------------------------- */

static struct cs_together *t;
static struct cs_past *h;

static int begin(void **state)
{
	(void)state;
	t = cs_together_create(INT64_MIN, 1, 0);
	h = cs_past_create(0, 90 * DAY);
	return !t || !h;
}

static int end(void **state)
{
	(void)state;
	cs_together_free(t);
	cs_past_free(h);
	return 0;
}

static int add(const char *name, const char *nodes, uint64_t cpus, int64_t from,
	       int64_t to)
{
	struct cs_together_job j = {
		.user = "u",
		.name = name,
		.partition = "p",
		.nodes = nodes,
		.cpus = cpus,
		.start_us = from * S,
		.end_us = to * S,
		.run_us = (to - from) * S,
		.limit_us = 3600 * S,
		.teaches = true,
	};

	return cs_together_add(t, &j, NULL);
}

static void teach(void)
{
	struct cs_err err = { "" };

	if (cs_together_teach(t, h, &err))
		fail_msg("%s", err.text);
	if (cs_past_check(h, &err))
		fail_msg("%s", err.text);
}

static uint64_t kind_of(const char *name)
{
	struct cs_kin k;

	cs_kin_make(&k, "u", name, "p", 1, S);
	return k.kind;
}

/* The run of @name that is kept. */
static const struct cs_run *run_of(const char *name)
{
	for (size_t i = 0; i < h->n_run; i++)
		if (h->run[i].kind == kind_of(name))
			return &h->run[i];
	return NULL;
}

/* How many seconds of @r were beside @beside. */
static int64_t seconds(const struct cs_run *r, uint64_t beside)
{
	for (uint32_t i = 0; r && i < r->n_part; i++)
		if (r->part[i].beside == beside)
			return r->part[i].us / S;
	return 0;
}

/*
 *	n1  aaaaaaaaaa....	a: 8 cpus on n1 and n2, 0 to 1000
 *	n1  ..bbbbbb......	b: 4 cpus on n1, 200 to 800
 *	n2  ....cccccccccc	c: 4 cpus on n2, 400 to 1400
 *
 * 8 cpus are a node.  a is beside b, then beside both, of which the one with the lower
 * number counts, then beside c; c cannot fill a node, so after a it is alone.
 */
static void parts_follow_from_lists_and_times(void **state)
{
	uint64_t a = kind_of("a"), b = kind_of("b"), c = kind_of("c");

	(void)state;
	add("a", "n[1-2]", 8, 0, 1000);
	add("b", "n1", 4, 200, 800);
	add("c", "n2", 4, 400, 1400);
	teach();
	assert_int_equal(h->n_run, 3);
	assert_int_equal(seconds(run_of("a"), CS_BESIDE_NOBODY), 200);
	assert_int_equal(seconds(run_of("a"), b < c ? b : c), 600);
	assert_int_equal(seconds(run_of("a"), b < c ? c : b), 200);
	assert_int_equal(seconds(run_of("b"), a), 600);
	assert_int_equal(seconds(run_of("c"), a), 600);
	assert_int_equal(seconds(run_of("c"), CS_BESIDE_FULL), 400);
	assert_int_equal(run_of("c")->t_us, 1400 * S);
	assert_int_equal(cs_together_counts(t)->taught, 3);
}

/* Full nodes are as full as nodes ever were, or as the caller says. */
static void density_is_told_from_what_was_held(void **state)
{
	(void)state;
	add("full", "n[1-2]", 16, 0, 100);
	add("wide", "n[1-2]", 8, 200, 300);
	add("odd", "n[1-3]", 20, 400, 500); /* 8, 8 and 4 */
	add("small", "n1", 2, 600, 700);
	teach();
	assert_int_equal(h->n_run, 1);
	assert_int_equal(seconds(run_of("wide"), CS_BESIDE_NOBODY), 100);
	end(NULL);
	t = cs_together_create(INT64_MIN, 2, 8); /* two threads a core */
	h = cs_past_create(0, 90 * DAY);
	add("full", "n[1-2]", 32, 0, 100);
	add("half", "n[1-2]", 16, 200, 300);
	teach();
	assert_int_equal(h->n_run, 1);
	assert_int_equal(seconds(run_of("half"), CS_BESIDE_NOBODY), 100);
}

/* Each of these is beside somebody else, so the fault of one is not another's. */
static void what_cannot_be_trusted_teaches_nothing(void **state)
{
	struct cs_together_job j = { .user = "u",
				     .name = "halted",
				     .partition = "p",
				     .nodes = "n1",
				     .cpus = 4,
				     .start_us = 0,
				     .end_us = 1000 * S,
				     .run_us = 500 * S,
				     .limit_us = 0,
				     .teaches = true };

	(void)state;
	assert_int_equal(cs_together_add(t, &j, NULL), 0);
	add("beside", "n1", 4, 0, 500); /* one that was halted, when? */
	add("alone", "n1", 4, 2000, 2500);
	j.name = "failed";
	j.nodes = "n2";
	j.run_us = 1000 * S;
	j.teaches = false;
	assert_int_equal(cs_together_add(t, &j, NULL), 0);
	add("survivor", "n2", 4, 0, 500); /* it was beside that one */
	for (int i = 0; i < 70; i++)
		add(i % 2 ? "crowd" : "crush", "n3", 1, 0, 100 + i);
	add("later", "n3", 1, 101, 165); /* some of the crowd are not listed */
	add("many", "n[4-13]", 40, 0, 1000);
	for (int i = 0; i < 10; i++) {
		char name[8] = { 'k', (char)('a' + i), 0 };
		char node[16];

		snprintf(node, sizeof(node), "n%d", 4 + i);
		add(name, node, 4, 0, 1000);
	}
	teach();
	assert_null(run_of("halted"));
	assert_null(run_of("beside"));
	assert_null(run_of("failed"));
	assert_null(run_of("crowd"));
	assert_null(run_of("later"));
	assert_null(run_of("many"));
	assert_int_equal(seconds(run_of("survivor"), kind_of("failed")), 500);
	assert_int_equal(seconds(run_of("kc"), kind_of("many")), 1000);
	assert_int_equal(h->n_run, 11);
	assert_int_equal(h->told, 12); /* and alone */
}

static void neighbours_of_before_are_not_known(void **state)
{
	(void)state;
	end(NULL);
	t = cs_together_create(500 * S, 1, 8);
	h = cs_past_create(0, 90 * DAY);
	add("a", "n1", 4, 400, 1000);
	add("b", "n1", 4, 500, 1000);
	teach();
	assert_null(run_of("a"));
	assert_int_equal(seconds(run_of("b"), kind_of("a")), 500);
}

static void what_is_no_job_is_refused(void **state)
{
	struct cs_err err = { "" };
	struct cs_together_job j = { .user = "u", .name = "n", .nodes = "n1" };

	(void)state;
	assert_int_equal(add("a", "n1", 4, 10, 10), -EINVAL);
	assert_int_equal(add("a", "n1", 4, 10, 5), -EINVAL);
	assert_int_equal(add("a", "n1", 4, -10, 5), -EINVAL);
	assert_int_equal(add("a", "n1", 0, 0, 5), -EINVAL);
	assert_int_equal(add("a", "n[1", 4, 0, 5), -EINVAL);
	assert_int_equal(add("a", "n1,n2,n[", 4, 0, 5), -EINVAL);
	assert_int_equal(add("a", "n[0-999999]", 4, 0, 5), -E2BIG);
	j.cpus = UINT64_MAX;
	j.end_us = S;
	assert_int_equal(cs_together_add(t, &j, &err), -EINVAL);
	assert_contains(err.text, "expected");
	assert_int_equal(cs_together_counts(t)->jobs, 0);
	assert_int_equal(add("a", "None assigned", 4, 0, 5), 0);
	assert_int_equal(cs_together_counts(t)->no_nodes, 1);
	/* a list that names a node twice has it once */
	assert_int_equal(add("a", "n1,n1,n[1-1]", 4, 0, 100), 0);
	assert_int_equal(add("b", "n1", 4, 0, 100), 0);
	teach();
	assert_int_equal(seconds(run_of("a"), kind_of("b")), 100);
}

/* A history twice as long as there is room, by a user with as many job names: the last
 * ones teach, and only he forgets. */
static void a_long_history_is_cut(void **state)
{
	uint32_t n = 2 * CS_TOGETHER_JOBS + 10;
	char name[16], nodes[32];

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "j%u", i % 100000);
		snprintf(nodes, sizeof(nodes), "n[%u-%u]", i % 50, i % 50 + 9);
		if (add(name, nodes, 160, i * INT64_C(20),
			i * INT64_C(20) + 65))
			fail_msg("%u", i);
	}
	assert_true(cs_together_counts(t)->dropped >= n - CS_TOGETHER_JOBS);
	teach();
	assert_true(h->n_kind <= CS_PAST_KINDS / 8);
	assert_true(h->n_run <= CS_PAST_RUNS);
	assert_int_equal(h->run[h->n_run - 1].t_us,
			 ((n - 1) * INT64_C(20) + 65) * S);
}

static void more_than_may_run_at_a_time_is_an_error(void **state)
{
	struct cs_err err = { "" };
	char node[16];

	(void)state;
	for (uint32_t i = 0; i <= CS_TOGETHER_AT_ONCE; i++) {
		snprintf(node, sizeof(node), "n%u", i);
		assert_int_equal(add("a", node, 1, 0, 1000), 0);
	}
	assert_int_equal(cs_together_teach(t, h, &err), -E2BIG);
	assert_contains(err.text, "at a time, expected fewer");
}

/* ---- against what is obvious --------------------------------------------- */

enum { JOBS = 40, NODES = 6, TIMES = 300 };

struct world {
	uint32_t n;
	struct {
		int64_t from, to;
		uint32_t nodes; /* a bit each */
		uint32_t kind;
	} job[JOBS];
};

/* The kind that is on most nodes of job @i at time @at; 0: none. */
static uint64_t beside(const struct world *w, uint32_t i, int64_t at)
{
	uint32_t count[4] = { 0 };
	uint64_t best = 0;
	uint32_t most = 0;

	for (uint32_t k = 0; k < w->n; k++)
		if (k != i && w->job[k].from <= at && at < w->job[k].to)
			count[w->job[k].kind] += (uint32_t)__builtin_popcount(
				w->job[k].nodes & w->job[i].nodes);
	for (uint32_t k = 0; k < 4; k++) {
		char name[2] = { (char)('a' + k), 0 };

		if (count[k] > most ||
		    (count[k] && count[k] == most && kind_of(name) < best)) {
			most = count[k];
			best = kind_of(name);
		}
	}
	return best;
}

static void draw(struct world *w, uint64_t *seed)
{
	w->n = 1 + (uint32_t)cs_test_draw(seed, JOBS);
	for (uint32_t i = 0; i < w->n; i++) {
		w->job[i].from = (int64_t)cs_test_draw(seed, TIMES);
		w->job[i].to = w->job[i].from + 60 +
			       (int64_t)cs_test_draw(seed, TIMES);
		w->job[i].nodes =
			1 + (uint32_t)cs_test_draw(seed, (1 << NODES) - 1);
		w->job[i].kind = (uint32_t)cs_test_draw(seed, 4);
	}
}

static void add_world(const struct world *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		char name[2] = { (char)('a' + w->job[i].kind), 0 };
		char nodes[64] = "";

		for (int k = 0; k < NODES; k++)
			if (w->job[i].nodes >> k & 1)
				snprintf(nodes + strlen(nodes), 8, "%sn%d",
					 *nodes ? "," : "", k);
		assert_int_equal(
			add(name, nodes, 1, w->job[i].from, w->job[i].to), 0);
	}
}

/* Each run that is kept is one of the jobs, with that job's neighbours. */
static bool is_in(const struct world *w, const struct cs_run *r)
{
	for (uint32_t i = 0; i < w->n; i++) {
		int64_t us[5] = { 0 };
		bool same = r->t_us == w->job[i].to * S &&
			    r->us == (w->job[i].to - w->job[i].from) * S;

		for (int64_t at = w->job[i].from; same && at < w->job[i].to;
		     at++) {
			uint64_t b = beside(w, i, at);
			uint32_t k = 0;

			while (k < r->n_part && r->part[k].beside != b)
				k++;
			if (k == r->n_part)
				same = false;
			else
				us[k] += S;
		}
		for (uint32_t k = 0; same && k < r->n_part; k++)
			same = us[k] == r->part[k].us;
		if (same)
			return true;
	}
	return false;
}

static void it_agrees_with_every_second_looked_at(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(200);
	size_t runs = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct world w;

		end(NULL);
		t = cs_together_create(INT64_MIN, 1, 8);
		h = cs_past_create(0, 90 * DAY);
		draw(&w, &seed);
		add_world(&w);
		teach();
		for (size_t k = 0; k < h->n_run; k++)
			if (!is_in(&w, &h->run[k]))
				fail_msg("world %llu: a run that was none",
					 (unsigned long long)i);
		runs += h->n_run;
		assert_int_equal(h->told, w.n);
	}
	print_message("%zu runs beside others\n", runs);
	assert_true(runs > 10 * worlds);
}

/* ---- failures ------------------------------------------------------------ */

static void every_allocation_may_fail(void **state)
{
	bool more = true;

	(void)state;
	for (long n = 0; more; n++) {
		int rc = 0;

		end(NULL);
		h = cs_past_create(0, 90 * DAY);
		cs_test_fail_after(n);
		t = cs_together_create(INT64_MIN, 1, 0);
		for (int i = 0; t && !rc && i < 3; i++)
			rc = add("a", "n[1-20]", 40, i * 10, i * 10 + 500);
		if (t && !rc)
			rc = cs_together_teach(t, h, NULL);
		more = cs_test_failed();
		assert_true(more == (!t || rc == -ENOMEM));
	}
	assert_int_equal(h->told, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_expanded),
		cmocka_unit_test_setup_teardown(
			parts_follow_from_lists_and_times, begin, end),
		cmocka_unit_test_setup_teardown(
			density_is_told_from_what_was_held, begin, end),
		cmocka_unit_test_setup_teardown(
			what_cannot_be_trusted_teaches_nothing, begin, end),
		cmocka_unit_test_setup_teardown(
			neighbours_of_before_are_not_known, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_job_is_refused,
						begin, end),
		cmocka_unit_test_setup_teardown(a_long_history_is_cut, begin,
						end),
		cmocka_unit_test_setup_teardown(
			more_than_may_run_at_a_time_is_an_error, begin, end),
		cmocka_unit_test_setup_teardown(
			it_agrees_with_every_second_looked_at, begin, end),
		cmocka_unit_test_setup_teardown(every_allocation_may_fail,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
