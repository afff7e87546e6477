/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs may share, and why not; who asks, and what would start a job sooner. */
#include "explainrig.h"

#include "common/explain/sooner.h"

/* ---- partners ------------------------------------------------------------- */

#define PAIRS "policy=cst,backfill=easy,cases=12345,backfill_cases=145"

static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	" \"cg\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}},"
	" \"io\":{\"self\":{\"1\":1.0,\"2\":1.02,\"4\":1.5}},"
	" \"new\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}},"
	" \"mem\":{\"self\":{\"1\":1.0,\"2\":1.05,\"4\":1.6}}},"
	"\"pairs\":[" RIG_PAIR("cg", "io", "1.05", "1.10") "," RIG_PAIR(
		"cg", "mem", "1.40", "1.30") "]}";

/* Job 1 (cg) runs on both nodes, two processes of 4 cores each. */
static void open_pairs(struct rig *r, const char *params)
{
	rig_open(r, params, profiles, 2, 2, 2, 2000);
	rig_add(r, 1, 4, 600, "cg");
	rig_decide(r);
	assert_string_equal(rig_where(r, 1), "0:0,2 1:0,2");
}

static void who_is_in_a_reservation_shares_there(void **state)
{
	const uint32_t node[] = { 0, 1 };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cst", profiles, 2, 2, 2, 2000);
	reserve(&r, 2, node, 1000 * RIG_S);
	for (uint32_t id = 1; id <= 2; id++) {
		j = rig_job(&r, id, 4, 600, id == 1 ? "cg" : "io");
		j.reservation = 1;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2");
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3");
	rig_add(&r, 3, 4, 600, "io");
	rig_decide(&r);
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
}

static void slowdowns_of_a_pair(void **state)
{
	struct rig r;

	(void)state;
	open_pairs(&r, PAIRS);
	rig_add(&r, 2, 4, 600, "mem");
	rig_add(&r, 3, 4, 600, "new");
	rig_decide(&r);
	assert_contains(
		explain(&r, 2),
		"\n  beside job 1 (cg, running): slowdown above "
		"max_slowdown; slowdown 1.30, its 1.40, at most 1.25\n");
	assert_contains(
		explain(&r, 3),
		"\n  beside job 1 (cg, running): slowdown above "
		"max_slowdown; slowdown 1.50, its 1.50, at most 1.25 (not in "
		"the profile file: unknown_pair)\n");
	rig_close(&r);
}

static void who_does_not_share(void **state)
{
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_pairs(&r, PAIRS ",share_min_s=300");
	rig_add(&r, 2, 8, 600, "mem");
	for (uint32_t id = 3; id <= 8; id++) {
		j = rig_job(&r, id, 4, id == 8 ? 200 : 600,
			    id == 7 ? NULL : "io");
		o.nodeset = r.all;
		o.flags = id == 5 || id == 6 ? CS_JOB_NO_SHARE : 0;
		o.limit_max_us = id == 6 ? 300 * RIG_S : CS_TIME_NONE;
		j.option = &o;
		j.flags = id == 3   ? CS_JOB_NO_SHARE
			  : id == 4 ? CS_JOB_EXCLUSIVE
				    : 0;
		rig_submit(&r, &j);
	}
	j = rig_job(&r, 9, 4, 600, "io");
	j.flags = CS_JOB_HOST;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_contains(explain(&r, 2), "\n  beside job 3 (io, waiting): does "
					"not share: its comment says "
					"share=no\n");
	assert_contains(explain(&r, 2), "\n  beside job 7 (no profile, "
					"waiting): it has no profile\n");
	assert_contains(explain(&r, 2), "\n  beside job 8 (io, waiting): its "
					"time limit is below share_min_s, 300 "
					"s\n");
	assert_contains(explain(&r, 3), "\n  shares with no job: its comment "
					"says share=no\n");
	assert_contains(explain(&r, 4), "\n  shares with no job: it or its "
					"partition asks for whole nodes "
					"(--exclusive)\n");
	assert_contains(explain(&r, 5), "\n  shares with no job: its partition "
					"is not among share_partitions\n");
	assert_contains(explain(&r, 6),
			"\n  shares with no job: without -t its "
			"limit in this partition is below that "
			"in another of its partitions\n");
	assert_contains(explain(&r, 7), "\n  shares with no job: it has no "
					"profile (--comment=cosched:profile="
					"NAME gives it one)\n");
	assert_contains(explain(&r, 8),
			"\n  shares with no job: its time limit "
			"is below share_min_s, 300 s\n");
	assert_contains(explain(&r, 9),
			"\n  shares with no job: it asks for "
			"what only Slurm itself can place (GRES, "
			"licenses, topology and the like)\n");
	rig_close(&r);
}

/* With unprofiled=model those without a profile take part, but nobody knows them. */
static void profiles_that_are_missing(void **state)
{
	struct rig r;

	(void)state;
	open_pairs(&r, PAIRS ",unprofiled=model");
	rig_add(&r, 2, 4, 600, NULL);
	rig_add(&r, 3, 4, 600, NULL);
	rig_decide(&r);
	assert_contains(
		explain(&r, 2),
		"\n  beside job 1 (cg, running): this job has no "
		"profile\n  beside job 3 (no profile, waiting): neither "
		"has a profile\n");
	rig_close(&r);
}

static void users_and_accounts_that_do_not_mix(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int account = 0; account < 2; account++) {
		open_pairs(&r, account ? PAIRS ",share_scope=account"
				       : PAIRS ",share_scope=user");
		j = rig_job(&r, 2, 4, 600, "io");
		j.user = "bob";
		j.account = "biology";
		rig_submit(&r, &j);
		rig_decide(&r);
		assert_contains(explain(&r, 2),
				account ? "beside job 1 (cg, running): of "
					  "another account "
					  "(share_scope=account)\n"
					: "beside job 1 (cg, running): of "
					  "another user (share_scope=user)\n");
		rig_close(&r);
	}
}

