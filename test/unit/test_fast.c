/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine does quickly against the same done at length, on random small
 * machines and queues: where every job starts and what heads are promised is the
 * same
 *
 *	- with promises by counting as with the machine at the promised instant,
 *	  which jobs that ask for a little memory get (easy.c, rule 4),
 *	- in a walk that goes on as in one from the head of the queue, which an
 *	  event makes it that is refused (cycle.c, rule 5).
 */
#include <errno.h>

#include "cs_test.h"
#include "rig.h"

#define JOBS 60
#define NODES 70 /* two words of a node set */

struct twin {
	struct rig rig;
	uint32_t part; /* the lower nodes */
	bool at_length;
};

struct world {
	struct twin twin[2];
	uint64_t rng;
	uint32_t submitted;
	bool down[NODES];
};

static uint32_t draw(struct world *w, uint32_t n)
{
	return (uint32_t)cs_test_draw(&w->rng, n);
}

static void open_twin(struct twin *t, const char *policy, bool at_length)
{
	uint64_t set[2] = { UINT64_MAX, 0 };

	rig_open(&t->rig, policy, NULL, NODES, 1, 2, at_length ? 1000000 : 0);
	t->part = (uint32_t)cs_engine_nodeset(t->rig.engine, set);
	t->at_length = at_length;
}

static void tell(struct world *w, struct cs_event ev)
{
	struct cs_err err = { "" };

	for (int i = 0; i < 2; i++) {
		struct rig *r = &w->twin[i].rig;

		ev.t_us = r->now_us;
		if (cs_engine_event(r->engine, &ev, &err) ||
		    cs_engine_check(r->engine, &err))
			fail_msg("%s", err.text);
	}
}

static void submit(struct world *w)
{
	uint32_t id = ++w->submitted, procs = 1 + draw(w, 8);
	uint32_t parts = draw(w, 4), estimate_s = 1 + draw(w, 300);
	uint64_t late = draw(w, 8) ? 0 : 20, priority = draw(w, 3);
	static const char *const users[] = { "alice", "bob", "carol" };
	const char *user = users[draw(w, 3)];

	if (!draw(w, 3))
		procs = 1 + draw(w, 2 * NODES);
	for (int i = 0; i < 2; i++) {
		struct twin *t = &w->twin[i];
		struct cs_job j = rig_job(&t->rig, id, procs, estimate_s, NULL);
		struct cs_job_partition both[2] = { j.option[0], j.option[0] };

		both[1].nodeset = t->part;
		both[0].priority = both[1].priority = priority;
		j.option = parts == 1 ? both + 1 : both;
		j.n_option = parts == 2 ? 2 : 1;
		j.user = user;
		j.mem_cpu_mb = t->at_length;
		j.eligible_us += (int64_t)late * RIG_S;
		rig_submit(&t->rig, &j);
	}
}

static uint32_t some(struct world *w, bool running)
{
	uint32_t id[JOBS];
	size_t n = cs_engine_list(w->twin[0].rig.engine, running, id, JOBS);

	return n ? id[draw(w, (uint32_t)n)] : 0;
}

static void disturb(struct world *w)
{
	uint32_t what = draw(w, 12), n = draw(w, NODES);
	uint32_t runs = some(w, true), waits = some(w, false);

	if (what < 3 && runs)
		tell(w,
		     (struct cs_event){ .type = CS_EV_FINISH, .job_id = runs });
	else if (what == 3 && waits)
		tell(w, (struct cs_event){ .type = CS_EV_CANCEL,
					   .job_id = waits });
	else if (what == 4) {
		w->down[n] = !w->down[n];
		tell(w,
		     (struct cs_event){ .type = CS_EV_NODE,
					.node = { n, !w->down[n], NULL, "" } });
	} else if (what == 5 && waits) {
		for (int i = 0; i < 2; i++) {
			w->twin[i].rig.refuse = waits;
			w->twin[i].rig.refuse_class = CS_REFUSED_TIMED;
		}
	} else if (what < 10 && w->submitted < JOBS) {
		submit(w);
	}
}

static void decide(struct world *w)
{
	for (int i = 0; i < 2; i++) {
		struct rig *r = &w->twin[i].rig;
		struct cs_event nobody = { .type = CS_EV_CANCEL,
					   .t_us = r->now_us,
					   .job_id = 9999 };

		if (w->twin[i].at_length)
			assert_int_equal(
				cs_engine_event(r->engine, &nobody, NULL),
				-ENOENT);
		rig_decide(r);
	}
}

static void same_place(const struct cs_alloc *a, const struct cs_alloc *b)
{
	assert_true(a->n_node == b->n_node);
	for (uint32_t i = 0; i < a->n_node; i++) {
		assert_true(a->node[i].node == b->node[i].node);
		assert_true(*cs_alloc_cores(a, i) == *cs_alloc_cores(b, i));
	}
}

static void compare(struct world *w)
{
	struct cs_engine *a = w->twin[0].rig.engine, *b = w->twin[1].rig.engine;

	for (uint32_t id = 1; id <= w->submitted; id++) {
		struct cs_running ar, br;
		const uint64_t *at, *bt;
		char said[2][256] = { "", "" };

		assert_true(cs_engine_running(a, id, &ar) ==
			    cs_engine_running(b, id, &br));
		if (!cs_engine_running(a, id, &ar))
			same_place(ar.alloc, br.alloc);
		assert_true(cs_engine_predicted_start_us(a, id, &at) ==
			    cs_engine_predicted_start_us(b, id, &bt));
		assert_true(!at == !bt && (!at || !memcmp(at, bt, 16)));
		cs_explain(a, id, NULL, said[0], sizeof(said[0]));
		cs_explain(b, id, NULL, said[1], sizeof(said[1]));
		assert_string_equal(said[0], said[1]);
	}
	assert_true(cs_engine_next_wakeup_us(a) == cs_engine_next_wakeup_us(b));
}

static void quick_is_as_at_length(void **state)
{
	static const char *const policy[] = {
		"policy=easy,unprofiled=model",
		"policy=easy,unprofiled=model,order=slurm",
		"policy=fcfs,unprofiled=model",
		"policy=easy,unprofiled=model,depth=5",
		"policy=cst,backfill=easy,unprofiled=model",
		"policy=ostrich-paper,unprofiled=model",
		"policy=easy,order=ostrich,campaign_hold=strict,campaign_order=spt,unprofiled=model",
		"policy=ostrich-paper,campaign_order=mlpt,unprofiled=model",
		"policy=easy,order=expansion,unprofiled=model",
		"policy=easy,order=work,unprofiled=model",
		"policy=cover+,unprofiled=model",
	};
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(160);

	(void)state;
	for (uint64_t k = 0; k < worlds; k++) {
		struct world w = { .rng = seed + k };
		const char *p = policy[k % (sizeof(policy) / sizeof(*policy))];

		open_twin(&w.twin[0], p, false);
		open_twin(&w.twin[1], p, true);
		for (int i = 0; i < 200; i++) {
			int64_t more = draw(&w, 3) ? 0 : draw(&w, 60) * RIG_S;

			for (int t = 0; t < 2; t++)
				w.twin[t].rig.now_us += more;
			disturb(&w);
			decide(&w);
			compare(&w);
		}
		rig_close(&w.twin[0].rig);
		rig_close(&w.twin[1].rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quick_is_as_at_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
