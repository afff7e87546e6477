/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that come, go and change (event_node.c): an engine whose machine has vacant
 * places against one that had the same nodes from the start, and down.  On random worlds
 * both decide the same bytes, and hold their invariants after each event.
 */
#include <errno.h>

#include "common/explain/explain.h"

#include "cs_test.h"
#include "rig.h"

/* ---- random worlds --------------------------------------------------------- */

#define NODES 12
#define FIRST 5 /* those that are always there */
#define JOBS 50

enum { FOLLOWS, KNOWS, BOTH };

struct world {
	struct rig rig[BOTH];
	uint64_t rng;
	bool early; /* all nodes come before the first job, and stay */
	uint32_t submitted;
	bool there[NODES], up[NODES];
	struct cs_node like[NODES]; /* what each will be */
	struct wish {
		uint32_t procs, estimate_s, mem_mb;
		uint64_t priority, set;
		int64_t submit_us;
		const char *user, *profile;
	} wish[JOBS + 1]; /* by id */
};

static uint32_t draw(struct world *w, uint32_t n)
{
	return (uint32_t)cs_test_draw(&w->rng, n);
}

static void open_rig(struct world *w, int which, const char *policy)
{
	const struct cs_node vacant = { .sockets = 1, .threads = 1 };
	const struct cs_node other = {
		.sockets = 2, .cores_per_socket = 5, .threads = 4, .weight = 9
	};
	struct rig *r = &w->rig[which];
	struct cs_err err = { "" };
	uint64_t first = (1 << FIRST) - 1;

	rig_open(r, policy, rig_abc, NODES, 1, 2, 0);
	cs_engine_free(r->engine);
	for (uint32_t n = 0; n < NODES; n++) {
		r->machine->node[n] = w->like[n];
		if (which == FOLLOWS && n >= FIRST)
			r->machine->node[n] =
				w->early && n % 2 ? other : vacant;
	}
	assert_int_equal(cs_machine_check(r->machine, NULL), 0);
	r->machine->weight_first = w->like[0].weight; /* drawn */
	r->engine = cs_engine_create(&r->params, r->machine, r->profiles, &err);
	if (!r->engine)
		fail_msg("%s", err.text);
	r->all = (uint32_t)cs_engine_nodeset(r->engine, &first);
	for (uint32_t n = FIRST; n < NODES; n++)
		rig_tell(r, (struct cs_event){ .type = CS_EV_NODE,
					       .node = { .index = n } });
}

static void open_world(struct world *w, const char *policy)
{
	for (uint32_t n = 0; n < NODES; n++) {
		w->there[n] = w->up[n] = n < FIRST;
		w->like[n] = (struct cs_node){
			.sockets = (uint16_t)(1 + draw(w, 2)),
			.cores_per_socket = (uint16_t)(1 + draw(w, 4)),
			.threads = (uint16_t)(1 + draw(w, 2)),
			.memory_mb = 1000 * (1 + draw(w, 3)),
			.weight = draw(w, 2),
		};
		/* in half of the worlds all are alike */
		if (n && w->rng % 2)
			w->like[n] = w->like[0];
	}
	w->like[0].cores_per_socket = 4; /* what a set of cores must hold */
	for (int i = 0; i < BOTH; i++)
		open_rig(w, i, policy);
}

static uint64_t nodes_there(const struct world *w)
{
	uint64_t set = 0;

	for (uint32_t n = 0; n < NODES; n++)
		if (w->there[n])
			cs_bit_set(&set, n);
	return set;
}

static void both(struct world *w, struct cs_event ev)
{
	for (int i = 0; i < BOTH; i++)
		rig_tell(&w->rig[i], ev);
}

static void put_node(struct world *w, uint32_t n, bool up)
{
	both(w, (struct cs_event){ .type = CS_EV_NODE,
				   .node = { .index = n, .up = up } });
	w->up[n] = up;
}

/* Promises are remade, as when a host names a new set of nodes, or reserves some. */
static void remake(struct world *w)
{
	const uint32_t node[] = { 0 };
	struct cs_reservation r = {
		.id = 99, .n = 1, .node = node, .end_us = RIG_S
	};
	struct cs_event ev = { .type = CS_EV_RESERVATION, .reservation = &r };

	both(w, ev);
	r.n = 0;
	both(w, ev);
}

