/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only Slurm's own test knows of a request, and its hash: a changed request has another,
 * or a start refused before would not be tried again. */
#include "cs_test.h"

#include "compat/job.c"

/* Never called here, and so not there. */
#define ABSENT(name) extern __typeof__(name) name __attribute__((weak))
ABSENT(acct_db_conn);
ABSENT(acct_policy_add_job_submit);
ABSENT(acct_policy_alter_job);
ABSENT(active_feature_list);
ABSENT(avail_node_bitmap);
ABSENT(batch_requeue_fini);
ABSENT(bit_and);
ABSENT(bit_and_not);
ABSENT(bit_clear);
ABSENT(bit_copy);
ABSENT(bit_ffs);
ABSENT(bit_or);
ABSENT(bit_set_count);
ABSENT(bit_super_set);
ABSENT(bit_test);
ABSENT(build_cg_bitmap);
ABSENT(cg_node_bitmap);
ABSENT(deallocate_nodes);
ABSENT(get_node_cnts);
ABSENT(job_completion_logger);
ABSENT(job_req_node_filter);
ABSENT(job_test_resv);
ABSENT(jobacct_storage_g_job_start);
ABSENT(last_job_update);
ABSENT(list_count);
ABSENT(list_for_each);
ABSENT(rs_node_bitmap);
ABSENT(select_g_job_test);
ABSENT(set_job_prio);
ABSENT(slurm_bit_free);
ABSENT(slurm_conf);
ABSENT(slurm_xsize);
ABSENT(slurmctld_config);
ABSENT(xstrcasestr);
ABSENT(xstrcmp);
ABSENT(xstrstr);
#if CS_SLURM_FROM(24, 11, 2)
ABSENT(asap_node_bitmap);
#endif
#if CS_SLURM_AT_LEAST(23, 11)
ABSENT(cred_expiration);
ABSENT(job_state_reason_check);
#if CS_SLURM_AT_LEAST(26, 5)
ABSENT(slurm_job_state_set);
#else
ABSENT(job_state_set);
#endif
ABSENT(list_iterator_create);
ABSENT(list_iterator_destroy);
ABSENT(list_next);
ABSENT(reservation_delete_resv_exc_parts);
#else
ABSENT(slurm_cred_ctx_get);
#endif

/* Of lists there are only those of licences, with one entry. */
void *list_find_first(list_t *l, ListFindF f, void *key)
{
	return f(l, key) ? l : NULL;
}

struct request {
	job_record_t job;
	cs_details_t details;
	multi_core_data_t mc;
};

static uint32_t hash(struct request *r)
{
	r->job.details = &r->details;
	r->details.mc_ptr = &r->mc;
	return cs_job_other_wishes(&r->job);
}

/* Each member of a layout that the model does not hold counts, and counts apart. */
static void a_layout_counts(void **state)
{
	static struct request r;
	uint16_t *const member[] = {
		&r.mc.boards_per_node,	&r.mc.sockets_per_board,
		&r.mc.sockets_per_node, &r.mc.cores_per_socket,
		&r.mc.ntasks_per_board, &r.mc.ntasks_per_socket,
	};
	uint32_t seen[ARRAY_SIZE(member) + 1];

	(void)state;
	seen[0] = hash(&r);
	for (size_t i = 0; i < ARRAY_SIZE(member); i++) {
		*member[i] = 2;
		seen[i + 1] = hash(&r);
		*member[i] = 0;
		for (size_t k = 0; k <= i; k++)
			assert_int_not_equal(seen[i + 1], seen[k]);
	}
	assert_int_equal(hash(&r), seen[0]);
}

static void a_text_counts(void **state)
{
	static struct request r;
	uint32_t none = hash(&r);
	char text[] = "gres:gpu:2", swapped[] = "gres:gpu:2";

	(void)state;
	r.job.tres_per_node = text;
	assert_int_not_equal(hash(&r), none);
	none = hash(&r);
	r.job.tres_per_node = NULL;
	r.job.tres_per_job = swapped;
	assert_int_not_equal(hash(&r), none);
}

/* From 26.05 on Slurm writes a number of nodes there for a job that asked for none. */
static void a_maximum_that_nobody_asked_for_is_none(void **state)
{
	struct request r = { 0 };

	(void)state;
	hash(&r);
	r.details.core_spec = NO_VAL16;
	r.details.min_nodes = 1;
	r.details.max_nodes = 4;
	assert_int_equal(cs_job_max_nodes(&r.job), 4);
	assert_true(cs_job_wants_other(&r.job)); /* -N1-4 */
#if CS_SLURM_AT_LEAST(26, 5)
	r.job.bit_flags = JOB_IMPLICIT_MAX_NODES;
	assert_int_equal(cs_job_max_nodes(&r.job), 0);
	assert_false(cs_job_wants_other(&r.job));
#endif
}

#if CS_SLURM_AT_LEAST(25, 5)
static void licences_that_slurm_chooses_are_for_its_test(void **state)
{
	licenses_t entry = { .total = 3, .id.hres_id = NO_VAL16 };
	struct request r = { .job.license_list = (list_t *)&entry };

	(void)state;
	hash(&r);
	r.details.core_spec = NO_VAL16;
	assert_false(cs_job_wants_other(&r.job));
	assert_int_equal(cs_compat_licence_held(&entry), 3);
	entry.op_or = true; /* -L a:3|b:3; of a started job one is used */
	assert_true(cs_job_wants_other(&r.job));
	assert_int_equal(cs_compat_licence_held(&entry), 0);
	entry.used = 3;
	assert_int_equal(cs_compat_licence_held(&entry), 3);
	entry.op_or = false;
	entry.id.hres_id = 1;
	assert_true(cs_job_wants_other(&r.job));
	assert_int_equal(cs_compat_licence_held(&entry), 0);
}
#endif

#if CS_SLURM_AT_LEAST(25, 11)
static void a_qos_has_its_number(void **state)
{
	slurmdb_qos_rec_t qos = { .id = 5 };
	struct request r = { 0 };

	(void)state;
	cs_job_set_qos(&r.job, &qos);
	assert_ptr_equal(r.job.qos_ptr, &qos);
	assert_int_equal(r.job.qos_id, 5);
}

static void a_job_is_expedited_by_its_state(void **state)
{
	struct request r = { .job.job_state = JOB_PENDING };

	(void)state;
	assert_false(cs_job_expedited(&r.job));
	r.job.job_state |= JOB_EXPEDITING;
	assert_true(cs_job_expedited(&r.job));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_layout_counts),
		cmocka_unit_test(a_text_counts),
		cmocka_unit_test(a_maximum_that_nobody_asked_for_is_none),
#if CS_SLURM_AT_LEAST(25, 5)
		cmocka_unit_test(licences_that_slurm_chooses_are_for_its_test),
#endif
#if CS_SLURM_AT_LEAST(25, 11)
		cmocka_unit_test(a_qos_has_its_number),
		cmocka_unit_test(a_job_is_expedited_by_its_state),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
