/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures that the engine keeps for its host: who runs at which speed, what its
 * searches came to, how long somebody may stay.
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
 * Jobs whose speed has changed since this was last asked: started, stopped,
 * resumed, or with other neighbours.  For a host that makes time itself (the
 * simulator): a job with T of pure runtime ends at at_us + (T - done_us) *
 * slowdown unless it stands in a later list.  *ret [n] is the engine's and holds
 * until the next event or decide; each job is there once, in no order that
 * matters.  O(jobs listed).
 */
struct cs_speed {
	uint32_t job_id;
	int64_t at_us, done_us; /* progress, in time of the estimate */
	double slowdown;	/* 0: it stands still */
};
size_t cs_engine_speeds(struct cs_engine *e, const struct cs_speed **ret);

/* Cores and nodes that running jobs hold, waiting jobs (tasks of an array count
 * as one).  O(1). */
struct cs_engine_use {
	uint32_t cores, nodes, waiting;
};
struct cs_engine_use cs_engine_use(const struct cs_engine *e);

/* Searches for partners under a plan (group_search.c), of one primary job in one
 * case: with no candidate, with fewer than 4, all. */
struct cs_searches {
	uint64_t none, few, all;
};

/*
 * How long may who leaves @a at @from_us stay there, until @until_us at most, with
 * nobody promised a start later for that?  With backfill=easy: before the first start
 * promised on the nodes; conservative: while all that is promised fits beside him,
 * where he holds the nodes of @a, or (@packed) its cores alone.  Without slices.
 * O(promises of heads * nodes of @a and where they come first), or O(nodes of @a).
 */
int64_t cs_backfill_ask_stays_us(struct cs_engine *e, const struct cs_alloc *a,
				 bool packed, int64_t from_us,
				 int64_t until_us);

/* Time slices at this moment, on the host's clock. */
struct cs_slice_now {
	uint32_t slots; /* slice=gang: of a round, and which it is; 0: classes */
	uint32_t slot;
	uint32_t class;	  /* enum cs_class: whose */
	int64_t serve_us; /* from then on it runs */
	int64_t end_us;
	int64_t next_us[CS_CLASSES]; /* when each is served next, of `class` too; as
					shares are now, CS_TIME_NONE: never */
};

/* A slot of slice=gang. */
struct cs_slot_now {
	int64_t next_us; /* when its turn comes; it has it: now */
	uint32_t jobs;	 /* that have a place in it, ... */
	uint32_t nodes;	 /* ... and the nodes of theirs, taken together */
};

#endif
