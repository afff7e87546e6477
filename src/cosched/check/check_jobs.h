/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs that an event log tells of, their groups, and the cores that they hold. */
#ifndef CS_COSCHED_CHECK_CHECK_JOBS_H
#define CS_COSCHED_CHECK_CHECK_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "check/check_gpus.h"
#include "check/core_map.h"
#include "check/id_table.h"

enum cs_check_run { CS_CHECK_WAITS, CS_CHECK_RUNS, CS_CHECK_SUSPENDED };

struct cs_check_job {
	struct cs_id id;    /* first */
	uint64_t submitted; /* line */
	uint32_t tasks;	    /* waiting ones; a running job has none */
	uint32_t group;
	enum cs_check_run run;
	bool packed, host;
	bool holds; /* its cores are marked in `held` */
	struct cs_log_alloc *alloc;
	struct cs_check_gpu_ask asks;
	struct cs_check_gpu_hold gpus; /* while it runs or is suspended */
};

/* All zero: none, and no machine. */
struct cs_check_jobs {
	struct cs_held held;	   /* of the machine of the last header */
	struct cs_check_gpus gpus; /* of that machine */
	struct cs_idtab jobs;	   /* alive; owned */
	struct cs_idtab groups; /* of those that run or are suspended; owned */
	struct cs_idtab before; /* jobs alive before the last header; owned */
};

/* No machine, and no groups; the jobs stay. */
void cs_check_jobs_unseat(struct cs_check_jobs *c);
/* A header follows that: the jobs alive are those before it if they may be @returning,
 * else gone. */
void cs_check_jobs_turn(struct cs_check_jobs *c, bool returning);
void cs_check_jobs_done(struct cs_check_jobs *c);

/* NULL: there is no such job; O(1). */
struct cs_check_job *cs_check_jobs_find(const struct cs_check_jobs *c,
					uint32_t id);
/* A waiting job of @tasks.  NULL: no memory. */
struct cs_check_job *cs_check_jobs_add(struct cs_check_jobs *c, uint32_t id,
				       uint64_t line, uint32_t tasks);
/* A task's own record, split off its @array, which may be gone then.  NULL: no memory. */
struct cs_check_job *cs_check_jobs_split(struct cs_check_jobs *c,
					 struct cs_check_job *array,
					 uint32_t id);
/* @j no longer runs; it is gone unless it has waiting tasks. */
void cs_check_jobs_stop(struct cs_check_jobs *c, struct cs_check_job *j);

/* Was @id running, or suspended, before the last header? */
bool cs_check_jobs_ran(const struct cs_check_jobs *c, uint32_t id);

/* Mark the cores of @j, which are free, as held; and as free. */
void cs_check_jobs_take(struct cs_check_jobs *c, struct cs_check_job *j);
void cs_check_jobs_give(struct cs_check_jobs *c, struct cs_check_job *j);
/* A job that holds @at, for messages; 0: none found.  O(jobs). */
uint32_t cs_check_jobs_holder(const struct cs_check_jobs *c,
			      struct cs_place_of at);

/* @j becomes a member of its group, if it has one; *@ret_new: the first.  0, -ENOMEM
 * (it then has none). */
int cs_check_jobs_join(struct cs_check_jobs *c, struct cs_check_job *j,
		       bool *ret_new);

#endif
