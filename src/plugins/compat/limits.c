/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of jobs that are to start together.
 *
 * Problem: Slurm tests a limit on several jobs for one of them, against what all that
 * run have.  Of jobs of which all must start, or none, each may pass that test though
 * their sum is over the limit: the first ones would start in vain.
 *
 * Rules.
 *  1. A job that passes is counted as if it had begun, before the next one is tested;
 *     then all are taken off again, and only then does any start.
 *  2. It counts with what its start would give it: the nodes that are chosen and the
 *     CPUs that its last will-run test chose there, or all of them where its partition
 *     gives whole nodes; its memory there; its least time.  Where no nodes are chosen
 *     yet, with what it asks for at least.
 *  3. Nothing else of the job changes, neither its state nor its submission in other
 *     partitions: it is counted while it waits, without these partitions, and for no
 *     time, so that a priority plugin charges nothing when it is taken off.
 *  4. The minutes that it may use are counted apart, as those of a running job whose
 *     limit is changed from none to its own, and back: priority/basic takes no minutes
 *     off at a job's end.
 *
 * Differs from stock's backfill, which does the same before it starts a heterogeneous
 * job: nodes of an association and licences are counted, too (it starts such
 * components, and takes them back); counts of accruing and submitted jobs stay right.
 */
#include "limits.h"

#include <string.h>
#include <time.h>

#include "job.h"

#if __has_include("src/stepmgr/gres_stepmgr.h")
#include "src/stepmgr/gres_stepmgr.h"
#define GRES_COUNTS gres_stepmgr_set_job_tres_cnt
#else
#include "src/slurmctld/gres_ctld.h"
#define GRES_COUNTS gres_ctld_set_job_tres_cnt
#endif

#if CS_SLURM_AT_LEAST(23, 11)
#define TAKE_LICENSES(job_ptr) license_job_get(job_ptr, false)
#define BEGIN(job_ptr) acct_policy_job_begin(job_ptr, false)
#define END(job_ptr) acct_policy_job_fini(job_ptr, false)
#else
#define TAKE_LICENSES(job_ptr) license_job_get(job_ptr)
#define BEGIN(job_ptr) acct_policy_job_begin(job_ptr)
#define END(job_ptr) acct_policy_job_fini(job_ptr)
#endif

/* A job that has what its start would give it, and what it had before. */
struct pretended {
	job_record_t *job_ptr;
	uint64_t *tres;	  /* [slurmctld_tres_cnt] */
	uint32_t minutes; /* that it may use */
	job_resources_t resrcs;
	uint64_t *tres_alloc_cnt;
	job_resources_t *job_resrcs;
	list_t *part_ptr_list;
	double billable_tres;
	uint32_t time_limit;
	time_t start_time, end_time, end_time_exp;
};

struct cs_limits {
	struct pretended *job; /* [n] counted, in their order */
	uint32_t n;
};

/* ---- rule 2 ---------------------------------------------------------------- */

static uint64_t cpus_on(const job_record_t *job_ptr, const bitstr_t *nodes)
{
	uint64_t cpus = 0;

	if (job_ptr->part_ptr->max_share)
		return job_ptr->total_cpus ? job_ptr->total_cpus
					   : job_ptr->details->min_cpus;
	for (int n = 0; next_node(&n); n++)
		if (bit_test((bitstr_t *)nodes, n))
			cpus += node_record_table_ptr[n]->cpus_efctv;
	return cpus;
}

/* Into @tres, which holds what it asks for. */
static void would_hold(job_record_t *job_ptr, const bitstr_t *on,
		       uint64_t *tres)
{
	assoc_mgr_lock_t locks = { .tres = READ_LOCK };
	uint32_t nodes = (uint32_t)bit_set_count((bitstr_t *)on);
	uint64_t cpus = cpus_on(job_ptr, on);

	tres[TRES_ARRAY_CPU] = cpus;
	tres[TRES_ARRAY_NODE] = nodes;
	tres[TRES_ARRAY_MEM] = job_get_tres_mem(
		NULL, job_ptr->details->pn_min_memory, (uint32_t)cpus, nodes,
		job_ptr->part_ptr, job_ptr->gres_list_req,
		job_ptr->bit_flags & JOB_MEM_SET,
		job_get_sockets_per_node(job_ptr), job_ptr->details->num_tasks);
	assoc_mgr_lock(&locks);
	GRES_COUNTS(job_ptr->gres_list_req, nodes, tres, true);
	tres[TRES_ARRAY_BILLING] = (uint64_t)assoc_mgr_tres_weighted(
		tres, job_ptr->part_ptr->billing_weights,
		slurm_conf.priority_flags, true);
	assoc_mgr_unlock(&locks);
}

