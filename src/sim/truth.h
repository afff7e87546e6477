/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How jobs really progress, whatever the policies believe.
 *
 * The engine predicts by the profiles it was given; a run of jobs that obeys other
 * slowdowns tells what such a belief is worth.  This holds the running jobs, who is
 * beside whom, and how far each has come by the truth; theory in truth.c.
 *
 * Jobs are named by an index, 0 to jobs - 1.  The host tells of starts, stops and
 * ends as they happen, and of what the engine believes (cs_truth_believe()); it asks
 * whose end has moved (cs_truth_moved()).
 */
#ifndef CS_SIM_TRUTH_H
#define CS_SIM_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/machine.h"
#include "common/profile/slowdown.h"
#include "common/state/figures.h"

/* What came of a job. */
struct cs_truth_job {
	int64_t beside_us;  /* running time with a neighbour on some node */
	double alone_us;    /* what that would have taken without */
	double believed_us; /* the same, as the engine saw it */
	double worst; /* largest true coscheduling slowdown that it had for any
			 time beside somebody; 0: it never was */
	bool limited; /* its limit ended it */
	bool late;    /* it ended beyond its R_max */
};

struct cs_truth;

/*
 * @model and @machine are borrowed; nothing of @model but its profiles and its
 * unknown_pair is looked at.  @noise (>= 0) is the standard deviation by which
 * repeats of a job differ, a part of 1, drawn by @seed and the job's id.
 * NULL: no memory.
 */
struct cs_truth *cs_truth_create(const struct cs_machine *machine,
				 const struct cs_slowdown *model, double noise,
				 uint64_t seed, size_t jobs);
void cs_truth_free(struct cs_truth *t);

/* The noise of job @id: how much more time it takes; 1 without, at least .1. */
double cs_truth_noise(double noise, uint64_t seed, uint32_t id);

struct cs_truth_start {
	uint32_t job, id;
	int profile;	 /* of the truth's file, or CS_PROFILE_NONE */
	bool packed;	 /* by core, beside whoever comes */
	double crossing; /* r* / r of model/sites.h */
	const struct cs_alloc *alloc; /* copied */
};

/* It runs from @now_us on.  0, -ENOMEM.  O(nodes * jobs on them). */
int cs_truth_start(struct cs_truth *t, const struct cs_truth_start *s,
		   int64_t now_us);
/* It stands still; it goes on (0, -ENOMEM); it is gone, and *ret is what came of
 * it.  O(nodes * jobs on them). */
void cs_truth_stop(struct cs_truth *t, uint32_t job, int64_t now_us);
int cs_truth_resume(struct cs_truth *t, uint32_t job, int64_t now_us);
void cs_truth_finish(struct cs_truth *t, uint32_t job, int64_t now_us,
		     struct cs_truth_job *ret);

/* From @now_us on the engine says @v of the job, and that its neighbours cost it
 * @beside. */
void cs_truth_believe(struct cs_truth *t, uint32_t job,
		      const struct cs_speed *v, double beside, int64_t now_us);

/* Its progress by the truth, and as last believed; job_id is 0.  O(1). */
struct cs_speed cs_truth_speed(const struct cs_truth *t, uint32_t job);
struct cs_speed cs_truth_belief(const struct cs_truth *t, uint32_t job);

/* Jobs whose progress or belief has changed since this was last asked, each once;
 * *ret [n] holds until the next call. */
size_t cs_truth_moved(struct cs_truth *t, const uint32_t **ret);

#endif
