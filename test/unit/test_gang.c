/* SPDX-License-Identifier: GPL-2.0-or-later */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "common/base/bits.h"
#include "common/gang/gang_parts.h"
#include "common/gang/repack.h"

#define MAX_PROCS 70
#define MAX_ROWS 12
#define NONE CS_GANG_NONE

static const struct cs_gang_rules bc = { CS_GANG_BLOCK_FIRST,
					 CS_GANG_EXTRA_NONE,
					 CS_GANG_DEAL_NARROW, false };
static const struct cs_gang_rules br = { CS_GANG_BLOCK_BUDDY,
					 CS_GANG_EXTRA_NONE,
					 CS_GANG_DEAL_NARROW, false };
static const struct cs_gang_rules brms = { CS_GANG_BLOCK_BUDDY,
					   CS_GANG_EXTRA_KEPT,
					   CS_GANG_DEAL_NARROW, false };
static const struct cs_gang_rules brmms = { CS_GANG_BLOCK_BUDDY,
					    CS_GANG_EXTRA_LENT,
					    CS_GANG_DEAL_NARROW, false };

static void assert_sound(const struct cs_gang *g)
{
	struct cs_err err = { "" };

	if (cs_gang_check(g, &err))
		fail_msg("%s", err.text);
}

static uint32_t arrive(struct cs_gang *g, uint32_t procs)
{
	uint32_t job = NONE;

	assert_int_equal(cs_gang_arrive(g, procs, &job), 0);
	assert_sound(g);
	return job;
}

static void settle(struct cs_gang *g)
{
	cs_gang_settle(g);
	assert_sound(g);
}

static uint32_t first_of(const struct cs_gang *g, uint32_t job)
{
	return cs_gang_job(g, job).first;
}

static uint32_t places_of(const struct cs_gang *g, uint32_t job)
{
	return cs_gang_job(g, job).places;
}

/* ---------------------------------------------------------------- by hand */

/* A matrix as it is drawn: the first line is the last row. */
static void draw(struct cs_gang_matrix *m, uint32_t rows,
		 const char *const *line)
{
	cs_gang_matrix_init(m, (uint32_t)strlen(line[0]));
	for (uint32_t r = 0; r < rows; r++) {
		const char *cell = line[rows - 1 - r];

		assert_int_equal(cs_gang_row_reserve(m), 0);
		cs_gang_row_add(m);
		for (uint32_t i = 0; i < m->procs; i++)
			m->row[r][i] =
				cell[i] == '.' ? NONE : (uint32_t)cell[i];
	}
}

static void assert_drawn(const struct cs_gang_matrix *m,
			 const char *const *line)
{
	for (uint32_t r = 0; r < m->rows; r++)
		for (uint32_t i = 0; i < m->procs; i++) {
			uint32_t cell = m->row[r][i];

			assert_int_equal(cell == NONE ? '.' : cell,
					 line[m->rows - 1 - r][i]);
		}
}

static void property_1_joins_two_fragments(void **state)
{
	static const char *const was[] = { "44..", "..33" };
	static const char *const is[] = { "....", "4433" };
	struct cs_gang_matrix m;

	(void)state;
	draw(&m, 2, was);
	assert_int_equal(cs_gang_gather(&m, 0, 4), 1);
	assert_drawn(&m, is);
	cs_gang_matrix_done(&m);
}

/* A job that stands across the left end goes with what is shifted. */
static void a_shift_takes_whole_jobs_along(void **state)
{
	static const char *const was[] = { "5544..", "777.33" };
	static const char *const is[] = { "777...", "554433" };
	struct cs_gang_matrix m;

	(void)state;
	draw(&m, 2, was);
	assert_int_equal(cs_gang_gather(&m, 3, 6), 1);
	assert_drawn(&m, is);
	cs_gang_matrix_done(&m);
}

static void what_is_idle_already_is_not_shifted(void **state)
{
	static const char *const was[] = { "1.22", "..33", "4..." };
	struct cs_gang_matrix m;

	(void)state;
	draw(&m, 3, was);
	assert_int_equal(cs_gang_gather(&m, 0, 2), 1);
	assert_int_equal(cs_gang_gather(&m, 1, 4), 0);
	assert_drawn(&m, was);
	assert_int_equal(cs_gang_gather(&m, 3, 4), 0);
	cs_gang_matrix_done(&m);
}

