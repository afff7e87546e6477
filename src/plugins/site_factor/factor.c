/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OStrich for sites that keep Slurm's schedulers and priority/multifactor.
 *
 * The bridge of the sched plugin (adapter.h) follows Slurm's jobs in an engine with
 * order=ostrich that is never asked to decide; jobs are numbered in its order, the
 * numbers are their site factors, and the priority of whose number has changed is
 * computed anew by multifactor.  Weights of other factors have to be 0, or small
 * against the steps between numbers, for the order to be this one.
 *
 * Rules.
 *  1. A look is taken every second in which Slurm has changed something or the
 *     virtual schedule has: read locks, for a snapshot; write locks only to write
 *     numbers that differ, lock_ms at a time.
 *  2. Parameters are the engine's, from PrioritySiteFactorParameters, without a
 *     prefix.  A wrong list is said once, and the last good one, or none, is in
 *     force.
 *  3. In mode act with order=ostrich the sched plugin shows the order itself:
 *     nothing is done here.
 *     An engine that fails is built anew, after growing pauses where that does not
 *     help (pause.h); the log has one line for each row of failures.
 *  4. The state, CS_STATE_FACTOR, is that of the bridge.
 *  5. A job has a number from its submit on, one behind all others until the next
 *     look.  Without it its priority would be about 1 so long, and of the
 *     difference to his other jobs `scontrol top` makes nice values.
 */
#include "compat/calls.h"
#include "compat/abi_check.h"

#include "factor.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/cond.h"
#include "gate/gate.h"
#include "sched/adapter/adapter.h"
#include "sched/run/pause.h"
#include "sched/store/state_file.h"

#define PERIOD_US 1000000
#define RECONF_US 2000000 /* a reconfigured slurmctld may die that long */

struct factor {
	char *text; /* PrioritySiteFactorParameters as last read */
	struct cs_params params;
	bool known; /* params are there */
	bool anew;  /* and wait for a bridge */
	struct cs_bridge *bridge;
	char state_dir[PATH_MAX];
	struct cs_err state_error;
	time_t looked_s;
	struct cs_pause pause;
	/* it is not the Slurm that we were built for */
	bool layout_sure, wrong;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	pthread_t thread;
	bool running, stop;
	_Atomic uint32_t behind; /* number of a new job; 0: not known yet */
} life = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- parameters ------------------------------------------------------------ */

/* The keys that mean something where Slurm's schedulers decide. */
static bool means(const char *key, size_t len)
{
	static const char *const keys[] = {
		"campaign",	 "think_s", "campaign_order", "shares",
		"campaign_hold", "lock_ms", "inside",	      "hold",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strlen(keys[i]) == len && !memcmp(keys[i], key, len))
			return true;
	return false;
}

static int check_keys(const char *text, struct cs_err *err)
{
	while (*text) {
		size_t len = strcspn(text, ",");

		if (len && !means(text, strcspn(text, "=,")))
			return cs_err_set(
				err, -EINVAL,
				"'%.*s': expected one of campaign, think_s, campaign_order, shares, campaign_hold=rank, lock_ms",
				(int)(len < 64 ? len : 64), text);
		text += len + (text[len] == ',');
	}
	return 0;
}

static int read_text(struct cs_params *p, const char *text, struct cs_err *err)
{
	size_t size = strlen(text) + sizeof("policy=ostrich-paper,");
	char *all = malloc(size);
	int rc = check_keys(text, err);

	if (rc || !all) {
		free(all);
		return rc ? rc : cs_err_set(err, -ENOMEM, "no memory");
	}
	snprintf(all, size, "policy=ostrich-paper%s%s", *text ? "," : "", text);
	rc = cs_params_parse(p, CS_HOST_LIVE, all, "", err);
	free(all);
	if (rc)
		return rc;
	if (p->campaign_hold != CS_CAMPAIGN_HOLD_STRICT)
		return 0;
	cs_params_done(p);
	return cs_err_set(
		err, -EINVAL,
		"campaign_hold=strict: a factor holds nobody, expected campaign_hold=rank");
}

static void tell_old_name(void *arg, size_t at, const char *text)
{
	(void)arg;
	(void)at;
	info("cosched: PrioritySiteFactorParameters: %s", text);
}

/* Are they new? */
static bool read_params(struct factor *f)
{
	const char *now = slurm_conf.site_factor_params ?: "";
	struct cs_params fresh = { 0 };
	struct cs_err err = { "no memory" };

	if (f->text && !strcmp(f->text, now))
		return false;
	free(f->text);
	f->text = strdup(now);
	if (read_text(&fresh, now, &err)) {
		error("cosched: PrioritySiteFactorParameters: %s: %s", err.text,
		      f->known ? "the last good ones stay" : "none are taken");
		if (f->known || read_text(&fresh, "", &err))
			return false;
	}
	cs_params_renamed(now, "", tell_old_name, NULL);
	cs_params_done(&f->params);
	f->params = fresh;
	return f->known = true;
}

/* ---- the bridge ------------------------------------------------------------ */

