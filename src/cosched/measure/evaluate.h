/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The means of a measurement, from the records of all its jobs: which runs count, and in
 * which cell of the plan.
 *
 * All records are read again each time, so the means depend on nothing that a command
 * remembers: a command that was killed has lost no run.
 */
#ifndef CS_COSCHED_MEASURE_EVALUATE_H
#define CS_COSCHED_MEASURE_EVALUATE_H

#include <stddef.h>
#include <stdint.h>

#include "measure/folder.h"
#include "measure/plan.h"
#include "measure/record.h"
#include "measure/state.h"

/* The records of the state's jobs, as they were read last. */
struct cs_measure_evaluation {
	const struct cs_measure_folder *folder; /* borrowed, as the state is */
	const struct cs_measure_state *state;
	struct cs_measure_record *record; /* [n], in the order of the jobs */
	size_t n;      /* fewer than jobs, if some were submitted since */
	double *times; /* scratch of the means */
};

/* 0; -ENOMEM. */
int cs_measure_evaluation_init(struct cs_measure_evaluation *e,
			       const struct cs_measure_folder *folder,
			       const struct cs_measure_state *state);
void cs_measure_evaluation_done(struct cs_measure_evaluation *e);

/* Read all records and set all cells of @plan.  0; -ENOMEM, and @plan is unchanged. */
int cs_measure_evaluate(struct cs_measure_evaluation *e,
			struct cs_measure_plan *plan);

/* The record of job number @job; NULL: none has been read. */
const struct cs_measure_record *
cs_measure_evaluation_record(const struct cs_measure_evaluation *e,
			     uint32_t job);

/* The record of the partner of the state's job @i; NULL: it has none. */
const struct cs_measure_record *
cs_measure_evaluation_partner(const struct cs_measure_evaluation *e, size_t i);

/* Why no run of the state's job @i counts, or not all, as its record says: cores that it
 * should not have, or another job on its nodes; in @buf.  NULL: its record shows neither. */
const char *cs_measure_evaluation_spoiled(const struct cs_measure_evaluation *e,
					  size_t i, char *buf, size_t size);

#endif