/* Property 2, on figure 1: J' and J'' have ended. */
static void figure_1_spares_a_slot(void **state)
{
	static const char *const was[] = { "55566.77", "....44..", "1122.333" };
	struct cs_gang_matrix m;
	char row[9] = "";
	uint32_t idle;

	(void)state;
	draw(&m, 3, was);
	idle = cs_gang_gather(&m, 0, 8);
	assert_int_equal(cs_gang_idle_run(&m, idle, 0, 8), 8);
	cs_gang_row_delete(&m, idle);
	assert_int_equal(m.rows, 2);
	for (uint32_t r = 0, places = 0; r < 2; r++) {
		for (uint32_t i = 0; i < 8; i++) {
			bool none = m.row[r][i] == NONE;

			row[i] = none ? '.' : (char)m.row[r][i];
			places += !none;
			/* on the processor where it was */
			assert_true(none || row[i] == was[0][i] ||
				    row[i] == was[1][i] || row[i] == was[2][i]);
		}
		assert_true(!!strstr(row, "11") + !!strstr(row, "555") == 1);
		assert_true(!!strstr(row, "22") + !!strstr(row, "555") == 1);
		assert_true(!!strstr(row, "333") + !!strstr(row, "77") == 1);
		assert_true(r == 0 || places == 16);
	}
	cs_gang_matrix_done(&m);
}

/* The tree of tree.c's head. */
static void figure_2_has_room_for_four_on_the_right(void **state)
{
	static const int leaf[] = { 0, 0, 1, 1, 1, 1, 1, 2 };
	static const uint64_t value[] = { 0, 5, 0, 2, 2, 3 };
	struct cs_gang_tree t;

	(void)state;
	assert_int_equal(cs_gang_tree_init(&t, 8), 0);
	for (uint32_t i = 0; i < 8; i++)
		cs_gang_tree_add(&t, i, i + 1, leaf[i]);
	assert_int_equal(cs_gang_tree_root(&t), 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(t.value[2 + i], value[i]);
	assert_int_equal(cs_gang_tree_best(&t, 8), NONE);
	assert_int_equal(cs_gang_tree_best(&t, 4), 4);
	assert_int_equal(cs_gang_tree_best(&t, 3), 4);
	assert_int_equal(cs_gang_tree_best(&t, 2), 6);
	assert_int_equal(cs_gang_tree_best(&t, 1), 7);
	assert_int_equal(cs_gang_tree_best(&t, 9), NONE);
	/* J1, on the first two, ends: a slot can be spared */
	cs_gang_tree_add(&t, 0, 2, 1);
	assert_int_equal(cs_gang_tree_root(&t), 9);
	/* the leftmost of equals */
	cs_gang_tree_add(&t, 0, 1, 1);
	assert_int_equal(cs_gang_tree_best(&t, 1), 0);
	assert_int_equal(cs_gang_tree_best(&t, 2), 0);
	cs_gang_tree_done(&t);
}

static void the_example_of_gang_c(void **state)
{
	static const uint32_t procs[] = { 4, 3, 3, 2, 8 };
	static const uint32_t first[] = { 0, 4, 4, 0, 0 };
	static const uint32_t slot[] = { 0, 0, 1, 1, 2 };
	struct cs_gang *g = cs_gang_create(8, &brmms);
	uint32_t job[5];

	(void)state;
	for (int i = 0; i < 5; i++) {
		job[i] = arrive(g, procs[i]);
		assert_int_equal(first_of(g, job[i]), first[i]);
	}
	settle(g);
	assert_int_equal(cs_gang_slots(g), 3);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(places_of(g, job[i]), 1);
		assert_int_equal(cs_gang_at(g, slot[i], first[i]), job[i]);
	}
	cs_gang_leave(g, job[0]);
	settle(g);
	assert_int_equal(cs_gang_slots(g), 3);
	for (int i = 1; i < 5; i++)
		assert_int_equal(places_of(g, job[i]), i == 3 ? 2 : 1);
	assert_int_equal(cs_gang_at(g, 0, 0), job[3]);
	cs_gang_free(g);
	cs_gang_free(NULL);
}

/* BC has no re-packing: lowest slot, leftmost block, empty slots go. */
static void bc_takes_the_first_block(void **state)
{
	struct cs_gang *g = cs_gang_create(8, &bc);
	uint32_t a = arrive(g, 3), b = arrive(g, 5), c = arrive(g, 4);
	uint32_t d = arrive(g, 2);

	(void)state;
	assert_int_equal(first_of(g, a), 0);
	assert_int_equal(first_of(g, b), 0); /* 0 to 4 of slot 1 */
	assert_int_equal(first_of(g, c), 4); /* of slot 0 */
	assert_int_equal(cs_gang_at(g, 0, 4), c);
	assert_int_equal(first_of(g, d), 6); /* of slot 1: 0 to 4 are b's */
	assert_int_equal(cs_gang_at(g, 1, 6), d);
	cs_gang_leave(g, a);
	cs_gang_leave(g, b);
	assert_sound(g);
	assert_int_equal(cs_gang_slots(g), 2); /* BR would have one */
	cs_gang_leave(g, d);
	assert_int_equal(cs_gang_slots(g), 1);
	assert_sound(g);
	cs_gang_free(g);
}