/* The place @n is vacant: a node comes there. */
static void comes(struct world *w, uint32_t n)
{
	struct cs_event ev = { .type = CS_EV_NODE,
			       .node = { .index = n, .now = &w->like[n] } };
	bool at_once = draw(w, 2);

	ev.node.up = at_once;
	rig_tell(&w->rig[FOLLOWS], ev);
	ev.node.now = NULL;
	rig_tell(&w->rig[KNOWS], ev);
	w->there[n] = true;
	w->up[n] = at_once;
	if (!w->early)
		remake(w);
}

/* Job @id is submitted or (CHANGE) described anew. */
static void describe_to(struct world *w, int which, enum cs_event_type type,
			uint32_t id)
{
	const struct wish *x = &w->wish[id];
	struct rig *r = &w->rig[which];
	struct cs_job j = rig_job(r, id, x->procs, x->estimate_s, x->profile);
	struct cs_job_partition o = j.option[0];

	o.nodeset = (uint32_t)cs_engine_nodeset(r->engine, &x->set);
	o.priority = x->priority;
	j.option = &o;
	j.user = x->user;
	j.mem_cpu_mb = x->mem_mb;
	j.submit_us = j.eligible_us = x->submit_us;
	rig_tell(r, (struct cs_event){ .type = type, .job = &j });
}

static void describe(struct world *w, enum cs_event_type type, uint32_t id)
{
	for (int i = 0; i < BOTH; i++)
		describe_to(w, i, type, id);
}

static void submit(struct world *w)
{
	static const char *const users[] = { "alice", "bob", "carol" };
	static const char *const profiles[] = { NULL, "a", "b", "c" };
	uint32_t id = ++w->submitted;

	w->wish[id] = (struct wish){
		.procs = 1 + draw(w, 12),
		.estimate_s = 1 + draw(w, 3000),
		.mem_mb = 100 * draw(w, 4),
		.priority = draw(w, 3),
		.set = nodes_there(w),
		.submit_us = w->rig[KNOWS].now_us,
		.user = users[draw(w, 3)],
		.profile = profiles[draw(w, 4)],
	};
	if (!draw(w, 3))
		w->wish[id].set &= draw(w, 1 << NODES) | 1;
	describe(w, CS_EV_SUBMIT, id);
}

/* All at once that may use @from may use @to: for the first of them that is found. */
static void become(struct rig *r, uint64_t from, uint64_t to)
{
	rig_tell(r,
		 (struct cs_event){
			 .type = CS_EV_NODESET,
			 .nodeset = {
				 (uint32_t)cs_engine_nodeset(r->engine, &from),
				 (uint32_t)cs_engine_nodeset(r->engine, &to),
			 } });
}

/* Waiting jobs may use the nodes that are @there, and no longer @n: one engine is told
 * so job by job, the other one set by set. */
static void new_sets(struct world *w, uint32_t n, bool there)
{
	uint32_t id[JOBS];
	size_t k = cs_engine_list(w->rig[KNOWS].engine, false, id, JOBS);

	for (size_t i = 0; i < k; i++) {
		uint64_t from = w->wish[id[i]].set, to = from;

		cs_bit_put(&to, n, there);
		if (to == from)
			continue;
		for (size_t a = i; a < k; a++) {
			if (w->wish[id[a]].set != from)
				continue;
			w->wish[id[a]].set = to;
			describe_to(w, KNOWS, CS_EV_CHANGE, id[a]);
		}
		become(&w->rig[FOLLOWS], from, to);
	}
}

/* Is a part of node @n held? */
static bool held(struct world *w, uint32_t n)
{
	uint32_t id[JOBS];
	size_t k = cs_engine_list(w->rig[KNOWS].engine, true, id, JOBS);

	for (size_t i = 0; i < k; i++) {
		struct cs_running r;

		if (!cs_engine_running(w->rig[KNOWS].engine, id[i], &r) &&
		    cs_alloc_cores_on(r.alloc, n))
			return true;
	}
	return false;
}

/* A node that nobody holds goes; at its place is none. */
static void goes(struct world *w, uint32_t n)
{
	const struct cs_node vacant = { .sockets = 1, .threads = 1 };
	struct cs_event ev = { .type = CS_EV_NODE,
			       .node = { .index = n, .now = &vacant } };
	struct cs_err err = { "" };

	put_node(w, n, false);
	new_sets(w, n, false);
	ev.t_us = w->rig[FOLLOWS].now_us;
	if (held(w, n)) {
		assert_int_equal(
			cs_engine_event(w->rig[FOLLOWS].engine, &ev, &err),
			-EBUSY);
		assert_contains(err.text, "is held");
		return;
	}
	rig_tell(&w->rig[FOLLOWS], ev);
	w->there[n] = false;
	ev.node.now = NULL;
	rig_tell(&w->rig[KNOWS], ev);
	remake(w);
}

