/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does this plugin see Slurm's records as the running slurmctld made them?
 *
 * Struct layouts change even between micro releases, and a plugin built on
 * nearly right headers passes Slurm's version check and then reads and writes
 * the wrong fields.  So each shadow compares, before it touches anything else,
 * the sizes that the running binary allocated with the sizes of its own headers,
 * and one field that is known otherwise (the job id) with its true value.
 *
 * Every function returns 0, or -1 with one line in @ret_why[@size]: what, and
 * the two sizes.
 */
#ifndef CS_COMPAT_ABI_CHECK_H
#define CS_COMPAT_ABI_CHECK_H

#include "compat/slurm.h"

/* One job, with its details and resources; @job_ptr is in the job table.
 * Under the job read lock. */
int cs_abi_check_job(job_record_t *job_ptr, char *ret_why, size_t size);

/* The global structures.  No lock. */
int cs_abi_check_globals(char *ret_why, size_t size);

/* The global structures, a node, a partition, a job, a running job; 1: all that
 * there was is right, but of jobs too little was there to be sure: check again
 * later.  Under read locks of conf, job, node and part. */
int cs_abi_check(char *ret_why, size_t size);

#endif
