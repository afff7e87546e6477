/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs next on a node, and whether that was a false decision (choose.c). */
#include "cs_test.h"

#include "procsim/choose.h"
#include "procsim/network.h"
#include "procsim/periodic.h"
#include "procsim/process.h"

/* Processes of node 0 wait for messages of their peers on nodes 1, 2 and 3, which have
 * arrived: that of the last one first.  There are two, unless a third is added. */
struct rig {
	struct cs_world w;
	struct cs_world_node node[4];
	struct cs_world_job job[3];
	struct cs_process process[6];
	struct cs_process_mail mail[3];
	struct cs_process *slot[3], *elsewhere[3][3];
	double oracle[4];
};

/* The process in slot @i. */
static void rig_add(struct rig *r, uint32_t i)
{
	struct cs_process *p = &r->process[2 * i];

	r->w.mpl = i + 1;
	r->node[0].n_process = r->node[0].n_unread = i + 1;
	r->job[i].mix.size = 2;
	r->job[i].first = 2 * i;
	r->mail[i].n = 1;
	r->mail[i].arrived_ns[0] = 600 - 100 * (int64_t)i;
	*p = (struct cs_process){ .id = 2 * i,
				  .job = i,
				  .slot = i,
				  .link.level = 40,
				  .step = CS_STEP_READ,
				  .n_peer = 1,
				  .n_unread = 1,
				  .mail = &r->mail[i] };
	p[1] = (struct cs_process){
		.id = 2 * i + 1, .job = i, .rank = 1, .node = i + 1
	};
	r->slot[i] = p;
	r->elsewhere[i][0] = &p[1];
	cs_ts_append(&r->node[0].ready, &p->link);
}

static void rig_init(struct rig *r, const char *scheme)
{
	memset(r, 0, sizeof(*r));
	cs_setting_defaults(&r->w.set);
	r->w.scheme = cs_scheme_named(scheme);
	r->w.now_ns = 1000;
	r->w.n_node = 4;
	r->w.node = r->node;
	r->w.job = r->job;
	r->w.process = r->process;
	r->w.oracle = r->oracle;
	cs_ts_init(&r->node[0].ready);
	cs_proc_node_init(&r->node[0].measure, 1, 0);
	assert_int_equal(cs_proc_tables_init(&r->node[0].tables, 4, 3), 0);
	r->node[0].slot = r->slot;
	for (uint32_t i = 1; i < 4; i++)
		r->node[i].slot = r->elsewhere[i - 1];
	rig_add(r, 0);
	rig_add(r, 1);
}

static void rig_done(struct rig *r)
{
	cs_proc_tables_done(&r->node[0].tables);
	cs_event_queue_done(&r->w.queue);
	free(r->w.pending);
}

/* What a node says of itself: @ed and @enp at @at. */
static void says(struct rig *r, uint32_t node, double ed, double enp,
		 int64_t at)
{
	r->node[node].own = (struct cs_proc_latency){ .ed_ns = ed, .enp = enp };
	r->node[node].own_ns = at;
}

static void the_earliest_message(void **state)
{
	struct cs_choice c;
	struct rig r;

	(void)state;
	rig_init(&r, "FIFO");
	c = cs_choose(&r.w, &r.node[0]);
	assert_ptr_equal(c.process, r.slot[1]);
	assert_true(c.conflict);
	rig_done(&r);

	rig_init(&r, "IB"); /* the first of the ready queue */
	c = cs_choose(&r.w, &r.node[0]);
	assert_ptr_equal(c.process, r.slot[0]);
	assert_int_equal(c.cost_ns, 0);
	rig_done(&r);
}

/* Latencies 100 and 300 of the same instant: the first node is least contended.  Then its
 * figures are 900 ns younger: 100 - 0 against 300 - 900. */
static void an_oracle_counts_the_time_since(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "FIFO");
	says(&r, 1, 100, 1, 100);
	says(&r, 2, 100, 3, 100);
	assert_true(cs_choose(&r.w, &r.node[0]).is_false);
	says(&r, 1, 100, 1, 1000);
	assert_false(cs_choose(&r.w, &r.node[0]).is_false);
	rig_done(&r);
}

/* Latencies 300 and 100 at the last switches: without the time since, the second node is
 * least contended, however old its figures are. */
