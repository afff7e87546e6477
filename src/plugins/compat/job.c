/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about jobs, and actions on them, whose form depends on the release.
 */
#include "job.h"

#include <string.h>
#include <strings.h>
#include <time.h>

const char *cs_job_user_name(const job_record_t *job_ptr)
{
#if CS_SLURM_AT_LEAST(23, 11)
	if (!job_ptr->user_name && job_ptr->id)
		return job_ptr->id->pw_name;
#endif
	return job_ptr->user_name;
}

enum cs_cmd_whole cs_job_whole(const job_record_t *job_ptr)
{
	uint8_t w = job_ptr->details->whole_node;

#if CS_SLURM_AT_LEAST(24, 5)
	/* A mask; more than whole nodes includes whole nodes. */
	if (w & ~WHOLE_NODE_REQUIRED)
		return CS_WHOLE_OTHER;
	return w ? CS_WHOLE_NODE : CS_WHOLE_NO;
#else
	if (w == WHOLE_NODE_REQUIRED)
		return CS_WHOLE_NODE;
	return w ? CS_WHOLE_OTHER : CS_WHOLE_NO;
#endif
}

bool cs_job_owns_nodes(const job_record_t *job_ptr)
{
#if CS_SLURM_AT_LEAST(24, 5)
	return job_ptr->details->whole_node & WHOLE_NODE_USER;
#else
	return job_ptr->details->whole_node == WHOLE_NODE_USER;
#endif
}

static int odd_feature(void *x, void *arg)
{
	job_feature_t *f = x;

	(void)arg;
	return f->count || f->paren || f->changeable ||
	       (f->op_code != FEATURE_OP_AND && f->op_code != FEATURE_OP_END);
}

bool cs_job_features_plain(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;

	if (d->prefer || d->cluster_features)
		return false;
	return !d->feature_list ||
	       !list_find_first(d->feature_list, odd_feature, NULL);
}

static int feature_named(void *x, void *key)
{
	return !xstrcmp(((node_feature_t *)x)->name, key);
}

static int add_counted(void *x, void *arg)
{
	job_feature_t *want = x;
	bitstr_t *nodes = arg;
	node_feature_t *f = want->count
				    ? list_find_first(active_feature_list,
						      feature_named, want->name)
				    : NULL;

	if (f && f->node_bitmap)
		bit_or(nodes, f->node_bitmap);
	return 0;
}

void cs_job_counted_nodes(const job_record_t *job_ptr, bitstr_t *nodes)
{
	if (job_ptr->details->feature_list)
		list_for_each(job_ptr->details->feature_list, add_counted,
			      nodes);
}

uint32_t cs_job_max_nodes(const job_record_t *job_ptr)
{
#if CS_SLURM_AT_LEAST(26, 5)
	if (job_ptr->bit_flags & JOB_IMPLICIT_MAX_NODES)
		return 0;
#endif
	return job_ptr->details->max_nodes;
}

bool cs_job_expedited(const job_record_t *job_ptr)
{
#if CS_SLURM_AT_LEAST(25, 11)
	return IS_JOB_EXPEDITING(job_ptr);
#else
	(void)job_ptr;
	return false;
#endif
}

/* For -N MIN-MAX Slurm gives as many nodes as are available at the start, unless told
 * otherwise; --spread-job is such a range, from 1 to the number of tasks. */
static bool takes_most_nodes(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;

	return job_ptr->bit_flags & SPREAD_JOB ||
	       (cs_job_max_nodes(job_ptr) > d->min_nodes &&
		!(job_ptr->bit_flags & USE_MIN_NODES));
}

bool cs_job_wants_gres(const job_record_t *job_ptr)
{
	return job_ptr->gres_list_req && list_count(job_ptr->gres_list_req);
}

bool cs_job_has_buffer(const job_record_t *job_ptr)
{
	return job_ptr->burst_buffer && job_ptr->burst_buffer[0];
}

