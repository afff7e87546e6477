/* SPDX-License-Identifier: GPL-2.0-or-later */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "naive_line.h"
#include "common/backfill/timeline.h"

#define MAX_CLASSES 80 /* more than a word of a set holds */

static const uint32_t all[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static struct cs_timeline *line(uint32_t classes, int64_t from_us,
				const int32_t *n)
{
	struct cs_timeline *t = cs_timeline_create(classes);

	assert_non_null(t);
	cs_timeline_reset(t, from_us, n);
	return t;
}

static struct cs_timeline *line_of_1(int64_t from_us, int32_t n)
{
	return line(1, from_us, &n);
}

static void add(struct cs_timeline *t, int64_t from_us, int64_t to_us,
		int32_t n)
{
	assert_int_equal(cs_timeline_add(t, from_us, to_us, &n), 0);
}

static int64_t find(const struct cs_timeline *t, int64_t from_us,
		    int64_t len_us, uint32_t need)
{
	return cs_timeline_find(t, from_us, len_us, need, all, NULL, 1, NULL);
}

static void assert_step(const struct cs_timeline *t, size_t i, int64_t at_us,
			int32_t n)
{
	int32_t got;

	assert_int_equal(cs_timeline_step(t, i, &got), at_us);
	assert_int_equal(got, n);
}

/*	9	    +----
 *	6  --+	 +--+
 *	2    +---+
 *	   0 10  20 30		*/
static struct cs_timeline *valley(void)
{
	struct cs_timeline *t = line_of_1(0, 6);

	add(t, 10, 20, -4);
	add(t, 30, CS_TIME_NONE, 3);
	return t;
}

/* ---------------------------------------------------------------- by hand */

static void a_new_line_has_one_step(void **state)
{
	struct cs_timeline *t = line_of_1(-5, 6);

	(void)state;
	assert_int_equal(cs_timeline_steps(t), 1);
	assert_step(t, 0, -5, 6);
	assert_int_equal(cs_timeline_step(t, 0, NULL), -5);
	cs_timeline_free(t);
	cs_timeline_free(NULL);
}

static void adding_makes_steps(void **state)
{
	struct cs_timeline *t = valley();

	(void)state;
	assert_int_equal(cs_timeline_steps(t), 4);
	assert_step(t, 0, 0, 6);
	assert_step(t, 1, 10, 2);
	assert_step(t, 2, 20, 6);
	assert_step(t, 3, 30, 9);
	assert_int_equal(cs_timeline_change_us(t, 0), 10);
	assert_int_equal(cs_timeline_change_us(t, 9), 10);
	assert_int_equal(cs_timeline_change_us(t, 10), 20);
	assert_int_equal(cs_timeline_change_us(t, 30), CS_TIME_NONE);
	cs_timeline_free(t);
}

static void equal_neighbours_are_one_step(void **state)
{
	struct cs_timeline *t = valley();

	(void)state;
	add(t, 10, 20, 4);
	assert_int_equal(cs_timeline_steps(t), 2);
	assert_step(t, 1, 30, 9);
	add(t, 30, CS_TIME_NONE, -3);
	assert_int_equal(cs_timeline_steps(t), 1);
	add(t, 10, 20, 1);
	add(t, 20, 30, 1);
	assert_int_equal(cs_timeline_steps(t), 3);
	assert_step(t, 1, 10, 7);
	assert_step(t, 2, 30, 6);
	cs_timeline_free(t);
}

static void what_adds_nothing_makes_no_step(void **state)
{
	struct cs_timeline *t = valley();

	(void)state;
	add(t, 5, 7, 0);
	add(t, 7, 7, 1);
	add(t, 7, 5, 1);
	add(t, CS_TIME_NONE, CS_TIME_NONE, 1);
	add(t, -9, -3, 1);
	add(t, -9, 0, 1);
	assert_int_equal(cs_timeline_steps(t), 4);
	cs_timeline_free(t);
}

static void times_before_the_beginning_do_not_count(void **state)
{
	struct cs_timeline *t = line_of_1(100, 6);

	(void)state;
	add(t, 50, 110, -2);
	assert_int_equal(cs_timeline_steps(t), 2);
	assert_step(t, 0, 100, 4);
	assert_step(t, 1, 110, 6);
	assert_int_equal(find(t, 0, 5, 4), 100);
	assert_int_equal(find(t, INT64_MIN, 20, 5), 110);
	assert_int_equal(cs_timeline_least(t, 0, 0, 200), 4);
	assert_int_equal(cs_timeline_least(t, 0, 110, 200), 6);
	add(t, INT64_MIN, CS_TIME_NONE, 1);
	assert_int_equal(cs_timeline_steps(t), 2);
	assert_step(t, 0, 100, 5);
	cs_timeline_free(t);
}

static void least_is_over_the_whole_range(void **state)
{
	static const struct {
		int64_t from_us, to_us;
		int32_t least;
	} row[] = {
		{ 0, 10, 6 },
		{ 0, 11, 2 },
		{ 9, 10, 6 },
		{ 10, 11, 2 },
		{ 19, 25, 2 },
		{ 20, 25, 6 },
		{ 25, 31, 6 },
		{ 30, 31, 9 },
		{ 30, CS_TIME_NONE, 9 },
		{ 0, CS_TIME_NONE, 2 },
		{ 5, 5, INT32_MAX },
		{ 6, 5, INT32_MAX },
		{ 99, 98, INT32_MAX },
	};
	struct cs_timeline *t = valley();

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(
			cs_timeline_least(t, 0, row[i].from_us, row[i].to_us),
			row[i].least);
	cs_timeline_free(t);
}

static void the_first_start_that_holds_is_found(void **state)
{
	static const struct {
		int64_t from_us, len_us;
		uint32_t need;
		int64_t start_us;
	} row[] = {
		{ 0, 10, 6, 0 },
		{ 0, 11, 6, 20 }, /* would reach into the valley */
		{ 1, 10, 6, 20 },
		{ 1, 9, 6, 1 },
		{ 12, 3, 2, 12 },
		{ 12, 3, 3, 20 },
		{ 0, 1, 7, 30 },
		{ 0, CS_TIME_NONE, 2, 0 },
		{ 0, CS_TIME_NONE, 3, 20 },
		{ 0, INT64_MAX - 1, 9, 30 },
		{ 77, 1, 9, 77 },
		{ 0, 1, 10, CS_TIME_NONE },
		{ 0, 1, UINT32_MAX, CS_TIME_NONE },
		{ 15, 1, 0, 15 },
		{ -15, 1, 0, 0 },
		{ CS_TIME_NONE, 1, 1, CS_TIME_NONE },
	};
	struct cs_timeline *t = valley();
	int32_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		n = -1;
		assert_int_equal(cs_timeline_find(t, row[i].from_us,
						  row[i].len_us, row[i].need,
						  all, NULL, 1, &n),
				 row[i].start_us);
		if (row[i].start_us == CS_TIME_NONE)
			assert_int_equal(n, -1);
		else
			assert_int_equal(n, row[i].need);
	}
	cs_timeline_free(t);
}

