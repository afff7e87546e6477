/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs: the time that was asked for, and the most that the site lets them have.
 *
 * Rules.
 *  1. The estimate is the time limit: the job's, else its partition's default,
 *     else the partition's most, else a year; TimeMin where it is less.
 *  2. The most is the least of the partition's MaxTime and, where accounting
 *     enforces limits, of MaxWall and of the minutes of rules 3 to 5, of QOS and
 *     associations.  (For Slurm a limit of a QOS hides that of an association.
 *     Here the least counts.)
 *  3. Slurm ends a job that has used its minutes of a resource (MaxTRESMins).
 *     The most is so many minutes as the job has if it holds as much of it as
 *     any layout gives it:
 *
 *	cpus   = processes * cpus a process, in whole cores
 *	nodes  = one a process, at most MaxNodes
 *	memory = that of a node * nodes, or of a cpu * cpus
 *
 *     Of GRES and licences it holds what it asks for; a running job what it has.
 *  4. Nobody knows how much a waiting job will be billed for: under a limit on
 *     that it gets what it asked for, and no more.
 *  5. Nor does it under one on the minutes of several jobs (GrpTRESMins,
 *     GrpTRESRunMins, GrpWall; MaxTRESRunMins of users and accounts of a QOS):
 *     Slurm lets jobs in by what the limits of the others leave.
 *  6. Rules 3 to 5 take away nothing that it asked for: whether it may have
 *     that Slurm tests at its start.
 */
#include "view_slurm.h"

#define YEAR_MIN (365 * 24 * 60)
#define MINUTE_US INT64_C(60000000)
#define UNKNOWN UINT64_MAX

int64_t cs_view_minutes_us(uint32_t minutes)
{
	if (minutes == INFINITE || minutes == NO_VAL || minutes > YEAR_MIN)
		minutes = YEAR_MIN;
	return minutes ? minutes * MINUTE_US : MINUTE_US;
}

static uint32_t asked(const job_record_t *job_ptr,
		      const part_record_t *part_ptr)
{
	uint32_t limit = job_ptr->time_limit;

	if (limit == NO_VAL)
		limit = part_ptr->default_time != NO_VAL ?
				part_ptr->default_time :
				part_ptr->max_time;
	return limit == INFINITE ? part_ptr->max_time : limit;
}

int64_t cs_view_estimate(const job_record_t *job_ptr,
			 const part_record_t *part_ptr)
{
	uint32_t limit = asked(job_ptr, part_ptr);

	if (job_ptr->time_min && job_ptr->time_min < limit)
		limit = job_ptr->time_min;
	return cs_view_minutes_us(limit);
}

/* ---- minutes of resources -------------------------------------------------- */

struct asks {
	const job_record_t *job_ptr;
	uint64_t cpus, nodes; /* waiting: at most, in any layout */
};

static void at_most(uint32_t *minutes, uint32_t limit)
{
	if (limit != INFINITE && limit != NO_VAL && limit < *minutes)
		*minutes = limit;
}

static struct asks asks_of(const struct cs_view *v,
			   const struct cs_view_desc *d,
			   const job_record_t *job_ptr)
{
	uint32_t a_proc = cs_div_up(d->cpus_per_proc, v->threads) * v->threads;
	uint32_t nodes = d->procs;

	if (d->procs_per_node)
		nodes = cs_div_up(nodes, d->procs_per_node);
	if (d->max_nodes && d->max_nodes < nodes)
		nodes = d->max_nodes;
	return (struct asks){
		.job_ptr = job_ptr,
		.cpus = (uint64_t)d->procs * a_proc,
		.nodes = nodes,
	};
}

static uint64_t memory_of(const struct asks *a)
{
	uint64_t mb = a->job_ptr->details->pn_min_memory;

	if (mb == NO_VAL64)
		return 0;
	return mb & MEM_PER_CPU ? (mb & ~MEM_PER_CPU) * a->cpus :
				  mb * a->nodes;
}

