/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, or how it runs and what sharing costs it.
 *
 * The answers come from what the last pass recorded (cs_verdict) and, for partners,
 * from the same tests that the pass uses (match.c, join.c).  Of several partitions the
 * first is examined.  How much room there is, and whether a job behind a head waits for
 * room or for the head, is looked up on request.
 *
 * A text that is stored (squeue's reason) holds no time relative to now.
 */
#include "explain/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "backfill/backfill.h"
#include "backfill/easy.h"
#include "job/alone.h"
#include "job/eligible.h"
#include "job/forecast.h"
#include "job/horizon.h"
#include "job/oversub.h"
#include "job/progress.h"
#include "job/refused.h"
#include "state/pass.h"
#include "job/resv.h"

bool cs_explain_put_job(struct cs_text *t, uint32_t id)
{
	char name[64];
	bool all = true;

	snprintf(name, sizeof(name), "job %u", id);
	if (t->to && t->to->name)
		all = t->to->name(t->to->arg, id, name, sizeof(name));
	cs_put(t, "%s", name);
	return all;
}

void cs_explain_put_span(struct cs_text *t, int64_t us)
{
	int64_t s = us > 0 ? us / 1000000 + (us % 1000000 != 0) : 0;

	if (s >= 86400)
		cs_put(t, "%" PRId64 "-%02d:", s / 86400, (int)(s / 3600 % 24));
	else
		cs_put(t, "%d:", (int)(s / 3600));
	cs_put(t, "%02d:%02d", (int)(s / 60 % 60), (int)(s % 60));
}

const char *cs_explain_profile(const struct cs_engine *e,
			       const struct cs_ejob *j)
{
	return j->profile == CS_PROFILE_NONE
		       ? "no profile"
		       : e->profiles->profile[j->profile].name;
}

/* ---- why it waits --------------------------------------------------------- */

/* What is looked up on request. */
struct found {
	struct cs_verdict v;
	struct cs_room room; /* HEAD, NO_ROOM, if shaped */
	bool shaped;
	bool reserved; /* it would fit now, but for a reservation */
};

/* The head that @j must not delay; 0: it is gone. */
static uint32_t head_of(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_promises *h = &cs_sm_of(e, j)->heads;

	for (size_t i = 0; i < h->n; i++)
		if (cs_sets_meet(h->promise[i].nodes, set,
				 cs_node_words(e->machine)))
			return h->promise[i].job_id;
	return 0;
}

static struct found look_up(const struct cs_engine *e, struct cs_ejob *j)
{
	struct found f = { .v = j->verdict };
	bool behind;

	if (cs_pass_why(e, j) == CS_WHY_NEW) {
		enum cs_why why =
			cs_eligible_why_not(e, &(struct cs_entry){ j, 0 });

		f.v = (struct cs_verdict){ .start_us = CS_TIME_NONE };
		if (why == CS_WHY_BLOCKED || why == CS_WHY_BEGIN)
			f.v.why = why; /* no pass is needed for that */
		else if (cs_sm_of(e, j)->closed) /* the pass skipped it */
			f.v.why = CS_WHY_BEHIND;
	}
	behind = f.v.why == CS_WHY_BEHIND;
	if (behind) {
		struct cs_entry entry = { j, f.v.option };

		f.v.why = cs_eligible_why_not(e, &entry);
		if (f.v.why != CS_WHY_NEW)
			return f;
		f.v.start_us = cs_backfill_planned_us(e, j, &f.v.option);
		behind = f.v.start_us == CS_TIME_NONE;
		if (!behind)
			f.v.why = CS_WHY_PLANNED;
	}
	if (f.v.why == CS_WHY_PLANNED && !j->seat &&
	    !cs_forecast_promised(e, j))
		f.reserved = cs_room_reserved(e, j, f.v.option, &j->plan.shape);
	if (f.v.why == CS_WHY_NEW && cs_room_look(e, j, 0, &f.room))
		f.reserved = cs_room_reserved(e, j, 0, &f.room.shape);
	if (!behind && f.v.why != CS_WHY_HEAD && f.v.why != CS_WHY_NO_ROOM)
		return f;
	f.shaped = cs_room_look(e, j, f.v.option, &f.room);
	f.reserved = f.shaped && !f.room.fits &&
		     cs_room_reserved(e, j, f.v.option, &f.room.shape);
	if (!behind)
		return f;
	f.v.why = !f.shaped	? CS_WHY_NEVER
		  : f.room.fits ? CS_WHY_DELAYS
				: CS_WHY_NO_ROOM;
	if (f.shaped)
		f.v.head = head_of(e, j, f.v.option);
	return f;
}

/* It fits, but behind a head. */
static void say_delays(struct cs_text *t, const struct cs_engine *e,
		       const struct cs_ejob *j, const struct found *f)
{
	if (cs_alone_too_slow(e, j, f->v.option, &f->room.shape)) {
		cs_put(t, CS_TOO_SLOW);
		return;
	}
	cs_put(t, "there is room, but ");
	if (e->params.backfill == CS_BACKFILL_NONE)
		cs_put(t, "no job may pass ");
	if (f->v.head)
		cs_explain_put_job(t, f->v.head);
	else
		cs_put(t, "a job before it");
	cs_put(t, "%s",
	       e->params.backfill == CS_BACKFILL_NONE ? " (backfill=none)"
						      : " would start later");
}

/* Its promised start is past: a plan by cores may promise what fits on no nodes, and
 * jobs outlast their predicted ends. */
static void say_late(struct cs_text *t, const struct cs_engine *e,
		     const struct cs_ejob *j)
{
	int64_t at_us = cs_explain_room_us(e, j->job.id);

	if (at_us == CS_TIME_NONE) {
		cs_put(t, "; it was promised a start by now and is late");
		return;
	}
	cs_put(t, "; late: no nodes have room for it until running jobs end, "
		  "in ");
	cs_explain_put_span(t, at_us - e->now_us);
	cs_put(t, " at the latest");
}

/* Its latest start. */
static void say_start(struct cs_text *t, const struct cs_engine *e,
		      const struct cs_ejob *j, const struct cs_verdict *v)
{
	int64_t at_us = cs_progress_host_start_us(e, j, v->start_us);

	if (at_us == CS_TIME_NONE)
		return;
	if (j->seat && !j->forecast) {
		cs_explain_put_turn(t, e, at_us);
		return;
	}
	if (at_us <= e->now_us) {
		say_late(t, e, j);
		return;
	}
	cs_put(t, "; starts in ");
	cs_explain_put_span(t, at_us - e->now_us);
	cs_put(t, " at the latest%s",
	       e->params.order == CS_ORDER_FCFS
		       ? ""
		       : ", unless other jobs go before it");
}

/* The nodes that forecast.c reserves for it. */
static void put_kept(struct cs_text *t, const struct cs_engine *e,
		     const struct cs_ejob *j)
{
	const struct cs_held_nodes *kept = cs_forecast_of(e, j);
	uint32_t n = cs_bits_count(kept->nodes, cs_node_words(e->machine));

	cs_put(t,
	       "Slurm's own test places it, and will on %u node%s kept for it",
	       n, cs_plural(n));
}

/* The partition whose refusal expires last. */
static uint32_t last_refused(const struct cs_ejob *j)
{
	uint32_t last = 0;

	for (uint32_t i = 1; j->refusals && i < j->job.n_option; i++)
		if (j->refusals[i].retry_us > j->refusals[last].retry_us)
			last = i;
	return last;
}

/* What was refused, and what happens now. */
static void put_refused(struct cs_text *t, const struct cs_engine *e,
			const struct cs_ejob *j, uint32_t option)
{
	const struct cs_refusals *r = cs_refused_of(j, option);
	bool never = !cs_engine_could_run(e, j->job.id);

	if (never) {
		cs_explain_put_never(t, e, j, option);
		cs_put(t, ", and ");
	}
	cs_put(t, "Slurm refused its start: %s",
	       r ? r->why : "no reason given");
	if (!never && !j->forecast && r && r->by_host)
		cs_put(t, "; Slurm's own test places it now");
}

static void say_refused(struct cs_text *t, const struct cs_engine *e,
			const struct cs_ejob *j, bool when)
{
	uint32_t option = last_refused(j);
	const struct cs_refusals *r = cs_refused_of(j, option);

	put_refused(t, e, j, option);
	if (j->forecast) {
		cs_put(t, "; ");
		put_kept(t, e, j);
		if (when)
			say_start(t, e, j,
				  &(struct cs_verdict){
					  .start_us = cs_forecast_of(e, j)
							      ->start_us });
	}
	if (!r || r->retry_us <= e->now_us) {
		cs_put(t, "; it is tried again as soon as there is room not "
			  "promised to other jobs");
		return;
	}
	if (!when)
		return;
	cs_put(t, r->class == CS_REFUSED_TIMED
			  ? "; it is tried again in "
			  : "; it is tried again when job or nodes change, or "
			    "in ");
	cs_explain_put_span(t, r->retry_us - e->now_us);
}

/* Its host has just started.  False: that is not why it is blocked. */
static bool say_settles(struct cs_text *t, const struct cs_engine *e, bool when)
{
	if (!t->to || t->to->settles_us <= e->now_us)
		return false;
	cs_put(t, "slurmctld has just started, and an earlier run of it may "
		  "still have to end");
	if (!when)
		return true;
	cs_put(t, ": it may start in ");
	cs_explain_put_span(t, t->to->settles_us - e->now_us);
	return true;
}

/* Slurm holds it back; its begin time, if that is why, is known. */
static void say_kept(struct cs_text *t, const struct cs_engine *e,
		     const struct cs_ejob *j, bool when)
{
	const char *kept = t->to ? t->to->kept : NULL;
	bool begins = j->job.eligible_us > e->now_us;

	if (kept)
		cs_put(t, "held back by Slurm: %s%s", kept, begins ? "; " : "");
	else if (!begins)
		cs_put(t, "held back by Slurm (hold, dependency, limit, "
			  "license); squeue shows its reason");
	if (!begins)
		return;
	cs_put(t, "its begin time has not come");
	if (!when)
		return;
	cs_put(t, kept ? " either, it is in " : ": it may start in ");
	cs_explain_put_span(t, j->job.eligible_us - e->now_us);
}

static void put_reserved(struct cs_text *t, bool when)
{
	cs_put(t,
	       "a reservation that is not its own keeps nodes that it could "
	       "use%s",
	       when ? " (scontrol show reservation)" : "");
}

/* The verdicts about room. */
static void say_room_verdict(struct cs_text *t, const struct cs_engine *e,
			     const struct cs_ejob *j, const struct found *f,
			     bool when)
{
	const struct cs_verdict *v = &f->v;

	if (cs_forecast_promised(e, j)) {
		put_refused(t, e, j, last_refused(j));
		cs_put(t, "; ");
		put_kept(t, e, j);
	} else if (v->why == CS_WHY_PLANNED) {
		cs_put(t, j->seat ? "it has a time slot, on " : "planned on ");
		cs_explain_put_shape(t, &j->plan.shape);
	} else if (v->why == CS_WHY_HEAD) {
		cs_put(t, "first in the queue for its nodes");
		if (v->wide)
			cs_put(t,
			       ", waits for %u empty ones to share them "
			       "with jobs behind it",
			       v->wide);
	} else if (v->head) {
		cs_put(t, "behind ");
		cs_explain_put_job(t, v->head);
	}
	if (f->shaped && !v->wide) {
		cs_put(t, v->why == CS_WHY_HEAD || v->head ? ", " : "");
		cs_explain_put_room(t, &f->room);
		if (f->room.fits && e->params.mode == CS_MODE_SHADOW)
			cs_put(t, " before others start, which cosched would "
				  "do now");
	}
	if (f->shaped && cs_resv_of(e, j, v->option).in)
		cs_put(t, " in its reservation");
	if (f->reserved) {
		cs_put(t, "; ");
		put_reserved(t, when);
	}
	if (f->shaped && f->room.fits &&
	    cs_alone_too_slow(e, j, v->option, &f->room.shape))
		cs_put(t, "; " CS_TOO_SLOW);
	if (when && v->why != CS_WHY_NO_ROOM)
		say_start(t, e, j, v);
}

/* Its start keeps nothing yet (horizon.c). */
static void say_far(struct cs_text *t, const struct cs_engine *e,
		    const struct cs_ejob *j, const struct cs_verdict *v,
		    bool when)
{
	int64_t keeps_us = cs_horizon_enters_us(e, j, v->option, v->start_us);

	cs_put(t, "no nodes are kept for it yet, others may use them");
	if (!when)
		return;
	cs_put(t,
	       v->bound
		       ? "; it starts no earlier than in "
		       : "; by the limits of the jobs before it, it starts in ");
	cs_explain_put_span(t, cs_progress_host_start_us(e, j, v->start_us) -
				       e->now_us);
	if (v->bound || keeps_us == CS_TIME_NONE || keeps_us <= e->now_us)
		return;
	cs_put(t, "; nodes are kept for it in ");
	cs_explain_put_span(t, keeps_us - e->now_us);
}

/* Is it the machine that it waits for? */
static bool waits_for_room(enum cs_why why)
{
	return why != CS_WHY_BLOCKED && why != CS_WHY_BEGIN &&
	       why != CS_WHY_NEVER && why != CS_WHY_VIRTUAL;
}

/* The verdicts about the queue. */
static void say_queue_verdict(struct cs_text *t, const struct cs_engine *e,
			      const struct cs_ejob *j, enum cs_why why)
{
	switch (why) {
	case CS_WHY_DEPTH:
		cs_put(t,
		       "behind the first %" PRId64
		       " %s, beyond which none is considered (depth)",
		       e->params.depth,
		       e->params.depth_of == CS_DEPTH_OF_QUEUE
			       ? "of the queue"
			       : "of its partition that may start");
		break;
	case CS_WHY_VIRTUAL:
		cs_put(t, "its user's previous campaign has not ended in the "
			  "virtual schedule (campaign_hold=strict)");
		break;
	case CS_WHY_TURN:
		if (cs_refused_of(j, last_refused(j))) {
			put_refused(t, e, j, last_refused(j));
			cs_put(t, "; ");
		}
		cs_put(t, "enough jobs were left to Slurm's own test in this "
			  "second (host_tries); its turn comes");
		break;
	default: /* CS_WHY_ROUND */
		cs_put(t,
		       "the next pass over the queue, due at once, reaches it");
		break;
	}
}

/* The verdicts of one whose turn was not yet. */
static void say_new(struct cs_text *t, const struct found *f, bool when)
{
	if (f->reserved)
		put_reserved(t, when);
	else
		cs_put(t, t->to && t->to->would
				  ? "cosched would start it now, Slurm has not"
				  : "not considered yet");
}

/* The host knows what it is that the job lacks until then. */
static void say_after(struct cs_text *t, const struct cs_engine *e,
		      const struct cs_ejob *j, const struct found *f, bool when)
{
	const char *kept = t->to ? t->to->kept : NULL;

	cs_put(t, "%s", kept ? kept : "licenses that it needs are in use");
	if (f->v.start_us == CS_TIME_NONE)
		return;
	cs_put(t, "; planned on ");
	cs_explain_put_shape(t, &j->plan.shape);
	if (when)
		say_start(t, e, j, &f->v);
}

/* Is it for a site, or for a seat in a slice, that it waits?  Then say that. */
static bool say_place(struct cs_text *t, const struct cs_engine *e,
		      struct cs_ejob *j, const struct found *f, bool when)
{
	enum cs_why why = f->v.why;

	if (j->site.walk == e->walks &&
	    (why == CS_WHY_HEAD || why == CS_WHY_DELAYS)) {
		cs_explain_put_site_wait(t, e, j, f->v.option, when);
		return true;
	}
	if (e->slice->seat && (why == CS_WHY_NO_ROOM || why == CS_WHY_DELAYS)) {
		cs_explain_put_no_seat(t, e, j, f->v.option);
		return true;
	}
	return false;
}

/* Without the job's name; @when: with times relative to now. */
static void say_verdict(struct cs_text *t, const struct cs_engine *e,
			struct cs_ejob *j, bool when)
{
	const struct found f = look_up(e, j);

	if (waits_for_room(f.v.why))
		cs_explain_put_slice(t, e, j, when);
	if (say_place(t, e, j, &f, when))
		return;
	switch (f.v.why) {
	case CS_WHY_NEW:
	case CS_WHY_BEHIND: /* look_up() resolved it */
		say_new(t, &f, when);
		break;
	case CS_WHY_BLOCKED:
	case CS_WHY_BEGIN:
		if (!say_settles(t, e, when))
			say_kept(t, e, j, when);
		break;
	case CS_WHY_AFTER:
		say_after(t, e, j, &f, when);
		break;
	case CS_WHY_REFUSED:
		say_refused(t, e, j, when);
		break;
	case CS_WHY_NEVER:
		cs_explain_put_never(t, e, j, f.v.option);
		break;
	case CS_WHY_HEAD:
	case CS_WHY_PLANNED:
	case CS_WHY_NO_ROOM:
		say_room_verdict(t, e, j, &f, when);
		break;
	case CS_WHY_DELAYS:
		say_delays(t, e, j, &f);
		break;
	case CS_WHY_FAR:
		say_far(t, e, j, &f.v, when);
		break;
	case CS_WHY_DEPTH:
	case CS_WHY_VIRTUAL:
	case CS_WHY_TURN:
	case CS_WHY_ROUND:
		say_queue_verdict(t, e, j, f.v.why);
		break;
	}
}

int cs_explain_reason(const struct cs_engine *e, uint32_t job_id,
		      const struct cs_audience *to, char *buf, size_t size)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);
	struct cs_text t = { { buf, size, 0 }, to };

	if (!j)
		return -ENOENT;
	if (size)
		*buf = 0;
	if (j->state == CS_WAITING)
		say_verdict(&t, e, j, false);
	return (int)t.buf.len;
}