static void free_may_be_negative(void **state)
{
	struct cs_timeline *t = line_of_1(0, 2);
	int32_t n = -1;

	(void)state;
	add(t, 10, 20, -5);
	assert_int_equal(cs_timeline_least(t, 0, 0, 15), -3);
	assert_int_equal(find(t, 5, 10, 1), 20);
	assert_int_equal(cs_timeline_find(t, 12, 3, 0, all, NULL, 1, &n), 12);
	assert_int_equal(n, 0);
	add(t, 10, 20, 5);
	assert_int_equal(cs_timeline_steps(t), 1);
	cs_timeline_free(t);
}

static void a_line_can_begin_again(void **state)
{
	struct cs_timeline *t = valley();
	int32_t n = 3;

	(void)state;
	for (int64_t i = 0; i < 1000; i++)
		add(t, 100 + 10 * i, 105 + 10 * i, -1);
	assert_int_equal(cs_timeline_steps(t), 2004);
	cs_timeline_reset(t, 7, &n);
	assert_int_equal(cs_timeline_steps(t), 1);
	assert_step(t, 0, 7, 3);
	assert_int_equal(find(t, 0, CS_TIME_NONE, 3), 7);
	cs_timeline_free(t);
}

/* ------------------------------------------------------------- by classes */

/* Class 0 has 4 then 1, class 1 has 1 then 4: at each instant 5 are free, but a
 * job that crosses 10 could keep only 2. */