static void limits_that_cannot_be_raised(void **state)
{
	struct cs_job_partition o = { .limit_max_us = 600 * RIG_S };
	struct cs_job j;
	struct rig r;

	(void)state;
	open_pairs(&r, PAIRS);
	for (uint32_t id = 2; id <= 3; id++) {
		j = rig_job(&r, id, 4, 600, id == 2 ? "io" : "cg");
		o.nodeset = r.all;
		o.limit_max_us = id == 2 ? 600 * RIG_S : CS_TIME_NONE;
		j.option = &o;
		j.base_procs = 2;
		rig_submit(&r, &j);
	}
	rig_decide(&r);
	assert_contains(explain(&r, 2), "beside job 1 (cg, running): a time "
					"limit cannot be raised by the "
					"slowdown (partition, QOS or "
					"association)\n");
	assert_contains(explain(&r, 3), "beside job 2 (io, waiting): its time "
					"limit cannot be raised by the "
					"slowdown ");
	rig_close(&r);
}

static void layouts_sizes_and_rooms(void **state)
{
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, PAIRS, profiles, 4, 2, 2, 2000);
	j = rig_job(&r, 1, 4, 600, "cg");
	j.mem_node_mb = 1500;
	j.max_nodes = 2;
	rig_submit(&r, &j);
	j = rig_job(&r, 2, 4, 600, "mem");
	j.min_nodes = j.max_nodes = 2;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_string_equal(rig_where(&r, 1), "0:0,2 1:0,2");
	assert_string_equal(rig_where(&r, 2), "2:0,2 3:0,2");
	j = rig_job(&r, 3, 8, 600, "io");
	j.min_nodes = j.max_nodes = 2;
	rig_submit(&r, &j);
	rig_add(&r, 4, 8, 600, "io");
	j = rig_job(&r, 5, 4, 600, "io");
	j.mem_node_mb = 800;
	rig_submit(&r, &j);
	rig_add(&r, 6, 4, 600, "cg");
	j = rig_job(&r, 8, 4, 600, "cg");
	j.flags = CS_JOB_BLOCKED;
	rig_submit(&r, &j);
	j = rig_job(&r, 7, 8, 600, "io");
	j.procs_per_node = 4;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_contains(explain(&r, 3),
			"beside job 1 (cg, running): this job's "
			"layout leaves no cores to a partner "
			"(-N, -n, -c, --ntasks-per-node)\n");
	assert_contains(explain(&r, 6),
			"beside job 3 (io, waiting): its layout "
			"leaves no cores to a partner ");
	assert_contains(explain(&r, 4), "beside job 1 (cg, running): this job "
					"needs more nodes than it has, by more "
					"than matched_larger allows\n");
	assert_contains(explain(&r, 5), "beside job 1 (cg, running): no room "
					"beside it (cores, memory, "
					"jobs_per_node)\n");
	assert_contains(explain(&r, 5),
			"beside job 6 (cg, waiting): suitable "
			"if both fit and the gain is "
			"enough; slowdown 1.10, its 1.05, at most 1.25\n");
	assert_contains(explain(&r, 5), "beside job 8 (cg, waiting): suitable, "
					"but it may not start itself now; ");
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	assert_contains(explain(&r, 5), "beside job 1 (cg, running): "
					"suspended\n");
	assert_contains(explain(&r, 1), "job 1 (cg) is suspended on 2 nodes\n");
	rig_close(&r);
}

