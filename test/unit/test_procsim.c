/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Worlds of one or two jobs, worked by hand, and what a run must keep. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "procsim/procsim.h"

static void set(struct cs_setting *s, const char *text)
{
	struct cs_err err;

	if (cs_setting_set(s, text, &err))
		fail_msg("%s", err.text);
}

/* s = r = 5 us, L = 20 us, a switch 50, to block 10, an interrupt 15; no skew. */
static struct cs_setting by_hand(void)
{
	struct cs_setting s;

	cs_setting_defaults(&s);
	set(&s, "message_bytes=2000");
	set(&s, "skew=0");
	set(&s, "drop=0");
	set(&s, "jobs=1");
	set(&s, "nodes=2");
	set(&s, "size_max=2");
	return s;
}

static struct cs_procsim_result run(const struct cs_setting *s,
				    const char *scheme,
				    const struct cs_mix_job *job)
{
	struct cs_procsim ask = { .set = s,
				  .scheme = cs_scheme_named(scheme),
				  .job = job,
				  .seed = 1 };
	struct cs_procsim_result r;
	struct cs_err err;

	assert_non_null(ask.scheme);
	assert_int_equal(cs_setting_check(s, NULL), 0);
	if (cs_procsim_run(&ask, &r, &err))
		fail_msg("%s", err.text);
	return r;
}

static double response_us(const struct cs_setting *s, const char *scheme,
			  const struct cs_mix_job *job)
{
	return run(s, scheme, job).response_s * 1e6;
}

/* Two processes that compute for 100 us and exchange messages. */
static struct cs_mix_job ping_pong(uint32_t loops)
{
	return (struct cs_mix_job){ .size = 2,
				    .loops = loops,
				    .compute_ns = 100000,
				    .alone_ns = 130000 * (int64_t)loops };
}

/* Switch 50, then compute 100, send 5, spin 20, read 5 in each loop. */
static void ping_pong_that_spins(void **state)
{
	struct cs_mix_job one = ping_pong(1), two = ping_pong(2);
	struct cs_setting s = by_hand();

	(void)state;
	assert_close(response_us(&s, "LOCAL", &one), 180, 1e-12);
	assert_close(response_us(&s, "LOCAL", &two), 310, 1e-12);
	assert_close(response_us(&s, "DCS", &two), 310, 1e-12);
	assert_close(response_us(&s, "BATCH", &two), 310, 1e-12);
	assert_close(response_us(&s, "GS", &two), 310, 1e-12);
	assert_close(run(&s, "LOCAL", &two).spin_s * 1e6, 2 * 2 * 20, 1e-9);
}

/* Sent at 155 and blocked; the message arrives at 175, the interrupt ends at 190, the
 * switch at 240, and the process has read at 245.  The second loop takes 195 as well. */
static void ping_pong_that_blocks(void **state)
{
	struct cs_mix_job one = ping_pong(1), two = ping_pong(2);
	struct cs_setting s = by_hand();

	(void)state;
	assert_close(response_us(&s, "IB", &one), 245, 1e-12);
	assert_close(response_us(&s, "IB", &two), 440, 1e-12);
	assert_close(response_us(&s, "FIFO", &two), 440, 1e-12);
	assert_close(run(&s, "IB", &two).spin_s, 0, 0);
	assert_close(run(&s, "IB", &two).blocked_s * 1e6, 2 * 2 * 20, 1e-9);
	/* ENP of one process at each of two switches, .5 us, and one message uploaded.
	 * On the way to idle nothing is chosen. */
	assert_close(response_us(&s, "PROC-B", &one), 246.5, 1e-12);
}

/* A spin time of one latency catches the message; half of it does not: blocked from 165 to
 * 175, the interrupt ends at 190 as under IB. */
static void ping_pong_that_spins_and_blocks(void **state)
{
	struct cs_mix_job one = ping_pong(1);
	struct cs_setting s = by_hand();

	(void)state;
	assert_close(response_us(&s, "SB", &one), 180, 1e-12);
	set(&s, "spin_us=10");
	/* One nanosecond more: run.c. */
	assert_close(response_us(&s, "SB", &one), 245.001, 1e-12);
	assert_close(run(&s, "SB", &one).spin_s * 1e6, 2 * 10.001, 1e-9);
}

