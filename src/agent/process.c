// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes of jobs.
 *
 * Rule.
 * 1. The owner of /proc/PID must own the board.  A process that has changed its user, or
 *    may not be dumped, is not taken.
 * 2. A pidfd says when it has ended, before its number means another process.
 * 3. A policy of the agent's carries SCHED_RESET_ON_FORK: children of a rank do not
 *    inherit it, and it is told apart from what the user has set.
 * 4. Copies of sockets are only looked at.  A connection ends when its last copy is
 *    closed: hence cs_process_sockets() is called often, and a copy goes at the peer's
 *    end of data.
 */
#include "agent/process.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int set_policy(pid_t pid, int policy)
{
	const struct sched_param param = {
		.sched_priority = policy == SCHED_FIFO,
	};
	int flag = policy == SCHED_OTHER ? 0 : SCHED_RESET_ON_FORK;

	return sched_setscheduler(pid, policy | flag, &param) ? -errno : 0;
}

bool cs_process_reset(pid_t pid)
{
	int policy = sched_getscheduler(pid);

	return (policy == (SCHED_FIFO | SCHED_RESET_ON_FORK) ||
		policy == (SCHED_IDLE | SCHED_RESET_ON_FORK)) &&
	       !set_policy(pid, SCHED_OTHER);
}

static bool has_ended(int pidfd)
{
	struct pollfd fd = { pidfd, POLLIN, 0 };

	return poll(&fd, 1, 0) != 0;
}

int cs_process_cpu(const struct cs_process *p)
{
	cpu_set_t set;

	if (sched_getaffinity(p->pid, sizeof set, &set) || CPU_COUNT(&set) != 1)
		return -1;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			return (int)cpu;
	return -1;
}

int cs_process_open(struct cs_process *p, pid_t pid, uid_t uid)
{
	char path[32];
	struct stat st;
	int rc = 0, policy;

	*p = (struct cs_process){ .pid = pid, .fd = -1, .policy = SCHED_OTHER };
	for (int i = 0; i < CS_PROCESS_SOCKETS; i++)
		p->socket[i].fd = -1;
	snprintf(path, sizeof path, "/proc/%ld", (long)pid);
	p->proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->proc < 0)
		return -ESRCH;
	p->fd = (int)syscall(SYS_pidfd_open, pid, 0);
	/* The folder is of a process that had the number before, or of this one. */
	if (p->fd < 0 || has_ended(p->fd) ||
	    faccessat(p->proc, "stat", F_OK, 0))
		rc = -ESRCH;
	else if (fstat(p->proc, &st) || st.st_uid != uid)
		rc = -EPERM;
	if (rc) {
		cs_process_close(p, -1);
		return rc;
	}
	cs_process_reset(pid);
	policy = sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK;
	p->fixed = policy != SCHED_OTHER;
	p->cpu = cs_process_cpu(p);
	return 0;
}

static void drop_socket(struct cs_socket *s, int epoll)
{
	if (s->fd < 0)
		return;
	/* The process's own descriptor would keep it in the set. */
	epoll_ctl(epoll, EPOLL_CTL_DEL, s->fd, NULL);
	close(s->fd);
	*s = (struct cs_socket){ .fd = -1 };
}

void cs_process_drop(struct cs_process *p, uint32_t i, int epoll)
{
	if (i < CS_PROCESS_SOCKETS)
		drop_socket(&p->socket[i], epoll);
}

bool cs_process_runs(const struct cs_process *p)
{
	char text[128];
	const char *end;
	int fd = openat(p->proc, "stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	end = strrchr(text,
		      ')'); /* the name may hold anything, 15 bytes of it */
	return end && end[1] == ' ' && end[2] == 'R';
}

void cs_process_close(struct cs_process *p, int epoll)
{
	for (int i = 0; i < CS_PROCESS_SOCKETS; i++)
		drop_socket(&p->socket[i], epoll);
	if (p->fd >= 0) {
		cs_process_set_policy(p, SCHED_OTHER);
		if (epoll >= 0)
			epoll_ctl(epoll, EPOLL_CTL_DEL, p->fd, NULL);
		close(p->fd);
	}
	if (p->proc >= 0)
		close(p->proc);
	p->fd = p->proc = -1;
}

int cs_process_set_policy(struct cs_process *p, int policy)
{
	int rc;

	if (p->policy == policy || p->fixed)
		return 0;
	if (has_ended(p->fd))
		return -ESRCH;
	rc = set_policy(p->pid, policy);
	if (!rc)
		p->policy = policy;
	return rc;
}

/* The address as 16 bytes, without the port. */
static bool read_address(const struct sockaddr_storage *a,
			 unsigned char ret[16])
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
	const struct sockaddr_in *four = (const struct sockaddr_in *)a;

	memset(ret, 0, 16);
	if (a->ss_family == AF_INET)
		memcpy(ret + 12, &four->sin_addr, 4);
	else if (a->ss_family == AF_INET6)
		memcpy(ret, &six->sin6_addr, 16);
	else
		return false;
	if (IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)ret))
		memset(ret, 0, 12);
	return true;
}

