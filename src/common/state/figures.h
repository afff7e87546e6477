/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures that the engine keeps for its host: the speed of running jobs, the outcome of
 * searches, how long a job may stay.
 */
#ifndef CS_STATE_FIGURES_H
#define CS_STATE_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/job.h"
#include "model/machine.h"

struct cs_engine;

/*
 * Jobs whose speed has changed since the last call: started, stopped, resumed, or with
 * new neighbours.  For a host that simulates time: a job with T of pure runtime ends at
 * at_us + (T - done_us) * slowdown unless a later list has it.  *ret [n] is the
 * engine's and valid until the next event or decide; each job is there once, in no
 * particular order.  O(jobs listed).
 */
struct cs_speed {
	uint32_t job_id;
	int64_t at_us, done_us; /* progress, in time of the estimate */
	double slowdown;	/* 0: it stands still */
};
size_t cs_engine_speeds(struct cs_engine *e, const struct cs_speed **ret);

/* Cores and nodes that running jobs hold; waiting jobs (an array's tasks count as one).
 * O(1). */
struct cs_engine_use {
	uint32_t cores, nodes, waiting;
};
struct cs_engine_use cs_engine_use(const struct cs_engine *e);

/* GPUs that jobs hold, suspended ones too; free ones of nodes that may be used, and what of
 * these is a fragment for the usual requests, or stranded for those that wait
 * (engine/gpu_use.c), each in GPUs; waiting jobs that ask for some and are not blocked.  All
 * 0 on a machine without GPUs.  O(nodes * requests + waiting jobs). */
struct cs_engine_gpus {
	double held, free, fragment, stranded;
	uint32_t waiting;
};
struct cs_engine_gpus cs_engine_gpus(const struct cs_engine *e);

/* Searches for partners under a plan (group_search.c), each of one primary job in one
 * case: with no candidate, with fewer than 4, all. */
struct cs_searches {
	uint64_t none, few, all;
};

/* Starts of jobs that were promised one before: by then, or later (job/pledge.h). */
struct cs_pledges {
	uint64_t kept, late;
};

/* What was learned of whom (job/lesson.h). */
struct cs_lessons_now {	   /* without a gap: it goes through pipes as it is */
	uint32_t learning; /* 1; else all is 0 */
	uint32_t kinds;	   /* that can be told apart and judged */
	uint32_t runs;	   /* that say something of neighbours */
	uint32_t pairs;	   /* of these kinds that may share, both ways */
	uint32_t seen;	   /* pairs that the bound rests on */
	uint32_t tables;   /* made since the engine began */
	uint64_t told;	   /* runs that taught anything, ever */
	uint64_t tried; /* jobs that were in a trial, since the engine began */
	uint64_t broken; /* runs that took longer than the pair's promise, ever */
};

/*
 * How long may the job that leaves @a at @from_us stay, until @until_us at most,
 * without delaying a promised start?  With backfill=easy: until the first start
 * promised on the nodes; conservative: while all promises fit beside it, where it holds
 * the nodes of @a or (@packed) only its cores.  Without slices. O(promises of heads *
 * nodes of @a and where they come first), or O(nodes of @a).
 */
int64_t cs_backfill_ask_stays_us(struct cs_engine *e, const struct cs_alloc *a,
				 bool packed, int64_t from_us,
				 int64_t until_us);

/* Time slices at this moment, on the host's clock. */
struct cs_slice_now {
	uint32_t slots; /* slice=gang: of a round, and which it is; 0: classes */
	uint32_t slot;
	uint32_t class;	  /* enum cs_class: whose */
	int64_t serve_us; /* when it begins to run */
	int64_t end_us;
	int64_t next_us[CS_CLASSES]; /* when each is served next, `class`
					included, at the present shares;
					CS_TIME_NONE: never */
};

/* A slot of slice=gang. */
struct cs_slot_now {
	int64_t next_us; /* when its turn comes; it has it: now */
	uint32_t jobs;	 /* that have a place in it, ... */
	uint32_t nodes;	 /* ... and the nodes of theirs, taken together */
};

#endif
