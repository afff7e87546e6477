/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into slurmctld: each start of a job takes as many microseconds longer, under
 * slurmctld's locks, as the file $COSCHED_SLOW says; none, while there is no such file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_a_while(void)
{
	const char *path = getenv("COSCHED_SLOW");
	FILE *file = path ? fopen(path, "r") : NULL;
	unsigned us = 0;

	if (file && fscanf(file, "%u", &us) == 1)
		usleep(us);
	if (file)
		fclose(file);
}

/* What select_nodes() calls once it has started a job: up to 22.05 the first, which
 * calls the second, then that. */
int jobacct_storage_job_start_direct(void *db, void *job);
int jobacct_storage_g_job_start(void *db, void *job);

static __thread int waited;

int jobacct_storage_job_start_direct(void *db, void *job)
{
	int (*real)(void *, void *) = (int (*)(void *, void *))dlsym(
		RTLD_NEXT, "jobacct_storage_job_start_direct");
	int rc;

	wait_a_while();
	waited = 1;
	rc = real(db, job);
	waited = 0;
	return rc;
}

int jobacct_storage_g_job_start(void *db, void *job)
{
	int (*real)(void *, void *) = (int (*)(void *, void *))dlsym(
		RTLD_NEXT, "jobacct_storage_g_job_start");

	if (!waited)
		wait_a_while();
	return real(db, job);
}
