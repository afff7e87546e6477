/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash of what only Slurm's own test knows of a request: a changed request has another,
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
ABSENT(list_find_first);
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
#if CS_SLURM_AT_LEAST(24, 11)
ABSENT(asap_node_bitmap);
ABSENT(cred_expiration);
ABSENT(job_state_reason_check);
ABSENT(job_state_set);
ABSENT(list_iterator_create);
ABSENT(list_iterator_destroy);
ABSENT(list_next);
ABSENT(reservation_delete_resv_exc_parts);
#else
ABSENT(slurm_cred_ctx_get);
#endif

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_layout_counts),
		cmocka_unit_test(a_text_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
