/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the site's Slurm says of the partition and its nodes, before any job is submitted:
 * may two jobs share them, half and half, each on its own cores?
 */
#ifndef CS_COSCHED_MEASURE_SITE_H
#define CS_COSCHED_MEASURE_SITE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "measure/record.h"

/* What scontrol shows. */
struct cs_measure_site {
	const char *partition; /* a line of `show partition`, -o */
	const char *nodes;     /* the lines of `show node`, -o */
	/* SelectType, SelectTypeParameters, TaskPlugin, ConstrainCores of `show config`;
	 * "": not there */
	const char *select, *select_parameters, *task_plugin, *constrain_cores;
};

/*
 * Complete @shape, of which per_task, nodes and unconstrained are set, and sockets and
 * cores if the user names the nodes' (else 0), and lower @limit_s, the limit of a job, to
 * that of the partition.  0; -EINVAL with @err: the nodes cannot be shared half and half,
 * or not for long enough, and why.
 */
int cs_measure_site_shape(const struct cs_measure_site *site,
			  struct cs_measure_shape *shape, uint32_t *limit_s,
			  struct cs_err *err);

/* Ask scontrol, and do so.  @partition NULL: the default one. */
int cs_measure_site_ask(const char *partition, struct cs_measure_shape *shape,
			uint32_t *limit_s, struct cs_err *err);

#endif
