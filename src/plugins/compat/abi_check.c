/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout self-check.
 *
 * Two sources of truth: xsize() is what the running binary asked its allocator
 * for, and the dynamic symbol table holds the size of each global object.  Size
 * alone misses two fields that changed places, hence magic and job id.
 */
#include "compat/abi_check.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

static int differ(const char *what, size_t theirs, size_t ours, char *ret_why,
		  size_t size)
{
	if (theirs == ours)
		return 0;
	snprintf(
		ret_why, size,
		"%s has %zu bytes in the running slurmctld, %zu in the headers of this plugin",
		what, theirs, ours);
	return -1;
}

/* Size of the global object at @address; an object whose symbol is not to be
 * seen proves nothing. */
static int check_global(const char *what, void *address, size_t ours,
			char *ret_why, size_t size)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol || info.dli_saddr != address)
		return 0;
	return differ(what, symbol->st_size, ours, ret_why, size);
}

int cs_abi_check_job(job_record_t *job_ptr, char *ret_why, size_t size)
{
	if (differ("job_record", xsize(job_ptr), sizeof(*job_ptr), ret_why,
		   size))
		return -1;
	if (job_ptr->magic != JOB_MAGIC ||
	    find_job_record(job_ptr->job_id) != job_ptr) {
		snprintf(
			ret_why, size,
			"job_record does not have its magic and job_id where the headers of this plugin say");
		return -1;
	}
	if (job_ptr->part_ptr &&
	    differ("part_record", xsize(job_ptr->part_ptr),
		   sizeof(*job_ptr->part_ptr), ret_why, size))
		return -1;
	if (job_ptr->details &&
	    differ("job_details", xsize(job_ptr->details),
		   sizeof(*job_ptr->details), ret_why, size))
		return -1;
	if (job_ptr->job_resrcs &&
	    differ("job_resources", xsize(job_ptr->job_resrcs),
		   sizeof(*job_ptr->job_resrcs), ret_why, size))
		return -1;
	return 0;
}

int cs_abi_check_globals(char *ret_why, size_t size)
{
	if (check_global("slurm_conf", &slurm_conf, sizeof(slurm_conf), ret_why,
			 size) ||
	    check_global("slurmctld_config", &slurmctld_config,
			 sizeof(slurmctld_config), ret_why, size) ||
	    check_global("slurmctld_diag_stats", &slurmctld_diag_stats,
			 sizeof(slurmctld_diag_stats), ret_why, size))
		return -1;
	return 0;
}

/* list_find_first(): a job with resources? */
static int has_resources(void *x, void *key)
{
	(void)key;
	return ((job_record_t *)x)->job_resrcs != NULL;
}

/* From 24.05 a record can be had where there is no job yet. */
static int check_fresh_job(char *ret_why, size_t size)
{
#if CS_SLURM_AT_LEAST(24, 5)
	job_record_t *fresh = job_record_create();
	int rc = differ("job_record", xsize(fresh), sizeof(*fresh), ret_why,
			size);

	if (!rc)
		rc = differ("job_details", xsize(fresh->details),
			    sizeof(*fresh->details), ret_why, size);
	job_record_delete(fresh);
	return rc;
#else
	(void)ret_why;
	(void)size;
	return 0;
#endif
}

/* The first job decides whether job_resrcs can be looked for in the others. */
static int check_jobs(char *ret_why, size_t size)
{
	job_record_t *job_ptr = job_list ? list_peek(job_list) : NULL;

	if (check_fresh_job(ret_why, size))
		return -1;
	if (!job_ptr)
		return 1;
	if (cs_abi_check_job(job_ptr, ret_why, size))
		return -1;
	job_ptr = list_find_first(job_list, has_resources, NULL);
	if (!job_ptr)
		return 1;
	return cs_abi_check_job(job_ptr, ret_why, size);
}

int cs_abi_check(char *ret_why, size_t size)
{
	int i = 0;
	node_record_t *node_ptr = next_node(&i);
	part_record_t *part_ptr = part_list ? list_peek(part_list) : NULL;

	if (cs_abi_check_globals(ret_why, size))
		return -1;
	if (node_ptr && differ("node_record", xsize(node_ptr),
			       sizeof(*node_ptr), ret_why, size))
		return -1;
	if (part_ptr && differ("part_record", xsize(part_ptr),
			       sizeof(*part_ptr), ret_why, size))
		return -1;
	return check_jobs(ret_why, size);
}
