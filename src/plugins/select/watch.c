/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is the sched shadow loaded, too?
 *
 * Without it we forward everything, unnoticed.  So a thread looks once, WAIT_S
 * after the start, as soon as slurmctld is in service (a waiting backup has no
 * sched plugin yet), and ends.  Of Slurm's data it touches only two words of
 * slurmctld_config.
 *
 * A process that forks after init() has no such thread: cs_select_watch_stop()
 * must not wait for it there.
 */
#include "compat/slurm.h"

#include "select.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "compat/calls.h"
#include "gate/cond.h"
#include "gate/gate.h"

#define WAIT_S 5

static struct {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	pthread_t thread;
	pid_t pid; /* process of the thread; 0: none */
	bool stop;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

void cs_select_miss_sched(void)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (cs_gate_sched_release() || atomic_flag_test_and_set(&said))
		return;
	error("cosched: our select_cons_tres.so is loaded without our sched_backfill.so: stock scheduling goes on; expected that of the same build beside it, our folder first in PluginDir, and SchedulerType=sched/backfill");
}

/* Sleep under the lock; false: time to end. */
static bool pause_s(int seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	while (!watch.stop &&
	       !pthread_cond_timedwait(&watch.cond, &watch.lock, &until))
		;
	return !watch.stop;
}

static void *look(void *arg)
{
	bool go_on;

	(void)arg;
	pthread_setname_np(pthread_self(), "cosched_watch");
	pthread_mutex_lock(&watch.lock);
	do
		go_on = pause_s(WAIT_S);
	while (go_on && !cs_slurm_in_service());
	pthread_mutex_unlock(&watch.lock);
	if (go_on)
		cs_select_miss_sched();
	return NULL;
}

void cs_select_watch_start(void)
{
	sigset_t all, before;

	if (watch.pid == getpid())
		return;
	watch.stop = false;
	cs_cond_init(&watch.cond);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* Without a thread, the first start of a job reports it. */
	if (!pthread_create(&watch.thread, NULL, look, NULL))
		watch.pid = getpid();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cs_select_watch_stop(void)
{
	if (watch.pid != getpid())
		return;
	pthread_mutex_lock(&watch.lock);
	watch.stop = true;
	pthread_cond_signal(&watch.cond);
	pthread_mutex_unlock(&watch.lock);
	pthread_join(watch.thread, NULL);
	pthread_cond_destroy(&watch.cond);
	watch.pid = 0;
}
