/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OStrich in the engine: jobs grouped into campaigns, and their order.
 *
 * Problem.  The virtual schedule (ostrich.c) knows campaigns with work; the engine has
 * jobs that arrive one by one, change, end early, and start in an order.
 *
 * Rules.
 *  1. A job joins a campaign when it could first start: it is not blocked and its time
 *     has come.  It stays there, whatever happens, until it ends.  Its work is its
 *     cores times its estimate; an array's is that of all its waiting tasks.
 *  2. Tasks of an array join the array's campaign, jobs with a name their user's
 *     campaign of that name, as long as it has not ended virtually.
 *  3. Any other job joins its user's last campaign if that is none of rule 2, has not
 *     ended virtually, and (`campaign`)
 *	batch	has not begun virtually, or does so at this very moment
 *	max	has a job that waits or runs
 *	last	has the last job that the user submitted, and that waits or runs
 *	arrival	got its last job at most think_s ago
 *	gap	as max, or the last of its jobs left at most think_s ago
 *	array	(never)
 *  4. A job that joins none begins one, behind the others of its user.
 *  5. Campaigns are ranked by F, those that have not begun virtually behind all others;
 *     with campaign_hold=strict their jobs wait.  Ties: the older campaign.
 *  6. When an estimate changes, so does the work; when a job ends, its work is what it
 *     did (in time of its estimate: slowdown by others is not charged); a job cancelled
 *     while waiting has none.  A requeued job keeps its place, and is charged once.
 *
 *  7. A job with a nice value below 0 (set by an operator or `scontrol top`) belongs to
 *     its user's campaign that runs virtually: it displaces only that user's own work.
 *  8. State from before a restart: campaign_state.c.
 *  9. A job whose priority the administrator set has its own place in the order
 *     (order.c) and is never held; its work counts like any other's.
 *
 * Source: Emeras12 (see ostrich.h), sections IV-B (5), VI-A (max, last, arrival), VII
 * (batch, theorem 2).
 *
 * Differs.
 *  1. Section VI-A detects campaigns in a log afterwards; here the same rules apply
 *     when a job arrives, to the schedule at hand, and a campaign takes no more jobs
 *     once it has ended virtually: its promise stays.
 *  2. A campaign whose jobs arrived one after the other has in the virtual schedule
 *     what was known at each moment.
 *  3. For jobs of several cores, work is cores times time; bounds hold only for serial
 *     jobs.
 *  4. Inside a campaign jobs go fcfs, shortest or longest first, or by MLPT
 *     (mlpt.c).  Bounds do not depend on it.
 *
 * Invariants: a started job is in a campaign; the jobs of a campaign count those
 * in the engine.
 *
 * Cost: O(log) an event plus the cost of ostrich.c, O(campaigns of its user) a job of
 * rule 2; O(queue) a decide after a rank has changed, and a sort if that moved a job.
 */
#include "order/campaign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/heap.h"
#include "order/campaign_rank.h"
#include "order/campaign_state.h"
#include "order/campaign_work.h"
#include "order/mlpt.h"
#include "order/queue.h"
#include "state/state.h"

/* ---- joining (rules 1 to 4) ------------------------------------------------ */

/* Rule 3. */
static bool takes(const struct cs_engine *e, const struct cs_campaign *c)
{
	const struct cs_ostrich *o = cs_campaign_schedule(e);
	int64_t think_us = e->params.think_s * INT64_C(1000000);
	const struct cs_ejob *last;

	switch ((enum cs_campaigns_by)e->params.campaign) {
	case CS_CAMPAIGNS_BATCH:
		return c->state == CS_CAMPAIGN_WAITS || c->start == o->v;
	case CS_CAMPAIGNS_MAX:
		return c->jobs > 0;
	case CS_CAMPAIGNS_LAST:
		last = cs_engine_job(e, c->user->last_job);
		return last && last->campaign == c;
	case CS_CAMPAIGNS_ARRIVAL:
		return o->now_us - c->user->last_join_us <= think_us;
	case CS_CAMPAIGNS_GAP:
		return c->jobs > 0 || o->now_us - c->left_us <= think_us;
	case CS_CAMPAIGNS_ARRAY:
		break;
	}
	return false;
}

