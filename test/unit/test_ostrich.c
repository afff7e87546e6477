/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual schedule of OStrich alone (Emeras12, sections IV and VII). */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "naive_ostrich.h"
#include "common/order/ostrich.h"

#define S INT64_C(1000000)

static struct cs_campaign *submit(struct cs_ostrich *o, const char *name,
				  double work_s)
{
	struct cs_ostrich_user *u = cs_ostrich_user(o, name);

	assert_non_null(u);
	return cs_ostrich_submit(o, u, (cs_u128)(work_s * 1e6));
}

static void check(const struct cs_ostrich *o)
{
	struct cs_err err = { "" };

	if (cs_ostrich_check(o, &err))
		fail_msg("%s", err.text);
}

static void assert_at(int64_t us, double want_s)
{
	assert_close((double)us / 1e6, want_s, 1e-12);
}

/* An end is the first whole microsecond not before it. */
static void assert_near(int64_t us, double want_s)
{
	assert_in_range(us, want_s * 1e6, want_s * 1e6 + 1);
}

/* The example of section IV-B: every number of its text. */
static void figure_2(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(6);
	struct cs_campaign *u1, *u2, *u3, *second;

	(void)state;
	cs_ostrich_advance(o, 0);
	u1 = submit(o, "1", 48);
	u2 = submit(o, "2", 18);
	assert_int_equal(o->active, 2);
	assert_at(cs_ostrich_projected_us(o, u1), 16);
	assert_at(cs_ostrich_projected_us(o, u2), 6);

	cs_ostrich_advance(o, 2 * S);
	assert_close((double)cs_ostrich_left(o, u1), 42e6, 0); /* 6 each */
	assert_close((double)cs_ostrich_left(o, u2), 12e6, 0);
	u3 = submit(o, "3", 10);
	assert_int_equal(o->active, 3);
	assert_at(cs_ostrich_projected_us(o, u1), 23);
	assert_at(cs_ostrich_projected_us(o, u2), 8);
	assert_at(cs_ostrich_projected_us(o, u3), 7);

	cs_ostrich_advance(o, 5 * S);
	second = submit(o, "3", 8);
	assert_int_equal(second->state, CS_CAMPAIGN_WAITS);
	assert_at(cs_ostrich_projected_us(o, u3), 7);
	assert_at(cs_ostrich_projected_us(o, second), 11);

	/* the schedule's own ends, foreseen and as they come */
	assert_at(cs_ostrich_end_us(o, u1), 14);
	assert_at(cs_ostrich_end_us(o, u2), 8);
	assert_at(cs_ostrich_end_us(o, u3), 7);
	assert_at(cs_ostrich_end_us(o, second), 10);
	check(o);
	cs_ostrich_advance(o, 7 * S);
	assert_int_equal(second->state, CS_CAMPAIGN_RUNS);
	assert_at(second->start_us, 7);
	cs_ostrich_advance(o, 100 * S);
	assert_at(u1->end_us, 14);
	assert_at(u2->end_us, 8);
	assert_at(u3->end_us, 7);
	assert_at(second->end_us, 10);
	assert_int_equal(o->active, 0);
	check(o);
	cs_ostrich_free(o);
}

/* Shares 1 : 3 give service 1 : 3. */
static void weights_divide_the_machine(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(8);
	struct cs_ostrich_user *a = cs_ostrich_user(o, "a");
	struct cs_ostrich_user *b = cs_ostrich_user(o, "b");
	struct cs_campaign *x, *y;

	(void)state;
	cs_ostrich_share(o, a, 10);
	cs_ostrich_share(o, b, 30);
	cs_ostrich_advance(o, 0);
	x = submit(o, "a", 80);
	y = submit(o, "b", 80);
	cs_ostrich_advance(o, 10 * S);
	assert_close((double)cs_ostrich_left(o, x), 60e6, 1e-9);
	assert_close((double)cs_ostrich_left(o, y), 20e6, 1e-9);
	/* from now on they are equal: 20 left at 4 a second */
	cs_ostrich_share(o, a, 30);
	assert_close((double)cs_ostrich_left(o, x), 60e6, 1e-9);
	assert_near(cs_ostrich_projected_us(o, y), 15);
	assert_near(cs_ostrich_projected_us(o, x), 25);
	assert_near(cs_ostrich_end_us(o, x), 20);
	cs_ostrich_advance(o, 30 * S);
	assert_near(y->end_us, 15);
	assert_near(x->end_us, 20);
	check(o);
	cs_ostrich_free(o);
}