/* io goes with cg and with new, which are there and go with each other; but not
 * with both. */
static void the_others_on_its_nodes(void **state)
{
	static const char three[] =
		"{\"version\":1,\"profiles\":{"
		" \"cg\":{\"self\":{\"1\":1.0}},"
		" \"io\":{\"self\":{\"1\":1.0}},"
		" \"new\":{\"self\":{\"1\":1.0}}},"
		"\"pairs\":[" RIG_PAIR("cg", "io", "1.0", "1.2") "," RIG_PAIR(
			"cg", "new", "1.0",
			"1.0") "," RIG_PAIR("new", "io", "1.0", "1.2") "]}";
	struct rig r;

	(void)state;
	rig_open(&r, PAIRS ",jobs_per_node=3", three, 1, 2, 4, 0);
	for (uint32_t id = 1; id <= 3; id++) {
		rig_add(&r, id, 2, 600,
			id == 1	  ? "cg"
			: id == 2 ? "new"
				  : "io");
		rig_decide(&r);
	}
	assert_string_equal(rig_where(&r, 2), "0:1,5");
	assert_contains(explain(&r, 3),
			"\n  beside job 1 (cg, running): the two "
			"suit, but not with the others on its "
			"nodes\n");
	rig_close(&r);
}

/* Equation 6 for two jobs of 4 on 2 nodes. */
static void gains_that_are_too_small(void **state)
{
	struct rig r;

	(void)state;
	open_pairs(&r, PAIRS ",min_util_gain=5");
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	/* 4 / (1.05 * 1.05) + 4 / (1.02 * 1.10), over 2, less 1 */
	assert_contains(explain(&r, 2), "beside job 1 (cg, running): the gain "
					"is below min_util_gain: 2.60 of "
					"5.00\n");
	rig_close(&r);
}

