/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does this plugin see Slurm's records as the running slurmctld does?
 *
 * Struct layouts change even between micro releases, and a plugin built on
 * nearly right headers passes Slurm's version check and then reads and writes
 * the wrong fields.  So each shadow compares, before it touches anything else,
 * the sizes that the running binary allocated with the sizes of its own headers, and
 * what is in a job's record with what must be there.
 *
 * Every function returns 0, or -1 with one line in @ret_why[@size]: what, and the two
 * sizes, or which field is elsewhere.
 */
#ifndef CS_COMPAT_ABI_CHECK_H
#define CS_COMPAT_ABI_CHECK_H

#include "compat/job.h"

/* One job, with its details and resources; @job_ptr is in the job table.
 * Under the read locks of
 * jobs and partitions. */
int cs_abi_check_job(job_record_t *job_ptr, char *ret_why, size_t size);

/* The global structures.  No lock. */
int cs_abi_check_globals(char *ret_why, size_t size);

/* The global structures, a node, a partition, a job, a running job; 1: all present is
 * right, but there were too few jobs to be sure: check again later.  Under read locks
 * of conf, job, node and part. */
int cs_abi_check(char *ret_why, size_t size);

#endif