/* Rule 4: before the virtual end. */
static void a_correction_moves_the_end(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(2);
	struct cs_campaign *a, *b, *next;

	(void)state;
	cs_ostrich_advance(o, 0);
	a = submit(o, "a", 20);
	b = submit(o, "b", 20);
	next = submit(o, "a", 4);
	cs_ostrich_advance(o, 4 * S);
	cs_ostrich_correct(o, a, 0, 10 * S); /* 10 in all, 4 had */
	assert_at(cs_ostrich_projected_us(o, a), 10);
	assert_at(cs_ostrich_projected_us(o, next), 14);
	cs_ostrich_correct(o, a, 2 * S, 0);
	assert_at(cs_ostrich_projected_us(o, a), 12);
	/* less than it had: it has ended, and what it had too much counts for the
	 * next one, which was there from the beginning */
	cs_ostrich_correct(o, a, 0, 9 * S);
	assert_int_equal(a->state, CS_CAMPAIGN_ENDED);
	assert_at(a->end_us, 4);
	assert_int_equal(next->state, CS_CAMPAIGN_RUNS);
	assert_at(cs_ostrich_projected_us(o, next), 7);
	assert_at(cs_ostrich_projected_us(o, b), 20);
	check(o);
	cs_ostrich_free(o);
}

/* Rule 4: after it. */
static void a_correction_after_the_end_is_settled(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(2);
	struct cs_campaign *a, *b, *late;

	(void)state;
	cs_ostrich_advance(o, 0);
	a = submit(o, "a", 10);
	b = submit(o, "b", 40);
	cs_ostrich_advance(o, 6 * S);
	late = submit(o, "a", 10);
	cs_ostrich_advance(o, 12 * S);
	assert_int_equal(a->state, CS_CAMPAIGN_ENDED);
	assert_at(cs_ostrich_projected_us(o, late), 20);
	/* known from the beginning, a had ended at 7, after late came */
	cs_ostrich_correct(o, a, 0, 3 * S);
	assert_at(cs_ostrich_projected_us(o, late), 17);
	/* at most what late waited for a: at 6 it had begun */
	cs_ostrich_correct(o, a, 0, 5 * S);
	assert_at(cs_ostrich_projected_us(o, late), 16);
	/* longer than thought: late pays */
	cs_ostrich_correct(o, a, 1 * S, 0);
	assert_at(cs_ostrich_projected_us(o, late), 17);
	cs_ostrich_advance(o, 20 * S);
	assert_int_equal(late->state, CS_CAMPAIGN_ENDED);
	/* and who is idle goes on */
	cs_ostrich_correct(o, late, 6 * S, 0);
	assert_int_equal(late->state, CS_CAMPAIGN_RUNS);
	assert_int_equal(o->active, 2);
	assert_at(cs_ostrich_projected_us(o, late), 26);
	check(o);
	(void)b;
	cs_ostrich_free(o);
}

/* What was given to one from before a pause is not given back after it. */
static void a_pause_ends_the_account(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(2);
	struct cs_campaign *a, *x, *y;

	(void)state;
	cs_ostrich_advance(o, 0);
	submit(o, "b", 1000);
	a = submit(o, "a", 10);
	cs_ostrich_advance(o, 20 * S);
	x = submit(o, "a", 10);
	y = submit(o, "a", 10);
	cs_ostrich_advance(o, 31 * S);
	assert_int_equal(x->state, CS_CAMPAIGN_ENDED);
	assert_at(cs_ostrich_projected_us(o, y), 40);
	cs_ostrich_correct(o, a, 0, 5 * S);
	assert_at(cs_ostrich_projected_us(o, y), 40);
	cs_ostrich_correct(o, x, 0, 5 * S);
	assert_at(cs_ostrich_projected_us(o, y), 35);
	check(o);
	cs_ostrich_free(o);
}