static void an_oracle_of_the_last_switches(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "FIFO");
	says(&r, 1, 100, 3, 100);
	says(&r, 2, 100, 1, 1000);
	assert_true(cs_choose(&r.w, &r.node[0]).is_false);
	r.w.set.oracle = CS_ORACLE_LATEST;
	assert_false(cs_choose(&r.w, &r.node[0]).is_false);
	rig_done(&r);
}

/* The second job has a third process, on node @node, which has sent nothing. */
static void add_third(struct rig *r, uint32_t node)
{
	r->process[4] = (struct cs_process){
		.id = 4, .job = 1, .rank = 2, .node = node
	};
	r->elsewhere[node - 1][1] = &r->process[4];
	r->job[1].mix.size = 3;
	r->job[1].mix.all_to_all = true;
}

/* Of the second job's nodes, 2 and 3, the latter is least contended, and sent nothing: a
 * process on it counts only if that of a peer is enough. */
static void the_least_of_the_jobs_nodes(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "FIFO");
	add_third(&r, 3);
	says(&r, 1, 100, 3, 100);
	says(&r, 2, 100, 2, 100);
	says(&r, 3, 100, 1, 100);
	assert_false(cs_choose(&r.w, &r.node[0]).is_false);
	r.w.set.lowest = CS_LOWEST_JOBS;
	assert_true(cs_choose(&r.w, &r.node[0]).is_false);
	r.w.set.communicates = CS_COMMUNICATES_PEERS;
	assert_false(cs_choose(&r.w, &r.node[0]).is_false);
	rig_done(&r);
}

/* Node 1, of the other message, is least contended; a peer of the chosen process is there,
 * or on node 3. */
static void a_peer_on_the_least_contended_node(void **state)
{
	(void)state;
	for (uint32_t node = 1; node < 4; node += 2) {
		struct rig r;

		rig_init(&r, "FIFO");
		add_third(&r, node);
		says(&r, 1, 100, 1, 100);
		says(&r, 2, 100, 2, 100);
		assert_true(cs_choose(&r.w, &r.node[0]).is_false);
		r.w.set.communicates = CS_COMMUNICATES_PEERS;
		assert_int_equal(cs_choose(&r.w, &r.node[0]).is_false,
				 node == 3);
		rig_done(&r);
	}
}

/* A process of the same job is there, but across a ring of four. */
static void no_peer_on_the_least_contended_node(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "FIFO");
	add_third(&r, 1);
	r.job[1].mix.size = 4;
	r.job[1].mix.all_to_all = false;
	r.process[5] =
		(struct cs_process){ .id = 5, .job = 1, .rank = 3, .node = 2 };
	says(&r, 1, 100, 1, 100);
	says(&r, 2, 100, 2, 100);
	r.w.set.communicates = CS_COMMUNICATES_PEERS;
	assert_true(cs_choose(&r.w, &r.node[0]).is_false);
	rig_done(&r);
}

/* A node that sent nothing is least contended: everything else is false. */
static void the_least_of_all_nodes(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "FIFO");
	says(&r, 1, 100, 3, 100);
	says(&r, 2, 100, 2, 100);
	says(&r, 3, 100, 4, 100);
	assert_false(cs_choose(&r.w, &r.node[0]).is_false);
	r.process[3].node = 1; /* both peers there, node 2 has the least */
	assert_false(cs_choose(&r.w, &r.node[0]).is_false);
	r.w.set.lowest = CS_LOWEST_ALL;
	assert_true(cs_choose(&r.w, &r.node[0]).is_false);
	rig_done(&r);
}

/* The other's interrupt is being served: a conflict, and it cannot be chosen. */
static void a_waking_process_is_in_the_conflict(void **state)
{
	struct cs_choice c;
	struct rig r;

	(void)state;
	rig_init(&r, "FIFO");
	cs_ts_remove(&r.node[0].ready, &r.slot[1]->link);
	r.slot[1]->state = CS_STATE_BLOCKED;
	c = cs_choose(&r.w, &r.node[0]);
	assert_false(c.conflict);
	r.slot[1]->waking = true;
	c = cs_choose(&r.w, &r.node[0]);
	assert_true(c.conflict);
	assert_ptr_equal(c.process, r.slot[0]);
	rig_done(&r);
}

/* HYBRID: at a lower level, but in a collective communication. */
static void collectives_first(void **state)
{
	struct cs_choice c;
	struct rig r;

	(void)state;
	rig_init(&r, "HYBRID");
	c = cs_choose(&r.w, &r.node[0]);
	assert_ptr_equal(c.process, r.slot[0]);
	r.slot[1]->collective = true;
	c = cs_choose(&r.w, &r.node[0]);
	assert_ptr_equal(c.process, r.slot[1]);
	rig_done(&r);
}