static const char *name_of(const struct cs_ejob *j)
{
	const char *name = j->job.campaign;

	return name && strlen(name) < CS_CAMPAIGN_NAME ? name : "";
}

/* The campaign of @u that @j joins, or NULL. */
static struct cs_campaign *campaign_for(const struct cs_engine *e,
					const struct cs_ejob *j,
					const struct cs_ostrich_user *u)
{
	const char *name = name_of(j);
	struct cs_campaign *c = u->last;

	if (!u->head)
		return NULL;
	if (j->job.nice < 0)
		return u->head;
	if (!*name && !j->job.array_id)
		return !c->array && !*c->name && takes(e, c) ? c : NULL;
	for (; c && c->state != CS_CAMPAIGN_ENDED; c = c->prev)
		if (*name ? !strcmp(c->name, name)
			  : c->array == j->job.array_id)
			return c;
	return NULL;
}

static int join(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_ostrich *o = cs_campaign_schedule(e);
	struct cs_ostrich_user *u;
	struct cs_campaign *c;
	cs_u128 work = cs_campaign_work_of(e, j);

	cs_campaign_renew_longest(e);
	u = cs_ostrich_user(o, j->job.user ? j->job.user : "");
	if (!u)
		return -ENOMEM;
	if (e->params.shares == CS_SHARES_GIVEN)
		cs_ostrich_share(o, u, j->job.share);
	c = campaign_for(e, j, u);
	if (c) {
		cs_ostrich_join(o, c, work);
	} else {
		c = cs_ostrich_submit(o, u, work);
		if (!c)
			return -ENOMEM;
		snprintf(c->name, sizeof(c->name), "%s", name_of(j));
		c->array = *c->name ? 0 : j->job.array_id;
	}
	u->last_job = j->job.id;
	u->last_join_us = o->now_us;
	cs_campaign_note_length(e, j);
	j->campaign = c;
	j->work = work;
	return 0;
}

static bool blocked(const struct cs_ejob *j)
{
	for (uint32_t i = 0; i < j->job.n_option; i++)
		if (!(cs_job_flags(j, i) & CS_JOB_BLOCKED))
			return false;
	return true;
}

/* ---- jobs not yet eligible: a heap ----------------------------------------- */

static int reserve(struct cs_engine *e, size_t jobs)
{
	struct cs_campaigns *k = e->campaigns;

	return cs_array_room(&k->due, &k->cap_due, jobs);
}

static bool due_before(const struct cs_campaigns *k, const struct cs_ejob *a,
		       const struct cs_ejob *b)
{
	(void)k;
	if (a->job.eligible_us != b->job.eligible_us)
		return a->job.eligible_us < b->job.eligible_us;
	return a->job.id < b->job.id;
}

static struct cs_ejob *due_at(const struct cs_campaigns *k, size_t i)
{
	return k->due[i];
}

static void due_put(struct cs_campaigns *k, size_t i, struct cs_ejob *j)
{
	k->due[i] = j;
	j->due = (uint32_t)i + 1;
}

CS_HEAP(due, struct cs_campaigns, struct cs_ejob *, 2, due_at, due_put,
	due_before);

static void not_due(struct cs_campaigns *k, struct cs_ejob *j)
{
	if (j->due)
		k->n_due = (uint32_t)due_drop(k, k->n_due, j->due - 1);
	j->due = 0;
}

/* Rule 1: @j joins a campaign, or waits for its time, or for a change. */
static int join_in_time(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_campaigns *k = e->campaigns;

	not_due(k, j);
	if (blocked(j))
		return 0;
	if (j->job.eligible_us <= e->now_us)
		return join(e, j);
	due_put(k, k->n_due++, j);
	due_sift(k, k->n_due, k->n_due - 1);
	return 0;
}

/* ---- what happens to jobs --------------------------------------------------- */

static int added(struct cs_engine *e, struct cs_ejob *j)
{
	return cs_campaign_come_back(e, j) ? 0 : join_in_time(e, j);
}