bool cs_explain_never(const struct cs_engine *e, uint32_t job_id)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);

	enum cs_why why;

	if (!j || j->state != CS_WAITING)
		return false;
	why = look_up(e, j).v.why;
	return why == CS_WHY_NEVER ||
	       (why == CS_WHY_REFUSED && !cs_engine_could_run(e, job_id));
}

/* ---- explain -------------------------------------------------------------- */

static void say_waiting(struct cs_text *t, const struct cs_engine *e,
			struct cs_ejob *j)
{
	cs_explain_put_job(t, j->job.id);
	cs_put(t, " (%s) waits: ", cs_explain_profile(e, j));
	say_verdict(t, e, j, true);
	cs_explain_put_sooner(t, e, j);
	cs_put(t, "\n");
	cs_explain_put_others_sooner(t, e, j);
	cs_explain_put_too_large(t, e, j);
	cs_explain_put_place(t, e, j);
	cs_explain_put_campaign(t, e, j);
	cs_explain_put_partners(t, e, j);
}

static const char *state_text(const struct cs_ejob *j)
{
	switch (j->state) {
	case CS_PROPOSED:
		return "is being started";
	case CS_STOPPED:
		return "is stopped between its time slices";
	case CS_SUSPENDED:
		return "is suspended";
	default:
		return "runs";
	}
}

