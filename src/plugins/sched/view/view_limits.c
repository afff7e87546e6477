/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs: their requested time, and the site's maximum.
 *
 * Rules.
 *  1. The estimate is the time limit: the job's, else its partition's default, else the
 *     partition's maximum, else a year; TimeMin if it is less.
 *  2. The maximum is the least of the partition's MaxTime and, if accounting enforces
 *     limits, of MaxWall and the minutes of rules 3 to 5, of QOS and associations.  (In
 *     Slurm a QOS's limit hides an association's.  Here the least counts.)
 *  3. Slurm ends a job that has used its minutes of a resource (MaxTRESMins).
 *     The maximum is the minutes that the job has if it holds as much of it as any
 *     layout gives it:
 *
 *	cpus   = processes * cpus a process, in whole cores; or what it must
 *		 find on each node
 *	nodes  = one a process, at most MaxNodes
 *	memory = that of a node * nodes, or of a cpu * cpus
 *
 *     Of GRES and licences it holds its request; a running job what it has.
 *  4. A waiting job's billing is unknown: under a limit on that it gets its request,
 *     and no more.
 *  5. Likewise under one on the minutes of several jobs (GrpTRESMins, GrpTRESRunMins,
 *     GrpWall; MaxTRESRunMins of users and accounts of a QOS): Slurm admits jobs by
 *     what the limits of the others leave.
 *  6. Rules 3 to 5 never go below its request: Slurm tests that at its start.
 *  7. Of limits on nodes the first QOS's counts, then the second's, and an
 *     association's if no QOS has one; `first` is the partition's, unless the job's own
 *     says that it is stronger.  A layout respects them.
 *  8. Where such a limit is on the nodes of several jobs together, those of a QOS or an
 *     association (GrpTRES=node), or those of a user or account in a QOS (MaxTRESPU,
 *     MaxTRESPA), stock prefers nodes that they already have.  A job that may need these,
 *     as new ones could be too many, is for Slurm's own test.
 */
#include "sched/view/view_slurm.h"

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
		limit = part_ptr->default_time != NO_VAL
				? part_ptr->default_time
				: part_ptr->max_time;
	return limit == INFINITE ? part_ptr->max_time : limit;
}

int64_t cs_view_estimate(const job_record_t *job_ptr,
			 const part_record_t *part_ptr)
{
	uint32_t limit = asked(job_ptr, part_ptr);

	/* once started it has the time it could get */
	if (job_ptr->time_min && job_ptr->time_min < limit &&
	    IS_JOB_PENDING(job_ptr))
		limit = job_ptr->time_min;
	return cs_view_minutes_us(limit);
}

/* ---- nodes ----------------------------------------------------------------- */

struct two_qos { /* either may be NULL */
	const slurmdb_qos_rec_t *first, *second;
};

/* @own: the job's, or NULL. */
static struct two_qos both_qos(const slurmdb_qos_rec_t *own,
			       const part_record_t *part_ptr)
{
	const slurmdb_qos_rec_t *part = part_ptr->qos_ptr;

	if (!own || !part || own == part)
		return (struct two_qos){ own ? own : part, NULL };
	if (own->flags & QOS_FLAG_OVER_PART_QOS)
		return (struct two_qos){ own, part };
	return (struct two_qos){ part, own };
}

/* The limit on nodes of @first [slurmctld_tres_cnt], else of @second. */
static uint64_t nodes_in(const uint64_t *first, const uint64_t *second)
{
	if (first[TRES_ARRAY_NODE] != INFINITE64 || !second)
		return first[TRES_ARRAY_NODE];
	return second[TRES_ARRAY_NODE];
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The factor that this QOS applies to its associations' limits. */
static double factor_of(const struct two_qos *q)
{
	double f = q->first ? q->first->limit_factor : INFINITE;

	if ((f <= 0 || f >= INFINITE) && q->second)
		f = q->second->limit_factor;
	return f <= 0 || f >= INFINITE ? 1 : f;
}

/* @one: no QOS limits one job's nodes; @group: nor all jobs' together. */
static uint64_t nodes_by_associations(const slurmdb_assoc_rec_t *assoc,
				      double factor, bool one, bool group)
{
	uint64_t most = INFINITE64;
	bool own = true;

	for (; assoc; assoc = assoc->usage->parent_assoc_ptr) {
		uint64_t all = assoc->grp_tres_ctld[TRES_ARRAY_NODE],
			 each = assoc->max_tres_ctld[TRES_ARRAY_NODE];

		if (own && one && each != INFINITE64)
			most = less(most, (uint64_t)((double)each * factor));
		own = false;
		if (!group || all == INFINITE64)
			continue;
		return less(most, (uint64_t)((double)all * factor));
	}
	return most;
}

uint32_t cs_view_most_nodes(const job_record_t *job_ptr,
			    const part_record_t *part_ptr)
{
	const struct two_qos q = both_qos(job_ptr->qos_ptr, part_ptr);
	const slurmdb_qos_rec_t *a = q.first, *b = q.second;
	uint64_t one = INFINITE64, group = INFINITE64, most;

	if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS))
		return UINT32_MAX;
	if (a) {
		one = nodes_in(a->max_tres_pj_ctld,
			       b ? b->max_tres_pj_ctld : NULL);
		one = less(one, nodes_in(a->max_tres_pu_ctld,
					 b ? b->max_tres_pu_ctld : NULL));
		one = less(one, nodes_in(a->max_tres_pa_ctld,
					 b ? b->max_tres_pa_ctld : NULL));
		group = nodes_in(a->grp_tres_ctld, b ? b->grp_tres_ctld : NULL);
	}
	most = nodes_by_associations(job_ptr->assoc_ptr, factor_of(&q),
				     one == INFINITE64, group == INFINITE64);
	most = less(most, less(one, group));
	return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static int is_user(void *used, void *uid)
{
	return ((slurmdb_used_limits_t *)used)->uid == *(uint32_t *)uid;
}

