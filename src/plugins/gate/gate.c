/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: one static object under one mutex.
 *
 * Invariants
 *  1. `thread` and `start` are valid only while `starting` is true.
 *  2. The gate goes ON only by cs_gate_on(); LAPSED only from ON.
 *  3. The mutex is held for a few loads and stores, never across a call that
 *     could take another lock, so it may be taken under any of Slurm's.
 */
#include "gate/gate.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "gate/cond.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	pthread_once_t once;

	/* A fork copies the table, but not the plugins' threads. */
	uint32_t select_release, sched_release;
	pid_t select_pid, sched_pid;

	enum cs_gate gate;
	bool gated; /* partitions not listed */
	char except[CS_GATE_LIST_MAX];
	bool ranks; /* the scheduling thread gives priorities */
	int64_t hang_us;
	int64_t beat_us;

	bool starting;
	bool switches; /* it waits for fewer of them */
	pthread_t thread;
	struct cs_gate_start start;

	unsigned reasons;
	uint64_t machine; /* CS_WAKE_MACHINE so far */
	uint64_t count[CS_COUNT_N];
} table = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.once = PTHREAD_ONCE_INIT,
};

static void init_cond(void)
{
	cs_cond_init(&table.cond);
}

static void lock(void)
{
	pthread_once(&table.once, init_cond);
	pthread_mutex_lock(&table.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&table.lock);
}

unsigned cs_plan_abi(void)
{
	return CS_GATE_ABI;
}

int64_t cs_gate_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

void cs_gate_select_live(uint32_t release)
{
	lock();
	table.select_release = release;
	table.select_pid = getpid();
	unlock();
}

/* @release of the table, or 0 if another process than @pid's has set it. */
static uint32_t release_of(const uint32_t *release, const pid_t *pid)
{
	uint32_t now;

	lock();
	now = *pid == getpid() ? *release : 0;
	unlock();
	return now;
}

uint32_t cs_gate_select_release(void)
{
	return release_of(&table.select_release, &table.select_pid);
}

void cs_gate_sched_seen(uint32_t release)
{
	lock();
	table.sched_release = release;
	table.sched_pid = getpid();
	unlock();
}

uint32_t cs_gate_sched_release(void)
{
	return release_of(&table.sched_release, &table.sched_pid);
}

void cs_gate_reset(void)
{
	lock();
	table.gate = CS_GATE_OFF;
	table.starting = false;
	memset(&table.start, 0, sizeof(table.start));
	table.reasons = 0;
	unlock();
	cs_gate_room_void();
}

int cs_gate_on(unsigned hang_s, bool gated, const char *except)
{
	if (strlen(except) >= CS_GATE_LIST_MAX)
		return -E2BIG;
	lock();
	table.gate = CS_GATE_ON;
	table.gated = gated;
	strcpy(table.except, except);
	table.hang_us = (int64_t)hang_s * 1000000;
	table.beat_us = cs_gate_now_us();
	unlock();
	return 0;
}

void cs_gate_off(void)
{
	lock();
	table.gate = CS_GATE_OFF;
	unlock();
}

enum cs_gate cs_gate_state(void)
{
	enum cs_gate gate;

	lock();
	gate = table.gate;
	unlock();
	return gate;
}

void cs_gate_ranks(bool set)
{
	lock();
	table.ranks = set;
	unlock();
}

bool cs_gate_ranked(void)
{
	bool ranked;

	lock();
	ranked = table.gate != CS_GATE_OFF && table.ranks;
	unlock();
	return ranked;
}

void cs_gate_beat(void)
{
	lock();
	table.beat_us = cs_gate_now_us();
	unlock();
}

void cs_gate_start_begin(const struct cs_gate_start *start)
{
	lock();
	table.start = *start;
	table.thread = pthread_self();
	table.starting = true;
	table.switches = false;
	unlock();
}

