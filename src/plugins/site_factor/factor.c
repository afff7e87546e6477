/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OStrich for sites that keep Slurm's schedulers and priority/multifactor.
 *
 * The sched plugin's adapter (adapter.h) follows Slurm's jobs in an engine with
 * order=ostrich that is never asked to decide.  Jobs are numbered in its order; the
 * numbers are their site factors, and multifactor recomputes the priority of each job
 * whose number has changed.  For Slurm's order to be this one, the weights of other
 * factors must be 0, or small against the steps between numbers.
 *
 * Rules.
 *  1. At most once per second, if Slurm or the virtual schedule has changed: read locks
 *     for a snapshot; write locks only to write changed numbers, lock_ms at a time.
 *  2. A wrong list of parameters is reported once; the last good one, or the defaults,
 *     stay in force (factor_params.c).
 *  3. In mode act with order=ostrich the sched plugin itself sets priorities: nothing
 *     is done here.  An engine that fails is rebuilt, after growing pauses if that does
 *     not help (pause.h); the log has one line per series of failures.
 *  4. The state, CS_STATE_FACTOR, is the adapter's.
 *  5. A job has a number from its submit on, behind all others until the next snapshot.
 *     Otherwise its priority would be about 1 until then, and `scontrol top` would turn
 *     the difference to its user's other jobs into nice values.
 */
#include "compat/calls.h"
#include "compat/abi_check.h"

#include "factor.h"
#include "factor_params.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/cond.h"
#include "gate/gate.h"
#include "sched/adapter/steps.h"
#include "sched/run/pause.h"
#include "sched/store/state_file.h"

#define PERIOD_US 1000000
#define END_US 5000000	  /* that the last save may take */
#define RECONF_US 2000000 /* a reconfigured slurmctld may die this soon */

struct factor {
	struct cs_factor_params params;
	bool anew; /* new parameters: the adapter must be rebuilt */
	struct cs_adapter *adapter;
	char state_dir[PATH_MAX];
	struct cs_err state_error;
	struct cs_stamps stamps;
	struct cs_pause pause;
	/* whether it is the Slurm that we were built for */
	bool layout_sure, wrong;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	pthread_t thread;
	bool running;
	atomic_bool stop;
	_Atomic uint32_t behind; /* number for a new job; 0: not known yet */
} life = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the adapter ------------------------------------------------------------ */

static void save(struct factor *f)
{
	struct cs_err err;
	size_t len = 0;
	char *state;

	if (f->adapter && cs_checkpoint_dirty(f->adapter)) {
		state = cs_checkpoint_save(f->adapter, &len);
		if (state)
			cs_state_file_put(f->state_dir, CS_STATE_FACTOR, state,
					  len);
	}
	if (!cs_state_file_result(f->state_dir, CS_STATE_FACTOR, &err))
		err.text[0] = '\0';
	if (err.text[0] && !f->state_error.text[0])
		error("cosched: %s: campaigns would be forgotten at a restart",
		      err.text);
	f->state_error = err;
}

static void drop_adapter(struct factor *f)
{
	save(f);
	cs_adapter_free(f->adapter);
	f->adapter = NULL;
}

static void failed(struct factor *f, const struct cs_err *why)
{
	if (cs_pause_failed(&f->pause, cs_gate_now_us()))
		error("cosched: site factors: %s: starting afresh, after growing pauses if that does not help",
		      why->text);
}

static bool halted(void)
{
	return life.stop || slurmctld_config.shutdown_time;
}

static void make_adapter(struct factor *f)
{
	struct cs_adapter_setup setup = {
		.params = &f->params.now,
		.mode = CS_MODE_SHADOW,
		.halted = halted,
		.all_partitions = true,
		.factors = true,
	};
	struct cs_err err = { "no memory" };
	char *state = NULL;
	int rc = cs_state_file_load(f->state_dir, CS_STATE_FACTOR, &state,
				    &setup.state_len, &err);

	if (rc && rc != -ENOENT && f->pause.failed < 2)
		error("cosched: %s, starting without it", err.text);
	setup.state = rc ? NULL : state;
	f->adapter = cs_adapter_create(&setup, &err);
	free(state);
	if (!f->adapter)
		failed(f, &err);
}

/* Without locks: it reads and writes files. */
static void renew(struct factor *f)
{
	drop_adapter(f);
	f->anew = false;
	f->stamps = (struct cs_stamps){
		0
	}; /* even if Slurm does not change in the meantime */
	make_adapter(f);
}

/* ---- new jobs ---------------------------------------------------------------- */

void cs_factor_first(job_record_t *job_ptr)
{
	uint32_t number = life.behind;

	if (number)
		cs_job_first_factor(job_ptr, number);
}

/* ---- a cycle --------------------------------------------------------------- */