static void the_sum_of_the_minima_is_meant(void **state)
{
	static const int32_t n[] = { 4, 1 }, turn[] = { -3, 3 };
	struct cs_timeline *t = line(2, 0, n);
	int32_t take[2];

	(void)state;
	assert_int_equal(cs_timeline_add(t, 10, CS_TIME_NONE, turn), 0);
	assert_int_equal(cs_timeline_find(t, 0, 10, 5, all, NULL, 2, take), 0);
	assert_int_equal(take[0], 4);
	assert_int_equal(take[1], 1);
	assert_int_equal(cs_timeline_find(t, 0, 11, 5, all, NULL, 2, take), 10);
	assert_int_equal(take[0], 1);
	assert_int_equal(take[1], 4);
	assert_int_equal(cs_timeline_find(t, 0, 11, 2, all, NULL, 2, take), 0);
	assert_int_equal(take[0], 1);
	assert_int_equal(take[1], 1);
	assert_int_equal(cs_timeline_find(t, 0, 11, 3, all, NULL, 2, take), 10);
	assert_int_equal(take[0], 1);
	assert_int_equal(take[1], 2);
	cs_timeline_free(t);
}

static void a_negative_class_counts_as_none(void **state)
{
	static const int32_t n[] = { -7, 3, 5 };
	struct cs_timeline *t = line(3, 0, n);
	int32_t take[3];

	(void)state;
	assert_int_equal(cs_timeline_find(t, 0, 1, 7, all, NULL, 3, take), 0);
	assert_int_equal(take[0], 0);
	assert_int_equal(take[1], 3);
	assert_int_equal(take[2], 4);
	assert_int_equal(cs_timeline_find(t, 0, 1, 9, all, NULL, 3, take),
			 CS_TIME_NONE);
	cs_timeline_free(t);
}

static void only_the_classes_named_count(void **state)
{
	static const int32_t n[] = { 9, 3, 9, 5 };
	static const uint32_t odd[] = { 1, 3 };
	struct cs_timeline *t = line(4, 0, n);
	int32_t take[2];

	(void)state;
	assert_int_equal(cs_timeline_find(t, 0, 1, 8, odd, NULL, 2, take), 0);
	assert_int_equal(take[0], 3);
	assert_int_equal(take[1], 5);
	assert_int_equal(cs_timeline_find(t, 0, 1, 9, odd, NULL, 2, NULL),
			 CS_TIME_NONE);
	assert_int_equal(cs_timeline_find(t, 0, 1, 4, odd + 1, NULL, 1, take),
			 0);
	assert_int_equal(take[0], 4);
	assert_int_equal(cs_timeline_find(t, 3, 1, 0, odd, NULL, 0, NULL), 3);
	assert_int_equal(cs_timeline_find(t, 3, 1, 1, odd, NULL, 0, NULL),
			 CS_TIME_NONE);
	cs_timeline_free(t);
}

/* Nine, three and five free: no more than two of the last one. */
static void no_more_units_of_a_class_than_most(void **state)
{
	static const int32_t n[] = { 9, 3, 5 }, most[] = { 9, 9, 2 };
	static const uint32_t class[] = { 1, 2 };
	struct cs_timeline *t = line(3, 0, n);
	int32_t take[2];

	(void)state;
	assert_int_equal(cs_timeline_find_most(t, 0, 1, 5, class, NULL,
					       most + 1, 2, take),
			 0);
	assert_int_equal(take[0], 3);
	assert_int_equal(take[1], 2);
	assert_int_equal(cs_timeline_find_most(t, 0, 1, 6, class, NULL,
					       most + 1, 2, NULL),
			 CS_TIME_NONE);
	cs_timeline_free(t);
}

static void steps_alike_in_some_classes_stay(void **state)
{
	static const int32_t n[] = { 1, 1 }, one[] = { 0, 1 };
	static const int32_t back[] = { 0, -1 };
	struct cs_timeline *t = line(2, 0, n);
	int32_t got[2];

	(void)state;
	assert_int_equal(cs_timeline_add(t, 10, 20, one), 0);
	assert_int_equal(cs_timeline_steps(t), 3);
	assert_int_equal(cs_timeline_step(t, 1, got), 10);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[1], 2);
	assert_int_equal(cs_timeline_add(t, 10, 20, back), 0);
	assert_int_equal(cs_timeline_steps(t), 1);
	cs_timeline_free(t);
}

/* -------------------------------------------------------------- at random */

/* A case: a line and its double, times below @span_us, jobs that may end. */
struct random_case {
	uint64_t *seed;
	uint32_t classes;
	uint64_t span_us, nodes, keep; /* one add in @keep takes a step away */
	struct cs_timeline *t;
	struct naive_line l;
};

