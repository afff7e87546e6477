/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a measurement: made or found, with its programs, its state and the records
 * of its jobs (run.h).
 */
#ifndef CS_COSCHED_MEASURE_FOLDER_H
#define CS_COSCHED_MEASURE_FOLDER_H

#include <stddef.h>

#include "common/base/err.h"
#include "measure/options.h"
#include "measure/plan.h"
#include "measure/state.h"

#define CS_MEASURE_PATH 4097

struct cs_measure_folder {
	char path[CS_MEASURE_PATH];
	char name[64]; /* of the jobs */
	int lock;      /* descriptor; -1 */
};

/*
 * Make the folder @path, or take up the measurement in it: @state, of which all but jobs
 * is set (the programs' names and sums by _program()), gets the jobs of before.  0; a
 * negative errno with @err: it cannot be made, another command measures in it, or it has
 * another measurement.
 */
int cs_measure_folder_open(struct cs_measure_folder *f, const char *path,
			   char *const *script, struct cs_measure_state *state,
			   struct cs_err *err);
void cs_measure_folder_close(struct cs_measure_folder *f);

/* Read @script: its name without folder and ending, its sum, and the options in its head.
 * 0; a negative errno with @err. */
int cs_measure_folder_program(const char *script,
			      struct cs_measure_program *ret,
			      struct cs_measure_options *ret_options,
			      struct cs_err *err);

/* 0; a negative errno with @err. */
int cs_measure_folder_save(const struct cs_measure_folder *f,
			   const struct cs_measure_state *state,
			   struct cs_err *err);

/* The record of @job, empty if there is none yet.  0; -ENOMEM. */
int cs_measure_folder_record(const struct cs_measure_folder *f, uint32_t job,
			     struct cs_measure_record *ret);

/* Add to @state the jobs that have a record and are not in it: the command was killed
 * before it wrote that it had submitted them.  0; -ENOMEM. */
int cs_measure_folder_adopt(const struct cs_measure_folder *f,
			    struct cs_measure_state *state);

#endif
