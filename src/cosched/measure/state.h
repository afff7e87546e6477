/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that lets a measurement continue: what is measured, and the jobs that were
 * submitted for it.  The times are in the jobs' own records (record.h).
 */
#ifndef CS_COSCHED_MEASURE_STATE_H
#define CS_COSCHED_MEASURE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/profile/profile.h"
#include "measure/plan.h"
#include "measure/record.h"

struct cs_measure_program {
	char name[CS_PROFILE_NAME];
	uint64_t sum; /* of the script's bytes */
};

struct cs_measure_job {
	uint32_t job, experiment, with, nodes, limit_s; /* as in a record */
	char role;
	double elapsed_s; /* that Slurm has told, or what it may be at most */
	double alive_s;	  /* by its first node's clock: it certainly ran; 0 */
	bool ended;
};

struct cs_measure_state {
	struct cs_measure_program program[CS_MEASURE_PROGRAMS];
	size_t n; /* programs */
	struct cs_measure_shape shape;
	char *options;		    /* of sbatch; never NULL in a read state */
	struct cs_measure_job *job; /* [n_job], by time of submission */
	size_t n_job, room;
};

/* A text that cs_measure_state_read() reads, which the caller frees; NULL: no memory. */
char *cs_measure_state_text(const struct cs_measure_state *s);

/* Read @text of file @name.  0; -EINVAL with @err; -ENOMEM.  @ret is the caller's. */
int cs_measure_state_read(struct cs_measure_state *ret, const char *text,
			  const char *name, struct cs_err *err);
void cs_measure_state_done(struct cs_measure_state *s);

/* Append a job.  0; -ENOMEM. */
int cs_measure_state_add(struct cs_measure_state *s,
			 const struct cs_measure_job *job);
/* NULL: none has that number. */
struct cs_measure_job *cs_measure_state_find(struct cs_measure_state *s,
					     uint32_t job);

/*
 * Node seconds that the jobs took: nodes times elapsed time of all jobs of role a, since
 * one of role b is on the nodes of its partner, within its time.
 */
double cs_measure_state_spent(const struct cs_measure_state *s);

/* The experiment @i, in @buf: "a alone on full nodes", "a beside b". */
const char *cs_measure_state_title(const struct cs_measure_state *s, size_t i,
				   char *buf, size_t size);

/* Do both measure the same programs in the same way?  0; -EINVAL with @err, which says
 * what differs, @old of file @name being the first. */
int cs_measure_state_same(const struct cs_measure_state *old,
			  const struct cs_measure_state *now, const char *name,
			  struct cs_err *err);

#endif
