/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explain: a job's place in the queue, its campaign in the virtual schedule. */
#include <errno.h>
#include <inttypes.h>

#include "explain/explain.h"
#include "job/eligible.h"
#include "state/pass.h"
#include "order/priority.h"

/* How many jobs are eligible, and how many of them go before @j; by first
 * partitions. */
static void count(const struct cs_engine *e, struct cs_ejob *j,
		  uint32_t *ret_before, uint32_t *ret_all)
{
	const struct cs_entry mine = { j, 0 };

	*ret_before = *ret_all = 0;
	for (size_t i = 0; i < e->waiting.n; i++) {
		const struct cs_entry x = { e->waiting.job[i], 0 };

		if (!cs_waits(x.job) || !x.job->job.id ||
		    cs_sm_of(e, x.job) != cs_sm_of(e, j) ||
		    (x.job != j && cs_eligible_why_not(e, &x) != CS_WHY_NEW))
			continue;
		*ret_before += x.job != j && e->order_cmp(&x, &mine) < 0;
		++*ret_all;
	}
}

/* How an administrator or the user changed the order of campaigns. */
static void say_set(struct cs_text *t, const struct cs_job *j)
{
	uint64_t priority = j->option[0].priority;

	if (j->flags & CS_JOB_PRIORITY_SET)
		cs_put(t,
		       "  an administrator set its priority to %" PRIu64
		       ": it goes %s all campaigns\n",
		       priority,
		       priority > CS_PRIORITY_MOST ? "before" : "behind");
	else if (j->nice < 0)
		cs_put(t,
		       "  its nice value %d makes it the first of its "
		       "user's running campaign\n",
		       j->nice);
	else if (j->nice > 0)
		cs_put(t,
		       "  its nice value %d puts it behind jobs of its "
		       "campaign with a lower one\n",
		       j->nice);
}

int cs_explain_place(const struct cs_engine *e, uint32_t job_id,
		     uint32_t *ret_before, uint32_t *ret_all)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);
	enum cs_why why;

	if (!j || j->state != CS_WAITING)
		return -ENOENT;
	why = cs_eligible_why_not(e, &(struct cs_entry){ j, 0 });
	if (why != CS_WHY_NEW && why != CS_WHY_AFTER && why != CS_WHY_REFUSED)
		return -ENOENT;
	count(e, j, ret_before, ret_all);
	return 0;
}

/* What order/shifted.c takes off its age, or off its priority. */
static void put_shift(struct cs_text *t, const struct cs_engine *e,
		      const struct cs_ejob *j)
{
	const struct cs_shift *s = &j->shift;
	int64_t age_us = e->now_us > j->job.eligible_us
				 ? e->now_us - j->job.eligible_us
				 : 0;
	int64_t off_us =
		(double)age_us > s->rule_us ? age_us - (int64_t)s->rule_us : 0;

	if (s->hand) {
		cs_put(t, "by the priority that was set for it by hand "
			  "(order=shifted)\n");
		return;
	}
	if (j->job.flags & CS_JOB_UNSHIFTED) {
		cs_put(t,
		       "by its partition's tier, %u, and its %s, unshifted, as "
		       "the site wants it for its partition or QOS "
		       "(order=shifted)\n",
		       j->job.option[0].tier,
		       e->params.age_points < 0 ? "age" : "priority");
		return;
	}
	if (e->params.age_points >= 0)
		cs_put(t,
		       "by its partition's tier, %u, and its priority, "
		       "%" PRIu64 ", less %.0f points",
		       j->job.option[0].tier, j->job.option[0].priority,
		       s->points);
	else
		cs_put(t, "by its partition's tier, %u, and its age",
		       j->job.option[0].tier);
	if (s->pinned) {
		cs_put(t, "; it keeps its planned start now (order=shifted)\n");
		return;
	}
	cs_put(t, ": it counts as having come ");
	cs_explain_put_span(t, off_us);
	cs_put(t, " later, for its limit and its cores; the usual limit was ");
	cs_explain_put_span(t, s->usual_us);
	cs_put(t, " (order=shifted)\n");
}

void cs_explain_put_place(struct cs_text *t, const struct cs_engine *e,
			  struct cs_ejob *j)
{
	const struct cs_job_partition *o = &j->job.option[0];
	uint32_t before, all;

