/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a cycle, under locks released in between.
 */
#include "sched/adapter/steps.h"

#include "gate/gate.h"
#include "sched/store/log_file.h"

static void call(void (*fn)(void *), void *arg)
{
	if (fn)
		fn(arg);
}

static void see(struct cs_steps *how)
{
	if (!how->stamps)
		return;
	if (how->looks)
		cs_slurm_look(how->stamps);
	else
		cs_slurm_locked(how->stamps);
	how->looks = false;
}

int cs_steps_run(struct cs_steps *how, struct cs_adapter *b, cs_step_fn *step,
		 struct cs_err *err)
{
	int64_t since_us;
	int rc = 1;

	while (rc == 1 && !how->halted()) {
		call(how->waiting, how->arg);
		lock_slurmctld(how->locks);
		call(how->locked, how->arg);
		see(how);
		since_us = cs_gate_now_us();
		if (!how->halted()) /* while we waited */
			rc = step(b, since_us + how->span_us, err);
		if (how->stamps)
			cs_slurm_unlock(how->stamps);
		how->held_us += cs_gate_now_us() - since_us;
		unlock_slurmctld(how->locks);
		call(how->unlocked, how->arg);
	}
	if (cs_adapter_wrote(b))
		cs_slurm_save();
	return rc;
}

int cs_steps_follow(struct cs_steps *how, struct cs_adapter *b,
		    cs_step_fn *look, struct cs_logfile *log,
		    struct cs_err *err)
{
	int rc;

	how->looks = true;
	cs_adapter_look_anew(b);
	rc = cs_steps_run(how, b, look, err);
	if (!rc)
		rc = cs_adapter_build(b, err);
	if (!rc && log)
		cs_logfile_ready(log, cs_gate_now_us() / 1000000);
	if (!rc)
		rc = cs_adapter_feed(b, err);
	return rc;
}