/* The limit that it would start with. */
static uint32_t minutes_of(const job_record_t *job_ptr)
{
	const part_record_t *part_ptr = job_ptr->part_ptr;
	uint32_t limit = job_ptr->time_limit;

	if (limit == NO_VAL)
		limit = part_ptr->default_time != NO_VAL
				? part_ptr->default_time
				: part_ptr->max_time;
	return job_ptr->time_min && job_ptr->time_min < limit
		       ? job_ptr->time_min
		       : limit;
}

/* @nodes may be NULL. */
static void pretend(struct pretended *p, job_record_t *job_ptr, bitstr_t *nodes)
{
	*p = (struct pretended){
		.job_ptr = job_ptr,
		.tres = xcalloc((size_t)slurmctld_tres_cnt, sizeof(*p->tres)),
		.minutes = minutes_of(job_ptr),
		.resrcs = { .node_bitmap = nodes },
		.tres_alloc_cnt = job_ptr->tres_alloc_cnt,
		.job_resrcs = job_ptr->job_resrcs,
		.part_ptr_list = job_ptr->part_ptr_list,
		.billable_tres = job_ptr->billable_tres,
		.time_limit = job_ptr->time_limit,
		.start_time = job_ptr->start_time,
		.end_time = job_ptr->end_time,
		.end_time_exp = job_ptr->end_time_exp,
	};
	memcpy(p->tres, job_ptr->tres_req_cnt,
	       (size_t)slurmctld_tres_cnt * sizeof(*p->tres));
	if (nodes)
		would_hold(job_ptr, nodes, p->tres);
	job_ptr->tres_alloc_cnt = p->tres;
	job_ptr->job_resrcs = nodes ? &p->resrcs : NULL;
	job_ptr->part_ptr_list = NULL;
	job_ptr->time_limit = p->minutes;
	job_ptr->start_time = job_ptr->end_time = job_ptr->end_time_exp =
		time(NULL);
}

static void put_back(struct pretended *p)
{
	job_record_t *job_ptr = p->job_ptr;

	job_ptr->tres_alloc_cnt = p->tres_alloc_cnt;
	job_ptr->job_resrcs = p->job_resrcs;
	job_ptr->part_ptr_list = p->part_ptr_list;
	job_ptr->billable_tres = p->billable_tres;
	job_ptr->time_limit = p->time_limit;
	job_ptr->start_time = p->start_time;
	job_ptr->end_time = p->end_time;
	job_ptr->end_time_exp = p->end_time_exp;
	xfree(p->tres);
}

/* ---- rules 1, 3 and 4 ------------------------------------------------------ */

/* May it begin beside those counted?  As cs_limits_try(). */
static int allowed(const struct pretended *p)
{
	if (license_job_test(p->job_ptr, time(NULL), true))
		return CS_LICENSES_UNAVAILABLE;
	if (!acct_policy_job_runnable_pre_select(p->job_ptr, false) ||
	    !acct_policy_job_runnable_post_select(p->job_ptr, p->tres, false))
		return ESLURM_ACCOUNTING_POLICY;
	return 0;
}

/* It has @minutes to use from now on, instead of its limit. */
static void count_minutes(job_record_t *job_ptr, uint32_t minutes)
{
	uint32_t state = job_ptr->job_state;

	job_ptr->job_state = JOB_RUNNING;
	acct_policy_alter_job(job_ptr, minutes);
	job_ptr->job_state = state;
	job_ptr->time_limit = minutes;
}

static uint32_t by_usage_factor(const struct pretended *p)
{
	const slurmdb_qos_rec_t *qos = p->job_ptr->qos_ptr;

	if (!qos || qos->usage_factor < 0 || p->minutes == INFINITE)
		return p->minutes;
	return (uint32_t)(p->minutes * qos->usage_factor);
}

static void count(struct cs_limits *l)
{
	struct pretended *p = &l->job[l->n++];

	p->job_ptr->time_limit = 0;
	TAKE_LICENSES(p->job_ptr);
	BEGIN(p->job_ptr);
	count_minutes(p->job_ptr, by_usage_factor(p));
}

static void take_off(struct pretended *p)
{
	count_minutes(p->job_ptr, 0);
	END(p->job_ptr);
	license_job_return(p->job_ptr);
	put_back(p);
}

struct cs_limits *cs_limits_begin(uint32_t most)
{
	struct cs_limits *l = xmalloc(sizeof(*l));

	l->job = xcalloc(most, sizeof(*l->job));
	return l;
}

void cs_limits_end(struct cs_limits *l)
{
	while (l->n)
		take_off(&l->job[--l->n]);
	xfree(l->job);
	xfree(l);
}

void cs_limits_count(struct cs_limits *l, job_record_t *job_ptr)
{
	pretend(&l->job[l->n], job_ptr, NULL);
	count(l);
}

int cs_limits_try(struct cs_limits *l, job_record_t *job_ptr, bitstr_t *nodes)
{
	struct pretended *p = &l->job[l->n];
	int rc;

	pretend(p, job_ptr, nodes);
	rc = allowed(p);
	if (rc)
		put_back(p);
	else
		count(l);
	return rc;
}
