/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time limits and system comments of coscheduled jobs.
 *
 * Rules.
 *  1. A new limit is told to the association's limits first (they count what
 *     running jobs may still use), then to the accounting storage.  The end is
 *     counted from the start, or from the last resume less what ran before: time
 *     in suspension is not run time.
 *  2. What we raised is marked as an administrator's, or the next look at the
 *     partition's limit would cut it; the mark and the limit that the job came
 *     with are kept, and come back when it is requeued.
 *  3. No raise reaches into a reservation of others that begins behind the job's
 *     end.  At a start Slurm's job_time_adj_resv() sees to that, once the new end
 *     is set; for a job that has run a while it is wrong (it takes the minutes
 *     from now to the reservation for a limit, and the job would be killed).
 *     What counts is the limit in the full minutes that Slurm will know of.
 */
#include "apply.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "comment.h"

#define MINUTE_US INT64_C(60000000)
#define YEAR_MIN (365 * 24 * 60)
#define DUST_US 1000 /* of arithmetic, over a full minute: no further minute */

int64_t cs_limit_us(const job_record_t *job_ptr)
{
	uint32_t m = job_ptr->time_limit;

	if (m == INFINITE || m == NO_VAL || m > YEAR_MIN)
		m = YEAR_MIN;
	return (m ? m : 1) * MINUTE_US;
}

/* The full minutes in which Slurm counts. */
static int64_t minutes_of(int64_t limit_us)
{
	int64_t minutes = (limit_us - DUST_US + MINUTE_US - 1) / MINUTE_US;

	return minutes < 1 ? 1 : minutes;
}

/* The instant that the limit of a running job counts from. */
static time_t counted_from(const job_record_t *job_ptr)
{
	return job_ptr->suspend_time ?
		       job_ptr->suspend_time - job_ptr->pre_sus_time :
		       job_ptr->start_time;
}

static void set_minutes(job_record_t *job_ptr, uint32_t minutes, bool starts)
{
	acct_policy_alter_job(job_ptr, minutes);
	job_ptr->time_limit = minutes;
	if (IS_JOB_RUNNING(job_ptr)) {
		job_ptr->end_time = counted_from(job_ptr) +
				    (time_t)minutes * 60;
		if (starts)
			job_time_adj_resv(job_ptr); /* may cut it */
		job_ptr->end_time_exp = job_ptr->end_time;
	}
	last_job_update = time(NULL);
}

static bool on_nodes(const struct cs_bridge *b, const struct cs_view_resv *r,
		     const job_record_t *job_ptr)
{
	const uint64_t *set = cs_view_set_words(b->view->sets, r->set);

	for (uint32_t n = 0; set && n < b->view->machine->n_node; n++)
		if (cs_bit(set, n) && bit_test(job_ptr->node_bitmap, n))
			return true;
	return false;
}

/* @limit_us, or as much of it as rule 3 lets a running job have. */
static int64_t before_reservations(const struct cs_bridge *b,
				   const job_record_t *job_ptr,
				   int64_t limit_us)
{
	int64_t from_us = (int64_t)counted_from(job_ptr) * 1000000;
	int64_t end_us = (int64_t)job_ptr->end_time * 1000000;

	for (uint32_t i = 0; i < b->view->n_resv; i++) {
		const struct cs_view_resv *r = &b->view->resv[i];

		if (r->id != job_ptr->resv_id && r->start_us >= end_us &&
		    r->start_us < from_us + minutes_of(limit_us) * MINUTE_US &&
		    on_nodes(b, r, job_ptr))
			limit_us = (r->start_us - from_us) / MINUTE_US *
				   MINUTE_US;
	}
	return limit_us;
}

static void set(job_record_t *job_ptr, int64_t limit_us, bool starts)
{
	int64_t minutes = minutes_of(limit_us);

	if (job_ptr->time_limit == INFINITE ||
	    job_ptr->time_limit == (uint32_t)minutes || minutes > YEAR_MIN)
		return;
	job_ptr->limit_set.time = ADMIN_SET_LIMIT;
	set_minutes(job_ptr, (uint32_t)minutes, starts);
	if (!IS_JOB_SUSPENDED(job_ptr))
		cs_job_account(job_ptr);
}

void cs_limit_set(job_record_t *job_ptr, int64_t limit_us)
{
	set(job_ptr, limit_us, true);
}

/*
 * Slurm tests a job with TimeMin by that alone, so what it wants may be more than
 * its partition, QOS or association allow; without a limit, and in a partition
 * without one, stock's backfill counts with a year too.
 */