/* W falls, and what is kept of the last service would do for b: his end is still
 * ahead, so that who waits for it waits for a time that comes. */
static void the_next_end_is_ahead(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(1);
	struct cs_campaign *a, *b;

	(void)state;
	cs_ostrich_advance(o, 0);
	a = cs_ostrich_submit(o, cs_ostrich_user(o, "a"), 1000);
	b = cs_ostrich_submit(o, cs_ostrich_user(o, "b"), 1);
	cs_ostrich_advance(o, 2); /* but for the rounding of F b has ended */
	assert_int_equal(b->state, CS_CAMPAIGN_RUNS);
	cs_ostrich_correct(o, a, 0, 1000);
	assert_true(o->rest >= o->weights);
	assert_int_equal(cs_ostrich_next_us(o), 3);
	assert_int_equal(cs_ostrich_end_us(o, b), 3);
	cs_ostrich_advance(o, 3);
	assert_int_equal(b->state, CS_CAMPAIGN_ENDED);
	check(o);
	cs_ostrich_free(o);
}

static void time_never_runs_backwards(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(4);
	struct cs_campaign *c;
	cs_u128 v;

	(void)state;
	cs_ostrich_advance(o, 7200 * S);
	c = submit(o, "a", 400);
	cs_ostrich_advance(o, 7250 * S);
	v = o->v;
	cs_ostrich_advance(o, 3600 * S); /* the clock is set back an hour */
	assert_true(o->v == v);
	cs_ostrich_advance(o, 7250 * S);
	assert_true(o->v == v);
	cs_ostrich_procs(o, 0); /* every node down */
	assert_int_equal(cs_ostrich_next_us(o), INT64_MAX);
	cs_ostrich_advance(o, 8000 * S);
	assert_true(o->v == v);
	cs_ostrich_procs(o, 4);
	assert_at(cs_ostrich_next_us(o), 8050);
	cs_ostrich_advance(o, 8050 * S);
	assert_at(c->end_us, 8050);
	check(o);
	cs_ostrich_free(o);
}

/* ---- against the naive one ------------------------------------------------- */

#define CAMPAIGNS 200

/* Fast and naive see the same submits; virtual ends are the same, but that they
 * come at a whole microsecond, and that an event may cost a unit of V (ostrich.c);
 * and so are those foreseen. */
static void compare(uint64_t *seed, bool weights)
{
	uint32_t users = 1 + (uint32_t)cs_test_draw(seed, 50);
	uint32_t m = 1 + (uint32_t)cs_test_draw(seed, 100);
	uint32_t n = 1 + (uint32_t)cs_test_draw(seed, CAMPAIGNS);
	struct cs_ostrich *o = cs_ostrich_create(m);
	struct naive_ostrich naive;
	struct cs_campaign *c[CAMPAIGNS];
	struct cs_ostrich_ends ends;
	long double all = 0, off;
	int64_t t = 0;

	naive_init(&naive, m, users);
	for (uint32_t u = 0; u < users; u++) {
		naive.user[u].weight =
			weights ? 1 + (double)cs_test_draw(seed, 1000)
				: CS_OSTRICH_WEIGHT;
		all += naive.user[u].weight;
	}
	off = n * all / m / (long double)CS_OSTRICH_UNIT + 1e-6L;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t u = (uint32_t)cs_test_draw(seed, users);
		cs_u128 work = 1 + cs_test_draw(seed, 1000 * S);
		struct cs_ostrich_user *user;
		char name[16];

		if (cs_test_draw(seed, 3))
			t += (int64_t)cs_test_draw(
				seed, 1 + cs_test_draw(seed, 60 * S));
		cs_ostrich_advance(o, t);
		naive_advance(&naive, t);
		snprintf(name, sizeof(name), "u%u", u);
		user = cs_ostrich_user(o, name);
		cs_ostrich_share(o, user, (uint32_t)naive.user[u].weight);
		c[i] = cs_ostrich_submit(o, user, work);
		naive_submit(&naive, u, (long double)work);
		check(o);
		assert_true(naive_weights(&naive) == (long double)o->weights);
	}
	assert_int_equal(cs_ostrich_ends_init(&ends, o), 0);
	for (uint32_t i = 0; i < n; i++) {
		int64_t end_us = cs_ostrich_end_us(o, c[i]);

		assert_int_equal(cs_ostrich_ends_us(&ends, c[i]), end_us);
		if (c[i]->state != CS_CAMPAIGN_ENDED)
			c[i]->left_us = end_us;
	}
	cs_ostrich_ends_done(&ends);
	cs_ostrich_advance(o, t + 1000000 * S);
	naive_advance(&naive, t + 1000000 * S);
	for (uint32_t i = 0; i < n; i++) {
		long double late = c[i]->end_us - naive.c[i].end_us;

		if (c[i]->left_us && llabs(c[i]->left_us - c[i]->end_us) > 1)
			fail_msg("end %lld, foreseen %lld",
				 (long long)c[i]->end_us,
				 (long long)c[i]->left_us);
		if (late < -off || late > 1 + off)
			fail_msg("campaign %u ends at %lld, naive %Lf", i,
				 (long long)c[i]->end_us, naive.c[i].end_us);
	}
	check(o);
	cs_ostrich_free(o);
	naive_done(&naive);
}

