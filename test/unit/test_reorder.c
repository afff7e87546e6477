/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PROC's choice at a boost conflict (reorder.c), against the paper's lines. */
#include "cs_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/proc/reorder.h"

#define NODES 6
#define PROCESSES 5
#define MESSAGES 24

static void arrived(struct cs_proc_tables *t, struct cs_proc_pending *m,
		    double ed_ns, double enp)
{
	assert_int_equal(cs_proc_tables_arrived(
				 t, m, &(struct cs_proc_latency){ ed_ns, enp }),
			 0);
}

static void open_tables(struct cs_proc_tables *t)
{
	assert_int_equal(cs_proc_tables_init(t, NODES, PROCESSES), 0);
	for (uint32_t s = 0; s < NODES; s++)
		assert_true(t->global[s].at_ns < 0); /* never */
}

/* reorder.c, example. */
static void an_older_promise_counts_down(void **state)
{
	struct cs_proc_pending m[] = { { 0, 1, 0 }, { 1, 1, 8 } };
	struct cs_proc_tables t;

	(void)state;
	open_tables(&t);
	arrived(&t, &m[0], 4, 3);
	arrived(&t, &m[1], 4, 2);
	assert_int_equal(cs_proc_reorder(&t, m, 2, 10), 0);
	assert_close(t.process[0 * NODES + 1].enp, 1, 0);
	assert_int_equal(t.process[0 * NODES + 1].at_ns, 8);
	assert_int_equal(cs_proc_reorder(&t, m, 2, 10), 0);
	assert_close(t.process[0 * NODES + 1].enp, 1, 0);
	cs_proc_tables_done(&t);
}

/* The sender's queue has been worked off twice over: nothing is left, not less. */
static void enp_is_never_negative(void **state)
{
	struct cs_proc_pending m[] = { { 0, 1, 0 }, { 1, 1, 80 } };
	struct cs_proc_tables t;

	(void)state;
	open_tables(&t);
	arrived(&t, &m[0], 4, 10);
	arrived(&t, &m[1], 4, 2);
	cs_proc_reorder(&t, m, 2, 80);
	assert_close(t.process[0 * NODES + 1].enp, 0, 0);
	cs_proc_tables_done(&t);
}

static void an_ed_of_0_divides_nothing(void **state)
{
	struct cs_proc_pending m[] = { { 0, 1, 0 }, { 1, 1, 8 } };
	struct cs_proc_tables t;

	(void)state;
	open_tables(&t);
	arrived(&t, &m[0], 0, 3);
	arrived(&t, &m[1], 0, 5);
	/* ERL of both: 0 * ENP - 2; the earlier one */
	assert_int_equal(cs_proc_reorder(&t, m, 2, 10), 0);
	assert_close(t.process[0 * NODES + 1].enp, 3, 0);
	cs_proc_tables_done(&t);
}

static void ties_go_by_arrival_then_by_number(void **state)
{
	struct cs_proc_pending late[] = { { 2, 1, 6 }, { 1, 2, 4 } };
	struct cs_proc_pending same[] = { { 3, 3, 5 }, { 1, 4, 5 } };
	struct cs_proc_tables t;

	(void)state;
	open_tables(&t);
	/* 2 * 2 - (10 - 6) = 0 = 2 * 3 - (10 - 4) */
	arrived(&t, &late[0], 2, 2);
	arrived(&t, &late[1], 2, 3);
	assert_int_equal(cs_proc_reorder(&t, late, 2, 10), 1);
	arrived(&t, &same[0], 2, 2);
	arrived(&t, &same[1], 2, 2);
	assert_int_equal(cs_proc_reorder(&t, same, 2, 10), 1);
	assert_int_equal(cs_proc_reorder(&t, same, 0, 10), CS_PROC_NONE);
	cs_proc_tables_done(&t);
}

/* What comes over the network is no number to trust. */
static void what_is_no_latency_is_refused(void **state)
{
	static const double bad[][2] = { { NAN, 1 },	  { 1, NAN },
					 { -1, 1 },	  { 1, -1 },
					 { INFINITY, 1 }, { 1, INFINITY } };
	struct cs_proc_tables t, was;
	struct cs_proc_pending m = { 0, 0, 1 };

	(void)state;
	open_tables(&t);
	open_tables(&was);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
			cs_proc_tables_arrived(&t, &m,
					       &(struct cs_proc_latency){
						       bad[i][0], bad[i][1] }),
			-EINVAL);
	m.source = NODES;
	assert_int_equal(cs_proc_tables_arrived(
				 &t, &m, &(struct cs_proc_latency){ 1, 1 }),
			 -EINVAL);
	m = (struct cs_proc_pending){ PROCESSES, 0, 1 };
	assert_int_equal(cs_proc_tables_arrived(
				 &t, &m, &(struct cs_proc_latency){ 1, 1 }),
			 -EINVAL);
	assert_memory_equal(t.global, was.global, NODES * sizeof(*t.global));
	assert_memory_equal(t.process, was.process,
			    NODES * PROCESSES * sizeof(*t.process));
	cs_proc_tables_done(&t);
	cs_proc_tables_done(&was);
}

static void two_processes_are_a_conflict(void **state)
{
	struct cs_proc_pending m[] = { { 1, 0, 1 }, { 1, 2, 2 }, { 3, 2, 3 } };

	(void)state;
	assert_int_equal(cs_proc_conflict(m, 0), 0);
	assert_int_equal(cs_proc_conflict(m, 2), 1);
	assert_int_equal(cs_proc_conflict(m, 3), 2);
}