/* It creates or destroys a burst buffer, without nodes. */
static bool only_buffer(const job_record_t *job_ptr)
{
	return cs_job_has_buffer(job_ptr) && !job_ptr->details->min_nodes;
}

bool cs_compat_licence_counts(const licenses_t *entry)
{
#if CS_SLURM_AT_LEAST(25, 5)
	return !entry->op_or && entry->id.hres_id == NO_VAL16;
#else
	(void)entry;
	return true;
#endif
}

uint32_t cs_compat_licence_held(const licenses_t *entry)
{
#if CS_SLURM_AT_LEAST(25, 5)
	if (entry->id.hres_id != NO_VAL16)
		return 0;
	if (entry->op_or)
		return entry->used;
#endif
	return entry->total;
}

static int is_chosen(void *x, void *arg)
{
	(void)arg;
	return !cs_compat_licence_counts(x);
}

/* Licences that Slurm chooses with the nodes. */
static bool chooses_licences(const job_record_t *job_ptr)
{
	return job_ptr->license_list &&
	       list_find_first(job_ptr->license_list, is_chosen, NULL);
}

bool cs_job_wants_other(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;

	return job_ptr->req_switch || job_ptr->reboot || only_buffer(job_ptr) ||
	       job_ptr->network || d->contiguous || d->core_spec != NO_VAL16 ||
	       d->expanding_jobid || d->overcommit ||
	       takes_most_nodes(job_ptr) || chooses_licences(job_ptr)
#if CS_SLURM_AT_LEAST(23, 11)
	       || d->job_size_bitmap || d->arbitrary_tpn
#endif
#if CS_SLURM_AT_LEAST(24, 5)
	       || d->segment_size
#endif
		;
}

/* FNV-1a, including the end of each text. */
static uint32_t fold(uint32_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619;
	return h * 16777619;
}

static uint32_t fold_number(uint32_t h, uint64_t number)
{
	for (; number; number >>= 8)
		h = (h ^ (number & 255)) * 16777619;
	return h * 16777619;
}

static uint32_t fold_layout(uint32_t h, const multi_core_data_t *mc)
{
	if (!mc)
		return h;
	h = fold_number(h, mc->boards_per_node);
	h = fold_number(h, mc->sockets_per_board);
	h = fold_number(h, mc->sockets_per_node);
	h = fold_number(h, mc->cores_per_socket);
	h = fold_number(h, mc->ntasks_per_board);
	return fold_number(h, mc->ntasks_per_socket);
}

uint32_t cs_job_other_wishes(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	const char *const text[] = {
		job_ptr->tres_per_job,	  job_ptr->tres_per_node,
		job_ptr->tres_per_socket, job_ptr->tres_per_task,
		job_ptr->cpus_per_tres,	  job_ptr->mem_per_tres,
		job_ptr->licenses,	  job_ptr->burst_buffer,
		job_ptr->network,	  d->features,
	};
	uint32_t h = 2166136261;

	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		h = fold(h, text[i]);
	h = fold_number(h, job_ptr->req_switch);
	h = fold_number(h, job_ptr->wait4switch);
	h = fold_number(h, job_ptr->bit_flags & (SPREAD_JOB | USE_MIN_NODES));
	h = fold_number(h, d->contiguous);
	h = fold_number(h, d->core_spec);
	h = fold_number(h, d->overcommit);
#if CS_SLURM_AT_LEAST(24, 5)
	h = fold_number(h, d->segment_size);
#endif
#if CS_SLURM_AT_LEAST(25, 11)
	h = fold_number(h, job_ptr->bit_flags &
				   (SPREAD_SEGMENTS | CONSOLIDATE_SEGMENTS));
#endif
	return fold_layout(h, d->mc_ptr);
}

static int is_of_type(void *x, void *key)
{
	return ((job_defaults_t *)x)->type == *(uint16_t *)key;
}

