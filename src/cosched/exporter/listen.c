/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exporter/serve.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST_MAX 256

/* ADDR and PORT of @where; NULL: it has not that form. */
static const char *split(const char *where, char host[HOST_MAX])
{
	const char *colon = strrchr(where, ':');
	size_t n = colon ? (size_t)(colon - where) : 0;

	if (n >= 2 && where[0] == '[' && where[n - 1] == ']') {
		where++;
		n -= 2;
	} else if (n && memchr(where, ':', n)) {
		return NULL;
	}
	if (!n || n >= HOST_MAX || strlen(colon + 1) > 5 || !colon[1] ||
	    colon[1 + strspn(colon + 1, "0123456789")])
		return NULL;
	memcpy(host, where, n);
	host[n] = '\0';
	return colon + 1;
}

/* A descriptor, or a negative errno. */
static int listen_at(const struct addrinfo *ai)
{
	int one = 1, rc;
	int fd = socket(ai->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, ai->ai_addr, ai->ai_addrlen) && !listen(fd, 128))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/* Where we listen; the port may have been 0. */
static void say(int fd)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);
	char host[HOST_MAX], port[16];

	if (getsockname(fd, (struct sockaddr *)&sa, &len) ||
	    getnameinfo((struct sockaddr *)&sa, len, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	fprintf(stderr, "cosched: exporter: listens at %s%s%s:%s\n",
		strchr(host, ':') ? "[" : "", host,
		strchr(host, ':') ? "]" : "", port);
}

int cs_serve_listen(const char *where, int *ret_fd, struct cs_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICSERV };
	struct addrinfo *list, *ai;
	char host[HOST_MAX];
	const char *port = split(where, host);
	int rc;

	if (!port || atoi(port) > 65535)
		return cs_err_set(err, -EINVAL,
				  "--listen '%.100s', expected ADDR:PORT",
				  where);
	rc = getaddrinfo(host, port, &hints, &list);
	if (rc)
		return cs_err_set(err, -EADDRNOTAVAIL, "--listen '%.100s': %s",
				  where, gai_strerror(rc));
	rc = -EADDRNOTAVAIL;
	for (ai = list; ai && rc < 0; ai = ai->ai_next)
		rc = listen_at(ai);
	freeaddrinfo(list);
	if (rc < 0)
		return cs_err_set(err, rc, "--listen '%.100s': %s", where,
				  strerror(-rc));
	*ret_fd = rc;
	say(rc);
	return 0;
}