static void who_is_really_beside(void **state)
{
	struct rig r;

	(void)state;
	for (int shadow = 0; shadow < 2; shadow++) {
		open_packed(&r, shadow ? "policy=pack,layout=dense,mode=shadow"
				       : "policy=pack,layout=dense");
		for (uint32_t id = 1; id <= 3; id++)
			rig_add(&r, id, 1, 600, NULL);
		rig_add(&r, 4, 4, 600, NULL);
		rig_decide(&r);
		assert_true(rig_runs(&r, 4));
		rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND,
						.job_id = 3 });
		assert_lacks(explain(&r, 2), "job 4");
		assert_contains(explain(&r, 2),
				"\n  beside it: job 1 (no profile)\n");
		assert_contains(explain(&r, 4), "\n  no job is beside it\n");
		if (shadow)
			assert_contains(explain(&r, 2),
					"\n  beside it: job 3 (no profile), "
					"suspended\n");
		else
			assert_lacks(explain(&r, 2), "job 3");
		rig_close(&r);
	}
}

static void groups_and_what_they_cost(void **state)
{
	struct rig r;

	(void)state;
	open_pairs(&r, PAIRS);
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	assert_true(rig_runs(&r, 2));
	rig_add(&r, 3, 4, 600, "io");
	rig_at(&r, 105);
	assert_contains(explain(&r, 3), "beside job 1 (cg, running): shares "
					"with another job already\n");
	assert_string_equal(
		explain(&r, 1),
		"job 1 (cg) runs on 2 nodes, group 1, primary\n"
		"  ends in 0:09:17 if it uses all the time that its "
		"user requested\n"
		"  slowdown by sharing 1.05, with its layout 1.10; "
		"time lost so far 0:00:10\n"
		"  shares with job 2 (io), which takes 1.10 times "
		"as long by sharing\n");
	assert_contains(explain(&r, 2), "group 1, matched\n");
	rig_close(&r);
}

static void a_job_alone_has_lost_nothing(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 2, 1, 1, 0);
	rig_add(&r, 1, 1, 100, NULL);
	rig_decide(&r);
	rig_at(&r, 40);
	assert_string_equal(
		explain(&r, 1),
		"job 1 (no profile) runs on 1 node\n"
		"  ends in 0:01:00 if it uses all the time that its "
		"user requested\n"
		"  no job is beside it\n");
	rig_close(&r);
}

static void a_job_that_a_time_slice_stopped(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r,
		 "policy=easy,slice=pect,unprofiled=model,class_short_s=10,"
		 "class_medium_s=180,slice_cycle_s=100,slice_short_s=0,"
		 "slice_overhead_s=0",
		 NULL, 1, 1, 1, 0);
	rig_add(&r, 1, 1, 100, NULL);
	rig_add(&r, 2, 1, 1000, NULL);
	for (int64_t s = 0; s < 100 && !rig_runs(&r, 2); s += 5)
		rig_at(&r, s);
	assert_contains(explain(&r, 1), "job 1 (no profile) is stopped between "
					"its time slices on 1 node\n");
	rig_close(&r);
}

static void no_more_than_twenty_are_named(void **state)
{
	struct rig r;

	(void)state;
	open_pairs(&r, PAIRS);
	for (uint32_t id = 2; id <= 24; id++)
		rig_add(&r, id, 8, 600, "mem");
	rig_decide(&r);
	assert_contains(explain(&r, 2), "beside job 22 (mem, waiting)");
	assert_contains(explain(&r, 2), "\n  and 2 more waiting jobs\n");
	assert_lacks(explain(&r, 2), "beside job 23");
	rig_close(&r);
}

/* Job 1 has 22 neighbours on its node. */
static void no_more_than_twenty_neighbours_are_named(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "policy=pack,unprofiled=model", NULL, 1, 1, 23, 0);
	for (uint32_t id = 1; id <= 23; id++)
		rig_add(&r, id, 1, 600, NULL);
	assert_int_equal(rig_decide(&r), 23);
	assert_contains(explain(&r, 1),
			"\n  beside it: job 21 (no profile)\n  and 2 more\n");
	assert_lacks(explain(&r, 1), "job 22");
	rig_close(&r);
}