bool cs_gate_start_end(void)
{
	bool switches;

	lock();
	table.starting = false;
	memset(&table.start, 0, sizeof(table.start));
	switches = table.switches;
	unlock();
	return switches;
}

void cs_gate_start_switches(void)
{
	lock();
	table.switches = true;
	unlock();
}

static void wake_locked(unsigned reasons)
{
	table.reasons |= reasons;
	table.machine += (reasons & CS_WAKE_MACHINE) != 0;
	pthread_cond_signal(&table.cond);
}

static bool gated_locked(const char *partition)
{
	size_t want = strlen(partition), len;

	for (const char *p = table.except; *p; p += len + (p[len] == '+')) {
		len = strcspn(p, "+");
		if (len == want && !memcmp(p, partition, len))
			return !table.gated;
	}
	return table.gated;
}

static void refuse_locked(void)
{
	table.count[CS_COUNT_REFUSED]++;
	wake_locked(CS_WAKE_REFUSED);
}

/* A start once begun is imposed in any state of the gate: it is planned. */
static enum cs_gate_verdict ask_locked(uint32_t job_id, const char *partition,
				       struct cs_gate_start *ret)
{
	if (table.starting && table.start.job_id == job_id &&
	    pthread_equal(table.thread, pthread_self())) {
		*ret = table.start;
		return CS_VERDICT_IMPOSE;
	}
	if (table.gate != CS_GATE_ON || !gated_locked(partition))
		return CS_VERDICT_PASS;
	if (cs_gate_now_us() - table.beat_us > table.hang_us) {
		table.gate = CS_GATE_LAPSED;
		table.count[CS_COUNT_LAPSED]++;
		return CS_VERDICT_LAPSE;
	}
	return CS_VERDICT_REFUSE;
}

enum cs_gate_verdict cs_gate_ask(uint32_t job_id, const char *partition,
				 struct cs_gate_start *ret_start)
{
	enum cs_gate_verdict verdict;

	lock();
	verdict = ask_locked(job_id, partition, ret_start);
	if (verdict == CS_VERDICT_REFUSE)
		refuse_locked();
	unlock();
	return verdict;
}

enum cs_gate_verdict cs_gate_ask_now(uint32_t job_id, const char *partition,
				     struct cs_gate_start *ret_start)
{
	enum cs_gate_verdict verdict;

	lock();
	verdict = ask_locked(job_id, partition, ret_start);
	unlock();
	return verdict == CS_VERDICT_REFUSE ? CS_VERDICT_ROOM : verdict;
}

void cs_gate_passed(void)
{
	lock();
	table.count[CS_COUNT_PASSED]++;
	wake_locked(CS_WAKE_REFUSED);
	unlock();
}

void cs_gate_refused(void)
{
	lock();
	refuse_locked();
	unlock();
}

void cs_gate_wake(unsigned reasons)
{
	lock();
	wake_locked(reasons);
	unlock();
	if (reasons & CS_WAKE_MACHINE)
		cs_gate_room_void(); /* its nodes may have changed */
}

/* The number @n of the table, as of now. */
static uint64_t read_number(const uint64_t *n)
{
	uint64_t now;

	lock();
	now = *n;
	unlock();
	return now;
}

uint64_t cs_gate_machine(void)
{
	return read_number(&table.machine);
}

unsigned cs_gate_wait_until(int64_t deadline_us)
{
	struct timespec ts = {
		.tv_sec = (time_t)(deadline_us / 1000000),
		.tv_nsec = (long)(deadline_us % 1000000) * 1000,
	};
	unsigned reasons;

	lock();
	while (!table.reasons &&
	       !pthread_cond_timedwait(&table.cond, &table.lock, &ts))
		;
	reasons = table.reasons;
	table.reasons = 0;
	unlock();
	return reasons;
}

void cs_gate_count(enum cs_count what)
{
	lock();
	table.count[what]++;
	unlock();
}

uint64_t cs_gate_counted(enum cs_count what)
{
	return read_number(&table.count[what]);
}