uint64_t cs_compat_part_default(const part_record_t *part_ptr, uint16_t type)
{
	list_t *const lists[] = { part_ptr->job_defaults_list,
				  slurm_conf.job_defaults_list };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const job_defaults_t *d =
			lists[i] ? list_find_first(lists[i], is_of_type, &type)
				 : NULL;

		if (d)
			return d->value;
	}
	return 0;
}

bool cs_job_memory_by_gpu(const job_record_t *job_ptr,
			  const part_record_t *part_ptr)
{
	if (job_ptr->bit_flags & JOB_MEM_SET ||
	    (!xstrcasestr(job_ptr->tres_per_job, "gpu") &&
	     !xstrcasestr(job_ptr->tres_per_node, "gpu") &&
	     !xstrcasestr(job_ptr->tres_per_socket, "gpu") &&
	     !xstrcasestr(job_ptr->tres_per_task, "gpu")))
		return false;
	return job_ptr->mem_per_tres ||
	       cs_compat_part_default(part_ptr, JOB_DEF_MEM_PER_GPU);
}

uint32_t cs_compat_part_max_cpus_per_socket(const part_record_t *part_ptr)
{
#if CS_SLURM_AT_LEAST(23, 2)
	return part_ptr->max_cpus_per_socket;
#else
	(void)part_ptr;
	return INFINITE;
#endif
}

bool cs_compat_node_keeps_cores(const node_record_t *node_ptr)
{
#if CS_SLURM_AT_LEAST(24, 5)
	return node_ptr->res_cores_per_gpu;
#else
	(void)node_ptr;
	return false;
#endif
}

uint32_t cs_compat_queue_qos(const job_queue_rec_t *rec)
{
#if CS_SLURM_AT_LEAST(24, 11)
	return rec->qos_ptr && rec->job_ptr->qos_list ? rec->qos_ptr->id : 0;
#else
	(void)rec;
	return 0;
#endif
}

#if CS_SLURM_AT_LEAST(24, 11)
static int qos_is(void *x, void *key)
{
	slurmdb_qos_rec_t *qos = x;
	uint32_t *id = key;

	return qos->id == *id;
}
#endif

void cs_compat_queue_take_qos(job_queue_rec_t *rec, uint32_t qos_id)
{
#if CS_SLURM_AT_LEAST(24, 11)
	list_t *several = rec->job_ptr->qos_list;

	rec->qos_ptr = qos_id && several
			       ? list_find_first(several, qos_is, &qos_id)
			       : rec->job_ptr->qos_ptr;
#else
	(void)rec;
	(void)qos_id;
#endif
}

uint32_t cs_job_several_qos(const job_record_t *job_ptr,
			    const slurmdb_qos_rec_t **ret, uint32_t max)
{
	uint32_t n = 0;
#if CS_SLURM_AT_LEAST(24, 11)
	slurmdb_qos_rec_t *qos;
	list_itr_t *it;

	if (!job_ptr->qos_list)
		return 0;
	it = list_iterator_create(job_ptr->qos_list);
	while (n < max && (qos = list_next(it)))
		ret[n++] = qos;
	list_iterator_destroy(it);
#else
	(void)job_ptr;
	(void)ret;
	(void)max;
#endif
	return n;
}

#if CS_SLURM_AT_LEAST(24, 11)
void cs_job_set_qos(job_record_t *job_ptr, slurmdb_qos_rec_t *qos)
{
	job_ptr->qos_ptr = qos;
#if CS_SLURM_AT_LEAST(25, 11)
	if (qos)
		job_ptr->qos_id = qos->id;
#endif
}
#endif

bool cs_job_take_qos(job_record_t *job_ptr, uint32_t qos_id)
{
#if CS_SLURM_AT_LEAST(24, 11)
	slurmdb_qos_rec_t *qos;

	if (!qos_id)
		return true;
	if (!job_ptr->qos_list)
		return job_ptr->qos_id == qos_id;
	qos = list_find_first(job_ptr->qos_list, qos_is, &qos_id);
	if (!qos)
		return false;
	cs_job_set_qos(job_ptr, qos);
	return true;
#else
	(void)job_ptr;
	(void)qos_id;
	return true;
#endif
}

