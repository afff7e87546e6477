/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own commands, called as a user would, without a shell.
 */
#ifndef CS_COSCHED_CONF_SLURM_COMMAND_H
#define CS_COSCHED_CONF_SLURM_COMMAND_H

#include <stdint.h>

#include "common/base/err.h"

/* Run @argv (NULL behind the last) for at most @timeout_s seconds.  0 and its output,
 * which the caller frees; a negative errno with @err: it did not run, or failed. */
int cs_slurm_command(const char *const *argv, int timeout_s, char **ret,
		     struct cs_err *err);

/* The number in the output of sbatch --parsable, which is changed: warnings may stand
 * before it.  0; -EIO with @err. */
int cs_slurm_command_job(char *text, uint32_t *ret, struct cs_err *err);

/* Remove from the environment what squeue, scancel and sbatch would obey and this
 * process does not mean: filters, formats, other clusters. */
void cs_slurm_command_environment(void);

#endif