/* Rule 7. */
static void advance(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_campaign *c = j->campaign, *head = c->user->head;
	cs_u128 work = j->work;

	if (c->state != CS_CAMPAIGN_WAITS || c == head)
		return;
	cs_campaign_charge(e, j, 0);
	cs_ostrich_leave(cs_campaign_schedule(e), c);
	cs_ostrich_join(cs_campaign_schedule(e), head, work);
	j->campaign = head;
	j->work = work;
}

static int changed(struct cs_engine *e, struct cs_ejob *j)
{
	if (!j->campaign)
		return join_in_time(e, j);
	if (e->params.shares == CS_SHARES_GIVEN)
		cs_ostrich_share(cs_campaign_schedule(e), j->campaign->user,
				 j->job.share);
	cs_campaign_note_length(e, j);
	e->campaigns->shorter = true; /* or may be */
	cs_campaign_charge(e, j, cs_campaign_work_of(e, j));
	if (j->job.nice < 0 && j->state == CS_WAITING)
		advance(e, j);
	return 0;
}

static int found(struct cs_engine *e, struct cs_ejob *j)
{
	int rc;

	if (j->campaign)
		return 0;
	if (j->queued)
		cs_order_drop(e, j);
	not_due(e->campaigns, j);
	rc = join(e, j);
	if (rc)
		join_in_time(e, j);
	cs_order_add(e, j);
	return rc;
}

static void ended(struct cs_engine *e, struct cs_ejob *j)
{
	if (j->campaign)
		cs_campaign_charge(
			e, j,
			(cs_u128)cs_campaign_cores_of(e, j) *
				(cs_u128)(j->done_us > 0 ? j->done_us : 0));
}

static void cancelled(struct cs_engine *e, struct cs_ejob *j)
{
	if (j->campaign)
		cs_campaign_charge(e, j, 0);
}

static void leaving(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_campaigns *k = e->campaigns;

	not_due(k, j);
	k->shorter |= j->job.estimate_us >= k->longest_us;
	if (j->campaign)
		cs_ostrich_leave(cs_campaign_schedule(e), j->campaign);
	j->campaign = NULL;
}

static void split(struct cs_engine *e, struct cs_ejob *master,
		  struct cs_ejob *task)
{
	task->campaign = master->campaign;
	if (!task->campaign)
		return;
	cs_ostrich_claim(task->campaign);
	task->work = cs_campaign_work_of(e, task);
	master->work -= task->work;
}

static void merged(struct cs_ejob *master, struct cs_ejob *task)
{
	master->work += task->work;
	task->work = 0;
}

static void cores(struct cs_engine *e, uint32_t cores, bool up)
{
	struct cs_ostrich *o = cs_campaign_schedule(e);

	cs_ostrich_procs(o, up ? o->procs + cores : o->procs - cores);
}

void cs_campaign_clock(struct cs_engine *e)
{
	struct cs_campaigns *k = e->campaigns;

	k->told |= k->n_kept > 0;
	if (k->n_kept && e->now_us > k->kept_us)
		cs_campaign_forget_kept(e);
	while (k->n_due && k->due[0]->job.eligible_us <= e->now_us) {
		struct cs_ejob *j = k->due[0];
		bool queued = j->queued;

		cs_ostrich_advance(k->virtual, j->job.eligible_us);
		if (queued)
			cs_order_drop(e, j);
		if (!join(e, j))
			not_due(k, j);
		if (queued)
			cs_order_add(e, j);
		if (j->due)
			return; /* no memory: retry later */
	}
	cs_ostrich_advance(k->virtual, e->now_us);
}

/* ---- order ----------------------------------------------------------------- */

bool cs_campaign_refresh(struct cs_engine *e)
{
	struct cs_ostrich *o = cs_campaign_schedule(e);
	bool mlpt = e->params.campaign_order == CS_CAMPAIGN_ORDER_MLPT;
	struct cs_campaign *c;
	bool any = false;

	while ((c = cs_ostrich_changed(o))) {
		c->key_runs = c->state != CS_CAMPAIGN_WAITS;
		c->key = c->finish;
		any = true;
	}
	if (mlpt)
		cs_mlpt_turns(e);
	if (!any && !mlpt)
		return false;
	/* a job in the same place may no longer be held back */
	return cs_order_ranked(e) ||
	       (any && e->params.campaign_hold == CS_CAMPAIGN_HOLD_STRICT);
}

