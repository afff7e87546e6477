/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into slurmctld: when the file $COSCHED_STALL is there, it is removed, and the
 * scheduling thread stalls once, in a cycle: where it next reads a clock after it has
 * released slurmctld's locks.  The file says how:
 *
 *	wait SECONDS	it sleeps, as on a file system that hangs
 *	work MS		it needs so much processor time, as in a loop
 *	stop		the whole process stands still until SIGCONT
 *
 * A second number is of releases that are let go by first: in a cycle of a few jobs
 * "work MS 1" stalls it after its first starts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread unsigned locks; /* that this thread holds */
static __thread int released;	/* the last of them, just now */

static long worked_ms(void)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void stall(const char *how, int amount)
{
	long until = worked_ms() + amount;

	if (!strcmp(how, "wait"))
		sleep((unsigned)amount);
	while (!strcmp(how, "work") && worked_ms() < until)
		;
	if (!strcmp(how, "stop"))
		raise(SIGSTOP);
}

/* The scheduling thread; threads that it makes later may inherit its name. */
static int is_it(void)
{
	static pid_t it;
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	if (!it && !strcmp(name, "cosched"))
		it = gettid();
	return it == gettid();
}

static void stall_if_told(void)
{
	const char *path = getenv("COSCHED_STALL");
	static char how[8];
	static int amount, pass;
	FILE *file;

	if (pass) {
		if (!--pass)
			stall(how, amount);
		return;
	}
	file = path ? fopen(path, "r") : NULL;
	if (!file)
		return;
	amount = pass = 0;
	if (fscanf(file, "%7s %d %d", how, &amount, &pass) < 1)
		how[0] = '\0';
	fclose(file);
	unlink(path);
	if (!pass)
		stall(how, amount);
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (released) {
		released = 0;
		if (is_it())
			stall_if_told();
	}
	return (int)syscall(SYS_clock_gettime, clock, ret);
}

typedef int lock_fn(pthread_rwlock_t *);

static int lock(const char *name, pthread_rwlock_t *rwlock)
{
	int rc = ((lock_fn *)dlsym(RTLD_NEXT, name))(rwlock);

	locks += !rc;
	return rc;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *rwlock)
{
	return lock("pthread_rwlock_rdlock", rwlock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *rwlock)
{
	return lock("pthread_rwlock_wrlock", rwlock);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *rwlock)
{
	return lock("pthread_rwlock_tryrdlock", rwlock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *rwlock)
{
	return lock("pthread_rwlock_trywrlock", rwlock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *rwlock)
{
	int rc = ((lock_fn *)dlsym(RTLD_NEXT, "pthread_rwlock_unlock"))(rwlock);

	locks -= !rc && locks;
	released = !locks;
	return rc;
}
