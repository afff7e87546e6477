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

/* select_nodes() calls it once it has found nodes for a job. */
int select_g_select_nodeinfo_set(void *job);
int select_g_select_nodeinfo_set(void *job)
{
	int (*real)(void *) = (int (*)(void *))dlsym(
		RTLD_NEXT, "select_g_select_nodeinfo_set");
	const char *path = getenv("COSCHED_SLOW");
	FILE *file = path ? fopen(path, "r") : NULL;
	unsigned us = 0;

	if (file && fscanf(file, "%u", &us) == 1)
		usleep(us);
	if (file)
		fclose(file);
	return real(job);
}