static void fast_is_naive(void **state)
{
	uint64_t seed = cs_test_seed(), rounds = cs_test_worlds(300);

	(void)state;
	for (uint64_t i = 0; i < rounds; i++)
		compare(&seed, i % 2);
}

/* However often it is brought forward, and through a restart, the same bits. */
static void steps_do_not_matter(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct cs_ostrich *a = cs_ostrich_create(7);
		struct cs_ostrich *b = cs_ostrich_create(7);
		int64_t t = 0;

		for (int i = 0; i < 60; i++) {
			int64_t to = t + (int64_t)cs_test_draw(&seed, 50 * S);
			char name[8];
			double work = (double)cs_test_draw(&seed, 300) / 7 + 1;

			while (t < to && cs_test_draw(&seed, 4)) {
				t += (int64_t)cs_test_draw(
					&seed, (uint64_t)(to - t) + 1);
				cs_ostrich_advance(b, t);
			}
			t = to;
			cs_ostrich_advance(a, t);
			cs_ostrich_advance(b, t);
			assert_true(a->v == b->v && a->rest == b->rest &&
				    a->active == b->active);
			snprintf(name, sizeof(name), "u%u",
				 (unsigned)cs_test_draw(&seed, 9));
			submit(a, name, work);
			submit(b, name, work);
		}
		cs_ostrich_free(a);
		cs_ostrich_free(b);
	}
}

/* ---- corrections at random, users that go ----------------------------------- */

struct member {
	struct cs_campaign *campaign;
	cs_u128 work;
};

static void anything_may_happen(void **state)
{
	uint64_t seed = cs_test_seed();
	struct cs_ostrich *o = cs_ostrich_create(16);
	struct member job[400] = { 0 };
	cs_u128 v = 0;
	int64_t t = 0;

	(void)state;
	for (int i = 0; i < 40000; i++) {
		struct member *j = &job[cs_test_draw(&seed, 400)];
		cs_u128 work = 1 + cs_test_draw(&seed, 100 * S);
		struct cs_campaign *c;
		char name[16];

		t += (int64_t)cs_test_draw(&seed, 2 * S);
		cs_ostrich_advance(o, t);
		c = j->campaign;
		if (!c) {
			snprintf(name, sizeof(name), "u%u",
				 (unsigned)cs_test_draw(&seed, 40));
			j->work = work;
			c = cs_ostrich_user(o, name)->last;
			if (c && c->state != CS_CAMPAIGN_ENDED &&
			    cs_test_draw(&seed, 2))
				cs_ostrich_join(o, c, work);
			else
				c = cs_ostrich_submit(
					o, cs_ostrich_user(o, name), work);
			j->campaign = c;
		} else if (cs_test_draw(&seed, 3)) {
			cs_ostrich_correct(
				o, c, 0,
				cs_test_draw(&seed, 2) ? j->work : j->work / 3);
			cs_ostrich_leave(o, c);
			j->campaign = NULL;
		} else if (cs_test_draw(&seed, 2)) {
			cs_ostrich_correct(o, c, work, 0);
			j->work += work;
		} else {
			cs_ostrich_share(o, c->user,
					 (uint32_t)cs_test_draw(&seed, 5000));
		}
		assert_true(o->v >= v);
		v = o->v;
		check(o);
	}
	for (int i = 0; i < 400; i++)
		if (job[i].campaign)
			cs_ostrich_leave(o, job[i].campaign);
	cs_ostrich_advance(o, t + INT64_C(1000000000) * S);
	assert_int_equal(o->active, 0);
	assert_int_equal(o->n_user, 0); /* nobody is left behind */
	cs_ostrich_free(o);
}