/* A sender that waits until it knows that the message has arrived, 20 us later, and 10 us
 * for the answer (latency_us): spinning it ends the wait at 185, and reads until 190. */
static void a_sender_waits_for_the_arrival(void **state)
{
	struct cs_mix_job one = ping_pong(1);
	struct cs_setting s = by_hand();

	(void)state;
	set(&s, "sender_wait=received");
	assert_close(response_us(&s, "IB", &one), 190, 1e-12);
	/* HYBRID blocks at 155; interrupted at 185 until 200, switch 250, read 255. */
	assert_close(response_us(&s, "HYBRID", &one), 255, 1e-12);
}

/* Sent at 155, a message is there at once: spinning it reads until 160.  IB has blocked;
 * that takes until 165, the interrupt until 180, the switch until 230. */
static void messages_without_a_latency(void **state)
{
	struct cs_mix_job one = ping_pong(1);
	struct cs_setting s = by_hand();

	(void)state;
	set(&s, "latency_us=0");
	set(&s, "message_bytes=0");
	assert_close(response_us(&s, "LOCAL", &one), 160, 1e-12);
	assert_close(response_us(&s, "SB", &one), 160, 1e-12);
	assert_close(response_us(&s, "IB", &one), 235, 1e-12);
	set(&s, "sender_wait=received");
	assert_close(response_us(&s, "LOCAL", &one), 160, 1e-12);
	assert_close(response_us(&s, "HYBRID", &one), 235, 1e-12);
}

/* Under BATCH the second job waits for the first: 180 and 360 us. */
static void batch_runs_one_after_the_other(void **state)
{
	struct cs_mix_job two[2] = { ping_pong(1), ping_pong(1) };
	struct cs_setting s = by_hand();
	struct cs_procsim_result r;

	(void)state;
	set(&s, "jobs=2");
	r = run(&s, "BATCH", two);
	assert_close(r.response_s * 1e6, (180 + 360) / 2., 1e-12);
	assert_close(r.wait_s * 1e6, 180 / 2., 1e-12);
	assert_true(r.bcr < 0 && r.fdr < 0);
}

/*
 * Two rows of 600 us, 100 us to switch them; each job computes for 900.  The first runs
 * from 50 to 600 and, behind both switches, from 1350 on: 350 are left, 1700, sent 1705,
 * read 1730.  The second ran from 750 to 1200; its turn comes at once, from 1880 on: 2330,
 * 2335, 2360.
 */
static void gangs_take_turns(void **state)
{
	struct cs_mix_job two[2] = { ping_pong(1), ping_pong(1) };
	struct cs_setting s = by_hand();

	(void)state;
	two[0].compute_ns = two[1].compute_ns = 900000;
	set(&s, "jobs=2");
	set(&s, "gs_quantum_ms=0.6");
	set(&s, "gs_switch_ms=0.1");
	assert_close(response_us(&s, "GS", two), (1730 + 2360) / 2., 1e-12);
}

static struct cs_setting free_of_cost(void)
{
	struct cs_setting s = by_hand();

	set(&s, "switch_us=0");
	set(&s, "interrupt_us=0");
	set(&s, "block_us=0");
	set(&s, "interface_us=0");
	set(&s, "nodes=32");
	set(&s, "length_s=20");
	set(&s, "lengths=fixed");
	set(&s, "time_scale=0.01");
	return s;
}

/* Where the kernel costs nothing a job alone takes its loops' sum. */
static void a_job_alone_takes_the_sum_of_its_loops(void **state)
{
	struct cs_setting s = free_of_cost();

	(void)state;
	set(&s, "pattern=nn");
	set(&s, "size_max=32");
	set(&s, "size_min=3");
	for (uint64_t seed = 1; seed < 9; seed++) {
		struct cs_mix_job *j = cs_mix_draw(&s, "wl4", "heavy", seed);

		assert_non_null(j);
		assert_in_range(j->alone_ns, 199000000, 200000000);
		/* Each loop is rounded to a nanosecond. */
		assert_close(response_us(&s, "LOCAL", j) * 1e3,
			     (double)j->alone_ns, 1e-5);
		assert_close(response_us(&s, "IB", j) * 1e3,
			     (double)j->alone_ns, 1e-5);
		free(j);
	}
}

