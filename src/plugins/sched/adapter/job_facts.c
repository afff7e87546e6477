/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Slurm's records say of a waiting job that the engine does not hold, asked when a user
 * asks for the job.
 *
 * Rules.
 *  1. A deadline cancels a waiting job as soon as the job could not end by then: with its
 *     least time (TimeMin, else its limit) left, as deadline_ok() of Slurm has it.  Without
 *     a limit Slurm cancels nothing.
 *  2. Of the nodes of -w those are named that are down, drained, failing or silent, with
 *     what the administrator wrote.  The first ones that fit.
 *  3. A partition without nodes waits for dynamic nodes to register: its jobs wait too, and
 *     it is not known that they can never run.  Nor is it of a job that is too large for
 *     the nodes of a partition that may get more.
 *  4. A job without a limit in a partition without one counts as long as Slurm's backfill
 *     counts it: a year.
 *  5. Of a heterogeneous job the component counts whose start must come first, and the
 *     nodes of all.
 */
#include "compat/calls.h"

#include "sched/adapter/job_facts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "compat/job.h"

static bool has_limit(uint32_t minutes)
{
	return minutes != NO_VAL && minutes != INFINITE && minutes;
}

/* Rule 1. */
static void find_deadline(const job_record_t *job_ptr, struct cs_job_facts *ret)
{
	uint32_t least = has_limit(job_ptr->time_min) ? job_ptr->time_min
						      : job_ptr->time_limit;

	int64_t start_by_s = 0;

	if (!job_ptr->deadline || job_ptr->deadline == (time_t)NO_VAL)
		return;
	if (has_limit(least))
		start_by_s = job_ptr->deadline - (int64_t)least * 60;
	/* of the components before it, rule 5 */
	if (ret->deadline_s &&
	    (!start_by_s || (ret->start_by_s && ret->start_by_s <= start_by_s)))
		return;
	ret->deadline_s = job_ptr->deadline;
	ret->start_by_s = start_by_s;
}

/* Why no job starts there; NULL: one may. */
static const char *absence(const node_record_t *n)
{
	if (IS_NODE_DOWN(n))
		return "down";
	if (IS_NODE_DRAIN(n))
		return "drained";
	if (IS_NODE_FAIL(n))
		return "failing";
	if (IS_NODE_NO_RESPOND(n))
		return "not responding";
	return NULL;
}

/* Rule 2. */
static void find_away(const job_record_t *job_ptr, struct cs_job_facts *ret)
{
	bitstr_t *wants = job_ptr->details->req_node_bitmap;
	size_t len = strlen(ret->away);

	for (int i = 0; wants && i < node_record_count; i++) {
		const node_record_t *n = node_record_table_ptr[i];
		const char *why = n && i < bit_size(wants) && bit_test(wants, i)
					  ? absence(n)
					  : NULL;
		char one[160];
		size_t size;

		if (!why)
			continue;
		snprintf(one, sizeof(one), "%s%.64s (%s%s%.64s)",
			 len ? ", " : "", n->name, why, n->reason ? ": " : "",
			 n->reason ? n->reason : "");
		size = strlen(one);
		if (len + size >= sizeof(ret->away))
			return;
		memcpy(ret->away + len, one, size + 1);
		len += size;
	}
}

static int is_limited(void *x, void *arg)
{
	const part_record_t *part_ptr = x;

	(void)arg;
	return has_limit(part_ptr->default_time) ||
	       has_limit(part_ptr->max_time);
}

/* Rule 4. */
static bool no_limit(job_record_t *job_ptr)
{
	if (has_limit(job_ptr->time_limit) || !job_ptr->part_ptr)
		return false;
	if (job_ptr->part_ptr_list)
		return !list_find_first(job_ptr->part_ptr_list, is_limited,
					NULL);
	return !is_limited(job_ptr->part_ptr, NULL);
}

/* list_for_each(): a job, or a component. */
static int add_facts(void *x, void *arg)
{
	job_record_t *job_ptr = x;
	struct cs_job_facts *ret = arg;

	if (!IS_JOB_PENDING(job_ptr) || !job_ptr->details)
		return 0;
	find_deadline(job_ptr, ret);
	find_away(job_ptr, ret);
	ret->no_nodes |= !cs_job_has_nodes(job_ptr);
	ret->more_nodes |= cs_job_gains_nodes(job_ptr);
	ret->no_limit |= no_limit(job_ptr);
	return 0;
}

void cs_job_facts(uint32_t id, struct cs_job_facts *ret)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();
	job_record_t *job_ptr;

	*ret = (struct cs_job_facts){ 0 };
	lock_slurmctld(locks);
	job_ptr = find_job_record(id);
	if (job_ptr && job_ptr->het_job_list)
		list_for_each(job_ptr->het_job_list, add_facts, ret);
	else if (job_ptr)
		add_facts(job_ptr, ret);
	unlock_slurmctld(locks);
}

static void put_time(struct cs_textbuf *t, int64_t at_s)
{
	time_t s = (time_t)at_s;
	struct tm at;
	char text[32];

	if (localtime_r(&s, &at) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &at))
		cs_textbuf_add(t, text);
}

void cs_job_facts_say(const struct cs_job_facts *f, int64_t start_s,
		      struct cs_textbuf *t)
{
	if (f->start_by_s) {
		cs_textbuf_add(t, "  its deadline is ");
		put_time(t, f->deadline_s);
		cs_textbuf_add(t,
			       ": Slurm cancels it if it has not started by ");
		put_time(t, f->start_by_s);
		cs_textbuf_add(t, start_s > f->start_by_s
					  ? ", which is before its planned "
					    "start\n"
					  : "\n");
	} else if (f->deadline_s) {
		cs_textbuf_add(t, "  its deadline is ");
		put_time(t, f->deadline_s);
		cs_textbuf_add(t, ": it has no time limit, and gets the time "
				  "until then\n");
	}
	if (f->away[0])
		cs_textbuf_print(t,
				 "  it asks (-w) for nodes that take no job: "
				 "%s\n",
				 f->away);
	if (f->no_nodes)
		cs_textbuf_add(t, "  its partition has no nodes yet: it waits "
				  "until some register (dynamic nodes) or are "
				  "added\n");
	if (f->no_limit)
		cs_textbuf_add(t, "  it has no time limit, nor has its "
				  "partition: it counts as a year, so that it "
				  "fits before no planned start, and jobs that "
				  "need its nodes cannot be planned; a time "
				  "limit (-t) helps both\n");
}
