/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node page: a file that only the agent of a node, coschedd-node, writes.  Ranks read
 * in it who has the token of their core, `cosched wait` what the agent has counted.
 *
 *	0		struct cs_node_head
 *	4096		uint32_t a CPU: the process that has its token; 0: none
 *	8192		struct cs_node_core, head.n_core of them
 *	73728		struct cs_node_job, head.n_job of them
 *
 * It lies in CS_NODE_DIR, which only root may write, beside the sockets by which ranks
 * talk to the agent, one a user (token.h).  Times are of CLOCK_MONOTONIC.
 */
#ifndef CS_WAIT_NODE_PAGE_H
#define CS_WAIT_NODE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#define CS_NODE_DIR "/run/coschedd-node"
#define CS_NODE_PAGE "page"
#define CS_NODE_CPUS 1024
#define CS_NODE_JOBS 256
#define CS_NODE_STALE_NS INT64_C(1000000000) /* an older beat: no agent */

/* How the rank that has the token comes before the others. */
enum cs_node_boost {
	CS_NODE_TOKEN, /* the others wait for the token, a few milliseconds */
	CS_NODE_IDLE,  /* the others that could run have SCHED_IDLE */
	CS_NODE_FIFO,  /* it has SCHED_FIFO, priority 1 */
	CS_NODE_N_BOOST
};

struct cs_node_head {
	uint64_t magic;
	uint64_t round;	   /* odd while the agent writes cores and jobs */
	uint64_t begun_ns; /* the agent's start */
	uint64_t beat_ns;  /* the last time it wrote */
	uint32_t pid;	   /* the agent's */
	uint32_t boost;	   /* enum cs_node_boost */
	uint32_t n_core, n_job;
	uint32_t n_rank;  /* that it knows */
	uint32_t sees;	  /* 1: it sees unread messages of some rank */
	uint64_t refused; /* rows, folders and datagrams that were not valid */
};

struct cs_node_core {
	uint32_t cpu, ranks;
	uint64_t switches;
	uint64_t conflicts; /* switches between several ranks with messages */
	uint64_t falses;    /* false decisions, by this node's own table */
	uint64_t forced;    /* tokens taken away at the end of the quantum */
	uint64_t boosts;    /* changes of a scheduling policy */
	double ed_ns, enp;
};

struct cs_node_job {
	char key[24]; /* the name of its board */
	uint32_t uid;
	uint32_t job, step; /* as the job's ranks say; 0: not of Slurm */
	uint32_t mode;	    /* enum cs_wait_mode */
	uint32_t ranks;
	uint32_t spare;
	uint64_t life_ns; /* of all ranks, since their first idle passes */
	uint64_t slept_ns, spun_ns, sleeps;
	uint64_t tokens; /* that its ranks were given */
};

/* Everything in the page. */
struct cs_node_report {
	struct cs_node_head head;
	uint32_t n_core, n_job;
	struct cs_node_core core[CS_NODE_CPUS];
	struct cs_node_job job[CS_NODE_JOBS];
};

/* Opens the page in @dir for reading: a file of root or of this user that nobody else
 * may write.  A descriptor; -EPERM: it is another's; -errno. */
int cs_node_page_open(const char *dir);

/* The whole page.  0; -EBADMSG: it is none; -EAGAIN: the agent was writing each time. */
int cs_node_page_read(int fd, struct cs_node_report *ret);

/* The head alone.  0; -EBADMSG. */
int cs_node_page_head(int fd, struct cs_node_head *ret);

/* The process that has the token of @cpu; 0: none, or not to be read. */
uint32_t cs_node_page_token(int fd, int cpu);

/* For the agent.  Makes an empty page in @dir, where the old one goes; a descriptor,
 * -errno. */
int cs_node_page_create(const char *dir);
int cs_node_page_write(int fd, struct cs_node_report *r);
int cs_node_page_set_token(int fd, uint32_t cpu, uint32_t pid);

const char *cs_node_boost_name(uint32_t boost);

#endif