/* All to all, low ranks send to each other first: never longer, and more than half. */
static void all_to_all_alone_takes_no_longer(void **state)
{
	struct cs_setting s = free_of_cost();
	struct cs_mix_job *j;
	double part;

	(void)state;
	set(&s, "pattern=aa");
	set(&s, "size_min=16");
	set(&s, "size_max=16");
	j = cs_mix_draw(&s, "wl3", "heavy", 1);
	assert_non_null(j);
	part = response_us(&s, "LOCAL", j) * 1e3 / (double)j->alone_ns;
	assert_true(part > .5 && part < 1.00001);
	free(j);
}

/* mix.c, example. */
static void a_loop_of_j1(void **state)
{
	struct cs_setting s;
	struct cs_mix_job *j;
	int64_t i = 0;

	(void)state;
	cs_setting_defaults(&s);
	set(&s, "message_bytes=16400"); /* L = 92 us */
	set(&s, "j1_compute=85");
	set(&s, "pattern=nn");
	set(&s, "size_min=3");
	j = cs_mix_draw(&s, "wl1", "light", 1);
	assert_non_null(j);
	while (i < s.jobs && j[i].type)
		i++;
	assert_true(i < s.jobs);
	assert_close(j[i].compute_ns, 952000, 1e-9);
	assert_close(j[i].io_ns, 56000, 1e-9);
	assert_close((double)j[i].alone_ns, j[i].loops * 1120000., 1e-9);
	free(j);
}

/* npb.c, example; and all messages of a program are sent. */
static void a_run_of_ft(void **state)
{
	struct cs_procsim_result r;
	struct cs_setting s;
	struct cs_mix_job *j;

	(void)state;
	cs_setting_defaults(&s);
	set(&s, "time_scale=0.01");
	set(&s, "nodes=64");
	set(&s, "jobs=2");
	set(&s, "skew=0");
	set(&s, "drop=0");
	j = cs_mix_draw(&s, "ft", "light", 1);
	assert_non_null(j);
	assert_int_equal(j[0].size, 64);
	assert_int_equal(j[0].loops, 160);
	assert_int_equal(j[1].arrive_ns, 0);
	assert_int_equal(j[0].n_cycle, 2);
	assert_int_equal(j[0].latency_ns[j[0].cycle[0]] +
				 j[0].latency_ns[j[0].cycle[1]],
			 20000 + (24 + 49152) * 5);
	r = run(&s, "BATCH", j);
	assert_int_equal(r.n_ended, 2);
	/* One after the other, each as long as its loops, or less: messages are read
	 * while later ones are on their way. */
	assert_close(r.makespan_s * 1e9, 2. * (double)j[0].alone_ns, .1);
	assert_close(r.slowdown[6], 1, .1);
	assert_true(r.slowdown[5] < 0);
	free(j);
}

/* Each load offers with mix what it does with wl1 to wl5, and every size has its share. */
static void the_mix_of_programs(void **state)
{
	struct cs_mix_job *j;
	struct cs_setting s;
	double work = 0, length = 0;
	uint32_t of[CS_MIX_TYPES] = { 0 };

	(void)state;
	cs_setting_defaults(&s);
	set(&s, "jobs=4000");
	j = cs_mix_draw(&s, "mix", "heavy", 1);
	assert_non_null(j);
	for (int64_t i = 0; i < s.jobs; i++) {
		uint32_t n[CS_NPB_SIZES] = { 0 };

		work += (double)j[i].alone_ns;
		of[j[i].type]++;
		for (uint32_t k = 0; k < j[i].n_cycle; k++)
			n[j[i].cycle[k]]++;
		if (j[i].type == 4) { /* BT */
			assert_int_equal(n[0], 7);
			assert_int_equal(n[1], 7);
			assert_int_equal(n[2], 2);
		}
	}
	length = work / (double)s.jobs;
	assert_close((double)j[s.jobs - 1].arrive_ns / (double)s.jobs,
		     length * 1554.42 / 3228.05, .05);
	for (unsigned t = 0; t < CS_MIX_TYPES; t++)
		assert_int_equal(of[t] > 700, t >= 4);
	free(j);
}