static uint32_t may_have(const job_record_t *job_ptr, uint32_t wanted_min,
			 int64_t max_us)
{
	uint32_t most = max_us < YEAR_MIN * MINUTE_US ?
				(uint32_t)(max_us / MINUTE_US) :
				YEAR_MIN;
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

void cs_limit_stretch(struct cs_bridge *b, job_record_t *job_ptr,
		      uint32_t wanted_min, int64_t max_us)
{
	uint32_t most = may_have(job_ptr, wanted_min, max_us);

	if (!job_ptr->time_min || job_ptr->time_min >= wanted_min)
		return;
	for (uint32_t i = 0; i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];
		const uint64_t *nodes = NULL;
		int64_t at, left;
		bool meets = false;

		if (k->state != CS_VIEW_WAITING || k->ghost)
			continue;
		at = cs_engine_predicted_start_us(b->engine, k->id, &nodes);
		if (at == CS_TIME_NONE || !nodes)
			continue;
		for (uint32_t n = 0; !meets && n < b->view->machine->n_node;
		     n++)
			meets = cs_bit(nodes, n) &&
				bit_test(job_ptr->node_bitmap, n);
		left = (at - b->now_us) / MINUTE_US;
		if (meets && left < most)
			most = left > 0 ? (uint32_t)left : 0;
	}
	if (most < job_ptr->time_min)
		most = job_ptr->time_min;
	set_minutes(job_ptr, most, true);
	cs_job_account(job_ptr);
}

/* ---- comments -------------------------------------------------------------- */

static void comment(job_record_t *job_ptr, const char *ours)
{
	char text[1024];
	int n = cs_comment_with(job_ptr->system_comment, ours, text,
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

/* Its owner reads this: with PrivateData=jobs no number of others' jobs. */
static void show_group(const struct cs_bridge *b, const struct cs_action *a,
		       job_record_t *job_ptr, struct cs_known_job *k)
{
	char with[32] = "another job", text[128];

	if (!a->group)
		return;
	if (!b->view->private)
		snprintf(with, sizeof(with), "job %u", a->with);
	snprintf(text, sizeof(text), "group %u, %s, with %s, slowdown %.2f",
		 a->group, role_name(a->role), with, a->beside);
	comment(job_ptr, text);
	k->shared = true;
}

/* Show @id, which runs in @group already, that job @with is there too: it was
 * started before its partner, or before that one's number was known. */
static void show_partner(struct cs_bridge *b, uint32_t group, uint32_t id,
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
					.with = with,
					.beside = r.beside },
		   job_ptr, k);
	b->wrote = true;
}

/* ---- actions --------------------------------------------------------------- */

void cs_limit_started(struct cs_bridge *b, const struct cs_action *a,
		      job_record_t *job_ptr, struct cs_known_job *k,
		      uint32_t flag)
{
	k->limit_us = cs_limit_us(job_ptr);
	if (a->limit_us && k->estimate_us && !job_ptr->time_min &&
	    k->limit_us > k->estimate_us) {
		k->raised_from = (uint32_t)(k->estimate_us / MINUTE_US);
		k->raised_flag = flag;
	}
	show_group(b, a, job_ptr, k);
	show_partner(b, a->group, a->with, k->id);
}

void cs_apply_joined(struct cs_bridge *b, const struct cs_action *a)
{
	job_record_t *partner = find_job_record(a->with);

	cs_feed_log_action(b, a, false);
	/* else its start, which comes, shows it */
	if (partner && IS_JOB_RUNNING(partner))
		show_partner(b, a->group, a->job_id, a->with);
}

void cs_apply_limit(struct cs_bridge *b, const struct cs_action *a)
{
	job_record_t *job_ptr = find_job_record(a->job_id);
	struct cs_known_job *k = cs_known_find(&b->known, a->job_id);

	cs_feed_log_action(b, a, false); /* the engine counts on it */
	if (!job_ptr || !k ||
	    (!IS_JOB_RUNNING(job_ptr) && !IS_JOB_SUSPENDED(job_ptr)))
		return;
	if (!k->raised_from && job_ptr->time_limit != INFINITE) {
		k->raised_from = job_ptr->time_limit;
		k->raised_flag = job_ptr->limit_set.time;
	}
	set(job_ptr,
	    IS_JOB_RUNNING(job_ptr) ?
		    before_reservations(b, job_ptr, a->limit_us) :
		    a->limit_us,
	    false);
	k->limit_us = cs_limit_us(job_ptr);
	if (a->group && !k->shared)
		show_group(b, a, job_ptr, k);
	b->dirty = b->wrote = true;
}

void cs_apply_disband(struct cs_bridge *b, const struct cs_action *a)
{
	job_record_t *job_ptr = find_job_record(a->job_id);
	struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
	char text[96];

	if (job_ptr && k) {
		snprintf(text, sizeof(text),
			 "shared its nodes, which cost it %" PRId64 " s",
			 (a->credit_us + 500000) / 1000000);
		comment(job_ptr, text);
		k->shared = true;
	}
	cs_feed_log_action(b, a, false);
	b->dirty = b->wrote = true;
}

void cs_limit_tidy(struct cs_bridge *b, struct cs_known_job *k)
{
	job_record_t *job_ptr = find_job_record(k->id);

	if (job_ptr && IS_JOB_PENDING(job_ptr)) {
		if (k->raised_from) {
			job_ptr->time_limit = k->raised_from;
			job_ptr->limit_set.time = (uint16_t)k->raised_flag;
		}
		if (k->shared)
			comment(job_ptr, NULL);
		last_job_update = time(NULL);
	}
	k->raised_from = k->raised_flag = 0;
	k->shared = k->tidy = false;
	b->dirty = b->wrote = true;
}