static void save(struct factor *f)
{
	struct cs_err err = { "no memory" };
	size_t len = 0;
	char *state;
	int rc = -ENOMEM;

	if (!f->bridge || !cs_bridge_dirty(f->bridge))
		return;
	state = cs_bridge_save(f->bridge, &len);
	if (state)
		rc = cs_state_save(f->state_dir, CS_STATE_FACTOR, state, len,
				   &err);
	free(state);
	if (rc && !f->state_error.text[0])
		error("cosched: %s: campaigns would be forgotten at a restart",
		      err.text);
	f->state_error.text[0] = '\0';
	if (rc)
		f->state_error = err;
}

static void drop_bridge(struct factor *f)
{
	save(f);
	cs_bridge_free(f->bridge);
	f->bridge = NULL;
}

static void failed(struct factor *f, const struct cs_err *why)
{
	if (cs_pause_failed(&f->pause, cs_gate_now_us()))
		error("cosched: site factors: %s: starting afresh, after growing pauses where that does not help",
		      why->text);
}

static void make_bridge(struct factor *f)
{
	struct cs_bridge_setup setup = {
		.params = &f->params,
		.mode = CS_MODE_SHADOW,
		.all_partitions = true,
		.factors = true,
	};
	struct cs_err err = { "no memory" };
	char *state = NULL;
	int rc = cs_state_load(f->state_dir, CS_STATE_FACTOR, &state,
			       &setup.state_len, &err);

	if (rc && rc != -ENOENT && f->pause.failed < 2)
		error("cosched: %s, starting without it", err.text);
	setup.state = rc ? NULL : state;
	f->bridge = cs_bridge_create(&setup, &err);
	free(state);
	if (!f->bridge)
		failed(f, &err);
}

/* No lock: it reads and writes files. */
static void renew(struct factor *f)
{
	drop_bridge(f);
	f->anew = false;
	f->looked_s = 0; /* whether or not Slurm changes meanwhile */
	make_bridge(f);
}

/* ---- new jobs ---------------------------------------------------------------- */

void cs_factor_first(job_record_t *job_ptr)
{
	uint32_t number = life.behind;

	if (number)
		cs_job_first_factor(job_ptr, number);
}

/* ---- a look ---------------------------------------------------------------- */

static bool layout_good(struct factor *f)
{
	char why[256];
	int rc;

	if (f->layout_sure || f->wrong)
		return !f->wrong;
	rc = cs_layout_check(why, sizeof(why));
	f->layout_sure = !rc;
	f->wrong = rc < 0;
	if (f->wrong)
		error("cosched: site_factor/ostrich is built for another Slurm than the one that runs (%s): no factors",
		      why);
	return !f->wrong;
}

/* As slurm_changed() in sched/run/sched_cycle.c has it. */
static bool due(struct factor *f)
{
	return !f->bridge || time(NULL) < f->looked_s ||
	       last_job_update >= f->looked_s ||
	       last_node_update >= f->looked_s ||
	       last_part_update >= f->looked_s ||
	       last_resv_update >= f->looked_s ||
	       cs_bridge_wakeup_in_us(f->bridge) <= 0;
}

/* Under read locks: what has to be seen of Slurm. */
static int look(struct factor *f, struct cs_err *err)
{
	if (!layout_good(f))
		return -EPROTO;
	snprintf(f->state_dir, sizeof(f->state_dir), "%s",
		 slurm_conf.state_save_location);
	f->anew |= read_params(f);
	if (f->anew || !f->bridge)
		return -EAGAIN;
	f->looked_s = time(NULL);
	return cs_bridge_look(f->bridge, INT64_MAX, err);
}

static void write_factors(struct factor *f)
{
	slurmctld_lock_t locks = cs_slurm_write_locks();
	int64_t span = f->params.lock_ms * 1000;
	bool more = true;

	while (more) {
		lock_slurmctld(locks);
		more = cs_bridge_rank_write(f->bridge, cs_gate_now_us() + span);
		unlock_slurmctld(locks);
	}
	if (cs_bridge_wrote(f->bridge))
		cs_slurm_save();
}

static void cycle(struct factor *f)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();
	struct cs_err err = { "" };
	int rc;

	lock_slurmctld(locks);
	rc = look(f, &err);
	unlock_slurmctld(locks);
	if (rc == -EAGAIN && f->known)
		renew(f);
	if (rc == -EAGAIN || f->wrong)
		return;
	if (!rc)
		rc = cs_bridge_build(f->bridge, &err);
	if (!rc)
		rc = cs_bridge_feed(f->bridge, &err);
	if (!rc)
		rc = cs_bridge_rank(f->bridge, &err);
	if (rc >= 0)
		life.behind = cs_bridge_rank_behind(f->bridge);
	if (rc > 0)
		write_factors(f);
	if (rc >= 0) {
		save(f);
		cs_pause_over(&f->pause);
		f->anew = cs_bridge_outgrown(f->bridge);
		return;
	}
	failed(f, &err);
	renew(f);
}

/* ---- the thread ------------------------------------------------------------ */

/* False when it is time to end. */
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
	if (f.bridge)
		cs_bridge_mark_dirty(f.bridge);
	drop_bridge(&f);
	cs_params_done(&f.params);
	free(f.text);
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