/* ------------------------------------------------------------ what a run keeps */

static struct cs_setting small(void)
{
	struct cs_setting s;

	cs_setting_defaults(&s);
	set(&s, "nodes=8");
	set(&s, "size_max=8");
	set(&s, "jobs=12");
	set(&s, "time_scale=0.00001");
	set(&s, "horizon=1000");
	return s;
}

/* The event file of a run; free() it. */
static char *events_of(const struct cs_setting *s, const struct cs_scheme *c,
		       uint64_t seed, struct cs_procsim_result *r)
{
	struct cs_mix_job *job = cs_mix_draw(s, "wl4", "heavy", seed);
	size_t length;
	char *text;
	FILE *f = open_memstream(&text, &length);
	struct cs_procsim ask = {
		.set = s, .scheme = c, .job = job, .seed = seed, .events = f
	};

	assert_non_null(f);
	assert_non_null(job);
	assert_int_equal(cs_procsim_run(&ask, r, NULL), 0);
	assert_int_equal(fclose(f), 0);
	free(job);
	return text;
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
	struct cs_setting s = small();
	const struct cs_scheme *c;

	(void)state;
	for (unsigned i = 0; (c = cs_scheme_at(i)); i++) {
		struct cs_procsim_result a, b;
		char *first = events_of(&s, c, 5, &a);
		char *again = events_of(&s, c, 5, &b);
		char *other = events_of(&s, c, 6, &b);

		assert_string_equal(first, again);
		assert_string_not_equal(first, other);
		free(first);
		free(again);
		free(other);
	}
}

/* Every scheme ends, spinning ones too, and each nanosecond of each CPU is accounted. */
static void every_scheme_ends_and_accounts_all_time(void **state)
{
	struct cs_setting s = small();
	const struct cs_scheme *c;

	(void)state;
	for (unsigned i = 0; (c = cs_scheme_at(i)); i++) {
		struct cs_mix_job *job = cs_mix_draw(&s, "wl3", "heavy", 3);
		struct cs_procsim_result r = run(&s, c->name, job);

		assert_false(r.capped);
		assert_int_equal(r.n_ended, s.jobs);
		assert_close(r.compute_s + r.communicate_s + r.spin_s +
				     r.switch_s + r.overhead_s + r.idle_s +
				     r.empty_s,
			     (double)s.nodes * r.makespan_s, .003);
		free(job);
	}
}

/* What is computed is the jobs' affair, not the scheme's: every process draws its own. */
static void schemes_do_the_same_work(void **state)
{
	struct cs_setting s = small();
	struct cs_mix_job *job = cs_mix_draw(&s, "wl4", "heavy", 4);
	double want = run(&s, "BATCH", job).compute_s;

	(void)state;
	assert_close(run(&s, "PROC-B", job).compute_s, want, 1e-9);
	assert_close(run(&s, "PB", job).compute_s, want, 1e-9);
	assert_close(run(&s, "GS", job).compute_s, want, 1e-9);
	free(job);
}

static void the_horizon_caps(void **state)
{
	struct cs_setting s = small();
	struct cs_mix_job *job = cs_mix_draw(&s, "wl4", "heavy", 4);
	struct cs_procsim_result r;

	(void)state;
	set(&s, "arrivals=zero");
	set(&s, "horizon=1");
	set(&s, "switch_us=1000");
	r = run(&s, "PROC-B", job);
	assert_true(r.capped);
	assert_true(r.n_ended < s.jobs);
	free(job);
}

