/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contents of a snapshot of slurmctld: plain data, no pointer of Slurm's.
 *
 * A job is a block of bytes: struct cs_view_job, its options, its strings.  Two blocks
 * with equal bytes from `desc` on describe the same job, so one comparison finds a
 * difference.
 *
 * Sets and partitions keep their numbers for the life of the view; the feed turns set
 * numbers into the engine's.
 */
#ifndef CS_SCHED_VIEW_VIEW_DATA_H
#define CS_SCHED_VIEW_VIEW_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/job.h"
#include "common/model/machine.h"
#include "common/params/params.h"
#include "compat/fairshare.h"
#include "compat/precedence.h"
#include "sched/view/settle.h"

enum cs_view_state { CS_VIEW_WAITING, CS_VIEW_RUNNING, CS_VIEW_SUSPENDED };

enum cs_view_kept { /* what keeps a job waiting, by Slurm */
		    CS_KEPT_OTHER,
		    CS_KEPT_HELD,
		    CS_KEPT_DEPENDENCY,
		    CS_KEPT_BEGIN,
		    CS_KEPT_LICENSES,
		    CS_KEPT_BUFFER,
		    CS_KEPT_PART_NODES,
		    CS_KEPT_PART_TIME,
		    CS_KEPT_PART_DOWN,
		    CS_KEPT_RESERVATION, /* its own */
		    CS_KEPT_RESERVED,	 /* others' */
		    CS_KEPT_ARRAY,
		    CS_KEPT_LIMIT,
		    CS_KEPT_COMPLETING, /* its run before */
};

struct cs_view_option {
	uint32_t partition; /* number of its name */
	uint32_t tier;
	uint32_t precedence; /* compat/precedence.h */
	uint64_t priority;
	uint32_t set;	/* number of its usable nodes' set */
	uint32_t flags; /* CS_JOB_EXCLUSIVE, _NO_SHARE, _BLOCKED */
	int64_t limit_max_us;
	uint32_t qos;	   /* id, if the job named several; else 0 */
	uint32_t resv;	   /* of several, or magnetic: the one to use; else 0 */
	uint32_t preempts; /* CS_VIEW_PREEMPTS_*: it may preempt others */
	uint32_t over_s;   /* how long it may run beyond its limit */
};

#define CS_VIEW_PARTS \
	64 /* options of a job that are tried: its partitions, each with each of
			    its QOS, in each reservation and in none */

#define CS_VIEW_PREEMPTS_TIER 1	  /* those of lower tiers */
#define CS_VIEW_PREEMPTS_QOS 2	  /* those named by its QOS */
#define CS_VIEW_PREEMPTS_WITHIN 4 /* those of its QOS with less priority */
#define CS_VIEW_PREEMPTS_RESV \
	8 /* those that run on nodes lent by its reservation */

enum cs_view_text {		  /* strings of a job, in this order */
		    CS_VIEW_USER, /* "" if unknown to slurmctld */
		    CS_VIEW_ACCOUNT,
		    CS_VIEW_NAME,
		    CS_VIEW_PROFILE,  /* named by its comment */
		    CS_VIEW_CAMPAIGN, /* the same */
		    CS_VIEW_FAULT,    /* the fault of its comment */
		    CS_VIEW_GPU_TYPE, /* "": any */
		    CS_VIEW_TEXTS
};

/* The request. */
struct cs_view_desc {
	uint32_t array_id, tasks, flags;
	uint32_t procs, cpus_per_proc, min_nodes, max_nodes;
	uint32_t procs_per_node, base_procs, reservation;
	uint32_t least_cpus, threads, mem_threads;
	uint32_t warn_s;    /* CS_JOB_BORROWS */
	uint32_t dist;	    /* enum cs_dist */
	uint32_t gpus_node; /* that it asks for on each node */
	uint32_t wishes;    /* hash of those for Slurm's own test; 0: none */
	uint32_t n_option, n_comp; /* components of a heterogeneous job */
	uint32_t uid;
	uint32_t share; /* its user's weight (order=ostrich, else 0) */
	int32_t nice;	/* the same */
	uint64_t mem_node_mb, mem_cpu_mb;
	int64_t submit_us, eligible_us, estimate_us;
	int64_t across;	  /* CS_JOB_ACROSS: in millionths */
	int64_t after_us; /* when licences that it lacks are free; 0 */
	uint32_t text[CS_VIEW_TEXTS]; /* offsets from the first option */
	uint32_t unused; /* blocks are compared as bytes: no padding */
};

