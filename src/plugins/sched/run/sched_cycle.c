/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass of the scheduling thread.
 *
 * Locks are held for lock_ms at a time; between two steps all other threads get their
 * turn.  A pass that lacks what it needs (locks, memory, an engine that agrees with
 * Slurm) ends, and the next one starts afresh.
 */
#include "compat/slurm.h"

#include "sched/run/sched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/model/job.h"
#include "gate/gate.h"
#include "sched/adapter/steps.h"
#include "sched/run/last_good.h"
#include "sched/run/sdiag.h"

#define STALL_US 2000000	 /* most rest for time that a cycle waited */
#define LOOK_US INT64_C(1000000) /* of a batch, until the next look */
#define CUTS_MAX 12
#define STEP_US 900 /* of each ms of lock_ms: a step's last item passes that */
#define RPCS_US 100000	 /* between two counts of requests that pend */
#define HALTED_RESTS 4	 /* of what a look held the locks that was halted */
#define NOTICE_US 100000 /* between two looks at Slurm's stamps of changes */
#define NOTICE_SHARE 20	 /* a 20th of the time is for cycles that those cause */
/* Where new jobs are found alone: rest between looks, of what one held the locks ... */
#define LOOK_RESTS 24
#define LOOK_US_MOST \
	INT64_C(5000000)  /* ... at most, or bf_interval if that is longer */
#define NEWS_US 200000	  /* between two searches for new jobs */
#define NEWS_LOOK_US 4000 /* shorter looks find them soon enough */
#define CHECK_US 60000000 /* interval of checks of the invariants */
#define REGISTER_US INT64_C(10000000) /* that nodes may take after a restart */

/* ---- when ---------------------------------------------------------------- */

