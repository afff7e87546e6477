/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time slices in Slurm: jobs are stopped and resumed.
 *
 * Rules.
 *  1. A stop frees the cores at once (select/cores.c), the processes take up to two
 *     seconds more: SIGTSTP, then SIGSTOP.  So nothing starts or resumes for
 *     slice_guard_s after a stop, by us or, where there are slices, by others; the
 *     batch waits, and with it the engine.
 *  2. A job is looked up by its id and tested again: a component of a heterogeneous
 *     job, and one that is being configured, completing or suspended by an
 *     administrator, is left alone.
 *  3. A resuming job needs its cores free and its nodes up; otherwise select/cores.c
 *     refuses it, and nothing changes.
 *  4. A message to a node may be lost, or overtaken by the next one (each is a thread
 *     of its own), or slurmctld killed before its records were saved.  So nodes are
 *     told again: when slurmctld begins, of stops (let_go.c, rule 3); at the first
 *     sight of its jobs, of stops before anything else; CS_SLICE_SOON_US after a stop or resume, before anybody else comes; and of
 *     a stop LATE_US later once more, should the node have been away.  Not of a
 *     resume: the next stop may come then, and a node that gets this first would let
 *     the job go on.  Nodes that know ignore it.
 *  5. Without slices (they were switched off) stopped jobs resume: let_go.c.
 *  6. A job placed by Slurm's own test may not use the cores of stopped jobs of its own
 *     class, which resume while it runs, or wait for these cores.  Those of other classes
 *     it may, and with slice=gang all: it gets a slot of its own.
 *  7. The comment says how often and how long a job was stopped, and ends in a mark
 *     while it is (stop.h).  When others suspend a job of ours, or give one back, that
 *     is written anew.
 */
#include "sched/apply/apply_slice.h"

#include <inttypes.h>
#include <stdio.h>

#include "compat/stop.h"
#include "sched/apply/apply.h"
#include "sched/apply/start_maps.h"
#include "sched/apply/start_step.h"
#include "sched/feed/feed_event.h"

#define LATE_US INT64_C(7500000)

static const struct cs_refusal not_now = {
	CS_REFUSED_TIMED, "Slurm cannot stop it, or let it go on, now", false
};

bool cs_apply_slice_guards(struct cs_adapter *b, const struct cs_action *a)
{
	bool comes = a->type == CS_ACT_START || a->type == CS_ACT_HOST_START ||
		     a->type == CS_ACT_RESUME;
	int64_t now = cs_gate_now_us(), again;

	if (!comes || !b->stops.stopped_us)
		return false;
	b->batch.guard_us =
		b->stops.stopped_us + b->params.slice_guard_s * 1000000;
	if (now >= b->batch.guard_us)
		return false;
	again = now + b->stops.again_us - cs_feed_now_us(b);
	if (b->stops.again_us && again < b->batch.guard_us)
		b->batch.guard_us = again;
	return true;
}

static void say_stops(job_record_t *job_ptr, const struct cs_known_job *k)
{
	char mark[CS_STOP_MARK] = "", text[80 + CS_STOP_MARK];

	if (k->stopped)
		cs_stop_mark(job_ptr, mark);
	snprintf(text, sizeof(text),
		 "stopped %u time%s by time slices, %ld s in all%s", k->stops,
		 k->stops == 1 ? "" : "s", (long)job_ptr->tot_sus_time, mark);
	cs_apply_comment(job_ptr, &(struct cs_comment){ .stops = text });
}

/* What an earlier slurmctld did may be lost. */
static void account(struct cs_adapter *b, struct cs_known_job *k,
		    job_record_t *job_ptr)
{
	if (k->moved_before && cs_stop_account(job_ptr, k->moved_s)) {
		k->moved_s = time(NULL);
		if (!IS_JOB_SUSPENDED(job_ptr))
			k->moved_s = -k->moved_s;
		b->dirty = true;
	}
	k->moved_before = false;
}

/* Success: update the engine, the log and Slurm's records. */
static int done(struct cs_adapter *b, const struct cs_action *a, bool stop,
		job_record_t *job_ptr, struct cs_known_job *k,
		struct cs_err *err)
{
	const struct cs_event ev = {
		.type = stop ? CS_EV_SUSPEND : CS_EV_RESUME,
		.t_us = b->now_us,
		.job_id = k->id,
	};

	k->state = stop ? CS_VIEW_SUSPENDED : CS_VIEW_RUNNING;
	k->stopped = stop;
	k->stops += stop;
	k->moved_s = stop ? job_ptr->suspend_time : -job_ptr->suspend_time;
	k->again_us = b->now_us + CS_SLICE_SOON_US;
	k->again_late = stop;
	cs_slice_again(b, k->again_us);
	b->dirty = b->wrote = true;
	last_job_update = time(NULL);
	if (stop)
		b->stops.stopped_us = cs_gate_now_us();
	say_stops(job_ptr, k);
	return cs_feed_event(b, &ev, a, err);
}

int cs_apply_slice(struct cs_adapter *b, const struct cs_action *a,
		   struct cs_err *err)
{
	bool stop = a->type == CS_ACT_SUSPEND;
	job_record_t *job_ptr = find_job_record(a->job_id);
	struct cs_known_job *k = cs_known_find(&b->known, a->job_id);

	if (job_ptr && k)
		account(b, k, job_ptr);
	if (!job_ptr || !k ||
	    !(stop ? cs_stop_may(job_ptr) : cs_stopped(job_ptr)) ||
	    cs_stop_job(a->job_id, stop))
		return cs_start_step_refuse(b, a, &not_now, err);
	debug("cosched: %s %pJ", stop ? "stopped" : "resumed", job_ptr);
	return done(b, a, stop, job_ptr, k, err);
}

void cs_apply_slice_forbid(const struct cs_adapter *b, uint32_t id,
			   bitstr_t **map)
{
	uint32_t class = cs_engine_class(b->engine, id);

	for (uint32_t i = 0;
	     b->stops.sliced && !b->stops.now.slots && i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];
		struct cs_running r;
		bitstr_t *its;

		if (!k->stopped || cs_engine_running(b->engine, k->id, &r) ||
		    !r.keeps || r.class != class)
			continue;
		its = cs_start_maps_cores(b, r.alloc);
		if (*map)
			bit_or(*map, its);
		else
			*map = bit_copy(its);
		FREE_NULL_BITMAP(its);
	}
}

static void say_again(struct cs_adapter *b, struct cs_known_job *k)
{
	job_record_t *job_ptr = find_job_record(k->id);

	if (job_ptr)
		account(b, k, job_ptr);
	k->again_us = k->again_late ? b->now_us + LATE_US : 0;
	k->again_late = false;
	if (job_ptr && (cs_stopped(job_ptr) || cs_stop_may(job_ptr)))
		cs_stop_say_again(job_ptr);
	if (job_ptr && k->stops) {
		say_stops(job_ptr, k);
		b->wrote = true;
	}
}

void cs_apply_slice_say_again(struct cs_adapter *b)
{
	if (!b->stops.again_us || b->stops.again_us > b->now_us)
		return;
	b->stops.again_us = 0;
	for (uint32_t i = 0; i < b->known.n; i++) {
		struct cs_known_job *k = b->known.list[i];

		if (k->again_us && k->again_us <= b->now_us)
			say_again(b, k);
		if (k->again_us)
			cs_slice_again(b, k->again_us);
	}
}
