/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into slurmctld: while the file $COSCHED_LOSE is there, it reaches nobody, and
 * what it has to tell the nodes is lost.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	int (*real)(int, const struct sockaddr *, socklen_t) =
		(int (*)(int, const struct sockaddr *, socklen_t))dlsym(
			RTLD_NEXT, "connect");
	const char *path = getenv("COSCHED_LOSE");

	if (path && (to->sa_family == AF_INET || to->sa_family == AF_INET6) &&
	    !access(path, F_OK)) {
		errno = EHOSTUNREACH;
		return -1;
	}
	return real(fd, to, len);
}