static void br_spares_what_bc_keeps(void **state)
{
	struct cs_gang *g = cs_gang_create(8, &br);
	uint32_t a = arrive(g, 4), b = arrive(g, 8);
	uint32_t c = arrive(g, 4);

	(void)state;
	assert_int_equal(first_of(g, c), 4);
	assert_int_equal(cs_gang_slots(g), 2);
	cs_gang_leave(g, b);
	assert_int_equal(cs_gang_slots(g), 1);
	cs_gang_leave(g, a);
	cs_gang_leave(g, c);
	assert_int_equal(cs_gang_slots(g), 0);
	cs_gang_free(g);
}

/* BRMS keeps an extra place, so that who comes needs a slot; BRMMS gives it back. */
static void brmms_relinquishes_what_brms_keeps(void **state)
{
	static const struct {
		const struct cs_gang_rules *rules;
		uint32_t before, after, slots;
	} row[] = { { &br, 1, 1, 2 }, { &brms, 2, 3, 3 }, { &brmms, 2, 1, 2 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct cs_gang *g = cs_gang_create(4, row[i].rules);
		uint32_t left = arrive(g, 2), right = arrive(g, 2);

		assert_int_equal(first_of(g, left), 0);
		assert_int_equal(first_of(g, right), 2);
		assert_int_equal(first_of(g, arrive(g, 2)), 0);
		settle(g);
		assert_int_equal(places_of(g, right), row[i].before);
		arrive(g, 2);
		settle(g);
		assert_int_equal(places_of(g, right), row[i].after);
		assert_int_equal(cs_gang_slots(g), row[i].slots);
		cs_gang_free(g);
	}
}

/* kept-one: one more place where the whole block is idle, when a job has come. */
static void kept_one_needs_the_whole_block(void **state)
{
	const struct cs_gang_rules rules = { .block = CS_GANG_BLOCK_BUDDY,
					     .extra = CS_GANG_EXTRA_KEPT_ONE };
	struct cs_gang *g = cs_gang_create(8, &rules);
	uint32_t a = arrive(g, 3), beside = arrive(g, 1);

	(void)state;
	/*	. . . . f f f f		slots 1 and 0; b, `beside`, is in the
	 *	a a a b d . . .		block of a, and narrower	*/
	arrive(g, 1);
	assert_int_equal(first_of(g, arrive(g, 4)), 4);
	assert_int_equal(places_of(g, beside), 1);
	settle(g);
	assert_int_equal(places_of(g, beside), 2);
	assert_int_equal(places_of(g, a), 1);
	cs_gang_leave(g, beside);
	settle(g);
	assert_int_equal(places_of(g, a), 1);
	arrive(g, 8);
	settle(g);
	assert_int_equal(places_of(g, a), 2);
	assert_int_equal(first_of(g, arrive(g, 4)), 4);
	settle(g);
	assert_int_equal(cs_gang_slots(g), 4);
	assert_int_equal(places_of(g, a), 2);
	cs_gang_free(g);
}

/* Who comes first where idle places are dealt. */
static void narrow_or_wide_is_first(void **state)
{
	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		const struct cs_gang_rules rules = {
			.block = CS_GANG_BLOCK_BUDDY,
			.extra = CS_GANG_EXTRA_LENT,
			.deal = wide ? CS_GANG_DEAL_WIDE : CS_GANG_DEAL_NARROW,
		};
		struct cs_gang *g = cs_gang_create(4, &rules);
		uint32_t left[3], one;

		/*	. . 3 3		slots 2, 1 and 0: two idle on 1, one
		 *	b . 2 2		on 0
		 *	a a 1 1			*/
		for (int i = 0; i < 3; i++) {
			left[i] = arrive(g, 2);
			assert_int_equal(first_of(g, left[i]), 0);
			assert_int_equal(first_of(g, arrive(g, 2)), 2);
		}
		cs_gang_leave(g, left[1]);
		cs_gang_leave(g, left[2]);
		one = arrive(g, 1);
		assert_int_equal(cs_gang_slots(g), 3);
		settle(g);
		assert_int_equal(places_of(g, left[0]) + places_of(g, one), 3);
		assert_int_equal(places_of(g, left[0]), wide ? 2 : 1);
		cs_gang_free(g);
	}
}

/* `any` asks for no power of two, and for the lowest load. */
static void any_takes_the_lowest_neighbours(void **state)
{
	const struct cs_gang_rules rules = { .block = CS_GANG_BLOCK_ANY };
	struct cs_gang *g = cs_gang_create(7, &rules);

	(void)state;
	assert_int_equal(first_of(g, arrive(g, 3)), 0);
	assert_int_equal(first_of(g, arrive(g, 3)), 3);
	assert_int_equal(first_of(g, arrive(g, 3)), 0); /* slot 1 */
	assert_int_equal(first_of(g, arrive(g, 1)), 6); /* idle in both */
	assert_int_equal(first_of(g, arrive(g, 4)), 3);
	assert_int_equal(cs_gang_slots(g), 2);
	cs_gang_free(g);
}

