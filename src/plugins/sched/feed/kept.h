/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What outlives a run, or slurmctld, of a job (checkpoint.c, ended.c).
 */
#ifndef CS_SCHED_FEED_KEPT_H
#define CS_SCHED_FEED_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cs_kept { /* a line of the saved state (checkpoint.c) */
	uint32_t id, array_id, group, role, packed;
	uint32_t raised_from, raised_flag, shared, stops;
	uint32_t factor; /* in millionths */
	int64_t start_us, estimate_us, done_us, at_us;
	int64_t ran_us;	  /* until at_us; 0: all since from_us */
	int64_t floor_us; /* of its limit; 0: none */
	int64_t moved_s; /* stopped or (negative) resumed by a slice; 0: unknown */
	uint32_t restarts; /* UINT32_MAX: unknown */
	uint32_t cpus;	   /* at its start; 0: unknown */
	int64_t limit_us;  /* as we left it; 0: unknown */
	int64_t from_us;   /* its time counts from then; 0: from start_us */
	bool gone;	   /* slurmctld has lost this run */
	bool shown;	   /* the first snapshot has the job */
};

/* Jobs that ended with a raised limit (ended.c), in no order. */
struct cs_ended_jobs {
	struct cs_ended_job {
		struct cs_kept was;
		int64_t until_us; /* kept so long; the engine's time */
	} * job;		  /* [n] */
	uint32_t n, cap;
};

struct cs_named { /* a job that is not under the present name of its user */
	uint32_t id, uid;
	const char *user;
};

/* Of before a restart (checkpoint.c). */
struct cs_restored {
	struct cs_kept *kept; /* [n_kept] by id */
	uint32_t n_kept;
	bool no_state;	  /* what ran is unknown */
	int64_t first_us; /* the engine's time at the first snapshot */
	bool odd_nodes;	  /* what was learned is of other types of nodes */
	char *line;	  /* [n_line] lines for the engine, each ending in 0 */
	size_t n_line, cap_line;
	struct cs_named *named; /* [n_named] by id */
	uint32_t n_named, cap_named;
};

#endif