/* The most of resource @tres that it will hold, or holds; UNKNOWN. */
static uint64_t held(const struct asks *a, int tres)
{
	const job_record_t *job_ptr = a->job_ptr;
	bool waits = IS_JOB_PENDING(job_ptr) || !job_ptr->tres_alloc_cnt;
	const uint64_t *cnt = waits ? job_ptr->tres_req_cnt :
				      job_ptr->tres_alloc_cnt;
	uint64_t n = cnt ? cnt[tres] : 0, most = 0;

	if (n == NO_CONSUME_VAL64 || tres == TRES_ARRAY_ENERGY)
		return 0;
	if (!waits)
		return n;
	if (tres == TRES_ARRAY_BILLING)
		return UNKNOWN;
	if (tres == TRES_ARRAY_CPU)
		most = a->cpus;
	else if (tres == TRES_ARRAY_NODE)
		most = a->nodes;
	else if (tres == TRES_ARRAY_MEM)
		most = memory_of(a);
	return n > most ? n : most;
}

/* @limit [slurmctld_tres_cnt]: minutes of one job */
static void minutes_of_one(uint32_t *most, const struct asks *a,
			   const uint64_t *limit)
{
	for (int i = 0; i < slurmctld_tres_cnt; i++) {
		uint64_t n = limit[i] == INFINITE64 ? 0 : held(a, i);

		if (n && limit[i] / n < *most)
			*most = (uint32_t)(limit[i] / n);
	}
}

/* The same, of several jobs. */
static void minutes_of_many(uint32_t *most, const struct asks *a,
			    const uint64_t *limit)
{
	for (int i = 0; i < slurmctld_tres_cnt; i++)
		if (limit[i] != INFINITE64 && held(a, i))
			*most = 0;
}

static void by_qos(uint32_t *most, const struct asks *a,
		   const slurmdb_qos_rec_t *qos)
{
	if (!qos)
		return;
	minutes_of_one(most, a, qos->max_tres_mins_pj_ctld);
	minutes_of_many(most, a, qos->grp_tres_mins_ctld);
	minutes_of_many(most, a, qos->grp_tres_run_mins_ctld);
	minutes_of_many(most, a, qos->max_tres_run_mins_pa_ctld);
	minutes_of_many(most, a, qos->max_tres_run_mins_pu_ctld);
	if (qos->grp_wall != INFINITE)
		*most = 0;
}

static void by_associations(uint32_t *most, const struct asks *a)
{
	const slurmdb_assoc_rec_t *assoc = a->job_ptr->assoc_ptr;

	for (; assoc; assoc = assoc->usage->parent_assoc_ptr) {
		minutes_of_one(most, a, assoc->max_tres_mins_ctld);
		minutes_of_many(most, a, assoc->grp_tres_mins_ctld);
		minutes_of_many(most, a, assoc->grp_tres_run_mins_ctld);
		if (assoc->grp_wall != INFINITE)
			*most = 0;
	}
}

int64_t cs_view_limit_max(const struct cs_view *v,
			  const struct cs_view_desc *d,
			  const job_record_t *job_ptr,
			  const part_record_t *part_ptr)
{
	const slurmdb_qos_rec_t *qos = job_ptr->qos_ptr;
	struct asks a = asks_of(v, d, job_ptr);
	uint32_t most = YEAR_MIN, wanted = asked(job_ptr, part_ptr);

	if (accounting_enforce & ACCOUNTING_ENFORCE_LIMITS) {
		by_qos(&most, &a, qos);
		by_qos(&most, &a, part_ptr->qos_ptr);
		by_associations(&most, &a);
		if (most < wanted)
			most = wanted < YEAR_MIN ? wanted : YEAR_MIN;
		if (qos)
			at_most(&most, qos->max_wall_pj);
		if (part_ptr->qos_ptr)
			at_most(&most, part_ptr->qos_ptr->max_wall_pj);
		if (job_ptr->assoc_ptr)
			at_most(&most, job_ptr->assoc_ptr->max_wall_pj);
	}
	if (!qos || !(qos->flags & QOS_FLAG_PART_TIME_LIMIT))
		at_most(&most, part_ptr->max_time);
	return cs_view_minutes_us(most);
}
