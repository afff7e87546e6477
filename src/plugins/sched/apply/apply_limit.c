/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time limits and system comments of coscheduled jobs.
 *
 * Rules.
 *  1. A new limit goes first to the limits of association and QOS (they count what
 *     running and suspended jobs may still use: the difference to the job's present
 *     limit), then to the accounting storage (apply_account.c).  The end that Slurm
 *     has moves by the difference (minutes.h).  A job being preempted ends when Slurm said.
 *  2. A limit we raised is marked as an administrator's, or the next check of the
 *     partition's limit would cut it; the original mark and limit are kept, and
 *     restored on a requeue.
 *  3. No raise reaches into a reservation of others that begins after the job's end.
 *     At a start Slurm's job_time_adj_resv() ensures that, once the new end is set; for
 *     a job that has run a while it is wrong (it treats the minutes from now to the
 *     reservation as a limit, and the job would be killed).  The limit in full minutes,
 *     as Slurm will have it, counts.
 *  4. What of a raise is for crossing sites stays (job/limit.c), also if crossing costs
 *     less after a reconfigure: the job runs on where it is.
 *  5. A job with a deadline but no limit gets one that ends there, before it is tested,
 *     as in stock's main loop.  No raise goes beyond the deadline.
 *  6. The system comment tells what the limit was (comment.h).  From there the next
 *     slurmctld knows of a raise that Slurm has saved and we have not (feed.c, rule 9).
 *  7. A start slows running neighbours down; the decide after it raises their limits.  If
 *     there is none, because mode act ends, they are raised nevertheless: the new job
 *     stays.  That is not in the log, which ends.  After a fault the engine is not asked,
 *     and neighbours keep their limits.
 *  8. A limit that is not the one we left, or found, was set by others since the look, or
 *     while a time slice had the job stopped: it stays, and the next look tells the engine
 *     (feed.c, rule 9).  That of a job that starts is told at once (start_step.c).
 */
#include "sched/apply/apply.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/view/comment.h"
#include "sched/apply/minutes.h"
#include "sched/feed/feed_event.h"
#include "sched/view/view_table.h"

#define YEAR_MIN (365 * 24 * 60)

int64_t cs_apply_limit_us(const job_record_t *job_ptr)
{
	uint32_t m = job_ptr->time_limit;

	if (m == INFINITE || m == NO_VAL || m > YEAR_MIN)
		m = YEAR_MIN;
	return (m ? m : 1) * CS_MINUTE_US;
}

static void count_and_set(job_record_t *job_ptr, uint32_t minutes)
{
	cs_job_count_minutes(job_ptr, minutes);
	job_ptr->time_limit = minutes;
}

/* job_time_adj_resv() cuts the limit without notice. */
static void cut_for_reservations(job_record_t *job_ptr)
{
	uint32_t counted = job_ptr->time_limit, cut;

	job_time_adj_resv(job_ptr);
	cut = job_ptr->time_limit;
	job_ptr->time_limit = counted;
	count_and_set(job_ptr, cut);
}

static void set_minutes(job_record_t *job_ptr, uint32_t minutes, bool starts)
{
	uint32_t had = job_ptr->time_limit;
	time_t end = job_ptr->end_time;

	count_and_set(job_ptr, minutes);
	if (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr)) {
		job_ptr->end_time = cs_apply_end_s(end, had, minutes);
		if (starts)
			cut_for_reservations(job_ptr);
		if (job_ptr->time_limit < had && had <= minutes)
			/* other cores of its node are reserved */
			count_and_set(job_ptr, had);
		job_ptr->end_time =
			cs_apply_end_s(end, had, job_ptr->time_limit);
		job_ptr->end_time_exp = job_ptr->end_time;
	}
	last_job_update = time(NULL);
}

static bool on_nodes(const struct cs_adapter *b, const struct cs_view_resv *r,
		     const job_record_t *job_ptr)
{
	const uint64_t *set = cs_view_set_words(b->view->sets, r->set);

	for (uint32_t n = 0; set && n < b->view->machine->n_node; n++)
		if (cs_bit(set, n) && bit_test(job_ptr->node_bitmap, n))
			return true;
	return false;
}

/* @limit_us, or as much of it as rule 3 allows a running job. */
static int64_t before_reservations(const struct cs_adapter *b,
				   const job_record_t *job_ptr,
				   int64_t limit_us)
{
	int64_t end_us = (int64_t)job_ptr->end_time * 1000000;
	int64_t from_us = end_us - job_ptr->time_limit * CS_MINUTE_US;

	for (uint32_t i = 0; i < b->view->n_resv; i++) {
		const struct cs_view_resv *r = &b->view->resv[i];

		if (!(r->flags & CS_RESV_FLOAT) && r->id != job_ptr->resv_id &&
		    r->start_us >= end_us &&
		    r->start_us < from_us + cs_apply_minutes(limit_us) *
						    CS_MINUTE_US &&
		    on_nodes(b, r, job_ptr))
			limit_us = (r->start_us - from_us) / CS_MINUTE_US *
				   CS_MINUTE_US;
	}
	return limit_us;
}