static uint32_t some(struct world *w, bool running)
{
	uint32_t id[JOBS];
	size_t n = cs_engine_list(w->rig[KNOWS].engine, running, id, JOBS);

	return n ? id[draw(w, (uint32_t)n)] : 0;
}

static void disturb(struct world *w)
{
	uint32_t what = draw(w, 12), n = FIRST + draw(w, NODES - FIRST);
	uint32_t last = FIRST; /* the first vacant place */
	uint32_t runs = some(w, true), waits = some(w, false);

	while (last < NODES && w->there[last])
		last++;
	if (what < 3 && runs)
		both(w,
		     (struct cs_event){ .type = CS_EV_FINISH, .job_id = runs });
	else if (what == 3 && waits)
		both(w, (struct cs_event){ .type = CS_EV_CANCEL,
					   .job_id = waits });
	else if (what < 6 && last < NODES) {
		comes(w, last);
		if (draw(w, 2))
			new_sets(w, last, true);
	} else if (what == 6 && last > FIRST && !w->early)
		goes(w, last - 1);
	else if (what == 7 && w->there[n])
		put_node(w, n, !w->up[n]);
	else if (w->submitted < JOBS)
		submit(w);
}

static void decide(struct world *w)
{
	uint64_t digest[BOTH];
	size_t n[BOTH];

	for (int i = 0; i < BOTH; i++) {
		rig_digest = 0;
		n[i] = rig_decide(&w->rig[i]);
		digest[i] = rig_digest;
	}
	assert_int_equal(n[FOLLOWS], n[KNOWS]);
	assert_true(digest[FOLLOWS] == digest[KNOWS]);
}

static void predict(struct world *w)
{
	struct cs_engine *a = w->rig[FOLLOWS].engine, *b = w->rig[KNOWS].engine;

	for (uint32_t id = 1; id <= w->submitted; id++)
		assert_true(cs_engine_predicted_start_us(a, id, NULL) ==
			    cs_engine_predicted_start_us(b, id, NULL));
	assert_true(cs_engine_next_wakeup_us(a) == cs_engine_next_wakeup_us(b));
	for (uint32_t n = 0; n < NODES; n++) {
		struct cs_node_now at = cs_engine_node(a, n);

		assert_true(at.up == w->up[n]);
		assert_int_equal(at.cores,
				 w->there[n] ? cs_node_cores(&w->like[n]) : 0);
	}
}

static void run(uint64_t seed, const char *policy, bool early)
{
	struct world w = { .rng = seed, .early = early };

	open_world(&w, policy);
	for (uint32_t n = FIRST; early && n < NODES; n++)
		comes(&w, n);
	for (int i = 0; i < 150; i++) {
		int64_t more = draw(&w, 3) ? 0 : draw(&w, 600) * RIG_S;

		for (int k = 0; k < BOTH; k++)
			w.rig[k].now_us += more;
		disturb(&w);
		decide(&w);
		predict(&w);
	}
	for (int i = 0; i < BOTH; i++)
		rig_close(&w.rig[i]);
}

static const struct {
	const char *policy;
	bool early; /* the size of the machine counts, up or not */
} policies[] = {
	{ "policy=easy,unprofiled=model", false },
	{ "policy=conservative", false },
	{ "policy=fcfs", false },
	{ "policy=pack", false },
	{ "policy=cst", false },
	{ "policy=glts", false },
	{ "policy=glts+", false },
	{ "policy=ostrich-paper", false },
	{ "policy=easy,order=ostrich,campaign_hold=strict", false },
	{ "policy=pect", false },
	{ "policy=bc,slice=gang", false },
	{ "policy=brmms,slice=gang", false },
	{ "policy=adaptive", true },
	{ "policy=cover+", true },
	{ "policy=easy,order=work", true },
};
#define POLICIES (sizeof(policies) / sizeof(*policies))

