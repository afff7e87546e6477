/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library that waits as an MPI or network library does, and a program that waits by
 * it: what the preloaded library does with those that are not at hand.
 *
 *	cc -DFAKE_LIBRARY -DFAKE_poll ...	polls its descriptor (libfabric)
 *	cc -DFAKE_LIBRARY -DFAKE_epoll ...	polls its descriptor by epoll (libfabric)
 *	cc -DFAKE_LIBRARY -DFAKE_opal ...	polls its descriptor, and yields (libopen-pal)
 *	cc -DFAKE_LIBRARY -DFAKE_ucx ...	makes progress by a worker (libucp)
 *	cc -DFAKE_LIBRARY -DFAKE_USER ...	uses libucp (a component of MPI)
 *	cc ...					the program, linked with one of the first
 *	cc -DFAKE_USER ...			the program, linked with libucp
 *	cc -DFAKE_LOADS='"PATH"' ...		the program, which loads a component
 *	cc -DFAKE_CLOSES ...			the program, which closes all descriptors
 *						that it has not opened
 *
 * The program waits for three bytes that its child writes, 300 ms after each other, and
 * prints `waited MS BOARD SLEEPS YIELDS`: the processor time that it spent, whether (1, 0)
 * its user has a board, how often it slept, and how often it yielded.  Before that,
 * libucp prints `features N`: 1 for messages, and 16 for waking up, as requested.
 */
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MASK (1 | 1 << 7) /* UCP_PARAM_FIELD_FEATURES, _ESTIMATED_NUM_PPN */

int fake_open(int fd);
int fake_progress(void);

#if defined(FAKE_LIBRARY) && !defined(FAKE_ucx) && !defined(FAKE_USER)
static int own, events;

int fake_open(int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	own = fd;
	events = epoll_create1(0);
	return epoll_ctl(events, EPOLL_CTL_ADD, fd, &e);
}

int fake_progress(void)
{
#ifdef FAKE_epoll
	struct epoll_event e;
	int rc = epoll_wait(events, &e, 1, 0);
#else
	struct pollfd fd = { own, POLLIN, 0 };
	int rc = poll(&fd, 1, 0);
#endif
#ifdef FAKE_opal
	if (rc <= 0)
		sched_yield();
#endif
	return rc;
}
#endif

#ifdef FAKE_ucx
/* The fields of libucp's that are used here. */
struct params {
	uint64_t mask, features;
	char rest[56]; /* the last word: estimated_num_ppn */
};
static int own, blind, armed, wakes;

int ucp_init_version(unsigned major, unsigned minor, const struct params *p,
		     const void *config, int *context);
int ucp_init_version(unsigned major, unsigned minor, const struct params *p,
		     const void *config, int *context)
{
	(void)config;
	own = *context;
	printf("features %d\n", (int)p->features);
	wakes = p->features & 16 ? 1 : 0;
	return major == 1 && minor == 13 && p->mask == MASK &&
			       (p->features & ~UINT64_C(16)) == 1 &&
			       !strcmp(p->rest, "rest") &&
			       !strcmp(p->rest + 48, "the end")
		       ? 0
		       : -5;
}

unsigned ucp_worker_progress(int *worker);
unsigned ucp_worker_progress(int *worker)
{
	struct pollfd fd = { own, POLLIN, 0 };

	armed = 0;
	return worker == &own && poll(&fd, 1, 0) == 1;
}

int ucp_worker_get_efd(int *worker, int *fd);
int ucp_worker_get_efd(int *worker, int *fd)
{
	if (!wakes)
		fputs("waking up was not requested\n", stderr);
	*fd = *worker;
	return worker == &blind ? -22 : 0;
}

void ucp_worker_destroy(int *worker);
void ucp_worker_destroy(int *worker)
{
	(void)worker;
}

/* At every other call an event has come, which the caller must look at first. */
int ucp_worker_arm(int *worker);
int ucp_worker_arm(int *worker)
{
	static int busy;

	(void)worker;
	armed = 1;
	return busy++ % 2 ? 0 : -15;
}

int *ucp_worker(void);
int *ucp_worker(void)
{
	return &own;
}

int *ucp_worker_blind(void);
int *ucp_worker_blind(void)
{
	return &blind;
}
#endif

#ifdef FAKE_USER
struct params {
	uint64_t mask, features;
	char rest[56];
};
int ucp_init_version(unsigned major, unsigned minor, const struct params *p,
		     const void *config, int *context);
unsigned ucp_worker_progress(int *worker);
void ucp_worker_destroy(int *worker);
int *ucp_worker(void);
int *ucp_worker_blind(void);

int fake_open(int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct params *p = (struct params *)(two + page) - 1;

	/* Nothing can be read behind the struct. */
	if (two == MAP_FAILED || mprotect(two + page, page, PROT_NONE))
		return -1;
	*p = (struct params){ MASK, 1, "rest" };
	strcpy(p->rest + 48, "the end");
	if (ucp_init_version(1, 13, p, NULL, &fd))
		return -1;
	/* A worker without a descriptor matters as long as it is there. */
	ucp_worker_progress(ucp_worker_blind());
	ucp_worker_destroy(ucp_worker_blind());
	return 0;
}

int fake_progress(void)
{
	return (int)ucp_worker_progress(ucp_worker());
}
#endif

#ifdef FAKE_LOADS
static int (*progress)(void);

int fake_open(int fd)
{
	void *lib = dlopen(FAKE_LOADS, RTLD_NOW | RTLD_LOCAL);
	int (*open)(int);

	if (!lib)
		return -1;
	*(void **)&progress = dlsym(lib, "fake_progress");
	*(void **)&open = dlsym(lib, "fake_open");
	return open(fd);
}

int fake_progress(void)
{
	return progress();
}
#endif

#ifndef FAKE_LIBRARY
static long yields;

/* Instead of libc's: the preloaded library yields by it, and calls it for no other end. */
long syscall(long number, ...)
{
	yields += number == SYS_sched_yield;
	return 0;
}

int main(void)
{
	struct rusage used;
	char byte, board[64];
	int two[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, two) || fake_open(two[0])) {
		puts("cannot open");
		return 1;
	}
	if (!fork()) {
		for (int i = 0; i < 3; i++) {
			usleep(300000);
			if (write(two[1], "", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < 3; i++) {
		while (fake_progress() <= 0)
			;
		if (read(two[0], &byte, 1) != 1)
			return 1;
#ifdef FAKE_CLOSES
		for (int fd = 100; fd < 1024; fd++)
			close(fd);
#endif
	}
	getrusage(RUSAGE_SELF, &used);
	snprintf(board, sizeof board, "/dev/shm/cosched-wait.%lu",
		 (unsigned long)geteuid());
	printf("waited %ld %d %ld %ld\n",
	       (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
		       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000,
	       !access(board, F_OK), used.ru_nvcsw, yields);
	return 0;
}
#endif
