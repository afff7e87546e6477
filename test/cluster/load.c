/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load submit: as root, the jobs on standard input, one a line, each in a call of its own
 * (sbatch takes a process each):
 *
 *	PARTITION TASKS NODES MINUTES UID [ARRAY]
 *
 * TASKS of one core on at least NODES nodes (0: any number; negative: as many nodes, whole),
 * for a user who need not exist; ARRAY as of sbatch.  Prints how many, and the last number.
 *
 * load ask squeue|JOB COUNT PAUSE-MS: asks slurmctld so many times what squeue asks, or
 * `scontrol show job JOB`; prints how long each answer took, in microseconds.
 *
 * load deaf JOB PROCESSES SECONDS: as many ask for the script of JOB, and do not read the
 * answer for so long: if it is larger than what the kernel buffers of it (tcp_wmem and
 * tcp_rmem of /proc/sys/net/ipv4), each request is in work meanwhile, without a lock.
 *
 * load end FIRST LAST PROCESSES: scancel of these jobs, one call each, from so many
 * processes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "job_number.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint32_t submit(const char *partition, long tasks, long nodes,
		       long minutes, long uid, const char *array)
{
	static char *environment[] = { "PATH=/usr/bin:/bin", NULL };
	static char script[] = "#!/bin/sh\nsleep 600\n";
	submit_response_msg_t *answer = NULL;
	job_desc_msg_t job;
	uint32_t id = 0;

	slurm_init_job_desc_msg(&job);
	job.user_id = job.group_id = (uint32_t)uid;
	job.partition = (char *)partition;
	job.min_cpus = job.num_tasks = (uint32_t)tasks;
	if (nodes)
		job.min_nodes = (uint32_t)labs(nodes);
	if (nodes < 0)
		job.shared = 0; /* whole nodes */
	job.time_limit = (uint32_t)minutes;
	job.array_inx = array[0] ? (char *)array : NULL;
	job.name = "load";
	job.work_dir = "/";
	job.std_out = job.std_err = "/dev/null";
	job.environment = environment;
	job.env_size = 1;
	job.script = script;
	if (slurm_submit_batch_job(&job, &answer))
		fprintf(stderr, "load: submit: user %ld: %s\n", uid,
			slurm_strerror(errno));
	else
		id = answer->SUBMITTED_JOB;
	slurm_free_submit_response_response_msg(answer);
	return id;
}

static int submit_all(void)
{
	char line[256], partition[64], array[64];
	long tasks, nodes, minutes, uid, jobs = 0;
	uint32_t last = 0;

	while (fgets(line, sizeof(line), stdin)) {
		array[0] = '\0';
		if (sscanf(line, "%63s %ld %ld %ld %ld %63s", partition, &tasks,
			   &nodes, &minutes, &uid, array) < 5) {
			fprintf(stderr,
				"load: submit: '%s': five words or six expected\n",
				line);
			return 2;
		}
		last = submit(partition, tasks, nodes, minutes, uid, array);
		if (!last)
			return 1;
		jobs++;
	}
	printf("%ld %u\n", jobs, last);
	return 0;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int ask(const char *what, long count, long pause_ms)
{
	struct timespec pause = { pause_ms / 1000, pause_ms % 1000 * 1000000 };

	for (long i = 0; i < count; i++) {
		job_info_msg_t *jobs = NULL;
		int64_t from_us = now_us();
		int rc;

		if (!strcmp(what, "squeue"))
			rc = slurm_load_jobs(0, &jobs, 0);
		else
			rc = slurm_load_job(&jobs,
					    job_numbered((uint32_t)atol(what)),
					    SHOW_DETAIL);
		if (rc) {
			fprintf(stderr, "load: ask: %s\n",
				slurm_strerror(errno));
			return 1;
		}
		printf("%lld\n", (long long)(now_us() - from_us));
		slurm_free_job_info_msg(jobs);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* ---- load deaf: recv() is libslurm's, too ------------------------------------ */

static unsigned deaf_s;

/* Before libslurm sends, it asks for one byte to see whether anybody is there. */
ssize_t recv(int fd, void *to, size_t n, int flags)
{
	static ssize_t (*real)(int, void *, size_t, int);

	if (!real)
		real = (ssize_t(*)(int, void *, size_t, int))dlsym(RTLD_NEXT,
								   "recv");
	if (n > 1) {
		sleep(deaf_s);
		deaf_s = 0;
	}
	return real(fd, to, n, flags);
}

static int deaf(uint32_t job, uint32_t processes, unsigned seconds)
{
	FILE *nowhere = fopen("/dev/null", "w");
	int status, rc = nowhere ? 0 : 1;

	for (uint32_t p = 0; nowhere && p < processes; p++) {
		if (fork())
			continue;
		deaf_s = seconds;
		if (!slurm_job_batch_script(nowhere, job_numbered(job)))
			_exit(0);
		fprintf(stderr, "load: deaf: %s\n", slurm_strerror(errno));
		_exit(1);
	}
	while (wait(&status) > 0)
		rc |= status;
	return rc ? 1 : 0;
}

/* A job that has ended meanwhile is no failure. */
static int end(uint32_t first, uint32_t last, uint32_t processes)
{
	int status, rc = 0;

	for (uint32_t p = 0; p < processes; p++) {
		if (fork())
			continue;
		for (uint32_t id = first + p; id <= last; id += processes)
			if (slurm_kill_job(job_numbered(id), 9, 0) &&
			    errno != ESLURM_ALREADY_DONE &&
			    errno != ESLURM_INVALID_JOB_ID) {
				fprintf(stderr, "load: end: job %u: %s\n", id,
					slurm_strerror(errno));
				_exit(1);
			}
		_exit(0);
	}
	while (wait(&status) > 0)
		rc |= status;
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	slurm_init(NULL);
	if (argc == 2 && !strcmp(argv[1], "submit"))
		return submit_all();
	if (argc == 5 && !strcmp(argv[1], "ask"))
		return ask(argv[2], atol(argv[3]), atol(argv[4]));
	if (argc == 5 && !strcmp(argv[1], "end"))
		return end((uint32_t)atol(argv[2]), (uint32_t)atol(argv[3]),
			   (uint32_t)atol(argv[4]));
	if (argc == 5 && !strcmp(argv[1], "deaf"))
		return deaf((uint32_t)atol(argv[2]), (uint32_t)atol(argv[3]),
			    (unsigned)atol(argv[4]));
	fprintf(stderr,
		"load: submit, ask, deaf or end expected: see load.c\n");
	return 2;
}
