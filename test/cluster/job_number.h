/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of jobs in libslurm's calls, of every release. */
#ifndef CS_TEST_JOB_NUMBER_H
#define CS_TEST_JOB_NUMBER_H

#include <slurm/slurm.h>

/* The member of submit_response_msg_t that has the job's number */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
#define SUBMITTED_JOB job_id
#else
#define SUBMITTED_JOB step_id.job_id
#endif

/* Job @id as an argument of calls about one job */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
static inline uint32_t job_numbered(uint32_t id)
{
	return id;
}
#else
static inline slurm_step_id_t job_numbered(uint32_t id)
{
	slurm_step_id_t job = SLURM_STEP_ID_INITIALIZER;

	job.job_id = id;
	return job;
}
#endif

#endif
