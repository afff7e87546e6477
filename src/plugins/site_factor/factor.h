/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread of site_factor/ostrich: job_ptr->site_factor of waiting jobs follows
 * the order of the virtual schedule.
 */
#ifndef CS_FACTOR_H
#define CS_FACTOR_H

#include "compat/job.h"

/* If the thread cannot start, the log says so, and factors stay as they are. */
void cs_factor_start(void);
/* Saves the state and waits for the thread to end. */
void cs_factor_stop(void);

/* A factor for a job that has none yet.  Called under Slurm's job write lock; never
 * waits. */
void cs_factor_first(job_record_t *job_ptr);

#endif