static int is_account(void *used, void *name)
{
	return !xstrcmp(((slurmdb_used_limits_t *)used)->acct, name);
}

/* Jobs that have @tres may have @limit nodes: nothing to join if they have none. */
static void under(struct cs_view_nodes *n, uint64_t limit, const uint64_t *tres)
{
	uint64_t used = tres[TRES_ARRAY_NODE];

	if (!used)
		return;
	n->left = less(n->left, used < limit ? limit - used : 0);
	n->most = less(n->most, used <= limit ? limit : 0);
	n->used = used > n->used ? used : n->used;
}

/* Those that @is finds by @key in @list, which may be NULL. */
static void under_one(struct cs_view_nodes *n, uint64_t limit, list_t *list,
		      ListFindF is, void *key)
{
	const slurmdb_used_limits_t *used =
		list ? list_find_first(list, is, key) : NULL;

	if (used)
		under(n, limit, used->tres);
}

/* Not yet limited by a QOS that is stronger?  From here on. */
static bool first_to(bool *done, const uint64_t *limit)
{
	bool first = !*done && limit[TRES_ARRAY_NODE] != INFINITE64;

	*done |= first;
	return first;
}

struct cs_view_nodes cs_view_nodes(const job_record_t *job_ptr,
				   const part_record_t *part_ptr,
				   const slurmdb_qos_rec_t *qos)
{
	const struct two_qos both = both_qos(qos, part_ptr);
	const slurmdb_qos_rec_t *const q[] = { both.first, both.second };
	const slurmdb_assoc_rec_t *assoc = job_ptr->assoc_ptr;
	struct cs_view_nodes n = { INFINITE64, INFINITE64, 0 };
	bool group = false, user = false, account = false;
	uint32_t uid = job_ptr->user_id;

	if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS))
		return n;
	for (size_t i = 0; i < ARRAY_SIZE(q); i++) {
		const slurmdb_qos_usage_t *u = q[i] ? q[i]->usage : NULL;

		if (!u)
			continue;
		if (first_to(&group, q[i]->grp_tres_ctld))
			under(&n, q[i]->grp_tres_ctld[TRES_ARRAY_NODE],
			      u->grp_used_tres);
		if (first_to(&user, q[i]->max_tres_pu_ctld))
			under_one(&n, q[i]->max_tres_pu_ctld[TRES_ARRAY_NODE],
				  u->user_limit_list, is_user, &uid);
		if (assoc && first_to(&account, q[i]->max_tres_pa_ctld))
			under_one(&n, q[i]->max_tres_pa_ctld[TRES_ARRAY_NODE],
				  u->acct_limit_list, is_account, assoc->acct);
	}
	for (; assoc && !group; assoc = assoc->usage->parent_assoc_ptr)
		if (first_to(&group, assoc->grp_tres_ctld))
			under(&n,
			      (uint64_t)((double)assoc->grp_tres_ctld
						 [TRES_ARRAY_NODE] *
					 factor_of(&both)),
			      assoc->usage->grp_used_tres);
	return n;
}

/* ---- minutes of resources -------------------------------------------------- */

struct asks {
	const job_record_t *job_ptr;
	uint64_t cpus, nodes; /* waiting: most in any layout */
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
	uint32_t threads =
		d->threads && d->threads < v->threads ? d->threads : v->threads;
	uint64_t a_proc = cs_div_up(d->cpus_per_proc, threads) * v->threads;
	uint64_t a_node = cs_div_up(d->least_cpus, threads) * v->threads;
	uint32_t nodes = d->procs;

	if (d->procs_per_node)
		nodes = cs_div_up(nodes, d->procs_per_node);
	if (d->max_nodes && d->max_nodes < nodes)
		nodes = d->max_nodes;
	return (struct asks){
		.job_ptr = job_ptr,
		.cpus = a_node * nodes > a_proc * d->procs ? a_node * nodes
							   : a_proc * d->procs,
		.nodes = nodes,
	};
}

static uint64_t memory_of(const struct asks *a)
{
	uint64_t mb = a->job_ptr->details->pn_min_memory;

	if (mb == NO_VAL64)
		return 0;
	return mb & MEM_PER_CPU ? (mb & ~MEM_PER_CPU) * a->cpus : mb * a->nodes;
}

/* The most of resource @tres that it will hold, or what it holds; UNKNOWN. */
static uint64_t held(const struct asks *a, int tres)
{
	const job_record_t *job_ptr = a->job_ptr;
	bool waits = IS_JOB_PENDING(job_ptr) || !job_ptr->tres_alloc_cnt;
	const uint64_t *cnt =
		waits ? job_ptr->tres_req_cnt : job_ptr->tres_alloc_cnt;
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

/* The same for several jobs. */
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

int64_t cs_view_limit_max_under(const struct cs_view *v,
				const struct cs_view_desc *d,
				const job_record_t *job_ptr,
				const part_record_t *part_ptr,
				const slurmdb_qos_rec_t *qos)
{
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

int64_t cs_view_limit_max(const struct cs_view *v, const struct cs_view_desc *d,
			  const job_record_t *job_ptr,
			  const part_record_t *part_ptr)
{
	return cs_view_limit_max_under(v, d, job_ptr, part_ptr,
				       job_ptr->qos_ptr);
}
