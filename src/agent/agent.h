/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coschedd-node, the agent of a node: its state, and its parts.
 *
 *	ranks.c		the ranks of the node: boards, processes, users' sockets
 *	turn.c		which rank has the token of a core
 *	report.c	the node page
 *	loop.c		the one loop
 */
#ifndef CS_AGENT_AGENT_H
#define CS_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "agent/core.h"
#include "agent/process.h"
#include "agent/scan.h"
#include "wait/mode.h"
#include "wait/node_page.h"
#include "wait/token.h"

#define CS_AGENT_RANKS 512
#define CS_AGENT_OF_USER CS_SCAN_OF_USER /* ranks of one user */
#define CS_AGENT_TICK_MS 10
#define CS_AGENT_SCAN_NS INT64_C(200000000)
#define CS_AGENT_EARLY_NS INT64_C(1000000000) /* after an early scan in vain */
#define CS_AGENT_LOOK_NS INT64_C(500000000) /* between two looks for sockets */

/* The most in a tick. */
#define CS_AGENT_LOOKS 4     /* ranks whose sockets are looked for */
#define CS_AGENT_LINKS 512   /* descriptors looked at, before the last rank's */
#define CS_AGENT_NOTES 500   /* datagrams of a user */
#define CS_AGENT_EVENTS 200  /* arrivals of a rank */
#define CS_AGENT_READS 16384 /* sockets asked for unread bytes */
#define CS_AGENT_READS_OF_USER 8192
#define CS_AGENT_SWITCHES 128 /* of a core */

/* The source of an event: the kind, a row, and the index of a socket in it. */
enum cs_tag {
	CS_TAG_TICK,
	CS_TAG_SIGNAL,
	CS_TAG_USER,
	CS_TAG_END,
	CS_TAG_SOCKET
};

static inline uint64_t cs_tag(enum cs_tag kind, uint32_t row)
{
	return (uint64_t)kind << 56 | (uint64_t)row << 8;
}

struct cs_rank {
	bool used;
	uint32_t uid;
	char key[CS_PLACE_KEY];
	struct cs_board_row row;
	struct cs_process p;
	bool seen;	    /* in the last scan */
	int64_t looked_ns;  /* the last look for its sockets */
	bool asleep;	    /* by its last report */
	int64_t ready_ns;   /* since when it could run, if it does not sleep */
	int64_t boosted_ns; /* since when; 0: it is not */
	struct sockaddr_un address; /* of its socket */
	socklen_t address_len;	    /* 0: it has sent no HELLO */
	uint32_t user;		    /* the row of its user, after a HELLO */
	unsigned events;	    /* in this tick */
	bool muted;
	uint64_t tokens;
};

struct cs_user {
	bool used, seen;
	uint32_t uid;
	int fd;
	unsigned notes; /* in this tick */
	unsigned reads; /* in this tick */
	bool muted;
};

struct cs_agent {
	/* settings */
	const char *dir, *root;
	enum cs_node_boost boost;
	int64_t quantum_ns;
	int64_t share_ns; /* boosted time of a core in CS_CORE_WINDOW_NS */
	bool any_process; /* boost processes that are in no job step, too */
	/* state */
	int epoll, page;
	bool sees;	  /* unread messages, of one rank at least */
	bool rescan;	  /* an unknown rank has sent a datagram */
	int64_t early_ns; /* before it no early scan begins */
	bool warned;	  /* of a rank that is in no job step */
	unsigned reads;	  /* in this tick */
	unsigned switches[CS_NODE_CPUS]; /* in this tick */
	uint32_t rows;			 /* above it no row is used */
	uint32_t next_row; /* the next look for sockets is at this rank's */
	int64_t scanned_ns;
	uint64_t refused; /* datagrams and processes */
	uint64_t bad;	  /* boards and folders in the last scan */
	uint64_t boosts[CS_NODE_CPUS];
	struct cs_proc_latency here; /* the mean of this node's cores */
	struct cs_sources sources;
	struct cs_proc_tables tables;
	struct cs_core core[CS_NODE_CPUS];
	struct cs_rank rank[CS_AGENT_RANKS];
	struct cs_user user[CS_SCAN_USERS];
	struct cs_scan scan;
	struct cs_proc_pending
		pending[CS_AGENT_RANKS * (CS_PROCESS_SOCKETS + 1)];
	struct cs_node_report report;
};

int64_t cs_agent_now_ns(void);
void cs_agent_say(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* ranks.c: reads the boards, adds new ranks, and removes those that have left. */
void cs_agent_scan(struct cs_agent *a, int64_t now_ns);
void cs_agent_look_for_sockets(struct cs_agent *a, int64_t now_ns);
void cs_agent_remove(struct cs_agent *a, uint32_t row);
void cs_agent_close_user(struct cs_agent *a, struct cs_user *u);
uint32_t cs_agent_find(const struct cs_agent *a, uint32_t pid);

/* turn.c: reads the datagrams of user @u; takes an arrival; ends a tick; takes token and
 * policy from a rank. */
void cs_agent_note(struct cs_agent *a, struct cs_user *u);
void cs_agent_arrived(struct cs_agent *a, uint32_t row, uint32_t i);
void cs_agent_quantum(struct cs_agent *a, int64_t now_ns);
void cs_agent_withdraw(struct cs_agent *a, uint32_t row);

/* report.c: 0; -errno: the page cannot be written. */
int cs_agent_report(struct cs_agent *a, int64_t now_ns);

/* loop.c: serves until a signal says to end.  0; -errno, with a line on stderr. */
int cs_agent_run(struct cs_agent *a);

#endif
