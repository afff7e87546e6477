/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small host for tests of the engine: it confirms what is proposed, keeps the
 * clock, and ends jobs.  Every step checks the engine's invariants.
 */
#ifndef CS_RIG_H
#define CS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine.h"

#define RIG_S INT64_C(1000000)

struct rig {
	struct cs_params params;
	struct cs_profiles *profiles;
	struct cs_machine *machine;
	struct cs_engine *engine;
	int64_t now_us;
	uint32_t all; /* node set of every node */
	struct cs_action log[256]; /* starts in their order; alloc is not kept */
	size_t n_log;
	uint32_t refuse; /* id of a job whose next start is refused */
	enum cs_refused refuse_class;
	bool is_array[512];	/* by id */
	uint32_t next_task; /* id for the next task of an array */
};

/* @params: as in slurm.conf, without prefix, over the live defaults; @profiles:
 * text of a profile file, or NULL. */
void rig_open(struct rig *r, const char *params, const char *profiles,
	      uint32_t nodes, uint16_t sockets, uint16_t cores,
	      uint64_t memory_mb);
void rig_close(struct rig *r);

/* A job of @procs processes, @estimate_s long, submitted now. */
struct cs_job rig_job(struct rig *r, uint32_t id, uint32_t procs,
		      int64_t estimate_s, const char *profile);
void rig_submit(struct rig *r, const struct cs_job *j);
/* The two in one. */
void rig_add(struct rig *r, uint32_t id, uint32_t procs, int64_t estimate_s,
	     const char *profile);

/* Decide and confirm until nothing is left to do; returns the starts. */
size_t rig_decide(struct rig *r);
void rig_finish(struct rig *r, uint32_t id);
/* Move the clock and decide. */
void rig_at(struct rig *r, int64_t s);
bool rig_runs(struct rig *r, uint32_t id);
/* "0-1:0,2": nodes and the cores on each, for a job that runs. */
const char *rig_where(struct rig *r, uint32_t id);
/* The start action of a job, from the log. */
const struct cs_action *rig_start(struct rig *r, uint32_t id);

#endif
