/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of associations and QOS, and licences, of jobs that are to start together.
 */
#ifndef CS_COMPAT_LIMITS_H
#define CS_COMPAT_LIMITS_H

#include "slurm.h"

/* Waiting jobs that are counted as if they had begun. */
struct cs_limits;

/* For at most @most jobs.  Until cs_limits_end() all stays under the write locks, and
 * nothing else looks at these jobs or at what is counted. */
struct cs_limits *cs_limits_begin(uint32_t most);

/* All counts and jobs are as they were. */
void cs_limits_end(struct cs_limits *l);

/*
 * Count @job_ptr, in job_ptr->part_ptr, with what it asks for: it has passed the tests
 * of its limits since the last one was counted.
 */
void cs_limits_count(struct cs_limits *l, job_record_t *job_ptr);

/*
 * Would limits of associations and QOS, and licences, let @job_ptr begin in
 * job_ptr->part_ptr beside those counted, on @nodes (borrowed until the end) and the
 * CPUs that its last test by Slurm chose there?  Then it is counted, too.
 *
 * 0, or what select_nodes() would return: ESLURM_ACCOUNTING_POLICY, and the job has
 * Slurm's reason, or CS_LICENSES_UNAVAILABLE.
 */
int cs_limits_try(struct cs_limits *l, job_record_t *job_ptr, bitstr_t *nodes);

#endif
