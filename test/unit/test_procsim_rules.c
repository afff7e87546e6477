/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of cpu.c, network.c, periodic.c and allocator.c, in worlds worked by hand: lines
 * of their event files (checker.h). */
#include "cs_test.h"

#include "procsim/procsim.h"

static void set(struct cs_setting *s, const char *text)
{
	struct cs_err err;

	if (cs_setting_set(s, text, &err))
		fail_msg("%s", err.text);
}

/* s = r = 5 us, L = 20 us, an interrupt 15; no skew, and a switch, a check and blocking
 * cost nothing. */
static struct cs_setting by_hand(const char *nodes, const char *jobs)
{
	struct cs_setting s;

	cs_setting_defaults(&s);
	set(&s, "message_bytes=2000");
	set(&s, "skew=0");
	set(&s, "drop=0");
	set(&s, "switch_us=0");
	set(&s, "block_us=0");
	set(&s, "check_us=0");
	set(&s, "check_process_us=0");
	set(&s, "size_max=2");
	set(&s, nodes);
	set(&s, jobs);
	return s;
}

static struct cs_mix_job pair(int compute_us, int io_us)
{
	return (struct cs_mix_job){ .size = 2,
				    .loops = 1,
				    .compute_ns = compute_us * 1e3,
				    .io_ns = io_us * 1e3,
				    .alone_ns = 1000000000 };
}

