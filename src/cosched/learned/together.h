/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who ran beside whom, from node lists and times, and what that teaches: a history of
 * years from which the engine was absent.  Theory and what is left out: together.c.
 *
 * Memory is bounded whatever the history: below 300 MB, with CS_TOGETHER_JOBS jobs on
 * CS_TOGETHER_PLACES nodes in all.  Of a longer history the earlier half is dropped each
 * time that is reached; what is kept of it would be forgotten anyway (learn/past.h).
 */
#ifndef CS_COSCHED_LEARNED_TOGETHER_H
#define CS_COSCHED_LEARNED_TOGETHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/learn/past.h"

#define CS_TOGETHER_JOBS (1u << 19)
#define CS_TOGETHER_PLACES (1u << 23)
#define CS_TOGETHER_NODES (1u << 18)   /* different nodes */
#define CS_TOGETHER_AT_ONCE (1u << 17) /* jobs that run at a time */

/* A job of the history, in microseconds since 1970. */
struct cs_together_job {
	const char *user, *name, *partition; /* borrowed, for the call */
	const char *nodes;		     /* as Slurm lists them */
	uint64_t cpus;
	int64_t start_us, end_us; /* @end_us > @start_us */
	int64_t run_us;		  /* without suspensions */
	int64_t limit_us;	  /* 0: unknown */
	bool teaches;		  /* it came to an end of its own */
};

struct cs_together_counts {
	uint64_t jobs;	   /* added */
	uint64_t no_nodes; /* of them, without a list of nodes */
	uint64_t dropped;  /* of them, too long ago */
	uint64_t taught;   /* of them, whose run was noted */
};

struct cs_together;

/*
 * @since_us: jobs that started before it have neighbours that are not in the history;
 * INT64_MIN: all are.  @threads (>= 1): cpus of a core.  @cores: of each node, 0: as many
 * as were ever held there at a time.  NULL: no memory.
 */
struct cs_together *cs_together_create(int64_t since_us, uint32_t threads,
				       uint32_t cores);
void cs_together_free(struct cs_together *t);

/* 0; -EINVAL: impossible times or not a list of nodes, -E2BIG: too many nodes, -ENOMEM.
 * @err has one line; after an error the job is left out. */
int cs_together_add(struct cs_together *t, const struct cs_together_job *j,
		    struct cs_err *err);

/* Tell @past of all runs, in the order of their ends.  To be called once.  0; -E2BIG:
 * too many jobs at a time, -ENOMEM.  O(jobs log jobs + places * jobs on a node). */
int cs_together_teach(struct cs_together *t, struct cs_past *past,
		      struct cs_err *err);

const struct cs_together_counts *
cs_together_counts(const struct cs_together *t);

#endif