/* Thousands of users, weights and works at both ends of their ranges. */
static void extremes_stay_in_range(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(10000000);
	int64_t t = INT64_C(1700000000) * S;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char name[16];
		struct cs_ostrich_user *u;

		snprintf(name, sizeof(name), "user%d", i);
		u = cs_ostrich_user(o, name);
		cs_ostrich_share(o, u, i % 2 ? CS_OSTRICH_WEIGHT_MAX : 1);
		cs_ostrich_advance(o, t += 1000);
		assert_non_null(
			cs_ostrich_submit(o, u, i % 3 ? 1 : (cs_u128)1 << 100));
	}
	check(o);
	cs_ostrich_advance(o, INT64_MAX / 2);
	check(o);
	cs_ostrich_advance(o, INT64_MAX - 1);
	check(o);
	cs_ostrich_free(o);
}

/* ---- state ------------------------------------------------------------------- */

static size_t print_all(const struct cs_ostrich *o, char *text, size_t size)
{
	struct cs_ostrich_walk walk = { 0 };
	char line[CS_OSTRICH_LINE];
	size_t n = 0;

	while (cs_ostrich_print(o, &walk, line))
		n += (size_t)snprintf(text + n, size - n, "%s\n", line);
	return n;
}

static struct cs_ostrich *some_schedule(uint64_t *seed)
{
	struct cs_ostrich *o = cs_ostrich_create(9);
	int64_t t = 100 * S;

	for (int i = 0; i < 50; i++) {
		char name[16];
		struct cs_campaign *c;

		cs_ostrich_advance(o, t);
		t += (int64_t)cs_test_draw(seed, 30 * S);
		snprintf(name, sizeof(name), "u %%%u\n",
			 (unsigned)cs_test_draw(seed, 6));
		c = submit(o, name, 1 + (double)cs_test_draw(seed, 100));
		snprintf(c->name, sizeof(c->name), "n=%d\t", i);
	}
	return o;
}

static void state_survives(void **state)
{
	static char before[65536], after[65536];
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct cs_ostrich *a = some_schedule(&seed);
		struct cs_ostrich *b = cs_ostrich_create(9);
		int64_t t = a->now_us;
		char *at = before;

		print_all(a, before, sizeof(before));
		while (*at) {
			size_t n = strcspn(at, "\n");
			struct cs_err err;

			at[n] = '\0';
			if (cs_ostrich_read(b, at, t + 5 * S, &err))
				fail_msg("%s", err.text);
			/* else who has ended would not be written */
			if (!strncmp(at, "campaign", 8))
				cs_ostrich_claim(b->last->last);
			at[n] = '\n';
			at += n + 1;
		}
		check(b);
		print_all(b, after, sizeof(after));
		assert_string_equal(before, after);
		/* both go on as if nothing had been */
		cs_ostrich_advance(a, t + 77 * S);
		cs_ostrich_advance(b, t + 77 * S);
		print_all(a, before, sizeof(before));
		print_all(b, after, sizeof(after));
		assert_string_equal(before, after);
		cs_ostrich_free(a);
		cs_ostrich_free(b);
	}
}

/* A clock that was ahead is taken as now: V does not go back, and goes on. */
static void state_of_the_future_begins_now(void **state)
{
	struct cs_ostrich *o = cs_ostrich_create(2);

	(void)state;
	assert_int_equal(
		cs_ostrich_read(o, "clock 7200000000 5f 3 9", 3600 * S, NULL),
		0);
	assert_int_equal(o->now_us, 3600 * S);
	assert_true(o->v == 0x5f);
	cs_ostrich_free(o);
}