/* Cores 0 and 1 of both nodes are reserved for job 2, which waits for its begin. */
static void who_is_in_a_reservation_of_cores_is_packed(void **state)
{
	struct cs_alloc *cores = cs_alloc_create(2, 1);
	const uint32_t node[] = { 0, 1 };
	struct cs_reservation v = { .id = 1,
				    .n = 2,
				    .node = node,
				    .start_us = 100 * RIG_S,
				    .end_us = 1000 * RIG_S,
				    .cores = cores };
	struct cs_job j;
	struct rig r;

	(void)state;
	rig_open(&r, PAIRS, profiles, 2, 2, 2, 2000);
	for (uint32_t n = 0; n < 2; n++) {
		cores->node[n].node = n;
		cs_alloc_cores(cores, n)[0] = 3;
	}
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESERVATION,
					.reservation = &v });
	j = rig_job(&r, 2, 4, 600, "io");
	j.reservation = 1;
	rig_submit(&r, &j);
	rig_decide(&r);
	assert_contains(explain(&r, 2),
			"\n  shares with no job: its reservation is one of "
			"cores, where jobs are packed\n");
	cs_alloc_free(cores);
	rig_close(&r);
}

static bool by_number(void *arg, uint32_t id, char *buf, size_t size)
{
	(void)arg;
	(void)id;
	(void)buf;
	(void)size;
	return true;
}

/* Five are named, those that suit before the others. */
static void who_wants_few_reads_of_five(void **state)
{
	const struct cs_audience to = { .name = by_number, .few = true };
	struct cs_partner p[2 * CS_PARTNERS_MAX];
	char text[8192];
	const char *at = text;
	struct rig r;
	size_t more;
	int n = 0;

	(void)state;
	open_pairs(&r, PAIRS);
	for (uint32_t id = 2; id <= 9; id++)
		rig_add(&r, id, 8, 600, id == 9 ? "io" : "mem");
	rig_decide(&r);
	cs_explain(r.engine, 2, &to, text, sizeof(text));
	while ((at = strstr(at, "\n  beside job ")) && ++at)
		n++;
	assert_int_equal(n, 5);
	assert_contains(text, "\n  and 3 more with -v\n");
	assert_int_equal(cs_explain_partners(r.engine, 2, &to, p, &more), 8);
	assert_int_equal(more, 0);
	for (int i = 0; i < 8; i++)
		if (p[i].suits && !strstr(text, p[i].name))
			fail_msg("%s suits, and is not in:\n%s", p[i].name,
				 text);
	assert_int_equal(p[0].job_id, 1);
	assert_string_equal(p[0].name, "job 1");
	assert_true(p[0].running);
	assert_false(p[7].running);
	assert_string_equal(p[7].profile, "io");
	assert_int_equal(cs_explain_partners(r.engine, 99, &to, p, &more),
			 -ENOENT);
	/* of 22 others that wait only 20 are looked at, and all are counted */
	for (uint32_t id = 10; id <= 24; id++)
		rig_add(&r, id, 8, 600, "mem");
	cs_explain(r.engine, 2, &to, text, sizeof(text));
	assert_contains(text, "\n  and 18 more with -v\n");
	rig_close(&r);
}

/* Job 9, the last, suits 2, and no job before it but 1, which runs. */
static void who_suits_is_among_the_five(void **state)
{
	const struct cs_audience to = { .name = by_number, .few = true };
	char text[8192];
	struct rig r;

	(void)state;
	open_pairs(&r, PAIRS);
	for (uint32_t id = 2; id <= 9; id++)
		rig_add(&r, id, 8, 600,
			id == 2	  ? "io"
			: id == 9 ? "cg"
				  : "mem");
	cs_explain(r.engine, 2, &to, text, sizeof(text));
	assert_contains(text, "beside job 1 ");
	assert_contains(text, "beside job 9 ");
	assert_contains(text, "\n  and 3 more with -v\n");
	rig_close(&r);
}

