/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A waiting job that is taken over from the look before (view_again.c) is described as a
 * look from scratch would describe it, whatever of its record has changed.
 *
 * Every bit of the record, of its request and of its layout is changed in turn, and every
 * text, list and record that those point to is exchanged.  A field that the description
 * reads and the mark does not fails here.  If a test of this file crashes, the description
 * follows a pointer that `pointers` does not have yet.
 */
#include "cs_test.h"

#define feature_named feature_named_of_job
#include "compat/job.c"
#undef feature_named
#define asked asked_of_limits
#define at_most at_most_of_limits
#include "sched/view/view_limits.c"
#undef asked
#undef at_most
#define asked asked_of_sets
#define add_reservation add_reservation_of_sets
#define flags_of flags_of_sets
#define nodes_of nodes_of_sets
#include "sched/view/view_sets.c"
#undef asked
#undef add_reservation
#undef flags_of
#undef nodes_of
#define given given_of_gpus
#include "compat/gres.c"
#undef given
#include "compat/precedence.c"
#include "sched/view/view_again.c"
#include "sched/view/view_asked.c"
#include "sched/view/view_jobs.c"
#include "sched/view/view_order.c"

#define NODES 8

/* Never called here, and so not there. */
#define ABSENT(name) extern __typeof__(name) name __attribute__((weak))
ABSENT(acct_db_conn);
ABSENT(acct_policy_add_job_submit);
ABSENT(acct_policy_alter_job);
ABSENT(assoc_mgr_lock);
ABSENT(assoc_mgr_qos_list);
ABSENT(assoc_mgr_unlock);
ABSENT(avail_node_bitmap);
ABSENT(batch_requeue_fini);
ABSENT(bit_alloc);
ABSENT(bit_fls);
ABSENT(bit_or);
ABSENT(bit_overlap_any);
ABSENT(bit_set);
ABSENT(bit_set_count_range);
ABSENT(build_cg_bitmap);
ABSENT(build_job_queue);
ABSENT(cg_node_bitmap);
ABSENT(cs_fairshare_read);
ABSENT(cs_site_keys_least_priority);
ABSENT(cs_site_keys_stage_us);
ABSENT(cs_slurm_splits);
ABSENT(cs_view_ahead_begin);
ABSENT(cs_view_ahead_end);
ABSENT(cs_view_ahead_fetch);
ABSENT(cs_view_ahead_next);
ABSENT(cs_view_alloc);
ABSENT(cs_view_memory_held);
ABSENT(cs_view_ask);
ABSENT(cs_view_others);
ABSENT(deallocate_nodes);
ABSENT(find_job_record);
ABSENT(g_qos_count);
ABSENT(get_node_cnts);
ABSENT(job_completion_logger);
ABSENT(job_is_completing);
ABSENT(job_req_node_filter);
ABSENT(job_resv_append_magnetic);
ABSENT(job_test_resv);
ABSENT(jobacct_storage_g_job_start);
ABSENT(last_job_update);
ABSENT(last_node_update);
ABSENT(last_part_update);
ABSENT(last_resv_update);
ABSENT(list_create);
ABSENT(list_destroy);
ABSENT(resv_list);
ABSENT(rs_node_bitmap);
ABSENT(select_g_job_test);
ABSENT(set_job_prio);
ABSENT(slurm_xsize);
ABSENT(slurmctld_config);
ABSENT(xfree_ptr);
#if CS_SLURM_FROM(24, 11, 2)
ABSENT(asap_node_bitmap);
#endif
#if CS_SLURM_AT_LEAST(23, 11)
ABSENT(cred_expiration);
#if CS_SLURM_AT_LEAST(26, 5)
ABSENT(slurm_job_state_set);
#else
ABSENT(job_state_set);
#endif
ABSENT(reservation_delete_resv_exc_parts);
#else
ABSENT(slurm_cred_ctx_get);
#endif

/* ---- Slurm's, as far as a description calls it ------------------------------- */

struct items {
	int n;
	void *item[2];
};

static const struct items *items_of(list_t *l)
{
	return (const struct items *)(const void *)l;
}

