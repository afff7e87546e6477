/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For LD_PRELOAD in slurmctld: how long its scheduling threads (Slurm's main scheduler and
 * backfill, ours) hold Slurm's locks, measured at the read-write locks themselves, so that
 * stock and act are measured alike.  A hold begins when a thread that holds none of them
 * gets one, and ends when it holds none again; what it waits meanwhile for another of them
 * is not counted.  Each is a line of the file $COSCHED_HOLDS: when it ended (seconds since
 * 1970), the thread's name, microseconds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

typedef int lock_fn(pthread_rwlock_t *lock);

static __thread int held;
static __thread int64_t since_us;

static int64_t clock_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool schedules(char *name)
{
	static const char *const threads[] = { "sched_agent", "bckfl",
					       "backfill", "cosched" };

	if (prctl(PR_GET_NAME, name, 0, 0, 0))
		return false;
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++)
		if (!strcmp(name, threads[i]))
			return true;
	return false;
}

/* One write of a short line to a file opened for appending is never torn. */
static void report(int64_t us)
{
	const char *path = getenv("COSCHED_HOLDS");
	static int fd = -1;
	char name[17] = "", line[80];
	int64_t now_us;
	int n;

	if (!path || !schedules(name))
		return;
	if (fd < 0)
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
			  0644);
	now_us = clock_us(CLOCK_REALTIME);
	n = snprintf(line, sizeof(line), "%lld.%06d %s %lld\n",
		     (long long)(now_us / 1000000), (int)(now_us % 1000000),
		     name, (long long)us);
	if (fd >= 0 && write(fd, line, (size_t)n) != n)
		fprintf(stderr, "holds: cannot write to %s\n", path);
}

static int take(lock_fn *real, pthread_rwlock_t *lock)
{
	int64_t from_us = clock_us(CLOCK_MONOTONIC), now_us;
	int rc = real(lock);

	now_us = clock_us(CLOCK_MONOTONIC);
	if (held)
		since_us += now_us - from_us;
	else
		since_us = now_us;
	held += !rc;
	return rc;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	static lock_fn *real;

	if (!real)
		real = (lock_fn *)dlsym(RTLD_NEXT, "pthread_rwlock_rdlock");
	return take(real, lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	static lock_fn *real;

	if (!real)
		real = (lock_fn *)dlsym(RTLD_NEXT, "pthread_rwlock_wrlock");
	return take(real, lock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	static lock_fn *real;
	int rc;

	if (!real)
		real = (lock_fn *)dlsym(RTLD_NEXT, "pthread_rwlock_unlock");
	rc = real(lock);
	/* taken by a call that is not seen here, such as a try */
	if (held > 0 && !--held)
		report(clock_us(CLOCK_MONOTONIC) - since_us);
	return rc;
}