static void a_job_must_fit_the_machine(void **state)
{
	struct cs_gang *g = cs_gang_create(5, &brmms);
	uint32_t job = 77;

	(void)state;
	assert_int_equal(cs_gang_arrive(g, 0, &job), -EINVAL);
	assert_int_equal(cs_gang_arrive(g, 6, &job), -EINVAL);
	assert_int_equal(job, 77);
	assert_int_equal(cs_gang_slots(g), 0);
	assert_int_equal(cs_gang_job(g, 3).procs, 0);
	assert_int_equal(arrive(g, 5), 0);
	cs_gang_free(g);
}

/* ------------------------------------------------------- random matrices */

/* Jobs on a random machine: where each stands, and how many places it has. */
struct world {
	struct cs_gang_matrix m;
	uint32_t first[1000], procs[1000], places[1000];
	uint32_t n;
};

/* A matrix as any history could have left it: jobs of one to four places, in random
 * rows, on random neighbours. */
static void random_matrix(struct world *w, uint64_t *seed)
{
	uint32_t procs = 1 + (uint32_t)cs_test_draw(seed, MAX_PROCS);
	uint32_t rows = 1 + (uint32_t)cs_test_draw(seed, MAX_ROWS);
	uint64_t tries = cs_test_draw(seed, 4 * rows);

	w->n = 0;
	cs_gang_matrix_init(&w->m, procs);
	while (w->m.rows < rows) {
		assert_int_equal(cs_gang_row_reserve(&w->m), 0);
		cs_gang_row_add(&w->m);
	}
	while (tries--) {
		uint32_t p = 1 + (uint32_t)cs_test_draw(seed, procs);
		uint32_t from, want = 1 + (uint32_t)cs_test_draw(seed, 4);
		uint32_t has = 0, skip = (uint32_t)cs_test_draw(seed, rows);

		p = 1 + (uint32_t)cs_test_draw(seed, p);
		from = (uint32_t)cs_test_draw(seed, procs - p + 1);
		for (uint32_t i = 0; i < rows && has < want; i++) {
			uint32_t r = (i + skip) % rows;

			if (cs_gang_idle_run(&w->m, r, from, from + p) < p)
				continue;
			cs_gang_row_set(&w->m, r, from, from + p, w->n);
			has++;
		}
		w->first[w->n] = from;
		w->procs[w->n] = p;
		w->places[w->n] = has;
		w->n += has > 0;
	}
}

/* Each job whole on its processors, once a row, in as many rows as before; counted
 * cell by cell. */
static void assert_jobs_are_whole(const struct world *w)
{
	static uint32_t places[1000];

	memset(places, 0, sizeof(places));
	for (uint32_t r = 0; r < w->m.rows; r++) {
		for (uint32_t i = 0; i < w->m.procs; i++) {
			uint32_t job = w->m.row[r][i];

			if (job == NONE)
				continue;
			assert_true(job < w->n);
			assert_in_range(i, w->first[job],
					w->first[job] + w->procs[job] - 1);
			for (uint32_t k = 0; k < w->procs[job]; k++)
				assert_int_equal(w->m.row[r][w->first[job] + k],
						 job);
			places[job] += i == w->first[job];
		}
	}
	for (uint32_t i = 0; i < w->n; i++)
		assert_int_equal(places[i], w->places[i]);
}

static uint32_t idle_on(const struct cs_gang_matrix *m, uint32_t proc)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < m->rows; r++)
		n += m->row[r][proc] == NONE;
	return n;
}

static void a_legal_shift_keeps_every_job_together(void **state)
{
	uint64_t seed = cs_test_seed(), gathered = 0, spared = 0;
	uint64_t worlds = cs_test_worlds(3000);
	static struct world w;

	(void)state;
	for (uint64_t n = 0; n < worlds; n++) {
		uint32_t idle[MAX_PROCS], from, to, row;
		uint32_t rows;
		bool room = true;

		random_matrix(&w, &seed);
		rows = w.m.rows;
		from = (uint32_t)cs_test_draw(&seed, w.m.procs);
		to = from + 1 + (uint32_t)cs_test_draw(&seed, w.m.procs - from);
		if (!cs_test_draw(&seed, 4)) {
			from = 0;
			to = w.m.procs;
		}
		for (uint32_t i = 0; i < w.m.procs; i++)
			idle[i] = idle_on(&w.m, i);
		for (uint32_t i = from; i < to; i++)
			room &= idle[i] > 0;
		assert_jobs_are_whole(&w);
		row = cs_gang_gather(&w.m, from, to);
		assert_int_equal(w.m.rows, rows);
		assert_jobs_are_whole(&w);
		for (uint32_t i = 0; i < w.m.procs; i++)
			assert_int_equal(idle_on(&w.m, i), idle[i]);
		assert_int_equal(row != NONE, room);
		if (room) {
			gathered++;
			assert_int_equal(cs_gang_idle_run(&w.m, row, from, to),
					 to - from);
		}
		/* property 2, where it holds: a row less, and still whole */
		if (room && !from && to == w.m.procs) {
			cs_gang_row_delete(&w.m, row);
			assert_jobs_are_whole(&w);
			spared++;
		}
		cs_gang_matrix_done(&w.m);
	}
	print_message("%llu gathered, %llu spared\n",
		      (unsigned long long)gathered, (unsigned long long)spared);
	assert_true(worlds < 100 ||
		    (gathered > worlds / 4 && spared > worlds / 40));
}