static bool layout_good(struct factor *f)
{
	char why[256];
	int rc;

	if (f->layout_sure || f->wrong)
		return !f->wrong;
	rc = cs_abi_check(why, sizeof(why));
	f->layout_sure = !rc;
	f->wrong = rc < 0;
	if (f->wrong)
		error("cosched: site_factor/ostrich is built for another Slurm than the one that runs (%s): no factors",
		      why);
	return !f->wrong;
}

static bool due(struct factor *f)
{
	return !f->adapter || cs_slurm_changed(&f->stamps) ||
	       cs_adapter_wakeup_in_us(f->adapter) <= 0;
}

/* Read what must be known of Slurm before its jobs. */
static void look_around(struct factor *f)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();

	lock_slurmctld(locks);
	if (layout_good(f)) {
		snprintf(f->state_dir, sizeof(f->state_dir), "%s",
			 slurm_conf.state_save_location);
		f->anew |= cs_factor_params_read(&f->params);
	}
	unlock_slurmctld(locks);
}

/* Follow Slurm, number its waiting jobs, write the numbers.  0; 1: it ends; <0 with
 * @err. */
static int follow(struct factor *f, struct cs_err *err)
{
	struct cs_steps reads = { .locks = cs_slurm_read_locks(),
				  .halted = halted };
	struct cs_steps writes = { .locks = cs_slurm_write_locks(),
				   .halted = halted };
	int rc;

	reads.stamps = writes.stamps = &f->stamps;
	reads.span_us = writes.span_us = f->params.now.lock_ms * 1000;
	rc = cs_steps_follow(&reads, f->adapter, cs_adapter_look, NULL, err);
	if (rc)
		return rc;
	rc = cs_adapter_rank(f->adapter, err);
	if (rc >= 0)
		life.behind = cs_adapter_rank_behind(f->adapter);
	if (rc > 0)
		rc = cs_steps_run(&writes, f->adapter, cs_adapter_rank_write,
				  err);
	return rc;
}

static void cycle(struct factor *f)
{
	struct cs_err err = { "" };
	int rc;

	look_around(f);
	if (f->wrong || !f->params.known)
		return;
	if (f->anew || !f->adapter) {
		renew(f);
		return;
	}
	rc = follow(f, &err);
	if (rc >= 0) {
		save(f);
		cs_pause_over(&f->pause);
		f->anew = cs_adapter_outgrown(f->adapter);
		return;
	}
	if (rc != -ERESTART) /* a changed machine is no fault */
		failed(f, &err);
	renew(f);
}

/* ---- the thread ------------------------------------------------------------ */

/* False: it is time to end. */
static bool sleep_us(int64_t us)
{
	int64_t until = cs_gate_now_us() + us;
	struct timespec ts = {
		.tv_sec = (time_t)(until / 1000000),
		.tv_nsec = (long)(until % 1000000) * 1000,
	};
	bool stop;

	pthread_mutex_lock(&life.lock);
	while (!life.stop && cs_gate_now_us() < until)
		pthread_cond_timedwait(&life.cond, &life.lock, &ts);
	stop = life.stop;
	pthread_mutex_unlock(&life.lock);
	return !stop;
}

static void *run(void *arg)
{
	struct factor f = { 0 };

	(void)arg;
	pthread_setname_np(pthread_self(), "cosched-site");
	if (cs_slurm_reconfigured() && !sleep_us(RECONF_US))
		return NULL;
	while (sleep_us(PERIOD_US))
		if (cs_slurm_in_service() && !cs_gate_ranked() && !f.wrong &&
		    !cs_pause_holds(&f.pause, cs_gate_now_us()) && due(&f))
			cycle(&f);
	if (f.adapter)
		cs_adapter_mark_dirty(f.adapter);
	drop_adapter(&f);
	if (!cs_state_file_end(END_US))
		error("cosched: '%s' hangs: the last campaigns are not saved",
		      f.state_dir);
	cs_factor_params_done(&f.params);
	return NULL;
}

void cs_factor_start(void)
{
	sigset_t all, before;
	int rc;

	if (life.running)
		return;
	if (cs_plan_abi() != CS_GATE_ABI) {
		error("cosched: site_factor/ostrich: libcosched_plan.so in memory is of interface %u, this plugin of %u: no factors until slurmctld is restarted",
		      cs_plan_abi(), CS_GATE_ABI);
		return;
	}
	cs_cond_init(&life.cond);
	life.stop = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&life.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	life.running = !rc;
	if (rc)
		error("cosched: cannot start the thread of site_factor/ostrich: %s: no factors",
		      strerror(rc));
}

void cs_factor_stop(void)
{
	if (!life.running)
		return;
	pthread_mutex_lock(&life.lock);
	life.stop = true;
	pthread_cond_signal(&life.cond);
	pthread_mutex_unlock(&life.lock);
	pthread_join(life.thread, NULL);
	pthread_cond_destroy(&life.cond);
	life.running = false;
}