static int64_t more(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Work at most half of the time, and rest at least rest_ms.  A cycle that got the
 * processor late rests as long as it took, but a stall makes no rest above STALL_US.  In
 * the middle of a batch that least rest is enough.  A look that was halted,
 * for slurmctld's requests, is begun anew, and likely halted again: a longer rest. */
static int64_t rested_us(const struct cs_sched *s)
{
	const struct cs_watchdog_time *last = &s->dog.last;
	int64_t took_us = last->took_us < STALL_US ? last->took_us : STALL_US;

	int64_t rest_us = more(s->settings.params.rest_ms * 1000,
			       s->settings.pace.rest_us);

	if (s->halted)
		return s->ended_us + more(rest_us, HALTED_RESTS * s->held_us);
	if (s->unfinished)
		return s->ended_us + rest_us;
	return s->ended_us + more(rest_us, more(took_us, last->worked_us));
}

/* When Slurm's changes are reason for a cycle: under defer many of them together. */
static int64_t changes_us(const struct cs_sched *s)
{
	return more(rested_us(s), s->ended_us + s->settings.pace.defer_us);
}

/* Are new jobs found between two cycles? */
static bool finds_news(const struct cs_sched *s)
{
	return s->cycles && s->look_us >= NEWS_LOOK_US && !s->rebuild_us &&
	       !s->unfinished && !s->look_due && !s->settings.pace.defer_us &&
	       cs_adapter_news_can(s->adapter);
}

/* When what is likely a new job, or little else, is reason for a cycle: most of such jobs
 * need none, and the look takes a 25th of the time. */
static int64_t seldom_us(const struct cs_sched *s)
{
	int64_t rest_us = LOOK_RESTS * s->look_us;
	int64_t most_us =
		more(LOOK_US_MOST, s->settings.params.stock_every_s * 1000000);

	if (!finds_news(s))
		return changes_us(s);
	return more(changes_us(s),
		    s->ended_us + (rest_us < most_us ? rest_us : most_us));
}

/* When changes are reason for a cycle that only Slurm's stamps tell of: at once after a
 * quiet while, so that a job starts as soon as it arrives; once a period where cycles are
 * long. */
static int64_t noticed_us(const struct cs_sched *s)
{
	int64_t period_us = s->settings.params.period_ms * 1000;
	int64_t share_us =
		NOTICE_SHARE * more(s->dog.last.took_us, s->dog.last.worked_us);

	return more(seldom_us(s),
		    s->ended_us +
			    (share_us < period_us ? share_us : period_us));
}

/* When @pending reasons are reason for a cycle; an end is at once. */
static int64_t pending_us(const struct cs_sched *s, unsigned pending)
{
	return pending == CS_WAKE_REFUSED ? seldom_us(s) : changes_us(s);
}

/* Is there nothing to decide, or no adapter to do it? */
static bool idles(const struct cs_sched *s)
{
	return !s->adapter || cs_sched_halted();
}

/* When the next cycle is due, whatever new jobs need. */
static int64_t next_cycle_us(const struct cs_sched *s, unsigned pending)
{
	int64_t now = cs_gate_now_us(), due, guard;
	int64_t next = now + s->settings.params.period_ms * 1000;

	if (s->rebuild_us && s->rebuild_us > rested_us(s))
		return s->rebuild_us < next ? s->rebuild_us : next;
	if (s->rebuild_us)
		return rested_us(s);
	guard = cs_adapter_guard_us(s->adapter);
	if (guard)
		return guard < next ? guard : next; /* the gate needs a beat */
	if (s->unfinished || s->look_due)
		return rested_us(s);
	if (s->cycles && more(now + NOTICE_US, noticed_us(s)) < next)
		next = more(now + NOTICE_US, noticed_us(s));
	if (pending && pending_us(s, pending) < next)
		next = pending_us(s, pending);
	due = cs_adapter_wakeup_in_us(s->adapter);
	if (due < next - now)
		next = now + due;
	return next > rested_us(s) ? next : rested_us(s);
}

/* When work on estimates is due: with the engine of the last cycle. */
static int64_t estimates_us(const struct cs_sched *s)
{
	return s->cycles && !s->rebuild_us && !s->unfinished
		       ? cs_adapter_estimates_due_us(s->adapter)
		       : CS_TIME_NONE;
}

int64_t cs_sched_next_us(const struct cs_sched *s, unsigned pending)
{
	int64_t next;

	if (idles(s))
		return cs_gate_now_us() + (s->rpcs.over ? RPCS_US : 1000000);
	next = next_cycle_us(s, pending);
	if (estimates_us(s) < next)
		next = estimates_us(s);
	return finds_news(s) && s->news_us < next ? s->news_us : next;
}

/* New ones are shown by the next cycle. */
void cs_sched_estimate(struct cs_sched *s)
{
	struct cs_err err = { "no reason given" };
	int rc;

	if (idles(s) || cs_gate_now_us() < estimates_us(s))
		return;
	rc = cs_adapter_estimates_work(s->adapter, &err);
	if (rc > 0)
		s->look_due = true;
	else if (rc)
		cs_sched_rebuild(s, err.text);
}

bool cs_sched_due(const struct cs_sched *s, unsigned pending)
{
	if (idles(s) || cs_gate_now_us() < rested_us(s))
		return false;
	if (s->rebuild_us)
		return cs_gate_now_us() >= s->rebuild_us;
	if (cs_gate_now_us() < cs_adapter_guard_us(s->adapter))
		return false;
	if (cs_adapter_guard_us(s->adapter))
		return true;
	if (s->unfinished || s->look_due ||
	    cs_adapter_wakeup_in_us(s->adapter) <= 0)
		return true;
	return (pending && cs_gate_now_us() >= pending_us(s, pending)) ||
	       (cs_slurm_changed(&s->stamps) &&
		cs_gate_now_us() >= noticed_us(s));
}

/* ---- locks --------------------------------------------------------------- */

/* Waiting for them is not our work; the event log is passed on when they are free. */
static void waiting(void *arg)
{
	struct cs_sched *s = arg;

	cs_watchdog_pause(&s->dog);
}

static void locked(void *arg)
{
	struct cs_sched *s = arg;

	cs_watchdog_go_on(&s->dog);
}

static void unlocked(void *arg)
{
	struct cs_sched *s = arg;

	cs_logfile_flush(s->log);
}

/* By mode, watched. */
static struct cs_steps steps(struct cs_sched *s)
{
	return (struct cs_steps){
		.locks = s->mode == CS_MODE_ACT ? cs_slurm_write_locks()
						: cs_slurm_read_locks(),
		.span_us = s->settings.params.lock_ms * STEP_US,
		.halted = cs_sched_halted,
		.stamps = &s->stamps,
		.waiting = waiting,
		.locked = locked,
		.unlocked = unlocked,
		.arg = s,
	};
}

static int in_steps(struct cs_sched *s, cs_step_fn *step, struct cs_err *err)
{
	struct cs_steps how = steps(s);
	int rc = cs_steps_run(&how, s->adapter, step, err);

	s->locked_us += how.held_us;
	return rc;
}

/* The nodes on which a job runs or is suspended. */
static bitstr_t *nodes_with_jobs(void)
{
	bitstr_t *nodes = bit_alloc(node_record_count);
	list_itr_t *iter = list_iterator_create(job_list);
	const job_record_t *job_ptr;

	while ((job_ptr = list_next(iter)))
		if ((IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr)) &&
		    !IS_JOB_CONFIGURING(job_ptr) && job_ptr->node_bitmap)
			bit_or(nodes, job_ptr->node_bitmap);
	list_iterator_destroy(iter);
	return nodes;
}

