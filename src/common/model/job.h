/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job as the policies see it: the whole request, nothing of Slurm.
 *
 * Strings are borrowed for the call and copied by the engine.
 */
#ifndef CS_MODEL_JOB_H
#define CS_MODEL_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/duration.h"

#define CS_ACROSS_MAX 100
#define CS_OVER_ANY UINT32_MAX
#define CS_MEM_ALL UINT64_MAX /* mem_node_mb: all memory of each node */

/* Classes of estimated runtime. */
enum cs_class { CS_CLASS_SHORT, CS_CLASS_MEDIUM, CS_CLASS_LONG, CS_CLASSES };

static inline const char *cs_class_name(uint32_t class)
{
	static const char *const names[CS_CLASSES] = { "short", "medium",
						       "long" };

	return class < CS_CLASSES ? names[class] : "no";
}

enum cs_job_flag {
	CS_JOB_EXCLUSIVE = 1 << 0, /* whole nodes, no neighbours */
	CS_JOB_NO_SHARE = 1 << 1,  /* the job's: alone on its nodes, share=no; a
				      partition's: never in a group there */
	CS_JOB_HOST = 1 << 2,	   /* wishes beyond the model: the host's own
				      test places it, in its turn */
	CS_JOB_BLOCKED = 1 << 3,   /* may not start for reasons other than
				      resources: limits, licences, dependency,
				      hold.  Holds back no job. */
	CS_JOB_REQUEUED = 1 << 4,  /* it ran before */
	CS_JOB_PRIORITY_SET = 1 << 5, /* the administrator set its priority */
	CS_JOB_USER_NODES = 1 << 6,   /* packed or the host's: only its user's
				       jobs on its nodes */
	CS_JOB_SHARES_CORES = 1 << 7, /* with CS_JOB_HOST: the host may give it
					 cores that others hold */
	CS_JOB_BORROWS = 1 << 8,      /* it may use what reservations lend, and
				    leaves at warn_s seconds' notice */
	CS_JOB_ACROSS =
		1 << 9, /* the job itself states its cost of crossing sites */
	CS_JOB_KEEPS_NOTHING = 1 << 10, /* its planned start keeps no nodes */
	CS_JOB_LEAST_LOADED = 1 << 11,	/* alone: on the least loaded nodes */
	CS_JOB_LAST_NODE = 1 << 12,	/* ... on the last nodes */
	CS_JOB_UNSHIFTED = 1 << 13, /* order=shifted: its age counts whole */
	CS_JOB_WAITS = 1 << 14, /* its ranks sleep while they wait, it says */
	CS_JOB_SPINS = 1 << 15, /* ... do not, whatever its profile says */
};

/* Which cores of a node a job gets that has no neighbours of a group there. */
enum cs_dist {
	CS_DIST_OURS,	/* by its kind of placement (core_layout.c) */
	CS_DIST_CYCLIC, /* one socket after the other, in turn */
	CS_DIST_BLOCK,	/* the fewest sockets */
	/* the same among the lowest free cores that whole processes fill */
	CS_DIST_CYCLIC_WHOLE,
	CS_DIST_BLOCK_WHOLE,
	CS_DIST_LAST = CS_DIST_BLOCK_WHOLE,
};

#define CS_PRECEDENCE_FIRST UINT32_MAX

/* A partition that the job may run in, and its consequences. */
struct cs_job_partition {
	uint32_t partition; /* number given by the host; names are in the log */
	uint32_t tier;	    /* higher goes first (order=fcfs: does not count) */
	uint32_t precedence;  /* higher goes first whatever the tier: it may
				preempt others, or has a reservation;
				CS_PRECEDENCE_FIRST: requeued expedited */
	uint64_t priority;    /* higher goes first (order=slurm; order=ostrich
				  only with CS_JOB_PRIORITY_SET) */
	uint32_t nodeset;     /* cs_engine_nodeset(): nodes it may use */
	int64_t limit_max_us; /* its maximum time limit there */
	uint32_t flags;	      /* CS_JOB_EXCLUSIVE, _NO_SHARE, _BLOCKED,
				  _LEAST_LOADED in this partition only */
	uint32_t reservation; /* by this option; 0: the job's */
	uint32_t over_s;      /* how long the host lets it run beyond its limit
			    there; CS_OVER_ANY: no one knows */
};

struct cs_job {
	uint32_t id;	   /* > 0 */
	uint32_t array_id; /* of its array; 0: none */
	uint32_t tasks;	   /* waiting tasks of an array, else 1 */
	uint32_t flags;	   /* enum cs_job_flag */

	const char *user, *account, *name; /* may be NULL */
	/* names of the options, comma-separated; for the log */
	const char *partition;
	const char *profile; /* name, NULL or "": none */

	uint32_t procs;		 /* processes, >= 1 */
	uint32_t cpus_per_proc;	 /* hardware threads a process, >= 1 */
	uint32_t min_nodes;	 /* >= 1 */
	uint32_t max_nodes;	 /* 0: any */
	uint32_t procs_per_node; /* the user's layout; 0: ours to choose */
	uint32_t base_procs;	 /* > 0: the estimate is a limit for that many
				    processes a node; a kinder layout does not
				    shorten it.  0: it is Zeng09's T, the
				    runtime at one process a node */
	uint64_t mem_node_mb;	 /* memory a node, or */
	uint64_t mem_cpu_mb;  /* memory an allocated hardware thread; 0: none */
	uint32_t least_cpus;  /* hardware threads needed on each node; 0: those
				    of its processes there */
	uint32_t threads;     /* most of a core's that its processes use; 0:
				    all */
	uint32_t mem_threads; /* most of a core's that count for mem_cpu_mb;
				    0: all */
	/* GPUs on each of its nodes, or in all, spread evenly over as few nodes as
	 * have them; 0: none */
	uint32_t gpus_node, gpus;
	uint32_t gpu_share;   /* thousandths that it takes of each; 0: all */
	const char *gpu_type; /* NULL, "": any */
	uint32_t reservation; /* number of its reservation, 0: none */
	uint32_t warn_s;      /* CS_JOB_BORROWS: seconds of notice that it wants
				    before it has to go */
	uint32_t wishes; /* CS_JOB_HOST: the host's word for what it asks for
				    beyond this: another word, another wish */

	uint32_t dist; /* enum cs_dist */

	double across; /* CS_JOB_ACROSS: p of model/sites.h, 0 to
				    CS_ACROSS_MAX */

	/* order=ostrich: */
	const char *campaign; /* named by its user; NULL, "", or more than 63
				    bytes: by the rule of `campaign` */
	uint32_t share;	      /* its user's weight, up to 1e9; 0: unknown, 1e6.
				    The host knows all weights or none */
	int32_t nice;	      /* lower goes first in its campaign; below 0 it
				    joins its user's running one */

	int64_t submit_us;
	int64_t eligible_us; /* >= submit_us */
	int64_t after_us; /* until then licences it needs are in use, or its burst
			     buffer is being filled; 0.  It may hold a promise */
	int64_t estimate_us; /* > 0: runtime or limit without neighbours */

	/* [n_option], in the user's order */
	const struct cs_job_partition *option;
	uint32_t n_option; /* >= 1 */
};

static inline bool cs_job_has_gpus(const struct cs_job *j)
{
	return j->gpus_node || j->gpus;
}

#endif