/* ------------------------------------------------------- random histories */

#define MAX_JOBS 120

/* The block that gang.c's rule 2 names, by brute force from idle places without
 * what is lent. */
static uint32_t naive_block(const struct cs_gang *g, uint32_t procs)
{
	bool buddy = g->rules.block == CS_GANG_BLOCK_BUDDY;
	uint32_t size = 1, best = NONE;
	uint64_t most = 0;

	while (size < procs)
		size *= 2;
	for (uint32_t at = 0; at + procs <= g->m.procs;
	     at += buddy ? size : 1) {
		uint32_t to = at + (buddy ? size : procs);
		uint64_t sum = 0, least = UINT64_MAX;

		for (uint32_t i = at; i < to && i < g->m.procs; i++) {
			uint64_t v = idle_on(&g->m, i);

			sum += v;
			least = v < least ? v : least;
		}
		if (!least || (buddy ? sum : least) <= most)
			continue;
		most = buddy ? sum : least;
		best = at;
	}
	return best;
}

static uint32_t naive_first(const struct cs_gang *g, uint32_t procs)
{
	uint32_t size = 1;

	while (size < procs)
		size *= 2;
	for (uint32_t r = 0; r < g->m.rows; r++)
		for (uint32_t at = 0; at + procs <= g->m.procs; at += size)
			if (cs_gang_idle_run(&g->m, r, at, at + procs) == procs)
				return at;
	return NONE;
}

/* Jobs that have @proc; at most over all processors. */
static uint32_t heaviest(const struct cs_gang *g)
{
	uint32_t most = 0;

	for (uint32_t p = 0; p < g->m.procs; p++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < g->cap; i++)
			n += g->job[i].procs && p >= g->job[i].first &&
			     p - g->job[i].first < g->job[i].procs;
		most = n > most ? n : most;
	}
	return most;
}

static void one_arrival(struct cs_gang *g, uint64_t *seed)
{
	uint32_t procs = 1 + (uint32_t)cs_test_draw(seed, g->m.procs);
	uint32_t was = cs_gang_slots(g), want, job;

	procs = 1 + (uint32_t)cs_test_draw(seed, procs);
	if (cs_gang_lends(g) && !g->changed)
		cs_gang_take_back(g); /* as the arrival does */
	want = g->rules.block == CS_GANG_BLOCK_FIRST ? naive_first(g, procs)
						     : naive_block(g, procs);
	job = arrive(g, procs);
	/* a new slot only where there was no room, and only one */
	assert_true(cs_gang_slots(g) <= was + (want == NONE));
	if (want != NONE)
		assert_int_equal(first_of(g, job), want);
}

static void one_end(struct cs_gang *g, uint64_t *seed)
{
	uint32_t was = cs_gang_slots(g), job;

	if (!g->n)
		return;
	job = g->by_width[cs_test_draw(seed, g->n)];
	cs_gang_leave(g, job);
	assert_sound(g);
	assert_true(cs_gang_slots(g) <= was);
	assert_int_equal(cs_gang_job(g, job).procs, 0);
}

/* What every settlement leaves: with `lent` nobody fits once more. */
static void nobody_fits(const struct cs_gang *g)
{
	for (uint32_t i = 0; cs_gang_lends(g) && i < g->cap; i++) {
		const struct cs_gang_job *j = &g->job[i];
		bool fits = j->procs > 0;

		for (uint32_t p = j->first; p < j->first + j->procs; p++)
			fits &= idle_on(&g->m, p) > 0;
		assert_false(fits);
	}
}

/* Each job at most once a row, by counting cells. */
static void nobody_is_twice_in_a_slot(const struct cs_gang *g)
{
	for (uint32_t r = 0; r < cs_gang_slots(g); r++) {
		uint32_t cells[MAX_JOBS * 2] = { 0 };

		for (uint32_t p = 0; p < g->m.procs; p++) {
			uint32_t job = cs_gang_at(g, r, p);

			if (job != NONE)
				cells[job]++;
		}
		for (uint32_t i = 0; i < g->cap; i++)
			assert_true(!cells[i] ||
				    cells[i] == cs_gang_job(g, i).procs);
	}
}