/*
 * After a restart nodes are unknown until they register; a plan made before would cover
 * half the machine.  A takeover restores their states; so of one with jobs slurmd's
 * start must be known, too, which it tells when it registers.  Until then a job may run
 * there whose start was lost (feed.c, rule 8), and a job that resumes would run beside it.
 */
bool cs_sched_nodes_there(const struct cs_sched *s)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();
	node_record_t *node_ptr;
	bitstr_t *used;
	bool there = true;

	if (s->cycles || cs_gate_now_us() >= s->began_us + REGISTER_US)
		return true;
	lock_slurmctld(locks);
	used = nodes_with_jobs();
	for (int i = 0; there && (node_ptr = next_node(&i)); i++)
		there = !IS_NODE_UNKNOWN(node_ptr) &&
			(node_ptr->slurmd_start_time ||
			 IS_NODE_DOWN(node_ptr) || !bit_test(used, i));
	unlock_slurmctld(locks);
	FREE_NULL_BITMAP(used);
	return there;
}

/* ---- the pass ------------------------------------------------------------ */

/* From now on waiting jobs may wait for nodes not yet reported. */
static int look(struct cs_adapter *b, int64_t until_us, struct cs_err *err)
{
	int rc = cs_adapter_look(b, until_us, err);

	if (rc >= 0 && cs_room_waits(b))
		cs_gate_room_void();
	return rc;
}

static int look_and_feed(struct cs_sched *s, struct cs_err *err)
{
	struct cs_steps how = steps(s);
	int rc = cs_steps_follow(&how, s->adapter, look, s->log, err);

	s->locked_us += how.held_us;
	s->look_us = how.held_us;
	return rc;
}

/* The sites in force are the last good ones. */
static void keep_sites(struct cs_sched *s)
{
	const char *now = cs_adapter_sites_good(s->adapter);
	char *copy;

	if (!now || (s->sites && !strcmp(now, s->sites)))
		return;
	copy = strdup(now);
	if (!copy)
		return;
	free(s->sites);
	s->sites = copy;
	cs_last_good_sites_save(s->state_dir, copy);
}

/* Does the select shadow only forward since this cycle began?  Then no start of ours is
 * as planned. */
static bool select_lost(const struct cs_sched *s)
{
	return s->mode == CS_MODE_ACT && !cs_gate_select_release();
}

/* In the middle of a decide: the thread is alive.  It must not go on if slurmctld ends,
 * or if the watchdog ends mode act. */
static bool goes_on(void *arg)
{
	struct cs_sched *s = arg;
	char why[256];

	cs_watchdog_pause(&s->dog);
	cs_watchdog_go_on(&s->dog);
	return !cs_sched_ends() &&
	       (s->mode != CS_MODE_ACT ||
		!cs_watchdog_trips(&s->dog, why, sizeof(why)));
}

/* 1: there are actions; 0; 1 with scheduling halted: it was given up for that. */
static int decide(struct cs_sched *s, struct cs_err *err)
{
	const struct cs_adapter_host host = { goes_on, s };
	int rc = cs_adapter_decide(s->adapter, &host, err);

	if (rc != -ECANCELED)
		return rc;
	cs_watchdog_trips(&s->dog, err->text, sizeof(err->text));
	return cs_sched_ends() ? 1 : rc;
}

/*
 * End the cycle, so that the next one sees what has changed?  A decide that has not ended
 * may be given up for that, so each in a row has twice the time of the one before: the
 * last one gets to the end of the queue, and all before it took no longer together.
 */
static bool looks_again(struct cs_sched *s)
{
	if (!cs_adapter_paused(s->adapter))
		return cs_watchdog_half(&s->dog);
	if (s->dog.cycle.took_us < LOOK_US << s->cuts)
		return false;
	s->unfinished = true;
	s->cuts += s->cuts < CUTS_MAX;
	return true;
}