/* Rule 5: as many of @minutes as let it end before its deadline. */
static int64_t before_deadline(const job_record_t *job_ptr, int64_t minutes)
{
	int64_t most = job_ptr->time_limit;

	if (!job_ptr->deadline || job_ptr->deadline == NO_VAL)
		return minutes;
	if (job_ptr->deadline > job_ptr->end_time)
		most += (job_ptr->deadline - job_ptr->end_time) / 60;
	return minutes < most ? minutes : most;
}

static void set(job_record_t *job_ptr, int64_t limit_us, bool starts)
{
	int64_t minutes = before_deadline(job_ptr, cs_apply_minutes(limit_us));

	if (job_ptr->time_limit == INFINITE || job_ptr->preempt_time ||
	    job_ptr->time_limit == (uint32_t)minutes || minutes > YEAR_MIN)
		return;
	job_ptr->limit_set.time = ADMIN_SET_LIMIT;
	set_minutes(job_ptr, (uint32_t)minutes, starts);
}

void cs_apply_limit_set(job_record_t *job_ptr, int64_t limit_us)
{
	set(job_ptr, limit_us, true);
}

void cs_apply_limit_until_deadline(job_record_t *job_ptr)
{
	uint32_t most = job_ptr->part_ptr->default_time;
	int64_t left;

	if (!job_ptr->deadline || job_ptr->deadline == NO_VAL ||
	    (job_ptr->time_limit != NO_VAL && job_ptr->time_limit != INFINITE))
		return;
	if (most == NO_VAL || most == INFINITE)
		most = job_ptr->part_ptr->max_time;
	left = (job_ptr->deadline - time(NULL)) / 60;
	if (left > 0 && left < most)
		job_ptr->time_limit = (uint32_t)left;
	else if (left > 0 && most != NO_VAL && most != INFINITE)
		job_ptr->time_limit = most;
}

/*
 * Slurm tests a job with TimeMin only by that, so its request may exceed what its
 * partition, QOS or association allow; without a limit, and in a partition without one,
 * stock's backfill also assumes a year.
 */
static uint32_t may_have(const job_record_t *job_ptr, uint32_t wanted_min,
			 int64_t max_us)
{
	uint32_t most = max_us < YEAR_MIN * CS_MINUTE_US
				? (uint32_t)(max_us / CS_MINUTE_US)
				: YEAR_MIN;
	int64_t left;

	if (wanted_min != INFINITE && wanted_min != NO_VAL && wanted_min < most)
		most = wanted_min;
	if (!job_ptr->deadline || job_ptr->deadline == NO_VAL)
		return most;
	left = (job_ptr->deadline - time(NULL)) / 60;
	if (left < most)
		most = left > 0 ? (uint32_t)left : 0;
	return most;
}

/* Full minutes from now for which it may stay without delaying another; at most @most,
 * at least its TimeMin. */
static uint32_t may_stay(const struct cs_adapter *b,
			 const job_record_t *job_ptr, uint32_t most)
{
	int64_t from_us = b->now_us + job_ptr->time_min * CS_MINUTE_US;
	int64_t until_us = b->now_us + most * CS_MINUTE_US;
	struct cs_alloc *a = cs_view_alloc(b->view, job_ptr, 1, 1);
	struct cs_running r;
	bool packed =
		!cs_engine_running(b->engine, job_ptr->job_id, &r) && r.packed;

	if (a)
		from_us = cs_backfill_ask_stays_us(b->engine, a, packed,
						   from_us, until_us);
	cs_alloc_free(a);
	return (uint32_t)((from_us - b->now_us) / CS_MINUTE_US);
}

int cs_apply_limit_tell(struct cs_adapter *b, const job_record_t *job_ptr,
			struct cs_err *err)
{
	struct cs_known_job *k = cs_known_find(&b->known, job_ptr->job_id);
	struct cs_event ev = { .type = CS_EV_LIMIT, .t_us = b->now_us };
	struct cs_running r;

	if (!k || cs_engine_running(b->engine, k->id, &r))
		return 0; /* the next look reports job and limit */
	k->limit_us = cs_apply_limit_us(job_ptr);
	ev.limit.job_id = k->id;
	ev.limit.limit_us = k->limit_us;
	return cs_feed_event(b, &ev, NULL, err);
}