static void who_follows_decides_as_who_knew(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(300);

	(void)state;
	for (uint64_t k = 0; k < worlds; k++)
		run(seed + k, policies[k % POLICIES].policy,
		    policies[k % POLICIES].early);
}

/* All nodes are down when they become others: what jobs that wait, and sets, had from
 * the old ones is forgotten. */
static void run_anew(uint64_t seed, const char *policy)
{
	struct world w = { .rng = seed, .early = true };
	struct cs_node before[NODES];
	uint32_t order[NODES] = { 0 };

	open_world(&w, policy);
	for (uint32_t n = 0; n < NODES; n++)
		w.there[n] = true;
	for (uint32_t n = 0; n < NODES; n++) {
		uint32_t k = draw(&w, n + 1);

		before[n] = w.like[draw(&w, NODES)];
		before[n].threads = w.like[0].threads; /* work counts by them */
		rig_tell(&w.rig[FOLLOWS],
			 (struct cs_event){ .type = CS_EV_NODE,
					    .node = { .index = n } });
		rig_tell(&w.rig[FOLLOWS],
			 (struct cs_event){
				 .type = CS_EV_NODE,
				 .node = { .index = n, .now = &before[n] } });
		rig_tell(&w.rig[KNOWS],
			 (struct cs_event){ .type = CS_EV_NODE,
					    .node = { .index = n } });
		w.up[n] = false;
		order[n] = order[k];
		order[k] = n;
	}
	while (w.submitted < 8) {
		submit(&w);
		w.wish[w.submitted].procs = 1 + draw(&w, 2);
		w.wish[w.submitted].mem_mb = 0;
		describe(&w, CS_EV_CHANGE, w.submitted);
	}
	decide(&w);
	for (uint32_t i = 0; i < NODES; i++)
		comes(&w, order[i]);
	for (uint32_t i = 0; i < NODES; i++) {
		if (!w.up[i])
			put_node(&w, i, true);
		decide(&w);
		predict(&w);
	}
	for (int i = 0; i < 40; i++) {
		for (int k = 0; k < BOTH; k++)
			w.rig[k].now_us += 60 * RIG_S;
		disturb(&w);
		decide(&w);
		predict(&w);
	}
	for (int i = 0; i < BOTH; i++)
		rig_close(&w.rig[i]);
}

static void nothing_of_what_nodes_were_is_left(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(300);

	(void)state;
	for (uint64_t k = 0; k < worlds; k++)
		run_anew(seed + k, policies[k % POLICIES].policy);
}

/* ---- rules ----------------------------------------------------------------- */

static int tells(struct rig *r, uint32_t n, bool up, const struct cs_node *now,
		 struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_NODE,
		.t_us = r->now_us,
		.node = { .index = n, .up = up, .now = now },
	};
	int rc = cs_engine_event(r->engine, &ev, err);

	assert_int_equal(cs_engine_check(r->engine, NULL), 0);
	return rc;
}

static void only_a_node_that_is_down_and_unused_changes(void **state)
{
	struct cs_node now = { .sockets = 1,
			       .cores_per_socket = 4,
			       .threads = 1,
			       .memory_mb = 1000 };
	struct cs_err err = { "" };
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 3, 1, 2, 1000);
	rig_add_in(&r, 1, 2, 100, NULL, 2);
	assert_int_equal(rig_decide(&r), 1);
	assert_int_equal(tells(&r, 1, true, &now, &err), -EBUSY);
	assert_string_equal(err.text, "node 1 becomes another, but is up");
	/* its weight may change at any time, and so may nothing */
	now.cores_per_socket = 2;
	now.weight = 7;
	assert_int_equal(tells(&r, 1, true, &now, &err), 0);
	now.cores_per_socket = 4;
	assert_int_equal(tells(&r, 1, false, NULL, &err), 0);
	assert_int_equal(tells(&r, 1, false, &now, &err), -EBUSY);
	assert_string_equal(err.text, "node 1 becomes another, but is held");
	rig_finish(&r, 1);
	assert_int_equal(tells(&r, 1, true, &now, &err), 0);
	assert_int_equal(cs_engine_node(r.engine, 1).cores, 4);
	rig_add_in(&r, 2, 4, 100, NULL, 2);
	assert_int_equal(rig_decide(&r), 1);
	assert_string_equal(rig_where(&r, 2), "1:0,1,2,3");
	rig_close(&r);
}

