/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * submit JOBS USERS FIRST-UID [MINUTES [COMMAND [GRES]]]: as root, so many jobs of one
 * core (and GRES a node, "gpu:2"), of so many users in turn, who need not exist:
 * thousands in seconds, where sbatch takes a process each.  Prints the number of the
 * last one.
 */
#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "job_number.h"
#include <stdio.h>
#include <stdlib.h>

static uint32_t submit(uint32_t uid, uint32_t minutes, char *script, char *gres)
{
	static char *environment[] = { "PATH=/usr/bin:/bin", NULL };
	submit_response_msg_t *answer = NULL;
	job_desc_msg_t job;
	uint32_t id = 0;

	slurm_init_job_desc_msg(&job);
	job.user_id = job.group_id = uid;
	job.min_cpus = job.num_tasks = 1;
	job.time_limit = minutes;
	job.name = "submit";
	job.work_dir = "/";
	job.std_out = job.std_err = "/dev/null";
	job.environment = environment;
	job.env_size = 1;
	job.script = script;
	job.tres_per_node = gres;
	if (slurm_submit_batch_job(&job, &answer))
		fprintf(stderr, "submit: user %u: %s\n", uid,
			slurm_strerror(errno));
	else
		id = answer->SUBMITTED_JOB;
	slurm_free_submit_response_response_msg(answer);
	return id;
}

int main(int argc, char **argv)
{
	uint32_t jobs, users, first, minutes, last = 0;
	char gres[64], script[256];

	if (argc < 4)
		return 2;
	jobs = (uint32_t)atoi(argv[1]);
	users = (uint32_t)atoi(argv[2]);
	first = (uint32_t)atoi(argv[3]);
	minutes = argc > 4 ? (uint32_t)atoi(argv[4]) : 1;
	snprintf(script, sizeof(script), "#!/bin/sh\n%s\n",
		 argc > 5 ? argv[5] : "sleep 2");
	if (argc > 6) /* "gres:gpu:2" up to 22.05, "gres/gpu:2" later */
		snprintf(gres, sizeof(gres), "gres%c%s",
			 SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
				 ? ':'
				 : '/',
			 argv[6]);
	slurm_init(NULL);
	for (uint32_t i = 0; i < jobs; i++) {
		last = submit(first + i % users, minutes, script,
			      argc > 6 ? gres : NULL);
		if (!last)
			return 1;
	}
	printf("%u\n", last);
	return 0;
}