static void random_histories_keep_the_invariants(void **state)
{
	uint64_t seed = cs_test_seed(), exact = 0,
		 worlds = cs_test_worlds(1000);

	(void)state;
	for (uint64_t n = 0; n < worlds; n++) {
		const struct cs_gang_rules rules = {
			(enum cs_gang_block)cs_test_draw(&seed, 3),
			(enum cs_gang_extra)cs_test_draw(&seed, 4),
			(enum cs_gang_deal)cs_test_draw(&seed, 2),
			cs_test_draw(&seed, 2) != 0,
		};
		uint32_t procs = 1 + (uint32_t)cs_test_draw(&seed, 40);
		struct cs_gang *g = cs_gang_create(procs, &rules);
		uint64_t steps = cs_test_draw(&seed, 60);
		uint64_t busy = 3 + cs_test_draw(&seed, 5); /* of 10 arrive */

		while (steps--) {
			if (cs_test_draw(&seed, 10) < busy)
				one_arrival(g, &seed);
			else
				one_end(g, &seed);
			if (!cs_test_draw(&seed, 2))
				continue;
			settle(g);
			nobody_fits(g);
			nobody_is_twice_in_a_slot(g);
			/* re-packing spares all that can be: exactly so */
			if (cs_gang_unites(g) &&
			    rules.block == CS_GANG_BLOCK_ANY) {
				assert_int_equal(cs_gang_slots(g), heaviest(g));
				exact++;
			}
		}
		while (g->n)
			one_end(g, &seed);
		settle(g);
		assert_int_equal(cs_gang_slots(g), 0);
		cs_gang_free(g);
	}
	assert_true(worlds < 100 || exact > worlds);
}

/* ------------------------------------------------ where not all will do */

static const struct cs_gang_rules some_rules[] = {
	{ CS_GANG_BLOCK_FIRST, CS_GANG_EXTRA_NONE, CS_GANG_DEAL_NARROW, false },
	{ CS_GANG_BLOCK_FIRST, CS_GANG_EXTRA_NONE, CS_GANG_DEAL_NARROW, true },
	{ CS_GANG_BLOCK_BUDDY, CS_GANG_EXTRA_NONE, CS_GANG_DEAL_NARROW, false },
	{ CS_GANG_BLOCK_BUDDY, CS_GANG_EXTRA_KEPT, CS_GANG_DEAL_NARROW, false },
	{ CS_GANG_BLOCK_BUDDY, CS_GANG_EXTRA_KEPT_ONE, CS_GANG_DEAL_NARROW,
	  false },
	{ CS_GANG_BLOCK_BUDDY, CS_GANG_EXTRA_LENT, CS_GANG_DEAL_NARROW, false },
	{ CS_GANG_BLOCK_ANY, CS_GANG_EXTRA_LENT, CS_GANG_DEAL_WIDE, false },
};
#define SOME_RULES (sizeof(some_rules) / sizeof(some_rules[0]))

static void arrives_at(struct cs_gang *g, uint32_t procs, uint64_t allowed,
		       uint32_t first, uint32_t width)
{
	uint32_t job;

	assert_int_equal(cs_gang_arrive_on(g, procs, &allowed, 0, &job), 0);
	assert_sound(g);
	assert_int_equal(cs_gang_job(g, job).first, first);
	assert_int_equal(cs_gang_job(g, job).procs, width);
}

static void the_example_of_within_c(void **state)
{
	const uint64_t a = 0xed; /* 0, 2, 3, 5, 6, 7 */
	static const struct {
		enum cs_gang_block block;
		uint32_t first, width;
	} row[] = { { CS_GANG_BLOCK_FIRST, 0, 4 },
		    { CS_GANG_BLOCK_BUDDY, 0, 4 },
		    { CS_GANG_BLOCK_ANY, 5, 3 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct cs_gang_rules rules = brmms;
		struct cs_gang *g;
		uint32_t job;

		rules.block = row[i].block;
		g = cs_gang_create(8, &rules);
		arrives_at(g, 3, a, row[i].first, row[i].width);
		/* no block of four has so many: the next level */
		arrives_at(g, 4, 0xcc, 2, 6);
		assert_int_equal(cs_gang_arrive_on(g, 7, &a, 0, &job), -ENOSPC);
		assert_int_equal(cs_gang_slots(g), 2);
		assert_int_equal(cs_gang_arrive_on(g, 6, &a, 2, &job), -ENOSPC);
		assert_sound(g);
		assert_int_equal(cs_gang_slots(g), 2);
		cs_gang_free(g);
	}
}

static void who_has_processors_keeps_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < SOME_RULES; i++) {
		struct cs_gang *g = cs_gang_create(8, &some_rules[i]);
		uint32_t a, b, c;

		assert_int_equal(cs_gang_adopt(g, 1, 4, 0, &a), 0);
		assert_int_equal(cs_gang_adopt(g, 4, 4, 1, &b), -ENOSPC);
		assert_sound(g);
		assert_int_equal(cs_gang_adopt(g, 4, 4, 2, &b), 0);
		assert_int_equal(cs_gang_adopt(g, 0, 1, 0, &c), 0);
		assert_sound(g);
		settle(g);
		assert_int_equal(cs_gang_slots(g), 2);
		assert_int_equal(first_of(g, a), 1);
		assert_int_equal(first_of(g, b), 4);
		assert_int_equal(first_of(g, c), 0);
		assert_int_equal(cs_gang_adopt(g, 7, 2, 0, &a), -EINVAL);
		cs_gang_free(g);
	}
}

