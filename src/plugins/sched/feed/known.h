/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine was told of each job, and what we did to it.
 *
 * A table by job id; records do not move while they live.  No Slurm here.
 */
#ifndef CS_SCHED_FEED_KNOWN_H
#define CS_SCHED_FEED_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/idmap.h"
#include "common/engine/engine.h"
#include "sched/view/view.h"

/* Could the machine hold it, were all nodes up and empty? */
enum cs_fit { CS_FIT_UNKNOWN, CS_FIT_SOME, CS_FIT_NONE };

struct cs_known_job {
	uint32_t id;
	uint32_t pos;  /* in the table's list */
	uint32_t seen; /* snapshot that had it last */
	enum cs_view_state state;
	uint32_t task;	   /* of an array, as its user counts; UINT32_MAX */
	uint32_t kept;	   /* enum cs_view_kept, of a waiting job */
	uint32_t priority; /* of a waiting job, as Slurm has it; 0: held */
	uint32_t rank;	   /* the priority that we give it; 0: none */

	unsigned char *bytes; /* [n_bytes] cs_view_bytes() as last told */
	size_t n_bytes;

	/* Running: */
	int64_t start_us, limit_us; /* limit as the host has it */
	uint32_t n_node, cpus;
	uint32_t array_id; /* id that it waited under, if another; else 0 */
	uint32_t option;
	int64_t estimate_us;  /* as asked, before any raise */
	uint32_t raised_from; /* minutes: its limit before we raised it; 0 */
	uint32_t raised_flag; /* limit_set.time before that */
	bool shared;	      /* its system comment tells of a group */
	bool stopped;	      /* suspended, by a time slice */
	uint32_t stops;	      /* so often by now */
	int64_t again_us;     /* its nodes are to be told again then; 0 */
	bool tidy;	      /* it waits again: undo limit and comment */
	bool ghost;	      /* the engine does not have it: see feed.c */
	bool again;	      /* a ghost for what it holds: may fit later */
	char *why;	      /* a ghost: what the engine said, or NULL */

	/* Waiting: */
	int64_t hold_us; /* a limit stood against it: blocked until then, ... */
	uint32_t hold_ends; /* ... or until more jobs than this have ended */
	int64_t lost_us;    /* its start was lost: blocked until then */
	int64_t preempt_us; /* next attempt to start it by preemption */
	bool frees_gres;    /* it wants generic resources of what it preempts */
	int64_t frees_us;   /* what that frees is kept for it until then; 0 */
	uint32_t *order; /* [n_order] of its components, to be tried next; NULL */
	uint32_t n_order, orders; /* tried before it (apply_het.c) */

	uint64_t bad_profile; /* hash of the unknown name it was said to have */
	uint64_t bad_comment; /* the same of what is wrong with its comment */

	enum cs_fit fit; /* of its present description */
	bool said_never; /* the log says that nothing can hold it */

	uint64_t would; /* shadow: hash of the last proposal that was logged */
};

struct cs_known {
	struct cs_idmap ids;
	struct cs_known_job **list; /* [n] in no order */
	uint32_t n, cap;
};

void cs_known_done(struct cs_known *k);
struct cs_known_job *cs_known_find(const struct cs_known *k, uint32_t id);
/* A new record, zeroed but for the id; NULL: no memory. */
struct cs_known_job *cs_known_add(struct cs_known *k, uint32_t id);
void cs_known_remove(struct cs_known *k, struct cs_known_job *j);
/* Copy @n bytes as the description last told.  0, -ENOMEM. */
int cs_known_told(struct cs_known_job *j, const void *bytes, size_t n);
/* Its components are to be tried in @order [@n] next, as @orders have been before;
 * @n 0: from the beginning, as where there is no memory. */
void cs_known_order(struct cs_known_job *j, const uint32_t *order, uint32_t n,
		    uint32_t orders);
/* The engine does not have it, as @why says. */
void cs_known_ghost(struct cs_known_job *j, const char *why);
/* The engine has it. */
void cs_known_taken(struct cs_known_job *j);
/* The description of a known job (desc, options), or NULL. */
struct cs_view_desc *cs_known_desc(const struct cs_known_job *j);
struct cs_view_option *cs_known_options(const struct cs_known_job *j);

#endif