static uint32_t source_of(struct cs_sources *s, const unsigned char address[16])
{
	const uint32_t room = sizeof s->address / sizeof *s->address;

	if (!s->n)
		s->n = 1; /* this node */
	for (uint32_t i = 1; i < s->n; i++)
		if (!memcmp(s->address[i], address, 16))
			return i;
	if (s->n == room)
		return room - 1;
	memcpy(s->address[s->n], address, 16);
	return s->n++;
}

/* Is @fd a TCP connection?  Then where it comes from. */
static bool is_connection(int fd, struct cs_sources *sources, uint32_t *ret)
{
	struct sockaddr_storage own = { 0 }, peer = { 0 };
	socklen_t own_len = sizeof own, peer_len = sizeof peer;
	unsigned char here[16], there[16];
	int protocol = 0;
	socklen_t len = sizeof protocol;

	if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) ||
	    protocol != IPPROTO_TCP ||
	    getsockname(fd, (struct sockaddr *)&own, &own_len) ||
	    getpeername(fd, (struct sockaddr *)&peer, &peer_len) ||
	    !read_address(&own, here) || !read_address(&peer, there))
		return false;
	*ret = memcmp(here, there, 16) ? source_of(sources, there) : 0;
	return true;
}

/* A copy of descriptor @number, if it is a connection.  0, also for others; -errno. */
static int copy_socket(struct cs_process *p, int number, uint32_t i, ino_t ino,
		       struct cs_sources *sources, int epoll, uint64_t tag)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET,
				 .data.u64 = tag + i };
	int fd = (int)syscall(SYS_pidfd_getfd, p->fd, number, 0);
	struct stat st;
	uint32_t source;

	if (fd < 0)
		return -errno;
	/* The number may be another file's by now. */
	if (fstat(fd, &st) || st.st_ino != ino ||
	    !is_connection(fd, sources, &source) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e)) {
		close(fd);
		return 0;
	}
	p->socket[i] =
		(struct cs_socket){ .fd = fd, .ino = ino, .source = source };
	return 0;
}

/* The inode of the socket that entry @name of /proc/PID/fd is; 0: it is none. */
static ino_t socket_of(int dir, const char *name)
{
	char to[64];
	ssize_t n = readlinkat(dir, name, to, sizeof to - 1);

	if (n <= 8)
		return 0;
	to[n] = '\0';
	return strncmp(to, "socket:[", 8) ? 0 : strtoul(to + 8, NULL, 10);
}

static uint32_t find_socket(const struct cs_process *p, ino_t ino)
{
	for (uint32_t i = 0; i < CS_PROCESS_SOCKETS; i++)
		if (p->socket[i].fd >= 0 && p->socket[i].ino == ino)
			return i;
	return CS_PROCESS_SOCKETS;
}

static uint32_t find_room(const struct cs_process *p)
{
	uint32_t i = 0;

	while (i < CS_PROCESS_SOCKETS && p->socket[i].fd >= 0)
		i++;
	return i;
}

int cs_process_sockets(struct cs_process *p, struct cs_sources *sources,
		       int epoll, uint64_t tag)
{
	bool there[CS_PROCESS_SOCKETS] = { false };
	struct dirent *e;
	int rc = 0,
	    fd = openat(p->proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	for (int k = 0; k < CS_PROCESS_FDS && !rc; k++) {
		ino_t ino;
		uint32_t i;

		e = readdir(d);
		if (!e)
			break;
		ino = e->d_name[0] == '.' ? 0 : socket_of(dirfd(d), e->d_name);
		if (!ino)
			continue;
		i = find_socket(p, ino);
		if (i == CS_PROCESS_SOCKETS) {
			i = find_room(p);
			if (i == CS_PROCESS_SOCKETS)
				continue;
			rc = copy_socket(p, atoi(e->d_name), i, ino, sources,
					 epoll, tag);
			if (rc == -EBADF) /* closed meanwhile */
				rc = 0;
		}
		there[i] = true;
	}
	closedir(d);
	for (int i = 0; i < CS_PROCESS_SOCKETS; i++)
		if (!there[i])
			drop_socket(&p->socket[i], epoll);
	return rc;
}

void cs_process_mute(struct cs_process *p, int epoll, uint64_t tag, bool mute)
{
	for (uint32_t i = 0; i < CS_PROCESS_SOCKETS; i++) {
		struct epoll_event e = {
			.events = mute ? 0 : EPOLLIN | EPOLLRDHUP | EPOLLET,
			.data.u64 = tag + i,
		};

		if (p->socket[i].fd >= 0)
			epoll_ctl(epoll, EPOLL_CTL_MOD, p->socket[i].fd, &e);
	}
}

bool cs_process_unread(const struct cs_process *p, uint32_t i)
{
	int n = 0;

	return p->socket[i].fd >= 0 && !ioctl(p->socket[i].fd, SIOCINQ, &n) &&
	       n > 0;
}