static void the_first_line_ends_with_what_is_sooner(void **state)
{
	static const char *const said[] = {
		[2] = "starts in 0:10:00 at the latest; sooner: now with -n "
		      "4\n",
		[3] = "starts in 0:20:00 at the latest; sooner: now with -t "
		      "10\n",
		[4] = "squeue shows its reason\n",
	};
	struct cs_sooner_list l = { 0 };
	struct cs_audience to = { .name = by_number, .sooner = &l };
	uint32_t before, all;
	char text[4096];
	struct cs_job j;
	struct rig r;

	(void)state;
	open_packed(&r, "policy=pack,order=fcfs");
	for (uint32_t id = 1; id <= 4; id++) {
		j = rig_job(&r, id,
			    id == 1   ? 12
			    : id == 2 ? 16
				      : 4,
			    id == 3 ? 3600 : 600, NULL);
		j.base_procs = 1;
		if (id == 4)
			j.flags = CS_JOB_BLOCKED;
		rig_submit(&r, &j);
		rig_decide(&r);
		if (id == 1)
			continue;
		assert_int_equal(cs_sooner_find(r.engine, id, 1000000, &l), 0);
		cs_explain(r.engine, id, &to, text, sizeof(text));
		assert_contains(text, said[id]);
	}
	l = (struct cs_sooner_list){
		.n = 3,
		.change = { { CS_SOONER_LIMIT, 7, false, false, 60 * RIG_S },
			    { CS_SOONER_EXCLUSIVE, 1, false, true, 0 },
			    { CS_SOONER_SIZE, 3, true, false, 90 * RIG_S } },
	};
	cs_explain(r.engine, 2, &to, text, sizeof(text));
	assert_contains(text, "; sooner: in 0:01:00 at the latest with -t 7\n"
			      "  sooner, too: now without --exclusive; in "
			      "0:01:30 at the latest with -n 3 (a smaller "
			      "change may do: not all were tried)\n");
	r.now_us = 60 * RIG_S; /* the first has come */
	rig_decide(&r);
	cs_explain(r.engine, 2, &to, text, sizeof(text));
	assert_contains(text, "; sooner: now with -t 7\n");
	l = (struct cs_sooner_list){ .probes = 2 };
	cs_explain(r.engine, 2, &to, text, sizeof(text));
	assert_contains(text, "\n  no shorter limit, less memory, other layout "
			      "or smaller size alone would start it sooner\n");
	to = (struct cs_audience){ .name = by_number, .no_sooner = "ask" };
	cs_explain(r.engine, 2, &to, text, sizeof(text));
	assert_contains(text, "\n  what would start it sooner: ask\n");
	assert_int_equal(cs_explain_place(r.engine, 3, &before, &all), 0);
	assert_int_equal(before, 1);
	assert_int_equal(all, 2);
	assert_int_equal(cs_explain_place(r.engine, 4, &before, &all), -ENOENT);
	rig_close(&r);
}

/* 1.6 times as long on all four cores, with a limit that was not raised for it. */
static void nobody_ends_beyond_his_limit(void **state)
{
	const int64_t limit[] = { 3600 * RIG_S, 600 * RIG_S };
	const char *const ends[] = { "\n  ends in 0:14:20 if it uses all the "
				     "time that its user requested\n",
				     "\n  ends in 0:08:20 by its time limit\n" };
	struct cs_job j;
	struct rig r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		rig_open(&r, "policy=easy", slow, 1, 2, 2, 0);
		r.limit_us = limit[i];
		j = rig_job(&r, 1, 4, 600, "a");
		j.base_procs = 1;
		rig_submit(&r, &j);
		rig_decide(&r);
		rig_at(&r, 100);
		assert_contains(explain(&r, 1), ends[i]);
		assert_int_equal(cs_engine_latest_us(r.engine, 1),
				 i ? 600 * RIG_S : rig_running(&r, 1).end_us);
		rig_close(&r);
	}
}

/* ---- who asks ------------------------------------------------------------- */