static int64_t draw_us(struct random_case *r)
{
	return (int64_t)cs_test_draw(r->seed, r->span_us) - 5;
}

static void random_counts(struct random_case *r, int32_t *n)
{
	uint64_t some = r->classes > 8 ? r->classes : 2;

	for (uint32_t c = 0; c < r->classes; c++)
		n[c] = cs_test_draw(r->seed, some)
			       ? 0
			       : (int32_t)cs_test_draw(r->seed, r->nodes) -
					 (int32_t)r->nodes / 2;
}

static void random_add(struct random_case *r)
{
	int32_t n[MAX_CLASSES], got[MAX_CLASSES];
	int64_t from_us = draw_us(r), to_us = draw_us(r);

	random_counts(r, n);
	if (cs_test_draw(r->seed, 8) == 0)
		to_us = CS_TIME_NONE;
	if (cs_test_draw(r->seed, r->keep) == 0) {
		size_t i = cs_test_draw(r->seed, r->l.n);

		from_us = r->l.at_us[i];
		to_us = naive_end(&r->l, i);
		for (uint32_t c = 0; c < r->classes && i > 0; c++)
			n[c] = naive_free(&r->l, i - 1)[c] -
			       naive_free(&r->l, i)[c];
	}
	assert_int_equal(cs_timeline_add(r->t, from_us, to_us, n), 0);
	naive_add(&r->l, from_us, to_us, n);
	assert_int_equal(cs_timeline_steps(r->t), r->l.n);
	cs_timeline_step(r->t, r->l.n - 1, got);
	assert_memory_equal(got, naive_free(&r->l, r->l.n - 1),
			    r->classes * sizeof(*got));
}

static void random_look(struct random_case *r)
{
	uint32_t class[MAX_CLASSES], n_class = 0, need;
	int32_t take[MAX_CLASSES], want[MAX_CLASSES];
	int32_t unit[MAX_CLASSES], most[MAX_CLASSES];
	int64_t from_us = draw_us(r), to_us = draw_us(r), until_us, len_us, got;
	uint32_t other[MAX_CLASSES], n_other = 0;
	int32_t other_unit[MAX_CLASSES];
	struct cs_timeline_beside beside = { other, other_unit };
	bool units = !cs_test_draw(r->seed, 3), limited, paired;

	limited = units && cs_test_draw(r->seed, 2);
	paired = !cs_test_draw(r->seed, 3);
	for (uint32_t c = 0; c < r->classes; c++)
		if (cs_test_draw(r->seed, 3)) {
			unit[n_class] = 1 + (int32_t)cs_test_draw(r->seed, 4);
			most[n_class] = (int32_t)cs_test_draw(r->seed, 9);
			class[n_class++] = c;
		} else {
			other[n_other++] = c;
		}
	/* as many beside as there are others, the rest without */
	for (uint32_t k = 0; k < n_class; k++)
		other_unit[k] =
			k < n_other ? (int32_t)cs_test_draw(r->seed, 4) : 0;
	if (n_class > 0)
		assert_int_equal(
			cs_timeline_least(r->t, class[0], from_us, to_us),
			naive_least(&r->l, class[0], from_us, to_us));
	len_us = 1 + (int64_t)(cs_test_draw(r->seed, r->span_us) >>
			       cs_test_draw(r->seed, 10));
	if (cs_test_draw(r->seed, 16) == 0)
		len_us = CS_TIME_NONE;
	need = (uint32_t)cs_test_draw(r->seed, r->nodes * (n_class + 1));
	if (units)
		need /= 2;
	until_us = cs_test_draw(r->seed, 4) ? CS_TIME_NONE : draw_us(r);
	got = cs_timeline_find_until(r->t, from_us, until_us, len_us, need,
				     class, units ? unit : NULL,
				     limited ? most : NULL,
				     paired ? &beside : NULL, n_class, take);
	assert_int_equal(got, naive_find_until(&r->l, from_us, until_us, len_us,
					       need, class, units ? unit : NULL,
					       limited ? most : NULL,
					       paired ? &beside : NULL, n_class,
					       want));
	if (got != CS_TIME_NONE)
		assert_memory_equal(take, want, n_class * sizeof(*take));
}

