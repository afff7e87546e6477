/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates of starts inside slurmctld.
 *
 * Rules.
 *  1. The estimator receives each event that the engine accepts (feed_event.c), as in a
 *     simulation and in a replay.
 *  2. A set of estimates of all waiting jobs begins when something has changed since the
 *     last one: NEW_US after that at the earliest if a job has none yet, else AGAIN_US
 *     after it.  Not while a start is unanswered, nor in the middle of a decide.
 *  3. Work on a set is done between cycles, without a lock, PIECE_US at a time, and takes
 *     one SHAREth of the time, but for BURST_US saved up while there was none.  A
 *     part of a decide of a forward run is done whole, and so is the beginning of a set, so a
 *     piece may last longer; the next one comes later then.  After each PIECE_STEPS steps
 *     a piece ends if scheduling is halted.
 *  4. In the log a tick brings a reader's engine to the time of this one, whose decides
 *     without a result are not there; then comes the line of the set, and when it is made
 *     those of the jobs that had no estimate before.
 *  5. A set that fails is dropped, and so is one during which too much happens: the next
 *     one comes as ever; each of the two is reported once.  Where there is no memory, or
 *     estimates are impossible, none follows, which is reported.  An engine that refuses
 *     the tick is rebuilt.
 */
#include "sched/adapter/start_estimates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/err.h"
#include "gate/gate.h"
#include "sched/feed/feed_event.h"

#define NEW_US INT64_C(1000000)
#define AGAIN_US INT64_C(10000000)
#define BUSY_US INT64_C(200000) /* a start was unanswered: until the next try */
#define PIECE_US 5000
#define PIECE_STEPS 500
#define SHARE 50
#define BURST_US INT64_C(200000)

int cs_start_estimates_init(struct cs_adapter *b)
{
	if (b->mode != CS_MODE_ACT || b->params.start_estimates != CS_YES)
		return 0;
	b->estimates.by = cs_estimator_create((uint64_t)b->params.seed);
	return b->estimates.by ? 0 : -ENOMEM;
}

void cs_start_estimates_done(struct cs_start_estimates *x)
{
	cs_estimator_free(x->by);
	free(x->said);
	*x = (struct cs_start_estimates){ 0 };
}

const struct cs_estimate *cs_start_estimates_of(const struct cs_adapter *b,
						const struct cs_known_job *k)
{
	const struct cs_start_estimates *x = &b->estimates;

	if (!k || k->state != CS_VIEW_WAITING || k->said >= x->n_said ||
	    x->said[k->said].job_id != k->id ||
	    x->said[k->said].start_us == CS_TIME_NONE)
		return NULL;
	return &x->said[k->said];
}

/* ---- sets (rules 2 to 5) ----------------------------------------------------- */

/* When the next set may begin. */
static int64_t begins_us(const struct cs_adapter *b)
{
	const struct cs_start_estimates *x = &b->estimates;

	if (!x->changed || !b->count.snapshots)
		return CS_TIME_NONE;
	return x->began_us + (cs_estimator_has_new(x->by) ? NEW_US : AGAIN_US);
}

int64_t cs_adapter_estimates_due_us(const struct cs_adapter *b)
{
	const struct cs_start_estimates *x = &b->estimates;
	int64_t from_us;

	if (!x->by || !b->engine || b->batch.parts || b->batch.guards)
		return CS_TIME_NONE;
	from_us = cs_estimator_works(x->by) ? 0 : begins_us(b);
	return from_us > x->due_us ? from_us : x->due_us;
}

static void end_for_good(struct cs_adapter *b, const char *why)
{
	cs_say(true, "%s: starts are not estimated any more", why);
	cs_start_estimates_done(&b->estimates);
}

/* Rule 5: for @rc, of a set.  0; -ESTALE, for the caller. */
static int fail(struct cs_adapter *b, int rc, const char *why)
{
	struct cs_start_estimates *x = &b->estimates;

	x->making = false;
	if (rc == -ESTALE)
		return rc;
	if (rc == -ENOMEM || rc == -ENOTSUP) {
		end_for_good(b, why);
		return 0;
	}
	if (!x->said_failed)
		cs_say(true,
		       "%s: a set of estimates of starts is dropped, ignoring",
		       why);
	x->said_failed = true;
	return 0;
}

/* The estimator has dropped the last set. */
static void note_dropped(struct cs_start_estimates *x)
{
	if (!x->said_dropped)
		cs_say(true,
		       "more than %d events while starts were estimated: the estimates come later",
		       CS_ESTIMATE_EVENTS);
	x->said_dropped = true;
	x->making = false;
}

/* Begin a set, if there are jobs for it: x->making.  0, or as cs_estimator_begin() or
 * cs_feed_event(). */
