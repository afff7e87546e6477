/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a comparison comes to: who is best, who loses, and the words for it.  Known
 * answers, and the errors against the formula of compare_users.h worked by hand.
 */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_verdict.h"
#include "compare/pairs.h"
#include "cli/duration.h"

#define CASES 3
#define POLICIES 3

/* Two users of 2 and 1 jobs in every case. */
struct world {
	struct cs_compare c;
	struct cs_compare_site site;
	struct cs_compare_policy policy[POLICIES];
	struct cs_compare_case cases[CASES];
	struct cs_compare_user user[CASES][2];
	struct cs_compare_run run[CASES * POLICIES];
	double *response_s[CASES * POLICIES];
	double of_user[CASES * POLICIES][2];
};

static void world_init(struct world *w)
{
	static char *const title[] = { "first", "second", "third" };
	static char *const name[] = { "ann", "bob" };

	memset(w, 0, sizeof(*w));
	w->c = (struct cs_compare){ .policy = w->policy,
				    .n_policy = POLICIES,
				    .cases = w->cases,
				    .n_case = CASES,
				    .run = w->run,
				    .response_s = w->response_s,
				    .site = &w->site };
	for (size_t i = 0; i < POLICIES; i++)
		w->policy[i].title = title[i];
	for (size_t k = 0; k < CASES; k++) {
		w->cases[k] = (struct cs_compare_case){ .title = "case",
							.user = w->user[k],
							.n_user = 2 };
		for (int u = 0; u < 2; u++)
			w->user[k][u] =
				(struct cs_compare_user){ .number = 3 + 4 * u,
							  .title = name[u],
							  .jobs = 2 -
								  (uint32_t)u };
	}
	for (size_t r = 0; r < CASES * POLICIES; r++)
		w->response_s[r] = w->of_user[r];
}

/* Means of policy @policy in the cases. */
static void means(struct world *w, size_t policy, double a, double b, double c)
{
	const double v[] = { a, b, c };

	for (size_t k = 0; k < CASES; k++) {
		struct cs_metrics *m = &w->run[k * POLICIES + policy].figures;

		m->mean_response = v[k];
		m->mean_bounded_slowdown = 2;
	}
}

static void user_means(struct world *w, size_t policy, size_t user, double a,
		       double b, double c)
{
	const double v[] = { a, b, c };

	for (size_t k = 0; k < CASES; k++)
		w->of_user[k * POLICIES + policy][user] =
			v[k] * w->user[k][user].jobs;
}

static void says(const struct world *w, const struct cs_verdict *v,
		 size_t policy, const struct cs_losers *l, const char *want)
{
	char *got = v ? cs_verdict_text(&w->c, v)
		      : cs_losers_text(&w->c, policy, l);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

/* Differences of -10, -20, -30: mean -20, variance 100, 2 * 10 / sqrt(3) = 11.547. */
static void test_best(void **state)
{
	struct world w;
	struct cs_verdict v;

	(void)state;
	world_init(&w);
	means(&w, 0, 100, 100, 100);
	means(&w, 1, 90, 80, 70);
	means(&w, 2, 91, 80, 70);
	assert_true(cs_compare_verdict(&w.c, 0, &v));
	assert_int_equal(v.best, 1);
	assert_int_equal(v.n_best, 1);
	assert_close(v.value, 80, 1e-12);
	assert_close(v.change, -20, 1e-12);
	assert_close(v.error, 11.547005383792515, 1e-9);
	assert_int_equal(v.next, 2);
	assert_close(v.next_change, 100. / 240, 1e-9);
	says(&w, &v, 0, NULL,
	     "By mean response second is best: 80.0 s, 20.0 % less than first "
	     "(give or take 11.5). Next is third, 0.4 % more than the best "
	     "(give or take 0.8: may be chance).");
	assert_true(cs_compare_verdict(&w.c, 1, &v));
	assert_int_equal(v.n_best, POLICIES);
	says(&w, &v, 0, NULL,
	     "By mean bounded slowdown first, second and third are best, and "
	     "equal: 2.00.");
}

/* The first is best: nothing is against itself.  One policy, or no figures: no
 * verdict. */
static void test_first(void **state)
{
	struct world w;
	struct cs_verdict v;

	(void)state;
	world_init(&w);
	w.c.n_case = 1;
	means(&w, 0, 7200, 0, 0);
	means(&w, 1, 7920, 0, 0);
	means(&w, 2, 9000, 0, 0);
	assert_true(cs_compare_verdict(&w.c, 0, &v));
	assert_true(isnan(v.error));
	says(&w, &v, 0, NULL,
	     "By mean response first is best: 2.00 h. Next is second, 10.0 % "
	     "more than the best.");
	means(&w, 0, NAN, 0, 0);
	means(&w, 1, NAN, 0, 0);
	means(&w, 2, NAN, 0, 0);
	assert_false(cs_compare_verdict(&w.c, 0, &v));
	means(&w, 0, 1, 0, 0);
	w.c.n_policy = 1;
	assert_false(cs_compare_verdict(&w.c, 0, &v));
}

/* Replicas of one history: one user is one, with an error. */
static void test_losers(void **state)
{
	struct world w;
	struct cs_losers l;

	(void)state;
	world_init(&w);
	user_means(&w, 0, 0, 100, 100, 100);
	user_means(&w, 1, 0, 110, 120, 130);
	user_means(&w, 0, 1, 50, 50, 50);
	user_means(&w, 1, 1, 40, 50, 63);
	assert_int_equal(cs_compare_losers(&w.c, 1, &l), 0);
	assert_int_equal(l.users, 2);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.much, 1);
	assert_int_equal(l.sure, 1);
	assert_string_equal(l.list[0].user->title, "ann");
	assert_null(l.list[0].at);
	assert_close(l.list[0].change, 20, 1e-12);
	assert_close(l.list[0].error, 11.547005383792515, 1e-9);
	assert_close(l.list[0].here_s, 120, 1e-12);
	assert_close(l.list[1].change, 2, 1e-9); /* -10, 0, 13 of 50 */
	assert_close(l.most, 20, 1e-12);
	assert_close(l.median, 11, 1e-9);
	says(&w, NULL, 1, &l,
	     "second against first, 2 users: the mean response of 2 is longer, "
	     "by 11.0 % in the median and 20.0 % at most (ann), of 1 by more "
	     "than 10 %, of 1 by more than chance.");
	free(l.list);
	user_means(&w, 2, 0, 90, 90, 90);
	user_means(&w, 2, 1, 50, 50, 50);
	assert_int_equal(cs_compare_losers(&w.c, 2, &l), 0);
	assert_int_equal(l.shorter, 1);
	says(&w, NULL, 2, &l,
	     "third against first, 2 users: no user's mean response is longer; "
	     "that of 1 is shorter.");
	free(l.list);
}