/* A message for slot @slot has said of its peer's node: ED 100 and @enp, at 600. */
static void hears(struct rig *r, uint32_t slot, double enp)
{
	const struct cs_proc_latency l = { .ed_ns = 100, .enp = enp };
	const struct cs_proc_pending m = { .process = slot,
					   .source = slot + 1,
					   .arrived_ns = 600 };

	assert_int_equal(cs_proc_tables_arrived(&r->node[0].tables, &m, &l), 0);
}

/* Algorithm 1 by what the messages brought: .5 us for each of two processes and of two
 * messages, and 1 us to move the chosen one. */
static void algorithm_1_chooses(void **state)
{
	struct cs_choice c;
	struct rig r;

	(void)state;
	rig_init(&r, "PROC-B");
	hears(&r, 0, 5);
	hears(&r, 1, 1);
	c = cs_choose(&r.w, &r.node[0]);
	assert_ptr_equal(c.process, r.slot[1]);
	assert_int_equal(c.cost_ns, 2 * 500 + 2 * 500 + 1000);
	rig_done(&r);
}

/* A message of a process that computes, and one of a process that waits for another. */
static void what_is_pending(void **state)
{
	static const bool conflict[3][2] = { [CS_PENDING_READABLE] = { true },
					     [CS_PENDING_UNREAD] = { true,
								     true } };
	struct rig r;

	(void)state;
	rig_init(&r, "IB");
	for (int i = 0; i < 3; i++) {
		r.w.set.pending = i;
		r.slot[1]->step = CS_STEP_COMPUTE;
		assert_int_equal(cs_choose(&r.w, &r.node[0]).conflict,
				 conflict[i][0]);
		r.slot[1]->step = CS_STEP_AWAIT;
		assert_int_equal(cs_choose(&r.w, &r.node[0]).conflict,
				 conflict[i][1]);
	}
	rig_done(&r);
}

/* CNP leaves the chosen process out; ready ones only, or blocked ones too. */
static void contenders_of_the_chosen_process(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "IB");
	cs_choose_switched(&r.w, &r.node[0], r.slot[0]);
	assert_close(r.node[0].own.enp, 1, 0);
	assert_int_equal(r.node[0].own_ns, 1000);
	r.slot[1]->state = CS_STATE_BLOCKED;
	cs_choose_switched(&r.w, &r.node[0], r.slot[0]);
	assert_close(r.node[0].own.enp, 1, 0);
	r.w.set.cnp = CS_CNP_READY;
	cs_choose_switched(&r.w, &r.node[0], r.slot[0]);
	assert_close(r.node[0].own.enp, 0, 0);
	rig_done(&r);
}

/* A message for a blocked process: its node's latency goes into the tables at once; at the
 * end of the interrupt the process runs, one insertion in 1,000 ns. */
static void a_message_is_measured(void **state)
{
	struct cs_message m = { .process = 0, .source = 1, .l = { 100, 5 } };
	struct rig r;

	(void)state;
	rig_init(&r, "PROC-B");
	cs_ts_remove(&r.node[0].ready, &r.slot[0]->link);
	r.slot[0]->state = CS_STATE_BLOCKED;
	r.slot[0]->step = CS_STEP_AWAIT;
	/* those of the rig were never measured */
	for (int i = 0; i < 2; i++)
		r.mail[i].n = r.slot[i]->n_unread = 0;
	r.w.message = &m;
	cs_network_arrive(&r.w, &r.node[0], 0);
	assert_close(r.node[0].tables.global[1].l.enp, 5, 0);
	assert_int_equal(r.node[0].tables.global[1].at_ns, 1000);
	assert_int_equal(r.mail[0].arrived_ns[0], 1000);
	assert_int_equal(r.slot[0]->step, CS_STEP_READ);
	assert_int_equal(r.slot[0]->state, CS_STATE_BLOCKED);
	assert_true(r.slot[0]->waking);
	cs_network_served(&r.w, r.slot[0]);
	assert_int_equal(r.slot[0]->state, CS_STATE_RUNNING);
	assert_int_equal(r.slot[0]->link.level, CS_TS_TOP);
	assert_close(r.node[0].measure.rate, 1 / 1000., 1e-12);
	rig_done(&r);
}

