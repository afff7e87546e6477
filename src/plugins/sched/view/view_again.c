/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting jobs that have not changed since the look before are taken over from it.
 *
 * Problem: a look at each of 40,000 waiting jobs costs 4 us a job under Slurm's locks,
 * and between two looks few of them change.  Slurm has no stamp in a job's record.
 *
 * Rules.
 *  1. The mark of a record is a hash of all that its description reads: the request
 *     (job_details and its layout), the texts, and those numbers of the record that an
 *     update changes.  Equal marks are equal descriptions.
 *  2. Whether such a job may start does not change either, if only its partitions and
 *     limits decide that: it is eligible, names no reservation and none attracts it,
 *     depends on no job, is no array, has no components, licences, burst buffer or
 *     deadline.  Others are described and asked in each look.
 *  3. A change of partitions, of nodes as far as sets depend on them, of the
 *     configuration or of shares starts another round, in which all are described.
 *  4. Limits of associations and QOS change without notice.  So a description lasts
 *     LASTS_S to twice that, or longer in a long queue, of which A_SECOND jobs a second
 *     are described anew; by its id each job has another second in which it ends.
 *     And where limits are enforced, the first FIRST jobs of each partition, by their
 *     priority in the look before, are asked in each look.  A start is tested again by
 *     Slurm in any case.  What view_limits.c, rule 8, reads by the job's own QOS and
 *     associations is in the mark.
 *  5. Reason, priority and what squeue shows are read in each look.
 *
 * Where the blocks of the look before are: view_before.h.
 */
#include "sched/view/view_slurm.h"

#include <string.h>

#include "sched/view/view_before.h"
#include "sched/view/view_table.h"

#define LASTS_S 15
#define A_SECOND 1000

/* ---- rounds ---------------------------------------------------------------- */

void cs_view_before_config(struct cs_view *v)
{
	if (v->config_s != slurm_conf.last_update)
		v->round++;
	v->config_s = slurm_conf.last_update;
	v->limits = accounting_enforce != 0;
}

/* ---- marks ----------------------------------------------------------------- */

static uint64_t text(uint64_t h, const char *s)
{
	return s ? cs_view_hash_text(h, s) : h + 1;
}

/* In four lanes, as one waits for each multiplication. */
static uint64_t record(uint64_t h, const void *p, size_t n)
{
	uint64_t lane[4] = { h, h + 1, h + 2, h + 3 }, w[4];
	const unsigned char *b = p;

	for (; n >= sizeof(w); n -= sizeof(w), b += sizeof(w)) {
		memcpy(w, b, sizeof(w));
		for (int i = 0; i < 4; i++) {
			lane[i] =
				(lane[i] ^ w[i]) * UINT64_C(0x9e3779b97f4a7c15);
			lane[i] ^= lane[i] >> 29;
		}
	}
	return cs_view_hash(cs_view_hash(h, lane, sizeof(lane)), b, n);
}

static uint64_t request(uint64_t h, const cs_details_t *d)
{
	h = record(h, d, sizeof(*d));
	if (d->mc_ptr)
		h = cs_view_hash(h, d->mc_ptr, sizeof(*d->mc_ptr));
	h = text(h, d->features);
	h = text(h, d->prefer);
	h = text(h, d->exc_nodes);
	return text(h, d->req_nodes);
}

static uint64_t texts(uint64_t h, const job_record_t *job_ptr)
{
	const char *const s[] = {
		job_ptr->account,	  job_ptr->name,
		job_ptr->comment,	  job_ptr->partition,
		job_ptr->tres_per_job,	  job_ptr->tres_per_node,
		job_ptr->tres_per_socket, job_ptr->tres_per_task,
		job_ptr->cpus_per_tres,	  job_ptr->mem_per_tres,
		job_ptr->network,	  job_ptr->mcs_label,
		job_ptr->licenses,	  cs_job_user_name(job_ptr),
	};

	for (size_t i = 0; i < sizeof(s) / sizeof(s[0]); i++)
		h = text(h, s[i]);
	return h;
}