int list_count(list_t *l)
{
	return items_of(l)->n;
}

void *list_peek(list_t *l)
{
	return items_of(l)->n ? items_of(l)->item[0] : NULL;
}

void *list_find_first(list_t *l, ListFindF f, void *key)
{
	for (int i = 0; i < items_of(l)->n; i++)
		if (f(items_of(l)->item[i], key))
			return items_of(l)->item[i];
	return NULL;
}

int list_for_each(list_t *l, ListForF f, void *arg)
{
	for (int i = 0; i < items_of(l)->n; i++)
		f(items_of(l)->item[i], arg);
	return items_of(l)->n;
}

/* One iterator at a time. */
static list_t *walked;
static int walked_at;

list_itr_t *list_iterator_create(list_t *l)
{
	walked = l;
	walked_at = 0;
	return (list_itr_t *)&walked;
}

void *list_next(list_itr_t *it)
{
	(void)it;
	return walked_at < items_of(walked)->n
		       ? items_of(walked)->item[walked_at++]
		       : NULL;
}

void list_iterator_destroy(list_itr_t *it)
{
	(void)it;
}

/* A node map is one word. */
bitstr_t *bit_copy(bitstr_t *b)
{
	bitstr_t *c = malloc(sizeof(*c));

	*c = *b;
	return c;
}

void slurm_bit_free(bitstr_t **b)
{
	free(*b);
	*b = NULL;
}

void bit_and(bitstr_t *a, bitstr_t *b)
{
	*a &= *b;
}

void bit_and_not(bitstr_t *a, bitstr_t *b)
{
	*a &= ~*b;
}

void bit_clear(bitstr_t *b, bitoff_t i)
{
	*b &= ~((bitstr_t)1 << i);
}

void bit_nclear(bitstr_t *b, bitoff_t from, bitoff_t to)
{
	(void)from;
	(void)to;
	*b = 0;
}

bitoff_t bit_size(bitstr_t *b)
{
	(void)b;
	return NODES;
}

int bit_test(bitstr_t *b, bitoff_t i)
{
	return (int)(*b >> i & 1);
}

int bit_super_set(bitstr_t *a, bitstr_t *b)
{
	return !(*a & ~*b);
}

int32_t bit_set_count(bitstr_t *b)
{
	return (int32_t)cs_popcount((uint64_t)*b);
}

bitoff_t bit_ffs(bitstr_t *b)
{
	return *b ? __builtin_ctzll((uint64_t)*b) : -1;
}

int xstrcmp(const char *a, const char *b)
{
	return !a || !b ? a != b : strcmp(a, b);
}

char *xstrcasestr(const char *text, const char *part)
{
	return text && part ? strstr(text, part) : NULL;
}

bool slurm_preemption_enabled(void)
{
	return true;
}

uint32_t acct_policy_get_prio_thresh(job_record_t *job_ptr, bool locked)
{
	(void)job_ptr;
	(void)locked;
	return 0;
}

#if CS_SLURM_AT_LEAST(24, 11)
bool job_state_reason_check(enum job_state_reason reason, uint32_t flags)
{
	(void)reason;
	(void)flags;
	return false;
}
#endif

slurm_conf_t slurm_conf;
uint16_t accounting_enforce = ACCOUNTING_ENFORCE_LIMITS;
int slurmctld_tres_cnt = TRES_ARRAY_TOTAL_CNT;
int node_record_count = NODES;
node_record_t **node_record_table_ptr;
list_t *active_feature_list;

/* Of our files beside them. */
bool cs_compat_part_topology_other(const part_record_t *part_ptr)
{
	return part_ptr->priority_tier == 2; /* second: one of its own */
}

int64_t cs_gate_now_us(void)
{
	return 0;
}

uint32_t cs_site_keys_over_s(const part_record_t *part_ptr)
{
	(void)part_ptr;
	return 0;
}

uint32_t cs_fairshare_of(const struct cs_fairshares *s, uint32_t uid)
{
	(void)s;
	return uid;
}