/* Nodes 0 and 2 have sent; 2 is less contended, and both processes have heard of it. */
static void false_is_who_did_not_hear_of_the_least(void **state)
{
	struct cs_proc_pending m[] = { { 1, 0, 1 }, { 1, 2, 2 }, { 3, 2, 3 } };
	double ns[NODES] = { 9, 1, 5 };

	(void)state;
	assert_false(cs_proc_false(m, 3, 1, ns));
	assert_false(cs_proc_false(m, 3, 3, ns));
	ns[0] = 4;
	assert_false(cs_proc_false(m, 3, 1, ns));
	assert_true(cs_proc_false(m, 3, 3, ns));
	ns[0] = 5; /* as little contended */
	assert_false(cs_proc_false(m, 3, 3, ns));
	assert_true(cs_proc_false(m, 3, 4, ns));
	assert_false(cs_proc_false(m, 0, 4, ns));
}

static void ratios_without_a_switch_are_0(void **state)
{
	struct cs_proc_counts c = { 0 };

	(void)state;
	assert_close(cs_proc_counts_bcr(&c), 0, 0);
	assert_close(cs_proc_counts_fdr(&c), 0, 0);
	c = (struct cs_proc_counts){ 20, 5, 2 };
	assert_close(cs_proc_counts_bcr(&c), .25, 0);
	assert_close(cs_proc_counts_fdr(&c), .4, 0);
}

/* ---- against the paper's lines ------------------------------------------------- */

/* As printed: for each process, for each of its messages; with guards and ties. */
static uint32_t paper(struct cs_proc_tables *t, const struct cs_proc_pending *m,
		      size_t n, int64_t now)
{
	double least = INFINITY;
	int64_t came = INT64_MAX;
	uint32_t next = CS_PROC_NONE;

	for (uint32_t i = 0; i < t->n_process; i++) {
		for (size_t k = 0; k < n; k++) {
			const struct cs_proc_global *gt =
				&t->global[m[k].source];
			struct cs_proc_entry *pt =
				&t->process[i * NODES + m[k].source];
			double erl;

			if (m[k].process != i)
				continue;
			if (pt->at_ns < gt->at_ns) {
				if (gt->l.ed_ns != 0)
					pt->enp = fmax(
						0,
						pt->enp - (double)(gt->at_ns -
								   pt->at_ns) /
								  gt->l.ed_ns);
				pt->enp = fmin(pt->enp, gt->l.enp);
				pt->at_ns = gt->at_ns;
			}
			erl = gt->l.ed_ns * pt->enp - (double)(now - pt->at_ns);
			if (erl < least ||
			    (erl == least && m[k].arrived_ns < came)) {
				least = erl;
				came = m[k].arrived_ns;
				next = i;
			}
		}
	}
	return next;
}

static void shuffle(struct cs_proc_pending *m, size_t n, uint64_t *rng)
{
	for (size_t k = n; k > 1; k--) {
		size_t other = cs_test_draw(rng, k);
		struct cs_proc_pending x = m[k - 1];

		m[k - 1] = m[other];
		m[other] = x;
	}
}

/* 100,000 random tables: the process that the paper's lines choose, and the same entries
 * afterwards, whatever the order of the messages. */
static void it_is_the_papers_algorithm(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(100000);
	uint64_t conflicts = 0;
	struct cs_proc_tables a, b;

	(void)state;
	for (uint64_t w = 0; w < worlds; w++) {
		struct cs_proc_pending m[MESSAGES];
		size_t n = 1 + cs_test_draw(&(uint64_t){ seed + w }, MESSAGES);
		uint64_t rng = seed + w;
		int64_t now = 0;

		open_tables(&a);
		open_tables(&b);
		for (size_t k = 0; k < n; k++) {
			double ed = (double)cs_test_draw(&rng, 4) * 5;
			double enp = (double)cs_test_draw(&rng, 12) / 2;

			now += (int64_t)cs_test_draw(&rng, 20);
			m[k] = (struct cs_proc_pending){
				.process =
					(uint32_t)cs_test_draw(&rng, PROCESSES),
				.source = (uint32_t)cs_test_draw(&rng, NODES),
				.arrived_ns = now,
			};
			arrived(&a, &m[k], ed, enp);
			arrived(&b, &m[k], ed, enp);
		}
		now += (int64_t)cs_test_draw(&rng, 20);
		for (int again = 0; again < 2; again++) {
			uint32_t want = paper(&b, m, n, now), got;

			shuffle(m, n, &rng);
			got = cs_proc_reorder(&a, m, n, now);
			if (got != want ||
			    memcmp(a.process, b.process,
				   NODES * PROCESSES * sizeof(*a.process)))
				fail_msg("seed %llu: process %u, expected %u",
					 (unsigned long long)(seed + w), got,
					 want);
			now += (int64_t)cs_test_draw(&rng, 50);
		}
		conflicts += cs_proc_conflict(m, n) == 2;
		cs_proc_tables_done(&a);
		cs_proc_tables_done(&b);
	}
	assert_true(conflicts > worlds / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_promise_counts_down),
		cmocka_unit_test(enp_is_never_negative),
		cmocka_unit_test(an_ed_of_0_divides_nothing),
		cmocka_unit_test(ties_go_by_arrival_then_by_number),
		cmocka_unit_test(what_is_no_latency_is_refused),
		cmocka_unit_test(two_processes_are_a_conflict),
		cmocka_unit_test(false_is_who_did_not_hear_of_the_least),
		cmocka_unit_test(ratios_without_a_switch_are_0),
		cmocka_unit_test(it_is_the_papers_algorithm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
