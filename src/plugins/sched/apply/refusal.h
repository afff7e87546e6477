/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's error codes as refusals: one table.
 */
#ifndef CS_SCHED_APPLY_REFUSAL_H
#define CS_SCHED_APPLY_REFUSAL_H

#include <stdbool.h>

#include "common/engine/engine.h"

struct cs_refusal {
	enum cs_refused class;
	const char *why; /* lower case, no full stop */
	bool limit; /* a limit of association or QOS: blocked for a while */
};

/* ESLURM_NODES_BUSY of a job that Slurm lets wait for fewer switches. */
#define CS_SWITCHES_BUSY (-2)

/* The meaning of @rc from select_nodes(), or of the above. */
struct cs_refusal cs_refusal_of(int rc);

#endif
