/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that a board claims to be a rank: whose it is, where it may run, what it has
 * not read yet, and its scheduling policy.
 */
#ifndef CS_AGENT_PROCESS_H
#define CS_AGENT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CS_PROCESS_SOCKETS 32
#define CS_PROCESS_FDS 4096 /* descriptors of a process that are looked at */

/* The nodes that messages come from, by their addresses; 0 is this node. */
struct cs_sources {
	uint32_t n; /* used; the last one stands for all beyond the room */
	unsigned char address[256][16];
};

struct cs_socket {
	int fd; /* a copy of the process's; -1: none */
	ino_t ino;
	uint32_t source;
	int64_t arrived_ns; /* of what is unread; 0: nothing is */
	bool ignored;	    /* unread while the rank sleeps: another thread's */
};

struct cs_process {
	pid_t pid;
	int fd;	    /* pidfd */
	int proc;   /* /proc/PID */
	int cpu;    /* as cs_process_cpu() said */
	int policy; /* SCHED_OTHER, or what the agent has set */
	bool fixed; /* it has a policy of its own: it is left alone */
	struct cs_socket socket[CS_PROCESS_SOCKETS];
};

/*
 * Takes hold of process @pid if it belongs to @uid.  A policy that an agent before has
 * left it with is taken back.  0; -EPERM: it belongs to somebody else; -ESRCH: there is
 * none; -errno.  @p is empty after an error.
 */
int cs_process_open(struct cs_process *p, pid_t pid, uid_t uid);

/* Also gives it back its policy. */
void cs_process_close(struct cs_process *p, int epoll);

/* The only processor that it may run on; -1: there are several. */
int cs_process_cpu(const struct cs_process *p);

/*
 * Copies of its TCP connections, brought up to date; a new one is given to @epoll with
 * @tag and its index added.  A copy is closed when the process has closed its own.
 * 0; -errno: they are not to be had.
 */
int cs_process_sockets(struct cs_process *p, struct cs_sources *sources,
		       int epoll, uint64_t tag);

/* Closes the copy of socket @i. */
void cs_process_drop(struct cs_process *p, uint32_t i, int epoll);

/* Does its main thread run, or could it? */
bool cs_process_runs(const struct cs_process *p);

/* Stops (or starts again) the events of its sockets. */
void cs_process_mute(struct cs_process *p, int epoll, uint64_t tag, bool mute);

/* Has socket @i something unread? */
bool cs_process_unread(const struct cs_process *p, uint32_t i);

/* SCHED_OTHER, SCHED_IDLE or SCHED_FIFO, of priority 1.  0; -errno. */
int cs_process_set_policy(struct cs_process *p, int policy);

/* Takes back a policy that an agent has left @pid with; true: there was one. */
bool cs_process_reset(pid_t pid);

#endif
