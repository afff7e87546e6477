/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine was told about each job, and what we did to it.
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
	uint32_t seen; /* last snapshot with it */
	enum cs_view_state state;
	uint32_t task;	   /* of an array, as its user counts; UINT32_MAX */
	uint32_t kept;	   /* enum cs_view_kept, of a waiting job */
	uint32_t reason;   /* the same: Slurm's, and ... */
	uint32_t lines;	   /* ... its lines in squeue -r */
	uint32_t priority; /* of a waiting job, Slurm's; 0: held */
	uint32_t rank;	   /* the priority we give it; 0: none */
	const char *
		user; /* the name that it was fed with (feed.c, rule 11), or "";
			     held, and dropped with the record (users.h) */

	unsigned char *bytes; /* [n_bytes] cs_view_bytes() as last told */
	size_t n_bytes;

	/* Running: */
	uint32_t restarts;	    /* with its id, the name of the run */
	int64_t start_us, limit_us; /* the host's limit */
	int64_t from_us;	    /* as in struct cs_view_job */
	uint32_t n_node, cpus;
	uint64_t mem_mb;
	uint32_t cpus_first; /* at its start: others reveal a resize later */
	uint32_t array_id;   /* id it waited under, if different; else 0 */
	uint32_t option;
	int64_t estimate_us;  /* as asked, before any raise */
	uint32_t raised_from; /* minutes: its limit before we raised it; 0 */
	uint32_t raised_flag; /* limit_set.time before that */
	bool inherits;	      /* ... we raised it in an earlier run */
	bool untold;	      /* a new limit, unknown to accounting storage */
	bool shared;	      /* its system comment mentions a group */
	bool stopped;	      /* suspended, by a time slice */
	uint32_t stops;	      /* times so far */
	int64_t moved_s; /* when last stopped or (negative) resumed by one; 0 */
	bool moved_before; /* ... by an earlier slurmctld: is it in the records? */
	int64_t again_us; /* when to tell its nodes again; 0 */
	bool again_late;  /* ... and once more later */
	bool tidy; /* it waits again, or left its group unnoticed: undo limit
		      and comment */
	bool overruled; /* its comment tells of a raise that others have changed */
	bool ghost;	/* unknown to the engine: see feed.c */
	bool again;	/* a ghost for what it holds: may fit later */
	char *why;	/* a ghost: what the engine said, or NULL */
	bool done;	/* it ended by itself, with status 0 */

	/* Waiting: */
	uint32_t said; /* index of its estimate (start_estimates.h), if that has its id */
	int64_t hold_us;    /* a limit stopped it: blocked until then, ... */
	uint32_t hold_ends; /* ... or until more jobs than this have ended */
	int64_t lost_us;    /* its start was lost: blocked until then */
	bool settles;	    /* ... and for no other reason */
	int64_t preempt_us; /* next round of attempts to start it by preemption */
	uint64_t preempt_left; /* options (bits) that the round has yet to try; 0:
				  it has not begun */
	uint64_t preempt_passed; /* options that another job is in the way of */
	bool frees_gres;  /* it wants generic resources of jobs it preempts */
	int64_t frees_us; /* freed cores are kept for it until then; 0 */
	uint32_t *order;  /* [n_order] of its components, to try next; NULL */
	uint32_t n_order, orders; /* tried before it (apply_het.c) */

	uint64_t bad_profile; /* hash of its unknown profile name */
	uint64_t bad_comment; /* the same for its comment's fault */

	uint64_t shown; /* hash of the nodes that squeue --start shows; 0: none */
	int plan;	/* its index in cs_texts.plan, if it has one there */
	enum cs_fit fit;    /* of its present description, ... */
	uint64_t fit_round; /* ... in this round of the view */
	bool said_never;    /* logged that nothing can hold it */

	uint64_t would;	  /* shadow: hash of the last logged proposal */
	int64_t would_us; /* shadow: the last decide that proposed its start */
};

struct cs_known {
	struct cs_idmap ids;
	struct cs_known_job **list; /* [n] in no order */
	uint32_t n, cap;
};

void cs_known_done(struct cs_known *k);
struct cs_known_job *cs_known_find(const struct cs_known *k, uint32_t id);
/* Is running @j in the run of @k that is known?  Its start may have moved: Slurm sets it
 * anew when the nodes have booted, also backwards, if the clock was set back meanwhile.
 * With another submission it is another job that got the id. */
bool cs_known_runs(const struct cs_known_job *k, const struct cs_view_job *j);
/* ... and of the size that is known? */
static inline bool cs_known_sized(const struct cs_known_job *k,
				  const struct cs_view_job *j)
{
	return k->n_node == j->n_node && k->cpus == j->cpus &&
	       k->mem_mb == j->mem_mb;
}
/* A new record, zeroed but for the id; NULL: no memory. */
struct cs_known_job *cs_known_add(struct cs_known *k, uint32_t id);
void cs_known_remove(struct cs_known *k, struct cs_known_job *j);
/* Copy @n bytes as the description last told.  0, -ENOMEM. */
int cs_known_told(struct cs_known_job *j, const void *bytes, size_t n);
/* Try its components in @order [@n] next, after @orders tried so far; @n 0, or no
 * memory: from the beginning. */
void cs_known_order(struct cs_known_job *j, const uint32_t *order, uint32_t n,
		    uint32_t orders);
/* It is unknown to the engine, for @why. */
void cs_known_ghost(struct cs_known_job *j, const char *why);
/* The engine has it. */
void cs_known_taken(struct cs_known_job *j);
/* The description of a known job (desc, options), or NULL. */
struct cs_view_desc *cs_known_desc(const struct cs_known_job *j);
struct cs_view_option *cs_known_options(const struct cs_known_job *j);

#endif