int cs_apply_limit_stretch(struct cs_adapter *b, job_record_t *job_ptr,
			   uint32_t wanted_min, int64_t max_us,
			   struct cs_err *err)
{
	struct cs_known_job *k;

	if (!job_ptr->time_min || job_ptr->time_min >= wanted_min ||
	    job_ptr->time_limit != job_ptr->time_min)
		return 0;
	if (!IS_JOB_RUNNING(job_ptr)) { /* its launch failed */
		job_ptr->time_limit = wanted_min;
		return 0;
	}
	set_minutes(job_ptr,
		    may_stay(b, job_ptr, may_have(job_ptr, wanted_min, max_us)),
		    true);
	k = cs_known_find(&b->known, job_ptr->job_id);
	if (k)
		cs_apply_account_later(b, k);
	return cs_apply_limit_tell(b, job_ptr, err); /* it assumes the least */
}

/* ---- comments -------------------------------------------------------------- */

void cs_apply_comment(job_record_t *job_ptr, const struct cs_comment *part)
{
	char text[1024];
	int n = cs_comment_with(job_ptr->system_comment, part, text,
				sizeof(text));

	if (n < 0 || (size_t)n >= sizeof(text))
		return; /* a long comment of the site's: leave it alone */
	xfree(job_ptr->system_comment);
	if (*text)
		job_ptr->system_comment = xstrdup(text);
}

static const char *role_name(enum cs_role role)
{
	return role == CS_ROLE_PRIMARY ? "primary" : "matched";
}

/* Its owner reads this: with PrivateData=jobs, no ids of others' jobs. */
static void show_group(const struct cs_adapter *b, const struct cs_action *a,
		       job_record_t *job_ptr, struct cs_known_job *k)
{
	char with[32] = "another job", text[128];

	if (!a->group)
		return;
	if (!b->view->private)
		snprintf(with, sizeof(with), "job %u", a->partner_id);
	snprintf(text, sizeof(text), "group %u, %s, with %s, slowdown %.2f",
		 a->group, role_name(a->role), with, a->beside);
	cs_apply_comment(job_ptr, &(struct cs_comment){ .shares = text });
	k->shared = true;
}

/* Rule 6. */
static void show_raise(job_record_t *job_ptr, const struct cs_known_job *k)
{
	char text[CS_COMMENT_LIMIT];

	cs_comment_limit(text, k->raised_from, job_ptr->time_limit);
	cs_apply_comment(job_ptr, &(struct cs_comment){ .limit = text });
}

/* Show @id, already running in @group, that job @with is there too: it started before
 * its partner, or before the partner's id was known. */
static void show_partner(struct cs_adapter *b, uint32_t group, uint32_t id,
			 uint32_t with)
{
	struct cs_known_job *k = cs_known_find(&b->known, id);
	job_record_t *job_ptr;
	struct cs_running r;

	if (!group || !k || k->shared ||
	    cs_engine_running(b->engine, k->id, &r) || r.group != group)
		return;
	job_ptr = find_job_record(k->id);
	if (!job_ptr || !IS_JOB_RUNNING(job_ptr))
		return;
	show_group(b,
		   &(struct cs_action){ .group = group,
					.role = r.role,
					.partner_id = with,
					.beside = r.beside },
		   job_ptr, k);
	b->wrote = true;
}

/* ---- actions --------------------------------------------------------------- */

void cs_apply_limit_started(struct cs_adapter *b, const struct cs_action *a,
			    job_record_t *job_ptr, struct cs_known_job *k,
			    uint32_t flag)
{
	k->limit_us = cs_apply_limit_us(job_ptr);
	if (!a->limit_us && job_ptr->time_min && k->estimate_us &&
	    k->limit_us > k->estimate_us)
		k->limit_us = k->estimate_us; /* the next look reports the
						 rest */
	if (a->limit_us && k->estimate_us && !job_ptr->time_min &&
	    k->limit_us > k->estimate_us) {
		k->raised_from = (uint32_t)(k->estimate_us / CS_MINUTE_US);
		k->raised_flag = flag;
	}
	if (a->limit_us)
		cs_apply_account_later(b, k);
	show_group(b, a, job_ptr, k);
	show_raise(job_ptr, k);
	show_partner(b, a->group, a->partner_id, k->id);
}

void cs_apply_joined(struct cs_adapter *b, const struct cs_action *a)
{
	job_record_t *partner = find_job_record(a->partner_id);

	cs_feed_log_action(b, a, false);
	/* else its coming start shows it */
	if (partner && IS_JOB_RUNNING(partner))
		show_partner(b, a->group, a->job_id, a->partner_id);
}

