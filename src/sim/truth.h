/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How jobs really progress, whatever policies believe.
 *
 * The engine predicts by its profiles; jobs that obey other slowdowns show what such a
 * belief is worth.  This holds the running jobs, their neighbours and their progress by
 * the truth; theory in truth.c.
 *
 * Jobs are named by an index, 0 to jobs - 1.  The host reports starts, stops and ends
 * as they happen, and the engine's belief (cs_truth_believe()); it asks which ends have
 * moved (cs_truth_moved()).
 */
#ifndef CS_SIM_TRUTH_H
#define CS_SIM_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/machine.h"
#include "common/profile/slowdown.h"
#include "common/state/figures.h"

/* The outcome of a job. */
struct cs_truth_job {
	int64_t beside_us;  /* running time with a neighbour on any node */
	double alone_us;    /* what that would have taken alone */
	double believed_us; /* the same, by the engine */
	double worst; /* its largest true coscheduling slowdown for any time
			 with a neighbour; 0: never had one */
	bool limited; /* its limit ended it */
	bool late;    /* it ended beyond its R_max */
};

struct cs_truth;

/*
 * @model's profiles and @machine are borrowed; what was learned is not used.  @noise (>=
 * 0) is the relative standard deviation between repeats of a job, drawn by @seed and the
 * job's id. NULL: no memory.
 */
struct cs_truth *cs_truth_create(const struct cs_machine *machine,
				 const struct cs_slowdown *model, double noise,
				 uint64_t seed, size_t jobs);
void cs_truth_free(struct cs_truth *t);

/* Jobs may have the same cores, which costs @loss beside what they compute there
 * (cs_slowdown_core()). */
void cs_truth_share_cores(struct cs_truth *t, double loss);

/* The noise of job @id: the factor on its time; 1 without noise, at least .1. */
double cs_truth_noise(double noise, uint64_t seed, uint32_t id);

struct cs_truth_start {
	uint32_t job, id;
	int profile;   /* of the truth's file, or CS_PROFILE_NONE */
	bool packed;   /* by core, beside any job */
	uint32_t base; /* processes a node for which the runtime holds, >= 1 */
	double crossing; /* r* / r of model/sites.h */
	double computes; /* part of its core time that it computes when alone */
	const struct cs_alloc *alloc; /* copied */
};

/* It runs from @now_us on.  0, -ENOMEM.  O(nodes * jobs on them). */
int cs_truth_start(struct cs_truth *t, const struct cs_truth_start *s,
		   int64_t now_us);
/* It stops; it resumes (0, -ENOMEM); it has ended, and *ret is its outcome.  O(nodes *
 * jobs on them). */
void cs_truth_stop(struct cs_truth *t, uint32_t job, int64_t now_us);
int cs_truth_resume(struct cs_truth *t, uint32_t job, int64_t now_us);
void cs_truth_finish(struct cs_truth *t, uint32_t job, int64_t now_us,
		     struct cs_truth_job *ret);

/* From @now_us on the engine believes @v of the job, and that its neighbours slow it by
 * @beside. */
void cs_truth_believe(struct cs_truth *t, uint32_t job,
		      const struct cs_speed *v, double beside, int64_t now_us);

/* Its progress by the truth, and as last believed; job_id is 0.  O(1). */
struct cs_speed cs_truth_speed(const struct cs_truth *t, uint32_t job);
struct cs_speed cs_truth_belief(const struct cs_truth *t, uint32_t job);

/* Jobs whose progress or belief has changed since the last call, each once; *ret [n] is
 * valid until the next call. */
size_t cs_truth_moved(struct cs_truth *t, const uint32_t **ret);

#endif
