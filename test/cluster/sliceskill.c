/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into slurmctld: it ends at once, as by kill -9, inside job_suspend(), which
 * stops and resumes jobs.  The file $COSCHED_KILL says where: the name of a call that
 * job_suspend() makes, "before" or "after" it, and at which of them, from 1; the file is
 * removed first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_where(const char *call, const char *when)
{
	static unsigned seen;
	const char *path = getenv("COSCHED_KILL");
	FILE *file = path ? fopen(path, "r") : NULL;
	char its_call[64], its_when[8];
	unsigned nth;
	int n;

	if (!file)
		return;
	n = fscanf(file, "%63s %7s %u", its_call, its_when, &nth);
	fclose(file);
	if (n != 3 || strcmp(call, its_call) || strcmp(when, its_when) ||
	    ++seen < nth)
		return;
	unlink(path);
	kill(getpid(), SIGKILL);
}

#define AROUND(call, ...)                                      \
	int (*real)(void *, ...) =                             \
		(int (*)(void *, ...))dlsym(RTLD_NEXT, #call); \
	int rc;                                                \
                                                               \
	end_where(#call, "before");                            \
	rc = real(__VA_ARGS__);                                \
	end_where(#call, "after");                             \
	return rc

int select_g_job_suspend(void *job, int by_user);
int select_g_job_suspend(void *job, int by_user)
{
	AROUND(select_g_job_suspend, job, by_user);
}

int select_g_job_resume(void *job, int by_user);
int select_g_job_resume(void *job, int by_user)
{
	AROUND(select_g_job_resume, job, by_user);
}

int jobacct_storage_g_job_suspend(void *db, void *job);
int jobacct_storage_g_job_suspend(void *db, void *job)
{
	AROUND(jobacct_storage_g_job_suspend, db, job);
}