uint32_t *cs_job_priorities(const job_record_t *job_ptr)
{
#if CS_SLURM_AT_LEAST(24, 5)
	return job_ptr->CS_JOB_PRIORITIES
		       ? job_ptr->CS_JOB_PRIORITIES->priority_array
		       : NULL;
#else
	return job_ptr->priority_array;
#endif
}

/* sprio itself adds up the factors. */
static void show_as_site_factor(job_record_t *job_ptr, uint32_t priority)
{
	double others, site;

	if (!job_ptr->prio_factors)
		return;
	others = job_ptr->prio_factors->priority_age +
		 job_ptr->prio_factors->priority_assoc +
		 job_ptr->prio_factors->priority_fs +
		 job_ptr->prio_factors->priority_js +
		 job_ptr->prio_factors->priority_part +
		 job_ptr->prio_factors->priority_qos -
		 ((double)job_ptr->prio_factors->nice - NICE_OFFSET);
	site = NICE_OFFSET + (double)priority - others;
	if (site >= 0 && site <= UINT32_MAX)
		job_ptr->prio_factors->priority_site = (uint32_t)site;
}

void cs_job_rank(job_record_t *job_ptr, uint32_t priority)
{
	uint32_t *array = cs_job_priorities(job_ptr);
	size_t n = array ? xsize(array) / sizeof(*array) : 0;

	for (size_t i = 0; i < n; i++)
		array[i] = priority;
	job_ptr->priority = priority;
	show_as_site_factor(job_ptr, priority);
}

/* NICE_OFFSET itself means that none was given. */
static uint32_t factor_for(const job_record_t *job_ptr, uint32_t number)
{
	uint64_t site = (uint64_t)number + job_ptr->details->nice;

	if (site >= NO_VAL)
		return NO_VAL - 1;
	return site == NICE_OFFSET ? NICE_OFFSET + 1 : (uint32_t)site;
}

bool cs_job_set_factor(job_record_t *job_ptr, uint32_t number)
{
	uint32_t site = factor_for(job_ptr, number);

	if (site == job_ptr->site_factor)
		return false;
	job_ptr->site_factor = site;
	set_job_prio(job_ptr);
	return true;
}

void cs_job_first_factor(job_record_t *job_ptr, uint32_t number)
{
	if (job_ptr->details && job_ptr->site_factor == NICE_OFFSET)
		job_ptr->site_factor = factor_for(job_ptr, number);
}

uint32_t cs_job_factor(const job_record_t *job_ptr)
{
	uint32_t site = job_ptr->site_factor, nice = job_ptr->details->nice;

	if (!job_ptr->priority)
		return 0;
	return site != NICE_OFFSET && site > nice ? site - nice : 1;
}

void cs_job_count_minutes(job_record_t *job_ptr, uint32_t minutes)
{
	uint32_t state = job_ptr->job_state;

	/* for a suspended job it would count nothing */
	if (IS_JOB_SUSPENDED(job_ptr))
		job_ptr->job_state = (state & ~JOB_STATE_BASE) | JOB_RUNNING;
	acct_policy_alter_job(job_ptr, minutes);
	job_ptr->job_state = state;
}

void cs_job_account(job_record_t *job_ptr)
{
	jobacct_storage_g_job_start(acct_db_conn, job_ptr);
}

/* What reservations keep from a job, in job_test's form. */
#if CS_SLURM_AT_LEAST(23, 11)
typedef resv_exc_t kept_t;
#define KEPT_ARG(kept) (&(kept))
#define KEPT_DONE(kept) reservation_delete_resv_exc_parts(&(kept))
#else
typedef bitstr_t *kept_t;
#define KEPT_ARG(kept) (kept)
#define KEPT_DONE(kept) FREE_NULL_BITMAP(kept)
#endif

