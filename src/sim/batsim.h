/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of a simulation in the columns that Batsim writes and evalys reads: one resource
 * a core, numbered node by node; a job's resources are those of its last start.
 */
#ifndef CS_SIM_BATSIM_H
#define CS_SIM_BATSIM_H

#include <stdio.h>

#include "common/model/event.h"
#include "jobids.h"
#include "metrics.h"

struct cs_batsim {
	struct cs_jobids ids;
	const struct cs_machine *machine; /* borrowed */
	uint64_t *first; /* [n_node] number of its first core */
	char **cores;	 /* [n_job] "0-3 8", in the trace's order */
	size_t n_job;
	int rc; /* -ENOMEM: something was left out */
};

/* Does @path ask for these columns? */
bool cs_batsim_wanted(const char *path);

/* 0, -EEXIST, -ENOMEM. */
int cs_batsim_init(struct cs_batsim *b, const struct cs_trace *t,
		   const struct cs_machine *m);
/* A cs_sim_options.heard, whose argument is the cs_batsim. */
void cs_batsim_hear(void *batsim, const struct cs_event *ev);
/* In order of the jobs' numbers; @name is the workload's.  0, -ENOMEM or the file's
 * error. */
int cs_batsim_write(const struct cs_batsim *b, FILE *file, const char *name,
		    const struct cs_trace *t, const struct cs_sim_result *r);
void cs_batsim_done(struct cs_batsim *b);

#endif
