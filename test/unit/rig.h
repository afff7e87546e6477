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

#include "common/engine/engine.h"
#include "common/estimate/estimate.h"

#define RIG_S INT64_C(1000000)

/* Of a profile file: what two kinds of job suffer beside each other. */
#define RIG_PAIR(a, b, ab, ba)                                         \
	"{\"of\":\"" a "\",\"beside\":\"" b "\",\"slowdown\":" ab "}," \
	"{\"of\":\"" b "\",\"beside\":\"" a "\",\"slowdown\":" ba "}"

/* Profiles a, b, c for random worlds: measured pairs and predicted ones. */
extern const char rig_abc[];

/* The topology of the machine that is opened next, which takes it over. */
extern struct cs_topology *rig_topology;
extern struct cs_sites *rig_sites; /* its sites, the same; NULL: as @params say */
/* So many of its last nodes have twice the cores. */
extern uint32_t rig_large;

/* These nodes of it (one word) have those GPUs; NULL: none has any. */
extern uint64_t rig_gpu_nodes;
extern const struct cs_gpus *rig_gpus;

/* Of all actions that rig_decide() has seen, of all rigs. */
extern uint64_t rig_digest;

struct rig {
	struct cs_params params;
	struct cs_profiles *profiles;
	struct cs_machine *machine;
	struct cs_engine *engine;
	struct cs_engine *twin; /* rig_twin(); NULL: none */
	struct cs_estimator
		*estimates; /* is told the same; the caller's; NULL: none */
	int64_t now_us;
	uint32_t all;		   /* node set of every node */
	struct cs_action log[256]; /* starts in their order; alloc is not kept */
	size_t n_log;
	struct cs_action last[256]; /* all else, of the last rig_decide() */
	size_t n_last;
	int64_t limit_us; /* of all that start from now on; 0: as asked */
	int64_t late_us; /* by so much later than decided a start is confirmed */
	uint32_t refuse; /* id of a job whose next start (or stop, or going on)
			    is refused */
	enum cs_refused refuse_class;
	bool is_array[512]; /* by id */
	uint32_t n_host;    /* starts that were left to the host's own test */
	bool host_cancels; /* what is left to its own test: it finds no room for
			      any such job */
	uint32_t next_task; /* id for the next task of an array */
	/* Decide in parts of so many steps, and compare with the twin; 0: no parts. */
	int64_t part_steps;
	bool replays; /* the twin pauses where the engine did, as recorded; else it
			 decides as a whole */
	uint64_t pauses; /* so far; every fifth, if it replays, ends rig_decide() */
	bool to_the_end; /* ... no pause does */
	bool acted;	 /* a part of the present decide had actions */
};

/* @params: as in slurm.conf, without prefix, over the live defaults (those of the
 * simulator where they ask for slices); @profiles: text of a profile file, or
 * NULL. */
void rig_open(struct rig *r, const char *params, const char *profiles,
	      uint32_t nodes, uint16_t sockets, uint16_t cores,
	      uint64_t memory_mb);
void rig_close(struct rig *r);

/* From now on a copy of the engine is told the same, and must decide the same. */
void rig_twin(struct rig *r);
/* The same with a new engine instead of a copy; before anything is told. */
void rig_second(struct rig *r);

/* A job of @procs processes, @estimate_s long, submitted now. */
struct cs_job rig_job(struct rig *r, uint32_t id, uint32_t procs,
		      int64_t estimate_s, const char *profile);
void rig_submit(struct rig *r, const struct cs_job *j);
/* The two in one. */
void rig_add(struct rig *r, uint32_t id, uint32_t procs, int64_t estimate_s,
	     const char *profile);

/* The same in a partition of the nodes of @set (one word of them). */
void rig_add_in(struct rig *r, uint32_t id, uint32_t procs, int64_t estimate_s,
		const char *profile, uint64_t set);

/* Anything else that happens now, and that the engine must take. */
void rig_tell(struct rig *r, struct cs_event ev);

/* Decide and confirm until nothing is left to do; returns the starts. */
size_t rig_decide(struct rig *r);
void rig_finish(struct rig *r, uint32_t id);
/* Move the clock and decide. */
void rig_at(struct rig *r, int64_t s);
bool rig_runs(struct rig *r, uint32_t id);
/* A job that must run. */
struct cs_running rig_running(struct rig *r, uint32_t id);
/* One of those that are started, drawn; 0: none is. */
uint32_t rig_some_running(struct rig *r, uint64_t *rng);
/* When the first of those that run is predicted to end; CS_TIME_NONE. */
int64_t rig_next_end_us(struct rig *r);
/* It is @end_us: end all that are predicted to have ended by then. */
void rig_finish_due(struct rig *r, int64_t end_us);
/* Those that end next; @early: now, and any one. */
void rig_finish_some(struct rig *r, bool early, uint64_t *rng);
/* "0:0,2 1:0,2": nodes and the cores on each, for a job that runs. */
const char *rig_where(struct rig *r, uint32_t id);
/* What of @type the last rig_decide() asked of, or said of, job @id; NULL. */
const struct cs_action *rig_last(struct rig *r, enum cs_action_type type,
				 uint32_t id);
/* The start action of a job, from the log. */
const struct cs_action *rig_start(struct rig *r, uint32_t id);

#endif