/* Clear those of @nodes that are to reboot before a job may start there. */
static void drop_rebooting(bitstr_t *nodes)
{
	for (int i = bit_ffs(rs_node_bitmap); i >= 0 && i < node_record_count;
	     i++)
		if (bit_test(rs_node_bitmap, i) &&
		    !cs_compat_starts_before_reboot(i))
			bit_clear(nodes, i);
}

/* What reservations, partition and the job's wishes leave of @nodes; @now: for a start
 * at once. */
static bool narrow(job_record_t *job_ptr, bitstr_t *nodes, bool now,
		   kept_t *kept)
{
	bitstr_t *avail = NULL;
	bool overlap = false;
	time_t at = time(NULL);
	int rc = job_test_resv(job_ptr, &at, false, &avail, kept, &overlap,
			       false);

	if (!rc && avail)
		bit_and(nodes, avail);
	FREE_NULL_BITMAP(avail);
	bit_and(nodes, job_ptr->part_ptr->node_bitmap);
	avail = bit_copy(avail_node_bitmap);
	bit_or(avail, rs_node_bitmap); /* planned on, but not yet started on */
	bit_and(nodes, avail);
	FREE_NULL_BITMAP(avail);
	if (now) {
		bit_and_not(nodes, cg_node_bitmap);
		drop_rebooting(nodes);
	}
	if (job_ptr->details->exc_node_bitmap)
		bit_and_not(nodes, job_ptr->details->exc_node_bitmap);
	return !rc && !job_req_node_filter(job_ptr, nodes, true);
}

static int will_run(job_record_t *job_ptr, bitstr_t *nodes, kept_t kept)
{
	uint32_t min, req, max;

	if (get_node_cnts(job_ptr, 0, job_ptr->part_ptr, &min, &req, &max) ||
	    (uint32_t)bit_set_count(nodes) < min)
		return SLURM_ERROR;
#if CS_SLURM_AT_LEAST(24, 11)
	return select_g_job_test(job_ptr, nodes, min, max, req,
				 SELECT_MODE_WILL_RUN, NULL, NULL,
				 KEPT_ARG(kept), NULL);
#else
	return select_g_job_test(job_ptr, nodes, min, max, req,
				 SELECT_MODE_WILL_RUN, NULL, NULL,
				 KEPT_ARG(kept));
#endif
}

/* When it would start on @nodes, 0: never. */
static time_t when(job_record_t *job_ptr, bitstr_t *nodes, bool now)
{
	cs_details_t *d = job_ptr->details;
	time_t before = job_ptr->start_time, start = 0;
	kept_t kept = { 0 };

	d->features_use = d->features;
	d->feature_list_use = d->feature_list;
	if (narrow(job_ptr, nodes, now, &kept) &&
	    (!d->req_node_bitmap || bit_super_set(d->req_node_bitmap, nodes))) {
		if (!will_run(job_ptr, nodes, kept))
			start = job_ptr->start_time;
		job_ptr->start_time = before;
	}
	KEPT_DONE(kept);
	return start;
}

bool cs_job_could_start(job_record_t *job_ptr, bitstr_t *nodes)
{
	time_t start = when(job_ptr, nodes, true);

	return start && start <= time(NULL);
}

time_t cs_job_forecast(job_record_t *job_ptr, bitstr_t *nodes)
{
	return when(job_ptr, nodes, false);
}

static int credential_life_s(void)
{
#if CS_SLURM_AT_LEAST(23, 11)
	return cred_expiration();
#else
	int life = 1200;

	slurm_cred_ctx_get(slurmctld_config.cred_ctx,
			   SLURM_CRED_OPT_EXPIRY_WINDOW, &life);
	return life;
#endif
}