/* When it ends at the latest. */
static void say_end(struct cs_text *t, const struct cs_engine *e,
		    const struct cs_ejob *j)
{
	int64_t end_us = cs_progress_latest_us(e, j);
	int64_t host_us = cs_progress_host_us(e, j, end_us);

	cs_put(t, "  ends in ");
	cs_explain_put_span(t, host_us - e->now_us);
	cs_put(t, end_us < cs_progress_end_us(e, j)
			  ? " by its time limit"
			  : " if it uses all the time that its user "
			    "requested");
	if (host_us != end_us)
		cs_put(t, ", in its own time slices alone");
	cs_put(t, "\n");
}

/* Who has cores of it, too (oversub.c). */
static void say_cores(struct cs_text *t, const struct cs_engine *e,
		      const struct cs_ejob *j)
{
	size_t jobs = 0;

	for (size_t i = 0; cs_oversub_on(e) && i < e->started.n; i++) {
		const struct cs_ejob *x = e->started.job[i];

		jobs += x != j && x->alloc && x->state != CS_SUSPENDED &&
			cs_alloc_meet(x->alloc, j->alloc);
	}
	if (jobs)
		cs_put(t,
		       "  on the same cores as %zu other job%s that wait%s, "
		       "too: %.2f times as long by that\n",
		       jobs, cs_plural((uint32_t)jobs), jobs == 1 ? "s" : "",
		       j->cores_slow);
}