static int64_t wakeup_us(const struct cs_engine *e)
{
	const struct cs_ostrich *o = cs_campaign_schedule(e);

	return o->waits && e->waiting.n ? cs_ostrich_next_us(o) : CS_TIME_NONE;
}

/* Core seconds for a user of weight CS_OSTRICH_WEIGHT. */
static double service(cs_u128 v)
{
	return (double)v / (double)CS_OSTRICH_UNIT * (CS_OSTRICH_WEIGHT / 1e6);
}

static void note(const struct cs_engine *e, const struct cs_ejob *j,
		 struct cs_action *a)
{
	const struct cs_ostrich *o = cs_campaign_schedule(e);

	if (!j->campaign)
		return;
	a->campaign = j->campaign->seq;
	a->virtual_us = cs_ostrich_projected_us(o, j->campaign);
	a->service = service(o->v);
	a->finish = service(j->campaign->finish);
}

/* ---- life ------------------------------------------------------------------ */

static int init(struct cs_engine *e)
{
	e->campaigns = calloc(1, sizeof(*e->campaigns));
	if (!e->campaigns)
		return -ENOMEM;
	e->campaigns->like = *cs_machine_first(e->machine);
	e->campaigns->like.name = NULL;
	e->campaigns->virtual = cs_ostrich_create(cs_machine_cores(e->machine));
	return e->campaigns->virtual ? 0 : -ENOMEM;
}

static void done(struct cs_engine *e)
{
	if (!e->campaigns)
		return;
	cs_ostrich_free(e->campaigns->virtual);
	free(e->campaigns->due);
	free(e->campaigns->kept);
	free(e->campaigns->kept_job);
	free(e->campaigns);
}

/* Every job is where rule 1 puts it, and counted there. */
static int check_jobs(const struct cs_engine *e, const struct cs_list *l,
		      struct cs_err *err)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct cs_ejob *j = l->job[i];

		if (j->campaign) {
			j->campaign->counted++;
			if (!j->due)
				continue;
		}
		if (j->campaign ||
		    (l == &e->started && j->state != CS_PROPOSED))
			return cs_err_set(err, -EINVAL,
					  "job %u is in no campaign, or waits "
					  "for one and is",
					  j->job.id);
	}
	return 0;
}

static int check(const struct cs_engine *e, struct cs_err *err)
{
	const struct cs_ostrich *o = cs_campaign_schedule(e);
	int rc = cs_ostrich_check(o, err);

	if (rc)
		return rc;
	for (struct cs_ostrich_user *u = o->first; u; u = u->next)
		for (struct cs_campaign *c = u->first; c; c = c->next)
			c->counted = 0;
	for (uint32_t i = 0; i < e->campaigns->n_kept_job; i++)
		if (e->campaigns->kept_job[i].campaign)
			e->campaigns->kept_job[i].campaign->counted++;
	rc = check_jobs(e, &e->waiting, err) ?: check_jobs(e, &e->started, err);
	for (struct cs_ostrich_user *u = o->first; !rc && u; u = u->next)
		for (struct cs_campaign *c = u->first; !rc && c; c = c->next)
			if (c->counted != c->jobs)
				rc = cs_err_set(err, -EINVAL,
						"campaign %u of '%s' has %u "
						"jobs, %u counted",
						c->number, u->name, c->counted,
						c->jobs);
	return rc;
}

const struct cs_order_ops cs_order_ostrich = {
	.cmp = cs_campaign_order,
	.campaigns = true,
	.by_hand = true,
	.ranks_as = "ostrich",
	.init = init,
	.done = done,
	.copy = cs_campaign_copy,
	.reserve = reserve,
	.clock = cs_campaign_clock,
	.refresh = cs_campaign_refresh,
	.added = added,
	.changed = changed,
	.found = found,
	.split = split,
	.merged = merged,
	.cancelled = cancelled,
	.ended = ended,
	.leaving = leaving,
	.cores = cores,
	.held = cs_campaign_held,
	.note = note,
	.wakeup_us = wakeup_us,
	.restore = cs_campaign_read,
	.check = check,
};
