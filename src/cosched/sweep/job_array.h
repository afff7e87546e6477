/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job array of the site's Slurm, by its commands sbatch, squeue and scancel, which are
 * run without a shell.  An array is found by its name, so that a command that was killed
 * finds the tasks that it left.
 */
#ifndef CS_COSCHED_SWEEP_JOB_ARRAY_H
#define CS_COSCHED_SWEEP_JOB_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

#define CS_ARRAY_NODE 64 /* bytes of a node's name */

/* What squeue says of an array. */
struct cs_sweep_array_look {
	size_t waiting, running; /* tasks; running: they hold nodes */
	size_t listed; /* tasks of the array that slurmctld remembers */
	/* A task that ended in state FAILED or COMPLETED, and its node; -1: none. */
	int64_t ended;
	char node[CS_ARRAY_NODE];
};

/*
 * The words of @text, separated by blanks, with quotes and backslashes as in a shell.
 * @what ("--sbatch") is where they stand, for messages.  0 and *ret [*ret_n], a block of memory with all of them that the caller frees; -EINVAL
 * with @err: a quote is not closed, or a word is an option that the array needs itself;
 * -ENOMEM.
 */
int cs_sweep_array_words(const char *what, const char *text, char ***ret,
			 size_t *ret_n, struct cs_err *err);

/*
 * Submit @script with the arguments @arg, NULL behind the last, as tasks @list ("0,3-7")
 * of an array named @name that runs in @folder; @option [@n] come first.  0 with the
 * array's job number; a negative errno with @err.
 */
int cs_sweep_array_submit(const char *name, char *const *option, size_t n,
			  const char *folder, const char *list,
			  const char *script, const char *const *arg,
			  uint32_t *ret_job, struct cs_err *err);

/*
 * What has become of the tasks of all arrays named @name; listed and ended are of array
 * @job only (0: none).  0; a negative errno with @err: slurmctld did not answer.
 */
int cs_sweep_array_look(const char *name, uint32_t job,
			struct cs_sweep_array_look *ret, struct cs_err *err);

/* Cancel all arrays named @name and wait until squeue lists none of their tasks, for
 * @wait_s seconds at most.  0; a negative errno with @err. */
int cs_sweep_array_cancel(const char *name, int wait_s, struct cs_err *err);

#endif