void cs_view_answer(struct cs_view *v, struct cs_view_job *j)
{
	(void)v;
	(void)j;
}

void cs_view_join(struct cs_view *view, struct cs_view_option *o,
		  const struct cs_view_others *others)
{
	(void)view;
	(void)o;
	(void)others;
}

/* ---- records -------------------------------------------------------------------- */

static part_record_t part[2];
static slurmdb_qos_rec_t qos[2];
static slurmdb_assoc_rec_t assoc[2];
static slurmdb_assoc_usage_t usage;
static uint64_t used[TRES_ARRAY_TOTAL_CNT];
static node_record_t node[NODES], *nodes[NODES];
static bitstr_t half = 0x0f, seven = 0x7f, two = 0x03, five = 0x1f;
static node_feature_t feature_a = { .name = (char *)"a" },
		      feature_b = { .name = (char *)"b" };
static job_feature_t want_a = { .name = (char *)"a",
				.op_code = FEATURE_OP_END },
		     want_b = { .name = (char *)"b",
				.op_code = FEATURE_OP_END };
static struct items both_features = { 2, { &feature_a, &feature_b } },
		    list_a = { 1, { &want_a } }, list_b = { 1, { &want_b } },
		    one_part = { 1, { &part[0] } },
		    both_parts = { 2, { &part[0], &part[1] } },
		    gres = { 1, { &part[0] } }, nothing = { 0, { NULL } };
static uint64_t unlimited[TRES_ARRAY_TOTAL_CNT], tight[TRES_ARRAY_TOTAL_CNT];

struct records {
	job_record_t job;
	cs_details_t details;
	multi_core_data_t mc;
};

static void fill_qos(slurmdb_qos_rec_t *q, uint64_t *limit)
{
	q->flags = 0;
	q->limit_factor = INFINITE;
	q->grp_wall = q->max_wall_pj = INFINITE;
	q->max_tres_pj_ctld = q->max_tres_pu_ctld = q->max_tres_pa_ctld =
		q->grp_tres_ctld = limit;
	q->max_tres_mins_pj_ctld = limit;
	q->grp_tres_mins_ctld = q->grp_tres_run_mins_ctld =
		q->max_tres_run_mins_pa_ctld = q->max_tres_run_mins_pu_ctld =
			unlimited;
}

static void fill_assoc(slurmdb_assoc_rec_t *a, uint64_t *limit)
{
	a->usage = &usage;
	usage.grp_used_tres = used;
	a->grp_wall = a->max_wall_pj = INFINITE;
	a->grp_tres_ctld = a->max_tres_ctld = limit;
	a->max_tres_mins_ctld = limit;
	a->grp_tres_mins_ctld = a->grp_tres_run_mins_ctld = unlimited;
}

static void fill_cluster(void)
{
	active_feature_list = (list_t *)&both_features;
	feature_a.node_bitmap = &half;
	feature_b.node_bitmap = &five;
	for (int i = 0; i < TRES_ARRAY_TOTAL_CNT; i++) {
		unlimited[i] = INFINITE64;
		tight[i] = 3 + (uint64_t)i;
	}
	for (int i = 0; i < 2; i++) {
		part[i].name = (char *)(i ? "second" : "first");
		part[i].node_bitmap = i ? &seven : &half;
		part[i].max_nodes = i ? 3 : INFINITE;
		part[i].max_time = i ? 600 : INFINITE;
		part[i].default_time = NO_VAL;
		part[i].max_share = 1;
		part[i].max_cpu_cnt = 16;
		part[i].max_core_cnt = 8;
		part[i].max_cpus_per_node = INFINITE;
#if CS_SLURM_AT_LEAST(23, 2)
		part[i].max_cpus_per_socket = INFINITE;
#endif
		part[i].priority_tier = (uint16_t)(1 + i);
		fill_qos(&qos[i], i ? tight : unlimited);
		fill_assoc(&assoc[i], i ? tight : unlimited);
	}
	for (int i = 0; i < NODES; i++) {
		node[i].cpus = (uint16_t)(1u << i);
		node[i].tmp_disk = (uint32_t)i;
		node[i].tot_sockets = node[i].cores = node[i].tpc =
			node[i].boards = (uint16_t)(1 + i);
		nodes[i] = &node[i];
	}
	node_record_table_ptr = nodes;
	slurm_conf.select_type_param = CS_SELECT_CORE;
}

