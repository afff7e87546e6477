/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library that waits as an MPI or network library does, and a program that waits by
 * it: what the preloaded library does with those that are not at hand.
 *
 *	cc -DFAKE_LIBRARY -DFAKE_poll ...	polls its descriptor (libfabric)
 *	... -DFAKE_epoll			by epoll (libfabric)
 *	... -DFAKE_opal				polls, and yields (libopen-pal)
 *	... -DFAKE_ucx				a worker of UCX (libucp)
 *	cc ... -o program			the program
 *
 * The program waits for three bytes that its child writes, 300 ms after each other, and
 * prints `cpu_ms N board B`: what it spent, and whether (1, 0) its user has a board.
 */
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

int fake_open(int fd);
int fake_progress(void);

#if defined(FAKE_LIBRARY) && !defined(FAKE_ucx)
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
/* As libucp's, so far as anybody here looks. */
struct params {
	uint64_t mask, features;
	char rest[72];
};
static int own, armed;

int ucp_init_version(unsigned major, unsigned minor, const struct params *p,
		     const void *config, int *context);
int ucp_init_version(unsigned major, unsigned minor, const struct params *p,
		     const void *config, int *context)
{
	(void)config;
	own = *context;
	return major == 1 && minor == 13 && p->mask == 1 &&
			       p->features == (1 | 1 << 4) &&
			       !strcmp(p->rest, "rest")
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
	*fd = *worker;
	return 0;
}

/* The first time there is an event to be looked at. */
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
#endif

#ifndef FAKE_LIBRARY
#ifdef FAKE_UCX_PROGRAM
struct params {
	uint64_t mask, features;
	char rest[72];
};
int ucp_init_version(unsigned major, unsigned minor, const struct params *p,
		     const void *config, int *context);
unsigned ucp_worker_progress(int *worker);
int *ucp_worker(void);

int fake_open(int fd)
{
	struct params p = { 1, 1, "rest" };

	return ucp_init_version(1, 13, &p, NULL, &fd);
}

int fake_progress(void)
{
	return (int)ucp_worker_progress(ucp_worker());
}
#endif

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
	}
	getrusage(RUSAGE_SELF, &used);
	snprintf(board, sizeof board, "/dev/shm/cosched-wait.%lu",
		 (unsigned long)geteuid());
	printf("cpu_ms %ld board %d\n",
	       (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
		       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000,
	       !access(board, F_OK));
	return 0;
}
#endif