/* Values at the ends of their ranges: the run ends, by its horizon if need be. */
static void extreme_settings_end(void **state)
{
	static const char *const extreme[][4] = {
		{ "interarrival_s=1e7", "time_scale=1", "length_s=0.001",
		  "jobs=1000" },
		{ "message_bytes=1e9", "bandwidth_mb_s=1e6", "skew=100",
		  "j2_communicate=0.1" },
		{ "horizon=3", "length_s=1e7", "switch_us=1e6",
		  "interrupt_us=1e6" },
		{ "send_us=0", "receive_us=0", "message_bytes=0",
		  "latency_us=1" },
	};
	const struct cs_scheme *c;

	(void)state;
	for (size_t i = 0; i < sizeof(extreme) / sizeof(*extreme); i++) {
		struct cs_setting s = small();
		struct cs_mix_job *job;

		set(&s, "jobs=4");
		set(&s, "time_scale=1e-7");
		for (int k = 0; k < 4; k++)
			set(&s, extreme[i][k]);
		job = cs_mix_draw(&s, "wl2", "heavy", 1);
		for (unsigned k = 0; (c = cs_scheme_at(k)); k++) {
			struct cs_procsim_result r = run(&s, c->name, job);

			assert_true(r.capped || r.n_ended == s.jobs);
			assert_true(r.makespan_s >= 0 && r.idle_s >= 0);
		}
		free(job);
	}
}

/* Order is all in which these differ, and each has another. */
static void the_choices_differ(void **state)
{
	static const char *const name[] = { "PROC-B", "FIFO", "RANDOM" };
	struct cs_setting s = small();
	struct cs_mix_job *job;
	double fdr[3];

	(void)state;
	set(&s, "time_scale=0.00005");
	job = cs_mix_draw(&s, "wl3", "heavy", 4);
	for (int i = 0; i < 3; i++) {
		struct cs_procsim_result r = run(&s, name[i], job);

		assert_true(r.conflicts > 100);
		fdr[i] = r.fdr;
	}
	assert_true(fdr[0] < fdr[1] && fdr[0] < fdr[2]);
	free(job);
}

/*
 * The first job is on nodes 0 and 1, the second on 2 and 0.  On node 0 the first one's
 * process runs, blocks, is woken by its message and ends; the second one's runs between and
 * afterwards, and has a message when the other one wakes.  So node 0 has four switches, one
 * of them with a conflict, nodes 1 and 2 have two.  The decision is false: node 2, whose
 * message waits, has not switched since 105 us, node 1 did so right now.
 */
static void averages_of_nodes_or_of_sums(void **state)
{
	struct cs_mix_job two[2] = { ping_pong(1), ping_pong(1) };
	struct cs_setting s = by_hand();
	struct cs_procsim_result r;

	(void)state;
	set(&s, "switch_us=0");
	set(&s, "block_us=0");
	set(&s, "nodes=3");
	set(&s, "jobs=2");
	r = run(&s, "IB", two);
	assert_int_equal(r.switches, 8);
	assert_int_equal(r.conflicts, 1);
	assert_close(r.bcr, (1 / 4. + 0 + 0) / 3, 1e-12);
	assert_close(r.fdr, 1, 1e-12); /* only node 0 has conflicts */
	set(&s, "averages=sums");
	assert_close(run(&s, "IB", two).bcr, 1 / 8., 1e-12);
}

/* FDR leaves nodes without conflicts out, and is another one by sums. */
static void false_decisions_of_nodes_or_of_sums(void **state)
{
	struct cs_setting s = small();
	struct cs_mix_job *job = cs_mix_draw(&s, "wl3", "heavy", 4);
	struct cs_procsim_result nodes = run(&s, "IB", job), sums;

	(void)state;
	set(&s, "averages=sums");
	sums = run(&s, "IB", job);
	assert_int_equal(nodes.conflicts, sums.conflicts);
	assert_close(sums.fdr, (double)sums.falses / (double)sums.conflicts,
		     1e-12);
	assert_true(nodes.fdr > 0 && nodes.fdr < 1);
	assert_true(nodes.fdr > sums.fdr || nodes.fdr < sums.fdr);
	free(job);
}