/* RANDOM draws a process, however many messages it has: a third each. */
static void any_process_is_drawn(void **state)
{
	uint32_t n[3] = { 0 };
	struct rig r;

	(void)state;
	rig_init(&r, "RANDOM");
	rig_add(&r, 2);
	r.mail[0].n = 2;
	cs_rng_init(&r.w.rng, 1, 0);
	for (int i = 0; i < 3000; i++)
		n[cs_choose(&r.w, &r.node[0]).process->slot]++;
	for (int i = 0; i < 3; i++)
		assert_in_range(n[i], 900, 1100);
	rig_done(&r);
}

/* PB boosts the ones behind the last one that it boosted, in the order of slots. */
static void pb_takes_turns(void **state)
{
	static const uint32_t turns[] = { 1, 2, 0, 1 };
	struct rig r;

	(void)state;
	rig_init(&r, "PB");
	rig_add(&r, 2);
	for (size_t i = 0; i < sizeof(turns) / sizeof(*turns); i++) {
		cs_periodic_run(&r.w, &r.node[0]);
		assert_ptr_equal(r.node[0].current, r.slot[turns[i]]);
		assert_int_equal(r.node[0].current->link.level, CS_TS_TOP);
		r.node[0].current->what = CS_TIME_SPIN;
	}
	rig_done(&r);
}

/* PROC-S boosts the process whose peer's node has the least latency, and leaves it alone
 * when it runs; then another message says less of another node. */
static void proc_s_boosts_by_latency(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "PROC-S");
	rig_add(&r, 2);
	hears(&r, 0, 5);
	hears(&r, 1, 3);
	hears(&r, 2, 4);
	for (int i = 0; i < 2; i++) {
		cs_periodic_run(&r.w, &r.node[0]);
		assert_ptr_equal(r.node[0].current, r.slot[1]);
		assert_int_equal(r.slot[1]->link.level, CS_TS_TOP);
		assert_int_equal(r.node[0].counts.switches, 1);
	}
	hears(&r, 2, 2);
	cs_periodic_run(&r.w, &r.node[0]);
	assert_ptr_equal(r.node[0].current, r.slot[2]);
	rig_done(&r);
}

/* One insertion in 1,000 ns: of a ready process that an interrupt boosts, or the clock. */
static void boosts_are_insertions(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, "DCS");
	cs_network_served(&r.w, r.slot[1]);
	assert_ptr_equal(r.node[0].current, r.slot[1]);
	assert_close(r.node[0].measure.rate, 1 / 1000., 1e-12);
	rig_done(&r);

	rig_init(&r, "PB");
	cs_periodic_run(&r.w, &r.node[0]);
	assert_close(r.node[0].measure.rate, 1 / 1000., 1e-12);
	rig_done(&r);
}

/* In a ring of four the one across is no peer; all to all it is. */
static void peers_of_a_pattern(void **state)
{
	struct cs_process *p;
	struct rig r;

	(void)state;
	rig_init(&r, "IB");
	p = r.process;
	r.job[0].mix.size = 4;
	for (uint32_t i = 0; i < 4; i++)
		p[i] = (struct cs_process){ .job = 0, .rank = i };
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(cs_process_are_peers(&r.w, &p[1], &p[i]),
				 i % 2 == 0);
	assert_true(cs_process_are_peers(&r.w, &p[0], &p[3]));
	r.job[0].mix.all_to_all = true;
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(cs_process_are_peers(&r.w, &p[1], &p[i]),
				 i != 1);
	rig_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_earliest_message),
		cmocka_unit_test(an_oracle_counts_the_time_since),
		cmocka_unit_test(an_oracle_of_the_last_switches),
		cmocka_unit_test(the_least_of_the_jobs_nodes),
		cmocka_unit_test(a_peer_on_the_least_contended_node),
		cmocka_unit_test(no_peer_on_the_least_contended_node),
		cmocka_unit_test(the_least_of_all_nodes),
		cmocka_unit_test(a_waking_process_is_in_the_conflict),
		cmocka_unit_test(collectives_first),
		cmocka_unit_test(algorithm_1_chooses),
		cmocka_unit_test(what_is_pending),
		cmocka_unit_test(a_message_is_measured),
		cmocka_unit_test(contenders_of_the_chosen_process),
		cmocka_unit_test(any_process_is_drawn),
		cmocka_unit_test(pb_takes_turns),
		cmocka_unit_test(proc_s_boosts_by_latency),
		cmocka_unit_test(boosts_are_insertions),
		cmocka_unit_test(peers_of_a_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