struct cs_view_job {
	uint32_t size; /* of the block, a multiple of 8 */
	uint32_t id;
	uint32_t state; /* enum cs_view_state */
	uint32_t task;	/* of an array, by its user's count; UINT32_MAX */
	uint32_t kept;	/* enum cs_view_kept */
	int64_t limit_us;
	uint32_t raised_from; /* minutes, as its comment has it (comment.h); 0 */
	uint32_t raised_flag; /* limit_set.time that goes with them */
	/* Running: */
	uint32_t restarts; /* its runs before this one, or before the next */
	int64_t start_us;
	int64_t from_us;       /* its limit counts from then: start_us, or when
				  its nodes had booted and its PrologSlurmctld
				  was over, unless it was suspended since */
	uint32_t n_node, cpus; /* held: they reveal a resize */
	uint64_t mem_mb;       /* likewise, on all its nodes; 0: not counted */
	uint32_t alloc;	       /* index in view->alloc + 1, 0: not taken */
	uint32_t keeps;	       /* suspended: it resumes on its cores */
	uint32_t stopped;      /* suspended by our time slice */
	uint32_t held;	       /* by scontrol hold */
	/* Waiting: */
	uint32_t priority; /* or site factor, Slurm's; 0: held */
	uint32_t ready;	   /* its parts in Slurm's queue */
	uint32_t reason;   /* enum job_state_reason of Slurm's */
	uint32_t lines; /* that squeue -r has for it: its tasks or components */
	int64_t shown_s; /* its start in squeue; 0: none */
	/* What the next look may take over (view_again.c): */
	uint64_t mark;	      /* of the record, described so; 0: of no use */
	uint64_t round;	      /* of view->round */
	int64_t described_us; /* by Slurm's clock */
	uint64_t open;	      /* options (bits) in which it may start */
	uint32_t flags;	      /* desc.flags and estimate_us as described: the */
	int64_t estimate_us;  /* feed may change them */
	struct cs_view_desc desc;
	/* struct cs_view_option option[desc.n_option]; then the strings */
};

struct cs_view_resv {
	uint32_t id;
	int64_t start_us, end_us;
	uint32_t set;		/* number, as of options */
	uint32_t flags;		/* enum cs_reservation_flag */
	uint32_t delay_s;	/* CS_RESV_LENDS */
	struct cs_alloc *cores; /* owned; NULL: whole nodes */
};

struct cs_view_map {	/* between Slurm's numbers and the machine's */
	uint16_t *core; /* [cores of the machine's node] Slurm's number; NULL:
			   all cores are usable */
	uint8_t *gpu; /* [CS_GPUS_MOST] the machine's number of Slurm's device;
			   NULL: the machine's node has none */
};

/* Is the allocation of running job @j known?  Then it is not copied again. */
struct cs_view_job;
typedef bool cs_view_known_fn(void *arg, const struct cs_view_job *j);
/* A waiting job that has begun to run, or has gone, since the look began: the next look
 * sees that. */
typedef void cs_view_left_fn(void *arg, uint32_t id);
/* A run that is over, as long as Slurm remembers it (MinJobAge). */
typedef void cs_view_ended_fn(void *arg, uint32_t id, uint32_t restarts,
			      bool failed);

struct cs_view_sets;   /* view_table.h */
struct cs_view_names;  /* the same */
struct cs_view_before; /* view_before.c */
struct cs_view_later;  /* view_queue.c */
struct cs_view_made;   /* sources of the sets (view_sets.c) */

struct cs_view {
	const struct cs_params *params; /* borrowed */
	enum cs_mode mode;
	bool all_partitions; /* whatever their mode */
	bool factors;	     /* order shows in site factors */
	int64_t now_us;	     /* of the snapshot, by Slurm's (wall) clock */
	int64_t ahead_us;    /* lead of the engine's clock over it (clock.h) */