/* On all processors: the same, job by job; on some: whole and of those. */
static void any_set_of_processors_will_do(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(200);

	(void)state;
	for (uint64_t w = 0; w < worlds; w++) {
		const struct cs_gang_rules *rules = &some_rules[w % SOME_RULES];
		uint32_t procs = 1 + (uint32_t)cs_test_draw(&seed, MAX_PROCS);
		struct cs_gang *g = cs_gang_create(procs, rules);
		struct cs_gang *h = cs_gang_create(procs, rules);
		const uint64_t all[2] = { cs_bit_all(procs, 0),
					  procs > 64 ? cs_bit_all(procs, 1)
						     : 0 };

		for (int step = 0; step < 40; step++) {
			uint32_t p = 1 + (uint32_t)cs_test_draw(&seed, procs);
			uint32_t a = NONE, b = NONE;
			struct cs_gang_job x, y;

			if (cs_test_draw(&seed, 3)) {
				assert_int_equal(cs_gang_arrive(g, p, &a), 0);
				assert_int_equal(
					cs_gang_arrive_on(h, p, all, 0, &b), 0);
			} else {
				a = b = (uint32_t)cs_test_draw(&seed, 20);
				if (!cs_gang_job(g, a).procs)
					continue;
				cs_gang_leave(g, a);
				cs_gang_leave(h, b);
			}
			settle(g);
			settle(h);
			x = cs_gang_job(g, a);
			y = cs_gang_job(h, b);
			assert_int_equal(a, b);
			assert_int_equal(x.first, y.first);
			assert_int_equal(x.places, y.places);
			assert_int_equal(cs_gang_slots(g), cs_gang_slots(h));
		}
		for (int step = 0; step < 20; step++) {
			uint64_t set[2] = { cs_test_draw(&seed, UINT64_MAX),
					    cs_test_draw(&seed, UINT64_MAX) };
			uint32_t p = 1 + (uint32_t)cs_test_draw(&seed, procs);
			uint32_t job, have, got;
			int rc;

			set[0] &= all[0];
			set[1] &= all[1];
			have = cs_bits_count(set, cs_bit_words(procs));
			rc = cs_gang_arrive_on(g, p, set, 0, &job);
			assert_sound(g);
			assert_int_equal(rc, have < p ? -ENOSPC : 0);
			if (rc)
				continue;
			got = 0;
			for (uint32_t i = 0; i < cs_gang_job(g, job).procs; i++)
				got += cs_bit(set, first_of(g, job) + i);
			assert_int_equal(got, p);
			settle(g);
		}
		cs_gang_free(g);
		cs_gang_free(h);
	}
}

static void the_tree_is_a_naive_count_at_any_size(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t n = cs_test_worlds(300); n; n--) {
		uint32_t procs = 1 + (uint32_t)cs_test_draw(&seed, 300);
		struct cs_gang_tree t;
		uint32_t leaf[300] = { 0 };

		assert_int_equal(cs_gang_tree_init(&t, procs), 0);
		for (int i = 0; i < 40; i++) {
			uint32_t a = (uint32_t)cs_test_draw(&seed, procs);
			uint32_t b = a + (uint32_t)cs_test_draw(&seed,
								procs - a + 1);
			uint32_t p, size = 1, best = NONE;
			bool less = cs_test_draw(&seed, 3) == 0;
			uint64_t most = 0;

			for (uint32_t k = a; less && k < b; k++)
				less = leaf[k] > 0;
			cs_gang_tree_add(&t, a, b, less ? -1 : 1);
			for (uint32_t k = a; k < b; k++)
				leaf[k] += less ? UINT32_MAX : 1;
			p = 1 + (uint32_t)cs_test_draw(&seed, procs);
			while (size < p)
				size *= 2;
			for (uint32_t at = 0; at + p <= procs; at += size) {
				uint64_t sum = 0;
				bool zero = false;

				for (uint32_t k = at;
				     k < at + size && k < procs; k++) {
					sum += leaf[k];
					zero |= !leaf[k];
				}
				if (zero || sum <= most)
					continue;
				most = sum;
				best = at;
			}
			assert_int_equal(cs_gang_tree_best(&t, p), best);
			assert_int_equal(cs_gang_tree_leaf(&t, p - 1),
					 leaf[p - 1]);
		}
		cs_gang_tree_done(&t);
	}
}