static void same_steps(const struct random_case *r)
{
	int32_t got[MAX_CLASSES];

	assert_int_equal(cs_timeline_steps(r->t), r->l.n);
	for (size_t i = 0; i < r->l.n; i++) {
		assert_int_equal(cs_timeline_step(r->t, i, got), r->l.at_us[i]);
		assert_memory_equal(got, naive_free(&r->l, i),
				    r->classes * sizeof(*got));
		assert_int_equal(cs_timeline_change_us(r->t, r->l.at_us[i]),
				 i + 1 < r->l.n ? r->l.at_us[i + 1]
						: CS_TIME_NONE);
	}
}

static void random_line(uint64_t *seed, uint64_t span_us, int adds)
{
	struct random_case r = { .seed = seed, .span_us = span_us };
	int32_t n[MAX_CLASSES];

	r.classes = 1 + (uint32_t)cs_test_draw(seed, 6);
	if (!cs_test_draw(seed, 8))
		r.classes = 60 + (uint32_t)cs_test_draw(seed, 20);
	r.nodes = 2 + cs_test_draw(seed, 30);
	for (uint32_t c = 0; c < r.classes; c++)
		n[c] = (int32_t)cs_test_draw(seed, r.nodes);
	r.t = line(r.classes, 0, n);
	naive_init(&r.l, r.classes, 0, n);
	for (int i = 0; i < adds; i++) {
		if (i % (adds / 4) == 0) /* grow and shrink */
			r.keep = 1 + cs_test_draw(seed, 9);
		random_add(&r);
		random_look(&r);
	}
	same_steps(&r);
	cs_timeline_free(r.t);
	naive_done(&r.l);
}

static void as_the_naive_line_when_short(void **state)
{
	uint64_t seed = cs_test_seed(), lines = cs_test_worlds(4000);

	(void)state;
	for (uint64_t i = 0; i < lines; i++)
		random_line(&seed, 10 + cs_test_draw(&seed, 200), 60);
}

static void as_the_naive_line_when_long(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int i = 0; i < 20; i++)
		random_line(&seed, 5000, 2000);
}

/* @more in [@from_us, @to_us), on both lines. */
static void add_both(struct random_case *r, int64_t from_us, int64_t to_us,
		     const int32_t *more)
{
	assert_int_equal(cs_timeline_add(r->t, from_us, to_us, more), 0);
	naive_add(&r->l, from_us, to_us, more);
	same_steps(r);
}

/* 200 battlements, of which all but the first @stay go in order of time: blocks
 * become empty beside full ones. */
static void raze(uint64_t *seed, int64_t begin_us, int64_t stay)
{
	static const int32_t n[] = { 5, 5 }, more[] = { 1, 2 };
	static const int32_t less[] = { -1, -2 };
	struct random_case r = {
		.seed = seed, .classes = 2, .nodes = 9, .span_us = 500
	};

	r.t = line(2, begin_us, n);
	naive_init(&r.l, 2, begin_us, n);
	add_both(&r, -1, 0, more);
	for (int64_t i = 0; i < 200; i += 2)
		add_both(&r, 2 * i + 1, 2 * i + 2, more);
	for (int64_t i = 1; i < 200; i += 2)
		add_both(&r, 2 * i + 1, 2 * i + 2, more);
	for (int64_t i = stay; i < 200; i++) {
		add_both(&r, 2 * i + 1, 2 * i + 2, less);
		random_look(&r);
	}
	cs_timeline_free(r.t);
	naive_done(&r.l);
}

static void blocks_become_empty(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int64_t stay = 25; stay < 40; stay++) {
		raze(&seed, 0, stay);
		raze(&seed, -1, stay);
	}
}

/* Three full blocks (of 64 steps) where there is room for four; one add cuts
 * the first and the last. */
static void two_blocks_split_at_once(void **state)
{
	struct random_case r = { .classes = 1 };
	const int32_t n = 5, more = 1;

	(void)state;
	r.t = line_of_1(0, n);
	naive_init(&r.l, 1, 0, &n);
	for (int64_t i = 1; i < 128; i++)
		add_both(&r, 10 * i, CS_TIME_NONE, &more);
	for (int64_t i = 0; i < 64; i++)
		add_both(&r, 10 * i + 5, CS_TIME_NONE, &more);
	assert_int_equal(cs_timeline_steps(r.t), 192);
	add_both(&r, 7, 1007, &more);
	assert_int_equal(cs_timeline_steps(r.t), 194);
	cs_timeline_free(r.t);
	naive_done(&r.l);
}

