/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A planned start in select's job_test; Slurm's own test is the test's. */
#include "cs_test.h"

#include "select/start.c"

/* ---- what start.c wants of others ------------------------------------------ */

/* Never called here, and so not there. */
#define ABSENT(name) extern __typeof__(name) name __attribute__((weak))
ABSENT(bit_alloc);
ABSENT(bit_copy);
ABSENT(slurm_bit_free);
ABSENT(bit_set);
ABSENT(bit_test);
ABSENT(cr_get_coremap_offset);
ABSENT(cs_exccores_add);
ABSENT(cs_exccores_remove);
ABSENT(cs_gate_ask_now);
ABSENT(cs_gate_passed);
ABSENT(cs_gate_refused);
ABSENT(cs_select_offer_room);
ABSENT(cs_select_stopped_cores);
ABSENT(error);
ABSENT(next_node);
ABSENT(node_record_table_ptr);

struct cs_select_ops cs_select_stock;

static struct cs_gate_start planned;
static enum cs_gate_verdict verdict = CS_VERDICT_IMPOSE;
static unsigned asked_of_slurm, unfit, switches;
static bool switches_left; /* what Slurm's test finds */

bool cs_select_live(job_record_t *job_ptr)
{
	return job_ptr != NULL;
}

bool cs_select_at_once(const job_record_t *job_ptr)
{
	(void)job_ptr;
	return false;
}

bitoff_t cs_exccores_system(void)
{
	return 8;
}

enum cs_gate_verdict cs_gate_ask(uint32_t job_id, const char *partition,
				 struct cs_gate_start *ret_start)
{
	(void)job_id;
	(void)partition;
	*ret_start = planned;
	return verdict;
}

#if CS_SLURM_AT_LEAST(24, 11)
static int lacks; /* what Slurm's test of licences says */

int license_job_test(job_record_t *job_ptr, time_t when, bool reboot)
{
	(void)job_ptr;
	(void)when;
	(void)reboot;
	return lacks;
}
#endif

void cs_gate_start_switches(void)
{
	switches++;
}

void cs_gate_count(enum cs_count what)
{
	unfit += what == CS_COUNT_UNFIT;
}

/* A map here is its length. */
bitoff_t bit_size(bitstr_t *b)
{
	return b[0];
}

/* Nodes outside the offered ones are the plan's. */
int bit_super_set(bitstr_t *a, bitstr_t *b)
{
	(void)a;
	(void)b;
	return 0;
}

void bit_and(bitstr_t *a, bitstr_t *b)
{
	(void)a;
	(void)b;
}

static int slurms_test(CS_JOB_TEST_PARAMS)
{
	(void)node_bitmap, (void)min_nodes, (void)max_nodes, (void)req_nodes;
	(void)mode, (void)preemptee_candidates, (void)preemptee_job_list;
	(void)excluded;
#if CS_SLURM_AT_LEAST(24, 11)
	(void)will_run;
#endif
	asked_of_slurm++;
	job_ptr->best_switch = !switches_left;
	return SLURM_ERROR;
}

/* ---- tests ----------------------------------------------------------------- */

static bitstr_t four[] = { 4 }, five[] = { 5 }, eight[] = { 8 };

/* A job that asked for switches, whose last test found too many. */
static int start_of(job_record_t *j)
{
	memset(j, 0, sizeof(*j));
	j->job_id = 7;
	j->req_switch = 1;
	j->best_switch = false;
	asked_of_slurm = unfit = switches = 0;
	cs_select_stock.job_test = slurms_test;
#if CS_SLURM_AT_LEAST(24, 11)
	return select_p_job_test(j, four, 1, 1, 1, SELECT_MODE_RUN_NOW, NULL,
				 NULL, NULL, NULL);
#else
	return select_p_job_test(j, four, 1, 1, 1, SELECT_MODE_RUN_NOW, NULL,
				 NULL, NULL);
#endif
}

static void a_start_that_slurm_was_not_asked_about_is_a_misfit(void **state)
{
	static const struct cs_gate_start of[] = {
		{ .job_id = 7, .nodes = five },
		{ .job_id = 7, .nodes = four, .cores = eight },
	};
	job_record_t j;

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		planned = of[i];
		assert_int_equal(start_of(&j), SLURM_ERROR);
		assert_int_equal(asked_of_slurm, 0);
		assert_int_equal(unfit, 1);
		assert_int_equal(switches, 0);
	}
}

static void only_slurms_test_says_that_it_waits_for_switches(void **state)
{
	job_record_t j;

	(void)state;
	planned = (struct cs_gate_start){ .job_id = 7, .nodes = four };
	for (int i = 0; i < 2; i++) {
		switches_left = i;
		assert_int_equal(start_of(&j), SLURM_ERROR);
		assert_int_equal(asked_of_slurm, 1);
		assert_int_equal(unfit, !i);
		assert_int_equal(switches, i);
	}
}

static void a_refusal_says_whether_licences_are_used(void **state)
{
	job_record_t j;

	(void)state;
	verdict = CS_VERDICT_REFUSE;
	assert_int_equal(start_of(&j), SLURM_ERROR);
#if CS_SLURM_AT_LEAST(24, 11)
	lacks = EAGAIN;
	assert_int_equal(start_of(&j), ESLURM_LICENSES_UNAVAILABLE);
#endif
	assert_int_equal(asked_of_slurm, 0);
	verdict = CS_VERDICT_IMPOSE;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_start_that_slurm_was_not_asked_about_is_a_misfit),
		cmocka_unit_test(
			only_slurms_test_says_that_it_waits_for_switches),
		cmocka_unit_test(a_refusal_says_whether_licences_are_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
