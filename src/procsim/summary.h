/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a run, as JSON. */
#ifndef CS_PROCSIM_SUMMARY_H
#define CS_PROCSIM_SUMMARY_H

#include <stdio.h>

#include "procsim/procsim.h"

/* Names of what was run. */
struct cs_summary {
	const char *workload, *load;
	double wall_s; /* of the run, real time */
};

/* 0; -ENOMEM or another negative errno. */
int cs_summary_print(const struct cs_summary *s, const struct cs_procsim *ask,
		     const struct cs_procsim_result *r, FILE *file);

#endif