/* Jobs come and go: whatever was added is taken back, in another order. */
static void all_taken_back_leaves_one_step(void **state)
{
	enum { JOBS = 2000 };
	static struct {
		int64_t from_us, to_us;
		int32_t n[3];
	} job[JOBS];
	static const int32_t none[3] = { 0, 0, 0 };
	struct cs_timeline *t = line(3, 0, none);
	uint64_t seed = cs_test_seed();
	int32_t got[3];

	(void)state;
	for (int i = 0; i < JOBS; i++) {
		job[i].from_us = (int64_t)cs_test_draw(&seed, 100000);
		job[i].to_us =
			job[i].from_us + 1 + (int64_t)cs_test_draw(&seed, 1000);
		for (int c = 0; c < 3; c++)
			job[i].n[c] = -(int32_t)cs_test_draw(&seed, 9);
		assert_int_equal(cs_timeline_add(t, job[i].from_us,
						 job[i].to_us, job[i].n),
				 0);
	}
	assert_true(cs_timeline_steps(t) > JOBS);
	for (int i = 0; i < JOBS; i++) {
		int k = (i * 1999 + 7) % JOBS;

		for (int c = 0; c < 3; c++)
			job[k].n[c] *= -1;
		assert_int_equal(cs_timeline_add(t, job[k].from_us,
						 job[k].to_us, job[k].n),
				 0);
	}
	assert_int_equal(cs_timeline_steps(t), 1);
	assert_int_equal(cs_timeline_step(t, 0, got), 0);
	assert_memory_equal(got, none, sizeof(none));
	cs_timeline_free(t);
}

/* ------------------------------------------------------------ allocations */

static void each_failed_allocation_makes_no_line(void **state)
{
	struct cs_timeline *t = NULL;

	(void)state;
	CS_TEST_EACH_ALLOC(t = cs_timeline_create(3), !t);
	cs_timeline_free(t);
}

static bool is_unchanged(const struct random_case *r, int err, int *failures)
{
	assert_int_equal(err, -ENOMEM);
	same_steps(r);
	++*failures;
	return true;
}

static void each_failed_allocation_leaves_the_line(void **state)
{
	static const int32_t n[] = { 1000, 1000 };
	uint64_t seed = cs_test_seed();
	struct random_case r = { .classes = 2 };
	int failures = 0;

	(void)state;
	r.t = line(2, 0, n);
	naive_init(&r.l, 2, 0, n);
	for (int i = 0; i < 1000; i++) {
		int64_t from_us = (int64_t)cs_test_draw(&seed, 10000);
		int64_t to_us = (int64_t)cs_test_draw(&seed, 10000);
		int32_t less[] = { -1, -(int32_t)cs_test_draw(&seed, 3) };
		int err = 0;

		CS_TEST_EACH_ALLOC(
			err = cs_timeline_add(r.t, from_us, to_us, less),
			err && is_unchanged(&r, err, &failures));
		naive_add(&r.l, from_us, to_us, less);
		same_steps(&r);
	}
	assert_true(failures >= 12);
	cs_timeline_free(r.t);
	naive_done(&r.l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_line_has_one_step),
		cmocka_unit_test(adding_makes_steps),
		cmocka_unit_test(equal_neighbours_are_one_step),
		cmocka_unit_test(what_adds_nothing_makes_no_step),
		cmocka_unit_test(times_before_the_beginning_do_not_count),
		cmocka_unit_test(least_is_over_the_whole_range),
		cmocka_unit_test(the_first_start_that_holds_is_found),
		cmocka_unit_test(free_may_be_negative),
		cmocka_unit_test(a_line_can_begin_again),
		cmocka_unit_test(the_sum_of_the_minima_is_meant),
		cmocka_unit_test(a_negative_class_counts_as_none),
		cmocka_unit_test(only_the_classes_named_count),
		cmocka_unit_test(no_more_units_of_a_class_than_most),
		cmocka_unit_test(steps_alike_in_some_classes_stay),
		cmocka_unit_test(as_the_naive_line_when_short),
		cmocka_unit_test(as_the_naive_line_when_long),
		cmocka_unit_test(blocks_become_empty),
		cmocka_unit_test(two_blocks_split_at_once),
		cmocka_unit_test(all_taken_back_leaves_one_step),
		cmocka_unit_test(each_failed_allocation_makes_no_line),
		cmocka_unit_test(each_failed_allocation_leaves_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