static void say_started(struct cs_text *t, const struct cs_engine *e,
			const struct cs_ejob *j)
{
	const struct cs_alloc *its = j->whole ? j->whole : j->alloc;
	uint32_t nodes = its ? its->n_node : 0;
	struct cs_ejob at = *j;
	int64_t lost;

	cs_progress_bring(&at, e->now_us);
	lost = at.ran_us - at.done_us;
	cs_explain_put_job(t, j->job.id);
	cs_put(t, " (%s) %s on %u node%s", cs_explain_profile(e, j),
	       state_text(j), nodes, cs_plural(nodes));
	if (j->group)
		cs_put(t, ", group %u, %s", j->group,
		       j->role == CS_ROLE_PRIMARY ? "primary" : "matched");
	cs_put(t, "\n");
	cs_explain_put_again(t, e, j);
	cs_explain_put_sites(t, e, j);
	say_cores(t, e, j);
	say_end(t, e, j);
	if (j->slowdown != 1 || lost > 0) {
		cs_put(t,
		       "  slowdown by sharing %.2f, with its layout %.2f; "
		       "time lost so far ",
		       j->co_slowdown * j->cores_slow, j->slowdown);
		cs_explain_put_span(t, lost);
		cs_put(t, "\n");
	}
	if (e->params.mode != CS_MODE_SHADOW)
		cs_explain_put_group(t, e, j);
	if (e->params.mode == CS_MODE_SHADOW || j->state == CS_RUNNING)
		cs_explain_put_beside(t, e, j);
}

int cs_explain(const struct cs_engine *e, uint32_t job_id,
	       const struct cs_audience *to, char *buf, size_t size)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);
	struct cs_text t = { { buf, size, 0 }, to };

	if (!j)
		return -ENOENT;
	if (size)
		*buf = 0;
	if (j->state == CS_WAITING)
		say_waiting(&t, e, j);
	else
		say_started(&t, e, j);
	return (int)t.buf.len;
}
