/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run holds: nodes, jobs, processes, messages, and the events to come.  Only the
 * files of this folder include it.
 *
 * Functions that insert events cannot fail for their callers: without memory w->rc is set,
 * and the run ends.
 */
#ifndef CS_PROCSIM_WORLD_H
#define CS_PROCSIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/rng.h"
#include "proc/reorder.h"
#include "procsim/event_queue.h"
#include "procsim/mix.h"
#include "procsim/scheme.h"
#include "procsim/setting.h"
#include "procsim/ts.h"

#define CS_WORLD_FOREVER (INT64_MAX / 4) /* ns: more than any run */
#define CS_WORLD_UNREAD_MAX \
	2 /* unread messages of one sender: rule 5, process.c */

enum cs_world_event {
	CS_WORLD_ARRIVAL, /* of the job @about */
	CS_WORLD_BURST, /* what the node's process does now has ended; @about is
			       the node's timer */
	CS_WORLD_IO,	/* of the process @about has ended */
	CS_WORLD_SENT,	/* the process @about need not wait for its message */
	CS_WORLD_MESSAGE,   /* @about reaches the node's interface */
	CS_WORLD_INTERRUPT, /* for the process @about was served */
	CS_WORLD_PERIOD,    /* the node's kernel thread runs */
	CS_WORLD_STARVED,   /* the node looks for long waits */
	CS_WORLD_ROWS	    /* the next row of GS */
};

/* What CPU time goes to; the first three are what a process does. */
enum cs_world_time {
	CS_TIME_COMPUTE,
	CS_TIME_COMMUNICATE,
	CS_TIME_SPIN,
	CS_TIME_SWITCH,
	CS_TIME_OVERHEAD, /* interrupts, blocking, checks, Algorithm 1 */
	CS_TIME_IDLE,	  /* with processes on the node */
	CS_TIME_EMPTY,	  /* without any */
	CS_N_TIME
};

/* Where a process is in its program. */
enum cs_process_step {
	CS_STEP_COMPUTE,
	CS_STEP_IO,
	CS_STEP_SEND,
	CS_STEP_SENT,  /* waits until it need not wait for its message */
	CS_STEP_AWAIT, /* waits for a message */
	CS_STEP_READ
};

enum cs_process_state {
	CS_STATE_READY,
	CS_STATE_RUNNING,
	CS_STATE_BLOCKED,
	CS_STATE_ENDED
};

/* Unread messages of one peer: when they arrived. */
struct cs_process_mail {
	int64_t arrived_ns[CS_WORLD_UNREAD_MAX];
	uint32_t n;
};

struct cs_process {
	struct cs_ts_link link; /* first; its level is the process's */
	uint32_t id;		/* its place in w->process */
	uint32_t job, rank, node, slot;
	enum cs_process_state state;
	bool waking;	   /* blocked; an interrupt will make it ready */
	bool collective;   /* HYBRID's flag */
	uint8_t unflagged; /* level without the flag */
	bool boosted;	   /* while it was ready: cpu.c, rule 4 */
	uint8_t unboosted; /* level before that */
	enum cs_process_step step;
	uint32_t peer; /* of this step, from 0 */
	uint32_t n_peer, loop;
	int64_t left_ns;	      /* CPU time until the step ends */
	enum cs_world_time what;      /* it counts as */
	int64_t quantum_ns;	      /* left of it */
	int64_t since_ns;	      /* ready or blocked since */
	struct cs_process_mail *mail; /* [n_peer] */
	uint32_t n_unread;
	struct cs_rng rng;
};

struct cs_world_node {
	uint32_t id;
	uint32_t n_process,
		n_unread;	  /* processes; those with unread messages */
	struct cs_process **slot; /* [mpl] */
	struct cs_ts_queue ready;
	struct cs_process *current;    /* NULL: idle */
	const struct cs_process *last; /* ran before; NULL: the CPU was idle */
	int64_t stay_ns;	       /* CPU time since the last switch */
	int64_t from_ns;	       /* accounted until here */
	int64_t kernel_ns;	       /* the kernel is busy until then */
	uint32_t timer;		       /* events of older ones mean nothing */
	int64_t send_ns, receive_ns;   /* the interface is busy until then */
	bool period, starved;	       /* their events are in the queue */
	uint32_t turn;		       /* PB: the slot that was boosted last */
	struct cs_proc_node measure;
	struct cs_proc_latency own; /* at the last switch, at own_ns */
	int64_t own_ns;
	struct cs_proc_tables tables;
	struct cs_proc_counts counts;
};

struct cs_message {
	uint32_t process, source; /* to, from */
	struct cs_proc_latency l; /* of the sender's node */
	uint32_t next;		  /* free ones */
};

struct cs_world_job {
	struct cs_mix_job mix;
	uint32_t first;		  /* process of rank 0 */
	uint32_t n_running;	  /* processes that have not ended */
	int64_t start_ns, end_ns; /* -1: not yet */
	uint32_t row;		  /* GS */
};

struct cs_world {
	struct cs_setting set;
	const struct cs_scheme *scheme;
	uint32_t mpl; /* 1 under BATCH */
	int64_t now_ns, switch_ns;
	int64_t latency_ns; /* of a message of message_bytes */
	int64_t spin_ns;    /* of SB; 0: the latency of the message */
	struct cs_event_queue queue;
	uint64_t n_event;
	uint32_t n_node, n_job, n_process;
	struct cs_world_node *node;
	struct cs_world_job *job;
	struct cs_process *process;
	uint32_t waiting, arrived; /* jobs from `waiting` to `arrived` wait */
	uint32_t ended;
	struct cs_message *message;
	uint32_t message_cap, message_free;
	uint32_t row; /* the current one of GS */
	bool rows;    /* its event is in the queue */
	struct cs_rng rng;
	struct cs_proc_pending *pending; /* room for a conflict set */
	size_t pending_cap;
	double *oracle; /* [n_node] */
	int64_t time_ns[CS_N_TIME];
	int64_t blocked_ns; /* of processes that wait for messages */
	FILE *events;	    /* NULL: not wanted */
	int rc;		    /* -ENOMEM */
};

/* Insert an event. */
static inline void cs_world_at(struct cs_world *w, int64_t at_ns,
			       enum cs_world_event kind, uint32_t node,
			       uint32_t about)
{
	int rc = cs_event_queue_push(&w->queue, at_ns, kind, node, about);

	if (rc)
		w->rc = rc;
}

/* One-way latency of the messages of loop @loop. */
static inline int64_t cs_world_latency_ns(const struct cs_world *w,
					  const struct cs_mix_job *j,
					  uint32_t loop)
{
	return j->n_cycle ? j->latency_ns[j->cycle[loop % j->n_cycle]]
			  : w->latency_ns;
}

/* A line of the event file, if that is wanted. */
#define cs_world_note(w, ...)                              \
	do {                                               \
		if ((w)->events)                           \
			fprintf((w)->events, __VA_ARGS__); \
	} while (0)

#endif