/*
 * Scheduling is halted in the middle of a batch.  Most often it goes on soon, with this
 * engine, which relies on what needs no start: new limits of running jobs above all.
 * Where slurmctld ends nothing of Slurm's changes any more.
 */
static int drop_rest(struct cs_sched *s, struct cs_err *err)
{
	struct cs_steps how = steps(s);
	int rc;

	how.halted = cs_sched_ends;
	rc = cs_steps_run(&how, s->adapter, cs_adapter_drop_rest, err);
	s->locked_us += how.held_us;
	return rc == 1 ? cs_adapter_give_up(s->adapter, err) : rc;
}

/* 1: scheduling is halted.  @rest: first the rest of the previous batch. */
static int decide_and_act(struct cs_sched *s, bool rest, struct cs_err *err)
{
	uint32_t started = 0;
	char why[256];
	int rc;

	while (!cs_sched_halted()) {
		rc = rest ? 1 : decide(s, err);
		if (!cs_adapter_paused(s->adapter))
			s->cuts = 0;
		if (rc != 1)
			return rc;
		rc = in_steps(s, cs_adapter_act, err);
		rest = rc == 1;
		if (cs_adapter_started(s->adapter) != started)
			cs_watchdog_progress(&s->dog);
		started = cs_adapter_started(s->adapter);
		if (rest)
			continue;
		if (rc == CS_ADAPTER_GUARD || rc == CS_ADAPTER_LOOK)
			return 0;
		if (rc || s->mode != CS_MODE_ACT)
			return rc;
		cs_watchdog_pause(&s->dog);
		cs_watchdog_go_on(&s->dog);
		if (select_lost(s) ||
		    cs_watchdog_trips(&s->dog, why, sizeof(why)) ||
		    looks_again(s))
			return 0; /* the rest comes in the next cycle */
	}
	return (rest ? drop_rest(s, err) : 0) ?: 1;
}

static int check(struct cs_sched *s, struct cs_err *err)
{
	int64_t now = cs_gate_now_us();

	if (now - s->checked_us < CHECK_US)
		return 0;
	s->checked_us = now;
	return cs_adapter_check(s->adapter, err);
}

static int pass(struct cs_sched *s, struct cs_err *err)
{
	bool rest = cs_adapter_guard_us(s->adapter);
	int rc = rest ? 0 : look_and_feed(s, err);

	s->halted = rc == 1;
	if (!rc)
		keep_sites(s);
	if (!rc && s->mode == CS_MODE_ACT)
		cs_room_tell(s->adapter, false);
	if (!rc)
		rc = decide_and_act(s, rest, err);
	if (!rc && s->mode == CS_MODE_ACT && !s->unfinished)
		cs_room_tell(s->adapter, true);
	if (!rc && s->mode == CS_MODE_ACT)
		rc = in_steps(s, cs_adapter_texts, err);
	if (!rc)
		rc = check(s, err);
	if (rc == 1) /* halted: what was left of the cycle is due again */
		s->unfinished = true;
	return rc < 0 ? rc : 0;
}

/* The main loop found the reasons of waiting jobs while jobs waited that have started
 * since: the next one of a partition still reads Priority, where stock's own start would
 * have made it read Resources.  It looks again, as often as batch_sched_delay allows. */
static void reasons_again(const struct cs_adapter_figures *f)
{
	if (f->started)
		queue_job_scheduler();
}

static void count(const struct cs_sched *s)
{
	struct cs_adapter_figures f;

	if (s->mode != CS_MODE_ACT)
		return; /* the figures are stock backfill's */
	cs_adapter_figures(s->adapter, &f);
	reasons_again(&f);
	cs_sdiag_count(&(struct cs_sdiag_cycle){
		.work_us = s->dog.last.took_us,
		.queue = f.queue,
		.looked = f.looked,
		.started = f.started,
		.reserved = f.reserved,
	});
}

void cs_sched_close_again(struct cs_sched *s)
{
	if (s->mode != CS_MODE_ACT || cs_gate_state() != CS_GATE_LAPSED)
		return;
	error("cosched: the gate had lapsed while the thread waited (for slurmctld's locks, a file or the processor) or slurmctld stood still: it is closed again");
	cs_gate_on((unsigned)s->settings.params.hang_s, s->settings.gated,
		   s->settings.except);
}