/* The event file of a run; free() it. */
static char *events_of(const struct cs_setting *s, const char *scheme,
		       const struct cs_mix_job *job)
{
	struct cs_procsim_result r;
	size_t length;
	char *text;
	FILE *f = open_memstream(&text, &length);
	struct cs_procsim ask = { .set = s,
				  .scheme = cs_scheme_named(scheme),
				  .job = job,
				  .seed = 1,
				  .events = f };

	assert_non_null(f);
	assert_int_equal(cs_procsim_run(&ask, &r, NULL), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Two jobs that compute for a second: each has its quantum, and sinks. */
static void quanta_by_turns(void **state)
{
	struct cs_setting s = by_hand("nodes=2", "jobs=2");
	struct cs_mix_job job[] = { pair(1000000, 0), pair(1000000, 0) };
	char *text = events_of(&s, "LOCAL", job);

	(void)state;
	assert_contains(text, "\nR 0 0 0 29 120000000\n");
	assert_contains(text, "\nO 120000000 0 0 q 0\n"
			      "R 120000000 2 0 29 120000000\n");
	assert_contains(text, "\nO 240000000 2 0 q 0\n"
			      "R 240000000 0 0 19 160000000\n");
	assert_contains(text, "\nR 560000000 0 0 9 200000000\n");
	free(text);
}

/* The second job has waited for 100 ms: it rises to lwait of 29, and preempts. */
static void a_starved_process_rises(void **state)
{
	struct cs_setting s = by_hand("nodes=2", "jobs=2");
	struct cs_mix_job job[] = { pair(1000000, 0), pair(1000000, 0) };
	char *text;

	(void)state;
	set(&s, "starvation_s=0.1");
	text = events_of(&s, "LOCAL", job);
	assert_contains(text, "\nO 100000000 0 0 p 20000000\n"
			      "R 100000000 2 0 52 40000000\n");
	free(text);
}

/* The first job blocks at 10 us for 1,000, the second runs, the third waits.  At 1,025 the
 * interrupt ends, and the first one, at slpret of 29, preempts; it has sent at 1,030 and
 * read at 1,055.  The second one is before the third again, with what it had. */
static void a_preempted_process_is_the_first_of_its_level(void **state)
{
	struct cs_setting s = by_hand("nodes=2", "jobs=3");
	struct cs_mix_job job[] = { pair(10, 1000), pair(1000000, 0),
				    pair(1000000, 0) };
	char *text = events_of(&s, "LOCAL", job);

	(void)state;
	assert_contains(text, "\nO 10000 0 0 b 119990000\n"
			      "R 10000 2 0 29 120000000\n");
	assert_contains(text, "\nO 1025000 2 0 p 119000000\n"
			      "R 1025000 0 0 52 40000000\n");
	assert_contains(text, "\nR 1055000 2 0 29 119000000\n");
	free(text);
}

/* In the world of the_emptiest_nodes_first() the second job's message arrives at 119,525 us.
 * PB's thread boosts for it at 120,000, when the first job's process has used its quantum:
 * that is the last of tqexp, and not the first of its level with nothing left. */
static void a_quantum_ends_at_a_preemption(void **state)
{
	struct cs_setting s = by_hand("nodes=3", "jobs=2");
	struct cs_mix_job job[] = { pair(1000000, 0), pair(119500, 0) };
	char *text = events_of(&s, "PB", job);

	(void)state;
	assert_contains(text, "\nO 120000000 0 0 q 0\n"
			      "R 120000000 3 0 59 20000000\n");
	assert_contains(text, "\nR 239510000 0 0 19 160000000\n");
	free(text);
}

/*
 * Three processes send to both others at 5 us and, since the interface is busy with the
 * first message for 20 us, at 25: the messages arrive at 25 and 45.  The last process gets
 * both at 45; the second one waits at its interface until 65, and is read at 70.
 */
static void messages_queue_at_both_interfaces(void **state)
{
	struct cs_setting s = by_hand("nodes=3", "jobs=1");
	struct cs_mix_job job = pair(0, 0);
	char *text;

	(void)state;
	set(&s, "size_max=3");
	set(&s, "interface_us=20");
	job.size = 3;
	job.all_to_all = true;
	text = events_of(&s, "LOCAL", &job);
	assert_contains(text, "\nA 25000 1 0\n");
	assert_contains(text, "\nA 45000 2 0\n");
	assert_contains(text, "\nA 65000 2 1\n");
	assert_contains(text, "\nF 70000 0\n");
	free(text);
}

/* The first job is on nodes 0 and 1, the second on 2 and 0, where it waits for the CPU:
 * nodes with the fewest processes, the first of them. */
static void the_emptiest_nodes_first(void **state)
{
	struct cs_setting s = by_hand("nodes=3", "jobs=2");
	struct cs_mix_job job[] = { pair(100, 0), pair(100, 0) };
	char *text = events_of(&s, "LOCAL", job);

	(void)state;
	assert_contains(text, "\nP 0 0 0 0 0\nP 0 1 0 1 1\n");
	assert_contains(text, "\nP 0 2 1 0 2\nP 0 3 1 1 0\n");
	free(text);
}

/* No job passes another: the third would find a node of its size, the second does not. */
static void first_come_first_served(void **state)
{
	struct cs_setting s = by_hand("nodes=5", "jobs=3");
	struct cs_mix_job job[] = { pair(100, 0), pair(100, 0), pair(100, 0) };
	const char *second, *third;
	char *text;

	(void)state;
	set(&s, "size_max=4");
	job[1].size = 4;
	text = events_of(&s, "BATCH", job);
	second = strstr(text, "\nP 130000 2 1 0 0\n");
	third = strstr(text, " 6 2 0 ");
	assert_non_null(second);
	assert_non_null(third);
	assert_true(second < third);
	free(text);
}

/* In the world of the_emptiest_nodes_first(): the second job's process on node 2 sends at
 * 105, and the message is on node 0 at 125, where its peer is ready and the first job's
 * process computes. */
static struct cs_setting with_a_message_waiting(void)
{
	return by_hand("nodes=3", "jobs=2");
}

/* DCS: the interrupt ends at 140. */
static void dcs_boosts_when_a_message_arrives(void **state)
{
	struct cs_setting s = with_a_message_waiting();
	struct cs_mix_job job[] = { pair(5000, 0), pair(100, 0) };
	char *text = events_of(&s, "DCS", job);

	(void)state;
	assert_contains(text, "\nO 140000 0 0 p ");
	assert_contains(text, "\nR 140000 3 0 59 20000000\n");
	free(text);
}

/* PB: at the next full millisecond. */
static void pb_boosts_when_its_thread_runs(void **state)
{
	struct cs_setting s = with_a_message_waiting();
	struct cs_mix_job job[] = { pair(5000, 0), pair(100, 0) };
	char *text = events_of(&s, "PB", job);

	(void)state;
	assert_contains(text, "\nO 1000000 0 0 p ");
	assert_contains(text, "\nR 1000000 3 0 59 20000000\n");
	free(text);
}

/* ... but not while the current process has a message itself, which it reads from 125 to
 * 3,125. */
static void pb_leaves_a_process_with_messages_alone(void **state)
{
	struct cs_setting s = with_a_message_waiting();
	struct cs_mix_job job[] = { pair(100, 0), pair(100, 0) };
	char *text;

	(void)state;
	set(&s, "receive_us=3000");
	text = events_of(&s, "PB", job);
	assert_contains(text, "\nO 3125000 0 0 e ");
	assert_null(strstr(text, "O 1000000 0 0 p"));
	assert_null(strstr(text, "O 2000000 0 0 p"));
	free(text);
}

/* PROC-S looks at arrivals alone: the second job's message came at 75 us, before the one
 * that the current process reads. */
static void proc_s_boosts_over_a_process_with_messages(void **state)
{
	struct cs_setting s = with_a_message_waiting();
	struct cs_mix_job job[] = { pair(100, 0), pair(50, 0) };
	char *text;

	(void)state;
	set(&s, "receive_us=3000");
	text = events_of(&s, "PROC-S", job);
	assert_contains(text, "\nO 1000000 0 0 p ");
	assert_contains(text, "\nR 1000000 3 0 59 20000000\n");
	free(text);
}

/* Asleep from 105 us until the interrupt ends at 140: HYBRID gives slpret of 29 where there
 * is no flag, and IB the highest level. */
static void hybrid_boosts_nothing_without_its_flag(void **state)
{
	struct cs_setting s = by_hand("nodes=2", "jobs=1");
	struct cs_mix_job job = pair(100, 0);
	char *text = events_of(&s, "HYBRID", &job);

	(void)state;
	assert_contains(text, "\nR 140000 0 0 52 40000000\n");
	free(text);
	text = events_of(&s, "IB", &job);
	assert_contains(text, "\nR 140000 0 0 59 20000000\n");
	free(text);
}

/* With boost_over=spinning one that computes keeps the CPU, too: until 5,000, when it
 * sends and spins; its peer on node 1 has nobody beside it. */
static void a_boost_over_spinning_processes_only(void **state)
{
	struct cs_setting s = with_a_message_waiting();
	struct cs_mix_job job[] = { pair(5990, 0), pair(100, 0) };
	char *text;

	(void)state;
	set(&s, "boost_over=spinning");
	text = events_of(&s, "PB", job);
	assert_null(strstr(text, "O 1000000 0 0 p"));
	assert_contains(text, "\nO 6000000 0 0 p ");
	assert_contains(text, "\nR 6000000 3 0 59 20000000\n");
	free(text);
}

/*
 * The first job's process has done I/O, and computes at level 52 from 2,145.  The second
 * job's computed for 100 us meanwhile; its message arrives at 2,225, and it is boosted at
 * 2,240.  An interrupt from 4,280 to 4,295 boosts the first one behind it.  It sends at
 * 4,360, reads, computes until 6,565 and sends until 6,570.  Its peer read at 4,385 and
 * sends at 6,590: it must wait, falls back to level 29, and the first job's process
 * preempts it.  With boost_until=quantum it spins on.
 */
static void a_boost_ends_when_the_process_waits(void **state)
{
	struct cs_setting s = with_a_message_waiting();
	struct cs_mix_job job[] = { pair(2000, 100), pair(2200, 0) };
	char *text;

	(void)state;
	job[0].loops = job[1].loops = 2;
	text = events_of(&s, "DCS", job);
	assert_contains(text, "\nR 2240000 3 0 59 20000000\n");
	assert_contains(text, "\nL 6570000 3 29 15685000\n"
			      "O 6570000 3 0 p 15685000\n"
			      "R 6570000 0 0 59 20000000\n");
	free(text);

	set(&s, "boost_until=quantum");
	text = events_of(&s, "DCS", job);
	assert_contains(text, "\nR 2240000 3 0 59 20000000\n");
	assert_null(strstr(text, "\nO 6570000 "));
	free(text);
}

/* A pair of processes all of whose communication is collective, and two loops. */
static struct cs_mix_job collective(int compute_us)
{
	struct cs_mix_job job = pair(compute_us, 0);

	job.all_to_all = true;
	job.loops = 2;
	return job;
}

/*
 * The second job's process on node 0 computes at level 29 from 100 us until 1,100, while
 * the first job's does I/O, which ends at 1,102.  In its communication the second job's is
 * at level 59: the interrupt delays it from 1,102 to 1,117, and the first job's, at level
 * 52, waits.  At 1,125 it has sent and read, computes again, and is at level 29: the first
 * job's process preempts it.
 */
static void a_process_gives_way_after_its_collective(void **state)
{
	struct cs_setting s = by_hand("nodes=3", "jobs=2");
	struct cs_mix_job job[] = { pair(100, 1002), collective(1000) };
	char *text = events_of(&s, "HYBRID", job);

	(void)state;
	assert_contains(text, "\nL 1100000 3 59 20000000\n");
	assert_contains(text, "\nL 1125000 3 29 19990000\n"
			      "O 1125000 3 0 p 19990000\n"
			      "R 1125000 0 0 52 40000000\n");
	free(text);
}

/* Flagged at 100 us, sent and blocked at 105; the message arrives at 125, the interrupt
 * ends at 140, and the process has read at 145: it returns to slpret of 29. */
static void a_sleep_in_a_collective_has_its_credit(void **state)
{
	struct cs_setting s = by_hand("nodes=2", "jobs=1");
	struct cs_mix_job job = collective(100);
	char *text = events_of(&s, "HYBRID", &job);

	(void)state;
	assert_contains(text, "\nL 100000 0 59 20000000\n");
	assert_contains(text, "\nR 140000 0 0 59 20000000\n");
	assert_contains(text, "\nL 145000 0 52 19995000\n");
	free(text);
}

/* It sends for 30 ms, so that its quantum ends at 20,100 us: level 49, and 19 without the
 * flag.  It has slept at 30,135: slpret of 49, and of 19 without the flag. */
static void a_quantum_in_a_collective_has_its_price(void **state)
{
	struct cs_setting s = by_hand("nodes=2", "jobs=1");
	struct cs_mix_job job = collective(100);
	char *text;

	(void)state;
	set(&s, "send_us=30000");
	text = events_of(&s, "HYBRID", &job);
	assert_contains(text, "\nR 20100000 0 0 49 40000000\n");
	assert_contains(text, "\nR 30135000 0 0 58 40000000\n");
	assert_contains(text, "\nL 30140000 0 51 39995000\n");
	free(text);
}

/*
 * All processes send for 3 ms, and long waits begin after 1 ms.  The first job's slept from
 * 3,100 us until the interrupt ended at 3,135.  On node 1 it is alone: it returns to slpret
 * of 29 at 3,140.  On node 0 it waits until the second job's has sent twice, at 9,320: lwait
 * of slpret of 29.
 */
static void a_long_wait_in_a_collective_has_its_credit(void **state)
{
	struct cs_setting s = by_hand("nodes=3", "jobs=2");
	struct cs_mix_job job[] = { collective(100), collective(100) };
	char *text;

	(void)state;
	set(&s, "send_us=3000");
	set(&s, "starvation_s=0.001");
	text = events_of(&s, "HYBRID", job);
	assert_contains(text, "\nL 3140000 1 52 19995000\n");
	assert_contains(text, "\nR 9320000 0 0 59 20000000\n");
	assert_contains(text, "\nL 9325000 0 59 19995000\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quanta_by_turns),
		cmocka_unit_test(a_starved_process_rises),
		cmocka_unit_test(a_preempted_process_is_the_first_of_its_level),
		cmocka_unit_test(a_quantum_ends_at_a_preemption),
		cmocka_unit_test(messages_queue_at_both_interfaces),
		cmocka_unit_test(the_emptiest_nodes_first),
		cmocka_unit_test(first_come_first_served),
		cmocka_unit_test(dcs_boosts_when_a_message_arrives),
		cmocka_unit_test(pb_boosts_when_its_thread_runs),
		cmocka_unit_test(pb_leaves_a_process_with_messages_alone),
		cmocka_unit_test(proc_s_boosts_over_a_process_with_messages),
		cmocka_unit_test(hybrid_boosts_nothing_without_its_flag),
		cmocka_unit_test(a_boost_over_spinning_processes_only),
		cmocka_unit_test(a_boost_ends_when_the_process_waits),
		cmocka_unit_test(a_process_gives_way_after_its_collective),
		cmocka_unit_test(a_sleep_in_a_collective_has_its_credit),
		cmocka_unit_test(a_quantum_in_a_collective_has_its_price),
		cmocka_unit_test(a_long_wait_in_a_collective_has_its_credit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
