/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that a board claims to be a rank: its owner, the processor that it may run on,
 * the messages that it has not read yet, and its scheduling policy.
 */
#ifndef CS_AGENT_PROCESS_H
#define CS_AGENT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CS_PROCESS_SOCKETS 32
#define CS_PROCESS_FDS 1024 /* descriptors of a process that are looked at */

/* The nodes that messages come from, by their addresses; 0 is this node. */
struct cs_sources {
	uint32_t n; /* used; the last one stands for all beyond the room */
	unsigned char address[256][16];
};

struct cs_socket {
	int fd; /* a copy of the process's; -1: none */
	ino_t ino;
	uint32_t source;
	int64_t arrived_ns; /* of the unread message; 0: there is none */
	bool ignored; /* unread although the rank sleeps: for another thread */
};

struct cs_process {
	pid_t pid;
	uid_t uid;
	int fd;	      /* pidfd */
	int proc;     /* /proc/PID */
	int cpu;      /* the result of cs_process_cpu() */
	int policy;   /* SCHED_OTHER, or the policy that the agent has set */
	bool fixed;   /* it has a policy of its own, which is left alone */
	bool in_step; /* of a job of Slurm, by its cgroup */
	struct cs_socket socket[CS_PROCESS_SOCKETS];
};

/*
 * Opens process @pid if @uid owns it.  A policy that an earlier agent has left it with is
 * taken back.  0; -EPERM: another user owns it; -ESRCH: there is no such process; -errno.
 * @p is empty after an error.
 */
int cs_process_open(struct cs_process *p, pid_t pid, uid_t uid);

/* Sets its policy back to SCHED_OTHER, too. */
void cs_process_close(struct cs_process *p, int epoll);

/* Is the process still its user's?  Not after it has executed a set-user-id program. */
bool cs_process_is_owned(const struct cs_process *p);

/* Does @text, as /proc/PID/cgroup has it, name a cgroup that Slurm has made for a job
 * step of @uid? */
bool cs_process_names_step(const char *text, uid_t uid);

/* The only processor that it may run on; -1: there are several. */
int cs_process_cpu(const struct cs_process *p);

/*
 * Copies of its TCP connections, brought up to date; a new one is added to @epoll with
 * @tag plus its index.  A copy is closed when the process has closed its own.  @links
 * grows by the descriptors that were looked at.
 * 0; -EPERM: the process is not its user's any more; -errno: no copy is allowed.
 */
int cs_process_sockets(struct cs_process *p, struct cs_sources *sources,
		       int epoll, uint64_t tag, unsigned *links);

/* Closes the copy of socket @i. */
void cs_process_drop(struct cs_process *p, uint32_t i, int epoll);

/* Does its main thread run, or could it? */
bool cs_process_runs(const struct cs_process *p);

/* Stops the events of its sockets, and starts them again. */
void cs_process_mute(struct cs_process *p, int epoll, uint64_t tag);
void cs_process_unmute(struct cs_process *p, int epoll, uint64_t tag);

/* Has socket @i an unread message? */
bool cs_process_unread(const struct cs_process *p, uint32_t i);

/* SCHED_OTHER, SCHED_IDLE or SCHED_FIFO, of priority 1.  0; -ESRCH: the process has ended,
 * or is not its user's any more, and only SCHED_OTHER can be set; -errno. */
int cs_process_set_policy(struct cs_process *p, int policy);

#endif