/* He may know no more of job 1 than that it is there. */
static bool nameless(void *arg, uint32_t id, char *buf, size_t size)
{
	(void)arg;
	if (id != 1)
		return true;
	snprintf(buf, size, "a job of another user");
	return false;
}

static void what_is_private_has_no_number_profile_or_figure(void **state)
{
	const struct cs_audience to = { .name = nameless };
	const char *const params[] = { PAIRS, PAIRS ",min_util_gain=5",
				       PAIRS ",max_slowdown=1",
				       PAIRS ",unprofiled=model" };
	char text[4096];
	struct rig r;

	(void)state;
	for (int i = 0; i < 4; i++) {
		open_pairs(&r, params[i]);
		rig_add(&r, 2, 8, 600, i == 3 ? NULL : i ? "io" : "mem");
		rig_decide(&r);
		cs_explain(r.engine, 2, &to, text, sizeof(text));
		assert_contains(text,
				"beside a job of another user (running): ");
		assert_lacks(text, "job 1");
		assert_lacks(text, "cg");
		assert_lacks(text, "; slowdown");
		assert_lacks(text, ".60");
		assert_true(i < 3 || strstr(text, "): one of the two has no "
						  "profile\n"));
		rig_close(&r);
	}
	rig_open(&r, PAIRS, profiles, 2, 2, 2, 0);
	rig_add(&r, 1, 4, 600, "cg");
	rig_add(&r, 2, 4, 600, "io");
	rig_decide(&r);
	cs_explain(r.engine, 2, &to, text, sizeof(text));
	assert_contains(text,
			"shares with a job of another user, which takes ");
	rig_close(&r);
}

static void a_buffer_that_is_too_small_gets_the_beginning(void **state)
{
	struct rig r;
	char text[16];
	int n;

	(void)state;
	open_queue(&r, "policy=easy");
	submit_with(&r, 2, 5, 0, 0);
	rig_decide(&r);
	n = (int)strlen(explain(&r, 2));
	assert_int_equal(cs_explain(r.engine, 2, NULL, text, sizeof(text)), n);
	assert_string_equal(text, "job 2 (no profi");
	assert_int_equal(cs_explain(r.engine, 2, NULL, NULL, 0), n);
	assert_int_equal(cs_explain(r.engine, 9, NULL, NULL, 0), -ENOENT);
	assert_int_equal(cs_explain_reason(r.engine, 9, NULL, NULL, 0),
			 -ENOENT);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowdowns_of_a_pair),
		cmocka_unit_test(who_is_in_a_reservation_shares_there),
		cmocka_unit_test(who_does_not_share),
		cmocka_unit_test(profiles_that_are_missing),
		cmocka_unit_test(users_and_accounts_that_do_not_mix),
		cmocka_unit_test(limits_that_cannot_be_raised),
		cmocka_unit_test(layouts_sizes_and_rooms),
		cmocka_unit_test(the_others_on_its_nodes),
		cmocka_unit_test(gains_that_are_too_small),
		cmocka_unit_test(who_is_really_beside),
		cmocka_unit_test(groups_and_what_they_cost),
		cmocka_unit_test(a_job_alone_has_lost_nothing),
		cmocka_unit_test(a_job_that_a_time_slice_stopped),
		cmocka_unit_test(no_more_than_twenty_are_named),
		cmocka_unit_test(no_more_than_twenty_neighbours_are_named),
		cmocka_unit_test(who_is_in_a_reservation_of_cores_is_packed),
		cmocka_unit_test(who_wants_few_reads_of_five),
		cmocka_unit_test(who_suits_is_among_the_five),
		cmocka_unit_test(the_first_line_ends_with_what_is_sooner),
		cmocka_unit_test(nobody_ends_beyond_his_limit),
		cmocka_unit_test(
			what_is_private_has_no_number_profile_or_figure),
		cmocka_unit_test(a_buffer_that_is_too_small_gets_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
