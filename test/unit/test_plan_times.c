/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reservations keep and when that changes (plan_times.c), against asking each of them.
 */
#include "cs_test.h"

#include "common/backfill/plan_parts.h"
#include "common/state/state.h"

#define HELD 40
#define SPAN 200 /* instants: many coincide */

static const struct cs_slice_ops no_slices;

struct world {
	struct cs_engine e;
	struct cs_held_nodes held[HELD];
	struct cs_alloc cores; /* only there */
	struct cs_plan p;
};

static int64_t draw_us(uint64_t *rng)
{
	return (int64_t)cs_test_draw(rng, SPAN);
}

static void draw_world(struct world *w, uint64_t *rng)
{
	memset(w, 0, sizeof(*w));
	w->e.sm = w->e.sms;
	w->e.n_sm = 1;
	w->e.slice = &no_slices;
	w->e.held = w->held;
	w->e.n_held = (uint32_t)cs_test_draw(rng, HELD + 1);
	for (uint32_t h = 0; h < w->e.n_held; h++) {
		struct cs_held_nodes *r = &w->held[h];

		r->id = h + 1;
		r->start_us = draw_us(rng);
		r->end_us = r->start_us + 1 + (int64_t)cs_test_draw(rng, 60);
		r->kinds[0] = UINT64_C(1) << cs_test_draw(rng, 64) |
			      UINT64_C(1) << cs_test_draw(rng, 64);
		r->cores = cs_test_draw(rng, 3) ? NULL : &w->cores;
		if (!cs_test_draw(rng, 8))
			r->flags |= CS_RESV_FLOAT;
		if (!cs_test_draw(rng, 8))
			r->flags |= CS_RESV_ALL;
		if (!cs_test_draw(rng, 8))
			r->flags |= CS_RESV_LENDS;
		if (!cs_test_draw(rng, 8))
			r->job = 1;
		if (!cs_test_draw(rng, 8))
			r->end_us = CS_TIME_NONE;
		if (!cs_test_draw(rng, 500))
			r->end_us = r->start_us;
	}
	assert_int_equal(cs_plan_times_make(&w->e, &w->p), 0);
}

static uint64_t kept_by_each(const struct world *w,
			     const struct cs_resv_job *of, bool whole,
			     int64_t from_us, int64_t until_us)
{
	uint64_t kept = 0;

	for (uint32_t h = 0; h < w->e.n_held; h++) {
		enum cs_keeps keeps = cs_resv_keeps(of, &w->held[h]);

		if (cs_resv_meets(&w->held[h], from_us, until_us) &&
		    (keeps == CS_KEEPS_NODES ||
		     (keeps == CS_KEEPS_CORES && whole)))
			kept |= w->held[h].kinds[0];
	}
	return kept;
}

static int64_t next_of_each(const struct world *w, const struct cs_resv_job *of,
			    int64_t from_us, int64_t run_us)
{
	int64_t next = CS_TIME_NONE;

	for (uint32_t h = 0; h < w->e.n_held; h++) {
		const struct cs_held_nodes *r = &w->held[h];

		if (r->flags & CS_RESV_FLOAT ||
		    cs_resv_keeps(of, r) == CS_KEEPS_NOTHING)
			continue;
		if (r->start_us > run_us && r->start_us - run_us >= from_us &&
		    r->start_us - run_us + 1 < next)
			next = r->start_us - run_us + 1;
		if (r->end_us > from_us && r->end_us < next)
			next = r->end_us;
	}
	return next;
}

static void a_table_answers_as_each_reservation_would(void **state)
{
	const struct cs_resv_job of = { .in = false };
	uint64_t rng = cs_test_seed(), worlds = cs_test_worlds(3000);
	uint64_t answers = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		static struct world w;

		draw_world(&w, &rng);
		for (int k = 0; k < 20; k++) {
			int64_t from_us = draw_us(&rng);
			int64_t run_us = 1 + (int64_t)cs_test_draw(&rng, 90);
			bool whole = cs_test_draw(&rng, 2);

			if (!cs_test_draw(&rng, 20))
				run_us = CS_TIME_NONE;
			if (!cs_plan_times_answer(&w.e, &w.p, &of))
				continue;
			answers++;
			assert_int_equal(
				cs_plan_times_kept(
					&w.e, &w.p, whole, from_us,
					cs_later_us(from_us, run_us)),
				kept_by_each(&w, &of, whole, from_us,
					     cs_later_us(from_us, run_us)));
			assert_int_equal(
				cs_plan_times_next(&w.p, from_us, run_us),
				next_of_each(&w, &of, from_us, run_us));
		}
		free(w.p.times);
	}
	assert_true(answers > 15 * worlds);
}

/* Nor for one in a reservation, nor while the classes of nodes are out of date. */
static void it_does_not_answer_for_other_jobs(void **state)
{
	const struct cs_resv_job out = { .in = false }, in = { .in = true },
				 borrows = { .borrows = true },
				 shares = { .shares_cores = true };
	static struct world w;

	(void)state;
	memset(&w, 0, sizeof(w));
	w.e.sm = w.e.sms;
	w.e.slice = &no_slices;
	w.e.held = w.held;
	w.e.n_held = 1;
	w.held[0] = (struct cs_held_nodes){ .id = 1, .end_us = 9 };
	assert_int_equal(cs_plan_times_make(&w.e, &w.p), 0);
	assert_true(cs_plan_times_answer(&w.e, &w.p, &out));
	assert_false(cs_plan_times_answer(&w.e, &w.p, &in));
	assert_false(cs_plan_times_answer(&w.e, &w.p, &borrows));
	assert_false(cs_plan_times_answer(&w.e, &w.p, &shares));
	w.e.sms[0].regroup = true;
	assert_false(cs_plan_times_answer(&w.e, &w.p, &out));
	w.e.sms[0].regroup = false;
	w.held[0].end_us = 0;
	assert_int_equal(cs_plan_times_make(&w.e, &w.p), 0);
	assert_false(cs_plan_times_answer(&w.e, &w.p, &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_answers_as_each_reservation_would),
		cmocka_unit_test(it_does_not_answer_for_other_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
