// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes of jobs.
 *
 * Rule.
 * 1. The owner of /proc/PID/stat must be the owner of the board.  It is the effective user,
 *    and root if the process may not be dumped (the folder itself shows the effective user
 *    alone).  It is checked again before each look at sockets and each boost: a process
 *    may execute a set-user-id program.
 * 2. A pidfd becomes readable at the end of the process, before its number can belong to
 *    another one.
 * 3. A policy that the agent sets carries SCHED_RESET_ON_FORK: children of a rank do not
 *    inherit it, and it differs from one that the user has set.
 * 4. Copies of sockets are only looked at.  A connection ends when its last copy is
 *    closed: hence cs_process_sockets() is called often, and a copy is closed at the
 *    peer's end of data.
 * 5. A process is of a job step if its cgroup is below one that Slurm makes for steps.
 *    These begin at the root, where no user may make a cgroup: a user may make any path
 *    below a folder that systemd has delegated.
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
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOCKET_EVENTS (EPOLLIN | EPOLLRDHUP | EPOLLET)

static int set_policy(pid_t pid, int policy)
{
	const struct sched_param param = {
		.sched_priority = policy == SCHED_FIFO,
	};
	int flag = policy == SCHED_OTHER ? 0 : SCHED_RESET_ON_FORK;

	return sched_setscheduler(pid, policy | flag, &param) ? -errno : 0;
}

/* Takes back a policy that an agent has left @pid with. */
static void reset_policy(pid_t pid)
{
	int policy = sched_getscheduler(pid);

	if (policy == (SCHED_FIFO | SCHED_RESET_ON_FORK) ||
	    policy == (SCHED_IDLE | SCHED_RESET_ON_FORK))
		set_policy(pid, SCHED_OTHER);
}

/* The first bytes of /proc/PID/@name, as a string; false: there are none. */
static bool read_proc(const struct cs_process *p, const char *name, char *text,
		      size_t size)
{
	int fd = openat(p->proc, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	if (n > 0)
		text[n] = '\0';
	return n > 0;
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

/* --- cgroups --------------------------------------------------------------------------- */

/* The end of "@word", digits and a slash or the end at @at; NULL: something else. */
static const char *skip_numbered(const char *at, const char *word, int64_t *ret)
{
	size_t len = strlen(word), digits;

	if (strncmp(at, word, len))
		return NULL;
	at += len;
	digits = strspn(at, "0123456789");
	if (!digits || digits > 10 || (at[digits] != '/' && at[digits]))
		return NULL;
	*ret = strtoll(at, NULL, 10);
	return at + digits;
}

/* "/job_N/step_NAME", then anything. */
static bool is_step(const char *at)
{
	int64_t job;

	at = skip_numbered(at, "/job_", &job);
	return at && !strncmp(at, "/step_", 6) && at[6] && at[6] != '/';
}

/* cgroup v1: "/slurm", or "/slurm_NODE" where several slurmd run, then "/uid_N". */
static bool is_step_v1(const char *path, uid_t uid)
{
	int64_t n;

	if (strncmp(path, "/slurm", 6))
		return false;
	path = strchr(path + 1, '/');
	path = path ? skip_numbered(path, "/uid_", &n) : NULL;
	return path && n == (int64_t)uid && is_step(path);
}

/* cgroup v2: "/system.slice/slurmstepd.scope", or "NODE_slurmstepd.scope". */
static bool is_step_v2(const char *path)
{
	static const char slice[] = "/system.slice/",
			  scope[] = "slurmstepd.scope";
	const char *end, *name = path + sizeof slice - 1;
	const size_t len = sizeof scope - 1;

	if (strncmp(path, slice, sizeof slice - 1))
		return false;
	end = strchr(name, '/');
	if (!end || (size_t)(end - name) < len ||
	    strncmp(end - len, scope, len))
		return false;
	return (end - len == name || end[-(ptrdiff_t)len - 1] == '_') &&
	       is_step(end);
}

/* A line is "HIERARCHY:CONTROLLERS:PATH"; "0::PATH" in v2. */
static bool line_names_step(const char *line, uid_t uid)
{
	const char *path = strchr(line, ':');

	path = path ? strchr(path + 1, ':') : NULL;
	if (!path)
		return false;
	return strncmp(line, "0::", 3) ? is_step_v1(path + 1, uid)
				       : is_step_v2(path + 1);
}

bool cs_process_names_step(const char *text, uid_t uid)
{
	char line[512];

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n < sizeof line) {
			memcpy(line, text, n);
			line[n] = '\0';
			if (line_names_step(line, uid))
				return true;
		}
		text += n + (text[n] == '\n');
	}
	return false;
}

