/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduling thread's life.
 *
 *  1. init() runs inside read_slurm_conf(), under slurmctld's locks and before
 *     jobs are loaded; also in `slurmctld -t`, in a backup, and in a child of
 *     reconfigure that may die while its parent continues.  So: nothing before
 *     slurmctld is in service, nothing for the first RECONF_US of a reconfigured one.
 *  2. Then it reads the settings and waits: for a wake-up, or for its period.
 *  3. The end: save, unload stock; in mode act the gate stays closed (early.h).
 *     fini() waits for that.
 */
#include "compat/slurm.h"

#include "sched/run/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "sched/control/control_queue.h"
#include "gate/gate.h"
#include "sched/run/saved.h"
#include "sched/run/sched.h"

#define POLL_US 100000
#define RECONF_US 2000000
#define RPCS_US 1000000

static struct cs_sched sched;
static pthread_t thread;
static bool running;
static atomic_bool stop;

bool cs_sched_ends(void)
{
	return stop || slurmctld_config.shutdown_time;
}

/*
 * Do the schedulers leave slurmctld to its requests?  As stock's: from max_rpc_cnt of them
 * on, until few are left (where backfill's yield ends), or after a second fewer than
 * max_rpc_cnt (backfill's test between its cycles).
 */
static bool rpcs_pend(void)
{
	const struct cs_site_pace *pace = &sched.settings.pace;
	struct cs_sched_rpcs *r = &sched.rpcs;
	uint32_t n;

	if (!pace->most_rpcs) {
		r->over = false;
		return false;
	}
	n = cs_slurm_rpcs();
	if (!r->over && n >= pace->most_rpcs) {
		r->over = true;
		r->since_us = cs_gate_now_us();
		r->times++;
	} else if (r->over && (n <= pace->few_rpcs ||
			       (n < pace->most_rpcs &&
				cs_gate_now_us() >= r->since_us + RPCS_US))) {
		r->over = false;
		r->total_us += cs_gate_now_us() - r->since_us;
	}
	return r->over;
}

bool cs_sched_halted(void)
{
	return cs_sched_ends() || slurmctld_config.scheduling_disabled ||
	       rpcs_pend();
}

/* Sleep; false: time to end. */
static bool sleep_us(int64_t us)
{
	int64_t until = cs_gate_now_us() + us;

	while (!stop && cs_gate_now_us() < until)
		cs_gate_wait_until(until);
	return !stop;
}

static bool wait_for_service(void)
{
	int64_t from_us =
		cs_gate_now_us() + (cs_slurm_reconfigured() ? RECONF_US : 0);

	while (cs_gate_now_us() < from_us || !cs_slurm_in_service()) {
		cs_gate_beat(); /* the gate may be closed (early.h) */
		if (!sleep_us(POLL_US))
			return false;
	}
	return true;
}

static void *run(void *arg)
{
	struct cs_sched *s = arg;
	unsigned reasons, pending = 0;

	pthread_setname_np(pthread_self(), "cosched");
	if (!wait_for_service())
		return NULL;
	s->began_us = cs_gate_now_us();
	cs_sched_tell_stopped(s);
	cs_gate_wait_until(0); /* whatever was asked so far: it is read now */
	cs_sched_configure(s, cs_slurm_reconfigured() ? CS_CONFIGURE_AGAIN
						      : CS_CONFIGURE_CHECK);
	while (!stop) {
		reasons = cs_gate_wait_until(cs_sched_next_us(s, pending));
		cs_gate_beat();
		cs_sched_close_again(s);
		if (stop)
			break;
		cs_sched_check_layout(s);
		if (reasons & CS_WAKE_CONFIG)
			cs_sched_configure(s, CS_CONFIGURE_AGAIN);
		else if (reasons & CS_WAKE_FILE)
			cs_sched_configure(s, CS_CONFIGURE_FILES);
		pending |= reasons & ~(unsigned)CS_WAKE_ASK;
		if (cs_sched_due(s, pending)) {
			pending = 0;
			cs_sched_cycle(s);
		} else if (cs_sched_news_due(s, pending)) {
			cs_sched_news(s);
		}
		cs_sched_estimate(s);
		cs_sched_return(s);
		cs_sched_let_go(s, reasons & CS_WAKE_FREED);
		cs_sched_after_act(s);
		cs_saved_look(s);
		cs_sched_answer(s);
	}
	cs_sched_shut(s);
	return NULL;
}

int cs_thread_start(void)
{
	sigset_t all, before;
	int rc;

	if (running)
		return 0;
	memset(&sched, 0, sizeof(sched));
	sched.made_s = time(NULL);
	stop = false;
	cs_control_queue_reset();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, NULL, run, &sched);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc) {
		error("cosched: cannot start the scheduling thread: %s; Slurm's main loop alone starts jobs",
		      strerror(rc));
		return -1;
	}
	running = true;
	return 0;
}

void cs_thread_stop(void)
{
	if (!running)
		return;
	stop = true;
	cs_gate_wake(CS_WAKE_STOP);
	pthread_join(thread, NULL);
	running = false;
}