static uint64_t numbers(uint64_t h, const job_record_t *job_ptr)
{
	const uint64_t n[] = {
		job_ptr->user_id,
		!job_ptr->priority,
		cs_job_expedited(job_ptr),
		job_ptr->direct_set_prio,
		job_ptr->time_limit,
		job_ptr->time_min,
		job_ptr->limit_set.time,
		job_ptr->restart_cnt,
		job_ptr->warn_flags,
		job_ptr->warn_time,
		job_ptr->bit_flags,
		job_ptr->req_switch,
		job_ptr->wait4switch,
		job_ptr->reboot,
		job_ptr->array_job_id,
		job_ptr->array_task_id,
		job_ptr->delay_boot,
		(uintptr_t)job_ptr->qos_ptr,
		(uintptr_t)job_ptr->assoc_ptr,
		(uintptr_t)job_ptr->part_ptr_list,
		job_ptr->part_ptr_list ? 0 : (uintptr_t)job_ptr->part_ptr,
		cs_job_wants_gres(job_ptr),
		job_ptr->part_ptr ? cs_view_nodes(job_ptr, job_ptr->part_ptr,
						  job_ptr->qos_ptr)
					    .left
				  : 0,
	};

	return record(h, n, sizeof(n));
}

/* Rule 1.  Never 0. */
static uint64_t mark_of(const job_record_t *job_ptr)
{
	const uint32_t *priority = cs_job_priorities(job_ptr);
	uint64_t h = numbers(3, job_ptr);

	h = request(h, job_ptr->details);
	h = texts(h, job_ptr);
	if (priority && job_ptr->part_ptr_list)
		h = cs_view_hash(h, priority,
				 (size_t)list_count(job_ptr->part_ptr_list) *
					 sizeof(*priority));
	return h ? h : 1;
}

/* Rule 2. */
static bool is_plain(const struct cs_view *v, const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	const slurmdb_qos_rec_t *qos[1];

	return job_ptr->priority && !job_ptr->het_job_id &&
	       !job_ptr->array_recs && !job_ptr->resv_name &&
	       !job_ptr->resv_list && !job_ptr->resv_ptr &&
	       !job_ptr->license_list && !job_ptr->fed_details &&
	       (!job_ptr->deadline || job_ptr->deadline == NO_VAL) &&
	       (!d->depend_list || !list_count(d->depend_list)) &&
	       (int64_t)d->begin_time * 1000000 + CS_VIEW_TICK_US <=
		       v->now_us &&
	       !d->prolog_running && !IS_JOB_COMPLETING(job_ptr) &&
	       (!job_ptr->step_list || !list_count(job_ptr->step_list)) &&
	       !cs_job_has_buffer(job_ptr) && !cs_view_any_magnetic(v) &&
	       !cs_job_several_qos(job_ptr, qos, 1);
}

/* ---- taken over ------------------------------------------------------------ */

static bool lasts(const struct cs_view *v, const struct cs_view_job *was)
{
	uint32_t least_s =
		v->n_todo / A_SECOND > LASTS_S ? v->n_todo / A_SECOND : LASTS_S;
	int64_t s = least_s + was->id % least_s;

	return v->now_us >= was->described_us &&
	       v->now_us < was->described_us + s * 1000000;
}

void cs_view_before_note(struct cs_view *v, struct cs_view_job *j,
			 const job_record_t *job_ptr)
{
	j->mark = is_plain(v, job_ptr) ? mark_of(job_ptr) : 0;
	j->round = v->round;
	j->described_us = v->now_us;
	j->flags = j->desc.flags;
	j->estimate_us = j->desc.estimate_us;
	v->described++;
	cs_view_before_add(v, j);
}

/* Rule 5's priority: an array of them is in the mark. */
static void renew_priority(struct cs_view_job *j, const job_record_t *job_ptr)
{
	struct cs_view_option *o = cs_view_options(j);

	for (uint32_t i = 0;
	     !cs_job_priorities(job_ptr) && i < j->desc.n_option; i++)
		o[i].priority = job_ptr->priority;
}

struct cs_view_job *cs_view_before_take(struct cs_view *v,
					const job_record_t *job_ptr)
{
	const struct cs_view_job *was =
		cs_view_before_find(v->before, job_ptr->job_id);
	struct cs_view_job *j;

	if (!was || !was->mark || was->round != v->round || !lasts(v, was) ||
	    !is_plain(v, job_ptr) || was->mark != mark_of(job_ptr))
		return NULL;
	j = cs_view_before_copy(v, was);
	if (!j)
		return NULL;
	v->kept++;
	j->desc.flags = j->flags;
	j->desc.estimate_us = j->estimate_us;
	j->desc.after_us = 0;
	renew_priority(j, job_ptr);
	return j;
}