static void nor_one_where_cores_are_reserved_or_a_job_is_suspended(void **state)
{
	const uint32_t node[] = { 1 };
	struct cs_alloc *cores = cs_alloc_create(1, 1);
	struct cs_reservation v = { .id = 5,
				    .n = 1,
				    .node = node,
				    .start_us = 0,
				    .end_us = 1000 * RIG_S,
				    .cores = cores };
	struct cs_node now = { .sockets = 1,
			       .cores_per_socket = 4,
			       .threads = 1 };
	struct cs_err err = { "" };
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 3, 1, 2, 0);
	cores->node[0] = (struct cs_alloc_node){ .node = 1, .procs = 1 };
	cs_alloc_cores(cores, 0)[0] = 1;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
					.reservation = &v });
	assert_int_equal(tells(&r, 1, false, NULL, &err), 0);
	assert_int_equal(tells(&r, 1, false, &now, &err), -EBUSY);
	v.n = 0;
	v.cores = NULL;
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
					.reservation = &v });
	assert_int_equal(tells(&r, 1, true, &now, &err), 0);
	rig_add_in(&r, 1, 2, 100, NULL, 2);
	assert_int_equal(rig_decide(&r), 1);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	assert_int_equal(tells(&r, 1, false, NULL, &err), 0);
	now.cores_per_socket = 1;
	assert_int_equal(tells(&r, 1, false, &now, &err), -EBUSY);
	rig_finish(&r, 1);
	assert_int_equal(tells(&r, 1, false, &now, &err), 0);
	cs_alloc_free(cores);
	rig_close(&r);
}

static void a_vacant_place_is_never_up_and_takes_no_job(void **state)
{
	const struct cs_node vacant = { .sockets = 1, .threads = 1 };
	struct cs_alloc *a = cs_alloc_create(1, 1);
	struct cs_started s = {
		.job_id = 1, .start_us = 0, .limit_us = 100 * RIG_S, .alloc = a
	};
	struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct cs_err err = { "" };
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 3, 1, 2, 0);
	assert_int_equal(tells(&r, 1, false, NULL, &err), 0);
	assert_int_equal(tells(&r, 1, true, &vacant, &err), -EINVAL);
	assert_int_equal(tells(&r, 1, false, &vacant, &err), 0);
	assert_int_equal(tells(&r, 1, true, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "node 1 is not there");
	rig_add_in(&r, 1, 1, 100, NULL, 2);
	assert_int_equal(rig_decide(&r), 0);
	a->node[0] = (struct cs_alloc_node){ .node = 1, .procs = 1 };
	cs_alloc_cores(a, 0)[0] = 1;
	assert_int_equal(cs_engine_event(r.engine, &ev, &err), -EINVAL);
	assert_string_equal(err.text, "allocation: no such core on node 1");
	cs_alloc_free(a);
	rig_close(&r);
}

static void larger_nodes_and_the_first_one_need_a_new_engine(void **state)
{
	const struct cs_node vacant = { .sockets = 1, .threads = 1 };
	struct cs_node now = { .sockets = 5,
			       .cores_per_socket = 13,
			       .threads = 1 };
	struct cs_err err = { "" };
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 2, 1, 2, 0);
	assert_int_equal(tells(&r, 1, false, NULL, &err), 0);
	assert_int_equal(tells(&r, 1, false, &now, &err), -ERANGE);
	assert_contains(err.text, "has 65 cores");
	now.cores_per_socket = 12;
	assert_int_equal(tells(&r, 1, false, &now, &err), 0);
	assert_int_equal(tells(&r, 1, false, &vacant, &err), 0);
	assert_int_equal(tells(&r, 0, false, NULL, &err), 0);
	assert_int_equal(tells(&r, 0, false, &vacant, &err), 0);
	assert_int_equal(cs_engine_machine(r.engine)->n_there, 0);
	assert_int_equal(tells(&r, 1, false, &now, &err), -ERANGE);
	assert_contains(err.text, "first one of the machine");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_follows_decides_as_who_knew),
		cmocka_unit_test(nothing_of_what_nodes_were_is_left),
		cmocka_unit_test(only_a_node_that_is_down_and_unused_changes),
		cmocka_unit_test(
			nor_one_where_cores_are_reserved_or_a_job_is_suspended),
		cmocka_unit_test(a_vacant_place_is_never_up_and_takes_no_job),
		cmocka_unit_test(
			larger_nodes_and_the_first_one_need_a_new_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