void cs_job_unstart(job_record_t *job_ptr)
{
	time_t now = time(NULL);
	uint64_t flags;

	job_ptr->details->begin_time = now + credential_life_s() + 1;
	job_ptr->end_time = now;
#if CS_SLURM_AT_LEAST(23, 11)
	job_state_set(job_ptr, JOB_PENDING | JOB_COMPLETING);
#else
	job_ptr->job_state = JOB_PENDING | JOB_COMPLETING;
#endif
	last_job_update = now;
	build_cg_bitmap(job_ptr);
	job_completion_logger(job_ptr, false);
	deallocate_nodes(job_ptr, false, false, false);
	/* It was logged as an end: count its submission again. */
	flags = job_ptr->bit_flags;
	job_ptr->bit_flags |= JOB_KILL_HURRY;
#if CS_SLURM_AT_LEAST(23, 11)
	acct_policy_add_job_submit(job_ptr, false);
#else
	acct_policy_add_job_submit(job_ptr);
#endif
	job_ptr->bit_flags = flags;
	if (!job_ptr->node_bitmap_cg || !bit_set_count(job_ptr->node_bitmap_cg))
		batch_requeue_fini(job_ptr);
}

static int part_has_nodes(void *x, void *arg)
{
	const part_record_t *part_ptr = x;

	(void)arg;
	return part_ptr->node_bitmap && bit_ffs(part_ptr->node_bitmap) >= 0;
}

bool cs_job_has_nodes(job_record_t *job_ptr)
{
	if (job_ptr->part_ptr_list)
		return list_find_first(job_ptr->part_ptr_list, part_has_nodes,
				       job_ptr);
	return job_ptr->part_ptr && part_has_nodes(job_ptr->part_ptr, NULL);
}

/* Has Slurm's table a place for one more? */
static bool nodes_may_come(void)
{
	uint32_t n = 0;

	for (int i = 0; slurm_conf.max_node_cnt && i < node_record_count; i++)
		n += node_record_table_ptr[i] != NULL;
	return n < slurm_conf.max_node_cnt;
}

/* Of all nodes, or of a node set, those that register are, too. */
static int part_gains_nodes(void *x, void *arg)
{
	const part_record_t *part_ptr = x;

	(void)arg;
	return part_ptr->nodesets || (part_ptr->orig_nodes &&
				      !strcasecmp(part_ptr->orig_nodes, "ALL"));
}

bool cs_job_gains_nodes(job_record_t *job_ptr)
{
	if (!nodes_may_come())
		return false;
	if (job_ptr->part_ptr_list)
		return list_find_first(job_ptr->part_ptr_list, part_gains_nodes,
				       job_ptr);
	return job_ptr->part_ptr && part_gains_nodes(job_ptr->part_ptr, NULL);
}

bool cs_job_at_limit(const job_record_t *job_ptr)
{
	uint32_t r = job_ptr->state_reason;

#ifdef JSR_QOS_ASSOC
	return r < REASON_END && job_state_reason_check(r, JSR_QOS_ASSOC);
#else
	/* Later ones, if the release has them, are of other kinds, too. */
	return (r >= WAIT_ASSOC_JOB_LIMIT && r <= WAIT_ASSOC_TIME_LIMIT) ||
	       (r >= WAIT_QOS_JOB_LIMIT && r <= WAIT_QOS_TIME_LIMIT) ||
	       (r >= WAIT_QOS_GRP_CPU && r <= WAIT_ASSOC_MAX_SUB_JOB) ||
	       (r >= WAIT_ASSOC_GRP_UNK &&
		r <= WAIT_QOS_MAX_SUB_JOB_PER_ACCT) ||
	       r == WAIT_ACCOUNT_POLICY ||
	       (r >= WAIT_ASSOC_GRP_BILLING && r <= WAIT_QOS_MIN_BILLING);
#endif
}

/* Releases before 23.11.10, and those of 24.05 before 24.05.3, treat one without a
 * delay as one of 0 s. */
bool cs_compat_resv_lends(const slurmctld_resv_t *r)
{
	return r->max_start_delay ||
	       SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 10) ||
	       (CS_SLURM_AT_LEAST(24, 5) &&
		SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 5, 3));
}