/* adapter.h: what the errors of a pass say. */
static enum cs_fallback_cause cause_of(int rc)
{
	return rc == -ENOMEM || rc == -ENODEV || rc == -ECANCELED
		       ? CS_FALLBACK_PASSING
		       : CS_FALLBACK_FAULT;
}

/* A cycle from @began_us with the locks held for @locked_us, which has just ended. */
static void count_batch(struct cs_sched *s, bool more, int64_t began_us,
			int64_t locked_us)
{
	uint32_t started = cs_adapter_started(s->adapter);

	if (!started)
		return;
	if (!more)
		memset(&s->batch, 0, sizeof(s->batch));
	s->batch.starts += started;
	s->batch.took_us += s->ended_us - began_us;
	s->batch.locked_us += locked_us;
}

/* What follows from the error @rc of a pass, for @why; 0: none. */
static bool failed(struct cs_sched *s, int rc, const char *why)
{
	if (rc == -ERESTART)
		cs_sched_machine_changed(s, why);
	else if (rc == -ESTALE)
		cs_sched_rebuild(s, why);
	else if (rc)
		cs_sched_fall_back(s, cause_of(rc), why);
	return rc;
}

void cs_sched_cycle(struct cs_sched *s)
{
	struct cs_err err = { "no reason given" };
	int64_t began_us = cs_gate_now_us(), locked_us = s->locked_us;
	bool more = s->unfinished;
	char why[256];
	int rc;

	if (!cs_sched_nodes_there(s))
		return;
	s->unfinished = s->look_due = false;
	cs_watchdog_begin(&s->dog);
	rc = pass(s, &err);
	cs_watchdog_end(&s->dog);
	s->cycles++;
	s->ended_us = cs_gate_now_us();
	s->held_us = s->locked_us - locked_us;
	count_batch(s, more, began_us, s->held_us);
	if (failed(s, rc, err.text))
		return;
	s->stale = 0;
	s->rebuild_us = 0;
	count(s);
	if (select_lost(s)) {
		cs_sched_configure(s, CS_CONFIGURE_CHECK);
		return;
	}
	if (s->mode == CS_MODE_ACT &&
	    cs_watchdog_trips(&s->dog, why, sizeof(why))) {
		cs_sched_fall_back(s, CS_FALLBACK_PASSING, why);
		return;
	}
	cs_sched_close_again(s);
	cs_sched_save(s);
	if (cs_adapter_outgrown(s->adapter))
		cs_sched_renew(s);
	cs_sched_publish(s);
}

/* ---- new jobs -------------------------------------------------------------- */

bool cs_sched_news_due(const struct cs_sched *s, unsigned pending)
{
	int64_t due_us =
		s->news_us - (pending & CS_WAKE_REFUSED ? NEWS_US / 2 : 0);

	return !idles(s) && finds_news(s) && cs_gate_now_us() >= due_us;
}

static bool news_there(const struct cs_sched *s)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();
	bool there;

	lock_slurmctld(locks);
	there = cs_adapter_news_there(s->adapter);
	unlock_slurmctld(locks);
	return there;
}

static int news(struct cs_sched *s, struct cs_err *err)
{
	int rc = in_steps(s, cs_adapter_news_look, err)
			 ?: cs_adapter_news_feed(s->adapter, err);

	if (!rc && cs_adapter_news_any(s->adapter))
		rc = decide_and_act(s, false, err);
	if (!rc && !s->unfinished)
		cs_room_tell(s->adapter, true);
	s->look_due = cs_adapter_news_end(s->adapter);
	s->unfinished |= rc == 1;
	return rc < 0 ? rc : 0;
}

/* The last cycle stays what the rest and the status go by. */
void cs_sched_news(struct cs_sched *s)
{
	struct cs_watchdog_time last = s->dog.last;
	struct cs_err err = { "no reason given" };
	int64_t began_us = cs_gate_now_us();
	char why[256];
	int rc;

	s->news_us =
		began_us + more(NEWS_US, s->settings.params.rest_ms * 1000);
	if (!news_there(s))
		return;
	cs_watchdog_begin(&s->dog);
	rc = news(s, &err);
	cs_watchdog_end(&s->dog);
	s->dog.last = last;
	s->news_us = more(s->news_us, 2 * cs_gate_now_us() - began_us);
	if (failed(s, rc, err.text))
		return;
	if (cs_watchdog_trips(&s->dog, why, sizeof(why))) {
		cs_sched_fall_back(s, CS_FALLBACK_PASSING, why);
		return;
	}
	cs_sched_save(s);
}