	if (!cs_explain_place(e, j->job.id, &before, &all)) {
		cs_put(t, "  %u of %u in the queue%s, ", before + 1, all,
		       e->n_sm > 1 ? " of its class" : "");
		if (o->precedence == CS_PRECEDENCE_FIRST &&
		    e->params.order != CS_ORDER_FCFS)
			cs_put(t, "before all that are not requeued "
				  "expedited, then ");
		else if (o->precedence && e->params.order != CS_ORDER_FCFS)
			cs_put(t, "by what it may preempt or has reserved, "
				  "then ");
		if (e->params.order == CS_ORDER_FCFS)
			cs_put(t, "by eligible time (order=fcfs): priority and "
				  "nice value do not count\n");
		else if (e->params.order == CS_ORDER_SLURM)
			cs_put(t,
			       "by its partition's tier, %u, and its "
			       "priority, %" PRIu64 " (order=slurm)\n",
			       o->tier, o->priority);
		else if (e->params.order == CS_ORDER_EXPANSION)
			cs_put(t,
			       "by its partition's tier, %u, and its wait over "
			       "the time it takes, times the root of its "
			       "width, %.3g (order=expansion)\n",
			       o->tier, j->expansion);
		else if (e->params.order == CS_ORDER_WORK)
			cs_put(t,
			       "by its partition's tier, %u, and its eligible "
			       "time, the earlier the more work it asks for, "
			       "and half a day up to an hour (order=work)\n",
			       o->tier);
		else if (e->params.order == CS_ORDER_SHIFTED)
			put_shift(t, e, j);
		else
			cs_put(t,
			       "by its partition's tier, %u, and campaigns "
			       "(order=ostrich)\n",
			       o->tier);
	}
	if (e->params.order == CS_ORDER_OSTRICH)
		say_set(t, &j->job);
}

/* "in 0:01:00" or "0:01:00 ago" */
static void say_when(struct cs_text *t, const struct cs_engine *e,
		     int64_t at_us)
{
	bool past = at_us <= e->now_us;

	if (at_us == CS_TIME_NONE) {
		cs_put(t, "unknown while no node is up");
		return;
	}
	if (!past)
		cs_put(t, "in ");
	cs_explain_put_span(t, past ? e->now_us - at_us : at_us - e->now_us);
	if (past)
		cs_put(t, " ago");
}

/* The times of a campaign that has not ended virtually. */
static void say_to_come(struct cs_text *t, const struct cs_engine *e,
			const struct cs_campaign_view *v, uint32_t k)
{
	if (!v->began)
		cs_put(t, "  virtual start at the virtual end of its user's "
			  "previous campaign\n");
	cs_put(t, "  virtual end ");
	say_when(t, e, v->ended_us);
	cs_put(t, ", if nobody submits and no job ends early\n");
	cs_put(t, "  projected end ");
	say_when(t, e, v->projected_us);
	if (k == 1)
		cs_put(t, ", the virtual end if its user stays the only active "
			  "one\n");
	else
		cs_put(t,
		       ", the virtual end if the %u users active now stay "
		       "active\n",
		       k);
}

void cs_explain_put_campaign(struct cs_text *t, const struct cs_engine *e,
			     const struct cs_ejob *j)
{
	struct cs_campaign_view v;
	uint32_t k = cs_campaign_active_users(e);

	if (cs_campaign_query(e, j->job.id, &v))
		return;
	cs_put(t, "  campaign %u of %s", v.number, v.user);
	if (*v.name)
		cs_put(t, " (%s)", v.name);
	cs_put(t, ": rank %u, %u waiting and %u running; %u user%s active",
	       v.rank, v.waiting, v.running, k, k == 1 ? " is" : "s are");
	if (v.share > 0)
		cs_put(t, ", this one's share is %.1f %%", v.share * 100);
	cs_put(t, "\n");
	if (v.ended) {
		cs_put(t, "  virtual end ");
		say_when(t, e, v.ended_us);
		cs_put(t, "\n");
	} else {
		say_to_come(t, e, &v, k);
	}
	cs_put(t, "  bound ");
	say_when(t, e, v.bound_us);
	cs_put(t,
	       ", when its last job has ended if no further user and no "
	       "longer job comes%s\n",
	       j->job.procs > 1 ? " (indicative: this job has more than one "
				  "process)"
				: "");
}