static bool is_in_step(const struct cs_process *p)
{
	char text[8192];

	return read_proc(p, "cgroup", text, sizeof text) &&
	       cs_process_names_step(text, p->uid);
}

/* --- open and close -------------------------------------------------------------------- */

bool cs_process_is_owned(const struct cs_process *p)
{
	struct stat st;

	return !fstatat(p->proc, "stat", &st, 0) && st.st_uid == p->uid;
}

int cs_process_open(struct cs_process *p, pid_t pid, uid_t uid)
{
	char path[32];
	int rc = 0, policy;

	*p = (struct cs_process){
		.pid = pid, .uid = uid, .fd = -1, .policy = SCHED_OTHER
	};
	for (int i = 0; i < CS_PROCESS_SOCKETS; i++)
		p->socket[i].fd = -1;
	snprintf(path, sizeof path, "/proc/%ld", (long)pid);
	p->proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->proc < 0)
		return -ESRCH;
	p->fd = (int)syscall(SYS_pidfd_open, pid, 0);
	/* The folder may belong to an earlier process of this number. */
	if (p->fd < 0 || has_ended(p->fd) ||
	    faccessat(p->proc, "stat", F_OK, 0))
		rc = -ESRCH;
	else if (!cs_process_is_owned(p))
		rc = -EPERM;
	if (rc) {
		cs_process_close(p, -1);
		return rc;
	}
	reset_policy(pid);
	policy = sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK;
	p->fixed = policy != SCHED_OTHER;
	p->cpu = cs_process_cpu(p);
	p->in_step = is_in_step(p);
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

static void drop_all(struct cs_process *p, int epoll)
{
	for (int i = 0; i < CS_PROCESS_SOCKETS; i++)
		drop_socket(&p->socket[i], epoll);
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

	if (!read_proc(p, "stat", text, sizeof text))
		return false;
	/* The name may hold anything, 15 bytes of it. */
	end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] == 'R';
}

void cs_process_close(struct cs_process *p, int epoll)
{
	drop_all(p, epoll);
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
	if (has_ended(p->fd) ||
	    (policy != SCHED_OTHER && !cs_process_is_owned(p)))
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

/* Is @fd a TCP connection?  Then its source. */
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
	struct epoll_event e = { .events = SOCKET_EVENTS, .data.u64 = tag + i };
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

/* /proc/PID/fd; NULL, and -errno in @ret. */
static DIR *open_descriptors(const struct cs_process *p, int *ret)
{
	int fd = openat(p->proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = NULL;

	if (fd >= 0 && !cs_process_is_owned(p))
		errno = EPERM;
	else if (fd >= 0)
		d = fdopendir(fd);
	if (!d) {
		*ret = -errno;
		if (fd >= 0)
			close(fd);
	}
	return d;
}

int cs_process_sockets(struct cs_process *p, struct cs_sources *sources,
		       int epoll, uint64_t tag, unsigned *links)
{
	bool there[CS_PROCESS_SOCKETS] = { false };
	struct dirent *e;
	int rc = 0;
	DIR *d = open_descriptors(p, &rc);

	if (!d) {
		if (rc == -EPERM)
			drop_all(p, epoll);
		return rc;
	}
	for (int k = 0; k < CS_PROCESS_FDS && !rc; k++) {
		ino_t ino;
		uint32_t i;

		e = readdir(d);
		if (!e)
			break;
		++*links;
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

/* @events of all sockets. */
static void change_events(struct cs_process *p, int epoll, uint64_t tag,
			  uint32_t events)
{
	for (uint32_t i = 0; i < CS_PROCESS_SOCKETS; i++) {
		struct epoll_event e = { .events = events,
					 .data.u64 = tag + i };

		if (p->socket[i].fd >= 0)
			epoll_ctl(epoll, EPOLL_CTL_MOD, p->socket[i].fd, &e);
	}
}

void cs_process_mute(struct cs_process *p, int epoll, uint64_t tag)
{
	change_events(p, epoll, tag, 0);
}

void cs_process_unmute(struct cs_process *p, int epoll, uint64_t tag)
{
	change_events(p, epoll, tag, SOCKET_EVENTS);
}

bool cs_process_unread(const struct cs_process *p, uint32_t i)
{
	int n = 0;

	return p->socket[i].fd >= 0 && !ioctl(p->socket[i].fd, SIOCINQ, &n) &&
	       n > 0;
}