static void bad_state_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"clock",
		"clock 1 2 3",
		"clock 1 2 3 4 5",
		"clock x 2 3 4",
		"clock 1 2g 3 4",
		"clock 1 -2 3 4",
		"clock 99999999999999999999 2 3 4",
		"clock 1 fffffffffffffffffffffffffffffffff 3 4",
		"clock 1 ffffffffffffffffffffffffffffffff 3 4",
		"campaign 9 1 waits 1 0 0 0 5 0 5 0 0 0 =", /* before any runs */
		"campaign 0 1 runs 1 0 0 - 5 0 5 0 0 0 =",
		"campaign 7777 1 runs 1 0 0 - 5 0 5 0 0 0 =", /* seq above */
		"campaign 1 1 runs 1 0 0 - 5 9 5 0 0 0 =",    /* ends, begins */
		"campaign 1 1 runs 1 0 0 - 5 0 5 999999 0 0 =", /* future */
		"campaign 1 1 sits 1 0 0 - 5 0 5 0 0 0 =",
		"campaign 1 1 runs 1 0 0 - 5 0 5 0 0 0 =aaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"reservation 1",
		"user =a 0 0 0 0 0",
		"user a 1 0 0 0 0",
		"user =%0 1 0 0 0 0",
		"user =%00 1 0 0 0 0",
		"user =a 4000000000 0 0 0 0",
		"user =b 1 0 0 0 0", /* again */
	};
	static const char campaign[] =
		"campaign 1 1 runs 1 0 0 - 5 0 5 0 0 0 =x";
	struct cs_ostrich *o = cs_ostrich_create(2);
	struct cs_err err;

	(void)state;
	assert_int_equal(cs_ostrich_read(o, "clock 10 2 0 8", 20, NULL), 0);
	assert_int_equal(cs_ostrich_read(o, "user =b 5 0 0 0 0", 20, NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		if (!cs_ostrich_read(o, bad[i], 20, &err))
			fail_msg("'%s' was taken", bad[i]);
		assert_contains(err.text, "expected a line of the virtual");
		check(o);
	}
	/* b's second line was refused, and with it what stands behind it */
	assert_int_equal(cs_ostrich_read(o, campaign, 20, NULL), -EINVAL);
	assert_int_equal(cs_ostrich_read(o, "user =c 5 0 0 0 0", 20, NULL), 0);
	assert_int_equal(cs_ostrich_read(o, campaign, 20, NULL), 0);
	assert_string_equal(o->last->first->user->name, "c");
	check(o);
	cs_ostrich_free(o);
}

/* ---- memory ------------------------------------------------------------------ */

static bool fill(void)
{
	struct cs_ostrich *o = cs_ostrich_create(3);
	bool failed = !o;

	for (int i = 0; !failed && i < 40; i++) {
		char name[8];
		struct cs_ostrich_user *u;

		snprintf(name, sizeof(name), "u%d", i % 20);
		u = cs_ostrich_user(o, name);
		failed = !u || !cs_ostrich_submit(o, u, 1000);
		check(o);
		cs_ostrich_advance(o, i * 100);
	}
	cs_ostrich_free(o);
	return failed;
}

static void no_memory_is_said(void **state)
{
	bool failed;

	(void)state;
	CS_TEST_EACH_ALLOC(failed = fill(), failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_2),
		cmocka_unit_test(weights_divide_the_machine),
		cmocka_unit_test(a_correction_moves_the_end),
		cmocka_unit_test(a_correction_after_the_end_is_settled),
		cmocka_unit_test(a_pause_ends_the_account),
		cmocka_unit_test(the_next_end_is_ahead),
		cmocka_unit_test(time_never_runs_backwards),
		cmocka_unit_test(fast_is_naive),
		cmocka_unit_test(steps_do_not_matter),
		cmocka_unit_test(anything_may_happen),
		cmocka_unit_test(extremes_stay_in_range),
		cmocka_unit_test(state_survives),
		cmocka_unit_test(state_of_the_future_begins_now),
		cmocka_unit_test(bad_state_is_refused),
		cmocka_unit_test(no_memory_is_said),
	};

	return cmocka_run_group_tests_name("ostrich", tests, NULL, NULL);
}