static void plain_records(struct records *r)
{
	memset(r, 0, sizeof(*r));
	r->details.mc_ptr = &r->mc;
	r->details.num_tasks = 6;
	r->details.min_cpus = 6;
	r->details.cpus_per_task = r->details.orig_cpus_per_task = 2;
	r->details.min_nodes = 1;
	r->details.pn_min_cpus = r->details.orig_pn_min_cpus = 1;
	r->details.pn_min_memory = 100;
	r->details.core_spec = NO_VAL16;
	r->details.submit_time = 50;
	r->details.begin_time = 60;
	r->job.job_id = 7;
	r->job.array_task_id = NO_VAL;
	r->job.job_state = JOB_PENDING;
	r->job.priority = 1000;
	r->job.time_limit = 100;
	r->job.site_factor = NICE_OFFSET;
	r->job.details = &r->details;
	r->job.part_ptr = &part[0];
	r->job.qos_ptr = &qos[0];
	r->job.assoc_ptr = &assoc[0];
	r->job.account = (char *)"physics";
	r->job.name = (char *)"job";
	r->job.user_name = (char *)"alice";
}

/* ---- what is exchanged ------------------------------------------------------------ */

static uint64_t some_tres[TRES_ARRAY_TOTAL_CNT] = { 1, 2, 3, 4 };
static uint32_t some_priorities[2] = { 5, 6 };

static struct pointer {
	size_t at;	/* in struct records */
	void *other[3]; /* NULL: none; the first may be NULL */
	bool only;	/* what it points to is read with something else */
} pointers[] = {
#define JOB(field, a, b)                                      \
	{                                                     \
		offsetof(struct records, job.field),          \
			{ NULL, (void *)(a), (void *)(b) }, 0 \
	}
#define REQUEST(field, a, b)                                  \
	{                                                     \
		offsetof(struct records, details.field),      \
			{ NULL, (void *)(a), (void *)(b) }, 0 \
	}
#define APART(field)                                                        \
	{                                                                   \
		offsetof(struct records, field), { NULL, NULL, NULL }, true \
	}
	JOB(account, "chemistry", "maths"),
	JOB(name, "other", "third"),
	JOB(user_name, "bob", "carol"),
	JOB(comment, "cosched:profile=cg", "cosched:share=no"),
	JOB(tres_per_job, "gres:gpu:2", "gres:gpu:3"),
	JOB(tres_per_node, "gres:gpu:2", "gres:gpu:3"),
	JOB(tres_per_socket, "gres:gpu:2", "gres:gpu:3"),
	JOB(tres_per_task, "cpu:2", "gres:gpu:3"),
	JOB(cpus_per_tres, "gres:gpu:2", "gres:gpu:3"),
	JOB(mem_per_tres, "gres:gpu:200", "gres:gpu:300"),
	JOB(network, "ib", "eth"),
	JOB(mcs_label, "red", "green"),
	JOB(licenses, "matlab:1", "matlab:2"),
	JOB(burst_buffer, "capacity=1", "capacity=2"),
	JOB(qos_ptr, &qos[1], NULL),
	JOB(assoc_ptr, &assoc[1], NULL),
	JOB(gres_list_req, &gres, &nothing),
	REQUEST(features, "a", "b"),
	REQUEST(prefer, "a", "b"),
	REQUEST(cluster_features, "a", "b"),
	/* exchanged below, with others */
	APART(job.details),
	APART(job.part_ptr),
	APART(job.part_ptr_list),
	APART(job.partition),
	APART(details.mc_ptr),
	APART(details.feature_list),
	APART(details.exc_nodes),
	APART(details.exc_node_bitmap),
	APART(details.req_nodes),
	APART(details.req_node_bitmap),
	/* with one of those a job is no plain one, and is described in each look */
	APART(job.array_recs),
	APART(job.step_list),
	APART(job.license_list),
	APART(job.fed_details),
	APART(job.het_job_list),
	APART(job.resv_ptr),
	APART(job.resv_list),
	APART(job.resv_name),
	APART(details.depend_list),
	/* follows the request, or the layout of its GRES */
	APART(job.tres_req_cnt),
	APART(job.tres_alloc_cnt),
#if CS_SLURM_AT_LEAST(24, 11)
	APART(job.qos_list),
	APART(job.id),
#endif
	APART(job.CS_JOB_PRIORITIES),
};
#define N_POINTER (sizeof(pointers) / sizeof(pointers[0]))

