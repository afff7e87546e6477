/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulator: a trace, a machine, and the engine that schedules live.
 *
 * It is the engine's host: it makes time, submits the jobs, confirms proposals, and
 * ends each job when its progress reaches its runtime.  Rules and cost in sim.c,
 * figures in metrics.h.
 */
#ifndef CS_SIM_H
#define CS_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/engine/engine.h"
#include "common/base/err.h"
#include "common/model/machine.h"
#include "metrics.h"
#include "common/params/params.h"
#include "common/profile/profile.h"
#include "trace.h"

struct cs_sim_options {
	const struct cs_machine *machine;
	const struct cs_params *params;	    /* over the simulator's defaults */
	const struct cs_profiles *profiles; /* NULL: none */
	/* How jobs really progress (truth.h); NULL: by @profiles. */
	const struct cs_profiles *truth;
	double truth_noise;  /* of the truth, a fraction */
	FILE *events;	     /* receives the event log; NULL: none */
	const char *version; /* in the log's header */
	/* Told now and then how many jobs have ended; may be NULL. */
	void (*progress)(void *arg, size_t done, size_t all);
	void *arg;
	/* Told of each start, stop, resume and end; may be NULL. */
	void (*heard)(void *heard_arg, const struct cs_event *ev);
	void *heard_arg;
	/* Told of each action that was done, refusals aside, at its instant; with
	 * heard_arg.  NULL: nobody is. */
	void (*acted)(void *heard_arg, const struct cs_action *a);
	/* What else job @job (an index into the trace) asks for than the trace
	 * says (sim.c, rule 5), into @j, which has that: all but its id and times.
	 * Sets of nodes get their numbers of @e; what @j points to stays until the
	 * next call.  0 or a negative errno, which ends the run.  NULL: nothing. */
	int (*describe)(void *describe_arg, struct cs_engine *e, size_t job,
			struct cs_job *j);
	void *describe_arg;
	bool campaigns; /* field 14 names a job's campaign among its user's */
	bool thorough;	/* ask the engine even when it can do nothing: slower,
			  the same schedule (tests) */
};

/*
 * Run every job of @t, which is sorted by (submit, id) and has no duplicate id.  No
 * option is kept; the same arguments give the same result and log, byte for byte.
 *
 * 0: *ret is the caller's, cs_sim_result_done().  Else *ret is unchanged and @err holds
 * one line: -EINVAL: a trace out of order, or one with jobs that can never run, or an
 * engine that could not be created; -EEXIST: a duplicate id; -ENOMEM; -EIO or another
 * of write(2): the log could not be written.
 */
int cs_sim_run(const struct cs_sim_options *o, const struct cs_trace *t,
	       struct cs_sim_result *ret, struct cs_err *err);
void cs_sim_result_done(struct cs_sim_result *r);

/* Set the clock of @p, if unset, to the trace's at its first submit (unix_start_s). */
void cs_sim_clock(struct cs_params *p, const struct cs_trace *t);

/*
 * The machine "NODESxSOCKETSxCORES" (cores a socket), one thread a core, memory
 * not accounted.  0, -EINVAL, -ENOMEM; *ret is the caller's.
 */
int cs_sim_machine(const char *text, struct cs_machine **ret,
		   struct cs_err *err);
/*
 * The same; several such joined by '+' are kinds of nodes, one behind the other.  @gpus
 * (NULL: none): GPUs of each node as cs_gpus_parse() reads them, of all, or of each kind,
 * joined by '+': "8x2x32+4x2x16" with "a100:8+0".
 */
int cs_sim_machine_gpus(const char *text, const char *gpus,
			struct cs_machine **ret, struct cs_err *err);
/* Sites of nodes with one core: "4x64,6x32,8x8" is 4 sites of 64 nodes, 6 of 32 and 8
 * of 8; or of larger ones: "2x16x2x8" is 2 of 16 nodes with 2 sockets of 8 cores.  The
 * same. */
int cs_sim_sites(const char *text, struct cs_machine **ret, struct cs_err *err);

#endif
