/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout self-check.
 *
 * Two sources of truth: xsize() is what the running binary requested of its
 * allocator, and the dynamic symbol table holds the size of each global object.
 *
 * Size alone misses what moved, and a pointer that is read at the wrong place points
 * anywhere: 26.05.5 has a member more than 26.05.3 between bit_flags and details, and what
 * is found there kills slurmctld when it is followed.  Hence contents, in this order:
 *
 *  1. job_record: size, magic, the job id by which Slurm finds it
 *  2. bit_flags: none that no release has
 *  3. part_ptr: a member of Slurm's list of partitions, its size and magic
 *  4. details: readable memory, its size and magic
 *  5. job_resrcs: readable memory, its size
 *
 * Nothing is read through a pointer before the kernel has said that it can be read.
 */
#include "compat/abi_check.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

/* What xmalloc() keeps before each object: a magic number and the size. */
#define XMALLOC_HEAD (2 * sizeof(size_t))
#define XMALLOC_MAGIC 0x42

#define PIPE_PART 4096 /* a pipe holds that at least, and writes it whole */

/* Flags of jobs are below: the highest of 26.05 is 51.  The double of 1.0 that 26.05.5 has
 * beside them sets higher ones. */
#define FLAGS_KNOWN ((UINT64_C(1) << 52) - 1)

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

static int misplaced(const char *field, char *ret_why, size_t size)
{
	snprintf(ret_why, size,
		 "the %s of a job is not where the headers of this plugin say",
		 field);
	return -1;
}

/* Size of the global object at @address; an object whose symbol is hidden
 * proves nothing. */
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

/* Can @n bytes at @p be read?  The kernel copies them into a pipe, or says EFAULT. */
static bool is_readable(const void *p, size_t n)
{
	bool ok = true;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		return false;
	for (const char *at = p; ok && n;) {
		size_t part = n < PIPE_PART ? n : PIPE_PART;
		char sink[PIPE_PART];

		ok = write(fd[1], at, part) == (ssize_t)part &&
		     read(fd[0], sink, part) == (ssize_t)part;
		at += part;
		n -= part;
	}
	close(fd[0]);
	close(fd[1]);
	return ok;
}

/* Is @p (a field @name of a job) an object of Slurm's, of @ours bytes? */
static int check_object(const char *name, const char *what, const void *p,
			size_t ours, char *ret_why, size_t size)
{
	if ((uintptr_t)p % sizeof(size_t) || (uintptr_t)p <= XMALLOC_HEAD ||
	    !is_readable((const char *)p - XMALLOC_HEAD, XMALLOC_HEAD) ||
	    ((const size_t *)p)[-2] != XMALLOC_MAGIC)
		return misplaced(name, ret_why, size);
	if (differ(what, xsize((void *)p), ours, ret_why, size))
		return -1;
	return is_readable(p, ours) ? 0 : misplaced(name, ret_why, size);
}

/* list_find_first() */
static int is_the_part(void *x, void *key)
{
	return x == key;
}

/* Is what the fields of @job_ptr hold, from the second of the list above on, right? */
static int check_contents(const job_record_t *job_ptr, char *ret_why,
			  size_t size)
{
	const part_record_t *part_ptr = job_ptr->part_ptr;
	const cs_details_t *d = job_ptr->details;

	if (job_ptr->bit_flags & ~FLAGS_KNOWN)
		return misplaced("bit_flags", ret_why, size);
	if (part_ptr) {
		if (!part_list ||
		    !list_find_first(part_list, is_the_part, (void *)part_ptr))
			return misplaced("part_ptr", ret_why, size);
		if (differ("part_record", xsize((void *)part_ptr),
			   sizeof(*part_ptr), ret_why, size))
			return -1;
		if (part_ptr->magic != PART_MAGIC)
			return misplaced("part_ptr", ret_why, size);
	}
	if (d) {
		if (check_object("details", "job_details", d, sizeof(*d),
				 ret_why, size))
			return -1;
		if (d->magic != DETAILS_MAGIC)
			return misplaced("details", ret_why, size);
	}
	return job_ptr->job_resrcs ? check_object("job_resrcs", "job_resources",
						  job_ptr->job_resrcs,
						  sizeof(*job_ptr->job_resrcs),
						  ret_why, size)
				   : 0;
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
	return check_contents(job_ptr, ret_why, size);
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

/* From 24.05 a record is available even without a job. */
static int check_fresh_job(char *ret_why, size_t size)
{
#if CS_SLURM_AT_LEAST(24, 5)
	job_record_t *fresh = job_record_create();
	int rc = differ("job_record", xsize(fresh), sizeof(*fresh), ret_why,
			size);

	if (!rc)
		rc = check_object("details", "job_details", fresh->details,
				  sizeof(*fresh->details), ret_why, size);
	if (!rc) /* else its fields are elsewhere: no one may follow them */
		job_record_delete(fresh);
	return rc;
#else
	(void)ret_why;
	(void)size;
	return 0;
#endif
}

/* The first job tells whether job_resrcs can be sought in the others. */
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