static bool is_pointer(size_t at)
{
	for (size_t i = 0; i < N_POINTER; i++)
		if (at >= pointers[i].at &&
		    at < pointers[i].at + sizeof(void *))
			return true;
	return false;
}

/* The upper half of a time, which is 0 until 2106. */
static bool is_far_ahead(size_t at)
{
	const size_t times[] = {
		offsetof(struct records, details.submit_time),
		offsetof(struct records, details.begin_time),
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (at >= times[i] + 4 && at < times[i] + 8)
			return true;
	return false;
}

/* Not a change of a waiting job: which job it is, that it waits; a bool that only we
 * write. */
static bool is_fixed(size_t at)
{
#define WITHIN(field)                                 \
	(at >= offsetof(struct records, job.field) && \
	 at < offsetof(struct records, job.field) +   \
			 sizeof(((struct records *)0)->job.field))
	return WITHIN(job_id) || WITHIN(job_state) ||
	       WITHIN(preempt_in_progress) || WITHIN(het_job_id) ||
	       WITHIN(het_job_offset);
}

/* ---- looks ------------------------------------------------------------------------- */

static struct cs_params params;
static struct cs_view *v;
static uint64_t for_gpus[1];
static unsigned taken_over;

static int set_up(void **state)
{
	struct cs_err err = { "" };
	struct cs_node like = { .sockets = 2,
				.cores_per_socket = 4,
				.threads = 2,
				.memory_mb = 1000 };

	(void)state;
	fill_cluster();
	if (cs_params_parse(&params, CS_HOST_LIVE, "policy=adaptive", "", &err))
		return -1;
	v = cs_view_create(&params, CS_MODE_ACT, true);
	if (!v)
		return -1;
	v->machine = cs_machine_create(NODES, &like);
	v->threads = 2;
	v->sockets = 2;
	v->memory = true;
	v->for_gpus = for_gpus;
	v->now_us = INT64_C(1000000000);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	v->for_gpus = NULL;
	cs_view_free(v);
	cs_params_done(&params);
	return 0;
}

/* The block of a look at the job of @from, which is always in the same place, or NULL. */
static struct cs_view_job *look(const struct records *from)
{
	static struct records r;
	bool ask;

	r = *from;
	r.job.details = &r.details;
	if (r.details.mc_ptr)
		r.details.mc_ptr = &r.mc;
	cs_view_clear(v);
	return add_waiting(v, &r.job, &ask);
}

/* What the next look may take over differs in itself. */
static void forget_marks(struct cs_view_job *j)
{
	j->mark = j->round = j->open = 0;
	j->described_us = 0;
}

/* The job of @was has become that of @is: if the look at it takes over what was described
 * before, it is what a look from scratch describes.  @at: what has changed. */
static void compare(const struct records *was, const struct records *is,
		    size_t at)
{
	static uint64_t copy[512];
	const struct cs_view_job *j;
	struct cs_view_job *fresh, *again = (struct cs_view_job *)copy;
	uint64_t kept;

	assert_non_null(look(was));
	kept = v->kept;
	j = look(is);
	if (!j || v->kept == kept)
		return;
	taken_over++;
	assert_true(j->size <= sizeof(copy));
	memcpy(copy, j, j->size);
	v->round++;
	fresh = look(is);
	assert_non_null(fresh);
	forget_marks(fresh);
	forget_marks(again);
	if (fresh->size != again->size || memcmp(fresh, again, again->size))
		fail_msg("the description reads byte %zu of %s, the mark not",
			 at < offsetof(struct records, details) ? at
			 : at < offsetof(struct records, mc)
				 ? at - offsetof(struct records, details)
				 : at - offsetof(struct records, mc),
			 at < offsetof(struct records, details) ? "job_record_t"
			 : at < offsetof(struct records, mc)
				 ? "its details"
				 : "its multi_core_data_t");
}

/* The @n-th of several records, each of which has fields read that others have not: the
 * first is plain, the others are drawn. */
static void some_records(struct records *r, uint64_t n, uint64_t *rng)
{
	plain_records(r);
	params.order = n % 2 ? CS_ORDER_OSTRICH : CS_ORDER_SLURM;
	if (!n)
		return;
	if (cs_test_draw(rng, 2))
		r->details.mc_ptr = NULL;
	if (cs_test_draw(rng, 2))
		r->job.tres_per_node = (char *)"gres:gpu:1";
	if (cs_test_draw(rng, 2)) {
		r->job.part_ptr_list = (list_t *)&both_parts;
		r->job.partition = (char *)"first,second";
	}
	if (cs_test_draw(rng, 2))
		r->job.tres_req_cnt = some_tres;
	r->details.overcommit = !cs_test_draw(rng, 4);
	if (cs_test_draw(rng, 2))
		r->details.max_nodes = 1 + (uint32_t)cs_test_draw(rng, 4);
	if (cs_test_draw(rng, 2))
		r->details.ntasks_per_node = (uint16_t)cs_test_draw(rng, 4);
	r->details.task_dist = (uint32_t)cs_test_draw(rng, 256);
	r->job.time_min = (uint32_t)cs_test_draw(rng, 2) * 50;
	if (cs_test_draw(rng, 2))
		r->job.time_limit = NO_VAL;
	v->serial_last = cs_test_draw(rng, 2);
}

/* Bits, and the numbers that mean none or any. */
static void each_number_counts(void **state)
{
	uint64_t rng = cs_test_seed(), rounds = cs_test_worlds(6);

	(void)state;
	taken_over = 0;
	for (uint64_t n = 0; n < rounds; n++) {
		struct records was, is;

		some_records(&was, n, &rng);
		for (size_t at = 0; at < sizeof(was); at++) {
			unsigned char *byte = (unsigned char *)&is + at;

			if (is_pointer(at) || is_fixed(at) || is_far_ahead(at))
				continue;
			for (int bit = 0; bit < 8; bit++) {
				is = was;
				*byte ^= (unsigned char)(1 << bit);
				compare(&was, &is, at);
			}
		}
	}
	assert_true(taken_over > 1000);
}

static void each_text_and_list_counts(void **state)
{
	uint64_t rng = cs_test_seed(), rounds = cs_test_worlds(20);

	(void)state;
	for (uint64_t n = 0; n < rounds; n++) {
		struct records was, is;

		some_records(&was, n, &rng);
		for (size_t i = 0; i < N_POINTER; i++)
			for (int k = 0; k < 3 && !pointers[i].only; k++) {
				is = was;
				memcpy((char *)&is + pointers[i].at,
				       &pointers[i].other[k], sizeof(void *));
				compare(&was, &is, pointers[i].at);
			}
	}
}

/* What Slurm changes together. */
static void each_wish_for_nodes_counts(void **state)
{
	uint64_t rng = cs_test_seed(), rounds = cs_test_worlds(20);

	(void)state;
	for (uint64_t n = 0; n < rounds; n++) {
		struct records was, is;

		some_records(&was, n, &rng);
		is = was;
		is.details.features = (char *)"a";
		is.details.feature_list = (list_t *)&list_a;
		compare(&was, &is, offsetof(struct records, details.features));
		was = is;
		is.details.features = (char *)"b";
		is.details.feature_list = (list_t *)&list_b;
		compare(&was, &is, offsetof(struct records, details.features));
		was = is;
		is.details.exc_nodes = (char *)"n[0-1]";
		is.details.exc_node_bitmap = &two;
		compare(&was, &is, offsetof(struct records, details.exc_nodes));
		was = is;
		is.details.exc_nodes = is.details.req_nodes = NULL;
		is.details.exc_node_bitmap = NULL;
		is.details.req_nodes = (char *)"n[0-4]";
		is.details.req_node_bitmap = &five;
		compare(&was, &is, offsetof(struct records, details.req_nodes));
		was = is;
		is.job.part_ptr_list = (list_t *)&one_part;
		compare(&was, &is, offsetof(struct records, job.part_ptr_list));
		was = is;
		is.job.part_ptr_list = NULL;
		is.job.part_ptr = &part[1];
		compare(&was, &is, offsetof(struct records, job.part_ptr));
	}
}

/* Slurm's priorities of its partitions. */
static void each_priority_counts(void **state)
{
#if CS_SLURM_AT_LEAST(24, 11)
	priority_mult_t one = { 0 }, other = { 0 };
#endif
	uint32_t more[2] = { 5, 9 };
	struct records was, is;

	(void)state;
	plain_records(&was);
	was.job.part_ptr_list = (list_t *)&both_parts;
	is = was;
#if CS_SLURM_AT_LEAST(24, 11)
	one.priority_array = some_priorities;
	other.priority_array = more;
	was.job.CS_JOB_PRIORITIES = &one;
	is.job.CS_JOB_PRIORITIES = &other;
#else
	was.job.priority_array = some_priorities;
	is.job.priority_array = more;
#endif
	compare(&was, &is, 0);
	is.job.details = &was.details;
	assert_int_not_equal(mark_of(&was.job), mark_of(&is.job));
}

/* ---- what later releases have ----------------------------------------------------- */

static const struct cs_view_option *first_option(const struct records *r)
{
	const struct cs_view_job *j = look(r);

	assert_non_null(j);
	return cs_view_options(j);
}

/* The second partition has a topology that the machine has not. */
static void
a_job_of_several_nodes_in_another_topology_is_the_hosts(void **state)
{
	struct records r;

	(void)state;
	plain_records(&r);
	assert_false(first_option(&r)->flags & CS_JOB_HOST);
	r.job.part_ptr = &part[1];
	assert_true(first_option(&r)->flags & CS_JOB_HOST);
	r.details.num_tasks = 1;
	r.details.min_cpus = 2;
	assert_false(first_option(&r)->flags & CS_JOB_HOST);
}

#if CS_SLURM_AT_LEAST(25, 11)
static void an_expedited_job_is_first_of_the_queue(void **state)
{
	struct records r;

	(void)state;
	plain_records(&r);
	assert_int_not_equal(first_option(&r)->precedence, CS_PRECEDENCE_FIRST);
	r.job.job_state |= JOB_EXPEDITING;
	assert_int_equal(first_option(&r)->precedence, CS_PRECEDENCE_FIRST);
}
#endif

#if CS_SLURM_AT_LEAST(26, 5)
/* sbatch -n6, into whose record Slurm writes a maximum of six nodes. */
static void a_job_that_names_no_nodes_is_the_engines(void **state)
{
	struct records r;

	(void)state;
	plain_records(&r);
	r.details.max_nodes = 6;
	assert_true(look(&r)->desc.flags & CS_JOB_HOST);
	r.job.bit_flags |= JOB_IMPLICIT_MAX_NODES;
	assert_false(look(&r)->desc.flags & CS_JOB_HOST);
	assert_int_equal(look(&r)->desc.max_nodes, 0);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_number_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(each_text_and_list_counts,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_wish_for_nodes_counts,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_priority_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_job_of_several_nodes_in_another_topology_is_the_hosts,
			set_up, tear_down),
#if CS_SLURM_AT_LEAST(25, 11)
		cmocka_unit_test_setup_teardown(
			an_expedited_job_is_first_of_the_queue, set_up,
			tear_down),
#endif
#if CS_SLURM_AT_LEAST(26, 5)
		cmocka_unit_test_setup_teardown(
			a_job_that_names_no_nodes_is_the_engines, set_up,
			tear_down),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
