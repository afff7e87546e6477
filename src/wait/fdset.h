/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The descriptors that an MPI library polls while it waits: what a rank sleeps on.
 */
#ifndef CS_WAIT_FDSET_H
#define CS_WAIT_FDSET_H

#include <poll.h>
#include <stdbool.h>

#define CS_FDSET_MAX 1024
#define CS_FDSET_FUTILE 64

struct cs_fdset {
	struct pollfd fd[CS_FDSET_MAX];
	unsigned n;
	bool more;	 /* there were more: some arrivals are not seen */
	unsigned futile; /* wake-ups in a row after which nothing was received */
};

void cs_fdset_clear(struct cs_fdset *s);

/* Adds @n descriptors with what is awaited of each. */
void cs_fdset_add(struct cs_fdset *s, const struct pollfd *fds, nfds_t n);

/* Do all arrivals that the library polls for end a sleep on @s?  One of the descriptors
 * must be a socket, or an epoll descriptor; a pipe alone is no network. */
bool cs_fdset_network(const struct cs_fdset *s);

/*
 * After a poll of @woken, the @n descriptors of @s: descriptors that were closed since,
 * and, at the CS_FDSET_FUTILE-th wake-up for nothing, all are left out.
 */
void cs_fdset_woken(struct cs_fdset *s, const struct pollfd *woken);

#endif
