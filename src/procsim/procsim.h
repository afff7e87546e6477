/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulator of implicit coscheduling: clusters whose nodes run several processes each,
 * event by event, as in Yu07.  doc/policies.md lists its files.
 *
 * Time is in nanoseconds; the same question has the same answer, byte for byte.
 */
#ifndef CS_PROCSIM_PROCSIM_H
#define CS_PROCSIM_PROCSIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "procsim/mix.h"
#include "procsim/scheme.h"
#include "procsim/setting.h"

/* What to run.  All borrowed. */
struct cs_procsim {
	const struct cs_setting *set; /* cs_setting_check() accepts it */
	const struct cs_scheme *scheme;
	const struct cs_mix_job *job; /* [set->jobs], in order of arrival; sizes
					 up to set->nodes */
	uint64_t seed;
	FILE *events; /* NULL: none; checker.h has the lines */
};

/* CPU seconds are sums over all nodes. */
struct cs_procsim_result {
	double response_s, wait_s, execution_s; /* means of jobs; a job that has
						   not ended counts until the cap */
	double makespan_s, throughput;		/* ended jobs a second */
	uint32_t n_mean, n_ended;		/* jobs: in the means; ended */
	double slowdown[CS_MIX_TYPES]; /* by type: mean of execution time by that
					  alone; -1: no such job has ended */
	bool capped;		       /* the horizon was reached */
	double bcr, fdr; /* 0 to 1; -1: none, or no conflict (FDR) */
	uint64_t switches, conflicts, falses;
	double compute_s, communicate_s, spin_s, switch_s, overhead_s;
	double idle_s, empty_s; /* nodes with processes; without */
	double blocked_s;	/* of processes, waiting for messages */
	uint64_t events;	/* taken from the queue */
};

/* Run it.  0; -ENOMEM or -EIO with @err set, and *ret is unchanged. */
int cs_procsim_run(const struct cs_procsim *ask, struct cs_procsim_result *ret,
		   struct cs_err *err);

#endif