/* Each allocation fails once; nothing is lost, and the run says so. */
static void without_memory(void **state)
{
	static const char *const name[] = { "PROC-B", "HYBRID" };
	struct cs_setting s = small();
	struct cs_mix_job *job = cs_mix_draw(&s, "wl4", "heavy", 4);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct cs_procsim ask = { .set = &s,
					  .scheme = cs_scheme_named(name[i]),
					  .job = job,
					  .seed = 1 };
		struct cs_procsim_result r;
		long n = 0;
		int rc;

		do {
			cs_test_left = n++;
			cs_test_hit = false;
			rc = cs_procsim_run(&ask, &r, NULL);
			cs_test_left = -1;
			assert_int_equal(rc, cs_test_hit ? -ENOMEM : 0);
		} while (rc);
		assert_true(n > 30);
	}
	free(job);
}

/* ------------------------------------------------------------------- settings */

static void every_default_is_a_value_of_its_key(void **state)
{
	const struct cs_setting_row *r;
	struct cs_setting s;
	struct cs_err err;

	(void)state;
	cs_setting_defaults(&s);
	assert_int_equal(cs_setting_check(&s, NULL), 0);
	for (unsigned i = 0; (r = cs_setting_row(i)); i++) {
		char text[200];

		snprintf(text, sizeof(text), "%s=%s", r->key, r->standard);
		set(&s, text);
		snprintf(text, sizeof(text), "%s=nan", r->key);
		assert_int_not_equal(cs_setting_set(&s, text, &err), 0);
		snprintf(text, sizeof(text), "%s=", r->key);
		assert_int_not_equal(cs_setting_set(&s, text, &err), 0);
		assert_true(
			r->kind != CS_SETTING_CHOICE ||
			!strncmp(r->names, r->standard, strlen(r->standard)));
	}
}

static void settings_refuse(void **state)
{
	static const struct {
		const char *text, *said;
	} bad[] = {
		{ "mpl=0", "mpl is '0', expected a whole number from 1 to 64" },
		{ "mpl=2.5",
		  "mpl is '2.5', expected a whole number from 1 to 64" },
		{ "skew=-1", "skew is '-1', expected a number from 0 to 100" },
		{ "skew=inf",
		  "skew is 'inf', expected a number from 0 to 100" },
		{ "cnp=x", "cnp is 'x', expected one of unread|ready" },
		{ "cnp=un", "cnp is 'un', expected one of unread|ready" },
		{ "speed=1", "no key 'speed', expected one of those that "
			     "--keys lists" },
		{ "mpl", "setting 'mpl', expected KEY=VALUE" },
	};
	struct cs_setting s;
	struct cs_err err;

	(void)state;
	cs_setting_defaults(&s);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_not_equal(cs_setting_set(&s, bad[i].text, &err), 0);
		assert_string_equal(err.text, bad[i].said);
	}
	set(&s, "nodes=16");
	assert_int_not_equal(cs_setting_check(&s, &err), 0);
	assert_string_equal(err.text,
			    "size_max is 32, expected nodes, 16, or less");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ping_pong_that_spins),
		cmocka_unit_test(ping_pong_that_blocks),
		cmocka_unit_test(ping_pong_that_spins_and_blocks),
		cmocka_unit_test(a_sender_waits_for_the_arrival),
		cmocka_unit_test(messages_without_a_latency),
		cmocka_unit_test(batch_runs_one_after_the_other),
		cmocka_unit_test(gangs_take_turns),
		cmocka_unit_test(a_job_alone_takes_the_sum_of_its_loops),
		cmocka_unit_test(all_to_all_alone_takes_no_longer),
		cmocka_unit_test(a_loop_of_j1),
		cmocka_unit_test(a_run_of_ft),
		cmocka_unit_test(the_mix_of_programs),
		cmocka_unit_test(the_same_seed_gives_the_same_bytes),
		cmocka_unit_test(every_scheme_ends_and_accounts_all_time),
		cmocka_unit_test(schemes_do_the_same_work),
		cmocka_unit_test(the_horizon_caps),
		cmocka_unit_test(extreme_settings_end),
		cmocka_unit_test(the_choices_differ),
		cmocka_unit_test(averages_of_nodes_or_of_sums),
		cmocka_unit_test(false_decisions_of_nodes_or_of_sums),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(every_default_is_a_value_of_its_key),
		cmocka_unit_test(settings_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
