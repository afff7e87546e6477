/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The check of record layouts looks at contents: records of the right sizes whose fields
 * are elsewhere are found, and no pointer is followed that is none.
 */
#include "cs_test.h"

#include "compat/abi_check.c"

#include <stdlib.h>
#include <string.h>

/* Never called here, and so not there. */
#define ABSENT(name) extern __typeof__(name) name __attribute__((weak))
ABSENT(next_node);
ABSENT(slurm_conf);
ABSENT(slurmctld_config);
ABSENT(slurmctld_diag_stats);
ABSENT(list_peek);
#if CS_SLURM_AT_LEAST(24, 5)
ABSENT(job_record_create);
ABSENT(job_record_delete);
#endif

/* ---- Slurm's, as far as the check calls it ----------------------------------- */

static job_record_t *known;
static part_record_t *in_list;
list_t *job_list, *part_list = (list_t *)&in_list;

#undef xsize
size_t slurm_xsize(void *item)
{
	return ((size_t *)item)[-1];
}

job_record_t *find_job_record(uint32_t job_id)
{
	return known && known->job_id == job_id ? known : NULL;
}

void *list_find_first(list_t *l, ListFindF f, void *key)
{
	(void)l;
	return f(in_list, key) ? in_list : NULL;
}

/* As xmalloc() would. */
static void *allocate(size_t size)
{
	size_t *p = calloc(1, size + XMALLOC_HEAD);

	assert_non_null(p);
	p[0] = XMALLOC_MAGIC;
	p[1] = size;
	return p + 2;
}

static void release(void *p)
{
	free((size_t *)p - 2);
}

/* ---- a submitted job --------------------------------------------------------- */

static job_record_t *job_ptr;
static job_resources_t *resrcs;
static cs_details_t *details;

static int set_up(void **state)
{
	(void)state;
	job_ptr = known = allocate(sizeof(*job_ptr));
	details = allocate(sizeof(*details));
	in_list = allocate(sizeof(*in_list));
	resrcs = allocate(sizeof(*resrcs));
	job_ptr->magic = JOB_MAGIC;
	job_ptr->job_id = 7;
	job_ptr->bit_flags = USE_DEFAULT_PART;
	job_ptr->details = details;
	job_ptr->part_ptr = in_list;
	details->magic = DETAILS_MAGIC;
	in_list->magic = PART_MAGIC;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	release(job_ptr);
	release(details);
	release(in_list);
	release(resrcs);
	return 0;
}

/* @what: what the text begins with; "": all is right. */
static void found(const char *what)
{
	char why[256] = "";
	int rc = cs_abi_check_job(job_ptr, why, sizeof(why));

	assert_int_equal(rc, *what ? -1 : 0);
	assert_int_equal(strncmp(why, what, strlen(what)), 0);
	assert_int_equal(!*what, !*why);
}

static void a_job_as_the_headers_have_it_is_right(void **state)
{
	(void)state;
	found("");
	job_ptr->job_resrcs = resrcs;
	found("");
	job_ptr->details = NULL;
	job_ptr->part_ptr = NULL;
	found("");
}

/* What kills slurmctld when it is followed: the 1.0 that 26.05.5 has between bit_flags and
 * details, an integer, a text, memory that is gone, an odd address. */
static void a_pointer_that_is_none_is_not_followed(void **state)
{
	static const char text[] = "a text that nobody allocated as a record";
	const double one = 1.0;
	uint64_t bits;

	(void)state;
	memcpy(&bits, &one, sizeof(bits));
	const uint64_t wrong[] = { bits,
				   1,
				   16,
				   4096,
				   (uintptr_t)text,
				   UINT64_MAX - 7,
				   (uintptr_t)details + 4 };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		job_ptr->details = (cs_details_t *)(uintptr_t)wrong[i];
		found("the details of a job is not where");
		job_ptr->details = details;
		job_ptr->part_ptr = (part_record_t *)(uintptr_t)wrong[i];
		found("the part_ptr of a job is not where");
		job_ptr->part_ptr = in_list;
		job_ptr->job_resrcs = (job_resources_t *)(uintptr_t)wrong[i];
		found("the job_resrcs of a job is not where");
		job_ptr->job_resrcs = NULL;
	}
	found("");
}

static void another_record_is_told_by_size_and_magic(void **state)
{
	(void)state;
	job_ptr->details = (cs_details_t *)(void *)resrcs;
	found("job_details has ");
	job_ptr->details = details;
	details->magic = PART_MAGIC;
	found("the details of a job is not where");
	details->magic = DETAILS_MAGIC;
	in_list->magic = DETAILS_MAGIC;
	found("the part_ptr of a job is not where");
	in_list->magic = PART_MAGIC;
	job_ptr->bit_flags |= UINT64_C(1) << 62;
	found("the bit_flags of a job is not where");
	job_ptr->bit_flags = 0;
	job_ptr->magic = 0;
	found("job_record does not have its magic");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_job_as_the_headers_have_it_is_right, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_pointer_that_is_none_is_not_followed, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			another_record_is_told_by_size_and_magic, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