/* ---------------------------------------------------------------- failures */

/* Each breach of an invariant is found; @breach makes it, and takes it back. */
static void assert_found(struct cs_gang *g, const char *what)
{
	struct cs_err err = { "" };

	assert_int_equal(cs_gang_check(g, &err), -EINVAL);
	assert_contains(err.text, what);
}

static void the_check_finds_every_breach(void **state)
{
	struct cs_gang *g = cs_gang_create(8, &br);
	uint32_t a = arrive(g, 3), b = arrive(g, 4), was;

	(void)state;
	arrive(g, 8);
	was = g->m.row[0][1];
	assert_int_equal(was, a);
	g->m.row[0][1] = NONE;
	assert_found(g, "job 0 stands on 0 to 0, expected 3 from 0 on");
	g->m.row[0][1] = 9;
	assert_found(g, "job 0 stands on 0 to 0");
	g->m.row[0][1] = was;
	g->job[a].first = 1;
	assert_found(g, "job 0 stands on 0 to 2, expected 3 from 1 on");
	g->job[a].first = 0;
	g->job[b].places++;
	assert_found(g, "job 1: 1 places in the matrix, expected 2");
	g->job[b].places--;
	g->idle[3]++;
	assert_found(g, "processor 3: idle 2");
	g->idle[3]--;
	g->room.value[8 + 3]++;
	assert_found(g, "processor 3");
	g->room.value[8 + 3]--;
	g->room.value[2] = 5;
	assert_found(g, "tree: node 2 has 5, expected 0");
	g->room.value[2] = 0;
	g->room.max[0][1] = 9;
	assert_found(g, "tree: node 1 has 9 as largest of level 0");
	g->room.max[0][1] = 1;
	was = g->by_width[0];
	g->by_width[0] = g->by_width[1];
	g->by_width[1] = was;
	assert_found(g, "by width");
	g->by_width[1] = g->by_width[0];
	g->by_width[0] = was;
	g->n--;
	assert_found(g, "3 jobs, expected 2");
	g->n++;
	assert_int_equal(cs_gang_row_reserve(&g->m), 0);
	cs_gang_row_add(&g->m);
	assert_found(g, "slot 2: no job");
	g->m.rows--;
	assert_sound(g);
	cs_gang_free(g);
}

static void no_memory_changes_nothing(void **state)
{
	struct cs_gang *g = NULL;
	uint32_t job = 0, procs = 3;
	int rc = 0, failures = 0;

	(void)state;
	CS_TEST_EACH_ALLOC(g = cs_gang_create(13, &brmms), !g)
	for (int i = 0; i < 60; i++) {
		size_t n = g->n;
		uint32_t slots = cs_gang_slots(g);

		procs = 1 + (procs * 5 + 3) % 13;
		CS_TEST_EACH_ALLOC(
			rc = cs_gang_arrive(g, procs, &job),
			rc && (failures++, rc == -ENOMEM && g->n == n &&
						   cs_gang_slots(g) == slots &&
						   !cs_gang_check(g, NULL)))
		if (i % 3 == 0)
			settle(g);
		assert_sound(g);
	}
	assert_true(failures > 20);
	cs_gang_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(property_1_joins_two_fragments),
		cmocka_unit_test(a_shift_takes_whole_jobs_along),
		cmocka_unit_test(what_is_idle_already_is_not_shifted),
		cmocka_unit_test(figure_1_spares_a_slot),
		cmocka_unit_test(figure_2_has_room_for_four_on_the_right),
		cmocka_unit_test(the_example_of_gang_c),
		cmocka_unit_test(bc_takes_the_first_block),
		cmocka_unit_test(br_spares_what_bc_keeps),
		cmocka_unit_test(brmms_relinquishes_what_brms_keeps),
		cmocka_unit_test(kept_one_needs_the_whole_block),
		cmocka_unit_test(narrow_or_wide_is_first),
		cmocka_unit_test(any_takes_the_lowest_neighbours),
		cmocka_unit_test(a_job_must_fit_the_machine),
		cmocka_unit_test(a_legal_shift_keeps_every_job_together),
		cmocka_unit_test(random_histories_keep_the_invariants),
		cmocka_unit_test(the_example_of_within_c),
		cmocka_unit_test(who_has_processors_keeps_them),
		cmocka_unit_test(any_set_of_processors_will_do),
		cmocka_unit_test(the_tree_is_a_naive_count_at_any_size),
		cmocka_unit_test(the_check_finds_every_breach),
		cmocka_unit_test(no_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