	struct cs_machine *machine;
	uint64_t *moved; /* node set: other ones since the host of the view
			    cleared it */
	struct cs_view_map *map; /* [n_node] */
	uint32_t *first_core;	 /* [n_node] in Slurm's map of the system */
	uint32_t n_core;	 /* of that map */
	uint16_t threads;	 /* of a core, the most of any node */
	uint16_t sockets;	 /* of a node, the most of any */
	uint64_t *most;		 /* [n_most] of each Slurm TRES, on any node */
	int n_most;
	uint64_t *for_gpus; /* node set: some cores are kept for GPUs */
	bool gpus_beyond;   /* some node has GPUs that the model does not hold:
			     jobs with GPUs are for Slurm's own test */
	uint64_t *up;	    /* node set: may be used for a start */
	uint32_t asleep_cores;	 /* of these nodes, of those powered down */
	uint64_t *unready;	 /* node set: of these, not yet ... */
	int64_t unready_us;	 /* ... before this (the engine's time),
				    unless ready earlier */
	uint64_t *rebooting;	 /* node set: likewise, to reboot once idle */
	int64_t rebooting_us;	 /* ... not before this */
	struct cs_settle settle; /* nodes that are back */
	struct cs_fairshares shares;	 /* of users */
	struct cs_precedence precedence; /* of QOS */
	uint64_t topology_mark;		 /* differs: it has changed */
	bool topology_counts;		 /* the site's applies to plain jobs */
	char *site_file;	   /* text of cosched_sites=FILE, or NULL: */
	char site_file_error[256]; /* ... why there is none */
	char *site_last;	   /* last good sites (site_list.h), or NULL */
	char *site_text;	   /* those of the machine, or NULL */
	uint64_t site_mark;	   /* differs: their partitions have changed */
	char site_error[512];	   /* why they are not as set; "" */
	char site_note[512];	   /* of nodes below two switches; "" */
	bool memory;		   /* is it accounted? */
	bool private;		   /* PrivateData=jobs */
	int64_t purge_us;	   /* an ended job may be requeued so long */
	bool private_users;	   /* that, or usage, or users */
	bool odd; /* cores are no resource: every job is for Slurm's own test */

	struct cs_view_sets *sets;
	struct cs_view_names *partitions;
	struct cs_view_made *made;

	uint64_t *mem;		       /* the blocks */
	size_t used, cap;	       /* in words of 8 bytes */
	struct cs_view_before *before; /* blocks of the look before */
	uint64_t round;		       /* another one: none of them holds */
	int64_t config_s;	       /* Slurm's stamp of its settings */
	bool limits;	    /* of associations and QOS are enforced */
	uint64_t kept;	    /* blocks taken over so far, */
	uint64_t described; /* and made anew */
	uint32_t n_job, n_waiting, n_running;
	uint32_t *todo; /* [n_todo] ids of waiting jobs, in Slurm's order; */
	uint32_t n_todo, cap_todo, done; /* ... so many are looked at */
	uint32_t last_id;		 /* of the last job in that order */
	struct cs_view_later *later; /* [n_later] of them, asked at the end */
	uint32_t n_later, cap_later;
	struct cs_view_later *buffered; /* [n_buffered] with a burst buffer */
	uint32_t n_buffered, cap_buffered;
	int64_t stage_us;	 /* how often such are to be filled */
	int64_t staged_us;	 /* when Slurm last was to; 0 */
	struct cs_alloc **alloc; /* [n_alloc] */
	uint32_t n_alloc, cap_alloc;

	struct cs_view_resv *resv; /* [n_resv] */
	uint32_t n_resv, cap_resv;

	int64_t wake_us;      /* next instant to look again, by Slurm's clock,
			    or CS_TIME_NONE */
	uint32_t blocked;     /* waiting jobs that may not start */
	bool waits_complete;  /* CompleteWait is set */
	bool hold;	      /* Slurm starts no job now (scheduling disabled,
			     CompleteWait) */
	uint32_t lowest_tier; /* of partitions with running jobs */
	uint32_t lowest_priority; /* of running jobs */
	bool borrowed;		  /* running jobs may use lent nodes */
	bool preempts; /* some job was seen that may preempt others */
	bool nomem;

	bool serial_last;	 /* pack_serial_at_end */
	uint32_t least_priority; /* below it a job's planned start keeps
				    nothing; 0: none */
};

#endif