/* In different traces, and in replicas that differ, number 3 is somebody else. */
static void test_strangers(void **state)
{
	struct world w;
	struct cs_losers l;

	(void)state;
	for (int way = 0; way < 3; way++) {
		world_init(&w);
		for (size_t u = 0; u < 2; u++) {
			user_means(&w, 0, u, 100, 100, 100);
			user_means(&w, 1, u, 110, 90, 100);
		}
		if (way == 0)
			w.c.site = NULL;
		else if (way == 1)
			w.user[2][1].number = 8;
		else
			w.cases[2].n_user = 1;
		assert_int_equal(cs_compare_losers(&w.c, 1, &l), 0);
		assert_int_equal(l.users, way == 2 ? 5 : 6);
		assert_int_equal(l.n, 2);
		assert_int_equal(l.shorter, 2);
		assert_int_equal(l.sure, 0);
		assert_ptr_equal(l.list[0].at, &w.cases[0]);
		assert_true(isnan(l.list[0].error));
		assert_int_equal(l.list[0].user->number, 3);
		free(l.list);
	}
}

static void test_nomem(void **state)
{
	struct world w;
	struct cs_losers l;

	(void)state;
	world_init(&w);
	cs_test_left = 0;
	assert_int_equal(cs_compare_losers(&w.c, 1, &l), -ENOMEM);
	cs_test_left = -1;
	assert_null(l.list);
}

/* The users of a trace: each once, without those that are not known. */
static void test_users(void **state)
{
	struct cs_trace_job job[] = {
		{ .user = 7 }, { .user = -1 }, { .user = 3 }, { .user = 7 }
	};
	struct cs_trace t = { .job = job, .n = 4 };
	struct cs_compare_case at = { .title = NULL };

	(void)state;
	assert_int_equal(
		cs_trace_names_line(&t.names, " UserName: 7 b\033[m<b>"), 0);
	assert_int_equal(cs_compare_users(&at, &t), 0);
	assert_int_equal(at.n_user, 2);
	assert_string_equal(at.user[0].title, "user 3");
	assert_string_equal(at.user[1].title, "b?[m<b>");
	assert_int_equal(at.user[1].jobs, 2);
	assert_int_equal(cs_compare_user(&at, 7), 1);
	cs_compare_users_done(&at);
	cs_trace_names_free(t.names);
}

/* The error of random pairs against two passes over them. */
static void test_pairs(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t i = cs_test_worlds(1000); i--;) {
		int n = 2 + (int)cs_test_draw(&seed, 20);
		double a[22], b[22], d = 0, sum_b = 0, squares = 0, error;
		struct cs_pairs p = { 0 };

		for (int k = 0; k < n; k++) {
			a[k] = 1e6 + 1e3 * cs_test_unit(&seed);
			b[k] = 1e6 + 1e3 * cs_test_unit(&seed);
			cs_pairs_add(&p, a[k], b[k]);
			d += a[k] - b[k];
			sum_b += b[k];
		}
		for (int k = 0; k < n; k++)
			squares +=
				(a[k] - b[k] - d / n) * (a[k] - b[k] - d / n);
		assert_close(cs_pairs_change(&p, &error), 100 * d / sum_b,
			     1e-7);
		assert_close(error,
			     200 * sqrt(squares / (n - 1) / n) / (sum_b / n),
			     1e-9);
	}
}

static void test_span(void **state)
{
	static const struct {
		double s, like;
		const char *want;
	} row[] = { { 0, 0, "0 s" },	      { 119.4, 119.4, "119 s" },
		    { 120, 120, "2.00 min" }, { 7199, 7199, "120 min" },
		    { 7200, 7200, "2.00 h" }, { 172800, 172800, "2.00 days" },
		    { 90, 7200, "0.03 h" },   { 86400, 60, "86400 s" } };
	char buf[CS_DURATION_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_string_equal(
			cs_duration_text(row[i].s, row[i].like, buf),
			row[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_best),   cmocka_unit_test(test_first),
		cmocka_unit_test(test_losers), cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_nomem),  cmocka_unit_test(test_users),
		cmocka_unit_test(test_pairs),  cmocka_unit_test(test_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