void cs_apply_limit(struct cs_adapter *b, const struct cs_action *a)
{
	job_record_t *job_ptr = find_job_record(a->job_id);
	struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
	uint32_t had;

	if (!job_ptr || !k ||
	    (!IS_JOB_RUNNING(job_ptr) && !IS_JOB_SUSPENDED(job_ptr)) ||
	    cs_apply_limit_us(job_ptr) != k->limit_us)
		return;
	if (!k->raised_from && job_ptr->time_limit != INFINITE) {
		k->raised_from = job_ptr->time_limit;
		k->raised_flag = job_ptr->limit_set.time;
	}
	had = job_ptr->time_limit;
	set(job_ptr,
	    IS_JOB_RUNNING(job_ptr)
		    ? before_reservations(b, job_ptr, a->limit_us)
		    : a->limit_us,
	    false);
	k->limit_us = cs_apply_limit_us(job_ptr);
	if (job_ptr->time_limit != had)
		cs_apply_account_later(b, k);
	if (a->group && !k->shared)
		show_group(b, a, job_ptr, k);
	show_raise(job_ptr, k);
	b->dirty = b->wrote = true;
}

int cs_apply_limits_due(struct cs_adapter *b, int64_t until_us)
{
	int64_t before_us = cs_engine_as_of(b->engine, cs_feed_now_us(b));
	struct cs_action a;
	bool more;

	do {
		more = cs_engine_limit_due(b->engine, &b->batch.limit_next, &a);
		if (more)
			cs_apply_limit(b, &a);
	} while (more && cs_gate_now_us() < until_us);
	cs_engine_asked(b->engine, before_us);
	return more;
}

void cs_apply_disband(struct cs_adapter *b, const struct cs_action *a)
{
	job_record_t *job_ptr = find_job_record(a->job_id);
	struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
	char text[96];

	if (job_ptr && k) {
		snprintf(text, sizeof(text),
			 "shared its nodes, which cost it %" PRId64 " s",
			 (a->credit_us + 500000) / 1000000);
		cs_apply_comment(job_ptr,
				 &(struct cs_comment){ .shares = text });
		k->shared = true;
	}
	cs_feed_log_action(b, a, false);
	b->dirty = b->wrote = true;
}

/* Others have changed the limit that we had raised. */
static void show_limit(const struct cs_known_job *k)
{
	job_record_t *job_ptr = find_job_record(k->id);

	if (job_ptr)
		show_raise(job_ptr, k);
}

/* A component that waits, but for the first, which is known as the job. */
static int tidy_component(void *x, void *arg)
{
	job_record_t *comp = x;
	uint16_t flag;
	uint32_t from = cs_view_raised_from(comp, &flag);

	if (comp == arg || !IS_JOB_PENDING(comp))
		return 0;
	if (from) {
		comp->time_limit = from;
		comp->limit_set.time = flag;
	}
	cs_apply_comment(comp, &cs_no_comment);
	return 0;
}

static void tidy(struct cs_adapter *b, struct cs_known_job *k)
{
	job_record_t *job_ptr = find_job_record(k->id);
	bool waits = job_ptr && IS_JOB_PENDING(job_ptr);
	bool stands = job_ptr && IS_JOB_SUSPENDED(job_ptr);

	if (waits && job_ptr->het_job_list)
		list_for_each(job_ptr->het_job_list, tidy_component, job_ptr);
	if (waits && k->raised_from &&
	    cs_apply_limit_us(job_ptr) == k->limit_us) {
		job_ptr->time_limit = k->raised_from;
		job_ptr->limit_set.time = (uint16_t)k->raised_flag;
	}
	/* a running job's limit is the engine's (feed.c, rule 9) */
	if (waits)
		k->raised_from = k->raised_flag = 0;
	if (waits || stands || (job_ptr && IS_JOB_RUNNING(job_ptr))) {
		cs_apply_comment(job_ptr,
				 &(struct cs_comment){
					 .shares = "",
					 .stops = stands ? NULL : "",
					 .limit = k->raised_from ? NULL : "",
				 });
		last_job_update = time(NULL);
	}
	k->inherits = k->shared = k->tidy = false;
	if (!stands)
		k->stops = 0;
	b->dirty = b->wrote = true;
}

void cs_apply_limit_tidy(struct cs_adapter *b)
{
	for (uint32_t i = 0; b->untidy && i < b->known.n; i++) {
		struct cs_known_job *k = b->known.list[i];

		if (k->tidy)
			tidy(b, k);
		else if (k->overruled)
			show_limit(k);
		k->overruled = false;
	}
	b->untidy = false;
}