static int begin(struct cs_adapter *b, struct cs_err *err)
{
	struct cs_start_estimates *x = &b->estimates;
	struct cs_event now = { .type = CS_EV_TICK };
	bool any = false;
	int rc;

	x->began_us = cs_gate_now_us();
	now.t_us = cs_feed_now_us(b);
	rc = cs_feed_event(b, &now, NULL, err)
		     ?: cs_estimator_begin(x->by, b->engine, CS_ESTIMATE_ALL,
					   &any, err);
	if (rc == -EBUSY) {
		x->due_us = x->began_us + BUSY_US;
		return 0;
	}
	if (rc)
		return rc;
	x->changed = false;
	x->making = any;
	x->n_said = any ? x->n_said : 0;
	if (any)
		cs_feed_log_estimates(b);
	return 0;
}

/* The set is made: show and log it. */
static int take(struct cs_adapter *b)
{
	struct cs_start_estimates *x = &b->estimates;
	uint32_t n;
	const struct cs_estimate *made = cs_estimator_made(x->by, &n);

	x->n_said = 0;
	if (cs_array_room(&x->said, &x->cap_said, n + 1))
		return -ENOMEM;
	cs_feed_now_us(b); /* of the lines */
	for (uint32_t i = 0; i < n; i++) {
		struct cs_known_job *k =
			cs_known_find(&b->known, made[i].job_id);

		if (made[i].first)
			cs_feed_log_estimate(b, &made[i]);
		x->said[i] = made[i];
		if (k)
			k->said = i;
	}
	x->n_said = n;
	x->making = false;
	x->unsaved = true;
	return 0;
}

/* A piece of the set.  *ret_more: it is not finished.  0, a negative errno. */
static int work(struct cs_adapter *b, int64_t from_us, bool *ret_more)
{
	struct cs_start_estimates *x = &b->estimates;
	int rc = 0;

	while (!rc && *ret_more && !b->halted() &&
	       cs_gate_now_us() - from_us < PIECE_US)
		rc = cs_estimator_step(x->by, PIECE_STEPS, ret_more);
	return rc;
}

/* Rule 3: the next piece, after this one. */
static void rest(struct cs_start_estimates *x, int64_t from_us)
{
	if (x->due_us < from_us - BURST_US * SHARE)
		x->due_us = from_us - BURST_US * SHARE;
	x->due_us += SHARE * (cs_gate_now_us() - from_us);
}

int cs_adapter_estimates_work(struct cs_adapter *b, struct cs_err *err)
{
	struct cs_start_estimates *x = &b->estimates;
	int64_t from_us = cs_gate_now_us();
	bool more, made = false;
	int rc = 0;

	if (x->making && !cs_estimator_works(x->by))
		note_dropped(x);
	if (!x->making) {
		rc = begin(b, err);
	} else {
		more = true;
		rc = work(b, from_us, &more);
		made = !rc && !more;
		if (made)
			rc = take(b);
		if (rc)
			cs_err_set(err, rc, "%s", strerror(-rc));
	}
	if (rc)
		rc = fail(b, rc, err->text);
	else if (made)
		rc = 1;
	if (x->by)
		rest(x, from_us);
	return rc;
}

/* ---- what outlives a restart -------------------------------------------------- */

static char *history(const struct cs_adapter *b)
{
	size_t n = cs_estimator_save(b->estimates.by, b->engine, NULL, 0);
	char *text = malloc(n + 1);

	if (text)
		cs_estimator_save(b->estimates.by, b->engine, text, n + 1);
	return text;
}

int cs_adapter_estimates_save(struct cs_adapter *b, bool ends, char **ret)
{
	if (!b->estimates.by || !b->engine || !b->estimates.unsaved)
		return -ENOENT;
	if (ends) { /* what has happened since the set began is learned */
		cs_estimator_drop(b->estimates.by);
		b->estimates.making = false;
	}
	*ret = history(b);
	return *ret ? 0 : -ENOMEM;
}

void cs_adapter_estimates_saved(struct cs_adapter *b)
{
	b->estimates.unsaved = false;
}

/* A reader of the log begins with what it says, so the estimator does, too. */
void cs_start_estimates_log(struct cs_adapter *b)
{
	struct cs_event ev = { .type = CS_EV_KEPT, .t_us = b->now_us };
	char *text, *save = NULL;

	if (!b->estimates.by || !b->count.snapshots)
		return;
	cs_estimator_drop(b->estimates.by); /* it learns what has happened */
	text = history(b);
	cs_start_estimates_done(&b->estimates);
	if (!text || cs_start_estimates_init(b)) {
		free(text);
		end_for_good(b, "no memory");
		return;
	}
	b->estimates.changed = true;
	for (char *l = strtok_r(text, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		ev.kept = l;
		if (!cs_estimator_tell(b->estimates.by, b->engine, &ev, NULL))
			cs_feed_log_event(b, &ev, NULL);
	}
	free(text);
}
